//! Greedy colouring: groups of one colour share no movable body, so that a batch of them can be solved side by side.
//!
//! Each group takes the lowest colour that neither of its bodies has yet, in key order, anew in each step: the colours are a
//! function of the problem alone.

use crate::scratch::{Room, reserve};

/// The colours that each movable thing has: at most 64. What does not fit is solved in order, one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    taken: Vec<u64>,
}

impl Coloring {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        reserve(&mut self.taken, room.bodies);
    }

    /// Forgets all colours of `movable` things.
    pub(crate) fn reset(&mut self, movable: usize) {
        self.taken.clear();
        self.taken.resize(movable, 0);
    }

    /// Forgets the colours of two things.
    #[inline(always)]
    pub(crate) fn forget(&mut self, sides: [Option<u32>; 2]) {
        for side in sides.into_iter().flatten() {
            self.taken[side as usize] = 0;
        }
    }

    /// The colour of a group between two movable things (`None` for what does not move); `None` when all are taken.
    #[inline(always)]
    pub(crate) fn assign(&mut self, sides: [Option<u32>; 2]) -> Option<u8> {
        let mask = |side: Option<u32>| side.map_or(0, |i| self.taken[i as usize]);
        let free = !(mask(sides[0]) | mask(sides[1]));
        if free == 0 {
            return None;
        }
        let colour = free.trailing_zeros();
        for side in sides.into_iter().flatten() {
            self.taken[side as usize] |= 1 << colour;
        }
        Some(colour as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_share_a_body_get_different_colours_and_the_65th_none() {
        let mut coloring = Coloring::default();
        coloring.reset(100);
        for k in 0..64 {
            assert_eq!(coloring.assign([Some(0), Some(1 + k)]), Some(k as u8));
        }
        assert_eq!(coloring.assign([Some(0), Some(90)]), None);
        // A fixed side conflicts with nothing.
        assert_eq!(coloring.assign([Some(90), None]), Some(0));
        assert_eq!(coloring.assign([None, Some(91)]), Some(0));
        assert_eq!(coloring.assign([Some(90), Some(91)]), Some(1));
        coloring.forget([Some(0), None]);
        assert_eq!(coloring.assign([Some(0), Some(92)]), Some(0));
    }
}
