//! Reflection as JSON, in a fixed order.

use super::*;
use crate::link::gl_types::stage_bit;
use serde_json::{Map, Value, json};

/// An object with its members in the order given, without empty ones.
macro_rules! object {
    ($( $key:literal: $value:expr ),+ $(,)?) => {{
        let mut map = Map::new();
        $( if let Some(value) = $value { map.insert($key.to_owned(), json!(value)); } )+
        Value::Object(map)
    }};
}

fn when<T>(holds: bool, value: T) -> Option<T> {
    holds.then_some(value)
}

fn list<T>(items: &[T], f: impl Fn(&T) -> Value) -> Value {
    Value::Array(items.iter().map(f).collect())
}

/// Names of the stages of a mask.
fn stages(mask: u32) -> Value {
    let all = [
        Stage::Vertex,
        Stage::TessControl,
        Stage::TessEval,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Compute,
        Stage::Task,
        Stage::Mesh,
    ];
    let names = all.into_iter().filter(|&s| mask & stage_bit(s) != 0).map(|s| Value::from(s.to_string()));
    Value::Array(names.collect())
}

impl Reflection {
    /// As JSON. Type values are those of the API; fields that do not apply are omitted.
    pub fn to_json(&self) -> Value {
        object! {
            "uniforms": Some(list(&self.uniforms, uniform)),
            "uniform_blocks": Some(list(&self.uniform_blocks, block)),
            "buffer_variables": Some(list(&self.buffer_variables, uniform)),
            "storage_blocks": Some(list(&self.storage_blocks, block)),
            "atomic_counter_buffers": Some(list(&self.atomic_buffers, atomic_buffer)),
            "inputs": Some(list(&self.inputs, io)),
            "outputs": Some(list(&self.outputs, io)),
            "transform_feedback": Some(xfb(&self.transform_feedback)),
            "default_uniform_block": self.default_block.map(|(binding, size)| json!({"binding": binding, "size": size})),
            "uniform_locations": Some(self.uniform_locations),
            "stages": Some(list(&self.stages, stage)),
        }
    }
}

fn uniform(u: &UniformInfo) -> Value {
    object! {
        "name": Some(&u.name),
        "type": Some(u.ty),
        "array_size": Some(u.array_size),
        "location": u.location,
        "block": u.block,
        "atomic_counter_buffer": u.atomic_buffer,
        "offset": u.offset,
        "array_stride": when(u.array_stride != 0, u.array_stride),
        "matrix_stride": when(u.matrix_stride != 0, u.matrix_stride),
        "row_major": when(u.row_major, true),
        "binding": u.binding,
        "explicit_binding": when(u.explicit_binding, true),
        "element": when(u.element != 0, u.element),
        "top_level_array_size": when(u.top_level_array_stride != 0, u.top_level_array_size),
        "top_level_array_stride": when(u.top_level_array_stride != 0, u.top_level_array_stride),
        "stages": Some(stages(u.stages)),
        "builtin": when(u.builtin, true),
        "initial": when(!u.initial.is_empty(), &u.initial),
    }
}

fn block(b: &BlockInfo) -> Value {
    object! {
        "name": Some(&b.name),
        "binding": b.binding,
        "explicit_binding": when(b.explicit_binding, true),
        "size": Some(b.size),
        "variables": Some(&b.variables),
        "stages": Some(stages(b.stages)),
    }
}

fn atomic_buffer(b: &AtomicBufferInfo) -> Value {
    object! {
        "binding": Some(b.binding),
        "storage_binding": Some(b.storage_binding),
        "size": Some(b.size),
        "counters": Some(&b.counters),
        "stages": Some(stages(b.stages)),
    }
}

fn io(v: &IoInfo) -> Value {
    object! {
        "name": Some(&v.name),
        "type": Some(v.ty),
        "array_size": Some(v.array_size),
        "location": v.location,
        "component": when(v.component != 0, v.component),
        "index": when(v.index != 0, v.index),
        "per_patch": when(v.per_patch, true),
        "stages": Some(stages(v.stages)),
    }
}

fn xfb(x: &Xfb) -> Value {
    object! {
        "varyings": Some(list(&x.varyings, |v| object! {
            "name": Some(&v.name),
            "type": Some(v.ty),
            "array_size": Some(v.size),
            "buffer": Some(v.buffer),
            "offset": Some(v.offset),
            "stream": when(v.stream != 0, v.stream),
            "slot": v.slot.map(|s| s.to_string()),
            "component": when(v.component != 0, v.component),
            "components": Some(v.components),
            "packed": when(v.packed, true),
        })),
        "buffers": Some(list(&x.buffers, |b| object! { "buffer": Some(b.buffer), "stride": Some(b.stride) })),
    }
}

fn stage(s: &StageReflection) -> Value {
    object! {
        "stage": Some(s.stage.to_string()),
        "work_group_size": s.work_group_size,
        "input_primitive": s.input_primitive.map(|p| p.to_string()),
        "output_primitive": s.output_primitive.map(|p| p.to_string()),
        "vertices": s.vertices,
        "invocations": s.invocations,
        "spacing": s.spacing.map(|p| p.to_string()),
        "vertex_order": s.clockwise.map(|c| if c { "cw" } else { "ccw" }),
        "point_mode": when(s.point_mode, true),
        "early_fragment_tests": when(s.early_fragment_tests, true),
        "num_views": s.num_views,
        "subroutines": when(!s.subroutines.is_empty(), list(&s.subroutines, |r| json!({"index": r.index, "name": r.name}))),
        "subroutine_uniforms": when(!s.subroutine_uniforms.is_empty(), list(&s.subroutine_uniforms, |u| object! {
            "name": Some(&u.name),
            "array_size": Some(u.array_size),
            "location": Some(u.location),
            "compatible": Some(&u.compatible),
            "offset": u.offset,
        })),
    }
}
