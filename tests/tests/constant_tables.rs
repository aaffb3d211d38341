//! Defect 13: no module of real-spv stores the elements of a constant table. Counts, in the emitted text, local arrays
//! to which constants alone are stored, and arrays in constant memory.

use airfoil::passes::manager::Manager;
use airfoil::{AirOptions, OptLevel, ReadOptions};
use airfoil_air::{ll, select};
use airfoil_filetest::harness;
use airfoil_tests::corpus;
use std::collections::HashMap;

/// The local arrays of a function to which constants alone are stored.
fn tables(function: &str) -> usize {
    // Values that point into an array, with the array; per array, stores of constants and of other values.
    let (mut roots, mut stores) = (HashMap::new(), HashMap::<&str, [u32; 2]>::new());
    for line in function.lines().map(str::trim) {
        if let Some((name, _)) = line.split_once(" = alloca [") {
            roots.insert(name, name);
            stores.insert(name, [0; 2]);
        } else if let Some((name, rest)) = line.split_once(" = getelementptr ") {
            let root = rest.split_once("* ").and_then(|(_, rest)| rest.split(',').next());
            if let Some(&root) = root.and_then(|root| roots.get(root)) {
                roots.insert(name, root);
            }
        } else if let Some((value, target)) = line.strip_prefix("store ").and_then(|s| s.rsplit_once("* ")) {
            let target = target.split(',').next().and_then(|target| roots.get(target));
            if let Some(counts) = target.and_then(|root| stores.get_mut(root)) {
                counts[usize::from(value.contains('%'))] += 1;
            }
        }
    }
    stores.values().filter(|counts| counts[0] > 0 && counts[1] == 0).count()
}

fn real_modules_store_no_tables() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus").join("real-spv");
    let (mut manager, options) = (Manager::default(), AirOptions::default());
    let (mut modules, mut constants, mut stored) = (0, 0, Vec::new());
    for path in corpus::files(&folder, &["spv"]).unwrap() {
        let words = airfoil::spirv::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        for level in [OptLevel::O0, OptLevel::O2] {
            let Ok(mut shader) = airfoil::steps::read_spirv(&words, &ReadOptions::default()) else {
                continue;
            };
            let pipeline = airfoil::air::plan::pipeline(level, shader.form);
            if manager.run(pipeline, &mut shader).is_err() {
                continue;
            }
            let Ok(selected) = select::select(&shader, &options) else { continue };
            let text = ll::print(&selected.module);
            modules += 1;
            constants += text.matches("addrspace(2) constant [").count();
            let found: usize = text.split("\ndefine ").skip(1).map(tables).sum();
            if found > 0 {
                stored.push(format!("{} {level:?}: {found}", path.display()));
            }
        }
    }
    assert!(modules >= 900 && constants >= 20, "{modules} modules, {constants} constant arrays");
    assert!(stored.is_empty(), "{stored:#?}");
}

fn tables_are_recognised() {
    let table = "void @f() {\n  %v0 = alloca [2 x i32], align 4\n  %v1 = getelementptr inbounds [2 x i32], [2 x i32]* %v0, i64 0, i64 0\n  store i32 7, i32* %v1, align 4\n}";
    assert_eq!(tables(table), 1);
    assert_eq!(tables(&table.replace("i32 7", "i32 %v2")), 0);
}

airfoil_filetest::harness! {
    real_modules_store_no_tables needs(Corpus("real-spv"));
    tables_are_recognised;
}
