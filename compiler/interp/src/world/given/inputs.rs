//! Inputs of the caller: records of slots, and the primitive under each quad of fragments.
//!
//! A record is a vertex, or the values of a whole patch or primitive. Each lane has a row of records, its vertices, and
//! one more for the patch.

use crate::values::Values;
use crate::world::Bits;
use crate::world::location::{Location, PixelLocation};
use airfoil_ir::alu::{f64_from_bits, f64_to_bits};
use airfoil_ir::{Interpolation, Slot, SystemValue};

/// A corner of a primitive in the window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// 1 / w of the clip coordinates.
    pub(crate) inverse_w: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    first: usize,
    count: usize,
    patch: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Primitive {
    count: usize,
    provoking: usize,
    corners: [Corner; 3],
}

/// Inputs of a group.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    records: Vec<Values>,
    used: usize,
    rows: Vec<Row>,
    primitives: Vec<Primitive>,
    pub(crate) pixels: Vec<PixelLocation>,
}

impl Inputs {
    /// Forgets everything.
    pub(crate) fn restart(&mut self, lanes: usize) {
        self.used = 0;
        self.rows.clear();
        self.rows.resize(lanes, Row::default());
        self.primitives.clear();
        self.pixels.clear();
        self.pixels.resize(lanes, PixelLocation::default());
    }

    /// Adds a record; returns its index.
    pub(crate) fn add(&mut self, values: &Values) -> usize {
        match self.records.get_mut(self.used) {
            Some(r) => r.clone_from(values),
            None => self.records.push(values.clone()),
        }
        self.used += 1;
        self.used - 1
    }

    /// Adds records one after the other; returns the index of the first.
    pub(crate) fn add_all<'v>(&mut self, values: impl Iterator<Item = &'v Values>) -> usize {
        let first = self.used;
        values.for_each(|v| {
            self.add(v);
        });
        first
    }

    /// Gives a lane its records.
    pub(crate) fn set_row(&mut self, lane: usize, first: usize, count: usize, patch: Option<usize>) {
        self.rows[lane] = Row { first, count, patch };
    }

    /// Adds a primitive with one to three corners; returns its index.
    pub(crate) fn add_primitive(&mut self, count: usize, provoking: usize, corners: [Corner; 3]) -> usize {
        self.primitives.push(Primitive { count, provoking, corners });
        self.primitives.len() - 1
    }

    fn value(&self, lane: usize, slot: Slot, unit: u32, vertex: Option<u64>, bits: u32, flat: usize) -> Bits {
        let Some(row) = self.rows.get(lane) else { return (0, true) };
        if vertex.is_none()
            && let Some(patch) = row.patch
        {
            let found = self.records[patch].bits(slot, 0, unit, bits);
            if !found.1 {
                return found;
            }
        }
        let n = vertex.map_or(flat, |v| v as usize);
        if n >= row.count {
            return (0, true);
        }
        self.records[row.first + n].bits(slot, 0, unit, bits)
    }

    /// An input that is not interpolated: that of a vertex, or of the provoking one.
    pub(super) fn flat(&self, lane: usize, slot: Slot, unit: u32, vertex: Option<u64>, bits: u32) -> Bits {
        let pixel = self.pixels.get(lane).copied().unwrap_or_default();
        let provoking = self.primitives.get(pixel.primitive).map_or(0, |p| p.provoking);
        self.value(lane, slot, unit, vertex, bits, provoking)
    }

    /// An interpolated input at barycentric coordinates: the weights of the second and third corner. `None` if the
    /// first corner does not have it.
    pub(super) fn interpolated(
        &self,
        lane: usize,
        slot: Slot,
        unit: u32,
        bits: u32,
        weights: [f64; 2],
    ) -> Option<Bits> {
        let Some(row) = self.rows.get(lane) else { return Some((0, true)) };
        let at = |n: usize| {
            let n = n.min(row.count.saturating_sub(1));
            let (bits_there, undef) = self.value(lane, slot, unit, Some(n as u64), bits, 0);
            (f64_from_bits(bits_there, bits), undef)
        };
        let (first, undef) = at(0);
        if undef {
            return None;
        }
        let others: [(f64, bool); 2] = [at(1), at(2)];
        let count = row.count.saturating_sub(1).min(2);
        let x = interpolate(first, others[..count].iter().map(|o| o.0), weights);
        Some((f64_to_bits(x, bits), others[..count].iter().any(|o| o.1)))
    }

    /// Barycentric coordinates of a position in the pixel: the weights of the second and third corner. `sample` returns
    /// the position of a sample, relative to the centre.
    pub(super) fn barycentric(
        &self,
        lane: usize,
        at: Location,
        interpolation: Interpolation,
        sample: impl Fn(u64) -> [f64; 2],
    ) -> [f64; 2] {
        let Some(pixel) = self.pixels.get(lane) else { return [0.0; 2] };
        let Some(p) = self.primitives.get(pixel.primitive) else { return [0.0; 2] };
        let [dx, dy] = match at {
            Location::Pixel => [0.0; 2],
            Location::Centroid => pixel.centroid,
            Location::Sample => pixel.sample.map_or([0.0; 2], |s| sample(u64::from(s))),
            Location::AtSample(n) => sample(n),
            Location::AtOffset(x, y) => [x, y],
        };
        let at = [pixel.centre[0] + dx, pixel.centre[1] + dy];
        weights(p.count, p.corners, at, interpolation != Interpolation::NoPerspective)
    }
}

/// The system value that a slot shows if the previous stage did not write it.
pub(super) fn shown_system_value(slot: Slot) -> Option<SystemValue> {
    Some(match slot {
        Slot::PRIMITIVE_ID => SystemValue::primitive_id,
        Slot::LAYER => SystemValue::layer_id,
        Slot::VIEWPORT => SystemValue::viewport_id,
        Slot::FACE => SystemValue::front_face,
        Slot::POINT_COORD => SystemValue::point_coord,
        Slot::VIEW_INDEX => SystemValue::view_index,
        Slot::TESS_LEVEL_OUTER => SystemValue::tess_level_outer,
        Slot::TESS_LEVEL_INNER => SystemValue::tess_level_inner,
        _ => return None,
    })
}

/// A value between corners: that of the first, those of the others, and their weights.
pub(crate) fn interpolate(first: f64, others: impl Iterator<Item = f64>, weights: [f64; 2]) -> f64 {
    let mut x = first;
    // Where all corners agree the value is theirs, whatever rounding does to the weights.
    for (corner, weight) in others.zip(weights).filter(|o| o.0 != first) {
        x += weight * (corner - first);
    }
    x
}

/// Weights of the second and third of `count` corners, as 32-bit floats hold them.
pub(crate) fn weights(count: usize, corners: [Corner; 3], [x, y]: [f64; 2], perspective: bool) -> [f64; 2] {
    let [a, b, c] = corners;
    let mut w = match count {
        0 | 1 => return [0.0; 2],
        2 => {
            // OpenGL 4.6 section 14.5.1: the share of the way along the line.
            let (lx, ly) = (b.x - a.x, b.y - a.y);
            let length = lx * lx + ly * ly;
            let t = if length == 0.0 { 0.0 } else { ((x - a.x) * lx + (y - a.y) * ly) / length };
            [1.0 - t, t, 0.0]
        }
        _ => {
            let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
            if area == 0.0 {
                return [0.0; 2];
            }
            let wb = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / area;
            let wc = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / area;
            [1.0 - wb - wc, wb, wc]
        }
    };
    if perspective {
        // OpenGL 4.6 equation 14.9.
        for (w, corner) in w.iter_mut().zip(corners) {
            *w *= corner.inverse_w;
        }
        let sum: f64 = w.iter().sum();
        if sum != 0.0 {
            w.iter_mut().for_each(|w| *w /= sum);
        }
    }
    [w[1], w[2]].map(|w| f64::from(w as f32))
}
