//! Collects facts about the code: slots, system values, discards, kinds of cooperation between invocations.
//!
//! Accepts any form. Preserves all analyses: the code does not change. The facts are stored in
//! `Shader::gathered`; every pass that makes progress later invalidates them. Declarations do not count, only
//! accesses do. In form `variables` constant indices select slots; other accesses count for all slots of the
//! part that they refer to. A single walk.
//!
//! Source: NIR's `nir_shader_gather_info`.
//!
//! ```foil-example
//! 32x1 %0 = const 0
//! 32x1 %1 = load_vertex_id
//! store_output %1, %0 io=3 mask=x
//! =>
//! foil 1
//! shader vertex "example" {
//!   form slots
//!   gathered {
//!     outputs_written 3
//!     system_values_read vertex_id
//!   }
//!   fn main {
//!     32x1 %0 = const 0
//!     32x1 %1 = load_vertex_id
//!     store_output %1, %0 io=3 mask=x
//!   }
//! }
//! ```

use crate::{Changes, Context, Pass, PassInfo};
use airfoil_ir::intrinsic::{IntrinsicFlags, MemoryAction};
use airfoil_ir::{
    Body, DerefKind, Diagnostic, Gathered, Index, InstrId, InstrKind, Intrinsic, IntrinsicOp, Modes,
    Sampling, Scope, Shader, Slot, SlotSet, Stage, SystemValue, Type, TypeId, Variable,
};

/// See the [module documentation](self).
#[derive(Debug, Default)]
pub struct GatherInfo;

static INFO: PassInfo =
    PassInfo::new("gather_info", "collects facts about the code of a shader", include_str!("gather_info.rs"));

impl Pass for GatherInfo {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        let gathered = gather(shader);
        if shader.gathered.as_ref() == Some(&gathered) {
            return Ok(Changes::NONE);
        }
        shader.gathered = Some(gathered);
        Ok(Changes::INFO)
    }
}

/// Facts about the code of a shader.
pub fn gather(shader: &Shader) -> Gathered {
    let mut g = Gathered::default();
    for function in shader.functions.values() {
        let body = &function.body;
        for id in body.all_instrs() {
            let instr = &body[id];
            match &instr.kind {
                InstrKind::Intrinsic(i) => intrinsic(shader, body, i, &mut g),
                InstrKind::Alu(_) | InstrKind::Tex(_) => g.uses_quad |= instr.is_convergent(),
                _ => {}
            }
        }
    }
    g
}

fn system_value(sv: SystemValue, g: &mut Gathered) {
    g.system_values_read |= 1 << (sv as u32);
    g.uses_sample_shading |= matches!(sv, SystemValue::sample_id | SystemValue::sample_pos);
}

fn intrinsic(shader: &Shader, body: &Body, i: &Intrinsic, g: &mut Gathered) {
    let info = i.op.info();
    g.uses_quad |= info.flags.contains(IntrinsicFlags::QUAD);
    g.uses_subgroup |= info.flags.contains(IntrinsicFlags::SUBGROUP);
    g.uses_discard |= info.flags.contains(IntrinsicFlags::TERMINATES);
    // The scope of operations without this index is `None`.
    let convergent = info.flags.contains(IntrinsicFlags::CONVERGENT);
    g.uses_barrier |= convergent && i.execution_scope() == Scope::Workgroup;
    g.uses_sample_shading |= i.op == IntrinsicOp::load_barycentric_sample;
    if let Some(sv) = i.op.system_value() {
        system_value(sv, g);
    }
    let Some(memory) = i.memory() else { return };
    let writes = memory.action.writes();
    if info.indices.contains(&Index::Io) {
        let set = match (memory.modes == Modes::IN, writes) {
            (true, _) => &mut g.inputs_read,
            (false, false) => &mut g.outputs_read,
            (false, true) => &mut g.outputs_written,
        };
        io_slots(body, i, set);
        return;
    }
    let (Some(block), None) = (memory.block, memory.offset) else {
        g.writes_memory |= writes && memory.modes.intersects(WRITTEN_MEMORY);
        return;
    };
    // A deref names all that is accessed.
    if writes {
        access(shader, body, block, true, g);
    }
    match memory.action {
        MemoryAction::Copy => memory.value.into_iter().for_each(|v| access(shader, body, v, false, g)),
        MemoryAction::Load | MemoryAction::Atomic | MemoryAction::Exchange => {
            access(shader, body, block, false, g);
        }
        MemoryAction::Store | MemoryAction::Size => {}
    }
}

/// Memory that other shaders and the host can see.
const WRITTEN_MEMORY: Modes = Modes::SSBO.union(Modes::GLOBAL).union(Modes::IMAGE);

/// The slots that an access in form `slots` can reach.
fn io_slots(body: &Body, i: &Intrinsic, set: &mut SlotSet) {
    let io = i.io();
    // The offset is the last operand of all of these.
    let offset = i.srcs().last().and_then(|&o| body[o].as_const()).and_then(|c| u32::try_from(c[0]).ok());
    match offset {
        Some(n) => insert(set, io.location, n, 1),
        None => insert(set, io.location, 0, u32::from(io.num_slots)),
    }
}

fn insert(set: &mut SlotSet, from: Slot, skip: u32, count: u32) {
    for n in 0..count.min(256) {
        match from.offset(skip.saturating_add(n)) {
            Some(slot) => set.insert(slot),
            None => break,
        }
    }
}

/// An access through a deref.
fn access(shader: &Shader, body: &Body, deref: InstrId, writes: bool, g: &mut Gathered) {
    let Some(modes) = body[deref].as_deref().map(|d| d.modes) else { return };
    g.writes_memory |= writes && modes.intersects(WRITTEN_MEMORY);
    if !modes.intersects(Modes::IN | Modes::OUT | Modes::SYSTEM_VALUE) {
        return;
    }
    // From the variable to the part.
    let mut chain = vec![deref];
    while let Some(parent) = chain.last().and_then(|&d| body[d].as_deref()).and_then(|d| d.parent()) {
        chain.push(parent);
    }
    chain.reverse();
    let Some(DerefKind::Var(id)) = body[chain[0]].as_deref().map(|d| d.kind) else { return };
    let Some(var) = shader.vars.get(id) else { return };
    if let Some(sv) = var.system_value.filter(|_| var.mode == Modes::SYSTEM_VALUE) {
        return system_value(sv, g);
    }
    let Some(location) = var.location else { return };
    let (skip, count) = part(shader, body, var, &chain);
    let set = match (var.mode == Modes::IN, writes) {
        (true, _) => {
            g.uses_sample_shading |= var.sampling == Sampling::Sample && shader.stage == Stage::Fragment;
            &mut g.inputs_read
        }
        (false, true) => &mut g.outputs_written,
        (false, false) => &mut g.outputs_read,
    };
    insert(set, location, skip, count);
}

/// First slot, relative to the variable's, and number of slots of the target of a deref chain.
fn part(shader: &Shader, body: &Body, var: &Variable, chain: &[InstrId]) -> (u32, u32) {
    let types = &shader.types;
    let slots = |ty: TypeId| types.num_slots(ty);
    let mut ty = var.ty;
    let mut steps = chain[1..].iter();
    if var.is_per_vertex(shader.stage) {
        // The vertex index does not select slots.
        if let Type::Array { elem, .. } = types[ty] {
            ty = elem;
            steps.next();
        }
    }
    if var.compact {
        // Elements are components of slots.
        let len = types.num_elements(ty).unwrap_or(1);
        return match steps.next().and_then(|&d| constant_index(body, d)) {
            Some(n) => ((n + u32::from(var.component)) / 4, 1),
            None => (0, (len + u32::from(var.component)).div_ceil(4)),
        };
    }
    let mut skip = 0u32;
    for &step in steps {
        let Some(d) = body[step].as_deref() else { break };
        match (&d.kind, &types[ty]) {
            (DerefKind::Struct { field, .. }, Type::Struct(s)) => {
                let before = s.members.iter().take(*field as usize);
                skip = before.fold(skip, |n, m| n.saturating_add(slots(m.ty)));
            }
            (DerefKind::Array { .. }, Type::Array { .. } | Type::Matrix { .. }) => {
                let Some(n) = constant_index(body, step) else { return (skip, slots(ty)) };
                skip = skip.saturating_add(n.saturating_mul(slots(d.ty)));
            }
            // A component of a vector: its slot, or both of a wide one.
            _ => return (skip, slots(ty)),
        }
        ty = d.ty;
    }
    (skip, slots(ty))
}

fn constant_index(body: &Body, deref: InstrId) -> Option<u32> {
    match body[deref].as_deref()?.kind {
        DerefKind::Array { index, .. } => u32::try_from(body[index].as_const()?[0]).ok(),
        _ => None,
    }
}
