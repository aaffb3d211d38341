//! Keywords, type names and reserved words by version and extension.
//!
//! The hash table of names is built at compile time.

use crate::basic_types::BASIC_TYPES;
use crate::extension::{Ext, ExtSet};
use crate::token::{Symbol, Tok};
use crate::version::{Avail, NEVER, Version};

/// Token of a keyword.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Keyword(Tok),
    Bool(bool),
    /// Nothing in any version.
    Nothing,
}

/// Versions from one on and before another.
#[derive(Clone, Copy, Debug)]
struct Range(u16, u16);

impl Range {
    const NONE: Range = Range(NEVER, NEVER);

    const fn from(version: u16) -> Range {
        Range(version, NEVER)
    }

    fn contains(self, version: u16) -> bool {
        self.0 <= version && version < self.1
    }
}

/// A keyword or reserved word.
struct Word {
    name: &'static str,
    meaning: Meaning,
    avail: Avail,
    /// Where it is reserved on desktop and in ES, unless it is available.
    desktop: Range,
    es: Range,
}

const fn keyword(name: &'static str, tok: Tok, avail: Avail) -> Word {
    Word { name, meaning: Meaning::Keyword(tok), avail, desktop: Range::NONE, es: Range::NONE }
}

const fn reserved(name: &'static str, desktop: Range, es: Range) -> Word {
    Word { name, meaning: Meaning::Nothing, avail: NONE, desktop, es }
}

/// Reserved from the first versions on.
const fn always_reserved(name: &'static str) -> Word {
    reserved(name, Range::from(110), Range::from(100))
}

/// Reserved since GLSL 1.30 and ES 3.00.
const fn reserved_130(name: &'static str) -> Word {
    reserved(name, Range::from(130), Range::from(300))
}

impl Word {
    /// Also reserved from these versions on, where it is not available.
    const fn or_reserved(self, desktop: u16, es: u16) -> Word {
        Word { desktop: Range::from(desktop), es: Range::from(es), ..self }
    }
}

const NONE: Avail = Avail::since(NEVER, NEVER);
const ALWAYS: Avail = Avail::ALWAYS;
const MEMORY: Avail = Avail::since(420, 310).or(&[
    Ext::ARB_shader_image_load_store,
    Ext::EXT_shader_image_load_store,
    Ext::ARB_shader_storage_buffer_object,
]);
const LAYOUT: Avail = Avail::since(140, 300).or(&[
    Ext::AMD_conservative_depth,
    Ext::ARB_compute_shader,
    Ext::ARB_conservative_depth,
    Ext::ARB_enhanced_layouts,
    Ext::ARB_explicit_attrib_location,
    Ext::ARB_explicit_uniform_location,
    Ext::ARB_fragment_coord_conventions,
    Ext::ARB_separate_shader_objects,
    Ext::ARB_shader_atomic_counters,
    Ext::ARB_shader_image_load_store,
    Ext::ARB_shader_storage_buffer_object,
    Ext::ARB_shading_language_420pack,
    Ext::ARB_tessellation_shader,
    Ext::ARB_uniform_buffer_object,
    Ext::EXT_separate_shader_objects,
    Ext::EXT_shader_framebuffer_fetch_non_coherent,
    Ext::EXT_shader_image_load_store,
    Ext::KHR_blend_equation_advanced,
]);
const SCOPES: Avail = NONE.or(&[Ext::KHR_memory_scope_semantics]);
const BARYCENTRIC: Avail = NONE.or(&[Ext::EXT_fragment_shader_barycentric]);
const MESH: Avail = NONE.or(&[Ext::EXT_mesh_shader]);

#[rustfmt::skip]
static WORDS: &[Word] = &[
    keyword("attribute", Tok::Attribute, Avail::since(0, 0).until(420, 300)).or_reserved(420, 300),
    keyword("varying", Tok::Varying, Avail::since(0, 0).until(420, 300)).or_reserved(420, 300),
    keyword("const", Tok::Const, ALWAYS),
    keyword("uniform", Tok::Uniform, ALWAYS),
    keyword("buffer", Tok::Buffer, Avail::since(430, 310).or(&[Ext::ARB_shader_storage_buffer_object])),
    keyword("shared", Tok::Shared, Avail::since(430, 310).or(&[Ext::ARB_compute_shader])),
    keyword("in", Tok::In, ALWAYS),
    keyword("out", Tok::Out, ALWAYS),
    keyword("inout", Tok::Inout, ALWAYS),
    keyword("layout", Tok::Layout, LAYOUT),
    keyword("centroid", Tok::Centroid, Avail::since(120, 300).or(&[Ext::EXT_gpu_shader4])),
    keyword("flat", Tok::Flat, Avail::since(130, 300).or(&[Ext::EXT_gpu_shader4])).or_reserved(NEVER, 100),
    keyword("smooth", Tok::Smooth, Avail::since(130, 300)),
    keyword("noperspective", Tok::Noperspective, Avail::since(130, NEVER).or(&[Ext::EXT_gpu_shader4, Ext::NV_shader_noperspective_interpolation])).or_reserved(NEVER, 300),
    keyword("patch", Tok::Patch, Avail::since(400, 320).or(&[Ext::ARB_tessellation_shader, Ext::EXT_tessellation_shader, Ext::OES_tessellation_shader])).or_reserved(NEVER, 300),
    keyword("sample", Tok::Sample, Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::OES_shader_multisample_interpolation])).or_reserved(NEVER, 300),
    keyword("invariant", Tok::Invariant, Avail::since(120, 100)),
    keyword("precise", Tok::Precise, Avail::since(400, 320).or(&[Ext::ARB_gpu_shader5, Ext::EXT_gpu_shader5, Ext::OES_gpu_shader5])).or_reserved(NEVER, 310),
    keyword("coherent", Tok::Coherent, MEMORY).or_reserved(NEVER, 300),
    keyword("volatile", Tok::Volatile, MEMORY).or_reserved(110, 100),
    keyword("restrict", Tok::Restrict, MEMORY).or_reserved(NEVER, 300),
    keyword("readonly", Tok::Readonly, MEMORY).or_reserved(NEVER, 300),
    keyword("writeonly", Tok::Writeonly, MEMORY).or_reserved(NEVER, 300),
    keyword("devicecoherent", Tok::Devicecoherent, SCOPES),
    keyword("queuefamilycoherent", Tok::Queuefamilycoherent, SCOPES),
    keyword("workgroupcoherent", Tok::Workgroupcoherent, SCOPES),
    keyword("subgroupcoherent", Tok::Subgroupcoherent, SCOPES),
    keyword("nonprivate", Tok::Nonprivate, SCOPES),
    keyword("nonuniformEXT", Tok::Nonuniform, NONE.or(&[Ext::EXT_nonuniform_qualifier])),
    keyword("pervertexEXT", Tok::Pervertex, BARYCENTRIC),
    keyword("pervertexNV", Tok::Pervertex, NONE.or(&[Ext::NV_fragment_shader_barycentric])),
    keyword("perprimitiveEXT", Tok::Perprimitive, MESH),
    keyword("taskPayloadSharedEXT", Tok::TaskPayloadShared, MESH),
    keyword("lowp", Tok::Lowp, Avail::since(130, 100)).or_reserved(120, 100),
    keyword("mediump", Tok::Mediump, Avail::since(130, 100)).or_reserved(120, 100),
    keyword("highp", Tok::Highp, Avail::since(130, 100)).or_reserved(120, 100),
    keyword("precision", Tok::Precision, Avail::since(130, 100)).or_reserved(120, 100),
    reserved("superp", Range::from(130), Range::from(100)),
    keyword("subroutine", Tok::Subroutine, Avail::since(400, NEVER).or(&[Ext::ARB_shader_subroutine])).or_reserved(NEVER, 300),
    keyword("struct", Tok::Struct, ALWAYS),
    keyword("void", Tok::Void, ALWAYS),
    keyword("break", Tok::Break, ALWAYS),
    keyword("continue", Tok::Continue, ALWAYS),
    keyword("do", Tok::Do, ALWAYS),
    keyword("for", Tok::For, ALWAYS),
    keyword("while", Tok::While, ALWAYS),
    keyword("if", Tok::If, ALWAYS),
    keyword("else", Tok::Else, ALWAYS),
    keyword("switch", Tok::Switch, Avail::since(130, 300)).or_reserved(110, 100),
    keyword("case", Tok::Case, Avail::since(130, 300)),
    keyword("default", Tok::Default, Avail::since(130, 300)).or_reserved(110, 100),
    keyword("discard", Tok::Discard, ALWAYS),
    keyword("demote", Tok::Demote, NONE.or(&[Ext::EXT_demote_to_helper_invocation])),
    keyword("terminateInvocation", Tok::Terminate, NONE.or(&[Ext::EXT_terminate_invocation])),
    keyword("return", Tok::Return, ALWAYS),
    Word { name: "true", meaning: Meaning::Bool(true), avail: ALWAYS, desktop: Range::NONE, es: Range::NONE },
    Word { name: "false", meaning: Meaning::Bool(false), avail: ALWAYS, desktop: Range::NONE, es: Range::NONE },
    always_reserved("asm"), always_reserved("class"), always_reserved("union"), always_reserved("enum"),
    always_reserved("typedef"), always_reserved("template"), always_reserved("this"),
    // A layout qualifier since there are blocks.
    reserved("packed", Range(110, 140), Range(100, 300)),
    always_reserved("goto"), always_reserved("inline"), always_reserved("noinline"), always_reserved("public"),
    always_reserved("static"), always_reserved("extern"), always_reserved("external"), always_reserved("interface"),
    always_reserved("long"), always_reserved("short"), always_reserved("half"), always_reserved("fixed"),
    always_reserved("unsigned"), always_reserved("input"), always_reserved("output"),
    always_reserved("hvec2"), always_reserved("hvec3"), always_reserved("hvec4"),
    always_reserved("fvec2"), always_reserved("fvec3"), always_reserved("fvec4"),
    always_reserved("sampler3DRect"), always_reserved("sizeof"), always_reserved("cast"),
    always_reserved("namespace"), always_reserved("using"),
    reserved_130("common"), reserved_130("partition"), reserved_130("active"), reserved_130("filter"),
    reserved_130("image1DShadow"), reserved_130("image2DShadow"), reserved_130("image1DArrayShadow"),
    reserved_130("image2DArrayShadow"),
    reserved("row_major", Range(130, 140), Range::NONE),
    reserved("resource", Range::from(420), Range::from(300)),
];

/// FNV-1a: names are short, and it can be computed while this crate is compiled.
const fn hash(name: &[u8]) -> u32 {
    let mut hash = 0x811c_9dc5u32;
    let mut i = 0;
    while i < name.len() {
        hash = (hash ^ name[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash ^ hash >> 15
}

const SLOTS: usize = 1024;
const EMPTY: u16 = u16::MAX;

/// Open addressing: positions in `WORDS`, or beyond its end in `BASIC_TYPES`.
static TABLE: [u16; SLOTS] = {
    let mut table = [EMPTY; SLOTS];
    let mut i = 0;
    while i < WORDS.len() + BASIC_TYPES.len() {
        let name = if i < WORDS.len() { WORDS[i].name } else { BASIC_TYPES[i - WORDS.len()].name };
        // `void` is in both tables: it is a keyword.
        if i < WORDS.len() || !is_void(name) {
            let mut slot = hash(name.as_bytes()) as usize % SLOTS;
            while table[slot] != EMPTY {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = i as u16;
        }
        i += 1;
    }
    table
};

const fn is_void(name: &str) -> bool {
    let name = name.as_bytes();
    name.len() == 4 && name[0] == b'v' && name[1] == b'o' && name[2] == b'i' && name[3] == b'd'
}

fn find(name: &str) -> Option<usize> {
    let mut slot = hash(name.as_bytes()) as usize % SLOTS;
    loop {
        let i = TABLE[slot];
        if i == EMPTY {
            return None;
        }
        let i = usize::from(i);
        let found = WORDS.get(i).map_or_else(|| BASIC_TYPES[i - WORDS.len()].name, |w| w.name);
        if found == name {
            return Some(i);
        }
        slot = (slot + 1) % SLOTS;
    }
}

/// The token that a name is, with its data.
pub(super) fn classify(name: &str, symbol: Symbol, version: Version, enabled: ExtSet) -> (Tok, u32) {
    let (avail, is_reserved, token) = match find(name) {
        None => return (Tok::Ident, symbol.0),
        Some(i) if i < WORDS.len() => {
            let word = &WORDS[i];
            let range = if version.is_es() { word.es } else { word.desktop };
            let token = match word.meaning {
                Meaning::Keyword(tok) => (tok, 0),
                Meaning::Bool(value) => (Tok::BoolConst, u32::from(value)),
                Meaning::Nothing => (Tok::Reserved, symbol.0),
            };
            (word.avail, range.contains(version.number), token)
        }
        Some(i) => {
            let position = i - WORDS.len();
            let ty = &BASIC_TYPES[position];
            (ty.avail, ty.reserved.holds(version, enabled), (Tok::Type, position as u32))
        }
    };
    if avail.holds(version, enabled) {
        token
    } else if is_reserved {
        (Tok::Reserved, symbol.0)
    } else {
        (Tok::Ident, symbol.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Profile;

    fn tok(name: &str, number: u16, profile: Profile, set: ExtSet) -> Tok {
        classify(name, Symbol(7), Version { number, profile }, set).0
    }

    #[test]
    fn every_name_is_found_once() {
        for (i, word) in WORDS.iter().enumerate() {
            assert_eq!(find(word.name), Some(i), "{}", word.name);
        }
        for (i, ty) in BASIC_TYPES.iter().enumerate().filter(|(_, t)| t.name != "void") {
            assert_eq!(find(ty.name), Some(i + WORDS.len()), "{}", ty.name);
        }
        assert_eq!(find("xyzzy"), None);
    }

    #[test]
    fn every_keyword_of_the_tokens_is_here_under_its_spelling() {
        for &(text, tok) in Tok::KEYWORDS.iter().filter(|(_, t)| *t != Tok::Superp) {
            let word = &WORDS[find(text).unwrap_or_else(|| panic!("{text}"))];
            assert!(matches!(word.meaning, Meaning::Keyword(t) if t == tok), "{text}");
        }
    }

    #[test]
    fn keywords_depend_on_version_and_extension() {
        let (es, core, compat) = (Profile::Es, Profile::Core, Profile::Compatibility);
        let none = ExtSet::EMPTY;
        assert_eq!(tok("attribute", 110, compat, none), Tok::Attribute);
        assert_eq!(tok("attribute", 300, es, none), Tok::Reserved);
        assert_eq!(tok("attribute", 450, core, none), Tok::Reserved);
        assert_eq!(tok("attribute", 450, compat, none), Tok::Attribute);
        assert_eq!(tok("sample", 330, core, none), Tok::Ident);
        assert_eq!(tok("sample", 330, core, none.with(Ext::ARB_gpu_shader5)), Tok::Sample);
        assert_eq!(tok("sample", 300, es, none), Tok::Reserved);
        assert_eq!(tok("packed", 120, compat, none), Tok::Reserved);
        assert_eq!(tok("packed", 150, compat, none), Tok::Ident);
        assert_eq!(tok("double", 330, core, none), Tok::Reserved);
        assert_eq!(tok("double", 400, core, none), Tok::Type);
        assert_eq!(tok("lowp", 110, compat, none), Tok::Ident);
        assert_eq!(tok("true", 110, compat, none), Tok::BoolConst);
        assert_eq!(tok("superp", 100, es, none), Tok::Reserved);
        assert_eq!(tok("void", 100, es, none), Tok::Void);
        assert_eq!(tok("float16_t", 450, core, none), Tok::Ident);
    }
}
