//! The printer: shaders, their types, variables and functions, and the control flow of bodies.

use super::info::Fields;
use super::literal::{Hint, push_literal, push_uint};
use super::names::{Numbering, Unique, is_plain, ordered_vars, push_name, push_quoted};
use super::words::{is_type_word, push_matrix, push_set, push_vector};
use crate::body::{Body, Walk};
use crate::enums::*;
use crate::ids::{FuncId, VarId};
use crate::instr::Loc;
use crate::shader::{Function, Shader};
use crate::types::{StructType, Type, TypeId, Types};
use crate::value::Ty;
use crate::var::{Constant, Variable};
use rustc_hash::FxHashSet;
use slotmap::SecondaryMap;
use std::fmt::Write;

/// Indentation stops growing at this depth, so that text stays linear in the size of deep shaders.
const MAX_INDENT: usize = 32;

/// Writes parts of a shader into a string. Names of variables, types and functions are chosen once.
///
/// # Examples
///
/// ```
/// use airfoil_ir::text::{self, Numbering, Printer};
/// use airfoil_ir::{Function, Shader, Stage, SystemValue};
///
/// let mut shader = Shader::new("main", Stage::Vertex);
/// let main = shader.add_function(Function::new("main"));
/// let mut b = shader.builder(main).unwrap();
/// let id = b.load_system_value(SystemValue::vertex_id);
/// let square = b.imul(id, id);
/// let (body, mut printer) = (&shader.functions[main].body, Printer::new(&shader));
/// printer.instr(body, &Numbering::new(body), square);
/// printer.newline();
/// printer.instr(body, &Numbering::default(), square);
/// // A value without a number is written as `%?`.
/// assert_eq!(printer.finish(), "32x1 %1 = imul %0, %0\n32x1 %? = imul %?, %?");
/// ```
#[derive(Debug)]
pub struct Printer<'a> {
    pub(super) shader: &'a Shader,
    pub(super) out: String,
    pub(super) vars: SecondaryMap<VarId, Box<str>>,
    pub(super) functions: SecondaryMap<FuncId, Box<str>>,
    /// Names of structures by type; empty for all other types.
    structs: Vec<Box<str>>,
    /// For structures: which members can be named.
    pub(super) members: Vec<Vec<bool>>,
    /// The structures that something names, members before the structures around them.
    order: Vec<TypeId>,
    /// Blocks that are declared inline by the declaration of a variable.
    inline: FxHashSet<TypeId>,
    /// Structures that have been declared.
    declared: Vec<bool>,
}

impl<'a> Printer<'a> {
    /// A printer that has written nothing yet.
    pub fn new(shader: &'a Shader) -> Printer<'a> {
        let (mut vars, mut unique) = (SecondaryMap::with_capacity(shader.vars.len() + 1), Unique::default());
        for id in ordered_vars(shader) {
            vars.insert(id, unique.add(&shader.vars[id].name, false));
        }
        let (mut functions, mut unique) = (SecondaryMap::new(), Unique::default());
        for (id, function) in &shader.functions {
            functions.insert(id, unique.add(&function.name, false));
        }
        let mut unique = Unique::default();
        let mut structs = vec![Box::default(); shader.types.len()];
        let mut members = vec![Vec::new(); shader.types.len()];
        let order = used_structs(shader);
        let inline = inline_blocks(shader, &order);
        // Names are given in the order of the declarations; blocks in variables come last.
        let (blocks, others): (Vec<TypeId>, Vec<TypeId>) = order.iter().partition(|id| inline.contains(id));
        for id in others.into_iter().chain(blocks) {
            if let Type::Struct(s) = &shader.types[id] {
                structs[id.index()] = unique.add(&s.name, is_type_word(&s.name));
                members[id.index()] = nameable(s);
            }
        }
        // Parts of a shader name structures; only a whole shader declares them.
        let declared = vec![true; shader.types.len()];
        Printer { shader, out: String::new(), vars, functions, structs, members, order, inline, declared }
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.out
    }

    /// Ends the line.
    pub fn newline(&mut self) {
        self.out.push('\n');
    }

    /// Writes the whole shader.
    pub fn shader(&mut self) {
        let shader = self.shader;
        self.declared.fill(false);
        // Four words of text an operand: saves most reallocations.
        self.out.reserve(256 + shader.num_instrs() * 40);
        let _ = write!(self.out, "foil 1\nshader {} ", shader.stage);
        push_quoted(&mut self.out, &shader.name);
        let _ = write!(self.out, " {{\n  form {}\n", shader.form);
        shader.info.write(&mut self.out, "  ");
        if let Some(gathered) = &shader.gathered {
            self.out.push_str("  gathered {\n");
            gathered.write(&mut self.out, "    ");
            self.out.push_str("  }\n");
        }
        for file in &shader.files {
            self.out.push_str("  file ");
            push_quoted(&mut self.out, file);
            self.out.push('\n');
        }
        if shader.entry.is_none() && !shader.functions.is_empty() {
            self.out.push_str("  no_entry\n");
        }
        self.struct_declarations();
        for (id, var) in &shader.vars {
            if self.owner(var).is_none() {
                self.var(id, var, 1);
            }
        }
        let mut locals: SecondaryMap<FuncId, Vec<VarId>> = SecondaryMap::new();
        for (id, var) in &shader.vars {
            if let Some(list) = self.owner(var).and_then(|f| Some(locals.entry(f)?.or_default())) {
                list.push(id);
            }
        }
        let first = shader.functions.keys().next();
        for (id, function) in &shader.functions {
            self.out.push('\n');
            self.out.push_str(if shader.entry == Some(id) && first != Some(id) {
                "  entry fn "
            } else {
                "  fn "
            });
            self.function(id, function, locals.get(id).map_or(&[], |l| l));
        }
        self.out.push_str("}\n");
    }

    /// The function that a variable is declared in.
    fn owner(&self, var: &Variable) -> Option<FuncId> {
        var.function.filter(|&f| self.shader.functions.contains_key(f))
    }

    pub(super) fn indent(&mut self, depth: usize) {
        for _ in 0..depth.min(MAX_INDENT) {
            self.out.push_str("  ");
        }
    }

    fn uint(&mut self, n: impl Into<u64>) {
        push_uint(&mut self.out, n.into());
    }

    // ---- types ----

    /// Declares the structures that are not declared by a variable.
    fn struct_declarations(&mut self) {
        let shader = self.shader;
        for id in self.order.clone() {
            if let (Type::Struct(s), false) = (&shader.types[id], self.inline.contains(&id)) {
                self.declared[id.index()] = true;
                self.out.push_str(if s.block { "  block " } else { "  struct " });
                self.struct_body(id, s, 1);
                self.out.push('\n');
            }
        }
    }

    /// Name and members of a structure.
    fn struct_body(&mut self, id: TypeId, s: &StructType, depth: usize) {
        self.out.push_str(&self.structs[id.index()]);
        let long = s.members.len() > 4;
        self.out.push_str(" {");
        for (i, m) in s.members.iter().enumerate() {
            if long {
                self.out.push('\n');
                self.indent(depth + 1);
            } else {
                self.out.push_str(if i == 0 { " " } else { ", " });
            }
            self.ty(m.ty, depth);
            self.out.push(' ');
            push_name(&mut self.out, &m.name);
            if let Some(offset) = m.offset {
                self.out.push_str(" @");
                self.uint(offset);
            }
            self.precision(m.precision);
        }
        if long {
            self.out.push('\n');
            self.indent(depth);
        } else {
            self.out.push(' ');
        }
        self.out.push('}');
    }

    /// Writes a type.
    pub(super) fn ty(&mut self, id: TypeId, depth: usize) {
        let types = &self.shader.types;
        if id.index() >= types.len() {
            self.out.push('?');
            return;
        }
        let base = types.without_arrays(id);
        match &types[base] {
            Type::Vector { scalar, comps } => push_vector(&mut self.out, *scalar, *comps),
            Type::Matrix { scalar, cols, rows, stride, row_major } => {
                push_matrix(&mut self.out, *scalar, *cols, *rows);
                if *stride != 0 || *row_major {
                    self.out.push('(');
                    if *stride != 0 {
                        let _ = write!(self.out, "stride={stride}");
                    }
                    if *row_major {
                        self.out.push_str(if *stride != 0 { " row_major" } else { "row_major" });
                    }
                    self.out.push(')');
                }
            }
            Type::Struct(s) => {
                if self.inline.contains(&base) && !self.declared[base.index()] {
                    self.declared[base.index()] = true;
                    self.struct_body(base, s, depth);
                } else {
                    self.out.push_str(&self.structs[base.index()]);
                }
            }
            Type::Image(i) => {
                let (word, combined) = match (i.storage, i.combined) {
                    (false, false) => ("texture", false),
                    (false, true) => ("sampled", false),
                    (true, combined) => ("image", combined),
                };
                let _ = write!(self.out, "{word}({} {}", i.dim, i.sampled);
                let format = (i.format != ImageFormat::Unknown).then(|| i.format.name());
                let words = [i.arrayed.then_some("array"), i.shadow.then_some("shadow")];
                for word in words.into_iter().chain([combined.then_some("combined"), format]).flatten() {
                    self.out.push(' ');
                    self.out.push_str(word);
                }
                self.out.push(')');
            }
            Type::Sampler => self.out.push_str("sampler"),
            Type::Array { .. } => {}
        }
        let mut array = id;
        while let Type::Array { elem, len, stride } = self.shader.types[array] {
            self.out.push('[');
            if len != 0 {
                self.uint(len);
            }
            if stride != 0 {
                self.out.push_str(if len != 0 { " stride=" } else { "stride=" });
                self.uint(stride);
            }
            self.out.push(']');
            array = elem;
        }
    }

    // ---- variables ----

    fn var(&mut self, id: VarId, var: &Variable, depth: usize) {
        // Taken apart, so that a field that is added to variables cannot be forgotten here.
        let Variable {
            name: _,
            ty,
            mode,
            function: _,
            location,
            component,
            index,
            set,
            binding,
            offset,
            interpolation,
            sampling,
            patch,
            per_primitive,
            invariant,
            compact,
            fetched,
            complete,
            precision,
            access,
            system_value,
            stream,
            initializer,
        } = var;
        self.indent(depth);
        push_set(&mut self.out, *mode);
        self.out.push(' ');
        self.ty(*ty, depth);
        self.out.push(' ');
        self.out.push_str(&self.vars[id]);
        if let Some(slot) = location {
            let _ = write!(self.out, " location={slot}");
        }
        let numbers = [
            ("component", u32::from(*component)),
            ("index", u32::from(*index)),
            ("offset", *offset),
            ("stream", u32::from(*stream)),
        ];
        let options = [("set", *set), ("binding", *binding)];
        let numbers = numbers.into_iter().filter(|&(_, n)| n != 0);
        for (word, n) in options.into_iter().filter_map(|(w, n)| Some((w, n?))).chain(numbers) {
            let _ = write!(self.out, " {word}={n}");
        }
        let words = [
            (*interpolation != Interpolation::Smooth).then(|| interpolation.name()),
            (*sampling != Sampling::Center).then(|| sampling.name()),
            patch.then_some("patch"),
            per_primitive.then_some("per_primitive"),
            invariant.then_some("invariant"),
            compact.then_some("compact"),
            fetched.then_some("fetched"),
            complete.then_some("complete"),
        ];
        for word in words.into_iter().flatten() {
            self.out.push(' ');
            self.out.push_str(word);
        }
        self.precision(*precision);
        if !access.is_empty() {
            self.out.push_str(" access=");
            push_set(&mut self.out, *access);
        }
        if let Some(sv) = system_value {
            let _ = write!(self.out, " builtin={}", sv.name());
        }
        if let Some(constant) = initializer {
            self.out.push_str(" = ");
            self.constant(constant, Shape::of(&self.shader.types, *ty));
        }
        self.out.push('\n');
    }

    fn precision(&mut self, precision: Precision) {
        if precision != Precision::None {
            let _ = write!(self.out, " precision={precision}");
        }
    }

    fn constant(&mut self, constant: &Constant, shape: Option<Shape>) {
        match (constant, shape) {
            (Constant::Zero, _) => self.out.push_str("zero"),
            (Constant::Value(lanes), Some(Shape::Vector(scalar, comps))) => {
                if comps > 1 {
                    self.out.push('(');
                }
                for (i, &lane) in lanes.iter().take(comps as usize).enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    push_literal(&mut self.out, lane, scalar.bits(), scalar_hint(scalar));
                }
                if comps > 1 {
                    self.out.push(')');
                }
            }
            (Constant::Value(lanes), _) => {
                self.out.push_str("raw(");
                for (i, lane) in lanes.iter().enumerate() {
                    let _ = write!(self.out, "{}{lane:#x}", if i > 0 { ", " } else { "" });
                }
                self.out.push(')');
            }
            (Constant::Composite(parts), shape) => {
                self.out.push('{');
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    let part_shape = shape.and_then(|s| s.part(&self.shader.types, i));
                    self.constant(part, part_shape);
                }
                self.out.push('}');
            }
        }
    }

    // ---- functions ----

    fn function(&mut self, id: FuncId, function: &Function, locals: &[VarId]) {
        self.out.push_str(&self.functions[id]);
        if !function.params.is_empty() {
            self.out.push('(');
            for (i, p) in function.params.iter().enumerate() {
                if i > 0 {
                    self.out.push_str(", ");
                }
                if p.pointee.is_none() || p.ty != Ty::DEREF {
                    self.shape(p.ty);
                }
                if let Some((ty, modes)) = p.pointee {
                    self.out.push_str(if p.ty == Ty::DEREF { "deref(" } else { " deref(" });
                    self.ty(ty, 0);
                    self.out.push(' ');
                    push_set(&mut self.out, modes);
                    self.out.push(')');
                }
                self.precision(p.precision);
            }
            self.out.push(')');
        }
        self.loc(function.loc);
        self.out.push_str(" {\n");
        let shader = self.shader;
        for &local in locals {
            self.var(local, &shader.vars[local], 2);
        }
        self.body(&function.body, &Numbering::new(&function.body), 1);
        self.out.push_str("  }\n");
    }

    /// Writes the code of a function; labels at `depth`, instructions one deeper.
    pub fn body(&mut self, body: &Body, names: &Numbering, mut depth: usize) {
        for step in body.walk_cf() {
            match step {
                Walk::Block(block) => {
                    let Some(n) = names.block(block) else { continue };
                    self.indent(depth);
                    self.out.push('b');
                    self.uint(n);
                    self.out.push_str(":\n");
                    for id in body.instrs(block) {
                        self.indent(depth + 1);
                        self.instr(body, names, id);
                        self.out.push('\n');
                    }
                }
                Walk::If(cf) => {
                    let Some(n) = body.as_if(cf) else { continue };
                    self.indent(depth + 1);
                    self.out.push_str("if ");
                    self.value(names, n.cond());
                    self.open(n.control);
                    depth += 1;
                }
                Walk::Else(cf) => {
                    let hidden = body.as_if(cf).is_some_and(|n| names.block(n.els().first).is_none());
                    if !hidden {
                        self.indent(depth);
                        self.out.push_str("} else {\n");
                    }
                }
                Walk::Loop(cf) => {
                    let Some(n) = body.as_loop(cf) else { continue };
                    self.indent(depth + 1);
                    self.out.push_str("loop");
                    self.open(n.control);
                    depth += 1;
                }
                Walk::EndIf(_) | Walk::EndLoop(_) => {
                    self.indent(depth);
                    self.out.push_str("}\n");
                    depth -= 1;
                }
            }
        }
    }

    /// Hint and opening brace of an `if` or loop.
    fn open(&mut self, control: Control) {
        if control != Control::None {
            self.out.push(' ');
            self.out.push_str(control.name());
        }
        self.out.push_str(" {\n");
    }

    pub(super) fn loc(&mut self, loc: Loc) {
        if let Some(file) = loc.file() {
            self.out.push_str(" @");
            self.uint(file);
            self.out.push(':');
            self.uint(loc.line());
        }
    }

    pub(super) fn shape(&mut self, ty: Ty) {
        self.uint(ty.bits);
        self.out.push('x');
        self.uint(ty.comps);
    }
}

/// How the bits of a component type are written.
fn scalar_hint(scalar: Scalar) -> Hint {
    if scalar.is_float() { Hint::Float } else { Hint::Int { signed: scalar.is_signed() } }
}

/// Shape of an initial value; its parts follow from the type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Scalar or vector.
    Vector(Scalar, u8),
    /// Anything else.
    Type(TypeId),
}

impl Shape {
    /// Shape of values of a type.
    pub(super) fn of(types: &Types, id: TypeId) -> Option<Shape> {
        if id.index() >= types.len() {
            return None;
        }
        Some(match types[id] {
            Type::Vector { scalar, comps } => Shape::Vector(scalar, comps),
            _ => Shape::Type(id),
        })
    }

    /// Shape of part `i`: member, element or column.
    pub(super) fn part(self, types: &Types, i: usize) -> Option<Shape> {
        let Shape::Type(id) = self else { return None };
        match &types[id] {
            Type::Array { elem, .. } => Shape::of(types, *elem),
            Type::Matrix { scalar, rows, .. } => Some(Shape::Vector(*scalar, *rows)),
            Type::Struct(s) => Shape::of(types, s.members.get(i)?.ty),
            _ => None,
        }
    }
}

/// Which members of a structure have a name that needs no quotes and is the first of its kind.
fn nameable(s: &StructType) -> Vec<bool> {
    let mut seen = FxHashSet::default();
    s.members.iter().map(|m| is_plain(&m.name) && seen.insert(&*m.name)).collect()
}

/// The structures that variables, parameters and derefs name, members before the structures around them.
fn used_structs(shader: &Shader) -> Vec<TypeId> {
    let mut roots: Vec<TypeId> = ordered_vars(shader).into_iter().map(|v| shader.vars[v].ty).collect();
    for f in shader.functions.values() {
        roots.extend(f.params.iter().filter_map(|p| Some(p.pointee?.0)));
        roots.extend(f.body.all_instrs().filter_map(|i| Some(f.body[i].as_deref()?.ty)));
    }
    let mut order = Vec::new();
    let mut visited = vec![false; shader.types.len()];
    // Post-order without recursion: a type is visited again (`true`) when its members are done.
    let mut stack: Vec<(TypeId, bool)> = Vec::new();
    for root in roots {
        stack.push((root, false));
        while let Some((ty, done)) = stack.pop() {
            if ty.index() >= shader.types.len() {
                continue;
            }
            if done {
                order.push(ty);
            } else if !std::mem::replace(&mut visited[ty.index()], true) {
                match &shader.types[ty] {
                    Type::Array { elem, .. } => stack.push((*elem, false)),
                    Type::Struct(s) => {
                        stack.push((ty, true));
                        stack.extend(s.members.iter().rev().map(|m| (m.ty, false)));
                    }
                    _ => {}
                }
            }
        }
    }
    order
}

/// The blocks that are declared where a variable names them: those that are not members of another type.
fn inline_blocks(shader: &Shader, used: &[TypeId]) -> FxHashSet<TypeId> {
    let is_block = |id: TypeId| matches!(&shader.types[id], Type::Struct(s) if s.block);
    let bases = shader.vars.values().filter(|v| v.ty.index() < shader.types.len());
    let mut blocks: FxHashSet<TypeId> =
        bases.map(|v| shader.types.without_arrays(v.ty)).filter(|&id| is_block(id)).collect();
    for &id in used {
        if let Type::Struct(s) = &shader.types[id] {
            for m in &s.members {
                blocks.remove(&shader.types.without_arrays(m.ty));
            }
        }
    }
    blocks
}
