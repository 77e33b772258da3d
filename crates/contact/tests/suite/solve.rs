//! Do the models give the closed forms, and do they agree?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sym3, Twist, Vec3, trig};

/// A cube of mass m and edge 1 on the floor, four corners, with a velocity before the kick.
fn cube(mass: f64, mu: f64, start: Vec3, h: f64) -> Toy {
    let mut toy = Toy::new(h);
    let start = Twist::new(start, Vec3::ZERO);
    let side = toy.body(mass, Sym3::diagonal(Vec3::splat(mass / 6.0)), start, start);
    toy.gravity(Vec3::Z * -9.81);
    let corners = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
        .map(|(x, y)| (Vec3::new(x, y, -0.5), Vec3::new(x, y, 0.0), 0.0));
    toy.contact([side, Side::Fixed], Vec3::Z, &corners, rough(mu));
    toy
}

#[test]
fn a_resting_cube_is_carried_by_four_equal_corners() {
    for kind in hard() {
        let toy = cube(2.0, 0.5, Vec3::ZERO, 0.004);
        let (out, report) = toy.solve(kind, &toy.exact());
        assert_ne!(report.stopped, Stop::IterationLimit, "{kind}");
        let total: f64 = out.impulses.iter().map(|p| p[0]).sum();
        let weight = 2.0 * 9.81 * 0.004;
        // Case 28: sum to 1e-9, here to the solver's own round-off.
        assert!((total / weight - 1.0).abs() < 1e-13, "{kind} {total}");
        let v = out.v.free[0];
        assert!(v.linear.length() < 1e-14 && v.angular.length() < 1e-14, "{kind} {v:?}");
        let certificate = toy.judge(kind, &out);
        assert!(certificate.largest() < 1e-12, "{kind} {certificate:?}");
    }
}

#[test]
fn a_sliding_cube_slows_by_mu_g_in_every_direction() {
    let (mu, h) = (0.3, 1.0 / 240.0);
    for (kind, k) in exact().flat_map(|kind| (0..12).map(move |k| (kind, k))) {
        let (s, c) = trig::sin_cos(f64::from(k) * 0.3);
        let way = Vec3::new(c, s, 0.0);
        let toy = cube(2.0, mu, way * 3.0, h);
        let (out, _) = toy.solve(kind, &toy.exact());
        let v = out.v.free[0].linear;
        // Four corners share the load as they like, but all slip the same way: the sum of friction is μ times the weight.
        // What is left is the turn that friction below the centre starts: it tilts the corners' slip by 1e-5 rad.
        assert!((v.dot(way) - (3.0 - mu * 9.81 * h)).abs() < 1e-9, "{kind} {k}: {v:?}");
        assert!((v - way * v.dot(way)).length() < 1e-9, "{kind} {k}: {v:?}");
    }
}

#[test]
fn a_cube_below_the_critical_angle_stays_exactly() {
    let (mu, h) = (0.5, 1.0 / 240.0);
    // Case 40: θc ∓ 0.05°; gravity is tilted instead of the floor.
    for (kind, degrees) in exact().flat_map(|kind| [-0.05f64, 0.05].map(|degrees| (kind, degrees))) {
        let (s, c) = trig::sin_cos(trig::atan2(mu, 1.0) + degrees.to_radians());
        let mut toy = cube(1.0, mu, Vec3::ZERO, h);
        toy.gravity(Vec3::new(s, 0.0, -c) * 9.81);
        let (out, report) = toy.solve(kind, &Settings { iterations: 20_000, ..toy.exact() });
        println!("{kind} {degrees}: {} sweeps", report.iterations);
        let v = out.v.free[0].linear.length();
        if degrees < 0.0 {
            assert!(v < 1e-12, "{kind} {v}");
        } else {
            let expected = 9.81 * (s - mu * c) * h;
            assert!((v / expected - 1.0).abs() < 1e-6, "{kind} {v} {expected}");
        }
    }
}

#[test]
fn approximate_decoupling_turns_friction_away_from_the_slip_where_its_block_is_anisotropic() {
    // pe cuts back radially: at its fixed point p_t is along −W_tt⁻¹ u_t, not −u_t. For a corner of a cube that is 20.6° off
    // (tan = 1.5/4), so a sliding cube brakes with cos 20.6° = 0.936 of μ g; a sphere's block is isotropic, and exact.
    let (mu, h) = (0.3, 1.0 / 240.0);
    let toy = cube(2.0, mu, Vec3::X * 3.0, h);
    let (out, _) = toy.solve(SolverKind::NbgsApproximateDecoupling, &toy.exact());
    let braking = (3.0 - out.v.free[0].linear.x) / (mu * 9.81 * h);
    assert!((braking - 0.936).abs() < 1e-3, "{braking}");
    for p in &out.impulses {
        let p_t = (p[1] * p[1] + p[2] * p[2]).sqrt();
        assert!((p_t - mu * p[0]).abs() <= 1e-15 * p[0], "friction is on its cone all the same");
    }
}

/// The driven capsule of ledger.md at its first contact (t = 0.103 s): a rotor at 2π rad/s and a paddle that only turns.
fn capsule_spin(mu: f64) -> Toy {
    let (radius, length, density) = (0.2, 1.0, 2.8);
    let pi = std::f64::consts::PI;
    let (cylinder, ball) =
        (density * pi * radius * radius * length, density * 4.0 / 3.0 * pi * radius * radius * radius);
    let axial = radius * radius * (0.5 * cylinder + 0.4 * ball);
    let across = cylinder * (radius * radius / 4.0 + length * length / 12.0)
        + ball * (0.4 * radius * radius + 0.375 * radius * length + 0.25 * length * length);
    let mut toy = Toy::new(1e-3);
    toy.speed = 2.0 * pi;
    let paddle =
        toy.body(cylinder + ball, Sym3::diagonal(Vec3::new(axial, across, across)), Twist::ZERO, Twist::ZERO);
    toy.lock_translation(0);
    let rotor = toy.driven(Twist::new(Vec3::ZERO, Vec3::Z * 2.0 * pi));
    // The upper end of the rotor's axis meets the paddle's axis, which lies along x at y = 0.7.
    let (s, c) = trig::sin_cos(2.0 * pi * 0.103);
    let end = Vec3::new(0.5 * c, 0.5 * s, 0.0);
    let nearest = Vec3::new(end.x, 0.7, 0.0);
    // A is the rotor (lower slot): the normal points from the paddle to it.
    let normal = (end - nearest).normalize();
    let gap = (end - nearest).length() - 2.0 * radius;
    let contact = 0.5 * ((end - normal * radius) + (nearest + normal * radius));
    let paddle_at = Vec3::new(0.7, 0.7, 0.0);
    toy.contact([rotor, paddle], normal, &[(contact, contact - paddle_at, gap)], rough(mu));
    toy
}

#[test]
fn driven_capsule_gives_the_numbers_of_the_ledger_page() {
    for kind in hard() {
        let toy = capsule_spin(0.0);
        let u = toy.groups.relative(&toy.groups.heads[0], &toy.groups.points[0], &toy.v_free);
        assert!((toy.groups.points[0].gap + 1.46477e-3).abs() < 1e-8);
        assert!((u[0] + 2.50635).abs() < 1e-5, "{u:?}");
        let (out, _) = toy.solve(kind, &toy.exact());
        // The page prints five digits.
        assert!((out.v.free[0].angular.z + 8.32389).abs() < 1e-5, "{kind} {:?}", out.v.free[0]);
        assert!((out.impulses[0][0] - 1.792).abs() < 1e-3);
        assert!((out.work.driver.value() - 4.49228).abs() < 1e-5);
        assert!((out.work.impact.value() + 2.24614).abs() < 1e-5);
        assert!((toy.kinetic(&out.v) - 2.24614).abs() < 1e-5);
        assert!((out.drivers[0].torque_impulse.z * 2.0 * std::f64::consts::PI - 4.49228).abs() < 1e-5);

        let recovery = baumgarte(0.7);
        let (out, _) = toy.recovering(recovery).solve(kind, &toy.exact());
        assert!((out.v.free[0].angular.z + 11.72917).abs() < 1e-5, "{kind} {:?}", out.v.free[0]);
        assert!((out.work.driver.value() - 6.330).abs() < 1e-3);
    }
}

#[test]
fn driven_capsule_with_friction_slips_in_a_singular_block() {
    for kind in rough_and_hard() {
        let toy = capsule_spin(0.2);
        let w = toy.groups.delassus(&toy.inertia, &toy.groups.heads[0], &toy.groups.points[0]);
        let values = Sym3::from_mat3(&w).principal().0;
        assert!(values.x.abs() < 1e-15 * values.z && values.y > 1e-3 * values.z, "rank 2: {values:?}");
        let (out, report) = toy.solve(kind, &toy.exact());
        assert_ne!(report.stopped, Stop::IterationLimit);
        // One freedom in the plane: the spin does not depend on friction.
        assert!((out.v.free[0].angular.z + 8.32389).abs() < 1e-5, "{kind} {:?}", out.v.free[0]);
        assert!((out.work.driver.value() - 4.9632).abs() < 1e-4, "{kind} {}", out.work.driver.value());
        let lost = out.work.impact.value() + out.work.friction.value();
        assert!((lost + 2.7170).abs() < 1e-4, "{kind} {lost}");
        let certificate = toy.judge(kind, &out);
        assert!(certificate.largest() < 1e-10, "{kind} {certificate:?}");
    }
}

#[test]
fn overlap_and_speculation_follow_the_walberla_oracle() {
    // Sphere r = 1.1 on a half-space at z = 5, dt = 1, no gravity (seed-systems.md 1.8).
    for kind in hard() {
        for v0 in [0.0, -1.0] {
            for (erp, expected) in [(1.0, 0.1), (0.5, 0.05), (0.0, 0.0)] {
                let mut toy = Toy::new(1.0);
                let a = toy.sphere(1.0, 1.1, Vec3::Z * v0);
                let arm = Vec3::Z * -1.05;
                toy.contact([a, Side::Fixed], Vec3::Z, &[(arm, Vec3::ZERO, -0.1)], rough(0.2));
                let recovery = baumgarte(erp);
                let (out, _) = toy.recovering(recovery).solve(kind, &toy.exact());
                assert!((out.v.free[0].linear.z - expected).abs() < 1e-15, "{kind} {v0} {erp}");
            }
        }
        let mut toy = Toy::new(1.0);
        let a = toy.sphere(1.0, 1.1, Vec3::Z * -0.2);
        toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -1.15, Vec3::ZERO, 0.1)], rough(0.2));
        let (out, _) = toy.solve(kind, &toy.exact());
        assert!((out.v.free[0].linear.z + 0.1).abs() < 1e-15, "a speculative row lets it close its gap");

        let mut toy = Toy::new(1.0);
        let a = toy.sphere(1.0, 1.1, Vec3::ZERO);
        let b = toy.sphere(1.0, 1.1, Vec3::ZERO);
        toy.contact([a, b], Vec3::Z, &[(Vec3::Z * -1.0, Vec3::Z * 1.0, -0.2)], rough(0.2));
        let recovery = baumgarte(1.0);
        let (out, _) = toy.recovering(recovery).solve(kind, &toy.exact());
        assert!((out.v.free[0].linear.z - 0.1).abs() < 1e-15 && (out.v.free[1].linear.z + 0.1).abs() < 1e-15);
    }
}

#[test]
fn a_sliding_sphere_ends_up_rolling_at_5_7_of_its_speed() {
    // waLBerla's SlidingSphere: v = 5, μ = 0.2, g = 10, dt = 0.002: rolls at 25/7 within 500 steps.
    for kind in with_friction() {
        let mut toy = Toy::new(0.002);
        let a = toy.sphere(4.2, 1.0, Vec3::X * 5.0);
        toy.contact([a, Side::Fixed], Vec3::Z, &[(-Vec3::Z, Vec3::ZERO, 0.0)], rough(0.2));
        for _ in 0..500 {
            toy.gravity(Vec3::Z * -10.0);
            let (out, _) = toy.solve(kind, &toy.exact());
            toy.v_start = out.v;
        }
        let v = toy.v_start.free[0];
        assert!((v.linear.x - 25.0 / 7.0).abs() < 1e-12, "{kind} {v:?}");
        assert!((v.angular.y - 25.0 / 7.0).abs() < 1e-12, "{kind} {v:?}");
    }
}

#[test]
fn converged_answers_satisfy_the_law_and_the_models_agree_without_friction() {
    let recipe = Recipe { bodies: 5, contacts: 8, rows: true, extras: true, ..Recipe::default() };
    for seed in 0..40 {
        let toy = random(&mut SplitMix::new(seed), recipe);
        let settings = Settings { iterations: 200_000, tolerance: 1e-14, ..toy.exact() };
        let (first, _) = toy.solve(SolverKind::SequentialImpulse, &settings);
        for kind in hard() {
            let (out, report) = toy.solve(kind, &settings);
            assert_ne!(report.stopped, Stop::IterationLimit, "{kind} {seed}");
            let difference = combine(&first.v, 1.0, &out.v, -1.0);
            // The velocity is unique; slow convergence leaves some hundred times the last change.
            let distance = (toy.kinetic(&difference) / toy.kinetic(&out.v)).sqrt();
            assert!(distance < 1e-9, "{kind} {seed}: {distance}");
            let c = toy.judge(kind, &out);
            assert!(c.largest() < 1e-9 && c.momentum < 1e-14, "{kind} {seed}: {c:?}");
        }
    }
}

#[test]
fn converged_answers_satisfy_the_law_that_their_model_claims() {
    // No rows: with them and a driver some problems ask for what cannot be.
    let recipe =
        Recipe { bodies: 5, contacts: 8, mu: 0.4, mass_decades: 0.5, extras: true, ..Recipe::default() };
    for kind in hard() {
        let mut converged = 0;
        for seed in 0..100 {
            let mut toy = random(&mut SplitMix::new(seed), recipe);
            for material in &mut toy.groups.materials {
                material.friction_dynamic = material.friction_static;
            }
            let settings = Settings { iterations: 20_000, tolerance: 1e-14, ..toy.exact() };
            let (out, report) = toy.solve(kind, &settings);
            if report.stopped == Stop::IterationLimit {
                println!("{kind} {seed} {report:?}");
                continue;
            }
            converged += 1;
            let c = toy.judge(kind, &out);
            assert!(c.largest() < 1e-9 && c.cone < 1e-12, "{kind} {seed}: {c:?}");
        }
        println!("{kind}: {converged} of 100 converged");
        assert!(converged >= 95, "{kind}: {converged} of 100 converged");
    }
}

#[test]
fn a_warm_start_with_the_answer_needs_no_more_than_two_sweeps() {
    for kind in hard() {
        let toy = cube(2.0, 0.5, Vec3::ZERO, 0.004);
        let settings = Settings { tolerance: 1e-12, ..toy.exact() };
        let (cold, first) = toy.solve(kind, &settings);
        let mut out = Solution::default();
        let warm = cold.all();
        let second = kind.solve(&settings, &toy.problem(), warm, &mut Scratch::default(), &mut out);
        // A model that is done after one round cannot do with less.
        let less = second.iterations < first.iterations || first.iterations == 1;
        assert!(second.iterations <= 2 && less, "{first:?} {second:?}");
        let off = Settings { warm_start: false, ..settings };
        let third = kind.solve(&off, &toy.problem(), warm, &mut Scratch::default(), &mut out);
        assert_eq!((third, out.impulses), (first, cold.impulses));
    }
}

#[test]
fn under_relaxation_takes_longer_and_comes_to_the_same_answer() {
    let recipe =
        Recipe { bodies: 4, contacts: 6, mu: 0.4, mass_decades: 0.5, rows: true, ..Recipe::default() };
    let relaxes =
        |kind: &SolverKind| kind.parameters().iter().any(|parameter| parameter.name == "relaxation");
    for kind in hard().filter(relaxes) {
        let (mut whole, mut part) = (0, 0);
        for seed in 0..10 {
            let mut toy = random(&mut SplitMix::new(seed), recipe);
            for material in &mut toy.groups.materials {
                material.friction_dynamic = material.friction_static;
            }
            let settings = Settings { iterations: 50_000, tolerance: 1e-14, ..toy.exact() };
            let (a, first) = toy.solve(kind, &settings);
            let (b, second) = toy.solve(kind, &Settings { relaxation: 0.7, ..settings });
            (whole, part) = (whole + first.iterations, part + second.iterations);
            let difference = combine(&a.v, 1.0, &b.v, -1.0);
            let distance = (toy.kinetic(&difference) / toy.kinetic(&a.v)).sqrt();
            assert!(distance < 1e-9, "{kind} {seed}: {distance}");
        }
        assert!(part > whole, "{kind}: {whole} sweeps, {part} with 0.7");
    }
}

#[test]
fn a_motor_pushes_towards_its_target_within_its_bounds() {
    for kind in hard() {
        for (hi, expected) in [(10.0, 3.0), (0.5, 0.25)] {
            let mut toy = Toy::new(0.01);
            let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
            let row = Row { linear: Vec3::X, angular: [Vec3::ZERO; 2], target: 3.0, error: 0.0, tree: None };
            toy.row([a, Side::Fixed], Law::Bounded { lo: -hi, hi }, row);
            let (out, _) = toy.solve(kind, &toy.exact());
            assert!((out.v.free[0].linear.x - expected).abs() < 1e-15);
            assert!((out.work.actuator.value() - toy.kinetic(&out.v)).abs() < 1e-15);
        }
    }
}

#[test]
fn painleves_rod_gets_a_finite_impulse_that_opens_and_adds_no_energy() {
    // Case 53: tan θ = 2, sliding towards the jam; critical μ is 4/3.
    for kind in hard() {
        for mu in [1.2, 1.4, 2.0] {
            for way in [-1.0, 1.0] {
                let mut toy = Toy::new(0.001);
                let start = Twist::new(Vec3::X * way, Vec3::ZERO);
                let a = toy.body(1.0, Sym3::diagonal(Vec3::splat(1.0 / 12.0)), start, start);
                toy.gravity(Vec3::Y * -9.81);
                let arm = Vec3::new(-1.0, -2.0, 0.0) * (0.5 / 5.0f64.sqrt());
                toy.contact([a, Side::Fixed], Vec3::Y, &[(arm, Vec3::ZERO, 0.0)], rough(mu));
                let (out, report) = toy.solve(kind, &toy.exact());
                let u = toy.groups.relative(&toy.groups.heads[0], &toy.groups.points[0], &out.v);
                assert!(
                    u[0] > -1e-12 && out.impulses[0][0].is_finite(),
                    "{kind} {mu} {way}: {u:?} {report:?}"
                );
                let (before, after) = (toy.kinetic(&toy.v_free), toy.kinetic(&out.v));
                assert!(after <= before * (1.0 + 1e-14), "{kind} {mu} {way}: {before} {after}");
                let c = toy.judge(kind, &out);
                assert!(c.largest() < 1e-12, "{kind} {mu} {way}: {c:?}");
            }
        }
    }
}

#[test]
fn a_joint_between_two_bodies_stops_their_difference_and_keeps_momentum() {
    for kind in hard() {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(2.0, 0.5, Vec3::X * 3.0);
        let b = toy.sphere(1.0, 0.5, Vec3::ZERO);
        let row = Row { linear: Vec3::X, angular: [Vec3::ZERO; 2], target: 0.0, error: 0.0, tree: None };
        toy.row([a, b], Law::Equality, row);
        let (out, _) = toy.solve(kind, &toy.exact());
        for body in &out.v.free {
            assert!((body.linear.x - 2.0).abs() < 1e-15, "{kind} {body:?}");
        }
        // ½ m_eff Δv² = ½·⅔·9 J.
        assert!((out.work.joint.value() + 3.0).abs() < 1e-14);
    }
}

#[test]
fn contacts_between_free_bodies_keep_linear_momentum() {
    let recipe = Recipe { bodies: 6, contacts: 12, mu: 0.7, restitution: 0.9, ..Recipe::default() };
    for seed in 0..40 {
        let mut toy = random(&mut SplitMix::new(seed), recipe);
        let heads = std::mem::take(&mut toy.groups.heads);
        toy.groups.heads = heads.into_iter().filter(|head| head.side[1] != Side::Fixed).collect();
        let total = |toy: &Toy, v: &Velocity| {
            toy.bodies.iter().zip(&v.free).fold(Vec3::ZERO, |sum, (body, v)| sum + v.linear * body.mass)
        };
        let size: f64 = toy.bodies.iter().map(|body| body.mass).sum();
        let before = total(&toy, &toy.v_start);
        let settings = toy.exact();
        toy.bounce(&settings);
        assert!((total(&toy, &toy.v_start) - before).length() < 1e-14 * size, "{seed}");
        for kind in hard() {
            let (out, _) = toy.solve(kind, &Settings { iterations: 7, ..settings });
            let kept = total(&toy, &out.v) - total(&toy, &toy.v_free);
            assert!(kept.length() < 1e-14 * size, "{kind} {seed}: {kept:?}");
        }
    }
}

#[test]
fn nothing_that_cannot_move_is_moved() {
    // Both sides without freedom along the normal: a locked body whose arm lies on the normal, against a driver.
    for kind in hard() {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(1.0, 0.5, Vec3::ZERO);
        toy.lock_translation(0);
        let driver = toy.driven(Twist::new(Vec3::X * -1.0, Vec3::ZERO));
        let direction = Vec3::new(0.6, 0.48, 0.64);
        toy.contact([driver, a], direction, &[(Vec3::ZERO, direction * 0.5, -0.01)], rough(0.5));
        for recovery in [Recovery::None, baumgarte(0.7)] {
            let (out, report) = toy.recovering(recovery).solve(kind, &toy.exact());
            assert_eq!(out.impulses[0], [0.0; 3], "{kind}");
            assert_eq!(report.stopped, Stop::Converged);
        }
    }
}

#[test]
fn the_page_on_the_models_names_every_model_and_parameter() {
    let page = include_str!("../../../../docs/models.md");
    for kind in SolverKind::ALL {
        assert!(page.contains(&format!("\n## `{kind}`\n")), "{kind} has a section");
        for parameter in kind.parameters() {
            assert!(page.contains(&format!("\n| `{}` |", parameter.name)), "{kind}: {}", parameter.name);
        }
    }
}

#[test]
fn names_parse_back_and_a_wrong_one_lists_the_known() {
    for &kind in SolverKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert!(kind.law().len() > 80 && !kind.parameters().is_empty());
    }
    let message = "pgs".parse::<SolverKind>().unwrap_err().to_string();
    assert!(
        message.starts_with("unknown solver \"pgs\"; known are soft-step, sequential-impulse, nbgs/"),
        "{message}"
    );
    for kind in SolverKind::ALL {
        assert!(message.contains(kind.name()), "{message}");
    }
}
