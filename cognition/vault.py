"""The vault: what was said and kept beside the packs, recalled exactly, by key or by place.

An item names senses; its place is the location of those words on the pack's lattice, so that recall by geometry ranks
items by the same key as every other choice. Unreviewed items are marked as such and are no evidence.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cga.backend import Point
from cognition.eventlog import MEMORY, EventLog
from cognition.packs.schema import LATTICE_BOUND
from cognition.packs.vocabulary import Vocabulary, surface_key

VaultStatus = Literal["reviewed", "speculative"]
FeatureValue = str | int | bool
PREFIX = "vault:"


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultItem:
    """Something kept.

    Attributes:
        id: ``vault:`` and a digest of the rest, status and source included.
        key: what it is about, in normal form.
        text: as it was said.
        senses: the words it names, by sense id, in order.
        features: of a recognised proposition, by ascending name.
        status: ``speculative`` until somebody reviewed it.
        source: who or what put it there, as the id of an epistemic node.
    """

    id: str
    key: str
    text: str
    senses: tuple[str, ...]
    features: tuple[tuple[str, FeatureValue], ...]
    status: VaultStatus
    source: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {
            "id": self.id,
            "key": self.key,
            "text": self.text,
            "senses": list(self.senses),
            "features": dict(self.features),
            "status": self.status,
            "source": self.source,
        }


class Vault:
    """Items in one SQLite file, append-only. Threads may share it; processes open one each.

    Args:
        vocabulary: gives the places; items that name none of its senses are found by key alone.
        path: the file, made where there is none; ``:memory:`` (the default) keeps nothing.

    Raises:
        StoreError: the file can't be used.
    """

    def __init__(self, vocabulary: Vocabulary, path: str | Path = MEMORY) -> None:
        self._vocabulary = vocabulary
        self._log = EventLog(path, "vault")
        self._lock = threading.RLock()
        self._seen = 0
        self._items: dict[str, VaultItem] = {}
        self._places: tuple[tuple[Point, ...], tuple[tuple[VaultItem, ...], ...], Any] | None = None

    def close(self) -> None:
        """Closes the file; what was acknowledged is safe without it."""
        self._log.close()

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def put(
        self,
        text: str,
        *,
        key: str,
        source: str,
        senses: Sequence[str] = (),
        features: Mapping[str, FeatureValue] | None = None,
        status: VaultStatus = "speculative",
    ) -> VaultItem:
        """Keeps an item; putting the same again changes and records nothing.

        Args:
            text: as it was said.
            key: the surface it is about.
            source: who or what says it.
            senses: the words it names, by sense id; those that the pack lacks are kept but give no place.
            features: of a recognised proposition.
            status: ``reviewed`` where somebody has checked it.

        Raises:
            ValueError: a key without a word.
            StoreError: the file can't be written.
        """
        normal = normal_key(key)
        if not normal:
            raise ValueError(f"vault: key {key!r} has no word: name what the item is about")
        record: dict[str, Any] = {
            "key": normal,
            "text": text,
            "senses": list(senses),
            "features": dict(sorted((features or {}).items())),
            "status": status,
            "source": source,
        }
        digest = hashlib.sha256(json.dumps(record, separators=(",", ":"), sort_keys=True).encode())
        item_id = PREFIX + digest.hexdigest()[:16]
        with self._lock:
            with self._log.writing():
                fresh = item_id not in self._synced()
                if fresh:
                    self._log.append("put", item_id, record)
            return self._synced()[item_id]

    def take_back(self, item_id: str, *, by: str) -> None:
        """Takes an item out of recall; again changes nothing.

        Raises:
            KeyError: no such item was ever put.
            StoreError: the file can't be written.
        """
        with self._lock, self._log.writing():
            if item_id in self._synced():
                self._log.append("taken_back", item_id, {"by": by})
            elif not any(event.item == item_id for event in self._log.read()):
                raise KeyError(item_id)

    def items(self) -> tuple[VaultItem, ...]:
        """All items, in the order in which they were put."""
        with self._lock:
            return tuple(self._synced().values())

    def by_key(self, key: str) -> tuple[VaultItem, ...]:
        """The items about exactly this surface (case and width aside), in the order in which they were put."""
        normal = normal_key(key)
        return tuple(item for item in self.items() if item.key == normal)

    def nearest(self, location: Point, k: int) -> tuple[VaultItem, ...]:
        """The exact k nearest items to a location, by the lattice key; at one place, in the order of putting.

        Args:
            location: as `Backend.locate` gives it.
            k: how many, at least 1.

        Raises:
            ValueError: k below 1.
        """
        if k < 1:
            raise ValueError(f"vault: k is {k}: ask for one item at least")
        with self._lock:
            self._synced()
            if self._places is None:
                self._places = self._placed()
            _, shelves, handle = self._places
        if not shelves:
            return ()
        (ranked,) = self._vocabulary.backend.nearest(handle, [location], min(k, len(shelves)))
        return tuple(item for at in ranked for item in shelves[at])[:k]

    def place_of(self, item: VaultItem) -> Point | None:
        """Where an item lies: at the location of the words it names; None where the pack has none of them.

        A location broader than a word may be is taken at the edge of the lattice.
        """
        known = [self._vocabulary.index[sense] for sense in item.senses if sense in self._vocabulary.index]
        if not known:
            return None
        (place,) = self._vocabulary.backend.locate(self._vocabulary.handle, [known])
        return place._replace(rho=min(place.rho, LATTICE_BOUND - 1))

    def _placed(self) -> tuple[tuple[Point, ...], tuple[tuple[VaultItem, ...], ...], Any]:
        shelves: dict[Point, list[VaultItem]] = {}
        for item in self._items.values():
            place = self.place_of(item)
            if place is not None:
                shelves.setdefault(place, []).append(item)
        points = tuple(shelves)
        handle = self._vocabulary.backend.open_vocabulary(points) if points else None
        return points, tuple(map(tuple, shelves.values())), handle

    def _synced(self) -> dict[str, VaultItem]:
        for event in self._log.read(self._seen):
            if event.kind == "put":
                body = event.body
                self._items[event.item] = VaultItem(
                    id=event.item,
                    key=body["key"],
                    text=body["text"],
                    senses=tuple(body["senses"]),
                    features=tuple(sorted(body["features"].items())),
                    status=body["status"],
                    source=body["source"],
                )
            else:
                self._items.pop(event.item, None)
            self._seen = event.seq
            self._places = None
        return self._items


def normal_key(surface: str) -> str:
    """The normal form of a surface: of its tokens, with single blanks."""
    return " ".join(surface_key(surface))
