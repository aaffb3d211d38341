//! Lines and columns of bytes.

use airfoil_ir::Place;

/// The first byte of each line.
#[derive(Debug)]
pub struct Lines(Vec<u32>);

impl Lines {
    /// The lines of a text; a line ends at LF, CR or both together.
    pub fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, b) in bytes.iter().enumerate() {
            if *b == b'\n' || *b == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                starts.push(i as u32 + 1);
            }
        }
        Lines(starts)
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> u32 {
        self.0.partition_point(|&start| start as usize <= at) as u32
    }

    /// The location of a byte for diagnostics.
    pub fn place(&self, name: &str, text: &str, at: usize) -> Place {
        let line = self.line(at);
        let start = self.0.get(line as usize - 1).copied().unwrap_or(0) as usize;
        let column = text.get(start..at).map_or(at - start, |before| before.chars().count()) as u32 + 1;
        Place::Text { file: name.into(), line, column }
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use airfoil_ir::Place;

    #[test]
    fn lines_end_in_three_ways() {
        let text = "a\r\nb\rc\ndé;";
        let lines = Lines::new(text);
        let at = |c| lines.line(text.find(c).unwrap());
        assert_eq!((at('a'), at('b'), at('c'), at('d')), (1, 2, 3, 4));
        let place = lines.place("n", text, text.find(';').unwrap());
        assert_eq!(place, Place::Text { file: "n".into(), line: 4, column: 3 });
    }
}
