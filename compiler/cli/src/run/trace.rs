//! `--trace`: each value as it is computed, with its source line, which is quoted whenever it changes.

use crate::load::Loaded;
use crate::report::{Console, MessageFormat, clean_line};
use airfoil::Stage;
use airfoil::ir::{FuncId, InstrId, InstrKind, Loc, Named, Shader};
use airfoil_interp::{Executed, Invocation, Observer};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::io::{BufWriter, Stderr, Write as _};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

/// `all`, or `[STAGE:]X[,Y[,Z]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Which {
    stage: Option<Stage>,
    /// `None` = all.
    place: Option<[u32; 3]>,
}

impl FromStr for Which {
    type Err = String;

    fn from_str(text: &str) -> Result<Which, String> {
        let (stage, place) = match text.split_once(':') {
            Some((name, place)) => {
                let stage = Stage::from_name(name).ok_or_else(|| format!("unknown stage `{name}`"))?;
                (Some(stage), place)
            }
            None => (None, text),
        };
        if place == "all" {
            return Ok(Which { stage, place: None });
        }
        let mut at = [0; 3];
        let parts: Vec<&str> = place.split(',').collect();
        if parts.len() > 3 {
            return Err("expected X, X,Y or X,Y,Z".to_string());
        }
        for (n, part) in at.iter_mut().zip(parts) {
            *n = part.trim().parse().map_err(|_| {
                format!("`{part}` is not a number: expected all or [STAGE:]X[,Y[,Z]], such as fragment:10,20")
            })?;
        }
        Ok(Which { stage, place: Some(at) })
    }
}

impl Which {
    /// Whether something of this stage is traced.
    pub fn has(&self, stage: Stage) -> bool {
        self.stage.is_none_or(|s| s == stage)
    }
}

/// Where traces go; several stages share it.
pub type Sink = Arc<Mutex<Output>>;

/// A sink at the standard error stream.
pub fn sink(loaded: &Loaded) -> Sink {
    let lines = |text: &str| text.lines().map(clean_line).collect();
    let texts = loaded.glsl_texts().map(|(name, text)| (name.to_string(), lines(text))).collect();
    Arc::new(Mutex::new(Output { writer: BufWriter::new(std::io::stderr()), texts, last: String::new() }))
}

/// The trace, and the sources that it quotes.
#[derive(Debug)]
pub struct Output {
    writer: BufWriter<Stderr>,
    /// Lines of the available sources, by name.
    texts: FxHashMap<String, Vec<String>>,
    /// The line that was quoted last.
    last: String,
}

impl Output {
    /// The text of the source line of a location.
    fn text_of(&self, shader: &Shader, loc: Loc) -> Option<String> {
        let file = shader.files.get(loc.file()? as usize)?;
        let line = (loc.line() as usize).checked_sub(1)?;
        self.texts.get(&**file)?.get(line).map(|text| text.trim().to_string())
    }
}

/// Facts about an instruction.
#[derive(Debug)]
struct Known {
    text: String,
    /// File and line.
    place: String,
    /// The text of that line.
    source: Option<String>,
}

/// Writes the executed instructions.
#[derive(Debug)]
pub struct Tracer {
    which: Which,
    /// Size of a workgroup.
    workgroup: [u32; 3],
    json: bool,
    sink: Sink,
    known: FxHashMap<(FuncId, InstrId), Known>,
}

impl Tracer {
    /// A tracer of one stage.
    pub fn new(which: Which, workgroup: [u32; 3], console: Console, sink: &Sink) -> Tracer {
        Tracer {
            which,
            workgroup,
            json: console.format == MessageFormat::Json,
            sink: sink.clone(),
            known: FxHashMap::default(),
        }
    }

    /// Position of an invocation as options count it: the global ID, the pixel, or the index.
    fn place(&self, invocation: Invocation) -> ([i64; 3], usize) {
        match invocation {
            Invocation::Number(n) => ([n as i64, 0, 0], 1),
            Invocation::Pixel([x, y]) => ([i64::from(x), i64::from(y), 0], 2),
            Invocation::Local(group, index) => {
                let [sx, sy, _] = self.workgroup.map(|n| n.max(1) as usize);
                let local = [index % sx, index / sx % sy, index / sx / sy];
                (
                    std::array::from_fn(|i| {
                        i64::from(group[i]) * i64::from(self.workgroup[i]) + local[i] as i64
                    }),
                    3,
                )
            }
        }
    }
}

impl Observer for Tracer {
    fn executed(&mut self, e: &Executed<'_>) {
        for lane in e.lanes() {
            let (place, n) = self.place(e.invocation(lane));
            if self.which.place.is_some_and(|want| want.map(i64::from) != place) {
                continue;
            }
            let value = e.value(lane);
            // Instructions without an observable value are mostly derefs.
            if value.is_none() && !has_effect(e) {
                continue;
            }
            let shown = e.shown(lane);
            let place = place[..n].iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let Ok(mut sink) = self.sink.lock() else { return };
            let Known { text, place: line, source } =
                self.known.entry((e.function, e.instr)).or_insert_with(|| Known {
                    text: e.bare_text(),
                    place: source_line(e.shader, e.loc()),
                    source: sink.text_of(e.shader, e.loc()),
                });
            let stage = e.shader.stage.name();
            // Errors are ignored: they could not be reported.
            let _ = if self.json {
                let value = shown.as_ref().map_or(Value::Null, |v| Value::from(v.clone()));
                let message = json!({ "$message_type": "trace", "stage": stage, "invocation": place, "source": line,
                    "text": source, "instruction": text, "values": value });
                writeln!(sink.writer, "{message}")
            } else {
                if let Some(source) = source
                    && sink.last != *line
                {
                    sink.last.clone_from(line);
                    let _ = writeln!(sink.writer, "{line} | {source}");
                }
                let shown = shown.map(|v| format!("  -> {}", v.join(", "))).unwrap_or_default();
                writeln!(sink.writer, "{line}: {stage} {place}: {text}{shown}")
            };
        }
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        if let Ok(mut sink) = self.sink.lock() {
            let _ = sink.writer.flush();
        }
    }
}

fn has_effect(e: &Executed<'_>) -> bool {
    let kind = e.shader.functions.get(e.function).map(|f| &f.body[e.instr].kind);
    matches!(kind, Some(InstrKind::Intrinsic(_)))
}

/// File and line, or a dash.
fn source_line(shader: &Shader, loc: Loc) -> String {
    let file = loc.file().and_then(|f| shader.files.get(f as usize));
    match (file, loc.is_none()) {
        (_, true) => "-".to_string(),
        (Some(file), _) if !file.is_empty() => format!("{file}:{}", loc.line()),
        _ => format!("line {}", loc.line()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_traced() {
        let which = |text: &str| text.parse::<Which>();
        assert_eq!(which("all"), Ok(Which { stage: None, place: None }));
        assert_eq!(which("fragment:3,4"), Ok(Which { stage: Some(Stage::Fragment), place: Some([3, 4, 0]) }));
        assert!(which("5").unwrap().has(Stage::Compute) && !which("vertex:5").unwrap().has(Stage::Compute));
        for bad in ["", "x", "1,2,3,4", "pixel:1", "-1"] {
            assert!(which(bad).is_err(), "{bad}");
        }
    }
}
