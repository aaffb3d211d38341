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
mod constants;
mod inst;
mod intern;
mod metadata;
mod spare;
mod symbols;
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
use spare::Spare;
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
    /// Another definition may replace it.
    WeakAny,
    /// An equal definition may replace it.
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

/// Visibility of a symbol after linking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// All libraries.
    #[default]
    Default,
    /// This library only.
    Hidden,
    /// All libraries, but this one keeps its own definition.
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

/// A global variable. Start from [`GlobalVar::new`] and set the other fields.
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
    /// Initial contents; a declaration has none.
    pub init: Option<Value>,
    /// Alignment in bytes, zero if not given.
    pub align: u32,
    /// Section.
    pub section: Option<Str>,
    /// Whether the loader may change the contents (function constants).
    pub externally_initialized: bool,
    /// Visibility after linking.
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
    /// Visibility after linking.
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
    /// Whether single fast-math flags newer than LLVM 5 (`afn`, `reassoc`) are written, which they are only in a
    /// module that had them when it was read.
    pub recent_flags: bool,
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
    /// Memory for the next body.
    spare_body: Option<Body>,
}

impl Module {
    /// An empty module for a target triple.
    pub fn new(source_filename: impl Into<String>, triple: impl Into<String>) -> Self {
        let spare = Spare::take();
        Module {
            source_filename: source_filename.into(),
            triple: triple.into(),
            data_layout: Cow::Borrowed(DATA_LAYOUT),
            recent_flags: false,
            types: spare.types,
            strings: spare.strings,
            constants: spare.constants,
            metadata: spare.metadata,
            attributes: spare.attributes,
            globals: Vec::new(),
            functions: spare.functions,
            symbols: spare.symbols,
            symbol_attached: Vec::new(),
            spare_body: spare.body,
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

    /// `double`, which the validator rejects.
    pub fn double_type(&mut self) -> TypeId {
        self.types.simple(Type::Double)
    }

    /// `bfloat`, which the validator rejects.
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
        if self.recent_flags { flags } else { flags.writable() }
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

    /// The metadata tables, for a reader to fill in.
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

    /// Replaces the operands of node `index`, to change modules that were read.
    pub fn set_md_node(&mut self, index: u32, operands: &[Md]) {
        let distinct = self.metadata.is_distinct(index);
        self.metadata.replace(index, operands, distinct);
    }

    /// Node that is never merged with an equal one.
    pub fn md_distinct(&mut self, operands: &[Md]) -> Md {
        self.metadata.add_distinct(operands)
    }

    /// Distinct node whose first operand is itself, as for alias scopes: `!0 = distinct !{!0, rest…}`.
    pub fn md_self_reference(&mut self, rest: &[Md]) -> Md {
        self.metadata.add_self_reference(rest)
    }

    /// A node of debug information by the code of its record and its fields, see [`di`].
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

    /// Appends nodes to a named node, which is created if necessary.
    pub fn extend_named_md(&mut self, name: &str, nodes: &[Md]) {
        let name = self.strings.intern(name);
        self.metadata.named_mut(name).extend_from_slice(nodes);
    }
}
