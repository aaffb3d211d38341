//! Metadata: strings, values, nodes and the module's named nodes.
//!
//! Debug information (`DISubprogram` and relatives) is held in its bitcode form: the code of its record and the fields.
//! [`di_references`] lists the fields that are references.

use super::intern::{Index, Str, hash_of};
use super::value::Value;
use smallvec::SmallVec;

/// A piece of metadata: a string, a value, a node, or null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Md(u32);

/// Kind of an [`Md`]; the IDs are positions in the module's metadata tables.
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

    /// In 29 bits, for a value. Tables are smaller than 2^27.
    pub(super) fn squeezed(self) -> u32 {
        self.0 >> TAG_SHIFT << 27 | self.0 & ((1 << 27) - 1)
    }

    pub(super) fn unsqueezed(bits: u32) -> Md {
        let (tag, index) = (bits >> 27 & 3, bits & ((1 << 27) - 1));
        if tag == 3 { Md::NULL } else { Md(tag << TAG_SHIFT | index) }
    }

    /// As a field of debug information.
    pub(crate) fn word(self) -> u64 {
        u64::from(self.0)
    }

    /// The inverse of [`Md::word`].
    pub(crate) fn from_word(word: u64) -> Md {
        Md(word as u32)
    }

    fn string(index: u32) -> Md {
        Md(index & INDEX_MASK)
    }

    fn value(index: u32) -> Md {
        Md(1 << TAG_SHIFT | (index & INDEX_MASK))
    }

    fn node(index: u32) -> Md {
        Md(2 << TAG_SHIFT | (index & INDEX_MASK))
    }

    /// Kind of this node.
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

/// Kind of metadata that an instruction or symbol can carry. Numbers below that of [`KIND_NAMES`] are LLVM's fixed
/// ones, those above are a module's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attachment(pub(crate) u32);

impl Attachment {
    /// `!dbg`
    pub const DBG: Attachment = Attachment(0);
    /// `!tbaa`
    pub const TBAA: Attachment = Attachment(1);
    /// `!fpmath`
    pub const FP_MATH: Attachment = Attachment(3);
    /// `!range`
    pub const RANGE: Attachment = Attachment(4);
    /// `!invariant.load`
    pub const INVARIANT_LOAD: Attachment = Attachment(6);
    /// `!alias.scope`
    pub const ALIAS_SCOPE: Attachment = Attachment(7);
    /// `!noalias`
    pub const NO_ALIAS: Attachment = Attachment(8);
    /// `!unpredictable`
    pub const UNPREDICTABLE: Attachment = Attachment(15);
    /// `!llvm.loop`
    pub const LOOP: Attachment = Attachment(18);

    /// ID of the kind: LLVM's, or the module's.
    pub fn number(self) -> u32 {
        self.0
    }
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

#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    len: u32,
    distinct: bool,
    /// Code of the record of debug information, whose fields are in `words`; zero for a plain node.
    code: u8,
}

/// A named node of the module, such as `!air.vertex`.
#[derive(Clone, Debug)]
pub struct NamedMd {
    /// Name without the `!`.
    pub name: Str,
    /// Its nodes.
    pub nodes: SmallVec<[Md; 8]>,
}

/// Tables of the module's metadata.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    strings: Vec<Str>,
    /// Position in `strings` by string, `u32::MAX` for strings that are not metadata.
    string_of: Vec<u32>,
    values: Vec<Value>,
    value_index: Index,
    nodes: Vec<Node>,
    operands: Vec<Md>,
    node_index: Index,
    named: Vec<NamedMd>,
    /// Fields of debug information.
    words: Vec<u64>,
    /// Names of the module's own kinds.
    kinds: Vec<Str>,
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
            words: Vec::new(),
            kinds: Vec::new(),
        }
    }

    /// Entries of the tables, with their operands and fields.
    pub(crate) fn size(&self) -> usize {
        self.values.len() + self.nodes.len() + self.operands.len() + self.words.len()
    }

    pub(crate) fn clear(&mut self) {
        self.strings.clear();
        self.string_of.clear();
        self.values.clear();
        self.value_index.clear();
        self.nodes.clear();
        self.operands.clear();
        self.node_index.clear();
        self.named.clear();
        self.words.clear();
        self.kinds.clear();
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
            node.code == 0 && self.operands[node.start as usize..][..node.len as usize] == *operands
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

    /// A distinct node whose first operand is the node itself, as for alias scopes and loop ids.
    pub(crate) fn add_self_reference(&mut self, rest: &[Md]) -> Md {
        let node = Md::node(self.nodes.len() as u32);
        let start = self.operands.len() as u32;
        self.operands.push(node);
        self.operands.extend_from_slice(rest);
        self.nodes.push(Node { start, len: rest.len() as u32 + 1, distinct: true, code: 0 });
        node
    }

    fn push(&mut self, operands: &[Md], distinct: bool) -> Md {
        let node = Md::node(self.nodes.len() as u32);
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.nodes.push(Node { start, len: operands.len() as u32, distinct, code: 0 });
        node
    }

    pub(crate) fn named_mut(&mut self, name: Str) -> &mut SmallVec<[Md; 8]> {
        let at = match self.named.iter().position(|n| n.name == name) {
            Some(at) => at,
            None => {
                self.named.push(NamedMd { name, nodes: SmallVec::new() });
                self.named.len() - 1
            }
        };
        &mut self.named[at].nodes
    }

    /// A node that [`Metadata::fill`] or [`Metadata::fill_debug`] will give its contents.
    pub(crate) fn declare(&mut self) -> Md {
        self.push(&[], false)
    }

    pub(crate) fn fill(&mut self, node: Md, operands: &[Md], distinct: bool) {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let MdKind::Node(index) = node.kind() else { return };
        self.nodes[index as usize] = Node { start, len: operands.len() as u32, distinct, code: 0 };
        if !distinct {
            self.node_index.insert(hash_of(operands), index);
        }
    }

    /// Replaces the operands of a node; ignores unknown nodes.
    pub(crate) fn replace(&mut self, index: u32, operands: &[Md], distinct: bool) {
        if (index as usize) < self.nodes.len() {
            self.fill(Md::node(index), operands, distinct);
        }
    }

    pub(crate) fn fill_debug(&mut self, node: Md, code: u8, words: &[u64], distinct: bool) {
        let start = self.words.len() as u32;
        self.words.extend_from_slice(words);
        let MdKind::Node(index) = node.kind() else { return };
        self.nodes[index as usize] = Node { start, len: words.len() as u32, distinct, code };
    }

    /// ID of a kind by its name.
    pub(crate) fn kind(&mut self, name: Str, text: &str) -> Attachment {
        if let Some(at) = KIND_NAMES.iter().position(|&known| known == text) {
            return Attachment(at as u32);
        }
        let at = self.kinds.iter().position(|&known| known == name).unwrap_or_else(|| {
            self.kinds.push(name);
            self.kinds.len() - 1
        });
        Attachment((KIND_NAMES.len() + at) as u32)
    }

    /// Names of the module's own kinds, numbered after [`KIND_NAMES`].
    pub fn kinds(&self) -> &[Str] {
        &self.kinds
    }

    /// Record number and fields of node `index`, if it is debug information.
    pub fn debug(&self, index: u32) -> Option<(u8, &[u64])> {
        let node = self.nodes.get(index as usize).filter(|n| n.code != 0)?;
        Some((node.code, &self.words[node.start as usize..][..node.len as usize]))
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
            Some(node) if node.code != 0 => &[],
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

/// Which fields of a record of debug information (llvm/Bitcode/LLVMBitCodes.h) are references to metadata: a bit for
/// each of the first 64. `None` for a record that is unknown.
pub(crate) fn di_references(code: u8, fields: &[u64]) -> Option<u64> {
    const fn bits(positions: &[u32]) -> u64 {
        let (mut mask, mut at) = (0, 0);
        while at < positions.len() {
            mask |= 1 << positions[at];
            at += 1;
        }
        mask
    }
    let (first, len) = (fields.first().copied().unwrap_or(0), fields.len());
    Some(match code {
        di::LOCATION => bits(&[3, 4]),
        di::GENERIC => !bits(&[0, 1, 2]),
        di::SUBRANGE => match first >> 1 {
            0 => 0,
            1 => bits(&[1]),
            _ => bits(&[1, 2, 3, 4]),
        },
        di::ENUMERATOR => bits(&[2]),
        di::BASIC_TYPE => bits(&[2]),
        di::FILE => bits(&[1, 2, 4, 5]),
        di::DERIVED_TYPE => bits(&[2, 3, 5, 6, 11, 13]),
        di::COMPOSITE_TYPE => bits(&[2, 3, 5, 6, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21]),
        di::SUBROUTINE_TYPE => bits(&[2]),
        di::COMPILE_UNIT => bits(&[2, 3, 5, 7, 9, 10, 11, 12, 13, 15, 20, 21]),
        // With flags in one word, or with a word for each.
        di::SUBPROGRAM if first & 4 != 0 => bits(&[1, 2, 3, 4, 6, 8, 12, 13, 14, 15, 17, 18, 19]),
        di::SUBPROGRAM => bits(&[1, 2, 3, 4, 6, 10, 15, 16, 17, 18, 20]),
        di::LEXICAL_BLOCK | di::LEXICAL_BLOCK_FILE => bits(&[1, 2]),
        di::NAMESPACE if len >= 5 => bits(&[1, 2, 3]),
        di::NAMESPACE | di::TEMPLATE_TYPE => bits(&[1, 2]),
        di::TEMPLATE_VALUE if len >= 6 => bits(&[2, 3, 5]),
        di::TEMPLATE_VALUE => bits(&[2, 3, 4]),
        di::GLOBAL_VAR => bits(&[1, 2, 3, 4, 6, 9, 10, 12]),
        // The oldest form has a tag in front.
        di::LOCAL_VAR if first & 2 == 0 && len > 8 => bits(&[2, 3, 4, 6]),
        di::LOCAL_VAR => bits(&[1, 2, 3, 5, 9]),
        di::EXPRESSION => 0,
        di::OBJC_PROPERTY => bits(&[1, 2, 4, 5, 7]),
        di::IMPORTED_ENTITY => bits(&[2, 3, 5, 6, 7]),
        di::MODULE if len >= 8 => bits(&[1, 2, 3, 4, 5, 6]) & ((1 << (len - 2).min(63)) - 1),
        di::MODULE => bits(&[1, 2, 3, 4, 5]),
        di::MACRO | di::MACRO_FILE => bits(&[3, 4]),
        di::GLOBAL_VAR_EXPR => bits(&[1, 2]),
        di::LABEL => bits(&[1, 2, 3]),
        di::STRING_TYPE if len >= 9 => bits(&[2, 3, 4, 5]),
        di::STRING_TYPE => bits(&[2, 3, 4]),
        di::COMMON_BLOCK | di::GENERIC_SUBRANGE => bits(&[1, 2, 3, 4]),
        _ => return None,
    })
}

/// Records of debug information.
#[allow(missing_docs)] // named like LLVM's
pub(crate) mod di {
    pub(crate) const LOCATION: u8 = 7;
    pub(crate) const GENERIC: u8 = 12;
    pub(crate) const SUBRANGE: u8 = 13;
    pub(crate) const ENUMERATOR: u8 = 14;
    pub(crate) const BASIC_TYPE: u8 = 15;
    pub(crate) const FILE: u8 = 16;
    pub(crate) const DERIVED_TYPE: u8 = 17;
    pub(crate) const COMPOSITE_TYPE: u8 = 18;
    pub(crate) const SUBROUTINE_TYPE: u8 = 19;
    pub(crate) const COMPILE_UNIT: u8 = 20;
    pub(crate) const SUBPROGRAM: u8 = 21;
    pub(crate) const LEXICAL_BLOCK: u8 = 22;
    pub(crate) const LEXICAL_BLOCK_FILE: u8 = 23;
    pub(crate) const NAMESPACE: u8 = 24;
    pub(crate) const TEMPLATE_TYPE: u8 = 25;
    pub(crate) const TEMPLATE_VALUE: u8 = 26;
    pub(crate) const GLOBAL_VAR: u8 = 27;
    pub(crate) const LOCAL_VAR: u8 = 28;
    pub(crate) const EXPRESSION: u8 = 29;
    pub(crate) const OBJC_PROPERTY: u8 = 30;
    pub(crate) const IMPORTED_ENTITY: u8 = 31;
    pub(crate) const MODULE: u8 = 32;
    pub(crate) const MACRO: u8 = 33;
    pub(crate) const MACRO_FILE: u8 = 34;
    pub(crate) const GLOBAL_VAR_EXPR: u8 = 37;
    pub(crate) const LABEL: u8 = 40;
    pub(crate) const STRING_TYPE: u8 = 41;
    pub(crate) const COMMON_BLOCK: u8 = 44;
    pub(crate) const GENERIC_SUBRANGE: u8 = 45;
}
