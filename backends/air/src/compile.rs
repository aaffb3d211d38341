//! The two steps of a compile, shared by every tool: [`lower`] runs a plan, [`emit`] selects instructions.

use crate::lint;
use crate::plan::PlanOptions;
use crate::select::{self, ArgumentBuffers, RecordSlot, Records, Selected};
use airfoil_ir::{Diagnostic, Shader};
use airfoil_passes::stages::stage_buffer::BufferLayout;
use airfoil_passes::{Manager, Pipeline};

/// Layouts of the buffers that stages share or transform feedback writes, per shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layouts {
    /// Buffers between stages; empty for a shader that shares none.
    pub stages: Vec<Vec<BufferLayout>>,
    /// Buffers that transform feedback writes.
    pub captured: Vec<Vec<Records>>,
}

impl Layouts {
    /// The layouts of shader `n`, for [`emit`] of it alone.
    #[must_use]
    pub fn of(mut self, n: usize) -> Layouts {
        fn only<T>(list: &mut Vec<T>, n: usize) -> Vec<T> {
            if n < list.len() { vec![list.swap_remove(n)] } else { Vec::new() }
        }
        Layouts { stages: only(&mut self.stages, n), captured: only(&mut self.captured, n) }
    }
}

impl From<BufferLayout> for Records {
    fn from(from: BufferLayout) -> Records {
        let slots = from.layout.iter();
        Records {
            buffer: from.buffer.name().into(),
            bytes: from.layout.record_bytes(),
            per_patch: from.per_patch,
            slots: slots.map(|(slot, offset)| RecordSlot { slot: slot.to_string(), offset }).collect(),
        }
    }
}

/// Runs a [plan](crate::plan) on the shaders of a program, which have to be valid and in order of the stages.
///
/// # Errors
/// Constructs that the target cannot express; the shaders may be half changed then.
pub fn lower(
    shaders: &mut [Shader],
    plan: &Pipeline,
    options: &PlanOptions,
    manager: &mut Manager<'_>,
) -> Result<Layouts, Vec<Diagnostic>> {
    let captured = (0..shaders.len()).map(|n| options.lowerings.records(shaders, n)).collect();
    let _ = manager.run_program(plan, shaders)?;
    Ok(Layouts { stages: manager.take_buffers(), captured })
}

/// Builds with assertions check every module that they emit. Interfaces are not checked: a plan need not match them.
fn assert_clean(selected: &[Selected]) {
    let found: Vec<String> =
        selected.iter().flat_map(|stage| lint::errors(&stage.module)).map(|f| f.to_string()).collect();
    assert!(found.is_empty(), "the selected code violates Metal's rules: {found:#?}");
}

/// Selects instructions for the lowered shaders of a program; the errors of all are returned.
///
/// # Errors
/// Constructs that the target cannot express.
pub fn emit(
    shaders: &[Shader],
    layouts: Layouts,
    options: &select::Options,
) -> Result<Vec<Selected>, Vec<Diagnostic>> {
    let (mut selected, mut faults) = (Vec::with_capacity(shaders.len()), Vec::new());
    for shader in shaders {
        match select_within_limits(shader, options) {
            Ok(stage) => selected.push(stage),
            Err(list) => faults.extend(list),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut shared = layouts.stages.into_iter();
    let mut captured = layouts.captured.into_iter();
    for stage in &mut selected {
        let shared = shared.next().unwrap_or_default().into_iter().map(Into::into);
        stage.reflection.records = shared.chain(captured.next().unwrap_or_default()).collect();
    }
    if cfg!(debug_assertions) {
        assert_clean(&selected);
    }
    Ok(selected)
}

/// Selects instructions for a shader; if it has more resources than Metal has indices, its descriptor sets become argument
/// buffers, unless the options state which ones do. The reflection specifies how each resource is bound.
fn select_within_limits(shader: &Shader, options: &select::Options) -> Result<Selected, Vec<Diagnostic>> {
    let direct = select::select(shader, options);
    let exceeds = |list: &[Diagnostic]| list.iter().all(|fault| fault.code == "E0505");
    match &direct {
        Err(list) if exceeds(list) && options.bindings.argument_buffers == ArgumentBuffers::None => {
            let mut options = options.clone();
            options.bindings.argument_buffers = ArgumentBuffers::All;
            select::select(shader, &options).or(direct)
        }
        _ => direct,
    }
}
