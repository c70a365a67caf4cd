"""Draw what four metrics are on one small data set by the rules of sixteen libraries.

Run it with ``python docs/examples/dialects.py``; it needs matplotlib.
"""

import pandas as pd

from jurity_reco import compare_dialects

METRICS = {
    "precision@3": "Precision@3",
    "recall@3": "Recall@3",
    "map@3": "MAP@3",
    "ndcg@3": "NDCG@3",
}
REFERENCE = "jurity"
GREY, BLUE, ORANGE = "#5f6368", "#1f6fb4", "#c8500a"


def make_data() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Five users: one clicked on nothing, and another got no recommendation."""
    actual = pd.DataFrame(
        {
            "user_id": ["u1"] * 5 + ["u2", "u3", "u4", "u5"],
            "item_id": ["i1", "i2", "i3", "i4", "i5", "i1", "i9", "i1", "i1"],
            "click": [1, 1, 1, 1, 1, 1, 1, 0, 1],
        }
    )
    predicted = pd.DataFrame(
        {
            "user_id": ["u1"] * 4 + ["u2"] * 2 + ["u4"] * 3 + ["u5"] * 3,
            "item_id": ["i1", "z1", "i2", "i3", "z1", "i1", *["z1", "z2", "z3"] * 2],
            "click": [0.9, 0.8, 0.7, 0.6, 0.9, 0.8, *[0.9, 0.8, 0.7] * 2],
        }
    )
    return actual, predicted


def main() -> None:
    """Draw one panel per metric, with the libraries in the order of their values."""
    # Whoever only imports this file, as the tests do, needs no matplotlib.
    import matplotlib.pyplot as plt

    table = compare_dialects(*make_data(), list(METRICS))
    table = table[table["value"].notna()]
    # White, because the labels would be lost on the dark background of a page.
    figure, axes = plt.subplots(
        2, 2, figsize=(9, 8.4), sharex=True, layout="constrained", facecolor="white"
    )
    figure.get_layout_engine().set(h_pad=0.12, w_pad=0.1)
    for panel, (metric, title) in zip(axes.flat, METRICS.items(), strict=True):
        found = table[table["metric"] == metric].set_index("dialect")["value"]
        names = sorted(found.index, key=lambda name: (-round(found[name], 9), name != REFERENCE))
        reference = found[REFERENCE]
        panel.axvline(reference, color=ORANGE, linewidth=1, linestyle=":", zorder=1)
        shown = None
        for row, name in enumerate(names):
            colour = ORANGE if name == REFERENCE else BLUE
            panel.hlines(row, 0, found[name], color="#d5d8dc", linewidth=1, zorder=0)
            panel.plot(found[name], row, "D" if name == REFERENCE else "o", color=colour)
            text = f"{found[name]:.4f}"
            if text != shown:  # once for all libraries that agree
                panel.annotate(
                    text,
                    (found[name], row),
                    xytext=(8, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8.5,
                    color=colour,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                )
            shown = text
        panel.set_title(title, loc="left", fontsize=11, fontweight="bold")
        panel.set_yticks(range(len(names)), names, fontsize=9)
        for label in panel.get_yticklabels():
            own = label.get_text() == REFERENCE
            label.set(color=ORANGE if own else "black", fontweight="bold" if own else "normal")
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.set_xlim(0, 0.6)
        panel.tick_params(axis="x", labelsize=9, colors=GREY, labelbottom=True)
        panel.tick_params(axis="y", length=0)
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.spines["bottom"].set_color(GREY)
    plt.show()


if __name__ == "__main__":
    main()
