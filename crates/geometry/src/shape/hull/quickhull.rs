//! The triangles of a convex hull: quickhull with exact signs.
//!
//! | term | meaning |
//! |---|---|
//! | eye | the point that is being added |
//! | horizon | the edges between faces that the eye sees and those that it does not |
//! | height | distance of a point above the plane of a face |
//!
//! Quickhull (Barber, Dobkin, Huhdanpaa 1996) adds the farthest point above a face, replaces all faces which that
//! point sees by a cone from the horizon, and hands their other points on. Here every sign comes from an exact
//! determinant (Shewchuk 1997), and a face in whose plane the eye lies counts as seen. Then the seen faces are
//! a disc, the horizon is one simple loop, and no triangle of the cone is degenerate, for any finite input: the
//! surface is closed and convex by construction. Tolerances only decide which points are worth adding.

use super::exact::{double_area, orient};
use huygens_math::Vec3;

const NONE: u32 = u32::MAX;

/// A closed surface of triangles, counter-clockwise seen from outside.
pub(super) struct Triangles {
    /// Corners, as indices into the points.
    pub corners: Vec<[u32; 3]>,
    /// Triangle across edge `i`, which runs from corner `i` to corner `i + 1`.
    pub across: Vec<[u32; 3]>,
}

impl Triangles {
    /// The same edge (3 · triangle + slot) seen from the other side.
    pub fn twin(&self, edge: u32) -> u32 {
        let (t, slot) = (edge / 3, edge as usize % 3);
        let end = self.corners[t as usize][(slot + 1) % 3];
        let other = self.across[t as usize][slot];
        let back = self.corners[other as usize].iter().position(|&c| c == end);
        3 * other + back.expect("neighbours share an edge") as u32
    }
}

/// Why there is no solid: how far the points are from a line or from a plane.
pub(super) enum Thin {
    Line(f64),
    Plane(f64),
}

/// The hull of those `points` that `chosen` names, without points less than `discard` above it. The points must be
/// more than `least` thick.
pub(super) fn triangles(
    points: &[Vec3],
    chosen: &[u32],
    discard: f64,
    least: f64,
) -> Result<Triangles, Thin> {
    let points: Vec<Vec3> = chosen.iter().map(|&i| points[i as usize]).collect();
    let first = simplex(&points, least)?;
    let mut hull = Builder {
        edge_from: vec![NONE; points.len()],
        points,
        faces: Vec::new(),
        discard,
        seen: Vec::new(),
        mark: Vec::new(),
        horizon: Vec::new(),
    };
    hull.start(first);
    let mut next = 0;
    // Every round passes one face; the new faces of a round come from the point that it added.
    while next < hull.faces.len() {
        if hull.faces[next].alive && hull.faces[next].farthest != NONE {
            hull.add(next as u32);
        }
        next += 1;
    }
    Ok(hull.finish(chosen))
}

/// Four points that span a volume: the two farthest apart along an axis, the farthest from their line, the farthest
/// from that plane, ordered so that the fourth is behind the first three. The first of equals wins.
fn simplex(points: &[Vec3], least: f64) -> Result<[u32; 4], Thin> {
    let farthest = |measure: &dyn Fn(Vec3) -> f64| {
        let mut best = (0, 0.0);
        for (i, p) in points.iter().enumerate() {
            let value = measure(*p);
            if value > best.1 {
                best = (i as u32, value);
            }
        }
        best
    };
    let (a, b) = farthest_pair(points);
    let (pa, pb) = (points[a as usize], points[b as usize]);
    let along = pb - pa;
    let (c, area) = farthest(&|p| along.cross(p - pa).length());
    // Not at least: also when the points coincide and 0/0 is not a number.
    let width = area / along.length();
    if area == 0.0 || width <= least {
        return Err(Thin::Line(if area == 0.0 { 0.0 } else { width }));
    }
    let pc = points[c as usize];
    let (d, volume) = farthest(&|p| orient(pa, pb, pc, p).abs());
    let thickness = volume / area;
    if volume == 0.0 || thickness <= least {
        return Err(Thin::Plane(thickness));
    }
    let ahead = orient(pa, pb, pc, points[d as usize]) > 0.0;
    Ok(if ahead { [a, c, b, d] } else { [a, b, c, d] })
}

fn farthest_pair(points: &[Vec3]) -> (u32, u32) {
    let mut ends = [0u32; 6];
    for (i, p) in points.iter().enumerate() {
        for axis in 0..3 {
            if p[axis] < points[ends[2 * axis] as usize][axis] {
                ends[2 * axis] = i as u32;
            }
            if p[axis] > points[ends[2 * axis + 1] as usize][axis] {
                ends[2 * axis + 1] = i as u32;
            }
        }
    }
    let mut best = (ends[0], ends[1], 0.0);
    for &a in &ends {
        for &b in &ends {
            let square = points[a as usize].distance_squared(points[b as usize]);
            if square > best.2 {
                best = (a, b, square);
            }
        }
    }
    (best.0, best.1)
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
    discard: f64,
    // Scratch of one addition.
    seen: Vec<u32>,
    mark: Vec<u32>,
    horizon: Vec<HorizonEdge>,
    edge_from: Vec<u32>,
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
        let area = double_area(a, b, c);
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
    /// is less than `discard` above all.
    fn hand_to(&mut self, p: u32, first: usize) {
        let mut best = (NONE, self.discard);
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

    fn finish(self, chosen: &[u32]) -> Triangles {
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
            corners: alive().map(|f| f.corners.map(|c| chosen[c as usize])).collect(),
            across: alive().map(|f| f.across.map(|g| renumbered[g as usize])).collect(),
        }
    }
}
