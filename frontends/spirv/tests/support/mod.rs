//! Makes modules word by word.
#![allow(dead_code, missing_docs)]

use spirv::Op;

/// A module under construction: sections that are concatenated at the end.
#[derive(Default)]
pub struct Asm {
    next: u32,
    pub head: Vec<u32>,
    pub names: Vec<u32>,
    pub decorations: Vec<u32>,
    pub globals: Vec<u32>,
    pub code: Vec<u32>,
}

/// A string as words.
pub fn string(s: &str) -> Vec<u32> {
    let mut bytes = s.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().div_ceil(4) * 4, 0);
    bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn push(to: &mut Vec<u32>, op: Op, operands: &[u32]) {
    to.push((operands.len() as u32 + 1) << 16 | op as u32);
    to.extend_from_slice(operands);
}

impl Asm {
    pub fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub fn head(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.head, op, operands);
    }

    pub fn name(&mut self, id: u32, name: &str) {
        push(&mut self.names, Op::Name, &[&[id][..], &string(name)].concat());
    }

    pub fn decorate(&mut self, operands: &[u32]) {
        push(&mut self.decorations, Op::Decorate, operands);
    }

    pub fn member_decorate(&mut self, operands: &[u32]) {
        push(&mut self.decorations, Op::MemberDecorate, operands);
    }

    pub fn ty(&mut self, op: Op, operands: &[u32]) -> u32 {
        let id = self.id();
        push(&mut self.globals, op, &[&[id], operands].concat());
        id
    }

    pub fn global(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        push(&mut self.globals, op, &[&[ty, id], operands].concat());
        id
    }

    pub fn op(&mut self, op: Op, operands: &[u32]) {
        push(&mut self.code, op, operands);
    }

    pub fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.op(op, &[&[ty, id], operands].concat());
        id
    }

    pub fn label(&mut self) -> u32 {
        let id = self.id();
        self.op(Op::Label, &[id]);
        id
    }

    pub fn words(&self) -> Vec<u32> {
        let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0300, 0, self.next + 1, 0];
        for section in [&self.head, &self.names, &self.decorations, &self.globals, &self.code] {
            words.extend_from_slice(section);
        }
        words
    }
}

/// A compute or fragment shader around a function body, with the usual types.
pub struct Frame {
    pub a: Asm,
    pub void: u32,
    pub boolean: u32,
    pub int: u32,
    pub float: u32,
    pub vec4: u32,
    /// Pointer to a private integer.
    pub ptr_int: u32,
    /// A private integer.
    pub acc: u32,
    pub main: u32,
}

impl Frame {
    /// A compute shader.
    pub fn new() -> Frame {
        Frame::of(5, &[17, 4, 2, 1])
    }

    /// A fragment shader, which can end invocations.
    #[allow(dead_code)]
    pub fn fragment() -> Frame {
        Frame::of(4, &[7])
    }

    /// A shader of an execution model with an execution mode.
    fn of(model: u32, mode: &[u32]) -> Frame {
        let mut a = Asm::default();
        let main = a.id();
        a.head(Op::Capability, &[1]);
        a.head(Op::MemoryModel, &[0, 1]);
        a.head(Op::EntryPoint, &[&[model, main][..], &string("main")].concat());
        a.head(Op::ExecutionMode, &[&[main][..], mode].concat());
        let void = a.ty(Op::TypeVoid, &[]);
        let boolean = a.ty(Op::TypeBool, &[]);
        let int = a.ty(Op::TypeInt, &[32, 0]);
        let float = a.ty(Op::TypeFloat, &[32]);
        let vec4 = a.ty(Op::TypeVector, &[float, 4]);
        let ptr_int = a.ty(Op::TypePointer, &[6, int]);
        let acc = a.global(Op::Variable, ptr_int, &[6]);
        Frame { a, void, boolean, int, float, vec4, ptr_int, acc, main }
    }

    pub fn constant(&mut self, n: u32) -> u32 {
        let int = self.int;
        self.a.global(Op::Constant, int, &[n])
    }

    /// Starts the main function.
    pub fn begin(&mut self) {
        let ty = self.a.ty(Op::TypeFunction, &[self.void]);
        self.a.op(Op::Function, &[self.void, self.main, 0, ty]);
    }

    pub fn finish(mut self) -> Vec<u32> {
        self.a.op(Op::FunctionEnd, &[]);
        self.a.words()
    }
}
