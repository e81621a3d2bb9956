"""From the synsets of a wordnet to concepts: lexicographer files as domains, ranks, instances, how nouns count."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p
from statistics import fmean

from cognition.packs.importers.concepts import (
    Concept,
    Link,
    Vocabulary,
    clean_gloss,
    counted,
    domain_of,
    is_binomial,
)
from cognition.packs.load import PackError
from cognition.packs.schema import Countability, PartOfSpeech, Source

OEWN = Source(
    id="oewn",
    title="Open English WordNet",
    licence="CC-BY-4.0 AND LicenseRef-WordNet-3.0",
    attribution="The Open English WordNet Team; based on Princeton WordNet, Princeton University",
    url="https://en-word.net/",
)
PARTS_OF_SPEECH: dict[str, PartOfSpeech] = {
    "n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb",
}  # fmt: skip

# Relation of a release -> (relation type, whether its ends change places).
RELATIONS: dict[str, tuple[str, bool]] = {
    "hypernym": ("is_a", False),
    "hyponym": ("is_a", True),
    "instance_hypernym": ("instance_of", False),
    "instance_hyponym": ("instance_of", True),
    "mero_part": ("part_of", True),
    "holo_part": ("part_of", False),
    "mero_member": ("member_of", True),
    "holo_member": ("member_of", False),
    "mero_substance": ("made_of", False),
    "holo_substance": ("made_of", True),
    "causes": ("causes", False),
    "is_caused_by": ("causes", True),
    "entails": ("entails", False),
    "is_entailed_by": ("entails", True),
    "similar": ("similar_to", False),
    "also": ("related_to", False),
    "attribute": ("related_to", False),
    "antonym": ("opposite_of", False),
}

# Files whose capitalised leaves are single things; those of animals, plants or food are kinds, as Labradors are.
_OF_NAMES = frozenset(("artifact", "communication", "event", "group", "location", "object", "person", "time"))
_KIND = re.compile(
    r"\(?(?:an?|any|some|one|someone|somebody|the (?:members?|people|inhabitants)|of or)\b", re.IGNORECASE
)
_SINGLE = re.compile(r"(?:an?|any|one|someone|somebody)\s", re.IGNORECASE)
_STUFF = re.compile(
    r"an? (?:[\w-]+ ){0,2}(?:liquid|fluid|powder|paste|oil|fat|juice|syrup|flour|meal)\b", re.IGNORECASE
)
_ABSTRACT = re.compile(
    r"the (?:state|quality|property|trait|condition|practice|study|science|feeling|ability|doctrine|belief)\b"
)
_ABSTRACT_ENDING = re.compile(
    r"\w(?:ness|ism|ology|ography|onomy|phobia|philia|mania|ship|hood|tude|itis|osis|aemia|emia|cracy|ics)$"
)
_ABSTRACT_FILES = frozenset(
    ("act", "attribute", "cognition", "feeling", "motive", "phenomenon", "process", "relation", "state")
)
_TAXON = re.compile(
    r"(?:\w+[ -]){0,4}(?:genus|genera|family|families|order|class|phylum|division|tribe)\b", re.IGNORECASE
)
_SMALL_WORDS = frozenset(
    "a al an and at de del der des di du el en in la le of on the to und van von y".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Synset:
    """A synset of a release.

    Attributes:
        key: its id there.
        pos: its letter; ``s`` is a satellite adjective.
        lexfile: its lexicographer file, as noun.animal.
        links: (relation, key of another synset).
    """

    key: str
    pos: str
    lexfile: str
    members: tuple[str, ...]
    definition: str
    links: tuple[tuple[str, str], ...]
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordnet:
    """A release.

    Attributes:
        ranks: (member, synset) -> which sense of the member the synset is, from 1.
        irregular: (lemma, letter) -> forms.
        instances_told: whether hypernyms of single things are told from those of kinds.
    """

    synsets: Sequence[Synset]
    ranks: Mapping[tuple[str, str], int]
    irregular: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    instances_told: bool = True


def vocabulary_of(
    wordnet: Wordnet,
    source: Source = OEWN,
    *,
    language: str = "en",
    parts: Collection[str] = ("n", "v", "a", "r"),
    lexfiles: Collection[str] = (),
    limit: int | None = None,
) -> Vocabulary:
    """The synsets of a wordnet as concepts.

    A capitalised noun is a name, said without article, where the release calls it an instance. A release that does not
    tell instances from kinds is read by a rule: a noun without hyponyms, all of whose members begin with a capital, in
    a file of things that have names of their own, and for a person, whose definition does not begin as one of a kind
    ("a native of ..."). Other nouns are mass or count nouns by `_countability`.

    Args:
        wordnet: as read.
        source: to credit.
        language: of the words.
        parts: letters of the parts of speech to take; satellites go with adjectives.
        lexfiles: take these files only, as noun.animal or animal; none takes all.
        limit: take the first so many synsets.
    """
    chosen = list(_chosen(wordnet.synsets, parts, lexfiles, limit))
    above = {up for one in wordnet.synsets for relation, up in one.links if relation == "hypernym"}
    links: list[Link] = []
    concepts = []
    undefined = 0
    numbers = _numbers(wordnet)
    for one in chosen:
        named = any(relation == "instance_hypernym" for relation, _ in one.links)
        if not wordnet.instances_told:
            named = one.key not in above and _is_name(one)
        links.extend(_links(one, named))
        gloss = clean_gloss(one.definition)
        if not gloss:
            undefined += 1
            continue
        concepts.append(
            Concept(
                key=one.key,
                names=tuple(dict.fromkeys(" ".join(name.split()) for name in one.members)),
                pos=PARTS_OF_SPEECH[one.pos],
                gloss=gloss,
                domains=(_domain(one.lexfile),),
                number=numbers[one.members[0], one.key],
                rank=fmean(numbers[name, one.key] for name in one.members),
                countability=_countability(one, named) if one.pos == "n" and language == "en" else None,
                note=f"synset {one.key}",
                where=one.where,
            )
        )
    notes = (f"{undefined:,} synsets without a definition are left out",) if undefined else ()
    return Vocabulary(
        source=source,
        language=language,
        gloss_form="definition",
        concepts=concepts,
        links=links,
        irregular=wordnet.irregular,
        notes=notes,
    )


def _chosen(
    synsets: Sequence[Synset], parts: Collection[str], lexfiles: Collection[str], limit: int | None
) -> Iterator[Synset]:
    known = {one.lexfile for one in synsets} | {one.lexfile.partition(".")[2] for one in synsets}
    for name in lexfiles:
        if name not in known:
            raise PackError("--lexfile", "", f"no file {name!r}; there are {', '.join(sorted(known))}")
    taken = 0
    for one in synsets:
        if one.pos not in PARTS_OF_SPEECH:
            raise PackError(one.where, "pos", f"{one.pos!r} is none of {', '.join(PARTS_OF_SPEECH)}")
        part = "a" if one.pos == "s" else one.pos
        if part not in parts or (
            lexfiles and one.lexfile not in lexfiles and one.lexfile.partition(".")[2] not in lexfiles
        ):
            continue
        if limit is not None and taken == limit:
            return
        taken += 1
        yield one


def _links(one: Synset, named: bool) -> Iterator[Link]:
    for relation, other in one.links:
        known = RELATIONS.get(relation)
        if known is None:
            continue
        kind, swapped = known
        if kind == "is_a" and one.pos == "v":
            kind = "manner_of"
        elif kind == "is_a" and named and not swapped:
            kind = "instance_of"
        yield (other, kind, one.key) if swapped else (one.key, kind, other)


def _domain(lexfile: str) -> str:
    part, _, name = lexfile.partition(".")
    names = {"adj": "adjective", "adv": "adverb"}
    if part in names:
        rest = domain_of(name)
        return names[part] if rest in (None, "all") else f"{names[part]}.{rest}"
    return domain_of(name or part) or "other"


def _numbers(wordnet: Wordnet) -> dict[tuple[str, str], int]:
    """Which sense of a member a synset is, from 1.

    As the release says. The synsets of a word that it does not number are numbered by a rule: those with many hyponyms
    and many members first, and those in which the word stands late among the members last.
    """
    below = Counter(up for one in wordnet.synsets for _, up in one.links)
    unnumbered: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for one in wordnet.synsets:
        part = "a" if one.pos == "s" else one.pos
        for place, name in enumerate(one.members):
            if (name, one.key) not in wordnet.ranks:
                weight = log1p(below[one.key]) + (len(one.members) - place) / 2
                unnumbered[name, part].append((-weight, one.key))
    made = {
        (name, key): number
        for (name, _), found in unnumbered.items()
        for number, (_, key) in enumerate(sorted(found), 1)
    }
    return made | dict(wordnet.ranks)


def _is_name(one: Synset) -> bool:
    file = one.lexfile.partition(".")[2]
    if one.pos != "n" or file not in _OF_NAMES or not all(map(_capitalised, one.members)):
        return False
    return file != "person" or not _KIND.match(one.definition)


def _capitalised(name: str) -> bool:
    words = re.split(r"[ -]", name)
    return name[:1].isupper() and all(not word[:1].islower() or word in _SMALL_WORDS for word in words)


def _is_taxon(one: Synset, file: str) -> bool:
    """Genera, families and species under their Latin names, which have no plural and no article."""
    if file not in ("animal", "plant") or not one.members[0][:1].isupper():
        return False
    return is_binomial(one.members[0]) or _TAXON.match(one.definition) is not None


def _countability(one: Synset, named: bool) -> Countability:
    """Names are proper; stuffs, states and fields of study are mass; "a ..." defines a count noun, if no stuff."""
    lemma, file = one.members[0], one.lexfile.partition(".")[2]
    if named or _is_taxon(one, file):
        return "proper"
    if file in _ABSTRACT_FILES and _ABSTRACT_ENDING.search(lemma):
        return "mass"
    if file == "substance" or (file == "food" and _STUFF.match(one.definition)):
        return "mass"
    if _SINGLE.match(one.definition):
        return "count"
    if _ABSTRACT.match(one.definition):
        return "mass"
    return counted(lemma)
