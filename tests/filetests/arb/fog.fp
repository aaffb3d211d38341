!!ARBfp1.0
# Fog blends the clamped color; the alpha stays.
# RUN: airfoil opt %s --passes ''
OPTION ARB_fog_linear;
MOV result.color, fragment.color;
# CHECK: in float gl_FogFragCoord location=fog
# CHECK: out vec4 gl_FragColor location=frag_color
# CHECK: fsub
# CHECK: fmul
# CHECK: 32x1 {{.*}} = fsat
# CHECK: 32x4 [[color:%[0-9]+]] = fsat
# CHECK: 32x1 [[alpha:%[0-9]+]] = mov [[color]].w
# CHECK: vec4 {{.*}}, [[alpha]]
# CHECK: store_deref {{.*}} mask=xyzw
END
