//! What two manifolds must have in common, and what every single one must satisfy.

use super::oracle::{self, larger, smaller};
use super::sample::Pair;
use huygens_geometry::{CollisionShape, Manifold, collide};
use huygens_math::{Pose, Vec3};

/// Default margin, in parts of the smaller shape's size.
pub const MARGIN: f64 = 0.02;

/// All manifolds of a pair at a margin of [`MARGIN`] sizes.
pub fn contact(pair: &Pair) -> Vec<Manifold> {
    let mut out = Vec::new();
    collide(&pair.a, &pair.b, &pair.b_in_a, MARGIN * pair.size(), &mut out);
    out
}

/// Area of the quadrilateral, triangle or nothing that the points span [m²]: the largest over the orders of four.
pub fn area(m: &Manifold) -> f64 {
    let p: Vec<Vec3> = m.points().iter().map(|p| p.on_a).collect();
    let triangle = |i: usize, j: usize, k: usize| 0.5 * (p[j] - p[i]).cross(p[k] - p[i]).length();
    match p.len() {
        3 => triangle(0, 1, 2),
        // Half the cross product of the diagonals; the right pairing of corners gives the most.
        4 => [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]]
            .map(|[a, b, c, d]| 0.5 * (p[b] - p[a]).cross(p[d] - p[c]).length())
            .into_iter()
            .fold(0.0, larger),
        _ => 0.0,
    }
}

/// How two manifolds of the same contact compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Likeness {
    /// Same points under the same names, equal to within this part of the size.
    Same(f64),
    /// Other points of a tied choice, with the same normal, number, area, deepest gap and total wrench to within this.
    Tied(f64),
    Different,
}

/// Compares two manifolds in the same frames; lengths in parts of `size`.
pub fn compare(m: &Manifold, n: &Manifold, size: f64) -> Likeness {
    if m.sub_shape != n.sub_shape || m.points().len() != n.points().len() {
        return Likeness::Different;
    }
    let normals = (m.normal - n.normal).length();
    let mut error = normals;
    let mut same = true;
    for p in m.points() {
        match n.points().iter().find(|q| q.feature == p.feature) {
            Some(q) => {
                let off = larger((p.on_a - q.on_a).length(), (p.on_b - q.on_b).length()) / size;
                error = larger(error, larger(off, (p.gap - q.gap).abs() / size));
            }
            None => same = false,
        }
    }
    if same && error < 1e-3 {
        return Likeness::Same(error);
    }
    let spread = larger(area(m), area(n));
    let areas = if spread > 0.0 { (area(m) - area(n)).abs() / spread } else { 0.0 };
    let gaps = (m.gap() - n.gap()).abs() / size;
    let errors = [normals, areas, gaps, wrench_difference(m, n) / size];
    Likeness::Tied(errors.into_iter().fold(0.0, larger))
}

/// Difference of the torques of a unit force along the normal, shared evenly by the points [m].
fn wrench_difference(m: &Manifold, n: &Manifold) -> f64 {
    let torque = |m: &Manifold| {
        let sum = m.points().iter().fold(Vec3::ZERO, |sum, p| sum + p.on_a);
        (sum / m.points().len() as f64).cross(m.normal)
    };
    (torque(m) - torque(n)).length()
}

/// The shape, `s` times as large.
pub fn scaled(shape: &CollisionShape, s: f64) -> CollisionShape {
    match shape {
        CollisionShape::Sphere(x) => CollisionShape::sphere(x.radius * s),
        CollisionShape::Capsule(x) => CollisionShape::capsule(x.radius * s, 2.0 * x.half_length * s),
        CollisionShape::Box(x) => CollisionShape::cuboid(2.0 * x.half * s),
        CollisionShape::Cylinder(x) => CollisionShape::cylinder(x.radius * s, 2.0 * x.half_length * s),
        CollisionShape::Cone(x) => CollisionShape::cone(x.radius * s, 2.0 * x.half_length * s),
        CollisionShape::Ellipsoid(x) => CollisionShape::ellipsoid(x.radii * s),
        CollisionShape::Mesh(x) => {
            CollisionShape::mesh(&x.vertices().iter().map(|&v| v * s).collect::<Vec<_>>(), x.triangles())
        }
        CollisionShape::Hull(x) => {
            CollisionShape::hull(&x.vertices().iter().map(|&v| v * s).collect::<Vec<_>>())
        }
        CollisionShape::HalfSpace => CollisionShape::half_space(),
        CollisionShape::Wall(x) => CollisionShape::wall(2.0 * x.half * s),
        CollisionShape::BoxInside(x) => CollisionShape::box_inside(2.0 * x.half * s),
        CollisionShape::CylinderInside(x) => {
            CollisionShape::cylinder_inside(x.radius * s, 2.0 * x.half_length * s)
        }
    }
    .expect("a valid shape stays valid")
}

/// The manifold with all lengths `s` times as large.
pub fn scaled_manifold(m: &Manifold, s: f64) -> Manifold {
    let mut out = *m;
    out.round = m.round.map(|x| x * s);
    out.reuse.travel *= s;
    for p in out.points_mut() {
        p.on_a *= s;
        p.on_b *= s;
        p.gap *= s;
    }
    out
}

/// What holds for every manifold of a pair; the text says what does not.
pub fn violation(pair: &Pair, m: &Manifold, margin: f64) -> Option<String> {
    let size = pair.size();
    if (m.normal.length() - 1.0).abs() > 1e-14 {
        return Some(format!("normal of length {}", m.normal.length()));
    }
    if !(1..=4).contains(&m.points().len()) {
        return Some(format!("{} points", m.points().len()));
    }
    for (i, p) in m.points().iter().enumerate() {
        let x_b = pair.b_in_a.transform(p.on_b);
        let scale = larger(size, larger(p.on_a.length(), p.on_b.length()));
        let gap = m.normal.dot(p.on_a - x_b);
        if (gap - p.gap).abs() > 1e-13 * scale {
            return Some(format!("point {i}: gap {} but n·(x_A − x_B) = {gap}", p.gap));
        }
        if p.gap > margin {
            return Some(format!("point {i}: gap {} above the margin {margin}", p.gap));
        }
        let sideways = (p.on_a - x_b - m.normal * p.gap).length();
        if sideways > 1e-12 * scale {
            return Some(format!("point {i}: witnesses {sideways} apart across the normal"));
        }
        let off = larger(oracle::off_surface(&pair.a, p.on_a), oracle::off_surface(&pair.b, p.on_b));
        if off > 0.05 * p.gap.abs() + 1e-3 * size + grouped(pair) {
            return Some(format!("point {i}: a witness is {:.2e} sizes off its surface", off / size));
        }
        if m.points()[..i].iter().any(|q| q.feature == p.feature) {
            return Some(format!("point {i} has the name of another"));
        }
    }
    None
}

/// How far one normal for a group of points within 5° puts its witnesses off the curved wall of a container.
fn grouped(pair: &Pair) -> f64 {
    match (&pair.a, &pair.b) {
        (CollisionShape::CylinderInside(s), _) | (_, CollisionShape::CylinderInside(s)) => {
            s.radius * (1.0 - huygens_math::trig::cos(5f64.to_radians()))
        }
        _ => 0.0,
    }
}

/// A pair seen from a world in which A stands at `pose`.
pub fn in_world(pair: &Pair, pose: &Pose) -> [Pose; 2] {
    [*pose, *pose * pair.b_in_a]
}

/// Length that a pose of the pair is measured by.
pub fn reach(pair: &Pair) -> f64 {
    let of = |s: &CollisionShape| smaller(s.bounding_radius(), 1e300);
    smaller(of(&pair.a), of(&pair.b))
}
