//! The module and the shader that is built from it.

use super::buffers::{Buffers, TranslatorBuffers};
use super::captures::Interface;
use super::constants::SConst;
use super::functions::{Entry, SFunction};
use super::ids::{Deco, Def, Id, Line, Link, NO_ID, flag};
use super::open::Open;
use super::paths::Paths;
use super::plan::Plan;
use super::types::{Kind, SMember, SType, TyIx};
use super::values::{Ptr, Val};
use super::variables::Global;
use crate::error::*;
use crate::options::Options;
use crate::words::{Inst, string};
use airfoil_ir::*;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Decoration, Op};
use std::rc::Rc;

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
    /// Functions around the one whose code is translated.
    pub scope: u8,
    /// Functions that are planned because a caller is.
    pub planning: u32,
    /// Plans to compute again.
    pub plans: Vec<Rc<Plan>>,
    /// Lists for the function that is translated.
    pub translator: TranslatorBuffers,
    /// Words of functions that have been inlined more than once.
    pub inlined_again: usize,
    /// Whether the module has 64-bit integers.
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
    /// Declarations that the IR does not have.
    pub interface: Interface,
    /// The entry point captures.
    pub has_feedback: bool,
    /// Derivatives are taken in groups of four invocations that follow each other.
    pub linear_groups: bool,
}

impl<'w> Reader<'w> {
    pub fn new(
        words: &'w [u32],
        bound: u32,
        options: &'w Options,
        paths: Paths,
        open: Open<'w>,
    ) -> Reader<'w> {
        let spare = Buffers::take();
        let mut ids = spare.ids;
        // Every id takes at least two words to define, so a larger table waits until it is needed.
        ids.resize((bound as usize).min(words.len()), NO_ID);
        Reader {
            words,
            options,
            bound,
            ids,
            links: spare.links,
            types: spare.types,
            members: spare.members,
            params: spare.params,
            consts: spare.consts,
            const_parts: spare.const_parts,
            globals: spare.globals,
            functions: spare.functions,
            entries: spare.entries,
            modes: spare.modes,
            workgroup_size: None,
            pool: spare.pool,
            pointers: spare.pointers,
            constant_leaves: 0,
            queue: spare.queue,
            calls: spare.calls,
            locals: spare.locals,
            scope: 0,
            planning: 0,
            plans: spare.plans,
            translator: spare.translator,
            inlined_again: 0,
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
            interface: Interface::default(),
            has_feedback: false,
            linear_groups: false,
        }
    }

    /// Leaves the memory to the next reading and returns the shader, its interface and the paths.
    pub fn close(self) -> (Shader, Interface, Paths) {
        let lists = Buffers {
            ids: self.ids,
            links: self.links,
            types: self.types,
            members: self.members,
            params: self.params,
            consts: self.consts,
            const_parts: self.const_parts,
            globals: self.globals,
            functions: self.functions,
            entries: self.entries,
            modes: self.modes,
            pool: self.pool,
            pointers: self.pointers,
            queue: self.queue,
            calls: self.calls,
            locals: self.locals,
            plans: self.plans,
            translator: self.translator,
        };
        lists.leave(self.words.len());
        let mut interface = self.interface;
        if !self.has_feedback {
            interface.captures.clear();
            interface.feedback.clear();
        }
        (self.shader, interface, self.paths)
    }

    // ---- ids ----

    /// Definition, name and decorations of an id.
    #[inline]
    pub fn id(&self, id: u32) -> &Id {
        self.ids.get(id as usize).unwrap_or(&NO_ID)
    }

    #[inline]
    pub fn id_mut(&mut self, id: u32) -> Res<&mut Id> {
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

    /// Definition of an id for the function that is translated: without those of functions that it is inlined into.
    #[inline]
    pub fn def(&self, id: u32) -> Def {
        let known = self.id(id);
        match known.def {
            Def::Value(..) | Def::Pointer(_) | Def::Local(_) if known.scope != self.scope => Def::None,
            def => def,
        }
    }

    /// Gives an id its meaning. Values may get a new one: blocks can be translated more than once.
    #[inline]
    pub fn define(&mut self, id: u32, def: Def) -> Res<()> {
        match self.ids.get_mut(id as usize) {
            Some(entry) if matches!(entry.def, Def::None) && id != 0 => {
                (entry.def, entry.scope) = (def, self.scope);
            }
            _ => self.define_again(id, def)?,
        }
        if matches!(def, Def::Value(..) | Def::Pointer(_) | Def::Local(_)) {
            self.locals.push(id);
        }
        Ok(())
    }

    /// As [`Reader::define`] for ids that have a meaning, are beyond the table or out of range.
    #[cold]
    fn define_again(&mut self, id: u32, def: Def) -> Res<()> {
        let scope = self.scope;
        let entry = self.id_mut(id)?;
        match (entry.def, def) {
            (Def::None, _) => {}
            (Def::Value(..) | Def::Pointer(_), Def::Value(..) | Def::Pointer(_)) if entry.scope == scope => {}
            _ => bail!(ID, "id %{id} is defined twice"),
        }
        (entry.def, entry.scope) = (def, scope);
        Ok(())
    }

    /// The number of ids that belong to the function that is translated.
    pub fn num_locals(&self) -> usize {
        self.locals.len()
    }

    /// Forgets the latest ids of the function that is translated, as those of an inlined function.
    pub fn forget_since(&mut self, start: usize) {
        for id in self.locals.drain(start..) {
            self.ids[id as usize].def = Def::None;
        }
    }

    /// Forgets the state of the function that has been translated: other functions cannot use it.
    pub fn forget_locals(&mut self) {
        self.scope = 0;
        self.forget_since(0);
        self.wide_ids.clear();
        self.pointers.clear();
        self.pool.clear();
    }

    /// Name of an id for messages: its debug name, or its number.
    pub fn show(&self, id: u32) -> String {
        match self.name(id) {
            name if name.is_empty() => format!("%{id}"),
            name => name.to_string(),
        }
    }

    /// Debug name of an id; empty if it has none.
    pub fn name(&self, id: u32) -> Name {
        match self.id(id).name as usize {
            0 => Name::default(),
            at => Inst::at(self.words, at).ok().and_then(|i| string(i.rest(2))).unwrap_or_default().0,
        }
    }

    /// Precision of the object with an id.
    pub fn precision(&self, id: u32) -> Precision {
        if self.id(id).flags & flag::RELAXED != 0 { Precision::Medium } else { Precision::None }
    }

    /// Adds a local variable with the debug name of an id.
    pub fn named_local(&mut self, func: FuncId, id: u32, ty: TypeId) -> VarId {
        let var = self.shader.add_local(func, "", ty);
        self.shader.vars[var].name = self.name(id);
        var
    }

    /// A string literal.
    pub fn string(&self, id: u32) -> Option<Name> {
        let Def::String(at) = self.id(id).def else { return None };
        Some(string(Inst::at(self.words, at as usize).ok()?.rest(2))?.0)
    }

    pub fn link(&mut self, id: u32, at: usize, member: Option<u32>) -> Res<()> {
        if self.links.len() >= 1 << 23 {
            return fail(LIMIT, "the module has too many decorations");
        }
        let new = self.links.len() as u32 + 1;
        let entry = self.id_mut(id)?;
        let next = std::mem::replace(&mut entry.links, new);
        self.links.push(Link { next, at: at as u32, member });
        Ok(())
    }

    pub fn links(&self, id: u32) -> impl Iterator<Item = Link> + '_ {
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
    pub fn member_names(&self, id: u32) -> impl Iterator<Item = (u32, Name)> + '_ {
        self.links(id).filter_map(|l| {
            let inst = Inst::at(self.words, l.at as usize).ok()?;
            (inst.op()? == Op::MemberName).then_some(())?;
            Some((inst.word(2).ok()?, string(inst.rest(3))?.0))
        })
    }

    /// Adds the location of an instruction to an error that has none.
    pub fn locate(&self, mut e: Box<Diagnostic>, inst: Inst<'_>) -> Box<Diagnostic> {
        if e.place == Place::None {
            let source = (self.line.line != 0).then(|| {
                Box::new((self.string(self.line.file).unwrap_or_default().as_str().into(), self.line.line))
            });
            e.place =
                Place::Word { offset: inst.at, result: inst.result().map(|id| self.show(id).into()), source };
        }
        e
    }

    /// Source location of instructions at the current line.
    pub fn loc(&mut self) -> Loc {
        self.loc_of(self.line)
    }

    /// A line as a source location.
    pub fn loc_of(&mut self, Line { file: name, line }: Line) -> Loc {
        if line == 0 {
            return Loc::NONE;
        }
        let file = match self.files.get(&name) {
            Some(&f) => f,
            None => {
                let f = self.shader.files.len() as u32;
                self.shader.files.push(self.string(name).unwrap_or_default().as_str().into());
                self.files.insert(name, f);
                f
            }
        };
        Loc::new(file, line)
    }

    // ---- types ----

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
