//! Counts the constructs of AIR modules: instructions, functions, attributes, metadata.
//!
//! `cargo run --profile conformance -p airfoil-air --example air_census -- FILE... [--against FILE...]`
//!
//! Files are libraries or modules. Each row has the construct, the count of its occurrences and the count of the functions that have it, for the first
//! files and for those after `--against`; rows that only the first files have end with `*`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use airfoil_air::functions::AirFunction;
use airfoil_air::module::{Attr, AttrIndex, AttrSet, Const, FastMath, Inst, MdKind, Module, Op, Type, Value};
use airfoil_air::{bitcode, metallib};
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

/// Occurrences and modules by construct.
#[derive(Default)]
struct Census {
    modules: usize,
    bytes: usize,
    counts: BTreeMap<String, (usize, usize)>,
}

fn main() -> ExitCode {
    let mut sides = [Census::default(), Census::default()];
    let mut side = 0;
    for argument in std::env::args().skip(1) {
        if argument == "--against" {
            side = 1;
        } else if let Err(message) = sides[side].file(&argument) {
            eprintln!("{argument}: {message}");
            return ExitCode::FAILURE;
        }
    }
    let [first, second] = &sides;
    println!(
        "modules: {} of {} bytes, {} of {} bytes",
        first.modules, first.bytes, second.modules, second.bytes
    );
    let constructs: BTreeSet<&String> = first.counts.keys().chain(second.counts.keys()).collect();
    for construct in constructs {
        let count = |census: &Census| census.counts.get(construct).copied().unwrap_or_default();
        let (here, there) = (count(first), count(second));
        let only = if there.0 == 0 { " *" } else { "" };
        println!("{construct}\t{}\t{}\t{}\t{}{only}", here.0, here.1, there.0, there.1);
    }
    ExitCode::SUCCESS
}

impl Census {
    fn file(&mut self, path: &str) -> Result<(), String> {
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        if !bytes.starts_with(b"MTLB") {
            return self.module(&bytes);
        }
        let library = metallib::read(&bytes).map_err(|e| e.to_string())?;
        for function in &library.functions {
            self.module(function.entry.bitcode)?;
        }
        Ok(())
    }

    fn module(&mut self, bytes: &[u8]) -> Result<(), String> {
        let module = bitcode::read(bytes).map_err(|e| e.to_string())?;
        let mut found = Found { m: &module, counts: BTreeMap::new() };
        found.all();
        for (construct, count) in found.counts {
            let entry = self.counts.entry(construct).or_default();
            *entry = (entry.0 + count, entry.1 + 1);
        }
        (self.modules, self.bytes) = (self.modules + 1, self.bytes + bytes.len());
        Ok(())
    }
}

/// The constructs of one module.
struct Found<'m> {
    m: &'m Module,
    counts: BTreeMap<String, usize>,
}

impl Found<'_> {
    fn add(&mut self, construct: String) {
        *self.counts.entry(construct).or_default() += 1;
    }

    fn all(&mut self) {
        let m = self.m;
        for function in m.functions() {
            let kind = if function.body.is_some() { "definition" } else { "declaration" };
            self.attributes(kind, function.attrs);
            let Some(body) = &function.body else { continue };
            self.add(format!("linkage {:?}", function.linkage));
            if function.fastcc {
                self.add("fastcc definition".to_owned());
            }
            if m.text(function.name) == m.source_filename {
                self.add("source_filename is a function's name".to_owned());
            }
            for inst in body.insts() {
                let operand = (inst.op == Op::Alloca).then(|| body.value(inst, 0));
                self.instruction(inst, operand);
                if inst.op == Op::Call {
                    self.call(body.callee(inst));
                    self.attributes("call", body.call_attrs(inst));
                }
            }
            for attached in body.attached() {
                let name = m.attachment_name(attached.kind);
                let on = body.insts()[attached.inst as usize].op.name();
                self.add(format!("metadata !{name} on {on}"));
            }
        }
        for global in m.globals() {
            self.add(format!("global {:?} in address space {}", global.linkage, global.space));
        }
        for named in m.metadata().named() {
            self.add(format!("named metadata {}", m.text(named.name)));
        }
        for &text in m.metadata().strings() {
            let text = m.text(text);
            if text.starts_with("air.")
                || text.starts_with("llvm.")
                || text == "generated(__air_placeholder__)"
            {
                self.add(format!("metadata string {text}"));
            }
        }
        for node in 0..m.metadata().node_count() as u32 {
            if m.metadata().node(node).iter().any(|md| matches!(md.kind(), MdKind::Node(n) if n == node)) {
                self.add("metadata node that refers to itself".to_owned());
            }
        }
        for constant in 0..m.constants().len() as u32 {
            let kind = match m.constants().get(constant) {
                Const::Poison => "poison",
                Const::Undef => "undef",
                Const::Cast(..) => "cast expression",
                Const::Gep(_) | Const::PlainGep(_) => "getelementptr expression",
                Const::Binary(..) => "operation expression",
                _ => continue,
            };
            self.add(format!("constant {kind}"));
        }
        for ty in m.types().all() {
            if let Type::Vector { .. } = ty {
                self.add(format!("type {}", vector_text(m, *ty)));
            } else if let Type::BFloat | Type::Double = ty {
                self.add(format!("type {ty:?}").to_lowercase());
            }
        }
    }

    fn instruction(&mut self, inst: &Inst, operand: Option<Value>) {
        let types = self.m.types();
        let shape = match types.get(inst.ty) {
            Type::Vector { .. } => " of vectors",
            Type::Pointer { .. } if inst.op == Op::Phi => " of pointers",
            _ => "",
        };
        let dynamic = operand.is_some_and(|v| !v.is_module_level());
        let name = inst.op.name();
        self.add(format!("instruction {name}{}", if dynamic { " of dynamic size" } else { shape }));
        let takes_flags = matches!(inst.op, Op::Binary(op) if op.is_fp())
            || matches!(inst.op, Op::FCmp(_) | Op::Phi | Op::Select);
        let flags = inst.fast_math();
        if takes_flags && flags != FastMath::NONE {
            self.add(format!("flags {} on {name}", flag_text(flags)));
        }
    }

    fn call(&mut self, callee: Value) {
        let Some(function) = self.m.function(callee) else { return self.add("call of a pointer".to_owned()) };
        let name = self.m.text(function.name);
        let base = match AirFunction::parse(name) {
            Some(known) => known.base.info().name.to_owned(),
            None if name.starts_with("llvm.") || name.starts_with("air.") => {
                let is_type = |word: &&str| {
                    word.starts_with(|c| "vifspu".contains(c))
                        && word.len() < 8
                        && word.contains(|c: char| c.is_ascii_digit())
                };
                name.split('.').filter(|word| !is_type(word)).collect::<Vec<_>>().join(".")
            }
            None => "a function of the module".to_owned(),
        };
        self.add(format!("call {base}"));
    }

    fn attributes(&mut self, on: &str, set: AttrSet) {
        let m = self.m;
        for &group in m.attributes().set(set) {
            let (index, attrs) = m.attributes().group(group);
            let place = match index {
                AttrIndex::FUNCTION => String::new(),
                AttrIndex::RETURN => " result".to_owned(),
                _ => " parameter".to_owned(),
            };
            for attr in attrs {
                let text = match *attr {
                    Attr::Flag(kind) | Attr::Int(kind, _) | Attr::Type(kind, _) => {
                        kind.name().map_or_else(|| format!("{}", kind.0), str::to_owned)
                    }
                    Attr::Text(key, _) => format!("\"{}\"", m.text(key)),
                };
                self.add(format!("attribute {text} on {on}{place}"));
            }
        }
    }
}

fn vector_text(m: &Module, ty: Type) -> String {
    let Type::Vector { elem, len } = ty else { return String::new() };
    let bits = m.types().bits(elem);
    let letter = if m.types().is_fp(elem) { 'f' } else { 'i' };
    format!("v{len}{letter}{bits}")
}

fn flag_text(flags: FastMath) -> String {
    let names = ["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"];
    if flags == FastMath::FAST {
        return "fast".to_owned();
    }
    let set = names.iter().enumerate().filter(|(bit, _)| flags.0 & 1 << bit != 0);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}
