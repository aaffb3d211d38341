//! The text parser: any bytes give a shader or diagnostics, and a parsed shader prints and parses to the same.
#![no_main]

use airfoil_ir::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    if let Ok(shader) = text::parse(source) {
        let printed = text::print(&shader);
        let Ok(again) = text::parse(&printed) else { panic!("printed text does not parse:\n{printed}") };
        assert_eq!(printed, text::print(&again));
        let _ = airfoil_ir::validate::validate(&shader);
    }
});
