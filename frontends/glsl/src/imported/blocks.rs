//! Moves variables into buffers: uniforms into the default uniform block, atomic counters into the buffer of their binding.

use airfoil_ir::{
    AluOp, Body, Builder, DerefKind, Diagnostic, InstrId, InstrKind, IntrinsicOp, Modes, Scalar, Shader, Ty,
    Type, TypeId, Types, VarId,
};
use rustc_hash::FxHashMap;

/// The block, and the member in it, that a variable becomes.
pub type Moves = FxHashMap<VarId, (VarId, u32)>;

/// Replaces the variables by members of blocks in all code, and removes them. Booleans are numbers in a buffer.
///
/// # Errors
/// A pointer to one of them is passed to a function.
pub fn move_into_blocks(shader: &mut Shader, moves: &Moves) -> Result<(), Diagnostic> {
    if moves.is_empty() {
        return Ok(());
    }
    let Shader { functions, types, vars, .. } = shader;
    for function in functions.values_mut() {
        let mut mover = Mover { body: &mut function.body, types, moved: FxHashMap::default() };
        let list: Vec<InstrId> = mover.body.all_instrs().collect();
        for id in list {
            let target = match mover.body[id].as_deref().map(|d| d.kind) {
                Some(DerefKind::Var(var)) => moves.get(&var),
                _ => None,
            };
            match target {
                Some(&(block, field)) => {
                    mover.variable(id, (block, field), (vars[block].ty, vars[block].mode))
                }
                None => mover.user(id)?,
            }
        }
    }
    for &var in moves.keys() {
        vars.remove(var);
    }
    Ok(())
}

struct Mover<'a> {
    body: &'a mut Body,
    types: &'a mut Types,
    /// The derefs that have changed: their old and new types.
    moved: FxHashMap<InstrId, (TypeId, TypeId)>,
}

impl Mover<'_> {
    /// A deref of a variable becomes one of a member.
    fn variable(&mut self, id: InstrId, (block, field): (VarId, u32), (whole, modes): (TypeId, Modes)) {
        let mut b = Builder::before(self.body, id);
        let parent = b.deref(DerefKind::Var(block), whole, modes);
        let Type::Struct(s) = &self.types[whole] else { return };
        let Some(ty) = s.members.get(field as usize).map(|m| m.ty) else { return };
        self.change(id, Some(DerefKind::Struct { parent, field }), ty, modes);
    }

    fn change(&mut self, id: InstrId, kind: Option<DerefKind>, ty: TypeId, modes: Modes) {
        let mut old = ty;
        self.body.edit(id, |i| {
            if let InstrKind::Deref(d) = &mut i.kind {
                old = d.ty;
                d.kind = kind.unwrap_or(d.kind);
                (d.ty, d.modes) = (ty, modes);
            }
        });
        self.moved.insert(id, (old, ty));
    }

    /// An instruction that may have derefs as operands.
    fn user(&mut self, id: InstrId) -> Result<(), Diagnostic> {
        match &self.body[id].kind {
            InstrKind::Deref(d) => {
                let Some(parent) = d.parent().filter(|p| self.moved.contains_key(p)) else { return Ok(()) };
                let (whole, modes) =
                    self.body[parent].as_deref().map_or((d.ty, d.modes), |p| (p.ty, p.modes));
                let part = match (d.kind, &self.types[whole]) {
                    (DerefKind::Struct { field, .. }, Type::Struct(s)) => {
                        s.members.get(field as usize).map(|m| m.ty)
                    }
                    _ => self.types.element(whole),
                };
                if let Some(part) = part {
                    self.change(id, None, part, modes);
                }
            }
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_deref => {
                let deref = i.srcs()[0];
                if self.has_bool(deref) {
                    self.load_bool(id);
                }
            }
            InstrKind::Intrinsic(i) if i.op == IntrinsicOp::copy_deref => {
                let (to, from) = (i.srcs()[0], i.srcs()[1]);
                if self.has_bool(from) {
                    let (old, _) = self.moved[&from];
                    self.copy(id, to, from, old);
                    self.body.remove(id);
                }
            }
            InstrKind::Call(call) if call.args.iter().any(|a| self.moved.contains_key(a)) => {
                let message =
                    "a pointer to a uniform outside blocks as argument of a function is not supported";
                return Err(Diagnostic::error("E1138", message));
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a deref that has changed leads to booleans.
    fn has_bool(&self, deref: InstrId) -> bool {
        self.moved.get(&deref).is_some_and(|&(old, _)| holds_bool(self.types, old))
    }

    /// Loads booleans as numbers.
    fn load_bool(&mut self, id: InstrId) {
        let comps = self.body[id].ty.comps;
        let kind = self.body[id].kind.clone();
        let mut b = Builder::before(self.body, id);
        let number = b.insert(airfoil_ir::Instr::new(kind, Ty::new(comps, 32)));
        let value = as_bool(&mut b, number);
        self.body.replace_uses(id, value);
        self.body.remove(id);
    }

    /// Copies a value that holds booleans part by part, before `at`. `ty` is the type of the destination.
    fn copy(&mut self, at: InstrId, to: InstrId, from: InstrId, ty: TypeId) {
        let parts = match &self.types[ty] {
            Type::Struct(s) => s.members.len() as u32,
            Type::Vector { scalar, comps } => {
                let (scalar, comps) = (*scalar, *comps);
                let mut b = Builder::before(self.body, at);
                let bits = if scalar == Scalar::Bool { 32 } else { scalar.bits() };
                let mut value = b.load_deref(from, Ty::new(comps, bits));
                if scalar == Scalar::Bool {
                    value = as_bool(&mut b, value);
                }
                b.store_deref(to, value);
                return;
            }
            _ => self.types.num_elements(ty).unwrap_or(0),
        };
        for n in 0..parts {
            let mut b = Builder::before(self.body, at);
            let (to, from, part) = match &self.types[ty] {
                Type::Struct(s) => {
                    let part = s.members[n as usize].ty;
                    (b.deref_struct(self.types, to, n), b.deref_struct(self.types, from, n), part)
                }
                _ => {
                    let to = b.deref_array_imm(self.types, to, n);
                    let from = b.deref_array_imm(self.types, from, n);
                    (to, from, self.types.element(ty).unwrap_or(ty))
                }
            };
            self.copy(at, to, from, part);
        }
    }
}

fn as_bool(b: &mut Builder<'_>, number: InstrId) -> InstrId {
    let zero = b.zero(b.ty(number));
    b.alu(AluOp::ine, &[number, zero])
}

fn holds_bool(types: &Types, ty: TypeId) -> bool {
    match &types[ty] {
        Type::Vector { scalar, .. } => *scalar == Scalar::Bool,
        Type::Array { elem, .. } => holds_bool(types, *elem),
        Type::Struct(s) => s.members.iter().any(|m| holds_bool(types, m.ty)),
        Type::Matrix { .. } | Type::Image(_) | Type::Sampler => false,
    }
}
