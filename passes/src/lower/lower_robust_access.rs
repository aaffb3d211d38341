//! Adds bounds checks to memory accesses: out-of-range reads return zero, writes and atomic operations have
//! no effect.
//!
//! Accepts forms `slots` and `target`. Metal does not provide the guarantees of Vulkan's `robustBufferAccess`
//! and of robust OpenGL contexts (Vulkan "Robust Buffer Access", OpenGL 4.6 section 6.4) for buffers. One
//! option per kind:
//!
//! * `buffers`: storage buffers end at `get_ssbo_size`, uniform blocks and push constants at the end of their
//!   type, workgroup memory at its size. Accesses at constant offsets inside a type of fixed size are not
//!   checked, since buffers bound to uniform blocks have at least that size.
//! * `arrays`: indices into arrays of variables and of resources, into matrices and vectors, are clamped to
//!   the last element.
//!
//! A check is an `if` around the access. The size of memory at addresses is unknown, so it is not checked.
//! Images are handled by [`lower_robust_images`](crate::lower::lower_robust_images). Linear.
//!
//! Source: NIR's `nir_lower_robust_access`.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   ssbo B { uint[stride=4] data @0 } b set=0 binding=0
//!   fn main {
//!     %b = deref_var &b
//!     32x1 %at = load_local_invocation_index
//!     32x1 %v = load_ssbo %b, %at align=4
//!     store_ssbo %v, %b, %v mask=x align=4
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   ssbo B { uint[stride=4] data @0 } b set=0 binding=0
//!   fn main {
//!   b0:
//!     %0 = deref_var &b
//!     32x1 %1 = load_local_invocation_index
//!     32x1 %2 = get_ssbo_size %0
//!     32x1 %3 = const 4
//!     1x1 %4 = uge %2, %3
//!     32x1 %5 = isub %2, %3
//!     1x1 %6 = uge %5, %1
//!     1x1 %7 = iand %4, %6
//!     32x1 %8 = const 0
//!     if %7 {
//!     b1:
//!       32x1 %9 = load_ssbo %0, %1 align=4
//!     } else {
//!     b2:
//!     }
//!   b3:
//!     32x1 %10 = phi b1: %9, b2: %8
//!     32x1 %11 = get_ssbo_size %0
//!     32x1 %12 = const 4
//!     1x1 %13 = uge %11, %12
//!     32x1 %14 = isub %11, %12
//!     1x1 %15 = uge %14, %10
//!     1x1 %16 = iand %13, %15
//!     if %16 {
//!     b4:
//!       store_ssbo %10, %0, %10 mask=x align=4
//!     }
//!   b5:
//!   }
//! }
//! ```

use crate::util::guard::guard;
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::intrinsic::MemoryAction;
use airfoil_ir::{
    Body, Builder, DerefKind, Diagnostic, Form, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp, Modes,
    Shader, Ty, Type, TypeId, Types,
};

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerRobustAccess {
        /// Check accesses to buffers and workgroup memory.
        buffers: bool = true,
        /// Clamp indices into arrays.
        arrays: bool = true,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_robust_access",
    "adds bounds checks to buffer and array accesses",
    include_str!("lower_robust_access.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerRobustAccess as crate::PassOptions>::OPTIONS)
// A vector that is partly out of range is dropped as a whole.
.results(Results::All);

impl Pass for LowerRobustAccess {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let push_constants = shader.vars.values().find(|v| v.mode == Modes::PUSH_CONST).map(|v| v.ty);
        let uniforms = shader
            .vars
            .values()
            .filter(|v| v.mode == Modes::UNIFORM && !shader.types.is_opaque(v.ty))
            .map(|v| v.offset.saturating_add(shader.types.size(v.ty)));
        let facts = Facts {
            types: &shader.types,
            shared: shader.info.shared_size,
            push_constants: push_constants.map_or(0, |ty| shader.types.size(ty)),
            uniforms: uniforms.max().unwrap_or(0),
        };
        let mut progress = Changes::NONE;
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            let ids: Vec<InstrId> = body.all_instrs().collect();
            // Backward: an `if` moves the code after it, up to the next one.
            for id in ids.into_iter().rev() {
                let made = match &body[id].kind {
                    InstrKind::Deref(_) if self.arrays => clamp_deref(body, id, &facts),
                    InstrKind::Intrinsic(i) => {
                        let i = *i;
                        let memory = |body: &mut Body| guard_memory(body, id, &i, &facts);
                        (self.buffers && memory(body)) || (self.arrays && clamp_slot(body, id, &i))
                    }
                    _ => false,
                };
                progress |= Changes::ALL.when(made);
            }
        }
        Ok(progress)
    }
}

/// Facts about the shader that are needed while its code changes.
struct Facts<'a> {
    types: &'a Types,
    /// Bytes of workgroup memory.
    shared: u32,
    /// Bytes of push constants.
    push_constants: u32,
    /// Bytes of the default uniform block.
    uniforms: u32,
}

/// The end of a memory region.
enum End {
    /// A fixed number of bytes.
    Fixed(u32),
    /// The size reported by the buffer.
    Buffer(InstrId),
}

/// Memory that is not checked here: stage inputs and outputs ([`clamp_slot`]), images
/// ([`lower_robust_images`](crate::lower_robust_images)), memory at addresses, and variables that derefs reach.
const UNGUARDED: Modes = Modes::IN.union(Modes::OUT).union(Modes::IMAGE).union(Modes::GLOBAL);

/// The end of the memory that an intrinsic accesses, its byte offset and the number of bytes accessed; `None` if it accesses
/// nothing that is guarded here.
fn access(body: &Body, i: &Intrinsic, ty: Ty, facts: &Facts<'_>) -> Option<(End, InstrId, u32)> {
    let memory = i.memory()?;
    let offset = memory.offset?;
    let bytes = |ty: Ty| u32::from(ty.comps) * u32::from(ty.bits.max(8)) / 8;
    let end = match (memory.modes, memory.block) {
        (Modes::UBO, Some(block)) => End::Fixed(facts.types.size(body[block].as_deref().map(|d| d.ty)?)),
        (Modes::SSBO, Some(block)) => End::Buffer(block),
        (Modes::PUSH_CONST, _) => End::Fixed(facts.push_constants),
        (Modes::UNIFORM, _) => End::Fixed(facts.uniforms),
        (Modes::SHARED, _) => End::Fixed(facts.shared),
        (modes, _) => {
            debug_assert!(UNGUARDED.contains(modes), "{} is not guarded", i.op.name());
            return None;
        }
    };
    let bytes = match (memory.action, memory.value) {
        (MemoryAction::Store, Some(_)) if i.write_mask() == 0 => return None,
        (MemoryAction::Store, Some(value)) => bytes(written(body[value].ty, i)),
        _ => bytes(ty),
    };
    Some((end, offset, bytes))
}

/// The components of a store up to the last one that it writes.
fn written(ty: Ty, store: &Intrinsic) -> Ty {
    let last = u32::BITS - store.write_mask().leading_zeros();
    ty.with_comps(ty.comps.min(last as u8))
}

fn guard_memory(body: &mut Body, id: InstrId, i: &Intrinsic, facts: &Facts<'_>) -> bool {
    let Some((end, offset, bytes)) = access(body, i, body[id].ty, facts) else { return false };
    let at = body[offset].as_const().map(|c| c[0]);
    if let (End::Fixed(size), Some(at)) = (&end, at)
        && at + u64::from(bytes) <= u64::from(*size)
    {
        return false;
    }
    let mut b = Builder::before(body, id);
    let inside = match end {
        // offset <= size - bytes, if that is not negative.
        End::Fixed(size) => match size.checked_sub(bytes) {
            Some(last) => {
                let last = b.imm_u32(last);
                b.uge(last, offset)
            }
            None => b.imm_bool(false),
        },
        End::Buffer(block) => {
            let size = b.intrinsic(IntrinsicOp::get_ssbo_size, Ty::B32, &[block]);
            let bytes = b.imm_u32(bytes);
            let fits = b.uge(size, bytes);
            let last = b.isub(size, bytes);
            let before = b.uge(last, offset);
            b.iand(fits, before)
        }
    };
    let _ = guard(body, &[id], inside);
    true
}

/// Number of elements that an array step indexes; `None` if it is not fixed.
fn elements(types: &Types, ty: TypeId) -> Option<u32> {
    match types[ty] {
        Type::Array { len, .. } => Some(len).filter(|&len| len != 0),
        Type::Matrix { cols, .. } => Some(u32::from(cols)),
        Type::Vector { comps, .. } => Some(u32::from(comps)),
        _ => None,
    }
}

/// The minimum of an index and the last one; `None` if it is a constant in range.
fn clamped(b: &mut Builder<'_>, index: InstrId, count: u32) -> Option<InstrId> {
    if b.scalar_const(index).is_some_and(|n| n < u64::from(count)) {
        return None;
    }
    let bits = b.ty(index).bits;
    let last = b.imm(bits, u64::from(count - 1));
    Some(b.umin(index, last))
}

fn clamp_deref(body: &mut Body, id: InstrId, facts: &Facts<'_>) -> bool {
    let Some(DerefKind::Array { parent, index }) = body[id].as_deref().map(|d| d.kind) else { return false };
    let Some(count) = body[parent].as_deref().and_then(|d| elements(facts.types, d.ty)) else { return false };
    let Some(index) = clamped(&mut Builder::before(body, id), index, count) else { return false };
    body.edit(id, |i| {
        if let InstrKind::Deref(d) = &mut i.kind {
            d.kind = DerefKind::Array { parent, index };
        }
    });
    true
}

/// Inputs and outputs with a dynamic index.
fn clamp_slot(body: &mut Body, id: InstrId, i: &Intrinsic) -> bool {
    if !i.op.info().indices.contains(&Index::Io) {
        return false;
    }
    let (count, last) = (u32::from(i.io().num_slots), i.srcs().len() - 1);
    if count == 0 {
        return false;
    }
    let Some(offset) = clamped(&mut Builder::before(body, id), i.src(last), count) else { return false };
    let mut access = *i;
    access.set_src(last, offset);
    body.edit(id, |instr| instr.kind = InstrKind::Intrinsic(access));
    true
}
