//! Merges loads of the same texel of a storage image.
//!
//! Accepts any form. Preserves control flow. A load that an equal one dominates is replaced by it, unless a write in between may change the
//! texel: a store or atomic operation on any image (two variables may name one image, GLSL 4.60 section 4.10) or on a buffer (which may
//! be that of a buffer image), a barrier, a call. Volatile and coherent loads stay. A load is not replaced by the value of
//! an earlier store: the format may round it, and a store outside of the image has no effect. Equal operands are the same value, so
//! that `cse` or `simplify` comes first. Each load is compared with at most 32 others. Linear.
//!
//! Source: NIR's `nir_opt_copy_prop_vars`, for images.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   image image(2d float32 r32f) i binding=0
//!   ssbo S { vec2 c @0 } s binding=1
//!   entry fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &i
//!     %s = deref_var &s
//!     32x2 %2 = const 3, 4
//!     32x4 %a = image_load %1, %2, %0 dim=2d format=r32f dest_type=float32
//!     32x4 %b = image_load %1, %2, %0 dim=2d format=r32f dest_type=float32
//!     32x2 %v = vec2 %a.x, %b.x
//!     store_ssbo %v, %s, %0 mask=xy align=8
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   image image(2d float32 r32f) i binding=0
//!   ssbo S { vec2 c @0 } s binding=1
//!   entry fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &i
//!     %s = deref_var &s
//!     32x2 %2 = const 3, 4
//!     32x4 %a = image_load %1, %2, %0 dim=2d format=r32f dest_type=float32
//!     32x2 %v = vec2 %a.x, %a.x
//!     store_ssbo %v, %s, %0 mask=xy align=8
//!   }
//! }
//! ```

use crate::util::memory::{FIXED, access_of};
use crate::{Changes, Context, Pass, PassInfo, plan_each_body};
use airfoil_ir::analysis::Effect;
use airfoil_ir::intrinsic::MemoryAction;
use airfoil_ir::{Body, Diagnostic, InstrId, InstrKind, IntrinsicOp, Modes, Replacements, Shader, Walk};

/// See the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeImageLoads;

static INFO: PassInfo = PassInfo::new(
    "merge_image_loads",
    "merges loads of the same texel of a storage image",
    include_str!("merge_image_loads.rs"),
)
.reads(Changes::VALUES.union(Changes::CODE).union(Changes::MEMORY));

/// Loads with which a load is compared.
const MAX_COMPARED: usize = 32;

/// Memory whose writes may change a texel.
const WRITTEN: Modes = Modes::IMAGE.union(Modes::SSBO).union(Modes::GLOBAL);

impl Pass for MergeImageLoads {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if !shader.vars.values().any(|v| v.mode.intersects(Modes::IMAGE)) {
            return Ok(Changes::NONE);
        }
        let plan = |shader: &Shader, body: &Body| Some(look(shader, body)).filter(|equal| !equal.is_empty());
        let changed = plan_each_body(shader, plan, |body, equal| {
            let mut replacements = Replacements::default();
            for &(load, earlier) in &equal {
                replacements.insert(load, earlier);
            }
            body.replace_all(&replacements);
            for (load, _) in equal {
                body.remove(load);
            }
        });
        Ok((Changes::VALUES | Changes::MEMORY).when(changed))
    }
}

/// The facts at the start of a construct.
struct Frame {
    facts: usize,
    /// The last write before it; that of its `then` side.
    write: usize,
    then: usize,
}

/// Loads to replace, with the equal ones before them.
fn look(shader: &Shader, body: &Body) -> Vec<(InstrId, InstrId)> {
    let mut equal = Vec::new();
    // Loads that dominate the current position, with the number of loads before them.
    let mut facts: Vec<(InstrId, usize)> = Vec::new();
    // Loads before the last write and in all: facts from before the write are not known any more.
    let (mut write, mut count) = (0, 0);
    let mut frames: Vec<Frame> = Vec::new();
    let mut loops = if body.num_cfs() > 0 { writing_loops(body) } else { Vec::new() }.into_iter();
    for step in body.walk_cf() {
        match step {
            Walk::Block(block) => {
                for id in body.instrs(block) {
                    if writes(body, id) {
                        write = count;
                    } else if is_load(shader, body, id) {
                        let known = facts.iter().rev().take(MAX_COMPARED).take_while(|f| f.1 >= write);
                        let same = |&&(earlier, _): &&(InstrId, usize)| {
                            body[earlier].as_intrinsic() == body[id].as_intrinsic()
                                && body[earlier].ty == body[id].ty
                        };
                        match { known }.find(same) {
                            Some(&(earlier, _)) => equal.push((id, earlier)),
                            None => facts.push((id, count)),
                        }
                        count += 1;
                    }
                }
            }
            Walk::If(_) => frames.push(Frame { facts: facts.len(), write, then: 0 }),
            Walk::Else(_) => {
                if let Some(frame) = frames.last_mut() {
                    facts.truncate(frame.facts);
                    frame.then = std::mem::replace(&mut write, frame.write);
                }
            }
            Walk::EndIf(_) => {
                if let Some(frame) = frames.pop() {
                    facts.truncate(frame.facts);
                    write = write.max(frame.then);
                }
            }
            Walk::Loop(_) => {
                if loops.next() == Some(true) {
                    write = count;
                }
                frames.push(Frame { facts: facts.len(), write, then: 0 });
            }
            Walk::EndLoop(_) => {
                if let Some(frame) = frames.pop() {
                    facts.truncate(frame.facts);
                }
            }
        }
    }
    equal
}

/// Whether there are writes inside each loop, in the order in which loops start.
fn writing_loops(body: &Body) -> Vec<bool> {
    let (mut found, mut open): (Vec<bool>, Vec<usize>) = (Vec::new(), Vec::new());
    for step in body.walk_cf() {
        match step {
            Walk::Block(block) => {
                if let Some(&inner) = open.last() {
                    found[inner] |= body.instrs(block).any(|id| writes(body, id));
                }
            }
            Walk::Loop(_) => {
                open.push(found.len());
                found.push(false);
            }
            Walk::EndLoop(_) => {
                if let Some(inner) = open.pop()
                    && let Some(&outer) = open.last()
                {
                    found[outer] |= found[inner];
                }
            }
            _ => {}
        }
    }
    found
}

fn is_load(shader: &Shader, body: &Body, id: InstrId) -> bool {
    let Some(i) = body[id].as_intrinsic() else { return false };
    matches!(i.op, IntrinsicOp::image_load | IntrinsicOp::image_residency)
        && !access_of(shader, body, id, i.src(0)).intersects(FIXED)
}

/// Whether an instruction may change texels, or make changes by others visible.
fn writes(body: &Body, id: InstrId) -> bool {
    match Effect::of(body, id) {
        Effect::Barrier(modes) => return modes.intersects(WRITTEN),
        Effect::Call => return true,
        Effect::Store { deref, .. } | Effect::Atomic { deref } | Effect::Copy { dst: deref, .. } => {
            return body[deref].as_deref().is_none_or(|d| d.modes.intersects(WRITTEN));
        }
        Effect::None | Effect::Load { .. } | Effect::EmitVertex | Effect::Leave => {}
    }
    let InstrKind::Intrinsic(i) = &body[id].kind else { return false };
    let reads = |action| matches!(action, MemoryAction::Load | MemoryAction::Size);
    i.memory().is_some_and(|m| !reads(m.action) && m.modes.intersects(WRITTEN))
}
