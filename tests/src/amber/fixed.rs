//! Blocks of a pipeline that specify the state of the fixed functions: `VIEWPORT`, `DEPTH`, `STENCIL`, `BLEND`.

use super::Fault;
use super::parser::Parser;
use super::script::{Depth, Pipeline, Viewport};
use airfoil_interp::pipeline::{Blend, BlendOp, Factor, Stencil, StencilOp};
use airfoil_interp::texture::Compare;

impl Parser<'_, '_> {
    pub(super) fn on_off(&mut self) -> Result<bool, Fault> {
        let word = self.lex.expect("on or off")?;
        match word.text {
            "on" => Ok(true),
            "off" => Ok(false),
            other => Err(self.lex.fault_at(word.at, format!("on or off is needed here, not `{other}`"))),
        }
    }

    fn float(&mut self) -> Result<f32, Fault> {
        self.lex.number("a number").map(|n| n.float() as f32)
    }

    pub(super) fn viewport(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        let corner = [self.float()?, self.float()?];
        self.lex.expect_word("SIZE")?;
        let size = [self.float()?, self.float()?];
        let mut depth = [0.0, 1.0];
        loop {
            let word = self.lex.next_word();
            match word.text {
                "" => break,
                "MIN_DEPTH" => depth[0] = self.float()?,
                "MAX_DEPTH" => depth[1] = self.float()?,
                other => return Err(self.lex.fault_at(word.at, format!("a viewport has no `{other}`"))),
            }
        }
        p.viewport = Some(Viewport { corner, size, depth });
        Ok(())
    }

    pub(super) fn depth(&mut self, depth: &mut Depth) -> Result<(), Fault> {
        loop {
            let word = self.lex.next_anywhere();
            match word.text {
                "END" => return Ok(()),
                "TEST" => depth.test = self.on_off()?,
                "WRITE" => depth.write = self.on_off()?,
                "CLAMP" => depth.clamp = self.on_off()?,
                "COMPARE_OP" => {
                    depth.compare = self.named("a comparison", Compare::NAMES)?;
                }
                "BOUNDS" => {
                    self.lex.expect_word("min")?;
                    let min = self.float()?;
                    self.lex.expect_word("max")?;
                    depth.bounds = Some((min, self.float()?));
                }
                "BIAS" => {
                    let mut bias = [0.0; 3];
                    for (value, name) in bias.iter_mut().zip(["constant", "clamp", "slope"]) {
                        self.lex.expect_word(name)?;
                        *value = self.float()?;
                    }
                    depth.bias = Some(bias);
                }
                other => return Err(self.lex.fault_at(word.at, format!("the depth test has no `{other}`"))),
            }
        }
    }

    /// A word of a table.
    fn named<T: Copy>(&mut self, what: &str, table: &[(&str, T)]) -> Result<T, Fault> {
        let word = self.lex.expect(what)?;
        let found = table.iter().find(|row| row.0 == word.text).map(|row| row.1);
        found
            .ok_or_else(|| self.lex.fault_at(word.at, format!("`{}` is not {what} that is known", word.text)))
    }

    fn byte(&mut self, what: &str) -> Result<u8, Fault> {
        let at = self.lex.peek().at;
        let n = self.lex.count(what)?;
        u8::try_from(n).map_err(|_| self.lex.fault_at(at, format!("{n} does not fit into 8 bits")))
    }

    /// `STENCIL front`, `back` or `front_and_back`.
    pub(super) fn stencil(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        let sides = self.named(
            "a face",
            &[("front", [true, false]), ("back", [false, true]), ("front_and_back", [true; 2])],
        )?;
        let Stencil { front, back } = &mut p.stencil;
        let mut face = if sides[0] { *front } else { *back };
        loop {
            let word = self.lex.next_anywhere();
            match word.text {
                "END" => break,
                "TEST" => p.stencil_test = self.on_off()?,
                "COMPARE_OP" => face.compare = self.named("a comparison", Compare::NAMES)?,
                "FAIL_OP" => face.fail = self.named("a stencil operation", StencilOp::NAMES)?,
                "PASS_OP" => face.pass = self.named("a stencil operation", StencilOp::NAMES)?,
                "DEPTH_FAIL_OP" => face.depth_fail = self.named("a stencil operation", StencilOp::NAMES)?,
                "COMPARE_MASK" => face.read_mask = self.byte("a mask")?,
                "WRITE_MASK" => face.write_mask = self.byte("a mask")?,
                "REFERENCE" => face.reference = self.byte("a reference")?,
                other => {
                    return Err(self.lex.fault_at(word.at, format!("the stencil test has no `{other}`")));
                }
            }
        }
        for (side, _) in [front, back].into_iter().zip(sides).filter(|(_, of)| *of) {
            *side = face;
        }
        Ok(())
    }

    /// `BLEND`, for all colours.
    pub(super) fn blend(&mut self, p: &mut Pipeline) -> Result<(), Fault> {
        // The names that are left out are zero and one, and add.
        let mut blend = Blend::of(BlendOp::Add, Factor::Zero, Factor::One);
        loop {
            let word = self.lex.next_anywhere();
            let equation = if word.text.contains("ALPHA") { &mut blend.alpha } else { &mut blend.color };
            match word.text {
                "END" => break,
                "SRC_COLOR_FACTOR" | "SRC_ALPHA_FACTOR" => {
                    equation.source = self.named("a factor", Factor::NAMES)?;
                }
                "DST_COLOR_FACTOR" | "DST_ALPHA_FACTOR" => {
                    equation.destination = self.named("a factor", Factor::NAMES)?;
                }
                "COLOR_OP" | "ALPHA_OP" => {
                    let name = self.lex.expect("an operation")?;
                    match BlendOp::from_name(name.text) {
                        Some(op) => equation.op = op,
                        // Those of VK_EXT_blend_operation_advanced.
                        None => p.unsupported = Some(format!("blending by {}", name.text)),
                    }
                }
                other => return Err(self.lex.fault_at(word.at, format!("blending has no `{other}`"))),
            }
        }
        p.blend = Some(blend);
        Ok(())
    }
}
