//! Built-in values of stages: which arguments, outputs and functions of Metal they are, and by which rules.

use airfoil_air::select::{Options, select};
use airfoil_air::validate;
use airfoil_ir::Diagnostic;

fn ll(text: &str) -> Result<String, Vec<Diagnostic>> {
    let shader = airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    let faults = airfoil_ir::validate::validate(&shader);
    assert!(faults.is_empty(), "{}\n{text}", faults[0]);
    let selected = select(&shader, &Options { target: "macos14".parse().unwrap(), ..Options::default() })?;
    let violations = validate::validate(&selected.module);
    assert!(violations.is_empty(), "{}\n{}", violations[0], selected.to_ll());
    Ok(selected.to_ll())
}

/// A shader that stores the number `%r` to an output or the colour `%c` to an attachment.
fn shader(stage: &str, declarations: &str, code: &str, store: &str) -> String {
    format!(
        "foil 1\nshader {stage} \"s\" {{\n  form target\n{declarations}\n  entry fn main {{\n    32x1 %z = const 0\n{code}\n    {store}\n  }}\n}}\n"
    )
}

fn vertex(declarations: &str, code: &str) -> String {
    let declarations = format!("  out vec4 p location=position\n  out int n location=0\n{declarations}");
    shader("vertex", &declarations, code, "store_output %r, %z io=0 mask=x src_type=int32")
}

fn fragment(declarations: &str, code: &str) -> String {
    let declarations = format!("  out vec4 c location=0\n{declarations}");
    shader("fragment", &declarations, code, "store_output %c, %z io=0 mask=xyzw src_type=float32")
}

/// All of the words are there, and none that starts with `!`.
fn expect(text: &str, words: &[&str]) {
    let out = ll(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    for word in words {
        let (there, word) = word.strip_prefix('!').map_or((true, *word), |word| (false, word));
        assert!(out.contains(word) == there, "{word}, {there}\n{text}\n{out}");
    }
}

/// Metal's numbers include the bases. OpenGL's `gl_VertexID` and Vulkan's `gl_VertexIndex` include the first vertex, too,
/// `gl_InstanceIndex` the first instance, and `gl_InstanceID` does not (OpenGL 4.6 section 11.1.3.9, Vulkan 1.3 section 15.9).
#[test]
fn numbers_of_vertices_and_instances() {
    for (code, words) in [
        ("%r = load_vertex_id", &["air.vertex_id", "!air.base_vertex", "! sub "][..]),
        ("%r = load_vertex_id_zero_base", &["air.vertex_id", "air.base_vertex", " sub i32 %a0, %a1"]),
        ("%r = load_instance_index", &["air.instance_id", "!air.base_instance", "! sub "]),
        ("%r = load_instance_id", &["air.instance_id", "air.base_instance", " sub i32 %a0, %a1"]),
        ("%r = load_base_vertex", &["air.base_vertex", "!air.vertex_id"]),
        ("%r = load_base_instance", &["air.base_instance", "!air.instance_id"]),
    ] {
        expect(&vertex("", code), words);
    }
}

#[test]
fn what_the_last_stage_before_rasterisation_gives() {
    let layered = "  out int layer location=layer\n  out int viewport location=viewport\n  out float size location=point_size";
    let code = "%r = load_vertex_id\n32x1 %f = const 2.0\nstore_output %r, %z io=layer mask=x src_type=int32\n\
        store_output %r, %z io=viewport mask=x src_type=int32\nstore_output %f, %z io=point_size mask=x src_type=float32";
    expect(
        &vertex(layered, code),
        &["\"air.render_target_array_index\"", "\"air.viewport_array_index\"", "\"air.point_size\""],
    );
}

#[test]
fn what_fragments_know() {
    for (code, words) in [
        ("%c = load_frag_coord", &["air.position", "air.no_perspective"][..]),
        ("%n = load_sample_id\n32x1 %f = u2f %n\n%c = mov %f.xxxx", &["\"air.sample_id\""]),
        (
            "%n = load_sample_pos\n%c = mov %n.xyxy",
            &["\"air.sample_id\"", "@air.get_sample_position.v2f32(i32 %a0, i32 0)"],
        ),
        ("%n = load_sample_mask_in\n32x1 %f = u2f %n\n%c = mov %f.xxxx", &["\"air.sample_mask_in\""]),
        ("%n = load_layer_id\n32x1 %f = u2f %n\n%c = mov %f.xxxx", &["\"air.render_target_array_index\""]),
        ("%n = load_viewport_id\n32x1 %f = u2f %n\n%c = mov %f.xxxx", &["\"air.viewport_array_index\""]),
        ("%n = load_primitive_id\n32x1 %f = u2f %n\n%c = mov %f.xxxx", &["\"air.primitive_id\""]),
        (
            "%n = load_helper_invocation\n32x1 %f = b2f %n\n%c = mov %f.xxxx",
            &["@air.simd_is_helper_thread()"],
        ),
        ("%n = load_point_coord\n%c = mov %n.xyxy", &["\"air.point_coord\""]),
        ("%n = load_front_face\n32x1 %f = b2f %n\n%c = mov %f.xxxx", &["\"air.front_facing\""]),
    ] {
        expect(&fragment("", code), words);
    }
}

/// Where a value is interpolated: an argument says it, or the argument is an interpolant that is asked.
#[test]
fn interpolation() {
    let at = |bary: &str| format!("{bary}\n32x4 %c = load_interpolated_input %b, %z io=1 dest_type=float32");
    let (plain, flat) = ("  in vec4 v location=1", "  in vec4 v location=1 flat");
    for (declaration, code, words) in [
        (plain, at("%b = load_barycentric_pixel"), &["\"air.center\", !\"air.perspective\""][..]),
        (plain, at("%b = load_barycentric_centroid"), &["\"air.centroid\", !\"air.perspective\""]),
        (plain, at("%b = load_barycentric_sample"), &["\"air.sample\", !\"air.perspective\""]),
        (
            plain,
            at("%n = load_sample_id\n%b = load_barycentric_at_sample %n"),
            &["air.interpolation_function", "@air.interpolate_sample_perspective.v4f32("],
        ),
        (
            // Metal counts from the corner of the pixel, the sources from its centre.
            plain,
            at("32x2 %o = const 0.25, -0.25\n%b = load_barycentric_at_offset %o"),
            &["@air.interpolate_offset_perspective.v4f32(", ", <float 5.000000e-01, float 5.000000e-01>"],
        ),
        (flat, "32x4 %c = load_input %z io=1 dest_type=float32".to_owned(), &["\"air.flat\""]),
    ] {
        expect(&fragment(declaration, &code), words);
    }
}

#[test]
fn what_fragments_give() {
    let depth = "  out float d location=depth";
    let code = "%c = load_frag_coord\n%d = mov %c.z\nstore_output %d, %z io=depth mask=x src_type=float32";
    for (layout, word) in [
        ("", "\"air.depth\", !\"air.depth_qualifier\", !\"air.any\""),
        ("  depth_layout greater\n", "\"air.greater\""),
        ("  depth_layout less\n", "\"air.less\""),
        ("  depth_layout unchanged\n", "\"air.depth\""),
    ] {
        expect(&fragment(&format!("{layout}{depth}"), code), &[word]);
    }
    let mask = "  out int m location=sample_mask";
    let code = "%c = load_frag_coord\n%m = load_sample_mask_in\nstore_output %m, %z io=sample_mask mask=x src_type=int32";
    expect(&fragment(mask, code), &["{!\"air.sample_mask\"", "\"air.sample_mask_in\""]);
    let second = "  out vec4 second location=0 index=1";
    let code = "%c = load_frag_coord\nstore_output %c, %z io=(0 dual_source=1) mask=xyzw src_type=float32";
    expect(
        &fragment(second, code),
        &["air.render_target\", i32 0, i32 0", "air.render_target\", i32 0, i32 1"],
    );
    expect(&fragment("  early_fragment_tests", "%c = load_frag_coord"), &["\"early_fragment_tests\""]);
}

/// What only the program knows is refused by name.
#[test]
fn numbers_of_draws_are_refused() {
    let faults = ll(&vertex("", "%r = load_draw_id")).expect_err("Metal has no numbers of draws");
    assert!(faults[0].code == "E0503" && faults[0].message.contains("draw_id"), "{}", faults[0]);
}
