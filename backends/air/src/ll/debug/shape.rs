//! Labels and forms of the fields of debug information, in LLVM's order.

use crate::module::{Md, di};

/// How a field is written.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Reference, left out if null.
    Ref,
    /// Reference, `null` if there is none.
    Need,
    /// String, left out if there is none.
    Text,
    /// String, empty if there is none.
    NeedText,
    /// Number, left out if zero.
    Number,
    /// Number that is always written.
    Always,
    /// Number with a sign, in two's complement.
    Plain,
    /// Number with the sign in the lowest bit.
    Signed,
    /// Left out if false.
    True,
    /// Left out if true.
    False,
    /// `true` or `false`.
    Bool,
    /// By a table of names, left out if zero.
    Named(Names),
    /// By a table of names.
    Kind(Names),
}

use Form::{Always, Bool, False, Kind, Named, Need, NeedText, Number, Plain, Ref, Signed, Text, True};

/// Names of numbers.
type Names = &'static [(u64, &'static str)];

/// A field: its index in the record, its label, how it is written.
type Field = (usize, &'static str, Form);

impl Form {
    /// Whether a field is written at all.
    pub(super) fn is_shown(self, field: u64) -> bool {
        match self {
            Ref | Text => Md::from_word(field) != Md::NULL,
            Number | True | Named(_) => field != 0,
            False => field == 0,
            Need | NeedText | Always | Plain | Signed | Bool | Kind(_) => true,
        }
    }
}

/// Name and fields of a record.
#[rustfmt::skip]
pub(super) fn shape(code: u8, fields: &[u64]) -> Option<(&'static str, &'static [Field])> {
    let first = fields.first().copied().unwrap_or(0);
    Some(match code {
        di::LOCATION => ("DILocation", &[
            (1, "line", Always), (2, "column", Number), (3, "scope", Need), (4, "inlinedAt", Ref),
            (5, "isImplicitCode", True),
        ]),
        di::SUBRANGE if first >> 1 >= 2 => ("DISubrange", &[
            (1, "count", Ref), (2, "lowerBound", Ref), (3, "upperBound", Ref), (4, "stride", Ref),
        ]),
        di::SUBRANGE if first >> 1 == 1 => ("DISubrange", &[(1, "count", Ref), (2, "lowerBound", Signed)]),
        di::SUBRANGE => ("DISubrange", &[(1, "count", Plain), (2, "lowerBound", Signed)]),
        di::ENUMERATOR if first & 4 != 0 => ("DIEnumerator", &[(2, "name", Text), (3, "value", Signed)]),
        di::ENUMERATOR => ("DIEnumerator", &[(2, "name", Text), (1, "value", Signed)]),
        di::BASIC_TYPE => ("DIBasicType", &[
            (1, "tag", Named(TAGS)), (2, "name", Text), (3, "size", Number), (4, "align", Number),
            (5, "encoding", Named(ENCODINGS)), (6, "flags", Number),
        ]),
        di::FILE => ("DIFile", &[
            (1, "filename", NeedText), (2, "directory", NeedText), (3, "checksumkind", Named(CHECKSUM)),
            (4, "checksum", Text), (5, "source", Text),
        ]),
        di::DERIVED_TYPE => ("DIDerivedType", &[
            (1, "tag", Named(TAGS)), (2, "name", Text), (5, "scope", Ref), (3, "file", Ref), (4, "line", Number),
            (6, "baseType", Need), (7, "size", Number), (8, "align", Number), (9, "offset", Number),
            (10, "flags", Number), (11, "extraData", Ref), (13, "annotations", Ref),
        ]),
        di::COMPOSITE_TYPE => ("DICompositeType", &[
            (1, "tag", Named(TAGS)), (2, "name", Text), (5, "scope", Ref), (3, "file", Ref), (4, "line", Number),
            (6, "baseType", Ref), (7, "size", Number), (8, "align", Number), (9, "offset", Number),
            (10, "flags", Number), (11, "elements", Ref), (12, "runtimeLang", Number), (13, "vtableHolder", Ref),
            (14, "templateParams", Ref), (15, "identifier", Text), (16, "discriminator", Ref),
            (17, "dataLocation", Ref), (18, "associated", Ref), (19, "allocated", Ref), (20, "rank", Ref),
            (21, "annotations", Ref),
        ]),
        di::SUBROUTINE_TYPE => ("DISubroutineType", &[
            (1, "flags", Number), (3, "cc", Number), (2, "types", Need),
        ]),
        di::COMPILE_UNIT => ("DICompileUnit", &[
            (1, "language", Kind(LANGUAGES)), (2, "file", Need), (3, "producer", Text), (4, "isOptimized", Bool),
            (5, "flags", Text), (6, "runtimeVersion", Always), (7, "splitDebugFilename", Text),
            (8, "emissionKind", Kind(EMISSION)), (9, "enums", Ref), (10, "retainedTypes", Ref), (12, "globals", Ref),
            (13, "imports", Ref), (15, "macros", Ref), (14, "dwoId", Number), (16, "splitDebugInlining", False),
            (17, "debugInfoForProfiling", True), (18, "nameTableKind", Named(NAME_TABLE)),
            (19, "rangesBaseAddress", True), (20, "sysroot", Text), (21, "sdk", Text),
        ]),
        di::SUBPROGRAM if first & 4 != 0 => ("DISubprogram", &[
            (2, "name", Text), (3, "linkageName", Text), (1, "scope", Need), (4, "file", Ref), (5, "line", Number),
            (6, "type", Ref), (7, "scopeLine", Number), (8, "containingType", Ref), (10, "virtualIndex", Number),
            (16, "thisAdjustment", Number), (11, "flags", Number), (9, "spFlags", Number), (12, "unit", Ref),
            (13, "templateParams", Ref), (14, "declaration", Ref), (15, "retainedNodes", Ref),
            (17, "thrownTypes", Ref), (18, "annotations", Ref), (19, "targetFuncName", Text),
        ]),
        // As LLVM 5 writes it, with a word for each flag; `retainedNodes` was called `variables` then.
        di::SUBPROGRAM => ("DISubprogram", &[
            (2, "name", Text), (3, "linkageName", Text), (1, "scope", Need), (4, "file", Ref), (5, "line", Number),
            (6, "type", Ref), (7, "isLocal", Bool), (8, "isDefinition", Bool), (9, "scopeLine", Number),
            (10, "containingType", Ref), (11, "virtuality", Named(VIRTUALITY)), (12, "virtualIndex", Number),
            (19, "thisAdjustment", Number), (13, "flags", Number), (14, "isOptimized", Bool), (15, "unit", Ref),
            (16, "templateParams", Ref), (17, "declaration", Ref), (18, "retainedNodes", Ref),
            (20, "thrownTypes", Ref),
        ]),
        di::LEXICAL_BLOCK => ("DILexicalBlock", &[
            (1, "scope", Need), (2, "file", Ref), (3, "line", Number), (4, "column", Number),
        ]),
        di::LEXICAL_BLOCK_FILE => ("DILexicalBlockFile", &[
            (1, "scope", Need), (2, "file", Ref), (3, "discriminator", Always),
        ]),
        di::NAMESPACE if fields.len() < 5 => ("DINamespace", &[(2, "name", Text), (1, "scope", Need)]),
        di::TEMPLATE_TYPE => ("DITemplateTypeParameter", &[
            (1, "name", Text), (2, "type", Need), (3, "defaulted", True),
        ]),
        di::TEMPLATE_VALUE if fields.len() >= 6 => ("DITemplateValueParameter", &[
            (1, "tag", Named(TAGS)), (2, "name", Text), (3, "type", Ref), (4, "defaulted", True), (5, "value", Need),
        ]),
        di::GLOBAL_VAR if first >> 1 >= 2 => ("DIGlobalVariable", &[
            (2, "name", Text), (3, "linkageName", Text), (1, "scope", Ref), (4, "file", Ref), (5, "line", Number),
            (6, "type", Ref), (7, "isLocal", Bool), (8, "isDefinition", Bool), (9, "declaration", Ref),
            (10, "templateParams", Ref), (11, "align", Number), (12, "annotations", Ref),
        ]),
        di::LOCAL_VAR if first & 2 != 0 => ("DILocalVariable", &[
            (2, "name", Text), (6, "arg", Number), (1, "scope", Need), (3, "file", Ref), (4, "line", Number),
            (5, "type", Ref), (7, "flags", Number), (8, "align", Number), (9, "annotations", Ref),
        ]),
        di::IMPORTED_ENTITY => ("DIImportedEntity", &[
            (1, "tag", Named(TAGS)), (5, "name", Text), (2, "scope", Need), (3, "entity", Ref), (6, "file", Ref),
            (4, "line", Number), (7, "elements", Ref),
        ]),
        di::MODULE if fields.len() >= 9 => ("DIModule", &[
            (2, "scope", Need), (3, "name", Text), (4, "configMacros", Text), (5, "includePath", Text),
            (6, "apinotes", Text), (1, "file", Ref), (7, "line", Number), (8, "isDecl", True),
        ]),
        di::MACRO => ("DIMacro", &[
            (1, "type", Named(MACROS)), (2, "line", Number), (3, "name", Text), (4, "value", Text),
        ]),
        di::MACRO_FILE => ("DIMacroFile", &[(2, "line", Number), (3, "file", Need), (4, "nodes", Ref)]),
        di::GLOBAL_VAR_EXPR => ("DIGlobalVariableExpression", &[(1, "var", Need), (2, "expr", Need)]),
        di::LABEL => ("DILabel", &[(1, "scope", Need), (2, "name", Text), (3, "file", Ref), (4, "line", Always)]),
        _ => return None,
    })
}

const EMISSION: Names =
    &[(0, "NoDebug"), (1, "FullDebug"), (2, "LineTablesOnly"), (3, "DebugDirectivesOnly")];
const NAME_TABLE: Names = &[(1, "GNU"), (2, "None")];
const VIRTUALITY: Names = &[(1, "DW_VIRTUALITY_virtual"), (2, "DW_VIRTUALITY_pure_virtual")];
const CHECKSUM: Names = &[(1, "CSK_MD5"), (2, "CSK_SHA1"), (3, "CSK_SHA256")];
const MACROS: Names = &[(1, "DW_MACINFO_define"), (2, "DW_MACINFO_undef")];

const TAGS: Names = &[
    (0x01, "DW_TAG_array_type"),
    (0x02, "DW_TAG_class_type"),
    (0x04, "DW_TAG_enumeration_type"),
    (0x08, "DW_TAG_imported_declaration"),
    (0x0d, "DW_TAG_member"),
    (0x0f, "DW_TAG_pointer_type"),
    (0x10, "DW_TAG_reference_type"),
    (0x13, "DW_TAG_structure_type"),
    (0x15, "DW_TAG_subroutine_type"),
    (0x16, "DW_TAG_typedef"),
    (0x17, "DW_TAG_union_type"),
    (0x1c, "DW_TAG_inheritance"),
    (0x1f, "DW_TAG_ptr_to_member_type"),
    (0x24, "DW_TAG_base_type"),
    (0x26, "DW_TAG_const_type"),
    (0x2a, "DW_TAG_friend"),
    (0x30, "DW_TAG_template_value_parameter"),
    (0x35, "DW_TAG_volatile_type"),
    (0x37, "DW_TAG_restrict_type"),
    (0x3a, "DW_TAG_imported_module"),
    (0x3b, "DW_TAG_unspecified_type"),
    (0x42, "DW_TAG_rvalue_reference_type"),
    (0x47, "DW_TAG_atomic_type"),
    (0x4106, "DW_TAG_GNU_template_template_param"),
    (0x4107, "DW_TAG_GNU_template_parameter_pack"),
];

const ENCODINGS: Names = &[
    (0x01, "DW_ATE_address"),
    (0x02, "DW_ATE_boolean"),
    (0x03, "DW_ATE_complex_float"),
    (0x04, "DW_ATE_float"),
    (0x05, "DW_ATE_signed"),
    (0x06, "DW_ATE_signed_char"),
    (0x07, "DW_ATE_unsigned"),
    (0x08, "DW_ATE_unsigned_char"),
    (0x10, "DW_ATE_UTF"),
];

const LANGUAGES: Names = &[
    (0x01, "DW_LANG_C89"),
    (0x02, "DW_LANG_C"),
    (0x04, "DW_LANG_C_plus_plus"),
    (0x0c, "DW_LANG_C99"),
    (0x1a, "DW_LANG_C_plus_plus_11"),
    (0x1d, "DW_LANG_C11"),
    (0x1f, "DW_LANG_Julia"),
    (0x21, "DW_LANG_C_plus_plus_14"),
];
