//! The assignments of widths to the classes of a rule.

use crate::syntax::{Condition, Rule, Width};
use crate::types::{Class, Types};
use std::collections::BTreeMap;

/// A width for each class of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment(BTreeMap<Class, u8>);

impl Assignment {
    /// The width of a class.
    pub fn bits(&self, types: &Types, class: Class) -> u8 {
        self.0.get(&types.find(class)).copied().unwrap_or(32)
    }

    /// The assignment as text, such as `16`, `8 32`.
    pub fn text(&self, types: &Types) -> String {
        let open = self.0.iter().filter(|(class, _)| types.width(**class).is_none());
        let widths: Vec<String> = open.map(|(_, bits)| bits.to_string()).collect();
        if widths.is_empty() { "fixed".into() } else { widths.join(" ") }
    }
}

/// Each assignment that the conditions of a rule permit; floats have one of the widths `floats`.
pub fn assignments(rule: &Rule, types: &Types, floats: &[u8]) -> Vec<Assignment> {
    let mut all = vec![Assignment(BTreeMap::new())];
    for class in used(types) {
        let widths: Vec<u8> = match types.width(class) {
            Some(bits) => vec![bits],
            None if types.is_float(class) => floats.to_vec(),
            None => types.widths(class),
        };
        all = all
            .into_iter()
            .flat_map(|a| {
                widths.iter().map(move |&bits| {
                    let mut a = a.clone();
                    a.0.insert(class, bits);
                    a
                })
            })
            .collect();
    }
    all.retain(|a| {
        rule.conditions.iter().all(|c| match c {
            Condition::Widths(x, comparison, y) => {
                let value = |w: &Width| match w {
                    Width::Bits(bits) => *bits,
                    Width::Name(name) => a.bits(types, types.names[*name]),
                };
                let (x, y) = (value(x), value(y));
                match *comparison {
                    "<" => x < y,
                    "<=" => x <= y,
                    "==" => x == y,
                    "!=" => x != y,
                    ">" => x > y,
                    _ => x >= y,
                }
            }
            _ => true,
        })
    });
    all
}

/// Classes of values in the rule; literals get theirs from their uses.
fn used(types: &Types) -> Vec<Class> {
    fn walk(typed: &crate::types::Typed, types: &Types, out: &mut Vec<Class>) {
        for class in [typed.class, typed.operands] {
            let class = types.find(class);
            if !out.contains(&class) {
                out.push(class);
            }
        }
        typed.args.iter().for_each(|t| walk(t, types, out));
    }
    let mut out = Vec::new();
    walk(&types.lhs, types, &mut out);
    walk(&types.rhs, types, &mut out);
    types.conditions.iter().for_each(|t| walk(t, types, &mut out));
    // The operand class of operations whose operands all have fixed widths is not used.
    out.retain(|&c| types.width(c).is_some() || types.is_used(c));
    out.sort_unstable();
    out
}
