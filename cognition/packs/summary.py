"""What a pack holds, counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cognition.packs.load import Pack


def summary(pack: Pack) -> dict[str, Any]:
    """Counts of senses, lemmas and surfaces, by part of speech, by domain and by relation; for JSON."""
    if pack.compiled is not None:
        return pack.compiled.summary
    domains = Counter(domain.split(".")[0] for sense in pack.senses for domain in sense.domains)
    relations = Counter(relation.relation for relation in pack.relations)
    return {
        "senses": len(pack.senses),
        "lemmas": len({sense.lemma for sense in pack.senses}),
        "surfaces": len({surface for sense in pack.senses for surface in sense.surfaces}),
        "by pos": [f"{n} {pos}" for pos, n in Counter(sense.pos for sense in pack.senses).most_common()],
        "domains": [f"{n} {name}" for name, n in domains.most_common()],
        "relations": len(pack.relations),
        "by relation": [f"{n} {name}" for name, n in relations.most_common()],
        "denials": sum(relation.polarity == "negative" for relation in pack.relations),
    }
