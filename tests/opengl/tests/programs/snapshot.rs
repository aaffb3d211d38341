//! All program-interface queries of a program, without the indices that an implementation chooses.

use airfoil_gl::query::enums::*;
use std::collections::BTreeMap;

/// A program that answers queries with GL's constants.
pub trait Queries {
    /// `glGetProgramInterfaceiv`.
    fn interface(&self, interface: u32, property: u32) -> i32;
    /// `glGetProgramResourceName`.
    fn name(&self, interface: u32, index: u32) -> String;
    /// `glGetProgramResourceiv`; `None` for an error.
    fn resource(&self, interface: u32, index: u32, property: u32) -> Option<Vec<i32>>;
}

impl Queries for airfoil_gl::Program {
    fn interface(&self, interface: u32, property: u32) -> i32 {
        self.interface(interface, property).expect("the interface has the property")
    }

    fn name(&self, interface: u32, index: u32) -> String {
        self.resource_name(interface, index).expect("resources have names").into()
    }

    fn resource(&self, interface: u32, index: u32, property: u32) -> Option<Vec<i32>> {
        self.resource(interface, index, property).ok()
    }
}

impl Queries for airfoil_opengl::Program<'_> {
    fn interface(&self, interface: u32, property: u32) -> i32 {
        self.interface(interface, property)
    }

    fn name(&self, interface: u32, index: u32) -> String {
        self.resource_name(interface, index)
    }

    fn resource(&self, interface: u32, index: u32, property: u32) -> Option<Vec<i32>> {
        self.resource(interface, index, property)
    }
}

/// How a property is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// As a number.
    Number,
    /// Indices of resources of an interface, by their names.
    Of(u32),
    /// The index of an atomic-counter buffer, by its binding.
    Binding(u32),
}

/// A property, its name in messages, and how it is compared.
pub type Property = (u32, &'static str, How);

macro_rules! properties {
    ($($name:ident $how:expr,)+) => { &[$(($name, stringify!($name), $how),)+] };
}

use How::{Binding, Number, Of};

/// The stages that reference a resource.
const REFERENCES: &[Property] = properties! {
    REFERENCED_BY_VERTEX_SHADER Number, REFERENCED_BY_TESS_CONTROL_SHADER Number, REFERENCED_BY_TESS_EVALUATION_SHADER Number,
    REFERENCED_BY_GEOMETRY_SHADER Number, REFERENCED_BY_FRAGMENT_SHADER Number, REFERENCED_BY_COMPUTE_SHADER Number,
};

/// An interface (OpenGL 4.6 table 7.2).
pub struct Interface {
    /// The constant of OpenGL.
    pub interface: u32,
    /// Its name in messages.
    pub name: &'static str,
    /// Whether its resources have names.
    has_names: bool,
    properties: [&'static [Property]; 2],
}

impl Interface {
    /// The properties, in the order of [`Values`].
    pub fn properties(&self) -> impl Iterator<Item = &'static Property> {
        self.properties.iter().copied().flatten()
    }
}

const NAMED: bool = true;
const NAMELESS: bool = false;

macro_rules! interfaces {
    ($($name:ident $has_names:ident $references:expr, { $($property:ident $how:expr,)+ })+) => {
        &[$(Interface {
            interface: $name,
            name: stringify!($name),
            has_names: $has_names,
            properties: [properties! { $($property $how,)+ }, $references],
        },)+]
    };
}

/// All interfaces.
pub const INTERFACES: &[Interface] = interfaces! {
    UNIFORM NAMED REFERENCES, {
        TYPE Number, ARRAY_SIZE Number, OFFSET Number, BLOCK_INDEX Of(UNIFORM_BLOCK), ARRAY_STRIDE Number, MATRIX_STRIDE Number,
        IS_ROW_MAJOR Number, ATOMIC_COUNTER_BUFFER_INDEX Binding(ATOMIC_COUNTER_BUFFER), LOCATION Number,
    }
    UNIFORM_BLOCK NAMED REFERENCES, {
        BUFFER_BINDING Number, BUFFER_DATA_SIZE Number, NUM_ACTIVE_VARIABLES Number, ACTIVE_VARIABLES Of(UNIFORM),
    }
    ATOMIC_COUNTER_BUFFER NAMELESS REFERENCES, {
        BUFFER_BINDING Number, BUFFER_DATA_SIZE Number, NUM_ACTIVE_VARIABLES Number, ACTIVE_VARIABLES Of(UNIFORM),
    }
    PROGRAM_INPUT NAMED REFERENCES, {
        TYPE Number, ARRAY_SIZE Number, LOCATION Number, IS_PER_PATCH Number, LOCATION_COMPONENT Number,
    }
    PROGRAM_OUTPUT NAMED REFERENCES, {
        TYPE Number, ARRAY_SIZE Number, LOCATION Number, LOCATION_INDEX Number, IS_PER_PATCH Number, LOCATION_COMPONENT Number,
    }
    BUFFER_VARIABLE NAMED REFERENCES, {
        TYPE Number, ARRAY_SIZE Number, OFFSET Number, BLOCK_INDEX Of(SHADER_STORAGE_BLOCK), ARRAY_STRIDE Number,
        MATRIX_STRIDE Number, IS_ROW_MAJOR Number, TOP_LEVEL_ARRAY_SIZE Number, TOP_LEVEL_ARRAY_STRIDE Number,
    }
    SHADER_STORAGE_BLOCK NAMED REFERENCES, {
        BUFFER_BINDING Number, BUFFER_DATA_SIZE Number, NUM_ACTIVE_VARIABLES Number, ACTIVE_VARIABLES Of(BUFFER_VARIABLE),
    }
    TRANSFORM_FEEDBACK_BUFFER NAMELESS &[], {
        BUFFER_BINDING Number, NUM_ACTIVE_VARIABLES Number, TRANSFORM_FEEDBACK_BUFFER_STRIDE Number,
        ACTIVE_VARIABLES Of(TRANSFORM_FEEDBACK_VARYING),
    }
    TRANSFORM_FEEDBACK_VARYING NAMED &[], {
        TYPE Number, ARRAY_SIZE Number, OFFSET Number, TRANSFORM_FEEDBACK_BUFFER_INDEX Binding(TRANSFORM_FEEDBACK_BUFFER),
    }
};

/// A value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Numbers.
    Numbers(Vec<i32>),
    /// Sorted names of resources.
    Names(Vec<String>),
    /// The query is an error.
    Error,
}

/// The properties of a resource, in the order of the table.
pub type Values = Vec<Value>;

/// The resources of each interface, by name; those without a name by their binding.
pub type Snapshot = Vec<BTreeMap<String, Values>>;

/// The answers of a program.
pub fn take(program: &dyn Queries) -> Snapshot {
    let binding = |interface, n| match program.resource(interface, n, BUFFER_BINDING).as_deref() {
        Some([binding]) => format!("binding {binding}"),
        _ => "no binding".into(),
    };
    let value = |interface, n, &(property, _, how): &Property| {
        let Some(numbers) = program.resource(interface, n, property) else { return Value::Error };
        let by = |name: &dyn Fn(u32) -> String| {
            let mut names: Vec<String> =
                numbers.iter().filter_map(|&n| Some(name(n.try_into().ok()?))).collect();
            names.sort();
            Value::Names(names)
        };
        match how {
            Number => Value::Numbers(numbers),
            Of(other) => by(&|n| program.name(other, n)),
            Binding(other) => by(&|n| binding(other, n)),
        }
    };
    let resources = |of: &Interface| {
        let interface = of.interface;
        let count = program.interface(interface, ACTIVE_RESOURCES).cast_unsigned();
        (0..count)
            .map(|n| {
                let name = if of.has_names { program.name(interface, n) } else { binding(interface, n) };
                (name, of.properties().map(|p| value(interface, n, p)).collect())
            })
            .collect()
    };
    INTERFACES.iter().map(resources).collect()
}
