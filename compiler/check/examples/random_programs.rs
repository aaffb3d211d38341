//! Writes random programs as GLSL: `random_programs STAGE FIRST COUNT FOLDER`, for example `compute 0 100 programs`. The files
//! of program `N` are named `STAGE-N.vert` and so on.

use airfoil_check::generate::{self, Dialect};
use airfoil_ir::{Named, Stage};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [stage, first, count, folder] = &args[..] else {
        return Err("expected STAGE FIRST COUNT FOLDER".into());
    };
    let stage = Stage::from_name(stage).filter(|s| generate::STAGES.contains(s)).ok_or("not a stage")?;
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    fs::create_dir_all(folder)?;
    for seed in first..first.saturating_add(count) {
        for (of, text) in generate::program(Dialect::Vulkan, stage, seed).sources {
            let extension = match of {
                Stage::Vertex => "vert",
                Stage::TessControl => "tesc",
                Stage::TessEval => "tese",
                Stage::Geometry => "geom",
                Stage::Fragment => "frag",
                _ => "comp",
            };
            let name = format!("{}-{seed}.{extension}", stage.name());
            fs::write(Path::new(folder).join(name), text)?;
        }
    }
    Ok(())
}
