//! Cubes: the face that a direction hits (OpenGL 4.6 table 8.19), and neighbours across edges.

type Vector = [f64; 3];

/// Directions of a face's own axis, of s and of t, for +x, -x, +y, -y, +z, -z.
const FACES: [[Vector; 3]; 6] = [
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
    [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
    [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The face that a direction hits. On edges z has precedence over y, and y over x, as in Vulkan.
pub(crate) fn face(r: Vector) -> usize {
    let [x, y, z] = r.map(f64::abs);
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    axis * 2 + usize::from(r[axis].is_sign_negative())
}

/// Coordinates on a face, 0 to 1.
pub(crate) fn project(face: usize, r: Vector) -> [f64; 2] {
    let [m, s, t] = FACES[face];
    let major = dot(m, r).abs();
    let coordinate = |axis| if major == 0.0 { 0.5 } else { 0.5 * (dot(axis, r) / major + 1.0) };
    [coordinate(s), coordinate(t)]
}

/// How the coordinates on a face change where the direction changes by `d`.
pub(crate) fn gradient(face: usize, r: Vector, d: Vector) -> [f64; 2] {
    let [m, s, t] = FACES[face];
    let (major, change) = (dot(m, r), dot(m, d));
    let along = |axis| 0.5 * (dot(axis, d) * major - dot(axis, r) * change) / (major * major);
    [along(s), along(t)]
}

/// The texel at (x, y) of a face of n x n texels, if need be on the face beyond the edge. `None` beyond a corner.
pub(crate) fn neighbour(face: usize, x: i64, y: i64, n: i64) -> Option<(usize, i64, i64)> {
    let inside = |i| (0..n).contains(&i);
    if inside(x) && inside(y) {
        return Some((face, x, y));
    }
    if !inside(x) && !inside(y) {
        return None;
    }
    let [m, s, t] = FACES[face];
    let centre = |i: i64| (2 * i + 1) as f64 / n as f64 - 1.0;
    let (mut a, mut b, mut depth) = (centre(x), centre(y), 1.0);
    // The face is folded over its edge: the part beyond continues on the side.
    for c in [&mut a, &mut b] {
        if c.abs() > 1.0 {
            depth = 1.0 - (c.abs() - 1.0);
            *c = 1f64.copysign(*c);
        }
    }
    let r: Vector = std::array::from_fn(|i| m[i] * depth + s[i] * a + t[i] * b);
    let other = if inside(x) { t } else { s };
    let sign = if inside(x) { b } else { a };
    let toward = other.map(|o| o * sign);
    let face = FACES.iter().position(|f| f[0] == toward)?;
    let [u, v] = project(face, r);
    let texel = |u: f64| ((u * n as f64).floor() as i64).clamp(0, n - 1);
    Some((face, texel(u), texel(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_hit_their_faces() {
        assert_eq!(face([1.0, 0.5, -0.5]), 0);
        assert_eq!(face([-1.0, 0.5, -0.5]), 1);
        assert_eq!(face([0.2, 2.0, 1.0]), 2);
        assert_eq!(face([0.2, -2.0, 1.0]), 3);
        assert_eq!(face([1.0, 1.0, 1.0]), 4);
        assert_eq!(face([0.0, 0.0, -1.0]), 5);
        // Table 8.19: for +x, s follows -z and t follows -y.
        assert_eq!(project(0, [2.0, -1.0, 1.0]), [0.25, 0.75]);
        assert_eq!(project(3, [1.0, -2.0, 1.0]), [0.75, 0.25]);
        assert_eq!(project(5, [1.0, 0.0, -2.0]), [0.25, 0.5]);
    }

    #[test]
    fn gradients_are_those_of_the_projection() {
        let (r, d) = ([1.0, 0.3, -0.2], [0.1, -0.4, 0.7]);
        let h = 1e-6;
        let moved = [0, 1, 2].map(|i| r[i] + h * d[i]);
        let (a, b) = (project(0, r), project(0, moved));
        let g = gradient(0, r, d);
        for c in 0..2 {
            assert!(((b[c] - a[c]) / h - g[c]).abs() < 1e-5);
        }
    }

    #[test]
    fn edges_lead_to_neighbours_and_back() {
        // Left of +x is +z: its right column, same row. Above +z is +y: its bottom row.
        assert_eq!(neighbour(0, -1, 2, 4), Some((4, 3, 2)));
        assert_eq!(neighbour(4, 1, -1, 4), Some((2, 1, 3)));
        assert_eq!(neighbour(0, -1, -1, 4), None);
        // Two texels across an edge touch: from the other one, the first one is beyond the edge.
        for face in 0..6 {
            for i in 0..4 {
                for (x, y, ix, iy) in [(-1, i, 0, i), (4, i, 3, i), (i, -1, i, 0), (i, 4, i, 3)] {
                    let (f, u, v) = neighbour(face, x, y, 4).expect("not a corner");
                    let around = [(u - 1, v), (u + 1, v), (u, v - 1), (u, v + 1)];
                    let back = around.iter().filter_map(|&(u, v)| neighbour(f, u, v, 4));
                    assert_eq!(back.filter(|&b| b == (face, ix, iy)).count(), 1, "{face} {x} {y}");
                }
            }
        }
    }
}
