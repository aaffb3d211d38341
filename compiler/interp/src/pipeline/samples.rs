//! Samples of a pixel: their positions, and the samples of a fragment (OpenGL 4.6 section 14.3.1; Vulkan 1.3 section
//! 27.12, "Multisampling").

use airfoil_ir::{InstrKind, IntrinsicOp, Modes, Sampling, Shader, SystemValue};

/// Most samples of a pixel.
pub const MAX_SAMPLES: u32 = 16;

/// Positions of the samples in sixteenths of a pixel, as in Vulkan (`standardSampleLocations`) and Direct3D.
const POSITIONS: [&[[u8; 2]]; 5] = [
    &[[8, 8]],
    &[[12, 12], [4, 4]],
    &[[6, 2], [14, 6], [2, 10], [10, 14]],
    &[[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]],
    &[
        [9, 9],
        [7, 5],
        [5, 10],
        [12, 7],
        [3, 6],
        [10, 13],
        [13, 11],
        [11, 3],
        [6, 14],
        [8, 1],
        [4, 2],
        [2, 12],
        [0, 8],
        [15, 4],
        [14, 15],
        [1, 0],
    ],
];

/// Positions of the samples of a pixel in sixteenths of it, from its first corner; `None` if the sample count is not
/// supported.
pub(crate) fn positions(samples: u32) -> Option<&'static [[u8; 2]]> {
    POSITIONS.iter().copied().find(|p| p.len() == samples as usize)
}

/// A position in parts of a pixel.
pub(crate) fn place([x, y]: [u8; 2]) -> [f64; 2] {
    [f64::from(x) / 16.0, f64::from(y) / 16.0]
}

/// The centroid of the samples of a mask, from the pixel's centre: the centre if all are covered (or none, for helpers), otherwise the
/// first sample that is.
pub(crate) fn centroid(mask: u32, positions: &[[u8; 2]]) -> [f32; 2] {
    let all = (1 << positions.len()) - 1;
    match positions.get(mask.trailing_zeros() as usize) {
        Some(&at) if mask & all != all => place(at).map(|x| x as f32 - 0.5),
        _ => [0.0; 2],
    }
}

/// Whether a fragment shader runs once per sample: it reads the number or position of its sample, or an input qualified
/// `sample` (GLSL 4.60 section 7.1.5).
pub(crate) fn runs_per_sample(shader: &Shader) -> bool {
    if let Some(gathered) = &shader.gathered {
        return gathered.uses_sample_shading;
    }
    let own = |value| matches!(value, Some(SystemValue::sample_id | SystemValue::sample_pos));
    let variables = shader.vars.values().any(|v| match v.mode {
        Modes::SYSTEM_VALUE => own(v.system_value),
        mode => mode == Modes::IN && v.sampling == Sampling::Sample,
    });
    let instructions = || {
        let mut bodies = shader.functions.values().map(|f| &f.body);
        bodies.any(|body| {
            body.all_instrs().any(|id| match &body[id].kind {
                InstrKind::Intrinsic(i) => {
                    i.op == IntrinsicOp::load_barycentric_sample || own(i.op.system_value())
                }
                _ => false,
            })
        })
    };
    variables || instructions()
}

/// The mask of the samples of a pixel that an alpha value covers: the first ones, in proportion to it (OpenGL 4.6 section 17.3.1).
pub(crate) fn of_alpha(alpha: f32, samples: u32) -> u32 {
    let count = (f64::from(alpha.clamp(0.0, 1.0)) * f64::from(samples)).round() as u32;
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_positions_lie_apart() {
        for samples in [1, 2, 4, 8, 16] {
            let at = positions(samples).unwrap();
            // No two samples share a row or a column.
            for axis in 0..2 {
                let mut seen: Vec<u8> = at.iter().map(|p| p[axis]).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), samples as usize);
            }
        }
        assert_eq!(positions(4).map(|p| place(p[3])), Some([0.625, 0.875]));
        assert!(positions(3).is_none() && positions(32).is_none());
    }

    #[test]
    fn centroids_are_covered() {
        let four = positions(4).unwrap();
        assert_eq!(centroid(0b1111, four), [0.0; 2]);
        assert_eq!(centroid(0b1100, four), [0.125 - 0.5, 0.625 - 0.5]);
        assert_eq!(centroid(0, four), [0.0; 2]);
        assert_eq!(centroid(1, positions(1).unwrap()), [0.0; 2]);
    }

    #[test]
    fn alpha_becomes_coverage() {
        assert_eq!([0.0, 0.25, 0.5, 1.0, 7.0, f32::NAN].map(|a| of_alpha(a, 4)), [0, 1, 3, 15, 15, 0]);
    }
}
