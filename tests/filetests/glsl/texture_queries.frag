// Queries of textures.
// RUN: airfoil opt %s --passes ''
#version 460
layout(location = 0) in vec4 a;
layout(location = 1) flat in ivec4 i;
layout(location = 2) flat in uvec4 u;
layout(location = 0) out vec4 r;
layout(binding = 0) uniform sampler2D s;
layout(binding = 1) uniform sampler2DMS m;
void main() {
    { r.xy = vec2(textureSize(s, 1)); }
    // CHECK: 32x2 {{.*}} = txs 2d int32 texture={{.*}} lod=
    // CHECK: 32x2 {{.*}} = i2f
    // CHECK: 32x1 {{.*}} = undef
    // CHECK: 32x4 {{.*}} = vec4
    { r.xy = textureQueryLod(s, a.xy); }
    // CHECK: 32x2 {{.*}} = lod 2d float32 texture={{.*}} sampler={{.*}} coord=
    // CHECK: 32x4 {{.*}} = vec4
    { r = vec4(textureQueryLevels(s)); }
    // CHECK: 32x1 {{.*}} = query_levels 2d int32 texture=
    // CHECK: 32x1 {{.*}} = i2f
    { r = vec4(textureSamples(m)); }
    // CHECK: 32x1 {{.*}} = samples ms int32 texture=
    // CHECK: 32x1 {{.*}} = i2f
}
