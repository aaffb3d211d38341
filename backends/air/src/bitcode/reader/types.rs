//! The type table.
//!
//! Files may number types in any order and a struct may point to itself; the module requires the element types first.
//! So the records are collected, then built depth first.

use super::super::codes::ty;
use super::bits::{Block, Item, Record, SubBlock};
use super::{ReadError, Reader, rejection};
use crate::module::{Str, Type, TypeId};

/// The size of the text of a type or constant, and its nesting depth. A few bytes can describe a type whose text would
/// fill the memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) text: u64,
    pub(super) depth: u32,
}

impl Size {
    /// Of something that contains others.
    pub(super) fn around(parts: impl IntoIterator<Item = Size>) -> Size {
        parts.into_iter().fold(Size { text: 1, depth: 1 }, |all, part| Size {
            text: all.text.saturating_add(part.text),
            depth: all.depth.max(part.depth.saturating_add(1)),
        })
    }
}

/// Bounds of [`Size`] for types.
const MAX_TEXT: u64 = 1 << 14;
pub(super) const MAX_DEPTH: u32 = 64;

/// A record of the table.
struct Raw {
    code: u32,
    ops: Vec<u64>,
    /// Name of a struct.
    name: Option<Str>,
    offset: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    Open,
    /// A struct that was needed before its own parts were known.
    Declared(TypeId),
    Done(TypeId),
}

impl<'a> Reader<'a> {
    pub(super) fn read_types(&mut self, block: &SubBlock<'a>) -> Result<(), ReadError> {
        let raw = self.collect_types(block)?;
        let mut states = vec![State::Waiting; raw.len()];
        // The type, and how many of its parts have been seen to.
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for root in 0..raw.len() {
            if states[root] == State::Waiting {
                states[root] = State::Open;
                stack.push((root, 0));
            }
            while let Some(&(at, next)) = stack.last() {
                let parts = raw[at].parts();
                let Some(&part) = parts.get(next) else {
                    let id = self.make_type(&raw[at], &states, states[at])?;
                    states[at] = State::Done(id);
                    stack.pop();
                    continue;
                };
                stack.last_mut().expect("just seen").1 += 1;
                let part = usize::try_from(part).ok().filter(|&p| p < raw.len()).ok_or_else(|| {
                    raw[at].error(format!("type {part} does not exist, there are {}", raw.len()))
                })?;
                match states[part] {
                    State::Waiting => {
                        states[part] = State::Open;
                        stack.push((part, 0));
                    }
                    State::Open => {
                        // From the struct on there must be a pointer, else it would contain itself.
                        let from = stack.iter().position(|s| s.0 == part).unwrap_or(0);
                        let by_pointer = stack[from..].iter().any(|s| raw[s.0].code == ty::POINTER);
                        match raw[part].name {
                            Some(name) if raw[part].code == ty::STRUCT_NAMED && by_pointer => {
                                let id = self.m.declare_struct(name);
                                self.type_sizes
                                    .resize(self.m.types().all().len(), Size { text: 1, depth: 1 });
                                states[part] = State::Declared(id);
                            }
                            _ => return Err(raw[at].error(format!("type {part} contains itself"))),
                        }
                    }
                    State::Declared(_) | State::Done(_) => {}
                }
            }
        }
        self.types =
            states.iter().map(|s| if let State::Done(id) = *s { id } else { TypeId::VOID }).collect();
        Ok(())
    }

    fn collect_types(&mut self, block: &SubBlock<'a>) -> Result<Vec<Raw>, ReadError> {
        let mut block = Block::open(block, &self.info);
        let mut record = Record::default();
        let mut raw = Vec::new();
        let mut name: Option<Str> = None;
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok(raw),
                Item::Block(_) => {}
                Item::Record => match record.code {
                    ty::NUMENTRY => {}
                    ty::STRUCT_NAME => {
                        let text = record.text(0, "the name of a struct")?;
                        name = Some(self.m.str(&text));
                    }
                    code => {
                        let name = match code {
                            ty::STRUCT_NAMED | ty::OPAQUE => {
                                Some(name.take().unwrap_or_else(|| self.m.str("")))
                            }
                            _ => None,
                        };
                        let item = Raw { code, ops: record.ops.clone(), name, offset: record.offset };
                        item.check(&record)?;
                        raw.push(item);
                    }
                },
            }
        }
    }

    /// Creates a type whose parts exist already.
    fn make_type(&mut self, raw: &Raw, states: &[State], own: State) -> Result<TypeId, ReadError> {
        let part = |number: &u64| match states.get(*number as usize) {
            Some(State::Done(id) | State::Declared(id)) => *id,
            _ => TypeId::VOID,
        };
        let op = |at: usize| raw.ops.get(at).copied().unwrap_or(0);
        let len = |at: usize| {
            u32::try_from(op(at)).map_err(|_| raw.error(format!("{} elements are too many", op(at))))
        };
        let parts: Vec<TypeId> = raw.parts().iter().map(part).collect();
        let first = parts.first().copied().unwrap_or(TypeId::VOID);
        let packed = op(0) != 0;
        let id = match raw.code {
            ty::VOID => TypeId::VOID,
            ty::LABEL => TypeId::LABEL,
            ty::METADATA => TypeId::METADATA,
            ty::HALF => TypeId::HALF,
            ty::BFLOAT => self.m.bfloat_type(),
            ty::FLOAT => TypeId::FLOAT,
            ty::DOUBLE => self.m.double_type(),
            ty::INTEGER => match u32::try_from(op(0)) {
                Ok(bits @ 1..=MAX_INT) => self.m.int_type(bits),
                _ => return Err(raw.error(format!("an integer of {} bits", op(0)))),
            },
            ty::POINTER => {
                let space = u32::try_from(op(1)).ok().filter(|s| *s < 1 << 24);
                let space = space.ok_or_else(|| raw.error(format!("address space {}", op(1))))?;
                self.m.pointer(first, space)
            }
            ty::ARRAY => self.m.array(first, len(0)?),
            ty::VECTOR => self.m.vector(first, len(0)?),
            ty::STRUCT_ANON => self.m.structure(&parts, packed),
            ty::STRUCT_NAMED => match (own, raw.name) {
                (State::Declared(id), _) => {
                    self.m.set_struct_body(id, &parts, packed);
                    id
                }
                (_, Some(name)) => self.m.struct_named(name, &parts, packed),
                _ => TypeId::VOID,
            },
            ty::OPAQUE => {
                let name = raw.name.map(|n| self.m.text(n).to_owned()).unwrap_or_default();
                self.m.opaque(&name)
            }
            ty::FUNCTION if op(0) != 0 => self.m.var_function_type(first, &parts[1..]),
            ty::FUNCTION => self.m.function_type(first, &parts[1..]),
            OPAQUE_POINTER => {
                return Err(raw.error(rejection::OPAQUE_POINTER));
            }
            code => return Err(raw.error(format!("type record {code} has no meaning in AIR"))),
        };
        self.measure_type(raw, id)?;
        Ok(id)
    }

    /// Rejects types with an unsized element and types whose text is too long.
    fn measure_type(&mut self, raw: &Raw, id: TypeId) -> Result<(), ReadError> {
        self.type_sizes.resize(self.m.types().all().len(), Size { text: 1, depth: 1 });
        let types = self.m.types();
        let unsized_part = |ty: TypeId| {
            matches!(
                types.get(ty),
                Type::Void | Type::Label | Type::Function { .. } | Type::VarFunction { .. }
            )
        };
        let size_of = |ty: TypeId| self.type_sizes.get(ty.index()).copied().unwrap_or_default();
        let size = match types.get(id) {
            // By name.
            Type::Named { fields, .. } => {
                let deepest = types.list(fields).iter().map(|&f| size_of(f).depth).max().unwrap_or(0);
                if types.list(fields).iter().any(|&f| unsized_part(f)) {
                    return Err(raw.error("a struct with a member that has no size"));
                }
                Size { text: 1, depth: deepest + 1 }
            }
            Type::Struct { fields, .. } => {
                if types.list(fields).iter().any(|&f| unsized_part(f)) {
                    return Err(raw.error("a struct with a member that has no size"));
                }
                Size::around(types.list(fields).iter().map(|&f| size_of(f)))
            }
            Type::Array { elem, .. } if unsized_part(elem) => {
                return Err(raw.error("an array of elements that have no size"));
            }
            Type::Vector { elem, len }
                if len == 0
                    || !(types.is_pointer(elem)
                        || types.vector_len(elem).is_none() && types.bits(elem) > 0) =>
            {
                return Err(raw.error("a vector of elements that are no numbers or pointers"));
            }
            Type::Array { elem, .. } | Type::Vector { elem, .. } => Size::around([size_of(elem)]),
            Type::Pointer { pointee, .. } => {
                if matches!(types.get(pointee), Type::Void | Type::Label | Type::Metadata) {
                    return Err(raw.error("a pointer to what has no place in memory"));
                }
                Size::around([size_of(pointee)])
            }
            Type::Function { ret, params } | Type::VarFunction { ret, params } => {
                let bad = |ty: TypeId| unsized_part(ty) && ty != TypeId::VOID;
                if types.list(params).iter().any(|&p| unsized_part(p)) || bad(ret) {
                    return Err(raw.error("a parameter type that values cannot have"));
                }
                Size::around(types.list(params).iter().chain([&ret]).map(|&ty| size_of(ty)))
            }
            _ => Size { text: 1, depth: 1 },
        };
        if size.text > MAX_TEXT || size.depth > MAX_DEPTH {
            return Err(raw.error("a type of too many parts"));
        }
        self.type_sizes[id.index()] = size;
        Ok(())
    }

    pub(super) fn type_size(&self, ty: TypeId) -> Size {
        self.type_sizes.get(ty.index()).copied().unwrap_or(Size { text: 1, depth: 1 })
    }
}

/// LLVM's widest integer.
const MAX_INT: u32 = (1 << 24) - 1;
/// `ptr` of LLVM 15 and later.
const OPAQUE_POINTER: u32 = 25;

impl Raw {
    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { offset: self.offset, message: message.into() }
    }

    /// There are as many operands as the record needs.
    fn check(&self, record: &Record<'_>) -> Result<(), ReadError> {
        let needed = match self.code {
            ty::INTEGER | ty::POINTER | ty::STRUCT_ANON | ty::STRUCT_NAMED => 1,
            ty::ARRAY | ty::VECTOR | ty::FUNCTION => 2,
            _ => return Ok(()),
        };
        record.op(needed - 1).map(|_| ())
    }

    /// The types of its elements, by index.
    fn parts(&self) -> &[u64] {
        match self.code {
            ty::POINTER => &self.ops[..1],
            ty::ARRAY | ty::VECTOR => &self.ops[1..2],
            ty::STRUCT_ANON | ty::STRUCT_NAMED | ty::FUNCTION => &self.ops[1..],
            _ => &[],
        }
    }
}
