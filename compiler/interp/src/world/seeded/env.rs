//! Inputs, system values and numbers derived from a seed: mostly small, with corner values in between.

use crate::hash::{mix, unit};
use crate::world::location::Location;
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Interpolation, Lanes, Scalar, Shader, Slot, Stage, SystemValue, bit_mask};

/// The source of seeded values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env {
    pub(crate) seed: u64,
    pub(crate) lanes: usize,
    pub(crate) stage: Stage,
    pub(crate) workgroup: [u32; 3],
    /// Position of each invocation in the workgroup.
    local: [[u32; 3]; 16],
    /// Distances that a compact array at `clip_dist0` holds before the cull distances.
    clip: u32,
}

impl Env {
    pub(crate) fn new(shader: &Shader, seed: u64, lanes: u32) -> Env {
        let workgroup = shader.info.workgroup_size.unwrap_or([4; 3]);
        let size = workgroup.iter().fold(1u32, |a, &n| a.saturating_mul(n));
        let lanes = lanes.clamp(1, 16);
        let lanes = match shader.stage {
            Stage::Compute | Stage::Task | Stage::Mesh => lanes.min(size),
            Stage::TessControl => lanes.min(shader.info.patch_vertices_out.max(1)),
            _ => lanes,
        };
        let clip = u32::from(shader.info.clip_distances);
        let lowered = clip != 0 || shader.info.cull_distances != 0;
        let clip = if lowered { clip } else { u32::MAX };
        let local = std::array::from_fn(|n| shader.info.local_invocation(workgroup, n as u32));
        Env { seed, lanes: lanes as usize, stage: shader.stage, workgroup, local, clip }
    }

    /// Invocations that start as helpers: the last of the quad with every other seed.
    pub(crate) fn helpers(&self) -> u64 {
        let helper = self.stage == Stage::Fragment && self.lanes >= 4 && self.seed % 2 == 1;
        if helper { 0b1000 } else { 0 }
    }

    /// A number of a type.
    pub(crate) fn number(&self, key: u64, scalar: Scalar) -> u64 {
        if scalar == Scalar::Bool {
            return u64::from(self.number(key, Scalar::Uint32) != 0);
        }
        let h = mix(self.seed, key);
        let bits = u32::from(if scalar == Scalar::Any { 32 } else { scalar.bits() });
        let corner = h.is_multiple_of(61);
        let pick = (h >> 32) % 8;
        if scalar.is_float() {
            let x = match pick {
                _ if !corner => ((h >> 8) % 2001) as f64 / 250.0 - 4.0,
                0 => 0.0,
                1 => -0.0,
                2 => 1.0,
                3 => -1.0,
                4 => 1000.0,
                5 => 1e-4,
                6 if self.seed % 4 == 3 => f64::INFINITY,
                7 if self.seed % 4 == 3 => f64::NAN,
                _ => 0.5,
            };
            return f64_to_bits(x, bits);
        }
        let small = (h >> 8) % 12;
        let n = match pick {
            _ if !corner => small.wrapping_sub(if scalar.is_signed() { 3 } else { 0 }),
            0 if self.seed % 4 == 2 => u64::MAX,
            1 if self.seed % 4 == 2 => 1 << (bits - 1),
            2 if self.seed % 4 == 2 => bit_mask(bits - 1),
            3 => 31,
            _ => small,
        };
        n & bit_mask(bits)
    }

    /// Key of a component of a slot; clip and cull distances have the same key in one array and in two.
    fn slot_key(&self, slot: Slot, unit: u32, vertex: u64) -> u64 {
        let (group, at) = self.component(slot, unit);
        mix(mix(u64::from(group), u64::from(at)), vertex)
    }

    /// A component of a slot, with cull distances apart from the clip distances before them.
    pub(crate) fn component(&self, slot: Slot, unit: u32) -> (u8, u32) {
        let n = u32::from(slot.0);
        match slot {
            Slot::CLIP_DIST0 | Slot::CLIP_DIST1 => {
                let at = (n - 2) * 4 + unit;
                if at >= self.clip { (4, at - self.clip) } else { (2, at) }
            }
            Slot::CULL_DIST0 | Slot::CULL_DIST1 => (4, (n - 4) * 4 + unit),
            _ => (slot.0, unit),
        }
    }

    /// An input that is not interpolated.
    pub(crate) fn input(
        &self,
        lane: usize,
        slot: Slot,
        unit: u32,
        vertex: Option<u64>,
        scalar: Scalar,
    ) -> u64 {
        // Flat inputs are the same for the whole primitive.
        let own = if self.stage == Stage::Fragment { 0 } else { lane as u64 };
        self.number(self.slot_key(slot, unit, vertex.map_or(own, |v| v + 1000)), scalar)
    }

    /// An interpolated input.
    pub(crate) fn interpolated(&self, slot: Slot, unit: u32, bits: u32, bary: [f64; 2]) -> u64 {
        let key = self.slot_key(slot, unit, 77);
        let base = f64_from_bits(self.number(key, Scalar::Float32), 32);
        let slope = |n| unit_slope(mix(mix(self.seed, key), n));
        f64_to_bits(base + slope(1) * bary[0] + slope(2) * bary[1], bits)
    }

    /// Barycentric coordinates.
    pub(crate) fn barycentric(&self, lane: usize, at: Location, interpolation: Interpolation) -> [f64; 2] {
        let (x, y) = ((lane & 1) as f64, (lane >> 1 & 1) as f64);
        let (dx, dy) = match at {
            Location::Pixel => (0.0, 0.0),
            Location::Centroid => (0.25, 0.125),
            Location::Sample => (0.125, -0.25),
            Location::AtSample(n) => ((n % 4) as f64 / 4.0 - 0.5, (n % 3) as f64 / 4.0 - 0.25),
            Location::AtOffset(x, y) => (x, y),
        };
        let scale = if interpolation == Interpolation::NoPerspective { 0.5 } else { 0.25 };
        [0.25 + (x + dx) * scale, 0.125 + (y + dy) * scale].map(|x| f64::from(x as f32))
    }

    /// Position of a sample: bits of two 32-bit floats.
    pub(crate) fn sample_position(&self, sample: u64) -> [u64; 2] {
        let h = mix(self.seed, sample);
        [h, mix(h, 1)].map(|h| f64_to_bits(unit(h), 32))
    }

    /// A system value.
    pub(crate) fn system_value(&self, lane: usize, sv: SystemValue) -> Lanes {
        use SystemValue as S;
        let n = lane as u64;
        let float = |x: f64| f64_to_bits(x, 32);
        let [wx, wy, wz] = self.workgroup.map(u64::from);
        let local = self.local[lane % 16].map(u64::from);
        // The first group as well: bounds that shaders compare with are small numbers.
        let group = [self.seed % 2, self.seed % 3, 0];
        let (x, y) = (n & 1, n >> 1);
        let pixel = self.barycentric(lane, Location::Pixel, Interpolation::Smooth);
        let linear = self.barycentric(lane, Location::Pixel, Interpolation::NoPerspective);
        let weights = |b: [f64; 2]| [float(b[0]), float(b[1]), float(1.0 - b[0] - b[1]), 0];
        let vector3 = |v: [u64; 3]| [v[0], v[1], v[2], 0];
        let one = |v: u64| [v, 0, 0, 0];
        let low = bit_mask(lane as u32);
        let all = bit_mask(self.lanes as u32);
        match sv {
            S::vertex_id => one(n + 2 + self.seed % 2),
            S::vertex_id_zero_base => one(n),
            S::instance_id => one(self.seed % 3),
            S::instance_index => one(self.seed % 3 + 1),
            S::base_vertex => one(2 + self.seed % 2),
            S::base_instance => one(1),
            S::invocation_id if self.stage == Stage::TessControl => one(n),
            S::draw_id | S::primitive_id | S::patch_id | S::invocation_id | S::layer_id | S::viewport_id => {
                one(self.seed % 2)
            }
            S::view_index | S::device_index | S::subgroup_id => one(0),
            S::frag_coord => [
                float(10.5 + x as f64 + (self.seed % 7) as f64),
                float(4.5 + y as f64),
                float(0.5 + 0.0625 * (x + y) as f64),
                float(1.0),
            ],
            S::front_face => one(u64::from(!self.seed.is_multiple_of(3))),
            S::point_coord => [float(0.25 + 0.5 * x as f64), float(0.25 + 0.5 * y as f64), 0, 0],
            S::sample_id => one(self.seed % 2),
            S::sample_pos => [float(0.375), float(0.125), 0, 0],
            S::sample_mask_in => one(1 | (self.seed % 4) << 1),
            S::helper_invocation => one(self.helpers() >> lane & 1),
            S::barycentric_coord => weights(pixel),
            S::barycentric_coord_linear => weights(linear),
            S::patch_vertices_in => one(3),
            S::tess_coord => [float(0.25), float(0.5), float(0.25), 0],
            S::tess_level_outer => [float(2.0); 4],
            S::tess_level_inner => [float(2.0), float(2.0), 0, 0],
            S::local_invocation_id => vector3(local),
            S::local_invocation_index => one(local[0] + wx * (local[1] + wy * local[2])),
            S::workgroup_id => vector3(group),
            S::num_workgroups => [4, 3, 2, 0],
            S::workgroup_size => vector3([wx, wy, wz]),
            S::global_invocation_id => {
                vector3([group[0] * wx + local[0], group[1] * wy + local[1], group[2] * wz + local[2]])
            }
            S::base_global_invocation_id => [0; 4],
            S::global_size => vector3([4 * wx, 3 * wy, 2 * wz]),
            S::subgroup_size => one(self.lanes as u64),
            S::subgroup_invocation => one(n),
            S::num_subgroups => one(1),
            S::subgroup_eq_mask => one(1 << lane),
            S::subgroup_ge_mask => one(all & !low),
            S::subgroup_gt_mask => one(all & !low & !(1 << lane)),
            S::subgroup_le_mask => one(low | 1 << lane),
            S::subgroup_lt_mask => one(low),
        }
    }
}

/// A slope of an interpolated input, -1 to 1.
fn unit_slope(hash: u64) -> f64 {
    (unit(hash) * 64.0).floor() / 32.0 - 1.0
}
