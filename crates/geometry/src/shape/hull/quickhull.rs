//! The triangles of a convex hull: quickhull with exact signs.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | L | `extent` | largest extent of the points along an axis | scaled to ≤ 1 |
//! | τ | `tolerance` | a point less than τ above every face adds nothing | as L |
//! | – | eye | the point that is being added | |
//! | – | horizon | edges between faces that the eye sees and those that it does not | |
//!
//! Quickhull (Barber, Dobkin, Huhdanpaa 1996) adds the farthest point above a face, replaces all faces which that
//! point sees by a cone from the horizon, and hands their other points on. Here every sign comes from an exact
//! determinant (Shewchuk 1997), and a face in whose plane the eye lies counts as seen. Then the seen faces are
//! a disc, the horizon is one simple loop, and no triangle of the cone is degenerate, for any finite input: the
//! surface is closed and convex by construction. Tolerances only decide which points are worth adding.

use crate::{
    Aabb,
    shape::{LENGTH_RANGE, ShapeError},
};
use huygens_math::{Vec3, scalar::max};
use robust::{Coord3D, orient3d};

/// The solid must be this many tolerances thick, or the merging of flat faces would eat it.
const LEAST_THICKNESS: f64 = 64.0;
/// 2⁻¹⁴⁰: a coordinate below this is nothing beside the largest, but its products would underflow and spoil the
/// exact signs.
const NOTHING: f64 = f64::from_bits((1023 - 140) << 52);
const NONE: u32 = u32::MAX;

/// A closed surface of triangles, counter-clockwise seen from outside.
pub(super) struct Triangles {
    /// All input points, scaled by a power of two so that the largest coordinate is below 1.
    pub points: Vec<Vec3>,
    /// Corners, as indices into the input.
    pub corners: Vec<[u32; 3]>,
    /// Triangle across edge `i`, which runs from corner `i` to corner `i + 1`.
    pub across: Vec<[u32; 3]>,
    /// τ, in scaled lengths.
    pub tolerance: f64,
}

struct Face {
    corners: [u32; 3],
    across: [u32; 3],
    /// Twice the area.
    area: f64,
    /// Points above this face, and the farthest of them.
    outside: Vec<u32>,
    farthest: u32,
    height: f64,
    alive: bool,
}

/// An edge of the horizon, in the direction in which the seen face had it; `beyond` is the face that stays.
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: u32,
}

struct Builder {
    points: Vec<Vec3>,
    faces: Vec<Face>,
    tolerance: f64,
    // Scratch of one addition.
    seen: Vec<u32>,
    mark: Vec<u32>,
    horizon: Vec<HorizonEdge>,
    edge_from: Vec<u32>,
}

/// The triangulated hull of `points`; `relative` is τ as a fraction of their extent.
pub(super) fn triangles(points: &[Vec3], relative: f64) -> Result<Triangles, ShapeError> {
    let scaled = Scaled::new(points, relative)?;
    let first = scaled.simplex(points)?;
    let count = scaled.points.len();
    let mut hull = Builder {
        points: scaled.points,
        faces: Vec::new(),
        tolerance: scaled.tolerance,
        seen: Vec::new(),
        mark: Vec::new(),
        horizon: Vec::new(),
        edge_from: vec![NONE; count],
    };
    hull.start(first);
    let mut next = 0;
    // Every round adds one point or passes one face, and the faces of a round come from the point it added.
    while next < hull.faces.len() {
        if hull.faces[next].alive && hull.faces[next].farthest != NONE {
            hull.add(next as u32);
        }
        next += 1;
    }
    Ok(hull.finish())
}

struct Scaled {
    points: Vec<Vec3>,
    tolerance: f64,
    extent: f64,
    /// Real length of one scaled unit [m].
    unit: f64,
}

impl Scaled {
    fn new(points: &[Vec3], relative: f64) -> Result<Self, ShapeError> {
        for (index, p) in points.iter().enumerate() {
            if !p.is_finite() || p.abs().max_element() > LENGTH_RANGE[1] {
                return Err(ShapeError::BadPoint { index, x: p.x, y: p.y, z: p.z });
            }
        }
        let Aabb { min: low, max: high } = Aabb::of_points(points);
        let distinct = distinct_up_to_four(points);
        if distinct < 4 {
            return Err(ShapeError::TooFewPoints { given: points.len(), distinct });
        }
        let extent = (high - low).max_element();
        if extent < LENGTH_RANGE[0] {
            let remedy = "Check the unit of the points: lengths are in metres.";
            return Err(ShapeError::BadSize { shape: "hull", field: "extent", value: extent, remedy });
        }
        let reach = max(high.abs().max_element(), low.abs().max_element());
        let unit = power_of_two_above(reach);
        let scale = 1.0 / unit;
        let keep = |x: f64| if x.abs() < NOTHING { 0.0 } else { x };
        let points: Vec<Vec3> = points.iter().map(|p| (*p * scale).map(keep)).collect();
        let rounding = 16.0 * f64::EPSILON * reach;
        let tolerance = max(relative * extent, rounding) * scale;
        Ok(Self { points, tolerance, extent: extent * scale, unit })
    }

    /// Four points that span a volume: the two farthest apart along an axis, the farthest from their line, the
    /// farthest from that plane. The first of equals wins.
    fn simplex(&self, given: &[Vec3]) -> Result<[u32; 4], ShapeError> {
        let flat = |what, flat, thickness: f64| {
            let (thickness, extent) = (thickness * self.unit, self.extent * self.unit);
            Err(ShapeError::Flat { given: given.len(), what, flat, thickness, extent })
        };
        let (a, b) = self.farthest_pair();
        let (pa, pb) = (self.points[a as usize], self.points[b as usize]);
        let along = pb - pa;
        let (c, area) = self.farthest(|p| along.cross(p - pa).length());
        let width = area / along.length();
        if width <= LEAST_THICKNESS * self.tolerance {
            return flat("on one line", "line", width);
        }
        let pc = self.points[c as usize];
        let (d, volume) = self.farthest(|p| orient(pa, pb, pc, p).abs());
        let thickness = volume / area;
        if thickness <= LEAST_THICKNESS * self.tolerance {
            return flat("in one plane", "plane", thickness);
        }
        // The fourth point must be behind the first face.
        let ahead = orient(pa, pb, pc, self.points[d as usize]) > 0.0;
        Ok(if ahead { [a, c, b, d] } else { [a, b, c, d] })
    }

    fn farthest_pair(&self) -> (u32, u32) {
        let mut ends = [0u32; 6];
        for (i, p) in self.points.iter().enumerate() {
            for axis in 0..3 {
                if p[axis] < self.points[ends[2 * axis] as usize][axis] {
                    ends[2 * axis] = i as u32;
                }
                if p[axis] > self.points[ends[2 * axis + 1] as usize][axis] {
                    ends[2 * axis + 1] = i as u32;
                }
            }
        }
        let mut best = (ends[0], ends[1], 0.0);
        for &a in &ends {
            for &b in &ends {
                let square = self.points[a as usize].distance_squared(self.points[b as usize]);
                if square > best.2 {
                    best = (a, b, square);
                }
            }
        }
        (best.0, best.1)
    }

    fn farthest(&self, measure: impl Fn(Vec3) -> f64) -> (u32, f64) {
        let mut best = (0, 0.0);
        for (i, p) in self.points.iter().enumerate() {
            let value = measure(*p);
            if value > best.1 {
                best = (i as u32, value);
            }
        }
        best
    }
}

impl Builder {
    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let corners = [[a, b, c], [b, a, d], [c, b, d], [a, c, d]];
        let across = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        for (corners, across) in corners.into_iter().zip(across) {
            self.push(corners, across);
        }
        for p in 0..self.points.len() as u32 {
            self.hand_to(p, 0);
        }
    }

    fn push(&mut self, corners: [u32; 3], across: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.points[i as usize]);
        let longest = max(a.distance_squared(b), max(b.distance_squared(c), c.distance_squared(a)));
        // The floor keeps the height of a point over a sliver finite.
        let area = max((b - a).cross(c - a).length(), f64::EPSILON * longest);
        let face =
            Face { corners, across, area, outside: Vec::new(), farthest: NONE, height: 0.0, alive: true };
        self.faces.push(face);
        self.mark.push(NONE);
    }

    /// Positive when `p` is above the face; the sign is exact.
    fn sign(&self, face: u32, p: u32) -> f64 {
        let [a, b, c] = self.faces[face as usize].corners.map(|i| self.points[i as usize]);
        orient(a, b, c, self.points[p as usize])
    }

    /// Gives the point to the face, among those from index `first` on, that it is highest above; to none when it
    /// is within the tolerance of all.
    fn hand_to(&mut self, p: u32, first: usize) {
        let mut best = (NONE, self.tolerance);
        for f in first..self.faces.len() {
            let height = self.sign(f as u32, p) / self.faces[f].area;
            if height > best.1 {
                best = (f as u32, height);
            }
        }
        if best.0 != NONE {
            let face = &mut self.faces[best.0 as usize];
            face.outside.push(p);
            if best.1 > face.height {
                (face.height, face.farthest) = (best.1, p);
            }
        }
    }

    /// Adds the farthest point above a face.
    fn add(&mut self, face: u32) {
        let eye = self.faces[face as usize].farthest;
        self.look(face, eye);
        let first = self.faces.len();
        if !self.raise_cone(eye) {
            // Exact signs leave no other horizon than one loop; should that ever fail, the point is left out.
            let face = &mut self.faces[face as usize];
            (face.farthest, face.height) = (NONE, 0.0);
            return;
        }
        for i in 0..self.seen.len() {
            let old = &mut self.faces[self.seen[i] as usize];
            old.alive = false;
            for p in std::mem::take(&mut old.outside) {
                if p != eye {
                    self.hand_to(p, first);
                }
            }
        }
    }

    /// Finds the faces that the eye sees, and their horizon.
    fn look(&mut self, face: u32, eye: u32) {
        self.seen.clear();
        self.horizon.clear();
        self.seen.push(face);
        self.mark[face as usize] = eye;
        let mut next = 0;
        while next < self.seen.len() {
            let f = self.seen[next];
            next += 1;
            for i in 0..3 {
                let beyond = self.faces[f as usize].across[i];
                if self.mark[beyond as usize] == eye {
                    continue;
                }
                if self.sign(beyond, eye) >= 0.0 {
                    self.mark[beyond as usize] = eye;
                    self.seen.push(beyond);
                } else {
                    let corners = &self.faces[f as usize].corners;
                    self.horizon.push(HorizonEdge { from: corners[i], to: corners[(i + 1) % 3], beyond });
                }
            }
        }
    }

    /// Joins the eye to the horizon; false, and nothing done, when the horizon is not one simple loop.
    fn raise_cone(&mut self, eye: u32) -> bool {
        let first = self.faces.len() as u32;
        if !self.order_horizon() {
            return false;
        }
        let n = self.horizon.len();
        for i in 0..n {
            let HorizonEdge { from, to, beyond } = self.horizon[i];
            let (after, before) = ((i + 1) % n, (i + n - 1) % n);
            self.push([from, to, eye], [beyond, first + after as u32, first + before as u32]);
            let kept = &mut self.faces[beyond as usize];
            for slot in 0..3 {
                if kept.corners[slot] == to && kept.corners[(slot + 1) % 3] == from {
                    kept.across[slot] = first + i as u32;
                }
            }
        }
        true
    }

    /// Puts the edges of the horizon in the order of a walk around it; false when they are not one simple loop.
    fn order_horizon(&mut self) -> bool {
        let n = self.horizon.len();
        let mut simple = n >= 3;
        for (i, edge) in self.horizon.iter().enumerate() {
            simple &= self.edge_from[edge.from as usize] == NONE;
            self.edge_from[edge.from as usize] = i as u32;
        }
        for i in 1..n {
            let next = self.edge_from[self.horizon[i - 1].to as usize];
            // An edge that was already placed, or none, would mean two loops or a gap.
            simple &= next != NONE && next as usize >= i;
            if !simple {
                break;
            }
            self.horizon.swap(i, next as usize);
            self.edge_from[self.horizon[i].from as usize] = i as u32;
            self.edge_from[self.horizon[next as usize].from as usize] = next;
        }
        simple = simple && self.horizon[n - 1].to == self.horizon[0].from;
        for edge in &self.horizon {
            self.edge_from[edge.from as usize] = NONE;
        }
        simple
    }

    fn finish(self) -> Triangles {
        let mut renumbered = vec![NONE; self.faces.len()];
        let mut kept = 0;
        for (i, face) in self.faces.iter().enumerate() {
            if face.alive {
                renumbered[i] = kept;
                kept += 1;
            }
        }
        let alive = || self.faces.iter().filter(|f| f.alive);
        Triangles {
            corners: alive().map(|f| f.corners).collect(),
            across: alive().map(|f| f.across.map(|g| renumbered[g as usize])).collect(),
            tolerance: self.tolerance,
            points: self.points,
        }
    }
}

/// Positive when `p` is on the side from which a, b, c go counter-clockwise; six times the volume between them.
fn orient(a: Vec3, b: Vec3, c: Vec3, p: Vec3) -> f64 {
    let coord = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    -orient3d(coord(a), coord(b), coord(c), coord(p))
}

/// The smallest power of two above a positive normal number.
fn power_of_two_above(x: f64) -> f64 {
    2.0 * f64::from_bits(x.to_bits() & (0x7FF << 52))
}

/// How many different points there are, counted to four.
fn distinct_up_to_four(points: &[Vec3]) -> usize {
    let mut found = [Vec3::ZERO; 4];
    let mut count = 0;
    for p in points {
        if count < 4 && !found[..count].contains(p) {
            found[count] = *p;
            count += 1;
        }
    }
    count
}
