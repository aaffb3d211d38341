//! The state of draws of OpenGL as the key and the values of functions.

use airfoil_gl::{DriverValues, PointSize, StateFlags, StateKey};
use airfoil_glsl::DepthMode;
use airfoil_interp::pipeline::{ClipDepth, State, Topology};

/// State of a draw, in parts.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The state that functions are made for.
    pub key: StateKey,
    /// The values that they read.
    pub values: DriverValues,
    /// The state that is left: that of Metal.
    pub rest: State,
}

/// Splits the state of a draw. The captured positions of draws with transform feedback are those that the shader wrote.
pub fn split(state: &State, topology: Topology, depth_mode: DepthMode, captures: bool) -> Parts {
    let mut flags = StateFlags::empty();
    flags.set(StateFlags::HALF_Z, state.clip_depth == ClipDepth::MinusOneToOne && !captures);
    flags.set(StateFlags::TWO_SIDED_COLORS, state.two_sided);
    flags.set(StateFlags::FLAT_COLORS, state.flat_colors);
    flags.set(StateFlags::CLAMP_VERTEX_COLORS, state.clamp_colors);
    flags.set(StateFlags::FIRST_PROVOKES, state.first_provokes);
    let [.., width, height] = state.viewport;
    let mut values = DriverValues {
        point_size: state.point_size as f32,
        line_width: 1.0,
        viewport: [width, height].map(|pixels| 0.5 * pixels as f32),
        ..DriverValues::default()
    };
    let mut clip_planes = 0;
    for (n, plane) in state.clip_planes.iter().enumerate() {
        if let Some(plane) = plane {
            clip_planes |= 1 << n;
            values.clip_planes[n] = plane.map(|x| x as f32);
        }
    }
    let point_size = match (topology, state.shader_point_size) {
        (Topology::Points, true) => PointSize::Shader,
        (Topology::Points, false) => PointSize::State,
        _ => PointSize::None,
    };
    let all = |mode| if depth_mode == mode { u32::MAX } else { 0 };
    let key = StateKey {
        flags,
        clip_enable: state.clip_distances,
        clip_planes,
        point_size,
        depth_modes: [DepthMode::Intensity, DepthMode::Alpha, DepthMode::Red].map(all),
        ..StateKey::default()
    };
    let rest = State {
        clip_depth: if captures { state.clip_depth } else { ClipDepth::ZeroToOne },
        clip_distances: u8::MAX,
        clip_planes: [None; 8],
        two_sided: false,
        flat_colors: false,
        clamp_colors: false,
        shader_point_size: true,
        ..state.clone()
    };
    Parts { key, values, rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_and_points_are_state_of_functions() {
        let mut state = State { point_size: 3.0, two_sided: true, ..State::new(4, 4) };
        state.clip_planes[1] = Some([1.0, 0.0, 0.0, 0.5]);
        let Parts { key, values, rest } = split(&state, Topology::Points, DepthMode::Alpha, false);
        assert_eq!(key.flags, StateFlags::HALF_Z | StateFlags::TWO_SIDED_COLORS);
        assert_eq!(
            (key.clip_planes, key.point_size, key.depth_modes),
            (2, PointSize::State, [0, u32::MAX, 0])
        );
        assert_eq!((values.clip_planes[1], values.point_size), ([1.0, 0.0, 0.0, 0.5], 3.0));
        assert_eq!(
            (rest.clip_planes, rest.two_sided, rest.clip_depth),
            ([None; 8], false, ClipDepth::ZeroToOne)
        );
        let captured = split(&state, Topology::Triangles, DepthMode::Luminance, true);
        assert_eq!(captured.key.flags, StateFlags::TWO_SIDED_COLORS);
        assert_eq!((captured.key.point_size, captured.rest.clip_depth), (PointSize::None, state.clip_depth));
    }
}
