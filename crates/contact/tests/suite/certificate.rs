//! Is the judge right: zero for exact answers, and up in the right number when one thing is broken?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{Twist, Vec3};

const H: f64 = 0.01;
const G: f64 = 9.81;
const MU: f64 = 0.5;

/// A block of mass 2 that cannot turn, on the floor, pulled along its tangent with the given velocity and acceleration.
fn block(speed: f64, pull: f64, gap: f64) -> Toy {
    let mut toy = Toy::new(H);
    let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
    toy.inertia.free[0].inv_inertia = huygens_math::Sym3::ZERO;
    toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, gap)], rough(MU));
    let along = toy.groups.heads[0].tangent;
    toy.v_start.free[0].linear = along * speed;
    toy.gravity(Vec3::Z * -G + along * pull);
    toy
}

/// Judges hand-made impulses with the velocity they give.
fn judge(toy: &Toy, p: Impulse) -> Certificate {
    let mut v = toy.v_free.clone();
    toy.groups.apply(&toy.inertia, &toy.groups.heads[0], &toy.groups.points[0], p, &mut v);
    Certificate::of(&toy.problem(), Impulses { points: &[p], ..Impulses::default() }, &v)
}

fn assert_exact(c: &Certificate) {
    // One rounding each.
    for x in [c.gap, c.cone, c.complementarity, c.dissipation, c.momentum, c.natural_map] {
        assert!(x.abs() < 4e-16, "{c:?}");
    }
}

const WEIGHT: f64 = 2.0 * G * H;

#[test]
fn exact_answers_have_no_residual() {
    assert_exact(&judge(&block(0.0, 0.0, 0.0), [WEIGHT, 0.0, 0.0])); // resting
    assert_exact(&judge(&block(0.0, 2.0, 0.0), [WEIGHT, -4.0 * H, 0.0])); // sticking
    assert_exact(&judge(&block(3.0, 0.0, 0.0), [WEIGHT, -MU * WEIGHT, 0.0])); // sliding
    assert_exact(&judge(&block(3.0, 0.0, 0.1), [0.0; 3])); // in the air
    assert_exact(&judge(&block(0.0, 0.0, 0.0004), [WEIGHT - 2.0 * 0.0004 / H, 0.0, 0.0])); // closing its gap
}

#[test]
fn each_number_rises_when_its_condition_is_broken() {
    let resting = block(0.0, 0.0, 0.0);
    let c = judge(&resting, [0.9 * WEIGHT, 0.0, 0.0]);
    // A tenth of the kick remains, over the scene's 3 m/s.
    assert!((c.gap - 0.1 * G * H / 3.0).abs() < 1e-15 && c.natural_map > 0.05, "{c:?}");
    let c = judge(&resting, [1.1 * WEIGHT, 0.0, 0.0]);
    assert!(c.gap == 0.0 && c.complementarity > 1e-3 && c.natural_map > 0.05, "{c:?}");
    let c = judge(&resting, [-0.1 * WEIGHT, 0.0, 0.0]);
    assert!(c.cone > 0.5, "a pulling contact: {c:?}");

    let sliding = block(3.0, 0.0, 0.0);
    let c = judge(&sliding, [WEIGHT, -1.2 * MU * WEIGHT, 0.0]);
    assert!((c.cone - 0.2 * MU).abs() < 1e-15, "too much friction: {c:?}");
    let c = judge(&sliding, [WEIGHT, -0.8 * MU * WEIGHT, 0.0]);
    assert!(c.cone == 0.0 && c.dissipation > 0.05 && c.natural_map > 1e-3, "too little: {c:?}");
    let c = judge(&sliding, [WEIGHT, -0.8 * MU * WEIGHT, 0.6 * MU * WEIGHT]);
    assert!(c.cone < 1e-15 && c.dissipation > 0.05, "not against the slip: {c:?}");

    let mut v = resting.v_free.clone();
    v.free[0] = Twist::new(Vec3::X * 0.3, Vec3::ZERO);
    let c = Certificate::of(
        &resting.problem(),
        Impulses { points: &[[WEIGHT, 0.0, 0.0]], ..Impulses::default() },
        &v,
    );
    assert!((c.momentum - 0.1).abs() < 1e-15, "0.3 of 3 m/s is not explained: {c:?}");
}

#[test]
fn static_friction_holds_more_than_dynamic() {
    let mut toy = block(0.0, 0.0, 0.0);
    toy.groups.materials[0].friction_dynamic = 0.1;
    toy.gravity(Vec3::Z * -G + toy.groups.heads[0].tangent * 2.0);
    assert_exact(&judge(&toy, [WEIGHT, -4.0 * H, 0.0]));
    let mut toy = block(3.0, 0.0, 0.0);
    toy.groups.materials[0].friction_dynamic = 0.1;
    assert_exact(&judge(&toy, [WEIGHT, -0.1 * WEIGHT, 0.0]));
    assert!(judge(&toy, [WEIGHT, -MU * WEIGHT, 0.0]).cone > 0.3, "slipping with static friction");
}

#[test]
fn rows_are_judged_by_their_law() {
    let row = Row { linear: Vec3::X, angular: [Vec3::ZERO; 2], target: 1.0, error: 0.0, tree: None };
    let certificate = |law: Law, lambda: f64| {
        let mut toy = Toy::new(H);
        let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
        toy.row([a, Side::Fixed], law, row);
        let mut v = toy.v_free.clone();
        toy.groups.apply_row(&toy.inertia, &toy.groups.heads[0], 0, lambda, &mut v);
        Certificate::of(&toy.problem(), Impulses { rows: &[lambda], ..Impulses::default() }, &v)
    };
    assert_exact(&certificate(Law::Equality, 2.0));
    assert!(certificate(Law::Equality, 1.0).gap > 0.1);
    assert_exact(&certificate(Law::Unilateral, 2.0));
    assert!(certificate(Law::Unilateral, 1.0).gap > 0.1);
    assert!(certificate(Law::Unilateral, 3.0).complementarity > 0.08); // 3 N·s × 0.5 m/s of 6 × 3
    assert_exact(&certificate(Law::Bounded { lo: -1.0, hi: 1.0 }, 1.0)); // at its bound
    assert_exact(&certificate(Law::Bounded { lo: -9.0, hi: 9.0 }, 2.0)); // at its target
    assert!(certificate(Law::Bounded { lo: -9.0, hi: 9.0 }, 1.0).complementarity > 0.1);
    assert!(certificate(Law::Bounded { lo: -1.0, hi: 1.0 }, 2.0).cone > 0.1);
}

#[test]
fn the_worse_of_two_keeps_the_larger_of_each_and_never_loses_a_nan() {
    let a = Certificate { gap: 1.0, cone: 0.1, ..Certificate::default() };
    let b = Certificate { gap: 0.5, cone: 0.2, momentum: f64::NAN, ..Certificate::default() };
    for c in [a.worst(b), b.worst(a)] {
        assert_eq!((c.gap, c.cone), (1.0, 0.2));
        assert!(c.momentum.is_nan());
    }
}
