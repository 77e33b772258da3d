//! Are J, Jᵀ and W of every kind of side those of one and the same contact?

use crate::common::*;
use huygens_contact::*;
use huygens_math::{Mat3, SplitMix, Vec3};

fn toys() -> impl Iterator<Item = (SplitMix, Toy)> {
    let recipe = Recipe { bodies: 4, contacts: 12, mu: 0.5, rows: true, extras: true, ..Recipe::default() };
    (0..40).map(move |seed| {
        let mut r = SplitMix::new(seed);
        let toy = random(&mut r, recipe);
        (r, toy)
    })
}

/// Sum of the sizes of two velocities, for relative bounds.
fn size(toy: &Toy, v: &Velocity) -> f64 {
    (2.0 * toy.kinetic(v)).sqrt()
}

#[test]
fn an_impulse_changes_its_own_velocity_by_w_and_energy_by_the_identity() {
    for (mut r, toy) in toys() {
        let groups = &toy.groups;
        for head in groups.heads.iter().filter(|head| head.law == Law::Contact) {
            for point in &groups.points[head.range()] {
                let p = r.in_cube();
                let mut v = toy.v_free.clone();
                groups.apply(&toy.inertia, head, point, p.to_array(), &mut v);
                let before = Vec3::from_array(groups.relative(head, point, &toy.v_free));
                let after = Vec3::from_array(groups.relative(head, point, &v));
                let w = groups.delassus(&toy.inertia, head, point);
                let answer = w * p;
                // Some twenty roundings of numbers of the size of the answer.
                assert!((after - before - answer).length() < 1e-13 * (1.0 + answer.length()), "{head:?}");
                assert!((w - w.transpose()).abs_diff_eq(Mat3::ZERO, 1e-13 * (1.0 + w.x_axis.length())));
                let change = combine(&v, 1.0, &toy.v_free, -1.0);
                let pushed = Vec3::from_array(groups.rate(head, point, &toy.v_start)).dot(p);
                let bound = 1e-13 * (1.0 + size(&toy, &change)) * size(&toy, &toy.v_start);
                assert!((toy.weigh(&change, &toy.v_start) - pushed).abs() < bound, "M dv·v = p·J v");
                if groups.normal_mass(&toy.inertia, head, point) > 0.0 {
                    let normal = groups.normal_mass(&toy.inertia, head, point) * w.x_axis.x;
                    assert!((normal - 1.0).abs() < 1e-12);
                }
                let parts = Vec3::from_array(groups.rate(head, point, &v))
                    + Vec3::from_array(groups.prescribed(head, point));
                assert!((parts - after).length() < 1e-14 * (1.0 + after.length() + parts.length()));
                assert!(
                    (groups.normal_rate(head, point, &v) - groups.rate(head, point, &v)[0]).abs()
                        < 1e-14 * (1.0 + after.length())
                );
            }
        }
    }
}

#[test]
fn a_block_between_two_points_answers_at_one_what_is_done_at_the_other() {
    for (mut r, toy) in toys() {
        let groups = &toy.groups;
        for head in groups.heads.iter().filter(|head| head.law == Law::Contact && head.len > 1) {
            let points = &groups.points[head.range()];
            let (to, from) = (&points[0], &points[1]);
            let p = r.in_cube();
            let mut v = toy.v_free.clone();
            groups.apply(&toy.inertia, head, from, p.to_array(), &mut v);
            let change = Vec3::from_array(groups.relative(head, to, &v))
                - Vec3::from_array(groups.relative(head, to, &toy.v_free));
            let w = groups.delassus_between(&toy.inertia, head, to, from);
            assert!((change - w * p).length() < 1e-13 * (1.0 + (w * p).length()));
            let back = groups.delassus_between(&toy.inertia, head, from, to);
            assert!((w - back.transpose()).abs_diff_eq(Mat3::ZERO, 1e-13 * (1.0 + w.x_axis.length())));
        }
    }
}

#[test]
fn rows_obey_the_same_identities() {
    for (mut r, toy) in toys() {
        let groups = &toy.groups;
        for head in groups.heads.iter().filter(|head| head.law != Law::Contact) {
            for row in head.range() {
                let lambda = r.range(-1.0, 1.0);
                let mut v = toy.v_free.clone();
                groups.apply_row(&toy.inertia, head, row, lambda, &mut v);
                let before = groups.relative_row(head, row, &toy.v_free);
                let after = groups.relative_row(head, row, &v);
                let w = groups.delassus_row(&toy.inertia, head, row);
                assert!((after - before - w * lambda).abs() < 1e-13 * (1.0 + w));
                assert!((groups.row_mass(&toy.inertia, head, row) * w - 1.0).abs() < 1e-12);
                let change = combine(&v, 1.0, &toy.v_free, -1.0);
                let pushed = lambda * groups.rate_row(head, row, &toy.v_start);
                let bound = 1e-13 * (1.0 + size(&toy, &change)) * size(&toy, &toy.v_start);
                assert!((toy.weigh(&change, &toy.v_start) - pushed).abs() < bound, "M dv·v = λ J v");
            }
        }
    }
}
