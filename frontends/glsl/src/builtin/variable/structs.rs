//! Structures of built-in variables.

use crate::hir::{PrecisionHint, Qualifiers, Unit};
use crate::source::Span;
use crate::types::{Field, Struct, StructId, Type};
use crate::version::Language;
use airfoil_ir::Precision;

/// A built-in structure; members have `highp` in ES.
#[derive(Debug)]
pub(super) struct BuiltinStruct {
    name: &'static str,
    fields: &'static [(&'static str, Type)],
}

macro_rules! structs {
    ($( $id:ident = $name:literal { $( $ty:ident: $($field:ident),+; )+ } )+) => {
        $( pub(super) static $id: BuiltinStruct = BuiltinStruct {
            name: $name,
            fields: &[$( $( (stringify!($field), Type::$ty), )+ )+],
        }; )+
    };
}

structs! {
    DEPTH_RANGE = "gl_DepthRangeParameters" { FLOAT: near, far, diff; }
    POINT = "gl_PointParameters" {
        FLOAT: size, sizeMin, sizeMax, fadeThresholdSize, distanceConstantAttenuation, distanceLinearAttenuation,
            distanceQuadraticAttenuation;
    }
    MATERIAL = "gl_MaterialParameters" { VEC4: emission, ambient, diffuse, specular; FLOAT: shininess; }
    LIGHT_SOURCE = "gl_LightSourceParameters" {
        VEC4: ambient, diffuse, specular, position, halfVector;
        VEC3: spotDirection;
        FLOAT: spotExponent, spotCutoff, spotCosCutoff, constantAttenuation, linearAttenuation, quadraticAttenuation;
    }
    LIGHT_MODEL = "gl_LightModelParameters" { VEC4: ambient; }
    LIGHT_MODEL_PRODUCTS = "gl_LightModelProducts" { VEC4: sceneColor; }
    LIGHT_PRODUCTS = "gl_LightProducts" { VEC4: ambient, diffuse, specular; }
    FOG = "gl_FogParameters" { VEC4: color; FLOAT: density, start, end, scale; }
}

/// The structure in a unit; it is added once.
pub(super) fn add(s: &BuiltinStruct, unit: &mut Unit, lang: &Language) -> Type {
    let name = unit.names.intern(s.name);
    // No shader can declare such a name. There are few built-in structures, and they are declared once each.
    if let Some(i) = unit.types.structs.iter().position(|t| t.name == Some(name)) {
        return Type::Struct(StructId(i as u32));
    }
    let precision = if lang.version.is_es() { Precision::High } else { Precision::None };
    let fields = s.fields.iter().map(|&(field, ty)| Field {
        name: unit.names.intern(field),
        ty,
        span: Span::default(),
        qualifiers: Qualifiers { precision: PrecisionHint(precision), ..Qualifiers::default() },
        builtin: None,
    });
    let fields = fields.collect();
    Type::Struct(unit.types.add_struct(Struct {
        name: Some(name),
        fields,
        block: false,
        span: Span::default(),
        reference: None,
    }))
}
