"""The YAML release of Open English WordNet: a folder of entries-*.yaml, and of noun.*.yaml and the like for synsets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cognition.packs.importers.wordnet import RELATIONS, Synset, Wordnet
from cognition.packs.load import PackError
from cognition.packs.material import Progress, quiet

MOST_BYTES = 1 << 27
"""Of one file of the release; the largest has 8 MB."""
_PARTS = ("noun", "verb", "adj", "adv")


def is_yaml_release(path: Path) -> bool:
    """Whether a folder looks like the release, or like the repository that holds it in src/yaml."""
    return path.is_dir() and next(_folder(path).glob("entries-*.yaml"), None) is not None


def _folder(path: Path) -> Path:
    inner = path / "src" / "yaml"
    return inner if inner.is_dir() else path


def read_yaml(path: Path, progress: Progress = quiet) -> Wordnet:
    """Reads the release.

    Raises:
        PackError: a file that is no YAML, or a synset or an entry without what it needs.
    """
    folder = _folder(path)
    entries = sorted(folder.glob("entries-*.yaml"))
    files = sorted(file for part in _PARTS for file in folder.glob(f"{part}.*.yaml"))
    total = len(entries) + len(files)
    if not entries or not files:
        raise PackError(
            str(path), "", "holds no entries-*.yaml or no noun.*.yaml; give the folder of the release"
        )
    ranks: dict[tuple[str, str], int] = {}
    irregular: dict[tuple[str, str], tuple[str, ...]] = {}
    antonyms: list[tuple[str, str]] = []
    of_sense: dict[str, str] = {}
    for done, file in enumerate(entries):
        progress("reading entries", done, total)
        for lemma, readings in _mapping(file).items():
            for part, reading in _pairs(readings, file, lemma):
                _read_entry(reading, file, lemma, part, ranks, irregular, antonyms, of_sense)
    opposite: dict[str, list[str]] = {}
    for synset, sense in antonyms:
        if sense in of_sense:
            opposite.setdefault(synset, []).append(of_sense[sense])
    synsets = []
    for done, file in enumerate(files, len(entries)):
        progress("reading synsets", done, total)
        lexfile = file.name.removesuffix(".yaml").strip()
        for key, value in _mapping(file).items():
            synsets.append(_synset(value, key, lexfile, file, opposite.get(key, [])))
    return Wordnet(synsets=synsets, ranks=ranks, irregular=irregular)


def _read_entry(
    reading: Any,
    file: Path,
    lemma: str,
    part: str,
    ranks: dict[tuple[str, str], int],
    irregular: dict[tuple[str, str], tuple[str, ...]],
    antonyms: list[tuple[str, str]],
    of_sense: dict[str, str],
) -> None:
    where = f"{file.name}: {lemma}"
    if not isinstance(reading, dict) or not isinstance(reading.get("sense"), list):
        raise PackError(where, f"{part}.sense", "no list of senses")
    if isinstance(reading.get("form"), list):
        irregular[lemma, part[:1]] = tuple(map(str, reading["form"]))
    for number, sense in enumerate(reading["sense"], 1):
        if not isinstance(sense, dict) or "synset" not in sense:
            raise PackError(where, f"{part}.sense.{number}", "names no synset")
        ranks.setdefault((lemma, sense["synset"]), number)
        of_sense[sense.get("id", "")] = sense["synset"]
        antonyms.extend((sense["synset"], other) for other in _texts(sense.get("antonym")))


def _synset(value: Any, key: str, lexfile: str, file: Path, opposite: list[str]) -> Synset:
    where = f"{file.name}: {key}"
    if not isinstance(value, dict):
        raise PackError(where, "", "is no mapping")
    members = tuple(_texts(value.get("members") or value.get("entries")))
    if not members:
        raise PackError(where, "members", "none; a synset has one at least")
    definitions = _texts(value.get("definition") or value.get("definitions"))
    links = [(name, other) for name in RELATIONS if name in value for other in _texts(value[name])]
    return Synset(
        key=key,
        pos=str(value.get("partOfSpeech") or value.get("pos") or key[-1:]),
        lexfile=lexfile,
        members=members,
        definition="; ".join(definitions),
        links=(*links, *(("antonym", other) for other in opposite)),
        where=where,
    )


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(one) for one in value if isinstance(one, str)]
    return [value] if isinstance(value, str) and value else []


def _pairs(value: Any, file: Path, lemma: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise PackError(f"{file.name}: {lemma}", "", "is no mapping from parts of speech")
    return list(value.items())


def _mapping(file: Path) -> dict[str, Any]:
    """A file's mapping, in which every scalar is text: no word is read as a number, a date or a truth value."""
    try:
        import yaml
    except ImportError:
        raise PackError(file.name, "", "needs PyYAML: pip install 'core-cognition[import]'") from None

    if file.stat().st_size > MOST_BYTES:
        raise PackError(file.name, "", f"more than {MOST_BYTES:,} bytes; is this a file of the release?")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        with file.open("rb") as stream:
            found = yaml.load(stream, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f":{mark.line + 1}" if mark is not None else ""
        raise PackError(f"{file.name}{at}", "", f"not YAML: {getattr(error, 'problem', error)}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise PackError(file.name, "", f"can't be read ({error})") from None
    if not isinstance(found, dict):
        raise PackError(file.name, "", "holds no mapping")
    return found
