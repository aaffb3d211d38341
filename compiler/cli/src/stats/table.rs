//! Rows as a table.

use super::row::{Row, SIZES, names, show};

/// Rows in aligned columns. Sizes that no row has are left out.
pub fn table(rows: &[Row], with_pipeline: bool) -> String {
    let measured: Vec<usize> = (0..SIZES).filter(|&i| rows.iter().any(|r| r.sizes[i].is_some())).collect();
    let mut lines: Vec<Vec<String>> = Vec::with_capacity(rows.len() + 1);
    let line = |file: &str, pipeline: &str, cells: Vec<String>| {
        let mut line = vec![file.to_string()];
        line.extend(with_pipeline.then(|| pipeline.to_string()));
        line.extend(cells);
        line
    };
    lines.push(line("file", "pipeline", measured.iter().map(|&i| names()[i].to_string()).collect()));
    for row in rows {
        let cells = measured.iter().map(|&i| row.sizes[i].map(|v| show(i, v)).unwrap_or_default());
        lines.push(line(&row.file, &row.pipeline, cells.collect()));
    }
    align(&lines, 1 + usize::from(with_pipeline))
}

/// Lines of cells in columns: the first `left` are aligned to the left, the others to the right.
pub fn align(lines: &[Vec<String>], left: usize) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |c: usize| lines.iter().filter_map(|l| l.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for line in lines {
        let mut text = String::new();
        for (c, cell) in line.iter().enumerate() {
            let width = widths[c];
            let gap = if c == 0 { "" } else { "  " };
            text += &if c < left { format!("{gap}{cell:width$}") } else { format!("{gap}{cell:>width$}") };
        }
        out += text.trim_end();
        out.push('\n');
    }
    out
}
