//! Every `.test` file of the shared corpus is read, and every case of it gives whole programs.

use airfoil_filetest::harness;
use airfoil_tests::corpus;
use airfoil_tests::cts::case::Expect;
use airfoil_tests::cts::{Dialect, parser, specialize};
use std::collections::BTreeSet;

fn all_files_are_read_and_all_cases_specialised() {
    let folder = harness::corpus().expect("the test declares that it needs the corpus").join("cts");
    let files = corpus::files(&folder, &["test"]).unwrap();
    assert!(!files.is_empty());
    let (mut cases, mut rows) = (0, 0);
    for path in &files {
        let file = parser::load(path).unwrap_or_else(|fault| panic!("{fault}"));
        let names: BTreeSet<&str> = file.cases.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names.len(), file.cases.len(), "{}: names of cases", path.display());
        for case in &file.cases {
            for values in &case.values {
                let programs = specialize::programs(case, values, Dialect::of(path), &|_| true);
                let programs = programs.unwrap_or_else(|unfit| panic!("{}: {unfit:?}", case.name));
                assert!(programs.iter().all(|p| !p.is_empty()));
                if case.expect == Expect::Pass {
                    rows += values.rows();
                }
            }
        }
        cases += file.cases.len();
    }
    assert!(cases >= files.len() && rows > cases / 2, "{cases} cases, {rows} rows");
}

airfoil_filetest::harness! {
    all_files_are_read_and_all_cases_specialised needs(Corpus("cts"));
}
