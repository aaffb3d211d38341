//! Instructions.
//!
//! An instruction defines at most one value, so its key is the value's name. Operands are visited only by
//! [`Instr::visit_operands`] and [`Instr::map_operands`]; no pass needs a match over all kinds to find them. Operands
//! of an instruction that is in a [`Body`](crate::Body) change only through the body, which keeps the use counts.

use crate::alu::{AluFlags, AluOp};
use crate::enums::Modes;
use crate::ids::{BlockId, FuncId, InstrId, VarId};
use crate::intrinsic::{Index, IndexValue, Indices, IntrinsicFlags, IntrinsicOp, MemoryAccess};
use crate::tex::Tex;
use crate::types::TypeId;
use crate::value::{Lanes, MAX_COMPONENTS, Swizzle, Ty};
use slotmap::Key;
use smallvec::SmallVec;

/// An instruction: 64 bytes, plus out-of-line operands for textures, calls and large phis.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, SystemValue};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let x = b.load_system_value(SystemValue::vertex_id);
/// let square = b.imul(x, x);
/// // Both operands count as uses.
/// assert_eq!((body[x].uses(), body[square].uses()), (2, 0));
/// let mut operands = Vec::new();
/// body[square].visit_operands(|v| operands.push(v));
/// assert_eq!(operands, [x, x]);
/// assert!(body[square].can_eliminate() && body[square].can_reorder());
/// ```
#[derive(Clone, Debug)]
pub struct Instr {
    /// The operation.
    pub kind: InstrKind,
    /// Shape of the value that it defines; [`Ty::NONE`] if it defines none.
    pub ty: Ty,
    /// Where it comes from.
    pub loc: Loc,
    pub(crate) uses: u32,
    /// See [`Body::settle`](crate::Body::settle).
    pub(crate) settled: bool,
    /// See [`Body::set_note`](crate::Body::set_note).
    pub(crate) note: u16,
}

/// Source location: file and line, 0 = unknown. Packed: 8 bits file (0 = none), 24 bits line.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Loc, text};
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   file "a.vert"
///   fn main @0:3 { }
/// }"#)?;
/// let loc = shader.functions.values().next().unwrap().loc;
/// assert_eq!((&*shader.files[loc.file().unwrap() as usize], loc.line()), ("a.vert", 3));
/// // Locations that do not fit are dropped.
/// assert!(!Loc::new(254, 1).is_none() && Loc::new(255, 1).is_none());
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loc(u32);

impl Loc {
    /// Nothing known.
    pub const NONE: Loc = Loc(0);

    /// Line `line` of the shader's file `file` (index into [`Shader::files`](crate::Shader::files)).
    /// Files beyond 255 and lines beyond 2^24 - 1 are not kept.
    pub fn new(file: u32, line: u32) -> Loc {
        if file >= 255 || line >= 1 << 24 { Loc::NONE } else { Loc(((file + 1) << 24) | line) }
    }

    /// Whether nothing is known.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Index of the file.
    pub fn file(self) -> Option<u32> {
        (self.0 >> 24).checked_sub(1)
    }

    /// Line, from 1.
    pub fn line(self) -> u32 {
        self.0 & 0xff_ffff
    }
}

/// The kinds of instructions.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, InstrKind};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (x, y) = (b.imm_u32(2), b.imm_u32(3));
/// let folded = b.iadd(x, y);
/// b.raw = true;
/// let sum = b.iadd(x, y);
/// // Unless it is raw, the builder folds operations on constants.
/// assert!(matches!(body[folded].kind, InstrKind::Const([5, 0, 0, 0])));
/// assert!(matches!(body[sum].kind, InstrKind::Alu(_)));
/// // The key and the uses of an instruction survive a change of its kind.
/// body.set_kind(x, InstrKind::Undef);
/// assert_eq!(body[x].uses(), 1);
/// ```
#[derive(Clone, Debug)]
pub enum InstrKind {
    /// Arithmetic and logic.
    Alu(Alu),
    /// A step of the way to a variable.
    Deref(Deref),
    /// An operation with effects or knowledge of the environment.
    Intrinsic(Intrinsic),
    /// A texture operation.
    Tex(Box<Tex>),
    /// A constant.
    Const(Lanes),
    /// A value of no particular bits; each use may see other bits.
    Undef,
    /// Selects a value by predecessor; phis are first in their block.
    Phi(SmallVec<[PhiSrc; 2]>),
    /// Leaves the block; always its last instruction.
    Jump(Jump),
    /// Calls a function.
    Call(Box<Call>),
}

/// An operation on values.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Alu, AluOp, InstrId, Src, Swizzle};
///
/// let value = InstrId::default();
/// let src = Src { value, swizzle: Swizzle::from_lanes(&[3, 2, 1, 0]) };
/// // Only the lanes of the two components of the result are kept, so that equal operations are equal bits.
/// let sum = Alu::new(AluOp::fadd, 2, &[src, Src::comp(value, 1)]);
/// assert_eq!(sum.src(0).swizzle, Swizzle::from_lanes(&[3, 2]));
/// assert_eq!(format!("{:?}", sum.src(1).swizzle), "yyzw");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alu {
    /// Operation.
    pub op: AluOp,
    /// Flags.
    pub flags: AluFlags,
    swizzles: [Swizzle; MAX_COMPONENTS],
    values: [InstrId; MAX_COMPONENTS],
}

/// Operand of an ALU instruction.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{AluOp, Body, Builder, Src, Swizzle, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let v = b.undef(Ty::new(4, 32));
/// // `v.wz * v.yy`: the components of the result are given, those of the operands follow from the swizzles.
/// let wz = Src { value: v, swizzle: Swizzle::from_lanes(&[3, 2]) };
/// let yy = Src { value: v, swizzle: Swizzle::splat(1, 2) };
/// let product = b.alu_srcs(AluOp::fmul, Some(2), None, &[wz, yy]);
/// assert_eq!(b.ty(product).to_string(), "32x2");
/// // All lanes of one value are a swizzle of it, not a new vector.
/// let pair = b.vec_srcs(&[Src::comp(v, 0), Src::comp(v, 2)]);
/// assert_eq!(body[pair].as_alu().unwrap().op, AluOp::mov);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Src {
    /// The value.
    pub value: InstrId,
    /// Which of its components the lanes read.
    pub swizzle: Swizzle,
}

impl From<InstrId> for Src {
    fn from(value: InstrId) -> Src {
        Src { value, swizzle: Swizzle::IDENTITY }
    }
}

impl Src {
    /// One component of a value.
    pub const fn comp(value: InstrId, c: usize) -> Src {
        Src { value, swizzle: Swizzle::scalar(c) }
    }
}

impl Alu {
    /// An operation on `srcs`; swizzles are made canonical for a result of `comps` components.
    ///
    /// # Panics
    /// If the number of sources is not the operation's.
    pub fn new(op: AluOp, comps: u8, srcs: &[Src]) -> Alu {
        assert_eq!(srcs.len(), op.num_operands(), "{}: wrong number of operands", op.name());
        let mut alu = Alu {
            op,
            flags: AluFlags::empty(),
            swizzles: [Swizzle::IDENTITY; MAX_COMPONENTS],
            values: [InstrId::null(); MAX_COMPONENTS],
        };
        let info = op.info();
        for (i, s) in srcs.iter().enumerate() {
            alu.values[i] = s.value;
            alu.swizzles[i] = s.swizzle.canonical(info.operand_comps(i, comps) as usize);
        }
        alu
    }

    /// Operand `i`.
    #[inline]
    pub fn src(&self, i: usize) -> Src {
        Src { value: self.values[i], swizzle: self.swizzles[i] }
    }

    /// All operands.
    #[inline]
    pub fn srcs(&self) -> impl ExactSizeIterator<Item = Src> + '_ {
        self.values().iter().zip(&self.swizzles).map(|(&value, &swizzle)| Src { value, swizzle })
    }

    /// Values of the operands.
    #[inline]
    pub fn values(&self) -> &[InstrId] {
        &self.values[..self.op.num_operands()]
    }

    /// Sets the swizzle of operand `i`, which must be canonical.
    pub fn set_swizzle(&mut self, i: usize, swizzle: Swizzle) {
        self.swizzles[i] = swizzle;
    }

    /// Whether the result must not change by a bit.
    pub fn is_exact(&self) -> bool {
        self.flags.contains(AluFlags::EXACT)
    }
}

/// A step of the way to a variable. The value is an abstract pointer.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Modes, Scalar, Shader, Stage, Variable};
///
/// let mut shader = Shader::new("main", Stage::Vertex);
/// let vec4 = shader.types.vector(Scalar::Float32, 4);
/// let var = shader.add_var(Variable::new("v", vec4, Modes::OUT));
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let whole = b.deref_var(&shader.vars, var);
/// let z = b.deref_array_imm(&mut shader.types, whole, 2);
/// // Vectors have elements, too; the memory is that of the variable.
/// let deref = body[z].as_deref().unwrap();
/// assert_eq!((deref.parent(), deref.modes), (Some(whole), Modes::OUT));
/// assert_eq!(shader.types.value_ty(deref.ty).unwrap().to_string(), "32x1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deref {
    /// The step.
    pub kind: DerefKind,
    /// Type of the pointee.
    pub ty: TypeId,
    /// Memory that it can point into.
    pub modes: Modes,
}

/// The steps of derefs.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{DerefKind, text};
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   struct Light { vec3 color, float[4] falloff }
///   uniform Light light
///   fn main {
///     %light = deref_var &light
///     %falloff = deref_struct %light.falloff
///     %all = deref_array_wildcard %falloff[*]
///   }
/// }"#)?;
/// let derefs = shader.entry_body().unwrap().entries().filter_map(|(_, i)| i.as_deref());
/// let fields = derefs.map(|d| if let DerefKind::Struct { field, .. } = d.kind { Some(field) } else { None });
/// assert!(fields.eq([None, Some(1), None]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DerefKind {
    /// A variable.
    Var(VarId),
    /// An element of an array, column of a matrix or component of a vector.
    Array {
        /// Deref of the whole.
        parent: InstrId,
        /// Index, an integer.
        index: InstrId,
    },
    /// All elements of an array; only below copies.
    ArrayWildcard {
        /// Deref of the whole.
        parent: InstrId,
    },
    /// A member of a structure.
    Struct {
        /// Deref of the whole.
        parent: InstrId,
        /// Index of the member.
        field: u32,
    },
    /// Another view of a pointer, or a pointer built from a value.
    Cast {
        /// Deref or pointer value.
        parent: InstrId,
        /// Bytes between elements for `PtrAsArray`; 0 = unknown.
        stride: u32,
    },
    /// A step of whole elements from a pointer.
    PtrAsArray {
        /// Deref of element 0.
        parent: InstrId,
        /// Index, an integer.
        index: InstrId,
    },
}

impl Deref {
    /// The deref that this one starts from.
    pub fn parent(&self) -> Option<InstrId> {
        match self.kind {
            DerefKind::Var(_) => None,
            DerefKind::Array { parent, .. }
            | DerefKind::ArrayWildcard { parent }
            | DerefKind::Struct { parent, .. }
            | DerefKind::Cast { parent, .. }
            | DerefKind::PtrAsArray { parent, .. } => Some(parent),
        }
    }
}

/// An intrinsic instruction.
///
/// # Examples
///
/// ```
/// use airfoil_ir::intrinsic::MemoryAction;
/// use airfoil_ir::{Align, Body, Builder, Index, Intrinsic, IntrinsicOp, Modes, Ty};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (value, offset) = (b.undef(Ty::new(2, 32)), b.imm_u32(8));
/// let store = Intrinsic::new(IntrinsicOp::store_shared, &[value, offset])
///     .with(Index::WriteMask, 0b10u32)
///     .with(Index::Align, Align::new(8));
/// let memory = store.memory().unwrap();
/// assert_eq!((memory.modes, memory.action), (Modes::SHARED, MemoryAction::Store));
/// assert_eq!((memory.value, memory.offset), (Some(value), Some(offset)));
/// // Not an index of this operation.
/// assert!(!store.clone().try_set(Index::Cluster, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Intrinsic {
    /// Operation.
    pub op: IntrinsicOp,
    pub(crate) indices: Indices,
    srcs: [InstrId; 4],
}

impl Intrinsic {
    /// An intrinsic on `srcs`, all indices zero.
    ///
    /// # Panics
    /// If the number of sources is not the operation's.
    pub fn new(op: IntrinsicOp, srcs: &[InstrId]) -> Intrinsic {
        assert_eq!(srcs.len(), op.num_operands(), "{}: wrong number of operands", op.name());
        let mut all = [InstrId::null(); 4];
        all[..srcs.len()].copy_from_slice(srcs);
        Intrinsic { op, indices: Indices::default(), srcs: all }
    }

    /// The operands.
    pub fn srcs(&self) -> &[InstrId] {
        &self.srcs[..self.op.num_operands()]
    }

    /// Operand `i`.
    pub fn src(&self, i: usize) -> InstrId {
        self.srcs()[i]
    }

    /// Sets source `i`.
    ///
    /// Only for building: the sources of an instruction in a body change through the body.
    ///
    /// # Panics
    /// If the source does not exist.
    pub fn set_src(&mut self, i: usize, value: InstrId) {
        let n = self.op.num_operands();
        self.srcs[..n][i] = value;
    }

    /// The memory that the instruction touches.
    pub fn memory(&self) -> Option<MemoryAccess> {
        let op = self.op.memory()?;
        let operand = |at: Option<u8>| at.map(|at| self.srcs[usize::from(at)]);
        Some(MemoryAccess {
            modes: op.modes,
            action: op.action,
            block: operand(op.block),
            offset: operand(op.offset),
            value: operand(op.value),
        })
    }

    /// All indices.
    pub fn indices(&self) -> Indices {
        self.indices
    }

    /// Sets an index.
    ///
    /// # Panics
    /// If the operation has no such index or the value does not fit its bits.
    pub fn set(&mut self, index: Index, value: impl IndexValue) {
        let ok = self.indices.set(self.op, index, value.pack());
        assert!(ok, "{}: no index {} or value out of range", self.op.name(), index.name());
    }

    /// This intrinsic with an index set, see [`Intrinsic::set`].
    #[must_use]
    pub fn with(mut self, index: Index, value: impl IndexValue) -> Intrinsic {
        self.set(index, value);
        self
    }

    /// Sets an index from packed bits; false if the operation does not have it or the bits do not fit.
    #[must_use]
    pub fn try_set(&mut self, index: Index, bits: u32) -> bool {
        self.indices.set(self.op, index, bits)
    }
}

/// Operand of a phi.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, PhiSrc};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (condition, one, two) = (b.imm_bool(true), b.imm_u32(1), b.imm_u32(2));
/// let cf = b.push_if(condition);
/// b.pop(cf);
/// let phi = b.if_phi(cf, one, two).unwrap();
/// let then = body.as_if(cf).unwrap().then().last;
/// body.set_phi_src(phi, PhiSrc { pred: then, value: two });
/// // The source of the same predecessor has been replaced.
/// assert!(body[phi].as_phi().unwrap().iter().all(|src| src.value == two));
/// assert_eq!((body[one].uses(), body[two].uses()), (0, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhiSrc {
    /// Predecessor of the phi's block.
    pub pred: BlockId,
    /// Value when control comes from there.
    pub value: InstrId,
}

/// Ways to leave a block.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Jump};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let cf = b.push_loop();
/// let block = b.block();
/// // An endless loop: the block is its own successor, and `continue` changes nothing.
/// assert_eq!(body.successors(block), [Some(block), None]);
/// assert_eq!(body.jump_target(block, Jump::Continue), Some(block));
/// body.insert_jump(block, Jump::Break);
/// assert_eq!(body.successors(block), [Some(body.cf(cf).next()), None]);
/// // The other two leave the function.
/// let leave = Jump::ALL.iter().filter(|&&jump| body.jump_target(block, jump).is_none());
/// assert!(leave.map(|jump| jump.name()).eq(["return", "halt"]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jump {
    /// Leaves the innermost loop.
    Break,
    /// Goes to the start of the innermost loop.
    Continue,
    /// Returns from the function.
    Return,
    /// Ends the invocation.
    Halt,
}

impl Jump {
    /// All jumps.
    pub const ALL: [Jump; 4] = [Jump::Break, Jump::Continue, Jump::Return, Jump::Halt];

    /// Name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Jump::Break => "break",
            Jump::Continue => "continue",
            Jump::Return => "return",
            Jump::Halt => "halt",
        }
    }
}

/// A call. Results go through deref arguments; a call defines no value.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{InstrKind, text};
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "v" {
///   fn double(32x1, deref(int function_temp)) { }
///   entry fn main {
///     function_temp int result
///     32x1 %two = const 2
///     call double(%two, &result)
///   }
/// }"#)?;
/// let (_, instr) = shader.entry_body().unwrap().entries().last().unwrap();
/// assert!(matches!(&instr.kind, InstrKind::Call(call) if call.args.len() == 2));
/// // The result goes through the deref, so the call itself has no value, and is never dead.
/// assert!(!instr.has_value() && !instr.can_eliminate());
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function.
    pub callee: FuncId,
    /// Arguments, as many as the function has parameters.
    pub args: SmallVec<[InstrId; 4]>,
}

impl Instr {
    /// An instruction that is not in a body yet.
    pub fn new(kind: InstrKind, ty: Ty) -> Instr {
        Instr { kind, ty, loc: Loc::NONE, uses: 0, settled: false, note: 0 }
    }

    /// This instruction with a source location.
    #[must_use]
    pub fn at(mut self, loc: Loc) -> Instr {
        self.loc = loc;
        self
    }

    /// How many operands and conditions use the value. Kept by the body.
    pub fn uses(&self) -> u32 {
        self.uses
    }

    /// Whether the instruction defines a value.
    pub fn has_value(&self) -> bool {
        !self.ty.is_none()
    }

    /// Calls `f` with every operand, in order.
    pub fn visit_operands(&self, mut f: impl FnMut(InstrId)) {
        match &self.kind {
            InstrKind::Alu(a) => a.values().iter().copied().for_each(f),
            InstrKind::Deref(d) => match d.kind {
                DerefKind::Var(_) => {}
                DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => {
                    f(parent);
                    f(index);
                }
                DerefKind::ArrayWildcard { parent }
                | DerefKind::Struct { parent, .. }
                | DerefKind::Cast { parent, .. } => f(parent),
            },
            InstrKind::Intrinsic(i) => i.srcs().iter().copied().for_each(f),
            InstrKind::Tex(t) => t.srcs.iter().for_each(|&(_, v)| f(v)),
            InstrKind::Phi(srcs) => srcs.iter().for_each(|s| f(s.value)),
            InstrKind::Call(c) => c.args.iter().copied().for_each(f),
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
        }
    }

    /// Replaces every operand `v` by `f(v)`, in order. For instructions in a body use
    /// [`Body::map_operands`](crate::Body::map_operands), which keeps the use counts.
    pub fn map_operands(&mut self, mut f: impl FnMut(InstrId) -> InstrId) {
        match &mut self.kind {
            InstrKind::Alu(a) => {
                let n = a.op.num_operands();
                for v in &mut a.values[..n] {
                    let new = f(*v);
                    self.settled &= new == *v;
                    *v = new;
                }
            }
            InstrKind::Deref(d) => match &mut d.kind {
                DerefKind::Var(_) => {}
                DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => {
                    *parent = f(*parent);
                    *index = f(*index);
                }
                DerefKind::ArrayWildcard { parent }
                | DerefKind::Struct { parent, .. }
                | DerefKind::Cast { parent, .. } => *parent = f(*parent),
            },
            InstrKind::Intrinsic(i) => {
                let n = i.op.num_operands();
                i.srcs[..n].iter_mut().for_each(|v| *v = f(*v));
            }
            InstrKind::Tex(t) => t.srcs.iter_mut().for_each(|(_, v)| *v = f(*v)),
            InstrKind::Phi(srcs) => srcs.iter_mut().for_each(|s| s.value = f(s.value)),
            InstrKind::Call(c) => c.args.iter_mut().for_each(|v| *v = f(*v)),
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
        }
    }

    /// Whether the instruction can be removed when its value is unused.
    pub fn can_eliminate(&self) -> bool {
        match &self.kind {
            InstrKind::Intrinsic(i) => {
                i.op.has(IntrinsicFlags::CAN_ELIMINATE)
                    && !i.access().contains(crate::enums::Access::VOLATILE)
            }
            InstrKind::Jump(_) | InstrKind::Call(_) => false,
            _ => true,
        }
    }

    /// Whether the value depends on the operands only, so that equal instructions can be joined where one dominates the
    /// other. Phis and undefs compute nothing and are treated by the passes that care about them; this is about ALU
    /// instructions, constants, derefs, intrinsics and textures.
    pub fn can_reorder(&self) -> bool {
        match &self.kind {
            InstrKind::Alu(_) | InstrKind::Const(_) | InstrKind::Deref(_) | InstrKind::Tex(_) => true,
            InstrKind::Intrinsic(i) => {
                let access = i.access();
                (i.op.has(IntrinsicFlags::CAN_REORDER) || access.contains(crate::enums::Access::CAN_REORDER))
                    && i.op.has(IntrinsicFlags::CAN_ELIMINATE)
                    && !access.contains(crate::enums::Access::VOLATILE)
            }
            _ => false,
        }
    }

    /// Whether the instruction must stay in its control flow, because other invocations take part.
    pub fn is_convergent(&self) -> bool {
        match &self.kind {
            InstrKind::Alu(a) => a.op.info().props.contains(crate::alu::AluProps::QUAD),
            InstrKind::Tex(t) => t.op.is_quad(),
            InstrKind::Intrinsic(i) => i.op.has(IntrinsicFlags::CONVERGENT),
            InstrKind::Call(_) => true,
            _ => false,
        }
    }

    /// The ALU operation, if it is one.
    pub fn as_alu(&self) -> Option<&Alu> {
        if let InstrKind::Alu(a) = &self.kind { Some(a) } else { None }
    }

    /// The intrinsic, if it is one.
    pub fn as_intrinsic(&self) -> Option<&Intrinsic> {
        if let InstrKind::Intrinsic(i) = &self.kind { Some(i) } else { None }
    }

    /// The deref, if it is one.
    pub fn as_deref(&self) -> Option<&Deref> {
        if let InstrKind::Deref(d) = &self.kind { Some(d) } else { None }
    }

    /// The constant's lanes, if it is one.
    pub fn as_const(&self) -> Option<&Lanes> {
        if let InstrKind::Const(c) = &self.kind { Some(c) } else { None }
    }

    /// The texture operation, if it is one.
    pub fn as_tex(&self) -> Option<&Tex> {
        if let InstrKind::Tex(t) = &self.kind { Some(t) } else { None }
    }

    /// The phi's sources, if it is one.
    pub fn as_phi(&self) -> Option<&[PhiSrc]> {
        if let InstrKind::Phi(p) = &self.kind { Some(p) } else { None }
    }

    /// The jump, if it is one.
    pub fn as_jump(&self) -> Option<Jump> {
        if let InstrKind::Jump(j) = self.kind { Some(j) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_fits_64_bytes() {
        assert!(size_of::<Instr>() <= 64, "{}", size_of::<Instr>());
    }
}
