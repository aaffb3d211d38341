//! The public items of the facade are listed in `public_items.txt`, so that every change to them is deliberate.
//!
//! The list comes from the sources: the public items of `lib.rs` and its public modules, with re-exports followed to the
//! crate that defines the item, and for types their public fields, variants and methods. Items that macros of other crates
//! define are listed by name. `AIRFOIL_BLESS=1` writes the list.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, ImplItem, Item, Token, Type, UseTree, Visibility, braced};

/// The body of the macro `options!`: a struct whose fields have defaults.
struct Options {
    name: Ident,
    fields: Vec<Ident>,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Options> {
        let _ = input.call(Attribute::parse_outer)?;
        let _: (Visibility, Token![struct]) = (input.parse()?, input.parse()?);
        let (name, mut fields, body) = (input.parse()?, Vec::new(), {
            let body;
            braced!(body in input);
            body
        });
        while !body.is_empty() {
            let _ = body.call(Attribute::parse_outer)?;
            fields.push(body.parse()?);
            let _: (Token![:], Type) = (body.parse()?, body.parse()?);
            let _: (Token![=], Expr, Token![,]) = (body.parse()?, body.parse()?, body.parse()?);
        }
        Ok(Options { name, fields })
    }
}

/// The items of a source file, and the folder of its modules.
fn items(file: &Path) -> (PathBuf, Vec<Item>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let in_folder = ["lib.rs", "mod.rs"].iter().any(|name| file.ends_with(name));
    (if in_folder { file.with_file_name("") } else { file.with_extension("") }, parsed.items)
}

fn file_of(folder: &Path, name: &Ident) -> PathBuf {
    let flat = folder.join(format!("{name}.rs"));
    if flat.exists() { flat } else { folder.join(name.to_string()).join("mod.rs") }
}

/// All items of a crate, those of private modules included.
fn all_items(file: &Path, list: &mut Vec<Item>) {
    let (folder, items) = items(file);
    for item in items {
        match &item {
            Item::Mod(m) if m.content.is_none() => {
                let file = file_of(&folder, &m.ident);
                if file.exists() {
                    all_items(&file, list);
                }
            }
            _ => list.push(item),
        }
    }
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == name))
}

struct Lister {
    sources: HashMap<&'static str, Vec<Item>>,
    list: BTreeSet<String>,
}

impl Lister {
    fn add(&mut self, kind: &str, path: &str) {
        let _ = self.list.insert(format!("{path}: {kind}"));
    }

    /// Lists an item under the path by which users name it.
    fn define(&mut self, krate: &str, name: &str, path: &str) {
        let items = self.sources.get(krate).cloned().unwrap_or_default();
        let (mut kind, mut members) = ("item", Vec::new());
        for item in &items {
            match item {
                Item::Struct(s) if s.ident == name && is_public(&s.vis) => {
                    kind = "struct";
                    let public = s.fields.iter().filter(|f| is_public(&f.vis));
                    members.extend(public.filter_map(|f| f.ident.clone()).map(|f| ("field", f)));
                }
                Item::Enum(e) if e.ident == name && is_public(&e.vis) => {
                    kind = "enum";
                    members.extend(e.variants.iter().map(|v| ("variant", v.ident.clone())));
                }
                Item::Fn(f) if f.sig.ident == name && is_public(&f.vis) => kind = "fn",
                Item::Impl(i) if i.trait_.is_none() && is_named(&i.self_ty, name) => {
                    members.extend(i.items.iter().filter_map(|item| match item {
                        ImplItem::Fn(f) if is_public(&f.vis) => Some(("fn", f.sig.ident.clone())),
                        _ => None,
                    }));
                }
                Item::Macro(m) if m.mac.path.is_ident("options") => {
                    let options: Options = m.mac.parse_body().unwrap_or_else(|e| panic!("{e}"));
                    if options.name == name {
                        kind = "struct";
                        members.extend(options.fields.into_iter().map(|f| ("option", f)));
                    }
                }
                _ => {}
            }
        }
        self.add(kind, path);
        for (kind, member) in members {
            self.add(kind, &format!("{path}::{member}"));
        }
    }

    /// Lists a re-export; `first` is the first name of the path.
    fn reexport(&mut self, tree: &UseTree, first: Option<&Ident>, outer: &str) {
        // Names of the crates within the facade.
        let krate = |first: Option<&Ident>| match first.map(ToString::to_string).as_deref() {
            Some("air" | "airfoil_air") => "airfoil_air",
            Some("ir") => "airfoil_ir",
            Some("passes") => "airfoil_passes",
            Some("spirv" | "airfoil_spirv_in") => "airfoil_spirv_in",
            Some("spirv_out" | "airfoil_spirv_out") => "airfoil_spirv_out",
            _ => "airfoil",
        };
        match tree {
            UseTree::Path(p) => self.reexport(&p.tree, first.or(Some(&p.ident)), outer),
            UseTree::Group(g) => g.items.iter().for_each(|t| self.reexport(t, first, outer)),
            UseTree::Rename(r) if first.is_none() => self.add("crate", &format!("{outer}::{}", r.rename)),
            UseTree::Name(syn::UseName { ident }) => {
                self.define(krate(first), &ident.to_string(), &format!("{outer}::{ident}"));
            }
            UseTree::Rename(syn::UseRename { ident, rename, .. }) => {
                self.define(krate(first), &ident.to_string(), &format!("{outer}::{rename}"));
            }
            UseTree::Glob(_) => panic!("{outer}: a glob hides the list"),
        }
    }

    /// Lists the public items of a file.
    fn module(&mut self, file: &Path, outer: &str) {
        let (folder, items) = items(file);
        for item in items {
            let (vis, ident) = match &item {
                Item::Use(u) if is_public(&u.vis) => {
                    self.reexport(&u.tree, None, outer);
                    continue;
                }
                Item::Mod(m) => (&m.vis, &m.ident),
                Item::Fn(f) => (&f.vis, &f.sig.ident),
                Item::Struct(s) => (&s.vis, &s.ident),
                Item::Enum(e) => (&e.vis, &e.ident),
                Item::Type(t) => (&t.vis, &t.ident),
                Item::Const(c) => (&c.vis, &c.ident),
                Item::Use(_) | Item::Impl(_) => continue,
                _ => panic!("{outer}: the test does not list this kind of item"),
            };
            let path = format!("{outer}::{ident}");
            match &item {
                _ if !is_public(vis) => {}
                Item::Mod(m) => {
                    self.add("mod", &path);
                    self.module(&file_of(&folder, &m.ident), &path);
                }
                _ => self.define("airfoil", &ident.to_string(), &path),
            }
        }
    }
}

#[test]
fn the_list_of_public_items_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = [
        ("airfoil", "src/lib.rs"),
        ("airfoil_air", "../../backends/air/src/lib.rs"),
        ("airfoil_ir", "../ir/src/lib.rs"),
        ("airfoil_passes", "../../passes/src/lib.rs"),
        ("airfoil_spirv_in", "../../frontends/spirv/src/lib.rs"),
        ("airfoil_spirv_out", "../../backends/spirv/src/lib.rs"),
    ];
    let source = |(name, file): (&'static str, &str)| {
        let mut list = Vec::new();
        all_items(&root.join(file), &mut list);
        (name, list)
    };
    let sources = crates.into_iter().map(source).collect();
    let mut lister = Lister { sources, list: BTreeSet::new() };
    lister.module(&root.join("src/lib.rs"), "airfoil");
    let file = root.join("tests/public_items.txt");
    if std::env::var_os("AIRFOIL_BLESS").is_some() {
        let text: String = lister.list.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&file, text).expect("the list is written");
    }
    let known = std::fs::read_to_string(&file).expect("the list is there");
    let known: BTreeSet<String> = known.lines().map(str::to_owned).collect();
    let removed = known.difference(&lister.list).map(|line| format!("- {line}\n"));
    let added = lister.list.difference(&known).map(|line| format!("+ {line}\n"));
    let changes: String = removed.chain(added).collect();
    assert!(changes.is_empty(), "run with AIRFOIL_BLESS=1 if this is intended:\n{changes}");
}
