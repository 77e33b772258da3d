//! Choices that a scene file writes as words, and the known word that is near to a wrong one.

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

/// The known word that is nearest to `word`, if it is near enough to be what was meant: at most a third of its letters are edited
/// (inserted, removed, replaced, swapped with a neighbour), or one of the two words begins with the other. The earlier one on a tie.
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are cut: a hostile name of a megabyte must not cost a second.
    const LONGEST: usize = 64;
    // Fewer letters are the beginning of anything.
    const BEGINNING: usize = 3;
    const SHORT: usize = 5;
    let word: Vec<char> = word.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let letters: Vec<char> = candidate.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
        let shorter = word.len().min(letters.len());
        let begins = shorter >= BEGINNING && word[..shorter] == letters[..shorter];
        let distance = edits(&word, &letters);
        // Of a short word the first letter is rarely the wrong one: `ball` is no `wall`.
        let first = word.first() == letters.first() || shorter >= SHORT || swaps_first(&word, &letters);
        let enough = first && distance <= (shorter / 3).max(1) && distance < shorter.max(1) || begins;
        if enough && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether the first two letters of one are those of the other in turned order.
fn swaps_first(a: &[char], b: &[char]) -> bool {
    a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0]
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
    fn a_near_word_is_found_whatever_its_case() {
        let known = ["friction", "restitution", "density"];
        assert_eq!(near("frction", known), Some("friction"));
        assert_eq!(near("DENSITY", known), Some("density"));
        assert_eq!(near("friction_coefficient", known), Some("friction"));
        assert_eq!(near("x", []), None);
    }

    #[test]
    fn a_word_that_is_far_from_all_has_none() {
        assert_eq!(near("drag", ["name", "mass"]), None);
        assert_eq!(near("motor", ["anchor", "parent"]), None);
        assert_eq!(near("foo", ["soft-step"]), None);
        assert_eq!(near("w", ["x", "y"]), None);
        assert_eq!(near("ball", ["wall", "box"]), None);
        assert_eq!(near("aBll", ["ball", "box"]), Some("ball"));
        assert_eq!(near("dtt", ["dt", "seed"]), Some("dt"));
        assert_eq!(near("tme", ["time"]), Some("time"));
    }
}
