//! Clip and cull distances as plain varyings: code shared by both ends of the interface.

use crate::gl::lower_clip_distance_arrays::{Distances, find};
use crate::util::outputs::{is_used, output_points};
use airfoil_ir::{
    Builder, Diagnostic, InstrId, Interpolation, Modes, Sampling, Scalar, Shader, Slot, Src, Ty, Type, VarId,
    Variable,
};

/// Value of an option that names a generic location if it is omitted.
pub const NO_LOCATION: u32 = u32::MAX;

/// Checks that clip and cull distances are arrays of their own.
///
/// # Errors
/// If they are already merged into one compact array.
pub fn expect_separate(shader: &Shader, modes: Modes) -> Result<(), Diagnostic> {
    let is_compact =
        |v: &Variable| modes.contains(v.mode) && v.location == Some(Slot::CLIP_DIST0) && v.compact;
    if shader.vars.values().any(is_compact) {
        let message = "clip and cull distances are already merged into one array";
        return Err(
            Diagnostic::error("E0327", message).help("run this pass before lower_clip_distance_arrays")
        );
    }
    Ok(())
}

/// The distances at a slot that the shader accesses. Ones that are only declared have no effect.
///
/// # Errors
/// If they are not an array of floats, or are already merged into one compact array.
pub fn named(shader: &Shader, mode: Modes, slot: Slot) -> Result<Option<Distances>, Diagnostic> {
    expect_separate(shader, mode)?;
    let Some(d) = find(shader, mode, slot)?.filter(|d| is_used(shader, d.var)) else { return Ok(None) };
    if d.vertices.is_some() || d.len > 8 {
        let message = format!("{slot}: expected an array of at most 8 distances of one vertex");
        return Err(Diagnostic::error("E0327", message));
    }
    Ok(Some(d))
}

/// The slot of clip or cull distances, and the name of the varyings that a fragment shader reads instead.
pub fn slot_and_name(cull: bool) -> (Slot, &'static str) {
    if cull { (Slot::CULL_DIST0, "cull_distances") } else { (Slot::CLIP_DIST0, "clip_distances") }
}

/// Interpolation of the varyings.
pub type Way = (Interpolation, Sampling);

/// Interpolation of the flags of cull distances: linear, so that zero at all vertices is exactly zero
/// everywhere.
pub const FLAGS: Way = (Interpolation::NoPerspective, Sampling::Center);

/// Adds vectors of four floats at consecutive locations for `len` distances.
///
/// # Errors
/// If the locations do not exist or are already used.
pub fn add_varyings(
    shader: &mut Shader,
    (mode, name): (Modes, &str),
    location: u32,
    len: u32,
    (interpolation, sampling): Way,
) -> Result<Vec<VarId>, Diagnostic> {
    let locations = expect_free(shader, mode, location, len.div_ceil(4))?;
    let vec4 = shader.types.vector(Scalar::Float32, 4);
    let add = |(n, slot): (usize, Slot)| {
        let mut var = Variable::new(&format!("{name}{n}"), vec4, mode);
        (var.location, var.interpolation, var.sampling) = (Some(slot), interpolation, sampling);
        shader.add_var(var)
    };
    Ok(locations.into_iter().enumerate().map(add).collect())
}

/// Consecutive locations that no variable uses.
///
/// # Errors
/// If they do not exist or are already used.
pub fn expect_free(shader: &Shader, mode: Modes, location: u32, count: u32) -> Result<Vec<Slot>, Diagnostic> {
    if location == NO_LOCATION {
        return Err(Diagnostic::error("E0328", "expected a location for the distances")
            .help("give the option `location`"));
    }
    let mut free = Vec::new();
    for n in 0..count {
        let Some(slot) = location.checked_add(n).and_then(Slot::generic) else {
            let message = format!("location {location} is out of range for the distances");
            return Err(Diagnostic::error("E0328", message));
        };
        if let Some(other) = shader.vars.values().find(|v| v.mode == mode && covers(shader, v, slot)) {
            let message = format!("location {slot} of the distances is already used by `{}`", other.name);
            return Err(Diagnostic::error("E0328", message).help("give another `location`"));
        }
        free.push(slot);
    }
    Ok(free)
}

/// Whether a variable uses a slot.
pub fn covers(shader: &Shader, v: &Variable, slot: Slot) -> bool {
    let ty = match shader.types[v.ty] {
        Type::Array { elem, .. } if v.is_per_vertex(shader.stage) => elem,
        _ => v.ty,
    };
    let n = if v.compact { 1 } else { shader.types.num_slots(ty) };
    v.location.is_some_and(|l| (u32::from(l.0)..u32::from(l.0) + n).contains(&u32::from(slot.0)))
}

/// Writes a function of each distance to the varyings at every exit of outputs. Lanes without a distance are
/// `pad`.
pub fn mirror(
    shader: &mut Shader,
    d: Distances,
    varyings: &[VarId],
    pad: f32,
    mut f: impl FnMut(&mut Builder, InstrId) -> InstrId,
) {
    let points = output_points(shader);
    let Shader { types, vars, functions, .. } = shader;
    for point in points.iter().filter(|p| p.is_of(&vars[d.var])) {
        let Some(function) = functions.get_mut(point.function) else { continue };
        let mut b = Builder::at(&mut function.body, point.at);
        let array = b.deref_var(vars, d.var);
        for (k, &varying) in (0u32..).zip(varyings) {
            let mut lanes = [None; 4];
            for (i, lane) in (4 * k..d.len).zip(&mut lanes) {
                let element = b.deref_array_imm(types, array, i);
                let value = b.load_deref(element, Ty::B32);
                *lane = Some(f(&mut b, value));
            }
            let pad = b.imm_f32(pad);
            let lanes = lanes.map(|lane| Src::from(lane.unwrap_or(pad)));
            let vector = b.vec_srcs(&lanes);
            let deref = b.deref_var(vars, varying);
            b.store_deref(deref, vector);
        }
    }
}
