//! The variables of a shader as declarations of a unit.

use super::types::{Explicit, TypeMap, image_format, packing};
use super::{Declarations, Feedback};
use crate::builtin::BuiltinVar;
use crate::builtin::variable::BuiltinIo;
use crate::hir::{BlockCapture, Constant, Memory, Packing, Qualifiers, Storage, Unit, VarId, Variable};
use crate::link::layout::TypeLayout;
use crate::source::Span;
use crate::types::{OpaqueKind, Type};
use airfoil_ir::{self as ir, Access, Diagnostic, Modes, Scalar, Shader, Type as IrType};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Most components of an initial value; uniforms of this size exceed all limits.
const MAX_SCALARS: u32 = 1 << 20;

/// Declares the variables of one shader.
pub struct Importer<'a> {
    shader: &'a Shader,
    unit: &'a mut Unit,
    types: TypeMap,
    locations: FxHashMap<ir::VarId, u32>,
    counters: FxHashSet<ir::VarId>,
    feedback: FxHashMap<ir::VarId, Vec<Feedback>>,
    /// The result.
    pub declared: Declared,
}

/// The declarations of a shader.
#[derive(Default)]
pub struct Declared {
    /// With the variables that they declare.
    pub vars: Vec<(VarId, ir::VarId)>,
    /// Captured members of arrays of blocks.
    pub captures: Vec<BlockCapture>,
    /// The layouts of blocks that no packing gives.
    pub layouts: Vec<(VarId, Arc<TypeLayout>)>,
    /// Everything that OpenGL does not have.
    pub faults: Vec<Diagnostic>,
}

impl<'a> Importer<'a> {
    /// For a shader and its unit.
    pub fn new(shader: &'a Shader, declared: &Declarations, unit: &'a mut Unit) -> Importer<'a> {
        let mut feedback: FxHashMap<_, Vec<Feedback>> = FxHashMap::default();
        for &(var, captured) in &declared.feedback {
            feedback.entry(var).or_default().push(captured);
        }
        Importer {
            shader,
            unit,
            types: TypeMap::default(),
            locations: declared.uniform_locations.iter().copied().collect(),
            counters: declared.counters.iter().copied().collect(),
            feedback,
            declared: Declared::default(),
        }
    }

    /// Declares all variables of the interface.
    pub fn all(&mut self) {
        let shader = self.shader;
        for (id, var) in &shader.vars {
            match var.mode {
                Modes::IN | Modes::OUT | Modes::SYSTEM_VALUE => self.input_or_output(id, var),
                Modes::UNIFORM | Modes::IMAGE => self.uniform(id, var),
                Modes::SSBO if self.counters.contains(&id) => self.counter(id, var),
                Modes::UBO | Modes::SSBO => self.block(id, var),
                Modes::SHARED => {
                    self.declare(id, var, Qualifiers { storage: Storage::Shared, ..Default::default() });
                }
                Modes::PUSH_CONST => self.fault(var, "push constants are", DIFFERENCES),
                _ => {}
            }
        }
    }

    /// A feature that OpenGL does not have, by a rule.
    fn fault(&mut self, var: &ir::Variable, what: &str, rule: &str) {
        self.refuse(var, format_args!("{what} invalid in OpenGL ({rule})"));
    }

    fn refuse(&mut self, var: &ir::Variable, what: std::fmt::Arguments<'_>) {
        let name = if var.name.is_empty() { String::new() } else { format!("`{}`: ", var.name) };
        self.declared.faults.push(Diagnostic::error("E1138", format!("{name}{what}")));
    }

    /// Adds a declaration; its type is the variable's.
    fn declare(&mut self, id: ir::VarId, var: &ir::Variable, qualifiers: Qualifiers) -> VarId {
        let ty = self.types.convert(&self.shader.types, var.ty, self.unit);
        let name = self.unit.names.intern(&var.name);
        let var = Variable::new(name, ty, qualifiers, Span::default());
        self.unit.vars.push(Variable { used: true, written: true, ..var });
        let made = VarId(self.unit.vars.len() as u32 - 1);
        self.declared.vars.push((made, id));
        made
    }

    fn input_or_output(&mut self, id: ir::VarId, var: &ir::Variable) {
        let stage = self.shader.stage;
        let is_output = var.mode == Modes::OUT;
        let mut q = Qualifiers {
            storage: if is_output { Storage::Out } else { Storage::In },
            interpolation: Some(var.interpolation),
            sampling: Some(var.sampling),
            patch: var.patch,
            invariant: var.invariant,
            ..Qualifiers::default()
        };
        let location = var.location.and_then(|s| if var.patch { s.as_patch() } else { s.as_generic() });
        q.layout.location = location;
        q.layout.component = location.map(|_| u32::from(var.component));
        q.layout.index = (var.index > 0).then_some(u32::from(var.index));
        q.layout.stream = (var.stream > 0).then_some(u32::from(var.stream));
        let feedback = self.feedback.remove(&id).unwrap_or_default();
        for captured in &feedback {
            if captured.part.is_none() {
                q.layout.xfb_buffer = Some(captured.buffer);
                q.layout.xfb_offset = Some(captured.offset);
            }
            let strides = &mut self.unit.layout.xfb_strides;
            let stride = captured.stride.filter(|_| !strides.iter().any(|s| s.0 == captured.buffer));
            strides.extend(stride.map(|stride| (captured.buffer, stride)));
        }
        let home = match (var.location, var.system_value) {
            (Some(slot), _) => Some(BuiltinIo::Slot(slot)),
            (None, value) => value.map(BuiltinIo::System),
        };
        let is_home = |b: &&BuiltinVar| location.is_none() && Some(b.io(stage)) == home;
        let builtin = BuiltinVar::ALL.iter().find(is_home).copied();
        // Built-ins that OpenGL does not have are not part of its interfaces.
        if location.is_some() || builtin.is_some() {
            let made = self.declare(id, var, q);
            self.unit[made].builtin = builtin;
            let parts = feedback.iter().filter_map(|f| f.part.map(|part| (f, part)));
            self.declared.captures.extend(parts.map(|(f, (element, member))| BlockCapture {
                var: made,
                element,
                member,
                buffer: f.buffer,
                offset: f.offset,
            }));
        }
    }

    /// A texture, an image, or a member of the default uniform block.
    fn uniform(&mut self, id: ir::VarId, var: &ir::Variable) {
        let types = &self.shader.types;
        let inner = &types[types.without_arrays(var.ty)];
        if is_unsized(types, var.ty) || types.size(var.ty) == 0 {
            return self.fault(var, UNSIZED, DECORATIONS);
        }
        let mut q = self.resource(var);
        q.layout.location = self.locations.get(&id).copied();
        if let Some(what) = half(types, var.ty) {
            return self.fault(var, what, SEPARATE);
        }
        if let IrType::Image(image) = inner {
            q.layout.format = image_format(image);
        }
        let made = self.declare(id, var, q);
        // Textures do not have initial values.
        if let Some(value) = var.initializer.as_ref().filter(|_| !types.is_opaque(var.ty)) {
            let ty = self.unit[made].ty;
            if self.unit.types.components(ty) > MAX_SCALARS {
                return self.refuse(
                    var,
                    format_args!("an initial value with more than {MAX_SCALARS} components is not supported"),
                );
            }
            let mut scalars = Vec::new();
            flatten(types, var.ty, value, &mut scalars);
            let constant = self.unit.add_const(Constant { ty, scalars: scalars.into() });
            self.unit[made].constant = Some(constant);
        }
    }

    fn counter(&mut self, id: ir::VarId, var: &ir::Variable) {
        if is_unsized(&self.shader.types, var.ty) {
            return self.fault(var, UNSIZED, DECORATIONS);
        }
        let mut q = Qualifiers { storage: Storage::Uniform, ..Qualifiers::default() };
        q.layout.binding = var.binding.or(Some(0));
        q.layout.offset = Some(var.offset);
        let made = self.declare(id, var, q);
        self.unit[made].ty = counter_type(self.unit, self.unit[made].ty);
    }

    fn block(&mut self, id: ir::VarId, var: &ir::Variable) {
        let types = &self.shader.types;
        let inner = types.without_arrays(var.ty);
        // Only the last member of a storage block may be without size.
        let members = match &types[inner] {
            IrType::Struct(s) => s.members.iter().map(|m| m.ty).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        let (last, fixed) = members.split_last().map_or((None, &[][..]), |(last, rest)| (Some(*last), rest));
        let last = last.map(|ty| match types[ty] {
            IrType::Array { elem, len: 0, .. } if var.mode == Modes::SSBO => elem,
            _ => ty,
        });
        let mut parts = fixed.iter().copied().chain(last);
        if parts.any(|ty| is_unsized(types, ty)) || is_unsized_around(types, var.ty) {
            return self.fault(var, UNSIZED, DECORATIONS);
        }
        let mut q = self.resource(var);
        q.storage = if var.mode == Modes::UBO { Storage::Uniform } else { Storage::Buffer };
        let converted = self.types.convert(types, inner, self.unit);
        let Some(layout) = Explicit::new(types, self.unit).of(inner, converted) else {
            let what = "offsets and strides with which members or elements overlap are";
            return self.fault(var, what, "ARB_gl_spirv, section 7.6.2.spv");
        };
        let known = packing(types, inner, self.unit, converted);
        q.layout.packing = known.or(Some(Packing::Scalar));
        let made = self.declare(id, var, q);
        if known.is_none() {
            self.declared.layouts.push((made, layout));
        }
        let variable = &mut self.unit[made];
        variable.block = true;
        variable.nameless_block = var.name.is_empty();
    }

    /// The qualifiers of a resource.
    fn resource(&mut self, var: &ir::Variable) -> Qualifiers {
        if var.set.unwrap_or(0) != 0 {
            self.fault(var, "descriptor sets other than 0 are", DIFFERENCES);
        }
        let mut memory = Memory::empty();
        let pairs = [
            (Access::COHERENT, Memory::COHERENT),
            (Access::VOLATILE, Memory::VOLATILE),
            (Access::RESTRICT, Memory::RESTRICT),
            (Access::NON_READABLE, Memory::WRITEONLY),
            (Access::NON_WRITEABLE, Memory::READONLY),
        ];
        for (access, qualifier) in pairs {
            memory.set(qualifier, var.access.contains(access));
        }
        let mut q = Qualifiers { storage: Storage::Uniform, memory, ..Qualifiers::default() };
        q.layout.binding = var.binding;
        q
    }
}

const UNSIZED: &str = "arrays without size, other than the last member of a storage block, are";

/// The features of Vulkan that OpenGL does not accept.
const DIFFERENCES: &str = "ARB_gl_spirv, \"Differences Relative to Other Specifications\"";

/// The rules for decorations.
const DECORATIONS: &str = "ARB_gl_spirv, section A.spv.4";

/// The removal of samplers and textures that are not combined.
const SEPARATE: &str = "ARB_gl_spirv, issue 13";

/// A sampler without texture, or a texture without sampler, that a type is or holds.
fn half(types: &ir::Types, ty: ir::TypeId) -> Option<&'static str> {
    match &types[ty] {
        IrType::Sampler => Some("samplers without textures are"),
        IrType::Image(image) if !image.storage && !image.combined => Some("textures without samplers are"),
        IrType::Array { elem, .. } => half(types, *elem),
        IrType::Struct(s) => s.members.iter().find_map(|m| half(types, m.ty)),
        IrType::Image(_) | IrType::Vector { .. } | IrType::Matrix { .. } => None,
    }
}

/// Whether a type is or holds an array whose length is known at run time only.
fn is_unsized(types: &ir::Types, ty: ir::TypeId) -> bool {
    match &types[ty] {
        IrType::Array { elem, len, .. } => *len == 0 || is_unsized(types, *elem),
        IrType::Struct(s) => s.members.iter().any(|m| is_unsized(types, m.ty)),
        IrType::Vector { .. } | IrType::Matrix { .. } | IrType::Image(_) | IrType::Sampler => false,
    }
}

/// Whether an array around a block has no length.
fn is_unsized_around(types: &ir::Types, ty: ir::TypeId) -> bool {
    match types[ty] {
        IrType::Array { elem, len, .. } => len == 0 || is_unsized_around(types, elem),
        _ => false,
    }
}

/// The type with atomic counters for integers.
fn counter_type(unit: &mut Unit, ty: Type) -> Type {
    match unit.types.as_array(ty) {
        Some(array) => {
            let elem = counter_type(unit, array.elem);
            unit.types.array(elem, array.len)
        }
        None => Type::Opaque(crate::types::Opaque {
            kind: OpaqueKind::AtomicCounter,
            sampled: crate::types::Base::Uint,
            dim: ir::Dim::D2,
            arrayed: false,
            shadow: false,
            external: false,
        }),
    }
}

/// The scalars of an initial value.
fn flatten(types: &ir::Types, ty: ir::TypeId, value: &ir::Constant, scalars: &mut Vec<u64>) {
    let inner = |n: usize| match &types[ty] {
        IrType::Array { elem, .. } => Some(*elem),
        IrType::Struct(s) => s.members.get(n).map(|m| m.ty),
        _ => None,
    };
    match value {
        ir::Constant::Value(lanes) => {
            let (scalar, comps) = match types[ty] {
                IrType::Vector { scalar, comps } => (scalar, comps),
                // A column.
                IrType::Matrix { scalar, rows, .. } => (scalar, rows),
                _ => return,
            };
            scalars.extend(lanes[..usize::from(comps)].iter().map(|&bits| number(scalar, bits)));
        }
        ir::Constant::Composite(parts) => {
            for (n, part) in parts.iter().enumerate() {
                flatten(types, inner(n).unwrap_or(ty), part, scalars);
            }
        }
        ir::Constant::Zero => {
            let count = match &types[ty] {
                IrType::Vector { comps, .. } => u32::from(*comps),
                IrType::Matrix { cols, rows, .. } => u32::from(*cols) * u32::from(*rows),
                IrType::Array { len, .. } => *len,
                IrType::Struct(s) => s.members.len() as u32,
                IrType::Image(_) | IrType::Sampler => 0,
            };
            for n in 0..count {
                match inner(n as usize) {
                    Some(part) => flatten(types, part, value, scalars),
                    None => scalars.push(0),
                }
            }
        }
    }
}

/// The bits of a scalar as [`Constant::scalars`] has them: 16-bit floats as 32-bit ones.
fn number(scalar: Scalar, bits: u64) -> u64 {
    match scalar {
        Scalar::Float16 => u64::from((ir::alu::f64_from_bits(bits, 16) as f32).to_bits()),
        _ => bits,
    }
}
