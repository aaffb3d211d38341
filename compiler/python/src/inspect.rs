//! Functions, blocks and instructions as Python sees them: handles into a [`Source`].

use crate::builder::Builder;
use crate::source::{Source, body, body_mut};
use airfoil::Shader;
use airfoil::ir::{BlockId, Body, Cf, FuncId, Instr, InstrId, InstrKind, Ty, text};
use pyo3::exceptions::{PyReferenceError, PyValueError};
use pyo3::prelude::*;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The functions of a shader.
pub fn functions(source: &Arc<Source>) -> PyResult<Vec<ShaderFunction>> {
    source.read(|shader| {
        Ok(shader.functions.keys().map(|id| ShaderFunction { source: source.clone(), id }).collect())
    })
}

/// A function of a shader.
#[pyclass(frozen, module = "airfoil")]
pub struct ShaderFunction {
    source: Arc<Source>,
    id: FuncId,
}

#[pymethods]
impl ShaderFunction {
    /// Name of the function.
    #[getter]
    fn name(&self) -> PyResult<String> {
        self.source.read(|shader| {
            let _ = body(shader, self.id)?;
            Ok(shader.functions[self.id].name.to_string())
        })
    }

    /// Whether the shader begins with it.
    #[getter]
    fn is_entry(&self) -> PyResult<bool> {
        self.source.read(|shader| Ok(shader.entry == Some(self.id)))
    }

    /// The blocks, in the order of the text: definitions come before uses, except in phis of loops.
    #[getter]
    fn blocks(&self) -> PyResult<Vec<Block>> {
        self.source.read(|shader| {
            let block = |id| Block { source: self.source.clone(), function: self.id, id };
            Ok(body(shader, self.id)?.blocks().map(block).collect())
        })
    }

    /// All instructions, in the order of the text.
    #[getter]
    fn instructions(&self) -> PyResult<Vec<Instruction>> {
        self.source.read(|shader| {
            let instruction = |id| Instruction { source: self.source.clone(), function: self.id, id };
            Ok(body(shader, self.id)?.all_instrs().map(instruction).collect())
        })
    }

    fn __str__(&self) -> PyResult<String> {
        self.source.read(|shader| Ok(text::print_body(shader, body(shader, self.id)?)))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<ShaderFunction \"{}\">", self.name()?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<ShaderFunction>().is_ok_and(|other| {
            let other = other.get();
            self.id == other.id && self.source.is_same(&other.source)
        })
    }

    fn __hash__(&self) -> u64 {
        hash(&self.id)
    }
}

/// A basic block.
#[pyclass(frozen, module = "airfoil")]
pub struct Block {
    source: Arc<Source>,
    function: FuncId,
    id: BlockId,
}

impl Block {
    fn read<T>(&self, f: impl FnOnce(&Body) -> PyResult<T>) -> PyResult<T> {
        self.source.read(|shader| {
            let body = body(shader, self.function)?;
            if !body.has_block(self.id) {
                return Err(PyReferenceError::new_err("the block was removed"));
            }
            f(body)
        })
    }

    fn instruction(&self, id: InstrId) -> Instruction {
        Instruction { source: self.source.clone(), function: self.function, id }
    }
}

#[pymethods]
impl Block {
    /// Index in the function; the text form names the block `bN`.
    #[getter]
    fn index(&self) -> PyResult<usize> {
        self.read(|body| Ok(body.blocks().position(|id| id == self.id).unwrap_or(0)))
    }

    /// The instructions in order.
    #[getter]
    fn instructions(&self) -> PyResult<Vec<Instruction>> {
        self.read(|body| Ok(body.instrs(self.id).map(|id| self.instruction(id)).collect()))
    }

    /// The blocks that may follow.
    #[getter]
    fn successors(&self) -> PyResult<Vec<Block>> {
        let block = |id| Block { source: self.source.clone(), function: self.function, id };
        self.read(|body| Ok(body.successors(self.id).into_iter().flatten().map(block).collect()))
    }

    /// The condition of the `if` after the block, or `None` if no `if` follows.
    #[getter]
    fn condition(&self) -> PyResult<Option<Instruction>> {
        self.read(|body| match body.next_cf(self.id).map(|cf| body.cf(cf)) {
            Some(Cf::If(n)) => Ok(Some(self.instruction(n.cond()))),
            _ => Ok(None),
        })
    }

    /// The loops around the block.
    #[getter]
    fn loop_depth(&self) -> PyResult<usize> {
        self.read(|body| {
            let outer = |cf: &_| body.loop_around(body.cf(*cf).prev());
            Ok(std::iter::successors(body.loop_around(self.id), outer).count())
        })
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Block b{}>", self.index()?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Block>().is_ok_and(|other| {
            let other = other.get();
            (self.function, self.id) == (other.function, other.id) && self.source.is_same(&other.source)
        })
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.function, self.id))
    }
}

/// An instruction, and the value that it defines.
#[pyclass(frozen, module = "airfoil")]
pub struct Instruction {
    source: Arc<Source>,
    function: FuncId,
    id: InstrId,
}

impl Instruction {
    /// An instruction of a function.
    pub fn new(source: &Arc<Source>, function: FuncId, id: InstrId) -> Instruction {
        Instruction { source: source.clone(), function, id }
    }

    /// The key, if it is an instruction of this function.
    ///
    /// # Errors
    /// It is one of another shader or function.
    pub fn key(&self, source: &Arc<Source>, function: FuncId) -> PyResult<InstrId> {
        if self.function == function && self.source.is_same(source) {
            return Ok(self.id);
        }
        Err(PyValueError::new_err("the instruction belongs to another shader or function"))
    }

    fn read<T>(&self, f: impl FnOnce(&Shader, &Body, &Instr) -> PyResult<T>) -> PyResult<T> {
        self.source.read(|shader| {
            let body = body(shader, self.function)?;
            f(shader, body, body.get(self.id).ok_or_else(removed)?)
        })
    }

    fn other(&self, id: InstrId) -> Instruction {
        Instruction::new(&self.source, self.function, id)
    }
}

/// The exception for an instruction that a pass has removed.
pub fn removed() -> PyErr {
    PyReferenceError::new_err("the instruction was removed")
}

#[pymethods]
impl Instruction {
    /// The kind: `"alu"`, `"deref"`, `"intrinsic"`, `"tex"`, `"const"`, `"undef"`, `"phi"`, `"jump"` or `"call"`.
    #[getter]
    fn kind(&self) -> PyResult<&'static str> {
        self.read(|_, _, instr| {
            Ok(match instr.kind {
                InstrKind::Alu(_) => "alu",
                InstrKind::Deref(_) => "deref",
                InstrKind::Intrinsic(_) => "intrinsic",
                InstrKind::Tex(_) => "tex",
                InstrKind::Const(_) => "const",
                InstrKind::Undef => "undef",
                InstrKind::Phi(_) => "phi",
                InstrKind::Jump(_) => "jump",
                InstrKind::Call(_) => "call",
            })
        })
    }

    /// The operation: the name of an ALU operation, intrinsic or texture operation, of a jump, or the kind.
    #[getter]
    fn op(&self) -> PyResult<String> {
        let named = self.read(|_, _, instr| {
            Ok(match &instr.kind {
                InstrKind::Alu(alu) => Some(alu.op.name().to_string()),
                InstrKind::Intrinsic(intrinsic) => Some(intrinsic.op.name().to_string()),
                InstrKind::Tex(tex) => Some(tex.op.name().to_string()),
                InstrKind::Jump(jump) => Some(jump.name().to_string()),
                _ => None,
            })
        })?;
        named.map_or_else(|| self.kind().map(str::to_string), Ok)
    }

    /// Bits of a component of the value; 0 for an instruction without a value.
    #[getter]
    fn bits(&self) -> PyResult<u8> {
        self.read(|_, _, instr| Ok(if instr.ty == Ty::NONE { 0 } else { instr.ty.bits }))
    }

    /// Components of the value; 0 for an instruction without a value.
    #[getter]
    fn components(&self) -> PyResult<u8> {
        self.read(|_, _, instr| Ok(if instr.ty == Ty::NONE { 0 } else { instr.ty.comps }))
    }

    /// The instructions whose values it reads.
    #[getter]
    fn operands(&self) -> PyResult<Vec<Instruction>> {
        self.read(|_, _, instr| {
            let mut list = Vec::new();
            instr.visit_operands(|id| list.push(self.other(id)));
            Ok(list)
        })
    }

    /// For each operand of an ALU operation, the components that it reads.
    #[getter]
    fn swizzles(&self) -> PyResult<Vec<Vec<usize>>> {
        self.read(|_, _, instr| {
            let InstrKind::Alu(alu) = &instr.kind else { return Ok(Vec::new()) };
            let info = alu.op.info();
            let lanes = |(n, src): (usize, airfoil::ir::Src)| {
                (0..usize::from(info.operand_comps(n, instr.ty.comps)))
                    .map(|lane| src.swizzle.get(lane))
                    .collect()
            };
            Ok(alu.srcs().enumerate().map(lanes).collect())
        })
    }

    /// The bits of each component of a constant; `None` if it is not a constant.
    #[getter]
    fn constant(&self) -> PyResult<Option<Vec<u64>>> {
        self.read(|_, _, instr| {
            Ok(instr.as_const().map(|lanes| lanes[..usize::from(instr.ty.comps)].to_vec()))
        })
    }

    /// Whether the result must stay the same bit for bit.
    #[getter]
    fn is_exact(&self) -> PyResult<bool> {
        self.read(|_, _, instr| Ok(matches!(&instr.kind, InstrKind::Alu(alu) if alu.is_exact())))
    }

    /// The block.
    #[getter]
    fn block(&self) -> PyResult<Block> {
        self.read(|_, body, _| {
            Ok(Block { source: self.source.clone(), function: self.function, id: body.block_of(self.id) })
        })
    }

    /// The instructions that read the value. Takes time in the size of the function.
    #[getter]
    fn users(&self) -> PyResult<Vec<Instruction>> {
        self.read(|_, body, _| {
            let uses = |instr: &Instr| {
                let mut found = false;
                instr.visit_operands(|id| found |= id == self.id);
                found
            };
            Ok(body.entries().filter(|(_, instr)| uses(instr)).map(|(id, _)| self.other(id)).collect())
        })
    }

    /// Whether neither an instruction nor a condition reads the value.
    #[getter]
    fn is_unused(&self) -> PyResult<bool> {
        self.read(|_, body, _| Ok(body.is_unused(self.id)))
    }

    /// Line of the source, if it is known.
    #[getter]
    fn line(&self) -> PyResult<Option<u32>> {
        self.read(|_, _, instr| Ok((!instr.loc.is_none()).then(|| instr.loc.line())))
    }

    /// A builder that inserts before the instruction, with its location in the source.
    fn builder(&self) -> PyResult<Builder> {
        self.source
            .edit(|shader| body(shader, self.function)?.get(self.id).map(|_| ()).ok_or_else(removed))?;
        Ok(Builder::before(&self.source, self.function, self.id))
    }

    /// Lets all uses of the value use another one. The instruction stays, unused.
    fn replace_uses(&self, value: &Bound<'_, Instruction>) -> PyResult<()> {
        let new = value.get().key(&self.source, self.function)?;
        self.source.edit(|shader| {
            let body = body_mut(shader, self.function)?;
            let shape = |id| body.get(id).map(|instr: &Instr| instr.ty).ok_or_else(removed);
            let (was, is) = (shape(self.id)?, shape(new)?);
            if was != is {
                return Err(PyValueError::new_err(format!(
                    "expected a value of the shape {was}, found {is}"
                )));
            }
            body.replace_uses(self.id, new);
            Ok(())
        })
    }

    /// Removes an instruction whose value nothing uses.
    fn remove(&self) -> PyResult<()> {
        self.source.edit(|shader| {
            let body = body_mut(shader, self.function)?;
            let instr = body.get(self.id).ok_or_else(removed)?;
            if matches!(instr.kind, InstrKind::Jump(_)) {
                return Err(PyValueError::new_err("a jump cannot be removed"));
            }
            if !body.is_unused(self.id) {
                return Err(PyValueError::new_err("the value of the instruction is used"));
            }
            body.remove(self.id);
            Ok(())
        })
    }

    fn __str__(&self) -> PyResult<String> {
        self.read(|shader, body, _| Ok(text::print_instr(shader, body, self.id).trim().to_string()))
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Instruction {}>", self.__str__()?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Instruction>().is_ok_and(|other| {
            let other = other.get();
            (self.function, self.id) == (other.function, other.id) && self.source.is_same(&other.source)
        })
    }

    fn __hash__(&self) -> u64 {
        hash(&(self.function, self.id))
    }
}

fn hash(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
