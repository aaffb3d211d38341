//! Scopes: the meaning of names.

use crate::hir::{ConstId, FuncId, VarId};
use crate::source::Span;
use crate::token::Symbol;
use crate::types::{StructId, Type};
use airfoil_ir::Precision;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Meaning of a name.
#[derive(Clone, Debug)]
pub enum Name {
    /// A variable.
    Var(VarId),
    /// A member of a block without an instance name.
    Member(VarId, u32),
    /// A structure.
    Struct(StructId),
    /// Functions of the shader, one for each list of parameter types.
    Functions(SmallVec<[FuncId; 2]>),
    /// A built-in constant.
    Constant(ConstId),
    /// Something whose declaration was wrong: uses of it are not reported.
    Error,
}

/// A name that is hidden while an inner scope lasts.
#[derive(Clone, Debug)]
struct Hidden {
    symbol: Symbol,
    outer: Option<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    name: Name,
    span: Span,
    depth: u32,
}

/// All scopes: one map with the innermost meaning of each name, and an undo list.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    map: FxHashMap<Symbol, Entry>,
    undo: Vec<Hidden>,
    starts: Vec<usize>,
    /// Default precisions of types with the depth of the scope that sets them: at most one per type and depth.
    precisions: Vec<(Type, Precision, u32)>,
}

impl Scopes {
    /// Enters a scope.
    pub fn push(&mut self) {
        self.starts.push(self.undo.len());
    }

    /// Leaves the innermost scope.
    pub fn pop(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        for hidden in self.undo.drain(start..).rev() {
            match hidden.outer {
                Some(entry) => self.map.insert(hidden.symbol, entry),
                None => self.map.remove(&hidden.symbol),
            };
        }
        let depth = self.depth();
        while self.precisions.last().is_some_and(|p| p.2 > depth) {
            self.precisions.pop();
        }
    }

    /// Sets the default precision of a type until the innermost scope ends.
    pub fn set_precision(&mut self, ty: Type, precision: Precision) {
        let depth = self.depth();
        match self.precisions.iter_mut().rev().take_while(|p| p.2 == depth).find(|p| p.0 == ty) {
            Some(entry) => entry.1 = precision,
            None => self.precisions.push((ty, precision, depth)),
        }
    }

    /// The default precision of a type here.
    pub fn precision(&self, ty: Type) -> Option<Precision> {
        self.precisions.iter().rev().find(|p| p.0 == ty).map(|p| p.1)
    }

    /// Depth of scopes: 0 is the global one.
    pub fn depth(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The meaning of a name here.
    pub fn get(&self, symbol: Symbol) -> Option<&Name> {
        self.map.get(&symbol).map(|e| &e.name)
    }

    /// The meaning of a name if it was declared in the innermost scope, and where.
    pub fn get_here(&self, symbol: Symbol) -> Option<(&Name, Span)> {
        let entry = self.map.get(&symbol)?;
        (entry.depth == self.depth()).then_some((&entry.name, entry.span))
    }

    /// Declares a name in the innermost scope, over any earlier meaning.
    pub fn set(&mut self, symbol: Symbol, name: Name, span: Span) {
        let depth = self.depth();
        let outer = self.map.insert(symbol, Entry { name, span, depth });
        if depth > 0 {
            self.undo.push(Hidden { symbol, outer });
        }
    }

    /// Declares a name in the global scope from within a function (built-in variables on first use): it must not be known.
    pub fn set_global(&mut self, symbol: Symbol, name: Name) {
        self.map.insert(symbol, Entry { name, span: Span::default(), depth: 0 });
    }

    /// Forgets a name of the global scope; called at global scope.
    pub fn forget_global(&mut self, symbol: Symbol) {
        self.map.remove(&symbol);
    }

    /// The functions of a name in the global scope, to add one to.
    pub fn functions_mut(&mut self, symbol: Symbol) -> Option<&mut SmallVec<[FuncId; 2]>> {
        match self.map.get_mut(&symbol) {
            Some(Entry { name: Name::Functions(list), .. }) => Some(list),
            _ => None,
        }
    }
}
