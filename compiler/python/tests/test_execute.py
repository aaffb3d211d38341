"""Execution on numpy arrays."""

import airfoil
import numpy as np
import pytest

SAXPY = """\
#version 430
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
uniform float a;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < y.length()) y[i] += a * x[i];
}
"""

TRIANGLE = {
    "vertex": """
        attribute vec2 p;
        attribute vec3 c;
        uniform mat2 turn;
        varying vec3 color;
        void main() { color = c; gl_Position = vec4(turn * p, 0.0, 1.0); }
    """,
    "fragment": "varying vec3 color; void main() { gl_FragColor = vec4(color, 1.0); }",
}


@pytest.mark.parametrize("level", [None, "O0", "O2"])
def test_compute(level):
    shader = airfoil.read_glsl(SAXPY, "compute")
    if level:
        shader.run(level)
    x = np.linspace(-1, 1, 20, dtype="float32")
    y = np.arange(20, dtype="float32").reshape(4, 5)
    kept = y.copy()
    after = airfoil.dispatch(shader, 3, {"X": x, "Y": y}, uniforms={"a": 0.5})
    assert list(after) == ["X", "Y"]
    np.testing.assert_array_equal(after["X"], x)
    expected = y + np.float32(0.5) * x.reshape(4, 5)
    np.testing.assert_array_equal(after["Y"], expected)
    assert after["Y"].dtype == np.float32
    np.testing.assert_array_equal(y, kept)


def test_resources_have_names_and_numbers():
    shader = airfoil.read_glsl(SAXPY, "compute")
    x, y = np.ones(8, "float32"), np.zeros(8, "float32")
    for keys in (("X", "Y"), (0, 1), ((0, 0), (0, 1))):
        after = airfoil.dispatch(shader, (1, 1, 1), dict(zip(keys, (x, y))), uniforms={"a": 3})
        assert after[keys[1]].tolist() == [3.0] * 8
    with pytest.raises(ValueError, match="there is no buffer `Z`; there is: X, Y"):
        airfoil.dispatch(shader, 1, {"Z": x})
    with pytest.raises(ValueError, match="there is no uniform `b`"):
        airfoil.dispatch(shader, 1, {"X": x, "Y": y}, uniforms={"b": 1})
    with pytest.raises(ValueError, match="uniform `a`: expected 1 numbers, found 2"):
        airfoil.dispatch(shader, 1, {"X": x, "Y": y}, uniforms={"a": [1, 2]})
    with pytest.raises(ValueError, match="expected a compute shader, found a fragment shader"):
        airfoil.dispatch(airfoil.read_glsl("void main() {}", "fragment"), 1)


def test_integers_and_faults():
    shader = airfoil.read_glsl(
        """#version 430
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer B { int n[]; };
        uniform uint first;
        void main() { for (uint i = first; n[i] != 0; i++) n[i] = -n[i]; }""",
        "compute",
    )
    after = airfoil.dispatch(shader, 1, {"B": np.array([5, 6, 7, 0], "int32")}, uniforms={"first": 1})
    assert after["B"].tolist() == [5, -6, -7, 0]
    with pytest.raises(ValueError, match="uniform `first`"):
        airfoil.dispatch(shader, 1, {"B": np.zeros(1, "int32")}, uniforms={"first": -(2**40)})
    endless = airfoil.read_glsl(
        """#version 430
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer B { int n; };
        void main() { while (n != 0) n++; }""",
        "compute",
    )
    with pytest.raises(airfoil.Error) as caught:
        airfoil.dispatch(endless, 1, {"B": np.array([1], "int32")}, max_steps=1000)
    assert caught.value.diagnostics[0].code == "E0043"
    with pytest.raises(airfoil.Error) as caught:
        airfoil.dispatch(endless, 1)
    assert caught.value.diagnostics[0].code in ("E0041", "E0042")


def test_a_fragment_shader_alone_covers_the_image():
    shader = airfoil.read_glsl("varying vec2 uv; void main() { gl_FragColor = vec4(uv, 0.25, 1.0); }", "fragment")
    for level in (None, "O2"):
        if level:
            shader.run(level)
        image = airfoil.render(shader, (8, 4))
        assert image.shape == (4, 8, 4) and image.dtype == np.float32
        x, y = (np.arange(8) + 0.5) / 8, (np.arange(4) + 0.5) / 4
        np.testing.assert_allclose(image[:, :, 0], np.broadcast_to(x, (4, 8)), atol=1e-6)
        np.testing.assert_allclose(image[:, :, 1], np.broadcast_to(y[::-1, None], (4, 8)), atol=1e-6)
        assert np.all(image[:, :, 2] == 0.25)


def test_programs_are_drawn():
    program = airfoil.link_glsl(TRIANGLE)
    corners = [[-1, -1], [1, -1], [-1, 1]]
    draw = {"attributes": {"p": corners, "c": [[1, 0, 0]] * 3}, "clear": (0, 0, 1, 0)}
    upright = airfoil.render(program, (4, 4), uniforms={"turn": [[1, 0], [0, 1]]}, **draw)
    # The lower left half is covered.
    assert upright[3, 0].tolist() == [1, 0, 0, 1] and upright[0, 3].tolist() == [0, 0, 1, 0]
    turned = airfoil.render(program, (4, 4), uniforms={"turn": -np.eye(2)}, **draw)
    assert turned[0, 3].tolist() == [1, 0, 0, 1] and turned[3, 0].tolist() == [0, 0, 1, 0]
    with pytest.raises(airfoil.Error, match="there is no input `q`"):
        airfoil.render(program, (4, 4), attributes={"q": corners})
    with pytest.raises(airfoil.Error, match="6 vertices are drawn, but the attributes have 3"):
        airfoil.render(program, (4, 4), vertices=6, **draw)
    with pytest.raises(ValueError, match=r"expected a topology \(points, .*\), found `cubes`"):
        airfoil.render(program, (4, 4), topology="cubes")


def test_textures():
    shader = airfoil.read_glsl(
        "varying vec2 uv; uniform sampler2D s; void main() { gl_FragColor = texture2D(s, uv); }", "fragment"
    )
    data = np.random.default_rng(1).random((4, 4, 3), dtype="float32")
    image = airfoil.render(shader, (4, 4), textures={"s": data})
    np.testing.assert_array_equal(image[::-1, :, :3], data)
    assert np.all(image[:, :, 3] == 1)
    two = np.array([[0, 255]], "uint8")
    for filter, second in (("nearest", 0.0), ("linear", 0.25)):
        gray = airfoil.render(shader, (4, 1), textures={"s": airfoil.Texture(two, filter=filter)})
        assert gray[0, 1].tolist() == [second, 0, 0, 1]
    with pytest.raises(ValueError, match=r"expected a filter \(nearest, linear\), found `cubic`"):
        airfoil.render(shader, (2, 2), textures={"s": airfoil.Texture(data, filter="cubic")})
    with pytest.raises(ValueError, match="expected a texture of floats"):
        airfoil.render(shader, (2, 2), textures={"s": data.astype("complex64")})


def test_integer_images():
    shader = airfoil.read_glsl(
        "#version 300 es\nprecision highp int; out highp uvec4 n; void main() { n = uvec4(gl_FragCoord.xy, 7u, 4294967295u); }",
        "fragment",
    )
    image = airfoil.render(shader, (2, 1))
    assert image.dtype == np.uint32 and image.tolist() == [[[0, 0, 7, 2**32 - 1], [1, 0, 7, 2**32 - 1]]]


def test_reflection(fade):
    shader = airfoil.read_glsl(SAXPY, "compute")
    reflection = shader.reflection()
    assert reflection["workgroup_size"] == [8, 1, 1]
    assert {(r["name"], r["binding"]) for r in reflection["resources"]} >= {("X", 0), ("Y", 1)}
    fragment = airfoil.read_glsl(fade, "fragment").reflection()
    assert [i["name"] for i in fragment["inputs"]] == ["tint"] and fragment["stage"] == "fragment"
