//! Lines that make and fill buffers.

use super::super::values::{bits, shape};
use super::Command;
use super::words::Words;

/// Largest buffer.
const MAX_BUFFER: usize = 1 << 26;

pub(super) fn buffers(w: &mut Words<'_>) -> Option<Command> {
    if w.take("ssbo") {
        let binding = w.number()?;
        if !w.take("subdata") {
            return w.number().filter(|&n: &usize| n <= MAX_BUFFER).map(|n| Command::Ssbo(binding, n));
        }
        let shape = shape(w.next()?)?;
        let at: usize = w.number()?;
        let mut bytes = Vec::new();
        for word in &w.list[w.at..] {
            let width = shape.bits as usize / 8;
            bytes.extend_from_slice(&bits(word, shape.number, shape.bits)?.to_le_bytes()[..width]);
        }
        return Some(Command::SsboData(binding, at, bytes));
    }
    if w.take("atomic counters") {
        return w.number().filter(|&n: &usize| n <= MAX_BUFFER / 4).map(|n| Command::Counters(0, n));
    }
    if w.take("atomic counter buffer") {
        let buffer = w.number()?;
        return w.number().filter(|&n: &usize| n <= MAX_BUFFER / 4).map(|n| Command::Counters(buffer, n));
    }
    if w.take("atomic counter") {
        return Some(Command::Counter(w.number()?, w.number()?, w.number()?));
    }
    if w.take("ubo array index") {
        return w.number().map(Command::BlockElement);
    }
    if w.take("block array index") {
        return w.number().map(Command::BlockElement);
    }
    // Layouts are known by name.
    w.take("block").then_some(Command::BlockHint)
}

pub(super) fn feedback(w: &mut Words<'_>) -> Option<Command> {
    if w.take("xfb buffer object") {
        let buffer = w.number()?;
        return w.number().filter(|&n| n <= MAX_BUFFER).map(|n| Command::FeedbackBuffer(buffer, n));
    }
    if w.take("xfb draw arrays") {
        return Some(Command::FeedbackArrays(w.topology()?, w.number()?, w.number()?));
    }
    None
}
