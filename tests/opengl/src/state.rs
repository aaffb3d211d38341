//! State of draws.

use crate::context::Context;
use crate::gl::{self, Gl};

/// Capabilities of the compatibility profile that [`Context::reset_state`] disables.
const CAPABILITIES: [u32; 12] = [
    gl::ALPHA_TEST,
    gl::BLEND,
    gl::COLOR_LOGIC_OP,
    gl::CULL_FACE,
    gl::FOG,
    gl::POLYGON_STIPPLE,
    gl::PROGRAM_POINT_SIZE,
    gl::RASTERIZER_DISCARD,
    gl::SAMPLE_MASK,
    gl::SCISSOR_TEST,
    gl::STENCIL_TEST,
    gl::VERTEX_PROGRAM_TWO_SIDE,
];

impl Context {
    /// The functions of OpenGL, for state that no function here sets. They are unsafe: see the description of the crate.
    pub fn functions(&self) -> &Gl {
        &self.gl
    }

    /// `glEnable`.
    pub fn enable(&self, capability: u32) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.gl.Enable(capability) };
    }

    /// `glDisable`.
    pub fn disable(&self, capability: u32) {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.gl.Disable(capability) };
    }

    /// Sets the state of the compatibility profile that draws depend on: depths are tested, the first vertex provokes, points are
    /// sprites, everything else is as in a new context, but colors are not clamped.
    pub fn reset_state(&self) {
        let gl = &self.gl;
        CAPABILITIES.iter().for_each(|&capability| self.disable(capability));
        (0..8).for_each(|n| self.disable(gl::CLIP_DISTANCE0 + n));
        self.enable(gl::DEPTH_TEST);
        self.enable(gl::POINT_SPRITE);
        // SAFETY: as described in `lib.rs`.
        unsafe {
            gl.DepthFunc(gl::LESS);
            gl.DepthRange(0.0, 1.0);
            gl.ClipControl(gl::LOWER_LEFT, gl::NEGATIVE_ONE_TO_ONE);
            gl.ShadeModel(gl::SMOOTH);
            gl.ProvokingVertex(gl::FIRST_VERTEX_CONVENTION);
            gl.FrontFace(gl::CCW);
            gl.ClampColor(gl::CLAMP_VERTEX_COLOR, gl::FALSE.into());
            gl.ClampColor(gl::CLAMP_FRAGMENT_COLOR, gl::FALSE.into());
            gl.PointSize(1.0);
            gl.PointParameterf(gl::POINT_SIZE_MAX, 64.0);
            gl.PointParameteri(gl::POINT_SPRITE_COORD_ORIGIN, gl::UPPER_LEFT.cast_signed());
            gl.BlendEquation(gl::FUNC_ADD);
            for n in 0..8 {
                gl.ActiveTexture(gl::TEXTURE0 + n);
                gl.TexEnvi(gl::POINT_SPRITE, gl::COORD_REPLACE, 0);
            }
            gl.ActiveTexture(gl::TEXTURE0);
        }
    }
}
