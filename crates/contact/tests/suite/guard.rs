//! The passivity bound: impulses and corrections bring no energy into an island, whatever the model, its sweeps, its warm start, the masses.

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sym3, Twist, Vec3, trig};

/// Fewer islands where the code is not optimised.
const ISLANDS: u64 = if cfg!(debug_assertions) { 1_000 } else { 20_000 };

/// No impact took anything.
const NO_LOSSES: Losses = Losses { impacts: &[] };

/// Share of the kinetic energy that is left to the last part of the bound.
const GROSS: f64 = 1e-3;

/// A few bodies with masses over six decades, friction to 2, restitution to 1, and impulses of a last step that fit nothing.
fn island(seed: u64) -> (Toy, Vec<Impulse>) {
    let mut r = SplitMix::new(seed);
    let recipe = Recipe {
        bodies: 1 + r.index(3),
        contacts: 1 + r.index(3),
        mu: 2.0 * r.unit(),
        restitution: 1.0,
        mass_decades: 3.0,
        ..Recipe::default()
    };
    let mut toy = random(&mut r, recipe);
    if seed.is_multiple_of(2) {
        toy.groups.materials.iter_mut().for_each(|material| material.restitution = 1.0);
    }
    // No forces: what is gained is contact's doing.
    toy.v_free = toy.v_start.clone();
    let warm = toy.groups.points.iter().map(|_| {
        let size = trig::pow(10.0, r.range(-3.0, 1.0));
        [size * r.unit(), size * r.range(-0.5, 0.5), size * r.range(-0.5, 0.5)]
    });
    let warm = warm.collect();
    (toy, warm)
}

fn points(toy: &Toy) -> impl Iterator<Item = (&Head, usize)> {
    toy.groups.heads.iter().flat_map(|head| head.range().map(move |i| (head, i)))
}

/// The bound on the answer of a model.
fn bounded(toy: &Toy, out: &mut Solution) -> GuardReport {
    let mut report = GuardReport::default();
    scale_back(&toy.problem(), NO_LOSSES, &mut Scratch::default(), out, &mut report);
    report
}

#[test]
fn impulses_of_few_sweeps_from_a_wild_warm_start_are_scaled_to_bring_nothing_in() {
    let (mut scratch, mut out) = (Scratch::default(), Solution::default());
    let mut scaled = vec![0; SolverKind::ALL.len()];
    for seed in 0..ISLANDS {
        let (toy, warm) = island(seed);
        let settings = Settings { iterations: 1 + (seed % 8) as u32, ..toy.exact() };
        let start = toy.kinetic(&toy.v_start);
        for (kind, scaled) in SolverKind::ALL.iter().zip(&mut scaled) {
            let warm = Warm { points: &warm, ..Warm::default() };
            kind.solve(&settings, &toy.problem(), warm, &mut scratch, &mut out);
            let before = (out.impulses.clone(), out.v.clone());
            let report = bounded(&toy, &mut out);
            *scaled += report.scaled;
            assert_eq!(report.least_scale < 1.0, report.scaled > 0, "{kind}: {report:?}");
            if report.scaled == 0 {
                assert_eq!((&out.impulses, &out.v), (&before.0, &before.1), "{kind}: it left every bit");
            }
            let end = toy.kinetic(&out.v);
            // Hundreds of roundings over masses that differ by a million.
            let round_off = 1e-13 * (start + end + out.work.magnitude);
            assert!(end - start <= GROSS * (start + end) + round_off, "{kind} {seed}: {start} to {end}");
            // The points of these manifolds are not those of rigid bodies: the faces of `soft-step` have another velocity than its points.
            if kind.displaces() {
                continue;
            }
            let total = out.work.total();
            assert!((end - start - total).abs() <= round_off, "{kind} {seed}: books {total}");
            for (head, i) in points(&toy).filter(|_| !kind.displaces()) {
                let mu = toy.groups.materials[head.material as usize].friction_static;
                let p = out.impulses[i];
                let p_t = (p[1] * p[1] + p[2] * p[2]).sqrt();
                assert!(p_t <= mu * p[0] * (1.0 + 1e-12) && p[0] >= 0.0, "{kind}: in its cone {p:?}");
            }
        }
    }
    for (kind, scaled) in SolverKind::ALL.iter().zip(scaled) {
        println!("{kind}: {scaled} islands scaled");
        // The reference and the minimum of a convex cost forget where they began: they have nothing to take back.
        assert!(
            *kind == SolverKind::NcpNewton || kind.claim() == Claim::Soft || scaled > 0,
            "{kind}: the warm starts are wild enough"
        );
    }
}

#[test]
fn islands_with_drivers_and_trees_are_bounded_too() {
    let (mut trees, mut scaled) = (0, 0);
    for seed in 0..ISLANDS / 20 {
        let mut r = SplitMix::new(seed);
        let recipe = Recipe { bodies: 2, contacts: 4, mu: 2.0 * r.unit(), extras: true, ..Recipe::default() };
        let mut toy = random(&mut r, recipe);
        let has_tree = |head: &Head| head.side.iter().any(|side| matches!(side, Side::Tree(_)));
        trees += u32::from(toy.groups.heads.iter().any(has_tree));
        toy.v_free = toy.v_start.clone();
        let warm: Vec<Impulse> = toy.groups.points.iter().map(|_| [r.unit(), 0.3, -0.2]).collect();
        for kind in SolverKind::ALL.iter().copied().filter(|kind| !kind.displaces()) {
            let settings = Settings { iterations: 3, ..toy.exact() };
            let (mut scratch, mut out) = (Scratch::default(), Solution::default());
            let warm = Warm { points: &warm, ..Warm::default() };
            kind.solve(&settings, &toy.problem(), warm, &mut scratch, &mut out);
            // Relative to the driver: what it gives is its own work. Limits of joints belong to the island as its contacts do.
            let gain = |out: &Solution| out.work.total() - out.work.driver.value();
            let unbounded = gain(&out);
            let report = bounded(&toy, &mut out);
            scaled += report.scaled;
            let [start, end] = [&toy.v_start, &out.v].map(|v| toy.kinetic(v));
            let round_off = 1e-13 * (start + end + out.work.magnitude);
            assert!(
                gain(&out) <= GROSS * (start + end) + round_off,
                "{kind} {seed}: {unbounded} J became {} J of {start} to {end} J: {report:?}",
                gain(&out)
            );
            // The books are those of the velocities, scaled impulses included.
            let total = out.work.total();
            assert!(
                (end - start - total).abs() <= round_off,
                "{kind} {seed}: {} J, books {total}",
                end - start
            );
        }
    }
    assert!(trees > 20 && scaled > 20, "{trees} with a tree, {scaled} scaled");
}

/// A ball of 2 kg that rests 5 mm deep in the floor, with the answer of a step.
fn sunk() -> (Toy, Solution) {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(2.0, 0.1, Vec3::ZERO);
    toy.gravity(Vec3::Z * -9.81);
    toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.1, Vec3::ZERO, -0.005)], rough(0.5));
    let (out, _) = toy.solve(SolverKind::SequentialImpulse, &toy.exact());
    (toy, out)
}

#[test]
fn a_lift_costs_what_contacts_lost_in_the_same_step_and_no_more() {
    for (lift, loss, expected) in [(1e-3, 0.0, 0.0), (1e-3, 0.00981, 5e-4), (1e-3, 1.0, 1e-3)] {
        let (toy, mut out) = sunk();
        out.correction.free[0] = Twist::new(Vec3::Z * lift, Vec3::ZERO);
        let mut report = GuardReport::default();
        let (losses, mut scratch) = (Losses { impacts: &[loss] }, Scratch::default());
        limit_correction(&toy.problem(), losses, |_| false, &mut scratch, &mut out, &mut report);
        let got = out.correction.free[0].linear.z;
        // m g c = loss; a few roundings.
        assert!((got - expected).abs() < 1e-12, "a loss of {loss} J lifts by {got} m instead of {expected}");
        assert_eq!(report.limited, u32::from(expected < lift));
    }
}

#[test]
fn a_correction_downwards_is_never_cut() {
    let (toy, mut out) = sunk();
    out.correction.free[0] = Twist::new(Vec3::Z * -1e-3, Vec3::ZERO);
    let (before, mut report) = (out.correction.clone(), GuardReport::default());
    let scratch = &mut Scratch::default();
    limit_correction(&toy.problem(), NO_LOSSES, |_| false, scratch, &mut out, &mut report);
    // Cut in half, with its velocity as it is, the body would have won m·g·0.5 mm.
    assert_eq!((out.correction, report.limited), (before, 0));
}

/// The rod of ledger.md: mass 1, length 1, its lower end in contact, e = μ = 1.
fn rod() -> Toy {
    let mut toy = Toy::new(1e-3);
    let (s, c) = trig::sin_cos(0.78864);
    let start = Twist::new(Vec3::new(-0.00701, 0.0, -0.40386), Vec3::Y * -1.83771);
    let a = toy.body(1.0, Sym3::diagonal(Vec3::splat(1.0 / 12.0)), start, start);
    let arm = Vec3::new(-c, 0.0, -s) * 0.5;
    toy.contact([a, Side::Fixed], Vec3::Z, &[(arm, Vec3::ZERO, 0.0)], bouncy(1.0, 1.0));
    toy
}

#[test]
fn the_rod_that_restitution_speeds_up_keeps_its_energy_under_the_guard() {
    for (guard, ratio) in [(false, 1.5615), (true, 1.0)] {
        let mut toy = rod();
        let before = toy.kinetic(&toy.v_start);
        let settings = Settings { guard, ..toy.exact() };
        let out = toy.bounce(&settings);
        let after = toy.kinetic(&toy.v_start);
        println!("guard {guard}: T⁺/T⁻ = {}, β = {}", after / before, out.least_beta);
        // The page prints five digits.
        assert!((after / before - ratio).abs() < 1e-4, "{}", after / before);
        if guard {
            assert!(after <= before * (1.0 + 1e-14), "{}", after / before);
            assert!((out.least_beta - 0.80008).abs() < 1e-5, "{}", out.least_beta);
        }
    }
}

#[test]
fn a_motor_may_do_its_work_under_the_guard() {
    // A cart on the floor, pushed by a motor: contact adds nothing, the motor all it can.
    for &kind in SolverKind::ALL {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
        toy.inertia.free[0].inv_inertia = Sym3::ZERO;
        toy.gravity(Vec3::Z * -9.81);
        toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, 0.0)], rough(0.0));
        let row = Row { linear: Vec3::X, angular: [Vec3::ZERO; 2], target: 3.0, error: 0.0, tree: None };
        toy.row([a, Side::Fixed], Law::Bounded { lo: -0.5, hi: 0.5 }, row);
        let (mut out, _) = toy.solve(kind, &toy.exact());
        let report = bounded(&toy, &mut out);
        assert_eq!(report.scaled, 0, "{kind}");
        assert!((out.v.free[0].linear.x - 0.25).abs() < 1e-15, "{kind}: {:?}", out.v.free[0]);
    }
}

#[test]
fn a_driver_may_do_its_work_under_the_guard() {
    // A wall at 2 m/s meets a ball at rest: ½ p u_d is the driver's, and the ball leaves with its speed.
    for kind in hard() {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
        let wall = toy.driven(Twist::new(Vec3::X * 2.0, Vec3::ZERO));
        toy.contact([a, wall], Vec3::X, &[(Vec3::X * -0.5, Vec3::ZERO, 0.0)], rough(0.5));
        let (mut out, _) = toy.solve(kind, &toy.exact());
        let report = bounded(&toy, &mut out);
        assert_eq!(report.scaled, 0, "{kind}");
        assert!((out.v.free[0].linear.x - 2.0).abs() < 1e-14, "{kind}: {:?}", out.v.free[0]);
    }
}
