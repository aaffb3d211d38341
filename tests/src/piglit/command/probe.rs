//! Lines that probe results.

use super::super::values::{bits, shape};
use super::words::Words;
use super::{Command, Place};

pub(super) fn probe(w: &mut Words<'_>, relative: bool) -> Option<Command> {
    let warn = w.take("warn");
    if w.take("ssbo") {
        let shape = shape(w.next()?)?;
        let (binding, at, compare) = (w.number()?, w.number()?, w.comparison()?);
        let values: Option<Vec<u64>> =
            w.list[w.at..].iter().map(|v| bits(v, shape.number, shape.bits)).collect();
        return Some(Command::ProbeSsbo(shape, binding, at, compare, values?));
    }
    if w.take("xfb buffer") {
        let shape = shape(w.next()?)?;
        let (buffer, at) = (w.number()?, w.number()?);
        return bits(w.next()?, shape.number, shape.bits)
            .map(|v| Command::ProbeFeedback(shape, buffer, at, v));
    }
    if w.take("atomic counter") {
        // Of the first buffer counters are counted, of a named one bytes.
        let (buffer, width) = if w.take("buffer") { (w.number()?, 4) } else { (0, 1) };
        let at: usize = w.number()?;
        let counter = at.is_multiple_of(width).then_some(at / width)?;
        return Some(Command::ProbeCounter(buffer, counter, w.comparison()?, w.number()?));
    }
    if w.take("depth") {
        let [x, y, depth] = w.floats()?;
        return Some(Command::ProbeDepth(Place { at: [x, y, 0.0, 0.0], relative }, depth));
    }
    let all = w.take("all");
    let rect = !all && w.take("rect");
    let components = match w.next()? {
        "rgba" => 4,
        "rgb" => 3,
        _ => return None,
    };
    let place = match (all, rect) {
        (true, _) => None,
        (_, true) => Some(Place { at: w.floats()?, relative }),
        _ => {
            let [x, y] = w.floats()?;
            Some(Place { at: [x, y, 0.0, 0.0], relative })
        }
    };
    let color = (0..components).map(|_| w.float()).collect::<Option<_>>()?;
    Some(Command::Probe { place, color, warn })
}
