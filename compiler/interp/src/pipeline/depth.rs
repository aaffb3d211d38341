//! Depths of fragments: bias, range, precision and tests (OpenGL 4.6 sections 14.6.5 and 17.3.4; Vulkan 1.3, "Depth Bias", "Depth
//! Bounds Test", "Depth Test").

use super::raster::Plane;
use super::{State, Target};
use crate::texture::{Color, Format};

/// Depth bias: added to the depths of polygons.
///
/// # Examples
///
/// The constant counts in units of the format's precision. Of floats that depends on the depth of the polygon:
///
/// ```
/// use airfoil_interp::pipeline::{DepthBias, Draw, Pipeline, State, Target, Topology};
/// # use airfoil_interp::{Config, Resources, System, run::Vertex, texture::Compare};
///
/// # let shaders = [airfoil_ir::text::parse("foil 1\nshader fragment \"depth\" { fn main { } }").unwrap()];
/// # let mut pipeline = Pipeline::new(&shaders, &Config::default())?;
/// let mut depth = |z: f32| -> Result<f32, airfoil_interp::Fault> {
///     let bias = DepthBias { constant: 4.0, ..DepthBias::default() };
///     let state = State { depth_bias: Some(bias), depth_test: Some(Compare::Always), ..State::new(1, 1) };
/// #   let vertices = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| {
/// #       let mut vertex = Vertex::default();
/// #       vertex.inputs.set_floats(airfoil_ir::Slot::POSITION, [x, y, z, 1.0]);
/// #       vertex
/// #   });
/// #   let draw = Draw { topology: Topology::Triangles, vertices: &vertices, indices: None, system: System::new() };
///     let mut target = Target { depth: Some(vec![1.0]), ..Target::new(1, 1, 1, 0) };
///     pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
///     Ok(target.depth.unwrap()[0])
/// };
/// assert_eq!(depth(0.0)?, 0.5 + 4.0 * 2f32.powi(-24));
/// assert_eq!(depth(-0.5)?, 0.25 + 4.0 * 2f32.powi(-25));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// In multiples of the smallest difference that the format resolves.
    pub constant: f64,
    /// Bound of the bias: an upper one if positive, a lower one if negative, none if zero.
    pub clamp: f64,
    /// In the largest slopes of the polygon.
    pub slope: f64,
}

impl DepthBias {
    /// The bias of a polygon in a plane of depths, the largest of which is `max`.
    pub(crate) fn of(&self, plane: &Plane, max: f64, format: Format) -> f64 {
        let bias = self.slope * plane.slope() + self.constant * resolution(format, max);
        if self.clamp > 0.0 {
            bias.min(self.clamp)
        } else if self.clamp < 0.0 {
            bias.max(self.clamp)
        } else {
            bias
        }
    }
}

/// The least difference of depths.
fn resolution(format: Format, max: f64) -> f64 {
    match format {
        Format::D16 => 2f64.powi(-16),
        Format::D24 => 2f64.powi(-24),
        _ => {
            let exponent = if max == 0.0 { -126 } else { max.abs().log2().floor() as i32 };
            2f64.powi(exponent - 23)
        }
    }
}

/// A depth as it is compared and kept: in its range, with the precision of the format.
pub(crate) fn kept(depth: f64, state: &State, format: Format) -> f32 {
    let [near, far] = state.depth_range;
    let depth = if state.depth_clamp {
        depth.clamp(near.min(far), near.max(far))
    } else if state.depth_unrestricted {
        depth
    } else {
        depth.clamp(0.0, 1.0)
    };
    let mut raw = [0; 8];
    let raw = &mut raw[..format.bytes()];
    format.write(raw, Color::Float([depth, 0.0, 0.0, 0.0]));
    match format.read(raw) {
        Color::Float([depth, ..]) => depth as f32,
        Color::Int(_) => depth as f32,
    }
}

/// Whether the stored depth is within the depth bounds.
pub(crate) fn in_bounds(at: usize, state: &State, target: &Target) -> bool {
    let Some(&old) = target.depth.as_ref().and_then(|d| d.get(at)) else { return true };
    state.depth_bounds.is_none_or(|[least, most]| (least..=most).contains(&f64::from(old)))
}

/// Whether a fragment of this depth passes the test at a position of the target's lists.
pub(crate) fn passes(depth: f64, at: usize, state: &State, target: &Target) -> bool {
    let Some(&old) = target.depth.as_ref().and_then(|d| d.get(at)) else { return true };
    let new = || f64::from(kept(depth, state, target.depth_format));
    state.depth_test.is_none_or(|test| test.test(new(), f64::from(old)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::Compare;

    #[test]
    fn depths_have_the_precision_and_range_of_the_target() {
        let mut state = State::new(1, 1);
        assert_eq!(kept(1.5, &state, Format::D32f), 1.0);
        state.depth_unrestricted = true;
        assert_eq!(kept(1.5, &state, Format::D32f), 1.5);
        state.depth_clamp = true;
        state.depth_range = [0.75, 0.25];
        assert_eq!(kept(1.5, &state, Format::D32f), 0.75);
        assert_eq!(kept(0.25, &State::new(1, 1), Format::D16), (16384.0f64 / 65535.0) as f32);
    }

    #[test]
    fn bounds_look_at_what_is_there() {
        let mut target = Target::new(1, 1, 1, 0);
        target.depth = Some(vec![0.5]);
        let state = State { depth_test: Some(Compare::LessEqual), ..State::new(1, 1) };
        let bounded = |bounds| State { depth_bounds: Some(bounds), ..state.clone() };
        assert!(passes(0.5, 0, &state, &target) && !passes(0.6, 0, &state, &target));
        assert!(in_bounds(0, &state, &target) && in_bounds(0, &bounded([0.5, 0.5]), &target));
        assert!(!in_bounds(0, &bounded([0.6, 1.0]), &target));
    }

    #[test]
    fn biases_are_bounded() {
        let plane = Plane { origin: [0.0; 2], base: 0.0, d: [0.25, -0.5] };
        let bias = DepthBias { constant: 4.0, clamp: 0.0, slope: 2.0 };
        assert_eq!(bias.of(&plane, 0.5, Format::D16), 1.0 + 4.0 / 65536.0);
        assert_eq!(bias.of(&plane, 0.5, Format::D32f), 1.0 + 4.0 / 16777216.0);
        assert_eq!(DepthBias { clamp: 0.5, ..bias }.of(&plane, 0.5, Format::D16), 0.5);
        assert_eq!(DepthBias { clamp: -0.5, slope: -2.0, ..bias }.of(&plane, 0.5, Format::D16), -0.5);
    }
}
