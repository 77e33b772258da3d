//! Random shapes and poses, and checks that hold for every manifold.

#![allow(dead_code, reason = "each test file uses its part")]

use huygens_geometry::{Manifold, Shape, collide};
use huygens_math::{Pose, SplitMix, Vec2, Vec3};

/// Kinds of convex shapes.
pub const CONVEX: [&str; 6] = ["sphere", "capsule", "box", "cylinder", "hull", "wall"];

/// A random convex shape with sizes between `scale`/4 and `scale`.
pub fn convex(kind: &str, scale: f64, random: &mut SplitMix) -> Shape {
    let mut length = || scale * random.range(0.25, 1.0);
    match kind {
        "sphere" => Shape::sphere(length()),
        "capsule" => Shape::capsule(length(), 2.0 * length()),
        "box" => Shape::cuboid(2.0 * Vec3::new(length(), length(), length())),
        "cylinder" => Shape::cylinder(length(), 2.0 * length()),
        "wall" => Shape::wall(2.0 * Vec2::new(length(), length())),
        "hull" => {
            let count = 6 + random.index(20);
            let radii =
                Vec3::new(random.range(0.3, 1.0), random.range(0.3, 1.0), random.range(0.3, 1.0)) * scale;
            let points: Vec<Vec3> = (0..count).map(|_| random.direction() * radii).collect();
            Shape::hull(&points)
        }
        _ => unreachable!("{kind}"),
    }
    .expect("the random sizes are good")
}

/// A random container of a convex shape of that scale.
pub fn container(kind: &str, scale: f64, random: &mut SplitMix) -> Shape {
    let mut length = || scale * random.range(1.0, 3.0);
    match kind {
        "half-space" => Ok(Shape::HalfSpace),
        "box-inside" => Shape::box_inside(2.0 * Vec3::new(length(), length(), length())),
        "cylinder-inside" => Shape::cylinder_inside(length(), 2.0 * length()),
        _ => unreachable!("{kind}"),
    }
    .expect("the random sizes are good")
}

/// The manifolds of a pair.
pub fn manifolds(a: &Shape, b: &Shape, b_in_a: &Pose, margin: f64) -> Vec<Manifold> {
    let mut out = Vec::new();
    collide(a, b, b_in_a, margin, &mut out);
    out
}

/// A pose in which the two shapes are `gap` apart, or overlap by as much, in a random direction.
pub fn pose_with_gap(a: &Shape, b: &Shape, gap: f64, random: &mut SplitMix) -> Pose {
    let rotation = random.rotation();
    let direction = random.direction();
    let far = a.bounding_radius() + b.bounding_radius();
    let apart = |t: f64| {
        let pose = Pose::new(rotation, direction * t);
        huygens_geometry::query::separation(a, &Pose::IDENTITY, b, &pose).expect("both are bounded").gap
    };
    // Not down to 0: a wall has no side to be on there.
    let (mut low, mut high) = (0.01 * far, far + gap.abs());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if apart(middle) > gap {
            high = middle;
        } else {
            low = middle;
        }
    }
    Pose::new(rotation, direction * 0.5 * (low + high))
}

/// What holds for every manifold: a unit normal, one to four points, witness points that are parted by the gap along
/// the normal, all numbers finite. `reach` is the size of the numbers that the witness points are made of.
pub fn check_manifold(m: &Manifold, b_in_a: &Pose, margin: f64, reach: f64) {
    assert!((m.normal.length() - 1.0).abs() < 1e-12, "normal {:?}", m.normal);
    assert!((1..=4).contains(&m.points().len()));
    for p in m.points() {
        assert!(p.on_a.is_finite() && p.on_b.is_finite() && p.gap.is_finite());
        assert!(p.gap <= margin);
        let apart = p.on_a - b_in_a.transform(p.on_b);
        assert!((apart - m.normal * p.gap).length() <= 1e-12 * reach, "{apart} against {}", m.normal * p.gap);
    }
}
