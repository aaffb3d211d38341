//! Bodies of functions: blocks, values by index, source locations.
//!
//! A record may use a value that is defined later. Such a use gets a placeholder, which is replaced when the whole body has
//! been read and the ID is known to be an instruction's.

use super::super::codes::{block, function as code};
use super::bits::{Block as BitBlock, Item, Record, SubBlock};
use super::{Numbered, ReadError, Reader};
use crate::module::{
    Block, BlockId, Body, Inst, Location, Md, MdKind, Op, Type, TypeId, TypeList, Value, ValueKind,
};

/// Instruction indices from here on are placeholders of values that are defined later.
const LATER: u32 = 1 << 28;

/// A function being read.
pub(super) struct Scope {
    pub(super) body: Body,
    /// Return type.
    pub(super) ret: TypeId,
    /// Values that were used before they came: number and type.
    later: Vec<(u32, TypeId)>,
    /// Stand-ins by value number.
    later_by_number: rustc_hash::FxHashMap<u32, u32>,
    /// Words of the operand pool that hold placeholders.
    fixups: Vec<u32>,
    /// Number of blocks that were announced.
    blocks: u32,
    /// First instruction of the current block.
    first: u32,
    location: Option<Location>,
}

impl<'a> Reader<'a> {
    pub(super) fn read_function(&mut self, index: u32, block: &SubBlock<'a>) -> Result<(), ReadError> {
        let (values, metadata) = (self.values.len(), self.metadata.len());
        let symbol = Value::new(ValueKind::Function(index));
        let ty = self.m.function(symbol).map_or(TypeId::VOID, |f| f.ty);
        let (ret, params) = match self.m.types().get(ty) {
            Type::Function { ret, params } | Type::VarFunction { ret, params } => (ret, params),
            _ => (TypeId::VOID, TypeList::EMPTY),
        };
        self.values.extend((0..params.len() as u32).map(Value::arg));
        let mut scope = Scope {
            body: Body::new(params),
            ret,
            later: Vec::new(),
            later_by_number: rustc_hash::FxHashMap::default(),
            fixups: Vec::new(),
            blocks: 0,
            first: 0,
            location: None,
        };
        let mut locals = Vec::new();
        let mut reader = BitBlock::open(block, &self.info);
        let mut record = Record::default();
        loop {
            match reader.next(&mut record)? {
                Item::End => break,
                Item::Block(inner) => match inner.id {
                    block::CONSTANTS => self.read_constants(&inner)?,
                    block::METADATA => self.read_metadata(&inner, Some(&mut locals))?,
                    block::METADATA_ATTACHMENT => self.read_attachments(&inner, symbol, &mut scope.body)?,
                    // Names of values, which shaders do not keep, and orders of uses.
                    _ => {}
                },
                Item::Record => match record.code {
                    code::DECLAREBLOCKS => scope.declare_blocks(&record, &reader)?,
                    code::DEBUG_LOC => self.debug_location(&mut scope, &record)?,
                    code::DEBUG_LOC_AGAIN => scope.locate(&record)?,
                    _ => self.instruction(&mut scope, &record)?,
                },
            }
        }
        let end = Record { code: 0, offset: reader.error("").offset, ..Record::default() };
        self.locals(&mut scope, &locals, &end)?;
        self.resolve(&mut scope, &end)?;
        if scope.blocks == 0 {
            return Err(end.error("a body without blocks"));
        }
        if scope.body.order.len() as u32 != scope.blocks || scope.first as usize != scope.body.insts.len() {
            return Err(end.error(format!(
                "the body ends inside block {} of {}",
                scope.body.order.len(),
                scope.blocks
            )));
        }
        self.m.set_body(index, scope.body);
        self.values.truncate(values);
        self.metadata.truncate(metadata);
        Ok(())
    }

    /// Replaces the placeholders.
    fn resolve(&mut self, scope: &mut Scope, end: &Record<'_>) -> Result<(), ReadError> {
        let mut found = Vec::with_capacity(scope.later.len());
        for &(number, ty) in &scope.later {
            let value = self.values.get(number as usize).copied().filter(|v| !v.is_module_level());
            let value = value.ok_or_else(|| end.error(format!("value {number} is used but never made")))?;
            if self.m.type_in(&scope.body, value) != ty {
                return Err(end.error(format!("value {number} is not of the type that an earlier use says")));
            }
            found.push(value);
        }
        let resolved = |value: Value| match value.kind() {
            ValueKind::Inst(i) if i >= LATER => found.get((i - LATER) as usize).copied().unwrap_or(value),
            _ => value,
        };
        for &at in &scope.fixups {
            let word = &mut scope.body.pool[at as usize];
            *word = resolved(Value::from_raw(*word)).raw();
        }
        for local in &mut scope.body.locals {
            *local = resolved(*local);
        }
        Ok(())
    }

    /// Values that are metadata, by their number.
    fn locals(
        &mut self,
        scope: &mut Scope,
        locals: &[(u32, u64)],
        end: &Record<'_>,
    ) -> Result<(), ReadError> {
        for &(number, ty) in locals {
            let ty = self.ty(end, ty)?;
            let value = self.numbered(scope, end, number, ty)?;
            scope.body.locals.push(value);
        }
        Ok(())
    }

    // ---- operands ----

    /// Type of any value, placeholders included.
    pub(super) fn type_of(&self, scope: &Scope, value: Value) -> TypeId {
        match value.kind() {
            ValueKind::Inst(i) if i >= LATER => {
                scope.later.get((i - LATER) as usize).map_or(TypeId::VOID, |later| later.1)
            }
            _ => self.m.type_in(&scope.body, value),
        }
    }

    /// The value ID that operand `at` denotes.
    fn number(&self, record: &Record<'_>, at: usize) -> Result<u32, ReadError> {
        let op = record.op(at)?;
        if self.version == 0 {
            return record.op32(at);
        }
        // Later values wrap around.
        Ok((self.values.len() as u32).wrapping_sub(op as u32))
    }

    /// Value number `number`, which is of type `ty`.
    pub(super) fn numbered(
        &self,
        scope: &mut Scope,
        record: &Record<'_>,
        number: u32,
        ty: TypeId,
    ) -> Result<Value, ReadError> {
        let Some(&value) = self.values.get(number as usize) else {
            // Every value takes some bits of the file.
            if number as usize - self.values.len() > self.size.saturating_mul(8) {
                return Err(record.error(format!("value {number} does not exist")));
            }
            let next = scope.later.len() as u32;
            let at = *scope.later_by_number.entry(number).or_insert(next);
            if at == next {
                scope.later.push((number, ty));
            } else if scope.later[at as usize].1 != ty {
                return Err(record.error(format!("value {number} is used with two types")));
            }
            return Ok(Value::new(ValueKind::Inst(LATER + at)));
        };
        if self.type_of(scope, value) != ty {
            return Err(
                record.error(format!("value {number} is not of the type that record {} needs", record.code))
            );
        }
        Ok(value)
    }

    /// The operand at `at`, whose type is `ty`.
    pub(super) fn operand(
        &self,
        scope: &mut Scope,
        record: &Record<'_>,
        at: &mut usize,
        ty: TypeId,
    ) -> Result<Value, ReadError> {
        let number = self.number(record, *at)?;
        *at += 1;
        self.numbered(scope, record, number, ty)
    }

    /// The operand at `at`; its type follows if the value is defined later.
    pub(super) fn typed_operand(
        &self,
        scope: &mut Scope,
        record: &Record<'_>,
        at: &mut usize,
    ) -> Result<Value, ReadError> {
        let number = self.number(record, *at)?;
        *at += 1;
        if let Some(&value) = self.values.get(number as usize) {
            return Ok(value);
        }
        let ty = self.ty(record, record.op(*at)?)?;
        *at += 1;
        self.numbered(scope, record, number, ty)
    }

    /// The incoming value at `at` of a phi, whose distance is signed.
    pub(super) fn phi_operand(
        &self,
        scope: &mut Scope,
        record: &Record<'_>,
        at: usize,
        ty: TypeId,
    ) -> Result<Value, ReadError> {
        let number = if self.version == 0 {
            record.op32(at)?
        } else {
            let number = (self.values.len() as i64).checked_sub(super::bits::signed(record.op(at)?));
            let number = number.and_then(|n| u32::try_from(n).ok());
            number.ok_or_else(|| record.error("a value before the first"))?
        };
        self.numbered(scope, record, number, ty)
    }

    /// The argument at `at` that is metadata.
    pub(super) fn metadata_operand(&self, record: &Record<'_>, at: usize) -> Result<Value, ReadError> {
        let number = self.number(record, at)?;
        match self.metadata.get(number as usize) {
            Some(&Numbered::Md(md)) => Ok(Value::metadata(md)),
            Some(&Numbered::Local(local)) => Ok(Value::new(ValueKind::Local(local))),
            None => Err(record.error(format!("metadata {number} does not exist"))),
        }
    }

    // ---- source locations ----

    fn debug_location(&mut self, scope: &mut Scope, record: &Record<'_>) -> Result<(), ReadError> {
        let node = |md: Md| match md.kind() {
            MdKind::Node(_) | MdKind::Null => Ok(md),
            _ => Err(record.error("the scope of a source location is not a node")),
        };
        let location = Location {
            inst: 0,
            line: record.op32(0)?,
            column: record.op32(1)?,
            scope: node(self.md_or_null(record, record.op(2)?)?)?,
            inlined_at: node(self.md_or_null(record, record.op(3)?)?)?,
            implicit: record.ops.get(4).is_some_and(|&op| op != 0),
        };
        scope.location = Some(location);
        scope.locate(record)
    }
}

impl Scope {
    fn declare_blocks(&mut self, record: &Record<'_>, block: &BitBlock<'_>) -> Result<(), ReadError> {
        let count = record.op32(0)?;
        // Each has at least its terminator, a record.
        if count == 0 || u64::from(count) > block.left() || self.blocks != 0 {
            return Err(record.error(format!("{count} blocks do not fit the body")));
        }
        self.blocks = count;
        self.body.blocks.resize(count as usize, Block { first: 0, end: 0, position: u32::MAX });
        Ok(())
    }

    /// Gives the last instruction the current source location.
    fn locate(&mut self, record: &Record<'_>) -> Result<(), ReadError> {
        let Some(last) = self.body.insts.len().checked_sub(1) else {
            return Err(record.error("a place in the source before the first instruction"));
        };
        let Some(location) = self.location else {
            return Err(record.error("the same place in the source again, but there was none"));
        };
        let location = Location { inst: last as u32, ..location };
        match self.body.locations.last_mut() {
            Some(known) if known.inst == location.inst => *known = location,
            _ => self.body.locations.push(location),
        }
        Ok(())
    }

    /// The block at operand `at`.
    pub(super) fn block(&self, record: &Record<'_>, at: usize) -> Result<BlockId, ReadError> {
        let number = record.op(at)?;
        match u32::try_from(number).ok().filter(|&n| n < self.blocks) {
            Some(number) => Ok(BlockId(number)),
            None => Err(record.error(format!("block {number} of {}", self.blocks))),
        }
    }

    /// Starts an instruction with these operands.
    pub(super) fn push(&mut self, op: Op, flags: u8, align: u8, ty: TypeId, operands: &[Value]) {
        let start = self.body.pool.len() as u32;
        self.body.insts.push(Inst { op, flags, align, ty, start, len: 0 });
        for &value in operands {
            self.push_value(value);
        }
    }

    /// Adds an operand to the last instruction.
    pub(super) fn push_value(&mut self, value: Value) {
        if matches!(value.kind(), ValueKind::Inst(i) if i >= LATER) {
            self.fixups.push(self.body.pool.len() as u32);
        }
        self.push_word(value.raw());
    }

    /// Adds a word other than a value to the last instruction.
    pub(super) fn push_word(&mut self, word: u32) {
        self.body.pool.push(word);
        if let Some(last) = self.body.insts.last_mut() {
            last.len += 1;
        }
    }

    /// Ends the last instruction: its value and block.
    pub(super) fn end(&mut self, values: &mut Vec<Value>, record: &Record<'_>) -> Result<(), ReadError> {
        let position = self.body.order.len() as u32;
        if position >= self.blocks {
            return Err(record.error(format!("an instruction after the last of {} blocks", self.blocks)));
        }
        let at = self.body.insts.len() as u32 - 1;
        if at + 1 >= LATER {
            return Err(record.error("too many instructions"));
        }
        let inst = self.body.insts[at as usize];
        if inst.ty != TypeId::VOID {
            values.push(Value::new(ValueKind::Inst(at)));
        }
        if inst.op.is_terminator() {
            self.body.blocks[position as usize] = Block { first: self.first, end: at + 1, position };
            self.body.order.push(BlockId(position));
            self.first = at + 1;
        }
        Ok(())
    }
}
