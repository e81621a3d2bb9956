"""WN-LMF, the XML that wordnets of many languages are released in (globalwordnet.github.io/schemas), gzipped or not."""

from __future__ import annotations

import gzip
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from cognition.packs.importers.wordnet import RELATIONS, Synset, Wordnet
from cognition.packs.load import PackError
from cognition.packs.material import Progress, quiet

MOST_BYTES = 1 << 31
"""Of a release when it is unpacked; the largest known one has 100 MB."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """One lexicon of a release.

    Attributes:
        wordnet: its synsets.
        label, language, licence, version, url: as it says of itself.
    """

    wordnet: Wordnet
    label: str
    language: str
    licence: str
    version: str
    url: str | None


@dataclass(slots=True)
class _Entry:
    """A lexical entry while it is read; ``senses`` counts those read so far."""

    id: str = ""
    lemma: str = ""
    part: str = ""
    senses: int = 0


@dataclass(slots=True)
class _Reader:
    """What the parser's calls collect."""

    name: str
    parser: Any
    lexicon: dict[str, str] | None = None
    entry: _Entry = field(default_factory=_Entry)
    sense: tuple[str, str] = ("", "")
    synset: dict[str, str] | None = None
    definition: list[str] | None = None
    text: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    members: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    ranks: dict[tuple[str, str], int] = field(default_factory=dict)
    irregular: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    of_sense: dict[str, tuple[str, str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    antonyms: list[tuple[str, str]] = field(default_factory=list)
    synsets: list[tuple[dict[str, str], str, tuple[tuple[str, str], ...], int]] = field(default_factory=list)

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def fail(self, field_: str, what: str) -> NoReturn:
        raise PackError(f"{self.name}:{self.line}", field_, what)

    def need(self, attributes: dict[str, str], tag: str, name: str) -> str:
        value = attributes.get(name)
        if not value:
            self.fail(tag, f"has no attribute {name!r}")
        return value

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        match tag:
            case "Lexicon":
                if self.lexicon is not None:
                    self.fail(tag, "a second lexicon; give a file with one")
                self.lexicon = attributes
            case "LexicalEntry":
                self.entry = _Entry(id=attributes.get("id", ""))
            case "Lemma":
                self.entry.lemma = self.need(attributes, tag, "writtenForm")
                self.names[self.entry.id] = self.entry.lemma
                self.entry.part = self.need(attributes, tag, "partOfSpeech")
            case "Form":
                key = (self.entry.lemma, self.entry.part)
                self.irregular[key].append(self.need(attributes, tag, "writtenForm"))
            case "Sense":
                self.entry.senses += 1
                synset = self.need(attributes, tag, "synset")
                self.sense = (attributes.get("id", ""), synset)
                self.of_sense[self.sense[0]] = (self.entry.lemma, synset)
                self.names[self.sense[0]] = self.entry.lemma
                number = int(attributes["n"]) if attributes.get("n", "").isdigit() else self.entry.senses
                self.ranks.setdefault((self.entry.lemma, synset), number)
                self.members[synset].append((number, self.entry.lemma))
            case "SenseRelation":
                if attributes.get("relType") == "antonym":
                    self.antonyms.append((self.sense[1], self.need(attributes, tag, "target")))
            case "Synset":
                self.need(attributes, tag, "id")
                self.synset, self.text, self.links = attributes, "", []
            case "Definition":
                self.definition = []
            case "SynsetRelation":
                relation = self.need(attributes, tag, "relType")
                if relation in RELATIONS:
                    self.links.append((relation, self.need(attributes, tag, "target")))

    def characters(self, text: str) -> None:
        if self.definition is not None:
            self.definition.append(text)

    def end(self, tag: str) -> None:
        if tag == "Definition" and self.definition is not None:
            self.text = self.text or "".join(self.definition)
            self.definition = None
        elif tag == "Synset" and self.synset is not None:
            self.synsets.append((self.synset, self.text, tuple(self.links), self.line))
            self.synset = None


def is_lmf(path: Path) -> bool:
    """Whether a file is XML by its name."""
    return path.name.lower().endswith((".xml", ".xml.gz"))


def read_lmf(path: Path, progress: Progress = quiet) -> Lexicon:
    """Reads a release with one lexicon, as a stream.

    A document type is accepted as every release names one, but nothing is fetched for it, and a file that declares
    entities of its own is refused.

    Raises:
        PackError: no such file, no XML, entities, or an element without what it needs.
    """
    parser = expat.ParserCreate()
    reader = _Reader(name=path.name, parser=parser)

    def refuse(*_: Any) -> NoReturn:
        reader.fail("", "declares an entity of its own, which no release does; the file is refused")

    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    seen = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                seen += len(chunk)
                if seen > MOST_BYTES:
                    raise PackError(
                        path.name, "", f"more than {MOST_BYTES:,} bytes unpacked; is this a wordnet?"
                    )
                progress("reading XML", seen, 0)
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise PackError(
            f"{path.name}:{error.lineno}", "", f"not XML: {expat.ErrorString(error.code)}"
        ) from None
    except (OSError, EOFError, zlib.error) as error:
        raise PackError(str(path), "", f"can't be read ({error})") from None
    if reader.lexicon is None:
        raise PackError(path.name, "", "holds no <Lexicon>; is it WN-LMF?")
    about = reader.lexicon
    return Lexicon(
        wordnet=_wordnet(reader),
        label=about.get("label") or about.get("id") or path.name,
        language=(about.get("language") or "en").lower().partition("-")[0],
        licence=about.get("license") or "not stated",
        version=about.get("version") or "",
        url=about.get("url"),
    )


def _wordnet(reader: _Reader) -> Wordnet:
    opposite: dict[str, list[str]] = defaultdict(list)
    for synset, sense in reader.antonyms:
        if sense in reader.of_sense:
            opposite[synset].append(reader.of_sense[sense][1])
    synsets = []
    for attributes, text, links, line in reader.synsets:
        key = attributes["id"]
        # "members" names entries or senses in the order of the release; where it is missing, their ranks decide.
        listed = [reader.names[one] for one in attributes.get("members", "").split() if one in reader.names]
        members = listed or [name for _, name in sorted(reader.members.get(key, ()), key=lambda one: one[0])]
        if members:
            synsets.append(
                Synset(
                    key=key,
                    pos=attributes.get("partOfSpeech") or key[-1:],
                    lexfile=attributes.get("lexfile") or attributes.get("dc:subject") or "other",
                    members=tuple(members),
                    definition=text,
                    links=(*links, *(("antonym", other) for other in opposite.get(key, ()))),
                    where=f"{reader.name}:{line}",
                )
            )
    irregular = {key: tuple(forms) for key, forms in reader.irregular.items()}
    return Wordnet(synsets=synsets, ranks=reader.ranks, irregular=irregular)
