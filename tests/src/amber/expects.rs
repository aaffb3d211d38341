//! `EXPECT`.

use super::Fault;
use super::number::Number;
use super::parser::Parser;
use super::script::{Check, Expect, Relation, Tolerance};

/// Relations by name.
const RELATIONS: &[(&str, Relation)] = &[
    ("EQ", Relation::Equal),
    ("NE", Relation::NotEqual),
    ("LT", Relation::Less),
    ("LE", Relation::LessEqual),
    ("GT", Relation::Greater),
    ("GE", Relation::GreaterEqual),
];

impl Parser<'_, '_> {
    pub(super) fn expectation(&mut self) -> Result<Expect, Fault> {
        let buffer = self.buffer_name()?;
        let line = self.lex.line();
        let check = if self.lex.take("IDX") { self.at_index()? } else { self.with_buffer()? };
        self.lex.end_of_line()?;
        Ok(Expect { buffer, check, line })
    }

    /// Comparison with a whole buffer.
    fn with_buffer(&mut self) -> Result<Check, Fault> {
        let word = self.lex.expect("IDX or a comparison with a buffer")?;
        let other = match word.text {
            "EQ_BUFFER" | "RMSE_BUFFER" | "EQ_HISTOGRAM_EMD_BUFFER" => self.buffer_name()?,
            text => return Err(self.lex.fault_at(word.at, format!("unknown comparison `{text}`"))),
        };
        if word.text == "EQ_BUFFER" {
            return Ok(Check::Equal(other));
        }
        self.lex.expect_word("TOLERANCE")?;
        let tolerance = self.lex.number("a tolerance")?.float();
        Ok(match word.text {
            "RMSE_BUFFER" => Check::Rmse(other, tolerance),
            _ => Check::Histogram(other, tolerance),
        })
    }

    fn tolerances(&mut self) -> Result<Vec<Tolerance>, Fault> {
        let mut list = Vec::new();
        loop {
            let text = self.lex.peek().text;
            let (number, percent) = match text.strip_suffix('%') {
                Some(number) => (number, true),
                None => (text, false),
            };
            let Some(value) = Number::parse(number) else { break };
            self.lex.next_word();
            let value = value.float();
            list.push(if percent { Tolerance::Percent(value) } else { Tolerance::Absolute(value) });
        }
        if list.is_empty() { Err(self.lex.fault("a tolerance is needed here")) } else { Ok(list) }
    }

    fn at_index(&mut self) -> Result<Check, Fault> {
        let x = self.lex.count("an index")?;
        let y = Number::parse(self.lex.peek().text).is_some();
        let y = if y { Some(self.lex.count("an index")?) } else { None };
        let (mut size, mut tolerance) = (None, Vec::new());
        loop {
            let word = self.lex.expect("a comparison")?;
            match word.text {
                "SIZE" => size = Some([self.lex.count("a width")?, self.lex.count("a height")?]),
                "TOLERANCE" => tolerance = self.tolerances()?,
                "EQ_RGB" | "EQ_RGBA" => {
                    let mut color = Vec::new();
                    for _ in 0..if word.text == "EQ_RGB" { 3 } else { 4 } {
                        color.push(self.lex.number("a component, 0 to 255,")?.float() / 255.0);
                    }
                    if self.lex.take("TOLERANCE") {
                        tolerance = self.tolerances()?;
                    }
                    let scale = |t| match t {
                        Tolerance::Absolute(t) => Tolerance::Absolute(t / 255.0),
                        percent => percent,
                    };
                    let tolerance = tolerance.into_iter().map(scale).collect();
                    let (Some(y), [w, h]) = (y, size.unwrap_or([1, 1])) else {
                        return Err(self.lex.fault_at(word.at, "pixels have two indices"));
                    };
                    return Ok(Check::Pixels { area: [x, y, w, h], color, tolerance });
                }
                text => {
                    let Some((_, relation)) = RELATIONS.iter().find(|r| r.0 == text) else {
                        return Err(self.lex.fault_at(word.at, format!("unknown comparison `{text}`")));
                    };
                    if y.is_some() || size.is_some() {
                        return Err(self.lex.fault_at(word.at, "numbers have one index, a byte"));
                    }
                    let mut numbers = vec![self.lex.number("a number")?];
                    while !self.lex.peek().text.is_empty() {
                        numbers.push(self.lex.number("a number")?);
                    }
                    let (at, relation) = (u64::from(x), *relation);
                    return Ok(Check::Numbers { at, layout: None, relation, numbers, tolerance });
                }
            }
        }
    }
}
