//! Variables outside functions: interfaces, resources, private and shared memory.
//!
//! Blocks of inputs and outputs are split into one variable per member; the arrays around them move to the
//! members (see `docs/conventions.md`).

use crate::built_ins::{Home, home_of, slot_matches};
use crate::error::*;
use crate::options::Environment;
use crate::state::{
    BlockPart, Deco, Def, Feedback, Global, GlobalState, IoBlock, Kind, Reader, TyIx, VarDeco, XfbDeco,
};
use crate::types::access_of;
use crate::words::Inst;
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{BuiltIn, Decoration, StorageClass};

impl VarDeco {
    fn apply(&mut self, d: &Deco<'_>) {
        match d.kind {
            Decoration::Location => self.location = Some(d.operand()),
            // `VarDeco::in_range` rejects values that are too large.
            Decoration::Component => self.component = d.operand().min(255) as u8,
            Decoration::Index => self.index = d.operand().min(255) as u8,
            Decoration::Binding => self.binding = Some(d.operand()),
            Decoration::DescriptorSet => self.set = Some(d.operand()),
            Decoration::BuiltIn => self.builtin = Some(d.operand()),
            Decoration::Flat => self.interpolation = Interpolation::Flat,
            Decoration::NoPerspective => self.interpolation = Interpolation::NoPerspective,
            Decoration::PerVertexKHR => self.interpolation = Interpolation::PerVertex,
            Decoration::Centroid => self.sampling = Sampling::Centroid,
            Decoration::Sample => self.sampling = Sampling::Sample,
            Decoration::Patch => self.patch = true,
            Decoration::PerPrimitiveEXT => self.per_primitive = true,
            Decoration::Invariant => self.invariant = true,
            Decoration::RelaxedPrecision => self.precision = Precision::Medium,
            Decoration::Stream => self.stream = d.operand().min(255) as u8,
            Decoration::InputAttachmentIndex => self.offset = d.operand(),
            Decoration::Offset => {
                self.offset = d.operand();
                self.xfb.offset = Some(d.operand());
            }
            Decoration::XfbBuffer => self.xfb.buffer = Some(d.operand()),
            Decoration::XfbStride => self.xfb.stride = Some(d.operand()),
            other => self.access |= access_of(other),
        }
    }

    /// Component, blend index and vertex stream exist.
    fn in_range(&self) -> bool {
        self.component < 4 && self.index < 2 && self.stream < 4
    }

    fn apply_to(&self, var: &mut Variable) {
        var.component = self.component;
        var.index = self.index;
        var.binding = self.binding;
        var.set = self.set;
        var.interpolation = self.interpolation;
        var.sampling = self.sampling;
        var.patch = self.patch;
        var.per_primitive = self.per_primitive;
        var.invariant = self.invariant;
        var.access = self.access;
        var.precision = self.precision;
        var.stream = self.stream;
        var.offset = self.offset;
    }
}

impl<'w> Reader<'w> {
    /// Whether the module follows the rules of OpenGL.
    pub fn is_opengl(&self) -> bool {
        self.options.environment == Environment::OpenGl
    }

    pub fn global_variable(&mut self, inst: Inst<'w>) -> Res<()> {
        let (ptr, id) = (self.type_of(inst.word(1)?)?, inst.word(2)?);
        let Kind::Pointer { to, .. } = self.kind(ptr) else {
            return fail(TYPE, "the type of a variable is not a pointer");
        };
        let Some(class) = StorageClass::from_u32(inst.word(3)?) else {
            return fail(UNSUPPORTED, "the storage class is not known");
        };
        if matches!(class, StorageClass::Function | StorageClass::PhysicalStorageBuffer) {
            bail!(TYPE, "a variable outside functions has the storage class {class:?}");
        }
        let ty = self.type_of(to)?;
        let initializer = inst.words.get(4).copied().unwrap_or(0);
        self.define(id, Def::Global(self.globals.len() as u32))?;
        let at = inst.at;
        self.globals.push(Global { id, ty, class, initializer, at, state: GlobalState::Todo });
        Ok(())
    }

    /// Makes the variables of the interface, so that they are known even if nothing uses them. Built-ins
    /// without an initial value and unsupported ones wait until something refers to them.
    pub fn make_interface(&mut self) -> Res<()> {
        let entry = &self.entries[self.entry];
        let words = self.words;
        let listed = &words[entry.interface.0..entry.interface.1];
        let mut wanted: SmallVec<[u32; 32]> = SmallVec::with_capacity(self.globals.len());
        wanted.extend(listed.iter().filter_map(|&id| match self.id(id).def {
            Def::Global(g) => Some(g),
            _ => None,
        }));
        if self.entries.len() == 1 {
            wanted.extend((0..self.globals.len() as u32).filter(|&g| {
                !matches!(self.globals[g as usize].class, StorageClass::Input | StorageClass::Output)
            }));
        }
        for g in wanted {
            let Global { id, class, initializer, .. } = self.globals[g as usize];
            // An initial value is written even if no instruction names the variable.
            let waits = initializer == 0 && self.decoration(id, Decoration::BuiltIn).is_some();
            if class == StorageClass::Private || waits {
                continue;
            }
            if self.make_global(g).is_ok() {
                self.make_all_members(g);
            }
        }
        Ok(())
    }

    fn make_all_members(&mut self, g: u32) {
        let GlobalState::Block(block) = &self.globals[g as usize].state else { return };
        let user: Vec<u32> = (0..block.members.len() as u32)
            .filter(|&m| block.decorations[m as usize].builtin.is_none())
            .collect();
        for m in user {
            // An invalid member is reported where it is used.
            let _ = self.member_var(g, m);
        }
    }

    /// Makes the variable if that has not been done yet.
    pub fn make_global(&mut self, g: u32) -> Res<()> {
        if !matches!(self.globals[g as usize].state, GlobalState::Todo) {
            return Ok(());
        }
        let inst = Inst::at(self.words, self.globals[g as usize].at)?;
        let state = self.new_global(g).map_err(|e| self.locate(e, inst))?;
        self.globals[g as usize].state = state;
        Ok(())
    }

    fn new_global(&mut self, g: u32) -> Res<GlobalState> {
        let Global { id, ty, class, initializer, .. } = self.globals[g as usize];
        let inner = self.without_arrays(ty);
        let is_io = matches!(class, StorageClass::Input | StorageClass::Output);
        let split = self.types[inner as usize].block || self.members_of(inner).iter().any(|m| m.builtin != 0);
        let stage = self.shader.stage;
        let legal = match class {
            StorageClass::Output => IntrinsicOp::store_output.stages().contains(stage.into()),
            StorageClass::Input if self.decoration(id, Decoration::BuiltIn).is_none() => {
                IntrinsicOp::load_input.stages().contains(stage.into())
            }
            _ => true,
        };
        if !legal {
            bail!(INTERFACE, "{} is an {class:?} variable, which {stage} shaders do not have", self.show(id));
        }
        if is_io && split {
            return self.new_block(id, ty, inner);
        }
        let mode = self.mode_of(class, ty)?;
        if mode == Modes::SHARED && !IntrinsicOp::load_shared.stages().contains(stage.into()) {
            bail!(INTERFACE, "{} is in workgroup memory, which {stage} shaders do not have", self.show(id));
        }
        let is_block = self.types[inner as usize].block || class == StorageClass::AtomicCounter;
        if mode.intersects(Modes::UBO | Modes::SSBO | Modes::PUSH_CONST) && !is_block {
            bail!(INTERFACE, "{} is a buffer whose type is not a block", self.show(id));
        }
        let mut deco = VarDeco::default();
        self.decorations(id).filter(|d| d.member.is_none()).for_each(|d| deco.apply(&d));
        deco.precision = self.precision(id);
        if is_io {
            let name = self.name(id);
            let ir = self.ir_type(ty)?;
            let state = self.new_io(class, ty, ir, &deco, name, deco.location)?;
            if let (GlobalState::Var(var), true) = (&state, initializer != 0) {
                let value = self.initializer_of(initializer, ty)?;
                self.shader.vars[*var].initializer = Some(value);
            }
            return Ok(state);
        }
        let ir = self.ir_type(ty)?;
        let mut var = Variable { name: self.name(id), ..Variable::new("", ir, mode) };
        // Only inputs and outputs have locations and their subdivisions.
        deco = VarDeco { component: 0, index: 0, stream: 0, ..deco };
        deco.apply_to(&mut var);
        if mode == Modes::UBO || mode == Modes::PUSH_CONST {
            var.access |= Access::NON_WRITEABLE;
        }
        // In Vulkan the initial value of a resource is the null constant at most.
        let has_value = class != StorageClass::UniformConstant || self.is_opengl();
        if initializer != 0 && has_value {
            var.initializer = Some(self.initializer_of(initializer, ty)?);
        }
        let var = self.shader.add_var(var);
        match class {
            StorageClass::UniformConstant => {
                self.interface.uniform_locations.extend(deco.location.map(|l| (var, l)));
            }
            StorageClass::AtomicCounter => self.interface.counters.push(var),
            _ => {}
        }
        Ok(GlobalState::Var(var))
    }

    /// Makes an input or output.
    fn new_io(
        &mut self,
        class: StorageClass,
        ty: TyIx,
        ir: TypeId,
        deco: &VarDeco,
        name: Name,
        location: Option<u32>,
    ) -> Res<GlobalState> {
        let input = class == StorageClass::Input;
        if !deco.in_range() {
            bail!(INTERFACE, "the component, index or stream of {name:?} does not exist");
        }
        let mode = if input { Modes::IN } else { Modes::OUT };
        let mut var = Variable { name, ..Variable::new("", ir, mode) };
        deco.apply_to(&mut var);
        if let Some(builtin) = deco.builtin {
            var.component = 0;
            let home = BuiltIn::from_u32(builtin).and_then(|b| home_of(b, self.shader.stage, input));
            let show = || BuiltIn::from_u32(builtin).map_or(builtin.to_string(), |b| format!("{b:?}"));
            match home {
                Some(Home::Slot(slot)) => {
                    var.location = Some(slot);
                    // One slot holds all levels.
                    var.compact = matches!(slot, Slot::TESS_LEVEL_INNER | Slot::TESS_LEVEL_OUTER);
                    var.patch |= var.compact;
                    if self.shader.stage == Stage::Mesh && !input && slot == Slot::PRIMITIVE_INDICES {
                        var.per_primitive = true;
                    }
                    let inner = match self.shader.types[ir] {
                        Type::Array { elem, .. } if var.is_per_vertex(self.shader.stage) => elem,
                        _ => ir,
                    };
                    if !slot_matches(slot, &self.shader.types, inner) {
                        bail!(
                            INTERFACE,
                            "the built-in {} as {} is not supported",
                            show(),
                            self.show_type(ty)
                        );
                    }
                    // The longest built-in arrays are the clip and cull distances.
                    if self.io_slots(&var) > 8 {
                        bail!(INTERFACE, "the built-in {} as {} is too long", show(), self.show_type(ty));
                    }
                    if !input {
                        self.capture(deco.xfb, slot, 0, ir)?;
                        let var = self.shader.add_var(var);
                        self.record_feedback(var, deco.xfb, None);
                        return Ok(GlobalState::Var(var));
                    }
                }
                Some(Home::System(sv)) => {
                    var.mode = Modes::SYSTEM_VALUE;
                    var.system_value = Some(sv);
                    // The sample mask is an array of one element in SPIR-V and a number in the IR.
                    let (value, single) = match self.kind(ty) {
                        Kind::Array { elem, len: 1, .. } => (elem, true),
                        _ => (ty, false),
                    };
                    if self.types[value as usize].shape != sv.ty() {
                        bail!(
                            UNSUPPORTED,
                            "the built-in {} as {} is not supported",
                            show(),
                            self.show_type(ty)
                        );
                    }
                    var.ty = self.ir_type(value)?;
                    let var = self.shader.add_var(var);
                    return Ok(if single { GlobalState::Single(var) } else { GlobalState::Var(var) });
                }
                None => bail!(
                    UNSUPPORTED,
                    "the built-in {} is not supported as {} of this stage",
                    show(),
                    if input { "input" } else { "output" }
                ),
            }
            return Ok(GlobalState::Var(self.shader.add_var(var)));
        }
        let Some(location) = location else {
            bail!(INTERFACE, "{:?} is an input or output without location", var.name);
        };
        if !self.shader.types.fits_component(ir, deco.component) {
            let ty = self.show_type(ty);
            bail!(
                INTERFACE,
                "{:?} is {ty} from component {} on, beyond its location",
                var.name,
                deco.component
            );
        }
        let slot = if deco.patch { Slot::patch(location) } else { Slot::generic(location) };
        let slots = self.io_slots(&var);
        let last = location.checked_add(slots - 1);
        let limit = if deco.patch { Slot::NUM_PATCH } else { Slot::NUM_GENERIC };
        if slot.is_none() || last.is_none_or(|l| l >= u32::from(limit)) {
            bail!(
                INTERFACE,
                "{:?} takes {slots} locations from {location} on, beyond the last one",
                var.name
            );
        }
        var.location = slot;
        if let (Some(slot), false) = (slot, input) {
            self.capture(deco.xfb, slot, u32::from(deco.component), ir)?;
        }
        let var = self.shader.add_var(var);
        self.record_feedback(var, deco.xfb, None);
        Ok(GlobalState::Var(var))
    }

    fn record_feedback(&mut self, var: VarId, deco: XfbDeco, part: Option<BlockPart>) {
        if let (Some(buffer), Some(offset)) = (deco.buffer, deco.offset) {
            let stride = deco.stride;
            self.interface.feedback.push((var, Feedback { buffer, stride, offset, part }));
        }
    }

    /// Slots that an input or output takes, at least one; an array of vertices around it does not count.
    fn io_slots(&self, var: &Variable) -> u32 {
        let types = &self.shader.types;
        let ty = match types[var.ty] {
            Type::Array { elem, .. } if var.is_per_vertex(self.shader.stage) => elem,
            _ => var.ty,
        };
        types.num_slots(ty).max(1)
    }

    /// Whether inputs or outputs have an array of the vertices around them.
    fn is_per_vertex(&self, input: bool, deco: &VarDeco) -> bool {
        if deco.patch {
            return false;
        }
        match self.shader.stage {
            Stage::TessControl => true,
            Stage::TessEval | Stage::Geometry => input,
            Stage::Mesh => !input,
            Stage::Fragment => deco.interpolation == Interpolation::PerVertex,
            _ => false,
        }
    }

    fn new_block(&mut self, id: u32, ty: TyIx, inner: TyIx) -> Res<GlobalState> {
        let mut arrays = SmallVec::new();
        let mut t = ty;
        while let Kind::Array { elem, len, .. } = self.kind(t) {
            arrays.push(len);
            t = elem;
        }
        if t != inner {
            return fail(TYPE, "an interface block in an array that is not its own");
        }
        let mut base = VarDeco::default();
        self.decorations(id).filter(|d| d.member.is_none()).for_each(|d| base.apply(&d));
        let n = self.members_of(inner).len();
        let block_location = base.location.take();
        let mut decorations = vec![base.clone(); n];
        for d in self.decorations(self.types[inner as usize].id) {
            if let Some(m) = d.member.and_then(|m| decorations.get_mut(m as usize)) {
                m.apply(&d);
            }
        }
        // Members without location follow the one before them.
        let mut next = block_location;
        for (i, deco) in decorations.iter_mut().enumerate() {
            if deco.builtin.is_some() {
                continue;
            }
            deco.location = deco.location.or(next);
            let member = self.members_of(inner)[i].ty;
            let ir = self.ir_type(member)?;
            let slots = self.shader.types.num_slots(ir);
            next = deco.location.and_then(|l| l.checked_add(slots));
        }
        let input = self.globals.iter().any(|g| g.id == id && g.class == StorageClass::Input);
        let elements = arrays.iter().fold(1, |n: u32, &len| n.saturating_mul(len));
        let located =
            decorations.first().is_some_and(|d| d.location.is_some() && !self.is_per_vertex(input, d));
        if elements > 1 && located {
            return self.new_block_array(id, (ty, inner), elements, input, &decorations);
        }
        if arrays.len() > 1 {
            return fail(UNSUPPORTED, "arrays of arrays of interface blocks per vertex are not supported");
        }
        Ok(GlobalState::Block(Box::new(IoBlock { ty: inner, arrays, members: vec![None; n], decorations })))
    }

    /// An array of blocks (or an array of arrays) other than an array of vertices is one variable: its elements take their locations one after the other
    /// (Vulkan 1.3 section 15.1.4).
    fn new_block_array(
        &mut self,
        id: u32,
        (ty, inner): (TyIx, TyIx),
        elements: u32,
        input: bool,
        decorations: &[VarDeco],
    ) -> Res<GlobalState> {
        let Some((first, rest)) = decorations.split_first() else {
            return fail(TYPE, "a block without members");
        };
        // Only fragments ask how their inputs are interpolated.
        let asks = input && self.shader.stage == Stage::Fragment;
        let way = |d: &VarDeco| (d.interpolation, d.sampling);
        let mut next = first.location;
        for (d, m) in decorations.iter().zip(self.members_of(inner).to_vec()) {
            if d.location != next || d.builtin.is_some() || d.component != 0 {
                bail!(
                    UNSUPPORTED,
                    "the members of {}, an array of blocks, do not follow each other",
                    self.show(id)
                );
            }
            let ir = self.ir_type(m.ty)?;
            next = next.and_then(|l| l.checked_add(self.shader.types.num_slots(ir)));
        }
        if asks && rest.iter().any(|d| way(d) != way(first)) {
            bail!(
                UNSUPPORTED,
                "the members of {}, an array of blocks, are interpolated in different ways",
                self.show(id)
            );
        }
        // Members may need more precision than the first one.
        let relaxed = decorations.iter().all(|d| d.precision == first.precision);
        let precision = if relaxed { first.precision } else { Precision::None };
        let invariant = decorations.iter().any(|d| d.invariant);
        let deco = VarDeco { invariant, precision, xfb: XfbDeco::default(), ..first.clone() };
        let ir = self.ir_type(ty)?;
        let name = self.block_name(id, inner);
        let class = if input { StorageClass::Input } else { StorageClass::Output };
        let made = self.new_io(class, ty, ir, &deco, name, deco.location)?;
        // Consecutive buffers capture the elements, and members have offsets of their own.
        let start = first.location.unwrap_or(0);
        let size = next.map_or(0, |end| end - start);
        if !input && decorations.iter().any(|d| d.xfb.offset.is_some() && d.xfb.buffer.is_some()) {
            let GlobalState::Var(var) = made else { return Ok(made) };
            for element in 0..elements {
                for ((d, m), member) in decorations.iter().zip(self.members_of(inner).to_vec()).zip(0..) {
                    let location = d.location.unwrap_or(0).saturating_add(element.saturating_mul(size));
                    let Some(slot) = Slot::generic(location) else { continue };
                    let buffer = d.xfb.buffer.map(|b| b.saturating_add(element));
                    let ir = self.ir_type(m.ty)?;
                    let xfb = XfbDeco { buffer, ..d.xfb };
                    self.capture(xfb, slot, 0, ir)?;
                    self.record_feedback(var, xfb, Some(BlockPart { element, member }));
                }
            }
        }
        Ok(made)
    }

    /// The name of a block of inputs or outputs: OpenGL names members by the block, unless it is anonymous (OpenGL 4.6 section 7.3.1).
    fn block_name(&self, id: u32, ty: TyIx) -> Name {
        let name = self.name(id);
        if name.is_empty() == self.is_opengl() { name } else { self.name(self.types[ty as usize].id) }
    }

    /// Variable of a member of a split block.
    pub fn member_var(&mut self, g: u32, m: u32) -> Res<VarId> {
        let Global { id, class, at, .. } = self.globals[g as usize];
        let GlobalState::Block(block) = &self.globals[g as usize].state else {
            return fail(TYPE, "no block to take a member of");
        };
        let Some(&made) = block.members.get(m as usize) else {
            bail!(TYPE, "{} has no member {m}", self.show(id));
        };
        if let Some(var) = made {
            return Ok(var);
        }
        let (ty, len) = (block.ty, block.arrays.first().copied());
        let deco = block.decorations[m as usize].clone();
        let member = self.members_of(ty)[m as usize];
        let struct_id = self.types[ty as usize].id;
        let member_name = self.member_names(struct_id).find(|&(i, _)| i == m).unwrap_or_default().1;
        let name = self.block_name(id, ty);
        let name = match (name.is_empty() || deco.builtin.is_some(), member_name.is_empty()) {
            (true, _) => member_name,
            (false, true) => format_name!("{name}.{m}"),
            (false, false) => format_name!("{name}.{member_name}"),
        };
        let mut ir = self.ir_type(member.ty)?;
        if let Some(len) = len {
            ir = self.shader.types.array(ir, len);
        }
        let inst = Inst::at(self.words, at)?;
        let state = self
            .new_io(class, member.ty, ir, &deco, name, deco.location)
            .map_err(|e| self.locate(e, inst))?;
        let GlobalState::Var(var) = state else {
            return fail(UNSUPPORTED, "this built-in is not supported as member of a block");
        };
        if let GlobalState::Block(block) = &mut self.globals[g as usize].state {
            block.members[m as usize] = Some(var);
        }
        Ok(var)
    }
}
