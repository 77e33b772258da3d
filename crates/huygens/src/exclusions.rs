//! Pairs of bodies that do not collide, because a joint holds them together.

/// A set of pairs of bodies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Body slots, the lower one first; sorted.
    pairs: Vec<[u32; 2]>,
    /// The bodies of all pairs, sorted.
    members: Vec<u32>,
}

impl Exclusions {
    /// Adds a pair.
    pub fn insert(&mut self, a: u32, b: u32) {
        let pair = ordered(a, b);
        if let Err(at) = self.pairs.binary_search(&pair) {
            self.pairs.insert(at, pair);
            for body in pair {
                if let Err(at) = self.members.binary_search(&body) {
                    self.members.insert(at, body);
                }
            }
        }
    }

    /// True when the two bodies do not collide.
    #[inline]
    pub fn contains(&self, a: u32, b: u32) -> bool {
        self.pairs.binary_search(&ordered(a, b)).is_ok()
    }

    /// True when there is any body that this one does not collide with.
    pub fn has(&self, body: u32) -> bool {
        self.members.binary_search(&body).is_ok()
    }

    /// Forgets the pairs of a body that is removed.
    pub fn remove_body(&mut self, body: u32) {
        if self.has(body) {
            self.pairs.retain(|pair| !pair.contains(&body));
            self.members = self.pairs.iter().flatten().copied().collect();
            self.members.sort_unstable();
            self.members.dedup();
        }
    }
}

#[inline]
fn ordered(a: u32, b: u32) -> [u32; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_may_be_kept_from_several_others_and_is_forgotten_with_all_of_them() {
        let mut set = Exclusions::default();
        for (a, b) in [(3, 1), (1, 2), (7, 3), (1, 3)] {
            set.insert(a, b);
        }
        assert!(set.contains(1, 3) && set.contains(3, 1) && set.contains(2, 1) && set.contains(3, 7));
        assert!(!set.contains(2, 3) && !set.contains(1, 7));
        assert!(set.has(7) && !set.has(0));
        set.remove_body(3);
        assert!(!set.contains(1, 3) && !set.has(7) && set.contains(1, 2));
    }
}
