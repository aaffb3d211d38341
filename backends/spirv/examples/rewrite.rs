//! Rewrites SPIR-V modules: `rewrite LEVEL TARGET OUT_DIR FILE...`, for level 0 or 2.

use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, level, target, out, files @ ..] = &args[..] else {
        panic!("rewrite LEVEL TARGET OUT_DIR FILE...")
    };
    let options = airfoil_spirv_out::Options { target: target.parse().unwrap(), ..Default::default() };
    let pipeline =
        Pipeline::parse("O2_front, O2_variables, loop(values, memory), dce, remove_dead_variables").unwrap();
    for file in files {
        let bytes = std::fs::read(file).unwrap();
        let words = airfoil_spirv_in::from_bytes(&bytes).unwrap();
        let entries = airfoil_spirv_in::entry_points(&words).unwrap_or_default();
        for (n, (name, stage)) in entries.into_iter().enumerate() {
            let read = airfoil_spirv_in::Options {
                entry: Some(name),
                stage: Some(stage),
                keep_spec_constants: true,
                ..Default::default()
            };
            let Ok(mut shader) = airfoil_spirv_in::read(&words, &read) else { continue };
            let stem = Path::new(file).file_name().unwrap().to_string_lossy().into_owned();
            if level == "2" {
                if let Err(e) = Manager::default().run(&pipeline, &mut shader) {
                    println!("{stem}.{n}: passes: {}", e[0]);
                    continue;
                }
            }
            match airfoil_spirv_out::write(&shader, &options) {
                Ok(words) => {
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    std::fs::write(Path::new(out).join(format!("{stem}.{n}.spv")), bytes).unwrap();
                }
                Err(e) => println!("{stem}.{n}: {}", e[0]),
            }
        }
    }
}
