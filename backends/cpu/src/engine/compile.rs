//! Compiling through LLVM: the module's own bytes are parsed and verified, linked to thunks, and compiled for the host.
//!
//! Nothing is optimised: instructions compute their plain results, fast-math flags change nothing.

use super::access::{self, CHECK, Global};
use crate::entry::Entry;
use crate::fiber::{self, Entry as Code};
use crate::library::{self, Callee};
use crate::shape::Block;
use crate::thunks::{self, CALL, ENTRY, Thunk};
use airfoil_air::bitcode;
use airfoil_air::inspect::{OPTIONAL, inspect};
use airfoil_air::metallib;
use airfoil_air::module::{Module as AirModule, TypeId};
use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::context::Context;
use inkwell::execution_engine::ExecutionEngine;
use inkwell::llvm_sys::core::{LLVMGetOperand, LLVMGetValueName2, LLVMIsAConstantExpr};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::values::AsValueRef;
use inkwell::values::{BasicValue, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Bits of the values of function constants, by index.
pub type Constants = BTreeMap<u32, u64>;

/// A function of a library, compiled for the host.
///
/// One threadgroup at a time runs in it: memory that the module declares exists once.
pub struct Function {
    entry: Entry,
    callees: Vec<Callee>,
    sites: Vec<String>,
    code: Code,
    /// Address and size of the module's variables.
    globals: Vec<(usize, usize)>,
    // The order matters: code and module go before the context that they belong to.
    _engine: ExecutionEngine<'static>,
    _context: Box<Context>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Function").field("entry", &self.entry.name).finish_non_exhaustive()
    }
}

/// Names of the functions of a library, in file order.
///
/// # Errors
/// An error in the library.
pub fn function_names(metallib: &[u8]) -> Result<Vec<String>, String> {
    let library = metallib::read(metallib).map_err(|e| e.to_string())?;
    Ok(library.functions.iter().map(|f| f.entry.name.to_owned()).collect())
}

impl Function {
    /// Compiles a function of a library: the one with a name, or the only one.
    ///
    /// # Errors
    /// Errors in the library or module, with LLVM's message where LLVM reports them; functions that the `air.*` library does
    /// not have.
    pub fn of_library(metallib: &[u8], name: Option<&str>) -> Result<Function, String> {
        Function::with_constants(metallib, name, &Constants::new())
    }

    /// Compiles a function of a library whose function constants are given.
    ///
    /// # Errors
    /// As [`Function::of_library`].
    pub fn with_constants(
        metallib: &[u8],
        name: Option<&str>,
        constants: &Constants,
    ) -> Result<Function, String> {
        let library = metallib::read(metallib).map_err(|e| e.to_string())?;
        let mut found = library.functions.iter().filter(|f| name.is_none_or(|n| f.entry.name == n));
        let Some(function) = found.next() else {
            let name = name.map_or(String::new(), |n| format!(" `{n}`"));
            return Err(format!("the library has no function{name}"));
        };
        if name.is_none() && found.next().is_some() {
            return Err("the library has several functions: one has to be named".to_owned());
        }
        let bytes = function.bitcode().map_err(|e| e.to_string())?;
        Function::of_bitcode(bytes, Some(function.entry.name), constants)
    }

    /// Compiles a function of a module, given as bitcode without wrapper.
    ///
    /// # Errors
    /// As [`Function::of_library`].
    pub fn of_bitcode(bytes: &[u8], name: Option<&str>, constants: &Constants) -> Result<Function, String> {
        let air = bitcode::read(bytes).map_err(|e| e.to_string())?;
        let entry = Entry::of(&air, name)?;
        let callees = declared(&air)?;
        let context = Box::new(Context::create());
        // SAFETY: the box keeps the context where it is, and `Function` drops everything that refers to it first.
        let held: &'static Context = unsafe { &*std::ptr::from_ref::<Context>(&context) };
        let module = parse(held, bytes, "the module")?;
        module.verify().map_err(|e| format!("LLVM refuses the module: {e}"))?;
        let optional = optional_constants(&air);
        give_constants(held, &module, constants, &optional)?;
        answer_if_defined(held, &module, constants);
        let machine = machine()?;
        let layout = machine.get_target_data();
        let globals = access::guard(held, &module, &layout)?;
        let (thunks, sites) = calls(&module, &callees);
        let thunks = thunks::module(&air, &entry.name, &thunks)
            .ok_or_else(|| format!("`{}`: a type cannot cross into the library", entry.name))?;
        let thunks = parse(held, &bitcode::write(&thunks), "the thunks")?;
        module.link_in_module(thunks).map_err(|e| format!("LLVM cannot link the thunks: {e}"))?;
        let engine = compile(&module, &machine)?;
        for (name, address) in [(CALL, fiber::call as *const ()), (CHECK, fiber::access as *const ())] {
            if let Some(function) = module.get_function(name) {
                engine.add_global_mapping(&function, address as usize);
            }
        }
        engine.run_static_constructors();
        let address = engine.get_function_address(ENTRY).map_err(|e| format!("no code: {e}"))?;
        // SAFETY: the thunk has this signature.
        let code = unsafe { std::mem::transmute::<usize, Code>(address) };
        let callees = callees.into_iter().map(|c| c.0).collect();
        let place = |(name, size): &Global| {
            let at = engine.get_function_address(name);
            at.map(|at| (at, *size)).map_err(|e| format!("a variable has no address: {e}"))
        };
        let globals = globals.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Function { entry, callees, sites, code, globals, _engine: engine, _context: context })
    }

    /// Its arguments and results.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    pub(crate) fn callees(&self) -> &[Callee] {
        &self.callees
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    pub(crate) fn globals(&self) -> &[(usize, usize)] {
        &self.globals
    }

    /// A description of the call site of a collective operation.
    pub(crate) fn site(&self, site: u32) -> &str {
        self.sites.get(site as usize).map_or("an unknown place", |s| s.as_str())
    }
}

/// The declared `air.*` functions of a module, with their types.
fn declared(air: &AirModule) -> Result<Vec<(Callee, TypeId)>, String> {
    let mut callees = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for function in air.functions().iter().filter(|f| f.body.is_none()) {
        let name = air.text(function.name);
        if name.starts_with("llvm.") {
            continue;
        }
        let block =
            thunks::signature(air, function.ty).and_then(|(ret, params)| Block::of(air, &params, ret));
        match library::resolve(name).zip(block) {
            Some((op, block)) => callees.push((Callee { name: name.to_owned(), block, op }, function.ty)),
            None => unknown.push(name),
        }
    }
    match unknown.as_slice() {
        [] => Ok(callees),
        names => Err(format!("the library has no {}", names.join(", "))),
    }
}

fn parse(context: &'static Context, bytes: &[u8], what: &str) -> Result<Module<'static>, String> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, what);
    Module::parse_bitcode_from_buffer(&buffer, context).map_err(|e| format!("LLVM cannot read {what}: {e}"))
}

/// Gives each call of a collective operation a function of its own, so that call sites can be distinguished. Returns
/// the required thunks and descriptions of the call sites.
fn calls(module: &Module<'static>, callees: &[(Callee, TypeId)]) -> (Vec<Thunk>, Vec<String>) {
    let numbers: FxHashMap<&str, usize> =
        callees.iter().enumerate().map(|(n, c)| (c.0.name.as_str(), n)).collect();
    let (mut thunks, mut sites) = (Vec::new(), Vec::new());
    let own = |n: usize, name: String, site: usize| Thunk {
        name,
        ty: callees[n].1,
        callee: n as u32,
        site: site as u32,
    };
    let bodies: Vec<FunctionValue<'_>> =
        module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
    for body in bodies {
        let within = body.get_name().to_string_lossy().into_owned();
        for instruction in body.get_basic_block_iter().flat_map(|b| b.get_instructions()) {
            if instruction.get_opcode() != InstructionOpcode::Call {
                continue;
            }
            let Ok(call) = CallSiteValue::try_from(instruction) else { continue };
            let Some(callee) = call.get_called_fn_value() else { continue };
            let name = callee.get_name().to_string_lossy().into_owned();
            let Some(&n) = numbers.get(name.as_str()) else { continue };
            if !callees[n].0.op.is_collective(true) {
                continue;
            }
            let site = sites.len();
            let unique = format!("{name}#{site}");
            let function = module.add_function(&unique, callee.get_type(), Some(Linkage::External));
            let last = instruction.get_num_operands().saturating_sub(1);
            instruction.set_operand(last, function.as_global_value().as_pointer_value());
            sites.push(format!("call {} in `{within}`, of `{name}`", site + 1));
            thunks.push(own(n, unique, site));
        }
    }
    let others = callees.iter().enumerate().map(|(n, c)| own(n, c.0.name.clone(), 0));
    thunks.extend(others);
    (thunks, sites)
}

/// The host.
fn machine() -> Result<TargetMachine, String> {
    Target::initialize_native(&InitializationConfig::default())?;
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    let (relocations, code) = (RelocMode::Default, CodeModel::JITDefault);
    target
        .create_target_machine(&triple, "", "", OptimizationLevel::None, relocations, code)
        .ok_or_else(|| "LLVM has no code generator for this machine".to_owned())
}

/// Puts the values of function constants where the module looks for them: variables that are named
/// `<name>.MTL_FC_INIT_<number>_<type>`.
fn give_constants(
    context: &'static Context,
    module: &Module<'static>,
    given: &Constants,
    optional: &BTreeSet<u32>,
) -> Result<(), String> {
    for global in module.get_globals() {
        let name = global.get_name().to_string_lossy().into_owned();
        let Some((constant, rest)) = name.split_once(".MTL_FC_INIT_") else { continue };
        let number: u32 = constant_number(rest).ok_or_else(|| format!("`{name}` has no number"))?;
        let bits = match given.get(&number) {
            Some(&bits) => bits,
            // Without a value, the behaviour of the module must not depend on this.
            None if optional.contains(&number) => 0,
            None => return Err(format!("the function constant {number} (`{constant}`) has no value")),
        };
        let value: BasicValueEnum<'_> = match global.get_initializer() {
            Some(BasicValueEnum::IntValue(v)) => v.get_type().const_int(bits, false).into(),
            Some(BasicValueEnum::FloatValue(v)) if v.get_type() == context.f32_type() => {
                v.get_type().const_float(f64::from(f32::from_bits(bits as u32))).into()
            }
            Some(BasicValueEnum::FloatValue(v)) if v.get_type() == context.f16_type() => {
                v.get_type().const_float(half::f16::from_bits(bits as u16).to_f64()).into()
            }
            _ => return Err(format!("the function constant {number} (`{constant}`) is not a scalar")),
        };
        global.set_initializer(&value);
    }
    Ok(())
}

fn constant_number(rest: &str) -> Option<u32> {
    rest.split('_').next()?.parse().ok()
}

/// Indices of the function constants that the module marks as optional.
fn optional_constants(air: &AirModule) -> BTreeSet<u32> {
    let constants = inspect(air).constants.into_iter();
    let optional = constants.filter(|c| c.notes.iter().any(|n| n == OPTIONAL));
    optional.filter_map(|c| u32::try_from(c.index?).ok()).collect()
}

/// Puts the answer where a module asks whether a function constant has a value.
fn answer_if_defined(context: &'static Context, module: &Module<'static>, given: &Constants) {
    let Some(asks) = module.get_function("air.is_function_constant_defined") else { return };
    let bodies = module.get_functions().filter(|f| f.count_basic_blocks() > 0);
    let mut calls = Vec::new();
    for instruction in bodies.flat_map(|f| f.get_basic_blocks()).flat_map(|b| b.get_instructions()) {
        if instruction.get_opcode() == InstructionOpcode::Call
            && let Ok(call) = CallSiteValue::try_from(instruction)
            && call.get_called_fn_value() == Some(asks)
        {
            calls.push((instruction, call));
        }
    }
    for (instruction, call) in calls {
        // SAFETY: the first operand of a call of this function is a pointer; the source of a constant cast is its operand.
        let name = unsafe {
            let mut place = LLVMGetOperand(instruction.as_value_ref(), 0);
            while !LLVMIsAConstantExpr(place).is_null() {
                place = LLVMGetOperand(place, 0);
            }
            let mut length = 0;
            let name = LLVMGetValueName2(place, &raw mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(name.cast::<u8>(), length)).into_owned()
        };
        let number = name.split_once(".MTL_FC_INIT_").and_then(|(_, rest)| constant_number(rest));
        let answer = number.is_some_and(|n| given.contains_key(&n));
        if let Some(value) = call.try_as_basic_value().basic() {
            let answer = context.bool_type().const_int(u64::from(answer), false);
            value.into_int_value().replace_all_uses_with(answer);
            instruction.erase_from_basic_block();
        }
    }
}

/// Compiles a module for the host.
fn compile(module: &Module<'static>, machine: &TargetMachine) -> Result<ExecutionEngine<'static>, String> {
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let mut missing = Vec::new();
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        if function.count_basic_blocks() > 0 {
            if let Some(features) = features() {
                let attribute = module.get_context().create_string_attribute("target-features", features);
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        } else if function.get_intrinsic_id() == 0
            && name != CALL
            && name != CHECK
            && function.as_global_value().as_pointer_value().get_first_use().is_some()
        {
            missing.push(name);
        }
    }
    if !missing.is_empty() {
        return Err(format!("the module needs {}, which nothing defines", missing.join(", ")));
    }
    module.verify().map_err(|e| format!("LLVM refuses the linked module: {e}"))?;
    module
        .create_jit_execution_engine(OptimizationLevel::None)
        .map_err(|e| format!("LLVM cannot compile: {e}"))
}

/// Halves need instructions that the oldest machines of an architecture lack.
fn features() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("f16c") {
        return Some("+f16c");
    }
    None
}
