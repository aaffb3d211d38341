//! Texture functions. Operands are decoded here; texels come from `airfoil_interp::texture`, which both engines share.

use super::world::{Texture, World};
use crate::frame::Frame;
use crate::shape::Scalar;
use airfoil_air::functions::TextureKind;
use airfoil_interp::texture::{
    Color, Level, Request, Sampler, Viewed, gather, query_lod, raw, sample, size_of,
};
use airfoil_ir::{AtomicOp, Dim};

/// The operation of a texture function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureOp {
    /// Samples; with a comparison, with given derivatives.
    Sample { compare: bool, grad: bool },
    /// Four texels of one component, or four comparisons.
    Gather { compare: bool },
    /// A texel.
    Read,
    /// Stores a texel.
    Write,
    /// An atomic operation on a texel.
    Atomic(AtomicOp),
    /// Level of detail, clamped or not.
    Lod { clamped: bool },
    /// Width, height or depth, by index.
    Size(usize),
    /// Number of layers.
    Layers,
    /// Number of levels.
    Levels,
    /// Number of samples.
    Samples,
    /// Whether nothing is bound.
    IsNull,
    /// A handle of nothing.
    GetNull,
    /// Orders accesses, which are in order here.
    Fence,
}

/// A texture function: its operation and the kind of texture.
#[derive(Clone, Copy)]
pub(crate) struct TextureCall {
    pub(crate) op: TextureOp,
    object: &'static TextureKind,
    signed: bool,
}

/// Words before the name of the object, the longer ones first.
static WORDS: &[(&str, TextureOp)] = &[
    ("sample_compare_", TextureOp::Sample { compare: true, grad: false }),
    ("sample_", TextureOp::Sample { compare: false, grad: false }),
    ("gather_compare_", TextureOp::Gather { compare: true }),
    ("gather_", TextureOp::Gather { compare: false }),
    ("read_", TextureOp::Read),
    ("write_", TextureOp::Write),
    ("calculate_clamped_lod_", TextureOp::Lod { clamped: true }),
    ("calculate_unclamped_lod_", TextureOp::Lod { clamped: false }),
    ("get_width_", TextureOp::Size(0)),
    ("get_height_", TextureOp::Size(1)),
    ("get_depth_", TextureOp::Size(2)),
    ("get_array_size_", TextureOp::Layers),
    ("get_num_mip_levels_", TextureOp::Levels),
    ("get_num_samples_", TextureOp::Samples),
    ("is_null_", TextureOp::IsNull),
    ("get_null_", TextureOp::GetNull),
    ("fence_", TextureOp::Fence),
    ("atomic_fetch_add_explicit_", TextureOp::Atomic(AtomicOp::Iadd)),
    ("atomic_fetch_and_explicit_", TextureOp::Atomic(AtomicOp::Iand)),
    ("atomic_fetch_or_explicit_", TextureOp::Atomic(AtomicOp::Ior)),
    ("atomic_fetch_xor_explicit_", TextureOp::Atomic(AtomicOp::Ixor)),
    ("atomic_fetch_min_explicit_", TextureOp::Atomic(AtomicOp::Umin)),
    ("atomic_fetch_max_explicit_", TextureOp::Atomic(AtomicOp::Umax)),
    // On 64 bits, and without a result.
    ("atomic_min_explicit_", TextureOp::Atomic(AtomicOp::Umin)),
    ("atomic_max_explicit_", TextureOp::Atomic(AtomicOp::Umax)),
    // A difference has no word of its own: the operand is negated.
    ("atomic_fetch_sub_explicit_", TextureOp::Atomic(AtomicOp::Iadd)),
    ("atomic_exchange_explicit_", TextureOp::Atomic(AtomicOp::Xchg)),
    ("atomic_compare_exchange_weak_explicit_", TextureOp::Atomic(AtomicOp::Cmpxchg)),
    ("atomic_load_explicit_", TextureOp::Atomic(AtomicOp::Load)),
    ("atomic_store_explicit_", TextureOp::Atomic(AtomicOp::Store)),
];

/// A texture function, and whether its operand is subtracted.
pub(crate) fn named(name: &str, words: &[&str]) -> Option<(TextureCall, bool)> {
    let (start, mut op) = *WORDS.iter().find(|w| name.starts_with(w.0))?;
    let mut object = &name[start.len()..];
    if let (TextureOp::Sample { compare, .. }, Some(plain)) = (op, object.strip_suffix("_grad")) {
        object = plain;
        op = TextureOp::Sample { compare, grad: true };
    }
    let signed = words.contains(&"s");
    op = match op {
        TextureOp::Atomic(AtomicOp::Umin) if signed => TextureOp::Atomic(AtomicOp::Imin),
        TextureOp::Atomic(AtomicOp::Umax) if signed => TextureOp::Atomic(AtomicOp::Imax),
        op => op,
    };
    let subtracts = start.contains("_sub_");
    Some((TextureCall { op, object: TextureKind::named(object)?, signed }, subtracts))
}

/// Reads operands one after the other.
struct Cursor<'f> {
    f: &'f Frame<'f>,
    at: usize,
}

impl Cursor<'_> {
    fn next(&mut self) -> usize {
        self.at += 1;
        self.at - 1
    }

    fn scalar(&self, at: usize) -> Option<Scalar> {
        self.f.args().get(at).map(|s| s.shape.scalar)
    }

    /// The pair of the flag whether there is an offset, and the offset.
    fn offset(&mut self, object: &TextureKind) -> [i64; 3] {
        if object.offset == 0 {
            return [0; 3];
        }
        let (there, which) = (self.next(), self.next());
        if self.f.bits(there, 0) != 0 { self.f.ints(which) } else { [0; 3] }
    }
}

/// Coordinates in the quad, for the level of detail: this invocation's and those of its neighbours.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slopes {
    pub(crate) dx: [f64; 3],
    pub(crate) dy: [f64; 3],
}

impl TextureCall {
    /// Position of the coordinates among the operands, if the quad is needed.
    pub(crate) fn quad_coordinates(&self, f: &Frame<'_>) -> Option<usize> {
        let at = 2 + usize::from(self.object.depth);
        match self.op {
            TextureOp::Lod { .. } => Some(2),
            TextureOp::Sample { grad: false, compare } => {
                let after = at + 1 + usize::from(self.object.arrayed) + usize::from(compare);
                let mode = after + if self.object.offset == 0 { 0 } else { 2 };
                (f.bits(mode, 0) == 0).then_some(at)
            }
            _ => None,
        }
    }

    /// Whether the quad may be needed.
    pub(crate) fn may_need_quad(&self) -> bool {
        matches!(self.op, TextureOp::Lod { .. } | TextureOp::Sample { grad: false, .. })
    }

    /// Executes it. `slopes` is set where the quad was needed, `effects` unless the invocation is a helper.
    pub(crate) fn run(
        &self,
        f: &Frame<'_>,
        world: &mut World<'_>,
        slopes: Option<Slopes>,
        effects: bool,
        subtracts: bool,
    ) {
        match self.op {
            TextureOp::Fence => return,
            TextureOp::GetNull => return f.set(0, 0, 0),
            _ => {}
        }
        let texture = world.texture(f.bits(0, 0)).cloned();
        if self.op == TextureOp::IsNull {
            return f.set(0, 0, u64::from(texture.is_none()));
        }
        let Some(texture) = texture else {
            // Metal reads zeros through handles of nothing.
            (0..f.rets().len()).for_each(|r| (0..4).for_each(|c| f.set(r, c, 0)));
            return;
        };
        match self.op {
            TextureOp::Sample { .. } | TextureOp::Gather { .. } | TextureOp::Lod { .. } => {
                self.sampled(f, world, &texture, slopes);
            }
            TextureOp::Read => self.read(f, world, &texture),
            TextureOp::Write => {
                if effects {
                    self.write(f, world, &texture);
                }
            }
            TextureOp::Atomic(op) => self.atomic(f, world, &texture, op, effects, subtracts),
            _ => self.query(f, world, &texture),
        }
    }

    fn give(&self, f: &Frame<'_>, color: Color) {
        let values = raw(color, f.ret_is_float(), f.ret_bits());
        (0..f.ret_lanes()).for_each(|c| f.set(0, c, values[c & 3]));
        // The residency code: all texels are resident.
        f.set(1, 0, 0);
    }

    fn sampled(&self, f: &Frame<'_>, world: &World<'_>, texture: &Texture, slopes: Option<Slopes>) {
        let object = self.object;
        let sampler: Sampler = world.sampler(f.bits(1, 0));
        let Some((image, view)) = world.image(texture) else { return };
        let v = Viewed { image, view: &view };
        let mut c = Cursor { f, at: 2 };
        if object.depth && !matches!(self.op, TextureOp::Lod { .. }) {
            c.next();
        }
        let coord = f.floats(c.next());
        let mut q = Request {
            dim: object.dim(),
            coord,
            layer: None,
            level: Level::Given(0.0),
            min_lod: None,
            offset: [0; 3],
            reference: None,
        };
        let slopes = slopes.unwrap_or_default();
        if let TextureOp::Lod { clamped } = self.op {
            q.level = Level::Gradient { dx: slopes.dx, dy: slopes.dy, bias: 0.0 };
            let [accessed, computed] = query_lod(&v, &sampler, &q);
            return f.set_float(0, if clamped { accessed } else { computed });
        }
        if object.arrayed {
            // An unsigned integer; sampling clamps it to the layers.
            q.layer = Some(f.int(c.next(), 0, false) as f64);
        }
        let (compare, grad, gathers) = match self.op {
            TextureOp::Sample { compare, grad } => (compare, grad, false),
            TextureOp::Gather { compare } => (compare, false, true),
            _ => (false, false, false),
        };
        if compare {
            q.reference = Some(f.float(c.next(), 0));
        }
        if gathers {
            q.offset = c.offset(object);
            let component = if object.depth { 0 } else { f.signed(c.next(), 0) as usize };
            return self.give(f, gather(&v, &sampler, &q, component, None));
        }
        let optional = |c: &mut Cursor<'_>| {
            let at = c.at;
            matches!(c.scalar(at), Some(Scalar::Float(_))).then(|| f.float(c.next(), 0))
        };
        if grad {
            let (dx, dy) = (f.floats(c.next()), f.floats(c.next()));
            q.level = Level::Gradient { dx, dy, bias: 0.0 };
            q.min_lod = optional(&mut c);
            q.offset = c.offset(object);
        } else {
            q.offset = c.offset(object);
            let explicit = f.bits(c.next(), 0) != 0;
            let value = f.float(c.next(), 0);
            q.level = match explicit {
                true => Level::Given(value),
                false => Level::Gradient { dx: slopes.dx, dy: slopes.dy, bias: value },
            };
            q.min_lod = optional(&mut c);
        }
        // The operand is always there; zero is below every level unless the sampler reaches lower.
        q.min_lod = q.min_lod.filter(|&lod| lod > 0.0);
        self.give(f, sample(&v, &sampler, &q));
    }

    /// Position of a read, write or atomic operation: texel, layer, sample.
    fn position(&self, c: &mut Cursor<'_>) -> ([i64; 3], i64) {
        let object = self.object;
        let mut at = c.f.ints(c.next());
        if object.coords < 3 || object.cube {
            at[2] = 0;
        }
        let face = if object.cube { c.f.signed(c.next(), 0) } else { 0 };
        let layer = if object.arrayed { c.f.int(c.next(), 0, false) as i64 } else { 0 };
        (at, if object.cube { layer * 6 + face } else { layer })
    }

    fn read(&self, f: &Frame<'_>, world: &World<'_>, texture: &Texture) {
        let object = self.object;
        let mut c = Cursor { f, at: 1 };
        // AIR 2.8: a sampler follows the texture.
        if matches!(c.scalar(1), Some(Scalar::Pointer(_))) {
            c.next();
        }
        if object.depth {
            c.next();
        }
        let (mut at, layer) = self.position(&mut c);
        let sample = if object.multisampled { f.signed(c.next(), 0) } else { 0 };
        let mut level = 0;
        if object.levels {
            // AIR 2.8: an offset before the level.
            if f.lanes(c.at) > 1 {
                let offset = f.ints(c.next());
                at.iter_mut().zip(offset).for_each(|(a, o)| *a += o);
            }
            level = f.signed(c.next(), 0);
        }
        self.give(f, world.read_texel(texture, at, layer, level, sample));
    }

    fn write(&self, f: &Frame<'_>, world: &mut World<'_>, texture: &Texture) {
        let mut c = Cursor { f, at: 1 };
        let (at, layer) = self.position(&mut c);
        let value = c.next();
        let level = if self.object.levels { f.signed(c.next(), 0) } else { 0 };
        let lanes = f.lanes(value);
        let float = f.args().get(value).is_some_and(|s| matches!(s.shape.scalar, Scalar::Float(_)));
        let color =
            if float {
                Color::Float(std::array::from_fn(|i| if i < lanes { f.float(value, i) } else { 0.0 }))
            } else {
                Color::Int(std::array::from_fn(|i| {
                    if i < lanes { f.int(value, i, self.signed) as i64 } else { 0 }
                }))
            };
        world.with_texel(texture, at, layer, level, 0, |format, texel| format.write(texel, color));
    }

    fn atomic(
        &self,
        f: &Frame<'_>,
        world: &mut World<'_>,
        texture: &Texture,
        op: AtomicOp,
        effects: bool,
        subtracts: bool,
    ) {
        let mut c = Cursor { f, at: 1 };
        // A store has its value before the coordinates.
        let stored = (op == AtomicOp::Store).then(|| c.next());
        let (at, layer) = self.position(&mut c);
        // AIR 2.8: an offset after the coordinate.
        let is_value =
            |c: &Cursor<'_>| f.lanes(c.at) == 4 || matches!(c.scalar(c.at), Some(Scalar::Pointer(_)));
        if self.object.offset > 1 && f.lanes(c.at) == usize::from(self.object.offset) && !is_value(&c) {
            c.next();
        }
        let expected = (op == AtomicOp::Cmpxchg).then(|| f.bits(c.next(), 0));
        let operand = stored.unwrap_or_else(|| if op == AtomicOp::Load { usize::MAX } else { c.next() });
        let mut new = f.bits(operand, 0);
        if subtracts {
            new = new.wrapping_neg();
        }
        // SAFETY: the operand points at four words in the caller's memory.
        let compare = expected.map_or(0, |p| u64::from(unsafe { (p as *const u32).read_unaligned() }));
        let mut old = 0u64;
        world.with_texel(texture, at, layer, 0, 0, |_, texel| {
            let n = texel.len().min(8);
            let mut word = [0; 8];
            word[..n].copy_from_slice(&texel[..n]);
            old = u64::from_le_bytes(word);
            if effects {
                let now = super::atomic::apply(op, n as u32 * 8, old, compare, new);
                texel[..n].copy_from_slice(&now.to_le_bytes()[..n]);
            }
        });
        match expected {
            Some(pointer) => {
                // SAFETY: as above.
                unsafe { (pointer as *mut u32).write_unaligned(old as u32) };
                f.set(0, 0, u64::from(old as u32 == compare as u32));
            }
            None => {
                f.set(0, 0, old);
                (1..f.ret_lanes()).for_each(|lane| f.set(0, lane, 0));
            }
        }
    }

    fn query(&self, f: &Frame<'_>, world: &World<'_>, texture: &Texture) {
        if let Texture::Buffer { .. } = texture {
            let width = if self.op == TextureOp::Size(0) { world.texels(texture) } else { 1 };
            return f.set(0, 0, width);
        }
        let Some((image, view)) = world.image(texture) else { return f.set(0, 0, 0) };
        let v = Viewed { image, view: &view };
        let dim = if self.object.cube { Dim::D2 } else { self.object.dim() };
        let value = match self.op {
            TextureOp::Size(which) => {
                let lod = if self.object.levels { f.int(1, 0, false) as u32 } else { 0 };
                size_of(&v, dim, false, lod)[which]
            }
            TextureOp::Layers => u64::from(if self.object.cube { v.layers() / 6 } else { v.layers() }),
            TextureOp::Levels => u64::from(v.levels()),
            _ => u64::from(image.num_samples()),
        };
        f.set(0, 0, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let (call, _) = named("sample_compare_depth_2d_array_grad", &["f32"]).unwrap();
        assert_eq!(call.op, TextureOp::Sample { compare: true, grad: true });
        assert_eq!(call.object.name, "depth_2d_array");
        let (call, subtracts) = named("atomic_fetch_sub_explicit_texture_cube", &["u", "v4i32"]).unwrap();
        assert_eq!((call.op, subtracts), (TextureOp::Atomic(AtomicOp::Iadd), true));
        let (call, _) = named("atomic_fetch_min_explicit_texture_2d", &["s", "v4i32"]).unwrap();
        assert_eq!(call.op, TextureOp::Atomic(AtomicOp::Imin));
        assert!(named("sample_texture_9d", &[]).is_none());
    }
}
