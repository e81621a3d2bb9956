"""The sections of the report: for each part its picture, what is seen in it, and its figures in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cognition.packs.build import NEIGHBOURS
from experiments.characterise.figures import FEWEST
from experiments.characterise.verdict import gap, said, sign, what
from experiments.harness import percent

Part = Mapping[str, Any]
Shown = Callable[[str, str], str]
"""Gives the line of a picture by its name and what it shows; nothing where there is no picture."""
STRANGE = 0.3
"""Forms whose region and walk are strangers in at least this share of their prompts are named."""
ARMS = {
    "off": "no region",
    "on": "graph's region",
    "null_vocab": "random, from the vocabulary",
    "null_domain": "random, from the subject's domains",
}


def engagement(parts: Sequence[Part], shown: Shown) -> list[str]:
    """Which prompts a region constrains."""
    head, phrase = (parts[0]["spans"][span] for span in ("head", "phrase"))
    seen = (
        f"With the head noun as subject a region constrains {said(head['interval'])} of the prompts. Of the "
        f"others {sum(head['refused'].values())} are refused before they have one, and {head['unconstrained']} "
        "name no word of the pack in their graph. With the raw phrase of ADR-0047 it is "
        f"{said(phrase['interval'])}: {phrase['unconstrained']} graphs name no word, because a phrase as a "
        f"whole seldom is one. {percent(head['one_anchor'])} % of the regions grow from a single word."
    )
    suites = [
        (
            part["suite"]["split"],
            part["suite"]["n"],
            percent(part["spans"]["head"]["constrained"]),
            _number(part["spans"]["head"]["anchors"]),
            _number(part["spans"]["head"]["region"]),
            percent(part["spans"]["phrase"]["constrained"]),
            sum(part["spans"]["head"]["refused"].values()),
        )
        for part in parts
    ]
    forms = [
        (
            name,
            group["n"],
            percent(group["constrained"]),
            _number(group["anchors"]),
            _number(group["region"]),
            percent(phrase["forms"].get(name, {"constrained": None})["constrained"]),
        )
        for name, group in head["forms"].items()
        if group["n"] >= FEWEST
    ]
    columns = ("prompts", "head: constrained, %", "anchors", "words", "phrase: constrained, %")
    return [
        shown("engagement", "Share of prompts that a region constrains, by form"),
        seen,
        _table(("suite", *columns, "refused before"), suites),
        f"By form, as it was read, where there are {FEWEST} prompts at least:",
        _table(("form", *columns), forms),
    ]


def top_k(part: Part, shown: Shown) -> list[str]:
    """What the size of the neighbourhoods does."""
    name, rows = what(part), part["rows"]
    few = [str(row["top_k"]) for row in rows if sign(row["minus_off"]["answered"]) < 0]
    lost = f"At top_k {_listed(few)} fewer" if few else "At no size fewer"
    seen = (
        f"{lost} prompts are answered than by the free walk. Such a walk has words to stand on, none of which "
        f"grounds what is asked, and is refused as `ungrounded`; {sum(row['exhausted'] for row in rows)} walks "
        f"are exhausted. A fit asks for related words among the {NEIGHBOURS} nearest, a word counted as its "
        "own first, so that regions of that size hold what the fit has seen. The walk is asked for "
        f"{part[name]} {name}."
    )
    headings = (
        *("top_k", "words", "answered, %", f"{name} in 8 steps, %", "in 16", "in 32"),
        *("in 8, minus free", "surface changed, %", "grounded, %"),
    )
    return [
        shown("top_k", "Answers, early words and changed surfaces by top_k; size of the region"),
        seen,
        _table(
            headings, [_size("free", part["off"], name), *(_size(row["top_k"], row, name) for row in rows)]
        ),
    ]


def _size(label: Any, row: Part, name: str) -> tuple[Any, ...]:
    on = "minus_off" in row
    return (
        label,
        _number(row["region"]),
        percent(row["answered"]["mean"]),
        *(percent(row[f"{name}_within"][steps]) for steps in ("8", "16", "32")),
        gap(row["minus_off"][name]) if on else "",
        _bare(row["changed"]) if on else "",
        percent(row["grounded"]["mean"]),
    )


def overlap(part: Part, shown: Shown) -> list[str]:
    """Where the region and the free walk are."""
    wanted, far, aside = part["wanted"], part["distance"], part["from_anchors"]["wanted"]
    followed = (
        "The free walk is followed past the end of its turn, over the "
        f"{part['open_words']} words that it may stand on. Words of the region among its first n:"
    )
    common = [
        (
            steps,
            _number(row["shared"], 2),
            _number(row["chance"], 2),
            _number(part["random"][steps]["shared"], 2),
            _bare(row["none"]),
            percent(row["none_by_chance"]),
            percent(row["reached"]),
        )
        for steps, row in part["region"].items()
    ]
    places = (
        "Chance is a region of the same size from the same words (hypergeometric); the random region is one "
        f"draw of it. A walk starts at the centroid of the prompt's words. In {percent(far['holds_nearest'])} "
        "% of the prompts the word nearest to it is in the region. In the median the nearest word lies at "
        f"{_number(far['nearest'], 3)}, the nearest of the region at {_number(far['nearest_of_region'], 3)}, "
        f"its farthest at {_number(far['farthest_of_region'], 3)}, the pack's middle word at "
        f"{_number(far['middle'], 3)} (curvature -1). By what places the prompt:"
    )
    placing = [
        (
            name,
            group["n"],
            _bare(group["none"]),
            *(percent(group[f"within_{arm}"]) for arm in ("free", "from_anchors", "inside")),
        )
        for name, group in part["placing"].items()
    ]
    strange = [
        f"{name} ({percent(group['none']['mean'])} % of {group['n']})"
        for name, group in part["forms"].items()
        if group["n"] >= FEWEST and group["none"]["mean"] >= STRANGE
    ]
    met = (
        f"Of {wanted['slots']} open slots {percent(wanted['in_region'])} % have a word in the region that "
        "would ground them. In the median the free walk meets it at step "
        f"{_number(wanted['free']['median'], 0)}, started from the anchors at step "
        f"{_number(aside['median'], 0)}, the walk in the region at step "
        f"{_number(wanted['inside']['median'], 0)}. The region has it met later, or never, in "
        f"{percent(wanted['later_inside'])} % of the slots."
    )
    return [
        shown(
            "overlap", "How often the n-th free word lies in the region; strangers by what places the prompt"
        ),
        followed,
        _table(
            (
                *("n", "in common", "by chance", "random region", "none in common, %"),
                *("by chance, %", "of the region, %"),
            ),
            common,
        ),
        places,
        _table(
            (
                *("placed by", "prompts", "strangers, %", "slots in 8, free, %"),
                *("free from the anchors, %", "in the region, %"),
            ),
            placing,
        ),
        f"Forms of which {percent(STRANGE)} % or more are strangers: {'; '.join(strange)}."
        if strange
        else "",
        shown("wanted", "By which step a walk has met a word that grounds the slot"),
        met,
    ]


def exhaustion(part: Part, shown: Shown) -> list[str]:
    """Why a walk would be left without a word."""
    regions, told = part["regions"], part["published"]
    blocked = regions["blocked"]
    seen = (
        "An anchor is always its own nearest word, so a region is never empty by itself. Of the "
        f"{regions['n']} regions {regions['emptied']} are emptied by stop words, status and language together; "
        f"the smallest keeps {regions['least_open']} words. {percent(blocked['stop_word'])} % of a region's "
        f"words are stop words, {percent(blocked['status'])} % not reviewed, {percent(blocked['language'])} % "
        "of another language. What it takes:"
    )
    rows = [
        *((f"salience from {row['salience']}", row) for row in part["salience"]),
        *((f"inner loop, {row['mode']} {row['at']}", row) for row in part["inner_loop"]),
    ]
    published = (
        f"The system that ADR-0047 describes exhausted {told['exhausted']} of {told['turns']} turns once its region "
        f"reached its walk, with top_k {told['top_k']} of {told['words']} words. If region and pool had nothing to do "
        f"with one another, turn by turn, that would happen with a chance of {percent(told['odds'])} % or more only "
        f"to a pool of {told['most_pool']} words or fewer; a pool of 4 gives {percent(told['misses']['4'])} %. So the "
        "pool was next to empty, or the two were kept apart. In it a word was its own nearest for "
        f"{told['own_nearest']} of {told['words']}: a region did not even hold its anchors. What is published does not "
        "tell the two grounds apart."
    )
    here = (
        f"Here the filters empty {regions['emptied']} regions of {regions['n']}, and those walks are exhausted."
        if regions["emptied"]
        else "Here neither holds: a walk fails by finding nothing that grounds the answer, not by finding no word."
    )
    return [
        seen,
        _table(
            (
                *("filter", "exhausted in the region, %", "exhausted free, %"),
                *("answered in the region, %", "answered free, %"),
            ),
            [
                (
                    label,
                    *(_bare(row[arm]["exhausted"]) for arm in ("on", "off")),
                    *(percent(row[arm]["answered"]) for arm in ("on", "off")),
                )
                for label, row in rows
            ],
        ),
        f"{published} {here}",
    ]


def lift(part: Part, shown: Shown) -> list[str]:
    """What the region gives over none and over random ones."""
    name, gaps = part["what"], part["differences"]
    weak = [key for key, group in part["categories"].items() if sign(group["on-off"]) <= 0]
    seen = (
        f"Of {len(part['categories'])} categories the lift over the free walk shows in "
        f"{len(part['categories']) - len(weak)}" + (f"; not in {_listed(weak)}." if weak else ".")
    )
    rows = [
        (
            ARMS[arm],
            _bare(row[name]),
            percent(row["answered"]["mean"]),
            _number(row["length"]),
            *("" if arm == "on" else gap(gaps[f"on-{arm}"][key]) for key in (name, "answered")),
        )
        for arm, row in part["arms"].items()
    ]
    few = part["few"]
    return [
        shown("lift", f"What the walk met within {few} steps, by category and arm"),
        seen,
        _table(
            (
                *("arm", f"{name} in {few} steps, %", "answered, %", "steps a walk"),
                *("the region, minus it", "answered, minus it"),
            ),
            rows,
        ),
    ]


def held_out(part: Part, shown: Shown) -> list[str]:
    """What the region does to relations that no fit has seen."""
    constraint, sizes = part["constraint"], part["sizes"]
    unseen = sizes["held_out"]["rows"]
    kept = [row["top_k"] for row in unseen if sign(row["minus_off"]["said"]) >= 0]
    ends = (
        f"From top_k {min(kept)} on as many of them are said as free."
        if kept
        else f"At no size up to {unseen[-1]['top_k']} are as many of them said as free."
    )
    over = constraint["held_out"]["differences"]["on-null_domain"]["within_few"]
    seen = (
        f"The {constraint['prompts']} prompts of `core eval constraint` name a subject and a relation and ask "
        f"for the objects. Relations shaped the points, so the same is asked in {constraint['folds']} refits, "
        f"each without its share of the related pairs. {ends} At top_k {constraint['run']['config']['top_k']} "
        "the region minus a random one from the subject's domains, in held-out objects met within 8 steps, is "
        f"{gap(over)}."
    )
    rows = [
        ("free", "", *(cell for one in sizes.values() for cell in _relations(one["off"])), ""),
        *(
            (
                row["top_k"],
                _number(row["region"]),
                *_relations(row),
                *_relations(other),
                percent(other["in_domain"]),
            )
            for row, other in zip(sizes["seen"]["rows"], unseen, strict=True)
        ),
    ]
    return [
        shown("held_out", "Relations said, and met within 8 steps: seen by the fit and held out of it"),
        seen,
        _table(
            (
                *("top_k", "words", "seen: said, %", "minus free", "in 8 steps, %"),
                *("held out: said, %", "minus free", "in 8 steps, %", "domain region holds, %"),
            ),
            rows,
        ),
    ]


def _relations(row: Part) -> tuple[str, str, str]:
    difference = gap(row["minus_off"]["said"]) if "minus_off" in row else ""
    return percent(row["said"]["mean"]), difference, percent(row["within"]["mean"])


def losses(part: Part, shown: Shown) -> list[str]:
    """What each part of the fit is for."""
    rows = part["rows"]
    name = "terms" if rows[0]["on"]["terms"]["n"] else "slots"
    needed = [row["name"] for row in rows[1:] if sign(row["minus_built"][name]) < 0]
    spared = [row["name"] for row in rows[1:] if row["name"] not in needed]
    seen = (
        "The points are fitted again without one class of pairs or one term of the loss, and for a floor dealt to "
        "the words at random. "
        + (f"The walk in the region meets less with {_listed(needed)}. " if needed else "")
        + (f"It is not told from the pack's own with {_listed(spared)}. " if spared else "")
        + "The relations asked for are those that the fit was given."
    )
    headings = (
        *(
            "geometry",
            "neighbours of one domain, %",
            "related words near, %",
            f"{name} in 8 steps, region, %",
        ),
        *(
            "minus as built",
            "free, %",
            "slots with a word in the region, %",
            "strangers, %",
            "answered in the region, %",
        ),
    )
    table = [
        (
            row["name"],
            percent(row["common_domain"]),
            percent(row["related"]),
            _bare(row["on"][name]),
            "" if row is rows[0] else gap(row["minus_built"][name]),
            _bare(row["off"][name]),
            percent(row["in_region"]),
            percent(row["none"]),
            percent(row["on"]["answered"]["mean"]),
        )
        for row in rows
    ]
    return [
        shown("losses", "Neighbours and walks in geometries that lack a part of the fit"),
        seen,
        _table(headings, table),
        f"Near is among the nearest eight. By chance {percent(part['chance'])} % of them share a domain.",
    ]


def _table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


def _bare(value: Part) -> str:
    """A share with its interval, under a heading that gives its unit."""
    return said(value).replace(" %", "")


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
