"""SKOS thesauri in Turtle, RDF/XML, N-Triples or JSON-LD (www.w3.org/TR/skos-reference), read by rdflib."""

from __future__ import annotations

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from cognition.packs.importers.concepts import Concept, Link, Vocabulary, clean_gloss, domain_of
from cognition.packs.load import PackError
from cognition.packs.schema import PartOfSpeech, Source
from cognition.packs.terms import NOT_STATED
from recognition.english import lemmas, noun_number

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

FORMATS = {
    ".ttl": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".nt": "nt",
    ".jsonld": "json-ld",
    ".json": "json-ld",
}
MOST_BYTES = 1 << 28
"""Of a file: rdflib holds all of it, at about ten times its size."""
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOSXL = "http://www.w3.org/2008/05/skos-xl#"
_TERMS = ("http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/")
_DEPRECATED = "http://www.w3.org/2002/07/owl#deprecated"
_COMMENT = "http://www.w3.org/2000/01/rdf-schema#comment"
_QUALIFIED = re.compile(r"(.*\S)\s*\([^()]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How a thesaurus is read.

    Attributes:
        language: of the labels to take; those without a language go for any.
        pos: of the concepts.
        broader: what "broader" says: a thesaurus does not tell kinds from parts or instances.
        schemes: take concepts of these schemes only (URIs); none takes all.
        title, licence, attribution: where the file states none.
    """

    language: str = "en"
    pos: PartOfSpeech = "noun"
    broader: str = "is_a"
    schemes: tuple[str, ...] = ()
    title: str | None = None
    licence: str | None = None
    attribution: str | None = None


def read_skos(path: Path, choice: Choice) -> Vocabulary:
    """Reads a thesaurus.

    A concept's names are its prefLabel, altLabels and hiddenLabels in one language. English labels in the plural are
    put in the singular, and a qualifier in parentheses becomes a name of its own. The gloss is its definition, else
    its scope note or comment, else what the file says of its place ("a narrower concept of “birds”"). Domains are its
    scheme and, below, the top of its hierarchy.

    Raises:
        PackError: a file that can't be read as RDF, one that would fetch something, or one without concepts.
    """
    graph = _graph(path)
    find = _Finder(graph, choice.language)
    nodes = sorted(find.concepts(choice.schemes), key=str)
    if not nodes:
        raise PackError(path.name, "", "no skos:Concept" + (" in these schemes" if choice.schemes else ""))
    names = {node: find.names(node) for node in nodes}
    named = [node for node in nodes if names[node] and not find.deprecated(node)]
    above = {node: find.above(node) for node in nodes}
    if not named:
        raise PackError(
            path.name, "--language", f"no concept has a label in {choice.language!r}; {find.languages()}"
        )
    made = 0
    concepts = []
    for node in named:
        gloss = clean_gloss(find.first(node, ("definition", "scopeNote"), (_COMMENT,)))
        if not gloss:
            made += 1
            gloss = _made_gloss(node, [names[up][0] for up in above[node] if names.get(up)], find)
        concepts.append(
            Concept(
                key=str(node),
                names=_english(names[node]) if choice.language == "en" else tuple(names[node]),
                pos=choice.pos,
                gloss=gloss,
                domains=_domains(node, above, names, find, path),
                note=find.note(node),
                where=f"{path.name}: {node}",
            )
        )
    links = [*_links(graph, nodes, above, choice.broader)]
    lost = {
        "have no label in the language": sum(not names[node] for node in nodes),
        "are deprecated": sum(find.deprecated(node) for node in nodes),
    }
    notes = [f"{count:,} concepts are left out that {why}" for why, count in lost.items() if count]
    if made:
        notes.append(f"{made:,} concepts without a definition are described by their place")
    return Vocabulary(
        source=find.source(path, choice),
        language=choice.language,
        gloss_form="definition",
        concepts=concepts,
        links=links,
        notes=tuple(notes),
    )


def _graph(path: Path) -> Graph:
    try:
        from rdflib import Graph
    except ImportError:
        raise PackError(path.name, "", "needs rdflib: pip install 'core-cognition[import]'") from None
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(FORMATS)
        raise PackError(
            path.name, "", f"not a name that tells a form of RDF ({known}); rename or unpack the file"
        )
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PackError(path.name, "", f"more than {MOST_BYTES:,} bytes; import a part of it")
        raw = path.read_bytes()
    except OSError as error:
        raise PackError(str(path), "", f"can't be read ({error.strerror})") from None
    if kind == "xml":
        _check_entities(path, raw)
    elif kind == "json-ld":
        _check_contexts(path, raw)
    graph = Graph()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of rdflib, about itself
            graph.parse(data=raw, format=kind, publicID=f"file:///{path.name}")
    except Exception as error:  # rdflib's parsers raise what they like: each fault is the file's
        line = getattr(error, "lines", None) or getattr(error, "getLineNumber", lambda: None)()
        at = f":{line + 1 if kind == 'turtle' else line}" if isinstance(line, int) else ""
        what = str(error).strip().splitlines() or [type(error).__name__]
        raise PackError(f"{path.name}{at}", "", f"not {kind}: {what[0]:.200}") from None
    return graph


def _check_entities(path: Path, raw: bytes) -> None:
    """Refuses entities that lead out of the file or into one another; short names for namespaces are common."""
    parser = expat.ParserCreate()

    def declared(name: str, _: Any, value: str | None, *rest: Any) -> None:
        if value is None or "&" in value or "%" in value:
            raise PackError(
                f"{path.name}:{parser.CurrentLineNumber}",
                name,
                "an entity that leads elsewhere; the file is refused",
            )

    parser.EntityDeclHandler = declared
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        raise PackError(
            f"{path.name}:{error.lineno}", "", f"not XML: {expat.ErrorString(error.code)}"
        ) from None


def _check_contexts(path: Path, raw: bytes) -> None:
    """Refuses contexts that would be fetched."""
    try:
        rest: list[Any] = [json.loads(raw)]
    except (ValueError, RecursionError) as error:
        raise PackError(path.name, "", f"not JSON: {error}") from None
    while rest:
        value = rest.pop()
        if isinstance(value, list):
            rest += value
        elif isinstance(value, dict):
            context = value.get("@context")
            if isinstance(context, str) or (
                isinstance(context, list) and any(isinstance(c, str) for c in context)
            ):
                raise PackError(
                    path.name, "@context", f"{context!r} would be fetched; write the context into the file"
                )
            rest += value.values()


class _Finder:
    """What a graph says of its concepts, in one language."""

    def __init__(self, graph: Graph, language: str) -> None:
        from rdflib import RDF, Namespace, URIRef

        self.graph, self.language = graph, language
        self.skos, self.xl, self.uri, self.type = Namespace(_SKOS), Namespace(_SKOSXL), URIRef, RDF.type
        self.schemes = sorted(set(graph.subjects(RDF.type, self.skos.ConceptScheme)), key=str)

    def concepts(self, schemes: Sequence[str]) -> set[Node]:
        found = set(self.graph.subjects(self.type, self.skos.Concept))
        for predicate in ("broader", "narrower"):
            for pair in self.graph.subject_objects(self.skos[predicate]):
                found.update(pair)
        if schemes:
            found = {node for node in found if {str(one) for one in self.schemes_of(node)} & set(schemes)}
        return {node for node in found if isinstance(node, self.uri)}

    def schemes_of(self, node: Node) -> list[Node]:
        found = set(self.graph.objects(node, self.skos.inScheme))
        found.update(self.graph.objects(node, self.skos.topConceptOf))
        found.update(self.graph.subjects(self.skos.hasTopConcept, node))
        return sorted(found, key=str)

    def names(self, node: Node) -> list[str]:
        found: list[str] = []
        for label in ("prefLabel", "altLabel", "hiddenLabel"):
            literals = list(self.graph.objects(node, self.skos[label]))
            for one in self.graph.objects(node, self.xl[label]):
                literals += self.graph.objects(one, self.xl.literalForm)
            labels = self._in_language(literals)
            if label == "prefLabel" and not labels:
                return []
            found += labels
        return list(dict.fromkeys(found))

    def _in_language(self, literals: Iterable[Any]) -> list[str]:
        """Texts in the language, in order; where there is none, those of its regions, then those without a language."""
        tagged: dict[int, list[str]] = defaultdict(list)
        for one in literals:
            tag = (getattr(one, "language", None) or "").lower()
            text = " ".join(str(one).split())
            if text and tag == self.language:
                tagged[0].append(text)
            elif text and tag.startswith(f"{self.language}-"):
                tagged[1].append(text)
            elif text and not tag and hasattr(one, "language"):
                tagged[2].append(text)
        return sorted(tagged[min(tagged)]) if tagged else []

    def languages(self) -> str:
        tags = {
            getattr(one, "language", None) or "none" for one in self.graph.objects(None, self.skos.prefLabel)
        }
        return f"there are labels in {', '.join(sorted(tags))}" if tags else "there is no prefLabel"

    def first(self, node: Node, names: Sequence[str], others: Sequence[str] = ()) -> str:
        for predicate in (*(self.skos[name] for name in names), *map(self.uri, others)):
            literals: list[Any] = []
            for one in self.graph.objects(node, predicate):
                # A note may be a node of its own with the text as its value.
                values = list(
                    self.graph.objects(one, self.uri("http://www.w3.org/1999/02/22-rdf-syntax-ns#value"))
                )
                literals += values or [one]
            texts = self._in_language(literals)
            if texts:
                return texts[0]
        return ""

    def above(self, node: Node) -> list[Node]:
        found = set(self.graph.objects(node, self.skos.broader)) | set(
            self.graph.subjects(self.skos.narrower, node)
        )
        return sorted(found, key=str)

    def deprecated(self, node: Node) -> bool:
        return any(
            str(one).lower() in ("true", "1") for one in self.graph.objects(node, self.uri(_DEPRECATED))
        )

    def note(self, node: Node) -> str:
        parts = [str(node)]
        parts += [f"notation {one}" for one in sorted(map(str, self.graph.objects(node, self.skos.notation)))]
        parts += [
            f"exactMatch {one}" for one in sorted(map(str, self.graph.objects(node, self.skos.exactMatch)))
        ]
        return "; ".join(parts)

    def title(self, scheme: Node) -> str:
        labels = self.names(scheme)
        titles = self._in_language(
            one for base in _TERMS for one in self.graph.objects(scheme, self.uri(f"{base}title"))
        )
        return next(iter([*titles, *labels]), "") or re.split(r"[/#]", str(scheme).rstrip("/#"))[-1]

    def source(self, path: Path, choice: Choice) -> Source:
        """The thesaurus as a source: what the file says of its schemes, and what the caller adds."""

        def said(names: Sequence[str]) -> str | None:
            found = {
                str(one)
                for scheme in self.schemes
                for base in _TERMS
                for name in names
                for one in self.graph.objects(scheme, self.uri(base + name))
            }
            return "; ".join(sorted(found)) or None

        titles = "; ".join(self.title(scheme) for scheme in self.schemes)
        return Source(
            id="thesaurus",
            title=choice.title or titles or path.name,
            licence=choice.licence or said(("license", "rights")) or NOT_STATED,
            attribution=choice.attribution
            or said(("creator", "publisher", "rightsHolder"))
            or f"the authors of {titles or path.name}",
            url=str(self.schemes[0]) if len(self.schemes) == 1 else None,
        )


def _english(names: Sequence[str]) -> tuple[str, ...]:
    """Labels with what else they may be called: without a qualifier, in the singular; the plainest first."""
    found: list[str] = []
    for name in names:
        qualified = _QUALIFIED.fullmatch(name)
        plain = qualified[1] if qualified else name
        one = _singular(plain)
        found += [one, plain, name]
    return tuple(dict.fromkeys(found))


def _singular(name: str) -> str:
    if name != name.lower() or noun_number(name) != {"plural"}:
        return name
    return next((lemma for lemma, pos in lemmas(name) if pos == "noun" and lemma != name), name)


def _made_gloss(node: Node, above: Sequence[str], find: _Finder) -> str:
    if above:
        return f"a narrower concept of “{'” and “'.join(above[:3])}”"
    schemes = [find.title(scheme) for scheme in find.schemes_of(node)] or [
        find.title(one) for one in find.schemes[:1]
    ]
    return f"a concept of “{schemes[0]}”" if schemes else "a concept without a definition"


def _domains(
    node: Node, above: dict[Node, list[Node]], names: dict[Node, list[str]], find: _Finder, path: Path
) -> tuple[str, ...]:
    schemes = find.schemes_of(node) or find.schemes[:1]
    bases = [domain_of(find.title(scheme)) for scheme in schemes] or [domain_of(path.stem)]
    top, seen = node, {node}
    while above.get(top):
        up = next((one for one in above[top] if one not in seen), None)
        if up is None:
            break
        seen.add(up)
        top = up
    last = domain_of(names[top][0]) if names.get(top) else None
    found = [base or "thesaurus" for base in bases]
    return tuple(f"{base}.{last}" if last else base for base in found)


def _links(
    graph: Graph, nodes: Sequence[Node], above: dict[Node, list[Node]], broader: str
) -> Iterable[Link]:
    inside = set(nodes)
    for node in nodes:
        for up in above[node]:
            yield str(node), broader, str(up)
    for name, kind in (("related", "related_to"), ("exactMatch", "same_as")):
        for a, b in sorted(graph.subject_objects(_uri(name)), key=str):
            if a in inside and b in inside:
                yield str(a), kind, str(b)


def _uri(name: str) -> Any:
    from rdflib import URIRef

    return URIRef(_SKOS + name)
