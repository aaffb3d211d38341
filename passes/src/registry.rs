//! The registry: passes by name, in groups.
//!
//! The built-in passes are declared in the `mod.rs` of their folder, a line per pass, by the macro `passes!`, which
//! also declares the module. [`Registry::builtin`] holds them all. A registry is a value: clone it and
//! [add](Registry::add) passes of your own, types or [closures](crate::FunctionPass). Pipelines then know them by name
//! ([`Pipeline::parse_with`](crate::Pipeline::parse_with)), and so does all that takes a pipeline: the manager with its
//! checks, bisection, reduction, statistics.

pub(crate) use crate::entry::passes;
pub use crate::entry::{Entry, Group, Made, Setting};
use crate::presets::{self, Preset};
use airfoil_ir::Diagnostic;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// Words of the syntax of pipelines, which are not names of passes.
pub(crate) const WORDS: [&str; 3] = ["loop", "on", "group"];

/// Passes by name.
#[derive(Clone, Debug)]
pub struct Registry {
    groups: Vec<Group>,
    by_name: FxHashMap<String, Arc<Entry>>,
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
                // Tests register them all: names do not clash.
                for entry in &group.passes {
                    registry.by_name.insert(entry.name().to_string(), entry.clone());
                }
                registry.groups.push(group);
            }
            registry
        });
        &BUILTIN
    }

    /// Adds a pass to a group, which is created with its summary if there is none of that name.
    ///
    /// A pass of a type, of which pipelines make a value for each step:
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
    /// let mut registry = Registry::builtin().clone();
    /// registry.add("Mine", "Passes of this program.", Entry::plain::<Nothing>())?;
    /// assert!(Pipeline::parse_with("nothing, dce", &registry).is_ok());
    /// # Ok::<(), Diagnostic>(())
    /// ```
    ///
    /// # Errors
    /// E0804 if pipelines cannot have a pass of this name.
    pub fn add(
        &mut self,
        group: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
        entry: Entry,
    ) -> Result<(), Diagnostic> {
        let name = entry.name().to_string();
        self.check_name(&name)?;
        let (group, entry) = (group.into(), Arc::new(entry));
        self.by_name.insert(name, entry.clone());
        match self.groups.iter_mut().find(|g| g.name == group) {
            Some(g) => g.passes.push(entry),
            None => self.groups.push(Group { name: group, summary: summary.into(), passes: vec![entry] }),
        }
        Ok(())
    }

    /// Checks that a new pass or preset can have this name.
    ///
    /// # Errors
    /// E0804 with the reason.
    pub fn check_name(&self, name: &str) -> Result<(), Diagnostic> {
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let fault = if name.is_empty() || !name.chars().all(letter) {
            "expected ASCII letters, digits, `_` and `-`"
        } else if WORDS.contains(&name) {
            "pipelines have a word of this name"
        } else if self.find(name).is_some() {
            "there is a pass of this name"
        } else if self.find_preset(name).is_some() {
            "there is a preset of this name"
        } else {
            return Ok(());
        };
        Err(Diagnostic::error("E0804", format!("`{}` cannot be registered: {fault}", name.escape_debug())))
    }

    /// The pass of a name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|entry| &**entry)
    }

    /// Adds a pipeline that other pipelines can name.
    ///
    /// # Errors
    /// As [`Registry::add`].
    pub fn add_preset(&mut self, preset: &'static Preset) -> Result<(), Diagnostic> {
        self.check_name(preset.name)?;
        self.presets.push(preset);
        Ok(())
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
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.groups.iter().flat_map(|g| g.passes.iter().map(|entry| &**entry))
    }

    /// How many passes there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether the registry has no passes.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Changes, FunctionPass, PassInfo};
    use std::path::Path;

    #[test]
    fn options_agree() {
        for e in Registry::builtin().iter() {
            let name = e.make(&[]).map(|made| made.info().name.to_string());
            assert_eq!(name.as_deref(), Ok(e.name()));
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

    #[test]
    fn names_are_checked() {
        let mut registry = Registry::builtin().clone();
        let mut add = |name: &str| {
            let info = PassInfo::of(name.to_string().into(), "does nothing".into(), "".into());
            let pass = FunctionPass::new(info, |_, _| Ok(Changes::NONE));
            registry.add("Mine", "Passes of a test.", Entry::value(pass)).map_err(|fault| fault.to_string())
        };
        assert_eq!(add("mine-2"), Ok(()));
        for (name, fault) in [
            ("mine-2", "there is a pass of this name"),
            ("dce", "there is a pass of this name"),
            ("O2", "there is a preset of this name"),
            ("loop", "pipelines have a word of this name"),
            ("a b", "expected ASCII letters, digits, `_` and `-`"),
            ("", "expected ASCII letters, digits, `_` and `-`"),
        ] {
            assert_eq!(add(name), Err(format!("error[E0804]: `{name}` cannot be registered: {fault}")));
        }
        assert_eq!(registry.len(), Registry::builtin().len() + 1);
        assert_eq!(registry.groups().last().map(|g| (&*g.name, g.passes.len())), Some(("Mine", 1)));
        assert_eq!(registry.iter().count(), registry.len());
        let settings = [Setting { name: "limit".into(), value: "1".into() }];
        let made = registry.find("mine-2").map(|entry| entry.make(&settings).is_ok());
        assert_eq!(made, Some(false));
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
