"""Least general generalisation of taught examples: slots, gaps, markers, defaults of every shape.

Examples of one signature give a shape. What belongs to a slot wherever it stands, or to the clause and not to one
shape of it, is generalised over all shapes: how a slot is filled, what the verb group says, which markers and
determiners stand at the ends of the clause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from recognition._phrases import phrases as ends_of
from recognition._recognizer import (
    Default,
    Item,
    Marker,
    Pattern,
    Slot,
    TaughtExample,
    TeachingError,
    canonical_json,
)
from recognition._rules import Read, Rules, read_example
from recognition._shape import Row, Shape
from recognition._terms import Morph, determiner_class, english, is_head, is_nominal, noun_lemmas, same_value
from recognition.outcome import JSONValue

__all__ = ["LONGEST", "generalize"]

# The most words of a noun phrase, once phrases of more than one are taught.
LONGEST = 8

# A place under the name it has in all shapes: its kind, and for a gap what it is between and how a row names a marker.
_Scope = tuple[str | None, ...]
_Evidence = tuple[Read, JSONValue, tuple[Morph, ...], _Scope]
_Scoped = tuple[tuple[_Scope, Marker], ...]


def _joints(keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words between the noun phrases that a filling is made of; None for a filling that isn't."""
    found: list[str] = []
    for index, key in enumerate(keys):
        if is_nominal(key):
            continue
        inside = 0 < index < len(keys) - 1
        if not inside or not is_head(keys[index - 1]) or not is_nominal(keys[index + 1]):
            return None
        found.append(key)
    return tuple(found) if is_head(keys[-1]) else None


def _slot(shapes: Sequence[Shape], feature: str, rules: Rules) -> Slot:
    """A slot as all shapes that have it teach it."""
    holding = [shape for shape in shapes if feature in shape.slots]
    rule = rules.rule[feature]
    values = [read.value(feature) for shape in holding for read in shape.reads]
    filled = [keys for shape in holding for keys in shape.fillings(feature)]
    joints = [_joints(keys) for keys in filled]
    phrases = {" ".join(keys) for keys, inside in zip(filled, joints, strict=True) if inside is None}
    words, most = rule in ("text", "noun"), max(map(len, filled))
    measured, measures = _measures(holding, feature) if rule == "text" else (set(), ())
    led, leads = _leads(filled) if rule == "text" else (set(), ())
    phrases -= {" ".join(keys) for keys in (*measured, *led)}
    slot = Slot(
        feature,
        rule,
        (values[0],) if all(same_value(value, values[0]) for value in values) else (),
        1 if most == 1 else max(LONGEST, most),
        tuple(sorted(phrases)) if words else (),
        measures,
        leads,
        tuple(sorted({key for inside in joints for key in inside or ()})) if words else (),
        any(is_nominal(key) for keys in filled if keys not in measured for key in keys) if words else True,
        rules.others[feature],
    )
    return replace(slot, phrases=_listed(holding, slot)) if words else slot


def _measures(shapes: Sequence[Shape], feature: str) -> tuple[set[tuple[str, ...]], tuple[str, ...]]:
    """The fillings that begin with a number, and what follows it in them: the least that all of them share.

    That is the same words, or any noun where different nouns were taught. One filling alone is read as it is.
    """
    after: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for shape in shapes:
        for read in shape.reads:
            start, end = shape.spans(read)[shape.slots.index(feature)]
            keys = read.sentence.keys
            for numeral in read.sentence.numerals:
                if numeral.start == start and numeral.end < end and numeral.value is not None:
                    after.setdefault(keys[numeral.end : end], set()).add(keys[start:end])
    filled = set().union(*after.values())
    if len(filled) < 2:
        return set(), ()
    lemmas = {noun_lemmas(rest[0]) for rest in after if len(rest) == 1 and is_head(rest[0])}
    if len(lemmas) > 1 and all(len(rest) == 1 and is_head(rest[0]) for rest in after):
        return filled, ("*",)
    firm = {rest for rest, of in after.items() if len(of) > 1}
    return set().union(*(after[rest] for rest in firm)), tuple(sorted(" ".join(rest) for rest in firm))


def _leads(filled: Sequence[tuple[str, ...]]) -> tuple[set[tuple[str, ...]], tuple[str, ...]]:
    """The fillings that are a determiner and a noun phrase, and their determiners; none where only one was taught."""
    led = {keys for keys in filled if len(keys) > 1 and determiner_class(keys[0]) and _joints(keys[1:]) == ()}
    if len(led) < 2:
        return set(), ()
    return led, tuple(sorted({keys[0] for keys in led}))


def _listed(shapes: Sequence[Shape], slot: Slot) -> tuple[str, ...]:
    """The phrases of a slot, and what else was taught that is read as no noun phrase: `room 5B`."""
    found = set(slot.phrases)
    for shape in shapes:
        for read in shape.reads:
            start, end = shape.spans(read)[shape.slots.index(slot.feature)]
            if end not in ends_of(read.sentence, start, slot):
                found.add(" ".join(read.sentence.keys[start:end]))
    return tuple(sorted(found))


def _crossed(rows: set[Row]) -> set[Row]:
    """Rows before a slot, each with every determiner that any of them ends in: it belongs to what follows."""
    ends = {row[-1:] if row and row[-1][0] == "class" else () for row in rows}
    stems = {row[:-1] if row and row[-1][0] == "class" else row for row in rows}
    return {stem + end for stem in stems for end in ends}


def _shareable(item: Item, gap: int, last: int) -> bool:
    kind, name = item
    if kind == "mark":
        return gap in (0, last)
    if kind == "class":
        return gap < last
    return 0 < gap < last and (name == "," or name in english("conjunction"))


def _open(shape: Shape, gap: int, rows: set[Row]) -> set[Row]:
    """The rows that other shapes can share: determiners, what joins two slots, at the ends of the clause markers."""
    last = len(shape.slots)
    if shape.in_group(gap):
        return set()
    return {row for row in rows if all(_shareable(item, gap, last) for item in row)}


def _gaps(shapes: Sequence[Shape]) -> Iterator[tuple[tuple[Row, ...], ...]]:
    """For each shape the rows of its gaps: its own, and those that gaps between the same slots share."""
    shared: dict[tuple[str | None, str | None], set[Row]] = {}
    for shape in shapes:
        for gap in range(len(shape.slots) + 1):
            shared.setdefault(shape.between(gap), set()).update(_open(shape, gap, shape.rows(gap)))
    for shape in shapes:
        gaps: list[tuple[Row, ...]] = []
        for gap in range(len(shape.slots) + 1):
            rows = shape.rows(gap)
            if _open(shape, gap, rows):
                rows |= {
                    row
                    for row in shared[shape.between(gap)]
                    if not any(kind == "mark" and name in shape.slots for kind, name in row)
                }
            gaps.append(tuple(sorted(_crossed(rows) if gap < len(shape.slots) else rows)))
        yield tuple(gaps)


def _scope(shape: Shape, read: Read, word: int) -> _Scope:
    """Where a marker stands."""
    place = shape.place(read, word)
    kind, _, name = place.partition(":")
    if kind == "gap":
        return kind, *shape.between(int(name)), shape.marks(read)[word]
    return kind, name if kind == "slot" else shape.verb_slot


def _evidence(shape: Shape, feature: str) -> Iterator[_Evidence]:
    if feature in shape.slots:
        return
    for read in shape.reads:
        span = read.spans[feature]
        if span:
            parts = tuple(shape.morph(read, word) for word in range(*span))
            yield read, read.value(feature), parts, _scope(shape, read, span[0])


def _marker_terms(held: list[tuple[JSONValue, Morph]]) -> tuple[bool, bool]:
    """Whether the stem, and whether the inflection, of markers of one word says nothing about the value."""
    any_stem = any(
        a == b and type(a) is type(b) and m.inflection == n.inflection and m.inflection not in (None, "BASE")
        and m.stem != n.stem
        for a, m in held
        for b, n in held
    )  # fmt: skip
    any_inflection = any(
        a == b and type(a) is type(b) and m.stem == n.stem and m.inflection != n.inflection
        for a, m in held
        for b, n in held
    )
    return any_stem, any_inflection


def _markers(evidence: Sequence[_Evidence], feature: str, ways: tuple[bool, ...]) -> _Scoped:
    """The markers of a feature with their scopes, as yet without a place.

    Args:
        evidence: what was taught of the feature.
        feature: its name.
        ways: whether terms are loosened, in the order in which that is tried.

    Raises:
        TeachingError: one marker is taught with two values.
    """
    held = list(
        {
            canonical_json([v, p[0].stem, p[0].inflection]): (v, p[0])
            for _, v, p, _ in evidence
            if len(p) == 1
        }.values()
    )
    any_stem, any_inflection = _marker_terms(held)

    def terms(parts: tuple[Morph, ...], loose: bool) -> tuple[Morph, ...]:
        if len(parts) != 1 or not loose or any_stem == any_inflection:
            return parts
        part = parts[0]
        if any_stem:
            return parts if part.inflection in (None, "BASE") else (Morph(None, part.inflection),)
        return (Morph(part.stem, None),)

    clash: tuple[Read, Marker, JSONValue] | None = None
    for loose in ways:
        found: dict[str, tuple[_Scope, Marker]] = {}
        clash = None
        for read, value, parts, scope in evidence:
            marker = Marker(feature, value, terms(parts, loose), "")
            key = canonical_json([scope, [[p.stem, p.inflection] for p in marker.parts]])
            if key in found and not same_value(found[key][1].value, value):
                clash = (read, found[key][1], value)
            found[key] = scope, marker
        if clash is None:
            return tuple(found[key] for key in sorted(found))
    assert clash is not None
    read, marker, value = clash
    raise TeachingError(
        "contradiction",
        f"{read.example.text!r}: {feature}: {str(marker)!r} is taught as {marker.value!r} and as {value!r}",
    )


def _marked(shapes: Sequence[Shape], feature: str) -> list[_Scoped]:
    """The markers of a feature for each shape: one list for all, unless shapes disagree on a marker."""
    taught = [list(_evidence(shape, feature)) for shape in shapes]
    own = [_markers(evidence, feature, (True, False)) for evidence in taught]
    if len(shapes) == 1:
        return own
    try:
        return [_markers([item for items in taught for item in items], feature, (True,))] * len(shapes)
    except TeachingError:
        return own


def _placed(markers: _Scoped, shape: Shape, gaps: tuple[tuple[Row, ...], ...]) -> Iterator[Marker]:
    """The markers that have a place in a shape."""
    for (kind, *names), marker in markers:
        if kind == "slot" and names[0] in shape.slots:
            yield replace(marker, place=f"slot:{names[0]}")
        elif kind == "group" and names[0] == shape.verb_slot:
            yield replace(marker, place="group")
        elif kind == "gap":
            for gap, rows in enumerate(gaps):
                if shape.between(gap) == (names[0], names[1]) and any(
                    ("mark", names[2]) in row for row in rows
                ):
                    yield replace(marker, place=f"gap:{gap}")


def _default(shape: Shape, feature: str) -> tuple[Default, ...]:
    absent = [read for read in shape.reads if read.spans[feature] is None]
    for read in absent:
        if not same_value(read.value(feature), absent[0].value(feature)):
            raise TeachingError(
                "contradiction",
                f"{read.example.text!r}: {feature}: absent as {read.value(feature)!r}, and as "
                f"{absent[0].value(feature)!r} in {absent[0].example.text!r}",
            )
    return (Default(feature, absent[0].value(feature)),) if absent else ()


def generalize(held: Mapping[tuple[str, ...], Sequence[TaughtExample]], rules: Rules) -> tuple[Pattern, ...]:
    """The least general shape of each signature that all its examples have.

    Args:
        held: the examples by their signature.
        rules: by which the values of the slots follow.

    Raises:
        TeachingError: two examples disagree on what a marker, or its absence, says.
    """
    shapes = [Shape([read_example(e) for e in held[slots]], slots, rules.rule) for slots in sorted(held)]
    names = next(iter(held.values()))[0].bundle.names
    slots = {name: _slot(shapes, name, rules) for name in sorted({n for s in shapes for n in s.slots})}
    marked = {name: _marked(shapes, name) for name in names}
    found: list[Pattern] = []
    for number, (shape, gaps) in enumerate(zip(shapes, _gaps(shapes), strict=True)):
        kin = [other for other in shapes if other.verb_slot == shape.verb_slot]
        stems = [other.stems() for other in kin]
        others = [name for name in names if name not in shape.slots]
        found.append(
            Pattern(
                slots=tuple(slots[feature] for feature in shape.slots),
                gaps=gaps,
                verb=shape.verb,
                forms=tuple(sorted(set().union(*(other.forms() for other in kin)))),
                stems=(
                    tuple(sorted(set().union(*(before for before, _ in stems)))),
                    tuple(sorted(set().union(*(after for _, after in stems)))),
                ),
                markers=tuple(m for name in others for m in _placed(marked[name][number], shape, gaps)),
                defaults=tuple(default for name in others for default in _default(shape, name)),
            )
        )
    return tuple(found)
