//! The fixed-function tessellator: levels and a domain to points and primitives (OpenGL 4.6 section 11.2.2).

use airfoil_ir::{Primitive, Spacing};

/// Largest level; larger ones are clamped.
const MAX_LEVEL: f32 = 64.0;

/// Points of a domain and the primitives that they make.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Domain, tessellate};
/// use airfoil_ir::{Primitive, Spacing};
///
/// let domain = Domain { primitive: Primitive::Triangles, spacing: Spacing::Equal, clockwise: false, points: false };
/// let made = tessellate(&domain, [2.0, 1.0, 1.0, 0.0], [1.0; 2]);
/// // An inner level of 1 counts as 2 if an outer one is larger: there is a point in the middle.
/// assert_eq!((made.points.len(), made.primitives.len(), made.arity), (5, 4, 3));
/// // Points are barycentric coordinates. The first outer level divides the edge where x is 0.
/// assert!(made.points.contains(&[0.0, 0.5, 0.5]) && !made.points.contains(&[0.5, 0.5, 0.0]));
/// // An outer level of 0 culls the patch.
/// assert!(tessellate(&domain, [2.0, 0.0, 1.0, 0.0], [1.0; 2]).primitives.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tessellation {
    /// `gl_TessCoord` of each point.
    pub points: Vec<[f32; 3]>,
    /// Positions of the points of each primitive: one for points, two for lines, three for triangles.
    pub primitives: Vec<[u32; 3]>,
    /// Points of a primitive.
    pub arity: usize,
}

/// How a domain is divided.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{Domain, tessellate};
/// use airfoil_ir::{Primitive, Spacing};
///
/// let lines = Domain { primitive: Primitive::Isolines, spacing: Spacing::Equal, clockwise: false, points: false };
/// let made = tessellate(&lines, [2.0, 3.0, 0.0, 0.0], [0.0; 2]);
/// // Two lines of three segments; the last line is not at 1.
/// assert_eq!((made.primitives.len(), made.points[4]), (6, [0.0, 0.5, 0.0]));
/// // In point mode each vertex is drawn once.
/// let made = tessellate(&Domain { points: true, ..lines }, [2.0, 3.0, 0.0, 0.0], [0.0; 2]);
/// assert_eq!((made.primitives.len(), made.arity), (8, 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// `Triangles`, `Quads` or `Isolines`.
    pub primitive: Primitive,
    /// Division of the edges.
    pub spacing: Spacing,
    /// Triangles are clockwise in the domain.
    pub clockwise: bool,
    /// Points rather than lines and triangles.
    pub points: bool,
}

/// Divides a domain. Patches whose relevant outer level is not positive make nothing.
pub fn tessellate(domain: &Domain, outer: [f32; 4], inner: [f32; 2]) -> Tessellation {
    let relevant = match domain.primitive {
        Primitive::Quads => 4,
        Primitive::Isolines => 2,
        _ => 3,
    };
    let mut out = Tessellation { arity: 3, ..Tessellation::default() };
    // A NaN is not positive either.
    if !outer[..relevant].iter().all(|&l| l > 0.0) {
        return out;
    }
    match domain.primitive {
        Primitive::Quads => quads(domain, outer, inner, &mut out),
        Primitive::Isolines => isolines(domain, outer, &mut out),
        _ => triangles(domain, outer, inner[0], &mut out),
    }
    if domain.points {
        let n = out.points.len() as u32;
        // Every point that is in a primitive, once.
        out.primitives = (0..n).map(|i| [i, i, i]).collect();
        out.arity = 1;
    } else if domain.clockwise && out.arity == 3 {
        out.primitives.iter_mut().for_each(|p| p.swap(1, 2));
    }
    out
}

/// Number of segments of an edge, and the level after clamping and rounding.
fn segments(level: f32, spacing: Spacing) -> (u32, f32) {
    match spacing {
        Spacing::FractionalOdd => {
            let level = level.clamp(1.0, MAX_LEVEL - 1.0);
            let n = level.ceil() as u32;
            (n + (n + 1) % 2, level)
        }
        Spacing::FractionalEven => {
            let level = level.clamp(2.0, MAX_LEVEL);
            let n = level.ceil() as u32;
            (n + n % 2, level)
        }
        _ => {
            let n = level.clamp(1.0, MAX_LEVEL).ceil();
            (n as u32, n)
        }
    }
}

/// Positions of the points of an edge, 0 to 1, symmetric.
fn places(level: f32, spacing: Spacing) -> Vec<f32> {
    let (n, level) = segments(level, spacing);
    let count = n as usize;
    if !matches!(spacing, Spacing::FractionalOdd | Spacing::FractionalEven) || n as f32 == level || n < 3 {
        return (0..=count).map(|i| i as f32 / n as f32).collect();
    }
    // n - 2 segments of the full length, and two shorter ones in the middle of each half.
    let full = 1.0 / level;
    let short = (1.0 - (n - 2) as f32 * full) / 2.0;
    let half = count / 2;
    let mut out = vec![0.0; count + 1];
    // The shorter ones are at the same distance from both ends.
    let at = if count % 2 == 1 { half.saturating_sub(1) } else { half - 1 };
    let mut x = 0.0;
    for (i, place) in out.iter_mut().enumerate().take(half) {
        *place = x;
        x += if i == at { short } else { full };
    }
    out[half] = if count.is_multiple_of(2) { 0.5 } else { x };
    for i in half + 1..=count {
        out[i] = 1.0 - out[count - i];
    }
    out
}

/// A ring or edge of points by index.
type Chain = Vec<u32>;

/// Triangles between two chains of points along the same way, the inner one to its left.
fn stitch(outer: &[u32], inner: &[u32], out: &mut Tessellation) {
    let (mut i, mut k) = (0, 0);
    let (n, m) = (outer.len().saturating_sub(1), inner.len().saturating_sub(1));
    while i < n || k < m {
        // The chain with the smaller parameter advances.
        if k >= m || (i < n && (2 * i + 1) * m.max(1) <= (2 * k + 1) * n) {
            out.primitives.push([outer[i], outer[i + 1], inner[k]]);
            i += 1;
        } else {
            out.primitives.push([outer[i], inner[k + 1], inner[k]]);
            k += 1;
        }
    }
}

fn add(out: &mut Tessellation, point: [f32; 3]) -> u32 {
    out.points.push(point);
    out.points.len() as u32 - 1
}

/// The points of a closed path along corners, each edge divided at the given positions; the edges share corners.
fn ring(corners: &[[f32; 3]], edges: &[Vec<f32>], out: &mut Tessellation) -> Vec<Chain> {
    let n = corners.len();
    let first = out.points.len() as u32;
    let mut chains: Vec<Chain> = Vec::with_capacity(n);
    for (e, places) in edges.iter().enumerate() {
        let (a, b) = (corners[e], corners[(e + 1) % n]);
        let chain = places[..places.len() - 1].iter().map(|&t| {
            add(out, std::array::from_fn(|c| if t == 0.0 { a[c] } else { a[c] * (1.0 - t) + b[c] * t }))
        });
        chains.push(chain.collect());
    }
    for e in 0..n {
        let next = chains[(e + 1) % n].first().copied().unwrap_or(first);
        chains[e].push(next);
    }
    chains
}

fn triangles(domain: &Domain, outer: [f32; 4], inner: f32, out: &mut Tessellation) {
    let corners = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    // Edge u = 0 runs from w = 1 to v = 1, edge v = 0 from w = 1 to u = 1, edge w = 0 between the others.
    let levels = [outer[1], outer[2], outer[0]];
    let counts = levels.map(|l| segments(l, domain.spacing).0);
    let (mut n, mut level) = segments(inner, domain.spacing);
    if n == 1 && counts == [1; 3] {
        let p = corners.map(|c| add(out, c));
        out.primitives.push(p);
        return;
    }
    if n == 1 {
        // "As though the inner level were a little above one."
        (n, level) = segments(1.0 + 1e-6, domain.spacing);
    }
    let edges = levels.map(|l| places(l, domain.spacing));
    let mut around = ring(&corners, &edges, out);
    let inside = places(level, domain.spacing);
    // Rings are at the inner positions: each has two segments less than the one around it.
    for depth in 1..=(n / 2) as usize {
        let count = n as usize - 2 * depth;
        // The intersection of the perpendiculars of two edges.
        let d = inside[depth] * 4.0 / 3.0;
        let toward = |c: [f32; 3]| -> [f32; 3] { c.map(|x| if x == 1.0 { 1.0 - d } else { d / 2.0 }) };
        if count == 0 {
            let centre = add(out, [1.0 / 3.0; 3]);
            around.iter().for_each(|chain| stitch(chain, &[centre], out));
            return;
        }
        let corners = corners.map(toward);
        let span = inside[n as usize - depth] - inside[depth];
        let places: Vec<f32> = (0..=count).map(|i| (inside[depth + i] - inside[depth]) / span).collect();
        let next = ring(&corners, &[places.clone(), places.clone(), places], out);
        around.iter().zip(&next).for_each(|(outer, inner)| stitch(outer, inner, out));
        if count == 1 {
            out.primitives.push([next[0][0], next[1][0], next[2][0]]);
            return;
        }
        around = next;
    }
}

fn quads(domain: &Domain, outer: [f32; 4], inner: [f32; 2], out: &mut Tessellation) {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    // Edges v = 0, u = 1, v = 1, u = 0.
    let levels = [outer[1], outer[2], outer[3], outer[0]];
    let counts = levels.map(|l| segments(l, domain.spacing).0);
    let mut inside = inner.map(|l| segments(l, domain.spacing));
    if inside[0].0 == 1 && inside[1].0 == 1 && counts == [1; 4] {
        let p = corners.map(|c| add(out, c));
        out.primitives.extend([[p[0], p[1], p[2]], [p[0], p[2], p[3]]]);
        return;
    }
    for i in &mut inside {
        if i.0 == 1 {
            *i = segments(1.0 + 1e-6, domain.spacing);
        }
    }
    let [us, vs] = inside.map(|(_, level)| places(level, domain.spacing));
    let (m, n) = (us.len() - 1, vs.len() - 1);
    let edges = levels.map(|l| places(l, domain.spacing));
    let around = ring(&corners, &edges, out);
    let first = out.points.len() as u32;
    for &v in &vs[1..n] {
        for &u in &us[1..m] {
            add(out, [u, v, 0.0]);
        }
    }
    let (columns, rows) = (m as u32 - 1, n as u32 - 1);
    let at = |i: u32, k: u32| first + k * columns + i;
    let sides: [Chain; 4] = [
        (0..columns).map(|i| at(i, 0)).collect(),
        (0..rows).map(|k| at(columns - 1, k)).collect(),
        (0..columns).rev().map(|i| at(i, rows - 1)).collect(),
        (0..rows).rev().map(|k| at(0, k)).collect(),
    ];
    around.iter().zip(&sides).for_each(|(outer, inner)| stitch(outer, inner, out));
    for (i, k) in
        (0..rows.saturating_sub(1)).flat_map(|k| (0..columns.saturating_sub(1)).map(move |i| (i, k)))
    {
        let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
        out.primitives.extend([[a, b, c], [a, c, d]]);
    }
}

fn isolines(domain: &Domain, outer: [f32; 4], out: &mut Tessellation) {
    // The number of lines is always divided equally.
    let lines = segments(outer[0], Spacing::Equal).0;
    let places = places(outer[1], domain.spacing);
    for k in 0..lines {
        let v = k as f32 / lines as f32;
        let first = out.points.len() as u32;
        places.iter().for_each(|&u| {
            add(out, [u, v, 0.0]);
        });
        out.primitives.extend((0..places.len() as u32 - 1).map(|i| [first + i, first + i + 1, first + i]));
    }
    out.arity = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(primitive: Primitive, spacing: Spacing) -> Domain {
        Domain { primitive, spacing, clockwise: false, points: false }
    }

    /// Twice the area that the triangles cover in the plane of two coordinates; all must wind the same way.
    fn area(t: &Tessellation) -> f32 {
        t.primitives
            .iter()
            .map(|p| {
                let [a, b, c] = p.map(|i| t.points[i as usize]);
                let twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
                assert!(twice > -1e-6, "{p:?} is turned round");
                twice
            })
            .sum()
    }

    #[test]
    fn domains_are_covered_once() {
        for spacing in [Spacing::Equal, Spacing::FractionalOdd, Spacing::FractionalEven] {
            for inner in [1.0, 2.0, 2.5, 3.0, 4.2, 7.0] {
                for edge in [1.0, 2.0, 3.4, 5.0] {
                    let t =
                        tessellate(&domain(Primitive::Triangles, spacing), [edge, 1.0, 4.0, 0.0], [inner; 2]);
                    assert!((area(&t) - 1.0).abs() < 1e-4, "{spacing:?} {inner} {edge}: {}", area(&t));
                    assert!(t.points.iter().all(|p| (p.iter().sum::<f32>() - 1.0).abs() < 1e-5));
                    let q =
                        tessellate(&domain(Primitive::Quads, spacing), [edge, 1.0, 4.0, 2.0], [inner, 3.0]);
                    assert!((area(&q) - 2.0).abs() < 1e-4, "{spacing:?} {inner} {edge}: {}", area(&q));
                }
            }
        }
    }

    #[test]
    fn smallest_domains() {
        let t = tessellate(&domain(Primitive::Triangles, Spacing::Equal), [1.0; 4], [1.0; 2]);
        assert_eq!((t.points.len(), t.primitives.len()), (3, 1));
        let q = tessellate(&domain(Primitive::Quads, Spacing::None), [1.0; 4], [1.0; 2]);
        assert_eq!((q.points.len(), q.primitives.len()), (4, 2));
        let none = tessellate(&domain(Primitive::Quads, Spacing::Equal), [1.0, 0.0, 1.0, 1.0], [1.0; 2]);
        assert!(none.primitives.is_empty());
        let nan = tessellate(&domain(Primitive::Triangles, Spacing::Equal), [f32::NAN; 4], [1.0; 2]);
        assert!(nan.primitives.is_empty());
    }

    #[test]
    fn isolines_and_points() {
        let lines = tessellate(&domain(Primitive::Isolines, Spacing::Equal), [2.0, 3.0, 0.0, 0.0], [0.0; 2]);
        assert_eq!((lines.points.len(), lines.primitives.len(), lines.arity), (8, 6, 2));
        assert_eq!(lines.points[4], [0.0, 0.5, 0.0]);
        let domain = Domain { points: true, ..domain(Primitive::Triangles, Spacing::Equal) };
        let points = tessellate(&domain, [2.0; 4], [2.0; 2]);
        assert_eq!((points.points.len(), points.primitives.len(), points.arity), (7, 7, 1));
    }

    #[test]
    fn fractional_places_are_symmetric() {
        for (spacing, level) in
            [(Spacing::FractionalOdd, 3.5), (Spacing::FractionalEven, 4.7), (Spacing::FractionalOdd, 6.1)]
        {
            let p = places(level, spacing);
            assert_eq!(p.len() % 2, if spacing == Spacing::FractionalOdd { 0 } else { 1 });
            assert!(p.windows(2).all(|w| w[0] < w[1]), "{p:?}");
            assert!((0..p.len()).all(|i| (p[i] + p[p.len() - 1 - i] - 1.0).abs() < 1e-6));
        }
        assert_eq!(places(2.0, Spacing::Equal), [0.0, 0.5, 1.0]);
    }
}
