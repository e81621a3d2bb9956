# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Trace and replay
#
# Every answer comes with a trace of how it was made and with a hash of that trace. You will read one step by step,
# get the same hash in a batch and on the other backend, keep a session in a file and run it again, and see what a
# replay says when a record was edited or when something that it rests on is not at hand.
#
# *Reading: ten minutes. Running: a few seconds.*

# %%
import copy
import hashlib
import json
import shutil
import tempfile
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

from cognition import Runtime, RuntimeConfig, canonical, compute_trace_hash
from cognition.packs.build import freeze
from cognition.replay import Sources, Verdict
from cognition.session.export import export_session, replay_session

# %% [markdown]
# ## Ask
#
# A notebook shows a turn with its evidence. Words that no evidence stands behind are not said.

# %%
runtime = Runtime.open(config=RuntimeConfig(forward_graph_constraint=True))
turn = runtime.ask("Why does knowledge require evidence?")
turn

# %% [markdown]
# ## Read the trace
#
# Each stage leaves one step. They hold integers, booleans and strings: places in the prompt, numbers of words, ids
# of evidence, points of the lattice. A float is refused, because another machine may round it otherwise.

# %%
for number, step in enumerate(turn.folded["steps"], 1):
    rest = {name: value for name, value in step.items() if name not in ("stage", "version")}
    print(f"{number} {step['stage']:10} {json.dumps(rest)[:96]}")
try:
    canonical({"breadth": 0.5})
except TypeError as error:
    print(error)
else:
    raise AssertionError("a float was folded")

# %% [markdown]
# The words behind the numbers: from where the prompt stands, the walk goes to the nearest admissible word that it
# has not visited, and it ends when it has met the word that answers "because".

# %%
vocabulary = runtime.vocabulary
walked = next(step for step in turn.folded["steps"] if step["stage"] == "walk")
for word, pool in walked["steps"]:
    print(f"{vocabulary.lemma(word):15} chosen from {pool}")
(fill,) = turn.grounding.fills
assert walked["steps"][fill.step][0] == fill.word
print(f"grounds {fill.slot!r}: {[statement.id for statement in fill.statements]}")

# %% [markdown]
# ## The hash
#
# SHA-256 of the canonical JSON of what was folded. Anybody can compute it without this project.

# %%
by_hand = json.dumps(turn.folded, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
assert by_hand == canonical(turn.folded)
assert hashlib.sha256(by_hand).hexdigest() == turn.trace_hash == compute_trace_hash(turn.folded)
turn.trace_hash

# %% [markdown]
# Every decision of the geometry is taken on integers, so the hash does not depend on how or where it was computed:
# not on the size of a batch or its order, and not on the backend, here NumPy and JAX.

# %%
PROMPTS = [
    "Why does knowledge require evidence?", "What is light?", "Compare memory and recall",
    "Does memory require recall?", "How can I correct an error?", "What is a wombat?", "Remember light", "light logos",
]  # fmt: skip
alone = [runtime.ask(prompt).trace_hash for prompt in PROMPTS]
together = [found.trace_hash for found in runtime.run_batch(PROMPTS)]
backwards = [found.trace_hash for found in runtime.run_batch(PROMPTS[::-1])][::-1]
jax_runtime = Runtime.open(config=runtime.config, backend="jax")
by_jax = [found.trace_hash for found in jax_runtime.run_batch(PROMPTS)]
assert alone == together == backwards == by_jax
assert len(set(alone)) == len(PROMPTS)
for prompt, found in zip(PROMPTS, alone, strict=True):
    print(found[:16], prompt)

# %% [markdown]
# ## Keep a session, and run it again
#
# A session appends what was asked, taught and taken back to a file. It is closed here and opened again, as another
# process would; then it is exported as one JSON document, and every turn of it is really run again.

# %%
folder = tempfile.TemporaryDirectory()
kept = Path(folder.name, "notes.core")
with runtime.session(kept) as session:
    for prompt in PROMPTS[:4]:
        session.ask(prompt)
    session.teach("Light requires darkness.")
    session.undo()
with runtime.session(kept) as session:
    for event in session.history(undone=True):
        print(event.seq, event.kind, event.body.get("input", event.body.get("text")))
    record = json.loads(json.dumps(export_session(session.store, session.id)))

# %%
replayed = replay_session(record, Sources())
assert replayed.verdict is Verdict.match
assert replayed.turns == 4
print(replayed)

# %% [markdown]
# `core session export` and `core replay` do the same from the shell, with exit status 0 for a match, 1 for a
# mismatch, 3 where it cannot be replayed.
#
# ## An edited record
#
# One number of the first turn's walk is changed, and the hash is made to fit, as a forger would.

# %%
forged = copy.deepcopy(record)
first = forged["events"][0]["body"]
walk = next(step for step in first["folded"]["steps"] if step["stage"] == "walk")
walk["steps"][1][0] += 1
first["trace_hash"] = compute_trace_hash(first["folded"])
found = replay_session(forged, Sources())
assert found.verdict is Verdict.mismatch
assert found.turn == 1
assert "walk" in found.step
print(found)


# %% [markdown]
# Is there an edit that it misses? Here is every value that the first turn folds, each changed in turn with a hash
# that fits. A replay has to find each of them, and name the step it was made in.


# %%
def values(node, path=()):
    """The paths of all numbers and strings."""
    if isinstance(node, dict | list):
        for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
            yield from values(inner, (*path, key))
    else:
        yield path


single = {**record, "events": record["events"][:1]}
folded = single["events"][0]["body"]["folded"]
caught = Counter()
for path in values(folded["steps"]):
    forged = copy.deepcopy(single)
    body = forged["events"][0]["body"]
    *way, last = path
    place = body["folded"]["steps"]
    for key in way:
        place = place[key]
    place[last] = place[last] + 1 if isinstance(place[last], int) else f"{place[last]}."
    body["trace_hash"] = compute_trace_hash(body["folded"])
    found = replay_session(forged, Sources())
    stage = folded["steps"][path[0]]["stage"]
    assert found.verdict is Verdict.mismatch, path
    assert found.step == f"step {path[0] + 1} ({stage})", (path, found)
    caught[stage] += 1
print(f"{caught.total()} edits, all found:", dict(caught))

# %% [markdown]
# What was said, on which evidence, and the order of the events are compared as well.

# %%
said, cited, swapped = (copy.deepcopy(record) for _ in range(3))
said["events"][1]["body"]["surface"] += " Surely."
cited["events"][1]["body"]["citations"].pop()
swapped["events"][0], swapped["events"][1] = swapped["events"][1], swapped["events"][0]
for edited in (said, cited, swapped):
    found = replay_session(edited, Sources())
    assert found.verdict is Verdict.mismatch
    print(found)

# %% [markdown]
# ## What is not at hand
#
# A record names the pack it rests on by its hash. Here is a pack of our own: the shipped one for laboratories with
# one gloss changed.

# %%
own = Path(folder.name, "own_pack")
with as_file(files("cognition") / "packs/data/en_lab_safety_v1") as shipped:
    shutil.copytree(shipped, own)
rows = [json.loads(line) for line in (own / "senses.jsonl").read_text(encoding="utf-8").splitlines()]
goggles = next(row for row in rows if row["lemma"] == "pair of goggles")
goggles["gloss"] = "a pair of lenses in a frame that lies close to the face"
(own / "senses.jsonl").write_text(
    "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
)
freeze(own, refit=False)
with Runtime.open([own]).session() as session:
    answer = session.ask("What are goggles?")
    lab = json.loads(json.dumps(export_session(session.store, session.id)))
assert goggles["gloss"] in str(answer)
print(answer)

# %%
missing, at_hand = replay_session(lab, Sources()), replay_session(lab, Sources(packs=[own]))
assert missing.verdict is Verdict.cannot_replay
assert lab["events"][0]["body"]["pack"]["sha256"] in str(missing)
assert at_hand.verdict is Verdict.match
print(missing)
print(at_hand)

# %%
folder.cleanup()

# %% [markdown]
# `docs/sessions.md` has the tables of the file, the graph of a session, and the export as W3C PROV-JSON.
