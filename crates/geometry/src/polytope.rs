//! The growing polytope of EPA: triangles around the origin, in arrays of fixed capacity.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | n | `Face::normal` | outward unit normal |
//! | d | `Face::distance` | signed distance of the face's plane from the origin, along n |
//! | w | `new` | the vertex that is added |
//!
//! A face that w lies in the plane of counts as seen from w. So a facet of the difference that many vertices lie in is
//! fanned anew from each of them, and no sliver is left between w and an edge in line with it.

use crate::simplex::{Vertex, blunt_corner};
use arrayvec::ArrayVec;
use huygens_math::Vec3;

/// A triangle, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub corner: [u16; 3],
    /// The face across the edge from corner `i` to corner `i + 1`.
    neighbor: [u16; 3],
    /// Tells apart the faces that one slot has held; 0 for none.
    stamp: u32,
    pub normal: Vec3,
    pub distance: f64,
}

/// An edge between a face that w sees and one that it does not, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
struct Rim {
    start: u16,
    end: u16,
    /// The face that stays, and which of its edges this is.
    outer: u16,
    edge: u8,
}

/// A face that waits to be looked at.
#[derive(Clone, Copy, Debug)]
struct Entry {
    distance: f64,
    stamp: u32,
    face: u16,
}

/// Why a polytope does not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// No room for another vertex.
    Full,
    /// The edge of what w sees is no ring: rounding has won.
    Torn,
}

/// A closed surface of triangles with at most V vertices, F faces and Q waiting entries (F ≥ 2V, Q ≥ 2F).
pub(crate) struct Polytope<const V: usize, const F: usize, const Q: usize> {
    vertices: ArrayVec<Vertex, V>,
    faces: ArrayVec<Face, F>,
    free: ArrayVec<u16, F>,
    queue: ArrayVec<Entry, Q>,
    /// Edges (face, edge) that the flood of seen faces has still to cross.
    pending: ArrayVec<(u16, u8), F>,
    horizon: ArrayVec<Rim, F>,
    /// Slots of the faces of the ring.
    slots: ArrayVec<u16, F>,
    stamps: u32,
    /// Rounding error of a distance [m].
    noise: f64,
    /// Faces farther than this cannot be the answer.
    limit: f64,
}

const NEXT: [usize; 3] = [1, 2, 0];
const AFTER_NEXT: [usize; 3] = [2, 0, 1];

impl<const V: usize, const F: usize, const Q: usize> Polytope<V, F, Q> {
    /// No polytope yet; `noise` is the rounding error of a distance. Inlined, so that the arrays are not moved.
    #[inline(always)]
    pub fn new(noise: f64) -> Self {
        Self {
            vertices: ArrayVec::new_const(),
            faces: ArrayVec::new_const(),
            free: ArrayVec::new_const(),
            queue: ArrayVec::new_const(),
            pending: ArrayVec::new_const(),
            horizon: ArrayVec::new_const(),
            slots: ArrayVec::new_const(),
            stamps: 0,
            noise,
            limit: f64::INFINITY,
        }
    }

    /// Begins with the tetrahedron of four corners that do not lie in a plane.
    #[inline]
    pub fn start(&mut self, corners: &[Vertex; 4]) {
        let [p, q, r, s] = corners.map(|c| c.point);
        let outward = (q - p).cross(r - p).dot(s - p) < 0.0;
        let order = if outward { [0, 1, 2, 3] } else { [0, 2, 1, 3] };
        self.vertices.extend(order.map(|i| corners[i]));
        let tetrahedron =
            [([0, 1, 2], [1, 2, 3]), ([0, 3, 1], [3, 2, 0]), ([1, 3, 2], [1, 3, 0]), ([2, 3, 0], [2, 1, 0])];
        for (corner, neighbor) in tetrahedron {
            self.add_face(corner, neighbor);
        }
    }

    pub fn vertex(&self, i: u16) -> &Vertex {
        &self.vertices[i as usize]
    }

    pub fn face(&self, i: u16) -> &Face {
        &self.faces[i as usize]
    }

    /// The faces that are part of the surface.
    pub fn live_faces(&self) -> impl Iterator<Item = &Face> {
        self.faces.iter().filter(|face| face.stamp != 0)
    }

    pub fn contains(&self, point: Vec3) -> bool {
        self.vertices.iter().any(|v| v.point == point)
    }

    /// Forgets faces farther than `limit`.
    #[inline]
    pub fn set_limit(&mut self, limit: f64) {
        self.limit = limit;
    }

    /// The waiting face nearest to the origin, which waits no longer.
    #[inline]
    pub fn pop(&mut self) -> Option<u16> {
        while let Some(&first) = self.queue.first() {
            self.queue.swap_remove(0);
            self.sift_down(0);
            if self.faces[first.face as usize].stamp == first.stamp {
                return Some(first.face);
            }
        }
        None
    }

    /// Adds `new`, which lies outside the face `seed`.
    #[inline]
    pub fn expand(&mut self, seed: u16, new: Vertex) -> Result<(), Stuck> {
        if self.vertices.is_full() {
            return Err(Stuck::Full);
        }
        let apex = self.vertices.len() as u16;
        self.vertices.push(new);
        self.remove_seen(seed, new.point);
        let n = self.horizon.len();
        self.slots.clear();
        let Some(mut before) = self.horizon.last().copied() else { return Err(Stuck::Torn) };
        for (k, &rim) in self.horizon.iter().enumerate() {
            if before.end != rim.start || rim.start == rim.end {
                return Err(Stuck::Torn);
            }
            before = rim;
            // The last ones freed come first, then new ones.
            let slot = match self.free.len().checked_sub(1 + k) {
                Some(last) => self.free[last],
                None => (self.faces.len() + k - self.free.len()) as u16,
            };
            if slot as usize >= F || self.slots.try_push(slot).is_err() {
                return Err(Stuck::Full);
            }
        }
        if n < 3 {
            return Err(Stuck::Torn);
        }
        for k in 0..n {
            let rim = self.horizon[k];
            let after = self.slots[if k + 1 == n { 0 } else { k + 1 }];
            let before = self.slots[if k == 0 { n - 1 } else { k - 1 }];
            let slot = self.add_face([rim.start, rim.end, apex], [rim.outer, after, before]);
            assert_eq!(slot, self.slots[k]);
            self.faces[rim.outer as usize].neighbor[rim.edge as usize] = slot;
        }
        Ok(())
    }

    /// Removes `seed` and every face joined to it that `w` sees; leaves the ring of edges around them in `horizon`.
    fn remove_seen(&mut self, seed: u16, w: Vec3) {
        self.horizon.clear();
        self.pending.clear();
        self.remove(seed);
        for edge in [2, 1, 0] {
            self.cross(seed, edge);
        }
        while let Some((index, edge)) = self.pending.pop() {
            let face = &self.faces[index as usize];
            if face.stamp == 0 {
                continue;
            }
            if face.normal.dot(w) - face.distance > -self.noise {
                self.remove(index);
                self.cross(index, AFTER_NEXT[edge as usize]);
                self.cross(index, NEXT[edge as usize]);
            } else {
                let (start, end) = (face.corner[NEXT[edge as usize]], face.corner[edge as usize]);
                self.horizon.push(Rim { start, end, outer: index, edge });
            }
        }
    }

    #[inline(always)]
    fn remove(&mut self, index: u16) {
        self.faces[index as usize].stamp = 0;
        self.free.push(index);
    }

    /// Notes that the flood leaves face `index` through `edge`.
    #[inline(always)]
    fn cross(&mut self, index: u16, edge: usize) {
        let face = &self.faces[index as usize];
        let (other, start) = (face.neighbor[edge], face.corner[NEXT[edge]]);
        let corner = &self.faces[other as usize].corner;
        let across = if corner[0] == start {
            0
        } else if corner[1] == start {
            1
        } else {
            2
        };
        self.pending.push((other, across));
    }

    /// Adds a face and, unless it is too far or too thin to have a normal, lets it wait.
    #[inline]
    fn add_face(&mut self, corner: [u16; 3], neighbor: [u16; 3]) -> u16 {
        let [a, b, c] = corner.map(|i| self.vertices[i as usize].point);
        let edges = [b - a, c - b, a - c];
        let squares = edges.map(|e| e.length_squared());
        let base = blunt_corner(squares[0], squares[1], squares[2]);
        let normal = edges[AFTER_NEXT[base]].cross(edges[base]);
        let area_squared = normal.length_squared();
        let long_squared = squares[NEXT[base]];
        // Rounding of the corners turns the normal by noise · long / area: beyond 1e-5 rad it is none.
        let thin = area_squared * 1e-10 <= self.noise * self.noise * long_squared;
        let normal = if area_squared > 0.0 { normal * (1.0 / area_squared.sqrt()) } else { Vec3::ZERO };
        let distance = normal.dot(a);
        self.stamps += 1;
        let face = Face { corner, neighbor, stamp: self.stamps, normal, distance };
        let index = match self.free.pop() {
            Some(slot) => {
                self.faces[slot as usize] = face;
                slot
            }
            None => {
                self.faces.push(face);
                self.faces.len() as u16 - 1
            }
        };
        if !thin && distance <= self.limit {
            self.wait(Entry { distance, stamp: self.stamps, face: index });
        }
        index
    }

    /// Puts an entry into the queue, a binary heap with the nearest face first.
    #[inline]
    fn wait(&mut self, entry: Entry) {
        if self.queue.is_full() {
            let faces = &self.faces;
            self.queue.retain(|e| faces[e.face as usize].stamp == e.stamp);
            for i in (0..self.queue.len() / 2).rev() {
                self.sift_down(i);
            }
        }
        self.queue.push(entry);
        let mut i = self.queue.len() - 1;
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.queue[parent].distance <= self.queue[i].distance {
                break;
            }
            self.queue.swap(i, parent);
            i = parent;
        }
    }

    #[inline]
    fn sift_down(&mut self, mut i: usize) {
        let n = self.queue.len();
        loop {
            let left = 2 * i + 1;
            if left >= n {
                break;
            }
            let right = left + 1;
            let child = if right < n && self.queue[right].distance < self.queue[left].distance {
                right
            } else {
                left
            };
            if self.queue[i].distance <= self.queue[child].distance {
                break;
            }
            self.queue.swap(i, child);
            i = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn growing_polytope_stays_closed_and_convex() {
        let mut r = SplitMix::new(1);
        let point = |p: Vec3| Vertex { point: p, on_a: p };
        for round in 0..50 {
            let mut polytope = Polytope::<64, 128, 256>::new(1e-14);
            polytope.start(&[Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(-0.5)].map(point));
            while let Some(index) = polytope.pop() {
                // On even rounds corners of a grid, where many lie in one plane.
                let new = if round % 2 == 0 { (r.in_cube() * 3.0).round() } else { r.direction() * 2.0 };
                let face = *polytope.face(index);
                if face.normal.dot(new) > face.distance + 1e-12 && !polytope.contains(new) {
                    assert!(polytope.vertices.is_full() || polytope.expand(index, point(new)).is_ok());
                }
            }
            let faces = polytope.live_faces().count();
            for face in polytope.live_faces() {
                for (edge, next) in NEXT.into_iter().enumerate() {
                    let other = polytope.face(face.neighbor[edge]);
                    let back = other.corner.iter().position(|&c| c == face.corner[next]);
                    let back = back.expect("neighbours share an edge");
                    assert_eq!(other.corner[NEXT[back]], face.corner[edge]);
                    assert_ne!(other.stamp, 0);
                }
                for vertex in &polytope.vertices {
                    // A dozen expansions of coordinates up to 3.
                    assert!(face.normal.dot(vertex.point) <= face.distance + 1e-12);
                }
            }
            // Every face has three half edges, and a closed surface 2E = 3F.
            assert!(faces >= 4 && faces.is_multiple_of(2));
        }
    }
}
