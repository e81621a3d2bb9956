"""`core teach` and `core recognize`: files in, JSON lines out, one line for what can't be used."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from experiments import cli
from recognition import derive_recognizer, example_from_record, read_examples, recognizer_from_json, tokenize
from tests.recognition.helpers import DATA, FAMILIES

pytestmark = [pytest.mark.recognition, pytest.mark.runtime]

HAS = """\
# who has how many of what
[John|agent] [has|relation=have, tense=present] [5|count] [apples|unit=apple] // polarity=positive
A [school|agent] [has|relation=have, tense=present] [100|count] [students|unit=student] // polarity=positive
The [library|agent] [had|relation=have, tense=past] [12|count] [chairs|unit=chair] // polarity=positive
[Mary|agent] [has|relation=have, tense=present][n't|polarity=negative] [3|count] [books|unit=book]
"""
KEYS = ["input", "state", "proposition", "evidence", "refusal"]
REFUSAL_KEYS = ["layer", "code", "feature", "token", "nearest"]


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Stdin(io.TextIOWrapper):
    def __init__(self, raw: bytes) -> None:
        super().__init__(io.BytesIO(raw), encoding="utf-8")


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def run(*arguments: object, stdin: str | bytes = "") -> Done:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["core", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", Stdin(raw))
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run


@pytest.fixture
def has(tmp_path: Path, core: Callable[..., Done]) -> Path:
    (tmp_path / "has.txt").write_text(HAS)
    done = core("teach", tmp_path / "has.txt", "-o", tmp_path / "has.json")
    assert (done.code, done.err) == (0, "")
    return tmp_path / "has.json"


@pytest.mark.smoke
def test_teaching_writes_what_the_library_derives_and_tells_it(
    tmp_path: Path, core: Callable[..., Done]
) -> None:
    (tmp_path / "has.txt").write_text(HAS)
    done = core("teach", tmp_path / "has.txt", "-o", tmp_path / "has.json")
    assert (done.code, done.err) == (0, "")
    written = (tmp_path / "has.json").read_text()
    assert recognizer_from_json(written) == derive_recognizer(read_examples(HAS))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["has.json", "has.txt"]
    lines = done.out.splitlines()
    assert lines[0].startswith("4 examples, 1 shape, 6 features; teaching set ")
    for line in (
        "  count     the number that the words say",
        '  relation  the lemma of the verb; only "have"',
        '  polarity  "negative" <- not in the verb group',
        '            "positive" by default, where the whole sentence has no marker of another value',
        '  polarity="negative": taught by one example, "Mary hasn\'t 3 books"',
    ):
        assert line in lines
    assert core("teach", tmp_path / "has.txt", "-o", tmp_path / "again.json").code == 0
    assert (tmp_path / "again.json").read_text() == written


def test_without_out_nothing_is_written_and_json_lines_are_read(core: Callable[..., Done]) -> None:
    done = core("teach", "-", stdin=(DATA / "teaching_quantity.jsonl").read_text())
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("10 examples, 1 shape, 7 features")
    assert (
        "  modality=\"possible\" <- may: taught by one example, 'The farmer may have 40 sheep'\n" in done.out
    )
    assert done.out.endswith("not written: no --out\n")


def test_rules_that_fit_alike_are_told(core: Callable[..., Done]) -> None:
    done = core(
        "teach", "-", stdin="The [farmer|a] keeps [40|n] [sheep|u]\nThe [hunter|a] keeps [3|n] [deer|u]\n"
    )
    assert "  u: read as the lemma of the noun; the words as written fits as well" in done.out


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_is_told(name: str, core: Callable[..., Done]) -> None:
    done = core("teach", "-", stdin=FAMILIES[name])
    assert (done.code, done.err) == (0, "")


def test_a_parent_is_taught_on(tmp_path: Path, has: Path, core: Callable[..., Done]) -> None:
    more = (
        "[Ann|agent] [never|polarity=negative] [had|relation=have, tense=past] [6|count] [boxes|unit=box]\n"
    )
    done = core("teach", "-", "--parent", has, "-o", tmp_path / "more.json", stdin=more)
    assert (done.code, done.err) == (0, "")
    grown, old = (recognizer_from_json(path.read_text()) for path in (tmp_path / "more.json", has))
    assert grown.parents == (old.teaching_set_id,)
    assert len(grown.examples) == 5
    text = "The clerk never had 8 desks"
    assert [
        core("recognize", "-r", path, stdin=text).lines[0]["state"] for path in (has, tmp_path / "more.json")
    ] == [
        "undetermined",
        "evidenced",
    ]


def test_the_ancestry_is_told(tmp_path: Path, has: Path, core: Callable[..., Done]) -> None:
    more = tmp_path / "more.json"
    taught = (
        "[Ann|agent] [never|polarity=negative] [had|relation=have, tense=past] [6|count] [hats|unit=hat]\n"
    )
    old = recognizer_from_json(has.read_text()).teaching_set_id
    for command in (
        core("teach", "-", "--parent", has, "-o", more, stdin=taught),
        core("recognize", "-r", more, "--show"),
    ):
        assert (command.code, command.err) == (0, "")
        first, second, third = command.out.splitlines()[:3]
        grown = recognizer_from_json(more.read_text()).teaching_set_id
        assert first == f"5 examples, 1 shape, 6 features; teaching set {grown[:12]}"
        assert second == f"grown from {old[:12]}"
        assert third.startswith("shape ")
    # Each version names all that came before it, oldest first.
    last = tmp_path / "last.json"
    core("teach", "-", "--parent", more, "-o", last, stdin=taught.replace("Ann", "Bob"))
    shown = core("recognize", "-r", last, "-r", has, "--show").out.splitlines()
    assert f"grown from {old[:12]}, {grown[:12]}" in shown
    assert sum(line.startswith("grown from") for line in shown) == 1
    assert sum("; teaching set " in line for line in shown) == 2


@pytest.mark.parametrize("more", [["x.txt"], ["--explain", "x"], ["--teach-template"]])
def test_showing_reads_no_text(more: list[str], has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, "--show", *more)
    assert (done.code, done.out) == (2, "")
    assert "--show" in done.err


@pytest.mark.parametrize(
    ("taught", "line"),
    [
        ("", "core: standard input: no examples"),
        ("[John|agent", "core: standard input:1: a bracket is never closed"),
        (
            "# x\n\n[Jo|a] has [5|n=6]",
            "core: standard input:3: 'Jo has 5': n: 6 does not follow from '5' (evidence [7, 8))",
        ),
        ("[Jo|a] has [5|n]\n[Bo|a] has 6", "core: standard input:2: 'Bo has 6': n: not in the bundle"),
        (
            '{"text": "Jo has 5", "features": {"n": {"value": 5, "evidence": [7, 9]}}}',
            "core: standard input:1: n: evidence [7, 9) of 8 characters",
        ),
        (
            "[Jo|a] has [5|n] // p=yes\n[Jo|a] has [5|n] // p=no",
            "core: standard input:1: 'Jo has 5': p: absent as 'yes', and as 'no' in 'Jo has 5' (the same sentence in",
        ),
        (
            "[Jo|a] has [5|n] [hats|u=hat]\n[Jo|a] has [5|n] [hats|u=cap]",
            "core: standard input:1: 'Jo has 5 hats': u: 'hat+PL' is taught as 'cap' and as 'hat' (evidence [9, 13)) (",
        ),
        ("[Jo|a] has [5|n, n=5]", "core: standard input:1: n: twice"),
        (
            '{"text": "Jo has 5", "features": {"a": {"value": 5, "evidence": [7, 8]}, "a": {"value": 5}}}',
            "core: standard input:1: a: twice",
        ),
        (
            '{"text": "Jo has 5", "features": {"a": {"value": "J", "evidence": [0, 1]}}}',
            "core: standard input:1: a: evidence [0, 1) 'J' cuts a token",
        ),
        (
            '{"text": "Jo has 5", "features": {"a": {"value": "", "evidence": [2, 2]}}}',
            "core: standard input:1: a: evidence [2, 2) of 8 characters",
        ),
        ('{"text": 5', "core: standard input:1: no JSON: "),
        (b"\xff", "core: -: no UTF-8 at byte 0"),
    ],
)
def test_what_can_t_be_learned_is_one_line(
    taught: str | bytes, line: str, tmp_path: Path, core: Callable[..., Done]
) -> None:
    done = core("teach", "-", "-o", tmp_path / "x.json", stdin=taught)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(line)
    assert done.err.count("\n") == 1
    assert not (tmp_path / "x.json").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["teach", "none.txt"], "core: none.txt: can't be read ("),
        (["teach", "{has}", "--parent", "none.json"], "core: "),
        (["teach", "{txt}", "-o", "none/x.json"], "core: none/x.json: can't be written ("),
        (["recognize", "-r", "none.json"], "core: none.json: can't be read ("),
        (["recognize", "-r", "{has}", "none.txt"], "core: none.txt: can't be read ("),
        (["recognize", "-r", "{txt}"], "core: {txt}: recognizer: no JSON: "),
        (["recognize", "-r", "{tampered}"], "core: {tampered}: recognizer: "),
        (["recognize", "-r", "{later}"], "core: {later}: recognizer: schema 'core.recognizer/3', expected "),
    ],
)
def test_files_that_can_t_be_used_are_one_line(
    arguments: list[str], line: str, tmp_path: Path, has: Path, core: Callable[..., Done]
) -> None:
    written = has.read_text()
    files = {
        "has": has,
        "txt": tmp_path / "has.txt",
        "tampered": tmp_path / "t.json",
        "later": tmp_path / "l.json",
    }
    files["tampered"].write_text(written.replace("apple", "pear"))
    files["later"].write_text(written.replace("core.recognizer/2", "core.recognizer/3"))
    done = core(*(argument.format(**files) for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(line.format(**files))
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["recognize"], ["recognize", "-r", "x", "y", "--explain", "z"], ["teach"]]
)
def test_wrong_usage(arguments: list[str], core: Callable[..., Done]) -> None:
    done = core(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


TEXTS = [
    "A baker has 24 loaves",
    "  Mary hasn’t  3 books.",
    "\U0001d538 baker has two dozen loaves",
    "John gave 5 apples to Mary",
    "Ann never had 6 boxes",
    "John has either 5 or 6 apples",
    "John has 5 axes",
    "",
    " ".join(["apple"] * 300),
]
REFUSED = [
    (1, "shape", None, "gave"),
    (2, "feature_evidence", "polarity", "never"),
    (3, "feature_consistency", "count", "6"),
    (None, "ambiguity", None, None),
    (None, "empty_input", None, None),
    (None, "input_length", None, None),
]


@pytest.mark.smoke
def test_a_line_in_is_an_object_out(has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, stdin="".join(f"{text}\n" for text in TEXTS))
    assert (done.code, done.err) == (0, "")
    rows = done.lines
    assert [row["input"] for row in rows] == TEXTS
    assert [list(row) for row in rows] == [KEYS] * len(TEXTS)
    for row in rows[:2]:
        assert (row["state"], row["refusal"]) == ("evidenced", None)
        assert set(row["evidence"]) == set(row["proposition"])
    refused = [row for row in rows if row["refusal"]][-6:]
    assert [list(row["refusal"]) for row in refused] == [REFUSAL_KEYS] * 6
    assert [tuple(row["refusal"].values())[:4] for row in refused] == REFUSED
    assert all((row["proposition"], row["evidence"]) == (None, {}) for row in refused)
    near = refused[0]["refusal"]["nearest"]
    assert near[0]["pattern"] == "(|<article>) {agent:text} {relation:verb=have} {count:number} {unit:noun}"


def test_spans_slice_the_input(has: Path, core: Callable[..., Done]) -> None:
    rows = core("recognize", "-r", has, stdin="\n".join(TEXTS[:2])).lines
    sliced = [
        {name: row["input"][slice(*span)] if span else None for name, span in row["evidence"].items()}
        for row in rows
    ]
    have = {"relation": "has", "tense": "has"}
    assert sliced == [
        have | {"agent": "baker", "count": "24", "unit": "loaves", "polarity": None},
        have | {"agent": "Mary", "count": "3", "unit": "books", "polarity": "n’t"},
    ]


def test_objects_with_a_text_and_odd_bytes_are_lines(
    tmp_path: Path, has: Path, core: Callable[..., Done]
) -> None:
    lines = tmp_path / "lines"
    lines.write_bytes(
        b'{"text": "Jo has 2 hats", "id": 7}\r\n{"id": 1}\n{"text"\n\xff has 2 hats\n' + b"[" * 9
    )
    done = core("recognize", "-r", has, lines)
    assert (done.code, done.err) == (0, "")
    assert [row["input"] for row in done.lines] == [
        "Jo has 2 hats",
        '{"id": 1}',
        '{"text"',
        "\udcff has 2 hats",
        "[" * 9,
    ]


def test_several_recognisers_answer_together(tmp_path: Path, has: Path, core: Callable[..., Done]) -> None:
    lamp = tmp_path / "lamp.json"
    core("teach", "-", "-o", lamp, stdin=FAMILIES["lamp"])
    done = core("recognize", "-r", has, "-r", lamp, stdin="A horn is green\nA baker has 24 loaves\n")
    assert [row["proposition"] and len(row["proposition"]) for row in done.lines] == [2, 6]


def test_explained(has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, "--explain", "A baker has 24 loaves")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "  A baker has 24 loaves",
        '    ^^^^^ agent="baker"',
        '          ^^^ relation="have", tense="present"',
        "              ^^ count=24",
        '                 ^^^^^^ unit="loaf"',
        '  polarity="positive" by absence of not',
    ]


def test_a_refusal_is_explained(has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, "--explain", "Ann never had 6 boxes")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "  Ann never had 6 boxes",
        "      ^^^^^ polarity",
        "refused at layer 2, feature_evidence: polarity has no evidence in 'never'",
        "nearest shape, 1 away: (|<article>) {agent:text} {relation:verb=have} {count:number} {unit:noun}",
        "to teach: 'never', in an example (--teach-template writes its skeleton)",
    ]


@pytest.mark.parametrize(
    "text", [*TEXTS, "\t[x] // y \x1b[1m", "\udcff has 3", "日本 has 5 apples\u2028and", "ＪＯ\u0301"]
)
def test_nothing_is_too_odd_to_explain(text: str, has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, "--explain", text, "--teach-template")
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out.partition("\n")[0]


def test_a_skeleton_fails_until_edited_and_then_teaches(
    tmp_path: Path, has: Path, core: Callable[..., Done]
) -> None:
    done = core(
        "recognize", "-r", has, "--teach-template", stdin="A baker has 24 loaves\nAnn never had 6 boxes\n"
    )
    assert (done.code, done.err) == (0, "")
    reason, advice, skeleton = done.out.splitlines()
    assert reason == "# refused at layer 2, feature_evidence: polarity has no evidence in 'never'"
    assert advice.startswith("# ")
    assert skeleton == (
        "[Ann|agent] never [had|relation=have, tense=past] [6|count] [boxes|unit=box] // polarity"
    )
    unedited = core("teach", "-", "--parent", has, stdin=done.out)
    assert (unedited.code, unedited.err) == (2, "core: standard input:3: polarity: needs a value\n")
    edited = skeleton.replace("never", "[never|polarity=negative]").removesuffix(" // polarity")
    assert core("teach", "-", "--parent", has, stdin=edited).code == 0


@pytest.mark.parametrize(
    "text",
    [
        "John gave [5] apples // so | \\",
        "#1 John gave 5 apples",
        "{John} gave 5 apples",
        "John gave 5\x85apples",
    ],
)
def test_a_skeleton_says_the_text_it_was_made_from(text: str, has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, "--explain", text, "--teach-template")
    skeleton = [line for line in done.out.split("\n") if line][-1]
    assert len(skeleton.splitlines()) == 1
    if skeleton.startswith("{"):
        record = json.loads(skeleton)
        assert record["text"] == text
        assert {"value": None} in record["features"].values()
        return
    (example,) = read_examples(skeleton.replace("relation, tense", "relation=give, tense=past"))
    assert [token.text for token in example.tokens] == [token.text for token in tokenize(text)]


def test_a_value_by_absence_is_left_open_where_words_are_left_over(
    has: Path, core: Callable[..., Done]
) -> None:
    done = core("recognize", "-r", has, "--teach-template", stdin="John has 5 apples today")
    skeleton = done.out.splitlines()[-1]
    assert skeleton == (
        "[John|agent] [has|relation=have, tense=present] [5|count] [apples|unit=apple] today // polarity"
    )


def test_an_ambiguous_text_has_a_skeleton_for_each_reading(has: Path, core: Callable[..., Done]) -> None:
    done = core("recognize", "-r", has, "--teach-template", stdin="John has 5 axes")
    readings = read_examples(done.out)
    assert sorted(str(reading.bundle.values["unit"]) for reading in readings) == ["ax", "axe", "axis"]


def test_progress_is_for_terminals(
    has: Path, core: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    done = core("recognize", "-r", has, stdin="Jo has 2 hats\nx\n")
    assert done.err == "\r1 read, 1 admitted\r2 read, 1 admitted\n"
    assert len(done.lines) == 2


def test_the_documentation_shows_what_comes_out(
    tmp_path: Path, core: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "recognition.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert f"```text\n{HAS}```" in page
    Path("has.txt").write_text(HAS)
    for command in (
        "teach has.txt -o has.json",
        'recognize -r has.json --explain "A baker has 24 loaves"',
        'recognize -r has.json --explain "Ann never had 6 boxes"',
    ):
        assert f"$ core {command}\n{core(*shlex.split(command)).out}" in page
    records = [json.loads(line) for line in page.splitlines() if line.startswith('{"text"')]
    taught = {example.text: example for example in read_examples(HAS)}
    assert [taught[record["text"]] for record in records] == list(map(example_from_record, records))
