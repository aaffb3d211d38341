"""Passes and pipelines."""

import threading

import airfoil
import pytest


@pytest.fixture
def shader(fade):
    # Scalars are values from the start; an array is a variable.
    text = fade.replace("float a = tint.a;", "float a[1]; a[0] = tint.a;").replace("tint * a", "tint * a[0]")
    return airfoil.read_glsl(text, "fragment")


def test_single_passes_and_pipelines(shader):
    before = shader.statistics()
    assert before["derefs"] > 0
    assert shader.run("vars_to_ssa", validate=True)
    assert shader.run("loop(copy_prop, cse, algebraic, dce)")
    assert not shader.run("loop(copy_prop, cse, algebraic, dce)")
    after = shader.statistics()
    assert after["instrs"] < before["instrs"] and after["alu"] < before["alu"]
    assert shader.form == "variables"
    shader.run("O2")
    assert shader.form == "slots"


def test_statistics_name_all_sizes(shader):
    names = list(shader.statistics())
    assert names[:3] == ["instrs", "alu", "lanes"] and "pressure" in names
    text = airfoil.parse(str(shader)).statistics()
    assert text == shader.statistics()


def test_profile(shader):
    rows = shader.profile("vars_to_ssa, loop(copy_prop, dce)")
    assert [row["pass"] for row in rows] == ["vars_to_ssa", "copy_prop", "dce"]
    first = rows[0]
    assert (first["runs"], first["changed"], first["skipped"]) == (1, 1, 0)
    assert first["before"] > first["after"] > 0 and first["seconds"] > 0
    # The second run finds nothing.
    assert shader.profile("vars_to_ssa")[0]["changed"] == 0


def test_programs():
    program = airfoil.link_glsl({
        "vertex": "attribute vec4 p; varying float a; void main() { a = p.x; gl_Position = p; }",
        "fragment": "varying float a; void main() { gl_FragColor = vec4(a); }",
    })
    assert airfoil.run(program, "O2", validate=True)
    assert [shader.form for shader in program] == ["slots", "slots"]
    rows = airfoil.profile(tuple(program), "dce")
    assert rows[0]["runs"] == 2


def test_errors_leave_the_shader(shader):
    before = str(shader)
    with pytest.raises(airfoil.Error) as caught:
        shader.run("dce, ces")
    first = caught.value.diagnostics[0]
    assert (first.code, first.line, first.column) == ("E0802", 1, 6)
    assert first.help == "did you mean `cse`?"
    # The second pass takes another form.
    with pytest.raises(airfoil.Error):
        shader.run("vars_to_ssa, lower_conversions")
    assert str(shader) == before


def test_invalid_shaders_are_refused():
    text = 'foil 1\nshader fragment "f" {\n  form variables\n  fn main {\n  b0:\n    32x1 %0 = fadd %1, %1\n    32x1 %1 = const 1\n  }\n}'
    with pytest.raises(airfoil.Error) as caught:
        airfoil.parse(text)
    assert caught.value.diagnostics[0].line == 6


def test_passes_are_listed():
    rows = {row["name"]: row for row in airfoil.passes()}
    assert len(rows) > 50
    row = rows["peephole_select"]
    assert row["options"]["limit"] == "8" and row["summary"] and row["doc"]
    assert "variables" in rows["vars_to_ssa"]["takes"]
    assert "loop(values)" in airfoil.presets()["O2"]
    assert airfoil.expand("memory, dce") == "copy_prop_vars, dead_write_vars, vars_to_ssa, dce"
    with pytest.raises(airfoil.Error, match="ccse"):
        airfoil.expand("ccse")


def test_runs_in_threads(shader):
    copies = [shader.copy() for _ in range(4)]
    threads = [threading.Thread(target=copy.run, args=("O2",)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shader.run("O2")
    assert all(copy == shader for copy in copies)
