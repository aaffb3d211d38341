//! A look at every instruction that executes, for traces.

use crate::memory::Value;
use crate::world::location::PixelLocation;
use airfoil_ir::{FuncId, InstrId, Shader, Stage, Ty};

/// Observes the execution. Without an observer no time is spent on it.
pub trait Observer {
    /// An instruction was executed for all its active invocations. Calls, jumps and barriers are not reported.
    fn executed(&mut self, e: &Executed<'_>);
}

/// Which invocation of a batch something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invocation {
    /// Index of the vertex, of the point of a patch, of the instance of a primitive, or of the vertex of a patch.
    Number(usize),
    /// A pixel of the window.
    Pixel([i32; 2]),
    /// A workgroup, and the number within it.
    Local([u32; 3], usize),
}

/// An instruction that was executed.
#[derive(Debug)]
pub struct Executed<'a> {
    /// The shader.
    pub shader: &'a Shader,
    /// The function.
    pub function: FuncId,
    /// The instruction.
    pub instr: InstrId,
    /// Invocations of the subgroup that were active, as a mask.
    pub active: u64,
    /// Number within the workgroup of the subgroup's first invocation.
    pub first: usize,
    /// Shape of the result.
    pub ty: Ty,
    /// The workgroup, or the index of the batch's first invocation.
    pub(crate) origin: [u32; 3],
    pub(crate) pixels: &'a [PixelLocation],
    pub(crate) values: &'a [Value],
}

impl Executed<'_> {
    /// The active lanes of the subgroup in ascending order.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        crate::machine::lanes::lanes(self.active)
    }

    /// Which invocation a lane is.
    pub fn invocation(&self, lane: usize) -> Invocation {
        match self.shader.stage {
            Stage::Fragment => {
                let pixel = self.pixels.get(lane).map_or([0.0; 2], |p| p.centre);
                Invocation::Pixel(pixel.map(|x| x.floor() as i32))
            }
            Stage::Compute | Stage::Task | Stage::Mesh => Invocation::Local(self.origin, self.first + lane),
            _ => Invocation::Number(self.origin[0] as usize + lane),
        }
    }

    /// A lane's result: raw bits of each component and a mask of those that are undefined; `None` if the instruction has
    /// none. The result of a deref is a pointer and not reported.
    pub fn value(&self, lane: usize) -> Option<([u64; 4], u8)> {
        let is_deref =
            self.shader.functions.get(self.function).is_some_and(|f| f.body[self.instr].as_deref().is_some());
        let v = self.values.get(lane).filter(|_| !is_deref)?;
        Some((v.bits, v.undef & self.ty.full_mask()))
    }

    /// The instruction in text. Takes time in the size of the function.
    pub fn text(&self) -> String {
        let function = self.shader.functions.get(self.function);
        function.map_or_else(String::new, |f| {
            airfoil_ir::text::print_instr(self.shader, &f.body, self.instr).trim().into()
        })
    }
}
