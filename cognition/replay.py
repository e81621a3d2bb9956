"""Replay: a recorded turn is really run again, and every recorded value must come out as it was."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cga.backend import BackendName, open_backend
from cognition.config import RuntimeConfig
from cognition.packs.load import available_packs, load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from cognition.teaching import TeachingStore
from cognition.teaching.items import content_from
from cognition.teaching.layer import overlay_of
from cognition.vault import Vault

if TYPE_CHECKING:
    from cognition.result import CognitiveTurnResult
    from recognition import DerivedRecognizer

SCHEMA = "core.trace/1"


def envelope(result: CognitiveTurnResult, runtime: Runtime) -> dict[str, Any]:
    """A turn's trace with what a replay needs beside it: the prompt, the settings, and what it rests on by hash.

    Only ``folded`` is covered by the hash; ``measured`` may differ from one machine to another.
    """
    manifest = runtime.vocabulary.pack.manifest
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "input": result.text,
        "trace_hash": result.trace_hash,
        "config": runtime.config.changed(),
        "pack": {"id": manifest.id, "version": manifest.version, "sha256": runtime.vocabulary.pack.sha256},
        "folded": result.folded,
        "measured": {"versor_condition": result.versor_condition},
    }
    if runtime.recognizer is not None:
        record["recognizer"] = runtime.recognizer.teaching_set_id
    if runtime.teaching_store is not None:
        record["teaching"] = result.folded.get("teaching", "")  # "": nothing was in force
    if runtime.vault is not None:
        record["vault"] = vault_digest(runtime.vault)
    if result.recognition is not None:
        record["recognition"] = result.recognition.as_dict()
    return record


def vault_digest(vault: Vault) -> str:
    """SHA-256 over the ids of what a vault holds; each id is a digest of its item."""
    return hashlib.sha256("\n".join(item.id for item in vault.items()).encode()).hexdigest()


class Verdict(StrEnum):
    """What a replay found."""

    match = "match"
    mismatch = "mismatch"
    cannot_replay = "cannot replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The outcome of a replay.

    Attributes:
        verdict: whether all that was recorded came out again.
        turns: how many turns were run again.
        turn: the turn that differs, or that can't be run, from 1; None where all match.
        step: the first step that differs, as ``step 7 (walk)``, or the field of the record; "" otherwise.
        what: for a mismatch what was recorded and what came out, for ``cannot replay`` what is missing.
    """

    verdict: Verdict
    turns: int = 0
    turn: int | None = None
    step: str = ""
    what: str = ""

    def __str__(self) -> str:
        if self.verdict is Verdict.match:
            return f"match: {self.turns} {'turn' if self.turns == 1 else 'turns'} run again"
        parts = [f"turn {self.turn}"] if self.turn is not None else []
        parts += [part for part in (self.step, self.what) if part]
        return f"{self.verdict.value}: {': '.join(parts)}"


class MissingError(LookupError):
    """Something that a recorded turn rests on and that is not at hand; the message names it by its hash."""


@dataclass(slots=True, kw_only=True)
class Sources:
    """Where a replay finds what recorded turns rest on.

    Attributes:
        packs: folders or ids to look in, before the shipped packs.
        recognizers: recognisers at hand.
        teaching: stores of teaching; a turn is run with what was in force when it was asked.
        vaults: files of vaults.
        backend: where the geometry runs; no decision depends on it.
    """

    packs: Sequence[str | Path] = ()
    recognizers: Sequence[DerivedRecognizer] = ()
    teaching: Sequence[TeachingStore] = ()
    vaults: Sequence[Path] = ()
    backend: BackendName = "numpy"
    _vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    _runtimes: dict[str, Runtime] = field(default_factory=dict)

    def runtime(self, record: Mapping[str, Any]) -> Runtime:
        """A runtime like the one that an envelope names.

        Raises:
            MissingError: which pack, teaching store, vault or recogniser is not at hand, by hash, or which
                setting is unknown.
            PackError: a pack that was given can't be read.
        """
        pack, config = _part(record, "pack"), _part(record, "config")
        wanted = {name: record.get(name) for name in ("recognizer", "teaching", "vault")}
        key = repr([pack.get("sha256"), sorted(config.items()), wanted])
        if key not in self._runtimes:
            try:
                settings = RuntimeConfig.from_mapping(config)
            except (TypeError, ValueError) as error:
                raise MissingError(str(error)) from None
            vocabulary = self._vocabulary(pack)
            self._runtimes[key] = Runtime(
                vocabulary,
                settings,
                recognizer=self._recognizer(wanted["recognizer"]),
                teaching_store=self._teaching(wanted["teaching"], vocabulary),
                vault=self._vault(wanted["vault"], vocabulary),
            )
        return self._runtimes[key]

    def _teaching(self, wanted: Any, vocabulary: Vocabulary) -> TeachingStore | None:
        if wanted is None:
            return None
        if wanted == "":
            return TeachingStore()
        for store in self.teaching:
            past = _as_it_was(store, wanted, vocabulary)
            if past is not None:
                return past
        raise MissingError(f"teaching store {wanted}: not at hand; give its file with --teaching")

    def _vault(self, wanted: Any, vocabulary: Vocabulary) -> Vault | None:
        if wanted is None:
            return None
        for path in self.vaults:
            vault = Vault(vocabulary, path)
            if vault_digest(vault) == wanted:
                return vault
            vault.close()
        raise MissingError(f"vault {wanted}: not at hand; give its file with --vault")

    def _recognizer(self, wanted: Any) -> DerivedRecognizer | None:
        if wanted is None:
            return None
        for recognizer in self.recognizers:
            if recognizer.teaching_set_id == wanted:
                return recognizer
        raise MissingError(f"recogniser {wanted}: not at hand; give its file with --recognizer")

    def _vocabulary(self, pack: Mapping[str, Any]) -> Vocabulary:
        wanted = str(pack.get("sha256"))
        shipped = [name for name in available_packs() if name == pack.get("id")]
        for candidate in (*self.packs, *shipped):
            if wanted in self._vocabularies:
                break
            found = load_pack(candidate)
            if found.sha256 not in self._vocabularies:
                self._vocabularies[found.sha256] = Vocabulary(found, open_backend(self.backend))
        if wanted not in self._vocabularies:
            name = f"{pack.get('id')} {pack.get('version')}"
            raise MissingError(f"pack {name}, sha256 {wanted}: not at hand; give its folder with --pack")
        return self._vocabularies[wanted]


def _as_it_was(store: TeachingStore, digest: str, vocabulary: Vocabulary) -> TeachingStore | None:
    """A store in memory as the given one was when what was in force had this digest, so that nothing is written to it;
    None where it never had."""
    past = TeachingStore()
    for event in store.events():
        body = event.body
        match event.kind:
            case "proposed":
                content = content_from(body["content"])
                past.propose(
                    content,
                    by=body["by"],
                    words=body["words"],
                    origin=body.get("origin", ""),
                    licence=body["licence"],
                )
                continue
            case "accepted":
                replaces = tuple(body.get("replaces", ()))
                past.accept(
                    event.item, by=body["by"], note=body["note"], check=lambda *_, found=replaces: found
                )
            case "rejected":
                past.reject(event.item, by=body["by"], note=body["note"])
            case "retracted":
                past.retract(event.item, by=body["by"], note=body["note"])
            case _:
                continue
        if overlay_of(past.knowledge(), vocabulary).digest == digest:
            return past
    past.close()
    return None


def replay_trace(record: Any, sources: Sources) -> Replay:
    """Runs one recorded turn again.

    Args:
        record: what `envelope` gave, as read from JSON.
        sources: where packs and recognisers are.
    """
    try:
        if _part({"record": record}, "record").get("schema", SCHEMA) != SCHEMA:
            raise MissingError(f"schema {record['schema']!r}: this version reads {SCHEMA}")
        runtime = sources.runtime(record)
        result = runtime.ask(recorded_input(record))
    except MissingError as error:
        return Replay(verdict=Verdict.cannot_replay, what=str(error))
    return compare(record, envelope(result, runtime))


def recorded_input(record: Mapping[str, Any]) -> str:
    """The prompt of an envelope.

    Raises:
        MissingError: it holds none.
    """
    text = record.get("input", _part(record, "folded").get("input"))
    if not isinstance(text, str):
        raise MissingError("the prompt: the record holds only its digest")
    return text


def compare(recorded: Mapping[str, Any], replayed: Mapping[str, Any]) -> Replay:
    """Two envelopes of one turn: a match, or the first step in which they differ."""
    old, new = _part(recorded, "folded"), _part(replayed, "folded")
    steps, again = old.get("steps"), new["steps"]
    for name in ("format", "pack", "input"):
        if (found := difference(old.get(name), new[name])) is not None:
            return _mismatch(name, found)
    if not isinstance(steps, list):
        return _mismatch("steps", ("", steps, again))
    for place, (before, after) in enumerate(zip(steps, again, strict=False), 1):
        if (found := difference(before, after)) is not None:
            return _mismatch(f"step {place} ({after['stage']})", found)
    if len(steps) != len(again):
        longer, known = (steps, "recorded") if len(steps) > len(again) else (again, "replayed")
        step = longer[min(len(steps), len(again))]
        stage = step.get("stage") if isinstance(step, dict) else step
        return _mismatch(f"step {min(len(steps), len(again)) + 1} ({stage})", None, f"{known} only")
    left = {key: value for key, value in old.items() if key not in ("format", "pack", "input", "steps")}
    right = {key: value for key, value in new.items() if key not in ("format", "pack", "input", "steps")}
    if (found := difference(left, right)) is not None:
        return _mismatch(re.split(r"[.\[]", found[0])[0], found)
    for name, value in replayed.items():
        if name in ("folded", "measured", "schema") or (name != "trace_hash" and name not in recorded):
            continue
        if (found := difference(recorded.get(name), value)) is not None:
            return _mismatch(name, found)
    return Replay(verdict=Verdict.match, turns=1)


def _mismatch(step: str, found: tuple[str, Any, Any] | None, what: str = "") -> Replay:
    if found is not None:
        path, *values = found
        before, after = _shortened(*values)
        what = f"{path + ': ' if path else ''}recorded {before}, replayed {after}"
    return Replay(verdict=Verdict.mismatch, turns=1, step=step, what=what)


def difference(before: Any, after: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """The path of the first place where two JSON values differ, with both values; None where they are the same.

    True is not 1 and 1.0 is not 1: a value of another type is another value.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}):
            if key not in before or key not in after:
                return (f"{path}.{key}".lstrip("."), before.get(key), after.get(key))
            if (found := difference(before[key], after[key], f"{path}.{key}".lstrip("."))) is not None:
                return found
        return None
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        for place, (left, right) in enumerate(zip(before, after, strict=False)):
            if (found := difference(left, right, f"{path}[{place}]")) is not None:
                return found
        if len(before) != len(after):
            return (path, f"{len(before)} items", f"{len(after)} items")
        return None
    return None if type(before) is type(after) and before == after else (path, before, after)


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = record.get(name)
    if not isinstance(found, Mapping):
        raise MissingError(f"{name}: the record holds none")
    return found


def _shortened(before: Any, after: Any) -> tuple[str, str]:
    """Both values in short, from a little before they part."""
    old, new = repr(before), repr(after)
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    start = max(0, same - 20) if max(len(old), len(new)) > 60 else 0
    return _cut(old, start), _cut(new, start)


def _cut(text: str, start: int) -> str:
    shown = text[start : start + 60]
    return f"{'...' if start else ''}{shown}{'...' if start + 60 < len(text) else ''}"
