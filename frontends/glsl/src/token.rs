//! Tokens: the output of the preprocessor and the input of the parser.

use crate::source::Span;
use rustc_hash::FxHasher;
use std::hash::Hasher as _;

/// An interned name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The names of a compilation.
///
/// The text of all names is in one string, and they are found by open addressing: interning is most of a lexer's work.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    text: String,
    /// Where each name ends in `text`, with its hash.
    names: Vec<(u32, u32)>,
    /// Symbol + 1, 0 = free; the length is a power of two.
    table: Vec<u32>,
}

impl Interner {
    /// The symbol of a name.
    pub fn intern(&mut self, name: &str) -> Symbol {
        // At most half of the table is used.
        if self.names.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = hash(name);
        match self.find(name, hash) {
            Ok(symbol) => symbol,
            Err(slot) => {
                self.text.push_str(name);
                self.names.push((self.text.len() as u32, hash));
                self.table[slot] = self.names.len() as u32;
                Symbol(self.names.len() as u32 - 1)
            }
        }
    }

    /// The symbol of a name that has been seen.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        if self.table.is_empty() { None } else { self.find(name, hash(name)).ok() }
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The symbol of a name, or the free entry for it.
    fn find(&self, name: &str, hash: u32) -> Result<Symbol, usize> {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.table[slot] {
                0 => return Err(slot),
                entry => {
                    let symbol = Symbol(entry - 1);
                    if self.names[symbol.0 as usize].1 == hash && &self[symbol] == name {
                        return Ok(symbol);
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let len = (self.table.len() * 2).max(256);
        self.table.clear();
        self.table.resize(len, 0);
        for (i, &(_, hash)) in self.names.iter().enumerate() {
            let mut slot = hash as usize & (len - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (len - 1);
            }
            self.table[slot] = i as u32 + 1;
        }
    }
}

fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

impl std::ops::Index<Symbol> for Interner {
    type Output = str;
    fn index(&self, symbol: Symbol) -> &str {
        let i = symbol.0 as usize;
        let start = if i == 0 { 0 } else { self.names[i - 1].0 };
        &self.text[start as usize..self.names[i].0 as usize]
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Kind.
    pub tok: Tok,
    /// Bytes; 65535 means that many or more.
    pub len: u16,
    /// First byte. Tokens produced by a macro are located at its use.
    pub lo: u32,
    /// Its kind, see [`Tok`].
    pub data: u32,
}

impl Token {
    /// Where it is.
    pub fn span(self) -> Span {
        Span { lo: self.lo, hi: self.lo.saturating_add(u32::from(self.len)) }
    }
}

macro_rules! tokens {
    (
        special { $( $(#[doc = $sdoc:literal])+ $special:ident = $stext:literal, )+ }
        punctuation { $( $punct:ident = $ptext:literal, )+ }
        keywords { $( $keyword:ident = $ktext:literal, )+ }
    ) => {
        /// Kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Tok {
            $( $(#[doc = $sdoc])+ $special, )+
            $( #[doc = concat!("`", $ptext, "`")] $punct, )+
            $( #[doc = concat!("`", $ktext, "`")] $keyword, )+
        }

        impl Tok {
            /// How messages name it.
            pub const fn text(self) -> &'static str {
                match self {
                    $( Tok::$special => $stext, )+
                    $( Tok::$punct => $ptext, )+
                    $( Tok::$keyword => $ktext, )+
                }
            }
            /// All operators and separators, with their spelling.
            pub const PUNCTUATION: &'static [(&'static str, Tok)] = &[$( ($ptext, Tok::$punct), )+];
            /// All keywords other than names of types, with their spelling.
            pub const KEYWORDS: &'static [(&'static str, Tok)] = &[$( ($ktext, Tok::$keyword), )+];
        }
    };
}

tokens! {
    special {
        /// End of the source.
        Eof = "end of file",
        /// A name; `data` is its `Symbol`.
        Ident = "identifier",
        /// The name of a built-in type; `data` is its position in [`crate::basic_types::BASIC_TYPES`].
        Type = "type name",
        /// A reserved word that means nothing in this version; `data` is its `Symbol`.
        Reserved = "reserved word",
        /// `true` or `false`; `data` is 1 or 0.
        BoolConst = "boolean constant",
        /// A 32-bit signed constant; `data` is its bits.
        IntConst = "integer constant",
        /// A 32-bit unsigned constant; `data` is its bits.
        UintConst = "unsigned constant",
        /// A 16-bit signed constant; `data` is its bits.
        Int16Const = "16-bit integer constant",
        /// A 16-bit unsigned constant; `data` is its bits.
        Uint16Const = "16-bit unsigned constant",
        /// A 64-bit signed constant; `data` is the position of its bits in `Preprocessed::wide`.
        Int64Const = "64-bit integer constant",
        /// A 64-bit unsigned constant; `data` as for `Int64Const`.
        Uint64Const = "64-bit unsigned constant",
        /// A 32-bit float; `data` is its bits.
        FloatConst = "float constant",
        /// A 16-bit float; `data` is its bits as a 32-bit float.
        HalfConst = "16-bit float constant",
        /// A 64-bit float; `data` is the position of its bits, as for `Int64Const`.
        DoubleConst = "double constant",
        /// A string literal (only for `GL_EXT_debug_printf` and similar extensions, which are unsupported); `data` is a `Symbol`.
        StringConst = "string",
        /// A character that belongs to no token; already reported.
        Bad = "unknown character",
    }
    punctuation {
        LParen = "(", RParen = ")", LBracket = "[", RBracket = "]", LBrace = "{", RBrace = "}",
        Dot = ".", Comma = ",", Semicolon = ";", Colon = ":", Question = "?",
        Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%",
        PlusPlus = "++", MinusMinus = "--", Bang = "!", Tilde = "~",
        Less = "<", Greater = ">", LessEqual = "<=", GreaterEqual = ">=", EqualEqual = "==", BangEqual = "!=",
        Amp = "&", Pipe = "|", Caret = "^", AmpAmp = "&&", PipePipe = "||", CaretCaret = "^^",
        Shl = "<<", Shr = ">>",
        Equal = "=", StarEqual = "*=", SlashEqual = "/=", PercentEqual = "%=", PlusEqual = "+=", MinusEqual = "-=",
        ShlEqual = "<<=", ShrEqual = ">>=", AmpEqual = "&=", CaretEqual = "^=", PipeEqual = "|=",
    }
    keywords {
        Attribute = "attribute", Varying = "varying", Const = "const", Uniform = "uniform", Buffer = "buffer", Shared = "shared",
        In = "in", Out = "out", Inout = "inout", Layout = "layout",
        Centroid = "centroid", Flat = "flat", Smooth = "smooth", Noperspective = "noperspective", Patch = "patch", Sample = "sample",
        Invariant = "invariant", Precise = "precise",
        Coherent = "coherent", Volatile = "volatile", Restrict = "restrict", Readonly = "readonly", Writeonly = "writeonly",
        Devicecoherent = "devicecoherent", Queuefamilycoherent = "queuefamilycoherent", Workgroupcoherent = "workgroupcoherent",
        Subgroupcoherent = "subgroupcoherent", Nonprivate = "nonprivate", Nonuniform = "nonuniformEXT",
        Pervertex = "pervertexEXT", Perprimitive = "perprimitiveEXT", TaskPayloadShared = "taskPayloadSharedEXT",
        Lowp = "lowp", Mediump = "mediump", Highp = "highp", Precision = "precision", Superp = "superp",
        Subroutine = "subroutine", Struct = "struct", Void = "void",
        Break = "break", Continue = "continue", Do = "do", For = "for", While = "while", If = "if", Else = "else",
        Switch = "switch", Case = "case", Default = "default", Discard = "discard", Demote = "demote",
        Terminate = "terminateInvocation", Return = "return",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_interned_once() {
        let mut names = Interner::default();
        assert_eq!(names.get("a"), None);
        let symbols: Vec<_> = (0..5000).map(|i| names.intern(&format!("name{i}"))).collect();
        for (i, &symbol) in symbols.iter().enumerate() {
            let name = format!("name{i}");
            assert_eq!((&names[symbol], names.get(&name), symbol.0), (&*name, Some(symbol), i as u32));
            assert_eq!(names.intern(&name), symbol);
        }
        assert_eq!(names.len(), 5000);
        let empty = names.intern("");
        assert_eq!(&names[empty], "");
    }
}
