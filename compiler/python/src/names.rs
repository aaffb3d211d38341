//! Names of stages, levels and targets.

use crate::diagnostic::unknown;
use airfoil::ir::Named;
use airfoil::{OptLevel, Stage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fmt::Display;
use std::str::FromStr;

/// The stage of a name, such as `"fragment"`.
pub fn stage(name: &str) -> PyResult<Stage> {
    let names = || Stage::ALL.iter().map(|stage| stage.name());
    Stage::from_name(name).ok_or_else(|| unknown("stage", name, names()))
}

/// The level of a name.
pub fn level(name: &str) -> PyResult<OptLevel> {
    const LEVELS: [OptLevel; 2] = [OptLevel::O0, OptLevel::O2];
    let found = LEVELS.into_iter().find(|level| level.name() == name);
    found.ok_or_else(|| unknown("level", name, LEVELS.map(OptLevel::name)))
}

/// The target of a name, or the default one.
pub fn target<T: FromStr + Default>(name: Option<&str>) -> PyResult<T>
where
    T::Err: Display,
{
    name.map_or_else(
        || Ok(T::default()),
        |name| name.parse().map_err(|e: T::Err| PyValueError::new_err(e.to_string())),
    )
}
