"""Frames for tests: by hand, and by hypothesis."""

from typing import Any

import pandas as pd
from hypothesis import strategies as st

Rows = list[tuple[Any, Any, Any]]


def D(users: Any, items: Any, clicks: Any) -> pd.DataFrame:
    """A frame with the columns user_id, item_id and click."""
    return pd.DataFrame({"user_id": users, "item_id": items, "click": clicks})


def frame(rows: Rows) -> pd.DataFrame:
    """A frame of (user, item, number) rows."""
    users, items, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    return D(list(users), list(items), list(numbers))


INTEGER_IDS = st.integers(0, 4)
SPARSE_IDS = st.sampled_from([-(2**62), -7, 2**40, 2**53, 2**53 + 1])
TEXT_IDS = st.sampled_from(["", "a", "aa", "é", "B"])
IDS = (INTEGER_IDS, SPARSE_IDS, TEXT_IDS)
# Few distinct values, so that scores tie, and both zeros.
SCORES = st.sampled_from([0.0, -0.0, 0.1, 0.2, 0.25, 0.9, -1.5, 5e-324])
INFINITE_SCORES = st.sampled_from([0.0, 0.5, float("inf"), float("-inf"), 1e308])
LABELS = st.sampled_from([0, 1, 2, -1, 0.5])


@st.composite
def row_lists(
    draw: st.DrawFn, repeats: bool = False, scores: st.SearchStrategy[float] = SCORES
) -> tuple[Rows, Rows]:
    """Rows of ``actual`` and ``predicted``: users in one of them only, ties, empty frames."""
    users, items = draw(st.sampled_from(IDS)), draw(st.sampled_from(IDS))
    # Few ids and, as a rule, many rows: otherwise next to nothing would match.
    least = draw(st.sampled_from([0, 8]))
    actual = draw(st.lists(st.tuples(users, items, LABELS), min_size=least, max_size=25))
    predicted = draw(
        st.lists(
            st.tuples(users, items, scores),
            min_size=least,
            max_size=20,
            unique_by=None if repeats else lambda row: row[:2],
        )
    )
    return actual, predicted
