//! Numbers of blocks and records (llvm/Bitcode/LLVMBitCodes.h), those the writer or the reader uses.

/// Blocks.
pub(crate) mod block {
    pub(crate) const MODULE: u32 = 8;
    pub(crate) const PARAMATTR: u32 = 9;
    pub(crate) const PARAMATTR_GROUP: u32 = 10;
    pub(crate) const CONSTANTS: u32 = 11;
    pub(crate) const FUNCTION: u32 = 12;
    pub(crate) const IDENTIFICATION: u32 = 13;
    pub(crate) const VALUE_SYMTAB: u32 = 14;
    pub(crate) const METADATA: u32 = 15;
    pub(crate) const METADATA_ATTACHMENT: u32 = 16;
    pub(crate) const TYPE: u32 = 17;
    pub(crate) const OPERAND_BUNDLE_TAGS: u32 = 21;
    pub(crate) const METADATA_KIND: u32 = 22;
    pub(crate) const STRTAB: u32 = 23;
    pub(crate) const SYNC_SCOPE_NAMES: u32 = 26;
}

/// Records of the module block.
pub(crate) mod module {
    pub(crate) const VERSION: u32 = 1;
    pub(crate) const TRIPLE: u32 = 2;
    pub(crate) const DATALAYOUT: u32 = 3;
    pub(crate) const SECTIONNAME: u32 = 5;
    pub(crate) const GLOBALVAR: u32 = 7;
    pub(crate) const FUNCTION: u32 = 8;
    pub(crate) const VSTOFFSET: u32 = 13;
    pub(crate) const SOURCE_FILENAME: u32 = 16;
    pub(crate) const ASM: u32 = 4;
    pub(crate) const COMDAT: u32 = 12;
    pub(crate) const ALIAS_OLD: u32 = 9;
    pub(crate) const ALIAS: u32 = 14;
    pub(crate) const IFUNC: u32 = 15;
}

/// Records of the type block.
pub(crate) mod ty {
    pub(crate) const NUMENTRY: u32 = 1;
    pub(crate) const VOID: u32 = 2;
    pub(crate) const FLOAT: u32 = 3;
    pub(crate) const DOUBLE: u32 = 4;
    pub(crate) const LABEL: u32 = 5;
    pub(crate) const OPAQUE: u32 = 6;
    pub(crate) const INTEGER: u32 = 7;
    pub(crate) const POINTER: u32 = 8;
    pub(crate) const HALF: u32 = 10;
    pub(crate) const ARRAY: u32 = 11;
    pub(crate) const VECTOR: u32 = 12;
    pub(crate) const METADATA: u32 = 16;
    pub(crate) const STRUCT_ANON: u32 = 18;
    pub(crate) const STRUCT_NAME: u32 = 19;
    pub(crate) const STRUCT_NAMED: u32 = 20;
    pub(crate) const FUNCTION: u32 = 21;
    pub(crate) const BFLOAT: u32 = 23;
}

/// Records of the constants block.
pub(crate) mod constant {
    pub(crate) const SETTYPE: u32 = 1;
    pub(crate) const NULL: u32 = 2;
    pub(crate) const UNDEF: u32 = 3;
    pub(crate) const INTEGER: u32 = 4;
    pub(crate) const FLOAT: u32 = 6;
    pub(crate) const WIDE_INTEGER: u32 = 5;
    pub(crate) const AGGREGATE: u32 = 7;
    pub(crate) const STRING: u32 = 8;
    pub(crate) const CSTRING: u32 = 9;
    pub(crate) const CE_BINOP: u32 = 10;
    pub(crate) const CE_CAST: u32 = 11;
    pub(crate) const CE_GEP: u32 = 12;
    pub(crate) const CE_INBOUNDS_GEP: u32 = 20;
    pub(crate) const DATA: u32 = 22;
    pub(crate) const POISON: u32 = 26;
}

/// Records of the metadata blocks.
pub(crate) mod metadata {
    pub(crate) const STRING_OLD: u32 = 1;
    pub(crate) const VALUE: u32 = 2;
    pub(crate) const NODE: u32 = 3;
    pub(crate) const NAME: u32 = 4;
    pub(crate) const DISTINCT_NODE: u32 = 5;
    pub(crate) const KIND: u32 = 6;
    pub(crate) const OLD_NODE: u32 = 8;
    pub(crate) const OLD_FN_NODE: u32 = 9;
    pub(crate) const NAMED_NODE: u32 = 10;
    pub(crate) const ATTACHMENT: u32 = 11;
    pub(crate) const STRINGS: u32 = 35;
    pub(crate) const GLOBAL_DECL_ATTACHMENT: u32 = 36;
    pub(crate) const INDEX_OFFSET: u32 = 38;
    pub(crate) const INDEX: u32 = 39;
}

/// Records of a function block.
pub(crate) mod function {
    pub(crate) const DECLAREBLOCKS: u32 = 1;
    pub(crate) const BINOP: u32 = 2;
    pub(crate) const CAST: u32 = 3;
    pub(crate) const GEP_OLD: u32 = 4;
    pub(crate) const SELECT: u32 = 5;
    pub(crate) const EXTRACTELT: u32 = 6;
    pub(crate) const INSERTELT: u32 = 7;
    pub(crate) const SHUFFLEVEC: u32 = 8;
    pub(crate) const CMP: u32 = 9;
    pub(crate) const RET: u32 = 10;
    pub(crate) const BR: u32 = 11;
    pub(crate) const SWITCH: u32 = 12;
    pub(crate) const UNREACHABLE: u32 = 15;
    pub(crate) const PHI: u32 = 16;
    pub(crate) const ALLOCA: u32 = 19;
    pub(crate) const LOAD: u32 = 20;
    pub(crate) const STORE_OLD: u32 = 24;
    pub(crate) const EXTRACTVAL: u32 = 26;
    pub(crate) const INSERTVAL: u32 = 27;
    pub(crate) const CMP2: u32 = 28;
    pub(crate) const VSELECT: u32 = 29;
    pub(crate) const INBOUNDS_GEP_OLD: u32 = 30;
    pub(crate) const DEBUG_LOC_AGAIN: u32 = 33;
    pub(crate) const CALL: u32 = 34;
    pub(crate) const DEBUG_LOC: u32 = 35;
    pub(crate) const GEP: u32 = 43;
    pub(crate) const STORE: u32 = 44;
    pub(crate) const UNOP: u32 = 56;
    pub(crate) const FREEZE: u32 = 58;
}
