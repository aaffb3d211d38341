//! Built-in functions: the functions of a language and their overloads.
//!
//! The tables have one row per name and form of signature, which also carries the lowering and the precision rule. A row covers
//! many overloads (`genFType`, `gsampler2D`), which are created on demand. Looking up the overload of given argument types
//! ([`exact`]) creates no other one.

mod generic;
mod image;
mod image_signature;
mod math;
mod memory;
mod old_texture;
mod packing;
mod prototype;
mod row;
mod subgroup;
#[cfg(test)]
mod tests;
mod texture;
mod texture_signature;

use super::availability;
use crate::types::Type;
use crate::version::Language;
pub use prototype::{Dir, Param, Prototype, Prototypes};
pub use row::BIT_CAST;
use row::{Group, Row, Signature};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// All groups of all files. The order is the order of overloads.
fn groups() -> impl Iterator<Item = &'static Group> {
    [
        math::GROUPS,
        packing::GROUPS,
        texture::GROUPS,
        old_texture::GROUPS,
        image::GROUPS,
        memory::GROUPS,
        subgroup::GROUPS,
    ]
    .into_iter()
    .flatten()
}

/// The rows sorted by name, and the range of each name: built once per process.
struct Index {
    rows: Vec<(&'static Row, &'static Group)>,
    names: FxHashMap<&'static str, (u32, u32)>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut rows: Vec<_> = groups().flat_map(|g| g.rows.iter().map(move |r| (r, g))).collect();
    rows.sort_by_key(|(row, _)| row.name);
    let mut names = FxHashMap::default();
    let mut start = 0;
    for chunk in rows.chunk_by(|a, b| a.0.name == b.0.name) {
        names.insert(chunk[0].0.name, (start, start + chunk.len() as u32));
        start += chunk.len() as u32;
    }
    Index { rows, names }
});

fn rows(name: &str) -> &'static [(&'static Row, &'static Group)] {
    let index = &*INDEX;
    index.names.get(name).map_or(&[], |&(start, end)| &index.rows[start as usize..end as usize])
}

/// All overloads of a name in a language, in a fixed order; empty if the name is not a built-in function there.
pub fn prototypes(name: &str, lang: &Language) -> Prototypes {
    expand(name, None, lang)
}

/// All overloads of a name that take `count` arguments.
pub fn prototypes_with(name: &str, count: usize, lang: &Language) -> Prototypes {
    expand(name, Some(count), lang)
}

fn expand(name: &str, count: Option<usize>, lang: &Language) -> Prototypes {
    let mut list = Prototypes::new();
    for (row, group) in rows(name) {
        if group.is_available(lang) {
            let mut add = |p: Prototype| {
                // The same overload may be in the table twice, by a version and by an extension.
                let known = |q: &Prototype| q.params.iter().map(|p| p.ty).eq(p.params.iter().map(|p| p.ty));
                if count.is_none_or(|n| n == p.params.len()) && !list.iter().any(known) {
                    list.push(p);
                }
            };
            match &row.signature {
                Signature::Generic(s) => s.expand(lang, &mut add),
                Signature::Texture(s) => s.expand(lang, &mut add),
                Signature::Image(s) => s.expand(lang, &mut add),
            }
        }
    }
    list
}

/// Whether a name is a built-in function in a language.
pub fn is_function(name: &str, lang: &Language) -> bool {
    rows(name).iter().any(|(_, group)| group.is_available(lang))
}

/// The overload whose parameters have exactly these types.
pub fn exact(name: &str, args: &[Type], lang: &Language) -> Option<Prototype> {
    rows(name).iter().filter(|(_, group)| group.is_available(lang)).find_map(|(row, _)| {
        match &row.signature {
            Signature::Generic(s) => s.exact(args, lang),
            Signature::Texture(s) => s.exact(args, lang),
            Signature::Image(s) => s.exact(args, lang),
        }
    })
}

/// The names of all built-in functions of a language, sorted.
pub fn names(lang: &Language) -> impl Iterator<Item = &'static str> {
    INDEX
        .rows
        .chunk_by(|a, b| a.0.name == b.0.name)
        .filter(|chunk| chunk.iter().any(|(_, group)| group.is_available(lang)))
        .map(|chunk| chunk[0].0.name)
}

/// The requirements of a function that this version and stage lack, for messages ("needs GLSL 1.30 or GL_EXT_x"); `None` if no
/// language has it.
pub fn hint(name: &str, lang: &Language) -> Option<String> {
    let rows = rows(name);
    if rows.is_empty() {
        return None;
    }
    let here = || rows.iter().filter(|(_, group)| group.stages.contains(lang.stage));
    if here().next().is_none() {
        return Some(format!("is not available in the {} stage", availability::stage_name(lang.stage)));
    }
    availability::needs(lang, here().map(|(_, group)| &group.avail))
}
