//! The binary form: any contents give valid shaders or an error, and restored shaders survive another round trip unchanged.
#![no_main]

use airfoil_store::{HEAD, is_stored, restore, seal, store};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = restore(data);
    // With a correct head; seeds have one that does not fit any more.
    let contents = if is_stored(data) { data.get(HEAD..).unwrap_or_default() } else { data };
    let Ok(restored) = restore(&seal(contents)) else { return };
    let shaders: Vec<_> = restored.shaders.iter().collect();
    let Ok(stored) = store(&shaders, &[]) else { panic!("a restored shader is not stored") };
    let Ok(again) = restore(&stored) else { panic!("a stored shader is not restored") };
    assert!(again.shaders.iter().zip(shaders).all(|(a, b)| a.same_as(b)));
});
