//! The stencil test (OpenGL 4.6 section 17.3.3; Vulkan 1.3, "Stencil Test").

use crate::texture::Compare;

/// The update of a stored stencil value.
///
/// # Examples
///
/// Counts how often a pixel is drawn:
///
/// ```
/// use airfoil_interp::pipeline::{Draw, Pipeline, State, Stencil, StencilFace, StencilOp, Target, Topology};
/// # use airfoil_interp::{Config, Resources, System, run::Vertex};
///
/// # let empty = airfoil_ir::text::parse("foil 1\nshader fragment \"empty\" {\nfn main {\n} }").unwrap();
/// # let mut pipeline = Pipeline::new(std::slice::from_ref(&empty), &Config::default())?;
/// # let mut at = Vertex::default();
/// # at.inputs.set_floats(airfoil_ir::Slot::POSITION, [0.0, 0.0, 0.0, 1.0]);
/// # let vertices = vec![at; 3];
/// # let draw = Draw { topology: Topology::Points, vertices: &vertices, indices: None, system: System::new() };
/// let mut stencil = |operation: &str| -> Result<u8, airfoil_interp::Fault> {
///     let pass = StencilOp::from_name(operation).unwrap();
///     let front = StencilFace { pass, ..StencilFace::default() };
///     let state = State { stencil: Some(Stencil { front, ..Stencil::default() }), ..State::new(1, 1) };
///     let mut target = Target::new(1, 1, 1, 0);
///     target.stencil = Some(vec![254]);
///     pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
///     Ok(target.stencil.unwrap()[0])
/// };
/// // The draw has three points.
/// assert_eq!(stencil("increment_and_clamp")?, 255);
/// assert_eq!(stencil("increment_and_wrap")?, 1);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StencilOp {
    /// Keeps the value.
    #[default]
    Keep,
    /// Sets it to 0.
    Zero,
    /// Sets it to the reference value.
    Replace,
    /// Increments it, up to 255.
    IncrementClamp,
    /// Decrements it, down to 0.
    DecrementClamp,
    /// Inverts all bits.
    Invert,
    /// One more, 0 after 255.
    IncrementWrap,
    /// One less, 255 after 0.
    DecrementWrap,
}

impl StencilOp {
    /// All, by Vulkan's names in small letters.
    pub const NAMES: &'static [(&'static str, StencilOp)] = &[
        ("keep", StencilOp::Keep),
        ("zero", StencilOp::Zero),
        ("replace", StencilOp::Replace),
        ("increment_and_clamp", StencilOp::IncrementClamp),
        ("decrement_and_clamp", StencilOp::DecrementClamp),
        ("invert", StencilOp::Invert),
        ("increment_and_wrap", StencilOp::IncrementWrap),
        ("decrement_and_wrap", StencilOp::DecrementWrap),
    ];

    /// That of a name.
    pub fn from_name(name: &str) -> Option<StencilOp> {
        StencilOp::NAMES.iter().find(|n| n.0 == name).map(|n| n.1)
    }

    fn apply(self, old: u8, reference: u8) -> u8 {
        match self {
            StencilOp::Keep => old,
            StencilOp::Zero => 0,
            StencilOp::Replace => reference,
            StencilOp::IncrementClamp => old.saturating_add(1),
            StencilOp::DecrementClamp => old.saturating_sub(1),
            StencilOp::Invert => !old,
            StencilOp::IncrementWrap => old.wrapping_add(1),
            StencilOp::DecrementWrap => old.wrapping_sub(1),
        }
    }
}

/// The test of the fragments of one side.
///
/// # Examples
///
/// ```
/// use airfoil_interp::pipeline::*;
/// # use airfoil_interp::{Config, Resources, System, run::Vertex, texture::Compare};
///
/// # let shader = [airfoil_ir::text::parse("foil 1\nshader fragment \"s\" {\nfn main { } }").unwrap()];
/// # let mut vertex = Vertex::default();
/// # vertex.inputs.set_floats(airfoil_ir::Slot::POSITION, [0.0, 0.0, 0.0, 1.0]);
/// # let draw = Draw { topology: Topology::Points, vertices: &[vertex], indices: None, system: System::new() };
/// // The low four bits are compared, the high ones are written.
/// let masks = StencilFace { read_mask: 0x0f, write_mask: 0xf0, ..StencilFace::default() };
/// let test = StencilFace { compare: Compare::Equal, reference: 0xa5, ..masks };
/// let front = StencilFace { pass: StencilOp::Replace, fail: StencilOp::Invert, ..test };
/// let state = State { stencil: Some(Stencil { front, ..Stencil::default() }), ..State::new(2, 1) };
/// # let state = State { point_size: 2.0, ..state };
/// let mut target = Target::new(2, 1, 1, 0);
/// target.stencil = Some(vec![0x15, 0x16]);
/// Pipeline::new(&shader, &Config::default())?.draw(&mut Resources::new(), &draw, &state, &mut target)?;
/// assert_eq!(target.stencil, Some(vec![0xa5, 0xe6]));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// `reference op stored`, both masked.
    pub compare: Compare,
    /// Reference value, unless the shader writes one.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Update if the stencil test fails.
    pub fail: StencilOp,
    /// Update if the stencil test passes and the depth test fails.
    pub depth_fail: StencilOp,
    /// Update if both tests pass.
    pub pass: StencilOp,
}

impl Default for StencilFace {
    /// All pass, nothing is written.
    fn default() -> StencilFace {
        StencilFace {
            compare: Compare::Always,
            reference: 0,
            read_mask: 0xff,
            write_mask: 0xff,
            fail: StencilOp::Keep,
            depth_fail: StencilOp::Keep,
            pass: StencilOp::Keep,
        }
    }
}

impl StencilFace {
    /// Whether a stored value passes.
    pub(crate) fn passes(&self, stored: u8, reference: u8) -> bool {
        self.compare.test((reference & self.read_mask).into(), (stored & self.read_mask).into())
    }

    /// The stored value after an operation.
    pub(crate) fn after(&self, op: StencilOp, stored: u8, reference: u8) -> u8 {
        stored & !self.write_mask | op.apply(stored, reference) & self.write_mask
    }
}

/// The stencil tests of both faces.
///
/// # Examples
///
/// A triangle that is drawn from both sides leaves the stencil values as they were, as in shadow volumes:
///
/// ```
/// use airfoil_interp::pipeline::{Draw, Pipeline, State, Stencil, StencilFace, StencilOp, Target, Topology};
/// # use airfoil_interp::{Config, Resources, System, run::Vertex};
///
/// # let shaders = [airfoil_ir::text::parse("foil 1\nshader fragment \"v\" { fn main {\n} }").unwrap()];
/// # let vertices = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| {
/// #     let mut v = Vertex::default();
/// #     v.inputs.set_floats(airfoil_ir::Slot::POSITION, [x, y, 0.0, 1.0]);
/// #     v
/// # });
/// let face = |pass| StencilFace { pass, ..StencilFace::default() };
/// let stencil = Stencil { front: face(StencilOp::IncrementWrap), back: face(StencilOp::DecrementWrap) };
/// let state = State { stencil: Some(stencil), ..State::new(1, 1) };
/// # let mut target = Target { stencil: Some(vec![7]), ..Target::new(1, 1, 1, 0) };
/// # let mut pipeline = Pipeline::new(&shaders, &Config::default())?;
/// let mut draw = |order: [u32; 3]| -> Result<u8, airfoil_interp::Fault> {
///     let (topology, indices) = (Topology::Triangles, Some(&order[..]));
///     let draw = Draw { topology, vertices: &vertices, indices, system: System::new() };
///     pipeline.draw(&mut Resources::new(), &draw, &state, &mut target)?;
///     Ok(target.stencil.as_ref().unwrap()[0])
/// };
/// assert_eq!(draw([0, 1, 2])?, 8);
/// assert_eq!(draw([0, 2, 1])?, 7);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stencil {
    /// Test of front faces, points and lines.
    pub front: StencilFace,
    /// Test of back faces.
    pub back: StencilFace,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_hide_bits() {
        let face = StencilFace {
            compare: Compare::Equal,
            read_mask: 0x0f,
            write_mask: 0xf0,
            ..StencilFace::default()
        };
        assert!(face.passes(0x35, 0xf5) && !face.passes(0x35, 0x36));
        assert_eq!(face.after(StencilOp::Replace, 0x12, 0xab), 0xa2);
        assert_eq!(face.after(StencilOp::Invert, 0x12, 0), 0xe2);
    }

    #[test]
    fn the_reference_is_on_the_left() {
        let face = StencilFace { compare: Compare::Less, ..StencilFace::default() };
        assert!(face.passes(5, 4) && !face.passes(4, 5));
    }

    #[test]
    fn operations() {
        let face = StencilFace::default();
        let after = |op, stored| face.after(op, stored, 7);
        use StencilOp as Op;
        assert_eq!([Op::Keep, Op::Zero, Op::Replace, Op::Invert].map(|op| after(op, 0xf0)), [0xf0, 0, 7, 15]);
        assert_eq!([Op::IncrementClamp, Op::IncrementWrap].map(|op| after(op, 255)), [255, 0]);
        assert_eq!([Op::DecrementClamp, Op::DecrementWrap].map(|op| after(op, 0)), [0, 255]);
        assert_eq!([Op::IncrementClamp, Op::DecrementWrap].map(|op| after(op, 9)), [10, 8]);
    }
}
