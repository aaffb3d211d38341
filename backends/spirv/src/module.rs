//! A module that is being written: one list of words per section, ids, types and constants.
//!
//! Types and constants are found by the words of their instructions, so each is declared once.

use crate::errors::*;
use crate::options::Options;
use crate::requirements::{Extension, Requirements};
use crate::target::Target;
use crate::words::{push, push_string};
use airfoil_ir::{Lanes, Ty, bit_mask};
use airfoil_passes::gl::lower_xfb::Captures;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// Words that name a type or constant.
type Key = SmallVec<[u32; 8]>;

/// The kind of number that a scalar or vector holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// Truth values.
    Bool,
    /// IEEE 754 numbers.
    Float,
    /// Unsigned integers.
    #[default]
    Uint,
    /// Signed integers.
    Sint,
}

/// A module.
pub(crate) struct Module {
    pub options: Options,
    /// Outputs that the shader being written captures.
    pub captures: Captures,
    pub needs: Requirements,
    /// Accesses follow the Vulkan memory model.
    pub vulkan_memory_model: bool,
    pub entry_points: Vec<u32>,
    pub modes: Vec<u32>,
    strings: Vec<u32>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    /// Types, constants and variables.
    pub globals: Vec<u32>,
    pub functions: Vec<u32>,
    bound: u32,
    glsl: Option<u32>,
    declared: FxHashMap<Key, u32>,
    /// The binding of the next resource without one.
    pub next_binding: u32,
    /// Bindings by name, with the entry points before the last use: stages of a program share resources.
    bindings: FxHashMap<Box<str>, (u32, usize)>,
    physical: bool,
    /// Whether an instruction had too many operands.
    oversized: bool,
}

impl Module {
    pub fn new(options: &Options) -> Module {
        Module {
            options: options.clone(),
            captures: Captures::default(),
            needs: Requirements::default(),
            vulkan_memory_model: false,
            entry_points: Vec::new(),
            modes: Vec::new(),
            strings: Vec::new(),
            names: Vec::new(),
            decorations: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            bound: 1,
            glsl: None,
            declared: FxHashMap::default(),
            next_binding: 0,
            bindings: FxHashMap::default(),
            physical: false,
            oversized: false,
        }
    }

    pub fn target(&self) -> Target {
        self.options.target
    }

    /// A binding for a resource without one. Resources of other entry points share it if they have the same name.
    pub fn free_binding(&mut self, name: &str) -> u32 {
        let entries = self.entry_points.len();
        let binding = match self.bindings.get(name) {
            Some(&(known, before)) if before != entries && !name.is_empty() => known,
            _ => {
                self.next_binding = self.next_binding.saturating_add(1);
                self.next_binding - 1
            }
        };
        self.bindings.insert(name.into(), (binding, entries));
        binding
    }

    /// A new id.
    pub fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// Requires a capability.
    pub fn require(&mut self, capability: Capability) -> Res<()> {
        self.needs.capability(capability, self.options.target)
    }

    /// Requires an extension.
    pub fn extension(&mut self, extension: Extension) {
        self.needs.extension(extension, self.options.target);
    }

    /// The set of instructions GLSL.std.450.
    pub fn glsl(&mut self) -> u32 {
        if let Some(id) = self.glsl {
            return id;
        }
        let id = self.id();
        self.glsl = Some(id);
        id
    }

    /// Pointers may be addresses.
    pub fn use_physical_addresses(&mut self) -> Res<()> {
        self.physical = true;
        self.require(Capability::PhysicalStorageBufferAddresses)
    }

    // ---- names and decorations ----

    pub fn name(&mut self, id: u32, text: &str) {
        if !self.options.strip_names && !text.is_empty() {
            let mut words: SmallVec<[u32; 16]> = SmallVec::from_slice(&[id]);
            push_string(&mut words, text);
            push(&mut self.names, Op::Name, &words);
        }
    }

    pub fn member_name(&mut self, id: u32, member: u32, text: &str) {
        if !self.options.strip_names && !text.is_empty() {
            let mut words: SmallVec<[u32; 16]> = SmallVec::from_slice(&[id, member]);
            push_string(&mut words, text);
            push(&mut self.names, Op::MemberName, &words);
        }
    }

    pub fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[id, decoration as u32]);
        words.extend_from_slice(operands);
        push(&mut self.decorations, Op::Decorate, &words);
    }

    pub fn decorate_member(&mut self, id: u32, member: u32, decoration: Decoration, operands: &[u32]) {
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[id, member, decoration as u32]);
        words.extend_from_slice(operands);
        push(&mut self.decorations, Op::MemberDecorate, &words);
    }

    pub fn decorate_built_in(&mut self, id: u32, built_in: BuiltIn) {
        self.decorate(id, Decoration::BuiltIn, &[built_in as u32]);
    }

    /// A string for OpLine.
    pub fn string(&mut self, text: &str) -> u32 {
        let mut key: Key = SmallVec::from_slice(&[Op::String as u32]);
        push_string(&mut key, text);
        if let Some(&id) = self.declared.get(&key) {
            return id;
        }
        let id = self.id();
        let mut words: SmallVec<[u32; 16]> = SmallVec::from_slice(&[id]);
        words.extend_from_slice(&key[1..]);
        push(&mut self.strings, Op::String, &words);
        self.declared.insert(key, id);
        id
    }

    // ---- types ----

    /// The id of the declaration with these words, and whether it is new. `salt` distinguishes declarations with equal
    /// words and different decorations.
    /// words and other decorations.
    pub fn declare(&mut self, op: Op, operands: &[u32], salt: u32) -> (u32, bool) {
        let mut key: Key = SmallVec::from_slice(&[op as u32, salt]);
        key.extend_from_slice(operands);
        if let Some(&id) = self.declared.get(&key) {
            return (id, false);
        }
        let id = self.id();
        // Constants have their type before their id.
        let typed = matches!(
            op,
            Op::Constant
                | Op::ConstantTrue
                | Op::ConstantFalse
                | Op::ConstantNull
                | Op::ConstantComposite
                | Op::Undef
        );
        let mut words = SmallVec::<[u32; 8]>::new();
        match operands.split_first() {
            Some((&ty, rest)) if typed => {
                words.extend([ty, id]);
                words.extend_from_slice(rest);
            }
            _ => {
                words.push(id);
                words.extend_from_slice(operands);
            }
        }
        self.oversized |= words.len() >= 0xffff;
        push(&mut self.globals, op, &words);
        self.declared.insert(key, id);
        (id, true)
    }

    pub fn void(&mut self) -> u32 {
        self.declare(Op::TypeVoid, &[], 0).0
    }

    /// A scalar type.
    pub fn scalar(&mut self, class: Class, bits: u8) -> Res<u32> {
        let bits = u32::from(bits);
        Ok(match class {
            Class::Bool => self.declare(Op::TypeBool, &[], 0).0,
            Class::Float => {
                if bits == 64 {
                    self.require(Capability::Float64)?;
                }
                self.declare(Op::TypeFloat, &[bits], 0).0
            }
            Class::Uint | Class::Sint => {
                if bits == 64 {
                    self.require(Capability::Int64)?;
                }
                self.declare(Op::TypeInt, &[bits, u32::from(class == Class::Sint)], 0).0
            }
        })
    }

    /// A scalar or vector type.
    pub fn value_type(&mut self, class: Class, ty: Ty) -> Res<u32> {
        let class = if ty.bits == 1 { Class::Bool } else { class };
        let scalar = self.scalar(class, ty.bits)?;
        Ok(if ty.comps == 1 {
            scalar
        } else {
            self.declare(Op::TypeVector, &[scalar, u32::from(ty.comps)], 0).0
        })
    }

    /// A pointer type.
    pub fn pointer(&mut self, class: StorageClass, to: u32) -> u32 {
        self.declare(Op::TypePointer, &[class as u32, to], 0).0
    }

    // ---- constants ----

    /// A scalar or vector constant.
    pub fn constant(&mut self, class: Class, ty: Ty, lanes: &Lanes) -> Res<u32> {
        let class = if ty.bits == 1 { Class::Bool } else { class };
        let type_id = self.value_type(class, ty)?;
        if ty.comps > 1 {
            let mut words: SmallVec<[u32; 5]> = SmallVec::from_slice(&[type_id]);
            for &lane in &lanes[..usize::from(ty.comps)] {
                words.push(self.constant(class, ty.with_comps(1), &[lane, 0, 0, 0])?);
            }
            return Ok(self.declare(Op::ConstantComposite, &words, 0).0);
        }
        if ty.bits == 1 {
            let op = if lanes[0] & 1 != 0 { Op::ConstantTrue } else { Op::ConstantFalse };
            return Ok(self.declare(op, &[type_id], 0).0);
        }
        let words = self.literal(class, ty.bits, lanes[0]);
        let mut operands: SmallVec<[u32; 3]> = SmallVec::from_slice(&[type_id]);
        operands.extend(words);
        Ok(self.declare(Op::Constant, &operands, 0).0)
    }

    /// The words of a number: narrow signed integers are sign-extended (SPIR-V 2.2.1).
    pub fn literal(&self, class: Class, bits: u8, raw: u64) -> SmallVec<[u32; 2]> {
        let bits = u32::from(bits);
        let raw = raw & bit_mask(bits);
        match bits {
            64 => SmallVec::from_slice(&[raw as u32, (raw >> 32) as u32]),
            _ if class == Class::Sint => SmallVec::from_slice(&[airfoil_ir::sign_extend(raw, bits) as u32]),
            _ => SmallVec::from_slice(&[raw as u32]),
        }
    }

    /// A 32-bit unsigned constant.
    pub fn uint(&mut self, value: u32) -> Res<u32> {
        self.constant(Class::Uint, Ty::B32, &[u64::from(value), 0, 0, 0])
    }

    /// The constant of a type whose bits are all zero.
    pub fn null(&mut self, type_id: u32) -> u32 {
        self.declare(Op::ConstantNull, &[type_id], 0).0
    }

    /// An undefined value.
    pub fn undef(&mut self, type_id: u32) -> u32 {
        self.declare(Op::Undef, &[type_id], 0).0
    }

    // ---- the end ----

    /// The words of the module.
    pub fn finish(mut self) -> Res<Vec<u32>> {
        if self.oversized {
            return fail(LIMIT, "an instruction exceeds 65,535 words");
        }
        let mut out = Vec::with_capacity(self.globals.len() + self.functions.len() + 256);
        let (major, minor) = self.options.target.version;
        // The generator has no registered number.
        out.extend([
            spirv::MAGIC_NUMBER,
            (u32::from(major) << 16) | (u32::from(minor) << 8),
            0,
            self.bound,
            0,
        ]);
        self.needs.write(&mut out);
        if let Some(id) = self.glsl {
            let mut words: SmallVec<[u32; 8]> = SmallVec::from_slice(&[id]);
            push_string(&mut words, "GLSL.std.450");
            push(&mut out, Op::ExtInstImport, &words);
        }
        let addressing = if self.physical {
            spirv::AddressingModel::PhysicalStorageBuffer64
        } else {
            spirv::AddressingModel::Logical
        };
        push(&mut out, Op::MemoryModel, &[addressing as u32, self.needs.memory_model() as u32]);
        for section in [
            &mut self.entry_points,
            &mut self.modes,
            &mut self.strings,
            &mut self.names,
            &mut self.decorations,
            &mut self.globals,
            &mut self.functions,
        ] {
            out.append(section);
        }
        Ok(out)
    }
}
