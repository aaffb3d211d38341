//! References to buffers: `GL_EXT_buffer_reference`, `GL_EXT_buffer_reference2` (operators) and
//! `GL_EXT_buffer_reference_uvec2`.
//!
//! A block with `layout(buffer_reference)` is a type, not a variable. Values of the type are addresses; in the typed tree all
//! arithmetic is written out on `uint64_t`.

use super::construct::Args;
use super::qualifiers::Given;
use super::scope::Name;
use super::{Checker, codes};
use crate::builtin::{Builtin, function};
use crate::extension::Ext;
use crate::hir::{ExprId, ExprKind, Layout, MatrixLayout, Memory, Packing};
use crate::link::layout::{Layouts, Rules};
use crate::source::Span;
use crate::syntax::{BinaryOp, Ident, InterfaceBlock};
use crate::token::Tok;
use crate::types::{Base, Reference, Struct, StructId, Type};

/// Alignment of referenced buffers without `buffer_reference_align`.
const DEFAULT_ALIGN: u32 = 16;

/// The reason why an operator is rejected.
const NEEDS_2: &str = "operators on buffer references need GL_EXT_buffer_reference2";

impl Checker<'_> {
    /// `layout(buffer_reference) buffer T;`: the name is a type from here on.
    pub(crate) fn announce_references(&mut self, given: &Given<'_>, names: &[Ident]) {
        if given.storage.map(|s| s.0) != Some(Tok::Buffer) {
            let message =
                "layout qualifier buffer_reference is for buffer blocks only (GL_EXT_buffer_reference)";
            self.error(given.span, "E1007", message);
            return;
        }
        for &name in names {
            if self.known_reference(name).is_some() {
                continue;
            }
            self.check_name(name, "block");
            let reference = Reference {
                packing: Packing::Std430,
                matrix: MatrixLayout::ColumnMajor,
                stride: 0,
                defined: false,
            };
            let (fields, span) = (Vec::new(), name.span);
            let made =
                Struct { name: Some(name.name), fields, block: true, span, reference: Some(reference) };
            let id = self.add_struct(made, (1, 1));
            self.declare_name(name, Name::Struct(id));
        }
    }

    /// The block of this name that is a type.
    fn known_reference(&self, name: Ident) -> Option<StructId> {
        match self.scopes.get_here(name.name)?.0 {
            Name::Struct(id) if self.unit.types.structs[id.0 as usize].reference.is_some() => Some(*id),
            _ => None,
        }
    }

    /// Defines a block that is a type.
    pub(crate) fn define_reference(
        &mut self,
        block: &InterfaceBlock<'_>,
        mut made: Struct,
        measure: (u32, u32),
        layout: &Layout,
    ) {
        if let Some(instance) = &block.instance {
            let message =
                "a block with buffer_reference is a type and declares no variable (GL_EXT_buffer_reference)";
            self.error(instance.name.span, "E1010", message);
        }
        let align = layout.buffer_reference_align.unwrap_or(DEFAULT_ALIGN);
        if !align.is_power_of_two() {
            let message =
                format!("buffer_reference_align is {align}, not a power of two (GL_EXT_buffer_reference)");
            self.error(block.name.span, "E1007", message);
        }
        let rules = Rules {
            packing: layout.packing.unwrap_or(Packing::Std430),
            matrix: layout.matrix.unwrap_or(MatrixLayout::ColumnMajor),
        };
        let mut reference =
            Reference { packing: rules.packing, matrix: rules.matrix, stride: 0, defined: true };
        made.reference = Some(reference);
        let id = match self.known_reference(block.name) {
            Some(id) => {
                let old = &mut self.unit.types.structs[id.0 as usize];
                if old.reference.is_some_and(|r| r.defined) {
                    let message = format!(
                        "block name {} is declared twice (GLSL 4.60 section 4.3.9)",
                        self.name(block.name.name)
                    );
                    self.error(block.name.span, "E1002", message);
                    return;
                }
                *old = made;
                self.state.structs[id.0 as usize] = measure;
                id
            }
            None => {
                let id = self.add_struct(made, measure);
                self.declare_name(block.name, Name::Struct(id));
                id
            }
        };
        match Layouts::new(&self.unit.types).of(Type::Struct(id), rules) {
            Ok(layout) => {
                reference.stride = layout.size.next_multiple_of(align.max(1));
                self.unit.types.structs[id.0 as usize].reference = Some(reference);
            }
            Err(e) => self.error(block.name.span, "E1010", format!("the block is too large: {e}")),
        }
    }

    /// Whether the only memory qualifier is `restrict`, which variables that hold references may have.
    pub(crate) fn may_be_restrict(&self, given: &Given<'_>) -> bool {
        given.memory == Memory::RESTRICT && self.lang.ext(Ext::EXT_buffer_reference)
    }

    /// The block that a reference refers to.
    pub(crate) fn dereference(&mut self, reference: ExprId, id: StructId, span: Span) -> ExprId {
        self.readable(reference, span);
        if self.ty(reference) == Type::Error {
            return reference;
        }
        let s = &self.unit.types.structs[id.0 as usize];
        if !s.reference.is_some_and(|r| r.defined) {
            let message = format!(
                "{} has no members yet: the block is announced, not defined (GL_EXT_buffer_reference)",
                self.type_name(Type::Reference(id))
            );
            return self.error_expr(span, codes::MEMBER, message);
        }
        self.unit.add_expr(ExprKind::Dereference(reference), Type::Struct(id), span.lo)
    }

    /// Whether an expression names a part of a referenced block.
    pub(crate) fn is_in_referenced_block(&self, mut expr: ExprId) -> bool {
        loop {
            match self.unit[expr].kind {
                ExprKind::Dereference(_) => return true,
                ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => {
                    expr = base
                }
                _ => return false,
            }
        }
    }

    /// Constructors that build references, or numbers from references. `None`: it is another constructor.
    pub(crate) fn construct_with_reference(&mut self, ty: Type, args: &Args, span: Span) -> Option<ExprId> {
        let &[arg] = &args[..] else { return None };
        let from = self.ty(arg);
        let pair = Type::vector(Base::Uint, 2);
        match (ty, from) {
            (Type::Reference(_), Type::Reference(_)) => Some(self.address(arg, ty)),
            (Type::Reference(_), _) if from == pair => {
                self.needs_uvec2(span);
                let whole = self.bit_cast(arg, Type::UINT64);
                Some(self.address(whole, ty))
            }
            (Type::Reference(_), _) => {
                let number = self.convert(arg, Type::UINT64)?;
                Some(self.address(number, ty))
            }
            (Type::UINT64, Type::Reference(_)) => Some(self.address(arg, ty)),
            (_, Type::Reference(_)) if ty == pair => {
                self.needs_uvec2(span);
                let number = self.address(arg, Type::UINT64);
                Some(self.bit_cast(number, ty))
            }
            _ => None,
        }
    }

    fn needs_uvec2(&mut self, span: Span) {
        if !self.lang.ext(Ext::EXT_buffer_reference_uvec2) {
            let message = "buffer references as uvec2 need GL_EXT_buffer_reference_uvec2";
            self.error(span, codes::VERSION, message);
        }
    }

    fn bit_cast(&mut self, expr: ExprId, ty: Type) -> ExprId {
        static BIT_CAST: Builtin = function::BIT_CAST;
        let (list, at) = (self.unit.add_list(&[expr]), self.unit[expr].at);
        self.unit.add_expr(ExprKind::Builtin(&BIT_CAST, list), ty, at)
    }

    /// The same bits as an address or as a reference.
    fn address(&mut self, expr: ExprId, ty: Type) -> ExprId {
        let at = self.unit[expr].at;
        self.unit.add_expr(ExprKind::Address(expr), ty, at)
    }

    /// Bytes by which arithmetic moves references of a type; `None` for other types.
    pub(crate) fn reference_step(&self, ty: Type) -> Option<Result<u32, &'static str>> {
        let reference = self.unit.types.as_reference(ty)?;
        let Type::Reference(id) = ty else { return None };
        let last = self.unit.types.structs[id.0 as usize].fields.last();
        Some(if !self.lang.ext(Ext::EXT_buffer_reference2) {
            Err(NEEDS_2)
        } else if !reference.defined {
            Err("the size of the block is not known yet (GL_EXT_buffer_reference2)")
        } else if last.is_some_and(|f| self.is_unsized(f.ty)) {
            Err("pointer arithmetic requires a block of known size (GL_EXT_buffer_reference2)")
        } else {
            Ok(reference.stride)
        })
    }

    /// Operands of an operator on references, and the type of the result. `both`: the left side is a value, not the
    /// assigned to.
    pub(crate) fn reference_operands(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        both: bool,
    ) -> Result<(ExprId, ExprId, Type), &'static str> {
        if !self.lang.ext(Ext::EXT_buffer_reference2) {
            return Err(NEEDS_2);
        }
        let (ta, tb) = (self.ty(a), self.ty(b));
        let count = |ty: Type| ty.is_scalar() && ty.base().is_some_and(Base::is_integer);
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual if ta == tb => {
                Ok((self.address(a, Type::UINT64), self.address(b, Type::UINT64), Type::BOOL))
            }
            BinaryOp::Add | BinaryOp::Sub if count(tb) => {
                let stride = self.reference_step(ta).unwrap_or(Err(NEEDS_2))?;
                let bytes = self.bytes(b, stride);
                Ok((if both { self.address(a, Type::UINT64) } else { a }, bytes, ta))
            }
            BinaryOp::Add if both && count(ta) => {
                let stride = self.reference_step(tb).unwrap_or(Err(NEEDS_2))?;
                Ok((self.bytes(a, stride), self.address(b, Type::UINT64), tb))
            }
            BinaryOp::Equal | BinaryOp::NotEqual => Err("the types differ"),
            _ => Err("references are compared for equality, moved by integers and subtracted"),
        }
    }

    /// `a - b`: the number of blocks between two references, an `int64_t`.
    pub(crate) fn reference_distance(&mut self, a: ExprId, b: ExprId, span: Span) -> ExprId {
        let stride = match self.reference_step(self.ty(a)) {
            Some(Ok(stride)) => stride.max(1),
            Some(Err(why)) => return self.error_expr(span, codes::OPERANDS, why),
            None => 1,
        };
        let (a, b) = (self.address(a, Type::UINT64), self.address(b, Type::UINT64));
        let bytes = self.unit.add_expr(ExprKind::Binary(BinaryOp::Sub, a, b), Type::UINT64, span.lo);
        let bytes = self.convert_base(bytes, Base::Uint64, Base::Int64);
        let stride = self.const_expr(Type::scalar(Base::Int64), Box::new([stride.into()]), span.lo);
        self.unit.add_expr(ExprKind::Binary(BinaryOp::Div, bytes, stride), Type::scalar(Base::Int64), span.lo)
    }

    /// An integer times a stride, as `uint64_t`.
    fn bytes(&mut self, count: ExprId, stride: u32) -> ExprId {
        let at = self.unit[count].at;
        let base = self.ty(count).base().unwrap_or(Base::Int);
        // Negative numbers keep their sign.
        let wide = if base.is_signed() { Base::Int64 } else { Base::Uint64 };
        let count = self.convert_base(count, base, wide);
        let mut count = self.convert_base(count, wide, Base::Uint64);
        if self.as_const(count).is_none() {
            // Addresses have no precision: a mediump index does not make the product one.
            count = self.address(count, Type::UINT64);
        }
        let stride = self.const_expr(Type::UINT64, Box::new([stride.into()]), at);
        self.binary(BinaryOp::Mul, count, stride, Span { lo: at, hi: at })
    }
}
