//! State of an emission: the values emitted so far, the memory of variables and outputs, and caches.

use super::attached::AliasLists;
use super::reuse::Reuse;
use crate::functions::{AirFunction, CallEffect};
use crate::module::{AttrSet, BlockId as AirBlock, Md, TypeId, Value};
use crate::select::signature::pieces::BlockLayout;
use crate::select::types::{Class, MemId};
use airfoil_ir::analysis::ScopeId;
use airfoil_ir::{BlockId, Body, Scratch, VarId};
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// The value emitted for an instruction.
#[derive(Clone, Copy)]
pub(crate) struct EmittedValue {
    pub(crate) value: Option<Value>,
    pub(crate) class: Class,
}

const NOT_EMITTED: EmittedValue = EmittedValue { value: None, class: Class::Int };

/// An IR block: the AIR block in which its code starts, and whether a branch leads there.
#[derive(Clone, Copy)]
pub(crate) struct BlockState {
    pub(crate) first: AirBlock,
    pub(crate) reached: bool,
    /// Emission has come to it.
    pub(crate) opened: bool,
    /// Node of the loop that it is the first block of.
    pub(crate) progress: Option<Md>,
}

impl BlockState {
    /// A block that a branch leads to.
    pub(crate) fn reached(first: AirBlock) -> BlockState {
        BlockState { first, reached: true, opened: false, progress: None }
    }
}

/// The address of a variable or of a part of it.
#[derive(Clone, Copy)]
pub(crate) struct Pointer {
    pub(crate) ptr: Value,
    pub(crate) mem: MemId,
    pub(crate) space: u32,
}

/// An output while the function runs.
#[derive(Clone, Copy)]
pub(crate) enum OutputState {
    /// The value written last.
    Value(Value),
    /// A stack slot that holds it.
    Memory(Value),
}

/// Everything that changes while a function is emitted.
pub(crate) struct State {
    /// By instruction.
    pub(crate) emitted: Scratch<EmittedValue>,
    pub(crate) blocks: SecondaryMap<BlockId, BlockState>,
    /// Incoming values of phis: instruction index of the phi, value, predecessor.
    pub(crate) phis: Vec<(u32, Value, AirBlock)>,
    /// Declarations of `air.*` functions.
    pub(crate) functions: FxHashMap<AirFunction, Value>,
    /// Attributes by effect, for functions without pointers.
    pub(crate) attributes: [Option<AttrSet>; CallEffect::COUNT],
    /// Memory of variables.
    pub(crate) memory: SecondaryMap<VarId, Value>,
    /// Address of each deref, by instruction index.
    pub(crate) addresses: FxHashMap<u32, Pointer>,
    /// In the order of the signature's outputs.
    pub(crate) outputs: Vec<OutputState>,
    /// Workgroup memory that is addressed by byte offset.
    pub(crate) shared: Option<(BlockLayout, Value)>,
    /// Addresses, conversions and shuffles that later code can reuse.
    pub(crate) reuse: Reuse,
    /// Empty blocks that branches do not go through.
    pub(crate) skipped: SecondaryMap<BlockId, ()>,
    /// Target of returns, if there are several.
    pub(crate) exit: Option<AirBlock>,
    /// The values of the outputs in each predecessor of the exit, if outputs are values.
    pub(crate) exits: Vec<(AirBlock, Vec<OutputState>)>,
    /// Stack slots for functions that take an address, allocated at the start of the function.
    pub(crate) scratch: FxHashMap<TypeId, Value>,
    /// The sampler that texture reads take, and the region that has it.
    pub(crate) read_sampler: Option<(ScopeId, Value)>,
    /// Branches back to the first blocks of loops.
    pub(crate) latches: Vec<(Value, BlockId)>,
    /// The scope of each argument in the signature's list, once an access was marked.
    pub(crate) alias_scopes: Vec<Md>,
    /// Metadata of accesses.
    pub(crate) alias_lists: SmallVec<[AliasLists; 4]>,
    /// Room for the name of a function.
    pub(crate) name: String,
    /// Lane indices as operands, which almost every function needs.
    pub(crate) lane_indices: [Option<Value>; 4],
}

impl State {
    pub(crate) fn new(body: &Body) -> State {
        State {
            emitted: Scratch::filled(NOT_EMITTED, body.instr_capacity() + 1),
            blocks: SecondaryMap::with_capacity(body.num_blocks() + 1),
            phis: Vec::new(),
            functions: FxHashMap::default(),
            attributes: [None; CallEffect::COUNT],
            memory: SecondaryMap::new(),
            addresses: FxHashMap::default(),
            outputs: Vec::new(),
            shared: None,
            reuse: Reuse::new(body),
            skipped: SecondaryMap::new(),
            exit: None,
            exits: Vec::new(),
            scratch: FxHashMap::default(),
            read_sampler: None,
            latches: Vec::new(),
            alias_scopes: Vec::new(),
            alias_lists: SmallVec::new(),
            name: String::with_capacity(48),
            lane_indices: [None; 4],
        }
    }
}
