//! What may not change a manifold, and what every manifold is like.

use crate::peer::manifold::{
    Likeness, MARGIN, compare, contact, in_world, scaled, scaled_manifold, violation,
};
use crate::peer::oracle::{larger, smaller};
use crate::peer::sample::{Kind, Pair, Turn, beside, scattered};
use huygens_geometry::{CollisionShape, Manifold};
use huygens_math::{Pose, SplitMix, Vec3, trig};
use std::collections::BTreeMap;

const PER_PAIR: usize = 400;

/// Calls `test` with random configurations of every pair of kinds that can touch.
fn every_pair(seed: u64, per_pair: usize, mut test: impl FnMut([Kind; 2], &Pair, &mut SplitMix)) {
    let mut r = SplitMix::new(seed);
    for a in Kind::ALL {
        for b in Kind::ALL {
            if a.is_unbounded() && b.is_unbounded() {
                continue;
            }
            for i in 0..per_pair {
                let pair = random_pair([a, b], i, &mut r);
                test([a, b], &pair, &mut r);
            }
        }
    }
}

fn random_pair(kinds: [Kind; 2], i: usize, r: &mut SplitMix) -> Pair {
    if kinds[1].is_unbounded() {
        return random_pair([kinds[1], kinds[0]], i, r).swapped();
    }
    let (a, mut b) = (kinds[0].shape(r, 1.0), kinds[1].shape(r, 1.0));
    if kinds[0] == kinds[1] && i % 5 < 2 {
        // Nothing but the pose tells them apart.
        b = a.clone();
    }
    let turn = Turn::ALL[i % 4];
    let size = smaller(a.size(), b.size());
    if matches!(a, CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_)) {
        // Somewhere in the container, at its walls, a little outside.
        let half = match &a {
            CollisionShape::BoxInside(s) => s.half,
            CollisionShape::CylinderInside(s) => Vec3::new(s.radius, s.radius, s.half_length),
            _ => unreachable!(),
        };
        let pose = Pose::new(turn.rotation(r), r.in_cube() * half);
        return Pair { a, b, b_in_a: pose };
    }
    let gap = size
        * match i % 3 {
            0 => r.range(-0.02, 0.02),
            1 => -r.range(0.0, 0.2),
            _ => -r.range(0.2, 0.8),
        };
    let place = if r.unit() < 0.5 { beside } else { scattered };
    place(a, b, gap, turn, r)
}

/// What came out of comparing manifolds before and after a change that should not matter.
#[derive(Default)]
struct Count {
    compared: usize,
    tied: usize,
    /// Same to within what the conditioning of the normal leaves.
    ill: usize,
    /// Pairs that are their own mirror image, with a manifold that is not.
    mirrored: usize,
    worst: f64,
    worst_tied: f64,
    faults: Vec<String>,
}

/// What rounding does to the direction between two round shapes whose cores nearly meet: a few roundings of the
/// coordinates, over the distance of the cores.
fn conditioning(m: &Manifold) -> f64 {
    let round = m.round[0] + m.round[1];
    if round == 0.0 {
        return 0.0;
    }
    let reach = m.points().iter().map(|p| larger(p.on_a.length(), p.on_b.length())).fold(0.0, larger);
    let cores = m.points().iter().map(|p| (p.gap + round).abs()).fold(f64::INFINITY, smaller);
    smaller(2e-15 * reach / cores, 1e-3)
}

/// True when a pair of equal shapes is its own mirror image: a half turn takes A to where B is, and B to where A is.
/// Exchanging the shapes then changes no argument of `collide`, so it cannot change the answer; but a manifold that stands
/// on a face of one of the two, or on the upper side of two walls in one plane, is not its own mirror image. So both
/// are right, and round-off in the pose tells which of the shapes comes first.
fn own_mirror(pair: &Pair) -> bool {
    let (pose, back) = (pair.b_in_a, pair.b_in_a.inverse());
    let turned = (pose.rotation.conjugate() * back.rotation).w.abs();
    let half_turn =
        turned > 1.0 - 1e-14 && (pose.translation - back.translation).length() < 1e-12 * pair.size();
    half_turn && format!("{:?}", pair.a) == format!("{:?}", pair.b)
}

impl Count {
    /// Compares what was found with what was expected, in the order of their sub-shapes.
    fn add(&mut self, pair: &Pair, expected: &[Manifold], found: &[Manifold], tolerance: f64) {
        let size = pair.size();
        self.compared += 1;
        let alike =
            |m: &Manifold, n: &Manifold| matches!(compare(m, n, size), Likeness::Same(e) if e <= tolerance);
        let mirrored: Vec<Manifold> = found.iter().map(|m| m.swapped(&pair.b_in_a)).collect();
        let is_mirrored = expected.len() == mirrored.len()
            && own_mirror(pair)
            && expected.iter().zip(&mirrored).all(|(m, n)| alike(m, n));
        self.mirrored += usize::from(is_mirrored);
        let found = if is_mirrored { &mirrored } else { found };
        let fault = |what: &str| format!("{what}: expected {expected:?}, found {found:?} {pair:?}");
        if expected.len() != found.len() {
            // A gap that is the margin to the last bit may go either way.
            let edge = |m: &&Manifold| (m.gap() - MARGIN * size).abs() > 1e-9 * size;
            if expected.iter().chain(found).filter(edge).count() > 0 {
                self.faults.push(fault("number of manifolds"));
            }
            return;
        }
        for (m, n) in expected.iter().zip(found) {
            match compare(m, n, size) {
                Likeness::Same(error) if error <= tolerance => self.worst = larger(self.worst, error),
                Likeness::Same(error) if error <= tolerance + conditioning(m) => self.ill += 1,
                Likeness::Tied(error) if error <= 1e-6 => {
                    self.tied += 1;
                    self.worst_tied = larger(self.worst_tied, error);
                }
                other => self.faults.push(fault(&format!("{other:?}"))),
            }
        }
    }

    fn report(&self, what: &str) {
        println!(
            "{what}: {} compared, worst {:.1e} of the size, {} tied (worst {:.1e}), {} with nearly meeting cores, {} mirrored, {} faults",
            self.compared,
            self.worst,
            self.tied,
            self.worst_tied,
            self.ill,
            self.mirrored,
            self.faults.len()
        );
        self.faults.iter().take(5).for_each(|f| println!("    {}", f.chars().take(1800).collect::<String>()));
        assert!(self.faults.is_empty());
    }
}

#[test]
fn turning_and_moving_the_scene_turns_and_moves_the_manifold() {
    let mut count = Count::default();
    every_pair(11, PER_PAIR, |_, pair, r| {
        let world = Pose::new(r.rotation(), r.in_cube() * 10.0);
        let [a, b] = in_world(pair, &world);
        let seen = Pair { b_in_a: a.relative(&b), ..pair.clone() };
        count.add(pair, &contact(pair), &contact(&seen), 1e-9);
    });
    count.report("rotation and translation");
}

#[test]
fn swapping_the_shapes_mirrors_the_manifold() {
    let mut count = Count::default();
    every_pair(12, PER_PAIR, |_, pair, _| {
        let back = pair.swapped();
        let found: Vec<Manifold> = contact(&back).iter().map(|m| m.swapped(&back.b_in_a)).collect();
        count.add(pair, &contact(pair), &found, 1e-9);
    });
    count.report("swap");
}

#[test]
fn scaling_the_scene_by_a_power_of_two_scales_the_manifold_to_the_last_bit() {
    let mut count = Count::default();
    every_pair(13, PER_PAIR / 4, |_, pair, r| {
        let expected = contact(pair);
        // 2^-20 … 2^13: 1e-6 to 1e4. Every rounding is the same then, so a difference is an absolute constant.
        let s = trig::pow(2.0, r.index(34) as f64 - 20.0);
        let large = Pair {
            a: scaled(&pair.a, s),
            b: scaled(&pair.b, s),
            b_in_a: Pose::new(pair.b_in_a.rotation, pair.b_in_a.translation * s),
        };
        let expected: Vec<Manifold> = expected.iter().map(|m| scaled_manifold(m, s)).collect();
        let found = contact(&large);
        count.compared += 1;
        if expected != found {
            count.faults.push(format!("scale {s:e}: expected {expected:?}, found {found:?} {pair:?}"));
        }
    });
    count.report("scale by powers of two");
}

#[test]
fn scaling_the_scene_scales_the_manifold() {
    let mut count = Count::default();
    every_pair(14, PER_PAIR / 2, |_, pair, r| {
        let s = trig::pow(10.0, r.range(-6.0, 4.0));
        let large = Pair {
            a: scaled(&pair.a, s),
            b: scaled(&pair.b, s),
            b_in_a: Pose::new(pair.b_in_a.rotation, pair.b_in_a.translation * s),
        };
        let found: Vec<Manifold> = contact(&large).iter().map(|m| scaled_manifold(m, 1.0 / s)).collect();
        count.add(pair, &contact(pair), &found, 1e-9);
    });
    count.report("scale 1e-6 … 1e4");
}

#[test]
fn every_manifold_has_a_unit_normal_and_up_to_four_points_with_their_own_gaps_on_both_surfaces() {
    let (mut manifolds, mut points) = (0, 0);
    let mut faults: BTreeMap<String, (usize, String)> = BTreeMap::new();
    every_pair(15, 2 * PER_PAIR, |kinds, pair, _| {
        for m in contact(pair) {
            manifolds += 1;
            points += m.points().len();
            if let Some(what) = violation(pair, &m, MARGIN * pair.size()) {
                let kind: String = what.chars().filter(|c| c.is_alphabetic() || *c == ' ').take(40).collect();
                let entry = faults.entry(format!("{kinds:?}{kind}")).or_default();
                entry.0 += 1;
                entry.1 = format!("{what}: {m:?} {pair:?}");
            }
        }
    });
    for (what, (count, example)) in &faults {
        println!("{count:>5} {what}\n    {example}");
    }
    println!("{manifolds} manifolds with {points} points");
    assert!(faults.is_empty());
}

fn cube(edge: f64) -> CollisionShape {
    CollisionShape::cuboid(Vec3::splat(edge)).expect("valid")
}

fn floors() -> [(CollisionShape, Vec3); 3] {
    let corners: Vec<Vec3> = (0..8)
        .map(|i| {
            Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 8.0
                - Vec3::new(4.0, 4.0, 8.0)
        })
        .collect();
    [
        (CollisionShape::HalfSpace, Vec3::ZERO),
        (CollisionShape::cuboid(Vec3::new(8.0, 8.0, 2.0)).expect("valid"), Vec3::Z),
        (CollisionShape::hull(&corners).expect("valid"), Vec3::ZERO),
    ]
}

/// The one manifold of a unit cube over a floor, placed by `pose` over the floor's surface.
fn cube_on(floor: &(CollisionShape, Vec3), pose: &Pose) -> Manifold {
    let b_in_a = Pose::new(pose.rotation, pose.translation + floor.1);
    let found = contact(&Pair { a: floor.0.clone(), b: cube(1.0), b_in_a });
    assert_eq!(found.len(), 1);
    found[0]
}

#[test]
fn a_cube_that_lands_flat_has_four_points_of_equal_depth() {
    for floor in floors() {
        for depth in [0.1, 1e-3, 1e-6, 0.0, -1e-3] {
            for turn in [0.0, 0.3, 1.0] {
                let rotation = trig::axis_angle(Vec3::Z, turn);
                let m = cube_on(&floor, &Pose::new(rotation, Vec3::Z * (0.5 - depth)));
                assert_eq!(m.points().len(), 4, "{m:?}");
                // A dozen roundings of numbers up to 4.
                assert!(m.points().iter().all(|p| (p.gap + depth).abs() < 1e-14), "{depth} {m:?}");
                assert!((m.normal + Vec3::Z).length() < 1e-14, "{m:?}");
                assert!((crate::peer::manifold::area(&m) - 1.0).abs() < 1e-12, "{m:?}");
            }
        }
    }
}

#[test]
fn a_tilted_cube_is_deeper_on_its_deeper_side_by_the_sine_of_the_tilt() {
    for floor in floors() {
        for tilt in [1e-4, 1e-3, 5e-3] {
            let rotation = trig::axis_angle(Vec3::Y, tilt);
            let m = cube_on(&floor, &Pose::new(rotation, Vec3::Z * 0.499));
            assert_eq!(m.points().len(), 4);
            let (s, c) = trig::sin_cos(tilt);
            for p in m.points() {
                // The corner (x, y, −½) of the cube is at height 0.499 − x sin τ − ½ cos τ; turning z to x lowers +x.
                let expected = 0.499 - p.on_b.x * s - 0.5 * c;
                assert!((p.gap - expected).abs() < 1e-14, "{} {expected} {m:?}", p.gap);
            }
            let side = |x: f64| m.points().iter().filter(|p| p.on_b.x * x > 0.0).map(|p| p.gap).sum::<f64>();
            assert!(side(1.0) < side(-1.0));
        }
    }
}

#[test]
fn a_grazing_cube_has_gaps_near_zero() {
    for floor in floors() {
        let m = cube_on(&floor, &Pose::at(Vec3::Z * (0.5 + 1e-12)));
        assert!(m.points().iter().all(|p| p.gap.abs() < 2e-12), "{m:?}");
    }
}

#[test]
fn corner_edge_and_round_contacts_have_one_point_with_the_depth_of_the_query() {
    let corner_down = {
        // The space diagonal of the cube points down.
        let diagonal = Vec3::ONE.normalize();
        let axis = diagonal.cross(Vec3::NEG_Z).normalize();
        trig::axis_angle(axis, trig::angle_between(diagonal, Vec3::NEG_Z))
    };
    for floor in floors() {
        let reach = 0.75f64.sqrt();
        let m = cube_on(&floor, &Pose::new(corner_down, Vec3::Z * (reach - 1e-3)));
        assert_eq!(m.points().len(), 1, "{m:?}");
        assert!((m.gap() + 1e-3).abs() < 1e-14, "{m:?}");
    }
    // Two crossed edges: the cubes are turned by 45° about x and about y, one over the other.
    let over = trig::axis_angle(Vec3::X, std::f64::consts::FRAC_PI_4);
    let under = trig::axis_angle(Vec3::Y, std::f64::consts::FRAC_PI_4);
    let (a, b) = (Pose::new(under, Vec3::ZERO), Pose::new(over, Vec3::Z * (2f64.sqrt() - 1e-3)));
    let found = contact(&Pair { a: cube(1.0), b: cube(1.0), b_in_a: a.relative(&b) });
    assert_eq!(found[0].points().len(), 1);
    assert!((found[0].gap() + 1e-3).abs() < 1e-14);
}
