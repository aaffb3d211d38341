//! The public lists of errors of Metal's loaders, row by row: the rules that check each, or the reason why a file does not show it.
//!
//! The lists are those of `shared/reference/air/loaders.md`. A test compares them with that file.

use crate::rules::Rule;

/// A list of `loaders.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum List {
    /// "What triggers which error".
    Errors,
    /// "Rules for old readers".
    OldReaders,
    /// "Facts from DXMT's history".
    Dxmt,
}

impl List {
    /// All lists.
    pub const ALL: [List; 3] = [List::Errors, List::OldReaders, List::Dxmt];

    /// Title for pages.
    pub fn title(self) -> &'static str {
        match self {
            List::Errors => "Triggers of errors",
            List::OldReaders => "Readers of macOS 13, iOS 16 and before",
            List::Dxmt => "DXMT's history",
        }
    }
}

/// How a trigger is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// By these rules.
    Rules(&'static [Rule]),
    /// Not at all, for this reason.
    Unchecked(&'static str),
}

/// A trigger of a row.
#[derive(Clone, Copy, Debug)]
pub struct Trigger {
    /// A part of the row's text.
    pub text: &'static str,
    /// How it is checked.
    pub coverage: Coverage,
}

/// A row of a list.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The list.
    pub list: List,
    /// Its triggers.
    pub triggers: &'static [Trigger],
}

impl Row {
    /// Whether a rule checks a trigger of the row.
    pub fn is_checked(&self) -> bool {
        self.triggers.iter().any(|t| matches!(t.coverage, Coverage::Rules(_)))
    }
}

const fn rules(text: &'static str, rules: &'static [Rule]) -> Trigger {
    Trigger { text, coverage: Coverage::Rules(rules) }
}

const fn unchecked(text: &'static str, reason: &'static str) -> Trigger {
    Trigger { text, coverage: Coverage::Unchecked(reason) }
}

const fn row(list: List, triggers: &'static [Trigger]) -> Row {
    Row { list, triggers }
}

/// All rows, in the order of the file.
pub static ROWS: &[Row] = &[
    row(List::Errors, &[rules("header size / MDSZ beyond the file", &[Rule::Truncated, Rule::FileSize])]),
    row(
        List::Errors,
        &[rules("AIR version (0xMMMMmmmm: 2.8) of the library newer than the OS", &[Rule::LibraryAir])],
    ),
    row(
        List::Errors,
        &[rules("language version of the **first** module in the file", &[Rule::LibraryLanguage])],
    ),
    row(List::Errors, &[rules("VERS language pair > OS maximum", &[Rule::FunctionLanguage])]),
    row(List::Errors, &[rules("VERS AIR pair > OS maximum", &[Rule::FunctionAir])]),
    row(
        List::Errors,
        &[rules("platform word of triple/header against the running platform", &[Rule::Platform])],
    ),
    row(List::Errors, &[rules("OS **major** in the triple newer than the OS", &[Rule::TripleOs])]),
    row(List::Errors, &[rules("module with opaque pointers (TYPE code 25)", &[Rule::OpaquePointers])]),
    row(
        List::Errors,
        &[
            rules("record the reader rejects", &[Rule::UnreadableModule, Rule::MalformedModule]),
            rules("phi with mismatched pointer types", &[Rule::PhiRecord]),
            rules("Explicit gep type does not match pointee type", &[Rule::GepType]),
            rules("attributes or flags newer than LLVM 15", &[Rule::UnknownAttribute]),
            rules("simdgroup pointer whose pointee disagrees with the suffix", &[Rule::MatrixPointee]),
            rules("store through a constant null device pointer", &[Rule::NullStore]),
            rules("byte GEP into the middle", &[Rule::ByteGep]),
            unchecked(
                "MSC 3.0.6 bug with some GS",
                "a defect of Apple's converter in one version; the modules that it concerns are not public",
            ),
            unchecked(
                "llvm firstbit forms",
                "the thread names functions of HLSL, not the AIR that they become",
            ),
        ],
    ),
    row(
        List::Errors,
        &[
            rules("intrinsic with the signature of another AIR version", &[Rule::Signature]),
            rules("texture or sampler parameter whose pointee is `{}`", &[Rule::HandleType]),
            rules("a fragment function put into a compute pipeline", &[Rule::EntryKind]),
            rules("missing `air.arg_type_name`/`air.arg_name` since macOS 14", &[Rule::ArgumentName]),
            rules("a constant sampler missing in `!air.sampler_states`", &[Rule::SamplerState]),
            rules("address spaces 4/5 used for params/locals", &[Rule::ArgumentSpace, Rule::GlobalSpace]),
            rules("`llvm.sin/cos/pow/minimum/vector.reduce…`", &[Rule::CrashingIntrinsic]),
            rules("`bitcast <N x i1>`<->iN", &[Rule::BoolBitcast]),
            rules("`fence`", &[Rule::ForeignInstruction]),
            rules("wide aggregate loads used several times", &[Rule::WideAggregate]),
            rules("unknown attribute kind", &[Rule::UnknownAttribute, Rule::RecentAttribute]),
        ],
    ),
    row(
        List::Errors,
        &[
            rules("fragment output `air.render_target` with one int", &[Rule::RenderTarget]),
            rules("texture argument described as `air.buffer`", &[Rule::RoleType]),
        ],
    ),
    row(
        List::Errors,
        &[
            rules("constant global outside AS 2", &[Rule::GlobalSpace]),
            rules("`llvm.exp10/ldexp`", &[Rule::MissingIntrinsic]),
            rules("an air.* name that the OS lacks", &[Rule::FunctionVersion, Rule::UnavailableFunction]),
        ],
    ),
    row(List::Errors, &[rules("varying types differ", &[Rule::InputType])]),
    row(
        List::Errors,
        &[rules("external helper in two linked modules", &[Rule::VisibleHelper, Rule::MultiplyDefined])],
    ),
    row(
        List::Errors,
        &[rules("arithmetic with overflow reaching AGX in some shape", &[Rule::OverflowIntrinsic])],
    ),
    row(List::Errors, &[rules("TESS tag missing", &[Rule::MissingPatch])]),
    row(List::Errors, &[rules("mark never-written arguments `air.read`", &[Rule::Access])]),
    row(List::Errors, &[rules("VATT/VATY present but empty", &[Rule::EmptyAttributes])]),
    row(
        List::Errors,
        &[
            rules("visible function returning `<{T}>`", &[Rule::VisibleReturn]),
            rules("store through `addrspacecast` alloca->device", &[Rule::PrivateToDevice]),
            rules("varying strings differ", &[Rule::UnwrittenInput]),
        ],
    ),
    row(List::Errors, &[rules("`llvm.trap` reached in a compute kernel", &[Rule::Trap])]),
    row(List::Errors, &[rules("1-byte access through GEP chain", &[Rule::ByteChain])]),
    row(List::OldReaders, &[rules("no `poison` anywhere", &[Rule::Poison])]),
    row(List::OldReaders, &[rules("no `fneg`", &[Rule::FNeg])]),
    row(List::OldReaders, &[rules("no fast-math flags on `phi`", &[Rule::PhiFlags])]),
    row(
        List::OldReaders,
        &[rules("no `freeze`, smin/smax/umin/umax/abs", &[Rule::Freeze, Rule::RecentIntrinsic])],
    ),
    row(List::OldReaders, &[rules("drop mustprogress, nofree", &[Rule::RecentAttribute])]),
    row(List::OldReaders, &[rules("drop fragment inputs that are never read", &[Rule::UnmarkedInput])]),
    row(
        List::OldReaders,
        &[rules("VERS must equal the module's own air.version/language", &[Rule::ModuleVersion])],
    ),
    row(
        List::OldReaders,
        &[unchecked(
            "accumulator-first chains",
            "measured in one shader on one device; modules of AIR 1.8 and 2.3 by Apple's own compiler have such chains and far extracts (syphon, metaljl-constants.11), so the form of the code is not the cause",
        )],
    ),
    row(
        List::Dxmt,
        &[rules(
            "Mesh output of one threadgroup is limited to **32,768 bytes**",
            &[Rule::MeshSize, Rule::Payload],
        )],
    ),
    row(
        List::Dxmt,
        &[
            rules("vertex counts <= 256, indices i8", &[Rule::MeshCounts, Rule::Signature]),
            unchecked(
                "Declare a few more primitives than needed",
                "a workaround: how many primitives are needed depends on the data",
            ),
        ],
    ),
    row(
        List::Dxmt,
        &[
            rules("return zeroinitializer, not undef", &[Rule::UndefinedOutput]),
            unchecked("Sanitise non-finite positions", "whether a position is finite depends on the data"),
            unchecked("NaN texture coordinates differ", "whether a coordinate is NaN depends on the data"),
        ],
    ),
    row(
        List::Dxmt,
        &[unchecked(
            "orthogonal to LLVM fast-math flags",
            "not a restriction: it states that a combination is allowed",
        )],
    ),
    row(
        List::Dxmt,
        &[unchecked(
            "mul+add is fused by the back end",
            "fusing is correct unless the source forbids it, which a library does not show",
        )],
    ),
    row(List::Dxmt, &[unchecked("Works without `air.compile_options`", "not a restriction")]),
    row(
        List::Dxmt,
        &[
            rules("no LLVM atomics (39cd387)", &[Rule::ForeignInstruction]),
            unchecked(
                "`unpack.{s,u}norm4x16` missing on non-Apple GPUs",
                "correct on Apple GPUs; a library does not name the GPU",
            ),
            unchecked(
                "arrays of vectors indexed dynamically are miscompiled",
                "correct on Apple GPUs; a library does not name the GPU",
            ),
            unchecked(
                "16-bit texture reads broken",
                "correct on Apple GPUs; a library does not name the GPU",
            ),
        ],
    ),
    row(
        List::Dxmt,
        &[unchecked(
            "needs `air.simdgroup.barrier`",
            "whether two lanes access the same location depends on the data",
        )],
    ),
    row(
        List::Dxmt,
        &[unchecked("can make PSO compilation take a very long time", "a matter of time, not of acceptance")],
    ),
    row(
        List::Dxmt,
        &[unchecked("MSC (Apple): geometry = object function", "describes another compiler's output")],
    ),
];
