//! Functions: follows the plan of a function and translates its instructions.

use crate::error::*;
use crate::module::{Def, ExtSet, Line, Reader, flag};
use crate::structure::{Plan, Step, plan};
use crate::types::{Kind, TyIx};
use crate::value::{Ptr, PtrPlace, Val};
use crate::words::Inst;
use airfoil_ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::{Op, StorageClass};

/// Values of more scalars and vectors than this stay in memory.
pub(crate) const MAX_LEAVES: u32 = 32;

/// A phi of the function: a variable that the predecessors store to.
#[derive(Clone, Copy, Debug)]
struct Phi {
    /// Offset of the instruction.
    at: usize,
    var: VarId,
    ty: TyIx,
}

/// A function while it is translated.
pub(crate) struct Fun<'a, 'w> {
    pub r: &'a mut Reader<'w>,
    pub b: Builder<'a>,
    pub func: FuncId,
    /// Distinguishes functions in the caches of constants.
    serial: u32,
    /// Where the next constant goes in the first block.
    const_at: Cursor,
    /// Where results go; `None` for functions without.
    ret: Option<Ptr>,
    phis: Vec<Phi>,
    /// Stores at the end of blocks: predecessor, number of the phi, value. Sorted.
    phi_stores: Vec<(u32, u32, u32)>,
    /// Derefs of variables at the start of the function.
    pub var_derefs: FxHashMap<VarId, InstrId>,
    /// The instruction that is translated.
    pub inst: Inst<'w>,
}

/// Translates the entry point and all that it calls.
pub(crate) fn translate_all(r: &mut Reader<'_>) -> Res<()> {
    let id = r.entries[r.entry].function;
    let Def::Function(entry) = r.id(id).def else {
        bail!(ID, "{} is no function", r.show(id));
    };
    let func = declare(r, entry)?;
    r.shader.entry = Some(func);
    if r.shader.functions[func].params.is_empty() {
        r.shader.functions[func].name = r.shader.name.clone();
    } else {
        return fail(TYPE, "the entry point's function has parameters or a result");
    }
    let mut next = 0;
    while next < r.queue.len() {
        let f = r.queue[next];
        next += 1;
        translate(r, f, next as u32)?;
    }
    Ok(())
}

/// The shader's function for a function of the module.
pub(crate) fn declare(r: &mut Reader<'_>, f: u32) -> Res<FuncId> {
    let s = r.functions[f as usize];
    if let Some(func) = s.func {
        return Ok(func);
    }
    let Kind::Function { ret, first, n } = r.kind(s.ty) else {
        bail!(TYPE, "the type of {} is no function type", r.show(s.id));
    };
    let mut function = Function::new(&r.name(s.id));
    if r.kind(ret) != Kind::Void {
        let pointee = Some((r.ir_type(ret)?, Modes::FUNCTION_TEMP));
        function.params.push(Param { ty: Ty::DEREF, pointee });
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
        params.push(Param { ty: shape, pointee: None });
        return Ok(());
    }
    match r.kind(ty) {
        Kind::Pointer { class, to } => {
            let to = r.type_of(to)?;
            let pointee = Some((r.ir_type(to)?, r.mode_of(class, to)?));
            params.push(Param { ty: Ty::DEREF, pointee });
        }
        Kind::Image(i) => {
            let mode = if i.storage { Modes::IMAGE } else { Modes::UNIFORM };
            let pointee = Some((r.ir_type(ty)?, mode));
            params.push(Param { ty: Ty::DEREF, pointee });
        }
        Kind::Sampler | Kind::SampledImage(_) => {
            let pointee = Some((r.ir_type(ty)?, Modes::UNIFORM));
            params.push(Param { ty: Ty::DEREF, pointee });
        }
        _ if r.types[ty as usize].leaves > MAX_LEAVES => {
            let pointee = Some((r.ir_type(ty)?, Modes::FUNCTION_TEMP));
            params.push(Param { ty: Ty::DEREF, pointee });
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

fn translate(r: &mut Reader<'_>, f: u32, serial: u32) -> Res<()> {
    let s = r.functions[f as usize];
    let Some(func) = s.func else { return Ok(()) };
    let head = Inst::at(r.words, s.at)?;
    r.line = Line::default();
    let plan = plan(r, head.end()).map_err(|e| r.locate(e, head))?;
    let mut body = Body::new();
    let entry = body.entry();
    let b = Builder::at(&mut body, Cursor::BlockEnd(entry));
    let mut fun = Fun {
        r,
        b,
        func,
        serial,
        const_at: Cursor::BlockStart(entry),
        ret: None,
        phis: Vec::new(),
        phi_stores: Vec::new(),
        var_derefs: FxHashMap::default(),
        inst: head,
    };
    let result = fun.run(s.ty, &plan);
    let inst = fun.inst;
    result.map_err(|e| fun.r.locate(e, inst))?;
    if plan.crosses {
        crate::repair::repair(&mut body, r, func);
    }
    r.shader.functions[func].body = body;
    Ok(())
}

impl<'w> Fun<'_, 'w> {
    fn run(&mut self, ty: TyIx, plan: &Plan) -> Res<()> {
        self.parameters(ty)?;
        self.find_phis(plan)?;
        let mut loops: Vec<CfId> = Vec::new();
        let mut ifs: Vec<CfId> = Vec::new();
        let mut contexts: Vec<u32> = Vec::new();
        let mut flags: Vec<Option<VarId>> = vec![None; plan.contexts.len()];
        for &step in &plan.steps {
            match step {
                Step::Block(b) => self.block(plan, b)?,
                Step::If(b) => {
                    self.at(plan.blocks[b as usize].end)?;
                    let cond = self.inst.word(1)?;
                    let cond = self.ssa_of(cond, Ty::BOOL)?;
                    ifs.push(self.open_if(cond, plan.blocks[b as usize].control)?);
                }
                Step::IfCases(b, from, to) => {
                    self.at(plan.blocks[b as usize].end)?;
                    let selector = self.inst.word(1)?;
                    let selector = self.int(selector)?;
                    let mut cond = None;
                    for g in &plan.groups[from as usize..to as usize] {
                        for &literal in &g.literals {
                            let bits = self.b.ty(selector).bits;
                            let literal = self.b.imm(bits, literal);
                            let here = self.b.ieq(selector, literal);
                            cond = Some(match cond {
                                Some(c) => self.b.ior(c, here),
                                None => here,
                            });
                        }
                    }
                    let cond = cond.unwrap_or_else(|| self.b.imm_bool(false));
                    ifs.push(self.open_if(cond, Control::None)?);
                }
                Step::Else => {
                    if let Some(&cf) = ifs.last() {
                        self.b.push_else(cf);
                    }
                }
                Step::EndIf => {
                    if let Some(cf) = ifs.pop() {
                        self.b.pop(cf);
                    }
                }
                Step::Enter(c) => {
                    contexts.push(c);
                    let context = &plan.contexts[c as usize];
                    if context.ir_loop {
                        self.check_open()?;
                        for &aim in &context.crossed {
                            let flag = self.flag(&mut flags, aim);
                            let no = self.b.imm_bool(false);
                            self.set_flag(flag, no);
                        }
                        let cf = self.b.push_loop();
                        if context.is_loop {
                            let control = plan.blocks[context.target as usize].control;
                            self.b.body.set_control(cf, control);
                        }
                        loops.push(cf);
                    }
                }
                Step::Leave(c) => {
                    contexts.pop();
                    let context = &plan.contexts[c as usize];
                    if !context.ir_loop {
                        continue;
                    }
                    if !context.is_loop && self.is_open() {
                        self.b.jump(Jump::Break);
                    }
                    if let Some(cf) = loops.pop() {
                        self.b.pop(cf);
                    }
                    for &aim in &context.crossed {
                        let flag = self.flag(&mut flags, aim);
                        let var = self.b.deref_var(&self.r.shader.vars, flag);
                        let set = self.b.load_deref(var, Ty::BOOL);
                        let cf = self.b.push_if(set);
                        let via = via_of(plan, &contexts, aim);
                        self.jump_to(plan, &contexts, aim, via);
                        self.b.pop(cf);
                    }
                }
                Step::Goto(aim, via) => {
                    self.check_open()?;
                    if crosses(plan, &contexts, via) {
                        let flag = self.flag(&mut flags, aim);
                        let yes = self.b.imm_bool(true);
                        self.set_flag(flag, yes);
                    }
                    self.jump_to(plan, &contexts, aim, via);
                }
                Step::Exit(b, last) => {
                    self.at(plan.blocks[b as usize].end)?;
                    self.exit(last)?;
                }
            }
        }
        Ok(())
    }

    fn open_if(&mut self, cond: InstrId, control: Control) -> Res<CfId> {
        self.check_open()?;
        let cf = self.b.push_if(cond);
        if control != Control::None {
            self.b.body.set_control(cf, control);
        }
        Ok(cf)
    }

    /// Jumps towards the end of a context: out of the innermost loop, or to the start of its own.
    fn jump_to(&mut self, plan: &Plan, contexts: &[u32], aim: u32, via: u32) {
        let direct = !crosses(plan, contexts, via);
        let again = direct && plan.contexts[aim as usize].is_loop;
        self.b.jump(if again { Jump::Continue } else { Jump::Break });
    }

    fn flag(&mut self, flags: &mut [Option<VarId>], aim: u32) -> VarId {
        *flags[aim as usize].get_or_insert_with(|| {
            let ty = self.r.shader.types.vector(Scalar::Bool, 1);
            self.r.shader.add_local(self.func, "leave", ty)
        })
    }

    fn set_flag(&mut self, flag: VarId, value: InstrId) {
        let var = self.b.deref_var(&self.r.shader.vars, flag);
        self.b.store_deref(var, value);
    }

    /// Whether code at the cursor can follow what stands there.
    fn is_open(&self) -> bool {
        self.b.body.jump(self.b.block()).is_none()
    }

    fn check_open(&self) -> Res<()> {
        if self.is_open() { Ok(()) } else { fail(CONTROL, "the control flow is not structured") }
    }

    /// Goes to an instruction.
    fn at(&mut self, at: usize) -> Res<()> {
        self.inst = Inst::at(self.r.words, at)?;
        Ok(())
    }

    // ---- blocks ----

    fn block(&mut self, plan: &Plan, b: u32) -> Res<()> {
        self.check_open()?;
        let block = &plan.blocks[b as usize];
        self.r.line = Line::default();
        self.b.loc = Loc::NONE;
        let mut at = block.start;
        while at < block.end {
            self.at(at)?;
            at = self.inst.end();
            self.instruction()?;
        }
        let from = self.phi_stores.partition_point(|s| s.0 < b);
        for i in from..self.phi_stores.len() {
            let (pred, phi, value) = self.phi_stores[i];
            if pred != b {
                break;
            }
            let Phi { at, var, ty } = self.phis[phi as usize];
            self.at(at)?;
            let (have, value) = self.value(value)?;
            self.check_same(have, ty)?;
            if value != Val::Undef {
                let place = self.var_ptr(var, ty);
                self.store(&place, value)?;
            }
        }
        Ok(())
    }

    /// Makes a variable for every phi and notes what its predecessors store.
    fn find_phis(&mut self, plan: &Plan) -> Res<()> {
        for block in plan.blocks.iter().filter(|b| b.is_reached()) {
            let mut at = block.start;
            while at < block.end {
                self.at(at)?;
                at = self.inst.end();
                match self.inst.op() {
                    Some(Op::Phi) => {}
                    Some(Op::Line | Op::NoLine | Op::ExtInst | Op::Nop) => continue,
                    _ => break,
                }
                let ty = self.r.type_of(self.inst.word(1)?)?;
                if matches!(self.r.kind(ty), Kind::Pointer { .. }) || self.r.is_opaque(ty) {
                    bail!(UNSUPPORTED, "OpPhi of {} is not supported", self.r.show_type(ty));
                }
                let ir = self.r.ir_type(ty)?;
                let name = self.r.name(self.inst.word(2)?);
                let var = self.r.shader.add_local(self.func, &name, ir);
                let n = self.phis.len() as u32;
                for pair in self.inst.rest(3).chunks_exact(2) {
                    match self.r.id(pair[1]).def {
                        Def::Label(pred) => self.phi_stores.push((pred, n, pair[0])),
                        _ => bail!(ID, "{} is no block", self.r.show(pair[1])),
                    }
                }
                self.phis.push(Phi { at: self.inst.at, var, ty });
            }
        }
        self.phi_stores.sort_by_key(|s| (s.0, s.1));
        Ok(())
    }

    fn phi(&mut self) -> Res<()> {
        let at = self.inst.at;
        let Ok(i) = self.phis.binary_search_by_key(&at, |p| p.at) else {
            return fail(MALFORMED, "OpPhi must stand at the start of its block");
        };
        let Phi { var, ty, .. } = self.phis[i];
        let place = self.var_ptr(var, ty);
        let value = self.load(&place)?;
        self.set(value, ty)
    }

    // ---- parameters, calls, returns ----

    fn parameters(&mut self, ty: TyIx) -> Res<()> {
        let Kind::Function { ret, .. } = self.r.kind(ty) else {
            return fail(TYPE, "the type of a function is no function type");
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
            match self.r.kind(ty) {
                Kind::Pointer { class, to } => {
                    let to = self.r.type_of(to)?;
                    let ptr = self.param_ptr(&mut index, to, class)?;
                    self.set_ptr(ptr)?;
                }
                _ => {
                    let value = self.param_value(&mut index, ty)?;
                    self.set(value, ty)?;
                }
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
                return fail(TYPE, "an image parameter without place");
            };
            let sampler = matches!(self.r.kind(ty), Kind::SampledImage(_)).then_some(image);
            return Ok(Val::Opaque { image, sampler });
        }
        if self.r.types[ty as usize].leaves > MAX_LEAVES {
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

    fn call(&mut self) -> Res<()> {
        let ret = self.r.type_of(self.inst.word(1)?)?;
        let callee = self.inst.word(3)?;
        let Def::Function(f) = self.r.id(callee).def else {
            bail!(ID, "{} is no function", self.r.show(callee));
        };
        let Kind::Function { ret: declared, first, n } = self.r.kind(self.r.functions[f as usize].ty) else {
            return fail(TYPE, "the called function has no function type");
        };
        let ids = self.inst.rest(4);
        if n as usize != ids.len() || ret != declared {
            bail!(TYPE, "the call does not fit the type of {}", self.r.show(callee));
        }
        let func = declare(self.r, f)?;
        let mut args: SmallVec<[InstrId; 8]> = SmallVec::new();
        let mut result = None;
        if self.r.kind(ret) != Kind::Void {
            let ptr = self.temp(ret, "result")?;
            args.push(self.deref_of(&ptr)?);
            result = Some(ptr);
        }
        for (i, &id) in ids.iter().enumerate() {
            let ty = self.r.params[first as usize + i];
            if let Kind::Pointer { to, .. } = self.r.kind(ty) {
                let ptr = self.pointer(id)?;
                let to = self.r.type_of(to)?;
                self.check_same(ptr.ty, to)?;
                let deref = self.deref_of(&ptr)?;
                self.check_layout(deref, to)?;
                args.push(deref);
            } else {
                let (have, value) = self.value(id)?;
                self.check_same(have, ty)?;
                self.push_args(ty, value, &mut args)?;
            }
        }
        self.b.call(func, &args);
        if let Some(ptr) = result {
            // The variable belongs to this call alone, so a large result can stay where it is.
            let value = match (ptr.place, self.r.types[ret as usize].leaves > MAX_LEAVES) {
                (PtrPlace::Deref(d), true) => Val::Memory(d),
                _ => self.load(&ptr)?,
            };
            self.set(value, ret)?;
        }
        Ok(())
    }

    /// The layout of memory must be the one that the callee knows.
    fn check_layout(&mut self, deref: InstrId, ty: TyIx) -> Res<()> {
        let want = self.r.ir_type(ty)?;
        match self.b.pointee(deref) {
            Some((have, modes))
                if modes.intersects(Modes::UBO | Modes::SSBO | Modes::PUSH_CONST) && have != want =>
            {
                fail(UNSUPPORTED, "a pointer to a matrix with explicit layout as argument is not supported")
            }
            _ => Ok(()),
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
        if self.r.types[ty as usize].leaves > MAX_LEAVES {
            let deref = self.in_memory(value, ty)?;
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
    fn exit(&mut self, last: bool) -> Res<()> {
        self.check_open()?;
        match self.inst.op() {
            Some(Op::Return) => {}
            Some(Op::ReturnValue) => {
                let (have, value) = self.value(self.inst.word(1)?)?;
                let Some(ret) = self.ret else {
                    return fail(TYPE, "a function without result returns a value");
                };
                self.check_same(have, ret.ty)?;
                self.store(&ret, value)?;
            }
            Some(Op::Kill) => {
                self.b.intrinsic(IntrinsicOp::discard, Ty::NONE, &[]);
                self.b.jump(Jump::Halt);
                return Ok(());
            }
            Some(Op::TerminateInvocation) => {
                self.b.intrinsic(IntrinsicOp::terminate, Ty::NONE, &[]);
                self.b.jump(Jump::Halt);
                return Ok(());
            }
            Some(Op::EmitMeshTasksEXT) => {
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

    // ---- instructions ----

    fn instruction(&mut self) -> Res<()> {
        let inst = self.inst;
        let Some(op) = inst.op() else { bail!(UNSUPPORTED, "{} is not supported", inst.name()) };
        self.b.flags = AluFlags::empty();
        match op {
            Op::Line => {
                self.set_line(inst.word(1)?, inst.word(2)?);
                return Ok(());
            }
            Op::NoLine => {
                self.set_line(0, 0);
                return Ok(());
            }
            Op::Nop | Op::SelectionMerge | Op::LoopMerge => return Ok(()),
            Op::ExtInst => {
                return match self.r.id(inst.word(3)?).def {
                    Def::Ext(ExtSet::Glsl) => {
                        self.set_flags()?;
                        self.glsl()
                    }
                    Def::Ext(ExtSet::DebugInfo) => self.debug_info(),
                    Def::Ext(ExtSet::NonSemantic) => Ok(()),
                    _ => fail(ID, "OpExtInst names no instruction set"),
                };
            }
            _ => {}
        }
        self.set_flags()?;
        match op {
            Op::Phi => self.phi(),
            Op::FunctionCall => self.call(),
            Op::Variable => self.local_variable(),
            Op::Load => self.op_load(),
            Op::Store => self.op_store(),
            Op::CopyMemory => self.op_copy_memory(),
            Op::AccessChain | Op::InBoundsAccessChain => self.op_access_chain(false),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.op_access_chain(true),
            Op::ArrayLength => self.op_array_length(),
            Op::ImageTexelPointer => self.op_texel_pointer(),
            Op::Undef => {
                let ty = self.r.type_of(inst.word(1)?)?;
                self.set(Val::Undef, ty)
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => self.op_copy(),
            Op::CompositeConstruct => self.op_construct(),
            Op::CompositeExtract => self.op_extract(),
            Op::CompositeInsert => self.op_insert(),
            Op::VectorShuffle => self.op_shuffle(),
            Op::VectorExtractDynamic => self.op_extract_dynamic(),
            Op::VectorInsertDynamic => self.op_insert_dynamic(),
            Op::Select => self.op_select(),
            Op::Transpose
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct => self.matrix_op(op),
            Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert
            | Op::SatConvertSToU
            | Op::SatConvertUToS => self.conversion(op),
            Op::Bitcast => self.op_bitcast(),
            Op::SampledImage => self.op_sampled_image(),
            Op::Image => self.op_image(),
            Op::EmitVertex | Op::EndPrimitive | Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                let stream = match inst.words.get(1) {
                    Some(&id) => self.r.const_u32(id).filter(|&s| s < 4),
                    None => Some(0),
                };
                let Some(stream) = stream else { return fail(TYPE, "the stream is no constant below 4") };
                let emit = matches!(op, Op::EmitVertex | Op::EmitStreamVertex);
                let op = if emit { IntrinsicOp::emit_vertex } else { IntrinsicOp::end_primitive };
                self.b.insert_intrinsic(Intrinsic::new(op, &[]).with(Index::Stream, stream), Ty::NONE);
                Ok(())
            }
            Op::DemoteToHelperInvocation => {
                self.b.intrinsic(IntrinsicOp::demote, Ty::NONE, &[]);
                Ok(())
            }
            Op::IsHelperInvocationEXT => {
                let v = self.b.intrinsic(IntrinsicOp::is_helper_invocation, Ty::BOOL, &[]);
                self.set_ssa(v)
            }
            Op::SetMeshOutputsEXT => {
                let (v, p) = (self.int(inst.word(1)?)?, self.int(inst.word(2)?)?);
                self.b.intrinsic(IntrinsicOp::set_mesh_outputs, Ty::NONE, &[v, p]);
                Ok(())
            }
            Op::LifetimeStart | Op::LifetimeStop | Op::AssumeTrueKHR => Ok(()),
            Op::ControlBarrier | Op::MemoryBarrier => self.barrier(op),
            _ if self.is_image_op(op) => self.image_op(op),
            _ if self.is_atomic(op) => self.atomic(op),
            _ if self.is_subgroup_op(op) => self.subgroup_op(op),
            _ => self.alu_op(op),
        }
    }

    /// Flags of the ALU instructions that this instruction becomes.
    fn set_flags(&mut self) -> Res<()> {
        let Some(&id) = self.inst.words.get(2) else { return Ok(()) };
        let flags = self.r.id(id).flags;
        if flags & (flag::EXACT | flag::NSW | flag::NUW) != 0 {
            self.b.flags.set(AluFlags::EXACT, flags & flag::EXACT != 0);
            self.b.flags.set(AluFlags::NSW, flags & flag::NSW != 0);
            self.b.flags.set(AluFlags::NUW, flags & flag::NUW != 0);
        }
        Ok(())
    }

    fn set_line(&mut self, file: u32, line: u32) {
        self.r.line = Line { file, line };
        self.b.loc = self.r.loc();
    }

    /// Lines of NonSemantic.Shader.DebugInfo; the rest means nothing to the code.
    fn debug_info(&mut self) -> Res<()> {
        /// DebugLine and DebugNoLine.
        const LINE: u32 = 103;
        const NO_LINE: u32 = 104;
        match self.inst.word(4)? {
            LINE => {
                let (source, line) = (self.inst.word(5)?, self.inst.word(6)?);
                if let (Def::DebugSource(file), Some(line)) = (self.r.id(source).def, self.r.const_u32(line))
                {
                    self.set_line(file, line);
                }
            }
            NO_LINE => self.set_line(0, 0),
            _ => {}
        }
        Ok(())
    }

    // ---- values ----

    /// Defines the result as a value of type `ty`.
    pub fn set(&mut self, value: Val, ty: TyIx) -> Res<()> {
        self.r.define(self.inst.word(2)?, Def::Value(ty, value))
    }

    /// Defines the result as a scalar or vector of the instruction's type.
    pub fn set_ssa(&mut self, value: InstrId) -> Res<()> {
        let ty = self.result_type()?;
        let (have, want) = (self.b.ty(value), self.r.shape(ty)?);
        if have != want {
            bail!(
                TYPE,
                "the operands of {} make a value of shape {have}, but its type is {want}",
                self.inst.name()
            );
        }
        self.set(Val::Ssa(value), ty)
    }

    /// Defines the result as a pointer.
    pub fn set_ptr(&mut self, ptr: Ptr) -> Res<()> {
        let n = self.r.pointers.len() as u32;
        self.r.pointers.push(ptr);
        self.r.define(self.inst.word(2)?, Def::Pointer(n))
    }

    /// Type of the result.
    pub fn result_type(&self) -> Res<TyIx> {
        self.r.type_of(self.inst.word(1)?)
    }

    /// A value and its type.
    pub fn value(&mut self, id: u32) -> Res<(TyIx, Val)> {
        match self.r.id(id).def {
            Def::Value(ty, v) => Ok((ty, v)),
            Def::Const(c) => {
                let v = self.constant(c)?;
                Ok((self.r.consts[c as usize].ty, v))
            }
            Def::Pointer(_) | Def::Global(_) => {
                bail!(
                    UNSUPPORTED,
                    "{} with the pointer {} is not supported",
                    self.inst.name(),
                    self.r.show(id)
                )
            }
            _ => fail(ID, format!("{} is not a value here", self.r.show(id))),
        }
    }

    /// A scalar or vector.
    pub fn ssa(&mut self, id: u32) -> Res<InstrId> {
        let (ty, v) = self.value(id)?;
        self.ssa_from(v, ty)
    }

    /// A scalar or vector of a given shape.
    pub fn ssa_of(&mut self, id: u32, shape: Ty) -> Res<InstrId> {
        let v = self.ssa(id)?;
        if self.b.ty(v) != shape {
            bail!(TYPE, "{} has the shape {}, not {shape}", self.r.show(id), self.b.ty(v));
        }
        Ok(v)
    }

    /// A scalar that is no boolean.
    pub fn int(&mut self, id: u32) -> Res<InstrId> {
        let v = self.ssa(id)?;
        let ty = self.b.ty(v);
        if ty.comps != 1 || ty.bits == 1 {
            bail!(TYPE, "{} is no number", self.r.show(id));
        }
        Ok(v)
    }

    /// An integer as one of 32 bits.
    pub fn int32(&mut self, id: u32) -> Res<InstrId> {
        let (ty, _) = self.value(id)?;
        let v = self.int(id)?;
        if self.b.ty(v).bits == 32 {
            return Ok(v);
        }
        let signed = matches!(self.r.kind(ty), Kind::Int { signed: true, .. });
        Ok(self.b.convert(if signed { AluOp::i2i } else { AluOp::u2u }, v, 32))
    }

    /// A value as scalar or vector.
    pub fn ssa_from(&mut self, value: Val, ty: TyIx) -> Res<InstrId> {
        match value {
            Val::Ssa(v) => Ok(v),
            Val::Undef => {
                let shape = self.r.shape(ty)?;
                Ok(self.b.undef(shape))
            }
            _ => bail!(TYPE, "a value of type {} is no scalar or vector", self.r.show_type(ty)),
        }
    }

    /// Two types must agree, apart from layout.
    pub fn check_same(&self, a: TyIx, b: TyIx) -> Res<()> {
        if a == b || self.r.same_type(a, b, &mut 10_000) {
            return Ok(());
        }
        bail!(TYPE, "{} and {} are different types", self.r.show_type(a), self.r.show_type(b))
    }

    /// A constant as a value; made once in each function, at its start.
    fn constant(&mut self, c: u32) -> Res<Val> {
        let constant = self.r.consts[c as usize];
        let shape = self.r.types[constant.ty as usize].shape;
        if shape.is_none() {
            return self.large_constant(c);
        }
        if matches!(constant.value, crate::constants::ConstValue::Undef) {
            return Ok(Val::Undef);
        }
        if let Some((serial, v)) = constant.cached
            && serial == self.serial
        {
            return Ok(Val::Ssa(v));
        }
        let lanes = self.r.lanes_of(c).unwrap_or_default();
        let v = self.insert_at_start(Instr::new(InstrKind::Const(lanes), shape));
        self.r.consts[c as usize].cached = Some((self.serial, v));
        Ok(Val::Ssa(v))
    }

    /// Puts an instruction behind those that stand at the start of the function.
    pub fn insert_at_start(&mut self, instr: Instr) -> InstrId {
        let v = self.b.body.insert(self.const_at, instr);
        if self.b.cursor == self.const_at {
            self.b.cursor = Cursor::After(v);
        }
        self.const_at = Cursor::After(v);
        v
    }

    fn large_constant(&mut self, c: u32) -> Res<Val> {
        use crate::constants::ConstValue;
        let constant = self.r.consts[c as usize];
        let ty = constant.ty;
        if matches!(constant.value, ConstValue::Undef) {
            return Ok(Val::Undef);
        }
        let Some((n, _)) = self.r.parts(ty) else {
            bail!(UNSUPPORTED, "constants of type {} are not supported", self.r.show_type(ty));
        };
        let is_array = matches!(self.r.kind(ty), Kind::Array { .. }) && n > 1;
        if self.r.types[ty as usize].leaves > MAX_LEAVES || is_array {
            let var = self.r.const_var(c)?;
            let ptr = self.var_ptr(var, ty);
            return Ok(Val::Memory(self.deref_of(&ptr)?));
        }
        let mut parts = SmallVec::<[Val; 4]>::new();
        for i in 0..n {
            let part = self.r.const_part(c, i)?;
            parts.push(self.constant(part)?);
        }
        self.tree(&parts)
    }
}

/// Whether a loop other than that of `via` lies between the place and it.
fn crosses(plan: &Plan, contexts: &[u32], via: u32) -> bool {
    contexts.iter().rev().take_while(|&&c| c != via).any(|&c| plan.contexts[c as usize].ir_loop)
}

/// The context whose loop a jump to the end of `aim` leaves or continues.
fn via_of(plan: &Plan, contexts: &[u32], aim: u32) -> u32 {
    let above = contexts.iter().rev().take_while(|&&c| c != aim).last();
    match above {
        Some(&above) if !plan.contexts[aim as usize].is_loop && plan.contexts[above as usize].is_loop => {
            above
        }
        _ => aim,
    }
}
