//! The corner of a hull that reaches farthest in a direction.
//!
//! A linear scan for small hulls. Larger ones are climbed from corner to corner: on a convex polyhedron a corner that
//! no neighbour exceeds is the highest. Corners of equal height form an edge or the rim of a face, which is walked
//! around, so that both ways give the corner of lowest index.

use super::Hull;
use huygens_math::Vec3;

/// Up to this many corners a scan is faster than a climb.
const SCAN: usize = 32;

impl Hull {
    /// The corner farthest along `direction` (any length); of equals the one with the lowest index.
    #[inline]
    pub fn support_vertex(&self, direction: Vec3) -> u32 {
        if self.vertices.len() <= SCAN {
            return self.scan(direction);
        }
        let mut start = self.extremes[0];
        let mut best = self.height(start, direction);
        for &v in &self.extremes[1..] {
            let height = self.height(v, direction);
            if height > best {
                (start, best) = (v, height);
            }
        }
        self.climb(direction, start)
    }

    /// As [`Hull::support_vertex`], looking first around `start`, the answer for a similar direction.
    #[inline]
    pub fn support_vertex_near(&self, direction: Vec3, start: u32) -> u32 {
        if self.vertices.len() <= SCAN { self.scan(direction) } else { self.climb(direction, start) }
    }

    #[inline(always)]
    fn height(&self, v: u32, direction: Vec3) -> f64 {
        self.vertices[v as usize].dot(direction)
    }

    /// Even and odd corners apart, so that a comparison need not wait for the last, and with selections instead of
    /// branches: which corner is higher is a coin toss to a processor.
    #[inline]
    pub(super) fn scan(&self, direction: Vec3) -> u32 {
        let mut top = [f64::NEG_INFINITY; 2];
        let mut best = [0; 2];
        let mut look = |side: usize, index: usize, vertex: Vec3| {
            let height = vertex.dot(direction);
            let higher = height > top[side];
            best[side] = if higher { index } else { best[side] };
            top[side] = if higher { height } else { top[side] };
        };
        let mut pairs = self.vertices.chunks_exact(2);
        let mut index = 0;
        for pair in &mut pairs {
            look(0, index, pair[0]);
            look(1, index + 1, pair[1]);
            index += 2;
        }
        for &last in pairs.remainder() {
            look(0, index, last);
        }
        let odd = (top[1] > top[0]) | ((top[1] == top[0]) & (best[1] < best[0]));
        (if odd { best[1] } else { best[0] }) as u32
    }

    pub(super) fn climb(&self, direction: Vec3, start: u32) -> u32 {
        let mut top = start;
        // Each round but the last goes higher, so no corner comes twice.
        for _ in 0..self.vertices.len() {
            let (here, at) = (top, self.vertices[top as usize]);
            let mut rise = 0.0;
            for &v in self.climb.of(here) {
                // From the difference, not from two heights: corners a micrometre apart still have a slope.
                let higher = (self.vertices[v as usize] - at).dot(direction);
                if higher > rise {
                    (top, rise) = (v, higher);
                }
            }
            if top == here {
                break;
            }
        }
        let height = self.height(top, direction);
        let level = self.neighbours(top).iter().find(|&&v| self.height(v, direction) == height);
        level.map_or(top, |&next| self.lowest_on_rim(direction, top, next, height))
    }

    /// The lowest index among corners of the same height, walking from `from` over `next` and on.
    fn lowest_on_rim(&self, direction: Vec3, from: u32, next: u32, height: f64) -> u32 {
        let (mut before, mut here) = (from, next);
        let mut lowest = from;
        for _ in 0..self.vertices.len() {
            lowest = if here < lowest { here } else { lowest };
            let onward =
                self.neighbours(here).iter().find(|&&v| v != before && self.height(v, direction) == height);
            match onward {
                Some(&v) if v != from => (before, here) = (here, v),
                _ => break,
            }
        }
        lowest
    }
}
