"""Small families: new sentences are read, and whatever hedges, denies or adds is refused, wherever it stands."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from recognition import DerivedRecognizer, derive_recognizer, read_examples, recognize

pytestmark = pytest.mark.recognition

FAMILIES = {
    "flight": """\
Flight [BA117|flight] departs from [London|origin] at [9|hour] // status=scheduled
Flight [LH400|flight] departs from [Frankfurt|origin] at [14|hour] // status=scheduled
Flight [AF22|flight] [does not|status=cancelled] depart from [Paris|origin] at [seven|hour]
Flight [KL9|flight] departs from [New York|origin] at [22|hour] // status=scheduled""",
    "prescription": """\
// order=yes
[Take|action=take] [two|dose] [tablets|form=tablet] every [6|interval] [hours|period=hour]
[Take|action=take] [1|dose] [capsule|form=capsule] every [12|interval] [hours|period=hour]
[Drink|action=drink] [three|dose] [spoons of syrup|form=spoon of syrup] every [2|interval] [days|period=day]
[Do not|order=no] [take|action=take] [4|dose] [tablets|form=tablet] every [8|interval] [hours|period=hour]""",
    "contract": """\
// polarity=positive
The [tenant|party] [shall|force=must] pay [500|sum] [dollars|currency=dollar] within [30|limit] [days|unit=day]
The [buyer|party] [shall|force=must] pay [1,200|sum] [euros|currency=euro] within [two|limit] [weeks|unit=week]
A [seller|party] [may|force=can] pay [90|sum] [pounds|currency=pound] within [6|limit] [months|unit=month]
The [guest house owner|party] [shall|force=must] [not|polarity=negative] pay [75|sum] [dollars|currency=dollar] \
within [10|limit] [days|unit=day]""",
    "price": """\
A [loaf|item] costs [3|price] [dollars|currency=dollar] // tense=present
The [lamp|item] costs [45|price] [euros|currency=euro] // tense=present
The [red bike|item] [cost|tense=past] [199.99|price] [pounds|currency=pound]
A [ticket|item] [cost|tense=past] [twelve|price] [francs|currency=franc]""",
    "address": """\
[Maria|person] lives at [12|number] [Oak Street|street] in [Boston|city]
[John|person] lives at [7|number] [Hill Road|street] in [Leeds|city]
My [uncle|person] lives at [240|number] [Park Avenue|street] in [New York|city]""",
    "meeting": """\
// polarity=positive
The [board|group] [meets|tense=present] on [Monday|day] at [10|hour]
The [choir|group] [meets|tense=present] on [Friday|day] at [seven|hour]
A [book club|group] [met|tense=past] on [Tuesday|day] at [18|hour]
The [staff|group] [did|tense=past] [not|polarity=negative] meet on [Sunday|day] at [9|hour]
The [team|group] [will|tense=future] meet on [Thursday|day] at [8|hour]""",
    "temperature": """\
The [water|thing] is [20|value] degrees [warm|trend]
The [soup|thing] is [75|value] degrees [hot|trend]
The [ice cream|thing] is [minus 5|value] degrees [cold|trend]""",
    "score": """\
[Arsenal|home] beat [Chelsea|away] [3|goals] to [1|against] // result=win
[Leeds|home] beat [Bath City|away] [2|goals] to [0|against] // result=win
[Real Madrid|home] [lost to|result=loss] [Ajax|away] [1|goals] to [4|against]""",
    "there": """\
// polarity=positive
There [are|tense=present] [12|count] [chairs|unit=chair] in the [hall|place]
There [are|tense=present] [3|count] [old lamps|unit=old lamp] in the [attic|place]
There [were|tense=past] [forty|count] [boats|unit=boat] in the [bay|place]
There [are|tense=present][n't|polarity=negative] [7|count] [keys|unit=key] in the [drawer|place]""",
    "size": """\
The [wall|thing] is [3|value] [metres|unit=metre] [high|axis=height]
The [river|thing] is [40|value] [kilometres|unit=kilometre] [long|axis=length]
A [plank|thing] is [12|value] [inches|unit=inch] [wide|axis=width]
The [old well|thing] is [9.5|value] [feet|unit=foot] [deep|axis=depth]""",
    "fever": """\
The [patient|who] [has|state=present] a [fever|sign]
The [child|who] [has|state=present] a [rash|sign]
A [woman|who] [has no|state=absent] [cough|sign]
The [old man|who] [has no|state=absent] [pain|sign]""",
    "clock": """\
The [council|group] meets at [10:30|time] in [room 5B|place]
The [choir|group] meets at [9:15|time] in [Leeds|place]
The [old band|group] meets at [7pm|time] in [New York|place]""",
    "prefer": """\
// polarity=positive
[Ann|who] [prefers|verb=prefer] [tea|one] to [coffee|other]
[Bob|who] [likes|verb=like] [cats|one] better than [dogs|other]
The [boys|who] [prefer|verb=prefer] [red wine|one] to [cold beer|other]
[Eve|who] [does not|polarity=negative] [prefer|verb=prefer] [jazz|one] to [opera|other]""",
}


@cache
def family(name: str) -> DerivedRecognizer:
    return derive_recognizer(read_examples(FAMILIES[name], name))


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        (
            "flight",
            "Flight UA8 departs from San Marino at 11",
            {"flight": "UA8", "origin": "San Marino", "hour": 11},
        ),
        ("flight", "Flight UA8 does not depart from Rome at 11.", {"status": "cancelled"}),
        (
            "prescription",
            "Swallow five glasses of water every two weeks",
            {"action": "swallow", "interval": 2},
        ),
        ("prescription", "Don't drink 3 cups of tea every 6 hours", {"order": "no", "form": "cup of tea"}),
        ("contract", "A bank may pay 1,000 francs within three weeks", {"force": "can", "sum": 1000}),
        ("contract", "The city council shall not pay 12 crowns within 90 minutes", {"polarity": "negative"}),
        (
            "price",
            "The green sofa cost 499.50 euros",
            {"item": "green sofa", "price": 499.5, "tense": "past"},
        ),
        (
            "address",
            "Her sister lives at 88 Mill Lane in San Diego",
            {"street": "Mill Lane", "city": "San Diego"},
        ),
        ("meeting", "The chess club didn't meet on Monday at 4", {"tense": "past", "polarity": "negative"}),
        ("temperature", "The lake is -2 degrees cold.", {"value": -2}),
        ("score", "York lost to Bath City 1 to 3", {"result": "loss", "away": "Bath City"}),
        ("there", "There weren't two dozen red boxes in the van.", {"count": 24, "polarity": "negative"}),
        ("size", "A shelf is thirty inches wide.", {"unit": "inch", "axis": "width"}),
        ("fever", "The boy has no fever", {"state": "absent", "sign": "fever"}),
        ("clock", "The 3rd club meets at 11:45pm in Bath", {"group": "3rd club", "time": "11:45pm"}),
        ("prefer", "Tom doesn't like rain better than snow", {"polarity": "negative", "verb": "like"}),
    ],
)
def test_new_sentences_are_read(name: str, text: str, values: dict[str, Any]) -> None:
    outcome = recognize(family(name), text)
    assert outcome.proposition is not None, outcome.refusal_reason
    assert outcome.proposition.values | values == outcome.proposition.values


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("flight", "Flight UA8 departed from Rome at 11"),
        ("flight", "Flight UA8 departs from Rome at 11, not 12"),
        ("flight", "Does flight UA8 depart from Rome at 11?"),
        ("prescription", "Took two tablets every 6 hours"),
        ("prescription", "Take two tablets every 6 to 8 hours"),
        ("contract", "The tenant pays 500 dollars within 30 days"),
        ("contract", "The tenant shall pay 500 dollars after 30 days"),
        ("price", "The books cost 20 dollars"),
        ("price", "The kettle costs 20 dollars and 50 cents"),
        ("address", "Eve lived at 5 Mill Lane in Bath"),
        ("address", "Eve and Bob live at 5 Mill Lane in Bath"),
        ("meeting", "The council meets on Monday and Friday at 11"),
        ("meeting", "The council has met on Monday at 11"),
        ("temperature", "The tea was 60 degrees hot"),
        ("temperature", "The tea is - 60 degrees hot"),
        ("score", "York drew with Hull 2 to 2"),
        ("there", "There will be 3 dogs in the yard"),
        ("size", "The fence is 2 yards thick"),
        ("fever", "The nurse had a cough"),
        ("clock", "The club meets at 5-7 in Bath"),
        ("clock", "The club meets at 11:45 in Bath 7pm"),
        ("clock", "The club meets at 11:45 12:30 in Bath"),
        ("prefer", "Tom preferred rain to snow"),
    ],
)
def test_other_sentences_are_refused(name: str, text: str) -> None:
    assert not recognize(family(name), text).admitted


# None of these was taught, and none leaves what a sentence says as it is.
ADDED = (
    "never|maybe|almost|about|at least|at most|no longer|hardly|nearly|up to|more than|fewer than|allegedly|except|"
    "unless asked|if it rains|would|used to|without|nobody|either|each|every|half of|alleged|fake|former|pseudo|"
    "or 7|and 7|but|instead|said that|it is false that|denied|refused|gone|missing|circa|?|(|than|other|another"
).split("|")


@pytest.mark.parametrize("name", FAMILIES)
def test_added_words_are_never_lost(name: str) -> None:
    recognizer = family(name)
    for example in recognizer.examples:
        words = example.text.split()
        for place in range(len(words) + 1):
            for added in ADDED:
                text = " ".join([*words[:place], added, *words[place:]])
                assert not recognize(recognizer, text).admitted, text


@pytest.mark.parametrize("name", FAMILIES)
def test_left_out_sentences_are_never_read_wrong(name: str) -> None:
    examples = family(name).examples
    for index, held_out in enumerate(examples):
        recognizer = derive_recognizer([*examples[:index], *examples[index + 1 :]])
        got = recognize(recognizer, held_out.tokens).proposition
        assert got is None or (got.values, got.spans) == (held_out.bundle.values, held_out.bundle.spans)
