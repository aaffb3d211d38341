//! Pipelines as text.

use super::{Pipeline, Step};
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
                f.write_str("loop")?;
                if let Some(max) = l.bound {
                    write!(f, "{{max={max}}}")?;
                }
                write_nested(f, &l.steps)?;
            }
            Step::On(on) => {
                let stages: Vec<String> = on.stages.iter().map(ToString::to_string).collect();
                let options = [("stages", stages.join("|")), ("has", on.has.text())];
                let options = options.iter().filter(|(_, value)| !value.is_empty());
                let options: Vec<String> = options.map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "on{{{}}}", options.join(", "))?;
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
