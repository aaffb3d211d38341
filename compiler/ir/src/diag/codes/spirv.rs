//! Codes of the SPIR-V reader and of the assembler of SPIR-V text.

use super::row::{CodeInfo, row, rule};

pub(super) const READER: &[CodeInfo] = &[
    rule(
        "E0301",
        "The module is malformed: word counts, strings or operands do not fit together.",
        "SPIR-V section 2.3",
        "an instruction whose word count is 0",
    ),
    rule(
        "E0302",
        "An ID is undefined, defined twice, or names the wrong kind of object.",
        "SPIR-V section 2.16",
        "%r = OpFAdd %float %missing %b",
    ),
    rule(
        "E0303",
        "The types of an instruction's operands or result do not match.",
        "SPIR-V section 3.49",
        "%r = OpFAdd %int %a %b",
    ),
    row("E0304", "The instruction, capability, decoration or operand is not supported.", "OpSizeOf"),
    rule(
        "E0305",
        "The control flow is not structured.",
        "SPIR-V section 2.11",
        "a branch into a loop that bypasses its header",
    ),
    row(
        "E0306",
        "The module exceeds a limit of this reader on size or nesting.",
        "selections nested 50,000 levels deep",
    ),
    rule(
        "E0307",
        "The entry point is missing or ambiguous.",
        "SPIR-V section 2.16",
        "a module without OpEntryPoint",
    ),
    rule(
        "E0308",
        "The interface of the entry point is invalid: a location, built-in variable or binding.",
        "Vulkan section 15",
        "an input without Location decoration",
    ),
];

pub(super) const ASSEMBLER: &[CodeInfo] = &[
    row("E0321", "The line is not an instruction.", "%a = = OpConstant %int 1"),
    row("E0322", "An opcode or operand name is unknown.", "%a = OpFadd %float %b %c"),
    row("E0323", "A literal does not fit its operand.", "%a = OpConstant %int 1.5"),
    row("E0355", "The module does not consist of a header and whole instructions.", "a file that is cut off"),
];
