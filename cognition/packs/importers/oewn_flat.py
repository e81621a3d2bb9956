"""A wordnet as a flat table: synsets.tsv(.gz) with a row a synset, its members and its hypernyms."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from cognition.packs.importers.wordnet import Synset, Wordnet
from cognition.packs.load import PackError
from cognition.packs.tables import LONGEST_LINE

COLUMNS = ("synset", "pos", "lexfile", "members", "hypernyms", "definition")
MOST_BYTES = 1 << 30
"""Of a table when it is unpacked."""


def read_flat(path: Path) -> Wordnet:
    """Reads synsets.tsv(.gz), with irregular_forms.tsv and word_senses.tsv where they lie beside it.

    The first gives plurals that no rule makes; the second numbers the senses of a word, the most usual first.

    Raises:
        PackError: the first row that is not one.
    """
    synsets = []
    for where, row in _rows(path, COLUMNS):
        members = tuple(name.strip() for name in row["members"].split("|") if name.strip())
        if not members:
            raise PackError(where, "members", "none; a synset has one at least")
        up = tuple(name for name in row["hypernyms"].split("|") if name)
        synsets.append(
            Synset(
                key=row["synset"],
                pos=row["pos"],
                lexfile=row["lexfile"],
                members=members,
                definition=row["definition"],
                links=tuple(("hypernym", name) for name in up),
                where=where,
            )
        )
    return Wordnet(
        synsets=synsets,
        ranks=_ranks(path.with_name("word_senses.tsv")),
        irregular=_irregular(path.with_name("irregular_forms.tsv")),
        instances_told=False,
    )


def _ranks(path: Path) -> dict[tuple[str, str], int]:
    if not path.is_file():
        return {}
    ranks = {}
    for where, row in _rows(path, ("word", "pos", "sense_no", "synset")):
        if not row["sense_no"].isdigit():
            raise PackError(where, "sense_no", f"{row['sense_no']!r} is no number")
        ranks[row["word"], row["synset"]] = int(row["sense_no"])
    return ranks


def _irregular(path: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    if not path.is_file():
        return {}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for _, row in _rows(path, ("lemma", "pos", "form")):
        found[row["lemma"], row["pos"]].append(row["form"])
    return {key: tuple(forms) for key, forms in found.items()}


def _rows(path: Path, needed: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    reader = csv.reader(_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = next(reader, [])
    for name in needed:
        if name not in header:
            raise PackError(
                f"{path.name}:1", name, f"no such column; found: {', '.join(header)[:200] or 'nothing'}"
            )
    for cells in reader:
        where = f"{path.name}:{reader.line_num}"
        if len(cells) != len(header):
            raise PackError(where, "", f"{len(cells)} cells, the header has {len(header)}")
        yield where, dict(zip(header, cells, strict=True))


def _lines(path: Path) -> Iterator[str]:
    seen = 0
    number = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            while raw := file.readline(LONGEST_LINE + 1):
                number += 1
                seen += len(raw)
                if len(raw) > LONGEST_LINE:
                    raise PackError(
                        f"{path.name}:{number}", "", f"a line of more than {LONGEST_LINE:,} bytes"
                    )
                if seen > MOST_BYTES:
                    raise PackError(
                        path.name, "", f"more than {MOST_BYTES:,} bytes unpacked; is this a wordnet?"
                    )
                if b"\0" in raw:
                    raise PackError(f"{path.name}:{number}", "", "holds a NUL byte; the file is damaged")
                yield raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PackError(f"{path.name}:{number}", "", f"byte {error.start} of the line is not UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise PackError(str(path), "", f"can't be read ({error})") from None
