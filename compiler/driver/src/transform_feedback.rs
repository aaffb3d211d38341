//! What a GLSL program captures, slot by slot.

use airfoil_air::lowerings::{Capture, Captures};
use airfoil_glsl::link::{Xfb, XfbVarying};
use airfoil_ir::{Diagnostic, Slot};

/// Numbers of the API's types of float matrices, with columns and rows (OpenGL 4.6 table 7.3).
const MATRICES: &[(u32, u32, u32)] = &[
    (0x8b5a, 2, 2),
    (0x8b5b, 3, 3),
    (0x8b5c, 4, 4),
    (0x8b65, 2, 3),
    (0x8b66, 2, 4),
    (0x8b67, 3, 2),
    (0x8b68, 3, 4),
    (0x8b69, 4, 2),
    (0x8b6a, 4, 3),
];

/// Numbers of the API's types of 64 bits: `double`, its vectors and matrices, 64-bit integers and their vectors.
const WIDE: &[std::ops::RangeInclusive<u32>] =
    &[0x140a..=0x140a, 0x140e..=0x140f, 0x8f46..=0x8f4e, 0x8fe9..=0x8feb, 0x8ff5..=0x8ff7, 0x8ffc..=0x8ffe];

/// What the linker says is captured.
///
/// # Errors
/// What cannot be captured on Metal: doubles, vertex streams other than the first.
pub fn captures(xfb: &Xfb) -> Result<Captures, Diagnostic> {
    let refuse = |v: &XfbVarying, why: &str| {
        Err(Diagnostic::error("E0345", format!("transform feedback of `{}`: {why}", v.name)))
    };
    let mut list = Vec::new();
    for v in &xfb.varyings {
        let Some(slot) = v.slot else { return refuse(v, "it has no location") };
        if v.stream != 0 {
            return refuse(v, "vertex streams other than the first cannot be expressed in Metal");
        }
        if WIDE.iter().any(|range| range.contains(&v.ty)) {
            return refuse(v, "values of 64 bits are not captured");
        }
        let stride = xfb.buffers.iter().find(|b| b.buffer == v.buffer).map_or(0, |b| b.stride);
        let size = v.size.max(1);
        let matrix = MATRICES.iter().find(|m| m.0 == v.ty);
        let (columns, rows) = matrix.map_or((1, v.components / size), |m| (m.1, m.2));
        // Distances lie four to a slot.
        let compact = (Slot::CLIP_DIST0..=Slot::CULL_DIST1).contains(&slot);
        for n in 0..size.saturating_mul(columns) {
            let (slots, component) =
                if compact { ((v.component + n) / 4, (v.component + n) % 4) } else { (n, v.component) };
            let Some(slot) = slot.offset(slots) else { return refuse(v, "it has too many locations") };
            let offset = v.offset.saturating_add(n.saturating_mul(rows * 4));
            list.push(Capture { buffer: v.buffer, stride, offset, slot, component, components: rows });
        }
    }
    Captures::new(list).map_err(|why| Diagnostic::error("E0345", format!("transform feedback: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_glsl::{ProgramOptions, Source};
    use airfoil_ir::Stage;

    fn of(text: &str) -> Result<Vec<String>, Diagnostic> {
        let sources = [Source { name: "", stage: Stage::Vertex, text }];
        let mut options = ProgramOptions::default();
        options.link.separable = true;
        let program = airfoil_glsl::build(&sources, &options).unwrap_or_else(|e| panic!("{e:?}"));
        let captures = captures(&program.reflection.transform_feedback)?;
        let word = |c: &Capture| {
            format!("{}/{}+{} {}.{}*{}", c.buffer, c.stride, c.offset, c.slot, c.component, c.components)
        };
        Ok(captures.iter().map(word).collect())
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
    fn doubles_are_refused() {
        let text = "#version 450
            layout(location = 0, xfb_buffer = 0, xfb_offset = 0) out dvec2 d;
            void main() { gl_Position = vec4(1.0); d = dvec2(1.0); }";
        assert!(of(text).unwrap_err().message.contains("64 bits"));
    }
}
