//! Manifolds against the truth and against parry3d-f64's manifolds.
//!
//! The truth g* is the signed distance of `query::separation`, which `peer_parry` proves; σ(n), the gap along our
//! normal, is computed by the support functions of the oracle. The face-bias band is that of the narrow phase:
//! FACE_BAND_OF_DEPTH of the depth plus FACE_BAND_OF_SIZE of the smaller shape's size.

use crate::peer::manifold::{MARGIN, contact};
use crate::peer::oracle::{self, larger, smaller};
use crate::peer::parry;
use crate::peer::sample::{Kind, Pair, Turn, beside, random, scattered};
use huygens_geometry::gjk::Separation;
use huygens_geometry::narrowphase::{FACE_BAND_OF_DEPTH, FACE_BAND_OF_SIZE, RIM_ERROR};
use huygens_geometry::{CollisionShape, Manifold, query};
use huygens_math::{Pose, SplitMix, Vec3, trig};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

const PER_PAIR: usize = 2000;

const KINDS: [Kind; 6] =
    [Kind::HalfSpace, Kind::Sphere, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Hull];

/// Calls `test` with touching and overlapping configurations of every pair of convex kinds, in both orders.
fn every_pair(seed: u64, mut test: impl FnMut([Kind; 2], &[Pair])) {
    let mut r = random(seed);
    for (i, first) in KINDS.into_iter().enumerate() {
        for second in KINDS.into_iter().skip(i.max(1)) {
            let kinds = [first, second];
            test(kinds, &configurations(kinds, &mut r));
        }
    }
}

fn configurations(kinds: [Kind; 2], r: &mut SplitMix) -> Vec<Pair> {
    let pools = kinds.map(|k| (0..100).map(|_| k.shape(r, 1.0)).collect::<Vec<CollisionShape>>());
    (0..PER_PAIR).map(|n| configuration(&pools, n, r)).collect()
}

fn configuration(pools: &[Vec<CollisionShape>; 2], n: usize, r: &mut SplitMix) -> Pair {
    let (a, b) = (pools[0][r.index(100)].clone(), pools[1][r.index(100)].clone());
    let size = smaller(a.size(), b.size());
    let gap = size
        * match n % 4 {
            0 => r.range(-0.02, 0.02),
            1 => trig::pow(10.0, r.range(-9.0, -2.0)) * if r.unit() < 0.5 { 1.0 } else { -1.0 },
            2 => -r.range(0.0, 0.2),
            _ => -r.range(0.2, 1.0),
        };
    let place = if n.is_multiple_of(3) { scattered } else { beside };
    let pair = place(a, b, gap, Turn::ALL[r.index(4)], r);
    if r.unit() < 0.5 { pair.swapped() } else { pair }
}

fn truth(pair: &Pair) -> Separation {
    query::separation(&pair.a, &Pose::IDENTITY, &pair.b, &pair.b_in_a).expect("one of them is bounded")
}

/// σ(n) of a pair of which either may be the half-space.
fn along(pair: &Pair, normal: Vec3) -> f64 {
    if matches!(pair.b, CollisionShape::HalfSpace) {
        let back = pair.swapped();
        return along(&back, back.b_in_a.rotate(-normal));
    }
    oracle::apart(pair, normal)
}

fn band(gap: f64, size: f64) -> f64 {
    FACE_BAND_OF_DEPTH * gap.abs() + FACE_BAND_OF_SIZE * size
}

/// By how much the deepest of a cylinder's four rim points may be shallower than its rim.
fn rim_error(pair: &Pair) -> f64 {
    let of =
        |s: &CollisionShape| if let CollisionShape::Cylinder(c) = s { RIM_ERROR * c.radius } else { 0.0 };
    larger(of(&pair.a), of(&pair.b))
}

fn name(kinds: [Kind; 2]) -> String {
    format!("{:?}-{:?}", kinds[0], kinds[1])
}

/// Examples of what is wrong, the first few.
#[derive(Default)]
struct Faults {
    count: usize,
    examples: Vec<String>,
}

impl Faults {
    fn add(&mut self, what: &str, s: &Separation, m: &[Manifold], pair: &Pair) {
        self.count += 1;
        if self.examples.len() < 2 {
            self.examples.push(format!("{what}: truth {s:?} found {m:?} {pair:?}"));
        }
    }

    fn print(&self) {
        self.examples.iter().for_each(|e| println!("    {e}"));
    }
}

#[test]
fn depth_along_our_normal_and_deepest_gap_are_the_true_depth_within_the_face_bias_band() {
    let mut all = 0;
    let mut wrong = 0;
    every_pair(21, |kinds, pairs| {
        let (mut count, mut points, mut worst_normal, mut worst_gap) = (0, 0, 0.0, 0.0);
        let mut faults = Faults::default();
        for pair in pairs {
            let (s, size) = (truth(pair), pair.size());
            let band = band(s.gap, size);
            let found = contact(pair);
            if s.gap > MARGIN * size {
                if !found.is_empty() {
                    faults.add("beyond the margin", &s, &found, pair);
                }
                continue;
            }
            count += 1;
            let [m] = found.as_slice() else {
                // Within the band of the margin a face may be just beyond it.
                if s.gap <= MARGIN * size - band {
                    faults.add("not one manifold", &s, &found, pair);
                }
                continue;
            };
            points += m.points().len();
            let normal = (along(pair, m.normal) - s.gap).abs() / band;
            let gap = (m.gap() - s.gap).abs() / (band + rim_error(pair));
            worst_normal = larger(worst_normal, normal);
            worst_gap = larger(worst_gap, gap);
            if normal > 1.0 {
                faults.add(&format!("along the normal {normal:.1} bands"), &s, &found, pair);
            } else if gap > 1.0 {
                faults.add(&format!("deepest gap {gap:.1} bands"), &s, &found, pair);
            }
        }
        println!(
            "{:<20} {count} contacts, {points} points, along the normal {worst_normal:.2}, deepest gap {worst_gap:.2} of the band, {} faults",
            name(kinds),
            faults.count
        );
        faults.print();
        all += count;
        wrong += faults.count;
    });
    println!("{all} contacts, {wrong} faults");
    assert_eq!(wrong, 0);
}

/// Gap along the wall's normal on the side where the centre of the other shape is, and that normal; A is the wall.
fn back_to_its_side(pair: &Pair) -> f64 {
    let center = match &pair.b {
        CollisionShape::Hull(s) => pair.b_in_a.transform(s.centroid()),
        _ => pair.b_in_a.translation,
    };
    oracle::apart(pair, if center.z < 0.0 { Vec3::Z } else { Vec3::NEG_Z })
}

#[test]
fn a_wall_parts_by_the_gap_that_it_says_and_never_deeper_than_back_to_the_side_of_the_centre() {
    let mut r = random(24);
    let mut wrong = 0;
    for kind in KINDS.into_iter().skip(1) {
        let (mut count, mut worst, mut faults) = (0, 0.0, Faults::default());
        for pair in configurations([Kind::Wall, kind], &mut r) {
            let pair = if matches!(pair.a, CollisionShape::Wall(_)) { pair } else { pair.swapped() };
            let (s, size) = (truth(&pair), pair.size());
            let found = contact(&pair);
            let [m] = found.as_slice() else {
                if s.gap.abs() <= 1e-3 * size {
                    faults.add("no contact", &s, &found, &pair);
                }
                continue;
            };
            count += 1;
            let band = band(m.gap(), size) + rim_error(&pair);
            let along = (along(&pair, m.normal) - m.gap()).abs() / band;
            worst = larger(worst, along);
            let deeper = (back_to_its_side(&pair) - m.gap()) / band;
            if along > 2.0 {
                faults.add(&format!("parted otherwise by {along:.1} bands"), &s, &found, &pair);
            } else if s.gap < 0.0 && deeper > 1.0 {
                faults.add(&format!("{deeper:.1} bands deeper than back to its side"), &s, &found, &pair);
            } else if s.gap > 0.0 && (m.gap() - s.gap).abs() > band {
                faults.add("not the distance", &s, &found, &pair);
            }
        }
        println!(
            "Wall-{kind:?}: {count} contacts, along the normal to {worst:.2} bands, {} faults",
            faults.count
        );
        faults.print();
        wrong += faults.count;
    }
    assert_eq!(wrong, 0);
}

/// The radius around the core of a round shape.
fn radius(s: &CollisionShape) -> f64 {
    match s {
        CollisionShape::Sphere(s) => s.radius,
        CollisionShape::Capsule(s) => s.radius,
        _ => 0.0,
    }
}

#[test]
fn normals_of_curved_pairs_are_right_to_a_thousandth() {
    let mut wrong = 0;
    every_pair(22, |kinds, pairs| {
        if !kinds.iter().any(|k| matches!(k, Kind::Sphere | Kind::Capsule)) {
            return;
        }
        let (mut count, mut worst) = (0, 0.0);
        let mut faults = Faults::default();
        for pair in pairs {
            let (s, size) = (truth(pair), pair.size());
            let cores = s.gap + radius(&pair.a) + radius(&pair.b);
            // Where the cores overlap several directions may be as good.
            if s.gap > MARGIN * size || cores < 0.02 * size {
                continue;
            }
            for m in contact(pair) {
                count += 1;
                let angle = trig::angle_between(m.normal, s.normal);
                if angle <= 1e-3 {
                    worst = larger(worst, angle);
                } else {
                    faults.add(&format!("{angle:.1e} rad"), &s, &[m], pair);
                }
            }
        }
        println!("{:<20} {count} contacts, worst {worst:.1e} rad, {} faults", name(kinds), faults.count);
        faults.print();
        wrong += faults.count;
    });
    assert_eq!(wrong, 0);
}

/// Deepest gap and normal of parry's manifold.
fn theirs(pair: &Pair) -> Option<(f64, Vec3)> {
    let (a, b) = (parry::shape(&pair.a)?, parry::shape(&pair.b)?);
    let (at_a, at_b) = (parry::pose(&pair.a, &Pose::IDENTITY), parry::pose(&pair.b, &pair.b_in_a));
    let mut list: Vec<ContactManifold<(), ()>> = Vec::new();
    let margin = MARGIN * pair.size();
    let relative = at_a.inv_mul(&at_b);
    DefaultQueryDispatcher.contact_manifolds(&relative, &*a, &*b, margin, &mut list, &mut None).ok()?;
    let m = list.first()?;
    let deepest = m.find_deepest_contact()?.dist;
    Some((deepest, -parry::ours(at_a.rotation * m.local_n1)))
}

#[test]
fn manifolds_agree_with_those_of_parry() {
    every_pair(23, |kinds, pairs| {
        let (mut both, mut gaps, mut normals, mut none) = (0, 0, 0, 0);
        for pair in pairs {
            let [m] = contact(pair)[..] else { continue };
            let Some((gap, normal)) = theirs(pair) else {
                none += 1;
                continue;
            };
            both += 1;
            // Each has a bias towards faces of its own.
            let band = 2.0 * band(truth(pair).gap, pair.size()) + rim_error(pair);
            gaps += usize::from((gap - m.gap()).abs() <= band);
            normals += usize::from(trig::angle_between(normal, m.normal) <= 1e-3);
        }
        let part = |n: usize| 100.0 * n as f64 / f64::from(both);
        println!(
            "{:<20} {both} contacts of both, {none} of ours alone, gap within two bands {:.2} %, normal within 1e-3 rad {:.2} %",
            name(kinds),
            part(gaps),
            part(normals)
        );
        // Without a face there is no bias, and both must say the same.
        if kinds.contains(&Kind::Sphere) || kinds == [Kind::Capsule; 2] {
            assert!(none == 0 && part(gaps) > 99.9 && part(normals) > 99.9);
        }
        assert!(part(gaps) > 98.0, "{kinds:?}");
    });
}
