//! Control flow of a body: predecessors and dominators.

use crate::module::Body;

const NONE: u32 = u32::MAX;

/// Blocks are numbered by their position in the function.
pub(super) struct Cfg {
    /// Predecessor blocks, one per edge.
    pub(super) preds: Vec<Vec<u32>>,
    /// Entry and exit time of each block in a walk of the dominator tree; `NONE` if unreachable.
    times: Vec<(u32, u32)>,
}

impl Cfg {
    /// Every block must end in a terminator and every target be placed.
    pub(super) fn new(body: &Body) -> Cfg {
        let count = body.block_order().len();
        let mut preds = vec![Vec::new(); count];
        let mut succs = vec![Vec::new(); count];
        for (from, &block) in body.block_order().iter().enumerate() {
            if let Some(last) = body.insts()[body.range(block)].last() {
                for target in body.successors(last) {
                    if let Some(to) = body.position(target) {
                        preds[to as usize].push(from as u32);
                        succs[from].push(to);
                    }
                }
            }
        }
        let order = post_order(&succs);
        let idom = immediate_dominators(&order, &preds);
        let times = tree_times(&idom, &order);
        Cfg { preds, times }
    }

    /// Whether the entry reaches a block.
    pub(super) fn is_reachable(&self, block: u32) -> bool {
        self.times.get(block as usize).is_some_and(|t| t.0 != NONE)
    }

    /// Whether every path to `b` contains `a`.
    pub(super) fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.times[a as usize], self.times[b as usize]);
        b.0 == NONE || (a.0 != NONE && a.0 <= b.0 && b.1 <= a.1)
    }
}

/// Reachable blocks, each after those it leads to (back edges aside).
fn post_order(succs: &[Vec<u32>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(succs.len());
    let mut seen = vec![false; succs.len()];
    let mut stack = Vec::new();
    if !succs.is_empty() {
        seen[0] = true;
        stack.push((0u32, 0usize));
    }
    while let Some((block, next)) = stack.last_mut() {
        match succs[*block as usize].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

/// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
fn immediate_dominators(order: &[u32], preds: &[Vec<u32>]) -> Vec<u32> {
    let mut number = vec![NONE; preds.len()];
    for (at, &block) in order.iter().enumerate() {
        number[block as usize] = at as u32;
    }
    let mut idom = vec![NONE; preds.len()];
    if !order.is_empty() {
        idom[0] = 0;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().filter(|&&b| b != 0) {
            let mut new = NONE;
            for &pred in &preds[block as usize] {
                if idom[pred as usize] == NONE {
                    continue;
                }
                if new == NONE {
                    new = pred;
                    continue;
                }
                let mut other = pred;
                while new != other {
                    while number[new as usize] < number[other as usize] {
                        new = idom[new as usize];
                    }
                    while number[other as usize] < number[new as usize] {
                        other = idom[other as usize];
                    }
                }
            }
            if idom[block as usize] != new {
                idom[block as usize] = new;
                changed = true;
            }
        }
    }
    idom
}

fn tree_times(idom: &[u32], order: &[u32]) -> Vec<(u32, u32)> {
    let mut children = vec![Vec::new(); idom.len()];
    for &block in order.iter().rev().filter(|&&b| b != 0) {
        children[idom[block as usize] as usize].push(block);
    }
    let mut times = vec![(NONE, NONE); idom.len()];
    let mut clock = 0;
    let mut stack = if order.is_empty() { Vec::new() } else { vec![(0u32, 0usize)] };
    while let Some((block, next)) = stack.last_mut() {
        if *next == 0 {
            times[*block as usize].0 = clock;
            clock += 1;
        }
        match children[*block as usize].get(*next) {
            Some(&child) => {
                *next += 1;
                stack.push((child, 0));
            }
            None => {
                times[*block as usize].1 = clock;
                clock += 1;
                stack.pop();
            }
        }
    }
    times
}
