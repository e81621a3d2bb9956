"""What follows from the figures: an answer to each question that ADR-0047 left open, and which default they ask for.

Nothing here is known beforehand: each statement is chosen by the figures, so another pack gets its own. A difference
counts where its interval leaves out zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cognition.config import RuntimeConfig
from experiments.harness import percent

Part = Mapping[str, Any]
MOSTLY = 0.5


def follows(report: Part) -> dict[str, Any]:
    """Judges the figures of `characterise`.

    Returns:
        ``default``: ``on``, ``off``, or ``open`` where it takes a part that was not measured; ``as_shipped``, whether
        that is what `RuntimeConfig` has (an open question leaves it as it is); ``because``, the grounds in sentences;
        ``answers``, one to each question, by its key; ``top_k``, see `sizes`.
    """
    default, because = _default(report)
    shipped = "on" if RuntimeConfig().forward_graph_constraint else "off"
    answers: dict[str, str] = {}
    if "overlap" in report:
        answers["overlap"] = f"Do the region and the walk overlap? {_overlap(report['overlap'])}"
        answers["which"] = f"For which prompts do they not? {_which(report['overlap'])}"
    if "top_k" in report:
        answers["top_k"] = f"What does top_k do? {_top_k(report['top_k'])}"
        answers["surface"] = f"Does the surface change? {_surface(report['top_k'])}"
    heading = _HEADINGS[default].format(shipped=shipped)
    answers["default"] = f"Which default follows? **{heading}** {' '.join(because)}"
    return {
        "default": default,
        "as_shipped": default in (shipped, "open"),
        "because": because,
        "answers": answers,
        "top_k": sizes(report["top_k"]["rows"], what(report["top_k"])) if "top_k" in report else None,
    }


_HEADINGS = {
    "on": "On; it ships {shipped}.",
    "off": "Off; it ships {shipped}.",
    "open": "None yet; it stays {shipped}.",
}


def what(part: Part) -> str:
    """What the walk is held to: the terms that cases expect, or where they expect none the turn's own open slots."""
    return "terms" if part["terms"] else "slots"


def said(value: Part) -> str:
    """A share with its interval."""
    if value["mean"] is None:
        return "undefined"
    return f"{percent(value['mean'])} % ({percent(value['low'])} to {percent(value['high'])})"


def gap(value: Part) -> str:
    """A difference of shares with its interval, in points."""
    if value["difference"] is None:
        return "undefined"
    middle, low, high = (100 * value[name] for name in ("difference", "low", "high"))
    return f"{middle:+.1f} points ({low:+.1f} to {high:+.1f})"


def sign(value: Part) -> int:
    """1 for a difference whose interval is above zero, -1 below, 0 where it is not told from none."""
    if value["difference"] is None:
        return 0
    return (value["low"] > 0) - (value["high"] < 0)


def sizes(rows: Sequence[Part], name: str) -> dict[str, int | None]:
    """What the sweep says of ``top_k``.

    Returns:
        ``loses_up_to``: the largest size at which answers are lost; ``best``: the size whose walks meet most within few
        steps, of those that lose no answer; ``gains_up_to``: the largest from there on that still meets more than the
        free walk.
    """
    losing = [row["top_k"] for row in rows if sign(row["minus_off"]["answered"]) < 0]
    safe = [row for row in rows if not losing or row["top_k"] > max(losing)]
    safe = [row for row in safe if row[name]["mean"] is not None]
    best = max(safe, key=lambda row: (row[name]["mean"], -row["top_k"]), default=None)
    gaining = None
    for row in safe:
        if best is not None and row["top_k"] >= best["top_k"]:
            if sign(row["minus_off"][name]) <= 0:
                break
            gaining = row["top_k"]
    return {
        "loses_up_to": max(losing, default=None),
        "best": None if best is None else best["top_k"],
        "gains_up_to": gaining,
    }


def row_at(rows: Sequence[Part], top_k: int) -> Part | None:
    """The row of one size; None where it was left out."""
    return next((row for row in rows if row["top_k"] == top_k), None)


def _default(report: Part) -> tuple[str, list[str]]:
    """On, if it gains early words and loses no answer, be the knowledge seen by the fit or not."""
    if "top_k" not in report:
        return "open", ["What the region gains and loses was not measured."]
    sweep = report["top_k"]
    row = row_at(sweep["rows"], sweep["default"])
    if row is None:
        return "open", [f"top_k {sweep['default']}, the default, was not among the sizes."]
    name = what(sweep)
    gains, loses = sign(row["minus_off"][name]) > 0, sign(row["minus_off"]["answered"]) < 0
    seen = (
        f"At top_k {row['top_k']} the walk comes by {'more' if gains else 'no more'} of {_WANTED[name]} within 8 "
        f"steps than free: {gap(row['minus_off'][name])}; "
        f"answered {_differs(row['minus_off']['answered'])}: {gap(row['minus_off']['answered'])}."
    )
    sizes_of = report["held_out"]["sizes"] if "held_out" in report else None
    unseen = row_at(sizes_of["held_out"]["rows"], row["top_k"]) if sizes_of is not None else None
    if sizes_of is None or unseen is None:
        missing = "What it does to knowledge that the fit has not seen was not measured, and decides."
        return ("off" if loses or not gains else "open"), [seen, missing]
    lost = sign(unseen["minus_off"]["said"]) < 0
    held_out = (
        f"Of relations held out of the fit it says {percent(unseen['said']['mean'])} %, free "
        f"{percent(sizes_of['held_out']['off']['said']['mean'])} %: {gap(unseen['minus_off']['said'])}."
    )
    because = [seen, held_out]
    if lost:
        because.append(
            "A default must not lose what is on record, such as a statement taught after the points were frozen."
        )
        if gains and not loses:
            because.append("For a pack fitted with all of its statements it is a setting to choose.")
    return ("on" if gains and not loses and not lost else "off"), because


_WANTED = {"terms": "the expected terms", "slots": "the open slots"}


def _differs(value: Part) -> str:
    return {1: "more than free", 0: "no different from free", -1: "less than free"}[sign(value)]


def _overlap(part: Part) -> str:
    few, curve = part["region"]["8"], part["curve"]
    share = 1 - few["none"]["mean"]
    told = few["none"]["high"] < few["none_by_chance"]
    first, later = curve[0], curve[min(7, len(curve) - 1)]
    heading = "They do overlap" if told and share > MOSTLY else "They hardly overlap"
    leaves = ", but the walk soon leaves" if later < first / 2 else ""
    return (
        f"**{heading}{leaves}.** The region and the free walk's first 8 words have a word in common in "
        f"{percent(share)} % of {part['prompts']} prompts ({percent(1 - few['none_by_chance'])} % by chance), "
        f"{few['shared']:.1f} words in the mean ({few['chance']:.1f} by chance). The walk's first word lies in "
        f"the region in {percent(first)} % of the prompts, its eighth in {percent(later)} % "
        f"({percent(part['curve_by_chance'])} % by chance): each step goes to what is nearest to the last word. "
        f"{percent(part['wanted']['in_region'])} % of the open slots have a word in the region that would "
        "ground them."
    )


def _which(part: Part) -> str:
    groups = {name: group["none"] for name, group in part["placing"].items()}
    worst = max(groups, key=lambda name: (groups[name]["mean"], name))
    least = min(groups, key=lambda name: (groups[name]["mean"], name))
    told = groups[worst]["low"] > groups[least]["high"]
    shares = ", ".join(f"{percent(value['mean'])} % for {name}" for name, value in groups.items())
    words = [
        f"**Least in prompts placed by {worst}.**" if told else "**No kind of prompt stands out.**",
        f"Prompts whose region and first 8 free words have none in common: {shares}.",
    ]
    aside, whole = part["from_anchors"]["none"], part["region"]["8"]["none"]
    if told and aside["high"] < whole["low"] and part["beside"]:
        beside = ", ".join(
            f"“{one['word']}” ({one['strangers']} of {one['prompts']})" for one in part["beside"]
        )
        words.append(
            "A walk starts in the middle of all the prompt's words that the pack knows, so a word that only "
            f"says what is asked for pulls it away from the anchors: {beside}. Started from the anchors alone, "
            f"{said(aside)} of all prompts would be strangers to their region, instead of {said(whole)}."
        )
    return " ".join(words)


def _top_k(part: Part) -> str:
    name = what(part)
    found = sizes(part["rows"], name)
    words: list[str] = []
    lost = None if found["loses_up_to"] is None else row_at(part["rows"], found["loses_up_to"])
    best = None if found["best"] is None else row_at(part["rows"], found["best"])
    last = part["rows"][-1]
    drifts = best is not None and last[name]["mean"] < best[name]["low"]
    heads = ["Small ones lose answers" if lost is not None else "None loses answers"]
    heads += ["large ones lose direction"] if drifts else []
    most = "" if best is None else f"; the walk comes by most at {best['top_k']}"
    words.append(f"**{', '.join(heads)}{most}.**")
    if lost is not None:
        words.append(
            f"Up to {lost['top_k']} the region leaves out what would ground the answer (answered, minus free, at "
            f"{lost['top_k']}: {gap(lost['minus_off']['answered'])})."
        )
    if best is not None:
        usual = best["minus_default"][name]
        told = {1: "more than", 0: "not told from", -1: "less than"}[sign(usual)]
        ships = f"; {told} the {part['default']} that ships, {gap(usual)}"
        words.append(
            f"At {best['top_k']} the walk comes by {said(best[name])} of {_WANTED[name]} within 8 steps, free "
            f"{said(part['off'][name])}{'' if best['top_k'] == part['default'] else ships}."
        )
    if best is not None and drifts:
        ending = "still more than free" if found["gains_up_to"] == last["top_k"] else "as free"
        words.append(
            f"In a larger region it drifts as the free walk does: {percent(last[name]['mean'])} % at "
            f"{last['top_k']}, {ending}."
        )
    exhausted = sum(row["exhausted"] for row in part["rows"])
    words.append(f"Walks exhausted at any size: {exhausted}.")
    return " ".join(words)


def _surface(part: Part) -> str:
    row = row_at(part["rows"], part["default"]) or part["rows"][0]
    changes = sign({"difference": row["changed"]["mean"], **row["changed"]}) > 0
    return (
        f"**{'It does' if changes else 'It hardly does'}.** At top_k {row['top_k']} the surface is another one "
        f"for {said(row['changed'])} of the prompts. Of the answers {percent(row['grounded']['mean'])} % are "
        f"grounded, free {percent(part['off']['grounded']['mean'])} %."
    )
