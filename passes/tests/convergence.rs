//! Passes that optimise neither copy convergent instructions nor move them into ifs: barriers, subgroup operations,
//! derivatives and textures with implicit level of detail depend on which invocations execute them together.

mod support;

use airfoil_ir::generate::{self, from_seed};
use airfoil_ir::{Body, Cursor, Form, Instr, InstrId, Owner, Shader, Stage};
use airfoil_passes::registry::Registry;
use airfoil_passes::{Manager, Pipeline};

/// Number of ifs around each convergent instruction, most first.
fn convergent(shader: &Shader) -> Vec<usize> {
    let mut depths = Vec::new();
    for function in shader.functions.values() {
        let body = &function.body;
        for block in body.blocks() {
            let count = body.instrs(block).filter(|&id| body[id].is_convergent()).count();
            if count > 0 {
                depths.extend(std::iter::repeat_n(depth(body, body.owner(block)), count));
            }
        }
    }
    depths.sort_unstable_by(|a, b| b.cmp(a));
    depths
}

fn depth(body: &Body, mut owner: Owner) -> usize {
    let mut depth = 0;
    while let Some(cf) = owner.cf() {
        depth += usize::from(body.as_if(cf).is_some());
        owner = body.cf_owner(cf);
    }
    depth
}

/// Whether `after` can result from `before` by removing instructions and ifs.
fn keeps(before: &[usize], after: &[usize]) -> bool {
    after.len() <= before.len() && before.iter().zip(after).all(|(b, a)| a <= b)
}

/// The shaders of the text tests and random ones.
fn shaders() -> Vec<Shader> {
    let mut list = Vec::new();
    for path in support::files() {
        let test = support::test(&path);
        list.extend(support::shaders(&test.parts[0].text).unwrap_or_default());
    }
    for seed in 0..60 {
        let form = if seed % 2 == 0 { Form::Variables } else { Form::Slots };
        let stage = if seed % 4 < 2 { Stage::Fragment } else { Stage::Compute };
        let options = generate::Options {
            form: Some(form),
            stage: Some(stage),
            instrs: 120,
            depth: 4,
            ..Default::default()
        };
        list.push(from_seed(seed, &options));
    }
    list
}

#[test]
fn optimizations_keep_convergent_instructions_where_they_are() {
    let shaders = shaders();
    let with = shaders.iter().filter(|s| !convergent(s).is_empty()).count();
    assert!(with > 30, "{with} shaders with convergent instructions");
    let group = Registry::builtin().groups().iter().find(|g| g.name == "Optimization");
    let passes: Vec<&str> = group.into_iter().flat_map(|g| g.passes.iter().map(|e| e.name())).collect();
    assert!(passes.contains(&"loop_unroll") && passes.contains(&"peephole_select"), "{passes:?}");
    let mut failures = Vec::new();
    for name in passes {
        let pipeline = Pipeline::parse(name).expect("a pass");
        for shader in &shaders {
            let before = convergent(shader);
            let mut copy = shader.clone();
            if Manager::default().run(&pipeline, &mut copy).is_ok() && !keeps(&before, &convergent(&copy)) {
                failures.push(format!("{name}: {} {:?} -> {:?}", shader.name, before, convergent(&copy)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn derivative(body: &Body) -> InstrId {
    body.all_instrs().find(|&id| body[id].is_convergent()).expect("a derivative")
}

/// The comparison finds a copy, and an instruction that moves into a side.
#[test]
fn copies_and_moves_are_noticed() {
    let text = "foil 1\nshader fragment \"t\" {\nform slots\nfn main {\n32x1 %0 = const 0\n\
                32x1 %1 = load_input %0 io=0 dest_type=float32\n32x1 %2 = fddx %1\n1x1 %3 = flt %1, %0\n\
                if %3 {\n}\nstore_output %2, %0 io=0 mask=x\n}\n}\n";
    let shader = airfoil_ir::text::parse(text).expect("parses");
    let before = convergent(&shader);
    assert_eq!(before, [0]);
    let edit = |f: fn(&mut Body)| {
        let mut copy = shader.clone();
        f(copy.entry_body_mut().expect("a body"));
        convergent(&copy)
    };
    let copied = edit(|body| {
        let id = derivative(body);
        let instr = Instr::new(body[id].kind.clone(), body[id].ty);
        body.insert(Cursor::After(id), instr);
    });
    let moved = edit(|body| {
        let id = derivative(body);
        let then = body.blocks().nth(1).expect("the side");
        body.move_to(id, Cursor::BlockEnd(then));
    });
    assert!(!keeps(&before, &copied) && !keeps(&before, &moved) && keeps(&before, &before));
    assert!(keeps(&before, &[]));
}
