//! Variable pointers (SPIR-V 2.16.1, capabilities VariablePointers and VariablePointersStorageBuffer): pointers that are
//! loaded, stored, compared, chosen, returned, or that come from a phi.
//!
//! Every pointer to a storage buffer or to workgroup memory starts at a global variable, so it is one of a few *paths* with
//! indices that are known at run time. As a value it is four words: the index of its path (0 = null), the last index,
//! and the indices before it. To use the value is to choose among the paths to its type. Paths that are met after such
//! a choice was translated have the module read again ([`Paths::grew`]); there are never more than `MAX_PATHS`.

use crate::error::*;
use crate::physical_pointers::is_physical;
use crate::state::{Def, FunctionTranslator, GlobalState, Kind, Path, Ptr, PtrPlace, Step, TyIx, Val};
use airfoil_ir::*;
use smallvec::SmallVec;
use spirv::{Op, StorageClass};

/// Shape of a pointer as a value.
pub(crate) const POINTER: Ty = Ty::new(4, 32);

/// Indices that have a word before the last one.
const OUTER: usize = 2;

/// Whether pointers of a storage class can be variable. Pointers to inputs and private variables can be chosen and returned
/// before their functions are inlined.
pub(crate) fn can_vary(class: StorageClass) -> bool {
    use StorageClass as S;
    matches!(class, S::StorageBuffer | S::Workgroup | S::Input | S::Private)
}

impl FunctionTranslator<'_, '_> {
    /// Whether values of a type are pointers: variable ones or addresses.
    pub fn is_pointer_value(&self, ty: TyIx) -> bool {
        matches!(self.r.kind(ty), Kind::Pointer { .. }) && !self.r.types[ty as usize].shape.is_none()
    }

    /// Whether an id is a pointer that has not become a value yet.
    pub fn is_place(&self, id: u32) -> bool {
        matches!(self.r.def(id), Def::Pointer(_) | Def::Global(_))
    }

    /// A pointer as a value, with its type.
    pub fn pointer_value(&mut self, id: u32) -> Res<(TyIx, Val)> {
        let ptr = self.pointer(id)?;
        if let (StorageClass::PhysicalStorageBuffer, Some(ty)) = (ptr.class, self.r.physical_pointer) {
            return Ok((ty, Val::Ssa(self.address(&ptr)?)));
        }
        let found = (0..self.r.types.len() as TyIx).find(|&t| {
            let Kind::Pointer { class, to } = self.r.kind(t) else { return false };
            class == ptr.class
                && self.is_pointer_value(t)
                && self.r.type_of(to).is_ok_and(|to| self.r.same_type(to, ptr.ty, &mut 1000))
        });
        let Some(ty) = found else {
            let name = self.inst.name();
            bail!(UNSUPPORTED, "{name} with the pointer {} is not supported", self.r.show(id));
        };
        Ok((ty, Val::Ssa(self.encode(&ptr)?)))
    }

    /// The words of a pointer.
    fn encode(&mut self, ptr: &Ptr) -> Res<InstrId> {
        let mut at = match ptr.place {
            PtrPlace::Deref(d) => d,
            PtrPlace::Either { cond, a, b, .. } => {
                let (a, b) = (self.r.pointers[a as usize], self.r.pointers[b as usize]);
                let (a, b) = (self.encode(&a)?, self.encode(&b)?);
                return Ok(self.b.bcsel(cond, a, b));
            }
            _ => bail!(UNSUPPORTED, "this pointer as a value is not supported"),
        };
        let mut steps: SmallVec<[Step; 4]> = SmallVec::new();
        let mut indices: SmallVec<[InstrId; 4]> = SmallVec::new();
        let var = loop {
            at = match self.b.body[at].as_deref().map(|d| d.kind) {
                Some(DerefKind::Var(var)) => break var,
                Some(DerefKind::Struct { parent, field }) => {
                    steps.push(Step::Member(field));
                    parent
                }
                Some(DerefKind::Array { parent, index }) => {
                    steps.push(Step::Index);
                    indices.push(index);
                    parent
                }
                _ => bail!(
                    UNSUPPORTED,
                    "a pointer that was moved off a single variable is not supported as a value"
                ),
            };
        };
        // Steps were gathered from the end.
        let last = match steps.first() {
            Some(Step::Index) => indices.remove(0),
            _ => self.b.imm_u32(0),
        };
        if indices.len() > OUTER {
            bail!(
                UNSUPPORTED,
                "a pointer into more than {} arrays in each other is not supported as a value",
                OUTER + 1
            );
        }
        steps.reverse();
        let globals = &self.r.globals;
        let global = globals.iter().position(|g| matches!(g.state, GlobalState::Var(v) if v == var));
        let Some(global) = global else {
            bail!(UNSUPPORTED, "a pointer to this variable is not supported as a value");
        };
        let number = self.r.paths.number(Path { global: global as u32, steps, ty: ptr.ty })?;
        let mut words: SmallVec<[InstrId; 4]> = SmallVec::new();
        words.push(self.b.imm_u32(number));
        words.push(last);
        words.extend(indices);
        while words.len() < usize::from(POINTER.comps) {
            words.push(self.b.imm_u32(0));
        }
        Ok(self.b.vec(&words))
    }

    /// Where the value of a pointer points.
    pub fn decode(&mut self, ty: TyIx, value: Val) -> Res<Ptr> {
        let Kind::Pointer { class, to } = self.r.kind(ty) else {
            bail!(ID, "{} is not a pointer", self.r.show_type(ty));
        };
        let words = self.ssa_from(value, ty)?;
        let to = self.r.type_of(to)?;
        if is_physical(class) {
            return self.pointer_at(words, to);
        }
        let mut found: Option<Ptr> = None;
        for n in 0..self.r.paths.list.len() {
            let path = self.r.paths.list[n].clone();
            let fits = self.r.globals[path.global as usize].class == class;
            if !fits || !self.r.same_type(path.ty, to, &mut 1000) {
                continue;
            }
            let ptr = self.follow(&path, words)?;
            found = Some(match found {
                None => ptr,
                Some(other) => {
                    let number = self.b.imm_u32(n as u32 + 1);
                    let which = self.b.swizzle(words, &[0]);
                    let here = self.b.ieq(which, number);
                    self.either(here, ptr, other)?
                }
            });
        }
        match found {
            Some(ptr) => Ok(ptr),
            None => {
                // Either the paths are found later, or the pointer leads nowhere.
                self.r.paths.nowhere = true;
                self.temp(to, "").map(|ptr| Ptr { class, ..ptr })
            }
        }
    }

    /// The pointer at the end of a path.
    fn follow(&mut self, path: &Path, words: InstrId) -> Res<Ptr> {
        let mut ptr = self.global(path.global)?;
        let mut outer = 2;
        for (i, &step) in path.steps.iter().enumerate() {
            ptr = match step {
                Step::Member(m) => self.member(ptr, m)?,
                Step::Index => {
                    let lane = if i + 1 == path.steps.len() { 1 } else { outer };
                    outer += u8::from(lane != 1);
                    let index = self.b.swizzle(words, &[lane]);
                    self.element(ptr, index)?
                }
            };
        }
        Ok(ptr)
    }

    /// Comparisons of pointers, and their distance in elements (OpPtrDiff: both point into one array).
    pub fn pointer_op(&mut self, op: Op) -> Res<()> {
        let (a, b) = (self.inst.word(3)?, self.inst.word(4)?);
        let ((have, a), (other, b)) = (self.value(a)?, self.value(b)?);
        if !self.is_pointer_value(have) || !self.is_pointer_value(other) {
            bail!(UNSUPPORTED, "{} of these operands is not supported", self.inst.name());
        }
        let (a, b) = (self.ssa_from(a, have)?, self.ssa_from(b, other)?);
        let result = match op {
            Op::PtrEqual | Op::PtrNotEqual if self.r.is_physical(have) && self.r.is_physical(other) => {
                self.b.alu(if op == Op::PtrEqual { AluOp::ieq } else { AluOp::ine }, &[a, b])
            }
            _ if self.r.is_physical(have) || self.r.is_physical(other) => {
                bail!(UNSUPPORTED, "{} of these addresses is not supported", self.inst.name())
            }
            Op::PtrDiff => {
                let bits = self.r.shape(self.result_type()?)?.bits;
                let (a, b) = (self.b.swizzle(a, &[1]), self.b.swizzle(b, &[1]));
                let distance = self.b.isub(a, b);
                if bits == 32 { distance } else { self.b.convert(AluOp::i2i, distance, bits) }
            }
            _ => {
                let equal = self.b.ieq(a, b);
                let mut all = self.b.swizzle(equal, &[0]);
                for lane in 1..POINTER.comps {
                    let one = self.b.swizzle(equal, &[lane]);
                    all = self.b.iand(all, one);
                }
                if op == Op::PtrNotEqual { self.b.inot(all) } else { all }
            }
        };
        self.set_ssa(result)
    }
}
