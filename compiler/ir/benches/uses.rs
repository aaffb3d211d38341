//! Two representations of the uses of values, as prototypes on the operands of the same shader:
//!
//! * *linked*: every value heads a doubly linked list of its uses (NIR, LLVM). Each operand costs two links.
//! * *counted*: every value has a count; values are replaced in batches by one pass over all instructions,
//!   and a table of users is built when one is needed.
//!
//! `cargo bench -p airfoil-ir --bench uses`; `docs/uses.md` has the figures.

#![allow(missing_docs)]

mod common;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

const NONE: u32 = u32::MAX;
const MAX: usize = 3;

/// The contents of an instruction besides operands, as large as in the IR.
type Payload = [u32; 8];

/// Operands of every instruction by index, as many as prototypes hold.
fn operands(size: usize) -> Vec<Vec<u32>> {
    let shader = common::shader(size);
    let body = shader.entry_body().expect("entry");
    let number: std::collections::HashMap<_, _> = body.all_instrs().zip(0u32..).collect();
    body.all_instrs()
        .map(|id| {
            let mut list = Vec::new();
            body[id].visit_operands(|v| list.push(number[&v]));
            list.truncate(MAX);
            list
        })
        .collect()
}

#[derive(Clone, Default)]
struct Counted {
    nodes: Vec<CountedNode>,
}

#[derive(Clone)]
struct CountedNode {
    operands: [u32; MAX],
    uses: u32,
    payload: Payload,
}

impl Counted {
    fn new(code: &[Vec<u32>]) -> Counted {
        let mut all = Counted { nodes: Vec::with_capacity(code.len()) };
        for list in code {
            let mut operands = [NONE; MAX];
            operands[..list.len()].copy_from_slice(list);
            all.nodes.push(CountedNode { operands, uses: 0, payload: [0; 8] });
        }
        // Uses may come before definitions (loops), so count at the end.
        for list in code {
            list.iter().for_each(|&v| all.nodes[v as usize].uses += 1);
        }
        all
    }

    fn replace(&mut self, to: &[u32]) {
        for node in &mut self.nodes {
            for v in node.operands.iter_mut().filter(|v| **v != NONE) {
                *v = to[*v as usize];
            }
        }
        for (old, &new) in to.iter().enumerate().filter(|(old, new)| *old as u32 != **new) {
            let uses = std::mem::take(&mut self.nodes[old].uses);
            self.nodes[new as usize].uses += uses;
        }
    }

    /// Start of each value's users, and the users.
    fn use_map(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = Vec::with_capacity(self.nodes.len() + 1);
        let mut total = 0;
        for n in &self.nodes {
            starts.push(total);
            total += n.uses;
        }
        starts.push(total);
        let (mut next, mut users) = (starts.clone(), vec![0; total as usize]);
        for (i, n) in self.nodes.iter().enumerate() {
            for &v in n.operands.iter().filter(|v| **v != NONE) {
                users[next[v as usize] as usize] = i as u32;
                next[v as usize] += 1;
            }
        }
        (starts, users)
    }
}

#[derive(Clone, Default)]
struct Linked {
    nodes: Vec<LinkedNode>,
}

/// A use is instruction * 4 + position of the operand.
#[derive(Clone, Copy)]
struct Use {
    value: u32,
    prev: u32,
    next: u32,
}

#[derive(Clone)]
struct LinkedNode {
    operands: [Use; MAX],
    head: u32,
    payload: Payload,
}

impl Linked {
    fn new(code: &[Vec<u32>]) -> Linked {
        let blank = Use { value: NONE, prev: NONE, next: NONE };
        let node = LinkedNode { operands: [blank; MAX], head: NONE, payload: [0; 8] };
        let mut all = Linked { nodes: vec![node; code.len()] };
        for (i, list) in code.iter().enumerate() {
            for (k, &v) in list.iter().enumerate() {
                all.link((i * 4 + k) as u32, v);
            }
        }
        all
    }

    fn at(&mut self, u: u32) -> &mut Use {
        &mut self.nodes[u as usize / 4].operands[u as usize % 4]
    }

    fn link(&mut self, u: u32, value: u32) {
        let next = std::mem::replace(&mut self.nodes[value as usize].head, u);
        *self.at(u) = Use { value, prev: NONE, next };
        if next != NONE {
            self.at(next).prev = u;
        }
    }

    fn replace_one(&mut self, old: u32, new: u32) {
        let mut u = std::mem::replace(&mut self.nodes[old as usize].head, NONE);
        while u != NONE {
            let next = self.at(u).next;
            self.link(u, new);
            u = next;
        }
    }

    fn count_users(&self) -> usize {
        let mut total = 0;
        for n in &self.nodes {
            let mut u = n.head;
            while u != NONE {
                total += 1;
                u = self.nodes[u as usize / 4].operands[u as usize % 4].next;
            }
        }
        total
    }
}

/// Every third value is replaced by its first operand, as copies are.
fn targets(code: &[Vec<u32>]) -> Vec<u32> {
    let mut to: Vec<u32> = (0..code.len() as u32).collect();
    for i in (0..code.len()).step_by(3) {
        if let Some(&first) = code[i].first().filter(|&&v| (v as usize) < i) {
            to[i] = to[first as usize];
        }
    }
    to
}

fn group<'a>(c: &'a mut Criterion, name: &str, n: usize) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.throughput(Throughput::Elements(n as u64));
    group
}

fn all(c: &mut Criterion) {
    for size in [10_000, 1_000_000] {
        let code = operands(size);
        let to = targets(&code);
        let (counted, linked) = (Counted::new(&code), Linked::new(&code));
        assert_eq!(counted.use_map().1.len(), linked.count_users());
        let mut g = group(c, &format!("uses/build/{size}"), code.len());
        g.bench_function("counted", |b| b.iter(|| Counted::new(&code)));
        g.bench_function("linked", |b| b.iter(|| Linked::new(&code)));
        g.finish();
        let mut g = group(c, &format!("uses/clone/{size}"), code.len());
        g.bench_function("counted", |b| b.iter(|| black_box(counted.clone())));
        g.bench_function("linked", |b| b.iter(|| black_box(linked.clone())));
        g.finish();
        let mut g = group(c, &format!("uses/replace a third/{size}"), code.len());
        g.bench_function("counted", |b| {
            b.iter_batched_ref(|| counted.clone(), |x| x.replace(&to), BatchSize::LargeInput);
        });
        g.bench_function("linked", |b| {
            let replace = |x: &mut Linked| {
                for (old, &new) in to.iter().enumerate().filter(|(old, new)| *old as u32 != **new) {
                    x.replace_one(old as u32, new);
                }
            };
            b.iter_batched_ref(|| linked.clone(), replace, BatchSize::LargeInput);
        });
        g.finish();
        let mut g = group(c, &format!("uses/visit all users/{size}"), code.len());
        g.bench_function("counted", |b| {
            b.iter(|| counted.use_map().1.iter().map(|&u| u as usize).sum::<usize>())
        });
        g.bench_function("linked", |b| b.iter(|| linked.count_users()));
        g.finish();
        black_box((counted.nodes[0].payload, linked.nodes[0].payload, linked.nodes[0].operands[0].value));
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
