//! Construction of vectors: `shufflevector` for components of other vectors, `insertelement` for scalars.

use super::FunctionEmitter;
use crate::module::{TypeId, Value};
use crate::select::types::{Class, scalar_type};
use airfoil_ir::{Alu, InstrKind};
use smallvec::{SmallVec, smallvec};

/// Source of a component.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Undef,
    Constant(Value),
    Scalar(Value),
    /// A component of a vector of the module.
    Lane(Value, u32),
    /// In the vector already.
    Placed,
}

type Parts = SmallVec<[Part; 4]>;
type Mask = SmallVec<[Option<u32>; 4]>;

impl FunctionEmitter<'_> {
    /// A vector whose components are the operands of an instruction.
    pub(super) fn gather_lanes(&mut self, alu: &Alu, class: Class) -> Value {
        let mut scalar = TypeId::I32;
        let parts: Parts = alu
            .srcs()
            .map(|src| {
                let lane = src.swizzle.get(0);
                scalar = scalar_type(class, self.bits(src.value));
                match self.body[src.value].kind {
                    InstrKind::Undef => return Part::Undef,
                    InstrKind::Const(_) => return Part::Constant(self.lane(src.value, lane, class)),
                    _ => {}
                }
                let len = self.held_value(src.value).and_then(|v| self.vector_len(v));
                match len {
                    Some(len) if lane as u32 >= len => Part::Undef,
                    Some(_) => Part::Lane(self.in_class(src.value, class), lane as u32),
                    None => Part::Scalar(self.lane(src.value, lane, class)),
                }
            })
            .collect();
        self.vector_of_parts(parts, scalar)
    }

    /// Number of components; `None` for a scalar.
    fn vector_len(&self, value: Value) -> Option<u32> {
        self.b.module.types().vector_len(self.b.type_of(value))
    }

    fn vector_of_parts(&mut self, mut parts: Parts, scalar: TypeId) -> Value {
        let n = parts.len() as u32;
        let mut vector = match longest_group(&parts) {
            Some(first) => self.first_group(&mut parts, first),
            None => self.scalars(&mut parts, scalar),
        };
        for at in 0..parts.len() {
            match parts[at] {
                Part::Undef | Part::Placed => {}
                Part::Constant(value) | Part::Scalar(value) => {
                    vector = self.insert_lane(vector, value, at as u32);
                }
                Part::Lane(from, lane) => {
                    let mut lanes = take(&mut parts, from);
                    let mut from = from;
                    if self.vector_len(from) != Some(n) {
                        if lanes.iter().flatten().count() == 1 {
                            let value = self.extract_lane(from, lane);
                            vector = self.insert_lane(vector, value, at as u32);
                            continue;
                        }
                        let undef = self.undef_like(from);
                        from = self.shuffle(from, undef, &lanes);
                        lanes = (0..n).zip(lanes).map(|(i, lane)| lane.map(|_| i)).collect();
                    }
                    let mask: Mask =
                        (0..n).zip(lanes).map(|(i, lane)| lane.map_or(Some(i), |l| Some(n + l))).collect();
                    vector = self.shuffle(vector, from, &mask);
                }
            }
        }
        vector
    }

    fn undef_like(&mut self, value: Value) -> Value {
        let ty = self.b.type_of(value);
        self.b.module.undef(ty)
    }

    /// Inserts the components of `first`, together with the constants or with those of a second vector of its type.
    fn first_group(&mut self, parts: &mut Parts, first: Value) -> Value {
        let ty = self.b.type_of(first);
        let scalar = self.b.module.types().scalar(ty);
        let len = self.vector_len(first).unwrap_or(1);
        let mut mask = take(parts, first);
        let constants = parts.iter().filter(|p| matches!(p, Part::Constant(_))).count();
        let second = parts.iter().find_map(|p| match *p {
            Part::Lane(v, _) if self.b.type_of(v) == ty => Some(v),
            _ => None,
        });
        let other = if constants != 0 && constants <= len as usize {
            let undef = self.b.module.undef(scalar);
            let mut elements: SmallVec<[Value; 4]> = smallvec![undef; len as usize];
            for (i, part) in parts.iter_mut().enumerate() {
                let Part::Constant(value) = *part else { continue };
                let free = |at: &usize| elements.get(*at) == Some(&undef);
                let Some(at) = Some(i).filter(free).or_else(|| (0..elements.len()).find(free)) else {
                    continue;
                };
                (elements[at], mask[i], *part) = (value, Some(len + at as u32), Part::Placed);
            }
            self.b.module.aggregate_or_data(ty, &elements)
        } else if let Some(second) = second {
            for (slot, lane) in mask.iter_mut().zip(take(parts, second)) {
                *slot = slot.or(lane.map(|lane| len + lane));
            }
            second
        } else {
            let in_place = (0u32..).zip(&mask).all(|(i, lane)| lane.is_none_or(|lane| lane == i));
            if in_place && len as usize == parts.len() {
                return first;
            }
            self.b.module.undef(ty)
        };
        self.shuffle(first, other, &mask)
    }

    /// Inserts the constants, and scalars that occur several times.
    fn scalars(&mut self, parts: &mut Parts, scalar: TypeId) -> Value {
        let n = parts.len() as u32;
        let ty = self.b.module.vector(scalar, n);
        let undef = self.b.module.undef(scalar);
        let mut elements: SmallVec<[Value; 4]> = smallvec![undef; parts.len()];
        let mut distinct: SmallVec<[Value; 4]> = SmallVec::new();
        let mut count = 0;
        for (element, part) in elements.iter_mut().zip(parts.iter_mut()) {
            match *part {
                Part::Constant(value) => (*element, *part) = (value, Part::Placed),
                Part::Scalar(value) => {
                    count += 1;
                    if !distinct.contains(&value) {
                        distinct.push(value);
                    }
                }
                _ => {}
            }
        }
        let constants = self.b.module.aggregate_or_data(ty, &elements);
        if count < distinct.len() + 2 {
            return constants;
        }
        let mut packed = self.b.module.undef(ty);
        for (i, &value) in (0..).zip(&distinct) {
            packed = self.insert_lane(packed, value, i);
        }
        let mask: Mask = (0..n)
            .zip(parts)
            .map(|(i, part)| match std::mem::replace(part, Part::Placed) {
                Part::Scalar(value) => distinct.iter().position(|&v| v == value).map(|at| at as u32),
                Part::Undef => None,
                _ => Some(n + i),
            })
            .collect();
        self.shuffle(packed, constants, &mask)
    }
}

/// The vector that most components come from, if any does.
fn longest_group(parts: &Parts) -> Option<Value> {
    let mut best: Option<(usize, Value)> = None;
    for part in parts {
        let Part::Lane(from, _) = *part else { continue };
        let count = parts.iter().filter(|p| matches!(p, Part::Lane(v, _) if *v == from)).count();
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, from));
        }
    }
    best.map(|(_, from)| from)
}

/// For each component the lane of `from` that it comes from; these are placed now.
fn take(parts: &mut Parts, from: Value) -> Mask {
    let lane = |part: &mut Part| match *part {
        Part::Lane(v, lane) if v == from => {
            *part = Part::Placed;
            Some(lane)
        }
        _ => None,
    };
    parts.iter_mut().map(lane).collect()
}
