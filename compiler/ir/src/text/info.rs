//! The fields of [`StageInfo`] and [`Gathered`] in text: one line each, left out where they are default.

use super::literal::push_uint;
use super::parse::{Parser, Res};
use crate::enums::*;
use crate::intrinsic::SystemValue;
use crate::shader::{Gathered, StageInfo};
use crate::slot::SlotSet;
use std::fmt::Write;

/// A field's value: the words after its name.
trait Field: Sized {
    fn write(&self, out: &mut String);
    fn read(p: &mut Parser<'_>) -> Res<Self>;
}

impl Field for bool {
    fn write(&self, _: &mut String) {}
    fn read(_: &mut Parser<'_>) -> Res<bool> {
        Ok(true)
    }
}

macro_rules! number_fields {
    ($($ty:ident),+) => { $(
        impl Field for $ty {
            fn write(&self, out: &mut String) {
                out.push(' ');
                push_uint(out, u64::from(*self));
            }
            fn read(p: &mut Parser<'_>) -> Res<$ty> {
                Ok(p.number(u64::from($ty::MAX))? as $ty)
            }
        }
    )+ };
}
number_fields!(u8, u32);

/// A size; lines exist for those that are known.
impl Field for Option<[u32; 3]> {
    fn write(&self, out: &mut String) {
        self.iter().flatten().for_each(|n| n.write(out));
    }
    fn read(p: &mut Parser<'_>) -> Res<Option<[u32; 3]>> {
        let mut size = [0; 3];
        for n in &mut size {
            let digits = p.slice().trim_start_matches("0x");
            if !digits.is_empty() && digits.bytes().all(|digit| digit == b'0') {
                return p.expected("a number above 0");
            }
            *n = u32::read(p)?;
        }
        Ok(Some(size))
    }
}

/// The constant of each axis, or `none`.
impl Field for [Option<u32>; 3] {
    fn write(&self, out: &mut String) {
        for constant in self {
            match constant {
                Some(id) => id.write(out),
                None => out.push_str(" none"),
            }
        }
    }
    fn read(p: &mut Parser<'_>) -> Res<[Option<u32>; 3]> {
        let mut constants = [None; 3];
        for constant in &mut constants {
            *constant = if p.eat_word("none") { None } else { Some(u32::read(p)?) };
        }
        Ok(constants)
    }
}

impl Field for SlotSet {
    fn write(&self, out: &mut String) {
        self.iter().for_each(|s| _ = write!(out, " {s}"));
    }
    fn read(p: &mut Parser<'_>) -> Res<SlotSet> {
        let mut set = SlotSet::default();
        while !p.at_line_end() {
            set.insert(p.slot()?);
        }
        Ok(set)
    }
}

/// A mask over system values: their names, or the index of a bit that has none.
impl Field for u64 {
    fn write(&self, out: &mut String) {
        for bit in (0..64).filter(|bit| self >> bit & 1 != 0) {
            let _ = match SystemValue::ALL.get(bit) {
                Some(sv) => write!(out, " {}", sv.name()),
                None => write!(out, " {bit}"),
            };
        }
    }
    fn read(p: &mut Parser<'_>) -> Res<u64> {
        let mut mask = 0;
        while !p.at_line_end() {
            mask |= match p.number_if_any(63)? {
                Some(bit) => 1 << bit,
                None => 1 << p.system_value()? as u64,
            };
        }
        Ok(mask)
    }
}

macro_rules! enum_fields {
    ($($enum:ident),+) => { $(
        impl Field for $enum {
            fn write(&self, out: &mut String) {
                out.push(' ');
                out.push_str(self.name());
            }
            fn read(p: &mut Parser<'_>) -> Res<$enum> {
                p.named()
            }
        }
    )+ };
}
enum_fields!(DepthLayout, Interlock, Primitive, Spacing);

/// A structure whose fields are lines.
pub(super) trait Fields: Default {
    /// Names of all fields.
    const NAMES: &'static [&'static str];
    /// Writes a line for every field that is not default.
    fn write(&self, out: &mut String, indent: &str);
    /// Reads the value of the field `name`; `None` if the field does not exist.
    fn read(&mut self, name: &str, p: &mut Parser<'_>) -> Option<Res<()>>;
}

macro_rules! fields {
    ($ty:ident: $($field:ident),+ $(,)?) => {
        impl Fields for $ty {
            const NAMES: &'static [&'static str] = &[$(stringify!($field)),+];
            fn write(&self, out: &mut String, indent: &str) {
                // Taken apart, so that a field that is added to the structure cannot be forgotten here.
                let $ty { $($field),+ } = self;
                let default = $ty::default();
                $( if *$field != default.$field {
                    out.push_str(indent);
                    out.push_str(stringify!($field));
                    Field::write($field, out);
                    out.push('\n');
                } )+
            }
            fn read(&mut self, name: &str, p: &mut Parser<'_>) -> Option<Res<()>> {
                match name {
                    $( stringify!($field) => Some(Field::read(p).map(|v| self.$field = v)), )+
                    _ => None,
                }
            }
        }
    };
}

fields!(StageInfo:
    workgroup_size, workgroup_constants, early_fragment_tests, post_depth_coverage, interlock, vulkan_memory_model, origin_upper_left,
    pixel_center_integer,
    stated_colors, depth_layout, input_primitive, output_primitive, max_vertices, max_primitives, invocations,
    patch_vertices_out, spacing, clockwise, point_mode, view_mask, clip_distances, cull_distances,
    preserve_float_special, denorm_preserve, denorm_flush, round_to_even, round_to_zero, shared_size, quad_groups, visible,
);

fields!(Gathered:
    inputs_read, outputs_written, outputs_read, system_values_read, uses_discard, uses_quad, uses_subgroup,
    uses_barrier, writes_memory, uses_sample_shading,
);
