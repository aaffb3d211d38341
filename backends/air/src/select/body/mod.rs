//! The function body. This file has the values; each kind of instruction has a file of its own.

pub(crate) mod addresses;
mod alu;
pub(crate) mod alu_tables;
pub(crate) mod atomic;
pub(crate) mod attached;
mod branches;
pub(crate) mod calls;
pub(crate) mod control_flow;
pub(crate) mod debug;
pub(crate) mod framebuffer_fetch;
mod fusion;
pub(crate) mod image;
pub(crate) mod integers;
mod intrinsics;
pub(crate) mod io;
pub(crate) mod memory;
pub(crate) mod mesh;
mod pure;
pub(crate) mod reuse;
pub(crate) mod state;
pub(crate) mod subgroup;
pub(crate) mod system_values;
pub(crate) mod texture;
pub(crate) mod variables;
mod vectors;

use crate::module::{Builder, Const, Module, TypeId, Value};
use crate::select::debug::locations::Locations;
use crate::select::errors::{self, Errors};
use crate::select::options::Options;
use crate::select::plan::usage::Usage;
use crate::select::signature::Signature;
use crate::select::signature::function_constants::FunctionConstants;
use crate::select::types::{Class, Layouts, ValueTypes, scalar_type};
use airfoil_ir::{Body, InstrId, InstrKind, Lanes, Loc, Shader, Src, Swizzle, Ty, bit_mask};
use smallvec::SmallVec;
use state::{EmittedValue, State};

/// Emits the body of the entry function.
pub(crate) struct FunctionEmitter<'a> {
    pub(crate) b: Builder<'a>,
    pub(crate) shader: &'a Shader,
    pub(crate) body: &'a Body,
    pub(crate) options: &'a Options,
    pub(crate) usage: &'a Usage,
    pub(crate) sig: &'a Signature,
    pub(crate) constants: &'a FunctionConstants,
    pub(crate) errors: &'a mut Errors,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) values: &'a mut ValueTypes,
    /// Debug information, if requested.
    pub(crate) locations: Option<Locations<'a>>,
    /// Source location of the instruction being emitted.
    pub(crate) loc: Loc,
    pub(crate) state: State,
}

impl<'a> FunctionEmitter<'a> {
    // ---- instructions ----

    fn instruction(&mut self, id: InstrId) {
        let body = self.body;
        let instr = &body[id];
        self.loc = instr.loc;
        match &instr.kind {
            InstrKind::Alu(_) if self.usage.is_absorbed(body, id) => {}
            InstrKind::Alu(alu) if self.usage.is_fused(id) && self.fuses(alu.op) => {}
            InstrKind::Alu(alu) => self.alu(id, alu, instr.ty),
            InstrKind::Phi(_) => {
                let class = self.usage.class(id, instr.ty.bits);
                let ty = self.value_type(class, instr.ty.bits, instr.ty.comps);
                let value = self.b.phi(ty);
                self.set(id, value, class);
            }
            InstrKind::Intrinsic(i) => self.intrinsic(id, i, instr.ty),
            InstrKind::Tex(t) => self.texture(id, t, instr.ty),
            InstrKind::Call(_) => {
                self.error(errors::NOT_SELECTABLE, "calls must be inlined before selection")
            }
            InstrKind::Deref(d) => self.deref(id, d),
            // Constants and undefined values are created where they are used.
            InstrKind::Const(_) | InstrKind::Undef | InstrKind::Jump(_) => {}
        }
    }

    /// Reports an error at the current instruction.
    pub(crate) fn error(&mut self, code: &'static str, message: impl Into<String>) {
        self.errors.at(self.shader, self.loc, code, message);
    }

    /// Reports an error at the current instruction and gives it an undefined value.
    pub(crate) fn error_value(&mut self, id: InstrId, code: &'static str, message: impl Into<String>) {
        self.error(code, message);
        self.set_undef(id);
    }

    pub(crate) fn set_undef(&mut self, id: InstrId) {
        let ty = self.body[id].ty;
        if !ty.is_none() {
            let air = self.value_type(Class::Int, ty.bits, ty.comps);
            let value = self.b.module.undef(air);
            self.set(id, value, Class::Int);
        }
    }

    // ---- values ----

    /// The index of a lane as an operand.
    fn lane_index(&mut self, lane: u32) -> Value {
        let module = &mut *self.b.module;
        match self.state.lane_indices.get_mut(lane as usize) {
            Some(number) => *number.get_or_insert_with(|| module.i64(i64::from(lane))),
            None => module.i64(i64::from(lane)),
        }
    }

    pub(crate) fn value_type(&mut self, class: Class, bits: u8, comps: u8) -> TypeId {
        self.values.get(self.b.module, class, bits, comps)
    }

    /// Sets the value that was selected for an instruction.
    pub(crate) fn set(&mut self, id: InstrId, value: Value, class: Class) {
        self.state.emitted[id.index()] = EmittedValue { value: Some(value), class };
    }

    pub(crate) fn bits(&self, value: InstrId) -> u8 {
        self.body[value].ty.bits
    }

    pub(crate) fn constant_lanes(&self, value: InstrId) -> Option<&'a Lanes> {
        self.body.get(value)?.as_const()
    }

    /// A constant of a class.
    pub(crate) fn constant(&mut self, lanes: &[u64], bits: u8, class: Class) -> Value {
        let scalar = scalar_type(class, bits);
        match lanes {
            [lane] => match class {
                Class::Float if bits != 64 => {
                    self.b.module.float_bits(scalar, lane & bit_mask(u32::from(bits)))
                }
                _ => self.b.module.int(scalar, *lane as i64),
            },
            _ => {
                let ty = self.value_type(class, bits, lanes.len() as u8);
                self.b.module.data(ty, lanes)
            }
        }
    }

    /// A whole value with `comps` components in a class. Built-ins may hold fewer; the others are undefined.
    pub(crate) fn whole(&mut self, value: InstrId, comps: u8, class: Class) -> Value {
        self.src(Src::from(value), comps, class)
    }

    /// A value's first component in a class.
    pub(crate) fn scalar(&mut self, value: InstrId, class: Class) -> Value {
        self.lane(value, 0, class)
    }

    /// The lanes of an operand.
    pub(crate) fn src(&mut self, src: Src, comps: u8, class: Class) -> Value {
        let body = self.body;
        let n = usize::from(comps);
        match &body[src.value].kind {
            InstrKind::Const(lanes) => {
                let lanes: SmallVec<[u64; 4]> = (0..n).map(|i| lanes[src.swizzle.get(i)]).collect();
                return self.constant(&lanes, self.bits(src.value), class);
            }
            InstrKind::Undef => {
                let ty = self.value_type(class, self.bits(src.value), comps);
                return self.b.module.undef(ty);
            }
            _ => {}
        }
        if n == 1 {
            return self.lane(src.value, src.swizzle.get(0), class);
        }
        let value = self.in_class(src.value, class);
        let ty = self.b.type_of(value);
        let len = self.b.module.types().vector_len(ty).unwrap_or(1);
        if len == u32::from(comps) && src.swizzle.is_identity(n) {
            return value;
        }
        self.swizzle(value, len, src.swizzle, n)
    }

    /// `n` lanes of a vector of `len` components (or of a scalar).
    fn swizzle(&mut self, value: Value, len: u32, swizzle: Swizzle, n: usize) -> Value {
        if len == 1 {
            return self.splat(value, n as u32);
        }
        let lanes: SmallVec<[Option<u32>; 4]> =
            (0..n).map(|i| Some(swizzle.get(i) as u32).filter(|&lane| lane < len)).collect();
        let ty = self.b.type_of(value);
        let undef = self.b.module.undef(ty);
        self.shuffle(value, undef, &lanes)
    }

    /// A scalar in all lanes of a vector.
    pub(crate) fn splat(&mut self, value: Value, n: u32) -> Value {
        if n <= 1 {
            return value;
        }
        let scalar = self.b.type_of(value);
        let ty = self.b.module.vector(scalar, n);
        if self.b.module.constant(value).is_some() {
            return self.b.module.splat(ty, value);
        }
        let undef = self.b.module.undef(ty);
        let first = self.insert_lane(undef, value, 0);
        let zeros: SmallVec<[u32; 4]> = smallvec::smallvec![0; n as usize];
        self.shuffle(first, undef, &zeros)
    }

    /// One component of a value.
    pub(crate) fn lane(&mut self, value: InstrId, lane: usize, class: Class) -> Value {
        match &self.body[value].kind {
            InstrKind::Const(lanes) => {
                let lane = lanes[lane & 3];
                return self.constant(&[lane], self.bits(value), class);
            }
            InstrKind::Undef => {
                let ty = scalar_type(class, self.bits(value));
                return self.b.module.undef(ty);
            }
            _ => {}
        }
        let held = self.state.emitted[value.index()];
        let Some(own) = held.value else { return self.missing(value, 1, class) };
        let ty = self.b.type_of(own);
        let element = match self.b.module.types().vector_len(ty) {
            None if lane == 0 => return self.in_class(value, class),
            None => {
                let scalar = scalar_type(class, self.bits(value));
                return self.b.module.undef(scalar);
            }
            Some(len) if lane as u32 >= len => {
                let scalar = scalar_type(class, self.bits(value));
                return self.b.module.undef(scalar);
            }
            Some(_) => self.extract_lane(own, lane as u32),
        };
        self.cast(element, held.class, class)
    }

    /// The value that was selected for an instruction, if it has been selected.
    pub(crate) fn held_value(&self, value: InstrId) -> Option<Value> {
        self.state.emitted[value.index()].value
    }

    /// A whole value as it is, in a class.
    pub(crate) fn in_class(&mut self, value: InstrId, class: Class) -> Value {
        let held = self.state.emitted[value.index()];
        let Some(own) = held.value else {
            let comps = self.body[value].ty.comps;
            return self.missing(value, comps, class);
        };
        self.cast(own, held.class, class)
    }

    /// A placeholder for a value that was never selected, which only broken input leads to.
    fn missing(&mut self, value: InstrId, comps: u8, class: Class) -> Value {
        match &self.body[value].kind {
            InstrKind::Const(_) | InstrKind::Undef => return self.src(Src::from(value), comps, class),
            InstrKind::Deref(_) => self.error(errors::MEMORY, "a deref is used as a value"),
            _ => self.error(errors::NOT_SELECTABLE, "a value is used before it is made"),
        }
        let ty = self.value_type(class, self.bits(value), comps.max(1));
        self.b.module.undef(ty)
    }

    /// The same bits in another class.
    pub(crate) fn cast(&mut self, value: Value, from: Class, to: Class) -> Value {
        if from == to {
            return value;
        }
        let ty = self.b.type_of(value);
        let (scalar, len) = {
            let types = self.b.module.types();
            (types.scalar(ty), types.vector_len(ty))
        };
        let scalar = match (scalar, to) {
            (TypeId::I16, Class::Float) => TypeId::HALF,
            (TypeId::I32, Class::Float) => TypeId::FLOAT,
            (TypeId::HALF, Class::Int) => TypeId::I16,
            (TypeId::FLOAT, Class::Int) => TypeId::I32,
            _ => return value,
        };
        let wanted = match len {
            Some(len) => self.b.module.vector(scalar, len),
            None => scalar,
        };
        self.bitcast(value, wanted)
    }

    /// A vector (or scalar) of scalars of one type.
    pub(crate) fn vector_of(&mut self, lanes: &[Value]) -> Value {
        let [first, ..] = lanes else { return self.b.module.undef(TypeId::I32) };
        if lanes.len() == 1 {
            return *first;
        }
        let scalar = self.b.type_of(*first);
        let ty = self.b.module.vector(scalar, lanes.len() as u32);
        // Constant lanes are in the vector from the start.
        let fixed: SmallVec<[Value; 4]> = lanes
            .iter()
            .map(|&l| if self.b.module.constant(l).is_some() { l } else { self.b.module.undef(scalar) })
            .collect();
        let mut value = self.b.module.aggregate_or_data(ty, &fixed);
        for (i, &lane) in lanes.iter().enumerate() {
            if self.b.module.constant(lane).is_none() {
                value = self.insert_lane(value, lane, i as u32);
            }
        }
        value
    }

    /// The first `n` lanes of a vector, or a scalar or vector filled up with undefined lanes.
    pub(crate) fn resize(&mut self, value: Value, n: u32) -> Value {
        let ty = self.b.type_of(value);
        let len = self.b.module.types().vector_len(ty).unwrap_or(1);
        match (len, n) {
            _ if len == n => value,
            (_, 1) => self.extract_lane(value, 0),
            (1, _) => {
                let wide = self.b.module.vector(ty, n);
                let undef = self.b.module.undef(wide);
                self.insert_lane(undef, value, 0)
            }
            _ => {
                let lanes: SmallVec<[Option<u32>; 4]> =
                    (0..n).map(|i| Some(i).filter(|&i| i < len)).collect();
                let undef = self.b.module.undef(ty);
                self.shuffle(value, undef, &lanes)
            }
        }
    }

    /// The shape of a value in the IR.
    pub(crate) fn ty(&self, value: InstrId) -> Ty {
        self.body[value].ty
    }
}

impl Module {
    /// A constant vector or array of constant elements. Numbers become data, which bitcode has a compact record for.
    pub(crate) fn aggregate_or_data(&mut self, ty: TypeId, lanes: &[Value]) -> Value {
        let scalar = self.types().member(ty, 0).unwrap_or(ty);
        if self.types().vector_len(scalar).is_some() || self.types().bits(scalar) == 0 {
            return self.aggregate(ty, lanes);
        }
        let words: Option<SmallVec<[u64; 4]>> = lanes
            .iter()
            .map(|&l| match self.constant(l)? {
                Const::Null => Some(0),
                Const::Int(v) => Some(v as u64),
                Const::Float(bits) => Some(bits),
                _ => None,
            })
            .collect();
        match words {
            Some(words) => {
                let mask = bit_mask(self.types().bits(scalar));
                let words: SmallVec<[u64; 4]> = words.iter().map(|w| w & mask).collect();
                self.data(ty, &words)
            }
            None => self.aggregate(ty, lanes),
        }
    }
}
