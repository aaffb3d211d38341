//! The module as a whole: tables of ids, names and decorations, filled in one sweep over the words.

use crate::Options;
use crate::capability::is_supported;
use crate::constants::SConst;
use crate::entry::{Entry, entry_of};
use crate::error::*;
use crate::open_constants::Open;
use crate::transform_feedback::XfbOutput;
use crate::types::{Kind, SMember, SType, TyIx};
use crate::value::{Ptr, Val};
use crate::variable_pointers::Paths;
use crate::variables::Global;
use crate::words::{HEADER, Inst, string};
use airfoil_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Capability, Decoration, Op};

/// Sets of extended instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtSet {
    /// `GLSL.std.450`.
    Glsl,
    /// `NonSemantic.Shader.DebugInfo.100`: source lines are used.
    DebugInfo,
    /// Another set without meaning for the code.
    NonSemantic,
}

/// Definition of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Def {
    /// Nothing yet.
    None,
    /// A type.
    Type(TyIx),
    /// A constant.
    Const(u32),
    /// A value of the function that is translated.
    Value(TyIx, Val),
    /// A pointer made in the function that is translated.
    Pointer(u32),
    /// A variable outside functions.
    Global(u32),
    /// A function.
    Function(u32),
    /// A block of the function that is translated.
    Label(u32),
    /// A string: offset of its instruction.
    String(u32),
    /// A set of extended instructions.
    Ext(ExtSet),
    /// A debug source: id of the file name.
    DebugSource(u32),
    /// A function of the debug information, with its line.
    DebugFunction(Line),
}

/// Flags of ids from decorations that instructions ask for.
pub(crate) mod flag {
    /// NoContraction.
    pub const EXACT: u8 = 1;
    /// NonUniform.
    pub const NON_UNIFORM: u8 = 2;
    /// RelaxedPrecision.
    pub const RELAXED: u8 = 4;
    /// SaturatedConversion.
    pub const SATURATED: u8 = 8;
    /// FPRoundingMode.
    pub const ROUNDING: u8 = 16;
    /// NoSignedWrap.
    pub const NSW: u8 = 32;
    /// NoUnsignedWrap.
    pub const NUW: u8 = 64;
}

/// Definition, name and decorations of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id {
    pub def: Def,
    /// Offset of its OpName; 0 = none.
    pub name: u32,
    /// First decoration or member name, as index into the links plus 1; 0 = none.
    pub links: u32,
    /// See [`flag`].
    pub flags: u8,
}

const NO_ID: Id = Id { def: Def::None, name: 0, links: 0, flags: 0 };

/// A decoration or member name of an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    next: u32,
    /// Offset of the instruction.
    at: u32,
    /// Member for OpGroupMemberDecorate, which does not say it in the instruction at `at`.
    member: Option<u32>,
}

/// A decoration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deco<'w> {
    /// The decorated member; `None` = the id itself.
    pub member: Option<u32>,
    /// Decoration.
    pub kind: Decoration,
    /// Its operands.
    pub operands: &'w [u32],
}

impl Deco<'_> {
    /// First operand; 0 if it is missing.
    pub fn operand(&self) -> u32 {
        self.operands.first().copied().unwrap_or(0)
    }
}

/// A function of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SFunction {
    /// Offset of OpFunction.
    pub at: usize,
    /// Id.
    pub id: u32,
    /// Type.
    pub ty: TyIx,
    /// Line of OpFunction.
    pub line: Line,
    /// Number of its words, without those of OpFunction.
    pub words: usize,
    /// Number of its blocks.
    pub blocks: usize,
    /// The function of the shader, if something calls it.
    pub func: Option<FuncId>,
}

/// Source line that instructions belong to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// Id of the file name; 0 = unknown.
    pub file: u32,
    /// Line.
    pub line: u32,
}

/// The module and the shader built from it.
pub(crate) struct Reader<'w> {
    pub words: &'w [u32],
    pub options: &'w Options,
    pub bound: u32,
    ids: Vec<Id>,
    links: Vec<Link>,
    pub types: Vec<SType>,
    pub members: Vec<SMember>,
    pub params: Vec<TyIx>,
    pub consts: Vec<SConst>,
    pub const_parts: Vec<u32>,
    pub globals: Vec<Global>,
    pub functions: Vec<SFunction>,
    pub entries: Vec<Entry>,
    /// Offsets of OpExecutionMode and OpExecutionModeId.
    pub modes: Vec<usize>,
    /// Constant with the built-in WorkgroupSize.
    pub workgroup_size: Option<u32>,
    pub pool: Vec<Val>,
    pub pointers: Vec<Ptr>,
    /// Elements of constants in initialisers so far.
    pub constant_leaves: u64,
    /// Functions to translate, in the order of the first call.
    pub queue: Vec<u32>,
    /// Calls: caller and callee.
    pub calls: Vec<(u32, u32)>,
    /// Ids of the function that is translated.
    locals: Vec<u32>,
    /// Whether there are 64-bit integers.
    pub has_wide: bool,
    /// Values of one 64-bit component.
    pub wide_ids: FxHashSet<u32>,
    pub files: FxHashMap<u32, u32>,
    pub line: Line,
    pub entry: usize,
    /// The exported function that is taken instead of an entry point.
    pub exported: Option<u32>,
    pub shader: Shader,
    /// Whether pointers can be values.
    pub variable_pointers: bool,
    /// A type of pointers that are addresses: all their values have the same shape.
    pub physical_pointer: Option<TyIx>,
    /// Where variable pointers lead.
    pub paths: Paths,
    /// Specialisation constants that stay open.
    pub open: Open<'w>,
    /// Outputs that transform feedback captures.
    pub captures: Vec<XfbOutput>,
    /// The entry point captures.
    pub has_feedback: bool,
}

impl<'w> Reader<'w> {
    pub fn new(
        words: &'w [u32],
        bound: u32,
        options: &'w Options,
        paths: Paths,
        open: Open<'w>,
    ) -> Reader<'w> {
        // Every id takes at least two words to define, so a larger table waits until it is needed.
        let capacity = (bound as usize).min(words.len());
        let ids = vec![NO_ID; capacity];
        Reader {
            words,
            options,
            bound,
            ids,
            links: Vec::with_capacity(words.len() / 32),
            types: Vec::with_capacity(64),
            members: Vec::with_capacity(32),
            params: Vec::new(),
            consts: Vec::with_capacity(64),
            const_parts: Vec::new(),
            globals: Vec::with_capacity(16),
            functions: Vec::with_capacity(8),
            entries: Vec::new(),
            modes: Vec::new(),
            workgroup_size: None,
            pool: Vec::with_capacity(64),
            pointers: Vec::with_capacity(64),
            constant_leaves: 0,
            queue: Vec::new(),
            calls: Vec::new(),
            locals: Vec::with_capacity(capacity),
            has_wide: false,
            wide_ids: FxHashSet::default(),
            files: FxHashMap::default(),
            line: Line::default(),
            entry: 0,
            exported: None,
            shader: Shader::new("", Stage::Vertex),
            variable_pointers: false,
            physical_pointer: None,
            paths,
            open,
            captures: Vec::new(),
            has_feedback: false,
        }
    }

    // ---- ids ----

    /// Definition, name and decorations of an id.
    #[inline]
    pub fn id(&self, id: u32) -> &Id {
        self.ids.get(id as usize).unwrap_or(&NO_ID)
    }

    #[inline]
    fn id_mut(&mut self, id: u32) -> Res<&mut Id> {
        if id == 0 || id as usize >= self.ids.len() {
            self.grow_ids(id)?;
        }
        Ok(&mut self.ids[id as usize])
    }

    /// Makes the table reach up to an id.
    #[cold]
    fn grow_ids(&mut self, id: u32) -> Res<()> {
        if id == 0 || id >= self.bound {
            bail!(ID, "id %{id} is not below the bound {}", self.bound);
        }
        self.ids.resize(id as usize + 1, NO_ID);
        Ok(())
    }

    /// Gives an id its meaning. Values may get a new one: blocks can be translated more than once.
    #[inline]
    pub fn define(&mut self, id: u32, def: Def) -> Res<()> {
        match self.ids.get_mut(id as usize) {
            Some(entry) if matches!(entry.def, Def::None) && id != 0 => entry.def = def,
            _ => self.define_again(id, def)?,
        }
        if matches!(def, Def::Value(..) | Def::Pointer(_) | Def::Label(_)) {
            self.locals.push(id);
        }
        Ok(())
    }

    /// As [`Reader::define`] for ids that have a meaning, are beyond the table or out of range.
    #[cold]
    fn define_again(&mut self, id: u32, def: Def) -> Res<()> {
        let entry = self.id_mut(id)?;
        match (entry.def, def) {
            (Def::None, _) => {}
            (Def::Value(..) | Def::Pointer(_), Def::Value(..) | Def::Pointer(_)) => {}
            _ => bail!(ID, "id %{id} is defined twice"),
        }
        entry.def = def;
        Ok(())
    }

    /// Forgets what belongs to the function that has been translated: other functions cannot use it.
    pub fn forget_locals(&mut self) {
        for id in self.locals.drain(..) {
            self.ids[id as usize].def = Def::None;
        }
        self.wide_ids.clear();
        self.pointers.clear();
        self.pool.clear();
    }

    /// Name of an id for messages: its debug name, or its number.
    pub fn show(&self, id: u32) -> String {
        match self.name(id) {
            name if name.is_empty() => format!("%{id}"),
            name => name,
        }
    }

    /// Debug name of an id; empty if it has none.
    pub fn name(&self, id: u32) -> String {
        match self.id(id).name as usize {
            0 => String::new(),
            at => Inst::at(self.words, at).ok().and_then(|i| string(i.rest(2))).unwrap_or_default().0,
        }
    }

    /// Precision of what an id names.
    pub fn precision(&self, id: u32) -> Precision {
        if self.id(id).flags & flag::RELAXED != 0 { Precision::Medium } else { Precision::None }
    }

    /// Adds a local variable with the debug name of an id.
    pub fn named_local(&mut self, func: FuncId, id: u32, ty: TypeId) -> VarId {
        let var = self.shader.add_local(func, "", ty);
        self.shader.vars[var].name = self.name(id).into();
        var
    }

    /// A string literal.
    pub fn string(&self, id: u32) -> Option<String> {
        let Def::String(at) = self.id(id).def else { return None };
        Some(string(Inst::at(self.words, at as usize).ok()?.rest(2))?.0)
    }

    fn link(&mut self, id: u32, at: usize, member: Option<u32>) -> Res<()> {
        if self.links.len() >= 1 << 23 {
            return fail(LIMIT, "the module has too many decorations");
        }
        let new = self.links.len() as u32 + 1;
        let entry = self.id_mut(id)?;
        let next = std::mem::replace(&mut entry.links, new);
        self.links.push(Link { next, at: at as u32, member });
        Ok(())
    }

    fn links(&self, id: u32) -> impl Iterator<Item = Link> + '_ {
        let link = |n: u32| n.checked_sub(1).map(|i| self.links[i as usize]);
        std::iter::successors(link(self.id(id).links), move |l| link(l.next))
    }

    /// Decorations of an id and its members; later ones first.
    pub fn decorations(&self, id: u32) -> impl Iterator<Item = Deco<'w>> + '_ {
        self.links(id).filter_map(|l| {
            let inst = Inst::at(self.words, l.at as usize).ok()?;
            let (member, skip) = match inst.op()? {
                Op::MemberDecorate | Op::MemberDecorateString => (Some(inst.word(2).ok()?), 3),
                Op::Decorate | Op::DecorateId | Op::DecorateString => (l.member, 2),
                _ => return None,
            };
            let kind = Decoration::from_u32(inst.word(skip).ok()?)?;
            Some(Deco { member, kind, operands: inst.rest(skip + 1) })
        })
    }

    /// A decoration of the id itself.
    pub fn decoration(&self, id: u32, kind: Decoration) -> Option<Deco<'w>> {
        self.decorations(id).find(|d| d.member.is_none() && d.kind == kind)
    }

    /// Member names of a structure: number and name.
    pub fn member_names(&self, id: u32) -> impl Iterator<Item = (u32, String)> + '_ {
        self.links(id).filter_map(|l| {
            let inst = Inst::at(self.words, l.at as usize).ok()?;
            (inst.op()? == Op::MemberName).then_some(())?;
            Some((inst.word(2).ok()?, string(inst.rest(3))?.0))
        })
    }

    /// Puts the place of an instruction to an error that has none.
    pub fn locate(&self, mut e: Box<Diagnostic>, inst: Inst<'_>) -> Box<Diagnostic> {
        if e.place == Place::None {
            let source = (self.line.line != 0)
                .then(|| Box::new((self.string(self.line.file).unwrap_or_default().into(), self.line.line)));
            e.place =
                Place::Word { offset: inst.at, result: inst.result().map(|id| self.show(id).into()), source };
        }
        e
    }

    /// Source place of instructions at the current line.
    pub fn loc(&mut self) -> Loc {
        self.loc_of(self.line)
    }

    /// A line as a source place.
    pub fn loc_of(&mut self, Line { file: name, line }: Line) -> Loc {
        if line == 0 {
            return Loc::NONE;
        }
        let file = match self.files.get(&name) {
            Some(&f) => f,
            None => {
                let f = self.shader.files.len() as u32;
                self.shader.files.push(self.string(name).unwrap_or_default().into());
                self.files.insert(name, f);
                f
            }
        };
        Loc::new(file, line)
    }

    // ---- the sweep ----

    /// Reads everything outside functions and notes where functions are.
    pub fn sweep(&mut self) -> Res<()> {
        let mut at = HEADER;
        let (mut in_function, mut blocks, mut variables) = (false, 0, 0);
        while at < self.words.len() {
            let inst = Inst::at(self.words, at).map_err(|mut e| {
                e.place = Place::Word { offset: at, result: None, source: None };
                e
            })?;
            at = inst.end();
            if in_function {
                let opcode = inst.opcode();
                blocks += usize::from(opcode == Op::Label as u32);
                variables += usize::from(opcode == Op::Variable as u32);
                if opcode == Op::FunctionEnd as u32 {
                    in_function = false;
                    if let Some(f) = self.functions.last_mut() {
                        (f.words, f.blocks) = (at - f.at, blocks);
                    }
                    blocks = 0;
                }
                continue;
            }
            in_function = inst.opcode() == Op::Function as u32;
            self.outside(inst).map_err(|e| self.locate(e, inst))?;
        }
        if in_function {
            return fail(MALFORMED, "the last function has no OpFunctionEnd");
        }
        self.line = Line::default();
        self.shader.vars.reserve(self.globals.len() + variables);
        Ok(())
    }

    fn outside(&mut self, inst: Inst<'w>) -> Res<()> {
        let Some(op) = inst.op() else { bail!(UNSUPPORTED, "{} is not known", inst.name()) };
        match op {
            Op::Capability => {
                let n = inst.word(1)?;
                match Capability::from_u32(n) {
                    Some(c) if is_supported(c) => {
                        self.variable_pointers |= matches!(
                            c,
                            Capability::VariablePointers | Capability::VariablePointersStorageBuffer
                        );
                    }
                    Some(c) => bail!(UNSUPPORTED, "capability {c:?} is not supported"),
                    None => bail!(UNSUPPORTED, "capability {n} is not known"),
                }
            }
            Op::ExtInstImport => {
                let name = string(inst.rest(2)).unwrap_or_default().0;
                let set = match name.as_str() {
                    "GLSL.std.450" => ExtSet::Glsl,
                    "NonSemantic.Shader.DebugInfo.100" => ExtSet::DebugInfo,
                    n if n.starts_with("NonSemantic.") || n == "OpenCL.DebugInfo.100" => ExtSet::NonSemantic,
                    _ => bail!(UNSUPPORTED, "the extended instruction set {name:?} is not supported"),
                };
                self.define(inst.word(1)?, Def::Ext(set))?;
            }
            Op::EntryPoint => self.entries.push(entry_of(inst)?),
            Op::ExecutionMode | Op::ExecutionModeId => self.modes.push(inst.at),
            Op::Name => {
                let id = inst.word(1)?;
                self.id_mut(id)?.name = inst.at as u32;
            }
            Op::MemberName => self.link(inst.word(1)?, inst.at, None)?,
            Op::String => self.define(inst.word(1)?, Def::String(inst.at as u32))?,
            Op::Line => self.line = Line { file: inst.word(1)?, line: inst.word(2)? },
            Op::NoLine => self.line = Line::default(),
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let (id, kind) = (inst.word(1)?, inst.word(2)?);
                let bit = match Decoration::from_u32(kind) {
                    Some(Decoration::NoContraction) => flag::EXACT,
                    Some(Decoration::NonUniform) => flag::NON_UNIFORM,
                    Some(Decoration::RelaxedPrecision) => flag::RELAXED,
                    Some(Decoration::SaturatedConversion) => flag::SATURATED,
                    Some(Decoration::FPRoundingMode) => flag::ROUNDING,
                    Some(Decoration::NoSignedWrap) => flag::NSW,
                    Some(Decoration::NoUnsignedWrap) => flag::NUW,
                    _ => 0,
                };
                self.id_mut(id)?.flags |= bit;
                // A decoration that its flag expresses completely needs no list entry.
                if bit == 0 || bit == flag::ROUNDING || bit == flag::RELAXED {
                    self.link(id, inst.at, None)?;
                }
            }
            Op::MemberDecorate | Op::MemberDecorateString => self.link(inst.word(1)?, inst.at, None)?,
            Op::GroupDecorate => {
                let group = inst.word(1)?;
                let flags = self.id(group).flags;
                let list: Vec<Link> = self.links(group).collect();
                for &target in inst.rest(2) {
                    self.id_mut(target)?.flags |= flags;
                    for l in list.iter().rev() {
                        self.link(target, l.at as usize, l.member)?;
                    }
                }
            }
            Op::GroupMemberDecorate => {
                let list: Vec<Link> = self.links(inst.word(1)?).collect();
                for pair in inst.rest(2).chunks_exact(2) {
                    for l in list.iter().rev() {
                        self.link(pair[0], l.at as usize, Some(pair[1]))?;
                    }
                }
            }
            Op::DecorationGroup
            | Op::Nop
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Extension
            | Op::MemoryModel
            | Op::ModuleProcessed => {}
            Op::ExtInst => self.global_ext_inst(inst)?,
            Op::Variable => self.global_variable(inst)?,
            Op::Undef => self.constant(inst, op)?,
            Op::Function => {
                let ty = self.type_of(inst.word(4)?)?;
                let id = inst.word(2)?;
                self.define(id, Def::Function(self.functions.len() as u32))?;
                let line = self.line;
                self.functions.push(SFunction { at: inst.at, id, ty, line, words: 0, blocks: 0, func: None });
            }
            _ if op.is_constant() => self.constant(inst, op)?,
            _ if op.is_type() || op == Op::TypeForwardPointer => self.declare_type(inst, op)?,
            _ => bail!(UNSUPPORTED, "{} outside functions is not supported", inst.name()),
        }
        Ok(())
    }

    fn global_ext_inst(&mut self, inst: Inst<'w>) -> Res<()> {
        /// DebugSource of NonSemantic.Shader.DebugInfo.
        const DEBUG_SOURCE: u32 = 35;
        /// DebugFunction: name, type, source, line, ...
        const DEBUG_FUNCTION: u32 = 20;
        match self.id(inst.word(3)?).def {
            Def::Ext(ExtSet::DebugInfo) if inst.word(4)? == DEBUG_SOURCE => {
                self.define(inst.word(2)?, Def::DebugSource(inst.word(5)?))
            }
            Def::Ext(ExtSet::DebugInfo) if inst.word(4)? == DEBUG_FUNCTION => {
                let (source, line) = (inst.word(7)?, inst.word(8)?);
                match (self.id(source).def, self.const_u32(line)) {
                    (Def::DebugSource(file), Some(line)) => {
                        self.define(inst.word(2)?, Def::DebugFunction(Line { file, line }))
                    }
                    _ => Ok(()),
                }
            }
            Def::Ext(ExtSet::DebugInfo | ExtSet::NonSemantic) => Ok(()),
            _ => fail(UNSUPPORTED, "OpExtInst outside functions is not supported"),
        }
    }

    /// A type by its id.
    #[inline]
    pub fn type_of(&self, id: u32) -> Res<TyIx> {
        match self.id(id).def {
            Def::Type(t) => Ok(t),
            _ => self.no_type(id),
        }
    }

    #[cold]
    fn no_type(&self, id: u32) -> Res<TyIx> {
        fail(ID, format!("{} is not a type", self.show(id)))
    }

    /// Kind of a type.
    #[inline]
    pub fn kind(&self, ty: TyIx) -> Kind {
        self.types[ty as usize].kind
    }
}
