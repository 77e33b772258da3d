//! What a convex shape shows in a direction: a flat face, a line, a point; and the name of a place on its surface.

use super::box_faces::sign;
use super::cylinder::{ON_ITS_SIDE, lowest};
use super::polish::{Curve, Strand};
use super::polyhedron::Polyhedron;
use super::rods::Rod;
use crate::clip::{Face, MAX_CORNERS, PlaneFrame};
use crate::manifold::{Feature, FeatureKind};
use crate::shape::{Capsule, Cylinder, Sphere};
use huygens_math::scalar::{clamp, max};
use huygens_math::{Pose, Vec2, Vec3};

/// A place this close to a corner or an edge, in parts of the face's extent, is named after it.
const NEAR: f64 = 1e-6;

/// Sine of the angle to a face's normal from which on the contact is not on the face.
const TILTED: f64 = 1e-4;

/// Sine of the angle from a plane across the normal up to which an edge or a cylinder's side can be a line of contact.
const LEVEL: f64 = 0.05;

/// A convex shape in its own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Surface<'a> {
    Polyhedron(Polyhedron<'a>),
    Cylinder(&'a Cylinder),
    Capsule(&'a Capsule),
    Sphere(&'a Sphere),
}

/// A flat part of a surface.
pub(crate) enum Flat {
    Face(Face<MAX_CORNERS>, PlaneFrame),
    /// The cap of a cylinder with this radius and number.
    Disc(f64, u32, PlaneFrame),
}

impl Flat {
    pub fn frame(&self) -> &PlaneFrame {
        match self {
            Self::Face(_, frame) | Self::Disc(_, _, frame) => frame,
        }
    }

    /// Its number in the shape.
    pub fn id(&self) -> u32 {
        match self {
            Self::Face(face, _) => face.id,
            Self::Disc(_, number, _) => *number,
        }
    }
}

/// What can lie on a flat face.
pub(crate) enum Incident {
    Flat(Flat),
    /// A segment with a radius, its ends and its line named.
    Segment(Rod),
    None,
}

/// Which edge of a polyhedron is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// The one most parallel to this unit vector.
    Along(Vec3),
    /// The one closest to this point.
    Through(Vec3),
}

impl Surface<'_> {
    /// The flat part that looks along the unit vector `d`.
    pub fn flat(&self, d: Vec3) -> Option<Flat> {
        match self {
            Self::Polyhedron(p) => {
                let face = p.face_towards(d);
                let frame = face.frame();
                Some(Flat::Face(face, frame))
            }
            Self::Cylinder(c) => {
                let across = Vec2::new(d.x, d.y).length();
                (across < ON_ITS_SIDE).then(|| cap(c, d.z))
            }
            Self::Capsule(_) | Self::Sphere(_) => None,
        }
    }

    /// What lies on a plane in the direction of the unit vector `d`.
    pub fn incident(&self, d: Vec3) -> Incident {
        match self {
            Self::Polyhedron(_) => self.flat(d).map_or(Incident::None, Incident::Flat),
            Self::Cylinder(c) => match self.flat(d) {
                Some(flat) => Incident::Flat(flat),
                None => {
                    let (p, q) = (lowest(c, d, -c.half_length), lowest(c, d, c.half_length));
                    let names = [Feature::vertex(8), Feature::vertex(9), Feature::edge(2)];
                    Incident::Segment(Rod { center: 0.5 * (p + q), half: 0.5 * (q - p), radius: 0.0, names })
                }
            },
            Self::Capsule(c) => Incident::Segment(super::round::capsule_rod(c, &Pose::IDENTITY)),
            Self::Sphere(_) => Incident::None,
        }
    }

    /// True when a cylinder shows its side in the direction `d`: its line is no face, so that a long one on a short face
    /// has its normal across the line and an edge, turned by the slope from that of the face.
    pub fn is_line(&self, d: Vec3) -> bool {
        matches!(self, Self::Cylinder(_)) && Vec2::new(d.x, d.y).length() >= ON_ITS_SIDE
    }

    /// How far the surface reaches along the unit vector `d` from its origin.
    pub fn reach(&self, d: Vec3) -> f64 {
        match self {
            Self::Polyhedron(Polyhedron::Box(half)) => half.dot(d.abs()),
            Self::Polyhedron(Polyhedron::Hull(hull)) => {
                hull.vertices()[hull.support_vertex(d) as usize].dot(d)
            }
            Self::Cylinder(c) => c.half_length * d.z.abs() + c.radius * Vec2::new(d.x, d.y).length(),
            Self::Capsule(c) => c.half_length * d.z.abs() + c.radius,
            Self::Sphere(s) => s.radius,
        }
    }

    /// The straight line of the surface that can touch something in the direction of the unit vector `d`. A polyhedron
    /// has several: the wanted one is named by `wanted`.
    pub fn line(&self, d: Vec3, wanted: Wanted) -> Option<Rod> {
        match self {
            Self::Polyhedron(p) => edge_line(p, d, wanted),
            Self::Cylinder(c) => (d.z.abs() <= LEVEL).then(|| Rod {
                center: Vec3::ZERO,
                half: Vec3::new(0.0, 0.0, c.half_length),
                radius: c.radius,
                names: [Feature::vertex(8), Feature::vertex(9), Feature::edge(2)],
            }),
            Self::Capsule(c) => Some(super::round::capsule_rod(c, &Pose::IDENTITY)),
            Self::Sphere(_) => None,
        }
    }

    /// The name of the point `p` of the surface, where the outward normal is `d`.
    pub fn name(&self, p: Vec3, d: Vec3) -> Feature {
        match self {
            Self::Polyhedron(shape) => place_on(shape, p, d),
            Self::Cylinder(c) => {
                let (radial, cap) = (Vec2::new(p.x, p.y).length(), u32::from(p.z >= 0.0));
                let on_side = radial >= c.radius * (1.0 - NEAR);
                let on_cap = p.z.abs() >= c.half_length * (1.0 - NEAR);
                match (on_side, on_cap) {
                    (true, true) => Feature::edge(cap),
                    (false, true) => Feature::face(cap),
                    _ => Feature::face(2),
                }
            }
            Self::Capsule(c) => {
                let along = clamp((p - d * c.radius).z / max(c.half_length, f64::MIN_POSITIVE), -1.0, 1.0);
                if along <= -1.0 + NEAR {
                    Feature::vertex(0)
                } else if along >= 1.0 - NEAR {
                    Feature::vertex(1)
                } else {
                    Feature::edge(0)
                }
            }
            Self::Sphere(_) => Feature::vertex(0),
        }
    }

    /// The curve that the feature `name` of the surface at the outward normal `d` is, with the radius around it; none for
    /// a flat face.
    pub fn strand(&self, name: Feature, d: Vec3) -> Option<Strand> {
        match (self, name.kind()) {
            (_, FeatureKind::Face) if !matches!(self, Self::Cylinder(_)) || name.index() != 2 => None,
            (Self::Polyhedron(shape), FeatureKind::Vertex) => {
                Some(Strand { curve: Curve::Point(shape.corner(name.index() as usize)), radius: 0.0 })
            }
            (Self::Polyhedron(shape), _) => {
                let edge = shape.edge_towards(d);
                let [from, to] = edge.corners.map(|i| shape.corner(i as usize));
                if edge.id != name.index() {
                    return None;
                }
                Some(Strand { curve: Curve::Line(from, (to - from).normalize_or_zero()), radius: 0.0 })
            }
            (Self::Cylinder(c), FeatureKind::Edge) => {
                let center =
                    Vec3::new(0.0, 0.0, if name.index() == 1 { c.half_length } else { -c.half_length });
                Some(Strand {
                    curve: Curve::Circle(center, Vec3::X * c.radius, Vec3::Y * c.radius),
                    radius: 0.0,
                })
            }
            (Self::Cylinder(c), _) => {
                Some(Strand { curve: Curve::Line(Vec3::ZERO, Vec3::Z), radius: c.radius })
            }
            (Self::Capsule(c), FeatureKind::Edge) => {
                Some(Strand { curve: Curve::Line(Vec3::ZERO, Vec3::Z), radius: c.radius })
            }
            (Self::Capsule(c), _) => {
                let end = Vec3::new(0.0, 0.0, if name.index() == 1 { c.half_length } else { -c.half_length });
                Some(Strand { curve: Curve::Point(end), radius: c.radius })
            }
            (Self::Sphere(s), _) => Some(Strand { curve: Curve::Point(Vec3::ZERO), radius: s.radius }),
        }
    }

    /// Radius of curvature behind a single contact point.
    pub fn round(&self) -> f64 {
        match self {
            Self::Capsule(c) => c.radius,
            Self::Sphere(s) => s.radius,
            _ => 0.0,
        }
    }
}

fn cap(c: &Cylinder, side: f64) -> Flat {
    let side = sign(side);
    let frame = PlaneFrame {
        origin: Vec3::new(0.0, 0.0, side * c.half_length),
        x: Vec3::X,
        y: Vec3::Y * side,
        normal: Vec3::Z * side,
    };
    Flat::Disc(c.radius, u32::from(side > 0.0), frame)
}

/// The wanted edge of a polyhedron's face towards `d`, out of those that are level.
fn edge_line(p: &Polyhedron, d: Vec3, wanted: Wanted) -> Option<Rod> {
    let face = p.face_towards(d);
    let top = (0..face.len).map(|i| face.corners[i].dot(d)).fold(f64::NEG_INFINITY, max);
    let mut best: Option<(f64, Rod)> = None;
    for i in 0..face.len {
        let j = if i + 1 == face.len { 0 } else { i + 1 };
        let (from, to) = (face.corners[i], face.corners[j]);
        let edge = to - from;
        let length = edge.length();
        let below = top - max(from.dot(d), to.dot(d));
        if length <= 0.0 || edge.dot(d).abs() > LEVEL * length || below > LEVEL * length {
            continue;
        }
        let merit = match wanted {
            Wanted::Along(direction) => edge.dot(direction).abs() / length,
            Wanted::Through(point) => -(point - from).cross(edge).length() / (length * length),
        };
        if best.is_none_or(|(most, _)| merit > most + super::bias::TIE) {
            let names = [
                Feature::vertex(face.vertex[i]),
                Feature::vertex(face.vertex[j]),
                Feature::edge(face.edge[i]),
            ];
            best = Some((merit, Rod { center: 0.5 * (from + to), half: 0.5 * edge, radius: 0.0, names }));
        }
    }
    best.map(|(_, rod)| rod)
}

/// The corner, edge or face of a polyhedron at `p`, where the outward normal is `d`. Where that is not the normal of a
/// face, the contact is on the edge or corner that is highest along `d`, however far from it EPA has left `p`.
fn place_on(shape: &Polyhedron, p: Vec3, d: Vec3) -> Feature {
    let face = shape.face_towards(d);
    let extent = (0..face.len).map(|i| (face.corners[i] - face.corners[0]).length_squared()).fold(0.0, max);
    let near = NEAR * NEAR * extent;
    if face.normal.cross(d).length_squared() > TILTED * TILTED {
        let edge = shape.edge_towards(d);
        let [from, to] = edge.corners.map(|i| shape.corner(i as usize));
        if let Some(i) = [from, to].iter().position(|c| (*c - p).length_squared() <= near) {
            return Feature::vertex(edge.corners[i]);
        }
        let level = (from - to).dot(d) <= TILTED * (from - to).length();
        return if level { Feature::edge(edge.id) } else { Feature::vertex(edge.corners[0]) };
    }
    for i in 0..face.len {
        if (face.corners[i] - p).length_squared() <= near {
            return Feature::vertex(face.vertex[i]);
        }
    }
    for i in 0..face.len {
        let from = face.corners[i];
        let edge = face.corners[if i + 1 == face.len { 0 } else { i + 1 }] - from;
        let square = edge.length_squared();
        let t = if square > 0.0 { clamp((p - from).dot(edge) / square, 0.0, 1.0) } else { 0.0 };
        if (from + edge * t - p).length_squared() <= near {
            return Feature::edge(face.edge[i]);
        }
    }
    Feature::face(face.id)
}
