//! Libraries whose arguments, results or interfaces violate a rule.

use crate::build::*;
use airfoil_air::module::*;
use airfoil_air::rules::Rule;

fn none(_: &mut Module) -> Vec<(TypeId, Md)> {
    Vec::new()
}

/// Resources of a kind: name of the handle, address space, role, type, access, indices.
fn resources(
    m: &mut Module,
    handle: (&str, u32),
    role: &str,
    ty: &str,
    access: Option<&str>,
    at: &[i32],
) -> Vec<(TypeId, Md)> {
    let ty_of = |m: &mut Module| {
        let opaque = m.opaque(handle.0);
        m.pointer(opaque, handle.1)
    };
    let mut list = Vec::new();
    for (n, &index) in (0..).zip(at) {
        let mut words = vec![N(n), T(role), T("air.location_index"), N(index), N(1)];
        words.extend(access.map(T));
        list.push((ty_of(m), named(m, &words, ty, "r")));
    }
    list
}

const TEXTURE: (&str, u32) = ("struct._texture_2d_t", 1);
const SAMPLER: (&str, u32) = ("struct._sampler_t", 2);

fn kernel14(rule: Rule, args: impl FnOnce(&mut Module) -> Vec<(TypeId, Md)>) -> Violation {
    by(rule, library("macos14", &[kernel_of("macos14", args)]))
}

/// A varying of a vertex function.
fn varying(name: &'static str, ty: &'static str) -> impl FnOnce(&mut Module) -> Vec<(TypeId, Md)> {
    move |m| {
        let float2 = m.vector(TypeId::FLOAT, 2);
        let llvm = if ty == "float" { TypeId::FLOAT } else { float2 };
        vec![(llvm, named(m, &[T("air.vertex_output"), T(name)], ty, "v"))]
    }
}

/// A fragment function that reads a varying of type `float`.
fn reads(target: &str, name: &'static str) -> Module {
    let input = move |m: &mut Module| {
        let words = [N(0), T("air.fragment_input"), T(name), T("air.center"), T("air.perspective")];
        vec![(TypeId::FLOAT, named(m, &words, "float", "v"))]
    };
    fragment(target, input, |b| {
        let zero = zero4(b);
        b.insert_lane(zero, b.arg(0), 0)
    })
}

fn pair(rule: Rule, first: Module, second: Module) -> Violation {
    let [first, second] = [first, second].map(|m| library("macos14", &[m]));
    Violation { rule, file: first, second: Some(second) }
}

pub fn violations() -> Vec<Violation> {
    let mut list = arguments();
    list.extend(results());
    list.extend([
        by(Rule::MeshSize, library("macos14", &[mesh("macos14", &["float4"; 8], (256, 1), None)])),
        by(Rule::Payload, library("macos14", &[object("macos14", 16_388)])),
        by(Rule::MeshCounts, library("macos14", &[mesh("macos14", &[], (257, 1), None)])),
        pair(
            Rule::UnwrittenInput,
            vertex("macos14", varying("user(a)", "float"), none),
            reads("macos14", "user(b)"),
        ),
        pair(
            Rule::InputType,
            vertex("macos14", varying("user(a)", "float2"), none),
            reads("macos14", "user(a)"),
        ),
        pair(Rule::PayloadType, object("macos14", 16), mesh("macos14", &[], (4, 2), Some(32))),
        {
            // Helpers without an entry point beside them: functions of a dynamic library.
            let helper = |name: &str| {
                let mut m = module("macos14");
                for (name, linkage) in [(name, Linkage::External), ("helper", Linkage::External)] {
                    let f = m.define(name, TypeId::VOID, &[], linkage);
                    code(&mut m, f, |_| {});
                }
                m
            };
            let pack = |m: Module| {
                let blob = airfoil_air::bitcode::write_wrapped(&m);
                let target = target("macos14");
                let kind = airfoil_air::metallib::FunctionKind::Extern;
                let entry = airfoil_air::metallib::FunctionEntry::new("helper", kind, &target, &blob);
                let header = airfoil_air::metallib::LibraryHeader::for_target(&target);
                airfoil_air::metallib::write(&header, &[entry]).expect("the library is written")
            };
            Violation {
                rule: Rule::MultiplyDefined,
                file: pack(helper("a")),
                second: Some(pack(helper("b"))),
            }
        },
    ]);
    list
}

fn arguments() -> Vec<Violation> {
    vec![
        kernel14(Rule::ArgumentName, |m| {
            let words =
                words(m, &[N(0), T("air.thread_position_in_grid"), T("air.arg_type_name"), T("uint")]);
            vec![(TypeId::I32, words)]
        }),
        by(Rule::SamplerState, {
            let m = kernel("macos14", |b| {
                let state = b.module.i64(-9188470239253755319);
                let name = b.module.str("__air_sampler_state");
                let state = b.module.add_global(GlobalVar {
                    constant: true,
                    align: 8,
                    ..GlobalVar::new(name, TypeId::I64, 2, state)
                });
                let handle = b.module.opaque(SAMPLER.0);
                let handle = b.module.pointer(handle, SAMPLER.1);
                b.module.const_cast(CastOp::BitCast, state, handle);
            });
            library("macos14", &[m])
        }),
        kernel14(Rule::RoleType, |m| {
            let texture = m.opaque(TEXTURE.0);
            let texture = m.pointer(texture, TEXTURE.1);
            vec![(texture, buffer(m, 0, 0, "air.read", "texture2d<float, sample>"))]
        }),
        by(
            Rule::Access,
            library(
                "macos14",
                &[kernel("macos14", |b| {
                    let one = b.module.float(1.0);
                    b.store(one, b.arg(2), 4);
                })],
            ),
        ),
        kernel14(Rule::BufferLimit, |m| {
            let pointer = m.pointer(TypeId::FLOAT, 1);
            vec![(pointer, buffer(m, 0, 31, "air.read", "float"))]
        }),
        kernel14(Rule::TextureLimit, |m| {
            resources(m, TEXTURE, "air.texture", "texture2d<float, sample>", Some("air.sample"), &[128])
        }),
        kernel14(Rule::SamplerLimit, |m| resources(m, SAMPLER, "air.sampler", "sampler", None, &[16])),
        kernel14(Rule::WritableTextureLimit, |m| {
            let indices: Vec<i32> = (0..9).collect();
            let ty = "texture2d<float, read_write>";
            resources(m, TEXTURE, "air.texture", ty, Some("air.read_write"), &indices)
        }),
        by(Rule::EntryNode, {
            let mut m = module("macos14");
            let f = m.define("f", TypeId::VOID, &[TypeId::I32], Linkage::External);
            code(&mut m, f, |_| {});
            entry(&mut m, "kernel", f, &[], &[]);
            library("macos14", &[m])
        }),
        by(Rule::UnmarkedInput, {
            let input = |m: &mut Module| {
                let words =
                    [N(0), T("air.fragment_input"), T("user(a)"), T("air.center"), T("air.perspective")];
                vec![(TypeId::FLOAT, named(m, &words, "float", "v"))]
            };
            library("macos13", &[fragment("macos13", input, zero4)])
        }),
        by(Rule::ConstantIndex, {
            let mut m = kernel("macos14", |_| {});
            let one = m.float(1.0);
            let name = m.str("c");
            let constant =
                m.add_global(GlobalVar { align: 4, ..GlobalVar::new(name, TypeId::FLOAT, 2, one) });
            let (value, required) = (m.md_value(constant), m.bool(true));
            let required = m.md_value(required);
            let node = words(&mut m, &[M(value), T("float"), T("c"), N(70_000), M(required)]);
            let blob_of = airfoil_air::bitcode::write_wrapped;
            let clean = kernel("macos14", |_| {});
            m.add_named_md("air.function_constants", node);
            pack("macos14", &[clean], &[blob_of(&m)], |_| {})
        }),
    ]
}

fn results() -> Vec<Violation> {
    let one_number = |m: &mut Module| {
        let float4 = m.vector(TypeId::FLOAT, 4);
        (float4, vec![named(m, &[T("air.render_target"), N(0)], "float4", "color")])
    };
    let only_varying = |m: &mut Module| {
        (TypeId::FLOAT, vec![named(m, &[T("air.vertex_output"), T("user(a)")], "float", "v")])
    };
    let packed = |m: &mut Module| {
        (m.structure(&[TypeId::FLOAT], true), vec![named(m, &[T("air.visible_output")], "float", "v")])
    };
    let ret_zero4 = |b: &mut Builder<'_>| {
        let zero = zero4(b);
        b.ret(zero);
    };
    vec![
        by(
            Rule::RenderTarget,
            library("macos14", &[function("macos14", "fragment", one_number, none, ret_zero4)]),
        ),
        by(
            Rule::Position,
            library(
                "macos14",
                &[function("macos14", "vertex", only_varying, none, |b| {
                    let zero = b.module.float(0.0);
                    b.ret(zero);
                })],
            ),
        ),
        by(
            Rule::VisibleReturn,
            library(
                "macos14",
                &[function("macos14", "visible", packed, none, |b| {
                    let ty = b.module.structure(&[TypeId::FLOAT], true);
                    let zero = b.module.null(ty);
                    b.ret(zero);
                })],
            ),
        ),
        by(
            Rule::UndefinedOutput,
            library(
                "macos14",
                &[fragment("macos14", none, |b| {
                    let float4 = b.module.vector(TypeId::FLOAT, 4);
                    b.module.undef(float4)
                })],
            ),
        ),
    ]
}
