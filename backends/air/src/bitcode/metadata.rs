//! Metadata: kinds, strings, values, nodes, named nodes; and the two blocks of names that never change.

use super::Writer;
use super::bits::{AbbrevOp, BitWriter, FIRST_ABBREV};
use super::codes::{block, metadata};
use crate::module::{KIND_NAMES, Md, MdKind, Metadata, Module, ValueKind, di, di_references};
use std::sync::LazyLock;

/// Contents of METADATA_KIND: LLVM 5's fixed kinds.
static KINDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    BitWriter::block_contents(3, |w| {
        for (number, name) in KIND_NAMES.iter().enumerate() {
            w.text(metadata::KIND, &[number as u64], name);
        }
    })
});

/// Contents of OPERAND_BUNDLE_TAGS: LLVM 5's tags.
static BUNDLE_TAGS: LazyLock<Vec<u8>> = LazyLock::new(|| names(&["deopt", "funclet", "gc-transition"]));

/// Contents of SYNC_SCOPE_NAMES: single thread and system.
static SYNC_SCOPES: LazyLock<Vec<u8>> = LazyLock::new(|| names(&["singlethread", ""]));

fn names(names: &[&str]) -> Vec<u8> {
    const NAME: u32 = 1;
    BitWriter::block_contents(3, |w| names.iter().for_each(|name| w.text(NAME, &[], name)))
}

impl Writer<'_> {
    pub(super) fn metadata_kinds(&mut self) {
        let own = self.module.metadata().kinds();
        if own.is_empty() {
            return self.bits.encoded_block(block::METADATA_KIND, 3, &KINDS);
        }
        self.bits.enter(block::METADATA_KIND, 3);
        let all = KIND_NAMES.into_iter().chain(own.iter().map(|&name| self.module.text(name)));
        for (number, name) in all.enumerate() {
            self.bits.text(metadata::KIND, &[number as u64], name);
        }
        self.bits.exit();
    }

    pub(super) fn bundle_tags(&mut self) {
        self.bits.encoded_block(block::OPERAND_BUNDLE_TAGS, 3, &BUNDLE_TAGS);
    }

    pub(super) fn sync_scopes(&mut self) {
        self.bits.encoded_block(block::SYNC_SCOPE_NAMES, 3, &SYNC_SCOPES);
    }

    /// ID of a piece of metadata: strings first, then values, then nodes.
    pub(super) fn metadata_id(&self, md: Md) -> Option<u64> {
        numbered(self.module.metadata(), md)
    }

    /// Number after that of the last piece of metadata.
    pub(super) fn metadata_count(&self) -> u32 {
        let table = self.module.metadata();
        (table.strings().len() + table.values().len() + table.node_count()) as u32
    }

    pub(super) fn metadata(&mut self) {
        let module = self.module;
        let table = module.metadata();
        if self.metadata_count() == 0 && table.named().is_empty() {
            return;
        }
        self.bits.enter(block::METADATA, 4);
        self.define_text();
        if !table.strings().is_empty() {
            self.metadata_strings();
        }
        for &value in table.values() {
            let ops = [module.module_type(value).index() as u64, u64::from(self.id(value))];
            self.bits.record(metadata::VALUE, &ops);
        }
        for index in 0..table.node_count() as u32 {
            if let Some((code, fields)) = table.debug(index) {
                self.debug_node(code, fields);
                continue;
            }
            let operands = table.node(index);
            let code = if table.is_distinct(index) { metadata::DISTINCT_NODE } else { metadata::NODE };
            // Zero is the null operand.
            let ids = operands.iter().map(|&md| numbered(table, md).map_or(0, |id| id + 1));
            self.bits.record_of(code, ids);
        }
        for named in table.named() {
            self.text(metadata::NAME, module.text(named.name));
            self.bits.begin(metadata::NAMED_NODE, named.nodes.len());
            for &node in &named.nodes {
                let id = self.metadata_id(node).unwrap_or(0);
                self.bits.op(id);
            }
        }
        self.symbol_attachments();
        self.bits.exit();
    }

    /// Debug information: its fields with references by ID.
    fn debug_node(&mut self, code: u8, fields: &[u64]) {
        let table = self.module.metadata();
        let references = di_references(code, fields).unwrap_or(0);
        let field = |(at, &field): (usize, &u64)| match references >> at.min(63) & 1 {
            0 => field,
            // The scope of a location cannot be null, so it is not one too high.
            _ if code == di::LOCATION && at == 3 => numbered(table, Md::from_word(field)).unwrap_or(0),
            _ => numbered(table, Md::from_word(field)).map_or(0, |id| id + 1),
        };
        self.bits.record_of(u32::from(code), fields.iter().enumerate().map(field));
    }

    /// Metadata of global variables and declarations; that of definitions is in their bodies.
    fn symbol_attachments(&mut self) {
        let module: &Module = self.module;
        for same in module.symbol_attachments().chunk_by(|a, b| a.0 == b.0) {
            let (symbol, ..) = same[0];
            if module.function(symbol).is_some_and(|f| f.body.is_some()) {
                continue;
            }
            debug_assert!(!matches!(symbol.kind(), ValueKind::Const(_)));
            self.bits.begin(metadata::GLOBAL_DECL_ATTACHMENT, 1 + same.len() * 2);
            self.bits.op(u64::from(self.id(symbol)));
            for &(_, kind, node) in same {
                let id = self.metadata_id(node).unwrap_or(0);
                self.bits.op(u64::from(kind.number()));
                self.bits.op(id);
            }
        }
    }

    /// All strings in one blob: their lengths as a bitstream, then their text.
    fn metadata_strings(&mut self) {
        let module = self.module;
        let strings = module.metadata().strings();
        let mut lengths = BitWriter::new(Vec::with_capacity(strings.len()));
        let mut size = 0;
        for &string in strings {
            let len = module.text(string).len();
            lengths.vbr(len as u64, 6);
            size += len;
        }
        let lengths = lengths.finish();
        self.bits.define(&[
            AbbrevOp::Literal(u64::from(metadata::STRINGS)),
            AbbrevOp::Vbr(6),
            AbbrevOp::Vbr(6),
            AbbrevOp::Blob,
        ]);
        self.bits.abbreviated(FIRST_ABBREV + 1);
        self.bits.vbr(strings.len() as u64, 6);
        self.bits.vbr(lengths.len() as u64, 6);
        let texts = strings.iter().map(|&s| module.text(s).as_bytes());
        self.bits.blob(lengths.len() + size, std::iter::once(lengths.as_slice()).chain(texts));
    }
}

fn numbered(table: &Metadata, md: Md) -> Option<u64> {
    let (strings, values) = (table.strings().len() as u64, table.values().len() as u64);
    match md.kind() {
        MdKind::Null => None,
        MdKind::String(i) => Some(u64::from(i)),
        MdKind::Value(i) => Some(strings + u64::from(i)),
        MdKind::Node(i) => Some(strings + values + u64::from(i)),
    }
}
