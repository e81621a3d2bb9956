"""The snippets of the documentation and the notebook do what they say."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

import cga

pytestmark = pytest.mark.algebra
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("page", ["index"])
def test_the_snippets_of_the_pages(page):
    text = (ROOT / "docs" / "cga" / f"{page}.md").read_text()
    source = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    example = doctest.DocTestParser().get_doctest(source, {}, page, f"{page}.md", 0)
    assert len(example.examples) > 10
    report: list[str] = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed = doctest.DocTestRunner(optionflags=flags).run(example, out=report.append).failed
    assert failed == 0, "".join(report)


def test_the_pages_name_only_what_exists():
    for page in ("index", "features"):
        text = (ROOT / "docs" / "cga" / f"{page}.md").read_text()
        for name in re.findall(r"cga\.([a-z_]\w*)", text):
            assert hasattr(cga, name), f"{page}.md: cga.{name}"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_notebook_runs_from_top_to_bottom(capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    names = runpy.run_path(str(ROOT / "notebooks" / "cga_tour.py"))
    assert names["hit"].tolist() == [True, True, False, True]
    from matplotlib import pyplot

    pyplot.close("all")
