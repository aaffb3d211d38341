//! Stage inputs: arguments with their metadata.

use super::SignatureBuilder;
use super::pieces::{InputPiece, InputSource};
use super::stage_io::{offset_operand, varying_name};
use crate::metallib::DataType;
use crate::select::debug::types::SourceType;
use crate::select::errors;
use crate::select::plan::builtin_args::{BuiltinArg, Elem};
use crate::select::plan::usage::{InputUse, InterpolationMode};
use crate::select::reflection::{InterfaceRole, InterfaceValue};
use crate::select::types::{Class, DEVICE, vector_name};
use airfoil_ir::{Diagnostic, Interpolation, Modes, Name, Sampling, Scalar, Slot, Stage, format_name};
use airfoil_passes::stages::interface::Leaf;
use smallvec::SmallVec;

impl SignatureBuilder<'_> {
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
        let mut found: Vec<(u32, u8, Scalar, Name)> = Vec::new();
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
                let (mut name, mut scalar) = (Name::default(), scalar);
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
            if role == InterfaceRole::StageIn {
                words.push(self.m.md_str("generated(__air_placeholder__)"));
            }
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
        name: Name,
        type_name: &'static str,
    ) {
        let type_name = Name::new_static(type_name);
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
                        name: Name::default(),
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
        // An interpolant needs the index of the sample that runs.
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
            Some(true) => format_name!("interpolant<{plain}, interpolation::perspective>"),
            Some(false) => format_name!("interpolant<{plain}, interpolation::no_perspective>"),
            None => Name::new_static(plain),
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
