//! Tests of the preprocessor: output and errors.

use super::*;
use crate::basic_types::BASIC_TYPES;
use crate::extension::Ext;
use crate::token::Symbol;
use crate::version::Profile;
use airfoil_ir::Stage;

fn pp(text: &str) -> Preprocessed {
    preprocess(&[text], &PreprocessOptions::default())
}

/// Tokens as text with a space between.
fn print(p: &Preprocessed) -> String {
    let mut words = Vec::new();
    for t in &p.tokens {
        words.push(match t.tok {
            Tok::Eof => break,
            Tok::Ident | Tok::Reserved => p.names[Symbol(t.data)].to_string(),
            Tok::Type => BASIC_TYPES[t.data as usize].name.to_string(),
            Tok::BoolConst => (t.data == 1).to_string(),
            // The bits of a negative constant print as the decimal constant that has them.
            Tok::IntConst => t.data.to_string(),
            Tok::UintConst => format!("{}u", t.data),
            Tok::FloatConst => {
                let value = f32::from_bits(t.data);
                if value.is_infinite() { "1e99".into() } else { format!("{value:?}") }
            }
            Tok::DoubleConst => format!("{:?}lf", f64::from_bits(p.wide[t.data as usize])),
            Tok::Int64Const => format!("{}L", p.wide[t.data as usize] as i64),
            Tok::Uint64Const => format!("{}UL", p.wide[t.data as usize]),
            other => other.text().to_string(),
        });
    }
    words.join(" ")
}

/// `line:code` of each error.
fn errors(text: &str) -> Vec<String> {
    errors_with(text, &PreprocessOptions::default())
}

fn errors_with(text: &str, options: &PreprocessOptions) -> Vec<String> {
    let p = preprocess(&[text], options);
    let list = p.diagnostics.finish(&p.lines);
    list.iter()
        .filter(|d| d.severity == airfoil_ir::Severity::Error)
        .map(|d| {
            let airfoil_ir::Place::Text { line, .. } = d.place else { panic!("{d}") };
            format!("{line}:{}", d.code)
        })
        .collect()
}

/// Checks that a text becomes these tokens without error.
#[track_caller]
fn gives(text: &str, expected: &str) {
    assert_eq!(errors(text), [""; 0], "{text}");
    assert_eq!(print(&pp(text)), expected, "{text}");
}

/// Checks that a text has exactly these errors.
#[track_caller]
fn fails(text: &str, expected: &[&str]) {
    assert_eq!(errors(text), expected, "{text}");
}

const ES: &str = "#version 300 es\n";

#[test]
fn tokens_keep_their_places() {
    let p = pp("int  a\n= 0x1F;");
    let places: Vec<_> = p.tokens.iter().map(|t| (t.tok, t.lo, t.len)).collect();
    assert_eq!(
        places,
        [
            (Tok::Type, 0, 3),
            (Tok::Ident, 5, 1),
            (Tok::Equal, 7, 1),
            (Tok::IntConst, 9, 4),
            (Tok::Semicolon, 13, 1),
            (Tok::Eof, 14, 0),
        ]
    );
}

#[test]
fn operators_are_taken_as_long_as_they_can_be() {
    for &(text, tok) in Tok::PUNCTUATION {
        let p = pp(text);
        assert_eq!(p.tokens[0].tok, tok, "{text}");
        assert_eq!(p.tokens.len(), 2, "{text}");
    }
    gives("a+++b<<=c^^d", "a ++ + b <<= c ^^ d");
}

#[test]
fn numbers_become_constants() {
    gives("1 017 0xfF 1.5 .5 2. 1e2 1.5E-1", "1 15 255 1.5 0.5 2.0 100.0 0.15");
    gives("#version 130\n4u 0x80000000 4294967295 1.0f", "4u 2147483648 4294967295 1.0");
    gives("#version 400\n1.5lf 1e300LF", "1.5lf 1e300lf");
    gives(
        "#version 450\n#extension GL_ARB_gpu_shader_int64 : require\n5L 18446744073709551615UL",
        "5L 18446744073709551615UL",
    );
    let half = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n0.5hf 3s 4us";
    let toks: Vec<_> = pp(half).tokens.iter().map(|t| t.tok).collect();
    assert_eq!(toks, [Tok::HalfConst, Tok::Int16Const, Tok::Uint16Const, Tok::Eof]);
}

#[test]
fn floats_are_rounded_once() {
    // Between two floats: going through f64 first would round it to the wrong one.
    let p = pp("1.00000017881393432617187499");
    assert_eq!(p.tokens[0].data, 0x3f80_0001);
    assert_eq!(pp("1e-50").tokens[0].data, 0);
    assert_eq!(pp("1e50").tokens[0].data, f32::INFINITY.to_bits());
}

#[test]
fn bad_numbers_are_errors() {
    fails("09", &["1:E0604"]);
    fails("\n0xg 1xyz", &["2:E0604", "2:E0604"]);
    fails("1e", &["1:E0604"]);
    fails("#define e +1\n1e", &["2:E0604"]);
    fails("1f", &["1:E0604"]);
    fails("4u", &["1:E0604"]);
    fails("#version 100\n1.0f", &["2:E0604"]);
    fails("1.0lf", &["1:E0604"]);
    fails("#version 130\n4294967296", &["2:E0605"]);
    fails("#version 300 es\n99999999999999999999999u", &["2:E0605"]);
    assert!(errors("4294967296").is_empty());
}

#[test]
fn comments_are_white_space() {
    gives("a/* * // */b // c\nd/**/e", "a b d e");
    gives("/* /* */ a // */", "a");
    fails("a /* b", &["1:E0602"]);
    fails("#if 0\n/* b", &["1:E0613", "2:E0602"]);
    gives("/*/ a /*/ b /**/", "b");
}

#[test]
fn lines_are_continued() {
    gives("#define A(X) \\\n -X\nA(1) f\\\noo", "- 1 foo");
    gives("// a \\\nb\nc", "c");
    gives("#version 100\n// a \\\nb", "b");
    gives("#def\\\r\nine A 1\nA", "1");
    let p = pp("a\\\nb c");
    assert_eq!((p.tokens[1].lo, p.tokens[1].len), (5, 1));
    fails("a \\ b", &["1:E0603"]);
    gives("#define A a \\ b\n1", "1");
}

#[test]
fn other_characters_are_errors_where_they_are_used() {
    fails("a $ b @", &["1:E0603", "1:E0603"]);
    fails("int \u{e4}\u{f6};", &["1:E0603"]);
    gives("// \u{e4} $ '\n#if 0\n$ ' \"\n#endif\n1", "1");
    fails("\"text\"", &["1:E0603"]);
    gives("#pragma \u{a4}\u{a4}\n1", "1");
    fails("a\0b", &["1:E0603"]);
    fails("a # b", &["1:E0603"]);
}

#[test]
fn objects_and_functions_are_expanded() {
    gives("#define A 1\n#define B A + A\nB", "1 + 1");
    gives("#define F(x, y) x * (y)\nF(1, 2 + 3)", "1 * ( 2 + 3 )");
    gives("#define F(x) x\nF F(1) F\n(2) F", "F 1 2 F");
    gives("#define F() 7\nF() F( )", "7 7");
    gives("#define F(x) [x]\nF() F((1, 2))", "[ ] [ ( 1 , 2 ) ]");
    gives("#define F (1)\nF", "( 1 )");
    gives(
        "#define AAA(a,b) a*(BBB(a,b))\n#define BBB(a,b) a-b\nBBB(AAA(8, 2)*BBB(4,1), 9)",
        "8 * ( 8 - 2 ) * 4 - 1 - 9",
    );
    gives("#define F(VALUE) VALUE\n#define VALUE 2\nF(VALUE)", "2");
    gives("#define EMPTY\nEMPTY a EMPTY", "a");
    gives("#define OPS(a, b) (1 a 9) b 2\nOPS(+, *)", "( 1 + 9 ) * 2");
}

#[test]
fn macros_are_not_expanded_in_themselves() {
    gives("#define A A\nA", "A");
    gives("#define A B\n#define B A\nA B", "A B");
    gives("#define F(x) F(x) + x\nF(F(1))", "F ( F ( 1 ) + 1 ) + F ( 1 ) + 1");
    gives("#define x 1 + x\n#define F(a) a\nF(x)", "1 + x");
}

#[test]
fn the_example_of_the_cpp_standard() {
    // C++ [cpp.rescan], without the operators that GLSL lacks.
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
                f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m(f)^m(m);";
    gives(
        text,
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
}

#[test]
fn tokens_are_pasted() {
    gives("#define P(a, b) a##b\n#define C D\nP(C, 1) P(vec, 4) P(<, <) P(, x) P(x,) P(,)", "C1 vec4 << x x");
    gives("#define P(a) a ## 27\nP(float foo)", "float foo27");
    gives("#define M(a, b, c) a##or##b c\nM(f, m, 1)", "form 1");
    gives("#define T fl##oat\nT", "float");
    gives("#define ab 5\n#define P(a, b) a##b\nP(a, b)", "5");
    gives("#define N(q) int q\n#define O(p) N(p##2)\nO(v)", "int v2");
    fails("#define P(a, b) a##b\nP(>, !)", &["2:E0624"]);
    fails("#define A ##b", &["1:E0624"]);
    fails("#define A b##", &["1:E0624"]);
    fails("#define A(x) #x", &["1:E0624"]);
    fails("#version 300 es\n#define A(x) x##x", &["2:E0624"]);
}

#[test]
fn arguments_must_fit() {
    fails("#define F(a, b) a\nF(1)", &["2:E0623"]);
    fails("#define F(a, b) a\nF(1, 2, 3)", &["2:E0623"]);
    fails("#define F(a, b) a\n\nF(1, (2)", &["3:E0623"]);
    fails("#define F() a\nF(1)", &["2:E0623"]);
    fails("#define F(a,a) a", &["1:E0620"]);
    fails("#define F(a b) a", &["1:E0620"]);
    fails("#define F(,a) a", &["1:E0620"]);
    fails("#define F(", &["1:E0620"]);
    fails("#define F(A  a+b\n", &["1:E0620"]);
    fails("#define G(x) x\n#define A G(\n#define B(x) x\nB(A)", &["4:E0623"]);
    gives("#define F(a) a\nF(1\n#if 1\n+ 2\n#endif\n)", "1 + 2");
}

#[test]
fn macros_are_defined_once() {
    gives(
        "#define A (x  + 1)\n#define A (x /* c */ + 1)\n#define F( a, b )(a+b)\n#define F(a,b)   (a+b)\nA",
        "( x + 1 )",
    );
    fails("#define A 1\n#define A 2", &["2:E0622"]);
    fails("#define A x - 1\n#define A x- 1", &["2:E0622"]);
    fails("#define F(a) a\n#define F(b) b", &["2:E0622"]);
    fails("#define F(a) a\n#define F a", &["2:E0622"]);
    gives("#define A 1\n#undef A\n#define A 2\nA", "2");
    fails("#undef A b", &["1:E0612"]);
    fails("#undef 1\n#define 2\n#define", &["1:E0620", "2:E0620", "3:E0620"]);
}

#[test]
fn reserved_names_of_macros() {
    fails("#define GL_FOO 1", &["1:E0621"]);
    fails("#undef GL_ARB_gpu_shader5", &["1:E0621"]);
    gives("#define I__AM 1\nI__AM", "1");
    gives("#version 330\n#undef __VERSION__\n#ifdef __VERSION__\n1\n#endif\n2", "2");
    for name in ["__LINE__", "__FILE__", "__VERSION__", "GL_ES"] {
        fails(&format!("{ES}#undef {name}"), &["2:E0621"]);
        fails(&format!("{ES}#define {name} 1"), &["2:E0621"]);
    }
    fails("#define defined 1", &["1:E0621"]);
    gives(
        &format!("{ES}#define CCC 1\n#define defined BBB\n#define AAA defined\n#if AAA CCC\n1\n#endif"),
        "1",
    );
    gives("#define F(__LINE__, b) __LINE__+b\nF(1, 2)", "1 + 2");
}

#[test]
fn predefined_macros() {
    gives("__VERSION__ __FILE__\n__LINE__", "110 0 2");
    gives("#version 300 es\nGL_ES __VERSION__ GL_es_profile GL_FRAGMENT_PRECISION_HIGH", "1 300 1 1");
    gives("#version 330\nGL_core_profile GL_compatibility_profile", "1 GL_compatibility_profile");
    gives("#version 330 compatibility\nGL_core_profile GL_compatibility_profile", "GL_core_profile 1");
    gives(
        "GL_ARB_gpu_shader5 GL_EXT_geometry_shader GL_EXT_ray_query",
        "1 GL_EXT_geometry_shader GL_EXT_ray_query",
    );
    let vulkan = PreprocessOptions { vulkan: true, ..Default::default() };
    assert_eq!(print(&preprocess(&["#version 450\nVULKAN texture2D"], &vulkan)), "100 texture2D");
    let defines = vec![("A".to_string(), "1 + x".to_string()), ("B".to_string(), String::new())];
    let defined = PreprocessOptions { defines, ..Default::default() };
    assert_eq!(print(&preprocess(&["A B\n#ifdef B\n2\n#endif"], &defined)), "1 + x 2");
}

#[test]
fn lines_are_counted() {
    // Arguments have their own lines, a body that of the closing parenthesis.
    gives(
        "#define B __LINE__, /*\n*/ __LINE__\n#define A(a,b) B, a, b\nA(__LINE__,\n__LINE__\n)",
        "6 , 6 , 4 , 5",
    );
    gives("#line 10\n__LINE__", "11");
    gives("#version 330\n#line 10 3\n__LINE__ __FILE__\n__LINE__", "10 3 11");
    gives("#version 300 es\n#define X(y) y + 3\n#line X(2) 4\n__LINE__ __FILE__", "5 4");
    fails("#version 330\n#line 100\n@", &["100:E0603"]);
    fails("#line\n#line foo\n#line 1.5\n#line 1 2 3", &["1:E0614", "2:E0616", "3:E0614", "4:E0612"]);
    fails("#line 5 \"file\"", &["1:E0633"]);
    gives("#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 5 \"file\"\n__LINE__", "6");
    let p = preprocess(&["@\n", "\n@"], &PreprocessOptions::default());
    let places: Vec<_> = p.diagnostics.finish(&p.lines).iter().map(|d| d.place.to_string()).collect();
    assert_eq!(places, ["1:1", "1:2:1"]);
}

#[test]
fn conditions_choose_groups() {
    gives("#if 1\na\n#elif 1\nb\n#else\nc\n#endif", "a");
    gives("#if 0\na\n#elif 1\nb\n#else\nc\n#endif", "b");
    gives("#if 0\na\n#elif 0\nb\n#else\nc\n#endif\nd", "c d");
    gives("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\n#ifdef X\nc\n#else\nd\n#endif\n#endif\ne", "d e");
    gives("#ifndef X\na\n#define X\n#endif\n#ifdef X\nb\n#endif", "a b");
    gives("#if 0\n#bad directive\n#if $$$\n#endif\n#elif defined(__VERSION__)\na\n#endif", "a");
    gives("#if 1\na\n#elif 1 / 0 $\nb\n#endif", "a");
    gives("#if 0 // c\n'/* */ #endif\n # /* c */ endif // c\na", "a");
}

#[test]
fn conditionals_must_be_balanced() {
    fails("#if 1", &["1:E0613"]);
    fails("#if 0\n#else", &["1:E0613"]);
    fails("a\n#endif\n#else\n#elif 1", &["2:E0613", "3:E0613", "4:E0613"]);
    fails("#if 1\n#else\n#else\n#endif", &["3:E0613"]);
    fails("#if 0\n#else\n#elif 1\n#endif", &["3:E0613"]);
    fails("#if 0\n#if 0\n#else\n#else\n#endif\n#endif", &["4:E0613"]);
    fails("#if 1\n#else x\n#endif y", &["2:E0612", "3:E0612"]);
    fails("#ifdef\n#endif\n#ifdef 1\n#endif\n#ifdef A b\n#endif", &["1:E0611", "3:E0611", "5:E0612"]);
}

/// Value of an expression in `#if`.
fn holds(expression: &str) -> bool {
    let text = format!("#if {expression}\n1\n#else\n0\n#endif");
    assert_eq!(errors(&text), [""; 0], "{expression}");
    print(&pp(&text)) == "1"
}

#[test]
fn expressions_are_evaluated() {
    for yes in [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 4 - 3 == 3",
        "100 / 10 / 5 == 2",
        "17 % 5 == 2",
        "1 << 4 == 16",
        "-8 >> 1 == -4",
        "6 & 5 ^ 1 | 8",
        "(6 & 5) == 4 && (6 | 5) == 7 && (6 ^ 5) == 3",
        "!((~2 >> 1) & 1)",
        "!0 && !!1",
        "- - - 1 == -1",
        "0x10 == 16 && 010 == 8",
        "1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 3 != 4",
        "1 || 1 / 0",
        "!(0 && 1 % 0)",
        "UNDEFINED == 0",
        "defined(__LINE__) && !defined X && defined ( GL_ARB_gpu_shader5 )",
        "__LINE__ == 1",
        "9223372036854775807 + 1 < 0",
    ] {
        assert!(holds(yes), "{yes}");
    }
    for no in ["0", "1 - 1", "2 == 3", "1 && 0", "defined(X)", "-1 > 0"] {
        assert!(!holds(no), "{no}");
    }
    gives("#define F(a, b) a + b\n#if F(2,3) == 5 && F(defined F,0)\n1\n#endif", "1");
    gives("#define A defined(B)\n#define B\n#if A\n1\n#endif", "1");
}

#[test]
fn expressions_can_be_wrong() {
    for (bad, code) in [
        ("", "E0614"),
        ("1 +", "E0614"),
        ("(1", "E0614"),
        ("1 2", "E0612"),
        ("1.5", "E0614"),
        ("1 ? 2 : 3", "E0612"),
        ("++1", "E0614"),
        ("1 / 0", "E0615"),
        ("1 % (2 - 2)", "E0615"),
        ("defined", "E0614"),
        ("defined()", "E0614"),
        ("defined(A", "E0614"),
        ("defined((A))", "E0614"),
        ("'d'", "E0614"),
        ("99999999999999999999", "E0614"),
        ("08", "E0614"),
    ] {
        fails(&format!("\n#if {bad}\n#endif"), &[&format!("2:{code}")]);
        fails(&format!("#if 0\n#elif {bad}\n#endif"), &[&format!("2:{code}")]);
    }
    fails("#define OPEN defined(\n#define CLOSE FOO)\n#if OPEN CLOSE\n#endif", &["3:E0614"]);
    fails("#define F(a, b) a\n#if F(1,\n2)\n#endif", &["2:E0623"]);
}

#[test]
fn undefined_names_in_conditions_are_errors_in_es() {
    for bad in ["A", "!A", "0 || A", "1 && A", "1 - C + (-A || B)"] {
        fails(&format!("{ES}#if {bad}\n#endif"), &["2:E0616"]);
    }
    gives(&format!("{ES}#if 1 || A\n1\n#endif\n#if 0 && A\n2\n#endif"), "1");
}

#[test]
fn directives_must_be_known() {
    gives("#\n # // c\n/**/ # /* c */\na", "a");
    fails("#defin A", &["1:E0610"]);
    fails("#33", &["1:E0610"]);
    fails("#error  some text // c\n", &["1:E0635"]);
    fails("#include \"a.glsl\"", &["1:E0634"]);
    let p = pp("#error  1 * AAA /* c */\n");
    assert_eq!(p.diagnostics.entries()[0].1.message, "#error 1 * AAA");
    assert!(pp("#defin A").diagnostics.entries()[0].1.message.contains("#define"));
}

#[test]
fn versions() {
    assert_eq!(pp("#version 450\n").version, Version { number: 450, profile: Profile::Core });
    assert_eq!(pp("// a\n\n#version 100\n").version, Version { number: 100, profile: Profile::Es });
    assert_eq!(pp("a").version, Version::DEFAULT);
    fails("#version 300\n", &["1:E0630"]);
    fails("\na\n#version 300 es\n", &["3:E0630"]);
    fails("#version 300 es\n#version 300 es\n", &["2:E0630"]);
    fails("#define A\n#version 330\n", &["2:E0630"]);
    let es = Some(Version { number: 310, profile: Profile::Es });
    let default = PreprocessOptions { default_version: es, ..Default::default() };
    assert_eq!(preprocess(&["a"], &default).version.number, 310);
    assert_eq!(preprocess(&["#version 120\n"], &default).version.number, 120);
    let force = PreprocessOptions { force_version: es, ..Default::default() };
    let p = preprocess(&["#version 999\nGL_ES"], &force);
    assert_eq!((p.version.number, print(&p).as_str(), p.diagnostics.has_errors()), (310, "1", false));
    let vulkan = PreprocessOptions { vulkan: true, ..Default::default() };
    assert_eq!(errors_with("#version 120\n", &vulkan), ["1:E0630"]);
}

#[test]
fn extensions_change_keywords_as_they_come() {
    let late = PreprocessOptions { late_extensions: true, ..Default::default() };
    let text = "#version 330\nsample\n#extension GL_ARB_gpu_shader5 : enable\nsample\n\
                #extension GL_ARB_gpu_shader5 : disable\nsample";
    let p = preprocess(&[text], &late);
    let toks: Vec<_> = p.tokens.iter().map(|t| t.tok).collect();
    assert_eq!(toks, [Tok::Ident, Tok::Sample, Tok::Ident, Tok::Eof]);
    assert!(p.extensions.contains(Ext::ARB_gpu_shader5));
    assert_eq!(p.extension_changes.len(), 2);
    assert!(p.extension_changes[0].1.contains(Ext::ARB_gpu_shader5));
    assert!((p.tokens[0].lo..p.tokens[1].lo).contains(&p.extension_changes[0].0));
    fails(text, &["3:E0631", "5:E0631"]);
}

#[test]
fn extensions_by_behaviour() {
    fails("#extension GL_FOO_bar : require", &["1:E0631"]);
    fails("#extension GL_EXT_geometry_shader : require", &["1:E0631"]);
    fails("#version 450\n#extension GL_EXT_ray_query : require", &["2:E0631"]);
    let p = pp("#extension GL_FOO_bar : enable\n#extension GL_FOO_bar : disable\n");
    assert_eq!((p.diagnostics.has_errors(), p.diagnostics.entries().len()), (false, 1));
    for bad in [
        "",
        "2 : all",
        "all",
        "all ;",
        "all :",
        "all : WARN",
        "all : require",
        "all : enable",
        "all : warn x",
    ] {
        assert_eq!(errors(&format!("\n#extension {bad}")).len(), 1, "{bad}");
    }
    let p = pp("#version 310 es\n#extension GL_ANDROID_extension_pack_es31a : warn\n");
    assert!(p.extensions.contains(Ext::EXT_shader_io_blocks));
    assert!(p.warn.contains(Ext::ANDROID_extension_pack_es31a));
    assert!(pp("#version 120\n#extension all : warn\n").extensions.contains(Ext::EXT_gpu_shader4));
    assert_eq!(
        pp("#version 140\n#extension GL_ARB_compatibility : enable\n").version.profile,
        Profile::Compatibility
    );
    fails("#version 300 es\nin\n#extension all : warn\n", &["3:E0631"]);
    fails("#version 100\nin\n#extension all : disable\n", &["3:E0631"]);
    assert_eq!(pp("sampler2DRect").tokens[0].tok, Tok::Type);
    assert_eq!(
        pp("#extension GL_ARB_texture_rectangle : disable\nsampler2DRect").tokens[0].tok,
        Tok::Reserved
    );
}

#[test]
fn pragmas_are_kept() {
    let text = "#define off x\n#pragma STDGL invariant(all)\n#pragma optimize(off)\n#pragma debug ( on )\n\
                #pragma once // c\n#pragma\n#pragma debug(1.23)\n";
    let p = pp(text);
    assert!(!p.diagnostics.has_errors());
    assert_eq!(
        (p.pragmas.invariant_all, p.pragmas.optimize, p.pragmas.debug),
        (true, Some(false), Some(true))
    );
    assert_eq!(p.pragmas.other.len(), 1);
    assert_eq!(p.pragmas.other[0].1, "once");
    let fragment = PreprocessOptions { stage: Some(Stage::Fragment), ..Default::default() };
    assert_eq!(errors_with("#version 300 es\n#pragma STDGL invariant(all)", &fragment), ["2:E0632"]);
}

#[test]
fn names_in_es_are_limited() {
    let name = "a".repeat(1024);
    assert!(errors(&format!("{ES}{name}")).is_empty());
    fails(&format!("{ES}{name}a"), &["2:E0606"]);
    assert!(errors(&format!("{name}a")).is_empty());
}

#[test]
fn limits_end_what_grows_without_bound() {
    let mut bomb = String::from("#define M0 x x\n");
    for i in 1..40 {
        bomb += &format!("#define M{i} M{} M{}\n", i - 1, i - 1);
    }
    bomb += "M39";
    let options = PreprocessOptions { max_work: 1 << 16, ..Default::default() };
    assert_eq!(errors_with(&bomb, &options), ["41:E0625"]);
    let mut bomb = String::from("#define F0(x) x x\n");
    for i in 1..40 {
        bomb += &format!("#define F{i}(x) F{}(x x)\n", i - 1);
    }
    assert_eq!(errors_with(&format!("{bomb}F39(a)"), &options), ["41:E0625"]);
    let mut bomb = String::from("#define C(a, b) a##b\n#define D0(x) C(x, x)\n");
    for i in 1..40 {
        bomb += &format!("#define D{i}(x) D{}(C(x, x))\n", i - 1);
    }
    assert_eq!(errors(&format!("{bomb}D39(a)")), ["42:E0625"]);
    let tokens = PreprocessOptions { max_tokens: 10, ..Default::default() };
    assert_eq!(errors_with(&"a ".repeat(11), &tokens), ["1:E0625"]);
    let bytes = PreprocessOptions { max_bytes: 10, ..Default::default() };
    assert_eq!(errors_with("aaaaaaaaaaa", &bytes), ["1:E0601"]);
}

#[test]
fn deep_nesting_ends() {
    const N: usize = 100_000;
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(N), ")".repeat(N));
    assert_eq!(errors(&nested), ["2:E0625"]);
    let parens = format!("#if {}1{}\n#endif", "(".repeat(N), ")".repeat(N));
    assert_eq!(errors(&parens), ["1:E0614"]);
    let unary = format!("#if {}1\n#endif", "- ".repeat(N));
    assert_eq!(errors(&unary), ["1:E0614"]);
    let ifs = format!("{}a\n{}", "#if 1\n".repeat(N), "#endif\n".repeat(N));
    gives(&ifs, "a");
    let skipped = format!("{}a\n{}b", "#if 0\n".repeat(N), "#endif\n".repeat(N));
    gives(&skipped, "b");
    assert!(errors(&"#if 1\n".repeat(N)).len() == 1);
    assert_eq!(errors(&"#else\n".repeat(N)).len(), 100);
    let mut chain = String::from("#define A0 1\n");
    for i in 1..20_000 {
        chain += &format!("#define A{i} A{}\n", i - 1);
    }
    gives(&format!("{chain}A19999"), "1");
    let long = "x".repeat(1 << 20);
    let p = pp(&long);
    assert_eq!((p.tokens.len(), p.tokens[0].len), (2, u16::MAX));
    let p = pp(&"1".repeat(1 << 20));
    assert_eq!(p.tokens.len(), 2);
    assert!(errors(&format!("#define A {}\nA", "1 + ".repeat(1 << 16))).is_empty());
}

/// Random texts from meaningful pieces; a fixed generator keeps failures repeatable.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn text(&mut self, pieces: &[&str], count: usize) -> String {
        (0..count).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

#[test]
fn any_text_ends_with_tokens_inside_it() {
    let pieces = [
        "#",
        "##",
        "define ",
        "undef ",
        "if ",
        "ifdef ",
        "elif ",
        "else",
        "endif",
        "line ",
        "extension ",
        "version ",
        "pragma ",
        "error ",
        "\n",
        "\n",
        "\n#",
        "\n#define A",
        "\n#define F(x,y) ",
        "\n#if ",
        "\n#endif\n",
        "A",
        "F",
        "F(",
        "(",
        ")",
        ",",
        "x",
        "y",
        "defined",
        "1",
        "0x",
        "1.5e",
        "300 es",
        "all : warn",
        "\\\n",
        "\\",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "\u{e4}",
        "\r",
        "\0",
        " ",
        "+",
        "<<",
        "__LINE__",
        "GL_ES",
        "&&",
        "0",
        "/",
        "%",
    ];
    let mut random = Random(1);
    for round in 0..4000 {
        let text = random.text(&pieces, 2 + round % 60);
        let p = pp(&text);
        assert_eq!(p.tokens.last().map(|t| t.tok), Some(Tok::Eof), "{text:?}");
        let mut last = 0;
        for t in &p.tokens {
            assert!(t.lo as usize + usize::from(t.len) <= text.len(), "{text:?}");
            last = last.max(t.lo);
        }
        assert!(p.diagnostics.entries().iter().all(|(s, _)| s.lo as usize <= text.len()), "{text:?}");
        for (_, d) in p.diagnostics.entries() {
            assert!(!d.message.is_empty());
        }
        p.diagnostics.clone().finish(&p.lines);
    }
}

#[test]
fn what_is_printed_reads_back() {
    let pieces = [
        "a",
        "vec4",
        " ",
        " ",
        "1",
        "0x1F",
        "1.5",
        "3.0e-7",
        "4000000000",
        "+",
        "-",
        "<",
        "=",
        "<<=",
        "(",
        ")",
        ";",
        "#define A b\n",
        "\n",
        "A",
        "true",
        "half",
        "sampler2D",
        "in",
        ".5",
        "/* c */",
        "// c\n",
        "\\\n",
        "&",
        "^",
        "16777217.0",
    ];
    let mut random = Random(7);
    let mut clean = 0;
    for _ in 0..2000 {
        let p = pp(&random.text(&pieces, 30));
        if p.diagnostics.has_errors() {
            continue;
        }
        clean += 1;
        let again = pp(&print(&p));
        let key = |p: &Preprocessed| -> Vec<_> {
            p.tokens
                .iter()
                .map(|t| match t.tok {
                    Tok::Ident | Tok::Reserved => (t.tok, 0, p.names[Symbol(t.data)].to_string()),
                    _ => (t.tok, t.data, String::new()),
                })
                .collect()
        };
        assert_eq!(key(&p), key(&again));
    }
    assert!(clean > 100, "{clean}");
}
