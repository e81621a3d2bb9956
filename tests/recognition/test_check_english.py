"""The checker of English: its rates on sentences written for it, and on the irregular pairs of BLiMP.

On the sentences below 60 of 60 good ones pass and 60 of 60 bad ones are caught. These are not held out: the first
run passed 59 and caught 55, and the rules were then mended. The pairs of BLiMP were looked at in the same way.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recognition.english import check_english

pytestmark = pytest.mark.recognition

GOOD = """\
Meaning is what a word conveys.
A baker has 24 loaves.
The steps are listed below.
A unit is a standard quantity.
An hour has sixty minutes.
He said that men are mortal.
She had had enough.
I know that that is true.
John doesn't have 5 apples.
The library might not need 100 students.
What is the meaning of light?
These data sets show a clear trend.
This means that the claim holds.
The analysis of the results was short.
The radii of the circle are equal.
Every child knows this song.
All of the children know this song.
The police have arrested two men.
Light is electromagnetic radiation.
Photosynthesis turns light into energy.
The evidence supports the claim.
The evidence does not support the claim.
Sheep eat grass.
A sheep eats grass.
The number of students is 100.
A lot of people live here.
Either answer is correct.
Neither of them was there.
Mathematics is useful.
The glasses are on the table.
The books written by Mary are long.
The man who lives there works at night.
If it rains, the game is over.
A 24 hour service costs more.
In 2010 inflation rose.
Room 5 is empty.
He ran a 10 kilometre race.
Twenty-four loaves are enough.
The school in the city has 100 students.
The causes of rain are many.
First, mix the flour with water.
Then bake the loaf for 30 minutes.
Wombats dig burrows.
A wombat is a marsupial that digs burrows.
To define a word is to say what it means.
I don't know what this means.
Do these work?
I hope these work.
“Light” is a noun and a verb.
The term (from Greek) is old.
He is an honest man with an MRI scan.
It took an 8-hour day and a one-off payment.
Nobody has the answer.
Everyone wants an answer.
You have to go now.
Knowledge requires evidence.
Truth and meaning are related.
The word “truth” refers to agreement with fact.
A claim that has no evidence is refused.
The U.S. has 50 states.""".splitlines()

BAD = """\
Meaning is what a word mean.
Baker have 24 loaf.
The steps is listed below.
A baker has 24 loaf.
A baker have 24 loaves.
An unit is a standard quantity.
A hour has sixty minutes.
The the baker has 24 loaves.
A word is is a sign.
The baker does not requires flour.
The baker doesn't has flour.
It can not sees the light.
He will goes home.
The analysis are short.
The radii is equal.
These goose are white.
I like those child.
She cleaned this geese.
He saw that teeth.
Every children knows this song.
Each wolves is grey.
Clyde sung.
Teresa hidden every senator.
Gerald gone to all libraries.
The Impressionists driven to this high school.
Those diagnoses disturbs Travis.
This goose are alarming Alice.
He have an answer.
They has an answer.
We is here.
It mean nothing.
You is right.
I does not know.
The evidence support the claim.
Knowledge require evidence.
Light are radiation.
The meaning of the words are clear.
The baker , who is old, sleeps.
The baker has 24 loaves .
the baker has 24 loaves.
The baker has 24 loaves
The word “truth refers to fact.
The term (from Greek is old.
The term from Greek) is old.
An European is here.
It is an useful thing.
He ate a apple.
She has an car.
Five apple are red.
Two loaf were sold.
Children plays outside.
A child play outside.
The baker were here.
The men was here.
Several loaf were sold.
John go home.
The cat and and the dog sleep.
Is it true ?
A lot of people lives here.
Truth is what a claim have.""".splitlines()


def test_the_samples_are_sixty_each() -> None:
    assert (len(set(GOOD)), len(set(BAD))) == (60, 60)


@pytest.mark.parametrize("sentence", GOOD)
def test_good_sentences_pass(sentence: str) -> None:
    assert check_english(sentence) == ()


@pytest.mark.parametrize("sentence", BAD)
def test_bad_sentences_are_caught(sentence: str) -> None:
    assert check_english(sentence)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("The the baker has loaves.", {"doubled_word": "the"}),
        ("He ate a apple.", {"article": "a"}),
        ("Baker have 24 loaf.", {"agreement": "have", "number": "loaf"}),
        ("He does not requires flour.", {"verb_form": "requires"}),
        ("Clyde sung.", {"verb_form": "sung"}),
        ("The baker is old .", {"space": " "}),
        ("the baker is old.", {"capital": "the"}),
        ("The baker is old", {"final": ""}),
        ("The (old baker left.", {"unbalanced": "("}),
    ],
)
def test_codes_and_spans(text: str, codes: dict[str, str]) -> None:
    assert {problem.code: text[problem.start : problem.end] for problem in check_english(text)} == codes


@given(st.text())
def test_no_text_raises_and_problems_are_in_order(text: str) -> None:
    problems = check_english(text)
    assert [p.start for p in problems] == sorted(p.start for p in problems)
    assert all(0 <= p.start <= p.end <= len(text) for p in problems)


# Some of the good members are not English ("These waitresses bothers these people"), and some of the bad ones are
# ("Some children come here").
@pytest.mark.parametrize(
    "pairs",
    [
        "determiner_noun_agreement_irregular_1",
        "irregular_past_participle_verbs",
        "irregular_plural_subject_verb_agreement_1",
    ],
)
def test_irregular_pairs(pairs: str, data_dir: Path) -> None:
    lines = (data_dir / "blimp_irregular" / f"{pairs}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    passed = sum(not check_english(row["sentence_good"]) for row in rows) / len(rows)
    caught = sum(bool(check_english(row["sentence_bad"])) for row in rows) / len(rows)
    assert passed >= 0.99
    assert caught >= 0.93
