//! `airfoil sweep`.

use crate::run::Folder;

/// Two shaders and a file of pipelines.
fn corpus() -> Folder {
    let dir = Folder::new();
    std::fs::create_dir(dir.path().join("set")).unwrap();
    for name in ["lit.frag.spv", "sea.frag"] {
        dir.example(name);
        std::fs::rename(dir.path().join(name), dir.path().join("set").join(name)).unwrap();
    }
    dir.write("orders.txt", "# orders\nO0 = O0\nO2 = O2 # all\nloop(cse, dce)\n");
    dir
}

#[test]
fn each_file_has_a_row_for_each_pipeline() {
    let dir = corpus();
    let outcome = dir.run(&["sweep", "set", "--pipelines", "orders.txt", "--bytes", "--time", "2"]).ok();
    assert!(outcome.stderr.contains("execution with the seeds 0 to 4\n"), "{}", outcome.stderr);
    let text = outcome.text();
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[0].starts_with("file,pipeline,instrs,") && rows[0].ends_with(",bytes,us,check"), "{text}");
    let names = ["O0", "O2", "\"loop(cse, dce)\""];
    let expected: Vec<String> = ["set/lit.frag.spv", "set/sea.frag"]
        .iter()
        .flat_map(|file| names.map(|name| format!("{file},{name},")))
        .collect();
    assert_eq!(rows.len(), 7);
    for (row, start) in rows[1..].iter().zip(&expected) {
        assert!(row.starts_with(start) && row.ends_with(",same"), "{row}");
    }
    // `airfoil stats` measures the same and compares such rows.
    let stats = dir.run(&["stats", "set", "--pipeline", "O2", "--bytes", "--format", "csv"]).ok().text();
    let sizes = |text: &str| text.rsplit_once(',').unwrap().0.to_string();
    let first = stats.lines().nth(1).unwrap();
    assert!(sizes(rows[2]).starts_with(&sizes(first)), "{first}\n{}", rows[2]);
    dir.write("rows.csv", &text);
    let diff = dir.run(&["stats", "--diff", "rows.csv", "rows.csv"]).ok().text();
    assert!(diff.contains("shaders in both runs"), "{diff}");
}

#[test]
fn shards_make_up_the_corpus() {
    let dir = corpus();
    let run = |shard: &[&str]| {
        let all = [&["sweep", "set", "--pipelines", "orders.txt", "--no-check"], shard].concat();
        let text = dir.run(&all).ok().text();
        text.lines().skip(1).map(str::to_string).collect::<Vec<_>>()
    };
    let shards = [run(&["--shard", "1/2"]), run(&["--shard", "2/2"])].concat();
    assert_eq!(shards, run(&[]));
    assert!(shards.iter().all(|row| !row.ends_with(",same")), "not checked");
    dir.run(&["sweep", "set", "--pipelines", "orders.txt", "--shard", "3/2"]).fails(2, &["expected I/N"]);
}

#[cfg(unix)]
#[test]
fn a_sweep_continues_from_its_cache() {
    let dir = corpus();
    let run = |pipelines: &str| {
        dir.run(&["sweep", "set", "--pipelines", pipelines, "--time", "1", "--cache", "rows"]).ok().text()
    };
    dir.write("some.txt", "O0\nslow = O2\n");
    let some = run("some.txt");
    let all = run("orders.txt");
    // Times differ from run to run, unless they are those of the first; the name of a pipeline can change.
    let row = |text: &str, file: &str, name: &str| {
        let start = format!("{file},{name},");
        text.lines().find_map(|line| line.strip_prefix(&start)).unwrap().to_string()
    };
    for file in ["set/lit.frag.spv", "set/sea.frag"] {
        assert_eq!(row(&some, file, "O0"), row(&all, file, "O0"));
        assert_eq!(row(&some, file, "slow"), row(&all, file, "O2"));
    }
    assert_eq!(all, run("orders.txt"));
    // A file that changed is measured again.
    dir.write("set/sea.frag", "#version 330\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n");
    let changed = run("orders.txt");
    let lit =
        |text: &str| text.lines().filter(|line| line.contains("lit")).map(str::to_string).collect::<Vec<_>>();
    assert_eq!(lit(&all), lit(&changed));
    assert_ne!(row(&all, "set/sea.frag", "O2"), row(&changed, "set/sea.frag", "O2"));
    dir.write("file", "");
    dir.run(&["sweep", "set", "--pipelines", "orders.txt", "--cache", "file"]).fails(1, &["E0005"]);
}

#[test]
fn a_search_is_repeatable_and_finds_no_worse_order() {
    let dir = corpus();
    let args = [
        "sweep",
        "set/lit.frag.spv",
        "--search",
        "12",
        "--seed",
        "7",
        "--pool",
        "dce, simplify, cse, opt_undef",
    ];
    let run = |name: &str| {
        let outcome = dir.run(&[&args[..], &["-o", name]].concat()).ok();
        (outcome.stderr, String::from_utf8(dir.read(name)).unwrap())
    };
    let (first, rows) = run("a.csv");
    assert_eq!((first.clone(), rows.clone()), run("b.csv"));
    assert!(first.starts_with("seed 7\nexecution with the seeds 0 to 4\n"), "{first}");
    assert!(first.contains("12 orders tried; least cost ") && first.contains("loop("), "{first}");
    assert_eq!(rows.lines().count(), 13);
    let column = rows.lines().next().unwrap().rsplit(',').position(|name| name == "lanes").unwrap();
    let lanes = |row: &str| row.rsplit(',').nth(column).and_then(|cell| cell.parse::<u64>().ok());
    let tried: Vec<u64> = rows.lines().skip(1).filter_map(lanes).collect();
    let least = tried.iter().min().unwrap();
    assert!(tried.len() == 12 && first.contains(&format!("least cost {least}")), "{first}\n{rows}");
    let (_, lines) = run("c.jsonl");
    let row: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(row["check"], "same");
}

#[test]
fn what_is_refused_is_in_the_rows() {
    let dir = corpus();
    let code = "32x1 %0 = const 0\n32x4 %1 = load_input %0 io=position dest_type=float32\nstore_output %1, %0 io=frag_color \
                mask=xyzw src_type=float32\n";
    let text = format!("foil 1\nshader fragment \"place\" {{\nform slots\nfn main {{\nb0:\n{code}}}\n}}\n");
    dir.write("set/place.foil", text);
    // The pass requires system values.
    dir.write("orders.txt", "refused = lower_window_origin\ntaken = dce\n");
    let outcome = dir.run(&["sweep", "set/place.foil", "--pipelines", "orders.txt"]).ok();
    assert!(outcome.stderr.contains("error[E0834]"), "{}", outcome.stderr);
    let text = outcome.text();
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[1].starts_with("set/place.foil,refused,,,") && rows[1].ends_with(",refused"), "{text}");
    assert!(rows[2].ends_with(",same"), "{text}");
}

#[test]
fn wrong_arguments_are_named() {
    let dir = corpus();
    dir.run(&["sweep", "set"]).fails(2, &["--pipelines <FILE>", "--search <N>"]);
    dir.run(&["sweep", "set", "--pipelines", "absent.txt"]).fails(1, &["E0001", "absent.txt"]);
    dir.write("wrong.txt", "a = dce\nb = dce, ces\n");
    dir.run(&["sweep", "set", "--pipelines", "wrong.txt"]).fails(1, &["E0802", "wrong.txt:2:10"]);
    dir.run(&["sweep", "set", "--pipelines", "orders.txt", "-o", "rows.xml"])
        .fails(2, &["rows.xml", "csv, jsonl"]);
    dir.run(&["sweep", "set", "--search", "1", "--cost", "beauty"]).fails(2, &["expected a size", "lanes"]);
    dir.run(&["sweep", "set", "--search", "1", "--around", "dce"]).fails(2, &["expected one `@`"]);
    dir.run(&["sweep", "set", "--search", "1", "--pool", "loop(dce)"]).fails(2, &["expected passes"]);
    dir.write("set/broken.frag", "void main() { x = 1; }");
    let nothing = dir.run(&["sweep", "set/broken.frag", "--search", "3"]);
    assert!(!nothing.fails(1, &["E1"]).stderr.contains("orders tried"));
    assert!(!dir.files().iter().any(|name| name.starts_with("rows")));
}
