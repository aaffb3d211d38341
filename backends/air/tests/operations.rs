//! `docs/air-operations.md` says what AIR each operation of the IR becomes. It is made by selecting one shader an
//! operation and target; this test says when it is out of date, and fails where an operation has no row.
//!
//! `AIRFOIL_BLESS=1 cargo test -p airfoil-air --test operations` writes it anew.

use airfoil_air::select::{Options, select};
use airfoil_air::target::Os;
use airfoil_ir::alu::{ALU_OPS, AluOp, AluProps, AluType, Base};
use airfoil_ir::intrinsic::{INTRINSIC_OPS, Index, IntrinsicOp, OperandShape};
use airfoil_ir::{Named, Shader, Stage, TexOp, TexSrc};
use std::fmt::Write;
use std::path::Path;

/// A shader with one operation: the text before it, the operation, the text after it.
struct Case {
    stage: Stage,
    declarations: String,
    /// Makes the operands.
    operands: String,
    /// The operation; empty where there is none.
    operation: String,
    /// Shape of the result: components and bits; 0 components = no result.
    result: (u8, u8),
}

impl Case {
    fn text(&self, with_operation: bool) -> String {
        let (comps, bits) = self.result;
        let stage_facts = match self.stage {
            Stage::Compute => "  workgroup_size 64 1 1\n",
            Stage::TessEval => "  input_primitive triangles\n",
            _ => "",
        };
        let made = match (with_operation, comps) {
            (true, 0) => self.operation.clone(),
            (true, _) => format!("{bits}x{comps} %r = {}", self.operation),
            (false, 0) => String::new(),
            (false, _) => format!("{bits}x{comps} %r = const 0"),
        };
        let kept = match (comps, bits) {
            (0, _) => String::new(),
            (_, 1) => format!("32x{comps} %w = b2i %r\n    store_ssbo %w, %b, %end align=16"),
            _ => "store_ssbo %r, %b, %end align=16".to_owned(),
        };
        format!(
            "foil 1\nshader {} \"f\" {{\n  form target\n{stage_facts}  ssbo B {{ vec4[stride=16] data @0 }} b set=0 binding=0\n{}  \
             entry fn main {{\n    %b = deref_var &b\n    32x1 %zero = const 0\n{}    {made}\n    32x1 %end = const 512\n    {kept}\n  }}\n}}\n",
            self.stage.name(),
            self.declarations,
            self.operands,
        )
    }

    /// The code that the operation adds to the function for a target, or the error.
    fn outcome(&self, options: &Options) -> Result<String, String> {
        let lines = |with: bool| -> Result<Vec<String>, String> {
            let text = self.text(with);
            let shader: Shader = airfoil_ir::text::parse(&text).map_err(|e| format!("?{}\n{text}", e[0]))?;
            let violations = airfoil_ir::validate::validate(&shader);
            if let Some(v) = violations.first() {
                return Err(format!("?{v}\n{text}"));
            }
            let selected = select(&shader, options).map_err(|e| e[0].message.clone())?;
            Ok(body_of(&selected.to_ll()))
        };
        let mut made = lines(true)?;
        // Loads of the operands and the store of the result are in both.
        for common in lines(false)? {
            if let Some(i) = made.iter().position(|l| *l == common) {
                made.remove(i);
            }
        }
        let mut text = String::new();
        for same in made.chunk_by(|a, b| a == b) {
            let times = if same.len() > 1 { format!("{} × ", same.len()) } else { String::new() };
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{times}`{}`", same[0]);
        }
        Ok(if text.is_empty() { "no instruction".into() } else { text })
    }

    /// The outcome for every macOS from 11 on; where targets differ, each with its first version.
    fn row(&self) -> String {
        let mut found: Vec<(String, String)> = Vec::new();
        for release in Os::MacOs.releases() {
            let version = release.first_version(Os::MacOs).expect("a release of macOS");
            if version.major < 11 {
                continue;
            }
            let name = format!("{version:#}");
            let options =
                Options { target: format!("macos{name}").parse().expect("a target"), ..Options::default() };
            let outcome = self.outcome(&options).unwrap_or_else(|reason| {
                assert!(!reason.starts_with('?'), "{reason}");
                format!("error: {}", reason.replace('|', "\\|"))
            });
            if found.last().is_none_or(|(_, last)| *last != outcome) {
                found.push((name, outcome));
            }
        }
        match &found[..] {
            [(_, all)] => all.clone(),
            several => {
                let parts: Vec<String> =
                    several.iter().map(|(v, text)| format!("macOS {v}: {text}")).collect();
                parts.join("; ")
            }
        }
    }
}

/// Opcodes and callees of the entry function, in order; without `bitcast`, which costs nothing and only follows from the
/// types of the memory around.
fn body_of(ll: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in ll.lines() {
        match line {
            _ if line.starts_with("define ") => inside = true,
            "}" => inside = false,
            _ if inside && line.starts_with(' ') => {
                let code = line.trim();
                let code = code.split_once(" = ").map_or(code, |(_, c)| c);
                let callee = code.contains("call ").then(|| code.split('@').nth(1)).flatten();
                let word = match callee {
                    Some(callee) => callee.split('(').next().unwrap_or(callee).trim_matches('"'),
                    None => code.split_whitespace().next().unwrap_or(code),
                };
                if word != "bitcast" {
                    lines.push(word.to_owned());
                }
            }
            _ => {}
        }
    }
    lines
}

/// A line that loads an operand `%NAME` of a shape from the buffer.
fn operand(name: &str, at: usize, comps: u8, bits: u8) -> String {
    let memory = if bits == 1 { 32 } else { bits };
    let mut text = format!("    32x1 %o{name} = const {}\n", at * 64);
    if bits == 1 {
        let _ = writeln!(
            text,
            "    32x{comps} %m{name} = load_ssbo %b, %o{name} align=16\n    32x{comps} %z{name} = const 0\n    %{name} = ine %m{name}, %z{name}"
        );
    } else {
        let _ = writeln!(text, "    {memory}x{comps} %{name} = load_ssbo %b, %o{name} align=16");
    }
    text
}

// ---- ALU ----

/// One ALU operation at a width of its unsized operands; `None` where it has no such width.
fn alu_case(op: AluOp, bits: u8) -> Option<Case> {
    let info = op.info();
    let sized = info.props.contains(AluProps::SIZED);
    let free = |t: &AluType| t.bits == 0;
    let any_free = info.operands.iter().any(free);
    let float = info.operands.iter().any(|t| free(t) && t.base == Base::Float)
        || (!sized && free(&info.result) && info.result.base == Base::Float);
    if (!any_free && bits != 32) || (float && bits == 8) {
        return None;
    }
    // Conversions are shown to 32 bits, and from 32 bits to half as much.
    let out = match bits {
        32 if info.result.base == Base::Float || !any_free => 16,
        32 => 8,
        _ => 32,
    };
    let width = |t: &AluType| if free(t) { bits } else { t.bits };
    let comps = |t: &AluType| if t.comps == 0 { 1 } else { t.comps };
    let mut operands = String::new();
    let mut names = Vec::new();
    for (i, t) in info.operands.iter().enumerate() {
        operands += &operand(&format!("a{i}"), i, comps(t), width(t));
        names.push(format!("%a{i}"));
    }
    let result = if free(&info.result) && sized { out } else { width(&info.result) };
    Some(Case {
        stage: Stage::Fragment,
        declarations: String::new(),
        operands,
        operation: format!("{} {}", op.name(), names.join(", ")),
        result: (comps(&info.result), result),
    })
}

/// The text without the widths in the names of functions, so that widths can be compared.
fn without_width(text: &str) -> String {
    let mut out = text.to_owned();
    for word in [".f16", ".f32", ".i8", ".i16", ".i32", ".i64"] {
        out = out.replace(word, ".T");
    }
    out
}

fn alu_rows(text: &mut String) {
    text.push_str("\n## ALU\n\nA scalar of 32 bits where the operation takes several widths; vectors become the same on vectors. Conversions are shown to a narrower type.\n\n| operation | AIR | other widths |\n|---|---|---|\n");
    for &op in ALU_OPS {
        let main = alu_case(op, 32).expect("every operation has an instance").row();
        let mut others: Vec<String> = Vec::new();
        for bits in [8u8, 16, 64] {
            let Some(case) = alu_case(op, bits) else { continue };
            let row = case.row();
            if without_width(&row) != without_width(&main) {
                others.push(format!("{bits}: {row}"));
            }
        }
        let _ = writeln!(text, "| `{}` | {main} | {} |", op.name(), others.join("; "));
    }
}

// ---- intrinsics ----

/// Stages in which an operation is tried, in this order.
const STAGES: &[Stage] = &[
    Stage::Fragment,
    Stage::Compute,
    Stage::Vertex,
    Stage::TessControl,
    Stage::TessEval,
    Stage::Geometry,
    Stage::Mesh,
    Stage::Task,
];

/// Operations that never reach selection, and the pass that lowers them.
const LOWERED: &[(IntrinsicOp, &str)] = &[
    (IntrinsicOp::deref_buffer_array_length, "lower_io"),
    (IntrinsicOp::load_param, "inline_functions"),
    (IntrinsicOp::interp_deref_at_centroid, "lower_io"),
    (IntrinsicOp::interp_deref_at_sample, "lower_io"),
    (IntrinsicOp::interp_deref_at_offset, "lower_io"),
];

/// Declarations, indices and result that a name or an index asks for.
fn intrinsic_case(op: IntrinsicOp, stage: Stage) -> Case {
    use IntrinsicOp as Op;
    let info = op.info();
    let has = |i: Index| info.indices.contains(&i);
    let image_atomic = has(Index::Dim) && has(Index::Atomic);
    let mut declarations = String::new();
    let mut operands = String::new();
    let result = match op {
        Op::image_size => (2, 32),
        Op::image_load | Op::load_per_vertex_input | Op::load_input | Op::load_interpolated_input => (4, 32),
        _ => info.result.map_or((0, 0), shape),
    };
    let mut names = Vec::new();
    for (i, (o, name)) in info.operands.iter().zip(info.operand_names).enumerate() {
        names.push(match (*name, o.deref) {
            ("block", _) if op == Op::load_ubo => {
                declarations += "  ubo U { vec4 a @0, vec4 b @16 } u set=0 binding=1\n";
                operands += "    %block = deref_var &u\n";
                "%block".to_owned()
            }
            ("block", _) => "%b".to_owned(),
            ("image", _) => {
                let ty = if image_atomic { "2d uint32 r32ui" } else { "2d float32 rgba32f" };
                let _ = writeln!(declarations, "  image image({ty}) img set=0 binding=2");
                operands += "    %image = deref_var &img\n";
                "%image".to_owned()
            }
            (_, true) => {
                let _ = writeln!(declarations, "  shader_temp uint t{i}");
                let _ = writeln!(operands, "    %d{i} = deref_var &t{i}");
                format!("%d{i}")
            }
            ("sample" | "lod", _) if has(Index::Dim) => "%zero".to_owned(),
            ("offset" | "vertex", _) if has(Index::Io) => "%zero".to_owned(),
            ("bary", _) => {
                operands += "    %bary = load_barycentric_pixel\n";
                "%bary".to_owned()
            }
            ("coord", _) => {
                operands += &operand("coord", i, 2, 32);
                "%coord".to_owned()
            }
            ("value", _) if has(Index::Io) => {
                operands += &operand("value", i, 4, 32);
                "%value".to_owned()
            }
            _ => {
                let (comps, bits) = if o.same { result } else { shape(*o) };
                let name = format!("a{i}");
                operands += &operand(&name, i, comps, bits);
                format!("%{name}")
            }
        });
    }
    let mut indices = String::new();
    for &i in info.indices {
        let value = match i {
            Index::Atomic if op.name().ends_with("_swap") => "cmpxchg",
            Index::Atomic | Index::Reduce => "iadd",
            Index::Dim => "2d",
            Index::Format if image_atomic => "r32ui",
            Index::Format => "rgba32f",
            Index::Align => "4",
            Index::Io if stage == Stage::Vertex && op == Op::store_output => "(position)",
            Index::Io => "0",
            Index::DestType | Index::SrcType if image_atomic => "uint32",
            Index::DestType if op == Op::convert_alu_types => "float16",
            Index::DestType if op == Op::convert_air => "float16",
            Index::DestType | Index::SrcType => "float32",
            Index::Rounding if matches!(op, Op::convert_air) => "rtz",
            Index::ExecutionScope if stage == Stage::Fragment => "subgroup",
            Index::ExecutionScope | Index::MemoryScope if op == Op::barrier => "workgroup",
            Index::MemoryScope => "device",
            Index::MemoryModes => "shared",
            Index::Semantics if op == Op::barrier => "acquire|release",
            Index::Interp => "smooth",
            Index::WriteMask if info.operand_names.contains(&"value") && has(Index::Io) => "xyzw",
            Index::WriteMask => "x",
            _ => continue,
        };
        let _ = write!(indices, " {}={value}", i.name());
    }
    // Inputs and outputs at location 0.
    if has(Index::Io) {
        declarations += match (info.result.is_some(), stage, op) {
            (false, Stage::Vertex, _) => "  out vec4 o location=position\n",
            (false, ..) | (_, _, Op::load_output | Op::load_per_vertex_output) => "  out vec4 o location=0\n",
            _ => "  in vec4 v location=0\n",
        };
    }
    match op {
        Op::load_push_constant => declarations += "  push_const P { vec4 a @0 } pc\n",
        Op::load_uniform => declarations += "  uniform vec4 w offset=0\n",
        _ if op.name().contains("shared") => declarations += "  shared_size 256\n",
        _ => {}
    }
    let result = match op {
        Op::convert_air | Op::convert_alu_types => (1, 16),
        _ => result,
    };
    Case {
        stage,
        declarations,
        operands,
        operation: format!("{} {}{indices}", op.name(), names.join(", ")),
        result,
    }
}

/// Components and bits of an operand or result: one component of 32 bits where the table leaves them open.
fn shape(s: OperandShape) -> (u8, u8) {
    (s.comps.max(1), if s.bits == 0 { 32 } else { s.bits })
}

/// Whether the source languages have an operation in a stage; without workgroups there is no shared memory, and so on.
fn belongs(op: IntrinsicOp, stage: Stage) -> bool {
    let workgroups = matches!(stage, Stage::Compute | Stage::Mesh | Stage::Task);
    let has = |i: Index| op.info().indices.contains(&i);
    match op {
        IntrinsicOp::load_per_vertex_output => return stage == Stage::TessControl,
        IntrinsicOp::store_per_vertex_output => return matches!(stage, Stage::TessControl | Stage::Mesh),
        IntrinsicOp::set_mesh_outputs => return stage == Stage::Mesh,
        IntrinsicOp::launch_mesh_workgroups => return stage == Stage::Task,
        IntrinsicOp::emit_vertex | IntrinsicOp::end_primitive => return stage == Stage::Geometry,
        _ => {}
    }
    match () {
        () if op.name().contains("shared") || op == IntrinsicOp::barrier => workgroups,
        () if has(Index::Io) => stage != Stage::Compute,
        () => true,
    }
}

fn intrinsic_rows(text: &mut String) {
    text.push_str("\n## Intrinsics\n\nIn the first stage that has the operation. Buffers are storage blocks of `vec4`, images are 2D.\n\n| intrinsic | stage | AIR |\n|---|---|---|\n");
    let options = Options { target: "macos26".parse().expect("a target"), ..Options::default() };
    let mut missing = String::new();
    for &op in INTRINSIC_OPS {
        if let Some((_, pass)) = LOWERED.iter().find(|(o, _)| *o == op) {
            let _ = writeln!(text, "| `{}` | | not in form `target`: lowered by `{pass}` |", op.name());
            continue;
        }
        let mut error = None;
        let mut invalid = String::new();
        let mut found = None;
        for &stage in STAGES.iter().filter(|&&stage| belongs(op, stage)) {
            let case = intrinsic_case(op, stage);
            match case.outcome(&options) {
                Ok(_) => {
                    found = Some(case);
                    break;
                }
                Err(reason) if reason.starts_with('?') => invalid = reason,
                Err(_) => error = error.or(Some(case)),
            }
        }
        match found.or(error) {
            Some(case) => {
                let _ = writeln!(text, "| `{}` | {} | {} |", op.name(), case.stage.name(), case.row());
            }
            None => missing += &format!("`{}` has no instance: {invalid}\n", op.name()),
        }
    }
    assert!(missing.is_empty(), "{missing}");
}

// ---- textures ----

/// Shapes of textures: words of the type, components of a coordinate with and without its layer.
const SHAPES: &[(&str, u8, u8)] = &[
    ("1d float32", 1, 1),
    ("1d float32 array", 2, 1),
    ("2d float32", 2, 2),
    ("2d float32 array", 3, 2),
    ("3d float32", 3, 3),
    ("cube float32", 3, 3),
    ("cube float32 array", 4, 3),
    ("rect float32", 2, 2),
    ("buf float32", 1, 1),
    ("ms float32", 2, 2),
    ("ms float32 array", 3, 2),
    ("2d float32 shadow", 2, 2),
    ("2d float32 array shadow", 3, 2),
    ("cube float32 shadow", 3, 3),
    ("cube float32 array shadow", 4, 3),
];

/// Roles that an operation needs for a shape; `None` where the operation does not exist for it.
fn roles_of(op: TexOp, shape: &str) -> Option<&'static [TexSrc]> {
    use TexSrc as S;
    let (ms, buffer) = (shape.starts_with("ms"), shape.starts_with("buf"));
    let shadow = shape.contains("shadow");
    let cube = shape.starts_with("cube");
    let plain = !ms && !buffer;
    let sampled = |with: &'static [TexSrc], compared: &'static [TexSrc]| {
        plain.then_some(if shadow { compared } else { with })
    };
    match op {
        TexOp::Tex => sampled(&[S::Coord], &[S::Coord, S::Comparator]),
        TexOp::Txb => sampled(&[S::Coord, S::Bias], &[S::Coord, S::Comparator, S::Bias]),
        TexOp::Txl => sampled(&[S::Coord, S::Lod], &[S::Coord, S::Comparator, S::Lod]),
        TexOp::Txd => sampled(&[S::Coord, S::Ddx, S::Ddy], &[S::Coord, S::Comparator, S::Ddx, S::Ddy]),
        TexOp::Tg4 if shape.starts_with("1d") || shape.starts_with("3d") => None,
        TexOp::Tg4 => sampled(&[S::Coord], &[S::Coord, S::Comparator]),
        TexOp::Lod if shape.starts_with("rect") => None,
        TexOp::Lod => sampled(&[S::Coord], &[S::Coord]),
        TexOp::Txf if ms || shadow || cube => None,
        TexOp::Txf if buffer || shape.starts_with("rect") => Some(&[S::Coord]),
        TexOp::Txf => Some(&[S::Coord, S::Lod]),
        TexOp::TxfMs => ms.then_some(&[S::Coord, S::MsIndex]),
        TexOp::Txs if ms || buffer => Some(&[]),
        TexOp::Txs => Some(&[S::Lod]),
        TexOp::QueryLevels => plain.then_some(&[]),
        TexOp::Samples => ms.then_some(&[]),
    }
}

/// One texture operation on a shape with some sources beside the texture.
fn tex_case(op: TexOp, (shape, coords, plain): (&str, u8, u8), roles: &[TexSrc]) -> Case {
    use TexSrc as S;
    let query = op.is_query();
    let sampler = !op.is_fetch() && (!query || op == TexOp::Lod);
    let mut operands = String::from("    %t = deref_var &t\n");
    let mut sources = String::from("texture=%t");
    if sampler {
        sources += " sampler=%t";
    }
    for (i, &role) in roles.iter().enumerate() {
        // The level of detail is asked of the place alone, without the layer.
        let place = if op == TexOp::Lod { plain } else { coords };
        let comps = match role {
            S::Coord => place,
            S::Ddx | S::Ddy | S::Offset => plain,
            _ => 1,
        };
        operands += &operand(role.name(), i, comps, 32);
        let _ = write!(sources, " {0}=%{0}", role.name());
    }
    let result = match op {
        TexOp::Txs => (if shape.starts_with("cube") { 2 } else { plain } + coords - plain, 32),
        TexOp::Lod => (2, 32),
        TexOp::QueryLevels | TexOp::Samples => (1, 32),
        _ if shape.contains("shadow") && op != TexOp::Tg4 => (1, 32),
        _ => (4, 32),
    };
    let answer =
        if query && op != TexOp::Lod { shape.replace("float32", "uint32") } else { shape.to_owned() };
    Case {
        stage: Stage::Fragment,
        declarations: format!("  uniform sampled({shape}) t set=0 binding=2\n"),
        operands,
        operation: format!("{} {answer} {sources}", op.name()),
        result,
    }
}

fn texture_rows(text: &mut String) {
    text.push_str("\n## Texture operations\n\n| operation | texture | AIR |\n|---|---|---|\n");
    for &op in TexOp::ALL {
        let before = text.len();
        for &shape in SHAPES {
            if let Some(roles) = roles_of(op, shape.0) {
                let _ = writeln!(
                    text,
                    "| `{}` | {} | {} |",
                    op.name(),
                    shape.0,
                    tex_case(op, shape, roles).row()
                );
            }
        }
        assert!(text.len() > before, "`{}` has no row", op.name());
    }
    text.push_str("\n## Sources of texture operations\n\nWhat one more source adds, on a 2D texture.\n\n| source | shown with | AIR |\n|---|---|---|\n");
    let shape = SHAPES[2];
    for &role in TexSrc::ALL {
        use TexSrc as S;
        let (op, shape, roles): (_, _, &[TexSrc]) = match role {
            S::Texture | S::Sampler | S::Coord => (TexOp::Tex, shape, &[S::Coord]),
            S::Projector => (TexOp::Tex, shape, &[S::Coord, S::Projector]),
            S::Comparator => (TexOp::Tex, SHAPES[11], &[S::Coord, S::Comparator]),
            S::Offset => (TexOp::Tex, shape, &[S::Coord, S::Offset]),
            S::Bias => (TexOp::Txb, shape, &[S::Coord, S::Bias]),
            S::Lod => (TexOp::Txl, shape, &[S::Coord, S::Lod]),
            S::MinLod => (TexOp::Tex, shape, &[S::Coord, S::MinLod]),
            S::MsIndex => (TexOp::TxfMs, SHAPES[9], &[S::Coord, S::MsIndex]),
            S::Ddx | S::Ddy => (TexOp::Txd, shape, &[S::Coord, S::Ddx, S::Ddy]),
        };
        let _ =
            writeln!(text, "| `{}` | `{}` | {} |", role.name(), op.name(), tex_case(op, shape, roles).row());
    }
}

#[test]
fn the_table_is_up_to_date() {
    let mut text = String::from(
        "# Operations in AIR\n\nThe instructions and functions of AIR that each operation of the IR adds to a \
         function, or the error where it is not supported. Written by selecting a shader for each operation and each macOS from 11 on, with \
         `AIRFOIL_BLESS=1 cargo test -p airfoil-air --test operations`; do not edit. Where targets differ, each form has the version \
         from which on it is used; `bitcast` is left out. iOS and the other systems follow the AIR version that the table in [the AIR backend](air.md) gives.\n\n\
         Float arithmetic is `relaxed` here. Operations on 64-bit floats are not supported; the pass `lower_doubles`, which all \
         presets run, makes integer arithmetic of those that the source languages have.\n",
    );
    alu_rows(&mut text);
    intrinsic_rows(&mut text);
    texture_rows(&mut text);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/air-operations.md");
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(old == text, "docs/air-operations.md is out of date: run with AIRFOIL_BLESS=1");
}
