// Whether the invocation is a helper now, not at its start.
// RUN: airfoil opt %s --passes ''
#version 450
#extension GL_EXT_demote_to_helper_invocation : require
out vec4 o;
void main() {
    o = vec4(helperInvocationEXT() ? 1.0 : 0.0);
    // CHECK: = is_helper_invocation
}
