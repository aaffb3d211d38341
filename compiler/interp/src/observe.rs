//! A look at every instruction that executes, for traces.

use crate::memory::Value;
use crate::world::location::PixelLocation;
use airfoil_ir::{FuncId, InstrId, Shader, Stage, Ty};

/// Observes the execution. Without an observer no time is spent on it.
///
/// # Examples
///
/// Counts how many invocations execute each side of an `if`:
///
/// ```
/// use airfoil_interp::{Config, Executed, Observer, Program, Resources, System};
/// use std::sync::{Arc, Mutex};
///
/// #[derive(Clone, Default)]
/// struct Profile(Arc<Mutex<Vec<(String, u32)>>>);
/// impl Observer for Profile {
///     fn executed(&mut self, e: &Executed<'_>) {
///         self.0.lock().unwrap().push((e.bare_text(), e.active.count_ones()));
///     }
/// }
/// # let shader = airfoil_ir::text::parse(r#"foil 1
/// # shader compute "branch" {
/// #   form slots
/// #   workgroup_size 8 1 1
/// #   fn main {
/// #     %i = load_local_invocation_index
/// #     32x1 %three = const 3
/// #     %c = ult %i, %three
/// #     if %c { 32x1 %x = const 10
/// #     } else { 32x1 %y = const 20
/// #     }
/// #   }
/// # }"#).unwrap();
/// # let mut program = Program::new(&shader, Config::default())?;
/// let profile = Profile::default();
/// program.observe(Box::new(profile.clone()));
/// program.compute(&mut Resources::new(), &System::new(), [1; 3])?;
/// let lines = profile.0.lock().unwrap();
/// assert_eq!(lines[3..], [("32x1 %3 = const 10".into(), 3), ("32x1 %4 = const 20".into(), 5)]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
pub trait Observer {
    /// An instruction was executed for all its active invocations. Calls, jumps and barriers are not reported.
    fn executed(&mut self, e: &Executed<'_>);
}

/// Which invocation of a batch something is.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Config, Executed, Invocation, Observer, Program, Resources, System};
/// use std::sync::mpsc::{Sender, channel};
///
/// struct Trace(Sender<Invocation>);
/// impl Observer for Trace {
///     fn executed(&mut self, e: &Executed<'_>) {
///         e.lanes().for_each(|lane| self.0.send(e.invocation(lane)).unwrap());
///     }
/// }
/// # let text = "foil 1\nshader compute \"c\" {\nworkgroup_size 3 1 1\nfn main {\n32x1 %x = const 7\n} }";
/// # let shader = airfoil_ir::text::parse(text).unwrap();
/// // A shader of one instruction, in workgroups of three invocations that two subgroups share.
/// let mut program = Program::new(&shader, Config { subgroup_size: 2, ..Config::default() })?;
/// let (to, from) = channel();
/// program.observe(Box::new(Trace(to)));
/// program.compute(&mut Resources::new(), &System::new(), [2, 1, 1])?;
/// assert!(from.try_iter().skip(3).eq([0, 1, 2].map(|n| Invocation::Local([1, 0, 0], n))));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
///
/// # Examples
///
/// ```
/// use airfoil_interp::{Config, Executed, Observer, Program, Resources, System, run::Vertex};
/// use std::sync::mpsc::{Sender, channel};
///
/// struct Print(Sender<String>);
/// impl Observer for Print {
///     fn executed(&mut self, e: &Executed<'_>) {
///         self.0.send(format!("line {}: {} is {:?}", e.loc().line(), e.bare_text(), e.shown(0))).unwrap();
///     }
/// }
/// # let code = "file \"v.vert\"\nfn main {\n32x1 %a = const 1.5 @0:7\n%b = fneg %a @0:8\n}";
/// # let shader = airfoil_ir::text::parse(&format!("foil 1\nshader vertex \"v\" {{\n{code}\n}}")).unwrap();
/// # let mut program = Program::new(&shader, Config::default())?;
/// let (to, from) = channel();
/// program.observe(Box::new(Print(to)));
/// program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()])?;
/// // A constant has no type: one that looks like a float is shown in both ways.
/// assert_eq!(from.recv().unwrap(), r#"line 7: 32x1 %0 = const 1.5 is Some(["0x3fc00000 (1.5)"])"#);
/// assert_eq!(from.recv().unwrap(), r#"line 8: 32x1 %1 = fneg %0 is Some(["-1.5"])"#);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
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
