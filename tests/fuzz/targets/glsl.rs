//! The GLSL front end: any bytes give valid IR or diagnostics.
//!
//! Three bytes choose modes and stages; the rest is one source, or several with a NUL between them.
#![no_main]

mod mutate;
mod random;

use airfoil_glsl::link::{LinkOptions, TransformFeedback};
use airfoil_glsl::version::{Profile, Version};
use airfoil_glsl::{ProgramOptions, Source, build};
use airfoil_ir::{Stage, text, validate::validate};
use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

/// Modes, stage of the first source, stage of the second.
const HEADER: usize = 3;

const STAGES: [Stage; 6] =
    [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment, Stage::Compute];

const VERSIONS: [Version; 4] = [
    Version { number: 460, profile: Profile::Core },
    Version { number: 100, profile: Profile::Es },
    Version { number: 110, profile: Profile::Compatibility },
    Version { number: 320, profile: Profile::Es },
];

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, HEADER)
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    mutate::cross(one, other, out, seed, HEADER)
});

fuzz_target!(|data: &[u8]| {
    let Some((header, data)) = data.split_at_checked(HEADER) else { return };
    let mode = header[0];
    let texts = String::from_utf8_lossy(data);
    let stage = |n: usize| STAGES[usize::from(header[1 + n]) % STAGES.len()];
    let sources: Vec<Source> = texts
        .splitn(HEADER - 1, '\0')
        .enumerate()
        .map(|(n, text)| Source { name: "", stage: stage(n), text })
        .collect();
    let varyings = ["gl_Position", "gl_NextBuffer", "v", "v.a", "gl_SkipComponents2"];
    let options = ProgramOptions {
        vulkan: mode & 1 != 0,
        enforce_es100_limits: mode & 64 != 0,
        spec: vec![(0, 3), (3, u64::MAX)],
        default_version: Some(VERSIONS[usize::from(mode >> 2 & 3)]),
        link: LinkOptions {
            separable: mode & 2 == 0,
            transform_feedback: TransformFeedback {
                varyings: varyings.iter().take(usize::from(mode >> 4 & 3)).map(ToString::to_string).collect(),
                ..TransformFeedback::default()
            },
            ..LinkOptions::default()
        },
        ..ProgramOptions::default()
    };
    match build(&sources, &options) {
        Ok(program) => {
            for shader in &program.shaders {
                let violations = validate(shader);
                assert!(violations.is_empty(), "{violations:#?}\n{}", text::print(shader));
            }
        }
        Err(faults) => {
            assert!(!faults.is_empty());
            assert!(faults.iter().all(|d| !d.message.trim().is_empty()), "{faults:?}");
        }
    }
});
