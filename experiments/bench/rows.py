"""Rows of `core bench all`: what is done, by whom, how long or how well, and the ratio where one may be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from experiments.bench import timing
from experiments.bench.cga import _load, _version

Summary = Mapping[str, float]
INSTALL = "not installed: pip install '.[bench]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another implementation.

    Attributes:
        name: as its authors write it.
        distribution: what pip installs.
        module: what Python imports.
    """

    name: str
    distribution: str
    module: str

    @property
    def version(self) -> str | None:
        """The installed version; None where there is none."""
        return _version(self.distribution)

    def load(self) -> ModuleType | None:
        """Its module; None, with a line that says so, where it is not installed."""
        return _load(self.module)


CLIFFORD = Peer(name="clifford", distribution="clifford", module="clifford")
KINGDON = Peer(name="kingdon", distribution="kingdon", module="kingdon")
NUMPY = Peer(name="NumPy", distribution="numpy", module="numpy")
FAISS = Peer(name="FAISS", distribution="faiss-cpu", module="faiss")
HNSWLIB = Peer(name="hnswlib", distribution="hnswlib", module="hnswlib")
SPACY = Peer(name="spaCy Matcher", distribution="spacy", module="spacy")
GENSIM = Peer(name="gensim Poincaré", distribution="gensim", module="gensim.models.poincare")
OUTLINES = Peer(name="outlines-core", distribution="outlines-core", module="outlines_core")
GUIDANCE = Peer(name="llguidance", distribution="llguidance", module="llguidance")
ENFORCER = Peer(name="lm-format-enforcer", distribution="lm-format-enforcer", module="lmformatenforcer")
PEERS = (CLIFFORD, KINGDON, NUMPY, FAISS, HNSWLIB, SPACY, GENSIM, OUTLINES, GUIDANCE, ENFORCER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        what: is done.
        unit: of both figures.
        ours, theirs: median, least, greatest and number; None where a side was not measured.
        peer, version: who else does it, and the installed version; None where it is not, or can't be.
        ratio: of theirs to ours in neighbouring calls, above 1 where ours is the quicker; None where none may be drawn.
        published: what was published of the peer, where it can't be run.
        note: what a reader has to know of this row.
    """

    what: str
    unit: str
    ours: Summary | None
    peer: str
    version: str | None = None
    theirs: Summary | None = None
    ratio: Summary | None = None
    published: str | None = None
    note: str = ""


def timed_row(
    what: str,
    peer: Peer,
    ours_ms: Sequence[float],
    theirs_ms: Sequence[float] | None,
    *,
    unit: str = "ms",
    shares: tuple[float, float] = (1.0, 1.0),
    note: str = "",
) -> Row:
    """A row of times that were taken in turns.

    Args:
        what: is done.
        peer: beside whom.
        ours_ms: milliseconds of our calls.
        theirs_ms: of the peer's, call by call beside ours; None where it is not installed.
        unit: of the figures.
        shares: what a call's milliseconds, ours and theirs, are multiplied by to give that unit.
        note: of the row.
    """
    ours = [share * shares[0] for share in ours_ms]
    if theirs_ms is None:
        return Row(what=what, unit=unit, ours=timing.summary(ours), peer=peer.name, note=INSTALL)
    theirs = [share * shares[1] for share in theirs_ms]
    return Row(
        what=what,
        unit=unit,
        ours=timing.summary(ours),
        peer=peer.name,
        version=peer.version,
        theirs=timing.summary(theirs),
        ratio=timing.summary([b / a for a, b in zip(ours, theirs, strict=True)]),
        note=note,
    )


def judged_row(
    what: str, unit: str, peer: Peer, ours: Sequence[float], theirs: Sequence[float] | None, note: str = ""
) -> Row:
    """A row of figures of quality, of which no ratio is drawn; None for a peer that is not installed."""
    found: dict[str, Any] = {"note": INSTALL}
    if theirs is not None:
        found = {"version": peer.version, "theirs": timing.summary(list(theirs)), "note": note}
    return Row(what=what, unit=unit, ours=timing.summary(list(ours)), peer=peer.name, **found)
