//! Offsets of parts in memory: explicit layout where a type has it, else the rules of std430.
//!
//! The rules are those of OpenGL 4.6 section 7.6.2.2, the same that `lower_io` gives workgroup memory.

use crate::fault::Fault;
use airfoil_ir::{Scalar, Ty, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A scalar or vector within a type.
///
/// # Examples
///
/// The columns of a row-major matrix are scattered:
///
/// ```
/// use airfoil_interp::Layouts;
///
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader vertex "v" {
///   ubo U { vec4 color @0, mat2x3(stride=16 row_major) m @16 } u
///   fn main { }
/// }"#).unwrap();
/// let ty = shader.vars.values().next().unwrap().ty;
/// let leaves = Layouts::new(&shader.types, 0).leaves(ty)?;
/// let found: Vec<_> = leaves.iter().map(|l| (l.offset, l.comps, l.stride)).collect();
/// assert_eq!(found, [(0, 4, 4), (16, 3, 16), (20, 3, 16)]);
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Byte offset.
    pub offset: u64,
    /// Component type.
    pub scalar: Scalar,
    /// Components.
    pub comps: u8,
    /// Bytes between components.
    pub stride: u32,
}

/// Most leaves of one type.
const MAX_LEAVES: usize = 1 << 18;

/// Layouts of the types of a shader.
///
/// # Examples
///
/// ```
/// use airfoil_interp::Layouts;
///
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader vertex "v" {
///   ssbo S { float a, vec3 b, float c, mat2[3] d } s
///   fn main { }
/// }"#).unwrap();
/// let s = shader.vars.values().next().unwrap().ty;
/// let mut layouts = Layouts::new(&shader.types, 0);
/// // A vector of three components has the alignment of four, but not their size.
/// assert_eq!((layouts.member(s, 1), layouts.member(s, 2)), (16, 28));
/// assert_eq!(layouts.of(s), (80, 16));
/// let (offset, column) = layouts.step(s, ".d[2]").unwrap();
/// assert_eq!((offset, layouts.of(column)), (64, (16, 8)));
/// ```
#[derive(Debug)]
pub struct Layouts<'a> {
    pub(crate) types: &'a Types,
    runtime: u32,
    known: FxHashMap<TypeId, (u64, u64)>,
    leaves: FxHashMap<TypeId, Arc<[Leaf]>>,
}

fn round_up(n: u64, to: u64) -> u64 {
    n.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

/// Bytes of a component in memory.
pub(crate) fn component_bytes(bits: u8) -> u32 {
    Ty::new(1, bits).bytes()
}

fn vector(bits: u8, comps: u8) -> (u64, u64) {
    let bytes = u64::from(component_bytes(bits));
    let lanes = if comps == 3 { 4 } else { u64::from(comps) };
    (bytes * u64::from(comps), bytes * lanes)
}

impl<'a> Layouts<'a> {
    /// Layouts of some types; run-time arrays count as `runtime` elements.
    pub fn new(types: &'a Types, runtime: u32) -> Layouts<'a> {
        Layouts { types, runtime, known: FxHashMap::default(), leaves: FxHashMap::default() }
    }

    /// The types.
    pub fn types(&self) -> &'a Types {
        self.types
    }

    /// Elements of an array; run-time ones have as many as the options specify.
    pub(crate) fn length(&self, len: u32) -> u32 {
        if len == 0 { self.runtime } else { len }
    }

    /// Size and alignment of a type in bytes.
    pub fn of(&mut self, ty: TypeId) -> (u64, u64) {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let types = self.types;
        let layout = match &types[ty] {
            Type::Vector { scalar, comps } => vector(scalar.bits(), *comps),
            Type::Matrix { scalar, cols, rows, stride, row_major } => {
                let vectors = if *row_major && *stride != 0 { *rows } else { *cols };
                let align = vector(scalar.bits(), *rows).1;
                (self.stride(ty) * u64::from(vectors), align)
            }
            Type::Array { elem, len, .. } => {
                let align = self.of(*elem).1;
                (self.stride(ty).saturating_mul(u64::from(self.length(*len))), align)
            }
            Type::Struct(s) => {
                let (mut end, mut align) = (0u64, 1);
                for m in &s.members {
                    let (size, a) = self.of(m.ty);
                    let at = m.offset.map_or_else(|| round_up(end, a), u64::from);
                    end = end.max(at.saturating_add(size));
                    align = align.max(a);
                }
                (round_up(end, align), align)
            }
            Type::Image(_) | Type::Sampler => (0, 1),
        };
        self.known.insert(ty, layout);
        layout
    }

    /// Bytes between the elements of an array or the vectors of a matrix.
    pub fn stride(&mut self, ty: TypeId) -> u64 {
        match self.types[ty] {
            Type::Array { stride, .. } | Type::Matrix { stride, .. } if stride != 0 => u64::from(stride),
            Type::Array { elem, .. } => {
                let (size, align) = self.of(elem);
                round_up(size, align)
            }
            Type::Matrix { scalar, rows, .. } => {
                let (size, align) = vector(scalar.bits(), rows);
                round_up(size, align)
            }
            _ => 0,
        }
    }

    /// Byte offset of a member.
    pub fn member(&mut self, ty: TypeId, field: usize) -> u64 {
        let types = self.types;
        let Type::Struct(s) = &types[ty] else { return 0 };
        let mut end = 0;
        for (i, m) in s.members.iter().enumerate() {
            let (size, align) = match m.offset {
                Some(offset) if i == field => return u64::from(offset),
                Some(_) => continue,
                None => self.of(m.ty),
            };
            let at = round_up(end, align);
            if i == field {
                return at;
            }
            end = at.saturating_add(size);
        }
        end
    }

    /// Offset and type of the part of a type that a path like `[2].colour` selects.
    pub fn step(&mut self, mut ty: TypeId, path: &str) -> Option<(u64, TypeId)> {
        let types = self.types;
        let mut offset = 0;
        let mut rest = path;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('[') {
                let (index, after) = after.split_once(']')?;
                let index: u32 = index.parse().ok()?;
                let Type::Array { elem, len, .. } = types[ty] else { return None };
                if index >= self.length(len) {
                    return None;
                }
                offset += u64::from(index) * self.stride(ty);
                (ty, rest) = (elem, after);
            } else {
                let after = rest.strip_prefix('.')?;
                let end = after.find(['.', '[']).unwrap_or(after.len());
                let Type::Struct(s) = &types[ty] else { return None };
                let field = s.members.iter().position(|m| *m.name == after[..end])?;
                offset += self.member(ty, field);
                (ty, rest) = (s.members[field].ty, &after[end..]);
            }
        }
        Some((offset, ty))
    }

    /// All scalars and vectors of a type, in order of declaration.
    ///
    /// # Errors
    /// There are too many.
    pub fn leaves(&mut self, ty: TypeId) -> Result<Arc<[Leaf]>, Fault> {
        if let Some(known) = self.leaves.get(&ty) {
            return Ok(known.clone());
        }
        let mut out = Vec::new();
        self.collect(ty, 0, &mut out)?;
        let leaves: Arc<[Leaf]> = out.into();
        self.leaves.insert(ty, leaves.clone());
        Ok(leaves)
    }

    fn collect(&mut self, ty: TypeId, offset: u64, out: &mut Vec<Leaf>) -> Result<(), Fault> {
        if out.len() > MAX_LEAVES {
            return Err(Fault::unsupported("a variable has too many parts"));
        }
        let types = self.types;
        match &types[ty] {
            &Type::Vector { scalar, comps } => {
                out.push(Leaf { offset, scalar, comps, stride: component_bytes(scalar.bits()) });
            }
            &Type::Matrix { scalar, cols, rows, stride, row_major } => {
                let bytes = component_bytes(scalar.bits());
                let (between, inner) = if row_major && stride != 0 {
                    (u64::from(bytes), stride)
                } else {
                    (self.stride(ty), bytes)
                };
                let column = |c: u8| Leaf {
                    offset: offset + u64::from(c) * between,
                    scalar,
                    comps: rows,
                    stride: inner,
                };
                out.extend((0..cols).map(column));
            }
            &Type::Array { elem, len, .. } => {
                let stride = self.stride(ty);
                for i in 0..self.length(len) {
                    let before = out.len();
                    self.collect(elem, offset + u64::from(i) * stride, out)?;
                    if out.len() == before {
                        break;
                    }
                }
            }
            Type::Struct(s) => {
                for (i, m) in s.members.iter().enumerate() {
                    let at = self.member(ty, i);
                    self.collect(m.ty, offset + at, out)?;
                }
            }
            Type::Image(_) | Type::Sampler => {}
        }
        Ok(())
    }

    /// Number of separate objects in a type: images, samplers, or blocks of an array of blocks.
    pub fn objects(&self, ty: TypeId) -> u32 {
        match &self.types[ty] {
            Type::Array { elem, len, .. } => {
                self.objects(*elem).saturating_mul(if *len == 0 { 4 } else { *len })
            }
            Type::Struct(s) if !s.block => {
                s.members.iter().fold(0, |n, m| self.objects(m.ty).saturating_add(n))
            }
            _ => 1,
        }
    }
}
