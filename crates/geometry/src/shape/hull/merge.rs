//! Flat regions of a triangulated hull become polygons.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | τ | `tolerance` | by how much the corners of the surface stick out at least | scaled length |
//! | – | region | triangles that will be one face | |
//! | – | corner | a vertex where three or more regions meet | |
//!
//! Regions grow from the largest triangles: a neighbour joins while all its corners are within τ/4 of the seed's
//! plane. The fixed plane stops a region from creeping around a bend. As the vertices stick out by more than τ (see
//! `strengthen`), a region has all of its own on its rim, and its outline is convex. Should a region not be a disc
//! with three corners at least, nothing is merged: triangles are faces too.

use super::{exact::cross, quickhull::Triangles};
use huygens_math::{Vec3, scalar::max};

const NONE: u32 = u32::MAX;
/// Off-plane distance, in tolerances, up to which a triangle joins a growing region.
const GROW: f64 = 0.25;

/// Faces as loops of corners, and for every edge its twin.
pub(super) struct Polygons {
    /// Corner loops, counter-clockwise seen from outside, as indices into the input points.
    pub loops: Vec<Vec<u32>>,
    /// For side `i` of a loop (corner `i` to `i + 1`): the face and the side on its other side.
    pub twins: Vec<Vec<(u32, u32)>>,
}

/// Joins flat triangles to polygons.
pub(super) fn polygons(points: &[Vec3], mesh: &Triangles, tolerance: f64) -> Polygons {
    let grown = Regions::grow(points, mesh, GROW * tolerance);
    let outlines = grown.outlines().unwrap_or_else(|| {
        let single = Regions::single(mesh);
        // In a closed surface every triangle has three different neighbours.
        single.outlines().unwrap_or_default()
    });
    collect(mesh, &outlines)
}

/// One side of a region: a chain of triangle edges along the same neighbour.
struct Side {
    start: u32,
    neighbour: u32,
    /// Triangle edges (3 · triangle + slot) at which the chain begins and ends.
    first: u32,
    last: u32,
}

struct Regions<'a> {
    mesh: &'a Triangles,
    /// The region of each triangle, and the triangles of each region.
    region: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl<'a> Regions<'a> {
    fn single(mesh: &'a Triangles) -> Self {
        let all = 0..mesh.corners.len() as u32;
        Self { mesh, region: all.clone().collect(), members: all.map(|t| vec![t]).collect() }
    }

    fn grow(points: &[Vec3], mesh: &'a Triangles, reach: f64) -> Self {
        let at = |t: u32| mesh.corners[t as usize].map(|c| points[c as usize]);
        let areas: Vec<Vec3> = (0..mesh.corners.len() as u32)
            .map(|t| {
                let [a, b, c] = at(t);
                cross(b - a, c - a)
            })
            .collect();
        let mut order: Vec<u32> = (0..areas.len() as u32).collect();
        let size = |t: u32| areas[t as usize].length_squared();
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));

        let mut regions = Self { mesh, region: vec![NONE; areas.len()], members: Vec::new() };
        for seed in order {
            if regions.region[seed as usize] == NONE {
                let (origin, normal) = (at(seed)[0], areas[seed as usize].normalize_or_zero());
                regions.grow_from(seed, |t| {
                    let depth = at(t).map(|p| normal.dot(origin - p)).into_iter().fold(0.0, max);
                    // A triangle that looks the other way is on the far side of a thin solid.
                    depth <= reach && areas[t as usize].dot(normal) >= 0.0
                });
            }
        }
        regions
    }

    fn grow_from(&mut self, seed: u32, joins: impl Fn(u32) -> bool) {
        let id = self.members.len() as u32;
        self.region[seed as usize] = id;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            for other in self.mesh.across[members[next] as usize] {
                if self.region[other as usize] == NONE && joins(other) {
                    self.region[other as usize] = id;
                    members.push(other);
                }
            }
            next += 1;
        }
        self.members.push(members);
    }

    /// The sides of every region, in order around it; `None` when one is not a disc with three corners.
    fn outlines(&self) -> Option<Vec<Vec<Side>>> {
        (0..self.members.len() as u32).map(|id| self.sides(&self.rim(id)?)).collect()
    }

    /// The triangle edges around a region, in order; `None` when there is more than one loop, or none.
    fn rim(&self, id: u32) -> Option<Vec<u32>> {
        let outward = |t: u32, slot: usize| self.region_across(3 * t + slot as u32) != id;
        let edges = self.members[id as usize].iter().flat_map(|&t| (0..3).map(move |slot| (t, slot)));
        let (mut total, mut start) = (0, None);
        for (t, slot) in edges.filter(|&(t, slot)| outward(t, slot)) {
            total += 1;
            start = start.or(Some((t, slot)));
        }
        let start = start?;
        let (mut t, mut slot) = start;
        let mut rim = Vec::with_capacity(total);
        for _ in 0..total {
            rim.push(3 * t + slot as u32);
            slot = (slot + 1) % 3;
            while !outward(t, slot) {
                let twin = self.mesh.twin(3 * t + slot as u32);
                (t, slot) = (twin / 3, (twin as usize + 1) % 3);
            }
            if (t, slot) == start {
                break;
            }
        }
        (rim.len() == total).then_some(rim)
    }

    /// Cuts a rim at the corners; `None` when it passes a vertex twice or has fewer than three corners.
    fn sides(&self, rim: &[u32]) -> Option<Vec<Side>> {
        let from = |edge: u32| self.mesh.corners[edge as usize / 3][edge as usize % 3];
        let mut passed: Vec<u32> = rim.iter().map(|&edge| from(edge)).collect();
        passed.sort_unstable();
        if passed.windows(2).any(|w| w[0] == w[1]) {
            return None;
        }
        let n = rim.len();
        let neighbour = |i: usize| self.region_across(rim[i % n]);
        let cut = (0..n).find(|&i| neighbour(i) != neighbour(i + n - 1))?;
        let mut sides: Vec<Side> = Vec::new();
        for i in cut..cut + n {
            let (edge, neighbour) = (rim[i % n], neighbour(i));
            match sides.last_mut() {
                Some(side) if side.neighbour == neighbour => side.last = edge,
                _ => sides.push(Side { start: from(edge), neighbour, first: edge, last: edge }),
            }
        }
        (sides.len() >= 3).then_some(sides)
    }

    fn region_across(&self, edge: u32) -> u32 {
        self.region[self.mesh.across[edge as usize / 3][edge as usize % 3] as usize]
    }
}

fn collect(mesh: &Triangles, outlines: &[Vec<Side>]) -> Polygons {
    // The first edge of a side is the twin of the last edge of the same side seen from the other face.
    let mut ending_at = vec![(NONE, NONE); 3 * mesh.corners.len()];
    for (face, sides) in outlines.iter().enumerate() {
        for (i, side) in sides.iter().enumerate() {
            ending_at[side.last as usize] = (face as u32, i as u32);
        }
    }
    let twin = |side: &Side| ending_at[mesh.twin(side.first) as usize];
    Polygons {
        loops: outlines.iter().map(|sides| sides.iter().map(|s| s.start).collect()).collect(),
        twins: outlines.iter().map(|sides| sides.iter().map(twin).collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::hull::quickhull::triangles;
    use huygens_math::SplitMix;

    #[test]
    fn regions_that_cannot_be_faces_leave_the_triangles_as_they_are() {
        let mut r = SplitMix::new(1);
        let points: Vec<Vec3> = (0..50).map(|_| r.direction()).collect();
        let all: Vec<u32> = (0..50).collect();
        let mesh = triangles(&points, &all, 0.0, 0.0).ok().expect("a sphere is thick");
        // So wide a reach makes two halves, and rests between them.
        for tolerance in [100.0, 1e3] {
            let found = polygons(&points, &mesh, tolerance);
            assert_eq!(found.loops, mesh.corners.iter().map(|c| c.to_vec()).collect::<Vec<_>>());
            for (face, twins) in found.twins.iter().enumerate() {
                for (i, &(other, j)) in twins.iter().enumerate() {
                    assert_eq!(found.twins[other as usize][j as usize], (face as u32, i as u32));
                }
            }
        }
    }
}
