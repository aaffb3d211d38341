//! The preprocessor's state and its main loop: preprocessing tokens to tokens.

use super::keywords::classify;
use super::macro_table::{FILE, Frame, LINE, Macro, NO_MACRO, Step};
use super::number::{self, FloatSuffix, IntSuffix, Literal};
use super::options::{Pragmas, PreprocessOptions};
use super::scan::{FIRST, INTERNED, Kind, PAINTED, PTok, Scanner};
use crate::diagnostics::{Diagnostics, MAX_DIAGNOSTICS};
use crate::extension::{Ext, ExtSet};
use crate::source::{LineMap, Span};
use crate::token::{Interner, Symbol, Tok, Token};
use crate::version::{Profile, Version};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Definition and uses of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct SymbolInfo {
    /// State of the extensions for which `tok` and `data` hold; 0 = none yet.
    epoch: u32,
    /// Its macro.
    pub mac: u32,
    data: u32,
    tok: Tok,
}

const UNKNOWN: SymbolInfo = SymbolInfo { epoch: 0, mac: NO_MACRO, data: 0, tok: Tok::Ident };

/// An `#if` that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    /// The directive.
    pub span: Span,
    /// One of its groups has been taken.
    pub taken: bool,
    /// `#else` has come.
    pub else_seen: bool,
    /// It is in a group that is skipped.
    pub dead: bool,
}

/// The preprocessor at work.
pub(super) struct Engine<'t> {
    pub scanner: Scanner<'t>,
    pub options: &'t PreprocessOptions,
    pub names: Interner,
    pub lines: LineMap,
    pub diagnostics: Diagnostics,
    pub version: Version,
    /// First byte of the `#version` directive that holds.
    pub version_at: Option<u32>,
    /// Extensions that are on.
    pub enabled: ExtSet,
    /// Extensions that have been on.
    pub ever_enabled: ExtSet,
    /// Extensions whose use is to be warned of.
    pub warn: ExtSet,
    /// Changes of `enabled`, with the byte from which they hold.
    pub changes: Vec<(u32, ExtSet)>,
    /// Counts changes of the meaning of names.
    epoch: u32,
    pub pragmas: Pragmas,
    pub tokens: Vec<Token>,
    /// How many of them have been searched for braces, and how many braces were open after them.
    pub braces: (usize, i64),
    pub wide: Vec<u64>,
    pub symbols: Vec<SymbolInfo>,
    pub macros: Vec<Macro>,
    pub frames: Vec<Frame>,
    /// Vectors for reuse.
    pub pool: Vec<Vec<PTok>>,
    /// Parameters of the macro that is being defined.
    pub params: FxHashMap<u32, u32>,
    pub conditions: Vec<Condition>,
    /// `#if` is being evaluated.
    pub in_condition: bool,
    defined: Symbol,
    /// First byte of the token read last from the source.
    pub last_source: u32,
    /// Nesting of parentheses and prefix operators in an expression.
    pub depth: u32,
    /// Nesting of arguments that are being expanded.
    pub arguments: u32,
    /// Nesting exceeded a limit.
    pub too_deep: bool,
    work: usize,
    /// A limit is exceeded: no more tokens come.
    pub stopped: bool,
}

impl<'t> Engine<'t> {
    pub(super) fn new(
        scanner: Scanner<'t>,
        options: &'t PreprocessOptions,
        mut names: Interner,
        lines: LineMap,
        version: Version,
    ) -> Engine<'t> {
        let enabled = ExtSet::initial(version, options.vulkan);
        let defined = names.intern("defined");
        Engine {
            scanner,
            options,
            names,
            lines,
            diagnostics: Diagnostics::default(),
            version,
            version_at: None,
            enabled,
            ever_enabled: enabled,
            warn: ExtSet::EMPTY,
            changes: Vec::new(),
            epoch: 1,
            pragmas: Pragmas::default(),
            tokens: Vec::new(),
            braces: (0, 0),
            wide: Vec::new(),
            symbols: Vec::new(),
            macros: Vec::new(),
            frames: Vec::new(),
            pool: Vec::new(),
            params: FxHashMap::default(),
            conditions: Vec::new(),
            in_condition: false,
            defined,
            last_source: 0,
            depth: 0,
            arguments: 0,
            too_deep: false,
            work: 0,
            stopped: false,
        }
    }

    /// Reads the whole source.
    pub(super) fn run(&mut self, len: u32) {
        loop {
            let token = self.pull();
            match token.kind {
                Kind::Name => self.name(token),
                Kind::Eof => break,
                _ => self.emit(token),
            }
        }
        if let (Some(open), false) = (self.conditions.last().copied(), self.stopped) {
            self.diagnostics.error(
                open.span,
                "E0613",
                "this conditional has no #endif (GLSL 4.60 section 3.3)",
            );
        }
        self.tokens.push(Token { tok: Tok::Eof, len: 0, lo: len, data: 0 });
    }

    /// The next token of the source, without macro expansion; directives are carried out.
    pub(super) fn source_token(&mut self) -> PTok {
        loop {
            if self.stopped {
                return PTok { kind: Kind::Eof, ..PTok::end(self.last_source) };
            }
            let token = self.scan();
            if token.kind == Kind::Hash && token.flags & FIRST != 0 && !self.scanner.directive {
                self.directive(token);
                continue;
            }
            self.last_source = token.lo;
            return token;
        }
    }

    /// The next token of the source, directives and all.
    pub(super) fn scan(&mut self) -> PTok {
        let token = self.scanner.scan(&mut self.names);
        if token.kind == Kind::Eof {
            self.report_open_comment();
        }
        token
    }

    pub(super) fn report_open_comment(&mut self) {
        if let Some(lo) = self.scanner.open_comment.take() {
            let span = Span { lo, hi: lo + 2 };
            self.diagnostics.error(span, "E0602", "this comment does not end (GLSL 4.60 section 3.4)");
        }
    }

    /// Definition and uses of a name.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> SymbolInfo {
        let i = symbol.0 as usize;
        match self.symbols.get(i) {
            Some(info) if info.epoch == self.epoch => *info,
            _ => self.classify(symbol),
        }
    }

    #[cold]
    fn classify(&mut self, symbol: Symbol) -> SymbolInfo {
        let i = symbol.0 as usize;
        if i >= self.symbols.len() {
            self.symbols.resize(self.names.len().max(i + 1), UNKNOWN);
        }
        let mut info = self.symbols[i];
        let name = &self.names[symbol];
        (info.tok, info.data) = classify(name, symbol, self.version, self.enabled);
        if info.epoch == 0 && matches!(name.as_bytes().first(), Some(b'_' | b'G' | b'V')) {
            info.mac = self.predefined(symbol);
        }
        info.epoch = self.epoch;
        self.symbols[i] = info;
        info
    }

    pub(super) fn has_macro(&mut self, symbol: Symbol) -> bool {
        self.symbol(symbol).mac != NO_MACRO
    }

    pub(super) fn is_defined_operator(&self, token: PTok) -> bool {
        self.in_condition && token.kind == Kind::Name && token.data == self.defined.0
    }

    /// The predefined macro of a name; created at its first use.
    fn predefined(&mut self, symbol: Symbol) -> u32 {
        let Version { number, profile } = self.version;
        let es = profile == Profile::Es;
        let has = |yes: bool| yes.then_some(1);
        let value = match &self.names[symbol] {
            "__LINE__" => return LINE,
            "__FILE__" => return FILE,
            "__VERSION__" => Some(u32::from(number)),
            "GL_ES" => has(es),
            "GL_es_profile" => has(es && number >= 300),
            "GL_core_profile" => has(profile == Profile::Core && number >= 150),
            "GL_compatibility_profile" => has(profile == Profile::Compatibility && number >= 150),
            "GL_FRAGMENT_PRECISION_HIGH" => has(es || number >= 130),
            "VULKAN" => self.options.vulkan.then_some(100),
            name => has(Ext::find(name).is_some_and(|e| e.is_available(self.version))),
        };
        let Some(value) = value else { return NO_MACRO };
        let text = self.names.intern(&value.to_string());
        let token = PTok { kind: Kind::Number, flags: INTERNED, data: text.0, ..PTok::end(0) };
        self.macros.push(Macro {
            params: None,
            body: [token].into(),
            active: false,
            predefined: true,
            pastes: false,
        });
        self.macros.len() as u32 - 1
    }

    /// Sets the extensions that are on from byte `at` on.
    pub(super) fn set_extensions(&mut self, enabled: ExtSet, at: u32) {
        if enabled == self.enabled {
            return;
        }
        self.enabled = enabled;
        self.ever_enabled = self.ever_enabled.union(enabled);
        self.changes.push((at, enabled));
        self.epoch += 1;
        // GLSL 1.40 has its deprecated features by an extension.
        if self.version.number == 140 {
            let compatible = enabled.contains(Ext::ARB_compatibility);
            self.version.profile = if compatible { Profile::Compatibility } else { Profile::Core };
        }
    }

    /// Adds to the amount of work that macros cause.
    pub(super) fn count_work(&mut self, tokens: usize) {
        let before = self.work / 1024;
        self.work += tokens;
        if self.work / 1024 != before
            && let Err(why) = self.options.stop.check()
        {
            self.fatal(PTok::end(self.last_source), why.code, why.message);
        }
        if self.work > self.options.max_work && !self.stopped {
            let span = PTok::end(self.last_source);
            self.fatal(span, "E0625", "macros expand to too many tokens");
        }
    }

    pub(super) fn span(&self, token: PTok) -> Span {
        Span { lo: token.lo, hi: token.lo.saturating_add(u32::from(token.len)) }
    }

    pub(super) fn error(&mut self, at: PTok, code: &'static str, message: impl Into<String>) {
        // Errors after a limit are consequences of it.
        if self.stopped {
            return;
        }
        self.diagnostics.error(self.span(at), code, message);
        if self.diagnostics.full() {
            self.stopped = true;
        }
    }

    pub(super) fn warning(&mut self, at: PTok, code: &'static str, message: impl Into<String>) {
        // Warnings leave room for errors.
        if self.diagnostics.entries().len() < MAX_DIAGNOSTICS / 2 {
            self.diagnostics.warning(self.span(at), code, message);
        }
    }

    /// A fatal error: nothing after it is read.
    pub(super) fn fatal(&mut self, at: PTok, code: &'static str, message: impl Into<String>) {
        if !self.stopped {
            self.error(at, code, message);
            self.stopped = true;
        }
    }

    /// The spelling of a token.
    pub(super) fn text(&self, token: PTok) -> Cow<'_, str> {
        match token.kind {
            Kind::Name | Kind::Param => self.names[Symbol(token.data)].into(),
            Kind::Number | Kind::Str | Kind::Other if token.flags & INTERNED != 0 => {
                self.names[Symbol(token.data)].into()
            }
            Kind::Number | Kind::Str | Kind::Other => self.scanner.slice(token).into(),
            Kind::Value => token.data.to_string().into(),
            Kind::Punct => token.tok.text().into(),
            Kind::Hash => "#".into(),
            Kind::HashHash => "##".into(),
            Kind::Eof => "end of file".into(),
            Kind::Newline => "end of line".into(),
            Kind::End | Kind::Bad => "".into(),
        }
    }

    fn push(&mut self, token: PTok, tok: Tok, data: u32) {
        if self.tokens.len() >= self.options.max_tokens {
            self.fatal(token, "E0625", "the shader has too many tokens");
            return;
        }
        if self.tokens.len().is_multiple_of(1024)
            && let Err(why) = self.options.stop.check()
        {
            self.fatal(token, why.code, why.message);
            return;
        }
        self.tokens.push(Token { tok, len: token.len, lo: token.lo, data });
    }

    /// A name in the text: a macro to expand, or a token.
    fn name(&mut self, token: PTok) {
        let info = self.symbol(Symbol(token.data));
        let mut token = token;
        if info.mac != NO_MACRO && token.flags & PAINTED == 0 {
            match self.expand(token, info.mac) {
                Step::Pushed => return,
                Step::Token(other) => token = other,
            }
            if token.kind != Kind::Name {
                self.emit(token);
                return;
            }
        }
        // Names are limited in ES only (GLSL ES 3.00 section 3.8); the limit keeps messages readable elsewhere.
        if token.len > 1024 && self.version.is_es() {
            self.error(token, "E0606", "a name has at most 1024 characters (GLSL ES 3.00 section 3.8)");
        }
        self.push(token, info.tok, info.data);
    }

    /// Any other token of the text.
    fn emit(&mut self, token: PTok) {
        match token.kind {
            Kind::Punct => self.push(token, token.tok, 0),
            Kind::Number => self.number(token),
            Kind::Value => self.push(token, Tok::IntConst, token.data),
            Kind::Bad => self.push(token, Tok::Bad, 0),
            Kind::Hash | Kind::HashHash => {
                self.error(token, "E0603", "'#' must be the first character of its line");
                self.push(token, Tok::Bad, 0);
            }
            Kind::Str => {
                self.error(token, "E0603", "GLSL has no strings");
                self.push(token, Tok::Bad, 0);
            }
            _ => {
                let text = self.text(token).chars().next().unwrap_or(' ');
                let shown = text.escape_debug();
                self.error(
                    token,
                    "E0603",
                    format!("character '{shown}' is not in the character set (GLSL 4.60 section 3.1)"),
                );
                self.push(token, Tok::Bad, 0);
            }
        }
    }

    fn number(&mut self, token: PTok) {
        let text = match token.flags & INTERNED {
            0 => Cow::Borrowed(self.scanner.slice(token)),
            _ => Cow::Owned(self.names[Symbol(token.data)].to_string()),
        };
        // Most numbers are short and decimal.
        let bytes = text.as_bytes();
        if bytes.len() < 10 && bytes[0] != b'0' && bytes.iter().all(u8::is_ascii_digit) {
            let value = bytes.iter().fold(0, |v, b| v * 10 + u32::from(b - b'0'));
            self.push(token, Tok::IntConst, value);
            return;
        }
        match number::parse(&text) {
            Ok(Literal::Int(value, decimal, suffix)) => self.integer(token, value, decimal, suffix),
            Ok(Literal::Float(digits, suffix)) => self.float(token, digits, suffix),
            Err(message) => {
                self.error(token, "E0604", format!("{message} (GLSL 4.60 section 4.1)"));
                self.push(token, Tok::Bad, 0);
            }
        }
    }

    fn integer(&mut self, token: PTok, value: Option<u64>, decimal: bool, suffix: IntSuffix) {
        let (tok, bits, exts): (_, _, &[Ext]) = match suffix {
            IntSuffix::None => (Tok::IntConst, 32, &[]),
            IntSuffix::U => (Tok::UintConst, 32, &[]),
            IntSuffix::S => (Tok::Int16Const, 16, INT16),
            IntSuffix::Us => (Tok::Uint16Const, 16, INT16),
            IntSuffix::L => (Tok::Int64Const, 64, INT64),
            IntSuffix::Ul => (Tok::Uint64Const, 64, INT64),
        };
        let allowed = match suffix {
            IntSuffix::None => true,
            IntSuffix::U => self.version.at_least(130, 300) || self.enabled.contains(Ext::EXT_gpu_shader4),
            _ => self.enabled.contains_any(exts),
        };
        if !allowed {
            self.suffix_error(token);
        }
        let limit = u64::MAX >> (64 - bits);
        let value = match value {
            Some(value) if value <= limit => value,
            _ => {
                let message = format!("this constant does not fit {bits} bits (GLSL 4.60 section 4.1.3)");
                // Before GLSL 1.30 too large constants are undefined, not errors.
                if self.version.at_least(130, 300) {
                    self.error(token, "E0605", message);
                } else {
                    self.warning(token, "E0605", message);
                }
                value.unwrap_or(u64::MAX) & limit
            }
        };
        if decimal && tok == Tok::IntConst && value > i32::MAX as u64 + 1 {
            self.warning(token, "E0605", "this constant is negative as an int");
        }
        let data = if bits == 64 { self.wide_bits(value) } else { value as u32 };
        self.push(token, tok, data);
    }

    fn float(&mut self, token: PTok, digits: &str, suffix: FloatSuffix) {
        let allowed = match suffix {
            FloatSuffix::None => true,
            FloatSuffix::F => !self.version.is_es() || self.version.number >= 300,
            FloatSuffix::Hf => self.enabled.contains_any(HALF),
            FloatSuffix::Lf => self.version.at_least(400, u16::MAX) || self.enabled.contains_any(DOUBLE),
        };
        if !allowed {
            self.suffix_error(token);
        }
        if suffix == FloatSuffix::Lf {
            let bits = digits.parse::<f64>().unwrap_or_default().to_bits();
            let data = self.wide_bits(bits);
            self.push(token, Tok::DoubleConst, data);
        } else {
            let tok = if suffix == FloatSuffix::Hf { Tok::HalfConst } else { Tok::FloatConst };
            self.push(token, tok, digits.parse::<f32>().unwrap_or_default().to_bits());
        }
    }

    fn suffix_error(&mut self, token: PTok) {
        let text = self.text(token).into_owned();
        let version = self.version;
        self.error(token, "E0604", format!("the suffix of '{text}' is not in {version}"));
    }

    fn wide_bits(&mut self, bits: u64) -> u32 {
        self.wide.push(bits);
        self.wide.len() as u32 - 1
    }
}

const INT16: &[Ext] = &[Ext::EXT_shader_explicit_arithmetic_types_int16, Ext::AMD_gpu_shader_int16];
const INT64: &[Ext] =
    &[Ext::EXT_shader_explicit_arithmetic_types_int64, Ext::ARB_gpu_shader_int64, Ext::AMD_gpu_shader_int64];
const HALF: &[Ext] = &[Ext::EXT_shader_explicit_arithmetic_types_float16, Ext::AMD_gpu_shader_half_float];
const DOUBLE: &[Ext] = &[Ext::ARB_gpu_shader_fp64, Ext::EXT_shader_explicit_arithmetic_types_float64];
