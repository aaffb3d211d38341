//! Lowers accesses to inputs, outputs, system values and buffers to accesses by slot and byte offset.
//!
//! Requires form `variables` and produces form `slots`.
//!
//! * **Inputs and outputs**: constant parts of the path are added to the location, dynamic ones to the slot
//!   offset. Values of more than 128 bits take two slots and become two accesses. Interpolated fragment
//!   inputs read barycentric coordinates, which are created once at the start of the function; flat and
//!   integer inputs do not. A store through a dynamic component becomes one conditional store per component
//!   (to avoid that, lower outputs to temporaries first).
//! * **Buffers**: offsets follow the explicit layout, as a dynamic sum plus a constant. Columns of row-major
//!   matrices are read and written component by component. Booleans are 32 bits wide. The length of a
//!   run-time array is computed from the size of its block.
//! * **Memory at addresses** (derefs that start from a cast of a 64-bit integer): the steps are added to the
//!   address, indices as signed integers. An access is aligned to its scalars, as SPIR-V requires; a larger
//!   alignment is not assumed.
//! * **Workgroup memory and the default uniform block** get an std430-like layout; [`StageInfo::shared_size`]
//!   is the number of bytes of the former, [`Variable::offset`] the offset of a uniform.
//!
//! Copies of these variables are lowered to loads and stores first. Derefs as arguments of calls are errors:
//! inline functions first. One walk, linear except for the leaves of copies.
//!
//! Source: NIR's `nir_lower_io` and `nir_lower_explicit_io`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in vec4 p location=0
//!   out vec4 pos location=position invariant
//!   entry fn main {
//!     %0 = deref_var &p
//!     32x4 %1 = load_deref %0
//!     %2 = deref_var &pos
//!     store_deref %2, %1
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form slots
//!   in vec4 p location=0
//!   out vec4 pos location=position invariant
//!
//!   fn main {
//!   b0:
//!     32x1 %0 = const 0
//!     32x4 %1 = load_input %0 io=0 dest_type=float32
//!     store_output %1, %0 io=(position invariant) mask=xyzw src_type=float32
//!   }
//! }
//! ```

mod buffers;
mod layout;
mod stage;

use crate::vars::lower_var_copies::lower_copies;
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::{
    BlockId, Body, Builder, Cursor, DerefKind, Diagnostic, Form, Index, InstrId, InstrKind, Interpolation,
    Intrinsic, IntrinsicOp, Loc, Modes, Place, Replacements, Sampling, Scratch, Shader, Stage, SystemValue,
    Ty, Types, VarId, Variable,
};
use rustc_hash::FxHashMap;
use slotmap::SlotMap;
use smallvec::SmallVec;

#[allow(unused_imports, reason = "named in the documentation")]
use airfoil_ir::StageInfo;

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct LowerIo;

/// Modes of the accesses to lower.
const LOWERED: Modes = Modes::IN
    .union(Modes::OUT)
    .union(Modes::SYSTEM_VALUE)
    .union(Modes::UNIFORM)
    .union(Modes::UBO)
    .union(Modes::SSBO)
    .union(Modes::SHARED)
    .union(Modes::PUSH_CONST)
    .union(Modes::GLOBAL);

static INFO: PassInfo = PassInfo::new(
    "lower_io",
    "lowers accesses to inputs, outputs and buffers to slots and byte offsets",
    include_str!("lower_io.rs"),
)
.takes(&[Form::Variables])
.leaves(Form::Slots);

impl Pass for LowerIo {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        shader.info.shared_size = layout::assign(shader, Modes::SHARED)?;
        layout::assign(shader, Modes::UNIFORM)?;
        let ids: Vec<_> = shader.functions.keys().collect();
        for id in ids {
            let Some(function) = shader.functions.get_mut(id) else { continue };
            let _ = lower_copies(&mut shader.types, &mut function.body, LOWERED)?;
            let mut lowering = Lowering {
                stage: shader.stage,
                files: &shader.files,
                types: &mut shader.types,
                vars: &shader.vars,
                once: Once::default(),
                layouts: layout::Layouts::default(),
                loc: Loc::NONE,
            };
            let _ = lowering.body(&mut function.body)?;
        }
        shader.form = Form::Slots;
        Ok(Changes::ALL)
    }
}

/// Whether the operation reads or writes through derefs.
fn is_access(op: IntrinsicOp) -> bool {
    matches!(
        op,
        IntrinsicOp::load_deref
            | IntrinsicOp::store_deref
            | IntrinsicOp::copy_deref
            | IntrinsicOp::deref_atomic
            | IntrinsicOp::deref_atomic_swap
            | IntrinsicOp::deref_buffer_array_length
            | IntrinsicOp::interp_deref_at_centroid
            | IntrinsicOp::interp_deref_at_sample
            | IntrinsicOp::interp_deref_at_offset
    )
}

/// Instructions created once, at the start of a function.
#[derive(Debug, Default)]
struct Once {
    zero: Option<InstrId>,
    barycentrics: FxHashMap<(Sampling, Interpolation), InstrId>,
    system_values: FxHashMap<SystemValue, InstrId>,
}

struct Lowering<'a> {
    stage: Stage,
    files: &'a [Box<str>],
    types: &'a mut Types,
    vars: &'a SlotMap<VarId, Variable>,
    once: Once,
    layouts: layout::Layouts,
    /// Location of the instruction being lowered, for messages.
    loc: Loc,
}

/// Shape of an address.
const ADDRESS: Ty = Ty::new(1, 64);

/// The derefs from a variable, or from the cast of an address, to a part of it.
type Chain = SmallVec<[InstrId; 6]>;

impl Lowering<'_> {
    fn body(&mut self, body: &mut Body) -> Result<Changes, Diagnostic> {
        let touched =
            |v: InstrId| body.get(v).and_then(|i| i.as_deref()).is_some_and(|d| d.modes.intersects(LOWERED));
        let mut accesses = Scratch::new();
        for (id, instr) in body.entries() {
            match &instr.kind {
                InstrKind::Intrinsic(i) if is_access(i.op) && i.srcs().iter().any(|&v| touched(v)) => {
                    accesses.push(id);
                }
                InstrKind::Call(c) if c.args.iter().any(|&v| touched(v)) => {
                    self.loc = instr.loc;
                    let what =
                        "references to inputs, outputs and buffers are not supported as arguments of calls";
                    return Err(self.error("E0310", what).help("run inline_functions before lower_io"));
                }
                _ => {}
            }
        }
        let mut done = Scratch::new();
        let mut replacements = Replacements::default();
        for id in accesses.drain(..) {
            self.loc = body[id].loc;
            if self.access(body, id, &mut replacements)? {
                done.push(id);
            }
        }
        body.replace_all(&replacements);
        let progress = Changes::ALL.when(!done.is_empty());
        done.drain(..).for_each(|id| body.remove(id));
        Ok(progress | self.remove_derefs(body))
    }

    fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, message).at(place(self.files, self.loc))
    }

    /// Variable (`None` for memory at an address) and chain of a deref.
    fn chain(&self, body: &Body, deref: InstrId) -> Result<(Option<VarId>, Chain), Diagnostic> {
        let mut chain = Chain::new();
        let mut at = Some(deref);
        while let Some(id) = at {
            chain.push(id);
            let Some(d) = body[id].as_deref() else { break };
            match d.kind {
                DerefKind::Var(var) => {
                    chain.reverse();
                    return Ok((Some(var), chain));
                }
                DerefKind::Cast { parent, .. } if d.modes == Modes::GLOBAL && body[parent].ty == ADDRESS => {
                    chain.reverse();
                    return Ok((None, chain));
                }
                DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => at = Some(parent),
                _ => break,
            }
        }
        Err(self
            .error("E0311", "an input, output or buffer is accessed through a pointer of unknown origin")
            .help("run inline_functions before lower_io"))
    }

    /// Emits the replacement of an access; returns false if the access must stay.
    fn access(
        &mut self,
        body: &mut Body,
        id: InstrId,
        replacements: &mut Replacements,
    ) -> Result<bool, Diagnostic> {
        let Some(i) = body[id].as_intrinsic().copied() else { return Ok(false) };
        if body[i.src(0)].as_deref().is_some_and(|d| self.types.is_opaque(d.ty)) {
            return Ok(false);
        }
        let (var, chain) = self.chain(body, i.src(0))?;
        let Some(var) = var else {
            let Some(ty) = body[chain[0]].as_deref().map(|d| d.ty) else { return Ok(false) };
            let target = Variable::new("", ty, Modes::GLOBAL);
            if let Some(new) = self.buffer_access(body, id, i, &target, &chain)? {
                replacements.insert(id, new);
            }
            return Ok(true);
        };
        let v = &self.vars[var];
        let result = if v.mode == Modes::SYSTEM_VALUE {
            Some(self.system_value(body, id, v, &chain)?)
        } else if v.mode.intersects(Modes::IN | Modes::OUT) {
            self.stage_access(body, id, i, v, &chain)?
        } else {
            self.buffer_access(body, id, i, v, &chain)?
        };
        if let Some(new) = result {
            replacements.insert(id, new);
        }
        Ok(true)
    }

    /// The value of a system value, or a component of it.
    fn system_value(
        &mut self,
        body: &mut Body,
        id: InstrId,
        v: &Variable,
        chain: &[InstrId],
    ) -> Result<InstrId, Diagnostic> {
        let Some(sv) = v.system_value else {
            return Err(self.error("E0312", format!("variable `{}`: expected a system value", v.name)));
        };
        let entry = body.entry();
        let value = *self
            .once
            .system_values
            .entry(sv)
            .or_insert_with(|| Builder::at(body, Cursor::BlockStart(entry)).load_system_value(sv));
        let want = body[id].ty;
        let mut b = Builder::before(body, id);
        let mut value = value;
        for &step in &chain[1..] {
            match b.body[step].as_deref().map(|d| d.kind) {
                Some(DerefKind::Array { index, .. }) if b.ty(value).comps > 1 => {
                    value = b.vector_extract_dynamic(value, index);
                }
                // The only element of an array such as gl_SampleMaskIn.
                Some(DerefKind::Array { .. }) => {}
                _ => return Err(self.error("E0312", format!("system value `{}` has no such member", v.name))),
            }
        }
        let have = b.ty(value);
        if have == want {
            return Ok(value);
        }
        if have.bits != want.bits || have.comps < want.comps {
            return Err(
                self.error("E0312", format!("system value `{}` is {have}, but {want} is read", v.name))
            );
        }
        Ok(b.resize(value, want.comps))
    }

    /// A zero that dominates every block.
    fn zero(&mut self, body: &mut Body) -> InstrId {
        let entry = body.entry();
        *self.once.zero.get_or_insert_with(|| Builder::at(body, Cursor::BlockStart(entry)).imm_u32(0))
    }

    /// Removes unused derefs.
    fn remove_derefs(&self, body: &mut Body) -> Changes {
        let before = body.num_instrs();
        let mut block: Option<BlockId> = Some(body.root().last);
        while let Some(b) = block {
            let mut next = body.last_instr(b);
            while let Some(id) = next {
                next = body.prev(id);
                let lowered = body[id].as_deref().is_some_and(|d| d.modes.intersects(LOWERED));
                if lowered && body.is_unused(id) {
                    body.remove(id);
                }
            }
            block = body.prev_block(b);
        }
        Changes::ALL.when(body.num_instrs() != before)
    }
}

/// Location of an instruction, for messages.
fn place(files: &[Box<str>], loc: Loc) -> Place {
    match loc.file().and_then(|f| files.get(f as usize)) {
        Some(file) => Place::Text { file: file.clone(), line: loc.line(), column: 0 },
        None => Place::None,
    }
}

/// An intrinsic with the indices of another where both have them.
fn with_indices_of(mut new: Intrinsic, old: &Intrinsic, indices: &[Index]) -> Intrinsic {
    for &index in indices {
        if let Some(bits) = old.indices().get(old.op, index) {
            // Indices that the new operation lacks are dropped.
            let _ = new.try_set(index, bits);
        }
    }
    new
}

/// Shape in memory: booleans are 32 bits wide.
fn memory_ty(ty: Ty) -> Ty {
    if ty.bits == 1 { ty.with_bits(32) } else { ty }
}

/// Converts a value to its representation in memory.
fn to_memory(b: &mut Builder, value: InstrId) -> InstrId {
    if b.ty(value).bits == 1 { b.convert(airfoil_ir::AluOp::b2i, value, 32) } else { value }
}

/// Converts from the representation in memory to shape `ty`.
fn from_memory(b: &mut Builder, value: InstrId, ty: Ty) -> InstrId {
    if ty.bits != 1 {
        return value;
    }
    let zero = b.zero(memory_ty(ty));
    b.ine(value, zero)
}
