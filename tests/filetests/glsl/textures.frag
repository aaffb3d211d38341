// Texture lookups.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
layout(binding = 0) uniform sampler2D s;
layout(binding = 1) uniform sampler2DShadow d;
layout(binding = 2) uniform samplerCubeArray c;
layout(binding = 3) uniform sampler2DMS m;
void main() {
    { r = texture(s, a.xy); }
    // CHECK: 32x4 {{.*}} = tex 2d float32 texture={{.*}} sampler={{.*}} coord=
    { r = texture(s, a.xy, 0.5); }
    // CHECK: 32x4 {{.*}} = txb 2d float32 texture={{.*}} sampler={{.*}} coord={{.*}} bias=
    { r = vec4(texture(d, a.xyz)); }
    // CHECK: 32x1 {{.*}} = tex 2d float32 shadow texture={{.*}} sampler={{.*}} coord={{.*}} comparator=
    { r = textureProj(s, a); }
    // CHECK: 32x4 {{.*}} = tex 2d float32 texture={{.*}} sampler={{.*}} coord={{.*}} projector=
    { r = textureLod(c, a, 1.0); }
    // CHECK: 32x4 {{.*}} = txl cube float32 array texture={{.*}} sampler={{.*}} coord={{.*}} lod=
    { r = textureOffset(s, a.xy, ivec2(1, -1)); }
    // CHECK: 32x4 {{.*}} = tex 2d float32 texture={{.*}} sampler={{.*}} coord={{.*}} offset=
    { r = textureGrad(s, a.xy, a.zw, a.zw); }
    // CHECK: 32x4 {{.*}} = txd 2d float32 texture={{.*}} sampler={{.*}} coord={{.*}} ddx={{.*}} ddy=
    { r = texelFetch(s, i.xy, 0); }
    // CHECK: 32x4 {{.*}} = txf 2d float32 texture={{.*}} coord={{.*}} lod=
    { r = texelFetch(m, i.xy, 2); }
    // CHECK: 32x4 {{.*}} = txf_ms ms float32 texture={{.*}} coord={{.*}} ms_index=
    { r = textureGather(s, a.xy, 2); }
    // CHECK: 32x4 {{.*}} = tg4 2d float32 texture={{.*}} sampler={{.*}} coord={{.*}} component=2
    { r = textureGather(d, a.xy, a.z); }
    // CHECK: 32x4 {{.*}} = tg4 2d float32 shadow texture={{.*}} sampler={{.*}} coord={{.*}} comparator=
}
