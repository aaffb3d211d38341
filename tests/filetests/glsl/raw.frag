// Without `--raw` the reader folds operations on constants, builds only the taken side of a known condition
// and drops moves that change nothing.
// RUN[FOLDED]: airfoil opt %s --passes ''
// RUN: airfoil opt %s --raw --passes ''
#version 450
layout(location = 0) out vec4 r;
void main() {
    const bool on = true;
    float x = 1.0;
    // The checker evaluates constant expressions (GLSL 4.60 section 4.3.3) in either case.
    // CHECK: = const 3.0
    float y = x + (1.0 + 2.0);
    if (on) {
        // FOLDED-NOT: if
        // CHECK: if
        r = vec4(y, float(1), y, y).xyzw;
        // FOLDED-NOT: mov
        // CHECK: [[v:%[0-9]+]] = vec4
        // CHECK: mov [[v]]
    }
}
