#version 450
// Four octaves of a smooth function.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    float sum = 0.0, weight = 0.5;
    vec2 at = uv * 3.0;
    for (int k = 0; k < 4; k++) {
        sum += weight * (0.5 + 0.5 * sin(at.x) * cos(at.y));
        at = mat2(0.8, 0.6, -0.6, 0.8) * at * 1.5 + 0.7;
        weight *= 0.5;
    }
    color = vec4(sum, sum * sum, 1.0 - sum, 1.0);
}
