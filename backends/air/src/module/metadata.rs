//! Metadata: strings, values, nodes and the module's named nodes.
//!
//! Debug-location metadata (`DISubprogram` and relatives) has no representation yet.

use super::intern::{Index, Str, hash_of};
use super::value::Value;
use smallvec::SmallVec;

/// A piece of metadata: a string, a value, a node, or null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Md(u32);

/// What an [`Md`] stands for; the numbers are positions in the module's metadata tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MdKind {
    /// No metadata (a null operand of a node).
    Null,
    /// A string.
    String(u32),
    /// A constant, global variable or function.
    Value(u32),
    /// A node.
    Node(u32),
}

const TAG_SHIFT: u32 = 30;
const INDEX_MASK: u32 = (1 << TAG_SHIFT) - 1;

impl Md {
    /// The null operand.
    pub const NULL: Md = Md(u32::MAX);

    fn string(index: u32) -> Md {
        Md(index & INDEX_MASK)
    }

    fn value(index: u32) -> Md {
        Md(1 << TAG_SHIFT | (index & INDEX_MASK))
    }

    fn node(index: u32) -> Md {
        Md(2 << TAG_SHIFT | (index & INDEX_MASK))
    }

    /// What this stands for.
    pub fn kind(self) -> MdKind {
        let index = self.0 & INDEX_MASK;
        match self.0 >> TAG_SHIFT {
            0 => MdKind::String(index),
            1 => MdKind::Value(index),
            2 => MdKind::Node(index),
            _ => MdKind::Null,
        }
    }
}

impl std::fmt::Debug for Md {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

/// Kinds of metadata that an instruction can carry; the number is LLVM's fixed one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Attachment {
    /// `!tbaa`
    Tbaa = 1,
    /// `!fpmath`
    FpMath = 3,
    /// `!range`
    Range = 4,
    /// `!invariant.load`
    InvariantLoad = 6,
    /// `!alias.scope`
    AliasScope = 7,
    /// `!noalias`
    NoAlias = 8,
    /// `!unpredictable`
    Unpredictable = 15,
    /// `!llvm.loop`
    Loop = 18,
}

/// Names of LLVM 5's fixed metadata kinds; the position is the number.
pub const KIND_NAMES: [&str; 23] = [
    "dbg",
    "tbaa",
    "prof",
    "fpmath",
    "range",
    "tbaa.struct",
    "invariant.load",
    "alias.scope",
    "noalias",
    "nontemporal",
    "llvm.mem.parallel_loop_access",
    "nonnull",
    "dereferenceable",
    "dereferenceable_or_null",
    "make.implicit",
    "unpredictable",
    "invariant.group",
    "align",
    "llvm.loop",
    "type",
    "section_prefix",
    "absolute_symbol",
    "associated",
];

impl Attachment {
    /// LLVM's name of the kind, without the `!`.
    pub fn name(self) -> &'static str {
        KIND_NAMES[self as usize]
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    len: u32,
    distinct: bool,
}

/// A named node of the module, such as `!air.vertex`.
#[derive(Clone, Debug)]
pub struct NamedMd {
    /// Name without the `!`.
    pub name: Str,
    /// Its nodes.
    pub nodes: SmallVec<[Md; 6]>,
}

/// Tables of the module's metadata.
#[derive(Clone, Debug)]
pub struct Metadata {
    strings: Vec<Str>,
    /// Position in `strings` by string, `u32::MAX` where the string is no metadata.
    string_of: Vec<u32>,
    values: Vec<Value>,
    value_index: Index,
    nodes: Vec<Node>,
    operands: Vec<Md>,
    node_index: Index,
    named: Vec<NamedMd>,
}

impl Metadata {
    pub(crate) fn new() -> Self {
        Metadata {
            strings: Vec::with_capacity(64),
            string_of: Vec::with_capacity(128),
            values: Vec::with_capacity(32),
            value_index: Index::with_capacity(32),
            nodes: Vec::with_capacity(64),
            operands: Vec::with_capacity(256),
            node_index: Index::with_capacity(64),
            named: Vec::with_capacity(12),
        }
    }

    pub(crate) fn add_string(&mut self, text: Str) -> Md {
        let at = text.0 as usize;
        if at >= self.string_of.len() {
            self.string_of.resize(at + 1, u32::MAX);
        }
        if self.string_of[at] == u32::MAX {
            self.string_of[at] = self.strings.len() as u32;
            self.strings.push(text);
        }
        Md::string(self.string_of[at])
    }

    pub(crate) fn add_value(&mut self, value: Value) -> Md {
        let hash = hash_of(&value);
        if let Some(found) = self.value_index.find(hash, |p| self.values[p as usize] == value) {
            return Md::value(found);
        }
        let position = self.values.len() as u32;
        self.values.push(value);
        self.value_index.insert(hash, position);
        Md::value(position)
    }

    pub(crate) fn add_node(&mut self, operands: &[Md]) -> Md {
        let hash = hash_of(operands);
        let found = self.node_index.find(hash, |p| {
            let node = self.nodes[p as usize];
            self.operands[node.start as usize..][..node.len as usize] == *operands
        });
        if let Some(found) = found {
            return Md::node(found);
        }
        let position = self.nodes.len() as u32;
        self.push(operands, false);
        self.node_index.insert(hash, position);
        Md::node(position)
    }

    pub(crate) fn add_distinct(&mut self, operands: &[Md]) -> Md {
        self.push(operands, true)
    }

    /// A distinct node whose first operand is the node itself, as alias scopes and loop ids have it.
    pub(crate) fn add_self_reference(&mut self, rest: &[Md]) -> Md {
        let node = Md::node(self.nodes.len() as u32);
        let start = self.operands.len() as u32;
        self.operands.push(node);
        self.operands.extend_from_slice(rest);
        self.nodes.push(Node { start, len: rest.len() as u32 + 1, distinct: true });
        node
    }

    fn push(&mut self, operands: &[Md], distinct: bool) -> Md {
        let node = Md::node(self.nodes.len() as u32);
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.nodes.push(Node { start, len: operands.len() as u32, distinct });
        node
    }

    pub(crate) fn named_mut(&mut self, name: Str) -> &mut SmallVec<[Md; 6]> {
        let at = match self.named.iter().position(|n| n.name == name) {
            Some(at) => at,
            None => {
                self.named.push(NamedMd { name, nodes: SmallVec::new() });
                self.named.len() - 1
            }
        };
        &mut self.named[at].nodes
    }

    /// The metadata strings in order.
    pub fn strings(&self) -> &[Str] {
        &self.strings
    }

    /// The values used as metadata, in order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Operands of node `index`.
    pub fn node(&self, index: u32) -> &[Md] {
        match self.nodes.get(index as usize) {
            Some(node) => &self.operands[node.start as usize..][..node.len as usize],
            None => &[],
        }
    }

    /// Whether node `index` is distinct (never merged with an equal one).
    pub fn is_distinct(&self, index: u32) -> bool {
        self.nodes.get(index as usize).is_some_and(|n| n.distinct)
    }

    /// The named nodes in order.
    pub fn named(&self) -> &[NamedMd] {
        &self.named
    }
}
