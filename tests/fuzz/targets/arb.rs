//! Assembly programs of OpenGL: any bytes give valid IR or errors.
#![no_main]

use airfoil_arb::{Options, Source, read};
use airfoil_ir::{text, validate::validate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match read(&Source { name: "", text: &text }, &Options::default()) {
        Ok(program) => {
            let violations = validate(&program.shader);
            assert!(violations.is_empty(), "{violations:#?}\n{}", text::print(&program.shader));
            assert!(program.parameters.iter().all(|p| !p.to_string().is_empty()));
        }
        Err(errors) => {
            assert!(errors.position <= text.len() && !errors.diagnostics.is_empty());
            assert!(errors.diagnostics.iter().all(|d| !d.message.trim().is_empty()), "{errors}");
        }
    }
});
