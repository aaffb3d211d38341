//! The registry: passes by name, in groups.
//!
//! The built-in passes are declared in the `mod.rs` of their folder, a line per pass, by the macro `passes!`, which
//! also declares the module. [`Registry::builtin`] holds them all. A registry is a value: clone it and
//! [add](Registry::add) passes of your own, which pipelines then know by name
//! ([`Pipeline::parse_with`](crate::Pipeline::parse_with)).

pub(crate) use crate::entry::passes;
pub use crate::entry::{Entry, Group, Made, Setting};
use crate::presets::{self, Preset};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Passes by name.
#[derive(Clone, Debug)]
pub struct Registry {
    groups: Vec<Group>,
    by_name: FxHashMap<&'static str, &'static Entry>,
    presets: Vec<&'static Preset>,
}

impl Registry {
    /// The passes of Airfoil.
    pub fn builtin() -> &'static Registry {
        static BUILTIN: LazyLock<Registry> = LazyLock::new(|| {
            let mut registry = Registry {
                groups: Vec::new(),
                by_name: FxHashMap::default(),
                presets: presets::PRESETS.iter().collect(),
            };
            for group in [
                crate::opt::group(),
                crate::vars::group(),
                crate::lower::group(),
                crate::gl::group(),
                crate::stages::group(),
            ] {
                for entry in group.passes {
                    registry.add(group.name, group.summary, entry);
                }
            }
            registry
        });
        &BUILTIN
    }

    /// Adds a pass to a group, which is created with its summary if there is none of that name.
    ///
    /// ```
    /// use airfoil_ir::{Diagnostic, Shader};
    /// use airfoil_passes::registry::{Entry, Registry};
    /// use airfoil_passes::{Context, Pass, PassInfo, Pipeline, Changes};
    ///
    /// #[derive(Debug, Default)]
    /// struct Nothing;
    /// static INFO: PassInfo = PassInfo::new("nothing", "leaves the shader as it is", "");
    /// impl Pass for Nothing {
    ///     fn info(&self) -> &'static PassInfo {
    ///         &INFO
    ///     }
    ///     fn run(&self, _: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
    ///         Ok(Changes::NONE)
    ///     }
    /// }
    ///
    /// static NOTHING: Entry = Entry::plain::<Nothing>();
    /// let mut registry = Registry::builtin().clone();
    /// registry.add("Mine", "Passes of this program.", &NOTHING);
    /// assert!(Pipeline::parse_with("nothing, dce", &registry).is_ok());
    /// ```
    ///
    /// # Panics
    /// If the registry has a pass of this name.
    pub fn add(&mut self, group: &'static str, summary: &'static str, entry: &'static Entry) {
        let name = entry.name();
        assert!(self.by_name.insert(name, entry).is_none(), "two passes are named `{name}`");
        match self.groups.iter_mut().find(|g| g.name == group) {
            Some(g) => g.passes.push(entry),
            None => self.groups.push(Group { name: group, summary, passes: vec![entry] }),
        }
    }

    /// The pass of a name.
    pub fn find(&self, name: &str) -> Option<&'static Entry> {
        self.by_name.get(name).copied()
    }

    /// Adds a pipeline that other pipelines can name.
    ///
    /// # Panics
    /// If the registry has a pass or preset of this name.
    pub fn add_preset(&mut self, preset: &'static Preset) {
        let taken = self.find(preset.name).is_some() || self.find_preset(preset.name).is_some();
        assert!(!taken, "the name `{}` is taken", preset.name);
        self.presets.push(preset);
    }

    /// The preset of a name.
    pub fn find_preset(&self, name: &str) -> Option<&'static Preset> {
        self.presets.iter().find(|p| p.name == name).copied()
    }

    /// The presets.
    pub fn presets(&self) -> &[&'static Preset] {
        &self.presets
    }

    /// The groups, in order of their registration.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Every pass, by groups.
    pub fn iter(&self) -> impl Iterator<Item = &'static Entry> + '_ {
        self.groups.iter().flat_map(|g| g.passes.iter().copied())
    }

    /// How many passes there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are no passes.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn options_agree() {
        for e in Registry::builtin().iter() {
            let name = e.make(&[]).map(|made| match made {
                Made::Shader(pass) => pass.info().name,
                Made::Program(pass) => pass.info().name,
            });
            assert_eq!(name, Ok(e.name()));
            let bad = [Setting { name: "no_such_option".into(), value: "1".into() }];
            assert!(e.make(&bad).is_err(), "{}", e.name());
            for o in e.options() {
                let setting = Setting { name: o.name.into(), value: (o.default)() };
                assert!(!o.summary.is_empty(), "{}", o.name);
                // Defaults written as Rust expressions (flag sets) need not parse back.
                let _ = e.make(&[setting]);
                // A value other than the default is part of the step's text.
                for value in ["true", "false", "7"].into_iter().filter(|&value| value != (o.default)()) {
                    let setting = Setting { name: o.name.into(), value: value.into() };
                    if let Ok(Made::Shader(pass)) = e.make(&[setting]) {
                        assert_eq!(pass.options(), [(o.name, value.to_string())], "{}", e.name());
                    }
                }
            }
        }
    }

    /// A file that declares a pass and is not in its folder's list would never be compiled.
    #[test]
    fn every_file_of_a_pass_is_registered() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let folders = ["opt", "vars", "lower", "gl", "stages"];
        let mut files = 0;
        for folder in folders {
            for path in std::fs::read_dir(src.join(folder)).unwrap().map(|e| e.unwrap().path()) {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                if !text.contains("\nimpl Pass for ") && !text.contains("\nimpl ProgramPass for ") {
                    continue;
                }
                files += 1;
                let name = path.file_stem().unwrap().to_string_lossy();
                let found = Registry::builtin().find(&name).is_some();
                assert!(found, "{} is not listed in passes/src/{folder}/mod.rs", path.display());
            }
        }
        assert_eq!(files, Registry::builtin().len(), "a pass has no file of its own");
    }
}
