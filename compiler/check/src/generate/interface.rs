//! Random programs of a vertex and a fragment shader with many declarations: structures, arrays of arrays, blocks of all layouts,
//! textures, images, counters, attributes, colors, and varyings. All of them are used. Some programs are wrong: a declaration of the
//! fragment shader contradicts that of the vertex shader.

use airfoil_ir::Stage;
use airfoil_ir::generate::{Choices, Seed};
use std::fmt::Write as _;

/// Types of members, with the expression that makes a float of one.
const TYPES: [(&str, &str); 14] = [
    ("float", "@"),
    ("vec2", "@.y"),
    ("vec3", "@.z"),
    ("vec4", "@.w"),
    ("int", "float(@)"),
    ("ivec3", "float(@.z)"),
    ("uint", "float(@)"),
    ("uvec2", "float(@.y)"),
    ("bool", "float(@)"),
    ("bvec4", "float(@.w)"),
    ("mat2", "@[1].x"),
    ("mat3x2", "@[2].y"),
    ("mat4x3", "@[3].z"),
    ("mat4", "@[0].w"),
];

/// Types of varyings and attributes.
const PASSED: [(&str, &str, &str); 5] = [
    ("float", "@", "float(@)"),
    ("vec3", "@.z", "vec3(@)"),
    ("vec4", "@.x", "vec4(@)"),
    ("mat2", "@[1].x", "mat2(@)"),
    ("ivec2", "float(@.x)", "ivec2(@)"),
];

/// The parts of a program.
struct Generator {
    seed: Seed,
    /// Definitions of structures, for both stages.
    structs: String,
    /// Members of each structure: name, dimensions, and type.
    members: Vec<Vec<Member>>,
    next: u32,
    /// Counters that were made, modulo 2.
    counters: u32,
}

/// A declared name.
#[derive(Clone)]
struct Member {
    name: String,
    dims: Vec<u32>,
    ty: MemberType,
}

#[derive(Clone, Copy)]
enum MemberType {
    Basic(usize),
    Struct(usize),
}

impl Generator {
    fn below(&mut self, n: u32) -> u32 {
        self.seed.below(n)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn dims(&mut self) -> Vec<u32> {
        let count = [0, 0, 0, 1, 1, 2][self.below(6) as usize];
        (0..count).map(|_| 1 + self.below(3)).collect()
    }

    fn member(&mut self, structs: usize) -> Member {
        let ty = match self.below(4) {
            0 if structs > 0 => MemberType::Struct(self.below(structs as u32) as usize),
            _ => MemberType::Basic(self.below(TYPES.len() as u32) as usize),
        };
        Member { name: self.name("m"), dims: self.dims(), ty }
    }

    fn structure(&mut self) {
        let index = self.members.len();
        let members: Vec<Member> = (0..1 + self.below(3)).map(|_| self.member(index)).collect();
        let _ = writeln!(self.structs, "struct S{index} {{ {} }};", fields(&members));
        self.members.push(members);
    }

    /// An expression that reads some part of every member.
    fn read(&mut self, path: &str, member: &Member) -> String {
        let mut path = path.to_owned();
        for &len in &member.dims {
            let _ = write!(path, "[{}]", self.below(len));
        }
        match member.ty {
            MemberType::Basic(n) => TYPES[n].1.replace('@', &path),
            MemberType::Struct(n) => {
                let members = self.members[n].clone();
                let parts: Vec<String> =
                    members.iter().map(|m| self.read(&format!("{path}.{}", m.name), m)).collect();
                parts.join(" + ")
            }
        }
    }
}

fn brackets(dims: &[u32]) -> String {
    dims.iter().map(|n| format!("[{n}]")).collect()
}

fn declaration(m: &Member) -> String {
    let ty = match m.ty {
        MemberType::Basic(n) => TYPES[n].0.to_owned(),
        MemberType::Struct(n) => format!("S{n}"),
    };
    format!("{ty} {}{}", m.name, brackets(&m.dims))
}

fn fields(members: &[Member]) -> String {
    members.iter().map(|m| format!("{}; ", declaration(m))).collect()
}

/// A declaration that both stages may have, and an expression that uses it.
struct Item {
    text: String,
    uses: String,
}

impl Generator {
    fn uniform(&mut self) -> Item {
        let mut m = self.member(self.members.len());
        m.name = self.name("u");
        let layout = match self.below(4) {
            0 => format!("layout(location = {}) ", 40 * (self.next % 24)),
            _ => String::new(),
        };
        Item { text: format!("{layout}uniform {};\n", declaration(&m)), uses: self.read(&m.name, &m) }
    }

    fn block(&mut self, storage: &str) -> Item {
        let (name, instance) = (self.name("B"), self.name("b"));
        let members: Vec<Member> = (0..1 + self.below(4)).map(|_| self.member(self.members.len())).collect();
        let packing = match storage {
            "buffer" => ["std140", "std430"][self.below(2) as usize],
            _ => "std140",
        };
        let major = ["", ", row_major", ", column_major"][self.below(3) as usize];
        let binding =
            if self.below(2) == 0 { format!(", binding = {}", self.next % 6) } else { String::new() };
        let (has_instance, dims) = (self.below(3) > 0, if self.below(3) == 0 { vec![2] } else { Vec::new() });
        let (suffix, path) = match has_instance {
            true => (
                format!(" {instance}{}", brackets(&dims)),
                format!("{instance}{}.", brackets(&vec![1; dims.len()])),
            ),
            false => (String::new(), String::new()),
        };
        let tail = match storage {
            "buffer" if self.below(2) == 0 => {
                format!("{} tail{}[]; ", TYPES[self.below(8) as usize].0, self.next)
            }
            _ => String::new(),
        };
        let text = format!(
            "layout({packing}{major}{binding}) {storage} {name} {{ {}{tail}}}{suffix};\n",
            fields(&members)
        );
        let uses: Vec<String> = members.iter().map(|m| self.read(&format!("{path}{}", m.name), m)).collect();
        Item { text, uses: uses.join(" + ") }
    }

    fn opaque(&mut self) -> Item {
        let name = self.name("t");
        let (ty, read) = [
            ("sampler2D", "texture(@, vec2(0.5)).x"),
            ("isampler3D", "float(texture(@, vec3(0.5)).y)"),
            ("samplerCubeShadow", "texture(@, vec4(0.5))"),
            ("usampler2DArray", "float(texelFetch(@, ivec3(0), 0).z)"),
            ("samplerBuffer", "texelFetch(@, 1).x"),
        ][self.below(5) as usize];
        let dims = if self.below(3) == 0 { vec![2] } else { Vec::new() };
        let layout = match self.below(3) {
            0 => format!("layout(binding = {}) ", self.below(6)),
            _ => String::new(),
        };
        let path = format!("{name}{}", brackets(&vec![1; dims.len()]));
        Item {
            text: format!("{layout}uniform {ty} {name}{};\n", brackets(&dims)),
            uses: read.replace('@', &path),
        }
    }

    fn counter(&mut self) -> Item {
        let name = self.name("a");
        self.counters = (self.counters + 1) % 2;
        let dims = if self.below(2) == 0 { vec![3] } else { Vec::new() };
        let path = format!("{name}{}", brackets(&vec![2; dims.len()]));
        let text = format!(
            "layout(binding = {}, offset = {}) uniform atomic_uint {name}{};\n",
            self.below(2),
            // Buffers have at least 32 bytes (GL_MAX_ATOMIC_COUNTER_BUFFER_SIZE).
            12 * self.counters,
            brackets(&dims)
        );
        Item { text, uses: format!("float(atomicCounter({path}))") }
    }

    fn item(&mut self) -> Item {
        match self.below(8) {
            0..3 => self.uniform(),
            3..5 => self.block("uniform"),
            5 => self.block("buffer"),
            6 => self.opaque(),
            _ => self.counter(),
        }
    }
}

/// The sources of a program, and whether it is one that must not link.
pub fn sources(seed: u64) -> Vec<(Stage, String)> {
    let mut g =
        Generator { seed: Seed(seed), structs: String::new(), members: Vec::new(), next: 0, counters: 0 };
    for _ in 0..g.below(4) {
        g.structure();
    }
    let [mut vertex, mut fragment] = ["#version 450\n"; 2].map(|version| format!("{version}{}", g.structs));
    let (mut of_vertex, mut of_fragment) = (vec!["0.0".to_owned()], vec!["0.0".to_owned()]);
    for _ in 0..2 + g.below(6) {
        let item = g.item();
        let stages = 1 + g.below(3);
        if stages & 1 != 0 {
            vertex += &item.text;
            of_vertex.push(item.uses.clone());
        }
        if stages & 2 != 0 {
            // One program of eight declares something in another way.
            let wrong = stages == 3 && g.below(8) == 0;
            let from = ["vec4", "std140", "float", "[2]"][g.below(4) as usize];
            let to = match from {
                "vec4" => "uvec4",
                "std140" => "std430",
                "float" => "int",
                _ => "[3]",
            };
            fragment += &if wrong { item.text.replacen(from, to, 1) } else { item.text };
            of_fragment.push(item.uses);
        }
    }
    for _ in 0..1 + g.below(4) {
        let (ty, read, _) = PASSED[g.below(5) as usize];
        let (name, dims) = (g.name("in"), if g.below(4) == 0 { vec![2] } else { Vec::new() });
        let path = format!("{name}{}", brackets(&vec![1; dims.len()]));
        let _ = writeln!(vertex, "in {ty} {name}{};", brackets(&dims));
        of_vertex.push(read.replace('@', &path));
    }
    let mut writes = String::new();
    for _ in 0..g.below(5) {
        let (ty, read, write) = PASSED[g.below(5) as usize];
        let name = g.name("v");
        let flat = if ty.starts_with('i') { "flat " } else { "" };
        let location = match g.below(3) {
            0 => format!("layout(location = {}) ", 2 * (g.next % 12)),
            _ => String::new(),
        };
        let wrong = g.below(24) == 0;
        let _ = writeln!(vertex, "{location}{flat}out {ty} {name};");
        let _ = writeln!(fragment, "{location}{flat}in {} {name};", if wrong { "uvec4" } else { ty });
        let _ = writeln!(writes, "{name} = {};", write.replace('@', "sum"));
        of_fragment.push(if wrong { format!("float({name}.x)") } else { read.replace('@', &name) });
    }
    let _ = write!(
        vertex,
        "void main() {{\nfloat sum = {};\n{writes}gl_Position = vec4(sum);\n}}\n",
        of_vertex.join("\n+ ")
    );
    let second = g.below(2) == 0;
    if second {
        fragment += "layout(location = 2) out ivec4 second;\n";
    }
    let _ = write!(
        fragment,
        "out vec4 color;\nvoid main() {{\nfloat sum = {};\ncolor = vec4(sum);\n{}}}\n",
        of_fragment.join("\n+ "),
        if second { "second = ivec4(sum);\n" } else { "" }
    );
    vec![(Stage::Vertex, vertex), (Stage::Fragment, fragment)]
}
