//! Vertices and fragments with inputs and outputs by slot, as the interpreter's programs have them.
//!
//! Values between stages are named `user(locnN)` or `user(locnN_C)` by the numbers of location and component, or
//! `user(NAME)` by the slot, as instruction selection names them.

use super::bind::Bindings;
use super::compile::Function;
use super::run::Invocation;
use crate::Config;
use crate::entry::{Argument, Output, Place, Role, Way};
use crate::library::PullAt;
use airfoil_interp::run::{Fragment, FragmentBatch, FragmentOutput, Quad, Vertex};
use airfoil_interp::{Resources, System, Values};
use airfoil_ir::{Slot, SystemValue};

/// Slot and first component of a name.
pub(super) fn slot_of(name: &str) -> Option<(Slot, u32)> {
    let name = name.strip_prefix("user(")?.strip_suffix(')')?;
    if let Some(slot) = Slot::from_name(name) {
        return Some((slot, 0));
    }
    let (name, component) = match name.rsplit_once('_') {
        Some((name, c)) => (name, c.parse().ok()?),
        None => (name, 0),
    };
    let slot = match name.strip_prefix("locn") {
        Some(n) => Slot::generic(n.parse().ok()?)?,
        None => Slot::from_name(name)?,
    };
    Some((slot, component))
}

/// A system value of an invocation, or of all.
pub(super) fn system(own: &System, common: &System, value: SystemValue) -> Option<u64> {
    own.get(value).or_else(|| common.get(value)).map(|v| v[0])
}

pub(super) fn vertex_input(vertex: &Vertex, common: &System, argument: &Argument, out: &mut [u64]) {
    use SystemValue as S;
    match &argument.role {
        Role::Attribute(n) => {
            let Some(slot) = Slot::generic(*n) else { return };
            for (c, word) in (0..).zip(out) {
                *word = vertex.inputs.get(slot, c).map_or(0, u64::from);
            }
        }
        Role::BuiltIn { name, .. } => {
            let get = |v| system(&vertex.system, common, v);
            let base_vertex = get(S::base_vertex).unwrap_or(0);
            let base_instance = get(S::base_instance).unwrap_or(0);
            // Metal's indices include the bases.
            let value = match name.as_str() {
                "vertex_id" => get(S::vertex_id)
                    .or_else(|| get(S::vertex_id_zero_base).map(|n| n.wrapping_add(base_vertex))),
                "instance_id" => get(S::instance_index)
                    .or_else(|| get(S::instance_id).map(|n| n.wrapping_add(base_instance))),
                "base_vertex" => Some(base_vertex),
                "base_instance" => Some(base_instance),
                _ => None,
            };
            out[0] = value.unwrap_or(0);
        }
        _ => {}
    }
}

/// Puts the results of an invocation into slots.
pub(super) fn outputs(declared: &[Output], invocation: &Invocation) -> Values {
    let mut values = Values::new();
    for (output, bits) in declared.iter().zip(&invocation.outputs) {
        let mut put = |slot: Slot, first: u32, source: u8| {
            for (c, &word) in (first..).zip(bits) {
                let slot = slot.offset(c / 4).unwrap_or(slot);
                values.set_of_source(slot, source, c % 4, word as u32);
            }
        };
        match output.kind.as_str() {
            "position" => put(Slot::POSITION, 0, 0),
            "point_size" => put(Slot::POINT_SIZE, 0, 0),
            "clip_distance" => put(Slot::CLIP_DIST0, 0, 0),
            "render_target_array_index" => put(Slot::LAYER, 0, 0),
            "viewport_array_index" => put(Slot::VIEWPORT, 0, 0),
            "depth" => put(Slot::DEPTH, 0, 0),
            "stencil" => put(Slot::STENCIL, 0, 0),
            "sample_mask" => put(Slot::SAMPLE_MASK, 0, 0),
            _ => {
                if let Some((slot, first)) = output.varying.as_deref().and_then(slot_of) {
                    put(slot, first, 0);
                } else if let Some((attachment, source)) = output.target
                    && let Some(slot) = Slot::generic(attachment)
                {
                    put(slot, 0, source as u8);
                }
            }
        }
    }
    values
}

/// An invocation of a quad.
struct Shaded<'q, 'p> {
    quad: &'q Quad<'p>,
    k: usize,
    samples: &'q [[f32; 2]],
}

impl Shaded<'_, '_> {
    fn fragment(&self) -> &Fragment {
        &self.quad.fragments[self.k]
    }

    /// The upper left (or lower left) corner of the pixel.
    fn corner(&self) -> [f64; 2] {
        [self.quad.pixel[0] as f64 + (self.k & 1) as f64, self.quad.pixel[1] as f64 + (self.k >> 1) as f64]
    }

    fn sample(&self, n: Option<u32>) -> [f64; 2] {
        let at = n.and_then(|n| self.samples.get(n as usize)).copied().unwrap_or([0.5, 0.5]);
        at.map(f64::from)
    }

    /// Barycentric coordinates of a position in the pixel.
    fn weights(&self, offset: [f64; 2], perspective: bool) -> [f64; 2] {
        let [x, y] = self.corner();
        self.quad.primitive.weights([x + offset[0], y + offset[1]], perspective)
    }

    fn place(&self, place: Place) -> [f64; 2] {
        match place {
            Place::Center => [0.5; 2],
            Place::Centroid => self.fragment().centroid.map(|c| 0.5 + f64::from(c)),
            Place::Sample => self.sample(self.fragment().sample),
        }
    }

    fn varying(&self, name: &str, way: Way, bits: u32, out: &mut [u64]) {
        let Some((slot, first)) = slot_of(name) else { return };
        let primitive = self.quad.primitive;
        let weights = match way {
            Way::At { place, perspective } => Some(self.weights(self.place(place), perspective)),
            _ => None,
        };
        for (c, word) in (first..).zip(out) {
            let between = weights.and_then(|w| primitive.interpolated(slot, c, bits, w));
            *word = between.or_else(|| primitive.flat(slot, c, bits)).unwrap_or(0);
        }
    }

    /// A component of an interpolant.
    fn pull(&self, name: &str, at: PullAt, perspective: bool, component: usize, bits: u32) -> u64 {
        let Some((slot, first)) = slot_of(name) else { return 0 };
        let component = first + component as u32;
        let primitive = self.quad.primitive;
        let offset = match at {
            PullAt::Center => [0.5; 2],
            PullAt::Centroid => self.place(Place::Centroid),
            PullAt::Sample(n) => self.sample(Some(n)),
            PullAt::Offset(offset) => offset,
            PullAt::Vertex(n) => {
                let word = primitive.vertices.get(n).and_then(|v| v.get(slot, component));
                return word.map_or(0, u64::from);
            }
        };
        let weights = self.weights(offset, perspective);
        primitive.interpolated(slot, component, bits, weights).unwrap_or(0)
    }

    /// The colour of an attachment before the fragment.
    fn color(&self, attachment: u32, out: &mut [u64]) {
        let of_attachment = |slot: Slot| {
            slot.as_generic() == Some(attachment) || (attachment == 0 && slot == Slot::FRAG_COLOR)
        };
        let Some(found) = self.fragment().colors.iter().find(|c| of_attachment(c.slot)) else { return };
        out.iter_mut().zip(found.color).for_each(|(o, word)| *o = word.into());
    }

    fn built_in(&self, name: &str, perspective: bool, common: &System, out: &mut [u64]) {
        use SystemValue as S;
        let fragment = self.fragment();
        let get = |v: S| {
            let own = fragment.system.get(v).or_else(|| common.get(v));
            own.or_else(|| self.quad.primitive.system.get(v)).unwrap_or([0; 4])
        };
        let one = |n: u64| [n, 0, 0, 0];
        let value = match name {
            "position" => fragment.coord.map(|x| u64::from(x.to_bits())),
            "front_facing" => get(S::front_face),
            "point_coord" => get(S::point_coord),
            "primitive_id" => get(S::primitive_id),
            "render_target_array_index" => get(S::layer_id),
            "viewport_array_index" => get(S::viewport_id),
            "sample_id" => one(u64::from(fragment.sample.unwrap_or(0))),
            "sample_mask_in" => one(u64::from(fragment.coverage)),
            "barycentric_coord" => {
                let [b, c] = self.weights([0.5; 2], perspective);
                let [a, b, c] = [1.0 - b - c, b, c].map(|w| u64::from((w as f32).to_bits()));
                [a, b, c, 0]
            }
            _ => [0; 4],
        };
        out.iter_mut().zip(value).for_each(|(o, v)| *o = v);
    }
}

impl Function {
    pub(super) fn is(&self, stage: &str) -> Result<(), String> {
        let entry = self.entry();
        if entry.stage == stage { Ok(()) } else { Err(format!("`{}` is not a {stage} function", entry.name)) }
    }

    /// Shades vertices: attributes at numbered slots, outputs by slot.
    ///
    /// # Errors
    /// Arguments that nothing fitting is bound to.
    pub fn vertices(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        common: &System,
        vertices: &[Vertex],
        config: &Config,
    ) -> Result<Vec<Values>, String> {
        self.is("vertex")?;
        self.bound(resources, bindings, config, |running| {
            let mut out = Vec::with_capacity(vertices.len());
            for vertices in vertices.chunks(config.simd_size.clamp(1, 64) as usize) {
                let inputs = |lane: usize, _: usize, argument: &Argument, value: &mut [u64]| {
                    vertex_input(&vertices[lane], common, argument, value);
                };
                let done = running.invoke(vertices.len(), |_| false, &inputs, None)?;
                out.extend(done.iter().map(|i| outputs(&self.entry().outputs, i)));
            }
            Ok(out)
        })
    }

    /// Shades quads; returns the outcome of the four fragments of each.
    ///
    /// # Errors
    /// Arguments that nothing fitting is bound to; with [`Config::strict`], divergent derivatives.
    pub fn fragments(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        batch: &FragmentBatch<'_>,
        config: &Config,
    ) -> Result<Vec<[FragmentOutput; 4]>, String> {
        self.is("fragment")?;
        let lanes = config.simd_size.clamp(1, 64).next_multiple_of(4) as usize;
        let arguments = &self.entry().arguments;
        self.bound(resources, bindings, config, |running| {
            running.world.sample_positions = batch.sample_positions.to_vec();
            let mut out = Vec::with_capacity(batch.quads.len());
            for quads in batch.quads.chunks(lanes / 4) {
                let shaded = |lane: usize| Shaded {
                    quad: &quads[lane / 4],
                    k: lane % 4,
                    samples: batch.sample_positions,
                };
                let inputs = |lane: usize, n: usize, argument: &Argument, value: &mut [u64]| {
                    let own = shaded(lane);
                    match &argument.role {
                        Role::Varying { way: Way::Pull, .. } => value[0] = n as u64 + 1,
                        Role::Varying { name, way } => {
                            own.varying(name, *way, argument.shape.scalar.bits(), value);
                        }
                        Role::Color(target) => {
                            own.color(*target, value);
                        }
                        Role::BuiltIn { name, .. } if name == "thread_index_in_simdgroup" => {
                            value[0] = lane as u64;
                        }
                        Role::BuiltIn { name, .. } if name == "threads_per_simdgroup" => {
                            value[0] = lanes as u64;
                        }
                        Role::BuiltIn { name, perspective } => {
                            own.built_in(name, *perspective, &batch.system, value);
                        }
                        _ => {}
                    }
                };
                let pull = |lane: usize, handle: u64, at, perspective, component, bits| {
                    let argument = (handle as usize).checked_sub(1).and_then(|n| arguments.get(n));
                    match argument.map(|a| &a.role) {
                        Some(Role::Varying { name, .. }) => {
                            shaded(lane).pull(name, at, perspective, component, bits)
                        }
                        _ => 0,
                    }
                };
                let helper = |lane: usize| quads[lane / 4].fragments[lane % 4].helper;
                let done = running.invoke(quads.len() * 4, helper, &inputs, Some(&pull))?;
                for four in done.chunks_exact(4) {
                    out.push(std::array::from_fn(|k| FragmentOutput {
                        outputs: outputs(&self.entry().outputs, &four[k]),
                        discarded: four[k].discarded,
                    }));
                }
            }
            Ok(out)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_names() {
        assert_eq!(slot_of("user(locn3)"), Some((Slot(Slot::GENERIC + 3), 0)));
        assert_eq!(slot_of("user(locn12_2)"), Some((Slot(Slot::GENERIC + 12), 2)));
        assert_eq!(slot_of("user(color0)"), Some((Slot::COLOR0, 0)));
        assert_eq!(slot_of("user(tex1_1)"), Some((Slot::TEX1, 1)));
        assert_eq!(slot_of("generated(2uvDv2_f)"), None);
    }
}
