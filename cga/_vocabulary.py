"""A vocabulary's arrays on the host, shared by both backends (NumPy only)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from cga._lattice import centroid, check_words
from cga._words import center_breadth, word
from cga._words import centroid as word_centroid
from cga.backend import Point

TABLED = 1024
"""Most words of a vocabulary that keeps a table of all rank keys (8 MB)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vocabulary:
    """The words of one pack, index = position.

    Attributes:
        points: the lattice points.
        coordinates: ``(4, words)`` the same as exact float64 integers: x1, x2, x3, rho.
        inv_rho: ``(words,)`` 1/rho, divided once on the host and given to every kernel as data.
        origin: ``(4,)`` centre and breadth of the point about which the fields of this vocabulary are measured,
            the Lorentz centroid of all words, so that the boosts stay as small as they can be.
        key_table: ``(words, words)`` the rank key of each word (column) from each other (row), where the vocabulary
            has at most `TABLED` words: a step of a walk is then one look-up.
    """

    points: tuple[Point, ...]
    coordinates: Float64[np.ndarray, "4 words"]
    inv_rho: Float64[np.ndarray, " words"]
    origin: Float64[np.ndarray, "4"]
    key_table: Float64[np.ndarray, "words words"] | None

    @property
    def size(self) -> int:
        return len(self.points)

    def chart(self, points: Float64[np.ndarray, "*batch 4"]) -> tuple[np.ndarray, np.ndarray]:
        """Half-space centre and breadth of lattice points about `origin` (an isometry of H^4)."""
        return (points[..., :3] - self.origin[:3]) / self.origin[3], points[..., 3] / self.origin[3]


def open_vocabulary(points: Sequence[Point]) -> Vocabulary:
    """Checks the points and lays out their arrays.

    Raises:
        ValueError: see `cga._lattice.check_words`.
    """
    checked = check_words(points)
    coordinates = np.array(checked, float).T.copy()
    shift, scale = coordinates[:3].mean(axis=1), np.exp(np.log(coordinates[3]).mean())
    center, breadth = center_breadth(
        word_centroid(word((coordinates[:3].T - shift) / scale, coordinates[3] / scale))
    )
    inv_rho, origin = 1.0 / coordinates[3], np.append(center * scale + shift, breadth * scale)
    table = _key_table(coordinates, inv_rho) if len(checked) <= TABLED else None
    for array in (coordinates, inv_rho, origin, table):
        if array is not None:
            array.flags.writeable = False
    return Vocabulary(
        points=checked, coordinates=coordinates, inv_rho=inv_rho, origin=origin, key_table=table
    )


def _key_table(coordinates: np.ndarray, inv_rho: np.ndarray) -> Float64[np.ndarray, "words words"]:
    squares = np.zeros((len(inv_rho), len(inv_rho)))
    for axis in coordinates:
        squares += np.square(
            axis[None, :] - axis[:, None]
        )  # exact integers: any order of adding gives the same
    return squares * inv_rho


def locate(vocabulary: Vocabulary, prompts: Sequence[Sequence[int]]) -> list[Point]:
    """The exact Lorentz centroid of each prompt's words.

    Raises:
        ValueError: an empty prompt, or an index that is not in the vocabulary.
    """
    for number, prompt in enumerate(prompts):
        if not prompt:
            raise ValueError(f"prompts[{number}]: empty; a location needs at least one word")
        check_indices(prompt, vocabulary.size, f"prompts[{number}]")
    return [centroid(vocabulary.points[i] for i in prompt) for prompt in prompts]


def check_indices(indices: Sequence[int], size: int, where: str) -> None:
    """Raises ValueError if an index is not in 0..size-1 (a negative one would silently count from the end)."""
    if indices and (min(indices) < 0 or max(indices) >= size):
        wrong = next(i for i in indices if not 0 <= i < size)
        raise ValueError(f"{where}: no word {wrong}; the vocabulary has the words 0..{size - 1}")


def check_count(count: int, where: str) -> None:
    """Raises ValueError if a count is negative."""
    if count < 0:
        raise ValueError(f"{where}: {count} is negative; give 0 or more")
