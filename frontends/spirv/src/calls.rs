//! Functions as callers see them: parameters, calls, returns.
//!
//! Results go through a deref that is the first argument. Scalars and vectors are passed as they are, small
//! composites part by part, large ones and images as derefs.

use crate::error::*;
use crate::state::{Def, FunctionTranslator, Kind, Ptr, PtrPlace, Reader, SFunction, TyIx, Val};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{Op, StorageClass};

/// The message for an argument that does not fit its parameter.
pub(crate) const OTHER_MEMORY: &str = "an argument points to another kind of memory than the parameter";

/// The shader's function for a function of the module.
pub(crate) fn declare(r: &mut Reader<'_>, f: u32) -> Res<FuncId> {
    let &SFunction { id, ty, line, func, .. } = &r.functions[f as usize];
    if let Some(func) = func {
        return Ok(func);
    }
    let Kind::Function { ret, first, n } = r.kind(ty) else {
        bail!(TYPE, "the type of {} is not a function type", r.show(id));
    };
    let mut function = Function::new(&r.name(id));
    function.loc = r.loc_of(line);
    if r.kind(ret) != Kind::Void {
        let result = Param::deref(r.ir_type(ret)?, Modes::FUNCTION_TEMP);
        function.params.push(result.with_precision(r.precision(id)));
    }
    for i in first..first + n {
        let ty = r.params[i as usize];
        add_params(r, ty, &mut function.params)?;
    }
    let func = r.shader.add_function(function);
    r.functions[f as usize].func = Some(func);
    r.queue.push(f);
    Ok(func)
}

/// Parameters for a parameter of type `ty`: one for each scalar and vector, derefs for the rest.
fn add_params(r: &mut Reader<'_>, ty: TyIx, params: &mut Vec<Param>) -> Res<()> {
    if params.len() >= 1 << 12 {
        return fail(LIMIT, "a function has too many parameters");
    }
    let shape = r.types[ty as usize].shape;
    if !shape.is_none() {
        params.push(Param::value(shape));
        return Ok(());
    }
    match r.kind(ty) {
        Kind::Pointer { class, to } => {
            let to = r.type_of(to)?;
            params.push(Param::deref(r.ir_type(to)?, r.mode_of(class, to)?));
        }
        Kind::Image(i) => {
            let mode = if i.storage { Modes::IMAGE } else { Modes::UNIFORM };
            params.push(Param::deref(r.ir_type(ty)?, mode));
        }
        Kind::Sampler | Kind::SampledImage(_) => {
            params.push(Param::deref(r.ir_type(ty)?, Modes::UNIFORM));
        }
        _ if r.is_large(ty) => {
            params.push(Param::deref(r.ir_type(ty)?, Modes::FUNCTION_TEMP));
        }
        _ => match r.parts(ty) {
            Some((n, _)) => {
                for i in 0..n {
                    let part = r.part(ty, i)?;
                    add_params(r, part, params)?;
                }
            }
            None => bail!(UNSUPPORTED, "parameters of type {} are not supported", r.show_type(ty)),
        },
    }
    Ok(())
}

impl FunctionTranslator<'_, '_> {
    pub fn parameters(&mut self, ty: TyIx) -> Res<()> {
        let Kind::Function { ret, .. } = self.r.kind(ty) else {
            return fail(TYPE, "the type of a function is not a function type");
        };
        let mut index = 0;
        if self.r.kind(ret) != Kind::Void {
            self.ret = Some(self.param_ptr(&mut index, ret, StorageClass::Function)?);
        }
        let Kind::Function { first, n, .. } = self.r.kind(ty) else { return Ok(()) };
        let mut at = self.inst.end();
        for i in first..first + n {
            self.at(at)?;
            while matches!(self.inst.op(), Some(Op::Line | Op::NoLine)) {
                let end = self.inst.end();
                self.at(end)?;
            }
            at = self.inst.end();
            if self.inst.op() != Some(Op::FunctionParameter) {
                return fail(MALFORMED, "the function has fewer parameters than its type");
            }
            let ty = self.r.params[i as usize];
            if self.r.type_of(self.inst.word(1)?)? != ty {
                return fail(TYPE, "the type of the parameter is not that of the function's type");
            }
            let start = index as usize;
            match self.r.kind(ty) {
                Kind::Pointer { class, to } if !self.is_pointer_value(ty) => {
                    let to = self.r.type_of(to)?;
                    let ptr = self.param_ptr(&mut index, to, class)?;
                    self.set_ptr(ptr)?;
                }
                _ => {
                    let value = self.param_value(&mut index, ty)?;
                    self.set(value, ty)?;
                }
            }
            let precision = self.r.precision(self.inst.word(2)?);
            for param in &mut self.r.shader.functions[self.func].params[start..index as usize] {
                param.precision = precision;
            }
        }
        Ok(())
    }

    fn load_param(&mut self, index: &mut u32, ty: Ty) -> InstrId {
        let load = Intrinsic::new(IntrinsicOp::load_param, &[]).with(Index::Param, *index);
        *index += 1;
        self.b.insert_intrinsic(load, ty)
    }

    fn param_ptr(&mut self, index: &mut u32, ty: TyIx, class: StorageClass) -> Res<Ptr> {
        let value = self.load_param(index, Ty::DEREF);
        let (ir, mode) = (self.r.ir_type(ty)?, self.r.mode_of(class, ty)?);
        let deref = self.b.deref(DerefKind::Cast { parent: value, stride: 0 }, ir, mode);
        Ok(Ptr { place: PtrPlace::Deref(deref), ty, class, access: Access::empty() })
    }

    fn param_value(&mut self, index: &mut u32, ty: TyIx) -> Res<Val> {
        let shape = self.r.types[ty as usize].shape;
        if !shape.is_none() {
            return Ok(Val::Ssa(self.load_param(index, shape)));
        }
        if self.r.is_opaque(ty) {
            let PtrPlace::Deref(image) = self.param_ptr(index, ty, StorageClass::UniformConstant)?.place
            else {
                return fail(TYPE, "an image parameter without location");
            };
            let sampler = matches!(self.r.kind(ty), Kind::SampledImage(_)).then_some(image);
            return Ok(Val::Opaque { image, sampler });
        }
        if self.r.is_large(ty) {
            let ptr = self.param_ptr(index, ty, StorageClass::Function)?;
            let PtrPlace::Deref(deref) = ptr.place else { return Ok(Val::Undef) };
            return Ok(Val::Memory(deref));
        }
        let n = self.r.parts(ty).map_or(0, |p| p.0);
        let mut parts = SmallVec::<[Val; 4]>::new();
        for i in 0..n {
            let part = self.r.part(ty, i)?;
            parts.push(self.param_value(index, part)?);
        }
        self.tree(&parts)
    }

    pub fn call(&mut self) -> Res<()> {
        let ret = self.r.type_of(self.inst.word(1)?)?;
        let callee = self.inst.word(3)?;
        let Def::Function(f) = self.r.id(callee).def else {
            bail!(ID, "{} is not a function", self.r.show(callee));
        };
        let Kind::Function { ret: declared, first, n } = self.r.kind(self.r.functions[f as usize].ty) else {
            return fail(TYPE, "the called function has no function type");
        };
        let ids = self.inst.rest(4);
        if n as usize != ids.len() || ret != declared {
            bail!(TYPE, "the call does not fit the type of {}", self.r.show(callee));
        }
        if let Some(plan) = self.plan_to_inline(f) {
            return match self.inline(f, &plan, ids)? {
                None if self.r.kind(ret) == Kind::Void => Ok(()),
                None => fail(TYPE, "a function with a result returns none"),
                Some((have, value)) => {
                    self.check_same(have, ret)?;
                    self.set(value, ret)
                }
            };
        }
        let func = declare(self.r, f)?;
        self.r.calls.push((self.index, f));
        let mut copies: SmallVec<[(u32, Ptr); 4]> = SmallVec::new();
        let mut args: SmallVec<[InstrId; 8]> = SmallVec::new();
        let mut result = None;
        if self.r.kind(ret) != Kind::Void {
            let ptr = self.temp(ret, "result")?;
            args.push(self.deref_of(&ptr)?);
            result = Some(ptr);
        }
        for (i, &id) in ids.iter().enumerate() {
            let ty = self.r.params[first as usize + i];
            if let Kind::Pointer { to, class } = self.r.kind(ty)
                && !self.is_pointer_value(ty)
            {
                let to = self.r.type_of(to)?;
                let ptr = match self.r.def(id) {
                    Def::Local(local) => self.copy_in(local, &mut copies)?,
                    _ => self.pointer(id)?,
                };
                self.check_same(ptr.ty, to)?;
                let deref = self.deref_of(&ptr)?;
                args.push(self.fit_argument(deref, to, class)?);
            } else {
                let (have, value) = self.value(id)?;
                self.check_same(have, ty)?;
                self.push_args(ty, value, &mut args)?;
            }
        }
        self.b.call(func, &args);
        for (local, ptr) in copies {
            if let Val::Ssa(value) = self.load(&ptr)? {
                self.locals.store(local, value);
            }
        }
        if let Some(ptr) = result {
            // The variable belongs to this call alone, so a large result can stay where it is.
            let value = match (ptr.place, self.r.is_large(ret)) {
                (PtrPlace::Deref(d), true) => Val::Memory(d),
                _ => self.load(&ptr)?,
            };
            self.set(value, ret)?;
        }
        Ok(())
    }

    /// A variable for a local whose address is passed: the callee only loads and stores it whole.
    fn copy_in(&mut self, local: u32, copies: &mut SmallVec<[(u32, Ptr); 4]>) -> Res<Ptr> {
        if let Some(&(_, ptr)) = copies.iter().find(|c| c.0 == local) {
            return Ok(ptr);
        }
        let ptr = self.temp(self.locals.ty(local), "")?;
        let value = self.load_local(local);
        self.store(&ptr, value)?;
        copies.push((local, ptr));
        Ok(ptr)
    }

    /// Fails if an argument points to memory of another mode than a parameter.
    pub fn check_memory(&self, deref: InstrId, ty: TyIx, class: StorageClass) -> Res<()> {
        let mode = self.r.mode_of(class, ty)?;
        match self.b.pointee(deref) {
            Some((_, modes)) if modes != mode => fail(TYPE, OTHER_MEMORY),
            _ => Ok(()),
        }
    }

    /// A deref as argument: kind and layout of memory must be those that the callee knows.
    fn fit_argument(&mut self, deref: InstrId, ty: TyIx, class: StorageClass) -> Res<InstrId> {
        self.check_memory(deref, ty, class)?;
        let want = self.r.ir_type(ty)?;
        match self.b.pointee(deref) {
            Some((have, modes))
                if modes.intersects(Modes::UBO | Modes::SSBO | Modes::PUSH_CONST) && have != want =>
            {
                fail(UNSUPPORTED, "a pointer to a matrix with explicit layout as argument is not supported")
            }
            Some((have, modes)) if have != want => {
                Ok(self.b.deref(DerefKind::Cast { parent: deref, stride: 0 }, want, modes))
            }
            _ => Ok(deref),
        }
    }

    fn push_args(&mut self, ty: TyIx, value: Val, args: &mut SmallVec<[InstrId; 8]>) -> Res<()> {
        if !self.r.types[ty as usize].shape.is_none() {
            args.push(self.ssa_from(value, ty)?);
            return Ok(());
        }
        if let Val::Opaque { image, sampler } = value {
            if sampler.is_some_and(|s| s != image) {
                return fail(UNSUPPORTED, "a pair of image and sampler as argument is not supported");
            }
            args.push(image);
            return Ok(());
        }
        if self.r.is_large(ty) {
            let mut deref = self.in_memory(value, ty)?;
            let want = self.r.ir_type(ty)?;
            if self.b.pointee(deref) != Some((want, Modes::FUNCTION_TEMP)) {
                let temp = self.temp(ty, "")?;
                self.store(&temp, value)?;
                deref = self.deref_of(&temp)?;
            }
            args.push(deref);
            return Ok(());
        }
        for i in 0..self.r.parts(ty).map_or(0, |p| p.0) {
            let part = self.r.part(ty, i)?;
            let v = self.extract(value, ty, i)?;
            self.push_args(part, v, args)?;
        }
        Ok(())
    }

    /// The instruction that ends a block without successor.
    pub fn exit(&mut self, last: bool) -> Res<()> {
        self.check_open()?;
        match self.inst.op() {
            Some(Op::Return) => {}
            Some(Op::ReturnValue) => {
                let (have, value) = self.value(self.inst.word(1)?)?;
                if let Some(inlined) = self.inlined.last_mut() {
                    inlined.returned = Some((have, value));
                    return Ok(());
                }
                let Some(ret) = self.ret else {
                    return fail(TYPE, "a function without result returns a value");
                };
                self.check_same(have, ret.ty)?;
                self.store(&ret, value)?;
            }
            Some(Op::Kill) => {
                self.check_stage(IntrinsicOp::discard)?;
                self.b.intrinsic(IntrinsicOp::discard, Ty::NONE, &[]);
                self.b.jump(Jump::Halt);
                return Ok(());
            }
            Some(Op::TerminateInvocation) => {
                self.check_stage(IntrinsicOp::terminate)?;
                self.b.intrinsic(IntrinsicOp::terminate, Ty::NONE, &[]);
                self.b.jump(Jump::Halt);
                return Ok(());
            }
            Some(Op::EmitMeshTasksEXT) => {
                self.check_stage(IntrinsicOp::launch_mesh_workgroups)?;
                let mut counts = [None; 3];
                for (i, c) in counts.iter_mut().enumerate() {
                    *c = Some(self.int(self.inst.word(1 + i)?)?);
                }
                let counts: SmallVec<[InstrId; 3]> = counts.into_iter().flatten().collect();
                let count = self.b.vec(&counts);
                self.b.intrinsic(IntrinsicOp::launch_mesh_workgroups, Ty::NONE, &[count]);
                self.b.jump(Jump::Halt);
                return Ok(());
            }
            _ => {
                // OpUnreachable: control never comes here.
                self.b.jump(Jump::Halt);
                return Ok(());
            }
        }
        if !last {
            self.b.jump(Jump::Return);
        }
        Ok(())
    }
}
