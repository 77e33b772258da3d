//! Convex shapes in general: GJK and EPA say how the shapes are parted, then the features that meet there are clipped.
//!
//! Tried in turn, and taken when the least gap found agrees with the true signed distance to within the face band
//! (`bias`): a flat face of the larger shape, a flat face of the smaller one, a line of contact, a single point.

use super::bias::{ROUND_ANGLE, TIE, band};
use super::build::{Setting, point};
use super::flat::on_flat;
use super::polish::{Strand, polish};
use super::polyhedron::Polyhedron;
use super::rods::{Rod, rods};
use super::surface::{Surface, Wanted};
use crate::gjk::{self, Separation};
use crate::manifold::{FeatureId, Manifold, Reference};
use crate::shape::{Capsule, Cuboid, Cylinder, Hull, Sphere, Wall};
use crate::support::Support;
use huygens_math::{Pose, Vec3};

/// Cosine of the largest angle between the normal and that of a face that is to replace it.
const FACES_IT: f64 = 0.7;

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

/// Which of two shapes is asked first for a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefer {
    A,
    B,
}

/// The contact of two convex shapes.
pub(crate) fn convex<A: Solid, B: Solid>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    set: &Setting,
    prefer: Prefer,
) -> Option<Manifold> {
    let star = gjk::separation(a, b, b_in_a);
    resolve(&a.surface(), &b.surface(), &star, b_in_a, set, prefer)
}

/// The contact of a wall with a convex shape, which is pushed back to the side where its centre is.
pub(crate) fn wall_convex<B: Solid>(a: &Wall, b: &B, b_in_a: &Pose, set: &Setting) -> Option<Manifold> {
    let mut star = gjk::separation(a, b, b_in_a);
    let side = if b_in_a.transform(b.center()).z < 0.0 { -1.0 } else { 1.0 };
    // A normal along the wall leads past its edge; it may point a little to the wrong side.
    if star.gap < 0.0 && star.normal.z * side > FACES_IT {
        let normal = Vec3::Z * -side;
        let on_b = b_in_a.transform(b.support(b_in_a.inverse_rotate(normal)).point) + normal * b.radius();
        let gap = on_b.z * side;
        star = Separation { gap, normal, on_a: on_b + normal * gap, on_b };
    }
    resolve(&a.surface(), &b.surface(), &star, b_in_a, set, Prefer::A)
}

/// The manifold at the place where two shapes are known to be parted.
pub(crate) fn resolve(
    a: &Surface,
    b: &Surface,
    star: &Separation,
    b_in_a: &Pose,
    set: &Setting,
    prefer: Prefer,
) -> Option<Manifold> {
    if star.gap > set.margin {
        return None;
    }
    let meet = Meet { a, b, star, b_in_a, set };
    let faces = match prefer {
        Prefer::A => meet.on_face_of_a().or_else(|| meet.on_face_of_b()),
        Prefer::B => meet.on_face_of_b().or_else(|| meet.on_face_of_a()),
    };
    Some(faces.or_else(|| meet.along_line()).unwrap_or_else(|| meet.at_point()))
}

struct Meet<'m, 's> {
    a: &'m Surface<'s>,
    b: &'m Surface<'s>,
    star: &'m Separation,
    b_in_a: &'m Pose,
    set: &'m Setting,
}

impl Meet<'_, '_> {
    fn on_face_of_a(&self) -> Option<Manifold> {
        self.on_face([self.a, self.b], self.star.normal, self.b_in_a, self.set)
    }

    fn on_face_of_b(&self) -> Option<Manifold> {
        let a_in_b = self.b_in_a.inverse();
        let normal = self.b_in_a.inverse_rotate(-self.star.normal);
        self.on_face([self.b, self.a], normal, &a_in_b, &self.set.swapped())
            .map(|found| found.swapped(&a_in_b))
    }

    /// Contact on a face of the first surface, in whose frame `normal` points to it.
    fn on_face(
        &self,
        [first, second]: [&Surface; 2],
        normal: Vec3,
        pose: &Pose,
        set: &Setting,
    ) -> Option<Manifold> {
        let flat = first.flat(-normal)?;
        let frame = flat.frame();
        let cosine = -normal.dot(frame.normal);
        if cosine < FACES_IT {
            return None;
        }
        let aligned = 1.0 - cosine <= 0.5 * ROUND_ANGLE * ROUND_ANGLE;
        let round = second.round();
        if round > 0.0 && self.star.gap + round > TIE * self.set.size {
            if !aligned {
                return None;
            }
        } else if !(aligned && second.is_line(pose.inverse_rotate(-frame.normal))) {
            // Along the face's normal the shapes must be parted as well as they are by the best normal: else there is
            // something beyond the face's outline that clipping does not see.
            let (_, height) = frame.project(pose.translation);
            let parted = height - second.reach(pose.inverse_rotate(-frame.normal));
            if parted < self.star.gap - band(self.star.gap, self.set.size) {
                return None;
            }
        }
        let (found, least) = on_flat(&flat, second, pose, set)?;
        self.confirms(least).then_some(found)
    }

    fn confirms(&self, gap: f64) -> bool {
        (gap - self.star.gap).abs() <= band(self.star.gap, self.set.size)
    }

    fn along_line(&self) -> Option<Manifold> {
        let n = self.star.normal;
        let n_in_b = self.b_in_a.inverse_rotate(n);
        let through = Wanted::Through(self.star.on_a);
        let mut a = self.a.line(-n, through)?;
        let along = self.b_in_a.inverse_rotate(a.half.normalize_or_zero());
        let b = self.placed(self.b.line(n_in_b, Wanted::Along(along))?);
        let along = b.half.normalize_or_zero();
        if let (Surface::Polyhedron(_), Surface::Cylinder(_) | Surface::Capsule(_)) = (self.a, self.b) {
            a = self.a.line(-n, Wanted::Along(along))?;
        }
        let sharp = a.radius == 0.0 || b.radius == 0.0;
        if sharp && a.half.normalize_or_zero().dot(along).abs() < SIDE_BY_SIDE {
            return None;
        }
        let found = rods(&a, &b, self.b_in_a, self.set, Some(n))?;
        (self.confirms(found.gap()) && found.normal.dot(n) > SIDE_BY_SIDE).then_some(found)
    }

    fn placed(&self, rod: Rod) -> Rod {
        Rod { center: self.b_in_a.transform(rod.center), half: self.b_in_a.rotate(rod.half), ..rod }
    }

    fn polished(&self, feature: FeatureId, n_in_b: Vec3) -> Option<Separation> {
        let a = self.a.strand(feature.a, -self.star.normal)?;
        let b = self.b.strand(feature.b, n_in_b)?;
        let b = Strand { curve: b.curve.placed(self.b_in_a), ..b };
        polish(&a, &b, self.star, self.set.size)
    }

    fn at_point(&self) -> Manifold {
        let (star, set) = (self.star, self.set);
        let n_in_b = self.b_in_a.inverse_rotate(star.normal);
        let on_b = self.b_in_a.inverse_transform(star.on_b);
        let feature = FeatureId { a: self.a.name(star.on_a, -star.normal), b: self.b.name(on_b, n_in_b) };
        let curved = matches!(self.a, Surface::Cylinder(_)) || matches!(self.b, Surface::Cylinder(_));
        let polished = if curved { self.polished(feature, n_in_b) } else { None };
        let star = polished.as_ref().unwrap_or(star);
        let mut out = Manifold::new(star.normal, Reference::A);
        out.round = [self.a.round(), self.b.round()];
        out.push(point(star.on_a, star.on_b, star.gap, self.b_in_a, feature));
        let distance = (star.gap + out.round[0] + out.round[1]).abs();
        let ball = matches!(self.a, Surface::Sphere(_)) || matches!(self.b, Surface::Sphere(_));
        out.reuse = if ball { set.reuse_of_ball(distance) } else { set.reuse_of_point(star.gap, distance) };
        out
    }
}
