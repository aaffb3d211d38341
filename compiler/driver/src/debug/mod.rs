//! `AIRFOIL_DEBUG`: look into the compiles of a process that embeds the library, without a change of the process.
//!
//! The variable is a list of words, such as `AIRFOIL_DEBUG=list,dump=shaders,match=fragment*`. `docs/environment.md` describes them.
//! It is read once, and ignored in processes with more rights than their user has. Without it, each of these functions
//! costs a comparison.
//!
//! Shaders have keys: the stage and a hash of the source, the same in every process. [`source`] and [`module`] give them, and the
//! other functions take the keys of the stages that they are about; stages that `match` leaves out do not have one.

mod settings;

use crate::Shader;
use airfoil_air::select::Selected;
use airfoil_air::validate::validate;
use airfoil_air::{bitcode, ll, module::Module};
use airfoil_ir::{Named, Stage, text};
use airfoil_passes::Pipeline;
use airfoil_passes::manager::{Manager, Options};
pub use settings::WORDS;
use settings::{Settings, matches, print, settings};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// The key of a stage, if `AIRFOIL_DEBUG` concerns it.
pub type Key = Option<String>;

/// A source that may be replaced.
#[derive(Clone)]
pub struct Watched<'s, T: ToOwned + ?Sized> {
    /// Its key.
    pub key: Key,
    /// The input.
    pub source: Cow<'s, T>,
}

/// Whether the variable is set.
pub fn is_on() -> bool {
    settings().is_some()
}

/// A GLSL source: lists and dumps it, and returns its replacement.
pub fn source<'s>(name: &str, stage: Stage, text: &'s str) -> Watched<'s, str> {
    let unchanged = Watched { key: None, source: Cow::Borrowed(text) };
    let Some(settings) = settings() else { return unchanged };
    let Some(key) = watch(settings, name, stage.name(), text.as_bytes()) else { return unchanged };
    if settings.glsl {
        dump(settings, &format!("{key}.glsl"), text.as_bytes());
    }
    let found = replacement(settings, &key, "glsl").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Watched { key: Some(key), source: found.map_or(Cow::Borrowed(text), Cow::Owned) }
}

/// A SPIR-V module: lists and dumps it, and returns its replacement.
pub fn module(words: &[u32]) -> Watched<'_, [u32]> {
    let unchanged = Watched { key: None, source: Cow::Borrowed(words) };
    let Some(settings) = settings() else { return unchanged };
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let Some(key) = watch(settings, "", "spirv", &bytes) else { return unchanged };
    if settings.glsl {
        dump(settings, &format!("{key}.spv"), &bytes);
    }
    let words_of = |bytes: Vec<u8>| {
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    };
    let found = replacement(settings, &key, "spv").map(words_of);
    Watched { key: Some(key), source: found.map_or(Cow::Borrowed(words), Cow::Owned) }
}

/// The key of a stage whose source is not known: a hash of its code.
pub fn restored(shader: &Shader) -> Key {
    let settings = settings()?;
    watch(settings, "restored", shader.stage.name(), text::print(shader).as_bytes())
}

/// The key of a stage that is linked from sources with these keys.
pub fn stage_key<'k>(stage: Stage, keys: impl IntoIterator<Item = &'k Key>) -> Key {
    let keys: Vec<&str> = keys.into_iter().flatten().map(String::as_str).collect();
    match *keys {
        [] => None,
        [key] => Some(key.to_owned()),
        _ => Some(key_of(stage.name(), keys.join(" ").as_bytes())),
    }
}

/// The shaders of a program after reading or linking: dumps them, and substitutes replacements.
pub fn shaders(keys: &[Key], shaders: &mut [Shader]) {
    let Some(settings) = settings() else { return };
    for (key, shader) in keys.iter().zip(shaders) {
        let Some(key) = key else { continue };
        if settings.ir {
            dump(settings, &format!("{key}.foil"), text::print(shader).as_bytes());
        }
        let Some(bytes) = replacement(settings, key, "foil") else { continue };
        match crate::steps::read_foil(&String::from_utf8_lossy(&bytes)) {
            Ok(other) if (other.stage, other.form) == (shader.stage, shader.form) => *shader = other,
            Ok(_) => print(&format!("airfoil: {key}.foil is not used: it has another stage or form")),
            Err(errors) => print(&format!("airfoil: {key}.foil is not used: {errors}")),
        }
    }
}

/// Prints the plan of a step.
pub fn plan(step: &str, keys: &[Key], plan: &Pipeline) {
    if let Some(settings) = settings()
        && settings.plan
        && keys.iter().any(Option::is_some)
    {
        print(&format!("airfoil: {}: plan of {step}: {plan}", list(keys)));
    }
}

/// The functions of a library: dumps their IR as it is selected, and their AIR, and replaces the AIR. The names of the files have a hash of
/// the code, since there are several for different states.
pub fn selected(keys: &[Key], shaders: &[Shader], selected: &mut [Selected]) {
    let Some(settings) = settings().filter(|s| s.dump.is_some() || s.replace.is_some()) else { return };
    for ((key, shader), selected) in keys.iter().zip(shaders).zip(selected) {
        let Some(key) = key else { continue };
        let air = ll::print(&selected.module);
        let name = format!("{key}.{}", &hex(air.as_bytes())[..8]);
        if settings.ir {
            dump(settings, &format!("{name}.foil"), text::print(shader).as_bytes());
        }
        if settings.air {
            dump(settings, &format!("{name}.ll"), air.as_bytes());
            dump(settings, &format!("{name}.bc"), &bitcode::write(&selected.module));
        }
        if let Some(bytes) = replacement(settings, &name, "bc") {
            match other_module(&bytes, selected) {
                Ok(module) => selected.module = module,
                Err(why) => print(&format!("airfoil: {name}.bc is not used: {why}")),
            }
        }
    }
}

/// The module of a replacement, which has the function of the original.
fn other_module(bytes: &[u8], selected: &Selected) -> Result<Module, String> {
    let module = bitcode::read(bytes).map_err(|e| e.to_string())?;
    if let Some(violation) = validate(&module).first() {
        return Err(violation.to_string());
    }
    let entry = &selected.reflection.entry;
    match module.functions().iter().any(|f| module.text(f.name) == entry) {
        true => Ok(module),
        false => Err(format!("it does not have the function `{entry}`")),
    }
}

/// Options of managers.
pub fn options() -> Options {
    let (validate, statistics) = settings().map_or((false, false), |s| (s.validate, s.time));
    Options { validate, statistics, ..Options::default() }
}

/// A manager with the [options].
pub fn manager<'m>() -> Manager<'m> {
    Manager::new(options())
}

/// Does a step, and prints its time.
pub fn timed<T>(step: &str, keys: &[Key], work: impl FnOnce() -> T) -> T {
    if !settings().is_some_and(|s| s.time) {
        return work();
    }
    let start = Instant::now();
    let result = work();
    if keys.iter().any(Option::is_some) {
        print(&format!("airfoil: {}: {step}: {} us", list(keys), start.elapsed().as_micros()));
    }
    result
}

/// Prints the slowest passes of a manager.
pub fn slowest(keys: &[Key], manager: &Manager<'_>) {
    if !settings().is_some_and(|s| s.time) || keys.iter().all(Option::is_none) {
        return;
    }
    let mut passes: Vec<_> = manager.statistics().iter().collect();
    passes.sort_by_key(|(_, s)| std::cmp::Reverse(s.time));
    let line = |(name, s): &(&str, &airfoil_passes::manager::PassStatistics)| {
        format!("{name} {} us ({} of {} runs changed it)", s.time.as_micros(), s.changed, s.runs)
    };
    let lines: Vec<String> = passes.iter().take(5).map(line).collect();
    print(&format!("airfoil: {}: slowest passes: {}", list(keys), lines.join(", ")));
}

fn list(keys: &[Key]) -> String {
    keys.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The key of a source that the pattern matches, which is listed.
fn watch(settings: &Settings, name: &str, stage: &str, source: &[u8]) -> Option<String> {
    let key = key_of(stage, source);
    let is_wanted = |pattern: &String| [&key, stage, name].iter().any(|text| matches(pattern, text));
    if !settings.pattern.as_ref().is_none_or(is_wanted) {
        return None;
    }
    if settings.list {
        print(format!("airfoil: {key} {stage} {name}").trim_end());
    }
    Some(key)
}

fn key_of(stage: &str, source: &[u8]) -> String {
    format!("{stage}-{}", &hex(source)[..16])
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn dump(settings: &Settings, file: &str, bytes: &[u8]) {
    let Some(folder) = &settings.dump else { return };
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        // Other threads and processes may write the same file.
        let (path, part) = (folder.join(file), folder.join(format!("{file}.{}.part", unique())));
        std::fs::write(&part, bytes)?;
        std::fs::rename(part, path)
    };
    if let Err(e) = write() {
        print(&format!("airfoil: cannot write {file} to {}: {e}", folder.display()));
    }
}

/// A number that no other thread of the process has, with the process's.
fn unique() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn replacement(settings: &Settings, key: &str, ending: &str) -> Option<Vec<u8>> {
    let path = settings.replace.as_deref()?.join(format!("{key}.{ending}"));
    let found = read(&path)?;
    print(&format!("airfoil: {key}: replaced by {}", path.display()));
    Some(found)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    match std::fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => {
            print(&format!("airfoil: cannot read {}: {e}", path.display()));
            None
        }
    }
}
