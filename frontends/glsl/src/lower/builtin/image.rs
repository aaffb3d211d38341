//! Storage images.

use super::memory::{atomic_of, values_of};
use super::{Lowerer, Res, arg};
use crate::builtin::op::{Atomic, ImageOp};
use crate::hir::ExprId;
use crate::lower::{MALFORMED, UNSUPPORTED, Value, fail, scalar_of, shape_of};
use crate::types::Type;
use airfoil_ir::{Access, AluOp, ImageType, Index, InstrId, Intrinsic, IntrinsicOp, Ty, Type as IrType};

/// An image, the coordinates of a texel in it, and the remaining arguments.
struct Texel<'a> {
    info: ImageType,
    image: InstrId,
    coord: InstrId,
    sample: InstrId,
    access: Access,
    rest: &'a [ExprId],
}

impl Lowerer<'_, '_> {
    /// A function of a storage image.
    pub(super) fn image_function(&mut self, op: ImageOp, args: &[ExprId], ty: Type) -> Res<Value> {
        match op {
            ImageOp::Load => self.image_load(args, ty),
            ImageOp::Store => self.image_store(args),
            ImageOp::Size => self.image_size(args, ty),
            ImageOp::Samples => self.image_samples(args),
            ImageOp::Atomic(op) => self.image_atomic(op, args, ty),
        }
    }

    /// An image and its type.
    fn image(&mut self, arg: ExprId) -> Res<(InstrId, ImageType)> {
        let (image, _) = self.opaque(arg)?;
        let ty = self.b.pointee(image).map(|(ty, _)| &self.m.shader.types[ty]);
        match ty {
            Some(&IrType::Image(info)) if info.storage => Ok((image, info)),
            _ => fail(MALFORMED, "an argument must be an image"),
        }
    }

    /// The arguments that name a texel: image, coordinate and, if multisampled, the sample.
    ///
    /// The last component of a cube's coordinate counts layers and faces, as it does in the IR
    /// (GLSL 4.60 section 8.12).
    fn texel<'a>(&mut self, args: &'a [ExprId]) -> Res<Texel<'a>> {
        let access = self.memory_qualifiers(arg(args, 0)?);
        let (image, info) = self.image(arg(args, 0)?)?;
        let coord = self.ssa(arg(args, 1)?)?;
        let multisampled = info.dim.is_multisampled();
        let sample = if multisampled { self.ssa(arg(args, 2)?)? } else { self.b.imm_u32(0) };
        let rest = args.get(2 + usize::from(multisampled)..).unwrap_or_default();
        Ok(Texel { info, image, coord, sample, access, rest })
    }

    fn image_load(&mut self, args: &[ExprId], ty: Type) -> Res<Value> {
        let t = self.texel(args)?;
        let (Some(shape), Some(base)) = (shape_of(ty), ty.base()) else {
            return fail(MALFORMED, "a texel is a vector");
        };
        let load = Intrinsic::new(IntrinsicOp::image_load, &[t.image, t.coord, t.sample])
            .with(Index::Dim, t.info.dim)
            .with(Index::Array, t.info.arrayed)
            .with(Index::Format, t.info.format)
            .with(Index::Access, t.access)
            .with(Index::DestType, scalar_of(base));
        let v = self.b.insert_intrinsic(load, shape.with_comps(4));
        Ok(Value::Ssa(self.b.resize(v, shape.comps)))
    }

    fn image_store(&mut self, args: &[ExprId]) -> Res<Value> {
        let t = self.texel(args)?;
        let data = arg(t.rest, 0)?;
        let Some(base) = self.m.unit[data].ty.base() else {
            return fail(MALFORMED, "a texel is a vector");
        };
        let value = self.ssa(data)?;
        let value = self.b.resize(value, 4);
        let store = Intrinsic::new(IntrinsicOp::image_store, &[t.image, t.coord, t.sample, value])
            .with(Index::Dim, t.info.dim)
            .with(Index::Array, t.info.arrayed)
            .with(Index::Format, t.info.format)
            .with(Index::Access, t.access)
            .with(Index::SrcType, scalar_of(base));
        self.b.insert_intrinsic(store, Ty::NONE);
        Ok(Value::Void)
    }

    fn image_size(&mut self, args: &[ExprId], ty: Type) -> Res<Value> {
        let (image, info) = self.image(arg(args, 0)?)?;
        let Some(shape) = shape_of(ty) else { return fail(MALFORMED, "a size is a vector") };
        let lod = self.b.imm_u32(0);
        let size = Intrinsic::new(IntrinsicOp::image_size, &[image, lod])
            .with(Index::Dim, info.dim)
            .with(Index::Array, info.arrayed);
        Ok(Value::Ssa(self.b.insert_intrinsic(size, shape)))
    }

    fn image_samples(&mut self, args: &[ExprId]) -> Res<Value> {
        let (image, info) = self.image(arg(args, 0)?)?;
        let samples = Intrinsic::new(IntrinsicOp::image_samples, &[image])
            .with(Index::Dim, info.dim)
            .with(Index::Array, info.arrayed);
        Ok(Value::Ssa(self.b.insert_intrinsic(samples, Ty::B32)))
    }

    fn image_atomic(&mut self, op: Atomic, args: &[ExprId], ty: Type) -> Res<Value> {
        let t = self.texel(args)?;
        let sampled = self.opaque_type(arg(args, 0)?)?.sampled;
        let Some(atomic) = atomic_of(op, sampled) else {
            return fail(UNSUPPORTED, format!("imageAtomic{op:?} is not supported on this image"));
        };
        let Some((values, rest)) = t.rest.split_at_checked(values_of(op)) else {
            return fail(MALFORMED, "an atomic has too few arguments");
        };
        let mut values = self.ssas(values)?;
        let (scope, semantics) = self.atomic_order(rest)?;
        let bits = sampled.bits();
        for v in &mut values {
            if self.b.ty(*v).bits != bits {
                *v = self.b.convert(if sampled.is_float() { AluOp::f2f } else { AluOp::u2u }, *v, bits);
            }
        }
        let (intrinsic, data) = match values[..] {
            [compare, data] => (IntrinsicOp::image_atomic_swap, self.b.vec(&[compare, data])),
            [data] => (IntrinsicOp::image_atomic, data),
            _ => (IntrinsicOp::image_atomic, self.b.imm(bits, 0)),
        };
        let i = Intrinsic::new(intrinsic, &[t.image, t.coord, t.sample, data])
            .with(Index::Dim, t.info.dim)
            .with(Index::Array, t.info.arrayed)
            .with(Index::Format, t.info.format)
            .with(Index::Atomic, atomic)
            .with(Index::Access, t.access)
            .with(Index::MemoryScope, scope)
            .with(Index::Semantics, semantics);
        let old = self.b.insert_intrinsic(i, Ty::new(1, bits));
        Ok(if ty == Type::Void { Value::Void } else { Value::Ssa(old) })
    }
}
