//! The key of draw-time state.

use crate::sized::{self, Versioned};
use crate::types::AfResult;
use airfoil_gl::{PointSize, StateFlags, StateKey};

/// Mask of state that is on or off.
pub type AfStateFlags = u32;
/// Positions have y flipped.
pub const AF_STATE_FLIP_Y: AfStateFlags = 1;
/// Depths of clip space are in -w to w (GL_NEGATIVE_ONE_TO_ONE); without it they are in 0 to w.
pub const AF_STATE_HALF_Z: AfStateFlags = 2;
/// Fragment shaders see y of the window flipped. The driver's block holds the height of the framebuffer.
pub const AF_STATE_FLIP_WINDOW: AfStateFlags = 4;
/// gl_FrontFacing is inverted.
pub const AF_STATE_FLIP_FACE: AfStateFlags = 8;
/// Transform feedback is active.
pub const AF_STATE_CAPTURE: AfStateFlags = 16;
/// The first vertex of a primitive provokes (GL_FIRST_VERTEX_CONVENTION).
pub const AF_STATE_FIRST_PROVOKES: AfStateFlags = 32;

/// State of a draw that functions can depend on: plain data without padding, so that keys can be compared and hashed as bytes
/// after af_program_canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AfStateKey {
    /// sizeof(AfStateKey).
    pub size: u32,
    /// State that is on or off.
    pub flags: AfStateFlags,
    /// Mask of the enabled clip distances (GL_CLIP_DISTANCE0 is bit 0).
    pub clip_enable: u8,
    /// 0: other primitives than points are drawn. 1: points of the size that the shader writes, or 1.0.
    pub point_size: u8,
    /// Color attachments that gl_FragColor is written to, 1 to 8; 0: 1.
    pub color_attachments: u8,
    /// Vertices of an input patch (GL_PATCH_VERTICES); 0: 3.
    pub patch_vertices: u8,
    /// Bits of the indices of draws whose vertex stage is a kernel: 16 or 32, or 0 for draws without indices.
    pub index_bits: u8,
    /// Zero.
    pub reserved: [u8; 3],
}

// SAFETY: `repr(C)`, with integers.
unsafe impl Versioned for AfStateKey {
    const FIRST: usize = size_of::<Self>();
}

impl AfStateKey {
    pub(crate) fn key(&self) -> Result<StateKey, AfResult> {
        const INVALID: AfResult = AfResult::AF_ERROR_INVALID_ARGUMENT;
        let &AfStateKey { clip_enable, color_attachments, patch_vertices, index_bits, .. } = self;
        if self.reserved != [0; 3] || color_attachments > 8 || ![0, 16, 32].contains(&index_bits) {
            return Err(INVALID);
        }
        let point_size = match self.point_size {
            0 => PointSize::None,
            1 => PointSize::Shader,
            _ => return Err(INVALID),
        };
        Ok(StateKey {
            flags: StateFlags::from_bits(self.flags).ok_or(INVALID)?,
            clip_enable,
            point_size,
            color_attachments,
            patch_vertices,
            index_bits,
            ..StateKey::default()
        })
    }

    pub(crate) fn of(key: &StateKey) -> AfStateKey {
        AfStateKey {
            size: size_of::<AfStateKey>() as u32,
            flags: key.flags.bits(),
            clip_enable: key.clip_enable,
            point_size: key.point_size as u8,
            color_attachments: key.color_attachments,
            patch_vertices: key.patch_vertices,
            index_bits: key.index_bits,
            reserved: [0; 3],
        }
    }
}

/// The key of a call; NULL is the default state.
///
/// # Safety
/// The pointer is NULL or of a key that begins with its size.
pub(crate) unsafe fn key_of(key: *const AfStateKey) -> Result<StateKey, AfResult> {
    match key.is_null() {
        true => Ok(StateKey::default()),
        // SAFETY: the caller's contract.
        false => unsafe { sized::read(key) }?.key(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_the_rust_interface() {
        let flags = [
            (AF_STATE_FLIP_Y, StateFlags::FLIP_Y),
            (AF_STATE_HALF_Z, StateFlags::HALF_Z),
            (AF_STATE_FLIP_WINDOW, StateFlags::FLIP_WINDOW),
            (AF_STATE_FLIP_FACE, StateFlags::FLIP_FACE),
            (AF_STATE_CAPTURE, StateFlags::CAPTURE),
            (AF_STATE_FIRST_PROVOKES, StateFlags::FIRST_PROVOKES),
        ];
        assert!(flags.iter().all(|(c, rust)| *c == rust.bits()));
        assert_eq!(flags.len(), StateFlags::all().iter().count());
    }
}
