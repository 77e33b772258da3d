//! Flat regions of a triangulated hull become polygons.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | τ | `tolerance` | how far a corner may lie off the plane of its face | scaled length |
//! | – | region | triangles that will be one face | |
//! | – | corner | a vertex where three or more regions meet | |
//!
//! First, regions grow from the largest triangles: a neighbour joins while all its corners are within τ/16 of the
//! seed's plane. The fixed plane stops a region from creeping around a bend. Then faces that are still flat against a
//! neighbour (within τ/4 of the plane that fits the region) are joined pair by pair: what is left has dihedral angles
//! so much larger than the noise in its normals that the polyhedron is convex as computed, not only in theory. The
//! corners stick out by more than τ (see `strengthen`), so a region has them all on its rim and is convex.
//! Whatever a region's shape, the result is a partition of the surface into discs, so that V − E + F = 2 always.

use super::{exact::cross, quickhull::Triangles};
use huygens_math::{Vec3, scalar::max};

const NONE: u32 = u32::MAX;
/// Off-plane distances in tolerances up to which a triangle joins a growing region, and a face another.
const GROW: f64 = 1.0 / 16.0;
const JOIN: f64 = 1.0 / 4.0;

/// Faces as loops of corners, and for every edge the number of its twin.
pub(super) struct Polygons {
    /// Corner loops, counter-clockwise seen from outside, as indices into the input points.
    pub loops: Vec<Vec<u32>>,
    /// For side `i` of a loop (corner `i` to `i + 1`): the face and the side on its other side.
    pub twins: Vec<Vec<(u32, u32)>>,
}

/// One side of a region: a chain of triangle edges along the same neighbour.
struct Side {
    start: u32,
    neighbour: u32,
    /// Triangle edges (3 · triangle + slot) at which the chain begins and ends.
    first: u32,
    last: u32,
}

struct Plane {
    normal: Vec3,
    offset: f64,
    area: f64,
}

struct Merger<'a> {
    points: &'a [Vec3],
    mesh: &'a Triangles,
    tolerance: f64,
    region: Vec<u32>,
    /// Triangles of each region; empty when it was joined to another.
    members: Vec<Vec<u32>>,
    /// Regions that were part of one which could not be a face: they are not joined to each other again.
    split: Vec<bool>,
}

/// Joins flat triangles to polygons; `None` when fewer than four faces are left.
pub(super) fn polygons(points: &[Vec3], mesh: &Triangles, tolerance: f64) -> Option<Polygons> {
    let mut merger = Merger::grow(points, mesh, tolerance);
    // A round joins two regions or splits one for good.
    for _ in 0..3 * mesh.corners.len() {
        let outlines = merger.outlines();
        if merger.live() < 4 {
            return None;
        }
        if !(merger.mend(&outlines) || merger.join_flat(&outlines)) {
            return Some(collect(&merger, &outlines));
        }
    }
    None
}

impl<'a> Merger<'a> {
    fn grow(points: &'a [Vec3], mesh: &'a Triangles, tolerance: f64) -> Self {
        let count = mesh.corners.len();
        let region = vec![NONE; count];
        let mut merger = Self { points, mesh, tolerance, region, members: Vec::new(), split: Vec::new() };
        let area: Vec<f64> = (0..count as u32).map(|t| merger.area_vector(t).length()).collect();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|&a, &b| area[b as usize].total_cmp(&area[a as usize]).then(a.cmp(&b)));
        for seed in order {
            if merger.region[seed as usize] == NONE {
                merger.grow_from(seed);
            }
        }
        merger.split = vec![false; merger.members.len()];
        merger
    }

    fn grow_from(&mut self, seed: u32) {
        let id = self.members.len() as u32;
        let plane = self.plane_of(&[seed]);
        self.region[seed as usize] = id;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            let t = members[next];
            next += 1;
            for other in self.mesh.across[t as usize] {
                let free = self.region[other as usize] == NONE;
                // A triangle that looks the other way is on the far side of a thin solid.
                if free
                    && self.area_vector(other).dot(plane.normal) >= 0.0
                    && self.depth(&plane, other) <= GROW * self.tolerance
                {
                    self.region[other as usize] = id;
                    members.push(other);
                }
            }
        }
        self.members.push(members);
    }

    fn live(&self) -> usize {
        self.members.iter().filter(|m| !m.is_empty()).count()
    }

    fn corner(&self, t: u32, slot: usize) -> Vec3 {
        self.points[self.mesh.corners[t as usize][slot % 3] as usize]
    }

    /// Twice the area, along the outward normal.
    fn area_vector(&self, t: u32) -> Vec3 {
        let a = self.corner(t, 0);
        cross(self.corner(t, 1) - a, self.corner(t, 2) - a)
    }

    /// How far the lowest corner of a triangle is below a plane.
    fn depth(&self, plane: &Plane, t: u32) -> f64 {
        (0..3).map(|i| plane.offset - plane.normal.dot(self.corner(t, i))).fold(f64::NEG_INFINITY, max)
    }

    /// The plane that fits the triangles and has all of them below it.
    fn plane_of(&self, members: &[u32]) -> Plane {
        let sum = members.iter().fold(Vec3::ZERO, |sum, &t| sum + self.area_vector(t));
        let area = sum.length();
        let normal = if area > 0.0 { sum / area } else { Vec3::ZERO };
        let top = |t: &u32| (0..3).map(|i| normal.dot(self.corner(*t, i))).fold(f64::NEG_INFINITY, max);
        Plane { normal, offset: members.iter().map(top).fold(f64::NEG_INFINITY, max), area }
    }

    /// The sides of every region in order; `None` for one that is not a simple disc, empty for one that is gone.
    fn outlines(&self) -> Vec<Option<Vec<Side>>> {
        self.members.iter().enumerate().map(|(id, m)| self.outline(id as u32, m)).collect()
    }

    fn outline(&self, id: u32, members: &[u32]) -> Option<Vec<Side>> {
        let outward = |t: u32, slot: usize| self.region[self.mesh.across[t as usize][slot] as usize] != id;
        let edges = || members.iter().flat_map(|&t| (0..3).map(move |slot| (t, slot)));
        let total = edges().filter(|&(t, slot)| outward(t, slot)).count();
        let Some(start) = edges().find(|&(t, slot)| outward(t, slot)) else {
            return Some(Vec::new());
        };
        let mut chain: Vec<(u32, u32)> = Vec::with_capacity(total);
        let (mut t, mut slot) = start;
        for _ in 0..total {
            chain.push((3 * t + slot as u32, self.region[self.mesh.across[t as usize][slot] as usize]));
            slot = (slot + 1) % 3;
            while !outward(t, slot) {
                let other = self.mesh.across[t as usize][slot];
                let back = self.mesh.across[other as usize].iter().position(|&x| x == t)?;
                (t, slot) = (other, (back + 1) % 3);
            }
            if (t, slot) == start {
                break;
            }
        }
        // Fewer edges on the loop than in all: there is a second loop.
        (chain.len() == total && (t, slot) == start).then(|| self.sides(&chain))?
    }

    /// Cuts a loop of edges at the corners; `None` when it passes a vertex twice.
    fn sides(&self, chain: &[(u32, u32)]) -> Option<Vec<Side>> {
        let from = |edge: u32| self.mesh.corners[edge as usize / 3][edge as usize % 3];
        let mut passed: Vec<u32> = chain.iter().map(|c| from(c.0)).collect();
        passed.sort_unstable();
        if passed.windows(2).any(|w| w[0] == w[1]) {
            return None;
        }
        let n = chain.len();
        let Some(cut) = (0..n).find(|&i| chain[i].1 != chain[(i + n - 1) % n].1) else {
            return Some(Vec::new());
        };
        let mut sides: Vec<Side> = Vec::new();
        for i in 0..n {
            let (edge, neighbour) = chain[(cut + i) % n];
            match sides.last_mut() {
                Some(side) if side.neighbour == neighbour => side.last = edge,
                _ => sides.push(Side { start: from(edge), neighbour, first: edge, last: edge }),
            }
        }
        Some(sides)
    }

    /// Deals with regions that cannot be a face (a ring, a pinched loop, fewer than three corners): takes them apart
    /// again, or, when that was done before, joins them to the neighbour that they lie flattest against. True when
    /// there was one.
    fn mend(&mut self, outlines: &[Option<Vec<Side>>]) -> bool {
        let mut touched = vec![false; self.members.len()];
        let mut found = false;
        for (id, outline) in outlines.iter().enumerate() {
            let broken = outline.as_ref().is_none_or(|sides| sides.len() < 3);
            if self.members[id].is_empty() || touched[id] || !broken {
                continue;
            }
            found = true;
            if self.members[id].len() > 1 && !self.split[id] {
                self.take_apart(id);
            } else if let Some(other) = self.flattest_neighbour(id as u32)
                && touched.get(other as usize) == Some(&false)
            {
                touched[id] = true;
                touched[other as usize] = true;
                self.join(id as u32, other);
            }
        }
        found
    }

    fn take_apart(&mut self, id: usize) {
        self.split[id] = true;
        let rest = self.members[id].split_off(1);
        for t in rest {
            self.region[t as usize] = self.members.len() as u32;
            self.members.push(vec![t]);
            self.split.push(true);
        }
    }

    fn flattest_neighbour(&self, id: u32) -> Option<u32> {
        let members = &self.members[id as usize];
        let mut neighbours: Vec<u32> = members
            .iter()
            .flat_map(|&t| self.mesh.across[t as usize])
            .map(|t| self.region[t as usize])
            .filter(|&r| r != id)
            .collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let own = self.plane_of(members);
        let misfit = |r: u32| {
            let other = &self.members[r as usize];
            let plane = self.plane_of(other);
            if plane.area < own.area {
                self.region_depth(&own, other)
            } else {
                self.region_depth(&plane, members)
            }
        };
        neighbours.into_iter().map(|r| (misfit(r), r)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|best| best.1)
    }

    /// Joins pairs of neighbours of which one is flat against the other, each region at most once. True when there
    /// was one.
    fn join_flat(&mut self, outlines: &[Option<Vec<Side>>]) -> bool {
        let planes: Vec<Plane> = self.members.iter().map(|m| self.plane_of(m)).collect();
        let mut flat: Vec<(f64, u32, u32)> = Vec::new();
        for (id, outline) in outlines.iter().enumerate() {
            for side in outline.iter().flatten() {
                if self.split[id] && self.split[side.neighbour as usize] {
                    continue;
                }
                let depth = self.corner_depth(&planes[id], outlines[side.neighbour as usize].as_deref());
                if depth <= JOIN * self.tolerance {
                    flat.push((depth, id as u32, side.neighbour));
                }
            }
        }
        flat.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut touched = vec![false; self.members.len()];
        for &(_, a, b) in &flat {
            if !touched[a as usize] && !touched[b as usize] {
                touched[a as usize] = true;
                touched[b as usize] = true;
                self.join(a, b);
            }
        }
        !flat.is_empty()
    }

    fn region_depth(&self, plane: &Plane, members: &[u32]) -> f64 {
        members.iter().map(|&t| self.depth(plane, t)).fold(f64::NEG_INFINITY, max)
    }

    /// How far the lowest corner of an outline is below a plane; stops looking once it is clearly below.
    fn corner_depth(&self, plane: &Plane, outline: Option<&[Side]>) -> f64 {
        let mut lowest = f64::NEG_INFINITY;
        for side in outline.unwrap_or_default() {
            lowest = max(lowest, plane.offset - plane.normal.dot(self.points[side.start as usize]));
            if lowest > JOIN * self.tolerance {
                break;
            }
        }
        lowest
    }

    fn join(&mut self, a: u32, b: u32) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let moved = std::mem::take(&mut self.members[high as usize]);
        for &t in &moved {
            self.region[t as usize] = low;
        }
        self.members[low as usize].extend(moved);
        self.split[low as usize] |= self.split[high as usize];
    }
}

fn collect(merger: &Merger, outlines: &[Option<Vec<Side>>]) -> Polygons {
    let faces: Vec<&Vec<Side>> = outlines.iter().flatten().filter(|sides| !sides.is_empty()).collect();
    // The last edge of a chain is the twin of the first edge of the same chain seen from the other region.
    let mut ending_at = vec![(NONE, NONE); 3 * merger.mesh.corners.len()];
    for (face, sides) in faces.iter().enumerate() {
        for (i, side) in sides.iter().enumerate() {
            ending_at[side.last as usize] = (face as u32, i as u32);
        }
    }
    let twin_edge = |edge: u32| {
        let t = edge / 3;
        let other = merger.mesh.across[t as usize][edge as usize % 3];
        let back = merger.mesh.across[other as usize].iter().position(|&x| x == t).unwrap_or(0);
        3 * other + back as u32
    };
    Polygons {
        loops: faces.iter().map(|sides| sides.iter().map(|s| s.start).collect()).collect(),
        twins: faces
            .iter()
            .map(|sides| sides.iter().map(|s| ending_at[twin_edge(s.first) as usize]).collect())
            .collect(),
    }
}
