!!ARBfp1.0
# Lookups have the sources of GLSL's.
# RUN: airfoil opt %s --passes ''
OPTION ARB_fragment_program_shadow;
TEMP t;
TXP t, fragment.texcoord, texture[2], SHADOW2D;
# CHECK: uniform sampled(2d float32 shadow) texture2 binding=2
# CHECK: 32x1 [[r:%[0-9]+]] = tex 2d float32 shadow {{.*}} projector={{.*}} comparator=
# CHECK: vec4 [[r]], [[r]], [[r]], {{.*}}
TXB t, t, texture[3], CUBE;
# CHECK: txb cube float32 {{.*}} bias=
KIL t;
# CHECK: bany4
# CHECK-NEXT: discard_if
MOV result.depth.z, t;
# CHECK: store_deref {{.*}} mask=x
END
