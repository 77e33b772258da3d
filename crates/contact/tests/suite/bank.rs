//! Does a recovery cost no more than contact has paid for?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{Twist, Vec3};

const SPLIT: Recovery = split_impulse(0.5, 0.0);
const G: f64 = 10.0;

/// A ball of 2 kg at rest, 10 cm deep in the floor.
fn sunk() -> Toy {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
    toy.gravity(Vec3::Z * -G);
    toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.45, Vec3::ZERO, -0.1)], rough(0.5));
    toy.recovering(SPLIT)
}

/// The correction of a ball that the integrator moves by `s`, and the balance after it.
fn lift(toy: &Toy, s: f64, balance: f64) -> (f64, f64) {
    let settings = Settings { guard: true, ..toy.exact() };
    let s = Velocity { free: vec![Twist::new(Vec3::Z * s, Vec3::ZERO)], dof: vec![] };
    let mut bank = Bank { free: vec![balance], trees: vec![] };
    let (mut scratch, mut c) = (Scratch::default(), Velocity::default());
    correct_from_bank(
        &settings,
        &toy.problem(),
        &Way { s: &s, capped: &[], held: Held::default() },
        &bank,
        &mut scratch,
        &mut c,
    );
    let idle = Solution { impulses: vec![[0.0; 3]], v: toy.v_start.clone(), ..Solution::default() };
    bank.settle(&toy.problem(), &ImpactOutcome::default(), &idle, &mut scratch);
    (c.free[0].linear.z, bank.free[0])
}

#[test]
fn a_sunken_ball_rises_as_far_as_its_balance_pays_for() {
    // Half of 0.1 m is wanted: 2 kg × 10 m/s² × 0.05 m = 1 J.
    for (balance, up, left) in [(0.0, 0.0, 0.0), (0.25, 0.0125, 0.0), (1.0, 0.05, 0.0), (3.0, 0.05, 2.0)] {
        let (c, after) = lift(&sunk(), 0.0, balance);
        assert!((c - up).abs() < 1e-15, "{balance} J: {c}");
        assert!((after - left).abs() < 1e-14, "{balance} J: {after}");
    }
}

#[test]
fn not_to_sink_deeper_is_free_and_so_is_rising_where_nothing_weighs() {
    let (c, after) = lift(&sunk(), -0.01, 0.0);
    assert!((c - 0.01).abs() < 1e-15 && after == 0.0, "the step's own fall is stopped: {c}");
    let mut weightless = sunk();
    weightless.v_free = weightless.v_start.clone();
    let (c, after) = lift(&weightless, 0.0, 0.0);
    assert!((c - 0.05).abs() < 1e-15 && after == 0.0, "{c}");
}

#[test]
fn what_contact_takes_out_is_credited_half_to_each_side() {
    // Two balls of 1 kg meet at ±1 m/s without restitution: 1 J is lost.
    for kind in hard() {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(1.0, 0.5, Vec3::X * -1.0);
        let b = toy.sphere(1.0, 0.5, Vec3::X);
        toy.contact([a, b], Vec3::X, &[(Vec3::X * -0.5, Vec3::X * 0.5, 0.0)], rough(0.5));
        let settings = Settings { guard: true, ..toy.exact() };
        let (mut scratch, mut out) = (Scratch::default(), Solution::default());
        kind.solve(&settings, &toy.problem(), Warm::default(), &mut scratch, &mut out);
        let mut bank = Bank::default();
        bank.settle(&toy.problem(), &ImpactOutcome::default(), &out, &mut scratch);
        assert!(bank.free.iter().all(|x| (x - 0.5).abs() < 1e-15), "{kind}: {bank:?}");
    }
}

#[test]
fn an_impact_with_restitution_feeds_the_bank_too() {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(2.0, 0.5, Vec3::Z * -3.0);
    toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, 0.0)], bouncy(0.5, 0.0));
    let settings = Settings { guard: true, ..toy.exact() };
    let impact = toy.bounce(&settings);
    let (out, _) = toy.solve(SolverKind::SequentialImpulse, &settings);
    let mut bank = Bank::default();
    bank.settle(&toy.problem(), &impact, &out, &mut Scratch::default());
    // ½ m u² (1 − e²).
    assert!((bank.free[0] - 9.0 * 0.75).abs() < 1e-14, "{bank:?}");
}
