//! Equality of shaders up to keys.
//!
//! Keys and the order of types depend on how a shader was built. Two shaders are the same when their
//! variables, functions, blocks and values agree one by one in the order of the text. Types that nothing
//! names do not count.

use super::names::ordered_vars;
use crate::body::Walk;
use crate::ids::{BlockId, FuncId, InstrId, VarId};
use crate::instr::{Alu, Deref, DerefKind, Instr, InstrKind};
use crate::shader::{Function, Shader};
use crate::types::{Type, TypeId};
use crate::var::Variable;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;

impl Shader {
    /// Whether two shaders are equal up to their keys and the order of their types. Use counts count.
    pub fn same_as(&self, other: &Shader) -> bool {
        let mut same = Same {
            a: self,
            b: other,
            types: FxHashMap::default(),
            vars: SecondaryMap::new(),
            functions: SecondaryMap::new(),
        };
        same.shaders().is_some()
    }
}

/// The correspondences found so far.
struct Same<'a> {
    a: &'a Shader,
    b: &'a Shader,
    types: FxHashMap<TypeId, TypeId>,
    vars: SecondaryMap<VarId, VarId>,
    functions: SecondaryMap<FuncId, FuncId>,
}

/// `Some` if the condition holds, for `?`.
fn check(equal: bool) -> Option<()> {
    equal.then_some(())
}

impl Same<'_> {
    fn shaders(&mut self) -> Option<()> {
        let (a, b) = (self.a, self.b);
        let Shader { name, stage, form, types: _, vars: _, functions: _, entry, info, gathered, files } = a;
        check(*name == b.name && *stage == b.stage && *form == b.form && *info == b.info)?;
        check(*gathered == b.gathered && *files == b.files)?;
        check(a.functions.len() == b.functions.len() && a.vars.len() == b.vars.len())?;
        self.functions = a.functions.keys().zip(b.functions.keys()).collect();
        check(entry.map(|e| self.functions.get(e).copied()) == b.entry.map(Some))?;
        for (va, vb) in ordered_vars(a).into_iter().zip(ordered_vars(b)) {
            self.variables(&a.vars[va], &b.vars[vb])?;
            self.vars.insert(va, vb);
        }
        for (fa, fb) in a.functions.values().zip(b.functions.values()) {
            self.function(fa, fb)?;
        }
        Some(())
    }

    fn variables(&mut self, a: &Variable, b: &Variable) -> Option<()> {
        self.ty(a.ty, b.ty)?;
        check(a.function.map(|f| self.functions.get(f).copied()) == b.function.map(Some))?;
        // All other fields by their own equality.
        check(*a == Variable { ty: a.ty, function: a.function, ..b.clone() })
    }

    fn ty(&mut self, a: TypeId, b: TypeId) -> Option<()> {
        if let Some(&known) = self.types.get(&a) {
            return check(known == b);
        }
        match (&self.a.types[a], &self.b.types[b]) {
            (Type::Array { elem, len, stride }, Type::Array { elem: e, len: l, stride: s }) => {
                check(len == l && stride == s)?;
                self.ty(*elem, *e)?;
            }
            (Type::Struct(x), Type::Struct(y)) => {
                check(x.name == y.name && x.block == y.block && x.members.len() == y.members.len())?;
                for (m, n) in x.members.iter().zip(&y.members) {
                    check(m.name == n.name && m.offset == n.offset && m.precision == n.precision)?;
                    self.ty(m.ty, n.ty)?;
                }
            }
            (x, y) => check(x == y)?,
        }
        self.types.insert(a, b);
        Some(())
    }

    fn function(&mut self, a: &Function, b: &Function) -> Option<()> {
        check(a.name == b.name && a.loc == b.loc && a.params.len() == b.params.len())?;
        for (p, q) in a.params.iter().zip(&b.params) {
            check(p.ty == q.ty && p.precision == q.precision)?;
            check(p.pointee.map(|x| x.1) == q.pointee.map(|x| x.1))?;
            if let (Some((t, _)), Some((u, _))) = (p.pointee, q.pointee) {
                self.ty(t, u)?;
            }
        }
        let (a, b) = (&a.body, &b.body);
        check(a.num_instrs() == b.num_instrs() && a.num_blocks() == b.num_blocks())?;
        let values: SecondaryMap<InstrId, InstrId> = a.all_instrs().zip(b.all_instrs()).collect();
        let blocks: SecondaryMap<BlockId, BlockId> = a.blocks().zip(b.blocks()).collect();
        let mut steps = b.walk_cf();
        for x in a.walk_cf() {
            match (x, steps.next()?) {
                (Walk::Block(x), Walk::Block(y)) => {
                    let (mut p, mut q) = (a.instrs(x), b.instrs(y));
                    loop {
                        match (p.next(), q.next()) {
                            (Some(i), Some(j)) => self.instrs(&a[i], &b[j], &values, &blocks)?,
                            (None, None) => break,
                            _ => return None,
                        }
                    }
                }
                (Walk::If(x), Walk::If(y)) => {
                    let (x, y) = (a.as_if(x)?, b.as_if(y)?);
                    check(x.control == y.control && values.get(x.cond()) == Some(&y.cond()))?;
                }
                (Walk::Loop(x), Walk::Loop(y)) => check(a.as_loop(x)?.control == b.as_loop(y)?.control)?,
                (Walk::Else(_), Walk::Else(_))
                | (Walk::EndIf(_), Walk::EndIf(_))
                | (Walk::EndLoop(_), Walk::EndLoop(_)) => {}
                _ => return None,
            }
        }
        check(steps.next().is_none())
    }

    fn instrs(
        &mut self,
        a: &Instr,
        b: &Instr,
        values: &SecondaryMap<InstrId, InstrId>,
        blocks: &SecondaryMap<BlockId, BlockId>,
    ) -> Option<()> {
        check(a.ty == b.ty && a.loc == b.loc && a.uses() == b.uses())?;
        let same = |x: InstrId, y: InstrId| values.get(x) == Some(&y);
        // The operands one by one; the rest is compared by kind.
        let mut operands = smallvec::SmallVec::<[InstrId; 8]>::new();
        b.visit_operands(|v| operands.push(v));
        let mut rest = operands.iter();
        let mut equal = true;
        a.visit_operands(|x| equal &= rest.next().is_some_and(|&y| same(x, y)));
        check(equal && rest.next().is_none())?;
        match (&a.kind, &b.kind) {
            (InstrKind::Alu(x), InstrKind::Alu(y)) => check(same_alu(x, y)),
            (InstrKind::Deref(x), InstrKind::Deref(y)) => self.derefs(x, y),
            (InstrKind::Intrinsic(x), InstrKind::Intrinsic(y)) => {
                check(x.op == y.op && x.indices() == y.indices())
            }
            (InstrKind::Tex(x), InstrKind::Tex(y)) => {
                check(x.srcs.iter().map(|s| s.0).eq(y.srcs.iter().map(|s| s.0)))?;
                let mut y = (**y).clone();
                y.srcs.clone_from(&x.srcs);
                check(**x == y)
            }
            (InstrKind::Const(x), InstrKind::Const(y)) => check(x == y),
            (InstrKind::Undef, InstrKind::Undef) => Some(()),
            (InstrKind::Phi(x), InstrKind::Phi(y)) => {
                check(x.iter().zip(y).all(|(s, t)| blocks.get(s.pred) == Some(&t.pred)))
            }
            (InstrKind::Jump(x), InstrKind::Jump(y)) => check(x == y),
            (InstrKind::Call(x), InstrKind::Call(y)) => {
                check(self.functions.get(x.callee) == Some(&y.callee))
            }
            _ => None,
        }
    }

    fn derefs(&mut self, a: &Deref, b: &Deref) -> Option<()> {
        self.ty(a.ty, b.ty)?;
        check(a.modes == b.modes)?;
        match (a.kind, b.kind) {
            (DerefKind::Var(x), DerefKind::Var(y)) => check(self.vars.get(x) == Some(&y)),
            (DerefKind::Struct { field, .. }, DerefKind::Struct { field: f, .. }) => check(field == f),
            (DerefKind::Cast { stride, .. }, DerefKind::Cast { stride: s, .. }) => check(stride == s),
            (DerefKind::Array { .. }, DerefKind::Array { .. })
            | (DerefKind::ArrayWildcard { .. }, DerefKind::ArrayWildcard { .. })
            | (DerefKind::PtrAsArray { .. }, DerefKind::PtrAsArray { .. }) => Some(()),
            _ => None,
        }
    }
}

/// Everything but the operands' values.
fn same_alu(a: &Alu, b: &Alu) -> bool {
    a.op == b.op && a.flags == b.flags && a.srcs().zip(b.srcs()).all(|(s, t)| s.swizzle == t.swizzle)
}
