//! Which clip distances clip: a mask that is known, one in a uniform block, or both.

use airfoil_ir::{
    Access, Builder, Diagnostic, InstrId, Member, Modes, Scalar, Shader, StructType, Ty, Type, Types, VarId,
    Variable,
};
use slotmap::SlotMap;

/// Value of the option `binding` if the mask is not in a uniform block.
pub const NO_BINDING: u32 = u32::MAX;

/// The options of a pass that concern the mask.
#[derive(Clone, Copy, Debug)]
pub struct Enables {
    /// Mask of the distances that can clip.
    pub mask: u32,
    /// Descriptor set of the uniform block.
    pub set: u32,
    /// Its binding.
    pub binding: u32,
}

impl Enables {
    /// Declares the uniform block, if there is one: a word that is a mask of the distances that clip.
    ///
    /// # Errors
    /// If a resource of the shader has the same binding.
    pub fn declare(self, shader: &mut Shader) -> Result<Declared, Diagnostic> {
        if self.binding == NO_BINDING {
            return Ok(Declared { mask: self.mask, block: None });
        }
        let same = |v: &&Variable| {
            v.binding == Some(self.binding)
                && v.set.unwrap_or(0) == self.set
                && !matches!(v.mode, Modes::SPEC_CONST)
        };
        if let Some(other) = shader.vars.values().find(same) {
            let message = format!(
                "set {}, binding {} of the enabled clip distances is already used by `{}`",
                self.set, self.binding, other.name
            );
            return Err(Diagnostic::error("E0333", message).help("give another binding"));
        }
        let ty = shader.types.vector(Scalar::Uint32, 1);
        let member = Member { offset: Some(0), ..Member::new("enabled", ty) };
        let ty = StructType { name: "clip_enables".into(), members: Box::new([member]), block: true };
        let ty = shader.types.intern(Type::Struct(ty));
        let mut var = Variable::new("clip_enables", ty, Modes::UBO);
        (var.set, var.binding, var.access) = (Some(self.set), Some(self.binding), Access::NON_WRITEABLE);
        Ok(Declared { mask: self.mask, block: Some(shader.add_var(var)) })
    }
}

/// A mask whose uniform block is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    mask: u32,
    block: Option<VarId>,
}

impl Declared {
    /// Whether a distance can clip.
    pub fn has(self, distance: u32) -> bool {
        self.mask >> distance & 1 != 0
    }

    /// Loads the mask of the uniform block.
    pub fn load(self, b: &mut Builder, types: &Types, vars: &SlotMap<VarId, Variable>) -> Loaded {
        let word = self.block.map(|block| {
            let block = b.deref_var(vars, block);
            let word = b.deref_struct(types, block, 0);
            b.load_deref(word, Ty::B32)
        });
        Loaded { word }
    }
}

/// The mask as a value.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    word: Option<InstrId>,
}

impl Loaded {
    /// A condition, if the distance is enabled.
    pub fn and(self, b: &mut Builder, distance: u32, condition: InstrId) -> InstrId {
        let Some(word) = self.word else { return condition };
        let (bit, zero) = (b.imm_u32(1 << distance), b.imm_u32(0));
        let bit = b.iand(word, bit);
        let enabled = b.ine(bit, zero);
        b.iand(condition, enabled)
    }
}

/// Whether one of the conditions is true.
pub fn either(b: &mut Builder, conditions: impl IntoIterator<Item = InstrId>) -> Option<InstrId> {
    conditions.into_iter().reduce(|all, one| b.ior(all, one))
}
