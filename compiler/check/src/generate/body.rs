//! A random function of the index of an invocation: statements over four integers, four floats, an array, two structures
//! and a vector, with ifs, loops, switches, and functions with `inout` parameters.

use airfoil_ir::generate::{Choices, Seed};
use std::fmt::Write as _;

/// The statements that are made for a function.
const STATEMENTS: u32 = 60;

/// The local variables of `run` and of the functions that it calls.
const LOCALS: &str = "int t[4] = int[4](i0, 1, i1, -1);
Part s0 = Part(i2, vec2(f0, f1), int[2](i3, 5)), s1 = Part(0, vec2(0.5, -2.0), int[2](-1, i0));
vec4 v = vec4(f0, 1.0, f2, -0.25);
";

struct Generator {
    seed: Seed,
    out: String,
    budget: u32,
    loops: u32,
    /// Functions that can be called.
    functions: u32,
}

impl Generator {
    fn below(&mut self, n: u32) -> u32 {
        self.seed.below(n)
    }

    fn pick(&mut self, of: &[&str]) -> String {
        of[self.below(of.len() as u32) as usize].to_owned()
    }

    fn int(&mut self) -> String {
        match self.below(10) {
            0 => self.pick(&["0", "1", "-1", "7", "0x7fffffff", "-2147483647", "255", "65536"]),
            1 => "int(n)".into(),
            2 => format!("s{}.a", self.below(2)),
            n => format!("i{}", n % 4),
        }
    }

    fn float(&mut self) -> String {
        match self.below(8) {
            0 => self.pick(&["0.0", "1.0", "-1.5", "0.25", "3.75", "-0.015625"]),
            1 => self.pick(&["v.x", "v.y", "v.z", "v.w", "s0.b.x", "s1.b.y"]),
            n => format!("f{}", n % 4),
        }
    }

    fn condition(&mut self) -> String {
        let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.below(3) {
            0 => format!("({} {op} {})", self.float(), self.float()),
            1 => format!("({} {op} {})", self.int(), self.int()),
            _ => format!("(uint({}) {op} uint({}))", self.int(), self.int()),
        }
    }

    fn int_expression(&mut self) -> String {
        let (a, b, k) = (self.int(), self.int(), 1 + self.below(30));
        match self.below(20) {
            0 => format!("{a} + {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("{a} * {b}"),
            3 => format!("{a} & {b}"),
            4 => format!("{a} | {b}"),
            5 => format!("{a} ^ ~{b}"),
            6 => format!("{a} << ({b} & 31)"),
            7 => format!("{a} >> ({b} & 31)"),
            8 => format!("int(uint({a}) >> (uint({b}) & 31u))"),
            9 => format!("int(uint({a}) / {k}u)"),
            10 => format!("int(uint({a}) % {k}u)"),
            11 => format!("min({a}, {b})"),
            12 => format!("int(max(uint({a}), uint({b})))"),
            13 => format!("bitCount({a}) - findMSB({b})"),
            14 => format!("bitfieldReverse({a}) + findLSB({b})"),
            15 => format!("bitfieldExtract({a}, {k}, {})", 1 + self.below(32 - k)),
            16 => format!("bitfieldInsert({a}, {b}, {k}, {})", 1 + self.below(32 - k)),
            17 => format!("s{}.c[{b} & 1]", self.below(2)),
            _ => match self.below(3) {
                0 => format!("int({})", self.float()),
                1 => format!("t[{a} & 3]"),
                _ => format!("{} ? {a} : {b}", self.condition()),
            },
        }
    }

    fn float_expression(&mut self) -> String {
        let (a, b) = (self.float(), self.float());
        match self.below(16) {
            0 => format!("{a} + {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("{a} * {b}"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a}, {b})"),
            5 => format!("floor({a}) + ceil({b})"),
            6 => format!("abs({a}) - fract({b})"),
            7 => format!("trunc({a}) * sign({b})"),
            8 => format!("roundEven({a})"),
            9 => format!("clamp({a}, -2.5, 4.0)"),
            10 => format!("float({} & 63)", self.int()),
            11 => format!("step({a}, {b})"),
            12 => format!("dot(vec2({a}, {b}), vec2(0.5, -0.25))"),
            13 => format!("v[{} & 3]", self.int()),
            14 => format!("s{}.b[{} & 1]", self.below(2), self.int()),
            _ => format!("{} ? {a} : {b}", self.condition()),
        }
    }

    /// A float expression that is a multiple of 1/64 below 64 again.
    fn exact(&mut self) -> String {
        format!("floor(clamp({}, -63.0, 63.0) * 64.0) * 0.015625", self.float_expression())
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..2 + self.below(4) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(depth);
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}");
    }

    fn statement(&mut self, depth: u32) {
        let (k, s) = (self.below(4), self.below(2));
        match self.below(19) {
            0..=3 => {
                let value = self.int_expression();
                self.line(&format!("i{k} = {value};"));
            }
            4..=7 => {
                let value = self.exact();
                self.line(&format!("f{k} = {value};"));
            }
            8 => {
                let (index, value) = (self.int(), self.int_expression());
                self.line(&format!("t[{index} & 3] = {value};"));
            }
            9 => {
                let (index, value) = (self.int(), self.exact());
                self.line(&format!("v[{index} & 3] = {value};"));
            }
            10 => {
                let to = self.pick(&["v.xy", "v.zx", "v.wy"]);
                let from = self.pick(&["v.yx", "v.ww", "s0.b", "s1.b.yx", "vec2(f0, f3)"]);
                self.line(&format!("{to} = {from};"));
            }
            11 => match self.below(3) {
                0 => self.line(&format!("s{s} = s{};", 1 - s)),
                1 => {
                    let (index, value) = (self.int(), self.int_expression());
                    self.line(&format!("s{s}.c[{index} & 1] = {value};"));
                }
                _ => {
                    let (value, other) = (self.int_expression(), self.exact());
                    self.line(&format!("s{s} = Part({value}, vec2({other}, f{k}), s{}.c);", 1 - s));
                }
            },
            12 if self.functions > 0 => {
                let (f, other) = (self.below(self.functions), (k + 1 + self.below(3)) % 4);
                let value = self.int();
                self.line(&format!("i{k} = helper{f}(n, {value}, i{other}, f{k}, t, s{s});"));
            }
            13 | 14 if depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if {condition} {{"));
                self.statements(depth - 1);
                self.line("} else {");
                self.statements(depth - 1);
                self.line("}");
            }
            15 if depth > 0 => {
                let value = self.int();
                self.line(&format!("switch ({value} & 3) {{"));
                for label in ["case 2:", "case 0:", "default:"] {
                    self.line(label);
                    self.statements(depth - 1);
                    if self.below(3) > 0 {
                        self.line("break;");
                    }
                }
                // A label needs a statement.
                self.line(&format!("i{k} ^= 1;\n}}"));
            }
            _ if depth > 0 => self.counted_loop(depth, k),
            _ => {}
        }
    }

    fn counted_loop(&mut self, depth: u32, k: u32) {
        let (name, rounds) = (self.loops, 1 + self.below(4));
        self.loops += 1;
        let is_for = self.below(2) == 0;
        match is_for {
            true => self.line(&format!("for (int l{name} = 0; l{name} < {rounds}; l{name}++) {{")),
            false => self.line(&format!("int l{name} = 0;\nwhile (l{name}++ < {rounds}) {{")),
        }
        self.statements(depth - 1);
        let (condition, leave) = (self.condition(), self.pick(&["break", "continue"]));
        self.line(&format!("if {condition} {leave};\ni{k} += l{name};\n}}"));
    }
}

/// The function `run(n, i, x, y)`, and the functions and the structure that it uses.
pub fn function(seed: u64) -> String {
    let mut g = Generator { seed: Seed(seed), out: String::new(), budget: 0, loops: 0, functions: 0 };
    let mut text = "struct Part { int a; vec2 b; int c[2]; };\n".to_owned();
    for n in 0..g.below(3) {
        g.budget = 8;
        g.statements(2);
        let _ = write!(
            text,
            "int helper{n}(uint n, int i0, inout int i1, inout float f0, inout int t[4], inout Part s0) {{
int i2 = t[1], i3 = s0.a;
float f1 = s0.b.y, f2 = 0.5, f3 = -1.0;
Part s1 = s0;
vec4 v = vec4(f0, f1, f2, f3);
{}return i0 ^ i2;
}}
",
            std::mem::take(&mut g.out)
        );
        g.functions = n + 1;
    }
    g.budget = STATEMENTS;
    while g.budget > 0 {
        g.statements(3);
    }
    let _ = write!(
        text,
        "void run(uint n, out ivec4 i, out vec4 x, out vec4 y) {{
int i0 = int(n * 2654435761u), i1 = int(n), i2 = -3, i3 = int(n) << 20;
float f0 = float(n & 15u) * 0.25, f1 = -1.5, f2 = 2.0, f3 = float(n >> 4u);
{LOCALS}{}i = ivec4(i0 ^ t[0], i1 ^ t[1] ^ s0.a, i2 ^ t[2] ^ s1.c[0], i3 ^ t[3]);
x = vec4(f0 - v.x, f1, f2 + s0.b.x, f3);
y = vec4(sqrt(abs(f0)), f1 / (abs(f2) + 1.0), exp2(f2 * 0.125), sin(f3 * 0.0466));
}}
",
        g.out
    );
    text
}
