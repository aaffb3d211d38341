//! `compile -g`: source lines in the output.

use crate::run::Folder;

const NOISE: &str = "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

float noise(vec2 p) {
  return fract(sin(dot(p, p)));
}

void main() {
  float n = noise(uv);
  if (n > 0.5)
    discard;
  color = vec4(sqrt(n));
}
";

/// Lines of the locations of instructions whose text has this part.
fn lines(ll: &str, part: &str) -> Vec<u32> {
    let line = |number: &str| {
        let node = ll.lines().find_map(|l| l.strip_prefix(&format!("{number} = !DILocation(line: ")));
        let digits = node.unwrap_or_else(|| panic!("no {number}")).split([',', ')']).next().unwrap();
        digits.parse().unwrap()
    };
    let found = ll.lines().filter(|l| l.starts_with("  ") && l.contains(part));
    found.filter_map(|l| l.split_once("!dbg ")).map(|(_, number)| line(number)).collect()
}

#[test]
fn lines_of_glsl_at_every_level() {
    let dir = Folder::new();
    dir.write("noise.frag", NOISE);
    for level in ["-O0", "-O2"] {
        let args = ["compile", "-g", level, "--vulkan", "noise.frag", "-o", "n.ll", "-o", "n.metallib"];
        dir.run(&args).ok();
        let ll = String::from_utf8(dir.read("n.ll")).unwrap();
        assert!(ll.contains("!DIFile(filename: \"noise.frag\", directory: \""), "{ll}");
        assert!(
            ll.contains("!DISubprogram(name: \"main\"")
                || ll.contains("!DISubprogram(name: \"fragment_main\""),
            "{ll}"
        );
        assert!(ll.contains(" line: 9, type: "), "{level}: {ll}");
        assert_eq!(lines(&ll, "sin."), [6], "{level}: {ll}");
        assert_eq!(lines(&ll, "air.discard_fragment"), [12], "{level}: {ll}");
        assert_eq!(lines(&ll, "sqrt."), [13], "{level}: {ll}");
        let shown = dir.run(&["metallib", "n.metallib"]).ok().text();
        assert!(shown.contains("/noise.frag:9\n"), "{shown}");
        let inspected = dir.run(&["inspect", "n.metallib"]).ok().text();
        assert!(inspected.contains("/noise.frag:9\n"), "{inspected}");
    }
}

#[test]
fn debug_information_is_all_that_the_option_adds() {
    let dir = Folder::new();
    dir.write("noise.frag", NOISE);
    dir.run(&["compile", "--vulkan", "noise.frag", "-o", "plain.ll"]).ok();
    dir.run(&["compile", "--vulkan", "--debug", "noise.frag", "-o", "debug.ll"]).ok();
    // The code is the same but for the locations and the names of values; metadata and values have other IDs.
    let code = |file: &str| {
        let text = String::from_utf8(dir.read(file)).unwrap();
        let body = text.lines().filter(|l| l.starts_with("  ") && !l.contains("@llvm.dbg."));
        let mut names = Vec::new();
        let mut plain = |l: &str| {
            let mut parts = l.split(", !dbg ").next().unwrap().split('%');
            let mut line = parts.next().unwrap().to_owned();
            for part in parts {
                let name = part.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
                let at = names.iter().position(|n| n == name).unwrap_or(names.len());
                if at == names.len() {
                    names.push(name.to_owned());
                }
                line.push_str(&format!("%{at}{}", &part[name.len()..]));
            }
            line
        };
        body.map(&mut plain).collect::<Vec<_>>()
    };
    assert!(code("plain.ll").len() > 8);
    assert_eq!(code("plain.ll"), code("debug.ll"));
    assert!(!String::from_utf8(dir.read("plain.ll")).unwrap().contains("!DI"));
}

/// The value, name and type of the variables that have records.
fn variables(ll: &str) -> Vec<(String, String)> {
    let node = |number: &str| ll.lines().find_map(|l| l.strip_prefix(&format!("{number} = ")));
    let calls = ll.lines().filter(|l| l.contains("call void @llvm.dbg."));
    let of = |line: &str| {
        let mut operands = line.split("metadata ").skip(1);
        let value = operands.next().unwrap().trim_end_matches(", ").trim_end_matches(", i64 0").to_owned();
        let variable = node(operands.next().unwrap().trim_end_matches(", ")).unwrap();
        (value, variable.split('"').nth(1).unwrap().to_owned())
    };
    calls.map(of).collect()
}

#[test]
fn arguments_have_the_names_of_the_source() {
    let dir = Folder::new();
    dir.write("noise.frag", NOISE.replace("uv;\n", "uv;\nlayout(binding = 3) uniform U { float k; } u;\n"));
    let kernel =
        SPVASM.replace("OpDecorate %B Block", "OpName %B \"B\"\nOpName %buf \"buf\"\nOpDecorate %B Block");
    dir.write("a.spvasm", kernel);
    for level in ["-O0", "-O2"] {
        let ll =
            dir.run(&["compile", "-g", level, "--vulkan", "noise.frag", "--to", "ll", "-o", "-"]).ok().text();
        assert!(variables(&ll).contains(&("<2 x float> %a0".to_owned(), "uv".to_owned())), "{ll}");
        let ll = dir.run(&["compile", "-g", level, "a.spvasm", "--to", "ll", "-o", "-"]).ok().text();
        let buffer = ("%struct.B addrspace(1)* %a0".to_owned(), "buf".to_owned());
        assert!(variables(&ll).contains(&buffer), "{ll}");
        assert!(ll.contains("DW_TAG_structure_type, name: \"B\", size: 32"), "{ll}");
    }
}

/// Locals of the entry function and of helpers, parameters and outputs.
#[test]
fn values_have_the_names_of_the_source() {
    let dir = Folder::new();
    dir.write("noise.frag", NOISE);
    let ll =
        dir.run(&["compile", "-g", "-O0", "--vulkan", "noise.frag", "--to", "ll", "-o", "-"]).ok().text();
    let found = variables(&ll);
    assert!(found.iter().any(|v| v.0.starts_with("float* %") && v.1 == "n"), "{ll}");
    let ll =
        dir.run(&["compile", "-g", "-O2", "--vulkan", "noise.frag", "--to", "ll", "-o", "-"]).ok().text();
    let found = variables(&ll);
    let value = |name: &str| found.iter().rfind(|v| v.1 == name).map(|v| &*v.0).unwrap_or_default();
    assert_eq!(value("p"), "<2 x float> %a0", "{ll}");
    let result = ll.lines().find(|l| l.contains(" = fsub ")).unwrap().split_whitespace().next().unwrap();
    assert_eq!(value("n"), format!("float {result}"), "{ll}");
    let returned = ll.lines().find(|l| l.starts_with("  ret <4 x float> %")).unwrap();
    assert_eq!(format!("  ret {}", value("color")), returned.split(',').next().unwrap(), "{ll}");

    // A local of SPIR-V.
    let text = SPVASM
        .replace("OpDecorate %B Block", "OpName %kept \"kept\"\nOpDecorate %B Block")
        .replace("%main = OpFunction ", "%fptr = OpTypePointer Function %uint\n%main = OpFunction ")
        .replace("%entry = OpLabel\n", "%entry = OpLabel\n%kept = OpVariable %fptr Function\n")
        .replace("OpLine %a 14 5\n", "OpStore %kept %y\nOpLine %a 14 5\n")
        .replace("OpStore %p %y", "%z = OpLoad %uint %kept\nOpStore %p %z");
    // Types come before the lines of the function.
    let text = text.replace(
        "OpLine %a 10 1\n%fptr = OpTypePointer Function %uint\n",
        "%fptr = OpTypePointer Function %uint\nOpLine %a 10 1\n",
    );
    dir.write("a.spvasm", text);
    let ll = dir.run(&["compile", "-g", "-O2", "a.spvasm", "--to", "ll", "-o", "-"]).ok().text();
    let product = ll.lines().find(|l| l.contains(" = mul ")).unwrap().split_whitespace().next().unwrap();
    assert!(variables(&ll).contains(&(format!("i32 {product}"), "kept".to_owned())), "{ll}");
}

/// OpLine before the function and inside; the second line of another file.
const SPVASM: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%a = OpString \"a.hlsl\"
%b = OpString \"b.hlsli\"
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%B = OpTypeStruct %uint
%ptr = OpTypePointer StorageBuffer %B
%uptr = OpTypePointer StorageBuffer %uint
%buf = OpVariable %ptr StorageBuffer
OpLine %a 10 1
%main = OpFunction %void None %fn
OpNoLine
%entry = OpLabel
%p = OpAccessChain %uptr %buf %zero
OpLine %a 12 5
%x = OpLoad %uint %p
OpLine %b 3 9
%y = OpIMul %uint %x %x
OpLine %a 14 5
OpStore %p %y
OpReturn
OpFunctionEnd
";

#[test]
fn lines_of_spirv() {
    let dir = Folder::new();
    dir.write("a.spvasm", SPVASM);
    for level in ["-O0", "-O2"] {
        let ll = dir.run(&["compile", "-g", level, "a.spvasm", "--to", "ll", "-o", "-"]).ok().text();
        assert!(ll.contains(" line: 10, type: "), "{ll}");
        assert_eq!(lines(&ll, " load i32"), [12], "{ll}");
        assert_eq!(lines(&ll, " mul "), [3], "{ll}");
        assert_eq!(lines(&ll, "  store i32"), [14], "{ll}");
        assert!(ll.contains("!DIFile(filename: \"b.hlsli\""), "{ll}");
    }
    // A module that names no file is called by its own name, and has no lines.
    let bare: String = SPVASM.lines().filter(|l| !l.contains("Line ")).flat_map(|l| [l, "\n"]).collect();
    dir.write("bare.spvasm", bare.replace("OpNoLine\n", ""));
    let ll = dir.run(&["compile", "-g", "bare.spvasm", "--to", "ll", "-o", "-"]).ok().text();
    assert!(ll.contains("!DIFile(filename: \"bare.spvasm\"") && !ll.contains("!DILocation"), "{ll}");
}

#[test]
fn sources_are_embedded_shown_and_taken_out() {
    let dir = Folder::new();
    dir.write("noise.frag", NOISE);
    dir.run(&["compile", "--vulkan", "noise.frag", "-o", "plain.metallib"]).ok();
    dir.run(&["compile", "--vulkan", "--embed-source", "noise.frag", "-o", "n.metallib"]).ok();
    let shown = dir.run(&["metallib", "show", "n.metallib"]).ok().text();
    let line = format!("\n  archive     0\n    {:>8} bytes  noise.frag\n", NOISE.len());
    assert!(shown.contains(&line) && shown.contains("HSRD"), "{shown}");
    dir.run(&["metallib", "verify", "n.metallib"]).ok();
    dir.run(&["metallib", "extract", "n.metallib", "--out-dir", "parts"]).ok();
    assert_eq!(dir.read("parts/sources/0/noise.frag"), NOISE.as_bytes());
    let plain = dir.run(&["metallib", "show", "plain.metallib"]).ok().text();
    assert!(!plain.contains("HSRD") && !plain.contains("\nsources"), "{plain}");

    // Damage in the archive has a location.
    let mut bytes = dir.read("n.metallib");
    let at = bytes.windows(4).position(|w| w == b"BZh9").expect("an archive") + 30;
    bytes[at] ^= 0xff;
    dir.write("bad.metallib", &bytes);
    dir.run(&["metallib", "show", "bad.metallib"]).fails(1, &["the archive `0`", "byte 0x"]);
}

#[test]
fn sources_of_spirv_are_embedded() {
    let dir = Folder::new();
    let text = SPVASM.replace(
        "%b = OpString",
        "OpSource HLSL 600 %a \"float4 \"\nOpSourceContinued \"main();\"\n%b = OpString",
    );
    dir.write("a.spvasm", &text);
    dir.run(&["compile", "--embed-source", "a.spvasm", "-o", "a.metallib"]).ok();
    dir.run(&["metallib", "extract", "a.metallib", "--out-dir", "parts"]).ok();
    assert_eq!(dir.read("parts/sources/0/a.hlsl"), b"float4 main();");
    // Without a text there is nothing to embed, which is reported.
    dir.write("bare.spvasm", SPVASM);
    let outcome = dir.run(&["compile", "--embed-source", "bare.spvasm", "-o", "b.metallib"]).ok();
    assert!(outcome.stderr.contains("there is no source to embed"), "{}", outcome.stderr);
    dir.run(&["metallib", "verify", "b.metallib"]).ok();
}

/// Whatever happens to a library, all commands report where it is damaged, or read it.
#[test]
fn damaged_libraries_are_refused_with_a_place() {
    let dir = Folder::new();
    dir.write("noise.frag", NOISE);
    dir.run(&["compile", "--vulkan", "-g", "--embed-source", "noise.frag", "-o", "n.metallib"]).ok();
    let good = dir.read("n.metallib");
    let commands: [&[&str]; 4] = [&["metallib", "show"], &["metallib", "verify"], &["inspect"], &["dis"]];
    let check = |bytes: &[u8], cut: bool, at: usize| {
        dir.write("bad.metallib", bytes);
        for command in commands {
            let outcome = dir.run(&[command, &["bad.metallib"]].concat());
            match outcome.code {
                Some(0) => assert!(!cut, "{command:?}, cut at {at}"),
                Some(1) => {
                    let place = outcome.stderr.contains("byte 0x") || outcome.stderr.contains("E0003");
                    assert!(place, "{command:?}, {at}: {}", outcome.stderr);
                }
                other => panic!("{command:?}, {at}: {other:?}, {}", outcome.stderr),
            }
        }
    };
    for step in 0..60 {
        let at = good.len() * step / 60;
        check(&good[..at], true, at);
        let mut bad = good.clone();
        bad[at] ^= 1 << (step % 8);
        check(&bad, false, at);
    }
}
