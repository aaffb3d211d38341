//! Codes of the front end for assembly programs of OpenGL.

use super::row::{CodeInfo, row, rule};

pub(super) const READER: &[CodeInfo] = &[
    rule(
        "E1301",
        "The program does not begin with the header of a vertex or fragment program.",
        "ARB_vertex_program section 2.14.2",
        "!!ARBvp2.0",
    ),
    rule(
        "E1302",
        "A character or number is not part of the language.",
        "ARB_vertex_program section 2.14.2",
        "MOV a, 1x;",
    ),
    rule("E1303", "The text does not follow the grammar.", "ARB_vertex_program section 2.14.2", "MOV a b;"),
    rule(
        "E1304",
        "A name is not declared, declared twice, or a reserved word.",
        "ARB_vertex_program section 2.14.3",
        "TEMP a, a;",
    ),
    rule(
        "E1305",
        "A variable, swizzle or write mask is of the wrong kind for its position.",
        "ARB_vertex_program section 2.14.4.1",
        "MOV program.env[0], a;",
    ),
    rule(
        "E1306",
        "An index, a range, an offset or the size of an array is out of range.",
        "ARB_vertex_program section 2.14.3.2",
        "PARAM p[3] = { program.env[0..3] };",
    ),
    rule(
        "E1307",
        "An option is not supported, conflicts with the rest of the program, or is missing although the program uses its features.",
        "ARB_vertex_program section 2.14.4.5",
        "OPTION ARB_position_invariant;\nMOV result.position, a;",
    ),
    rule(
        "E1308",
        "The program exceeds a limit on its resources.",
        "ARB_vertex_program section 2.14.3.7",
        "300 temporaries",
    ),
    rule(
        "E1309",
        "A generic vertex attribute and the conventional one of the same number are bound together.",
        "ARB_vertex_program section 2.14.3.1",
        "ADD a, vertex.normal, vertex.attrib[2];",
    ),
    rule(
        "E1310",
        "A texture image unit is sampled with several targets.",
        "ARB_fragment_program section 3.11.6",
        "TEX a, b, texture[0], 2D;\nTEX a, b, texture[0], 3D;",
    ),
    rule(
        "E1311",
        "A state is bound twice in arrays with relative addressing.",
        "ARB_vertex_program section 2.14.3.2",
        "PARAM p[] = { state.fog.color, state.fog.color };\nMOV a, p[i.x];",
    ),
    row("E1312", "The IR has no counterpart.", "MOV a, vertex.weight;"),
];
