//! The class of each value: values of the IR are bits, those of SPIR-V are floats, signed or unsigned integers.
//!
//! Most operations fix the class of their result. Moves, selections and phis have the class of their operands: such values
//! form groups, and the definitions and uses of a group vote. A use of another class is a bit cast.

use crate::module::Class;
use crate::types::class_of;
use airfoil_ir::alu::Base;
use airfoil_ir::{
    Alu, AluOp, Body, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp, ReduceOp, Shader, Src, SystemValue,
    Tex, TexOp, TexSrc, Ty, Type,
};

/// How a value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Def {
    /// In one class.
    Fixed(Class),
    /// As an integer of either signedness.
    Integer,
    /// As its operands.
    Open,
    /// In the class of each use.
    Constant,
}

/// The class of each value of a body.
pub(crate) struct Classes {
    of: Vec<Class>,
}

impl Classes {
    pub fn get(&self, value: InstrId) -> Class {
        self.of.get(value.index()).copied().unwrap_or_default()
    }

    pub fn new(shader: &Shader, body: &Body) -> Classes {
        let n = body.instr_capacity();
        let mut groups = Groups {
            shader,
            body,
            defs: vec![Def::Constant; n],
            parent: (0..n as u32).collect(),
            votes: vec![Votes::default(); n],
        };
        for (id, instr) in body.entries() {
            groups.defs[id.index()] = groups.def(instr);
        }
        for (id, instr) in body.entries() {
            groups.connect(id, instr);
        }
        let mut of = vec![Class::default(); n];
        for (id, instr) in body.entries() {
            of[id.index()] = groups.class(id, instr.ty);
        }
        Classes { of }
    }
}

/// The scalar type of the memory that a deref points to.
pub(crate) fn pointee_class(shader: &Shader, body: &Body, deref: InstrId) -> Option<Class> {
    match shader.types[body[deref].as_deref()?.ty] {
        Type::Vector { scalar, .. } => Some(class_of(scalar)),
        _ => None,
    }
}

/// The class of the texels of the image that a deref points to.
pub(crate) fn texel_class(shader: &Shader, body: &Body, deref: InstrId) -> Class {
    match body[deref].as_deref().map(|d| &shader.types[d.ty]) {
        Some(Type::Image(image)) => class_of(image.sampled),
        _ => Class::Float,
    }
}

/// The class of a system value: that of the shader's variable, if it has one.
pub(crate) fn system_value_class(shader: &Shader, value: SystemValue) -> Class {
    let declared = shader.vars.values().find(|v| v.system_value == Some(value)).map(|v| &shader.types[v.ty]);
    match (declared, value.load_op().info().result.map(|r| r.base)) {
        (Some(Type::Vector { scalar, .. }), _) => class_of(*scalar),
        (_, Some(Base::Float)) => Class::Float,
        (_, Some(Base::Bool)) => Class::Bool,
        _ => Class::Uint,
    }
}

/// Whether SPIR-V requires that the result and the operands of an operation are unsigned.
pub(crate) fn is_unsigned(op: AluOp) -> bool {
    matches!(
        op,
        AluOp::udiv
            | AluOp::umod
            | AluOp::u2u
            | AluOp::f2u
            | AluOp::f2u_rte
            | AluOp::f2u_rtp
            | AluOp::f2u_rtn
            | AluOp::uadd_carry
            | AluOp::usub_borrow
            | AluOp::umul_high
            | AluOp::imul_high
            | AluOp::pack_64_2x32
            | AluOp::pack_64_4x16
            | AluOp::pack_32_2x16
            | AluOp::pack_32_4x8
            | AluOp::unpack_64_2x32
            | AluOp::unpack_64_4x16
            | AluOp::unpack_32_2x16
            | AluOp::unpack_32_4x8
            | AluOp::umul_2x32_64
    )
}

#[derive(Clone, Copy, Default)]
struct Votes {
    float: u32,
    uint: u32,
    sint: u32,
    integer: u32,
}

struct Groups<'a> {
    shader: &'a Shader,
    body: &'a Body,
    defs: Vec<Def>,
    parent: Vec<u32>,
    votes: Vec<Votes>,
}

impl Groups<'_> {
    fn def(&self, instr: &Instr) -> Def {
        if instr.ty.bits == 1 {
            return Def::Fixed(Class::Bool);
        }
        match &instr.kind {
            InstrKind::Alu(alu) => match alu.op.info().result.base {
                Base::Float => Def::Fixed(Class::Float),
                Base::Bool => Def::Fixed(Class::Bool),
                Base::Int | Base::Uint if is_unsigned(alu.op) => Def::Fixed(Class::Uint),
                Base::Int | Base::Uint => Def::Integer,
                Base::Any => Def::Open,
            },
            InstrKind::Phi(_) => Def::Open,
            InstrKind::Intrinsic(i) => self.intrinsic_def(i),
            InstrKind::Tex(tex) if tex.residency => Def::Fixed(Class::Uint),
            InstrKind::Tex(tex) => match tex.op {
                TexOp::Txs | TexOp::QueryLevels | TexOp::Samples => Def::Integer,
                TexOp::Lod => Def::Fixed(Class::Float),
                TexOp::Tex
                | TexOp::Txb
                | TexOp::Txl
                | TexOp::Txd
                | TexOp::Txf
                | TexOp::TxfMs
                | TexOp::Tg4 => {
                    let class = tex.src(TexSrc::Texture).map(|d| texel_class(self.shader, self.body, d));
                    Def::Fixed(class.unwrap_or(Class::Float))
                }
            },
            InstrKind::Const(_) | InstrKind::Undef => Def::Constant,
            InstrKind::Deref(_) | InstrKind::Jump(_) | InstrKind::Call(_) => Def::Fixed(Class::Uint),
        }
    }

    fn intrinsic_def(&self, i: &Intrinsic) -> Def {
        use IntrinsicOp as I;
        let pointee = || Def::Fixed(pointee_class(self.shader, self.body, i.src(0)).unwrap_or_default());
        match i.op {
            I::load_deref
            | I::deref_atomic
            | I::deref_atomic_swap
            | I::interp_deref_at_centroid
            | I::interp_deref_at_sample
            | I::interp_deref_at_offset => pointee(),
            I::image_load | I::image_atomic | I::image_atomic_swap => {
                Def::Fixed(texel_class(self.shader, self.body, i.src(0)))
            }
            I::image_size | I::image_samples => Def::Integer,
            I::load_param
            | I::read_invocation
            | I::read_first_invocation
            | I::shuffle
            | I::shuffle_xor
            | I::shuffle_up
            | I::shuffle_down
            | I::quad_broadcast
            | I::quad_swap_horizontal
            | I::quad_swap_vertical
            | I::quad_swap_diagonal => Def::Open,
            I::reduce | I::inclusive_scan | I::exclusive_scan => Def::Fixed(reduce_class(i.reduce_op())),
            I::convert_alu_types => Def::Fixed(class_of(i.dest_type())),
            _ => match i.op.system_value() {
                Some(value) => Def::Fixed(system_value_class(self.shader, value)),
                None => match i.op.info().result.map(|r| r.base) {
                    Some(Base::Float) => Def::Fixed(Class::Float),
                    _ => Def::Fixed(Class::Uint),
                },
            },
        }
    }

    fn root(&mut self, mut n: u32) -> u32 {
        while self.parent[n as usize] != n {
            let up = self.parent[self.parent[n as usize] as usize];
            self.parent[n as usize] = up;
            n = up;
        }
        n
    }

    /// The value `user` has the class of `operand`.
    fn join(&mut self, user: InstrId, operand: InstrId) {
        let root = self.root(user.index() as u32);
        match self.defs[operand.index()] {
            Def::Constant => {}
            Def::Fixed(class) => self.vote_for(root, class),
            Def::Integer | Def::Open => {
                let other = self.root(operand.index() as u32);
                if other != root {
                    let more = self.votes[other as usize];
                    let votes = &mut self.votes[root as usize];
                    votes.float += more.float;
                    votes.uint += more.uint;
                    votes.sint += more.sint;
                    votes.integer += more.integer;
                    self.parent[other as usize] = root;
                }
            }
        }
    }

    fn vote_for(&mut self, root: u32, class: Class) {
        let votes = &mut self.votes[root as usize];
        match class {
            Class::Float => votes.float += 1,
            Class::Uint => votes.uint += 1,
            Class::Sint => votes.sint += 1,
            Class::Bool => {}
        }
    }

    /// A use of a value in a class.
    fn vote(&mut self, value: InstrId, class: Class) {
        if matches!(self.defs[value.index()], Def::Integer | Def::Open) {
            let root = self.root(value.index() as u32);
            self.vote_for(root, class);
        }
    }

    /// A use of a value as an integer of either signedness.
    fn vote_integer(&mut self, value: InstrId) {
        if matches!(self.defs[value.index()], Def::Integer | Def::Open) {
            let root = self.root(value.index() as u32);
            self.votes[root as usize].integer += 1;
        }
    }

    fn connect(&mut self, id: InstrId, instr: &Instr) {
        let open = self.defs[id.index()] == Def::Open;
        if self.defs[id.index()] == Def::Integer {
            self.vote_integer(id);
        }
        match &instr.kind {
            InstrKind::Alu(alu) => self.connect_alu(id, alu, open),
            InstrKind::Phi(srcs) if open => srcs.iter().for_each(|s| self.join(id, s.value)),
            InstrKind::Intrinsic(i) => self.connect_intrinsic(id, i, open),
            InstrKind::Tex(tex) => self.connect_tex(tex),
            InstrKind::Phi(_)
            | InstrKind::Deref(_)
            | InstrKind::Const(_)
            | InstrKind::Undef
            | InstrKind::Jump(_)
            | InstrKind::Call(_) => {}
        }
    }

    fn connect_alu(&mut self, id: InstrId, alu: &Alu, open: bool) {
        let unsigned = is_unsigned(alu.op);
        for (Src { value, .. }, operand) in alu.srcs().zip(alu.op.info().operands) {
            match operand.base {
                Base::Float => self.vote(value, Class::Float),
                Base::Int | Base::Uint if unsigned => self.vote(value, Class::Uint),
                Base::Int | Base::Uint => self.vote_integer(value),
                Base::Any if open => self.join(id, value),
                Base::Any | Base::Bool => {}
            }
        }
    }

    fn connect_intrinsic(&mut self, id: InstrId, i: &Intrinsic, open: bool) {
        use IntrinsicOp as I;
        match i.op {
            I::store_deref | I::deref_atomic | I::deref_atomic_swap => {
                if let Some(class) = pointee_class(self.shader, self.body, i.src(0)) {
                    i.srcs()[1..].iter().for_each(|&v| self.vote(v, class));
                }
            }
            I::image_store | I::image_atomic | I::image_atomic_swap => {
                let class = texel_class(self.shader, self.body, i.src(0));
                self.vote_integer(i.src(1));
                self.vote(i.src(3), class);
            }
            I::reduce | I::inclusive_scan | I::exclusive_scan => {
                self.vote(i.src(0), reduce_class(i.reduce_op()));
            }
            _ if open => {
                if let Some(&value) = i.srcs().first() {
                    self.join(id, value);
                }
            }
            _ => {}
        }
    }

    fn connect_tex(&mut self, tex: &Tex) {
        for &(role, value) in &tex.srcs {
            match role {
                TexSrc::Texture | TexSrc::Sampler => {}
                TexSrc::Offset | TexSrc::MsIndex => self.vote_integer(value),
                TexSrc::Coord | TexSrc::Lod if tex.op.is_fetch() || tex.op == TexOp::Txs => {
                    self.vote_integer(value)
                }
                _ => self.vote(value, Class::Float),
            }
        }
    }

    fn class(&mut self, id: InstrId, ty: Ty) -> Class {
        let def = self.defs[id.index()];
        if let Def::Fixed(class) = def {
            return class;
        }
        let root = self.root(id.index() as u32);
        let Votes { float, uint, sint, integer } = self.votes[root as usize];
        if def == Def::Open && float > uint + sint + integer && ty.bits >= 16 {
            Class::Float
        } else if sint > uint {
            Class::Sint
        } else {
            Class::Uint
        }
    }
}

/// The class in which a reduction works.
pub(crate) fn reduce_class(op: ReduceOp) -> Class {
    match op {
        ReduceOp::Fadd | ReduceOp::Fmul | ReduceOp::Fmin | ReduceOp::Fmax => Class::Float,
        ReduceOp::Iadd
        | ReduceOp::Imul
        | ReduceOp::Imin
        | ReduceOp::Umin
        | ReduceOp::Imax
        | ReduceOp::Umax
        | ReduceOp::Iand
        | ReduceOp::Ior
        | ReduceOp::Ixor => Class::Uint,
    }
}
