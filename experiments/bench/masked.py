"""A step of the walk under a region, beside the step of libraries that constrain the decoding of a language model.

Both decide on what may come next out of a vocabulary of N words, of which a region or a grammar admits a few. The
grammar given to the libraries is "one or more words of the region", and each of their tokens is a whole word with the
space after it, so that no token begins another one and their masks hold the region's words and no others.

A step of theirs computes the mask of allowed tokens from the state of the grammar and moves that state on by a token
that is given; scores and the choice among them are the language model's, and not in their time. A step of ours
intersects the region with the words that were not visited, computes the exact keys of what is left, takes the least,
and measures the closure of the field there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cga.backend import Point, WalkRequest, open_backend
from experiments.bench import timing
from experiments.bench.rows import ENFORCER, GUIDANCE, OUTLINES, Peer, Row, timed_row
from experiments.bench.search import _words

SIZES = (334, 32_768)
"""Words of the first English pack, and tokens of a usual language model."""
WALKS = (1, 1024)
STEPS = 8
REGIONS = 16
"""Different regions, which walks share by turns."""
ANCHORS, K = 3, 8
ALONE = 64
"""Most walks of a library that takes them one by one in Python; its time is given a step like the others'."""
SYLLABLES = [first + second for first in "bcdfghjklmnprstvw" for second in "aeiou"]

Words = tuple[int, ...]


class _Side(Protocol):
    """A library.

    Attributes:
        most: walks of one call.
    """

    most: int

    def compile(self, region: Words) -> Any:
        """A region ready for its first step."""
        ...

    def first(self, compiled: Any) -> Any:
        """What its first step allows, in the library's own form."""
        ...

    def tokens_of(self, allowed: Any) -> list[int]:
        """The tokens that this form holds, ascending."""
        ...

    def begin(self, compiled: Sequence[Any], paths: Sequence[Words]) -> Callable[[], Any]:
        """Walks of one call, from their starts; the path gives the tokens that are moved on by."""
        ...


def masked_rows(*, quick: bool = False) -> list[Row]:
    """Times steps in regions that are known, and the way from a new region to its first word.

    Args:
        quick: fewer repeats.
    """
    repeats = timing.QUICK_REPEATS if quick else timing.REPEATS
    rows: list[Row] = []
    for size in SIZES:
        tokens = [_token(number) for number in range(size)]
        ours = _Ours(size)
        loaded = {peer: peer.load() for peer in SIDES}
        sides = {peer: SIDES[peer](module, tokens) for peer, module in loaded.items() if module is not None}
        same = {peer: _same(side, ours.regions) for peer, side in sides.items()}
        rows += _new_regions(ours, sides, repeats, same)
        for walks in WALKS:
            rows += _steps(ours, sides, walks, repeats)
    return rows


def _token(number: int) -> str:
    """A word of its own for each number, with the space that ends it."""
    digits = [number // len(SYLLABLES) ** place % len(SYLLABLES) for place in range(3)]
    return "".join(SYLLABLES[digit] for digit in digits) + " "


def _pattern(tokens: Sequence[str], region: Words) -> str:
    return "(" + "|".join(tokens[word] for word in region) + ")+"


def _same(side: _Side, regions: Sequence[Words]) -> int:
    return sum(side.tokens_of(side.first(side.compile(region))) == list(region) for region in regions)


def _new_regions(ours: _Ours, sides: dict[Peer, _Side], repeats: int, same: dict[Peer, int]) -> list[Row]:
    runs: dict[Peer | None, timing.Run] = {None: _in_cycle(ours.new_region, ours.anchors)}
    for peer, side in sides.items():
        runs[peer] = _in_cycle(lambda region, side=side: side.first(side.compile(region)), ours.regions)
    times = _in_turns(runs, max(repeats, REGIONS // 2))
    return [
        timed_row(
            f"a new region among {ours.size:,} words, to its first step",
            peer,
            times[None],
            times.get(peer),
            note=f"masks equal to the region: {same.get(peer)} of {len(ours.regions)}",
        )
        for peer in SIDES
    ]


def _in_turns(runs: dict[Peer | None, timing.Run], repeats: int) -> dict[Peer | None, list[float]]:
    """`timing.in_turns` by peer, None for ours."""
    named = {"ours" if peer is None else peer.name: run for peer, run in runs.items()}
    return dict(zip(runs, timing.in_turns(named, repeats).values(), strict=True))


def _in_cycle(run: Callable[[Any], Any], given: Sequence[Any]) -> timing.Run:
    """Each call takes the next of what is given, so that none is answered from what the one before left."""
    turn = cycle(given)
    return lambda: run(next(turn))


def _steps(ours: _Ours, sides: dict[Peer, _Side], walks: int, repeats: int) -> list[Row]:
    def some(count: int) -> list[int]:
        return [number % len(ours.regions) for number in range(count)]

    taken = {peer: min(walks, side.most) for peer, side in sides.items()}
    runs: dict[Peer | None, timing.Run] = {None: ours.walks(some(walks))}
    for peer, side in sides.items():
        compiled = [side.compile(region) for region in ours.regions[: taken[peer]]]
        chosen = some(taken[peer])
        paths = [(ours.regions[number] * STEPS)[:STEPS] for number in chosen]
        runs[peer] = side.begin([compiled[number] for number in chosen], paths)
    times = _in_turns(runs, repeats)
    what = f"a step in a region among {ours.size:,} words, {walks:,} walk{'s'[: walks > 1]}"
    return [
        timed_row(
            what,
            peer,
            times[None],
            times.get(peer),
            unit="µs",
            shares=(1000 / (walks * STEPS), 1000 / (taken.get(peer, walks) * STEPS)),
            note=""
            if taken.get(peer, walks) == walks
            else f"measured on {taken[peer]} of its walks, one by one",
        )
        for peer in SIDES
    ]


class _Ours:
    """Our side: random words of the lattice, and regions as a graph has them, the nearest words of three anchors."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.backend = open_backend("numpy")
        words = _words(size)
        self.points = [Point(*row) for row in words.tolist()]
        self.handle = self.backend.open_vocabulary(self.points)
        drawn = np.random.default_rng(size).integers(0, size, (REGIONS, ANCHORS))
        self.anchors: list[list[int]] = drawn.tolist()
        self.regions = [self._region(anchors) for anchors in self.anchors]

    def _region(self, anchors: Sequence[int]) -> Words:
        near = self.backend.neighbourhoods(self.handle, anchors, K)
        return tuple(sorted({word for found in near for word in found}))

    def _request(self, anchors: Sequence[int], region: Words, steps: int) -> WalkRequest:
        return WalkRequest(start=self.points[anchors[0]], allowed=region, max_steps=steps)

    def new_region(self, anchors: Sequence[int]) -> Any:
        return self.backend.walk(self.handle, [self._request(anchors, self._region(anchors), 1)])

    def walks(self, numbers: Sequence[int]) -> timing.Run:
        requests = [self._request(self.anchors[number], self.regions[number], STEPS) for number in numbers]
        return lambda: self.backend.walk(self.handle, requests)


def _bits(mask: NDArray[np.int32]) -> list[int]:
    """The tokens of a mask, which has a bit each, the least first."""
    return np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little")).tolist()


class _Outlines:
    """outlines-core: the grammar's automaton over tokens is built before, and a mask is one of its rows."""

    most = max(WALKS)

    def __init__(self, module: ModuleType, tokens: Sequence[str]) -> None:
        self.module, self.tokens = module, tokens
        self.vocabulary = module.Vocabulary(
            len(tokens), {text: [number] for number, text in enumerate(tokens)}
        )
        self.mask = np.zeros(len(tokens) // 32 + 1, np.int32)

    def compile(self, region: Words) -> Any:
        return self.module.Index(_pattern(self.tokens, region), self.vocabulary)

    def first(self, compiled: Any) -> NDArray[np.int32]:
        self._write(self.module.Guide(compiled))
        return self.mask

    def tokens_of(self, allowed: NDArray[np.int32]) -> list[int]:
        return _bits(allowed)

    def _write(self, guide: Any) -> None:
        guide.write_mask_into(self.mask.ctypes.data, self.mask.size, self.mask.itemsize)

    def begin(self, compiled: Sequence[Any], paths: Sequence[Words]) -> Callable[[], Any]:
        guides = [self.module.Guide(index) for index in compiled]

        def walk() -> None:
            for guide, path in zip(guides, paths, strict=True):
                guide.reset()
                for token in path:
                    self._write(guide)
                    guide.advance(token, return_tokens=False)

        return walk


@dataclass(frozen=True, slots=True)
class _Tokenizer:
    """What llguidance wants to know of a tokenizer."""

    tokens: list[bytes]
    eos_token_id: int
    bos_token_id: None = None

    def __call__(self, text: bytes) -> list[int]:
        return []  # nothing is tokenized: tokens are given by number


class _Guidance:
    """llguidance: the grammar is parsed on the go, for many walks in one call and in several threads."""

    most = max(WALKS)

    def __init__(self, module: ModuleType, tokens: Sequence[str]) -> None:
        self.module, self.tokens = module, tokens
        self.masks = import_module("llguidance.numpy")
        known = [text.encode() for text in tokens] + [b"<eos>"]
        wrapped = module.TokenizerWrapper(_Tokenizer(known, len(tokens)))
        self.tokenizer = module.LLTokenizer(wrapped, len(known))
        self.executor = module.LLExecutor()

    def compile(self, region: Words) -> Any:
        matcher = self.module.LLMatcher
        return matcher(self.tokenizer, matcher.grammar_from_regex(_pattern(self.tokens, region)))

    def first(self, compiled: Any) -> NDArray[np.int32]:
        mask = self._masks(1)
        self.masks.fill_next_token_bitmask(compiled, mask)
        return mask[0]

    def tokens_of(self, allowed: NDArray[np.int32]) -> list[int]:
        return _bits(allowed)

    def _masks(self, count: int) -> NDArray[np.int32]:
        return self.masks.allocate_token_bitmask(count, len(self.tokens) + 1)

    def begin(self, compiled: Sequence[Any], paths: Sequence[Words]) -> Callable[[], Any]:
        matchers = [one.deep_copy() for one in compiled]
        placed = [(one, place) for place, one in enumerate(matchers)]
        mask = self._masks(len(matchers))

        def walk() -> None:
            for matcher in matchers:
                matcher.reset()
            for step in range(STEPS):
                if len(matchers) == 1:
                    self.masks.fill_next_token_bitmask(matchers[0], mask)
                else:
                    self.masks.fill_next_token_bitmask_par(self.executor, placed, mask)
                for matcher, path in zip(matchers, paths, strict=True):
                    matcher.consume_token(path[step])

        return walk


class _Enforcer:
    """lm-format-enforcer: characters of the grammar beside a tree of the tokens, in Python; lists instead of masks."""

    most = ALONE

    def __init__(self, module: ModuleType, tokens: Sequence[str]) -> None:
        self.module, self.tokens = module, list(tokens)
        self.data = module.TokenEnforcerTokenizerData(
            [(number, text, True) for number, text in enumerate(tokens)],
            lambda numbers: "".join(map(self.tokens.__getitem__, numbers)),
            len(tokens),
            False,  # masks of bits are PyTorch's
            len(tokens),
        )

    def compile(self, region: Words) -> Any:
        return self.module.RegexParser(_pattern(self.tokens, region))

    def first(self, compiled: Any) -> list[int]:
        return self.module.TokenEnforcer(self.data, compiled).get_allowed_tokens([]).allowed_tokens

    def tokens_of(self, allowed: list[int]) -> list[int]:
        return sorted(allowed)

    def begin(self, compiled: Sequence[Any], paths: Sequence[Words]) -> Callable[[], Any]:
        def walk() -> None:
            for parser, path in zip(compiled, paths, strict=True):
                # A new one each time: it keeps the answers to all it was asked.
                enforcer = self.module.TokenEnforcer(self.data, parser)
                for step in range(STEPS):
                    enforcer.get_allowed_tokens(list(path[:step]))

        return walk


SIDES: dict[Peer, Callable[[ModuleType, Sequence[str]], _Side]] = {
    OUTLINES: _Outlines,
    GUIDANCE: _Guidance,
    ENFORCER: _Enforcer,
}
