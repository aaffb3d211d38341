//! Pipelines of separable programs.

use crate::budget::{AfBudget, budget};
use crate::call::{exceeds, with_stack};
use crate::device::AfDevice;
use crate::handle::get;
use crate::input::array;
use crate::make::make;
use crate::program::AfProgram;
use crate::shader::STAGES;
use crate::types::AfResult;
use airfoil::glsl::link::stage_bit;
use airfoil_gl::Program;
use std::sync::Arc;

/// The bits of `glUseProgramStages` for a mask of `1 << AF_STAGE_...`; bits without a stage are an error.
fn gl_stages(mask: u32) -> Result<u32, AfResult> {
    if mask >> STAGES.len() != 0 {
        return Err(AfResult::AF_ERROR_INVALID_ARGUMENT);
    }
    let taken = STAGES.iter().enumerate().filter(|(n, _)| mask >> n & 1 != 0);
    Ok(taken.fold(0, |bits, (_, &stage)| bits | stage_bit(stage)))
}

/// Joins separable programs to one for draws with their pipeline (glUseProgramStages, glValidateProgramPipeline). `stages` has the stages
/// that are used of each program, bits `1 << AF_STAGE_...`; NULL: all. `bounds` may be NULL. A pipeline that does not validate is a
/// program, too: af_program_status and af_program_log describe it. Uniforms and blocks are those of each program.
///
/// # Safety
/// The conditions in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn af_program_pipeline(
    device: *const AfDevice,
    count: u32,
    programs: *const *const AfProgram,
    stages: *const u32,
    bounds: *const AfBudget,
    program: *mut *mut AfProgram,
) -> AfResult {
    let work = |device: &AfDevice| {
        // SAFETY: the caller passes so many programs.
        let programs = unsafe { array(programs, count as usize) }?;
        let masks = match stages.is_null() {
            true => vec![u32::MAX; programs.len()],
            // SAFETY: the caller passes as many masks, or NULL.
            false => unsafe { array(stages, count as usize) }?
                .iter()
                .map(|&mask| gl_stages(mask))
                .collect::<Result<_, _>>()?,
        };
        // SAFETY: the caller has a count of each.
        let linked = programs.iter().map(|&p| unsafe { get(p) }?.linked().cloned());
        let linked = linked.collect::<Result<Vec<Arc<Program>>, AfResult>>()?;
        let parts: Vec<(&Program, u32)> = linked.iter().map(|p| &**p).zip(masks).collect();
        // SAFETY: the caller passes a structure that begins with its size, or NULL.
        let bounds = unsafe { budget(bounds) }?;
        let joined = with_stack(|| device.device.pipeline(&parts, &bounds))?;
        if joined.as_ref().is_err_and(|log| exceeds(log.diagnostics())) {
            return Err(AfResult::AF_ERROR_BUDGET);
        }
        AfProgram::create(joined, device.callbacks())
    };
    // SAFETY: the caller has a count, or passes NULL, and passes a pointer to write to, or NULL.
    unsafe { make(device, program, work) }
}
