//! One program per rule: code, byte, line and column, and words of the message.

use airfoil_arb::{Errors, Limits, Options, Source, read};
use airfoil_ir::{Place, diag::codes::find};

/// The mark of the byte that an error must have.
const MARK: char = '§';

fn errors(text: &str, limits: Limits) -> Errors {
    let options = Options { limits, ..Options::default() };
    match read(&Source { name: "p", text }, &options) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(errors) => errors,
    }
}

/// The first error of a marked program.
#[track_caller]
fn check_with(marked: &str, code: &str, words: &str, limits: Limits) {
    let at = marked.find(MARK).unwrap_or_else(|| panic!("no mark:\n{marked}"));
    let text = marked.replace(MARK, "");
    let errors = errors(&text, limits);
    let first = &errors.diagnostics[0];
    assert_eq!((first.code, errors.position), (code, at), "{errors}\n{marked}");
    assert!(first.message.contains(words), "{}\n{marked}", first.message);
    assert!(find(code).is_some());
    let before = &text[..at];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
    assert_eq!(first.place, Place::Text { file: "p".into(), line, column: column as u32 }, "{marked}");
    let cites = first.message.contains("section") || code == "E1308" && first.message.contains("bytes");
    assert!(cites, "{} cites no section", first.message);
}

#[track_caller]
fn vertex(body: &str, code: &str, words: &str) {
    check_with(&format!("!!ARBvp1.0\nTEMP a, b;\n{body}"), code, words, Limits::default());
}

#[track_caller]
fn fragment(body: &str, code: &str, words: &str) {
    check_with(&format!("!!ARBfp1.0\nTEMP a, b;\n{body}"), code, words, Limits::default());
}

#[track_caller]
fn whole(text: &str, code: &str, words: &str) {
    check_with(text, code, words, Limits::default());
}

#[test]
fn headers_and_ends() {
    for text in ["§", "§!!ARBvp2.0\nEND", "§ !!ARBvp1.0\nEND", "§MOV a, b;"] {
        whole(text, "E1301", "expected `!!ARBvp1.0` or `!!ARBfp1.0`");
    }
    whole("!!ARBvp1.0\nMOV result.position, 1;\n§", "E1303", "expected a statement or `END`, found the end");
    whole("!!ARBvp1.0\nMOV result.position, 1§", "E1303", "expected `;`, found the end of the program");
    whole("!!ARBvp1.0\nEND\n§x", "E1303", "expected the end of the text after `END`, found `x`");
    whole("!!ARBvp1.0\nEND §;", "E1303", "after `END`");
    assert!(read(&Source { name: "", text: "!!ARBfp1.0 END\n# more" }, &Options::default()).is_ok());
}

#[test]
fn characters_and_numbers() {
    vertex("MOV a, b§@;\nEND", "E1302", "the character \"@\" is not part of the language");
    vertex("MOV a, §é;\nEND", "E1302", "the character \"é\"");
    vertex("MOV a, §1x;\nEND", "E1302", "`1x` is not a number");
    vertex("PARAM p = §1e+;\nEND", "E1302", "`1e` is not a number");
}

#[test]
fn grammar() {
    vertex("§FOO a, b;\nEND", "E1303", "expected an instruction, a declaration or `END`, found `FOO`");
    vertex("MOV a §b;\nEND", "E1303", "expected `,`, found `b`");
    vertex("MOV a, b§, b;\nEND", "E1303", "expected `;`, found `,`");
    vertex("MOV a, §;\nEND", "E1303", "expected an operand, found `;`");
    vertex("ADD a, b§;\nEND", "E1303", "expected `,`, found `;`");
    vertex("§; MOV a, b;\nEND", "E1303", "expected a statement");
    vertex("TEMP §;\nEND", "E1303", "expected a name, found `;`");
    vertex("TEMP c, §2D;\nEND", "E1303", "expected a name, found `2D`");
    vertex("PARAM p §{1};\nEND", "E1303", "expected `=` or `[`, found `{`");
    vertex("PARAM p[] = { 1 §2 };\nEND", "E1303", "expected `,` or `}`, found `2`");
    vertex("PARAM p = {1,2,3,4§,5};\nEND", "E1303", "expected `}`, found `,`");
    vertex("MOV a, program.§foo[0];\nEND", "E1303", "expected `env` or `local`, found `foo`");
    vertex("MOV a, state.§foo;\nEND", "E1303", "expected `material` or `light` or");
    vertex("MOV a, state.light[0].§foo;\nEND", "E1303", "expected `ambient` or `diffuse` or `specular`");
    vertex("MOV a, state.light§.ambient;\nEND", "E1303", "expected `[`, found `.`");
    vertex("MOV a, state.light[0].spot§;\nEND", "E1303", "expected `direction`, found `;`");
    vertex("MOV a, state.matrix.mvp§;\nEND", "E1303", "expected `row`, found `;`");
    vertex("MOV a, vertex.§colour;\nEND", "E1303", "expected `position` or");
    vertex("MOV result.§colour, a;\nEND", "E1303", "expected `position` or");
    vertex("SWZ a, b, x, y, z, §2;\nEND", "E1303", "expected `0`, `1` or a component");
    vertex("SWZ a, b, x, y, z, §xy;\nEND", "E1303", "expected `0`, `1` or a component");
    // Words of the other kind of program.
    vertex("§CMP a, a, b, b;\nEND", "E1303", "found `CMP`");
    vertex("§MOV_SAT a, b;\nEND", "E1303", "found `MOV_SAT`");
    vertex("MOV a, state.§texenv.color;\nEND", "E1303", "found `texenv`");
    fragment("§ARL a.x, b.x;\nEND", "E1303", "found `ARL`");
    fragment("§ADDRESS c;\nEND", "E1303", "found `ADDRESS`");
    fragment("§EXP a, b.x;\nEND", "E1303", "found `EXP`");
    fragment("§KIL_SAT b;\nEND", "E1303", "found `KIL_SAT`");
    fragment("MOV a, state.§point.size;\nEND", "E1303", "found `point`");
    fragment("MOV a, fragment.§normal;\nEND", "E1303", "found `normal`");
    fragment("TEX a, b, §2D;\nEND", "E1303", "expected `texture`, found `2D`");
    fragment("TEX a, b, texture[0], §4D;\nEND", "E1302", "`4D` is not a number");
    fragment("TEX a, b, texture[0], §LINE;\nEND", "E1303", "expected `1D`, `2D`, `3D`, `CUBE` or `RECT`");
    fragment("SWZ a, b, x, y, §b, 0;\nEND", "E1303", "one set of letters");
    fragment("PARAM p[2] = {1, 2};\nTEMP i;\nMOV a, p[§i.x];\nEND", "E1303", "vertex programs only");
    fragment("PARAM p[2] = {1, 2};\nMOV a, p[§-1];\nEND", "E1303", "expected an integer, found `-`");
}

#[test]
fn names() {
    vertex("MOV a, §c;\nEND", "E1304", "`c` is not declared (ARB_vertex_program section 2.14.3)");
    vertex("MOV §c, a;\nEND", "E1304", "`c` is not declared");
    vertex("MOV a, §A;\nEND", "E1304", "`A` is not declared");
    vertex("TEMP §a;\nEND", "E1304", "`a` is declared twice");
    vertex("TEMP c, §c;\nEND", "E1304", "`c` is declared twice");
    vertex("PARAM §a = 1;\nEND", "E1304", "`a` is declared twice");
    vertex("ALIAS §a = b;\nEND", "E1304", "`a` is declared twice");
    vertex("ALIAS c = §d;\nEND", "E1304", "`d` is not declared");
    vertex("ALIAS c = §c;\nEND", "E1304", "`c` is not declared");
    for word in ["ADD", "EXP", "END", "vertex", "state", "ADDRESS", "program"] {
        vertex(&format!("TEMP §{word};\nEND"), "E1304", "is a reserved word");
    }
    for word in ["CMP", "ADD_SAT", "fragment", "texture", "TXB_SAT", "result"] {
        fragment(&format!("TEMP §{word};\nEND"), "E1304", "is a reserved word");
    }
    let accepted = [
        "!!ARBfp1.0\nTEMP ARL, EXP, vertex, ADDRESS, KIL_SAT, _, $a1;\nEND",
        "!!ARBvp1.0\nTEMP CMP, fragment, texture, ADD_SAT;\nEND",
    ];
    for text in accepted {
        assert!(read(&Source { name: "", text }, &Options::default()).is_ok(), "{text}");
    }
}

#[test]
fn a_similar_name_is_suggested() {
    let text = "!!ARBvp1.0\nOPTION ARB_position_invarient;\nTEMP normal;\nMOV normal, norml;\nEND";
    let errors = errors(text, Limits::default());
    let help: Vec<_> = errors.diagnostics.iter().map(|d| d.help.as_deref().unwrap_or_default()).collect();
    assert_eq!(help, ["did you mean `ARB_position_invariant`?", "did you mean `normal`?"]);
}

#[test]
fn kinds() {
    vertex("MOV §vertex.position, a;\nEND", "E1305", "attributes cannot be written");
    vertex("MOV §program.env[0], a;\nEND", "E1305", "parameters cannot be written");
    vertex("PARAM p = 1;\nMOV §p, a;\nEND", "E1305", "expected a temporary or a result, found a parameter");
    vertex("ATTRIB p = vertex.position;\nMOV §p, a;\nEND", "E1305", "found an attribute");
    vertex("ADDRESS p;\nMOV §p, a;\nEND", "E1305", "found an address register");
    vertex("ADDRESS p;\nMOV a, §p;\nEND", "E1305", "found an address register");
    vertex("ARL §a.x, a.x;\nEND", "E1305", "expected an address register, found a temporary");
    vertex("PARAM p[] = {1};\nMOV a, p[§a.x];\nEND", "E1305", "expected an address register");
    vertex("MOV a, §result.position;\nEND", "E1305", "a result cannot be read");
    vertex("OUTPUT o = result.color;\nMOV a, §o;\nEND", "E1305", "a result cannot be read");
    vertex("PARAM p[] = {1};\nMOV a, p§;\nEND", "E1303", "expected `[`");
    vertex("MOV a.§yx, b;\nEND", "E1305", "must be in order");
    vertex("MOV a.§xx, b;\nEND", "E1305", "must be in order");
    vertex("MOV a, b.§xy;\nEND", "E1305", "expected a swizzle of one or four components, found 2");
    vertex("MOV a, b.§xyz;\nEND", "E1305", "found 3");
    vertex("RCP a, b§;\nEND", "E1305", "expected a suffix of one component, found none");
    vertex("RCP a, b§.xyzw;\nEND", "E1305", "found 4");
    vertex("RCP a, {1, 2}§;\nEND", "E1305", "found none");
    vertex("RCP a, 2§;\nEND", "E1305", "found none");
    vertex("MOV a, b.§rgba;\nEND", "E1303", "expected a swizzle");
    vertex("MOV a.§rg, b;\nEND", "E1303", "expected a write mask");
    fragment("MOV a, b.§xyba;\nEND", "E1303", "expected a swizzle");
    fragment("MOV a.§xg, b;\nEND", "E1303", "expected a write mask");
    vertex("SWZ a, §-b, x, y, z, w;\nEND", "E1305", "cannot have a sign");
    vertex("SWZ a, b§.xyzw, x, y, z, w;\nEND", "E1305", "cannot have a swizzle");
    vertex("PARAM p = state.matrix.mvp.row[0§..3];\nEND", "E1305", "expected one row, found a range");
    vertex("ADDRESS p;\nARL p.§y, a.x;\nEND", "E1303", "expected `x`, found `y`");
    vertex("ADDRESS p;\nARL p§, a.x;\nEND", "E1303", "expected `.`, found `,`");
}

#[test]
fn ranges() {
    vertex(
        "MOV a, program.env[§256];\nEND",
        "E1306",
        "expected an index below MAX_PROGRAM_ENV_PARAMETERS_ARB = 256, found 256",
    );
    vertex(
        "MOV a, program.local[§99999999999999999999];\nEND",
        "E1306",
        "MAX_PROGRAM_LOCAL_PARAMETERS_ARB = 4096",
    );
    vertex("MOV a, vertex.attrib[§16];\nEND", "E1306", "MAX_VERTEX_ATTRIBS_ARB = 16");
    vertex("MOV a, vertex.texcoord[§8];\nEND", "E1306", "MAX_TEXTURE_COORDS_ARB = 8");
    vertex("MOV a, state.light[§8].ambient;\nEND", "E1306", "MAX_LIGHTS = 8");
    vertex("MOV a, state.clip[§8].plane;\nEND", "E1306", "MAX_CLIP_PLANES = 8");
    vertex("MOV a, state.matrix.program[§8].row[0];\nEND", "E1306", "MAX_PROGRAM_MATRICES_ARB = 8");
    vertex("MOV a, state.matrix.palette[§32].row[0];\nEND", "E1306", "MAX_PALETTE_MATRICES_ARB = 32");
    vertex("MOV a, state.matrix.modelview[§4].row[0];\nEND", "E1306", "MAX_VERTEX_UNITS_ARB = 4");
    vertex(
        "MOV a, state.matrix.mvp.row[§4];\nEND",
        "E1306",
        "expected an index below the number of rows = 4, found 4",
    );
    vertex(
        "PARAM p[] = { program.env[4..§3] };\nEND",
        "E1306",
        "expected a range whose end is at least 4, found 3",
    );
    vertex("PARAM p[] = { state.matrix.mvp.row[2..§1] };\nEND", "E1306", "at least 2, found 1");
    vertex(
        "PARAM p[§3] = { program.env[0..3] };\nEND",
        "E1306",
        "expected 3 bindings for an array of that size, found 4",
    );
    vertex("PARAM p[§0] = { 1 };\nEND", "E1306", "expected an array size from 1 to");
    vertex("PARAM p[§5000] = { 1 };\nEND", "E1306", "MAX_PROGRAM_PARAMETERS_ARB = 4096");
    vertex(
        "PARAM p[2] = { 1, 2 };\nMOV a, p[§2];\nEND",
        "E1306",
        "expected an index below the size of the array = 2, found 2",
    );
    vertex(
        "PARAM p[] = {1}; ADDRESS i;\nMOV a, p[i.x+§64];\nEND",
        "E1306",
        "expected an offset from -64 to 63",
    );
    vertex("PARAM p[] = {1}; ADDRESS i;\nMOV a, p[i.x-§65];\nEND", "E1306", "expected an offset");
    fragment("TEX a, b, texture[§32], 2D;\nEND", "E1306", "MAX_TEXTURE_IMAGE_UNITS_ARB = 32");
    fragment("MOV a, state.texenv[§8].color;\nEND", "E1306", "MAX_TEXTURE_UNITS = 8");
    whole(
        "!!ARBfp1.0\nOPTION ARB_draw_buffers;\nMOV result.color[§8], 1;\nEND",
        "E1306",
        "MAX_DRAW_BUFFERS_ARB = 8",
    );
}

#[test]
fn options() {
    whole(
        "!!ARBvp1.0\nOPTION §NV_vertex_program2;\nEND",
        "E1307",
        "the option `NV_vertex_program2` is not supported",
    );
    whole("!!ARBvp1.0\nOPTION §ARB_fog_exp;\nEND", "E1307", "not supported");
    whole("!!ARBfp1.0\nOPTION §ARB_position_invariant;\nEND", "E1307", "not supported");
    whole(
        "!!ARBfp1.0\nOPTION ARB_fog_exp;\nOPTION §ARB_fog_exp2;\nEND",
        "E1307",
        "cannot have two fog options",
    );
    whole(
        "!!ARBfp1.0\nOPTION ARB_precision_hint_nicest; OPTION §ARB_precision_hint_fastest;\nEND",
        "E1307",
        "cannot have both precision hints (ARB_fragment_program section 3.11.4.5.2)",
    );
    fragment("§OPTION ARB_fog_exp;\nEND", "E1303", "options must precede all statements");
    whole("!!ARBfp1.0\nOPTION §;\nEND", "E1303", "expected the name of an option");
    whole("!!ARBfp1.0\nOPTION ARB_fog_exp\n§END", "E1303", "expected `;`");
    whole(
        "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV §result.position, 1;\nEND",
        "E1307",
        "cannot write `result.position` (ARB_vertex_program section 2.14.4.5.1)",
    );
    fragment("MOV §result.color[0], a;\nEND", "E1307", "requires the option ARB_draw_buffers");
    fragment(
        "TEX a, b, texture, §SHADOW2D;\nEND",
        "E1307",
        "requires the option ARB_fragment_program_shadow",
    );
    let text = "!!ARBfp1.0\nOPTION ARB_fog_exp; OPTION ARB_fog_exp; OPTION ARB_precision_hint_nicest;\nEND";
    assert!(read(&Source { name: "", text }, &Options::default()).is_ok());
}

#[test]
fn shared_attributes() {
    let pairs = [
        ("position", 0),
        ("normal", 2),
        ("color", 3),
        ("color.secondary", 4),
        ("fogcoord", 5),
        ("texcoord", 8),
        ("texcoord[7]", 15),
    ];
    for (conventional, n) in pairs {
        let words = "cannot be bound together (ARB_vertex_program section 2.14.3.1)";
        vertex(&format!("ADD a, vertex.{conventional}, §vertex.attrib[{n}];\nEND"), "E1309", words);
        vertex(
            &format!("ATTRIB p = vertex.attrib[{n}];\nMOV a, §vertex.{conventional};\nEND"),
            "E1309",
            words,
        );
    }
    let text = "!!ARBvp1.0\nTEMP a;\nMAD a, vertex.normal, vertex.attrib[3], vertex.attrib[1];\nADD a, a, vertex.normal;\nEND";
    assert!(read(&Source { name: "", text }, &Options::default()).is_ok());
}

#[test]
fn texture_targets_and_states() {
    fragment(
        "TEX a, b, texture[1], 2D;\nTEX a, b, texture[0], 3D;\nTXP a, b, texture[1], §CUBE;\nEND",
        "E1310",
        "texture image unit 1 cannot be sampled with the targets 2D and CUBE (ARB_fragment_program section 3.11.6)",
    );
    let arrays = "ADDRESS i;\nPARAM p[] = { state.fog.color, 1 };\nPARAM q[] = { 1, state.fog.color };\n\
                  PARAM r[] = { program.env[3], program.env[2..4] };\n";
    vertex(
        &format!("{arrays}MOV a, p[i.x];\nMOV a, q[§i.x];\nEND"),
        "E1311",
        "`state.fog.color` cannot be bound twice in arrays with relative addressing",
    );
    vertex(&format!("{arrays}MOV a, r[§i.x];\nEND"), "E1311", "`program.env[3]`");
    let text = format!(
        "!!ARBvp1.0\nTEMP a;\n{arrays}MOV a, p[i.x];\nMOV a, p[i.x+1];\nMOV a, q[0];\nMOV a, r[1];\nEND"
    );
    assert!(read(&Source { name: "", text: &text }, &Options::default()).is_ok());
}

#[test]
fn unsupported_attributes() {
    vertex(
        "MOV a, §vertex.weight;\nEND",
        "E1312",
        "weights and matrix indices of vertices are not supported",
    );
    vertex("ATTRIB w = §vertex.weight[0];\nEND", "E1312", "not supported");
    vertex("MOV a, §vertex.matrixindex[0];\nEND", "E1312", "not supported");
}

#[test]
fn limits() {
    let with = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        limits
    };
    let check = |text: &str, words: &str, change: fn(&mut Limits)| {
        check_with(text, "E1308", words, with(change));
    };
    let temps = "expected at most 2 temporaries (ARB_vertex_program section 2.14.3.7)";
    check("!!ARBvp1.0\nTEMP a, b, §c;\nEND", temps, |l| l.temporaries = 2);
    check("!!ARBvp1.0\nADDRESS a, §b;\nEND", "expected at most 1 address registers", |l| {
        l.address_registers = 1
    });
    let two =
        "!!ARBvp1.0\nTEMP a;\nMOV a, vertex.position;\nMOV a, vertex.position;\nMOV a, §vertex.color;\nEND";
    check(two, "expected at most 1 attributes", |l| l.attributes = 1);
    check("!!ARBvp1.0\nTEMP a;\nMOV a, 1;\n§MOV a, 1;\nEND", "expected at most 1 instructions", |l| {
        l.instructions = 1
    });
    let invariant = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nTEMP a;\nMOV a, 1;\n§MOV a, 1;\nEND";
    check(invariant, "expected at most 1 instructions", |l| l.instructions = 5);
    let alu = "!!ARBfp1.0\nTEMP a;\nTEX a, a, texture, 2D;\nMOV a, 1;\n§MOV a, 1;\nEND";
    check(alu, "expected at most 1 ALU instructions", |l| l.alu_instructions = 1);
    let fog = "!!ARBfp1.0\nOPTION ARB_fog_exp2;\nTEMP a;\nMOV a, 1;\n§MOV a, 1;\nEND";
    check(fog, "expected at most 1 instructions", |l| l.instructions = 5);
    check("!!ARBfp1.0\nOPTION ARB_fog_exp;\nTEMP a, §b;\nEND", "expected at most 1 temporaries", |l| {
        l.temporaries = 2
    });
    let tex = "!!ARBfp1.0\nTEMP a;\nKIL a;\n§KIL a;\nEND";
    check(tex, "expected at most 1 texture instructions", |l| l.tex_instructions = 1);
    // Limits of the program as a whole have the length of the text.
    let chain = "!!ARBfp1.0\nTEMP a;\nTEX a, a, texture, 2D;\nTEX a, a, texture, 2D;\nEND\n§";
    check(chain, "expected at most 1 texture indirections, found 2", |l| l.tex_indirections = 1);
    let params = "!!ARBvp1.0\nPARAM p[] = { program.env[0..3], 1, 2, 1 };\nEND§";
    check(params, "expected at most 5 parameters, found 6", |l| l.parameters = 5);
    check("§!!ARBvp1.0\nEND", "expected at most 8 bytes of text, found 14", |l| l.text_bytes = 8);
}

#[test]
fn several_errors_are_reported_in_order() {
    let text = "!!ARBvp1.0\nTEMP a;\nMOV a, x;\nPARAM p = state.foo;\nMOV a, p;\nMOV y, a;\nRCP a, a;\nEND";
    let errors = errors(text, Limits::default());
    let lines: Vec<u32> = errors
        .diagnostics
        .iter()
        .map(|d| match d.place {
            Place::Text { line, .. } => line,
            _ => 0,
        })
        .collect();
    // The use of `p`, whose declaration has failed, is not reported as another error.
    assert_eq!(lines, [3, 4, 6, 7], "{errors}");
    let many = format!("!!ARBvp1.0\n{}END", "MOV a, b;\n".repeat(1000));
    assert_eq!(self::errors(&many, Limits::default()).diagnostics.len(), 20);
}
