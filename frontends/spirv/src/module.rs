//! The sweep over a module: everything outside functions is read, and functions are located.

use crate::capability::is_supported;
use crate::entry::entry_of;
use crate::error::*;
use crate::state::plan::Planned;
use crate::state::{Def, ExtSet, Line, Link, Reader, SFunction, flag};
use crate::words::{HEADER, Inst, string};
use airfoil_ir::*;
use spirv::{Capability, Decoration, MemoryModel, Op};

impl<'w> Reader<'w> {
    /// Reads everything outside functions and notes where functions are.
    pub fn sweep(&mut self) -> Res<()> {
        let mut at = HEADER;
        let (mut in_function, mut blocks, mut variables) = (false, 0, 0);
        while at < self.words.len() {
            let inst = Inst::at(self.words, at).map_err(|mut e| {
                e.place = Place::Word { offset: at, result: None, source: None };
                e
            })?;
            at = inst.end();
            if in_function {
                let opcode = inst.opcode();
                blocks += usize::from(opcode == Op::Label as u32);
                variables += usize::from(opcode == Op::Variable as u32);
                if opcode == Op::FunctionEnd as u32 {
                    in_function = false;
                    if let Some(f) = self.functions.last_mut() {
                        (f.words, f.blocks) = (at - f.at, blocks);
                    }
                    blocks = 0;
                }
                continue;
            }
            in_function = inst.opcode() == Op::Function as u32;
            self.options.stop.check()?;
            self.outside(inst).map_err(|e| self.locate(e, inst))?;
        }
        if in_function {
            return fail(MALFORMED, "the last function has no OpFunctionEnd");
        }
        self.line = Line::default();
        self.shader.vars.reserve(self.globals.len() + variables);
        Ok(())
    }

    fn outside(&mut self, inst: Inst<'w>) -> Res<()> {
        let Some(op) = inst.op() else { bail!(UNSUPPORTED, "{} is not known", inst.name()) };
        match op {
            Op::Capability => {
                let n = inst.word(1)?;
                match Capability::from_u32(n) {
                    Some(c) if is_supported(c) => {
                        self.variable_pointers |= matches!(
                            c,
                            Capability::VariablePointers | Capability::VariablePointersStorageBuffer
                        );
                    }
                    Some(c) => bail!(UNSUPPORTED, "capability {c:?} is not supported"),
                    None => bail!(UNSUPPORTED, "capability {n} is not known"),
                }
            }
            Op::MemoryModel => {
                self.shader.info.vulkan_memory_model = inst.word(2)? == MemoryModel::Vulkan as u32;
            }
            Op::ExtInstImport => {
                let name = string(inst.rest(2)).unwrap_or_default().0;
                let set = match name.as_str() {
                    "GLSL.std.450" => ExtSet::Glsl,
                    "NonSemantic.Shader.DebugInfo.100" => ExtSet::DebugInfo,
                    n if n.starts_with("NonSemantic.") || n == "OpenCL.DebugInfo.100" => ExtSet::NonSemantic,
                    _ => bail!(UNSUPPORTED, "the extended instruction set {name:?} is not supported"),
                };
                self.define(inst.word(1)?, Def::Ext(set))?;
            }
            Op::EntryPoint => self.entries.push(entry_of(inst)?),
            Op::ExecutionMode | Op::ExecutionModeId => self.modes.push(inst.at),
            Op::Name => {
                let id = inst.word(1)?;
                self.id_mut(id)?.name = inst.at as u32;
            }
            Op::MemberName => self.link(inst.word(1)?, inst.at, None)?,
            Op::String => self.define(inst.word(1)?, Def::String(inst.at as u32))?,
            Op::Line => self.line = Line { file: inst.word(1)?, line: inst.word(2)? },
            Op::NoLine => self.line = Line::default(),
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let (id, kind) = (inst.word(1)?, inst.word(2)?);
                let bit = match Decoration::from_u32(kind) {
                    Some(Decoration::NoContraction) => flag::EXACT,
                    Some(Decoration::NonUniform) => flag::NON_UNIFORM,
                    Some(Decoration::RelaxedPrecision) => flag::RELAXED,
                    Some(Decoration::SaturatedConversion) => flag::SATURATED,
                    Some(Decoration::FPRoundingMode) => flag::ROUNDING,
                    Some(Decoration::NoSignedWrap) => flag::NSW,
                    Some(Decoration::NoUnsignedWrap) => flag::NUW,
                    _ => 0,
                };
                self.id_mut(id)?.flags |= bit;
                // A decoration that its flag expresses completely needs no list entry.
                if bit == 0 || bit == flag::ROUNDING || bit == flag::RELAXED {
                    self.link(id, inst.at, None)?;
                }
            }
            Op::MemberDecorate | Op::MemberDecorateString => self.link(inst.word(1)?, inst.at, None)?,
            Op::GroupDecorate => {
                let group = inst.word(1)?;
                let flags = self.id(group).flags;
                let list: Vec<Link> = self.links(group).collect();
                for &target in inst.rest(2) {
                    self.id_mut(target)?.flags |= flags;
                    for l in list.iter().rev() {
                        self.link(target, l.at as usize, l.member)?;
                    }
                }
            }
            Op::GroupMemberDecorate => {
                let list: Vec<Link> = self.links(inst.word(1)?).collect();
                for pair in inst.rest(2).chunks_exact(2) {
                    for l in list.iter().rev() {
                        self.link(pair[0], l.at as usize, Some(pair[1]))?;
                    }
                }
            }
            Op::DecorationGroup
            | Op::Nop
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Extension
            | Op::ModuleProcessed => {}
            Op::ExtInst => self.global_ext_inst(inst)?,
            Op::Variable => self.global_variable(inst)?,
            Op::Undef => self.constant(inst, op)?,
            Op::Function => {
                let ty = self.type_of(inst.word(4)?)?;
                let id = inst.word(2)?;
                self.define(id, Def::Function(self.functions.len() as u32))?;
                let line = self.line;
                self.functions.push(SFunction {
                    at: inst.at,
                    id,
                    ty,
                    line,
                    words: 0,
                    blocks: 0,
                    func: None,
                    plan: Planned::default(),
                    is_inlined: false,
                });
            }
            _ if op.is_constant() => self.constant(inst, op)?,
            _ if op.is_type() || op == Op::TypeForwardPointer => self.declare_type(inst, op)?,
            _ => bail!(UNSUPPORTED, "{} outside functions is not supported", inst.name()),
        }
        Ok(())
    }

    fn global_ext_inst(&mut self, inst: Inst<'w>) -> Res<()> {
        /// DebugSource of NonSemantic.Shader.DebugInfo.
        const DEBUG_SOURCE: u32 = 35;
        /// DebugFunction: name, type, source, line, ...
        const DEBUG_FUNCTION: u32 = 20;
        match self.id(inst.word(3)?).def {
            Def::Ext(ExtSet::DebugInfo) if inst.word(4)? == DEBUG_SOURCE => {
                self.define(inst.word(2)?, Def::DebugSource(inst.word(5)?))
            }
            Def::Ext(ExtSet::DebugInfo) if inst.word(4)? == DEBUG_FUNCTION => {
                let (source, line) = (inst.word(7)?, inst.word(8)?);
                match (self.id(source).def, self.const_u32(line)) {
                    (Def::DebugSource(file), Some(line)) => {
                        self.define(inst.word(2)?, Def::DebugFunction(Line { file, line }))
                    }
                    _ => Ok(()),
                }
            }
            Def::Ext(ExtSet::DebugInfo | ExtSet::NonSemantic) => Ok(()),
            _ => fail(UNSUPPORTED, "OpExtInst outside functions is not supported"),
        }
    }
}
