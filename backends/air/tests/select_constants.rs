//! Function constants, argument buffers, constant samplers and visible functions: text that Apple's compiler writes for the same
//! (`metaljl-constants`, `antinaho-shaders.1`, `kagura-e2_gsampler`, `akuma-shaders.1`, `ayush-shader.0` of the corpus), and refusals.

use airfoil_air::select::{ArgumentBuffers, Options, SamplerFilter, SamplerState, select};
use airfoil_air::{bitcode, validate};
use airfoil_ir::Diagnostic;

fn selected(text: &str, options: &Options) -> Result<String, Vec<Diagnostic>> {
    let shader = airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    let broken = airfoil_ir::validate::validate(&shader);
    assert!(broken.is_empty(), "{}\n{text}", broken[0]);
    let selected = select(&shader, options)?;
    let violations = validate::validate(&selected.module);
    assert!(violations.is_empty(), "{}\n{}", violations[0], selected.to_ll());
    let again = bitcode::read(&bitcode::write(&selected.module)).unwrap_or_else(|e| panic!("{e}"));
    assert!(validate::validate(&again).is_empty());
    Ok(selected.to_ll())
}

fn options(target: &str) -> Options {
    Options { target: target.parse().unwrap(), ..Options::default() }
}

fn contains(ll: &str, parts: &[&str]) {
    for part in parts {
        assert!(ll.contains(part), "{part}\n{ll}");
    }
}

fn refused(text: &str, options: &Options) -> String {
    selected(text, options).unwrap_err().remove(0).message
}

const CONSTANTS: &str = r#"foil 1
shader compute "vadd" {
  form target
  workgroup_size 1 1 1
  ssbo C { float c @0 } c set=0 binding=0
  spec_const float foo binding=0 = 1.5
  spec_const bool bar binding=2 = true
  entry fn main {
    32x1 %z = const 0
    %w = deref_var &c
    %f = deref_var &foo
    %b = deref_var &bar
    32x1 %x = load_deref %f access=can_reorder
    1x1 %y = load_deref %b access=can_reorder
    %r = bcsel %y, %x, %z
    store_ssbo %r, %w, %z align=4
  }
}
"#;

#[test]
fn function_constants() {
    let ll = selected(CONSTANTS, &options("macos26")).unwrap();
    contains(
        &ll,
        &[
            "@_ZL3foo = internal unnamed_addr addrspace(2) global float undef, align 4",
            "@_Z3foo.MTL_FC_INIT_0_f = internal unnamed_addr addrspace(2) externally_initialized constant float undef, section \"air.fc_initializer\", align 4",
            "@_Z3bar.MTL_FC_INIT_2_b = internal unnamed_addr addrspace(2) externally_initialized constant i8 undef, section \"air.fc_initializer\", align 1",
            "@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 65535, void ()* @_GLOBAL__sub_I_vadd, i8* null }]",
            "section \"air.static_init\"",
            "load float, float addrspace(2)* @_Z3foo.MTL_FC_INIT_0_f, align 4",
            "@air.is_function_constant_defined(i8 addrspace(2)* @_Z3bar.MTL_FC_INIT_2_b)",
            "load float, float addrspace(2)* @_ZL3foo, align 4",
            "{float addrspace(2)* @_Z3foo.MTL_FC_INIT_0_f, !\"float\", !\"foo\", i32 0, i1 false}",
            "{i8 addrspace(2)* @_Z3bar.MTL_FC_INIT_2_b, !\"bool\", !\"bar\", i32 2, i1 false}",
        ],
    );
    // Modules of macOS 11 and 12 have no section for them.
    let ll = selected(CONSTANTS, &options("macos11")).unwrap();
    assert!(ll.contains("section \"air.static_init\"") && !ll.contains("air.fc_initializer"), "{ll}");
}

#[test]
fn function_constants_that_metal_cannot_have() {
    assert!(refused(CONSTANTS, &options("macos10.11")).contains("macOS 10.12"));
    let high = CONSTANTS.replace("binding=2", "binding=65536");
    assert!(refused(&high, &Options::default()).contains("end at 65535"));
    let twice = CONSTANTS.replace("binding=2", "binding=0");
    assert!(refused(&twice, &Options::default()).contains("two specialisation constants have the number 0"));
    let double = CONSTANTS.replace("spec_const float foo", "spec_const float64 foo").replace(
        "32x1 %x = load_deref %f access=can_reorder",
        "64x1 %d = load_deref %f access=can_reorder\n    32x2 %u = unpack_64_2x32 %d\n    %x = mov %u.x",
    );
    assert!(refused(&double, &Options::default()).contains("64-bit float"));
    // One that is not read is none.
    let unused =
        CONSTANTS.replace("binding=2 = true", "binding=2 = true\n  spec_const float64 no binding=9 = 1.0");
    assert!(selected(&unused, &Options::default()).is_ok());
}

fn textures(length: &str, index: &str) -> String {
    format!(
        r#"foil 1
shader fragment "shape" {{
  form target
  in vec2 uv location=0
  in uint n location=1 flat
  out vec4 o location=0
  uniform texture(2d float32){length} textures set=1 binding=0
  uniform sampler pick set=0 binding=0
  entry fn main {{
    32x1 %z = const 0
    %b = load_barycentric_pixel
    32x2 %uv = load_interpolated_input %b, %z io=0 dest_type=float32
    32x1 %n = load_input %z io=1 dest_type=uint32
    %t = deref_var &textures
    %e = deref_array %t[{index}]
    %s = deref_var &pick
    32x4 %c = tex 2d float32 texture=%e sampler=%s coord=%uv
    store_output %c, %z io=0 src_type=float32
  }}
}}
"#
    )
}

#[test]
fn argument_buffers() {
    let mut options = options("macos15");
    options.bindings.argument_buffers = ArgumentBuffers::Sets([1].into());
    options.bindings.sets.insert(1, 3);
    let ll = selected(&textures("[128]", "%n"), &options).unwrap();
    contains(
        &ll,
        &[
            "i32 0, i32 1024, i32 0, !\"array<texture2d<float, sample>, 128>\", !\"textures\", !\"air.indirect_argument\", !",
            "{i32 0, !\"air.texture\", !\"air.location_index\", i32 0, i32 128, !\"air.sample\", !\"air.arg_type_name\", !\"array<texture2d<float, sample>, 128>\", !\"air.arg_name\", !\"textures\"}",
            "!\"air.indirect_buffer\", !\"air.buffer_size\", i32 1024, !\"air.location_index\", i32 3, i32 1, !\"air.read\", !\"air.address_space\", i32 2, !\"air.struct_type_info\", !",
            "!\"air.arg_type_size\", i32 1024, !\"air.arg_type_align_size\", i32 8,",
            "addrspace(2)* nocapture readonly align 8 dereferenceable(1024) \"air-buffer-no-alias\"",
            "i64 0, i32 0, i64 %",
        ],
    );
    // Memory that handles refer to is not memory of the arguments.
    assert!(ll.contains("attributes #0 = { convergent nounwind readonly"), "{ll}");
}

#[test]
fn arrays_of_unknown_length_are_device_memory() {
    let ll = selected(&textures("[]", "%n"), &options("macos14")).unwrap();
    contains(
        &ll,
        &[
            "%struct.Set1Binding0 = type { [1 x %struct._texture_2d_t addrspace(1)*] }",
            "!\"air.indirect_buffer\", !\"air.location_index\", i32 0, i32 1, !\"air.read\", !\"air.address_space\", i32 1,",
        ],
    );
    assert!(refused(&textures("[]", "%n"), &options("macos10.12")).contains("macOS 10.13"));
}

#[test]
fn several_arrays_of_unknown_length_inside_each_other_are_refused() {
    let text = textures("[][]", "%n")
        .replace("%s = deref_var", "%i = deref_array %e[%n]\n    %s = deref_var")
        .replace("texture=%e", "texture=%i");
    assert!(refused(&text, &Options::default()).contains("unknown length inside"), "{text}");
}

#[test]
fn constant_samplers() {
    let state =
        SamplerState { mag: SamplerFilter::Linear, min: SamplerFilter::Linear, ..SamplerState::default() };
    let compile = |target: &str| {
        let mut options = options(target);
        options.bindings.constant_samplers.insert((0, 0), state);
        selected(&textures("[2]", "%n"), &options).unwrap()
    };
    contains(
        &compile("macos26"),
        &[
            "@__air_sampler_state = internal addrspace(2) constant [2 x i64] [i64 34901797601020489, i64 0], align 8",
            "%struct._sampler_t addrspace(2)* bitcast ([2 x i64] addrspace(2)* @__air_sampler_state to %struct._sampler_t addrspace(2)*)",
            "{!\"air.sampler_state\", [2 x i64] addrspace(2)* @__air_sampler_state}",
        ],
    );
    contains(
        &compile("macos14"),
        &[
            "@__air_sampler_state = internal addrspace(2) constant i64 -9188470239253755319, align 8",
            "{!\"air.sampler_state\", i64 addrspace(2)* @__air_sampler_state}",
        ],
    );
    let old = compile("macos10.14");
    assert!(old.contains("inttoptr (i64 -") && !old.contains("air.sampler_state"), "{old}");
}

const VISIBLE: &str = r#"foil 1
shader compute "distortionEffect" {
  form target
  visible
  in vec2 pos location=0 flat
  in vec4 bounds location=1 flat
  in float t location=2 flat
  out vec2 result location=0
  entry fn main {
    32x1 %z = const 0
    32x2 %p = load_input %z io=0 dest_type=float32
    32x1 %t = load_input %z io=2 dest_type=float32
    %r = fmul %p, %t.xx
    store_output %r, %z io=0 src_type=float32
  }
}
"#;

#[test]
fn visible_functions() {
    let ll = selected(VISIBLE, &options("macos14")).unwrap();
    contains(
        &ll,
        &[
            "define <2 x float> @distortionEffect(<2 x float> %a0, <4 x float> %a1, float %a2) local_unnamed_addr",
            "!air.visible = !{",
            "{!\"air.visible_output\", !\"air.arg_type_name\", !\"float2\"}",
            "{i32 0, !\"air.visible_input\", !\"air.arg_type_name\", !\"float2\", !\"air.arg_name\", !\"pos\"}",
            "{i32 1, !\"air.visible_input\", !\"air.arg_type_name\", !\"float4\", !\"air.arg_name\", !\"bounds\"}",
            "{i32 2, !\"air.visible_input\", !\"air.arg_type_name\", !\"float\", !\"air.arg_name\", !\"t\"}",
        ],
    );
    assert!(!ll.contains("max-work-group-size") && !ll.contains("air.kernel"), "{ll}");
    assert!(refused(VISIBLE, &options("macos10.15")).contains("macOS 11"));
    let id = VISIBLE.replace(
        "%r = fmul %p, %t.xx",
        "%i = load_local_invocation_index\n    %f = u2f %i\n    %r = fmul %p, %f.xx",
    );
    let id = id.replace("%f = u2f %i", "32x1 %f = u2f %i");
    assert!(refused(&id, &options("macos14")).contains("a built-in value"));
}
