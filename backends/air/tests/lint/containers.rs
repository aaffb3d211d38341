//! Libraries whose container violates a rule, some of them by damage.

use crate::build::*;
use airfoil_air::metallib::{self, FunctionKind, TagName};
use airfoil_air::module::*;
use airfoil_air::rules::Rule;
use airfoil_air::target::{AirVersion, LanguageVersion};
use airfoil_air::{bitcode, metallib::Library};

fn plain() -> Vec<u8> {
    library("macos14", &[kernel("macos14", |_| {})])
}

/// A library after a change of its bytes, given how it reads before.
fn damaged(mut file: Vec<u8>, change: impl FnOnce(&Library<'_>, &mut Vec<u8>)) -> Vec<u8> {
    let original = file.clone();
    change(&metallib::read(&original).expect("reads before the damage"), &mut file);
    file
}

fn tag(library: &Library<'_>, function: usize, name: TagName) -> usize {
    let tags = &library.functions[function].tags;
    tags.iter().find(|t| t.name == name).expect("the tag").offset as usize
}

fn add(file: &mut [u8], at: usize, amount: u64) {
    let old = u64::from_le_bytes(file[at..at + 8].try_into().unwrap());
    file[at..at + 8].copy_from_slice(&(old + amount).to_le_bytes());
}

/// A kernel with another name.
fn renamed(target: &str, name: &str) -> Module {
    let mut m = module(target);
    let f = m.define(name, TypeId::VOID, &[], Linkage::External);
    code(&mut m, f, |_| {});
    entry(&mut m, "kernel", f, &[], &[]);
    m
}

/// A kernel with other versions than its target's.
fn versioned(triple: &str, name: &str, air: (u16, u16), language: (u16, u16)) -> Module {
    let mut m = Module::new("f", triple);
    versions(&mut m, air, language);
    let f = m.define(name, TypeId::VOID, &[], Linkage::External);
    code(&mut m, f, |_| {});
    entry(&mut m, "kernel", f, &[], &[]);
    m
}

const TRIPLE: &str = "air64-apple-macosx14.0.0";

/// Damages a module so that the reader gives an error: the first change of a bit, or of two bits of a byte, that does.
fn damaged_module(m: &Module, error: &str) -> Vec<u8> {
    let blob = bitcode::write_wrapped(m);
    let gives = |blob: &[u8]| bitcode::read(blob).is_err_and(|e| e.message.contains(error));
    for masks in [&[1u8, 2, 4, 8, 16, 32, 64, 128][..], &[0x11, 0x22, 0x44, 0x88]] {
        for at in 20..blob.len() {
            for mask in masks {
                let mut changed = blob.clone();
                changed[at] ^= mask;
                if gives(&changed) {
                    return changed;
                }
            }
        }
    }
    // The two bits of a number may be in neighbouring bytes.
    for bit in 160..blob.len() * 8 - 8 {
        let mut changed = blob.clone();
        for bit in [bit, bit + 4] {
            changed[bit / 8] ^= 1 << (bit % 8);
        }
        if gives(&changed) {
            return changed;
        }
    }
    panic!("no change of the module gives `{error}`");
}

fn bad_module(rule: Rule, m: Module, error: &str) -> Violation {
    let blob = damaged_module(&m, error);
    by(rule, pack("macos14", &[m], &[blob], |_| {}))
}

pub fn violations() -> Vec<Violation> {
    let vertex_input = |m: &mut Module| {
        let float4 = m.vector(TypeId::FLOAT, 4);
        let list = [N(0), T("air.vertex_input"), T("air.location_index"), N(0), N(1)];
        vec![(float4, named(m, &list, "float4", "position"))]
    };
    let mut list = vec![
        by(Rule::Truncated, damaged(plain(), |_, file| file.truncate(file.len() - 16))),
        by(Rule::FileSize, damaged(plain(), |_, file| file.extend([0; 16]))),
        by(Rule::Hash, damaged(plain(), |library, file| file[tag(library, 0, TagName::HASH)] ^= 1)),
        by(Rule::Layout, damaged(plain(), |library, file| file[library.functions[0].offset as usize] -= 1)),
        by(Rule::Wrapper, {
            // Padding that is not zero, with the hash of these bytes.
            let m = renamed("macos14", "f");
            let mut blob = bitcode::write_wrapped(&m);
            let last = blob.len() - 1;
            assert_eq!(blob[last], 0, "the module has no padding");
            blob[last] = 1;
            pack("macos14", &[m], &[blob], |_| {})
        }),
        by(
            Rule::EntryName,
            library_with("macos14", &[kernel("macos14", |_| {})], |entries| entries[0].name = "other"),
        ),
        by(
            Rule::EntryKind,
            library_with("macos14", &[kernel("macos14", |_| {})], |entries| {
                entries[0].kind = FunctionKind::Fragment
            }),
        ),
        by(
            Rule::EmptyAttributes,
            damaged(
                library("macos14", &[vertex("macos14", |_| Vec::new(), |_| Vec::new())]),
                |library, file| {
                    // A tag in the public record, which is empty: its size, and everything after it.
                    let record = library.section("public metadata").unwrap().offset as usize;
                    let tag = [&b"VATT"[..], &2u16.to_le_bytes(), &[0, 0]].concat();
                    file.splice(record + 4..record + 4, tag);
                    file[record] += 8;
                    for field in [16, 48, 56, 72] {
                        add(file, field, 8);
                    }
                },
            ),
        ),
        by(
            Rule::MissingAttributes,
            library_with("macos14", &[vertex("macos14", |_| Vec::new(), vertex_input)], |entries| {
                entries[0].vertex_attributes.clear();
            }),
        ),
        by(Rule::MissingPatch, {
            let mut m = module("macos14");
            let float4 = m.vector(TypeId::FLOAT, 4);
            let f = m.define("f", float4, &[], Linkage::External);
            code(&mut m, f, |b| {
                let zero = zero4(b);
                b.ret(zero);
            });
            let output = named(&mut m, &[T("air.position")], "float4", "position");
            let patch = words(&mut m, &[T("air.patch"), T("quad"), T("air.patch_control_point"), N(4)]);
            let (function, outputs, inputs) = (m.md_value(f), m.md_node(&[output]), m.md_node(&[]));
            let node = m.md_node(&[function, outputs, inputs, patch]);
            m.add_named_md("air.vertex", node);
            library_with("macos14", &[m], |entries| entries[0].tessellation = None)
        }),
        by(Rule::DuplicateName, {
            let both = [renamed("macos14", "same"), renamed("macos14", "same")];
            let file = library_with("macos14", &both, |entries| entries[1].name = "sane");
            damaged(file, |library, file| file[tag(library, 1, TagName::NAME) + 2] = b'm')
        }),
        by(Rule::LibraryAir, library("macos14", &[versioned(TRIPLE, "f", (2, 7), (3, 1))])),
        by(Rule::LibraryLanguage, library("macos14", &[versioned(TRIPLE, "f", (2, 6), (3, 2))])),
        by(
            Rule::FunctionAir,
            library(
                "macos14",
                &[versioned(TRIPLE, "f", (2, 6), (3, 1)), versioned(TRIPLE, "g", (2, 7), (3, 1))],
            ),
        ),
        by(
            Rule::FunctionLanguage,
            library(
                "macos14",
                &[versioned(TRIPLE, "f", (2, 6), (3, 1)), versioned(TRIPLE, "g", (2, 6), (3, 2))],
            ),
        ),
        by(Rule::Platform, library("macos14", &[versioned("air64-apple-ios17.0.0", "f", (2, 6), (3, 1))])),
        by(Rule::TripleOs, library("macos14", &[versioned("air64-apple-macosx15.0.0", "f", (2, 6), (3, 1))])),
        by(
            Rule::ArchSpelling,
            library("macos14", &[versioned("air64_v25-apple-macosx14.0.0", "f", (2, 6), (3, 1))]),
        ),
        by(
            Rule::ModuleVersion,
            library_with("macos14", &[renamed("macos14", "f")], |entries| {
                entries[0].air = AirVersion::new(2, 5);
                entries[0].language = LanguageVersion::new(3, 0);
            }),
        ),
    ];
    let store = || {
        kernel("macos14", |b| {
            let (pointer, zero) = (b.arg(0), b.module.float(0.5));
            let index = b.zext(b.arg(3), TypeId::I64);
            let pointer = b.gep(pointer, &[index]);
            b.store(zero, pointer, 4);
        })
    };
    list.extend([
        bad_module(Rule::OpaquePointers, store(), "without a pointee type"),
        bad_module(Rule::UnreadableModule, store(), "does not exist"),
        bad_module(Rule::GepType, store(), "not of the type given"),
        bad_module(Rule::ForeignInstruction, store(), "(fence)"),
    ]);
    list
}
