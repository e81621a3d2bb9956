"""Makes the pictures of the gallery: ``python docs/gallery.py [FOLDER]`` (needs matplotlib).

Each function below draws one picture, named after it, and its docstring is the caption in docs/cga/gallery.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import cga

BLUE, ORANGE, GREEN, RED, GREY = "#0072b2", "#d55e00", "#009e73", "#cc3377", "#666666"


def objects() -> Any:
    """One object of each kind: sphere, plane, circle, line, point pair and point."""
    ax = cga.plot.frame(cga.plot.axes(), extent=2.2)
    cga.plot.draw(cga.sphere(center=[-1.0, 1.0, 0.4], radius=0.8), ax, color=BLUE, label="sphere")
    cga.plot.draw(cga.plane(normal=[0, 0, 1], offset=-1.2), ax, color=GREEN, label="plane", extent=2.0)
    cga.plot.draw(
        cga.circle(center=[1.0, -0.6, 0.2], normal=[1, -1, 2], radius=0.9), ax, color=ORANGE, label="circle"
    )
    cga.plot.draw(cga.line([-2.0, -1.5, -1.0], [1.0, -1.5, 1.0]), ax, color=RED, label="line", extent=2.2)
    cga.plot.draw(cga.point_pair([0.2, 1.6, -0.8], [1.6, 1.2, 1.0]), ax, color=GREY, label="point pair")
    cga.plot.draw(cga.up([1.0, -0.6, 1.7]), ax, color="black", label="point")
    ax.legend(loc="upper left", fontsize=8)
    return ax


def meets() -> Any:
    """Two spheres meet in a circle, and a line meets one of them in a point pair."""
    ax = cga.plot.frame(cga.plot.axes(), extent=1.8)
    left, right = cga.sphere(center=[-0.6, 0, 0], radius=1.1), cga.sphere(center=[0.7, 0, 0], radius=0.9)
    line = cga.line([-1.5, -0.5, 1.5], [0.0, 0.3, -1.2])
    cga.plot.draw([left, right], ax, color=BLUE, alpha=0.18)
    cga.plot.draw(cga.meet(left, right), ax, color=ORANGE, linewidth=2.5, label="sphere and sphere")
    cga.plot.draw(line, ax, color=GREY, extent=2.0, linewidth=1)
    points = cga.split_point_pair(cga.meet(line, left))
    cga.plot.draw(points, ax, color=RED, s=45, label="line and sphere", depthshade=False)
    ax.legend(loc="upper left", fontsize=8)
    return ax


def planes_and_line() -> Any:
    """Two planes meet in a line; that line and a third plane meet in a flat point."""
    ax = cga.plot.frame(cga.plot.axes(), extent=1.8)
    first, second = cga.plane(normal=[0, 1, 1], offset=0.2), cga.plane(normal=[0, -1, 1], offset=0.1)
    third = cga.plane(normal=[1, 0, 0.2], offset=0.4)
    for one, color in zip((first, second, third), (BLUE, GREEN, GREY), strict=True):
        cga.plot.draw(one, ax, color=color, extent=1.4, alpha=0.2)
    line = cga.meet(first, second)
    cga.plot.draw(line, ax, color=ORANGE, linewidth=2.5, extent=1.7, label="plane and plane")
    cga.plot.draw(cga.meet(line, third), ax, color=RED, s=60, label="line and plane", depthshade=False)
    ax.legend(loc="upper left", fontsize=8)
    return ax


def screw() -> Any:
    """One motor, applied again and again: a circle carried along a screw."""
    ax = cga.plot.frame(cga.plot.axes(), center=(0, 0, 1.2), extent=1.6)
    angle, rise = np.pi / 9, 0.13
    turn = cga.from_quaternion([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    motor = cga.mv({"1": 1.0, "e34": -rise / 2, "e35": -rise / 2}) * turn
    moved = cga.circle(center=[1.0, 0.0, 0.0], normal=[0, 1, 0.4], radius=0.3)
    for color in mpl.colormaps["viridis"](np.linspace(0, 0.95, 20)):
        cga.plot.draw(moved, ax, color=color, linewidth=1.4)
        moved = motor >> moved
    cga.plot.draw(cga.line(point=[0, 0, 1.2], direction=[0, 0, 1]), ax, color=GREY, extent=1.6, linewidth=1)
    return ax


def inversion() -> Any:
    """Reflection in a sphere turns a bundle of lines into circles through its centre."""
    ax = cga.plot.frame(cga.plot.axes(), extent=1.7)
    mirror = cga.sphere(center=[0, 0, 0], radius=1.0)
    cga.plot.draw(mirror, ax, color=GREY, alpha=0.12)
    for x, color in zip(
        np.linspace(-1.2, 1.2, 5), mpl.colormaps["plasma"](np.linspace(0, 0.85, 5)), strict=True
    ):
        line = cga.line(point=[x, 0.0, 0.8], direction=[0.25 * x, 1, 0])
        cga.plot.draw(line, ax, color=color, extent=1.6, linewidth=1)
        cga.plot.draw(cga.dual(mirror) >> line, ax, color=color, linewidth=2)
    return ax


def imaginary() -> Any:
    """Spheres that approach a plane: the circle of the meet shrinks to a point and turns imaginary (dashed)."""
    ax = cga.plot.frame(cga.plot.axes(), center=(0, 0, 0.3), extent=2.2)
    ground = cga.plane(normal=[0, 0, 1], offset=0.0)
    cga.plot.draw(ground, ax, color=GREEN, alpha=0.15, extent=2.2)
    for x, height in zip((-1.5, 0.0, 1.5), (0.35, 0.6, 0.85), strict=True):
        ball = cga.sphere(center=[x, 0, height], radius=0.6)
        cga.plot.draw(ball, ax, color=BLUE, alpha=0.15)
        cga.plot.draw(cga.meet(ball, ground), ax, color=ORANGE, linewidth=2.2)
    return ax


PICTURES: tuple[Callable[[], Any], ...] = (objects, meets, planes_and_line, screw, inversion, imaginary)


def main(folder: Path) -> None:
    """Writes every picture into a folder as PNG."""
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        figure = picture().figure
        figure.savefig(folder / f"{picture.__name__}.png", dpi=90)
        pyplot.close(figure)


if __name__ == "__main__":
    mpl.use("Agg")
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
