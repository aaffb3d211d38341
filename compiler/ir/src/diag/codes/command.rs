//! Codes of the `airfoil` command, of its input files and of the text form of the IR.

use super::row::{CodeInfo, row};

pub(super) const COMMAND: &[CodeInfo] = &[
    row(
        "E0000",
        "Internal error: Airfoil panicked. This is a bug in Airfoil, not in the input.",
        "an assertion of a pass fails",
    ),
    row("E0001", "The input file cannot be read.", "airfoil compile missing.spv"),
    row("E0002", "The input is a directory; a file is expected.", "airfoil compile shaders/"),
    row("E0003", "The input file is empty.", "airfoil compile empty.spv"),
    row(
        "E0004",
        "The content of the input does not match its type: text where SPIR-V is expected, SPIR-V where text is expected, or text that is not UTF-8.",
        "airfoil compile --from spv shader.frag",
    ),
    row(
        "E0005",
        "An output file or directory cannot be written.",
        "airfoil compile lit.frag.spv -o /missing/lit.metallib",
    ),
    row(
        "E0006",
        "The command does not apply to this kind of file.",
        "airfoil metallib pack lit.metallib -o all.metallib",
    ),
    row(
        "E0007",
        "A `.metallib` fails a consistency check: a size, an offset or a hash does not match its content.",
        "airfoil metallib show damaged.metallib",
    ),
    row("E0008", "A module of AIR (bitcode) cannot be read.", "airfoil dis truncated.air"),
    row(
        "E0010",
        "The shader does not have the specialization constant that an option names, or the input cannot have any.",
        "airfoil compile lit.frag.spv --spec 99=1",
    ),
    row(
        "E0011",
        "A specialization constant cannot have the given value, or stages disagree on its type.",
        "airfoil compile blur.comp.spv --spec 3=1.5",
    ),
    row(
        "E0012",
        "The input does not have the requested entry point, stage or exported function.",
        "airfoil compile lit.frag.spv --entry other",
    ),
    row(
        "E0013",
        "The module does not have the requested function.",
        "airfoil dis lit.metallib --function other",
    ),
    row(
        "E0014",
        "Modules cannot be packed into one library: two have the same function, their targets differ, or the output would overwrite an input.",
        "airfoil metallib pack a.air a_copy.air -o all.metallib",
    ),
    row(
        "E0015",
        "Warning: sources cannot be embedded because the input contains none.",
        "airfoil compile lit.frag.spv --embed-source -o lit.metallib",
    ),
    row(
        "E0016",
        "The output holds one stage, but the input has several shaders.",
        "airfoil compile pair.foil --to ll",
    ),
    row("E0017", "A file is not formatted.", "airfoil fmt --check messy.foil"),
    row("E0018", "A graph has too many nodes to be drawn.", "airfoil graph huge.spv --view uses"),
    row(
        "E0040",
        "An argument of `airfoil run` does not fit the shader: an unknown input, a value of the wrong type or shape, or a missing output.",
        "airfoil run image.frag --uniform time=red -o out.png",
    ),
    row(
        "E0041",
        "The shader executed an operation whose result is undefined.",
        "float a[2]; i = 2; x = a[i];",
    ),
    row(
        "E0042",
        "The execution engine does not support an operation or a combination of stages.",
        "airfoil run image.frag a.comp",
    ),
    row("E0043", "Execution exceeded the limit on the number of steps.", "while (true) {}"),
    row(
        "E0044",
        "Warning: an argument has no effect, such as a value for a uniform that no shader uses, or a draw call without primitives.",
        "airfoil run image.frag --uniform tyme=1 -o out.png",
    ),
    row(
        "E0045",
        "Warning: fragments with undefined colour components were not written.",
        "out vec4 color; void main() { color.r = 1.0; }",
    ),
    row(
        "E0046",
        "The AIR engine cannot execute a shader whose workgroup size is not known.",
        "airfoil run open.comp --engine air",
    ),
];

pub(super) const TEXT: &[CodeInfo] = &[
    row("E0101", "Syntax error in the text form.", "32x1 %a = fadd %b %c"),
    row("E0102", "A name is not defined.", "32x1 %a = fadd %missing, %b"),
    row("E0103", "A name is defined twice.", "32x1 %a = const 1\n32x1 %a = const 2"),
    row("E0104", "Operands, or their shapes, do not fit the operation.", "32x1 %a = fadd %b"),
    row("E0105", "A number is out of range.", "8x1 %a = const 256"),
    row("E0106", "The text exceeds a limit on nesting or size.", "control flow nested 5,000 levels deep"),
    row("E0107", "An instruction or block is not allowed at this position.", "an instruction after a jump"),
    row("E0110", "A binary file is damaged.", "a `.foilb` file without its last bytes"),
    row("E0111", "A binary file was written by another version.", "a `.foilb` file of an older build"),
];
