//! Mining of rules: expressions that occur in shaders, and cheaper equal forms of them.
//!
//! * [`corpus`]: the expressions of up to three operations, with the cost of their operations and their frequency.
//! * [`search`](mod@search): expressions over the same operands, by evaluation on sample values.
//! * [`rule`]: candidates as rules, with the weakest flags under which they hold.
//!
//! Method: Bansal & Aiken 2006, "Automatic Generation of Peephole Superoptimizers": replacements are enumerated from small to
//! large and found by a fingerprint of their values; the proof comes last.

pub mod corpus;
pub mod rule;
pub mod search;
pub mod term;

pub use corpus::{Corpus, Pattern};
pub use rule::{Mined, covers};

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use term::Leaf;

/// How much to search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The search stops after this time.
    pub time: Duration,
    /// Threads.
    pub threads: usize,
}

/// Patterns with the same operands, and the lanes in which they occur.
type Group = (Vec<Leaf>, Vec<(Pattern, u64)>);

/// The rules for the expressions of a corpus, those that save most first.
pub fn mine(corpus: &Corpus, limits: Limits) -> Vec<Mined> {
    let start = Instant::now();
    let all = corpus.patterns();
    let mut mined: Vec<Mined> = Vec::new();
    for size in 1..=3 {
        // Constants first stand for any, so that one rule covers all of them; then for themselves.
        for general in [true, false] {
            let mut counts: HashMap<Pattern, u64> = HashMap::new();
            for (pattern, count) in all.iter().filter(|(p, _)| p.term.size() == size) {
                if mined.iter().any(|m| m.pattern.occurs_in(pattern)) {
                    continue;
                }
                let key = match (general, pattern.generalized()) {
                    (true, Some(other)) => other,
                    (true, None) | (false, Some(_)) => pattern.clone(),
                    // Has no constants: searched before.
                    (false, None) => continue,
                };
                *counts.entry(key).or_default() += count;
            }
            mined.extend(search_all(groups(counts), size > 1, limits, start));
        }
    }
    mined.sort_by(|a, b| {
        let worth = |m: &Mined| m.count * u64::from(m.saves);
        worth(b).cmp(&worth(a)).then_with(|| a.pattern.term.cmp(&b.pattern.term))
    });
    for (i, found) in mined.iter_mut().enumerate() {
        found.rule.name = format!("mined_{}", i + 1);
    }
    mined
}

/// Patterns by their operands, those that cost most first.
fn groups(counts: HashMap<Pattern, u64>) -> Vec<Group> {
    let mut by_leaves: HashMap<Vec<Leaf>, Vec<(Pattern, u64)>> = HashMap::new();
    for (pattern, count) in counts {
        by_leaves.entry(pattern.leaves.clone()).or_default().push((pattern, count));
    }
    let mut groups: Vec<Group> = by_leaves.into_iter().collect();
    for (_, patterns) in &mut groups {
        patterns.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.term.cmp(&b.0.term)));
    }
    let worth = |g: &Group| -> u64 { g.1.iter().map(|(p, n)| n * u64::from(p.cost())).sum() };
    groups.sort_by(|a, b| worth(b).cmp(&worth(a)).then_with(|| a.0.cmp(&b.0)));
    groups
}

/// Searches groups on several threads, as long as there is time.
fn search_all(groups: Vec<Group>, deep: bool, limits: Limits, start: Instant) -> Vec<Mined> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Vec<Mined>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..limits.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(group) = groups.get(at).filter(|_| start.elapsed() < limits.time) else {
                        return;
                    };
                    let mined = search_group(group, deep);
                    if !mined.is_empty()
                        && let Ok(mut results) = results.lock()
                    {
                        results.push((at, mined));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().flat_map(|(_, mined)| mined).collect()
}

fn search_group((leaves, patterns): &Group, deep: bool) -> Vec<Mined> {
    // Many operands make the search long, and are seldom all needed.
    let deep = deep && leaves.len() <= 4;
    let list: Vec<&Pattern> = patterns.iter().map(|(p, _)| p).collect();
    let found = search::search(leaves, &list, deep);
    let rules = patterns.iter().zip(found);
    rules.filter_map(|((pattern, count), found)| Mined::new(pattern, &found?, *count)).collect()
}
