//! Pipelines as text.

use super::{LoopStep, OnStep, Pipeline, Step};
use crate::registry::Setting;
use std::fmt;

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_steps(f, &self.steps)
    }
}

fn write_steps(f: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
    for (i, step) in steps.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        match step {
            Step::Pass(p) => f.write_str(&p.text)?,
            Step::Program(p) => f.write_str(&p.text)?,
            Step::Include(pipeline) => write_steps(f, &pipeline.steps)?,
            Step::Loop(l) => {
                f.write_str(&l.head())?;
                write_nested(f, &l.steps)?;
            }
            Step::On(on) => {
                f.write_str(&on.head())?;
                write_nested(f, &on.steps)?;
            }
            Step::Group(group) => {
                f.write_str("group")?;
                write_nested(f, &group.steps)?;
                f.write_str(" then")?;
                write_nested(f, &group.cleanup)?;
            }
        }
    }
    Ok(())
}

impl LoopStep {
    /// The text before the steps: `loop{max=3}`.
    pub fn head(&self) -> String {
        self.bound.map_or_else(|| "loop".to_string(), |max| format!("loop{{max={max}}}"))
    }
}

impl OnStep {
    /// The text before the steps: `on{stages=vertex, has=phi}`.
    pub fn head(&self) -> String {
        let stages: Vec<String> = self.stages.iter().map(ToString::to_string).collect();
        let options = [("stages", stages.join("|")), ("has", self.has.text())];
        let options = options.iter().filter(|(_, value)| !value.is_empty());
        let options: Vec<String> = options.map(|(name, value)| format!("{name}={value}")).collect();
        format!("on{{{}}}", options.join(", "))
    }
}

fn write_nested(f: &mut fmt::Formatter<'_>, steps: &[Step]) -> fmt::Result {
    f.write_str("(")?;
    write_steps(f, steps)?;
    f.write_str(")")
}

/// Name and options of a pass, as a pipeline has them.
pub(super) fn options_text(name: &str, settings: &[(&'static str, String)]) -> String {
    let setting = |(name, value): &(&str, String)| Setting { name: (*name).into(), value: value.clone() };
    key_text(name, &settings.iter().map(setting).collect::<Vec<_>>())
}

pub(super) fn key_text(name: &str, settings: &[Setting]) -> String {
    let mut text = name.to_string();
    for (i, s) in settings.iter().enumerate() {
        text += if i == 0 { "{" } else { ", " };
        text += &format!("{}={}", s.name, s.value);
    }
    if !settings.is_empty() {
        text.push('}');
    }
    text
}
