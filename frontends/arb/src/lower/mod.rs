//! Lowering: a checked program to the IR.
//!
//! Temporaries and address registers are local variables, which passes turn into values. An instruction computes all
//! components; the store writes those of the mask.

mod alu;
mod exact;
mod fixed;
mod operand;
mod texture;
mod variables;

use crate::layout::Layout;
use crate::limits::Options;
use crate::lines::Lines;
use crate::program::{Program, Sampler, Source};
use crate::unit::{Destination, Instruction, Unit};
use airfoil_ir::{
    AluFlags, Body, Builder, Cursor, Function, Index, InstrId, Intrinsic, IntrinsicOp, Loc, Shader, Ty,
};
use variables::Variables;

pub use variables::PARAMETER_BLOCK;

/// Lowers a program.
pub fn lower(source: &Source<'_>, unit: &Unit<'_>, options: &Options) -> Program {
    let target = unit.target;
    let layout = Layout::new(unit);
    let mut shader = Shader::new(target.entry_name(), target.stage());
    shader.files.push(if source.name.is_empty() { "0" } else { source.name }.into());
    let function = shader.add_function(Function::new(target.entry_name()));
    shader.entry = Some(function);
    shader.functions[function].loc = Loc::new(0, 1);
    let mut body = Body::new();
    body.reserve(unit.code.len() * 8);
    let first = body.entry();
    let mut b = Builder::at(&mut body, Cursor::BlockEnd(first));
    b.raw = options.raw;
    b.share_values();
    let vars = Variables::new(&mut shader, &mut b, function, unit, &layout, options);
    let mut l = Lowerer { unit, layout: &layout, options, shader: &mut shader, b, vars };
    let lines = Lines::new(source.text);
    let exact = exact::exact(unit);
    l.position();
    for (i, exact) in unit.code.iter().zip(exact) {
        l.b.loc = Loc::new(0, lines.line(i.at as usize));
        l.b.flags = if exact { AluFlags::EXACT } else { AluFlags::empty() };
        l.instruction(i);
    }
    l.b.flags = AluFlags::empty();
    l.fog();
    shader.functions[function].body = body;
    let mut samplers: Vec<Sampler> =
        unit.samplers.iter().map(|(&unit, &target)| Sampler { unit, target }).collect();
    samplers.sort_by_key(|s| s.unit);
    Program {
        shader,
        target,
        parameters: layout.parameters,
        samplers,
        position_invariant: unit.options.position_invariant,
        counts: unit.counts,
    }
}

/// State of lowering.
struct Lowerer<'a> {
    unit: &'a Unit<'a>,
    layout: &'a Layout,
    options: &'a Options,
    shader: &'a mut Shader,
    b: Builder<'a>,
    vars: Variables,
}

impl Lowerer<'_> {
    fn instruction(&mut self, i: &Instruction) {
        let Some(value) = self.compute(i) else { return };
        let value = if i.saturate { self.b.fsat(value) } else { value };
        self.write(i.destination, i.mask, value);
    }

    /// Writes the components of a mask. A scalar goes to all of them.
    fn write(&mut self, destination: Destination, mask: u8, value: InstrId) {
        let (deref, component) = match destination {
            Destination::Temp(t) => (self.vars.temps[t as usize], None),
            Destination::Address(a) => (self.vars.addresses[a as usize], Some(0)),
            Destination::Result(r) => {
                (self.vars.results[r as usize], self.unit.results[r as usize].info().component)
            }
            Destination::None => return,
        };
        let Some(deref) = deref else { return };
        let comps = self.b.ty(value).comps;
        let value = match component {
            Some(c) if mask & 1 << c == 0 => return,
            Some(c) if comps > 1 => self.b.channel(value, usize::from(c)),
            Some(_) => value,
            None if comps == 1 => self.b.swizzle(value, &[0; 4]),
            None => value,
        };
        let mask = if component.is_some() { 1 } else { mask };
        let store = Intrinsic::new(IntrinsicOp::store_deref, &[deref, value]);
        self.b.insert_intrinsic(store.with(Index::WriteMask, u32::from(mask)), Ty::NONE);
    }
}
