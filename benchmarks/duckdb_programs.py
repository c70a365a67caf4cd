"""Precision, Recall, MAP and NDCG as this package defines them, in DuckDB, in several ways.

The tables are Arrow's, which DuckDB reads without a copy, and faster than pandas frames. All of the
programs leave the order of equal scores open. Others were tried and were slower: a window in a
subquery, ``list(... ORDER BY ...)``, and ranks of only those lists that have a hit.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

# Each program makes `lengths` (users and the lengths of their lists) and `hits` (users and ranks).
PROGRAMS = {
    "row_number, join": """
        top AS (
            SELECT user_id, item_id,
                row_number() OVER (PARTITION BY user_id ORDER BY click DESC) AS rank
            FROM predicted QUALIFY rank <= $k),
        lengths AS (SELECT user_id, count(*) AS length FROM top GROUP BY user_id),
        hits AS (SELECT user_id, rank FROM top JOIN relevant USING (user_id, item_id))
    """,
    "max_by, join": """
        lists AS MATERIALIZED (
            SELECT user_id, max_by(item_id, click, $k) AS items, count(*) AS length
            FROM predicted GROUP BY user_id),
        lengths AS (SELECT user_id, length FROM lists),
        top AS (
            SELECT user_id, unnest(items) AS item_id, generate_subscripts(items, 1) AS rank
            FROM lists),
        hits AS (SELECT user_id, rank FROM top JOIN relevant USING (user_id, item_id))
    """,
    # Right only where scores are distinct, and quadratic in the lengths of lists.
    "join, count rows above hits": """
        lengths AS (SELECT user_id, count(*) AS length FROM predicted GROUP BY user_id),
        matched AS MATERIALIZED (
            SELECT user_id, predicted.click FROM predicted JOIN relevant USING (user_id, item_id)),
        hits AS (
            SELECT user_id, count(*) AS rank
            FROM matched JOIN predicted USING (user_id) WHERE predicted.click >= matched.click
            GROUP BY user_id, matched.click HAVING count(*) <= $k)
    """,
}

QUERY = """
WITH relevant AS (SELECT DISTINCT user_id, item_id FROM actual WHERE click > 0),
    {program},
    numbered AS (
        SELECT user_id, rank, row_number() OVER (PARTITION BY user_id ORDER BY rank) AS number
        FROM hits),
    sums AS (
        SELECT user_id, count(*) AS hits, sum(number / rank) AS precisions,
            sum(1 / log2(rank + 1)) AS gains
        FROM numbered GROUP BY user_id),
    counts AS (SELECT user_id, count(*) AS n_relevant FROM relevant GROUP BY user_id),
    ideals AS (
        SELECT n_relevant, sum(1 / log2(n_relevant + 1)) OVER (ORDER BY n_relevant) AS ideal
        FROM range(1, (SELECT max(n_relevant) + 1 FROM counts)) AS ranks(n_relevant))
SELECT
    avg(coalesce(hits, 0) / least(length, $k)) FILTER (length IS NOT NULL) AS precision,
    avg(coalesce(hits, 0) / n_relevant) AS recall,
    avg(coalesce(precisions, 0) / least(n_relevant, $k)) FILTER (length IS NOT NULL) AS map,
    avg(coalesce(gains, 0) / ideal) AS ndcg
FROM counts JOIN ideals USING (n_relevant)
    LEFT JOIN lengths USING (user_id) LEFT JOIN sums USING (user_id)
"""


def score(actual: pa.Table, predicted: pa.Table, k: int, program: str) -> dict[str, float]:
    connection = duckdb.connect()
    connection.register("actual", actual)
    connection.register("predicted", predicted)
    query = QUERY.format(program=PROGRAMS[program]).replace("$k", str(k))
    values = connection.execute(query).fetchall()[0]
    return dict(zip(("precision", "recall", "map", "ndcg"), values, strict=True))
