//! Makes whole programs from a case: holes are filled, the missing stage of a source for both is generated,
//! extensions are named.

use super::Dialect;
use super::case::{Case, Extension, Kind, Program};
use super::compare::{self, Carried, EPSILON};
use super::template;
use super::types::{DataType, Scalar, Value, ValueBlock};
use airfoil::Stage;
use std::collections::BTreeMap;

/// Source of a stage, ready to be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderText {
    /// Stage.
    pub stage: Stage,
    /// GLSL.
    pub text: String,
    /// Whether it is the generated partner of the shader under test.
    pub generated: bool,
}

/// The reason why a case gives no programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// None of these extensions is supported.
    Extension(String),
    /// The templates of the case are wrong.
    Broken(String),
}

/// The limit that templates can require.
const MAX_PATCH_VERTICES: &str = "32";

/// The programs of a case with one of its blocks of values; one, except for pipelines. `supported` lists the
/// available extensions.
///
/// # Errors
/// When an extension is missing or a hole cannot be filled.
pub fn programs(
    case: &Case,
    values: &ValueBlock,
    dialect: Dialect,
    supported: &dyn Fn(&str) -> bool,
) -> Result<Vec<Vec<ShaderText>>, Unfit> {
    let writer = Writer::new(case, values, dialect);
    let (programs, generated) = match &case.kind {
        Kind::Vertex(program) => (std::slice::from_ref(program), Some(writer.fragment_partner())),
        Kind::Fragment(program) => (std::slice::from_ref(program), Some(writer.vertex_partner())),
        Kind::Complete(program) => (std::slice::from_ref(program), None),
        Kind::Pipeline(programs) => (programs.as_slice(), None),
    };
    let holes = writer.holes(&case.kind);
    programs
        .iter()
        .map(|program| {
            let mut shaders = fill(program, &holes, supported)?;
            shaders.extend(generated.clone());
            Ok(shaders)
        })
        .collect()
}

type Holes = BTreeMap<&'static str, String>;

fn fill(
    program: &Program,
    holes: &Holes,
    supported: &dyn Fn(&str) -> bool,
) -> Result<Vec<ShaderText>, Unfit> {
    let mut named: Vec<(&Extension, &str)> = Vec::new();
    for extension in &program.extensions {
        match extension.names.iter().find(|name| supported(name)) {
            Some(name) => named.push((extension, name)),
            None => return Err(Unfit::Extension(extension.names.join(" or "))),
        }
    }
    let shader = |(stage, source): &(Stage, String)| {
        let text = template::fill(source, |name| holes.get(name).map(String::as_str))
            .map_err(|e| Unfit::Broken(format!("{stage}: {e}")))?;
        let wanted: String = named
            .iter()
            .filter(|(extension, _)| extension.stages.as_ref().is_none_or(|stages| stages.contains(stage)))
            .map(|(_, name)| format!("#extension {name} : require\n"))
            .collect();
        Ok(ShaderText { stage: *stage, text: insert_after_directives(&text, &wanted), generated: false })
    };
    program.sources.iter().map(shader).collect()
}

/// Inserts lines before the first line that is not a directive.
fn insert_after_directives(text: &str, lines: &str) -> String {
    let is_directive = |line: &&str| line.trim_start().starts_with('#');
    let at: usize = text.split_inclusive('\n').take_while(is_directive).map(str::len).sum();
    let newline = if text[..at].ends_with('\n') || at == 0 || lines.is_empty() { "" } else { "\n" };
    format!("{}{newline}{lines}{}", &text[..at], &text[at..])
}

/// The stages that a variable connects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Attribute,
    VaryingOut,
    VaryingIn,
}

/// Writes declarations in the words of a version and dialect.
struct Writer<'a> {
    case: &'a Case,
    values: &'a ValueBlock,
    dialect: Dialect,
    in_out: bool,
}

impl<'a> Writer<'a> {
    fn new(case: &'a Case, values: &'a ValueBlock, dialect: Dialect) -> Writer<'a> {
        Writer { case, values, dialect, in_out: case.version.has_in_out(dialect) }
    }

    fn vulkan(&self) -> bool {
        self.dialect == Dialect::Vk
    }

    /// The type in which a value is passed to the shader and between stages.
    fn carried(&self, ty: DataType) -> DataType {
        match ty.scalar {
            Scalar::Bool if self.vulkan() => ty.with_scalar(Scalar::Uint),
            _ if self.vulkan() => ty,
            _ => ty.with_scalar(Scalar::Float),
        }
    }

    fn is_carried_as_is(&self, value: &Value) -> bool {
        self.carried(value.ty) == value.ty
    }

    /// Name of a variable that carries a value: its own if it needs no conversion.
    fn name(&self, prefix: &str, value: &Value) -> String {
        if self.is_carried_as_is(value) { value.name.clone() } else { format!("{prefix}{}", value.name) }
    }

    /// Declares a variable that connects, at the next location where locations are written.
    fn declare(&self, link: Link, location: &mut u32, ty: DataType, name: &str) -> String {
        let word = match (link, self.in_out) {
            (Link::Attribute, false) => "attribute",
            (Link::VaryingOut | Link::VaryingIn, false) => "varying",
            (Link::VaryingOut, true) => "out",
            (Link::Attribute | Link::VaryingIn, true) => "in",
        };
        if !self.vulkan() {
            return format!("{word} {ty} {name};\n");
        }
        let flat = if link == Link::Attribute { "" } else { "flat " };
        let at = *location;
        *location += u32::from(ty.columns);
        format!("layout(location = {at}) {flat}{word} {ty} {name};\n")
    }

    /// Declares the position of a vertex, which takes the first location.
    fn position(&self, location: &mut u32) -> String {
        *location += 1;
        match (self.vulkan(), self.in_out) {
            (true, _) => "layout(location = 0) in highp vec4 dEQP_Position;\n".into(),
            (false, true) => "in highp vec4 dEQP_Position;\n".into(),
            (false, false) => "attribute highp vec4 dEQP_Position;\n".into(),
        }
    }

    fn color(&self) -> &'static str {
        if self.in_out { "dEQP_FragColor" } else { "gl_FragColor" }
    }

    fn color_declaration(&self) -> &'static str {
        if self.in_out { "layout(location = 0) out mediump vec4 dEQP_FragColor;\n" } else { "" }
    }

    fn uniforms(&self) -> String {
        // Members are declared by the shader, with their structure.
        let members = self.values.uniforms.iter().filter(|u| !u.name.contains('.'));
        if self.vulkan() {
            return block(1, "Uniforms", members, "");
        }
        members.map(|u| format!("uniform {} {};\n", u.ty, u.name)).collect()
    }

    fn references(&self) -> String {
        if self.vulkan() {
            return block(0, "Reference", self.values.outputs.iter(), " ref");
        }
        self.values.outputs.iter().map(|o| format!("uniform {} ref_{};\n", o.ty, o.name)).collect()
    }

    /// Statements that give the values of inputs their own types.
    fn conversions(&self, prefix: &str) -> String {
        let converted = self.values.inputs.iter().filter(|v| !self.is_carried_as_is(v));
        converted
            .map(|v| {
                // Interpolation may give slightly less than the whole number that went in.
                let more = prefix == "v_" && v.ty.scalar == Scalar::Int && !self.vulkan();
                let scale = if more { " * 1.0025" } else { "" };
                format!("{ty} {name} = {ty}({prefix}{name}{scale});\n", ty = v.ty, name = v.name)
            })
            .collect()
    }

    /// Statements that compare all outputs and write the colour.
    fn comparison(&self, carried: Carried) -> String {
        let mut text = String::new();
        for (i, output) in self.values.outputs.iter().enumerate() {
            let name = match carried {
                Carried::Exactly => output.name.clone(),
                Carried::InFloats => self.name("v_", output),
            };
            let reference = if self.vulkan() { "ref." } else { "ref_" };
            let bound = if output.ty.is_float() { format!(", {EPSILON}") } else { String::new() };
            let start = if i == 0 { "bool RES = " } else { "RES = RES && " };
            text += &format!("{start}isOk({name}, {reference}{}{bound});\n", output.name);
        }
        let result = if text.is_empty() { "1.0" } else { "RES, RES, RES, 1.0" };
        text + &format!("{} = vec4({result});\n", self.color())
    }

    fn attributes(&self, location: &mut u32) -> String {
        let inputs = self.values.inputs.iter();
        inputs
            .map(|v| self.declare(Link::Attribute, location, self.carried(v.ty), &self.name("a_", v)))
            .collect()
    }

    /// The vertex shader for a fragment shader under test: passes all inputs on.
    fn vertex_partner(&self) -> ShaderText {
        let (mut at, mut varying) = (0, 0);
        let mut head = format!("#version {}\n", self.case.version);
        if self.vulkan() {
            head += "precision highp float;\nprecision highp int;\n";
        }
        head += &self.position(&mut at);
        let mut body = String::from("gl_Position = dEQP_Position;\n");
        for input in &self.values.inputs {
            let (ty, name) = (self.carried(input.ty), self.name("v_", input));
            head += &self.declare(Link::Attribute, &mut at, ty, &format!("a_{}", input.name));
            head += &self.declare(Link::VaryingOut, &mut varying, ty, &name);
            body += &format!("{name} = a_{};\n", input.name);
        }
        ShaderText {
            stage: Stage::Vertex,
            text: format!("{head}void main()\n{{\n{body}}}\n"),
            generated: true,
        }
    }

    /// The fragment shader for a vertex shader under test: compares its inputs.
    fn fragment_partner(&self) -> ShaderText {
        let es100 = self.case.version.es && self.case.version.number == 100;
        let precision = if es100 || self.dialect == Dialect::Glc { "mediump" } else { "highp" };
        let carried = if self.vulkan() { Carried::Exactly } else { Carried::InFloats };
        let mut text = format!(
            "#version {}\nprecision {precision} float;\nprecision {precision} int;\n{}{}",
            self.case.version,
            self.color_declaration(),
            compare::functions(&self.values.outputs, carried)
        );
        let mut at = 0;
        let mut setup = String::new();
        for output in &self.values.outputs {
            let (ty, name) = (self.carried(output.ty), self.name("v_", output));
            text += &self.declare(Link::VaryingIn, &mut at, ty, &name);
            if self.vulkan() && !self.is_carried_as_is(output) {
                setup += &format!("{ty} {} = {ty}({name});\n", output.name, ty = output.ty);
            }
        }
        text += &self.references();
        text += &format!("void main()\n{{\n{setup}{}}}\n", self.comparison(carried));
        ShaderText { stage: Stage::Fragment, text, generated: true }
    }

    fn holes(&self, kind: &Kind) -> Holes {
        match kind {
            Kind::Vertex(_) => self.vertex_holes(),
            Kind::Fragment(_) => self.fragment_holes(),
            Kind::Complete(_) | Kind::Pipeline(_) => self.complete_holes(),
        }
    }

    /// Of a source for both, as a vertex shader.
    fn vertex_holes(&self) -> Holes {
        let (mut at, mut varying) = (0, 0);
        let mut declarations = self.position(&mut at) + &self.attributes(&mut at);
        if self.vulkan() {
            // The other dialects leave uniforms to the source.
            declarations += &self.uniforms();
        }
        let mut output = String::from("gl_Position = dEQP_Position;\n");
        for value in &self.values.outputs {
            let (ty, name) = (self.carried(value.ty), self.name("v_", value));
            declarations += &self.declare(Link::VaryingOut, &mut varying, ty, &name);
            if !self.is_carried_as_is(value) {
                declarations += &format!("{} {};\n", value.ty, value.name);
                output += &format!("{name} = {ty}({});\n", value.name);
            }
        }
        Holes::from([
            ("DECLARATIONS", declarations),
            ("SETUP", self.conversions("a_")),
            ("OUTPUT", output),
            ("POSITION_FRAG_COLOR", "gl_Position".into()),
        ])
    }

    /// Of a source for both, as a fragment shader.
    fn fragment_holes(&self) -> Holes {
        let mut at = 0;
        let mut declarations =
            compare::functions(&self.values.outputs, Carried::Exactly) + self.color_declaration();
        for input in &self.values.inputs {
            let name = self.name("v_", input);
            declarations += &self.declare(Link::VaryingIn, &mut at, self.carried(input.ty), &name);
        }
        if self.vulkan() {
            declarations += &self.uniforms();
        }
        declarations += &self.references();
        for output in &self.values.outputs {
            declarations += &format!("{} {};\n", output.ty, output.name);
        }
        Holes::from([
            ("DECLARATIONS", declarations),
            ("SETUP", self.conversions("v_")),
            ("OUTPUT", self.comparison(Carried::Exactly)),
            ("POSITION_FRAG_COLOR", self.color().into()),
        ])
    }

    /// Of sources with all stages.
    fn complete_holes(&self) -> Holes {
        let mut at = 0;
        let uniforms = self.uniforms();
        let vertex = self.position(&mut at) + &self.attributes(&mut at) + &uniforms;
        let mut fragment = compare::functions(&self.values.outputs, Carried::Exactly)
            + self.color_declaration()
            + &self.references();
        for output in &self.values.outputs {
            fragment += &format!("{} {};\n", output.ty, output.name);
        }
        fragment += &uniforms;
        Holes::from([
            ("VERTEX_DECLARATIONS", vertex),
            ("VERTEX_SETUP", self.conversions("a_")),
            ("VERTEX_OUTPUT", "gl_Position = dEQP_Position;\n".into()),
            ("FRAGMENT_DECLARATIONS", fragment),
            ("FRAGMENT_OUTPUT", self.comparison(Carried::Exactly)),
            ("FRAG_COLOR", self.color().into()),
            (
                "GEOMETRY_DECLARATIONS",
                format!("layout (triangles) in;\nlayout (triangle_strip, max_vertices=3) out;\n{uniforms}"),
            ),
            ("TESSELLATION_CONTROL_DECLARATIONS", format!("layout (vertices=3) out;\n{uniforms}")),
            ("TESSELLATION_CONTROL_OUTPUT", control_output()),
            ("TESSELLATION_EVALUATION_DECLARATIONS", format!("layout (triangles) in;\n{uniforms}")),
            ("TESSELLATION_EVALUATION_OUTPUT", evaluation_output()),
            ("GL_MAX_PATCH_VERTICES", MAX_PATCH_VERTICES.into()),
        ])
    }
}

/// A block of uniforms; nothing if it has no members.
fn block<'v>(binding: u32, name: &str, members: impl Iterator<Item = &'v Value>, instance: &str) -> String {
    let members: String = members.map(|v| format!("\t{} {};\n", v.ty, v.name)).collect();
    if members.is_empty() {
        return members;
    }
    format!("layout(binding = {binding}, std140) uniform {name}\n{{\n{members}}}{instance};\n")
}

/// Hands the position on and divides every edge in two.
fn control_output() -> String {
    let mut text =
        String::from("gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n");
    for level in ["Inner[0]", "Inner[1]", "Outer[0]", "Outer[1]", "Outer[2]", "Outer[3]"] {
        text += &format!("gl_TessLevel{level} = 2.0;\n");
    }
    text
}

/// The position in the triangle.
fn evaluation_output() -> String {
    let corner = |i: u32| format!("gl_TessCoord[{i}] * gl_in[{i}].gl_Position");
    format!("gl_Position = {} + {} + {};\n", corner(0), corner(1), corner(2))
}

#[cfg(test)]
#[path = "specialize_tests.rs"]
mod tests;
