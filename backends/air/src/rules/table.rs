//! The table of rules.
//!
//! A row reads `Name "id" since "rule" "consequence" "source";`. `warn` after the name marks warnings.

use super::{Group, MODERN, RuleInfo, Since};
use crate::target::AirVersion;
use Since::{Always, Old};

macro_rules! rules {
    (@warning) => { false };
    (@warning warn) => { true };
    ($($title:literal { $($name:ident $($warn:ident)? [$id:literal $since:expr] $summary:literal $consequence:literal $source:literal;)* })*) => {
        /// A rule of Metal's loaders, compiler service or back ends.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum Rule {
            $($(#[doc = $summary] $name,)*)*
        }

        /// All rules by subject.
        pub static RULES: &[Group] = &[$(Group { title: $title, rules: &[$(Rule::$name),*] }),*];

        impl Rule {
            /// The row of the table.
            pub fn info(self) -> &'static RuleInfo {
                static ROWS: &[RuleInfo] = &[$($(RuleInfo {
                    id: $id,
                    summary: $summary,
                    consequence: $consequence,
                    since: $since,
                    source: $source,
                    warning: rules!(@warning $($warn)?),
                },)*)*];
                &ROWS[self as usize]
            }
        }
    };
}

const MACOS_14: Since = Since::From(MODERN);

rules! {
    "Container" {
        Truncated ["M0101" Always]
            "Header, sections, function list, records and modules are inside the file."
            "`newLibraryWithData` fails: `Invalid library file (unexpected end of file)` (MTLLibraryErrorDomain 1)."
            "loaders.md: header size or MDSZ beyond the file (id 56379909234)";
        FileSize ["M0102" Always]
            "The size in the header is the size of the file."
            "`newLibraryWithData` fails: `Invalid library file`."
            "container.md section 12 (zig-metallib, Metal.jl)";
        Hash ["M0103" Always]
            "The hash of a function is the SHA-256 of its padded module."
            "`newLibraryWithData` fails: `Invalid library file`."
            "container.md section 3 (zig-metallib, Metal.jl)";
        Layout ["M0104" Always]
            "Sizes of entries and records are those of their tags, sections do not overlap, and the header extension is present exactly if the container version has it."
            "The loader reads other bytes than those meant; the result is undefined."
            "container.md sections 2 to 5";
        Wrapper ["M0105" Always]
            "A module is in a bitcode wrapper and padded with zeroes to a multiple of 16 bytes."
            "`metal-objdump` rejects the library; the hash is over other bytes than the loader expects."
            "container.md section 6 (zig-metallib)";
        EntryName ["M0106" Always]
            "The name of a function in the container is that of an entry point of its module."
            "`newFunctionWithName` finds the name, and creation of the pipeline fails with `CompilerError`."
            "container.md section 12";
        EntryKind ["M0107" Always]
            "The kind of a function in the container is the stage of its entry point."
            "The compiler service is terminated: `Compiler encountered an internal error`, XPC_ERROR_CONNECTION_INTERRUPTED."
            "loaders.md: a fragment function in a compute pipeline";
        EmptyAttributes ["M0108" Always]
            "A vertex function without attributes has no VATT and VATY tags."
            "Creation of the pipeline fails: the vertex descriptor does not match."
            "loaders.md: VATT/VATY present but empty (dxmt metallib_writer.cpp)";
        MissingAttributes ["M0109" Always]
            "The VATT and VATY tags list the attributes of a vertex function."
            "Creation of the pipeline fails: the vertex descriptor does not match."
            "container.md section 5";
        MissingPatch ["M0110" Always]
            "A post-tessellation vertex function has the TESS tag of its patch."
            "Metal's validation layer complains about the tessellation of the pipeline."
            "loaders.md: TESS tag missing (dxmt 9357415)";
        DuplicateName ["M0111" Always]
            "Functions of a library have different names."
            "`newFunctionWithName` finds only one of them."
            "container.md section 12";
    }
    "Versions and platforms" {
        LibraryAir ["M0201" Always]
            "The AIR version of a library is at most that of the OS."
            "`newLibraryWithData` fails: `This library is using a deployment target (0x00020008) that is not supported on this OS.`"
            "loaders.md: AIR version of the library newer than the OS (pioner92/metalterm-site#1, mitsuba-renderer/drjit-core#195)";
        LibraryLanguage ["M0202" Always]
            "The language version of a library, which is that of its first function, is at most that of the OS."
            "`newLibraryWithData` fails: `This library is using language version 4.0, which is not supported on this OS.`"
            "loaders.md: language version of the first module (mlx-node/mlx-node#135, PowerBeef/Vocello#4)";
        FunctionLanguage ["M0203" Always]
            "The language version of each function is at most that of the OS."
            "Creation of the pipeline fails: `Function X is using language version a.b which is incompatible with this OS.` (CompilerError 1)."
            "loaders.md: VERS language pair newer than the OS (ZDoom/gzdoom#1274)";
        FunctionAir ["M0204" Always]
            "The AIR version of each function is at most that of the OS."
            "Creation of the pipeline fails: `Function X has a deployment target (0x00020006) which is incompatible with this OS (0x00020005).`"
            "loaders.md: VERS AIR pair newer than the OS";
        Platform ["M0205" Always]
            "The platform of a module's triple is that of the container's header, and that of the OS."
            "`newFunctionWithName` fails: `Target OS is incompatible: library was not compiled for the simulator` (MTLLibraryErrorDomain 3)."
            "loaders.md: platform of triple or header (kakashidinho/metalangle#3, schwa/MetalCompilerPlugin#2)";
        TripleOs ["M0206" Always]
            "The major version of the OS in a module's triple is at most that of the OS."
            "Creation of the pipeline fails: `Unsupported target triple`."
            "loaders.md: OS major in the triple newer than the OS (zig-metallib)";
        ModuleVersion ["M0207" Always]
            "The versions of a function in the container are `air.version` and `air.language_version` of its module."
            "Readers of iOS 16 and before compare both and reject the function."
            "loaders.md, rules for old readers (7)";
        ArchSpelling warn ["M0208" Always]
            "`_vNN` in a module's triple is its AIR version."
            "Apple's command line tools complain; the runtime does not."
            "loaders.md, rules that others follow (GPUCompiler e3c3e04)";
    }
    "Bitcode" {
        OpaquePointers ["M0301" Always]
            "Pointers have a pointee type."
            "Creation of the pipeline fails: `Failed to upgrade function bitcode` for AIR up to 2.7. AIR 2.8 with opaque pointers loads on GPUs of macOS 26, but not on its paravirtual GPU (CompilerError 2)."
            "loaders.md: opaque pointers (zig-metallib; id 62634696041)";
        UnreadableModule ["M0302" Always]
            "A module is bitcode of an LLVM version that Apple's reader knows, and its records are consistent."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md: record that the reader rejects";
        MalformedModule ["M0303" Always]
            "A module is valid IR: operands exist, are computed before their uses and have the types of the operation; blocks end in a terminator."
            "Creation of the pipeline fails: `Failed to materializeAll.`, or the compiler service is terminated."
            "LLVM language reference";
        PhiRecord ["M0304" Always]
            "Incoming values of a phi have its type, one for each predecessor."
            "Creation of the pipeline fails: `Failed to materializeAll.` (`Invalid phi record`)."
            "loaders.md: phi with mismatched pointer types (Metal.jl#488)";
        GepType ["M0305" Always]
            "The type in a getelementptr record is the pointee of its base."
            "Creation of the pipeline fails: `Failed to materializeAll.` (`Explicit gep type does not match pointee type`)."
            "loaders.md (id 58709165959)";
        Poison ["M0306" Old]
            "`poison` is not supported."
            "The library loads, then creation of every pipeline fails."
            "loaders.md, rules for old readers (1)";
        FNeg ["M0307" Old]
            "Negation is `fsub -0.0, x`, not `fneg`."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md, rules for old readers (2)";
        PhiFlags ["M0308" Old]
            "A phi has no fast-math flags."
            "Creation of the pipeline fails: the record has an operand that the reader does not expect."
            "loaders.md, rules for old readers (3)";
        Freeze ["M0309" Old]
            "`freeze` is not supported."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md, rules for old readers (4)";
        RecentIntrinsic ["M0310" Old]
            "LLVM's minimum, maximum, absolute value, funnel shifts and saturating arithmetic are not called."
            "Creation of the pipeline fails."
            "loaders.md, rules for old readers (4)";
        RecentAttribute ["M0311" Old]
            "Attributes are those of LLVM 5: no `mustprogress`, `nofree`, `nosync`, `willreturn`, `noundef`, `nocallback`."
            "The compiler service is terminated: `LLVM ERROR: Unknown attribute kind` in its crash report."
            "loaders.md, rules for old readers (5)";
        UnknownAttribute ["M0312" Always]
            "Attributes and flags are at most as recent as LLVM 14."
            "Creation of the pipeline fails: `Failed to materializeAll.`, or the compiler service is terminated: `LLVM ERROR: Unknown attribute kind`."
            "loaders.md: attributes or flags newer than LLVM 15; unknown attribute kind (iOS 16.3)";
        BFloat ["M0313" Old]
            "The type `bfloat` is not supported."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md, rules that others follow: the LLVM 14 dialect from AIR 2.6 on";
        Double ["M0314" Always]
            "The type `double` is not supported."
            "The compiler service is terminated, or the back end cannot select the code."
            "bitcode.md section 2 (zig-metallib, Metal.jl)";
        IntegerWidth ["M0315" Always]
            "Integers have 1, 8, 16, 32 or 64 bits."
            "The compiler service is terminated, or the back end cannot select the code."
            "bitcode.md section 2 (zig-metallib, Metal.jl)";
        ForeignInstruction ["M0316" Always]
            "There are no `fence`, `cmpxchg`, `atomicrmw`, `invoke` and other instructions that Apple's compiler does not emit."
            "The compiler service is terminated: `Compiler encountered an internal error`; LLVM's atomic operations fail on AMD GPUs."
            "loaders.md: `fence`; DXMT's history: no LLVM atomics on AMD (39cd387)";
        BoolBitcast ["M0317" Always]
            "A vector of `i1` is not reinterpreted as an integer or the reverse."
            "The compiler service is terminated: `Compiler encountered an internal error`."
            "loaders.md: `bitcast <N x i1>` to iN";
        CrashingIntrinsic ["M0318" Always]
            "LLVM's mathematical functions that the back end does not know are not called; `air.*` functions replace them."
            "The compiler service is terminated: `Compiler encountered an internal error`, XPC_ERROR_CONNECTION_INTERRUPTED."
            "loaders.md: `llvm.sin/cos/pow/minimum/vector.reduce`";
        MissingIntrinsic ["M0319" Always]
            "`llvm.exp10` and `llvm.ldexp` are not called."
            "Creation of the pipeline fails: `Undefined symbols`."
            "loaders.md: `llvm.exp10/ldexp`";
        OverflowIntrinsic ["M0320" Always]
            "Arithmetic with an overflow bit is not called."
            "The crash report of the compiler service has `unable to legalize instruction: (s32),(s1) = 145`."
            "loaders.md: MoltenVK#2363 (M3, macOS 15)";
        Trap ["M0321" Always]
            "`llvm.trap` and `llvm.debugtrap` are not called."
            "A kernel that reaches it leaves the GPU unusable until the system restarts (Apple GPUs, macOS 15 and later)."
            "loaders.md: `llvm.trap` reached (GPUCompiler 3b49441, Metal.jl#433)";
        Recursion ["M0322" Always]
            "No function calls itself, directly or by others."
            "The compiler service does not return or is terminated."
            "Metal Shading Language specification, section 1.5.4";
        DebugCall ["M0323" Always]
            "Debug intrinsics have the operands of LLVM 5."
            "Readers abort on other operands, or drop the call."
            "bitcode.md (LLVM 5, docs/SourceLevelDebugging)";
    }
    "Functions of AIR" {
        Signature ["M0401" Always]
            "An `air.*` function is declared with its signature in the AIR version of the module."
            "The compiler service is terminated: `Compiler encountered an internal error`, XPC_ERROR_CONNECTION_INTERRUPTED."
            "loaders.md: intrinsic with the signature of another AIR version (Metal.jl d323aa9; zig-metallib)";
        FunctionVersion ["M0402" Always]
            "An `air.*` function exists in the AIR version of the module."
            "Creation of the pipeline fails: `Undefined symbols: @air.xxx`."
            "loaders.md: an air.* name that the OS lacks";
        UnavailableFunction ["M0403" Always]
            "Functions that Apple's compiler offers to Apple alone, such as `air.simdgroup_async_copy_2d`, are not called."
            "Linking fails: `Undefined symbols: @air.simdgroup_async_copy_2d`; which systems have them is not documented."
            "loaders.md: philipturner/metal-flash-attention#4";
        MatrixPointee ["M0404" Always]
            "The pointee of a simdgroup matrix load or store is the type in the function's name."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md: simdgroup pointer whose pointee disagrees with the suffix";
        HandleType ["M0405" Always]
            "A texture or sampler is a pointer to the opaque struct of its kind, such as `%struct._texture_2d_t`."
            "The compiler service is terminated: back ends find textures by the name of the struct."
            "loaders.md: pointee `{}` or not the named struct (SimonDanisch/Metal.jl texture.jl)";
        DeclaredEffect ["M0406" Always]
            "The declaration of an `air.*` function promises no more about memory than the function keeps."
            "The optimiser moves or drops the call: wrong results without an error."
            "LLVM language reference, function attributes";
        BrokenPromise ["M0407" Always]
            "The body of a function keeps the promises of its memory attributes."
            "The optimiser moves or drops accesses: wrong results without an error."
            "LLVM language reference, function attributes";
    }
    "Memory and address spaces" {
        GlobalSpace ["M0501" Always]
            "Constants are in address space 2, variables in address space 3."
            "Creation of the pipeline fails: `Undefined symbols: ___anon_N`."
            "loaders.md: constant global outside AS 2 (GPUCompiler a849e8a, Metal.jl#480; zig-metallib)";
        SharedInitializer ["M0502" Always]
            "A variable in threadgroup memory has no initial value."
            "Its contents are undefined when a kernel starts."
            "types.md section 6";
        ArgumentSpace ["M0503" Always]
            "Address spaces 4 and 5 hold imageblocks and ray data only, not other arguments."
            "The compiler service is terminated: `Compiler encountered an internal error`."
            "loaders.md: address spaces 4/5 used for params/locals";
        GenericCast ["M0504" Always]
            "Pointers keep their address space: generic pointers are not supported."
            "The compiler service is terminated, or accesses go to other memory."
            "types.md section 4";
        NullStore ["M0505" Always]
            "No store is through a null pointer, reached or not."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md: store through a constant null device pointer (id 58590571378)";
        ByteGep ["M0506" Always]
            "The address of a byte inside of a threadgroup variable of type `[N x i8]` is not reinterpreted as that of a larger value."
            "Creation of the pipeline fails: `Failed to materializeAll.`"
            "loaders.md: byte GEP into the middle of an `[N x i8]` threadgroup global (id 53245758739)";
        ByteChain ["M0507" Always]
            "The address of a one-byte access is not computed by two byte offsets in succession that may leave the object (without `inbounds`)."
            "With exactly two threadgroups the access goes to a wrong address."
            "loaders.md: GEP chain (GPUCompiler df59387, Metal.jl 59e377f0)";
        WideAggregate ["M0508" Always]
            "A struct or array of more than 64 bytes that is loaded as a whole is used once."
            "The compiler service is terminated: `Compiler encountered an internal error`."
            "loaders.md: wide aggregate loads used several times (GPUCompiler 7b270bd)";
        PrivateToDevice ["M0509" Always]
            "No store is through an alloca whose pointer was cast to another address space."
            "The store is lost: zeros at run time without an error."
            "loaders.md: store through `addrspacecast` alloca->device (SimonDanisch/Metal.jl)";
        VisibleHelper ["M0510" Always]
            "Functions other than entry points are internal."
            "Linked functions fail: `symbol multiply defined`, if another module has the same helper."
            "loaders.md: external helper in two linked modules (SimonDanisch/Metal.jl)";
        ThreadgroupMemory ["M0511" Always]
            "A variable in threadgroup memory has at most 32,768 bytes."
            "Creation of the pipeline fails: `Threadgroup memory size (N) exceeds the maximum threadgroup memory allowed (32768)`."
            "loaders.md, limits";
    }
    "Arguments and results" {
        ArgumentName ["M0601" MACOS_14]
            "Every argument has `air.arg_type_name` and `air.arg_name`."
            "The compiler service is terminated: `Compiler encountered an internal error`."
            "loaders.md: missing `air.arg_type_name`/`air.arg_name` since macOS 14 (GPUCompiler e273d71)";
        SamplerState ["M0602" Always]
            "Every constant sampler is in `!air.sampler_states`."
            "The compiler service is terminated: `Compiler encountered an internal error`."
            "loaders.md: a constant sampler missing in `!air.sampler_states`";
        RenderTarget ["M0603" Since::From(AirVersion::new(2, 0))]
            "`air.render_target` of a result has two numbers: attachment and blend source."
            "Creation of the pipeline fails: `Internal compiler error (AGXMetalG17G, code 3)`."
            "loaders.md: fragment output `air.render_target` with one int (SimonDanisch/Metal.jl graphics.jl)";
        RoleType ["M0604" Always]
            "The role of an argument fits its type: textures and samplers are not described as buffers."
            "Creation of the pipeline fails: `Internal compiler error (AGXMetalG17G, code 3)`."
            "loaders.md: texture argument described as `air.buffer` (SimonDanisch/Metal.jl graphics.jl)";
        Access ["M0605" Always]
            "A buffer marked `air.read` is not written, and a buffer in constant memory is marked `air.read`."
            "Metal's validation layer checks bindings against the mark: it complains about read-only bytes, or misses a write."
            "loaders.md: mark never-written arguments `air.read` (GPUCompiler e107287)";
        BufferLimit ["M0606" Always]
            "Indices of buffers are below 31."
            "Creation of the pipeline fails; `[[buffer(n)]]` above 30 is an error of Apple's compiler."
            "loaders.md, limits (module flags `air.max_device_buffers`, `air.max_constant_buffers`)";
        TextureLimit ["M0607" Always]
            "Indices of textures are below 128."
            "Creation of the pipeline fails; `[[texture(n)]]` above 127 is an error of Apple's compiler."
            "loaders.md, limits (module flag `air.max_textures`)";
        SamplerLimit ["M0608" Always]
            "Indices of samplers are below 16."
            "Creation of the pipeline fails; `[[sampler(n)]]` above 15 is an error of Apple's compiler."
            "loaders.md, limits (module flag `air.max_samplers`)";
        WritableTextureLimit ["M0609" Always]
            "At most 8 textures are both read and written."
            "Creation of the pipeline fails; more are an error of Apple's compiler."
            "loaders.md, limits (module flag `air.max_read_write_textures`)";
        EntryNode ["M0610" Always]
            "The node of an entry point describes every argument and every result of the function once."
            "The compiler service is terminated, or binds arguments to other indices."
            "metadata.md section 1";
        VisibleReturn ["M0611" Always]
            "A visible function returns a bare value, not a packed struct."
            "Callers get zeros, without an error."
            "loaders.md: visible function returning `<{T}>` (SimonDanisch/Metal.jl)";
        UnmarkedInput warn ["M0612" Old]
            "An input of a fragment function that is not used is left out, or marked `air.arg_unused`."
            "Creation of the pipeline fails."
            "loaders.md, rules for old readers (6)";
        UndefinedOutput ["M0613" Always]
            "No result of a vertex or fragment function is undefined."
            "The next stage reads undefined values; with declared varyings left out, Counter-Strike 2 hung the GPU."
            "loaders.md, DXMT's history (17e30e0)";
        ConstantIndex ["M0614" Always]
            "Indices of function constants are below 65,536."
            "The container has 16 bits for an index: the constant cannot be set."
            "loaders.md, limits";
        Position warn ["M0615" Always]
            "A vertex function with results for the next stage has a position."
            "Creation of the pipeline fails when rasterization is enabled."
            "metadata.md section 2.1";
    }
    "Object and mesh functions" {
        MeshSize ["M0701" Always]
            "The mesh of one threadgroup, vertices and primitives, has at most 32,768 bytes."
            "The pipeline is created, and meshes are lost or the GPU faults; the limit is not documented."
            "loaders.md, DXMT's history (c889afd, 256e5cd)";
        Payload ["M0702" Always]
            "A payload has at most 16,384 bytes."
            "Creation of the pipeline fails."
            "loaders.md, DXMT's history and limits";
        MeshCounts ["M0703" Always]
            "A mesh has at most 256 vertices and 512 primitives."
            "Creation of the pipeline fails; indices have 8 bits."
            "loaders.md, DXMT's history (c528813) and limits";
    }
    "Pairs of functions" {
        UnwrittenInput ["M0801" Always]
            "Every input of a fragment function is a result of the function before it, under the same name."
            "Creation of the pipeline fails: `mismatching vertex shader output type(s) or not written by vertex shader`; some drivers read zeros without an error."
            "loaders.md: varying strings differ (SimonDanisch/Metal.jl); MoltenVK#1606";
        InputType ["M0802" Always]
            "An input of a fragment function has the type of the result that it reads."
            "Creation of the pipeline fails: `Link failed: The type of fragment input user(X) does not match the type of the corresponding vertex shader output`."
            "loaders.md: varying types differ (keijiro/FaceMeshBarracuda#8)";
        PayloadType ["M0803" Always]
            "The payload of a mesh function has the size of that of the object function before it."
            "Creation of the pipeline fails, or the mesh function reads other data."
            "metadata.md section 4.8";
        MultiplyDefined ["M0804" Always]
            "Two functions that are linked do not both define a symbol that is visible to others."
            "Creation of the pipeline fails: `symbol multiply defined`."
            "loaders.md: external helper in two linked modules (SimonDanisch/Metal.jl)";
    }
}
