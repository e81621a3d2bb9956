"""Cases from public bug reports of other libraries of geometric algebra, each with its source and the right value."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from tests.cga.oracles import CGA_GRADES

pytestmark = pytest.mark.algebra
CASES = json.loads((Path(__file__).parent / "data" / "ga_cases.json").read_text(encoding="utf-8"))
_NAMES = {name: i for i, name in enumerate(cga.CGA.blade_names)} | {"s": 0}


def full(components):
    values = np.zeros(32)
    for name, value in components.items():
        values[_NAMES[name]] = value
    return values


def read(components, dtype=np.float64):
    """As a user would write it; the values are Python numbers."""
    return mv(components if components else {"s": 0.0}).astype(dtype)


def bivector(components):
    return mv(full(components)[CGA_GRADES == 2], 2)


def rotor(components):
    return mv(full(components)[CGA_GRADES % 2 == 0], (0, 2, 4))


def same(found, expected, tolerance):
    expected = np.asarray(expected, float)
    bound = tolerance * max(1.0, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(np.asarray(found, float), expected, rtol=0, atol=bound)


def same_mv(found, expected, tolerance):
    same(found.to_array(), full(expected), tolerance)


def refused(call, x):
    """Raises eagerly; all not finite when traced."""
    with pytest.raises(ValueError):
        call(x)
    return not np.isfinite(jax.jit(call)(x).values).any()


UNARY = {
    "log": (cga.log, rotor, "R"),
    "sqrt": (cga.sqrt, rotor, "R"),
    "exp": (cga.exp, read, "B"),
    "inverse": (cga.inverse, read, "x"),
    "normalize": (cga.normalize, read, "x"),
    "project_rotor": (cga.unitize, rotor, "X"),
    "dual": (cga.dual, read, "x"),
    "dual_twice": (lambda x: cga.dual(cga.dual(x)), read, "x"),
    "jit_identity": (jax.jit(lambda x: x), read, "x"),
}
BINARY = {
    "geometric": cga.geometric,
    "regressive": cga.regressive,
    "left_contraction": cga.left_contraction,
}


def move(r, point, dtype=np.float64):
    return cga.down(r >> cga.up(jnp.asarray(point, dtype)))


def check(case):
    op, given, expected, tolerance = (case[k] for k in ("op", "input", "expected", "tolerance"))
    claim = expected.get("property") if isinstance(expected, dict) else None
    if op in UNARY:
        function, reader, key = UNARY[op]
        x = reader(given[key])
        if claim:
            assert refused(function, x)
        else:
            same_mv(function(x), expected, tolerance)
    elif op in BINARY:
        if "2**40" in case["note"]:
            given = {k: {n: int(v) for n, v in x.items()} for k, x in given.items()}
        same_mv(BINARY[op](read(given["a"]), read(given["b"])), expected, tolerance)
    else:
        globals()[f"check_{op}"](given, expected, tolerance)


def check_power(given, expected, tolerance):
    found = cga.power(read(given["x"]), given["n"])
    assert found.dtype == np.float64
    same_mv(found, expected, tolerance)


def check_exp_twice(given, expected, tolerance):
    np.testing.assert_array_equal(cga.exp(bivector(given["B"])).values, cga.exp(bivector(given["B"])).values)


def check_exp_then_move_point(given, expected, tolerance):
    same(move(cga.exp(bivector(given["B"])), given["point"]), expected, tolerance)


def check_compose_many_f32(given, expected, tolerance):
    step = rotor(given["R"]).astype(np.float32)

    def compose(total, _):
        return cga.unitize((step * total).with_grades((0, 2, 4))), None

    start = mv("1").with_grades((0, 2, 4)).astype(np.float32)
    found = jax.lax.scan(compose, start, None, length=given["n"])[0]
    assert float(cga.versor_condition(found)) < 2e-7
    assert float(jnp.linalg.norm((found + 1).values)) < tolerance


def check_meet_blades(given, expected, tolerance):
    a, b = read(given["a"]), read(given["b"])
    meets = [cga.meet(a, b).to_array(), cga.meet(b, a).to_array()]
    for found in meets:
        ratio = found @ b.to_array() / (b.to_array() @ b.to_array())
        assert abs(ratio) > 1e-3
        same(found, ratio * b.to_array(), tolerance)
    same(np.abs(meets[0]), np.abs(meets[1]), tolerance)


def check_norm_squared(given, expected, tolerance):
    same(cga.norm_squared(read(given["x"])), expected, tolerance)


def check_geometric_batched(given, expected, tolerance):
    a = mv(np.stack([full(x) for x in given["a"]]))
    same((a * read(given["b"])).to_array(), np.stack([full(x) for x in expected]), tolerance)


def check_scale_batched(given, expected, tolerance):
    b = mv(np.stack([full(x) for x in given["b"]]))
    wanted = np.stack([full(x) for x in expected])
    numpy_array, jax_array = np.asarray(given["a"]), jnp.asarray(given["a"])
    for found in (numpy_array * b, jax_array * b, b * numpy_array, b * jax_array):
        same(found.to_array(), wanted, tolerance)


def check_parse(given, expected, tolerance):
    same_mv(cga.parse(given.get("text", given.get("string"))), expected, tolerance)


def check_is_blade(given, expected, tolerance):
    assert [bool(cga.is_blade(read(x))) for x in given["xs"]] == expected
    assert cga.is_blade(mv(np.stack([full(x) for x in given["xs"]]))).tolist() == expected


def check_is_versor(given, expected, tolerance):
    assert [bool(cga.is_versor(read(x))) for x in given["xs"]] == expected
    assert cga.is_versor(mv(np.stack([full(x) for x in given["xs"]]))).tolist() == expected


def check_bivector_split(given, expected, tolerance):
    b = bivector(given["B"])
    parts = cga.split(b)
    if isinstance(expected, list):
        for found, wanted in zip(parts, expected, strict=True):
            same_mv(found, wanted, tolerance)
        return
    same((parts[0] + parts[1]).to_array(), b.to_array(), tolerance)
    same((parts[0] * parts[1] - parts[1] * parts[0]).to_array(), np.zeros(32), tolerance)
    for part in parts:
        same((part * part).to_array()[1:], np.zeros(31), tolerance)


def check_constants(given, expected, tolerance):
    same_mv(cga.eo, expected["eo"], 0)
    same_mv(cga.einf, expected["einf"], 0)
    same((cga.eo | cga.einf)["s"], expected["eo_dot_einf"], 0)
    same_mv(cga.einf ^ cga.eo, expected["E0=einf^eo"], 0)
    same_mv(cga.undual(mv("1")), expected["I"], 0)


def check_null_coordinates(given, expected, tolerance):
    found = cga.null_coordinates(read(given["x"]))
    found = found if isinstance(found, dict) else found._asdict() if hasattr(found, "_asdict") else found
    if isinstance(found, dict):
        for name, value in expected.items():
            same(found[name], value, tolerance)
    else:
        same(found, [expected[k] for k in ("e1", "e2", "e3", "eo", "einf")], tolerance)


def check_down(given, expected, tolerance):
    same(cga.down(read(given["P"])), expected, tolerance)


def check_distance(given, expected, tolerance):
    same(cga.distance(read(given["P"]), read(given["Q"])), expected, tolerance)


def check_grad_distance(given, expected, tolerance):
    q = cga.up(jnp.asarray(given["Q"], float))
    found = jax.grad(lambda x: cga.distance(cga.up(x), q))(jnp.asarray(given["P"], float))
    same(found, expected, tolerance)


def check_sphere_ipns_center_radius2(given, expected, tolerance):
    sphere = cga.undual(read(given["s"]))
    same(cga.down(cga.center(sphere)), expected["center"], tolerance)
    same(cga.radius_squared(sphere), expected["radius2"], tolerance)


def check_point_pair_split(given, expected, tolerance):
    for found, wanted in zip(cga.split_point_pair(read(given["pp"])), expected, strict=True):
        same(cga.down(found), wanted, tolerance)


def check_line_sphere_points(given, expected, tolerance):
    line = cga.line(*(jnp.asarray(x, float) for x in given["line"]))
    sphere = cga.sphere(center=jnp.asarray(given["center"], float), radius=float(given["radius"]))
    found = [np.asarray(cga.down(p)) for p in cga.split_point_pair(cga.meet(line, sphere))]
    same(sorted(found, key=tuple), sorted(expected), tolerance)


def check_sandwich_versor(given, expected, tolerance):
    same_mv(read(given["V"]) >> read(given["x"]), expected, tolerance)


def check_sandwich_point(given, expected, tolerance):
    same(move(read(given["R"]), given["point"]), expected, tolerance)


def check_sandwich_point_f32(given, expected, tolerance):
    found = move(read(given["R"], np.float32), given["point"], np.float32)
    assert found.dtype == np.float32
    same(found, expected, tolerance)


def check_estimate_motor(given, expected, tolerance):
    found = cga.estimate_motor(np.asarray(given["P"]), np.asarray(given["Q"]))
    wanted = full(expected["up_to_sign"])
    same(found.to_array() * np.sign(wanted[0]), wanted, tolerance)


def exp32(values):
    return cga.exp(mv(values, 2)).to_array()


def check_jvp_exp(given, expected, tolerance):
    _, moved = jax.jvp(exp32, (bivector(given["B"]).values,), (bivector(given["dB"]).values,))
    for name, value in expected.items():
        same(moved[_NAMES[name]], value, tolerance)
    assert np.isfinite(moved).all()


def check_jacobian_exp(given, expected, tolerance):
    found = jax.jacfwd(exp32)(bivector(given["B"]).values)
    same(found[CGA_GRADES == 2], np.eye(10), tolerance)
    same(found[CGA_GRADES != 2], np.zeros((22, 10)), tolerance)


def check_jacobian_log_exp(given, expected, tolerance):
    found = jax.jacfwd(lambda v: cga.log(cga.exp(mv(v, 2))).values)(bivector(given["B"]).values)
    same(found, np.eye(10), tolerance)


def check_up_dtype(given, expected, tolerance):
    dtype = jnp.dtype(given["dtype"])
    found = cga.up(jnp.asarray(given["x"], dtype))
    assert found.dtype in (dtype, np.float32)
    if found.dtype == np.float32:
        assert np.isfinite(found.values).all()
    assert np.isfinite(cga.up(jnp.asarray(given["x"], jnp.bfloat16)).values.astype(np.float32)).all()


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_case(case):
    check(case)


def test_every_case_names_its_source():
    assert all(case["source"] for case in CASES)
