//! The GLSL preprocessor: any bytes give tokens inside the source, within the limits. The first byte chooses
//! version and mode.
#![no_main]

mod mutate;
mod random;

use airfoil_glsl::internals::{PreprocessOptions, Tok, preprocess};
use airfoil_glsl::version::{Profile, Version};
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

const VERSIONS: [Version; 4] = [
    Version { number: 110, profile: Profile::Compatibility },
    Version { number: 100, profile: Profile::Es },
    Version { number: 320, profile: Profile::Es },
    Version { number: 460, profile: Profile::Core },
];

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, 1)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    mutate::cross(one, other, out, seed, 1)
});

fuzz_target!(|data: &[u8]| {
    let Some((&mode, data)) = data.split_first() else { return };
    let source = String::from_utf8_lossy(data);
    // Two source strings: the position of the joint must not matter.
    let (mut middle, len) = (source.len() / 2, source.len());
    while !source.is_char_boundary(middle) {
        middle += 1;
    }
    let options = PreprocessOptions {
        default_version: Some(VERSIONS[usize::from(mode) % VERSIONS.len()]),
        vulkan: mode & 4 != 0,
        late_extensions: mode & 8 != 0,
        max_work: 1 << 20,
        ..PreprocessOptions::default()
    };
    let p = preprocess(&[&source[..middle], &source[middle..]], &options);
    assert_eq!(p.text, source);
    assert_eq!(p.tokens.last().map(|t| t.tok), Some(Tok::Eof));
    for token in &p.tokens {
        assert!(token.lo as usize + usize::from(token.len) <= len, "{token:?}");
    }
    for (span, _) in p.diagnostics.entries() {
        assert!(span.lo as usize <= len, "{span:?}");
    }
    p.diagnostics.finish(&p.lines);
});
