//! Entry points: listing, choosing, execution modes.

use crate::error::*;
use crate::options::Options;
use crate::state::{Entry, Reader};
use crate::words::{HEADER, Inst, string};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{Decoration, ExecutionMode, ExecutionModel, Op};

/// Stage of an execution model.
pub(crate) fn stage_of(model: u32) -> Option<Stage> {
    Some(match ExecutionModel::from_u32(model)? {
        ExecutionModel::Vertex => Stage::Vertex,
        ExecutionModel::TessellationControl => Stage::TessControl,
        ExecutionModel::TessellationEvaluation => Stage::TessEval,
        ExecutionModel::Geometry => Stage::Geometry,
        ExecutionModel::Fragment => Stage::Fragment,
        ExecutionModel::GLCompute => Stage::Compute,
        ExecutionModel::TaskEXT => Stage::Task,
        ExecutionModel::MeshEXT => Stage::Mesh,
        _ => return None,
    })
}

pub(crate) fn entry_of(inst: Inst<'_>) -> Res<Entry> {
    let (model, function) = (inst.word(1)?, inst.word(2)?);
    let Some((name, n)) = string(inst.rest(3)) else {
        return fail(MALFORMED, "the name of an entry point does not end");
    };
    Ok(Entry { name, model, function, interface: (inst.at + 3 + n, inst.end()), at: inst.at })
}

/// Names and stages of all entry points.
pub(crate) fn list_entry_points(words: &[u32]) -> Res<Vec<(String, Stage)>> {
    let mut list = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let inst = Inst::at(words, at)?;
        at = inst.end();
        match inst.op() {
            Some(Op::EntryPoint) => {
                let entry = entry_of(inst)?;
                list.extend(stage_of(entry.model).map(|s| (entry.name.to_string(), s)));
            }
            Some(Op::Function) => break,
            _ => {}
        }
    }
    Ok(list)
}

impl<'w> Reader<'w> {
    /// Finds the entry point that the options select and reads its execution modes.
    pub fn choose_entry(&mut self) -> Res<()> {
        let wanted = |e: &Entry| {
            self.options.entry.as_ref().is_none_or(|n| *n == e.name)
                && self.options.stage.is_none_or(|s| stage_of(e.model) == Some(s))
        };
        let matching: SmallVec<[usize; 4]> =
            (0..self.entries.len()).filter(|&i| wanted(&self.entries[i])).collect();
        self.entry = match matching[..] {
            [one] => one,
            [] if self.entries.is_empty() => return fail(ENTRY, "the module has no entry point"),
            [] => {
                bail!(ENTRY, "no entry point is {}; there are {}", self.wanted_entry(), self.list_entries())
            }
            _ => {
                let e = error(ENTRY, format!("several entry points fit: {}", self.list_entries()));
                return Err(Box::new(
                    e.help("choose one by name and stage, with `--entry NAME` and `--stage STAGE`"),
                ));
            }
        };
        let entry = &self.entries[self.entry];
        let function = entry.function;
        let inst = Inst::at(self.words, entry.at)?;
        let Some(stage) = stage_of(entry.model) else {
            let model = ExecutionModel::from_u32(entry.model)
                .map_or_else(|| entry.model.to_string(), |m| format!("{m:?}"));
            return Err(self.locate(error(UNSUPPORTED, format!("stage {model} is not supported")), inst));
        };
        self.shader.name = entry.name.as_str().into();
        self.shader.stage = stage;
        for i in 0..self.modes.len() {
            let inst = Inst::at(self.words, self.modes[i])?;
            if inst.word(1)? == function {
                self.execution_mode(inst).map_err(|e| self.locate(e, inst))?;
            }
        }
        if let Some(size) = self.workgroup_size {
            self.size_constant(size)?;
        }
        self.whole_derivative_groups()
    }

    /// The size of the workgroup from the constant with the built-in WorkgroupSize.
    fn size_constant(&mut self, id: u32) -> Res<()> {
        let inst = Inst::at(self.words, self.consts[self.const_index(id)? as usize].at as usize)?;
        if let (Some(Op::SpecConstantComposite), &[x, y, z]) = (inst.op(), inst.rest(3)) {
            return self.workgroup([x, y, z]);
        }
        if let Some([x, y, z, _]) = self.const_lanes(id) {
            self.shader.info.workgroup_size = fixed([x as u32, y as u32, z as u32]);
            self.shader.info.workgroup_constants = [None; 3];
        }
        Ok(())
    }

    /// The size of the workgroup from three constants.
    fn workgroup(&mut self, ids: [u32; 3]) -> Res<()> {
        let (mut size, mut constants) = ([0; 3], [None; 3]);
        for ((&id, size), constant) in ids.iter().zip(&mut size).zip(&mut constants) {
            let c = self.const_index(id)?;
            let scalar = self.decoration(id, Decoration::SpecId).map(|d| d.operand());
            let kept =
                scalar.filter(|_| self.options.keep_workgroup_constants && self.consts[c as usize].open);
            *size = match kept {
                Some(spec) => {
                    *constant = Some(spec);
                    self.lanes_of(c).map(|lanes| lanes[0] as u32)
                }
                None => self.const_u32(id),
            }
            .ok_or_else(|| error(TYPE, format!("{} is not an integer constant", self.show(id))))?;
        }
        self.shader.info.workgroup_size = fixed(size);
        self.shader.info.workgroup_constants = constants;
        Ok(())
    }

    /// Checks that a workgroup consists of whole derivative groups (SPV_KHR_compute_shader_derivatives).
    fn whole_derivative_groups(&self) -> Res<()> {
        let info = &self.shader.info;
        let Some([x, y, z]) = info.workgroup_size else { return Ok(()) };
        if info.quad_groups && (x % 2 != 0 || y % 2 != 0) {
            bail!(
                TYPE,
                "DerivativeGroupQuadsKHR: expected an even workgroup size in x and y, found {x} x {y}"
            );
        }
        let all = [x, y, z].iter().fold(1, |n: u64, &size| n.wrapping_mul(size.into()));
        if self.linear_groups && all % 4 != 0 {
            bail!(
                TYPE,
                "DerivativeGroupLinearKHR: expected a workgroup of a multiple of 4 invocations, found {all}"
            );
        }
        Ok(())
    }

    /// The requested entry point, for messages.
    fn wanted_entry(&self) -> String {
        let Options { entry, stage, .. } = self.options;
        match (entry, stage) {
            (Some(name), Some(stage)) => format!("{name:?} of the stage {stage}"),
            (Some(name), None) => format!("called {name:?}"),
            (None, Some(stage)) => format!("of the stage {stage}"),
            (None, None) => "known".into(),
        }
    }

    fn list_entries(&self) -> String {
        let list: Vec<String> = self
            .entries
            .iter()
            .map(|e| match stage_of(e.model) {
                Some(s) => format!("{:?} ({s})", e.name),
                None => format!("{:?} (of an unsupported stage)", e.name),
            })
            .collect();
        list.join(", ")
    }

    fn execution_mode(&mut self, inst: Inst<'w>) -> Res<()> {
        use ExecutionMode as M;
        let n = inst.word(2)?;
        let Some(mode) = M::from_u32(n) else { bail!(UNSUPPORTED, "execution mode {n} is not known") };
        let literal = |i: usize| inst.word(2 + i);
        let tessellation = matches!(self.shader.stage, Stage::TessControl | Stage::TessEval);
        match mode {
            M::LocalSizeId => {
                return self.workgroup([literal(1)?, literal(2)?, literal(3)?]);
            }
            M::LocalSize => {
                self.shader.info.workgroup_size = fixed([literal(1)?, literal(2)?, literal(3)?]);
                return Ok(());
            }
            _ => {}
        }
        let info = &mut self.shader.info;
        match mode {
            M::Invocations => info.invocations = literal(1)?,
            M::SpacingEqual => info.spacing = Spacing::Equal,
            M::SpacingFractionalEven => info.spacing = Spacing::FractionalEven,
            M::SpacingFractionalOdd => info.spacing = Spacing::FractionalOdd,
            M::VertexOrderCw => info.clockwise = true,
            M::VertexOrderCcw => info.clockwise = false,
            M::PixelCenterInteger => info.pixel_center_integer = true,
            M::OriginUpperLeft => info.origin_upper_left = true,
            M::OriginLowerLeft => info.origin_upper_left = false,
            M::EarlyFragmentTests => info.early_fragment_tests = true,
            M::PointMode => info.point_mode = true,
            M::DepthReplacing if info.depth_layout == DepthLayout::None => {
                info.depth_layout = DepthLayout::Any;
            }
            M::DepthReplacing => {}
            M::DepthGreater => info.depth_layout = DepthLayout::Greater,
            M::DepthLess => info.depth_layout = DepthLayout::Less,
            M::DepthUnchanged => info.depth_layout = DepthLayout::Unchanged,
            M::InputPoints => info.input_primitive = Primitive::Points,
            M::InputLines => info.input_primitive = Primitive::Lines,
            M::InputLinesAdjacency => info.input_primitive = Primitive::LinesAdjacency,
            M::Triangles => info.input_primitive = Primitive::Triangles,
            M::InputTrianglesAdjacency => info.input_primitive = Primitive::TrianglesAdjacency,
            M::Quads => info.input_primitive = Primitive::Quads,
            M::Isolines => info.input_primitive = Primitive::Isolines,
            M::OutputVertices if tessellation => info.patch_vertices_out = literal(1)?,
            M::OutputVertices => info.max_vertices = literal(1)?,
            M::OutputPoints => info.output_primitive = Primitive::Points,
            M::OutputLineStrip => info.output_primitive = Primitive::LineStrip,
            M::OutputTriangleStrip => info.output_primitive = Primitive::TriangleStrip,
            M::OutputLinesEXT => info.output_primitive = Primitive::Lines,
            M::OutputTrianglesEXT => info.output_primitive = Primitive::Triangles,
            M::OutputPrimitivesEXT => info.max_primitives = literal(1)?,
            M::PixelInterlockOrderedEXT => info.interlock = Interlock::PixelOrdered,
            M::PixelInterlockUnorderedEXT => info.interlock = Interlock::PixelUnordered,
            M::SampleInterlockOrderedEXT => info.interlock = Interlock::SampleOrdered,
            M::SampleInterlockUnorderedEXT => info.interlock = Interlock::SampleUnordered,
            M::ShadingRateInterlockOrderedEXT => info.interlock = Interlock::ShadingRateOrdered,
            M::ShadingRateInterlockUnorderedEXT => info.interlock = Interlock::ShadingRateUnordered,
            M::PostDepthCoverage => info.post_depth_coverage = true,
            M::SignedZeroInfNanPreserve => info.preserve_float_special |= float_width(literal(1)?)?,
            M::DenormPreserve => info.denorm_preserve |= float_width(literal(1)?)?,
            M::DenormFlushToZero => info.denorm_flush |= float_width(literal(1)?)?,
            M::RoundingModeRTE => info.round_to_even |= float_width(literal(1)?)?,
            M::RoundingModeRTZ => info.round_to_zero |= float_width(literal(1)?)?,
            M::Xfb => self.has_feedback = true,
            M::DerivativeGroupQuadsKHR => info.quad_groups = true,
            M::DerivativeGroupLinearKHR => self.linear_groups = true,
            // Hints, and rules for choices of the implementation.
            M::ContractionOff
            // Early tests may only drop what the late ones drop (SPV_AMD_shader_early_and_late_fragment_tests).
            | M::EarlyAndLateFragmentTestsAMD
            | M::SubgroupUniformControlFlowKHR
            | M::MaximallyReconvergesKHR
            | M::QuadDerivativesKHR
            | M::RequireFullQuadsKHR
            | M::StencilRefReplacingEXT
            | M::VecTypeHint => {}
            _ => bail!(UNSUPPORTED, "execution mode {mode:?} is not supported"),
        }
        Ok(())
    }
}

/// The bit of a width of floats.
fn float_width(width: u32) -> Res<u8> {
    if !matches!(width, 16 | 32 | 64) {
        bail!(TYPE, "{width}-bit floats do not exist");
    }
    Ok(width as u8)
}

/// A workgroup size; one with a zero, which is not valid, is left to the dispatch.
fn fixed(size: [u32; 3]) -> Option<[u32; 3]> {
    (!size.contains(&0)).then_some(size)
}
