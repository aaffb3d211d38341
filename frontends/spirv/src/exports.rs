//! Exported functions (Linkage) as shaders: a function whose parameters are inputs and whose result is an output.
//!
//! The shader has the compute stage and is marked `visible`; its entry function reads the inputs, calls the function and writes
//! the output.

use crate::error::*;
use crate::state::{Kind, Reader, TyIx};
use crate::words::{HEADER, Inst, string};
use airfoil_ir::*;
use spirv::{Decoration, LinkageType, Op};

/// Most parameters: as many as inputs have locations.
const MAX_PARAMETERS: u32 = 32;

impl Reader<'_> {
    /// Names of the exported functions, with their numbers.
    fn exports(&self) -> Vec<(Name, u32)> {
        let name = |id: u32| {
            let operands = self.decoration(id, Decoration::LinkageAttributes)?.operands;
            let (name, n) = string(operands)?;
            (operands.get(n) == Some(&(LinkageType::Export as u32))).then_some(name)
        };
        (0u32..).zip(&self.functions).filter_map(|(f, s)| Some((name(s.id)?, f))).collect()
    }

    /// Takes an exported function if the options name one, or the only one of a module without entry points. Returns
    /// whether it did.
    pub fn choose_export(&mut self) -> Res<bool> {
        let wanted = self.options.function.as_deref();
        if wanted.is_none() && !self.entries.is_empty() {
            return Ok(false);
        }
        let exports = self.exports();
        if wanted.is_none() && exports.is_empty() {
            return Ok(false);
        }
        let matching: Vec<&(Name, u32)> =
            exports.iter().filter(|(name, _)| wanted.is_none_or(|w| w == name)).collect();
        let names = || exports.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let f = match (&matching[..], wanted) {
            ([one], _) => one.1,
            ([], Some(wanted)) if exports.is_empty() => {
                bail!(ENTRY, "no function is exported, and none as {wanted:?}")
            }
            ([], _) => {
                bail!(
                    ENTRY,
                    "no exported function is called {:?}; there are {}",
                    wanted.unwrap_or(""),
                    names()
                )
            }
            _ => {
                let e = error(ENTRY, format!("several functions are exported: {}", names()));
                return Err(Box::new(e.help("choose one by name")));
            }
        };
        let name = matching[0].0.clone();
        self.shader.name = name.as_str().into();
        self.shader.stage = Stage::Compute;
        self.shader.info.visible = true;
        self.exported = Some(f);
        let inst = Inst::at(self.words, self.functions[f as usize].at)?;
        self.check_export(f, &name).map_err(|e| self.locate(e, inst))?;
        Ok(true)
    }

    fn check_export(&self, f: u32, name: &str) -> Res<()> {
        let s = &self.functions[f as usize];
        let Kind::Function { ret, first, n } = self.kind(s.ty) else {
            bail!(TYPE, "the type of {name} is not a function type");
        };
        if s.blocks == 0 {
            bail!(TYPE, "the exported function {name} has no body");
        }
        if n > MAX_PARAMETERS {
            bail!(
                UNSUPPORTED,
                "the exported function {name} has {n} parameters; at most {MAX_PARAMETERS} are supported"
            );
        }
        let fits = |ty: TyIx| {
            let shape = self.types[ty as usize].shape;
            matches!(shape.bits, 16 | 32) && !self.is_physical(ty)
        };
        let what = "only scalars and vectors of numbers of 16 and 32 bits are supported";
        for i in 0..n {
            let ty = self.params[(first + i) as usize];
            if !fits(ty) {
                let ty = self.show_type(ty);
                bail!(UNSUPPORTED, "parameter {i} of the exported function {name} has the type {ty}: {what}");
            }
        }
        if self.kind(ret) != Kind::Void && !fits(ret) {
            let ty = self.show_type(ret);
            bail!(UNSUPPORTED, "the result of the exported function {name} has the type {ty}: {what}");
        }
        Ok(())
    }

    /// Ids of the parameters of a function.
    fn parameter_ids(&self, f: u32) -> Res<Vec<u32>> {
        let mut ids = Vec::new();
        let mut inst = Inst::at(self.words, self.functions[f as usize].at)?;
        loop {
            inst = Inst::at(self.words, inst.end())?;
            match inst.op() {
                Some(Op::FunctionParameter) => ids.push(inst.word(2)?),
                Some(Op::Line | Op::NoLine) => {}
                _ => return Ok(ids),
            }
        }
    }

    /// The entry function around an exported one.
    pub fn wrap_export(&mut self, f: u32, callee: FuncId) -> Res<FuncId> {
        let Kind::Function { ret, first, n } = self.kind(self.functions[f as usize].ty) else {
            return fail(TYPE, "the type of a function is not a function type");
        };
        let ids = self.parameter_ids(f)?;
        let mut inputs = Vec::new();
        for i in 0..n {
            let ty = self.params[(first + i) as usize];
            let name = ids.get(i as usize).map_or_else(Name::default, |&id| self.name(id));
            inputs.push((self.interface_var(&name, ty, Modes::IN, i)?, self.shape(ty)?));
        }
        let main = self.shader.add_function(Function::new(&self.shader.name.clone()));
        let output = match self.kind(ret) {
            Kind::Void => None,
            _ => {
                let var = self.interface_var("", ret, Modes::OUT, 0)?;
                let ty = self.shader.vars[var].ty;
                Some((var, self.shader.add_local(main, "result", ty), self.shape(ret)?))
            }
        };
        let mut body = Body::new();
        let end = Cursor::BlockEnd(body.entry());
        let mut b = Builder::at(&mut body, end);
        let vars = &self.shader.vars;
        let mut args = Vec::new();
        if let Some((_, result, _)) = output {
            args.push(b.deref_var(vars, result));
        }
        for (var, shape) in inputs {
            let deref = b.deref_var(vars, var);
            args.push(b.load_deref(deref, shape));
        }
        b.call(callee, &args);
        if let Some((var, result, shape)) = output {
            let result = b.deref_var(vars, result);
            let value = b.load_deref(result, shape);
            let deref = b.deref_var(vars, var);
            b.store_deref(deref, value);
        }
        self.shader.functions[main].body = body;
        Ok(main)
    }

    fn interface_var(&mut self, name: &str, ty: TyIx, mode: Modes, location: u32) -> Res<VarId> {
        let ty = self.ir_type(ty)?;
        let mut var = Variable::new(name, ty, mode);
        var.location = Some(Slot(Slot::GENERIC + location as u8));
        var.interpolation = Interpolation::Flat;
        Ok(self.shader.add_var(var))
    }
}

/// Names of the functions that a module exports.
pub(crate) fn list_exports(words: &[u32]) -> Res<Vec<String>> {
    let mut list = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let inst = Inst::at(words, at)?;
        at = inst.end();
        match inst.op() {
            Some(Op::Decorate) if inst.words.get(2) == Some(&(Decoration::LinkageAttributes as u32)) => {
                if let Some((name, n)) = string(inst.rest(3))
                    && inst.words.get(3 + n) == Some(&(LinkageType::Export as u32))
                {
                    list.push(name.to_string());
                }
            }
            Some(Op::Function) => break,
            _ => {}
        }
    }
    Ok(list)
}
