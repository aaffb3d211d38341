//! States for which Mesa 22.3.6 deviates from the specification (OpenGL 4.6 compatibility profile): a draw by Mesa does not have
//! them.

use crate::scene::Scene;
use crate::state::{Light, State};
use airfoil_gl::fixed::ColorMaterial;

/// A deviation: its name, and a change of the scene that avoids it. The change returns whether it was required.
type Deviation = (&'static str, fn(&mut Scene) -> bool);

const DEVIATIONS: &[Deviation] = &[
    // Sections 16.3 and 16.4: the sum is clamped before it is fogged. Mesa clamps the fogged color only.
    ("fog of a color sum", |scene| {
        let state = &mut scene.state;
        let adds = if state.lighting { state.separate_specular } else { state.color_sum };
        let is_avoided = scene.fog.is_some() && adds;
        if is_avoided {
            (state.color_sum, state.separate_specular) = (false, false);
        }
        is_avoided
    }),
    // Section 12.2.1: all components of the products of the back material and a light are used. Mesa computes red only if the back
    // material tracks the current color and the front material does not.
    ("color material of back faces", |scene| {
        let state = &mut scene.state;
        let [front, back] = state.color_material;
        let is_avoided = has_lights(state)
            && state.two_side
            && front == ColorMaterial::None
            && back != ColorMaterial::None;
        if is_avoided {
            state.color_material = [back; 2];
        }
        is_avoided
    }),
    // Section 12.2.1: the specular factor of a shininess of 0 is 1, that of a cosine of 0 included. Mesa takes the cosine as the exponent
    // of lights that are attenuated or spots, and has 0 as the power of 0 to 0 if the shininess of one face only is 0.
    ("shininess of 0", |scene| {
        let state = &mut scene.state;
        let is_weakened = |light: &Light| {
            let is_attenuated = light.position[3] != 0.0 && light.attenuation != [1.0, 0.0, 0.0];
            light.is_enabled && (is_attenuated || light.spot_cutoff != 180.0)
        };
        let deviates = state.lighting && (state.two_side || state.lights.iter().any(is_weakened));
        let mut is_avoided = false;
        for material in state.materials.iter_mut().filter(|m| deviates && m.shininess == 0.0) {
            (material.shininess, is_avoided) = (1.0, true);
        }
        is_avoided
    }),
    // Section 14.4: the distance of a point is that to the eye. Mesa takes |z|, which is close to it on the axis of the view.
    ("distance of points", |scene| {
        let is_avoided = scene.state.point_attenuation != [1.0, 0.0, 0.0];
        if is_avoided {
            scene.center();
        }
        is_avoided
    }),
];

fn has_lights(state: &State) -> bool {
    state.lighting && state.lights.iter().any(|light| light.is_enabled)
}

/// Changes a scene so that Mesa follows the specification; returns the names of the deviations that it avoids.
pub fn avoid(scene: &mut Scene) -> Vec<&'static str> {
    DEVIATIONS.iter().filter(|(_, change)| change(scene)).map(|(name, _)| *name).collect()
}
