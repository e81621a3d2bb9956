"""Cases of the tests of recognition, and how outcomes are compared with them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from recognition import (
    DerivedRecognizer,
    RecognitionOutcome,
    derive_recognizer,
    example_from_record,
    read_examples,
)

DATA = Path(__file__).parent / "data"
PUBLISHED: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DATA / "published_recognition.jsonl").read_text(encoding="utf-8").splitlines()
]


@cache
def published(phase: str) -> DerivedRecognizer:
    taught = [row for row in PUBLISHED if (row["set"], row["role"]) == (phase, "teach")]
    return derive_recognizer(example_from_record(row) for row in taught)


@cache
def quantity() -> DerivedRecognizer:
    return derive_recognizer(read_examples((DATA / "teaching_quantity.jsonl").read_text(encoding="utf-8")))


BOOKING = """\
Room [12|room] is booked from [Monday|start] to [Friday|end] // polarity=positive
Room [7|room] is booked from [Tuesday|start] to [Sunday|end] // polarity=positive
Room [3|room] is[n't|polarity=negative] booked from [Sunday|start] to [Monday|end]
Room [40|room] is [not|polarity=negative] booked from [Friday|start] to [Saturday|end]
"""
PUMP = """\
The [pump|agent] [moves|relation=move, tense=present] [40|count] [litres|unit=litre] \
in [3|duration] [minutes|period=minute] // polarity=positive
A [robot|agent] [moved|relation=move, tense=past] [12|count] [boxes|unit=box] \
in [2|duration] [hours|period=hour] // polarity=positive
The [crane|agent] [lifts|relation=lift, tense=present] [5|count] [tons|unit=ton] \
in [9|duration] [seconds|period=second] // polarity=positive
The [belt|agent] [does|tense=present] [not|polarity=negative] [carry|relation=carry] [30|count] \
[bags|unit=bag] in [1|duration] [minute|period=minute]
"""
TRAIN = """\
The [express|train] leaves [Leeds|origin] for [York|goal] at [9|hour] // status=running
The [shuttle|train] leaves [Bath|origin] for [Bristol|goal] at [17|hour] // status=running
The [express|train] [never|status=stopped] leaves [Paris|origin] for [London|goal] at [six|hour=6]
The [sleeper|train] leaves [York|origin] for [Leeds|goal] at [22|hour] // status=running
"""
LAMP = """\
The [lamp|thing] is [red|state=stop]
The [signal|thing] is [green|state=go]
A [beacon|thing] is [amber|state=wait]
"""
ORDER = """\
[Move|action=move] [5|count] [boxes|unit=box] to [London|place]
[Send|action=send] [12|count] [crates|unit=crate] to [Leeds|place]
[Bring|action=bring] [1|count] [barrel|unit=barrel] to [York|place]
"""
STOCK = """\
The [shop|shop] is [out of|stock=none] [bread|item]
The [bakery|shop] is [low on|stock=little] [flour|item]
The [market|shop] is [full of|stock=much] [corn|item]
"""
OVEN = """\
The [oven|place] is at [200|value] [degrees|unit=degree] // trend=flat
The [room|place] is at [21|value] [degrees|unit=degree] and [rising|trend=up]
The [freezer|place] is at [minus 18|value] [degrees|unit=degree] and [falling|trend=down]
"""
PLURAL = """\
[John|agent] has [5|count] [apples|unit=apple, number=plural]
[Mary|agent] has [1|count] [book|unit=book, number=singular]
[Ann|agent] has [3|count] [knives|unit=knife, number=plural]
[Bob|agent] has [1|count] [loaf|unit=loaf, number=singular]
"""
GIVEN = """\
[5|count] [apples|unit=apple] were [given|relation=give] to [Mary|goal] by [John|agent] // polarity=positive
[3|count] [books|unit=book] were [sold|relation=sell] to [Ann|goal] by [Bob|agent] // polarity=positive
[2|count] [boxes|unit=box] were [not|polarity=negative] [sent|relation=send] to [York|goal] by [Eve|agent]
"""
FAMILIES = {"booking": BOOKING, "pump": PUMP, "train": TRAIN, "lamp": LAMP, "order": ORDER, "stock": STOCK}
FAMILIES |= {"oven": OVEN, "plural": PLURAL, "given": GIVEN}


@cache
def family(name: str) -> DerivedRecognizer:
    return derive_recognizer(read_examples(FAMILIES[name], name))


def reason(outcome: RecognitionOutcome) -> str:
    assert outcome.refusal_reason is not None, outcome.proposition
    return outcome.refusal_reason.code
