"""What a pack holds, for people: counts, and all that it says of one word."""

from __future__ import annotations

from typing import Any

from cognition import phrasing
from cognition.packs.load import Pack
from cognition.packs.summary import summary
from cognition.packs.vocabulary import Vocabulary

NEIGHBOURS = 8


def describe_pack(pack: Pack) -> dict[str, Any]:
    """Counts by part of speech, domain and relation, with sources and licences."""
    manifest = pack.manifest
    return {
        "pack": f"{manifest.id} {manifest.version}",
        "title": manifest.title,
        "language": manifest.language,
        **summary(pack),
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
