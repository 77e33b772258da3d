//! Time of one manifold, cold, side by side with parry3d-f64's cold call in the same run; and of our cached update.
//!
//! Run with `cargo bench -p huygens-geometry --bench manifold [-- PART_OF_A_NAME]`. Both are asked for the same pairs in
//! the same poses: shapes lying on each other (the common case in a pile), and random poses of pairs that touch or
//! overlap. Parry's manifold is either new for each call, so that it allocates, or emptied before each call, so that it
//! does not; in both cases it reuses no contacts.

use huygens_geometry::{Carried, CollisionShape, Manifold, collide, query};
use huygens_math::{Pose, SplitMix, Vec3, trig};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::ContactManifold;
use parry3d_f64::query::details::{
    contact_manifold_ball_ball, contact_manifold_capsule_capsule, contact_manifold_cuboid_cuboid,
    contact_manifold_pfm_pfm,
};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid};
use std::hint::black_box;
use std::time::Instant;

const CASES: usize = 200;
const ROUNDS: usize = 200;
const MARGIN: f64 = 0.02;

type Theirs = ContactManifold<(), ()>;

fn main() {
    println!(
        "{:26}{:>10}{:>10}{:>8}{:>12}{:>8}",
        "nanoseconds", "ours", "parry", "ratio", "refreshed", "ratio"
    );
    let mut r = SplitMix::new(1);
    for what in ["resting", "touching", "deep"] {
        run(&format!("box-box {what}"), &mut r, cuboid, cuboid, |p, a, b, m| {
            contact_manifold_cuboid_cuboid(p, a, b, MARGIN, m);
        });
        run(&format!("hull-hull {what}"), &mut r, hull, hull, |p, a, b, m| {
            contact_manifold_pfm_pfm(p, a, 0.0, None, b, 0.0, None, MARGIN, m);
        });
        run(&format!("box-capsule {what}"), &mut r, cuboid, capsule, |p, a, b, m| {
            contact_manifold_pfm_pfm(p, a, 0.0, None, &b.segment, b.radius, None, MARGIN, m);
        });
        run(&format!("capsule-capsule {what}"), &mut r, capsule, capsule, |p, a, b, m| {
            contact_manifold_capsule_capsule(p, a, b, MARGIN, m);
        });
        run(&format!("sphere-sphere {what}"), &mut r, sphere, sphere, |p, a, b, m| {
            contact_manifold_ball_ball(p, a, b, MARGIN, m);
        });
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn cuboid(r: &mut SplitMix) -> (CollisionShape, Cuboid) {
    let half = Vec3::new(r.range(0.3, 1.0), r.range(0.3, 1.0), r.range(0.3, 1.0));
    (CollisionShape::cuboid(2.0 * half).expect("good sizes"), Cuboid::new(vector(half)))
}

fn sphere(r: &mut SplitMix) -> (CollisionShape, Ball) {
    let radius = r.range(0.3, 1.0);
    (CollisionShape::sphere(radius).expect("good sizes"), Ball::new(radius))
}

fn capsule(r: &mut SplitMix) -> (CollisionShape, Capsule) {
    let (radius, half) = (r.range(0.3, 1.0), r.range(0.3, 1.0));
    (CollisionShape::capsule(radius, 2.0 * half).expect("good sizes"), Capsule::new_z(half, radius))
}

fn hull(r: &mut SplitMix) -> (CollisionShape, ConvexPolyhedron) {
    let count = 8 + r.index(17);
    let points: Vec<Vec3> = (0..count).map(|_| r.direction()).collect();
    let theirs: Vec<Vector> = points.iter().map(|&p| vector(p)).collect();
    (
        CollisionShape::hull(&points).expect("a solid"),
        ConvexPolyhedron::from_convex_hull(&theirs).expect("a solid"),
    )
}

struct Case<A, B> {
    ours: [CollisionShape; 2],
    theirs: (A, B),
    pose: Pose,
    parry: ParryPose,
}

fn run<A, B>(
    name: &str,
    r: &mut SplitMix,
    make_a: impl Fn(&mut SplitMix) -> (CollisionShape, A),
    make_b: impl Fn(&mut SplitMix) -> (CollisionShape, B),
    parry: impl Fn(&ParryPose, &A, &B, &mut Theirs),
) {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if wanted.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let cases: Vec<Case<A, B>> = (0..CASES)
        .map(|_| {
            let ((a, c), (b, d)) = (make_a(r), make_b(r));
            let pose = place(name, &a, &b, r);
            let q = pose.rotation;
            let rotation = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
            let parry = ParryPose::from_parts(vector(pose.translation), rotation);
            Case { ours: [a, b], theirs: (c, d), pose, parry }
        })
        .collect();
    let kept: Vec<(Manifold, Pose, Pose, f64)> = cases.iter().filter_map(kept).collect();
    let mut out: Vec<Manifold> = Vec::with_capacity(8);
    let mut theirs = Theirs::new();
    let mut updated = Carried::default();
    let mut least = [f64::INFINITY; 4];
    // In turn, so that what else the machine does falls on all alike.
    for _ in 0..ROUNDS {
        let ours = nanoseconds(|| {
            for case in &cases {
                out.clear();
                collide(&case.ours[0], &case.ours[1], &case.pose, MARGIN, &mut out);
                black_box(&out);
            }
        });
        let emptied = nanoseconds(|| {
            for case in &cases {
                theirs.clear();
                parry(&case.parry, &case.theirs.0, &case.theirs.1, &mut theirs);
                black_box(&theirs);
            }
        });
        let fresh = nanoseconds(|| {
            for case in &cases {
                let mut theirs = Theirs::new();
                parry(&case.parry, &case.theirs.0, &case.theirs.1, &mut theirs);
                black_box(&theirs);
            }
        });
        let refreshed = nanoseconds(|| {
            for (m, made_at, now, size) in &kept {
                black_box(m.carried(made_at, now, [*size, 1.0], &mut updated));
                black_box(&updated);
            }
        });
        for (least, now) in least.iter_mut().zip([ours, emptied, fresh, refreshed]) {
            *least = huygens_math::scalar::min(*least, now);
        }
    }
    let [ours, emptied, fresh, refreshed] = least.map(|x| x / CASES as f64);
    let refreshed = refreshed * CASES as f64 / kept.len().max(1) as f64;
    println!(
        "{name:26}{ours:>8.1}{fresh:>12.1}{:>8.2}{emptied:>16.1}{:>8.2}{refreshed:>12.1}{:>8.2}",
        ours / fresh,
        ours / emptied,
        refreshed / ours
    );
}

/// A manifold of the case with a pose a little further on.
fn kept<A, B>(case: &Case<A, B>) -> Option<(Manifold, Pose, Pose, f64)> {
    let mut out = Vec::new();
    collide(&case.ours[0], &case.ours[1], &case.pose, MARGIN, &mut out);
    let m = *out.first()?;
    let size = huygens_math::scalar::min(case.ours[0].size(), case.ours[1].size());
    let turn = trig::axis_angle(Vec3::Y, 1e-7);
    let now = Pose::new(turn * case.pose.rotation, case.pose.translation + Vec3::X * (1e-7 * size));
    let is_kept = m.carried(&case.pose, &now, [size, 1.0], &mut Carried::default());
    is_kept.then_some((m, case.pose, now, size))
}

/// Resting: B's z face over A's z face, nearly flat and a little off centre. Else random. The gap is −1e-3 of
/// the smaller shape, or −0.2.
fn place(name: &str, a: &CollisionShape, b: &CollisionShape, r: &mut SplitMix) -> Pose {
    let gap =
        if name.ends_with("deep") { -0.2 } else { -1e-3 } * huygens_math::scalar::min(a.size(), b.size());
    let (rotation, direction) = if name.ends_with("resting") {
        let lying = name.contains("capsule");
        let flat = if lying {
            trig::axis_angle(Vec3::Y, std::f64::consts::FRAC_PI_2)
        } else {
            Pose::IDENTITY.rotation
        };
        let tilt =
            trig::rotation_vector(Vec3::new(r.range(-1e-3, 1e-3), r.range(-1e-3, 1e-3), r.range(-3.0, 3.0)));
        (tilt * flat, Vec3::new(r.range(-0.1, 0.1), r.range(-0.1, 0.1), 1.0).normalize())
    } else {
        (r.rotation(), r.direction())
    };
    let apart = |t: f64| {
        let pose = Pose::new(rotation, direction * t);
        query::separation(a, &Pose::IDENTITY, b, &pose).map_or(0.0, |s| s.gap)
    };
    let (mut low, mut high) = (0.0, a.bounding_radius() + b.bounding_radius());
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if apart(middle) > gap { high = middle } else { low = middle }
    }
    Pose::new(rotation, direction * low)
}

fn nanoseconds(round: impl FnOnce()) -> f64 {
    let start = Instant::now();
    round();
    start.elapsed().as_nanos() as f64
}
