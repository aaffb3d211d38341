//! Debug information: which line of the source each instruction comes from.
//!
//! The module gets what Apple's compiler writes with `-g`: a compile unit (`DICompileUnit`, full debug, optimised), the
//! files, a `DISubprogram` for the entry function, and a place for each instruction whose line the IR knows. The records
//! have the form of LLVM 5, which all later readers take, too.
//!
//! | what | where from |
//! |---|---|
//! | line of the function | `Function::loc` of the entry |
//! | line of an instruction | `Instr::loc` of what it was selected for; branches have that of the last instruction before |
//! | column | not kept by the IR: zero, which DWARF reads as unknown |
//! | scope of a line in another file | a `DILexicalBlockFile` in the function |
//!
//! Calls have been inlined before selection and the IR does not keep from where: lines of helpers count as lines of the
//! entry function. The [`variables`] of the source are those that arguments hold,
//! and those whose [`values`] have names. The language is C++14 as in Apple's
//! files: DWARF 4 has no number for GLSL.

mod types;
mod values;
mod variables;

pub(crate) use types::Layout;
pub(crate) use variables::{SourceArgument, SourceType};

use crate::inspect::path_in;
use crate::module::{Attachment, Builder, Location, Md, Module, Value, di};
use crate::select::body::Emit;
use crate::select::metadata::PRODUCER;
use crate::select::options::DebugOptions;
use airfoil_ir::{Loc, Shader};
use types::DebugTypes;
use values::Known;

/// `DW_LANG_C_plus_plus_14`
const LANGUAGE: u64 = 0x21;
/// `DIFlagPrototyped`
const PROTOTYPED: u64 = 1 << 8;
/// Emission kind `FullDebug`.
const FULL_DEBUG: u64 = 1;
/// First field of a record whose node is never merged.
const DISTINCT: u64 = 1;

/// The scopes of a function, and up to where its instructions have their places.
pub(crate) struct Places<'a> {
    shader: &'a Shader,
    options: &'a DebugOptions,
    subprogram: Md,
    /// File of the subprogram, as a number among the shader's files.
    file: Option<u32>,
    /// Its record.
    node: Md,
    line: u32,
    path: String,
    /// Scope of each other file, once a line of it was met.
    scopes: Vec<Option<Md>>,
    /// Instructions before this one have been dealt with.
    done: usize,
    types: DebugTypes,
    /// `llvm.dbg.value`, once a variable was met.
    says_value: Option<Value>,
    /// The empty expression.
    expression: Option<Md>,
    /// Names of values.
    known: Known<'a>,
}

impl<'a> Places<'a> {
    /// Makes the compile unit and the subprogram of `function`.
    pub(crate) fn new(
        m: &mut Module,
        shader: &'a Shader,
        options: &'a DebugOptions,
        function: Value,
    ) -> Places<'a> {
        let head = shader.entry.and_then(|f| shader.functions.get(f)).map_or(Loc::NONE, |f| f.loc);
        let file = head.file().or((!shader.files.is_empty()).then_some(0));
        let mut places = Places {
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
            known: Known::new(shader),
        };
        let name = places.file_name(file);
        places.path = path_in(&options.directory, name);
        let null = Md::NULL.word();
        places.node = places.file_node(m, file);
        let node = places.node.word();
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
        let (line, name) = (u64::from(places.line), m.md_str(&shader.name).word());
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
        places.subprogram = m.md_debug(di::SUBPROGRAM, &subprogram, true);
        m.attach_symbol(function, Attachment::DBG, places.subprogram);
        places
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

    /// Gives the instructions that have been added since the last time their place.
    pub(crate) fn locate(&mut self, b: &mut Builder<'_>, loc: Loc) {
        let first = std::mem::replace(&mut self.done, b.body().insts().len());
        let Some(file) = loc.file().filter(|_| first < self.done) else { return };
        let scope = self.scope(b.module, file);
        let place =
            Location { inst: 0, line: loc.line(), column: 0, scope, inlined_at: Md::NULL, implicit: false };
        b.locate(first, place);
    }
}

impl Emit<'_> {
    /// Says where the instructions come from that were added since it was said last.
    pub(crate) fn come_from(&mut self, loc: Loc) {
        if let Some(places) = &mut self.places {
            places.locate(&mut self.b, loc);
        }
    }
}
