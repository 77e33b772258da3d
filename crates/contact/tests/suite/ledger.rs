//! Does every joule of a solve have an account?

use crate::common::*;
use huygens_contact::*;
use huygens_math::SplitMix;

const RECIPE: Recipe =
    Recipe { bodies: 5, contacts: 9, mu: 0.6, restitution: 0.0, mass_decades: 0.5, rows: true, extras: true };

/// Work of the forces in the whole-step form: M(v_free − v_start)·v̄, and the size of its terms.
fn force_work(toy: &Toy, end: &Velocity) -> f64 {
    let kick = combine(&toy.v_free, 1.0, &toy.v_start, -1.0);
    toy.weigh(&kick, &drift(1.0, &toy.v_start, end))
}

fn recoveries() -> [Recovery; 3] {
    [Recovery::None, baumgarte(0.4), split_impulse(0.2, 1e-4)]
}

#[test]
fn accounts_add_up_to_the_change_of_energy_for_any_sweeps_start_and_bias() {
    let mut worst = 0.0;
    for seed in 0..60 {
        let mut r = SplitMix::new(seed);
        let mut toy = random(&mut r, RECIPE);
        toy.make_rigid();
        let warm: Vec<Impulse> =
            toy.groups.points.iter().map(|_| [r.unit(), 0.3 * r.range(-1.0, 1.0), 0.0]).collect();
        let warm_rows: Vec<f64> = toy.groups.rows.iter().map(|_| 0.2 * r.range(-1.0, 1.0)).collect();
        for &kind in SolverKind::ALL {
            for recovery in recoveries() {
                let toy = toy.recovering(recovery);
                for iterations in [1, 2, 50] {
                    for warm in [Warm::default(), Warm { points: &warm, rows: &warm_rows, ..Warm::default() }]
                    {
                        let settings = Settings { iterations, ..toy.exact() };
                        let mut out = Solution::default();
                        kind.solve(&settings, &toy.problem(), warm, &mut Scratch::default(), &mut out);
                        let (before, after) = (toy.kinetic(&toy.v_start), toy.kinetic(&out.v));
                        let change = after - before;
                        let booked = out.work.total() + force_work(&toy, &out.v);
                        let size = before + after + out.work.magnitude;
                        // ledger.md: 64 roundings of everything that was added; inertia ratios here are below 10.
                        let share = (change - booked).abs() / (f64::EPSILON * size);
                        assert!(share <= 64.0, "{kind} {recovery:?} {iterations}: {share}");
                        worst = huygens_math::scalar::max(share, worst);
                    }
                }
            }
        }
    }
    assert!(worst > 0.0 && worst.is_finite(), "the test looked at something");
    println!("worst residual: {worst:.1} roundings");
}

#[test]
fn increments_inside_the_sweeps_telescope_to_the_end_velocity_form() {
    for seed in 0..60 {
        let mut r = SplitMix::new(100 + seed);
        let toy = random(&mut r, RECIPE);
        let warm: Vec<Impulse> = toy.groups.points.iter().map(|_| [r.unit(), 0.1, 0.0]).collect();
        for kind in hard() {
            for iterations in [1, 50] {
                let settings = Settings { iterations, ..toy.exact() };
                let mut out = Solution::default();
                let warm = Warm { points: &warm, ..Warm::default() };
                kind.solve(&settings, &toy.problem(), warm, &mut Scratch::default(), &mut out);
                let change = toy.kinetic(&out.v) - toy.kinetic(&toy.v_free);
                let told = out.work.increments.value() + out.work.driver.value();
                let size = toy.kinetic(&out.v) + toy.kinetic(&toy.v_free) + out.work.magnitude;
                // Round-off of the velocity gathers over the sweeps: up to 50 × 40 visits.
                assert!((change - told).abs() <= 2e4 * f64::EPSILON * size, "{kind} {change} {told}");
            }
        }
    }
}

#[test]
fn a_frictionless_cold_solve_never_creates_energy() {
    for seed in 0..200 {
        let mut r = SplitMix::new(200 + seed);
        let recipe = Recipe { mu: 0.0, mass_decades: 3.0, rows: false, extras: false, ..RECIPE };
        let toy = random(&mut r, recipe);
        let mut touching = toy.clone();
        for point in &mut touching.groups.points {
            point.gap = huygens_math::scalar::min(point.gap, 0.0);
        }
        for kind in rigid() {
            for iterations in [1, 2, 7, 50] {
                let (out, _) = touching.solve(kind, &Settings { iterations, ..touching.exact() });
                let (before, after) = (touching.kinetic(&touching.v_free), touching.kinetic(&out.v));
                assert!(after <= before * (1.0 + 1e-14), "{kind} {iterations}: {before} → {after}");
            }
        }
    }
}

#[test]
fn driver_work_is_its_impulse_times_its_velocity() {
    for seed in 0..60 {
        let mut r = SplitMix::new(300 + seed);
        let toy = random(&mut r, RECIPE);
        let (out, _) = toy.solve(SolverKind::SequentialImpulse, &toy.exact());
        let load = out.drivers[0];
        let twist = toy.groups.driven[0];
        let expected = load.impulse.dot(twist.linear) + load.torque_impulse.dot(twist.angular);
        assert!((load.work - expected).abs() <= 1e-13 * out.work.magnitude);
        assert!((load.work - out.work.driver.value()).abs() <= 1e-14 * out.work.magnitude);
    }
}

#[test]
fn a_body_at_rest_shows_no_heat() {
    let mut toy = Toy::new(0.004);
    let a = toy.sphere(2.0, 0.5, huygens_math::Vec3::ZERO);
    toy.gravity(huygens_math::Vec3::Z * -9.81);
    let arm = huygens_math::Vec3::Z * -0.5;
    toy.contact([a, Side::Fixed], huygens_math::Vec3::Z, &[(arm, arm, 0.0)], rough(0.5));
    for kind in hard() {
        let (out, report) = toy.solve(kind, &toy.exact());
        assert_eq!(report.stopped, Stop::Converged);
        assert_eq!(out.v.free[0].linear.length(), 0.0);
        assert_eq!((out.work.impact.value(), out.work.friction.value()), (0.0, 0.0));
        // The impulse carries the weight.
        assert!((out.impulses[0][0] - 2.0 * 9.81 * 0.004).abs() < 1e-16);
    }
}

#[test]
fn baumgarte_work_is_half_impulse_times_bias() {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(2.0, 0.5, huygens_math::Vec3::Z * -1.0);
    let arm = huygens_math::Vec3::Z * -0.5;
    toy.contact([a, Side::Fixed], huygens_math::Vec3::Z, &[(arm, arm, -0.02)], rough(0.5));
    let recovery = baumgarte(0.5);
    for kind in hard() {
        let (out, _) = toy.recovering(recovery).solve(kind, &toy.exact());
        // b = 0.5·0.02/0.01 = 1 m/s, p = m (1 + 1) = 4 N·s: ½ p b = 2 J brought in, ½ p |u*| = 2 J lost.
        assert!((out.work.stabilisation.value() - 2.0).abs() < 1e-14);
        assert!((out.work.impact.value() + 2.0).abs() < 1e-14);
        assert!((out.v.free[0].linear.z - 1.0).abs() < 1e-15);
    }
}
