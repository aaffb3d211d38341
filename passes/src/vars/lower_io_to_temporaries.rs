//! Shadows outputs (and optionally inputs) in local variables, so that each output is written once.
//!
//! Requires and preserves form `variables`. Preserves control flow. Every output with a deref becomes a local
//! with its name; the output itself, which keeps name, location and `invariant`, receives the value of the
//! local at the end of the entry function and before each `halt` or, in geometry shaders, before each vertex
//! emitted on its stream. Passes over outputs (clip distances, depth range, alpha test) rely on that. Outputs
//! of tessellation control and mesh shaders are shared between invocations and stay. With `inputs`, inputs
//! are copied into locals at the start, so that dynamic indices become local; inputs interpolated at an
//! explicit position stay. Outputs that are written once, in the last block, stay. An output that is fetched is copied into its local at the start; one that is
//! never written stays. The entry function must have one exit
//! ([`lower_returns`](crate::lower::lower_returns)), and callees that emit vertices must be inlined.
//!
//! Source: NIR's `nir_lower_io_vars_to_temporaries`.
//!
//! ```foil-example
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in float t location=1
//!   out float c location=0 invariant
//!   out float d location=1
//!   entry fn main {
//!     %t = deref_var &t
//!     32x1 %0 = load_deref %t
//!     32x1 %1 = const 1.0
//!     %c = deref_var &c
//!     1x1 %2 = flt %0, %1
//!     if %2 {
//!       store_deref %c, %0
//!     }
//!     32x1 %3 = load_deref %c
//!     %d = deref_var &d
//!     store_deref %d, %3
//!   }
//! }
//! =>
//! foil 1
//! shader vertex "t" {
//!   form variables
//!   in float t location=1
//!   out float c location=0 invariant
//!   out float d location=1
//!
//!   fn main {
//!     function_temp float c.1
//!   b0:
//!     %0 = deref_var &t
//!     32x1 %1 = load_deref %0
//!     32x1 %2 = const 1.0
//!     %3 = deref_var &c.1
//!     1x1 %4 = flt %1, %2
//!     if %4 {
//!     b1:
//!       store_deref %3, %1 mask=x
//!     }
//!   b2:
//!     32x1 %5 = load_deref %3
//!     %6 = deref_var &d
//!     store_deref %6, %5 mask=x
//!     %7 = deref_var &c
//!     %8 = deref_var &c.1
//!     32x1 %9 = load_deref %8
//!     store_deref %7, %9 mask=x
//!   }
//! }
//! ```

use crate::util::deref_path;
use crate::util::memory::{PlaceId, Places};
use crate::util::outputs::output_points;
use crate::vars::lower_var_copies::emit_copy;
use crate::{Changes, Context, Pass, PassInfo, pass_options};
use airfoil_ir::{
    Access, Body, Builder, Cursor, Dense, DerefKind, Diagnostic, Form, FuncId, Instr, InstrId, InstrKind,
    IntrinsicOp, Jump, Modes, Scratch, Shader, Stage, VarId, Variable,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerIoToTemporaries {
        /// Shadow outputs.
        outputs: bool = true,
        /// Shadow inputs.
        inputs: bool = false,
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_io_to_temporaries",
    "shadows outputs in local variables, so that each is written once",
    include_str!("lower_io_to_temporaries.rs"),
)
.takes(&[Form::Variables])
.options(<LowerIoToTemporaries as crate::PassOptions>::OPTIONS);

impl Pass for LowerIoToTemporaries {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let Some(entry) = shader.entry.filter(|&e| shader.functions.contains_key(e)) else {
            return Ok(Changes::NONE);
        };
        let mut progress = Changes::NONE;
        if self.outputs && !matches!(shader.stage, Stage::TessControl | Stage::Mesh | Stage::Task) {
            progress |= shadow_outputs(shader, entry)?;
        }
        if self.inputs {
            progress |= shadow_inputs(shader, entry)?;
        }
        Ok(progress)
    }
}

/// The variables of a kind that have derefs, in declaration order.
fn named(shader: &Shader, mode: Modes) -> SmallVec<[VarId; 16]> {
    let mut found = VarSet::default();
    for f in shader.functions.values() {
        for (_, instr) in f.body.entries() {
            if let Some(d) = instr.as_deref().filter(|d| d.modes.intersects(mode))
                && let DerefKind::Var(var) = d.kind
            {
                found.set(var, true);
            }
        }
    }
    shader.vars.iter().filter(|(id, v)| v.mode == mode && found.get(*id)).map(|(id, _)| id).collect()
}

/// Creates a local for each variable and retargets all its derefs.
fn shadow(shader: &mut Shader, entry: FuncId, vars: &[VarId]) -> SmallVec<[(VarId, VarId); 16]> {
    // Used by one function: a local. By several: all of them share the shadow.
    let one = shader.functions.len() == 1;
    let mode = if one { Modes::FUNCTION_TEMP } else { Modes::SHADER_TEMP };
    let mut pairs = SmallVec::new();
    let mut to: Dense<Option<VarId>, VarId> = Dense::new(shader.vars.capacity());
    for &id in vars {
        let v = &shader.vars[id];
        let mut temp = Variable { name: v.name.clone(), ..Variable::new("", v.ty, mode) };
        temp.function = one.then_some(entry);
        temp.precision = v.precision;
        let temp = shader.vars.insert(temp);
        pairs.push((id, temp));
        to.set(id, Some(temp));
    }
    for f in shader.functions.values_mut() {
        let shadowed = |i: &Instr| i.as_deref().is_some_and(|d| d.modes.intersects(Modes::IN | Modes::OUT));
        let derefs: Scratch<InstrId> =
            f.body.entries().filter(|(_, i)| shadowed(i)).map(|(id, _)| id).collect();
        let mut changed: Dense<bool> = Dense::default();
        for &id in &derefs {
            let Some(d) = f.body[id].as_deref().copied() else { continue };
            let kind = match d.kind {
                DerefKind::Var(var) => match to.get(var) {
                    Some(temp) => DerefKind::Var(temp),
                    None => continue,
                },
                kind if d.parent().is_some_and(|p| changed.get(p)) => kind,
                _ => continue,
            };
            changed.set(id, true);
            f.body.edit(id, |i| {
                if let InstrKind::Deref(d) = &mut i.kind {
                    (d.kind, d.modes) = (kind, mode);
                }
            });
        }
    }
    pairs
}

fn copy(
    shader: &mut Shader,
    function: FuncId,
    at: Cursor,
    pairs: impl Iterator<Item = (VarId, VarId)>,
) -> Result<(), Diagnostic> {
    let Shader { types, vars, functions, .. } = shader;
    let Some(function) = functions.get_mut(function) else { return Ok(()) };
    let mut b = Builder::at(&mut function.body, at);
    for (to, from) in pairs {
        let (dst, src) = (b.deref_var(vars, to), b.deref_var(vars, from));
        emit_copy(types, &mut b, dst, src, Access::empty(), Access::empty())?;
        for d in [src, dst] {
            if b.body.is_unused(d) && b.cursor != Cursor::After(d) {
                b.body.remove(d);
            }
        }
    }
    Ok(())
}

fn shadow_outputs(shader: &mut Shader, entry: FuncId) -> Result<Changes, Diagnostic> {
    let mut vars = named(shader, Modes::OUT);
    if vars.is_empty() {
        return Ok(Changes::NONE);
    }
    let body = &shader.functions[entry].body;
    if body.blocks().any(|b| body.jump(b) == Some(Jump::Return)) {
        return Err(Diagnostic::error(
            "E0320",
            "lower_io_to_temporaries requires an entry function with one exit",
        )
        .help("run lower_returns before lower_io_to_temporaries"));
    }
    let is_emit =
        |body: &Body, id: InstrId| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::emit_vertex);
    for (f, function) in &shader.functions {
        if f != entry && function.body.all_instrs().any(|id| is_emit(&function.body, id)) {
            return Err(Diagnostic::error(
                "E0320",
                "lower_io_to_temporaries requires that only the entry function emits vertices",
            )
            .help("run inline_functions before lower_io_to_temporaries"));
        }
    }
    let shadowed = shadowed(shader, entry);
    vars.retain(|v| shadowed.get(*v));
    if vars.iter().any(|&v| shader.vars[v].fetched) {
        let written = written(shader);
        vars.retain(|v| !shader.vars[*v].fetched || written.get(*v));
    }
    if vars.is_empty() {
        return Ok(Changes::NONE);
    }
    let pairs = shadow(shader, entry, &vars);
    let start = Cursor::BlockStart(shader.functions[entry].body.entry());
    let fetched: Vec<_> =
        pairs.iter().filter(|(v, _)| shader.vars[*v].fetched).map(|&(v, l)| (l, v)).collect();
    copy(shader, entry, start, fetched.into_iter())?;
    for point in output_points(shader) {
        let leaving: Vec<_> = pairs.iter().filter(|(v, _)| point.is_of(&shader.vars[*v])).copied().collect();
        copy(shader, point.function, point.at, leaving.into_iter())?;
    }
    Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
}

type VarSet = Dense<bool, VarId>;

/// Outputs that need a shadow: all except those that are never read and are stored once, in the last block or before a vertex
/// is emitted, where nothing but values is computed from the store on.
fn shadowed(shader: &Shader, entry: FuncId) -> VarSet {
    let body = &shader.functions[entry].body;
    let places = Places::of(shader, body, Modes::OUT);
    let mut bad = VarSet::default();
    for (_, function) in shader.functions.iter().filter(|&(f, _)| f != entry) {
        for (_, instr) in function.body.entries() {
            if let Some(DerefKind::Var(var)) = instr.as_deref().map(|d| d.kind) {
                bad.set(var, true);
            }
        }
    }
    // Components stored since the start of a sequence of stores, and their variables.
    let mut run: FxHashMap<PlaceId, u8> = FxHashMap::default();
    let mut pending: Scratch<VarId> = Scratch::new();
    for block in body.blocks() {
        run.clear();
        pending.clear();
        for id in body.instrs(block) {
            match &body[id].kind {
                InstrKind::Deref(_) | InstrKind::Const(_) | InstrKind::Jump(_) => {}
                InstrKind::Intrinsic(i) if i.op == IntrinsicOp::store_deref => {
                    let Some(var) = output_of(body, i.src(0)) else { continue };
                    pending.push(var);
                    let whole =
                        places.target(i.src(0)).filter(|t| !t.component && !places.is_dynamic(t.place));
                    let Some(t) = whole else {
                        bad.set(var, true);
                        continue;
                    };
                    let before = run.entry(t.place).or_insert(0);
                    if *before & i.write_mask() as u8 != 0 {
                        bad.set(var, true);
                    }
                    *before |= i.write_mask() as u8;
                }
                InstrKind::Intrinsic(i)
                    if i.op == IntrinsicOp::emit_vertex && shader.stage == Stage::Geometry =>
                {
                    run.clear();
                    pending.clear();
                }
                InstrKind::Intrinsic(i) if i.op == IntrinsicOp::load_deref => {
                    if let Some(var) = output_of(body, i.src(0)) {
                        bad.set(var, true);
                    }
                }
                kind => {
                    // Passes insert tests of an output after its store: what has an effect or requires other invocations
                    // stays before them.
                    if !body[id].can_eliminate() || body[id].is_convergent() {
                        pending.drain(..).for_each(|var| bad.set(var, true));
                    }
                    // ALU operations on derefs do not exist.
                    if matches!(kind, InstrKind::Alu(_)) {
                        continue;
                    }
                    body[id].visit_operands(|v| {
                        if let Some(var) = output_of(body, v) {
                            bad.set(var, true);
                        }
                    });
                }
            }
        }
        if block != body.root().last || shader.stage == Stage::Geometry {
            pending.drain(..).for_each(|v| bad.set(v, true));
        }
    }
    bad
}

/// Outputs that something may write.
fn written(shader: &Shader) -> VarSet {
    let mut written = VarSet::default();
    for body in shader.functions.values().map(|f| &f.body) {
        for (_, instr) in body.entries().filter(|(_, instr)| instr.as_deref().is_none()) {
            if instr.as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_deref) {
                continue;
            }
            instr.visit_operands(|v| {
                if let Some(var) = output_of(body, v) {
                    written.set(var, true);
                }
            });
        }
    }
    written
}

/// The output that a deref refers to.
fn output_of(body: &Body, value: InstrId) -> Option<VarId> {
    body[value].as_deref().filter(|d| d.modes.intersects(Modes::OUT))?;
    deref_path::root_var(body, value)
}

fn shadow_inputs(shader: &mut Shader, entry: FuncId) -> Result<Changes, Diagnostic> {
    let mut vars = named(shader, Modes::IN);
    let (mut stay, mut needed) = (VarSet::default(), VarSet::default());
    for f in shader.functions.values() {
        for id in f.body.all_instrs() {
            let Some(i) = f.body[id].as_intrinsic() else { continue };
            let var = i.srcs().first().filter(|&&v| f.body[v].as_deref().is_some());
            let Some(var) = var.and_then(|&v| deref_path::root_var(&f.body, v)) else { continue };
            if matches!(
                i.op,
                IntrinsicOp::interp_deref_at_centroid
                    | IntrinsicOp::interp_deref_at_sample
                    | IntrinsicOp::interp_deref_at_offset
            ) {
                stay.set(var, true);
            } else if !is_start_copy(&f.body, id, i.src(0)) {
                needed.set(var, true);
            }
        }
    }
    vars.retain(|v| needed.get(*v) && !stay.get(*v));
    if vars.is_empty() {
        return Ok(Changes::NONE);
    }
    let pairs = shadow(shader, entry, &vars);
    let start = Cursor::BlockStart(shader.functions[entry].body.entry());
    copy(shader, entry, start, pairs.into_iter().map(|(v, temp)| (temp, v)))?;
    Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
}

/// Whether a load of an input is one that this pass inserts: constant index, in the first block.
fn is_start_copy(body: &Body, load: InstrId, deref: InstrId) -> bool {
    let constant = deref_path::DerefPath::new(body, deref)
        .steps
        .iter()
        .all(|s| matches!(s, deref_path::Step::Const(_) | deref_path::Step::Field(_)));
    constant && body.block_of(load) == body.entry()
}
