//! Limits of GLSL programs on Metal.

use airfoil_glsl::limits::Limits;
use std::sync::LazyLock;

/// Limits of GLSL programs on Metal: the minima of OpenGL, raised to those of Metal, which are the same in all stages (every
/// stage may use buffers and images; workgroups have up to 1024 invocations).
pub fn metal_limits(minima: Limits) -> Limits {
    /// Metal's limits, 0 where it defines none. Cached, since this compares many names.
    static LEAST: LazyLock<Limits> = LazyLock::new(|| {
        Limits::GL.map(|name, _| {
            let offers = METAL.iter().filter(|(part, _)| name.contains(part)).map(|(_, least)| *least);
            offers.max().unwrap_or(0)
        })
    });
    minima.at_least(&LEAST)
}

/// Vectors that a vertex function passes to a fragment function, besides the position (Metal feature set tables: 124 components).
const VARYINGS: u32 = 31;

/// Metal's limits by parts of their GL names (Metal feature set tables: 31 buffers, 128 textures and 16 samplers per
/// function, 1024 threads per threadgroup, 32 KiB of threadgroup memory).
const METAL: &[(&str, u32)] = &[
    ("_ATOMIC_COUNTER_BUFFERS", 8),
    ("_ATOMIC_COUNTERS", 1024),
    ("_ATOMIC_COUNTER_BUFFER_BINDINGS", 8),
    ("_SHADER_STORAGE_BLOCKS", 16),
    ("_SHADER_STORAGE_BUFFER_BINDINGS", 16),
    ("GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES", 64),
    ("_IMAGE_UNIFORMS", 16),
    ("GL_MAX_IMAGE_UNITS", 32),
    ("_TEXTURE_IMAGE_UNITS", 16),
    ("GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS", 96),
    ("GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS", 1024),
    ("GL_MAX_COMPUTE_WORK_GROUP_SIZE", 1024),
    ("GL_MAX_VERTEX_ATTRIBS", 31),
    ("GL_MAX_VARYING_VECTORS", VARYINGS),
    // Layers; masks of views have 32 bits.
    ("GL_MAX_VIEWS_OVR", 32),
    ("GL_MAX_VARYING_COMPONENTS", 4 * VARYINGS),
    ("_VERTEX_OUTPUT_COMPONENTS", 4 * VARYINGS),
    ("_GEOMETRY_INPUT_COMPONENTS", 4 * VARYINGS),
    ("_FRAGMENT_INPUT_COMPONENTS", 4 * VARYINGS),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metal_raises_limits_and_lowers_none() {
        for minima in [Limits::GL, Limits::ES] {
            let limits = metal_limits(minima.clone());
            let compared = limits.named().zip(minima.named());
            assert!(compared.into_iter().all(|((_, value), (_, least))| value >= least));
            assert_eq!(limits.max_vertex_attribs, 31);
            assert_eq!(limits.max_compute_work_group_invocations, 1024);
            assert_eq!((limits.max_vertex_image_uniforms, limits.max_vertex_shader_storage_blocks), (16, 16));
            assert_eq!(limits.max_vertex_uniform_blocks, minima.max_vertex_uniform_blocks);
        }
    }
}
