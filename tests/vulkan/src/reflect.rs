//! Resources, inputs and specialization constants that a module declares.

use crate::error::{Res, unsupported};
use airfoil_interp::Space;
use ash::vk::{DescriptorType, ImageViewType};
use spirv::{Decoration, Dim, ExecutionModel, Op, StorageClass};
use std::collections::BTreeMap;

/// A variable with a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub set: u32,
    pub binding: u32,
    pub ty: DescriptorType,
    /// Number of descriptors; `None` if the array has no length.
    pub count: Option<u32>,
    /// Shape of the image, if it is one.
    pub view: Option<ImageViewType>,
}

impl Resource {
    /// Its binding in the interpreter's resources.
    pub fn space(&self) -> Space {
        match self.ty {
            DescriptorType::UNIFORM_BUFFER => Space::Uniform,
            DescriptorType::STORAGE_BUFFER => Space::Storage,
            DescriptorType::STORAGE_IMAGE | DescriptorType::STORAGE_TEXEL_BUFFER => Space::Image,
            _ => Space::Texture,
        }
    }
}

/// How the words of an input are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    Float,
    Int,
    Uint,
}

/// The declarations of a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reflection {
    pub capabilities: Vec<u32>,
    pub resources: Vec<Resource>,
    /// Inputs with locations.
    pub inputs: Vec<(u32, InputKind)>,
    pub push_constants: bool,
    /// Bytes of each specialization constant, by its SpecId.
    pub spec: BTreeMap<u32, u32>,
}

#[derive(Clone, Debug)]
enum Type {
    Number(InputKind, u32),
    Vector(u32),
    Matrix(u32, u32),
    Image { dim: u32, arrayed: bool, storage: bool },
    SampledImage(u32),
    Sampler,
    Struct,
    Array(u32, Option<u32>),
    Pointer(u32),
    Bool,
}

#[derive(Default)]
struct Module {
    out: Reflection,
    /// It has an entry point of the vertex stage, whose inputs are attributes.
    vertex: bool,
    types: BTreeMap<u32, Type>,
    constants: BTreeMap<u32, u32>,
    /// Decorations of an id: number and first operand.
    decorations: BTreeMap<u32, Vec<(u32, u32)>>,
}

/// Reads the declarations of a module.
pub(crate) fn reflect(words: &[u32]) -> Res<Reflection> {
    let mut m = Module::default();
    let mut at = 5;
    while let Some(&head) = words.get(at) {
        let len = (head >> 16) as usize;
        let Some(operands) = words.get(at + 1..at + len).filter(|_| len > 0) else {
            return unsupported("a module that ends within an instruction");
        };
        let Some(op) = Op::from_u32(head & 0xffff) else {
            at += len;
            continue;
        };
        if op == Op::Function {
            break;
        }
        m.instruction(op, operands)?;
        at += len;
    }
    Ok(m.out)
}

impl Module {
    fn decoration(&self, id: u32, wanted: Decoration) -> Option<u32> {
        self.decorations.get(&id)?.iter().find(|d| d.0 == wanted as u32).map(|d| d.1)
    }

    fn instruction(&mut self, op: Op, w: &[u32]) -> Res<()> {
        let ty = match (op, w) {
            (Op::Capability, &[capability]) => {
                self.out.capabilities.push(capability);
                return Ok(());
            }
            (Op::EntryPoint, &[model, ..]) => {
                self.vertex |= model == ExecutionModel::Vertex as u32;
                return Ok(());
            }
            (Op::Decorate, &[id, decoration, ref rest @ ..]) => {
                let operand = rest.first().copied().unwrap_or(0);
                self.decorations.entry(id).or_default().push((decoration, operand));
                return Ok(());
            }
            (Op::Constant, &[_, id, value, ..]) => {
                self.constants.insert(id, value);
                return Ok(());
            }
            (Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse, &[ty, id, ref rest @ ..]) => {
                if let Some(&value) = rest.first() {
                    self.constants.insert(id, value);
                }
                if let Some(spec) = self.decoration(id, Decoration::SpecId) {
                    let bits = match self.types.get(&ty) {
                        Some(Type::Number(_, bits)) => *bits,
                        _ => 32,
                    };
                    self.out.spec.insert(spec, bits / 8);
                }
                return Ok(());
            }
            (Op::Variable, &[ty, id, class, ..]) => return self.variable(id, ty, class),
            (Op::TypeBool, _) => Type::Bool,
            (Op::TypeInt, &[_, bits, 0]) => Type::Number(InputKind::Uint, bits),
            (Op::TypeInt, &[_, bits, _]) => Type::Number(InputKind::Int, bits),
            (Op::TypeFloat, &[_, bits, ..]) => Type::Number(InputKind::Float, bits),
            (Op::TypeVector, &[_, elem, _]) => Type::Vector(elem),
            (Op::TypeMatrix, &[_, column, count]) => Type::Matrix(column, count),
            (Op::TypeImage, &[_, _, dim, _, arrayed, _, sampled, ..]) => {
                Type::Image { dim, arrayed: arrayed != 0, storage: sampled == 2 }
            }
            (Op::TypeSampledImage, &[_, image]) => Type::SampledImage(image),
            (Op::TypeSampler, _) => Type::Sampler,
            (Op::TypeStruct, _) => Type::Struct,
            (Op::TypeArray, &[_, elem, length]) => {
                Type::Array(elem, Some(self.constants.get(&length).copied().unwrap_or(1)))
            }
            (Op::TypeRuntimeArray, &[_, elem]) => Type::Array(elem, None),
            (Op::TypePointer, &[_, _, pointee]) => Type::Pointer(pointee),
            // Others must not change the type that their first operand names.
            _ => return Ok(()),
        };
        if let Some(&id) = w.first() {
            self.types.insert(id, ty);
        }
        Ok(())
    }

    fn variable(&mut self, id: u32, pointer: u32, class: u32) -> Res<()> {
        let Some(&Type::Pointer(ty)) = self.types.get(&pointer) else { return Ok(()) };
        match StorageClass::from_u32(class) {
            Some(StorageClass::PushConstant) => self.out.push_constants = true,
            Some(StorageClass::Input) if self.vertex => {
                if let Some(location) = self.decoration(id, Decoration::Location) {
                    self.input(ty, location)?;
                }
            }
            Some(StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer) => {
                let binding = self.decoration(id, Decoration::Binding);
                let set = self.decoration(id, Decoration::DescriptorSet);
                if let (Some(set), Some(binding)) = (set, binding) {
                    self.resource(ty, class, set, binding)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds an input; returns the number of its locations.
    fn input(&mut self, ty: u32, location: u32) -> Res<u32> {
        match self.types.get(&ty).cloned() {
            Some(Type::Number(kind, 32)) => {
                self.out.inputs.push((location, kind));
                Ok(1)
            }
            Some(Type::Vector(elem)) => self.input(elem, location),
            Some(Type::Matrix(elem, count) | Type::Array(elem, Some(count))) => {
                let mut next = location;
                for _ in 0..count {
                    next += self.input(elem, next)?;
                }
                Ok(next - location)
            }
            _ => unsupported("an input that does not consist of 32-bit numbers"),
        }
    }

    fn resource(&mut self, mut ty: u32, class: u32, set: u32, binding: u32) -> Res<()> {
        let mut count = Some(1u32);
        while let Some(&Type::Array(elem, length)) = self.types.get(&ty) {
            count = count.and_then(|n| Some(n * length?));
            ty = elem;
        }
        let (kind, view) = match self.types.get(&ty) {
            Some(Type::Struct) => {
                let storage = class == StorageClass::StorageBuffer as u32
                    || self.decoration(ty, Decoration::BufferBlock).is_some();
                (if storage { DescriptorType::STORAGE_BUFFER } else { DescriptorType::UNIFORM_BUFFER }, None)
            }
            Some(Type::Sampler) => (DescriptorType::SAMPLER, None),
            Some(Type::SampledImage(image)) => match self.types.get(image) {
                Some(&Type::Image { dim, arrayed, .. }) if dim != Dim::DimBuffer as u32 => {
                    (DescriptorType::COMBINED_IMAGE_SAMPLER, Some(view(dim, arrayed)?))
                }
                _ => (DescriptorType::UNIFORM_TEXEL_BUFFER, None),
            },
            Some(&Type::Image { dim, storage, .. }) if dim == Dim::DimBuffer as u32 => (
                if storage {
                    DescriptorType::STORAGE_TEXEL_BUFFER
                } else {
                    DescriptorType::UNIFORM_TEXEL_BUFFER
                },
                None,
            ),
            Some(&Type::Image { dim, arrayed, storage }) => (
                if storage { DescriptorType::STORAGE_IMAGE } else { DescriptorType::SAMPLED_IMAGE },
                Some(view(dim, arrayed)?),
            ),
            _ => return unsupported("a resource of this type"),
        };
        self.out.resources.push(Resource { set, binding, ty: kind, count, view });
        Ok(())
    }
}

fn view(dim: u32, arrayed: bool) -> Res<ImageViewType> {
    Ok(match (Dim::from_u32(dim), arrayed) {
        (Some(Dim::Dim1D), false) => ImageViewType::TYPE_1D,
        (Some(Dim::Dim1D), true) => ImageViewType::TYPE_1D_ARRAY,
        (Some(Dim::Dim2D), false) => ImageViewType::TYPE_2D,
        (Some(Dim::Dim2D), true) => ImageViewType::TYPE_2D_ARRAY,
        (Some(Dim::Dim3D), false) => ImageViewType::TYPE_3D,
        (Some(Dim::DimCube), false) => ImageViewType::CUBE,
        (Some(Dim::DimCube), true) => ImageViewType::CUBE_ARRAY,
        _ => return unsupported("an image of this dimension"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_does_not_hide_the_type_of_an_input() {
        let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in
OpDecorate %in Location 2
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%f0 = OpConstant %float 0
%zero = OpConstantComposite %vec2 %f0 %f0
%p_in = OpTypePointer Input %vec2
%in = OpVariable %p_in Input
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%main = OpFunction %void None %main_type
%label = OpLabel
OpReturn
OpFunctionEnd
";
        let options = airfoil_spirv_asm::Options { version: Some((1, 0)) };
        let words = airfoil_spirv_asm::assemble(text, &options).expect("the assembly is valid");
        assert_eq!(reflect(&words).expect("it is supported").inputs, [(2, InputKind::Float)]);
    }
}
