//! Reads `layout(...)`: identifiers, values, repetition, and where an identifier is allowed.

use super::Checker;
use super::layout_table::{Api, Key, ROWS, Row, context, find};
use crate::extension::Ext;
use crate::hir::{Layout, Packing};
use crate::source::Span;
use crate::syntax::{Expr, ExprKind, LayoutId};
use crate::types::Type;
use crate::version::Avail;
use airfoil_ir::Diagnostic;
use airfoil_ir::diag::nearest;
use smallvec::SmallVec;

/// Where values may be constant expressions, and identifiers be repeated in one `layout(...)`.
const CONSTANT_VALUES: Avail = Avail::since(440, 310).or(&[Ext::ARB_enhanced_layouts]);

/// Where identifiers may be repeated in one `layout(...)`: the last one counts.
const REPEATED: Avail = Avail::since(440, 310).or(&[Ext::ARB_enhanced_layouts]);

/// An identifier that was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenId {
    /// Row of the table.
    pub(crate) row: &'static Row,
    /// Value; 0 if it has none.
    pub(crate) value: u32,
    /// Where.
    pub(crate) span: Span,
}

/// The combined `layout(...)` qualifiers of a declaration.
#[derive(Debug, Default)]
pub(crate) struct GivenLayout {
    /// The part that variables, members and blocks keep.
    pub(crate) layout: Layout,
    /// Everything, in order.
    pub(crate) ids: SmallVec<[GivenId; 4]>,
    /// The first `layout(...)`, even if it is empty or wrong.
    at: Option<Span>,
}

impl GivenLayout {
    /// Where the first one is.
    pub(crate) fn span(&self) -> Option<Span> {
        self.at
    }

    /// Position of an identifier.
    pub(crate) fn find(&self, key: Key) -> Option<GivenId> {
        self.ids.iter().copied().find(|id| id.row.key == key)
    }
}

impl Checker<'_> {
    /// Reads one `layout(...)`.
    pub(crate) fn read_layout(&mut self, ids: &[LayoutId<'_>], span: Span, given: &mut GivenLayout) {
        given.at.get_or_insert(span);
        let first = given.ids.len();
        for id in ids {
            let Some(row) = self.layout_row(id) else { continue };
            let value = match (row.value, id.value) {
                (true, Some(value)) => match self.layout_value(value, row.name) {
                    Some(value) => value,
                    None => continue,
                },
                (true, None) => {
                    let message =
                        format!("layout qualifier {} needs a value (GLSL 4.60 section 4.4)", row.name);
                    self.error(id.name.span, "E1007", message);
                    continue;
                }
                (false, Some(value)) => {
                    let message =
                        format!("layout qualifier {} takes no value (GLSL 4.60 section 4.4)", row.name);
                    self.error(value.span, "E1007", message);
                    0
                }
                (false, None) => 0,
            };
            let repeated = given.ids[first..].iter().any(|g| g.row.key == row.key);
            if repeated && row.value && !self.lang.has(&REPEATED) {
                let message = format!(
                    "duplicate layout qualifier {}; repetition requires GLSL 4.40 or GL_ARB_enhanced_layouts",
                    row.name
                );
                self.error(id.name.span, "E1007", message);
            }
            apply(row.key, value, &mut given.layout);
            given.ids.retain(|g| !(row.value && g.row.key == row.key));
            given.ids.push(GivenId { row, value, span: id.name.span });
        }
    }

    /// The row of an identifier that this language has.
    fn layout_row(&mut self, id: &LayoutId<'_>) -> Option<&'static Row> {
        let text = self.name(id.name.name);
        // Desktop GLSL ignores case here (GLSL 4.60 section 4.4), ES does not.
        let row = find(text)
            .or_else(|| if self.lang.version.is_es() { None } else { find(&text.to_ascii_lowercase()) });
        let Some(row) = row else {
            let hint = nearest(text, ROWS.iter().map(|r| r.name))
                .map_or(String::new(), |n| format!("; did you mean {n}?"));
            let message = format!("unknown layout qualifier {text}{hint} (GLSL 4.60 section 4.4)");
            self.error(id.name.span, "E1007", message);
            return None;
        };
        let vulkan_row = self.lang.vulkan && matches!(row.key, Key::Binding | Key::Offset | Key::Location);
        // Descriptor set 0 is the only one that OpenGL has.
        let set_zero =
            row.key == Key::Set && matches!(id.value, Some(Expr { kind: ExprKind::Const(_, 0), .. }));
        if row.api == Api::Vulkan && !self.lang.vulkan && !set_zero {
            let message = format!("layout qualifier {} is for Vulkan only (GL_KHR_vulkan_glsl)", row.name);
            let advice = "`--vulkan` compiles GLSL for Vulkan";
            self.diags.push(id.name.span, Diagnostic::error("E1007", message).help(advice));
            return None;
        }
        if !vulkan_row && !self.lang.has(&row.avail) {
            let message = format!(
                "layout qualifier {} is not available in {}{}",
                row.name,
                self.lang.version,
                by(&row.avail)
            );
            self.error(id.name.span, "E1007", message);
            return None;
        }
        if !row.stages.contains(self.lang.stage) {
            let message = format!(
                "layout qualifier {} has no meaning in the {} stage (GLSL 4.60 section 4.4)",
                row.name, self.lang.stage
            );
            self.error(id.name.span, "E1007", message);
            return None;
        }
        Some(row)
    }

    /// The value of an identifier: a constant integral expression that is not negative.
    fn layout_value(&mut self, value: &Expr<'_>, name: &str) -> Option<u32> {
        let number = match value.kind {
            ExprKind::Const(Type::INT, bits) => i64::from(bits as u32 as i32),
            ExprKind::Const(Type::UINT, bits) => i64::from(bits as u32),
            _ => {
                // In OpenGL, GL_OVR_multiview takes an expression in every version.
                let is_views = name == "num_views" && !self.lang.version.is_es();
                if !self.lang.has(&CONSTANT_VALUES) && !self.lang.vulkan && !is_views {
                    let message = format!(
                        "the value of layout qualifier {name} must be an integer literal before GLSL 4.40 without GL_ARB_enhanced_layouts"
                    );
                    self.error(value.span, "E1007", message);
                    return None;
                }
                self.const_int(value, "the value of a layout qualifier")?
            }
        };
        match u32::try_from(number) {
            Ok(number) if number <= i32::MAX as u32 => Some(number),
            _ => {
                let message = format!(
                    "layout qualifier {name} is {number}, which is out of range (GLSL 4.60 section 4.4)"
                );
                self.error(value.span, "E1007", message);
                None
            }
        }
    }

    /// Reports identifiers that are not allowed in a context.
    pub(crate) fn check_layout_context(&mut self, given: &GivenLayout, context: u32) {
        for id in &given.ids {
            // Uniform blocks are std430 in Vulkan only, and there when they are push constants (or by GL_EXT_scalar_block_layout).
            let uniform = context & (context::UNIFORM_BLOCK | context::UNIFORM_DEFAULT) != 0;
            let std430 = uniform && id.row.key == Key::Packing(Packing::Std430) && !self.lang.vulkan;
            if id.row.contexts & context == 0 || std430 {
                let message = format!(
                    "layout qualifier {} cannot be used on {} (GLSL 4.60 section 4.4)",
                    id.row.name,
                    context::name(context)
                );
                self.error(id.span, "E1007", message);
            }
        }
    }
}

/// The extensions that add something, for messages.
fn by(avail: &Avail) -> String {
    match avail.exts.first() {
        Some(ext) => format!(" without {}", ext.name()),
        None => String::new(),
    }
}

/// Stores the parts that variables keep in the record.
fn apply(key: Key, value: u32, layout: &mut Layout) {
    match key {
        Key::Location => layout.location = Some(value),
        Key::Component => layout.component = Some(value),
        Key::Index => layout.index = Some(value),
        Key::Binding => layout.binding = Some(value),
        Key::Set => layout.set = Some(value),
        Key::Offset => layout.offset = Some(value),
        Key::Align => layout.align = Some(value),
        Key::XfbBuffer => layout.xfb_buffer = Some(value),
        Key::XfbStride => layout.xfb_stride = Some(value),
        Key::XfbOffset => layout.xfb_offset = Some(value),
        Key::Stream => layout.stream = Some(value),
        Key::Matrix(matrix) => layout.matrix = Some(matrix),
        Key::Packing(packing) => layout.packing = Some(packing),
        Key::Format(format) => layout.format = Some(format),
        Key::ConstantId => layout.constant_id = Some(value),
        Key::InputAttachment => layout.input_attachment = Some(value),
        Key::PushConstant => layout.push_constant = true,
        Key::BufferReference => layout.buffer_reference = true,
        Key::BufferReferenceAlign => layout.buffer_reference_align = Some(value),
        Key::Noncoherent => layout.noncoherent = true,
        Key::LocalSize(_)
        | Key::LocalSizeId(_)
        | Key::LocalSizeVariable
        | Key::Vertices
        | Key::MaxVertices
        | Key::Invocations
        | Key::Primitive(_)
        | Key::Spacing(_)
        | Key::Winding(_)
        | Key::PointMode
        | Key::EarlyFragmentTests
        | Key::PostDepthCoverage
        | Key::NumViews
        | Key::OriginUpperLeft
        | Key::PixelCenterInteger
        | Key::Depth(_)
        | Key::BlendSupport(_)
        | Key::DerivativeGroup(_) => {}
    }
}
