//! Outputs by slot, the exits where they have their final values, and conversion of interface variables to
//! plain ones.

use crate::Changes;
use crate::util::deref_path::root_var;
use airfoil_ir::text::print_instr;
use airfoil_ir::{
    Body, Builder, Cursor, DerefKind, Diagnostic, FuncId, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp,
    IoSemantics, Jump, Modes, Scalar, Shader, Slot, Stage, Ty, Type, VarId, Variable,
};

/// An exit: a location where outputs leave the invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputPoint {
    /// The function that contains it.
    pub function: FuncId,
    /// Before the instruction that ends the invocation or emits the vertex.
    pub at: Cursor,
    /// The stream of an emitted vertex; `None` if outputs of all streams leave.
    pub stream: Option<u32>,
}

impl OutputPoint {
    /// Whether this output leaves here.
    pub fn is_of(&self, var: &Variable) -> bool {
        self.stream.is_none_or(|s| s == u32::from(var.stream))
    }
}

/// The exits of outputs: in a geometry shader before each emitted vertex, in other stages at the end of the
/// entry function and before each `halt`, since values written before an invocation terminates itself are
/// output.
pub fn output_points(shader: &Shader) -> Vec<OutputPoint> {
    let Some(entry) = shader.entry.filter(|&e| shader.functions.contains_key(e)) else { return Vec::new() };
    let mut points = Vec::new();
    for (function, f) in &shader.functions {
        let body = &f.body;
        if shader.stage == Stage::Geometry {
            points.extend(body.all_instrs().filter_map(|id| {
                let emit = body[id].as_intrinsic().filter(|i| i.op == IntrinsicOp::emit_vertex)?;
                Some(OutputPoint { function, at: Cursor::Before(id), stream: Some(emit.stream()) })
            }));
            continue;
        }
        let ends = body.blocks().filter(|&b| match body.jump(b) {
            Some(Jump::Halt) => true,
            Some(Jump::Return) => function == entry,
            _ => function == entry && b == body.root().last,
        });
        points.extend(ends.map(|b| OutputPoint { function, at: body.before_jump(b), stream: None }));
    }
    points
}

/// Whether a variable has derefs.
pub fn is_named(shader: &Shader, var: VarId) -> bool {
    let names = |body: &Body, id: InstrId| body[id].as_deref().is_some_and(|d| d.kind == DerefKind::Var(var));
    shader.functions.values().any(|f| f.body.all_instrs().any(|id| names(&f.body, id)))
}

/// Whether an instruction other than a deref uses a variable.
pub fn is_used(shader: &Shader, var: VarId) -> bool {
    shader.functions.values().any(|f| users(&f.body, var).next().is_some())
}

/// The output variable at a slot.
pub fn output_at(shader: &Shader, slot: Slot) -> Option<VarId> {
    let mut vars = shader.vars.iter();
    vars.find(|(_, v)| v.mode == Modes::OUT && v.location == Some(slot)).map(|(id, _)| id)
}

/// Checks that a built-in is a vector of 32-bit floats.
///
/// # Errors
/// If it has another type.
pub fn expect_floats(shader: &Shader, var: VarId, comps: u8) -> Result<(), Diagnostic> {
    let v = &shader.vars[var];
    if matches!(shader.types[v.ty], Type::Vector { scalar: Scalar::Float32, comps: n } if n == comps) {
        return Ok(());
    }
    let slot = v.location.unwrap_or(Slot::POSITION);
    let expected =
        if comps == 1 { "a 32-bit float".into() } else { format!("a vector of {comps} 32-bit floats") };
    let message = format!("`{}` (slot {slot}): expected {expected}", v.name);
    Err(Diagnostic::error("E0325", message))
}

/// The slot that a store to an output writes, if its offset is constant.
pub fn written_slot(body: &Body, store: &Intrinsic) -> Option<Slot> {
    let offset = store.srcs().last().and_then(|&o| body[o].as_const())?;
    store.io().location.offset(u32::try_from(offset[0]).ok()?)
}

/// A store to an output by slot; the value is its first operand.
pub fn slot_store(body: &Body, id: InstrId) -> Option<&Intrinsic> {
    let is_store =
        |op: IntrinsicOp| matches!(op, IntrinsicOp::store_output | IntrinsicOp::store_per_vertex_output);
    body[id].as_intrinsic().filter(|i| is_store(i.op))
}

/// The stores to the output of a slot.
pub fn slot_stores(body: &Body, slot: Slot) -> Vec<InstrId> {
    let to_slot = |id: &InstrId| slot_store(body, *id).is_some_and(|i| written_slot(body, i) == Some(slot));
    body.all_instrs().filter(to_slot).collect()
}

/// Changes the value that a store writes.
pub fn set_stored(body: &mut Body, store: InstrId, value: InstrId) {
    body.edit(store, |i| {
        if let InstrKind::Intrinsic(i) = &mut i.kind {
            i.set_src(0, value);
        }
    });
}

/// Restricts the sample mask that a fragment shader writes to a mask; one that writes none writes this mask at its exits.
pub fn write_sample_mask(
    shader: &mut Shader,
    is_written: bool,
    mask: impl Fn(&mut Builder<'_>) -> InstrId,
) -> Changes {
    if is_written {
        for function in shader.functions.values_mut() {
            let body = &mut function.body;
            for store in slot_stores(body, Slot::SAMPLE_MASK) {
                let Some(own) = slot_store(body, store).map(|s| s.src(0)) else { continue };
                let mut b = Builder::before(body, store);
                let mask = mask(&mut b);
                let both = b.iand(own, mask);
                set_stored(body, store, both);
            }
        }
        return Changes::ALL_BUT_CONTROL_FLOW;
    }
    for point in output_points(shader) {
        let mut b = Builder::at(&mut shader.functions[point.function].body, point.at);
        let (mask, first) = (mask(&mut b), b.imm_u32(0));
        let store = Intrinsic::new(IntrinsicOp::store_output, &[mask, first])
            .with(Index::Io, IoSemantics::new(Slot::SAMPLE_MASK))
            .with(Index::WriteMask, 1)
            .with(Index::SrcType, Scalar::Int32);
        b.insert_intrinsic(store, Ty::NONE);
    }
    if output_at(shader, Slot::SAMPLE_MASK).is_none() {
        let ty = shader.types.vector(Scalar::Int32, 1);
        let mut var = Variable::new("sample_mask", ty, Modes::OUT);
        var.location = Some(Slot::SAMPLE_MASK);
        shader.add_var(var);
    }
    Changes::ALL_BUT_CONTROL_FLOW
}

/// The instructions other than derefs that use a variable.
pub fn users(body: &Body, var: VarId) -> impl Iterator<Item = InstrId> + '_ {
    body.all_instrs().filter(move |&id| {
        let mut names = false;
        if body[id].as_deref().is_none() {
            body[id].visit_operands(|v| {
                names |= body[v].as_deref().is_some() && root_var(body, v) == Some(var);
            });
        }
        names
    })
}

/// Turns an input or output into an invocation-wide variable that is not visible to other stages.
///
/// # Errors
/// If the variable is interpolated at an explicit position, or a call takes a reference to it.
pub fn make_own(shader: &mut Shader, var: VarId) -> Result<(), Diagnostic> {
    for f in shader.functions.values() {
        let body = &f.body;
        for id in users(body, var) {
            let refused = match &body[id].kind {
                InstrKind::Call(_) => "references as arguments of calls are not supported",
                InstrKind::Intrinsic(i)
                    if !matches!(
                        i.op,
                        IntrinsicOp::load_deref | IntrinsicOp::store_deref | IntrinsicOp::copy_deref
                    ) =>
                {
                    "only loads, stores and copies are supported"
                }
                _ => continue,
            };
            let instr = print_instr(shader, body, id);
            let message =
                format!("`{}` becomes a plain variable: {refused}, found `{instr}`", shader.vars[var].name);
            return Err(Diagnostic::error("E0331", message).help("run inline_functions first"));
        }
    }
    move_derefs(shader, var, Modes::SHADER_TEMP);
    let old = &shader.vars[var];
    let mut own = Variable::new(&old.name, old.ty, Modes::SHADER_TEMP);
    (own.precision, own.initializer) = (old.precision, old.initializer.clone());
    shader.vars[var] = own;
    Ok(())
}

/// Changes the mode of every deref of a variable; the caller changes the variable itself.
pub fn move_derefs(shader: &mut Shader, var: VarId, modes: Modes) {
    for function in shader.functions.values_mut() {
        let body = &mut function.body;
        let derefs: Vec<InstrId> = body
            .all_instrs()
            .filter(|&id| body[id].as_deref().is_some() && root_var(body, id) == Some(var))
            .collect();
        for id in derefs {
            body.edit(id, |i| {
                if let InstrKind::Deref(d) = &mut i.kind {
                    d.modes = modes;
                }
            });
        }
    }
}
