//! A checked program.

use crate::attribute::{self, Attribute};
use crate::op::Op;
use crate::option::OptionSet;
use crate::program::Counts;
use crate::result::ResultVar;
use crate::state::{MatrixModifier, StateVector};
use crate::target::Target;
use crate::texture::TextureTarget;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// A parameter that is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// An environment parameter.
    Env(u32),
    /// A local parameter.
    Local(u32),
    /// A state.
    State(StateVector),
    /// A constant: bits of floats.
    Constant([u32; 4]),
}

/// An array of parameters.
#[derive(Clone, Debug)]
pub struct Array {
    /// Its elements: positions in [`Unit::params`].
    pub items: Vec<u32>,
    /// Whether an address register selects elements.
    pub relative: bool,
}

/// The register that an operand reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// An attribute: position in [`Unit::attributes`].
    Attribute(u32),
    /// A temporary.
    Temp(u32),
    /// A parameter: position in [`Unit::params`].
    Param(u32),
    /// An element of an array.
    Element {
        /// The array.
        array: u32,
        /// Its index.
        index: u32,
    },
    /// An element of an array that an address register selects.
    Relative {
        /// The array.
        array: u32,
        /// The address register.
        address: u32,
        /// Added to the address.
        offset: i32,
    },
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The register.
    pub register: Register,
    /// The component of each lane; scalars have the same in all.
    pub swizzle: [u8; 4],
    /// Whether it is negated.
    pub negate: bool,
}

/// A destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A temporary.
    Temp(u32),
    /// A result: position in [`Unit::results`].
    Result(u32),
    /// An address register.
    Address(u32),
    /// None.
    None,
}

/// A component of an extended swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// 0.0 or 1.0.
    Constant(bool),
    /// A component of the operand.
    Component(u8),
}

/// The rest of an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// Nothing.
    None,
    /// Components of the result of SWZ, and whether they are negated.
    Swizzle([(Select, bool); 4]),
    /// Unit and target of a lookup.
    Texture(u32, TextureTarget),
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// Whether the result is clamped to 0 to 1.
    pub saturate: bool,
    /// Where the result goes.
    pub destination: Destination,
    /// Components of the destination that are written.
    pub mask: u8,
    /// Operands.
    pub operands: SmallVec<[Operand; 3]>,
    /// The rest.
    pub detail: Detail,
    /// Byte of the text.
    pub at: u32,
}

/// A program that follows all rules.
#[derive(Debug)]
pub struct Unit<'s> {
    /// The kind of the program.
    pub target: Target,
    /// Options.
    pub options: OptionSet,
    /// Attributes that are bound.
    pub attributes: IndexSet<Attribute, FxBuildHasher>,
    /// Parameters that are bound.
    pub params: IndexSet<Bound, FxBuildHasher>,
    /// Arrays of parameters.
    pub arrays: Vec<Array>,
    /// Names of the temporaries.
    pub temps: Vec<&'s str>,
    /// Names of the address registers.
    pub addresses: Vec<&'s str>,
    /// Results that are bound.
    pub results: IndexSet<ResultVar, FxBuildHasher>,
    /// The target of each texture image unit that is sampled.
    pub samplers: IndexMap<u32, TextureTarget, FxBuildHasher>,
    /// Instructions.
    pub code: Vec<Instruction>,
    /// Resources.
    pub counts: Counts,
    /// Parameters and attributes that fixed functions read.
    pub fixed: Fixed,
}

/// Parameters and attributes that the program reads besides those of its instructions: for the position of
/// `ARB_position_invariant`, or for fog. They are bound after the resources are counted.
#[derive(Debug, Default)]
pub struct Fixed {
    /// Positions in [`Unit::params`].
    pub params: Vec<u32>,
    /// Position in [`Unit::attributes`].
    pub attribute: Option<u32>,
}

impl Unit<'_> {
    /// An empty program.
    pub fn new(target: Target) -> Self {
        Unit {
            target,
            options: OptionSet::default(),
            attributes: IndexSet::default(),
            params: IndexSet::default(),
            arrays: Vec::new(),
            temps: Vec::new(),
            addresses: Vec::new(),
            results: IndexSet::default(),
            samplers: IndexMap::default(),
            code: Vec::new(),
            counts: Counts::default(),
            fixed: Fixed::default(),
        }
    }

    /// Binds the parameters and attributes that fixed functions read.
    pub fn bind_fixed(&mut self) {
        let (states, attribute): (Vec<StateVector>, Attribute) = if self.options.position_invariant {
            // Columns of the matrix, as `ftransform` of GLSL reads them.
            let modifier = MatrixModifier::Transpose;
            let column = |row| StateVector::MatrixModelViewProjection { modifier, row };
            let generic = Attribute { row: attribute::GENERIC, ..attribute::POSITION };
            let position = if self.attributes.contains(&generic) { generic } else { attribute::POSITION };
            ((0..4).map(column).collect(), position)
        } else if self.options.fog.is_some() {
            (vec![StateVector::FogParams, StateVector::FogColor], attribute::FRAGMENT_FOG)
        } else {
            return;
        };
        let params = states.into_iter().map(|s| self.params.insert_full(Bound::State(s)).0 as u32).collect();
        let attribute = Some(self.attributes.insert_full(attribute).0 as u32);
        self.fixed = Fixed { params, attribute };
    }

    /// The element of an array: a position in [`Unit::params`].
    pub fn element(&self, array: u32, index: u32) -> u32 {
        self.arrays[array as usize].items[index as usize]
    }
}
