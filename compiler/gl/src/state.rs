//! The state of a draw that a function can depend on.

use bitflags::bitflags;

bitflags! {
    /// State that is on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[repr(transparent)]
    pub struct StateFlags: u32 {
        /// Positions have y flipped: the framebuffer's first row is the upper one.
        const FLIP_Y = 1 << 0;
        /// Depths of clip space are in -w to w (`GL_NEGATIVE_ONE_TO_ONE`); without it they are in 0 to w.
        const HALF_Z = 1 << 1;
        /// Fragment shaders see y of the window flipped. The driver's block holds the height of the framebuffer.
        const FLIP_WINDOW = 1 << 2;
        /// `gl_FrontFacing` is inverted.
        const FLIP_FACE = 1 << 3;
        /// Transform feedback is active: the captures of the program are written to buffers.
        const CAPTURE = 1 << 4;
        /// The first vertex of a primitive provokes (`GL_FIRST_VERTEX_CONVENTION`).
        const FIRST_PROVOKES = 1 << 5;
    }
}

/// The size of points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PointSize {
    /// Other primitives than points are drawn.
    #[default]
    None = 0,
    /// Points are drawn with the size that the shader writes, or 1.0 if it writes none (`GL_PROGRAM_POINT_SIZE`, OpenGL ES).
    Shader = 1,
}

/// The state of a draw, as plain data without padding. Fields that a program does not depend on are reset by
/// [`Program::canonical`](crate::Program::canonical), so that keys of equal functions are equal. [`crate::table`] lists the
/// state of OpenGL and the field that covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct StateKey {
    /// State that is on or off.
    pub flags: StateFlags,
    /// Mask of the enabled clip distances (`GL_CLIP_DISTANCE0` is bit 0).
    pub clip_enable: u8,
    /// The size of points.
    pub point_size: PointSize,
    /// Color attachments that `gl_FragColor` is written to, 1 to 8; 0 means 1.
    pub color_attachments: u8,
    /// Vertices of an input patch (`GL_PATCH_VERTICES`); 0 means 3.
    pub patch_vertices: u8,
    /// Bits of the indices of draws whose vertex stage is a kernel: 16 or 32, or 0 for draws without indices.
    pub index_bits: u8,
    /// Zero.
    pub reserved: [u8; 3],
}

impl Default for StateKey {
    /// Triangles, without any enabled state.
    fn default() -> StateKey {
        StateKey {
            flags: StateFlags::empty(),
            clip_enable: 0,
            point_size: PointSize::None,
            color_attachments: 1,
            patch_vertices: 3,
            index_bits: 0,
            reserved: [0; 3],
        }
    }
}

bitflags! {
    /// Fields of a [`StateKey`].
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct StateMask: u64 {
        /// [`StateFlags::FLIP_Y`].
        const FLIP_Y = 1 << 0;
        /// [`StateFlags::HALF_Z`].
        const HALF_Z = 1 << 1;
        /// [`StateFlags::FLIP_WINDOW`].
        const FLIP_WINDOW = 1 << 2;
        /// [`StateFlags::FLIP_FACE`].
        const FLIP_FACE = 1 << 3;
        /// [`StateFlags::CAPTURE`].
        const CAPTURE = 1 << 4;
        /// [`StateFlags::FIRST_PROVOKES`].
        const FIRST_PROVOKES = 1 << 5;
        /// [`StateKey::clip_enable`].
        const CLIP_ENABLE = 1 << 32;
        /// [`StateKey::point_size`].
        const POINT_SIZE = 1 << 33;
        /// [`StateKey::color_attachments`].
        const COLOR_ATTACHMENTS = 1 << 34;
        /// [`StateKey::patch_vertices`].
        const PATCH_VERTICES = 1 << 35;
        /// [`StateKey::index_bits`].
        const INDEX_BITS = 1 << 36;
    }
}

impl StateMask {
    /// The flags among the fields; they have the same bits.
    pub fn flags(self) -> StateFlags {
        StateFlags::from_bits_truncate(self.bits() as u32)
    }
}

impl StateKey {
    /// The key with the fields outside of a mask, and values that mean the same, at their defaults.
    #[must_use]
    pub fn masked(self, mask: StateMask) -> StateKey {
        let default = StateKey::default();
        let pick = |field, value: u8, default: u8| if mask.contains(field) { value } else { default };
        let or = |value: u8, default: u8| if value == 0 { default } else { value };
        StateKey {
            flags: self.flags & mask.flags(),
            clip_enable: pick(StateMask::CLIP_ENABLE, self.clip_enable, default.clip_enable),
            point_size: if mask.contains(StateMask::POINT_SIZE) {
                self.point_size
            } else {
                default.point_size
            },
            color_attachments: pick(
                StateMask::COLOR_ATTACHMENTS,
                self.color_attachments.clamp(1, 8),
                default.color_attachments,
            ),
            patch_vertices: pick(
                StateMask::PATCH_VERTICES,
                or(self.patch_vertices, default.patch_vertices),
                default.patch_vertices,
            ),
            index_bits: pick(StateMask::INDEX_BITS, self.index_bits, default.index_bits),
            reserved: [0; 3],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_no_padding() {
        assert_eq!(size_of::<StateKey>(), 4 + 1 + 1 + 1 + 1 + 1 + 3);
    }

    #[test]
    fn flags_and_their_mask_bits_agree() {
        for (name, flag) in StateFlags::all().iter_names() {
            let mask = StateMask::from_name(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(mask.flags(), flag, "{name}");
        }
    }

    #[test]
    fn masked_keys_keep_only_the_fields_of_the_mask() {
        let key = StateKey {
            flags: StateFlags::all(),
            clip_enable: 5,
            point_size: PointSize::Shader,
            color_attachments: 4,
            patch_vertices: 0,
            index_bits: 16,
            reserved: [7; 3],
        };
        assert_eq!(key.masked(StateMask::empty()), StateKey::default());
        let all = key.masked(StateMask::all());
        assert_eq!(all, StateKey { patch_vertices: 3, reserved: [0; 3], ..key });
        let one = key.masked(StateMask::CLIP_ENABLE);
        assert_eq!(one, StateKey { clip_enable: 5, ..StateKey::default() });
    }
}
