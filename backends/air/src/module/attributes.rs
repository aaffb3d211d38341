//! Attributes of functions, calls, parameters and return values.

use super::intern::{Index, Str, hash_of};

use super::types::TypeId;

/// Kind of an enum attribute, by its ID in bitcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct AttrKind(pub u8);

macro_rules! attribute_kinds {
    ($($constant:ident = $number:literal $name:literal),* $(,)?) => {
        impl AttrKind {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: AttrKind = AttrKind($number);)*

            /// LLVM's keyword, or `None` for a kind this crate does not know.
            pub fn name(self) -> Option<&'static str> {
                match self.0 { $($number => Some($name),)* _ => None }
            }

            /// The kind with this keyword.
            pub fn from_name(name: &str) -> Option<AttrKind> {
                match name { $($name => Some(AttrKind($number)),)* _ => None }
            }
        }
    };
}

// Numbers of llvm/Bitcode/LLVMBitCodes.h; everything after SPECULATABLE is newer than LLVM 5.
attribute_kinds! {
    ALIGN = 1 "align", ALWAYS_INLINE = 2 "alwaysinline", BY_VAL = 3 "byval", INLINE_HINT = 4 "inlinehint",
    IN_REG = 5 "inreg", MIN_SIZE = 6 "minsize", NO_ALIAS = 9 "noalias", NO_BUILTIN = 10 "nobuiltin",
    NO_CAPTURE = 11 "nocapture", NO_DUPLICATE = 12 "noduplicate", NO_INLINE = 14 "noinline",
    NO_RETURN = 17 "noreturn", NO_UNWIND = 18 "nounwind", OPT_SIZE = 19 "optsize", READ_NONE = 20 "readnone",
    READ_ONLY = 21 "readonly", RETURNED = 22 "returned", SIGN_EXT = 24 "signext", STRUCT_RET = 29 "sret",
    ZERO_EXT = 34 "zeroext", COLD = 36 "cold", OPT_NONE = 37 "optnone", NON_NULL = 39 "nonnull",
    DEREFERENCEABLE = 41 "dereferenceable", DEREFERENCEABLE_OR_NULL = 42 "dereferenceable_or_null",
    CONVERGENT = 43 "convergent", ARG_MEM_ONLY = 45 "argmemonly", NO_RECURSE = 48 "norecurse",
    INACCESSIBLE_MEM_ONLY = 49 "inaccessiblememonly",
    INACCESSIBLE_OR_ARG_MEM_ONLY = 50 "inaccessiblemem_or_argmemonly",
    WRITE_ONLY = 52 "writeonly", SPECULATABLE = 53 "speculatable",
    BUILTIN = 35 "builtin", JUMP_TABLE = 40 "jumptable", IN_ALLOCA = 38 "inalloca",
    NAKED = 7 "naked", NEST = 8 "nest", NO_IMPLICIT_FLOAT = 13 "noimplicitfloat", NON_LAZY_BIND = 15 "nonlazybind",
    NO_RED_ZONE = 16 "noredzone", RETURNS_TWICE = 23 "returns_twice", STACK_ALIGN = 25 "alignstack",
    SSP = 26 "ssp", SSP_REQ = 27 "sspreq", SSP_STRONG = 28 "sspstrong", SANITIZE_ADDRESS = 30 "sanitize_address",
    SANITIZE_THREAD = 31 "sanitize_thread", SANITIZE_MEMORY = 32 "sanitize_memory", UW_TABLE = 33 "uwtable",
    SAFE_STACK = 44 "safestack", SWIFT_SELF = 46 "swiftself", SWIFT_ERROR = 47 "swifterror",
    ALLOC_SIZE = 51 "allocsize", STRICT_FP = 54 "strictfp", SANITIZE_HWADDRESS = 55 "sanitize_hwaddress",
    NO_CF_CHECK = 56 "nocf_check", OPT_FOR_FUZZING = 57 "optforfuzzing", SHADOW_CALL_STACK = 58 "shadowcallstack",
    SPECULATIVE_LOAD_HARDENING = 59 "speculative_load_hardening", IMM_ARG = 60 "immarg",
    PREALLOCATED = 65 "preallocated", NO_MERGE = 66 "nomerge", NULL_POINTER_IS_VALID = 67 "null_pointer_is_valid",
    BY_REF = 69 "byref", SWIFT_ASYNC = 75 "swiftasync", NO_SANITIZE_COVERAGE = 76 "nosanitize_coverage",
    NO_PROFILE = 73 "noprofile", VSCALE_RANGE = 74 "vscale_range", ELEMENT_TYPE = 77 "elementtype",
    DISABLE_SANITIZER_INSTRUMENTATION = 78 "disable_sanitizer_instrumentation",
    SANITIZE_MEMTAG = 64 "sanitize_memtag", HOT = 72 "hot",
    WILL_RETURN = 61 "willreturn", NO_FREE = 62 "nofree", NO_SYNC = 63 "nosync", NO_UNDEF = 68 "noundef",
    MUST_PROGRESS = 70 "mustprogress", NO_CALLBACK = 71 "nocallback",
}

impl AttrKind {
    /// Newest kind that an LLVM 5 reader knows.
    pub const LAST_OF_LLVM_5: AttrKind = AttrKind::SPECULATABLE;

    /// Whether the attribute carries a number.
    pub fn has_value(self) -> bool {
        matches!(self, AttrKind::ALIGN | AttrKind::DEREFERENCEABLE | AttrKind::DEREFERENCEABLE_OR_NULL)
    }
}

/// One attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Attr {
    /// Enum attribute: `nounwind`
    Flag(AttrKind),
    /// Enum attribute with a number: `align 16`
    Int(AttrKind, u64),
    /// Enum attribute with a type: `byval(%struct.S)`; older compilers give none.
    Type(AttrKind, Option<TypeId>),
    /// String attribute: `"key"`, or `"key"="value"` when the value is not empty.
    Text(Str, Str),
}

/// The target of an attribute list, by LLVM's index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct AttrIndex(pub u32);

impl AttrIndex {
    /// The return value.
    pub const RETURN: AttrIndex = AttrIndex(0);
    /// The function (or call) itself.
    pub const FUNCTION: AttrIndex = AttrIndex(u32::MAX);

    /// Parameter `index`, counted from zero.
    pub fn param(index: u32) -> AttrIndex {
        AttrIndex(index.saturating_add(1))
    }
}

/// Handle of an interned set of attribute lists, as used by a function or call. Zero is the empty set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AttrSet(pub(crate) u32);

impl AttrSet {
    /// No attributes.
    pub const NONE: AttrSet = AttrSet(0);
}

#[derive(Clone, Copy, Debug)]
struct Group {
    index: AttrIndex,
    start: u32,
    len: u32,
}

/// Tables of the attribute groups and sets.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    attrs: Vec<Attr>,
    groups: Vec<Group>,
    group_index: Index,
    /// Range of `members` by set number - 1.
    sets: Vec<(u32, u32)>,
    members: Vec<u32>,
    set_index: Index,
}

impl Attributes {
    pub(crate) fn new() -> Self {
        Attributes {
            attrs: Vec::with_capacity(32),
            groups: Vec::with_capacity(16),
            group_index: Index::with_capacity(16),
            sets: Vec::with_capacity(8),
            members: Vec::with_capacity(16),
            set_index: Index::with_capacity(8),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.attrs.clear();
        self.groups.clear();
        self.group_index.clear();
        self.sets.clear();
        self.members.clear();
        self.set_index.clear();
    }

    /// Interns a set. Lists without attributes are left out; the order of the others is kept.
    pub(crate) fn intern(&mut self, lists: &[(AttrIndex, &[Attr])]) -> AttrSet {
        let start = self.members.len();
        for &(index, attrs) in lists {
            if !attrs.is_empty() {
                let group = self.intern_group(index, attrs);
                self.members.push(group);
            }
        }
        let len = self.members.len() - start;
        if len == 0 {
            return AttrSet::NONE;
        }
        let hash = hash_of(&self.members[start..]);
        let found = self.set_index.find(hash, |p| {
            let (s, l) = self.sets[p as usize];
            self.members[s as usize..][..l as usize] == self.members[start..]
        });
        if let Some(found) = found {
            self.members.truncate(start);
            return AttrSet(found + 1);
        }
        self.set_index.insert(hash, self.sets.len() as u32);
        self.sets.push((start as u32, len as u32));
        AttrSet(self.sets.len() as u32)
    }

    fn intern_group(&mut self, index: AttrIndex, attrs: &[Attr]) -> u32 {
        let hash = hash_of(&(index, attrs));
        let found = self.group_index.find(hash, |p| {
            let g = self.groups[p as usize];
            g.index == index && self.attrs[g.start as usize..][..g.len as usize] == *attrs
        });
        if let Some(found) = found {
            return found;
        }
        let position = self.groups.len() as u32;
        self.groups.push(Group { index, start: self.attrs.len() as u32, len: attrs.len() as u32 });
        self.attrs.extend_from_slice(attrs);
        self.group_index.insert(hash, position);
        position
    }

    /// Number of groups.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Group `index`: the position that it applies to, and its attributes.
    pub fn group(&self, index: u32) -> (AttrIndex, &[Attr]) {
        match self.groups.get(index as usize) {
            Some(g) => (g.index, &self.attrs[g.start as usize..][..g.len as usize]),
            None => (AttrIndex::FUNCTION, &[]),
        }
    }

    /// Number of sets, the empty one not counted.
    pub fn set_count(&self) -> usize {
        self.sets.len()
    }

    /// The sets from number one on: the groups of each.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.sets.iter().map(|&(start, len)| &self.members[start as usize..][..len as usize])
    }

    /// Groups of a set, by ID.
    pub fn set(&self, set: AttrSet) -> &[u32] {
        match set.0.checked_sub(1).and_then(|at| self.sets.get(at as usize)) {
            Some(&(start, len)) => &self.members[start as usize..][..len as usize],
            None => &[],
        }
    }

    /// The group of a set that applies to `index`.
    pub fn group_of(&self, set: AttrSet, index: AttrIndex) -> Option<u32> {
        self.set(set).iter().copied().find(|&g| self.groups[g as usize].index == index)
    }
}
