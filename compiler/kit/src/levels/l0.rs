//! L0: empty functions, and controls that must fail.

use crate::edit;
use crate::recipe::{Recipe, Source, Work};
use crate::schema::{Expect, Kind};
use airfoil::Stage;
use airfoil::air::select::DebugOptions;

const EMPTY: &str = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}";

const NAMED_MAIN: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    OpReturn
    OpFunctionEnd";

fn empty(name: &str, title: &str) -> Recipe {
    Recipe::compute(0, name, title, EMPTY).with(|r| r.kind = Kind::Pipeline)
}

/// A library that some step must reject.
fn rejected(name: &str, title: &str, edit: crate::recipe::Edit, steps: &[&str], texts: &[&str]) -> Recipe {
    empty(name, title).with(|r| {
        r.edit = Some(edit);
        r.expect = Expect::Error {
            steps: steps.iter().map(|&s| s.to_owned()).collect(),
            texts: texts.iter().map(|&s| s.to_owned()).collect(),
        };
    })
}

/// Adds the recipes.
pub fn add(list: &mut Vec<Recipe>) {
    for (target, air) in [
        ("macos11", "2.3"),
        ("macos12", "2.4"),
        ("macos13", "2.5"),
        ("macos14", "2.6"),
        ("macos15", "2.7"),
        ("macos26", "2.8"),
        ("macos27", "2.9"),
    ] {
        let name = format!("empty-kernel-air-{}", air.replace('.', "-"));
        list.push(
            empty(&name, &format!("an empty kernel, AIR {air}"))
                .with(|r| r.target = target.to_owned())
                .control("kernel void compute_main() {}"),
        );
    }
    list.push(
        Recipe::new(
            0,
            "entry-named-main",
            "an entry point named `main`",
            Source::Spirv(NAMED_MAIN.to_owned()),
            Work::Compute([1; 3]),
        )
        .with(|r| r.kind = Kind::Pipeline),
    );
    list.push(empty("debug-information", "an empty kernel with DWARF").with(|r| {
        r.configure = Some(|o| o.air.debug = Some(DebugOptions::default()));
    }));
    list.push(empty("embedded-source", "an empty kernel with its source in the library").with(|r| {
        r.configure = Some(|o| o.embed_sources = true);
    }));
    let vertex = "#version 450\nvoid main() { gl_Position = vec4(0.0); }";
    let fragment = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }";
    list.push(
        Recipe::draw(0, "two-functions", "a vertex and a fragment function in one library", vertex, fragment)
            .with(|r| {
                r.kind = Kind::Pipeline;
                r.control = Some(
                    "#include <metal_stdlib>
using namespace metal;
struct V { float4 p [[position]]; };
vertex V vertex_main() { return V { float4(0) }; }
fragment float4 fragment_main() { return float4(1); }
"
                    .to_owned(),
                );
            }),
    );
    list.push(Recipe::new(
        0,
        "load-only",
        "a library that is only loaded",
        Source::Glsl(vec![(Stage::Compute, EMPTY.to_owned())]),
        Work::Load,
    ));
    list.push(rejected(
        "negative-truncated",
        "a library without its last 64 bytes",
        edit::truncate,
        &["load"],
        &["Invalid library file"],
    ));
    list.push(rejected(
        "negative-magic",
        "a library with another magic number",
        edit::wrong_magic,
        &["load"],
        &[],
    ));
    list.push(rejected(
        "negative-newer-air",
        "a function of AIR 2.99",
        edit::newer_air,
        &["load", "function", "pipeline"],
        &["deployment target", "not supported", "incompatible"],
    ));
    list.push(rejected(
        "negative-bitcode",
        "a module whose bitcode is damaged",
        edit::damage_bitcode,
        &["load", "function", "pipeline"],
        &[],
    ));
    list.push(
        rejected(
            "negative-wrong-hash",
            "a function with another hash than that of its module",
            edit::wrong_hash,
            &["load", "function", "pipeline"],
            &[],
        )
        .with(|r| {
            // Nothing public states that loaders check hashes.
            r.expect = Expect::Open;
            r.doubt = Some("whether a loader checks the hash of a module".to_owned());
        }),
    );
}
