//! The `air.*` functions.
//!
//! A function is found by its name once, when a module is loaded ([`resolve`]); each call finds it by index. One file
//! holds each family: `math.rs`, `integer.rs` (with conversions and packing), `texture.rs`, `sampler.rs` (constant
//! samplers), `atomic.rs`, `group.rs` (operations of several invocations), `mesh.rs`. `world.rs` is the state that
//! functions access.

pub(crate) mod atomic;
pub(crate) mod group;
pub(crate) mod integer;
pub(crate) mod math;
pub(crate) mod mesh;
pub(crate) mod sampler;
pub(crate) mod texture;
pub(crate) mod world;

#[cfg(test)]
mod declared;

use crate::frame::Frame;
use crate::shape::Block;
use airfoil_air::functions::AirFunction;
use group::GroupCall;
use texture::{Slopes, TextureCall};
use world::World;

/// A declared function of a module.
#[derive(Clone)]
pub(crate) struct Callee {
    /// Its name.
    pub(crate) name: String,
    /// Its arguments and results.
    pub(crate) block: Block,
    /// Its operation.
    pub(crate) op: Op,
}

/// The operation of a function.
#[derive(Clone, Copy)]
pub(crate) enum Op {
    Math(math::Math),
    Int(integer::IntOp),
    Convert(integer::Convert),
    Packing(integer::Packing),
    /// Whether all (any) components are true.
    Bools(bool),
    Atomic(atomic::Atomic),
    /// A texture function; whether its operand is subtracted.
    Texture(TextureCall, bool),
    Group(GroupCall),
    Mesh(mesh::MeshCall),
    /// Nothing: memory is in order here.
    Fence,
    Discard,
    IsHelper,
    SimdSize,
    NumSamples,
    SamplePosition,
    ReadSampler,
    /// The value of an interpolant.
    Interpolate {
        place: Pull,
        perspective: bool,
    },
    /// Whether a function constant was given.
    IsDefined,
}

/// Where an interpolant is evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pull {
    Center,
    Centroid,
    /// The operand is a sample.
    Sample,
    /// The operand is an offset from the upper left corner of the pixel.
    Offset,
    /// The operand is a corner of the primitive.
    Vertex,
}

/// An interpolation position with its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PullAt {
    Center,
    Centroid,
    Sample(u32),
    Offset([f64; 2]),
    Vertex(usize),
}

/// Returns bits of a component of an interpolant: invocation, handle, position, perspective, component, width.
pub(crate) type Interpolate<'a> = &'a dyn Fn(usize, u64, PullAt, bool, usize, u32) -> u64;

/// The function with a name; `None` if the table of `air.*` functions or this library does not have it.
pub(crate) fn resolve(name: &str) -> Option<Op> {
    AirFunction::parse(name)?;
    let mut parts = name.strip_prefix("air.")?.split('.');
    let word = parts.next()?;
    let words: Vec<&str> = parts.collect();
    Some(match (word, words.first().copied()) {
        ("discard_fragment", _) => Op::Discard,
        ("simd_is_helper_thread" | "quad_is_helper_thread", _) => Op::IsHelper,
        ("get_simdgroup_size", _) => Op::SimdSize,
        ("get_num_samples", _) => Op::NumSamples,
        ("get_sample_position", _) => Op::SamplePosition,
        ("get_read_sampler", _) => Op::ReadSampler,
        ("is_function_constant_defined", _) => Op::IsDefined,
        ("all", _) => Op::Bools(true),
        ("any", _) => Op::Bools(false),
        ("atomic", Some("fence")) => Op::Fence,
        ("atomic", _) => Op::Atomic(atomic::Atomic::named(&words)?),
        ("convert", _) => Op::Convert(integer::Convert::named(&words)?),
        ("pack" | "unpack", _) => Op::Packing(integer::Packing::named(word == "pack", &words)?),
        ("get_vertex_value", _) => Op::Interpolate { place: Pull::Vertex, perspective: false },
        _ => {
            if let Some(rest) = word.strip_prefix("interpolate_") {
                let (place, how) = rest.split_once('_')?;
                let place = match place {
                    "center" => Pull::Center,
                    "centroid" => Pull::Centroid,
                    "sample" => Pull::Sample,
                    "offset" => Pull::Offset,
                    _ => return None,
                };
                return Some(Op::Interpolate { place, perspective: how == "perspective" });
            }
            if let Some(call) = mesh::MeshCall::named(word) {
                return Some(Op::Mesh(call));
            }
            if let Some(group) = GroupCall::named(word, &words) {
                return Some(Op::Group(group));
            }
            if let Some(op) = integer::IntOp::named(word, &words)
                && words.last().is_some_and(|t| !t.contains('f'))
            {
                return Some(Op::Int(op));
            }
            match math::Math::named(word) {
                Some(op) => Op::Math(op),
                None => {
                    let (call, subtracts) = texture::named(word, &words)?;
                    Op::Texture(call, subtracts)
                }
            }
        }
    })
}

impl Op {
    /// Whether invocations may wait for each other in it; textures only where quads matter.
    pub(crate) fn is_collective(&self, fragment: bool) -> bool {
        match self {
            Op::Group(_) => true,
            Op::Texture(call, _) => fragment && call.may_need_quad(),
            _ => false,
        }
    }
}

/// The invocation's state that its functions can access.
pub(crate) struct Own<'w, 'a> {
    pub(crate) world: &'w mut World<'a>,
    /// Index of the invocation.
    pub(crate) lane: usize,
    pub(crate) helper: bool,
    pub(crate) discarded: &'w mut bool,
    pub(crate) simd_size: usize,
    pub(crate) interpolate: Option<Interpolate<'w>>,
    pub(crate) slopes: Option<Slopes>,
}

/// Executes a function that no other invocation takes part in.
pub(crate) fn run(op: &Op, f: &Frame<'_>, own: Own<'_, '_>) {
    let effects = !(own.helper || *own.discarded);
    match op {
        Op::Math(op) => op.run(f),
        Op::Int(op) => op.run(f),
        Op::Convert(op) => op.run(f),
        Op::Packing(op) => op.run(f),
        Op::Bools(all) => {
            let mut lanes = (0..f.lanes(0)).map(|c| f.bits(0, c) & 1 != 0);
            let value = if *all { lanes.all(|b| b) } else { lanes.any(|b| b) };
            f.set(0, 0, u64::from(value));
        }
        Op::Atomic(op) => op.run(f, own.world, effects),
        Op::Texture(call, subtracts) => call.run(f, own.world, own.slopes, effects, *subtracts),
        Op::Mesh(call) => call.run(f, &mut own.world.made),
        Op::Group(_) | Op::Fence => {}
        Op::Discard => *own.discarded = true,
        Op::IsHelper => f.set(0, 0, u64::from(!effects)),
        Op::SimdSize => f.set(0, 0, own.simd_size as u64),
        Op::NumSamples => f.set(0, 0, own.world.sample_positions.len() as u64),
        Op::SamplePosition => {
            let n = f.bits(0, 0) as usize;
            let at = own.world.sample_positions.get(n).copied().unwrap_or([0.5, 0.5]);
            at.iter().enumerate().for_each(|(c, &x)| f.set_float(c, f64::from(x)));
        }
        Op::ReadSampler | Op::IsDefined => f.set(0, 0, 0),
        Op::Interpolate { place, perspective } => {
            let at = match place {
                Pull::Center => PullAt::Center,
                Pull::Centroid => PullAt::Centroid,
                Pull::Sample => PullAt::Sample(f.bits(1, 0) as u32),
                Pull::Offset => PullAt::Offset([f.float(1, 0), f.float(1, 1)]),
                Pull::Vertex => PullAt::Vertex(f.bits(1, 0) as usize),
            };
            let handle = f.bits(0, 0);
            for c in 0..f.ret_lanes() {
                let bits =
                    own.interpolate.map_or(0, |i| i(own.lane, handle, at, *perspective, c, f.ret_bits()));
                f.set(0, c, bits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_families() {
        for name in [
            "air.fast_clamp.v2f32",
            "air.clamp.s.i32",
            "air.convert.f.v2f32.u.v2i32",
            "air.convert.u.i8.f.f32.rte.sat",
            "air.unpack.unorm4x8.srgb.v4f32",
            "air.pack.snorm2x16.v2f32",
            "air.atomic.global.cmpxchg.weak.i32",
            "air.atomic.fence",
            "air.wg.barrier",
            "air.sample_texture_2d.v4f16",
            "air.interpolate_offset_no_perspective.f32",
            "air.simd_ballot.i64",
            "air.quad_vote_all",
            "air.is_null_texture_2d",
            "air.min.u.i32",
            "air.mix.v2f32",
            "air.clz.i32",
            "air.reverse_bits.i8",
            "air.set_vertex_data_mesh.v2f32",
        ] {
            assert!(resolve(name).is_some(), "{name}");
        }
        for name in ["air.set_nothing_mesh", "air.convert.f", "llvm.memcpy", "air.sample_texture_7d.v4f32"] {
            assert!(resolve(name).is_none(), "{name}");
        }
        assert!(matches!(resolve("air.clamp.f32"), Some(Op::Math(_))));
        assert!(matches!(resolve("air.max.s.i32"), Some(Op::Int(_))));
    }
}
