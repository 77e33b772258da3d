//! Time of one separation between convex shapes, side by side with parry3d-f64 in the same run.
//!
//! Run with `cargo bench -p huygens-geometry --bench separation`.

use huygens_geometry::gjk::separation;
use huygens_geometry::shape::Cuboid;
use huygens_geometry::support::{Support, SupportPoint};
use huygens_math::{Pose, SplitMix, Vec3};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::details::contact_support_map_support_map;
use parry3d_f64::shape::{ConvexPolyhedron, Cuboid as ParryBox, SupportMap};
use std::hint::black_box;
use std::time::Instant;

struct Cloud(Vec<Vec3>);
impl Support for Cloud {
    fn support(&self, d: Vec3) -> SupportPoint {
        let mut best = 0;
        let mut farthest = f64::NEG_INFINITY;
        for (i, vertex) in self.0.iter().enumerate() {
            let along = vertex.dot(d);
            if along > farthest {
                farthest = along;
                best = i;
            }
        }
        SupportPoint { point: self.0[best], feature: best as u32 }
    }
    fn radius(&self) -> f64 {
        0.0
    }
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }
    fn extent(&self) -> f64 {
        1.0
    }
}

const CASES: usize = 2000;
const ROUNDS: usize = 9;

fn to_parry(p: &Pose) -> ParryPose {
    let (t, q) = (p.translation, p.rotation);
    ParryPose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// Shortest time per case over some rounds [ns].
fn time(mut once: impl FnMut(usize)) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for i in 0..CASES {
            once(i);
        }
        let ns = start.elapsed().as_nanos() as f64 / CASES as f64;
        if ns < least {
            least = ns;
        }
    }
    least
}

fn compare<S: Support, P: SupportMap>(name: &str, ours: &[(S, S)], theirs: &[(P, P)], poses: &[Pose]) {
    let parry: Vec<_> = poses.iter().map(to_parry).collect();
    let mut overlaps = 0;
    let mut differ = 0;
    for i in 0..CASES {
        let s = separation(&ours[i].0, &ours[i].1, &poses[i]);
        if s.gap < 0.0 {
            overlaps += 1;
        }
        let c = contact_support_map_support_map(&parry[i], &theirs[i].0, &theirs[i].1, f64::MAX);
        if c.is_none_or(|c| (c.dist - s.gap).abs() > 1e-6) {
            differ += 1;
        }
    }
    let a = time(|i| {
        black_box(separation(&ours[i].0, &ours[i].1, black_box(&poses[i])));
    });
    let b = time(|i| {
        black_box(contact_support_map_support_map(
            black_box(&parry[i]),
            &theirs[i].0,
            &theirs[i].1,
            f64::MAX,
        ));
    });
    println!(
        "{name:<28} overlap {:>3} %  huygens {a:>7.0} ns  parry {b:>7.0} ns  ratio {:.2}  differ {differ}",
        100 * overlaps / CASES,
        b / a
    );
}

fn main() {
    let mut r = SplitMix::new(1);
    for (what, reach) in [("apart", 3.5), ("touching", 1.75), ("overlapping", 0.6), ("centred", 0.0)] {
        let poses: Vec<Pose> = (0..CASES)
            .map(|_| {
                let rot = r.rotation();
                Pose::new(rot, r.direction() * reach)
            })
            .collect();
        for n in [8, 16, 32] {
            let cloud = |r: &mut SplitMix| (0..n).map(|_| r.direction()).collect::<Vec<_>>();
            let clouds: Vec<_> = (0..CASES).map(|_| (cloud(&mut r), cloud(&mut r))).collect();
            let theirs: Vec<_> = clouds
                .iter()
                .map(|(a, b)| {
                    let make = |c: &Vec<Vec3>| {
                        let v: Vec<_> = c.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
                        ConvexPolyhedron::from_convex_hull(&v).unwrap()
                    };
                    (make(a), make(b))
                })
                .collect();
            let ours: Vec<_> = clouds.into_iter().map(|(a, b)| (Cloud(a), Cloud(b))).collect();
            compare(&format!("hull {n} {what}"), &ours, &theirs, &poses);
        }
        let half = |r: &mut SplitMix| Vec3::new(r.range(0.3, 1.0), r.range(0.3, 1.0), r.range(0.3, 1.0));
        let ours: Vec<_> =
            (0..CASES).map(|_| (Cuboid { half: half(&mut r) }, Cuboid { half: half(&mut r) })).collect();
        let theirs: Vec<_> = ours
            .iter()
            .map(|(a, b)| {
                let make = |c: &Cuboid| ParryBox::new(Vector::new(c.half.x, c.half.y, c.half.z));
                (make(a), make(b))
            })
            .collect();
        compare(&format!("box {what}"), &ours, &theirs, &poses);
    }
}
