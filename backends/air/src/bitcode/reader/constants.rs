//! Constants, of the module and of functions.
//!
//! A constant may refer to later ones; the module requires the operands first. So a block is collected, then built
//! depth first.

use super::super::codes::constant;
use super::bits::{Block, Item, Record, SubBlock, signed};
use super::types::{MAX_DEPTH, Size};
use super::{ReadError, Reader};
use crate::module::{BinOp, CastOp, Const, Type, TypeId, Value, ValueKind};
use smallvec::SmallVec;

/// A record of the block.
struct Raw {
    code: u32,
    ty: TypeId,
    /// Range of its operands in the block's.
    start: usize,
    end: usize,
    offset: u64,
}

impl Raw {
    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { offset: self.offset, message: message.into() }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Open,
    Done,
}

/// Code of `getelementptr` whose record specifies which index stays in range; never in shaders.
const CE_GEP_IN_RANGE: u32 = 24;

impl<'a> Reader<'a> {
    /// Reads a block of constants, which get the next value numbers.
    pub(super) fn read_constants(&mut self, block: &SubBlock<'a>) -> Result<(), ReadError> {
        let (raw, ops) = self.collect_constants(block)?;
        let first = self.values.len();
        // Placeholders, which are replaced one by one.
        self.values.resize(first + raw.len(), Value::new(ValueKind::Local(0)));
        let mut states = vec![State::Waiting; raw.len()];
        let mut stack: Vec<usize> = Vec::new();
        for root in 0..raw.len() {
            if states[root] == State::Waiting {
                stack.push(root);
            }
            while let Some(&at) = stack.last() {
                let item = &raw[at];
                let operands = &ops[item.start..item.end];
                if states[at] == State::Waiting {
                    states[at] = State::Open;
                    for &part in &parts(item, operands)? {
                        let place = usize::try_from(part).ok().and_then(|p| p.checked_sub(first));
                        if let Some(place) = place.filter(|&p| p < raw.len()) {
                            match states[place] {
                                State::Waiting => stack.push(place),
                                State::Open => {
                                    return Err(item.error(format!("constant {part} contains itself")));
                                }
                                State::Done => {}
                            }
                        }
                    }
                    // Parts first, if there are some to make.
                    continue;
                }
                stack.pop();
                if states[at] == State::Open {
                    self.values[first + at] = self.make_constant(item, operands)?;
                    states[at] = State::Done;
                }
            }
        }
        Ok(())
    }

    fn collect_constants(&mut self, block: &SubBlock<'a>) -> Result<(Vec<Raw>, Vec<u64>), ReadError> {
        let mut block = Block::open(block, &self.info);
        let mut record = Record::default();
        let (mut raw, mut ops) = (Vec::new(), Vec::new());
        let mut ty = TypeId::I32;
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok((raw, ops)),
                Item::Block(_) => {}
                Item::Record if record.code == constant::SETTYPE => {
                    ty = self.ty(&record, record.op(0)?)?;
                    if matches!(
                        self.m.types().get(ty),
                        Type::Void
                            | Type::Label
                            | Type::Metadata
                            | Type::Function { .. }
                            | Type::VarFunction { .. }
                    ) {
                        return Err(record.error("constants of a type without values"));
                    }
                }
                Item::Record => {
                    let start = ops.len();
                    ops.extend_from_slice(&record.ops);
                    raw.push(Raw { code: record.code, ty, start, end: ops.len(), offset: record.offset });
                }
            }
        }
    }

    fn make_constant(&mut self, raw: &Raw, ops: &[u64]) -> Result<Value, ReadError> {
        let ty = raw.ty;
        let first = ops.first().copied();
        let need = |op: Option<u64>| op.ok_or_else(|| raw.error("a constant without its number"));
        let shape = self.m.types().get(ty);
        let value = match raw.code {
            constant::NULL => self.m.null(ty),
            constant::UNDEF => self.m.undef(ty),
            constant::POISON => self.m.poison(ty),
            constant::INTEGER => match shape {
                Type::Int(1..=64) => self.m.int(ty, signed(need(first)?)),
                _ => return Err(raw.error("an integer of a type that is none")),
            },
            constant::WIDE_INTEGER => match shape {
                Type::Int(bits) if ops.len() <= (bits as usize).div_ceil(64) => self.wide(ty, bits, ops),
                _ => return Err(raw.error("an integer of a type that is too small")),
            },
            constant::FLOAT => {
                let bits = match shape {
                    Type::Half | Type::BFloat => 16,
                    Type::Float => 32,
                    Type::Double => 64,
                    _ => return Err(raw.error("a float of a type that is none")),
                };
                self.m.float_bits(ty, need(first)? & (u64::MAX >> (64 - bits)))
            }
            constant::STRING => self.elements(raw, ops)?,
            constant::CSTRING => {
                let mut ops = ops.to_vec();
                ops.push(0);
                self.elements(raw, &ops)?
            }
            constant::DATA => self.elements(raw, ops)?,
            constant::AGGREGATE => self.aggregate(raw, ops)?,
            constant::CE_CAST => self.cast_constant(raw, ops)?,
            constant::CE_BINOP => self.binary_constant(raw, ops)?,
            constant::CE_GEP | constant::CE_INBOUNDS_GEP => self.gep_constant(raw, ops)?,
            CE_GEP_IN_RANGE => return Err(raw.error("an address that says its range is not supported")),
            code => return Err(raw.error(format!("constant record {code} is not supported"))),
        };
        self.measure_constant(raw, value)?;
        Ok(value)
    }

    fn wide(&mut self, ty: TypeId, bits: u32, ops: &[u64]) -> Value {
        let mut words: Vec<u64> = ops.iter().map(|&op| signed(op) as u64).collect();
        words.resize((bits as usize).div_ceil(64), 0);
        if let (Some(top), 1..) = (words.last_mut(), bits % 64) {
            *top &= (1 << (bits % 64)) - 1;
        }
        match words.as_slice() {
            words if words.iter().all(|&w| w == 0) => self.m.null(ty),
            &[word] => self.m.int(ty, word as i64),
            words => self.m.raw_constant(ty, Const::Wide(words)),
        }
    }

    /// Element type and number of elements of an array or vector.
    fn elements_of(&self, ty: TypeId) -> Option<(TypeId, u32)> {
        match self.m.types().get(ty) {
            Type::Array { elem, len } | Type::Vector { elem, len } => Some((elem, len)),
            _ => None,
        }
    }

    fn elements(&mut self, raw: &Raw, ops: &[u64]) -> Result<Value, ReadError> {
        let Some((elem, len)) = self.elements_of(raw.ty) else {
            return Err(raw.error("elements of a type that has none"));
        };
        let bits = match self.m.types().vector_len(elem) {
            Some(_) => 0,
            None => self.m.types().bits(elem),
        };
        if !matches!(bits, 8 | 16 | 32 | 64) || len as usize != ops.len() {
            return Err(raw.error(format!("{} elements for an array or vector of {len}", ops.len())));
        }
        let mask = u64::MAX >> (64 - bits);
        let elements: SmallVec<[u64; 16]> = ops.iter().map(|&op| op & mask).collect();
        Ok(self.m.data(raw.ty, &elements))
    }

    fn part(&self, raw: &Raw, number: Option<&u64>) -> Result<Value, ReadError> {
        let number = number.copied().ok_or_else(|| raw.error("a constant without one of its parts"))?;
        let record = Record { offset: raw.offset, ..Record::default() };
        self.module_value(&record, number)
    }

    fn aggregate(&mut self, raw: &Raw, ops: &[u64]) -> Result<Value, ReadError> {
        let (types, ty) = (self.m.types(), raw.ty);
        let len = match types.get(ty) {
            Type::Struct { fields, .. } | Type::Named { fields, .. } => fields.len(),
            Type::Array { len, .. } | Type::Vector { len, .. } => len as usize,
            _ => return Err(raw.error("parts of a type that has none")),
        };
        if len != ops.len() {
            return Err(raw.error(format!("{} parts for a type of {len}", ops.len())));
        }
        let mut parts: Vec<Value> = Vec::with_capacity(len);
        for (number, at) in ops.iter().zip(0..) {
            let part = self.part(raw, Some(number))?;
            if types.member(ty, at) != Some(self.m.module_type(part)) {
                return Err(raw.error(format!("part {at} of a constant is not of its type")));
            }
            parts.push(part);
        }
        // Arrays and vectors of plain numbers are data, as in LLVM.
        if let Some((elem, _)) = self.elements_of(ty)
            && matches!(self.m.types().bits(elem), 8 | 16 | 32 | 64)
            && self.m.types().vector_len(elem).is_none()
        {
            let bits = self.m.types().bits(elem);
            let mask = u64::MAX >> (64 - bits);
            let number = |&part: &Value| match self.m.constant(part)? {
                Const::Null => Some(0),
                Const::Int(value) => Some(value as u64 & mask),
                Const::Float(bits) => Some(bits),
                _ => None,
            };
            if let Some(numbers) = parts.iter().map(number).collect::<Option<Vec<u64>>>() {
                return Ok(self.m.data(ty, &numbers));
            }
        }
        Ok(self.m.aggregate(ty, &parts))
    }

    fn cast_constant(&mut self, raw: &Raw, ops: &[u64]) -> Result<Value, ReadError> {
        let op = ops.first().and_then(|&op| CastOp::ALL.get(usize::try_from(op).ok()?)).copied();
        let op = op.ok_or_else(|| raw.error("a cast of an unknown kind"))?;
        let value = self.part(raw, ops.get(2))?;
        Ok(self.m.const_cast(op, value, raw.ty))
    }

    fn binary_constant(&mut self, raw: &Raw, ops: &[u64]) -> Result<Value, ReadError> {
        let fp = self.m.types().is_fp(raw.ty);
        let op = ops.first().and_then(|&op| BinOp::from_code(op, fp));
        let op = op.ok_or_else(|| raw.error("an operation of an unknown kind"))?;
        let operands = [self.part(raw, ops.get(1))?, self.part(raw, ops.get(2))?];
        if operands.iter().any(|&v| self.m.module_type(v) != raw.ty) {
            return Err(raw.error("an operation on values of another type"));
        }
        let flags = if fp { 0 } else { ops.get(3).copied().unwrap_or(0) as u8 & 3 };
        Ok(self.m.raw_constant(raw.ty, Const::Binary(op, flags, &operands)))
    }

    fn gep_constant(&mut self, raw: &Raw, ops: &[u64]) -> Result<Value, ReadError> {
        // An odd number of operands starts with the type that is stepped through.
        let pairs = &ops[ops.len() % 2..];
        let numbers = pairs.iter().skip(1).step_by(2);
        let operands: Vec<Value> = numbers.map(|n| self.part(raw, Some(n))).collect::<Result<_, _>>()?;
        let Some((&pointer, indices)) = operands.split_first() else {
            return Err(raw.error("an address of nothing"));
        };
        let ty = self.gep_result(self.m.module_type(pointer), indices);
        self.type_sizes_follow();
        if ty != Some(raw.ty) {
            return Err(raw.error("an address whose indices do not fit its type"));
        }
        let inbounds = raw.code == constant::CE_INBOUNDS_GEP;
        let constant = if inbounds { Const::Gep(&operands) } else { Const::PlainGep(&operands) };
        Ok(self.m.raw_constant(raw.ty, constant))
    }

    /// Type of an address by its indices, or `None` if they do not fit.
    pub(super) fn gep_result(&mut self, pointer: TypeId, indices: &[Value]) -> Option<TypeId> {
        let Type::Pointer { pointee, space } = self.m.types().get(pointer) else { return None };
        let mut ty = pointee;
        for &index in indices.get(1..)? {
            ty = match self.m.types().get(ty) {
                Type::Array { elem, .. } | Type::Vector { elem, .. } => elem,
                _ => self.m.types().member(ty, u32::try_from(self.m.int_value(index)?).ok()?)?,
            };
        }
        Some(self.m.pointer(ty, space))
    }

    /// Rejects constants whose text is too long or that are nested too deeply.
    fn measure_constant(&mut self, raw: &Raw, value: Value) -> Result<(), ReadError> {
        let ValueKind::Const(index) = value.kind() else { return Ok(()) };
        // Constants that the module creates as parts of others are small.
        self.constant_sizes.resize(self.m.constants().len(), Size { text: 1, depth: 1 });
        let of = |&part: &Value| match part.kind() {
            ValueKind::Const(part) => self.constant_sizes.get(part as usize).copied().unwrap_or_default(),
            _ => Size { text: 1, depth: 1 },
        };
        let mut size = match self.m.constants().get(index) {
            Const::Aggregate(parts)
            | Const::Gep(parts)
            | Const::PlainGep(parts)
            | Const::Binary(_, _, parts) => Size::around(parts.iter().map(of)),
            Const::Cast(_, part) => Size::around([of(&part)]),
            Const::Data(elements) => Size { text: elements.len() as u64, depth: 1 },
            _ => Size { text: 1, depth: 1 },
        };
        size.text = size.text.saturating_add(self.type_size(raw.ty).text / 4);
        if size.text > 4096 + self.size as u64 || size.depth > MAX_DEPTH {
            return Err(raw.error("a constant of too many parts"));
        }
        self.constant_sizes[index as usize] = size;
        Ok(())
    }
}

/// The constants that a record refers to, by index.
fn parts(raw: &Raw, ops: &[u64]) -> Result<SmallVec<[u64; 8]>, ReadError> {
    Ok(match raw.code {
        constant::AGGREGATE => ops.into(),
        constant::CE_CAST => ops.iter().skip(2).take(1).copied().collect(),
        constant::CE_BINOP => ops.iter().skip(1).take(2).copied().collect(),
        constant::CE_GEP | constant::CE_INBOUNDS_GEP => {
            ops[ops.len() % 2..].iter().skip(1).step_by(2).copied().collect()
        }
        _ => SmallVec::new(),
    })
}
