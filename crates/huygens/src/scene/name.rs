//! Choices that a scene file writes as words, and the nearest known word to a wrong one.

/// A choice among a few, each with the word that scene files and the command line use.
pub trait Named: Copy + PartialEq + 'static {
    /// Every choice with its word, in the order in which lists print them.
    const NAMES: &'static [(&'static str, Self)];

    /// The word of this choice.
    fn word(self) -> &'static str {
        Self::NAMES.iter().find(|(_, choice)| *choice == self).map_or("?", |(word, _)| word)
    }

    /// The choice that `word` stands for.
    fn from_word(word: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == word).map(|(_, choice)| *choice)
    }
}

/// The known word with the fewest edits (insert, remove, replace, swap two neighbours) to `word`; the earlier one
/// on a tie. `None` only when nothing is known.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are cut: a hostile name of a megabyte must not cost a second.
    const LONGEST: usize = 64;
    let word: Vec<char> = word.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let letters: Vec<char> = candidate.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
        let distance = edits(&word, &letters);
        if best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with neighbouring swaps (optimal string alignment), by its three last rows.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = last.clone();
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn edit_distances_are_those_counted_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("raduis", "radius"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn the_nearest_word_is_found_whatever_its_case() {
        let known = ["friction", "restitution", "density"];
        assert_eq!(nearest("frction", known), Some("friction"));
        assert_eq!(nearest("DENSITY", known), Some("density"));
        assert_eq!(nearest("x", []), None);
    }
}
