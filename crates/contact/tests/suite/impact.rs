//! Does the impact stage bounce as the textbooks say, and at the surface?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sym3, Twist, Vec3, trig};

const G: f64 = 9.81;

/// A ball above the floor; its height is its gap.
fn ball(gap: f64, u: f64, e: f64, h: f64) -> Toy {
    let mut toy = Toy::new(h);
    let a = toy.sphere(2.0, 0.5, Vec3::Z * u);
    toy.gravity(Vec3::Z * -G);
    toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, gap)], bouncy(e, 0.3));
    toy
}

/// Height and speed after the step: the stage, then kick-drift-kick without further contact.
fn after(toy: &mut Toy, gap: f64, settings: &Settings) -> (f64, f64, ImpactOutcome) {
    let out = toy.bounce(settings);
    let s = drift(toy.h, &toy.v_start, &toy.v_free);
    let z = gap + s.free[0].linear.z + out.displacement.free[0].linear.z;
    (z, toy.v_free.free[0].linear.z, out)
}

#[test]
fn jsim_example_gives_9_newton_seconds() {
    let mut toy = ball(0.0, -3.0, 0.5, 0.01);
    let settings = toy.exact();
    let out = toy.bounce(&settings);
    assert!((out.impulses[0].z - 9.0).abs() < 1e-12);
    assert!((toy.v_start.free[0].linear.z - 1.5).abs() < 1e-12);
}

#[test]
fn a_ball_follows_the_true_trajectory_whatever_the_phase_of_the_impact() {
    for e in [0.3, 0.5, 0.8, 1.0] {
        for k in 0..=20 {
            let (u, h) = (-4.0, 1.0 / 60.0);
            let gap = 0.06 * f64::from(k) / 20.0;
            let mut toy = ball(gap, u, e, h);
            let settings = toy.exact();
            let (z, v, out) = after(&mut toy, gap, &settings);
            // The parabola before, the bounce at the surface, the parabola after.
            let speed = (u * u + 2.0 * G * gap).sqrt();
            let tau = (speed + u) / G;
            let left = h - tau;
            let (exact_z, exact_v) = (e * speed * left - 0.5 * G * left * left, e * speed - G * left);
            assert!((z - exact_z).abs() < 1e-13, "{e} {gap}: {z} {exact_z}");
            assert!((v - exact_v).abs() < 1e-13, "{e} {gap}: {v} {exact_v}");
            // The loss is the textbook's, and nothing for an elastic bounce.
            let loss = 0.5 * 2.0 * (1.0 - e * e) * speed * speed;
            assert!((out.work.impact.value() + loss).abs() < 1e-13 * 32.0, "{e} {gap}");
            // −M a·d = +τ p·J a: what the displacement does to the potential cancels with the shift in time.
            let potential = 2.0 * G * out.displacement.free[0].linear.z;
            assert!((potential + out.time_shift.value()).abs() < 1e-13, "{e} {gap}");
        }
    }
}

#[test]
fn a_ball_that_rises_and_falls_back_inside_the_step_bounces_too() {
    let (gap, u, e, h) = (0.01, 0.5, 0.9, 0.2);
    let mut toy = ball(gap, u, e, h);
    let settings = toy.exact();
    let (z, v, out) = after(&mut toy, gap, &settings);
    let speed = (u * u + 2.0 * G * gap).sqrt();
    let left = h - (u + speed) / G;
    assert_eq!(out.impacts, 1);
    assert!((z - (e * speed * left - 0.5 * G * left * left)).abs() < 1e-15);
    assert!((v - (e * speed - G * left)).abs() < 1e-15);
}

#[test]
fn several_bounces_fit_in_one_long_step() {
    let (e, h) = (0.5, 1.0);
    let mut toy = ball(1.0, 0.0, e, h);
    let settings = Settings { restitution_threshold: 0.5, ..toy.exact() };
    let (z, v, out) = after(&mut toy, 1.0, &settings);
    // Drop, bounce to 0.25, second bounce at τ₁ + 2 e u/g, third when? u halves: 4.43, 2.21, 1.11, 0.55.
    let u = (2.0 * G).sqrt();
    let fall = u / G;
    let times = [fall, fall + 2.0 * 0.5 * u / G, fall + 2.0 * 0.75 * u / G];
    let hits = times.iter().filter(|&&t| t <= h).count();
    assert_eq!(out.impacts as usize, hits);
    let (last, rebound) = (times[hits - 1], u * if hits == 2 { 0.25 } else { 0.125 });
    let left = h - last;
    assert!((z - (rebound * left - 0.5 * G * left * left)).abs() < 1e-14, "{z}");
    assert!((v - (rebound - G * left)).abs() < 1e-14, "{v}");
}

/// One whole step of balls: impact, solve, correction, drift. Heights are of the lowest points, masses 2.
fn step(toy: &mut Toy, z: &mut [f64], gap: impl Fn(&[f64]) -> Vec<f64>, settings: &Settings) -> Solution {
    for (point, gap) in toy.groups.points.iter_mut().zip(gap(z)) {
        point.gap = gap;
    }
    toy.gravity(Vec3::Z * -G);
    let bounced = toy.bounce(settings);
    let (mut out, _) = toy.solve(SolverKind::SequentialImpulse, settings);
    let mut s = drift(toy.h, &toy.v_start, &out.v);
    s = combine(&s, 1.0, &bounced.displacement, 1.0);
    correct(settings, &toy.problem(), &s, &mut Scratch::default(), &mut out.correction);
    let s = combine(&s, 1.0, &out.correction, 1.0);
    for (z, s) in z.iter_mut().zip(&s.free) {
        *z += s.linear.z;
    }
    toy.v_start = out.v.clone();
    out
}

#[test]
fn an_elastic_ball_keeps_its_energy_however_low_it_bounces() {
    // From 10 m/s down to bounces that last a single step (g h = 0.16 m/s); below the threshold it rests.
    for height in [5.0, 0.3, 0.02, 0.004, 0.001] {
        let mut toy = ball(height, 0.0, 1.0, 1.0 / 60.0);
        let settings = Settings { restitution_threshold: 0.03, ..toy.exact() };
        let mut z = [height];
        for k in 0..2000 {
            step(&mut toy, &mut z, |z| z.to_vec(), &settings);
            let v = toy.v_start.free[0].linear.z;
            let energy = (0.5 * v * v + G * z[0]) / (G * height);
            // 2000 steps of a few roundings each.
            assert!((energy - 1.0).abs() < 1e-11, "{height}: {energy} in step {k}");
            assert!(z[0] > -1e-12);
        }
    }
}

#[test]
fn a_bouncing_ball_comes_to_rest_after_the_time_of_zeno() {
    // Case 15: √(2h/g)(1 + e)/(1 − e), to 1 %.
    for (e, exact) in [(0.5, 1.354_571), (0.8, 4.063_713)] {
        let mut toy = ball(1.0, 0.0, e, 1.0 / 240.0);
        let settings = Settings { restitution_threshold: 0.01 * G.sqrt(), ..toy.exact() };
        let (mut z, mut time) = ([1.0], 0.0);
        while (z[0] > 1e-9 || toy.v_start.free[0].linear.z != 0.0) && time < 10.0 {
            step(&mut toy, &mut z, |z| z.to_vec(), &settings);
            time += toy.h;
        }
        assert!((time / exact - 1.0).abs() < 0.01, "{e}: {time}");
    }
}

#[test]
fn apexes_are_e_squared_for_every_phase_of_the_step() {
    // Case 14: 0.5 % of h at 1/240 s, never above.
    for k in 0..50 {
        let height = 1.0 + 0.004 * f64::from(k);
        for e in [0.3, 0.5, 0.8, 0.95, 1.0] {
            let mut toy = ball(height, 0.0, e, 1.0 / 240.0);
            let settings = Settings { restitution_threshold: 0.01 * G.sqrt(), ..toy.exact() };
            let (mut z, mut apex, mut rising) = ([height], 0.0, false);
            for _ in 0..600 {
                step(&mut toy, &mut z, |z| z.to_vec(), &settings);
                let v = toy.v_start.free[0].linear.z;
                if v > 0.0 {
                    rising = true;
                } else if rising {
                    // The exact apex from energy, so that the sampling of the step does not matter.
                    apex = z[0] + v * v / (2.0 * G);
                    break;
                }
            }
            assert!((apex - e * e * height).abs() < 1e-12, "{e} {height}: {apex}");
        }
    }
}

/// A box on the floor with four corners, some of them a little up.
fn uneven_box(gaps: [f64; 4], e: f64) -> Toy {
    let mut toy = Toy::new(1.0 / 60.0);
    let a = toy.body(2.0, Sym3::diagonal(Vec3::splat(0.4)), Twist::ZERO, Twist::ZERO);
    toy.gravity(Vec3::Z * -G);
    let xy = [(0.5, 0.4), (-0.5, 0.4), (-0.5, -0.4), (0.5, -0.4)];
    let corners: Vec<_> =
        xy.iter().zip(gaps).map(|(&(x, y), gap)| (Vec3::new(x, y, -0.3), Vec3::ZERO, gap)).collect();
    toy.contact([a, Side::Fixed], Vec3::Z, &corners, bouncy(e, 0.5));
    toy
}

#[test]
fn a_box_at_rest_does_not_bounce_on_a_corner_that_is_a_little_up() {
    // g h = 0.16 m/s is far above the threshold: only support tells that the box does not fall.
    for gaps in [[-1e-4, 0.0, 0.0, 2e-4], [1e-5, 1e-5, 1e-5, 2e-4], [0.0, 0.0, 5e-4, 5e-4]] {
        let mut toy = uneven_box(gaps, 0.8);
        let settings = Settings { restitution_threshold: 0.03, ..toy.exact() };
        let out = toy.bounce(&settings);
        assert_eq!(out.impacts, 0, "{gaps:?}");
    }
    // The same box a millimetre up falls, and bounces.
    let mut toy = uneven_box([1e-3; 4], 0.8);
    let settings = Settings { restitution_threshold: 0.03, ..toy.exact() };
    assert_eq!(toy.bounce(&settings).impacts, 1);
}

#[test]
fn what_stands_on_something_held_is_held_and_a_falling_pair_is_not() {
    let pair = |lower: f64, shelf: f64| {
        let mut toy = Toy::new(1.0 / 60.0);
        let a = toy.sphere(1.0, 0.5, Vec3::ZERO);
        let b = toy.sphere(1.0, 0.5, Vec3::ZERO);
        toy.gravity(Vec3::Z * -G);
        let (down, up) = (Vec3::Z * -0.5, Vec3::Z * 0.5);
        toy.contact([a, Side::Fixed], Vec3::Z, &[(down, Vec3::ZERO, lower)], bouncy(0.8, 0.0));
        toy.contact([b, a], Vec3::Z, &[(down, up, 0.0)], bouncy(0.8, 0.0));
        // A shelf just below the upper ball, off its centre.
        toy.contact([b, Side::Fixed], Vec3::Z, &[(Vec3::X * 0.5, Vec3::ZERO, shelf)], bouncy(0.8, 0.0));
        let settings = Settings { restitution_threshold: 0.03, ..toy.exact() };
        toy.bounce(&settings).impacts
    };
    assert_eq!(pair(0.0, 5e-4), 0);
    assert!(pair(1.0, 5e-4) > 0);
}

#[test]
fn a_ball_on_a_held_box_meets_it_with_its_own_fall_alone() {
    // The box rests; the ball falls on it from 0.02 m at −1 m/s and bounces elastically: box and floor pass it on.
    let mut toy = Toy::new(1.0 / 60.0);
    let base = toy.sphere(2.0, 0.5, Vec3::ZERO);
    let ball = toy.sphere(2.0, 0.5, Vec3::Z * -1.0);
    toy.gravity(Vec3::Z * -G);
    let (down, up) = (Vec3::Z * -0.5, Vec3::Z * 0.5);
    let gap = 0.01;
    toy.contact([base, Side::Fixed], Vec3::Z, &[(down, Vec3::ZERO, 0.0)], bouncy(1.0, 0.0));
    toy.contact([ball, base], Vec3::Z, &[(down, up, gap)], bouncy(1.0, 0.0));
    let settings = Settings { restitution_threshold: 0.03, ..toy.exact() };
    let out = toy.bounce(&settings);
    let speed = (1.0 + 2.0 * G * gap).sqrt();
    let tau = (speed - 1.0) / G;
    // Ball and box swap, the box comes back from the floor, and they swap again: v' + aτ = +speed.
    assert!((toy.v_start.free[1].linear.z - (speed + G * tau)).abs() < 1e-13);
    assert!(toy.v_start.free[0].linear.z.abs() < 1e-13);
    assert!(out.work.impact.value().abs() < 1e-13);
}

#[test]
fn slow_impacts_do_not_bounce() {
    let mut toy = ball(0.0, -0.02, 0.5, 0.01);
    let settings = Settings { restitution_threshold: 0.03, ..toy.exact() };
    let before = toy.v_start.clone();
    let out = toy.bounce(&settings);
    assert_eq!((out.impacts, toy.v_start), (0, before));
    assert_eq!(out.displacement.free[0], Twist::ZERO);
}

#[test]
fn the_books_close_on_the_start_velocity() {
    for seed in 0..100 {
        let mut r = SplitMix::new(seed);
        let recipe = Recipe {
            bodies: 5,
            contacts: 8,
            mu: 0.4,
            restitution: 0.9,
            mass_decades: 0.5,
            rows: true,
            extras: true,
        };
        let mut toy = random(&mut r, recipe);
        for guard in [false, true] {
            let settings = Settings { guard, ..toy.exact() };
            let before = toy.kinetic(&toy.v_start);
            let out = toy.bounce(&settings);
            let after = toy.kinetic(&toy.v_start);
            let booked = out.work.total() + out.time_shift.value();
            let size = before + after + out.work.magnitude;
            // As in ledger.md; impacts of one step add up in the velocity, so each may round it once more.
            let bound = 64.0 * f64::EPSILON * size * f64::from(1 + out.impacts);
            assert!((after - before - booked).abs() <= bound, "{seed}: {} {booked}", after - before);
        }
    }
}

#[test]
fn central_collisions_are_exact_for_mass_ratios_from_1e_4_to_1e4() {
    for ratio in [1e-4, 1e-2, 1.0, 1e2, 1e4] {
        for e in [0.25, 0.5, 1.0] {
            let (m1, m2, v1, v2) = (1.0, ratio, 2.0, -0.5);
            let mut toy = Toy::new(0.01);
            let a = toy.sphere(m1, 0.1, Vec3::X * v1);
            let b = toy.sphere(m2, 0.1, Vec3::X * v2);
            // Half the step away: the closing speed is 2.5.
            toy.contact([a, b], -Vec3::X, &[(Vec3::X * 0.1, Vec3::X * -0.1, 0.0125)], bouncy(e, 0.0));
            let settings = toy.exact();
            let out = toy.bounce(&settings);
            let total = m1 + m2;
            let first = (m1 * v1 + m2 * v2 - m2 * e * (v1 - v2)) / total;
            let second = (m1 * v1 + m2 * v2 + m1 * e * (v1 - v2)) / total;
            assert!((toy.v_start.free[0].linear.x - first).abs() < 1e-12, "{ratio} {e}");
            assert!((toy.v_start.free[1].linear.x - second).abs() < 1e-12, "{ratio} {e}");
            let loss = 0.5 * m1 * m2 / total * (1.0 - e * e) * scalar_square(v1 - v2);
            assert!((out.work.impact.value() + loss).abs() <= 1e-12 * (1.0 + loss), "{ratio} {e}");
        }
    }
}

fn scalar_square(x: f64) -> f64 {
    x * x
}

#[test]
fn oblique_equal_spheres_part_at_a_right_angle() {
    // Case 20: offset b = R of the line of centres, sin = b/2R = 1/2.
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(1.0, 0.5, Vec3::X * 3.0);
    let b = toy.sphere(1.0, 0.5, Vec3::ZERO);
    let n = -Vec3::new(0.75f64.sqrt(), 0.5, 0.0);
    toy.contact([a, b], n, &[(n * -0.5, n * 0.5, 0.0)], bouncy(1.0, 0.0));
    let settings = toy.exact();
    let before = toy.kinetic(&toy.v_start);
    toy.bounce(&settings);
    let [u, v] = [toy.v_start.free[0].linear, toy.v_start.free[1].linear];
    assert!(u.dot(v).abs() < 1e-12);
    assert!((u + v - Vec3::X * 3.0).length() < 1e-12);
    assert!((toy.kinetic(&toy.v_start) / before - 1.0).abs() < 1e-12);
}

/// Five touching balls, the first `k` of them moving, their contacts listed in the given order.
fn cradle(k: usize, order: &[usize]) -> Toy {
    let mut toy = Toy::new(0.001);
    let side: Vec<Side> =
        (0..5).map(|i| toy.sphere(1.0, 0.1, if i < k { Vec3::X } else { Vec3::ZERO })).collect();
    for &i in order {
        let points = [(Vec3::X * 0.1, Vec3::X * -0.1, 0.0)];
        toy.contact([side[i], side[i + 1]], -Vec3::X, &points, bouncy(1.0, 0.0));
    }
    toy
}

#[test]
fn newtons_cradle_lets_as_many_out_as_came_in_whatever_the_order_of_the_contacts() {
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        for k in 1..5 {
            let mut toy = cradle(k, &order);
            let settings = toy.exact();
            let out = toy.bounce(&settings);
            assert!(!out.unfinished);
            for (i, twist) in toy.v_start.free.iter().enumerate() {
                let expected = if i >= 5 - k { 1.0 } else { 0.0 };
                assert!((twist.linear.x - expected).abs() < 1e-14, "{k} in, ball {i}: {twist:?}");
            }
            assert!(out.work.impact.value().abs() < 1e-14);
        }
    }
}

#[test]
fn a_lossy_cradle_comes_to_an_end() {
    let mut toy = cradle(1, &[0, 1, 2, 3]);
    for material in &mut toy.groups.materials {
        material.restitution = 0.5;
    }
    let settings = Settings { restitution_threshold: 0.01, ..toy.exact() };
    let before = toy.kinetic(&toy.v_start);
    let out = toy.bounce(&settings);
    assert!(!out.unfinished);
    let total: f64 = toy.v_start.free.iter().map(|t| t.linear.x).sum();
    assert!((total - 1.0).abs() < 1e-14);
    assert!(toy.kinetic(&toy.v_start) < before);
    for pair in toy.v_start.free.windows(2) {
        assert!(pair[1].linear.x - pair[0].linear.x > -0.01, "nothing closes faster than the threshold");
    }
}

#[test]
fn a_rod_that_hits_a_stop_with_one_end_takes_a_quarter_of_its_momentum() {
    // Case 24: p = (1 + e) m v/4, ω = 3 (1 + e) v/2L.
    for e in [1e-9, 0.5, 1.0] {
        let (m, length, v) = (2.0, 1.5, 3.0);
        let mut toy = Toy::new(0.01);
        let across = m * length * length / 12.0;
        let start = Twist::new(Vec3::Z * -v, Vec3::ZERO);
        let inertia = Sym3::diagonal(Vec3::new(1e-3, across, across));
        let a = toy.body(m, inertia, start, start);
        toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::X * length * 0.5, Vec3::ZERO, 0.0)], bouncy(e, 0.0));
        let settings = toy.exact();
        let out = toy.bounce(&settings);
        assert!((out.impulses[0].z - (1.0 + e) * m * v / 4.0).abs() < 1e-12);
        let after = toy.v_start.free[0];
        assert!((after.linear.z + v * (1.0 - (1.0 + e) / 4.0)).abs() < 1e-12);
        assert!((after.angular.length() - (1.0 + e) * 1.5 * v / length).abs() < 1e-12);
        if e < 1e-8 {
            let lost = -out.work.impact.value();
            assert!((lost - 0.25 * 0.5 * m * v * v).abs() < 1e-12, "a quarter of its energy");
        }
    }
}

#[test]
fn a_flat_box_with_four_corners_reverses_without_turning() {
    for (gap, mu) in [(0.0, 0.0), (0.01, 0.0), (0.01, 0.8)] {
        let mut toy = Toy::new(0.01);
        let start = Twist::new(Vec3::new(0.0, 0.0, -3.0), Vec3::ZERO);
        let inertia = Sym3::diagonal(Vec3::new(0.4, 0.5, 0.6));
        let a = toy.body(2.0, inertia, start, start);
        let corners = [(0.5, 0.4), (-0.5, 0.4), (-0.5, -0.4), (0.5, -0.4)]
            .map(|(x, y)| (Vec3::new(x, y, -0.3), Vec3::ZERO, gap));
        toy.contact([a, Side::Fixed], Vec3::Z, &corners, bouncy(1.0, mu));
        let settings = toy.exact();
        let out = toy.bounce(&settings);
        assert_eq!(out.impacts, 1);
        let after = toy.v_start.free[0];
        assert!((after.linear - Vec3::Z * 3.0).length() < 1e-13, "{after:?}");
        assert!(after.angular.length() < 1e-13, "{after:?}");
    }
}

/// The rod of ledger.md: with e = μ = 1 Newton's and Coulomb's laws together make energy.
fn kane(guard: bool) -> (f64, ImpactOutcome) {
    let mut toy = Toy::new(0.001);
    let angle = 0.788_638_2;
    let (s, c) = trig::sin_cos(angle);
    let start = Twist::new(Vec3::new(-0.007_010_7, -0.403_859_6, 0.0), Vec3::Z * 1.837_705_7);
    // The plane is y = 0; out-of-plane moments do not matter.
    let a = toy.body(1.0, Sym3::diagonal(Vec3::splat(1.0 / 12.0)), start, start);
    let arm = Vec3::new(-0.5 * c, -0.5 * s, 0.0);
    toy.contact([a, Side::Fixed], Vec3::Y, &[(arm, Vec3::ZERO, 0.0)], bouncy(1.0, 1.0));
    let settings = Settings { guard, ..toy.exact() };
    let before = toy.kinetic(&toy.v_start);
    let out = toy.bounce(&settings);
    (toy.kinetic(&toy.v_start) / before, out)
}

#[test]
fn kanes_rod_gains_56_percent_without_the_guard_and_nothing_with_it() {
    let (gain, out) = kane(false);
    // The page prints four decimals.
    assert!((gain - 1.5615).abs() < 5e-5, "{gain}");
    assert_eq!((out.guarded, out.least_beta), (0, 1.0));
    let (gain, out) = kane(true);
    assert!(gain <= 1.0 + 1e-14, "{gain}");
    assert!(gain >= 1.0 - 1e-14, "no more than needed is taken: {gain}");
    assert!((out.least_beta - 0.80008).abs() < 5e-6, "{}", out.least_beta);
    assert_eq!(out.guarded, 1);
}

#[test]
fn the_guard_never_lets_energy_rise_and_leaves_alone_what_gains_nothing() {
    let mut acted = 0;
    for seed in 0..2000 {
        let mut r = SplitMix::new(seed);
        let recipe = Recipe {
            bodies: 3,
            contacts: 5,
            mu: 2.0 * r.unit(),
            restitution: 1.0,
            mass_decades: 3.0,
            ..Recipe::default()
        };
        let mut toy = random(&mut r, recipe);
        toy.v_free = toy.v_start.clone();
        let mut free = toy.clone();
        let settings = toy.exact();
        let before = toy.kinetic(&toy.v_start);
        let plain = free.bounce(&settings);
        let out = toy.bounce(&Settings { guard: true, ..settings });
        let after = toy.kinetic(&toy.v_start);
        assert!(after <= before * (1.0 + 1e-14 * f64::from(1 + out.impacts)), "{seed}: {}", after / before);
        assert!((0.0..=1.0).contains(&out.least_beta));
        acted += out.guarded;
        if out.guarded == 0 {
            assert_eq!(plain.impulses, out.impulses, "{seed}");
        }
    }
    assert!(acted > 100, "the guard was needed {acted} times");
}

#[test]
fn a_driver_pays_for_what_it_throws() {
    // A wall at 2 m/s meets a ball at rest, e = 1: the ball leaves with 4 m/s, the driver gave p·u_d = 8 m.
    let mut toy = Toy::new(0.01);
    let ball = toy.sphere(1.5, 0.1, Vec3::ZERO);
    let wall = toy.driven(Twist::new(Vec3::X * 2.0, Vec3::ZERO));
    toy.contact([ball, wall], Vec3::X, &[(Vec3::X * -0.1, Vec3::ZERO, 0.005)], bouncy(1.0, 0.3));
    let settings = Settings { guard: true, ..toy.exact() };
    let out = toy.bounce(&settings);
    assert!((toy.v_start.free[0].linear.x - 4.0).abs() < 1e-14);
    assert!((out.work.driver.value() - 12.0).abs() < 1e-13 && out.work.impact.value().abs() < 1e-13);
    assert!((out.drivers[0].impulse - Vec3::X * 6.0).length() < 1e-13);
    assert_eq!(out.least_beta, 1.0);
}

#[test]
fn what_cannot_move_does_not_bounce_for_ever() {
    let mut toy = Toy::new(0.01);
    let a = toy.sphere(1.0, 0.5, Vec3::ZERO);
    toy.lock_translation(0);
    let driver = toy.driven(Twist::new(Vec3::X * -1.0, Vec3::ZERO));
    toy.contact([driver, a], Vec3::X, &[(Vec3::ZERO, Vec3::X * 0.5, 0.0)], bouncy(1.0, 0.0));
    let settings = toy.exact();
    let out = toy.bounce(&settings);
    assert_eq!((out.impacts, out.unfinished), (0, false));
}

#[test]
fn a_tree_side_bounces_like_a_body_of_its_effective_mass() {
    // J M⁻¹ Jᵀ over the two dofs gives the mass that the ball meets; e = 0.5.
    let mut toy = Toy::new(0.01);
    let ball = toy.sphere(1.0, 0.1, Vec3::Z * -2.0);
    let arm = toy.tree([2.0, 0.5, 1.0], [0.0; 2], [0.0; 2]);
    toy.contact([ball, arm], Vec3::Z, &[(Vec3::Z * -0.1, Vec3::ZERO, 0.0)], bouncy(0.5, 0.0));
    // The sign of side B is in J.
    let j = [-0.7, -0.3, 0.0, 0.0, 0.0, 0.0];
    toy.groups.points[0].tree = toy.tree_rows(&j, 1);
    let settings = toy.exact();
    let before = toy.kinetic(&toy.v_start);
    let out = toy.bounce(&settings);
    let w_tree = (1.0 * 0.49 - 2.0 * 0.5 * 0.21 + 2.0 * 0.09) / 1.75;
    let p = 1.5 * 2.0 / (1.0 + w_tree);
    assert!((out.impulses[0].z - p).abs() < 1e-14);
    let loss = 0.5 * (1.0 - 0.25) * 4.0 / (1.0 + w_tree);
    assert!((toy.kinetic(&toy.v_start) - before + loss).abs() < 1e-14);
    assert!((out.work.impact.value() + loss).abs() < 1e-14);
}

#[test]
fn balls_bounce_along_the_line_of_their_touch_and_the_assembled_groups_stay_as_they_were() {
    let (e, v) = (0.5, 3.0);
    let mut toy = Toy::new(0.1);
    let a = toy.sphere(1.0, 0.5, Vec3::X * -v);
    let b = toy.sphere(1.0, 0.5, Vec3::ZERO);
    let apart = Vec3::new(1.1, 0.5, 0.0);
    let normal = apart.normalize();
    let gap = apart.length() - 1.0;
    toy.contact([a, b], normal, &[(normal * -0.5, normal * 0.5, gap)], bouncy(e, 0.0));
    toy.groups.round.push(Round { first: 0, apart, centre: [Vec3::ZERO; 2], radius: [0.5; 2], demand: 0 });
    let assembled = format!("{:?}", toy.groups);
    let (mut start, mut acceleration) = (toy.v_start.clone(), Velocity::default());
    acceleration.reset_like(&start);
    let mut out = ImpactOutcome::default();
    impact(&toy.exact(), &toy.impacts(&acceleration), &mut start, &mut Scratch::default(), &mut out);
    // They pass with 0.5 m between their lines: the normal at the touch is 30° from the flight.
    let touch = Vec3::new(0.75_f64.sqrt(), 0.5, 0.0);
    let p = (1.0 + e) * 0.5 * v * touch.x;
    assert!((out.impulses[0] - touch * p).length() < 1e-14, "{:?}", out.impulses);
    assert!((start.free[1].linear + touch * p).length() < 1e-14);
    assert_eq!(format!("{:?}", toy.groups), assembled);
    // The solve goes on with the rows of the touch, and with the impulse of the last step as it was in the world.
    let warm = [[2.0, 0.3, -0.1]];
    out.revised.turn_warm(&toy.groups, &warm, &[]);
    let (was, is) = (toy.groups.heads[0], out.revised.or(&toy.groups).heads[0]);
    assert!((is.normal - touch).length() < 1e-14 && (was.normal - touch).length() > 0.05);
    let turned = is.to_world(out.revised.warm_or(&warm)[0]);
    assert!((turned - was.to_world(warm[0])).length() < 1e-15);
    // A step without such a bounce has the rows of assembly.
    toy.v_start.free[0].linear = Vec3::X;
    impact(
        &toy.exact(),
        &toy.impacts(&acceleration),
        &mut toy.v_start.clone(),
        &mut Scratch::default(),
        &mut out,
    );
    assert!(std::ptr::eq(out.revised.or(&toy.groups), &toy.groups) && out.impulses[0] == Vec3::ZERO);
}
