//! Merges accesses to adjacent bytes of a buffer into accesses of vectors.
//!
//! Accepts the forms `slots` and `target`. Preserves control flow. Loads of uniform and storage blocks, push constants and
//! workgroup memory at offsets that differ by constants become one load of two or four components at the first of them;
//! stores become one at the last. The accesses fill a vector that is aligned to its size, so that no byte is accessed that was
//! not before. They stay within a block, and move past nothing that may access the same memory: an access with another base, a
//! barrier, a call, an atomic operation. Storage blocks that are not `restrict` may share memory with each other. Volatile and
//! coherent accesses stay. An element of a run-time array is merged only if it is a multiple of the vector's size, since a
//! buffer may end after any element.
//!
//! Source: NIR's `nir_opt_load_store_vectorize`, without its gaps.
//!
//! ```foil-example
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   ubo U { float a @0, float b @4 } u set=0 binding=0
//!   ssbo S { vec2 c @0 } s set=0 binding=1
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x1 %4 = const 4
//!     %u = deref_var &u
//!     %s = deref_var &s
//!     32x1 %a = load_ubo %u, %0 align=4
//!     32x1 %b = load_ubo %u, %4 align=4
//!     store_ssbo %b, %s, %0 align=4
//!     store_ssbo %a, %s, %4 align=4
//!   }
//! }
//! =>
//! foil 1
//! shader compute "t" {
//!   form slots
//!   workgroup_size 1 1 1
//!   ubo U { float a @0, float b @4 } u set=0 binding=0
//!   ssbo S { vec2 c @0 } s set=0 binding=1
//!   entry fn main {
//!     32x1 %0 = const 0
//!     32x1 %4 = const 4
//!     %u = deref_var &u
//!     %s = deref_var &s
//!     32x1 %5 = const 0
//!     32x2 %6 = load_ubo %u, %5 align=8
//!     32x1 %a = mov %6.x
//!     32x1 %b = mov %6.y
//!     32x2 %7 = vec2 %b, %a
//!     32x1 %8 = const 0
//!     store_ssbo %7, %s, %8 mask=xy align=8
//!   }
//! }
//! ```

use crate::util::deref_path::{self, may_share_memory};
use crate::util::memory::{FIXED, access_of};
use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::intrinsic::{IntrinsicFlags, MemoryAction};
use airfoil_ir::{
    Align, Alu, AluOp, Body, Builder, Diagnostic, Form, FuncId, Index, InstrId, InstrKind, Intrinsic,
    IntrinsicOp, Modes, Shader, Src, Swizzle, Ty, Type, VarId,
};
use smallvec::SmallVec;

/// See the [module documentation](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeAccesses;

static INFO: PassInfo = PassInfo::new(
    "merge_accesses",
    "merges accesses to adjacent bytes into accesses of vectors",
    include_str!("merge_accesses.rs"),
)
.takes(&[Form::Slots, Form::Target]);

/// Maximum number of accesses in a group, which bounds the search for parts of a vector.
const MAX_GROUP: usize = 32;

/// Maximum size of a vector.
const MAX_BYTES: u32 = 16;

/// Groups that are open at once; further ones end the oldest.
const MAX_OPEN: usize = 16;

/// Memory that accesses to storage blocks and workgroup memory do not touch.
const UNRELATED: Modes =
    Modes::IN.union(Modes::OUT).union(Modes::UBO).union(Modes::PUSH_CONST).union(Modes::UNIFORM);

/// Assumed alignment of the start of every buffer.
const BUFFER_ALIGN: u32 = 16;

/// Accesses that differ in a constant only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    op: IntrinsicOp,
    var: Option<VarId>,
    /// The deref of the block, if it is not just a variable.
    deref: Option<InstrId>,
    /// The part of the offset that is not constant.
    base: Option<(InstrId, u8)>,
    bits: u8,
}

/// An access of a group.
#[derive(Clone, Copy, Debug)]
struct Access {
    id: InstrId,
    /// The constant part of the offset.
    start: u32,
    /// Mask of the components.
    mask: u8,
    align: Align,
}

#[derive(Debug)]
struct Group {
    key: Key,
    modes: Modes,
    accesses: SmallVec<[Access; 4]>,
}

impl Pass for MergeAccesses {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let mut changes = Changes::NONE;
        let functions: SmallVec<[FuncId; 4]> = shader.functions.keys().collect();
        for id in functions {
            let vectors = Finder::find(shader, &shader.functions[id].body);
            changes |= Changes::INSTRUCTIONS.when(!vectors.is_empty());
            for vector in vectors {
                vector.replace(&mut shader.functions[id].body);
            }
        }
        Ok(changes)
    }
}

/// Accesses that fill a vector.
#[derive(Debug)]
struct Vector {
    key: Key,
    /// The constant part of the offset.
    start: u32,
    comps: u8,
    /// In program order.
    parts: SmallVec<[Access; 4]>,
}

struct Finder<'a> {
    shader: &'a Shader,
    body: &'a Body,
    open: Vec<Group>,
    found: Vec<Vector>,
}

impl<'a> Finder<'a> {
    fn find(shader: &'a Shader, body: &'a Body) -> Vec<Vector> {
        let mut finder = Finder { shader, body, open: Vec::new(), found: Vec::new() };
        for block in body.blocks() {
            for id in body.instrs(block) {
                finder.instr(id);
            }
            finder.close(|_| true);
        }
        finder.found
    }

    /// Ends the groups for which `which` holds.
    fn close(&mut self, which: impl Fn(&Group) -> bool) {
        let mut at = 0;
        while at < self.open.len() {
            if which(&self.open[at]) {
                let group = self.open.remove(at);
                self.merge(&group);
            } else {
                at += 1;
            }
        }
    }

    fn instr(&mut self, id: InstrId) {
        let i = match &self.body[id].kind {
            InstrKind::Intrinsic(i) => *i,
            InstrKind::Call(_) => return self.close(|_| true),
            _ => return,
        };
        let Some(memory) = i.memory() else {
            let pure = i.op.has(IntrinsicFlags::CAN_ELIMINATE) || i.op.has(IntrinsicFlags::CAN_REORDER);
            if !pure {
                self.close(Group::is_written);
            }
            return;
        };
        match self.access(id, &i) {
            Some((key, access)) => self.add(key, memory.modes, access),
            None if memory.action == MemoryAction::Size || UNRELATED.contains(memory.modes) => {}
            None => self.close(Group::is_written),
        }
    }

    /// The access of a memory instruction that can be merged.
    fn access(&self, id: InstrId, i: &Intrinsic) -> Option<(Key, Access)> {
        use IntrinsicOp as Op;
        if !matches!(
            i.op,
            Op::load_ubo
                | Op::load_ssbo
                | Op::store_ssbo
                | Op::load_push_constant
                | Op::load_shared
                | Op::store_shared
        ) {
            return None;
        }
        let (body, memory) = (self.body, i.memory()?);
        let value = memory.value.unwrap_or(id);
        let ty = body[value].ty;
        if !matches!(ty.bits, 16 | 32 | 64) {
            return None;
        }
        let (var, deref) = match memory.block {
            Some(block) => {
                if access_of(self.shader, body, id, block).intersects(FIXED) {
                    return None;
                }
                let var = deref_path::root_var(body, block)?;
                (Some(var), Some(block).filter(|&b| deref_path::step(body, b).is_some()))
            }
            None => (None, None),
        };
        let (base, start) = split(body, memory.offset?);
        let all = (1u32 << ty.comps) - 1;
        let mask = if memory.action == MemoryAction::Store { i.write_mask() & all } else { all };
        let key = Key { op: i.op, var, deref, base, bits: ty.bits };
        Some((key, Access { id, start, mask: mask as u8, align: i.align() }))
    }

    fn add(&mut self, key: Key, modes: Modes, access: Access) {
        let (shader, writes) = (self.shader, key.is_store());
        // Whether two accesses may touch the same bytes.
        let meets = |group: &Group| {
            let other = group.key;
            if group.modes != modes || !(writes || other.is_store()) {
                return false;
            }
            if other.var != key.var {
                let shares = |var: Option<VarId>| var.is_none_or(|var| may_share_memory(shader, var));
                return shares(key.var) && shares(other.var);
            }
            if other.deref != key.deref || other.base != key.base {
                return true;
            }
            let bytes = |bits: u8| u32::from(bits / 8);
            let (from, to) = access.bytes(bytes(key.bits));
            // A load that follows the store may join the loads before it if a vector reaches it.
            let reach = if other.is_store() { 0 } else { MAX_BYTES };
            group.accesses.iter().any(|a| {
                let (start, end) = a.bytes(bytes(other.bits));
                start < to + u64::from(reach) && from < end + u64::from(reach)
            })
        };
        self.close(meets);
        match self.open.iter_mut().find(|g| g.key == key && g.accesses.len() < MAX_GROUP) {
            Some(group) => group.accesses.push(access),
            None => {
                if self.open.len() >= MAX_OPEN {
                    let first = self.open.remove(0);
                    self.merge(&first);
                }
                self.open.push(Group { key, modes, accesses: smallvec::smallvec![access] });
            }
        }
    }

    /// Merges the parts of a group that fill vectors.
    fn merge(&mut self, group: &Group) {
        if group.accesses.len() < 2 {
            return;
        }
        let mut rest = group.accesses.clone();
        let bytes = u32::from(group.key.bits / 8);
        for comps in [4u32, 2] {
            let size = comps * bytes;
            if size > MAX_BYTES {
                continue;
            }
            let mut at = 0;
            while at < rest.len() {
                match self.vector(group.key, &rest, rest[at], comps) {
                    Some(vector) => {
                        rest.retain(|a| vector.parts.iter().all(|p| p.id != a.id));
                        self.found.push(vector);
                    }
                    None => at += 1,
                }
            }
        }
    }

    /// The aligned vector that an access is part of, if accesses fill it.
    fn vector(&self, key: Key, all: &[Access], one: Access, comps: u32) -> Option<Vector> {
        let bytes = u32::from(key.bits / 8);
        let size = comps * bytes;
        let align = match key.base {
            Some(_) => one.align,
            None => Align { mul: BUFFER_ALIGN as u16, offset: (one.start % BUFFER_ALIGN) as u16 },
        };
        if u32::from(align.mul) < size {
            return None;
        }
        let start = one.start.wrapping_sub(u32::from(align.offset) % size);
        let mut parts: SmallVec<[Access; 4]> = SmallVec::new();
        let mut lanes = 0u32;
        for &part in all {
            let at = part.start.wrapping_sub(start);
            let end = at.wrapping_add(part.len() * bytes);
            if at >= size || end > size || !at.is_multiple_of(bytes) {
                continue;
            }
            parts.push(part);
            lanes |= u32::from(part.mask) << (at / bytes);
        }
        let fits = parts.len() > 1 && lanes == (1 << comps) - 1 && self.stays_inside(key, start, size);
        fits.then_some(Vector { key, start, comps: comps as u8, parts })
    }

    /// Whether a buffer cannot end within a vector.
    fn stays_inside(&self, key: Key, start: u32, size: u32) -> bool {
        let end = start.checked_add(size);
        let Some(var) = key.var else {
            return !key.is_shared()
                || key.base.is_some()
                || end.is_some_and(|end| end <= self.shader.info.shared_size);
        };
        let types = &self.shader.types;
        let ty = types.without_arrays(self.shader.vars[var].ty);
        let Type::Struct(block) = &types[ty] else { return false };
        let Some(last) = block.members.last() else { return false };
        match types[last.ty] {
            Type::Array { len: 0, stride, .. } => {
                let Some(offset) = last.offset else { return false };
                let before = key.base.is_none() && end.is_some_and(|end| end <= offset);
                before || (stride > 0 && stride.is_multiple_of(size) && offset.is_multiple_of(size))
            }
            _ => true,
        }
    }
}

impl Vector {
    /// Replaces the parts by one access.
    fn replace(&self, body: &mut Body) {
        let Vector { key, start, comps, ref parts } = *self;
        let bytes = u32::from(key.bits / 8);
        let lane = |part: &Access| (part.start.wrapping_sub(start) / bytes) as u8;
        let position = if key.is_store() { parts.last() } else { parts.first() };
        let Some(at) = position.map(|p| p.id) else { return };
        let Some(&old) = body[at].as_intrinsic() else { return };
        let mut b = Builder::before(body, at);
        let value = key.is_store().then(|| {
            let source = |c: u8| {
                let part = parts.iter().find(|p| c >= lane(p) && p.mask >> (c - lane(p)) & 1 != 0)?;
                let value = b.body[part.id].as_intrinsic()?.src(0);
                Some(Src::comp(value, usize::from(c - lane(part))))
            };
            let srcs: SmallVec<[Src; 4]> = (0..comps).filter_map(source).collect();
            b.vec_srcs(&srcs)
        });
        let base = key.base.map(|(base, c)| b.channel(base, usize::from(c)));
        let offset = match base {
            Some(base) if start == 0 => base,
            base => {
                let start = b.imm_u32(start);
                base.map_or(start, |base| b.iadd(base, start))
            }
        };
        let mut new = old.with(Index::Align, Align::new(u16::from(comps) * bytes as u16));
        new.set_src(old.srcs().len() - 1, offset);
        if let Some(value) = value {
            new.set_src(0, value);
            let _ = b.insert_intrinsic(new.with(Index::WriteMask, (1u32 << comps) - 1), Ty::NONE);
            parts.iter().for_each(|part| body.remove(part.id));
            return;
        }
        let wide = b.insert_intrinsic(new, Ty::new(comps, key.bits));
        for part in parts {
            let count = body[part.id].ty.comps;
            let lanes: SmallVec<[u8; 4]> = (0..count).map(|c| lane(part) + c).collect();
            let src = Src { value: wide, swizzle: Swizzle::from_lanes(&lanes) };
            body.set_kind(part.id, InstrKind::Alu(Alu::new(AluOp::mov, count, &[src])));
        }
    }
}

impl Key {
    fn is_store(self) -> bool {
        matches!(self.op, IntrinsicOp::store_ssbo | IntrinsicOp::store_shared)
    }

    fn is_shared(self) -> bool {
        matches!(self.op, IntrinsicOp::load_shared | IntrinsicOp::store_shared)
    }
}

impl Group {
    /// Whether something in the shader may write the memory.
    fn is_written(group: &Group) -> bool {
        !group.modes.intersects(Modes::UBO | Modes::PUSH_CONST)
    }
}

impl Access {
    /// Number of components up to the last one.
    fn len(&self) -> u32 {
        8 - self.mask.leading_zeros()
    }

    /// First byte, and the byte after the last one.
    fn bytes(&self, each: u32) -> (u64, u64) {
        let start = u64::from(self.start);
        (start, start + u64::from(self.len() * each))
    }
}

/// The part of an offset that is not constant, and the constant.
fn split(body: &Body, offset: InstrId) -> (Option<(InstrId, u8)>, u32) {
    let constant = |value: InstrId, lane: usize| body[value].as_const().map(|lanes| lanes[lane & 3] as u32);
    let (mut value, mut lane, mut sum) = (offset, 0, 0u32);
    loop {
        if let Some(c) = constant(value, lane) {
            return (None, sum.wrapping_add(c));
        }
        let Some(alu) = body[value].as_alu().filter(|a| matches!(a.op, AluOp::iadd | AluOp::mov)) else {
            return (Some((value, lane as u8)), sum);
        };
        let operand = |i: usize| (alu.src(i).value, alu.src(i).swizzle.get(lane));
        let first = operand(0);
        (value, lane) = match alu.op {
            AluOp::mov => first,
            _ => {
                let second = operand(1);
                match (constant(first.0, first.1), constant(second.0, second.1)) {
                    (_, Some(c)) => {
                        sum = sum.wrapping_add(c);
                        first
                    }
                    (Some(c), None) => {
                        sum = sum.wrapping_add(c);
                        second
                    }
                    (None, None) => return (Some((value, lane as u8)), sum),
                }
            }
        };
    }
}
