//! The path from a variable to the target of a deref, and alias analysis of two paths. A deref is the end of
//! a chain of instructions. [`DerefPath`] is that chain as a list of steps, starting at the variable;
//! [`steps_meet`] and [`DerefPath::alias`] compare. Two different SSA values as indices may be equal at run
//! time; one SSA value equals itself (within one iteration of a loop).

use airfoil_ir::{Access, Body, DerefKind, InstrId, Modes, Shader, VarId};
use smallvec::SmallVec;

/// The start of a deref chain.
///
/// # Examples
/// ```
/// use airfoil_ir::text;
/// use airfoil_passes::util::deref_path::{Root, root};
///
/// let shader = text::parse(r#"foil 1
/// shader compute "main" {
///   shared vec4[8] data
///   fn main {
///     %whole = deref_var &data
///     %words = deref_cast %whole : uint[32] shared
///     %first = deref_array_wildcard %words[*]
///   } }"#)?;
/// # let body = shader.entry_body().unwrap();
/// let ids: Vec<_> = body.all_instrs().collect();
/// assert_eq!(root(body, ids[0]), Root::Var(shader.vars.keys().next().unwrap()));
/// // Paths are not followed through casts.
/// assert_eq!(root(body, ids[2]), Root::Pointer(ids[1]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// A variable.
    Var(VarId),
    /// A pointer of unknown origin: a cast, pointer arithmetic or a parameter.
    Pointer(InstrId),
}

/// One step from a whole to a part.
///
/// # Examples
/// ```
/// use airfoil_ir::{Body, Builder, SystemValue};
/// use airfoil_passes::util::deref_path::{Step, index_step};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let (known, unknown) = (b.imm_u32(3), b.load_system_value(SystemValue::vertex_id));
/// let [known, unknown] = [known, unknown].map(|index| index_step(&body, index));
/// assert_eq!(known, Step::Const(3));
/// // The element may be any.
/// assert!(unknown.is_open() && Step::Wildcard.is_open() && !known.is_open());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Member of a structure.
    Field(u32),
    /// Element with a constant index.
    Const(u32),
    /// Element with a dynamic index.
    Dynamic(InstrId),
    /// All elements.
    Wildcard,
}

impl Step {
    /// Whether it can lead to several parts.
    pub fn is_open(self) -> bool {
        matches!(self, Step::Dynamic(_) | Step::Wildcard)
    }
}

/// Relation between the targets of two steps from the same parent.
///
/// # Examples
/// ```
/// use airfoil_ir::{Body, Builder, SystemValue};
/// use airfoil_passes::util::deref_path::{Meet, Step, steps_meet};
///
/// let mut body = Body::new();
/// let index = Builder::at_end(&mut body).load_system_value(SystemValue::instance_id);
/// assert_eq!(steps_meet(Step::Const(0), Step::Const(1)), Meet::Never);
/// assert_eq!(steps_meet(Step::Const(0), Step::Dynamic(index)), Meet::Maybe);
/// // An index equals itself, but need not be the only element that another step reaches.
/// assert_eq!(steps_meet(Step::Dynamic(index), Step::Dynamic(index)), Meet::Always);
/// assert_eq!(steps_meet(Step::Dynamic(index), Step::Wildcard), Meet::Maybe);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meet {
    /// Disjoint.
    Never,
    /// Possibly the same.
    Maybe,
    /// Certainly the same (including several elements).
    Always,
}

/// Whether two steps from the same parent lead to the same part.
pub fn steps_meet(a: Step, b: Step) -> Meet {
    match (a, b) {
        _ if a == b => Meet::Always,
        (Step::Field(_), _) | (_, Step::Field(_)) | (Step::Const(_), Step::Const(_)) => Meet::Never,
        _ => Meet::Maybe,
    }
}

/// The step of a deref, and its parent; `None` for the start of a chain.
pub fn step(body: &Body, deref: InstrId) -> Option<(InstrId, Step)> {
    match body[deref].as_deref()?.kind {
        DerefKind::Var(_) | DerefKind::Cast { .. } | DerefKind::PtrAsArray { .. } => None,
        DerefKind::Struct { parent, field } => Some((parent, Step::Field(field))),
        DerefKind::ArrayWildcard { parent } => Some((parent, Step::Wildcard)),
        DerefKind::Array { parent, index } => Some((parent, index_step(body, index))),
    }
}

/// The step of an array index.
pub fn index_step(body: &Body, index: InstrId) -> Step {
    match body[index].as_const() {
        // Indices of 32 bits; a negative index is out of range as a large one is.
        Some(lanes) => Step::Const(u32::try_from(lanes[0]).unwrap_or(u32::MAX)),
        None => Step::Dynamic(index),
    }
}

/// The variable at the start of a deref's chain; `None` for pointers of unknown origin.
pub fn root_var(body: &Body, deref: InstrId) -> Option<VarId> {
    match root(body, deref) {
        Root::Var(var) => Some(var),
        Root::Pointer(_) => None,
    }
}

/// The start of a deref's chain.
pub fn root(body: &Body, mut deref: InstrId) -> Root {
    while let Some((parent, _)) = step(body, deref) {
        deref = parent;
    }
    root_of_start(body, deref)
}

fn root_of_start(body: &Body, deref: InstrId) -> Root {
    match body[deref].as_deref().map(|d| d.kind) {
        Some(DerefKind::Var(var)) => Root::Var(var),
        _ => Root::Pointer(deref),
    }
}

/// A deref as a list of steps.
///
/// # Examples
/// ```
/// use airfoil_ir::{Modes, text};
/// use airfoil_passes::util::deref_path::{DerefPath, Step};
///
/// let shader = text::parse(r#"foil 1
/// shader fragment "main" {
///   ubo Lights { vec4 ambient @0, vec4[4 stride=16] colors @16 } lights set=0 binding=0
///   fn main {
///     32x1 %three = const 3
///     %colors = deref_struct &lights.colors
///     %color = deref_array %colors[%three]
///   } }"#)?;
/// let body = shader.entry_body().unwrap();
/// let path = DerefPath::new(body, body.all_instrs().last().unwrap());
/// assert_eq!((path.modes, &path.steps[..]), (Modes::UBO, &[Step::Field(1), Step::Const(3)][..]));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerefPath {
    /// Where it starts.
    pub root: Root,
    /// Modes of the memory that it can point to.
    pub modes: Modes,
    /// From the root to the target.
    pub steps: SmallVec<[Step; 6]>,
}

/// Relation between the targets of two derefs.
///
/// # Examples
/// ```
/// use airfoil_ir::{Access, Body, Builder, Modes, Scalar, Shader, Stage, Variable};
/// use airfoil_passes::util::deref_path::{Alias, DerefPath};
///
/// let (mut shader, mut body) = (Shader::new("main", Stage::Compute), Body::new());
/// let uint = shader.types.vector(Scalar::Uint32, 1);
/// let vars = ["a", "b"].map(|name| shader.add_var(Variable::new(name, uint, Modes::SSBO)));
/// let paths = vars.map(|var| {
///     let deref = Builder::at_end(&mut body).deref_var(&shader.vars, var);
///     DerefPath::new(&body, deref)
/// });
/// assert_eq!(paths[0].alias(&paths[1], &shader), Alias::May);
/// // Another variable cannot name the memory of a `restrict` buffer.
/// shader.vars[vars[0]].access |= Access::RESTRICT;
/// assert_eq!(paths[0].alias(&paths[1], &shader), Alias::None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Disjoint.
    None,
    /// Possibly overlapping.
    May,
    /// The same location.
    Equal,
    /// The first contains the second.
    Contains,
    /// The second contains the first.
    Inside,
}

impl DerefPath {
    /// The path of a deref.
    pub fn new(body: &Body, mut deref: InstrId) -> DerefPath {
        let modes = body[deref].as_deref().map_or(Modes::all(), |d| d.modes);
        let mut steps = SmallVec::new();
        while let Some((parent, s)) = step(body, deref) {
            steps.push(s);
            deref = parent;
        }
        steps.reverse();
        DerefPath { root: root_of_start(body, deref), modes, steps }
    }

    /// Whether and how two derefs can reach the same memory.
    pub fn alias(&self, other: &DerefPath, shader: &Shader) -> Alias {
        if self.root != other.root {
            let apart = match (self.root, other.root) {
                (Root::Var(a), Root::Var(b)) => {
                    !(may_share_memory(shader, a)
                        && may_share_memory(shader, b)
                        && self.modes.intersects(other.modes))
                }
                _ => !self.modes.intersects(other.modes),
            };
            return if apart { Alias::None } else { Alias::May };
        }
        let mut sure = true;
        // Elements of an array of storage blocks may be bound to one buffer; indices inside a block are
        // distinct.
        let mut inside_block = false;
        for (&a, &b) in self.steps.iter().zip(&other.steps) {
            match steps_meet(a, b) {
                Meet::Always => {}
                Meet::Maybe => sure = false,
                Meet::Never => match self.root {
                    Root::Var(v)
                        if !inside_block && matches!(a, Step::Const(_)) && may_share_memory(shader, v) =>
                    {
                        sure = false
                    }
                    _ => return Alias::None,
                },
            }
            inside_block |= matches!(a, Step::Field(_));
        }
        match self.steps.len().cmp(&other.steps.len()) {
            _ if !sure => Alias::May,
            std::cmp::Ordering::Less => Alias::Contains,
            std::cmp::Ordering::Equal => Alias::Equal,
            std::cmp::Ordering::Greater => Alias::Inside,
        }
    }
}

/// Whether another variable can name the same memory: storage blocks that are not `restrict`
/// (SPIR-V 1.6 section 2.18.2 lets them alias), and blocks in workgroup memory.
pub fn may_share_memory(shader: &Shader, var: VarId) -> bool {
    shader.vars.get(var).is_none_or(|v| {
        let buffer = v.mode.intersects(Modes::SSBO | Modes::GLOBAL);
        (buffer && !v.access.contains(Access::RESTRICT)) || v.is_workgroup_block(&shader.types)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_ir::{Builder, Function, Scalar, Stage, Variable};

    #[test]
    fn paths_compare() {
        let mut s = Shader::new("t", Stage::Compute);
        let f = s.types.vector(Scalar::Float32, 4);
        let arr = s.types.array(f, 4);
        let a = s.add_var(Variable::new("a", arr, Modes::SHARED));
        let b = s.add_var(Variable::new("b", arr, Modes::SHARED));
        let buf = s.add_var(Variable::new("c", arr, Modes::SSBO));
        let buf2 = s.add_var(Variable::new("d", arr, Modes::SSBO));
        let mut body = Function::new("main").body;
        let mut types = s.types.clone();
        let mut d = Builder::at_end(&mut body);
        let i = d.load_system_value(airfoil_ir::SystemValue::vertex_id);
        let mut at = |d: &mut Builder, var, index: Option<u32>| {
            let v = d.deref_var(&s.vars, var);
            match index {
                Some(n) => d.deref_array_imm(&mut types, v, n),
                None => d.deref_array(&mut types, v, i),
            }
        };
        let (a0, a1, ai, ai2) =
            (at(&mut d, a, Some(0)), at(&mut d, a, Some(1)), at(&mut d, a, None), at(&mut d, a, None));
        let (b0, c0, d1) = (at(&mut d, b, Some(0)), at(&mut d, buf, Some(0)), at(&mut d, buf2, Some(1)));
        let whole = d.deref_var(&s.vars, a);
        let p = |x| DerefPath::new(&body, x);
        assert_eq!(p(a0).alias(&p(a1), &s), Alias::None);
        assert_eq!(p(a0).alias(&p(ai), &s), Alias::May);
        assert_eq!(p(ai).alias(&p(ai2), &s), Alias::Equal);
        assert_eq!(p(a0).alias(&p(b0), &s), Alias::None);
        assert_eq!(p(c0).alias(&p(d1), &s), Alias::May);
        assert_eq!(p(whole).alias(&p(a1), &s), Alias::Contains);
        assert_eq!(p(a1).alias(&p(whole), &s), Alias::Inside);
        assert_eq!(p(a1).alias(&p(c0), &s), Alias::None);
    }
}
