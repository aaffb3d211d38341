//! The modules of each shader.

use crate::VERSIONS;
use airfoil_ir::{Shader, Stage};
use airfoil_passes::Pipeline;
use airfoil_passes::manager::Manager;
use airfoil_spirv_in::{Options, entry_points, from_bytes, read};
use std::path::Path;
use std::process::Command;

/// Writes `NAME.VERSION.spv` for each shader and version.
pub fn prepare(shaders: &Path, folder: &Path, spirv_opt: &Path, glslang: &Path) -> Result<(), String> {
    let io = |e: std::io::Error| e.to_string();
    std::fs::create_dir_all(folder).map_err(io)?;
    let mut files: Vec<_> = std::fs::read_dir(shaders)
        .map_err(|e| format!("{}: {e}", shaders.display()))?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(io)?;
    files.sort();
    let (mut written, mut other) = (0, 0);
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.strip_suffix(".spv").unwrap_or(&name);
        let path = |version: &str| folder.join(format!("{name}.{version}.spv"));
        let original = path(VERSIONS[0]);
        match file.extension().and_then(|e| e.to_str()) {
            Some("spv") => std::fs::copy(&file, &original).map(|_| ()).map_err(io)?,
            Some("frag" | "comp") => {
                run(Command::new(glslang).arg("-V").arg(&file).arg("-o").arg(&original))?;
            }
            _ => continue,
        }
        let words =
            from_bytes(&std::fs::read(&original).map_err(io)?).map_err(|e| format!("{name}: {}", e[0]))?;
        match entry_points(&words).map_err(|e| format!("{name}: {}", e[0]))?.as_slice() {
            [(_, Stage::Fragment | Stage::Compute)] => {}
            _ => {
                std::fs::remove_file(&original).map_err(io)?;
                other += 1;
                continue;
            }
        }
        run(Command::new(spirv_opt).arg("-O").arg(&original).arg("-o").arg(path(VERSIONS[1])))?;
        let options =
            Options { keep_spec_constants: true, keep_workgroup_constants: true, ..Options::default() };
        let mut shader = read(&words, &options).map_err(|e| format!("{name}: {}", e[0]))?;
        write(&shader, &path(VERSIONS[2])).map_err(|e| format!("{name}: {e}"))?;
        let preset = Pipeline::parse("spirv").map_err(|e| e.to_string())?;
        let done = Manager::default().run(&preset, &mut shader);
        let _ = done.map_err(|e| format!("{name}: {}", e[0]))?;
        write(&shader, &path(VERSIONS[3])).map_err(|e| format!("{name}: {e}"))?;
        written += 1;
    }
    println!("{written} fragment and compute shaders, {other} of other stages are left out");
    Ok(())
}

fn write(shader: &Shader, path: &Path) -> Result<(), String> {
    let words = airfoil_spirv_out::write(shader, &Default::default()).map_err(|e| e[0].to_string())?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(path, bytes).map_err(|e| e.to_string())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()),
    }
}
