//! Distance and depth against an independent peer, parry3d-f64, and where the two disagree against a support sweep.
//!
//! All errors are relative to the size of the smaller shape, which is its least thickness. For each configuration:
//!
//! 1. Ours is certified: along our normal the shapes are apart by our gap (a bound on the truth from below), and when
//!    they are apart our witness points lie in them (a bound from above).
//! 2. Ours is compared with parry's. Except against a cylinder, capsules are given to parry as segments and the radii
//!    taken off its answer, as its own manifolds do it; on whole capsules its GJK stops early, which is counted too.
//! 3. Where the two differ by more than 1e-6, and for one in fifty of all others, the sweep of `crate::peer::oracle` must
//!    say what we say to 1e-7. So no disagreement is dropped: each is counted in a class, and each is shown to be
//!    parry's.

use crate::peer::oracle::{self, larger, smaller};
use crate::peer::parry;
use crate::peer::sample::{Kind, Pair, Turn, beside, random, scattered};
use huygens_geometry::gjk::Separation;
use huygens_geometry::{CollisionShape, query};
use huygens_math::{Pose, SplitMix, Vec3, trig};
use parry3d_f64::query::contact;
use parry3d_f64::shape::SharedShape;

const PER_PAIR: usize = 6000;

/// Agreement that is asked for.
const TOLERANCE: f64 = 1e-6;

/// How close the sweep must come to our answer: a tenth of what is asked of the peer.
const SWEEP_TOLERANCE: f64 = 1e-7;

/// Largest part of all configurations that may be exceptions.
const MAX_EXCEPTIONS: f64 = 0.01;

/// How the configuration was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Regime {
    /// Apart by up to the size.
    Apart,
    /// Apart or overlapping by 1e-9 to 0.1 of the size.
    Near,
    /// Overlapping by up to a fifth of the size.
    Shallow,
    /// Overlapping by more.
    Deep,
    /// The origins of both frames coincide, or nearly.
    Coincident,
}

impl Regime {
    fn of(i: usize) -> Self {
        match i % 100 {
            99 => Self::Coincident,
            n => [Self::Apart, Self::Near, Self::Shallow, Self::Deep][n % 4],
        }
    }

    /// A configuration, with its distance where that is known by construction.
    fn pair(self, a: &CollisionShape, b: &CollisionShape, r: &mut SplitMix) -> (Pair, Option<f64>) {
        let size = smaller(a.size(), b.size());
        let turn = Turn::ALL[r.index(4)];
        let gap = size
            * match self {
                Self::Apart => r.range(0.0, 1.0),
                Self::Near => trig::pow(10.0, r.range(-9.0, -1.0)) * if r.unit() < 0.5 { 1.0 } else { -1.0 },
                Self::Shallow => -r.range(0.0, 0.2),
                Self::Deep | Self::Coincident => -r.range(0.2, 1.0),
            };
        let touching = r.unit() < 0.33;
        let place = if touching { beside } else { scattered };
        let mut pair = place(a.clone(), b.clone(), gap, turn, r);
        if self == Self::Coincident && !matches!(pair.a, CollisionShape::HalfSpace) {
            pair.b_in_a.translation = if r.unit() < 0.5 {
                Vec3::ZERO
            } else {
                r.in_cube() * size * trig::pow(10.0, r.range(-15.0, -1.0))
            };
        }
        let known = touching && gap > 0.0;
        (pair, known.then_some(gap))
    }
}

/// Why parry says something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Its search ended without an answer.
    NoAnswer,
    /// The shapes are apart, and by less than it says: along its own normal they are not that far apart. Its GJK has
    /// stopped early; seen on round shapes only.
    StoppedEarly,
    /// It takes overlapping shapes for touching: a depth near zero, though along its own normal they overlap.
    TakenForTouching,
    /// Its normal and its depth do not belong together: along its normal the depth is another.
    Inconsistent,
    /// Along its own normal the shapes overlap as it says, but a shorter way out exists.
    NotTheLeast,
}

const CLASSES: [Class; 5] =
    [Class::NoAnswer, Class::StoppedEarly, Class::TakenForTouching, Class::Inconsistent, Class::NotTheLeast];

/// What was counted for one pair of kinds.
#[derive(Default)]
struct Tally {
    apart: usize,
    overlapping: usize,
    classes: [usize; 5],
    /// Largest difference among those that agree.
    worst: f64,
    /// Largest difference between our gap and the one along our normal.
    certificate: f64,
    /// Largest difference from the distance that is known by construction.
    exact: f64,
    /// How often parry's answer for whole capsules differs.
    direct: usize,
    swept: usize,
    /// Largest difference between the sweep and ours.
    sweep: f64,
    /// Where ours was not shown right.
    faults: Vec<String>,
}

impl Tally {
    fn exceptions(&self) -> usize {
        self.classes.iter().sum()
    }
}

/// A shape with parry's twin.
struct Twin {
    shape: CollisionShape,
    whole: SharedShape,
    /// For a capsule its segment, else the same.
    core: SharedShape,
    /// What the core is thinner than the whole.
    radius: f64,
}

fn pool(kind: Kind, r: &mut SplitMix) -> Vec<Twin> {
    (0..200)
        .map(|_| {
            let shape = kind.shape(r, 1.0);
            let whole = parry::shape(&shape).expect("parry knows this shape");
            let (core, radius) = parry::core(&shape).unwrap_or((whole.clone(), 0.0));
            Twin { shape, whole, core, radius }
        })
        .collect()
}

fn ours(pair: &Pair) -> Separation {
    query::separation(&pair.a, &Pose::IDENTITY, &pair.b, &pair.b_in_a).expect("one of them is bounded")
}

/// Gap and normal (from B to A) by parry.
fn theirs(pair: &Pair, a: &SharedShape, b: &SharedShape, radii: f64) -> Option<(f64, Vec3)> {
    let (at_a, at_b) = (parry::pose(&pair.a, &Pose::IDENTITY), parry::pose(&pair.b, &pair.b_in_a));
    let found = contact(&at_a, &**a, &at_b, &**b, 1e3).expect("parry supports the pair")?;
    Some((found.dist - radii, -parry::ours(found.normal1)))
}

fn classify(pair: &Pair, ours: &Separation, theirs: Option<(f64, Vec3)>) -> Class {
    let Some((gap, normal)) = theirs else { return Class::NoAnswer };
    let size = pair.size();
    let along = oracle::apart(pair, normal);
    if (along - gap).abs() <= TOLERANCE * size && gap < ours.gap {
        Class::NotTheLeast
    } else if ours.gap > 0.0 && gap > ours.gap {
        Class::StoppedEarly
    } else if gap.abs() <= 1e-4 * size && ours.gap < 0.0 {
        Class::TakenForTouching
    } else {
        Class::Inconsistent
    }
}

/// Bounds on the truth from our own answer: along the normal from below, from witness points in the shapes from above.
fn certify(pair: &Pair, s: &Separation, tally: &mut Tally) {
    let size = pair.size();
    let along = oracle::apart(pair, s.normal);
    let error = (along - s.gap).abs() / size;
    tally.certificate = larger(tally.certificate, error);
    if error > TOLERANCE {
        tally.faults.push(format!("{error:.1e} along our normal {along}: {s:?} {pair:?}"));
    }
    let out = larger(
        oracle::outside(&pair.a, s.on_a),
        oracle::outside(&pair.b, pair.b_in_a.inverse_transform(s.on_b)),
    );
    if out > TOLERANCE * size {
        tally.faults.push(format!("witness outside by {out}: {s:?} {pair:?}"));
    }
}

fn compare(pools: [&[Twin]; 2], r: &mut SplitMix) -> Tally {
    let mut tally = Tally::default();
    for i in 0..PER_PAIR {
        let (a, b) = (&pools[0][r.index(200)], &pools[1][r.index(200)]);
        let (pair, gap) = Regime::of(i).pair(&a.shape, &b.shape, r);
        let size = pair.size();
        let s = ours(&pair);
        certify(&pair, &s, &mut tally);
        if s.gap > 0.0 {
            tally.apart += 1;
        } else {
            tally.overlapping += 1;
        }
        if let Some(gap) = gap {
            tally.exact = larger(tally.exact, (s.gap - gap).abs() / size);
        }
        let whole = theirs(&pair, &a.whole, &b.whole, 0.0);
        let flat = !matches!(
            (&pair.a, &pair.b),
            (CollisionShape::Cylinder(_), _) | (_, CollisionShape::Cylinder(_))
        );
        let peer = if flat { theirs(&pair, &a.core, &b.core, a.radius + b.radius) } else { whole };
        tally.direct += usize::from(whole.is_none_or(|(gap, _)| (gap - s.gap).abs() > TOLERANCE * size));
        let error = peer.map_or(f64::INFINITY, |(gap, _)| (gap - s.gap).abs() / size);
        let agree = error <= TOLERANCE;
        if agree {
            tally.worst = larger(tally.worst, error);
        } else {
            let class = classify(&pair, &s, peer);
            tally.classes[CLASSES.iter().position(|c| *c == class).expect("listed")] += 1;
        }
        if !agree || i % 50 == 0 {
            let hints: Vec<Vec3> = peer.iter().map(|p| p.1).chain([s.normal]).collect();
            let best = oracle::sweep(&pair, 400, 6, &hints);
            let error = (best.gap - s.gap).abs() / size;
            tally.swept += 1;
            tally.sweep = larger(tally.sweep, error);
            if error > SWEEP_TOLERANCE {
                tally.faults.push(format!("{error:.1e} sweep {best:?} ours {s:?} parry {peer:?} {pair:?}"));
            }
        }
    }
    tally
}

#[test]
fn distance_and_depth_agree_with_parry_or_a_support_sweep_shows_ours_right() {
    let mut r = random(1);
    let kinds = [Kind::HalfSpace, Kind::Sphere, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Hull];
    let pools: Vec<Vec<Twin>> = kinds.iter().map(|k| pool(*k, &mut r)).collect();
    println!(
        "{:<20} {:>6} {:>8} {:>7} {:>7} {:>8} {:>12} {:>5} {:>7}   agree, exact, certified, swept to",
        "pair", "apart", "overlap", "none", "early", "touching", "inconsistent", "least", "(whole)"
    );
    let (mut all, mut exceptions, mut faults) = (0, 0, 0);
    for i in 0..kinds.len() {
        for j in i..kinds.len() {
            if j == 0 {
                continue;
            }
            let t = compare([&pools[i], &pools[j]], &mut r);
            all += t.apart + t.overlapping;
            exceptions += t.exceptions();
            let c = t.classes;
            println!(
                "{:<20} {:>6} {:>8} {:>7} {:>7} {:>8} {:>12} {:>5} {:>7}   {:.1e} {:.1e} {:.1e} {:.1e} ({})",
                format!("{:?}-{:?}", kinds[i], kinds[j]),
                t.apart,
                t.overlapping,
                c[0],
                c[1],
                c[2],
                c[3],
                c[4],
                t.direct,
                t.worst,
                t.exact,
                t.certificate,
                t.sweep,
                t.swept
            );
            t.faults.iter().take(3).for_each(|f| println!("    {f}"));
            faults += t.faults.len();
            if t.exact > 1e-10 {
                println!("    exact distance missed by {:e}", t.exact);
                faults += 1;
            }
            assert!(t.apart >= 1000 && t.overlapping >= 1000);
        }
    }
    println!("{all} configurations, {exceptions} exceptions");
    assert_eq!(faults, 0, "answers that are not shown right");
    assert!(all >= 100_000);
    assert!(exceptions as f64 <= MAX_EXCEPTIONS * all as f64, "{exceptions} of {all}");
}
