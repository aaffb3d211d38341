//! Rules for arguments beyond their types: constants and their ranges, interpolants, memory, images, and where some built-in
//! functions may be called (GLSL 4.60 chapter 8).

use super::{Checker, codes};
use crate::builtin::function::Prototype;
use crate::builtin::op::{Atomic, Barrier, ImageOp, Lowering, TexCall, TexOffset, TexOp};
use crate::hir::{ExprId, ExprKind, Memory, Storage, VarId};
use crate::source::Span;
use crate::syntax::{self, Ident};
use crate::types::{OpaqueKind, Type};
use crate::version::NEVER;
use airfoil_ir::{ImageFormat, Named, Stage};

impl Checker<'_> {
    /// An image passed to a parameter keeps its memory qualifiers (GLSL 4.60 section 4.10).
    pub(crate) fn memory_fits(&mut self, arg: ExprId, param: VarId, span: Span) -> bool {
        let Type::Opaque(o) = self.unit.types.without_arrays(self.ty(arg)) else { return true };
        if o.kind != OpaqueKind::Image {
            return true;
        }
        let kept = Memory::COHERENT | Memory::VOLATILE | Memory::READONLY | Memory::WRITEONLY;
        let lost = (self.memory_of(arg) & kept) - self.unit[param].qualifiers.memory;
        for (flag, name) in [
            (Memory::COHERENT, "coherent"),
            (Memory::VOLATILE, "volatile"),
            (Memory::READONLY, "readonly"),
            (Memory::WRITEONLY, "writeonly"),
        ] {
            if lost.contains(flag) {
                let message = format!("the image is {name}, the parameter is not (GLSL 4.60 section 4.10)");
                self.error(span, codes::ARGUMENT, message);
                return false;
            }
        }
        true
    }

    /// An interpolant: an input, or an element or member of one (GLSL 4.60 section 8.13.2).
    pub(crate) fn interpolant(&mut self, arg: ExprId, span: Span) -> Option<ExprId> {
        let is_input = self.root(arg).is_some_and(|v| self.unit[v].qualifiers.storage == Storage::In);
        let swizzled = matches!(self.unit[arg].kind, ExprKind::Swizzle(..))
            || matches!(self.unit[arg].kind, ExprKind::Index(base, _) if !self.ty(base).is_array());
        if !is_input {
            let message = "the interpolant must be an input of the fragment shader, or a part of one (GLSL 4.60 section 8.13.2)";
            self.error(span, codes::ARGUMENT, message);
            return None;
        }
        if swizzled && !self.lang.version.at_least(440, NEVER) {
            let message = "components of an interpolant are named since GLSL 4.40 (section 8.13.2)";
            self.error(span, codes::ARGUMENT, message);
            return None;
        }
        Some(arg)
    }

    /// The memory operand of an atomic operation (GLSL 4.60 section 8.11).
    pub(crate) fn memory_operand(&mut self, arg: ExprId, span: Span) -> Option<ExprId> {
        let storage = self.root(arg).map(|v| self.unit[v].qualifiers.storage);
        if !matches!(storage, Some(Storage::Buffer | Storage::Shared)) && !self.is_in_referenced_block(arg) {
            let message =
                "an atomic operation works on a buffer or shared variable only (GLSL 4.60 section 8.11)";
            self.error(span, codes::ARGUMENT, message);
            return None;
        }
        if matches!(self.unit[arg].kind, ExprKind::Swizzle(_, s) if s.len != 1) {
            self.error(span, codes::ARGUMENT, "an atomic operation works on one component");
            return None;
        }
        self.lvalue(arg, span, "work on").then_some(arg)
    }

    /// The remaining rules of a built-in function for its arguments and for the position of the call.
    pub(crate) fn builtin_rules(
        &mut self,
        p: &Prototype,
        values: &[ExprId],
        args: &[syntax::Expr<'_>],
        name: Ident,
        span: Span,
    ) -> bool {
        for ((param, &value), arg) in p.params.iter().zip(values).zip(args) {
            if param.constant && self.as_const(value).is_none() {
                let message = format!(
                    "this argument of {} must be a constant expression (GLSL 4.60 section 8.9)",
                    &self.unit.names[name.name]
                );
                self.error(arg.span, codes::CONSTANT, message);
                return false;
            }
        }
        match p.builtin.lowering {
            Lowering::Texture(call) => self.texture_rules(call, values, args),
            Lowering::Image(op @ (ImageOp::Load | ImageOp::Store | ImageOp::Atomic(_))) => {
                self.image_rules(op, values, name.span)
            }
            Lowering::SubgroupReduce(..) if args.len() == 2 => self.cluster_rules(values, args),
            Lowering::SubgroupRotate if args.len() == 3 => self.cluster_rules(values, args),
            Lowering::Barrier(Barrier::Workgroup) => self.barrier_rules(span),
            Lowering::Ftransform => {
                self.use_builtin("gl_Vertex");
                self.use_builtin("gl_ModelViewProjectionMatrix");
                true
            }
            _ => true,
        }
    }

    /// The size of clusters, the last argument: a power of two (GL_KHR_shader_subgroup).
    fn cluster_rules(&mut self, values: &[ExprId], args: &[syntax::Expr<'_>]) -> bool {
        let (Some(&size), Some(arg)) = (values.last(), args.last()) else { return true };
        match self.const_ints(size).as_deref() {
            Some(&[n]) if n <= 0 || n & (n - 1) != 0 => {
                let message = format!(
                    "the size of a cluster is {n}, it must be a power of two (GL_KHR_shader_subgroup)"
                );
                self.error(arg.span, codes::CONSTANT, message);
                false
            }
            _ => true,
        }
    }

    /// Ranges of offsets and components.
    fn texture_rules(&mut self, call: TexCall, values: &[ExprId], args: &[syntax::Expr<'_>]) -> bool {
        let Some(Type::Opaque(sampler)) = values.first().map(|&v| self.ty(v)) else { return true };
        let at = call.args(sampler);
        if let (Some(i), true) = (at.offset, call.offset != TexOffset::None) {
            let range = if call.op == TexOp::Gather {
                (self.limits.min_program_texture_gather_offset, self.limits.max_program_texture_gather_offset)
            } else {
                (self.limits.min_program_texel_offset, self.limits.max_program_texel_offset)
            };
            // The lower bounds are kept as absolute values.
            let (low, high) = (-(range.0 as i32), range.1 as i32);
            if !self.in_range(values, args, i, i64::from(low), i64::from(high), "an offset") {
                return false;
            }
        }
        match at.component {
            Some(i) => self.in_range(values, args, i, 0, 3, "the component"),
            None => true,
        }
    }

    /// Checks the values of a constant argument.
    fn in_range(
        &mut self,
        values: &[ExprId],
        args: &[syntax::Expr<'_>],
        i: usize,
        low: i64,
        high: i64,
        what: &str,
    ) -> bool {
        let (Some(&value), Some(arg)) = (values.get(i), args.get(i)) else { return true };
        let Some(numbers) = self.const_ints(value) else { return true };
        match numbers.iter().find(|&&n| n < low || n > high) {
            Some(n) => {
                let message =
                    format!("{what} of {n} is not in the range from {low} to {high} (GLSL 4.60 section 8.9)");
                self.error(arg.span, codes::CONSTANT, message);
                false
            }
            None => true,
        }
    }

    /// The operations that an image variable allows (GLSL 4.60 sections 4.10 and 8.12).
    fn image_rules(&mut self, op: ImageOp, values: &[ExprId], span: Span) -> bool {
        let Some(&image) = values.first() else { return true };
        let memory = self.memory_of(image);
        let reads = op != ImageOp::Store;
        let writes = op != ImageOp::Load;
        let why = if reads && memory.contains(Memory::WRITEONLY) {
            Some("it is writeonly")
        } else if writes && memory.contains(Memory::READONLY) {
            Some("it is readonly")
        } else {
            None
        };
        if let Some(why) = why {
            let message = format!("the image does not allow this: {why} (GLSL 4.60 section 4.10)");
            self.error(span, codes::ARGUMENT, message);
            return false;
        }
        if let ImageOp::Atomic(op) = op {
            let format = self.root(image).and_then(|v| self.unit[v].qualifiers.layout.format);
            if let Some(format) = format.filter(|&f| !atomic_format(f, op)) {
                let message = format!(
                    "images of the format {} have no atomic operations: r32i and r32ui have (GLSL 4.60 section 8.12)",
                    format.name()
                );
                self.error(span, codes::ARGUMENT, message);
                return false;
            }
        }
        if writes && let Some(var) = self.root(image) {
            self.mark_written(var);
        }
        true
    }

    /// `barrier()` of tessellation control must be in `main`, outside of control flow and before any return (GLSL 4.60 section
    /// 8.16).
    fn barrier_rules(&mut self, span: Span) -> bool {
        if self.unit.stage != Stage::TessControl {
            return true;
        }
        let in_main = self.function.is_some_and(|f| &self.unit.names[self.unit[f].name] == "main");
        let why = if !in_main {
            "outside of main"
        } else if self.exprs.flow > 0 {
            "inside of control flow"
        } else if self.exprs.returned {
            "after a return"
        } else {
            return true;
        };
        let message =
            format!("barrier() is called {why} in a tessellation control shader (GLSL 4.60 section 8.16)");
        self.error(span, codes::ARGUMENT, message);
        false
    }
}

/// Whether images of a format have an atomic operation: integers have all, `r32f` can be exchanged and, by extension, added to
/// and compared.
fn atomic_format(format: ImageFormat, op: Atomic) -> bool {
    match format {
        ImageFormat::R32i | ImageFormat::R32ui | ImageFormat::R64i | ImageFormat::R64ui => true,
        ImageFormat::R32f => {
            matches!(
                op,
                Atomic::Exchange | Atomic::Add | Atomic::Min | Atomic::Max | Atomic::Load | Atomic::Store
            )
        }
        _ => false,
    }
}
