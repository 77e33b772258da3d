//! Distances and depths against parry3d-f64, for every pair of kinds that both know.
//!
//! Where the two differ, the support function decides: the separation along a unit vector m, the least m·x on A less
//! the largest on B, never exceeds the true gap, and reaches it for the right m. So an answer that some direction beats
//! is too low, and one that its own normal does not reach is too high.

use huygens_geometry::CollisionShape;
use huygens_geometry::query::separation;
use huygens_geometry::shape::Hull;
use huygens_math::{Pose, SplitMix, Vec3, scalar, trig};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{Contact, contact};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, Shape as ParryShape};
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

const PER_PAIR: usize = 5_000;
const KINDS: [&str; 6] = ["ball", "capsule", "box", "cylinder", "hull", "half-space"];

/// A shape in both libraries, and how theirs is turned against ours (their cylinder stands along y).
struct Both {
    ours: CollisionShape,
    theirs: Box<dyn ParryShape>,
    turn: Pose,
    /// Radius of a ball or capsule.
    radius: f64,
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn back(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

fn make(kind: &str, r: &mut SplitMix) -> Both {
    let (x, y, z) = (r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0));
    let solid = "made of valid lengths";
    let (ours, theirs): (CollisionShape, Box<dyn ParryShape>) = match kind {
        "ball" => (CollisionShape::sphere(x).expect(solid), Box::new(Ball::new(x))),
        "capsule" => (CollisionShape::capsule(x, 2.0 * y).expect(solid), Box::new(Capsule::new_z(y, x))),
        "box" => {
            let half = Vec3::new(x, y, z);
            (CollisionShape::cuboid(half * 2.0).expect(solid), Box::new(Cuboid::new(vector(half))))
        }
        "cylinder" => (CollisionShape::cylinder(x, 2.0 * y).expect(solid), Box::new(Cylinder::new(y, x))),
        "hull" => {
            let points: Vec<Vec3> = (0..6 + r.index(20)).map(|_| r.direction() * x).collect();
            let theirs: Vec<Vector> = points.iter().map(|&p| vector(p)).collect();
            let hull = ConvexPolyhedron::from_convex_hull(&theirs).expect("points on a sphere span a solid");
            (CollisionShape::hull(&points).expect(solid), Box::new(hull))
        }
        _ => (CollisionShape::HalfSpace, Box::new(HalfSpace::new(Vector::Z))),
    };
    let turn =
        if kind == "cylinder" { trig::axis_angle(Vec3::X, FRAC_PI_2) } else { huygens_math::Quat::IDENTITY };
    let radius = if matches!(kind, "ball" | "capsule") { x } else { 0.0 };
    Both { ours, theirs, turn: Pose::new(turn, Vec3::ZERO), radius }
}

impl Both {
    fn their_pose(&self, pose: &Pose) -> ParryPose {
        let p = *pose * self.turn;
        let q = p.rotation;
        ParryPose::from_parts(vector(p.translation), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
    }

    /// max u·x over the placed shape, by formulas of its own; infinite where a half-space is solid.
    fn reach(&self, pose: &Pose, u: Vec3) -> f64 {
        let d = pose.inverse_rotate(u);
        let own = match &self.ours {
            CollisionShape::Sphere(_) => self.radius,
            CollisionShape::Capsule(s) => s.half_length * d.z.abs() + self.radius,
            CollisionShape::Box(s) => s.half.x * d.x.abs() + s.half.y * d.y.abs() + s.half.z * d.z.abs(),
            CollisionShape::Cylinder(s) => {
                s.radius * (d.x * d.x + d.y * d.y).sqrt() + s.half_length * d.z.abs()
            }
            CollisionShape::Hull(hull) => {
                corners(hull).fold(f64::NEG_INFINITY, |most, v| scalar::max(most, v.dot(d)))
            }
            _ if d.z > 1.0 - 1e-15 => 0.0,
            _ => f64::INFINITY,
        };
        own + u.dot(pose.translation)
    }
}

fn corners(hull: &Hull) -> impl Iterator<Item = Vec3> + '_ {
    hull.vertices().iter().copied()
}

/// Separation along m, from B to A.
fn along(a: &Both, pose_a: &Pose, b: &Both, pose_b: &Pose, m: Vec3) -> f64 {
    -a.reach(pose_a, -m) - b.reach(pose_b, m)
}

/// Largest separation that a sweep from some directions, refined, finds.
fn sweep(a: &Both, pose_a: &Pose, b: &Both, pose_b: &Pose, starts: &[Vec3], r: &mut SplitMix) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for &start in starts {
        let (mut m, mut best, mut step) = (start, along(a, pose_a, b, pose_b, start), 0.3);
        for _ in 0..300 {
            let trial = (m + r.direction() * step).normalize();
            let gap = along(a, pose_a, b, pose_b, trial);
            if gap > best {
                (m, best) = (trial, gap);
                step *= 1.6;
            } else {
                step *= 0.93;
            }
        }
        most = scalar::max(most, best);
    }
    most
}

/// Why parry's answer is not ours, when ours stands.
fn class(theirs: Option<Contact>, gap: f64, reached: f64) -> &'static str {
    match theirs {
        None => "parry gives none",
        Some(c) if c.dist < gap => "parry's gap is too low: our normal parts the shapes by more",
        Some(c) if reached < 0.5 * (c.dist + gap) => {
            "parry's gap is too high: its own normal does not part them by it"
        }
        Some(_) => "unexplained",
    }
}

#[test]
fn distances_and_depths_agree_with_parry() {
    let mut r = SplitMix::new(2024);
    let mut total = 0;
    let mut exceptions = BTreeMap::<(String, &str), usize>::new();
    let mut worst = 0.0;
    for (i, kind_a) in KINDS.iter().enumerate() {
        for kind_b in &KINDS[..=i] {
            if *kind_b == "half-space" {
                continue;
            }
            for k in 0..PER_PAIR {
                let (a, b) = (make(kind_a, &mut r), make(kind_b, &mut r));
                let pose_a = Pose::new(r.rotation(), Vec3::ZERO);
                // One in fifty concentric, where parry is most often wrong.
                let reach = if k % 50 == 0 { 0.0 } else { [0.3, 1.0, 1.0, 2.0][k % 4] };
                let pose_b = Pose::new(r.rotation(), r.in_cube() * reach);
                let s = separation(&a.ours, &pose_a, &b.ours, &pose_b).expect("one is bounded");
                let theirs =
                    contact(&a.their_pose(&pose_a), &*a.theirs, &b.their_pose(&pose_b), &*b.theirs, 1e3)
                        .expect("both kinds are supported");
                total += 1;
                // Relative to the gap, and where that is less than 1e-3 of the size, to that.
                let scale = 1e-6 * scalar::max(s.gap.abs(), 1e-3);
                if let Some(c) = theirs
                    && (c.dist - s.gap).abs() <= scale
                {
                    worst = scalar::max(worst, (c.dist - s.gap).abs());
                    continue;
                }
                // Ours stands: its normal reaches it, and no direction does better.
                let ours = along(&a, &pose_a, &b, &pose_b, s.normal);
                let pair = format!("{kind_a}–{kind_b}");
                if *kind_a != "half-space" {
                    assert!((ours - s.gap).abs() < 1e-9, "{pair}: {s:?} reaches {ours}");
                    let starts = [
                        s.normal,
                        r.direction(),
                        r.direction(),
                        r.direction(),
                        theirs.map_or(Vec3::X, |c| -back(c.normal1)),
                    ];
                    let best = sweep(&a, &pose_a, &b, &pose_b, &starts, &mut r);
                    assert!(best <= s.gap + 1e-9, "{pair}: {s:?}, the sweep finds {best}");
                }
                let reached = theirs.map_or(0.0, |c| along(&a, &pose_a, &b, &pose_b, -back(c.normal1)));
                *exceptions.entry((pair, class(theirs, s.gap, reached))).or_default() += 1;
            }
        }
    }
    println!("{total} configurations, {PER_PAIR} of each pair; those that agree do within {worst:.1e} m");
    let mut all = 0;
    for ((pair, why), count) in &exceptions {
        println!("  {count:>5} {pair}: {why}");
        all += count;
        assert_ne!(*why, "unexplained", "{pair}");
    }
    assert!(total >= 100_000);
    assert!(all * 100 <= total, "{all} exceptions");
}
