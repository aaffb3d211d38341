//! Names in text: numbers of values and blocks, unique names of variables, types and functions.

use crate::body::{Body, Walk};
use crate::ids::{BlockId, InstrId, VarId};
use crate::instr::InstrKind;
use crate::shader::Shader;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;

/// The canonical numbers of the values and blocks of a body: both count in the order of the text.
///
/// An `else` side of one empty block that no phi names is not written and has no number.
///
/// # Examples
///
/// ```
/// use airfoil_ir::text::{self, Numbering};
///
/// let shader = text::parse(r#"foil 1 shader fragment "main" { fn main {
///     %coord = load_frag_coord
///     %covered = load_front_face
///     if %covered { demote }
/// } }"#)?;
/// let body = shader.entry_body().unwrap();
/// let names = Numbering::new(body);
/// // The instruction without a value and the empty `else` side have no numbers.
/// assert!(body.all_instrs().map(|id| names.value(id)).eq([Some(0), Some(1), None]));
/// assert!(body.blocks().map(|b| names.block(b)).eq([Some(0), Some(1), None, Some(2)]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    values: SecondaryMap<InstrId, u32>,
    blocks: SecondaryMap<BlockId, u32>,
}

/// Marks blocks that phis name before they are numbered.
const NAMED: u32 = u32::MAX;

impl Numbering {
    /// Numbers values and blocks in two walks.
    pub fn new(body: &Body) -> Numbering {
        let mut values = SecondaryMap::with_capacity(body.instr_capacity());
        let mut blocks = SecondaryMap::with_capacity(body.num_blocks() + 1);
        let mut next = 0;
        for id in body.all_instrs() {
            let instr = &body[id];
            if instr.has_value() {
                values.insert(id, next);
                next += 1;
            }
            if let InstrKind::Phi(srcs) = &instr.kind {
                for s in srcs {
                    blocks.insert(s.pred, NAMED);
                }
            }
        }
        let mut next = 0;
        let mut hidden = None;
        for step in body.walk_cf() {
            match step {
                Walk::Else(cf) => {
                    let side = body.as_if(cf).map(|n| n.els());
                    hidden = side
                        .filter(|s| s.first == s.last && body.first_instr(s.first).is_none())
                        .filter(|s| !blocks.contains_key(s.first))
                        .map(|s| s.first);
                }
                Walk::Block(b) if hidden != Some(b) => {
                    blocks.insert(b, next);
                    next += 1;
                }
                _ => {}
            }
        }
        Numbering { values, blocks }
    }

    /// The number of a value; `None` if the body does not define it.
    pub fn value(&self, id: InstrId) -> Option<u32> {
        self.values.get(id).copied()
    }

    /// The number of a block; `None` if it is not in the body, or not written.
    pub fn block(&self, id: BlockId) -> Option<u32> {
        self.blocks.get(id).copied().filter(|&n| n != NAMED)
    }
}

/// Whether a name can be written without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Writes a string in quotes.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Writes a name, in quotes if it needs them.
pub(super) fn push_name(out: &mut String, name: &str) {
    if is_plain(name) { out.push_str(name) } else { push_quoted(out, name) }
}

/// Makes names unique: the second `uv` becomes `uv.1`.
#[derive(Debug, Default)]
pub(super) struct Unique<'a> {
    seen: FxHashMap<&'a str, u32>,
}

impl<'a> Unique<'a> {
    /// The text of the next object with this `name`; `reserved` words are quoted.
    pub(super) fn add(&mut self, name: &'a str, reserved: bool) -> Box<str> {
        let n = self.seen.entry(name).or_insert(0);
        let mut text = String::with_capacity(name.len() + 4);
        if reserved {
            push_quoted(&mut text, name)
        } else {
            push_name(&mut text, name)
        }
        if *n > 0 {
            text.push('.');
            text.push_str(&n.to_string());
        }
        *n += 1;
        text.into()
    }
}

/// Variables in the order of the text: those of the shader, then those of each function.
pub(super) fn ordered_vars(shader: &Shader) -> Vec<VarId> {
    let mut rank = SecondaryMap::new();
    for (i, f) in shader.functions.keys().enumerate() {
        rank.insert(f, i + 1);
    }
    let mut vars: Vec<VarId> = shader.vars.keys().collect();
    vars.sort_by_key(|&v| shader.vars[v].function.and_then(|f| rank.get(f).copied()).unwrap_or(0));
    vars
}
