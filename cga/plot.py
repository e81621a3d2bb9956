"""Pictures of conformal objects in three-dimensional matplotlib axes.

matplotlib is imported when something is drawn, so that the package works without it
(``pip install core-cognition[notebooks]`` brings it).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cga._conformal import _locus, single
from cga._multivector import Multivector
from cga._objects import kind

_STEPS = 48


def axes(figure_size: tuple[float, float] = (5.0, 5.0)) -> Any:
    """New three-dimensional axes in a figure of their own.

    Args:
        figure_size: width and height in inches.

    Returns:
        ``matplotlib`` axes of projection "3d".

    Raises:
        ImportError: matplotlib is not installed.
    """
    figure = _pyplot().figure(figsize=figure_size, layout="constrained")
    made = figure.add_subplot(projection="3d")
    made.set(xlabel="x", ylabel="y", zlabel="z")
    return made


def draw(
    x: Multivector | Iterable[Multivector],
    ax: Any = None,
    *,
    extent: float | int | None = None,
    color: Any = None,
    label: str | None = None,
    **style: Any,
) -> Any:
    """Draws objects: points, point pairs, flat points, lines, circles, planes, spheres; imaginary rounds dashed.

    A line is drawn over ``2 extent`` and a plane as a square of that side about its point nearest the middle of the
    axes. Call `frame` at the end for equal scales on all axes.

    Args:
        x: an OPNS object, a batch of them, or several.
        ax: the axes to draw on; new ones by default.
        extent: half the size of lines and planes, in the unit of length; by default from the limits of the axes.
        color: a matplotlib colour; by default the next of the cycle, one for each call.
        label: for the legend.
        style: passed on to matplotlib (``alpha``, ``linewidth``, ``s``, ...).

    Returns:
        The axes.

    Raises:
        ValueError: what is no object.
        ImportError: matplotlib is not installed.
    """
    ax = axes() if ax is None else ax
    color = ax._get_lines.get_next_color() if color is None else color
    reach = _extent(ax) if extent is None else float(extent)
    for element in [x] if isinstance(x, Multivector) else x:
        grade = single(element, "x").grades[0]
        flat = element.grade(grade).values.reshape(-1, element.grade(grade).values.shape[-1])
        for row in flat:
            _one(ax, Multivector(row, (grade,)), reach, color, label, style)
            label = None
    return ax


def frame(ax: Any, center: Any = (0.0, 0.0, 0.0), extent: float | int = 1.0) -> Any:
    """Shows the cube of half-side ``extent`` about ``center``, with equal scales; returns the axes."""
    for name, middle in zip("xyz", center, strict=True):
        getattr(ax, f"set_{name}lim")(middle - extent, middle + extent)
    ax.set_box_aspect((1, 1, 1), zoom=0.88)
    ax.locator_params(nbins=5)
    return ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("cga.plot draws with matplotlib: pip install matplotlib") from error
    return pyplot


def _middle(ax: Any) -> np.ndarray:
    return np.array([np.mean(getattr(ax, f"get_{name}lim")()) for name in "xyz"])


def _extent(ax: Any) -> float:
    """Half the longest side of what the axes show, at least 1."""
    sides = [np.ptp(getattr(ax, f"get_{name}lim")()) for name in "xyz"]
    return max(1.0, float(max(sides)) / 2)


def _one(
    ax: Any, x: Multivector, extent: float, color: Any, label: str | None, style: dict[str, Any]
) -> None:
    what, found = kind(x), _locus(x.values, x.grades[0])[0]
    place, span = np.asarray(found.place, float), np.asarray(found.span, float)
    radius2 = float(found.radius2)
    imaginary = radius2 < -float(found.noise)
    radius = np.sqrt(abs(radius2))
    line = {"color": color, "label": label, "linestyle": "--" if imaginary else "-", **style}
    touching = bool(found.round) and abs(radius2) <= float(found.noise)
    if what == "flat point" or touching:
        ax.scatter(*place, **{"color": color, "label": label, "marker": "o" if touching else "D", **style})
    elif what == "point pair":
        ends = np.array([place - radius * span[1:4], place + radius * span[1:4]])
        ax.plot(*ends.T, **{"marker": "o", "linewidth": 0.8, **line})
    elif what == "line":
        along = span[1:4]
        nearest = place + along * ((_middle(ax) - place) @ along)
        ax.plot(*np.array([nearest - extent * along, nearest + extent * along]).T, **line)
    elif what == "circle":
        ax.plot(*_ring(place, radius, span).T, **line)
    elif what == "plane":
        first, second, normal = _basis(span)
        middle = _middle(ax)
        nearest = middle + normal * ((place - middle) @ normal)
        corners = np.array([[-1, 1], [-1, 1]]) * extent
        u, v = np.meshgrid(*corners)
        grid = nearest[:, None, None] + first[:, None, None] * u + second[:, None, None] * v
        ax.plot_surface(*grid, **{"color": color, "alpha": 0.25, "label": label, "shade": False, **style})
    else:
        _sphere(ax, place, radius, imaginary, {"color": color, "label": label, **style})


def _sphere(ax: Any, place: np.ndarray, radius: float, imaginary: bool, style: dict[str, Any]) -> None:
    """A surface, or the three great circles of an imaginary sphere."""
    if imaginary:
        for number, blade in enumerate(((4, 1.0), (5, 1.0), (6, 1.0))):
            span = np.zeros(8)
            span[blade[0]] = blade[1]
            ring = {"linestyle": "--", **style, "label": style["label"] if number == 0 else None}
            ax.plot(*_ring(place, radius, span).T, **ring)
        return
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, _STEPS), np.linspace(0, np.pi, _STEPS // 2))
    unit = np.array([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    ax.plot_surface(*(place[:, None, None] + radius * unit), **{"alpha": 0.25, "linewidth": 0, **style})


def _basis(span: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two vectors that span a unit bivector of Cl(3), and its normal, right-handed."""
    normal = np.array([span[6], -span[5], span[4]])
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first), normal


def _ring(place: np.ndarray, radius: float, span: np.ndarray) -> np.ndarray:
    first, second, _ = _basis(span)
    t = np.linspace(0, 2 * np.pi, 2 * _STEPS + 1)[:, None]
    return place + radius * (np.cos(t) * first + np.sin(t) * second)
