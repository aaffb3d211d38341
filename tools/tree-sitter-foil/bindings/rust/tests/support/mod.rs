//! Trees of texts.

#![allow(dead_code)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use tree_sitter::{Language, Node, Parser, Tree};

/// The language under test.
pub fn language() -> Language {
    tree_sitter_foil::LANGUAGE.into()
}

/// The tree of a text.
pub fn tree(text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the runtime takes the version of the language");
    parser.parse(text, None).expect("nothing cancels the parser")
}

/// The folder of the crate.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    folder().join("../..")
}

/// All nodes, parents before children.
pub fn nodes(tree: &Tree) -> Vec<Node<'_>> {
    let mut list = Vec::new();
    let mut cursor = tree.walk();
    loop {
        list.push(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return list;
            }
        }
    }
}

/// The first error of a text with its line, if it has one.
pub fn error(text: &str) -> Option<String> {
    let tree = tree(text);
    if !tree.root_node().has_error() {
        return None;
    }
    let node = nodes(&tree).into_iter().find(|n| n.is_error() || n.is_missing())?;
    let row = node.start_position().row;
    let kind = if node.is_missing() { format!("missing {}", node.kind()) } else { "error".into() };
    Some(format!("{kind} in line {}: {}", row + 1, text.lines().nth(row).unwrap_or_default()))
}

/// The named nodes with their fields, a line each.
pub fn outline(tree: &Tree) -> String {
    let mut out = String::new();
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let shown = node.is_named() || node.is_missing();
        if shown {
            if depth > 0 {
                let _ = write!(out, "\n{:1$}", "", depth * 2);
            }
            if let Some(field) = cursor.field_name() {
                let _ = write!(out, "{field}: ");
            }
            let _ = match node.is_missing() {
                true => write!(out, "(MISSING {}", node.kind()),
                false => write!(out, "({}", node.kind()),
            };
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        if shown {
            out.push(')');
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return out;
            }
            depth -= 1;
            out.push(')');
        }
    }
}
