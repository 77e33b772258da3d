//! Forces of the medium on links: MuJoCo's box of equal inertia, and its ellipsoids.
//!
//! An ellipsoid feels added mass, blunt and slender drag, lift by circulation (Kutta and Zhukovsky) and by spin (Magnus), and Stokes' drag.

use super::base::TreeKinematics;
use super::model::{Drag, Mechanism, Medium};
use huygens_math::{Pose, Vec3, scalar};
use std::f64::consts::PI;

const TINY: f64 = 1e-15;

/// An ellipsoid in a medium.
#[derive(Clone, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Its frame in that of the link.
    pub pose: Pose,
    /// Semi-axes [m].
    pub axes: Vec3,
    /// Blunt, slender and angular drag, Kutta and Magnus lift.
    pub coefficients: [f64; 5],
    virtual_mass: Vec3,
    virtual_inertia: Vec3,
}

/// Edges of the box of equal mass and inertia [m].
pub fn inertia_box(mass: f64, inertia: Vec3) -> Vec3 {
    let edge = |a: f64, b: f64, c: f64| (scalar::max(TINY, b + c - a) / mass * 6.0).sqrt();
    Vec3::new(
        edge(inertia.x, inertia.y, inertia.z),
        edge(inertia.y, inertia.x, inertia.z),
        edge(inertia.z, inertia.x, inertia.y),
    )
}

/// Semi-axes of the ellipsoid that stands for a capsule or cylinder of radius `r` and half length `h`.
pub fn semi_axes(r: f64, h: f64, capsule: bool) -> Vec3 {
    Vec3::new(r, r, if capsule { h + r } else { h })
}

/// ∫₀^∞ a b c / √((a²+λ)³(b²+λ)(c²+λ)) dλ, by fifteen points of Kronrod with λ = s x³/(1−x)².
fn kappa(a: f64, b: f64, c: f64) -> f64 {
    const W: [f64; 15] = [
        0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236, 0.09517529, 0.10221647, 0.10474107,
        0.10221647, 0.09517529, 0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766,
    ];
    const L: [f64; 15] = [
        7.865151709349917e-08,
        1.7347976913907274e-05,
        0.0003548008144506193,
        0.002846636252924549,
        0.014094260903596077,
        0.053063261727396636,
        0.17041978741317773,
        0.5,
        1.4036301548686991,
        3.9353484827022642,
        11.644841677041734,
        39.53187807410903,
        177.5711362220801,
        1429.4772912937397,
        54087.416549217705,
    ];
    const D: [f64; 15] = [
        5.538677720489877e-05,
        0.002080868285293228,
        0.016514126520723166,
        0.07261900344370877,
        0.23985243401862602,
        0.6868318249020725,
        1.8551129519182894,
        5.0,
        14.060031152313941,
        43.28941239611009,
        156.58546376397112,
        747.9826085305024,
        5827.4042950027115,
        116754.0197944512,
        25482945.327264845,
    ];
    let inverse = [a, b, c].map(|x| 1.0 / (x * x));
    let scale = huygens_math::trig::pow(a * a * a * b * c, 0.4);
    let sum: f64 = (0..15)
        .map(|i| {
            let lambda = scale * L[i];
            let [x, y, z] = inverse.map(|k| 1.0 + lambda * k);
            scale * D[i] / (x * (x * y * z).sqrt()) * W[i]
        })
        .sum();
    sum * inverse[0]
}

impl Ellipsoid {
    /// An ellipsoid with its added mass.
    pub fn new(pose: Pose, axes: Vec3, coefficients: [f64; 5]) -> Self {
        let (x, y, z) = (axes.x, axes.y, axes.z);
        let volume = 4.0 / 3.0 * PI * x * y * z;
        let k = [kappa(x, y, z), kappa(y, z, x), kappa(z, x, y)];
        let turning = |b: f64, c: f64, kb: f64, kc: f64| {
            let (bb, cc) = (b * b, c * c);
            let below = (2.0 * (bb - cc) + (bb + cc) * (kb - kc)).abs();
            (bb - cc) * (bb - cc) * (kc - kb).abs() / scalar::max(1e-14, below)
        };
        let added = |k: f64| volume * k / scalar::max(1e-14, 2.0 - k);
        Self {
            pose,
            axes,
            coefficients,
            virtual_mass: Vec3::new(added(k[0]), added(k[1]), added(k[2])),
            virtual_inertia: Vec3::new(
                turning(y, z, k[1], k[2]),
                turning(z, x, k[2], k[0]),
                turning(x, y, k[0], k[1]),
            ) * (volume / 5.0),
        }
    }

    /// Force and torque about its centre, in its axes, at the velocity `v` and spin `w` in its axes.
    fn wrench(&self, medium: &Medium, v: Vec3, w: Vec3) -> [Vec3; 2] {
        let (rho, s) = (medium.density, self.axes);
        let [blunt, slender, angular, kutta, magnus] = self.coefficients;
        let linear_momentum = self.virtual_mass * v * rho;
        let angular_momentum = self.virtual_inertia * w * rho;
        let mut force = linear_momentum.cross(w);
        let mut torque = linear_momentum.cross(v) + angular_momentum.cross(w);
        let volume = 4.0 / 3.0 * PI * s.x * s.y * s.z;
        let (most, least) = (s.max_element(), s.min_element());
        let middle = s.x + s.y + s.z - most - least;
        let largest_area = PI * most * middle;
        let sides = Vec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let squares = sides * sides;
        let below = (squares * squares).dot(v * v);
        let above = squares.dot(v * v);
        let area = PI * (below / scalar::max(TINY, above)).sqrt();
        let normal = squares * v;
        let speed = v.length();
        let cosine = above / scalar::max(TINY, speed * below);
        let circulation = normal.cross(v) * (kutta * rho * cosine * area);
        force += circulation.cross(v) + w.cross(v) * (magnus * rho * volume);
        let diameter = 2.0 / 3.0 * (s.x + s.y + s.z);
        let fourth = |x: f64| x * x * x * x;
        let moment = |d: f64, a: f64, b: f64| 8.0 / 15.0 * PI * d * fourth(scalar::max(a, b));
        let moments = Vec3::new(moment(s.x, s.y, s.z), moment(s.y, s.z, s.x), moment(s.z, s.x, s.y));
        let greatest = 8.0 / 15.0 * PI * middle * fourth(most);
        let resisting = w * (moments * angular + (Vec3::splat(greatest) - moments) * slender);
        let drag = medium.viscosity * 3.0 * PI * diameter
            + rho * speed * (area * blunt + slender * (largest_area - area));
        let spin_drag = medium.viscosity * PI * diameter * diameter * diameter + rho * resisting.length();
        force -= v * drag;
        torque -= w * spin_drag;
        [force, torque]
    }
}

/// A wrench of the medium on a link, and where.
pub(super) struct FluidForce {
    pub link: usize,
    pub at: Vec3,
    pub force: Vec3,
    pub torque: Vec3,
}

/// Velocity of the medium past a frame on a link, in the axes of the frame: linear and angular.
fn local_velocity(m: &Mechanism, kin: &TreeKinematics, link: usize, frame: &Pose) -> [Vec3; 2] {
    let twist = &kin.twist[link];
    let v = twist.linear + twist.angular.cross(frame.translation - kin.com[link]) - m.medium.wind;
    [frame.inverse_rotate(v), frame.inverse_rotate(twist.angular)]
}

fn box_wrench(medium: &Medium, edges: Vec3, v: Vec3, w: Vec3) -> [Vec3; 2] {
    let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    let diameter = (edges.x + edges.y + edges.z) / 3.0;
    if medium.viscosity > 0.0 {
        force -= v * (3.0 * PI * diameter * medium.viscosity);
        torque -= w * (PI * diameter * diameter * diameter * medium.viscosity);
    }
    if medium.density > 0.0 {
        let b = edges;
        let fourth = |x: f64| x * x * x * x;
        let areas = Vec3::new(b.y * b.z, b.x * b.z, b.x * b.y);
        let turning = Vec3::new(
            b.x * (fourth(b.y) + fourth(b.z)),
            b.y * (fourth(b.x) + fourth(b.z)),
            b.z * (fourth(b.x) + fourth(b.y)),
        );
        force -= areas * v.abs() * v * (0.5 * medium.density);
        torque -= turning * w.abs() * w * (medium.density / 64.0);
    }
    [force, torque]
}

/// A shape in the medium, at a frame in the world.
enum Shape<'m> {
    Box(Vec3),
    Ellipsoid(&'m Ellipsoid),
}

impl Shape<'_> {
    fn wrench(&self, medium: &Medium, v: Vec3, w: Vec3) -> [Vec3; 2] {
        match self {
            Self::Box(edges) => box_wrench(medium, *edges, v, w),
            Self::Ellipsoid(e) => e.wrench(medium, v, w),
        }
    }
}

fn shapes<'m>(m: &'m Mechanism, kin: &TreeKinematics, mut act: impl FnMut(usize, Pose, Shape<'m>)) {
    if m.medium.density == 0.0 && m.medium.viscosity == 0.0 {
        return;
    }
    for (link, drag) in m.drag.iter().enumerate() {
        let world = kin.world_from_link[link];
        match drag {
            Drag::None => {}
            Drag::Box(pose, edges) => act(link, world * *pose, Shape::Box(*edges)),
            Drag::Ellipsoids(list) => {
                list.iter().for_each(|e| act(link, world * e.pose, Shape::Ellipsoid(e)))
            }
        }
    }
}

/// Every wrench of the medium.
pub(super) fn forces(m: &Mechanism, kin: &TreeKinematics, mut act: impl FnMut(FluidForce)) {
    shapes(m, kin, |link, frame, shape| {
        let [v, w] = local_velocity(m, kin, link, &frame);
        let [force, torque] = shape.wrench(&m.medium, v, w);
        act(FluidForce {
            link,
            at: frame.translation,
            force: frame.rotate(force),
            torque: frame.rotate(torque),
        });
    });
}

/// Derivative of each wrench (force, torque; in the axes of its frame) with respect to velocity and spin in those axes: 6 × 6 by frame.
///
/// Differences of fourth order: the laws are smooth where something moves, and 1e-10 of the slope is lost.
pub(super) fn derivatives(
    m: &Mechanism,
    kin: &TreeKinematics,
    mut act: impl FnMut(usize, Pose, [[f64; 6]; 6]),
) {
    shapes(m, kin, |link, frame, shape| {
        let [v, w] = local_velocity(m, kin, link, &frame);
        let mut b = [[0.0; 6]; 6];
        if let Shape::Box(edges) = shape {
            diagonal(&m.medium, edges, v, w, &mut b);
            act(link, frame, b);
            return;
        }
        for column in 0..6 {
            let at = |step: f64| {
                let (mut v, mut w) = (v, w);
                if column < 3 {
                    v[column] += step
                } else {
                    w[column - 3] += step
                }
                let [f, t] = shape.wrench(&m.medium, v, w);
                [f.x, f.y, f.z, t.x, t.y, t.z]
            };
            let size = if column < 3 { v.length() } else { w.length() };
            let h = 1e-3 * scalar::max(size, 1e-6);
            let (a, b1, c, d) = (at(h), at(-h), at(2.0 * h), at(-2.0 * h));
            for row in 0..6 {
                b[row][column] = (8.0 * (a[row] - b1[row]) - (c[row] - d[row])) / (12.0 * h);
            }
        }
        act(link, frame, b);
    });
}

/// The box's wrench depends on each component alone.
fn diagonal(medium: &Medium, e: Vec3, v: Vec3, w: Vec3, b: &mut [[f64; 6]; 6]) {
    let diameter = (e.x + e.y + e.z) / 3.0;
    let fourth = |x: f64| x * x * x * x;
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        b[i][i] = -3.0 * PI * diameter * medium.viscosity - medium.density * e[j] * e[k] * v[i].abs();
        b[i + 3][i + 3] = -PI * diameter * diameter * diameter * medium.viscosity
            - medium.density / 32.0 * e[i] * (fourth(e[j]) + fourth(e[k])) * w[i].abs();
    }
}
