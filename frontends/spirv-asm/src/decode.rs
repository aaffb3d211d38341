//! Decodes instructions: words to text in the form of `spirv-dis`.

use crate::friendly::FriendlyNames;
use crate::names;
use crate::number::Number;
use airfoil_ir::Diagnostic;
use rspirv::grammar::{Instruction, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// A module with an incomplete instruction.
const MALFORMED: &str = "E0355";

const MAGIC: u32 = 0x0723_0203;
/// Words of the header.
const HEADER: usize = 5;
/// Instructions begin in this column; results precede it.
const COLUMN: usize = 15;

pub(crate) fn disassemble(words: &[u32], raw_ids: bool) -> Result<String, Box<Diagnostic>> {
    let malformed = |message: &str| Box::new(Diagnostic::error(MALFORMED, message));
    let &[magic, version, generator, bound, schema, ..] = words else {
        return Err(malformed("the module has no header"));
    };
    if magic != MAGIC {
        return Err(malformed("the module does not begin with the magic number"));
    }
    let mut out = format!(
        "; SPIR-V\n; Version: {}.{}\n; Generator: {}; {}\n; Bound: {bound}\n; Schema: {schema}\n",
        (version >> 16) & 0xff,
        (version >> 8) & 0xff,
        generator_name(generator >> 16),
        generator & 0xffff,
    );
    let known = Known::new(words)?;
    let names = if raw_ids { FriendlyNames::default() } else { FriendlyNames::new(words, &known) };
    let mut at = HEADER;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        let inst = &words[at..at + length];
        at += length;
        Line { known: &known, names: &names, inst, at: 1, text: String::new(), result: None }.write(&mut out);
    }
    Ok(out)
}

/// The name of a generator: its number, apart from those that have none of their own.
fn generator_name(number: u32) -> String {
    match number {
        0 => "Khronos".to_owned(),
        n => format!("Unknown({n})"),
    }
}

/// Facts about earlier instructions that later ones need.
pub(crate) struct Known {
    /// Types of numbers.
    pub(crate) numbers: FxHashMap<u32, Number>,
    /// Types of values.
    types: FxHashMap<u32, u32>,
    /// Names of extended instruction sets.
    sets: FxHashMap<u32, String>,
}

/// The text of a string, and the words that it takes.
pub(crate) fn string(words: &[u32]) -> (String, usize) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
    let length = (bytes.len() / 4 + 1).min(words.len());
    (String::from_utf8_lossy(&bytes).into_owned(), length)
}

impl Known {
    fn new(words: &[u32]) -> Result<Known, Box<Diagnostic>> {
        let mut known =
            Known { numbers: FxHashMap::default(), types: FxHashMap::default(), sets: FxHashMap::default() };
        let mut at = HEADER;
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            let Some(inst) = words.get(at..at + length).filter(|_| length > 0) else {
                let message = format!("the instruction at word {at} is cut off");
                return Err(Box::new(Diagnostic::error(MALFORMED, message)));
            };
            at += length;
            let typed = names::by_opcode(inst[0] & 0xffff).is_some_and(|grammar| {
                grammar.operands.first().is_some_and(|o| o.kind == OperandKind::IdResultType)
            });
            match (Op::from_u32(inst[0] & 0xffff), &inst[1..]) {
                (Some(Op::TypeInt), &[id, bits, signed]) => {
                    known.numbers.insert(id, Number::Int { bits, signed: signed != 0 });
                }
                (Some(Op::TypeFloat), &[id, bits]) => {
                    known.numbers.insert(id, Number::Float { bits });
                }
                (Some(Op::ExtInstImport), [id, name @ ..]) => {
                    known.sets.insert(*id, string(name).0);
                }
                (_, &[ty, id, ..]) if typed => {
                    known.types.insert(id, ty);
                }
                _ => {}
            }
        }
        Ok(known)
    }
}

/// An instruction that is written.
struct Line<'a> {
    known: &'a Known,
    names: &'a FriendlyNames,
    inst: &'a [u32],
    /// The next operand.
    at: usize,
    text: String,
    result: Option<u32>,
}

impl Line<'_> {
    fn write(mut self, out: &mut String) {
        match names::by_opcode(self.inst[0] & 0xffff) {
            Some(grammar) => {
                self.text = format!("Op{}", grammar.opname);
                self.operands(grammar.operands);
            }
            // The assembler takes words as they are.
            None => self.text = format!("!{:#010x}", self.inst[0]),
        }
        while let Some(word) = self.next() {
            self.text += &format!(" !{word:#x}");
        }
        match self.result {
            Some(id) => {
                let name = format!("%{}", self.names.get(id));
                *out += &format!("{name:>width$} = ", width = COLUMN - 3);
            }
            None => out.extend(std::iter::repeat_n(' ', COLUMN)),
        }
        *out += &self.text;
        out.push('\n');
    }

    fn next(&mut self) -> Option<u32> {
        let word = self.inst.get(self.at).copied()?;
        self.at += 1;
        Some(word)
    }

    fn operands(&mut self, list: &[LogicalOperand]) {
        for operand in list {
            match operand.quantifier {
                OperandQuantifier::One => self.operand(&operand.kind),
                OperandQuantifier::ZeroOrOne => {
                    if self.at < self.inst.len() {
                        self.operand(&operand.kind);
                    }
                }
                OperandQuantifier::ZeroOrMore => {
                    while self.at < self.inst.len() {
                        self.operand(&operand.kind);
                    }
                }
            }
        }
    }

    fn id(&mut self, id: u32) {
        self.text += " %";
        self.text += &self.names.get(id);
    }

    fn operand(&mut self, kind: &OperandKind) {
        let Some(word) = self.next() else { return };
        match kind {
            OperandKind::IdResult => self.result = Some(word),
            OperandKind::IdRef
            | OperandKind::IdResultType
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics => self.id(word),
            OperandKind::LiteralString => {
                let (text, length) = string(&self.inst[self.at - 1..]);
                self.at += length - 1;
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
                self.text += &format!(" \"{escaped}\"");
            }
            OperandKind::LiteralFloat => {
                self.text += &format!(" {}", Number::Float { bits: 32 }.show(word.into()))
            }
            OperandKind::LiteralContextDependentNumber => {
                let number = self.inst.get(1).and_then(|ty| self.known.numbers.get(ty)).copied();
                self.number(word, number);
            }
            OperandKind::LiteralExtInstInteger => self.extended(word),
            OperandKind::LiteralSpecConstantOpInteger => self.spec_constant_op(word),
            OperandKind::PairLiteralIntegerIdRef => {
                let ty = self.inst.get(1).and_then(|s| self.known.types.get(s));
                let number = ty.and_then(|ty| self.known.numbers.get(ty)).copied();
                self.number(word, number);
                self.operand(&OperandKind::IdRef);
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id(word);
                self.operand(&OperandKind::LiteralInteger);
            }
            OperandKind::PairIdRefIdRef => {
                self.id(word);
                self.operand(&OperandKind::IdRef);
            }
            kind if names::is_named(kind) => match names::name_of(kind, word) {
                Some((text, parameters)) => {
                    self.text.push(' ');
                    self.text += &text;
                    self.operands(&parameters);
                }
                None => self.text += &format!(" !{word:#x}"),
            },
            _ => self.text += &format!(" {word}"),
        }
    }

    fn number(&mut self, word: u32, number: Option<Number>) {
        let number = number.unwrap_or(Number::Int { bits: 32, signed: true });
        let high = if number.is_wide() { self.next().unwrap_or(0) } else { 0 };
        let text = number.show(u64::from(word) | (u64::from(high) << 32));
        self.text += &format!(" {text}");
    }

    fn extended(&mut self, number: u32) {
        let set = self.inst.get(self.at - 2).and_then(|id| self.known.sets.get(id));
        match set.and_then(|set| names::extended_by_number(set, number)) {
            Some(instruction) => {
                self.text += &format!(" {}", instruction.opname);
                self.operands(instruction.operands);
            }
            None => {
                self.text += &format!(" {number}");
                while self.at < self.inst.len() {
                    self.operand(&OperandKind::IdRef);
                }
            }
        }
    }

    fn spec_constant_op(&mut self, opcode: u32) {
        let Some(grammar): Option<&Instruction<'_>> = names::by_opcode(opcode) else {
            self.text += &format!(" !{opcode:#x}");
            return;
        };
        self.text += &format!(" {}", grammar.opname);
        let results = [OperandKind::IdResultType, OperandKind::IdResult];
        let operands: Vec<LogicalOperand> =
            grammar.operands.iter().filter(|o| !results.contains(&o.kind)).cloned().collect();
        self.operands(&operands);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, assemble, disassemble};

    const MODULE: &str = "; SPIR-V
; Version: 1.5
; Generator: Khronos; 0
; Bound: 20
; Schema: 0
               OpCapability Shader
          %1 = OpExtInstImport \"GLSL.std.450\"
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main \"ma\\\"in\" %x
               OpExecutionMode %main OriginUpperLeft
               OpName %main \"main\"
               OpName %x \"a.b\"
       %void = OpTypeVoid
          %5 = OpTypeFunction %void
      %float = OpTypeFloat 32
       %half = OpTypeFloat 16
      %short = OpTypeInt 16 1
      %ulong = OpTypeInt 64 0
  %float_0_1 = OpConstant %float 0.100000001
%float_0x1pn149 = OpConstant %float 0x1p-149
%float_n0x1p_128 = OpConstant %float -0x1p+128
%half_0x1_8p_1 = OpConstant %half 0x1.8p+1
   %short_n2 = OpConstant %short -2
%ulong_18446744073709551615 = OpConstant %ulong 18446744073709551615
%_ptr_Input_float = OpTypePointer Input %float
        %a_b = OpVariable %_ptr_Input_float Input
       %main = OpFunction %void None %5
         %18 = OpLabel
         %19 = OpLoad %float %a_b Volatile|Aligned 4
         %20 = OpExtInst %float %1 Sqrt %19
               OpReturn
               OpFunctionEnd
";

    #[test]
    fn text_comes_back() {
        let source = MODULE.replace("%x", "%a_b");
        let words = assemble(&source, &Options::default()).unwrap();
        let text = disassemble(&words, false).unwrap();
        // Ids are renumbered, so the text settles after one round.
        let again = disassemble(&assemble(&text, &Options::default()).unwrap(), false).unwrap();
        assert_eq!(text, again);
        for line in source
            .lines()
            .filter(|l| l.contains("OpConstant") || l.contains("OpLoad") || l.contains("OpEntry"))
        {
            let instruction = line.split_once(" = ").map_or(line.trim(), |(_, i)| i);
            let known: Vec<&str> = instruction.split(' ').filter(|w| !w.starts_with('%')).collect();
            let found = text.lines().any(|l| known.iter().all(|w| l.contains(w)));
            assert!(found, "{line}\n{text}");
        }
    }

    #[test]
    fn cut_modules_are_rejected() {
        let words = assemble("OpCapability Shader", &Options::default()).unwrap();
        assert!(disassemble(&words[..4], false).is_err() && disassemble(&words[..6], false).is_err());
        let raw = disassemble(&[words[0], words[1], 0, 9, 0, 0x0002_ffff, 7], true).unwrap();
        assert!(raw.ends_with("!0x0002ffff !0x7\n"), "{raw}");
    }
}
