//! One triangle of a mesh against a convex shape.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | n | `normal` | outward normal of the triangle |
//! | u | `up` | normal of the contact, from the mesh to the shape |
//! | t | `out` | in the triangle's plane, out across an edge |
//! | m | | outward normal of the neighbour across a convex edge |
//!
//! Where the shape's lowest point along n is over the triangle, and where no edge of it is a brink (the surface falls away, or
//! ends), the contact is on the face: u = n, whatever direction parts the two best. Else GJK says how triangle and shape are
//! parted. At an edge where the surface goes on flat or rises u = n again, so a body that slides over an inner edge is never
//! pushed sideways; at a convex one u must lie between n and m, or the neighbour has the contact.

use super::super::bias::{TIE, band};
use super::super::build::Setting;
use super::super::convex::{Solid, touching};
use super::super::plane::Plane;
use super::super::polyhedron::EdgeOf;
use super::super::reuse::CROSSING_TURN;
use super::super::surface::{Facing, Incident, Surface};
use super::along::Corners;
use super::axes::{Parted, TriangleBox};
use super::cluster::clusters;
use super::ground::Ground;
use super::near::{Near, Nearby};
use super::shown::Shown;
use super::touch::{EDGE_PART, Lies, Touch, Touches};
use crate::clip::{MAX_CORNERS, ON_OUTLINE, PlaneFrame};
use crate::ghost::{FLUSH, is_ground};
use crate::gjk::{self, Separation};
use crate::manifold::{Feature, Manifold};
use crate::persistence::MOST_SLACK;
use crate::query::Convex;
use crate::shape::{CollisionShape, Fold, TriangleMesh};
use crate::simplex::{Vertex, on_triangle};
use crate::support::{Support, Triangle};
use arrayvec::ArrayVec;
use huygens_math::lanes::{Level, Simd};
use huygens_math::scalar::{max, min};
use huygens_math::{Mat3, Pose, Vec3, at_level};

/// A shape whose centre is behind a triangle by more than this part of its size is not held back by it: it is what stands
/// on the other side of a thin solid.
const BEHIND: f64 = 0.25;

/// Sine that counts as the slope near a fold, and for corners the most that does: beyond it the surface turns.
const AT_FOLD: f64 = 0.2;

/// Sine of the angle from which on two edges clearly cross: the normal across both then turns by five times what they do at most.
const CROSSES: f64 = 0.2;

/// Cosine of the angle to the normal of a face up to which a contact is on that face.
const ON_FACE: f64 = 1.0 - 1e-6;

/// A witness point this close to an edge, in parts of the triangle's extent, lies on it.
const ON_EDGE: f64 = 1e-6;

/// Sine by which u may leave the range between two normals.
const BETWEEN: f64 = 1e-6;

/// Adds the manifolds of a mesh with a bounded convex shape, with the instructions of a level.
pub(crate) fn mesh(
    level: Level,
    a: &TriangleMesh,
    b: &CollisionShape,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let Some(convex) = Convex::new(b) else { return false };
    at_level!(level, simd => mesh_in_lanes(simd, (a, b), &convex, (b_in_a, set), out))
}

#[inline(always)]
fn mesh_in_lanes<S: Simd>(
    simd: S,
    (a, b): (&TriangleMesh, &CollisionShape),
    convex: &Convex,
    (b_in_a, set): (&Pose, &Setting),
    out: &mut Vec<Manifold>,
) -> bool {
    let b_from_a = Mat3::from_quat(b_in_a.rotation).transpose();
    let nearby = Nearby {
        mesh: a,
        reach: b.aabb(b_in_a).expanded(set.margin),
        own: b.aabb(&Pose::IDENTITY).expanded(set.margin),
        b_from_a,
        origin: b_in_a.translation,
    };
    let mut pair = Pair {
        mesh: a,
        b,
        convex,
        surface: convex.surface(),
        b_in_a,
        b_from_a,
        center: b_in_a.transform(convex.center()),
        set,
        shown: Shown::default(),
        touches: Touches::default(),
        turned_away: false,
    };
    let (mut next, mut batch) = (Some(0), ArrayVec::new());
    while let Some(from) = next {
        next = nearby.gather(simd, from, &mut batch);
        for near in &batch {
            pair.triangle(simd, near);
        }
        batch.clear();
    }
    if pair.touches.list.is_empty() {
        // What no distance parts may touch from another side as soon as it moves.
        return set.part(if pair.turned_away { 0.0 } else { set.margin });
    }
    pair.drop_ghosts();
    clusters(&mut pair.touches, b_in_a, set, out);
    true
}

struct Pair<'p> {
    mesh: &'p TriangleMesh,
    b: &'p CollisionShape,
    convex: &'p Convex<'p>,
    surface: Surface<'p>,
    b_in_a: &'p Pose,
    b_from_a: Mat3,
    center: Vec3,
    set: &'p Setting<'p>,
    /// The face of a polyhedron that the triangle at hand sees.
    shown: Shown,
    touches: Touches,
    /// A triangle within the margin has no contact: the shape is behind it, or a neighbour was to have it.
    turned_away: bool,
}

/// A triangle.
struct Facet<'f> {
    id: u32,
    /// Numbers of the corners.
    vertices: [u32; 3],
    corners: [Vec3; 3],
    /// The corners in the shape's frame.
    in_b: [Vec3; 3],
    normal: Vec3,
    /// Unit vectors in the triangle's plane, out across the edges.
    out: &'f [Vec3; 3],
    folds: &'f [Fold; 3],
    /// Names its flat region.
    region: u32,
    /// Sine of the steepest fold, as far as it counts.
    steepest: f64,
    /// Places outside by less than this are inside [m].
    slack: f64,
}

impl Facet<'_> {
    /// How far a place is outside of edge `k` [m].
    #[inline]
    fn beyond(&self, k: usize, at: Vec3) -> f64 {
        self.out[k].dot(at - self.corners[k])
    }

    #[inline]
    fn holds(&self, at: Vec3) -> bool {
        (0..3).all(|k| self.beyond(k, at) <= self.slack)
    }

    /// True when the surface ends or falls away at an edge.
    fn has_brink(&self) -> bool {
        self.folds.iter().any(|fold| matches!(fold, Fold::Open | Fold::Convex(_)))
    }

    #[inline]
    fn is_fold(&self, k: usize) -> bool {
        !matches!(self.folds[k], Fold::Flat(_))
    }

    /// How far a place within is from where the surface turns [m].
    fn room(&self, at: Vec3) -> f64 {
        let to_fold = |k: usize| max(-self.beyond(k, at), 0.0);
        (0..3).filter(|&k| self.is_fold(k)).fold(f64::INFINITY, |least, k| min(least, to_fold(k)))
    }

    /// A triangle with a fold at an edge is left for another normal soon.
    fn slope(&self, slope: f64) -> f64 {
        if (0..3).any(|k| self.is_fold(k)) { max(slope, AT_FOLD) } else { slope }
    }
}

/// A point of the shape that comes down on a triangle's plane.
#[derive(Clone, Copy, Debug)]
struct Foot {
    /// Where in the plane.
    at: Vec3,
    gap: f64,
    reference: Feature,
    incident: Feature,
    /// See [`Candidate::slide`](crate::reduce::Candidate::slide).
    slide: f64,
    /// True when that is on the triangle.
    within: bool,
}

/// What of the shape is over a triangle's plane, within the margin.
struct Over {
    feet: ArrayVec<Foot, MAX_CORNERS>,
    /// Sine of the angle between the surfaces.
    slope: f64,
    /// Largest rotation for which the feet keep their places [rad].
    turn: f64,
    /// Radius of curvature of the shape there.
    round: f64,
}

/// What lies along edges of a triangle.
struct Along<'a> {
    /// Direction in which gaps are measured.
    up: Vec3,
    incident: Incident<'a>,
    /// True when `up` is the normal of a face of the shape.
    of_shape: bool,
    /// Largest rotation for which the points keep their places [rad].
    turn: f64,
}

/// What the folds of a triangle say of a contact normal.
enum Verdict {
    /// It is between the normals on both sides.
    Allowed,
    /// The contact is on the face.
    Face,
    /// The neighbour has it.
    Neighbour,
}

impl Pair<'_> {
    #[inline(always)]
    fn triangle<S: Simd>(&mut self, simd: S, near: &Near) {
        let Near { id, vertices, in_b } = *near;
        let corners = vertices.map(|i| self.mesh.vertices()[i as usize]);
        let detail = self.mesh.detail(id);
        let normal = detail.normal;
        if normal.dot(self.center - corners[0]) < -BEHIND * self.set.size {
            self.turned_away = true;
            return;
        }
        let down = self.b_from_a * -normal;
        let summit = self.surface.summit(down);
        let lowest = normal.dot(self.b_in_a.translation - corners[0]) - summit.height;
        if lowest > self.set.margin {
            return;
        }
        let facet = Facet {
            id,
            vertices,
            corners,
            in_b,
            normal,
            out: &detail.out,
            folds: &detail.folds,
            region: detail.region,
            steepest: min(detail.steepest, AT_FOLD),
            slack: ON_OUTLINE * self.set.size,
        };
        let facing = self.surface.facing(down, summit);
        let mut over = Over { feet: ArrayVec::new(), slope: 0.0, turn: f64::INFINITY, round: 0.0 };
        if !self.stand(simd, &facet, &facing, &mut over) {
            return;
        }
        let near = lowest + band(lowest, self.set.size);
        if !facet.has_brink() || over.feet.iter().any(|foot| foot.within && foot.gap <= near) {
            self.turned_away = true;
            self.on_face(&facet, &over, &facing);
        } else {
            self.at_brink(simd, &facet, &over, &facing, lowest);
        }
    }

    /// Finds what of the shape is over the triangle's plane; false for a shape that nothing is known of.
    #[inline(always)]
    fn stand<S: Simd>(&mut self, simd: S, facet: &Facet, facing: &Facing, over: &mut Over) -> bool {
        if let Surface::Polyhedron(shape) = &self.surface {
            self.shown.show(shape, facing.face, self.b_in_a);
            over.slope = shape.plane(facing.face).0.cross(facing.d).length();
            let reference = Feature::face(facet.region);
            let ground = Ground { corners: &facet.corners, normal: facet.normal, out: facet.out };
            for (names, corners) in self.shown.corners() {
                let found = ground.under(simd, corners);
                for (i, &incident) in names.iter().enumerate() {
                    let gap = found.gap[i];
                    if gap <= self.set.margin {
                        let at = Vec3::new(found.at[0][i], found.at[1][i], found.at[2][i]);
                        let within = found.beyond[i] <= facet.slack;
                        over.feet.push(Foot { at, gap, reference, incident, slide: 0.0, within });
                    }
                }
            }
            return true;
        }
        let frame = PlaneFrame::new(facet.corners[0], facet.normal);
        let plane = Plane { frame, id: facet.region };
        let Some(found) = plane.candidates(self.b, self.b_in_a, self.set) else { return false };
        (over.slope, over.turn, over.round) = (found.lie.slope, found.lie.turn, found.round);
        for c in &found.list {
            let at = frame.lift(c.at);
            over.feet.push(Foot {
                at,
                gap: c.gap,
                reference: c.reference,
                incident: c.incident,
                slide: c.slide,
                within: facet.holds(at),
            });
        }
        true
    }

    /// Contact along the triangle's normal: the shape's own points over it, and where its outline crosses folds. Returns the
    /// least gap.
    fn on_face(&mut self, facet: &Facet, over: &Over, facing: &Facing) -> f64 {
        let mut least = f64::INFINITY;
        let is_sharp = matches!(self.surface, Surface::Polyhedron(_));
        for foot in over.feet.iter().filter(|foot| foot.within) {
            least = min(least, foot.gap);
            let travel = if is_sharp {
                self.set.travel_of_corner(facet.room(foot.at), facet.steepest)
            } else {
                self.set.travel_of_any(facet.slope(over.slope), foot.slide)
            };
            self.touches.push(Touch {
                at: foot.at,
                up: facet.normal,
                gap: foot.gap,
                reference: foot.reference,
                incident: foot.incident,
                part: facet.region,
                lies: Lies { travel, turn: over.turn, round: over.round },
                of_shape: false,
                triangle: facet.id,
                used: false,
            });
        }
        if (0..3).any(|k| facet.is_fold(k)) {
            let incident = self.surface.incident(facing);
            let slope = if is_sharp { over.slope } else { facet.slope(over.slope) };
            let along = Along { up: facet.normal, incident, of_shape: false, turn: over.turn };
            let corners = self.under_shape(facet, &along);
            for k in (0..3).filter(|&k| facet.is_fold(k)) {
                least = min(least, self.along_edge(facet, &corners, k, &along, (slope, facet.region)));
            }
        }
        least
    }

    #[inline(always)]
    fn under_shape<'c>(&self, facet: &'c Facet, along: &'c Along<'c>) -> Corners<'c> {
        Corners::new(&along.incident, &self.shown, &facet.in_b, self.b_from_a * along.up)
    }

    /// Adds the ends of the part of edge `k` under what the shape shows, with gaps along `up`; returns the least of them. `slope` is
    /// that of the edge against the shape.
    fn along_edge(
        &mut self,
        facet: &Facet,
        corners: &Corners,
        k: usize,
        along: &Along,
        (slope, part): (f64, u32),
    ) -> f64 {
        let (next, up) = ((k + 1) % 3, along.up);
        let Some(found) = corners.under(k) else { return f64::INFINITY };
        let mut least = f64::INFINITY;
        let single = found[0].t == found[1].t;
        for place in found.iter().take(if single { 1 } else { 2 }).filter(|p| p.gap <= self.set.margin) {
            let reference = if place.t == 0.0 {
                Feature::vertex(facet.vertices[k])
            } else if place.t == 1.0 {
                Feature::vertex(facet.vertices[next])
            } else {
                Feature::edge(3 * facet.id + k as u32)
            };
            let travel = if matches!(self.surface, Surface::Polyhedron(_)) {
                self.set.travel_of_straight(slope, place.slide)
            } else {
                self.set.travel_of_any(slope, 1.0)
            };
            least = min(least, place.gap);
            self.touches.push(Touch {
                at: facet.corners[k] + (facet.corners[next] - facet.corners[k]) * place.t,
                up,
                gap: place.gap,
                reference,
                incident: place.incident,
                part,
                lies: Lies { travel, turn: along.turn, round: 0.0 },
                of_shape: along.of_shape,
                triangle: facet.id,
                used: false,
            });
        }
        least
    }

    /// The shape's lowest point is not over the triangle: contact with a brink, if any.
    #[inline(always)]
    fn at_brink<S: Simd>(&mut self, simd: S, facet: &Facet, over: &Over, facing: &Facing, lowest: f64) {
        let size = self.set.size;
        let star = match self.by_axes(simd, facet) {
            Parted::Apart => return,
            Parted::ByFace if self.on_face(facet, over, facing) <= lowest + band(lowest, size) => return,
            Parted::By { up, gap, at } => {
                let (up, on_a) = (self.b_in_a.rotate(up), self.b_in_a.transform(at));
                Some(Separation { gap, normal: -up, on_a, on_b: on_a + up * gap })
            }
            _ => self.by_gjk(facet),
        };
        let Some(star) = star else { return };
        self.turned_away = true;
        let tolerance = band(star.gap, size);
        // Out through the back is no way out.
        let through = star.gap < 0.0 && star.normal.dot(facet.normal) >= 0.0;
        if through || lowest >= star.gap - tolerance {
            // The face parts them as well: it has the contact, if what lies over it is as near.
            if self.on_face(facet, over, facing) <= star.gap + tolerance || through {
                return;
            }
        }
        match self.verdict(facet, &star) {
            Verdict::Allowed => self.on_edge(facet, &star),
            Verdict::Face => {
                self.on_face(facet, over, facing);
            }
            Verdict::Neighbour => {}
        }
    }

    /// What the axes of a box say; of other shapes nothing.
    #[inline(always)]
    fn by_axes<S: Simd>(&self, simd: S, facet: &Facet) -> Parted {
        let CollisionShape::Box(b) = self.b else { return Parted::Unclear };
        let normal = self.b_from_a * facet.normal;
        let (margin, size) = (self.set.margin, self.set.size);
        TriangleBox { corners: facet.in_b, normal, half: b.half, margin, size }.parted(simd)
    }

    /// How triangle and shape are parted; none when by more than the margin.
    fn by_gjk(&self, facet: &Facet) -> Option<Separation> {
        let (set, corners) = (self.set, Triangle(facet.corners));
        let star = gjk::separation(&corners, self.convex, self.b_in_a);
        if star.gap > set.margin {
            return None;
        }
        let touches = star.gap.abs() <= TIE * set.size;
        Some(if touches { touching(&corners, self.convex, self.b_in_a, set, star) } else { star })
    }

    #[inline(always)]
    fn verdict(&self, facet: &Facet, star: &Separation) -> Verdict {
        let (up, n) = (-star.normal, facet.normal);
        if up.dot(n) >= ON_FACE {
            return Verdict::Face;
        }
        let [a, b, c] = facet.corners;
        let near = ON_EDGE * max((b - a).length(), (c - a).length());
        for k in 0..3 {
            let out = facet.out[k];
            let inside = -facet.beyond(k, star.on_a);
            let across = up.dot(out);
            if inside > near || across <= BETWEEN {
                continue;
            }
            match facet.folds[k] {
                Fold::Open => {}
                Fold::Flat(other) | Fold::Concave(other) => {
                    if star.gap <= 0.0 || self.is_nearer(other, star) {
                        return Verdict::Face;
                    }
                }
                Fold::Convex(other) => {
                    let m = self.mesh.normal(other);
                    if m.dot(out) * up.dot(n) - m.dot(n) * across < -BETWEEN {
                        return Verdict::Neighbour;
                    }
                }
            }
        }
        Verdict::Allowed
    }

    /// True when a neighbour comes closer to the shape's witness point: then the edge is a ghost. Around the end of an edge it
    /// may not.
    fn is_nearer(&self, other: u32, star: &Separation) -> bool {
        let distance = distance(self.mesh.corners(other), star.on_b);
        distance < star.gap - TIE * self.set.size
    }

    /// Takes out contacts with edges of triangles that lie below the plane of a face which holds the shape: the rule of
    /// [`ghost`](crate::ghost) with a triangle as the neighbour. Around a corner of flat ground no edge tells.
    fn drop_ghosts(&mut self) {
        let list = &mut self.touches.list;
        let is_edge = |t: &Touch| t.part >= EDGE_PART;
        if !list.iter().any(is_edge) || list.iter().all(is_edge) {
            return;
        }
        let flush = FLUSH * self.set.size;
        let is_ghost = |t: &Touch, face: &Touch| {
            let n = face.up;
            let sunk = max(-face.gap, 0.0) + flush;
            let height = |p: Vec3| n.dot(p - face.at);
            is_ground(t.up, n)
                && height(t.at).abs() <= sunk
                && self.mesh.corners(t.triangle).iter().all(|&p| height(p) <= flush)
                && height(self.b_in_a.translation) - self.surface.summit(self.b_from_a * -n).height >= -sunk
        };
        for i in 0..list.len() {
            let t = list[i];
            list[i].used = is_edge(&t) && list.iter().any(|face| !is_edge(face) && is_ghost(&t, face));
        }
        list.retain(|t| !t.used);
    }

    /// Contact with an edge or a corner of the triangle: along a face of the shape, or at one point.
    fn on_edge(&mut self, facet: &Facet, star: &Separation) {
        let towards = self.b_from_a * star.normal;
        let facing = self.surface.facing(towards, self.surface.summit(towards));
        let part = |k: usize| EDGE_PART | (3 * facet.id + k as u32);
        if let Some(flat) = self.surface.flat(&facing)
            && flat.normal.dot(towards) >= ON_FACE
        {
            let up = self.b_in_a.rotate(-flat.normal);
            let facing = self.surface.facing(flat.normal, self.surface.summit(flat.normal));
            let mut along =
                Along { up, incident: self.surface.incident(&facing), of_shape: false, turn: CROSSING_TURN };
            if let (Surface::Polyhedron(shape), Incident::Flat(flat)) = (&self.surface, &along.incident) {
                self.shown.show(shape, flat.id, self.b_in_a);
                along.of_shape = true;
            }
            let is_brink = |k: &usize| matches!(facet.folds[*k], Fold::Open | Fold::Convex(_));
            let mut least = f64::INFINITY;
            let corners = self.under_shape(facet, &along);
            for k in (0..3).filter(is_brink) {
                let edge = facet.corners[(k + 1) % 3] - facet.corners[k];
                let slope = if along.of_shape { edge.dot(up).abs() / edge.length() } else { AT_FOLD };
                least = min(least, self.along_edge(facet, &corners, k, &along, (slope, part(k))));
            }
            if least < f64::INFINITY {
                return;
            }
        }
        let nearest = (0..3).fold(0, |best, k| {
            let off = |k: usize| {
                let edge = facet.corners[(k + 1) % 3] - facet.corners[k];
                (star.on_a - facet.corners[k]).cross(edge).length() / edge.length()
            };
            if off(k) < off(best) { k } else { best }
        });
        let on_b = self.b_in_a.inverse_transform(star.on_b);
        let edge = self.surface.high_edge(&facing);
        let incident = self.surface.name(on_b, &facing, &edge);
        let crossed = edge.filter(|edge| incident == Feature::edge(edge.id));
        self.touches.push(Touch {
            at: star.on_a,
            up: -star.normal,
            gap: star.gap,
            reference: Feature::edge(3 * facet.id + nearest as u32),
            incident,
            part: part(nearest),
            lies: Lies {
                travel: self.set.travel_of_any(AT_FOLD, 1.0)
                    + self.spare_across(facet, nearest, star, crossed),
                turn: CROSSING_TURN,
                round: self.surface.round(),
            },
            of_shape: false,
            triangle: facet.id,
            used: false,
        });
    }

    /// Motion of a point where edge `k` of the triangle and one of the shape cross, before either of them ends: along the normal across
    /// both, a point of one over a point of the other has the gap of the crossing, wherever that has moved to.
    fn spare_across(&self, facet: &Facet, k: usize, star: &Separation, crossed: Option<EdgeOf>) -> f64 {
        let Some(EdgeOf { ends: own, .. }) = crossed else { return 0.0 };
        let ends = [facet.in_b[k], facet.in_b[(k + 1) % 3]];
        let (d, e) = (ends[1] - ends[0], own[1] - own[0]);
        let sine = d.cross(e).length() / max(d.length() * e.length(), f64::MIN_POSITIVE);
        if sine < CROSSES {
            return 0.0;
        }
        let at = self.b_from_a * (star.on_a - self.b_in_a.translation);
        let room = ends.iter().chain(&own).fold(f64::INFINITY, |least, p| min(least, (*p - at).length()));
        // The points are as far apart as the gap says, and the crossing slides by 1/sin.
        max(room - star.gap.abs(), 0.0) * sine / MOST_SLACK
    }
}

/// Of a point from a triangle.
fn distance(corners: [Vec3; 3], p: Vec3) -> f64 {
    let [a, b, c] = corners.map(|q| Vertex { point: q - p, on_a: q });
    on_triangle(&[a, b, c, c], [0, 1, 2]).nearest.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::collide_at;
    use crate::shape::Sphere;
    use huygens_math::SplitMix;

    #[test]
    fn a_mesh_that_has_no_contact_with_what_is_in_reach_says_no_distance() {
        let mesh = CollisionShape::mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[[0, 1, 2]]).unwrap();
        let block = CollisionShape::cuboid(Vec3::splat(0.1)).unwrap();
        let mut found = Vec::new();
        let mut distance = |z: f64, margin: f64| {
            found.clear();
            let pose = Pose::at(Vec3::new(0.2, 0.2, z));
            let clearance = collide_at(Level::new(), [&mesh, &block], &pose, margin, &mut found);
            (clearance, found.len())
        };
        assert_eq!(distance(0.5, 0.3), (0.3, 0), "nothing in reach");
        assert_eq!(distance(0.5, 0.6).1, 1);
        // Behind the triangle, which holds nothing back from there: it may come round an edge.
        assert_eq!(distance(-0.5, 0.6), (0.0, 0));
    }

    #[test]
    fn a_point_is_as_far_from_a_triangle_as_gjk_says() {
        let mut r = SplitMix::new(2);
        for _ in 0..2000 {
            let (corners, p) = ([r.in_cube(), r.in_cube(), r.in_cube()], 2.0 * r.in_cube());
            let found = gjk::separation(&Triangle(corners), &Sphere { radius: 0.0 }, &Pose::at(p));
            assert!((distance(corners, p) - found.gap).abs() < 1e-12);
        }
    }
}
