//! Function constants: the form of specialisation constants that are still open.
//!
//! As Apple's compiler does it, the value that the loader gives is copied by a static initializer into a variable, which the
//! code reads:
//!
//! ```text
//! @_ZL5count = internal unnamed_addr addrspace(2) global i32 undef
//! @_Z5count.MTL_FC_INIT_3_i = internal ... externally_initialized constant i32 undef, section "air.fc_initializer"
//! ```
//!
//! A function constant is optional if the module asks whether it is defined (`MTLFunctionConstant.required`). The
//! initializer asks, and takes the default of the specialisation constant where the application gives no value: the same
//! that `constant int count = is_function_constant_defined(n) ? n : 4;` becomes.

use crate::functions::Air;
use crate::metallib::DataType;
use crate::module::{
    Attr, AttrIndex, AttrKind, AttrSet, CallOptions, CastOp, GlobalVar, Linkage, Module, TypeId, UnnamedAddr,
    Value,
};
use crate::select::errors::{Errors, INTERFACE, TARGET};
use crate::select::options::Options;
use crate::select::plan::usage::Usage;
use crate::select::reflection::Constant;
use crate::select::types::{CONSTANT, Class, scalar_type, vector_name};
use crate::target::LanguageVersion;
use airfoil_ir::{self as ir, Diagnostic, Modes, Name, Scalar, Shader, VarId, format_name};
use slotmap::SecondaryMap;

/// Function constants of a module.
#[derive(Default)]
pub(crate) struct FunctionConstants {
    /// Variables that hold the values.
    pub(crate) storage: SecondaryMap<VarId, Value>,
    /// Entries of the container.
    pub(crate) entries: Vec<(Name, DataType, u16)>,
    /// Entries of the reflection.
    pub(crate) reflection: Vec<Constant>,
    /// Variable that the loader writes, type, name, number.
    nodes: Vec<(Value, &'static str, Name, u16)>,
}

/// A constant that the shader reads.
struct Read {
    var: VarId,
    scalar: Scalar,
    index: u16,
    name: Name,
    default: u64,
}

/// Itanium's letters for a type, which end the name of the variable that the loader writes.
fn type_code(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "b",
        Scalar::Int8 => "c",
        Scalar::Int16 => "s",
        Scalar::Int32 => "i",
        Scalar::Int64 => "l",
        Scalar::Uint8 => "h",
        Scalar::Uint16 => "t",
        Scalar::Uint32 | Scalar::Any => "j",
        Scalar::Uint64 => "m",
        Scalar::Float16 => "Dh",
        Scalar::Float32 => "f",
        Scalar::Float64 => "d",
    }
}

/// A name as an identifier of the Metal language.
fn identifier(name: &str) -> Name {
    let mut text: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(200).collect();
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text.into()
}

/// The open constants that the shader reads, by ID.
fn read_constants(shader: &Shader, usage: &Usage, options: &Options, errors: &mut Errors) -> Vec<Read> {
    let mut list: Vec<Read> = Vec::new();
    for (var, v) in
        shader.vars.iter().filter(|(id, v)| v.mode == Modes::SPEC_CONST && usage.vars.contains_key(*id))
    {
        let (Some(id), ir::Type::Vector { scalar, .. }, Some(ir::Constant::Value(lanes))) =
            (v.binding, &shader.types[v.ty], &v.initializer)
        else {
            continue;
        };
        let mut refuse = |message: String| errors.push(Diagnostic::error(INTERFACE, message));
        let Ok(index) = u16::try_from(id) else {
            refuse(format!(
                "specialisation constant {id}: numbers of function constants end at {}",
                u16::MAX
            ));
            continue;
        };
        if *scalar == Scalar::Float64 {
            refuse(format!(
                "specialisation constant {id} is a 64-bit float, and Metal has no function constants of that type"
            ));
            continue;
        }
        let name = identifier(&v.name);
        let name = if options.names && !name.is_empty() { name } else { format_name!("constant{id}") };
        list.push(Read { var, scalar: *scalar, index, name, default: lanes[0] });
    }
    list.sort_by_key(|c| c.index);
    for i in 1..list.len() {
        if list[i - 1].index == list[i].index {
            let message = format!("two specialisation constants have the number {}", list[i].index);
            errors.push(Diagnostic::error(INTERFACE, message));
        }
    }
    // Metal finds constants by name, too.
    let mut names = std::collections::BTreeSet::new();
    for c in &mut list {
        while !names.insert(c.name.clone()) {
            c.name = format_name!("{}_{}", c.name, c.index);
        }
    }
    list
}

impl FunctionConstants {
    /// Declares the constants that the shader reads.
    pub(crate) fn new(
        m: &mut Module,
        shader: &Shader,
        usage: &Usage,
        options: &Options,
        errors: &mut Errors,
    ) -> FunctionConstants {
        let mut made = FunctionConstants::default();
        let list = read_constants(shader, usage, options, errors);
        if list.is_empty() || !errors.list.is_empty() {
            return made;
        }
        if options.target.language() < LanguageVersion::new(1, 2) {
            errors.push(Diagnostic::error(TARGET, "function constants need macOS 10.12 or iOS 10"));
            return made;
        }
        let init = m.define(&format!("_GLOBAL__sub_I_{}", shader.name), TypeId::VOID, &[], Linkage::Internal);
        let attrs = m.attr_set(&[(AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::NO_UNWIND)])]);
        let section = m.str("air.static_init");
        if let Some(f) = m.function_mut(init) {
            (f.section, f.attrs) = (Some(section), attrs);
        }
        let asks = asks_if_defined(m);
        let loaded: Vec<Value> = list.iter().map(|c| made.declare(m, c, options)).collect();
        let mut b = m.build(init);
        let block = b.block();
        b.start(block);
        for (c, &from) in list.iter().zip(&loaded) {
            let bytes = b.module.pointer(TypeId::I8, CONSTANT);
            let place = if b.type_of(from) == bytes {
                from
            } else {
                b.module.const_cast(CastOp::BitCast, from, bytes)
            };
            let align = u32::from(bytes_of(c.scalar));
            let given = b.load(from, align);
            if c.scalar == Scalar::Bool {
                b.mark_boolean(given);
            }
            let ty = b.type_of(given);
            let defined = b.call_with(asks, &[place], CallOptions { tail: true, ..CallOptions::default() });
            let default = match Class::of(c.scalar) {
                Class::Float => b.module.float_bits(ty, c.default),
                Class::Int => b.module.int(ty, c.default as i64),
            };
            let value = b.select(defined, given, default);
            if let Some(&storage) = made.storage.get(c.var) {
                b.store(value, storage, align);
            }
        }
        b.ret_void();
        b.finish();
        run_at_start(m, init);
        made
    }

    /// Declares the variables of one constant; returns the one that the loader writes.
    fn declare(&mut self, m: &mut Module, c: &Read, options: &Options) -> Value {
        let ty = scalar_type(Class::of(c.scalar), (bytes_of(c.scalar) * 8).max(8));
        let align = u32::from(bytes_of(c.scalar));
        let mangled = format!("{}{}", c.name.len(), c.name);
        let undefined = m.undef(ty);
        let name = m.str(&format!("_ZL{mangled}"));
        let storage = GlobalVar {
            align,
            unnamed_addr: UnnamedAddr::Global,
            ..GlobalVar::new(name, ty, CONSTANT, undefined)
        };
        self.storage.insert(c.var, m.add_global(storage));
        let name = m.str(&format!("_Z{mangled}.MTL_FC_INIT_{}_{}", c.index, type_code(c.scalar)));
        let section = options.target.function_constants_have_section().then(|| m.str("air.fc_initializer"));
        let loaded = m.add_global(GlobalVar {
            constant: true,
            externally_initialized: true,
            section,
            name,
            ..storage
        });
        let type_name = vector_name(c.scalar, 1);
        self.nodes.push((loaded, type_name, c.name.clone(), c.index));
        let data_type = DataType::from_name(type_name).unwrap_or_default();
        self.entries.push((c.name.clone(), data_type, c.index));
        self.reflection.push(Constant {
            index: c.index,
            name: c.name.clone(),
            scalar: c.scalar,
            default: c.default,
        });
        loaded
    }

    /// Lists them in the module's metadata.
    pub(crate) fn metadata(&self, m: &mut Module) {
        for (value, type_name, name, index) in &self.nodes {
            let required = m.bool(false);
            let node = [
                m.md_value(*value),
                m.md_str(type_name),
                m.md_str(name),
                m.md_i32(i32::from(*index)),
                m.md_value(required),
            ];
            let node = m.md_node(&node);
            m.add_named_md("air.function_constants", node);
        }
    }
}

/// Bytes of a scalar in memory; booleans take one.
fn bytes_of(scalar: Scalar) -> u8 {
    (scalar.bits() / 8).max(1)
}

/// Declares the function that returns whether the application set a value.
fn asks_if_defined(m: &mut Module) -> Value {
    let bytes = m.pointer(TypeId::I8, CONSTANT);
    let attrs: AttrSet = m.attr_set(&[
        (AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::NO_UNWIND), Attr::Flag(AttrKind::READ_NONE)]),
        (AttrIndex::param(0), &[Attr::Flag(AttrKind::NO_CAPTURE)]),
    ]);
    let asks = m.declare(Air::is_function_constant_defined.info().name, TypeId::I1, &[bytes], attrs);
    if let Some(f) = m.function_mut(asks) {
        f.unnamed_addr = UnnamedAddr::Local;
    }
    asks
}

/// Lists a function among those that run before all others.
fn run_at_start(m: &mut Module, function: Value) {
    let pointer = m.module_type(function);
    let data = m.pointer(TypeId::I8, 0);
    let entry = m.structure(&[TypeId::I32, pointer, data], false);
    let list = m.array(entry, 1);
    let (priority, null) = (m.i32(65535), m.null(data));
    let entry = m.aggregate(entry, &[priority, function, null]);
    let contents = m.aggregate(list, &[entry]);
    let name = m.str("llvm.global_ctors");
    m.add_global(GlobalVar { linkage: Linkage::Appending, ..GlobalVar::new(name, list, 0, contents) });
}
