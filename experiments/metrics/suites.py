"""Names and versions of suites: `data/suites.json` for those that ship, the digest of the content for any other."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent.parent / "data" / "suites.json"
SHOWN = 12
"""Hexadecimal digits of a version that is a digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedSuite:
    """A suite that ships with the project.

    Attributes:
        name: unique.
        description: one sentence.
        versions: for each version, from 1 on, the SHA-256 of each of its files by path in the folder of data. A file
            that changes takes a new version; those before stay on record, so that old results keep their version.
            A suite that is made from the pack has no files; its version is that of the way it is made.
    """

    name: str
    description: str
    versions: tuple[Mapping[str, str], ...]

    @property
    def version(self) -> int:
        """The version that is shipped now."""
        return len(self.versions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteVersion:
    """What a result is a result of.

    Attributes:
        name: of the suite.
        version: the number of a shipped suite, or ``sha256:`` and the first digits of the digest.
        sha256: digest of the content.
    """

    name: str
    version: int | str
    sha256: str


@cache
def shipped_suites() -> Mapping[str, ShippedSuite]:
    """The suites that ship with the project, by name."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        row["name"]: ShippedSuite(
            name=row["name"],
            description=row["description"],
            versions=tuple(version["files"] for version in row["versions"]),
        )
        for row in rows
    }


def version_of(sha256: str) -> int | str:
    """The version of the shipped suite that has this digest; of other content, the digest itself."""
    for suite in shipped_suites().values():
        for number, files in enumerate(suite.versions, 1):
            if files and digest_of(files) == sha256:
                return number
    return f"sha256:{sha256[:SHOWN]}"


def digest_of(files: Mapping[str, str]) -> str:
    """The digest of a suite from those of its files: its own for one file, that of the list for several."""
    if len(files) == 1:
        return next(iter(files.values()))
    listed = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def suite_of_files(name: str, folder: Path, files: Iterable[str]) -> SuiteVersion:
    """A suite that is made of files of a folder; one that is not there is no part of it.

    Raises:
        OSError: a file can't be read.
    """
    found = {
        file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
        for file in files
        if (folder / file).is_file()
    }
    sha256 = digest_of(found)
    return SuiteVersion(name=name, version=version_of(sha256), sha256=sha256)


def shipped_version(name: str) -> SuiteVersion:
    """A shipped suite as its files are now: its version, or the digest where a file was changed."""
    suite = shipped_suites()[name]
    if not suite.versions[-1]:
        return SuiteVersion(name=name, version=suite.version, sha256=digest_of({}))
    return suite_of_files(name, FILE.parent, suite.versions[-1])
