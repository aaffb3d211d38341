//! The columns of the intrinsic table.

use super::index::Index;
use crate::alu::Base;
use crate::enums::{Form, Modes, Stage};
use crate::ids::InstrId;
use crate::value::Ty;
use bitflags::bitflags;

/// The values that an operand or result of an intrinsic accepts.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{IntrinsicOp, Ty};
///
/// let (scalar, vector) = (Ty::B32, Ty::new(4, 32));
/// let [value, invocation] = IntrinsicOp::shuffle.info().operands else { panic!("two operands") };
/// // The value has the shape of the result, the invocation is always one word.
/// assert!(value.accepts(vector, vector) && !value.accepts(scalar, vector));
/// assert!(invocation.accepts(scalar, vector));
/// assert_eq!((value.fixed(), invocation.fixed()), (None, Some(scalar)));
/// assert!(IntrinsicOp::load_deref.info().operands[0].deref);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandShape {
    /// Interpretation of the bits.
    pub base: Base,
    /// Number of components; 0 = any.
    pub comps: u8,
    /// Bits per component; 0 = any.
    pub bits: u8,
    /// Must be a deref instruction.
    pub deref: bool,
    /// Must have the shape of the result.
    pub same: bool,
}

impl OperandShape {
    /// Whether a value of shape `ty` fits; `result` is the shape of the instruction's result.
    pub fn accepts(self, ty: Ty, result: Ty) -> bool {
        if self.same {
            return ty == result;
        }
        (self.comps == 0 || self.comps == ty.comps) && (self.bits == 0 || self.bits == ty.bits)
    }

    /// The only shape that fits, if there is just one.
    pub fn fixed(self) -> Option<Ty> {
        (self.comps != 0 && self.bits != 0).then_some(Ty::new(self.comps, self.bits))
    }
}

bitflags! {
    /// Properties of an intrinsic. A memory column implies the properties of its action.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::IntrinsicOp;
    /// use airfoil_ir::intrinsic::IntrinsicFlags;
    ///
    /// // Nothing writes a uniform block while the shader runs, so loads of it can be merged.
    /// assert!(IntrinsicOp::load_ubo.has(IntrinsicFlags::CAN_ELIMINATE | IntrinsicFlags::CAN_REORDER));
    /// assert!(!IntrinsicOp::load_ssbo.has(IntrinsicFlags::CAN_REORDER));
    /// assert!(IntrinsicOp::load_ssbo.has(IntrinsicFlags::CAN_ELIMINATE | IntrinsicFlags::READS));
    /// // An atomic stays even if the old value is unused.
    /// assert!(!IntrinsicOp::ssbo_atomic.has(IntrinsicFlags::CAN_ELIMINATE));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct IntrinsicFlags: u8 {
        /// Can be removed if the result is unused.
        const CAN_ELIMINATE = 1;
        /// The result depends only on the operands and indices, so that equal ones can be merged and moved.
        const CAN_REORDER = 2;
        /// Depends on the set of active invocations: must not move into other control flow.
        const CONVERGENT = 4;
        /// Reads values of other invocations of the subgroup.
        const SUBGROUP = 8;
        /// Reads values of other invocations of the quad.
        const QUAD = 16;
        /// Writes memory or outputs, or ends the invocation.
        const WRITES = 32;
        /// Reads memory that may be written while the shader runs.
        const READS = 64;
        /// Ends the invocation or turns it into a helper, perhaps depending on a condition.
        const TERMINATES = 128;
    }

    /// The forms in which an intrinsic is legal.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::intrinsic::Forms;
    /// use airfoil_ir::{Form, IntrinsicOp};
    ///
    /// let is_legal = |op: IntrinsicOp, form: Form| op.forms().contains(form.into());
    /// // Buffers are accessed by byte offset only after `lower_io`.
    /// assert!(!is_legal(IntrinsicOp::load_ubo, Form::Variables) && is_legal(IntrinsicOp::load_ubo, Form::Slots));
    /// assert_eq!(IntrinsicOp::load_deref.forms(), Forms::all());
    /// assert_eq!(IntrinsicOp::convert_air.forms(), Forms::TARGET);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Forms: u8 {
        /// [`Form::Variables`].
        const VARIABLES = 1;
        /// [`Form::Slots`].
        const SLOTS = 2;
        /// [`Form::Target`].
        const TARGET = 4;
    }

    /// The stages in which an intrinsic is legal.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::intrinsic::Stages;
    /// use airfoil_ir::{IntrinsicOp, Stage};
    ///
    /// assert_eq!(IntrinsicOp::load_shared.stages(), Stages::WORKGROUP);
    /// assert!(Stages::WORKGROUP.contains(Stage::Mesh.into()) && !Stages::INPUTS.contains(Stage::Mesh.into()));
    /// // A compute shader has inputs if it replaces a vertex shader, but never outputs.
    /// assert!(IntrinsicOp::load_input.stages().contains(Stages::COMPUTE));
    /// assert!(!IntrinsicOp::store_output.stages().contains(Stages::COMPUTE));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stages: u8 {
        /// [`Stage::Vertex`].
        const VERTEX = 1;
        /// [`Stage::TessControl`].
        const TESS_CONTROL = 2;
        /// [`Stage::TessEval`].
        const TESS_EVAL = 4;
        /// [`Stage::Geometry`].
        const GEOMETRY = 8;
        /// [`Stage::Fragment`].
        const FRAGMENT = 16;
        /// [`Stage::Compute`].
        const COMPUTE = 32;
        /// [`Stage::Task`].
        const TASK = 64;
        /// [`Stage::Mesh`].
        const MESH = 128;

        /// Stages whose invocations form workgroups.
        const WORKGROUP = Stages::COMPUTE.bits() | Stages::TASK.bits() | Stages::MESH.bits();
        /// Stages with inputs; a compute shader has them if it replaces a vertex shader.
        const INPUTS = !(Stages::TASK.bits() | Stages::MESH.bits());
        /// Stages with outputs.
        const OUTPUTS = !(Stages::COMPUTE.bits() | Stages::TASK.bits());
    }
}

impl From<Form> for Forms {
    fn from(form: Form) -> Forms {
        Forms::from_bits_truncate(1 << form as u8)
    }
}

impl From<Stage> for Stages {
    fn from(stage: Stage) -> Stages {
        Stages::from_bits_truncate(1 << stage as u8)
    }
}

/// The effect of an intrinsic on memory.
///
/// # Examples
///
/// ```
/// use airfoil_ir::IntrinsicOp;
/// use airfoil_ir::intrinsic::{INTRINSIC_OPS, MemoryAction};
///
/// let action = |op: IntrinsicOp| op.memory().map(|memory| memory.action);
/// let copies = INTRINSIC_OPS.iter().filter(|&&op| action(op) == Some(MemoryAction::Copy));
/// assert!(copies.eq(&[IntrinsicOp::copy_deref]));
/// assert!(MemoryAction::Copy.reads() && MemoryAction::Copy.writes() && !MemoryAction::Copy.is_atomic());
/// // The size of an image is known without an access to its texels.
/// let size = action(IntrinsicOp::image_size).unwrap();
/// assert!(size == MemoryAction::Size && !size.reads() && !size.writes());
/// assert_eq!(action(IntrinsicOp::barrier), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAction {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Writes the location `block` and reads the location `value`.
    Copy,
    /// Reads and writes as one indivisible operation.
    Atomic,
    /// Atomic compare and exchange.
    Exchange,
    /// Queries the size of a resource; accesses no memory.
    Size,
}

impl MemoryAction {
    /// Whether the action reads memory.
    pub const fn reads(self) -> bool {
        matches!(
            self,
            MemoryAction::Load | MemoryAction::Copy | MemoryAction::Atomic | MemoryAction::Exchange
        )
    }

    /// Whether the action writes memory.
    pub const fn writes(self) -> bool {
        matches!(
            self,
            MemoryAction::Store | MemoryAction::Copy | MemoryAction::Atomic | MemoryAction::Exchange
        )
    }

    /// Whether the action reads and writes as one indivisible operation.
    pub const fn is_atomic(self) -> bool {
        matches!(self, MemoryAction::Atomic | MemoryAction::Exchange)
    }

    /// Name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            MemoryAction::Load => "load",
            MemoryAction::Store => "store",
            MemoryAction::Copy => "copy",
            MemoryAction::Atomic => "atomic",
            MemoryAction::Exchange => "exchange",
            MemoryAction::Size => "size",
        }
    }
}

/// The memory that an intrinsic touches, with operands by index. See [`MemoryAccess`] for those of an instruction.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{IntrinsicOp, Modes};
///
/// // Operands are `value, block, offset`.
/// let store = IntrinsicOp::store_ssbo.memory().unwrap();
/// assert_eq!((store.value, store.block, store.offset), (Some(0), Some(1), Some(2)));
/// // An address takes the position of an offset, without a block.
/// let load = IntrinsicOp::load_global.memory().unwrap();
/// assert_eq!((load.modes, load.block, load.offset), (Modes::GLOBAL, None, Some(0)));
/// // A deref can point to any memory.
/// assert_eq!(IntrinsicOp::load_deref.memory().unwrap().modes, Modes::all());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOp {
    /// The kind of memory; all kinds if the deref `block` determines it.
    pub modes: Modes,
    /// Load, store, ...
    pub action: MemoryAction,
    /// The deref of the variable, block or image.
    pub block: Option<u8>,
    /// The byte offset, slot offset, address or texel coordinate.
    pub offset: Option<u8>,
    /// The stored value, the operand of the atomic operation or the source of the copy.
    pub value: Option<u8>,
}

/// The memory that an intrinsic instruction touches: a [`MemoryOp`] with the operands of the instruction.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Intrinsic, IntrinsicOp, Modes, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (offset, compare, data) = (b.imm_u32(16), b.imm_u32(0), b.imm_u32(1));
/// let swap = b.intrinsic(IntrinsicOp::shared_atomic_swap, Ty::B32, &[offset, compare, data]);
/// let access = body[swap].as_intrinsic().and_then(Intrinsic::memory).unwrap();
/// assert_eq!((access.modes, access.block, access.offset), (Modes::SHARED, None, Some(offset)));
/// // The expected value is not stored.
/// assert_eq!(access.value, Some(data));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The kind of memory; all kinds if the deref `block` determines it.
    pub modes: Modes,
    /// Load, store, ...
    pub action: MemoryAction,
    /// The deref of the variable, block or image.
    pub block: Option<InstrId>,
    /// The byte offset, slot offset, address or texel coordinate.
    pub offset: Option<InstrId>,
    /// The stored value, the operand of the atomic operation or the source of the copy.
    pub value: Option<InstrId>,
}

/// How the result of an intrinsic may differ between the invocations of a subgroup.
///
/// # Examples
///
/// ```
/// use airfoil_ir::analysis::Divergence;
/// use airfoil_ir::intrinsic::Varies;
/// use airfoil_ir::{Body, Builder, Index, Intrinsic, IntrinsicOp, SystemValue, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let own = b.load_system_value(SystemValue::subgroup_invocation);
/// let reduce = Intrinsic::new(IntrinsicOp::reduce, &[own]);
/// let all = b.insert_intrinsic(reduce, Ty::B32);
/// let quads = b.insert_intrinsic(reduce.with(Index::Cluster, 4u32), Ty::B32);
/// let divergence = Divergence::new(&body);
/// assert_eq!(IntrinsicOp::reduce.varies(), Varies::Cluster);
/// assert!(!divergence.is_divergent(all) && divergence.is_divergent(quads));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varies {
    /// Equal in all invocations.
    Uniform,
    /// May differ.
    Divergent,
    /// May differ if any operand does.
    Operands,
    /// May differ if the first operand does.
    First,
    /// May differ if all operands do.
    AllOperands,
    /// As `Operands` for memory that is not written while the shader runs, otherwise divergent.
    Memory,
    /// Uniform unless the index `cluster` divides the subgroup.
    Cluster,
}

impl Varies {
    /// Name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Varies::Uniform => "uniform",
            Varies::Divergent => "divergent",
            Varies::Operands => "operands",
            Varies::First => "first",
            Varies::AllOperands => "all_operands",
            Varies::Memory => "memory",
            Varies::Cluster => "cluster",
        }
    }
}

/// A row of the intrinsic table.
///
/// # Examples
///
/// ```
/// use airfoil_ir::IntrinsicOp;
/// use airfoil_ir::intrinsic::{Forms, IntrinsicFlags};
///
/// let info = IntrinsicOp::from_name("store_ssbo").unwrap().info();
/// assert_eq!(info.operand_names, ["value", "block", "offset"]);
/// assert!(info.result.is_none());
/// // The only property follows from the memory column.
/// assert_eq!(info.flags, IntrinsicFlags::WRITES);
/// assert_eq!(info.forms, Forms::SLOTS | Forms::TARGET);
/// assert!(info.doc.contains("mask"));
/// ```
#[derive(Debug)]
pub struct IntrinsicInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Documentation of the row.
    pub doc: &'static str,
    /// Operand names.
    pub operand_names: &'static [&'static str],
    /// Operand shapes.
    pub operands: &'static [OperandShape],
    /// Result shape; `None` for intrinsics without a result.
    pub result: Option<OperandShape>,
    /// Constant operands, in the order in which they are written.
    pub indices: &'static [Index],
    /// Properties.
    pub flags: IntrinsicFlags,
    /// The memory that it touches.
    pub memory: Option<MemoryOp>,
    /// The forms in which it is legal.
    pub forms: Forms,
    /// The stages in which it is legal.
    pub stages: Stages,
    /// Divergence of the result.
    pub varies: Varies,
}

/// Position of the operand `name`; fails the build if the row has no such operand.
const fn position(names: &[&str], name: &str) -> usize {
    let mut at = 0;
    while at < names.len() {
        if equal(names[at].as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("the memory column names an operand that the row does not have");
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut same = a.len() == b.len();
    let mut at = 0;
    while same && at < a.len() {
        same = a[at] == b[at];
        at += 1;
    }
    same
}

/// Modes that hold the same values for the whole execution.
const READ_ONLY: Modes = Modes::IN.union(Modes::UNIFORM).union(Modes::UBO).union(Modes::PUSH_CONST);

impl IntrinsicInfo {
    /// Sets the memory column, and the properties and the divergence that follow from it.
    pub(super) const fn set_memory(&mut self, action: MemoryAction, modes: Modes) {
        self.memory = Some(MemoryOp { modes, action, block: None, offset: None, value: None });
        let read_only = READ_ONLY.contains(modes) || matches!(action, MemoryAction::Size);
        let (no_effect, varies) = match action {
            MemoryAction::Load => (IntrinsicFlags::CAN_ELIMINATE, Varies::Memory),
            MemoryAction::Size => (IntrinsicFlags::CAN_ELIMINATE, Varies::Operands),
            _ => (IntrinsicFlags::empty(), Varies::Divergent),
        };
        self.varies = varies;
        self.flags = self.flags.union(no_effect);
        if action.writes() {
            self.flags = self.flags.union(IntrinsicFlags::WRITES);
        }
        if read_only {
            self.flags = self.flags.union(IntrinsicFlags::CAN_REORDER);
        } else if action.reads() {
            self.flags = self.flags.union(IntrinsicFlags::READS);
        }
    }

    /// Makes an operand the block of the memory column if it is a deref, otherwise the offset.
    pub(super) const fn set_location(&mut self, name: &str) {
        let at = position(self.operand_names, name);
        let deref = self.operands[at].deref;
        let Some(memory) = &mut self.memory else { panic!("the row has no memory column") };
        let place = if deref { &mut memory.block } else { &mut memory.offset };
        *place = Some(at as u8);
    }

    /// Makes an operand the value of the memory column.
    pub(super) const fn set_value(&mut self, name: &str) {
        let at = position(self.operand_names, name);
        let Some(memory) = &mut self.memory else { panic!("the row has no memory column") };
        memory.value = Some(at as u8);
    }
}
