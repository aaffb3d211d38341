//! The rows of the review, each with the tests that failed before its fix, or a reason.
//!
//! `cargo test -p airfoil-tests --test defects defects_left -- --nocapture` prints the counts.

#![allow(clippy::print_stdout)]

use std::path::Path;

/// State of a row.
enum State {
    /// Fixed. Tests of this target by name, others by file.
    Fixed(&'static [&'static str]),
    /// The behavior is right or cannot be otherwise: why, and tests that show it.
    Reason(&'static str, &'static [&'static str]),
    /// Outside the part of the review that is to be fixed.
    Other,
    /// Not fixed.
    #[allow(dead_code, reason = "no row is left")]
    Left(&'static str),
}

use State::{Fixed, Left, Other, Reason};

/// The numbered rows.
const DEFECTS: &[(&str, State)] = &[
    ("0", Fixed(&["tests/filetests/passes/remove_phis/previous_iteration.foil"])),
    ("1", Fixed(&["tests/filetests/air/intrinsics/store_global.foil"])),
    ("2", Fixed(&["defect_2_cull_distances_of_geometry_and_mesh_shaders_compiled_alone"])),
    (
        "3",
        Fixed(&[
            "tests/filetests/defects/03_disabled_clip_distances.vert",
            "clip_distances_that_are_never_written_are_zero",
        ]),
    ),
    ("4", Fixed(&["defect_4_inputs_that_are_never_written", "defect_4_components_that_are_never_written"])),
    ("5", Fixed(&["defect_5_component_counts_that_differ"])),
    ("6", Fixed(&["defect_6_a_vertex_function_without_position"])),
    ("7", Fixed(&["defect_7_gl_frag_color_is_written_to_all_attachments"])),
    ("8", Fixed(&["defect_8_separable_programs_match_by_name"])),
    // GL_ARB_gl_spirv
    ("9", Other),
    ("10", Fixed(&["defect_10_records_of_stages_compiled_apart"])),
    ("11", Fixed(&["defect_11_the_interpreter_clips_by_distances"])),
    (
        "12",
        Fixed(&[
            "defect_12_nesting_of_any_depth_is_compiled_or_rejected",
            "defect_12_limits_count_levels_and_name_the_limit",
            "defect_12_control_flow",
            "defect_12_types_and_their_libraries",
            "defect_12_types_are_read",
            "defect_12_chosen_pointers",
            "defect_12_long_chains",
        ]),
    ),
    ("12a", Fixed(&["tests/filetests/passes/dead_write_vars/pointer_parameter.foil"])),
    ("13", Fixed(&["tests/filetests/defects/13_constant_arrays.frag", "tests/tests/constant_tables.rs"])),
    ("14", Fixed(&["compiler/cli/tests/cli/tools.rs"])),
    ("15", Fixed(&["defect_15_generic_attributes_do_not_alias_conventional_ones"])),
    ("16", Fixed(&["defect_16_assigned_bindings_do_not_look_declared"])),
    ("17", Fixed(&["compiler/gl/tests/state/multiview.rs", "tests/filetests/stages/multiview.vert"])),
    // default uniforms of the binding map, names of the reflection
    ("18", Other),
    ("19", Fixed(&["defect_19_metal_has_31_vectors_between_stages"])),
    // per-vertex inputs and sparse residency
    ("20", Other),
    // task and mesh shaders in GLSL
    ("21", Other),
    (
        "22",
        Reason(
            "Reads of gl_CullDistance are compiled. With early_fragment_tests the emulation would be wrong: Metal has no \
             cull distances, the fragment function discards what they cull, and early tests would have written depth by \
             then (GLSL 4.60 section 4.4.1.3). The error names that.",
            &[
                "tests/filetests/passes/lower_distances/cull_read.foil",
                "early_fragment_tests_and_cull_distances",
            ],
        ),
    ),
    // isolines and point mode
    ("23", Other),
    ("24", Fixed(&["defect_24_bitwise_atomics_of_64_bits_on_buffers"])),
    (
        "25",
        Fixed(&[
            "defect_25_arrays_of_scalars_share_locations",
            "tests/filetests/defects/25_packed_arrays.vert",
        ]),
    ),
    // watchOS, command-buffer functions
    ("26", Other),
    // calls instead of inlining
    ("27", Other),
];

/// The language rules, in the order of the review.
const RULES: &[(&str, State)] = &[
    ("GLSL ES 1.00: prototypes in functions", Fixed(&["es100_rejects_local_prototypes"])),
    ("GLSL ES 1.00: results that contain arrays", Fixed(&["es100_rejects_results_that_contain_arrays"])),
    ("GLSL ES 1.00: late #extension", Fixed(&["es100_rejects_late_extension_directives"])),
    ("#line and __LINE__", Fixed(&["line_directive_names_the_next_line_by_version"])),
    ("GLSL ES 3.00: reserved words", Fixed(&["es300_reserves_its_own_words"])),
    ("redeclaration with the default precision", Fixed(&["default_precision_is_the_same_declaration"])),
    ("constant initializers of one global", Fixed(&["constant_initialisers_of_one_global_agree"])),
    ("unsized arrays of blocks", Fixed(&["unsized_arrays_of_blocks_take_the_size_of_another_object"])),
    ("gl_PerVertex between stages", Fixed(&["redeclarations_of_per_vertex_agree"])),
    ("streams above 0 at the fragment shader", Fixed(&["fragment_inputs_come_from_stream_0"])),
    ("locations of members of blocks", Fixed(&["locations_of_block_members_match"])),
    ("unsized members sized by use", Fixed(&["unsized_members_of_blocks_are_sized_by_use"])),
    ("subroutine uniforms in arrays of arrays", Fixed(&["subroutine_uniforms_form_arrays_of_arrays"])),
    (
        "SPIR-V feedback of arrays of arrays and of blocks",
        Fixed(&["transform_feedback_of_arrays_of_arrays_and_of_blocks"]),
    ),
    ("gl_Layer after a geometry shader", Fixed(&["layers_of_geometry_shaders_reach_the_fragment_shader"])),
    (
        "all compatibility varyings and attributes",
        Fixed(&["all_compatibility_varyings_and_attributes_fit", "all_compatibility_varyings_are_compiled"]),
    ),
    (
        "compute derivatives",
        Fixed(&[
            "derivative_groups_are_whole",
            "derivatives_of_groups_of_2_x_2",
            "derivatives_of_linear_groups",
            "derivative_groups_of_spirv_are_whole",
        ]),
    ),
    (
        "VK_KHR_workgroup_memory_explicit_layout",
        Fixed(&["workgroup_blocks_alias", "workgroup_blocks_are_copied_as_a_whole"]),
    ),
    ("GL_NV_shader_atomic_float images", Fixed(&["nv_shader_atomic_float_has_images"])),
    ("`unsigned int` of EXT_gpu_shader4", Fixed(&["unsigned_int_constructs_values"])),
    ("xfb_offset of blocks with doubles", Fixed(&["xfb_offsets_of_blocks_with_doubles_are_multiples_of_8"])),
    ("streams on several block declarations", Fixed(&["fragment_inputs_come_from_stream_0"])),
    (
        "writes to gl_FragColor and a user output",
        Fixed(&["static_writes_to_gl_frag_color_and_an_output_exclude_each_other"]),
    ),
    ("interpolation of colors", Fixed(&["interpolation_of_colours_matches"])),
    ("length() of implicitly sized arrays", Fixed(&["length_of_an_array_without_size_is_set_by_linking"])),
    ("derivatives of constants", Fixed(&["derivatives_of_constants_are_constant"])),
    ("case of layout qualifiers", Fixed(&["layout_qualifiers_ignore_case_on_desktop"])),
    ("restrict on buffer references", Fixed(&["restrict_qualifies_buffer_references"])),
    ("late #extension in desktop GLSL", Fixed(&["late_extension_directives_on_desktop_cite_desktop_glsl"])),
    ("gl_SubGroupEqMaskARB and its kin", Fixed(&["arb_subgroup_masks_are_compiled"])),
    (
        "double varyings with component through geometry",
        Fixed(&["doubles_with_a_component_pass_through_geometry_shaders"]),
    ),
    (
        "gl_LastFragData in GLSL ES 1.00",
        Fixed(&["es100_reads_gl_last_frag_data", "es100_compiles_reads_of_gl_last_frag_data"]),
    ),
    ("OpAtomicIAdd on a chosen pointer", Fixed(&["tests/filetests/spirv/chosen_pointers.spvasm"])),
    (
        "demote beside a divergent barrier",
        Fixed(&["demotion_beside_a_divergent_subgroup_barrier_is_compiled"]),
    ),
    ("`GLSL >= 4.0`", Fixed(&["tests/src/piglit/parser.rs"])),
    ("features of Amber scripts", Fixed(&["tests/src/suites/amber_tests.rs"])),
    (
        "more than 16 samplers or 128 textures",
        Fixed(&["resources_beyond_the_indices_of_metal_are_in_argument_buffers"]),
    ),
];

/// All sources of this target.
const SOURCES: &[&str] = &[
    include_str!("apart.rs"),
    include_str!("compute.rs"),
    include_str!("glsl_link.rs"),
    include_str!("glsl_nesting.rs"),
    include_str!("interfaces.rs"),
    include_str!("language.rs"),
    include_str!("spirv.rs"),
    include_str!("spirv_nesting.rs"),
    include_str!("undefined.rs"),
];

/// Whether a test or file exists.
fn exists(evidence: &str) -> bool {
    if evidence.contains('/') {
        return Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(evidence).exists();
    }
    let test = format!("#[test]\nfn {evidence}()");
    SOURCES.iter().any(|source| source.contains(&test))
}

/// Prints the counts of a list; the names of the rows that are left.
fn report(title: &str, rows: &[(&'static str, State)]) -> Vec<&'static str> {
    let (mut fixed, mut reasons, mut other, mut left) = (0, 0, 0, Vec::new());
    for (name, state) in rows {
        let evidence: &[&str] = match state {
            Fixed(tests) => {
                fixed += 1;
                tests
            }
            Reason(why, tests) => {
                reasons += 1;
                assert!(!why.is_empty() && !tests.is_empty(), "{name}");
                tests
            }
            Other => {
                other += 1;
                &[]
            }
            Left(why) => {
                println!("left: {name}: {why}");
                left.push(*name);
                &[]
            }
        };
        for evidence in evidence {
            assert!(exists(evidence), "{name}: there is no test {evidence}");
        }
    }
    println!(
        "{title}: {fixed} fixed, {reasons} with a reason, {} left, {other} outside this list",
        left.len()
    );
    left
}

#[test]
fn defects_left() {
    let expected: Vec<String> = (0..=27).map(|n| n.to_string()).collect();
    let numbers: Vec<&str> = DEFECTS.iter().map(|row| row.0).filter(|name| *name != "12a").collect();
    assert_eq!(numbers, expected);
    assert_eq!(report("defects", DEFECTS), [""; 0]);
    assert_eq!(report("language rules", RULES), [""; 0]);
}
