//! Optional lowerings driven by pipeline state (clip-space convention, robustness, transform feedback).
//!
//! They run on shaders in the forms `slots` and `target`, before Metal's missing stages are lowered; the code they add
//! is cleaned up once more. One needs no choice: `gl_DrawID` is always read from a buffer of the
//! [driver](airfoil_passes::util::driver_values).

use crate::select::{RecordSlot, Records};
use airfoil_ir::{Modes, Shader, Slot, Stage, Variable};
use airfoil_passes::gl::lower_clip_disable::LowerClipDisable;
use airfoil_passes::gl::lower_clip_space::LowerClipSpace;
use airfoil_passes::gl::lower_draw_parameters::LowerDrawParameters;
use airfoil_passes::gl::lower_frag_color::LowerFragColor;
use airfoil_passes::gl::lower_multiview::LowerMultiview;
use airfoil_passes::gl::lower_point_size::LowerPointSize;
use airfoil_passes::gl::lower_window_origin::LowerWindowOrigin;
pub use airfoil_passes::gl::lower_xfb::{BUFFER_BINDING, Capture, Captures, DRAW_BINDING};
use airfoil_passes::gl::lower_xfb::{LowerXfb, buffer_name};
use airfoil_passes::lower::lower_1d_textures::Lower1dTextures;
use airfoil_passes::lower::lower_robust_access::LowerRobustAccess;
use airfoil_passes::lower::lower_robust_images::LowerRobustImages;
use airfoil_passes::stages::lower_stages::LowerStages;
use airfoil_passes::{PassStep, Pipeline};

/// The selected lowerings. None by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lowerings {
    /// Accesses out of range give zero or do nothing (`lower_robust_access`, `lower_robust_images`).
    pub robust: bool,
    /// Of these, only that indices into arrays of variables stay in range.
    pub robust_arrays: bool,
    /// All 1D textures and images are 2D, so that they can have mipmaps ([`Lower1dTextures`]).
    pub flat_1d_textures: bool,
    /// The captures of transform feedback (`lower_xfb`); positions and point sizes as the shader wrote them.
    pub captures: Captures,
    /// Mask of the clip distances that clip, of those that the last stage before rasterisation writes; `None` = all of
    /// them, as in Vulkan (`lower_clip_disable`).
    pub clip_distances: Option<u32>,
    /// Positions of the last stage before rasterisation have y flipped (`lower_clip_space`).
    pub flip_y: bool,
    /// Depths of the last stage before rasterisation are from -w to w, where Metal has 0 to w (`lower_clip_space`).
    pub half_z: bool,
    /// Whether points are drawn, if the program knows: Metal requires a point size then, and only then
    /// (`lower_point_size`).
    pub points: Option<bool>,
    /// Fragment shaders see y of the window flipped (`lower_window_origin`).
    pub flip_window: Option<FlipWindow>,
    /// Color attachments that `gl_FragColor` is written to; 0 and 1 mean the first (`lower_frag_color`).
    pub color_attachments: u32,
    /// `gl_BaseVertex` has its OpenGL value, from the driver (`lower_draw_parameters`).
    pub driver_base_vertex: bool,
    /// Mask of the views of multiview rendering, for shaders that do not state them; 0 without (`lower_multiview`).
    pub view_mask: u32,
}

/// The properties of fragment shaders that flip besides the coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlipWindow {
    /// Height of the framebuffer in pixels; 0 = the driver sets it at run time.
    pub height: u32,
    /// `gl_FrontFacing` turns around too.
    pub front_face: bool,
}

/// Whether transform feedback captures the outputs of a shader: the last stage that emits vertices, a kernel included.
fn captures_at(shaders: &[Shader], n: usize) -> bool {
    is_last(shaders, n, &LowerStages::default())
}

/// Whether a shader is the last stage before rasterisation. For a single shader the options may specify that another
/// one follows.
fn is_last(shaders: &[Shader], n: usize, stages: &LowerStages) -> bool {
    let last =
        |s: &Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Mesh);
    let followed = match shaders[n].stage {
        Stage::Vertex => stages.vertex_kernel,
        Stage::TessEval => stages.tessellated_geometry,
        _ => false,
    };
    !followed && shaders.iter().rposition(last) == Some(n)
}

impl Lowerings {
    /// The passes for the shaders of a pipeline.
    pub fn steps(&self, shaders: &[Shader], stages: &LowerStages) -> Pipeline {
        let mut pipeline = Pipeline::default();
        // A pass for the shaders for which `applies` holds.
        let mut on = |step: PassStep, applies: &dyn Fn(usize) -> bool| {
            let chosen: Vec<Stage> =
                (0..shaders.len()).filter(|&n| applies(n)).map(|n| shaders[n].stage).collect();
            if !chosen.is_empty() {
                pipeline = std::mem::take(&mut pipeline).pass(chosen, step);
            }
        };
        let numbered = |n: usize| matches!(shaders[n].stage, Stage::Vertex | Stage::Task | Stage::Mesh);
        let draw = LowerDrawParameters { base_vertex: self.driver_base_vertex };
        on(PassStep::new(Box::new(draw)), &numbered);
        let views = LowerMultiview { view_mask: self.view_mask };
        on(PassStep::new(Box::new(views.clone())), &|n| {
            shaders[n].stage != Stage::Compute && views.mask(&shaders[n]) != 0
        });
        if self.flat_1d_textures {
            on(PassStep::new(Box::new(Lower1dTextures { all: true })), &|_| true);
        }
        if self.robust || self.robust_arrays {
            let pass = LowerRobustAccess { buffers: self.robust, arrays: true };
            on(PassStep::new(Box::new(pass)), &|_| true);
        }
        if self.robust {
            on(PassStep::new(Box::new(LowerRobustImages)), &|_| true);
        }
        if !self.captures.is_empty() {
            let pass = LowerXfb { captures: self.captures.clone() };
            on(PassStep::new(Box::new(pass)), &|n| captures_at(shaders, n));
        }
        // After transform feedback, which captures the outputs as written (OpenGL 4.6 section 13.3).
        let last = |n: usize| is_last(shaders, n, stages);
        if let Some(points) = self.points {
            on(PassStep::new(Box::new(LowerPointSize { points, ..LowerPointSize::default() })), &last);
        }
        if let Some(enabled) = self.clip_distances {
            on(PassStep::new(Box::new(LowerClipDisable { enabled, dynamic: false })), &last);
        }
        if self.flip_y || self.half_z {
            let pass = LowerClipSpace { flip_y: self.flip_y, half_z: self.half_z };
            on(PassStep::new(Box::new(pass)), &last);
        }
        if self.color_attachments > 1 {
            let pass = LowerFragColor { attachments: self.color_attachments };
            let writes_color = |n: usize| {
                let is_color = |v: &Variable| v.mode == Modes::OUT && v.location == Some(Slot::FRAG_COLOR);
                shaders[n].stage == Stage::Fragment && shaders[n].vars.values().any(is_color)
            };
            on(PassStep::new(Box::new(pass)), &writes_color);
        }
        if let Some(FlipWindow { height, front_face }) = self.flip_window {
            let pass = LowerWindowOrigin { y: true, height, front_face };
            on(PassStep::new(Box::new(pass)), &|n| shaders[n].stage == Stage::Fragment);
        }
        pipeline
    }

    /// The layout of the buffers that one of the shaders writes.
    pub fn records(&self, shaders: &[Shader], n: usize) -> Vec<Records> {
        if !captures_at(shaders, n) {
            return Vec::new();
        }
        let of = |buffer: u32| self.captures.iter().filter(move |c| c.buffer == buffer);
        let slot = |c: &Capture| {
            let (from, to) = (c.component as usize, (c.component + c.components) as usize);
            RecordSlot { slot: format!("{}.{}", c.slot, &"xyzw"[from.min(4)..to.min(4)]), offset: c.offset }
        };
        let buffers = self.captures.buffers().into_iter();
        buffers
            .map(|(buffer, stride)| Records {
                buffer: buffer_name(buffer).into(),
                bytes: stride,
                per_patch: 1,
                slots: of(buffer).map(slot).collect(),
            })
            .collect()
    }
}
