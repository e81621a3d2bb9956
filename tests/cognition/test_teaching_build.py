"""A new version of a pack from what is in force, and the gate of golden answers before it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cga.backend import open_backend
from cognition import PackError, Runtime, Vocabulary, load_pack
from cognition.packs.overlay import NO_OVERLAY
from cognition.teaching import Content, ReviewError, TeachingStore
from cognition.teaching.build import build_pack
from cognition.teaching.gate import Answer, Golden, GoldenError, changed_answers, read_golden
from cognition.teaching.layer import overlay_of, review_check
from cognition.teaching.statement import read_statement, retraction
from tests.cognition.small_pack import lines

pytestmark = [pytest.mark.teaching, pytest.mark.packs]

NUMPY = open_backend("numpy")
QUESTIONS = (
    "What is bread?", "Does cake require an oven?", "Does bread require flour?", "Does bread require salt?",
    "How do I bake?", "What does toast require?",
)  # fmt: skip


def taught(folder: Path, *said: str | Content) -> TeachingStore:
    vocabulary, store = Vocabulary(load_pack(folder), NUMPY), TeachingStore()
    for one in said:
        content = one if isinstance(one, Content) else read_statement(one, vocabulary)
        item = store.propose(content, by="ann", licence="CC0-1.0")
        store.accept(item.id, by="bob", check=review_check(vocabulary, replace=True))
    return store


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def surfaces(vocabulary: Vocabulary) -> list[str]:
    return [result.surface for result in Runtime(vocabulary).ask_batch(QUESTIONS)]


def back(evidence: str) -> Content:
    return Content(kind="retraction", target=evidence)


ALL = (
    "cake requires an oven",
    "bread means baked dough",
    "bread does not require flour",
    "bread.n.1 requires salt.n.1",
    "bread.n.1 not contrasts_with cake.n.1",
    back("rel:toast.n.1:requires:bread.n.1"),
)


def test_the_new_pack_answers_as_the_teaching_did_and_the_old_one_is_untouched(
    folder: Path, tmp_path: Path
) -> None:
    before = bytes_of(folder)
    store = taught(folder, *ALL)
    built = build_pack(store.knowledge(), folder, tmp_path / "new", NUMPY)
    assert bytes_of(folder) == before
    new = load_pack(tmp_path / "new")
    assert (new.manifest.id, new.manifest.version, new.sha256) == ("small", "1.1.0", built.sha256)
    assert built.base_sha256 == load_pack(folder).sha256
    assert new.geometry == load_pack(folder).geometry
    old = Vocabulary(load_pack(folder), NUMPY)
    assert (
        surfaces(Vocabulary(new, NUMPY))
        == surfaces(old.with_overlay(overlay_of(store.knowledge(), old)))
        != surfaces(old)
    )
    assert overlay_of(store.knowledge(), Vocabulary(new, NUMPY)) == NO_OVERLAY  # the pack says it now


def test_what_changed_is_in_the_changelog_and_the_rest_of_the_lines_is_as_it_was(
    folder: Path, tmp_path: Path
) -> None:
    store = taught(folder, *ALL)
    built = build_pack(store.knowledge(), folder, tmp_path / "new", NUMPY)
    log = (tmp_path / "new" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"Made from 1.0.0 (sha256 {built.base_sha256})." in log
    for heading, count in (("Added", 4), ("Changed", 1), ("Out of force", 4)):
        assert len(built.changes[heading]) == count
        assert all(f"- {line}\n" in log for line in built.changes[heading])
    old, new = (lines(where, "relations.jsonl") for where in (folder, tmp_path / "new"))
    by_taught = [json.loads(line) for line in new if "taught" in line]
    assert len(by_taught) == 4
    assert all("ann" in row["provenance"]["note"] and "bob" in row["provenance"]["note"] for row in by_taught)
    gone = [json.loads(line)["status"] for line in new if line not in old and "taught" not in line]
    assert gone == ["retracted"]
    source = load_pack(tmp_path / "new").manifest.sources[-1]
    assert (source.id, source.licence, source.attribution) == (
        "taught-1.1.0", "CC0-1.0", "taught by ann, reviewed by bob",
    )  # fmt: skip


def test_a_second_version_is_built_on_the_first(folder: Path, tmp_path: Path) -> None:
    build_pack(taught(folder, ALL[0]).knowledge(), folder, tmp_path / "a", NUMPY)
    build_pack(taught(tmp_path / "a", ALL[1]).knowledge(), tmp_path / "a", tmp_path / "b", NUMPY)
    pack = load_pack(tmp_path / "b")
    assert pack.manifest.version == "1.2.0"
    assert [source.id for source in pack.manifest.sources] == ["us", "taught-1.1.0", "taught-1.2.0"]
    log = (tmp_path / "b" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert log.index("## 1.2.0") < log.index("## 1.1.0")
    assert log.count("# Changelog of small\n") == 1


def test_a_step_takes_the_place_of_another(folder: Path, tmp_path: Path) -> None:
    step = Content(kind="relation", subject="bread.n.1", relation="step_of", object="bake.v.1", order=2)
    last = Content(kind="relation", subject="knead.v.1", relation="step_of", object="bake.v.1", order=3)
    store = taught(folder, step)
    build_pack(store.knowledge(), folder, tmp_path / "a", NUMPY)
    steps = {row.order: row.subject for row in load_pack(tmp_path / "a").relations if row.order is not None}
    assert steps == {1: "mix.v.1", 2: "bread.n.1"}
    build_pack(taught(tmp_path / "a", last).knowledge(), tmp_path / "a", tmp_path / "b", NUMPY)
    steps = {row.order: row.subject for row in load_pack(tmp_path / "b").relations if row.order is not None}
    assert steps == {1: "mix.v.1", 2: "bread.n.1", 3: "knead.v.1"}


def test_building_is_the_same_whoever_does_it(folder: Path, tmp_path: Path) -> None:
    store = taught(folder, *ALL)
    for name in ("a", "b"):
        build_pack(store.knowledge(), folder, tmp_path / name, NUMPY)
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")


def test_what_can_not_be_built_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    store = taught(folder, ALL[0])
    out = tmp_path / "new"

    def code_of(**more: object) -> str:
        with pytest.raises(ReviewError) as caught:
            build_pack(store.knowledge(), folder, more.pop("out", out), NUMPY, **more)  # type: ignore[arg-type]
        return caught.value.code

    there = sorted(path.name for path in tmp_path.iterdir())
    assert code_of(out=folder) == "out_exists"
    assert [code_of(version=v) for v in ("1.0.0", "0.9.9", "1.1", "2.0.0-rc", "../2.0.0", "1.١.0")] == [
        "version"
    ] * 6

    def no(made: Path) -> None:
        assert load_pack(made).manifest.version == "3.0.0"
        raise ReviewError("changes_answers", "all")

    assert code_of(version="3.0.0", approve=no) == "changes_answers"
    unstated = TeachingStore()
    item = unstated.propose(store.items()[0].content, by="ann")
    unstated.accept(item.id, by="bob")
    with pytest.raises(ReviewError, match="--licence"):
        build_pack(unstated.knowledge(), folder, out, NUMPY)
    with pytest.raises(ReviewError, match="accept one first"):
        build_pack(TeachingStore().knowledge(), folder, out, NUMPY)
    for missing in ("no_such_pack", "../../etc", tmp_path / "nowhere"):
        with pytest.raises(PackError):
            build_pack(store.knowledge(), missing, out, NUMPY)
    assert sorted(path.name for path in tmp_path.iterdir()) == there


def test_a_retraction_of_the_pack_reads_from_its_evidence_id(folder: Path) -> None:
    vocabulary = Vocabulary(load_pack(folder), NUMPY)
    assert retraction("rel:toast.n.1:requires:bread.n.1", vocabulary) == ALL[-1]


def test_the_gate_lists_the_answers_that_change_and_no_other(folder: Path) -> None:
    old = Vocabulary(load_pack(folder), NUMPY)
    store = taught(folder, "cake requires an oven")
    new = old.with_overlay(overlay_of(store.knowledge(), old))
    asked = [Golden(prompt=text) for text in (*QUESTIONS, *QUESTIONS)]
    changes = changed_answers(asked, Runtime(old).ask, Runtime(new).ask)
    assert [change.prompt for change in changes] == ["Does cake require an oven?"]
    (change,) = changes
    assert change.after.surface.startswith("Yes: a cake requires an oven.")
    assert change.after.citations[0] == store.items()[0].id
    assert changed_answers(asked, Runtime(old).ask, Runtime(old).ask) == ()


def test_a_recorded_answer_is_compared_with_citations(folder: Path) -> None:
    ask = Runtime(Vocabulary(load_pack(folder), NUMPY)).ask
    result = ask("What is bread?")
    cited = tuple(evidence.id for evidence in result.citations)
    right = Golden(prompt="What is bread?", answer=Answer(surface=result.surface, citations=cited))
    assert changed_answers([right], ask, ask) == ()
    for wrong in (
        Answer(surface=result.surface + " ", citations=cited),
        Answer(surface=result.surface, citations=cited[:-1]),
    ):
        assert len(changed_answers([Golden(prompt="What is bread?", answer=wrong)], ask, ask)) == 1


def test_golden_files_hold_prompts_alone_or_with_their_answers(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    rows = [
        {"prompt": "a", "intent": "definition"},
        {"prompt": "b", "surface": "B.", "citations": ["x", {"id": "y"}]},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    assert read_golden([file]) == (
        Golden(prompt="a"),
        Golden(prompt="b", answer=Answer(surface="B.", citations=("x", "y"))),
    )


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"prompt": 1}',
        '{"prompt": "a", "surface": "b"}',
        '{"prompt": "a", "surface": 1, "citations": []}',
        "[" * 9999,
    ],
)
def test_golden_files_that_are_none_say_which_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text('{"prompt": "a"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(GoldenError, match=r"golden\.jsonl:2"):
        read_golden([file])
    with pytest.raises(GoldenError, match="can't be read"):
        read_golden([tmp_path / "missing.jsonl"])
