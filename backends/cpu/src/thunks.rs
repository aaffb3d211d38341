//! A module of thunks that is linked to a shader's: between its calling convention and blocks of slots.
//!
//! For each declared function the module defines one that stores its arguments in a block on the stack and calls
//! [`CALL`] with the index of the function, the index of the call site, and the block; then it loads the results from
//! there. For the entry point it defines [`ENTRY`], which does the opposite. Pointers are `i8*` here: the linker casts
//! them.

use crate::shape::{Block, SLOT_ALIGN, Scalar, Slot, results_of, shape_of};
use airfoil_air::module::{Attr, DATA_LAYOUT};
use airfoil_air::module::{
    AttrIndex, AttrKind, AttrSet, Builder, CallOptions, CastOp, Linkage, Module, Type, TypeId, Value,
};

/// Where calls of declared functions arrive.
pub const CALL: &str = "airfoil.call";
/// The entry point, which takes its arguments from a block.
pub const ENTRY: &str = "airfoil.entry";

/// A thunk to be defined.
#[derive(Clone, Debug)]
pub struct Thunk {
    /// Name of the definition.
    pub name: String,
    /// Signature, in the shader's module.
    pub ty: TypeId,
    /// Index of the function.
    pub callee: u32,
    /// Index of the call site.
    pub site: u32,
}

/// Makes the module.
struct Maker<'m> {
    from: &'m Module,
    to: Module,
}

/// The thunks of a module, with that of the function `entry`.
pub fn module(from: &Module, entry: &str, thunks: &[Thunk]) -> Option<Module> {
    let mut to = Module::new("thunks", &from.triple);
    to.data_layout = DATA_LAYOUT.into();
    let mut maker = Maker { from, to };
    for thunk in thunks {
        maker.outward(thunk)?;
    }
    maker.inward(entry)?;
    Some(maker.to)
}

/// Result and parameters of a function type.
pub fn signature(m: &Module, ty: TypeId) -> Option<(TypeId, Vec<TypeId>)> {
    match m.types().get(ty) {
        Type::Function { ret, params } => Some((ret, m.types().list(params).to_vec())),
        _ => None,
    }
}

impl Maker<'_> {
    fn ty(&mut self, ty: TypeId) -> Option<TypeId> {
        Some(match self.from.types().get(ty) {
            Type::Void => TypeId::VOID,
            Type::Int(bits) => self.to.int_type(bits),
            Type::Half => TypeId::HALF,
            Type::Float => TypeId::FLOAT,
            Type::Pointer { space, .. } => self.to.pointer(TypeId::I8, space),
            Type::Vector { elem, len } => {
                let elem = self.ty(elem)?;
                self.to.vector(elem, len)
            }
            Type::Array { elem, len } => {
                let elem = self.ty(elem)?;
                self.to.array(elem, len)
            }
            Type::Struct { fields, packed } | Type::Named { fields, packed, .. } => {
                let fields: Vec<TypeId> = self.from.types().list(fields).to_vec();
                let fields: Vec<TypeId> = fields.into_iter().map(|f| self.ty(f)).collect::<Option<_>>()?;
                self.to.structure(&fields, packed)
            }
            _ => return None,
        })
    }

    fn types(&mut self, list: &[TypeId]) -> Option<Vec<TypeId>> {
        list.iter().map(|&ty| self.ty(ty)).collect()
    }

    fn outward(&mut self, thunk: &Thunk) -> Option<()> {
        let (ret, params) = signature(self.from, thunk.ty)?;
        let block = Block::of(self.from, &params, ret)?;
        let (ret, params) = (self.ty(ret)?, self.types(&params)?);
        let bytes = self.to.pointer(TypeId::I8, 0);
        let call = self.to.declare(CALL, TypeId::VOID, &[TypeId::I32, TypeId::I32, bytes], AttrSet::NONE);
        let function = self.to.define(&thunk.name, ret, &params, Linkage::External);
        let memory = self.to.array(TypeId::I8, block.size.max(1) as u32);
        let mut b = self.to.build(function);
        let start = b.block();
        b.start(start);
        let memory = b.alloca(memory, SLOT_ALIGN as u32);
        for (n, slot) in block.args.iter().enumerate() {
            let value = b.arg(n as u32);
            put(&mut b, memory, slot, value);
        }
        let first = address(&mut b, memory, 0, bytes);
        let numbers = [thunk.callee, thunk.site].map(|n| b.module.i32(n.cast_signed()));
        // The callee writes to this function's memory: no tail call.
        let options = CallOptions { tail: false, ..CallOptions::default() };
        b.call_with(call, &[numbers[0], numbers[1], first], options);
        let value = take_results(&mut b, memory, &block, ret);
        match value {
            Some(value) => b.ret(value),
            None => b.ret_void(),
        }
        b.finish();
        Some(())
    }

    fn inward(&mut self, entry: &str) -> Option<()> {
        let declared = self.from.function(self.from.symbol(entry)?)?;
        let (ret, params) = signature(self.from, declared.ty)?;
        let block = Block::of(self.from, &params, ret)?;
        let attrs = self.extensions(declared.attrs, params.len());
        let (own_ret, own_params) = (self.ty(ret)?, self.types(&params)?);
        let callee = self.to.declare(entry, own_ret, &own_params, attrs);
        let bytes = self.to.pointer(TypeId::I8, 0);
        let function = self.to.define(ENTRY, TypeId::VOID, &[bytes], Linkage::External);
        let mut b = self.to.build(function);
        let start = b.block();
        b.start(start);
        let memory = b.arg(0);
        let args: Vec<Value> =
            block.args.iter().zip(&own_params).map(|(slot, &ty)| take(&mut b, memory, slot, ty)).collect();
        let options = CallOptions { tail: false, attrs, ..CallOptions::default() };
        let result = b.call_with(callee, &args, options);
        let members = results_of(b.module, own_ret);
        for (n, slot) in block.rets.iter().enumerate() {
            let whole = members.len() == 1 && members[0] == own_ret;
            let value = if whole { result } else { b.extract_value(result, &[n as u32]) };
            put(&mut b, memory, slot, value);
        }
        b.ret_void();
        b.finish();
        Some(())
    }

    /// How small integers are extended is part of the calling convention.
    fn extensions(&mut self, attrs: AttrSet, params: usize) -> AttrSet {
        let known = self.from.attributes();
        let mut lists: Vec<(AttrIndex, Vec<Attr>)> = Vec::new();
        for n in 0..params as u32 {
            let Some(group) = known.group_of(attrs, AttrIndex::param(n)) else { continue };
            let (_, list) = known.group(group);
            let extends = |a: &Attr| matches!(a, Attr::Flag(AttrKind::ZERO_EXT | AttrKind::SIGN_EXT));
            let list: Vec<Attr> = list.iter().copied().filter(extends).collect();
            if !list.is_empty() {
                lists.push((AttrIndex::param(n), list));
            }
        }
        let lists: Vec<(AttrIndex, &[Attr])> = lists.iter().map(|(i, l)| (*i, l.as_slice())).collect();
        if lists.is_empty() { AttrSet::NONE } else { self.to.attr_set(&lists) }
    }
}

/// Address of a byte of the block, as a pointer of type `ty`.
fn address(b: &mut Builder<'_>, memory: Value, offset: usize, ty: TypeId) -> Value {
    let at = b.module.i64(offset as i64);
    let pointee = b.module.types().pointee(b.type_of(memory));
    let array = pointee.is_some_and(|p| matches!(b.module.types().get(p), Type::Array { .. }));
    let byte = if array {
        let zero = b.module.i64(0);
        b.gep(memory, &[zero, at])
    } else {
        b.gep(memory, &[at])
    };
    b.bitcast(byte, ty)
}

/// The type that a value has in memory: bits are bytes there.
fn stored(b: &mut Builder<'_>, slot: &Slot, ty: TypeId) -> TypeId {
    match (slot.shape.scalar, b.module.types().vector_len(ty)) {
        (Scalar::Int(1), None) => TypeId::I8,
        (Scalar::Int(1), Some(len)) => b.module.vector(TypeId::I8, len),
        _ => ty,
    }
}

fn put(b: &mut Builder<'_>, memory: Value, slot: &Slot, value: Value) {
    let ty = b.type_of(value);
    let wide = stored(b, slot, ty);
    let value = if wide == ty { value } else { b.zext(value, wide) };
    let pointer = b.module.pointer(wide, 0);
    let at = address(b, memory, slot.offset, pointer);
    b.store(value, at, SLOT_ALIGN as u32);
}

fn take(b: &mut Builder<'_>, memory: Value, slot: &Slot, ty: TypeId) -> Value {
    let wide = stored(b, slot, ty);
    let pointer = b.module.pointer(wide, 0);
    let at = address(b, memory, slot.offset, pointer);
    let value = b.load(at, SLOT_ALIGN as u32);
    if wide == ty { value } else { b.cast(CastOp::Trunc, value, ty) }
}

fn take_results(b: &mut Builder<'_>, memory: Value, block: &Block, ret: TypeId) -> Option<Value> {
    let members = results_of(b.module, ret);
    if let [only] = *members
        && only == ret
    {
        return Some(take(b, memory, &block.rets[0], ret));
    }
    if members.is_empty() {
        return None;
    }
    let mut value = b.module.undef(ret);
    for (n, (slot, ty)) in block.rets.iter().zip(members).enumerate() {
        let member = take(b, memory, slot, ty);
        value = b.insert_value(value, member, &[n as u32]);
    }
    Some(value)
}

/// Whether a type can be an argument or result of a thunk.
pub fn crosses(m: &Module, ty: TypeId) -> bool {
    signature(m, ty).is_some_and(|(ret, params)| {
        params.iter().all(|&p| shape_of(m, p).is_some())
            && results_of(m, ret).iter().all(|&r| shape_of(m, r).is_some())
    })
}
