//! Clipping in clip coordinates (OpenGL 4.6 section 13.7).
//!
//! Only positions are cut: attributes are interpolated over the whole primitive afterwards, which projection allows for
//! any sign of w.

use smallvec::SmallVec;

/// A corner: position and clip distances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Corner {
    pub(crate) position: [f64; 4],
    pub(crate) distances: SmallVec<[f64; 2]>,
}

/// Depth range in clip coordinates.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::{ClipDepth, Draw, Pipeline, State, Target, Topology};
/// # use airfoil_interp::{Config, Fault, Resources, System, run::Vertex, texture::Compare};
/// # use airfoil_ir::{Slot, text};
///
/// # let shaders = [text::parse("foil 1\nshader fragment \"f\" { fn main { } }").unwrap()];
/// # let mut pipeline = Pipeline::new(&shaders, &Config::default())?;
/// # let mut point = Vertex::default();
/// # point.inputs.set_floats(Slot::POSITION, [0.0, 0.0, -0.5, 1.0]);
/// // Draws a point whose z is -0.5.
/// let mut depth = |clip_depth| -> Result<f32, Fault> {
///     let state = State { clip_depth, depth_test: Some(Compare::Always), ..State::new(1, 1) };
///     let mut target = Target::new(1, 1, 1, 0);
///     target.depth = Some(vec![1.0]);
/// #   let vertices = [point.clone()];
/// #   let draw = Draw { topology: Topology::Points, vertices: &vertices, indices: None, system: System::new() };
///     pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
///     Ok(target.depth.unwrap()[0])
/// };
/// assert_eq!(depth(ClipDepth::MinusOneToOne)?, 0.25);
/// // It is clipped.
/// assert_eq!(depth(ClipDepth::ZeroToOne)?, 1.0);
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipDepth {
    /// -w to w: OpenGL.
    #[default]
    MinusOneToOne,
    /// 0 to w: Vulkan, `glClipControl`.
    ZeroToOne,
}

/// w of points that are kept is at least this: they can be divided by it.
const MIN_W: f64 = 1e-9;

/// Signed distances of a corner from the planes that clip.
fn distance(c: &Corner, plane: usize, depth: Option<ClipDepth>) -> f64 {
    let [x, y, z, w] = c.position;
    match plane {
        0 => w - MIN_W,
        1 => w + x,
        2 => w - x,
        3 => w + y,
        4 => w - y,
        5 => match depth {
            Some(ClipDepth::MinusOneToOne) => w + z,
            Some(ClipDepth::ZeroToOne) => z,
            None => 0.0,
        },
        6 => depth.map_or(0.0, |_| w - z),
        n => c.distances.get(n - 7).copied().unwrap_or(0.0),
    }
}

fn planes(corners: &[Corner]) -> usize {
    7 + corners.iter().map(|c| c.distances.len()).max().unwrap_or(0)
}

fn between(a: &Corner, b: &Corner, t: f64) -> Corner {
    let mix = |x: f64, y: f64| x + (y - x) * t;
    Corner {
        position: std::array::from_fn(|i| mix(a.position[i], b.position[i])),
        distances: a.distances.iter().zip(&b.distances).map(|(&x, &y)| mix(x, y)).collect(),
    }
}

/// A clipped convex polygon; `depth` is `None` if depth is clamped instead. Corners that are not numbers leave nothing.
pub(crate) fn polygon(corners: &[Corner], depth: Option<ClipDepth>) -> Vec<Corner> {
    let mut now = corners.to_vec();
    for plane in 0..planes(corners) {
        let mut next = Vec::with_capacity(now.len() + 1);
        for (i, c) in now.iter().enumerate() {
            let before = &now[(i + now.len() - 1) % now.len()];
            let (d, e) = (distance(c, plane, depth), distance(before, plane, depth));
            if (d >= 0.0) != (e >= 0.0) && !(d - e).is_nan() {
                next.push(between(before, c, e / (e - d)));
            }
            if d >= 0.0 {
                next.push(c.clone());
            }
        }
        now = next;
        if now.is_empty() {
            break;
        }
    }
    now
}

/// The part of a line inside the clip volume.
pub(crate) fn line(corners: &[Corner], depth: Option<ClipDepth>) -> Option<[Corner; 2]> {
    let [a, b] = corners else { return None };
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for plane in 0..planes(corners) {
        let (d, e) = (distance(a, plane, depth), distance(b, plane, depth));
        match (d >= 0.0, e >= 0.0) {
            (true, true) => {}
            (false, true) => from = from.max(d / (d - e)),
            (true, false) => to = to.min(d / (d - e)),
            (false, false) => return None,
        }
    }
    (from <= to).then(|| [between(a, b, from), between(a, b, to)])
}

/// Whether a point is kept.
pub(crate) fn point(corner: &Corner, depth: Option<ClipDepth>) -> bool {
    (0..planes(std::slice::from_ref(corner))).all(|plane| distance(corner, plane, depth) >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(position: [f64; 4]) -> Corner {
        Corner { position, distances: SmallVec::new() }
    }

    #[test]
    fn polygons_are_cut() {
        let inside = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]].map(corner);
        assert_eq!(polygon(&inside, Some(ClipDepth::MinusOneToOne)), inside);
        let far = [[-1.0, -1.0, 3.0, 1.0], [1.0, -1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]].map(corner);
        assert_eq!(polygon(&far, Some(ClipDepth::ZeroToOne)).len(), 4);
        assert_eq!(polygon(&far, None), far);
        let mirrored = inside.map(|c| corner(c.position.map(|x| -x)));
        assert!(polygon(&mirrored, None).is_empty());
        assert!(
            polygon(&[corner([f64::NAN; 4]), corner([f64::NAN; 4]), corner([f64::NAN; 4])], None).is_empty()
        );
    }

    #[test]
    fn distances_cut_too() {
        let mut cut = [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]].map(corner);
        cut[0].distances.push(-1.0);
        cut[1].distances.push(1.0);
        let got = line(&cut, None).expect("half is left");
        assert_eq!((got[0].position[0], got[1].position[0]), (0.0, 1.0));
        assert!(!point(&cut[0], None) && point(&cut[1], None));
    }
}
