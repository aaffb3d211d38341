"""Compiling for targets."""

import airfoil
import pytest


def test_libraries(fade):
    shader = airfoil.read_glsl(fade, "fragment")
    library = airfoil.compile(shader, "macos14")
    assert library.metallib.startswith(b"MTLB")
    (function,) = library.functions
    assert (function.name, function.stage) == ("fragment_main", "fragment")
    assert function.air.startswith("; ModuleID") or "target triple" in function.air
    assert "air64-apple-macosx14" in function.air
    assert [v["name"] for v in function.reflection["inputs"]] != []
    # Equal inputs give equal bytes, and the shader stays.
    assert airfoil.compile(shader, "macos14").metallib == library.metallib
    assert shader.form == "variables"
    assert airfoil.compile(shader, "ios16", level="O0").metallib != library.metallib


def test_programs_share_a_library():
    program = airfoil.link_glsl({
        "vertex": "attribute vec4 p; void main() { gl_Position = p; }",
        "fragment": "uniform vec4 tint; void main() { gl_FragColor = tint; }",
    })
    library = airfoil.compile(program)
    assert [f.name for f in library.functions] == ["vertex_main", "fragment_main"]
    (argument,) = library.functions[1].reflection["arguments"]
    assert argument["kind"] == "uniform_buffer"
    assert airfoil.compile(program, flip_y=True, half_z=True).metallib != library.metallib


def test_spirv_reads_back(fade):
    shader = airfoil.read_glsl(fade, "fragment", vulkan=True)
    for level in ("O0", "O2"):
        module = airfoil.to_spirv(shader, "vulkan1.2", level=level)
        assert module[:4] == b"\x03\x02\x23\x07" and len(module) % 4 == 0
        assert airfoil.read_spirv(module).stage == "fragment"
    assert shader.form == "variables"


def test_what_targets_refuse(fade):
    shader = airfoil.read_glsl(fade, "fragment")
    with pytest.raises(ValueError, match="windows"):
        airfoil.compile(shader, "windows11")
    with pytest.raises(ValueError, match="vulkan1.0"):
        airfoil.to_spirv(shader, "vulkan9.9")
    with pytest.raises(ValueError, match=r"expected a level \(O0, O2\), found `O3`"):
        airfoil.compile(shader, level="O3")
    shader.run("O2")
    with pytest.raises(airfoil.Error) as caught:
        airfoil.to_spirv(shader, level="O0")
    assert caught.value.diagnostics[0].severity == "error"
