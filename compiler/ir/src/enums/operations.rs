//! Types and modes of operations.

use super::Named;

named_enums! {
    /// Precision qualifier: a hint only.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Precision, Type, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader vertex "v" {
    ///   struct Light { vec3 color precision=mediump, vec3 pos }
    ///   uniform Light light precision=highp
    /// }"#)?;
    /// let light = shader.vars.values().next().unwrap();
    /// assert_eq!(light.precision, Precision::High);
    /// // Members have a hint of their own, which is part of the type.
    /// let Type::Struct(s) = &shader.types[light.ty] else { unreachable!() };
    /// assert!(s.members.iter().map(|m| m.precision).eq([Precision::Medium, Precision::None]));
    /// assert_eq!(Precision::from_name("lowp"), Some(Precision::Low));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    Precision {
        /// None given.
        #[default]
        None = "none",
        /// `lowp`.
        Low = "lowp",
        /// `mediump`, SPIR-V RelaxedPrecision.
        Medium = "mediump",
        /// `highp`.
        High = "highp",
    }
    /// How an atomic operation combines the old value and the operand.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{AtomicOp, Named, text, validate};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   shared uint most
    ///   fn main {
    ///     32x1 %n = const 7
    ///     32x1 %old = deref_atomic &most, %n op=umax
    ///     32x1 %bad = deref_atomic &most, %n op=cmpxchg
    ///   }
    /// }"#)?;
    /// assert_eq!(AtomicOp::from_name("umax"), Some(AtomicOp::Umax));
    /// // The last one lacks the operand to compare with, which only `deref_atomic_swap` has.
    /// let violation = validate::validate(&shader).pop().unwrap();
    /// assert_eq!(violation.message, "function main: compare and exchange needs the operation for it");
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    AtomicOp {
        /// Sum.
        #[default]
        Iadd = "iadd",
        /// Signed minimum.
        Imin = "imin",
        /// Unsigned minimum.
        Umin = "umin",
        /// Signed maximum.
        Imax = "imax",
        /// Unsigned maximum.
        Umax = "umax",
        /// Bitwise and.
        Iand = "iand",
        /// Bitwise or.
        Ior = "ior",
        /// Bitwise exclusive or.
        Ixor = "ixor",
        /// Exchange.
        Xchg = "xchg",
        /// Float sum.
        Fadd = "fadd",
        /// Float minimum.
        Fmin = "fmin",
        /// Float maximum.
        Fmax = "fmax",
        /// Compare and exchange, integers by bits.
        Cmpxchg = "cmpxchg",
        /// Atomic read; the operand is ignored (0).
        Load = "load",
        /// Atomic write; the result is undefined.
        Store = "store",
    }
    /// How far an effect or a wait reaches.
    ///
    /// # Examples
    ///
    /// Scopes are ordered from the smallest to the largest.
    ///
    /// ```
    /// use airfoil_ir::analysis::{Effect, SHARED_MEMORY};
    /// use airfoil_ir::{Body, Builder, Index, Intrinsic, IntrinsicOp, Modes, Scope, Ty};
    ///
    /// assert!(Scope::Invocation < Scope::Subgroup && Scope::Workgroup < Scope::Device);
    /// let mut body = Body::new();
    /// let mut b = Builder::at_end(&mut body);
    /// let fence = Intrinsic::new(IntrinsicOp::barrier, &[]).with(Index::MemoryModes, Modes::SSBO);
    /// let [alone, waits] = [Scope::None, Scope::Subgroup]
    ///     .map(|scope| b.insert_intrinsic(fence.with(Index::ExecutionScope, scope), Ty::NONE));
    /// // While an invocation waits, others can change any memory that they share with it.
    /// assert_eq!(Effect::of(&body, alone), Effect::Barrier(Modes::SSBO));
    /// assert_eq!(Effect::of(&body, waits), Effect::Barrier(SHARED_MEMORY));
    /// ```
    Scope {
        /// No invocation.
        #[default]
        None = "none",
        /// The invocation itself.
        Invocation = "invocation",
        /// The subgroup.
        Subgroup = "subgroup",
        /// The workgroup.
        Workgroup = "workgroup",
        /// The queue family.
        QueueFamily = "queue_family",
        /// The device.
        Device = "device",
    }
    /// Combining operation of subgroup reductions and scans.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{ReduceOp, analysis::Divergence, text};
    ///
    /// let shader = text::parse(r#"foil 1
    /// shader compute "c" {
    ///   fn main {
    ///     %x = load_subgroup_invocation
    ///     %all = reduce %x reduce=umax
    ///     %fours = reduce %x reduce=umax cluster=4
    ///   }
    /// }"#)?;
    /// let body = shader.entry_body().unwrap();
    /// let divergence = Divergence::new(body);
    /// let reductions = body.entries().filter(|(_, i)| i.as_intrinsic().unwrap().reduce_op() == ReduceOp::Umax);
    /// // Each cluster has its own maximum.
    /// assert!(reductions.map(|(id, _)| divergence.is_divergent(id)).eq([false, true]));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    ReduceOp {
        /// Integer sum.
        #[default]
        Iadd = "iadd",
        /// Float sum.
        Fadd = "fadd",
        /// Integer product.
        Imul = "imul",
        /// Float product.
        Fmul = "fmul",
        /// Signed minimum.
        Imin = "imin",
        /// Unsigned minimum.
        Umin = "umin",
        /// Float minimum.
        Fmin = "fmin",
        /// Signed maximum.
        Imax = "imax",
        /// Unsigned maximum.
        Umax = "umax",
        /// Float maximum.
        Fmax = "fmax",
        /// Bitwise and.
        Iand = "iand",
        /// Bitwise or.
        Ior = "ior",
        /// Bitwise exclusive or.
        Ixor = "ixor",
    }
    /// Rounding of a conversion.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Function, Index, Intrinsic, IntrinsicOp, Named, RoundingMode, Shader, Stage, Ty, text};
    ///
    /// let mut shader = Shader::new("main", Stage::Compute);
    /// let main = shader.add_function(Function::new("main"));
    /// let mut b = shader.builder(main).unwrap();
    /// let x = b.imm_f32(1.1);
    /// let convert = Intrinsic::new(IntrinsicOp::convert_alu_types, &[x]);
    /// let mut convert = |mode: RoundingMode| b.insert_intrinsic(convert.with(Index::Rounding, mode), Ty::new(1, 16));
    /// let (plain, down) = (convert(RoundingMode::Undef), convert(RoundingMode::from_name("rtz").unwrap()));
    /// // The mode of the operation itself is the default and not printed.
    /// let body = &shader.functions[main].body;
    /// assert!(!text::print_instr(&shader, body, plain).contains("rounding"));
    /// assert!(text::print_instr(&shader, body, down).ends_with("rounding=rtz"));
    /// ```
    RoundingMode {
        /// Not stated: the operation's default.
        #[default]
        Undef = "undef",
        /// Nearest, ties to even.
        Rte = "rte",
        /// Toward zero.
        Rtz = "rtz",
        /// Toward positive infinity.
        Rtp = "rtp",
        /// Toward negative infinity.
        Rtn = "rtn",
    }
    /// Type that the bits of an I/O access, image texel or conversion have.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Named, Scalar, Types};
    ///
    /// assert_eq!(Scalar::from_name("uint16"), Some(Scalar::int(16, false)));
    /// assert_eq!((Scalar::Any.bits(), Scalar::Bool.bits()), (0, 1));
    /// // A boolean has one bit as a value and four bytes in memory.
    /// let mut types = Types::default();
    /// let bvec2 = types.vector(Scalar::Bool, 2);
    /// assert_eq!(types.size(bvec2), 8);
    /// let f16vec3 = types.vector(Scalar::float(16), 3);
    /// assert_eq!(types.size(f16vec3), 6);
    /// ```
    Scalar {
        /// Bits only.
        #[default]
        Any = "any",
        /// Boolean.
        Bool = "bool",
        /// Signed, 8 bits.
        Int8 = "int8",
        /// Signed, 16 bits.
        Int16 = "int16",
        /// Signed, 32 bits.
        Int32 = "int32",
        /// Signed, 64 bits.
        Int64 = "int64",
        /// Unsigned, 8 bits.
        Uint8 = "uint8",
        /// Unsigned, 16 bits.
        Uint16 = "uint16",
        /// Unsigned, 32 bits.
        Uint32 = "uint32",
        /// Unsigned, 64 bits.
        Uint64 = "uint64",
        /// Float, 16 bits.
        Float16 = "float16",
        /// Float, 32 bits.
        Float32 = "float32",
        /// Float, 64 bits.
        Float64 = "float64",
    }
    /// Hint on an `if` or a loop.
    ///
    /// # Examples
    ///
    /// ```
    /// use airfoil_ir::{Control, text};
    ///
    /// let mut shader = text::parse(r#"foil 1
    /// shader vertex "v" {
    ///   fn main {
    ///     1x1 %c = const true
    ///     if %c flatten { }
    ///   }
    /// }"#)?;
    /// let body = shader.entry_body_mut().unwrap();
    /// let cf = body.next_cf(body.entry()).unwrap();
    /// assert_eq!(body.as_if(cf).unwrap().control, Control::Flatten);
    /// body.set_control(cf, Control::Keep);
    /// assert!(text::print(&shader).contains("if %0 keep {"));
    /// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
    /// ```
    Control {
        /// None given.
        #[default]
        None = "none",
        /// Flatten the `if` / unroll the loop.
        Flatten = "flatten",
        /// Keep the branch / the loop.
        Keep = "keep",
    }
}

impl Scalar {
    /// Bits of one component; 0 for `Any`, 1 for `Bool`.
    pub const fn bits(self) -> u8 {
        match self {
            Scalar::Any => 0,
            Scalar::Bool => 1,
            Scalar::Int8 | Scalar::Uint8 => 8,
            Scalar::Int16 | Scalar::Uint16 | Scalar::Float16 => 16,
            Scalar::Int32 | Scalar::Uint32 | Scalar::Float32 => 32,
            Scalar::Int64 | Scalar::Uint64 | Scalar::Float64 => 64,
        }
    }

    /// Whether this is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::Float16 | Scalar::Float32 | Scalar::Float64)
    }

    /// Whether this is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64)
    }

    /// Whether this is an unsigned integer.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64)
    }

    /// The float of `bits` bits.
    pub const fn float(bits: u8) -> Scalar {
        match bits {
            16 => Scalar::Float16,
            64 => Scalar::Float64,
            _ => Scalar::Float32,
        }
    }

    /// The integer of `bits` bits.
    pub const fn int(bits: u8, signed: bool) -> Scalar {
        match (bits, signed) {
            (8, true) => Scalar::Int8,
            (8, false) => Scalar::Uint8,
            (16, true) => Scalar::Int16,
            (16, false) => Scalar::Uint16,
            (64, true) => Scalar::Int64,
            (64, false) => Scalar::Uint64,
            (_, true) => Scalar::Int32,
            (_, false) => Scalar::Uint32,
        }
    }
}
