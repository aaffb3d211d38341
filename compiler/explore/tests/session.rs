//! Sessions as the page holds them.

use airfoil_explore::{Answer, Session};
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const SEA: &str = include_str!("../../../examples/shaders/sea.frag");

fn clock() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// A session and its reply to the first request.
fn open(text: &str, more: Value) -> (Session, Value) {
    let mut session = Session::new(clock);
    let mut request =
        json!({ "op": "compile", "kind": "glsl", "stage": "fragment", "level": "O2", "text": text });
    for (key, value) in more.as_object().into_iter().flatten() {
        request[key] = value.clone();
    }
    let answer = ask(&mut session, request).json;
    (session, answer)
}

#[track_caller]
fn ask(session: &mut Session, request: Value) -> Answer {
    let answer = session.call(&request.to_string());
    assert_eq!(answer.json.get("error"), None, "{request}");
    answer
}

#[test]
fn faults_have_lines_and_fixing_them_compiles() {
    let (_, answer) = open("void main() {\n  gl_FragColor = vec4(tint);\n}\n", json!({}));
    assert_eq!(answer["ok"], false);
    assert_eq!(
        (&answer["diagnostics"][0]["line"], &answer["diagnostics"][0]["column"]),
        (&json!(2), &json!(23))
    );
    let (_, answer) = open(SEA, json!({}));
    assert_eq!((&answer["ok"], &answer["diagnostics"]), (&json!(true), &json!([])));
    assert!(answer["air"].as_str().unwrap().contains("define") && answer["bytes"].as_u64() > Some(1000));
}

#[test]
fn every_pass_leaves_the_image_as_it_was() {
    let (mut session, _) = open(SEA, json!({}));
    let steps = ask(&mut session, json!({ "op": "steps" })).json;
    assert_eq!(steps["faults"], json!([]));
    let changed = steps["ran"].as_array().unwrap().iter().filter(|r| r["changed"] == true).count();
    assert!(changed > 10, "{changed}");
    assert!(steps["rows"].as_array().unwrap().len() > 80);
    let image = |session: &mut Session, step: usize, time: f64| {
        let uniforms = json!({ "time": [time], "water.deep": [0.0, 0.1, 0.3], "water.shallow": [0.1, 0.5, 0.6],
            "water.ripple": [0.4], "water.crest": [0.3], "eye": [0.5, 2.0, 1.5] });
        let inputs = json!({ "normal": [[0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]] });
        let request = json!({ "op": "image", "step": step, "size": 12, "from": 0, "to": 12, "uniforms": uniforms,
            "inputs": inputs });
        ask(session, request).bytes
    };
    let first = image(&mut session, 0, 1.5);
    assert_eq!(first.len(), 12 * 12 * 4);
    assert!(first.chunks(4).any(|p| p != &first[..4]), "the image has several colours");
    for step in 1..=changed {
        let now = image(&mut session, step, 1.5);
        // Passes may round differently.
        let far = first.iter().zip(&now).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(far <= first.len() / 50, "{far} bytes differ after {step} changes");
    }
    assert_ne!(first, image(&mut session, 0, 7.5), "uniforms matter");
    // In parts, the image is the same.
    let request = |from: u32, to: u32| json!({ "op": "image", "size": 12, "from": from, "to": to, "uniforms": {}, "inputs": {} });
    let [all, high, low] = [(0, 12), (0, 5), (5, 12)].map(|(a, b)| ask(&mut session, request(a, b)).bytes);
    assert_eq!([high, low].concat(), all);
}

#[test]
fn pipelines_can_be_changed() {
    let (mut session, answer) = open(SEA, json!({}));
    let plan = answer["plan"].as_str().unwrap().to_string();
    let steps = ask(&mut session, json!({ "op": "steps" })).json;
    let rows = steps["rows"].as_array().unwrap();
    let does = |ran: &Value| {
        ran["changed"] == true && rows[ran["row"].as_u64().unwrap() as usize]["text"] == "simplify"
    };
    assert!(steps["ran"].as_array().unwrap().iter().any(does));
    let without = plan.replace("simplify, ", "");
    let (mut session, changed) = open(SEA, json!({ "pipeline": without }));
    assert_eq!(changed["plan"], json!(without));
    assert!(changed["air"].is_string() && changed["air"] != answer["air"], "the other code compiles, too");
    let loops = ask(&mut session, json!({ "op": "graph", "view": "loops", "step": 0 })).json;
    assert!(
        loops["nodes"].as_array().unwrap().len() > 1 && loops["dot"].as_str().unwrap().contains("loop at")
    );
    let (_, answer) = open(SEA, json!({ "pipeline": "dce, ces" }));
    assert_eq!(answer["plan_faults"][0]["column"], 6);
    let (_, answer) = open(SEA, json!({ "pipeline": "dce" }));
    assert!(answer["air_faults"][0]["message"].is_string(), "not lowered: {answer}");
}

#[test]
fn views_name_source_lines() {
    let (mut session, answer) = open(SEA, json!({}));
    let lines = ask(&mut session, json!({ "op": "lines" })).json["lines"].clone();
    let lines: Vec<u64> = lines.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let air: Vec<&str> = answer["air"].as_str().unwrap().lines().collect();
    assert_eq!(lines.len(), air.len());
    let sample = air.iter().position(|l| l.contains("sample_texture_cube") && l.contains("call")).unwrap();
    assert_eq!(lines[sample], 47);
    let diff = ask(&mut session, json!({ "op": "ir", "step": 2, "diff": true })).json;
    let kinds: Vec<&str> = diff["diff"].as_array().unwrap().iter().map(|l| l[0].as_str().unwrap()).collect();
    assert!(kinds.contains(&" ") && kinds.iter().any(|k| *k != " "), "{kinds:?}");
    let spirv = ask(&mut session, json!({ "op": "spirv", "step": 0 })).json;
    assert!(spirv["text"].as_str().unwrap().contains("OpLine") && spirv["optimized"] == false);
    let last = ask(&mut session, json!({ "op": "steps" })).json;
    let end = last["ran"].as_array().unwrap().last().unwrap()["shader"].clone();
    let spirv = ask(&mut session, json!({ "op": "spirv", "step": end })).json;
    assert_eq!(spirv["optimized"], true, "{spirv}");
    let reflection = ask(&mut session, json!({ "op": "reflection" })).json;
    assert!(reflection["text"].as_str().unwrap().contains("\"sky\""));
}

#[test]
fn a_pixel_is_traced() {
    let text = "#version 330\nuniform float gain;\nout vec4 color;\nvoid main() {\n  \
                color = vec4(gain * gl_FragCoord.x, 0.0, 0.0, 1.0);\n}\n";
    let (mut session, _) = open(text, json!({}));
    let world = ask(&mut session, json!({ "op": "world" })).json;
    assert_eq!(world["uniforms"], json!([{ "name": "gain", "type": "float", "numbers": 1 }]));
    let request =
        json!({ "op": "pixel", "size": 8, "x": 6, "y": 1, "uniforms": { "gain": [2] }, "inputs": {} });
    let trace = ask(&mut session, request).json;
    assert_eq!(trace["color"][0], "13.0", "2 * 6.5");
    let lines = trace["lines"].as_array().unwrap();
    let product = lines.iter().find(|l| l["text"].as_str().unwrap().contains("fmul")).unwrap();
    assert_eq!((&product["line"], &product["values"]), (&json!(5), &json!(["13.0"])));
}

#[test]
fn other_sources_and_wrong_requests() {
    let foil = include_str!("../../../examples/shaders/fade.foil");
    let (mut session, answer) = open(foil, json!({ "kind": "foil" }));
    assert!(answer["air"].is_string());
    // SPIR-V text that the session wrote is a source again.
    let spirv = ask(&mut session, json!({ "op": "spirv" })).json["text"].as_str().unwrap().to_string();
    let (_, answer) = open(&spirv, json!({ "kind": "spirv" }));
    assert!(answer["air"].is_string(), "{answer}");
    let mut session = Session::new(clock);
    for request in ["", "{}", "{\"op\": \"ir\"}", "{\"op\": \"compile\"}", "{\"op\": \"image\", \"size\": 4}"]
    {
        assert!(session.call(request).json["error"].is_string(), "{request}");
    }
}
