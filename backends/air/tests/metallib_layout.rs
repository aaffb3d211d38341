//! The container that the writer produces, tag by tag, compared with one of Apple's `metallib` tool for functions of
//! the same kinds. The expected layout is written down here; Apple's files, where present, are compared with it too.

mod apple;

use airfoil_air::library::library;
use airfoil_air::metallib::{Library, Tag, read};
use airfoil_air::select::{DebugOptions, Options, Selected, select};
use std::fmt::Write as _;

const VERTEX: &str = r#"foil 1
shader vertex "probe_p02_vertex" {
  form target
  file "P02.metal"
  in vec4 pos location=0
  in vec2 uv location=1
  out vec4 pos.1 location=position
  out vec2 uv.1 location=0
  entry fn main @0:9 {
    32x1 %o = const 0
    32x4 %p = load_input %o io=0 dest_type=float32
    32x2 %uv = load_input %o io=1 dest_type=float32
    store_output %p, %o io=(position) src_type=float32
    store_output %uv, %o io=0 src_type=float32
  }
}
"#;

const FRAGMENTS: [&str; 2] = ["probe_p02_fragment", "probe_p02_fragment_rog"];

fn fragment(name: &str) -> String {
    format!(
        r#"foil 1
shader fragment "{name}" {{
  form target
  in vec2 uv location=0
  out vec4 color location=0
  entry fn main {{
    32x1 %o = const 0
    32x4 %c = const 1.0
    store_output %c, %o io=0 src_type=float32
  }}
}}
"#
    )
}

fn ours(debug: bool) -> Vec<u8> {
    let debug = debug.then(|| DebugOptions { directory: "/a".into(), file: String::new() });
    let options = Options { target: "macos26".parse().expect("a target"), debug, ..Options::default() };
    let compile = |text: &str| -> Selected {
        let shader = airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}", e[0]));
        select(&shader, &options).unwrap_or_else(|e| panic!("{}", e[0]))
    };
    let mut functions = vec![compile(VERTEX)];
    functions.extend(FRAGMENTS.map(|name| compile(&fragment(name))));
    library(&functions, &options).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn word(bytes: &[u8], at: usize, size: usize) -> u64 {
    bytes[at..at + size].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn tags(out: &mut String, tags: &[Tag<'_>], contents: &[&str]) {
    for tag in tags {
        let name = tag.name.to_string();
        let _ = write!(out, " {name}:{}", tag.payload.len());
        if contents.contains(&name.as_str()) {
            // The language does not affect the layout.
            let shown = if name == "VERS" { &tag.payload[..4] } else { tag.payload };
            let _ = write!(out, "={}", shown.escape_ascii());
        }
    }
    out.push_str(" ENDT\n");
}

/// Everything but sizes and bytes of modules.
fn layout(bytes: &[u8]) -> String {
    let library: Library<'_> = read(bytes).unwrap_or_else(|e| panic!("{e}"));
    library.verify().unwrap_or_else(|e| panic!("{e}"));
    let mut out = String::new();
    let _ = writeln!(out, "header {}", bytes[..16].escape_ascii());
    assert_eq!(word(bytes, 16, 8) as usize, bytes.len());
    // The list's size is without its count; the extension follows.
    let at = |index: usize| word(bytes, 24 + 16 * index, 8);
    let end = |index: usize| at(index) + word(bytes, 32 + 16 * index, 8) + if index == 0 { 4 } else { 0 };
    let _ = writeln!(out, "list at {}, count {}", at(0), word(bytes, at(0) as usize, 4));
    for (index, name) in ["public", "private", "bitcode"].into_iter().enumerate() {
        let _ = writeln!(out, "{name} {} behind", at(index + 1) - end(index));
    }
    let _ = writeln!(out, "end {} behind", bytes.len() as u64 - end(3));
    out.push_str("extension");
    tags(&mut out, library.extension.as_deref().unwrap_or_default(), &[]);
    for function in &library.functions {
        let _ = write!(out, "entry");
        tags(&mut out, &function.tags, &["NAME", "TYPE", "VERS"]);
        let _ = write!(out, "public");
        tags(&mut out, &function.public_tags, &["VATT", "VATY"]);
        let _ = write!(out, "private");
        tags(&mut out, &function.private_tags, &["DEBI"]);
        let offsets = function.tags.iter().find(|t| t.name.to_string() == "OFFT").expect("offsets").payload;
        for (index, section) in [1, 2].into_iter().enumerate() {
            // Records do not count their own size word.
            let record = (at(section) + word(offsets, 8 * index, 8)) as usize;
            let tags = if section == 1 { &function.public_tags } else { &function.private_tags };
            let content: usize = tags.iter().map(|t| 6 + t.payload.len()).sum();
            assert_eq!(word(bytes, record, 4) as usize, content + 4);
        }
        let blob = function.entry.bitcode;
        let words: Vec<u64> = [0, 4, 8, 16].iter().map(|&at| word(blob, at, 4)).collect();
        let _ = writeln!(out, "module {words:x?} padded to {}", if blob.len() % 16 == 0 { 16 } else { 1 });
    }
    out
}

const EXPECTED: &str = r#"header MTLB\x01\x80\x02\x00\t\x00\x00\x81\x1a\x00\x00\x00
list at 88, count 3
public 4 behind
private 0 behind
bitcode 0 behind
end 0 behind
extension ENDT
entry NAME:17=probe_p02_vertex\x00 TYPE:1=\x00 HASH:32 MDSZ:8 OFFT:24 VERS:8=\x02\x00\x08\x00 ENDT
public VATT:13=\x02\x00pos\x00\x00\x80uv\x00\x01\x80 VATY:4=\x02\x00\x06\x04 ENDT
private ENDT
module [b17c0de, 0, 14, ffffffff] padded to 16
entry NAME:19=probe_p02_fragment\x00 TYPE:1=\x01 HASH:32 MDSZ:8 OFFT:24 VERS:8=\x02\x00\x08\x00 ENDT
public ENDT
private ENDT
module [b17c0de, 0, 14, ffffffff] padded to 16
entry NAME:23=probe_p02_fragment_rog\x00 TYPE:1=\x01 HASH:32 MDSZ:8 OFFT:24 VERS:8=\x02\x00\x08\x00 ENDT
public ENDT
private ENDT
module [b17c0de, 0, 14, ffffffff] padded to 16
"#;

fn our_library_is_laid_out_as_apple_s() {
    assert_eq!(layout(&ours(false)), EXPECTED);
}

/// Debug information adds one tag to the private record, as in Apple's files that have it.
fn debug_information_adds_its_place() {
    let with = layout(&ours(true));
    let (mut added, mut lines) = (Vec::new(), EXPECTED.lines());
    for line in with.lines() {
        if lines.clone().next() == Some(line) {
            lines.next();
        } else {
            lines.next();
            added.push(line);
        }
    }
    let debi = |size: usize, rest: &str| format!("private DEBI:{size}={rest}\\x00 ENDT");
    assert_eq!(
        added,
        [
            debi(17, "\\t\\x00\\x00\\x00/a/P02.metal"),
            debi(26, "\\x00\\x00\\x00\\x00/a/probe_p02_fragment"),
            debi(30, "\\x00\\x00\\x00\\x00/a/probe_p02_fragment_rog"),
        ]
    );
}

fn apple_s_library_is_laid_out_so() {
    let folder = apple::folder();
    let bytes = std::fs::read(folder.join("kagura-P02.metallib")).expect("the library");
    assert_eq!(layout(&bytes), EXPECTED);
}

airfoil_filetest::harness! {
    our_library_is_laid_out_as_apple_s;
    debug_information_adds_its_place;
    apple_s_library_is_laid_out_so needs(Corpus("apple-air"));
}
