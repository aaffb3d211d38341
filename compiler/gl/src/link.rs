//! Linking: shader objects to a program.

use crate::budget::Budget;
use crate::device::Device;
use crate::link_options::LinkOptions;
use crate::log::{Log, file_name, name_objects, string_in_link};
use crate::program::Program;
use crate::shader::ShaderObject;
use airfoil::debug::{self, Key};
use airfoil::glsl::{self, Unit};
use airfoil::ir::{DepthMode, Diagnostic};
use std::sync::Arc;

impl Device {
    /// Links shader objects (`glLinkProgram`). A failed link leaves the objects and programs linked before as they are.
    ///
    /// # Errors
    /// The info log: an object that is not compiled, everything that is wrong with the program, and resources that
    /// exceed Metal's limits.
    pub fn link(&self, objects: &[&ShaderObject], options: &LinkOptions) -> Result<Arc<Program>, Log> {
        self.link_within(objects, options, &Budget::default())
    }

    /// The same with bounds.
    ///
    /// # Errors
    /// As [`Device::link`], or an exceeded bound.
    pub fn link_within(
        &self,
        objects: &[&ShaderObject],
        options: &LinkOptions,
        budget: &Budget,
    ) -> Result<Arc<Program>, Log> {
        let entry = self.program_key(objects, options);
        if let Some(program) = entry.as_ref().and_then(|entry| self.cached_program(entry, objects, options)) {
            budget.check(0)?;
            return Ok(Arc::new(program));
        }
        let program = Arc::new(self.new_link(objects, options, budget)?);
        if let Some(entry) = entry {
            self.keep_program(&entry, &program);
        }
        Ok(program)
    }

    fn new_link(
        &self,
        objects: &[&ShaderObject],
        options: &LinkOptions,
        budget: &Budget,
    ) -> Result<Program, Log> {
        let units = units(objects, 0)?;
        let link = self.link_options(&units, options, budget);
        let linked = |keys: &[Key]| debug::timed("link", keys, || glsl::link(units, &link));
        let own = objects.iter().map(|&o| o.clone()).collect();
        self.new_program(objects, Some(own), options, linked, budget)
    }

    /// The program that a front end links of these objects.
    pub(crate) fn new_program(
        &self,
        objects: &[&ShaderObject],
        own: Option<Vec<ShaderObject>>,
        options: &LinkOptions,
        link: impl FnOnce(&[Key]) -> Result<glsl::Program, Vec<Diagnostic>>,
        budget: &Budget,
    ) -> Result<Program, Log> {
        let names: Vec<&str> = objects.iter().map(|o| o.name()).collect();
        let named = |mut list: Vec<Diagnostic>| {
            name_objects(&mut list, &names);
            Log::from(list)
        };
        let found: Vec<Key> = objects.iter().map(|o| o.key().clone()).collect();
        let mut linked = link(&found).map_err(named)?;
        for file in linked.shaders.iter_mut().flat_map(|shader| &mut shader.files) {
            if let Some(name) = file_name(file, &names) {
                *file = name.into();
            }
        }
        let of_stage = |stage| objects.iter().filter(move |o| o.stage() == stage).map(|o| o.key());
        let keys: Vec<Key> =
            linked.shaders.iter().map(|s| debug::stage_key(s.stage, of_stage(s.stage))).collect();
        debug::shaders(&keys, &mut linked.shaders);
        let warnings = named(std::mem::take(&mut linked.warnings));
        Program::new(self, own, options.clone(), linked, keys, warnings, budget)
    }

    pub(crate) fn link_options(
        &self,
        units: &[Unit],
        options: &LinkOptions,
        budget: &Budget,
    ) -> glsl::link::LinkOptions {
        let device = self.options();
        let is_es = units.iter().any(|u| u.version.is_es());
        let limits = if is_es { &device.es_limits } else { &device.limits };
        glsl::link::LinkOptions {
            separable: options.separable,
            limits: limits.clone(),
            attribute_bindings: options.attribute_bindings.clone(),
            frag_data_bindings: options.frag_data_bindings.clone(),
            transform_feedback: options.transform_feedback.clone(),
            depth_mode: DepthMode::State,
            stop: budget.stop(),
            ..glsl::link::LinkOptions::default()
        }
    }
}

impl Program {
    /// Links the same objects with other options.
    ///
    /// # Errors
    /// As [`Device::link`], or the program is a [pipeline](Device::pipeline), or was [restored](Device::restore) and is not separable.
    pub fn relink(&self, options: &LinkOptions) -> Result<Arc<Program>, Log> {
        let objects = self.linkable_objects(&Budget::default())?;
        let objects: Vec<&ShaderObject> = objects.iter().collect();
        self.device().link(&objects, options)
    }
}

/// The units of the objects; their code is shared. Locations in them identify the object, whose index is counted from `first`.
pub(crate) fn units(objects: &[&ShaderObject], first: usize) -> Result<Vec<Unit>, Log> {
    let mut faults = Vec::new();
    let mut units = Vec::with_capacity(objects.len());
    for (n, object) in objects.iter().enumerate() {
        let Some(unit) = object.unit() else {
            let message = format!("`{}` is not compiled", object.name());
            faults.push(Diagnostic::error("E0951", message));
            continue;
        };
        let mut unit = unit.clone();
        unit.lines.renumber_strings(|s| string_in_link(first + n, s));
        units.push(unit);
    }
    match faults.is_empty() {
        true => Ok(units),
        false => Err(faults.into()),
    }
}
