"""Pictures: each kind is drawn where it is; matplotlib is loaded only when something is drawn."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cga

pytestmark = pytest.mark.algebra
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def ax():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    made = cga.plot.frame(cga.plot.axes(), extent=3.0)
    yield made
    pyplot.close("all")


def test_each_kind_is_drawn_where_it_is(ax):
    c, n = np.array([1.0, 0.5, -0.5]), np.array([0.0, 0.6, 0.8])
    cga.plot.draw(cga.circle(center=c, normal=n, radius=1.5), ax)
    cga.plot.draw(cga.line(point=c, direction=n), ax, extent=2)
    cga.plot.draw(cga.point_pair(c, c + n), ax)
    circle, line, pair = (np.array(drawn.get_data_3d()).T for drawn in ax.lines)
    np.testing.assert_allclose(np.linalg.norm(circle - c, axis=-1), 1.5, atol=1e-12)
    np.testing.assert_allclose((circle - c) @ n, 0, atol=1e-12)
    np.testing.assert_allclose(np.cross(line - c, n), 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(line[1] - line[0]), 4)
    np.testing.assert_allclose(pair, [c, c + n], atol=1e-12)
    assert ax.lines[0].get_color() != ax.lines[1].get_color()


def test_points_planes_spheres_batches_and_lists(ax):
    assert cga.plot.draw(cga.up(np.eye(3)), ax, color="red", label="points") is ax
    assert len(ax.collections) == 3
    for number, offset in enumerate(ax.collections):
        np.testing.assert_allclose(np.ravel(offset._offsets3d), np.eye(3)[number])
    assert [c.get_label() for c in ax.collections].count("points") == 1
    cga.plot.draw(
        [cga.plane(normal=[0, 0, 1], offset=1), cga.sphere(center=[0, 0, 0], radius=2)], ax, alpha=0.1
    )
    plane, sphere = ax.collections[3:]
    np.testing.assert_allclose(plane._faces[..., 2], 1, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(sphere._faces, axis=-1), 2, atol=1e-12)


def test_imaginary_rounds_are_dashed_and_tangent_ones_are_points(ax):
    ball = cga.sphere(center=[0, 0, 0], radius=1)
    cga.plot.draw(cga.meet(ball, cga.plane(normal=[0, 0, 1], offset=2)), ax)
    assert ax.lines[-1].get_linestyle() == "--"
    cga.plot.draw(cga.undual(cga.up([0, 0, 0]) + 0.5 * cga.einf), ax)
    assert len(ax.lines) == 4
    cga.plot.draw(cga.meet(ball, cga.plane(normal=[0, 0, 1], offset=1)), ax)
    assert len(ax.collections) == 1


def test_what_is_no_object_is_refused(ax):
    with pytest.raises(ValueError, match="no blade"):
        cga.plot.draw(cga.mv("e12 + e34"), ax)


def test_matplotlib_is_loaded_only_for_drawing(user_env):
    code = "import sys, cga; cga.plot.draw; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=user_env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.slow
def test_the_gallery_draws_every_picture(ax, tmp_path):
    gallery = runpy.run_path(str(ROOT / "docs" / "gallery.py"))
    gallery["main"](tmp_path)
    made = {path.stem for path in tmp_path.glob("*.png")}
    assert made == {picture.__name__ for picture in gallery["PICTURES"]}
    kept = {path.stem for path in (ROOT / "docs" / "images").glob("*.png")}
    assert made <= kept
    page = (ROOT / "docs" / "cga" / "gallery.md").read_text()
    for picture in gallery["PICTURES"]:
        assert f"images/{picture.__name__}.png" in page
        assert picture.__doc__ in page
