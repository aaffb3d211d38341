//! The driver's block: values of the state that need not be code.

use airfoil::passes::stages::stage_buffer::SET;
use airfoil::passes::util::driver_values::DRIVER;

/// The contents of the uniform block `driver`, which functions of some [keys](crate::StateKey) read. Its layout is fixed, so that
/// one buffer serves all functions of a draw. The reflection of a [function](crate::Function) lists the block with its Metal
/// index, which [`DeviceOptions::driver_buffer`](crate::DeviceOptions::driver_buffer) can fix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct DriverValues {
    /// Height of the framebuffer in pixels.
    pub height: f32,
    /// Width of the framebuffer in pixels.
    pub width: f32,
    /// Reference value of the alpha test (`glAlphaFunc`).
    pub alpha_reference: f32,
    /// Samples that are written: the conjunction of `glSampleMaski` and the mask of `glSampleCoverage`.
    pub sample_mask: u32,
    /// Size of points (`glPointSize`), clamped by the driver.
    pub point_size: f32,
    /// Least size of points.
    pub point_size_min: f32,
    /// Largest size of points.
    pub point_size_max: f32,
    /// Mask of the enabled clip distances (`GL_CLIP_DISTANCE0` is bit 0).
    pub clip_enable: u32,
    /// Color of the fog.
    pub fog_color: [f32; 4],
    /// Density of the fog.
    pub fog_density: f32,
    /// End of linear fog.
    pub fog_end: f32,
    /// 1 / (end - start) of linear fog.
    pub fog_scale: f32,
    /// Zero.
    pub reserved: u32,
    /// Clip planes: in eye coordinates for shaders that write `gl_ClipVertex`, otherwise in clip coordinates.
    pub clip_planes: [[f32; 4]; 8],
    /// The stipple pattern: bit x of row y is the pixel (x, y), modulo 32, from the lower left corner of the window.
    pub polygon_stipple: [u32; 32],
    /// Half of the width and of the height of the viewport in pixels.
    pub viewport: [f32; 2],
    /// Width of lines in pixels, clamped by the driver; a whole number for lines that are aliased.
    pub line_width: f32,
    /// The pattern of `glLineStipple` in the lower 16 bits, and the factor in the upper ones.
    pub line_stipple: u32,
    /// Bit 0: front faces are culled. Bit 1: back faces are culled. Bit 2: front faces are clockwise in the clip coordinates
    /// that the function writes, with y upwards.
    pub faces: u32,
    /// Triangles of a polygon, for [`PolygonKind::Polygon`](crate::PolygonKind::Polygon).
    pub polygon_triangles: u32,
    /// Zero.
    pub reserved_end: [u32; 2],
}

impl DriverValues {
    /// Descriptor set of the block.
    pub const SET: u32 = SET;
    /// Binding of the block.
    pub const BINDING: u32 = DRIVER.binding;
    /// Size of the block in bytes.
    pub const BYTES: usize = size_of::<DriverValues>();

    /// The words of the block in order.
    pub fn words(&self) -> [u32; DriverValues::BYTES / 4] {
        let mut words = [0; DriverValues::BYTES / 4];
        let bits = f32::to_bits;
        words[..8].copy_from_slice(&[
            bits(self.height),
            bits(self.width),
            bits(self.alpha_reference),
            self.sample_mask,
            bits(self.point_size),
            bits(self.point_size_min),
            bits(self.point_size_max),
            self.clip_enable,
        ]);
        words[8..12].copy_from_slice(&self.fog_color.map(bits));
        let fog = [self.fog_density, self.fog_end, self.fog_scale].map(bits);
        words[12..15].copy_from_slice(&fog);
        words[15] = self.reserved;
        for (words, plane) in words[16..48].chunks_exact_mut(4).zip(&self.clip_planes) {
            words.copy_from_slice(&plane.map(bits));
        }
        words[48..80].copy_from_slice(&self.polygon_stipple);
        words[80..82].copy_from_slice(&self.viewport.map(bits));
        words[82] = bits(self.line_width);
        words[83..86].copy_from_slice(&[self.line_stipple, self.faces, self.polygon_triangles]);
        words[86..].copy_from_slice(&self.reserved_end);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn the_layout_is_that_of_the_block() {
        let offset = |name: &str| {
            let before = DRIVER.members.iter().take_while(|m| m.0 != name);
            before.map(|m| 4 * m.2 as usize).sum::<usize>()
        };
        let members = [
            ("height", offset_of!(DriverValues, height)),
            ("width", offset_of!(DriverValues, width)),
            ("alpha_reference", offset_of!(DriverValues, alpha_reference)),
            ("sample_mask", offset_of!(DriverValues, sample_mask)),
            ("point_size", offset_of!(DriverValues, point_size)),
            ("point_size_min", offset_of!(DriverValues, point_size_min)),
            ("point_size_max", offset_of!(DriverValues, point_size_max)),
            ("clip_enable", offset_of!(DriverValues, clip_enable)),
            ("fog_color", offset_of!(DriverValues, fog_color)),
            ("fog_parameters", offset_of!(DriverValues, fog_density)),
            ("clip_planes", offset_of!(DriverValues, clip_planes)),
            ("polygon_stipple", offset_of!(DriverValues, polygon_stipple)),
            ("viewport", offset_of!(DriverValues, viewport)),
            ("line_width", offset_of!(DriverValues, line_width)),
            ("line_stipple", offset_of!(DriverValues, line_stipple)),
            ("faces", offset_of!(DriverValues, faces)),
            ("polygon_triangles", offset_of!(DriverValues, polygon_triangles)),
            ("reserved", offset_of!(DriverValues, reserved_end)),
        ];
        assert_eq!(members.map(|m| m.0), *DRIVER.members.iter().map(|m| m.0).collect::<Vec<_>>());
        for (name, found) in members {
            assert_eq!(found, offset(name), "{name}");
        }
        assert_eq!(offset(""), DriverValues::BYTES);
    }

    #[test]
    fn words_are_those_of_the_structure() {
        let values = DriverValues {
            sample_mask: 7,
            fog_scale: 2.0,
            reserved: 9,
            clip_planes: [[1.0, 2.0, 3.0, 4.0]; 8],
            polygon_stipple: [5; 32],
            line_width: 3.0,
            faces: 6,
            reserved_end: [0, 8],
            ..DriverValues::default()
        };
        let words = values.words();
        let at = |offset: usize| words[offset / 4];
        assert_eq!(at(offset_of!(DriverValues, sample_mask)), 7);
        assert_eq!(at(offset_of!(DriverValues, fog_scale)), 2f32.to_bits());
        assert_eq!(at(offset_of!(DriverValues, reserved)), 9);
        assert_eq!(at(offset_of!(DriverValues, clip_planes) + 7 * 16 + 12), 4f32.to_bits());
        assert_eq!(at(offset_of!(DriverValues, polygon_stipple) + 31 * 4), 5);
        assert_eq!(at(offset_of!(DriverValues, line_width)), 3f32.to_bits());
        assert_eq!(at(offset_of!(DriverValues, faces)), 6);
        assert_eq!(words[words.len() - 1], 8);
    }
}
