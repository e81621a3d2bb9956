"""What a pack holds, for people: counts, and all that it says of one word."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cognition import phrasing
from cognition.packs.load import Pack
from cognition.packs.vocabulary import Vocabulary

NEIGHBOURS = 8


def describe_pack(pack: Pack) -> dict[str, Any]:
    """Counts by part of speech, domain and relation, with sources and licences."""
    manifest = pack.manifest
    domains = Counter(domain.split(".")[0] for sense in pack.senses for domain in sense.domains)
    relations = Counter(relation.relation for relation in pack.relations)
    return {
        "pack": f"{manifest.id} {manifest.version}",
        "title": manifest.title,
        "language": manifest.language,
        "senses": len(pack.senses),
        "lemmas": len({sense.lemma for sense in pack.senses}),
        "surfaces": len({surface for sense in pack.senses for surface in sense.surfaces}),
        "by pos": [f"{n} {pos}" for pos, n in Counter(sense.pos for sense in pack.senses).most_common()],
        "domains": [f"{n} {name}" for name, n in domains.most_common()],
        "relations": len(pack.relations),
        "by relation": [f"{n} {name}" for name, n in relations.most_common()],
        "denials": sum(relation.polarity == "negative" for relation in pack.relations),
        "sources": [f"{source.title} ({source.licence})" for source in manifest.sources],
        "radius": manifest.chart.radius,
        "sha256": pack.sha256,
    }


def describe_word(vocabulary: Vocabulary, word: str) -> dict[str, Any]:
    """All senses of a surface, each with gloss, domains, statements and nearest words."""
    return {"senses": [_describe_sense(vocabulary, index) for index in vocabulary.lookup(word)]}


def _describe_sense(vocabulary: Vocabulary, index: int) -> dict[str, Any]:
    sense = vocabulary.senses[index]
    (near,) = vocabulary.backend.neighbourhoods(vocabulary.handle, [index], NEIGHBOURS + 1)
    said = [phrasing.sentence(phrasing.statement(vocabulary, s)) for s in vocabulary.statements_of(index)]
    return {
        "sense": sense.id,
        "gloss": phrasing.sentence(phrasing.definition(vocabulary, index)),
        "surfaces": list(sense.surfaces),
        "domains": list(sense.domains),
        "salience": sense.salience,
        "status": sense.status,
        "statements": said,
        "nearest": [vocabulary.senses[i].lemma for i in near if i != index],
        "point": list(vocabulary.points[index]),
    }
