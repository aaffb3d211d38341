//! Defect 12, SPIR-V: modules that nest deeply overflowed the stack of the calling thread, which aborts the process. Nesting of
//! any depth is compiled or rejected on a thread with 128 KiB of stack, and messages state the limit.

use airfoil::{CompileOptions, Compiler, Errors, OptLevel, ReadOptions};
use std::fmt::Write;
use std::thread;

/// Runs `work` on a thread with 128 KiB of stack.
fn on_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(128 << 10).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap()
    })
}

/// A fragment shader with `%cond`, `%x` and the constants 0 to 2 of several types, whose entry function has `code`.
fn module(declarations: &str, code: &str) -> String {
    format!(
        "OpCapability Shader
        OpCapability Float64
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %in %out
        OpExecutionMode %main OriginUpperLeft
        OpDecorate %in Location 0
        OpDecorate %in Flat
        OpDecorate %out Location 0
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
        %vec4 = OpTypeVector %float 4
        %i0 = OpConstant %int 0
        %i1 = OpConstant %int 1
        %two = OpConstant %int 2
        %f1 = OpConstant %float 1
        %pi = OpTypePointer Input %int
        %po = OpTypePointer Output %float
        %in = OpVariable %pi Input
        %out = OpVariable %po Output
        {declarations}
        %main = OpFunction %void None %fn
        %entry = OpLabel
        {code}
        OpReturn
        OpFunctionEnd
        "
    )
}

const CONDITION: &str = "%i = OpLoad %int %in
%x = OpConvertSToF %float %i
%cond = OpSGreaterThan %bool %i %i0
";

fn ifs(depth: usize) -> String {
    let mut code = CONDITION.to_string();
    for n in 0..depth {
        let _ = write!(
            code,
            "%c{n} = OpINotEqual %bool %i %k{n}
            OpSelectionMerge %m{n} None
            OpBranchConditional %c{n} %t{n} %m{n}
            %t{n} = OpLabel\n"
        );
    }
    code.push_str("OpStore %out %f1\n");
    for n in (0..depth).rev() {
        let _ = writeln!(code, "OpBranch %m{n}\n%m{n} = OpLabel");
    }
    let constants: String = (0..depth).map(|n| format!("%k{n} = OpConstant %int {}\n", n + 5)).collect();
    module(&constants, &code)
}

fn loops(depth: usize) -> String {
    let mut code = CONDITION.to_string();
    for n in 0..depth {
        let _ = write!(
            code,
            "OpBranch %h{n}
            %h{n} = OpLabel
            OpLoopMerge %m{n} %n{n} None
            OpBranchConditional %cond %b{n} %m{n}
            %b{n} = OpLabel\n"
        );
    }
    code.push_str("OpStore %out %f1\n");
    for n in (0..depth).rev() {
        let _ = writeln!(code, "OpBranch %n{n}\n%n{n} = OpLabel\nOpBranch %h{n}\n%m{n} = OpLabel");
    }
    module("", &code)
}

fn switches(depth: usize) -> String {
    let mut code = CONDITION.to_string();
    for n in 0..depth {
        let _ = write!(
            code,
            "OpSelectionMerge %m{n} None
            OpSwitch %i %m{n} 0 %a{n} 1 %b{n} {} %t{n}
            %a{n} = OpLabel
            OpBranch %b{n}
            %b{n} = OpLabel
            OpBranch %m{n}
            %t{n} = OpLabel\n",
            n + 2
        );
    }
    code.push_str("OpStore %out %f1\n");
    for n in (0..depth).rev() {
        let _ = writeln!(code, "OpBranch %m{n}\n%m{n} = OpLabel");
    }
    module("", &code)
}

/// Cases that fall through: each block has two predecessors.
fn cases(count: usize) -> String {
    let mut code = CONDITION.to_string();
    let targets: String = (0..count).map(|n| format!(" {n} %c{n}")).collect();
    let _ = writeln!(code, "OpSelectionMerge %end None\nOpSwitch %i %end{targets}");
    for n in 0..count {
        let next = if n + 1 < count { format!("c{}", n + 1) } else { "end".into() };
        let _ = writeln!(code, "%c{n} = OpLabel\nOpStore %out %f1\nOpBranch %{next}");
    }
    code.push_str("%end = OpLabel\n");
    module("", &code)
}

fn structs(depth: usize) -> String {
    let mut declarations =
        "%s0 = OpTypeStruct %float %int\n%k0 = OpConstantComposite %s0 %f1 %i1\n".to_string();
    for n in 1..depth {
        let _ = writeln!(
            declarations,
            "%s{n} = OpTypeStruct %s{}\n%k{n} = OpConstantComposite %s{n} %k{}",
            n - 1,
            n - 1
        );
    }
    let _ = writeln!(
        declarations,
        "%ps = OpTypePointer Function %s{0}\n%pp = OpTypePointer Private %s{0}\n%private = OpVariable %pp Private %k{0}
        %pf = OpTypePointer Private %float",
        depth - 1
    );
    let path = "%i0 ".repeat(depth);
    let code = format!(
        "%v = OpVariable %ps Function
        %w = OpVariable %ps Function %k{0}
        {CONDITION}
        %l = OpLoad %s{0} %w
        OpStore %v %l
        %m = OpLoad %s{0} %v
        OpStore %private %m
        %c = OpCompositeInsert %s{0} %x %m {1}
        %same = OpCopyObject %s{0} %c
        %chosen = OpSelect %s{0} %cond %same %l
        OpStore %private %chosen
        OpCopyMemory %private %w
        %p = OpAccessChain %pf %private {path}
        %f = OpLoad %float %p
        OpStore %out %f",
        depth - 1,
        "0 ".repeat(depth),
    );
    module(&declarations, &code)
}

fn arrays(depth: usize) -> String {
    let mut declarations = "%s0 = OpTypeArray %float %i1\n".to_string();
    for n in 1..depth {
        let _ = writeln!(declarations, "%s{n} = OpTypeArray %s{} %i1", n - 1);
    }
    let _ = writeln!(
        declarations,
        "%pp = OpTypePointer Private %s{0}\n%private = OpVariable %pp Private\n%other = OpVariable %pp Private
        %pf = OpTypePointer Private %float",
        depth - 1
    );
    let path = "%i0 ".repeat(depth);
    let code = format!(
        "{CONDITION}
        %l = OpLoad %s{0} %private
        OpStore %other %l
        %p = OpAccessChain %pf %other {path}
        %f = OpLoad %float %p
        OpStore %out %f",
        depth - 1,
    );
    module(&declarations, &code)
}

fn chain(length: usize) -> String {
    let mut code = format!("{CONDITION}%v0 = OpFAdd %float %x %f1\n");
    for n in 1..length {
        let op = ["OpFAdd", "OpFMul", "OpFSub"][n % 3];
        let _ = writeln!(code, "%v{n} = {op} %float %v{} %x", n - 1);
    }
    let _ = writeln!(code, "OpStore %out %v{}", length - 1);
    module("", &code)
}

fn calls(depth: usize) -> String {
    let mut text = module(
        "%ff = OpTypeFunction %float %float",
        &format!("{CONDITION}%r = OpFunctionCall %float %g0 %x\nOpStore %out %r"),
    );
    for n in 0..depth {
        let call = if n + 1 < depth {
            format!("%r{n} = OpFunctionCall %float %g{} %a{n}", n + 1)
        } else {
            format!("%r{n} = OpFAdd %float %a{n} %f1")
        };
        let _ = writeln!(
            text,
            "%g{n} = OpFunction %float None %ff\n%a{n} = OpFunctionParameter %float\n%e{n} = OpLabel\n{call}\nOpReturnValue %r{n}\nOpFunctionEnd"
        );
    }
    text
}

/// A structure as parameter and result.
fn arguments(depth: usize) -> String {
    let declarations: String =
        (1..depth).map(|n| format!("%s{n} = OpTypeStruct %s{} %float\n", n - 1)).collect();
    let last = depth - 1;
    let declarations = format!(
        "%s0 = OpTypeStruct %float %int\n{declarations}%ps = OpTypePointer Function %s{last}
        %u = OpUndef %s{last}
        %null = OpConstantNull %s{last}
        %ff = OpTypeFunction %s{last} %s{last}\n"
    );
    let path = "0 ".repeat(depth);
    let code = format!(
        "%v = OpVariable %ps Function
        {CONDITION}
        %set = OpCompositeInsert %s{last} %x %u {path}
        %l = OpLoad %s{last} %v
        %other = OpSelect %s{last} %cond %set %null
        %r = OpFunctionCall %s{last} %identity %other
        %f = OpCompositeExtract %float %r {path}
        OpStore %out %f"
    );
    let mut text = module(&declarations, &code);
    let _ = writeln!(
        text,
        "%identity = OpFunction %s{last} None %ff\n%a = OpFunctionParameter %s{last}\n%e = OpLabel\nOpReturnValue %a\nOpFunctionEnd"
    );
    text
}

/// A pointer that is chosen from two, one of which is chosen from two, and so on.
fn choices(depth: usize) -> String {
    let mut code = format!("{CONDITION}%p0 = OpAccessChain %pe %buffer %i0 %i0\n");
    for n in 1..depth {
        let _ = writeln!(
            code,
            "%q{n} = OpAccessChain %pe %buffer %i0 %i\n%p{n} = OpSelect %pe %cond %p{} %q{n}",
            n - 1
        );
    }
    let last = depth - 1;
    let _ = writeln!(code, "%v = OpLoad %float %p{last}\nOpStore %p{last} %v\nOpStore %out %v");
    let declarations = "%array = OpTypeRuntimeArray %float
        %block = OpTypeStruct %array
        %pb = OpTypePointer StorageBuffer %block
        %pe = OpTypePointer StorageBuffer %float
        %buffer = OpVariable %pb StorageBuffer";
    let text = module(declarations, &code);
    text.replace("OpMemoryModel", "OpCapability VariablePointers\nOpMemoryModel").replace(
        "%void = ",
        "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %array ArrayStride 4
        OpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0\n%void = ",
    )
}

/// Constants that are computed from each other.
fn constants(depth: usize) -> String {
    let mut declarations = "%k0 = OpSpecConstant %int 1\n".to_string();
    for n in 1..depth {
        let _ = writeln!(declarations, "%k{n} = OpSpecConstantOp %int IAdd %k{} %i1", n - 1);
    }
    module(&declarations, &format!("{CONDITION}%y = OpConvertSToF %float %k{}\nOpStore %out %y", depth - 1))
}

/// A structure in a storage buffer, and one as an output.
fn interfaces(depth: usize) -> String {
    let mut declarations = "%s0 = OpTypeStruct %float %int\n".to_string();
    let mut decorations = "OpMemberDecorate %s0 0 Offset 0\nOpMemberDecorate %s0 1 Offset 4\n".to_string();
    for n in 1..depth {
        let _ = writeln!(declarations, "%s{n} = OpTypeStruct %s{}", n - 1);
        let _ = writeln!(decorations, "OpMemberDecorate %s{n} 0 Offset 0");
    }
    let last = depth - 1;
    let _ = write!(
        declarations,
        "%pb = OpTypePointer StorageBuffer %s{last}
        %pe = OpTypePointer StorageBuffer %float
        %buffer = OpVariable %pb StorageBuffer
        %other = OpVariable %pb StorageBuffer
        %pv = OpTypePointer Output %s{last}
        %varying = OpVariable %pv Output"
    );
    let path = "%i0 ".repeat(depth);
    let code = format!(
        "{CONDITION}
        %p = OpAccessChain %pe %buffer {path}
        %f = OpLoad %float %p
        OpStore %p %x
        %whole = OpLoad %s{last} %buffer
        OpStore %other %whole
        OpStore %varying %whole
        OpStore %out %f"
    );
    let text = module(&declarations, &code)
        .replace("Fragment %main \"main\" %in %out", "Vertex %main \"main\" %in %out %varying");
    text.replace("OpExecutionMode %main OriginUpperLeft", "").replace("OpDecorate %in Flat", "").replace(
        "%void = ",
        &format!(
            "{decorations}OpDecorate %s{last} Block\nOpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0
            OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1\nOpDecorate %varying Location 1\n%void = "
        ),
    )
}

/// Assembles, reads, prints, parses and compiles a module; the size of the library, or the first error.
fn compile(text: &str, level: OptLevel) -> Result<usize, String> {
    let all = || {
        let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default())?;
        let shader = airfoil::steps::read_spirv(&words, &ReadOptions::default())?;
        let again = airfoil::steps::read_foil(&airfoil::ir::text::print(&shader))?;
        assert!(again.same_as(&shader));
        let compiler = Compiler::new(CompileOptions::default().level(level));
        compiler.compile_spirv(&words).map(|output| output.metallib.len())
    };
    on_small_stack(|| all().map_err(|errors: Errors| errors[0].to_string()))
}

/// Both levels accept the first depth and reject the second with a message.
fn limit(make: fn(usize) -> String, accepted: usize, rejected: usize, message: &str) {
    for level in [OptLevel::O0, OptLevel::O2] {
        compile(&make(accepted), level).unwrap();
        let error = compile(&make(rejected), level).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn defect_12_control_flow() {
    const LEVELS: &str = "ifs and loops nest deeper than 4000 levels";
    const CONSTRUCTS: &str = "more than 16384 constructs nest";
    // SPIR-V 2.17 requires 1023 levels.
    limit(ifs, 1023, 4001, LEVELS);
    limit(loops, 1023, 4001, LEVELS);
    limit(switches, 1023, 4001, LEVELS);
    // Cases that fall through follow each other.
    for level in [OptLevel::O0, OptLevel::O2] {
        compile(&cases(400), level).unwrap();
    }
    for make in [ifs, loops, switches] {
        limit(make, 1, 100_000, CONSTRUCTS);
    }
}

#[test]
fn defect_12_types_and_their_libraries() {
    const LEVELS: &str = "arrays and structures nest deeper than 255 levels";
    for make in [structs, arrays, arguments, interfaces] {
        limit(make, 60, 257, LEVELS);
        limit(make, 1, 10_000, LEVELS);
        compile(&make(255), OptLevel::O2).unwrap();
    }
    // Without optimisation, variables of such types remain, which the backend does not support.
    for make in [structs, arrays, arguments] {
        let error = compile(&make(255), OptLevel::O0).unwrap_err();
        assert!(
            error.contains("variables of types that nest deeper than 64 levels are not supported"),
            "{error}"
        );
    }
}

/// The reader alone: it has room for all levels without optimization, too (`.ci/run`), unlike the back end for its 64 levels.
#[test]
fn defect_12_types_are_read() {
    let read = |text: &str| {
        on_small_stack(|| {
            let words = airfoil_spirv_asm::assemble(text, &airfoil_spirv_asm::Options::default()).unwrap();
            airfoil::steps::read_spirv(&words, &ReadOptions::default()).map(drop).map_err(|e| e.to_string())
        })
    };
    for make in [structs, arrays, arguments, interfaces] {
        read(&make(255)).unwrap();
        for depth in [257, 10_000] {
            let error = read(&make(depth)).unwrap_err();
            assert!(error.contains("arrays and structures nest deeper than 255 levels"), "{error}");
        }
    }
}

#[test]
fn defect_12_chosen_pointers() {
    limit(choices, 128, 129, "OpSelect chooses among more than 128 pointers");
    limit(choices, 1, 10_000, "OpSelect chooses among more than 128 pointers");
}

#[test]
fn defect_12_long_chains() {
    for level in [OptLevel::O0, OptLevel::O2] {
        compile(&chain(50_000), level).unwrap();
        compile(&calls(500), level).unwrap();
        compile(&constants(30_000), level).unwrap();
    }
}
