//! Signatures of image functions, which follow from the shape of the image.

use super::prototype::{Param, Prototype};
use crate::builtin::op::{Atomic, Builtin, ImageOp};
use crate::types::{Base, Opaque, OpaqueKind, Type};
use crate::version::Language;
use airfoil_ir::Dim;
use smallvec::SmallVec;

/// Form of a signature.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Image(ImageOp),
    /// With scope and semantics.
    ScopedAtomic(Atomic),
    SubpassLoad,
}

/// The overloads of an image function for texels of some base types, and for some or all shapes.
#[derive(Debug)]
pub(super) struct ImageSignature {
    pub kind: Kind,
    pub builtin: Builtin,
    pub bases: &'static [Base],
}

const SHAPES: &[(Dim, bool)] = &[
    (Dim::D1, false),
    (Dim::D2, false),
    (Dim::D3, false),
    (Dim::Cube, false),
    (Dim::Rect, false),
    (Dim::Buffer, false),
    (Dim::D1, true),
    (Dim::D2, true),
    (Dim::Cube, true),
    (Dim::Ms, false),
    (Dim::Ms, true),
];

impl ImageSignature {
    /// The overload for these arguments.
    pub(super) fn exact(&'static self, args: &[Type], _lang: &Language) -> Option<Prototype> {
        let of = args.first()?.as_opaque()?;
        let right =
            if matches!(self.kind, Kind::SubpassLoad) { OpaqueKind::Subpass } else { OpaqueKind::Image };
        if of.kind != right || !self.bases.contains(&of.sampled) {
            return None;
        }
        self.overload(of).filter(|p| p.takes(args))
    }

    /// All overloads.
    pub(super) fn expand(&'static self, _lang: &Language, add: &mut dyn FnMut(Prototype)) {
        let (kind, shapes) = match self.kind {
            Kind::SubpassLoad => (OpaqueKind::Subpass, &[(Dim::Subpass, false), (Dim::SubpassMs, false)][..]),
            _ => (OpaqueKind::Image, SHAPES),
        };
        for &(dim, arrayed) in shapes {
            for &sampled in self.bases {
                let of = Opaque { kind, sampled, dim, arrayed, shadow: false, external: false };
                self.overload(of).into_iter().for_each(&mut *add);
            }
        }
    }

    /// The overload for a type of image; there is at most one.
    fn overload(&'static self, of: Opaque) -> Option<Prototype> {
        let texel = Type::vector(of.sampled, 4);
        let scalar = Type::scalar(of.sampled);
        let layer = u8::from(of.arrayed);
        // The third component of a cube's coordinate is the face, with layers 6 * layer + face.
        let coord = if of.dim == Dim::Cube { 3 } else { of.dim.coord_comps() + layer };
        let mut params: SmallVec<[Param; 6]> = SmallVec::new();
        params.push(Param::new(Type::Opaque(of)));
        let query = matches!(self.kind, Kind::Image(ImageOp::Size | ImageOp::Samples));
        if !query && !matches!(self.kind, Kind::SubpassLoad) {
            params.push(Param::new(Type::vector(Base::Int, coord)));
        }
        if of.dim.is_multisampled() && !query {
            params.push(Param::new(Type::INT));
        }
        let result = match self.kind {
            Kind::Image(ImageOp::Load) | Kind::SubpassLoad => texel,
            Kind::Image(ImageOp::Store) => {
                params.push(Param::new(texel));
                Type::Void
            }
            Kind::Image(ImageOp::Size) => {
                let comps = if of.dim == Dim::Cube { 2 } else { of.dim.coord_comps() } + layer;
                Type::vector(Base::Int, comps)
            }
            Kind::Image(ImageOp::Samples) if of.dim != Dim::Ms => return None,
            Kind::Image(ImageOp::Samples) => Type::INT,
            Kind::Image(ImageOp::Atomic(op)) | Kind::ScopedAtomic(op) => {
                let operands = match op {
                    Atomic::Load => 0,
                    Atomic::CompSwap => 2,
                    _ => 1,
                };
                params.extend(std::iter::repeat_n(Param::new(scalar), operands));
                if matches!(self.kind, Kind::ScopedAtomic(_)) {
                    let scopes = if op == Atomic::CompSwap { 5 } else { 3 };
                    params.extend(std::iter::repeat_n(Param::constant(Type::INT), scopes));
                }
                if op == Atomic::Store { Type::Void } else { scalar }
            }
        };
        Some(Prototype { builtin: &self.builtin, result, params })
    }
}
