//! The builder of Python: inserts instructions before another one, folds constants, drops swizzles without effect.

use crate::inspect::{Instruction, removed};
use crate::number::Number;
use crate::source::{Source, body, body_mut};
use airfoil::SpecValue;
use airfoil::ir::alu::{ALU_OPS, AluProps};
use airfoil::ir::{self, AluOp, FuncId, InstrId, MAX_COMPONENTS, Ty, diag};
use airfoil::spec::SpecType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Inserts instructions before an instruction.
#[pyclass(frozen, module = "airfoil")]
pub struct Builder {
    source: Arc<Source>,
    function: FuncId,
    before: InstrId,
}

impl Builder {
    /// A builder before an instruction.
    pub fn before(source: &Arc<Source>, function: FuncId, before: InstrId) -> Builder {
        Builder { source: source.clone(), function, before }
    }

    fn build(&self, f: impl FnOnce(&mut ir::Builder<'_>) -> PyResult<InstrId>) -> PyResult<Instruction> {
        let id = self.source.edit(|shader| {
            let body = body_mut(shader, self.function)?;
            if body.get(self.before).is_none() {
                return Err(removed());
            }
            f(&mut ir::Builder::before(body, self.before))
        })?;
        Ok(Instruction::new(&self.source, self.function, id))
    }

    /// Keys and shapes of values.
    fn values(&self, list: &[Bound<'_, Instruction>]) -> PyResult<(Vec<InstrId>, Vec<Ty>)> {
        let keys = list.iter().map(|value| value.get().key(&self.source, self.function));
        let keys: Vec<InstrId> = keys.collect::<PyResult<_>>()?;
        let shapes = self.source.read(|shader| {
            let body = body(shader, self.function)?;
            let shape = |&id: &InstrId| {
                let ty = body.get(id).ok_or_else(removed)?.ty;
                if ty == Ty::NONE {
                    return Err(PyValueError::new_err("expected a value, found an instruction without one"));
                }
                Ok(ty)
            };
            keys.iter().map(shape).collect::<PyResult<_>>()
        })?;
        Ok((keys, shapes))
    }
}

/// Whether the result has a width of its own.
fn is_conversion(op: AluOp) -> bool {
    op.info().props.contains(AluProps::SIZED)
}

/// The ALU operation of a name.
fn operation(name: &str) -> PyResult<AluOp> {
    AluOp::from_name(name).ok_or_else(|| {
        let near = diag::nearest(name, ALU_OPS.iter().map(|op| op.name()));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        PyValueError::new_err(format!("unknown ALU operation `{name}`{hint}"))
    })
}

#[pymethods]
impl Builder {
    /// An ALU operation on whole values; scalars are spread over vectors. Constants are folded.
    #[pyo3(signature = (op, *operands))]
    fn alu(&self, op: &str, operands: Vec<Bound<'_, Instruction>>) -> PyResult<Instruction> {
        let op = operation(op)?;
        let (keys, shapes) = self.values(&operands)?;
        let (wanted, found) = (op.num_operands(), keys.len());
        if wanted != found {
            let message = format!("`{}`: expected {wanted} operands, found {found}", op.name());
            return Err(PyValueError::new_err(message));
        }
        if is_conversion(op) {
            return Err(PyValueError::new_err(format!(
                "`{}` is a conversion: `convert` makes it",
                op.name()
            )));
        }
        if let Some(n) = op.info().mismatch(&shapes) {
            let message = format!("`{}`: operand {n} of the shape {} does not fit", op.name(), shapes[n]);
            return Err(PyValueError::new_err(message));
        }
        self.build(|b| Ok(b.alu(op, &keys)))
    }

    /// A conversion to `bits` bits.
    fn convert(&self, op: &str, value: Bound<'_, Instruction>, bits: u8) -> PyResult<Instruction> {
        let op = operation(op)?;
        let (keys, shapes) = self.values(&[value])?;
        let fits = is_conversion(op) && op.info().mismatch(&shapes).is_none();
        if !fits || !op.info().result.base.has_width(bits) || !matches!(bits, 8 | 16 | 32 | 64) {
            let message = format!("`{}` does not convert {} to {bits} bits", op.name(), shapes[0]);
            return Err(PyValueError::new_err(message));
        }
        self.build(|b| Ok(b.convert(op, keys[0], bits)))
    }

    /// A constant of one to four components: floats, integers or truth values (of 1 bit).
    #[pyo3(signature = (*values, bits = 32))]
    fn constant(&self, values: Vec<Number>, bits: u8) -> PyResult<Instruction> {
        if !(1..=MAX_COMPONENTS).contains(&values.len()) {
            return Err(PyValueError::new_err(format!("expected 1 to 4 components, found {}", values.len())));
        }
        let booleans = values.iter().filter(|value| matches!(value, Number::Bool(_))).count();
        let bits = if booleans == values.len() { 1 } else { bits };
        let mut lanes = [0; MAX_COMPONENTS];
        for (lane, &value) in lanes.iter_mut().zip(&values) {
            let width = u32::from(bits);
            let ty = match value {
                Number::Bool(_) if bits == 1 => Some(SpecType::Bool),
                Number::Float(_) if matches!(bits, 16 | 32 | 64) => Some(SpecType::Float(width)),
                Number::Int(_) | Number::Word(_) if matches!(bits, 8 | 16 | 32 | 64) => {
                    Some(SpecType::Int(width))
                }
                _ => None,
            };
            let found = ty.and_then(|ty| SpecValue::from(value).bits(ty));
            *lane = found
                .ok_or_else(|| PyValueError::new_err(format!("{value} does not fit into {bits} bits")))?;
        }
        self.build(|b| Ok(b.constant(Ty::new(values.len() as u8, bits), lanes)))
    }

    /// An undefined value.
    #[pyo3(signature = (components = 1, bits = 32))]
    fn undef(&self, components: u8, bits: u8) -> PyResult<Instruction> {
        if !(1..=MAX_COMPONENTS as u8).contains(&components) || !matches!(bits, 1 | 8 | 16 | 32 | 64) {
            return Err(PyValueError::new_err(format!(
                "expected 1 to 4 components of 1, 8, 16, 32 or 64 bits, found {components} x {bits} bits"
            )));
        }
        self.build(|b| Ok(b.undef(Ty::new(components, bits))))
    }

    /// The components of a value rearranged: `lanes` are indices of components.
    fn swizzle(&self, value: Bound<'_, Instruction>, lanes: Vec<u8>) -> PyResult<Instruction> {
        let (keys, shapes) = self.values(&[value])?;
        let inside = |lane: &u8| *lane < shapes[0].comps;
        if !(1..=MAX_COMPONENTS).contains(&lanes.len()) || !lanes.iter().all(inside) {
            let message = format!("a value of the shape {} has no swizzle {lanes:?}", shapes[0]);
            return Err(PyValueError::new_err(message));
        }
        self.build(|b| Ok(b.swizzle(keys[0], &lanes)))
    }

    /// A vector of one to four scalars of the same width.
    #[pyo3(signature = (*scalars))]
    fn vec(&self, scalars: Vec<Bound<'_, Instruction>>) -> PyResult<Instruction> {
        let (keys, shapes) = self.values(&scalars)?;
        let fits = (1..=MAX_COMPONENTS).contains(&keys.len())
            && shapes.iter().all(|ty| ty.comps == 1 && ty.bits == shapes[0].bits);
        if !fits {
            return Err(PyValueError::new_err("expected 1 to 4 scalars of the same width"));
        }
        self.build(|b| Ok(b.vec(&keys)))
    }
}
