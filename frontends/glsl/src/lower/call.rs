//! Functions as callers see them: parameters, calls, subroutines.
//!
//! Results go through a deref that is the first argument. Scalars, vectors and the columns of matrices are passed as they
//! are, larger `in` parameters as derefs of copies; `out` and `inout` parameters as derefs of temporaries that are copied
//! back in order (GLSL 4.60 section 6.1.1). Opaque parts are derefs of resources.

use super::home::{Data, Home};
use super::precise::root_var;
use super::{
    Columns, Lowerer, MALFORMED, Module, Place, Res, UNSUPPORTED, Value, columns_of, fail, shape_of,
};
use crate::hir::{self, ExprId, Storage, VarId};
use crate::types::{Base, Type};
use airfoil_ir::{
    Access, DerefKind, FuncId, Function, Index, InstrId, Intrinsic, IntrinsicOp, Modes, Param, Ty, TypeId,
};
use smallvec::SmallVec;

/// An evaluated argument.
pub enum Argument {
    /// A value; `None` for `out` parameters.
    Value(Option<Value>),
    /// Memory that belongs to the parameter.
    Memory(InstrId),
    /// Resources, and the memory of the parts that are not opaque.
    Opaque(SmallVec<[InstrId; 2]>, Data),
}

/// Arguments of a call, evaluated.
#[derive(Default)]
struct Arguments {
    /// Arguments passed.
    values: SmallVec<[InstrId; 8]>,
    /// Types of the resources among it.
    resources: SmallVec<[(TypeId, Modes); 4]>,
    /// Results copied back: destination, temporary and type.
    back: SmallVec<[(Place, InstrId, Type); 4]>,
}

impl Module<'_> {
    /// The function of the IR; declared at the first call, whose resources give the types of those parameters.
    fn function(&mut self, f: hir::FuncId, resources: &[(TypeId, Modes)]) -> Res<FuncId> {
        if let Some(func) = self.functions[f.0 as usize] {
            return Ok(func);
        }
        let unit = self.unit;
        let source = &unit[f];
        let name = &unit.names[source.name];
        if source.body.is_none() {
            return fail(MALFORMED, format!("the function {name} is called and has no definition"));
        }
        let mut function = Function::new(name);
        if source.result != Type::Void {
            let result = Param::deref(self.ir_type(source.result)?, Modes::FUNCTION_TEMP);
            function.params.push(result.with_precision(source.precision.0));
        }
        let mut resources = resources.iter();
        for &p in &source.params {
            let var = &unit[p];
            let first = function.params.len();
            if var.qualifiers.storage.is_out_param() {
                function.params.push(Param::deref(self.ir_type(var.ty)?, Modes::FUNCTION_TEMP));
            } else if let Some(shape) = shape_of(var.ty) {
                function.params.push(Param::value(shape));
            } else if let Some((n, shape)) = columns_of(var.ty) {
                function.params.extend((0..n).map(|_| Param::value(shape)));
            } else {
                if self.has_data(var.ty)? {
                    function.params.push(Param::deref(self.ir_type(var.ty)?, Modes::FUNCTION_TEMP));
                }
                for _ in 0..self.num_leaves(var.ty)? {
                    let Some(&(ty, modes)) = resources.next() else {
                        return fail(MALFORMED, format!("a call of {name} lacks a resource"));
                    };
                    function.params.push(Param::deref(ty, modes));
                }
            }
            let precision = var.qualifiers.precision.0;
            function.params[first..].iter_mut().for_each(|p| p.precision = precision);
        }
        let func = self.shader.add_function(function);
        self.functions[f.0 as usize] = Some(func);
        self.queue.push(f);
        Ok(func)
    }

    /// The function where execution starts.
    pub fn entry(&mut self, f: hir::FuncId, name: &str) -> Res<()> {
        if !self.unit[f].params.is_empty() || self.unit[f].result != Type::Void {
            return fail(MALFORMED, "main has parameters or a result");
        }
        let func = self.function(f, &[])?;
        self.shader.functions[func].name = name.into();
        self.shader.entry = Some(func);
        Ok(())
    }
}

impl Lowerer<'_, '_> {
    /// Takes over the parameters at the start of a function.
    pub fn parameters(&mut self) -> Res<()> {
        let unit = self.m.unit;
        let source = &unit[self.function];
        let mut index = 0;
        if source.result != Type::Void {
            self.result = Some(Place::memory(self.deref_param(&mut index)?, source.result));
        }
        for &p in &source.params {
            let var = &unit[p];
            debug_assert!(
                matches!(self.m.homes[p.0 as usize], Home::None),
                "parameters of another function are forgotten"
            );
            if var.qualifiers.storage.is_out_param() {
                let d = self.deref_param(&mut index)?;
                self.m.set_param_home(p, Home::Deref(d));
            } else if let Some(shape) = shape_of(var.ty) {
                let v = self.load_param(&mut index, shape);
                let place = self.var_place(p)?;
                self.store(&place, Value::Ssa(v))?;
            } else if let Some((n, shape)) = columns_of(var.ty) {
                let columns: Columns = (0..n).map(|_| self.load_param(&mut index, shape)).collect();
                let place = self.var_place(p)?;
                self.store(&place, Value::Matrix(columns))?;
            } else {
                let mut data = Data::None;
                if self.m.has_data(var.ty)? {
                    data = Data::Deref(self.deref_param(&mut index)?);
                }
                let mut derefs: SmallVec<[InstrId; 4]> = SmallVec::new();
                for _ in 0..self.m.num_leaves(var.ty)? {
                    derefs.push(self.deref_param(&mut index)?);
                }
                let home = self.m.opaque_home(&derefs, data);
                self.m.set_param_home(p, home);
            }
        }
        Ok(())
    }

    fn load_param(&mut self, index: &mut u32, ty: Ty) -> InstrId {
        let load = Intrinsic::new(IntrinsicOp::load_param, &[]).with(Index::Param, *index);
        *index += 1;
        self.b.insert_intrinsic(load, ty)
    }

    fn deref_param(&mut self, index: &mut u32) -> Res<InstrId> {
        let param = self.m.shader.functions[self.func].params.get(*index as usize);
        let Some((ty, modes)) = param.and_then(|p| p.pointee) else {
            return fail(MALFORMED, "a parameter that is not passed as a deref");
        };
        let parent = self.load_param(index, Ty::DEREF);
        Ok(self.b.deref(DerefKind::Cast { parent, stride: 0 }, ty, modes))
    }

    /// Evaluates arguments from left to right, l-values once, as a call passes them.
    fn arguments(&mut self, params: &[VarId], args: &[ExprId]) -> Res<Arguments> {
        let mut out = Arguments::default();
        if params.len() != args.len() {
            return fail(MALFORMED, "a call with a wrong number of arguments");
        }
        for (&p, &arg) in params.iter().zip(args) {
            let ty = self.m.unit[p].ty;
            match self.call_argument(p, arg)? {
                (Argument::Value(value), Some(place)) => {
                    let temp = self.temp(ty, "")?;
                    if let Some(value) = value {
                        self.store_to(temp, ty, value, Access::empty())?;
                    }
                    out.values.push(temp);
                    out.back.push((place, temp, ty));
                }
                (Argument::Value(Some(Value::Matrix(columns))), None) => out.values.extend(columns),
                (Argument::Value(Some(Value::Ssa(v))), None) => out.values.push(v),
                (Argument::Value(_), None) => return fail(MALFORMED, "an argument must be a value"),
                (Argument::Memory(deref), place) => {
                    out.values.push(deref);
                    out.back.extend(place.map(|place| (place, deref, ty)));
                }
                (Argument::Opaque(derefs, data), _) => {
                    if let Data::Deref(copy) = data {
                        out.values.push(copy);
                    }
                    for d in derefs {
                        let Some(pointee) = self.b.pointee(d) else {
                            return fail(MALFORMED, "a resource must be a deref");
                        };
                        out.values.push(d);
                        out.resources.push(pointee);
                    }
                }
            }
        }
        Ok(out)
    }

    /// Evaluates the argument of a parameter, and the l-value to which it is copied back.
    pub fn call_argument(&mut self, p: VarId, arg: ExprId) -> Res<(Argument, Option<Place>)> {
        let unit = self.m.unit;
        let ty = unit[p].ty;
        let storage = unit[p].qualifiers.storage;
        let exact = self.m.exact.is_exact(p);
        if storage.is_out_param() {
            let place = self.place(arg)?;
            let mut old = None;
            if storage == Storage::ParamInOut {
                let value = self.load(&place)?;
                old = Some(self.with_exact(exact, |l| l.convert(value, place.ty, ty))?);
            }
            if shape_of(ty).is_some() || columns_of(ty).is_some() {
                return Ok((Argument::Value(old), Some(place)));
            }
            let temp = self.temp(ty, "")?;
            if let Some(old) = old {
                self.store_to(temp, ty, old, Access::empty())?;
            }
            return Ok((Argument::Memory(temp), Some(place)));
        }
        if self.m.num_leaves(ty)? == 0 {
            let value = self.with_exact(exact, |l| l.expr(arg))?;
            return match self.snapshot(value, ty)? {
                Value::Memory(copy) => Ok((Argument::Memory(copy), None)),
                value => Ok((Argument::Value(Some(value)), None)),
            };
        }
        let place = self.place(arg)?;
        let mut data = Data::None;
        if self.m.has_data(ty)? {
            let value = self.load(&place)?;
            if let Value::Memory(copy) = self.snapshot(value, ty)? {
                data = Data::Deref(copy);
            }
        }
        Ok((Argument::Opaque(self.leaves_of(&place)?, data), None))
    }

    /// Calls with evaluated arguments.
    fn emit_call(&mut self, f: hir::FuncId, args: &Arguments, result: Option<InstrId>) -> Res<()> {
        let func = self.m.function(f, &args.resources)?;
        let mut values: SmallVec<[InstrId; 8]> = SmallVec::new();
        values.extend(result);
        values.extend_from_slice(&args.values);
        let params = &self.m.shader.functions[func].params;
        if params.len() != values.len() {
            return fail(MALFORMED, "a call with a wrong number of arguments");
        }
        for (v, param) in values.iter_mut().zip(params) {
            // Images of another format than those of the first call.
            let (Some((want, modes)), Some((have, have_modes))) = (param.pointee, self.b.pointee(*v)) else {
                continue;
            };
            if modes != have_modes {
                return fail(UNSUPPORTED, "this resource cannot be passed to a function");
            }
            if want != have {
                *v = self.b.deref(DerefKind::Cast { parent: *v, stride: 0 }, want, modes);
            }
        }
        self.b.call(func, &values);
        Ok(())
    }

    /// Copies `out` and `inout` arguments back.
    fn copy_back(&mut self, args: Arguments) -> Res<()> {
        for (place, temp, ty) in args.back {
            let value = self.load_from(temp, ty, Access::empty())?;
            let value = self.convert(value, ty, place.ty)?;
            self.store(&place, value)?;
        }
        Ok(())
    }

    fn result_temp(&mut self, ty: Type) -> Res<Option<InstrId>> {
        if ty == Type::Void { Ok(None) } else { Ok(Some(self.temp(ty, "result")?)) }
    }

    fn result_value(&mut self, result: Option<InstrId>, ty: Type) -> Res<Value> {
        // The variable belongs to this call alone, so a large result can stay where it is.
        match result {
            Some(d) => self.load_from(d, ty, Access::empty()),
            None => Ok(Value::Void),
        }
    }

    /// A call of a function of the shader.
    pub fn call(&mut self, f: hir::FuncId, args: &[ExprId]) -> Res<Value> {
        if self.can_inline(f) {
            return self.inline(f, args);
        }
        let unit = self.m.unit;
        let at = self.at;
        let args = self.arguments(&unit[f].params, args)?;
        self.locate(at);
        let ty = unit[f].result;
        let result = self.result_temp(ty)?;
        self.emit_call(f, &args, result)?;
        self.copy_back(args)?;
        self.result_value(result, ty)
    }

    /// A call through a subroutine uniform: its value is the index of the function.
    pub fn call_subroutine(&mut self, of: ExprId, args: &[ExprId], ty: Type) -> Res<Value> {
        let unit = self.m.unit;
        let at = self.at;
        let Some(which) = root_var(unit, of).and_then(|v| unit[v].qualifiers.subroutine) else {
            return fail(MALFORMED, "only subroutine uniforms can be called");
        };
        let place = self.place(of)?;
        let deref = self.deref(&place)?;
        let number = self.load_from(deref, Type::scalar(Base::Uint), Access::empty())?;
        let Value::Ssa(number) = number else { return fail(MALFORMED, "a subroutine without number") };
        let args = self.arguments(&unit[which].params, args)?;
        self.locate(at);
        let result = self.result_temp(ty)?;
        let mut next = 0;
        for (i, f) in unit.functions.iter().enumerate() {
            if f.body.is_none() || !f.subroutine_types.contains(&which) {
                continue;
            }
            let index = f.subroutine_index.unwrap_or(next);
            next = index + 1;
            let index = self.b.imm_u32(index);
            let here = self.b.ieq(number, index);
            let cf = self.open_if(here);
            self.emit_call(hir::FuncId(i as u32), &args, result)?;
            self.close_if(cf);
        }
        self.copy_back(args)?;
        self.result_value(result, ty)
    }
}
