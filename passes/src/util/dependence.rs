//! Whether two instructions depend on each other through memory.

use super::deref_path::{Alias, DerefPath};
use super::memory::{FIXED, access_of};
use airfoil_ir::analysis::Effect;
use airfoil_ir::intrinsic::MemoryAction;
use airfoil_ir::{Body, InstrId, InstrKind, Intrinsic, Modes, Shader};
use smallvec::{SmallVec, smallvec};

/// An access of an instruction to memory.
struct Touch {
    modes: Modes,
    /// The accessed location, or the block or variable that contains it.
    deref: Option<InstrId>,
    writes: bool,
}

/// The accesses of an instruction.
enum Touches {
    /// These, or none.
    Some(SmallVec<[Touch; 2]>),
    /// Any; or the order matters for another reason.
    Everything,
}

impl Touches {
    fn is_none(&self) -> bool {
        matches!(self, Touches::Some(list) if list.is_empty())
    }
}

/// Whether two instructions can be exchanged as far as memory goes: neither writes memory that the other one accesses.
/// Operands and control flow are not looked at.
///
/// Barriers, calls, volatile and coherent accesses, and instructions that may end the invocation are passed only by
/// instructions that do not access memory which is written while the shader runs.
pub fn may_pass(shader: &Shader, body: &Body, a: InstrId, b: InstrId) -> bool {
    let a = touches(shader, body, a);
    if a.is_none() {
        return true;
    }
    let (a, b) = match (a, touches(shader, body, b)) {
        (_, b) if b.is_none() => return true,
        (Touches::Some(a), Touches::Some(b)) => (a, b),
        _ => return false,
    };
    a.iter().all(|a| b.iter().all(|b| !(a.writes || b.writes) || are_apart(shader, body, a, b)))
}

fn are_apart(shader: &Shader, body: &Body, a: &Touch, b: &Touch) -> bool {
    if !a.modes.intersects(b.modes) {
        return true;
    }
    match (a.deref, b.deref) {
        // Two variables can name one image (GLSL 4.60 section 4.10).
        _ if (a.modes | b.modes).intersects(Modes::IMAGE) => false,
        (Some(a), Some(b)) => DerefPath::new(body, a).alias(&DerefPath::new(body, b), shader) == Alias::None,
        _ => false,
    }
}

fn touches(shader: &Shader, body: &Body, id: InstrId) -> Touches {
    let instr = &body[id];
    match &instr.kind {
        InstrKind::Call(_) => Touches::Everything,
        InstrKind::Intrinsic(i) => of_intrinsic(shader, body, id, i),
        InstrKind::Alu(_)
        | InstrKind::Const(_)
        | InstrKind::Undef
        | InstrKind::Deref(_)
        | InstrKind::Phi(_)
        | InstrKind::Jump(_)
        | InstrKind::Tex(_) => Touches::Some(SmallVec::new()),
    }
}

fn of_intrinsic(shader: &Shader, body: &Body, id: InstrId, i: &Intrinsic) -> Touches {
    let touch = |deref: InstrId, writes| Touch {
        modes: body[deref].as_deref().map_or(Modes::all(), |d| d.modes),
        deref: Some(deref),
        writes,
    };
    let list: SmallVec<[Touch; 2]> = match Effect::of(body, id) {
        Effect::Load { deref } => smallvec![touch(deref, false)],
        Effect::Store { deref, .. } | Effect::Atomic { deref } => smallvec![touch(deref, true)],
        Effect::Copy { dst, src } => smallvec![touch(dst, true), touch(src, false)],
        Effect::Barrier(_) | Effect::Call | Effect::EmitVertex | Effect::Leave => return Touches::Everything,
        Effect::None if body[id].can_reorder() => SmallVec::new(),
        Effect::None => match i.memory() {
            Some(m) if m.action == MemoryAction::Size => SmallVec::new(),
            Some(m) => {
                smallvec![Touch { modes: m.modes, deref: m.block, writes: m.action != MemoryAction::Load }]
            }
            // Such as a clock, or whether the invocation is a helper, which a demotion changes.
            None => return Touches::Everything,
        },
    };
    let is_fixed = |deref| access_of(shader, body, id, deref).intersects(FIXED);
    if i.access().intersects(FIXED) || list.iter().any(|touch| touch.deref.is_some_and(is_fixed)) {
        return Touches::Everything;
    }
    Touches::Some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::text;

    const SHADER: &str = r#"foil 1
shader compute "t" {
  form variables
  workgroup_size 1 1 1
  ssbo A { uint x @0, uint y @4 } a set=0 binding=0
  ssbo B { uint x @0 } b set=0 binding=1
  ssbo C { uint x @0 } c set=0 binding=2 access=restrict
  ssbo V { uint x @0 } v set=0 binding=3 access=volatile
  fn main {
    function_temp uint[4] t
  b0:
    32x1 %0 = const 0
    32x1 %1 = const 1
    %2 = deref_var &a
    %3 = deref_struct %2.0
    %4 = deref_struct %2.1
    %5 = deref_var &b
    %6 = deref_struct %5.0
    %7 = deref_var &c
    %8 = deref_struct %7.0
    %9 = deref_var &v
    %10 = deref_struct %9.0
    %11 = deref_var &t
    %12 = deref_array %11[%0]
    %13 = deref_array %11[%1]
    32x1 %14 = load_deref %3
    %15 = deref_array %11[%14]
    store_deref %3, %1
    store_deref %4, %1
    32x1 %16 = load_deref %6
    store_deref %8, %1
    32x1 %17 = load_deref %10
    store_deref %12, %1
    32x1 %18 = load_deref %13
    32x1 %19 = load_deref %15
    32x1 %20 = deref_atomic %3, %1 op=iadd
    barrier execution=workgroup memory=workgroup modes=shared semantics=acquire|release
    32x1 %21 = iadd %14, %1
  }
}
"#;

    #[test]
    fn accesses_decide() {
        let shader = text::parse(SHADER).expect("a shader");
        let body = shader.entry_body().expect("a body");
        let id = |words: &str| {
            let found = body.all_instrs().find(|&id| text::print_instr(&shader, body, id).contains(words));
            found.unwrap_or_else(|| panic!("no `{words}`"))
        };
        let may = |a, b| may_pass(&shader, body, id(a), id(b));
        for (a, b, expected) in [
            ("load_deref %3", "load_deref %3", true),
            ("load_deref %3", "store_deref %3", false),
            ("load_deref %3", "store_deref %4", true),
            ("store_deref %3", "store_deref %3", false),
            // Blocks can be bound to one buffer, unless one is `restrict`.
            ("store_deref %3", "load_deref %6", false),
            ("load_deref %3", "store_deref %8", true),
            ("load_deref %10", "load_deref %10", false),
            ("load_deref %10", "= iadd", true),
            ("store_deref %12", "load_deref %13", true),
            ("store_deref %12", "load_deref %15", false),
            ("store_deref %12", "store_deref %3", true),
            ("deref_atomic", "load_deref %3", false),
            ("deref_atomic", "store_deref %12", true),
            ("barrier", "load_deref %13", false),
            ("barrier", "= iadd", true),
        ] {
            assert_eq!(may(a, b), expected, "`{a}` and `{b}`");
            assert_eq!(may(b, a), expected, "`{b}` and `{a}`");
        }
    }
    /// The result of an instruction without memory can still change while the shader runs.
    #[test]
    fn state_of_the_invocation_stays_in_order() {
        let text = "foil 1\nshader fragment \"t\" {\n  form slots\n  fn main {\n  b0:\n    1x1 %0 = is_helper_invocation\n    demote\n    32x1 %1 = const 1\n  }\n}\n";
        let shader = text::parse(text).expect("a shader");
        let body = shader.entry_body().expect("a body");
        let ids: Vec<InstrId> = body.all_instrs().collect();
        assert!(!may_pass(&shader, body, ids[0], ids[1]) && !may_pass(&shader, body, ids[1], ids[0]));
        assert!(may_pass(&shader, body, ids[2], ids[1]));
    }
}
