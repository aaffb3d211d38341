//! Types, variables and stage declarations. Types and functions are referred to by their position.

use crate::code::{self, Code};
use airfoil_ir::{
    Access, Constant, DepthLayout, Dim, FuncId, Gathered, ImageFormat, ImageType, Interlock, Interpolation,
    Lanes, Member, Modes, Precision, Primitive, Sampling, Scalar, Slot, SlotSet, Spacing, StageInfo,
    StructType, SystemValue, Type, TypeId, Types, Variable,
};
use serde::{Deserialize, Serialize};

/// The reason why a file is rejected.
pub type Fault = &'static str;

#[derive(Serialize, Deserialize)]
pub enum TypeImage<'a> {
    Vector {
        #[serde(with = "code")]
        scalar: Scalar,
        comps: u8,
    },
    Matrix {
        #[serde(with = "code")]
        scalar: Scalar,
        cols: u8,
        rows: u8,
        stride: u32,
        row_major: bool,
    },
    Array {
        elem: u32,
        len: u32,
        stride: u32,
    },
    Struct {
        #[serde(borrow)]
        name: &'a str,
        members: Vec<MemberImage<'a>>,
        block: bool,
    },
    Image {
        #[serde(with = "code")]
        dim: Dim,
        arrayed: bool,
        shadow: bool,
        #[serde(with = "code")]
        sampled: Scalar,
        storage: bool,
        combined: bool,
        #[serde(with = "code")]
        format: ImageFormat,
    },
    Sampler,
}

#[derive(Serialize, Deserialize)]
pub struct MemberImage<'a> {
    name: &'a str,
    ty: u32,
    offset: Option<u32>,
    #[serde(with = "code")]
    precision: Precision,
}

impl<'a> TypeImage<'a> {
    pub fn of(ty: &'a Type) -> TypeImage<'a> {
        match ty {
            Type::Vector { scalar, comps } => TypeImage::Vector { scalar: *scalar, comps: *comps },
            &Type::Matrix { scalar, cols, rows, stride, row_major } => {
                TypeImage::Matrix { scalar, cols, rows, stride, row_major }
            }
            Type::Array { elem, len, stride } => {
                TypeImage::Array { elem: elem.index() as u32, len: *len, stride: *stride }
            }
            Type::Struct(StructType { name, members, block }) => TypeImage::Struct {
                name,
                members: members
                    .iter()
                    .map(|Member { name, ty, offset, precision }| MemberImage {
                        name,
                        ty: ty.index() as u32,
                        offset: *offset,
                        precision: *precision,
                    })
                    .collect(),
                block: *block,
            },
            &Type::Image(ImageType { dim, arrayed, shadow, sampled, storage, combined, format }) => {
                TypeImage::Image { dim, arrayed, shadow, sampled, storage, combined, format }
            }
            Type::Sampler => TypeImage::Sampler,
        }
    }

    fn restore(&self, earlier: &[TypeId]) -> Result<Type, Fault> {
        let at = |n: u32| earlier.get(n as usize).copied().ok_or("a type refers to a later one");
        Ok(match self {
            TypeImage::Vector { scalar, comps } => Type::Vector { scalar: *scalar, comps: *comps },
            &TypeImage::Matrix { scalar, cols, rows, stride, row_major } => {
                Type::Matrix { scalar, cols, rows, stride, row_major }
            }
            TypeImage::Array { elem, len, stride } => {
                Type::Array { elem: at(*elem)?, len: *len, stride: *stride }
            }
            TypeImage::Struct { name, members, block } => {
                let member = |m: &MemberImage<'_>| {
                    let MemberImage { name, ty, offset, precision } = *m;
                    Ok(Member { name: name.into(), ty: at(ty)?, offset, precision })
                };
                let members = members.iter().map(member).collect::<Result<_, Fault>>()?;
                Type::Struct(StructType { name: (*name).into(), members, block: *block })
            }
            &TypeImage::Image { dim, arrayed, shadow, sampled, storage, combined, format } => {
                Type::Image(ImageType { dim, arrayed, shadow, sampled, storage, combined, format })
            }
            TypeImage::Sampler => Type::Sampler,
        })
    }
}

/// The table of types, and the type of each stored position.
pub fn restore_types(images: &[TypeImage<'_>]) -> Result<(Types, Vec<TypeId>), Fault> {
    let mut types = Types::default();
    let mut ids = Vec::with_capacity(images.len());
    for image in images {
        let ty = image.restore(&ids)?;
        ids.push(types.intern(ty));
    }
    Ok((types, ids))
}

#[derive(Serialize, Deserialize)]
pub struct VariableImage<'a> {
    name: &'a str,
    ty: u32,
    #[serde(with = "code")]
    mode: Modes,
    pub function: Option<u32>,
    location: Option<u8>,
    component: u8,
    index: u8,
    set: Option<u32>,
    binding: Option<u32>,
    offset: u32,
    #[serde(with = "code")]
    interpolation: Interpolation,
    #[serde(with = "code")]
    sampling: Sampling,
    patch: bool,
    per_primitive: bool,
    invariant: bool,
    compact: bool,
    fetched: bool,
    complete: bool,
    #[serde(with = "code")]
    precision: Precision,
    #[serde(with = "code")]
    access: Access,
    system_value: Option<Code<SystemValue>>,
    stream: u8,
    initializer: Vec<Part>,
}

impl<'a> VariableImage<'a> {
    pub fn of(var: &'a Variable, number: impl Fn(FuncId) -> Option<u32>) -> VariableImage<'a> {
        // Taken apart, so that a field that is added to variables cannot be forgotten here.
        let Variable {
            name,
            ty,
            mode,
            function,
            location,
            component,
            index,
            set,
            binding,
            offset,
            interpolation,
            sampling,
            patch,
            per_primitive,
            invariant,
            compact,
            fetched,
            complete,
            precision,
            access,
            system_value,
            stream,
            initializer,
        } = var;
        VariableImage {
            name,
            ty: ty.index() as u32,
            mode: *mode,
            function: function.and_then(number),
            location: location.map(|slot| slot.0),
            component: *component,
            index: *index,
            set: *set,
            binding: *binding,
            offset: *offset,
            interpolation: *interpolation,
            sampling: *sampling,
            patch: *patch,
            per_primitive: *per_primitive,
            invariant: *invariant,
            compact: *compact,
            fetched: *fetched,
            complete: *complete,
            precision: *precision,
            access: *access,
            system_value: system_value.map(Code),
            stream: *stream,
            initializer: initializer.as_ref().map(parts).unwrap_or_default(),
        }
    }

    pub fn restore(self, types: &[TypeId], functions: &[FuncId]) -> Result<Variable, Fault> {
        let function = |n: u32| functions.get(n as usize).copied().ok_or("a variable of a missing function");
        Ok(Variable {
            name: self.name.into(),
            ty: *types.get(self.ty as usize).ok_or("a variable of a missing type")?,
            mode: self.mode,
            function: self.function.map(function).transpose()?,
            location: self.location.map(Slot),
            component: self.component,
            index: self.index,
            set: self.set,
            binding: self.binding,
            offset: self.offset,
            interpolation: self.interpolation,
            sampling: self.sampling,
            patch: self.patch,
            per_primitive: self.per_primitive,
            invariant: self.invariant,
            compact: self.compact,
            fetched: self.fetched,
            complete: self.complete,
            precision: self.precision,
            access: self.access,
            system_value: self.system_value.map(|code| code.0),
            stream: self.stream,
            initializer: constant(&self.initializer)?,
        })
    }
}

/// A part of a constant, before its own parts.
#[derive(Serialize, Deserialize)]
enum Part {
    Value(Lanes),
    Zero,
    Composite(u32),
}

/// Deepest nesting of constants; types are limited by the validator to less.
const MAX_DEPTH: usize = 256;

/// The parts of a constant, each before its own.
fn parts(constant: &Constant) -> Vec<Part> {
    let mut list = Vec::new();
    let mut stack = vec![constant];
    while let Some(next) = stack.pop() {
        list.push(match next {
            Constant::Value(lanes) => Part::Value(*lanes),
            Constant::Zero => Part::Zero,
            Constant::Composite(parts) => {
                stack.extend(parts.iter().rev());
                Part::Composite(parts.len() as u32)
            }
        });
    }
    list
}

/// The constant of a list of parts; none of an empty one.
fn constant(list: &[Part]) -> Result<Option<Constant>, Fault> {
    // Composites whose parts are being read, with the number of parts.
    let mut open: Vec<(usize, Vec<Constant>)> = Vec::new();
    let mut rest = list.iter();
    while let Some(part) = rest.next() {
        let mut done = match part {
            Part::Value(lanes) => Constant::Value(*lanes),
            Part::Zero => Constant::Zero,
            Part::Composite(0) => Constant::Composite(Box::default()),
            Part::Composite(count) => {
                if open.len() == MAX_DEPTH || *count as usize > list.len() {
                    return Err("a constant is nested too deep or too long");
                }
                open.push((*count as usize, Vec::new()));
                continue;
            }
        };
        loop {
            let Some((count, parts)) = open.last_mut() else {
                return if rest.len() == 0 { Ok(Some(done)) } else { Err("a constant has too many parts") };
            };
            parts.push(done);
            if parts.len() < *count {
                break;
            }
            done = Constant::Composite(std::mem::take(parts).into());
            open.pop();
        }
    }
    if open.is_empty() { Ok(None) } else { Err("a constant has too few parts") }
}

/// Declares the image of a structure whose fields are plain, with conversions in both directions. Both take the structure apart, so that no field can
/// be forgotten.
macro_rules! plain {
    ($ty:ident as $image:ident { $( $(#[$meta:meta])* $field:ident: $fty:ty ),+ $(,)? }) => {
        #[derive(Serialize, Deserialize)]
        pub struct $image { $( $(#[$meta])* $field: $fty ),+ }

        impl From<&$ty> for $image {
            fn from(from: &$ty) -> $image {
                let $ty { $($field),+ } = from.clone();
                $image { $($field: $field.into()),+ }
            }
        }

        impl From<$image> for $ty {
            fn from(from: $image) -> $ty {
                let $image { $($field),+ } = from;
                $ty { $($field: $field.into()),+ }
            }
        }
    };
}

plain!(StageInfo as InfoImage {
    workgroup_size: Option<[u32; 3]>,
    workgroup_constants: [Option<u32>; 3],
    early_fragment_tests: bool,
    post_depth_coverage: bool,
    #[serde(with = "code")]
    interlock: Interlock,
    vulkan_memory_model: bool,
    origin_upper_left: bool,
    pixel_center_integer: bool,
    stated_colors: u8,
    #[serde(with = "code")]
    depth_layout: DepthLayout,
    #[serde(with = "code")]
    input_primitive: Primitive,
    #[serde(with = "code")]
    output_primitive: Primitive,
    max_vertices: u32,
    max_primitives: u32,
    invocations: u32,
    patch_vertices_out: u32,
    #[serde(with = "code")]
    spacing: Spacing,
    clockwise: bool,
    point_mode: bool,
    view_mask: u32,
    clip_distances: u8,
    cull_distances: u8,
    preserve_float_special: u8,
    denorm_preserve: u8,
    denorm_flush: u8,
    round_to_even: u8,
    round_to_zero: u8,
    shared_size: u32,
    quad_groups: bool,
    visible: bool,
});

/// A set of slots.
#[derive(Serialize, Deserialize)]
pub struct Slots(Vec<u8>);

impl From<SlotSet> for Slots {
    fn from(set: SlotSet) -> Slots {
        Slots(set.iter().map(|slot| slot.0).collect())
    }
}

impl From<Slots> for SlotSet {
    fn from(slots: Slots) -> SlotSet {
        let mut set = SlotSet::default();
        slots.0.into_iter().for_each(|n| set.insert(Slot(n)));
        set
    }
}

plain!(Gathered as GatheredImage {
    inputs_read: Slots,
    outputs_written: Slots,
    outputs_read: Slots,
    system_values_read: u64,
    uses_discard: bool,
    uses_quad: bool,
    uses_subgroup: bool,
    uses_barrier: bool,
    writes_memory: bool,
    uses_sample_shading: bool,
});
