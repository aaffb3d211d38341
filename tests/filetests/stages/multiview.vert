// RUN[DECLARED]: airfoil compile %s --to ll
// RUN[VULKAN]: airfoil compile %s --vulkan --to ll --view-mask 6 -D VULKAN_VIEWS
// The instances of a draw are repeated for the views, which are layers.
// DECLARED: and i32 {{%[^ ]+}}, 1
// DECLARED: !"air.instance_id"
// DECLARED: !"air.base_instance"
// DECLARED: !"air.render_target_array_index"
// VULKAN: add i32 {{%[^ ]+}}, 1
// VULKAN: !"air.render_target_array_index"
#version 450
#ifdef VULKAN_VIEWS
#extension GL_EXT_multiview : require
#define VIEW gl_ViewIndex
#else
#extension GL_OVR_multiview2 : require
layout(num_views = 2) in;
#define VIEW gl_ViewID_OVR
#endif
void main() {
    gl_Position = vec4(VIEW);
}
