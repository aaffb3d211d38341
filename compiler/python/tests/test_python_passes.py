"""Passes in Python: registered by name, found by pipelines and by bisection."""

import airfoil
import pytest


@pytest.fixture
def shader():
    text = "varying float x; void main() { gl_FragColor = vec4(x * 2.0, x - 1.0, x, 1.0); }"
    return airfoil.read_glsl(text, "fragment")


def swap(first, second):
    """A function that makes one operation of another."""

    def edit(code):
        for function in code.functions:
            for instruction in function.instructions:
                if instruction.op == first:
                    value = instruction.builder().alu(second, *instruction.operands)
                    instruction.replace_uses(value)

    return edit


def test_pipelines_know_them(shader):
    @airfoil.register_pass("count_visits")
    def count_visits(code):
        """Counts its runs.

        More about it.
        """
        visits.append(code.stage)

    visits = []
    assert callable(count_visits)
    rows = shader.profile("loop(count_visits, dce), count_visits")
    assert visits == ["fragment"] and rows[0]["pass"] == "count_visits" and rows[0]["changed"] == 0
    row = next(row for row in airfoil.passes() if row["name"] == "count_visits")
    assert (row["group"], row["summary"]) == ("Python", "Counts its runs.")
    assert "More about it." in row["doc"] and row["takes"] == ["variables", "slots", "target"]


def test_they_change_shaders(shader):
    airfoil.register_pass("double", rounds=False)(
        lambda code: [
            i.replace_uses(i.builder().alu("fadd", *[o for o in i.operands if o.kind != "const"] * 2))
            for f in code.functions
            for i in f.instructions
            if i.op == "fmul"
        ]
    )
    assert shader.run("double, dce", validate=True)
    assert "fmul" not in str(shader) and not shader.run("double")
    assert airfoil.bisect(shader, "loop(double, cse, dce)") is None


def test_bisection_finds_a_wrong_one(shader):
    airfoil.register_pass("wrong", summary="makes sums of products")(swap("fmul", "fadd"))
    fault = airfoil.bisect(shader, "cse, wrong, dce")
    assert (fault.kind, fault.pass_name, fault.alone, fault.rule) == ("mismatch", "wrong", True, None)
    assert fault.passes == ["wrong"] and "output" in fault.message and fault.number >= 1
    assert "fmul" in str(fault.shader)
    assert airfoil.bisect(shader, "cse, dce") is None
    assert airfoil.check(shader, "cse, wrong, dce") == "differs" and airfoil.check(shader, "cse, dce") == "same"


def test_a_broken_one_is_named(shader):
    def breaks(code):
        values = [i for i in code.functions[0].instructions if (i.bits, i.components) == (32, 1)]
        values[0].replace_uses(values[-1])

    airfoil.register_pass("breaks")(breaks)
    before = str(shader)
    with pytest.raises(airfoil.Error, match="pass `breaks`: .* leaves an invalid shader") as caught:
        shader.run("dce, breaks")
    assert caught.value.diagnostics[0].code == "E0810"
    assert str(shader) == before
    assert airfoil.bisect(shader, "breaks").kind == "broken"


def test_exceptions_are_causes(shader):
    @airfoil.register_pass("raises")
    def raises(code):
        raise KeyError("planted")

    with pytest.raises(airfoil.Error, match="pass `raises` raised KeyError") as caught:
        shader.run("raises")
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.diagnostics[0].code == "E0824"
    with pytest.raises(airfoil.Error) as caught:
        airfoil.check(shader, "raises")
    assert isinstance(caught.value.__cause__, KeyError)
    # The next run has no cause.
    with pytest.raises(airfoil.Error) as caught:
        shader.run("absent")
    assert caught.value.__cause__ is None


def test_names_and_forms(shader):
    ignore = lambda code: None
    for name, message in [("dce", "there is a pass"), ("O2", "there is a preset"), ("a b", "expected"), ("loop", "a word")]:
        with pytest.raises(ValueError, match=message):
            airfoil.register_pass(name)(ignore)
    with pytest.raises(ValueError, match="expected forms out of"):
        airfoil.register_pass("formless", forms=["bytes"])(ignore)
    airfoil.register_pass("late", forms=["slots"])(ignore)
    with pytest.raises(airfoil.Error, match="late"):
        shader.run("late", validate=True)
    # A second definition replaces the first.
    airfoil.register_pass("late")(ignore)
    assert not shader.run("late", validate=True)


def test_nested_runs(shader):
    @airfoil.register_pass("nested")
    def nested(code):
        inner = airfoil.parse(str(code))
        inner.run("dce")
        inner.statistics()

    assert not shader.run("nested")
