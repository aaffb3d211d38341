//! Metadata, of the module and of functions.
//!
//! Nodes refer to later ones, so all pieces of a block are numbered first, then filled in.

use super::super::codes::metadata as code;
use super::bits::{Bits, Block, Item, Record, SubBlock};
use super::{Numbered, ReadError, Reader};
use crate::module::{Body, Md, MdKind, di, di_references};

impl<'a> Reader<'a> {
    /// Reads a block, of the module or of a function whose `body` is being built. Its nodes get the next IDs.
    pub(super) fn read_metadata(
        &mut self,
        block: &SubBlock<'a>,
        mut locals: Option<&mut Vec<(u32, u64)>>,
    ) -> Result<(), ReadError> {
        let records = self.number_metadata(block, &mut locals)?;
        let mut name: Option<String> = None;
        for (record, node) in &records {
            match record.code {
                code::NAME => name = Some(record.text(0, "the name of a metadata node")?),
                code::NAMED_NODE => {
                    let Some(name) = name.take() else {
                        return Err(record.error("a named node without name"));
                    };
                    for &number in &record.ops {
                        let node = self.md(record, number)?;
                        if !matches!(node.kind(), MdKind::Node(_)) {
                            return Err(record.error(format!("`!{name}` has an operand that is not a node")));
                        }
                        self.m.add_named_md(&name, node);
                    }
                    if record.ops.is_empty() {
                        self.m.add_empty_named_md(&name);
                    }
                }
                code::GLOBAL_DECL_ATTACHMENT => {
                    let symbol = self.module_value(record, record.op(0)?)?;
                    for at in (1..record.ops.len()).step_by(2) {
                        let kind = self.kind(record, record.op(at)?)?;
                        let node = self.md(record, record.op(at + 1)?)?;
                        self.m.attach_symbol(symbol, kind, node);
                    }
                }
                _ => {
                    if let Some(node) = *node {
                        self.fill_node(record, node)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Numbers the pieces of a block; returns the records that are left to read, nodes with their positions.
    fn number_metadata(
        &mut self,
        block: &SubBlock<'a>,
        locals: &mut Option<&mut Vec<(u32, u64)>>,
    ) -> Result<Vec<(Record<'a>, Option<Md>)>, ReadError> {
        let mut block = Block::open(block, &self.info);
        let mut record = Record::default();
        let mut records = Vec::new();
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok(records),
                Item::Block(_) => continue,
                Item::Record => {}
            }
            match record.code {
                code::STRINGS => self.metadata_strings(&record)?,
                code::STRING_OLD => {
                    let text = record.text(0, "a metadata string")?;
                    let md = self.m.md_str(&text);
                    self.metadata.push(Numbered::Md(md));
                }
                code::VALUE => self.metadata_value(&record, locals)?,
                code::KIND => self.read_kind(&record)?,
                code::INDEX | code::INDEX_OFFSET => {}
                code::NAME | code::NAMED_NODE | code::GLOBAL_DECL_ATTACHMENT => {
                    records.push((std::mem::take(&mut record), None));
                }
                _ => {
                    let node = self.m.metadata_mut().declare();
                    self.metadata.push(Numbered::Md(node));
                    records.push((std::mem::take(&mut record), Some(node)));
                }
            }
        }
    }

    /// All strings of a block in one blob: their lengths, then their text.
    fn metadata_strings(&mut self, record: &Record<'_>) -> Result<(), ReadError> {
        let (count, start) = (record.op(0)?, record.op(1)?);
        let blob = record.blob;
        let start = usize::try_from(start).ok().filter(|&at| at <= blob.len());
        let start =
            start.ok_or_else(|| record.error("metadata strings that start outside of their bytes"))?;
        let (lengths, mut text) = blob.split_at(start);
        let mut lengths = Bits::new(lengths, 0);
        for _ in 0..count {
            let len = lengths.vbr(6).map_err(|_| record.error("metadata strings with too few lengths"))?;
            let len = usize::try_from(len).ok().filter(|&len| len <= text.len());
            let Some(len) = len else { return Err(record.error("a metadata string longer than its bytes")) };
            let (string, rest) = text.split_at(len);
            text = rest;
            let string =
                str::from_utf8(string).map_err(|_| record.error("a metadata string is not valid UTF-8"))?;
            let md = self.m.md_str(string);
            self.metadata.push(Numbered::Md(md));
        }
        Ok(())
    }

    fn metadata_value(
        &mut self,
        record: &Record<'_>,
        locals: &mut Option<&mut Vec<(u32, u64)>>,
    ) -> Result<(), ReadError> {
        let number = record.op(1)?;
        let known = usize::try_from(number).ok().and_then(|at| self.values.get(at)).copied();
        let entry = match (known, locals) {
            (Some(value), _) if value.is_module_level() => {
                self.check_value_metadata(record, value)?;
                Numbered::Md(self.m.md_value(value))
            }
            // A value of the function, perhaps one that is still to come.
            (_, Some(locals)) => {
                let number =
                    u32::try_from(number).map_err(|_| record.error(format!("value {number} is too far")))?;
                locals.push((number, record.op(0)?));
                Numbered::Local(locals.len() as u32 - 1)
            }
            _ => return Err(record.error(format!("value {number} does not exist"))),
        };
        self.metadata.push(entry);
        Ok(())
    }

    fn check_value_metadata(
        &self,
        record: &Record<'_>,
        value: crate::module::Value,
    ) -> Result<(), ReadError> {
        let given = self.ty(record, record.op(0)?)?;
        if given == self.m.module_type(value) {
            return Ok(());
        }
        Err(record.error("a value as metadata that is not of the type given"))
    }

    fn fill_node(&mut self, record: &Record<'_>, node: Md) -> Result<(), ReadError> {
        match record.code {
            code::NODE | code::DISTINCT_NODE => {
                let operands = record.ops.iter().map(|&op| self.md_or_null(record, op));
                let operands: Vec<Md> = operands.collect::<Result<_, _>>()?;
                self.m.metadata_mut().fill(node, &operands, record.code == code::DISTINCT_NODE);
                Ok(())
            }
            code::OLD_NODE => self.fill_old_node(record, node),
            code::OLD_FN_NODE => {
                Err(record.error("metadata of values of a function inside a node is not supported"))
            }
            _ => self.fill_debug(record, node),
        }
    }

    /// A node of LLVM 3.5 and before: pairs of a type and an ID, which is the ID of metadata if the type is `metadata`.
    fn fill_old_node(&mut self, record: &Record<'_>, node: Md) -> Result<(), ReadError> {
        let mut operands = Vec::with_capacity(record.ops.len() / 2);
        for at in (0..record.ops.len()).step_by(2) {
            let ty = self.ty(record, record.op(at)?)?;
            let number = record.op(at + 1)?;
            operands.push(match ty {
                crate::module::TypeId::METADATA => self.md(record, number)?,
                crate::module::TypeId::VOID => Md::NULL,
                _ => {
                    let value = self.module_value(record, number)?;
                    self.m.md_value(value)
                }
            });
        }
        self.m.metadata_mut().fill(node, &operands, false);
        Ok(())
    }

    fn fill_debug(&mut self, record: &Record<'_>, node: Md) -> Result<(), ReadError> {
        let number = u8::try_from(record.code).ok();
        let known = number.and_then(|code| Some((code, di_references(code, &record.ops)?)));
        let Some((number, references)) = known else {
            return Err(record.error(format!("metadata record {} is not supported", record.code)));
        };
        let mut fields = record.ops.clone();
        for (at, field) in fields.iter_mut().enumerate() {
            if references >> at.min(63) & 1 == 1 {
                // The scope of a location cannot be null, so it is not one too high.
                let md = match (number, at) {
                    (di::LOCATION, 3) => self.md(record, *field)?,
                    _ => self.md_or_null(record, *field)?,
                };
                *field = md.word();
            }
        }
        let distinct = record.op(0)? & 1 != 0;
        self.m.metadata_mut().fill_debug(node, number, &fields, distinct);
        Ok(())
    }

    /// Reads the metadata that a function and its instructions carry.
    pub(super) fn read_attachments(
        &mut self,
        block: &SubBlock<'a>,
        function: crate::module::Value,
        body: &mut Body,
    ) -> Result<(), ReadError> {
        let mut block = Block::open(block, &self.info);
        let mut record = Record::default();
        loop {
            match block.next(&mut record)? {
                Item::End => break,
                Item::Record if record.code == code::ATTACHMENT => {}
                _ => continue,
            }
            let own = record.ops.len().is_multiple_of(2);
            let inst = if own { 0 } else { record.op32(0)? };
            if !own && inst as usize >= body.insts.len() {
                return Err(
                    record.error(format!("metadata of instruction {inst}, there are {}", body.insts.len()))
                );
            }
            for at in (usize::from(!own)..record.ops.len()).step_by(2) {
                let kind = self.kind(&record, record.op(at)?)?;
                let node = self.md(&record, record.op(at + 1)?)?;
                if own {
                    self.m.attach_symbol(function, kind, node);
                } else {
                    body.attached.push(crate::module::Attached { inst, kind, node });
                }
            }
        }
        body.attached.sort_by_key(|a| a.inst);
        Ok(())
    }
}
