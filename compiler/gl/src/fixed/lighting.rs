//! The lighting equation (section 12.2.1).

use super::shader::UNITS;
use super::vertex::Vertex;
use super::vertex_key::{ColorMaterial, LightFlags, VertexFlags};
use airfoil::arb::StateVector;
use airfoil::arb::state::Face;
use airfoil::ir::{InstrId, Slot};

/// The vectors and factors of a light, which both faces share.
struct Light {
    index: u32,
    /// The cosine of the angle between the normal and the direction of the light.
    diffuse: InstrId,
    /// The cosine of the angle between the normal and the half-angle vector.
    specular: Option<InstrId>,
    /// The product of the attenuation and the spot factor; 1 if there is none.
    strength: Option<InstrId>,
}

/// The face of a material.
struct Material {
    face: Face,
    color: ColorMaterial,
    /// Names and slots of the primary and secondary color.
    outputs: [(&'static str, Slot); 2],
}

const OUTPUTS: [[(&str, Slot); 2]; 2] = [
    [("gl_FrontColor", Slot::COLOR0), ("gl_FrontSecondaryColor", Slot::COLOR1)],
    [("gl_BackColor", Slot::BACK_COLOR0), ("gl_BackSecondaryColor", Slot::BACK_COLOR1)],
];

impl Vertex<'_, '_, '_> {
    /// Writes the colors. They are clamped by state.
    pub fn lighting(&mut self, needs_secondary: bool) {
        let enabled = (0..UNITS).filter(|&n| self.key.lights[n].contains(LightFlags::ENABLED));
        let enabled: Vec<usize> = enabled.collect();
        let lights: Vec<Light> = enabled.into_iter().map(|n| self.light(n)).collect();
        let faces: &[Face] = match self.key.flags.contains(VertexFlags::TWO_SIDE) {
            true => &[Face::Front, Face::Back],
            false => &[Face::Front],
        };
        for &face in faces {
            let color = self.key.color_material[face as usize];
            let material = Material { face, color, outputs: OUTPUTS[face as usize] };
            self.lit_color(&material, &lights, needs_secondary);
        }
    }

    /// The vectors and factors of a light.
    fn light(&mut self, n: usize) -> Light {
        let (index, flags) = (n as u32, self.key.lights[n]);
        let normal = self.normal();
        let position = self.e.state(StateVector::LightPosition { index });
        let position_xyz = self.e.xyz(position);
        let mut strength = None;
        let direction = if flags.contains(LightFlags::POSITIONAL) {
            let w = self.e.b.channel(position, 3);
            let (position, eye) = (self.e.b.fdiv(position_xyz, w), self.eye_xyz());
            let way = self.e.b.fsub(position, eye);
            let square = self.e.b.fdot(way, way);
            let inverse = self.e.b.frsq(square);
            if flags.contains(LightFlags::ATTENUATED) {
                let distance = self.e.b.fmul(square, inverse);
                let factors = self.e.state(StateVector::LightAttenuation { index });
                let attenuation = self.polynomial(factors, distance, square);
                strength = Some(self.e.b.frcp(attenuation));
            }
            self.e.b.fmul(way, inverse)
        } else {
            self.e.b.normalize(position_xyz)
        };
        if flags.contains(LightFlags::SPOT) {
            let spot = self.spot(index, direction);
            strength = Some(match strength {
                Some(strength) => self.e.b.fmul(strength, spot),
                None => spot,
            });
        }
        let diffuse = self.e.b.fdot(normal, direction);
        let specular = self.key.has_specular().then(|| {
            let half = self.half(index, direction);
            self.e.b.fdot(normal, half)
        });
        Light { index, diffuse, specular, strength }
    }

    /// The factor of a spot: zero outside of the cone.
    fn spot(&mut self, index: u32, direction: InstrId) -> InstrId {
        let spot = self.e.state(StateVector::LightSpotDirection { index });
        let axis = self.e.xyz(spot);
        let axis = self.e.b.normalize(axis);
        let away = self.e.b.fneg(direction);
        let cosine = self.e.b.fdot(away, axis);
        let exponent = self.e.state(StateVector::LightAttenuation { index });
        let exponent = self.e.b.channel(exponent, 3);
        let base = self.e.positive(cosine);
        let power = self.e.power(base, exponent);
        let (limit, zero) = (self.e.b.channel(spot, 3), self.e.b.imm_f32(0.0));
        let is_lit = self.e.b.fge(cosine, limit);
        self.e.b.bcsel(is_lit, power, zero)
    }

    /// The unit vector half way between the directions of the light and the viewer.
    fn half(&mut self, index: u32, direction: InstrId) -> InstrId {
        let is_local = self.key.flags.contains(VertexFlags::LOCAL_VIEWER);
        if !is_local && !self.key.lights[index as usize].contains(LightFlags::POSITIONAL) {
            let half = self.e.state(StateVector::LightHalf { index });
            return self.e.xyz(half);
        }
        let sum = if is_local {
            let view = self.view();
            self.e.b.fsub(direction, view)
        } else {
            let (zero, one) = (self.e.b.imm_f32(0.0), self.e.b.imm_f32(1.0));
            let viewer = self.e.b.vec(&[zero, zero, one]);
            self.e.b.fadd(direction, viewer)
        };
        self.e.b.normalize(sum)
    }

    /// Writes the colors of a face.
    fn lit_color(&mut self, material: &Material, lights: &[Light], needs_secondary: bool) {
        let is_separate = self.key.flags.contains(VertexFlags::SEPARATE_SPECULAR);
        let (mut primary, alpha) = self.scene_color(material);
        let mut secondary = None;
        for light in lights {
            let cosine = self.faced(material, light.diffuse);
            let cosine = self.e.positive(cosine);
            let (ambient, diffuse) = (self.ambient(material, light), self.diffuse(material, light));
            let diffuse = self.e.b.fmul(diffuse, cosine);
            let color = self.e.b.fadd(ambient, diffuse);
            let color = self.weakened(light, color);
            primary = self.e.b.fadd(primary, color);
            let Some(specular) = light.specular else { continue };
            let factor = self.specular_factor(material, cosine, specular);
            let color = self.specular(material, light);
            let color = self.e.b.fmul(color, factor);
            let color = self.weakened(light, color);
            if is_separate {
                secondary = Some(self.e.sum(secondary, color));
            } else {
                primary = self.e.b.fadd(primary, color);
            }
        }
        let primary = self.e.with_w(primary, alpha);
        let [first, second] = material.outputs;
        self.e.output(first.0, first.1, primary);
        if needs_secondary {
            let (zero, one) = (self.e.b.imm_f32(0.0), self.e.b.imm_f32(1.0));
            let secondary = secondary.unwrap_or_else(|| self.e.b.vec(&[zero; 3]));
            let secondary = self.e.with_w(secondary, one);
            self.e.output(second.0, second.1, secondary);
        }
    }

    /// A cosine for the normal of a face: back faces have the reversed one.
    fn faced(&mut self, material: &Material, cosine: InstrId) -> InstrId {
        if material.face == Face::Back { self.e.b.fneg(cosine) } else { cosine }
    }

    /// A color times the attenuation and the spot factor.
    fn weakened(&mut self, light: &Light, color: InstrId) -> InstrId {
        match light.strength {
            Some(strength) => self.e.b.fmul(color, strength),
            None => color,
        }
    }

    /// The power of the cosine; zero for faces that are turned away from the light.
    fn specular_factor(&mut self, material: &Material, diffuse: InstrId, cosine: InstrId) -> InstrId {
        let shininess = self.e.state(StateVector::MaterialShininess { face: material.face });
        let shininess = self.e.b.channel(shininess, 0);
        let cosine = self.faced(material, cosine);
        let cosine = self.e.positive(cosine);
        let power = self.e.power(cosine, shininess);
        let zero = self.e.b.imm_f32(0.0);
        let is_lit = self.e.b.flt(zero, diffuse);
        self.e.b.bcsel(is_lit, power, zero)
    }

    /// Red, green and blue of a state.
    fn rgb(&mut self, state: StateVector) -> InstrId {
        let color = self.e.state(state);
        self.e.xyz(color)
    }

    /// Red, green and blue of a state, times those of the current color.
    fn times_color(&mut self, state: StateVector) -> InstrId {
        let (factor, color) = (self.rgb(state), self.color());
        let color = self.e.xyz(color);
        self.e.b.fmul(factor, color)
    }

    /// The color without lights, and alpha, which is that of the diffuse material.
    fn scene_color(&mut self, material: &Material) -> (InstrId, InstrId) {
        let face = material.face;
        let rgb = if material.color.is_ambient() {
            let (emission, ambient) = (
                self.rgb(StateVector::MaterialEmission { face }),
                self.times_color(StateVector::LightModelAmbient),
            );
            self.e.b.fadd(emission, ambient)
        } else if material.color == ColorMaterial::Emission {
            let (ambient, model) =
                (self.rgb(StateVector::MaterialAmbient { face }), self.rgb(StateVector::LightModelAmbient));
            let ambient = self.e.b.fmul(ambient, model);
            let emission = self.color();
            let emission = self.e.xyz(emission);
            self.e.b.fadd(emission, ambient)
        } else {
            self.rgb(StateVector::LightModelSceneColor { face })
        };
        let diffuse = match material.color {
            color if color.is_diffuse() => self.color(),
            ColorMaterial::None | ColorMaterial::Specular => {
                self.e.state(StateVector::LightModelSceneColor { face })
            }
            _ => self.e.state(StateVector::MaterialDiffuse { face }),
        };
        (rgb, self.e.b.channel(diffuse, 3))
    }

    fn ambient(&mut self, material: &Material, light: &Light) -> InstrId {
        let (index, face) = (light.index, material.face);
        match material.color.is_ambient() {
            true => self.times_color(StateVector::LightAmbient { index }),
            false => self.rgb(StateVector::LightProductAmbient { index, face }),
        }
    }

    fn diffuse(&mut self, material: &Material, light: &Light) -> InstrId {
        let (index, face) = (light.index, material.face);
        match material.color.is_diffuse() {
            true => self.times_color(StateVector::LightDiffuse { index }),
            false => self.rgb(StateVector::LightProductDiffuse { index, face }),
        }
    }

    fn specular(&mut self, material: &Material, light: &Light) -> InstrId {
        let (index, face) = (light.index, material.face);
        match material.color == ColorMaterial::Specular {
            true => self.times_color(StateVector::LightSpecular { index }),
            false => self.rgb(StateVector::LightProductSpecular { index, face }),
        }
    }
}
