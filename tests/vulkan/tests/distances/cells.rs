//! A grid of primitives, one per cell, and the distances at a sample by homogeneous coordinates.

use super::scene::{Corner, SIZE};

/// Cells in a row.
pub const CELLS: u32 = 8;

/// Pseudo-random numbers between 0 and 1.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }
}

/// Primitives of `vertices` corners, one per cell, with distances by `distance` (index of the cell, corner, plane).
pub fn grid(
    seed: u64,
    vertices: usize,
    perspective: bool,
    mut distance: impl FnMut(&mut Numbers, u32, usize, usize) -> f32,
) -> Vec<Corner> {
    let mut numbers = Numbers::new(seed);
    let mut corners = Vec::new();
    for cell in 0..CELLS * CELLS {
        let (column, row) = ((cell % CELLS) as f32, (cell / CELLS) as f32);
        for corner in 0..vertices {
            // Corners in different parts of the cell, so that no primitive is small.
            let angle = (corner as f32 / vertices as f32 + numbers.between(0.0, 0.1)) * std::f32::consts::TAU;
            let radius = if vertices == 1 { 0.0 } else { numbers.between(0.3, 0.45) };
            let at = |origin: f32, turn: f32| 2.0 * (origin + 0.5 + radius * turn) / CELLS as f32 - 1.0;
            let (x, y) = (at(column, angle.cos()), at(row, angle.sin()));
            let w = if perspective { numbers.between(0.5, 4.0) } else { 1.0 };
            let color = [numbers.next(), numbers.next(), numbers.next(), 1.0];
            let mut distances = [0.0; 4];
            for (plane, d) in distances.iter_mut().enumerate() {
                *d = distance(&mut numbers, cell, corner, plane);
            }
            corners.push(Corner { position: [x * w, y * w, 0.5 * w, w], distances, color });
        }
    }
    corners
}

/// Positions of the samples of a pixel (Vulkan, "standardSampleLocations").
fn sample_at(samples: u32, sample: u32) -> [f32; 2] {
    match samples {
        1 => [0.5, 0.5],
        _ => [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]][sample as usize],
    }
}

/// Normalised coordinates of a sample of an image.
pub fn normalised(samples: u32, index: usize) -> [f64; 2] {
    let index = index as u32;
    let (pixel, [x, y]) = (index / samples, sample_at(samples, index % samples));
    let at = |pixel: u32, within: f32| f64::from(2.0 * (pixel as f32 + within) / SIZE as f32 - 1.0);
    [at(pixel % SIZE, x), at(pixel / SIZE, y)]
}

/// The cell of a sample.
pub fn cell_of(samples: u32, index: usize) -> usize {
    let pixel = index as u32 / samples;
    let cell = |n: u32| n * CELLS / SIZE;
    (cell(pixel / SIZE) * CELLS + cell(pixel % SIZE)) as usize
}

/// The weights of the corners at a sample, with perspective. The position of a sample is a combination of the clip
/// coordinates (x, y, w) of the corners; no division by w is required.
pub fn weights(corners: &[Corner], [x, y]: [f64; 2]) -> Vec<f64> {
    let p = |n: usize| {
        let [x, y, _, w] = corners[n].position.map(f64::from);
        [x, y, w]
    };
    match corners.len() {
        1 => vec![1.0],
        2 => {
            let ([ax, ay, aw], [bx, by, bw]) = (p(0), p(1));
            let ([ax, ay], [bx, by]) = ([ax / aw, ay / aw], [bx / bw, by / bw]);
            let (dx, dy) = (bx - ax, by - ay);
            let t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
            normalise(vec![(1.0 - t) / aw, t / bw])
        }
        _ => {
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let at = [x, y, 1.0];
            let list = (0..3).map(|n| dot(cross(p((n + 1) % 3), p((n + 2) % 3)), at)).collect();
            normalise(list)
        }
    }
}

/// Pixels from a sample to the nearest edge of a triangle, or of a line of width one; 1 for points.
pub fn edge_distance(corners: &[Corner], at: [f64; 2]) -> f64 {
    let pixel = |corner: &Corner| {
        let [x, y, _, w] = corner.position.map(f64::from);
        [x / w, y / w].map(|n| (n + 1.0) / 2.0 * f64::from(SIZE))
    };
    let [x, y] = at.map(|n| (n + 1.0) / 2.0 * f64::from(SIZE));
    let to_edge = |n: usize| {
        let ([ax, ay], [bx, by]) = (pixel(&corners[n]), pixel(&corners[(n + 1) % corners.len()]));
        let (dx, dy) = (bx - ax, by - ay);
        let across = ((x - ax) * dy - (y - ay) * dx).abs();
        // The width of a line is measured across it, or along the minor axis.
        [dx.hypot(dy), dx.abs().max(dy.abs())].map(|length| across / length)
    };
    match corners.len() {
        1 => 1.0,
        2 => to_edge(0).into_iter().map(|d| (d - 0.5).abs()).fold(1.0, f64::min),
        _ => (0..corners.len()).map(|n| to_edge(n)[0]).fold(1.0, f64::min),
    }
}

/// Whether a distance changes its sign within a pixel along a line.
pub fn is_cut(corners: &[Corner], planes: usize, [x, y]: [f64; 2]) -> bool {
    let [a, b] = [0, 1].map(|n| {
        let [x, y, _, w] = corners[n].position.map(f64::from);
        [x / w, y / w]
    });
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let pixel = 2.0 / f64::from(SIZE) / dx.hypot(dy);
    let signs = [-1.0, 1.0].map(|sign| {
        let at = [x + sign * pixel * dx, y + sign * pixel * dy];
        distances(corners, planes, at).into_iter().map(|d| d < 0.0).collect::<Vec<bool>>()
    });
    signs[0] != signs[1]
}

fn normalise(weights: Vec<f64>) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / sum).collect()
}

/// The distances at a sample, each relative to the largest at the corners.
pub fn distances(corners: &[Corner], planes: usize, at: [f64; 2]) -> Vec<f64> {
    let weights = weights(corners, at);
    (0..planes)
        .map(|plane| {
            let of = |corner: &Corner| f64::from(corner.distances[plane]);
            let most = corners.iter().map(|c| of(c).abs()).fold(f64::MIN_POSITIVE, f64::max);
            let value: f64 = corners.iter().zip(&weights).map(|(c, w)| of(c) * w).sum();
            value / most
        })
        .collect()
}
