//! "Did you mean": the known name nearest to a misspelt one.

/// The candidate that takes the fewest edits to reach from `name`, if a third of its letters or less change.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A name longer than any known one is no misspelling of it.
    if name.len() > 64 {
        return None;
    }
    let limit = name.chars().count() / 3 + 1;
    candidates
        .into_iter()
        .map(|c| (distance(name, c), c))
        .filter(|&(d, _)| d <= limit)
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["copy_prop", "cse", "dce", "constant_folding"];
        assert_eq!(nearest("copyprop", names), Some("copy_prop"));
        assert_eq!(nearest("constantfolding", names), Some("constant_folding"));
        assert_eq!(nearest("dcee", names), Some("dce"));
        assert_eq!(nearest("algebraic", names), None);
    }
}
