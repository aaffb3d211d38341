//! All passes by name: one table, a line a pass.
//!
//! To add a pass: write its file, add its `mod` to `lib.rs` and its line to the table below. A pass is a
//! type with a default; with options it is declared by [`pass_options!`](crate::pass_options) and its line ends in `{ options }`.

use crate::{OptionInfo, Pass, PassInfo, PassOptions};

/// An option given in a pipeline, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the option.
    pub name: String,
    /// Value.
    pub value: String,
}

/// A pass, or the number of the setting that is wrong and what is wrong with it.
type Made = Result<Box<dyn Pass>, (usize, String)>;

/// A pass of the registry.
#[derive(Debug)]
pub struct Entry {
    info: fn() -> &'static PassInfo,
    options: &'static [OptionInfo],
    make: fn(&[Setting]) -> Made,
}

impl Entry {
    /// What the pass declares.
    pub fn info(&self) -> &'static PassInfo {
        (self.info)()
    }

    /// Name in pipelines.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// The options that the pass has, with their defaults.
    pub fn options(&self) -> &'static [OptionInfo] {
        self.options
    }

    /// The pass with options set.
    ///
    /// # Errors
    /// Number of the setting that is wrong and what is wrong with it.
    pub fn make(&self, settings: &[Setting]) -> Result<Box<dyn Pass>, (usize, String)> {
        (self.make)(settings)
    }
}

fn make_with_options<P: Pass + PassOptions + 'static>(settings: &[Setting]) -> Made {
    let mut pass = P::default();
    for (i, s) in settings.iter().enumerate() {
        pass.set(&s.name, &s.value).map_err(|e| (i, e))?;
    }
    Ok(Box::new(pass))
}

fn make_plain<P: Pass + Default + 'static>(settings: &[Setting]) -> Made {
    match settings.first() {
        Some(s) => Err((0, format!("no option `{}`; the pass has none", s.name))),
        None => Ok(Box::new(P::default())),
    }
}

macro_rules! passes {
    (@entry $pass:path) => {
        Entry { info: || <$pass>::default().info(), options: &[], make: make_plain::<$pass> }
    };
    (@entry $pass:path, options) => {
        Entry {
            info: || <$pass>::default().info(),
            options: <$pass as PassOptions>::OPTIONS,
            make: make_with_options::<$pass>,
        }
    };
    ($( $module:ident :: $pass:ident $({ $options:ident })? ; )+) => {
        /// Every pass.
        pub static PASSES: &[Entry] = &[$( passes!(@entry crate::$module::$pass $(, $options)?), )+];
    };
}

passes! {
    clip_distances_from_varyings::ClipDistancesFromVaryings { options };
    clip_distances_to_varyings::ClipDistancesToVaryings { options };
    constant_folding::ConstantFolding;
    copy_prop::CopyProp;
    copy_prop_vars::CopyPropVars;
    cse::Cse;
    cull_distances_to_discard::CullDistancesToDiscard { options };
    cull_distances_to_varyings::CullDistancesToVaryings { options };
    dce::Dce;
    dead_cf::DeadCf;
    dead_write_vars::DeadWriteVars;
    gather_info::GatherInfo;
    geometry_to_mesh::GeometryToMesh { options };
    global_to_local::GlobalToLocal;
    lower_1d_textures::Lower1dTextures { options };
    lower_clip_distance_arrays::LowerClipDistanceArrays;
    lower_clip_space::LowerClipSpace { options };
    lower_clip_vertex::LowerClipVertex { options };
    lower_io_to_temporaries::LowerIoToTemporaries { options };
    inline_functions::InlineFunctions;
    lower_64bit_io::Lower64bitIo;
    lower_atomics::LowerAtomics;
    lower_compute_derivatives::LowerComputeDerivatives;
    lower_conversions::LowerConversions;
    lower_doubles::LowerDoubles;
    lower_draw_parameters::LowerDrawParameters { options };
    lower_image_atomics::LowerImageAtomics;
    lower_input_attachments::LowerInputAttachments;
    lower_io::LowerIo { options };
    lower_point_size::LowerPointSize { options };
    lower_returns::LowerReturns;
    lower_robust_access::LowerRobustAccess { options };
    lower_robust_images::LowerRobustImages;
    lower_shared_initializers::LowerSharedInitializers;
    lower_subgroups::LowerSubgroups;
    lower_system_values::LowerSystemValues;
    lower_tex_projector::LowerTexProjector;
    lower_tex_rect::LowerTexRect;
    lower_tg4_offsets::LowerTg4Offsets;
    lower_var_copies::LowerVarCopies;
    lower_variable_initializers::LowerVariableInitializers { options };
    lower_window_origin::LowerWindowOrigin { options };
    lower_xfb::LowerXfb { options };
    mesh_outputs_to_shared::MeshOutputsToShared;
    opt_undef::OptUndef;
    peephole_select::PeepholeSelect { options };
    propagate_invariant::PropagateInvariant;
    remove_dead_variables::RemoveDeadVariables { options };
    remove_phis::RemovePhis;
    simplify_if::SimplifyIf;
    split_array_vars::SplitArrayVars;
    split_struct_vars::SplitStructVars;
    split_var_copies::SplitVarCopies;
    tess_control_to_kernel::TessControlToKernel { options };
    tess_eval_inputs_from_buffers::TessEvalInputsFromBuffers { options };
    tess_eval_to_kernel::TessEvalToKernel { options };
    vars_to_ssa::VarsToSsa;
    vertex_outputs_to_buffer::VertexOutputsToBuffer { options };
}

/// The pass of a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    PASSES.iter().find(|e| e.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_options_agree() {
        for (i, e) in PASSES.iter().enumerate() {
            assert!(PASSES[..i].iter().all(|f| f.name() != e.name()), "{} twice", e.name());
            assert!(e.make(&[]).is_ok_and(|p| p.info().name == e.name()));
            let bad = [Setting { name: "no_such_option".into(), value: "1".into() }];
            assert!(e.make(&bad).is_err(), "{}", e.name());
            for o in e.options() {
                let setting = Setting { name: o.name.into(), value: o.default.into() };
                assert!(!o.summary.is_empty(), "{}", o.name);
                // Defaults written as Rust expressions (flag sets) need not parse back.
                let _ = e.make(&[setting]);
            }
        }
    }
}
