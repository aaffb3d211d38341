//! Lowerings that a program chooses: what no shader says and not every program wants.
//!
//! They run on shaders in the forms `slots` and `target`, before those of [stages](crate::stages); what they add wants the passes of the
//! optimisation level once more. One needs no choice: `gl_DrawID` is always the [driver's](airfoil_passes::util::driver_values).

use crate::select::{RecordSlot, Records};
use crate::stages::StageOptions;
use airfoil_ir::{Diagnostic, Shader, Stage};
use airfoil_passes::gl::lower_clip_space::LowerClipSpace;
use airfoil_passes::gl::lower_draw_parameters::LowerDrawParameters;
use airfoil_passes::gl::lower_point_size::LowerPointSize;
use airfoil_passes::gl::lower_window_origin::LowerWindowOrigin;
pub use airfoil_passes::gl::lower_xfb::{BUFFER_BINDING, Capture, Captures, DRAW_BINDING};
use airfoil_passes::gl::lower_xfb::{LowerXfb, buffer_name};
use airfoil_passes::lower::lower_1d_textures::Lower1dTextures;
use airfoil_passes::lower::lower_robust_access::LowerRobustAccess;
use airfoil_passes::lower::lower_robust_images::LowerRobustImages;
use airfoil_passes::{Manager, Pass, Pipeline, Progress};

/// What is chosen. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lowerings {
    /// Accesses out of range give zero or do nothing ([`LowerRobustAccess`], [`LowerRobustImages`]).
    pub robust: bool,
    /// Of these, only that indices into arrays of variables stay in range.
    pub robust_arrays: bool,
    /// All 1D textures and images are 2D, so that they can have mipmaps ([`Lower1dTextures`]).
    pub flat_1d_textures: bool,
    /// What transform feedback captures ([`LowerXfb`]); positions and sizes of points as the shader wrote them.
    pub captures: Captures,
    /// Positions of the last stage before rasterisation have y turned around ([`LowerClipSpace`]).
    pub flip_y: bool,
    /// Depths of the last stage before rasterisation are from -w to w, where Metal has 0 to w ([`LowerClipSpace`]).
    pub half_z: bool,
    /// Whether points are drawn, if the program knows: Metal wants a point size then, and only then ([`LowerPointSize`]).
    pub points: Option<bool>,
    /// Fragment shaders see y of the window turned around ([`LowerWindowOrigin`]).
    pub flip_window: Option<FlipWindow>,
    /// `gl_BaseVertex` is the driver's, as OpenGL has it ([`LowerDrawParameters`]).
    pub driver_base_vertex: bool,
}

/// What turns around in fragment shaders besides the coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlipWindow {
    /// Height of the framebuffer in pixels; 0 = the driver tells it.
    pub height: u32,
    /// `gl_FrontFacing` turns around too.
    pub front_face: bool,
}

/// Whether transform feedback captures what a shader writes: the last stage that makes vertices, a kernel included.
fn captures_at(shaders: &[Shader], n: usize) -> bool {
    is_last(shaders, n, &StageOptions::default())
}

/// Whether a shader is the last stage before rasterisation. One that comes alone may have been said to be followed by another.
fn is_last(shaders: &[Shader], n: usize, stages: &StageOptions) -> bool {
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
    /// Whether [`Lowerings::apply`] has something to do.
    pub fn concerns(&self, shaders: &[Shader]) -> bool {
        let numbered = |s: &&Shader| matches!(s.stage, Stage::Vertex | Stage::Task | Stage::Mesh);
        *self != Lowerings::default()
            || shaders.iter().filter(numbered).any(|s| self.draw_parameters().concerns(s))
    }

    fn draw_parameters(&self) -> LowerDrawParameters {
        LowerDrawParameters { base_vertex: self.driver_base_vertex }
    }

    /// The passes for one of the shaders of a pipeline, in order.
    fn passes(&self, shaders: &[Shader], n: usize, stages: &StageOptions) -> Vec<Box<dyn Pass>> {
        let mut passes: Vec<Box<dyn Pass>> = vec![Box::new(self.draw_parameters())];
        if self.flat_1d_textures {
            passes.push(Box::new(Lower1dTextures { all: true }));
        }
        if self.robust || self.robust_arrays {
            passes.push(Box::new(LowerRobustAccess { buffers: self.robust, arrays: true }));
        }
        if self.robust {
            passes.push(Box::new(LowerRobustImages));
        }
        if captures_at(shaders, n) {
            passes.push(Box::new(LowerXfb { captures: self.captures.clone() }));
        }
        // Behind transform feedback, which has what the shader wrote (OpenGL 4.6 section 13.3).
        if is_last(shaders, n, stages) {
            passes.extend(self.points.map(|points| Box::new(LowerPointSize { points }) as Box<dyn Pass>));
            passes.push(Box::new(LowerClipSpace { flip_y: self.flip_y, half_z: self.half_z }));
        }
        if let Some(FlipWindow { height, front_face }) = self.flip_window {
            passes.push(Box::new(LowerWindowOrigin { height, front_face }));
        }
        passes
    }

    /// Lowers the shaders of one pipeline; says which were changed.
    ///
    /// # Errors
    /// What the passes refuse, such as transform feedback of stages other than the vertex stage.
    pub fn apply(&self, shaders: &mut [Shader], stages: &StageOptions) -> Result<Vec<bool>, Vec<Diagnostic>> {
        let mut changed = Vec::with_capacity(shaders.len());
        for n in 0..shaders.len() {
            let mut progress = Progress::None;
            for pass in self.passes(shaders, n, stages) {
                progress |= Manager::default().run(&Pipeline::of_pass(pass), &mut shaders[n])?;
            }
            changed.push(progress == Progress::Made);
        }
        Ok(changed)
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
                buffer: buffer_name(buffer),
                bytes: stride,
                per_patch: 1,
                slots: of(buffer).map(slot).collect(),
            })
            .collect()
    }
}
