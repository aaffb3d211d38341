//! The code of a function.
//!
//! * `mod.rs`: values in the class of their use; `glue.rs`: instructions that only move bits, shared where they dominate.
//! * `control_flow.rs`: the tree of the IR as blocks with merge instructions.
//! * `alu.rs`, `alu_table.rs`, `expand.rs`: operations on values; `matrix.rs`: products of matrices; `memory.rs`: derefs, loads and stores.
//! * `texture.rs`, `image.rs`, `atomic.rs`, `subgroup.rs`, `intrinsic.rs`: the rest.

mod alu;
mod alu_table;
mod atomic;
mod control_flow;
mod expand;
mod glue;
mod image;
mod intrinsic;
mod matrix;
mod memory;
mod subgroup;
mod texture;

use crate::classes::Classes;
use crate::errors::*;
use crate::interface::Writer;
use crate::module::Class;
use crate::words::push;
use airfoil_ir::{
    AluOp, BlockId, Body, FuncId, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp, Lanes, Loc, Modes,
    Scalar, Shader, Src, Swizzle, Ty, Type,
};
use control_flow::{Edge, Frame, Header};
use glue::Glue;
use matrix::Products;
use slotmap::SecondaryMap;
use smallvec::SmallVec;
use spirv::{Capability, Decoration, GlslStd450Op, Op, StorageClass};

/// The class in which an operand is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// This class.
    Exactly(Class),
    /// An integer of either signedness.
    Integer,
}

/// A function that is being written.
pub(crate) struct Code<'w, 'm, 's> {
    w: &'w mut Writer<'m, 's>,
    shader: &'s Shader,
    body: &'s Body,
    classes: Classes,
    products: Products,
    /// Ids of values and pointers, by index of the instruction; 0 = none.
    ids: Vec<u32>,
    /// Derefs that other instructions than derefs use.
    pointers: Vec<bool>,
    out: Vec<u32>,
    glue: Glue,
    /// The block that is being written.
    label: u32,
    loc: Loc,
    /// The loop whose header is being written.
    header: Option<Header>,
    frames: Vec<Frame>,
    /// Edges to blocks that are not written yet.
    edges: SecondaryMap<BlockId, SmallVec<[Edge; 2]>>,
    non_uniform: rustc_hash::FxHashSet<u32>,
    /// Texture instructions that return residency codes.
    sparse: Vec<InstrId>,
    /// Conversions to 16-bit floats whose only use is a store to 16-bit memory.
    stored: rustc_hash::FxHashSet<InstrId>,
}

/// Writes the entry function and returns its id.
pub(crate) fn write_entry(w: &mut Writer<'_, '_>, entry: FuncId) -> Res<u32> {
    let shader = w.shader;
    let body = &shader.functions[entry].body;
    let void = w.m.void();
    let function_type = w.m.declare(Op::TypeFunction, &[void], 0).0;
    let id = w.m.id();
    w.m.name(id, &shader.functions[entry].name);
    let first = w.m.id();
    let locals = declare_locals(w)?;
    let classes = Classes::new(shader, body);
    let n = body.instr_capacity();
    let mut code = Code {
        w,
        shader,
        body,
        classes,
        products: Products::new(shader, body),
        ids: vec![0; n],
        pointers: vec![false; n],
        out: Vec::with_capacity(n * 5),
        glue: Glue::default(),
        label: first,
        loc: Loc::NONE,
        header: None,
        frames: Vec::new(),
        edges: SecondaryMap::new(),
        non_uniform: rustc_hash::FxHashSet::default(),
        sparse: Vec::new(),
        stored: rustc_hash::FxHashSet::default(),
    };
    for (id, instr) in body.entries() {
        if instr.as_tex().is_some_and(|tex| tex.residency) {
            code.sparse.push(id);
        }
        code.stored.extend(instr.as_intrinsic().and_then(|i| stored_conversion(shader, body, i)));
        // The length of an array is queried through the block around it.
        let length = instr.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::deref_buffer_array_length);
        if instr.as_deref().is_none() && !length && !code.products.is_covered(id) {
            instr.visit_operands(|v| code.pointers[v.index()] = true);
        }
    }
    code.run()?;
    let written = std::mem::take(&mut code.out);
    let out = &mut w.m.functions;
    push(out, Op::Function, &[void, id, 0, function_type]);
    push(out, Op::Label, &[first]);
    out.extend(locals);
    out.extend(written);
    push(out, Op::FunctionEnd, &[]);
    Ok(id)
}

/// The conversion to a 16-bit float that a store alone uses: such conversions may be decorated with their rounding.
fn stored_conversion(shader: &Shader, body: &Body, store: &Intrinsic) -> Option<InstrId> {
    if store.op != IntrinsicOp::store_deref {
        return None;
    }
    let (to, value) = (body[store.src(0)].as_deref()?, store.src(1));
    let seen = Modes::IN | Modes::OUT | Modes::SSBO | Modes::GLOBAL;
    let float16 = matches!(shader.types[to.ty], Type::Vector { scalar: Scalar::Float16, .. });
    let whole = store.write_mask() == u32::from(body[value].ty.full_mask());
    let InstrKind::Alu(alu) = &body[value].kind else { return None };
    let converts = matches!(alu.op, AluOp::f2f | AluOp::f2f_rtz) && body[alu.src(0).value].ty.bits > 16;
    (seen.contains(to.modes) && float16 && whole && converts && body[value].uses() == 1).then_some(value)
}

/// The variables of functions: all functions are one.
fn declare_locals(w: &mut Writer<'_, '_>) -> Res<Vec<u32>> {
    let shader = w.shader;
    let mut out = Vec::new();
    for (key, var) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::FUNCTION_TEMP) {
        let (class, layout) = w.storage(var.mode, var.ty)?;
        w.narrow_memory(var.ty, class)?;
        let type_id = w.type_id(var.ty, layout)?;
        let pointer = w.m.pointer(class, type_id);
        let id = w.m.id();
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[pointer, id, class as u32]);
        if let Some(constant) = &var.initializer {
            words.push(w.initializer(constant, var.ty, type_id, layout)?);
        }
        push(&mut out, Op::Variable, &words);
        w.m.name(id, &var.name);
        if matches!(var.precision, airfoil_ir::Precision::Low | airfoil_ir::Precision::Medium) {
            w.m.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        w.set_local(key, crate::interface::Var { id, class, layout, single: false });
    }
    Ok(out)
}

impl<'s> Code<'_, '_, 's> {
    // ---- instructions ----

    /// An instruction without result.
    fn effect(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.out, op, operands);
    }

    /// An instruction with a result.
    fn op(&mut self, op: Op, type_id: u32, operands: &[u32]) -> u32 {
        let id = self.w.m.id();
        let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[type_id, id]);
        words.extend_from_slice(operands);
        push(&mut self.out, op, &words);
        id
    }

    /// An instruction of GLSL.std.450.
    fn glsl(&mut self, op: GlslStd450Op, type_id: u32, operands: &[u32]) -> u32 {
        let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[self.w.m.glsl(), op as u32]);
        words.extend_from_slice(operands);
        self.op(Op::ExtInst, type_id, &words)
    }

    /// An instruction without effect that need not be repeated where an equal one dominates.
    fn shared(&mut self, op: Op, type_id: u32, operands: &[u32]) -> u32 {
        if let Some(id) = self.glue.find(op, type_id, operands) {
            return id;
        }
        let id = self.op(op, type_id, operands);
        self.glue.add(op, type_id, operands, id);
        id
    }

    /// The instruction itself, for diagnostics and types.
    fn instr(&self, id: InstrId) -> &'s Instr {
        &self.body[id]
    }

    fn ty(&self, value: InstrId) -> Ty {
        self.body[value].ty
    }

    fn class(&self, value: InstrId) -> Class {
        if self.ty(value).bits == 1 { Class::Bool } else { self.classes.get(value) }
    }

    /// The type of the result of an instruction.
    fn result_type(&mut self, id: InstrId) -> Res<u32> {
        let (class, ty) = (self.class(id), self.ty(id));
        self.value_type(class, ty)
    }

    /// A type of values. Arithmetic on narrow numbers requires a capability.
    fn value_type(&mut self, class: Class, ty: Ty) -> Res<u32> {
        match (class, ty.bits) {
            (Class::Float, 16) => self.w.m.require(Capability::Float16)?,
            (Class::Uint | Class::Sint, 16) => self.w.m.require(Capability::Int16)?,
            (Class::Uint | Class::Sint, 8) => self.w.m.require(Capability::Int8)?,
            _ => {}
        }
        self.w.m.value_type(class, ty)
    }

    fn define(&mut self, value: InstrId, id: u32) {
        self.ids[value.index()] = id;
    }

    fn constant(&mut self, class: Class, ty: Ty, lanes: &Lanes) -> Res<u32> {
        self.value_type(class, ty)?;
        self.w.m.constant(class, ty, lanes)
    }

    /// A constant with all components equal.
    fn splat(&mut self, class: Class, ty: Ty, raw: u64) -> Res<u32> {
        self.constant(class, ty, &[raw; 4])
    }

    /// A float constant with all components equal.
    fn float(&mut self, ty: Ty, value: f64) -> Res<u32> {
        self.splat(Class::Float, ty, airfoil_ir::alu::f64_to_bits(value, u32::from(ty.bits)))
    }

    // ---- operands ----

    /// The class in which a value serves a use.
    fn served(&self, value: InstrId, want: Want) -> Class {
        match want {
            Want::Exactly(class) => class,
            Want::Integer => match self.class(value) {
                Class::Sint => Class::Sint,
                _ => Class::Uint,
            },
        }
    }

    /// A value in a class.
    fn value(&mut self, value: InstrId, want: Want) -> Res<u32> {
        let instr = self.instr(value);
        let ty = instr.ty;
        let class = if ty.bits == 1 { Class::Bool } else { self.served(value, want) };
        match &instr.kind {
            InstrKind::Const(lanes) => return self.constant(class, ty, lanes),
            InstrKind::Undef => {
                let type_id = self.value_type(class, ty)?;
                return Ok(self.w.m.undef(type_id));
            }
            _ => {}
        }
        let id = self.ids[value.index()];
        if id == 0 {
            return fail(OPERATION, "a value of this kind is not supported in SPIR-V");
        }
        if self.class(value) == class {
            return Ok(id);
        }
        let type_id = self.value_type(class, ty)?;
        Ok(self.shared(Op::Bitcast, type_id, &[id]))
    }

    /// An operand with its swizzle, as `comps` components.
    fn src(&mut self, src: Src, comps: u8, want: Want) -> Res<u32> {
        let ty = self.ty(src.value);
        if let InstrKind::Const(lanes) = &self.instr(src.value).kind {
            let class = if ty.bits == 1 { Class::Bool } else { self.served(src.value, want) };
            let moved: Lanes = std::array::from_fn(|i| lanes[src.swizzle.get(i)]);
            return self.constant(class, ty.with_comps(comps), &moved);
        }
        let class = if ty.bits == 1 { Class::Bool } else { self.served(src.value, want) };
        if let InstrKind::Undef = self.instr(src.value).kind {
            let type_id = self.value_type(class, ty.with_comps(comps))?;
            return Ok(self.w.m.undef(type_id));
        }
        let id = self.value(src.value, want)?;
        self.swizzled(id, class, ty, src.swizzle, comps)
    }

    /// Components of a value.
    fn swizzled(&mut self, id: u32, class: Class, ty: Ty, swizzle: Swizzle, comps: u8) -> Res<u32> {
        if ty.comps == comps && swizzle.is_identity(usize::from(comps)) {
            return Ok(id);
        }
        let type_id = self.value_type(class, ty.with_comps(comps))?;
        if comps == 1 {
            return Ok(self.shared(Op::CompositeExtract, type_id, &[id, swizzle.get(0) as u32]));
        }
        if ty.comps == 1 {
            return Ok(self.shared(Op::CompositeConstruct, type_id, &[id; 4][..usize::from(comps)]));
        }
        let mut words: SmallVec<[u32; 6]> = SmallVec::from_slice(&[id, id]);
        words.extend((0..usize::from(comps)).map(|i| swizzle.get(i) as u32));
        Ok(self.shared(Op::VectorShuffle, type_id, &words))
    }

    /// The first components of a value, or the value itself.
    fn first_components(&mut self, value: InstrId, comps: u8, want: Want) -> Res<u32> {
        self.src(Src { value, swizzle: Swizzle::IDENTITY }, comps, want)
    }

    /// The literal of a constant scalar.
    fn literal(&self, value: InstrId) -> Option<u64> {
        self.instr(value).as_const().map(|lanes| lanes[0])
    }

    /// The bits of the components of a constant.
    fn lanes(&self, value: InstrId) -> Option<&'s Lanes> {
        self.instr(value).as_const()
    }

    fn scope(&mut self, scope: airfoil_ir::Scope) -> Res<u32> {
        use airfoil_ir::Scope as S;
        let vulkan = self.w.m.vulkan_memory_model;
        if vulkan && scope == S::Device {
            self.w.m.require(Capability::VulkanMemoryModelDeviceScope)?;
        }
        let n = match scope {
            S::QueueFamily if vulkan => 5,
            S::Device | S::QueueFamily => 1,
            S::Workgroup => 2,
            S::Subgroup => 3,
            S::None | S::Invocation => 4,
        };
        self.w.m.uint(n)
    }

    /// Records that a resource may differ between the invocations of a subgroup.
    fn mark_non_uniform(&mut self, id: u32) -> Res<()> {
        if self.non_uniform.insert(id) {
            self.w.m.require(Capability::ShaderNonUniform)?;
            self.w.m.decorate(id, Decoration::NonUniform, &[]);
        }
        Ok(())
    }

    fn line(&mut self, loc: Loc) {
        if loc == self.loc || self.w.m.options.strip_lines {
            return;
        }
        self.loc = loc;
        match loc.file() {
            None => self.effect(Op::NoLine, &[]),
            Some(file) => {
                let name = self.shader.files.get(file as usize).map_or("", |f| &**f);
                let file = self.w.m.string(name);
                self.effect(Op::Line, &[file, loc.line(), 0]);
            }
        }
    }

    /// Writes an instruction. Returns whether it ended the block.
    fn instruction(&mut self, id: InstrId) -> Res<bool> {
        let instr = self.instr(id);
        match &instr.kind {
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Phi(_) | InstrKind::Jump(_) => {
                return Ok(false);
            }
            InstrKind::Deref(_) if !self.pointers[id.index()] => return Ok(false),
            _ if self.products.is_covered(id) => return Ok(false),
            _ => {}
        }
        self.line(instr.loc);
        let done = match &instr.kind {
            InstrKind::Alu(alu) => self.alu(id, alu).map(|()| false),
            InstrKind::Deref(_) => self.deref(id).map(|()| false),
            InstrKind::Intrinsic(i) => self.intrinsic(id, i),
            InstrKind::Tex(tex) => self.texture(id, tex).map(|()| false),
            InstrKind::Call(_) => fail(OPERATION, "a call remains"),
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Phi(_) | InstrKind::Jump(_) => Ok(false),
        };
        done.map_err(|e| locate(e, self.shader, instr.loc))
    }

    /// A pointer type of values in memory.
    fn pointer_type(&mut self, class: StorageClass, to: u32) -> u32 {
        self.w.m.pointer(class, to)
    }
}
