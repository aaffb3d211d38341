"""Readers, and the exceptions for what they refuse."""

import copy
import pickle
import struct

import airfoil
import pytest


def test_glsl(fade):
    shader = airfoil.read_glsl(fade, "fragment")
    assert (shader.name, shader.stage, shader.form) == ("fragment_main", "fragment", "variables")
    shader.validate()
    assert str(shader).startswith('foil 1\nshader fragment "fragment_main"')
    assert repr(shader).startswith('<Shader fragment "fragment_main", form variables, ')


def test_text_reads_back(fade):
    shader = airfoil.read_glsl(fade, "fragment")
    again = airfoil.parse(str(shader))
    assert again == shader and str(again) == str(shader)
    again.run("O2")
    assert again != shader and shader != str(shader)


def test_spirv(shaders):
    module = (shaders / "lit.frag.spv").read_bytes()
    shader = airfoil.read_spirv(module)
    assert shader == airfoil.read(shaders / "lit.frag.spv") == airfoil.read_spirv(bytearray(module))
    assert airfoil.read_spirv(module, entry="main", stage="fragment") == shader
    with pytest.raises(airfoil.Error) as caught:
        airfoil.read_spirv(module, entry="other")
    assert "other" in str(caught.value)


def test_files(shaders):
    assert airfoil.read(shaders / "fade.foil").stage == "fragment"
    assert airfoil.read(shaders / "blur.comp", vulkan=True).stage == "compute"
    assert airfoil.read(str(shaders / "sea.vert")).stage == "vertex"
    with pytest.raises(ValueError, match=r"expected a file that ends with one of .*, found `README.md`"):
        airfoil.read("README.md")
    with pytest.raises(FileNotFoundError):
        airfoil.read("absent.frag")


def test_specialization_constants():
    text = """
    #version 450
    layout(constant_id = 3) const int count = 2;
    layout(location = 0) out vec4 color;
    void main() { color = vec4(float(count)); }
    """
    shader = airfoil.read_glsl(text, "fragment", vulkan=True)
    module = airfoil.to_spirv(shader)
    # The default is part of the module: no constant is left to be given.
    with pytest.raises(airfoil.Error, match="3"):
        airfoil.read_spirv(module, constants={3: 5})


def test_link(shaders):
    program = airfoil.link_glsl({
        "vertex": "attribute vec4 p; varying vec2 uv; void main() { uv = p.xy; gl_Position = p; }",
        "fragment": "varying vec2 uv; void main() { gl_FragColor = uv.xyxy; }",
    })
    assert [shader.stage for shader in program] == ["vertex", "fragment"]
    with pytest.raises(airfoil.Error) as caught:
        airfoil.link_glsl({
            "vertex": "varying vec2 uv; void main() { uv = vec2(0.0); gl_Position = vec4(0.0); }",
            "fragment": "varying vec3 uv; void main() { gl_FragColor = uv.xyxy; }",
        })
    assert all("uv" in d.message for d in caught.value.diagnostics)


def test_errors_have_locations(fade):
    with pytest.raises(airfoil.Error) as caught:
        airfoil.read_glsl(fade.replace("tint.a", "hint.a"), "fragment", name="fade.frag")
    first = caught.value.diagnostics[0]
    assert (first.severity, first.file, first.line, first.column) == ("error", "fade.frag", 5, 15)
    assert "hint" in first.message and first.code.startswith("E1")
    assert first.offset is None
    assert str(first) in str(caught.value)
    with pytest.raises(airfoil.Error) as caught:
        airfoil.parse("foil 1\nshader fragment \"x\" {\n  form bytes\n}")
    assert caught.value.diagnostics[0].line == 3
    with pytest.raises(airfoil.Error) as caught:
        airfoil.read_spirv(struct.pack("<5I", 0x07230203, 0x10000, 0, 8, 0) + b"\0\0\0\0")
    assert caught.value.diagnostics[0].offset == 20
    with pytest.raises(airfoil.Error):
        airfoil.read_spirv(b"")


def test_warnings_are_those_of_python():
    text = "#version 110\n#extension GL_FOO_bar : warn\nvoid main() { gl_FragColor = vec4(1.0); }"
    with pytest.warns(airfoil.DiagnosticWarning, match=r"2:\d+: warning\[.*GL_FOO_bar"):
        airfoil.read_glsl(text, "fragment")
    # Filters of Python may make exceptions of them, as those of these tests do.
    with pytest.raises(airfoil.DiagnosticWarning):
        airfoil.read_glsl(text, "fragment")


def test_unknown_words():
    with pytest.raises(ValueError, match=r"expected a stage \(vertex, .*\), found `pixel`"):
        airfoil.read_glsl("", "pixel")
    with pytest.raises(TypeError):
        airfoil.read_glsl(b"", "vertex")


def test_macros():
    shader = airfoil.read_glsl("void main() { gl_FragColor = vec4(SHADE); }", "fragment", defines={"SHADE": "0.25"})
    assert "0.25" in str(shader)


def test_copies_are_independent(fade):
    shader = airfoil.read_glsl(fade, "fragment")
    for other in (shader.copy(), copy.copy(shader), copy.deepcopy(shader), pickle.loads(pickle.dumps(shader))):
        assert other == shader
        other.run("O2")
        assert other != shader
    assert shader.form == "variables"


def test_deep_nesting_is_an_error_on_any_stack():
    import threading

    failures = []

    def work():
        try:
            airfoil.read_glsl("void main() { float x = " + "(" * 100000 + "1.0" + ")" * 100000 + "; }", "fragment")
        except airfoil.Error as error:
            failures.append(error.diagnostics[0].line)

    threading.stack_size(128 << 10)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert failures == [1]
