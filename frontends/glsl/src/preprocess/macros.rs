//! Macros: definition and expansion, by the rules of the C++ preprocessor (GLSL 4.60 section 3.3).

use super::engine::Engine;
use super::macro_table::{FILE, Frame, LINE, Macro, NO_MACRO, Step, Tokens};
use super::scan::{FROM_MACRO, Kind, PAINTED, PTok, SPACE, Scanner, interned, single};
use crate::token::{Symbol, Tok};

/// Arguments of a macro: all their tokens, and where each ends.
struct Args {
    tokens: Vec<PTok>,
    ends: Vec<usize>,
}

impl Args {
    fn get(&self, i: usize) -> &[PTok] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.tokens[start..self.ends[i]]
    }
}

impl Engine<'_> {
    /// The next token before macro expansion, from a macro's expansion or from the source.
    pub(super) fn pull(&mut self) -> PTok {
        while let Some(frame) = self.frames.last_mut() {
            if self.stopped {
                break;
            }
            if let Some(&token) = frame.peek() {
                frame.next += 1;
                let at = frame.at;
                self.count_work(1);
                return match at {
                    Some((lo, len)) => PTok { lo, len, flags: token.flags | FROM_MACRO, ..token },
                    None => token,
                };
            }
            if frame.barrier {
                return PTok::end(self.last_source);
            }
            self.pop_frame();
        }
        self.source_token()
    }

    pub(super) fn pop_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if let Some(mac) = self.macros.get_mut(frame.mac as usize) {
            mac.active = false;
        }
        self.recycle(frame.tokens);
    }

    fn recycle(&mut self, tokens: Tokens) {
        if let Tokens::Own(mut tokens) = tokens
            && self.pool.len() < 16
            && tokens.capacity() < 4096
        {
            tokens.clear();
            self.pool.push(tokens);
        }
    }

    fn push_frame(&mut self, tokens: Tokens, mac: u32, at: Option<(u32, u16)>) {
        if let Some(entry) = self.macros.get_mut(mac as usize) {
            entry.active = true;
        }
        self.frames.push(Frame { tokens, next: 0, mac, at, barrier: false });
    }

    /// Whether the next token is `(`, without reading it.
    fn at_paren(&self) -> bool {
        for frame in self.frames.iter().rev() {
            if let Some(token) = frame.peek() {
                return token.is_punct(Tok::LParen);
            }
            if frame.barrier {
                return false;
            }
        }
        self.scanner.at_paren()
    }

    /// Expands a name for which a macro is defined.
    pub(super) fn expand(&mut self, name: PTok, mac: u32) -> Step {
        let value = |data: u32| PTok { kind: Kind::Value, data, ..name };
        if mac == LINE || mac == FILE {
            // Inside a macro's body it is the line that has been read to.
            let at = if name.flags & FROM_MACRO != 0 { self.last_source } else { name.lo };
            let place = self.lines.locate(at);
            return Step::Token(value(if mac == LINE { place.line } else { place.string }));
        }
        let entry = &self.macros[mac as usize];
        if entry.active {
            return Step::Token(PTok { flags: name.flags | PAINTED, ..name });
        }
        let body = entry.body.clone();
        let at = (name.lo, name.len);
        let Some(params) = &entry.params else {
            if entry.pastes {
                let args = Args { tokens: Vec::new(), ends: Vec::new() };
                let tokens = self.substitute(&body, &args, at);
                self.push_frame(Tokens::Own(tokens), mac, None);
            } else if !body.is_empty() {
                self.push_frame(Tokens::Body(body), mac, Some(at));
            }
            return Step::Pushed;
        };
        let count = params.len();
        if !self.at_paren() {
            return Step::Token(name);
        }
        match self.arguments(name, count) {
            Some(args) => {
                let tokens = self.substitute(&body, &args, at);
                self.recycle(Tokens::Own(args.tokens));
                self.push_frame(Tokens::Own(tokens), mac, None);
                Step::Pushed
            }
            None => Step::Token(PTok { kind: Kind::Bad, ..name }),
        }
    }

    /// Reads the arguments of a macro with `count` parameters.
    fn arguments(&mut self, name: PTok, count: usize) -> Option<Args> {
        let open = self.pull();
        debug_assert!(open.is_punct(Tok::LParen) || self.stopped);
        let mut args = Args { tokens: self.pool.pop().unwrap_or_default(), ends: Vec::new() };
        let mut depth = 0u32;
        loop {
            let token = self.pull();
            match (token.kind, token.tok) {
                (Kind::Eof | Kind::Newline | Kind::End, _) => {
                    let text = self.text(name).into_owned();
                    self.error(
                        name,
                        "E0623",
                        format!("the arguments of macro '{text}' do not end (GLSL 4.60 section 3.3)"),
                    );
                    return None;
                }
                (Kind::Punct, Tok::LParen) => depth += 1,
                (Kind::Punct, Tok::RParen) if depth == 0 => break,
                (Kind::Punct, Tok::RParen) => depth -= 1,
                (Kind::Punct, Tok::Comma) if depth == 0 => {
                    args.ends.push(args.tokens.len());
                    continue;
                }
                _ => {}
            }
            self.count_work(1);
            args.tokens.push(token);
        }
        args.ends.push(args.tokens.len());
        let given = args.ends.len();
        if given == count || (count == 0 && given == 1 && args.tokens.is_empty()) {
            return Some(args);
        }
        let text = self.text(name).into_owned();
        let given = if args.tokens.is_empty() && given == 1 { 0 } else { given };
        self.error(
            name,
            "E0623",
            format!("macro '{text}' takes {count} arguments, not {given} (GLSL 4.60 section 3.3)"),
        );
        None
    }

    /// The body of a macro with arguments substituted and `##` carried out.
    fn substitute(&mut self, body: &[PTok], args: &Args, at: (u32, u16)) -> Vec<PTok> {
        let mut out = self.pool.pop().unwrap_or_default();
        let mut expanded: Vec<Option<Vec<PTok>>> = Vec::new();
        expanded.resize_with(args.ends.len(), || None);
        // Whether the left side of a `##` to come is a token at the end of `out`.
        let mut left = false;
        for (i, &token) in body.iter().enumerate() {
            let pastes =
                |j: Option<usize>| j.and_then(|j| body.get(j)).is_some_and(|t| t.kind == Kind::HashHash);
            let (before, after) = (pastes(i.checked_sub(1)), pastes(Some(i + 1)));
            let single_token;
            let operand: &[PTok] = match token.kind {
                Kind::HashHash => continue,
                Kind::Param => {
                    let n = token.data as usize;
                    if before || after {
                        // Operands of ## are not expanded.
                        args.get(n)
                    } else {
                        if expanded[n].is_none() {
                            expanded[n] = Some(self.expand_argument(args.get(n)));
                        }
                        expanded[n].as_deref().unwrap_or_default()
                    }
                }
                _ => {
                    single_token = [PTok { lo: at.0, len: at.1, flags: token.flags | FROM_MACRO, ..token }];
                    &single_token
                }
            };
            self.count_work(operand.len());
            if self.stopped {
                break;
            }
            let start = out.len();
            out.extend_from_slice(operand);
            if before && left && !operand.is_empty() {
                let (l, r) = (out[start - 1], out[start]);
                if let Some(pasted) = self.paste(l, r, at) {
                    out[start - 1] = pasted;
                    out.remove(start);
                }
            }
            left = !operand.is_empty() || (before && left);
        }
        for tokens in expanded.into_iter().flatten() {
            self.recycle(Tokens::Own(tokens));
        }
        out
    }

    /// Two tokens as one.
    fn paste(&mut self, left: PTok, right: PTok, at: (u32, u16)) -> Option<PTok> {
        let text = format!("{}{}", self.text(left), self.text(right));
        // Pasting can double a name again and again.
        self.count_work(text.len());
        if text.len() >= usize::from(u16::MAX) {
            self.fatal(left, "E0625", "## produces a token that is too long");
            return None;
        }
        match single(&text, &mut self.names) {
            Some(token) => {
                let flags = (token.flags & !SPACE) | (left.flags & SPACE) | FROM_MACRO;
                Some(PTok { lo: at.0, len: at.1, flags, ..token })
            }
            None => {
                let (l, r) = (self.text(left).into_owned(), self.text(right).into_owned());
                self.error(left, "E0624", format!("'{l}' ## '{r}' is not one token"));
                None
            }
        }
    }

    /// An argument with all macros in it expanded.
    fn expand_argument(&mut self, tokens: &[PTok]) -> Vec<PTok> {
        let mut out = self.pool.pop().unwrap_or_default();
        let Some(&first) = tokens.first() else { return out };
        let most = self.options.max_macro_depth;
        if self.arguments >= most {
            self.too_deep = true;
            let message =
                format!("arguments of macros nest deeper than {most} levels, the limit of this compiler");
            self.fatal(first, "E0625", message);
            return out;
        }
        if !tokens.iter().any(|t| t.kind == Kind::Name && self.has_macro(Symbol(t.data))) {
            out.extend_from_slice(tokens);
            return out;
        }
        self.arguments += 1;
        let mut own = self.pool.pop().unwrap_or_default();
        own.extend_from_slice(tokens);
        self.frames.push(Frame { tokens: Tokens::Own(own), next: 0, mac: NO_MACRO, at: None, barrier: true });
        let floor = self.frames.len();
        loop {
            let token = self.next_expanded();
            if token.is_end() {
                break;
            }
            let operator = self.is_defined_operator(token);
            out.push(token);
            if operator {
                self.copy_operand_of_defined(&mut out);
            }
        }
        // Only the barrier is left, unless expansion was stopped.
        while self.frames.len() >= floor {
            self.pop_frame();
        }
        self.arguments -= 1;
        out
    }

    /// Inside an argument in `#if`: the operand of `defined` stays as it is.
    fn copy_operand_of_defined(&mut self, out: &mut Vec<PTok>) {
        for _ in 0..2 {
            let token = self.pull();
            if token.is_end() {
                return;
            }
            out.push(PTok { flags: token.flags | PAINTED, ..token });
            if token.kind == Kind::Name {
                return;
            }
        }
    }

    /// The next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> PTok {
        loop {
            let token = self.pull();
            if token.kind != Kind::Name || token.flags & PAINTED != 0 || self.is_defined_operator(token) {
                return token;
            }
            let mac = self.symbol(Symbol(token.data)).mac;
            if mac == NO_MACRO {
                return token;
            }
            if let Step::Token(token) = self.expand(token, mac) {
                return token;
            }
        }
    }

    /// `#define`, after the word itself.
    pub(super) fn define(&mut self) {
        let name = self.scan();
        if name.kind != Kind::Name {
            self.error(name, "E0620", "#define needs a name (GLSL 4.60 section 3.3)");
            return;
        }
        let symbol = Symbol(name.data);
        if !self.check_macro_name(name, true) {
            return;
        }
        let mut next = self.scan();
        self.params.clear();
        let mut params = None;
        if next.is_punct(Tok::LParen) && next.flags & SPACE == 0 {
            let Some(list) = self.parameters() else { return };
            params = Some(list.into_boxed_slice());
            next = self.scan();
        }
        let mut body = self.pool.pop().unwrap_or_default();
        let mut pastes = false;
        while !next.is_end() {
            pastes |= next.kind == Kind::HashHash;
            let mut token = interned(next, &self.scanner, &mut self.names);
            if token.kind == Kind::Name
                && let Some(&n) = self.params.get(&token.data)
            {
                token = PTok { kind: Kind::Param, data: n, ..token };
            }
            body.push(token);
            next = self.scan();
            if self.stopped {
                return;
            }
        }
        if let Some(first) = body.first_mut() {
            first.flags &= !SPACE;
        }
        if self.check_body(&body, params.is_some(), pastes) {
            let entry =
                Macro { params, body: body.as_slice().into(), active: false, predefined: false, pastes };
            self.enter_macro(name, symbol, entry);
        }
        self.recycle(Tokens::Own(body));
    }

    /// The names between the parentheses of `#define F(...)`.
    fn parameters(&mut self) -> Option<Vec<Symbol>> {
        let mut list = Vec::new();
        loop {
            let token = self.scan();
            if list.is_empty() && token.is_punct(Tok::RParen) {
                return Some(list);
            }
            if token.kind != Kind::Name {
                self.error(token, "E0620", "a parameter of a macro must be a name");
                return None;
            }
            if self.params.insert(token.data, list.len() as u32).is_some() {
                let text = self.text(token).into_owned();
                self.error(token, "E0620", format!("two parameters of a macro have the name '{text}'"));
                return None;
            }
            list.push(Symbol(token.data));
            let token = self.scan();
            if token.is_punct(Tok::RParen) {
                return Some(list);
            }
            if !token.is_punct(Tok::Comma) {
                self.error(token, "E0620", "',' or ')' must follow a parameter of a macro");
                return None;
            }
        }
    }

    /// Checks the positions of `#` and `##` in a body.
    fn check_body(&mut self, body: &[PTok], function: bool, pastes: bool) -> bool {
        for (i, &token) in body.iter().enumerate() {
            let next_param = body.get(i + 1).is_some_and(|t| t.kind == Kind::Param);
            if token.kind == Kind::Hash && function && next_param {
                self.error(token, "E0624", "GLSL does not have the # operator");
                return false;
            }
            if token.kind == Kind::HashHash && (i == 0 || i + 1 == body.len()) {
                self.error(token, "E0624", "## must have a token on both sides");
                return false;
            }
            if token.kind == Kind::HashHash && self.version.is_es() {
                self.error(
                    token,
                    "E0624",
                    "GLSL ES does not have the ## operator (GLSL ES 3.00 section 3.5)",
                );
                return false;
            }
        }
        debug_assert!(pastes || body.iter().all(|t| t.kind != Kind::HashHash));
        true
    }

    /// Defines a macro unless it is defined otherwise.
    fn enter_macro(&mut self, name: PTok, symbol: Symbol, entry: Macro) {
        let old = self.symbol(symbol).mac;
        let text = self.text(name).into_owned();
        if old == LINE || old == FILE {
            self.warning(name, "E0621", format!("predefined macro '{text}' is redefined"));
        } else if let Some(mac) = self.macros.get(old as usize) {
            if same(mac, &entry) {
                return;
            }
            let kind = if mac.predefined { "predefined macro" } else { "macro" };
            self.error(
                name,
                "E0622",
                format!("{kind} '{text}' is redefined differently (GLSL 4.60 section 3.3)"),
            );
            return;
        }
        self.set_macro(symbol, entry);
    }

    /// Defines a macro of the options.
    pub(super) fn predefine(&mut self, name: &str, body: &str) {
        let mut scanner = Scanner::new(body, &[]);
        let mut tokens = Vec::new();
        loop {
            let token = scanner.scan(&mut self.names);
            if token.kind == Kind::Eof {
                break;
            }
            tokens.push(PTok { lo: 0, len: 0, ..interned(token, &scanner, &mut self.names) });
        }
        let pastes = tokens.iter().any(|t| t.kind == Kind::HashHash);
        let symbol = self.names.intern(name);
        self.set_macro(
            symbol,
            Macro { params: None, body: tokens.into(), active: false, predefined: false, pastes },
        );
    }

    /// Adds a macro without checks.
    fn set_macro(&mut self, symbol: Symbol, entry: Macro) {
        self.symbol(symbol);
        self.symbols[symbol.0 as usize].mac = self.macros.len() as u32;
        self.macros.push(entry);
    }

    /// `#undef`, after the word itself.
    pub(super) fn undef(&mut self) {
        let name = self.scan();
        if name.kind != Kind::Name {
            self.error(name, "E0620", "#undef needs a name (GLSL 4.60 section 3.3)");
            return;
        }
        if !self.check_macro_name(name, false) {
            return;
        }
        if self.symbol(Symbol(name.data)).mac != NO_MACRO {
            self.symbols[name.data as usize].mac = NO_MACRO;
        }
        self.end_of_directive("#undef");
    }

    /// Whether a macro may have this name, or lose it.
    fn check_macro_name(&mut self, name: PTok, define: bool) -> bool {
        let text = self.text(name).into_owned();
        let verb = if define { "defined" } else { "undefined" };
        let es = self.version.is_es();
        if text.starts_with("GL_") {
            let message =
                format!("names that start with GL_ cannot be {verb} ('{text}') (GLSL 4.60 section 3.3)");
            self.error(name, "E0621", message);
            return false;
        }
        if text == "defined" {
            // The conformance suite of ES takes it.
            let message = format!("'defined' should not be {verb}");
            if es && define {
                self.warning(name, "E0621", message);
                return true;
            }
            self.error(name, "E0621", message);
            return false;
        }
        if text.contains("__") {
            let predefined = matches!(&*text, "__LINE__" | "__FILE__" | "__VERSION__");
            let old_es = es && self.version.number < 300 && !define;
            if (es && predefined) || old_es {
                let message = format!("'{text}' cannot be {verb} (GLSL ES 3.00 section 3.5)");
                self.error(name, "E0621", message);
                return false;
            }
            self.warning(name, "E0621", format!("'{text}' is reserved: it contains \"__\""));
        }
        true
    }
}

/// Whether two definitions are the same but for the kind of white space.
fn same(a: &Macro, b: &Macro) -> bool {
    a.params == b.params
        && a.body.len() == b.body.len()
        && a.body.iter().zip(b.body.iter()).all(|(x, y)| {
            x.kind == y.kind && x.tok == y.tok && x.data == y.data && (x.flags ^ y.flags) & SPACE == 0
        })
}
