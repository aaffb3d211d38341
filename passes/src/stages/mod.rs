//! Passes that lower one stage to another; stages communicate through buffers.

pub mod interface;
pub mod passthrough_geometry;
pub mod stage_buffer;

crate::registry::passes! {
    "Stages": "Passes that lower one stage to another; stages communicate through buffers.";
    geometry_to_capture::GeometryToCapture { options };
    geometry_to_mesh::GeometryToMesh { options };
    lower_stages::LowerStages { program };
    match_inputs::MatchInputs { options };
    match_interfaces::MatchInterfaces { program };
    mesh_outputs_to_shared::MeshOutputsToShared;
    tess_control_to_kernel::TessControlToKernel { options };
    tess_eval_inputs_from_buffers::TessEvalInputsFromBuffers { options };
    tess_eval_to_capture::TessEvalToCapture { options };
    tess_eval_to_kernel::TessEvalToKernel { options };
    vertex_outputs_to_buffer::VertexOutputsToBuffer { options };
    write_outputs::WriteOutputs;
}
