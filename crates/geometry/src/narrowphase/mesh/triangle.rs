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
use super::super::plane::{Candidates, Plane};
use super::super::reuse::CROSSING_TURN;
use super::super::surface::{Facing, Surface};
use super::along::under;
use super::axes::{Parted, TriangleBox};
use super::cluster::clusters;
use super::touch::{EDGE_PART, Lies, Touch, Touches};
use crate::Aabb;
use crate::clip::{ON_OUTLINE, PlaneFrame};
use crate::ghost::{FLUSH, is_ground};
use crate::gjk::{self, Separation};
use crate::manifold::{Feature, Manifold};
use crate::query::Convex;
use crate::shape::{Fold, Shape, Sphere, TriangleMesh};
use crate::support::{Support, Triangle};
use huygens_math::scalar::{max, min};
use huygens_math::{Mat3, Pose, Vec2, Vec3};

/// A shape whose centre is behind a triangle by more than this part of its size is not held back by it: it is what stands
/// on the other side of a thin solid.
const BEHIND: f64 = 0.25;

/// Sine that counts as the slope near a fold: beyond it the surface turns.
const AT_FOLD: f64 = 0.2;

/// Cosine of the angle to the normal of a face up to which a contact is on that face.
const ON_FACE: f64 = 1.0 - 1e-6;

/// A witness point this close to an edge, in parts of the triangle's extent, lies on it.
const ON_EDGE: f64 = 1e-6;

/// Sine by which u may leave the range between two normals.
const BETWEEN: f64 = 1e-6;

/// Adds the manifolds of a mesh with a bounded convex shape.
pub(crate) fn mesh(
    a: &TriangleMesh,
    b: &Shape,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let Some(convex) = Convex::new(b) else { return false };
    let reach = b.aabb(b_in_a).expanded(set.margin);
    let mut pair = Pair {
        mesh: a,
        b,
        convex: &convex,
        surface: convex.surface(),
        b_in_a,
        b_from_a: Mat3::from_quat(b_in_a.rotation).transpose(),
        own: b.aabb(&Pose::IDENTITY).expanded(set.margin),
        center: b_in_a.transform(convex.center()),
        set,
        touches: Touches::default(),
    };
    a.near(&reach, |triangle| pair.triangle(triangle));
    if pair.touches.list.is_empty() {
        return set.part(set.margin);
    }
    pair.drop_ghosts();
    clusters(&mut pair.touches, b_in_a, set, out);
    true
}

struct Pair<'p> {
    mesh: &'p TriangleMesh,
    b: &'p Shape,
    convex: &'p Convex<'p>,
    surface: Surface<'p>,
    b_in_a: &'p Pose,
    b_from_a: Mat3,
    /// The shape's own box, grown by the margin, in its frame.
    own: Aabb,
    center: Vec3,
    set: &'p Setting<'p>,
    touches: Touches,
}

/// A triangle and what of the shape is over its plane.
struct Facet<'f> {
    id: u32,
    corners: [Vec3; 3],
    normal: Vec3,
    plane: Plane,
    /// The corners in the plane.
    flat: [Vec2; 3],
    folds: &'f [Fold; 3],
    /// Places outside by less than this are inside [m].
    slack: f64,
}

impl Facet<'_> {
    /// How far a place is outside of edge `k`, times the edge's length.
    #[inline]
    fn beyond(&self, k: usize, at: Vec2) -> f64 {
        let (from, to) = (self.flat[k], self.flat[(k + 1) % 3]);
        (at - from).perp_dot(to - from)
    }

    #[inline]
    fn is_beyond(&self, k: usize, at: Vec2) -> bool {
        let edge = self.flat[(k + 1) % 3] - self.flat[k];
        self.beyond(k, at) > self.slack * edge.length()
    }

    fn holds(&self, at: Vec2) -> bool {
        (0..3).all(|k| !self.is_beyond(k, at))
    }

    /// True when the surface ends or falls away at an edge.
    fn has_brink(&self) -> bool {
        self.folds.iter().any(|fold| matches!(fold, Fold::Open | Fold::Convex(_)))
    }

    /// A triangle with a fold at an edge is left for another normal soon.
    fn slope(&self, slope: f64) -> f64 {
        if self.folds.iter().all(|fold| matches!(fold, Fold::Flat(_))) { slope } else { max(slope, AT_FOLD) }
    }
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
    fn triangle(&mut self, id: u32) {
        let corners = self.mesh.corners(id);
        if self.is_aside(&corners) {
            return;
        }
        let normal = self.mesh.normal(id);
        if normal.dot(self.center - corners[0]) < -BEHIND * self.set.size {
            return;
        }
        let down = self.b_from_a * -normal;
        let summit = self.surface.summit(down);
        let lowest = normal.dot(self.b_in_a.translation - corners[0]) - summit.height;
        if lowest > self.set.margin {
            return;
        }
        let frame = PlaneFrame::new(corners[0], normal);
        let plane = Plane { frame, id: self.mesh.region(id) };
        let flat = corners.map(|p| frame.project(p).0);
        let folds = self.mesh.folds(id);
        let facet = Facet { id, corners, normal, plane, flat, folds, slack: ON_OUTLINE * self.set.size };
        let Some(found) = plane.candidates(self.b, self.b_in_a, self.set) else { return };
        let near = lowest + band(lowest, self.set.size);
        if !facet.has_brink() || found.list.iter().any(|c| c.gap <= near && facet.holds(c.at)) {
            let facing = self.surface.facing(down, summit);
            self.on_face(&facet, &found, &facing);
        } else {
            self.at_brink(&facet, &found, lowest);
        }
    }

    /// True when an axis of the shape parts it from the triangle by more than the margin.
    #[inline]
    fn is_aside(&self, corners: &[Vec3; 3]) -> bool {
        let [a, b, c] = corners.map(|p| self.b_from_a * (p - self.b_in_a.translation));
        !self.own.overlaps(&Aabb::of_points(&[a, b, c]))
    }

    /// Contact along the triangle's normal: the shape's own points over it, and where its outline crosses folds. Returns the
    /// least gap.
    fn on_face(&mut self, facet: &Facet, found: &Candidates, facing: &Facing) -> f64 {
        let mut least = f64::INFINITY;
        let lies = Lies { slope: facet.slope(found.lie.slope), turn: found.lie.turn, round: found.round };
        for c in found.list.iter().filter(|c| facet.holds(c.at)) {
            least = min(least, c.gap);
            self.touches.push(Touch {
                at: facet.plane.frame.lift(c.at),
                up: facet.normal,
                gap: c.gap,
                reference: c.reference,
                incident: c.incident,
                part: facet.plane.id,
                slide: c.slide,
                lies,
                triangle: facet.id,
                used: false,
            });
        }
        let is_fold = |k: &usize| !matches!(facet.folds[*k], Fold::Flat(_));
        for k in (0..3).filter(is_fold) {
            let lies = Lies { round: 0.0, ..lies };
            least = min(least, self.along_edge(facet, k, (facet.normal, facing), lies, facet.plane.id));
        }
        least
    }

    /// Adds the ends of the part of edge `k` under what the shape shows, with gaps along `up`; returns the least of them.
    fn along_edge(
        &mut self,
        facet: &Facet,
        k: usize,
        (up, facing): (Vec3, &Facing),
        lies: Lies,
        part: u32,
    ) -> f64 {
        let ends = [facet.corners[k], facet.corners[(k + 1) % 3]];
        let incident = self.surface.incident(facing);
        let in_b = ends.map(|p| self.b_from_a * (p - self.b_in_a.translation));
        let Some(found) = under(&incident, in_b, self.b_from_a * up) else { return f64::INFINITY };
        let ids = self.mesh.triangles()[facet.id as usize];
        let mut least = f64::INFINITY;
        let single = found[0].t == found[1].t;
        for place in found.iter().take(if single { 1 } else { 2 }).filter(|p| p.gap <= self.set.margin) {
            let reference = if place.t == 0.0 {
                Feature::vertex(ids[k])
            } else if place.t == 1.0 {
                Feature::vertex(ids[(k + 1) % 3])
            } else {
                Feature::edge(3 * facet.id + k as u32)
            };
            least = min(least, place.gap);
            self.touches.push(Touch {
                at: ends[0] + (ends[1] - ends[0]) * place.t,
                up,
                gap: place.gap,
                reference,
                incident: place.incident,
                part,
                slide: 1.0,
                lies,
                triangle: facet.id,
                used: false,
            });
        }
        least
    }

    /// The shape's lowest point is not over the triangle: contact with a brink, if any.
    fn at_brink(&mut self, facet: &Facet, found: &Candidates, lowest: f64) {
        let size = self.set.size;
        let down = self.b_from_a * -facet.normal;
        let facing = self.surface.facing(down, self.surface.summit(down));
        let star = match self.by_axes(facet) {
            Parted::Apart => return,
            Parted::ByFace if self.on_face(facet, found, &facing) <= lowest + band(lowest, size) => return,
            Parted::By { up, gap, at } => {
                let (up, on_a) = (self.b_in_a.rotate(up), self.b_in_a.transform(at));
                Some(Separation { gap, normal: -up, on_a, on_b: on_a + up * gap })
            }
            _ => self.by_gjk(facet),
        };
        let Some(star) = star else { return };
        let tolerance = band(star.gap, size);
        // Out through the back is no way out.
        let through = star.gap < 0.0 && star.normal.dot(facet.normal) >= 0.0;
        if through || lowest >= star.gap - tolerance {
            // The face parts them as well: it has the contact, if what lies over it is as near.
            if self.on_face(facet, found, &facing) <= star.gap + tolerance || through {
                return;
            }
        }
        match self.verdict(facet, &star) {
            Verdict::Allowed => self.on_edge(facet, &star),
            Verdict::Face => {
                self.on_face(facet, found, &facing);
            }
            Verdict::Neighbour => {}
        }
    }

    /// What the axes of a box say; of other shapes nothing.
    fn by_axes(&self, facet: &Facet) -> Parted {
        let Shape::Box(b) = self.b else { return Parted::Unclear };
        let corners = facet.corners.map(|p| self.b_from_a * (p - self.b_in_a.translation));
        let normal = self.b_from_a * facet.normal;
        let (margin, size) = (self.set.margin, self.set.size);
        TriangleBox { corners, normal, half: b.half, margin, size }.parted()
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

    fn verdict(&self, facet: &Facet, star: &Separation) -> Verdict {
        let (up, n) = (-star.normal, facet.normal);
        if up.dot(n) >= ON_FACE {
            return Verdict::Face;
        }
        let near = ON_EDGE * facet.flat.iter().fold(0.0, |most, p| max(most, p.length()));
        for k in 0..3 {
            let edge = facet.corners[(k + 1) % 3] - facet.corners[k];
            let out = edge.cross(n).normalize_or_zero();
            let inside = out.dot(facet.corners[k] - star.on_a);
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
        let neighbour = Triangle(self.mesh.corners(other));
        let found = gjk::separation(&neighbour, &Sphere { radius: 0.0 }, &Pose::at(star.on_b));
        found.gap < star.gap - TIE * self.set.size
    }

    /// Takes out contacts with edges of triangles that lie below the plane of a face which holds the shape: the rule of
    /// [`ghost`](crate::ghost) with a triangle as the neighbour. Around a corner of flat ground no edge tells.
    fn drop_ghosts(&mut self) {
        let list = &self.touches.list;
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
        let mut kept = Touches::default();
        for t in list {
            if !is_edge(t) || !list.iter().any(|face| !is_edge(face) && is_ghost(t, face)) {
                kept.push(*t);
            }
        }
        self.touches = kept;
    }

    /// Contact with an edge or a corner of the triangle: along a face of the shape, or at one point.
    fn on_edge(&mut self, facet: &Facet, star: &Separation) {
        let towards = self.b_from_a * star.normal;
        let facing = self.surface.facing(towards, self.surface.summit(towards));
        let lies = Lies { slope: AT_FOLD, turn: CROSSING_TURN, round: 0.0 };
        let part = |k: usize| EDGE_PART | (3 * facet.id + k as u32);
        if let Some(flat) = self.surface.flat(&facing)
            && flat.normal.dot(towards) >= ON_FACE
        {
            let up = self.b_in_a.rotate(-flat.normal);
            let facing = self.surface.facing(flat.normal, self.surface.summit(flat.normal));
            let is_brink = |k: &usize| matches!(facet.folds[*k], Fold::Open | Fold::Convex(_));
            let mut least = f64::INFINITY;
            for k in (0..3).filter(is_brink) {
                least = min(least, self.along_edge(facet, k, (up, &facing), lies, part(k)));
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
        let incident = self.surface.name(on_b, &facing, &self.surface.high_edge(&facing));
        self.touches.push(Touch {
            at: star.on_a,
            up: -star.normal,
            gap: star.gap,
            reference: Feature::edge(3 * facet.id + nearest as u32),
            incident,
            part: part(nearest),
            slide: 1.0,
            lies: Lies { round: self.surface.round(), ..lies },
            triangle: facet.id,
            used: false,
        });
    }
}
