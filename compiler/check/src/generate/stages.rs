//! The stages around a random function: each invocation of the stage under test writes one pixel.

use super::Dialect;
use super::body::function;
use airfoil_ir::Stage;

const OUTPUTS: &str = "layout(location = 0) out ivec4 i;
layout(location = 1) out vec4 x;
layout(location = 2) out vec4 y;
";

/// The position of the pixel of invocation `n`.
const POSITION: &str =
    "vec4((float(n & 15u) + 0.5) / 8.0 - 1.0, (float(n >> 4u) + 0.5) / 2.0 - 1.0, 0.5, 1.0)";

/// The three results as inputs or outputs between stages.
fn results(qualifier: &str, prefix: &str, suffix: &str) -> String {
    let one = |(n, ty, name): (u32, &str, &str)| {
        format!("layout(location = {n}) {qualifier} {ty} {prefix}{name}{suffix};\n")
    };
    [(0, "ivec4", "i"), (1, "vec4", "x"), (2, "vec4", "y")].map(one).concat()
}

/// The first lines of a source.
fn header(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Vulkan => "#version 450\n#define VERTEX_INDEX gl_VertexIndex\n",
        Dialect::OpenGl => "#version 450\n#define VERTEX_INDEX gl_VertexID\n",
    }
}

/// The sources of a program.
pub fn sources(dialect: Dialect, stage: Stage, seed: u64) -> Vec<(Stage, String)> {
    let run = function(seed);
    let mut all = match stage {
        Stage::Compute => vec![(stage, compute(&run))],
        Stage::Fragment => fragment(&run, seed),
        Stage::TessControl | Stage::TessEval => tessellation(&run, stage),
        Stage::Geometry => vec![index_vertex(), (stage, geometry(&run)), pass_on()],
        _ => vec![(Stage::Vertex, vertex(&run)), pass_on()],
    };
    all.iter_mut().for_each(|(_, text)| text.insert_str(0, header(dialect)));
    all
}

fn compute(run: &str) -> String {
    format!(
        "layout(local_size_x = 16) in;
layout(binding = 0) buffer I {{ ivec4 all_i[]; }};
layout(binding = 1) buffer X {{ vec4 all_x[]; }};
layout(binding = 2) buffer Y {{ vec4 all_y[]; }};
shared uint total;
shared int row[16];
{run}void main() {{
uint n = gl_GlobalInvocationID.x;
if (gl_LocalInvocationIndex == 0u) total = 0u;
run(n, all_i[n], all_x[n], all_y[n]);
row[gl_LocalInvocationIndex] = all_i[n].x;
barrier();
atomicAdd(total, uint(all_i[n].y));
barrier();
all_i[n].zw += ivec2(int(total), row[15u - gl_LocalInvocationIndex]);
}}
"
    )
}

/// A vertex shader and a fragment shader that both are random: the fragment uses the values of the provoking vertex.
fn fragment(run: &str, seed: u64) -> Vec<(Stage, String)> {
    let other = function(seed ^ 0x5bd1_e995);
    vec![
        (
            Stage::Vertex,
            format!(
                "{}{other}void main() {{
run(7u, v_i, v_x, v_y);
gl_Position = vec4(VERTEX_INDEX == 1 ? 3.0 : -1.0, VERTEX_INDEX == 2 ? 3.0 : -1.0, 0.5, 1.0);
}}
",
                results("flat out", "v_", "")
            ),
        ),
        (
            Stage::Fragment,
            format!(
                "{}{OUTPUTS}{run}void main() {{
run(uint(gl_FragCoord.x) + 16u * uint(gl_FragCoord.y), i, x, y);
i ^= v_i;
x -= v_x;
}}
",
                results("flat in", "v_", "")
            ),
        ),
    ]
}

fn vertex(run: &str) -> String {
    format!(
        "{}{run}void main() {{
uint n = uint(VERTEX_INDEX);
run(n, v_i, v_x, v_y);
gl_Position = {POSITION};
gl_PointSize = 1.0;
}}
",
        results("flat out", "v_", "")
    )
}

/// A vertex shader that passes its index on.
fn index_vertex() -> (Stage, String) {
    let text = "layout(location = 0) flat out uint index;
void main() {
index = uint(VERTEX_INDEX);
gl_Position = vec4(0.0);
}
";
    (Stage::Vertex, text.into())
}

/// A fragment shader that writes the results of the stage before it.
fn pass_on() -> (Stage, String) {
    let text = format!(
        "{}{OUTPUTS}void main() {{
i = v_i; x = v_x; y = v_y;
}}
",
        results("flat in", "v_", "")
    );
    (Stage::Fragment, text)
}

fn geometry(run: &str) -> String {
    format!(
        "layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 0) flat in uint index[];
{}{run}void main() {{
uint n = index[0];
run(n, v_i, v_x, v_y);
gl_Position = {POSITION};
gl_PointSize = 1.0;
EmitVertex();
}}
",
        results("flat out", "v_", "")
    )
}

/// Patches of three vertices whose corners become points.
fn tessellation(run: &str, stage: Stage) -> Vec<(Stage, String)> {
    let is_control = stage == Stage::TessControl;
    let (of_control, of_evaluation) = if is_control { (run, "") } else { ("", run) };
    let between = |qualifier: &str| match is_control {
        true => results(qualifier, "c_", "[]"),
        false => format!("layout(location = 0) {qualifier} uint c_n[];\n"),
    };
    let control = format!(
        "layout(vertices = 3) out;
layout(location = 0) flat in uint index[];
{}{of_control}void main() {{
{}
gl_TessLevelOuter[0] = 1.0;
gl_TessLevelOuter[1] = 1.0;
gl_TessLevelOuter[2] = 1.0;
gl_TessLevelInner[0] = 1.0;
}}
",
        between("out"),
        match is_control {
            true => {
                "ivec4 i; vec4 x, y;
run(index[gl_InvocationID], i, x, y);
c_i[gl_InvocationID] = i; c_x[gl_InvocationID] = x; c_y[gl_InvocationID] = y;"
            }
            false => "c_n[gl_InvocationID] = index[gl_InvocationID];",
        }
    );
    let evaluation = format!(
        "layout(triangles, equal_spacing, point_mode) in;
{}{}{of_evaluation}void main() {{
int corner = gl_TessCoord.x > 0.5 ? 0 : gl_TessCoord.y > 0.5 ? 1 : 2;
uint n = uint(gl_PrimitiveID * 3 + corner);
{}
gl_Position = {POSITION};
gl_PointSize = 1.0;
}}
",
        between("in"),
        results("flat out", "v_", ""),
        match is_control {
            true => "v_i = c_i[corner]; v_x = c_x[corner]; v_y = c_y[corner];",
            false => "run(c_n[corner], v_i, v_x, v_y);",
        }
    );
    vec![index_vertex(), (Stage::TessControl, control), (Stage::TessEval, evaluation), pass_on()]
}
