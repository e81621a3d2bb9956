"""Golden traces: turns as they were answered, which `core replay` can run again.

``make golden`` (``python -m tests.cognition.golden_traces``) writes those that have changed under the next version and
removes the old ones; the changelog then has to say why: "Golden traces, version N: ...".
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cognition import Runtime, RuntimeConfig
from cognition.replay import envelope

FOLDER = Path(__file__).parent / "golden"
ON = {"forward_graph_constraint": True}
Setting = Mapping[str, Any]

# Every intent with and without the graph constraint, compound prompts, every kind of refusal that a prompt can get.
PROMPTS: tuple[tuple[str, Setting], ...] = (
    ("What is light?", {}),
    ("What is light?", ON),
    ("What is knowledge?", ON),
    ("what are criteria?", {}),
    ("What is a law of nature?", {}),
    ("Do you know what a premise is?", {}),
    ("What does it mean to infer?", {}),
    ('What does "vague" mean?', {}),
    ("WHAT’S LIGHT", {}),
    ("Why does knowledge require evidence?", {}),
    ("Why does knowledge require evidence?", ON),
    ("Why does light exist?", {}),
    ("What causes dawn?", ON),
    ("Why do habits exist?", {}),
    ("Why is feedback important?", {}),
    ("Why do we need attention?", ON),
    ("How can I correct an error?", {}),
    ("How can I correct an error?", ON),
    ("How do I compare two theories?", {}),
    ("what are the steps to learn a skill?", ON),
    ("how to decide", {}),
    ("Compare memory and recall", {}),
    ("Compare memory and recall", ON),
    ("How does recognition differ from recall?", {}),
    ("light vs darkness", {}),
    ("What do sight and hearing have in common?", ON),
    ("Does memory require recall?", {}),
    ("Does memory require recall?", ON),
    ("Is the brain part of the body?", {}),
    ("Isn't language a system?", {}),
    ("Knowledge requires evidence, right?", {}),
    ("Does sound require hearing?", ON),
    ("What does repetition enable?", {}),
    ("What requires breath?", ON),
    ("Which things depend on premises?", {}),
    ("What comes after a hypothesis?", {}),
    ("Give me an example of a virtue.", {}),
    ("What kinds of inference are there?", ON),
    ("Eye is to sight as feedback is to what?", {}),
    ("bright is to dark as clear is to what", {}),
    ("Remember light", {}),
    ("What do you know about judgement?", ON),
    ("Tell me about philosophy.", {}),
    ("Say something about thoughts.", ON),
    ("No, correction means reviewed repair", {}),
    ("That's wrong: correlation does not reveal causes.", {}),
    ("light logos", {}),
    ("memory, habit, skill", {}),
    ("What is an insight? And why does practice matter?", {}),
    ("What's a wombat, and what is a pattern?", {}),
    ("What is light?", {"subject_span": "phrase", "forward_graph_constraint": True}),
    ("What is light?", {"max_tokens": 0}),
    ("What is a wombat?", {}),
    ("Why does memory require silence?", {}),
    ("I don't want to hear about emotions.", {}),
    ("Give me an example of truth.", {}),
    ("¿Qué es la verdad?", {}),
    ("The bus left without us.", {}),
    ("???", {}),
    ("", {}),
)


def name_of(place: int, prompt: str) -> str:
    """A file's name, without its version: the place in the list, and the prompt in letters that every system takes."""
    return f"{place:02}_{'_'.join(re.findall('[a-z0-9]+', prompt.lower()))[:48] or 'none'}"


def record(runtime: Runtime, prompt: str) -> dict[str, Any]:
    """A turn as it is kept: its envelope without what is measured, and its surface."""
    result = runtime.ask(prompt)
    kept = envelope(result, runtime)
    del kept["measured"]
    return kept | {"surface": result.surface}


def text_of(kept: Mapping[str, Any]) -> str:
    """JSON with a line for each step, so that a diff shows which one changed."""
    folded = kept["folded"]
    steps = ",\n".join(f"   {_line(step)}" for step in folded["steps"])
    rest = "".join(f'  "{key}": {_line(value)},\n' for key, value in folded.items() if key != "steps")
    head = "".join(f' "{key}": {_line(value)},\n' for key, value in kept.items() if key != "folded")
    return f'{{\n{head} "folded": {{\n{rest}  "steps": [\n{steps}\n  ]\n }}\n}}\n'


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def expected() -> dict[str, dict[str, Any]]:
    """The traces of all prompts as they come out now, by name."""
    vocabulary = Runtime.open().vocabulary
    return {
        name_of(place, prompt): record(Runtime(vocabulary, RuntimeConfig(**config)), prompt)
        for place, (prompt, config) in enumerate(PROMPTS, 1)
    }


def kept() -> dict[str, tuple[int, Path]]:
    """Version and file of the traces that are there, by name."""
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        name, version, _ = path.name.split(".")
        found[name] = (int(version.removeprefix("v")), path)
    return found


def main() -> None:
    """Brings the folder up to date, and says what changed."""
    there = kept()
    newest = max((version for version, _ in there.values()), default=0)
    changed = []
    for name, turn in expected().items():
        text = text_of(turn)
        version, path = there.pop(name, (0, None))
        if path is not None and path.read_text(encoding="utf-8") == text:
            continue
        if path is not None:
            path.unlink()
        # A new trace is of the version that there is; one that changed begins the next.
        later = newest + 1 if version else max(newest, 1)
        (FOLDER / f"{name}.v{later}.json").write_text(text, encoding="utf-8")
        changed.append(f"{name}.v{later}")
    for _, path in there.values():
        path.unlink()
        changed.append(f"{path.stem} (removed)")
    sys.stdout.write("".join(f"{line}\n" for line in changed) or "golden traces: nothing changed\n")
    if any(not line.endswith("(removed)") for line in changed) and newest:
        sys.stdout.write(f'say why in CHANGELOG.md: "Golden traces, version {newest + 1}: ..."\n')


if __name__ == "__main__":
    main()
