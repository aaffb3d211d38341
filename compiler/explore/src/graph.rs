//! Graphs of the IR and of pipelines: control flow, dominators, loops, liveness, divergence, uses, and the plan.
//!
//! A graph is a petgraph graph of [`Node`]s; [`dot`] prints it for Graphviz, [`to_json`] for the page, which draws it itself.

use airfoil::Shader;
use airfoil::ir::analysis::{Divergence, Dominance, Liveness, LoopNest, UseMap, User};
use airfoil::ir::text::{Numbering, Printer};
use airfoil::ir::{BlockId, Body, InstrId};
use airfoil::passes::{Pipeline, Step};
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{EdgeRef, IntoNodeReferences};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Most nodes of a graph.
const MOST_NODES: usize = 2000;

/// Most instructions that a node quotes.
const MOST_LINES: usize = 12;

/// A graph to draw.
pub type Graph = DiGraph<Node, &'static str>;

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// First line.
    pub title: String,
    /// Further lines.
    pub lines: Vec<String>,
    /// Whether it is highlighted: divergent, a loop header, a use outside of its block.
    pub marked: bool,
}

/// Views of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Blocks and the edges between them.
    Cfg,
    /// The tree of dominators.
    Dom,
    /// The nest of loops.
    Loops,
    /// Control flow with the values that are live at both ends of blocks.
    Liveness,
    /// Control flow with divergent blocks and the share of divergent values.
    Divergence,
    /// Instructions and the values that they use.
    Uses,
}

impl View {
    /// All, with their names.
    pub const ALL: &'static [(&'static str, View)] = &[
        ("cfg", View::Cfg),
        ("dom", View::Dom),
        ("loops", View::Loops),
        ("liveness", View::Liveness),
        ("divergence", View::Divergence),
        ("uses", View::Uses),
    ];

    /// That of a name.
    pub fn from_name(name: &str) -> Option<View> {
        View::ALL.iter().find(|(n, _)| *n == name).map(|(_, view)| *view)
    }
}

/// A function while its graph is built.
struct Maker<'a> {
    graph: &'a mut Graph,
    shader: &'a Shader,
    body: &'a Body,
    names: Numbering,
    /// In front of names, if there are several functions.
    prefix: String,
}

/// A view of all functions of a shader.
///
/// # Errors
/// The graph would have too many nodes to be drawn.
pub fn of_shader(shader: &Shader, view: View) -> Result<Graph, String> {
    let mut graph = Graph::new();
    for function in shader.functions.values() {
        let body = &function.body;
        let nodes = if view == View::Uses { body.num_instrs() } else { body.num_blocks() };
        if graph.node_count() + nodes > MOST_NODES {
            return Err(format!("the graph has more than {MOST_NODES} nodes"));
        }
        let prefix = if shader.functions.len() > 1 { format!("{} ", function.name) } else { String::new() };
        let mut maker = Maker { graph: &mut graph, shader, body, names: Numbering::new(body), prefix };
        match view {
            View::Cfg => maker.cfg(|m, block| Node { lines: m.lines(block), ..Node::default() }),
            View::Dom => maker.dominators(),
            View::Loops => maker.loops(&function.name),
            View::Liveness => maker.liveness(),
            View::Divergence => maker.divergence(),
            View::Uses => maker.uses(),
        }
    }
    Ok(graph)
}

impl Maker<'_> {
    fn block_name(&self, block: BlockId) -> String {
        match self.names.block(block) {
            Some(n) => format!("{}b{n}", self.prefix),
            None => format!("{}else", self.prefix),
        }
    }

    fn value_name(&self, value: InstrId) -> String {
        self.names.value(value).map_or_else(String::new, |n| format!("%{n}"))
    }

    fn texts(&self, instrs: impl Iterator<Item = InstrId>) -> Vec<String> {
        let mut printer = Printer::new(self.shader);
        let mut count = 0;
        for id in instrs {
            printer.instr(self.body, &self.names, id);
            printer.newline();
            count += 1;
        }
        let text = printer.finish();
        text.lines().take(count).map(|line| without_location(line).to_string()).collect()
    }

    /// The first instructions of a block.
    fn lines(&self, block: BlockId) -> Vec<String> {
        let mut lines = self.texts(self.body.instrs(block).take(MOST_LINES));
        let rest = self.body.instrs(block).count().saturating_sub(MOST_LINES);
        if rest > 0 {
            lines.push(format!("... {rest} more"));
        }
        lines
    }

    /// Blocks, each as `node` describes it, and edges.
    fn cfg(&mut self, node: impl Fn(&Self, BlockId) -> Node) {
        let loops = LoopNest::new(self.body);
        let mut nodes: FxHashMap<BlockId, NodeIndex> = FxHashMap::default();
        let blocks: Vec<BlockId> = self.body.blocks().collect();
        for &block in &blocks {
            let made = Node { title: self.block_name(block), ..node(self, block) };
            nodes.insert(block, self.graph.add_node(made));
        }
        for &from in &blocks {
            let both = self.body.successors(from);
            let is_if = both.iter().flatten().count() == 2;
            for (n, to) in both.into_iter().enumerate() {
                let Some(to) = to else { continue };
                let (Some(&a), Some(&b)) = (nodes.get(&from), nodes.get(&to)) else { continue };
                let back = loops.loops().iter().any(|l| l.header == to && loops.contains(l, from));
                let label = match (back, is_if, n) {
                    (true, ..) => "back",
                    (_, true, 0) => "then",
                    (_, true, _) => "else",
                    _ => "",
                };
                self.graph.add_edge(a, b, label);
            }
        }
    }

    fn dominators(&mut self) {
        let tree = Dominance::new(self.body);
        let mut nodes: FxHashMap<BlockId, NodeIndex> = FxHashMap::default();
        for block in self.body.blocks() {
            let made =
                Node { title: self.block_name(block), marked: !tree.is_reachable(block), ..Node::default() };
            nodes.insert(block, self.graph.add_node(made));
        }
        for block in self.body.blocks() {
            if let Some((&a, &b)) = tree.idom(block).and_then(|d| nodes.get(&d)).zip(nodes.get(&block)) {
                self.graph.add_edge(a, b, "");
            }
        }
    }

    fn loops(&mut self, function: &str) {
        let nest = LoopNest::new(self.body);
        let root = self.graph.add_node(Node { title: format!("fn {function}"), ..Node::default() });
        let mut nodes: Vec<NodeIndex> = Vec::new();
        for l in nest.loops() {
            let instrs: usize = nest.blocks(l).iter().map(|&b| self.body.instrs(b).count()).sum();
            let lines = vec![
                format!("{} blocks, {instrs} instructions", nest.blocks(l).len()),
                format!("{} breaks, {} continues", l.breaks.len(), l.continues.len()),
            ];
            let title = format!("loop at {}", self.block_name(l.header));
            let node = self.graph.add_node(Node { title, lines, marked: l.returns });
            let parent = l.parent.and_then(|p| nodes.get(p).copied()).unwrap_or(root);
            self.graph.add_edge(parent, node, "");
            nodes.push(node);
        }
    }

    fn liveness(&mut self) {
        let live = Liveness::new(self.body);
        self.cfg(|m, block| {
            let list = |what: &str, values: &mut dyn Iterator<Item = InstrId>| {
                let names: Vec<String> = values.map(|v| m.value_name(v)).collect();
                let more = if names.len() > 16 { ", ..." } else { "" };
                let shown = names[..names.len().min(16)].join(", ");
                format!("{what} {}: {shown}{more}", names.len())
            };
            let lines = vec![
                list("in", &mut live.live_in(block)),
                format!("{} instructions", m.body.instrs(block).count()),
                list("out", &mut live.live_out(block)),
            ];
            Node { lines, ..Node::default() }
        });
    }

    fn divergence(&mut self) {
        let divergence = Divergence::new(self.body);
        self.cfg(|m, block| {
            let values = || m.body.instrs(block).filter(|&id| m.body[id].has_value());
            let divergent = values().filter(|&id| divergence.is_divergent(id)).count();
            let lines = vec![format!("{divergent} of {} values divergent", values().count())];
            Node { lines, marked: divergence.is_divergent_block(block), ..Node::default() }
        });
    }

    fn uses(&mut self) {
        let users = UseMap::new(self.body);
        let ids: Vec<InstrId> = self.body.all_instrs().collect();
        let texts = self.texts(ids.iter().copied());
        let mut nodes: FxHashMap<InstrId, NodeIndex> = FxHashMap::default();
        for (&id, text) in ids.iter().zip(texts) {
            let marked = !self.body[id].has_value();
            let title = format!("{}{}", self.prefix, text.trim());
            nodes.insert(id, self.graph.add_node(Node { title, marked, ..Node::default() }));
        }
        for &id in &ids {
            for user in users.users(id) {
                let User::Instr(user) = user else { continue };
                if let Some((&a, &b)) = nodes.get(&id).zip(nodes.get(user)) {
                    self.graph.update_edge(a, b, "");
                }
            }
        }
    }
}

/// The text of an instruction without its location in the source.
pub(crate) fn without_location(line: &str) -> &str {
    match line.rfind(" @") {
        Some(at) if line[at + 2..].chars().all(|c| c.is_ascii_digit() || c == ':') => line[..at].trim(),
        _ => line.trim(),
    }
}

/// A pipeline as a graph: passes in order, and an edge back to the start of each loop.
pub fn of_pipeline(pipeline: &Pipeline) -> Graph {
    let mut graph = Graph::new();
    let start = graph.add_node(Node { title: "as read".into(), marked: true, ..Node::default() });
    let last = add_steps(&mut graph, pipeline.steps(), start, "");
    let end = graph.add_node(Node { title: "for the backend".into(), marked: true, ..Node::default() });
    graph.add_edge(last, end, "");
    graph
}

/// Adds steps after a node; returns the last one.
fn add_steps(graph: &mut Graph, steps: &[Step], from: NodeIndex, mut label: &'static str) -> NodeIndex {
    let mut last = from;
    let mut next = |graph: &mut Graph, last: &mut NodeIndex, title: &str, marked: bool| {
        let node = graph.add_node(Node { title: title.to_string(), lines: Vec::new(), marked });
        graph.add_edge(*last, node, std::mem::take(&mut label));
        *last = node;
    };
    for step in steps {
        match step {
            Step::Pass(pass) => next(graph, &mut last, pass.text(), false),
            Step::Program(pass) => next(graph, &mut last, pass.text(), false),
            Step::Include(pipeline) => last = add_steps(graph, pipeline.steps(), last, ""),
            Step::Loop(l) => {
                next(graph, &mut last, &l.head(), true);
                let head = last;
                last = add_steps(graph, &l.steps, last, "");
                graph.add_edge(last, head, "back");
            }
            Step::On(on) => {
                next(graph, &mut last, &on.head(), true);
                last = add_steps(graph, &on.steps, last, "");
            }
            Step::Group(group) => {
                next(graph, &mut last, "group", true);
                last = add_steps(graph, &group.steps, last, "");
                last = add_steps(graph, &group.cleanup, last, "if changed");
            }
        }
    }
    last
}

/// The graph in DOT.
pub fn dot(graph: &Graph) -> String {
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
    let edge = |_: &Graph, edge: petgraph::graph::EdgeReference<'_, &'static str>| match *edge.weight() {
        "" => String::new(),
        "back" => "label=\"back\" style=dashed ".to_string(),
        label => format!("label=\"{label}\" "),
    };
    let node = |_: &Graph, (_, node): (NodeIndex, &Node)| {
        let mut label = escaped(&node.title);
        for line in &node.lines {
            let _ = write!(label, "\\l{}", escaped(line));
        }
        let end = if node.lines.is_empty() { "" } else { "\\l" };
        let style = if node.marked { " style=bold" } else { "" };
        format!("shape=box fontname=monospace{style} label=\"{label}{end}\" ")
    };
    format!("{:?}", Dot::with_attr_getters(graph, &config, &edge, &node))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The graph for the page.
pub fn to_json(graph: &Graph) -> Value {
    let node = |(_, n): (NodeIndex, &Node)| json!({ "title": n.title, "lines": n.lines, "marked": n.marked });
    let edge = |e: petgraph::graph::EdgeReference<'_, &'static str>| {
        json!([e.source().index(), e.target().index(), e.weight()])
    };
    json!({
        "nodes": graph.node_references().map(node).collect::<Value>(),
        "edges": graph.edge_references().map(edge).collect::<Value>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHADER: &str = "foil 1\nshader fragment \"f\" {\n  form variables\n  in float x location=0\n  \
                          out float y location=0\n  fn main {\n  b0:\n    %0 = deref_var &x\n    32x1 %1 = load_deref %0\n    \
                          32x1 %2 = const 0.5\n    1x1 %3 = flt %1, %2\n    %4 = deref_var &y\n    if %3 {\n    b1:\n      \
                          store_deref %4, %2\n    }\n  b2:\n  }\n}\n";

    fn graph(view: &str) -> Graph {
        let shader = airfoil::steps::read_foil(SHADER).expect("parses");
        of_shader(&shader, View::from_name(view).expect("a view")).expect("small")
    }

    #[test]
    fn control_flow_has_an_edge_per_successor() {
        let cfg = graph("cfg");
        assert_eq!((cfg.node_count(), cfg.edge_count()), (4, 4), "with the hidden else side");
        let labels: Vec<&str> = cfg.edge_weights().copied().collect();
        assert_eq!(labels, ["then", "else", "", ""]);
        let text = dot(&cfg);
        assert!(
            text.starts_with("digraph {") && text.contains("label=\"b0\\l%0 = deref_var &x\\l"),
            "{text}"
        );
    }

    #[test]
    fn views_show_their_analysis() {
        let dom = graph("dom");
        let children: Vec<usize> = dom.edge_references().map(|e| e.source().index()).collect();
        assert_eq!(children, [0, 0, 0], "the first block dominates the others");
        assert_eq!(graph("loops").node_count(), 1, "the function alone");
        let live = graph("liveness");
        assert!(
            live.node_weights().any(|n| n.title == "b1" && n.lines[0].starts_with("in 2: %2, %4")),
            "{live:?}"
        );
        let divergence = graph("divergence");
        let marked: Vec<&str> = divergence.node_weights().filter(|n| n.marked).map(|n| &*n.title).collect();
        assert_eq!(marked, ["b1", "else"], "the sides of a branch on an input");
        let uses = graph("uses");
        let title = |n: NodeIndex| uses[n].title.split(' ').next_back().unwrap_or_default().to_string();
        assert!(
            uses.edge_references()
                .any(|e| title(e.source()) == "0.5" && uses[e.target()].title.contains("flt"))
        );
    }

    #[test]
    fn pipelines_have_loops() {
        let plan = of_pipeline(&Pipeline::parse("dce, loop(cse, dce)").expect("parses"));
        let titles: Vec<&str> = plan.node_weights().map(|n| &*n.title).collect();
        assert_eq!(titles, ["as read", "dce", "loop", "cse", "dce", "for the backend"]);
        let back = plan.edge_references().find(|e| *e.weight() == "back").expect("an edge back");
        assert_eq!((back.source().index(), back.target().index()), (4, 2));
    }
}
