//! Offsets of members of uniform and buffer blocks, and of captured outputs (GLSL 4.60 section 4.4.2, 4.4.5).

use super::Checker;
use super::state::Capture;
use crate::hir::{Layout, MatrixLayout, Packing, Qualifiers, Storage};
use crate::link::layout::{Layouts, Rules};
use crate::source::Span;
use crate::types::{Base, Field, Type};

impl Checker<'_> {
    /// `offset` and `align` of the members of a block, and `xfb_*`.
    pub(crate) fn check_member_layout(&mut self, q: &Qualifiers, fields: &mut [Field], span: Span) {
        match q.storage {
            Storage::Uniform | Storage::Buffer => self.check_offsets(q, fields, span),
            Storage::Out => self.capture_block(q, fields, span),
            _ => {}
        }
    }

    fn check_offsets(&mut self, q: &Qualifiers, fields: &[Field], span: Span) {
        let explicit = |l: &Layout| l.offset.is_some() || l.align.is_some();
        if !explicit(&q.layout) && !fields.iter().any(|f| explicit(&f.qualifiers.layout)) {
            return;
        }
        let default = match (self.lang.vulkan, q.storage == Storage::Buffer || q.layout.push_constant) {
            (true, true) => Packing::Std430,
            (true, false) => Packing::Std140,
            (false, _) => Packing::Shared,
        };
        let packing = q.layout.packing.unwrap_or(default);
        if matches!(packing, Packing::Shared | Packing::Packed) {
            let message = "offset and align need a block that is std140 or std430 (GLSL 4.60 section 4.4.5)";
            self.error(span, "E1007", message);
            return;
        }
        let mut problems: Vec<(Span, String)> = Vec::new();
        let power = |align: u32| align.is_power_of_two();
        if q.layout.align.is_some_and(|a| !power(a)) {
            problems.push((span, "align must be a power of two (GLSL 4.60 section 4.4.5)".into()));
        }
        let mut layouts = Layouts::new(&self.unit.types);
        let mut next: u64 = 0;
        for field in fields {
            let layout = &field.qualifiers.layout;
            let rules = Rules { packing, matrix: layout.matrix.unwrap_or(MatrixLayout::ColumnMajor) };
            let Ok(of) = layouts.of(field.ty, rules) else { continue };
            let (size, base) = (u64::from(of.size), u64::from(of.align.max(1)));
            if layout.align.is_some_and(|a| !power(a)) {
                problems.push((field.span, "align must be a power of two (GLSL 4.60 section 4.4.5)".into()));
                continue;
            }
            let align = layout
                .align
                .or(q.layout.align.filter(|&a| power(a)))
                .map_or(base, |a| base.max(u64::from(a)));
            let start = match layout.offset {
                Some(offset) => {
                    let offset = u64::from(offset);
                    if offset % base != 0 {
                        problems.push((
                            field.span,
                            format!("offset {offset} is not a multiple of {base}, the alignment of the member (GLSL 4.60 section 4.4.5)"),
                        ));
                    } else if offset < next {
                        problems.push((
                            field.span,
                            format!("offset {offset} lies inside or before the previous member, which ends at {next} (GLSL 4.60 section 4.4.5)"),
                        ));
                    }
                    offset
                }
                None => next,
            };
            next = start.next_multiple_of(align) + size;
        }
        for (span, message) in problems {
            self.error(span, "E1007", message);
        }
    }

    /// Bytes that transform feedback writes for a value, and their alignment.
    fn captured(&self, ty: Type) -> (u32, u32) {
        let wide = self
            .unit
            .types
            .any(ty, &mut |t| matches!(t.base(), Some(Base::Double | Base::Int64 | Base::Uint64)));
        let each = if wide { 8 } else { 4 };
        (self.unit.types.components(ty).saturating_mul(each), each)
    }

    fn xfb_error(&mut self, span: Span, message: impl Into<String>) {
        self.error(span, "E1007", message);
    }

    /// Checks a buffer number.
    pub(crate) fn check_xfb_buffer(&mut self, buffer: u32, span: Span) -> bool {
        let limit = self.limits.max_transform_feedback_buffers;
        if buffer >= limit {
            let message = format!(
                "xfb_buffer {buffer} is out of range: GL_MAX_TRANSFORM_FEEDBACK_BUFFERS is {limit} (GLSL 4.60 section 4.4.2.1)"
            );
            self.xfb_error(span, message);
        }
        buffer < limit
    }

    /// Records the stride of a buffer.
    pub(crate) fn set_xfb_stride(&mut self, buffer: u32, stride: u32, span: Span) {
        let limit = self.limits.max_transform_feedback_interleaved_components;
        if !stride.is_multiple_of(4) {
            self.xfb_error(
                span,
                format!("xfb_stride {stride} is not a multiple of 4 (GLSL 4.60 section 4.4.2.1)"),
            );
            return;
        }
        if stride / 4 > limit {
            let message = format!(
                "xfb_stride {stride} takes more than GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS ({limit}) components (GLSL 4.60 section 4.4.2.1)"
            );
            self.xfb_error(span, message);
            return;
        }
        match self.unit.layout.xfb_strides.iter().find(|s| s.0 == buffer) {
            Some(&(_, old)) if old != stride => {
                let message = format!(
                    "buffer {buffer} has xfb_stride {old} already, not {stride} (GLSL 4.60 section 4.4.2.1)"
                );
                self.xfb_error(span, message);
            }
            Some(_) => {}
            None => self.unit.layout.xfb_strides.push((buffer, stride)),
        }
    }

    fn capture(&mut self, buffer: u32, offset: u32, ty: Type, span: Span) {
        if ty == Type::Error {
            return;
        }
        if self.is_unsized(ty) {
            self.xfb_error(span, "an array without size cannot be captured (GLSL 4.60 section 4.4.2.1)");
            return;
        }
        let (size, align) = self.captured(ty);
        if !offset.is_multiple_of(align) {
            self.xfb_error(
                span,
                format!("xfb_offset {offset} is not a multiple of {align} (GLSL 4.60 section 4.4.2.1)"),
            );
            return;
        }
        let end = offset.saturating_add(size);
        let at = self.state.captures.partition_point(|c| (c.buffer, c.end) <= (buffer, offset));
        if self.state.captures.get(at).is_some_and(|c| c.buffer == buffer && c.start < end) {
            let message = format!(
                "bytes {offset} to {end} of buffer {buffer} are captured twice (GLSL 4.60 section 4.4.2.1)"
            );
            self.xfb_error(span, message);
            return;
        }
        self.state.captures.insert(at, Capture { buffer, start: offset, end, align, span });
    }

    /// `xfb_*` of an output variable.
    pub(crate) fn capture_variable(&mut self, q: &mut Qualifiers, ty: Type, span: Span) {
        let buffer = q.layout.xfb_buffer.or(self.unit.layout.xfb_buffer).unwrap_or(0);
        if q.layout.xfb_buffer.is_some() && !self.check_xfb_buffer(buffer, span) {
            return;
        }
        if let Some(stride) = q.layout.xfb_stride {
            self.set_xfb_stride(buffer, stride, span);
        }
        if let Some(offset) = q.layout.xfb_offset {
            q.layout.xfb_buffer = Some(buffer);
            self.capture(buffer, offset, ty, span);
        }
    }

    /// `xfb_*` of a block of outputs: its offset is that of its first member, others follow.
    fn capture_block(&mut self, q: &Qualifiers, fields: &mut [Field], span: Span) {
        let buffer = q.layout.xfb_buffer.or(self.unit.layout.xfb_buffer).unwrap_or(0);
        if q.layout.xfb_buffer.is_some() && !self.check_xfb_buffer(buffer, span) {
            return;
        }
        if let Some(stride) = q.layout.xfb_stride {
            self.set_xfb_stride(buffer, stride, span);
        }
        let mut next = q.layout.xfb_offset;
        let wide = fields.iter().any(|f| self.captured(f.ty).1 == 8);
        if let Some(offset) = next.filter(|offset| wide && !offset.is_multiple_of(8)) {
            let message = format!(
                "xfb_offset {offset} is not a multiple of 8, but the block contains 64-bit members (GLSL 4.60 section 4.4.2.1)"
            );
            self.xfb_error(span, message);
            return;
        }
        for field in fields {
            let layout = &field.qualifiers.layout;
            if layout.xfb_buffer.is_some_and(|b| b != buffer) {
                let message = format!(
                    "the xfb_buffer of a member must be that of its block, {buffer} (GLSL 4.60 section 4.4.2.1)"
                );
                self.xfb_error(field.span, message);
                continue;
            }
            if let Some(stride) = layout.xfb_stride {
                self.set_xfb_stride(buffer, stride, field.span);
            }
            let (size, align) = self.captured(field.ty);
            let offset =
                field.qualifiers.layout.xfb_offset.or(next.and_then(|n| n.checked_next_multiple_of(align)));
            if let Some(offset) = offset {
                field.qualifiers.layout.xfb_offset = Some(offset);
                field.qualifiers.layout.xfb_buffer = Some(buffer);
                self.capture(buffer, offset, field.ty, field.span);
                if next.is_some() {
                    next = Some(offset.saturating_add(size));
                }
            }
        }
    }

    /// Whether the captured outputs fit the strides (at the end, when all are known).
    pub(crate) fn check_captures(&mut self) {
        let limit = self.limits.max_transform_feedback_interleaved_components;
        for c in std::mem::take(&mut self.state.captures) {
            let stride = self.unit.layout.xfb_strides.iter().find(|s| s.0 == c.buffer).map(|s| s.1);
            if stride.is_some_and(|s| c.end > s) {
                let message = format!(
                    "bytes {} to {} do not fit the xfb_stride of buffer {} (GLSL 4.60 section 4.4.2.1)",
                    c.start, c.end, c.buffer
                );
                self.xfb_error(c.span, message);
            } else if stride.is_some_and(|s| s % c.align != 0) {
                let message = "an xfb_stride must be a multiple of 8 where doubles are captured (GLSL 4.60 section 4.4.2.1)";
                self.xfb_error(c.span, message);
            } else if stride.is_none() && c.end.div_ceil(4) > limit {
                let message = format!(
                    "buffer {} takes more than GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS ({limit}) components (GLSL 4.60 section 4.4.2.1)",
                    c.buffer
                );
                self.xfb_error(c.span, message);
            }
        }
    }
}
