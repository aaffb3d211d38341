//! Times of a program, as a driver has them: `times FILE.vert FILE.frag ...`, in microseconds, the least of many runs.
//!
//! `cargo run --profile conformance -p airfoil-gl --example times -- FILE...`

#![allow(clippy::print_stdout)]

mod measure;

use airfoil_gl::{
    Budget, Cache, Device, DeviceOptions, LinkOptions, Program, ShaderObject, Stage, StateFlags, StateKey,
};
use measure::{Res, least, resident};
use std::path::Path;
use std::sync::Arc;

fn main() -> Res<()> {
    let mut sources = Vec::new();
    for file in std::env::args().skip(1) {
        let stage = match Path::new(&file).extension().and_then(|e| e.to_str()) {
            Some("vert") => Stage::Vertex,
            Some("tesc") => Stage::TessControl,
            Some("tese") => Stage::TessEval,
            Some("geom") => Stage::Geometry,
            Some("frag") => Stage::Fragment,
            Some("comp") => Stage::Compute,
            _ => return Err(format!("`{file}`: the stage is unknown").into()),
        };
        sources.push((stage, std::fs::read_to_string(&file)?, file));
    }
    let plain = Device::default();
    let compile = |device: &Device| -> Vec<ShaderObject> {
        sources.iter().map(|(stage, text, file)| device.compile(file, *stage, &[text])).collect()
    };
    let link = |device: &Device, objects: &[ShaderObject]| -> Res<Arc<Program>> {
        Ok(device.link(&objects.iter().collect::<Vec<_>>(), &LinkOptions::default())?)
    };
    let objects = compile(&plain);
    let program = link(&plain, &objects)?;
    // A new program each time: the first variants after a link are those that it has selected.
    let cold = || -> Res<_> {
        let objects = compile(&plain);
        let program = link(&plain, &objects)?;
        for stage in program.stages() {
            let key = program.stage_canonical(stage, &StateKey::default());
            program.variant(stage, &key, &Budget::default())?;
        }
        Ok((objects, program))
    };
    println!("cold objects to library: {:.1} us", least(cold)?);
    println!("compile of all stages: {:.1} us", least(|| Ok(compile(&plain)))?);
    println!("link: {:.1} us", least(|| link(&plain, &objects))?);

    let before = resident()?;
    let copies = (0..50).map(|_| link(&plain, &objects)).collect::<Res<Vec<_>>>()?;
    println!("memory of a program: {:.0} KiB", (resident()? - before) / copies.len() as f64);
    drop(copies);

    let folder = std::env::temp_dir().join(format!("airfoil-times-{}", std::process::id()));
    let device = Device::with_cache(DeviceOptions::default(), Cache::open(&folder, Cache::LIMIT)?);
    let with_cache = compile(&device);
    let cached = link(&device, &with_cache)?;
    println!("link by the cache: {:.1} us", least(|| link(&device, &with_cache))?);
    println!("program binary: {} KiB", program.store()?.len() / 1024);

    let flags = StateFlags::FLIP_Y | StateFlags::HALF_Z | StateFlags::FLIP_WINDOW;
    let states = [("default", StateFlags::empty()), ("flip_y, half_z, flip_window", flags)];
    for (name, flags) in states {
        for stage in program.stages() {
            let key = program.stage_canonical(stage, &StateKey { flags, ..StateKey::default() });
            let variant = |program: &Program| Ok(program.variant(stage, &key, &Budget::default())?);
            let time = least(|| variant(&program))?;
            variant(&cached)?;
            let by_cache = least(|| variant(&cached))?;
            println!("{stage} for {name}: {time:.1} us, by the cache {by_cache:.1} us");
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
