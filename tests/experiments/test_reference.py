"""Pages made from the code say what the code says."""

from __future__ import annotations

import pytest

from experiments.reference import DOCS, PAGES


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_what_the_code_gives(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run: make reference"
