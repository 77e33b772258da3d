//! How fast contact manifolds are made, side by side with parry3d-f64 in one run.
//!
//! Run with `cargo run --release -p huygens-geometry --example speed`.
//!
//! Both get the same 250 configurations per pair of shapes, most of them touching, and both are cold: parry gets an
//! empty list of manifolds and no workspace with every call. Rounds alternate between the two, and the median round
//! counts, so that a change of the machine's speed meets both. A ratio above 1 says that ours is faster.
//!
//! The cached update is compared with our own cold call a moment later. Two spheres are an exception by nature: their
//! cold call is one square root, and nothing that checks poses first can be cheaper.

use huygens_geometry::{Carried, CollisionShape, Manifold, collide};
use huygens_math::{Pose, SplitMix, Vec3, trig};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, SharedShape};
use std::hint::black_box;
use std::time::Instant;

const CASES: usize = 250;

/// Passes over the configurations in a round: few configurations many times, so that it is not memory that is timed.
const PASSES: usize = 8;
const ROUNDS: usize = 31;

/// Below this a cold call is as cheap as it gets, and no update of it can be a third [ns].
const CHEAP: f64 = 50.0;

/// Largest gap that is reported, in parts of the smaller shape's size.
const MARGIN: f64 = 0.02;

struct Case {
    a: CollisionShape,
    b: CollisionShape,
    b_in_a: Pose,
    margin: f64,
    /// The pose a moment later, for the cached update.
    later: Pose,
    theirs: [SharedShape; 2],
    their_pose: ParryPose,
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn their_shape(shape: &CollisionShape) -> SharedShape {
    match shape {
        CollisionShape::Sphere(s) => SharedShape::new(Ball::new(s.radius)),
        CollisionShape::Capsule(s) => SharedShape::new(Capsule::new_z(s.half_length, s.radius)),
        CollisionShape::Box(s) => SharedShape::new(Cuboid::new(vector(s.half))),
        CollisionShape::Hull(s) => {
            let points: Vec<Vector> = s.vertices().iter().map(|&v| vector(v)).collect();
            SharedShape::new(ConvexPolyhedron::from_convex_hull(&points).expect("a hull for parry"))
        }
        _ => unreachable!("not in this table"),
    }
}

fn shape(kind: &str, r: &mut SplitMix) -> CollisionShape {
    match kind {
        "sphere" => CollisionShape::sphere(r.range(0.3, 0.6)),
        "capsule" => CollisionShape::capsule(r.range(0.2, 0.4), r.range(0.4, 1.0)),
        "box" => CollisionShape::cuboid(Vec3::new(r.range(0.6, 1.4), r.range(0.6, 1.4), r.range(0.6, 1.4))),
        _ => {
            let points: Vec<Vec3> = (0..8 + r.index(13)).map(|_| r.direction() * r.range(0.4, 0.7)).collect();
            CollisionShape::hull(&points)
        }
    }
    .expect("sizes are in range")
}

/// Resting and colliding neighbours: B beside A along a random direction, a little apart or into each other; half of
/// them nearly flat on each other.
fn case(kinds: [&str; 2], r: &mut SplitMix) -> Case {
    let (a, b) = (shape(kinds[0], r), shape(kinds[1], r));
    let size = huygens_math::scalar::min(a.size(), b.size());
    let margin = MARGIN * size;
    let flat = r.unit() < 0.5;
    let rotation = if flat { trig::rotation_vector(r.in_cube() * 2e-3) } else { r.rotation() };
    let towards = if flat { Vec3::AXES[r.index(3)] } else { r.direction() };
    // Slide B in until it touches as deeply as wanted: bisection on the distance between the centres.
    let wanted = size * r.range(-0.05, 0.01);
    let at = |distance: f64| Pose::new(rotation, towards * distance);
    let gap = |distance: f64| {
        huygens_geometry::query::separation(&a, &Pose::IDENTITY, &b, &at(distance)).expect("bounded").gap
    };
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if gap(middle) > wanted {
            high = middle;
        } else {
            low = middle;
        }
    }
    let b_in_a = at(high);
    let turn = trig::rotation_vector(r.in_cube() * 1e-5);
    let later = Pose::new((turn * rotation).normalize(), b_in_a.translation + r.in_cube() * (1e-5 * size));
    let (t, q) = (b_in_a.translation, b_in_a.rotation);
    let their_pose = ParryPose::from_parts(vector(t), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
    let theirs = [their_shape(&a), their_shape(&b)];
    Case { a, b, b_in_a, margin, later, theirs, their_pose }
}

/// Time per case of one round [ns].
fn time(cases: &[Case], mut once: impl FnMut(usize, &Case)) -> f64 {
    let start = Instant::now();
    for _ in 0..PASSES {
        for (i, case) in cases.iter().enumerate() {
            once(i, case);
        }
    }
    start.elapsed().as_nanos() as f64 / (PASSES * cases.len()) as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    println!("{CASES} configurations per pair, median of {ROUNDS} alternating rounds, ns per call");
    println!(
        "{:<14} {:>9} {:>7} {:>9} {:>7} {:>7} {:>9} {:>7} {:>10}",
        "pair", "touching", "points", "cold", "parry", "ratio", "refreshed", "ratio", "refreshes"
    );
    let mut good = true;
    for kinds in [["sphere", "sphere"], ["capsule", "box"], ["box", "box"], ["hull", "hull"]] {
        good &= compare(kinds);
    }
    println!(
        "goal: parry / cold ≥ 1, and cold / refreshed ≥ 3 where a cold call takes more than {CHEAP} ns: {}",
        if good { "met" } else { "missed" }
    );
}

fn compare(kinds: [&str; 2]) -> bool {
    let mut r = SplitMix::new(9);
    let cases: Vec<Case> = (0..CASES).map(|_| case(kinds, &mut r)).collect();
    let mut out: Vec<Manifold> = Vec::with_capacity(4);
    let mut kept: Vec<Option<Manifold>> = Vec::new();
    for c in &cases {
        out.clear();
        collide(&c.a, &c.b, &c.b_in_a, c.margin, &mut out);
        kept.push(out.first().copied());
    }
    let touching = kept.iter().flatten().count();
    let points: usize = kept.iter().flatten().map(|m| m.points().len()).sum();
    let size = |c: &Case| c.margin / MARGIN;
    // Only what can be refreshed counts in the last comparison: a refusal is cheap, and costs a cold call on top.
    let mut refreshes = 0;
    for (c, m) in cases.iter().zip(&mut kept) {
        *m = m.filter(|m| m.carried(&c.b_in_a, &c.later, [size(c), 1.0], &mut Carried::default()));
        refreshes += usize::from(m.is_some());
    }
    let [mut cold, mut parry, mut again, mut fresh] = [const { Vec::<f64>::new() }; 4];
    for _ in 0..ROUNDS {
        cold.push(time(&cases, |_, c| {
            out.clear();
            collide(&c.a, &c.b, black_box(&c.b_in_a), c.margin, &mut out);
            black_box(&out);
        }));
        parry.push(time(&cases, |_, c| {
            let mut list: Vec<ContactManifold<(), ()>> = Vec::new();
            let pose = black_box(&c.their_pose);
            let [a, b] = &c.theirs;
            let answer =
                DefaultQueryDispatcher.contact_manifolds(pose, &**a, &**b, c.margin, &mut list, &mut None);
            let _ = black_box((answer, list));
        }));
        // The same moment later, made anew and refreshed, where there is something to refresh.
        again.push(time(&cases, |i, c| {
            if kept[i].is_some() {
                out.clear();
                collide(&c.a, &c.b, black_box(&c.later), c.margin, &mut out);
                black_box(&out);
            }
        }));
        fresh.push(time(&cases, |i, c| {
            if let Some(m) = &kept[i] {
                let mut carried = Carried::default();
                black_box(m.carried(&c.b_in_a, black_box(&c.later), [size(c), 1.0], &mut carried));
                black_box(&carried);
            }
        }));
    }
    let share = refreshes as f64 / CASES as f64;
    let (cold, parry) = (median(cold), median(parry));
    let (again, fresh) = (median(again) / share, median(fresh) / share);
    println!(
        "{:<14} {:>8.1}% {:>7.2} {:>9.1} {:>7.1} {:>7.2} {:>9.1} {:>7.2} {:>9.1}%",
        kinds.join("-"),
        100.0 * touching as f64 / CASES as f64,
        points as f64 / touching as f64,
        cold,
        parry,
        parry / cold,
        fresh,
        again / fresh,
        100.0 * refreshes as f64 / touching as f64
    );
    parry >= cold && (again >= 3.0 * fresh || again < CHEAP)
}
