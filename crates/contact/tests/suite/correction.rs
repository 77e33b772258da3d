//! Does the correction keep positions admissible, with the smallest displacement and no velocity?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Twist, Vec3, scalar};

fn correct_toy(toy: &Toy, settings: &Settings, s: &Velocity) -> (Velocity, CorrectionReport) {
    let mut c = Velocity::default();
    let report = correct(settings, &toy.problem(), s, &mut Scratch::default(), &mut c);
    (c, report)
}

fn ball(gap: f64, u: f64) -> Toy {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(2.0, 0.5, Vec3::Z * u);
    toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, gap)], rough(0.5));
    toy
}

fn up(z: f64) -> Velocity {
    Velocity { free: vec![Twist::new(Vec3::Z * z, Vec3::ZERO)], dof: vec![] }
}

#[test]
fn a_ball_is_not_driven_in_and_not_held_off() {
    for (gap, s, expected) in [
        (0.0, -0.005, 0.005),   // at the surface: no way in
        (0.003, -0.005, 0.002), // may close its gap
        (0.006, -0.005, 0.0),   // does not reach it
        (-0.01, -0.005, 0.005), // not deeper than it is
        (-0.01, 0.001, 0.0),    // coming out by itself
    ] {
        let toy = ball(gap, 0.0);
        let (c, report) = correct_toy(&toy, &toy.exact(), &up(s));
        assert!((c.free[0].linear.z - expected).abs() < 1e-16, "{gap} {s}: {c:?}");
        assert_eq!(report.sweeps == 0, expected == 0.0);
    }
}

#[test]
fn a_satisfied_contact_costs_nothing_and_gives_exact_zeros() {
    let toy = ball(0.0, 0.0);
    for s in [0.0, 1e-3, -0.9e-14] {
        let (c, report) = correct_toy(&toy, &toy.exact(), &up(s));
        assert_eq!((c, report), (up(0.0), CorrectionReport::default()));
    }
}

#[test]
fn recoveries_undo_their_share_of_the_overlap() {
    let toy = ball(-0.01, 0.0);
    for (recovery, expected) in [
        (Recovery::None, 0.0),
        (split_impulse(0.2, 0.002), 0.2 * 0.008),
        (split_impulse(0.2, 0.02), 0.0),
        (baumgarte(0.5), 0.005),
        (Recovery::Baumgarte { erp: 0.5, cap: 0.1, max_step: f64::INFINITY }, 0.001),
    ] {
        let (c, _) = correct_toy(&toy.recovering(recovery), &toy.exact(), &up(0.0));
        assert!((c.free[0].linear.z - expected).abs() < 1e-16, "{recovery:?}: {c:?}");
    }
}

#[test]
fn a_driven_side_pushes_by_its_own_displacement() {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
    let plate = toy.driven(Twist::new(Vec3::Z * 0.3, Vec3::ZERO));
    toy.contact([a, plate], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, 0.001)], rough(0.5));
    let (c, _) = correct_toy(&toy, &toy.exact(), &up(0.0));
    assert!((c.free[0].linear.z - (0.003 - 0.001)).abs() < 1e-17);
}

#[test]
fn random_heaps_end_admissible() {
    let recipe = Recipe { bodies: 6, contacts: 9, mu: 0.5, extras: true, ..Recipe::default() };
    for seed in 0..60 {
        let mut r = SplitMix::new(seed);
        let toy = random(&mut r, recipe);
        let recovery = split_impulse(0.2, 1e-3);
        let toy = toy.recovering(recovery);
        let settings = Settings { tolerance: 1e-14, iterations: 100_000, ..toy.exact() };
        let s = drift(toy.h, &toy.v_start, &toy.v_free);
        let (c, _) = correct_toy(&toy, &settings, &s);
        let all = combine(&s, 1.0, &c, 1.0);
        let mut shortfall = 0.0;
        for head in &toy.groups.heads {
            for point in &toy.groups.points[head.range()] {
                let moved =
                    toy.groups.normal_rate(head, point, &all) + toy.h * toy.groups.prescribed(head, point)[0];
                let asked =
                    if point.gap > 0.0 { -point.gap } else { 0.2 * scalar::max(-point.gap - 1e-3, 0.0) };
                shortfall = scalar::max(asked - moved, shortfall);
            }
        }
        // Gauss–Seidel stops when a sweep moves nothing by 1e-14; slow directions are a hundred times that.
        assert!(shortfall < 1e-11, "{seed}: {shortfall}");
    }
}

#[test]
fn the_correction_is_the_smallest_one() {
    // Two balls of mass 1 and 3 overlap by 0.04: minimal cᵀMc shares it in inverse proportion to the masses.
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(1.0, 0.5, Vec3::ZERO);
    let b = toy.sphere(3.0, 0.5, Vec3::ZERO);
    toy.contact([a, b], Vec3::X, &[(Vec3::X * -0.48, Vec3::X * 0.48, -0.04)], rough(0.5));
    let recovery = split_impulse(1.0, 0.0);
    let rest = Velocity { free: vec![Twist::ZERO; 2], dof: vec![] };
    let (c, _) = correct_toy(&toy.recovering(recovery), &toy.exact(), &rest);
    assert!((c.free[0].linear.x - 0.03).abs() < 1e-16 && (c.free[1].linear.x + 0.01).abs() < 1e-16, "{c:?}");
}

#[test]
fn joints_and_limits_are_corrected_and_motors_are_not() {
    let row = |error| Row { linear: Vec3::Z, angular: [Vec3::ZERO; 2], target: 0.0, error, tree: None };
    let recovery = split_impulse(0.5, 0.0);
    for (law, error, expected) in [
        (Law::Equality, 0.02, -0.01),
        (Law::Equality, -0.02, 0.01),
        (Law::Unilateral, -0.02, 0.01),
        (Law::Unilateral, 0.02, 0.0),
        (Law::Bounded { lo: -1.0, hi: 1.0 }, 0.02, 0.0),
    ] {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
        toy.row([a, Side::Fixed], law, row(error));
        let (c, _) = correct_toy(&toy.recovering(recovery), &toy.exact(), &up(0.0));
        assert!((c.free[0].linear.z - expected).abs() < 1e-17, "{law:?} {error}: {c:?}");
    }
}

#[test]
fn what_cannot_move_stays_even_when_overlapping() {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(1.0, 0.5, Vec3::ZERO);
    toy.lock_translation(0);
    let direction = Vec3::new(0.6, 0.48, 0.64);
    toy.contact([a, Side::Fixed], direction, &[(direction * -0.5, Vec3::ZERO, -0.1)], rough(0.5));
    let recovery = split_impulse(1.0, 0.0);
    let (c, _) = correct_toy(&toy.recovering(recovery), &toy.exact(), &up(0.0));
    assert_eq!(c.free[0], Twist::ZERO);
}
