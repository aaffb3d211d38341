"""Functions, blocks and instructions, and edits of them."""

import airfoil
import pytest

LOOP = """\
#version 330
in float a; in vec3 v; out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < int(a); i++) if (v[0] > sum) sum += a * 2.0;
    color = vec4(v.zyx, sum);
}
"""


@pytest.fixture
def shader():
    shader = airfoil.read_glsl(LOOP, "fragment")
    shader.run("O2")
    return shader


def find(function, op):
    return [i for i in function.instructions if i.op == op]


def test_what_a_function_has(shader):
    (main,) = shader.functions
    assert main.is_entry and main == shader.functions[0] and hash(main) == hash(shader.functions[0])
    blocks = main.blocks
    assert [b.index for b in blocks] == list(range(len(blocks)))
    assert max(b.loop_depth for b in blocks) == 1 and blocks[0].loop_depth == 0
    assert sum(b.condition is not None for b in blocks) == shader.statistics()["ifs"]
    assert [i for b in blocks for i in b.instructions] == main.instructions
    assert len(main.instructions) == shader.statistics()["instrs"]
    assert any(b.loop_depth < max(s.loop_depth for s in b.successors) for b in blocks if b.successors)
    assert str(main) in str(shader) or str(main).split()[0] in str(shader)


def test_what_an_instruction_has(shader):
    (main,) = shader.functions
    (store,) = find(main, "store_output")
    assert (store.kind, store.bits, store.components, store.constant) == ("intrinsic", 0, 0, None)
    assert store.block == main.blocks[-1] and "store_output" in str(store)
    value = store.operands[0]
    assert (value.bits, value.components) == (32, 4)
    assert store in value.users and not value.is_unused and value.operands
    zero = next(i for i in main.instructions if i.kind == "const" and i.constant == [0])
    assert zero.op == "const" and zero.operands == [] and zero.swizzles == []
    vector = next(i for i in main.instructions if i.kind == "alu" and i.op == "vec4")
    assert [swizzle for swizzle in vector.swizzles] == [[2], [1], [0], [0]]
    assert any(i.line == 5 for i in main.instructions)
    assert {i.op for i in main.instructions if i.kind == "jump"} <= {"break", "continue", "return"}


def test_only_passes_edit(shader):
    instruction = shader.functions[0].instructions[-1]
    with pytest.raises(RuntimeError, match="only a pass can edit"):
        instruction.builder()
    with pytest.raises(RuntimeError, match="only a pass can edit"):
        instruction.remove()


def test_edits(shader):
    before = str(shader)

    def double(code):
        assert (code.stage, code.form, str(code)) == ("fragment", "slots", before)
        (main,) = code.functions
        (product,) = find(main, "fmul")
        builder = product.builder()
        x = product.operands[0] if product.operands[0].kind != "const" else product.operands[1]
        product.replace_uses(builder.alu("fadd", x, x))
        product.remove()
        with pytest.raises(ReferenceError, match="the instruction was removed"):
            product.op
        with pytest.raises(ReferenceError, match="the instruction was removed"):
            builder.undef()
        kept.append(main)

    kept = []
    assert shader.apply(double)
    assert "fmul" not in str(shader) and "fadd" in str(shader)
    shader.validate()
    with pytest.raises(ReferenceError, match="the pass that this belongs to is over"):
        kept[0].blocks
    assert not shader.apply(lambda code: None)


def test_the_builder_folds_and_checks(shader):
    def build(code):
        (main,) = code.functions
        (store,) = find(main, "store_output")
        b = store.builder()
        six = b.alu("fmul", b.constant(2.0), b.constant(3.0))
        assert six.constant == [0x40C00000]
        assert b.constant(1, 2, 3, bits=16).components == 3 and b.constant(True).bits == 1
        value = store.operands[0]
        assert b.swizzle(value, [0, 1, 2, 3]) == value
        assert b.alu("fadd", value, six).components == 4
        assert b.convert("f2i", six, 32).constant == [6]
        assert b.vec(six, six).components == 2
        one = b.constant(1, bits=64)
        for message, make in [
            ("`fadd`: expected 2 operands, found 1", lambda: b.alu("fadd", six)),
            ("unknown ALU operation `faad`; did you mean `fadd`?", lambda: b.alu("faad", six, six)),
            ("`iadd`: operand 1 of the shape 64x1 does not fit", lambda: b.alu("iadd", six, one)),
            ("expected a value, found an instruction without one", lambda: b.alu("fneg", store)),
            ("has no swizzle", lambda: b.swizzle(value, [4])),
            ("expected 1 to 4 components, found 5", lambda: b.constant(1, 2, 3, 4, 5)),
            ("300 does not fit into 8 bits", lambda: b.constant(300, bits=8)),
            ("is a conversion", lambda: b.alu("f2i", six)),
            ("does not convert 32x1 to 7 bits", lambda: b.convert("f2i", six, 7)),
            ("expected 1 to 4 scalars", lambda: b.vec(value)),
            ("expected 1 to 4 components of 1, 8, 16, 32 or 64 bits, found 9 x 32 bits", lambda: b.undef(9)),
            ("another shader or function", lambda: b.alu("fneg", other.functions[0].instructions[0])),
            ("expected a value of the shape 32x4, found 32x1", lambda: value.replace_uses(six)),
            ("the value of the instruction is used", value.remove),
        ]:
            with pytest.raises(ValueError) as caught:
                make()
            assert message in str(caught.value)

    other = shader.copy()
    assert shader.apply(build)
    shader.run("dce")
    assert shader == other


def test_faults_of_functions_leave_the_shader(shader):
    before = str(shader)

    def fails(code):
        find(code.functions[0], "fmul")[0].builder().constant(1.0)
        raise KeyError("planted")

    with pytest.raises(KeyError, match="planted"):
        shader.apply(fails)
    assert str(shader) == before

    def breaks(code):
        first, *_, last = [i for i in code.functions[0].instructions if (i.bits, i.components) == (32, 1)]
        first.replace_uses(last)

    with pytest.raises(airfoil.Error, match="leaves an invalid shader"):
        shader.apply(breaks)
    assert str(shader) == before
