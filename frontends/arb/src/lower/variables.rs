//! Variables of the shader, and derefs of them at its start.

use crate::attribute::Storage;
use crate::layout::Layout;
use crate::limits::Options;
use crate::result::FRAGMENT_COLOR;
use crate::unit::{Destination, Register, Unit};
use airfoil_ir::{
    Access, Builder, FuncId, ImageFormat, ImageType, InstrId, Member, Modes, Scalar, Shader, StructType,
    SystemValue, Type, Variable,
};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Derefs of the variables that are used, by their positions in the lists of the unit.
pub struct Variables {
    /// Attributes.
    pub attributes: Vec<Option<InstrId>>,
    /// Temporaries.
    pub temps: Vec<Option<InstrId>>,
    /// Address registers.
    pub addresses: Vec<Option<InstrId>>,
    /// Results.
    pub results: Vec<Option<InstrId>>,
    /// The position of `ARB_position_invariant`.
    pub position: Option<InstrId>,
    /// Output color 0 if fog is applied; its result is a local variable then.
    pub fogged: Option<InstrId>,
    /// The array of parameters.
    pub parameters: Option<InstrId>,
    /// Textures by unit.
    pub textures: IndexMap<u32, InstrId, FxBuildHasher>,
}

/// Objects that the instructions use.
struct Used {
    attributes: Vec<bool>,
    temps: Vec<bool>,
    addresses: Vec<bool>,
    results: Vec<bool>,
}

impl Used {
    fn new(unit: &Unit<'_>) -> Used {
        let mut used = Used {
            attributes: vec![false; unit.attributes.len()],
            temps: vec![false; unit.temps.len()],
            addresses: vec![false; unit.addresses.len()],
            results: vec![false; unit.results.len()],
        };
        if let Some(attribute) = unit.fixed.attribute {
            used.attributes[attribute as usize] = true;
        }
        for i in &unit.code {
            match i.destination {
                Destination::Temp(t) => used.temps[t as usize] = true,
                Destination::Result(r) => used.results[r as usize] = true,
                Destination::Address(a) => used.addresses[a as usize] = true,
                Destination::None => {}
            }
            for o in &i.operands {
                match o.register {
                    Register::Attribute(a) => used.attributes[a as usize] = true,
                    Register::Temp(t) => used.temps[t as usize] = true,
                    Register::Relative { address, .. } => used.addresses[address as usize] = true,
                    Register::Param(_) | Register::Element { .. } => {}
                }
            }
        }
        used
    }
}

/// Positions that are used; `make` gives the deref of each.
fn derefs(used: &[bool], mut make: impl FnMut(usize) -> InstrId) -> Vec<Option<InstrId>> {
    used.iter().enumerate().map(|(n, used)| used.then(|| make(n))).collect()
}

impl Variables {
    /// Creates the variables.
    pub fn new(
        shader: &mut Shader,
        b: &mut Builder<'_>,
        function: FuncId,
        unit: &Unit<'_>,
        layout: &Layout,
        options: &Options,
    ) -> Variables {
        let used = Used::new(unit);
        let vector = shader.types.vector(Scalar::Float32, 4);
        let local = |shader: &mut Shader, b: &mut Builder<'_>, name: &str, ty| {
            let var = shader.add_local(function, name, ty);
            b.deref_var(&shader.vars, var)
        };
        let add = |shader: &mut Shader, b: &mut Builder<'_>, var| {
            let var = shader.add_var(var);
            b.deref_var(&shader.vars, var)
        };
        let attributes = derefs(&used.attributes, |n| {
            let attribute = unit.attributes[n];
            let ty = shader.types.vector(Scalar::Float32, attribute.info().comps);
            let (name, storage) = attribute.variable();
            let mut var = Variable::new(&name, ty, Modes::IN);
            match storage {
                Storage::Slot(slot) => var.location = Some(slot),
                Storage::FragCoord | Storage::None => {
                    var.mode = Modes::SYSTEM_VALUE;
                    var.system_value = Some(SystemValue::frag_coord);
                }
            }
            add(shader, b, var)
        });
        let temps = derefs(&used.temps, |n| local(shader, b, unit.temps[n], vector));
        let integer = shader.types.vector(Scalar::Int32, 1);
        let addresses = derefs(&used.addresses, |n| local(shader, b, unit.addresses[n], integer));
        let mut fogged = None;
        let results = derefs(&used.results, |n| {
            let result = unit.results[n];
            let comps = if result.info().component.is_some() { 1 } else { 4 };
            let (name, slot) = result.output(unit.options.draw_buffers);
            let ty = shader.types.vector(Scalar::Float32, comps);
            let mut var = Variable::new(&name, ty, Modes::OUT);
            var.location = Some(slot);
            let output = add(shader, b, var);
            if unit.options.fog.is_some() && result.row == FRAGMENT_COLOR && result.index == 0 {
                fogged = Some(output);
                return local(shader, b, "color", vector);
            }
            output
        });
        let position = unit.options.position_invariant.then(|| {
            let (name, slot) = crate::result::ResultVar::default().output(false);
            let mut var = Variable::new(&name, vector, Modes::OUT);
            var.location = Some(slot);
            add(shader, b, var)
        });
        let parameters = parameters(shader, layout, options).map(|var| {
            let block = add(shader, b, var);
            b.deref_struct(&shader.types, block, 0)
        });
        let mut textures = IndexMap::default();
        for (&number, &target) in &unit.samplers {
            let ty = shader.types.intern(Type::Image(ImageType {
                dim: target.dim(),
                arrayed: false,
                shadow: target.is_shadow(),
                sampled: Scalar::Float32,
                storage: false,
                combined: true,
                format: ImageFormat::Unknown,
            }));
            let mut var = Variable::new(&format!("texture{number}"), ty, Modes::UNIFORM);
            var.binding = Some(number);
            textures.insert(number, add(shader, b, var));
        }
        Variables { attributes, temps, addresses, results, position, fogged, parameters, textures }
    }
}

/// The name of the uniform block that holds the parameters.
pub const PARAMETER_BLOCK: &str = "ProgramParameters";

/// The uniform block, if there are parameters.
fn parameters(shader: &mut Shader, layout: &Layout, options: &Options) -> Option<Variable> {
    if layout.parameters.is_empty() {
        return None;
    }
    let vector = shader.types.vector(Scalar::Float32, 4);
    let array =
        shader.types.intern(Type::Array { elem: vector, len: layout.parameters.len() as u32, stride: 16 });
    let member = Member { offset: Some(0), ..Member::new("parameters", array) };
    let block = shader.types.intern(Type::Struct(StructType {
        name: PARAMETER_BLOCK.into(),
        members: [member].into(),
        block: true,
    }));
    let mut var = Variable::new("program", block, Modes::UBO);
    var.binding = Some(options.binding);
    var.access = Access::NON_WRITEABLE;
    Some(var)
}
