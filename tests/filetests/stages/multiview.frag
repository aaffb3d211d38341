// RUN[ALONE]: not airfoil compile %s --to ll 2>&1
// RUN[VIEWS]: airfoil compile %s --to ll --view-mask 3
// A fragment shader alone does not know whether draws have several views.
// ALONE: Metal has no value for `view_index`
// VIEWS: !"air.render_target_array_index"
#version 330
#extension GL_OVR_multiview : require
out vec4 c;
void main() {
    c = vec4(gl_ViewID_OVR);
}
