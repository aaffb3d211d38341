//! Widths and lanes of the parts of a rule.
//!
//! Expressions of one width form a class. The class of a replacement's operation needs a value of the pattern from which its
//! width is known when the rule applies.

use crate::syntax::{Condition, Expr, Rule, Width};
use airfoil_ir::alu::{AluProps, Base};
use std::collections::BTreeMap;

/// How many lanes an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// As many as the result of the rule.
    Root,
    /// A fixed number.
    Fixed(u8),
}

/// Index of a class of widths.
pub type Class = usize;

/// An expression with its class.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Class of the value.
    pub class: Class,
    /// Class of the operands whose width the operation leaves open.
    pub operands: Class,
    /// Operands.
    pub args: Vec<Typed>,
}

/// Widths of a rule.
#[derive(Clone, Debug)]
pub struct Types {
    /// The pattern.
    pub lhs: Typed,
    /// The replacement.
    pub rhs: Typed,
    /// Conditions that are expressions, in order.
    pub conditions: Vec<Typed>,
    /// Class of each variable.
    pub vars: Vec<Class>,
    /// Lanes of each variable.
    pub lanes: Vec<Lanes>,
    /// Class of each named width.
    pub names: Vec<Class>,
    /// Whether values of a class must be floats, or must not be booleans.
    bases: BTreeMap<Class, Base>,
    parents: Vec<Class>,
    fixed: BTreeMap<Class, u8>,
}

impl Types {
    /// Infers the widths of a rule.
    ///
    /// # Errors
    /// A message about parts that do not fit.
    pub fn of(rule: &Rule) -> Result<Types, String> {
        let blank = Typed { class: 0, operands: 0, args: Vec::new() };
        let mut types = Types {
            lhs: blank.clone(),
            rhs: blank,
            conditions: Vec::new(),
            vars: Vec::new(),
            lanes: vec![Lanes::Root; rule.vars.len()],
            names: Vec::new(),
            bases: BTreeMap::new(),
            parents: Vec::new(),
            fixed: BTreeMap::new(),
        };
        types.vars = (0..rule.vars.len()).map(|_| types.fresh()).collect();
        types.names = (0..rule.widths.len()).map(|_| types.fresh()).collect();
        let Expr::Op { op, .. } = &rule.lhs else { return Err("the pattern is not an operation".into()) };
        let root_lanes = match op.info().result.comps {
            0 => Lanes::Root,
            n => Lanes::Fixed(n),
        };
        let mut seen = vec![false; rule.vars.len()];
        types.lhs = types.expr(&rule.lhs, root_lanes, Some(&mut seen))?;
        types.rhs = types.expr(&rule.rhs, root_lanes, None)?;
        types.unify(types.lhs.class, types.rhs.class)?;
        for condition in &rule.conditions {
            if let Condition::Expr(e) = condition {
                let typed = types.expr(e, Lanes::Root, None)?;
                types.fix(typed.class, 1)?;
                types.conditions.push(typed);
            }
        }
        Ok(types)
    }

    /// Whether a value has the class: the operand class of operations on fixed widths has none.
    pub fn is_used(&self, class: Class) -> bool {
        fn walk(typed: &Typed, types: &Types, class: Class) -> bool {
            types.find(typed.class) == class || typed.args.iter().any(|t| walk(t, types, class))
        }
        [&self.lhs, &self.rhs].into_iter().chain(&self.conditions).any(|t| walk(t, self, class))
    }

    fn fresh(&mut self) -> Class {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    /// The representative of a class.
    pub fn find(&self, mut class: Class) -> Class {
        while self.parents[class] != class {
            class = self.parents[class];
        }
        class
    }

    /// The width of a class if it is fixed.
    pub fn width(&self, class: Class) -> Option<u8> {
        self.fixed.get(&self.find(class)).copied()
    }

    /// Widths that values of a class can have.
    pub fn widths(&self, class: Class) -> Vec<u8> {
        if let Some(bits) = self.width(class) {
            return vec![bits];
        }
        match self.bases.get(&self.find(class)) {
            Some(Base::Float) => vec![16, 32, 64],
            _ => vec![1, 8, 16, 32, 64],
        }
    }

    /// Whether values of a class are floats.
    pub fn is_float(&self, class: Class) -> bool {
        self.bases.get(&self.find(class)) == Some(&Base::Float)
    }

    /// Whether a value of the rule is a float.
    pub fn has_floats(&self) -> bool {
        self.classes().into_iter().any(|c| self.is_float(c))
    }

    /// All classes, by representative.
    pub fn classes(&self) -> Vec<Class> {
        (0..self.parents.len()).filter(|&c| self.parents[c] == c).collect()
    }

    fn unify(&mut self, a: Class, b: Class) -> Result<(), String> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        if let Some(bits) = self.fixed.remove(&a) {
            self.fix(b, bits)?;
        }
        if let Some(base) = self.bases.remove(&a) {
            self.set_base(b, base);
        }
        self.parents[a] = b;
        Ok(())
    }

    fn fix(&mut self, class: Class, bits: u8) -> Result<(), String> {
        match self.fixed.insert(self.find(class), bits) {
            Some(other) if other != bits => Err(format!("a value of {other} bits cannot have {bits} bits")),
            _ => Ok(()),
        }
    }

    fn set_base(&mut self, class: Class, base: Base) {
        if base == Base::Float {
            self.bases.insert(self.find(class), base);
        }
    }

    fn annotate(&mut self, class: Class, width: Option<Width>) -> Result<(), String> {
        match width {
            None => Ok(()),
            Some(Width::Bits(bits)) => self.fix(class, bits),
            Some(Width::Name(name)) => self.unify(class, self.names[name]),
        }
    }

    /// Types an expression of `lanes` lanes; `seen` = variables met before, in the pattern.
    fn expr(&mut self, expr: &Expr, lanes: Lanes, mut seen: Option<&mut Vec<bool>>) -> Result<Typed, String> {
        let leaf = |class| Typed { class, operands: class, args: Vec::new() };
        match expr {
            Expr::Var(var, width) => {
                let class = self.vars[*var];
                self.annotate(class, *width)?;
                match seen {
                    Some(seen) if !seen[*var] => {
                        seen[*var] = true;
                        self.lanes[*var] = lanes;
                    }
                    // A scalar fits any lanes of a replacement.
                    None if self.lanes[*var] == Lanes::Fixed(1) => {}
                    _ if self.lanes[*var] == lanes => {}
                    _ => return Err(format!("operand {var} is used with several numbers of lanes")),
                }
                Ok(leaf(class))
            }
            Expr::Comp(var, component) => {
                if seen.is_some() || !matches!(self.lanes[*var], Lanes::Fixed(n) if n > *component) {
                    return Err("only vector operands of a pattern have components".into());
                }
                Ok(leaf(self.vars[*var]))
            }
            Expr::Float(_) => {
                let class = self.fresh();
                self.set_base(class, Base::Float);
                Ok(leaf(class))
            }
            Expr::Int(_) | Expr::Width(_) => Ok(leaf(self.fresh())),
            Expr::Op { op, width, args, .. } => {
                let info = op.info();
                let (operands, mut class) = (self.fresh(), 0);
                if info.props.contains(AluProps::SIZED) {
                    class = self.fresh();
                } else if info.result.bits != 0 {
                    class = self.fresh();
                    self.fix(class, info.result.bits)?;
                }
                if class == 0 {
                    class = operands;
                }
                self.set_base(class, info.result.base);
                self.annotate(class, *width)?;
                match (info.result.comps, lanes) {
                    (0 | 1, _) => {}
                    (n, Lanes::Fixed(m)) if n == m => {}
                    _ => return Err(format!("`{}` is used with other lanes than it has", op.name())),
                }
                let mut typed = Vec::new();
                for (arg, o) in args.iter().zip(info.operands) {
                    let its_lanes = if o.comps == 0 { lanes } else { Lanes::Fixed(o.comps) };
                    let arg_typed = self.expr(arg, its_lanes, seen.as_deref_mut())?;
                    if o.bits == 0 {
                        self.unify(arg_typed.class, operands)?;
                    } else {
                        self.fix(arg_typed.class, o.bits)?;
                    }
                    self.set_base(arg_typed.class, o.base);
                    match (arg, o.base) {
                        (Expr::Int(_), Base::Float) => {
                            return Err("expected a float, found an integer".into());
                        }
                        (Expr::Float(_), Base::Int | Base::Uint | Base::Bool) => {
                            return Err("expected an integer, found a float".into());
                        }
                        _ => {}
                    }
                    typed.push(arg_typed);
                }
                Ok(Typed { class, operands, args: typed })
            }
        }
    }
}
