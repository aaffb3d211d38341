//! Values and constants.

use super::inst::BinOp;
use super::intern::{Index, hash_of};
use super::metadata::Md;
use super::types::TypeId;
use std::num::NonZeroU32;

/// A value: a function's argument, an instruction's result, a constant, a global variable or a function.
///
/// Arguments and results are numbered in their own function; the other three belong to the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(NonZeroU32);

/// Kind of a [`Value`].
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
    /// Metadata as an argument of a debug intrinsic, see [`Value::metadata`].
    Metadata(u32),
    /// A value of the current function as metadata: position in [`Body::locals`](super::Body::locals).
    Local(u32),
}

/// Tags start at one, so that an optional value takes no more room.
const TAG_SHIFT: u32 = 29;
const INDEX_MASK: u32 = (1 << TAG_SHIFT) - 1;

impl Value {
    pub(crate) fn new(kind: ValueKind) -> Value {
        let (tag, index) = match kind {
            ValueKind::Inst(i) => (1, i),
            ValueKind::Arg(i) => (2, i),
            ValueKind::Const(i) => (3, i),
            ValueKind::Global(i) => (4, i),
            ValueKind::Function(i) => (5, i),
            ValueKind::Metadata(i) => (6, i),
            ValueKind::Local(i) => (7, i),
        };
        Value::from_raw(tag << TAG_SHIFT | (index & INDEX_MASK))
    }

    /// Argument `index` of the current function.
    pub fn arg(index: u32) -> Value {
        Value::new(ValueKind::Arg(index))
    }

    /// Metadata as a value, which only calls of debug intrinsics take.
    pub fn metadata(md: Md) -> Value {
        Value::new(ValueKind::Metadata(md.squeezed()))
    }

    /// The metadata that this value wraps.
    pub fn as_metadata(self) -> Option<Md> {
        match self.kind() {
            ValueKind::Metadata(squeezed) => Some(Md::unsqueezed(squeezed)),
            _ => None,
        }
    }

    /// Kind of this value.
    #[inline]
    pub fn kind(self) -> ValueKind {
        let index = self.raw() & INDEX_MASK;
        match self.raw() >> TAG_SHIFT {
            1 => ValueKind::Inst(index),
            2 => ValueKind::Arg(index),
            3 => ValueKind::Const(index),
            4 => ValueKind::Global(index),
            5 => ValueKind::Function(index),
            6 => ValueKind::Metadata(index),
            _ => ValueKind::Local(index),
        }
    }

    /// Whether this is a constant, a global variable or a function.
    pub fn is_module_level(self) -> bool {
        matches!(self.raw() >> TAG_SHIFT, 3..=5)
    }

    #[inline]
    pub(crate) fn raw(self) -> u32 {
        self.0.get()
    }

    /// The inverse of [`Value::raw`].
    #[inline]
    pub(crate) fn from_raw(raw: u32) -> Value {
        Value(NonZeroU32::new(raw).unwrap_or(NonZeroU32::MAX))
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

/// Cast operations, of instructions and of constant expressions; the value is the bitcode opcode.
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

/// A constant. Zero of any type is `Null`, an integer or float zero included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Const<'a> {
    /// Zero, null pointer or `zeroinitializer`.
    Null,
    /// `undef`
    Undef,
    /// `poison`; the validator rejects it.
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
    /// Constant expression: `getelementptr` that may leave its object; the pointer, then the indices.
    PlainGep(&'a [Value]),
    /// Constant expression: an operation with its flags and two operands.
    Binary(BinOp, u8, &'a [Value]),
    /// Integer of more than 64 bits, the lowest first.
    Wide(&'a [u64]),
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
    PlainGep,
    Binary(BinOp, u8),
    Wide,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Entry {
    kind: Kind,
    ty: TypeId,
    /// Bits of a number, raw operand of a cast, or `start << 32 | len` of a list.
    payload: u64,
}

impl Entry {
    /// One multiplication, since constants are looked up for nearly every instruction.
    #[inline]
    fn hash(&self) -> u32 {
        let kind = match self.kind {
            Kind::Null => 0,
            Kind::Undef => 1,
            Kind::Poison => 2,
            Kind::Int => 3,
            Kind::Float => 4,
            Kind::Aggregate => 5,
            Kind::Data => 6,
            Kind::Gep => 7,
            Kind::Cast(op) => 8 + op as u64,
            Kind::PlainGep => 32,
            Kind::Wide => 33,
            Kind::Binary(op, flags) => 34 + op as u64 + (u64::from(flags) << 5),
        };
        let key = self.payload ^ (u64::from(self.ty.0) << 8 | kind).rotate_right(20);
        let product = u128::from(key) * 0x9e37_79b9_7f4a_7c15;
        ((product >> 64) as u64 ^ product as u64) as u32
    }
}

/// Table of the interned constants. A constant's operands always come before it.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    entries: Vec<Entry>,
    values: Vec<Value>,
    data: Vec<u64>,
    index: Index,
    /// The integers below [`SMALL`] of types `i32` and `i64`, which are common as indices; `u32::MAX` for those not
    /// created yet.
    small: [[u32; SMALL]; 2],
    /// `undef` of each type, `u32::MAX` where there is none.
    undefs: Vec<u32>,
}

/// Number of integers that are found without a look-up.
const SMALL: usize = 16;

impl Constants {
    pub(crate) fn new() -> Self {
        Constants {
            entries: Vec::with_capacity(64),
            values: Vec::with_capacity(32),
            data: Vec::with_capacity(64),
            index: Index::with_capacity(64),
            small: [[u32::MAX; SMALL]; 2],
            undefs: Vec::with_capacity(64),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.values.clear();
        self.data.clear();
        self.index.clear();
        self.small = [[u32::MAX; SMALL]; 2];
        self.undefs.clear();
    }

    /// Entries of the table, with their operands and bits.
    pub(crate) fn size(&self) -> usize {
        self.entries.len() + self.values.len() + self.data.len()
    }

    /// An integer of type `i32` or `i64`.
    #[inline]
    pub(crate) fn int(&mut self, ty: TypeId, value: i64) -> Value {
        let row = usize::from(ty == TypeId::I64);
        let known = usize::try_from(value).ok().and_then(|at| self.small[row].get(at)).copied();
        match known {
            Some(u32::MAX) => {
                let made = self.intern(ty, Const::Int(value));
                if let ValueKind::Const(id) = made.kind() {
                    self.small[row][value as usize] = id;
                }
                made
            }
            Some(id) => Value::new(ValueKind::Const(id)),
            None => self.intern(ty, Const::Int(value)),
        }
    }

    /// `undef` of a type.
    pub(crate) fn undef(&mut self, ty: TypeId) -> Value {
        if let Some(&id) = self.undefs.get(ty.index())
            && id != u32::MAX
        {
            return Value::new(ValueKind::Const(id));
        }
        let made = self.intern(ty, Const::Undef);
        if let ValueKind::Const(id) = made.kind() {
            if ty.index() >= self.undefs.len() {
                self.undefs.resize(ty.index() + 1, u32::MAX);
            }
            self.undefs[ty.index()] = id;
        }
        made
    }

    /// Number of constants.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the table has no constants.
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
            Kind::PlainGep => Const::PlainGep(&self.values[start..start + len]),
            Kind::Binary(op, flags) => Const::Binary(op, flags, &self.values[start..start + len]),
            Kind::Wide => Const::Wide(&self.data[start..start + len]),
            Kind::Data => Const::Data(&self.data[start..start + len]),
            Kind::Cast(op) => Const::Cast(op, Value::from_raw(entry.payload as u32)),
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
            Const::Cast(op, value) => (Kind::Cast(op), u64::from(value.raw())),
            Const::Aggregate(list) => return self.intern_values(Kind::Aggregate, ty, list),
            Const::Gep(list) => return self.intern_values(Kind::Gep, ty, list),
            Const::PlainGep(list) => return self.intern_values(Kind::PlainGep, ty, list),
            Const::Binary(op, flags, list) => return self.intern_values(Kind::Binary(op, flags), ty, list),
            Const::Data(list) => return self.intern_data(Kind::Data, ty, list),
            Const::Wide(list) => return self.intern_data(Kind::Wide, ty, list),
        };
        let entry = Entry { kind, ty, payload };
        let hash = entry.hash();
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

    fn intern_data(&mut self, kind: Kind, ty: TypeId, list: &[u64]) -> Value {
        let hash = hash_of(&(ty, kind, list));
        let found = self.index.find(hash, |p| {
            let e = &self.entries[p as usize];
            e.ty == ty
                && e.kind == kind
                && self.data[(e.payload >> 32) as usize..][..e.payload as u32 as usize] == *list
        });
        if let Some(found) = found {
            return Value::new(ValueKind::Const(found));
        }
        let payload = (self.data.len() as u64) << 32 | list.len() as u64;
        self.data.extend_from_slice(list);
        self.add(hash, Entry { kind, ty, payload })
    }

    fn add(&mut self, hash: u32, entry: Entry) -> Value {
        let id = self.entries.len() as u32;
        self.entries.push(entry);
        self.index.insert(hash, id);
        Value::new(ValueKind::Const(id))
    }
}
