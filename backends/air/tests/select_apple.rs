//! Selected modules compared with Apple's: the same function written as a shader must be compiled to the same
//! signature, metadata nodes and module-level facts.
//!
//! Known and deliberate differences, which are all that the comparison ignores:
//! * the producer (`llvm.ident`) and the SDK version, which Apple takes from the SDK and we from the target;
//! * names of varyings: `generated(...)` there, `user(locnN)` here;
//! * names of built-in arguments, which a shader of the IR does not have;
//! * arguments that are not used: `air.arg_unused` there, left out here.
//!
//! Alias scopes, TBAA, parameter attributes newer than LLVM 5 and `air.source_file_name` are not compared.

mod apple;

use airfoil_air::lint;
use airfoil_air::select::{FastMathMode, Options, ResourceIndices, Selected, select};
use std::collections::HashMap;

/// Metadata of a `.ll` text: numbered nodes, and the numbers of each named node.
struct Metadata {
    nodes: HashMap<u32, Vec<String>>,
    named: Vec<(String, Vec<u32>)>,
    define: String,
}

/// Splits at commas outside of quotes and brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quoted, mut part) = (Vec::new(), 0, false, String::new());
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' | '<' if !quoted => depth += 1,
            ')' | ']' | '}' | '>' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(std::mem::take(&mut part).trim().to_owned());
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    if !part.trim().is_empty() {
        parts.push(part.trim().to_owned());
    }
    parts
}

impl Metadata {
    fn read(ll: &str, function: &str) -> Metadata {
        let mut m = Metadata { nodes: HashMap::new(), named: Vec::new(), define: String::new() };
        for line in ll.lines() {
            if line.starts_with("define") && line.contains(&format!("@{function}(")) {
                m.define = line.to_owned();
            }
            let Some(rest) = line.strip_prefix('!') else { continue };
            let Some((name, value)) = rest.split_once(" = ") else { continue };
            let value = value.trim_start_matches("distinct ");
            let inner = value.trim_start_matches("!{").trim_end_matches('}');
            let operands = split(inner);
            match name.parse() {
                Ok(number) => {
                    m.nodes.insert(number, operands);
                }
                Err(_) => {
                    let numbers = operands.iter().filter_map(|o| o[1..].parse().ok()).collect();
                    m.named.push((name.to_owned(), numbers));
                }
            }
        }
        m
    }

    /// A node as text with its operands in place of their numbers.
    fn tree(&self, number: u32) -> String {
        let operands = &self.nodes[&number];
        let parts: Vec<String> = operands
            .iter()
            .map(|o| match o.strip_prefix('!').and_then(|n| n.parse().ok()) {
                Some(n) => self.tree(n),
                None => o.clone(),
            })
            .collect();
        format!("{{{}}}", parts.join(", "))
    }

    fn all(&self, name: &str) -> Vec<String> {
        let found = self.named.iter().find(|n| n.0 == name);
        found.map(|n| n.1.iter().map(|&n| self.tree(n)).collect()).unwrap_or_default()
    }

    /// Outputs and inputs of the entry `function`, in a comparable form, and the words after them.
    fn entry(&self, stage: &str, function: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
        let numbers = &self.named.iter().find(|n| n.0 == stage).expect("the stage").1;
        let operands = numbers
            .iter()
            .map(|n| &self.nodes[n])
            .find(|o| o[0].ends_with(&format!("@{function}")))
            .expect("the entry");
        let list = |o: &String| -> Vec<Vec<String>> {
            self.nodes[&o[1..].parse().unwrap()]
                .iter()
                .map(|n| self.comparable(&self.nodes[&n[1..].parse().unwrap()]))
                .collect()
        };
        let text = |list: Vec<Vec<String>>| list.into_iter().map(|w| w.join(", ")).collect::<Vec<_>>();
        let mut inputs = list(&operands[2]);
        inputs.retain(|i| i.last().is_none_or(|w| w != "!\"air.arg_unused\""));
        for (n, input) in inputs.iter_mut().enumerate() {
            input[0] = format!("i32 {n}");
        }
        (text(list(&operands[1])), text(inputs), operands[3..].to_vec())
    }

    /// Operands of an argument without the deliberate differences.
    fn comparable(&self, operands: &[String]) -> Vec<String> {
        let mut words: Vec<String> = operands
            .iter()
            .map(|o| match o.strip_prefix('!').and_then(|n| n.parse().ok()) {
                Some(n) => self.tree(n),
                None if o.starts_with("!\"generated(") || o.starts_with("!\"user(") => "varying".to_owned(),
                None => o.clone(),
            })
            .collect();
        let role = words.iter().find(|w| w.starts_with("!\"air.")).cloned().unwrap_or_default();
        let source_names =
            ["air.buffer", "air.texture", "air.vertex_input", "air.fragment_input", "air.vertex_output"];
        if !source_names.iter().any(|s| role == format!("!\"{s}\""))
            && let Some(at) = words.iter().position(|w| w == "!\"air.arg_name\"")
        {
            words[at + 1] = "name".to_owned();
        }
        words
    }

    /// Type of the result and of the parameters, without attributes and names.
    fn signature(&self) -> (String, Vec<String>) {
        let text = self.define.trim_start_matches("define ");
        let open = text.find('@').unwrap();
        let ret = text[..open].trim().to_owned();
        let list = &text[open..];
        let list = &list[list.find('(').unwrap() + 1..];
        let mut depth = 1;
        let end = list
            .char_indices()
            .find(|&(_, c)| {
                depth += match c {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                depth == 0
            })
            .unwrap()
            .0;
        let dropped = [
            "nocapture",
            "noundef",
            "readonly",
            "writeonly",
            "readnone",
            "returned",
            "align",
            "\"air-buffer-no-alias\"",
        ];
        let params = split(&list[..end])
            .iter()
            .map(|p| {
                let mut words: Vec<&str> = p.split(' ').collect();
                words.pop();
                words.retain(|w| {
                    !dropped.contains(w) && !w.starts_with("dereferenceable") && w.parse::<u32>().is_err()
                });
                words.join(" ")
            })
            .collect();
        (ret, params)
    }
}

fn apple_text(file: &str) -> String {
    let text = std::fs::read_to_string(apple::folder().join(file));
    text.unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn compile(text: &str, options: &Options) -> Selected {
    let shader = airfoil_ir::text::parse(text).unwrap_or_else(|e| panic!("{}", e[0]));
    let selected = select(&shader, options).unwrap_or_else(|e| panic!("{}", e[0]));
    assert_eq!(lint::errors(&selected.module), []);
    selected
}

fn fast(target: &str) -> Options {
    Options { target: target.parse().unwrap(), fast_math: FastMathMode::Fast, ..Options::default() }
}

/// Compares the selected module with one of Apple's functions.
fn compare(file: &str, stage: &str, function: &str, text: &str, options: &Options, facts: bool) {
    let theirs = apple_text(file);
    let ours = compile(text, options).to_ll();
    let (ours, theirs) = (Metadata::read(&ours, function), Metadata::read(&theirs, function));
    let (a, b) = (ours.entry(stage, function), theirs.entry(stage, function));
    assert_eq!(a.0, b.0, "outputs of {function} in {file}");
    assert_eq!(a.1, b.1, "inputs of {function} in {file}");
    assert_eq!(a.2, b.2, "{function} in {file}");
    if b.1.len() == theirs.signature().1.len() {
        assert_eq!(ours.signature(), theirs.signature(), "{function} in {file}");
    } else {
        assert_eq!(ours.signature().0, theirs.signature().0, "{function} in {file}");
    }
    if facts {
        module_facts(file, &ours, &theirs);
    }
}

fn module_facts(file: &str, ours: &Metadata, theirs: &Metadata) {
    for name in ["air.version", "air.language_version", "air.compile_options"] {
        assert_eq!(ours.all(name), theirs.all(name), "{name} in {file}");
    }
    let flags = |m: &Metadata| -> Vec<String> {
        let flags = m.all("llvm.module.flags").into_iter();
        flags.map(|f| if f.contains("SDK Version") { "SDK".to_owned() } else { f }).collect()
    };
    assert_eq!(flags(ours), flags(theirs), "module flags in {file}");
    let order = |m: &Metadata| -> Vec<String> {
        let wanted =
            ["llvm.module.flags", "llvm.ident", "air.version", "air.language_version", "air.compile_options"];
        m.named.iter().map(|n| n.0.clone()).filter(|n| wanted.contains(&n.as_str())).collect()
    };
    assert_eq!(order(ours).len(), 5);
    assert_eq!(order(ours).len(), order(theirs).len());
}

fn empty_kernel_for_every_release() {
    let text = "foil 1\nshader compute \"foo\" {\n  form target\n  entry fn main {\n  }\n}\n";
    for (file, target) in [
        ("metaljl-kernel.11.ll", "macos11"),
        ("metaljl-kernel.13.ll", "macos13"),
        ("metaljl-kernel.14.ll", "macos14"),
        ("metaljl-kernel.15.ll", "macos15"),
        ("metaljl-kernel.26.ll", "macos26"),
    ] {
        compare(file, "air.kernel", "foo", text, &fast(target), true);
    }
}

const ADD: &str = r#"foil 1
shader compute "vadd" {
  form target
  ssbo A { float[stride=4] data @0 } a set=0 binding=0 access=restrict
  ssbo B { float[stride=4] data @0 } b set=0 binding=1 access=restrict
  ssbo C { float[stride=4] data @0 } c set=0 binding=2 access=restrict
  entry fn main {
    %gid = load_global_invocation_id
    32x1 %four = const 4
    %x = mov %gid.x
    %off = imul %x, %four
    %a = deref_var &a
    %b = deref_var &b
    %c = deref_var &c
    32x1 %l = load_ssbo %a, %off align=4
    32x1 %r = load_ssbo %b, %off align=4
    %s = fadd %l, %r
    store_ssbo %s, %c, %off align=4
  }
}
"#;

fn sum_of_two_buffers() {
    compare("metaljl-constants.15.ll", "air.kernel", "vadd", ADD, &fast("macos15"), true);
    compare("metaljl-constants.26.ll", "air.kernel", "vadd", ADD, &fast("macos26"), true);
    // AIR 2.3 has no address space key.
    compare("metaljl-constants.11.ll", "air.kernel", "vadd", ADD, &fast("macos11"), true);
}

fn vertex_and_fragment() {
    let vertex = r#"foil 1
shader vertex "probe_p02_vertex" {
  form target
  in vec4 pos location=0
  in vec2 uv location=1
  out vec4 pos.1 location=position
  out vec2 uv.1 location=0
  entry fn main {
    32x1 %o = const 0
    32x4 %p = load_input %o io=0 dest_type=float32
    32x2 %uv = load_input %o io=1 dest_type=float32
    %v = load_vertex_id
    %i = load_instance_index
    32x1 %one = const 1
    %v1 = iand %v, %one
    %i1 = iand %i, %one
    32x1 %vf = u2f %v1
    32x1 %if = u2f %i1
    %d = vec2 %vf, %if
    %s = fadd %d, %uv
    store_output %p, %o io=(position) src_type=float32
    store_output %s, %o io=0 src_type=float32
  }
}
"#;
    let fragment = r#"foil 1
shader fragment "probe_p02_fragment" {
  form target
  in vec2 uv location=0
  out vec4 color location=0
  uniform texture(2d float32) t set=0 binding=0
  uniform sampler s set=0 binding=1
  entry fn main {
    32x1 %o = const 0
    %b = load_barycentric_pixel
    32x2 %uv = load_interpolated_input %b, %o io=0 dest_type=float32
    %t = deref_var &t
    %s = deref_var &s
    32x4 %c = tex 2d float32 texture=%t sampler=%s coord=%uv
    store_output %c, %o io=0 src_type=float32
  }
}
"#;
    let early = r#"foil 1
shader fragment "probe_p02_fragment_rog" {
  form target
  early_fragment_tests
  out vec4 color location=0
  entry fn main {
    32x1 %o = const 0
    %p = load_frag_coord
    %c = mov %p
    store_output %c, %o io=0 src_type=float32
  }
}
"#;
    let mut options = fast("macos26");
    // Apple's is compiled as Metal 3.2.
    options.target = options.target.with_language("3.2".parse().unwrap()).unwrap();
    compare("kagura-P02.ll", "air.vertex", "probe_p02_vertex", vertex, &options, true);
    compare("kagura-P02.ll", "air.fragment", "probe_p02_fragment", fragment, &options, true);
    compare("kagura-P02.ll", "air.fragment", "probe_p02_fragment_rog", early, &options, true);
}

fn attributes_and_a_uniform_block() {
    let vertex = r#"foil 1
shader vertex "gizmo_vertex" {
  form target
  in vec3 position location=0
  in vec4 color location=1
  out vec4 position.1 location=position
  out vec4 color.1 location=0
  ubo GizmoUniforms { mat4(stride=16) mvp @0 } uniforms set=0 binding=0
  entry fn main {
    32x1 %o = const 0
    32x1 %o16 = const 16
    32x3 %p = load_input %o io=0 dest_type=float32
    32x4 %c = load_input %o io=1 dest_type=float32
    %u = deref_var &uniforms
    32x4 %x = load_ubo %u, %o16 align=16
    %r = fmul %x, %p.yyyy
    store_output %r, %o io=(position) src_type=float32
    store_output %c, %o io=0 src_type=float32
  }
}
"#;
    let mut options = fast("macos15");
    options.bindings.resources.insert((0, 0), ResourceIndices { buffer: Some(1), ..Default::default() });
    compare("lucoder-gizmo.0.ll", "air.vertex", "gizmo_vertex", vertex, &options, true);
    let fragment = r#"foil 1
shader fragment "gizmo_fragment" {
  form target
  in vec4 color location=0
  out vec4 o location=0
  entry fn main {
    32x1 %z = const 0
    %b = load_barycentric_pixel
    32x4 %c = load_interpolated_input %b, %z io=0 dest_type=float32
    store_output %c, %z io=0 src_type=float32
  }
}
"#;
    compare("lucoder-gizmo.1.ll", "air.fragment", "gizmo_fragment", fragment, &fast("macos15"), true);
    let havolts = fragment.replace("gizmo_fragment", "fragmentShader");
    compare("havolts-triangle.1.ll", "air.fragment", "fragmentShader", &havolts, &fast("macos15"), true);
}

airfoil_filetest::harness! {
    empty_kernel_for_every_release needs(Corpus("apple-air"));
    sum_of_two_buffers needs(Corpus("apple-air"));
    vertex_and_fragment needs(Corpus("apple-air"));
    attributes_and_a_uniform_block needs(Corpus("apple-air"));
}
