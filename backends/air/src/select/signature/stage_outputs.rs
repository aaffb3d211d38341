//! Stage outputs: returned values with their metadata.

use super::SignatureBuilder;
use super::pieces::OutputPiece;
use super::stage_io::{offset_operand, varying_name};
use crate::metallib::DataType;
use crate::module::{Md, TypeId};
use crate::select::errors;
use crate::select::reflection::{InterfaceRole, InterfaceValue};
use crate::select::types::{Class, vector_name};
use airfoil_ir::{DepthLayout, Diagnostic, Modes, Name, Scalar, Slot};
use airfoil_passes::stages::interface::{Leaf, is_varying};
use smallvec::SmallVec;

impl SignatureBuilder<'_> {
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
            _ => name.into(),
        };
        let type_name = type_name.into();
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
        // Declared varyings exist even if nothing is stored: the fragment function may read them.
        let declared_clip =
            leaves.iter().find(|l| l.slot == Slot::CLIP_DIST0 && l.compact).map_or(0, |l| l.comps);
        let mut varyings = leaves;
        varyings.retain(|l| is_varying(l.slot));
        for &(slot, component, comps, scalar) in stored.iter().filter(|s| is_varying(s.0)) {
            let inside =
                |l: &Leaf| l.slot == slot && (l.component..l.component + l.comps).contains(&component);
            if !varyings.iter().any(inside) {
                let name = Name::default();
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
            let comps = match info.clip_distances {
                0 => clip.max(declared_clip),
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
        let mut colours: Vec<(u32, u8, u8, Scalar, Name)> = Vec::new();
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
                let (mut name, mut scalar) = (Name::default(), scalar);
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

fn is_vertex_output(slot: Slot) -> bool {
    is_varying(slot) || matches!(slot, Slot::POSITION | Slot::POINT_SIZE | Slot::LAYER | Slot::VIEWPORT)
}
