//! The cheap update of a kept manifold errs by no more than 1e-4 of the smaller shape against a manifold made anew.
//!
//! Where the new one has the same features, the least gap must agree to that (where an edge crosses another at a small
//! angle the crossing slides along both, and its own gap with it; the kept point stays on the edges). Where it has others (another face won within
//! the face-bias band, a corner came over an edge), the kept one must still say the true depth to within
//! two bands: one that it had when it was made, and one for what moved since. Walls are left out of that: which side
//! of a wall a shape is pushed to is not a matter of depth.

use crate::peer::manifold::contact;
use crate::peer::oracle::{larger, smaller};
use crate::peer::sample::{Kind, Pair, Turn, beside, random};
use huygens_geometry::narrowphase::{FACE_BAND_OF_DEPTH, FACE_BAND_OF_SIZE};
use huygens_geometry::{Carried, CollisionShape, FeatureId, Manifold, collide, query};
use huygens_math::{Pose, SplitMix, Vec3, trig};

/// The bound that the issue states, in parts of the smaller shape's size.
const BOUND: f64 = 1e-4;

const PER_PAIR: usize = 1000;

/// B resting on or beside A: flat on each other in three of four cases.
fn resting(kinds: [Kind; 2], r: &mut SplitMix) -> Pair {
    let (a, b) = (kinds[0].shape(r, 1.0), kinds[1].shape(r, 1.0));
    let size = smaller(a.size(), b.size());
    let half = match &a {
        CollisionShape::BoxInside(s) => Some(s.half),
        CollisionShape::CylinderInside(s) => Some(Vec3::new(s.radius, s.radius, s.half_length)),
        _ => None,
    };
    let turn = Turn::ALL[r.index(4)];
    match half {
        Some(half) => Pair { b_in_a: Pose::new(turn.rotation(r), r.in_cube() * half), a, b },
        None => beside(a, b, size * r.range(-0.05, 0.01), turn, r),
    }
}

/// The pose a little later: turned by up to `most` about the contact and moved by up to `most` sizes.
fn later(pair: &Pair, m: &Manifold, most: f64, r: &mut SplitMix) -> Pose {
    let about = m.points()[0].on_a;
    let turn = trig::rotation_vector(r.direction() * r.range(0.0, most));
    let moved = pair.b_in_a.translation - about;
    let step = r.direction() * (r.range(0.0, most) * pair.size());
    Pose::new((turn * pair.b_in_a.rotation).normalize(), about + turn * moved + step)
}

#[derive(Default)]
struct Tally {
    tried: usize,
    kept: usize,
    /// New ones with the same features.
    same: usize,
    /// Largest error of the least gap with the same features, in sizes.
    worst: f64,
    /// Largest distance from the truth with other features, in bands.
    other: f64,
    faults: Vec<String>,
}

/// True when the points of both carry the same names, each once, and the normals are those of the same feature.
fn same_features(a: &Manifold, normal: Vec3, b: &Manifold) -> bool {
    let names = |m: &Manifold| {
        let mut names: Vec<FeatureId> = m.points().iter().map(|p| p.feature).collect();
        names.sort();
        names
    };
    let (of_a, of_b) = (names(a), names(b));
    of_a == of_b && of_a.windows(2).all(|w| w[0] != w[1]) && trig::angle_between(normal, b.normal) < 0.02
}

fn tally(kinds: [Kind; 2], most: f64, r: &mut SplitMix) -> Tally {
    let mut t = Tally::default();
    for _ in 0..PER_PAIR {
        let pair = resting(kinds, r);
        let size = pair.size();
        for m in contact(&pair) {
            let pose = later(&pair, &m, most, r);
            t.tried += 1;
            let mut kept = Carried::default();
            if !m.carried(&pair.b_in_a, &pose, [size, 1.0], &mut kept) {
                continue;
            }
            let kept_gap = kept.least_gap(m.points().len());
            t.kept += 1;
            let moved = Pair { b_in_a: pose, ..pair.clone() };
            let anew = contact(&moved);
            let Some(new) = anew.iter().find(|n| n.sub_shape == m.sub_shape) else {
                // Gone: every kept gap must be at the margin.
                if kept_gap < (0.02 - BOUND) * size {
                    t.faults.push(format!("gone: {kept:?} {m:?} {pair:?} {pose:?}"));
                }
                continue;
            };
            if same_features(&m, kept.normal, new) {
                t.same += 1;
                let error = (kept_gap - new.gap()).abs() / size;
                t.worst = larger(t.worst, error);
                if error > BOUND {
                    t.faults.push(format!(
                        "{error:.1e}: kept {kept:?} anew {new:?} made {m:?} {pair:?} {pose:?}"
                    ));
                }
            } else if anew.len() == 1 && m.sub_shape == [0, 0] && !kinds.contains(&Kind::Wall) {
                let truth =
                    query::separation(&moved.a, &Pose::IDENTITY, &moved.b, &pose).expect("bounded").gap;
                let band = FACE_BAND_OF_DEPTH * truth.abs() + (FACE_BAND_OF_SIZE + BOUND) * size;
                let error = (kept_gap - truth).abs() / band;
                t.other = larger(t.other, error);
                if error > 2.0 {
                    t.faults.push(format!(
                        "{error:.1} bands from {truth}: kept {kept:?} anew {new:?} made {m:?} {pair:?} {pose:?}"
                    ));
                }
            }
        }
    }
    t
}

#[test]
fn a_kept_manifold_errs_by_less_than_1e_4_of_the_smaller_shape() {
    let mut r = random(31);
    let mut wrong = 0;
    for a in Kind::ALL {
        for b in Kind::ALL {
            if b.is_unbounded() {
                continue;
            }
            for most in [1e-5, 3e-4, 1e-2] {
                let t = tally([a, b], most, &mut r);
                wrong += t.faults.len();
                println!(
                    "{:<24} motion to {most:.0e}: {:>5.1} % of {} kept, {} with the same features to {:.1e}, others to {:.2} bands, {} faults",
                    format!("{a:?}-{b:?}"),
                    100.0 * t.kept as f64 / t.tried as f64,
                    t.tried,
                    t.same,
                    t.worst,
                    t.other,
                    t.faults.len()
                );
                t.faults.iter().take(1).for_each(|f| println!("    {f}"));
            }
        }
    }
    assert_eq!(wrong, 0);
}

#[test]
fn the_manifold_of_a_resting_body_is_kept_and_not_made_anew() {
    // A body that rests moves by 1e-6 of its size in a step: what has a flat or round contact must be kept then.
    let mut r = random(32);
    let (mut tried, mut kept) = (0, 0);
    for a in [Kind::HalfSpace, Kind::Box, Kind::Hull] {
        for b in Kind::SOLID {
            for _ in 0..200 {
                let pair = resting([a, b], &mut r);
                for m in contact(&pair) {
                    let pose = later(&pair, &m, 1e-6, &mut r);
                    tried += 1;
                    let mut carried = Carried::default();
                    kept += usize::from(m.carried(&pair.b_in_a, &pose, [pair.size(), 1.0], &mut carried));
                }
            }
        }
    }
    println!("{kept} of {tried} kept");
    assert!(kept as f64 > 0.95 * f64::from(tried));
}

#[test]
fn shapes_that_do_not_touch_are_no_closer_than_the_narrow_phase_says() {
    let mut r = SplitMix::new(8);
    let kinds = [Kind::Sphere, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Hull, Kind::HalfSpace];
    let (mut seen, mut useful) = (0, 0);
    for round in 0..20_000 {
        let kinds = [kinds[round % 6], kinds[round / 6 % 5]];
        let (a, b) = (kinds[0].shape(&mut r, 1.0), kinds[1].shape(&mut r, 1.0));
        let b_in_a = Pose::new(Turn::ALL[round % 4].rotation(&mut r), r.in_cube() * 3.0);
        let margin = 0.02 * smaller(a.size(), b.size());
        let mut out = Vec::new();
        let clearance = collide(&a, &b, &b_in_a, margin, &mut out);
        if !out.is_empty() {
            continue;
        }
        let Some(truth) = query::separation(&a, &Pose::IDENTITY, &b, &b_in_a) else { continue };
        // GJK stops at 1e-10 of the size or so.
        assert!(clearance <= truth.gap + 1e-8, "{kinds:?}: {clearance} of {} m", truth.gap);
        assert!(clearance >= margin, "{kinds:?}: {clearance} m, margin {margin} m");
        seen += 1;
        useful += usize::from(clearance > 0.3 * truth.gap);
    }
    assert!(seen > 5000 && 10 * useful > 7 * seen, "{useful} of {seen} say a good part of the distance");
}
