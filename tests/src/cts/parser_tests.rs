//! Tests of the parser with small files.

use super::*;

fn read(dialect: Dialect, text: &str) -> Result<TestFile, Fault> {
    let files = |path: &Path| match path.to_str() {
        Some("d/main.test") => Ok(text.to_string()),
        Some("d/other.test") => Ok("case inner vertex \"\"v\"\" fragment \"\"f\"\" end".to_string()),
        _ => Err("no such file".to_string()),
    };
    parse(Path::new("d/main.test"), dialect, &files)
}

fn message(text: &str) -> String {
    read(Dialect::Gls, text).unwrap_err().to_string()
}

#[test]
fn a_source_for_both_makes_two_cases() {
    let file = read(
        Dialect::Gls,
        r#"
        group uniform "a group with the name of a keyword"
          case x
            version 310 es
            expect compile_fail
            require extension { "GL_A" | "GL_B" } in { vertex, fragment }
            require limit "GL_MAX_X" > 3
            values { input mat2 m = [ mat2(1.0, -2.0, 3., 4.5) | mat2(0.0, 0.0, 0.0, 1.0) ];
                     uniform uint "s.u" = [ 7 | 4294967295 ];
                     output bool b = [ true | false ]; }
            both ""void main() {}""
          end
        end"#,
    )
    .unwrap();
    let names: Vec<&str> = file.cases.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["uniform.x_vertex", "uniform.x_fragment"]);
    let case = &file.cases[1];
    assert_eq!((case.line, case.expect), (3, Expect::CompileFail));
    assert_eq!(case.version, Version { number: 310, es: true, core: false });
    assert_eq!(case.requirements, [Requirement::Limit { name: "GL_MAX_X".into(), above: 3 }]);
    let block = &case.values[0];
    assert_eq!(block.rows(), 2);
    assert_eq!(block.inputs[0].row(0)[1], (-2.0f32).to_bits());
    assert_eq!(block.uniforms[0].row(1), [u32::MAX]);
    assert_eq!(block.outputs[0].components, Components::Bool(vec![true, false]));
    let Kind::Fragment(program) = &case.kind else { panic!("{:?}", case.kind) };
    assert_eq!(program.extensions[0].names, ["GL_A", "GL_B"]);
    assert_eq!(program.extensions[0].stages, Some(vec![Stage::Vertex, Stage::Fragment]));
}

#[test]
fn imports_are_in_their_place() {
    let text = r#"case a vertex ""v"" fragment ""f"" end
        group g "" import "other.test" case b vertex ""v"" fragment ""f"" end end"#;
    let text = text.replace("g \"\" import", "g 'text' import");
    let file = read(Dialect::Gls, &text).unwrap();
    let names: Vec<&str> = file.cases.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["a", "g.inner", "g.b"]);
    assert_eq!(file.imports, [PathBuf::from("d/other.test")]);
    assert!(read(Dialect::Gls, "import 'main.test'").unwrap_err().message.contains("import one another"));
    assert!(read(Dialect::Gls, "import 'none.test'").unwrap_err().message.contains("no such file"));
}

#[test]
fn pipelines() {
    let file = read(
        Dialect::Gls,
        r#"case p expect validation_fail version 320 es
             pipeline_program active_stages { vertex } vertex ""v"" end
             pipeline_program active_stages { fragment } require extension { 'GL_A' } fragment ""f"" end
           end"#,
    )
    .unwrap();
    let Kind::Pipeline(programs) = &file.cases[0].kind else { panic!() };
    assert_eq!(programs[1].active, [Stage::Fragment]);
    assert_eq!(programs[1].extensions[0].stages, None);
}

#[test]
fn rows_may_be_broadcast_in_one_dialect() {
    let text = "case c values { input int a = 1; output int b = [ 1 | -2147483648 ]; } values { }
                both \"\"x\"\" end";
    let file = read(Dialect::Glc, text).unwrap();
    assert_eq!(file.cases[0].values.len(), 2);
    assert_eq!(file.cases[0].values[0].inputs[0].row(1), [1]);
    assert!(message(text).contains("has 1 rows, others have 2"));
}

#[test]
fn faults_are_worded_and_have_lines() {
    assert_eq!(message("\ncase a\n nonsense\n\nend"), "d/main.test:3: `nonsense` is not part of a case");
    assert!(message("case a both \"\"x\"\" vertex \"\"y\"\" end").contains("mixes sources"));
    assert!(message("case a vertex \"\"y\"\" end").contains("lacks"));
    assert!(message("case a expect nothing end").contains("`nothing`"));
    assert!(message("group g 'd'").contains("the end of the file"));
    assert!(message("case a values { input float x = 1; }").contains("a number with a point"));
    assert!(message("case a values { input int x = 1.0; }").contains("an integer"));
    assert!(message("case a values { input vec2 x = vec3(1.0); }").contains("type vec2"));
    assert!(message("case a values { input int x = 4294967296; }").contains("32 bits"));
    assert!(message("case a values { input float4 x = 1; }").contains("unknown type `float4`"));
    assert!(message(&"group g 'd' ".repeat(1000)).contains("nested deeper"));
}
