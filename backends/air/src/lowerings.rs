//! Lowerings that a program chooses: what no shader says and not every program wants.
//!
//! They run on shaders in the forms `slots` and `target`, before those of [stages](crate::stages); what they add wants the passes of the
//! optimisation level once more.

use crate::select::{RecordSlot, Records};
use airfoil_ir::{Diagnostic, Shader, Stage};
use airfoil_passes::lower_1d_textures::Lower1dTextures;
use airfoil_passes::lower_robust_access::LowerRobustAccess;
use airfoil_passes::lower_robust_images::LowerRobustImages;
pub use airfoil_passes::lower_xfb::{BUFFER_BINDING, Capture, Captures, DRAW_BINDING};
use airfoil_passes::lower_xfb::{LowerXfb, buffer_name};
use airfoil_passes::{Context, Pass, Progress};

/// What is chosen. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lowerings {
    /// Accesses out of range give zero or do nothing ([`LowerRobustAccess`], [`LowerRobustImages`]).
    pub robust: bool,
    /// Of these, only that indices into arrays of variables stay in range.
    pub robust_arrays: bool,
    /// All 1D textures and images are 2D, so that they can have mipmaps ([`Lower1dTextures`]).
    pub flat_1d_textures: bool,
    /// What transform feedback captures ([`LowerXfb`]).
    pub captures: Captures,
}

/// Whether a shader is the last stage before rasterisation.
fn is_last(shaders: &[Shader], n: usize) -> bool {
    let last =
        |s: &Shader| matches!(s.stage, Stage::Vertex | Stage::TessEval | Stage::Geometry | Stage::Mesh);
    shaders.iter().rposition(last) == Some(n)
}

impl Lowerings {
    /// Whether something is chosen.
    pub fn is_any(&self) -> bool {
        self.robust || self.robust_arrays || self.flat_1d_textures || !self.captures.is_empty()
    }

    /// Lowers the shaders of one pipeline; says which were changed.
    ///
    /// # Errors
    /// What the passes refuse, such as transform feedback of stages other than the vertex stage.
    pub fn apply(&self, shaders: &mut [Shader]) -> Result<Vec<bool>, Vec<Diagnostic>> {
        let mut changed = Vec::with_capacity(shaders.len());
        for n in 0..shaders.len() {
            let mut passes: Vec<Box<dyn Pass>> = Vec::new();
            if self.flat_1d_textures {
                passes.push(Box::new(Lower1dTextures { all: true }));
            }
            if self.robust || self.robust_arrays {
                passes.push(Box::new(LowerRobustAccess { buffers: self.robust, arrays: true }));
            }
            if self.robust {
                passes.push(Box::new(LowerRobustImages));
            }
            if is_last(shaders, n) {
                passes.push(Box::new(LowerXfb { captures: self.captures.clone() }));
            }
            let mut progress = Progress::None;
            for pass in passes {
                progress |=
                    pass.run(&mut shaders[n], &mut Context::default()).map_err(|fault| vec![fault])?;
            }
            changed.push(progress == Progress::Made);
        }
        Ok(changed)
    }

    /// The layout of the buffers that one of the shaders writes.
    pub fn records(&self, shaders: &[Shader], n: usize) -> Vec<Records> {
        if !is_last(shaders, n) {
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
