//! Vertex shaders (chapter 12).

use super::emit::{Emitter, VECTOR, generate as emit};
use super::shader::{FixedShader, VERTEX_BINDING};
use super::vertex_key::{FixedVertexKey, FogCoordinate, VertexFlags};
use airfoil::arb::StateVector;
use airfoil::arb::state::MatrixModifier;
use airfoil::ir::{AluFlags, InstrId, Slot, Stage};

/// Locations of attributes: those of the built-in variables of GLSL.
mod location {
    use airfoil::ir::Slot;

    const fn generic(n: u8) -> Slot {
        Slot(Slot::GENERIC + n)
    }

    pub const VERTEX: Slot = generic(0);
    pub const NORMAL: Slot = generic(2);
    pub const COLOR: Slot = generic(3);
    pub const SECONDARY_COLOR: Slot = generic(4);
    pub const FOG_COORD: Slot = generic(5);
    pub const TEX_COORD: Slot = generic(8);
}

/// Generates the shader of a canonical key.
pub fn generate(key: &FixedVertexKey) -> FixedShader {
    emit(Stage::Vertex, VERTEX_BINDING, |e| {
        let mut v = Vertex { key, e, eye: None, eye_xyz: None, view: None, normal: None };
        v.position();
        v.colors();
        v.coordinates();
        v.fog();
        v.point_size();
        if v.key.flags.contains(VertexFlags::CLIP_PLANES) {
            let eye = v.eye();
            v.e.output("gl_ClipVertex", Slot::CLIP_VERTEX, eye);
        }
    })
}

/// A vertex shader under construction.
pub struct Vertex<'k, 'e, 'a> {
    /// Its key.
    pub key: &'k FixedVertexKey,
    /// Its instructions.
    pub e: &'e mut Emitter<'a>,
    eye: Option<InstrId>,
    eye_xyz: Option<InstrId>,
    view: Option<InstrId>,
    normal: Option<InstrId>,
}

impl Vertex<'_, '_, '_> {
    /// `gl_Vertex`.
    pub fn vertex(&mut self) -> InstrId {
        self.e.input("gl_Vertex", 4, location::VERTEX)
    }

    /// `gl_Color`.
    pub fn color(&mut self) -> InstrId {
        self.e.input("gl_Color", 4, location::COLOR)
    }

    /// `gl_MultiTexCoordN`.
    pub fn coordinate(&mut self, n: usize) -> InstrId {
        let slot = Slot(location::TEX_COORD.0 + n as u8);
        self.e.input(&format!("gl_MultiTexCoord{n}"), 4, slot)
    }

    /// Products of rows of a matrix with a vector.
    pub fn rows(&mut self, row: impl Fn(u8) -> StateVector, v: InstrId) -> InstrId {
        let products = [0, 1, 2, 3].map(|n| {
            let row = self.e.state(row(n));
            self.e.b.fdot(row, v)
        });
        self.e.b.vec(&products)
    }

    /// The position: the same exact operations as `ftransform` of GLSL and `ARB_position_invariant`, so that primitives that
    /// several kinds of shaders draw have the same fragments.
    fn position(&mut self) {
        let vertex = self.vertex();
        let modifier = MatrixModifier::Transpose;
        let columns =
            [0, 1, 2, 3].map(|row| self.e.state(StateVector::MatrixModelViewProjection { modifier, row }));
        self.e.b.flags = AluFlags::EXACT;
        let product = self.e.b.matrix_times_vector(&columns, vertex);
        self.e.b.flags = AluFlags::empty();
        let product = product.unwrap_or_else(|| self.e.b.zero(VECTOR));
        self.e.output("gl_Position", Slot::POSITION, product);
    }

    /// The vertex in eye coordinates (section 12.1.1).
    pub fn eye(&mut self) -> InstrId {
        if let Some(eye) = self.eye {
            return eye;
        }
        let vertex = self.vertex();
        let row = |row| StateVector::MatrixModelView { index: 0, modifier: MatrixModifier::None, row };
        let eye = self.rows(row, vertex);
        self.eye = Some(eye);
        eye
    }

    /// The three coordinates of the vertex in eye coordinates, divided by w. Those of a vertex at infinity are not divided.
    pub fn eye_xyz(&mut self) -> InstrId {
        if let Some(eye) = self.eye_xyz {
            return eye;
        }
        let eye = self.eye();
        let (w, zero, one) = (self.e.b.channel(eye, 3), self.e.b.imm_f32(0.0), self.e.b.imm_f32(1.0));
        let is_infinite = self.e.b.feq(w, zero);
        let w = self.e.b.bcsel(is_infinite, one, w);
        let xyz = self.e.xyz(eye);
        let xyz = self.e.b.fdiv(xyz, w);
        self.eye_xyz = Some(xyz);
        xyz
    }

    /// The unit vector from the origin to the vertex in eye coordinates.
    pub fn view(&mut self) -> InstrId {
        if let Some(view) = self.view {
            return view;
        }
        let eye = self.eye_xyz();
        let view = self.e.b.normalize(eye);
        self.view = Some(view);
        view
    }

    /// The normal in eye coordinates (section 12.1.3).
    pub fn normal(&mut self) -> InstrId {
        if let Some(normal) = self.normal {
            return normal;
        }
        let normal = self.e.input("gl_Normal", 3, location::NORMAL);
        let inverse = |modifier, row| StateVector::MatrixModelView { index: 0, modifier, row };
        let products = [0, 1, 2].map(|row| {
            let row = self.e.state(inverse(MatrixModifier::InverseTranspose, row));
            let row = self.e.xyz(row);
            self.e.b.fdot(row, normal)
        });
        let mut normal = self.e.b.vec(&products);
        if self.key.flags.contains(VertexFlags::NORMALIZE) {
            normal = self.e.b.normalize(normal);
        } else if self.key.flags.contains(VertexFlags::RESCALE_NORMAL) {
            // 1 / the length of the third row of the inverse.
            let row = self.e.state(inverse(MatrixModifier::Inverse, 2));
            let row = self.e.xyz(row);
            let square = self.e.b.fdot(row, row);
            let scale = self.e.b.frsq(square);
            normal = self.e.b.fmul(normal, scale);
        }
        self.normal = Some(normal);
        normal
    }

    fn colors(&mut self) {
        let needs_secondary = self.key.flags.contains(VertexFlags::SECONDARY_COLOR);
        if self.key.flags.contains(VertexFlags::LIGHTING) {
            self.lighting(needs_secondary);
            return;
        }
        let color = self.color();
        self.e.output("gl_FrontColor", Slot::COLOR0, color);
        if needs_secondary {
            let color = self.e.input("gl_SecondaryColor", 4, location::SECONDARY_COLOR);
            self.e.output("gl_FrontSecondaryColor", Slot::COLOR1, color);
        }
    }

    /// The fog coordinate (section 16.4).
    fn fog(&mut self) {
        let coordinate = match self.key.fog {
            FogCoordinate::None => return,
            FogCoordinate::Attribute => self.e.input("gl_FogCoord", 1, location::FOG_COORD),
            FogCoordinate::Depth => {
                let eye = self.eye();
                let z = self.e.b.channel(eye, 2);
                self.e.b.fabs(z)
            }
        };
        self.e.output("gl_FogFragCoord", Slot::FOG, coordinate);
    }

    /// The point size by the distance, before it is clamped (section 14.4).
    fn point_size(&mut self) {
        if !self.key.flags.contains(VertexFlags::POINT_ATTENUATION) {
            return;
        }
        let (size, factors) =
            (self.e.state(StateVector::PointSize), self.e.state(StateVector::PointAttenuation));
        let eye = self.eye_xyz();
        let square = self.e.b.fdot(eye, eye);
        let distance = self.e.b.fsqrt(square);
        let attenuation = self.polynomial(factors, distance, square);
        let scale = self.e.b.frsq(attenuation);
        let size = self.e.b.channel(size, 0);
        let size = self.e.b.fmul(size, scale);
        self.e.output("gl_PointSize", Slot::POINT_SIZE, size);
    }

    /// a + b d + c d^2 for the factors (a, b, c).
    pub fn polynomial(&mut self, factors: InstrId, distance: InstrId, square: InstrId) -> InstrId {
        let [a, b, c] = [0, 1, 2].map(|n| self.e.b.channel(factors, n));
        let (linear, quadratic) = (self.e.b.fmul(b, distance), self.e.b.fmul(c, square));
        let sum = self.e.b.fadd(a, linear);
        self.e.b.fadd(sum, quadratic)
    }
}
