//! Names of values: the variables of the source, their values, and where each of these starts.
//!
//! A pass that turns variables into values leaves a record for each store that it removes: block, value, variable,
//! source location. A record means "in this block, from about this line on, the variable has this value"; one without a
//! value means that the previous value no longer holds. So a record is never dropped while its block exists: when its
//! value is removed, it becomes one without a value. Values that replace others take over their records, blocks that
//! are joined take over those of the other.
//!
//! Nothing is kept unless [`Body::keep_names`] asked for it: debug information does, other users leave the table empty.

use super::{Body, Replacements};
use crate::alu::AluOp;
use crate::ids::{BlockId, InstrId, VarId};
use crate::instr::Loc;
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// Bodies with more records than this keep none: inlining can multiply them without bound.
const MAX_RECORDS: usize = 1 << 18;

/// A variable of the source, or a part of one.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Scalar, Types, VarId};
///
/// let mut types = Types::default();
/// let float = types.vector(Scalar::Float32, 1);
/// let mut body = Body::new();
/// body.keep_names();
/// let names = body.names_mut().unwrap();
/// let light = VarId::default();
/// // Passes that split a variable name its parts.
/// let x = names.variable(light, "light.pos.x".to_owned(), float);
/// assert_eq!(&*names.get(x).unwrap().name, "light.pos.x");
/// assert_eq!(names.variables()[0].ty, float);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedVariable {
    /// Name with the way to the part, such as `light.color` or `m[1]`.
    pub name: Box<str>,
    /// Type.
    pub ty: TypeId,
}

/// A record: the value of a variable from some location on.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Loc, NamedValue, Scalar, Types, VarId};
///
/// let int = Types::default().vector(Scalar::Int32, 1);
/// let mut body = Body::new();
/// body.keep_names();
/// let entry = body.entry();
/// let one = Builder::at_end(&mut body).imm_u32(1);
/// let names = body.names_mut().unwrap();
/// let variable = names.variable(VarId::default(), "i".to_owned(), int);
/// for (value, line) in [(Some(one), 3), (None, 9)] {
///     names.record(entry, NamedValue { variable, value, loc: Loc::new(0, line) });
/// }
/// // `i` is 1 from line 3 on, and has no known value from line 9 on.
/// assert!(names.of(entry).map(|r| (r.value, r.loc.line())).eq([(Some(one), 3), (None, 9)]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The variable.
    pub variable: NameId,
    /// Its value; `None` if it was removed.
    pub value: Option<InstrId>,
    /// Where the source stores it; nothing for a value that control flow chooses.
    pub loc: Loc,
}

/// ID of a variable in [`Names`].
///
/// # Examples
///
/// ```
/// use airfoil_ir::{NameId, Names, Scalar, Types, VarId};
///
/// let float = Types::default().vector(Scalar::Float32, 1);
/// let mut names = Names::default();
/// let mut id = |part: &str| -> NameId { names.variable(VarId::default(), format!("color.{part}"), float) };
/// // One ID per variable and part, in the order of creation.
/// let (r, g) = (id("r"), id("g"));
/// assert!(r < g);
/// assert_eq!(id("r"), r);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(u32);

/// A value that has records. Values that became the same one are a tree, whose root has the value.
#[derive(Clone, Copy, Debug)]
struct Held {
    value: InstrId,
    parent: u32,
    /// Bound of the height: the lower tree is attached to the higher one, so that paths to the root stay short.
    height: u32,
}

/// A record with its value as a number in [`Names::held`].
#[derive(Clone, Copy, Debug)]
struct Record {
    variable: NameId,
    held: Option<u32>,
    loc: Loc,
}

/// The names of a body.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, Loc, NamedValue, Scalar, SystemValue, Types, VarId};
///
/// # let uint = Types::default().vector(Scalar::Uint32, 1);
/// let mut body = Body::new();
/// body.keep_names();
/// let mut b = Builder::at_end(&mut body);
/// let [old, new] = [SystemValue::vertex_id, SystemValue::instance_id].map(|sv| b.load_system_value(sv));
/// let block = b.block();
/// let names = body.names_mut().unwrap();
/// let variable = names.variable(VarId::default(), "id".to_owned(), uint);
/// names.record(block, NamedValue { variable, value: Some(old), loc: Loc::NONE });
/// // Values that replace others take over their names.
/// body.replace_uses(old, new);
/// assert!(body.names().unwrap().holds(new));
/// assert!(body.names().unwrap().of(block).all(|record| record.value == Some(new)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    variables: Vec<NamedVariable>,
    known: FxHashMap<(VarId, Box<str>), NameId>,
    records: FxHashMap<BlockId, Vec<Record>>,
    /// Number of records.
    len: usize,
    held: Vec<Held>,
    /// Roots in `held` by value.
    roots: FxHashMap<InstrId, u32>,
    full: bool,
}

impl Names {
    /// The ID of a variable, or of a part of it that has the whole name `name`.
    pub fn variable(&mut self, var: VarId, name: String, ty: TypeId) -> NameId {
        let name = name.into_boxed_str();
        *self.known.entry((var, name)).or_insert_with_key(|(_, name)| {
            self.variables.push(NamedVariable { name: name.clone(), ty });
            NameId(self.variables.len() as u32 - 1)
        })
    }

    /// The name with an ID.
    pub fn get(&self, id: NameId) -> Option<&NamedVariable> {
        self.variables.get(id.0 as usize)
    }

    /// All variables.
    pub fn variables(&self) -> &[NamedVariable] {
        &self.variables
    }

    /// Adds a record to those of a block.
    pub fn record(&mut self, block: BlockId, record: NamedValue) {
        if self.len >= MAX_RECORDS {
            *self = Names { full: true, ..Names::default() };
        }
        if self.full {
            return;
        }
        let NamedValue { variable, value, loc } = record;
        let held = value.map(|value| {
            *self.roots.entry(value).or_insert_with(|| {
                let parent = self.held.len() as u32;
                self.held.push(Held { value, parent, height: 0 });
                parent
            })
        });
        self.len += 1;
        self.records.entry(block).or_default().push(Record { variable, held, loc });
    }

    /// The value as it is now.
    fn value(&self, mut at: u32) -> InstrId {
        while self.held[at as usize].parent != at {
            at = self.held[at as usize].parent;
        }
        self.held[at as usize].value
    }

    /// The records of a block in order of creation, with the values as they are now.
    pub fn of(&self, block: BlockId) -> impl Iterator<Item = NamedValue> + '_ {
        let records = self.records.get(&block).map_or(&[][..], |r| r);
        records.iter().map(|&Record { variable, held, loc }| {
            let value = held.map(|at| self.value(at));
            NamedValue { variable, value, loc }
        })
    }

    /// Whether a value has records.
    pub fn holds(&self, value: InstrId) -> bool {
        self.roots.contains_key(&value)
    }

    /// Whether the list has no records.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Takes over the records of another body whose code has been copied, each with variables of its own.
    pub fn copy_from(
        &mut self,
        other: &Names,
        block: impl Fn(BlockId) -> Option<BlockId>,
        value: impl Fn(InstrId) -> Option<InstrId>,
    ) {
        let first = self.variables.len() as u32;
        self.variables.extend_from_slice(&other.variables);
        // In an order that does not depend on the keys of blocks: of one block each is kept.
        for &from in other.records.keys() {
            let Some(to) = block(from) else { continue };
            for record in other.of(from) {
                let variable = NameId(first + record.variable.0);
                self.record(to, NamedValue { variable, value: record.value.and_then(&value), ..record });
            }
        }
    }

    /// Moves the records of a value to the equal value that replaced it.
    pub fn replace(&mut self, old: InstrId, new: InstrId) {
        if old == new {
            return;
        }
        let Some(a) = self.roots.remove(&old) else { return };
        let root = match self.roots.get(&new) {
            None => a,
            Some(&b) => {
                let higher = self.held[a as usize].height > self.held[b as usize].height;
                let (root, child) = if higher { (a, b) } else { (b, a) };
                let height = self.held[child as usize].height + 1;
                self.held[child as usize].parent = root;
                let root_held = &mut self.held[root as usize];
                root_held.height = root_held.height.max(height);
                root
            }
        };
        self.held[root as usize].value = new;
        self.roots.insert(new, root);
    }

    pub(super) fn replace_all(&mut self, replacements: &Replacements) {
        replacements.pairs().for_each(|(old, new)| self.replace(old, new));
    }

    /// `tail` has been appended to `head`, whose last instructions were of line `loc`: records without a line come after that.
    fn join(&mut self, head: BlockId, tail: BlockId, loc: Loc) {
        if let Some(mut records) = self.records.remove(&tail) {
            records.iter_mut().filter(|r| r.loc.is_none()).for_each(|r| r.loc = loc);
            self.records.entry(head).or_default().extend(records);
        }
    }

    pub(super) fn remove_block(&mut self, block: BlockId) {
        self.len -= self.records.remove(&block).map_or(0, |r| r.len());
    }
}

impl Body {
    /// Keeps names of values from now on.
    pub fn keep_names(&mut self) {
        self.names.get_or_insert_default();
    }

    /// The names of values, if they are kept.
    pub fn names(&self) -> Option<&Names> {
        self.names.as_deref()
    }

    /// The same, to add to.
    pub fn names_mut(&mut self) -> Option<&mut Names> {
        self.names.as_deref_mut()
    }

    /// A copy that is removed leaves its names to its source.
    #[cold]
    pub(super) fn forward_names(&mut self, id: InstrId) {
        let Some(instr) = self.get(id) else { return };
        let Some(alu) = instr.as_alu().filter(|a| a.op == AluOp::mov) else { return };
        let (src, ty) = (alu.src(0), instr.ty);
        let same = self.get(src.value).is_some_and(|i| i.ty == ty);
        if same
            && src.swizzle.is_identity(ty.comps as usize)
            && let Some(names) = &mut self.names
        {
            names.replace(id, src.value);
        }
    }

    /// The contents of `tail` are about to be appended to those of `head`.
    #[cold]
    pub(super) fn join_names(&mut self, head: BlockId, tail: BlockId) {
        /// So many instructions without a line are looked through: a bound on the work.
        const FAR: usize = 32;
        let Some(mut names) = self.names.take() else { return };
        let near = self.instrs_rev(head).take(FAR).map(|i| self[i].loc).find(|l| !l.is_none());
        let before = || names.records.get(&head).and_then(|r| r.last()).map_or(Loc::NONE, |r| r.loc);
        let last = near.unwrap_or_else(before);
        names.join(head, tail, last);
        self.names = Some(names);
    }

    /// `tail` holds the former end of `head`: records go with their values, those of other values by their lines.
    #[cold]
    pub(super) fn split_names(&mut self, head: BlockId, tail: BlockId) {
        let Some(mut names) = self.names.take() else { return };
        let first = self.instrs(tail).map(|i| self[i].loc).find(|l| !l.is_none());
        let records = names.records.remove(&head);
        let moves = |r: &Record| {
            let block = r.held.and_then(|at| Some(self.instrs.get(names.value(at))?.block));
            let later = first.is_some_and(|f| f.file() == r.loc.file() && f.line() <= r.loc.line());
            block == Some(tail) || (later && !r.loc.is_none())
        };
        if let Some(records) = records {
            let (there, here): (Vec<_>, Vec<_>) = records.into_iter().partition(moves);
            for (block, list) in [(head, here), (tail, there)] {
                if !list.is_empty() {
                    names.records.insert(block, list);
                }
            }
        }
        self.names = Some(names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Cursor;
    use crate::builder::Builder;
    use crate::enums::{Modes, Scalar};
    use crate::instr::{Instr, InstrKind};
    use crate::shader::Shader;
    use crate::var::Variable;

    /// A body with two values, `a` at line 2 and `b` at line 4, whose names are kept.
    fn body() -> (Shader, Body, [InstrId; 2], NameId) {
        let mut shader = Shader::new("t", crate::enums::Stage::Compute);
        let ty = shader.types.vector(Scalar::Uint32, 1);
        let var = shader.add_var(Variable::new("v", ty, Modes::FUNCTION_TEMP));
        let mut body = Body::new();
        body.keep_names();
        let entry = body.entry();
        let mut b = Builder::at(&mut body, Cursor::BlockEnd(entry));
        let (x, y) = (b.imm_u32(1), b.imm_u32(2));
        let (a, c) = (b.iadd(x, y), b.iadd(y, y));
        body.set_loc(a, Loc::new(0, 2));
        body.set_loc(c, Loc::new(0, 4));
        let names = body.names_mut().expect("kept");
        let id = names.variable(var, "v".to_owned(), ty);
        assert_eq!(id, names.variable(var, "v".to_owned(), ty));
        for (value, line) in [(a, 2), (c, 4)] {
            names.record(entry, NamedValue { variable: id, value: Some(value), loc: Loc::new(0, line) });
        }
        (shader, body, [a, c], id)
    }

    fn values(body: &Body, block: BlockId) -> Vec<Option<InstrId>> {
        body.names().map_or(Vec::new(), |n| n.of(block).map(|r| r.value).collect())
    }

    #[test]
    fn nothing_is_kept_unless_asked_for() {
        assert!(Body::new().names().is_none());
    }

    #[test]
    fn replaced_values_take_their_names_along() {
        let (_, mut body, [a, b], _) = body();
        body.replace_uses(b, a);
        assert_eq!(values(&body, body.entry()), [Some(a), Some(a)]);
        let mut all = Replacements::default();
        let x = body.prev(a).expect("a constant");
        all.insert(a, x);
        body.replace_all(&all);
        assert_eq!(values(&body, body.entry()), [Some(x), Some(x)]);
    }

    #[test]
    fn copies_leave_their_names_to_what_they_copy() {
        let (_, mut body, [a, b], id) = body();
        let mov = crate::instr::Alu::new(AluOp::mov, 1, &[a.into()]);
        let ty = body[a].ty;
        let copy = body.insert(Cursor::After(b), Instr::new(InstrKind::Alu(mov), ty));
        let entry = body.entry();
        let names = body.names_mut().expect("kept");
        names.record(entry, NamedValue { variable: id, value: Some(copy), loc: Loc::NONE });
        body.remove(copy);
        assert_eq!(values(&body, entry), [Some(a), Some(b), Some(a)]);
    }

    #[test]
    fn records_follow_split_and_joined_blocks() {
        let (_, mut body, [a, b], _) = body();
        let entry = body.entry();
        let cond = {
            let mut builder = Builder::at(&mut body, Cursor::BlockStart(entry));
            builder.imm_bool(true)
        };
        let cf = body.insert_if(Cursor::Before(b), cond);
        let (head, tail) = (body.block_of(a), body.block_of(b));
        assert_ne!(head, tail);
        assert_eq!((values(&body, head), values(&body, tail)), (vec![Some(a)], vec![Some(b)]));
        body.flatten_if(cf, true);
        assert_eq!(values(&body, body.entry()), [Some(a), Some(b)]);
    }

    #[test]
    fn values_that_become_the_same_in_any_order() {
        let (_, mut body, [a, b], id) = body();
        let entry = body.entry();
        let ids: Vec<InstrId> = body.instrs(entry).collect();
        let (x, y) = (ids[0], ids[1]);
        let names = body.names_mut().expect("kept");
        names.record(entry, NamedValue { variable: id, value: Some(x), loc: Loc::NONE });
        names.replace(a, b);
        names.replace(x, b);
        names.replace(b, y);
        // Removed values are not replaced again.
        names.replace(a, x);
        assert_eq!(values(&body, entry), [Some(y); 3]);
    }

    #[test]
    fn a_body_with_too_many_records_keeps_none() {
        let (_, mut body, [a, _], id) = body();
        let entry = body.entry();
        let names = body.names_mut().expect("kept");
        for _ in 0..=MAX_RECORDS {
            names.record(entry, NamedValue { variable: id, value: Some(a), loc: Loc::NONE });
        }
        assert!(names.is_empty());
    }
}
