//! Strongly connected components of the graph of imports.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;
use std::fmt;

/// Files that import each other.
pub struct Cycle {
    /// Names, sorted.
    pub files: Vec<String>,
    /// Imports between them.
    imports: Vec<(String, String)>,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.files.join(", "))?;
        for (from, to) in &self.imports {
            write!(f, "\n    {from} imports {to}")?;
        }
        Ok(())
    }
}

/// Cycles of at least two files, largest first.
pub fn cycles(names: &[String], edges: &BTreeSet<(usize, usize)>) -> Vec<Cycle> {
    let mut graph = DiGraph::<usize, ()>::new();
    let nodes: Vec<NodeIndex> = (0..names.len()).map(|i| graph.add_node(i)).collect();
    for &(from, to) in edges {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let mut found: Vec<Cycle> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| {
            let members: BTreeSet<usize> = component.iter().map(|&n| graph[n]).collect();
            let inside = edges.iter().filter(|(from, to)| members.contains(from) && members.contains(to));
            let mut files: Vec<String> = members.iter().map(|&i| names[i].clone()).collect();
            files.sort();
            Cycle { files, imports: inside.map(|&(a, b)| (names[a].clone(), names[b].clone())).collect() }
        })
        .collect();
    found.sort_by(|a, b| b.files.len().cmp(&a.files.len()).then_with(|| a.files.cmp(&b.files)));
    found
}
