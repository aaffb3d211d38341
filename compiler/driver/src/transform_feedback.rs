//! The captures that a GLSL program or a SPIR-V module declares for transform feedback, slot by slot.

use crate::Errors;
use airfoil_air::lowerings::{Capture, Captures};
use airfoil_glsl::link::{Xfb, XfbVarying};
use airfoil_ir::Diagnostic;

/// An error in a program's captures.
fn refused(why: String) -> Diagnostic {
    Diagnostic::error("E0345", format!("transform feedback: {why}"))
}

/// The captures of a linked GLSL program.
///
/// # Errors
/// Captures of outputs without location, and invalid buffers, offsets and strides.
pub fn captures(xfb: &Xfb) -> Result<Captures, Errors> {
    let mut list = Vec::new();
    for v in &xfb.varyings {
        let buffer = xfb.buffers.iter().find(|b| b.buffer == v.buffer);
        spread(v, buffer.map_or(0, |b| b.stride), &mut list)
            .map_err(|why| refused(format!("`{}`: {why}", v.name)))?;
    }
    Ok(Captures::new(list).map_err(refused)?)
}

/// Splits a varying: each vector or matrix column starts a slot, and continues in the next one if it has more than four
/// words.
fn spread(v: &XfbVarying, stride: u32, list: &mut Vec<Capture>) -> Result<(), &'static str> {
    const LONG: &str = "it has too many locations";
    let mut slot = v.slot.ok_or("it has no location")?;
    let size = v.size.max(1);
    let words = v.components / size / v.columns;
    let mut offset = v.offset;
    let mut component = v.component;
    for _ in 0..size.saturating_mul(v.columns) {
        let mut left = words;
        component = if v.packed { component } else { v.component };
        while left > 0 {
            if component > 3 {
                slot = slot.offset(1).ok_or(LONG)?;
                component = 0;
            }
            let components = left.min(4 - component);
            let (buffer, stream) = (v.buffer, v.stream);
            list.push(Capture { buffer, stride, offset, slot, component, components, stream });
            (left, offset, component) =
                (left - components, offset.saturating_add(components * 4), component + components);
        }
        if !v.packed {
            // Nothing follows the last one.
            slot = slot.offset(1).unwrap_or(slot);
        }
    }
    Ok(())
}

/// The captures that an entry point of a SPIR-V module declares.
///
/// # Errors
/// Errors in the module or its captures.
pub fn spirv_captures(words: &[u32], options: &airfoil_spirv_in::Options) -> Result<Captures, Errors> {
    let found = airfoil_spirv_in::transform_feedback(words, options)?;
    let capture = |o: &airfoil_spirv_in::XfbOutput| Capture {
        buffer: o.buffer,
        stride: o.stride,
        offset: o.offset,
        slot: o.slot,
        component: o.component,
        components: o.components,
        // Only stages with one stream are captured in the functions of modules.
        stream: 0,
    };
    Ok(Captures::new(found.iter().map(capture).collect()).map_err(refused)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_glsl::{ProgramOptions, Source};
    use airfoil_ir::Stage;

    fn of(text: &str) -> Result<Vec<String>, Errors> {
        let sources = [Source { name: "", stage: Stage::Vertex, text }];
        let mut options = ProgramOptions::default();
        options.link.separable = true;
        let program = airfoil_glsl::build(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
        let captures = captures(&program.reflection.transform_feedback)?;
        Ok(captures.iter().map(word).collect())
    }

    fn word(c: &Capture) -> String {
        format!("{}/{}+{} {}.{}*{}", c.buffer, c.stride, c.offset, c.slot, c.component, c.components)
    }

    #[test]
    fn outputs_become_slots() {
        let text = "#version 450
            layout(xfb_buffer = 1, xfb_stride = 64) out;
            layout(location = 2, xfb_buffer = 1, xfb_offset = 16) out mat2x3 m;
            layout(location = 5, component = 1, xfb_buffer = 0, xfb_offset = 0) out float f[2];
            out gl_PerVertex { layout(xfb_buffer = 1, xfb_offset = 0) vec4 gl_Position; };
            void main() { gl_Position = vec4(1.0); m = mat2x3(2.0); f = float[2](1.0, 2.0); }";
        assert_eq!(
            of(text).unwrap(),
            ["0/8+0 5.1*1", "0/8+4 6.1*1", "1/64+0 position.0*4", "1/64+16 2.0*3", "1/64+28 3.0*3"]
        );
    }

    #[test]
    fn members_of_the_built_in_block_follow_its_offset() {
        let text = "#version 450
            layout(xfb_buffer = 2, xfb_offset = 8, xfb_stride = 64) out gl_PerVertex {
                vec4 gl_Position;
                float gl_PointSize;
                layout(xfb_offset = 32) float gl_ClipDistance[2];
            };
            void main() { gl_Position = vec4(1.0); gl_PointSize = 2.0; gl_ClipDistance[0] = 3.0; }";
        let expected = [
            "2/64+8 position.0*4",
            "2/64+24 point_size.0*1",
            "2/64+32 clip_dist0.0*1",
            "2/64+36 clip_dist0.1*1",
        ];
        assert_eq!(of(text).unwrap(), expected);
    }

    #[test]
    fn doubles_are_pairs_of_words() {
        let text = "#version 450
            layout(location = 1, xfb_buffer = 0, xfb_offset = 0) out dvec3 d[2];
            void main() { gl_Position = vec4(1.0); d = dvec3[2](dvec3(1.0), dvec3(2.0)); }";
        let expected = ["0/48+0 1.0*4", "0/48+16 2.0*2", "0/48+24 3.0*4", "0/48+40 4.0*2"];
        assert_eq!(of(text).unwrap(), expected);
    }

    #[test]
    fn decorations_of_modules() {
        let text = "OpCapability Shader
            OpCapability TransformFeedback
            OpMemoryModel Logical GLSL450
            OpEntryPoint Vertex %main \"main\" %v %list
            OpExecutionMode %main Xfb
            OpDecorate %v Location 2
            OpDecorate %v XfbBuffer 1
            OpDecorate %v XfbStride 32
            OpDecorate %v Offset 8
            OpDecorate %list Location 4
            OpDecorate %list Component 1
            OpDecorate %list XfbBuffer 1
            OpDecorate %list XfbStride 32
            OpDecorate %list Offset 24
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %float = OpTypeFloat 32
            %vec4 = OpTypeVector %float 4
            %uint = OpTypeInt 32 0
            %two = OpConstant %uint 2
            %floats = OpTypeArray %float %two
            %p4 = OpTypePointer Output %vec4
            %pf = OpTypePointer Output %floats
            %v = OpVariable %p4 Output
            %list = OpVariable %pf Output
            %one = OpConstant %float 1
            %ones = OpConstantComposite %vec4 %one %one %one %one
            %pair = OpConstantComposite %floats %one %one
            %main = OpFunction %void None %fn
            %l = OpLabel
            OpStore %v %ones
            OpStore %list %pair
            OpReturn
            OpFunctionEnd";
        let words =
            airfoil_spirv_asm::assemble(text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
        let read = |words: &[u32]| {
            let captures = spirv_captures(words, &airfoil_spirv_in::Options::default()).unwrap();
            captures.iter().map(word).collect::<Vec<String>>()
        };
        assert_eq!(read(&words), ["1/32+8 2.0*4", "1/32+24 4.1*1", "1/32+28 5.1*1"]);
        // Without the mode nothing is captured.
        let text = text.replace("OpExecutionMode %main Xfb\n", "");
        let words =
            airfoil_spirv_asm::assemble(&text, &Default::default()).unwrap_or_else(|e| panic!("{e:?}"));
        assert!(read(&words).is_empty());
    }
}
