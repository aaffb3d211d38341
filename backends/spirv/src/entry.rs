//! Entry points and execution modes.

use crate::body;
use crate::errors::*;
use crate::interface::Writer;
use crate::module::Module;
use crate::words::{push, push_string};
use airfoil_ir::{DepthLayout, Interlock, Modes, Primitive, Shader, Slot, Spacing, Stage, SystemValue};
use smallvec::SmallVec;
use spirv::{Capability, ExecutionMode, ExecutionModel, Op};

const PIXEL: Capability = Capability::FragmentShaderPixelInterlockEXT;
const SAMPLE: Capability = Capability::FragmentShaderSampleInterlockEXT;
const SHADING_RATE: Capability = Capability::FragmentShaderShadingRateInterlockEXT;

/// Writes a shader into a module.
pub(crate) fn write_shader(m: &mut Module, shader: &Shader) -> Res<()> {
    let Some(entry) = shader.entry.filter(|&f| shader.functions.contains_key(f)) else {
        return fail(NOT_WRITABLE, "the shader has no entry function");
    };
    if shader.info.visible {
        return fail(NOT_WRITABLE, "a function that other functions call has no entry point in SPIR-V");
    }
    let (model, capability) = match shader.stage {
        Stage::Vertex => (ExecutionModel::Vertex, Capability::Shader),
        Stage::TessControl => (ExecutionModel::TessellationControl, Capability::Tessellation),
        Stage::TessEval => (ExecutionModel::TessellationEvaluation, Capability::Tessellation),
        Stage::Geometry => (ExecutionModel::Geometry, Capability::Geometry),
        Stage::Fragment => (ExecutionModel::Fragment, Capability::Shader),
        Stage::Compute => (ExecutionModel::GLCompute, Capability::Shader),
        Stage::Task => (ExecutionModel::TaskEXT, Capability::MeshShadingEXT),
        Stage::Mesh => (ExecutionModel::MeshEXT, Capability::MeshShadingEXT),
    };
    m.require(Capability::Shader)?;
    m.require(capability)?;
    let mut w = Writer::new(m, shader);
    w.declare_variables(&shader.functions[entry].body)?;
    let function = body::write_entry(&mut w, entry)?;
    let mut words: SmallVec<[u32; 32]> = SmallVec::from_slice(&[model as u32, function]);
    push_string(&mut words, &shader.name);
    words.extend_from_slice(&w.interface);
    if words.len() >= 0xffff {
        return fail(LIMIT, "the entry point lists too many variables");
    }
    push(&mut w.m.entry_points, Op::EntryPoint, &words);
    w.execution_modes(function)
}

impl Writer<'_, '_> {
    fn mode(&mut self, function: u32, mode: ExecutionMode, operands: &[u32]) {
        let mut words: SmallVec<[u32; 5]> = SmallVec::from_slice(&[function, mode as u32]);
        words.extend_from_slice(operands);
        push(&mut self.m.modes, Op::ExecutionMode, &words);
    }

    fn reads(&self, value: SystemValue) -> bool {
        self.shader.vars.values().any(|v| v.system_value == Some(value)) || self.has_system_value(value)
    }

    fn writes(&self, slot: Slot) -> bool {
        self.shader.vars.values().any(|v| v.mode == Modes::OUT && v.location == Some(slot))
    }

    fn execution_modes(&mut self, f: u32) -> Res<()> {
        use ExecutionMode as M;
        let info = &self.shader.info;
        match self.shader.stage {
            Stage::Vertex => {}
            Stage::TessControl => {
                self.mode(f, M::OutputVertices, &[info.patch_vertices_out.max(1)]);
            }
            Stage::TessEval => {
                let domain = match info.input_primitive {
                    Primitive::Quads => M::Quads,
                    Primitive::Isolines => M::Isolines,
                    _ => M::Triangles,
                };
                self.mode(f, domain, &[]);
                let spacing = match info.spacing {
                    Spacing::None | Spacing::Equal => M::SpacingEqual,
                    Spacing::FractionalOdd => M::SpacingFractionalOdd,
                    Spacing::FractionalEven => M::SpacingFractionalEven,
                };
                self.mode(f, spacing, &[]);
                self.mode(f, if info.clockwise { M::VertexOrderCw } else { M::VertexOrderCcw }, &[]);
                if info.point_mode {
                    self.mode(f, M::PointMode, &[]);
                }
            }
            Stage::Geometry => {
                let input = match info.input_primitive {
                    Primitive::Points => M::InputPoints,
                    Primitive::Lines => M::InputLines,
                    Primitive::LinesAdjacency => M::InputLinesAdjacency,
                    Primitive::TrianglesAdjacency => M::InputTrianglesAdjacency,
                    _ => M::Triangles,
                };
                self.mode(f, input, &[]);
                self.mode(f, M::Invocations, &[info.invocations.max(1)]);
                let output = match info.output_primitive {
                    Primitive::Points => M::OutputPoints,
                    Primitive::LineStrip | Primitive::Lines => M::OutputLineStrip,
                    _ => M::OutputTriangleStrip,
                };
                self.mode(f, output, &[]);
                self.mode(f, M::OutputVertices, &[info.max_vertices]);
            }
            Stage::Fragment => self.fragment_modes(f)?,
            Stage::Compute | Stage::Task => {}
            Stage::Mesh => {
                let output = match info.output_primitive {
                    Primitive::Points => M::OutputPoints,
                    Primitive::Lines => M::OutputLinesEXT,
                    _ => M::OutputTrianglesEXT,
                };
                self.mode(f, output, &[]);
                self.mode(f, M::OutputVertices, &[info.max_vertices]);
                self.mode(f, M::OutputPrimitivesEXT, &[info.max_primitives]);
            }
        }
        if matches!(self.shader.stage, Stage::Compute | Stage::Task | Stage::Mesh) {
            let Some(size) = info.workgroup_size else {
                return fail(
                    INTERFACE,
                    "a workgroup whose size the dispatch chooses is not supported in SPIR-V",
                );
            };
            self.mode(f, M::LocalSize, &size);
            if info.workgroup_constants != [None; 3] {
                self.workgroup_constant()?;
            }
            if info.quad_groups {
                self.m.require(Capability::ComputeDerivativeGroupQuadsKHR)?;
                self.mode(f, M::DerivativeGroupQuadsKHR, &[]);
            } else if self.m.needs.has(Capability::ComputeDerivativeGroupLinearKHR) {
                self.mode(f, M::DerivativeGroupLinearKHR, &[]);
            }
        }
        if !self.m.captures.is_empty() {
            self.m.require(Capability::TransformFeedback)?;
            self.mode(f, M::Xfb, &[]);
        }
        for (widths, capability, mode) in [
            (info.preserve_float_special, Capability::SignedZeroInfNanPreserve, M::SignedZeroInfNanPreserve),
            (info.denorm_preserve, Capability::DenormPreserve, M::DenormPreserve),
            (info.denorm_flush, Capability::DenormFlushToZero, M::DenormFlushToZero),
            (info.round_to_even, Capability::RoundingModeRTE, M::RoundingModeRTE),
            (info.round_to_zero, Capability::RoundingModeRTZ, M::RoundingModeRTZ),
        ] {
            for width in [16, 32, 64].into_iter().filter(|width| widths & width != 0) {
                self.m.require(capability)?;
                self.mode(f, mode, &[u32::from(width)]);
            }
        }
        Ok(())
    }

    fn fragment_modes(&mut self, f: u32) -> Res<()> {
        use ExecutionMode as M;
        let info = &self.shader.info;
        let upper = info.origin_upper_left || self.m.target().is_vulkan();
        if !info.origin_upper_left && upper && self.reads(SystemValue::frag_coord) {
            return fail(TARGET, "window coordinates from the lower left corner are not supported in Vulkan");
        }
        self.mode(f, if upper { M::OriginUpperLeft } else { M::OriginLowerLeft }, &[]);
        if info.pixel_center_integer {
            if self.m.target().is_vulkan() {
                return fail(TARGET, "pixel centers with integer coordinates are not supported in Vulkan");
            }
            self.mode(f, M::PixelCenterInteger, &[]);
        }
        if info.early_fragment_tests {
            self.mode(f, M::EarlyFragmentTests, &[]);
        }
        if info.post_depth_coverage {
            self.m.require(Capability::SampleMaskPostDepthCoverage)?;
            self.mode(f, M::PostDepthCoverage, &[]);
        }
        let interlock = match info.interlock {
            Interlock::None => None,
            Interlock::PixelOrdered => Some((M::PixelInterlockOrderedEXT, PIXEL)),
            Interlock::PixelUnordered => Some((M::PixelInterlockUnorderedEXT, PIXEL)),
            Interlock::SampleOrdered => Some((M::SampleInterlockOrderedEXT, SAMPLE)),
            Interlock::SampleUnordered => Some((M::SampleInterlockUnorderedEXT, SAMPLE)),
            Interlock::ShadingRateOrdered => Some((M::ShadingRateInterlockOrderedEXT, SHADING_RATE)),
            Interlock::ShadingRateUnordered => Some((M::ShadingRateInterlockUnorderedEXT, SHADING_RATE)),
        };
        if let Some((mode, capability)) = interlock {
            self.m.require(capability)?;
            self.mode(f, mode, &[]);
        }
        if self.writes(Slot::DEPTH) {
            self.mode(f, M::DepthReplacing, &[]);
            match info.depth_layout {
                DepthLayout::None | DepthLayout::Any => {}
                DepthLayout::Greater => self.mode(f, M::DepthGreater, &[]),
                DepthLayout::Less => self.mode(f, M::DepthLess, &[]),
                DepthLayout::Unchanged => self.mode(f, M::DepthUnchanged, &[]),
            }
        }
        if self.writes(Slot::STENCIL) {
            self.mode(f, M::StencilRefReplacingEXT, &[]);
        }
        Ok(())
    }
}
