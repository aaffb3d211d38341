//! Texture coordinates (section 12.1.4) and their matrices.

use super::shader::UNITS;
use super::vertex::Vertex;
use super::vertex_key::{CoordinateFlags, TexGen};
use airfoil::arb::StateVector;
use airfoil::arb::state::MatrixModifier;
use airfoil::ir::{InstrId, Slot, Src};

/// The plane of a generated coordinate s, t, r or q.
type Plane = fn(u32) -> StateVector;

const OBJECT_PLANES: [Plane; 4] = [
    |index| StateVector::TexGenObjectS { index },
    |index| StateVector::TexGenObjectT { index },
    |index| StateVector::TexGenObjectR { index },
    |index| StateVector::TexGenObjectQ { index },
];

const EYE_PLANES: [Plane; 4] = [
    |index| StateVector::TexGenEyeS { index },
    |index| StateVector::TexGenEyeT { index },
    |index| StateVector::TexGenEyeR { index },
    |index| StateVector::TexGenEyeQ { index },
];

/// Vectors that all units share.
#[derive(Default)]
struct Generated {
    reflection: Option<InstrId>,
    sphere: Option<InstrId>,
}

impl Vertex<'_, '_, '_> {
    /// Writes the texture coordinates.
    pub fn coordinates(&mut self) {
        let mut generated = Generated::default();
        for n in 0..UNITS {
            let unit = self.key.coordinates[n];
            if !unit.flags.contains(CoordinateFlags::ENABLED) {
                continue;
            }
            let mut value = if unit.texgen == [TexGen::None; 4] {
                self.coordinate(n)
            } else {
                let lanes = [0, 1, 2, 3].map(|c| self.generate(n, c, unit.texgen[c], &mut generated));
                self.e.b.vec_srcs(&lanes)
            };
            if unit.flags.contains(CoordinateFlags::MATRIX) {
                let (index, modifier) = (n as u32, MatrixModifier::None);
                value = self.rows(|row| StateVector::MatrixTexture { index, modifier, row }, value);
            }
            self.e.output(&format!("gl_TexCoord{n}"), Slot(Slot::TEX0.0 + n as u8), value);
        }
    }

    /// A coordinate of a unit.
    fn generate(&mut self, n: usize, c: usize, function: TexGen, generated: &mut Generated) -> Src {
        let index = n as u32;
        match function {
            TexGen::None => Src::comp(self.coordinate(n), c),
            TexGen::ObjectLinear => {
                let (plane, vertex) = (self.e.state(OBJECT_PLANES[c](index)), self.vertex());
                self.e.b.fdot(plane, vertex).into()
            }
            TexGen::EyeLinear => {
                let (plane, eye) = (self.e.state(EYE_PLANES[c](index)), self.eye());
                self.e.b.fdot(plane, eye).into()
            }
            TexGen::SphereMap => Src::comp(self.sphere(generated), c),
            TexGen::ReflectionMap => Src::comp(self.reflection(generated), c),
            TexGen::NormalMap => Src::comp(self.normal(), c),
        }
    }

    /// The reflected view: u - 2 n (n . u).
    fn reflection(&mut self, generated: &mut Generated) -> InstrId {
        if let Some(reflection) = generated.reflection {
            return reflection;
        }
        let (view, normal) = (self.view(), self.normal());
        let reflection = self.e.b.reflect(view, normal);
        generated.reflection = Some(reflection);
        reflection
    }

    /// r / m + 1/2 for m = 2 sqrt(rx^2 + ry^2 + (rz + 1)^2), where r is the reflected view.
    fn sphere(&mut self, generated: &mut Generated) -> InstrId {
        if let Some(sphere) = generated.sphere {
            return sphere;
        }
        let r = self.reflection(generated);
        let (zero, one, half) = (self.e.b.imm_f32(0.0), self.e.b.imm_f32(1.0), self.e.b.imm_f32(0.5));
        let forward = self.e.b.vec(&[zero, zero, one]);
        let sum = self.e.b.fadd(r, forward);
        let square = self.e.b.fdot(sum, sum);
        let scale = self.e.b.frsq(square);
        let scale = self.e.b.fmul(scale, half);
        let st = self.e.b.swizzle(r, &[0, 1]);
        let st = self.e.b.fmul(st, scale);
        let sphere = self.e.b.fadd(st, half);
        generated.sphere = Some(sphere);
        sphere
    }
}
