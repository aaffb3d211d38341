use crate::{Options, assemble};

/// The words after the header.
fn body(text: &str) -> Vec<u32> {
    assemble(text, &Options::default()).unwrap_or_else(|e| panic!("{}", e[0]))[5..].to_vec()
}

fn fault(text: &str) -> String {
    let faults = assemble(text, &Options::default()).expect_err("an error");
    format!("{} {}", faults[0].place, faults[0].message)
}

#[test]
fn headers() {
    let words = assemble("; Version: 1.3\n%a = OpTypeVoid", &Options::default()).unwrap();
    assert_eq!(words, [0x0723_0203, 0x0001_0300, 0, 2, 0, 2 << 16 | 19, 1]);
    let words = assemble("; Version: 1.3\n", &Options { version: Some((1, 5)) }).unwrap();
    assert_eq!(words, [0x0723_0203, 0x0001_0500, 0, 1, 0]);
}

#[test]
fn ids_count_from_their_first_appearance() {
    // The type of a value comes before its id.
    assert_eq!(body("%x = OpUndef %int"), [3 << 16 | 1, 1, 2]);
    assert_eq!(body("%9 = OpUndef %7 %b = OpUndef %7"), [3 << 16 | 1, 1, 2, 3 << 16 | 1, 1, 3]);
}

#[test]
fn literals_have_the_width_of_their_types() {
    let words = body("%l = OpTypeInt 64 1 %h = OpTypeFloat 16 %c = OpConstant %l -2 %d = OpConstant %h -1.5");
    assert_eq!(words[7..], [5 << 16 | 43, 1, 3, 0xffff_fffe, 0xffff_ffff, 4 << 16 | 43, 2, 4, 0xbe00]);
    let words = body("%l = OpTypeInt 64 0\n%c = OpConstant %l 5\nOpSwitch %c %d 4294967296 %e");
    assert_eq!(words[9..], [6 << 16 | 251, 2, 3, 0, 1, 4]);
}

#[test]
fn strings_and_masks() {
    let text = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    assert_eq!(body(r#"OpName %a "a\"\\bcd""#), [4 << 16 | 5, 1, text(b"a\"\\b"), text(b"cd\0\0")]);
    assert_eq!(body(r#"OpName %a "abcd""#), [4 << 16 | 5, 1, u32::from_le_bytes(*b"abcd"), 0]);
    assert_eq!(body("OpStore %p %v Volatile|Aligned 16"), [5 << 16 | 62, 1, 2, 3, 16]);
    assert_eq!(body("OpSource GLSL 450 %f \"x\""), [5 << 16 | 3, 2, 450, 1, u32::from(b'x')]);
    assert_eq!(body("OpDecorate %v BuiltIn FragCoord"), [4 << 16 | 71, 1, 11, 15]);
}

#[test]
fn extended_and_constant_operations() {
    let words = body("%s = OpExtInstImport \"GLSL.std.450\" %y = OpExtInst %f %s FMax %a %b");
    assert_eq!(words[6..], [7 << 16 | 12, 2, 3, 1, 40, 4, 5]);
    assert_eq!(body("%y = OpSpecConstantOp %f CompositeExtract %a 1"), [6 << 16 | 52, 1, 2, 81, 3, 1]);
    assert_eq!(
        fault("%s = OpExtInstImport \"GLSL.std.450\"\n%y = OpExtInst %f %s Max %a"),
        "2:22 unknown instruction `Max` of `GLSL.std.450`"
    );
}

#[test]
fn raw_words() {
    assert_eq!(body("OpCapability !7 %a \"b\" 2 -1"), [6 << 16 | 17, 7, 1, u32::from(b'b'), 2, 0xffff_ffff]);
    assert_eq!(body("!0x00020011 !1"), [0x0002_0011, 1]);
}

#[test]
fn faults_have_places() {
    for (text, expected) in [
        ("\n OpFoo", "2:2 unknown instruction `OpFoo`"),
        ("%a = OpStore %b %c", "1:1 OpStore has no result"),
        ("OpTypeVoid", "1:1 OpTypeVoid has a result: write `%name = OpTypeVoid ...`"),
        ("OpStore %b", "1:1 OpStore needs more operands: an id"),
        ("OpReturn %b", "1:10 OpReturn has no operand for `%b`"),
        ("OpCapability Shadow", "1:14 unknown Capability `Shadow`"),
        ("OpName %a \"b", "1:11 this string does not end"),
        ("%a = OpConstant %t 1", "1:20 the type of this OpConstant is not an integer or floating-point type"),
        ("%t = OpTypeInt 8 0 %a = OpConstant %t 256", "1:39 `256` does not fit an unsigned 8-bit integer"),
        ("OpStore %a-b %c", "1:9 invalid ID `%a-b`: expected letters, digits and `_`"),
        ("%a =", "1:1 `%a =` is not followed by an instruction"),
        ("%a = 5", "1:6 `5` is not the name of an instruction"),
        ("= OpNop", "1:1 `=` is not the name of an instruction"),
        ("!", "1:1 `` is not a number"),
    ] {
        assert_eq!(fault(text), expected, "{text}");
    }
}

#[test]
fn several_faults_are_told_but_not_all() {
    assert_eq!(assemble("OpFoo\n%a = OpBar\nOpNop", &Options::default()).unwrap_err().len(), 2);
    assert_eq!(assemble(&"OpFoo ".repeat(1000), &Options::default()).unwrap_err().len(), 20);
}

#[test]
fn instructions_are_bounded() {
    let long = format!("%a = OpTypeStruct {}", "%a ".repeat(70_000));
    assert!(fault(&long).contains("70002 words"));
}

#[test]
fn damaged_text_is_refused_or_read_without_a_crash() {
    let good = "%s = OpExtInstImport \"GLSL.std.450\"\n%l = OpTypeInt 64 1\n%c = OpConstant %l -0x7\nOpSwitch %c %d 1 %e\n!3 OpDecorate %v BuiltIn FragCoord";
    for at in 0..good.len() {
        for with in ["", "\"", "=", "%", "!", "\\", "é", "Op"] {
            let mut text = good.to_string();
            text.replace_range(at..=at, with);
            let _ = assemble(&text, &Options::default());
            let _ = assemble(&good[..at], &Options::default());
        }
    }
}
