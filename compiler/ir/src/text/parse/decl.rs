//! Types and variables.

use super::parser::{LIMIT, NUMBER, Name, Parser, Res, TWICE, UNKNOWN, Weight, clip};
use crate::diag::nearest;
use crate::enums::*;
use crate::ids::FuncId;
use crate::text::lexer::{Kind, suffix_end, token};
use crate::text::words::{OPAQUE_WORDS, TYPE_WORDS};
use crate::types::{ImageType, Member, StructType, Type, TypeId};
use crate::var::Variable;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Arrays and structures can nest this deep.
const MAX_TYPE_DEPTH: u32 = 255;
/// A type can have this many members, counted once for each use: functions that walk over
/// types take time in this number.
const MAX_TYPE_WEIGHT: u32 = 1 << 20;

/// Size and stride in brackets.
struct Dimension {
    len: u32,
    stride: u32,
}

impl<'a> Parser<'a> {
    // ---- types ----

    fn intern(&mut self, at: usize, ty: Type) -> Res<TypeId> {
        let mut weight = Weight { depth: 1, total: 1 };
        match &ty {
            Type::Array { elem, .. } => {
                weight = self.weights[elem.index()];
                weight.depth += 1;
            }
            Type::Struct(s) => {
                for inner in s.members.iter().map(|m| self.weights[m.ty.index()]) {
                    weight.depth = weight.depth.max(inner.depth + 1);
                    weight.total = weight.total.saturating_add(inner.total);
                }
            }
            _ => {}
        }
        if weight.depth > MAX_TYPE_DEPTH + 1 || weight.total > MAX_TYPE_WEIGHT {
            let message = format!(
                "this type is too large: types nest at most {MAX_TYPE_DEPTH} deep and have at most {MAX_TYPE_WEIGHT} members"
            );
            return self.fail(at, LIMIT, message);
        }
        let id = self.shader.types.intern(ty);
        if let Some(origins) = &mut self.origins {
            origins.ty(id, at);
        }
        self.note_weights();
        if id.index() + 1 == self.weights.len() {
            self.weights[id.index()] = weight;
        }
        Ok(id)
    }

    /// Types that were added without [`Parser::intern`] are scalars and vectors.
    pub(super) fn note_weights(&mut self) {
        self.weights.resize(self.shader.types.len(), Weight { depth: 1, total: 1 });
    }

    /// A type, or the declaration of a block instead of its name.
    pub(super) fn ty(&mut self) -> Res<TypeId> {
        let at = self.tok.start;
        let base = self.base_type()?;
        let mut dimensions: SmallVec<[Dimension; 4]> = SmallVec::new();
        while self.at('[') {
            if dimensions.len() >= MAX_TYPE_DEPTH as usize {
                return self.fail(at, LIMIT, format!("arrays nest at most {MAX_TYPE_DEPTH} deep"));
            }
            dimensions.push(self.dimension()?);
        }
        // The first brackets are the outermost array.
        let mut id = base;
        for d in dimensions.into_iter().rev() {
            id = self.intern(at, Type::Array { elem: id, len: d.len, stride: d.stride })?;
        }
        Ok(id)
    }

    fn dimension(&mut self) -> Res<Dimension> {
        self.expect('[')?;
        let len = self.number_if_any(u64::from(u32::MAX))?.unwrap_or(0) as u32;
        let stride = if self.eat_word("stride") {
            self.expect('=')?;
            self.u32()?
        } else {
            0
        };
        self.expect(']')?;
        Ok(Dimension { len, stride })
    }

    fn base_type(&mut self) -> Res<TypeId> {
        let at = self.tok.start;
        if !self.at_name() {
            return self.expected("a type");
        }
        if let Some(word) = self.at_word() {
            if let Some(ty) = TYPE_WORDS.get(word) {
                self.advance();
                let mut ty = ty.clone();
                if let Type::Matrix { stride, row_major, .. } = &mut ty {
                    (*stride, *row_major) = self.matrix_layout()?;
                }
                return self.intern(at, ty);
            }
            if word == "sampler" {
                self.advance();
                return self.intern(at, Type::Sampler);
            }
            if OPAQUE_WORDS.contains(&word) {
                self.advance();
                let image = self.image(word)?;
                return self.intern(at, Type::Image(image));
            }
        }
        let start = self.tok;
        let name = self.name("a type")?;
        if self.at('{') {
            self.tok = start;
            return self.declare_struct(true);
        }
        match self.structs.get(name.raw) {
            Some(&id) => Ok(id),
            None => {
                let structs: Vec<&str> = self.structs.keys().copied().collect();
                let words = TYPE_WORDS.keys().map(|n| &**n).chain(OPAQUE_WORDS.iter().copied());
                let help = nearest(name.raw, words.chain(structs)).map(|n| format!("did you mean `{n}`?"));
                self.fail_help(at, UNKNOWN, format!("unknown type `{}`", clip(name.raw)), help)
            }
        }
    }

    /// `(stride=16 row_major)` after a matrix type.
    fn matrix_layout(&mut self) -> Res<(u32, bool)> {
        let (mut stride, mut row_major) = (0, false);
        if self.eat('(') {
            while !self.eat(')') {
                match self.at_word() {
                    Some("stride") => {
                        self.advance();
                        self.expect('=')?;
                        stride = self.u32()?;
                    }
                    Some("row_major") => {
                        self.advance();
                        row_major = true;
                    }
                    _ => return self.expected("`stride=`, `row_major` or `)`"),
                }
            }
        }
        Ok((stride, row_major))
    }

    /// `(2d float32 array shadow)` after `texture`, `sampled` or `image`.
    fn image(&mut self, word: &str) -> Res<ImageType> {
        self.expect('(')?;
        let dim = self.named()?;
        let sampled = self.named()?;
        let mut image = ImageType {
            dim,
            sampled,
            arrayed: false,
            shadow: false,
            storage: word == "image",
            combined: word == "sampled",
            format: ImageFormat::Unknown,
        };
        while !self.eat(')') {
            match self.at_word() {
                Some("array") => image.arrayed = true,
                Some("shadow") => image.shadow = true,
                Some("combined") if image.storage => image.combined = true,
                Some(word) if ImageFormat::from_name(word).is_some() => {
                    image.format = self.named()?;
                    continue;
                }
                _ => return self.expected("`array`, `shadow`, a format or `)`"),
            }
            self.advance();
        }
        Ok(image)
    }

    /// Name and members of a structure.
    pub(super) fn declare_struct(&mut self, block: bool) -> Res<TypeId> {
        let name = self.name("the name of a structure")?;
        if self.structs.contains_key(name.raw) {
            let message = format!("there is a structure `{}` already", clip(name.raw));
            return self.fail(name.at, TWICE, message);
        }
        self.expect('{')?;
        self.skip_newlines();
        let mut members = Vec::new();
        let mut by_name: FxHashMap<&'a str, u32> = FxHashMap::default();
        while !self.at('}') {
            if self.at_block_in_block() {
                return self.expected("a type that has been declared");
            }
            let ty = self.ty()?;
            if !self.at_name() {
                return self.expected("the name of a member");
            }
            let plain = self.at_word();
            let member = self.unquoted()?;
            self.advance();
            if let Some(plain) = plain {
                by_name.entry(plain).or_insert(members.len() as u32);
            }
            let offset = if self.eat('@') { Some(self.u32()?) } else { None };
            let precision = self.precision()?;
            members.push(Member { name: member.into(), ty, offset, precision });
            let separated = self.eat(',') || self.tok.kind == Kind::Newline;
            self.skip_newlines();
            if !separated && !self.at('}') {
                return self.expected("`,`, a new line or `}`");
            }
        }
        self.advance();
        let ty = StructType { name: name.name.into(), members: members.into(), block };
        let id = self.intern(name.at, Type::Struct(ty))?;
        self.structs.insert(name.raw, id);
        for (member, n) in by_name {
            self.members.entry((id, member)).or_insert(n);
        }
        Ok(id)
    }

    /// `precision=mediump` after a member or parameter, if present.
    pub(super) fn precision(&mut self) -> Res<Precision> {
        if !self.eat_word("precision") {
            return Ok(Precision::None);
        }
        self.expect('=')?;
        self.named()
    }

    /// Whether a member's type is declared inline: only variables may do that, so that nothing recurses.
    fn at_block_in_block(&self) -> bool {
        self.at_name() && {
            let end = suffix_end(self.text, self.tok.end);
            token(self.text, end).kind == Kind::Punct('{')
        }
    }

    // ---- variables ----

    /// A variable, at its mode; `function` is the function whose local it is.
    pub(super) fn variable(&mut self, function: Option<FuncId>) -> Res<()> {
        let mode = Modes::from_bits_lossy(self.flags(Modes::NAMES)?);
        let ty = self.ty()?;
        let Name { raw, name, at } = self.name("the name of the variable")?;
        if self.vars.contains_key(raw) {
            let message = format!("there is a variable `{}` already", clip(raw));
            return self.fail_help(
                at,
                TWICE,
                message,
                Some(format!("tell them apart by a number: `{raw}.1`")),
            );
        }
        let mut var = Variable { function, ..Variable::new(&name, ty, mode) };
        while !self.at_line_end() {
            if self.eat('=') {
                let shape = crate::text::print::Shape::of(&self.shader.types, ty);
                var.initializer = Some(self.initializer(shape, 0)?);
                break;
            }
            self.attribute(&mut var)?;
        }
        let id = self.shader.add_var(var);
        self.vars.insert(raw, id);
        if let Some(origins) = &mut self.origins {
            origins.var(id, at);
        }
        self.line_end()
    }

    fn attribute(&mut self, var: &mut Variable) -> Res<()> {
        let at = self.tok.start;
        let word = self.word("a property of the variable, `=` or the end of the line")?;
        match word {
            "patch" => var.patch = true,
            "per_primitive" => var.per_primitive = true,
            "invariant" => var.invariant = true,
            "compact" => var.compact = true,
            "fetched" => var.fetched = true,
            "complete" => var.complete = true,
            _ => {
                if let Some(interpolation) = Interpolation::from_name(word) {
                    var.interpolation = interpolation;
                    return Ok(());
                }
                if let Some(sampling) = Sampling::from_name(word) {
                    var.sampling = sampling;
                    return Ok(());
                }
                if !self.eat('=') {
                    let words = ["patch", "per_primitive", "invariant", "compact", "fetched", "complete"];
                    let interpolations = Interpolation::ALL.iter().map(|v| v.name());
                    let names =
                        words.into_iter().chain(interpolations).chain(Sampling::ALL.iter().map(|v| v.name()));
                    return self.unknown(at, "property", word, names.chain(ATTRIBUTES.iter().copied()));
                }
                return self.value_attribute(at, word, var);
            }
        }
        Ok(())
    }

    /// The value of a property, after its `=`.
    fn value_attribute(&mut self, at: usize, word: &str, var: &mut Variable) -> Res<()> {
        match word {
            "location" => var.location = Some(self.slot()?),
            "component" => var.component = self.number(u64::from(u8::MAX))? as u8,
            "index" => var.index = self.number(u64::from(u8::MAX))? as u8,
            "stream" => var.stream = self.number(u64::from(u8::MAX))? as u8,
            "set" => var.set = Some(self.u32()?),
            "binding" => var.binding = Some(self.u32()?),
            "offset" => var.offset = self.u32()?,
            "precision" => var.precision = self.named()?,
            "access" => var.access = Access::from_bits_lossy(self.flags(Access::NAMES)?),
            "builtin" => var.system_value = Some(self.system_value()?),
            _ => return self.unknown(at, "property", word, ATTRIBUTES.iter().copied()),
        }
        Ok(())
    }

    /// Shape of a value, such as `32x4`.
    pub(super) fn shape(&mut self) -> Res<crate::value::Ty> {
        let text = self.slice();
        let shape = text.split_once('x').and_then(|(bits, comps)| {
            let ty = crate::value::Ty::new(comps.parse().ok()?, bits.parse().ok()?);
            ty.is_legal().then_some(ty)
        });
        match shape {
            Some(ty) if self.tok.kind == Kind::Number => {
                self.advance();
                Ok(ty)
            }
            _ if self.tok.kind == Kind::Number && text.contains('x') => {
                let message = format!(
                    "`{}` is not a shape: expected 1, 8, 16, 32 or 64 bits, `x` and 1 to 4 components",
                    clip(text)
                );
                self.fail(self.tok.start, NUMBER, message)
            }
            _ => self.expected("a shape such as `32x4`"),
        }
    }

    /// Text that must not be there twice.
    pub(super) fn twice<T>(&mut self, at: usize, what: &str, name: &str) -> Res<T> {
        self.fail(at, TWICE, format!("there is a {what} `{}` already", clip(name)))
    }
}

/// Properties of variables that have a value.
const ATTRIBUTES: &[&str] = &[
    "location",
    "component",
    "index",
    "stream",
    "set",
    "binding",
    "offset",
    "precision",
    "access",
    "builtin",
];
