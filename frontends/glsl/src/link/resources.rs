//! Checks the resources of a linked program against the limits of the implementation (OpenGL 4.6 sections 7.6 to 7.13, 11, 15, 19).

use super::LinkOptions;
use super::count::Counter;
use super::interface::{items, vertex_type};
use super::layout::Layouts;
use super::live::Live;
use super::report::{Report, stage_name};
use super::uniforms::{Shared, Uniforms, block_count};
use crate::hir::{Storage, Unit, VarId};
use airfoil_ir::Stage;
use indexmap::IndexMap;

/// A counted resource, per stage and for the program.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    components: u32,
    uniform_blocks: u32,
    storage_blocks: u32,
    textures: u32,
    images: u32,
    counters: u32,
    counter_buffers: u32,
}

/// Checks all limits; everything else has been linked.
pub fn check(units: &[Unit], live: &[Live], all: &Uniforms, options: &LinkOptions, report: &mut Report) {
    // The limits are OpenGL's; devices of Vulkan have others, and their counts are checked when pipelines are created.
    if units.iter().any(|u| u.vulkan) {
        return;
    }
    let limits = &options.limits;
    let mut sum = Totals::default();
    for (n, unit) in units.iter().enumerate() {
        let t = stage_totals(units, n, live, all);
        let stage = stage_name(unit.stage);
        let l = limits.stage(unit.stage);
        let name = api_name(unit.stage);
        let texture_name = if unit.stage == Stage::Fragment {
            "GL_MAX_TEXTURE_IMAGE_UNITS".to_owned()
        } else {
            format!("GL_MAX_{name}_TEXTURE_IMAGE_UNITS")
        };
        let rows = [
            (
                t.components,
                l.uniform_components,
                "uniform components",
                format!("GL_MAX_{name}_UNIFORM_COMPONENTS"),
            ),
            (t.uniform_blocks, l.uniform_blocks, "uniform blocks", format!("GL_MAX_{name}_UNIFORM_BLOCKS")),
            (
                t.storage_blocks,
                l.storage_blocks,
                "storage blocks",
                format!("GL_MAX_{name}_SHADER_STORAGE_BLOCKS"),
            ),
            (t.textures, l.textures, "textures", texture_name),
            (t.images, l.images, "images", format!("GL_MAX_{name}_IMAGE_UNIFORMS")),
            (t.counters, l.atomic_counters, "atomic counters", format!("GL_MAX_{name}_ATOMIC_COUNTERS")),
            (
                t.counter_buffers,
                l.atomic_counter_buffers,
                "atomic-counter buffers",
                format!("GL_MAX_{name}_ATOMIC_COUNTER_BUFFERS"),
            ),
        ];
        for (n, max, what, limit) in rows {
            within(stage, n, max, what, &limit, report);
        }
        sum.uniform_blocks = sum.uniform_blocks.saturating_add(t.uniform_blocks);
        sum.storage_blocks = sum.storage_blocks.saturating_add(t.storage_blocks);
        sum.textures = sum.textures.saturating_add(t.textures);
        sum.images = sum.images.saturating_add(t.images);
        sum.counters = sum.counters.saturating_add(t.counters);
        sum.counter_buffers = sum.counter_buffers.saturating_add(t.counter_buffers);
        stage_layout(unit, live, n, options, report);
    }
    let rows = [
        (
            sum.uniform_blocks,
            limits.max_combined_uniform_blocks,
            "uniform blocks",
            "GL_MAX_COMBINED_UNIFORM_BLOCKS",
        ),
        (
            sum.storage_blocks,
            limits.max_combined_shader_storage_blocks,
            "storage blocks",
            "GL_MAX_COMBINED_SHADER_STORAGE_BLOCKS",
        ),
        (
            sum.textures,
            limits.max_combined_texture_image_units,
            "textures",
            "GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS",
        ),
        (sum.images, limits.max_combined_image_uniforms, "images", "GL_MAX_COMBINED_IMAGE_UNIFORMS"),
        (
            sum.counters,
            limits.max_combined_atomic_counters,
            "atomic counters",
            "GL_MAX_COMBINED_ATOMIC_COUNTERS",
        ),
        (
            sum.counter_buffers,
            limits.max_combined_atomic_counter_buffers,
            "atomic-counter buffers",
            "GL_MAX_COMBINED_ATOMIC_COUNTER_BUFFERS",
        ),
    ];
    for (n, max, what, limit) in rows {
        within("all stages together", n, max, what, limit, report);
    }
    if units.iter().any(|u| u.stage == Stage::Fragment) {
        let outputs =
            units.iter().enumerate().filter(|(_, u)| u.stage == Stage::Fragment).fold(0, |n, (i, u)| {
                n + items(u, Storage::Out).iter().filter(|item| live[i].var(item.var)).count() as u32
            });
        let resources = sum.storage_blocks.saturating_add(sum.images);
        // Colours alone are limited by the number of draw buffers.
        if resources > 0 {
            within(
                "all stages together",
                resources.saturating_add(outputs),
                limits.max_combined_shader_output_resources.max(limits.max_draw_buffers),
                "images, storage blocks and colours",
                "GL_MAX_COMBINED_SHADER_OUTPUT_RESOURCES",
                report,
            );
        }
    }
    block_sizes(
        units,
        &all.uniform_blocks,
        limits.max_uniform_block_size,
        "GL_MAX_UNIFORM_BLOCK_SIZE",
        report,
    );
    let storage = limits.max_shader_storage_block_size;
    block_sizes(units, &all.storage_blocks, storage, "GL_MAX_SHADER_STORAGE_BLOCK_SIZE", report);
    for b in &all.atomic_buffers {
        let what = format!("atomic-counter buffer {}", b.binding);
        within(
            &what,
            b.size,
            limits.max_atomic_counter_buffer_size,
            "bytes",
            "GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE",
            report,
        );
    }
}

fn within(who: &str, n: u32, max: u32, what: &str, limit: &str, report: &mut Report) {
    if n > max {
        report.error("E1122", format!("{who}: {n} {what}, but {limit} is {max}"));
    }
}

/// The name of a stage in the API's limits.
fn api_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "VERTEX",
        Stage::TessControl => "TESS_CONTROL",
        Stage::TessEval => "TESS_EVALUATION",
        Stage::Geometry => "GEOMETRY",
        Stage::Fragment => "FRAGMENT",
        Stage::Compute | Stage::Task | Stage::Mesh => "COMPUTE",
    }
}

fn stage_totals(units: &[Unit], n: usize, live: &[Live], all: &Uniforms) -> Totals {
    let mut t = Totals::default();
    let used = |s: &Shared| s.uses.iter().any(|&(m, id)| m == n && live[m].var(id));
    for s in all.vars.values().filter(|s| used(s)) {
        let (m, id) = s.uses[0];
        // State uniforms do not count against the limit.
        if units[m][id].builtin.is_none() {
            t.components = t.components.saturating_add(s.count.components);
        }
        t.textures = t.textures.saturating_add(s.count.textures);
        t.images = t.images.saturating_add(s.count.images);
        t.counters = t.counters.saturating_add(s.count.counters);
    }
    let blocks = |map: &IndexMap<String, Shared>| {
        map.values().filter(|s| used(s)).fold(0u32, |sum, s| {
            let (m, id) = s.uses[0];
            sum.saturating_add(block_count(&units[m].types, units[m][id].ty))
        })
    };
    t.uniform_blocks = blocks(&all.uniform_blocks);
    t.storage_blocks = blocks(&all.storage_blocks);
    let counts = |b: &&super::uniforms::AtomicBuffer| b.counters.iter().any(|&c| used(&all.vars[c]));
    t.counter_buffers = all.atomic_buffers.iter().filter(counts).count() as u32;
    t
}

/// Limits of `layout(...) in;` and `out;`, and of the stage's own memory and outputs.
fn stage_layout(unit: &Unit, live: &[Live], n: usize, options: &LinkOptions, report: &mut Report) {
    let limits = &options.limits;
    let stage = stage_name(unit.stage);
    let mut counter = Counter::new(&unit.types);
    let mut outputs = || {
        unit.vars.iter().enumerate().fold(0u32, |sum, (i, v)| {
            let live =
                live[n].var(VarId(i as u32)) && v.qualifiers.storage == Storage::Out && !v.qualifiers.patch;
            let ty = vertex_type(unit, v);
            sum.saturating_add(if live { counter.of(ty).components } else { 0 })
        })
    };
    match unit.stage {
        Stage::Geometry => {
            let vertices = unit.layout.max_vertices.unwrap_or(0);
            within(
                stage,
                vertices,
                limits.max_geometry_output_vertices,
                "vertices",
                "GL_MAX_GEOMETRY_OUTPUT_VERTICES",
                report,
            );
            let components = outputs();
            within(
                stage,
                components.saturating_mul(vertices),
                limits.max_geometry_total_output_components,
                "output components",
                "GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS",
                report,
            );
            let invocations = unit.layout.invocations.unwrap_or(1);
            let max = limits.max_geometry_shader_invocations;
            within(stage, invocations, max, "invocations", "GL_MAX_GEOMETRY_SHADER_INVOCATIONS", report);
        }
        Stage::TessControl => {
            let vertices = unit.layout.vertices.unwrap_or(0);
            within(stage, vertices, limits.max_patch_vertices, "vertices", "GL_MAX_PATCH_VERTICES", report);
            within(
                stage,
                outputs().saturating_mul(vertices),
                limits.max_tess_control_total_output_components,
                "output components",
                "GL_MAX_TESS_CONTROL_TOTAL_OUTPUT_COMPONENTS",
                report,
            );
        }
        Stage::Compute => {
            let size = unit.layout.local_size.map(|n| n.unwrap_or(1));
            let max = [
                limits.max_compute_work_group_size_x,
                limits.max_compute_work_group_size_y,
                limits.max_compute_work_group_size_z,
            ];
            for (i, (n, max)) in size.into_iter().zip(max).enumerate() {
                let limit = format!("GL_MAX_COMPUTE_WORK_GROUP_SIZE[{i}]");
                within(stage, n, max, "invocations in a direction", &limit, report);
            }
            within(
                stage,
                size.into_iter().fold(1, u32::saturating_mul),
                limits.max_compute_work_group_invocations,
                "invocations in a work group",
                "GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS",
                report,
            );
            let shared = unit.vars.iter().enumerate().fold(0u32, |sum, (i, v)| {
                let used = v.qualifiers.storage == Storage::Shared && live[n].var(VarId(i as u32));
                let bytes = if used { counter.of(v.ty).components.saturating_mul(4) } else { 0 };
                sum.saturating_add(bytes)
            });
            let max = limits.max_compute_shared_memory_size;
            within(
                stage,
                shared,
                max,
                "bytes of shared variables",
                "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE",
                report,
            );
        }
        _ => {}
    }
}

fn block_sizes(
    units: &[Unit],
    blocks: &IndexMap<String, Shared>,
    max: u32,
    limit: &str,
    report: &mut Report,
) {
    let mut layouts: Vec<Layouts<'_>> = units.iter().map(|u| Layouts::new(&u.types)).collect();
    for (name, s) in blocks {
        let (n, id) = s.uses[0];
        let unit = &units[n];
        let bytes = layouts[n].of_block(unit, id).map(|l| l.size);
        let what = match bytes {
            Ok(bytes) if bytes > max => format!("block `{name}` has {bytes} bytes, {limit} is {max}"),
            Ok(_) => continue,
            Err(why) => format!("block `{name}`: {why}, {limit} is {max}"),
        };
        report.error_var(unit, id, "E1122", what);
    }
}
