//! The sizes of one file, as a line of CSV or JSON.

use airfoil::ir::analysis::Counts;
use airfoil_check::Outcome;
use serde_json::{Map, Value};

/// Number of sizes.
pub const SIZES: usize = Counts::NAMES.len() + 2;

/// The result of the check of a file and a pipeline by execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The shaders were executed before and after, or could not be.
    Ran(Outcome),
    /// A pass refused a shader, so that there is nothing to execute and to measure.
    Refused,
}

impl Check {
    /// All results.
    pub const ALL: [Check; 4] = [
        Check::Ran(Outcome::Same),
        Check::Ran(Outcome::Differs),
        Check::Ran(Outcome::NotRun),
        Check::Refused,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Check::Ran(outcome) => outcome.name(),
            Check::Refused => "refused",
        }
    }
}

/// Sizes of the shaders of a file after a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The file, or [`Row::TOTAL`].
    pub file: String,
    /// The pipeline.
    pub pipeline: String,
    /// The sizes in the order of [`names`]; `None` where one was not measured.
    pub sizes: [Option<f64>; SIZES],
    /// The result of the execution check, if there was one.
    pub check: Option<Check>,
}

/// Names of the sizes: those of [`Counts`], then bytes of bitcode and microseconds.
pub fn names() -> [&'static str; SIZES] {
    let mut names = [""; SIZES];
    names[..SIZES - 2].copy_from_slice(Counts::NAMES);
    names[SIZES - 2] = "bytes";
    names[SIZES - 1] = "us";
    names
}

/// Position of a size.
pub fn metric(name: &str) -> Option<usize> {
    names().iter().position(|n| *n == name)
}

/// The size of two shaders together.
fn joined(size: usize, a: f64, b: f64) -> f64 {
    match names()[size] {
        "pressure" => a.max(b),
        "threads" => a.min(b),
        _ => a + b,
    }
}

/// A size as text; fractions of microseconds have one digit.
pub fn show(size: usize, value: f64) -> String {
    if names()[size] == "us" { format!("{value:.1}") } else { format!("{value:.0}") }
}

impl Row {
    /// The name of the row of totals.
    pub const TOTAL: &'static str = "total";

    /// A row in which nothing is measured.
    pub fn empty(file: String, pipeline: &str) -> Row {
        Row { file, pipeline: pipeline.to_string(), sizes: [None; SIZES], check: None }
    }

    /// The sizes of a file.
    pub fn new(file: String, pipeline: &str, shaders: &[Counts], bytes: Option<u64>, us: Option<f64>) -> Row {
        let mut row = Row::empty(file, pipeline);
        for counts in shaders {
            let values = counts.values();
            (0..values.len()).for_each(|i| row.add(i, values[i] as f64));
        }
        row.sizes[SIZES - 2] = bytes.map(|n| n as f64);
        row.sizes[SIZES - 1] = us;
        row
    }

    /// The sum of rows.
    pub fn total<'a>(pipeline: &str, rows: impl Iterator<Item = &'a Row>) -> Row {
        let mut total = Row::empty(Row::TOTAL.to_string(), pipeline);
        for row in rows {
            (0..SIZES).filter_map(|i| Some((i, row.sizes[i]?))).for_each(|(i, v)| total.add(i, v));
        }
        total
    }

    fn add(&mut self, size: usize, value: f64) {
        let old = self.sizes[size];
        self.sizes[size] = Some(old.map_or(value, |old| joined(size, old, value)));
    }
}

/// Rows as CSV with a header.
pub fn to_csv(rows: &[Row]) -> String {
    let checked = rows.iter().any(|row| row.check.is_some());
    let mut out = format!("file,pipeline,{}{}\n", names().join(","), if checked { ",check" } else { "" });
    for row in rows {
        out += &quoted(&row.file);
        out.push(',');
        out += &quoted(&row.pipeline);
        for (i, value) in row.sizes.iter().enumerate() {
            out.push(',');
            out += &value.map(|v| show(i, v)).unwrap_or_default();
        }
        if checked {
            out.push(',');
            out += row.check.map_or("", Check::name);
        }
        out.push('\n');
    }
    out
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// Rows as JSON objects, one per line.
pub fn to_json_lines(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let mut object = Map::new();
        object.insert("file".into(), row.file.clone().into());
        object.insert("pipeline".into(), row.pipeline.clone().into());
        for (i, name) in names().into_iter().enumerate() {
            if let Some(value) = row.sizes[i] {
                let whole = names()[i] != "us";
                object.insert(name.into(), if whole { (value as u64).into() } else { value.into() });
            }
        }
        if let Some(check) = row.check {
            object.insert("check".into(), check.name().into());
        }
        format!("{}\n", Value::Object(object))
    };
    rows.iter().map(line).collect()
}

/// The rows of files of a run that was written as CSV or JSON lines; totals are left out.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let json = text.trim_start().starts_with('{');
    let mut rows = if json { from_json_lines(text)? } else { from_csv(text)? };
    rows.retain(|row| row.file != Row::TOTAL);
    Ok(rows)
}

fn from_json_lines(text: &str) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(|e| format!("line {}: {e}", n + 1))?;
        let word = |name: &str| object.get(name).and_then(Value::as_str);
        let Some(file) = word("file") else {
            return Err(format!("line {}: expected a member `file`", n + 1));
        };
        let sizes = names().map(|name| object.get(name).and_then(Value::as_f64));
        rows.push(Row { sizes, ..Row::empty(file.into(), word("pipeline").unwrap_or_default()) });
    }
    Ok(rows)
}

fn from_csv(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map(|(_, line)| fields(line)).unwrap_or_default();
    let column = |name: &str| header.iter().position(|h| h == name);
    let Some(file) = column("file") else { return Err("line 1: expected a column `file`".to_string()) };
    let columns = names().map(column);
    let mut rows = Vec::new();
    for (n, line) in lines.filter(|(_, line)| !line.is_empty()) {
        let fields = fields(line);
        if fields.len() != header.len() {
            return Err(format!("line {}: expected {} fields, found {}", n + 1, header.len(), fields.len()));
        }
        let mut sizes = [None; SIZES];
        for (size, at) in sizes.iter_mut().zip(columns).filter_map(|(size, at)| Some((size, at?))) {
            if !fields[at].is_empty() {
                let value = fields[at].parse();
                *size = Some(
                    value
                        .map_err(|_| format!("line {}: expected a number, found `{}`", n + 1, fields[at]))?,
                );
            }
        }
        let pipeline = column("pipeline").map_or("", |at| &fields[at]);
        rows.push(Row { sizes, ..Row::empty(fields[file].clone(), pipeline) });
    }
    Ok(rows)
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut inside = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let last = list.len() - 1;
        match c {
            '"' if inside && chars.peek() == Some(&'"') => {
                chars.next();
                list[last].push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => list.push(String::new()),
            _ => list[last].push(c),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let counts = |instrs, lanes, pressure| Counts {
            instrs,
            lanes,
            pressure,
            threads: 1024 - pressure,
            ..Counts::default()
        };
        vec![
            Row::new(
                "a, \"b\".spv".into(),
                "loop(cse, dce)",
                &[counts(3, 5, 8), counts(4, 1, 6)],
                Some(70),
                None,
            ),
            Row::new("c.spv".into(), "O2", &[counts(1, 2, 3)], None, Some(1.5)),
        ]
    }

    #[test]
    fn both_formats_read_back() {
        let rows = rows();
        assert_eq!(rows[0].sizes[metric("instrs").unwrap()], Some(7.0));
        assert_eq!(rows[0].sizes[metric("pressure").unwrap()], Some(8.0));
        assert_eq!(rows[0].sizes[metric("threads").unwrap()], Some(1016.0));
        let mut with_total = rows.clone();
        with_total.push(Row::total("O2", rows.iter()));
        assert_eq!(parse(&to_csv(&with_total)), Ok(rows.clone()));
        assert_eq!(parse(&to_json_lines(&with_total)), Ok(rows));
    }

    #[test]
    fn checks_have_a_column() {
        let mut rows = rows();
        assert!(!to_csv(&rows).contains("check"));
        rows[1].check = Some(Check::Ran(Outcome::NotRun));
        let csv = to_csv(&rows);
        let lines: Vec<&str> = csv.lines().collect();
        assert!(
            lines[0].ends_with(",us,check")
                && lines[1].ends_with(",70,,")
                && lines[2].ends_with(",1.5,not_run")
        );
        assert_eq!(to_json_lines(&rows).matches("\"check\":\"not_run\"").count(), 1);
        // A comparison of runs leaves them out.
        assert!(parse(&csv).is_ok_and(|rows| rows[1].check.is_none()));
    }

    #[test]
    fn malformed_runs_are_reported() {
        assert_eq!(parse("a,b\n1,2\n"), Err("line 1: expected a column `file`".to_string()));
        assert_eq!(parse("file,lanes\nx,1,2\n"), Err("line 2: expected 2 fields, found 3".to_string()));
        assert_eq!(parse("file,lanes\nx,many\n"), Err("line 2: expected a number, found `many`".to_string()));
        assert_eq!(parse("{\"lanes\": 1}\n"), Err("line 1: expected a member `file`".to_string()));
    }
}
