//! Outputs of a stage as records in a storage buffer: the layout shared by writers and readers.
//!
//! Metal has neither a tessellation control nor a geometry stage. The stages before them become kernels that
//! write their outputs to a buffer, and the following stage reads them there. Each such buffer is an array of
//! records:
//!
//! * A record has 16 bytes for each slot of a [`RecordLayout`], in this order: the position, numbered
//!   locations ascending, numbered per-patch locations ascending, then all other built-ins in the order of
//!   [`Slot`] (point size, clip distances, tessellation levels, ...). Slots not in the layout do not occupy
//!   space.
//! * Component `c` of a value of `n` bytes is at byte `c * n` of its slot, as SPIR-V and GLSL count
//!   components. Values of more than 16 bytes continue in the next slot. Booleans are 32 bits wide.
//! * The buffers are storage blocks of [`SET`]; [`StageBuffer`] lists their bindings, names and record
//!   indices.
//!
//! Writer and reader must use the same layout. Otherwise it is arbitrary: [`RecordLayout::of`] contains the
//! slots that a stage declares or accesses, and the union over both stages works for both.

use crate::pass::OptionValue;
use airfoil_ir::{
    Access, Align, Body, Builder, DerefKind, Diagnostic, FuncId, Index, InstrId, Intrinsic, IntrinsicOp,
    Member, Modes, Replacements, Shader, Slot, SlotSet, Stage, StructType, Ty, Type, TypeId, VarId, Variable,
};

/// Size of a slot in bytes.
pub const SLOT_BYTES: u32 = 16;

/// The descriptor set of the buffers between stages, which no application uses.
pub const SET: u32 = 0xffff;

/// A buffer between stages. The discriminant is its binding in [`SET`].
///
/// # Examples
/// ```
/// use airfoil_ir::{Access, Scalar, Shader, Stage, text};
/// use airfoil_passes::stages::stage_buffer::{SET, StageBuffer};
///
/// let mut shader = Shader::new("main", Stage::Compute);
/// let index = shader.types.vector(Scalar::Uint16, 1);
/// let (var, _) = StageBuffer::Indices.declare(&mut shader, index, 2, Access::NON_WRITEABLE);
/// assert_eq!((shader.vars[var].set, shader.vars[var].binding), (Some(SET), Some(5)));
/// let line = "ssbo Records { uint16[stride=2] data @0 } stage_indices set=65535 binding=5 access=non_writeable";
/// assert!(text::print(&shader).contains(line));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum StageBuffer {
    /// Outputs of the vertex stage. Record `instance * vertices + vertex`, both without base.
    Vertices = 0,
    /// Outputs of the tessellation control stage for each vertex of a patch. Record `patch * size + vertex`,
    /// where `size` is the number of vertices of an output patch. Patch indices continue across instances.
    ControlPoints = 1,
    /// Outputs of the tessellation control stage for whole patches. Record `patch`.
    Patches = 2,
    /// Metal's tessellation factors, 16-bit floats: `MTLQuadTessellationFactorsHalf` or
    /// `MTLTriangleTessellationFactorsHalf` for each patch.
    TessFactors = 3,
    /// Output of a software tessellator: a point of 16 bytes for each vertex of the resulting primitives.
    /// Three floats are the coordinates in the patch (`gl_TessCoord`), the fourth word is the index of the
    /// patch.
    TessPoints = 4,
    /// The index buffer of a draw, for kernels that compute vertex indices. Record `vertex`, in draw order.
    Indices = 5,
}

impl StageBuffer {
    /// Name of the variable.
    pub const fn name(self) -> &'static str {
        match self {
            StageBuffer::Vertices => "stage_vertices",
            StageBuffer::ControlPoints => "stage_control_points",
            StageBuffer::Patches => "stage_patches",
            StageBuffer::TessFactors => "stage_tess_factors",
            StageBuffer::TessPoints => "stage_tess_points",
            StageBuffer::Indices => "stage_indices",
        }
    }

    /// Binding in [`SET`].
    pub const fn binding(self) -> u32 {
        self as u32
    }

    /// Declares the buffer in a shader as an array of `elem` with a stride of `stride` bytes.
    pub fn declare(self, shader: &mut Shader, elem: TypeId, stride: u32, access: Access) -> (VarId, TypeId) {
        let data = shader.types.intern(Type::Array { elem, len: 0, stride });
        let members = Box::new([Member { offset: Some(0), ..Member::new("data", data) }]);
        let ty =
            shader.types.intern(Type::Struct(StructType { name: "Records".into(), members, block: true }));
        let mut var = Variable::new(self.name(), ty, Modes::SSBO);
        (var.set, var.binding, var.access) = (Some(SET), Some(self.binding()), access);
        (shader.add_var(var), ty)
    }
}

/// The slots of a record, in order.
///
/// # Examples
/// ```
/// use airfoil_ir::Slot;
/// use airfoil_passes::{OptionValue, stages::stage_buffer::RecordLayout};
///
/// let written = RecordLayout::parse("point_size|3|position")?;
/// let both = written.union(&RecordLayout::parse("1|3")?);
/// // The position is first, built-ins are last, and slots between locations take no space.
/// assert_eq!((both.text().as_str(), both.record_bytes()), ("position|1|3|point_size", 64));
/// assert_eq!((both.offset(Slot::POINT_SIZE), both.offset(Slot::LAYER)), (Some(48), None));
/// // A record without slots has the size of one.
/// assert_eq!(RecordLayout::default().record_bytes(), 16);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordLayout {
    slots: Vec<Slot>,
}

/// A buffer that a shader shares with another stage.
///
/// # Examples
/// ```
/// use airfoil_ir::{Form, Shader, Stage};
/// use airfoil_passes::{Manager, Pipeline, stages::stage_buffer::StageBuffer};
///
/// // A vertex shader that is compiled alone, without outputs and before tessellation of patches of four.
/// let mut shader = Shader::new("main", Stage::Vertex);
/// # let main = shader.add_function(airfoil_ir::Function::new("main"));
/// # shader.entry = Some(main);
/// # shader.form = Form::Slots;
/// let pipeline = Pipeline::parse("lower_stages{vertex_kernel=true, patch_vertices=4}").unwrap();
/// let mut manager = Manager::default();
/// assert!(manager.run(&pipeline, &mut shader).is_ok());
/// let [buffer] = &manager.take_buffers()[0][..] else { panic!() };
/// assert_eq!((buffer.buffer, buffer.per_patch), (StageBuffer::Vertices, 4));
/// // An interface of nothing gets the position.
/// assert_eq!(buffer.layout.iter().map(|(slot, _)| slot).collect::<Vec<_>>(), [airfoil_ir::Slot::POSITION]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferLayout {
    /// The buffer.
    pub buffer: StageBuffer,
    /// Slots of its records.
    pub layout: RecordLayout,
    /// Records per patch, or per primitive that a geometry shader takes.
    pub per_patch: u32,
}

/// A part of the interface of a stage.
///
/// # Examples
/// ```
/// use airfoil_ir::{Modes, text};
/// use airfoil_passes::OptionValue;
/// use airfoil_passes::stages::stage_buffer::{Part, RecordLayout};
///
/// let shader = text::parse(r#"foil 1
/// shader tess_control "main" {
///   out vec4[3] color location=1
///   out mat2 turn location=patch4 patch
///   out float[4] outer location=tess_level_outer patch compact
/// }"#)?;
/// let slots = |part| RecordLayout::of(&shader, Modes::OUT, part).text();
/// assert_eq!((&*slots(Part::Vertex), &*slots(Part::Patch)), ("1", "patch4|patch5|tess_level_outer"));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Per-vertex values.
    Vertex,
    /// Per-patch values.
    Patch,
}

/// Sort key of a slot in a record.
fn rank(slot: Slot) -> (u8, u8) {
    let group = match slot {
        Slot::POSITION => 0,
        s if s.as_generic().is_some() => 1,
        s if s.as_patch().is_some() => 2,
        _ => 3,
    };
    (group, slot.0)
}

impl RecordLayout {
    /// The layout of records with the given slots.
    pub fn new(slots: impl IntoIterator<Item = Slot>) -> RecordLayout {
        let mut slots: Vec<Slot> = slots.into_iter().collect();
        slots.sort_by_key(|&s| rank(s));
        slots.dedup();
        RecordLayout { slots }
    }

    /// All slots that a shader declares or accesses as inputs or outputs (`mode`).
    pub fn of(shader: &Shader, mode: Modes, part: Part) -> RecordLayout {
        let mut set = SlotSet::default();
        let mut add = |from: Slot, count: u32| {
            (0..count.min(256)).map_while(|n| from.offset(n)).for_each(|slot| set.insert(slot));
        };
        for v in shader.vars.values().filter(|v| v.mode == mode && v.patch == (part == Part::Patch)) {
            let ty = match shader.types[v.ty] {
                Type::Array { elem, .. } if v.is_per_vertex(shader.stage) => elem,
                _ => v.ty,
            };
            let count = match shader.types[ty] {
                Type::Array { len, .. } if v.compact => len.div_ceil(4),
                _ => shader.types.num_slots(ty),
            };
            if let Some(location) = v.location {
                add(location, count);
            }
        }
        for function in shader.functions.values() {
            for (_, instr) in function.body.entries() {
                let Some(i) = instr.as_intrinsic() else { continue };
                if access(i.op) != Some((mode, of_each_vertex(shader, i.op, part))) {
                    continue;
                }
                let offset = i.srcs().last().and_then(|&o| function.body[o].as_const());
                match (i.io(), offset.and_then(|c| u32::try_from(c[0]).ok())) {
                    (io, Some(n)) => io.location.offset(n).into_iter().for_each(|slot| add(slot, 1)),
                    (io, None) => add(io.location, u32::from(io.num_slots)),
                }
            }
        }
        RecordLayout::new(set.iter())
    }

    /// The union of both layouts.
    #[must_use]
    pub fn union(&self, other: &RecordLayout) -> RecordLayout {
        RecordLayout::new(self.slots.iter().chain(&other.slots).copied())
    }

    /// This layout and the tessellation levels, which every patch record contains.
    #[must_use]
    pub fn with_levels(&self) -> RecordLayout {
        self.union(&RecordLayout::new([Slot::TESS_LEVEL_OUTER, Slot::TESS_LEVEL_INNER]))
    }

    /// This layout, or if it is empty, that of all slots that the shader declares or accesses.
    #[must_use]
    pub fn or_declared(&self, shader: &Shader, mode: Modes, part: Part) -> RecordLayout {
        if self.is_empty() { RecordLayout::of(shader, mode, part) } else { self.clone() }
    }

    /// Whether it does not contain any slots.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Size of a record in bytes, at least one slot.
    pub fn record_bytes(&self) -> u32 {
        SLOT_BYTES * self.slots.len().max(1) as u32
    }

    /// Byte offset of a slot in the record; `None` if the record does not contain it.
    pub fn offset(&self, slot: Slot) -> Option<u32> {
        let at = self.slots.binary_search_by_key(&rank(slot), |&s| rank(s)).ok()?;
        Some(SLOT_BYTES * at as u32)
    }

    /// Slots with their byte offsets, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, u32)> + '_ {
        self.slots.iter().zip(0..).map(|(&slot, n)| (slot, SLOT_BYTES * n))
    }

    /// Byte offset of the first of several consecutive slots; `None` if the record does not contain any of
    /// them.
    fn range(&self, first: Slot, count: u32) -> Result<Option<u32>, Diagnostic> {
        let start = self.offset(first);
        let at = |n: u32| first.offset(n).and_then(|slot| self.offset(slot));
        let same = |n: u32| at(n) == start.map(|s| s + n * SLOT_BYTES);
        if (1..count).all(same) {
            return Ok(start);
        }
        let message = format!(
            "{count} slots from {first} are indexed dynamically, but the record contains only some of them"
        );
        Err(Diagnostic::error("E0340", message).help("give both stages a layout with all of these slots"))
    }
}

/// The default of a layout option: all slots that the shader declares or accesses.
impl OptionValue for RecordLayout {
    fn parse(text: &str) -> Result<RecordLayout, String> {
        let slot = |word: &str| {
            let numbered = |text: &str, make: fn(u32) -> Option<Slot>| text.parse().ok().and_then(make);
            let patch = word.strip_prefix("patch").and_then(|n| numbered(n, Slot::patch));
            let found = Slot::from_name(word).or(patch).or_else(|| numbered(word, Slot::generic));
            found.ok_or_else(|| {
                format!("`{word}` is not a slot; expected slots as in `position|0|1|patch0|point_size`")
            })
        };
        let slots: Result<Vec<Slot>, String> = text.split('|').filter(|w| !w.is_empty()).map(slot).collect();
        slots.map(RecordLayout::new)
    }

    fn text(&self) -> String {
        self.slots.iter().map(ToString::to_string).collect::<Vec<_>>().join("|")
    }
}

/// Memory that an access by slot reads or writes, and whether it names a vertex.
fn access(op: IntrinsicOp) -> Option<(Modes, bool)> {
    Some(match op {
        IntrinsicOp::load_input => (Modes::IN, false),
        IntrinsicOp::load_per_vertex_input => (Modes::IN, true),
        IntrinsicOp::load_output | IntrinsicOp::store_output => (Modes::OUT, false),
        IntrinsicOp::load_per_vertex_output | IntrinsicOp::store_per_vertex_output => (Modes::OUT, true),
        _ => return None,
    })
}

/// Whether accesses to a part of the interface have a vertex index: only where a stage has values of several
/// vertices.
fn of_each_vertex(shader: &Shader, op: IntrinsicOp, part: Part) -> bool {
    let several = match access(op) {
        Some((Modes::IN, _)) => {
            matches!(shader.stage, Stage::TessControl | Stage::TessEval | Stage::Geometry)
        }
        _ => matches!(shader.stage, Stage::TessControl | Stage::Mesh),
    };
    several && part == Part::Vertex
}

/// A buffer of records that a shader accesses.
///
/// # Examples
/// ```
/// use airfoil_ir::{Access, Body, Builder, Shader, Slot, Stage, Ty, text};
/// use airfoil_passes::stages::stage_buffer::{RecordLayout, Records, StageBuffer};
///
/// let (mut shader, mut body) = (Shader::new("main", Stage::Compute), Body::new());
/// let layout = RecordLayout::new([Slot::POINT_SIZE, Slot::POSITION]);
/// let records = Records::declare(&mut shader, StageBuffer::Vertices, layout, Access::NON_WRITEABLE);
/// let mut b = Builder::at_end(&mut body);
/// let index = b.imm_u32(3);
/// let base = records.base(&mut b, index);
/// let [_, layer] = [Slot::POINT_SIZE, Slot::LAYER].map(|slot| records.load_slot(&mut b, base, slot, Ty::B32));
/// // Record 3 starts at byte 96, and the point size is its second slot. A slot that it lacks is zero.
/// assert!(text::print_body(&shader, &body).contains("const 112"));
/// assert_eq!(body[layer].as_const(), Some(&[0; 4]));
/// ```
#[derive(Clone, Debug)]
pub struct Records {
    var: VarId,
    ty: TypeId,
    layout: RecordLayout,
}

impl Records {
    /// Declares the buffer. `access` specifies whether it is only read or only written.
    pub fn declare(
        shader: &mut Shader,
        buffer: StageBuffer,
        layout: RecordLayout,
        access: Access,
    ) -> Records {
        let vec4 = shader.types.vector(airfoil_ir::Scalar::Float32, 4);
        let (var, ty) = buffer.declare(shader, vec4, SLOT_BYTES, access | Access::RESTRICT);
        Records { var, ty, layout }
    }

    /// The layout.
    pub fn layout(&self) -> &RecordLayout {
        &self.layout
    }

    /// Writes zero to the slots of the record at `base` that a shader does not write itself.
    pub fn clear(&self, b: &mut Builder, base: InstrId, written: &RecordLayout) {
        let missing: Vec<Slot> =
            self.layout.slots.iter().copied().filter(|&slot| written.offset(slot).is_none()).collect();
        for slot in missing {
            let zero = b.zero(Ty::new(4, 32));
            self.store_slot(b, base, slot, zero);
        }
    }

    /// Byte offset of a record.
    pub fn base(&self, b: &mut Builder, index: InstrId) -> InstrId {
        let bytes = b.imm_u32(self.layout.record_bytes());
        b.imul(index, bytes)
    }

    /// Performs an access by slot as a read from the record at `base`. Slots missing in the record are zero.
    ///
    /// # Errors
    /// The record contains only some of the dynamically indexed slots.
    pub fn load(&self, b: &mut Builder, base: InstrId, i: &Intrinsic, ty: Ty) -> Result<InstrId, Diagnostic> {
        match self.place(b, base, i, ty.bits)? {
            Some((offset, align)) => Ok(self.load_at(b, offset, align, ty)),
            None => Ok(b.zero(ty)),
        }
    }

    /// Reads a slot of the record at `base`, from its first component on; zero if the record does not contain it.
    pub fn load_slot(&self, b: &mut Builder, base: InstrId, slot: Slot, ty: Ty) -> InstrId {
        match self.layout.offset(slot) {
            Some(bytes) => {
                let offset = add(b, base, bytes);
                self.load_at(b, offset, Align::new(SLOT_BYTES as u16), ty)
            }
            None => b.zero(ty),
        }
    }

    fn load_at(&self, b: &mut Builder, offset: InstrId, align: Align, ty: Ty) -> InstrId {
        let block = b.deref(DerefKind::Var(self.var), self.ty, Modes::SSBO);
        let load = Intrinsic::new(IntrinsicOp::load_ssbo, &[block, offset]).with(Index::Align, align);
        b.insert_intrinsic(load, ty)
    }

    /// Performs an access by slot as a write to the record at `base`. Slots missing in the record are
    /// dropped.
    ///
    /// # Errors
    /// The record contains only some of the dynamically indexed slots.
    pub fn store(&self, b: &mut Builder, base: InstrId, i: &Intrinsic) -> Result<(), Diagnostic> {
        let value = i.src(0);
        let bits = b.ty(value).bits;
        if let Some((offset, align)) = self.place(b, base, i, bits)? {
            self.store_at(b, offset, align, value, i.write_mask());
        }
        Ok(())
    }

    /// Writes a slot of the record at `base`, if the record contains it.
    pub fn store_slot(&self, b: &mut Builder, base: InstrId, slot: Slot, value: InstrId) {
        if let Some(bytes) = self.layout.offset(slot) {
            let offset = add(b, base, bytes);
            let mask = (1 << b.ty(value).comps) - 1;
            self.store_at(b, offset, Align::new(SLOT_BYTES as u16), value, mask);
        }
    }

    fn store_at(&self, b: &mut Builder, offset: InstrId, align: Align, value: InstrId, mask: u32) {
        let block = b.deref(DerefKind::Var(self.var), self.ty, Modes::SSBO);
        let store = Intrinsic::new(IntrinsicOp::store_ssbo, &[value, block, offset])
            .with(Index::WriteMask, mask)
            .with(Index::Align, align);
        b.insert_intrinsic(store, Ty::NONE);
    }

    /// Byte offset of an access by slot, and its known alignment.
    fn place(
        &self,
        b: &mut Builder,
        base: InstrId,
        i: &Intrinsic,
        bits: u8,
    ) -> Result<Option<(InstrId, Align)>, Diagnostic> {
        let io = i.io();
        let Some(&slots) = i.srcs().last() else { return Ok(None) };
        let within = i.component() * u32::from(bits / 8);
        let align = Align::new(SLOT_BYTES as u16).plus(within);
        if let Some(n) = b.scalar_const(slots) {
            let slot = u32::try_from(n).ok().and_then(|n| io.location.offset(n));
            let Some(start) = slot.and_then(|slot| self.layout.offset(slot)) else { return Ok(None) };
            return Ok(Some((add(b, base, start + within), align)));
        }
        let Some(start) = self.layout.range(io.location, u32::from(io.num_slots))? else { return Ok(None) };
        let each = b.imm_u32(SLOT_BYTES);
        let part = b.imul(slots, each);
        let sum = b.iadd(base, part);
        Ok(Some((add(b, sum, start + within), align)))
    }
}

/// The sum of a value and a constant.
fn add(b: &mut Builder, value: InstrId, constant: u32) -> InstrId {
    if constant == 0 {
        return value;
    }
    let constant = b.imm_u32(constant);
    b.iadd(value, constant)
}

/// The replacement of an instruction.
///
/// # Examples
/// ```
/// use airfoil_ir::{Body, Builder, Form, IntrinsicOp, SystemValue};
/// use airfoil_passes::stages::stage_buffer::{New, rewrite};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let ids = [SystemValue::vertex_id, SystemValue::base_vertex].map(|value| b.load_system_value(value));
/// let sum = b.iadd(ids[0], ids[1]);
/// rewrite(&mut body, &ids, |b, intrinsic, ty| Ok(match intrinsic.op {
///     IntrinsicOp::load_base_vertex => New::Value(b.zero(ty)),
///     _ => New::Same,
/// }))?;
/// // The second operand of the sum is the constant now.
/// let operand = body[sum].as_alu().unwrap().srcs().last().unwrap().value;
/// assert!(body.get(ids[1]).is_none() && body[operand].as_const() == Some(&[0; 4]));
/// # Ok::<(), airfoil_ir::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum New {
    /// It stays.
    Same,
    /// Removed; it had no result, or the result is unused.
    Nothing,
    /// Removed; this value replaces its result.
    Value(InstrId),
}

/// Replaces intrinsics of a list: `f` builds the replacement of one, before it.
///
/// # Errors
/// Those of `f`.
pub fn rewrite(
    body: &mut Body,
    ids: &[InstrId],
    mut f: impl FnMut(&mut Builder, &Intrinsic, Ty) -> Result<New, Diagnostic>,
) -> Result<(), Diagnostic> {
    let mut replacements = Replacements::default();
    let mut gone = Vec::new();
    for &id in ids {
        let instr = &body[id];
        let (ty, Some(i)) = (instr.ty, instr.as_intrinsic().cloned()) else { continue };
        match f(&mut Builder::before(body, id), &i, ty)? {
            New::Same => continue,
            New::Nothing => {}
            New::Value(value) => replacements.insert(id, value),
        }
        gone.push(id);
    }
    body.replace_all(&replacements);
    gone.into_iter().for_each(|id| body.remove(id));
    Ok(())
}

/// The entry function, if the shader has no other.
///
/// # Errors
/// If there are calls, or the entry function is missing.
pub fn only_function(shader: &Shader) -> Result<FuncId, Diagnostic> {
    match shader.entry.filter(|&e| shader.functions.contains_key(e)) {
        Some(entry) if shader.functions.len() == 1 => Ok(entry),
        Some(_) => {
            let message = "stage buffers require a shader with a single function";
            Err(Diagnostic::error("E0341", message).help("run inline_functions first"))
        }
        None => Err(Diagnostic::error("E0341", "the shader does not have an entry function")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_a_record() {
        let text = "point_size|patch1|3|position|patch0|tess_level_inner|0|clip_dist0";
        let layout = RecordLayout::parse(text).unwrap();
        let order: Vec<String> = layout.iter().map(|(slot, at)| format!("{slot}@{at}")).collect();
        let expected =
            "position@0 0@16 3@32 patch0@48 patch1@64 point_size@80 clip_dist0@96 tess_level_inner@112";
        assert_eq!(order.join(" "), expected);
        assert_eq!((layout.record_bytes(), layout.offset(Slot::LAYER)), (128, None));
        assert!(RecordLayout::parse("position|nothing").unwrap_err().contains("`nothing` is not a slot"));
        assert_eq!(RecordLayout::default().record_bytes(), 16);
    }

    #[test]
    fn ranges_are_whole_or_absent() {
        let layout = RecordLayout::parse("4|5|6").unwrap();
        let generic = |n| Slot::generic(n).unwrap();
        assert_eq!(layout.range(generic(4), 3).unwrap(), Some(0));
        assert_eq!(layout.range(generic(8), 2).unwrap(), None);
        assert!(layout.range(generic(5), 3).is_err());
        assert!(layout.range(generic(3), 2).is_err());
    }
}
