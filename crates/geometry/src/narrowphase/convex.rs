//! Convex shapes in general: GJK and EPA say how the shapes are parted, then the features that meet there are clipped.
//!
//! Tried in turn, and taken when the least gap found agrees with the true signed distance to within the face band
//! (`bias`): a flat face of the larger shape, a flat face of the smaller one, a line of contact, a single point.

use super::bias::{TIE, band};
use super::build::{Setting, point};
use super::flat::on_flat;
use super::polish::{Strand, polish};
use super::polyhedron::{EdgeOf, Polyhedron};
use super::rods::{Expected, Rod, rods};
use super::surface::{Facing, Flat, Surface, Wanted};
use crate::gjk::{self, Separation};
use crate::manifold::{FeatureId, Manifold};
use crate::query::Convex;
use crate::shape::{Capsule, Cuboid, Cylinder, Hull, Sphere, Wall};
use crate::support::Support;
use huygens_math::{Pose, Vec3};

/// Cosine of the largest angle between the normal and that of a face that is to replace it.
const FACES_IT: f64 = 0.7;

/// How far touching shapes are moved apart to see their normal, in parts of the size.
const ASIDE: f64 = 1e-6;

/// A normal of a curved shape this close to that of a face is the face's [rad]: EPA comes to within 1e-5.
const APPROACHED: f64 = 1e-4;

/// Directions that differ by less than this are the same.
const EXACT: f64 = 1e-12;

/// Cosine of the largest angle between two edges that share a line of contact.
const SIDE_BY_SIDE: f64 = 0.98;

/// A convex shape that knows its features.
pub(crate) trait Solid: Support {
    fn surface(&self) -> Surface<'_>;
}

impl Solid for Hull {
    fn surface(&self) -> Surface<'_> {
        Surface::Polyhedron(Polyhedron::Hull(self))
    }
}

impl Solid for Cuboid {
    fn surface(&self) -> Surface<'_> {
        Surface::Polyhedron(Polyhedron::Box(self.half))
    }
}

impl Solid for Wall {
    fn surface(&self) -> Surface<'_> {
        Surface::Polyhedron(Polyhedron::Box(self.half.extend(0.0)))
    }
}

impl Solid for Cylinder {
    fn surface(&self) -> Surface<'_> {
        Surface::Cylinder(self)
    }
}

impl Solid for Capsule {
    fn surface(&self) -> Surface<'_> {
        Surface::Capsule(self)
    }
}

impl Solid for Sphere {
    fn surface(&self) -> Surface<'_> {
        Surface::Sphere(self)
    }
}

impl Solid for Convex<'_> {
    fn surface(&self) -> Surface<'_> {
        match *self {
            Self::Sphere(s) => s.surface(),
            Self::Capsule(s) => s.surface(),
            Self::Box(s) => s.surface(),
            Self::Cylinder(s) => s.surface(),
            Self::Cone(s) => Surface::Cone(s),
            Self::Ellipsoid(s) => Surface::Ellipsoid(s),
            Self::Hull(s) => s.surface(),
            Self::Wall(s) => s.surface(),
        }
    }
}

/// Which of two shapes is asked first for a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefer {
    A,
    B,
}

/// Adds the contact of two convex shapes.
pub(crate) fn convex<A: Solid, B: Solid>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    (set, prefer): (&Setting, Prefer),
    out: &mut Vec<Manifold>,
) -> bool {
    let mut star = gjk::separation(a, b, b_in_a);
    if star.gap > set.margin {
        return set.part(star.gap);
    }
    let surfaces = (a.surface(), b.surface());
    if star.gap.abs() <= TIE * set.size
        && !Meet::new(&surfaces.0, &surfaces.1, &star, b_in_a, set).is_on_face()
    {
        star = touching(a, b, b_in_a, set, star);
    }
    resolve(&surfaces.0, &surfaces.1, &star, b_in_a, (set, prefer), out)
}

/// The separation of shapes that touch to within rounding. At a corner or an edge many normals part them, and rounding
/// chooses one. The one that is taken here is that of the shapes moved apart a little along the line of their centres,
/// if it parts them as well.
pub(crate) fn touching<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    set: &Setting,
    star: Separation,
) -> Separation {
    let Some(away) = (a.center() - b_in_a.transform(b.center())).try_normalize() else { return star };
    let apart = Pose::new(b_in_a.rotation, b_in_a.translation - away * (ASIDE * set.size));
    let n = gjk::separation(a, b, &apart).normal;
    let (d_a, d_b) = (-n, b_in_a.inverse_rotate(n));
    let reach = a.support(d_a).point.dot(d_a) + a.radius() + b.support(d_b).point.dot(d_b) + b.radius();
    let gap = -n.dot(b_in_a.translation) - reach;
    if gap < star.gap - TIE * set.size {
        return star;
    }
    let (middle, half) = (0.5 * (star.on_a + star.on_b), n * (0.5 * gap));
    Separation { gap, normal: n, on_a: middle + half, on_b: middle - half }
}

/// Adds the contact of a wall with a convex shape, which is pushed back to the side where its centre is.
pub(crate) fn wall_convex<B: Solid>(
    wall: &Wall,
    b: &B,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let mut star = gjk::separation(wall, b, b_in_a);
    if star.gap > set.margin {
        return set.part(star.gap);
    }
    if star.gap.abs() <= TIE * set.size && star.normal.z.abs() < 1.0 - TIE {
        star = touching(wall, b, b_in_a, set, star);
    }
    let (a, b, center) = (wall.surface(), b.surface(), b_in_a.transform(b.center()));
    // What stands in the wall's plane to within rounding is on its upper side.
    let side = if center.z < -TIE * set.size { -1.0 } else { 1.0 };
    let over = center.x.abs() <= wall.half.x && center.y.abs() <= wall.half.y;
    if star.gap.abs() <= TIE * set.size && star.normal.z * side > 1.0 - TIE {
        // Two walls in one plane: either side is as good.
        star.normal = -star.normal;
    }
    // Through the wall is no way out for what stands over it; past its edge is, even if that leads a little to the
    // other side.
    if star.gap < 0.0 && over && star.normal.z * side > FACES_IT {
        let normal = Vec3::Z * -side;
        let n_in_b = b_in_a.inverse_rotate(normal);
        let summit = b.summit(n_in_b);
        let gap = side * b_in_a.translation.z - summit.height;
        let back = Separation { gap, normal, ..star };
        let meet = Meet::new(&a, &b, &back, b_in_a, set);
        if meet.on_face_of_a(out) {
            return true;
        }
    }
    resolve(&a, &b, &star, b_in_a, (set, Prefer::A), out)
}

/// The manifold at the place where two shapes are known to be parted.
pub(crate) fn resolve(
    a: &Surface,
    b: &Surface,
    star: &Separation,
    b_in_a: &Pose,
    (set, prefer): (&Setting, Prefer),
    out: &mut Vec<Manifold>,
) -> bool {
    let rough = Meet::new(a, b, star, b_in_a, set);
    let refined = rough.refined();
    let meet = match &refined {
        Some(star) => Meet::new(a, b, star, b_in_a, set),
        None => rough,
    };
    if meet.star.gap > set.margin {
        return false;
    }
    let on_face = match prefer {
        Prefer::A => meet.on_face_of_a(out) || meet.on_face_of_b(out),
        Prefer::B => meet.on_face_of_b(out) || meet.on_face_of_a(out),
    };
    if !on_face {
        let edges = meet.edges();
        if !meet.along_line(&edges, out) {
            out.push(meet.at_point(&edges));
        }
    }
    true
}

struct Meet<'m, 's> {
    a: &'m Surface<'s>,
    b: &'m Surface<'s>,
    /// What A shows to B, and B to A, along the normal.
    facing_a: Facing,
    facing_b: Facing,
    star: &'m Separation,
    b_in_a: &'m Pose,
    set: &'m Setting<'m>,
}

impl<'m, 's> Meet<'m, 's> {
    #[inline]
    fn new(
        a: &'m Surface<'s>,
        b: &'m Surface<'s>,
        star: &'m Separation,
        b_in_a: &'m Pose,
        set: &'m Setting<'m>,
    ) -> Self {
        let (towards_b, towards_a) = (-star.normal, b_in_a.inverse_rotate(star.normal));
        let facing_a = a.facing(towards_b, a.summit(towards_b));
        let facing_b = b.facing(towards_a, b.summit(towards_a));
        Self { a, b, facing_a, facing_b, star, b_in_a, set }
    }

    /// True when the normal is that of a face.
    fn is_on_face(&self) -> bool {
        let on = |flat: Option<Flat>, d: Vec3| {
            flat.is_some_and(|f| (f.normal - d).length_squared() <= EXACT * EXACT)
        };
        on(self.a.flat(&self.facing_a), self.facing_a.d) || on(self.b.flat(&self.facing_b), self.facing_b.d)
    }

    fn on_face_of_a(&self, out: &mut Vec<Manifold>) -> bool {
        self.on_face([(self.a, &self.facing_a), (self.b, &self.facing_b)], self.b_in_a, self.set, out)
    }

    fn on_face_of_b(&self, out: &mut Vec<Manifold>) -> bool {
        let a_in_b = self.b_in_a.inverse();
        let both = [(self.b, &self.facing_b), (self.a, &self.facing_a)];
        let found = self.on_face(both, &a_in_b, &self.set.swapped(), out);
        if found && let Some(manifold) = out.last_mut() {
            manifold.swap(&a_in_b);
        }
        found
    }

    /// Contact on a face of the first surface, with the second placed by `pose`.
    fn on_face(
        &self,
        [(first, facing), (second, facing_second)]: [(&Surface, &Facing); 2],
        pose: &Pose,
        set: &Setting,
        out: &mut Vec<Manifold>,
    ) -> bool {
        let Some(flat) = first.flat(facing) else { return false };
        let cosine = facing.d.dot(flat.normal);
        if cosine < FACES_IT {
            return false;
        }
        if second.is_round(facing_second.d) {
            return on_flat(&flat, second, facing_second, (pose, set), self.expected(), out);
        }
        // Along the face's normal the shapes must be parted as well as they are by the best normal: else there is
        // something beyond the face's outline that clipping does not see.
        let towards = pose.inverse_rotate(-flat.normal);
        let parted = |height: f64| flat.normal.dot(pose.translation) - flat.offset - height;
        let allowed = self.star.gap - band(self.star.gap, self.set.size);
        if parted(second.least_summit(towards, facing_second)) < allowed {
            return false;
        }
        let exact = (towards - facing_second.d).length_squared() <= EXACT * EXACT;
        let summit = if exact { facing_second.summit } else { second.summit(towards) };
        if parted(summit.height) < allowed {
            return false;
        }
        let facing_second =
            if exact { Facing { d: towards, ..*facing_second } } else { second.facing(towards, summit) };
        on_flat(&flat, second, &facing_second, (pose, set), self.expected(), out)
    }

    /// The least gap that a manifold must have, and its tolerance.
    fn expected(&self) -> (f64, f64) {
        (self.star.gap, band(self.star.gap, self.set.size))
    }

    /// The highest edges of polyhedra.
    fn edges(&self) -> [Option<EdgeOf>; 2] {
        [self.a.high_edge(&self.facing_a), self.b.high_edge(&self.facing_b)]
    }

    fn along_line(&self, edges: &[Option<EdgeOf>; 2], out: &mut Vec<Manifold>) -> bool {
        let normal = self.star.normal;
        let Some([a, b]) = self.lines(edges) else { return false };
        rods(&a, &b, self.b_in_a, self.set, &Expected { normal, gap: Some(self.expected()) }, out)
    }

    /// The lines of both shapes that lie side by side where they are parted, in A's frame.
    fn lines(&self, edges: &[Option<EdgeOf>; 2]) -> Option<[Rod; 2]> {
        if let [Some(a), Some(b)] = edges {
            let (a, b) = (a.ends[1] - a.ends[0], b.ends[1] - b.ends[0]);
            let parallel = a.dot(self.b_in_a.rotate(b));
            let limit = SIDE_BY_SIDE * SIDE_BY_SIDE * a.length_squared() * b.length_squared();
            if parallel * parallel < limit {
                return None;
            }
        }
        let mut a = self.a.line(&self.facing_a, Wanted::Through(self.star.on_a))?;
        let along = self.b_in_a.inverse_rotate(a.half.normalize_or_zero());
        let b = self.placed(self.b.line(&self.facing_b, Wanted::Along(along))?);
        let along = b.half.normalize_or_zero();
        if let (Surface::Polyhedron(_), Surface::Cylinder(_) | Surface::Cone(_) | Surface::Capsule(_)) =
            (self.a, self.b)
        {
            a = self.a.line(&self.facing_a, Wanted::Along(along))?;
        }
        let sharp = a.radius == 0.0 || b.radius == 0.0;
        let aside = a.half.normalize_or_zero().dot(along).abs() < SIDE_BY_SIDE;
        if sharp && aside { None } else { Some([a, b]) }
    }

    fn placed(&self, rod: Rod) -> Rod {
        Rod { center: self.b_in_a.transform(rod.center), half: self.b_in_a.rotate(rod.half), ..rod }
    }

    /// The separation to the last digit where GJK and EPA have only approached a curved shape.
    fn refined(&self) -> Option<Separation> {
        if !self.a.is_curved() && !self.b.is_curved() {
            return None;
        }
        let on = |flat: Option<Flat>, d: Vec3| {
            let normal = flat?.normal;
            (1.0 - normal.dot(d) < 0.5 * APPROACHED * APPROACHED).then_some(normal)
        };
        let normal = on(self.a.flat(&self.facing_a), self.facing_a.d)
            .map(|n| -n)
            .or_else(|| on(self.b.flat(&self.facing_b), self.facing_b.d).map(|n| self.b_in_a.rotate(n)));
        if let Some(normal) = normal {
            let heights =
                self.a.summit(-normal).height + self.b.summit(self.b_in_a.inverse_rotate(normal)).height;
            let gap = -normal.dot(self.b_in_a.translation) - heights;
            // A strictly convex surface has one point there; any other may have many, and GJK has chosen one.
            let exact_a = self.a.only_summit(-normal).map(|p| p - normal * (0.5 * gap));
            let exact_b = || self.b.only_summit(self.b_in_a.inverse_rotate(normal));
            let exact_b = exact_b().map(|p| self.b_in_a.transform(p) + normal * (0.5 * gap));
            let middle = exact_a.or(exact_b).unwrap_or(0.5 * (self.star.on_a + self.star.on_b));
            let half = normal * (0.5 * gap);
            return Some(Separation { gap, normal, on_a: middle + half, on_b: middle - half });
        }
        let edges = self.edges();
        let feature = self.names(&edges);
        let a = self.a.strand(feature.a, &edges[0])?;
        let b = self.b.strand(feature.b, &edges[1])?;
        let b = Strand { curve: b.curve.placed(self.b_in_a), ..b };
        polish(&a, &b, self.star, self.set.size)
    }

    /// What meets at the witness points.
    fn names(&self, edges: &[Option<EdgeOf>; 2]) -> FeatureId {
        let on_b = self.b_in_a.inverse_transform(self.star.on_b);
        FeatureId {
            a: self.a.name(self.star.on_a, &self.facing_a, &edges[0]),
            b: self.b.name(on_b, &self.facing_b, &edges[1]),
        }
    }

    fn at_point(&self, edges: &[Option<EdgeOf>; 2]) -> Manifold {
        let (star, set, feature) = (self.star, self.set, self.names(edges));
        let round = [self.a.round(), self.b.round()];
        let distance = (star.gap + round[0] + round[1]).abs();
        let ball = matches!(self.a, Surface::Sphere(_)) || matches!(self.b, Surface::Sphere(_));
        let reuse = if ball { set.reuse_of_ball(distance) } else { set.reuse_of_point(star.gap, distance) };
        let at = point(star.on_a, star.on_b, star.gap, self.b_in_a, feature);
        Manifold::of_point(star.normal, round, reuse, at)
    }
}
