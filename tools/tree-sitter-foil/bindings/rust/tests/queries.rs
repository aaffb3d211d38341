//! The queries fit the grammar, and use the names of captures that editors know.

mod support;

use airfoil_ir::generate::{Options, from_seed};
use airfoil_ir::text::print;
use std::collections::{BTreeSet, HashMap};
use support::{folder, language, nodes, tree};
use tree_sitter::{Query, QueryCursor, StreamingIterator, Tree};
use tree_sitter_foil::{FOLDS_QUERY, HIGHLIGHTS_QUERY, INDENTS_QUERY, LOCALS_QUERY};

/// Captures for colours in Neovim's documentation, as far as a language like this can use them.
const HIGHLIGHTS: &[&str] = &[
    "attribute",
    "boolean",
    "comment",
    "constant",
    "constant.builtin",
    "function",
    "function.builtin",
    "function.call",
    "keyword",
    "keyword.conditional",
    "keyword.function",
    "keyword.modifier",
    "keyword.repeat",
    "keyword.return",
    "keyword.type",
    "label",
    "number",
    "number.float",
    "operator",
    "property",
    "punctuation.bracket",
    "punctuation.delimiter",
    "punctuation.special",
    "string",
    "string.escape",
    "type",
    "type.builtin",
    "variable",
    "variable.member",
];

fn query(source: &str) -> Query {
    Query::new(&language(), source).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn queries_use_standard_captures() {
    let list: [(&str, &[&str]); 4] = [
        (HIGHLIGHTS_QUERY, HIGHLIGHTS),
        (FOLDS_QUERY, &["fold"]),
        (INDENTS_QUERY, &["indent.begin", "indent.branch", "indent.end"]),
        (LOCALS_QUERY, &["local.definition", "local.reference", "local.scope"]),
    ];
    for (source, names) in list {
        let query = query(source);
        assert!(query.pattern_count() > 0);
        for name in query.capture_names() {
            assert!(names.contains(name), "@{name} is not a standard capture");
        }
    }
    let files = std::fs::read_dir(folder().join("queries")).expect("the queries").count();
    assert_eq!(files, 4, "a query is not tested");
}

/// Neovim compiles the patterns of `#match?` as Vim's, which have at most nine groups.
#[test]
fn patterns_have_few_groups() {
    let patterns = HIGHLIGHTS_QUERY.split('"').filter(|text| text.starts_with('^'));
    let groups: Vec<usize> = patterns.map(|pattern| pattern.matches('(').count()).collect();
    assert!(!groups.is_empty() && groups.iter().all(|&n| n <= 9), "{groups:?}");
}

/// The names of the captures by node.
fn captures(query: &Query, tree: &Tree, text: &str) -> HashMap<usize, BTreeSet<String>> {
    let mut found: HashMap<usize, BTreeSet<String>> = HashMap::new();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    while let Some(m) = matches.next() {
        for capture in m.captures {
            let name = query.capture_names()[capture.index as usize];
            found.entry(capture.node.id()).or_default().insert(name.to_owned());
        }
    }
    found
}

/// Each token has a colour, its own or that of a node around it, and no node has two.
#[test]
fn each_token_has_a_colour() {
    let query = query(HIGHLIGHTS_QUERY);
    let random = (0..60).map(|seed| print(&from_seed(seed, &Options::default())));
    let items = "foil 1\nshader compute \"t\" {\n  file \"a\"\n  no_entry\n  gathered { uses_discard }\n  block B { int a }\n  \
        in|out B b = {raw(1, 2), {true}}\n  entry fn f.1(32x1 deref(B[2] ssbo)) @0:1 {\n    a.nsw %0.x, %1 m=a|b io=(a b c=d) e=16+4\n  }\n}\n";
    for text in random.chain([items.to_owned()]) {
        let tree = tree(&text);
        assert!(!tree.root_node().has_error(), "{text}");
        let found = captures(&query, &tree, &text);
        for names in found.values() {
            assert_eq!(names.len(), 1, "{names:?}");
        }
        for leaf in nodes(&tree).into_iter().filter(|n| n.child_count() == 0 && !n.byte_range().is_empty()) {
            if text[leaf.byte_range()].trim().is_empty() {
                continue;
            }
            let mut node = Some(leaf);
            while let Some(n) = node.filter(|n| !found.contains_key(&n.id())) {
                node = n.parent();
            }
            let line = text.lines().nth(leaf.start_position().row).unwrap_or_default();
            assert!(node.is_some(), "`{}` has no colour in: {line}", &text[leaf.byte_range()]);
        }
    }
}

#[test]
fn words_have_colours() {
    let text = "foil 1\nshader compute \"t\" {\n  form slots\n  max_vertices 3\n  struct Light { float16 a }\n  \
        ubo Light[2] u set=0 flat access=coherent\n  image image(2d uint32 r32ui) i\n  in i64mat2x3 m = zero\n  \
        fn main {\n  b0:\n    32x1 %a = fadd! %b.x, %c @0:7\n    if %a flatten { return }\n    \
        %p = phi b0: %a\n    %d = deref_struct &u.a\n    %e = load %d io=(position slots=2)\n    call f()\n  }\n}\n";
    let query = query(HIGHLIGHTS_QUERY);
    let tree = tree(text);
    let found = captures(&query, &tree, text);
    let all = nodes(&tree);
    for (word, name) in [
        ("shader", "keyword"),
        ("compute", "keyword.modifier"),
        ("slots", "keyword.modifier"),
        ("max_vertices", "property"),
        ("3", "number"),
        ("Light", "type"),
        ("float16", "type.builtin"),
        ("ubo", "keyword.modifier"),
        ("u", "variable"),
        ("flat", "attribute"),
        ("coherent", "constant"),
        ("image", "type.builtin"),
        ("2d", "attribute"),
        ("i64mat2x3", "type.builtin"),
        ("zero", "constant.builtin"),
        ("fn", "keyword.function"),
        ("main", "function"),
        ("b0", "label"),
        ("32x1", "type.builtin"),
        ("%a", "variable"),
        ("fadd", "function.builtin"),
        ("!", "attribute"),
        ("x", "variable.member"),
        ("@", "punctuation.special"),
        ("if", "keyword.conditional"),
        ("flatten", "attribute"),
        ("return", "keyword.return"),
        ("deref_struct", "keyword"),
        ("position", "constant"),
        ("f", "function.call"),
    ] {
        let of_word = all.iter().filter(|n| &text[n.byte_range()] == word);
        let names: Vec<&String> = of_word.filter_map(|n| found.get(&n.id())).flatten().collect();
        assert!(names.iter().any(|n| *n == name), "{word}: {names:?}");
    }
}
