//! Globals and functions of a module, by name and by index.

use super::{
    Attachment, AttrSet, Builder, Function, GlobalVar, KIND_NAMES, Linkage, Md, Module, Str, Type, TypeId,
    UnnamedAddr, Value, ValueKind, Visibility,
};

impl Module {
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

    pub(super) fn symbol_named(&self, name: Str) -> Option<Value> {
        self.symbols.get(name.0 as usize).copied().filter(|&raw| raw != u32::MAX).map(Value::from_raw)
    }

    pub(super) fn set_symbol(&mut self, name: Str, value: Value) {
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
    /// defined before. Two declarations of one name must agree, which the validator checks at the calls.
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

    pub(super) fn add_function(
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
}
