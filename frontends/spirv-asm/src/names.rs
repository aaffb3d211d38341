//! Names of opcodes and enumerants, and their operands.

use bitflags::Flags;
use rspirv::dr::Operand;
use rspirv::grammar::{
    ExtendedInstruction, INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind, ext_inst_table,
};
use rspirv::spirv;
use rustc_hash::FxHashMap;
use std::str::FromStr;
use std::sync::LazyLock;

/// All instructions, by names without `Op`.
static OPCODES: LazyLock<FxHashMap<&str, &Instruction<'_>>> =
    LazyLock::new(|| INSTRUCTION_TABLE.iter().map(|i| (i.opname, i)).collect());

/// Suffixes of vendors and Khronos; older and newer versions of a name differ in them.
const SUFFIXES: &[&str] = &["KHR", "EXT", "NV", "GOOGLE", "INTEL", "AMD", "ARM", "ALTERA", "QCOM"];

/// The first that is found under a name, or else under the name with another suffix or none.
fn with_any_suffix<T>(name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    find(name).or_else(|| {
        let stem = SUFFIXES.iter().find_map(|s| name.strip_suffix(s))?;
        find(stem).or_else(|| SUFFIXES.iter().find_map(|s| find(&format!("{stem}{s}"))))
    })
}

/// An instruction by its name without `Op`.
pub(crate) fn opcode(name: &str) -> Option<&'static Instruction<'static>> {
    with_any_suffix(name, |name| OPCODES.get(name).copied())
}

/// All instructions, by opcode.
static BY_OPCODE: LazyLock<FxHashMap<u32, &Instruction<'_>>> =
    LazyLock::new(|| INSTRUCTION_TABLE.iter().map(|i| (i.opcode as u32, i)).collect());

/// An instruction by its opcode.
pub(crate) fn by_opcode(opcode: u32) -> Option<&'static Instruction<'static>> {
    BY_OPCODE.get(&opcode).copied()
}

/// An instruction of an extended set by its number.
pub(crate) fn extended_by_number(set: &str, number: u32) -> Option<&'static ExtendedInstruction<'static>> {
    let table = ext_inst_table(set).or_else(|| ext_inst_table(set.rsplit_once('.')?.0))?;
    table.iter().find(|i| u32::from(i.opcode) == number)
}

/// The name of an instruction that is like one that does not exist; without `Op`.
pub(crate) fn nearest_opcode(name: &str) -> Option<&'static str> {
    airfoil_ir::diag::nearest(name, INSTRUCTION_TABLE.iter().map(|i| i.opname))
}

/// An instruction of an extended set: its number and operands.
pub(crate) fn extended(set: &str, name: &str) -> Option<&'static ExtendedInstruction<'static>> {
    // Sets may end in a revision: `NonSemantic.ClspvReflection.5`.
    let table = ext_inst_table(set).or_else(|| ext_inst_table(set.rsplit_once('.')?.0))?;
    table.iter().find(|i| i.opname == name)
}

/// The words of an enumerant: a value, or bits in order.
pub(crate) struct Enumerant {
    /// The word.
    pub(crate) word: u32,
    /// The operands that follow it.
    pub(crate) parameters: Vec<LogicalOperand>,
}

macro_rules! kinds {
    (values: $($value:ident)*; masks: $($mask:ident)*) => {
        /// Whether operands of a kind are names.
        pub(crate) fn is_named(kind: &OperandKind) -> bool {
            matches!(kind, $(OperandKind::$value)|* | $(OperandKind::$mask)|*)
        }

        fn value(kind: &OperandKind, name: &str) -> Option<(u32, Operand)> {
            match kind {
                $(OperandKind::$value => {
                    // The tables prefix `Dim` to the names of dimensions.
                    let own = spirv::$value::from_str(name).ok();
                    let long = || spirv::$value::from_str(&format!("Dim{name}")).ok();
                    let value = if *kind == OperandKind::Dim { long() } else { own }?;
                    Some((value as u32, Operand::$value(value)))
                })*
                _ => None,
            }
        }

        fn bits(kind: &OperandKind, name: &str) -> Option<u32> {
            match kind {
                $(OperandKind::$mask => {
                    spirv::$mask::FLAGS.iter().find(|f| same(f.name(), name)).map(|f| f.value().bits())
                })*
                _ => None,
            }
        }

        fn bit_operand(kind: &OperandKind, bit: u32) -> Option<Operand> {
            match kind {
                $(OperandKind::$mask => Some(Operand::$mask(spirv::$mask::from_bits_retain(bit))),)*
                _ => None,
            }
        }

        fn value_name(kind: &OperandKind, word: u32) -> Option<(String, Operand)> {
            match kind {
                $(OperandKind::$value => {
                    let value = spirv::$value::from_u32(word)?;
                    Some((format!("{value:?}"), Operand::$value(value)))
                })*
                _ => None,
            }
        }

        fn bit_name(kind: &OperandKind, bit: u32) -> Option<&'static str> {
            match kind {
                $(OperandKind::$mask => {
                    spirv::$mask::FLAGS.iter().find(|f| f.value().bits() == bit).map(|f| f.name())
                })*
                _ => None,
            }
        }

        fn is_mask(kind: &OperandKind) -> bool {
            matches!(kind, $(OperandKind::$mask)|*)
        }
    };
}

kinds! {
    values:
        SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim SamplerAddressingMode
        SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType FPRoundingMode FPDenormMode
        QuantizationModes FPOperationMode OverflowModes LinkageType AccessQualifier HostAccessQualifier
        FunctionParameterAttribute Decoration BuiltIn Scope GroupOperation KernelEnqueueFlags Capability
        RayQueryIntersection RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType PackedVectorFormat
        CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier LoadCacheControl
        StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding CooperativeVectorMatrixLayout ComponentType;
    masks:
        ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics MemoryAccess
        KernelProfilingInfo RayFlags FragmentShadingRate RawAccessChainOperands CooperativeMatrixOperands
        CooperativeMatrixReduce TensorAddressingOperands MatrixMultiplyAccumulateOperands TensorOperands
}

/// Whether a constant of the tables (`DONT_FLATTEN`) is a name of the grammar (`DontFlatten`).
fn same(constant: &str, name: &str) -> bool {
    let letters = constant.bytes().filter(|b| *b != b'_');
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && letters.eq(name.bytes().map(|b| b.to_ascii_uppercase()))
}

/// An enumerant, or names of bits with `|` between them; otherwise the name that is not known.
pub(crate) fn enumerant<'n>(kind: &OperandKind, text: &'n str) -> Result<Enumerant, &'n str> {
    if !is_mask(kind) {
        let (word, operand) = with_any_suffix(text, |name| value(kind, name)).ok_or(text)?;
        return Ok(Enumerant { word, parameters: operand.additional_operands() });
    }
    let mut word = 0;
    for name in text.split('|') {
        word |= match with_any_suffix(name, |name| bits(kind, name)) {
            Some(bits) => bits,
            None if name == "None" => 0,
            None => return Err(name),
        };
    }
    // Parameters follow in the order of their bits (SPIR-V 1.6 section 3, "mask" operands).
    let mut parameters = Vec::new();
    for bit in (0..32).map(|n| 1 << n).filter(|bit| word & bit != 0) {
        parameters.extend(bit_operand(kind, bit).map(|o| o.additional_operands()).unwrap_or_default());
    }
    Ok(Enumerant { word, parameters })
}

/// A name of the grammar (`DontFlatten`) from a constant of the tables (`DONT_FLATTEN`). Suffixes of vendors stay.
fn grammar_name(constant: &str) -> String {
    let mut name = String::new();
    for part in constant.split('_') {
        if SUFFIXES.contains(&part) {
            name += part;
        } else {
            let mut letters = part.chars();
            name.extend(letters.next());
            name.extend(letters.map(|c| c.to_ascii_lowercase()));
        }
    }
    name
}

/// The text of an enumerant or of bits, and the operands that follow.
pub(crate) fn name_of(kind: &OperandKind, word: u32) -> Option<(String, Vec<LogicalOperand>)> {
    if !is_mask(kind) {
        let (name, operand) = value_name(kind, word)?;
        // The tables prefix `Dim` to the names of dimensions.
        let name = if *kind == OperandKind::Dim { name.trim_start_matches("Dim").to_owned() } else { name };
        return Some((name, operand.additional_operands()));
    }
    if word == 0 {
        return Some(("None".to_owned(), Vec::new()));
    }
    let (mut names, mut parameters) = (Vec::new(), Vec::new());
    for bit in (0..32).map(|n| 1 << n).filter(|bit| word & bit != 0) {
        names.push(grammar_name(bit_name(kind, bit)?));
        parameters.extend(bit_operand(kind, bit).map(|o| o.additional_operands()).unwrap_or_default());
    }
    Some((names.join("|"), parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_times() {
        assert_eq!(opcode("DecorateStringGOOGLE").unwrap().opname, "DecorateString");
        assert_eq!(opcode("DemoteToHelperInvocationEXT").unwrap().opname, "DemoteToHelperInvocation");
        assert!(opcode("Frobnicate").is_none());
        assert_eq!(nearest_opcode("AcessChain"), Some("AccessChain"));
        let word = |kind, text| enumerant(&kind, text).map(|e| e.word);
        assert_eq!(word(OperandKind::Capability, "GroupNonUniformPartitionedNV"), Ok(5297));
        assert_eq!(word(OperandKind::MemoryAccess, "Volatile|MakePointerAvailableKHR"), Ok(9));
        assert_eq!(word(OperandKind::SelectionControl, "DontFlatten"), Ok(2));
        assert_eq!(word(OperandKind::MemoryAccess, "None"), Ok(0));
        assert_eq!(word(OperandKind::Dim, "2D"), Ok(1));
        assert_eq!(word(OperandKind::Dim, "Cube"), Ok(3));
        assert_eq!(word(OperandKind::Dim, "DimCube").ok(), None);
        assert_eq!(word(OperandKind::MemoryAccess, "Volatile|aligned"), Err("aligned"));
    }

    #[test]
    fn parameters_follow_in_order_of_bits() {
        let e = enumerant(&OperandKind::ImageOperands, "ConstOffset|Grad|Bias").ok().unwrap();
        assert_eq!((e.word, e.parameters.len()), (13, 4));
        let e = enumerant(&OperandKind::MemoryAccess, "MakePointerVisible|Aligned").ok().unwrap();
        assert_eq!(e.parameters[0].kind, OperandKind::LiteralInteger);
        assert_eq!(e.parameters[1].kind, OperandKind::IdScope);
    }

    #[test]
    fn extended_sets() {
        assert_eq!(extended("GLSL.std.450", "Sqrt").map(|i| u32::from(i.opcode)), Some(31));
        assert!(extended("NonSemantic.ClspvReflection.5", "Kernel").is_some());
        assert!(extended("GLSL.std.450", "Sqirt").is_none() && extended("other", "Sqrt").is_none());
    }
}
