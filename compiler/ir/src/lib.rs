//! The IR of Airfoil: shaders in SSA form with structured control flow, modelled on Mesa's NIR.
//!
//! Where to look:
//!
//! * [`Shader`], [`Function`], [`Variable`], [`Types`]: the parts of a shader.
//! * [`Body`]: the code of a function and all edits of it; [`Instr`]: one instruction.
//! * [`alu`], [`intrinsic`], [`tex`]: the vocabularies, one table row an operation.
//! * [`Builder`]: creates instructions at a [`Cursor`].
//! * [`analysis`]: dominance, loops, liveness and other facts computed on demand.
//! * [`generate`]: random valid shaders for tests.
//! * [`text`]: the `.foil` text form. `validate`: checks all that the IR promises.

pub mod alu;
pub mod analysis;
mod body;
mod builder;
mod dense;
pub mod diag;
mod enums;
pub mod generate;
mod ids;
mod instr;
pub mod intrinsic;
mod name;
mod scratch;
mod shader;
mod slot;
mod stop;
pub mod tex;
pub mod text;
mod types;
pub mod validate;
mod value;
mod var;

pub use alu::{AluFlags, AluOp};
pub use body::{
    Body, Cf, CfList, Cursor, Entries, If, InstrGroup, Loop, NameId, NamedValue, NamedVariable, Names, Owner,
    Position, Region, Replacements, Walk,
};
pub use builder::{Builder, Columns, LocalValues, OuterLocals};
pub use dense::Dense;
pub use diag::{Diagnostic, Place, Severity};
pub use enums::*;
pub use ids::{BlockId, CfId, FuncId, InstrId, VarId};
pub use instr::{Alu, Call, Deref, DerefKind, Instr, InstrKind, Intrinsic, Jump, Loc, PhiSrc, Src};
pub use intrinsic::{Align, Index, IntrinsicOp, IoSemantics, SystemValue};
pub use name::{Name, NameBuilder, format_name};
pub use scratch::Scratch;
pub use shader::{Function, Gathered, Param, Shader, StageInfo};
pub use slot::{SLOT_NAMES, Slot, SlotSet};
pub use stop::Stop;
pub use tex::{Tex, TexOp, TexSrc};
pub use types::{ImageType, Member, StructType, Type, TypeId, Types};
pub use value::{COMPONENT_NAMES, Lanes, MAX_COMPONENTS, Swizzle, Ty, bit_mask, sign_extend};
pub use var::{Constant, Variable};
