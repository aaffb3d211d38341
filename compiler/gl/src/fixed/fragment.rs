//! Fragment shaders (chapter 16).

use super::combine::{Argument, CombineFunction, CombineKey, Scale, Source};
use super::emit::{Emitter, VECTOR, generate as emit};
use super::env_mode::BaseFormat;
use super::fragment_key::{FixedFragmentKey, FragmentFlags};
use super::shader::{FRAGMENT_BINDING, FixedShader, UNITS};
use super::target::UnitTarget;
use airfoil::arb::StateVector;
use airfoil::ir::{Dim, InstrId, Scalar, Slot, Stage, Tex, TexOp, TexSrc, Ty};

/// Generates the shader of a canonical key.
pub fn generate(key: &FixedFragmentKey) -> FixedShader {
    emit(Stage::Fragment, FRAGMENT_BINDING, |e| {
        let color = e.input("gl_Color", 4, Slot::COLOR0);
        let mut f = Fragment { key, e, primary: color, previous: color, textures: [None; UNITS] };
        f.primary = f.clamped(color);
        f.previous = f.primary;
        for n in 0..UNITS {
            if f.key.units[n].target != UnitTarget::None {
                f.previous = f.environment(n);
            }
        }
        let color = f.color_sum();
        f.e.output("gl_FragColor", Slot::FRAG_COLOR, color);
    })
}

/// A fragment shader under construction.
struct Fragment<'k, 'e, 'a> {
    key: &'k FixedFragmentKey,
    e: &'e mut Emitter<'a>,
    primary: InstrId,
    /// The result of the unit before.
    previous: InstrId,
    /// Results of lookups.
    textures: [Option<InstrId>; UNITS],
}

impl Fragment<'_, '_, '_> {
    /// A color, clamped if colors of fragments are.
    fn clamped(&mut self, value: InstrId) -> InstrId {
        if self.key.flags.contains(FragmentFlags::CLAMP) { self.e.b.fsat(value) } else { value }
    }

    /// The sum with the secondary color, but for its alpha (section 16.3).
    fn color_sum(&mut self) -> InstrId {
        if !self.key.flags.contains(FragmentFlags::COLOR_SUM) {
            return self.previous;
        }
        let secondary = self.e.input("gl_SecondaryColor", 4, Slot::COLOR1);
        let (rgb, secondary) = (self.e.xyz(self.previous), self.e.xyz(secondary));
        let rgb = self.e.b.fadd(rgb, secondary);
        let rgb = self.clamped(rgb);
        let alpha = self.e.b.channel(self.previous, 3);
        self.e.with_w(rgb, alpha)
    }

    /// The texture of a unit.
    fn texture(&mut self, n: usize) -> InstrId {
        if let Some(value) = self.textures[n] {
            return value;
        }
        let value = self.lookup(n);
        let value = self.clamped(value);
        self.textures[n] = Some(value);
        value
    }

    /// Looks a texture up at the coordinates of its unit, divided by q.
    fn lookup(&mut self, n: usize) -> InstrId {
        let unit = self.key.units[n];
        let slot = Slot(Slot::TEX0.0 + n as u8);
        let coordinates = self.e.input(&format!("gl_TexCoord{n}"), 4, slot);
        let texture = self.e.texture(n as u32, unit.target);
        let q = self.e.b.channel(coordinates, 3);
        let mut tex = Tex::new(TexOp::Tex, unit.target.dim(), Scalar::Float32);
        tex.set_src(TexSrc::Texture, texture);
        tex.set_src(TexSrc::Sampler, texture);
        // Cube maps take a direction, whose length does not matter. They are compared with q (section 8.23.1).
        let is_cube = tex.dim == Dim::Cube;
        if !is_cube {
            tex.set_src(TexSrc::Projector, q);
        }
        tex.shadow = unit.target.is_shadow();
        if tex.shadow {
            let reference = if is_cube { q } else { self.e.b.channel(coordinates, 2) };
            tex.set_src(TexSrc::Comparator, reference);
        }
        tex.set_src(TexSrc::Coord, self.e.b.resize(coordinates, tex.dim.coord_comps()));
        if !tex.shadow {
            return self.e.b.tex(tex, VECTOR);
        }
        let r = self.e.b.tex(tex, Ty::new(1, 32));
        let (zero, one) = (self.e.b.imm_f32(0.0), self.e.b.imm_f32(1.0));
        let lanes = match unit.format {
            BaseFormat::Luminance | BaseFormat::LuminanceAlpha => [r, r, r, one],
            BaseFormat::Intensity => [r; 4],
            BaseFormat::Alpha => [zero, zero, zero, r],
            BaseFormat::Rgb | BaseFormat::Rgba => [r, zero, zero, one],
        };
        self.e.b.vec(&lanes)
    }

    /// The result of a unit.
    fn environment(&mut self, n: usize) -> InstrId {
        let unit = self.key.units[n];
        let rgb = self.combine(n, &unit.rgb, &[0, 1, 2]);
        let alpha = if unit.rgb.function == CombineFunction::Dot3Rgba {
            self.combine(n, &CombineKey { scale: unit.alpha.scale, ..unit.rgb }, &[0])
        } else {
            self.combine(n, &unit.alpha, &[3])
        };
        self.e.with_w(rgb, alpha)
    }

    /// The lanes of a source.
    fn argument(&mut self, n: usize, argument: Argument, lanes: &[u8]) -> InstrId {
        let source = match argument.source {
            Source::Constant => {
                let color = self.e.state(StateVector::TexEnvColor { index: n as u32 });
                self.clamped(color)
            }
            Source::Primary => self.primary,
            Source::Previous => self.previous,
            texture => match texture.unit(n) {
                Some(unit) => self.texture(unit),
                None => self.previous,
            },
        };
        let value = match argument.operand.is_alpha() {
            true => self.e.b.swizzle(source, &[3; 4][..lanes.len()]),
            false => self.e.b.swizzle(source, lanes),
        };
        if !argument.operand.is_inverted() {
            return value;
        }
        let one = self.e.b.imm_f32(1.0);
        self.e.b.fsub(one, value)
    }

    /// A combination, scaled and clamped.
    fn combine(&mut self, n: usize, key: &CombineKey, lanes: &[u8]) -> InstrId {
        let is_dot = matches!(key.function, CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba);
        let read: &[u8] = if is_dot { &[0, 1, 2] } else { lanes };
        let mut arguments = [self.previous; 3];
        for (value, &argument) in arguments.iter_mut().zip(key.read()) {
            *value = self.argument(n, argument, read);
        }
        let [a, b, c] = arguments;
        let (one, half) = (self.e.b.imm_f32(1.0), self.e.b.imm_f32(0.5));
        let e = &mut self.e.b;
        let mut value = match key.function {
            CombineFunction::Replace => a,
            CombineFunction::Modulate => e.fmul(a, b),
            CombineFunction::Add => e.fadd(a, b),
            CombineFunction::AddSigned => {
                let sum = e.fadd(a, b);
                e.fsub(sum, half)
            }
            CombineFunction::Interpolate => {
                let rest = e.fsub(one, c);
                let (a, b) = (e.fmul(a, c), e.fmul(b, rest));
                e.fadd(a, b)
            }
            CombineFunction::Subtract => e.fsub(a, b),
            CombineFunction::Dot3Rgb | CombineFunction::Dot3Rgba => {
                let (a, b, four) = (e.fsub(a, half), e.fsub(b, half), e.imm_f32(4.0));
                let dot = e.fdot(a, b);
                let dot = e.fmul(dot, four);
                e.swizzle(dot, &[0; 4][..lanes.len()])
            }
        };
        if key.scale != Scale::One {
            let factor = self.e.b.imm_f32(key.scale.factor());
            value = self.e.b.fmul(value, factor);
        }
        let stays = key.scale == Scale::One && key.function.stays_in_range();
        if stays { value } else { self.clamped(value) }
    }
}
