//! Modules built by hand that together hold every instruction, constant, attribute and metadata kind.
#![allow(dead_code)] // each test binary uses its own part

use airfoil_air::module::*;

pub const TRIPLE: &str = "air64-apple-macosx13.0.0";

/// Adds the version nodes and compile options every Apple module has.
pub fn add_common_metadata(m: &mut Module) {
    let parts: Vec<Value> = [14, 4].map(|v| m.i32(v)).to_vec();
    let pair = m.array(TypeId::I32, 2);
    let sdk = m.aggregate(pair, &parts);
    for (behaviour, name, value) in
        [(2, "SDK Version", None), (1, "wchar_size", Some(4)), (7, "air.max_textures", Some(128))]
    {
        let value = match value {
            Some(v) => m.md_i32(v),
            None => m.md_value(sdk),
        };
        let ops = [m.md_i32(behaviour), m.md_str(name), value];
        let node = m.md_node(&ops);
        m.add_named_md("llvm.module.flags", node);
    }
    let ident = [m.md_str("Airfoil")];
    let ident = m.md_node(&ident);
    m.add_named_md("llvm.ident", ident);
    let version = [m.md_i32(2), m.md_i32(5), m.md_i32(0)];
    let version = m.md_node(&version);
    m.add_named_md("air.version", version);
    let language = [m.md_str("Metal"), m.md_i32(3), m.md_i32(0), m.md_i32(0)];
    let language = m.md_node(&language);
    m.add_named_md("air.language_version", language);
    let option = [m.md_str("air.compile.fast_math_enable")];
    let option = m.md_node(&option);
    m.add_named_md("air.compile_options", option);
}

/// A node of a role and the two names that end every node.
pub fn role(m: &mut Module, before: &[Md], role: &str, after: &[Md], ty: &str, name: &str) -> Md {
    let mut ops = before.to_vec();
    ops.push(m.md_str(role));
    ops.extend_from_slice(after);
    for text in ["air.arg_type_name", ty, "air.arg_name", name] {
        ops.push(m.md_str(text));
    }
    m.md_node(&ops)
}

/// A fragment shader: texture sampled through a constexpr sampler, constant buffer, fast maths, and (to be of a
/// typical size) `repeat` times a dozen instructions.
pub fn fragment(repeat: usize) -> Module {
    let mut m = Module::new("frag.metal", TRIPLE);
    let float4 = m.vector(TypeId::FLOAT, 4);
    let float2 = m.vector(TypeId::FLOAT, 2);
    let int2 = m.vector(TypeId::I32, 2);
    let texture = m.opaque("struct._texture_2d_t");
    let texture = m.pointer(texture, 1);
    let sampler = m.opaque("struct._sampler_t");
    let sampler = m.pointer(sampler, 2);
    let matrix = m.array(float4, 4);
    let matrix = m.named_struct("struct.metal::matrix", &[matrix], false);
    let uniforms = m.named_struct("struct.Uniforms", &[matrix, float4], false);
    let uniforms_ptr = m.pointer(uniforms, 2);
    let ret = m.structure(&[float4, TypeId::FLOAT], true);

    let words = m.array(TypeId::I64, 2);
    let state = m.data(words, &[34901797601020489, 0]);
    let name = m.str("__air_sampler_state");
    let state = m.add_global(GlobalVar { constant: true, align: 8, ..GlobalVar::new(name, words, 2, state) });
    let state_sampler = m.const_cast(CastOp::BitCast, state, sampler);

    let f = m.define("frag", ret, &[float4, float2, texture, uniforms_ptr], Linkage::External);
    let fast = m.text_attr("no-nans-fp-math", "true");
    let builtins = m.text_attr("no-builtins", "");
    let alias = m.text_attr("air-buffer-no-alias", "");
    let entry_attrs = m.attr_set(&[
        (
            AttrIndex::FUNCTION,
            &[Attr::Flag(AttrKind::CONVERGENT), Attr::Flag(AttrKind::NO_UNWIND), fast, builtins],
        ),
        (AttrIndex::param(2), &[Attr::Flag(AttrKind::NO_CAPTURE), Attr::Flag(AttrKind::READ_ONLY)]),
        (
            AttrIndex::param(3),
            &[
                Attr::Flag(AttrKind::NO_CAPTURE),
                Attr::Int(AttrKind::ALIGN, 16),
                Attr::Int(AttrKind::DEREFERENCEABLE, 80),
                alias,
            ],
        ),
    ]);
    let function = m.function_mut(f).expect("function");
    function.attrs = entry_attrs;
    function.unnamed_addr = UnnamedAddr::Local;
    let sample_attrs = m.attr_set(&[(
        AttrIndex::FUNCTION,
        &[
            Attr::Flag(AttrKind::ARG_MEM_ONLY),
            Attr::Flag(AttrKind::CONVERGENT),
            Attr::Flag(AttrKind::NO_UNWIND),
            Attr::Flag(AttrKind::READ_ONLY),
        ],
    )]);
    let pure = m.attr_set(&[(
        AttrIndex::FUNCTION,
        &[Attr::Flag(AttrKind::NO_UNWIND), Attr::Flag(AttrKind::READ_NONE)],
    )]);
    let sampled = m.structure(&[float4, TypeId::I8], false);

    // Simple C++ TBAA and alias scopes.
    let root = [m.md_str("Simple C++ TBAA")];
    let root = m.md_node(&root);
    let zero = m.md_i64(0);
    let char_type = [m.md_str("omnipotent char"), root, zero];
    let char_type = m.md_node(&char_type);
    let access = m.md_node(&[char_type, char_type, zero]);
    let domain = [m.md_str("air-alias-scopes(frag)")];
    let domain = m.md_self_reference(&domain);
    let scope = [domain, m.md_str("air-alias-scope-arg(3)")];
    let scope = m.md_self_reference(&scope);
    let scopes = m.md_node(&[scope]);

    let mut b = m.build(f);
    let entry = b.block();
    b.start(entry);
    let sample = b.module.declare(
        "air.sample_texture_2d.v4f32",
        sampled,
        &[texture, sampler, float2, TypeId::I1, int2, TypeId::I1, TypeId::FLOAT, TypeId::FLOAT, TypeId::I32],
        sample_attrs,
    );
    let (yes, no) = (b.module.bool(true), b.module.bool(false));
    let offset = b.module.null(int2);
    let lod = b.module.float(0.0);
    let none = b.module.i32(0);
    let args = [b.arg(2), state_sampler, b.arg(1), yes, offset, no, lod, lod, none];
    let texel = b.call_with(sample, &args, CallOptions { attrs: sample_attrs, ..CallOptions::default() });
    let mut colour = b.extract_value(texel, &[0]);
    for i in 0..repeat {
        let (z, column) = (b.module.i64(0), b.module.i64(i as i64 % 4));
        let member = b.module.i32(0);
        let p = b.gep(b.arg(3), &[z, member, member, column]);
        let row = b.load(p, 16);
        b.attach(row, Attachment::TBAA, access);
        b.attach(row, Attachment::ALIAS_SCOPE, scopes);
        let lane = i as u32 % 4;
        let splat = b.shuffle(colour, colour, &[lane; 4]);
        let product = b.fmul(row, splat, FastMath::FAST);
        let sum = b.fadd(product, colour, FastMath::FAST);
        let x = b.extract_lane(sum, lane);
        let dot = b.module.declare("air.dot.v4f32", TypeId::FLOAT, &[float4, float4], pure);
        let options = CallOptions { flags: FastMath::FAST, attrs: pure, tail: true };
        let d = b.call_with(dot, &[sum, row], options);
        let limit = b.module.float(i as f32 + 0.1);
        let greater = b.fcmp(FCmp::Ogt, d, limit, FastMath::FAST);
        let chosen = b.select(greater, x, d);
        let negated = b.fneg(chosen, FastMath::FAST);
        colour = b.insert_lane(sum, negated, lane);
    }
    let depth = b.extract_lane(colour, 0);
    let undef = b.module.undef(ret);
    let result = b.insert_value(undef, colour, &[0]);
    let result = b.insert_value(result, depth, &[1]);
    b.ret(result);
    b.finish();

    add_common_metadata(&mut m);
    let i: Vec<Md> = (0..5).map(|i| m.md_i32(i)).collect();
    let target = role(&mut m, &[], "air.render_target", &[i[0], i[0]], "float4", "colour");
    let qualifier = [m.md_str("air.depth_qualifier"), m.md_str("air.any")];
    let depth = role(&mut m, &[], "air.depth", &qualifier, "float", "z");
    let outputs = m.md_node(&[target, depth]);
    let center = [m.md_str("air.center"), m.md_str("air.no_perspective")];
    let position = role(&mut m, &[i[0]], "air.position", &center, "float4", "position");
    let varying = [m.md_str("user(locn0)"), m.md_str("air.center"), m.md_str("air.perspective")];
    let uv = role(&mut m, &[i[1]], "air.fragment_input", &varying, "float2", "uv");
    let place = [m.md_str("air.location_index"), i[0], i[1], m.md_str("air.sample")];
    let tex = role(&mut m, &[i[2]], "air.texture", &place, "texture2d<float, sample>", "tex");
    let place = [m.md_str("air.location_index"), i[0], i[1], m.md_str("air.read")];
    let buffer = role(&mut m, &[i[3]], "air.buffer", &place, "Uniforms", "uniforms");
    let inputs = m.md_node(&[position, uv, tex, buffer]);
    let entry = m.md_value(f);
    let entry = m.md_node(&[entry, outputs, inputs]);
    m.add_named_md("air.fragment", entry);
    let sampler_state = [m.md_str("air.sampler_state"), m.md_value(state)];
    let sampler_state = m.md_node(&sampler_state);
    m.add_named_md("air.sampler_states", sampler_state);
    m
}

/// A kernel with control flow, threadgroup memory, a helper, a function constant and its initialiser.
pub fn kernel() -> Module {
    let mut m = Module::new("kernel.metal", TRIPLE);
    let device_float = m.pointer(TypeId::FLOAT, 1);
    // @llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }]
    let void_fn = m.function_type(TypeId::VOID, &[]);
    let void_fn = m.pointer(void_fn, 0);
    let i8_ptr = m.pointer(TypeId::I8, 0);
    let ctor = m.structure(&[TypeId::I32, void_fn, i8_ptr], false);
    let ctors = m.array(ctor, 1);
    let init = m.define("_GLOBAL__sub_I_kernel.metal", TypeId::VOID, &[], Linkage::Internal);
    let static_init = m.str("air.static_init");
    m.function_mut(init).expect("function").section = Some(static_init);
    let (priority, null) = (m.i32(65535), m.null(i8_ptr));
    let entry = m.aggregate(ctor, &[priority, init, null]);
    let list = m.aggregate(ctors, &[entry]);
    let name = m.str("llvm.global_ctors");
    m.add_global(GlobalVar { linkage: Linkage::Appending, ..GlobalVar::new(name, ctors, 0, list) });
    let undef = m.undef(TypeId::FLOAT);
    let name = m.str("_ZL3foo");
    let unnamed_addr = UnnamedAddr::Global;
    let storage =
        m.add_global(GlobalVar { align: 4, unnamed_addr, ..GlobalVar::new(name, TypeId::FLOAT, 2, undef) });
    let name = m.str("_Z3foo.MTL_FC_INIT_0_f");
    let section = m.str("air.fc_initializer");
    let constant = m.add_global(GlobalVar {
        constant: true,
        externally_initialized: true,
        section: Some(section),
        align: 4,
        unnamed_addr,
        ..GlobalVar::new(name, TypeId::FLOAT, 2, undef)
    });
    let shared_ty = m.array(TypeId::FLOAT, 64);
    let undef = m.undef(shared_ty);
    let name = m.str("shared memory");
    let shared = m.add_global(GlobalVar { align: 4, ..GlobalVar::new(name, shared_ty, 3, undef) });
    let table_ty = m.array(TypeId::HALF, 3);
    let table = m.data(table_ty, &[0x3c00, 0x7e00, 0x8000]);
    let name = m.str("table");
    m.add_global(GlobalVar { constant: true, unnamed_addr, ..GlobalVar::new(name, table_ty, 2, table) });

    let mut b = m.build(init);
    let block = b.block();
    b.start(block);
    let value = b.load(constant, 4);
    b.store(value, storage, 4);
    b.ret_void();
    b.finish();

    // i32 clamp(i32, i1): helper with a switch.
    let helper = m.define("helper", TypeId::I32, &[TypeId::I32, TypeId::I1], Linkage::Internal);
    m.function_mut(helper).expect("function").fastcc = true;
    let helper_attrs = m.attr_set(&[
        (AttrIndex::RETURN, &[Attr::Flag(AttrKind::ZERO_EXT)]),
        (AttrIndex::FUNCTION, &[Attr::Flag(AttrKind::NO_UNWIND)]),
    ]);
    m.function_mut(helper).expect("function").attrs = helper_attrs;
    let mut b = m.build(helper);
    let [entry, one, two, other] = [0; 4].map(|_| b.block());
    b.start(entry);
    let cases = [(b.module.i32(1), one), (b.module.i32(-2), two)];
    b.switch(b.arg(0), other, &cases);
    b.start(one);
    let wide = b.zext(b.arg(1), TypeId::I32);
    b.ret(wide);
    b.start(two);
    b.unreachable();
    b.start(other);
    let flags = IntFlags(IntFlags::NUW.0 | IntFlags::NSW.0);
    let seven = b.module.i32(7);
    let mut x = b.binary(BinOp::Add, b.arg(0), seven, flags);
    x = b.binary(BinOp::Sub, x, seven, IntFlags::NSW);
    x = b.binary(BinOp::Mul, x, seven, IntFlags::NUW);
    x = b.binary(BinOp::UDiv, x, seven, IntFlags::EXACT);
    x = b.sdiv(x, seven);
    x = b.urem(x, seven);
    x = b.srem(x, seven);
    x = b.shl(x, seven);
    x = b.binary(BinOp::LShr, x, seven, IntFlags::EXACT);
    x = b.ashr(x, seven);
    x = b.and(x, seven);
    x = b.or(x, seven);
    x = b.xor(x, seven);
    b.ret(x);
    b.finish();

    let k = m.define("kernel", TypeId::VOID, &[device_float, TypeId::I32], Linkage::External);
    let barrier_attrs = m.attr_set(&[(
        AttrIndex::FUNCTION,
        &[Attr::Flag(AttrKind::CONVERGENT), Attr::Flag(AttrKind::NO_UNWIND)],
    )]);
    let mut b = m.build(k);
    let [entry, body, done] = [0; 3].map(|_| b.block());
    b.start(entry);
    let local = b.alloca(shared_ty, 4);
    let wide = b.zext(b.arg(1), TypeId::I64);
    let p = b.gep(b.arg(0), &[wide]);
    let first = b.load_with(p, 4, true);
    let i8_range = [b.module.int(TypeId::I8, 0), b.module.int(TypeId::I8, 2)].map(|v| b.module.md_value(v));
    let range = b.module.md_node(&i8_range);
    b.br(body);
    b.start(body);
    let i = b.phi(TypeId::I32);
    let sum = b.phi(TypeId::FLOAT);
    let zero = b.module.i32(0);
    let s = b.gep(shared, &[zero, i]);
    b.store(sum, s, 4);
    let l = b.gep_with(local, &[zero, i], false);
    b.store_with(sum, l, 4, true);
    let barrier =
        b.module.declare("air.wg.barrier", TypeId::VOID, &[TypeId::I32, TypeId::I32], barrier_attrs);
    let (two, one) = (b.module.i32(2), b.module.i32(1));
    b.call_with(barrier, &[two, one], CallOptions { attrs: barrier_attrs, ..CallOptions::default() });
    let again = b.load(s, 4);
    let next_sum = b.fadd(sum, again, FastMath::NNAN.with(FastMath::CONTRACT).with(FastMath::AFN));
    let yes = b.module.bool(true);
    let helped = b.call(helper, &[i, yes]);
    let next = b.binary(BinOp::Add, i, one, IntFlags::NSW);
    let limit = b.module.i32(64);
    let more = b.icmp(ICmp::Slt, next, limit);
    b.cond_br(more, body, done);
    let loop_id = b.module.md_self_reference(&[]);
    b.attach_last(Attachment::LOOP, loop_id);
    b.set_incoming(i, &[(zero, entry), (next, body)]);
    b.set_incoming(sum, &[(first, entry), (next_sum, body)]);
    b.start(done);
    casts(&mut b, helped, next_sum, range);
    vectors(&mut b, next_sum);
    b.store(next_sum, p, 4);
    b.ret_void();
    b.finish();

    add_common_metadata(&mut m);
    let i: Vec<Md> = (0..3).map(|i| m.md_i32(i)).collect();
    let outputs = m.md_node(&[]);
    let place = [m.md_str("air.location_index"), i[0], i[1], m.md_str("air.read_write")];
    let buffer = role(&mut m, &[i[0]], "air.buffer", &place, "float", "a");
    let id = role(&mut m, &[i[1]], "air.thread_position_in_grid", &[], "uint", "odd \"name\"\\é");
    let inputs = m.md_node(&[buffer, id]);
    let function = m.md_value(k);
    let entry = m.md_node(&[function, outputs, inputs]);
    m.add_named_md("air.kernel", entry);
    let required = m.bool(true);
    let constant =
        [m.md_value(constant), m.md_str("float"), m.md_str("foo"), i[0], m.md_value(required), Md::NULL];
    let constant = m.md_node(&constant);
    m.add_named_md("air.function_constants", constant);
    let distinct = [m.md_str("lonely")];
    let distinct = m.md_distinct(&distinct);
    m.add_named_md("test.distinct", distinct);
    m
}

/// Every cast, every comparison.
fn casts(b: &mut Builder<'_>, int: Value, float: Value, range: Md) {
    let long = b.sext(int, TypeId::I64);
    let byte = b.trunc(long, TypeId::I8);
    let half = b.fptrunc(float, TypeId::HALF);
    b.fpext(half, TypeId::FLOAT);
    b.fptoui(float, TypeId::I32);
    b.fptosi(float, TypeId::I16);
    b.uitofp(byte, TypeId::FLOAT);
    b.sitofp(byte, TypeId::HALF);
    b.bitcast(float, TypeId::I32);
    let constant_byte = b.module.pointer(TypeId::I8, 2);
    let pointer = b.inttoptr(long, constant_byte);
    b.ptrtoint(pointer, TypeId::I64);
    let device_byte = b.module.pointer(TypeId::I8, 1);
    b.addrspacecast(pointer, device_byte);
    let loaded = b.load(pointer, 1);
    b.attach(loaded, Attachment::RANGE, range);
    use ICmp::*;
    for predicate in [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle] {
        b.icmp(predicate, int, int);
    }
    use FCmp as F;
    for predicate in [
        F::False,
        F::Oeq,
        F::Ogt,
        F::Oge,
        F::Olt,
        F::Ole,
        F::One,
        F::Ord,
        F::Uno,
        F::Ueq,
        F::Ugt,
        F::Uge,
        F::Ult,
        F::Ule,
        F::Une,
        F::True,
    ] {
        b.fcmp(predicate, float, float, FastMath::NONE);
    }
}

/// Vector and aggregate operations, and constants of every kind.
fn vectors(b: &mut Builder<'_>, float: Value) {
    let float3 = b.module.vector(TypeId::FLOAT, 3);
    let undef = b.module.undef(float3);
    let one = b.module.i32(1);
    let mut v = b.insert_element(undef, float, one);
    v = b.insert_lane(v, float, 0);
    let odd = [1.0f32, 0.1, f32::INFINITY].map(|x| u64::from(x.to_bits()));
    let odd = b.module.data(float3, &odd);
    v = b.fdiv(v, odd, FastMath::ARCP);
    v = b.frem(v, odd, FastMath::FAST);
    v = b.fsub(v, odd, FastMath::NINF.with(FastMath::NSZ));
    v = b.fneg(v, FastMath::NONE);
    let wide = b.shuffle(v, v, &[Some(0), None, Some(4), Some(5)]);
    b.extract_element(wide, one);
    let bool3 = b.module.vector(TypeId::I1, 3);
    let mask = b.module.data(bool3, &[1, 0, 1]);
    let equal = b.fcmp(FCmp::Oeq, v, odd, FastMath::NNAN);
    let both = b.and(equal, mask);
    b.select(both, v, odd);
    let half2 = b.module.vector(TypeId::HALF, 2);
    let halves = b.module.data(half2, &[0x3c00, 0xfc00]);
    b.fadd(halves, halves, FastMath::NONE);
    let inner = b.module.array(TypeId::I16, 2);
    let nested = b.module.structure(&[TypeId::I8, inner], false);
    let (byte, array) = (b.module.int(TypeId::I8, 200), b.module.data(inner, &[0xffff, 1]));
    let constant = b.module.aggregate(nested, &[byte, array]);
    let short = b.extract_value(constant, &[1, 0]);
    b.insert_value(constant, short, &[1, 1]);
    let long = b.module.i64(i64::MIN);
    b.add(long, long);
    let global = b.module.symbol("shared memory").expect("declared above");
    let (zero, two) = (b.module.i32(0), b.module.i32(2));
    let element = b.module.const_gep(global, &[zero, two]);
    b.load(element, 4);
    let nan = b.module.float_bits(TypeId::FLOAT, 0x7fc0_0001);
    b.fadd(nan, nan, FastMath::NONE);
}
