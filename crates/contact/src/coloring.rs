//! Greedy colouring: groups of one colour share no movable body, so that a batch of them can be solved side by side.
//!
//! Each group takes the lowest colour that neither of its bodies has yet, in key order, anew in each step: the colours are a
//! function of the problem alone.

use crate::scratch::{Room, reserve};

/// The colours that each movable has. The lowest free one of 64 is taken; a movable that has them all goes on in order, with a colour above
/// those that it and its neighbour have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coloring {
    taken: Vec<u64>,
    /// Colours beyond the 64, for each movable; empty while none has any.
    beyond: Vec<u32>,
}

impl Coloring {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        reserve(&mut self.taken, room.bodies + room.dofs);
    }

    /// Forgets all colours of so many movables.
    pub(crate) fn reset(&mut self, movables: usize) {
        self.taken.clear();
        self.taken.resize(movables, 0);
        self.beyond.clear();
    }

    /// Forgets the colours of two movables.
    #[inline(always)]
    pub(crate) fn forget(&mut self, sides: [Option<usize>; 2]) {
        for side in sides.into_iter().flatten() {
            self.taken[side] = 0;
            if !self.beyond.is_empty() {
                self.beyond[side] = 0;
            }
        }
    }

    /// The colour of a group between two movables (`None` for a side that does not move).
    #[inline(always)]
    pub(crate) fn assign(&mut self, sides: [Option<usize>; 2]) -> usize {
        let mask = |side: Option<usize>| side.map_or(0, |i| self.taken[i]);
        let free = !(mask(sides[0]) | mask(sides[1]));
        if free == 0 {
            return self.assign_beyond(sides);
        }
        let colour = free.trailing_zeros();
        for side in sides.into_iter().flatten() {
            self.taken[side] |= 1 << colour;
        }
        colour as usize
    }

    #[cold]
    fn assign_beyond(&mut self, sides: [Option<usize>; 2]) -> usize {
        self.beyond.resize(self.taken.len(), 0);
        let most = sides.into_iter().flatten().map(|side| self.beyond[side]).fold(0, u32::max);
        for side in sides.into_iter().flatten() {
            self.beyond[side] = most + 1;
        }
        64 + most as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_share_a_body_get_different_colours() {
        let mut coloring = Coloring::default();
        coloring.reset(200);
        for k in 0..100 {
            assert_eq!(coloring.assign([Some(0), Some(1 + k)]), k);
        }
        // A fixed side conflicts with nothing.
        assert_eq!(coloring.assign([Some(190), None]), 0);
        assert_eq!(coloring.assign([None, Some(191)]), 0);
        assert_eq!(coloring.assign([Some(190), Some(191)]), 1);
        coloring.forget([Some(0), None]);
        assert_eq!(coloring.assign([Some(0), Some(192)]), 0);
        // Two movables without a colour left: above the colours of both.
        for k in 0..70 {
            coloring.assign([Some(193), None]);
            if k < 64 {
                coloring.assign([Some(194), None]);
            }
        }
        assert_eq!(coloring.assign([Some(193), Some(194)]), 70);
        assert_eq!(coloring.assign([Some(194), None]), 71);
    }
}
