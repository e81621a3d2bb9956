"""The closed tables of English in `recognition/data`: tab-separated, `#` begins a comment line."""

from functools import cache
from importlib.resources import files

__all__ = ["rows", "words"]


@cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The rows of the table `name`, each a tuple of its fields."""
    text = (files("recognition") / "data" / f"{name}.tsv").read_text(encoding="utf-8")
    return tuple(tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#"))


@cache
def words(name: str) -> dict[str, frozenset[str]]:
    """A table of word lists (first field the name of the list, second its words, apart by a space)."""
    return {row[0]: frozenset(row[1].split()) for row in rows(name)}
