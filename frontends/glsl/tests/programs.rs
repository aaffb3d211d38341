//! Programs of several sources: locations name their source.

use airfoil_glsl::{ProgramOptions, Source, build};
use airfoil_ir::{Place, Stage};

const VERT: &str = "#version 330\nuniform vec4 x;\nvoid main() { gl_Position = x; }\n";

/// File and line of the first fault of two linked sources.
fn fault(names: [&str; 2], frag: &str) -> (String, u32) {
    let sources = [
        Source { name: names[0], stage: Stage::Vertex, text: VERT },
        Source { name: names[1], stage: Stage::Fragment, text: frag },
    ];
    let faults = build(&sources, &ProgramOptions::default()).unwrap_err();
    match &faults[0].place {
        Place::Text { file, line, .. } => (file.to_string(), *line),
        other => panic!("{other:?}: {}", faults[0].message),
    }
}

#[test]
fn faults_of_the_link_name_their_source() {
    let frag = "#version 330\n\nuniform vec3 x;\nout vec4 c;\nvoid main() { c = x.xyzz; }\n";
    assert_eq!(fault(["a.vert", "a.frag"], frag), ("a.frag".to_string(), 3));
    assert_eq!(fault(["", ""], frag), (String::new(), 3));
}

#[test]
fn strings_that_line_directives_number_keep_their_numbers() {
    let frag = "#version 330\n#line 20 7\nuniform vec3 x;\nout vec4 c;\nvoid main() { c = x.xyzz; }\n";
    assert_eq!(fault(["a.vert", "a.frag"], frag), ("7".to_string(), 20));
    let huge = frag.replace("20 7", "20 2000000000");
    let (file, line) = fault(["a.vert", "a.frag"], &huge);
    assert!(line == 20 && file.parse::<u32>().is_ok(), "{file}:{line}");
}

#[test]
fn shaders_name_their_files() {
    let part = "#version 330\nvec4 shade() { return vec4(0.5); }\n";
    let main = "#version 330\nvec4 shade();\nout vec4 c;\nvoid main() { c = shade(); }\n";
    let sources = [
        Source { name: "a.vert", stage: Stage::Vertex, text: VERT },
        Source { name: "main.frag", stage: Stage::Fragment, text: main },
        Source { name: "part.frag", stage: Stage::Fragment, text: part },
    ];
    let program = build(&sources, &ProgramOptions::default()).unwrap();
    let files = |n: usize| {
        let mut names: Vec<&str> = program.shaders[n].files.iter().map(|f| &**f).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(files(0), ["a.vert"]);
    assert_eq!(files(1), ["main.frag", "part.frag"]);
}

#[test]
fn derivatives_of_two_by_two_invocations_count_by_groups() {
    let build_with = |group: &str, x: u32| {
        let text = format!(
            "#version 450\n#extension GL_KHR_compute_shader_derivatives : require\n\
             layout(local_size_x = {x}, local_size_y = 2, {group}) in;\nlayout(binding = 0) buffer B {{ float f; }};\n\
             void main() {{ f = dFdx(float(gl_LocalInvocationIndex)); }}\n"
        );
        let sources = [Source { name: "a.comp", stage: Stage::Compute, text: &text }];
        build(&sources, &ProgramOptions::default())
    };
    for (group, quads) in [("derivative_group_quadsKHR", true), ("derivative_group_linearKHR", false)] {
        let program = build_with(group, 4).unwrap();
        assert_eq!(program.shaders[0].info.quad_groups, quads);
    }
}
