//! The SPIR-V reader: any bytes give a valid shader or diagnostics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(shader) = airfoil_spirv_in::read_bytes(data, &airfoil_spirv_in::Options::default()) {
        let violations = airfoil_ir::validate::validate(&shader);
        assert!(violations.is_empty(), "{violations:#?}\n{}", airfoil_ir::text::print(&shader));
    }
});
