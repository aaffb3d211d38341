//! Storage of variables. Global variables are created at their first use.

use super::home::{Data, Home};
use super::types::access_of;
use super::{
    Leaf, Lowerer, MALFORMED, Module, Place, PlaceKind, Res, UNSUPPORTED, Value, columns_of, fail, lanes_of,
    shape_of,
};
use crate::builtin::BuiltinVar;
use crate::hir::{self, ConstId, Storage};
use crate::link::interface::is_located_array;
use crate::link::layout::Rules;
use crate::types::Type;
use airfoil_ir::{Access, Constant, InstrId, Modes, Ty, Variable};
use smallvec::SmallVec;

impl Module<'_> {
    /// Where a variable lives. `func` is the function that is lowered.
    pub fn home(&mut self, var: hir::VarId, func: airfoil_ir::FuncId) -> Res<Home> {
        let at = var.0 as usize;
        if let Home::None = self.homes[at] {
            self.homes[at] = self.make_home(var, func)?;
        }
        Ok(self.homes[at])
    }

    fn make_home(&mut self, id: hir::VarId, func: airfoil_ir::FuncId) -> Res<Home> {
        let unit = self.unit;
        let var = &unit.vars[id.0 as usize];
        let name = &unit.names[var.name];
        let q = &var.qualifiers;
        match q.storage {
            Storage::Const => match var.constant {
                Some(c) if var.open => {
                    let ty = self.ir_type(var.ty)?;
                    let mut made = Variable::new(name, ty, Modes::SPEC_CONST);
                    made.binding = q.layout.constant_id;
                    made.initializer = Some(match self.ir_constant(c)? {
                        Constant::Zero => Constant::Value([0; 4]),
                        value => value,
                    });
                    Ok(Home::Var(self.shader.add_var(made)))
                }
                Some(c) => Ok(Home::Const(c)),
                // A `const` of a function whose value is known at run time only.
                None => self.local(id, func),
            },
            Storage::Local if var.function.is_some() => match (var.constant, q.constant) {
                (Some(c), true) => Ok(Home::Const(c)),
                _ => self.local(id, func),
            },
            Storage::ParamIn | Storage::ParamConst | Storage::ParamOut | Storage::ParamInOut => {
                self.local(id, func)
            }
            Storage::Local | Storage::Global | Storage::Shared => {
                let ty = self.ir_type(var.ty)?;
                let shared = q.storage == Storage::Shared;
                let mut made =
                    Variable::new(name, ty, if shared { Modes::SHARED } else { Modes::SHADER_TEMP });
                made.precision = q.precision.0;
                made.access = access_of(q.memory);
                if let Some(c) = var.constant {
                    made.initializer = Some(self.ir_constant(c)?);
                }
                Ok(Home::Var(self.shader.add_var(made)))
            }
            Storage::In | Storage::Out if is_located_array(unit, var) => self.block_array(id),
            Storage::In | Storage::Out | Storage::InOut if var.block => {
                let Type::Struct(block) = unit.types.without_arrays(var.ty) else {
                    return fail(MALFORMED, format!("{name} is a block without block type"));
                };
                let first = self.block_members.len() as u32;
                let fields = unit.types.structs[block.0 as usize].fields.len();
                self.block_members.resize(self.block_members.len() + fields, None);
                Ok(Home::Block(first))
            }
            Storage::In | Storage::Out | Storage::InOut => self.interface_variable(id),
            Storage::Uniform | Storage::Buffer if var.block => self.buffer(var),
            Storage::Uniform | Storage::Buffer => self.uniform(id),
        }
    }

    fn local(&mut self, id: hir::VarId, func: airfoil_ir::FuncId) -> Res<Home> {
        self.own_homes.push(id);
        let var = &self.unit[id];
        if self.values && !self.stores.is_in_memory(id) {
            if let Some(shape) = shape_of(var.ty) {
                return Ok(Home::Local(self.locals.add(shape)));
            }
            if let Some((n, shape)) = columns_of(var.ty) {
                return Ok(Home::Local(self.add_columns(n, shape)));
            }
        }
        let ty = self.ir_type(var.ty)?;
        let made = self.shader.add_local(func, &self.unit.names[var.name], ty);
        self.shader.vars[made].precision = var.qualifiers.precision.0;
        Ok(Home::Var(made))
    }

    /// Locals for the columns of a matrix; returns the first.
    pub fn add_columns(&mut self, n: u8, shape: Ty) -> u32 {
        let first = self.locals.add(shape);
        (1..n).for_each(|_| {
            self.locals.add(shape);
        });
        first
    }

    /// A uniform or storage block.
    fn buffer(&mut self, var: &hir::Variable) -> Res<Home> {
        let unit = self.unit;
        let q = &var.qualifiers;
        let inner = unit.types.without_arrays(var.ty);
        let layout = self.layout(inner, Rules::of_block(unit, var))?;
        let mut ty = self.explicit_type(inner, &layout)?;
        let mut dims: SmallVec<[u32; 4]> = SmallVec::new();
        let mut outer = var.ty;
        while let Some(array) = unit.types.as_array(outer) {
            dims.push(array.len);
            outer = array.elem;
        }
        for &len in dims.iter().rev() {
            ty = self.shader.types.array(ty, len);
        }
        let mode = match q.storage {
            _ if q.layout.push_constant => Modes::PUSH_CONST,
            Storage::Buffer => Modes::SSBO,
            _ => Modes::UBO,
        };
        let mut made = Variable::new(&unit.names[var.name], ty, mode);
        made.set = var.place.set;
        made.binding = var.place.binding;
        made.access = access_of(q.memory);
        if mode != Modes::SSBO {
            made.access |= Access::NON_WRITEABLE;
        }
        Ok(Home::Var(self.shader.add_var(made)))
    }

    /// A constant as an initial value.
    pub fn ir_constant(&mut self, id: ConstId) -> Res<Constant> {
        let c = &self.unit.consts[id.0 as usize];
        let mut rest = &c.scalars[..];
        self.constant_parts(c.ty, &mut rest)
    }

    fn constant_parts(&mut self, ty: Type, rest: &mut &[u64]) -> Res<Constant> {
        let unit = self.unit;
        let n = unit.types.components(ty) as usize;
        let Some((own, others)) = rest.split_at_checked(n) else {
            return fail(MALFORMED, "a constant is too short for its type");
        };
        if own.iter().all(|&s| s == 0) {
            *rest = others;
            return Ok(Constant::Zero);
        }
        let parts: Vec<Constant> = match ty {
            Type::Vector { base, .. } => {
                *rest = others;
                return Ok(Constant::Value(lanes_of(base, own)));
            }
            Type::Matrix { base, rows, .. } => {
                *rest = others;
                own.chunks_exact(usize::from(rows)).map(|c| Constant::Value(lanes_of(base, c))).collect()
            }
            Type::Array(id) => {
                let array = unit.types.get_array(id);
                (0..array.len).map(|_| self.constant_parts(array.elem, rest)).collect::<Res<_>>()?
            }
            Type::Struct(id) => {
                let fields = &unit.types.structs[id.0 as usize].fields;
                fields.iter().map(|f| self.constant_parts(f.ty, rest)).collect::<Res<_>>()?
            }
            _ => return fail(MALFORMED, "a constant of a type that has no constants"),
        };
        Ok(Constant::Composite(parts.into()))
    }

    /// A variable that holds an array or structure that is constant; equal ones share it.
    fn const_var(&mut self, id: ConstId) -> Res<airfoil_ir::VarId> {
        if let Some(&var) = self.const_vars.get(&id) {
            return Ok(var);
        }
        let unit = self.unit;
        let c = &unit.consts[id.0 as usize];
        let key = (c.ty, &c.scalars[..]);
        let var = match self.equal_consts.get(&key) {
            Some(&var) => var,
            None => {
                let ty = self.ir_type(c.ty)?;
                let mut made = Variable::new("const", ty, Modes::SHADER_TEMP);
                made.initializer = Some(self.ir_constant(id)?);
                made.access = Access::NON_WRITEABLE;
                let var = self.shader.add_var(made);
                self.equal_consts.insert(key, var);
                var
            }
        };
        self.const_vars.insert(id, var);
        Ok(var)
    }

    /// The home of a parameter with opaque parts, `derefs`, and other `data`.
    pub fn opaque_home(&mut self, derefs: &[InstrId], data: Data) -> Home {
        match data {
            Data::Deref(d) if derefs.is_empty() => Home::Deref(d),
            data => {
                let first = self.leaves.len() as u32;
                self.leaves.extend(derefs.iter().map(|&d| Leaf::Param(d)));
                Home::Opaque { first, len: derefs.len() as u32, data }
            }
        }
    }

    /// Sets the home of a parameter until its function ends.
    pub fn set_param_home(&mut self, param: hir::VarId, home: Home) {
        self.homes[param.0 as usize] = home;
        self.own_homes.push(param);
    }

    /// Sets the home of a global variable.
    pub fn set_home(&mut self, var: hir::VarId, home: Home) {
        self.homes[var.0 as usize] = home;
    }

    /// The variable that a built-in is, if the checker has declared it.
    pub fn find_builtin(&mut self, builtin: BuiltinVar) -> Option<hir::VarId> {
        if let Some(&(_, known)) = self.builtin_vars.iter().find(|(b, _)| *b == builtin) {
            return known;
        }
        let found = self.unit.vars.iter().position(|v| v.builtin == Some(builtin));
        let found = found.map(|i| hir::VarId(i as u32));
        self.builtin_vars.push((builtin, found));
        found
    }
}

impl Lowerer<'_, '_> {
    /// The place of a variable.
    pub fn var_place(&mut self, var: hir::VarId) -> Res<Place> {
        let v = &self.m.unit.vars[var.0 as usize];
        let ty = v.ty;
        let kind = match self.m.home(var, self.func)? {
            Home::Var(made) => PlaceKind::Deref(self.var_deref(made)),
            Home::Local(first) => PlaceKind::Local(first),
            Home::Member(block, field) => PlaceKind::Deref(self.buffer_member(block, field)?),
            Home::Deref(d) => PlaceKind::Deref(d),
            Home::Packed(made, per_vertex) => {
                PlaceKind::Packed { deref: self.var_deref(made), per_vertex, at: None }
            }
            Home::Single(made) => PlaceKind::Single(self.var_deref(made)),
            Home::Computed(how, made) => {
                let d = self.var_deref(made);
                PlaceKind::Value(self.computed(how, d, ty)?)
            }
            Home::Block(_) => PlaceKind::Block { var, path: SmallVec::new() },
            Home::Opaque { first, len, data } => {
                let data = match data {
                    Data::None => None,
                    Data::Member(block, field) => Some(self.buffer_member(block, field)?),
                    Data::Deref(d) => Some(d),
                };
                PlaceKind::Opaque { first, len, path: SmallVec::new(), data }
            }
            Home::Const(c) => return self.const_place(c),
            Home::None => return fail(MALFORMED, "a variable that lives nowhere"),
        };
        Ok(Place { kind, ty, access: Access::empty() })
    }

    fn buffer_member(&mut self, block: airfoil_ir::VarId, field: u32) -> Res<InstrId> {
        let block = self.var_deref(block);
        match self.b.try_deref_struct(&self.m.shader.types, block, field) {
            Some(d) => Ok(d),
            None => fail(MALFORMED, "a uniform that is not in its buffer"),
        }
    }

    /// A constant of any type.
    pub fn const_place(&mut self, id: ConstId) -> Res<Place> {
        let c = &self.m.unit.consts[id.0 as usize];
        match c.ty {
            Type::Array(_) | Type::Struct(_) => {
                let var = self.m.const_var(id)?;
                Ok(Place::memory(self.var_deref(var), c.ty))
            }
            ty => Ok(Place::value(self.const_value(ty, &c.scalars)?, ty)),
        }
    }

    /// The place of a built-in variable.
    pub fn builtin_var(&mut self, builtin: BuiltinVar) -> Res<Place> {
        match self.m.find_builtin(builtin) {
            Some(var) => self.var_place(var),
            None => fail(UNSUPPORTED, format!("the built-in variable {builtin:?} is not declared")),
        }
    }

    /// The resources of an argument with opaque parts.
    pub fn leaves_of(&mut self, place: &Place) -> Res<SmallVec<[InstrId; 2]>> {
        let mut out = SmallVec::new();
        match &place.kind {
            PlaceKind::Opaque { first, len, path, .. } => {
                for leaf in *first..first + len {
                    out.push(self.leaf_deref(leaf, path)?);
                }
            }
            PlaceKind::Deref(d) => out.push(*d),
            PlaceKind::Value(Value::Opaque { texture, sampler }) if sampler.is_none_or(|s| s == *texture) => {
                out.push(*texture);
            }
            _ => return fail(UNSUPPORTED, "a pair of texture and sampler as argument is not supported"),
        }
        Ok(out)
    }
}
