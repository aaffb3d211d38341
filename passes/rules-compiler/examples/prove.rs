//! Proves the rules of files: `prove [SAMPLES] [PROOFS.txt] FILE...`. For work on rules; `airfoil rules test` does it for the
//! built-in ones. Rules that `PROOFS.txt` records are not proved again, and new proofs are recorded there.

use airfoil_rules::prove::{Cache, Effort, Verdict, prove};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut effort = Effort { samples: 100_000, timeout_ms: 10_000 };
    let mut rules = Vec::new();
    let mut proofs = None;
    for argument in std::env::args().skip(1) {
        if argument.ends_with(".txt") {
            proofs = Some(argument);
            continue;
        }
        match argument.parse() {
            Ok(samples) => effort.samples = samples,
            Err(_) => rules.extend(airfoil_rules::parse(&argument, &std::fs::read_to_string(&argument)?)?),
        }
    }
    let parts = airfoil_rules::compile(&rules)?;
    println!("{} rules, {} orders of operands", rules.len(), parts.num_variants());
    let read = |path: &String| std::fs::read_to_string(path).unwrap_or_default();
    let mut cache = Cache::parse(&proofs.as_ref().map(read).unwrap_or_default());
    for rule in &rules {
        if cache.get(rule).is_some() {
            continue;
        }
        let start = std::time::Instant::now();
        let verdict = prove(rule, &effort);
        if let (Verdict::Proved(how), Some(path)) = (&verdict, &proofs) {
            cache.add(rule, how);
            std::fs::write(path, cache.text(&rules))?;
        }
        let seconds = start.elapsed().as_secs_f64();
        if !matches!(verdict, Verdict::Proved(_)) || seconds > 5.0 {
            println!("{}:{}: {} ({seconds:.1} s): {verdict}", rule.file, rule.line, rule.name);
        }
    }
    Ok(())
}
