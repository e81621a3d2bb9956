"""The snippets of the documentation do what they say."""

from __future__ import annotations

import doctest
import re
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
