//! Mutates GLSL by words and lines: the result is far more often close to a shader than after mutations of single bytes.
//!
//! A few bytes at the start are left to the target, which chooses modes by them.

use crate::random::Random;
use airfoil_glsl::extension::{EXTENSIONS, ExtSet};
use airfoil_glsl::internals::{BASIC_TYPES, BuiltinVar, function};
use airfoil_glsl::version::{Language, Profile, Version};
use airfoil_ir::Stage;
use std::ops::Range;
use std::sync::LazyLock;

/// Words that no table of the front end has.
const WORDS: &str = "( ) [ ] { } . , ; : ? + - * / % << >> < > <= >= == != & | ^ ~ ! && || ^^ ++ -- = += -= *= /= %= <<= >>= &= |= ^= \
    void const uniform in out inout buffer shared attribute varying centroid flat smooth noperspective patch sample invariant precise \
    coherent volatile restrict readonly writeonly subroutine lowp mediump highp precision struct layout if else for while do switch \
    case default break continue return discard true false main f v a b i s x y z w xyzw rgba stpq length() .length() .x .xy .wzyx [0] \
    [1] [i] [] .a location=0 location component=1 index=0 binding=0 binding set=0 offset=0 align=16 std140 std430 shared packed row_major \
    column_major local_size_x=2 local_size_y local_size_x_id=1 vertices=3 max_vertices=3 invocations=2 stream=1 points lines triangles \
    triangle_strip line_strip quads isolines lines_adjacency triangles_adjacency equal_spacing fractional_odd_spacing cw ccw \
    point_mode early_fragment_tests post_depth_coverage origin_upper_left pixel_center_integer depth_any depth_less constant_id=0 \
    push_constant input_attachment_index=0 xfb_buffer=1 xfb_stride=32 xfb_offset=4 rgba32f r32ui r32i rgba8 blend_support_all_equations \
    # ## #if #ifdef #ifndef #elif #else #endif #define #undef #error #pragma #extension #version #line #include defined __LINE__ \
    __FILE__ __VERSION__ GL_ES GL_core_profile es core compatibility 100 110 120 130 140 150 300 310 320 330 400 410 420 430 440 450 \
    460 : enable : require : disable : warn all /* */ // \\\n \n \r\n \t \" ' \\ @ $ ` \0 \u{feff} \u{1a} é gl_in gl_out gl_PerVertex \
    gl_MaxDrawBuffers gl_MaxVertexAttribs gl_WorkGroupSize gl_MaxPatchVertices __a a__b gl_x";

/// Numbers at the edges.
const NUMBERS: &str = "0 1 2 3 4 7 8 15 16 31 32 33 63 64 65 127 128 255 256 1023 1024 4095 4096 65535 65536 16777216 2147483647 \
    2147483648 4294967295 4294967296 18446744073709551615 99999999999999999999 0x7fffffff 0x80000000 0xffffffff 0u 1u 4294967295u 017 08 \
    0xg 1.0 0.0 -1 -0.0 1e38 1e39 3.4028235e38 1e-45 1e400 1e-400 1.0f 1.0lf 1.lf .5 5. 1e+ 1.0e1000000000 0.1hf 1s 1us 1l 1ul 1ll";

/// Lines outside of functions: declarations and directives.
const OUTSIDE: &[&str] = &[
    "#version 460",
    "#version 450 core",
    "#version 330 compatibility",
    "#version 320 es",
    "#version 300 es",
    "#version 100",
    "#version 110",
    "void main() {}",
    "void main() {",
    "}",
    "{",
    "int f(int a) { return a; }",
    "float f(inout vec4 v, const float a) { return v.x += a; }",
    "vec4 f(vec4 v[2]) { return v[1]; }",
    "struct S { vec4 a; mat3 b[2]; int i; };",
    "struct { float a; } s, t[2];",
    "S s;",
    "S s[3];",
    "uniform S s;",
    "uniform B { vec4 a; mat4 b[]; } ;",
    "layout(std140, binding=1) uniform B { mat3 m; S s[2]; } b;",
    "layout(std430) buffer B { int n; vec3 a[]; } b;",
    "layout(std430) buffer B { uint u; vec2 a[]; } b[3];",
    "shared uint u[4];",
    "layout(local_size_x=4, local_size_y=2) in;",
    "layout(triangles) in;",
    "layout(triangle_strip, max_vertices=4) out;",
    "layout(vertices=3) out;",
    "layout(quads, cw) in;",
    "layout(location=1) in vec4 v;",
    "layout(location=0) out vec4 o;",
    "layout(location=0, index=1) out vec4 o2;",
    "in vec4 v[];",
    "out vec4 v[];",
    "patch out vec4 p;",
    "patch in vec4 p;",
    "flat in int i;",
    "centroid in dvec3 d;",
    "out V { vec4 a; flat int i[2]; } v;",
    "in V { vec4 a; flat int i[2]; } v[];",
    "uniform sampler2D t;",
    "uniform sampler2DShadow ts[2];",
    "uniform isampler3D ti;",
    "uniform samplerCubeArray ta;",
    "uniform samplerBuffer tb;",
    "layout(rgba32f) uniform image2D im;",
    "layout(r32ui, binding=2) uniform coherent uimage3D iu;",
    "layout(binding=0, offset=4) uniform atomic_uint c;",
    "layout(set=0, binding=1) uniform texture2D tx;",
    "layout(set=0, binding=2) uniform sampler sm;",
    "layout(push_constant) uniform P { mat4 m; } p;",
    "layout(constant_id=3) const int k = 5;",
    "layout(input_attachment_index=0, set=0, binding=0) uniform subpassInput si;",
    "subroutine float R(float); ",
    "subroutine(R) float r1(float a) { return a; }",
    "subroutine uniform R r;",
    "invariant gl_Position;",
    "precise vec4 q;",
    "precision mediump float;",
    "precision highp sampler2D;",
    "attribute vec4 at;",
    "varying vec2 vt;",
    "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };",
    "in gl_PerVertex { vec4 gl_Position; } gl_in[];",
    "float gl_ClipDistance[4];",
    "out float gl_FragDepth;",
    "const int n = 3;",
    "const float k[3] = float[](1.0, 2.0, 3.0);",
    "const mat2 m = mat2(1);",
];

/// Lines inside of functions; [`PROGRAM`] declares the names that they use.
const INSIDE: &[&str] = &[
    "int i = 1;",
    "uint u = 1u;",
    "float x = 1.0;",
    "vec4 v = vec4(1, 2.0, vec2(x));",
    "mat3x4 m = mat3x4(2.0);",
    "int a[n], b[2][3];",
    "vec2 a[] = { {1, 2}, {3, 4} };",
    "double d = 1.0lf;",
    "bool b = true;",
    "for (int i = 0; i < 4; i++) {",
    "for (;;) { break; }",
    "while (x > 0.0) x -= 1.0;",
    "do { i++; } while (i < 3);",
    "if (b) discard; else return;",
    "if (i == 1) {",
    "switch (i) { case 0: i = 2; case 1: break; default: return; }",
    "v.xy = v.yx; v.zw += 1.0;",
    "v[i] = m[1][i];",
    "a[i] = a.length();",
    "x = b ? x : y;",
    "i = (i = 2, i++);",
    "m = m * inverse(transpose(m));",
    "s.a[i] = v.wzyx.xy.x;",
    "v = texture(t, v.xy);",
    "v = texelFetch(t, ivec2(1), 0);",
    "v = textureGatherOffset(t, v.xy, ivec2(1), 2);",
    "x = textureProjLod(ts[0], v, 1.0);",
    "imageStore(im, ivec2(0), v);",
    "u = imageAtomicAdd(iu, ivec3(1), 2u);",
    "u = atomicAdd(b.u, 1u);",
    "u = atomicCounterIncrement(c);",
    "barrier(); memoryBarrier();",
    "EmitVertex(); EndPrimitive();",
    "v = gl_in[0].gl_Position;",
    "gl_out[gl_InvocationID].gl_Position = v;",
    "gl_TessLevelOuter[0] = 1.0;",
    "gl_Position = vec4(0);",
    "gl_FragColor = vec4(1);",
    "gl_FragData[0] = v;",
    "x = modf(x, y);",
    "i = frexp(x, i);",
    "u = uaddCarry(u, u, u);",
    "x = interpolateAtOffset(v.x, vec2(0));",
    "v = dFdx(v) + fwidth(v);",
    "u = subgroupAdd(u); b = subgroupElect();",
];

/// Directives.
const DIRECTIVES: &[&str] = &[
    "#define M(a, b) a ## b + #a",
    "#define N N M(N, 1)",
    "#define F(...) f(__VA_ARGS__)",
    "M(x, y)",
    "M(",
    "#if defined(N) && N > 2 || !defined M",
    "#elif 1/0",
    "#else",
    "#endif",
    "#undef N",
    "#line 5 2",
    "#pragma STDGL invariant(all)",
    "#pragma optimize(off)",
    "#error e",
    "#extension all : warn",
];

/// A shader to start from.
const PROGRAM: &str = "#version 460
struct S { vec4 a; mat3 b[2]; int i; };
S s; vec4 v = vec4(1); float x = 2.0, y; int i = 1, a[3]; uint u; bool b; mat4 m = mat4(1); dvec2 d;
const int n = 3; const vec3 k[2] = vec3[](vec3(1), vec3(n));
layout(binding=0) uniform sampler2D t; uniform S us; layout(binding=1) uniform B { mat4 m; S s[2]; } ub;
float f(float p, inout vec4 q) { if (p > 1.0) return q.x; q.y += p; return q[i]; }
void main() {
    v.x = f(x, v);
    for (int j = 0; j < 3; j++) {
        a[j] = j;
    }
}
";

/// All words, with the names of the front end's tables.
static DICTIONARY: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut words: Vec<&str> = WORDS.split(' ').filter(|w| !w.is_empty()).collect();
    words.extend(BASIC_TYPES.iter().map(|t| t.name));
    words.extend(BuiltinVar::ALL.iter().map(|v| v.name()));
    for (number, profile) in [(460, Profile::Compatibility), (320, Profile::Es)] {
        for (stage, vulkan) in [(Stage::Fragment, false), (Stage::Compute, true), (Stage::Geometry, false)] {
            let version = Version { number, profile };
            let extensions = ExtSet::all_available(version);
            words.extend(function::names(&Language { version, stage, vulkan, extensions }));
        }
    }
    words.sort_unstable();
    words.dedup();
    words
});

/// Words of one kind, which can usually replace each other.
static KINDS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let list = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    let version = Version { number: 460, profile: Profile::Compatibility };
    let extensions = ExtSet::all_available(version);
    let lang = Language { version, stage: Stage::Fragment, vulkan: false, extensions };
    let samples = ["texture", "texel", "shadow", "image"];
    let (images, functions) =
        function::names(&lang).partition(|name| samples.iter().any(|start| name.starts_with(start)));
    vec![
        list(
            "float vec2 vec3 vec4 int ivec2 ivec3 ivec4 uint uvec2 uvec3 uvec4 bool bvec2 bvec3 bvec4 double dvec2 dvec3 dvec4",
        ),
        list("mat2 mat3 mat4 mat2x3 mat3x2 mat4x2 mat2x4 mat3x4 mat4x3 dmat2 dmat3x4"),
        BASIC_TYPES.iter().map(|t| t.name).filter(|n| n.contains("ampler") || n.contains("image")).collect(),
        functions,
        images,
        BuiltinVar::ALL.iter().map(|v| v.name()).collect(),
        list("in out uniform buffer const shared inout"),
        list("flat smooth centroid noperspective sample patch invariant precise"),
        list("coherent volatile restrict readonly writeonly"),
        list("lowp mediump highp"),
        list("break continue return discard"),
        list("true false"),
        list("x y z w xy zw yx xyz www xyzw wzyx rgba r g st"),
        list("+ - * / % < > & | ^ = !"),
    ]
});

/// The ranges of words: names and numbers, or one other byte; blanks separate them.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let inner = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += 1;
        if inner(text[start]) {
            at += text[at..].iter().take_while(|&&b| inner(b)).count();
        }
        if !text[start].is_ascii_whitespace() {
            found.push(start..at);
        }
    }
    found
}

/// The ranges of lines, each with its end.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
    let mut start = 0;
    let mut found: Vec<_> = ends.map(|end| std::mem::replace(&mut start, end)..end).collect();
    found.push(start..text.len());
    found
}

/// Some neighbours out of a list of ranges, as one range.
fn some(random: &mut Random, list: &[Range<usize>], most: usize) -> Range<usize> {
    if list.is_empty() {
        return 0..0;
    }
    let first = random.below(list.len());
    let last = (first + random.below(most)).min(list.len() - 1);
    list[first].start..list[last].end
}

fn replace(text: &mut Vec<u8>, range: Range<usize>, with: &[u8]) {
    text.splice(range, with.iter().copied());
}

/// A word with blanks around it, so that it does not run into others.
fn apart(word: &str) -> Vec<u8> {
    [b" ", word.as_bytes(), b" "].concat()
}

/// Replaces a word by another one of its kind: text that parses mostly still does.
fn alike(random: &mut Random, text: &mut Vec<u8>) {
    let list = words(text);
    let target = some(random, &list, 1);
    let word = text[target.clone()].to_vec();
    let kind = KINDS.iter().find(|kind| kind.iter().any(|w| w.as_bytes() == word));
    let other = match (kind, word.first()) {
        (Some(kind), _) => random.pick(kind).as_bytes().to_vec(),
        (None, Some(b'0'..=b'9')) => {
            let numbers: Vec<&str> = NUMBERS.split_ascii_whitespace().collect();
            random.pick(&numbers).as_bytes().to_vec()
        }
        (None, Some(b'a'..=b'z' | b'A'..=b'Z' | b'_')) => {
            let names: Vec<_> =
                list.iter().filter(|r| text[r.start].is_ascii_alphabetic()).cloned().collect();
            text[some(random, &names, 1)].to_vec()
        }
        _ => return,
    };
    replace(text, target, &other);
}

/// One change.
fn edit(random: &mut Random, text: &mut Vec<u8>) {
    let by_line = random.below(3) == 0;
    let list = if by_line { lines(text) } else { words(text) };
    let most = if by_line { 3 } else { 6 };
    let target = some(random, &list, 1);
    match random.below(20) {
        13.. => alike(random, text),
        0 => replace(text, target, &apart(random.pick(&DICTIONARY))),
        2 => replace(text, target.start..target.start, &apart(random.pick(&DICTIONARY))),
        3 => {
            let numbers: Vec<&str> = NUMBERS.split_ascii_whitespace().collect();
            let is_number = |r: &&Range<usize>| text[r.start].is_ascii_digit();
            let all: Vec<_> = words(text).iter().filter(is_number).cloned().collect();
            let target = some(random, &all, 1);
            replace(text, target, random.pick(&numbers).as_bytes());
        }
        1 | 4 | 5 => {
            let at = some(random, &lines(text), 1).start;
            let open = text[..at].iter().filter(|b| **b == b'{').count();
            let inside = open > text[..at].iter().filter(|b| **b == b'}').count();
            let list = match random.below(12) {
                0 => DIRECTIVES,
                _ if inside => INSIDE,
                _ => OUTSIDE,
            };
            let line = format!("{}\n", random.pick(list));
            replace(text, at..at, line.as_bytes());
        }
        6 => {
            let line = format!("#extension {} : enable\n", EXTENSIONS[random.below(EXTENSIONS.len())].name);
            let at = lines(text)[usize::from(text.starts_with(b"#version"))..].first().map_or(0, |l| l.start);
            replace(text, at..at, line.as_bytes());
        }
        7 => {
            let range = some(random, &list, most);
            replace(text, range, b"");
        }
        8 => {
            // A copy of other words or lines in place of these, or before them.
            let copy = text[some(random, &list, most)].to_vec();
            let end = if random.below(2) == 0 { target.start } else { target.end };
            replace(text, target.start..end, &copy);
        }
        9 => {
            let (a, b) = (some(random, &list, most), some(random, &list, most));
            let (a, b) = if a.start <= b.start { (a, b) } else { (b, a) };
            if a.end <= b.start {
                let (first, second) = (text[a.clone()].to_vec(), text[b.clone()].to_vec());
                replace(text, b, &first);
                replace(text, a, &second);
            }
        }
        10 => {
            const AROUND: [(&str, &str); 9] = [
                ("(", ")"),
                ("-", ""),
                ("!", ""),
                ("", "[i]"),
                ("", ".x"),
                ("{", "}"),
                ("", "()"),
                ("", "++"),
                ("", "[2]"),
            ];
            let (before, after) = AROUND[random.below(AROUND.len())];
            let word = [before.as_bytes(), &text[target.clone()], after.as_bytes()].concat();
            replace(text, target, &word);
        }
        11 => {
            // Many of the same: depth, and limits.
            let copy = text[some(random, &list, 4)].repeat(2 << random.below(6));
            replace(text, target.start..target.start, &copy);
        }
        _ => {
            let call = format!("{}(", random.pick(&DICTIONARY));
            let word = [call.as_bytes(), &text[target.clone()], b")"].concat();
            replace(text, target, &word);
        }
    }
}

/// Changes an input whose first `header` bytes are not GLSL; returns the new length.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, header: usize) -> usize {
    let mut random = Random::new(seed);
    if size <= header || max_size <= header || random.below(10) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut text = data[header..size].to_vec();
    if random.below(200) == 0 {
        text = PROGRAM.into();
    }
    // The fuzzer itself stacks mutations.
    for _ in 0..=random.below(8) / 6 {
        edit(&mut random, &mut text);
    }
    if random.below(12) == 0 {
        data[random.below(header)] = random.below(256) as u8;
    }
    let end = max_size.min(header + text.len());
    data[header..end].copy_from_slice(&text[..end - header]);
    end
}

/// Joins two inputs: lines of one with lines of the other between them, or one after the other with a NUL between.
pub fn cross(one: &[u8], other: &[u8], out: &mut [u8], seed: u32, header: usize) -> usize {
    let mut random = Random::new(seed);
    let mut joined = one.to_vec();
    if let (Some(_), Some(text), 0) = (one.get(header..), other.get(header..), random.below(4)) {
        joined.push(0);
        joined.extend_from_slice(text);
    } else if let (Some(text), Some(other)) = (one.get(header..), other.get(header..)) {
        let at = header + some(&mut random, &lines(text), 1).start;
        let part = some(&mut random, &lines(other), 8);
        replace(&mut joined, at..at, &other[part]);
    }
    let end = joined.len().min(out.len());
    out[..end].copy_from_slice(&joined[..end]);
    end
}
