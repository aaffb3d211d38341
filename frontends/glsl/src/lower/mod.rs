//! Lowering: the typed tree of a linked shader to the IR, in form `variables`.
//!
//! [`Module`] is the state of the shader, [`Lowerer`] that of the function that is lowered. One concept per file:
//!
//! * `value`: values and places; `types`: types of variables; `place`: l-values, loads, stores.
//! * `variables`, `interface`, `uniforms`, `stage`: storage of global variables and the declarations of the stage.
//! * `expr`, `operator`, `construct`, `compare`, `assign`, `call`: expressions.
//! * `stmt`, `flow`, `switch`, `chain`: statements and structured control flow.
//! * `survey`: facts about expressions and statements; `precise`: the computations that must be exact; `relaxed`: those that
//!   may have medium precision.
//! * `builtin`: built-in functions; `fold`: the same on constants.

mod assign;
mod builtin;
mod call;
mod chain;
mod compare;
mod construct;
mod depth_mode;
mod expr;
mod flow;
pub mod fold;
mod interface;
mod operator;
mod place;
mod precise;
mod relaxed;
mod stage;
mod stmt;
mod survey;
mod switch;
mod types;
mod uniforms;
mod value;
mod variables;

#[cfg(test)]
mod tests;

pub use crate::shapes::{columns_of, lanes_of, scalar_of, shape_of};
pub use depth_mode::DepthMode;
pub use value::{Columns, Place, PlaceKind, Value};
pub use variables::Home;

use crate::builtin::BuiltinVar;
use crate::hir::{self, ConstId, Unit};
use crate::link::layout::Layouts;
use crate::types::Type;
use airfoil_ir::{
    Body, Builder, Cursor, Diagnostic, FuncId, InstrId, Loc, Place as SourcePlace, Shader, VarId,
};
use flow::Frame;
use precise::Exact;
use relaxed::Relaxed;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;
use survey::Survey;
use types::TypeCache;

/// Options of lowering.
#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    /// Name of the shader's entry function; `main` if empty.
    pub name: String,
    /// Names of the source strings, by number; others are named by their number.
    pub files: Vec<String>,
    /// Result of shadow lookups in the compatibility profile.
    pub depth_mode: DepthMode,
    /// Whether nothing is simplified: see [`Builder::raw`].
    pub raw: bool,
}

/// A result, or the error. [`lower`] adds the location.
pub type Res<T> = Result<T, Box<Diagnostic>>;

/// Features that the IR cannot express.
pub const UNSUPPORTED: &str = "E1201";
/// Too large.
pub const LIMIT: &str = "E1202";
/// The typed tree violates the guarantees of the checker and the linker.
pub const MALFORMED: &str = "E1203";

/// An error with a code and a message.
pub fn error(code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message))
}

/// Fails with a code and a message.
pub fn fail<T>(code: &'static str, message: impl Into<String>) -> Res<T> {
    Err(error(code, message))
}

/// A resource that is an opaque part of a variable or parameter.
#[derive(Clone, Copy, Debug)]
pub enum Leaf {
    /// A variable.
    Var(VarId),
    /// A parameter of the function that is lowered.
    Param(InstrId),
}

/// State of the shader under construction.
pub struct Module<'u> {
    /// The unit to lower.
    pub unit: &'u Unit,
    /// The shader under construction. The body of the current function is outside of it.
    pub shader: Shader,
    /// Layouts of blocks.
    pub layouts: Layouts<'u>,
    /// Resources that opaque parts of variables have become, in runs.
    pub leaves: Vec<Leaf>,
    types: TypeCache,
    /// Where each variable lives.
    homes: Vec<Home>,
    /// Variables of the members of interface blocks, in runs.
    block_members: Vec<Option<VarId>>,
    /// The buffer of the default uniform block, and its members.
    default_block: Option<VarId>,
    default_members: Vec<(hir::VarId, u32)>,
    /// Variables that hold constants.
    const_vars: FxHashMap<ConstId, VarId>,
    equal_consts: FxHashMap<(Type, &'u [u64]), VarId>,
    builtin_vars: Vec<(BuiltinVar, Option<hir::VarId>)>,
    functions: Vec<Option<FuncId>>,
    /// Functions whose bodies are lowered one after the other.
    queue: Vec<hir::FuncId>,
    survey: Survey,
    exact: Exact,
    relaxed: Relaxed,
    /// Source strings that have been named, with their positions in the shader's list of files.
    files: Vec<u32>,
    depth_mode: DepthMode,
    raw: bool,
}

/// State of the function under construction.
///
/// Methods used by the lowering of built-in functions:
///
/// * `l.b`: the builder; `l.m.unit`: the typed tree; `l.m.shader`: variables and types.
/// * `l.expr(id)`: value of any expression; `l.ssa(id)`: of a scalar or vector; `l.columns(id)`: of a matrix.
/// * `l.place(id)`: the place of an l-value (evaluated once), `l.load(&place)`, `l.store(&place, value)`;
///   `l.deref(&place)`: deref of memory for atomics, `l.opaque(id)`: derefs of texture (image, counter) and sampler.
/// * `l.builtin_var(BuiltinVar)`: place of a built-in variable that the checker has declared.
pub struct Lowerer<'u, 'm> {
    /// State of the shader.
    pub m: &'m mut Module<'u>,
    /// Makes instructions.
    pub b: Builder<'m>,
    /// The function that is made.
    pub func: FuncId,
    /// The function that is lowered.
    pub function: hir::FuncId,
    /// Byte of the source that is lowered.
    pub at: u32,
    /// The physical line of the source that is lowered, and its place.
    line: (u32, u32, Loc),
    /// Where the result goes.
    result: Option<(InstrId, Type)>,
    /// Derefs of variables at the start of the function, and where the next goes.
    derefs: SecondaryMap<VarId, InstrId>,
    start: Cursor,
    /// Constructs around the place, innermost last.
    frames: Vec<Frame>,
    /// Whether control reaches the place.
    live: bool,
}

/// Lowers a linked unit.
///
/// # Errors
/// If the shader uses features that the IR cannot express, or is too large.
pub fn lower(unit: &Unit, options: &LowerOptions) -> Result<Shader, Vec<Diagnostic>> {
    let mut m = Module::new(unit);
    m.depth_mode = options.depth_mode;
    m.raw = options.raw;
    let mut errors = Vec::new();
    let name = if options.name.is_empty() { "main" } else { &options.name };
    m.shader.name = name.into();
    let started = match unit.main {
        Some(main) => m.entry(main, name),
        None => fail(MALFORMED, "the shader has no main function"),
    };
    errors.extend(started.err().map(|e| *e));
    errors.extend(stage::check_derivative_group(unit).err().map(|e| *e));
    // Holds the body that is built; an empty one of a declared function takes its place afterwards.
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
        Module {
            unit,
            shader,
            depth_mode: DepthMode::default(),
            raw: false,
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
            survey: Survey::new(unit),
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
        // An expression makes about one instruction.
        body.reserve(unit.exprs.len() / unit.functions.len().max(1));
        let mut b = Builder::at(body, Cursor::BlockEnd(first));
        b.raw = self.raw;
        let mut l = Lowerer {
            m: self,
            b,
            func,
            function: f,
            at: unit[f].span.lo,
            line: (0, 0, Loc::NONE),
            result: None,
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
        let result = result.and_then(|()| l.body(list));
        let at = l.at;
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
