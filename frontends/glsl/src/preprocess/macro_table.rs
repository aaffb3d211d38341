//! Macros and their pending expansions.

use super::scan::PTok;
use crate::token::Symbol;
use std::rc::Rc;

/// No macro is defined for a name.
pub(super) const NO_MACRO: u32 = u32::MAX;

/// `__LINE__`
pub(super) const LINE: u32 = NO_MACRO - 1;
/// `__FILE__`
pub(super) const FILE: u32 = NO_MACRO - 2;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    /// Names of the parameters, if it is like a function.
    pub params: Option<Box<[Symbol]>>,
    pub body: Rc<[PTok]>,
    /// It is being expanded, so its name is not expanded again.
    pub active: bool,
    pub predefined: bool,
    /// The body has `##`.
    pub pastes: bool,
}

/// Tokens that wait to be read.
#[derive(Debug)]
pub(super) struct Frame {
    pub tokens: Tokens,
    pub next: usize,
    /// The macro whose expansion this is.
    pub mac: u32,
    /// Position where the macro was used, if the tokens do not have it.
    pub at: Option<(u32, u16)>,
    /// Nothing below is read: an argument is expanded separately.
    pub barrier: bool,
}

#[derive(Debug)]
pub(super) enum Tokens {
    Body(Rc<[PTok]>),
    Own(Vec<PTok>),
}

impl Frame {
    pub(super) fn peek(&self) -> Option<&PTok> {
        match &self.tokens {
            Tokens::Body(tokens) => tokens.get(self.next),
            Tokens::Own(tokens) => tokens.get(self.next),
        }
    }
}

/// The outcome of the expansion of a macro's name.
pub(super) enum Step {
    /// Its expansion is read next.
    Pushed,
    /// Replaced by this token.
    Token(PTok),
}
