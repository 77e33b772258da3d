//! Mass, centre of mass and inertia of shapes.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ρ | `density` | mass per volume | kg/m³ |
//! | m | `mass` | mass | kg |
//! | c | `center` | centre of mass in the shape's frame | m |
//! | I | `inertia` | ∫ρ(\|r\|² − r rᵀ)dV about c, in the shape's axes | kg·m² |
//! | C | `second` | ∫ρ r rᵀ dV | kg·m² |
//!
//! Box m(b² + c²)/12; sphere ⅖mr²; cylinder axial ½mr², across m(3r² + h²)/12; capsule of cylinder m_c = ρπr²L and
//! two half balls, together m_s = ρ4πr³/3: axial ½m_c r² + ⅖m_s r², across
//! m_c(r²/4 + L²/12) + m_s(⅖r² + ⅜rL + ¼L²); cone with its centre h/4 over the base: axial 3mr²/10, across
//! 3m(r² + h²/4)/20; ellipsoid m(b² + c²)/5. A polyhedron is the sum of tetrahedra from one inner point to the
//! triangles of its surface; for corners a, b, c and s = a + b + c from that point, with V = a·(b × c)/6:
//! ∫r dV = V s/4 and ∫r rᵀ dV = V(aaᵀ + bbᵀ + ccᵀ + ssᵀ)/20. The inner point keeps what a far origin would cancel.

use crate::shape::{Capsule, CollisionShape, Cone, Hull};
use huygens_math::{Pose, Sym3, Vec3};
use std::f64::consts::PI;

/// Mass, centre of mass and inertia of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass [kg]; at density 1 also the volume [m³].
    pub mass: f64,
    /// Centre of mass [m].
    pub center: Vec3,
    /// Inertia about the centre of mass, along the frame's axes [kg·m²].
    pub inertia: Sym3,
}

impl MassProperties {
    /// Nothing at all.
    pub const ZERO: Self = Self { mass: 0.0, center: Vec3::ZERO, inertia: Sym3::ZERO };

    /// The same solid seen from another frame, in which `target_from_source` places it.
    pub fn transformed(&self, target_from_source: &Pose) -> Self {
        Self {
            mass: self.mass,
            center: target_from_source.transform(self.center),
            inertia: self.inertia.rotated(target_from_source.rotation),
        }
    }

    /// The same solid with every density multiplied by `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { mass: self.mass * factor, center: self.center, inertia: self.inertia * factor }
    }

    /// Inertia about `point` instead of the centre of mass, along the same axes: I + m(|d|² − d dᵀ).
    pub fn inertia_about(&self, point: Vec3) -> Sym3 {
        self.inertia + Sym3::point_inertia(self.center - point) * self.mass
    }

    /// Several solids as one; [`MassProperties::ZERO`] for none.
    pub fn sum(parts: &[Self]) -> Self {
        let mass = parts.iter().fold(0.0, |sum, p| sum + p.mass);
        if mass == 0.0 {
            return Self::ZERO;
        }
        // From the first centre, so that a far origin costs no digits.
        let near = parts[0].center;
        let moment = parts.iter().fold(Vec3::ZERO, |sum, p| sum + (p.center - near) * p.mass);
        let center = near + moment / mass;
        let inertia = parts.iter().fold(Sym3::ZERO, |sum, p| sum + p.inertia_about(center));
        Self { mass, center, inertia }
    }
}

impl CollisionShape {
    /// Mass, centre of mass and inertia at `density` [kg/m³]; `None` for what has no volume or no end: walls,
    /// half-spaces, containers, and meshes that do not close.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties> {
        let about_origin = |volume: f64, radii: Vec3| {
            let mass = density * volume;
            MassProperties { mass, center: Vec3::ZERO, inertia: Sym3::diagonal(radii * mass) }
        };
        match self {
            Self::Sphere(s) => {
                let square = s.radius * s.radius;
                Some(about_origin(4.0 / 3.0 * PI * square * s.radius, Vec3::splat(0.4 * square)))
            }
            Self::Box(s) => {
                let q = s.half * s.half;
                let radii = Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y) / 3.0;
                Some(about_origin(8.0 * s.half.x * s.half.y * s.half.z, radii))
            }
            Self::Cylinder(s) => {
                let square = s.radius * s.radius;
                let across = 0.25 * square + s.half_length * s.half_length / 3.0;
                let radii = Vec3::new(across, across, 0.5 * square);
                Some(about_origin(PI * square * 2.0 * s.half_length, radii))
            }
            Self::Cone(s) => Some(cone(s, density)),
            Self::Ellipsoid(s) => {
                let q = s.radii * s.radii;
                let radii = Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y) / 5.0;
                Some(about_origin(4.0 / 3.0 * PI * s.radii.x * s.radii.y * s.radii.z, radii))
            }
            Self::Capsule(s) => Some(capsule(s, density)),
            Self::Hull(hull) => Some(hull.solid().scaled(density)),
            Self::Mesh(mesh) => mesh.solid().map(|solid| solid.scaled(density)),
            Self::HalfSpace | Self::Wall(_) | Self::BoxInside(_) | Self::CylinderInside(_) => None,
        }
    }
}

fn cone(s: &Cone, density: f64) -> MassProperties {
    let (square, length) = (s.radius * s.radius, 2.0 * s.half_length);
    let mass = density * PI * square * length / 3.0;
    let across = mass * (0.15 * square + 0.0375 * length * length);
    MassProperties {
        mass,
        center: Vec3::new(0.0, 0.0, -0.25 * length),
        inertia: Sym3::diagonal(Vec3::new(across, across, 0.3 * mass * square)),
    }
}

fn capsule(s: &Capsule, density: f64) -> MassProperties {
    let (r, length) = (s.radius, 2.0 * s.half_length);
    let cylinder = density * PI * r * r * length;
    let ball = density * 4.0 / 3.0 * PI * r * r * r;
    let axial = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
    let across = cylinder * (0.25 * r * r + length * length / 12.0)
        + ball * (0.4 * r * r + 0.375 * r * length + 0.25 * length * length);
    MassProperties {
        mass: cylinder + ball,
        center: Vec3::ZERO,
        inertia: Sym3::diagonal(Vec3::new(across, across, axial)),
    }
}

/// The solid inside a hull at density 1.
pub(crate) fn polyhedron(hull: &Hull) -> MassProperties {
    let fans = (0..hull.face_count()).flat_map(|f| {
        let v = hull.face(f).vertices;
        v[1..].windows(2).map(move |pair| [v[0], pair[0], pair[1]])
    });
    enclosed(hull.vertices(), fans)
}

/// The solid inside a closed surface of triangles at density 1. Of a surface that is turned inside out the mass is negative.
pub(crate) fn enclosed(corners: &[Vec3], triangles: impl Iterator<Item = [u32; 3]>) -> MassProperties {
    let inner =
        corners.iter().fold(Vec3::ZERO, |sum, v| sum + (*v - corners[0])) / corners.len() as f64 + corners[0];
    let at = |i: u32| corners[i as usize] - inner;
    let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Sym3::ZERO);
    for triangle in triangles {
        let [a, b, c] = triangle.map(at);
        let v = a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += s * (0.25 * v);
        second = second + (Sym3::outer(a) + Sym3::outer(b) + Sym3::outer(c) + Sym3::outer(s)) * (v / 20.0);
    }
    let shift = first / volume;
    let central = second - Sym3::outer(shift) * volume;
    let inertia = Sym3 {
        xx: central.yy + central.zz,
        yy: central.xx + central.zz,
        zz: central.xx + central.yy,
        xy: -central.xy,
        xz: -central.xz,
        yz: -central.yz,
    };
    MassProperties { mass: volume, center: inner + shift, inertia }
}

#[cfg(test)]
mod tests;
