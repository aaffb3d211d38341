//! Every operation of the tables is selected, in every width that Metal has, or refused with its name.

use airfoil_air::select::{FastMathMode, Options, select};
use airfoil_air::{bitcode, validate};
use airfoil_ir::alu::{ALU_OPS, AluProps, AluType, Base};
use airfoil_ir::{Diagnostic, Shader};

fn parse(text: &str) -> Shader {
    airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

fn selected(text: &str, options: &Options) -> Result<String, Vec<Diagnostic>> {
    let selected = select(&parse(text), options)?;
    let violations = validate::validate(&selected.module);
    assert!(violations.is_empty(), "{}\n{}\n{text}", violations[0], selected.to_ll());
    assert!(!bitcode::write(&selected.module).is_empty());
    Ok(selected.to_ll())
}

fn ll(text: &str, options: &Options) -> String {
    selected(text, options).unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

fn mode(fast_math: FastMathMode) -> Options {
    Options { fast_math, ..Options::default() }
}

/// A fragment function that applies `op` to loaded values and stores the result.
fn alu_shader(name: &str, operands: &[AluType], result: AluType, bits: u8, out: u8, comps: u8) -> String {
    let mut code = String::new();
    let shape = |t: &AluType, bits: u8| {
        let bits = if t.bits == 0 { bits } else { t.bits };
        (bits, if t.comps == 0 { comps } else { t.comps })
    };
    let mut names = Vec::new();
    for (i, t) in operands.iter().enumerate() {
        let (bits, comps) = shape(t, bits);
        let memory = if bits == 1 { 32 } else { bits };
        code += &format!("    32x1 %o{i} = const {}\n", i * 64);
        code += &format!("    {memory}x{comps} %m{i} = load_ssbo %b, %o{i} align=16\n");
        if bits == 1 {
            code += &format!("    {memory}x{comps} %z{i} = const 0\n    %a{i} = ine %m{i}, %z{i}\n");
        } else {
            code += &format!("    %a{i} = mov %m{i}\n");
        }
        names.push(format!("%a{i}"));
    }
    let (result_bits, result_comps) = shape(&result, out);
    code += &format!("    {result_bits}x{result_comps} %r = {name} {}\n", names.join(", "));
    let mut value = "%r";
    if result_bits == 1 {
        code += &format!("    32x{result_comps} %w = b2i %r\n");
        value = "%w";
    }
    format!(
        "foil 1\nshader fragment \"f\" {{\n  form target\n  file \"a.frag\"\n  ssbo B {{ vec4[stride=16] data @0 }} b set=0 binding=0\n  entry fn main {{\n    %b = deref_var &b\n{code}    32x1 %end = const 512\n    store_ssbo {value}, %b, %end align=16\n  }}\n}}\n"
    )
}

#[test]
fn every_alu_operation() {
    for &op in ALU_OPS {
        let info = op.info();
        let sized = info.props.contains(AluProps::SIZED);
        let all = || info.operands.iter().chain([&info.result]);
        let unsized_any = info.operands.iter().any(|o| o.bits == 0);
        for bits in [8u8, 16, 32, 64] {
            if !unsized_any && bits != 32 {
                continue;
            }
            for out in [8u8, 16, 32, 64] {
                if (!sized && out != bits) || (sized && info.result.base == Base::Float && out == 8) {
                    continue;
                }
                let float8 = info.operands.iter().any(|o| o.base == Base::Float && o.bits == 0) && bits == 8;
                if float8 || (!sized && info.result.base == Base::Float && info.result.bits == 0 && bits == 8)
                {
                    continue;
                }
                let fixed = info.result.comps != 0 || info.operands.iter().any(|o| o.comps != 0);
                for comps in if fixed { vec![1] } else { vec![1, 3] } {
                    let text = alu_shader(op.name(), info.operands, info.result, bits, out, comps);
                    let double = all().any(|t| {
                        let width = match t.bits {
                            0 if std::ptr::eq(t, &info.result) && sized => out,
                            0 => bits,
                            n => n,
                        };
                        t.base == Base::Float && width == 64
                    });
                    for m in [FastMathMode::Precise, FastMathMode::Relaxed, FastMathMode::Fast] {
                        match selected(&text, &mode(m)) {
                            Ok(_) => assert!(!double, "{text}"),
                            Err(e) => {
                                let rows = "its AIR belongs into backends/air/src/select/body/alu_tables.rs or alu.rs";
                                assert!(double, "{}\n{rows}\n{text}", e[0]);
                                assert_eq!(e[0].code, "E0502");
                                assert!(e[0].message.contains(op.name()), "{}", e[0]);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A fragment function around a few lines of code.
fn fragment(declarations: &str, code: &str) -> String {
    format!(
        "foil 1\nshader fragment \"f\" {{\n  form target\n  file \"a.frag\"\n  in vec4 v location=0\n  in ivec4 n location=1 flat\n  out vec4 color location=0\n{declarations}\n  entry fn main {{\n    32x1 %zero = const 0\n    %bary = load_barycentric_pixel\n    32x4 %v = load_interpolated_input %bary, %zero io=0 dest_type=float32\n    32x4 %n = load_input %zero io=1 dest_type=int32\n{code}\n    store_output %r, %zero io=0 src_type=float32\n  }}\n}}\n"
    )
}

#[test]
fn fast_math_modes() {
    let text = fragment(
        "",
        "%s = fsin %v\n%m = fmul %s, %v\n%x = fmax %m, %v\n%e = fadd! %x, %v\n%p = fexp2! %e\n%r = fadd %p, %v",
    );
    let precise = ll(&text, &mode(FastMathMode::Precise));
    for part in ["@air.sin.v4f32", "fmul <4 x float>", "@air.fmax.v4f32", "fast_math_disable"] {
        assert!(precise.contains(part), "{part}\n{precise}");
    }
    let relaxed = ll(&text, &mode(FastMathMode::Relaxed));
    for part in [
        "@air.fast_sin.v4f32",
        "fmul nsz arcp contract <4 x float>",
        "@air.fmax.v4f32",
        "@air.exp2.v4f32",
        "= fadd <4 x float>",
        "fast_math_disable",
    ] {
        assert!(relaxed.contains(part), "{part}\n{relaxed}");
    }
    let fast = ll(&text, &mode(FastMathMode::Fast));
    for part in [
        "call fast <4 x float> @air.fast_sin.v4f32",
        "fmul fast <4 x float>",
        "@air.fast_fmax.v4f32",
        "call <4 x float> @air.exp2.v4f32",
        "= fadd <4 x float>",
        "fast_math_enable",
        "\"unsafe-fp-math\"=\"true\"",
    ] {
        assert!(fast.contains(part), "{part}\n{fast}");
    }
    let kept = text.replace("form target", "form target\n  preserve_float_special 32");
    assert!(ll(&kept, &mode(FastMathMode::Relaxed)).contains("fmul arcp contract"));
    assert!(!ll(&kept, &mode(FastMathMode::Fast)).contains(" nnan "));
}

#[test]
fn a_phi_has_the_type_of_its_uses() {
    let text = fragment(
        "  ubo P { vec4 a @0, uint k @16 } p set=0 binding=0",
        "%p = deref_var &p\n32x1 %o16 = const 16\n32x4 %a = load_ubo %p, %zero align=16\n32x1 %k = load_ubo %p, %o16 align=4\n%c = ine %k, %zero\nif %c {\nl:\n%x = fmul %a, %v\n} else {\ne:\n}\n%y = phi l: %x, e: %a\n%r = fadd %y, %v",
    );
    let out = ll(&text, &Options::default());
    assert!(out.contains("phi <4 x float> [ "), "{out}");
    assert!(!out.contains("bitcast"), "{out}");
    assert!(out.contains("icmp ne i32 "), "{out}");
}

#[test]
fn texture_operations() {
    let declarations = "  uniform sampled(2d float32) t set=0 binding=0\n  uniform sampled(2d float32 array) ta set=0 binding=1\n  uniform sampled(cube float32 array) tc set=0 binding=2\n  uniform sampled(3d float32) t3 set=0 binding=3\n  uniform sampled(2d float32 shadow) ts set=0 binding=4\n  uniform texture(ms float32) tm set=0 binding=5\n  uniform texture(buf float32) tb set=0 binding=6\n  uniform sampled(1d float32) t1 set=0 binding=7\n  uniform sampled(2d uint32) tu set=0 binding=8\n";
    for (code, wanted) in [
        (
            "32x4 %r = txl 2d float32 texture=%x sampler=%x coord=%c2 lod=%f",
            "air.sample_texture_2d.v4f32(%struct._texture_2d_t addrspace(1)* %a2, %struct._sampler_t addrspace(2)* %a3, <2 x float> %",
        ),
        (
            "32x4 %r = txb 2d float32 texture=%x sampler=%x coord=%c2 bias=%f offset=%i2",
            "i1 true, <2 x i32> %v",
        ),
        (
            "32x4 %r = txd 2d float32 texture=%x sampler=%x coord=%c2 ddx=%c2 ddy=%c2 min_lod=%f",
            "@air.sample_texture_2d_grad.v4f32",
        ),
        ("32x4 %r = tex 2d float32 array texture=%xa sampler=%xa coord=%c3", "@air.rint.f32"),
        (
            "32x4 %r = tex cube float32 array texture=%xc sampler=%xc coord=%c4",
            "@air.sample_texture_cube_array.v4f32",
        ),
        ("32x4 %r = tex 3d float32 texture=%x3 sampler=%x3 coord=%c3", "@air.sample_texture_3d.v4f32"),
        (
            "32x4 %r = tex 1d float32 texture=%x1 sampler=%x1 coord=%f",
            "i1 false, i32 0, i1 false, float 0.000000e+00, float 0.000000e+00, i32 0",
        ),
        (
            "32x1 %s = tex 2d float32 shadow texture=%xs sampler=%xs coord=%c2 comparator=%f\n%r = vec4 %s, %s, %s, %s",
            "call { float, i8 } @air.sample_compare_depth_2d.f32(",
        ),
        (
            "32x4 %r = tg4 2d float32 shadow texture=%xs sampler=%xs coord=%c2 comparator=%f",
            "call { <4 x float>, i8 } @air.gather_compare_depth_2d.f32(",
        ),
        (
            "32x4 %r = tg4 2d float32 texture=%x sampler=%x coord=%c2 component=2",
            "i1 true, <2 x i32> zeroinitializer, i32 2, i32 0)",
        ),
        (
            "32x4 %r = txf 2d float32 texture=%x coord=%i2 lod=%i",
            "@air.read_texture_2d.v4f32(%struct._texture_2d_t addrspace(1)* %a2, <2 x i32> %v",
        ),
        ("32x4 %r = txf_ms ms float32 texture=%xm coord=%i2 ms_index=%i", "@air.read_texture_2d_ms.v4f32("),
        ("32x4 %r = txf buf float32 texture=%xb coord=%i", "@air.read_texture_buffer_1d.v4f32("),
        (
            "32x2 %s = txs 2d uint32 texture=%x lod=%i\n32x2 %q = u2f %s\n%r = vec4 %q.x, %q.y, %f, %f",
            "@air.get_height_texture_2d(",
        ),
        (
            "32x1 %s = query_levels 2d uint32 texture=%x\n32x1 %q = u2f %s\n%r = vec4 %q, %q, %f, %f",
            "@air.get_num_mip_levels_texture_2d(",
        ),
        (
            "32x1 %s = samples ms uint32 texture=%xm\n32x1 %q = u2f %s\n%r = vec4 %q, %q, %f, %f",
            "@air.get_num_samples_texture_2d_ms(",
        ),
        (
            "32x2 %q = lod 2d float32 texture=%x sampler=%x coord=%c2\n%r = vec4 %q.x, %q.y, %f, %f",
            "@air.calculate_unclamped_lod_texture_2d(",
        ),
        (
            "32x4 %q = tex 2d uint32 texture=%xu sampler=%xu coord=%c2\n32x4 %r = u2f %q",
            "@air.sample_texture_2d.u.v4i32(",
        ),
    ] {
        let head = "%x = deref_var &t\n%xa = deref_var &ta\n%xc = deref_var &tc\n%x3 = deref_var &t3\n%xs = deref_var &ts\n%xm = deref_var &tm\n%xb = deref_var &tb\n%x1 = deref_var &t1\n%xu = deref_var &tu\n%c2 = mov %v.xy\n%c3 = mov %v.xyz\n%c4 = mov %v\n%f = mov %v.w\n%i = mov %n.x\n%i2 = mov %n.xy\n";
        let out = ll(&fragment(declarations, &format!("{head}{code}")), &Options::default());
        assert!(out.contains(wanted), "{wanted}\n{code}\n{out}");
        for target in ["macos10.15", "macos26"] {
            let options = Options { target: target.parse().unwrap(), ..Options::default() };
            let out = ll(&fragment(declarations, &format!("{head}{code}")), &options);
            let reads = out.contains("@air.read_");
            assert_eq!(out.contains("@air.get_read_sampler"), reads && target == "macos26", "{out}");
        }
    }
}

/// What passes leave no more is refused by the name of the pass.
#[test]
fn texture_operations_that_passes_lower() {
    let declarations =
        "  uniform sampled(2d float32) t set=0 binding=0\n  uniform sampled(rect float32) tr set=0 binding=1";
    for (code, pass) in [
        (
            "32x4 %r = tg4 2d float32 texture=%x sampler=%x coord=%c2 offsets=(0, 1)(-8, 7)(1, 0)(0, 0)",
            "lower_tg4_offsets",
        ),
        ("32x4 %r = tex 2d float32 texture=%x sampler=%x coord=%c2 projector=%f", "lower_tex_projector"),
        ("32x4 %r = tex rect float32 texture=%xr sampler=%xr coord=%c2", "lower_tex_rect"),
    ] {
        let head = "%x = deref_var &t\n%xr = deref_var &tr\n%c2 = mov %v.xy\n%f = mov %v.w\n";
        let shader = fragment(declarations, &format!("{head}{code}"));
        let faults = selected(&shader, &Options::default()).expect_err(code);
        assert!(faults.iter().any(|f| f.code == "E0507" && f.message.contains(pass)), "{faults:?}");
    }
}

fn kernel(declarations: &str, code: &str) -> String {
    format!(
        "foil 1\nshader compute \"k\" {{\n  form target\n  file \"a.comp\"\n  workgroup_size 64 1 1\n{declarations}\n  entry fn main {{\n    32x1 %zero = const 0\n    %id = load_global_invocation_id\n    %x = mov %id.x\n{code}\n  }}\n}}\n"
    )
}

#[test]
fn images() {
    let images = "  image image(2d float32 rgba8) src set=0 binding=0\n  image image(2d float32 rgba8) dst set=0 binding=1\n  image image(2d uint32 r32ui) cnt set=0 binding=2";
    let code = "%p = mov %id.xy\n%s = deref_var &src\n%d = deref_var &dst\n32x4 %t = image_load %s, %p, %zero dim=2d dest_type=float32\nimage_store %d, %p, %zero, %t dim=2d src_type=float32\n%sz = image_size %d, %zero dim=2d";
    let code = code.replace("%sz = image_size", "32x2 %sz = image_size");
    let out = ll(&kernel(images, &code), &Options::default());
    for part in [
        "@air.read_texture_2d.v4f32(%struct._texture_2d_t addrspace(1)* %a0, <2 x i32> %a2, i32 0, i32 1)",
        "@air.write_texture_2d.v4f32(%struct._texture_2d_t addrspace(1)* %a1, <2 x i32> %a2, <4 x float> %v",
        "i32 0, i32 2)",
        "texture2d<float, write>",
        "!\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint2\"",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let atomic = "%p = mov %id.xy\n%c = deref_var &cnt\n32x1 %one = const 1\n32x1 %old = image_atomic %c, %p, %zero, %one op=iadd dim=2d @0:17";
    let old = selected(&kernel(images, atomic), &Options::default()).expect_err("needs macOS 14");
    assert_eq!(old[0].code, "E0506");
    assert!(old[0].to_string().contains("a.comp:17"), "{}", old[0]);
    let options = Options { target: "macos14".parse().unwrap(), ..Options::default() };
    let out = ll(&kernel(images, atomic), &options);
    assert!(out.contains("@air.atomic_fetch_add_explicit_texture_2d.u.v4i32("), "{out}");
    // Metal's compare-exchange may fail for no reason: it is tried again if it did and found what was expected.
    let swap = "%p = mov %id.xy\n%c = deref_var &cnt\n32x2 %both = const 7, 8\n32x1 %old = image_atomic_swap %c, %p, %zero, %both op=cmpxchg dim=2d";
    let out = ll(&kernel(images, swap), &options);
    let at = |part: &str| out.find(part).unwrap_or_else(|| panic!("{part}\n{out}"));
    let (call, differs) = (at("call i1 @air.atomic_compare_exchange_weak_explicit_"), at("icmp ne i32"));
    let (ends, branch) = (at(" = or i1 "), at("br i1 "));
    assert!(call < differs && differs < ends && ends < branch, "{out}");
}

#[test]
fn levels_can_be_asked_for_where_there_are_derivatives() {
    let declared = "  uniform sampled(2d float32) t set=0 binding=4\n";
    let code = "%t = deref_var &t\n32x2 %at = const 0.5, 0.25\n32x2 %r = lod 2d float32 texture=%t sampler=%t coord=%at @0:9";
    let faults = selected(&kernel(declared, code), &Options::default()).expect_err("a kernel");
    assert_eq!(faults[0].code, "E0507");
    let text = faults[0].to_string();
    assert!(text.contains("in fragment functions only") && text.contains("a.comp:9"), "{text}");
}

#[test]
fn what_metal_lacks_is_refused_with_its_place() {
    let refused = |text: &str, code: &str, words: &[&str]| {
        let errors = selected(text, &Options::default()).expect_err("this should be refused");
        assert_eq!(errors[0].code, code, "{}", errors[0]);
        for word in words {
            assert!(errors[0].to_string().contains(word), "{word}: {}", errors[0]);
        }
    };
    refused(
        &fragment(
            "",
            "64x1 %d = f2f %v.x\n64x1 %e = fadd %d, %d @0:23\n32x1 %f = f2f %e\n%r = vec4 %f, %f, %f, %f",
        ),
        "E0502",
        &["f2f", "64-bit"],
    );
    refused(
        &fragment("", "%d = load_draw_id @0:9\n32x1 %f = u2f %d\n%r = vec4 %f, %f, %f, %f"),
        "E0503",
        &["draw_id", "a.frag:9"],
    );
    refused(
        &fragment("", "32x1 %z = const 0\n32x4 %r = load_per_vertex_input %z, %z io=0 dest_type=float32"),
        "E0504",
        &["single vertices"],
    );
    let cube = "%t = deref_var &t\n%c = mov %v.xyz\n32x3 %o = const 1, 0, 0\n32x4 %r = tex cube float32 texture=%t sampler=%t coord=%c offset=%o @0:4";
    let declared = "  uniform sampled(cube float32) t set=0 binding=0\n";
    refused(&fragment(declared, cube), "E0507", &["cube textures take no offset", "a.frag:4"]);
    let many: String = (0..17).map(|i| format!("  uniform sampler s{i} set=0 binding={i}\n")).collect();
    refused(&fragment(&many, "%r = mov %v"), "E0505", &["sampler", "16"]);
    // Texels of these are fetched without one.
    let fetched: String = (0..12)
        .map(|i| format!("  uniform sampled(buf uint32) b{i} set=0 binding={i}\n  uniform sampled(ms float32) m{i} set=1 binding={i}\n"))
        .collect();
    ll(&fragment(&fetched, "%r = mov %v"), &Options::default());
    let variables = fragment("", "%r = mov %v").replace("form target", "form variables");
    refused(&variables, "E0500", &["variables"]);
    let geometry = "foil 1\nshader geometry \"g\" {\n  form target\n  entry fn main {\n  }\n}\n";
    refused(geometry, "E0501", &["geometry"]);
    let broken = "foil 1\nshader vertex \"v\" {\n  form target\n  no_entry\n}\n";
    refused(broken, "E0500", &["entry"]);
    let clipped = "foil 1\nshader vertex \"v\" {\n  form target\n  out vec4 c location=clip_vertex\n  entry fn main {\n    32x1 %o = const 0\n    32x4 %q = const 0.5\n    store_output %q, %o io=(clip_vertex) src_type=float32\n  }\n}\n";
    refused(clipped, "E0504", &["`clip_vertex`", "lower_clip_vertex"]);
}

#[test]
fn outputs_behind_control_flow_and_packed_varyings() {
    let text = "foil 1\nshader vertex \"v\" {\n  form target\n  clip_distances 2\n  out vec4 p location=position\n  out vec2 a location=0\n  out float b location=0 component=3\n  out float[2] clip location=clip_dist0 compact\n  out int layer location=layer\n  entry fn main {\n    32x1 %o = const 0\n    %i = load_vertex_id_zero_base\n    %n = load_instance_id\n    32x4 %q = const 0.5\n    32x2 %h = const 0.25\n    32x1 %one = const 1.0\n    %c = ieq %i, %n\n    if %c {\n      store_output %q, %o io=(position) src_type=float32\n    }\n    store_output %h, %o io=0 src_type=float32\n    store_output %one, %o io=0 component=3 src_type=float32\n    store_output %h, %o io=(clip_dist0) src_type=float32\n    store_output %n, %o io=(layer) src_type=int32\n  }\n}\n";
    let out = ll(text, &Options::default());
    for part in [
        "define <{ <4 x float>, <2 x float>, float, [2 x float], i32 }> @v(i32 %a0, i32 %a1, i32 %a2, i32 %a3)",
        "!\"user(locn0)\"",
        "!\"user(locn0_3)\"",
        "!{!\"air.clip_distance\", !\"air.clip_distance_array_size\", i32 2, !\"air.arg_type_name\", !\"float\"",
        "!{!\"air.render_target_array_index\", !\"air.arg_type_name\", !\"uint\"",
        "alloca <4 x float>, align 16",
        "!\"air.base_vertex\"",
        "!\"air.base_instance\"",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

#[test]
fn bindings_and_reflection() {
    let declarations = "  push_const P { vec4 a @0 } pc\n  ubo U { vec4 a @0 } u set=1 binding=0\n  ubo V { vec4 a @0 }[3] v2 set=0 binding=4\n  uniform sampled(2d float32) t set=0 binding=1\n  uniform texture(2d float32) only set=0 binding=0\n  uniform sampler s set=0 binding=2";
    let code = "%u = deref_var &u\n%w = deref_var &v2\n32x1 %two = const 2\n%w2 = deref_array %w[%two]\n%t = deref_var &t\n%only = deref_var &only\n%s = deref_var &s\n32x4 %a = load_push_constant %zero align=16\n32x4 %b = load_ubo %u, %zero align=16\n32x4 %c = load_ubo %w2, %zero align=16\n%uv = mov %v.xy\n32x4 %d = tex 2d float32 texture=%t sampler=%t coord=%uv\n32x4 %e = tex 2d float32 texture=%only sampler=%s coord=%uv\n%f = fadd %a, %b\n%g = fadd %c, %d\n%h = fadd %f, %g\n%r = fadd %h, %e";
    let text = fragment(declarations, code);
    let selected = select(&parse(&text), &Options::default()).unwrap();
    let found: Vec<(&str, u32, u32)> = selected
        .reflection
        .arguments
        .iter()
        .map(|a| (a.name.as_str(), a.index, a.count.unwrap_or(0)))
        .collect();
    // Push constants first, then by set and binding; the combined one gets an index that is free in both.
    assert_eq!(
        found,
        [
            ("pc", 0, 1),
            ("v2", 1, 3),
            ("u", 4, 1),
            ("only", 0, 1),
            ("t", 1, 1),
            ("s", 0, 1),
            ("tSampler", 1, 1)
        ]
    );
    let json = selected.reflection.to_json();
    assert!(json.starts_with(
        "{\"stage\":\"fragment\",\"entry\":\"f\",\"arguments\":[{\"kind\":\"push_constants\",\"set\":null,"
    ));
    assert!(json.contains("{\"kind\":\"uniform_buffer\",\"set\":0,\"binding\":4,\"index\":1,\"count\":3,\"name\":\"v2\",\"type\":\"V\",\"size\":16,\"written\":false}"), "{json}");
    assert!(json.ends_with("\"workgroup_size\":null,\"threadgroup_memory\":0}"), "{json}");
    let mut options = Options::default();
    let given = airfoil_air::select::ResourceIndices { buffer: Some(0), ..Default::default() };
    options.bindings.resources.insert((1, 0), given);
    options.bindings.push_constants = Some(7);
    options.bindings.reserved_buffers = 0b110;
    let selected = select(&parse(&text), &options).unwrap();
    let index = |name: &str| selected.reflection.arguments.iter().find(|a| a.name == name).map(|a| a.index);
    assert_eq!((index("u"), index("pc"), index("v2")), (Some(0), Some(7), Some(3)));
}

#[test]
fn a_library_is_written_and_read() {
    let text = "foil 1\nshader vertex \"v\" {\n  form target\n  in vec3 pos location=2\n  out vec4 p location=position\n  entry fn main {\n    32x1 %o = const 0\n    32x3 %x = load_input %o io=2 dest_type=float32\n    32x1 %one = const 1.0\n    %q = vec4 %x.x, %x.y, %x.z, %one\n    store_output %q, %o io=(position) src_type=float32\n  }\n}\n";
    let options = Options::default();
    let (bytes, reflection) = airfoil_air::library::compile_to_metallib(&parse(text), &options).unwrap();
    let library = airfoil_air::metallib::read(&bytes).unwrap();
    library.verify().unwrap();
    assert_eq!(library.functions[0].entry.name, "v");
    let attributes = &library.functions[0].entry.vertex_attributes;
    assert_eq!((attributes[0].name, attributes[0].index), ("pos", 2));
    assert_eq!(reflection.inputs[0].location, Some(2));
    let (again, _) = airfoil_air::library::compile_to_metallib(&parse(text), &options).unwrap();
    assert_eq!(bytes, again);
}

#[test]
fn a_fragment_is_discarded_once() {
    let calls = |code: &str| {
        let text = fragment(
            "",
            &format!(
                "    1x1 %t = flt %v.x, %v.y\n    if %t {{\n    {code}\n    }}\n    32x4 %r = fadd %v, %v"
            ),
        );
        ll(&text, &Options::default()).matches("call void @air.discard_fragment").count()
    };
    assert_eq!(calls("discard\n    halt"), 1);
    assert_eq!(calls("halt"), 1);
}

#[test]
fn framebuffer_fetch() {
    let text = "foil 1\nshader fragment \"f\" {\n  form target\n  file \"a.frag\"\n  out vec4 color location=0\n  out ivec4 id location=2\n  entry fn main {\n    32x1 %o = const 0\n    32x4 %old = load_output %o io=0 dest_type=float32\n    32x1 %n = load_output %o io=2 component=1 dest_type=int32\n    32x1 %f = i2f %n\n    %new = fmul %old, %f.xxxx\n    store_output %new, %o io=0 src_type=float32\n  }\n}\n";
    let out = ll(text, &Options::default());
    for part in [
        "define <4 x float> @f(<4 x float> %a0, <4 x i32> %a1)",
        "!{i32 0, !\"air.render_target\", i32 0, i32 0, !\"air.arg_type_name\", !\"float4\", !\"air.arg_name\", !\"color\"}",
        "!{i32 1, !\"air.render_target\", i32 2, i32 0, !\"air.arg_type_name\", !\"int4\", !\"air.arg_name\", !\"id\"}",
        "extractelement <4 x i32> %a1, i64 1",
        "extractelement <4 x float> %a0, i64 3",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    // Half of an attachment is written: the other half stays.
    let half = text.replace(
        "%new = fmul %old, %f.xxxx\n    store_output %new,",
        "%new = fmul %old.xy, %f.xx\n    store_output %new,",
    );
    assert!(
        ll(&half, &Options::default()).contains("insertelement <4 x float> %a0, float"),
        "{}",
        ll(&half, &Options::default())
    );
    let old = Options { target: "macos10.15".parse().unwrap(), ..Options::default() };
    let errors = selected(text, &old).expect_err("needs macOS 11");
    assert_eq!(errors[0].code, "E0506");
}

#[test]
fn memory_behind_addresses_needs_metal_3() {
    let code = "64x1 %a = const 0x1000\n32x4 %v = load_global %a align=16\n32x4 %u = load_global %a align=4\n\
        %s = iadd %v, %u\nstore_global %s, %a mask=xw align=4\n%old = global_atomic %a, %zero op=iadd";
    let text = kernel("", code);
    let on = |name: &str| selected(&text, &Options { target: name.parse().unwrap(), ..Options::default() });
    let ll = on("macos13").unwrap_or_else(|e| panic!("{}", e[0]));
    for part in [
        "inttoptr i64 4096 to <4 x i32> addrspace(1)*",
        "inttoptr i64 4096 to i32 addrspace(1)*",
        "@air.atomic.global.add.u.i32(i32 addrspace(1)* ",
    ] {
        assert!(ll.contains(part), "no `{part}` in\n{ll}");
    }
    let errors = on("macos12").expect_err("this must be refused");
    assert!(errors[0].message.contains("requires Metal 3"), "{}", errors[0]);
}

/// A `readnone`, `readonly` or `argmemonly` function with an access to global memory has undefined behaviour.
#[test]
fn attributes_admit_accesses_to_global_memory() {
    let options = Options { target: "macos13".parse().unwrap(), ..Options::default() };
    let address = "64x1 %a = const 0x1000\n";
    let pushed = "32x2 %p = load_push_constant %zero align=8\n%a = pack_64_2x32 %p\n";
    for access in [
        "store_global %zero, %a align=4",
        "32x1 %v = load_global %a align=4\nstore_global %v, %a align=4",
        "32x1 %old = global_atomic %a, %zero op=iadd",
        "32x1 %old = global_atomic_swap %a, %zero, %zero",
    ] {
        for from in [address, pushed] {
            let ll =
                selected(&kernel("  push_const P { uvec2 p @0 } p", &format!("{from}{access}")), &options)
                    .unwrap_or_else(|e| panic!("{}", e[0]));
            let attributes = ll.lines().find(|l| l.starts_with("attributes #0")).expect("attributes");
            for promise in ["argmemonly", "readonly", "readnone"] {
                assert!(!attributes.contains(promise), "`{promise}` in\n{ll}");
            }
        }
    }
}

#[test]
fn products_of_ldexp_are_not_subnormal() {
    let shader = |bits: u8| {
        let info = airfoil_ir::AluOp::fldexp.info();
        alu_shader("fldexp", info.operands, info.result, bits, bits, 2)
    };
    let keeping = Options { denorms: true, ..Options::default() };
    let flushes = |bits: u8, options: &Options| ll(&shader(bits), options).contains("select <2 x i1>");
    assert!(flushes(32, &keeping) && flushes(16, &keeping) && flushes(16, &Options::default()));
    assert!(!flushes(32, &Options::default()), "the mode of the module flushes");
}
