//! Shaders without control flow: their inputs, outputs, parameters and textures.

use super::shader::{FixedSampler, FixedShader};
use super::target::UnitTarget;
use airfoil::arb::{PARAMETER_BLOCK, Parameter, StateVector};
use airfoil::ir::{
    Access, Body, Builder, Cursor, Function, ImageFormat, ImageType, InstrId, InstrKind, Member, Modes,
    Scalar, Shader, Slot, Src, Stage, StructType, Ty, Type, TypeId, VarId, Variable,
};

/// A vector of floats.
pub const VECTOR: Ty = Ty::new(4, 32);

/// The uniform block, whose size is known at the end.
struct Block {
    var: VarId,
    /// Derefs of the block and its array.
    derefs: [InstrId; 2],
}

/// A shader under construction.
pub struct Emitter<'a> {
    shader: &'a mut Shader,
    /// Creates the instructions.
    pub b: Builder<'a>,
    block: Option<Block>,
    binding: u32,
    /// Loaded parameters, in the order of the vectors.
    parameters: Vec<(StateVector, InstrId)>,
    /// Loaded inputs.
    inputs: Vec<(Slot, InstrId)>,
    samplers: Vec<FixedSampler>,
}

/// Types of the block and its array.
fn block_types(shader: &mut Shader, len: u32) -> [TypeId; 2] {
    let vector = shader.types.vector(Scalar::Float32, 4);
    let array = shader.types.intern(Type::Array { elem: vector, len, stride: 16 });
    let member = Member { offset: Some(0), ..Member::new("parameters", array) };
    let block = shader.types.intern(Type::Struct(StructType {
        name: PARAMETER_BLOCK.into(),
        members: [member].into(),
        block: true,
    }));
    [block, array]
}

/// Generates a shader.
pub fn generate(stage: Stage, binding: u32, emit: impl FnOnce(&mut Emitter<'_>)) -> FixedShader {
    let mut shader = Shader::new("main", stage);
    let function = shader.add_function(Function::new("main"));
    shader.entry = Some(function);
    let mut body = Body::new();
    let first = body.entry();
    let mut e = Emitter {
        shader: &mut shader,
        b: Builder::at(&mut body, Cursor::BlockEnd(first)),
        block: None,
        binding,
        parameters: Vec::new(),
        inputs: Vec::new(),
        samplers: Vec::new(),
    };
    emit(&mut e);
    let Emitter { block, parameters, mut samplers, .. } = e;
    if let Some(Block { var, derefs: [outer, inner] }) = block {
        let [block, array] = block_types(&mut shader, parameters.len() as u32);
        shader.vars[var].ty = block;
        for (id, ty) in [(outer, block), (inner, array)] {
            if let Some(mut deref) = body[id].as_deref().cloned() {
                deref.ty = ty;
                body.set_kind(id, InstrKind::Deref(deref));
            }
        }
    }
    shader.functions[function].body = body;
    samplers.sort_by_key(|s| s.unit);
    let parameters = parameters.into_iter().map(|(state, _)| Parameter::State(state)).collect();
    FixedShader { shader, parameters, binding, samplers }
}

impl Emitter<'_> {
    fn variable(&mut self, name: &str, comps: u8, mode: Modes, slot: Slot) -> InstrId {
        let ty = self.shader.types.vector(Scalar::Float32, comps);
        let mut var = Variable::new(name, ty, mode);
        var.location = Some(slot);
        let var = self.shader.add_var(var);
        self.b.deref_var(&self.shader.vars, var)
    }

    /// An input of floats.
    pub fn input(&mut self, name: &str, comps: u8, slot: Slot) -> InstrId {
        if let Some(&(_, value)) = self.inputs.iter().find(|(s, _)| *s == slot) {
            return value;
        }
        let deref = self.variable(name, comps, Modes::IN, slot);
        let value = self.b.load_deref(deref, Ty::new(comps, 32));
        self.inputs.push((slot, value));
        value
    }

    /// Writes an output of floats.
    pub fn output(&mut self, name: &str, slot: Slot, value: InstrId) {
        let comps = self.b.ty(value).comps;
        let deref = self.variable(name, comps, Modes::OUT, slot);
        self.b.store_deref(deref, value);
    }

    /// A parameter.
    pub fn state(&mut self, state: StateVector) -> InstrId {
        if let Some(&(_, value)) = self.parameters.iter().find(|(s, _)| *s == state) {
            return value;
        }
        let array = self.array();
        let vector = self.b.deref_array_imm(&mut self.shader.types, array, self.parameters.len() as u32);
        let value = self.b.load_deref(vector, VECTOR);
        self.parameters.push((state, value));
        value
    }

    /// The array of parameters.
    fn array(&mut self) -> InstrId {
        if let Some(block) = &self.block {
            return block.derefs[1];
        }
        let [ty, _] = block_types(self.shader, 1);
        let name = if self.shader.stage == Stage::Vertex { "fixed_vertex" } else { "fixed_fragment" };
        let mut var = Variable::new(name, ty, Modes::UBO);
        var.binding = Some(self.binding);
        var.access = Access::NON_WRITEABLE;
        let var = self.shader.add_var(var);
        let outer = self.b.deref_var(&self.shader.vars, var);
        let inner = self.b.deref_struct(&self.shader.types, outer, 0);
        self.block = Some(Block { var, derefs: [outer, inner] });
        inner
    }

    /// The texture of a unit.
    pub fn texture(&mut self, unit: u32, target: UnitTarget) -> InstrId {
        let ty = self.shader.types.intern(Type::Image(ImageType {
            dim: target.dim(),
            arrayed: false,
            shadow: target.is_shadow(),
            sampled: Scalar::Float32,
            storage: false,
            combined: true,
            format: ImageFormat::Unknown,
        }));
        let mut var = Variable::new(&format!("texture{unit}"), ty, Modes::UNIFORM);
        var.binding = Some(unit);
        let var = self.shader.add_var(var);
        self.samplers.push(FixedSampler { unit, target });
        self.b.deref_var(&self.shader.vars, var)
    }

    // ---- vectors ----

    /// The first three components.
    pub fn xyz(&mut self, v: InstrId) -> InstrId {
        self.b.swizzle(v, &[0, 1, 2])
    }

    /// Three components and a fourth one.
    pub fn with_w(&mut self, xyz: InstrId, w: InstrId) -> InstrId {
        self.b.vec_srcs(&[Src::comp(xyz, 0), Src::comp(xyz, 1), Src::comp(xyz, 2), w.into()])
    }

    /// A sum; the other operand if there is only one.
    pub fn sum(&mut self, a: Option<InstrId>, b: InstrId) -> InstrId {
        match a {
            Some(a) => self.b.fadd(a, b),
            None => b,
        }
    }

    /// The larger of a scalar and 0.
    pub fn positive(&mut self, x: InstrId) -> InstrId {
        let zero = self.b.imm_f32(0.0);
        self.b.fmax(x, zero)
    }

    /// The power of a base that is not negative, 1 if the exponent is 0: targets need not know that of 0.
    pub fn power(&mut self, base: InstrId, exponent: InstrId) -> InstrId {
        let (zero, one) = (self.b.imm_f32(0.0), self.b.imm_f32(1.0));
        let is_zero = self.b.feq(exponent, zero);
        let power = self.b.fpow(base, exponent);
        self.b.bcsel(is_zero, one, power)
    }
}
