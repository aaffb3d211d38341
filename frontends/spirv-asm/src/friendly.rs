//! Names of ids in disassembled text: those of the module, and names of types and constants as `spirv-dis` makes them.

use crate::decode::{Known, string};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names of ids; ids without one are numbers.
#[derive(Default)]
pub(crate) struct FriendlyNames {
    of: FxHashMap<u32, String>,
    used: FxHashSet<String>,
}

/// The module's name for a built-in.
fn built_in_name(built_in: BuiltIn) -> Option<&'static str> {
    use BuiltIn as B;
    Some(match built_in {
        B::Position => "gl_Position",
        B::PointSize => "gl_PointSize",
        B::ClipDistance => "gl_ClipDistance",
        B::CullDistance => "gl_CullDistance",
        B::VertexId => "gl_VertexID",
        B::InstanceId => "gl_InstanceID",
        B::PrimitiveId => "gl_PrimitiveID",
        B::InvocationId => "gl_InvocationID",
        B::Layer => "gl_Layer",
        B::ViewportIndex => "gl_ViewportIndex",
        B::TessLevelOuter => "gl_TessLevelOuter",
        B::TessLevelInner => "gl_TessLevelInner",
        B::TessCoord => "gl_TessCoord",
        B::PatchVertices => "gl_PatchVertices",
        B::FragCoord => "gl_FragCoord",
        B::PointCoord => "gl_PointCoord",
        B::FrontFacing => "gl_FrontFacing",
        B::SampleId => "gl_SampleID",
        B::SamplePosition => "gl_SamplePosition",
        B::SampleMask => "gl_SampleMask",
        B::FragDepth => "gl_FragDepth",
        B::HelperInvocation => "gl_HelperInvocation",
        B::NumWorkgroups => "gl_NumWorkGroups",
        B::WorkgroupSize => "gl_WorkGroupSize",
        B::WorkgroupId => "gl_WorkGroupID",
        B::LocalInvocationId => "gl_LocalInvocationID",
        B::GlobalInvocationId => "gl_GlobalInvocationID",
        B::LocalInvocationIndex => "gl_LocalInvocationIndex",
        B::SubgroupSize => "SubgroupSize",
        B::NumSubgroups => "NumSubgroups",
        B::SubgroupId => "SubgroupId",
        B::SubgroupLocalInvocationId => "SubgroupLocalInvocationId",
        B::VertexIndex => "gl_VertexIndex",
        B::InstanceIndex => "gl_InstanceIndex",
        B::BaseInstance => "gl_BaseInstance",
        _ => return None,
    })
}

impl FriendlyNames {
    /// The name of an id, without `%`.
    pub(crate) fn get(&self, id: u32) -> String {
        self.of.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    pub(crate) fn new(words: &[u32], known: &Known) -> FriendlyNames {
        let mut names = FriendlyNames::default();
        let mut at = 5;
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            let inst = &words[at..at + length];
            at += length;
            names.instruction(inst, known);
        }
        names
    }

    fn save(&mut self, id: u32, name: &str) {
        if self.of.contains_key(&id) {
            return;
        }
        let clean: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let clean = if clean.is_empty() { "_".to_owned() } else { clean };
        let mut unique = clean.clone();
        let mut n = 0;
        while !self.used.insert(unique.clone()) {
            unique = format!("{clean}_{n}");
            n += 1;
        }
        self.of.insert(id, unique);
    }

    fn instruction(&mut self, inst: &[u32], known: &Known) {
        let Some(op) = Op::from_u32(inst[0] & 0xffff) else { return };
        match (op, &inst[1..]) {
            (Op::Name, [id, text @ ..]) => self.save(*id, &string(text).0),
            (Op::Decorate, &[id, decoration, value]) if decoration == Decoration::BuiltIn as u32 => {
                if let Some(name) = BuiltIn::from_u32(value).and_then(built_in_name) {
                    self.save(id, name);
                }
            }
            (Op::TypeVoid, &[id]) => self.save(id, "void"),
            (Op::TypeBool, &[id]) => self.save(id, "bool"),
            (Op::TypeInt, &[id, bits, signed]) => {
                let sign = if signed != 0 { "" } else { "u" };
                let name = match bits {
                    8 => format!("{sign}char"),
                    16 => format!("{sign}short"),
                    32 => format!("{sign}int"),
                    64 => format!("{sign}long"),
                    _ => format!("{}{bits}", if signed != 0 { "i" } else { "u" }),
                };
                self.save(id, &name);
            }
            (Op::TypeFloat, &[id, bits]) => {
                let name = match bits {
                    16 => "half".to_owned(),
                    32 => "float".to_owned(),
                    64 => "double".to_owned(),
                    _ => format!("fp{bits}"),
                };
                self.save(id, &name);
            }
            (Op::TypeVector, &[id, of, n]) => self.save(id, &format!("v{n}{}", self.get(of))),
            (Op::TypeMatrix, &[id, of, n]) => self.save(id, &format!("mat{n}{}", self.get(of))),
            (Op::TypeArray, &[id, of, n]) => self.save(id, &format!("_arr_{}_{}", self.get(of), self.get(n))),
            (Op::TypeRuntimeArray, &[id, of]) => self.save(id, &format!("_runtimearr_{}", self.get(of))),
            (Op::TypePointer, &[id, class, to]) => {
                let class = StorageClass::from_u32(class).map_or(class.to_string(), |c| format!("{c:?}"));
                self.save(id, &format!("_ptr_{class}_{}", self.get(to)));
            }
            (Op::TypeStruct, &[id, ..]) => self.save(id, &format!("_struct_{id}")),
            (Op::ConstantTrue, &[_, id]) => self.save(id, "true"),
            (Op::ConstantFalse, &[_, id]) => self.save(id, "false"),
            (Op::Constant, &[ty, id, low, ref high @ ..]) => {
                if let Some(number) = known.numbers.get(&ty) {
                    let high = high.first().copied().unwrap_or(0);
                    let value = number.show(u64::from(low) | (u64::from(high) << 32)).replace('-', "n");
                    self.save(id, &format!("{}_{value}", self.get(ty)));
                }
            }
            _ => {}
        }
    }
}
