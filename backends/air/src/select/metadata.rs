//! Module-level metadata and the attributes of the entry function.

use super::options::{FastMathMode, Options};
use super::plan::usage::{Features, Usage};
use super::reflection::PatchDomain;
use super::signature::Signature;
use super::signature::pieces::InputSource;
use crate::PRODUCER;
use crate::module::{Attr, AttrIndex, AttrKind, AttrSet, Md, Module, Value};
use airfoil_ir::{Shader, Stage};
use smallvec::SmallVec;

/// Attributes of the entry function and of its parameters.
pub(super) fn attributes(
    m: &mut Module,
    shader: &Shader,
    options: &Options,
    usage: &Usage,
    sig: &Signature,
) -> AttrSet {
    let mut list: SmallVec<[Attr; 16]> = SmallVec::new();
    let has = |e: Features| usage.has(e);
    let direct = !sig.has_other_memory();
    // The value of an interpolant is read through its argument.
    let interpolants = sig.inputs.iter().any(|i| matches!(i.source, InputSource::Interpolant { .. }));
    let reads = has(Features::READS) || interpolants;
    if direct && !has(Features::OTHER_MEMORY) && (reads || has(Features::WRITES)) {
        list.push(Attr::Flag(AttrKind::ARG_MEM_ONLY));
    }
    if has(Features::CONVERGENT) {
        list.push(Attr::Flag(AttrKind::CONVERGENT));
    }
    list.push(Attr::Flag(AttrKind::NO_UNWIND));
    match (reads || !direct, has(Features::WRITES)) {
        (false, false) => list.push(Attr::Flag(AttrKind::READ_NONE)),
        (true, false) => list.push(Attr::Flag(AttrKind::READ_ONLY)),
        _ => {}
    }
    let fast = options.fast_math == FastMathMode::Fast && shader.info.preserve_float_special == 0;
    if fast {
        list.push(m.text_attr("approx-func-fp-math", "true"));
    }
    list.push(m.text_attr("frame-pointer", "all"));
    let launched = !matches!(shader.stage, Stage::Vertex | Stage::Fragment) && !shader.info.visible;
    if let Some(size) = shader.info.fixed_workgroup_size().filter(|_| launched) {
        let total = size.iter().fold(1u32, |a, &n| a.saturating_mul(n));
        list.push(m.text_attr("max-work-group-size", &total.to_string()));
    }
    list.push(m.text_attr("no-builtins", ""));
    if fast {
        for key in ["no-infs-fp-math", "no-nans-fp-math", "no-signed-zeros-fp-math"] {
            list.push(m.text_attr(key, "true"));
        }
    }
    list.push(m.text_attr("no-trapping-math", "true"));
    list.push(m.text_attr("stack-protector-buffer-size", "8"));
    if fast {
        list.push(m.text_attr("unsafe-fp-math", "true"));
    }
    let mut lists: SmallVec<[(AttrIndex, &[Attr]); 24]> = SmallVec::new();
    lists.push((AttrIndex::FUNCTION, &list));
    lists.extend((0u32..).zip(&sig.attrs).map(|(i, attrs)| (AttrIndex::param(i), attrs.as_slice())));
    m.attr_set(&lists)
}

/// All named metadata, in Apple's order.
pub(super) fn metadata(m: &mut Module, shader: &Shader, options: &Options, function: Value, sig: &Signature) {
    let target = &options.target;
    flags(m, options);
    let node = strings(m, &[PRODUCER]);
    m.add_named_md("llvm.ident", node);
    let air = target.air();
    let node = [m.md_i32(i32::from(air.major)), m.md_i32(i32::from(air.minor)), m.md_i32(0)];
    let node = m.md_node(&node);
    m.add_named_md("air.version", node);
    let language = target.language();
    let node = [
        m.md_str("Metal"),
        m.md_i32(i32::from(language.major)),
        m.md_i32(i32::from(language.minor)),
        m.md_i32(0),
    ];
    let node = m.md_node(&node);
    m.add_named_md("air.language_version", node);
    let fast = options.fast_math == FastMathMode::Fast && shader.info.preserve_float_special == 0;
    let mut words: SmallVec<[&str; 6]> = SmallVec::new();
    words.push(if options.denorms { "air.compile.denorms_enable" } else { "air.compile.denorms_disable" });
    words.push(if fast { "air.compile.fast_math_enable" } else { "air.compile.fast_math_disable" });
    if target.has_native_type_options() {
        words.extend([
            "air.compile.native_double_disable",
            "air.compile.native_long_long_disable",
            "air.compile.native_wide_vectors_disable",
        ]);
    }
    words.push(if target.has_framebuffer_fetch() {
        "air.compile.framebuffer_fetch_enable"
    } else {
        "air.compile.framebuffer_fetch_disable"
    });
    let nodes: SmallVec<[Md; 6]> = words.iter().map(|&word| strings(m, &[word])).collect();
    m.extend_named_md("air.compile_options", &nodes);
    let outputs = m.md_node(&sig.output_nodes);
    let inputs = m.md_node(&sig.input_nodes);
    let mut entry: SmallVec<[Md; 5]> = smallvec::smallvec![m.md_value(function), outputs, inputs];
    let name = match shader.stage {
        Stage::Vertex => "air.vertex",
        Stage::TessEval => {
            // No control points: they are read from buffers.
            let domain = PatchDomain::of(shader).map_or("", PatchDomain::name);
            let node =
                [m.md_str("air.patch"), m.md_str(domain), m.md_str("air.patch_control_point"), m.md_i32(0)];
            entry.push(m.md_node(&node));
            "air.vertex"
        }
        Stage::Fragment => {
            if shader.info.early_fragment_tests {
                entry.push(m.md_str("early_fragment_tests"));
            }
            "air.fragment"
        }
        _ if shader.info.visible => "air.visible",
        stage => {
            if let Some(size) = shader.info.fixed_workgroup_size() {
                let total = size.iter().fold(1u32, |a, &n| a.saturating_mul(n));
                let node = [m.md_str("air.max_work_group_size"), m.md_i32(total.min(i32::MAX as u32) as i32)];
                entry.push(m.md_node(&node));
            }
            match stage {
                Stage::Task => "air.object",
                Stage::Mesh => "air.mesh",
                _ => "air.kernel",
            }
        }
    };
    let node = m.md_node(&entry);
    m.add_named_md(name, node);
}

fn strings(m: &mut Module, words: &[&str]) -> Md {
    let words: SmallVec<[Md; 4]> = words.iter().map(|w| m.md_str(w)).collect();
    m.md_node(&words)
}

fn flags(m: &mut Module, options: &Options) {
    let target = &options.target;
    let sdk = target.sdk_version();
    let mut numbers: SmallVec<[u64; 3]> = smallvec::smallvec![u64::from(sdk.major), u64::from(sdk.minor)];
    if sdk.patch != 0 {
        numbers.push(u64::from(sdk.patch));
    }
    let ty = m.array(crate::module::TypeId::I32, numbers.len() as u32);
    let version = m.data(ty, &numbers);
    let node = [m.md_i32(2), m.md_str("SDK Version"), m.md_value(version)];
    let mut nodes: SmallVec<[Md; 12]> = smallvec::smallvec![m.md_node(&node)];
    let mut flag = |behaviour: i32, key: &str, value: i32| {
        let node = [m.md_i32(behaviour), m.md_str(key), m.md_i32(value)];
        nodes.push(m.md_node(&node));
    };
    if options.debug.is_some() {
        flag(7, "Dwarf Version", 4);
        flag(2, "Debug Info Version", 3);
    }
    flag(1, "wchar_size", 4);
    if target.has_frame_pointer_flag() {
        flag(7, "frame-pointer", 2);
    }
    if target.has_resource_limit_flags() {
        flag(7, "air.max_device_buffers", 31);
        flag(7, "air.max_constant_buffers", 31);
        flag(7, "air.max_threadgroup_buffers", 31);
        flag(7, "air.max_textures", 128);
        flag(7, "air.max_read_write_textures", 8);
        flag(7, "air.max_samplers", 16);
    }
    m.extend_named_md("llvm.module.flags", &nodes);
}
