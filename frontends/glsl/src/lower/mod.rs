//! Lowering: the typed tree of a linked shader to the IR, in form `variables`.
//!
//! [`Module`] is the state of the shader, [`Lowerer`] that of the function that is lowered. One concept per file:
//!
//! * `value`: values and places; `types`: types of variables; `place`: l-values, loads, stores.
//! * `variables`, `interface`, `uniforms`, `stage`: storage of global variables and the declarations of the stage.
//! * `expr`, `operator`, `construct`, `compare`, `assign`, `call`: expressions.
//! * `stmt`, `flow`, `switch`, `chain`: statements; `structure`: ifs and loops, and the values of locals across them; `inline`: calls
//!   that are replaced by code.
//! * `survey`: facts about expressions and statements; `stores`: stores to locals; `precise`: the computations that must be exact; `relaxed`: those that
//!   may have medium precision.
//! * `builtin`: built-in functions; `fold`: the same on constants.

mod assign;
mod builtin;
mod call;
mod chain;
mod compare;
mod construct;
mod error;
mod expr;
mod flow;
pub mod fold;
mod frame;
mod home;
mod inline;
mod interface;
mod operator;
mod place;
mod precise;
mod relaxed;
mod stage;
mod state;
mod stmt;
mod stores;
mod structure;
mod survey;
mod switch;
mod type_cache;
mod types;
mod uniforms;
mod value;
mod variables;

#[cfg(test)]
mod tests;

pub use crate::shapes::{columns_of, lanes_of, scalar_of, shape_of};
pub use error::{LIMIT, MALFORMED, Res, UNSUPPORTED, error, fail};
pub use home::Home;
pub use stage::view_mask;
pub use state::{Leaf, Lowerer, Module};
pub use value::{Columns, Place, PlaceKind, Value};

use crate::hir::{self, Unit};
use crate::link::layout::Layouts;
use airfoil_ir::{
    Body, Builder, Cursor, DepthMode, Diagnostic, Loc, LocalValues, Place as SourcePlace, Shader, Stop,
};
use inline::Inlining;
use precise::Exact;
use relaxed::Relaxed;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use smallvec::SmallVec;
use stores::Stores;
use survey::Survey;
use type_cache::TypeCache;

/// Options of lowering.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Name of the shader's entry function; `main` if empty.
    pub name: String,
    /// Names of the source strings, by index; others are named by their index.
    pub files: Vec<String>,
    /// Result of shadow lookups in the compatibility profile.
    pub depth_mode: DepthMode,
    /// Whether nothing is simplified: see [`Builder::raw`]; implies `keep_locals`.
    pub raw: bool,
    /// Whether all locals stay variables and calls stay calls.
    pub keep_locals: bool,
    /// Stops the lowering.
    pub stop: Stop,
}

/// Lowers a linked unit.
///
/// # Errors
/// If the shader uses features that the IR cannot express, or is too large.
pub fn lower(unit: &Unit, options: &LowerOptions) -> Result<Shader, Vec<Diagnostic>> {
    let mut m = Module::new(unit);
    m.depth_mode = options.depth_mode;
    m.raw = options.raw;
    m.values = !options.raw && !options.keep_locals;
    m.stop = options.stop.clone();
    let mut errors = Vec::new();
    let name = if options.name.is_empty() { "main" } else { &options.name };
    m.shader.name = name.into();
    let started = match unit.main {
        Some(main) => m.entry(main, name),
        None => fail(MALFORMED, "the shader has no main function"),
    };
    errors.extend(started.err().map(|e| *e));
    // Holds the body that is built; the function has an empty one until then.
    let mut body = Body::new();
    let mut next = 0;
    while let Some(&f) = m.queue.get(next) {
        if let Err(e) = m.lower_function(f, next == 0, &mut body) {
            errors.push(*e);
            body = Body::new();
        }
        next += 1;
    }
    errors.extend(m.check_types().err().map(|e| *e));
    for &string in &m.files {
        let known = options.files.get(string as usize);
        m.shader.files.push(known.map_or_else(|| string.to_string(), Clone::clone).into());
    }
    if errors.is_empty() { Ok(m.shader) } else { Err(errors) }
}

impl<'u> Module<'u> {
    fn new(unit: &'u Unit) -> Module<'u> {
        let mut shader = Shader::new("main", unit.stage);
        shader.info = stage::stage_info(unit);
        let survey = Survey::new(unit);
        Module {
            unit,
            shader,
            depth_mode: DepthMode::default(),
            raw: false,
            stop: Stop::default(),
            layouts: Layouts::new(&unit.types),
            leaves: Vec::new(),
            types: TypeCache::default(),
            homes: vec![Home::None; unit.vars.len()],
            block_members: Vec::new(),
            default_block: None,
            default_members: Vec::new(),
            const_vars: FxHashMap::default(),
            equal_consts: FxHashMap::default(),
            builtin_vars: Vec::new(),
            functions: vec![None; unit.functions.len()],
            queue: Vec::new(),
            stores: Stores::new(unit, &survey),
            survey,
            values: true,
            locals: LocalValues::default(),
            own_homes: Vec::new(),
            inlining: Inlining::new(unit),
            exact: Exact::new(unit),
            relaxed: Relaxed::new(unit),
            files: Vec::new(),
        }
    }

    fn lower_function(&mut self, f: hir::FuncId, entry: bool, body: &mut Body) -> Res<()> {
        let unit = self.unit;
        let (Some(func), Some(list)) = (self.functions[f.0 as usize], unit[f].body) else {
            return Ok(());
        };
        let first = body.entry();
        // An expression takes about one instruction.
        body.reserve(unit.exprs.len() / unit.functions.len().max(1));
        self.locals.clear();
        for var in self.own_homes.drain(..) {
            self.homes[var.0 as usize] = Home::None;
        }
        let mut b = Builder::at(body, Cursor::BlockEnd(first));
        b.raw = self.raw;
        b.share_values();
        let mut l = Lowerer {
            m: self,
            b,
            func,
            function: f,
            at: unit[f].span.lo,
            line: (0, 0, Loc::NONE),
            result: None,
            statement: None,
            inlined: SmallVec::new(),
            levels: 0,
            derefs: SecondaryMap::new(),
            start: Cursor::BlockStart(first),
            frames: Vec::new(),
            live: true,
        };
        l.locate(unit[f].span.lo);
        l.m.shader.functions[func].loc = l.b.loc;
        let mut result = l.parameters();
        if entry && result.is_ok() {
            result = l.prologue();
        }
        l.levels = l.m.function_facts(f).height;
        let result = result.and_then(|()| l.body(list));
        let at = l.at;
        l.m.locals.finish(l.b.body);
        if let Err(e) = result {
            let e = *e;
            let known = e.place != SourcePlace::None;
            return Err(Box::new(if known { e } else { e.at(unit.lines.place(at)) }));
        }
        std::mem::swap(body, &mut self.shader.functions[func].body);
        Ok(())
    }
}

impl Lowerer<'_, '_> {
    /// Goes to a byte of the source: new instructions come from its line.
    pub fn locate(&mut self, at: u32) {
        self.at = at;
        let (lo, hi, loc) = self.line;
        if (lo..hi).contains(&at) {
            self.b.loc = loc;
            return;
        }
        let lines = &self.m.unit.lines;
        let place = lines.locate(at);
        let span = lines.line_span(lines.physical_line(at), u32::MAX);
        let files = &mut self.m.files;
        let file = files.iter().position(|&s| s == place.string).unwrap_or_else(|| {
            files.push(place.string);
            files.len() - 1
        });
        let loc = Loc::new(file as u32, place.line);
        self.line = (span.lo, span.hi, loc);
        self.b.loc = loc;
    }

    /// The code before the body of `main`: loads of the framebuffer and the non-constant initial values of global variables.
    fn prologue(&mut self) -> Res<()> {
        self.framebuffer_fetch()?;
        self.mixed_block_arrays()?;
        let unit = self.m.unit;
        for &(var, init) in &unit.global_inits {
            let exact = self.m.exact.is_exact(var);
            let value = self.with_exact(exact, |l| l.expr(init))?;
            let place = self.var_place(var)?;
            self.store(&place, value)?;
        }
        Ok(())
    }
}
