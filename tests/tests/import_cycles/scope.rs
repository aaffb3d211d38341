//! Names of a crate: which module defines which item, and which file a path leads to.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeSet, HashMap, HashSet};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// A file of a crate and the module that it holds.
pub struct SourceFile {
    /// Path below `src`.
    pub name: String,
    /// Module path, without `crate`.
    pub module: Vec<String>,
    /// Contents.
    pub text: String,
}

/// The meaning of a name in a module.
#[derive(Clone)]
enum Named {
    /// An item that is defined here.
    Item,
    /// A child module.
    Module(Vec<String>),
    /// An imported path.
    Import(Vec<String>),
}

#[derive(Default)]
struct Module {
    file: usize,
    names: HashMap<String, Vec<Named>>,
    /// Paths of `use path::*`.
    globs: Vec<Vec<String>>,
}

/// A path that a file mentions.
struct Mention {
    file: usize,
    module: Vec<String>,
    path: Vec<String>,
}

/// The modules of a crate.
#[derive(Default)]
pub struct Crate {
    modules: HashMap<Vec<String>, Module>,
    mentions: Vec<Mention>,
}

/// Imports of imports are followed this deep.
const DEPTH: u32 = 16;

impl Crate {
    /// Parses all files.
    pub fn parse(files: &[SourceFile]) -> Crate {
        let mut result = Crate::default();
        let mut for_tests: HashSet<Vec<String>> = HashSet::new();
        for (file, source) in files.iter().enumerate() {
            let parsed = syn::parse_file(&source.text).unwrap_or_else(|e| panic!("{}: {e}", source.name));
            result.module(file, &source.module, &parsed.items, &mut for_tests);
            // A child may be declared by a macro.
            if let Some((name, parent)) = source.module.split_last() {
                let parent = result.modules.entry(parent.to_vec()).or_default();
                let child = Named::Module(source.module.clone());
                parent.names.entry(name.clone()).or_default().push(child);
            }
        }
        result.mentions.retain(|m| (1..=m.module.len()).all(|n| !for_tests.contains(&m.module[..n])));
        result
    }

    fn module(&mut self, file: usize, path: &[String], items: &[Item], for_tests: &mut HashSet<Vec<String>>) {
        let mut module = Module { file, ..Module::default() };
        let mut inner = Vec::new();
        for item in items {
            if let Item::Mod(child) = item {
                let child_path: Vec<String> = path.iter().cloned().chain([child.ident.to_string()]).collect();
                if is_test(&child.attrs) {
                    for_tests.insert(child_path);
                    continue;
                }
                let named = Named::Module(child_path.clone());
                module.names.entry(child.ident.to_string()).or_default().push(named);
                if let Some((_, items)) = &child.content {
                    inner.push((child_path, items));
                }
                continue;
            }
            if is_test(attributes(item)) {
                continue;
            }
            if let Item::Use(import) = item {
                if import.leading_colon.is_none() {
                    self.import(file, path, &mut module, &import.tree, &import.vis);
                }
                continue;
            }
            if let Some(name) = name_of(item) {
                module.names.entry(name).or_default().push(Named::Item);
            }
            let mut finder = Finder { paths: Vec::new() };
            finder.visit_item(item);
            let mentions = finder.paths.into_iter().map(|p| Mention { file, module: path.to_vec(), path: p });
            self.mentions.extend(mentions);
        }
        // A file of the same module may have registered it as a parent already.
        let known = self.modules.remove(path).unwrap_or_default();
        for (name, named) in known.names {
            module.names.entry(name).or_default().extend(named);
        }
        self.modules.insert(path.to_vec(), module);
        for (child, items) in inner {
            self.module(file, &child, items, for_tests);
        }
    }

    /// Enters the names of a `use`; one that exports nothing also mentions them.
    fn import(
        &mut self,
        file: usize,
        path: &[String],
        module: &mut Module,
        tree: &UseTree,
        vis: &Visibility,
    ) {
        let mut leaves = Vec::new();
        flatten(tree, &mut Vec::new(), &mut leaves);
        for (target, name) in leaves {
            match name {
                Some(name) => {
                    let named = Named::Import(target.clone());
                    module.names.entry(name).or_default().push(named);
                }
                None => module.globs.push(target.clone()),
            }
            if matches!(vis, Visibility::Inherited) {
                self.mentions.push(Mention { file, module: path.to_vec(), path: target });
            }
        }
    }

    /// Pairs of files: the first one imports the second one.
    pub fn edges(&self) -> BTreeSet<(usize, usize)> {
        let mut edges = BTreeSet::new();
        for mention in &self.mentions {
            if let Some(file) = self.file_of(&mention.module, &mention.path, DEPTH)
                && file != mention.file
            {
                edges.insert((mention.file, file));
            }
        }
        edges
    }

    /// The file with the definition of the item that a path in a module leads to.
    fn file_of(&self, module: &[String], path: &[String], depth: u32) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let (start, rest) = anchor(module, path)?;
        match start {
            Some(start) => self.inside(&start, rest, true, depth),
            None => self.inside(module, path, false, depth),
        }
    }

    /// The same for a path that starts with a name of a module. Names that a macro generates are unknown; they are
    /// taken to be defined in the module that an explicit path names.
    fn inside(&self, module: &[String], path: &[String], explicit: bool, depth: u32) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let (name, rest) = path.split_first()?;
        let here = self.modules.get(module)?;
        let named = here.names.get(name).map_or(&[][..], Vec::as_slice);
        if rest.is_empty() && named.iter().any(|n| matches!(n, Named::Item)) {
            return Some(here.file);
        }
        for n in named {
            match n {
                Named::Module(child) if !rest.is_empty() => return self.inside(child, rest, true, depth),
                Named::Module(_) | Named::Item => {}
                Named::Import(target) => {
                    let full: Vec<String> = target.iter().chain(rest).cloned().collect();
                    if let Some(file) = self.file_of(module, &full, depth) {
                        return Some(file);
                    }
                }
            }
        }
        if named.iter().any(|n| matches!(n, Named::Item)) {
            return Some(here.file);
        }
        if named.is_empty() {
            for glob in &here.globs {
                if let Some(target) = self.module_of(module, glob, depth)
                    && let Some(file) = self.inside(&target, path, false, depth)
                {
                    return Some(file);
                }
            }
            if explicit && self.modules.contains_key(module) {
                return Some(here.file);
            }
        }
        None
    }

    /// The module that a path leads to.
    fn module_of(&self, module: &[String], path: &[String], depth: u32) -> Option<Vec<String>> {
        let depth = depth.checked_sub(1)?;
        let (start, rest) = anchor(module, path)?;
        let (mut at, mut rest) = match start {
            Some(start) => (start, rest),
            None => (module.to_vec(), path),
        };
        while let Some((name, tail)) = rest.split_first() {
            let named = self.modules.get(&at)?.names.get(name)?;
            let next = named.iter().find_map(|n| match n {
                Named::Module(child) => Some(child.clone()),
                Named::Import(target) => self.module_of(&at, target, depth),
                Named::Item => None,
            });
            (at, rest) = (next?, tail);
        }
        Some(at)
    }
}

/// The module at which a path with `crate`, `self` or `super` starts, and the rest; no module for other paths.
type Anchor<'p> = (Option<Vec<String>>, &'p [String]);

fn anchor<'p>(module: &[String], path: &'p [String]) -> Option<Anchor<'p>> {
    let mut rest = path;
    let mut start = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        _ => return Some((None, path)),
    };
    while let Some((name, tail)) = rest.split_first() {
        match name.as_str() {
            "crate" | "self" => {}
            "super" => {
                start.pop()?;
            }
            _ => break,
        }
        rest = tail;
    }
    Some((Some(start), rest))
}

/// Leaves of a `use`: path, and the name that it gets or none for a glob. `as _` has a name that nothing mentions.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, Option<String>)>) {
    let full = |prefix: &[String], name: String| prefix.iter().cloned().chain([name]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(p) => {
            prefix.push(p.ident.to_string());
            flatten(&p.tree, prefix, leaves);
            prefix.pop();
        }
        UseTree::Name(n) if n.ident == "self" => leaves.push((prefix.clone(), prefix.last().cloned())),
        UseTree::Name(n) => leaves.push((full(prefix, n.ident.to_string()), Some(n.ident.to_string()))),
        UseTree::Rename(r) if r.ident == "self" => {
            leaves.push((prefix.clone(), Some(r.rename.to_string())));
        }
        UseTree::Rename(r) => {
            leaves.push((full(prefix, r.ident.to_string()), Some(r.rename.to_string())));
        }
        UseTree::Glob(_) => leaves.push((prefix.clone(), None)),
        UseTree::Group(g) => g.items.iter().for_each(|t| flatten(t, prefix, leaves)),
    }
}

/// Whether an item only exists in tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg")
                && a.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(i) => i.ident.to_string(),
        Item::Enum(i) => i.ident.to_string(),
        Item::Fn(i) => i.sig.ident.to_string(),
        Item::Macro(i) => i.ident.as_ref()?.to_string(),
        Item::Static(i) => i.ident.to_string(),
        Item::Struct(i) => i.ident.to_string(),
        Item::Trait(i) => i.ident.to_string(),
        Item::Type(i) => i.ident.to_string(),
        Item::Union(i) => i.ident.to_string(),
        _ => return None,
    })
}

/// Collects the paths of an item, those in the arguments of macros included.
struct Finder {
    paths: Vec<Vec<String>>,
}

impl Finder {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.finish(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(p) if p.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Group(group) => {
                    self.finish(&mut path);
                    colons = 0;
                    self.tokens(group.stream());
                }
                _ => {
                    self.finish(&mut path);
                    colons = 0;
                }
            }
        }
        self.finish(&mut path);
    }

    fn finish(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        // A single lower-case word in the arguments of a macro is a variable more often than an item.
        if path.len() > 1 || path.first().is_some_and(|name| name.starts_with(char::is_uppercase)) {
            self.paths.push(path);
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.paths.push(path.segments.iter().map(|s| s.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        let mut leaves = Vec::new();
        flatten(&import.tree, &mut Vec::new(), &mut leaves);
        self.paths.extend(leaves.into_iter().map(|(path, _)| path));
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}
