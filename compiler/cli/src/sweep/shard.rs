//! A part of the corpus, for runs on several machines.

use std::str::FromStr;

/// Shard `index` of `count`, counted from 1: each file is in exactly one of the shards of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Whether a file is in it, by its index in the list of all files.
    pub fn has(self, file: usize) -> bool {
        file % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(format!("expected I/N with I from 1 to N, found `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_one_shard() {
        let shards: Vec<Shard> = (1..=3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for file in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(file)).count(), 1);
        }
        for wrong in ["0/3", "4/3", "1/0", "1", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
