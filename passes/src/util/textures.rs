//! Utilities for passes over textures: changes of image types, and edits of texture instructions.

use crate::util::deref_path::root_var;
use airfoil_ir::{
    Body, Builder, Dim, ImageType, Index, InstrId, InstrKind, Shader, Src, Tex, TexSrc, Type, TypeId, Types,
    VarId, Variable,
};
use slotmap::SecondaryMap;
use smallvec::SmallVec;

/// Whether a shader has textures or images at all.
pub(crate) fn any(shader: &Shader) -> bool {
    any_of(shader, |_| true)
}

/// Whether a variable of a shader is an image that satisfies a condition, or an array of such images.
pub(crate) fn any_of(shader: &Shader, which: impl Fn(&ImageType) -> bool) -> bool {
    let image = |ty| match &shader.types[shader.types.without_arrays(ty)] {
        Type::Image(image) => which(image),
        _ => false,
    };
    let params = || shader.functions.values().flat_map(|f| &f.params).filter_map(|p| p.pointee);
    shader.vars.values().any(|v| image(v.ty)) || params().any(|(ty, _)| image(ty))
}

/// Replaces image types of variables, parameters and derefs, where `f` returns a new one. The caller updates
/// instructions that depend on them. Returns whether there were any.
pub(crate) fn retype(shader: &mut Shader, f: impl Fn(&ImageType) -> Option<ImageType>) -> bool {
    retype_vars(shader, |_| true, f)
}

/// The same for some variables only. Parameters and derefs of parameters, which do not have a variable, are
/// included.
pub(crate) fn retype_vars(
    shader: &mut Shader,
    wanted: impl Fn(VarId) -> bool,
    f: impl Fn(&ImageType) -> Option<ImageType>,
) -> bool {
    let image = |ty| match &shader.types[shader.types.without_arrays(ty)] {
        Type::Image(image) => f(image).is_some(),
        _ => false,
    };
    let params = || shader.functions.values().flat_map(|f| &f.params).filter_map(|p| p.pointee);
    if !shader.vars.iter().any(|(id, v)| wanted(id) && image(v.ty)) && !params().any(|(ty, _)| image(ty)) {
        return false;
    }
    let new = types(&mut shader.types, f);
    let replace = |ty: &mut TypeId| {
        if let Some(Some(other)) = new.get(ty.index()) {
            *ty = *other;
        }
    };
    shader.vars.iter_mut().filter(|(id, _)| wanted(*id)).for_each(|(_, v)| replace(&mut v.ty));
    for function in shader.functions.values_mut() {
        function.params.iter_mut().filter_map(|p| p.pointee.as_mut()).for_each(|(ty, _)| replace(ty));
        let body = &mut function.body;
        let is_wanted = |id| body[id].as_deref().is_some() && root_var(body, id).is_none_or(&wanted);
        let derefs: Vec<InstrId> = body.all_instrs().filter(|&id| is_wanted(id)).collect();
        for id in derefs {
            body.edit(id, |i| {
                if let InstrKind::Deref(d) = &mut i.kind {
                    replace(&mut d.ty);
                }
            });
        }
    }
    true
}

/// The replacement of each type, by index.
fn types(types: &mut Types, f: impl Fn(&ImageType) -> Option<ImageType>) -> Vec<Option<TypeId>> {
    let old: Vec<Type> = types.iter().map(|(_, ty)| ty.clone()).collect();
    let mut new: Vec<Option<TypeId>> = Vec::with_capacity(old.len());
    // Elements precede their arrays.
    for ty in old {
        let made = match ty {
            Type::Array { elem, len, stride } => new
                .get(elem.index())
                .copied()
                .flatten()
                .map(|elem| types.intern(Type::Array { elem, len, stride })),
            Type::Image(image) => f(&image).map(|image| types.intern(Type::Image(image))),
            _ => None,
        };
        new.push(made);
    }
    new
}

/// The texture instructions of a body that satisfy a condition.
pub(crate) fn instructions(body: &Body, which: impl Fn(&Tex) -> bool) -> Vec<InstrId> {
    body.all_instrs().filter(|&id| body[id].as_tex().is_some_and(&which)).collect()
}

/// Changes a texture instruction; new values are inserted before it.
pub(crate) fn edit(body: &mut Body, id: InstrId, change: impl FnOnce(&mut Builder<'_>, &mut Tex)) {
    let InstrKind::Tex(tex) = &body[id].kind else { return };
    let mut tex = tex.clone();
    change(&mut Builder::before(body, id), &mut tex);
    body.edit(id, |i| i.kind = InstrKind::Tex(tex));
}

/// Removes a source.
pub(crate) fn remove_src(tex: &mut Tex, role: TexSrc) -> Option<InstrId> {
    let at = tex.srcs.iter().position(|&(r, _)| r == role)?;
    Some(tex.srcs.remove(at).1)
}

/// A vector of the components of `head` followed by those of `value` from `from` on.
pub(crate) fn with_tail(b: &mut Builder<'_>, head: InstrId, value: InstrId, from: u8) -> InstrId {
    let (heads, all) = (b.ty(head).comps, b.ty(value).comps);
    let mut srcs: SmallVec<[Src; 4]> = (0..usize::from(heads)).map(|c| Src::comp(head, c)).collect();
    srcs.extend((usize::from(from)..usize::from(all)).map(|c| Src::comp(value, c)));
    b.vec_srcs(&srcs)
}

/// The accesses of a body to storage images of a shape.
pub(crate) fn image_accesses(body: &Body, dim: Dim) -> Vec<InstrId> {
    let is = |id: &InstrId| {
        let image = |i: &&airfoil_ir::Intrinsic| i.op.info().indices.contains(&Index::Dim);
        body[*id].as_intrinsic().filter(image).is_some_and(|i| i.dim() == dim)
    };
    body.all_instrs().filter(is).collect()
}

/// The bits of textures in a mask by binding: those in set 0 with bindings below 32 have one.
#[derive(Debug)]
pub(crate) struct Bits(SecondaryMap<VarId, u32>);

impl Bits {
    /// The bits of a shader's variables.
    pub(crate) fn of(shader: &Shader) -> Bits {
        let bit = |v: &Variable| {
            let binding = v.binding.filter(|_| v.set.unwrap_or(0) == 0);
            binding.and_then(|n| 1_u32.checked_shl(n)).unwrap_or(0)
        };
        Bits(shader.vars.iter().map(|(id, v)| (id, bit(v))).collect())
    }

    /// The bit of a variable.
    pub(crate) fn of_var(&self, var: VarId) -> u32 {
        self.0.get(var).copied().unwrap_or(0)
    }

    /// The bit of the texture that an instruction reads.
    pub(crate) fn of_tex(&self, body: &Body, tex: &Tex) -> u32 {
        let var = tex.src(TexSrc::Texture).and_then(|texture| root_var(body, texture));
        var.map_or(0, |var| self.of_var(var))
    }
}
