//! Texture instructions: sampling, gathering, fetching and queries.
//!
//! The operands of a texture function depend on the kind of texture; [`Operands`] collects them in Apple's order.

use super::FunctionEmitter;
use crate::functions::{Air, AirFunction, ConversionMode, NumberKind, TextureKind, Word};
use crate::module::{FastMath, Module, TypeId, Value};
use crate::select::errors;
use crate::select::signature::pieces::{SamplerSource, TextureArg};
use crate::select::types::{CONSTANT, Class, scalar_type};
use airfoil_ir::{Dim, InstrId, Scalar, Stage, Tex, TexOp, TexSrc, Ty};
use smallvec::SmallVec;

/// Operands of a call.
type Operands = SmallVec<[Value; 16]>;

/// A texture of an instruction and its handle.
#[derive(Clone, Copy)]
pub(crate) struct Handle {
    pub(crate) arg: TextureArg,
    pub(crate) value: Value,
}

impl FunctionEmitter<'_> {
    /// The texture or image that a deref names.
    pub(crate) fn handle(&mut self, deref: InstrId) -> Option<Handle> {
        let var = self.usage.root(deref)?;
        let arg = *self.sig.textures.get(var)?;
        let value = self.resource(deref, arg.source)?;
        Some(Handle { arg, value })
    }

    /// The sampler of an instruction: a separate one, or that of a combined texture.
    fn sampler(&mut self, t: &Tex) -> Option<Value> {
        let deref = t.src(TexSrc::Sampler).or(t.src(TexSrc::Texture))?;
        let var = self.usage.root(deref)?;
        match *self.sig.samplers.get(var)? {
            SamplerSource::Constant(sampler) => Some(sampler),
            SamplerSource::Resource(source) => self.resource(deref, source),
        }
    }

    /// Emits one texture instruction.
    pub(crate) fn texture(&mut self, id: InstrId, t: &Tex, ty: Ty) {
        let Some(handle) = t.src(TexSrc::Texture).and_then(|d| self.handle(d)) else {
            return self.error_value(id, errors::TEXTURE, "a texture operation that names no texture");
        };
        if let Some(pass) = lowered_by(t) {
            let message = format!("Metal has no such texture operation: `{pass}` lowers it");
            return self.error_value(id, errors::TEXTURE, message);
        }
        if t.residency {
            return self.residency(id);
        }
        match t.op {
            TexOp::Tex | TexOp::Txb | TexOp::Txl | TexOp::Txd => self.sample(id, t, handle, ty),
            TexOp::Tg4 => self.gather(id, t, handle),
            TexOp::Txf | TexOp::TxfMs => self.fetch(id, t, handle, ty),
            TexOp::Txs => {
                let lod = t.src(TexSrc::Lod).map(|l| self.scalar(l, Class::Int));
                self.size(id, handle, lod, ty);
            }
            TexOp::QueryLevels => {
                let value = if handle.arg.kind.levels && handle.arg.kind.coords > 1 {
                    self.query(Air::get_num_mip_levels, handle, None)
                } else {
                    self.b.module.i32(1)
                };
                self.set(id, value, Class::Int);
            }
            TexOp::Samples => self.samples(id, handle),
            TexOp::Lod => self.lod(id, t, handle),
        }
    }

    /// Residency codes have no documented AIR function.
    pub(crate) fn residency(&mut self, id: InstrId) {
        self.error_value(
            id,
            errors::TEXTURE,
            "residency codes of sparse textures are not supported on Metal",
        );
    }

    // ---- operands ----

    /// Coordinates as floats, and the layer.
    fn coordinates(&mut self, t: &Tex, object: &TextureKind) -> Option<(Value, Option<Value>)> {
        let coord = t.src(TexSrc::Coord)?;
        let n = object.coords;
        let value = self.whole(coord, n, Class::Float);
        let mut layer = None;
        if object.arrayed {
            let lane = self.lane(coord, usize::from(n), Class::Float);
            layer = Some(self.layer(lane));
        }
        Some((value, layer))
    }

    /// The layer that a float selects: the nearest, not below the first. The hardware clamps to the last.
    fn layer(&mut self, value: Value) -> Value {
        let rounded = self.call_by_type(Air::rint, TypeId::FLOAT, &[value], FastMath::NONE);
        let zero = self.b.module.float(0.0);
        let positive = self.call_by_type(Air::fmax, TypeId::FLOAT, &[rounded, zero], FastMath::NONE);
        self.convert_call(
            positive,
            NumberKind::Float,
            TypeId::I32,
            NumberKind::Unsigned,
            ConversionMode::DEFAULT,
            FastMath::NONE,
        )
    }

    fn comparator(&mut self, t: &Tex) -> Option<Value> {
        t.src(TexSrc::Comparator).map(|value| self.scalar(value, Class::Float))
    }

    /// The pair of the flag whether there is an offset, and the offset.
    fn offset_pair(&mut self, t: &Tex, object: &TextureKind, out: &mut Operands) {
        if object.offset == 0 {
            if t.src(TexSrc::Offset).is_some() {
                self.error(errors::TEXTURE, "cube textures take no offset");
            }
            return;
        }
        let given = t.src(TexSrc::Offset);
        let offset = match given {
            Some(offset) => self.whole(offset, object.offset, Class::Int),
            None => self.int_const(0, Ty::new(object.offset, 32)),
        };
        out.push(self.b.module.bool(object.coords > 1 || given.is_some()));
        out.push(offset);
    }

    /// Adds the operands with which every sampling function starts.
    fn start(&mut self, t: &Tex, handle: Handle, out: &mut Operands) -> Option<()> {
        let object = handle.arg.kind;
        let sampler = match self.sampler(t) {
            Some(sampler) => sampler,
            None => {
                self.error(errors::TEXTURE, "a texture is sampled without a sampler");
                return None;
            }
        };
        out.extend([handle.value, sampler]);
        if object.depth {
            out.push(self.b.module.i32(1));
        }
        let (coord, layer) = match self.coordinates(t, object) {
            Some(found) => found,
            None => {
                self.error(errors::TEXTURE, "a texture is sampled without coordinates");
                return None;
            }
        };
        out.push(coord);
        out.extend(layer);
        Some(())
    }

    /// Type of texels that functions of an object give: `float` for depth, else four components.
    fn texel_type(&mut self, arg: &TextureArg, four: bool) -> TypeId {
        let (class, bits) = (Class::of(arg.component), arg.component.bits().max(16));
        self.value_type(class, bits, if four { 4 } else { 1 })
    }

    /// Calls a function that returns a texel and a residency code, and takes the texel.
    fn texel_call(
        &mut self,
        base: Air,
        arg: &TextureArg,
        result: TypeId,
        word: TypeId,
        args: &[Value],
    ) -> Value {
        let ret = self.b.module.structure(&[result, TypeId::I8], false);
        let function = texel_function(self.b.module, base, arg, word);
        let value = self.air(function, ret, args);
        self.b.extract_value(value, &[0])
    }

    /// Gives an instruction a texel: 16-bit components are widened, a single depth is spread to the components of the
    /// result.
    pub(crate) fn set_texel(&mut self, id: InstrId, value: Value, arg: &TextureArg, ty: Ty) {
        let class = Class::of(arg.component);
        let own = self.b.type_of(value);
        let len = self.b.module.types().vector_len(own).unwrap_or(1);
        let mut value = value;
        if len == 1 && ty.comps > 1 {
            // Depth without comparison reads as (d, 0, 0, 1).
            let (zero, one) = (self.b.module.float(0.0), self.b.module.float(1.0));
            let lanes = [value, zero, zero, one];
            value = self.vector_of(&lanes[..usize::from(ty.comps)]);
        } else if len > u32::from(ty.comps) {
            value = self.resize(value, u32::from(ty.comps));
        }
        let bits = arg.component.bits().max(16);
        if bits != ty.bits {
            let ret = self.value_type(class, ty.bits, ty.comps);
            value = match class {
                Class::Float => self.convert_call(
                    value,
                    NumberKind::Float,
                    ret,
                    NumberKind::Float,
                    ConversionMode::DEFAULT,
                    FastMath::NONE,
                ),
                Class::Int => self.int_width(value, bits, ty.bits, ty.comps, arg.component.is_signed()),
            };
        }
        self.set(id, value, class);
    }

    // ---- sampling ----

    fn sample(&mut self, id: InstrId, t: &Tex, handle: Handle, ty: Ty) {
        let arg = handle.arg;
        let object = arg.kind;
        if object.multisampled || object.is_buffer() {
            let message = format!("a {} cannot be sampled", object.metal);
            return self.error_value(id, errors::TEXTURE, message);
        }
        let mut args = Operands::new();
        if self.start(t, handle, &mut args).is_none() {
            return self.set_undef(id);
        }
        let compare = t.shadow;
        if compare {
            match self.comparator(t) {
                Some(reference) => args.push(reference),
                None => return self.error_value(id, errors::TEXTURE, "a comparison without reference"),
            }
        }
        let zero = self.b.module.float(0.0);
        let min_lod = match t.src(TexSrc::MinLod) {
            Some(v) => self.scalar(v, Class::Float),
            None => zero,
        };
        let access = self.b.module.i32(0);
        let grad = t.op == TexOp::Txd;
        if grad {
            for role in [TexSrc::Ddx, TexSrc::Ddy] {
                let d = match t.src(role) {
                    Some(v) => self.whole(v, object.coords, Class::Float),
                    None => return self.error_value(id, errors::TEXTURE, "derivatives are missing"),
                };
                args.push(d);
            }
            args.push(min_lod);
            self.offset_pair(t, object, &mut args);
        } else {
            self.offset_pair(t, object, &mut args);
            let fragment = self.shader.stage == Stage::Fragment;
            let (explicit, value) = match t.op {
                TexOp::Txl => (true, t.src(TexSrc::Lod)),
                TexOp::Txb => (!fragment, t.src(TexSrc::Bias)),
                // Without derivatives the base level is read.
                _ => (!fragment, None),
            };
            args.push(self.b.module.bool(explicit));
            let value = match value {
                Some(v) => self.scalar(v, Class::Float),
                None => zero,
            };
            args.extend([value, min_lod]);
        }
        args.push(access);
        let result = self.texel_type(&arg, !object.depth);
        let base = match (compare, grad) {
            (false, false) => Air::sample,
            (false, true) => Air::sample_grad,
            (true, false) => Air::sample_compare,
            (true, true) => Air::sample_compare_grad,
        };
        let value = self.texel_call(base, &arg, result, result, &args);
        self.set_texel(id, value, &arg, ty);
    }

    fn gather(&mut self, id: InstrId, t: &Tex, handle: Handle) {
        let ty = self.ty(id);
        match self.gathered(t, handle) {
            Some(value) => self.set_texel(id, value, &handle.arg, ty),
            None => self.set_undef(id),
        }
    }

    fn gathered(&mut self, t: &Tex, handle: Handle) -> Option<Value> {
        let arg = handle.arg;
        let object = arg.kind;
        if object.multisampled || object.is_buffer() || object.coords == 1 || object.name == "texture_3d" {
            self.error(errors::TEXTURE, format!("texels of a {} cannot be gathered", object.metal));
            return None;
        }
        let mut args = Operands::new();
        self.start(t, handle, &mut args)?;
        if t.shadow {
            match self.comparator(t) {
                Some(reference) => args.push(reference),
                None => {
                    self.error(errors::TEXTURE, "a comparison without reference");
                    return None;
                }
            }
        }
        self.offset_pair(t, object, &mut args);
        if !object.depth {
            args.push(self.b.module.i32(i32::from(t.component)));
        } else if t.component != 0 {
            self.error(errors::TEXTURE, "only the first component of a depth texture can be gathered");
        }
        args.push(self.b.module.i32(0));
        let four = self.texel_type(&arg, true);
        let (base, word) =
            if t.shadow { (Air::gather_compare, scalar_type(Class::Float, 32)) } else { (Air::gather, four) };
        Some(self.texel_call(base, &arg, four, word, &args))
    }

    // ---- fetching ----

    /// The sampler that reads need from AIR 2.8 on.
    fn read_sampler_operand(&mut self, args: &mut Operands) {
        if !self.options.target.read_needs_sampler() {
            return;
        }
        if let Some((scope, sampler)) = self.state.read_sampler
            && self.state.reuse.dominates(scope)
        {
            return args.push(sampler);
        }
        let handle = self.b.module.opaque("struct._sampler_t");
        let ty = self.b.module.pointer(handle, CONSTANT);
        let sampler = self.air(Air::get_read_sampler, ty, &[]);
        self.state.read_sampler = Some((self.state.reuse.scope(), sampler));
        args.push(sampler);
    }

    fn fetch(&mut self, id: InstrId, t: &Tex, handle: Handle, ty: Ty) {
        let Some(coord) = t.src(TexSrc::Coord) else {
            return self.error_value(id, errors::TEXTURE, "a fetch without coordinates");
        };
        let object = handle.arg.kind;
        if object.cube {
            return self.error_value(id, errors::TEXTURE, "texels of a cube texture cannot be fetched");
        }
        let mut position = self.whole(coord, object.coords, Class::Int);
        if let Some(offset) = t.src(TexSrc::Offset) {
            let offset = self.whole(offset, object.coords, Class::Int);
            position = self.b.add(position, offset);
        }
        let layer = object.arrayed.then(|| self.lane(coord, usize::from(object.coords), Class::Int));
        let lod = t.src(TexSrc::Lod).map(|l| self.scalar(l, Class::Int));
        let sample = t.src(TexSrc::MsIndex).map(|s| self.scalar(s, Class::Int));
        let value = self.read(handle, position, None, layer, sample, lod);
        self.set_texel(id, value, &handle.arg, ty);
    }

    /// Calls a read function.
    pub(crate) fn read(
        &mut self,
        handle: Handle,
        position: Value,
        face: Option<Value>,
        layer: Option<Value>,
        sample: Option<Value>,
        lod: Option<Value>,
    ) -> Value {
        let arg = handle.arg;
        let object = arg.kind;
        let mut args: Operands = smallvec::smallvec![handle.value];
        self.read_sampler_operand(&mut args);
        if object.depth {
            args.push(self.b.module.i32(1));
        }
        args.push(position);
        args.extend(face);
        args.extend(layer);
        let zero = self.b.module.i32(0);
        if object.multisampled {
            args.push(sample.unwrap_or(zero));
        }
        if object.levels {
            if self.options.target.texture_access_has_offset() && object.offset > 1 {
                args.push(self.int_const(0, Ty::new(object.offset, 32)));
            }
            args.push(lod.unwrap_or(zero));
        }
        args.push(self.b.module.i32(arg.access.operand()));
        let result = self.texel_type(&arg, !object.depth);
        self.texel_call(Air::read, &arg, result, result, &args)
    }

    // ---- queries ----

    fn query(&mut self, base: Air, handle: Handle, lod: Option<Value>) -> Value {
        let object = handle.arg.kind;
        let mut args: Operands = smallvec::smallvec![handle.value];
        args.extend(lod);
        self.air(base.with([Word::texture(object)]), TypeId::I32, &args)
    }

    /// Width, height, depth and layers, as many as the shape has.
    pub(crate) fn size(&mut self, id: InstrId, handle: Handle, lod: Option<Value>, ty: Ty) {
        let object = handle.arg.kind;
        let zero = self.b.module.i32(0);
        let lod = object.levels.then(|| lod.unwrap_or(zero));
        let mut lanes: SmallVec<[Value; 4]> = smallvec::smallvec![self.query(Air::get_width, handle, lod)];
        if object.coords > 1 {
            lanes.push(self.query(Air::get_height, handle, lod));
        }
        if object.coords == 3 && !object.cube {
            lanes.push(self.query(Air::get_depth, handle, lod));
        }
        if object.arrayed {
            lanes.push(self.query(Air::get_array_size, handle, None));
        }
        lanes.truncate(usize::from(ty.comps));
        while lanes.len() < usize::from(ty.comps) {
            lanes.push(zero);
        }
        let value = self.vector_of(&lanes);
        self.set(id, value, Class::Int);
    }

    pub(crate) fn samples(&mut self, id: InstrId, handle: Handle) {
        let value = if handle.arg.kind.multisampled {
            self.query(Air::get_num_texture_samples, handle, None)
        } else {
            self.b.module.i32(1)
        };
        self.set(id, value, Class::Int);
    }

    fn lod(&mut self, id: InstrId, t: &Tex, handle: Handle) {
        let object = handle.arg.kind;
        if self.shader.stage != Stage::Fragment {
            // Metal has no query that takes derivatives, and the sampler's range of levels is not known here.
            let message = "the level of a texture can be asked for in fragment functions only";
            return self.error_value(id, errors::TEXTURE, message);
        }
        if self.options.target.air() < Air::calculate_clamped_lod.info().since {
            return self.error_value(id, errors::TARGET, "level queries need macOS 10.15");
        }
        if object.coords == 1 || object.multisampled {
            let message = format!("the level of a {} cannot be queried", object.metal);
            return self.error_value(id, errors::TEXTURE, message);
        }
        let coord = t.src(TexSrc::Coord).map(|c| self.whole(c, object.coords, Class::Float));
        let (Some(sampler), Some(coord)) = (self.sampler(t), coord) else {
            return self.error_value(id, errors::TEXTURE, "a level query without sampler or coordinates");
        };
        let access = self.b.module.i32(0);
        let args = [handle.value, sampler, coord, access];
        let kind = Word::texture(object);
        let lanes = [Air::calculate_clamped_lod, Air::calculate_unclamped_lod]
            .map(|base| self.air(base.with([kind]), TypeId::FLOAT, &args));
        let value = self.vector_of(&lanes);
        self.set(id, value, Class::Float);
    }
}

/// The pass that lowers the operation, if Metal lacks it.
fn lowered_by(t: &Tex) -> Option<&'static str> {
    let lacking = [
        (t.src(TexSrc::Projector).is_some(), "lower_tex_projector"),
        (t.dim == Dim::Rect, "lower_tex_rect"),
        (t.offsets.is_some(), "lower_tg4_offsets"),
    ];
    lacking.into_iter().find(|l| l.0).map(|l| l.1)
}

/// A function on texels of a texture, whose name has the type `word`.
pub(crate) fn texel_function(m: &Module, base: Air, arg: &TextureArg, word: TypeId) -> AirFunction {
    base.with([Word::texture(arg.kind), Word::number(m, number_kind(arg.component), word)])
}

/// How functions read the bits of a scalar.
pub(crate) fn number_kind(scalar: Scalar) -> NumberKind {
    if scalar.is_float() {
        NumberKind::Float
    } else if scalar.is_signed() {
        NumberKind::Signed
    } else {
        NumberKind::Unsigned
    }
}
