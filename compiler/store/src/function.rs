//! Functions: instructions in order, with the ifs and loops around them. Values are referred to by the distance to their definition.

use crate::code::{self, Code};
use crate::declarations::Fault;
use crate::list::List;
use airfoil_ir::{
    Alu, AluFlags, AluOp, BlockId, Body, Call, Cf, CfId, Control, Cursor, Deref, DerefKind, Dim, FuncId,
    Function, Instr, InstrId, InstrKind, Intrinsic, IntrinsicOp, Jump, Loc, Modes, Param, PhiSrc, Precision,
    Scalar, Src, Swizzle, Tex, TexOp, TexSrc, Ty, TypeId, VarId, Walk,
};
use serde::{Deserialize, Serialize};
use slotmap::SecondaryMap;

#[derive(Serialize, Deserialize)]
pub struct FunctionImage<'a> {
    name: &'a str,
    params: Vec<ParamImage>,
    loc: LocImage,
    instrs: u32,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
struct ParamImage {
    ty: TyImage,
    pointee: Option<(u32, Code<Modes>)>,
    #[serde(with = "code")]
    precision: Precision,
}

/// Components and bits.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct TyImage(u8, u8);

impl From<Ty> for TyImage {
    fn from(ty: Ty) -> TyImage {
        TyImage(ty.comps, ty.bits)
    }
}

impl TyImage {
    fn restore(self) -> Result<Ty, Fault> {
        let ty = Ty::new(self.0, self.1);
        if ty == Ty::NONE || ty.is_legal() { Ok(ty) } else { Err("a value has an unknown shape") }
    }
}

/// File, counted from 1, and line; zeros if unknown.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct LocImage(u32, u32);

impl From<Loc> for LocImage {
    fn from(loc: Loc) -> LocImage {
        LocImage(loc.file().map_or(0, |file| file + 1), loc.line())
    }
}

impl From<LocImage> for Loc {
    fn from(LocImage(file, line): LocImage) -> Loc {
        file.checked_sub(1).map_or(Loc::NONE, |file| Loc::new(file, line))
    }
}

/// A step through the code of a function.
#[derive(Serialize, Deserialize)]
enum Step {
    Instr { kind: Kind, ty: TyImage, loc: LocImage },
    If { cond: Value, control: Code<Control> },
    Else,
    EndIf,
    Loop { control: Code<Control> },
    EndLoop,
}

/// How many instructions before this one a value is defined; negative for phis of later values.
type Value = i32;

#[derive(Serialize, Deserialize)]
enum Kind {
    Alu { op: Code<AluOp>, flags: Code<AluFlags>, srcs: List<(Value, u8)> },
    Deref { step: DerefStep, ty: u32, modes: Code<Modes> },
    Intrinsic { op: Code<IntrinsicOp>, indices: u64, srcs: List<Value> },
    Tex(Box<TexImage>),
    Const(List<u64>),
    Undef,
    Phi(List<(u32, Value)>),
    Jump(Code<Jump>),
    Call { callee: u32, args: List<Value> },
}

#[derive(Serialize, Deserialize)]
enum DerefStep {
    Var(u32),
    Array(Value, Value),
    ArrayWildcard(Value),
    Struct(Value, u32),
    Cast(Value, u32),
    PtrAsArray(Value, Value),
}

#[derive(Serialize, Deserialize)]
struct TexImage {
    #[serde(with = "code")]
    op: TexOp,
    #[serde(with = "code")]
    dim: Dim,
    arrayed: bool,
    shadow: bool,
    #[serde(with = "code")]
    dest_type: Scalar,
    component: u8,
    offsets: Option<[[i8; 2]; 4]>,
    non_uniform: bool,
    relaxed: bool,
    residency: bool,
    srcs: List<(Code<TexSrc>, Value)>,
}

/// Positions of functions and variables.
pub struct Numbers {
    pub functions: SecondaryMap<FuncId, u32>,
    pub vars: SecondaryMap<VarId, u32>,
}

/// Turns a function into its image.
struct Writer<'a> {
    numbers: &'a Numbers,
    values: SecondaryMap<InstrId, i32>,
    blocks: SecondaryMap<BlockId, u32>,
    at: i32,
}

impl Writer<'_> {
    fn value(&self, id: InstrId) -> Value {
        // A value without definition refers to the instruction itself, which no reader accepts.
        self.values.get(id).map_or(0, |n| self.at - n)
    }

    fn values(&self, ids: &[InstrId]) -> List<Value> {
        ids.iter().map(|&id| self.value(id)).collect()
    }

    fn kind(&self, kind: &InstrKind, ty: Ty) -> Kind {
        match kind {
            InstrKind::Alu(alu) => Kind::Alu {
                op: Code(alu.op),
                flags: Code(alu.flags),
                srcs: alu.srcs().map(|s| (self.value(s.value), s.swizzle.bits())).collect(),
            },
            InstrKind::Deref(Deref { kind, ty, modes }) => Kind::Deref {
                step: match *kind {
                    DerefKind::Var(var) => {
                        DerefStep::Var(self.numbers.vars.get(var).copied().unwrap_or(u32::MAX))
                    }
                    DerefKind::Array { parent, index } => {
                        DerefStep::Array(self.value(parent), self.value(index))
                    }
                    DerefKind::ArrayWildcard { parent } => DerefStep::ArrayWildcard(self.value(parent)),
                    DerefKind::Struct { parent, field } => DerefStep::Struct(self.value(parent), field),
                    DerefKind::Cast { parent, stride } => DerefStep::Cast(self.value(parent), stride),
                    DerefKind::PtrAsArray { parent, index } => {
                        DerefStep::PtrAsArray(self.value(parent), self.value(index))
                    }
                },
                ty: ty.index() as u32,
                modes: Code(*modes),
            },
            InstrKind::Intrinsic(i) => {
                Kind::Intrinsic { op: Code(i.op), indices: i.indices().bits(), srcs: self.values(i.srcs()) }
            }
            InstrKind::Tex(tex) => {
                // Taken apart, so that a field that is added cannot be forgotten here.
                let Tex {
                    op,
                    dim,
                    arrayed,
                    shadow,
                    dest_type,
                    component,
                    offsets,
                    non_uniform,
                    relaxed,
                    residency,
                    srcs,
                } = &**tex;
                Kind::Tex(Box::new(TexImage {
                    op: *op,
                    dim: *dim,
                    arrayed: *arrayed,
                    shadow: *shadow,
                    dest_type: *dest_type,
                    component: *component,
                    offsets: *offsets,
                    non_uniform: *non_uniform,
                    relaxed: *relaxed,
                    residency: *residency,
                    srcs: srcs.iter().map(|&(role, value)| (Code(role), self.value(value))).collect(),
                }))
            }
            InstrKind::Const(lanes) => Kind::Const(lanes.iter().copied().take(ty.comps.into()).collect()),
            InstrKind::Undef => Kind::Undef,
            InstrKind::Phi(srcs) => {
                let block = |id| self.blocks.get(id).copied().unwrap_or(u32::MAX);
                Kind::Phi(srcs.iter().map(|s| (block(s.pred), self.value(s.value))).collect())
            }
            InstrKind::Jump(jump) => Kind::Jump(Code(*jump)),
            InstrKind::Call(call) => Kind::Call {
                callee: self.numbers.functions.get(call.callee).copied().unwrap_or(u32::MAX),
                args: self.values(&call.args),
            },
        }
    }
}

impl<'a> FunctionImage<'a> {
    pub fn of(function: &'a Function, numbers: &Numbers) -> FunctionImage<'a> {
        let Function { name, params, loc, body } = function;
        let param = |&Param { ty, pointee, precision }: &Param| ParamImage {
            ty: ty.into(),
            pointee: pointee.map(|(ty, modes)| (ty.index() as u32, Code(modes))),
            precision,
        };
        let mut writer = Writer {
            numbers,
            values: body.all_instrs().zip(0..).collect(),
            blocks: body.blocks().zip(0..).collect(),
            at: 0,
        };
        let mut steps = Vec::with_capacity(body.num_instrs() + 2 * body.num_cfs());
        let control = |cf| match body.cf(cf) {
            Cf::If(n) => Code(n.control),
            Cf::Loop(n) => Code(n.control),
        };
        for step in body.walk_cf() {
            match step {
                Walk::Block(block) => {
                    for id in body.instrs(block) {
                        let Instr { kind, ty, loc, .. } = &body[id];
                        let kind = writer.kind(kind, *ty);
                        steps.push(Step::Instr { kind, ty: (*ty).into(), loc: (*loc).into() });
                        writer.at += 1;
                    }
                }
                Walk::If(cf) => {
                    let cond = body.as_if(cf).map_or(0, |n| writer.value(n.cond()));
                    steps.push(Step::If { cond, control: control(cf) });
                }
                Walk::Else(_) => steps.push(Step::Else),
                Walk::EndIf(_) => steps.push(Step::EndIf),
                Walk::Loop(cf) => steps.push(Step::Loop { control: control(cf) }),
                Walk::EndLoop(_) => steps.push(Step::EndLoop),
            }
        }
        let params = params.iter().map(param).collect();
        FunctionImage { name, params, loc: (*loc).into(), instrs: body.num_instrs() as u32, steps }
    }

    /// The function without its code.
    pub fn head(&self, types: &[TypeId]) -> Result<Function, Fault> {
        let param = |p: &ParamImage| {
            let pointee = match &p.pointee {
                Some((ty, modes)) => {
                    let ty = types.get(*ty as usize).ok_or("a parameter of a missing type")?;
                    Some((*ty, modes.0))
                }
                None => None,
            };
            Ok(Param { ty: p.ty.restore()?, pointee, precision: p.precision })
        };
        let mut function = Function::new(self.name);
        function.params = self.params.iter().map(param).collect::<Result<_, Fault>>()?;
        function.loc = self.loc.into();
        Ok(function)
    }

    /// The code.
    pub fn body(&self, tables: &Tables<'_>) -> Result<Body, Fault> {
        let mut body = Body::new();
        // Not more than the remaining steps.
        let count = (self.instrs as usize).min(self.steps.len());
        body.reserve(count);
        let block = body.entry();
        let mut reader = Reader {
            tables,
            body,
            values: Vec::with_capacity(count),
            blocks: vec![block],
            phis: Vec::new(),
            frames: Vec::new(),
            block,
            has_jumped: false,
        };
        self.steps.iter().try_for_each(|step| reader.step(step))?;
        reader.finish()
    }
}

/// Types, variables and functions by position.
pub struct Tables<'a> {
    pub types: &'a [TypeId],
    pub vars: &'a [VarId],
    pub functions: &'a [FuncId],
}

/// Deepest nesting of ifs and loops, as in the text form.
const MAX_DEPTH: usize = 4096;

/// An `if` or loop that is being read.
#[derive(Clone, Copy)]
enum Frame {
    Then(CfId),
    Else(CfId),
    Loop(CfId),
}

/// A phi without its operands.
struct Phi {
    id: InstrId,
    /// Its position among the values.
    at: usize,
    srcs: List<(u32, Value)>,
}

/// Builds the code of a function.
struct Reader<'a> {
    tables: &'a Tables<'a>,
    body: Body,
    values: Vec<InstrId>,
    blocks: Vec<BlockId>,
    /// Phis, which refer to later values and blocks.
    phis: Vec<Phi>,
    frames: Vec<Frame>,
    block: BlockId,
    /// The block has its jump.
    has_jumped: bool,
}

impl Reader<'_> {
    fn step(&mut self, step: &Step) -> Result<(), Fault> {
        match step {
            Step::Instr { kind, ty, loc } => self.instr(kind, ty.restore()?, (*loc).into()),
            Step::If { cond, control } => {
                let cond = self.value(*cond)?;
                self.open()?;
                let cf = self.body.insert_if(Cursor::BlockEnd(self.block), cond);
                self.body.set_control(cf, control.0);
                self.enter(Frame::Then(cf))
            }
            Step::Loop { control } => {
                self.open()?;
                let cf = self.body.insert_loop(Cursor::BlockEnd(self.block));
                self.body.set_control(cf, control.0);
                self.enter(Frame::Loop(cf))
            }
            Step::Else => match self.frames.pop() {
                Some(Frame::Then(cf)) => self.enter(Frame::Else(cf)),
                _ => Err("an else without if"),
            },
            Step::EndIf => match self.frames.pop() {
                Some(Frame::Else(cf)) => self.leave(cf),
                _ => Err("the end of an if without else"),
            },
            Step::EndLoop => match self.frames.pop() {
                Some(Frame::Loop(cf)) => self.leave(cf),
                _ => Err("the end of a loop without loop"),
            },
        }
    }

    /// Checks that an `if` or loop may follow.
    fn open(&self) -> Result<(), Fault> {
        match (self.has_jumped, self.frames.len()) {
            (true, _) => Err("code after a jump"),
            (_, MAX_DEPTH..) => Err("ifs and loops are nested too deep"),
            _ => Ok(()),
        }
    }

    fn enter(&mut self, frame: Frame) -> Result<(), Fault> {
        let first = match frame {
            Frame::Then(cf) => self.body.as_if(cf).map(|n| n.then().first),
            Frame::Else(cf) => self.body.as_if(cf).map(|n| n.els().first),
            Frame::Loop(cf) => self.body.as_loop(cf).map(|n| n.body().first),
        };
        self.frames.push(frame);
        self.go_to(first.ok_or("a construct without region")?);
        Ok(())
    }

    fn leave(&mut self, cf: CfId) -> Result<(), Fault> {
        self.go_to(self.body.cf(cf).next());
        Ok(())
    }

    fn go_to(&mut self, block: BlockId) {
        self.block = block;
        self.blocks.push(block);
        self.has_jumped = false;
    }

    /// A value that has been defined.
    fn value(&self, distance: Value) -> Result<InstrId, Fault> {
        value(&self.values, self.values.len(), distance)
    }

    fn values(&self, list: &List<Value>) -> Result<List<InstrId>, Fault> {
        list.0.iter().map(|&v| self.value(v)).collect::<Result<_, _>>().map(List)
    }

    fn instr(&mut self, kind: &Kind, ty: Ty, loc: Loc) -> Result<(), Fault> {
        if self.has_jumped {
            return Err("code after a jump");
        }
        let mut phi = None;
        let kind = match kind {
            Kind::Alu { op, flags, srcs } => {
                let src = |&(value, swizzle): &(Value, u8)| {
                    let lanes: [u8; 4] = std::array::from_fn(|lane| swizzle >> (2 * lane) & 3);
                    Ok(Src { value: self.value(value)?, swizzle: Swizzle::from_lanes(&lanes) })
                };
                let srcs: List<Src> = srcs.0.iter().map(src).collect::<Result<_, Fault>>().map(List)?;
                if srcs.0.len() != op.0.num_operands() {
                    return Err("an operation has another number of operands");
                }
                let mut alu = Alu::new(op.0, ty.comps, &srcs.0);
                alu.flags = flags.0;
                InstrKind::Alu(alu)
            }
            Kind::Deref { step, ty, modes } => {
                let kind = match *step {
                    DerefStep::Var(n) => {
                        DerefKind::Var(*self.tables.vars.get(n as usize).ok_or("a missing variable")?)
                    }
                    DerefStep::Array(parent, index) => {
                        DerefKind::Array { parent: self.value(parent)?, index: self.value(index)? }
                    }
                    DerefStep::ArrayWildcard(parent) => {
                        DerefKind::ArrayWildcard { parent: self.value(parent)? }
                    }
                    DerefStep::Struct(parent, field) => {
                        DerefKind::Struct { parent: self.value(parent)?, field }
                    }
                    DerefStep::Cast(parent, stride) => {
                        DerefKind::Cast { parent: self.value(parent)?, stride }
                    }
                    DerefStep::PtrAsArray(parent, index) => {
                        DerefKind::PtrAsArray { parent: self.value(parent)?, index: self.value(index)? }
                    }
                };
                let ty = *self.tables.types.get(*ty as usize).ok_or("a deref of a missing type")?;
                InstrKind::Deref(Deref { kind, ty, modes: modes.0 })
            }
            Kind::Intrinsic { op, indices, srcs } => {
                let srcs = self.values(srcs)?;
                if srcs.0.len() != op.0.num_operands() {
                    return Err("an intrinsic has another number of operands");
                }
                let mut intrinsic = Intrinsic::new(op.0, &srcs.0);
                let mut rest = *indices;
                for &index in op.0.info().indices {
                    let bits = (rest & ((1u64 << index.bits()) - 1)) as u32;
                    rest >>= index.bits();
                    if !intrinsic.try_set(index, bits) {
                        return Err("an index is out of range");
                    }
                }
                if rest != 0 {
                    return Err("an intrinsic has an unknown index");
                }
                InstrKind::Intrinsic(intrinsic)
            }
            Kind::Tex(image) => {
                let mut tex = Tex::new(image.op, image.dim, image.dest_type);
                (tex.arrayed, tex.shadow, tex.component) = (image.arrayed, image.shadow, image.component);
                (tex.offsets, tex.non_uniform, tex.relaxed) =
                    (image.offsets, image.non_uniform, image.relaxed);
                tex.residency = image.residency;
                for &(role, value) in &image.srcs.0 {
                    tex.set_src(role.0, self.value(value)?);
                }
                InstrKind::Tex(Box::new(tex))
            }
            Kind::Const(list) => {
                let mut lanes = [0; 4];
                let to = lanes.get_mut(..list.0.len()).ok_or("a constant has too many components")?;
                to.copy_from_slice(&list.0);
                InstrKind::Const(lanes)
            }
            Kind::Undef => InstrKind::Undef,
            Kind::Phi(srcs) => {
                phi = Some(srcs.clone());
                InstrKind::Undef
            }
            Kind::Jump(jump) => {
                self.has_jumped = true;
                InstrKind::Jump(jump.0)
            }
            Kind::Call { callee, args } => {
                let callee = *self.tables.functions.get(*callee as usize).ok_or("a missing function")?;
                InstrKind::Call(Box::new(Call { callee, args: self.values(args)?.0 }))
            }
        };
        let id = self.body.insert(Cursor::BlockEnd(self.block), Instr::new(kind, ty).at(loc));
        if let Some(srcs) = phi {
            self.phis.push(Phi { id, at: self.values.len(), srcs });
        }
        self.values.push(id);
        Ok(())
    }

    /// Gives the phis their operands. Until now they were undefined values, so that edits of the control flow did not look at them.
    fn finish(mut self) -> Result<Body, Fault> {
        if !self.frames.is_empty() {
            return Err("an if or loop without end");
        }
        for Phi { id, at, srcs } in std::mem::take(&mut self.phis) {
            let src = |&(block, distance): &(u32, Value)| {
                let pred = *self.blocks.get(block as usize).ok_or("a phi of a missing block")?;
                Ok(PhiSrc { pred, value: value(&self.values, at, distance)? })
            };
            let srcs = srcs.0.iter().map(src).collect::<Result<_, Fault>>()?;
            let ty = self.body[id].ty;
            self.body.set_instr(id, InstrKind::Phi(srcs), ty);
        }
        Ok(self.body)
    }
}

/// The value that is defined a distance before a position.
fn value(values: &[InstrId], at: usize, distance: Value) -> Result<InstrId, Fault> {
    let n = i64::try_from(at).ok().map(|at| at - i64::from(distance));
    let n = n.and_then(|n| usize::try_from(n).ok());
    n.and_then(|n| values.get(n)).copied().ok_or("a value that is not defined")
}
