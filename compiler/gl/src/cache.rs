//! Links and variants by the disk cache.
//!
//! A program has the key of its sources and options, so that a link is served without a link; a function has the key of the
//! program's [identity](Program::identity) and of the state. While `AIRFOIL_DEBUG` is set the cache is not used, since
//! shaders would be missing in its lists. The cache never makes a call fail: entries that cannot be read are missing, and those that
//! cannot be written are left out.

use crate::code::Stored;
use crate::depends::Depends;
use crate::device::Device;
use crate::link_options::LinkOptions;
use crate::log::{Log, Message};
use crate::program::Program;
use crate::shader::ShaderObject;
use crate::specialize::Specialization;
use crate::state::{StateKey, StateMask};
use crate::variant::Function;
use airfoil::Reflection;
use airfoil::debug;
use airfoil::glsl::link::Reflection as GlReflection;
use airfoil::ir::{Named, Stage};
use airfoil::transform_feedback::captures;
use airfoil_cache::{Cache, Key};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

/// An entry of a program.
#[derive(Serialize, Deserialize)]
struct ProgramEntry<'a> {
    identity: [u8; 32],
    /// The fields that each stage depends on, with the number of the stage.
    stages: Vec<(u32, u64)>,
    reflection: GlReflection,
    warnings: Vec<Message>,
    /// The bytes of [`Program::store`]: the end of the entry.
    #[serde(borrow)]
    file: &'a [u8],
}

/// An entry of a function.
#[derive(Serialize, Deserialize)]
struct FunctionEntry<'a> {
    /// As JSON.
    reflection: &'a str,
    metallib: &'a [u8],
}

impl Device {
    /// The cache, if it is in use.
    fn used_cache(&self) -> Option<&Cache> {
        self.cache().filter(|_| !debug::is_on())
    }

    /// The key of a shader object. Its name is in logs and in locations of the code.
    pub(crate) fn shader_key(&self, name: &str, stage: Stage, strings: &[&str]) -> Option<Key> {
        self.used_cache()?;
        let stage = stage.number().to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![self.digest(), name.as_bytes(), &stage];
        parts.extend(strings.iter().map(|s| s.as_bytes()));
        Some(Key::of("shader", &parts))
    }

    /// The key of a shader object of a SPIR-V module.
    pub(crate) fn module_key(&self, name: &str, stage: Stage, of: &Specialization<'_>) -> Option<Key> {
        self.used_cache()?;
        let stage = stage.number().to_le_bytes();
        let words: Vec<u8> = of.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let constants: Vec<u8> = of
            .constants
            .iter()
            .flat_map(|(id, bits)| [id.to_le_bytes(), bits.to_le_bytes()].concat())
            .collect();
        let parts = [self.digest(), name.as_bytes(), &stage, &words, of.entry.as_bytes(), &constants];
        Some(Key::of("module", &parts))
    }

    /// The key of a link; `None` if the cache is not used.
    pub(crate) fn program_key(&self, objects: &[&ShaderObject], options: &LinkOptions) -> Option<Key> {
        self.used_cache()?;
        let options = airfoil_store::encode(options).ok()?;
        let mut parts: Vec<&[u8]> = vec![self.digest(), &options];
        for object in objects.iter().filter(|o| o.status()) {
            parts.push(object.digest()?.bytes());
        }
        // Objects that are not compiled are errors of the link.
        (parts.len() == objects.len() + 2).then(|| Key::of("program", &parts))
    }

    /// The program with a key.
    pub(crate) fn cached_program(
        &self,
        key: &Key,
        objects: &[&ShaderObject],
        options: &LinkOptions,
    ) -> Option<Program> {
        let entry = self.used_cache()?.get(key)?;
        let found: ProgramEntry<'_> = airfoil_store::decode(&entry).ok()?;
        let ProgramEntry { identity, stages, reflection, warnings, file } = found;
        let file = file.len();
        let depends = stages.iter().map(|s| StateMask::from_bits(s.1)).collect::<Option<Vec<_>>>()?;
        Some(Program {
            device: self.clone(),
            objects: Some(objects.iter().map(|&o| o.clone()).collect()),
            sources: Vec::new(),
            options: options.clone(),
            captures: captures(&reflection.transform_feedback),
            reflection,
            log: Log::restored(warnings)?,
            stages: stages.iter().map(|s| Stage::from_number(s.0)).collect::<Option<_>>()?,
            code: OnceLock::new(),
            serial: None,
            stored: Some(Stored { entry, file }),
            depends: Depends::known(depends),
            identity: identity.into(),
        })
    }

    /// Stores a program.
    pub(crate) fn keep_program(&self, key: &Key, program: &Program) {
        let (Some(cache), Some(warnings)) = (self.used_cache(), program.log().stored()) else { return };
        let Ok(file) = program.store() else { return };
        let stage = |stage: Stage| (stage.number(), program.alone(Some(stage), StateMask::all()).bits());
        let entry = ProgramEntry {
            identity: program.identity(),
            stages: program.stages().map(stage).collect(),
            reflection: program.reflection().clone(),
            warnings,
            file: &file,
        };
        if let Ok(bytes) = airfoil_store::encode(&entry) {
            // Without it the next link takes longer.
            let _ = cache.put(key, &bytes);
        }
    }
}

impl Program {
    /// The key of a function; `None` if the cache is not used.
    pub(crate) fn function_key(&self, stage: Stage, state: &StateKey) -> Option<Key> {
        self.device().used_cache()?;
        let mut bytes = Bytes(Vec::new());
        state.hash(&mut bytes);
        Some(Key::of("function", &[&self.identity(), &stage.number().to_le_bytes(), &bytes.0]))
    }

    /// The function with a key.
    pub(crate) fn cached_function(&self, stage: Stage, key: &Key) -> Option<Function> {
        let entry = self.device().used_cache()?.get(key)?;
        let FunctionEntry { reflection, metallib } = airfoil_store::decode(&entry).ok()?;
        let reflection = Reflection::from_json(reflection).ok()?;
        let metallib = metallib.to_vec();
        Some(Function { stage, name: reflection.entry.clone(), metallib, reflection })
    }

    /// Stores a function.
    pub(crate) fn keep_function(&self, key: &Key, function: &Function) {
        let Some(cache) = self.device().used_cache() else { return };
        let reflection = function.reflection.to_json();
        let entry = FunctionEntry { reflection: &reflection, metallib: &function.metallib };
        if let Ok(bytes) = airfoil_store::encode(&entry) {
            // Without it the next variant takes longer.
            let _ = cache.put(key, &bytes);
        }
    }
}

/// The bytes that a value hashes: of plain data, all of it.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}
