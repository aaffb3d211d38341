//! Discards fragments, or samples, that clip distances clip.
//!
//! Requires and preserves form `variables`. Preserves control flow. The counterpart of
//! [`clip_distances_to_varyings`](crate::gl::clip_distances_to_varyings), with the same `location` and the `count` of
//! distances of the previous stage; together they are the exact form of clip distances where a device has none. A
//! fragment is clipped if a distance, interpolated with perspective, is negative: clipping cuts a primitive where
//! the distance crosses zero. A NaN does not clip. Of the distances, those in the mask `enabled` clip; with `binding`,
//! those that are in addition in the mask of a uniform block `clip_enables` (one word) at `set` and `binding`.
//!
//! Without `samples`, the distances are taken at the centroid of the covered samples, and the fragment is demoted
//! before anything else happens, so it writes nothing and still contributes to derivatives of its neighbours. With
//! `samples`, at least the number of samples of the attachments, they are taken at each sample: clipped samples are
//! removed from `gl_SampleMask`, and from `gl_SampleMaskIn` where the shader reads it; the fragment is demoted if none
//! is left. Only this form has the same edges as clipping if there are several samples. Early depth and stencil tests
//! are not supported, because depth would already be written. With polygon mode line, clipping draws new edges along the
//! plane, a discard does not; queries of primitives count clipped primitives.
//!
//! Source: NIR's `nir_lower_clip_fs`.
//!
//! ```foil-example (location=7, count=2)
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out float c location=0
//!   entry fn main {
//!     32x1 %0 = const 1.0
//!     %c = deref_var &c
//!     store_deref %c, %0
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form variables
//!   out float c location=0
//!   in vec4 clip_distances0 location=7 centroid
//!   entry fn main {
//!     32x1 %1 = const 0
//!     %2 = deref_var &clip_distances0
//!     32x4 %3 = load_deref %2
//!     1x4 %4 = flt! %3, %1.xxxx
//!     1x1 %5 = mov! %4.x
//!     1x1 %6 = mov! %4.y
//!     1x1 %7 = ior! %5, %6
//!     demote_if %7
//!     32x1 %0 = const 1.0
//!     %c = deref_var &c
//!     store_deref %c, %0
//!   }
//! }
//! ```

use crate::util::distance_enables::{Declared, Enables, Loaded, NO_BINDING, either};
use crate::util::distances::{NO_LOCATION, add_varyings, slot_and_name};
use crate::util::outputs::{is_named, output_at, output_points, users};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{
    AluFlags, Body, Builder, Cursor, Diagnostic, Form, InstrId, Interpolation, IntrinsicOp, Modes,
    Replacements, Sampling, Scalar, Shader, Slot, Stage, SystemValue, Ty, Type, Types, VarId, Variable,
};
use slotmap::SlotMap;

pass_options! {
    /// See the [module documentation](self).
    pub struct ClipDistancesToDiscard {
        /// First location of the varyings; required.
        location: u32 = NO_LOCATION,
        /// Number of clip distances written by the previous stage (at most 8).
        count: u32 = 0,
        /// Mask of the distances that clip.
        enabled: u32 = 0xff,
        /// Descriptor set of the uniform block with the mask.
        set: u32 = 0,
        /// Binding of the uniform block with the mask; none if it is omitted.
        binding: u32 = NO_BINDING,
        /// Samples at which the distances are taken (at most 32); 0 takes them at the centroid.
        samples: u32 = 0,
    }
}

static INFO: PassInfo = PassInfo::new(
    "clip_distances_to_discard",
    "discards fragments or samples that clip distances clip",
    include_str!("clip_distances_to_discard.rs"),
)
.takes(&[Form::Variables])
.options(<ClipDistancesToDiscard as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for ClipDistancesToDiscard {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if self.count > 8 || self.samples > 32 {
            let message = format!(
                "expected at most 8 clip distances and 32 samples, found {} and {}",
                self.count, self.samples
            );
            return Err(Diagnostic::error("E0329", message));
        }
        let clips = (0..self.count).any(|i| self.enabled >> i & 1 != 0);
        let Some(entry) = shader.entry.filter(|_| shader.stage == Stage::Fragment && clips) else {
            return Ok(Changes::NONE);
        };
        if shader.info.early_fragment_tests {
            let message = "clip distances are not supported with the execution mode EarlyFragmentTests \
                           (early_fragment_tests), which writes depth before the discard";
            return Err(Diagnostic::error("E0329", message));
        }
        let sampling = if self.samples == 0 { Sampling::Centroid } else { Sampling::Center };
        let enables = Enables { mask: self.enabled, set: self.set, binding: self.binding }.declare(shader)?;
        let name = slot_and_name(false).1;
        let way = (Interpolation::Smooth, sampling);
        let varyings = add_varyings(shader, (Modes::IN, name), self.location, self.count, way)?;
        if self.samples > 0 {
            self.mask_samples(shader, &varyings, enables)?;
            return Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN);
        }
        let Shader { types, vars, functions, .. } = shader;
        let (mut b, loaded) = begin(&mut functions[entry].body, types, vars, enables);
        let clipped = self.clipped(&mut b, vars, &varyings, (enables, loaded), |b, deref| {
            b.load_deref(deref, Ty::new(4, 32))
        });
        if let Some(clipped) = clipped {
            b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[clipped]);
        }
        Ok(Changes::ALL_BUT_CONTROL_FLOW | Changes::AGAIN)
    }
}

/// The start of the function, with the mask of the distances that clip. Comparisons with zero are exact.
fn begin<'b>(
    body: &'b mut Body,
    types: &mut Types,
    vars: &SlotMap<VarId, Variable>,
    enables: Declared,
) -> (Builder<'b>, Loaded) {
    let start = Cursor::BlockStart(body.entry());
    let mut b = Builder::at(body, start);
    b.flags = AluFlags::EXACT;
    let loaded = enables.load(&mut b, types, vars);
    (b, loaded)
}

impl ClipDistancesToDiscard {
    /// Whether an enabled distance is negative.
    fn clipped(
        &self,
        b: &mut Builder,
        vars: &SlotMap<VarId, Variable>,
        varyings: &[VarId],
        (enables, loaded): (Declared, Loaded),
        mut load: impl FnMut(&mut Builder, InstrId) -> InstrId,
    ) -> Option<InstrId> {
        let zero = b.imm_f32(0.0);
        let mut conditions = Vec::new();
        for (k, &varying) in (0u32..).zip(varyings) {
            let distances = 4 * k..self.count.min(4 * k + 4);
            if !distances.clone().any(|i| enables.has(i)) {
                continue;
            }
            let deref = b.deref_var(vars, varying);
            let values = load(b, deref);
            let negative = b.flt(values, zero);
            for i in distances.filter(|&i| enables.has(i)) {
                let lane = b.channel(negative, (i % 4) as usize);
                conditions.push(loaded.and(b, i, lane));
            }
        }
        either(b, conditions)
    }

    /// Removes clipped samples from the masks.
    fn mask_samples(
        &self,
        shader: &mut Shader,
        varyings: &[VarId],
        enables: Declared,
    ) -> Result<(), Diagnostic> {
        let Some(entry) = shader.entry else { return Ok(()) };
        let written = output_at(shader, Slot::SAMPLE_MASK).filter(|&v| is_named(shader, v));
        let points = if written.is_some() { output_points(shader) } else { Vec::new() };
        if points.iter().any(|p| p.function != entry) {
            let message =
                "a function called by the entry point ends the invocation while a sample mask is written";
            return Err(Diagnostic::error("E0331", message).help("run inline_functions first"));
        }
        let mask = match written {
            Some(mask) => mask,
            None => {
                if let Some(unused) = output_at(shader, Slot::SAMPLE_MASK) {
                    shader.vars.remove(unused);
                }
                let int = shader.types.vector(Scalar::Int32, 1);
                let mut var = Variable::new("gl_SampleMask", int, Modes::OUT);
                var.location = Some(Slot::SAMPLE_MASK);
                shader.add_var(var)
            }
        };
        let reads = mask_reads(shader, &shader.functions[entry].body);
        let Shader { types, vars, functions, .. } = shader;
        let body = &mut functions[entry].body;
        let (mut b, loaded) = begin(body, types, vars, enables);
        let none = b.imm_u32(0);
        let mut cut = none;
        for sample in 0..self.samples {
            let (index, bit) = (b.imm_u32(sample), b.imm_u32(1 << sample));
            let at = |b: &mut Builder, deref| {
                b.intrinsic(IntrinsicOp::interp_deref_at_sample, Ty::new(4, 32), &[deref, index])
            };
            if let Some(clipped) = self.clipped(&mut b, vars, varyings, (enables, loaded), at) {
                let bit = b.bcsel(clipped, bit, none);
                cut = b.ior(cut, bit);
            }
        }
        let kept = b.inot(cut);
        let covered = b.load_system_value(SystemValue::sample_mask_in);
        let covered = b.iand(covered, kept);
        let nothing = b.ieq(covered, none);
        b.intrinsic(IntrinsicOp::demote_if, Ty::NONE, &[nothing]);
        let element = |b: &mut Builder, types: &mut _, vars: &SlotMap<VarId, Variable>| {
            let deref = b.deref_var(vars, mask);
            if is_array(types, vars[mask].ty) { b.deref_array_imm(types, deref, 0) } else { deref }
        };
        if written.is_none() {
            let deref = element(&mut b, types, vars);
            b.store_deref(deref, kept);
        }
        for point in points {
            let mut b = Builder::at(body, point.at);
            let deref = element(&mut b, types, vars);
            let own = b.load_deref(deref, Ty::B32);
            let own = b.iand(own, kept);
            b.store_deref(deref, own);
        }
        let mut replacements = Replacements::default();
        reads.into_iter().for_each(|read| {
            replacements.insert(read, covered);
        });
        body.replace_all(&replacements);
        Ok(())
    }
}

fn is_array(types: &Types, ty: airfoil_ir::TypeId) -> bool {
    matches!(types[ty], Type::Array { .. })
}

/// The loads of `gl_SampleMaskIn`.
fn mask_reads(shader: &Shader, body: &Body) -> Vec<InstrId> {
    let mut reads: Vec<InstrId> = body
        .all_instrs()
        .filter(|&id| body[id].as_intrinsic().is_some_and(|i| i.op == IntrinsicOp::load_sample_mask_in))
        .collect();
    let is_mask = |v: &Variable| v.system_value == Some(SystemValue::sample_mask_in);
    for (var, _) in shader.vars.iter().filter(|(_, v)| is_mask(v)) {
        let loads = users(body, var).filter(|&id| body[id].ty == Ty::B32);
        reads.extend(loads);
    }
    reads
}
