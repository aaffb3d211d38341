//! Functions: head, locals, blocks and control flow. Nesting lives on a stack of its own, so that deep code
//! cannot overflow the thread's.

use super::parser::{
    Fail, Frame, LIMIT, MAX_DEPTH, MAX_ERRORS, Name, PLACE, Parser, Res, TWICE, UNKNOWN, clip,
};
use crate::body::{Body, Cursor};
use crate::diag::nearest;
use crate::enums::*;
use crate::ids::{BlockId, FuncId, InstrId};
use crate::instr::{Call, Instr, InstrKind, PhiSrc};
use crate::shader::{Function, Param};
use crate::text::lexer::{Kind, token};
use crate::value::Ty;
use slotmap::Key;
use smallvec::SmallVec;

/// Numbers of values count up; one that leaves out more than this is kept like a word.
const MAX_GAP: usize = 64;

/// The number that a name is, written as the printer would.
fn as_number(name: &str) -> Option<usize> {
    let bytes = name.as_bytes();
    if bytes.len() > 9 || (bytes.len() > 1 && bytes[0] == b'0') {
        return None;
    }
    bytes.iter().try_fold(0, |n, b| Some(n * 10 + usize::from(b.checked_sub(b'0').filter(|&d| d < 10)?)))
}

impl<'a> Parser<'a> {
    // ---- values ----

    /// The value called `name`, if it has been defined. A null key is a value whose definition has an error.
    pub(super) fn find_value(&self, name: &str) -> Option<InstrId> {
        let dense = as_number(name).and_then(|n| self.code.dense.get(n).copied().flatten());
        dense.or_else(|| self.code.named.get(name).copied())
    }

    /// Gives a value its name.
    pub(super) fn define(&mut self, name: &'a str, at: usize, value: InstrId) -> Res<()> {
        if self.find_value(name).is_some() {
            return self.twice(at, "value", &format!("%{name}"));
        }
        match as_number(name).filter(|&n| n <= self.code.dense.len() + MAX_GAP) {
            Some(n) => {
                if n >= self.code.dense.len() {
                    self.code.dense.resize(n + 1, None);
                }
                self.code.dense[n] = Some(value);
            }
            None => _ = self.code.named.insert(name, value),
        }
        Ok(())
    }

    // ---- functions ----

    /// A function, after `fn`.
    pub(super) fn function(&mut self, entry: bool) -> Res<()> {
        let Name { raw, name, at } = self.name("the name of the function")?;
        if self.functions.contains_key(raw) {
            return self.twice(at, "function", raw);
        }
        let params = self.params()?;
        let mut function = Function::new(&name);
        function.params.clone_from(&params);
        function.loc = self.loc()?;
        let id = self.shader.add_function(function);
        self.functions.insert(raw, id);
        if let Some(origins) = &mut self.origins {
            origins.function(id, at);
        }
        if entry {
            if self.shader.entry.is_some() {
                return self.twice(at, "function", "entry fn");
            }
            self.shader.entry = Some(id);
        }
        self.expect('{')?;
        self.skip_newlines();
        while self.at_word().is_some_and(|w| Modes::NAMES.iter().any(|(n, _)| *n == w))
            && self.next_byte() != b':'
        {
            self.variable(Some(id))?;
            self.skip_newlines();
        }
        let body = Body::new();
        self.code.block = body.entry();
        self.code.body = body;
        self.code.function = id;
        self.code.params = params;
        self.code.started = false;
        self.code.jumped = false;
        self.code.frames.clear();
        self.code.blocks.clear();
        self.code.dense.clear();
        self.code.named.clear();
        self.code.phis.clear();
        self.code()?;
        self.resolve_phis();
        self.shader.functions[id].body = std::mem::take(&mut self.code.body);
        Ok(())
    }

    /// Parameters in parentheses, if there are any.
    fn params(&mut self) -> Res<Vec<Param>> {
        let mut params = Vec::new();
        if !self.eat('(') {
            return Ok(params);
        }
        while !self.eat(')') {
            let ty = if self.tok.kind == Kind::Number { Some(self.shape()?) } else { None };
            let pointee = if self.eat_word("deref") {
                self.expect('(')?;
                let ty = self.ty()?;
                let modes = Modes::from_bits_lossy(self.flags(Modes::NAMES)?);
                self.expect(')')?;
                Some((ty, modes))
            } else if ty.is_none() {
                return self.expected("a shape such as `32x4`, `deref(type mode)` or `)`");
            } else {
                None
            };
            let precision = self.precision()?;
            params.push(Param { ty: ty.unwrap_or(Ty::DEREF), pointee, precision });
            if !self.eat(',') && !self.at(')') {
                return self.expected("`,` or `)`");
            }
        }
        Ok(params)
    }

    /// Looks up the functions of all calls.
    pub(super) fn resolve_calls(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            match self.functions.get(call.callee) {
                Some(&callee) => {
                    let body = &mut self.shader.functions[call.caller].body;
                    body.edit(call.instr, |i| {
                        if let InstrKind::Call(c) = &mut i.kind {
                            c.callee = callee;
                        }
                    });
                }
                None => {
                    let help = nearest(call.callee, self.functions.keys().copied());
                    let help = help.map(|n| format!("did you mean `{n}`?"));
                    let message = format!("unknown function `{}`", clip(call.callee));
                    let _ = self.fail_help::<()>(call.at, UNKNOWN, message, help);
                }
            }
        }
    }

    /// A call of a function that is looked up later.
    pub(super) fn call_of(&self, args: SmallVec<[InstrId; 4]>) -> InstrKind {
        InstrKind::Call(Box::new(Call { callee: FuncId::null(), args }))
    }

    // ---- code ----

    /// The code of a function, to its closing brace.
    fn code(&mut self) -> Res<()> {
        loop {
            match self.tok.kind {
                Kind::Newline => self.advance(),
                Kind::Punct('}') => {
                    self.advance();
                    if self.code.frames.is_empty() {
                        return Ok(());
                    }
                    self.close()?;
                }
                Kind::Word if self.next_byte() == b':' => self.label()?,
                Kind::Word if self.slice() == "if" => self.start_if()?,
                Kind::Word if self.slice() == "loop" => self.start_loop()?,
                _ => {
                    if self.statement().is_err() {
                        self.skip_line()?;
                    }
                }
            }
        }
    }

    /// Skips an instruction that could not be read.
    fn skip_line(&mut self) -> Res<()> {
        while !self.at_line_end() {
            self.advance();
        }
        if self.tok.kind == Kind::End {
            return if self.errors.is_empty() { self.expected("`}`") } else { Err(Fail) };
        }
        if self.errors.len() >= MAX_ERRORS { Err(Fail) } else { Ok(()) }
    }

    fn label(&mut self) -> Res<()> {
        let (name, at) = (self.slice(), self.tok.start);
        if self.code.started {
            let message = "unexpected label: labels are at the start of a function or after a brace";
            return self.fail(at, PLACE, message);
        }
        self.code.started = true;
        if self.code.blocks.insert(name, self.code.block).is_some() {
            return self.twice(at, "block", name);
        }
        self.advance();
        self.advance();
        Ok(())
    }

    /// Records that code follows here.
    pub(super) fn check_place(&mut self) -> Res<()> {
        if self.code.jumped {
            let message = "unreachable code: a jump must be the last instruction before the closing brace";
            return self.fail(self.tok.start, PLACE, message);
        }
        self.code.started = true;
        Ok(())
    }

    fn start_if(&mut self) -> Res<()> {
        self.check_place()?;
        self.check_depth()?;
        self.advance();
        let cond = self.operand()?;
        let control = self.control()?;
        let at = Cursor::BlockEnd(self.code.block);
        let body = self.body();
        let cf = body.insert_if(at, cond);
        body.set_control(cf, control);
        let first = body.as_if(cf).map(|n| n.then().first);
        self.enter(Frame::Then(cf), first);
        Ok(())
    }

    fn start_loop(&mut self) -> Res<()> {
        self.check_place()?;
        self.check_depth()?;
        self.advance();
        let control = self.control()?;
        let at = Cursor::BlockEnd(self.code.block);
        let body = self.body();
        let cf = body.insert_loop(at);
        body.set_control(cf, control);
        let first = body.as_loop(cf).map(|n| n.body().first);
        self.enter(Frame::Loop(cf), first);
        Ok(())
    }

    fn check_depth(&mut self) -> Res<()> {
        if self.code.frames.len() >= MAX_DEPTH {
            return self.fail(
                self.tok.start,
                LIMIT,
                format!("ifs and loops nest deeper than {MAX_DEPTH} levels"),
            );
        }
        Ok(())
    }

    /// Hint and opening brace.
    fn control(&mut self) -> Res<Control> {
        let control = if self.at('{') { Control::None } else { self.named()? };
        self.expect('{')?;
        Ok(control)
    }

    fn enter(&mut self, frame: Frame, block: Option<BlockId>) {
        self.code.frames.push(frame);
        self.go_to(block);
    }

    fn go_to(&mut self, block: Option<BlockId>) {
        self.code.block = block.unwrap_or(self.code.block);
        self.code.started = false;
        self.code.jumped = false;
    }

    /// Behind the closing brace of an `if`, an `else` or a loop.
    fn close(&mut self) -> Res<()> {
        let Some(frame) = self.code.frames.pop() else { return Ok(()) };
        if let Frame::Then(cf) = frame {
            // `else` may be on the next line.
            let next = if self.tok.kind == Kind::Newline { token(self.text, self.tok.end) } else { self.tok };
            if next.kind == Kind::Word && &self.text[next.start..next.end] == "else" {
                self.tok = token(self.text, next.end);
                self.expect('{')?;
                let first = self.code.body.as_if(cf).map(|n| n.els().first);
                self.enter(Frame::Else(cf), first);
                return Ok(());
            }
        }
        let (Frame::Then(cf) | Frame::Else(cf) | Frame::Loop(cf)) = frame;
        let next = self.code.body.cf(cf).next();
        self.go_to(Some(next));
        Ok(())
    }

    /// Puts an instruction at the end of the block.
    pub(super) fn push(&mut self, instr: Instr) -> InstrId {
        self.code.jumped = matches!(instr.kind, InstrKind::Jump(_));
        let at = Cursor::BlockEnd(self.code.block);
        let id = self.code.body.insert(at, instr);
        if let Some(origins) = &mut self.origins {
            origins.instr(self.code.function, id, self.statement);
        }
        id
    }

    /// Gives the phis of the function their sources. Until now they were undefs, so that edits of the control
    /// flow did not look at them.
    fn resolve_phis(&mut self) {
        let sources = std::mem::take(&mut self.code.phis);
        for of_one in sources.chunk_by(|a, b| a.phi == b.phi) {
            let mut srcs: SmallVec<[PhiSrc; 2]> = SmallVec::with_capacity(of_one.len());
            for s in of_one {
                let Some(&pred) = self.code.blocks.get(s.pred) else {
                    let _ = self.unknown_name(s.pred_at, "block", s.pred);
                    continue;
                };
                let Some(value) = self.find_value(s.value) else {
                    let _ = self.unknown_name(s.value_at, "value", &format!("%{}", s.value));
                    continue;
                };
                if srcs.iter().any(|o| o.pred == pred) {
                    let message = format!("the phi has two sources for `{}`", clip(s.pred));
                    let _ = self.fail::<()>(s.pred_at, TWICE, message);
                }
                srcs.push(PhiSrc { pred, value });
            }
            let phi = of_one[0].phi;
            let ty = self.code.body[phi].ty;
            self.code.body.set_instr(phi, InstrKind::Phi(srcs), ty);
        }
        self.code.phis = sources;
    }

    fn unknown_name(&mut self, at: usize, what: &str, name: &str) -> Res<()> {
        self.fail(at, UNKNOWN, format!("unknown {what} `{}` in this function", clip(name)))
    }
}
