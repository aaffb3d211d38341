//! Loads and stores of device, constant and threadgroup memory are checked: shaders may compute any address.
//!
//! Before each, the address is passed to [`CHECK`], which returns it, or the address of scratch memory.
//! Alignments are dropped, since bindings may start anywhere.

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;
use inkwell::values::{BasicValueEnum, InstructionOpcode, InstructionValue, Operand};

/// Where addresses are checked.
pub(super) const CHECK: &str = "airfoil.access";

/// Address spaces of memory that all invocations have: device, constant, threadgroup.
const SPACES: [u16; 3] = [1, 2, 3];

/// Bytes of variables that an invocation may have: they are on the stack of its fiber.
const MAX_LOCALS: u64 = 128 << 10;

/// A variable of the module, by the name that it got, and its size.
pub(super) type Global = (String, usize);

/// Guards all loads and stores; returns the module's variables, which may be accessed.
pub(super) fn guard(
    context: &'static Context,
    module: &Module<'static>,
    layout: &TargetData,
) -> Result<Vec<Global>, String> {
    let word = context.i64_type();
    let ty = word.fn_type(&[word.into(), word.into()], false);
    let check = module.add_function(CHECK, ty, Some(Linkage::External));
    let builder = context.create_builder();
    let spaces = SPACES.map(AddressSpace::from);
    let failed = |e: inkwell::builder::BuilderError| format!("an access cannot be guarded: {e}");
    let bodies: Vec<_> = module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
    let mut locals = 0;
    for body in bodies {
        let all: Vec<InstructionValue<'_>> =
            body.get_basic_block_iter().flat_map(|b| b.get_instructions()).collect();
        for instruction in all {
            if instruction.get_opcode() == InstructionOpcode::Alloca {
                let ty = instruction.get_allocated_type().map_err(|e| e.to_string())?;
                locals += layout.get_abi_size(&ty);
            }
            let at = match instruction.get_opcode() {
                InstructionOpcode::Load => 0,
                InstructionOpcode::Store => 1,
                _ => continue,
            };
            let Some(Operand::Value(BasicValueEnum::PointerValue(pointer))) = instruction.get_operand(at)
            else {
                continue;
            };
            let ty = pointer.get_type();
            if pointer.is_const() || !spaces.contains(&ty.get_address_space()) {
                continue;
            }
            let bytes = match instruction.get_operand(0) {
                Some(Operand::Value(value)) if at == 1 => layout.get_store_size(&value.get_type()),
                _ => layout.get_store_size(&instruction.get_type()),
            };
            builder.position_before(&instruction);
            let address = builder.build_ptr_to_int(pointer, word, "").map_err(failed)?;
            let what = word.const_int(bytes | (at as u64) << 32, false);
            let call = builder.build_call(check, &[address.into(), what.into()], "").map_err(failed)?;
            let checked = call.try_as_basic_value().basic().ok_or("the check gives no address")?;
            let checked = builder.build_int_to_ptr(checked.into_int_value(), ty, "").map_err(failed)?;
            instruction.set_operand(at, checked);
            instruction.set_alignment(1).map_err(|e| e.to_string())?;
        }
    }
    if locals > MAX_LOCALS {
        return Err(format!("variables of {locals} bytes in an invocation are more than {MAX_LOCALS}"));
    }
    Ok(globals(module, layout))
}

/// Names variables, so that they can be read by name.
fn globals(module: &Module<'static>, layout: &TargetData) -> Vec<Global> {
    let mut found = Vec::new();
    for (n, global) in module.get_globals().enumerate() {
        let special = global.get_name().to_string_lossy().starts_with("llvm.");
        if special || global.get_initializer().is_none() {
            continue;
        }
        let name = format!("airfoil.global.{n}");
        global.set_name(&name);
        global.set_linkage(Linkage::External);
        found.push((name, layout.get_abi_size(&global.get_value_type()) as usize));
    }
    found
}
