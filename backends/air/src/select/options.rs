//! Options of a compilation.

use super::sampler_state::SamplerState;
use crate::target::Target;
use airfoil_ir::{Modes, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// How far float arithmetic may deviate from the source.
///
/// Instructions that are `exact` are never touched by this: they carry no flags and call precise functions.
///
/// | mode | flags on arithmetic | `air.fast_*` functions | `air.compile_options` |
/// |---|---|---|---|
/// | `Precise` | none | none | `fast_math_disable` |
/// | `Relaxed` | `nsz arcp contract`, `llvm.fmuladd` | those whose result is approximate in any case | `fast_math_disable` |
/// | `Fast` | `fast` | all | `fast_math_enable` |
///
/// Infinities and NaNs are kept in the first two. For widths for which the shader requires infinities, NaNs and signed
/// zeros preserved (`StageInfo::preserve_float_special`), `Relaxed` omits `nsz` and `Fast` falls back to
/// `arcp contract`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FastMathMode {
    /// As written: no flags, precise functions.
    Precise,
    /// The freedom of Vulkan and OpenGL without `precise`: fused multiply-add, reciprocals, no sign of zero, functions
    /// of graphics precision.
    #[default]
    Relaxed,
    /// The default of Apple's compiler: also reassociation, and no NaNs and infinities.
    Fast,
}

/// Metal indices of one resource that are given from outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ResourceIndices {
    /// Index among the buffers.
    pub buffer: Option<u32>,
    /// Index among the textures.
    pub texture: Option<u32>,
    /// Index among the samplers.
    pub sampler: Option<u32>,
}

/// Descriptor sets, or parts of them, that become argument buffers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ArgumentBuffers {
    /// None.
    #[default]
    None,
    /// Every one.
    All,
    /// The uniform blocks of every one.
    UniformBlocks,
    /// These.
    Sets(BTreeSet<u32>),
}

impl ArgumentBuffers {
    /// Whether the resources with a mode of a set are in one.
    pub fn contains(&self, set: u32, mode: Modes) -> bool {
        match self {
            ArgumentBuffers::None => false,
            ArgumentBuffers::All => true,
            ArgumentBuffers::UniformBlocks => mode == Modes::UBO,
            ArgumentBuffers::Sets(sets) => sets.contains(&set),
        }
    }
}

/// Which Metal indices resources get.
///
/// The default rule, for resources without override: buffers are the default uniform block, the push constants, then uniform and storage
/// blocks by ascending (set, binding); each takes the lowest free buffer index. Textures and storage images take the lowest
/// free texture index in the same order, samplers the lowest free sampler index, combined ones the lowest index that is free in
/// both (separate ones where no such index is left); texel buffers and multisampled ones need no sampler. An array takes consecutive indices. All declared resources count,
/// used or not, so that the mapping does not depend on optimisation. The buffer of buffer sizes comes last.
///
/// Vertex buffers share Metal's buffer indices: bind them from 30 downwards; `reserved_buffers` keeps indices free for
/// them.
///
/// A set that is an argument buffer takes one buffer index, that of its first resource; overrides of its resources
/// are ids in it. An array of unknown length is always in an argument buffer: at the end of that of its set, otherwise in one of its
/// own, of which an override is the buffer index.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BindingMap {
    /// Overrides by (set, binding).
    pub resources: BTreeMap<(u32, u32), ResourceIndices>,
    /// Samplers by (set, binding) whose state is known, those of combined textures included: they take no index.
    pub constant_samplers: BTreeMap<(u32, u32), SamplerState>,
    /// Sets that are argument buffers.
    pub argument_buffers: ArgumentBuffers,
    /// Buffer indices of sets that are argument buffers.
    pub sets: BTreeMap<u32, u32>,
    /// Buffer index of the push constants.
    pub push_constants: Option<u32>,
    /// Buffer index of the default uniform block.
    pub default_uniforms: Option<u32>,
    /// Buffer index of the sizes of storage buffers, see [`ArgumentKind::BufferSizes`](super::ArgumentKind).
    pub buffer_sizes: Option<u32>,
    /// Bit mask of buffer indices that the default rule leaves free.
    pub reserved_buffers: u32,
}

/// Parts of the debug information that the shader does not contain.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugOptions {
    /// Folder that the names of source files start from.
    pub directory: String,
    /// Name of the source file, for shaders that name none.
    pub file: String,
}

impl BindingMap {
    /// The state of a sampler, if it is constant.
    pub(super) fn constant_sampler(&self, v: &Variable) -> Option<&SamplerState> {
        self.constant_samplers.get(&(v.set.unwrap_or(0), v.binding?))
    }
}

/// Options of instruction selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Target of the module.
    pub target: Target,
    /// Float arithmetic.
    pub fast_math: FastMathMode,
    /// Keep subnormal numbers. Off, as in Apple's compiler: they may be flushed to zero.
    pub denorms: bool,
    /// Metal indices of resources.
    pub bindings: BindingMap,
    /// Keep the names of the source's variables in the metadata; otherwise they are numbered.
    pub names: bool,
    /// Storage buffers that are not `restrict` never overlap either. Apple's compiler always assumes that; OpenGL
    /// and Vulkan do not promise it.
    pub assume_no_alias: bool,
    /// Debug information: lines of the source for instructions and the function.
    pub debug: Option<DebugOptions>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            target: Target::default(),
            fast_math: FastMathMode::default(),
            denorms: false,
            bindings: BindingMap::default(),
            names: true,
            assume_no_alias: false,
            debug: None,
        }
    }
}
