//! Libraries of real shaders are read back unchanged: the same text, from bitcode and from the
//! library.

use airfoil::passes::manager::Manager;
use airfoil::{AirOptions, Form, OptLevel, ReadOptions};
use airfoil_air::{bitcode, inspect, ll, metallib, select};
use airfoil_filetest::harness;
use airfoil_tests::corpus;

fn written_modules_read_back_equal() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus").join("bench/core60");
    let (mut manager, options) = (Manager::default(), AirOptions::default());
    let mut compiled = 0;
    for level in [OptLevel::O0, OptLevel::O2] {
        let pipeline = airfoil::air::plan::pipeline(level, Form::Variables);
        for path in corpus::files(&folder, &["spv"]).unwrap() {
            let name = path.display();
            let words = airfoil::spirv::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
            let Ok(mut shader) = airfoil::steps::read_spirv(&words, &ReadOptions::default()) else {
                continue;
            };
            if manager.run(pipeline, &mut shader).is_err() {
                continue;
            }
            let Ok(selected) = select::select(&shader, &options) else { continue };
            let text = ll::print(&selected.module);
            let blob = bitcode::write_wrapped(&selected.module);
            let back = bitcode::read(&blob).unwrap_or_else(|e| panic!("{name}: {e}"));
            let again = ll::print(&back);
            let differs = || text.lines().zip(again.lines()).find(|(a, b)| a != b);
            assert!(text == again, "{name}: {:?}", differs());
            let inspection = inspect::inspect(&back);
            let entries =
                metallib::function_entries(&inspection, &blob).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(entries.len(), 1, "{name}");
            compiled += 1;
        }
    }
    assert!(compiled >= 100, "{compiled}");
}

airfoil_filetest::harness! {
    written_modules_read_back_equal needs(Corpus("bench/core60"));
}
