//! Does friction against spinning and rolling act in the impact stage as it does in the solve?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sym3, Twist, Vec3, scalar};

const G: f64 = 9.81;
const MASS: f64 = 2.0;
const RADIUS: f64 = 0.5;
const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;

fn felt(e: f64, mu: f64, levers: [f64; 2]) -> Material {
    Material { friction_torsional: levers[0], friction_rolling: levers[1], ..bouncy(e, mu) }
}

/// A ball above the floor that moves and turns.
fn ball(gap: f64, start: Twist, material: Material) -> Toy {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(MASS, RADIUS, start.linear);
    toy.v_start.free[0] = start;
    toy.gravity(Vec3::Z * -G);
    let contact = toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -RADIUS, Vec3::ZERO, gap)], material);
    toy.couple(contact);
    toy
}

/// Velocity of the ball after one bounce, the impulse N, and the turn that sets the moment of impact right.
fn bounce(toy: &mut Toy) -> (Twist, f64, Vec3) {
    let settings = toy.exact();
    let out = toy.bounce(&settings);
    assert_eq!(out.impacts, 1);
    (toy.v_start.free[0], out.impulses[0].z, out.displacement.free[0].angular)
}

#[test]
fn a_bounce_takes_lever_times_its_impulse_from_the_spin_and_never_turns_it_round() {
    let (lever, fall) = (0.004, 3.0);
    for e in [0.8, 1.0] {
        for gap in [0.0, 0.01] {
            for omega in [20.0, -20.0, 1e-3, 0.0] {
                let start = Twist::new(Vec3::Z * -fall, Vec3::Z * omega);
                let mut toy = ball(gap, start, felt(e, 0.0, [lever, 0.0]));
                let (after, n, turned) = bounce(&mut toy);
                let v = (fall * fall + 2.0 * G * gap).sqrt();
                assert!((n - MASS * v * (1.0 + e)).abs() < 1e-13, "N = m v (1 + e): {n}");
                let loss = 2.5 * lever * v * (1.0 + e) / (RADIUS * RADIUS);
                let left = if omega.abs() > loss { omega - loss.copysign(omega) } else { 0.0 };
                assert!((after.angular - Vec3::Z * left).length() < 1e-13, "{e} {gap} {omega}: {after:?}");
                // It has the new spin from the moment of impact on, not from the start of the step.
                let time = (v - fall) / G;
                assert!((turned - Vec3::Z * ((omega - left) * time)).length() < 1e-15, "{turned}");
            }
        }
    }
}

#[test]
fn a_bounce_without_friction_takes_lever_times_its_impulse_from_the_rolling() {
    let (lever, fall, e) = (0.01, 3.0, 0.8);
    let loss = 2.5 * lever * fall * (1.0 + e) / (RADIUS * RADIUS);
    let mut r = SplitMix::new(4);
    for size in [10.0, 0.5] {
        let direction = r.direction();
        let across = Vec3::new(direction.x, direction.y, 0.0).normalize();
        let omega = across * size + Vec3::Z * 3.0;
        let start = Twist::new(Vec3::new(0.7, -0.2, -fall), omega);
        let mut toy = ball(0.0, start, felt(e, 0.0, [0.0, lever]));
        let (after, _, _) = bounce(&mut toy);
        let left = across * scalar::max(size - loss, 0.0) + Vec3::Z * 3.0;
        assert!((after.angular - left).length() < 1e-13, "{after:?}, not {left:?}");
        let v = Vec3::new(0.7, -0.2, e * fall);
        assert!((after.linear - v).length() < 1e-13, "a couple moves no centre: {after:?}");
    }
}

#[test]
fn a_ball_that_sticks_in_its_bounce_rolls_off_with_five_sevenths_of_what_the_couple_leaves() {
    // m v⁺ = m v + q, I v⁺/r = −r q − a N: v⁺ = (5/7)(v − a N/(m r)), and nothing where a N r is more than m v r².
    let (fall, e, mu) = (3.0, 0.5, 0.6);
    let n = MASS * fall * (1.0 + e);
    for lever in [0.001, 0.02, 0.1] {
        let start = Twist::new(Vec3::new(0.9, 0.0, -fall), Vec3::ZERO);
        let mut toy = ball(0.0, start, felt(e, mu, [0.0, lever]));
        let (after, _, _) = bounce(&mut toy);
        let v = scalar::max(5.0 / 7.0 * (0.9 - lever * n / (MASS * RADIUS)), 0.0);
        assert!((after.linear - Vec3::new(v, 0.0, e * fall)).length() < 1e-13, "{lever}: {after:?}");
        assert!((after.angular - Vec3::Y * (v / RADIUS)).length() < 1e-12, "{lever}: {after:?}");
    }
}

#[test]
fn both_laws_hold_after_a_bounce_of_a_ball_that_slips_or_sticks_spins_and_rolls() {
    let mut kinds = [0; 4];
    for seed in 0..4000 {
        let mut r = SplitMix::new(seed);
        let (mu, levers) = (r.range(0.0, 0.8), [r.range(0.0, 0.05), r.range(0.0, 0.2)]);
        let material = Material { friction_static: 1.2 * mu, ..felt(r.unit(), mu, levers) };
        let start = Twist::new(r.in_cube() * 2.0 - Vec3::Z * 4.0, r.in_cube() * 8.0);
        let mut toy = ball(0.0, start, material);
        // Without gravity, or what hardly bounces comes back within the step.
        toy.v_free = toy.v_start.clone();
        let settings = toy.exact();
        let out = toy.bounce(&settings);
        let (head, after) = (toy.groups.heads[0], toy.v_start.free[0]);
        let p = head.to_local(out.impulses[0]);
        let tau = head.to_local(
            (after.angular - start.angular) * INERTIA
                - (Vec3::Z * -RADIUS).cross((after.linear - start.linear) * MASS),
        );
        let (u, w) = (toy.groups.relative(&head, &toy.groups.points[0], &toy.v_start), after.angular);
        let w = head.to_local(w);
        let [spins, rolls] = levers.map(|lever| lever * p[0]);
        assert!(tau[0].abs() <= spins + 1e-13, "{seed}");
        assert!(
            w[0].abs() < 1e-12 || (tau[0] + spins * w[0].signum()).abs() < 1e-13,
            "{seed}: {tau:?} {w:?}"
        );
        let law = |u: [f64; 2], p: [f64; 2], stick: f64, slip: f64| {
            let (speed, size) = (Vec3::new(u[0], u[1], 0.0).length(), Vec3::new(p[0], p[1], 0.0).length());
            if speed < 1e-12 {
                assert!(size <= stick + 1e-12, "{seed}: {size} above {stick}");
                return 0;
            }
            let off = (0..2).map(|k| (p[k] + slip * u[k] / speed).abs()).sum::<f64>();
            assert!(off < 1e-11, "{seed}: {off:e} off full size against {u:?}");
            1
        };
        let slips = law([u[1], u[2]], [p[1], p[2]], 1.2 * mu * p[0], mu * p[0]);
        let rolls = law([w[1], w[2]], [tau[1], tau[2]], rolls, rolls);
        kinds[2 * slips + rolls] += 1;
        let change = toy.kinetic(&toy.v_start)
            - 0.5 * MASS * start.linear.length_squared()
            - 0.5 * INERTIA * start.angular.length_squared();
        assert!(change <= 1e-12, "{seed}: {change}");
    }
    assert!(kinds.iter().all(|count| *count > 20), "stops, rolls, slips, slips and rolls: {kinds:?}");
}

/// Random manifolds with random levers.
fn tumble(seed: u64, extras: bool) -> Toy {
    let mut r = SplitMix::new(seed);
    let mu = 2.0 * r.unit();
    let recipe =
        Recipe { bodies: 3, contacts: 5, mu, restitution: 1.0, mass_decades: 3.0, extras, rows: false };
    let mut toy = random(&mut r, recipe);
    for material in &mut toy.groups.materials {
        let most = if seed.is_multiple_of(3) { 0.2 } else { 0.01 };
        (material.friction_torsional, material.friction_rolling) = (r.range(0.0, most), r.range(0.0, most));
    }
    for contact in 0..toy.groups.heads.len() {
        let head = toy.groups.heads[contact];
        if head.side[1] != Side::Tree(0) {
            toy.couple(contact);
        }
    }
    toy
}

#[test]
fn the_guard_holds_with_couples_and_without_it_they_add_nothing_of_their_own() {
    let mut acted = 0;
    for seed in 0..2000 {
        let mut toy = tumble(seed, false);
        toy.v_free = toy.v_start.clone();
        let settings = toy.exact();
        let before = toy.kinetic(&toy.v_start);
        let mut guarded = toy.clone();
        let out = guarded.bounce(&Settings { guard: true, ..settings });
        let gain = guarded.kinetic(&guarded.v_start) / before;
        assert!(gain <= 1.0 + 1e-14 * f64::from(1 + out.impacts), "{seed}: {gain}");
        acted += out.guarded;

        // Without friction at the points Newton's law alone adds nothing, and neither may the couple.
        for material in &mut toy.groups.materials {
            (material.friction_static, material.friction_dynamic) = (0.0, 0.0);
        }
        let out = toy.bounce(&settings);
        let gain = toy.kinetic(&toy.v_start) / before;
        assert!(gain <= 1.0 + 1e-14 * f64::from(1 + out.impacts), "{seed}: {gain} without friction");
    }
    assert!(acted > 50, "the guard was needed {acted} times");
}

#[test]
fn a_couple_adds_nothing_where_the_bounce_turns_the_spin_round() {
    // A rod hits the floor with one end and bounces back: the law has the couple against the spin after, so with the spin before. By
    // itself it would bring in (|ω⁻| − |ω⁺|) a N/2.
    for (e, spin) in [(1.0, -3.0), (0.9, -3.0), (0.5, -3.0), (1.0, 2.0)] {
        let mut toy = Toy::new(0.001);
        let start = Twist::new(Vec3::Z * if spin > 0.0 { -3.0 } else { 0.0 }, Vec3::Y * spin);
        let rod = toy.body(1.0, Sym3::diagonal(Vec3::splat(1.0 / 12.0)), start, start);
        let points = [(Vec3::X * -0.5, Vec3::ZERO, 0.0)];
        let contact = toy.contact([rod, Side::Fixed], Vec3::Z, &points, felt(e, 0.0, [0.0, 0.02]));
        toy.couple(contact);
        let settings = toy.exact();
        let before = toy.kinetic(&toy.v_start);
        let (lost_alone, alone) = {
            let mut plain = toy.clone();
            plain.groups.heads.truncate(1);
            plain.bounce(&settings);
            (before - plain.kinetic(&plain.v_start), plain.v_start.free[0].angular.y)
        };
        let (_, n, _) = bounce(&mut toy);
        let lost = before - toy.kinetic(&toy.v_start);
        assert!(lost >= -1e-15 * before, "{e} {spin}: {lost:e} J; without the couple {lost_alone:e} J");
        let after = toy.v_start.free[0];
        let tau = (after.angular.y - spin) / 12.0 - 0.5 * (after.linear.z - start.linear.z);
        assert!(tau.abs() <= 0.02 * n * (1.0 + 1e-12), "{tau} N·m·s with {n} N·s");
        if e == 0.5 || spin > 0.0 {
            assert!((tau + 0.02 * n * alone.signum()).abs() < 1e-13, "{e} {spin}: {tau}, all of it");
        }
    }
}

#[test]
fn the_books_close_on_the_start_velocity_with_couples_too() {
    for seed in 0..1000 {
        let mut toy = tumble(seed, true);
        let settings = Settings { guard: seed % 2 == 0, ..toy.exact() };
        let before = toy.v_start.clone();
        let out = toy.bounce(&settings);
        let sum = combine(&before, 0.5, &toy.v_start, 0.5);
        let change = toy.weigh(&combine(&toy.v_start, 1.0, &before, -1.0), &sum);
        let booked = out.work.total() + out.time_shift.value();
        let size = out.work.magnitude + toy.kinetic(&before);
        assert!((change - booked).abs() <= 1e-13 * size, "{seed}: {change} J, booked {booked} J");
    }
}

#[test]
fn couples_without_a_lever_change_no_bit() {
    for seed in 0..200 {
        let mut with = tumble(seed, true);
        for material in &mut with.groups.materials {
            (material.friction_torsional, material.friction_rolling) = (0.0, 0.0);
        }
        let mut without = with.clone();
        without.groups.heads.retain(|head| head.law == Law::Contact);
        let settings = Settings { guard: seed % 2 == 0, ..with.exact() };
        let (a, b) = (with.bounce(&settings), without.bounce(&settings));
        assert_eq!((with.v_start, a.impulses), (without.v_start, b.impulses), "{seed}");
    }
}

#[test]
fn a_turntable_gives_a_bouncing_ball_its_spin_and_pays_for_it() {
    let (lever, omega, fall) = (0.01, 30.0, 3.0);
    for cap in [f64::INFINITY, 6.0] {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(MASS, RADIUS, Vec3::Z * -fall);
        let table = toy.driven(Twist::new(Vec3::ZERO, Vec3::Z * omega));
        let material = felt(1.0, 0.0, [lever, 0.0]);
        let contact = toy.contact([a, table], Vec3::Z, &[(Vec3::Z * -RADIUS, Vec3::ZERO, 0.0)], material);
        toy.couple(contact);
        toy.groups.caps = if cap.is_finite() { vec![cap] } else { vec![] };
        let settings = toy.exact();
        let out = toy.bounce(&settings);
        let n = scalar::min(MASS * fall * 2.0, cap);
        let turn = lever * n;
        assert!((toy.v_start.free[0].angular.z - turn / INERTIA).abs() < 1e-13, "a N/I");
        assert!((out.drivers[0].torque_impulse.z - turn).abs() < 1e-13, "the driver turned it");
        // With a cap the driver's account has what it would have given, and `driver_cap` takes the difference back.
        let given = out.work.driver.value() + out.work.driver_cap.value();
        assert!((given - turn * omega).abs() < 1e-12, "{given}: τ Ω");
        let change = 0.5 * turn * turn / INERTIA;
        assert!((given + out.work.friction.value() - change).abs() < 1e-12, "what is no spin is heat");
    }
}
