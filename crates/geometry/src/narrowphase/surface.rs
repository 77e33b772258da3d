//! What a convex shape shows in a direction: a flat face, a line, a point; and the name of a place on its surface.

use super::box_faces::sign;
use super::cylinder::ON_ITS_SIDE;
use super::line::Line;
use super::polish::{Curve, Strand};
use super::polyhedron::{EdgeOf, Polyhedron, Summit};
use super::rods::Rod;
use crate::clip::PlaneFrame;
use crate::manifold::{Feature, FeatureKind};
use crate::shape::{Capsule, Cone, Cylinder, Ellipsoid, Sphere};
use crate::support::Support;
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
    Cone(&'a Cone),
    Ellipsoid(&'a Ellipsoid),
    Capsule(&'a Capsule),
    Sphere(&'a Sphere),
}

/// A flat part of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat<'a> {
    /// Outward normal.
    pub normal: Vec3,
    /// Distance of the plane from the origin [m].
    pub offset: f64,
    /// Its number in the shape.
    pub id: u32,
    pub outline: FlatOutline<'a>,
}

/// What bounds a flat part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FlatOutline<'a> {
    /// A face of this polyhedron.
    Face(Polyhedron<'a>),
    /// The rim of a cap with this radius.
    Disc(f64),
}

impl Flat<'_> {
    /// Axes in the plane.
    pub fn frame(&self) -> PlaneFrame {
        match &self.outline {
            FlatOutline::Face(shape) => shape.frame(self.id),
            FlatOutline::Disc(_) => {
                let side = self.normal.z;
                PlaneFrame {
                    origin: self.normal * self.offset,
                    x: Vec3::X,
                    y: Vec3::Y * side,
                    normal: self.normal,
                }
            }
        }
    }
}

/// What can lie on a flat face.
pub(crate) enum Incident<'a> {
    Flat(Flat<'a>),
    Line(Line),
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

/// A direction in which one looks at a surface from afar, and what one meets first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing {
    /// Unit vector, outwards.
    pub d: Vec3,
    /// How far the surface reaches along it, with the corner of a polyhedron that does.
    pub summit: Summit,
    /// The face of a polyhedron there.
    pub face: u32,
}

impl<'a> Surface<'a> {
    /// How far the surface reaches along the unit vector `d` from its origin, and with which corner.
    #[inline]
    pub fn summit(&self, d: Vec3) -> Summit {
        let height = match self {
            Self::Polyhedron(shape) => return shape.summit(d),
            Self::Cylinder(c) => c.half_length * d.z.abs() + c.radius * Vec2::new(d.x, d.y).length(),
            Self::Cone(c) => c.support(d).point.dot(d),
            Self::Ellipsoid(e) => (e.radii * d).length(),
            Self::Capsule(c) => c.half_length * d.z.abs() + c.radius,
            Self::Sphere(s) => s.radius,
        };
        Summit { vertex: 0, height }
    }

    /// What the surface shows along the unit vector `d`, where `summit` is.
    #[inline]
    pub fn facing(&self, d: Vec3, summit: Summit) -> Facing {
        let face = match self {
            Self::Polyhedron(shape) => shape.face_towards(d, &summit),
            _ => 0,
        };
        Facing { d, summit, face }
    }

    /// The flat part that faces.
    #[inline]
    pub fn flat(&self, facing: &Facing) -> Option<Flat<'a>> {
        let d = facing.d;
        match self {
            Self::Polyhedron(shape) => {
                let id = facing.face;
                let (normal, offset) = shape.plane(id);
                Some(Flat { normal, offset, id, outline: FlatOutline::Face(*shape) })
            }
            Self::Cylinder(c) => {
                let across = Vec2::new(d.x, d.y).length();
                let normal = Vec3::Z * sign(d.z);
                let (id, outline) = (u32::from(d.z >= 0.0), FlatOutline::Disc(c.radius));
                (across < ON_ITS_SIDE).then_some(Flat { normal, offset: c.half_length, id, outline })
            }
            Self::Cone(c) => cone_base(c, d),
            Self::Ellipsoid(_) | Self::Capsule(_) | Self::Sphere(_) => None,
        }
    }

    /// What lies on a plane that faces.
    #[inline]
    pub fn incident(&self, facing: &Facing) -> Incident<'a> {
        let d = facing.d;
        match self {
            Self::Polyhedron(shape) => match shape.standing_edge(facing) {
                Some(edge) => Incident::Line(edge),
                None => self.flat(facing).map_or(Incident::None, Incident::Flat),
            },
            Self::Cylinder(c) => match self.flat(facing) {
                Some(flat) => Incident::Flat(flat),
                None => Incident::Line(Line::of_cylinder(c, d)),
            },
            Self::Cone(c) => match self.flat(facing) {
                Some(flat) => Incident::Flat(flat),
                None => Incident::Line(Line::of_cone(c, d)),
            },
            Self::Capsule(c) => Incident::Line(Line::of_capsule(c, d)),
            Self::Ellipsoid(_) | Self::Sphere(_) => Incident::None,
        }
    }

    /// True when a round side looks in the direction `d`.
    #[inline]
    pub fn is_round(&self, d: Vec3) -> bool {
        match self {
            Self::Polyhedron(_) => false,
            Self::Cylinder(_) => Vec2::new(d.x, d.y).length() >= ON_ITS_SIDE,
            Self::Cone(c) => cone_base(c, d).is_none(),
            Self::Ellipsoid(_) | Self::Capsule(_) | Self::Sphere(_) => true,
        }
    }

    /// The straight line of the surface that can touch what faces. A polyhedron has several: the wanted one is named by
    /// `wanted`.
    pub fn line(&self, facing: &Facing, wanted: Wanted) -> Option<Rod> {
        match self {
            Self::Polyhedron(p) => edge_line(p, facing, wanted),
            Self::Cylinder(c) => (facing.d.z.abs() <= LEVEL).then(|| Rod {
                center: Vec3::ZERO,
                half: Vec3::new(0.0, 0.0, c.half_length),
                radius: c.radius,
                blunt: true,
                names: [Feature::vertex(8), Feature::vertex(9), Feature::edge(2)],
            }),
            Self::Capsule(c) => Some(super::round::capsule_rod(c, &Pose::IDENTITY)),
            Self::Cone(c) => cone_line(c, facing.d),
            Self::Ellipsoid(_) | Self::Sphere(_) => None,
        }
    }

    /// The name of the point `p` of the surface, where the outward normal is that of `facing` and `edge` is highest.
    pub fn name(&self, p: Vec3, facing: &Facing, edge: &Option<EdgeOf>) -> Feature {
        match self {
            Self::Polyhedron(shape) => place_on(shape, p, facing, edge),
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
                let along =
                    clamp((p - facing.d * c.radius).z / max(c.half_length, f64::MIN_POSITIVE), -1.0, 1.0);
                if along <= -1.0 + NEAR {
                    Feature::vertex(0)
                } else if along >= 1.0 - NEAR {
                    Feature::vertex(1)
                } else {
                    Feature::edge(0)
                }
            }
            Self::Cone(c) => cone_place(c, p),
            Self::Ellipsoid(_) | Self::Sphere(_) => Feature::vertex(0),
        }
    }

    /// How far along `d` the corner reaches that is the summit in some other direction: no more than the summit itself.
    #[inline]
    pub fn least_summit(&self, d: Vec3, facing: &Facing) -> f64 {
        match self {
            Self::Polyhedron(shape) => shape.corner(facing.summit.vertex as usize).dot(d),
            _ => f64::NEG_INFINITY,
        }
    }

    /// The edge of a polyhedron that is highest along the direction of `facing`.
    #[inline]
    pub fn high_edge(&self, facing: &Facing) -> Option<EdgeOf> {
        let Self::Polyhedron(shape) = self else { return None };
        Some(shape.edge_towards(facing.d, &facing.summit))
    }

    /// The curve that the feature `name` of the surface is, with the radius around it; none for a flat face.
    pub fn strand(&self, name: Feature, edge: &Option<EdgeOf>) -> Option<Strand> {
        match (self, name.kind()) {
            (_, FeatureKind::Face) if !matches!(self, Self::Cylinder(_)) || name.index() != 2 => None,
            (Self::Polyhedron(shape), FeatureKind::Vertex) => {
                Some(Strand { curve: Curve::Point(shape.corner(name.index() as usize)), radius: 0.0 })
            }
            (Self::Polyhedron(_), _) => {
                let edge = edge.as_ref()?;
                let [from, to] = edge.ends;
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
            (Self::Cone(c), FeatureKind::Edge) => {
                let center = Vec3::new(0.0, 0.0, -c.half_length);
                Some(Strand {
                    curve: Curve::Circle(center, Vec3::X * c.radius, Vec3::Y * c.radius),
                    radius: 0.0,
                })
            }
            (Self::Cone(c), _) => Some(Strand { curve: Curve::Point(c.tip()), radius: 0.0 }),
            (Self::Ellipsoid(_), _) => None,
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

    /// True when GJK and EPA only approach the surface.
    pub fn is_curved(&self) -> bool {
        matches!(self, Self::Cylinder(_) | Self::Cone(_) | Self::Ellipsoid(_))
    }

    /// The only point of a strictly convex surface that lies farthest along `d`.
    pub fn only_summit(&self, d: Vec3) -> Option<Vec3> {
        match self {
            Self::Ellipsoid(e) => Some(e.support(d).point),
            _ => None,
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

/// The base of a cone where it faces: within 30° of its normal, like a cylinder's cap, and before the side does.
fn cone_base<'a>(c: &Cone, d: Vec3) -> Option<Flat<'a>> {
    let across = Vec2::new(d.x, d.y).length();
    let faces = d.z < 0.0 && across < ON_ITS_SIDE;
    let outline = FlatOutline::Disc(c.radius);
    faces.then_some(Flat { normal: Vec3::NEG_Z, offset: c.half_length, id: 0, outline })
}

/// The line of a cone's side that is lowest along `d`, where it is level.
fn cone_line(c: &Cone, d: Vec3) -> Option<Rod> {
    let (tip, rim) = (c.tip(), c.rim_towards(d));
    let half = 0.5 * (tip - rim);
    (half.dot(d).abs() <= LEVEL * half.length()).then(|| Rod {
        center: 0.5 * (tip + rim),
        half,
        radius: 0.0,
        blunt: false,
        names: [Feature::vertex(8), Feature::vertex(9), Feature::edge(2)],
    })
}

/// What of a cone is at `p`: its tip, rim, base or side.
fn cone_place(c: &Cone, p: Vec3) -> Feature {
    let radial = Vec2::new(p.x, p.y).length();
    let from_base = p.z + c.half_length;
    if radial <= NEAR * c.radius && from_base >= 2.0 * c.half_length * (1.0 - NEAR) {
        return Feature::vertex(9);
    }
    let on_base = from_base <= NEAR * c.half_length;
    match (on_base, radial >= c.radius * (1.0 - NEAR)) {
        (true, true) => Feature::edge(0),
        (true, false) => Feature::face(0),
        _ => Feature::face(2),
    }
}

/// The wanted edge of a polyhedron's face, out of those that are level.
fn edge_line(p: &Polyhedron, facing: &Facing, wanted: Wanted) -> Option<Rod> {
    let d = facing.d;
    let face = p.face(facing.face);
    let mut best: Option<(f64, f64, Rod)> = None;
    for (i, corner) in face.corners.iter().enumerate() {
        let next = face.next(i);
        let (from, to) = (corner.at, next.at);
        let edge = to - from;
        let (start, end) = (from.dot(d), to.dot(d));
        let uneven = max((end - start).abs(), facing.summit.height - max(start, end));
        let square = edge.length_squared();
        if square <= 0.0 || uneven * uneven > LEVEL * LEVEL * square {
            continue;
        }
        let length = square.sqrt();
        let merit = match wanted {
            Wanted::Along(direction) => edge.dot(direction).abs() / length,
            Wanted::Through(point) => -(point - from).cross(edge).length() / (length * length),
        };
        // Of parallel edges the higher one touches.
        let better = |most: f64, least: f64| {
            merit > most + super::bias::TIE || (merit >= most - super::bias::TIE && uneven < least)
        };
        if best.is_none_or(|(most, least, _)| better(most, least)) {
            let names =
                [Feature::vertex(corner.vertex), Feature::vertex(next.vertex), Feature::edge(corner.edge)];
            best = Some((
                merit,
                uneven,
                Rod { center: 0.5 * (from + to), half: 0.5 * edge, radius: 0.0, blunt: false, names },
            ));
        }
    }
    best.map(|(_, _, rod)| rod)
}

/// The corner, edge or face of a polyhedron at `p`. Where the direction is not the normal of a face, the contact is on the
/// edge or corner that is highest along it, however far from that EPA has left `p`.
fn place_on(shape: &Polyhedron, p: Vec3, facing: &Facing, edge: &Option<EdgeOf>) -> Feature {
    let (d, id) = (facing.d, facing.face);
    if let Some(edge) = edge
        && shape.plane(id).0.cross(d).length_squared() > TILTED * TILTED
    {
        let [from, to] = edge.ends;
        let near = NEAR * NEAR * (from - to).length_squared();
        if let Some(i) = [from, to].iter().position(|c| (*c - p).length_squared() <= near) {
            return Feature::vertex(edge.corners[i]);
        }
        let level = (from - to).dot(d) <= TILTED * (from - to).length();
        return if level { Feature::edge(edge.id) } else { Feature::vertex(edge.corners[0]) };
    }
    let face = shape.face(id);
    let first = face.corners[0].at;
    let extent = face.corners.iter().map(|c| (c.at - first).length_squared()).fold(0.0, max);
    let near = NEAR * NEAR * extent;
    if let Some(corner) = face.corners.iter().find(|c| (c.at - p).length_squared() <= near) {
        return Feature::vertex(corner.vertex);
    }
    for (i, corner) in face.corners.iter().enumerate() {
        let (from, edge) = (corner.at, face.next(i).at - corner.at);
        let square = edge.length_squared();
        let t = if square > 0.0 { clamp((p - from).dot(edge) / square, 0.0, 1.0) } else { 0.0 };
        if (from + edge * t - p).length_squared() <= near {
            return Feature::edge(corner.edge);
        }
    }
    Feature::face(id)
}
