//! Variables: bytes, each with whether it is defined and which invocation wrote it last.
//!
//! Variables that are private to an invocation have a copy for each lane. Blocks, images, textures and samplers of an
//! array are objects of their own. Inputs, outputs and system values are memory here too; `machine/interface.rs` names
//! their parts.

pub(crate) mod atomic;
pub(crate) mod layout;
pub(crate) mod race;
mod value;

pub(crate) use value::{GLOBAL, Pointer, Value};

use crate::fault::Fault;
use crate::hash::{mix, mix_text};
use crate::resources::Buffer;
use crate::world::seeded::env::Env;
use airfoil_ir::{Constant, Form, Modes, Shader, Stage, Ty, TypeId, VarId, Variable, bit_mask};
use layout::Layouts;
use race::Accessor;
use rustc_hash::FxHashMap;
use slotmap::SecondaryMap;

/// Most bytes that all variables may take.
const MAX_BYTES: u64 = 256 << 20;

/// A name that does not depend on the form of the shader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    pub(crate) name: airfoil_ir::Name,
    pub(crate) element: u32,
    /// Tells variables apart that have all else in common.
    pub(crate) copy: u32,
}

/// Storage of a variable or of an element of it.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) name: Name,
    pub(crate) hash: u64,
    pub(crate) mode: Modes,
    pub(crate) size: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) undef: Vec<bool>,
    pub(crate) private: bool,
    races: Vec<u32>,
    /// Buffer, and first byte of it, that the object shows instead of bytes of its own.
    pub(crate) bound: Option<(u32, u64)>,
    /// A buffer that the caller binds nothing to.
    pub(crate) unbound: bool,
    pub(crate) initial: Option<Vec<u8>>,
}

/// All variables.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) objects: Vec<Object>,
    pub(crate) vars: SecondaryMap<VarId, u32>,
    /// Objects that the forms `slots` and `target` reach by offset only.
    pub(crate) push: Option<u32>,
    pub(crate) uniform: Option<u32>,
    pub(crate) shared: Option<u32>,
    pub(crate) global: FxHashMap<u64, (u8, bool, u32)>,
    pub(crate) epoch: u32,
    /// Index of the first lane, where several groups have memory.
    pub(crate) base: usize,
    /// Buffers of the caller.
    pub(crate) buffers: Vec<Buffer>,
    /// Written values count as defined, whatever they depend on.
    pub(crate) forgets: bool,
    /// Buffers that nothing is bound to are empty; otherwise an access to one is a fault.
    pub(crate) empty_unbound: bool,
    /// Bytes of undefined memory.
    pub(crate) pattern: [u8; 8],
    /// The first access of a seeded execution out of the bounds of a buffer.
    pub(crate) outside: Option<Outside>,
    /// Whether a caller gives the buffers: bytes after their end are zero, and races are not tracked.
    pub(crate) given: bool,
    pub(crate) lanes: usize,
    seed: u64,
    total: u64,
}

/// An access out of the bounds of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    /// The location is undefined, or an index was out of the range of its array.
    pub(crate) wild: bool,
    pub(crate) message: String,
}

/// Fills memory with a pattern, again and again.
fn fill(bytes: &mut [u8], pattern: [u8; 8]) {
    if pattern == [pattern[0]; 8] {
        return bytes.fill(pattern[0]);
    }
    for word in bytes.chunks_mut(8) {
        word.copy_from_slice(&pattern[..word.len()]);
    }
}

impl Memory {
    /// Memory for `lanes` invocations. Buffers and uniforms are derived from the seed of `env`; without it the caller
    /// gives them.
    pub(crate) fn new(
        shader: &Shader,
        layouts: &mut Layouts<'_>,
        env: Option<&Env>,
        lanes: usize,
    ) -> Result<Memory, Fault> {
        let given = env.is_none();
        let mut m = Memory {
            objects: Vec::new(),
            vars: SecondaryMap::new(),
            push: None,
            uniform: None,
            shared: None,
            global: FxHashMap::default(),
            epoch: 1,
            base: 0,
            buffers: Vec::new(),
            forgets: false,
            empty_unbound: false,
            pattern: [0; 8],
            given,
            lanes,
            seed: env.map_or(0, |e| e.seed),
            total: 0,
            outside: None,
        };
        let slots = shader.form != Form::Variables;
        let mut names: FxHashMap<Name, u32> = FxHashMap::default();
        // Blocks in workgroup memory are one object.
        let mut workgroup_blocks = None;
        for (id, v) in &shader.vars {
            if v.mode == Modes::PUSH_CONST && m.push.is_some() {
                m.vars.insert(id, m.push.unwrap_or(0));
                continue;
            }
            let workgroup_block = v.is_workgroup_block(layouts.types);
            if let Some(blocks) = workgroup_blocks.filter(|_| workgroup_block) {
                m.vars.insert(id, blocks);
                continue;
            }
            let opaque = layouts.types.is_opaque(v.ty);
            let blocks = v.mode.intersects(Modes::UBO | Modes::SSBO);
            let count = if opaque || blocks { layouts.objects(v.ty) } else { 1 };
            if count > 1 << 12 {
                return Err(Fault::unsupported(format!("`{}` is an array of too many resources", v.name)));
            }
            let ty = if blocks && count > 1 { layouts.types.without_arrays(v.ty) } else { v.ty };
            let ty = if blocks { layouts.types.without_arrays(ty) } else { ty };
            let size = match opaque || (blocks && given) {
                true => 0,
                // The object of all blocks.
                false if workgroup_block => workgroup_size(shader, layouts),
                false => layouts.of(ty).0,
            };
            let shared_out = v.mode == Modes::OUT && matches!(shader.stage, Stage::TessControl | Stage::Mesh);
            m.vars.insert(id, m.objects.len() as u32);
            for element in 0..count {
                let mut name = Name {
                    set: v.set.unwrap_or(u32::MAX),
                    binding: v.binding.unwrap_or(u32::MAX),
                    name: v.name.clone(),
                    element,
                    copy: 0,
                };
                let copies = names.entry(name.clone()).or_insert(0);
                name.copy = *copies;
                *copies += 1;
                m.add(name, v.mode, size, shared_out)?;
            }
            if v.mode == Modes::PUSH_CONST {
                m.push = Some(m.objects.len() as u32 - 1);
            }
            if workgroup_block {
                workgroup_blocks = Some(m.objects.len() as u32 - 1);
            }
        }
        if let Some(push) = m.push {
            let consts = || shader.vars.values().filter(|v| v.mode == Modes::PUSH_CONST);
            let size = consts().map(|v| layouts.of(v.ty).0).max().unwrap_or(0);
            let size = if given { 0 } else { size };
            m.resize(push, size)?;
            if let Some(env) = env {
                for v in consts() {
                    m.fill(push, 0, 0, v.ty, mix(9, 9), layouts, env)?;
                }
            }
        }
        if let Some(env) = env {
            m.contents(shader, layouts, env)?;
        }
        if slots {
            m.slot_objects(shader, layouts, env)?;
        }
        Ok(m)
    }

    fn add(&mut self, name: Name, mode: Modes, size: u64, shared_out: bool) -> Result<u32, Fault> {
        let hash = mix_text(
            mix(mix(u64::from(name.set), u64::from(name.binding)), u64::from(name.element) + 7),
            if name.set == u32::MAX && name.binding == u32::MAX { &name.name } else { "" },
        );
        let all =
            Modes::UBO | Modes::SSBO | Modes::SHARED | Modes::PUSH_CONST | Modes::UNIFORM | Modes::IMAGE;
        let all = all | Modes::TASK_PAYLOAD | Modes::SPEC_CONST;
        let private = !mode.intersects(all) && !shared_out;
        let races = (mode.intersects(Modes::SSBO | Modes::SHARED | Modes::TASK_PAYLOAD) || shared_out)
            && self.lanes > 1
            && !self.given;
        self.objects.push(Object {
            name,
            hash,
            mode,
            size: 0,
            bytes: Vec::new(),
            undef: Vec::new(),
            private,
            races: Vec::new(),
            bound: None,
            unbound: false,
            initial: None,
        });
        let id = self.objects.len() as u32 - 1;
        self.resize(id, size)?;
        if races {
            let o = &mut self.objects[id as usize];
            o.races = vec![0; o.bytes.len()];
        }
        Ok(id)
    }

    fn resize(&mut self, id: u32, size: u64) -> Result<(), Fault> {
        let o = &mut self.objects[id as usize];
        let bytes = size.saturating_mul(if o.private { self.lanes as u64 } else { 1 });
        self.total = self.total.saturating_add(bytes);
        if self.total > MAX_BYTES {
            return Err(Fault::unsupported("the variables take too much memory"));
        }
        o.size = size;
        o.bytes = vec![0; bytes as usize];
        let undefined = o.private || o.mode.intersects(Modes::SHARED | Modes::OUT | Modes::TASK_PAYLOAD);
        o.undef = vec![undefined; bytes as usize];
        Ok(())
    }

    /// The initial contents of buffers and uniforms.
    fn contents(&mut self, shader: &Shader, layouts: &mut Layouts<'_>, env: &Env) -> Result<(), Fault> {
        for (id, v) in &shader.vars {
            if layouts.types.is_opaque(v.ty) {
                continue;
            }
            let first = self.vars[id];
            match v.mode {
                Modes::UBO | Modes::SSBO => {
                    let ty = layouts.types.without_arrays(v.ty);
                    for n in 0..layouts.objects(v.ty) {
                        let hash = self.objects[(first + n) as usize].hash;
                        self.fill(first + n, 0, 0, ty, hash, layouts, env)?;
                    }
                }
                Modes::UNIFORM => self.fill(first, 0, 0, v.ty, mix_text(3, &v.name), layouts, env)?,
                Modes::SHADER_TEMP | Modes::OUT | Modes::SHARED | Modes::TASK_PAYLOAD | Modes::SPEC_CONST
                    if v.initializer.is_some() =>
                {
                    let private = self.objects[first as usize].private;
                    let lanes = if private { self.lanes } else { 1 };
                    for lane in 0..lanes {
                        self.initialise(first, lane, v, layouts)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn slot_objects(
        &mut self,
        shader: &Shader,
        layouts: &mut Layouts<'_>,
        env: Option<&Env>,
    ) -> Result<(), Fault> {
        let name =
            |name: &str| Name { set: u32::MAX, binding: u32::MAX, name: name.into(), element: 0, copy: 0 };
        let shared = u64::from(shader.info.shared_size);
        self.shared = Some(self.add(name("shared"), Modes::SHARED, shared, false)?);
        let uniforms: Vec<&Variable> = shader
            .vars
            .values()
            .filter(|v| v.mode == Modes::UNIFORM && !layouts.types.is_opaque(v.ty))
            .collect();
        let size = uniforms.iter().map(|v| u64::from(v.offset) + layouts.of(v.ty).0).max().unwrap_or(0);
        let uniform = self.add(name("uniform"), Modes::UNIFORM, size, false)?;
        if let Some(env) = env {
            for v in uniforms {
                self.fill(uniform, u64::from(v.offset), 0, v.ty, mix_text(3, &v.name), layouts, env)?;
            }
        }
        self.uniform = Some(uniform);
        Ok(())
    }

    /// Fills a part of an object by its type.
    #[allow(clippy::too_many_arguments)]
    fn fill(
        &mut self,
        object: u32,
        at: u64,
        lane: usize,
        ty: TypeId,
        hash: u64,
        layouts: &mut Layouts<'_>,
        env: &Env,
    ) -> Result<(), Fault> {
        for leaf in layouts.leaves(ty)?.iter() {
            for c in 0..u64::from(leaf.comps) {
                let offset = leaf.offset + c * u64::from(leaf.stride);
                let value = env.number(mix(hash, offset), leaf.scalar);
                self.set(object, lane, at + offset, u32::from(leaf.scalar.bits()), value, false);
            }
        }
        Ok(())
    }

    /// Gives a variable its initial value, or leaves it undefined.
    pub(crate) fn initialise(
        &mut self,
        object: u32,
        lane: usize,
        v: &Variable,
        layouts: &mut Layouts<'_>,
    ) -> Result<(), Fault> {
        let o = &mut self.objects[object as usize];
        let lane_at = if o.private { (self.base + lane) * o.size as usize } else { 0 };
        // A block in workgroup memory can be smaller than the object.
        let bytes = o.size.min(layouts.of(v.ty).0) as usize;
        let range = lane_at..lane_at + bytes;
        fill(&mut o.bytes[range.clone()], if v.initializer.is_some() { [0; 8] } else { self.pattern });
        o.undef[range].fill(v.initializer.as_ref() != Some(&Constant::Zero));
        let Some(init) = &v.initializer else { return Ok(()) };
        let leaves = layouts.leaves(v.ty)?;
        let mut values = Vec::new();
        flatten(layouts, v.ty, init, &mut values)?;
        for (leaf, value) in leaves.iter().zip(&values) {
            for c in 0..leaf.comps {
                let at = leaf.offset + u64::from(c) * u64::from(leaf.stride);
                self.set(object, lane, at, u32::from(leaf.scalar.bits()), value[usize::from(c)], false);
            }
        }
        Ok(())
    }

    fn range(&self, object: u32, lane: usize, at: u64, bytes: usize) -> Option<std::ops::Range<usize>> {
        let o = self.objects.get(object as usize)?;
        let end = at.checked_add(bytes as u64).filter(|&e| e <= o.size)?;
        let before = match o.bound {
            Some((_, first)) => first,
            None if o.private => (self.base + lane) as u64 * o.size,
            None => 0,
        };
        Some((before + at) as usize..(before + end) as usize)
    }

    /// Where a lane's word begins in an object that is private to the invocation: the fast path of most accesses.
    fn private_word(&self, object: u32, lane: usize, at: u64, bits: u32) -> Option<usize> {
        let o = self.objects.get(object as usize)?;
        let plain = bits == 32 && o.private && o.bound.is_none() && o.races.is_empty();
        let inside = plain && at.checked_add(4)? <= o.size;
        inside.then(|| (self.base + lane) * o.size as usize + at as usize)
    }

    /// Whether bytes are within an object.
    pub(crate) fn is_inside(&self, object: u32, at: u64, bytes: u32) -> bool {
        if object == GLOBAL {
            return self.at_address(at, bytes as usize).is_some();
        }
        self.range(object, 0, at, bytes as usize).is_some()
    }

    /// Buffer and offset of an address.
    fn at_address(&self, at: u64, bytes: usize) -> Option<(usize, usize)> {
        self.buffers.iter().enumerate().find_map(|(i, b)| {
            let offset = at.checked_sub(b.address?)?;
            let end = offset.checked_add(bytes as u64)?;
            (end <= b.bytes.len() as u64).then_some((i, offset as usize))
        })
    }

    /// The message for an access out of bounds.
    pub(crate) fn out_of_bounds(&self, p: &Pointer, at: u64) -> String {
        let Some(o) = self.objects.get(p.target() as usize) else {
            return format!("no buffer at address {at:#x}");
        };
        if p.wild {
            return format!("an index into `{}` is out of range or undefined", o.name.name);
        }
        format!(
            "byte {at} of `{}`[{}] is out of bounds, it has {} bytes",
            o.name.name, o.name.element, o.size
        )
    }

    /// Makes private and workgroup memory undefined again, or sets it to the initial values of its variables.
    pub(crate) fn restart(&mut self, shader: &Shader, layouts: &mut Layouts<'_>) -> Result<(), Fault> {
        let temporary =
            Modes::SHADER_TEMP | Modes::OUT | Modes::SHARED | Modes::TASK_PAYLOAD | Modes::SPEC_CONST;
        for o in self.objects.iter_mut().filter(|o| o.mode.intersects(temporary)) {
            o.undef.fill(true);
            fill(&mut o.bytes, self.pattern);
        }
        for (id, v) in &shader.vars {
            if v.initializer.is_some() && v.mode.intersects(temporary) {
                let object = self.vars[id];
                let lanes = if self.objects[object as usize].private { self.lanes } else { 1 };
                for lane in 0..lanes {
                    self.initialise(object, lane, v, layouts)?;
                }
            }
        }
        Ok(())
    }

    /// A component of `bits` bits, whatever races there are; undefined beyond the end of private memory.
    pub(crate) fn get(&self, object: u32, lane: usize, at: u64, bits: u32) -> (u64, bool) {
        let bytes = bytes_of(bits);
        if object == GLOBAL {
            return self.get_global(at, bits);
        }
        let Some(range) = self.range(object, lane, at, bytes) else {
            let buffer = Modes::UBO | Modes::SSBO;
            return (
                0,
                !self.given && !self.objects.get(object as usize).is_some_and(|o| o.mode.intersects(buffer)),
            );
        };
        let o = &self.objects[object as usize];
        let mut raw = [0; 8];
        if let Some((buffer, _)) = o.bound {
            let bytes_there = self.buffers.get(buffer as usize).and_then(|b| b.bytes.get(range));
            raw[..bytes].copy_from_slice(bytes_there.unwrap_or(&[0; 8][..bytes]));
            return (from_memory(u64::from_le_bytes(raw), bits), false);
        }
        raw[..bytes].copy_from_slice(&o.bytes[range.clone()]);
        let value = u64::from_le_bytes(raw);
        (from_memory(value, bits), o.undef[range].contains(&true))
    }

    /// Sets a component, without asking for races. Beyond the end nothing is written.
    pub(crate) fn set(&mut self, object: u32, lane: usize, at: u64, bits: u32, value: u64, undef: bool) {
        let bytes = bytes_of(bits);
        if object == GLOBAL && self.given {
            if let Some((buffer, offset)) = self.at_address(at, bytes) {
                self.buffers[buffer].bytes[offset..offset + bytes]
                    .copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
            return;
        }
        if object == GLOBAL {
            for (i, byte) in value.to_le_bytes().into_iter().take(bytes).enumerate() {
                self.global.insert(at.wrapping_add(i as u64), (byte, undef, 0));
            }
            return;
        }
        let Some(range) = self.range(object, lane, at, bytes) else { return };
        let o = &mut self.objects[object as usize];
        if let Some((buffer, _)) = o.bound {
            if let Some(there) = self.buffers.get_mut(buffer as usize).and_then(|b| b.bytes.get_mut(range)) {
                there.copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
            return;
        }
        o.bytes[range.clone()].copy_from_slice(&value.to_le_bytes()[..bytes]);
        o.undef[range].fill(undef);
    }

    fn get_global(&self, at: u64, bits: u32) -> (u64, bool) {
        let (mut value, mut undef) = (0, false);
        if self.given {
            let bytes = bytes_of(bits);
            let Some((buffer, offset)) = self.at_address(at, bytes) else { return (0, false) };
            let there = &self.buffers[buffer].bytes[offset..offset + bytes];
            value = there.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
            return (from_memory(value, bits), false);
        }
        for i in (0..bytes_of(bits) as u64).rev() {
            let at = at.wrapping_add(i);
            let fresh = || (mix(self.seed, mix(at, 99)) as u8 & 7, false, 0);
            let (byte, u, _) = self.global.get(&at).copied().unwrap_or_else(fresh);
            value = value << 8 | u64::from(byte);
            undef |= u;
        }
        (from_memory(value, bits), undef)
    }

    fn accessor(&self, lane: usize, atomic: bool) -> Accessor {
        Accessor { lane: lane as u32, atomic, epoch: self.epoch }
    }

    /// Reads a component as an invocation does.
    pub(crate) fn read(&self, object: u32, lane: usize, at: u64, bits: u32) -> (u64, bool) {
        if let Some(start) = self.private_word(object, lane, at, bits) {
            let o = &self.objects[object as usize];
            let (bytes, undef) = (&o.bytes[start..start + 4], &o.undef[start..start + 4]);
            return (bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b)), undef != [false; 4]);
        }
        let (value, mut undef) = self.get(object, lane, at, bits);
        if let Some(o) = self.objects.get(object as usize)
            && !o.races.is_empty()
            && let Some(range) = self.range(object, lane, at, bytes_of(bits))
        {
            let own = self.accessor(lane, false);
            undef |= o.races[range].iter().any(|&tag| own.read(tag));
        }
        (value, undef)
    }

    /// Writes a component as an invocation does; returns whether it conflicts with accesses of others.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn write(
        &mut self,
        object: u32,
        lane: usize,
        at: u64,
        bits: u32,
        value: u64,
        undef: bool,
        (atomic, commutes): (bool, bool),
    ) -> bool {
        if let Some(start) = self.private_word(object, lane, at, bits) {
            let o = &mut self.objects[object as usize];
            o.bytes[start..start + 4].copy_from_slice(&(value as u32).to_le_bytes());
            o.undef[start..start + 4].copy_from_slice(&[undef && !self.forgets; 4]);
            return false;
        }
        let own = self.accessor(lane, atomic);
        let (mut met, mut open) = (false, false);
        let range = self.range(object, lane, at, bytes_of(bits));
        if let (Some(o), Some(range)) = (self.objects.get_mut(object as usize), range) {
            if o.mode == Modes::SSBO && o.initial.is_none() && o.bound.is_none() {
                o.initial = Some(o.bytes.clone());
            }
            if !o.races.is_empty() {
                for tag in &mut o.races[range] {
                    let (m, n) = own.write(tag, commutes);
                    met |= m;
                    open |= n;
                }
            }
        }
        self.set(object, lane, at, bits, value, (undef || open) && !self.forgets);
        met
    }

    /// Whether a lane's writes to an object have an effect: helpers only write memory that is private to the
    /// invocation.
    pub(crate) fn has_effects(&self, object: u32, helper: bool) -> bool {
        let local = Modes::FUNCTION_TEMP | Modes::SHADER_TEMP | Modes::OUT;
        !helper || self.objects.get(object as usize).is_some_and(|o| o.mode.intersects(local))
    }

    /// Whether the `bytes` bytes at offset `at` of a pointer's object exist. Otherwise it is a fault, unless access is
    /// `robust` and a buffer is bound. Seeded memory has no bounds: it tracks undefined values itself.
    pub(crate) fn reaches(&mut self, p: &Pointer, at: u64, bytes: u32, robust: bool) -> Result<bool, Fault> {
        if !self.given {
            self.record_outside(p, at, bytes);
            return Ok(true);
        }
        let inside = !p.wild && self.is_inside(p.target(), at, bytes);
        if inside {
            return Ok(true);
        }
        let object = self.objects.get(p.target() as usize);
        if let Some(o) = object.filter(|o| o.unbound && !self.empty_unbound) {
            return Err(Fault::undefined(format!(
                "no buffer is bound to `{}`[{}]",
                o.name.name, o.name.element
            )));
        }
        if robust {
            return Ok(false);
        }
        Err(Fault::undefined(self.out_of_bounds(p, at)))
    }

    fn record_outside(&mut self, p: &Pointer, at: u64, bytes: u32) {
        const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO).union(Modes::PUSH_CONST).union(Modes::SHARED);
        let is_buffer = |o: &Object| o.mode.intersects(BUFFERS);
        if self.outside.is_some() || !self.objects.get(p.target() as usize).is_some_and(is_buffer) {
            return;
        }
        if p.wild || !self.is_inside(p.target(), at, bytes) {
            self.outside = Some(Outside { wild: p.wild, message: self.out_of_bounds(p, at) });
        }
    }

    /// A write to an unknown location is a fault of a seeded execution: the program does not have a defined meaning from
    /// there on (GLSL 4.60 section 5.11), so lowering may branch on the index or write elsewhere.
    pub(crate) fn known_location(&self, unknown: bool, object: &str) -> Result<(), Fault> {
        match unknown && !self.given {
            true => Err(Fault::undefined(format!(
                "a write to {object} has an index that is undefined or out of range"
            ))),
            false => Ok(()),
        }
    }
}

/// Bytes of the longest block in workgroup memory.
fn workgroup_size(shader: &Shader, layouts: &mut Layouts<'_>) -> u64 {
    let types = layouts.types;
    let blocks = shader.vars.values().filter(|v| v.is_workgroup_block(types));
    blocks.map(|v| layouts.of(v.ty).0).max().unwrap_or(0)
}

/// Bytes that a component takes in memory.
fn bytes_of(bits: u32) -> usize {
    Ty::new(1, bits as u8).bytes() as usize
}

/// Booleans are words in memory.
fn from_memory(value: u64, bits: u32) -> u64 {
    if bits == 1 { u64::from(value != 0) } else { value & bit_mask(bits) }
}

/// The scalars and vectors of an initial value, in order.
fn flatten(
    layouts: &mut Layouts<'_>,
    ty: TypeId,
    init: &Constant,
    out: &mut Vec<[u64; 4]>,
) -> Result<(), Fault> {
    use airfoil_ir::Type;
    let types = layouts.types;
    match init {
        Constant::Value(lanes) => out.push(*lanes),
        Constant::Zero => {
            let n = layouts.leaves(ty)?.len();
            out.extend(std::iter::repeat_n([0; 4], n));
        }
        Constant::Composite(parts) => match &types[ty] {
            Type::Array { elem, .. } => {
                for p in parts {
                    flatten(layouts, *elem, p, out)?;
                }
            }
            Type::Struct(s) => {
                for (m, p) in s.members.iter().zip(parts) {
                    flatten(layouts, m.ty, p, out)?;
                }
            }
            _ => out.extend(parts.iter().map(|p| if let Constant::Value(l) = p { *l } else { [0; 4] })),
        },
    }
    Ok(())
}
