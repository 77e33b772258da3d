//! Time of one separation between convex shapes, side by side with parry3d-f64 in the same run.
//!
//! Run with `cargo bench -p huygens-geometry --bench separation [-- PART_OF_A_NAME]`.

use huygens_geometry::gjk::separation;
use huygens_geometry::shape::{Cuboid, Cylinder, Hull};
use huygens_geometry::support::Support;
use huygens_math::{Pose, SplitMix, Vec3, scalar};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::details::contact_support_map_support_map;
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid as ParryBox, Cylinder as ParryCylinder, SupportMap};
use std::hint::black_box;
use std::time::Instant;

const CASES: usize = 2000;
const BATCH: usize = 50;
const ROUNDS: usize = 40;

/// Distance of the centres, in units of the shapes' radius.
const DISTANCES: [(&str, f64); 4] =
    [("apart", 3.5), ("touching", 1.75), ("overlapping", 0.6), ("centred", 0.0)];

fn main() {
    let mut r = SplitMix::new(1);
    for (what, distance) in DISTANCES {
        let poses = placed(&mut r, distance);
        for n in [8, 16, 32] {
            let (ours, theirs) = pairs(|| hull(&mut r, n));
            compare(&format!("hull {n} {what}"), &ours, &theirs, &poses);
        }
        let (ours, theirs) = pairs(|| cuboid(&mut r));
        compare(&format!("box {what}"), &ours, &theirs, &poses);
        let (ours, theirs) = pairs(|| cylinder(&mut r));
        compare(&format!("cylinder {what}"), &ours, &theirs, &poses);
    }
}

fn placed(r: &mut SplitMix, distance: f64) -> Vec<Pose> {
    let mut pose = || {
        let rotation = r.rotation();
        Pose::new(rotation, r.direction() * distance)
    };
    (0..CASES).map(|_| pose()).collect()
}

/// Pairs of ours and, shape by shape, theirs.
fn pairs<S, P>(mut make: impl FnMut() -> (S, P)) -> (Vec<[S; 2]>, Vec<[P; 2]>) {
    let mut both = (Vec::new(), Vec::new());
    for _ in 0..CASES {
        let ((a, c), (b, d)) = (make(), make());
        both.0.push([a, b]);
        both.1.push([c, d]);
    }
    both
}

fn hull(r: &mut SplitMix, n: usize) -> (Hull, ConvexPolyhedron) {
    let points: Vec<Vec3> = (0..n).map(|_| r.direction()).collect();
    let theirs: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    (Hull::new(&points).expect("a solid"), ConvexPolyhedron::from_convex_hull(&theirs).expect("a solid"))
}

fn cuboid(r: &mut SplitMix) -> (Cuboid, ParryBox) {
    let half = Vec3::new(r.range(0.3, 1.0), r.range(0.3, 1.0), r.range(0.3, 1.0));
    (Cuboid { half }, ParryBox::new(Vector::new(half.x, half.y, half.z)))
}

/// Theirs lies along y, so it is not the same pair, but as hard.
fn cylinder(r: &mut SplitMix) -> (Cylinder, ParryCylinder) {
    let (radius, half_length) = (r.range(0.3, 1.0), r.range(0.3, 1.0));
    (Cylinder { radius, half_length }, ParryCylinder::new(half_length, radius))
}

fn compare<S: Support, P: SupportMap>(name: &str, ours: &[[S; 2]], theirs: &[[P; 2]], poses: &[Pose]) {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if wanted.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let parry: Vec<ParryPose> = poses
        .iter()
        .map(|p| {
            let (t, q) = (p.translation, p.rotation);
            ParryPose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
        })
        .collect();
    let ours_at = |i: usize| separation(&ours[i][0], &ours[i][1], black_box(&poses[i]));
    let theirs_at = |i: usize| {
        contact_support_map_support_map(black_box(&parry[i]), &theirs[i][0], &theirs[i][1], f64::MAX)
    };
    let overlaps = (0..CASES).filter(|&i| ours_at(i).gap < 0.0).count();
    let differ =
        (0..CASES).filter(|&i| theirs_at(i).is_none_or(|c| (c.dist - ours_at(i).gap).abs() > 1e-6)).count();
    let (mut huygens, mut parry) = (0.0, 0.0);
    for first in (0..CASES).step_by(BATCH) {
        let batch = first..first + BATCH;
        // In turns, so that both meet the same load of the machine; the fastest of many, so that neither meets any.
        let (mut fast, mut fast_parry) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            fast = scalar::min(fast, time(batch.clone().map(ours_at)));
            fast_parry = scalar::min(fast_parry, time(batch.clone().map(theirs_at)));
        }
        huygens += fast / CASES as f64;
        parry += fast_parry / CASES as f64;
    }
    println!(
        "{name:<22} overlapping {:>3} %  huygens {huygens:>6.0} ns  parry {parry:>6.0} ns  ratio {:.2}  differ {differ}",
        100 * overlaps / CASES,
        parry / huygens
    );
}

/// Time to go through all answers [ns].
fn time<T>(answers: impl Iterator<Item = T>) -> f64 {
    let start = Instant::now();
    answers.for_each(|answer| {
        black_box(answer);
    });
    start.elapsed().as_nanos() as f64
}
