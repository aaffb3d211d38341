//! Programs whose functions depend on much state.

use bitflags::bitflags;

bitflags! {
    /// The features of a program that state acts on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Kind: u32 {
        /// It draws triangles.
        const TRIANGLES = 1;
        /// It draws points.
        const POINTS = 1 << 1;
        /// Colors of the compatibility profile.
        const COLORS = 1 << 2;
        /// `gl_ClipVertex`: without it, clip planes have no defined effect (GLSL 1.20 section 7.1).
        const PLANES = 1 << 3;
        /// `gl_ClipDistance`.
        const DISTANCES = 1 << 4;
        /// Floats as results.
        const FLOATS = 1 << 5;
        /// One result, `gl_FragColor`, that goes to all attachments.
        const ONE = 1 << 6;
        /// Fixed functions take the place of the fragment shader.
        const FIXED = 1 << 7;
        /// Unsigned integers as results.
        const UINTS = 1 << 8;
        /// The attachment has 8 bits per component.
        const UNORM = 1 << 9;
    }
}

/// A program.
pub struct Program {
    pub name: &'static str,
    pub kind: Kind,
    pub vertex: &'static str,
    /// Of fixed functions, the shader that stands for them.
    pub fragment: &'static str,
}

/// Attributes: position (`p`, location 0), color (`c`, 1), another vector (`d`, 2).
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "colors",
        kind: Kind::TRIANGLES
            .union(Kind::COLORS)
            .union(Kind::PLANES)
            .union(Kind::FLOATS)
            .union(Kind::ONE),
        vertex: "#version 120
            attribute vec4 p, c, d;
            void main() {
                gl_Position = p; gl_ClipVertex = p;
                gl_FrontColor = c * 1.5 - 0.25; gl_BackColor = c.zyxw * 2.0 - 0.5;
                gl_FrontSecondaryColor = d; gl_BackSecondaryColor = d.wzyx;
                gl_TexCoord[0] = p + d;
            }",
        fragment: "#version 120
            void main() {
                gl_FragColor = gl_Color + 0.25 * gl_SecondaryColor + 0.125 * gl_TexCoord[0];
                if (gl_FrontFacing) gl_FragColor.x += 0.5;
            }",
    },
    Program {
        name: "distances",
        kind: Kind::TRIANGLES.union(Kind::DISTANCES).union(Kind::FLOATS),
        vertex: "#version 150
            in vec4 p, c, d; out vec4 v; out float gl_ClipDistance[3];
            void main() {
                gl_Position = p; v = c + d;
                gl_ClipDistance[0] = p.x + 0.27; gl_ClipDistance[1] = 0.35 - p.y; gl_ClipDistance[2] = p.y + 0.77;
            }",
        fragment: "#version 150
            #extension GL_KHR_blend_equation_advanced : enable
            layout(blend_support_all_equations) out;
            in vec4 v; out vec4 color; void main() { color = v; gl_FragDepth = gl_FragCoord.z * 0.5; }",
    },
    Program {
        name: "points",
        kind: Kind::POINTS.union(Kind::COLORS).union(Kind::FLOATS).union(Kind::ONE).union(Kind::PLANES),
        vertex: "#version 120
            attribute vec4 p, c, d;
            void main() {
                gl_Position = p; gl_ClipVertex = p; gl_FrontColor = c; gl_PointSize = 3.0 + 4.0 * c.x;
                gl_TexCoord[0] = d; gl_TexCoord[1] = c;
            }",
        fragment: "#version 120
            void main() {
                gl_FragColor = gl_TexCoord[0] + 0.5 * gl_TexCoord[1] + vec4(gl_PointCoord, 0.0, gl_Color.w);
            }",
    },
    Program {
        name: "fixed fragments",
        kind: Kind::TRIANGLES
            .union(Kind::COLORS)
            .union(Kind::PLANES)
            .union(Kind::FLOATS)
            .union(Kind::FIXED)
            .union(Kind::ONE),
        vertex: "#version 120
            attribute vec4 p, c, d;
            void main() {
                gl_Position = p; gl_ClipVertex = p; gl_FrontColor = c; gl_BackColor = c.wzyx;
                gl_FogFragCoord = d.x * 2.0;
            }",
        fragment: "#version 120\nvoid main() { gl_FragColor = gl_Color; }",
    },
    Program {
        name: "uints",
        kind: Kind::TRIANGLES.union(Kind::UINTS),
        vertex: "#version 130
            in vec4 p, c, d; flat out uvec4 v; out vec2 w;
            void main() { gl_Position = p; v = uvec4(255.0 * c); w = 7.0 * d.xy; }",
        fragment: "#version 130
            flat in uvec4 v; in vec2 w; out uvec4 color; void main() { color = v ^ uvec4(3u); }",
    },
    Program {
        name: "unorm",
        kind: Kind::TRIANGLES
            .union(Kind::COLORS)
            .union(Kind::FLOATS)
            .union(Kind::ONE)
            .union(Kind::UNORM),
        vertex: "#version 120
            attribute vec4 p, c, d;
            void main() { gl_Position = p; gl_FrontColor = c; gl_BackColor = d; }",
        fragment: "#version 120\nvoid main() { gl_FragColor = gl_Color; }",
    },
];
