//! Real shaders are restored from the binary form as they were stored: as read, and optimised.

use airfoil::{OptLevel, ReadOptions, Shader};
use airfoil_filetest::harness;
use airfoil_tests::corpus;

fn is_restored(shader: &Shader) -> bool {
    let bytes = airfoil_store::store(&[shader], &[]).unwrap();
    let restored =
        airfoil_store::restore(&bytes).unwrap_or_else(|e| panic!("{}: {}", shader.name, e.message));
    restored.shaders.len() == 1 && restored.shaders[0].same_as(shader)
}

fn real_shaders_are_restored() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus").join("real-spv");
    let mut count = 0;
    for path in corpus::files(&folder, &["spv"]).unwrap() {
        let words = airfoil::spirv::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        let Ok(mut shader) = airfoil::steps::read_spirv(&words, &ReadOptions::default()) else { continue };
        assert!(is_restored(&shader), "{}", path.display());
        if airfoil::steps::optimize(&mut shader, OptLevel::O2).is_ok() {
            assert!(is_restored(&shader), "{}, optimised", path.display());
        }
        count += 1;
    }
    assert!(count > 500, "{count} shaders");
}

airfoil_filetest::harness! {
    real_shaders_are_restored needs(Corpus("real-spv"));
}
