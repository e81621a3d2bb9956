"""Suites have versions: a shipped one that changed without a new version is found, any other is named by its digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.metrics.cases import SPLITS, CaseError, load_suite
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.suites import (
    FILE,
    digest_of,
    shipped_suites,
    shipped_version,
    suite_of_files,
    version_of,
)
from tests.experiments.cases import case_row

Write = Callable[..., Path]


@pytest.mark.parametrize("name", sorted(shipped_suites()))
def test_a_shipped_suite_has_the_digests_of_its_version(name: str) -> None:
    suite = shipped_suites()[name]
    for file, recorded in suite.versions[-1].items():
        found = hashlib.sha256((FILE.parent / file).read_bytes()).hexdigest()
        assert found == recorded, (
            f"{file} changed: add version {suite.version + 1} of {name} to {FILE.name}, with {found}"
        )
    assert shipped_version(name).version == suite.version


def test_versions_count_from_one_and_no_two_have_the_same_content() -> None:
    for row in json.loads(FILE.read_text(encoding="utf-8")):
        assert [version["version"] for version in row["versions"]] == list(range(1, len(row["versions"]) + 1))
    versions = [files for suite in shipped_suites().values() for files in suite.versions if files]
    assert len({digest_of(files) for files in versions}) == len(versions)


def test_every_file_of_cases_belongs_to_a_suite() -> None:
    files = {file for suite in shipped_suites().values() for file in suite.versions[-1]}
    assert {path.name for path in SPLITS.values()} <= files
    assert {f"families/{path.name}" for path in (FILE.parent / "families").glob("*.txt")} <= files


def test_a_split_has_a_number_and_a_file_of_the_user_its_digest(case_file: Write, lexicon: Lexicon) -> None:
    path = case_file(case_row())
    suite = load_suite(path, lexicon)
    assert suite.version == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    path.write_text(path.read_text() + json.dumps(case_row(id="two")) + "\n")
    assert load_suite(path, lexicon).version != suite.version
    for split, file in SPLITS.items():
        assert version_of(hashlib.sha256(file.read_bytes()).hexdigest()) == shipped_suites()[split].version


def test_a_suite_of_several_files_changes_with_each_of_them(tmp_path: Path) -> None:
    files = ["a", "b", "c"]
    seen = {suite_of_files("s", tmp_path, files).version}
    for name, content in (("a", "x"), ("b", "x"), ("b", "y"), ("a", "y")):
        (tmp_path / name).write_text(content)
        seen.add(suite_of_files("s", tmp_path, files).version)
    assert len(seen) == 5
    assert all(str(version).startswith("sha256:") for version in seen)
    assert suite_of_files("s", tmp_path, files) == suite_of_files("s", tmp_path, files[::-1])


ROW = json.dumps(case_row())


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (f"{ROW}\n\n{json.dumps(case_row(id='two'))}\n", "cases.jsonl:2: not JSON"),
        (f"{ROW}\n\n", "cases.jsonl:2: not JSON"),
        (f"\ufeff{ROW}\n", "cases.jsonl:1: not JSON: Unexpected UTF-8 BOM"),
        (f"{ROW}\r\n\r\n", "cases.jsonl:2: not JSON"),
        (f"{ROW}\r\n{ROW}\r\n", "cases.jsonl:2: id: 'one' is taken by line 1"),
        (f"{ROW}\n{json.dumps(case_row(id='two'))}\n{ROW}", "cases.jsonl:3: id: 'one' is taken by line 1"),
        (f"{ROW}\n\udcff", "cases.jsonl:2: not UTF-8 at byte 0"),
    ],
)
def test_a_broken_file_of_cases_names_the_line(
    content: str, where: str, tmp_path: Path, lexicon: Lexicon
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(CaseError) as broken:
        load_suite(path, lexicon)
    assert str(broken.value).startswith(where)


def test_lines_may_end_as_on_windows(tmp_path: Path, lexicon: Lexicon) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(f"{ROW}\r\n{json.dumps(case_row(id='two'))}\r\n".encode())
    assert [case.id for case in load_suite(path, lexicon).cases] == ["one", "two"]
