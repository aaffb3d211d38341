//! Walks over all instructions of one kind, the shell of most lowering passes (NIR's `nir_shader_intrinsics_pass`).
//!
//! Each function visits the instructions of every function in program order and calls `f` with a builder
//! before the instruction, the instruction's ID, and a copy of its operation. `f` changes the code around the
//! instruction through [`Builder::body`] and returns whether it did. It may insert instructions before the
//! visited one, which are not visited, and replace or remove the visited one or earlier ones. It must not
//! add control flow: that takes the backward walk, so that the code after the instruction, which moves to
//! another block, has been visited already.
//!
//! ```
//! use airfoil_ir::{InstrKind, IntrinsicOp, text};
//! use airfoil_passes::{Changes, util::rewrite::rewrite_intrinsics};
//!
//! let source = "foil 1\nshader vertex \"t\" {\n  form slots\n  fn main {\n    %0 = load_instance_id\n  }\n}\n";
//! let mut shader = text::parse(source).unwrap();
//! // There is one instance only.
//! let progress = rewrite_intrinsics(&mut shader, |b, id, i| {
//!     if i.op != IntrinsicOp::load_instance_id {
//!         return false;
//!     }
//!     b.body.set_kind(id, InstrKind::Const(Default::default()));
//!     true
//! });
//! assert_eq!(progress, Changes::INSTRUCTIONS);
//! assert!(text::print(&shader).contains("32x1 %0 = const 0"));
//! ```

use crate::{Changes, each_body};
use airfoil_ir::{Alu, Body, Builder, Instr, InstrId, InstrKind, Intrinsic, Replacements, Shader, Tex, Ty};

/// Visits all ALU operations.
pub fn rewrite_alu(
    shader: &mut Shader,
    mut f: impl FnMut(&mut Builder<'_>, InstrId, Alu) -> bool,
) -> Changes {
    rewrite_where(
        shader,
        |kind| matches!(kind, InstrKind::Alu(_)),
        |b, id| match b.body[id].kind {
            InstrKind::Alu(alu) => f(b, id, alu),
            _ => false,
        },
    )
}

/// Visits all intrinsics.
pub fn rewrite_intrinsics(
    shader: &mut Shader,
    mut f: impl FnMut(&mut Builder<'_>, InstrId, Intrinsic) -> bool,
) -> Changes {
    rewrite_where(shader, is_intrinsic, |b, id| match b.body[id].kind {
        InstrKind::Intrinsic(i) => f(b, id, i),
        _ => false,
    })
}

/// Visits all texture operations. Shaders without textures are not walked.
pub fn rewrite_tex(
    shader: &mut Shader,
    mut f: impl FnMut(&mut Builder<'_>, InstrId, Box<Tex>) -> bool,
) -> Changes {
    if !crate::util::textures::any(shader) {
        return Changes::NONE;
    }
    rewrite_where(
        shader,
        |kind| matches!(kind, InstrKind::Tex(_)),
        |b, id| match &b.body[id].kind {
            InstrKind::Tex(tex) => {
                let tex = tex.clone();
                f(b, id, tex)
            }
            _ => false,
        },
    )
}

/// Visits the instructions that `matches` selects.
pub fn rewrite_where(
    shader: &mut Shader,
    matches: impl Fn(&InstrKind) -> bool,
    mut f: impl FnMut(&mut Builder<'_>, InstrId) -> bool,
) -> Changes {
    each_body(shader, |body| {
        let mut changes = Changes::NONE;
        each_where(
            body,
            |_, instr| matches(&instr.kind),
            |body, id| {
                changes |= Changes::INSTRUCTIONS.when(f(&mut Builder::before(body, id), id));
            },
        );
        changes
    })
}

/// Visits the instructions that `matches` selects, which it does before the first change, the last one first.
/// `f` may add control flow.
pub fn rewrite_backward(
    shader: &mut Shader,
    matches: impl Fn(&Body, &Instr) -> bool,
    mut f: impl FnMut(&mut Builder<'_>, InstrId) -> bool,
) -> Changes {
    each_body(shader, |body| {
        let entries = body.entries().filter(|(_, instr)| matches(body, instr));
        let selected: Vec<InstrId> = entries.map(|(id, _)| id).collect();
        selected.into_iter().rev().fold(Changes::NONE, |changes, id| {
            changes | Changes::CODE.when(f(&mut Builder::before(body, id), id))
        })
    })
}

fn is_intrinsic(kind: &InstrKind) -> bool {
    matches!(kind, InstrKind::Intrinsic(_))
}

/// The edit of an instruction, see [`edit_each`].
///
/// # Examples
/// ```
/// use airfoil_ir::{IntrinsicOp, text};
/// use airfoil_passes::util::rewrite::{Edit, edit_each};
///
/// let source = "foil 1 shader fragment \"t\" {\n fn main {\n %s = load_subgroup_size\n terminate\n }\n }";
/// let mut shader = text::parse(source).unwrap();
/// let main = shader.entry.unwrap();
/// let changed = edit_each(&mut shader.functions[main].body, |_, instr| match instr.as_intrinsic() {
///     Some(i) if i.op == IntrinsicOp::terminate => Edit::Remove,
///     _ => Edit::Keep,
/// });
/// assert!(changed && shader.num_instrs() == 1);
/// ```
#[derive(Clone, Debug)]
pub enum Edit {
    /// The instruction stays.
    Keep,
    /// The instruction becomes another one with the same result.
    To(InstrKind),
    /// The instruction, which has no result, is removed.
    Remove,
}

/// Visits all instructions of a body in program order and applies the edits that `f` chooses; returns whether there
/// were any. `f` sees the edits of earlier instructions.
pub fn edit_each(body: &mut Body, f: impl Fn(&Body, &Instr) -> Edit) -> bool {
    let (mut at, mut changed) = (body.start(), false);
    loop {
        let mut entries = body.entries_from(at);
        let edit = entries.find_map(|(id, instr)| match f(body, instr) {
            Edit::Keep => None,
            edit => Some((id, edit)),
        });
        at = entries.position();
        match edit {
            None => return changed,
            Some((id, Edit::To(kind))) => body.set_kind(id, kind),
            Some((id, _)) => body.remove(id),
        }
        changed = true;
    }
}

/// Calls `f` with the instructions of a body that `matches` selects. `f` may insert instructions before the visited
/// one and remove it, but not those after it.
pub fn each_where(
    body: &mut Body,
    matches: impl Fn(&Body, &Instr) -> bool,
    mut f: impl FnMut(&mut Body, InstrId),
) {
    let mut at = body.start();
    loop {
        let mut entries = body.entries_from(at);
        let Some((id, _)) = entries.find(|(_, instr)| matches(body, instr)) else { return };
        at = entries.position();
        f(body, id);
    }
}

/// The replacement of an instruction, see [`replace_intrinsics`].
///
/// # Examples
/// ```
/// use airfoil_ir::{IntrinsicOp, text};
/// use airfoil_passes::util::rewrite::{Replacement, replace_intrinsics};
///
/// let source = "foil 1 shader compute \"t\" {\n fn main {\n %s = load_subgroup_size\n 32x1 %t = iadd %s, %s\n }\n }";
/// let mut shader = text::parse(source).unwrap();
/// let is_size = |_: &_, _, i: &airfoil_ir::Intrinsic| i.op == IntrinsicOp::load_subgroup_size;
/// let _ = replace_intrinsics(&mut shader, is_size, |b, _, _| Replacement::Value(b.imm_u32(32)));
/// assert!(text::print(&shader).contains("32x1 %0 = const 32\n    32x1 %1 = iadd %0, %0"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The instruction stays.
    Keep,
    /// The instruction is removed; its result must be unused.
    Remove,
    /// The instruction is removed, and uses of its result read this value.
    Value(InstrId),
}

/// Visits the intrinsics that `matches` selects by the shape of their results and their operation, and replaces them by
/// other values. Uses are updated at the end of each function: until then operands are the original ones. Only
/// replacements count as changes.
pub fn replace_intrinsics(
    shader: &mut Shader,
    matches: impl Fn(&Body, Ty, &Intrinsic) -> bool,
    mut f: impl FnMut(&mut Builder<'_>, InstrId, Intrinsic) -> Replacement,
) -> Changes {
    each_body(shader, |body| {
        let mut replacements = Replacements::default();
        let mut removed = Vec::new();
        each_where(
            body,
            |body, instr| instr.as_intrinsic().is_some_and(|i| matches(body, instr.ty, i)),
            |body, id| {
                let InstrKind::Intrinsic(i) = body[id].kind else { return };
                match f(&mut Builder::before(body, id), id, i) {
                    Replacement::Keep => return,
                    Replacement::Remove => {}
                    Replacement::Value(value) => replacements.insert(id, value),
                }
                removed.push(id);
            },
        );
        body.replace_all(&replacements);
        removed.iter().for_each(|&id| body.remove(id));
        Changes::INSTRUCTIONS.when(!removed.is_empty())
    })
}
