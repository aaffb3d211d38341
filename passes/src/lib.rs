//! Passes over the IR of Airfoil. One file a pass, found by its name.
//!
//! * [`Pass`], [`PassInfo`]: what a pass is and declares.
//! * [`registry`]: all passes by name.
//! * [`Pipeline`]: orders of passes as text; [`presets`]: those that have a name.
//! * [`manager::Manager`]: runs them. [`filetest`]: tests that are files.

pub mod deref_path;
pub mod driver_values;
pub mod filetest;
pub mod manager;
pub mod memory;
mod pass;
mod pipeline;
pub mod presets;
pub mod registry;
mod retarget;
pub mod stage_buffer;

// What several passes use.
mod conversions;
mod dense;
mod distances;
mod guard;
mod outputs;
mod phis;
mod repair_ssa;
mod softfp64;
mod textures;

// One module a pass.
pub mod clip_distances_from_varyings;
pub mod clip_distances_to_varyings;
pub mod constant_folding;
pub mod copy_prop;
pub mod copy_prop_vars;
pub mod cse;
pub mod cull_distances_to_discard;
pub mod cull_distances_to_varyings;
pub mod dce;
pub mod dead_cf;
pub mod dead_write_vars;
pub mod gather_info;
pub mod geometry_to_mesh;
pub mod global_to_local;
pub mod inline_functions;
pub mod lower_1d_textures;
pub mod lower_64bit_io;
pub mod lower_atomics;
pub mod lower_clip_distance_arrays;
pub mod lower_clip_space;
pub mod lower_clip_vertex;
pub mod lower_compute_derivatives;
pub mod lower_conversions;
pub mod lower_doubles;
pub mod lower_draw_parameters;
pub mod lower_image_atomics;
pub mod lower_input_attachments;
pub mod lower_io;
pub mod lower_io_to_temporaries;
pub mod lower_point_size;
pub mod lower_returns;
pub mod lower_robust_access;
pub mod lower_robust_images;
pub mod lower_shared_initializers;
pub mod lower_subgroups;
pub mod lower_system_values;
pub mod lower_tex_projector;
pub mod lower_tex_rect;
pub mod lower_tg4_offsets;
pub mod lower_var_copies;
pub mod lower_variable_initializers;
pub mod lower_window_origin;
pub mod lower_xfb;
pub mod mesh_outputs_to_shared;
pub mod opt_undef;
pub mod peephole_select;
pub mod propagate_invariant;
pub mod remove_dead_variables;
pub mod remove_phis;
pub mod simplify_if;
pub mod split_array_vars;
pub mod split_struct_vars;
pub mod split_var_copies;
pub mod tess_control_to_kernel;
pub mod tess_eval_inputs_from_buffers;
pub mod tess_eval_to_kernel;
pub mod vars_to_ssa;
pub mod vertex_outputs_to_buffer;

pub use manager::Manager;
pub use pass::{Context, OptionInfo, OptionValue, Pass, PassInfo, PassOptions, Progress, Results, each_body};
pub use pipeline::{LoopStep, PassStep, Pipeline, Step};
