//! The function's signature and its metadata: arguments in the order stage inputs, buffers, textures, samplers, built-ins; outputs
//! as members of the returned struct.

use super::bindings::{self, Bound};
use super::errors::{self, Errors};
use super::object::Object;
use super::options::Options;
use super::reflect::{Argument, ArgumentKind, InterfaceValue, Reflection};
use super::roles::{Elem, Role};
use super::scan::{Effects, Scan, Use, Way};
use super::types::{
    Class, Layouts, MemId, Shape, ValueTypes, scalar_type, struct_info, type_name, vector_name,
};
use crate::metallib::DataType;
use crate::module::{Attr, AttrKind, Md, Module, TypeId};
use airfoil_ir::{
    Access, Body, DepthLayout, Diagnostic, ImageType, Interpolation, Modes, Sampling, Scalar, Shader, Slot,
    Stage, Type, VarId,
};
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// No argument.
pub(super) const NO_ARG: u32 = u32::MAX;
/// Address space of device memory.
pub(super) const DEVICE: u32 = 1;
/// Address space of constant memory.
pub(super) const CONSTANT: u32 = 2;
/// Address space of threadgroup memory.
pub(super) const THREADGROUP: u32 = 3;

/// Where the value of an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputSource {
    /// An argument that holds the value.
    Arg(u32),
    /// An argument that holds an interpolant; whether with perspective.
    Pull(u32, bool),
    /// A built-in.
    Role(Role),
}

/// An input: some components of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputPiece {
    pub(super) slot: Slot,
    pub(super) component: u8,
    pub(super) comps: u8,
    pub(super) class: Class,
    pub(super) bits: u8,
    pub(super) source: InputSource,
}

/// An output: some components of a location, or all clip distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputPiece {
    pub(super) slot: Slot,
    pub(super) dual_source: u8,
    pub(super) component: u8,
    /// Components; elements of the array of clip distances.
    pub(super) comps: u8,
    pub(super) class: Class,
    pub(super) bits: u8,
    pub(super) ty: TypeId,
    /// The array of clip distances.
    pub(super) clip: bool,
}

/// A buffer argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferArg {
    /// First argument; arrays of blocks have one for each element.
    pub(super) arg: u32,
    pub(super) count: u32,
    /// Memory of one pointee.
    pub(super) mem: MemId,
    /// Bytes between pointees if the block is one run-time array; 0 otherwise.
    pub(super) stride: u32,
    /// Each pointee is in a struct with its padding.
    pub(super) wrapped: bool,
    pub(super) space: u32,
    /// Metal index.
    pub(super) index: u32,
}

/// A texture or sampler argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextureArg {
    pub(super) object: &'static Object,
    pub(super) arg: u32,
    pub(super) count: u32,
    /// Argument of the sampler of a combined one.
    pub(super) sampler: u32,
    /// Access: 0 sample, 1 read, 2 write, 3 read and write.
    pub(super) access: u32,
    /// Component type.
    pub(super) component: Scalar,
}

/// All arguments and outputs.
pub(super) struct Interface {
    pub(super) params: Vec<TypeId>,
    pub(super) attrs: Vec<SmallVec<[Attr; 6]>>,
    pub(super) input_nodes: Vec<Md>,
    pub(super) output_nodes: Vec<Md>,
    output_words: Vec<SmallVec<[Md; 24]>>,
    pub(super) ret: TypeId,
    pub(super) inputs: Vec<InputPiece>,
    pub(super) outputs: Vec<OutputPiece>,
    pub(super) buffers: SecondaryMap<VarId, BufferArg>,
    pub(super) push_constants: Option<BufferArg>,
    pub(super) default_uniforms: Option<BufferArg>,
    pub(super) buffer_sizes: u32,
    pub(super) textures: SecondaryMap<VarId, TextureArg>,
    /// Arguments of samplers without texture: first argument and number.
    pub(super) samplers: SecondaryMap<VarId, (u32, u32)>,
    pub(super) roles: [u32; Role::COUNT],
    pub(super) reflection: Reflection,
    pub(super) vertex_attributes: Vec<(String, u16, DataType)>,
    pub(super) layer: Option<DataType>,
}

/// A leaf of a declared input or output variable.
#[derive(Clone)]
struct Leaf {
    slot: Slot,
    component: u8,
    comps: u8,
    scalar: Scalar,
    index: u8,
    name: String,
    compact: bool,
}

/// Makes the interface.
pub(super) struct Maker<'a> {
    pub(super) m: &'a mut Module,
    pub(super) shader: &'a Shader,
    pub(super) body: &'a Body,
    pub(super) options: &'a Options,
    pub(super) scan: &'a Scan,
    pub(super) layouts: &'a mut Layouts,
    pub(super) values: &'a mut ValueTypes,
    pub(super) errors: &'a mut Errors,
    pub(super) out: Interface,
    pub(super) needs_sample: bool,
}

impl Interface {
    pub(super) fn new() -> Interface {
        Interface {
            params: Vec::with_capacity(16),
            attrs: Vec::with_capacity(16),
            input_nodes: Vec::with_capacity(16),
            output_nodes: Vec::new(),
            output_words: Vec::new(),
            ret: TypeId::VOID,
            inputs: Vec::new(),
            outputs: Vec::new(),
            buffers: SecondaryMap::new(),
            push_constants: None,
            default_uniforms: None,
            buffer_sizes: NO_ARG,
            textures: SecondaryMap::new(),
            samplers: SecondaryMap::new(),
            roles: [NO_ARG; Role::COUNT],
            reflection: Reflection::default(),
            vertex_attributes: Vec::new(),
            layer: None,
        }
    }
}

impl Maker<'_> {
    /// Makes everything. `bound` has the indices of resources.
    pub(super) fn run(mut self, bound: &Bound) -> Interface {
        match self.shader.stage {
            Stage::Vertex => self.vertex_inputs(),
            Stage::Fragment => self.fragment_inputs(),
            _ => {
                if let Some(read) = self.scan.inputs.first() {
                    let loc = self.body[read.instr].loc;
                    self.errors.at(self.shader, loc, errors::INTERFACE, "a kernel has no stage inputs");
                }
            }
        }
        self.buffers(bound);
        self.textures(bound);
        self.samplers(bound);
        self.roles();
        match self.shader.stage {
            Stage::Vertex => self.vertex_outputs(),
            Stage::Fragment => self.fragment_outputs(),
            _ => {}
        }
        self.returned();
        self.out
    }

    // ---- arguments ----

    /// Adds an argument; `words` come between its number and its type and name.
    fn arg(
        &mut self,
        ty: TypeId,
        attrs: SmallVec<[Attr; 6]>,
        words: &[Md],
        type_name: &str,
        name: &str,
    ) -> u32 {
        let number = self.out.params.len() as u32;
        let mut operands: SmallVec<[Md; 24]> = SmallVec::new();
        operands.push(self.m.md_i32(number as i32));
        operands.extend_from_slice(words);
        self.named(&mut operands, type_name, name);
        let node = self.m.md_node(&operands);
        self.out.input_nodes.push(node);
        self.out.params.push(ty);
        self.out.attrs.push(attrs);
        number
    }

    fn named(&mut self, operands: &mut SmallVec<[Md; 24]>, type_name: &str, name: &str) {
        for word in ["air.arg_type_name", type_name, "air.arg_name", name] {
            operands.push(self.m.md_str(word));
        }
    }

    fn words(&mut self, words: &[&str]) -> SmallVec<[Md; 24]> {
        words.iter().map(|w| self.m.md_str(w)).collect()
    }

    fn name(&self, name: &str, kind: &str, number: u32) -> String {
        if self.options.names && !name.is_empty() { name.to_owned() } else { format!("{kind}{number}") }
    }

    // ---- stage inputs and outputs ----

    /// The declared variables of a mode, taken apart into vectors, by slot and component.
    fn leaves(&self, mode: Modes) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        for v in self.shader.vars.values().filter(|v| v.mode == mode) {
            let Some(slot) = v.location else { continue };
            let at = leaves.len();
            let mut next = u32::from(slot.0);
            if v.compact {
                if let Type::Array { len, .. } = self.shader.types[v.ty] {
                    let comps = len.min(8) as u8;
                    leaves.push(Leaf {
                        slot,
                        component: 0,
                        comps,
                        scalar: Scalar::Float32,
                        index: 0,
                        name: v.name.to_string(),
                        compact: true,
                    });
                }
                continue;
            }
            self.flatten(v.ty, &v.name, &mut next, &mut leaves, 0);
            for leaf in &mut leaves[at..] {
                leaf.component = v.component;
                leaf.index = v.index;
            }
        }
        leaves.sort_by_key(|l| (l.slot, l.index, l.component));
        leaves
    }

    fn flatten(
        &self,
        ty: airfoil_ir::TypeId,
        name: &str,
        slot: &mut u32,
        leaves: &mut Vec<Leaf>,
        depth: u32,
    ) {
        // More slots than there are cannot be addressed anyway.
        if *slot > 255 || depth > 32 {
            return;
        }
        let mut push = |scalar: Scalar, comps: u8, name: String| {
            if let Ok(at) = u8::try_from(*slot) {
                leaves.push(Leaf {
                    slot: Slot(at),
                    component: 0,
                    comps,
                    scalar,
                    index: 0,
                    name,
                    compact: false,
                });
            }
            *slot += if scalar.bits() == 64 && comps > 2 { 2 } else { 1 };
        };
        match &self.shader.types[ty] {
            Type::Vector { scalar, comps } => push(*scalar, *comps, name.to_owned()),
            Type::Matrix { scalar, cols, rows, .. } => {
                for c in 0..*cols {
                    push(*scalar, *rows, format!("{name}_{c}"));
                }
            }
            Type::Array { elem, len, .. } => {
                for i in 0..(*len).min(256) {
                    self.flatten(*elem, &format!("{name}_{i}"), slot, leaves, depth + 1);
                }
            }
            Type::Struct(s) => {
                for member in &s.members {
                    let name = if name.is_empty() {
                        member.name.to_string()
                    } else {
                        format!("{name}_{}", member.name)
                    };
                    self.flatten(member.ty, &name, slot, leaves, depth + 1);
                }
            }
            Type::Image(_) | Type::Sampler => {}
        }
    }

    /// The slots that an access with a slot operand can reach.
    fn reach(&self, location: Slot, slots: u8, offset: airfoil_ir::InstrId) -> std::ops::Range<u32> {
        let first = u32::from(location.0);
        match self.body[offset].as_const() {
            Some(c) => {
                let at = first.saturating_add(c[0].min(255) as u32);
                at..at + 1
            }
            None => first..first + u32::from(slots),
        }
    }

    /// Type of an access, from its own word or from the width of the value.
    fn access_scalar(&self, ty: Scalar, instr: airfoil_ir::InstrId, value: airfoil_ir::InstrId) -> Scalar {
        if ty == Scalar::Bool {
            return Scalar::Uint32;
        }
        if ty != Scalar::Any {
            return ty;
        }
        let bits = self.body[value].ty.bits;
        let _ = instr;
        match self.scan.class(value, bits) {
            Class::Float => Scalar::float(bits),
            Class::Int => Scalar::int(bits, false),
        }
    }

    fn check_scalar(&mut self, scalar: Scalar, what: &str, instr: airfoil_ir::InstrId) -> bool {
        let bad = scalar.bits() == 64;
        if bad {
            let loc = self.body[instr].loc;
            let code = if scalar == Scalar::Float64 { errors::DOUBLE } else { errors::INTERFACE };
            self.errors.at(
                self.shader,
                loc,
                code,
                format!("{what} of 64-bit components is not possible in Metal"),
            );
        }
        !bad
    }

    fn vertex_inputs(&mut self) {
        let leaves = self.leaves(Modes::IN);
        // One argument a location, wide enough for all of its variables.
        let mut found: Vec<(u32, u8, Scalar, String)> = Vec::new();
        for i in 0..self.scan.inputs.len() {
            let read = self.scan.inputs[i];
            let offset = offset_operand(self.body, read.instr);
            let scalar = self.access_scalar(read.ty, read.instr, read.instr);
            if !self.check_scalar(scalar, "a vertex attribute", read.instr) {
                continue;
            }
            for slot in self.reach(read.location, read.slots, offset) {
                let Some(location) = Slot(slot.min(255) as u8).as_generic() else {
                    let loc = self.body[read.instr].loc;
                    let message = format!("vertex input `{}` has no attribute number", read.location);
                    self.errors.at(self.shader, loc, errors::INTERFACE, message);
                    continue;
                };
                let mut comps = read.component.saturating_add(read.comps).min(4);
                let (mut name, mut scalar) = (String::new(), scalar);
                for leaf in leaves.iter().filter(|l| u32::from(l.slot.0) == slot) {
                    comps = comps.max(leaf.component.saturating_add(leaf.comps).min(4));
                    if leaf.component == 0 || name.is_empty() {
                        name.clone_from(&leaf.name);
                        scalar = leaf.scalar;
                    }
                }
                match found.iter_mut().find(|f| f.0 == location) {
                    Some(f) => f.1 = f.1.max(comps),
                    None => found.push((location, comps, scalar, name)),
                }
            }
        }
        found.sort_by_key(|f| f.0);
        for (location, comps, scalar, name) in found {
            let (class, bits) = (Class::of(scalar), scalar.bits().max(8));
            let ty = self.values.get(self.m, class, bits, comps);
            let mut words = self.words(&["air.vertex_input", "air.location_index"]);
            words.extend([self.m.md_i32(location as i32), self.m.md_i32(1)]);
            let name = self.name(&name, "attribute", location);
            let type_name = vector_name(scalar, comps);
            let arg = self.arg(ty, SmallVec::new(), &words, type_name, &name);
            let slot = Slot(Slot::GENERIC + location as u8);
            self.out.inputs.push(InputPiece {
                slot,
                component: 0,
                comps,
                class,
                bits,
                source: InputSource::Arg(arg),
            });
            if let Some(data_type) = DataType::from_name(type_name) {
                self.out.vertex_attributes.push((name.clone(), location as u16, data_type));
            }
            self.reflect_input("vertex_input", Some(location), name, type_name);
        }
    }

    fn reflect_input(&mut self, role: &'static str, location: Option<u32>, name: String, type_name: &str) {
        let type_name = type_name.to_owned();
        self.out.reflection.inputs.push(InterfaceValue { location, role, name, type_name });
    }

    fn fragment_inputs(&mut self) {
        let leaves = self.leaves(Modes::IN);
        let mut found: Vec<(Leaf, Way)> = Vec::new();
        for i in 0..self.scan.inputs.len() {
            let read = self.scan.inputs[i];
            let offset = offset_operand(self.body, read.instr);
            let scalar = self.access_scalar(read.ty, read.instr, read.instr);
            if let Some(role) = fragment_role(read.location) {
                if !self.out.inputs.iter().any(|p| p.slot == read.location) {
                    self.out.inputs.push(InputPiece {
                        slot: read.location,
                        component: 0,
                        comps: role.info().comps,
                        class: if role.info().elem == Elem::Float { Class::Float } else { Class::Int },
                        bits: if role.info().elem == Elem::Bool { 1 } else { 32 },
                        source: InputSource::Role(role),
                    });
                }
                continue;
            }
            if !self.check_scalar(scalar, "a fragment input", read.instr) {
                continue;
            }
            let loc = self.body[read.instr].loc;
            for slot in self.reach(read.location, read.slots, offset) {
                let slot = Slot(slot.min(255) as u8);
                if matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1 | Slot::CULL_DIST0 | Slot::CULL_DIST1) {
                    let message = "a fragment function cannot read clip or cull distances";
                    self.errors.at(self.shader, loc, errors::INTERFACE, message);
                    continue;
                }
                let mut component = read.component;
                let end = read.component.saturating_add(read.comps).min(4);
                while component < end {
                    let leaf = leaves.iter().find(|l| {
                        l.slot == slot && (l.component..l.component + l.comps).contains(&component)
                    });
                    let leaf = leaf.cloned().unwrap_or_else(|| Leaf {
                        slot,
                        component,
                        comps: end - component,
                        scalar,
                        index: 0,
                        name: String::new(),
                        compact: false,
                    });
                    component = leaf.component + leaf.comps;
                    let same = |f: &&mut (Leaf, Way)| f.0.slot == slot && f.0.component == leaf.component;
                    match found.iter_mut().find(same) {
                        Some(f) => f.1 = join_ways(f.1, read.way),
                        None => found.push((leaf, read.way)),
                    }
                }
            }
        }
        found.sort_by_key(|(l, _)| (l.slot, l.component));
        if self.scan.roles[Role::Position as usize] != 0
            || self.out.inputs.iter().any(|p| p.source == InputSource::Role(Role::Position))
        {
            self.role(Role::Position, 4);
        }
        let pulls = found.iter().any(|f| matches!(f.1, Way::Pull(_)));
        let sampled = |r: &super::scan::InputUse| matches!(r.way, Way::At(_, Sampling::Sample));
        // An interpolant has to be told which sample runs.
        self.needs_sample = pulls && self.scan.inputs.iter().any(sampled);
        for (leaf, way) in found {
            self.fragment_input(leaf, way);
        }
    }

    fn fragment_input(&mut self, leaf: Leaf, way: Way) {
        let class = Class::of(leaf.scalar);
        let bits = leaf.scalar.bits().max(8);
        let key = varying_name(leaf.slot, leaf.component);
        let mut words = self.words(&["air.fragment_input", &key]);
        let way = if class == Class::Int { Way::Flat } else { way };
        let perspective = |i: Interpolation| match i {
            Interpolation::NoPerspective => "air.no_perspective",
            _ => "air.perspective",
        };
        let mut ty = self.values.get(self.m, class, bits, leaf.comps);
        let mut pull = None;
        match way {
            Way::Flat => words.push(self.m.md_str("air.flat")),
            Way::At(Interpolation::Flat, _) => words.push(self.m.md_str("air.flat")),
            Way::At(i, sampling) => {
                let place = match sampling {
                    Sampling::Center => "air.center",
                    Sampling::Centroid => "air.centroid",
                    Sampling::Sample => "air.sample",
                };
                words.extend([self.m.md_str(place), self.m.md_str(perspective(i))]);
            }
            Way::Pull(i) => {
                if self.options.target.air() < crate::target::AirVersion::new(2, 3) {
                    self.errors.push(
                        Diagnostic::error(
                            errors::TARGET,
                            format!(
                                "`{}` is interpolated at a computed place, which needs macOS 11",
                                leaf.name
                            ),
                        )
                        .help("--target macos11 or later"),
                    );
                }
                words.extend([self.m.md_str("air.interpolation_function"), self.m.md_str(perspective(i))]);
                let handle = self.m.opaque("struct._interpolant_t");
                ty = self.m.pointer(handle, DEVICE);
                pull = Some(i != Interpolation::NoPerspective);
            }
        }
        let location = leaf.slot.as_generic();
        let name = self.name(&leaf.name, "varying", location.unwrap_or(u32::from(leaf.slot.0)));
        let plain = vector_name(leaf.scalar, leaf.comps);
        let type_name = match pull {
            Some(true) => format!("interpolant<{plain}, interpolation::perspective>"),
            Some(false) => format!("interpolant<{plain}, interpolation::no_perspective>"),
            None => plain.to_owned(),
        };
        let arg = self.arg(ty, SmallVec::new(), &words, &type_name, &name);
        let source = match pull {
            Some(perspective) => InputSource::Pull(arg, perspective),
            None => InputSource::Arg(arg),
        };
        self.out.inputs.push(InputPiece {
            slot: leaf.slot,
            component: leaf.component,
            comps: leaf.comps,
            class,
            bits,
            source,
        });
        self.reflect_input("fragment_input", location, key, plain);
    }

    fn output(&mut self, piece: OutputPiece, words: &[Md], type_name: &str, name: &str, role: &'static str) {
        let mut operands: SmallVec<[Md; 24]> = words.iter().copied().collect();
        self.named(&mut operands, type_name, name);
        self.out.output_words.push(operands);
        self.out.outputs.push(piece);
        let location = piece.slot.as_generic();
        let name = match role {
            "vertex_output" => varying_name(piece.slot, piece.component),
            _ => name.to_owned(),
        };
        let type_name = type_name.to_owned();
        self.out.reflection.outputs.push(InterfaceValue { location, role, name, type_name });
    }

    fn piece(&mut self, slot: Slot, scalar: Scalar, comps: u8) -> OutputPiece {
        let (class, bits) = (Class::of(scalar), scalar.bits().max(8));
        let ty = self.values.get(self.m, class, bits, comps);
        OutputPiece { slot, dual_source: 0, component: 0, comps, class, bits, ty, clip: false }
    }

    fn vertex_outputs(&mut self) {
        let leaves = self.leaves(Modes::OUT);
        let mut stored: Vec<(Slot, u8, u8, Scalar)> = Vec::new();
        let (mut invariant, mut clip) = (false, 0u8);
        for i in 0..self.scan.outputs.len() {
            let write = self.scan.outputs[i];
            let offset = offset_operand(self.body, write.instr);
            let value = self.body[write.instr].as_intrinsic().map_or(write.instr, |x| x.src(0));
            let scalar = self.access_scalar(write.ty, write.instr, value);
            if !self.check_scalar(scalar, "a vertex output", write.instr) {
                continue;
            }
            invariant |= write.invariant && write.location == Slot::POSITION;
            for slot in self.reach(write.location, write.slots, offset) {
                let slot = Slot(slot.min(255) as u8);
                if matches!(slot, Slot::CLIP_DIST0 | Slot::CLIP_DIST1) {
                    let first = (slot.0 - Slot::CLIP_DIST0.0) * 4;
                    clip = clip.max((first + write.component + write.comps).min(8));
                    continue;
                }
                if !is_vertex_output(slot) {
                    let loc = self.body[write.instr].loc;
                    let message = format!("a vertex function in Metal has no output `{slot}`");
                    self.errors.at(self.shader, loc, errors::INTERFACE, message);
                    continue;
                }
                stored.push((slot, write.component, write.comps, scalar));
            }
        }
        let info = &self.shader.info;
        if clip > 0 && info.cull_distances > 0 {
            self.errors.push(
                Diagnostic::error(errors::INTERFACE, "Metal has no cull distances")
                    .help("run the pass that turns them into clip distances"),
            );
        }
        let is_stored = |slot: Slot| stored.iter().any(|s| s.0 == slot);
        if is_stored(Slot::POSITION) {
            let mut words = self.words(&["air.position"]);
            let declared = self
                .shader
                .vars
                .values()
                .any(|v| v.mode == Modes::OUT && v.location == Some(Slot::POSITION) && v.invariant);
            if invariant || declared {
                words.push(self.m.md_str("air.invariant"));
            }
            let piece = self.piece(Slot::POSITION, Scalar::Float32, 4);
            let name = leaves.iter().find(|l| l.slot == Slot::POSITION).map_or("", |l| l.name.as_str());
            let name = if self.options.names && !name.is_empty() { name } else { "position" };
            self.output(piece, &words, "float4", name, "position");
        }
        // Declared varyings are there even if nothing is stored: the fragment function may want them.
        let mut varyings: Vec<Leaf> = leaves.iter().filter(|l| is_varying(l.slot)).cloned().collect();
        for &(slot, component, comps, scalar) in stored.iter().filter(|s| is_varying(s.0)) {
            let inside =
                |l: &Leaf| l.slot == slot && (l.component..l.component + l.comps).contains(&component);
            if !varyings.iter().any(inside) {
                let name = String::new();
                varyings.push(Leaf { slot, component, comps, scalar, index: 0, name, compact: false });
            }
        }
        varyings.sort_by_key(|l| (l.slot, l.component));
        for leaf in varyings {
            if leaf.scalar.bits() == 64 || leaf.compact {
                continue;
            }
            let key = varying_name(leaf.slot, leaf.component);
            let words = self.words(&["air.vertex_output", &key]);
            let mut piece = self.piece(leaf.slot, leaf.scalar, leaf.comps);
            piece.component = leaf.component;
            let number = leaf.slot.as_generic().unwrap_or(u32::from(leaf.slot.0));
            let name = self.name(&leaf.name, "varying", number);
            self.output(piece, &words, vector_name(leaf.scalar, leaf.comps), &name, "vertex_output");
        }
        if is_stored(Slot::POINT_SIZE) {
            let words = self.words(&["air.point_size"]);
            let piece = self.piece(Slot::POINT_SIZE, Scalar::Float32, 1);
            self.output(piece, &words, "float", "point_size", "point_size");
        }
        if clip > 0 {
            let declared =
                leaves.iter().find(|l| l.slot == Slot::CLIP_DIST0 && l.compact).map_or(0, |l| l.comps);
            let comps = match info.clip_distances {
                0 => clip.max(declared),
                n => n.min(8),
            };
            let mut words = self.words(&["air.clip_distance", "air.clip_distance_array_size"]);
            words.push(self.m.md_i32(i32::from(comps)));
            let mut piece = self.piece(Slot::CLIP_DIST0, Scalar::Float32, 1);
            (piece.comps, piece.clip) = (comps, true);
            piece.ty = self.m.array(TypeId::FLOAT, u32::from(comps));
            self.output(piece, &words, "float", "clip_distance", "clip_distance");
        }
        for (slot, word, role) in [
            (Slot::LAYER, "air.render_target_array_index", "render_target_array_index"),
            (Slot::VIEWPORT, "air.viewport_array_index", "viewport_array_index"),
        ] {
            if is_stored(slot) {
                let words = self.words(&[word]);
                let piece = self.piece(slot, Scalar::Uint32, 1);
                self.output(piece, &words, "uint", role, role);
                if slot == Slot::LAYER {
                    self.out.layer = Some(DataType::UINT);
                }
            }
        }
    }

    fn fragment_outputs(&mut self) {
        let leaves = self.leaves(Modes::OUT);
        let mut colours: Vec<(u32, u8, u8, Scalar, String)> = Vec::new();
        let (mut depth, mut stencil, mut mask) = (false, false, false);
        for i in 0..self.scan.outputs.len() {
            let write = self.scan.outputs[i];
            let offset = offset_operand(self.body, write.instr);
            let value = self.body[write.instr].as_intrinsic().map_or(write.instr, |x| x.src(0));
            let scalar = self.access_scalar(write.ty, write.instr, value);
            if !self.check_scalar(scalar, "a fragment output", write.instr) {
                continue;
            }
            for slot in self.reach(write.location, write.slots, offset) {
                let slot = Slot(slot.min(255) as u8);
                let location = match slot {
                    Slot::DEPTH => {
                        depth = true;
                        continue;
                    }
                    Slot::STENCIL => {
                        stencil = true;
                        continue;
                    }
                    Slot::SAMPLE_MASK => {
                        mask = true;
                        continue;
                    }
                    Slot::FRAG_COLOR => 0,
                    slot => match slot.as_generic() {
                        Some(n) if n < 8 => n,
                        _ => {
                            let loc = self.body[write.instr].loc;
                            let message = format!("a fragment function in Metal has no output `{slot}`");
                            self.errors.at(self.shader, loc, errors::INTERFACE, message);
                            continue;
                        }
                    },
                };
                let mut comps = write.component.saturating_add(write.comps).min(4);
                let (mut name, mut scalar) = (String::new(), scalar);
                for leaf in leaves.iter().filter(|l| l.slot == slot && l.index == write.dual_source) {
                    comps = comps.max(leaf.component.saturating_add(leaf.comps).min(4));
                    if name.is_empty() {
                        name.clone_from(&leaf.name);
                        scalar = leaf.scalar;
                    }
                }
                match colours.iter_mut().find(|c| c.0 == location && c.1 == write.dual_source) {
                    Some(c) => c.2 = c.2.max(comps),
                    None => colours.push((location, write.dual_source, comps, scalar, name)),
                }
            }
        }
        colours.sort_by_key(|c| (c.0, c.1));
        for (location, source, comps, scalar, name) in colours {
            let mut words = self.words(&["air.render_target"]);
            words.push(self.m.md_i32(location as i32));
            if self.options.target.render_target_has_index() {
                words.push(self.m.md_i32(i32::from(source)));
            }
            let mut piece = self.piece(Slot(Slot::GENERIC + location as u8), scalar, comps);
            piece.dual_source = source;
            let name = self.name(&name, "color", location);
            self.output(piece, &words, vector_name(scalar, comps), &name, "render_target");
        }
        if depth {
            let qualifier = match self.shader.info.depth_layout {
                DepthLayout::Greater => "air.greater",
                DepthLayout::Less => "air.less",
                _ => "air.any",
            };
            let words = self.words(&["air.depth", "air.depth_qualifier", qualifier]);
            let piece = self.piece(Slot::DEPTH, Scalar::Float32, 1);
            self.output(piece, &words, "float", "depth", "depth");
        }
        if stencil {
            let words = self.words(&["air.stencil"]);
            let piece = self.piece(Slot::STENCIL, Scalar::Uint32, 1);
            self.output(piece, &words, "uint", "stencil", "stencil");
        }
        if mask {
            let words = self.words(&["air.sample_mask"]);
            let piece = self.piece(Slot::SAMPLE_MASK, Scalar::Uint32, 1);
            self.output(piece, &words, "uint", "sample_mask", "sample_mask");
        }
    }

    fn returned(&mut self) {
        let fields: SmallVec<[TypeId; 16]> = self.out.outputs.iter().map(|o| o.ty).collect();
        let mut words = std::mem::take(&mut self.out.output_words);
        // A function with one output returns the bare value, which has no name.
        if let ([ty], [only]) = (&*fields, &mut *words) {
            self.out.ret = *ty;
            only.truncate(only.len() - 2);
        } else if !fields.is_empty() {
            self.out.ret = self.m.structure(&fields, true);
        }
        for operands in words {
            let node = self.m.md_node(&operands);
            self.out.output_nodes.push(node);
        }
    }

    // ---- resources ----

    fn buffers(&mut self, bound: &Bound) {
        let mut list: Vec<(u32, Option<VarId>, ArgumentKind)> = Vec::new();
        for (id, v) in &self.shader.vars {
            if let Some(at) = bound.vars.get(id)
                && self.scan.vars.contains_key(id)
                && at.buffer != u32::MAX
            {
                let kind = match v.mode {
                    Modes::UBO => ArgumentKind::UniformBuffer,
                    _ => ArgumentKind::StorageBuffer,
                };
                list.push((at.buffer, Some(id), kind));
            }
        }
        if self.scan.has(Effects::PUSH_CONSTANTS) {
            let var = self.shader.vars.iter().find(|(_, v)| v.mode == Modes::PUSH_CONST).map(|(id, _)| id);
            match var {
                Some(_) => list.push((bound.push_constants, var, ArgumentKind::PushConstants)),
                None => self.errors.push(Diagnostic::error(
                    errors::RESOURCES,
                    "the shader reads push constants but declares none",
                )),
            }
        }
        if self.scan.has(Effects::UNIFORMS) {
            list.push((bound.default_uniforms, None, ArgumentKind::DefaultUniforms));
        }
        if self.scan.has(Effects::BUFFER_SIZES) {
            list.push((bound.buffer_sizes, None, ArgumentKind::BufferSizes));
        }
        list.sort_by_key(|l| l.0);
        let written = |id: VarId, s: &Scan| s.uses(id).contains(Use::WRITTEN);
        let storage: Vec<VarId> =
            list.iter().filter(|l| l.2 == ArgumentKind::StorageBuffer).filter_map(|l| l.1).collect();
        let any_written = storage.iter().any(|&id| written(id, self.scan));
        for (index, var, kind) in list {
            let Some(var) = var else {
                let name =
                    if kind == ArgumentKind::BufferSizes { "buffer_sizes" } else { "default_uniforms" };
                self.word_buffer(index, kind, name);
                continue;
            };
            let v = &self.shader.vars[var];
            let is_written = written(var, self.scan);
            let alone = storage.len() == 1 || (!is_written && !any_written);
            let no_alias = kind != ArgumentKind::StorageBuffer
                || alone
                || v.access.contains(Access::RESTRICT)
                || self.options.assume_no_alias;
            self.block(bound, index, var, kind, is_written, no_alias);
        }
    }

    /// A constant buffer of plain words.
    fn word_buffer(&mut self, index: u32, kind: ArgumentKind, name: &str) {
        let ty = self.m.pointer(TypeId::I32, CONSTANT);
        let mut words = self.words(&["air.buffer", "air.location_index"]);
        words.extend([self.m.md_i32(index as i32), self.m.md_i32(1), self.m.md_str("air.read")]);
        self.space_key(&mut words, CONSTANT);
        self.size_keys(&mut words, 4, 4);
        let no_alias = self.m.text_attr("air-buffer-no-alias", "");
        let attrs =
            smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY), no_alias];
        let arg = self.arg(ty, attrs, &words, "uint", name);
        if kind == ArgumentKind::BufferSizes {
            self.out.buffer_sizes = arg;
        } else {
            let mem = self.layouts.word(self.m);
            self.out.default_uniforms =
                Some(BufferArg { arg, count: 1, mem, stride: 4, wrapped: false, space: CONSTANT, index });
        }
        self.out.reflection.arguments.push(Argument {
            kind,
            set: None,
            binding: None,
            index,
            count: 1,
            name: name.to_owned(),
            type_name: "uint".to_owned(),
            size: 4,
            written: false,
        });
    }

    fn space_key(&mut self, words: &mut SmallVec<[Md; 24]>, space: u32) {
        if self.options.target.writes_address_space_key() {
            words.extend([self.m.md_str("air.address_space"), self.m.md_i32(space as i32)]);
        }
    }

    fn size_keys(&mut self, words: &mut SmallVec<[Md; 24]>, size: u32, align: u32) {
        words.extend([self.m.md_str("air.arg_type_size"), self.m.md_i32(size as i32)]);
        words.extend([self.m.md_str("air.arg_type_align_size"), self.m.md_i32(align as i32)]);
    }

    fn block(
        &mut self,
        bound: &Bound,
        index: u32,
        var: VarId,
        kind: ArgumentKind,
        written: bool,
        no_alias: bool,
    ) {
        let v = &self.shader.vars[var];
        let types = &self.shader.types;
        let block = types.without_arrays(v.ty);
        let mut pointee = block;
        let (mut stride, mut wrapped) = (0, false);
        // A block of nothing but a run-time array is the array itself, as a pointer argument is in Metal.
        let mut array = None;
        if let Type::Struct(s) = &types[block]
            && let [member] = &*s.members
            && member.offset.unwrap_or(0) == 0
            && let Type::Array { elem, len: 0, .. } = types[member.ty]
        {
            let id = self.layouts.explicit(self.m, types, member.ty);
            if let Shape::Array { elem: elem_mem, stride: bytes, wrapped: padded, .. } =
                self.layouts[id].shape
            {
                (pointee, stride, wrapped) = (elem, bytes, padded);
                array = Some(elem_mem);
            }
        }
        let mem = match array {
            Some(mem) => mem,
            None => self.layouts.explicit(self.m, types, block),
        };
        let (air, size, align) = {
            let mem = &self.layouts[mem];
            (mem.air, mem.size, mem.align)
        };
        let air = match stride > size {
            true => {
                let padding = self.m.array(TypeId::I8, stride - size);
                self.m.structure(&[air, padding], true)
            }
            false => air,
        };
        let size = size.max(stride);
        let space = if kind == ArgumentKind::StorageBuffer { DEVICE } else { CONSTANT };
        let ty = self.m.pointer(air, space);
        let reference = space == CONSTANT && stride == 0;
        let access = if written { "air.read_write" } else { "air.read" };
        let info = struct_info(self.m, self.layouts, types, pointee, mem);
        let name = self.name(&v.name, "buffer", index);
        let metal_type = type_name(types, pointee);
        let count = bound.vars.get(var).map_or(1, |i| i.count);
        let uses = self.scan.uses(var);
        let first = self.out.params.len() as u32;
        for element in 0..count {
            let mut words = self.words(&["air.buffer"]);
            if reference {
                words.extend([self.m.md_str("air.buffer_size"), self.m.md_i32(size as i32)]);
            }
            words.push(self.m.md_str("air.location_index"));
            words.extend([self.m.md_i32((index + element) as i32), self.m.md_i32(1), self.m.md_str(access)]);
            self.space_key(&mut words, space);
            if let Some(info) = info {
                words.extend([self.m.md_str("air.struct_type_info"), info]);
            }
            self.size_keys(&mut words, size, align);
            let mut attrs: SmallVec<[Attr; 6]> = smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE)];
            if !written {
                attrs.push(Attr::Flag(AttrKind::READ_ONLY));
            } else if !uses.contains(Use::READ) && self.options.target.has_modern_attributes() {
                attrs.push(Attr::Flag(AttrKind::WRITE_ONLY));
            }
            if reference {
                attrs.push(Attr::Int(AttrKind::ALIGN, u64::from(align)));
                attrs.push(Attr::Int(AttrKind::DEREFERENCEABLE, u64::from(size.max(1))));
            }
            if no_alias {
                attrs.push(self.m.text_attr("air-buffer-no-alias", ""));
            }
            let name = if count == 1 { name.clone() } else { format!("{name}_{element}") };
            self.arg(ty, attrs, &words, &metal_type, &name);
        }
        let arg = BufferArg { arg: first, count, mem, stride, wrapped, space, index };
        if kind == ArgumentKind::PushConstants {
            self.out.push_constants = Some(arg);
        } else {
            self.out.buffers.insert(var, arg);
        }
        self.out.reflection.arguments.push(Argument {
            kind,
            set: v.set,
            binding: v.binding,
            index,
            count,
            name,
            type_name: metal_type,
            size,
            written,
        });
    }

    fn textures(&mut self, bound: &Bound) {
        let mut list: Vec<(u32, VarId, ImageType)> = Vec::new();
        for (id, v) in &self.shader.vars {
            let Type::Image(image) = self.shader.types[self.shader.types.without_arrays(v.ty)] else {
                continue;
            };
            if let Some(at) = bound.vars.get(id)
                && self.scan.vars.contains_key(id)
                && at.texture != u32::MAX
            {
                list.push((at.texture, id, image));
            }
        }
        list.sort_by_key(|l| l.0);
        for (index, var, image) in list {
            self.texture(bound, index, var, image);
        }
    }

    fn texture(&mut self, bound: &Bound, index: u32, var: VarId, image: ImageType) {
        let v = &self.shader.vars[var];
        let uses = self.scan.uses(var);
        let depth = !image.storage && (image.shadow || uses.contains(Use::SHADOW));
        let Some(object) = Object::of(image.dim, image.arrayed, depth) else {
            let what = if depth { "depth texture" } else { "texture" };
            let layers = if image.arrayed { " with layers" } else { "" };
            self.errors.push(Diagnostic::error(
                errors::TEXTURE,
                format!(
                    "Metal has no {what} of shape {:?}{layers} for `{}`",
                    image.dim,
                    bindings::display_name(self.shader, var)
                ),
            ));
            return;
        };
        if image.sampled.bits() == 64 {
            self.errors.push(Diagnostic::error(
                errors::TEXTURE,
                format!(
                    "`{}` has 64-bit components, which no texture in Metal has",
                    bindings::display_name(self.shader, var)
                ),
            ));
        }
        let component = match image.sampled {
            Scalar::Any | Scalar::Float64 | Scalar::Bool => Scalar::Float32,
            _ if depth => Scalar::Float32,
            s => s,
        };
        let access: u32 = match (image.storage, uses.contains(Use::READ), uses.contains(Use::WRITTEN)) {
            (false, ..) if object.multisampled || object.is_buffer() => 1,
            (false, ..) => 0,
            (true, _, false) => 1,
            (true, false, true) => 2,
            (true, true, true) => 3,
        };
        let word = ["sample", "read", "write", "read_write"][access as usize];
        let key = ["air.sample", "air.read", "air.write", "air.read_write"][access as usize];
        let metal_type = format!("{}<{}, {word}>", object.metal, vector_name(component, 1));
        let handle = self.m.opaque(object.handle);
        let ty = self.m.pointer(handle, DEVICE);
        let count = bound.vars.get(var).map_or(1, |i| i.count);
        let name = self.name(&v.name, "texture", index);
        let first = self.out.params.len() as u32;
        for element in 0..count {
            let mut words = self.words(&["air.texture", "air.location_index"]);
            words.extend([self.m.md_i32((index + element) as i32), self.m.md_i32(1), self.m.md_str(key)]);
            let mut attrs: SmallVec<[Attr; 6]> = SmallVec::new();
            if access < 2 {
                attrs.push(Attr::Flag(AttrKind::NO_CAPTURE));
                attrs.push(Attr::Flag(AttrKind::READ_ONLY));
            }
            let name = if count == 1 { name.clone() } else { format!("{name}_{element}") };
            self.arg(ty, attrs, &words, &metal_type, &name);
        }
        let arg = TextureArg { object, arg: first, count, sampler: NO_ARG, access, component };
        self.out.textures.insert(var, arg);
        self.out.reflection.arguments.push(Argument {
            kind: if image.storage { ArgumentKind::Image } else { ArgumentKind::Texture },
            set: v.set,
            binding: v.binding,
            index,
            count,
            name,
            type_name: metal_type,
            size: 0,
            written: uses.contains(Use::WRITTEN),
        });
    }

    fn samplers(&mut self, bound: &Bound) {
        let mut list: Vec<(u32, VarId)> = Vec::new();
        for (id, _) in &self.shader.vars {
            if let Some(at) = bound.vars.get(id)
                && at.sampler != u32::MAX
                && self.scan.uses(id).contains(Use::SAMPLER)
            {
                list.push((at.sampler, id));
            }
        }
        list.sort_by_key(|l| l.0);
        for (index, var) in list {
            let v = &self.shader.vars[var];
            let handle = self.m.opaque("struct._sampler_t");
            let ty = self.m.pointer(handle, CONSTANT);
            let count = bound.vars.get(var).map_or(1, |i| i.count);
            let combined =
                !matches!(self.shader.types[self.shader.types.without_arrays(v.ty)], Type::Sampler);
            let mut name = self.name(&v.name, "sampler", index);
            if combined && self.options.names && !v.name.is_empty() {
                name.push_str("Sampler");
            }
            let first = self.out.params.len() as u32;
            for element in 0..count {
                let mut words = self.words(&["air.sampler", "air.location_index"]);
                words.extend([self.m.md_i32((index + element) as i32), self.m.md_i32(1)]);
                let attrs =
                    smallvec::smallvec![Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY)];
                let name = if count == 1 { name.clone() } else { format!("{name}_{element}") };
                self.arg(ty, attrs, &words, "sampler", &name);
            }
            match self.out.textures.get_mut(var) {
                Some(texture) => texture.sampler = first,
                None => {
                    self.out.samplers.insert(var, (first, count));
                }
            }
            self.out.reflection.arguments.push(Argument {
                kind: ArgumentKind::Sampler,
                set: v.set,
                binding: v.binding,
                index,
                count,
                name,
                type_name: "sampler".to_owned(),
                size: 0,
                written: false,
            });
        }
    }

    // ---- built-ins ----

    fn roles(&mut self) {
        let mut comps = self.scan.roles;
        for piece in &self.out.inputs {
            if let InputSource::Role(role) = piece.source {
                comps[role as usize] = role.info().comps;
            }
        }
        if self.needs_sample {
            comps[Role::SampleId as usize] = 1;
        }
        let fixed = self.shader.info.workgroup_size.iter().all(|&n| n != 0);
        for &role in Role::ALL {
            let wanted = comps[role as usize];
            let constant = role == Role::ThreadsPerGroup && fixed;
            if wanted != 0
                && !constant
                && self.out.roles[role as usize] == NO_ARG
                && role.info().stages.contains(&self.shader.stage)
            {
                self.role(role, wanted);
            }
        }
    }

    fn role(&mut self, role: Role, comps: u8) {
        let info = role.info();
        let mut words = self.words(&[info.word]);
        for word in info.extra {
            words.push(self.m.md_str(word));
        }
        if role == Role::SampleMaskIn && self.shader.info.post_depth_coverage {
            words.push(self.m.md_str("air.post_depth_coverage"));
        }
        let (scalar, ty) = match info.elem {
            Elem::Bool => (Scalar::Bool, TypeId::I1),
            Elem::Uint => (Scalar::Uint32, self.values.get(self.m, Class::Int, 32, comps)),
            Elem::Float => (Scalar::Float32, self.values.get(self.m, Class::Float, 32, comps)),
        };
        let arg = self.arg(ty, SmallVec::new(), &words, vector_name(scalar, comps), info.name);
        self.out.roles[role as usize] = arg;
        let _ = scalar_type(Class::Int, 32);
    }
}

/// The operand of an input or output access that counts slots.
pub(super) fn offset_operand(body: &Body, instr: airfoil_ir::InstrId) -> airfoil_ir::InstrId {
    match body[instr].as_intrinsic() {
        Some(i) => i.srcs().last().copied().unwrap_or(instr),
        None => instr,
    }
}

/// Name that both ends of a varying share.
fn varying_name(slot: Slot, component: u8) -> String {
    match (slot.as_generic(), component) {
        (Some(n), 0) => format!("user(locn{n})"),
        (Some(n), c) => format!("user(locn{n}_{c})"),
        (None, 0) => format!("user({slot})"),
        (None, c) => format!("user({slot}_{c})"),
    }
}

fn is_varying(slot: Slot) -> bool {
    slot.as_generic().is_some()
        || (Slot::COLOR0..=Slot::FOG).contains(&slot)
        || (Slot::TEX0..=Slot::TEX7).contains(&slot)
}

fn is_vertex_output(slot: Slot) -> bool {
    is_varying(slot) || matches!(slot, Slot::POSITION | Slot::POINT_SIZE | Slot::LAYER | Slot::VIEWPORT)
}

/// The built-in behind an input slot of a fragment function.
fn fragment_role(slot: Slot) -> Option<Role> {
    Some(match slot {
        Slot::POSITION => Role::Position,
        Slot::LAYER => Role::Layer,
        Slot::VIEWPORT => Role::Viewport,
        Slot::PRIMITIVE_ID => Role::PrimitiveId,
        Slot::FACE => Role::FrontFacing,
        Slot::POINT_COORD => Role::PointCoord,
        _ => return None,
    })
}

/// One argument for two ways of reading: the interpolant that serves both.
fn join_ways(a: Way, b: Way) -> Way {
    match (a, b) {
        _ if a == b => a,
        (Way::Flat, other) | (other, Way::Flat) => other,
        (Way::At(i, _) | Way::Pull(i), _) => Way::Pull(i),
    }
}
