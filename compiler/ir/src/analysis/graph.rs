//! Numbered nodes and edges, and the tree of dominators computed from them.

/// Edges of a graph over the nodes `0..n`, as one list of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Where the targets of each node start; one more entry than there are nodes.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Edges {
    /// The edges of pairs (from, to); the targets of a node keep the order of the pairs.
    pub fn new(nodes: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Edges {
        let mut starts = vec![0u32; nodes + 1];
        for (from, _) in pairs.clone() {
            starts[from as usize + 1] += 1;
        }
        for i in 0..nodes {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; starts[nodes] as usize];
        for (from, to) in pairs {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Edges { starts, targets }
    }

    /// Targets of the edges of a node.
    pub fn of(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Starts and targets, the targets renamed.
    pub fn into_lists<T>(self, name: impl Fn(u32) -> T) -> (Vec<u32>, Vec<T>) {
        (self.starts, self.targets.into_iter().map(name).collect())
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Marks a node that the root does not reach.
const UNREACHED: u32 = u32::MAX;

/// The immediate dominator of each node; the root is its own. Cooper, Harvey and Kennedy 2001, "A Simple, Fast Dominance Algorithm".
fn dominators(graph: &Edges, root: u32) -> Vec<u32> {
    let n = graph.nodes();
    // Postorder, with a stack of (node, edges done).
    let (mut order, mut rank) = (Vec::with_capacity(n), vec![UNREACHED; n]);
    let mut seen = vec![false; n];
    let mut stack = vec![(root, 0)];
    seen[root as usize] = true;
    while let Some((node, done)) = stack.last_mut() {
        let node = *node;
        if let Some(&next) = graph.of(node).get(*done) {
            *done += 1;
            if !std::mem::replace(&mut seen[next as usize], true) {
                stack.push((next, 0));
            }
        } else {
            rank[node as usize] = order.len() as u32;
            order.push(node);
            stack.pop();
        }
    }
    let edges = order.iter().flat_map(|&from| graph.of(from).iter().map(move |&to| (to, from)));
    let preds = Edges::new(n, edges);
    let mut idom = vec![UNREACHED; n];
    idom[root as usize] = root;
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().rev().skip(1) {
            let mut new = UNREACHED;
            for &pred in preds.of(node) {
                if idom[pred as usize] == UNREACHED {
                    continue;
                }
                if new == UNREACHED {
                    new = pred;
                    continue;
                }
                let mut other = pred;
                while new != other {
                    while rank[new as usize] < rank[other as usize] {
                        new = idom[new as usize];
                    }
                    while rank[other as usize] < rank[new as usize] {
                        other = idom[other as usize];
                    }
                }
            }
            changed |= std::mem::replace(&mut idom[node as usize], new) != new;
        }
    }
    idom
}

/// A tree of dominators with the interval of preorder numbers below each node, so that "dominates" is a
/// comparison of two numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DomTree {
    /// Immediate dominator; the root is its own.
    idom: Vec<u32>,
    /// First preorder index of the node's subtree: its own.
    enter: Vec<u32>,
    /// One past the last preorder index of the node's subtree.
    leave: Vec<u32>,
    children: Edges,
    preorder: Vec<u32>,
}

impl DomTree {
    pub fn new(graph: &Edges, root: u32) -> DomTree {
        let n = graph.nodes();
        let mut idom = dominators(graph, root);
        idom[root as usize] = UNREACHED;
        let pairs = (0..n as u32).map(|i| (idom[i as usize], i)).filter(|&(d, _)| d != UNREACHED);
        let children = Edges::new(n, pairs);
        idom[root as usize] = root;
        let mut tree = DomTree {
            idom,
            enter: vec![UNREACHED; n],
            leave: vec![UNREACHED; n],
            children,
            preorder: Vec::with_capacity(n),
        };
        tree.number(root);
        tree
    }

    /// Preorder numbers, with a stack of (node, children done).
    fn number(&mut self, root: u32) {
        let mut stack = vec![(root, 0)];
        self.enter[root as usize] = 0;
        self.preorder.push(root);
        while let Some((node, done)) = stack.last_mut() {
            let node = *node;
            if let Some(&child) = self.children.of(node).get(*done) {
                *done += 1;
                self.enter[child as usize] = self.preorder.len() as u32;
                self.preorder.push(child);
                stack.push((child, 0));
            } else {
                self.leave[node as usize] = self.preorder.len() as u32;
                stack.pop();
            }
        }
    }

    /// Whether the root reaches the node.
    pub fn reached(&self, node: u32) -> bool {
        self.idom[node as usize] != UNREACHED
    }

    /// Immediate dominator; none for the root and for nodes that it does not reach.
    pub fn idom(&self, node: u32) -> Option<u32> {
        let d = self.idom[node as usize];
        (d != UNREACHED && d != node).then_some(d)
    }

    /// Whether every path from the root to `b` passes `a`. So every block dominates unreachable ones.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        self.enter[b] == UNREACHED
            || (self.enter[a] != UNREACHED && self.enter[a] <= self.enter[b] && self.enter[b] < self.leave[a])
    }

    /// Children in ascending order.
    pub fn children(&self, node: u32) -> &[u32] {
        self.children.of(node)
    }

    /// The reached nodes, each before its children.
    pub fn preorder(&self) -> &[u32] {
        &self.preorder
    }
}
