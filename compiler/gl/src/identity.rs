//! The identity of a program, for caches.

use crate::program::Program;
use airfoil::ir::{Named, text};
use sha2::{Digest, Sha256};

impl Program {
    /// A hash of the code, the version of the compiler and the options of the device. Programs with equal hashes have equal
    /// functions for equal keys.
    pub fn identity(&self) -> [u8; 32] {
        *self.identity.get_or_init(|| identity(self))
    }
}

/// A hash of everything that functions depend on besides the key.
fn identity(program: &Program) -> [u8; 32] {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    part(env!("CARGO_PKG_VERSION"));
    part(&format!("{:?}", program.device().options()));
    part(&format!("{:?}", program.captures()));
    for stage in program.code() {
        part(stage.stage.name());
        part(&text::print(&stage.shader));
    }
    hash.finalize().into()
}
