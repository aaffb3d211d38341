//! Types: SPIR-V's declarations, and the IR types that represent them in memory.

use crate::error::*;
use crate::physical_pointers::{ADDRESS, is_physical};
use crate::state::{Def, Kind, Reader, SMember, SType, TyIx};
use crate::variable_pointers::{POINTER, can_vary};
use crate::words::Inst;
use airfoil_ir::*;
use spirv::{Decoration, Op, StorageClass};

/// Composite types may nest this deep (SPIR-V 2.17 has the limit for structures).
const MAX_DEPTH: u16 = 255;

/// Values of more scalars and vectors than this stay in memory.
const MAX_LEAVES: u32 = 32;

/// Values of types that nest deeper than this stay in memory.
const MAX_VALUE_DEPTH: u16 = 32;

/// Layout that a member gives to the matrices in it.
type MatrixLayout = Option<(u32, bool)>;

impl<'w> Reader<'w> {
    pub fn declare_type(&mut self, inst: Inst<'w>, op: Op) -> Res<()> {
        let id = inst.word(1)?;
        let mut ty = SType {
            kind: Kind::Void,
            id,
            depth: 1,
            leaves: 1,
            align: 1,
            size: 0,
            shape: Ty::NONE,
            ir: None,
            block: false,
            buffer_block: false,
        };
        ty.kind = match op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => {
                ty.shape = Ty::BOOL;
                Kind::Bool
            }
            Op::TypeInt => {
                let bits = inst.word(2)?;
                if !matches!(bits, 8 | 16 | 32 | 64) {
                    bail!(TYPE, "integers of {bits} bits do not exist in shaders");
                }
                self.has_wide |= bits == 64;
                ty.shape = Ty::new(1, bits as u8);
                Kind::Int { bits: bits as u8, signed: inst.word(3)? != 0 }
            }
            Op::TypeFloat => {
                let bits = inst.word(2)?;
                if !matches!(bits, 16 | 32 | 64) || inst.words.len() > 3 {
                    bail!(UNSUPPORTED, "this type of floats of {bits} bits is not supported");
                }
                ty.shape = Ty::new(1, bits as u8);
                Kind::Float { bits: bits as u8 }
            }
            Op::TypeVector => {
                let (elem, n) = (self.type_of(inst.word(2)?)?, inst.word(3)?);
                let shape = self.types[elem as usize].shape;
                if shape.comps != 1 || !(2..=4).contains(&n) {
                    bail!(TYPE, "a vector has 2 to 4 scalars, this one has {n}");
                }
                ty.shape = shape.with_comps(n as u8);
                Kind::Vector { elem, n: n as u8 }
            }
            Op::TypeMatrix => {
                let (column, n) = (self.type_of(inst.word(2)?)?, inst.word(3)?);
                let is_vector = matches!(self.kind(column), Kind::Vector { elem, .. } if matches!(self.kind(elem), Kind::Float { .. }));
                if !is_vector || !(2..=4).contains(&n) {
                    return fail(TYPE, "a matrix has 2 to 4 columns that are vectors of floats");
                }
                ty.leaves = n;
                (ty.align, ty.size) =
                    (self.types[column as usize].align, n * self.types[column as usize].size);
                Kind::Matrix { column, n: n as u8 }
            }
            Op::TypeArray => {
                let elem = self.element_type(inst.word(2)?)?;
                let length = inst.word(3)?;
                let Some(len) = self.const_u32(length).filter(|&n| n != 0) else {
                    bail!(TYPE, "{} is not a valid array length", self.show(length));
                };
                let e = &self.types[elem as usize];
                ty.depth = e.depth + 1;
                ty.leaves = e.leaves.saturating_mul(len);
                ty.align = e.align;
                let stride = self.array_stride(id);
                self.check_aligned(id, "the stride", stride, ty.align)?;
                ty.size = len.saturating_mul(if stride == 0 { e.size } else { stride });
                Kind::Array { elem, len, stride }
            }
            Op::TypeRuntimeArray => {
                let elem = self.element_type(inst.word(2)?)?;
                let e = &self.types[elem as usize];
                ty.depth = e.depth + 1;
                ty.leaves = u32::MAX;
                ty.align = e.align;
                let stride = self.array_stride(id);
                self.check_aligned(id, "the stride", stride, ty.align)?;
                Kind::Runtime { elem, stride }
            }
            Op::TypeStruct => self.declare_struct(inst, &mut ty)?,
            Op::TypeImage => Kind::Image(self.image_type(inst)?),
            Op::TypeSampler => Kind::Sampler,
            Op::TypeSampledImage => {
                let image = self.type_of(inst.word(2)?)?;
                if !matches!(self.kind(image), Kind::Image(_)) {
                    return fail(TYPE, "the type of a sampled image needs an image type");
                }
                Kind::SampledImage(image)
            }
            Op::TypePointer | Op::TypeForwardPointer => {
                let class = inst.word(2)?;
                let Some(class) = StorageClass::from_u32(class) else {
                    bail!(UNSUPPORTED, "storage class {class} is not known");
                };
                if is_physical(class) {
                    self.physical_pointer.get_or_insert(self.types.len() as TyIx);
                    ty.shape = ADDRESS;
                    self.has_wide = true;
                } else if op == Op::TypeForwardPointer {
                    bail!(UNSUPPORTED, "OpTypeForwardPointer of storage class {class:?} is not supported");
                } else if self.variable_pointers && can_vary(class) {
                    ty.shape = POINTER;
                }
                let to = if op == Op::TypePointer { inst.word(3)? } else { 0 };
                if let Some(known) = self.forward_pointer(id) {
                    if !is_physical(class) {
                        bail!(TYPE, "{} was announced with another storage class", self.show(id));
                    }
                    self.types[known as usize].kind = Kind::Pointer { class, to };
                    return Ok(());
                }
                Kind::Pointer { class, to }
            }
            Op::TypeFunction => {
                let ret = self.type_of(inst.word(2)?)?;
                let first = self.params.len() as u32;
                for &p in inst.rest(3) {
                    let p = self.type_of(p)?;
                    self.params.push(p);
                }
                Kind::Function { ret, first, n: inst.rest(3).len() as u32 }
            }
            _ => Kind::Other(op),
        };
        if ty.shape != Ty::NONE {
            ty.align = (ty.shape.bits / 8).max(1);
            ty.size = ty.shape.bytes();
        }
        // The depth includes the scalar, vector or matrix within.
        if ty.depth > MAX_DEPTH + 1 {
            bail!(LIMIT, "arrays and structures nest deeper than {MAX_DEPTH} levels");
        }
        self.define(id, Def::Type(self.types.len() as TyIx))?;
        self.types.push(ty);
        Ok(())
    }

    /// The type that OpTypeForwardPointer has announced under this id.
    fn forward_pointer(&self, id: u32) -> Option<TyIx> {
        match self.id(id).def {
            Def::Type(ty) => matches!(self.kind(ty), Kind::Pointer { to: 0, .. }).then_some(ty),
            _ => None,
        }
    }

    fn element_type(&self, id: u32) -> Res<TyIx> {
        let ty = self.type_of(id)?;
        match self.kind(ty) {
            Kind::Void | Kind::Function { .. } => {
                bail!(TYPE, "{} cannot be part of another type", self.show(id))
            }
            _ => Ok(ty),
        }
    }

    fn array_stride(&self, id: u32) -> u32 {
        self.decoration(id, Decoration::ArrayStride).map_or(0, |d| d.operand())
    }

    /// Offsets and strides are multiples of the bytes of the scalars (Vulkan 1.3 section 15.6.4, "Scalar Alignment").
    fn check_aligned(&self, id: u32, what: &str, bytes: u32, align: u8) -> Res<()> {
        if bytes.is_multiple_of(u32::from(align)) {
            return Ok(());
        }
        bail!(TYPE, "{what} in {} is {bytes} bytes, expected a multiple of {align}", self.show(id))
    }

    fn declare_struct(&mut self, inst: Inst<'w>, ty: &mut SType) -> Res<Kind> {
        let first = self.members.len();
        let ids = inst.rest(2);
        ty.leaves = 0;
        for &m in ids {
            let m = self.element_type(m)?;
            let t = &self.types[m as usize];
            ty.depth = ty.depth.max(t.depth + 1);
            ty.leaves = ty.leaves.saturating_add(t.leaves);
            ty.align = ty.align.max(t.align);
            self.members.push(SMember { ty: m, ..SMember::default() });
        }
        let decorations: smallvec::SmallVec<[_; 32]> = self.decorations(inst.word(1)?).collect();
        for d in decorations {
            let Some(m) = d.member else {
                ty.block |= matches!(d.kind, Decoration::Block | Decoration::BufferBlock);
                ty.buffer_block |= d.kind == Decoration::BufferBlock;
                continue;
            };
            if m as usize >= ids.len() {
                bail!(ID, "a decoration names member {m} of a structure with {} members", ids.len());
            }
            let member = &mut self.members[first + m as usize];
            match d.kind {
                Decoration::Offset => member.offset = Some(d.operand()),
                Decoration::MatrixStride => member.matrix_stride = d.operand(),
                Decoration::RowMajor => member.row_major = true,
                Decoration::RelaxedPrecision => member.precision = Precision::Medium,
                Decoration::BuiltIn => member.builtin = d.operand().saturating_add(1),
                other => member.access |= access_of(other),
            }
        }
        for i in first..self.members.len() {
            let m = self.members[i];
            let align = self.types[m.ty as usize].align;
            self.check_aligned(inst.word(1)?, "the offset of a member", m.offset.unwrap_or(0), align)?;
            self.check_aligned(inst.word(1)?, "the stride of a matrix", m.matrix_stride, align)?;
            let end = u64::from(m.offset.unwrap_or(ty.size))
                + u64::from(self.types[m.ty as usize].size)
                + 4 * u64::from(m.matrix_stride);
            // Sizes saturate: the largest is that of all larger types.
            ty.size = ty.size.max(end.min(u64::from(u32::MAX)) as u32);
            if m.offset.is_some() && end >= u64::from(u32::MAX) {
                bail!(
                    LIMIT,
                    "{} has {} bytes or more, which is not supported",
                    self.show(inst.word(1)?),
                    u32::MAX
                );
            }
        }
        Ok(Kind::Struct { first: first as u32, n: ids.len() as u32 })
    }

    fn image_type(&mut self, inst: Inst<'w>) -> Res<ImageType> {
        let sampled_ty = self.type_of(inst.word(2)?)?;
        let sampled = match self.kind(sampled_ty) {
            Kind::Void => Scalar::Any,
            _ => self.scalar(sampled_ty)?,
        };
        let multisampled = inst.word(6)? != 0;
        let dim = match (inst.word(3)?, multisampled) {
            (0, false) => Dim::D1,
            (1, false) => Dim::D2,
            (1, true) => Dim::Ms,
            (2, false) => Dim::D3,
            (3, false) => Dim::Cube,
            (4, false) => Dim::Rect,
            (5, false) => Dim::Buffer,
            (6, false) => Dim::Subpass,
            (6, true) => Dim::SubpassMs,
            (n, _) => bail!(UNSUPPORTED, "images of dimension {n} are not supported here"),
        };
        let format = inst.word(8)?;
        let Some(format) = image_format(format) else {
            bail!(UNSUPPORTED, "image format {format} is not known");
        };
        Ok(ImageType {
            dim,
            arrayed: inst.word(5)? != 0,
            shadow: inst.word(4)? == 1,
            sampled,
            // Input attachments count as used without a sampler, as storage images do, but are textures.
            storage: inst.word(7)? == 2 && inst.word(3)? != 6,
            combined: false,
            format,
        })
    }

    /// Members of a structure.
    pub fn members_of(&self, ty: TyIx) -> &[SMember] {
        &self.members[self.member_range(ty)]
    }

    fn member_range(&self, ty: TyIx) -> std::ops::Range<usize> {
        match self.kind(ty) {
            Kind::Struct { first, n } => first as usize..(first + n) as usize,
            _ => 0..0,
        }
    }

    /// Number of parts of a composite and their type where all have the same.
    pub fn parts(&self, ty: TyIx) -> Option<(u32, Option<TyIx>)> {
        match self.kind(ty) {
            Kind::Vector { elem, n } => Some((u32::from(n), Some(elem))),
            Kind::Matrix { column, n } => Some((u32::from(n), Some(column))),
            Kind::Array { elem, len, .. } => Some((len, Some(elem))),
            Kind::Struct { n, .. } => Some((n, None)),
            _ => None,
        }
    }

    /// Type of part `i` of a composite.
    pub fn part(&self, ty: TyIx, i: u32) -> Res<TyIx> {
        match self.kind(ty) {
            Kind::Runtime { elem, .. } => Ok(elem),
            Kind::Vector { elem, n } if i < u32::from(n) => Ok(elem),
            Kind::Matrix { column, n } if i < u32::from(n) => Ok(column),
            Kind::Array { elem, len, .. } if i < len => Ok(elem),
            Kind::Struct { first, n } if i < n => Ok(self.members[(first + i) as usize].ty),
            _ => self.no_part(ty, i),
        }
    }

    #[cold]
    fn no_part(&self, ty: TyIx, i: u32) -> Res<TyIx> {
        fail(TYPE, format!("{} has no part {i}", self.show_type(ty)))
    }

    /// Whether values of two types have the same parts; layout and signs do not matter. Gives up (false)
    /// when `budget` is used up.
    pub fn same_type(&self, a: TyIx, b: TyIx, budget: &mut u32) -> bool {
        if a == b {
            return true;
        }
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        let shape = self.types[a as usize].shape;
        if !shape.is_none() {
            return self.types[b as usize].shape == shape;
        }
        match (self.kind(a), self.kind(b)) {
            (Kind::Matrix { column: x, n }, Kind::Matrix { column: y, n: m }) => {
                n == m && self.same_type(x, y, budget)
            }
            (Kind::Array { elem: x, len: n, .. }, Kind::Array { elem: y, len: m, .. }) => {
                n == m && self.same_type(x, y, budget)
            }
            (Kind::Runtime { elem: x, .. }, Kind::Runtime { elem: y, .. }) => self.same_type(x, y, budget),
            (Kind::Struct { n, .. }, Kind::Struct { n: m, .. }) => {
                let members = self.members_of(a).iter().zip(self.members_of(b));
                n == m && members.into_iter().all(|(x, y)| self.same_type(x.ty, y.ty, budget))
            }
            (Kind::SampledImage(x), Kind::SampledImage(y)) => self.same_type(x, y, budget),
            (x, y) => x == y,
        }
    }

    /// Whether values of a type stay in memory: they have many parts or nest deeply.
    pub fn is_large(&self, ty: TyIx) -> bool {
        self.types[ty as usize].leaves > MAX_LEAVES || self.is_deep(ty)
    }

    /// Whether a type nests more deeply than walks over values recurse.
    pub fn is_deep(&self, ty: TyIx) -> bool {
        self.types[ty as usize].depth > MAX_VALUE_DEPTH
    }

    /// Name of a type for messages.
    pub fn show_type(&self, ty: TyIx) -> String {
        self.show(self.types[ty as usize].id)
    }

    /// Component type of a scalar or vector.
    pub fn scalar(&self, ty: TyIx) -> Res<Scalar> {
        Ok(match self.kind(ty) {
            Kind::Bool => Scalar::Bool,
            Kind::Int { bits, signed } => Scalar::int(bits, signed),
            Kind::Float { bits } => Scalar::float(bits),
            Kind::Vector { elem, .. } => return self.scalar(elem),
            _ => return self.no_vector(ty),
        })
    }

    /// Shape of a scalar or vector.
    #[inline]
    pub fn shape(&self, ty: TyIx) -> Res<Ty> {
        match self.types[ty as usize].shape {
            Ty::NONE => self.no_vector(ty),
            shape => Ok(shape),
        }
    }

    /// Shape of a scalar or vector; `None` for other types.
    pub fn shape_if_vector(&self, ty: TyIx) -> Option<Ty> {
        let shape = self.types[ty as usize].shape;
        (!shape.is_none()).then_some(shape)
    }

    #[cold]
    fn no_vector<T>(&self, ty: TyIx) -> Res<T> {
        fail(TYPE, format!("{} is not a scalar or vector", self.show_type(ty)))
    }

    /// Whether values of a type are references to images or samplers.
    pub fn is_opaque(&self, ty: TyIx) -> bool {
        matches!(self.kind(ty), Kind::Image(_) | Kind::Sampler | Kind::SampledImage(_))
    }

    /// The type with all arrays around it taken off.
    pub fn without_arrays(&self, mut ty: TyIx) -> TyIx {
        while let Kind::Array { elem, .. } | Kind::Runtime { elem, .. } = self.kind(ty) {
            ty = elem;
        }
        ty
    }

    /// The IR's type for memory of this type.
    pub fn ir_type(&mut self, ty: TyIx) -> Res<TypeId> {
        if let Some(t) = self.types[ty as usize].ir {
            return Ok(t);
        }
        let t = self.make_ir_type(ty, None)?;
        self.types[ty as usize].ir = Some(t);
        Ok(t)
    }

    /// Depth is bounded by [`MAX_DEPTH`]; structures are created once, so the work is linear.
    fn make_ir_type(&mut self, ty: TyIx, layout: MatrixLayout) -> Res<TypeId> {
        let made = match self.kind(ty) {
            Kind::Bool | Kind::Int { .. } | Kind::Float { .. } => {
                Type::Vector { scalar: self.scalar(ty)?, comps: 1 }
            }
            Kind::Vector { elem, n } => Type::Vector { scalar: self.scalar(elem)?, comps: n },
            Kind::Matrix { column, n } => {
                let (stride, row_major) = layout.unwrap_or_default();
                let (scalar, rows) = (self.scalar(column)?, self.shape(column)?.comps);
                Type::Matrix { scalar, cols: n, rows, stride, row_major }
            }
            Kind::Array { elem, len, stride } => {
                Type::Array { elem: self.part_ir_type(elem, layout)?, len, stride }
            }
            Kind::Runtime { elem, stride } => {
                Type::Array { elem: self.part_ir_type(elem, layout)?, len: 0, stride }
            }
            Kind::Struct { .. } => {
                let (id, block) = (self.types[ty as usize].id, self.types[ty as usize].block);
                let name = self.name(id);
                let range = self.member_range(ty);
                let mut members = Vec::with_capacity(range.len());
                for i in range {
                    let m = self.members[i];
                    let layout = (m.matrix_stride != 0).then_some((m.matrix_stride, m.row_major));
                    let ty = self.part_ir_type(m.ty, layout)?;
                    members.push(Member { offset: m.offset, precision: m.precision, ..Member::new("", ty) });
                }
                for (i, name) in self.member_names(id) {
                    if let Some(m) = members.get_mut(i as usize) {
                        m.name = name;
                    }
                }
                Type::Struct(StructType { name, members: members.into(), block })
            }
            Kind::Image(image) => Type::Image(image),
            Kind::Sampler => Type::Sampler,
            Kind::SampledImage(image) => match self.kind(image) {
                Kind::Image(image) => Type::Image(ImageType { combined: true, ..image }),
                _ => return fail(TYPE, "a sampled image without image"),
            },
            Kind::Pointer { .. } if self.types[ty as usize].shape == POINTER => {
                Type::Vector { scalar: Scalar::Uint32, comps: POINTER.comps }
            }
            Kind::Pointer { .. } if self.types[ty as usize].shape == ADDRESS => {
                Type::Vector { scalar: Scalar::Uint64, comps: 1 }
            }
            Kind::Pointer { class, .. } => {
                bail!(UNSUPPORTED, "{class:?} pointers in memory are not supported")
            }
            Kind::Other(op) => bail!(UNSUPPORTED, "Op{op:?} is not supported"),
            Kind::Void | Kind::Function { .. } => {
                bail!(TYPE, "{} cannot be in memory", self.show_type(ty))
            }
        };
        Ok(self.shader.types.intern(made))
    }

    fn part_ir_type(&mut self, ty: TyIx, layout: MatrixLayout) -> Res<TypeId> {
        match layout {
            None => self.ir_type(ty),
            Some(_) if matches!(self.kind(ty), Kind::Struct { .. }) => self.ir_type(ty),
            Some(_) => self.make_ir_type(ty, layout),
        }
    }

    /// Kind of memory of a storage class, for memory of type `ty`.
    pub fn mode_of(&self, class: StorageClass, ty: TyIx) -> Res<Modes> {
        let inner = self.without_arrays(ty);
        Ok(match class {
            StorageClass::UniformConstant => match self.kind(inner) {
                Kind::Image(i) if i.storage => Modes::IMAGE,
                _ => Modes::UNIFORM,
            },
            StorageClass::Input => Modes::IN,
            StorageClass::Output => Modes::OUT,
            StorageClass::Uniform if self.types[inner as usize].buffer_block => Modes::SSBO,
            StorageClass::Uniform => Modes::UBO,
            StorageClass::StorageBuffer => Modes::SSBO,
            StorageClass::AtomicCounter if self.is_opengl() => Modes::SSBO,
            StorageClass::PushConstant => Modes::PUSH_CONST,
            StorageClass::Workgroup => Modes::SHARED,
            StorageClass::Private => Modes::SHADER_TEMP,
            StorageClass::Function => Modes::FUNCTION_TEMP,
            StorageClass::PhysicalStorageBuffer => Modes::GLOBAL,
            StorageClass::TaskPayloadWorkgroupEXT => Modes::TASK_PAYLOAD,
            _ => bail!(UNSUPPORTED, "storage class {class:?} is not supported"),
        })
    }
}

/// Access qualifier of a decoration.
pub(crate) fn access_of(decoration: Decoration) -> Access {
    match decoration {
        Decoration::Coherent => Access::COHERENT,
        Decoration::Volatile => Access::VOLATILE,
        Decoration::Restrict => Access::RESTRICT,
        Decoration::NonReadable => Access::NON_READABLE,
        Decoration::NonWritable => Access::NON_WRITEABLE,
        _ => Access::empty(),
    }
}

/// SPIR-V's numbers of formats are the IR's, in the same order up to R8ui; the two 64-bit ones follow.
fn image_format(n: u32) -> Option<ImageFormat> {
    ImageFormat::from_number(n)
}
