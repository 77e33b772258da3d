//! `soft-step` on hand-made problems: one transport against the other, and answers that are known.

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sym3, Twist, Vec3};

/// Boxes on a floor with four, three, two or one point, with random motion; one after the other on bodies of their own.
fn boxes(r: &mut SplitMix, mu: f64, count: usize) -> Toy {
    let mut toy = Toy::new(0.01);
    for k in 0..count {
        let inertia = Sym3::diagonal(Vec3::new(r.range(0.5, 1.0), r.range(0.5, 1.0), r.range(0.5, 1.0)));
        let twist = Twist::new(r.in_cube(), r.in_cube());
        let body = toy.body(2.0, inertia, twist, twist);
        let between = r.in_cube();
        let mut corner = |x: f64, y: f64| Vec3::new(x, y * 0.7, -0.4 + r.range(0.0, 0.1));
        let points: Vec<_> = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
            .into_iter()
            .take(4 - k % 4)
            .map(|(x, y)| corner(x, y))
            .collect();
        let points: Vec<_> = points.into_iter().map(|a| (a, a + between, r.range(-0.01, 0.005))).collect();
        let other = if k % 3 == 0 { Side::Fixed } else { toy.sphere(1.5, 0.6, r.in_cube()) };
        toy.contact([body, other], Vec3::Z, &points, rough(mu));
    }
    toy.gravity(Vec3::Z * -9.81);
    toy
}

/// The same problem with inverse masses that differ by a rounding between the axes: its contacts then go by rows over the bodies' numbers.
fn general(toy: &Toy) -> Toy {
    let mut toy = toy.clone();
    for block in &mut toy.inertia.free {
        block.inv_mass.z *= 1.0 + 2.0 * f64::EPSILON;
    }
    toy
}

#[test]
fn contacts_by_rows_do_what_contacts_by_arms_do() {
    let mut r = SplitMix::new(1);
    for (mu, count) in [(0.0, 1), (0.0, 4), (0.0, 23), (0.3, 23), (1.0, 23), (2.0, 23), (1e6, 23)] {
        let toy = boxes(&mut r, mu, count).recovering(split_impulse(0.2, 5e-4));
        let (arms, _) = toy.solve(SolverKind::SoftStep, &toy.exact());
        let (rows, _) = general(&toy).solve(SolverKind::SoftStep, &toy.exact());
        for (i, (a, b)) in arms.v.free.iter().zip(&rows.v.free).enumerate() {
            let off = (a.linear - b.linear).length() + (a.angular - b.angular).length();
            // Round-off of a few passes, and of W by another way; a normal impulse that is zero but for round-off (3e-13 N·s was seen, after some
            // thousand operations on impulses of some N·s) holds μ times as much.
            assert!(
                off < 1e-12 * if mu > 1.0 { mu } else { 1.0 },
                "μ {mu}, body {i} of {count}: {off:e} {a:?} {b:?}"
            );
        }
    }
}

/// Balls on a floor and on each other, in rows of two, with random motion; some overlap, some are apart.
fn balls(r: &mut SplitMix, mu: f64, count: usize) -> Toy {
    let mut toy = Toy::new(0.01);
    for _ in 0..count {
        let (low, high) = (r.range(0.1, 0.3), r.range(0.1, 0.3));
        let [a, b] = [low, high].map(|radius| toy.sphere(r.range(0.5, 2.0), radius, r.in_cube()));
        let n = (r.in_cube() + Vec3::Z * 2.0).normalize();
        toy.contact(
            [a, Side::Fixed],
            Vec3::Z,
            &[(Vec3::Z * -low, Vec3::ZERO, r.range(-0.01, 0.003))],
            rough(mu),
        );
        toy.contact([b, a], n, &[(n * -high, n * low, r.range(-0.01, 0.003))], rough(mu));
    }
    toy.gravity(Vec3::Z * -9.81);
    toy
}

#[test]
fn balls_do_what_any_body_does_that_turns_alike_about_all_axes() {
    let mut r = SplitMix::new(3);
    for (mu, count) in [(0.0, 1), (0.3, 23), (1.0, 23), (1e6, 23)] {
        let toy = balls(&mut r, mu, count).recovering(split_impulse(0.2, 5e-4));
        // A rounding in one moment of inertia, and they are bodies like others.
        let mut other = toy.clone();
        other.inertia.free.iter_mut().for_each(|block| block.inv_inertia.yy *= 1.0 + 2.0 * f64::EPSILON);
        let settings = toy.exact();
        let (ball, _) = toy.solve(SolverKind::SoftStep, &settings);
        let (any, _) = other.solve(SolverKind::SoftStep, &settings);
        assert!(ball.v.free.iter().any(|v| v.angular.length() > 0.1) == (mu > 0.0));
        for i in 0..2 * count {
            let off = [(ball.v.free[i], any.v.free[i]), (ball.correction.free[i], any.correction.free[i])]
                .map(|(a, b)| (a.linear - b.linear).length() + (a.angular - b.angular).length());
            assert!(off[0] + off[1] < 1e-12, "μ {mu}, body {i} of {count}: off by {off:?}");
        }
        for (a, b) in ball.impulses.iter().zip(&any.impulses) {
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-12), "μ {mu}: {a:?} {b:?}");
        }
        let (a, b) = (ball.work.friction.value(), any.work.friction.value());
        assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()), "friction took {a} and {b}");
    }
}

#[test]
fn used_room_changes_no_bit() {
    let toy = boxes(&mut SplitMix::new(7), 0.4, 23);
    let (fresh, _) = toy.solve(SolverKind::SoftStep, &toy.exact());
    let (mut scratch, mut out) = (Scratch::default(), Solution::default());
    for _ in 0..2 {
        SolverKind::SoftStep.solve(&toy.exact(), &toy.problem(), Warm::default(), &mut scratch, &mut out);
        assert_eq!((&out.impulses, &out.v), (&fresh.impulses, &fresh.v));
    }
}

#[test]
fn a_box_at_rest_stays_and_its_corners_share_the_weight() {
    let mut toy = Toy::new(0.01);
    let body = toy.body(2.0, Sym3::diagonal(Vec3::splat(0.4)), Twist::ZERO, Twist::ZERO);
    let corner = |x: f64, y: f64| (Vec3::new(x, y, -0.5), Vec3::new(x, y, 0.0), 0.0);
    toy.contact(
        [body, Side::Fixed],
        Vec3::Z,
        &[corner(0.5, 0.5), corner(-0.5, 0.5), corner(-0.5, -0.5), corner(0.5, -0.5)],
        rough(0.5),
    );
    toy.gravity(Vec3::Z * -9.81);
    let settings = toy.exact();
    let mut warm: Vec<Impulse> = vec![[0.0; 3]; 4];
    let mut last = Solution::default();
    for _ in 0..20 {
        let mut scratch = Scratch::default();
        let warm_start = Warm { points: &warm, ..Warm::default() };
        SolverKind::SoftStep.solve(&settings, &toy.problem(), warm_start, &mut scratch, &mut last);
        warm.copy_from_slice(&last.impulses);
    }
    for p in &last.impulses {
        assert!((p[0] / 0.01 - 2.0 * 9.81 / 4.0).abs() < 1e-12, "{:?}", last.impulses);
        assert!(p[1].abs() + p[2].abs() < 1e-15);
    }
    assert_eq!(last.v.free[0].linear, Vec3::ZERO);
    assert!(last.v.free[0].angular.length() < 1e-15);
}

/// A box that rests on three corners, a wall beside it, and a ball that may push it there.
fn with_a_corner_above(above: f64, start: Vec3) -> Toy {
    let mut toy = Toy::new(0.01);
    let body = toy.body(2.0, Sym3::diagonal(Vec3::splat(0.4)), Twist::ZERO, Twist::ZERO);
    let corner = |x: f64, y: f64| (Vec3::new(x, y, -0.5), Vec3::new(x, y, 0.0), 0.0);
    let floor = [corner(0.5, 0.5), corner(-0.5, 0.5), corner(-0.5, -0.5)];
    toy.contact([body, Side::Fixed], Vec3::Z, &floor, rough(0.5));
    // Towards a wall at x = 0.5 + above.
    let side = (Vec3::new(0.5, 0.1, 0.2), Vec3::ZERO, above);
    toy.contact([body, Side::Fixed], -Vec3::X, &[side], rough(0.5));
    // What may push it there.
    let ball = toy.sphere(5.0, 0.1, start);
    let push = (Vec3::new(0.1, 0.0, 0.0), Vec3::new(-0.5, 0.0, 0.0), 0.001);
    toy.contact([ball, body], -Vec3::X, &[push], rough(0.0));
    toy.gravity(Vec3::Z * -9.81);
    toy
}

#[test]
fn a_point_out_of_reach_is_as_if_it_were_not_there() {
    let solve = |toy: &Toy| toy.solve(SolverKind::SoftStep, &toy.exact()).0;
    let (near, far) =
        (solve(&with_a_corner_above(0.005, Vec3::ZERO)), solve(&with_a_corner_above(0.5, Vec3::ZERO)));
    assert_eq!((&near.impulses, &near.v, &near.correction), (&far.impulses, &far.v, &far.correction));
}

#[test]
fn what_a_neighbour_may_push_a_body_against_is_in_reach() {
    // 5 kg at 1 m/s against a box at rest, 5 mm from the wall: at 5/7 m/s it would get 6 mm far.
    let toy = with_a_corner_above(0.005, Vec3::X);
    let (solution, _) = toy.solve(SolverKind::SoftStep, &toy.exact());
    assert!(solution.impulses[3][0] > 0.0, "{:?}", solution.impulses);
}
