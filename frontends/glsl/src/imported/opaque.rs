//! Splits uniforms that are structures with textures or images (GLSL 4.60 section 4.1.7): each opaque member becomes a variable with
//! the arrays around it, and the other members stay in a structure without them. Vulkan does not have such uniforms, OpenGL does
//! (ARB_gl_spirv, "Differences Relative to Other Specifications").

use airfoil_ir::{
    Body, Builder, Deref, DerefKind, Diagnostic, InstrId, InstrKind, Member, Modes, Shader, StructType, Type,
    TypeId, Types, VarId, Variable,
};
use rustc_hash::FxHashMap;

/// Whether a type is a structure with textures or images, possibly in arrays.
pub fn is_mixed(types: &Types, ty: TypeId) -> bool {
    matches!(types[types.without_arrays(ty)], Type::Struct(_)) && types.is_opaque(ty)
}

/// Splits uniforms. The bindings of their textures and images follow each other in order of declaration, all elements of one member
/// together. A variable without other members is removed.
///
/// # Errors
/// Code that copies a structure as a whole, or passes a pointer to it to a function.
pub fn split(shader: &mut Shader, mixed: &[VarId]) -> Result<(), Diagnostic> {
    let mut made = FxHashMap::default();
    for &var in mixed {
        let Some(of) = shader.vars.get(var).cloned() else { continue };
        let (binding, ty, name) = (of.binding, of.ty, of.name.to_string());
        let mut leaves =
            Leaves { of, binding, dims: Vec::new(), path: Vec::new(), made: FxHashMap::default() };
        leaves.collect(shader, ty, &name);
        made.insert(var, leaves.made);
    }
    let Shader { functions, types, vars, .. } = shader;
    let mut data = DataTypes::default();
    for function in functions.values_mut() {
        let list: Vec<InstrId> = function.body.all_instrs().collect();
        let body = &mut function.body;
        let mut splitter = Splitter {
            body,
            types,
            data: &mut data,
            made: &made,
            whole: FxHashMap::default(),
            modes: FxHashMap::default(),
        };
        for &id in &list {
            splitter.instruction(id)?;
        }
        let Splitter { body, types, whole, data, .. } = splitter;
        for id in list.into_iter().rev() {
            // Derefs of structures without other members lead to variables that have their derefs now.
            let is_gone = whole.get(&id).is_some_and(|place| data.of(types, place.ty).is_none());
            if is_gone && body.is_unused(id) {
                body.remove(id);
            }
        }
    }
    for &var in mixed {
        match vars.get(var).and_then(|v| data.of(types, v.ty)) {
            Some(ty) => vars[var].ty = ty,
            None => _ = vars.remove(var),
        }
    }
    Ok(())
}

/// Makes the variables of the textures and images of one variable.
struct Leaves {
    of: Variable,
    /// Of the next one.
    binding: Option<u32>,
    /// Lengths of the arrays around the current part.
    dims: Vec<u32>,
    /// Indices of members that lead to the current part.
    path: Vec<u32>,
    made: Made,
}

/// The variables of textures and images, with type and mode, by the indices of the members that lead to them.
type Made = FxHashMap<Vec<u32>, (VarId, TypeId, Modes)>;

impl Leaves {
    /// Types nest as deeply as a front end allows.
    fn collect(&mut self, shader: &mut Shader, ty: TypeId, name: &str) {
        match shader.types[ty].clone() {
            Type::Array { elem, len, .. } => {
                self.dims.push(len);
                self.collect(shader, elem, name);
                self.dims.pop();
            }
            Type::Struct(s) => {
                for (n, member) in (0u32..).zip(&s.members) {
                    // A part of a variable without name does not have one, either.
                    let name = match (name.is_empty(), member.name.is_empty()) {
                        (true, _) => String::new(),
                        (false, true) => format!("{name}.{n}"),
                        (false, false) => format!("{name}.{}", member.name),
                    };
                    self.path.push(n);
                    self.collect(shader, member.ty, &name);
                    self.path.pop();
                }
            }
            Type::Image(image) => {
                let (mut whole, mut count) = (ty, 1u32);
                for &len in self.dims.iter().rev() {
                    whole = shader.types.array(whole, len);
                    count = count.saturating_mul(len);
                }
                let mode = if image.storage { Modes::IMAGE } else { Modes::UNIFORM };
                let var =
                    Variable { binding: self.binding, set: self.of.set, ..Variable::new(name, whole, mode) };
                let var = Variable { access: self.of.access, precision: self.of.precision, ..var };
                self.binding = self.binding.map(|b| b.saturating_add(count));
                self.made.insert(self.path.clone(), (shader.add_var(var), whole, mode));
            }
            Type::Vector { .. } | Type::Matrix { .. } | Type::Sampler => {}
        }
    }
}

/// Types without their textures and images; each is computed once.
#[derive(Default)]
struct DataTypes {
    known: FxHashMap<TypeId, Option<TypeId>>,
    /// For a structure, the new index of each member.
    fields: FxHashMap<TypeId, Vec<u32>>,
}

impl DataTypes {
    /// The type that is left; `None` if nothing is.
    fn of(&mut self, types: &mut Types, ty: TypeId) -> Option<TypeId> {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let made = match types[ty].clone() {
            Type::Vector { .. } | Type::Matrix { .. } => Some(ty),
            Type::Image(_) | Type::Sampler => None,
            Type::Array { elem, len, stride } => {
                self.of(types, elem).map(|elem| types.intern(Type::Array { elem, len, stride }))
            }
            Type::Struct(s) => {
                let (mut members, mut fields) = (Vec::new(), Vec::with_capacity(s.members.len()));
                for member in &s.members {
                    fields.push(members.len() as u32);
                    members.extend(self.of(types, member.ty).map(|ty| Member { ty, ..member.clone() }));
                }
                self.fields.insert(ty, fields);
                let some = !members.is_empty();
                some.then(|| types.intern(Type::Struct(StructType { members: members.into(), ..s })))
            }
        };
        self.known.insert(ty, made);
        made
    }

    /// The index of a member in the structure that is left.
    fn field(&mut self, types: &mut Types, ty: TypeId, field: u32) -> u32 {
        let _ = self.of(types, ty);
        self.fields.get(&ty).and_then(|fields| fields.get(field as usize)).copied().unwrap_or(field)
    }
}

/// A part of a variable that has textures or images and may have other members.
#[derive(Clone)]
struct Place {
    var: VarId,
    /// Its type before the change.
    ty: TypeId,
    /// Indices of members.
    path: Vec<u32>,
    /// Indices of the elements of arrays.
    elements: Vec<InstrId>,
}

struct Splitter<'a> {
    body: &'a mut Body,
    types: &'a mut Types,
    data: &'a mut DataTypes,
    /// The variables of textures and images, by variable and indices of members.
    made: &'a FxHashMap<VarId, Made>,
    /// Derefs of parts that are split.
    whole: FxHashMap<InstrId, Place>,
    /// Derefs of textures and images, with their mode.
    modes: FxHashMap<InstrId, Modes>,
}

impl Splitter<'_> {
    fn instruction(&mut self, id: InstrId) -> Result<(), Diagnostic> {
        let Some(&deref) = self.body[id].as_deref() else { return self.user(id) };
        let place = match deref.kind {
            DerefKind::Var(var) if self.made.contains_key(&var) => {
                Place { var, ty: deref.ty, path: Vec::new(), elements: Vec::new() }
            }
            _ => {
                let Some(parent) = deref.parent() else { return Ok(()) };
                if let Some(&modes) = self.modes.get(&parent) {
                    self.set(id, Deref { modes, ..deref });
                    self.modes.insert(id, modes);
                    return Ok(());
                }
                let Some(place) = self.whole.get(&parent) else { return Ok(()) };
                let mut place = Place { ty: deref.ty, ..place.clone() };
                match deref.kind {
                    DerefKind::Struct { field, .. } => place.path.push(field),
                    DerefKind::Array { index, .. } => place.elements.push(index),
                    _ => return Err(unsupported()),
                }
                place
            }
        };
        if !self.types.is_opaque(place.ty) {
            self.data(id, deref);
        } else if is_mixed(self.types, place.ty) {
            self.data(id, deref);
            self.whole.insert(id, place);
        } else {
            self.leaf(id, &place);
        }
        Ok(())
    }

    /// A deref of a texture or image, or of an array of them, becomes one of its variable.
    fn leaf(&mut self, id: InstrId, place: &Place) {
        let leaf = self.made.get(&place.var).and_then(|made| made.get(&place.path));
        let Some(&(var, mut ty, modes)) = leaf else { return };
        let mut kind = DerefKind::Var(var);
        let mut b = Builder::before(self.body, id);
        for &index in &place.elements {
            let parent = b.deref(kind, ty, modes);
            kind = DerefKind::Array { parent, index };
            ty = self.types.element(ty).unwrap_or(ty);
        }
        self.set(id, Deref { kind, ty, modes });
        self.modes.insert(id, modes);
    }

    /// A deref of other members, or of a structure that has some: members before it may have gone.
    fn data(&mut self, id: InstrId, deref: Deref) {
        let Some(ty) = self.data.of(self.types, deref.ty) else { return };
        let mut kind = deref.kind;
        if let DerefKind::Struct { parent, field } = &mut kind
            && let Some(place) = self.whole.get(parent)
        {
            *field = self.data.field(self.types, place.ty, *field);
        }
        self.set(id, Deref { kind, ty, ..deref });
    }

    /// Any other instruction: none can have a structure as a whole.
    fn user(&self, id: InstrId) -> Result<(), Diagnostic> {
        let mut is_whole = false;
        self.body[id].visit_operands(|operand| is_whole |= self.whole.contains_key(&operand));
        if is_whole { Err(unsupported()) } else { Ok(()) }
    }

    fn set(&mut self, id: InstrId, deref: Deref) {
        self.body.edit(id, |i| i.kind = InstrKind::Deref(deref));
    }
}

fn unsupported() -> Diagnostic {
    let message =
        "a copy of a structure with textures or images, or a pointer to it in memory, is not supported";
    Diagnostic::error("E1138", message)
}
