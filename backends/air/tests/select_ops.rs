//! Every operation of the tables is selected, in every width that Metal has, or an error names it. The selected code is
//! checked by text tests (`tests/filetests/air`).

use airfoil_air::select::{FastMathMode, Options, select};
use airfoil_air::{bitcode, lint};
use airfoil_ir::alu::{ALU_OPS, AluProps, AluType, Base};
use airfoil_ir::{Diagnostic, Shader};

fn parse(text: &str) -> Shader {
    airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}\n{text}", e[0]))
}

fn selected(text: &str, options: &Options) -> Result<String, Vec<Diagnostic>> {
    let selected = select(&parse(text), options)?;
    let violations = lint::errors(&selected.module);
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

/// The error for an operation that a pass lowers names the pass.
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
    let compile = || {
        let selected = select(&parse(text), &options).unwrap();
        (selected.to_metallib(&options).unwrap(), selected.reflection)
    };
    let (bytes, reflection) = compile();
    let library = airfoil_air::metallib::read(&bytes).unwrap();
    library.verify().unwrap();
    assert_eq!(library.functions[0].entry.name, "v");
    let attributes = &library.functions[0].entry.vertex_attributes;
    assert_eq!((attributes[0].name, attributes[0].index), ("pos", 2));
    assert_eq!(reflection.inputs[0].location, Some(2));
    let (again, _) = compile();
    assert_eq!(bytes, again);
}
