//! The table of `air.*` functions: one row per function.
//!
//! A row reads `variant "name" "signature" effect since;`, where `since` is the first version of AIR: major and minor number.
//!
//! The name has placeholders for its variable words:
//!
//! | placeholder | word |
//! |---|---|
//! | `{F}` | a float type such as `v4f32` |
//! | `{I}` | an integer type |
//! | `{sI}` | an integer type after its sign, such as `u.i32` |
//! | `{T}` | any type |
//! | `{sT}` | any type, integers after their sign |
//! | `{kT}` `{kU}` | any type after `f.`, `s.` or `u.` |
//! | `{tex}` | the kind of texture |
//! | `{mode}` | rounding and saturation of a conversion |
//! | `{A}` `{B}` | address spaces |
//!
//! Types of the signature: `T` and `U` are the types of the name, `E` the component of `T`, `4T` four components of it, `J` 32-bit
//! integers as many as `T` has components, `*T:1` a pointer in address space 1. Texture functions have operands that only
//! some kinds have, which end with `?`. `[2.8]` marks what needs at least that version of AIR; ` | ` separates
//! alternatives.

use super::{CallEffect, FunctionInfo};
use crate::target::AirVersion;

macro_rules! air_functions {
    ($($name:ident $text:literal $signature:literal $effect:ident $major:literal $minor:literal;)*) => {
        /// An `air.*` function, up to the variable words of its name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(non_camel_case_types)]
        #[repr(u16)]
        pub enum Air {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Air {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Air] = &[$(Air::$name),*];

            /// The row of the table.
            pub fn info(self) -> &'static FunctionInfo {
                static ROWS: &[FunctionInfo] = &[$(FunctionInfo {
                    name: $text,
                    signature: $signature,
                    effect: CallEffect::$effect,
                    since: AirVersion::new($major, $minor),
                }),*];
                &ROWS[self as usize]
            }
        }
    };
}

#[rustfmt::skip]
air_functions! {

    // Functions of floats. `fast_` variants may be less precise and exist for 32 bits only.
    acos "air.acos.{F}" "T(T)" Pure 1 0;
    fast_acos "air.fast_acos.{F}" "T(T)" Pure 1 0;
    acosh "air.acosh.{F}" "T(T)" Pure 1 0;
    fast_acosh "air.fast_acosh.{F}" "T(T)" Pure 1 0;
    acospi "air.acospi.{F}" "T(T)" Pure 1 0;
    asin "air.asin.{F}" "T(T)" Pure 1 0;
    fast_asin "air.fast_asin.{F}" "T(T)" Pure 1 0;
    asinh "air.asinh.{F}" "T(T)" Pure 1 0;
    fast_asinh "air.fast_asinh.{F}" "T(T)" Pure 1 0;
    asinpi "air.asinpi.{F}" "T(T)" Pure 1 0;
    atan "air.atan.{F}" "T(T)" Pure 1 0;
    fast_atan "air.fast_atan.{F}" "T(T)" Pure 1 0;
    atanh "air.atanh.{F}" "T(T)" Pure 1 0;
    fast_atanh "air.fast_atanh.{F}" "T(T)" Pure 1 0;
    atanpi "air.atanpi.{F}" "T(T)" Pure 1 0;
    cbrt "air.cbrt.{F}" "T(T)" Pure 1 0;
    ceil "air.ceil.{F}" "T(T)" Pure 1 0;
    fast_ceil "air.fast_ceil.{F}" "T(T)" Pure 1 0;
    cos "air.cos.{F}" "T(T)" Pure 1 0;
    fast_cos "air.fast_cos.{F}" "T(T)" Pure 1 0;
    cosh "air.cosh.{F}" "T(T)" Pure 1 0;
    fast_cosh "air.fast_cosh.{F}" "T(T)" Pure 1 0;
    cospi "air.cospi.{F}" "T(T)" Pure 1 0;
    fast_cospi "air.fast_cospi.{F}" "T(T)" Pure 1 0;
    exp "air.exp.{F}" "T(T)" Pure 1 0;
    fast_exp "air.fast_exp.{F}" "T(T)" Pure 1 0;
    exp10 "air.exp10.{F}" "T(T)" Pure 1 0;
    fast_exp10 "air.fast_exp10.{F}" "T(T)" Pure 1 0;
    exp2 "air.exp2.{F}" "T(T)" Pure 1 0;
    fast_exp2 "air.fast_exp2.{F}" "T(T)" Pure 1 0;
    expm1 "air.expm1.{F}" "T(T)" Pure 1 0;
    fabs "air.fabs.{F}" "T(T)" Pure 1 0;
    fast_fabs "air.fast_fabs.{F}" "T(T)" Pure 1 0;
    floor "air.floor.{F}" "T(T)" Pure 1 0;
    fast_floor "air.fast_floor.{F}" "T(T)" Pure 1 0;
    fract "air.fract.{F}" "T(T)" Pure 1 0;
    fast_fract "air.fast_fract.{F}" "T(T)" Pure 1 0;
    log "air.log.{F}" "T(T)" Pure 1 0;
    fast_log "air.fast_log.{F}" "T(T)" Pure 1 0;
    log10 "air.log10.{F}" "T(T)" Pure 1 0;
    fast_log10 "air.fast_log10.{F}" "T(T)" Pure 1 0;
    log1p "air.log1p.{F}" "T(T)" Pure 1 0;
    log2 "air.log2.{F}" "T(T)" Pure 1 0;
    fast_log2 "air.fast_log2.{F}" "T(T)" Pure 1 0;
    rint "air.rint.{F}" "T(T)" Pure 1 0;
    fast_rint "air.fast_rint.{F}" "T(T)" Pure 1 0;
    round "air.round.{F}" "T(T)" Pure 1 0;
    fast_round "air.fast_round.{F}" "T(T)" Pure 1 0;
    rsqrt "air.rsqrt.{F}" "T(T)" Pure 1 0;
    fast_rsqrt "air.fast_rsqrt.{F}" "T(T)" Pure 1 0;
    saturate "air.saturate.{F}" "T(T)" Pure 1 0;
    fast_saturate "air.fast_saturate.{F}" "T(T)" Pure 1 0;
    sign "air.sign.{F}" "T(T)" Pure 1 0;
    sin "air.sin.{F}" "T(T)" Pure 1 0;
    fast_sin "air.fast_sin.{F}" "T(T)" Pure 1 0;
    sinh "air.sinh.{F}" "T(T)" Pure 1 0;
    fast_sinh "air.fast_sinh.{F}" "T(T)" Pure 1 0;
    sinpi "air.sinpi.{F}" "T(T)" Pure 1 0;
    fast_sinpi "air.fast_sinpi.{F}" "T(T)" Pure 1 0;
    sqrt "air.sqrt.{F}" "T(T)" Pure 1 0;
    fast_sqrt "air.fast_sqrt.{F}" "T(T)" Pure 1 0;
    tan "air.tan.{F}" "T(T)" Pure 1 0;
    fast_tan "air.fast_tan.{F}" "T(T)" Pure 1 0;
    tanh "air.tanh.{F}" "T(T)" Pure 1 0;
    fast_tanh "air.fast_tanh.{F}" "T(T)" Pure 1 0;
    tanpi "air.tanpi.{F}" "T(T)" Pure 1 0;
    fast_tanpi "air.fast_tanpi.{F}" "T(T)" Pure 1 0;
    trunc "air.trunc.{F}" "T(T)" Pure 1 0;
    fast_trunc "air.fast_trunc.{F}" "T(T)" Pure 1 0;
    atan2 "air.atan2.{F}" "T(T, T)" Pure 1 0;
    fast_atan2 "air.fast_atan2.{F}" "T(T, T)" Pure 1 0;
    copysign "air.copysign.{F}" "T(T, T)" Pure 1 0;
    fdim "air.fdim.{F}" "T(T, T)" Pure 1 0;
    fmax "air.fmax.{F}" "T(T, T)" Pure 1 0;
    fast_fmax "air.fast_fmax.{F}" "T(T, T)" Pure 1 0;
    fmin "air.fmin.{F}" "T(T, T)" Pure 1 0;
    fast_fmin "air.fast_fmin.{F}" "T(T, T)" Pure 1 0;
    fmod "air.fmod.{F}" "T(T, T)" Pure 1 0;
    fast_fmod "air.fast_fmod.{F}" "T(T, T)" Pure 1 0;
    hypot "air.hypot.{F}" "T(T, T)" Pure 1 0;
    nextafter "air.nextafter.{F}" "T(T, T)" Pure 1 0;
    pow "air.pow.{F}" "T(T, T)" Pure 1 0;
    fast_pow "air.fast_pow.{F}" "T(T, T)" Pure 1 0;
    powr "air.powr.{F}" "T(T, T)" Pure 1 0;
    fast_powr "air.fast_powr.{F}" "T(T, T)" Pure 1 0;
    remainder "air.remainder.{F}" "T(T, T)" Pure 1 0;
    step "air.step.{F}" "T(T, T)" Pure 1 0;
    clamp "air.clamp.{F}" "T(T, T, T)" Pure 1 0;
    fast_clamp "air.fast_clamp.{F}" "T(T, T, T)" Pure 1 0;
    fma "air.fma.{F}" "T(T, T, T)" Pure 1 0;
    fmax3 "air.fmax3.{F}" "T(T, T, T)" Pure 1 0;
    fast_fmax3 "air.fast_fmax3.{F}" "T(T, T, T)" Pure 1 0;
    fmedian3 "air.fmedian3.{F}" "T(T, T, T)" Pure 1 0;
    fast_fmedian3 "air.fast_fmedian3.{F}" "T(T, T, T)" Pure 1 0;
    fmin3 "air.fmin3.{F}" "T(T, T, T)" Pure 1 0;
    fast_fmin3 "air.fast_fmin3.{F}" "T(T, T, T)" Pure 1 0;
    mad "air.mad.{F}" "T(T, T, T)" Pure 1 0;
    mix "air.mix.{F}" "T(T, T, T)" Pure 1 0;
    smoothstep "air.smoothstep.{F}" "T(T, T, T)" Pure 1 0;
    ldexp "air.ldexp.{F}" "T(T, J)" Pure 1 0;
    fast_ldexp "air.fast_ldexp.{F}" "T(T, J)" Pure 1 0;
    pown "air.pown.{F}" "T(T, J)" Pure 1 0;
    rootn "air.rootn.{F}" "T(T, J)" Pure 1 0;
    ilogb "air.ilogb.{F}" "J(T)" Pure 1 0;
    dot "air.dot.{F}" "E(T, T)" Pure 1 0;
    sincos "air.sincos.{F}" "T(T, *T:0)" Pure 1 0;
    fast_sincos "air.fast_sincos.{F}" "T(T, *T:0)" Pure 1 0;

    // Functions of integers.
    abs "air.abs.{sI}" "T(T)" Pure 1 0;
    abs_diff "air.abs_diff.{sI}" "T(T, T)" Pure 1 0;
    add_sat "air.add_sat.{sI}" "T(T, T)" Pure 1 0;
    clamp_int "air.clamp.{sI}" "T(T, T, T)" Pure 1 0;
    extract_bits "air.extract_bits.{sI}" "T(T, i32, i32)" Pure 1 0;
    hadd "air.hadd.{sI}" "T(T, T)" Pure 1 0;
    insert_bits "air.insert_bits.{sI}" "T(T, T, i32, i32)" Pure 1 0;
    mad24 "air.mad24.{sI}" "T(T, T, T)" Pure 1 0;
    mad_hi "air.mad_hi.{sI}" "T(T, T, T)" Pure 1 0;
    mad_sat "air.mad_sat.{sI}" "T(T, T, T)" Pure 1 0;
    max "air.max.{sI}" "T(T, T)" Pure 1 0;
    max3 "air.max3.{sI}" "T(T, T, T)" Pure 1 0;
    median3 "air.median3.{sI}" "T(T, T, T)" Pure 1 0;
    min "air.min.{sI}" "T(T, T)" Pure 1 0;
    min3 "air.min3.{sI}" "T(T, T, T)" Pure 1 0;
    mul24 "air.mul24.{sI}" "T(T, T)" Pure 1 0;
    mul_hi "air.mul_hi.{sI}" "T(T, T)" Pure 1 0;
    rhadd "air.rhadd.{sI}" "T(T, T)" Pure 1 0;
    sub_sat "air.sub_sat.{sI}" "T(T, T)" Pure 1 0;
    clz "air.clz.{I}" "T(T, i1)" Pure 1 0;
    ctz "air.ctz.{I}" "T(T, i1)" Pure 1 0;
    popcount "air.popcount.{I}" "T(T)" Pure 1 0;
    reverse_bits "air.reverse_bits.{I}" "T(T)" Pure 1 0;
    rotate "air.rotate.{I}" "T(T, T)" Pure 1 0;
    all "air.all.{I}" "i1(T)" Pure 1 0;
    any "air.any.{I}" "i1(T)" Pure 1 0;

    // Conversions and packing.
    convert "air.convert.{kT}.{kU}{mode}" "T(U)" Pure 1 0;
    pack_snorm_rgb10a2 "air.pack.snorm.rgb10a2.{F}" "i32(T)" Pure 1 0;
    unpack_snorm_rgb10a2 "air.unpack.snorm.rgb10a2.{F}" "T(i32)" Pure 1 0;
    pack_snorm1x16 "air.pack.snorm1x16.{F}" "i16(T)" Pure 1 0;
    unpack_snorm1x16 "air.unpack.snorm1x16.{F}" "T(i16)" Pure 1 0;
    pack_snorm1x8 "air.pack.snorm1x8.{F}" "i8(T)" Pure 1 0;
    unpack_snorm1x8 "air.unpack.snorm1x8.{F}" "T(i8)" Pure 1 0;
    pack_snorm2x16 "air.pack.snorm2x16.{F}" "i32(T)" Pure 1 0;
    unpack_snorm2x16 "air.unpack.snorm2x16.{F}" "T(i32)" Pure 1 0;
    pack_snorm2x8 "air.pack.snorm2x8.{F}" "i16(T)" Pure 1 0;
    unpack_snorm2x8 "air.unpack.snorm2x8.{F}" "T(i16)" Pure 1 0;
    pack_snorm4x16 "air.pack.snorm4x16.{F}" "i64(T)" Pure 1 0;
    unpack_snorm4x16 "air.unpack.snorm4x16.{F}" "T(i64)" Pure 1 0;
    pack_snorm4x8 "air.pack.snorm4x8.{F}" "i32(T)" Pure 1 0;
    unpack_snorm4x8 "air.unpack.snorm4x8.{F}" "T(i32)" Pure 1 0;
    pack_unorm_rg11b10f "air.pack.unorm.rg11b10f.{F}" "i32(T)" Pure 1 0;
    unpack_unorm_rg11b10f "air.unpack.unorm.rg11b10f.{F}" "T(i32)" Pure 1 0;
    pack_unorm_rgb10a2 "air.pack.unorm.rgb10a2.{F}" "i32(T)" Pure 1 0;
    unpack_unorm_rgb10a2 "air.unpack.unorm.rgb10a2.{F}" "T(i32)" Pure 1 0;
    pack_unorm_rgb565 "air.pack.unorm.rgb565.{F}" "i16(T)" Pure 1 0;
    unpack_unorm_rgb565 "air.unpack.unorm.rgb565.{F}" "T(i16)" Pure 1 0;
    pack_unorm_rgb9e5 "air.pack.unorm.rgb9e5.{F}" "i32(T)" Pure 1 0;
    unpack_unorm_rgb9e5 "air.unpack.unorm.rgb9e5.{F}" "T(i32)" Pure 1 0;
    pack_unorm1x16 "air.pack.unorm1x16.{F}" "i16(T)" Pure 1 0;
    unpack_unorm1x16 "air.unpack.unorm1x16.{F}" "T(i16)" Pure 1 0;
    pack_unorm1x8 "air.pack.unorm1x8.{F}" "i8(T)" Pure 1 0;
    unpack_unorm1x8 "air.unpack.unorm1x8.{F}" "T(i8)" Pure 1 0;
    pack_unorm2x16 "air.pack.unorm2x16.{F}" "i32(T)" Pure 1 0;
    unpack_unorm2x16 "air.unpack.unorm2x16.{F}" "T(i32)" Pure 1 0;
    pack_unorm2x8 "air.pack.unorm2x8.{F}" "i16(T)" Pure 1 0;
    unpack_unorm2x8 "air.unpack.unorm2x8.{F}" "T(i16)" Pure 1 0;
    pack_unorm4x16 "air.pack.unorm4x16.{F}" "i64(T)" Pure 1 0;
    unpack_unorm4x16 "air.unpack.unorm4x16.{F}" "T(i64)" Pure 1 0;
    pack_unorm4x8 "air.pack.unorm4x8.{F}" "i32(T)" Pure 1 0;
    unpack_unorm4x8 "air.unpack.unorm4x8.{F}" "T(i32)" Pure 1 0;
    pack_unorm4x8_srgb "air.pack.unorm4x8.srgb.{F}" "i32(T)" Pure 1 0;
    unpack_unorm4x8_srgb "air.unpack.unorm4x8.srgb.{F}" "T(i32)" Pure 1 0;

    // Sampling and gathering. AIR 1.8 has no residency codes and fewer operands.
    sample "air.sample_{tex}.{sT}" "{T,i8}(tex, smp, depth?, coord, layer?, offset?, i1, f32, f32, i32) | T(tex, smp, depth?, coord, layer?, offset?, i1, f32)" ReadsQuad 1 0;
    sample_grad "air.sample_{tex}_grad.{sT}" "{T,i8}(tex, smp, depth?, coord, layer?, coord, coord, f32, offset?, i32)" Reads 1 0;
    sample_compare "air.sample_compare_{tex}.{sT}" "{T,i8}(tex, smp, depth?, coord, layer?, f32, offset?, i1, f32, f32, i32)" ReadsQuad 1 0;
    sample_compare_grad "air.sample_compare_{tex}_grad.{sT}" "{T,i8}(tex, smp, depth?, coord, layer?, f32, coord, coord, f32, offset?, i32)" Reads 1 0;
    gather "air.gather_{tex}.{sT}" "{T,i8}(tex, smp, depth?, coord, layer?, offset?, component?, i32)" Reads 1 0;
    gather_compare "air.gather_compare_{tex}.{sT}" "{4T,i8}(tex, smp, depth?, coord, layer?, f32, offset?, i32)" Reads 1 0;
    calculate_clamped_lod "air.calculate_clamped_lod_{tex}" "f32(tex, smp, coord, i32)" ReadsQuad 2 2;
    calculate_unclamped_lod "air.calculate_unclamped_lod_{tex}" "f32(tex, smp, coord, i32)" ReadsQuad 2 2;

    // Reads, writes and atomic operations of single texels.
    read "air.read_{tex}.{sT}" "{T,i8}(tex, [2.8]smp, depth?, pos, face?, layer?, sample?, [2.8]displacement?, lod?, i32)" Reads 1 0;
    write "air.write_{tex}.{sT}" "void(tex, pos, face?, layer?, T, lod?, i32)" Writes 1 0;
    write_i16 "air.write_{tex}.i16.{sT}" "void(tex, pos16, face16?, layer16?, T, lod16?, i32)" Writes 1 0;
    texture_fetch_add "air.atomic_fetch_add_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_fetch_and "air.atomic_fetch_and_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_fetch_max "air.atomic_fetch_max_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_fetch_min "air.atomic_fetch_min_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_fetch_or "air.atomic_fetch_or_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_fetch_sub "air.atomic_fetch_sub_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_fetch_xor "air.atomic_fetch_xor_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_exchange "air.atomic_exchange_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, T, i32, i32)" Any 2 6;
    texture_compare_exchange "air.atomic_compare_exchange_weak_explicit_{tex}.{sI}" "i1(tex, pos, face?, layer?, [2.8]displacement?, *T:0, T, i32, i32, i32)" Any 2 6;
    texture_atomic_load "air.atomic_load_explicit_{tex}.{sI}" "T(tex, pos, face?, layer?, [2.8]displacement?, i32, i32)" Any 2 6;
    texture_atomic_store "air.atomic_store_explicit_{tex}.{sI}" "void(tex, T, pos, face?, layer?, [2.8]displacement?, i32, i32)" Any 2 6;
    texture_max_i16 "air.atomic_max_explicit_{tex}.i16.{sI}" "void(tex, pos16, face16?, layer16?, [2.8]displacement16?, T, i32, i32)" Any 2 6;
    texture_min_i16 "air.atomic_min_explicit_{tex}.i16.{sI}" "void(tex, pos16, face16?, layer16?, [2.8]displacement16?, T, i32, i32)" Any 2 6;
    get_read_sampler "air.get_read_sampler" "smp()" Pure 2 8;
    fence_texture "air.fence_{tex}" "void(tex)" Any 1 0;

    // Queries of textures.
    get_width "air.get_width_{tex}" "i32(tex, lod?)" Reads 1 0;
    get_height "air.get_height_{tex}" "i32(tex, lod?)" Reads 1 0;
    get_depth "air.get_depth_{tex}" "i32(tex, lod?)" Reads 1 0;
    get_array_size "air.get_array_size_{tex}" "i32(tex)" Reads 1 0;
    get_num_mip_levels "air.get_num_mip_levels_{tex}" "i32(tex)" Reads 1 0;
    get_num_texture_samples "air.get_num_samples_{tex}" "i32(tex)" Reads 1 0;
    is_null_texture "air.is_null_{tex}" "i1(tex)" Reads 1 0;
    get_null_texture "air.get_null_{tex}" "tex()" Pure 1 0;

    // Atomic operations on device and threadgroup memory.
    atomic_global_add "air.atomic.global.add.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_and "air.atomic.global.and.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_max "air.atomic.global.max.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1) | void(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_min "air.atomic.global.min.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1) | void(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_or "air.atomic.global.or.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_sub "air.atomic.global.sub.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_xor "air.atomic.global.xor.{sT}" "T(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_xchg "air.atomic.global.xchg.{T}" "T(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_cmpxchg "air.atomic.global.cmpxchg.weak.{T}" "T(*T:1, *T:0, T, i32, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_load "air.atomic.global.load.{T}" "T(*T:1, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_global_store "air.atomic.global.store.{T}" "void(*T:1, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_add "air.atomic.local.add.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_and "air.atomic.local.and.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_max "air.atomic.local.max.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1) | void(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_min "air.atomic.local.min.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1) | void(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_or "air.atomic.local.or.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_sub "air.atomic.local.sub.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_xor "air.atomic.local.xor.{sT}" "T(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_xchg "air.atomic.local.xchg.{T}" "T(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_cmpxchg "air.atomic.local.cmpxchg.weak.{T}" "T(*T:3, *T:0, T, i32, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_load "air.atomic.local.load.{T}" "T(*T:3, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_local_store "air.atomic.local.store.{T}" "void(*T:3, T, i32, i32, [2.9]i32, i1)" Any 1 0;
    atomic_fence "air.atomic.fence" "void(i32, i32, i32)" Any 2 7;

    // Operations that several invocations take part in.
    dfdx "air.dfdx.{F}" "T(T)" Group 1 0;
    dfdy "air.dfdy.{F}" "T(T)" Group 1 0;
    fwidth "air.fwidth.{F}" "T(T)" Group 1 0;
    wg_barrier "air.wg.barrier" "void(i32, i32)" Waits 1 0;
    simdgroup_barrier "air.simdgroup.barrier" "void(i32, i32)" Waits 1 0;
    simd_broadcast "air.simd_broadcast.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle "air.simd_shuffle.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle_down "air.simd_shuffle_down.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle_up "air.simd_shuffle_up.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle_xor "air.simd_shuffle_xor.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle_rotate_down "air.simd_shuffle_rotate_down.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle_rotate_up "air.simd_shuffle_rotate_up.{sT}" "T(T, i16)" Group 1 0;
    simd_shuffle_and_fill_down "air.simd_shuffle_and_fill_down.{sT}" "T(T, T, i16, i16)" Group 1 0;
    simd_shuffle_and_fill_up "air.simd_shuffle_and_fill_up.{sT}" "T(T, T, i16, i16)" Group 1 0;
    simd_broadcast_first "air.simd_broadcast_first.{sT}" "T(T)" Group 1 0;
    simd_sum "air.simd_sum.{sT}" "T(T)" Group 1 0;
    simd_product "air.simd_product.{sT}" "T(T)" Group 1 0;
    simd_min "air.simd_min.{sT}" "T(T)" Group 1 0;
    simd_max "air.simd_max.{sT}" "T(T)" Group 1 0;
    simd_and "air.simd_and.{sT}" "T(T)" Group 1 0;
    simd_or "air.simd_or.{sT}" "T(T)" Group 1 0;
    simd_xor "air.simd_xor.{sT}" "T(T)" Group 1 0;
    simd_prefix_exclusive_product "air.simd_prefix_exclusive_product.{sT}" "T(T)" Group 1 0;
    simd_prefix_exclusive_sum "air.simd_prefix_exclusive_sum.{sT}" "T(T)" Group 1 0;
    simd_prefix_inclusive_product "air.simd_prefix_inclusive_product.{sT}" "T(T)" Group 1 0;
    simd_prefix_inclusive_sum "air.simd_prefix_inclusive_sum.{sT}" "T(T)" Group 1 0;
    simd_all "air.simd_all" "i1(i1)" Group 1 0;
    simd_any "air.simd_any" "i1(i1)" Group 1 0;
    simd_is_first "air.simd_is_first" "i1()" Waits 1 0;
    simd_is_helper_thread "air.simd_is_helper_thread" "i1()" Any 1 0;
    simd_ballot "air.simd_ballot.i64" "i64(i1)" Group 1 0;
    simd_active_threads_mask "air.simd_active_threads_mask.i64" "i64()" Group 1 0;
    simd_vote_all "air.simd_vote_all.i64" "i1(i64)" Group 1 0;
    simd_vote_any "air.simd_vote_any.i64" "i1(i64)" Group 1 0;
    quad_broadcast "air.quad_broadcast.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle "air.quad_shuffle.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle_down "air.quad_shuffle_down.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle_up "air.quad_shuffle_up.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle_xor "air.quad_shuffle_xor.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle_rotate_down "air.quad_shuffle_rotate_down.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle_rotate_up "air.quad_shuffle_rotate_up.{sT}" "T(T, i16)" Group 1 0;
    quad_shuffle_and_fill_down "air.quad_shuffle_and_fill_down.{sT}" "T(T, T, i16, i16)" Group 1 0;
    quad_shuffle_and_fill_up "air.quad_shuffle_and_fill_up.{sT}" "T(T, T, i16, i16)" Group 1 0;
    quad_broadcast_first "air.quad_broadcast_first.{sT}" "T(T)" Group 1 0;
    quad_sum "air.quad_sum.{sT}" "T(T)" Group 1 0;
    quad_product "air.quad_product.{sT}" "T(T)" Group 1 0;
    quad_min "air.quad_min.{sT}" "T(T)" Group 1 0;
    quad_max "air.quad_max.{sT}" "T(T)" Group 1 0;
    quad_and "air.quad_and.{sT}" "T(T)" Group 1 0;
    quad_or "air.quad_or.{sT}" "T(T)" Group 1 0;
    quad_xor "air.quad_xor.{sT}" "T(T)" Group 1 0;
    quad_prefix_exclusive_product "air.quad_prefix_exclusive_product.{sT}" "T(T)" Group 1 0;
    quad_prefix_exclusive_sum "air.quad_prefix_exclusive_sum.{sT}" "T(T)" Group 1 0;
    quad_prefix_inclusive_product "air.quad_prefix_inclusive_product.{sT}" "T(T)" Group 1 0;
    quad_prefix_inclusive_sum "air.quad_prefix_inclusive_sum.{sT}" "T(T)" Group 1 0;
    quad_all "air.quad_all" "i1(i1)" Group 1 0;
    quad_any "air.quad_any" "i1(i1)" Group 1 0;
    quad_is_first "air.quad_is_first" "i1()" Waits 1 0;
    quad_is_helper_thread "air.quad_is_helper_thread" "i1()" Any 1 0;
    quad_ballot "air.quad_ballot" "i16(i1)" Group 1 0;
    quad_active_threads_mask "air.quad_active_threads_mask" "i16()" Group 1 0;
    quad_vote_all "air.quad_vote_all" "i1(i16)" Group 1 0;
    quad_vote_any "air.quad_vote_any" "i1(i16)" Group 1 0;
    is_uniform "air.is_uniform.{T}" "i1(T)" Group 1 0;
    get_simdgroup_size "air.get_simdgroup_size.i16" "i16()" Pure 1 0;

    // Fragments.
    discard_fragment "air.discard_fragment" "void()" Any 1 0;
    get_num_samples "air.get_num_samples.i32" "i32(i32)" Pure 1 0;
    get_sample_position "air.get_sample_position.v2f32" "v2f32(i32, i32)" Pure 1 0;
    interpolate_center_perspective "air.interpolate_center_perspective.{F}" "T(interpolant)" Reads 2 3;
    interpolate_centroid_perspective "air.interpolate_centroid_perspective.{F}" "T(interpolant)" Reads 2 3;
    interpolate_sample_perspective "air.interpolate_sample_perspective.{F}" "T(interpolant, i32)" Reads 2 3;
    interpolate_offset_perspective "air.interpolate_offset_perspective.{F}" "T(interpolant, v2f32)" Reads 2 3;
    interpolate_center_no_perspective "air.interpolate_center_no_perspective.{F}" "T(interpolant)" Reads 2 3;
    interpolate_centroid_no_perspective "air.interpolate_centroid_no_perspective.{F}" "T(interpolant)" Reads 2 3;
    interpolate_sample_no_perspective "air.interpolate_sample_no_perspective.{F}" "T(interpolant, i32)" Reads 2 3;
    interpolate_offset_no_perspective "air.interpolate_offset_no_perspective.{F}" "T(interpolant, v2f32)" Reads 2 3;
    get_vertex_value "air.get_vertex_value.{T}" "T(vertex_value, i32)" Reads 1 0;

    // Object and mesh functions.
    set_threadgroups_per_grid_mesh_properties "air.set_threadgroups_per_grid_mesh_properties" "void(grid, v3i32)" Writes 2 5;
    set_primitive_count_mesh "air.set_primitive_count_mesh" "void(mesh, i32)" Writes 2 5;
    set_index_mesh "air.set_index_mesh" "void(mesh, i32, i8)" Writes 2 5;
    set_indices_mesh "air.set_indices_mesh.{I}" "void(mesh, i32, T)" Writes 2 5;
    set_position_mesh "air.set_position_mesh" "void(mesh, i32, v4f32)" Writes 2 5;
    set_point_size_mesh "air.set_point_size_mesh" "void(mesh, i32, f32)" Writes 2 5;
    set_clip_distance_mesh "air.set_clip_distance_mesh" "void(mesh, i32, i32, f32)" Writes 2 5;
    set_vertex_data_mesh "air.set_vertex_data_mesh.{T}" "void(mesh, i32, i32, T)" Writes 2 5;
    set_primitive_data_mesh "air.set_primitive_data_mesh.{T}" "void(mesh, i32, i32, T)" Writes 2 5;
    set_primitive_id_mesh "air.set_primitive_id_mesh" "void(mesh, i32, i32)" Writes 2 5;
    set_render_target_array_index_mesh "air.set_render_target_array_index_mesh.{I}" "void(mesh, i32, T)" Writes 2 5;
    set_viewport_array_index_mesh "air.set_viewport_array_index_mesh.{I}" "void(mesh, i32, T)" Writes 2 5;
    set_primitive_culled_mesh "air.set_primitive_culled_mesh" "void(mesh, i32, i1)" Writes 2 5;

    // Function constants.
    is_function_constant_defined "air.is_function_constant_defined" "i1(*i8:2)" Pure 1 0;

    // LLVM's own.
    fmuladd "llvm.fmuladd.{F}" "T(T, T, T)" Pure 1 0;
    fshl "llvm.fshl.{I}" "T(T, T, T)" Pure 2 6;
    smax "llvm.smax.{I}" "T(T, T)" Pure 2 6;
    smin "llvm.smin.{I}" "T(T, T)" Pure 2 6;
    umax "llvm.umax.{I}" "T(T, T)" Pure 2 6;
    umin "llvm.umin.{I}" "T(T, T)" Pure 2 6;

    // LLVM's own, in the form of LLVM 5 and that of LLVM 7 and later.
    memset "llvm.memset.p{A}i8.i64" "void(*i8:A, i8, i64, i32, i1) | void(*i8:A, i8, i64, i1)" Any 1 0;
    memcpy "llvm.memcpy.p{A}i8.p{B}i8.i64" "void(*i8:A, *i8:B, i64, i32, i1) | void(*i8:A, *i8:B, i64, i1)" Any 1 0;
}
