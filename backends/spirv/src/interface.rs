//! Variables outside functions, with their decorations.

use crate::built_ins;
use crate::errors::*;
use crate::module::{Class, Module};
use crate::types::{Layout, class_of};
use crate::words::push;
use airfoil_ir::{
    Access, Body, Constant, DerefKind, Dim, Interpolation, Modes, Precision, Primitive, Sampling, Scalar,
    Shader, Slot, Stage, SystemValue, Ty, Type, TypeId, VarId, Variable,
};
use airfoil_passes::gl::lower_xfb::Capture;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::SmallVec;
use spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// A variable that has been declared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Var {
    pub id: u32,
    pub class: StorageClass,
    pub layout: Layout,
    /// SPIR-V has an array of one element.
    pub single: bool,
}

/// A shader that is being written.
pub(crate) struct Writer<'m, 's> {
    pub m: &'m mut Module,
    pub shader: &'s Shader,
    pub types: FxHashMap<(TypeId, Layout), u32>,
    vars: SecondaryMap<VarId, Var>,
    constants: SecondaryMap<VarId, u32>,
    /// The constant with the built-in WorkgroupSize.
    workgroup_constant: Option<u32>,
    accesses: SecondaryMap<VarId, Access>,
    system_values: FxHashMap<SystemValue, (u32, Class)>,
    /// Ids that the entry point lists.
    pub interface: Vec<u32>,
}

impl<'m, 's> Writer<'m, 's> {
    pub fn new(m: &'m mut Module, shader: &'s Shader) -> Writer<'m, 's> {
        Writer {
            m,
            shader,
            types: FxHashMap::default(),
            vars: SecondaryMap::new(),
            constants: SecondaryMap::new(),
            workgroup_constant: None,
            accesses: SecondaryMap::new(),
            system_values: FxHashMap::default(),
            interface: Vec::new(),
        }
    }

    /// The storage class and layout of a kind of memory.
    pub fn storage(&self, mode: Modes, ty: TypeId) -> Res<(StorageClass, Layout)> {
        use StorageClass as S;
        let block = matches!(
            &self.shader.types[self.shader.types.without_arrays(ty)],
            Type::Struct(s) if s.block
        );
        Ok(match mode {
            Modes::FUNCTION_TEMP => (S::Function, Layout::Plain),
            Modes::SHADER_TEMP => (S::Private, Layout::Plain),
            Modes::IN | Modes::SYSTEM_VALUE => (S::Input, Layout::Plain),
            Modes::OUT => (S::Output, Layout::Plain),
            Modes::UNIFORM | Modes::IMAGE => (S::UniformConstant, Layout::Plain),
            Modes::UBO => (S::Uniform, Layout::Explicit),
            Modes::SSBO if self.m.target().has(3) => (S::StorageBuffer, Layout::Explicit),
            Modes::SSBO => (S::Uniform, Layout::BufferBlock),
            Modes::SHARED if block => (S::Workgroup, Layout::Explicit),
            Modes::SHARED => (S::Workgroup, Layout::Plain),
            Modes::PUSH_CONST => (S::PushConstant, Layout::Explicit),
            Modes::GLOBAL => (S::PhysicalStorageBuffer, Layout::Explicit),
            Modes::TASK_PAYLOAD => (S::TaskPayloadWorkgroupEXT, Layout::Plain),
            _ => return fail(MEMORY, "memory of several kinds has no pointer in SPIR-V"),
        })
    }

    /// Declares the variables outside functions.
    pub fn declare_variables(&mut self, body: &Body) -> Res<()> {
        let shader = self.shader;
        self.note_accesses(body);
        for (key, var) in &shader.vars {
            if !matches!(var.mode, Modes::FUNCTION_TEMP | Modes::SYSTEM_VALUE | Modes::SPEC_CONST) {
                self.declare(key, var)?;
            }
        }
        Ok(())
    }

    /// Records the variables with accesses that are coherent or volatile: in SPIR-V these are properties of the
    /// variable.
    fn note_accesses(&mut self, body: &Body) {
        const KEPT: Access = Access::COHERENT.union(Access::VOLATILE);
        for (_, instr) in body.entries() {
            let Some(i) = instr.as_intrinsic() else { continue };
            let access = i.access() & KEPT;
            let Some(&(mut at)) = i.srcs().first().filter(|_| !access.is_empty()) else { continue };
            while let Some(deref) = body[at].as_deref() {
                match (deref.kind, deref.parent()) {
                    (DerefKind::Var(key), _) => {
                        if let Some(entry) = self.accesses.entry(key) {
                            *entry.or_default() |= access;
                        }
                        break;
                    }
                    (_, Some(parent)) => at = parent,
                    (_, None) => break,
                }
            }
        }
    }

    /// The variable of a key, declared at its first use.
    pub fn var(&mut self, key: VarId) -> Res<Var> {
        match self.vars.get(key) {
            Some(&var) => Ok(var),
            None => self.declare(key, &self.shader.vars[key]),
        }
    }

    /// Records the variable of a function.
    pub fn set_local(&mut self, key: VarId, var: Var) {
        self.vars.insert(key, var);
    }

    fn declare(&mut self, key: VarId, var: &Variable) -> Res<Var> {
        let (class, layout) = self.storage(var.mode, var.ty)?;
        if class == StorageClass::PushConstant && !self.m.target().is_vulkan() {
            return fail(TARGET, format!("push constants are not supported on {}", self.m.target()));
        }
        self.narrow_memory(var.ty, class)?;
        let mut ty = var.ty;
        let mut single = false;
        let type_id = match var.mode {
            Modes::SYSTEM_VALUE => {
                let id = self.type_id(ty, layout)?;
                // The mask is an array of words in SPIR-V.
                if var.system_value == Some(SystemValue::sample_mask_in) {
                    single = true;
                    let one = self.m.uint(1)?;
                    self.m.declare(Op::TypeArray, &[id, one], 0).0
                } else {
                    id
                }
            }
            Modes::IN | Modes::OUT => self.io_type(var, &mut ty, &mut single)?,
            Modes::UNIFORM => {
                let opaque = self.shader.types.is_opaque(ty);
                if !opaque && self.m.target().is_vulkan() {
                    return fail(
                        INTERFACE,
                        format!("the uniform `{}` outside a block is not supported in Vulkan", var.name),
                    );
                }
                self.type_id(ty, layout)?
            }
            _ => self.type_id(ty, layout)?,
        };
        let pointer = self.m.pointer(class, type_id);
        let id = self.m.id();
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[pointer, id, class as u32]);
        if let Some(constant) = &var.initializer
            && !matches!(var.mode, Modes::UNIFORM | Modes::IMAGE)
        {
            words.push(self.initializer(constant, ty, type_id, layout)?);
        }
        push(&mut self.m.globals, Op::Variable, &words);
        self.m.name(id, &var.name);
        let access = var.access | self.accesses.get(key).copied().unwrap_or_default();
        self.decorate(id, var, class, access)?;
        let listed = matches!(class, StorageClass::Input | StorageClass::Output);
        if listed || self.m.target().has(4) {
            self.interface.push(id);
        }
        let made = Var { id, class, layout, single };
        self.vars.insert(key, made);
        Ok(made)
    }

    /// The type of an input or output. An array of vertices must have a length.
    fn io_type(&mut self, var: &Variable, ty: &mut TypeId, single: &mut bool) -> Res<u32> {
        let stage = self.shader.stage;
        if let Type::Array { elem, len: 0, .. } = self.shader.types[*ty]
            && var.is_per_vertex(stage)
        {
            let info = &self.shader.info;
            let len = match (stage, info.input_primitive) {
                (Stage::Geometry, Primitive::Points) => 1,
                (Stage::Geometry, Primitive::Lines) => 2,
                (Stage::Geometry, Primitive::LinesAdjacency) => 4,
                (Stage::Geometry, Primitive::TrianglesAdjacency) => 6,
                (Stage::Geometry | Stage::Fragment, _) => 3,
                (Stage::TessControl, _) if var.mode == Modes::OUT => info.patch_vertices_out.max(1),
                (Stage::Mesh, _) if var.per_primitive => info.max_primitives.max(1),
                (Stage::Mesh, _) => info.max_vertices.max(1),
                // gl_MaxPatchVertices
                _ => 32,
            };
            let elem = self.type_id(elem, Layout::Plain)?;
            let len = self.m.uint(len)?;
            return Ok(self.m.declare(Op::TypeArray, &[elem, len], 0).0);
        }
        let id = self.type_id(*ty, Layout::Plain)?;
        // The mask is an array of words in SPIR-V.
        if var.location == Some(Slot::SAMPLE_MASK) && matches!(self.shader.types[*ty], Type::Vector { .. }) {
            *single = true;
            let one = self.m.uint(1)?;
            return Ok(self.m.declare(Op::TypeArray, &[id, one], 0).0);
        }
        Ok(id)
    }

    /// Capabilities for numbers of 8 and 16 bits in memory that is visible outside the shader.
    pub fn narrow_memory(&mut self, ty: TypeId, class: StorageClass) -> Res<()> {
        use Capability as C;
        let (mut has8, mut has16) = (false, false);
        let mut todo: SmallVec<[TypeId; 8]> = SmallVec::from_slice(&[ty]);
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(ty) = todo.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match &self.shader.types[ty] {
                Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                    has8 |= scalar.bits() == 8;
                    has16 |= scalar.bits() == 16;
                }
                Type::Array { elem, .. } => todo.push(*elem),
                Type::Struct(s) => todo.extend(s.members.iter().map(|m| m.ty)),
                Type::Image(_) | Type::Sampler => {}
            }
        }
        let needed = match class {
            StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => {
                [Some(C::StorageBuffer8BitAccess), Some(C::StorageBuffer16BitAccess)]
            }
            StorageClass::Uniform => {
                [Some(C::UniformAndStorageBuffer8BitAccess), Some(C::UniformAndStorageBuffer16BitAccess)]
            }
            StorageClass::PushConstant => [Some(C::StoragePushConstant8), Some(C::StoragePushConstant16)],
            StorageClass::Workgroup if matches!(&self.shader.types[ty], Type::Struct(s) if s.block) => [
                Some(C::WorkgroupMemoryExplicitLayout8BitAccessKHR),
                Some(C::WorkgroupMemoryExplicitLayout16BitAccessKHR),
            ],
            StorageClass::Input | StorageClass::Output => [Some(C::Int8), Some(C::StorageInputOutput16)],
            _ => [None, None],
        };
        match (has8, needed[0]) {
            (true, Some(capability)) => self.m.require(capability)?,
            (true, None) => self.m.require(C::Int8)?,
            _ => {}
        }
        match (has16, needed[1]) {
            (true, Some(capability)) => self.m.require(capability)?,
            (true, None) => {
                self.m.require(C::Int16)?;
                self.m.require(C::Float16)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The constant of an initial value.
    pub fn initializer(&mut self, constant: &Constant, ty: TypeId, type_id: u32, layout: Layout) -> Res<u32> {
        let shader = self.shader;
        match (constant, &shader.types[ty]) {
            (Constant::Zero, _) => Ok(self.m.null(type_id)),
            (Constant::Value(lanes), Type::Vector { scalar, comps }) => {
                if *scalar == Scalar::Bool && layout != Layout::Plain {
                    return self.m.constant(Class::Uint, Ty::new(*comps, 32), lanes);
                }
                self.m.constant(class_of(*scalar), Ty::new(*comps, scalar.bits()), lanes)
            }
            (Constant::Composite(parts), of) => {
                let mut words: SmallVec<[u32; 16]> = SmallVec::from_slice(&[type_id]);
                for (i, part) in parts.iter().enumerate() {
                    let id = match of {
                        Type::Struct(s) => match s.members.get(i) {
                            Some(m) => {
                                let id = self.type_id(m.ty, layout)?;
                                self.initializer(part, m.ty, id, layout)?
                            }
                            None => return fail(MEMORY, "an initial value does not fit its type"),
                        },
                        Type::Array { elem, .. } => {
                            let id = self.type_id(*elem, layout)?;
                            self.initializer(part, *elem, id, layout)?
                        }
                        Type::Matrix { scalar, rows, .. } => match part {
                            Constant::Value(lanes) => {
                                self.m.constant(class_of(*scalar), Ty::new(*rows, scalar.bits()), lanes)?
                            }
                            _ => {
                                let id =
                                    self.m.value_type(class_of(*scalar), Ty::new(*rows, scalar.bits()))?;
                                self.m.null(id)
                            }
                        },
                        Type::Vector { scalar, .. } => match part {
                            Constant::Value(lanes) => {
                                self.m.constant(class_of(*scalar), Ty::new(1, scalar.bits()), lanes)?
                            }
                            _ => return fail(MEMORY, "an initial value does not fit its type"),
                        },
                        Type::Image(_) | Type::Sampler => {
                            return fail(MEMORY, "images and samplers have no initial value");
                        }
                    };
                    words.push(id);
                }
                Ok(self.m.declare(Op::ConstantComposite, &words, 0).0)
            }
            (Constant::Value(_), _) => fail(MEMORY, "an initial value does not fit its type"),
        }
    }

    fn decorate(&mut self, id: u32, var: &Variable, class: StorageClass, access: Access) -> Res<()> {
        use Decoration as D;
        if matches!(var.precision, Precision::Low | Precision::Medium) {
            self.m.decorate(id, D::RelaxedPrecision, &[]);
        }
        match var.mode {
            Modes::IN | Modes::OUT => return self.decorate_io(id, var),
            Modes::SYSTEM_VALUE => {
                let Some(value) = var.system_value else {
                    return fail(INTERFACE, format!("`{}` is not a system value", var.name));
                };
                return self.decorate_system_value(id, value);
            }
            _ => {}
        }
        let bound = matches!(
            class,
            StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer
        );
        if bound {
            if self.m.target().is_vulkan() {
                self.m.decorate(id, D::DescriptorSet, &[var.set.unwrap_or(0)]);
            }
            let binding = match var.binding {
                Some(binding) => binding,
                None => self.m.free_binding(&var.name),
            };
            self.m.decorate(id, D::Binding, &[binding]);
            if let Type::Image(image) = &self.shader.types[self.shader.types.without_arrays(var.ty)]
                && matches!(image.dim, Dim::Subpass | Dim::SubpassMs)
            {
                self.m.decorate(id, D::InputAttachmentIndex, &[var.offset]);
            }
        }
        if var.mode == Modes::SSBO || var.mode == Modes::IMAGE {
            self.decorate_access(id, access);
        }
        if class == StorageClass::Workgroup && var.is_workgroup_block(&self.shader.types) {
            self.m.require(Capability::WorkgroupMemoryExplicitLayoutKHR)?;
            self.m.decorate(id, D::Aliased, &[]);
        }
        Ok(())
    }

    fn decorate_access(&mut self, id: u32, access: Access) {
        for (flag, decoration) in [
            (Access::COHERENT, Decoration::Coherent),
            (Access::VOLATILE, Decoration::Volatile),
            (Access::RESTRICT, Decoration::Restrict),
            (Access::NON_READABLE, Decoration::NonReadable),
            (Access::NON_WRITEABLE, Decoration::NonWritable),
        ] {
            // In the Vulkan memory model these are properties of accesses.
            let of_accesses = Access::COHERENT | Access::VOLATILE;
            if access.contains(flag) && !(self.m.vulkan_memory_model && of_accesses.contains(flag)) {
                self.m.decorate(id, decoration, &[]);
            }
        }
    }

    /// Whether the value is an integer or has 64 bits: such inputs of fragment shaders are flat.
    fn must_be_flat(&self, ty: TypeId) -> bool {
        match &self.shader.types[self.shader.types.without_arrays(ty)] {
            Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
                !scalar.is_float() && *scalar != Scalar::Bool || scalar.bits() == 64
            }
            Type::Struct(s) => s.members.iter().any(|m| self.must_be_flat(m.ty)),
            Type::Array { .. } | Type::Image(_) | Type::Sampler => false,
        }
    }

    fn decorate_io(&mut self, id: u32, var: &Variable) -> Res<()> {
        use Decoration as D;
        let (stage, input) = (self.shader.stage, var.mode == Modes::IN);
        let Some(slot) = var.location else {
            return fail(INTERFACE, format!("the input or output `{}` has no location", var.name));
        };
        // gl_FragColor is the color of attachment 0; SPIR-V has no output that is written to all.
        let location = if slot == Slot::FRAG_COLOR { Some(0) } else { slot.as_generic().or(slot.as_patch()) };
        if let Some(location) = location {
            self.m.decorate(id, D::Location, &[location]);
            if var.component != 0 {
                self.m.decorate(id, D::Component, &[u32::from(var.component)]);
            }
            if var.index != 0 {
                self.m.decorate(id, D::Index, &[u32::from(var.index)]);
            }
        } else if slot == Slot::PRIMITIVE_INDICES {
            let built_in = match self.shader.info.output_primitive {
                Primitive::Points => BuiltIn::PrimitivePointIndicesEXT,
                Primitive::Lines => BuiltIn::PrimitiveLineIndicesEXT,
                _ => BuiltIn::PrimitiveTriangleIndicesEXT,
            };
            self.m.decorate_built_in(id, built_in);
        } else {
            if var.compact && self.shader.info.cull_distances > 0 {
                return fail(
                    INTERFACE,
                    "clip and cull distances in one array are not supported; omit `lower_clip_distance_arrays`",
                );
            }
            let built_in = built_ins::of_slot(self.m, slot, stage, input)?;
            self.m.decorate_built_in(id, built_in);
        }
        if !input && !self.m.captures.is_empty() {
            self.decorate_capture(id, var, slot)?;
        }
        // Vertex attributes and colours are not interpolated.
        let interpolated = !matches!((stage, input), (Stage::Vertex, true) | (Stage::Fragment, false));
        let flat = stage == Stage::Fragment && input && self.must_be_flat(var.ty);
        if interpolated {
            match var.interpolation {
                Interpolation::PerVertex => {
                    self.m.require(Capability::FragmentBarycentricKHR)?;
                    self.m.decorate(id, D::PerVertexKHR, &[]);
                }
                Interpolation::Flat => self.m.decorate(id, D::Flat, &[]),
                _ if flat => self.m.decorate(id, D::Flat, &[]),
                Interpolation::NoPerspective => self.m.decorate(id, D::NoPerspective, &[]),
                Interpolation::Smooth => {}
            }
            match var.sampling {
                Sampling::Center => {}
                Sampling::Centroid => self.m.decorate(id, D::Centroid, &[]),
                Sampling::Sample => {
                    self.m.require(Capability::SampleRateShading)?;
                    self.m.decorate(id, D::Sample, &[]);
                }
            }
        }
        let tessellation = matches!(stage, Stage::TessControl | Stage::TessEval);
        if var.patch && tessellation {
            self.m.decorate(id, D::Patch, &[]);
        }
        if var.per_primitive && slot != Slot::PRIMITIVE_INDICES {
            self.m.require(Capability::MeshShadingEXT)?;
            self.m.decorate(id, D::PerPrimitiveEXT, &[]);
        }
        if var.invariant {
            self.m.decorate(id, D::Invariant, &[]);
        }
        if stage == Stage::Geometry && !input && var.stream != 0 {
            self.m.require(Capability::GeometryStreams)?;
            self.m.decorate(id, D::Stream, &[u32::from(var.stream)]);
        }
        Ok(())
    }

    /// Transform feedback of an output: all of its words are captured, one after the other.
    fn decorate_capture(&mut self, id: u32, var: &Variable, slot: Slot) -> Res<()> {
        let types = &self.shader.types;
        let words = |ty: TypeId| types.size(ty) / 4;
        let (slots, component) = (types.num_slots(var.ty).max(1), u32::from(var.component));
        let within = |s: Slot| s >= slot && u32::from(s.0) < u32::from(slot.0) + slots;
        let whole = !matches!(types[var.ty], Type::Vector { .. });
        let end = component + words(var.ty);
        let mut own: SmallVec<[Capture; 4]> = self
            .m
            .captures
            .iter()
            .filter(|c| within(c.slot) && (whole || slots > 1 || (component..end).contains(&c.component)))
            .copied()
            .collect();
        own.sort_by_key(|c| (c.slot, c.component));
        let Some(&first) = own.first() else { return Ok(()) };
        let mut next = first.offset;
        for c in &own {
            if c.offset != next || c.buffer != first.buffer {
                return fail(INTERFACE, format!("the output `{}` is captured in parts", var.name));
            }
            next += c.components * 4;
        }
        if next - first.offset != words(var.ty) * 4 {
            return fail(INTERFACE, format!("only a part of the output `{}` is captured", var.name));
        }
        self.m.require(Capability::TransformFeedback)?;
        self.m.decorate(id, Decoration::XfbBuffer, &[first.buffer]);
        self.m.decorate(id, Decoration::XfbStride, &[first.stride]);
        self.m.decorate(id, Decoration::Offset, &[first.offset]);
        Ok(())
    }

    fn decorate_system_value(&mut self, id: u32, value: SystemValue) -> Res<()> {
        let stage = self.shader.stage;
        let built_in = built_ins::of_system_value(self.m, value, stage)?;
        self.m.decorate_built_in(id, built_in);
        let ty = value.ty();
        let integer = ty.bits == 32
            && value.load_op().info().result.is_some_and(|r| r.base != airfoil_ir::alu::Base::Float);
        if stage == Stage::Fragment && integer {
            self.m.decorate(id, Decoration::Flat, &[]);
        }
        Ok(())
    }

    /// The variable of a system value that an intrinsic loads, and the class of its value.
    pub fn system_value(&mut self, value: SystemValue) -> Res<(u32, Class)> {
        if let Some(&known) = self.system_values.get(&value) {
            return Ok(known);
        }
        // A variable of the shader is the only one with this decoration.
        let shader = self.shader;
        if let Some((key, var)) = shader.vars.iter().find(|(_, v)| v.system_value == Some(value)) {
            let class = match shader.types[var.ty] {
                Type::Vector { scalar, .. } => class_of(scalar),
                _ => Class::Uint,
            };
            let found = (self.var(key)?.id, class);
            self.system_values.insert(value, found);
            return Ok(found);
        }
        let base = value.load_op().info().result.map(|r| r.base);
        let class = match base {
            Some(airfoil_ir::alu::Base::Float) => Class::Float,
            Some(airfoil_ir::alu::Base::Bool) => Class::Bool,
            _ => Class::Uint,
        };
        let mut type_id = self.m.value_type(class, value.ty())?;
        if value == SystemValue::sample_mask_in {
            let one = self.m.uint(1)?;
            type_id = self.m.declare(Op::TypeArray, &[type_id, one], 0).0;
        }
        let pointer = self.m.pointer(StorageClass::Input, type_id);
        let id = self.m.id();
        push(&mut self.m.globals, Op::Variable, &[pointer, id, StorageClass::Input as u32]);
        self.decorate_system_value(id, value)?;
        self.interface.push(id);
        self.system_values.insert(value, (id, class));
        Ok((id, class))
    }

    /// Whether an intrinsic loads a system value.
    pub fn has_system_value(&self, value: SystemValue) -> bool {
        self.system_values.contains_key(&value)
    }

    /// The constant with the built-in WorkgroupSize, which replaces the execution mode LocalSize.
    pub fn workgroup_constant(&mut self) -> Res<u32> {
        if let Some(id) = self.workgroup_constant {
            return Ok(id);
        }
        let info = &self.shader.info;
        let size = info.workgroup_size.unwrap_or([1; 3]);
        let uint = self.m.scalar(Class::Uint, 32)?;
        let mut words: SmallVec<[u32; 5]> =
            SmallVec::from_slice(&[self.m.value_type(Class::Uint, Ty::new(3, 32))?, 0]);
        for (size, constant) in size.into_iter().zip(info.workgroup_constants) {
            let Some(spec) = constant else {
                words.push(self.m.uint(size)?);
                continue;
            };
            let part = self.m.id();
            push(&mut self.m.globals, Op::SpecConstant, &[uint, part, size]);
            self.m.decorate(part, Decoration::SpecId, &[spec]);
            words.push(part);
        }
        let id = self.m.id();
        words[1] = id;
        push(&mut self.m.globals, Op::SpecConstantComposite, &words);
        self.m.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        self.workgroup_constant = Some(id);
        Ok(id)
    }

    /// The constant of a specialisation constant that is open.
    pub fn spec_constant(&mut self, key: VarId) -> Res<u32> {
        if let Some(&id) = self.constants.get(key) {
            return Ok(id);
        }
        let var = &self.shader.vars[key];
        let Type::Vector { scalar, comps: 1 } = self.shader.types[var.ty] else {
            return fail(INTERFACE, format!("the specialization constant `{}` is not a scalar", var.name));
        };
        let type_id = self.m.scalar(class_of(scalar), scalar.bits())?;
        let raw = match &var.initializer {
            Some(Constant::Value(lanes)) => lanes[0],
            _ => 0,
        };
        let id = self.m.id();
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[type_id, id]);
        let op = match (scalar, raw & 1) {
            (Scalar::Bool, 1) => Op::SpecConstantTrue,
            (Scalar::Bool, _) => Op::SpecConstantFalse,
            _ => {
                words.extend(self.m.literal(class_of(scalar), scalar.bits(), raw));
                Op::SpecConstant
            }
        };
        push(&mut self.m.globals, op, &words);
        self.m.name(id, &var.name);
        if let Some(binding) = var.binding {
            self.m.decorate(id, Decoration::SpecId, &[binding]);
        }
        self.constants.insert(key, id);
        Ok(id)
    }
}
