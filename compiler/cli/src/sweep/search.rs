//! The search for an order of passes: half of the tries are random orders, the others neighbours of the best one so far
//! (stochastic hill climbing; Almagor et al., "Finding effective compilation sequences", LCTES 2004, found that it needs
//! few tries in the space of pass orders).

use super::evaluate::File;
use super::pipelines::Named;
use super::{Sweep, SweepArgs};
use crate::Failure;
use crate::batch::{self, Log, Tally};
use crate::plan::usage;
use crate::random::Random;
use crate::report::Console;
use crate::stats::row::Row;
use airfoil::passes::registry::Registry;
use airfoil::passes::{Pipeline, Step};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// The passes of the preset `values`, which are ordered by default.
pub const POOL: &str = "dce, simplify, scalar_products, split_lanes, shrink_vectors, remove_phis, dead_cf, loop_unroll, \
                        opt_loop, simplify_if, peephole_select";

/// The pipeline around the order by default: local variables become values, then inputs and outputs are lowered.
pub const AROUND: &str = "O2_front, outputs, locals, slots, io, loop(@)";

/// Attempts to find an order that was not tried yet.
const ATTEMPTS: usize = 1000;

/// An order: indices of passes of the pool, each at most once.
type Order = Vec<usize>;

/// A search.
#[derive(Debug)]
pub struct Search<'a> {
    args: &'a SweepArgs,
    registry: &'a Registry,
    tries: usize,
    pool: Vec<String>,
    random: Random,
    seen: BTreeSet<Order>,
}

impl<'a> Search<'a> {
    /// A search for `tries` orders.
    ///
    /// # Errors
    /// The pool or the pipeline around it is not valid.
    pub fn new(
        args: &'a SweepArgs,
        registry: &'a Registry,
        tries: NonZeroUsize,
        console: Console,
    ) -> Result<Search<'a>, Failure> {
        let fail = |fault, option, text| Failure::Reported(2, console.render(&[fault], option, Some(text)));
        let pool = Pipeline::parse_with(&args.pool, registry).map_err(|e| fail(e, "--pool", &args.pool))?;
        let pass =
            |step: &Step| if let Step::Pass(pass) = step { Some(pass.text().to_string()) } else { None };
        let pool: Option<Vec<String>> = pool.steps().iter().map(pass).collect();
        let Some(pool) = pool.filter(|pool| !pool.is_empty()) else {
            let message = format!("expected passes of single shaders, found `{}`", args.pool);
            return Err(usage(message, "`airfoil passes` lists them"));
        };
        if args.around.matches('@').count() != 1 {
            return Err(usage(
                format!("expected one `@` in `{}`", args.around),
                &format!("for example `--around '{AROUND}'`"),
            ));
        }
        let search = Search {
            args,
            registry,
            tries: tries.get(),
            pool,
            random: Random::new(args.seed),
            seen: BTreeSet::new(),
        };
        let all = search.text(&(0..search.pool.len()).collect::<Order>());
        match Pipeline::parse_with(&all, registry) {
            Ok(_) => Ok(search),
            Err(fault) => Err(fail(fault, "--around", &all)),
        }
    }

    /// Tries orders on all files; the rows of all of them.
    pub fn run(mut self, sweep: &Sweep<'_>) -> (Tally, Vec<Row>) {
        let (mut rows, mut worst) = (Vec::new(), Tally::default());
        let mut best: Option<(f64, Order)> = None;
        let mut first = None;
        for n in 0..self.tries {
            let order = match &best {
                _ if n == 0 => (0..self.pool.len()).collect(),
                Some((_, order)) if n > self.tries / 2 => self.new_order(|s| s.neighbour(order)),
                _ => self.new_order(Self::random_order),
            };
            if !self.seen.insert(order.clone()) {
                // All orders near the best one have been tried.
                break;
            }
            let (tally, found) = self.try_order(&order, sweep);
            if tally.exit_code() != ExitCode::SUCCESS {
                worst = tally;
            }
            let cost = sweep.args.cost.of(&found, sweep.files.len());
            rows.extend(found);
            if n == 0 {
                first = cost;
            }
            let Some(cost) = cost else { continue };
            let better = |(least, held): &(f64, Order)| (cost, order.len()) < (*least, held.len());
            if best.as_ref().is_none_or(better) {
                best = Some((cost, order));
            }
        }
        if !sweep.console.quiet {
            sweep.console.write(&self.report(first, best.as_ref()));
        }
        (worst, rows)
    }

    /// The order in words, and the cost beside that of the first one.
    fn report(&self, first: Option<f64>, best: Option<&(f64, Order)>) -> String {
        let Some((cost, order)) = best else { return "no order left all results as they were\n".to_string() };
        let change = match first {
            Some(first) if first != 0.0 => {
                format!(" ({:+.2} % of the pool in its order)", (cost / first - 1.0) * 100.0)
            }
            _ => String::new(),
        };
        format!("{} orders tried; least cost {cost}{change}:\n{}\n", self.seen.len(), self.text(order))
    }

    fn try_order(&self, order: &Order, sweep: &Sweep<'_>) -> (Tally, Vec<Row>) {
        let text = self.text(order);
        // Each pass of the pool and the pipeline around are valid.
        let pipeline = Pipeline::parse_with(&text, self.registry).unwrap_or_default();
        let named = Named { name: text, pipeline };
        let quiet = Console { quiet: true, ..sweep.console };
        let work = |file: &File, log: &mut Log| Ok(sweep.row(file, &named, log));
        batch::run(&sweep.files, |file| file.name.clone(), sweep.jobs, quiet, "measured", work)
    }

    fn text(&self, order: &Order) -> String {
        let passes: Vec<&str> = order.iter().map(|&n| &*self.pool[n]).collect();
        self.args.around.replace('@', &passes.join(", "))
    }

    /// An order that was not tried, if one is found.
    fn new_order(&mut self, mut make: impl FnMut(&mut Self) -> Order) -> Order {
        let mut order = make(self);
        for _ in 0..ATTEMPTS {
            if !self.seen.contains(&order) {
                break;
            }
            order = make(self);
        }
        order
    }

    fn below(&mut self, n: usize) -> usize {
        (self.random.bits() % n as u64) as usize
    }

    /// At least half of the pool in any order.
    fn random_order(&mut self) -> Order {
        let all = self.pool.len();
        let mut order: Order = (0..all).collect();
        for n in (1..all).rev() {
            let other = self.below(n + 1);
            order.swap(n, other);
        }
        let least = all.div_ceil(2);
        let length = least + self.below(all - least + 1);
        order.truncate(length);
        order
    }

    /// One pass is exchanged, moved, left out or added.
    fn neighbour(&mut self, order: &Order) -> Order {
        let mut order = order.clone();
        let at = self.below(order.len());
        let unused: Order = (0..self.pool.len()).filter(|n| !order.contains(n)).collect();
        match self.below(4) {
            0 if !unused.is_empty() => order[at] = unused[self.below(unused.len())],
            1 if !unused.is_empty() => order.insert(at, unused[self.below(unused.len())]),
            2 if order.len() > 1 => _ = order.remove(at),
            _ => {
                let pass = order.remove(at);
                let to = self.below(order.len() + 1);
                order.insert(to, pass);
            }
        }
        order
    }
}
