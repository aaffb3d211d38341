//! State that the translation of all instructions shares: the tables of a module and the function that is translated. These
//! files import no translation; the files of instructions import them.

mod buffers;
mod captures;
mod constants;
mod functions;
mod ids;
mod open;
mod paths;
pub(crate) mod plan;
mod reader;
mod translator;
mod types;
mod values;
mod variables;

pub(crate) use buffers::TranslatorBuffers;
pub(crate) use captures::XfbDeco;
pub use captures::{BlockPart, Feedback, Interface, XfbOutput};
pub(crate) use constants::{ConstValue, SConst};
pub(crate) use functions::{Entry, SFunction};
pub(crate) use ids::{Deco, Def, ExtSet, Line, Link, flag};
pub(crate) use open::{Fixed, Open, OpenCode};
pub(crate) use paths::{Path, Paths, Step};
pub(crate) use reader::Reader;
pub(crate) use translator::{FunctionTranslator, Inlined, Phi, PhiHome};
pub(crate) use types::{Kind, SMember, SType, TyIx};
pub(crate) use values::{Ptr, PtrPlace, Val};
pub(crate) use variables::{Global, GlobalState, IoBlock, VarDeco};
