//! Source locations of a function: its compile unit, subprogram and scopes, and the location of each instruction.

use super::names::ValueNames;
use super::types::DebugTypes;
use crate::PRODUCER;
use crate::inspect::path_in;
use crate::module::{Attachment, Builder, Location, Md, Module, Value, di};
use crate::select::options::DebugOptions;
use airfoil_ir::{Loc, Shader};

/// `DW_LANG_C_plus_plus_14`
const LANGUAGE: u64 = 0x21;
/// `DIFlagPrototyped`
const PROTOTYPED: u64 = 1 << 8;
/// Emission kind `FullDebug`.
const FULL_DEBUG: u64 = 1;
/// First field of a record whose node is never merged.
const DISTINCT: u64 = 1;

/// The scopes of a function, and up to where its instructions have their locations.
pub(crate) struct Locations<'a> {
    shader: &'a Shader,
    options: &'a DebugOptions,
    pub(crate) subprogram: Md,
    /// File of the subprogram, as a number among the shader's files.
    file: Option<u32>,
    /// Its record.
    pub(crate) node: Md,
    pub(crate) line: u32,
    path: String,
    /// Scope of each other file, once one of its lines was used.
    scopes: Vec<Option<Md>>,
    /// Instructions before this one have been dealt with.
    pub(crate) done: usize,
    pub(crate) types: DebugTypes,
    /// `llvm.dbg.value`, once a variable was found.
    pub(crate) says_value: Option<Value>,
    /// The empty expression.
    pub(crate) expression: Option<Md>,
    /// Names of values.
    pub(crate) names: ValueNames<'a>,
}

impl<'a> Locations<'a> {
    /// Makes the compile unit and the subprogram of `function`.
    pub(crate) fn new(
        m: &mut Module,
        shader: &'a Shader,
        options: &'a DebugOptions,
        function: Value,
    ) -> Locations<'a> {
        let head = shader.entry.and_then(|f| shader.functions.get(f)).map_or(Loc::NONE, |f| f.loc);
        let file = head.file().or((!shader.files.is_empty()).then_some(0));
        let mut locations = Locations {
            shader,
            options,
            subprogram: Md::NULL,
            file,
            node: Md::NULL,
            line: head.line(),
            path: String::new(),
            scopes: vec![None; shader.files.len()],
            done: 0,
            types: DebugTypes::default(),
            says_value: None,
            expression: None,
            names: ValueNames::new(shader),
        };
        let name = locations.file_name(file);
        locations.path = path_in(&options.directory, name);
        let null = Md::NULL.word();
        locations.node = locations.file_node(m, file);
        let node = locations.node.word();
        let producer = m.md_str(PRODUCER).word();
        // Optimised, no flags, runtime version 0, no split file; no enumerations, types, functions, globals, imports;
        // no identifier, no macros, inlined scopes stay, not for profiles.
        let unit = [
            DISTINCT, LANGUAGE, node, producer, 1, null, 0, null, FULL_DEBUG, null, null, null, null, null,
            0, null, 1, 0,
        ];
        let unit = m.md_debug(di::COMPILE_UNIT, &unit, true);
        m.add_named_md("llvm.dbg.cu", unit);
        let types = m.md_node(&[Md::NULL]).word();
        /// References are to nodes, not to identifiers of types.
        const NEW_REFERENCES: u64 = 2;
        let ty = m.md_debug(di::SUBROUTINE_TYPE, &[NEW_REFERENCES, 0, types, 0], false).word();
        let (line, name) = (u64::from(locations.line), m.md_str(&shader.name).word());
        let variables = m.md_node(&[]).word();
        /// The unit is a field.
        const HAS_UNIT: u64 = 2;
        // Scope, name, linkage name, file, line, type; not local, a definition; line of the body; not virtual (4 fields);
        // optimised, unit; no template, no declaration, variables, no adjustment of `this`, throws nothing.
        let subprogram = [
            DISTINCT | HAS_UNIT,
            node,
            name,
            null,
            node,
            line,
            ty,
            0,
            1,
            line,
            null,
            0,
            0,
            PROTOTYPED,
            1,
            unit.word(),
            null,
            null,
            variables,
            0,
            null,
        ];
        locations.subprogram = m.md_debug(di::SUBPROGRAM, &subprogram, true);
        m.attach_symbol(function, Attachment::DBG, locations.subprogram);
        locations
    }

    /// Line of the function, zero if it is unknown.
    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    /// Path of the function's file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn file_name(&self, file: Option<u32>) -> &'a str {
        let named = file.and_then(|f| self.shader.files.get(f as usize)).filter(|name| !name.is_empty());
        match named {
            Some(name) => name,
            None if !self.options.file.is_empty() => &self.options.file,
            None => &self.shader.name,
        }
    }

    fn file_node(&self, m: &mut Module, file: Option<u32>) -> Md {
        let name = m.md_str(self.file_name(file)).word();
        let directory = match self.options.directory.as_str() {
            "" => Md::NULL,
            directory => m.md_str(directory),
        };
        m.md_debug(di::FILE, &[0, name, directory.word()], false)
    }

    /// The scope of a line in a file.
    fn scope(&mut self, m: &mut Module, file: u32) -> Md {
        let known = match self.scopes.get(file as usize) {
            Some(known) if self.file != Some(file) => *known,
            _ => return self.subprogram,
        };
        known.unwrap_or_else(|| {
            let node = self.file_node(m, Some(file));
            let scope = [0, self.subprogram.word(), node.word(), 0];
            let scope = m.md_debug(di::LEXICAL_BLOCK_FILE, &scope, false);
            self.scopes[file as usize] = Some(scope);
            scope
        })
    }

    /// Sets the location of the instructions that have been added since the last call.
    pub(crate) fn locate(&mut self, b: &mut Builder<'_>, loc: Loc) {
        let first = std::mem::replace(&mut self.done, b.body().insts().len());
        let Some(file) = loc.file().filter(|_| first < self.done) else { return };
        let scope = self.scope(b.module, file);
        let place =
            Location { inst: 0, line: loc.line(), column: 0, scope, inlined_at: Md::NULL, implicit: false };
        b.locate(first, place);
    }

    /// Sets a location in any case: calls of debug intrinsics require one.
    pub(crate) fn locate_always(&mut self, b: &mut Builder<'_>, loc: Loc) {
        if loc.file().is_some() {
            return self.locate(b, loc);
        }
        let first = std::mem::replace(&mut self.done, b.body().insts().len());
        let (scope, inlined_at) = (self.subprogram, Md::NULL);
        b.locate(first, Location { inst: 0, line: 0, column: 0, scope, inlined_at, implicit: false });
    }
}
