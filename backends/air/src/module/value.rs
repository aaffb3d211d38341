//! Values and constants.

use super::intern::{Index, hash_of};
use super::types::TypeId;

/// A value: a function's argument, an instruction's result, a constant, a global variable or a function.
///
/// Arguments and results are numbered in their own function; the other three belong to the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);

/// What a [`Value`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueKind {
    /// Result of an instruction of the current function.
    Inst(u32),
    /// Argument of the current function.
    Arg(u32),
    /// Constant of the module.
    Const(u32),
    /// Global variable of the module.
    Global(u32),
    /// Function of the module.
    Function(u32),
}

const TAG_SHIFT: u32 = 29;
const INDEX_MASK: u32 = (1 << TAG_SHIFT) - 1;

impl Value {
    pub(crate) fn new(kind: ValueKind) -> Value {
        let (tag, index) = match kind {
            ValueKind::Inst(i) => (0, i),
            ValueKind::Arg(i) => (1, i),
            ValueKind::Const(i) => (2, i),
            ValueKind::Global(i) => (3, i),
            ValueKind::Function(i) => (4, i),
        };
        Value(tag << TAG_SHIFT | (index & INDEX_MASK))
    }

    /// Argument `index` of the current function.
    pub fn arg(index: u32) -> Value {
        Value::new(ValueKind::Arg(index))
    }

    /// What this value stands for.
    pub fn kind(self) -> ValueKind {
        let index = self.0 & INDEX_MASK;
        match self.0 >> TAG_SHIFT {
            0 => ValueKind::Inst(index),
            1 => ValueKind::Arg(index),
            2 => ValueKind::Const(index),
            3 => ValueKind::Global(index),
            _ => ValueKind::Function(index),
        }
    }

    /// Whether this is a constant, a global variable or a function.
    pub fn is_module_level(self) -> bool {
        self.0 >> TAG_SHIFT >= 2
    }

    pub(crate) fn raw(self) -> u32 {
        self.0
    }

    pub(crate) fn from_raw(raw: u32) -> Value {
        Value(raw)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

/// Cast operations, of instructions and of constant expressions; the number is the bitcode opcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // named like LLVM's instructions
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

impl CastOp {
    /// All of them in the order of their bitcode numbers.
    pub const ALL: [CastOp; 13] = [
        CastOp::Trunc,
        CastOp::ZExt,
        CastOp::SExt,
        CastOp::FpToUi,
        CastOp::FpToSi,
        CastOp::UiToFp,
        CastOp::SiToFp,
        CastOp::FpTrunc,
        CastOp::FpExt,
        CastOp::PtrToInt,
        CastOp::IntToPtr,
        CastOp::BitCast,
        CastOp::AddrSpaceCast,
    ];

    /// LLVM's keyword.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 13] = [
            "trunc",
            "zext",
            "sext",
            "fptoui",
            "fptosi",
            "uitofp",
            "sitofp",
            "fptrunc",
            "fpext",
            "ptrtoint",
            "inttoptr",
            "bitcast",
            "addrspacecast",
        ];
        NAMES[self as usize]
    }
}

/// What a constant is. Zero of any type is `Null`, an integer or float zero included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Const<'a> {
    /// Zero, null pointer or `zeroinitializer`.
    Null,
    /// `undef`
    Undef,
    /// `poison`; the validator refuses it.
    Poison,
    /// Integer, sign-extended from its width (so `i1 true` is -1).
    Int(i64),
    /// Float by the bits of its own format.
    Float(u64),
    /// Struct, array or vector of constants.
    Aggregate(&'a [Value]),
    /// Array or vector of plain numbers, by their bits.
    Data(&'a [u64]),
    /// Constant expression: cast.
    Cast(CastOp, Value),
    /// Constant expression: `getelementptr inbounds`; the pointer, then the indices.
    Gep(&'a [Value]),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Null,
    Undef,
    Poison,
    Int,
    Float,
    Aggregate,
    Data,
    Cast(CastOp),
    Gep,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Entry {
    kind: Kind,
    ty: TypeId,
    /// Bits of a number, raw operand of a cast, or `start << 32 | len` of a list.
    payload: u64,
}

/// Table of the interned constants. A constant's operands always come before it.
#[derive(Clone, Debug)]
pub struct Constants {
    entries: Vec<Entry>,
    values: Vec<Value>,
    data: Vec<u64>,
    index: Index,
}

impl Constants {
    pub(crate) fn new() -> Self {
        Constants {
            entries: Vec::with_capacity(64),
            values: Vec::with_capacity(32),
            data: Vec::with_capacity(64),
            index: Index::with_capacity(64),
        }
    }

    /// Number of constants.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no constant.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Type of constant `index`.
    pub fn ty(&self, index: u32) -> TypeId {
        self.entries.get(index as usize).map_or(TypeId::VOID, |e| e.ty)
    }

    /// Constant `index`.
    pub fn get(&self, index: u32) -> Const<'_> {
        let Some(entry) = self.entries.get(index as usize) else { return Const::Undef };
        let (start, len) = ((entry.payload >> 32) as usize, entry.payload as u32 as usize);
        match entry.kind {
            Kind::Null => Const::Null,
            Kind::Undef => Const::Undef,
            Kind::Poison => Const::Poison,
            Kind::Int => Const::Int(entry.payload as i64),
            Kind::Float => Const::Float(entry.payload),
            Kind::Aggregate => Const::Aggregate(&self.values[start..start + len]),
            Kind::Gep => Const::Gep(&self.values[start..start + len]),
            Kind::Data => Const::Data(&self.data[start..start + len]),
            Kind::Cast(op) => Const::Cast(op, Value(entry.payload as u32)),
        }
    }

    /// Interns a constant.
    pub(crate) fn intern(&mut self, ty: TypeId, constant: Const<'_>) -> Value {
        let (kind, payload) = match constant {
            Const::Null => (Kind::Null, 0),
            Const::Undef => (Kind::Undef, 0),
            Const::Poison => (Kind::Poison, 0),
            Const::Int(0) | Const::Float(0) => (Kind::Null, 0),
            Const::Int(bits) => (Kind::Int, bits as u64),
            Const::Float(bits) => (Kind::Float, bits),
            Const::Cast(op, value) => (Kind::Cast(op), u64::from(value.0)),
            Const::Aggregate(list) => return self.intern_values(Kind::Aggregate, ty, list),
            Const::Gep(list) => return self.intern_values(Kind::Gep, ty, list),
            Const::Data(list) => return self.intern_data(ty, list),
        };
        let entry = Entry { kind, ty, payload };
        let hash = hash_of(&entry);
        match self.index.find(hash, |p| self.entries[p as usize] == entry) {
            Some(found) => Value::new(ValueKind::Const(found)),
            None => self.add(hash, entry),
        }
    }

    fn intern_values(&mut self, kind: Kind, ty: TypeId, list: &[Value]) -> Value {
        let hash = hash_of(&(ty, kind, list));
        let found = self.index.find(hash, |p| {
            let e = &self.entries[p as usize];
            e.ty == ty
                && e.kind == kind
                && self.values[(e.payload >> 32) as usize..][..e.payload as u32 as usize] == *list
        });
        if let Some(found) = found {
            return Value::new(ValueKind::Const(found));
        }
        let payload = (self.values.len() as u64) << 32 | list.len() as u64;
        self.values.extend_from_slice(list);
        self.add(hash, Entry { kind, ty, payload })
    }

    fn intern_data(&mut self, ty: TypeId, list: &[u64]) -> Value {
        let hash = hash_of(&(ty, Kind::Data, list));
        let found = self.index.find(hash, |p| {
            let e = &self.entries[p as usize];
            e.ty == ty
                && e.kind == Kind::Data
                && self.data[(e.payload >> 32) as usize..][..e.payload as u32 as usize] == *list
        });
        if let Some(found) = found {
            return Value::new(ValueKind::Const(found));
        }
        let payload = (self.data.len() as u64) << 32 | list.len() as u64;
        self.data.extend_from_slice(list);
        self.add(hash, Entry { kind: Kind::Data, ty, payload })
    }

    fn add(&mut self, hash: u32, entry: Entry) -> Value {
        let id = self.entries.len() as u32;
        self.entries.push(entry);
        self.index.insert(hash, id);
        Value::new(ValueKind::Const(id))
    }
}
