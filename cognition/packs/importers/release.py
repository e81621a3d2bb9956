"""A wordnet in whichever form it is released."""

from __future__ import annotations

from pathlib import Path

from cognition.packs.importers.oewn_flat import read_flat
from cognition.packs.importers.oewn_yaml import is_yaml_release, read_yaml
from cognition.packs.importers.wn_lmf import is_lmf, read_lmf
from cognition.packs.importers.wordnet import OEWN, Wordnet
from cognition.packs.load import PackError
from cognition.packs.material import Progress, quiet
from cognition.packs.schema import Source


def read_release(path: Path, progress: Progress = quiet) -> tuple[Wordnet, Source, str]:
    """Reads synsets.tsv(.gz), the folder of the YAML release, or WN-LMF XML(.gz).

    Returns:
        The wordnet, whom to credit, and the language of its words.

    Raises:
        PackError: none of these.
    """
    if path.is_dir():
        if not is_yaml_release(path):
            raise PackError(str(path), "", "holds no entries-*.yaml; give the folder of the YAML release")
        return read_yaml(path, progress), OEWN, "en"
    if not path.is_file():
        raise PackError(str(path), "", "no such file")
    if is_lmf(path):
        lexicon = read_lmf(path, progress)
        source = Source(
            id="wordnet",
            title=" ".join(filter(None, (lexicon.label, lexicon.version))),
            licence=lexicon.licence,
            attribution=f"the authors of {lexicon.label}",
            url=lexicon.url,
        )
        return lexicon.wordnet, source, lexicon.language
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        progress("reading synsets", 0, 0)
        return read_flat(path), OEWN, "en"
    raise PackError(
        path.name, "", "is neither .tsv(.gz), nor .xml(.gz), nor a folder; unpack it, or rename it"
    )
