"""The Python of docs/teaching.md runs, each block in an empty folder."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.teaching

PAGE = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_examples() -> None:
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[-1])
def test_an_example_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.py").write_text(block, encoding="utf-8")
    names = runpy.run_path(str(tmp_path / "example.py"))
    if "store" in names:
        names["store"].close()
