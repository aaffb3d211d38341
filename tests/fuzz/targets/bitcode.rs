//! The bitcode reader: any bytes give a module or a diagnostic; a module that was read can be linted, printed and
//! written, and the written bytes read as the same module.
#![no_main]

use airfoil_air::{bitcode, lint, ll, metallib};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(library) = metallib::read(data) {
        let _ = lint::read_library(&library, &lint::Options::default());
        for function in library.functions.iter().take(4) {
            check(function.entry.bitcode);
        }
    }
    check(data);
});

fn check(data: &[u8]) {
    let module = match bitcode::read(data) {
        Ok(module) => module,
        Err(error) => {
            assert!(error.offset <= data.len() as u64 && !error.message.is_empty(), "{error}");
            return;
        }
    };
    // The verdict depends on the module; the call only must return.
    let _ = lint::module(&module);
    let text = ll::print(&module);
    let again = bitcode::read(&bitcode::write_wrapped(&module)).expect("what was written can be read");
    assert_eq!(text, ll::print(&again));
}
