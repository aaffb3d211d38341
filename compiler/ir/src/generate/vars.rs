//! Header, types and variables of generated shaders.

use super::{Choices, Generator};
use crate::enums::*;
use crate::intrinsic::{IntrinsicOp, SystemValue};
use crate::shader::Gathered;
use crate::slot::{SLOT_NAMES, Slot};
use crate::types::{ImageType, Member, StructType, Type, TypeId};
use crate::value::Ty;
use crate::var::{Constant, Variable};

/// Names that are easy and hard to write, some of them equal.
const NAMES: &[&str] =
    &["color", "uv", "a", "a", "b", "vec4", "in", "", "two words", "gr\u{fc}n", "q\"\\", "x_1"];

/// Stages that run in workgroups.
pub(super) fn has_workgroups(stage: Stage) -> bool {
    matches!(stage, Stage::Compute | Stage::Task | Stage::Mesh)
}

impl<C: Choices> Generator<'_, C> {
    pub(super) fn header(&mut self) {
        let stage = self.shader.stage;
        self.shader.files = vec!["main.glsl".into(), "lib/\"odd\" name.glsl".into()];
        let mut info = crate::shader::StageInfo::default();
        match stage {
            Stage::Compute | Stage::Task | Stage::Mesh => {
                info.workgroup_size = Some([1 + self.below(8), 1 + self.below(8), 1])
            }
            Stage::Fragment => {
                info.early_fragment_tests = self.one_in(2);
                info.origin_upper_left = self.one_in(2);
                info.depth_layout = self.any();
            }
            Stage::Geometry => {
                info.input_primitive = Primitive::Triangles;
                info.output_primitive = Primitive::TriangleStrip;
                info.max_vertices = 1 + self.below(8);
                info.invocations = 1 + self.below(2);
            }
            Stage::TessControl => info.patch_vertices_out = 3,
            Stage::TessEval => {
                info.input_primitive = Primitive::Triangles;
                info.spacing = self.any();
                info.clockwise = self.one_in(2);
                info.point_mode = self.one_in(2);
            }
            Stage::Vertex => {}
        }
        if stage == Stage::Mesh {
            info.output_primitive = Primitive::Triangles;
            (info.max_vertices, info.max_primitives) = (8, 4);
        }
        if self.shader.form != Form::Variables && has_workgroups(stage) {
            info.shared_size = 256;
        }
        info.preserve_float_special = self.pick(&[0, 0, 16, 32, 48]);
        self.shader.info = info;
        if self.one_in(3) {
            let mut gathered =
                Gathered { uses_quad: self.one_in(2), writes_memory: true, ..Gathered::default() };
            for _ in 0..self.below(4) {
                gathered.inputs_read.insert(Slot(Slot::GENERIC + self.below(8) as u8));
                let (_, slot) = self.pick(SLOT_NAMES);
                gathered.outputs_written.insert(slot);
                gathered.system_values_read |= 1 << self.below(SystemValue::ALL.len() as u32);
            }
            self.shader.gathered = Some(gathered);
        }
    }

    // ---- types ----

    fn numeric(&mut self) -> Scalar {
        self.pick(&[
            Scalar::Float32,
            Scalar::Float32,
            Scalar::Int32,
            Scalar::Uint32,
            Scalar::Float16,
            Scalar::Int16,
            Scalar::Uint8,
            Scalar::Uint64,
            Scalar::Float64,
        ])
    }

    /// A type of memory; with explicit layout or without (then booleans are possible).
    pub(super) fn data_type(&mut self, depth: u32, layout: bool) -> TypeId {
        let kind = if depth == 0 { 0 } else { self.below(6) };
        match kind {
            3 => {
                let scalar = self.pick(&[Scalar::Float32, Scalar::Float16, Scalar::Float64]);
                let (cols, rows) = (2 + self.below(3) as u8, 2 + self.below(3) as u8);
                let (stride, row_major) = if layout { (32, self.one_in(2)) } else { (0, false) };
                self.shader.types.intern(Type::Matrix { scalar, cols, rows, stride, row_major })
            }
            4 => {
                let elem = self.data_type(depth - 1, layout);
                let stride = if layout { self.shader.types.size(elem).next_multiple_of(16) } else { 0 };
                let len = 1 + self.below(4);
                self.shader.types.intern(Type::Array { elem, len, stride })
            }
            5 => {
                let n = 1 + self.below(5);
                self.structure("S", n, depth - 1, layout, false)
            }
            _ => {
                let scalar = if !layout && self.one_in(8) { Scalar::Bool } else { self.numeric() };
                let comps = 1 + self.below(4) as u8;
                self.shader.types.vector(scalar, comps)
            }
        }
    }

    fn structure(&mut self, name: &str, members: u32, depth: u32, layout: bool, block: bool) -> TypeId {
        let mut end = 0;
        let mut list = Vec::new();
        for i in 0..members {
            let ty = self.data_type(depth, layout);
            let name = if self.one_in(6) { self.pick(NAMES).into() } else { format!("m{i}").into() };
            let precision = if self.one_in(4) { self.any() } else { Precision::None };
            list.push(Member { name, ty, offset: layout.then_some(end), precision });
            end = (end + self.shader.types.size(ty)).next_multiple_of(16);
        }
        if block && self.one_in(2) {
            // A run-time array ends a block.
            let elem = self.shader.types.vector(Scalar::Uint32, 1);
            let ty = self.shader.types.intern(Type::Array { elem, len: 0, stride: 4 });
            list.push(Member { offset: Some(end), ..Member::new("rest", ty) });
        }
        self.shader.types.intern(Type::Struct(StructType { name: name.into(), members: list.into(), block }))
    }

    // ---- variables ----

    fn add(&mut self, name: &str, ty: TypeId, mode: Modes) -> &mut Variable {
        let id = self.shader.add_var(Variable::new(name, ty, mode));
        &mut self.shader.vars[id]
    }

    pub(super) fn variables(&mut self) {
        let stage = self.shader.stage.into();
        for (mode, op) in [(Modes::IN, IntrinsicOp::load_input), (Modes::OUT, IntrinsicOp::store_output)] {
            if !op.stages().contains(stage) {
                continue;
            }
            for i in 0..1 + self.below(3) {
                self.interface(mode, i * 8);
            }
        }
        self.built_ins();
        self.buffers();
        self.textures();
        self.images();
        for mode in [Modes::SHADER_TEMP, Modes::SHARED] {
            if mode == Modes::SHARED && !has_workgroups(self.shader.stage) {
                continue;
            }
            for _ in 0..1 + self.below(2) {
                self.temporary(mode);
            }
            let ty = self.shader.types.vector(Scalar::Uint32, 1);
            self.add("counter", ty, mode);
        }
    }

    fn interface(&mut self, mode: Modes, location: u32) {
        let array = self.one_in(3);
        let scalar = if array { self.numeric() } else { Scalar::Float32 };
        let comps = 1 + self.below(4) as u8;
        let mut ty = self.shader.types.vector(scalar, comps);
        if array {
            ty = self.shader.types.array(ty, 3);
        }
        let name = self.pick(NAMES);
        let (interpolation, sampling, precision) = (self.any(), self.any(), self.any());
        let fragment_in = self.shader.stage == Stage::Fragment && mode == Modes::IN;
        let (invariant, component) = (self.one_in(4), self.pick(&[0, 0, 0, 1]));
        // What starts at a component must end in the same slot, and 64 bits start at an even one.
        let component = if comps < 4 && scalar.bits() != 64 { component } else { 0 };
        let var = self.add(name, ty, mode);
        var.location = Slot::generic(location);
        (var.precision, var.component) = (precision, component);
        var.invariant = invariant && mode == Modes::OUT;
        if fragment_in {
            (var.interpolation, var.sampling) = (interpolation, sampling);
        }
    }

    fn built_ins(&mut self) {
        let float4 = self.shader.types.vector(Scalar::Float32, 4);
        match self.shader.stage {
            Stage::Vertex | Stage::TessEval | Stage::Geometry => {
                self.add("gl_Position", float4, Modes::OUT).location = Some(Slot::POSITION);
                let float = self.shader.types.vector(Scalar::Float32, 1);
                let clip = self.shader.types.array(float, 6);
                let var = self.add("gl_ClipDistance", clip, Modes::OUT);
                (var.location, var.compact) = (Some(Slot::CLIP_DIST0), true);
            }
            Stage::Fragment => {
                let float = self.shader.types.vector(Scalar::Float32, 1);
                self.add("gl_FragDepth", float, Modes::OUT).location = Some(Slot::DEPTH);
            }
            Stage::TessControl => {
                let float = self.shader.types.vector(Scalar::Float32, 1);
                let outer = self.shader.types.array(float, 4);
                let var = self.add("gl_TessLevelOuter", outer, Modes::OUT);
                (var.location, var.patch, var.compact) = (Some(Slot::TESS_LEVEL_OUTER), true, true);
            }
            _ => {}
        }
        let stage = self.shader.stage;
        for &sv in SystemValue::ALL.iter().filter(|sv| sv.load_op().stages().contains(stage.into())).take(12)
        {
            if self.one_in(3) {
                let ty = sv.ty();
                let base = sv.load_op().info().result.map(|r| r.base);
                let scalar = match base {
                    Some(crate::alu::Base::Bool) => Scalar::Bool,
                    Some(crate::alu::Base::Float) => Scalar::Float32,
                    _ => Scalar::Uint32,
                };
                let id = self.shader.types.vector(scalar, ty.comps);
                self.add(sv.name(), id, Modes::SYSTEM_VALUE).system_value = Some(sv);
            }
        }
    }

    fn buffers(&mut self) {
        let mut binding = 0;
        for (mode, name) in [
            (Modes::UBO, "Params"),
            (Modes::SSBO, "Data"),
            (Modes::SSBO, "Data"),
            (Modes::PUSH_CONST, "Push"),
        ] {
            let members = 1 + self.below(6);
            let block = self.structure(name, members, 2, true, mode != Modes::PUSH_CONST);
            let block = self.as_block(block);
            let ty = if mode != Modes::PUSH_CONST && self.one_in(3) {
                self.shader.types.array(block, 2)
            } else {
                block
            };
            let access = if mode == Modes::SSBO {
                self.pick(&[Access::empty(), Access::COHERENT | Access::RESTRICT])
            } else {
                Access::empty()
            };
            let var = self.add(&name.to_lowercase(), ty, mode);
            var.access = access;
            if mode != Modes::PUSH_CONST {
                (var.set, var.binding) = (Some(0), Some(binding));
                binding += 1;
            }
        }
    }

    fn as_block(&mut self, id: TypeId) -> TypeId {
        match self.shader.types[id].clone() {
            Type::Struct(s) => self.shader.types.intern(Type::Struct(StructType { block: true, ..s })),
            _ => id,
        }
    }

    fn textures(&mut self) {
        let shapes = [
            (Dim::D2, false, false),
            (Dim::D2, true, false),
            (Dim::D2, false, true),
            (Dim::D1, false, false),
            (Dim::D3, false, false),
            (Dim::Cube, false, false),
            (Dim::Cube, true, false),
            (Dim::Rect, false, false),
            (Dim::Buffer, false, false),
            (Dim::Ms, false, false),
        ];
        for (i, (dim, arrayed, shadow)) in shapes.into_iter().enumerate() {
            if self.one_in(2) {
                continue;
            }
            let scalars = [Scalar::Float32, Scalar::Float32, Scalar::Int32, Scalar::Uint32, Scalar::Float16];
            let sampled = if shadow { Scalar::Float32 } else { self.pick(&scalars) };
            let combined = !matches!(dim, Dim::Buffer | Dim::Ms) && self.one_in(2);
            let image = ImageType {
                dim,
                arrayed,
                shadow,
                sampled,
                storage: false,
                combined,
                format: ImageFormat::Unknown,
            };
            let mut ty = self.shader.types.intern(Type::Image(image));
            if self.one_in(4) {
                ty = self.shader.types.array(ty, 3);
            }
            let var = self.add("tex", ty, Modes::UNIFORM);
            (var.set, var.binding) = (Some(1), Some(i as u32));
        }
        let sampler = self.shader.types.intern(Type::Sampler);
        self.add("smp", sampler, Modes::UNIFORM).binding = Some(30);
    }

    fn images(&mut self) {
        let shapes = [
            (Dim::D2, false, ImageFormat::R32ui, Scalar::Uint32),
            (Dim::D2, true, ImageFormat::Rgba32f, Scalar::Float32),
            (Dim::D3, false, ImageFormat::Rgba16f, Scalar::Float32),
            (Dim::Buffer, false, ImageFormat::R32i, Scalar::Int32),
            (Dim::Cube, false, ImageFormat::Unknown, Scalar::Float32),
            (Dim::D1, true, ImageFormat::Rgba8, Scalar::Float32),
            (Dim::Ms, false, ImageFormat::R32f, Scalar::Float32),
        ];
        for (i, (dim, arrayed, format, sampled)) in shapes.into_iter().enumerate() {
            if self.one_in(2) {
                continue;
            }
            let image =
                ImageType { dim, arrayed, shadow: false, sampled, storage: true, combined: false, format };
            let ty = self.shader.types.intern(Type::Image(image));
            let var = self.add("img", ty, Modes::IMAGE);
            (var.set, var.binding) = (Some(2), Some(i as u32));
        }
    }

    /// A variable that is only memory, with an initial value now and then.
    fn temporary(&mut self, mode: Modes) -> crate::ids::VarId {
        let ty = self.random_data_type(3);
        let initializer = (mode != Modes::SHARED && self.one_in(3)).then(|| self.initial(ty));
        let name = self.pick(NAMES);
        let mut var = Variable::new(name, ty, mode);
        var.initializer = initializer;
        if mode == Modes::FUNCTION_TEMP {
            var.function = Some(self.function);
        }
        self.shader.add_var(var)
    }

    fn initial(&mut self, ty: TypeId) -> Constant {
        if self.one_in(5) {
            return Constant::Zero;
        }
        match self.shader.types[ty].clone() {
            Type::Vector { scalar, comps } => {
                Constant::Value(self.random_lanes(Ty::new(comps, scalar.bits())))
            }
            Type::Matrix { scalar, cols, rows, .. } => {
                let columns =
                    (0..cols).map(|_| Constant::Value(self.random_lanes(Ty::new(rows, scalar.bits()))));
                Constant::Composite(columns.collect())
            }
            Type::Array { elem, len, .. } => {
                Constant::Composite((0..len).map(|_| self.initial(elem)).collect())
            }
            Type::Struct(s) => Constant::Composite(s.members.iter().map(|m| self.initial(m.ty)).collect()),
            Type::Image(_) | Type::Sampler => Constant::Zero,
        }
    }

    /// Variables of the current function, one for each parameter that a call may need.
    pub(super) fn locals(&mut self) {
        for _ in 0..1 + self.below(3) {
            self.temporary(Modes::FUNCTION_TEMP);
        }
        let callees = self.callees.clone();
        for callee in callees {
            for p in self.shader.functions[callee].params.clone() {
                if let Some((ty, _)) = p.pointee {
                    self.shader.add_local(self.function, "arg", ty);
                }
            }
        }
    }
}
