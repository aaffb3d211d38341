//! Entry points of a module: stage, versions, arguments, results and resources, from its metadata.
//!
//! A pipeline is built from these, read back from any compiler's module. Nodes that do not have the form that
//! Metal's compiler writes are read as far as possible; everything without a meaning here is kept as text.

use crate::ll::type_text;
use crate::module::{
    Attachment, Function, Linkage, Md, MdKind, Module, TypeId, Value, ValueKind, Visibility, di,
};

/// Names of the nodes that list entry points, and the stage.
const STAGES: &[(&str, &str)] = &[
    ("air.vertex", "vertex"),
    ("air.fragment", "fragment"),
    ("air.kernel", "kernel"),
    ("air.object", "object"),
    ("air.mesh", "mesh"),
    ("air.visible", "visible"),
    ("air.intersection", "intersection"),
];

/// A module's own facts and entry points.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inspection {
    /// Target triple.
    pub triple: String,
    /// Source file name.
    pub source: String,
    /// AIR version: `2.7.0`
    pub air: String,
    /// Language and its version: `Metal 3.2.0`
    pub language: String,
    /// The compiler.
    pub compiler: String,
    /// Compile options without `air.compile.`.
    pub options: Vec<String>,
    /// Entry points.
    pub entries: Vec<Entry>,
    /// Names, types and numbers of function constants.
    pub constants: Vec<Item>,
    /// Names of constant samplers.
    pub samplers: Vec<String>,
    /// Functions that are visible to other modules, entry points excluded.
    pub exports: Vec<String>,
}

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// Name of the function.
    pub name: String,
    /// Stage.
    pub stage: String,
    /// Further words about it, such as `air.patch`.
    pub notes: Vec<String>,
    /// Results.
    pub outputs: Vec<Item>,
    /// Arguments.
    pub inputs: Vec<Item>,
    /// Line and path of the source, if the module has debug information.
    pub debug: Option<(u32, String)>,
}

/// An argument, result, member or function constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Item {
    /// Index of the argument, or of the function constant.
    pub index: Option<i64>,
    /// Role, without `air.`: `buffer`, `texture`, `position`, ...
    pub kind: String,
    /// Name in the source.
    pub name: String,
    /// Type in the source.
    pub ty: String,
    /// LLVM type of the argument or result.
    pub llvm: String,
    /// `read`, `write`, `read_write` or `sample`.
    pub access: String,
    /// Index in the argument table, attribute or attachment, and how many follow.
    pub location: Option<(i64, i64)>,
    /// Address space.
    pub space: Option<i64>,
    /// Size and alignment of the type.
    pub size: Option<i64>,
    /// Alignment of the type.
    pub align: Option<i64>,
    /// Size of a buffer that is bound by reference.
    pub buffer_size: Option<i64>,
    /// Offset of a member.
    pub offset: Option<i64>,
    /// Number of elements of a member that is an array.
    pub elements: Option<i64>,
    /// It is not used.
    pub unused: bool,
    /// Everything else in the node, such as an interpolation.
    pub notes: Vec<String>,
    /// Members of a struct.
    pub members: Vec<Item>,
}

/// Inspects a module.
pub fn inspect(module: &Module) -> Inspection {
    let mut reader = Reader { m: module, budget: MAX_ITEMS };
    let texts = |name: &str| -> Vec<String> {
        reader.named(name).iter().filter_map(|&n| reader.text(*reader.node(n).first()?)).collect()
    };
    let mut found = Inspection {
        triple: module.triple.clone(),
        source: module.source_filename.clone(),
        air: reader.version("air.version"),
        language: reader.version("air.language_version"),
        compiler: texts("llvm.ident").pop().unwrap_or_default(),
        options: texts("air.compile_options")
            .into_iter()
            .map(|o| o.strip_prefix("air.compile.").map(str::to_owned).unwrap_or(o))
            .collect(),
        ..Inspection::default()
    };
    for state in reader.named("air.sampler_states") {
        if let Some(symbol) = reader.node(state).get(1).and_then(|&md| reader.symbol(md)) {
            found.samplers.push(symbol);
        }
    }
    for node in reader.named("air.function_constants") {
        let operands = reader.node(node).to_vec();
        found.constants.push(Item {
            kind: "function_constant".to_owned(),
            ty: operands.get(1).and_then(|&md| reader.text(md)).unwrap_or_default(),
            name: operands.get(2).and_then(|&md| reader.text(md)).unwrap_or_default(),
            index: operands.get(3).and_then(|&md| reader.number(md)),
            notes: match operands.get(4).and_then(|&md| reader.number(md)) {
                Some(0) => vec![OPTIONAL.to_owned()],
                _ => Vec::new(),
            },
            ..Item::default()
        });
    }
    for &(list, stage) in STAGES {
        for node in reader.named(list) {
            found.entries.push(reader.entry(node, stage));
        }
    }
    let visible = |f: &&Function| {
        f.body.is_some() && f.linkage == Linkage::External && f.visibility == Visibility::Default
    };
    for function in module.functions().iter().filter(visible) {
        let name = module.text(function.name);
        if !found.entries.iter().any(|e| e.name == name) {
            found.exports.push(name.to_owned());
        }
    }
    found
}

/// Note of a function constant that need not be given.
pub const OPTIONAL: &str = "optional";

/// More than any module has; nodes may be shared without end.
const MAX_ITEMS: usize = 1 << 16;
/// Deepest nesting of structs.
const MAX_DEPTH: usize = 16;

struct Reader<'m> {
    m: &'m Module,
    /// How many more items may be created.
    budget: usize,
}

impl<'m> Reader<'m> {
    fn named(&self, name: &str) -> Vec<Md> {
        let all = self.m.metadata().named();
        all.iter().find(|n| self.m.text(n.name) == name).map_or_else(Vec::new, |n| n.nodes.to_vec())
    }

    fn node(&self, md: Md) -> &'m [Md] {
        match md.kind() {
            MdKind::Node(index) => self.m.metadata().node(index),
            _ => &[],
        }
    }

    fn text(&self, md: Md) -> Option<String> {
        match md.kind() {
            MdKind::String(index) => {
                Some(self.m.text(*self.m.metadata().strings().get(index as usize)?).to_owned())
            }
            _ => None,
        }
    }

    fn value(&self, md: Md) -> Option<Value> {
        match md.kind() {
            MdKind::Value(index) => self.m.metadata().values().get(index as usize).copied(),
            _ => None,
        }
    }

    fn number(&self, md: Md) -> Option<i64> {
        self.m.int_value(self.value(md)?)
    }

    /// Name of a symbol, seen through casts.
    fn symbol(&self, md: Md) -> Option<String> {
        use crate::module::Const;
        let mut value = self.value(md)?;
        loop {
            match value.kind() {
                ValueKind::Global(index) => return Some(self.m.text(self.m.global(index)?.name).to_owned()),
                ValueKind::Function(_) => return Some(self.m.text(self.m.function(value)?.name).to_owned()),
                _ => match self.m.constant(value)? {
                    Const::Cast(_, inner) => value = inner,
                    _ => return None,
                },
            }
        }
    }

    /// `{ "Metal", 3, 2, 0 }` as `Metal 3.2.0`.
    fn version(&self, name: &str) -> String {
        let Some(&node) = self.named(name).first() else { return String::new() };
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        for &md in self.node(node) {
            words.extend(self.text(md));
            numbers.extend(self.number(md).map(|n| n.to_string()));
        }
        words.push(numbers.join("."));
        words.join(" ")
    }

    fn entry(&mut self, node: Md, stage: &str) -> Entry {
        let operands = self.node(node);
        let name = operands.first().and_then(|&md| self.symbol(md)).unwrap_or_default();
        let signature =
            self.m.symbol(&name).and_then(|f| self.m.function(f)).map(|f| self.m.types().get(f.ty));
        let (mut results, mut params): (Vec<TypeId>, Vec<TypeId>) = (Vec::new(), Vec::new());
        if let Some(crate::module::Type::Function { ret, params: list }) = signature {
            use crate::module::Type;
            params = self.m.types().list(list).to_vec();
            results = match self.m.types().get(ret) {
                Type::Struct { fields, .. } | Type::Named { fields, .. } => {
                    self.m.types().list(fields).to_vec()
                }
                _ => vec![ret],
            };
        }
        let items = |this: &mut Self, at: usize, types: &[TypeId]| -> Vec<Item> {
            let nodes = operands.get(at).map_or(&[][..], |&md| this.node(md));
            let mut items: Vec<Item> = nodes.iter().map(|&md| this.item(md, 0)).collect();
            for (place, item) in items.iter_mut().enumerate() {
                let place = item.index.and_then(|i| usize::try_from(i).ok()).unwrap_or(place);
                item.llvm = types.get(place).map(|&ty| type_text(this.m, ty)).unwrap_or_default();
            }
            items
        };
        let outputs = items(self, 1, &results);
        let inputs = items(self, 2, &params);
        let mut notes = Vec::new();
        for &md in operands.iter().skip(3) {
            let parts: &[Md] = if self.node(md).is_empty() { &[md] } else { self.node(md) };
            let words: Vec<String> = parts.iter().map(|&md| self.word(md)).collect();
            notes.push(words.join(" "));
        }
        let debug = self.m.symbol(&name).and_then(|function| self.debug(function));
        Entry { name, stage: stage.to_owned(), notes, outputs, inputs, debug }
    }

    /// File and line of the `DISubprogram` of a function: fields 4 and 5 are file and line, fields 1 and 2 of the file its name
    /// and folder.
    fn debug(&self, function: Value) -> Option<(u32, String)> {
        let record = |md: Md, code: u8| match md.kind() {
            MdKind::Node(index) => self.m.metadata().debug(index).filter(|d| d.0 == code).map(|d| d.1),
            _ => None,
        };
        let attached = self.m.attachments_of(function).iter().find(|a| a.1 == Attachment::DBG)?;
        let subprogram = record(attached.2, di::SUBPROGRAM)?;
        let file = record(Md::from_word(*subprogram.get(4)?), di::FILE)?;
        let text =
            |at: usize| file.get(at).and_then(|&word| self.text(Md::from_word(word))).unwrap_or_default();
        let line = u32::try_from(*subprogram.get(5)?).ok()?;
        Some((line, path_in(&text(2), &text(1))))
    }

    /// A piece of metadata in a few characters.
    fn word(&self, md: Md) -> String {
        let number = self.number(md).map(|n| n.to_string());
        let word = self.text(md).or(number).or_else(|| self.symbol(md));
        word.unwrap_or_else(|| if md == Md::NULL { "null".to_owned() } else { "{...}".to_owned() })
    }

    /// One node of an argument or result.
    fn item(&mut self, node: Md, depth: usize) -> Item {
        let mut item = Item::default();
        if self.budget == 0 || depth > MAX_DEPTH {
            return item;
        }
        self.budget -= 1;
        let mut rest = self.node(node).iter().copied().peekable();
        if let Some(index) = rest.peek().and_then(|&md| self.number(md)) {
            item.index = Some(index);
            rest.next();
        }
        let number =
            |this: &Self, rest: &mut dyn Iterator<Item = Md>| rest.next().and_then(|md| this.number(md));
        while let Some(md) = rest.next() {
            if item.kind == "mesh" && self.is_mesh_type(md) {
                self.mesh_type(md, &mut item, depth + 1);
                continue;
            }
            let Some(key) = self.text(md) else {
                let word = self.word(md);
                // The numbers after a render target are its attachment and the source of blending.
                if let (Some(n), "render_target", None) = (self.number(md), item.kind.as_str(), item.location)
                {
                    item.location = Some((n, 1));
                } else {
                    item.notes.push(word);
                }
                continue;
            };
            match key.strip_prefix("air.").unwrap_or("") {
                "location_index" => {
                    let first = number(self, &mut rest).unwrap_or(0);
                    item.location = Some((first, number(self, &mut rest).unwrap_or(1)));
                }
                "address_space" => item.space = number(self, &mut rest),
                "arg_type_size" => item.size = number(self, &mut rest),
                "arg_type_align_size" => item.align = number(self, &mut rest),
                "buffer_size" => item.buffer_size = number(self, &mut rest),
                "arg_type_name" => item.ty = rest.next().and_then(|md| self.text(md)).unwrap_or_default(),
                "arg_name" => item.name = rest.next().and_then(|md| self.text(md)).unwrap_or_default(),
                "arg_unused" => item.unused = true,
                "struct_type_info" => {
                    let info = rest.next();
                    item.members = info.map(|md| self.members(md, depth + 1)).unwrap_or_default();
                }
                access @ ("read" | "write" | "read_write" | "sample") if item.kind != "position" => {
                    item.access = access.to_owned();
                }
                "" => item.notes.push(key),
                kind if item.kind.is_empty() => item.kind = kind.to_owned(),
                _ => item.notes.push(key),
            }
        }
        item
    }

    fn is_mesh_type(&self, md: Md) -> bool {
        let first = self.node(md).first().and_then(|&md| self.text(md));
        first.as_deref() == Some("air.mesh_type_info")
    }

    /// The type of a mesh: values of vertices and of primitives become members; greatest numbers of both and the topology, notes.
    fn mesh_type(&mut self, info: Md, item: &mut Item, depth: usize) {
        for &md in self.node(info).iter().skip(1) {
            if !matches!(md.kind(), MdKind::Node(_)) {
                item.notes.push(self.word(md));
                continue;
            }
            for &value in self.node(md) {
                let value = self.item(value, depth);
                item.members.push(value);
            }
        }
    }

    /// Members of a struct: offset, size, number of elements, type and name of each. Nested members come before; the
    /// description of an argument buffer's member comes after.
    fn members(&mut self, info: Md, depth: usize) -> Vec<Item> {
        let mut members: Vec<Item> = Vec::new();
        if depth > MAX_DEPTH {
            return members;
        }
        // Each visit counts, since nested nodes may be shared.
        self.budget = self.budget.saturating_sub(1);
        let operands = self.node(info);
        let (mut at, mut nested) = (0, Vec::new());
        while let Some(&md) = operands.get(at) {
            if self.budget == 0 {
                break;
            }
            let next = operands.get(at + 1).copied();
            match (self.text(md).as_deref(), next) {
                (Some("air.struct_type_info"), Some(next)) => {
                    nested = self.members(next, depth + 1);
                    at += 2;
                }
                (Some("air.indirect_argument"), Some(next)) => {
                    let argument = self.item(next, depth + 1);
                    if let Some(member) = members.last_mut() {
                        (member.kind, member.location) = (argument.kind, argument.location);
                        (member.access, member.index) = (argument.access, argument.index);
                    }
                    at += 2;
                }
                (Some(other), next) => {
                    if let Some(member) = members.last_mut() {
                        member.notes.push(other.to_owned());
                        member.notes.extend(next.map(|md| self.word(md)));
                    }
                    at += 2;
                }
                (None, _) => {
                    let op = |i: usize| operands.get(at + i).copied();
                    self.budget = self.budget.saturating_sub(1);
                    members.push(Item {
                        offset: self.number(md),
                        size: op(1).and_then(|md| self.number(md)),
                        elements: op(2).and_then(|md| self.number(md)).filter(|&n| n != 0),
                        ty: op(3).and_then(|md| self.text(md)).unwrap_or_default(),
                        name: op(4).and_then(|md| self.text(md)).unwrap_or_default(),
                        members: std::mem::take(&mut nested),
                        ..Item::default()
                    });
                    at += 5;
                }
            }
        }
        members
    }
}

/// A file in a folder, unless its path starts at a root, of whatever system.
pub(crate) fn path_in(directory: &str, file: &str) -> String {
    let rooted = file.starts_with(['/', '\\']) || file.as_bytes().get(1) == Some(&b':');
    if directory.is_empty() || rooted {
        return file.to_owned();
    }
    format!("{}/{file}", directory.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_from_their_keys() {
        let mut m = Module::new("k", "air64-apple-macosx13.0.0");
        let pointer = m.pointer(TypeId::FLOAT, 1);
        let k = m.define("k", TypeId::VOID, &[pointer], Linkage::External);
        let field = [m.md_i32(0), m.md_i32(4), m.md_i32(0), m.md_str("float"), m.md_str("x")];
        let info = m.md_node(&field);
        let buffer = [
            m.md_i32(0),
            m.md_str("air.buffer"),
            m.md_str("air.location_index"),
            m.md_i32(3),
            m.md_i32(1),
            m.md_str("air.read_write"),
            m.md_str("air.struct_type_info"),
            info,
            m.md_str("air.arg_type_size"),
            m.md_i32(4),
            m.md_str("air.arg_type_name"),
            m.md_str("S"),
            m.md_str("air.arg_name"),
            m.md_str("data"),
        ];
        let buffer = m.md_node(&buffer);
        let (inputs, outputs, function) = (m.md_node(&[buffer]), m.md_node(&[]), m.md_value(k));
        let entry = m.md_node(&[function, outputs, inputs]);
        m.add_named_md("air.kernel", entry);
        let found = inspect(&m);
        let item = &found.entries[0].inputs[0];
        assert_eq!((found.entries[0].name.as_str(), found.entries[0].stage.as_str()), ("k", "kernel"));
        assert_eq!((item.kind.as_str(), item.location, item.size), ("buffer", Some((3, 1)), Some(4)));
        assert_eq!((item.access.as_str(), item.llvm.as_str()), ("read_write", "float addrspace(1)*"));
        assert_eq!((item.members[0].name.as_str(), item.members[0].offset), ("x", Some(0)));
    }

    #[test]
    fn a_struct_that_contains_itself_ends() {
        let mut m = Module::new("k", "air64-apple-macosx13.0.0");
        let k = m.define("k", TypeId::VOID, &[], Linkage::External);
        let key = m.md_str("air.struct_type_info");
        let node = m.metadata_mut().declare();
        m.metadata_mut().fill(node, &[key, node, key, node], true);
        let (function, none) = (m.md_value(k), m.md_node(&[]));
        let inputs = m.md_node(&[node]);
        let entry = m.md_node(&[function, none, inputs]);
        m.add_named_md("air.kernel", entry);
        assert_eq!(inspect(&m).entries.len(), 1);
    }
}
