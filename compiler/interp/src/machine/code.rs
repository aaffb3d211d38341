//! Functions as flat lists of steps with operands in numbered registers.
//!
//! No function calls itself, so every function has registers of its own for the whole execution.

use super::registers::Reg;
use crate::fault::Fault;
use crate::memory::layout::{Layouts, Leaf, component_bytes};
use airfoil_ir::alu::AluProps;
use airfoil_ir::{
    AluOp, BlockId, Body, CfId, DerefKind, FuncId, InstrId, InstrKind, Intrinsic, IntrinsicOp, Jump, Lanes,
    MAX_COMPONENTS, Modes, Scope, Shader, Swizzle, Tex, TexSrc, Ty, Type, TypeId, VarId, Walk,
};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// All functions.
#[derive(Debug)]
pub(crate) struct Flat {
    pub(crate) functions: Vec<Code>,
    pub(crate) entry: usize,
    pub(crate) num_regs: usize,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) id: FuncId,
    pub(crate) steps: Vec<Step>,
    pub(crate) ops: Vec<Op>,
    /// The instructions that `ops` come from.
    pub(crate) instrs: Vec<InstrId>,
    /// Variables that are fresh in every call.
    pub(crate) locals: Vec<VarId>,
    /// Registers of the parameters.
    pub(crate) params: Reg,
}

/// A step of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Instructions.
    Block(BlockCode),
    /// Start of an `if`; the operand is the step `Else`.
    If(Reg, usize),
    /// End of `then`.
    Else,
    /// End of an `if`.
    EndIf,
    /// Start of a loop.
    Loop,
    /// End of a loop; the operand is the first step of its body.
    EndLoop(usize),
    /// End of the function.
    End,
}

/// A block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockCode {
    /// Index of the block, for phis.
    pub(crate) number: u32,
    /// First instruction, first that is not a phi, and the end.
    pub(crate) phis: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Step that ends the region.
    pub(crate) region_end: usize,
}

/// An instruction.
#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) dst: Reg,
    pub(crate) ty: Ty,
    pub(crate) kind: OpKind,
}

/// Operand of an ALU instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AluSrc {
    pub(crate) reg: Reg,
    pub(crate) swizzle: Swizzle,
    pub(crate) comps: u8,
}

/// An ALU instruction.
#[derive(Debug)]
pub(crate) struct AluCode {
    pub(crate) op: AluOp,
    pub(crate) bits: u32,
    pub(crate) per_component: bool,
    pub(crate) quad: bool,
    pub(crate) exact: bool,
    pub(crate) srcs: SmallVec<[AluSrc; MAX_COMPONENTS]>,
}

/// A step to an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) parent: Reg,
    pub(crate) index: Option<Reg>,
    /// Bytes, or objects, between elements; 0 = tight components of a vector with the pointer's own stride.
    pub(crate) stride: u64,
    /// Elements; `u64::MAX` if unknown.
    pub(crate) len: u64,
    /// Bytes between components of the pointee; 0 = their size.
    pub(crate) inner: u32,
    /// Elements are objects of their own.
    pub(crate) objects: bool,
    /// A component of a vector.
    pub(crate) component: bool,
}

/// A copy of a variable.
#[derive(Debug)]
pub(crate) struct CopyCode {
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
    /// Elements, and strides on both sides, of the wildcards.
    pub(crate) wild: Vec<(u64, u64, u64)>,
    pub(crate) leaves: Vec<(Leaf, Leaf)>,
}

/// Operation of an instruction with its operands.
#[derive(Debug)]
pub(crate) enum OpKind {
    Alu(Box<AluCode>),
    Const(Lanes),
    Undef,
    Var(VarId),
    Element(Box<Element>),
    Field {
        parent: Reg,
        offset: u64,
        objects: bool,
    },
    Cast {
        parent: Reg,
        address: bool,
    },
    Intrinsic(Intrinsic, [Reg; 4], Pointee),
    Copy(Box<CopyCode>),
    Tex(Box<Tex>, SmallVec<[(TexSrc, Reg); 6]>),
    Phi(Box<[(u32, Reg)]>),
    Jump(Jump),
    Call(usize, SmallVec<[Reg; 4]>),
    /// Waits for the workgroup.
    Barrier,
}

/// Type that the first deref operand of an intrinsic points at.
pub(crate) type Pointee = Option<TypeId>;

/// Steps, instructions, and where these come from.
type Steps = (Vec<Step>, Vec<Op>, Vec<InstrId>);

/// Flattens a shader; `bounded` leaves the length of run-time arrays to the buffers.
pub(crate) fn flatten(shader: &Shader, layouts: &mut Layouts<'_>, bounded: bool) -> Result<Flat, Fault> {
    let entry = shader.entry.ok_or_else(|| Fault::unsupported("the shader has no entry function"))?;
    let numbers: FxHashMap<FuncId, usize> =
        shader.functions.keys().enumerate().map(|(i, id)| (id, i)).collect();
    let mut program = Flat { functions: Vec::new(), entry: numbers[&entry], num_regs: 0 };
    for (id, function) in &shader.functions {
        let params = program.num_regs as Reg;
        let mut next = params + function.params.len() as Reg;
        let mut regs = SecondaryMap::new();
        for (i, instr) in function.body.entries() {
            if instr.has_value() {
                regs.insert(i, next);
                next += 1;
            }
        }
        program.num_regs = next as usize;
        let flattener = Flattener { body: &function.body, regs, numbers: &numbers, layouts, shader, bounded };
        let (steps, ops, instrs) = flattener.function()?;
        let locals = shader.vars.iter().filter(|(_, v)| v.function == Some(id)).map(|(v, _)| v).collect();
        program.functions.push(Code { id, steps, ops, instrs, locals, params });
    }
    Ok(program)
}

struct Flattener<'a, 't> {
    shader: &'a Shader,
    body: &'a Body,
    regs: SecondaryMap<InstrId, Reg>,
    numbers: &'a FxHashMap<FuncId, usize>,
    layouts: &'a mut Layouts<'t>,
    /// Run-time arrays end with their buffers.
    bounded: bool,
}

impl Flattener<'_, '_> {
    fn function(mut self) -> Result<Steps, Fault> {
        let body = self.body;
        let blocks: SecondaryMap<BlockId, u32> =
            body.blocks().enumerate().map(|(i, b)| (b, i as u32)).collect();
        let (mut steps, mut ops, mut instrs) = (Vec::new(), Vec::new(), Vec::new());
        // Blocks of the regions around, which wait for the end of their region.
        let mut open: Vec<Vec<usize>> = vec![Vec::new()];
        let mut starts: FxHashMap<CfId, usize> = FxHashMap::default();
        let close = |steps: &mut Vec<Step>, open: &mut Vec<Vec<usize>>| {
            let end = steps.len();
            for b in open.pop().unwrap_or_default() {
                if let Step::Block(code) = &mut steps[b] {
                    code.region_end = end;
                }
            }
        };
        for walk in body.walk_cf() {
            match walk {
                Walk::Block(b) => {
                    let phis = ops.len();
                    let mut start = phis;
                    for i in body.instrs(b) {
                        let kind = self.instruction(i, &blocks)?;
                        let phi = matches!(kind, OpKind::Phi(_));
                        let dst = self.regs.get(i).copied().unwrap_or(0);
                        ops.push(Op { dst, ty: body[i].ty, kind });
                        instrs.push(i);
                        start += usize::from(phi);
                    }
                    if let Some(region) = open.last_mut() {
                        region.push(steps.len());
                    }
                    let code = BlockCode { number: blocks[b], phis, start, end: ops.len(), region_end: 0 };
                    steps.push(Step::Block(code));
                }
                Walk::If(c) => {
                    starts.insert(c, steps.len());
                    let cond = body.as_if(c).map(|n| n.cond());
                    let reg = cond.and_then(|c| self.regs.get(c).copied()).unwrap_or(0);
                    steps.push(Step::If(reg, 0));
                    open.push(Vec::new());
                }
                Walk::Else(c) => {
                    close(&mut steps, &mut open);
                    let at = steps.len();
                    if let Some(Step::If(_, els)) = starts.get(&c).and_then(|&s| steps.get_mut(s)) {
                        *els = at;
                    }
                    steps.push(Step::Else);
                    open.push(Vec::new());
                }
                Walk::EndIf(_) => {
                    close(&mut steps, &mut open);
                    steps.push(Step::EndIf);
                }
                Walk::Loop(c) => {
                    starts.insert(c, steps.len() + 1);
                    steps.push(Step::Loop);
                    open.push(Vec::new());
                }
                Walk::EndLoop(c) => {
                    close(&mut steps, &mut open);
                    steps.push(Step::EndLoop(starts[&c]));
                }
            }
        }
        close(&mut steps, &mut open);
        steps.push(Step::End);
        Ok((steps, ops, instrs))
    }

    fn reg(&self, v: InstrId) -> Reg {
        self.regs.get(v).copied().unwrap_or(0)
    }

    fn pointee(&self, v: InstrId) -> Option<TypeId> {
        self.body[v].as_deref().map(|d| d.ty)
    }

    fn instruction(&mut self, id: InstrId, blocks: &SecondaryMap<BlockId, u32>) -> Result<OpKind, Fault> {
        let body = self.body;
        Ok(match &body[id].kind {
            InstrKind::Alu(a) => {
                let info = a.op.info();
                let comps = body[id].ty.comps;
                let unsized_one = a.srcs().zip(info.operands).find(|(_, o)| o.bits == 0);
                let bits = unsized_one.map_or(body[id].ty.bits, |(s, _)| body[s.value].ty.bits);
                let srcs = a.srcs().enumerate().map(|(i, s)| AluSrc {
                    reg: self.reg(s.value),
                    swizzle: s.swizzle,
                    comps: info.operand_comps(i, comps),
                });
                OpKind::Alu(Box::new(AluCode {
                    op: a.op,
                    bits: u32::from(bits),
                    per_component: info.is_per_component(),
                    exact: a.is_exact(),
                    quad: info.props.contains(AluProps::QUAD),
                    srcs: srcs.collect(),
                }))
            }
            InstrKind::Const(lanes) => OpKind::Const(*lanes),
            InstrKind::Undef => OpKind::Undef,
            InstrKind::Deref(_) => self.deref(id),
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::copy_deref => self.copy(i)?,
            InstrKind::Intrinsic(i)
                if i.op == IntrinsicOp::barrier
                    && matches!(
                        i.execution_scope(),
                        Scope::Workgroup | Scope::QueueFamily | Scope::Device
                    ) =>
            {
                OpKind::Barrier
            }
            InstrKind::Intrinsic(i) => {
                let mut regs = [0; 4];
                for (r, &s) in regs.iter_mut().zip(i.srcs()) {
                    *r = self.reg(s);
                }
                let pointee = i.srcs().iter().find_map(|&s| self.pointee(s));
                OpKind::Intrinsic(*i, regs, pointee)
            }
            InstrKind::Tex(t) => {
                OpKind::Tex(t.clone(), t.srcs.iter().map(|&(role, v)| (role, self.reg(v))).collect())
            }
            InstrKind::Phi(srcs) => {
                OpKind::Phi(srcs.iter().map(|s| (blocks[s.pred], self.reg(s.value))).collect())
            }
            InstrKind::Jump(j) => OpKind::Jump(*j),
            InstrKind::Call(c) => {
                OpKind::Call(self.numbers[&c.callee], c.args.iter().map(|&a| self.reg(a)).collect())
            }
        })
    }

    /// Whether a type names objects of their own, so that steps from it choose among them.
    fn is_objects(&self, ty: TypeId, modes: Modes) -> bool {
        let types = &self.shader.types;
        let block = modes.intersects(Modes::UBO | Modes::SSBO)
            && matches!(types[ty], Type::Array { .. })
            && matches!(&types[types.without_arrays(ty)], Type::Struct(s) if s.block);
        block || (modes.intersects(Modes::UNIFORM | Modes::IMAGE) && self.layouts.types.is_opaque(ty))
    }

    fn deref(&mut self, id: InstrId) -> OpKind {
        let body = self.body;
        let Some(d) = body[id].as_deref().copied() else { return OpKind::Undef };
        match d.kind {
            DerefKind::Var(v) => OpKind::Var(v),
            DerefKind::Array { parent, index } => self.element(parent, Some(index), d.modes),
            DerefKind::ArrayWildcard { parent } => self.element(parent, None, d.modes),
            DerefKind::Struct { parent, field } => {
                let ty = self.pointee(parent).unwrap_or(d.ty);
                let objects = self.is_objects(ty, d.modes);
                let offset = match &self.shader.types[ty] {
                    Type::Struct(s) if objects => {
                        let before = s.members.iter().take(field as usize);
                        before.map(|m| u64::from(self.layouts.objects(m.ty))).sum()
                    }
                    _ => self.layouts.member(ty, field as usize),
                };
                OpKind::Field { parent: self.reg(parent), offset, objects }
            }
            DerefKind::Cast { parent, .. } => {
                // The parameter of a function with the shape of derefs holds a pointer; other values are addresses.
                let param = body[parent].ty == Ty::DEREF
                    && body[parent].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_param);
                let address = body[parent].as_deref().is_none() && !param;
                OpKind::Cast { parent: self.reg(parent), address }
            }
            DerefKind::PtrAsArray { parent, index } => {
                let stride = match body[parent].as_deref().map(|p| p.kind) {
                    Some(DerefKind::Cast { stride, .. }) if stride != 0 => u64::from(stride),
                    _ => {
                        let (size, align) = self.layouts.of(d.ty);
                        size.div_ceil(align.max(1)) * align.max(1)
                    }
                };
                OpKind::Element(Box::new(Element {
                    parent: self.reg(parent),
                    index: Some(self.reg(index)),
                    stride,
                    len: u64::MAX,
                    inner: 0,
                    objects: false,
                    component: false,
                }))
            }
        }
    }

    /// Stride, number of elements and bytes between components of an element of `ty`.
    fn element_of(&mut self, ty: TypeId, objects: bool) -> (u64, u64, u32) {
        match self.shader.types[ty] {
            Type::Array { elem, len, .. } if objects => {
                (u64::from(self.layouts.objects(elem)), u64::from(if len == 0 { 4 } else { len }), 0)
            }
            Type::Array { len: 0, .. } if self.bounded => (self.layouts.stride(ty), u64::MAX, 0),
            Type::Array { len, .. } => (self.layouts.stride(ty), u64::from(self.layouts.length(len)), 0),
            Type::Matrix { scalar, cols, stride, row_major, .. } if row_major && stride != 0 => {
                (u64::from(component_bytes(scalar.bits())), u64::from(cols), stride)
            }
            Type::Matrix { cols, .. } => (self.layouts.stride(ty), u64::from(cols), 0),
            Type::Vector { scalar, comps } => {
                (u64::from(component_bytes(scalar.bits())), u64::from(comps), 0)
            }
            _ => (0, 1, 0),
        }
    }

    fn element(&mut self, parent: InstrId, index: Option<InstrId>, modes: Modes) -> OpKind {
        let Some(ty) = self.pointee(parent) else { return OpKind::Undef };
        let objects = self.is_objects(ty, modes);
        let component = matches!(self.shader.types[ty], Type::Vector { .. });
        let (stride, len, inner) = self.element_of(ty, objects);
        let (parent, index) = (self.reg(parent), index.map(|i| self.reg(i)));
        OpKind::Element(Box::new(Element { parent, index, stride, len, inner, objects, component }))
    }

    fn copy(&mut self, i: &Intrinsic) -> Result<OpKind, Fault> {
        let (dst, src) = (i.src(0), i.src(1));
        let (Some(to), Some(from)) = (self.pointee(dst), self.pointee(src)) else { return Ok(OpKind::Undef) };
        let to_wild = self.wildcards(dst);
        let from_wild = self.wildcards(src);
        let wild = to_wild.iter().zip(&from_wild).map(|(&(n, a), &(m, b))| (n.min(m), a, b)).collect();
        let leaves: Vec<(Leaf, Leaf)> = self
            .layouts
            .leaves(to)?
            .iter()
            .copied()
            .zip(self.layouts.leaves(from)?.iter().copied())
            .map(|(a, b)| (self.strided(dst, to, a), self.strided(src, from, b)))
            .collect();
        Ok(OpKind::Copy(Box::new(CopyCode { dst: self.reg(dst), src: self.reg(src), wild, leaves })))
    }

    /// A vector that is a column of a row-major matrix is spread; its own type does not show this.
    fn strided(&self, deref: InstrId, ty: TypeId, mut leaf: Leaf) -> Leaf {
        if let Type::Vector { .. } = self.shader.types[ty]
            && let Some(parent) = self.body[deref].as_deref().and_then(|d| d.parent())
            && let Some(p) = self.pointee(parent)
            && let Type::Matrix { stride, row_major: true, .. } = self.shader.types[p]
            && stride != 0
        {
            leaf.stride = stride;
        }
        leaf
    }

    /// Elements and strides of the wildcards in the path of a deref, the outermost first.
    fn wildcards(&mut self, deref: InstrId) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut at = Some(deref);
        while let Some(id) = at {
            let Some(d) = self.body[id].as_deref().copied() else { break };
            if let DerefKind::ArrayWildcard { parent } = d.kind
                && let Some(ty) = self.pointee(parent)
            {
                let (stride, len, _) = self.element_of(ty, false);
                found.push((len, stride));
            }
            at = d.parent();
        }
        found.reverse();
        found
    }
}
