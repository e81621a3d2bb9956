"""The pictures of the characterisation: each function draws one part of the report on given matplotlib axes.

matplotlib is imported when a picture is saved, so that all else works without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.characterise.verdict import what
from experiments.harness import UsageError

BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072b2", "#d55e00", "#009e73", "#aa4499", "#666666"
DPI = 110
SMALL = 8
FEWEST = 3
"""A form with fewer prompts is left out of the picture."""
Part = Mapping[str, Any]


def draw_engagement(part: Part, ax: Any) -> None:
    """The share of prompts that a region constrains, by form, under both contracts of the subject."""
    spans = part["spans"]
    forms = {name: group for name, group in spans["head"]["forms"].items() if group["n"] >= FEWEST}
    phrase = spans["phrase"]["forms"]
    _rows(ax, [f"{name} ({group['n']})" for name, group in forms.items()])
    for place, (name, group) in enumerate(forms.items()):
        both = [100 * group["constrained"], 100 * phrase.get(name, {"constrained": 0})["constrained"]]
        ax.plot(both, [place, place], color="#cccccc", zorder=1)
    _dots(ax, [100 * group["constrained"] for group in forms.values()], BLUE, "o", "head noun", 8)
    _dots(
        ax,
        [100 * phrase[name]["constrained"] if name in phrase else None for name in forms],
        ORANGE,
        "s",
        "raw phrase (ADR-0047)",
    )
    _share_axis(ax, "prompts that a region constrains, %")
    _legend(ax, 2)


def draw_top_k(part: Part, ax: Any) -> None:
    """What top_k does: met within 8 steps, answered, surface changed; the free walk dashed."""
    name = what(part)
    label = "term within 8 steps" if name == "terms" else "slot within 8 steps"
    for key, color, text, off in (
        ("answered", GREEN, "answered", True),
        (name, BLUE, label, True),
        ("changed", ORANGE, "surface changed", False),
    ):
        _line(ax, part["rows"], key, color, text)
        if off and part["off"][key]["mean"] is not None:
            _free(ax, part["off"][key]["mean"], color)
    _sizes_axis(ax, part["rows"])
    ax.set_ylabel("prompts, or mean share of a prompt, %")


def draw_region(part: Part, ax: Any) -> None:
    """How large the region is, in words and as a share of the vocabulary."""
    ks = [row["top_k"] for row in part["rows"]]
    sizes = [row["region"] for row in part["rows"]]
    ax.plot(ks, sizes, color=BLUE, marker="o", markersize=4)
    ax.plot(ks, ks, color=GREY, linestyle=":", linewidth=1)
    ax.annotate(
        "one anchor",
        (ks[len(ks) // 2], ks[len(ks) // 2]),
        (8, -12),
        textcoords="offset points",
        color=GREY,
        size=SMALL,
    )
    for place in (0, len(ks) // 2, -1):
        if sizes[place] is not None:
            share = 100 * sizes[place] / part["words"]
            ax.annotate(
                f"{share:.1f} %",
                (ks[place], sizes[place]),
                (0, 6),
                textcoords="offset points",
                ha="center",
                size=SMALL,
            )
    ax.set_yscale("log", base=2)
    ax.yaxis.set_major_formatter("{x:g}")
    _sizes_axis(ax, part["rows"], shares=False)
    ax.set_ylabel(f"words in the region, of {part['words']}")


def draw_curve(part: Part, ax: Any) -> None:
    """How often the n-th word of the free walk lies in the region."""
    curve = [100 * share for share in part["curve"]]
    steps = range(1, len(curve) + 1)
    ax.plot(steps, curve, color=BLUE)
    _free(ax, part["curve_by_chance"], GREY, f"chance {100 * part['curve_by_chance']:.1f} %")
    ax.set(xlim=(1, len(curve)), ylim=(0, 100), xlabel="step of the free walk")
    ax.set_ylabel("word in the region, % of prompts")
    _plain(ax)


def draw_placing(part: Part, ax: Any) -> None:
    """The share of prompts whose region and first 8 free words are strangers, by what places the prompt."""
    groups = part["placing"]
    _rows(ax, [f"{name} ({group['n']})" for name, group in groups.items()])
    _intervals(ax, [group["none"] for group in groups.values()], BLUE)
    by_chance = 100 * part["region"]["8"]["none_by_chance"]
    ax.axvline(by_chance, color=GREY, linestyle="--", linewidth=1)
    ax.annotate(
        f"chance {by_chance:.0f} %", (by_chance, 1), (-3, 2), xycoords=("data", "axes fraction"),
        textcoords="offset points", ha="right", color=GREY, size=SMALL,
    )  # fmt: skip
    _share_axis(ax, "strangers to their region, % of prompts")


def draw_wanted(part: Part, ax: Any) -> None:
    """By which step a walk has met a word that grounds the slot: free, from the anchors, inside the region."""
    rows = part["rows"]
    for key, color, style, text in (
        ("wanted_inside", BLUE, "-", "in the region"),
        ("wanted_from_anchors", GREEN, "-", "free, from the anchors"),
        ("wanted_free", ORANGE, "-", "free"),
    ):
        steps = [step for row in rows for step in row[key]]
        met = sorted(step for step in steps if step is not None)
        xs = [1, *met, max(part["open_words"], *met, 2)] if met else [1, 2]
        ys = [0.0, *(100 * (place + 1) / len(steps) for place in range(len(met)))]
        ax.step(xs, [*ys, ys[-1]], where="post", color=color, linestyle=style, label=text)
    ax.axvline(8, color=GREY, linestyle=":", linewidth=1)
    ax.annotate("8 steps", (8, 2), (3, 0), textcoords="offset points", color=GREY, size=SMALL)
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set(
        xlim=(1, None),
        ylim=(0, 103),
        xlabel="step of the walk",
        ylabel="open slots that could be grounded, %",
    )
    ax.legend(loc="lower right", frameon=False, fontsize=SMALL)
    _plain(ax)


def draw_lift(part: Part, ax: Any) -> None:
    """What the walk met within 8 steps, by category and arm; the whiskers are those of the region."""
    groups = part["categories"]
    _rows(ax, [f"{name} ({group['n']})" for name, group in groups.items()])
    for arm, color, marker, text in (
        ("off", GREY, "D", "no region"),
        ("null_domain", ORANGE, "s", "random, domains"),
        ("null_vocab", PURPLE, "x", "random, vocabulary"),
    ):
        _dots(ax, [_percent(group[arm]["mean"]) for group in groups.values()], color, marker, text)
    _intervals(ax, [group["on"] for group in groups.values()], BLUE, "graph's region")
    _share_axis(ax, f"{part['what']} met within {part['few']} steps, %")
    _legend(ax, 4)


def draw_neighbours(part: Part, ax: Any) -> None:
    """What a geometry holds: neighbours of one domain, and related words among the nearest eight."""
    rows = part["rows"]
    _rows(ax, [row["name"] for row in rows])
    _dots(ax, [_percent(row["related"]) for row in rows], GREEN, "o", "related words near")
    _dots(ax, [_percent(row["common_domain"]) for row in rows], ORANGE, "s", "neighbours of one domain")
    _share_axis(ax, "of the nearest eight, %")
    _legend(ax, 2)


def draw_walks(part: Part, ax: Any) -> None:
    """What a walk meets in a geometry, in the region and free."""
    name = "terms" if any(row["on"]["terms"]["n"] for row in part["rows"]) else "slots"
    _rows(ax, [row["name"] for row in part["rows"]])
    _intervals(ax, [row["on"][name] for row in part["rows"]], BLUE, "in the region")
    _intervals(ax, [row["off"][name] for row in part["rows"]], GREY, "free", "D")
    _share_axis(ax, f"{name} met within 8 steps, %")
    _legend(ax, 2)


def draw_sizes(part: Part, ax: Any, name: str = "said") -> None:
    """What top_k does to relations that the fit saw and to others: ``said``, or met ``within`` 8 steps."""
    sizes = part["sizes"]
    for key, color, text in (("seen", BLUE, "seen by the fit"), ("held_out", ORANGE, "held out")):
        _line(ax, sizes[key]["rows"], name, color, text)
        _free(ax, sizes[key]["off"][name]["mean"], color)
    _sizes_axis(ax, sizes["seen"]["rows"])
    ax.set_ylabel({"said": "relations that are said, %", "within": "objects met within 8 steps, %"}[name])


_Draw = Callable[[Mapping[str, Any], Any], None]
PICTURES: dict[str, tuple[str, tuple[_Draw, ...], tuple[float, float]]] = {
    "engagement": ("engagement", (draw_engagement,), (6.4, 4.2)),
    "top_k": ("top_k", (draw_top_k, draw_region), (9.6, 3.8)),
    "overlap": ("overlap", (draw_curve, draw_placing), (9.6, 3.4)),
    "wanted": ("overlap", (draw_wanted,), (6.4, 3.6)),
    "lift": ("lift", (draw_lift,), (7.6, 4.0)),
    "held_out": (
        "held_out",
        (draw_sizes, lambda part, ax: draw_sizes(part, ax, "within")),
        (9.6, 3.6),
    ),
    "losses": ("losses", (draw_neighbours, draw_walks), (9.6, 3.4)),
}
"""The pictures by name: the part of the report that each shows, what draws its axes, width and height in inches."""


def save_figures(report: Mapping[str, Any], folder: Path) -> list[str]:
    """Writes a PNG for each part that was measured.

    Returns:
        The names of the pictures; none where matplotlib is not installed.

    Raises:
        UsageError: a file can't be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return []
    made: list[str] = []
    for name, (key, draws, size) in PICTURES.items():
        part = report.get(key)
        if part is None:
            continue
        part = part[0] if isinstance(part, list) else part
        figure = Figure(figsize=size, layout="constrained")
        for ax, draw in zip(figure.subplots(1, len(draws), squeeze=False)[0], draws, strict=True):
            draw(part, ax)
        path = folder / f"{name}.png"
        try:
            figure.savefig(path, dpi=DPI, metadata={"Software": None})
        except OSError as error:
            raise UsageError(f"--out {path}: can't be written ({error.strerror})") from None
        made.append(name)
    return made


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _rows(ax: Any, labels: Sequence[str]) -> None:
    ax.set_yticks(range(len(labels)), labels, fontsize=SMALL + 1)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.grid(axis="y", color="#eeeeee")
    ax.set_axisbelow(True)


def _dots(
    ax: Any, values: Sequence[float | None], color: str, marker: str, label: str, size: int = 5
) -> None:
    found = [(value, place) for place, value in enumerate(values) if value is not None]
    ax.plot(*zip(*found, strict=True), color=color, marker=marker, markersize=size, linestyle="", label=label)


def _intervals(ax: Any, values: Sequence[Part], color: str, label: str = "", marker: str = "o") -> None:
    found = [(place, value) for place, value in enumerate(values) if value["mean"] is not None]
    for place, value in found:
        ax.plot(
            [100 * value["low"], 100 * value["high"]], [place, place], color=color, linewidth=1.5, alpha=0.5
        )
    _dots(ax, [_percent(value["mean"]) for value in values], color, marker, label)


def _line(ax: Any, rows: Sequence[Part], key: str, color: str, label: str) -> None:
    ks = [row["top_k"] for row in rows if row[key]["mean"] is not None]
    values = [row[key] for row in rows if row[key]["mean"] is not None]
    ax.fill_between(
        ks,
        [100 * v["low"] for v in values],
        [100 * v["high"] for v in values],
        color=color,
        alpha=0.15,
        linewidth=0,
    )
    ax.plot(ks, [100 * v["mean"] for v in values], color=color, marker="o", markersize=4, label=label)


def _free(ax: Any, share: float, color: str, text: str = "") -> None:
    ax.axhline(100 * share, color=color, linestyle="--", linewidth=1)
    if text:
        ax.annotate(
            text, (1, 100 * share), (-3, 16), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", color=color, size=SMALL,
        )  # fmt: skip


def _sizes_axis(ax: Any, rows: Sequence[Part], *, shares: bool = True) -> None:
    ks = [row["top_k"] for row in rows]
    ax.set_xscale("log", base=2)
    ax.set_xticks(ks, [str(k) for k in ks], fontsize=SMALL)
    ax.minorticks_off()
    ax.set_xlabel("top_k")
    if shares:
        ax.set_ylim(0, 103)
        ax.plot([], [], color=GREY, linestyle="--", linewidth=1, label="the same, free")
        ax.legend(loc="best", frameon=False, fontsize=SMALL)
    _plain(ax)


def _share_axis(ax: Any, label: str) -> None:
    ax.set_xlim(-3, 103)
    ax.set_xlabel(label)
    _plain(ax)


def _legend(ax: Any, columns: int) -> None:
    ax.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handletextpad=0.1,
    )


def _plain(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
