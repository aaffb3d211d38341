//! Addresses of accesses: from a deref or an offset to a pointer.

use super::FunctionEmitter;
use super::memory::{AccessShape, Address};
use crate::module::{TypeId, Value};
use crate::select::plan::offset::{Lane, Offset};
use crate::select::signature::pieces::{BlockLayout, Elements};
use crate::select::types::{Class, Shape, scalar_type};
use airfoil_ir::InstrId;
use smallvec::SmallVec;

impl FunctionEmitter<'_> {
    pub(crate) fn locate(
        &mut self,
        layout: &BlockLayout,
        ptr: Value,
        offset: InstrId,
        shape: AccessShape,
        align: u32,
    ) -> Address {
        let offset = Offset::of(self.body, offset);
        let align = align.max(offset.alignment()).min(256);
        match self.walk(layout, ptr, &offset, shape, align) {
            Some(at) => at,
            None => self.raw(layout, ptr, &offset, shape, align),
        }
    }

    /// The address by the type of the block, if the offset ends at a member that fits.
    pub(crate) fn walk(
        &mut self,
        layout: &BlockLayout,
        ptr: Value,
        offset: &Offset,
        shape: AccessShape,
        align: u32,
    ) -> Option<Address> {
        let mut steps: SmallVec<[Index; 8]> = SmallVec::new();
        let mut rest = offset.constant;
        let mut terms = offset.terms.clone();
        let mut mem = layout.mem;
        match layout.elements {
            Some(Elements { stride, padded }) => {
                steps.push(take_index(&mut rest, &mut terms, stride));
                if padded {
                    steps.push(Index::Field(0));
                }
            }
            None => steps.push(Index::Element(0, SmallVec::new())),
        }
        loop {
            match &self.layouts[mem].shape {
                Shape::Struct { fields, .. } => {
                    let at = fields.partition_point(|f| f.0 <= rest).checked_sub(1)?;
                    let (start, number, id) = fields[at];
                    rest -= start;
                    steps.push(Index::Field(number));
                    mem = id;
                }
                &Shape::Array { elem, stride, len, wrapped } => {
                    let index = take_index(&mut rest, &mut terms, stride);
                    // A constant index beyond the end is another member's, but for run-time arrays, whose length is 1.
                    if let Index::Element(n, list) = &index
                        && list.is_empty()
                        && *n >= len
                        && len != 1
                    {
                        return None;
                    }
                    steps.push(index);
                    if wrapped {
                        steps.push(Index::Field(0));
                    }
                    mem = elem;
                }
                &Shape::Matrix { column, stride, len } => {
                    steps.push(Index::Field(0));
                    let index = take_index(&mut rest, &mut terms, stride);
                    if let Index::Element(n, list) = &index
                        && list.is_empty()
                        && *n >= len
                    {
                        return None;
                    }
                    steps.push(index);
                    mem = column;
                }
                &Shape::Vector { class, bits, comps, packed } => {
                    let bytes = u32::from(bits / 8).max(1);
                    if bits != shape.bits {
                        return None;
                    }
                    let whole = rest == 0 && terms.is_empty() && comps == shape.comps;
                    let mut at = Address {
                        ptr,
                        class,
                        bits,
                        comps: shape.comps,
                        align,
                        whole: false,
                        alias: layout.alias,
                    };
                    if whole {
                        let natural = shape.natural();
                        at.whole = align >= natural;
                        at.align = if at.whole { natural } else { align };
                        at.ptr = self.address(ptr, &steps);
                        if packed && at.whole {
                            // Well aligned by its offset, although its type is not.
                            let vector = self.value_type(class, bits, comps);
                            let vector = self.b.module.pointer(vector, layout.space);
                            at.ptr = self.bitcast(at.ptr, vector);
                        }
                        return Some(at);
                    }
                    if comps > 1 {
                        let component = take_index(&mut rest, &mut terms, bytes);
                        if let Index::Element(n, _) = &component
                            && *n + u32::from(shape.comps) > u32::from(comps)
                        {
                            return None;
                        }
                        if matches!(&component, Index::Element(_, list) if !list.is_empty() && shape.comps > 1)
                        {
                            return None;
                        }
                        steps.push(component);
                    }
                    if rest != 0 || !terms.is_empty() || (comps == 1 && shape.comps != 1) {
                        return None;
                    }
                    at.ptr = self.address(ptr, &steps);
                    at.whole = shape.comps == 1;
                    at.align = align.min(bytes);
                    let natural = shape.natural();
                    if shape.comps > 1 && align >= natural {
                        // Some components of a longer vector.
                        let vector = self.value_type(class, bits, shape.comps);
                        let vector = self.b.module.pointer(vector, layout.space);
                        at.ptr = self.bitcast(at.ptr, vector);
                        (at.whole, at.align) = (true, natural);
                    }
                    return Some(at);
                }
                Shape::Raw => return None,
            }
        }
    }

    pub(crate) fn address(&mut self, ptr: Value, steps: &[Index]) -> Value {
        // Element 0 of the buffer is the pointer itself.
        if let [Index::Element(0, terms)] = steps
            && terms.is_empty()
        {
            return ptr;
        }
        let indices: SmallVec<[Value; 8]> = steps
            .iter()
            .map(|step| match step {
                Index::Field(n) => self.b.module.i32(*n as i32),
                Index::Element(n, terms) if terms.is_empty() => self.b.module.i64(i64::from(*n)),
                Index::Element(n, terms) => {
                    let sum = self.sum(*n, terms);
                    self.wide(sum)
                }
            })
            .collect();
        self.gep(ptr, &indices)
    }

    /// A constant plus values times constants, as `i32`. Values with the same factor are added first.
    pub(crate) fn sum(&mut self, constant: u32, terms: &[(Lane, u32)]) -> Value {
        let mut sum: Option<Value> = None;
        for (i, &(_, factor)) in terms.iter().enumerate() {
            if terms[..i].iter().any(|t| t.1 == factor) {
                continue;
            }
            let mut part: Option<Value> = None;
            for &(lane, _) in terms[i..].iter().filter(|t| t.1 == factor) {
                let value = self.lane(lane.value, lane.lane, Class::Int);
                let bits = self.bits(lane.value);
                let value = self.int_width(value, bits, 32, 1, false);
                part = Some(self.plus(part, value));
            }
            let Some(mut part) = part else { continue };
            if factor != 1 {
                part = if factor.is_power_of_two() {
                    let by = self.b.module.i32(factor.trailing_zeros() as i32);
                    self.reuse(|b| b.shl(part, by))
                } else {
                    let by = self.b.module.i32(factor as i32);
                    self.reuse(|b| b.mul(part, by))
                };
            }
            sum = Some(self.plus(sum, part));
        }
        match sum {
            Some(sum) if constant == 0 => sum,
            sum => {
                let fixed = self.b.module.i32(constant as i32);
                self.plus(sum, fixed)
            }
        }
    }

    fn plus(&mut self, sum: Option<Value>, value: Value) -> Value {
        match sum {
            Some(sum) => self.reuse(|b| b.add(sum, value)),
            None => value,
        }
    }

    /// The address as an element of an array of the accessed type.
    pub(crate) fn raw(
        &mut self,
        layout: &BlockLayout,
        ptr: Value,
        offset: &Offset,
        shape: AccessShape,
        align: u32,
    ) -> Address {
        let bytes = shape.scalar_bytes();
        let whole = shape.comps == 1 || align >= shape.natural();
        let comps = if whole { shape.comps } else { 1 };
        let mut unit = if whole { shape.natural() } else { bytes };
        if align < unit {
            unit = align;
        }
        let element = self.value_type(shape.class, shape.bits, comps);
        let at_unit = if unit == if whole { shape.natural() } else { bytes } {
            element
        } else {
            // Less than naturally aligned: step by smaller integers.
            scalar_type(Class::Int, (unit * 8) as u8)
        };
        let terms: SmallVec<[(Lane, u32); 3]> = offset.terms.iter().map(|&(l, f)| (l, f / unit)).collect();
        let base = self.b.module.pointer(at_unit, layout.space);
        let base = self.bitcast(ptr, base);
        // Factors that wrapped around cannot be divided; then the sum is divided instead.
        let divisible =
            offset.terms.iter().all(|t| t.1.is_multiple_of(unit)) && offset.constant.is_multiple_of(unit);
        let index = if terms.is_empty() {
            self.b.module.i64(i64::from(offset.constant / unit))
        } else if divisible && (offset.constant as i32) >= 0 && offset.terms.iter().all(|t| (t.1 as i32) >= 0)
        {
            let sum = self.sum(offset.constant / unit, &terms);
            self.zext(sum, TypeId::I64)
        } else {
            let sum = self.sum(offset.constant, &offset.terms.clone());
            let by = self.b.module.i32(unit.trailing_zeros() as i32);
            let sum = self.reuse(|b| b.lshr(sum, by));
            self.zext(sum, TypeId::I64)
        };
        let mut at = if terms.is_empty() && offset.constant == 0 { base } else { self.gep(base, &[index]) };
        let wanted = self.b.module.pointer(element, layout.space);
        at = self.bitcast(at, wanted);
        let natural = if whole { shape.natural() } else { bytes };
        Address {
            ptr: at,
            class: shape.class,
            bits: shape.bits,
            comps: shape.comps,
            align: align.min(natural),
            whole,
            alias: layout.alias,
        }
    }
}

/// A step of an address.
pub(crate) enum Index {
    /// Member of a struct.
    Field(u32),
    /// Element: a constant plus values times constants.
    Element(u32, SmallVec<[(Lane, u32); 2]>),
}

/// Takes the part of an offset that counts whole elements of `stride` bytes.
fn take_index(rest: &mut u32, terms: &mut SmallVec<[(Lane, u32); 3]>, stride: u32) -> Index {
    let stride = stride.max(1);
    let n = *rest / stride;
    *rest %= stride;
    let mut taken = SmallVec::new();
    terms.retain(|&mut (lane, factor)| {
        let whole = factor % stride == 0 && (factor as i32) > 0;
        if whole {
            taken.push((lane, factor / stride));
        }
        !whole
    });
    Index::Element(n, taken)
}
