//! The constructs of AIR that a library uses: rows of the table of `air.*` functions, and the words of its metadata.

use airfoil::air::functions::AirFunction;
use airfoil::air::module::Module;
use airfoil::air::{bitcode, metallib};
use std::collections::{BTreeMap, BTreeSet};

/// The constructs of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constructs {
    /// Rows of the table of functions (`air.fabs.{F}`) and words of the metadata (`air.position`), each once, in order.
    pub all: Vec<String>,
    /// Names of the functions that are declared.
    pub calls: Vec<String>,
}

/// Words that name options rather than constructs.
fn is_word(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.');
    text.starts_with("air.") && text.len() < 64 && text.chars().all(fits)
}

fn add(module: &Module, all: &mut BTreeSet<String>, calls: &mut BTreeSet<String>) {
    for f in module.functions().iter().filter(|f| f.body.is_none()) {
        let name = module.text(f.name);
        calls.insert(name.to_owned());
        if name.starts_with("air.") {
            all.insert(AirFunction::parse(name).map_or(name.to_owned(), |f| f.base.info().name.to_owned()));
        }
    }
    let strings = module.metadata().strings().iter().map(|&s| module.text(s));
    let named = module.metadata().named().iter().map(|n| module.text(n.name));
    all.extend(strings.chain(named).filter(|s| is_word(s)).map(str::to_owned));
}

/// The constructs of a library from any compiler.
///
/// # Errors
/// The library or a module of it cannot be read.
pub fn of_library(bytes: &[u8]) -> Result<Constructs, String> {
    let library = metallib::read(bytes).map_err(|e| e.to_string())?;
    let (mut all, mut calls) = (BTreeSet::new(), BTreeSet::new());
    for function in &library.functions {
        let bytes = function.bitcode().map_err(|e| e.to_string())?;
        let module = bitcode::read(bytes).map_err(|e| e.to_string())?;
        add(&module, &mut all, &mut calls);
    }
    Ok(Constructs { all: all.into_iter().collect(), calls: calls.into_iter().collect() })
}

/// How many functions of a library use each construct. Modules that cannot be read are left out.
///
/// # Errors
/// The library cannot be read.
pub fn counts(bytes: &[u8]) -> Result<BTreeMap<String, usize>, String> {
    let library = metallib::read(bytes).map_err(|e| e.to_string())?;
    let mut counts = BTreeMap::new();
    for function in &library.functions {
        let Some(module) = function.bitcode().ok().and_then(|b| bitcode::read(b).ok()) else { continue };
        let (mut all, mut calls) = (BTreeSet::new(), BTreeSet::new());
        add(&module, &mut all, &mut calls);
        all.into_iter().for_each(|c| *counts.entry(c).or_insert(0) += 1);
    }
    Ok(counts)
}
