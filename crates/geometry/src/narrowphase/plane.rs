//! A plane, solid on one side, against every bounded shape: the half-space, and the flat walls of containers.
//!
//! The candidates are the corners of the face that looks at the plane, or what a round shape has in its place.

use super::build::{Lie, Setting, face_manifold};
use super::cylinder::{cone_candidates, plane_candidates};
use super::line::Line;
use super::polyhedron::Polyhedron;
use crate::clip::{MAX_CORNERS, PlaneFrame};
use crate::manifold::{Feature, Manifold};
use crate::reduce::Candidate;
use crate::shape::CollisionShape;
use crate::support::Support;
use arrayvec::ArrayVec;
use huygens_math::{Pose, Vec3};

/// A plane of A with its number among A's faces; solid below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub frame: PlaneFrame,
    pub id: u32,
}

/// Candidates of one face.
pub(crate) struct Candidates {
    pub list: ArrayVec<Candidate, MAX_CORNERS>,
    pub lie: Lie,
    /// Radius of curvature of B at the points.
    pub round: f64,
}

impl Candidates {
    pub fn new(slope: f64, round: f64) -> Self {
        Self { list: ArrayVec::new(), lie: Lie::sloped(slope), round }
    }

    pub fn push(&mut self, candidate: Candidate, margin: f64) {
        if candidate.gap <= margin {
            self.list.push(candidate);
        }
    }
}

impl Plane {
    /// A candidate where the point `p` of A's frame, named `incident`, is over the plane; `radius` lies around it.
    #[inline]
    pub fn candidate(&self, p: Vec3, radius: f64, incident: Feature) -> Candidate {
        let (at, height) = self.frame.project(p);
        let reference = Feature::face(self.id);
        Candidate { at, gap: height - radius, reference, incident, minor: false, slide: 0.0 }
    }

    /// Adds the contact of B with this plane.
    pub fn contact<'o>(
        &self,
        b: &CollisionShape,
        b_in_a: &Pose,
        set: &Setting,
        out: &'o mut Vec<Manifold>,
    ) -> Option<&'o mut Manifold> {
        let mut found = self.candidates(b, b_in_a, set)?;
        if found.list.is_empty() {
            return None;
        }
        let manifold = face_manifold(&self.frame, &mut found.list, b_in_a, (set, &found.lie), out);
        manifold.round[1] = found.round;
        Some(manifold)
    }

    /// The places of B that come down on this plane, within the margin.
    pub fn candidates(&self, b: &CollisionShape, b_in_a: &Pose, set: &Setting) -> Option<Candidates> {
        Some(match b {
            CollisionShape::Sphere(s) => {
                let mut out = Candidates::new(0.0, s.radius);
                out.push(self.candidate(b_in_a.translation, s.radius, Feature::vertex(0)), set.margin);
                out
            }
            CollisionShape::Capsule(s) => {
                let down = b_in_a.inverse_rotate(-self.frame.normal);
                let line = Line::of_capsule(s, down);
                let mut out = Candidates::new(down.z.abs(), s.radius);
                for end in 0..2 {
                    if let Some(p) = line.lowest_at(end) {
                        out.push(self.candidate(b_in_a.transform(p), 0.0, line.names[end]), set.margin);
                    }
                }
                out
            }
            CollisionShape::Cylinder(s) => plane_candidates(self, s, b_in_a, set),
            CollisionShape::Cone(s) => cone_candidates(self, s, b_in_a, set),
            CollisionShape::Ellipsoid(s) => {
                let down = b_in_a.inverse_rotate(-self.frame.normal);
                let mut out = Candidates::new(0.0, 0.0);
                out.lie.turn = 0.0;
                let lowest = b_in_a.transform(s.support(down).point);
                out.push(self.candidate(lowest, 0.0, Feature::vertex(0)), set.margin);
                out
            }
            CollisionShape::Box(s) => self.corners(&Polyhedron::Box(s.half), b_in_a, set.margin),
            CollisionShape::Wall(s) => self.corners(&Polyhedron::Box(s.half.extend(0.0)), b_in_a, set.margin),
            CollisionShape::Hull(s) => self.corners(&Polyhedron::Hull(s), b_in_a, set.margin),
            _ => return None,
        })
    }

    fn corners(&self, b: &Polyhedron, b_in_a: &Pose, margin: f64) -> Candidates {
        let towards = b_in_a.inverse_rotate(-self.frame.normal);
        let face = b.face_towards(towards, &b.summit(towards));
        let slope = b.plane(face).0.cross(towards).length();
        let mut out = Candidates::new(slope, 0.0);
        for corner in &b.face(face).corners {
            let p = b_in_a.transform(corner.at);
            out.push(self.candidate(p, 0.0, Feature::vertex(corner.vertex)), margin);
        }
        out
    }
}

/// The half-space z ≤ 0.
pub(crate) fn half_space() -> Plane {
    Plane { frame: PlaneFrame { origin: Vec3::ZERO, x: Vec3::X, y: Vec3::Y, normal: Vec3::Z }, id: 0 }
}
