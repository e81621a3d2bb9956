"""The sections of `core bench all` that rest on the other benchmarks, from turns to hierarchies."""

from __future__ import annotations

import random
from itertools import islice
from time import perf_counter

import numpy as np

from cga.backend import HierarchyProblem, fit_hierarchy, open_backend
from cognition.packs.load import DEFAULT_PACK, load_pack
from cognition.packs.vocabulary import Vocabulary
from experiments.bench import recognition, timing
from experiments.bench.cga import _cases, _rival
from experiments.bench.rows import (
    CLIFFORD,
    FAISS,
    GENSIM,
    HNSWLIB,
    INSTALL,
    KINGDON,
    NUMPY,
    SPACY,
    Peer,
    Row,
    judged_row,
    timed_row,
)
from experiments.bench.search import K, bench_search
from experiments.bench.turn import (
    PREDECESSOR,
    PREDECESSOR_RATES,
    _cold_starts,
    _runtimes,
    _single_turns,
)
from experiments.closure.pairs import Closure, closure_of
from experiments.closure.peer import Settings, bench_gensim
from experiments.closure.ranks import lattice_keys, rank_pairs
from experiments.cognition_eval.run import evaluate
from experiments.metrics.cases import load_suite
from experiments.metrics.lexicon import Lexicon
from recognition import derive_recognizer

AS_PUBLISHED = "as published, on another machine"
ALGEBRA: tuple[tuple[Peer, int, tuple[str, ...]], ...] = (
    (KINGDON, 1, ("full product", "own rotor per point")),
    (KINGDON, 100_000, ("full product", "even x even", "own rotor per point", "one rotor")),
    (CLIFFORD, 1, ("full product", "exp")),
    (CLIFFORD, 1_000, ("full product", "own rotor per point", "exp", "inverse")),
)
SIZES, QUICK_SIZES = (100_000, 1_000_000), (100_000,)
QUERIES, QUICK_QUERIES = (1, 64), (64,)
NODES, QUICK_NODES = 300, 120
SEEDS = 3


def turn_rows(*, quick: bool = False) -> list[Row]:
    """Our turns on NumPy beside what the predecessor published; the same in both lengths."""
    vocabulary = Vocabulary(load_pack(DEFAULT_PACK), open_backend("numpy"))
    off, on = _runtimes(vocabulary)
    times = {**_single_turns(off, on), "first_answer_ms": _cold_starts(DEFAULT_PACK)}
    arms = evaluate(load_suite("public", Lexicon(vocabulary)), vocabulary, arms=("on",))["arms"]
    labels = {
        "turn_off_ms": ("a warm turn, constraint off", "turn_ms"),
        "turn_on_ms": ("a warm turn, constraint on", "turn_ms"),
        "constraint_ms": ("build_graph_constraint", "constraint_ms"),
        "first_answer_ms": ("core ask, process start to answer", "first_answer_ms"),
    }
    figures = [
        (what, "ms", list(times[key]), PREDECESSOR[published]) for key, (what, published) in labels.items()
    ] + [
        (f"13 public prompts: {key.replace('_', ' ')}", "%", [100 * arms["on"][key]], published)
        for key, published in PREDECESSOR_RATES.items()
    ]
    return [
        Row(
            what=what,
            unit=unit,
            ours=timing.summary(ours),
            peer="predecessor",
            published=published,
            note=AS_PUBLISHED,
        )
        for what, unit, ours, published in figures
    ]


def algebra_rows(*, quick: bool = False) -> list[Row]:
    """Products, sandwiches, exponentials and inverses in float32, beside kingdon and clifford."""
    repeats = timing.QUICK_REPEATS if quick else timing.REPEATS
    rows: list[Row] = []
    for peer, size, names in ALGEBRA:
        module = peer.load()
        for case in _cases(np.dtype("float32"), size):
            if case.name in names:
                theirs = None if module is None else _rival(peer.module, module, case)
                runs = {"ours": case.call} | ({} if theirs is None else {"theirs": theirs})
                times = timing.in_turns(runs, repeats)
                what = f"{case.name}, {size:,} at once"
                rows.append(timed_row(what, peer, times["ours"], times.get("theirs")))
    return rows


def search_rows(*, quick: bool = False) -> list[Row]:
    """The exact nearest words, by blocks, beside NumPy, FAISS and hnswlib."""
    report = bench_search(
        quick=quick,
        sizes=QUICK_SIZES if quick else SIZES,
        batches=QUICK_QUERIES if quick else QUERIES,
    )
    rows: list[Row] = []
    for found in report["rows"]:
        queries = f"{found['queries']} quer{'y' if found['queries'] == 1 else 'ies'}"
        what = f"{K} nearest of {found['words']:,} words, {queries}"
        for peer, key in ((NUMPY, "numpy"), (FAISS, "faiss"), (HNSWLIB, "hnswlib")):
            there = key in found["times_ms"]
            rows.append(
                Row(
                    what=what,
                    unit="ms",
                    ours=found["times_ms"]["blocks"],
                    peer=peer.name,
                    version=peer.version if there else None,
                    theirs=found["times_ms"].get(key),
                    ratio=found["ratios"].get(f"{key}/blocks"),
                    note=f"finds {100 * found['agree'][key]:.1f} % of the exact nearest"
                    if there
                    else INSTALL,
                )
            )
    return rows


def recognition_rows(*, quick: bool = False) -> list[Row]:
    """Sentences of the published family, read with evidence, beside patterns written by hand."""
    sentences = list(
        islice(recognition.family(), recognition.QUICK_SENTENCES if quick else recognition.SENTENCES)
    )
    recognizer = derive_recognizer(recognition._published())
    spacy = SPACY.load()
    runs: dict[str, timing.Run] = {"ours": lambda: recognition._read(recognizer, sentences)}
    note = ""
    if spacy is not None:
        matcher = recognition._matcher(spacy, sentences)
        runs["theirs"] = lambda: matcher(sentences)
        note = f"covers {matcher(sentences):,} of {len(sentences):,} sentences"
    times = timing.in_turns(runs, timing.QUICK_REPEATS if quick else timing.REPEATS)
    share = 1000 / len(sentences)
    return [
        timed_row(
            "a sentence recognised",
            SPACY,
            times["ours"],
            times.get("theirs"),
            unit="µs",
            shares=(share, share),
            note=note,
        )
    ]


def hierarchy_rows(*, quick: bool = False) -> list[Row]:
    """A random tree, fitted and given back, beside gensim: with its usual epochs, and in as much time as ours took."""
    tree = random_tree(QUICK_NODES if quick else NODES)
    there = GENSIM.load() is not None
    ours_s: list[float] = []
    ours_map: list[float] = []
    theirs: dict[str, list[dict[str, float]]] = {"usual": [], "equal": []}
    for seed in range(1 if quick else SEEDS):
        start = perf_counter()
        problem = HierarchyProblem(
            size=len(tree), ancestors=list(map(tuple, tree.pairs.tolist())), close=True
        )
        points = fit_hierarchy(problem, seed=seed).points
        ours_s.append(perf_counter() - start)
        ours_map.append(rank_pairs(lattice_keys(points), len(tree), tree.pairs, None).figures()["map"])
        if there:
            usual = Settings()
            found = bench_gensim(tree.names, tree.pairs, None, usual, seed=seed)
            theirs["usual"].append(found)
            each = found["seconds"] / (usual.epochs + usual.burn_in)
            epochs = max(1, round(ours_s[-1] / each) - usual.burn_in)
            equal = Settings(epochs=epochs)
            theirs["equal"].append(bench_gensim(tree.names, tree.pairs, None, equal, seed=seed))
    what = f"a tree of {len(tree)} nodes, {len(tree.pairs):,} pairs"
    dims = "4 dimensions on the lattice beside 5 in floating point"
    rows = []
    for key, label in (("usual", "its usual 50 epochs"), ("equal", "epochs for about our time")):
        found = theirs[key]
        seconds = [1000 * one["seconds"] for one in found] if there else None
        ours_ms = [1000 * value for value in ours_s]
        rows.append(
            timed_row(
                f"{what}: fit, {label}", GENSIM, ours_ms, seconds, unit="s", shares=(0.001, 0.001), note=dims
            )
        )
        quality = [one["map"] for one in found] if there else None
        rows.append(judged_row(f"{what}: given back, {label}", "MAP", GENSIM, ours_map, quality, dims))
    return rows


def random_tree(size: int) -> Closure:
    """The transitive closure of a random tree; broad nodes are drawn as parents more often."""
    draw = random.Random(size)
    above: list[tuple[int, ...]] = [()]
    for node in range(1, size):
        parent = int(draw.random() ** 1.5 * node)
        above.append((parent, *above[parent]))
    pairs = [(node, ancestor) for node, found in enumerate(above) for ancestor in found]
    return closure_of(tuple(f"node {node}" for node in range(size)), pairs, "random tree")
