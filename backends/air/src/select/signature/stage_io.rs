//! Stage inputs and outputs: arguments and returned values with their metadata.

use super::SignatureBuilder;
use super::pieces::{InputPiece, InputSource, OutputPiece};
use crate::metallib::DataType;
use crate::module::{Md, TypeId};
use crate::select::debug::types::SourceType;
use crate::select::errors;
use crate::select::plan::builtin_args::{BuiltinArg, Elem};
use crate::select::plan::usage::{InputUse, InterpolationMode};
use crate::select::reflection::{InterfaceRole, InterfaceValue};
use crate::select::types::{Class, DEVICE, vector_name};
use airfoil_ir::{Body, DepthLayout, Diagnostic, Interpolation, Modes, Sampling, Scalar, Slot, Stage};
use airfoil_passes::stages::interface::{self, Leaf, is_varying};
use smallvec::SmallVec;

impl SignatureBuilder<'_> {
    // ---- stage inputs and outputs ----

    /// The declared variables of a mode, taken apart into vectors, by slot and component.
    pub(crate) fn leaves(&self, mode: Modes) -> Vec<Leaf> {
        interface::leaves(self.shader, mode)
    }

    /// The slots that an access with a slot operand can reach.
    pub(crate) fn reach(
        &self,
        location: Slot,
        slots: u8,
        offset: airfoil_ir::InstrId,
    ) -> std::ops::Range<u32> {
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
    pub(crate) fn access_scalar(&self, ty: Scalar, value: airfoil_ir::InstrId) -> Scalar {
        if ty == Scalar::Bool {
            return Scalar::Uint32;
        }
        if ty != Scalar::Any {
            return ty;
        }
        let bits = self.body[value].ty.bits;
        match self.usage.class(value, bits) {
            Class::Float => Scalar::float(bits),
            Class::Int => Scalar::int(bits, false),
        }
    }

    pub(crate) fn check_scalar(&mut self, scalar: Scalar, what: &str, instr: airfoil_ir::InstrId) -> bool {
        let bad = scalar.bits() == 64;
        if bad {
            let loc = self.body[instr].loc;
            let code = if scalar == Scalar::Float64 { errors::DOUBLE } else { errors::INTERFACE };
            self.errors.at(
                self.shader,
                loc,
                code,
                format!("{what} of 64-bit components is not possible in Metal (lower_64bit_io makes pairs of them)"),
            );
        }
        !bad
    }

    /// A post-tessellation function has inputs in buffers only.
    pub(crate) fn patch_inputs(&mut self) {
        if let Some(read) = self.usage.inputs.first() {
            let place = errors::place(self.shader, self.body[read.instr].loc);
            let message = "a tessellation evaluation shader still reads inputs by slot";
            self.errors.push(
                Diagnostic::error(errors::INTERFACE, message)
                    .at(place)
                    .help("run tess_eval_inputs_from_buffers"),
            );
        }
    }

    /// Attributes of vertices; `word` is their name in the metadata, `role` in the reflection.
    pub(crate) fn vertex_inputs(&mut self, word: &str, role: InterfaceRole) {
        let leaves = self.leaves(Modes::IN);
        // One argument a location, wide enough for all of its variables.
        let mut found: Vec<(u32, u8, Scalar, String)> = Vec::new();
        for i in 0..self.usage.inputs.len() {
            let read = self.usage.inputs[i];
            let offset = offset_operand(self.body, read.instr);
            let scalar = self.access_scalar(read.ty, read.instr);
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
            let mut words = self.words(&[word, "air.location_index"]);
            words.extend([self.m.md_i32(location as i32), self.m.md_i32(1)]);
            let name = self.name(&name, "attribute", location);
            let type_name = vector_name(scalar, comps);
            let arg = self.arg(ty, SmallVec::new(), &words, type_name, &name);
            let slot = Slot(Slot::GENERIC + location as u8);
            // Others start in the middle of the argument.
            if self.keeps_sources()
                && let Some(leaf) = leaves.iter().find(|l| l.slot == slot && l.component == 0)
            {
                self.source(arg, || (leaf.name.clone(), SourceType::Value(leaf.scalar, leaf.comps)));
            }
            self.out.inputs.push(InputPiece {
                slot,
                component: 0,
                comps,
                class,
                bits,
                source: InputSource::Argument(arg),
            });
            // Container entries for inputs of kernels are undocumented.
            let listed = self.shader.stage == Stage::Vertex;
            if let Some(data_type) = DataType::from_name(type_name).filter(|_| listed) {
                self.out.vertex_attributes.push((name.clone(), location as u16, data_type));
            }
            self.reflect_input(role, Some(location), name, type_name);
        }
    }

    pub(crate) fn reflect_input(
        &mut self,
        role: InterfaceRole,
        location: Option<u32>,
        name: String,
        type_name: &str,
    ) {
        let type_name = type_name.to_owned();
        self.out.reflection.inputs.push(InterfaceValue { location, role, name, type_name });
    }

    pub(crate) fn fragment_inputs(&mut self) {
        let leaves = self.leaves(Modes::IN);
        let mut found: Vec<(Leaf, InterpolationMode)> = Vec::new();
        for i in 0..self.usage.inputs.len() {
            let read = self.usage.inputs[i];
            let offset = offset_operand(self.body, read.instr);
            let scalar = self.access_scalar(read.ty, read.instr);
            if let Some(builtin) = fragment_builtin(read.location) {
                if !self.out.inputs.iter().any(|p| p.slot == read.location) {
                    self.out.inputs.push(InputPiece {
                        slot: read.location,
                        component: 0,
                        comps: builtin.info().comps,
                        class: if builtin.info().elem == Elem::Float { Class::Float } else { Class::Int },
                        bits: if builtin.info().elem == Elem::Bool { 1 } else { 32 },
                        source: InputSource::BuiltinArg(builtin),
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
                    let message = "a fragment function cannot read clip or cull distances (clip_distances_from_varyings lowers them)";
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
                        per_primitive: false,
                    });
                    component = leaf.component + leaf.comps;
                    let same = |f: &&mut (Leaf, InterpolationMode)| {
                        f.0.slot == slot && f.0.component == leaf.component
                    };
                    match found.iter_mut().find(same) {
                        Some(f) => f.1 = merge_modes(f.1, read.mode),
                        None => found.push((leaf, read.mode)),
                    }
                }
            }
        }
        found.sort_by_key(|(l, _)| (l.slot, l.component));
        if self.usage.builtin_args[BuiltinArg::Position as usize] != 0
            || self.out.inputs.iter().any(|p| p.source == InputSource::BuiltinArg(BuiltinArg::Position))
        {
            self.builtin_argument(BuiltinArg::Position, 4);
        }
        let pulls = found.iter().any(|f| matches!(f.1, InterpolationMode::Pull(_)));
        let sampled = |r: &InputUse| matches!(r.mode, InterpolationMode::At(_, Sampling::Sample));
        // An interpolant has to be told which sample runs.
        self.needs_sample = pulls && self.usage.inputs.iter().any(sampled);
        for (leaf, mode) in found {
            self.fragment_input(leaf, mode);
        }
    }

    pub(crate) fn fragment_input(&mut self, leaf: Leaf, mode: InterpolationMode) {
        let class = Class::of(leaf.scalar);
        let bits = leaf.scalar.bits().max(8);
        let key = varying_name(leaf.slot, leaf.component);
        let mut words = self.words(&["air.fragment_input", &key]);
        let mode = if class == Class::Int { InterpolationMode::Flat } else { mode };
        let perspective = |i: Interpolation| match i {
            Interpolation::NoPerspective => "air.no_perspective",
            _ => "air.perspective",
        };
        let mut ty = self.values.get(self.m, class, bits, leaf.comps);
        let mut pull = None;
        match mode {
            InterpolationMode::Flat => words.push(self.m.md_str("air.flat")),
            InterpolationMode::At(Interpolation::Flat, _) => words.push(self.m.md_str("air.flat")),
            InterpolationMode::At(i, sampling) => {
                let place = match sampling {
                    Sampling::Center => "air.center",
                    Sampling::Centroid => "air.centroid",
                    Sampling::Sample => "air.sample",
                };
                words.extend([self.m.md_str(place), self.m.md_str(perspective(i))]);
            }
            InterpolationMode::Pull(i) => {
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
        self.source(arg, || {
            let ty = match pull {
                Some(_) => SourceType::Handle(type_name),
                None => SourceType::Value(leaf.scalar, leaf.comps),
            };
            (leaf.name.clone(), ty)
        });
        let source = match pull {
            Some(perspective) => InputSource::Interpolant { argument: arg, perspective },
            None => InputSource::Argument(arg),
        };
        self.out.inputs.push(InputPiece {
            slot: leaf.slot,
            component: leaf.component,
            comps: leaf.comps,
            class,
            bits,
            source,
        });
        self.reflect_input(InterfaceRole::FragmentInput, location, key, plain);
    }

    pub(crate) fn output(
        &mut self,
        piece: OutputPiece,
        words: &[Md],
        type_name: &str,
        name: &str,
        role: InterfaceRole,
    ) {
        let mut operands: SmallVec<[Md; 24]> = words.iter().copied().collect();
        self.named(&mut operands, type_name, name);
        self.out.output_words.push(operands);
        self.out.outputs.push(piece);
        let location = piece.slot.as_generic();
        let name = match role {
            InterfaceRole::VertexOutput => varying_name(piece.slot, piece.component),
            _ => name.to_owned(),
        };
        let type_name = type_name.to_owned();
        self.out.reflection.outputs.push(InterfaceValue { location, role, name, type_name });
    }

    pub(crate) fn piece(&mut self, slot: Slot, scalar: Scalar, comps: u8) -> OutputPiece {
        let (class, bits) = (Class::of(scalar), scalar.bits().max(8));
        let ty = self.values.get(self.m, class, bits, comps);
        OutputPiece { slot, dual_source: 0, component: 0, comps, class, bits, ty, clip: false }
    }

    pub(crate) fn vertex_outputs(&mut self) {
        let leaves = self.leaves(Modes::OUT);
        let mut stored: Vec<(Slot, u8, u8, Scalar)> = Vec::new();
        let (mut invariant, mut clip) = (false, 0u8);
        for i in 0..self.usage.outputs.len() {
            let write = self.usage.outputs[i];
            let offset = offset_operand(self.body, write.instr);
            let value = self.body[write.instr].as_intrinsic().map_or(write.instr, |x| x.src(0));
            let scalar = self.access_scalar(write.ty, value);
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
                    let pass = match slot {
                        Slot::CLIP_VERTEX => " (lower_clip_vertex makes clip distances of it)",
                        _ => "",
                    };
                    let message = format!("a vertex function in Metal has no output `{slot}`{pass}");
                    self.errors.at(self.shader, loc, errors::INTERFACE, message);
                    continue;
                }
                stored.push((slot, write.component, write.comps, scalar));
            }
        }
        let info = &self.shader.info;
        if clip > 0 && info.cull_distances > 0 {
            self.errors.push(Diagnostic::error(errors::INTERFACE, "Metal has no cull distances").help(
                "run cull_distances_to_varyings, and cull_distances_to_discard on the fragment shader",
            ));
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
            self.output(piece, &words, "float4", name, InterfaceRole::Position);
        }
        // Declared varyings are there even if nothing is stored: the fragment function may want them.
        let mut varyings: Vec<Leaf> = leaves.iter().filter(|l| is_varying(l.slot)).cloned().collect();
        for &(slot, component, comps, scalar) in stored.iter().filter(|s| is_varying(s.0)) {
            let inside =
                |l: &Leaf| l.slot == slot && (l.component..l.component + l.comps).contains(&component);
            if !varyings.iter().any(inside) {
                let name = String::new();
                varyings.push(Leaf {
                    slot,
                    component,
                    comps,
                    scalar,
                    index: 0,
                    name,
                    compact: false,
                    per_primitive: false,
                });
            }
        }
        varyings.sort_by_key(|l| (l.slot, l.component));
        for leaf in varyings {
            if leaf.compact {
                continue;
            }
            let key = varying_name(leaf.slot, leaf.component);
            let words = self.words(&["air.vertex_output", &key]);
            let mut piece = self.piece(leaf.slot, leaf.scalar, leaf.comps);
            piece.component = leaf.component;
            let number = leaf.slot.as_generic().unwrap_or(u32::from(leaf.slot.0));
            let name = self.name(&leaf.name, "varying", number);
            self.output(
                piece,
                &words,
                vector_name(leaf.scalar, leaf.comps),
                &name,
                InterfaceRole::VertexOutput,
            );
        }
        if is_stored(Slot::POINT_SIZE) {
            let words = self.words(&["air.point_size"]);
            let piece = self.piece(Slot::POINT_SIZE, Scalar::Float32, 1);
            self.output(piece, &words, "float", "point_size", InterfaceRole::PointSize);
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
            self.output(piece, &words, "float", "clip_distance", InterfaceRole::ClipDistance);
        }
        for (slot, word, role) in [
            (Slot::LAYER, "air.render_target_array_index", InterfaceRole::RenderTargetArrayIndex),
            (Slot::VIEWPORT, "air.viewport_array_index", InterfaceRole::ViewportArrayIndex),
        ] {
            if is_stored(slot) {
                let words = self.words(&[word]);
                let piece = self.piece(slot, Scalar::Uint32, 1);
                self.output(piece, &words, "uint", role.name(), role);
                if slot == Slot::LAYER {
                    self.out.layer = Some(DataType::UINT);
                }
            }
        }
    }

    pub(crate) fn fragment_outputs(&mut self) {
        let leaves = self.leaves(Modes::OUT);
        let mut colours: Vec<(u32, u8, u8, Scalar, String)> = Vec::new();
        let (mut depth, mut stencil, mut mask) = (false, false, false);
        for i in 0..self.usage.outputs.len() {
            let write = self.usage.outputs[i];
            let offset = offset_operand(self.body, write.instr);
            let value = self.body[write.instr].as_intrinsic().map_or(write.instr, |x| x.src(0));
            let scalar = self.access_scalar(write.ty, value);
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
            self.output(piece, &words, vector_name(scalar, comps), &name, InterfaceRole::RenderTarget);
        }
        if depth {
            let qualifier = match self.shader.info.depth_layout {
                DepthLayout::Greater => "air.greater",
                DepthLayout::Less => "air.less",
                _ => "air.any",
            };
            let words = self.words(&["air.depth", "air.depth_qualifier", qualifier]);
            let piece = self.piece(Slot::DEPTH, Scalar::Float32, 1);
            self.output(piece, &words, "float", "depth", InterfaceRole::Depth);
        }
        if stencil {
            let words = self.words(&["air.stencil"]);
            let piece = self.piece(Slot::STENCIL, Scalar::Uint32, 1);
            self.output(piece, &words, "uint", "stencil", InterfaceRole::Stencil);
        }
        if mask {
            let words = self.words(&["air.sample_mask"]);
            let piece = self.piece(Slot::SAMPLE_MASK, Scalar::Uint32, 1);
            self.output(piece, &words, "uint", "sample_mask", InterfaceRole::SampleMask);
        }
    }

    pub(crate) fn returned(&mut self) {
        let fields: SmallVec<[TypeId; 16]> = self.out.outputs.iter().map(|o| o.ty).collect();
        let mut words = std::mem::take(&mut self.out.output_words);
        // A function with one output returns the bare value, which has no name.
        if let ([ty], [only]) = (&*fields, &mut *words) {
            self.out.ret = Some(*ty);
            only.truncate(only.len() - 2);
        } else if !fields.is_empty() {
            self.out.ret = Some(self.m.structure(&fields, true));
        }
        for operands in words {
            let node = self.m.md_node(&operands);
            self.out.output_nodes.push(node);
        }
    }
}

/// The operand of an input or output access that counts slots.
pub(crate) fn offset_operand(body: &Body, instr: airfoil_ir::InstrId) -> airfoil_ir::InstrId {
    match body[instr].as_intrinsic() {
        Some(i) => i.srcs().last().copied().unwrap_or(instr),
        None => instr,
    }
}

/// Name that both ends of a varying share.
pub(crate) fn varying_name(slot: Slot, component: u8) -> String {
    match (slot.as_generic(), component) {
        (Some(n), 0) => format!("user(locn{n})"),
        (Some(n), c) => format!("user(locn{n}_{c})"),
        (None, 0) => format!("user({slot})"),
        (None, c) => format!("user({slot}_{c})"),
    }
}

fn is_vertex_output(slot: Slot) -> bool {
    is_varying(slot) || matches!(slot, Slot::POSITION | Slot::POINT_SIZE | Slot::LAYER | Slot::VIEWPORT)
}

/// The built-in argument of an input slot of a fragment function.
fn fragment_builtin(slot: Slot) -> Option<BuiltinArg> {
    Some(match slot {
        Slot::POSITION => BuiltinArg::Position,
        Slot::LAYER => BuiltinArg::Layer,
        Slot::VIEWPORT => BuiltinArg::Viewport,
        Slot::PRIMITIVE_ID => BuiltinArg::PrimitiveId,
        Slot::FACE => BuiltinArg::FrontFacing,
        Slot::POINT_COORD => BuiltinArg::PointCoord,
        _ => return None,
    })
}

/// One argument for two ways of reading: the interpolant that serves both.
fn merge_modes(a: InterpolationMode, b: InterpolationMode) -> InterpolationMode {
    match (a, b) {
        _ if a == b => a,
        (InterpolationMode::Flat, other) | (other, InterpolationMode::Flat) => other,
        (InterpolationMode::At(i, _) | InterpolationMode::Pull(i), _) => InterpolationMode::Pull(i),
    }
}
