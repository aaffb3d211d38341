//! Storage images: reads, writes, atomic operations and sizes.

use super::FunctionEmitter;
use super::texture::{Handle, texel_function};
use crate::functions::{Air, ConversionMode, NumberKind, TextureKind};
use crate::module::{BinOp, BlockId, FastMath, ICmp, IntFlags, TypeId, Value};
use crate::select::errors;
use crate::select::types::Class;
use airfoil_ir::{AtomicOp, Diagnostic, InstrId, Intrinsic, Named, Scalar, Ty};
use smallvec::SmallVec;

/// The part of an image that an access refers to.
struct Position {
    position: Value,
    face: Option<Value>,
    layer: Option<Value>,
}

impl FunctionEmitter<'_> {
    /// Takes coordinates apart: the last one holds the layer, for cubes layer * 6 + face.
    fn image_position(&mut self, coord: InstrId, object: &TextureKind) -> Position {
        let n = if object.cube { 2 } else { object.coords };
        let position = self.whole(coord, n, Class::Int);
        if !object.cube && !object.arrayed {
            return Position { position, face: None, layer: None };
        }
        let last = self.lane(coord, usize::from(n), Class::Int);
        if !object.cube {
            return Position { position, face: None, layer: Some(last) };
        }
        if !object.arrayed {
            return Position { position, face: Some(last), layer: None };
        }
        let six = self.b.module.i32(6);
        let (face, layer) = (self.b.urem(last, six), self.b.udiv(last, six));
        Position { position, face: Some(face), layer: Some(layer) }
    }

    fn image_handle(&mut self, i: &Intrinsic) -> Option<Handle> {
        let handle = self.handle(i.src(0));
        if handle.is_none() {
            self.error(errors::TEXTURE, "an image operation that names no image");
        }
        handle
    }

    pub(crate) fn image_load(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(handle) = self.image_handle(i) else { return self.set_undef(id) };
        let at = self.image_position(i.src(1), handle.arg.kind);
        let sample = handle.arg.kind.multisampled.then(|| self.scalar(i.src(2), Class::Int));
        let value = self.read(handle, at.position, at.face, at.layer, sample, None);
        self.set_texel(id, value, &handle.arg, ty);
    }

    pub(crate) fn image_store(&mut self, i: &Intrinsic) {
        let Some(handle) = self.image_handle(i) else { return };
        let (arg, object) = (handle.arg, handle.arg.kind);
        if object.multisampled {
            return self.error(errors::TEXTURE, "multisampled textures cannot be written");
        }
        let at = self.image_position(i.src(1), object);
        let value = i.src(3);
        let class = Class::of(arg.component);
        let (from, to) = (self.bits(value), arg.component.bits().max(16));
        let mut texel = self.whole(value, 4, class);
        if from != to {
            let wanted = self.value_type(class, to, 4);
            texel = match class {
                Class::Float if matches!(from, 16 | 32) => self.convert_call(
                    texel,
                    NumberKind::Float,
                    wanted,
                    NumberKind::Float,
                    ConversionMode::DEFAULT,
                    FastMath::NONE,
                ),
                _ => self.int_width(texel, from, to, 4, arg.component.is_signed()),
            };
            if self.b.type_of(texel) != wanted {
                return self
                    .error(errors::TEXTURE, format!("a texel of {from}-bit components cannot be written"));
            }
        }
        let ty = self.b.type_of(texel);
        let mut args: SmallVec<[Value; 8]> = smallvec::smallvec![handle.value, at.position];
        args.extend(at.face);
        args.extend(at.layer);
        args.push(texel);
        if object.levels {
            args.push(self.b.module.i32(0));
        }
        args.push(self.b.module.i32(arg.access.operand()));
        let function = texel_function(self.b.module, Air::write, &arg, ty);
        self.air(function, TypeId::VOID, &args);
    }

    pub(crate) fn image_size(&mut self, id: InstrId, i: &Intrinsic, ty: Ty) {
        let Some(handle) = self.image_handle(i) else { return self.set_undef(id) };
        self.size(id, handle, None, ty);
    }

    pub(crate) fn image_samples(&mut self, id: InstrId, i: &Intrinsic) {
        let Some(handle) = self.image_handle(i) else { return self.set_undef(id) };
        self.samples(id, handle);
    }

    /// Texture atomics work on the first of four components.
    pub(crate) fn image_atomic(&mut self, id: InstrId, i: &Intrinsic) {
        let Some(handle) = self.image_handle(i) else { return self.set_undef(id) };
        let (arg, object) = (handle.arg, handle.arg.kind);
        let target = self.options.target;
        if target.air() < Air::texture_atomic_load.info().since {
            self.errors.push(
                Diagnostic::error(errors::TARGET, "atomic operations on images need macOS 14 (Metal 3.1)")
                    .at(errors::place(self.shader, self.loc))
                    .help("--target macos14 or later"),
            );
            return self.set_undef(id);
        }
        let op = i.atomic_op();
        let swap = i.op == airfoil_ir::IntrinsicOp::image_atomic_swap;
        let base = match op {
            AtomicOp::Iadd => Air::texture_fetch_add,
            AtomicOp::Imin | AtomicOp::Umin => Air::texture_fetch_min,
            AtomicOp::Imax | AtomicOp::Umax => Air::texture_fetch_max,
            AtomicOp::Iand => Air::texture_fetch_and,
            AtomicOp::Ior => Air::texture_fetch_or,
            AtomicOp::Ixor => Air::texture_fetch_xor,
            AtomicOp::Xchg => Air::texture_exchange,
            AtomicOp::Cmpxchg => Air::texture_compare_exchange,
            AtomicOp::Load => Air::texture_atomic_load,
            AtomicOp::Store => Air::texture_atomic_store,
            AtomicOp::Fadd | AtomicOp::Fmin | AtomicOp::Fmax => {
                let message = format!("atomic `{}` on images does not exist in Metal", op.name());
                return self.error_value(id, errors::OPERATION, message);
            }
        };
        let wanted = match op {
            AtomicOp::Imin | AtomicOp::Imax => Scalar::Int32,
            AtomicOp::Umin | AtomicOp::Umax => Scalar::Uint32,
            _ => arg.component,
        };
        if arg.component.is_float() || arg.component.bits() != 32 || wanted != arg.component {
            let message = format!(
                "atomic `{}` on a {} of {} does not exist in Metal",
                op.name(),
                object.metal,
                crate::select::types::vector_name(arg.component, 1)
            );
            return self.error_value(id, errors::OPERATION, message);
        }
        let at = self.image_position(i.src(1), object);
        let four = self.value_type(Class::Int, 32, 4);
        let (order, access) = (self.b.module.i32(0), self.b.module.i32(3));
        let lane0 = |e: &mut Self, v: InstrId, lane: usize| {
            let zero = e.b.module.null(four);
            let v = e.lane(v, lane, Class::Int);
            e.insert_lane(zero, v, 0)
        };
        let mut place: SmallVec<[Value; 4]> = smallvec::smallvec![at.position];
        place.extend(at.face);
        place.extend(at.layer);
        if target.texture_access_has_offset() && object.offset > 1 {
            place.push(self.int_const(0, Ty::new(object.offset, 32)));
        }
        let mut args: SmallVec<[Value; 10]> = smallvec::smallvec![handle.value];
        let (mut ret, mut expected) = (four, None);
        match op {
            AtomicOp::Store => {
                args.push(lane0(self, i.src(3), 0));
                args.extend(place);
                args.push(order);
                ret = TypeId::VOID;
            }
            AtomicOp::Load => {
                args.extend(place);
                args.push(order);
            }
            _ if swap => {
                let Some(&slot) = self.state.scratch.get(&four) else { return self.set_undef(id) };
                let compare = lane0(self, i.src(3), 0);
                self.b.store(compare, slot, 16);
                args.extend(place);
                args.push(slot);
                args.push(lane0(self, i.src(3), 1));
                args.extend([order, order]);
                (ret, expected) = (TypeId::I1, Some(slot));
            }
            _ => {
                args.extend(place);
                args.push(lane0(self, i.src(3), 0));
                args.push(order);
            }
        }
        args.push(access);
        let compared = expected.map(|slot| (slot, self.lane(i.src(3), 0, Class::Int), self.b.block()));
        if let Some((_, _, again)) = compared {
            self.b.br(again);
            self.b.start(again);
        }
        let function = texel_function(self.b.module, base, &arg, four);
        let value = self.air(function, ret, &args);
        let value = match compared {
            Some((slot, compare, again)) => self.exchanged(value, slot, compare, again),
            None if ret == TypeId::VOID => return self.set_undef(id),
            None => self.extract_lane(value, 0),
        };
        self.set(id, value, Class::Int);
    }

    /// The value that a compare-exchange found, which is left in place of the expected value. Metal's is the weak one, which may
    /// fail although it found the expected value; then it is tried again.
    fn exchanged(&mut self, done: Value, slot: Value, compare: Value, again: BlockId) -> Value {
        let found = self.b.load(slot, 16);
        let found = self.extract_lane(found, 0);
        let differs = self.b.icmp(ICmp::Ne, found, compare);
        let ends = self.b.binary(BinOp::Or, done, differs, IntFlags::NONE);
        let next = self.b.block();
        self.b.cond_br(ends, next, again);
        self.b.start(next);
        found
    }
}
