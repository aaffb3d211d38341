//! The AIR module: the subset of LLVM IR (with typed pointers) that Metal's loaders accept.
//!
//! A module is written once, front to back: everything is appended to dense vectors and addressed by `u32`
//! handles; equal types, constants, strings, metadata and attributes are interned. Nothing is ever removed.
//!
//! ```
//! use airfoil_air::module::{FastMath, Linkage, Module, TypeId};
//! let mut m = Module::new("double", "air64-apple-macosx13.0.0");
//! let double = m.define("double", TypeId::FLOAT, &[TypeId::FLOAT], Linkage::External);
//! let mut b = m.build(double);
//! let entry = b.block();
//! b.start(entry);
//! let x = b.arg(0);
//! let sum = b.fadd(x, x, FastMath::FAST);
//! b.ret(sum);
//! b.finish();
//! ```

mod attributes;
mod builder;
mod inst;
mod intern;
mod metadata;
mod types;
mod value;

pub use attributes::{Attr, AttrIndex, AttrKind, AttrSet, Attributes};
pub use builder::{Builder, CallOptions};
pub use inst::{
    Attached, BinOp, Block, BlockId, Body, CALL_TAIL, FCmp, FastMath, ICmp, Inst, IntFlags, Location, Op,
};
pub(crate) use inst::{Flags, align_code};
pub use intern::Str;
pub use metadata::{Attachment, KIND_NAMES, Md, MdKind, Metadata, NamedMd};
pub(crate) use metadata::{di, di_references};
pub use types::{Type, TypeId, TypeList, Types};
pub use value::{CastOp, Const, Constants, Value, ValueKind};

use intern::Strings;
use std::borrow::Cow;

/// Data layout of every AIR module, from AIR 1.8 to 2.8.
pub const DATA_LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-\
v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-\
v512:512:512-v1024:1024:1024-n8:16:32";

/// Linkage of a function or global variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Linkage {
    /// Visible to the loader.
    #[default]
    External,
    /// Of this module only.
    Internal,
    /// Of this module only, without a symbol.
    Private,
    /// Concatenated by the linker: `llvm.global_ctors`.
    Appending,
    /// Another definition may take its place.
    WeakAny,
    /// An equal definition may take its place.
    WeakOdr,
    /// As `WeakAny`, and dropped if unused.
    LinkOnceAny,
    /// As `WeakOdr`, and dropped if unused.
    LinkOnceOdr,
    /// A declaration that need not be found.
    ExternWeak,
    /// A tentative definition.
    Common,
    /// A definition for optimisers only.
    AvailableExternally,
}

/// Who sees a symbol after linking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Default,
    /// This library only.
    Hidden,
    /// Everybody, but this library keeps its own.
    Protected,
}

/// Whether the address of a symbol matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnnamedAddr {
    /// It does.
    #[default]
    None,
    /// Not inside this module: `local_unnamed_addr`
    Local,
    /// Nowhere: `unnamed_addr`
    Global,
}

/// A global variable. Start from [`GlobalVar::new`] and change what differs.
#[derive(Clone, Copy, Debug)]
pub struct GlobalVar {
    /// Name.
    pub name: Str,
    /// Type of the contents.
    pub ty: TypeId,
    /// Address space.
    pub space: u32,
    /// Linkage.
    pub linkage: Linkage,
    /// Whether the address matters.
    pub unnamed_addr: UnnamedAddr,
    /// Whether it is read-only.
    pub constant: bool,
    /// Initial contents; none makes it a declaration.
    pub init: Option<Value>,
    /// Alignment in bytes, zero if not given.
    pub align: u32,
    /// Section.
    pub section: Option<Str>,
    /// Whether the loader may change the contents (function constants).
    pub externally_initialized: bool,
    /// Who sees it.
    pub visibility: Visibility,
    /// Whether an external symbol is promised to be in this library; those of the module alone always are.
    pub dso_local: bool,
}

impl GlobalVar {
    /// An `internal` variable of address space `space` with the contents `init`.
    pub fn new(name: Str, ty: TypeId, space: u32, init: Value) -> Self {
        GlobalVar {
            name,
            ty,
            space,
            linkage: Linkage::Internal,
            unnamed_addr: UnnamedAddr::None,
            constant: false,
            init: Some(init),
            align: 0,
            section: None,
            externally_initialized: false,
            visibility: Visibility::Default,
            dso_local: false,
        }
    }
}

/// A function: a declaration, or a definition once it has a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name.
    pub name: Str,
    /// Signature: a [`Type::Function`].
    pub ty: TypeId,
    /// Linkage.
    pub linkage: Linkage,
    /// Whether the address matters.
    pub unnamed_addr: UnnamedAddr,
    /// Attributes.
    pub attrs: AttrSet,
    /// Alignment in bytes, zero if not given.
    pub align: u32,
    /// Section.
    pub section: Option<Str>,
    /// Calling convention `fastcc`, which Apple gives helpers.
    pub fastcc: bool,
    /// Who sees it.
    pub visibility: Visibility,
    /// Whether an external symbol is promised to be in this library; those of the module alone always are.
    pub dso_local: bool,
    /// Body of a definition.
    pub body: Option<Body>,
    pub(crate) pointer: TypeId,
}

/// An AIR module.
#[derive(Clone, Debug)]
pub struct Module {
    /// `source_filename`
    pub source_filename: String,
    /// `target triple`
    pub triple: String,
    /// `target datalayout`; [`DATA_LAYOUT`] in every AIR module.
    pub data_layout: Cow<'static, str>,
    /// Whether single fast-math flags younger than LLVM 5 (`afn`, `reassoc`) are written, which they are only in a
    /// module that had them when it was read.
    pub young_flags: bool,
    types: Types,
    strings: Strings,
    constants: Constants,
    metadata: Metadata,
    attributes: Attributes,
    globals: Vec<(GlobalVar, TypeId)>,
    functions: Vec<Function>,
    /// Raw value of the symbol with each name, `u32::MAX` where there is none.
    symbols: Vec<u32>,
    /// Metadata of global variables and functions.
    symbol_attached: Vec<(Value, Attachment, Md)>,
}

impl Module {
    /// An empty module for a target triple.
    pub fn new(source_filename: &str, triple: &str) -> Self {
        Module {
            source_filename: source_filename.to_owned(),
            triple: triple.to_owned(),
            data_layout: Cow::Borrowed(DATA_LAYOUT),
            young_flags: false,
            types: Types::new(),
            strings: Strings::new(),
            constants: Constants::new(),
            metadata: Metadata::new(),
            attributes: Attributes::new(),
            globals: Vec::new(),
            functions: Vec::with_capacity(16),
            symbols: Vec::with_capacity(128),
            symbol_attached: Vec::new(),
        }
    }

    // ---- strings ----

    /// Interns a string.
    pub fn str(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    /// Text of a string.
    pub fn text(&self, id: Str) -> &str {
        self.strings.get(id)
    }

    // ---- types ----

    /// The type table.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// `iN`; the usual widths are constants of [`TypeId`].
    pub fn int_type(&mut self, bits: u32) -> TypeId {
        self.types.simple(Type::Int(bits))
    }

    /// `double`, which the validator refuses.
    pub fn double_type(&mut self) -> TypeId {
        self.types.simple(Type::Double)
    }

    /// `bfloat`, which the validator refuses.
    pub fn bfloat_type(&mut self) -> TypeId {
        self.types.simple(Type::BFloat)
    }

    /// Pointer to `pointee` in an address space.
    pub fn pointer(&mut self, pointee: TypeId, space: u32) -> TypeId {
        self.types.pointer(pointee, space)
    }

    /// `<len x elem>`
    pub fn vector(&mut self, elem: TypeId, len: u32) -> TypeId {
        self.types.vector(elem, len)
    }

    /// `[len x elem]`
    pub fn array(&mut self, elem: TypeId, len: u32) -> TypeId {
        self.types.simple(Type::Array { elem, len })
    }

    /// `{ fields }`, or `<{ fields }>` if packed.
    pub fn structure(&mut self, fields: &[TypeId], packed: bool) -> TypeId {
        self.types.structure(fields, packed)
    }

    /// `%name = type { fields }`. One name must keep one body (the validator checks it).
    pub fn named_struct(&mut self, name: &str, fields: &[TypeId], packed: bool) -> TypeId {
        let name = self.strings.intern(name);
        self.types.named(name, fields, packed)
    }

    /// The same by an interned name.
    pub(crate) fn struct_named(&mut self, name: Str, fields: &[TypeId], packed: bool) -> TypeId {
        self.types.named(name, fields, packed)
    }

    /// `%name = type opaque`
    pub fn opaque(&mut self, name: &str) -> TypeId {
        let name = self.strings.intern(name);
        self.types.simple(Type::Opaque { name })
    }

    /// Fast-math flags as they are written.
    pub(crate) fn written_flags(&self, flags: FastMath) -> FastMath {
        if self.young_flags { flags } else { flags.writable() }
    }

    /// Signature of a function with further arguments.
    pub fn var_function_type(&mut self, ret: TypeId, params: &[TypeId]) -> TypeId {
        self.types.var_function(ret, params)
    }

    /// A struct whose body follows by [`Module::set_struct_body`], for one that points to itself.
    pub(crate) fn declare_struct(&mut self, name: Str) -> TypeId {
        self.types.declare_named(name)
    }

    pub(crate) fn set_struct_body(&mut self, id: TypeId, fields: &[TypeId], packed: bool) {
        self.types.set_body(id, fields, packed);
    }

    /// Interns a constant as it is.
    pub(crate) fn raw_constant(&mut self, ty: TypeId, constant: Const<'_>) -> Value {
        self.constants.intern(ty, constant)
    }

    /// The metadata tables, to fill in what was read.
    pub(crate) fn metadata_mut(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    /// A global variable, to change it.
    pub(crate) fn global_mut(&mut self, index: u32) -> Option<&mut GlobalVar> {
        self.globals.get_mut(index as usize).map(|g| &mut g.0)
    }

    /// Gives a function its body.
    pub(crate) fn set_body(&mut self, function: u32, body: Body) {
        if let Some(function) = self.functions.get_mut(function as usize) {
            function.body = Some(body);
        }
    }

    /// Function signature.
    pub fn function_type(&mut self, ret: TypeId, params: &[TypeId]) -> TypeId {
        self.types.function(ret, params)
    }

    // ---- constants ----

    /// The constant table.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The constant of a value.
    pub fn constant(&self, value: Value) -> Option<Const<'_>> {
        match value.kind() {
            ValueKind::Const(index) => Some(self.constants.get(index)),
            _ => None,
        }
    }

    /// Zero, null pointer or `zeroinitializer`.
    pub fn null(&mut self, ty: TypeId) -> Value {
        self.constants.intern(ty, Const::Null)
    }

    /// `undef`
    pub fn undef(&mut self, ty: TypeId) -> Value {
        self.constants.undef(ty)
    }

    /// `poison`, which the validator refuses.
    pub fn poison(&mut self, ty: TypeId) -> Value {
        self.constants.intern(ty, Const::Poison)
    }

    /// Integer; bits above the width of `ty` are dropped.
    pub fn int(&mut self, ty: TypeId, value: i64) -> Value {
        let bits = self.types.bits(ty).clamp(1, 64);
        let value = value << (64 - bits) >> (64 - bits);
        self.constants.intern(ty, Const::Int(value))
    }

    /// `i32`
    pub fn i32(&mut self, value: i32) -> Value {
        self.constants.int(TypeId::I32, i64::from(value))
    }

    /// `i64`
    pub fn i64(&mut self, value: i64) -> Value {
        self.constants.int(TypeId::I64, value)
    }

    /// `i1`
    pub fn bool(&mut self, value: bool) -> Value {
        self.constants.intern(TypeId::I1, Const::Int(-i64::from(value)))
    }

    /// Float of type `ty` by the bits of its format.
    pub fn float_bits(&mut self, ty: TypeId, bits: u64) -> Value {
        self.constants.intern(ty, Const::Float(bits))
    }

    /// `float`
    pub fn float(&mut self, value: f32) -> Value {
        self.constants.intern(TypeId::FLOAT, Const::Float(u64::from(value.to_bits())))
    }

    /// Array or vector of plain numbers by their bits (integers of any signedness, floats by their format).
    pub fn data(&mut self, ty: TypeId, elements: &[u64]) -> Value {
        if elements.iter().all(|&e| e == 0) {
            return self.null(ty);
        }
        let elem = self.types.member(ty, 0).unwrap_or(TypeId::VOID);
        // LLVM keeps plain data only of these widths.
        if !matches!(self.types.bits(elem), 8 | 16 | 32 | 64) {
            let values: Vec<Value> = elements.iter().map(|&e| self.int(elem, e as i64)).collect();
            return self.aggregate(ty, &values);
        }
        self.constants.intern(ty, Const::Data(elements))
    }

    /// Struct, array or vector of constants.
    pub fn aggregate(&mut self, ty: TypeId, elements: &[Value]) -> Value {
        let all = |m: &Module, kind: Const<'_>| elements.iter().all(|&e| m.constant(e) == Some(kind));
        if all(self, Const::Null) {
            return self.null(ty);
        }
        if all(self, Const::Undef) {
            return self.undef(ty);
        }
        self.constants.intern(ty, Const::Aggregate(elements))
    }

    /// The same constant in every component of vector type `ty`.
    pub fn splat(&mut self, ty: TypeId, element: Value) -> Value {
        let len = self.types.vector_len(ty).unwrap_or(0) as usize;
        let short = [element; 16];
        match short.get(..len) {
            Some(elements) => self.aggregate(ty, elements),
            None => self.aggregate(ty, &vec![element; len]),
        }
    }

    /// Constant expression: a cast of a constant.
    pub fn const_cast(&mut self, op: CastOp, value: Value, ty: TypeId) -> Value {
        self.constants.intern(ty, Const::Cast(op, value))
    }

    /// Constant expression: address of a part of a global variable.
    pub fn const_gep(&mut self, pointer: Value, indices: &[Value]) -> Value {
        let ty = self.gep_type(self.module_type(pointer), indices);
        let mut list = Vec::with_capacity(indices.len() + 1);
        list.push(pointer);
        list.extend_from_slice(indices);
        self.constants.intern(ty, Const::Gep(&list))
    }

    /// Value of an integer constant.
    pub fn int_value(&self, value: Value) -> Option<i64> {
        match self.constant(value)? {
            Const::Int(v) => Some(v),
            Const::Null if self.types.is_int(self.module_type(value)) => Some(0),
            _ => None,
        }
    }

    /// Type of `getelementptr` from a pointer type; the pointer's own type if the indices do not fit.
    pub(crate) fn gep_type(&mut self, pointer: TypeId, indices: &[Value]) -> TypeId {
        let Type::Pointer { pointee, space } = self.types.get(pointer) else { return pointer };
        let mut ty = pointee;
        for &index in indices.iter().skip(1) {
            let member = match self.types.get(ty) {
                Type::Array { elem, .. } | Type::Vector { elem, .. } => Some(elem),
                _ => self
                    .int_value(index)
                    .and_then(|i| u32::try_from(i).ok())
                    .and_then(|i| self.types.member(ty, i)),
            };
            match member {
                Some(member) => ty = member,
                None => return pointer,
            }
        }
        self.types.pointer(ty, space)
    }

    // ---- symbols ----

    /// Type of a constant, global variable or function (`void` for a value of a function body).
    pub fn module_type(&self, value: Value) -> TypeId {
        match value.kind() {
            ValueKind::Const(i) => self.constants.ty(i),
            ValueKind::Global(i) => self.globals.get(i as usize).map_or(TypeId::VOID, |g| g.1),
            ValueKind::Function(i) => self.functions.get(i as usize).map_or(TypeId::VOID, |f| f.pointer),
            ValueKind::Metadata(_) | ValueKind::Local(_) => TypeId::METADATA,
            _ => TypeId::VOID,
        }
    }

    /// The global variable or function with this name.
    pub fn symbol(&self, name: &str) -> Option<Value> {
        self.symbol_named(self.strings.find(name)?)
    }

    fn symbol_named(&self, name: Str) -> Option<Value> {
        self.symbols.get(name.0 as usize).copied().filter(|&raw| raw != u32::MAX).map(Value::from_raw)
    }

    fn set_symbol(&mut self, name: Str, value: Value) {
        let at = name.0 as usize;
        if at >= self.symbols.len() {
            self.symbols.resize(at + 1, u32::MAX);
        }
        if self.symbols[at] == u32::MAX {
            self.symbols[at] = value.raw();
        }
    }

    /// Adds a global variable.
    pub fn add_global(&mut self, global: GlobalVar) -> Value {
        let value = Value::new(ValueKind::Global(self.globals.len() as u32));
        let pointer = self.types.pointer(global.ty, global.space);
        self.globals.push((global, pointer));
        self.set_symbol(global.name, value);
        value
    }

    /// Number of global variables.
    pub fn global_count(&self) -> usize {
        self.globals.len()
    }

    /// The global variables in order.
    pub fn globals(&self) -> impl ExactSizeIterator<Item = &GlobalVar> {
        self.globals.iter().map(|g| &g.0)
    }

    /// Global variable `index`.
    pub fn global(&self, index: u32) -> Option<&GlobalVar> {
        self.globals.get(index as usize).map(|g| &g.0)
    }

    /// The functions in order, declarations included.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function of a value, to change its attributes, linkage or section.
    pub fn function_mut(&mut self, value: Value) -> Option<&mut Function> {
        match value.kind() {
            ValueKind::Function(i) => self.functions.get_mut(i as usize),
            _ => None,
        }
    }

    /// The function of a value.
    pub fn function(&self, value: Value) -> Option<&Function> {
        match value.kind() {
            ValueKind::Function(i) => self.functions.get(i as usize),
            _ => None,
        }
    }

    /// Declares a function such as `air.dot.v3f32` and returns it; the existing one if it was declared or
    /// defined before. Two declarations of one name must agree, which the validator sees at the calls.
    pub fn declare(&mut self, name: &str, ret: TypeId, params: &[TypeId], attrs: AttrSet) -> Value {
        let name = self.strings.intern(name);
        if let Some(value) = self.symbol_named(name) {
            return value;
        }
        self.add_function(name, ret, params, Linkage::External, attrs)
    }

    /// Adds a function that will get a body from [`Module::build`].
    pub fn define(&mut self, name: &str, ret: TypeId, params: &[TypeId], linkage: Linkage) -> Value {
        let name = self.strings.intern(name);
        self.add_function(name, ret, params, linkage, AttrSet::NONE)
    }

    fn add_function(
        &mut self,
        name: Str,
        ret: TypeId,
        params: &[TypeId],
        linkage: Linkage,
        attrs: AttrSet,
    ) -> Value {
        let value = Value::new(ValueKind::Function(self.functions.len() as u32));
        let ty = self.types.function(ret, params);
        let pointer = self.types.pointer(ty, 0);
        self.functions.push(Function {
            name,
            ty,
            linkage,
            unnamed_addr: UnnamedAddr::None,
            attrs,
            align: 0,
            section: None,
            fastcc: false,
            visibility: Visibility::Default,
            dso_local: false,
            body: None,
            pointer,
        });
        self.set_symbol(name, value);
        value
    }

    /// Starts the body of a function. Given a value other than a function, the builder drops the body.
    pub fn build(&mut self, function: Value) -> Builder<'_> {
        Builder::new(self, function)
    }

    /// Adds a declaration of a signature of its own.
    pub(crate) fn add_declaration(&mut self, name: &str, ty: TypeId) -> Value {
        let name = self.strings.intern(name);
        let (ret, params) = match self.types.get(ty) {
            Type::Function { ret, params } | Type::VarFunction { ret, params } => {
                (ret, self.types.list(params).to_vec())
            }
            _ => (TypeId::VOID, Vec::new()),
        };
        let value = self.add_function(name, ret, &params, Linkage::External, AttrSet::NONE);
        let pointer = self.types.pointer(ty, 0);
        if let Some(function) = self.function_mut(value) {
            (function.ty, function.pointer) = (ty, pointer);
        }
        value
    }

    /// Puts metadata on a global variable or function.
    pub fn attach_symbol(&mut self, symbol: Value, kind: Attachment, node: Md) {
        let at = self.symbol_attached.partition_point(|a| a.0 <= symbol);
        self.symbol_attached.insert(at, (symbol, kind, node));
    }

    /// Metadata of one global variable or function.
    pub fn attachments_of(&self, symbol: Value) -> &[(Value, Attachment, Md)] {
        let from = self.symbol_attached.partition_point(|a| a.0 < symbol);
        let len = self.symbol_attached[from..].partition_point(|a| a.0 == symbol);
        &self.symbol_attached[from..from + len]
    }

    /// Metadata of global variables and functions, ordered by symbol.
    pub fn symbol_attachments(&self) -> &[(Value, Attachment, Md)] {
        &self.symbol_attached
    }

    /// LLVM's name of a kind of metadata, without the `!`.
    pub fn attachment_name(&self, kind: Attachment) -> &str {
        let number = kind.0 as usize;
        match KIND_NAMES.get(number) {
            Some(name) => name,
            None => self.metadata.kinds().get(number - KIND_NAMES.len()).map_or("unknown", |&s| self.text(s)),
        }
    }

    /// The kind of metadata with this name.
    pub fn attachment(&mut self, name: &str) -> Attachment {
        let id = self.strings.intern(name);
        self.metadata.kind(id, name)
    }

    // ---- attributes ----

    /// The attribute tables.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Interns a set of attribute lists.
    pub fn attr_set(&mut self, lists: &[(AttrIndex, &[Attr])]) -> AttrSet {
        self.attributes.intern(lists)
    }

    /// A string attribute; an empty `value` gives a bare key.
    pub fn text_attr(&mut self, key: &str, value: &str) -> Attr {
        Attr::Text(self.strings.intern(key), self.strings.intern(value))
    }

    // ---- metadata ----

    /// The metadata tables.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Metadata string.
    pub fn md_str(&mut self, text: &str) -> Md {
        let text = self.strings.intern(text);
        self.metadata.add_string(text)
    }

    /// A constant, global variable or function as metadata.
    pub fn md_value(&mut self, value: Value) -> Md {
        self.metadata.add_value(value)
    }

    /// `i32` as metadata.
    pub fn md_i32(&mut self, value: i32) -> Md {
        let value = self.i32(value);
        self.metadata.add_value(value)
    }

    /// `i64` as metadata.
    pub fn md_i64(&mut self, value: i64) -> Md {
        let value = self.i64(value);
        self.metadata.add_value(value)
    }

    /// Node; equal nodes are one.
    pub fn md_node(&mut self, operands: &[Md]) -> Md {
        self.metadata.add_node(operands)
    }

    /// Node that is never merged with an equal one.
    pub fn md_distinct(&mut self, operands: &[Md]) -> Md {
        self.metadata.add_distinct(operands)
    }

    /// Distinct node whose first operand is itself, as alias scopes have it: `!0 = distinct !{!0, rest…}`.
    pub fn md_self_reference(&mut self, rest: &[Md]) -> Md {
        self.metadata.add_self_reference(rest)
    }

    /// A node of debug information by the number of its record and its fields, see [`di`].
    pub(crate) fn md_debug(&mut self, code: u8, fields: &[u64], distinct: bool) -> Md {
        let node = self.metadata.declare();
        self.metadata.fill_debug(node, code, fields, distinct);
        node
    }

    /// A named node without nodes.
    pub(crate) fn add_empty_named_md(&mut self, name: &str) {
        let name = self.strings.intern(name);
        self.metadata.named_mut(name);
    }

    /// Appends a node to a named node such as `air.vertex`.
    pub fn add_named_md(&mut self, name: &str, node: Md) {
        let name = self.strings.intern(name);
        self.metadata.named_mut(name).push(node);
    }

    /// Appends nodes to a named node, which is made if it is not there.
    pub fn extend_named_md(&mut self, name: &str, nodes: &[Md]) {
        let name = self.strings.intern(name);
        self.metadata.named_mut(name).extend_from_slice(nodes);
    }
}
