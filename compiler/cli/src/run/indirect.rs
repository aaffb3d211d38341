//! `--indirect`: the numbers of a draw or dispatch, as `glDrawArraysIndirect`, `glDrawElementsIndirect` and
//! `glDispatchComputeIndirect` (`vkCmdDrawIndirect` and so on) read them from a buffer.

use super::given::Source;
use airfoil::Diagnostic;
use serde_json::Value;

fn fault(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0040", what.into())
}

/// The numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Indirect(Vec<u32>);

/// Parameters of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number of vertices or indices.
    pub count: u32,
    /// Number of instances.
    pub instances: u32,
    /// The first vertex or index.
    pub first: u32,
    /// Added to indices.
    pub base_vertex: i32,
    /// Added to numbers of instances.
    pub base_instance: u32,
}

impl Indirect {
    /// From an array in JSON, or the bytes of a file, 32 bits a number.
    pub fn read(text: &str) -> Result<Indirect, Diagnostic> {
        let numbers = match Source::read(text)? {
            Source::Json(Value::Array(list)) => {
                let word = |v: &Value| {
                    let n = v.as_i64()?;
                    u32::try_from(n).ok().or_else(|| i32::try_from(n).ok().map(i32::cast_unsigned))
                };
                list.iter().map(word).collect()
            }
            Source::Bytes(bytes) => {
                Some(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
            }
            _ => None,
        };
        numbers.map(Indirect).ok_or_else(|| {
            fault(format!("`{text}`: expected an array of whole numbers of 32 bits, or a file of them"))
        })
    }

    fn take<const N: usize>(&self, what: &str) -> Result<[u32; N], Diagnostic> {
        let words = self.0.get(..N).and_then(|words| words.try_into().ok());
        words.ok_or_else(|| fault(format!("{what} takes {N} numbers, but `--indirect` has {}", self.0.len())))
    }

    /// Numbers of workgroups.
    pub fn groups(&self) -> Result<[u32; 3], Diagnostic> {
        self.take("a dispatch")
    }

    /// Numbers of a draw.
    pub fn draw(&self, indexed: bool) -> Result<Call, Diagnostic> {
        if indexed {
            let [count, instances, first, base, base_instance] = self.take("a draw with indices")?;
            return Ok(Call { count, instances, first, base_vertex: base.cast_signed(), base_instance });
        }
        let [count, instances, first, base_instance] = self.take("a draw")?;
        Ok(Call { count, instances, first, base_vertex: 0, base_instance })
    }
}

impl Call {
    /// The indices that are drawn, within the given ones.
    pub fn indices(&self, all: &[u32]) -> Result<Vec<u32>, Diagnostic> {
        let range = self.first as usize..(self.first as usize).saturating_add(self.count as usize);
        let Some(list) = all.get(range) else {
            let there = all.len();
            return Err(fault(format!(
                "{} indices from {} on are drawn, but there are {there}",
                self.count, self.first
            )));
        };
        let moved = |&n: &u32| n.checked_add_signed(self.base_vertex);
        let moved: Option<Vec<u32>> = list.iter().map(moved).collect();
        moved.ok_or_else(|| {
            fault(format!("the base vertex {} leads to vertices that are not there", self.base_vertex))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_draws() {
        let numbers = Indirect::read("[3, 2, 1, -1, 7]").unwrap();
        let call = numbers.draw(true).unwrap();
        assert_eq!(call, Call { count: 3, instances: 2, first: 1, base_vertex: -1, base_instance: 7 });
        assert_eq!(call.indices(&[9, 1, 2, 3]).unwrap(), [0, 1, 2]);
        assert!(call.indices(&[9, 0, 2, 3]).is_err() && call.indices(&[9, 1, 2]).is_err());
        assert_eq!(numbers.draw(false).unwrap().base_instance, u32::MAX);
        assert_eq!(numbers.groups().unwrap(), [3, 2, 1]);
        assert!(Indirect::read("[1, 2]").unwrap().groups().is_err());
        for bad in ["[1.5]", "[4294967296]", "{}", "zeros:16"] {
            assert!(Indirect::read(bad).is_err(), "{bad}");
        }
    }
}
