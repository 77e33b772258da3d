//! Random shapes of every kind, and placements at a chosen depth.

use super::oracle;
use huygens_geometry::CollisionShape;
use huygens_math::{Pose, Quat, SplitMix, Vec2, Vec3, trig};

/// A random generator. The environment variable `PEER_SEED` turns the tests into a search among other configurations.
pub fn random(seed: u64) -> SplitMix {
    let other: u64 = std::env::var("PEER_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    SplitMix::new(seed + 1000 * other)
}

/// The kinds of shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sphere,
    Capsule,
    Box,
    Cylinder,
    Hull,
    HalfSpace,
    Wall,
    BoxInside,
    CylinderInside,
}

impl Kind {
    /// Bounded shapes with a volume.
    pub const SOLID: [Self; 5] = [Self::Sphere, Self::Capsule, Self::Box, Self::Cylinder, Self::Hull];

    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Sphere,
        Self::Capsule,
        Self::Box,
        Self::Cylinder,
        Self::Hull,
        Self::HalfSpace,
        Self::Wall,
        Self::BoxInside,
        Self::CylinderInside,
    ];

    /// True for shapes whose solid has no end.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Self::HalfSpace | Self::BoxInside | Self::CylinderInside)
    }

    /// A random shape of this kind, of a size around `scale`.
    pub fn shape(self, r: &mut SplitMix, scale: f64) -> CollisionShape {
        let mut size = |low: f64, high: f64| scale * r.range(low, high);
        match self {
            Self::Sphere => CollisionShape::sphere(size(0.1, 1.0)),
            Self::Capsule => CollisionShape::capsule(size(0.05, 0.6), size(0.1, 2.0)),
            Self::Box => CollisionShape::cuboid(Vec3::new(size(0.2, 2.0), size(0.2, 2.0), size(0.2, 2.0))),
            Self::Cylinder => CollisionShape::cylinder(size(0.1, 1.0), size(0.2, 2.0)),
            Self::Hull => return hull(r, scale),
            Self::HalfSpace => CollisionShape::half_space(),
            Self::Wall => CollisionShape::wall(Vec2::new(size(0.5, 2.0), size(0.5, 2.0))),
            Self::BoxInside => {
                CollisionShape::box_inside(Vec3::new(size(2.0, 6.0), size(2.0, 6.0), size(2.0, 6.0)))
            }
            Self::CylinderInside => CollisionShape::cylinder_inside(size(1.5, 4.0), size(2.0, 6.0)),
        }
        .expect("sizes are in range")
    }
}

/// A hull of 8 to 20 random points, stretched along its axes by up to 3.
pub fn hull(r: &mut SplitMix, scale: f64) -> CollisionShape {
    let stretch = Vec3::new(r.range(0.3, 1.0), r.range(0.3, 1.0), r.range(0.3, 1.0)) * scale;
    let count = 8 + r.index(13);
    let points: Vec<Vec3> = (0..count).map(|_| r.direction() * r.range(0.7, 1.0) * stretch).collect();
    CollisionShape::hull(&points).expect("random points span a volume")
}

/// How the second shape is turned against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Any rotation.
    Any,
    /// Multiples of a right angle about an axis, to the last bit.
    Aligned,
    /// Any rotation about one axis that both share.
    AboutAxis,
    /// Up to 1e-3 rad off aligned.
    Nearly,
}

impl Turn {
    pub const ALL: [Self; 4] = [Self::Any, Self::Aligned, Self::AboutAxis, Self::Nearly];

    pub fn rotation(self, r: &mut SplitMix) -> Quat {
        let axis = Vec3::AXES[r.index(3)];
        match self {
            Self::Any => r.rotation(),
            Self::Aligned => quarter_turn(axis, r.index(4)),
            Self::AboutAxis => trig::axis_angle(axis, r.range(-3.0, 3.0)),
            Self::Nearly => {
                let off = trig::rotation_vector(r.in_cube() * 5e-4);
                (off * quarter_turn(axis, r.index(4))).normalize()
            }
        }
    }
}

fn quarter_turn(axis: Vec3, quarters: usize) -> Quat {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let (s, c) = [(0.0, 1.0), (half, half), (1.0, 0.0), (half, -half)][quarters];
    Quat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// Two shapes with the pose of the second in the frame of the first.
#[derive(Clone, Debug)]
pub struct Pair {
    pub a: CollisionShape,
    pub b: CollisionShape,
    pub b_in_a: Pose,
}

impl Pair {
    /// Thickness of the thinner shape: what errors are measured by.
    pub fn size(&self) -> f64 {
        let (a, b) = (self.a.size(), self.b.size());
        if a < b { a } else { b }
    }

    pub fn swapped(&self) -> Self {
        Self { a: self.b.clone(), b: self.a.clone(), b_in_a: self.b_in_a.inverse() }
    }
}

/// B beside A: a point of A's surface and one of B's are put on each other, where both shapes have the same tangent
/// plane, and B is then moved by `gap` along its normal. For `gap` ≥ 0 that is the exact distance; for `gap` < 0 the
/// depth is at most −gap. A half-space can only be A.
pub fn beside(a: CollisionShape, b: CollisionShape, gap: f64, turn: Turn, r: &mut SplitMix) -> Pair {
    let rotation = turn.rotation(r);
    let turned = Pose::new(rotation, Vec3::ZERO);
    let towards_b = match a {
        CollisionShape::HalfSpace => Vec3::Z,
        // Most of the aligned ones meet face to face.
        _ if turn != Turn::Any && r.unit() < 0.7 => {
            Vec3::AXES[r.index(3)] * if r.unit() < 0.5 { 1.0 } else { -1.0 }
        }
        _ => r.direction(),
    };
    let on_a = within_face(&a, towards_b, r);
    let on_b = turned.rotate(within_face(&b, turned.inverse_rotate(-towards_b), r));
    Pair { a, b, b_in_a: Pose::new(rotation, on_a - on_b + towards_b * gap) }
}

/// B anywhere near A: along a random direction between their frames they are apart by `gap`, so that their distance is at
/// least `gap`, and the depth of an overlap at most −gap. A half-space can only be A.
pub fn scattered(a: CollisionShape, b: CollisionShape, gap: f64, turn: Turn, r: &mut SplitMix) -> Pair {
    let turned = Pose::new(turn.rotation(r), Vec3::ZERO);
    let towards_b = if matches!(a, CollisionShape::HalfSpace) { Vec3::Z } else { r.direction() };
    let reach = oracle::farthest(&a, towards_b).dot(towards_b)
        - turned.rotate(oracle::farthest(&b, turned.inverse_rotate(-towards_b))).dot(towards_b);
    let b_in_a = Pose::new(turned.rotation, towards_b * (reach + gap));
    Pair { a, b, b_in_a }
}

/// A random point of the face, edge or corner that lies farthest along the unit vector `d`.
fn within_face(shape: &CollisionShape, d: Vec3, r: &mut SplitMix) -> Vec3 {
    let far = oracle::farthest(shape, d);
    // Support points of directions a hair beside d span the face if there is one, and lie close to `far` otherwise;
    // those that are not as far along d as `far` itself are not on the face.
    let mut sum = far;
    let mut weight = 1.0;
    for _ in 0..3 {
        let p = oracle::farthest(shape, (d + r.in_cube() * 1e-9).normalize());
        if (p - far).dot(d).abs() <= 1e-15 * far.length() {
            let w = r.range(0.0, 3.0);
            sum += p * w;
            weight += w;
        }
    }
    if matches!(shape, CollisionShape::HalfSpace) { Vec3::ZERO } else { sum / weight }
}
