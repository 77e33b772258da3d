//! Contacts of 1, 3, 4, 5 and 6 rows in the models that solve an island whole.

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Vec3, trig};

const WHOLE: [SolverKind; 2] = [SolverKind::ActiveSet, SolverKind::NcpNewton];

/// An island of 2 to 5 bodies; levers against spinning, rolling, or both.
fn island(seed: u64, decades: f64) -> Toy {
    let mut r = SplitMix::new(seed);
    let bodies = 2 + r.index(4);
    let recipe = Recipe {
        bodies,
        contacts: 2 * bodies,
        mu: [0.0, 0.4, 1.0][seed as usize % 3],
        mass_decades: decades,
        ..Recipe::default()
    };
    let mut toy = random(&mut r, recipe);
    toy.make_rigid();
    for k in 0..toy.groups.heads.len() {
        let material = &mut toy.groups.materials[toy.groups.heads[k].material as usize];
        material.friction_dynamic = material.friction_static;
        let kind = r.index(4);
        material.friction_torsional = if kind % 2 == 1 { r.range(0.0, 0.3) } else { 0.0 };
        material.friction_rolling = if kind >= 2 { r.range(0.0, 0.3) } else { 0.0 };
        toy.couple(k);
    }
    toy
}

#[test]
fn exact_models_solve_torsional_and_rolling_friction_of_random_islands() {
    for kind in WHOLE {
        let (mut exact, mut worst, count) = (0, 0.0, 300);
        for seed in 0..count {
            let toy = island(seed, 0.5);
            let (out, report) = toy.solve(kind, &Settings { iterations: 500, ..toy.exact() });
            let judged = Certificate::of(&toy.problem(), out.all(), &out.v);
            if judged.natural_map <= 1e-8 {
                exact += 1;
                worst = huygens_math::scalar::max(judged.natural_map, worst);
                assert!(
                    judged.cone < 1e-12 && judged.momentum < 1e-13,
                    "{kind} {seed}: {judged:?} {report:?}"
                );
            }
        }
        println!("{kind}: {exact} of {count}, worst of them {worst:.1e}");
        // What is left has friction that acts strongly on the normals, as without levers.
        assert!(100 * exact >= 97 * count, "{kind}: {exact} of {count}");
    }
}

#[test]
fn a_ball_that_rolls_spins_and_slips_has_its_closed_form_in_every_model() {
    // Spinning: |τ_n| = a_s N. Rolling without slip: dv = −(5/7)(a_r/r) g h. Stuck: all of it stops.
    let (mass, radius, g, h) = (2.0, 0.5, 9.81, 0.01);
    let inertia = 0.4 * mass * radius * radius;
    let load = mass * g * h;
    for kind in rough_and_hard() {
        for (levers, spin, speed) in [
            ([0.02, 0.0], 3.0, 0.0),
            ([0.0, 0.03], 0.0, 2.0),
            ([0.01, 0.02], 4.0, 1.0),
            ([0.3, 0.3], 0.1, 0.01),
        ] {
            let mut toy = Toy::new(h);
            let ball = toy.sphere(mass, radius, Vec3::X * speed);
            toy.v_start.free[0].angular = Vec3::new(0.0, speed / radius, spin);
            toy.gravity(-Vec3::Z * g);
            let material =
                Material { friction_torsional: levers[0], friction_rolling: levers[1], ..rough(0.8) };
            let contact =
                toy.contact([ball, Side::Fixed], Vec3::Z, &[(-Vec3::Z * radius, Vec3::ZERO, 0.0)], material);
            toy.couple(contact);
            let (out, _) = toy.solve(kind, &toy.exact());
            let (v, w) = (out.v.free[0].linear, out.v.free[0].angular);
            let left = |x: f64, loss: f64| if x > loss { x - loss } else { 0.0 };
            let (v_end, w_end) =
                (left(speed, 5.0 / 7.0 * levers[1] / radius * g * h), left(spin, levers[0] * load / inertia));
            assert!((v.x - v_end).abs() < 1e-9, "{kind} {levers:?}: {v} {v_end}");
            assert!(
                (w - Vec3::new(0.0, v_end / radius, w_end)).length() < 1e-8,
                "{kind} {levers:?}: {w} {w_end}"
            );
            let judged = toy.judge(kind, &out);
            assert!(judged.largest() < 1e-8, "{kind} {levers:?}: {judged:?}");
        }
    }
}

/// A problem with an answer: W = H Hᵀ over 6 rows for each contact, and velocities q = u − W p for impulses and velocities that obey the law.
fn with_answer(r: &mut SplitMix, contacts: usize, rank: usize, has: [bool; 3]) -> StoredProblem {
    let n = 6 * contacts;
    let mut h: Vec<f64> = (0..n * rank).map(|_| r.range(-1.0, 1.0)).collect();
    let row = |h: &[f64], i: usize| -> Vec<f64> { h[i * rank..(i + 1) * rank].to_vec() };
    // Spins have other units: a length of 0.1 m to 10 m.
    for contact in 0..contacts {
        let length = trig::pow(10.0, r.range(-1.0, 1.0));
        h[(6 * contact + 3) * rank..(6 * contact + 6) * rank].iter_mut().for_each(|h| *h *= length);
    }
    let w = |i: usize, j: usize| row(&h, i).iter().zip(row(&h, j)).map(|(a, b)| a * b).sum::<f64>();
    let (mut p, mut u) = (vec![0.0; n], vec![0.0; n]);
    let mut groups = Groups { demands: vec![Demand::default()], ..Groups::default() };
    for contact in 0..contacts {
        let radius = |r: &mut SplitMix, has: bool| if has { r.range(0.05, 1.5) } else { 0.0 };
        let radii = [radius(r, has[0]), radius(r, has[1]), radius(r, has[2])];
        let (at, load) = (6 * contact, r.range(0.1, 1.0));
        let is_open = r.index(4) == 0;
        if is_open {
            u[at] = load;
        } else {
            p[at] = load;
        }
        for (k, (first, len)) in [(1, 2), (3, 1), (4, 2)].into_iter().enumerate() {
            let (s, c) = trig::sin_cos(r.range(0.0, std::f64::consts::TAU));
            let d = if len == 1 { [if c > 0.0 { 1.0 } else { -1.0 }, 0.0] } else { [c, s] };
            let slips = is_open || radii[k] == 0.0 || r.index(2) == 0;
            let share = if is_open {
                0.0
            } else if slips {
                1.0
            } else {
                r.range(0.0, 0.95)
            };
            for (i, d) in (at + first..at + first + len).zip(d) {
                p[i] = -radii[k] * load * share * d;
                u[i] = if slips { 0.5 * d * load } else { 0.0 };
            }
        }
        groups.materials.push(Material {
            restitution: 0.0,
            friction_static: radii[0],
            friction_dynamic: radii[0],
            friction_torsional: radii[1],
            friction_rolling: radii[2],
        });
    }
    let dofs: Vec<f64> = (0..n).map(|i| u[i] - (0..n).map(|j| w(i, j) * p[j]).sum::<f64>()).collect();
    for contact in 0..contacts {
        let tree = &mut groups.tree;
        let path = tree.push_path((0..6).map(|k| (6 * contact + k) as u32));
        let span =
            TreeSpan { first_dof: 0, len: n as u32, y: tree.y.len() as u32, path, j: tree.j.len() as u32 };
        for k in 0..6 {
            tree.j.extend((0..6).map(|l| if k == l { 1.0 } else { 0.0 }));
            tree.y.extend((0..n).map(|i| w(i, 6 * contact + k)));
        }
        let spans = tree.push([span, TreeSpan::default()]);
        let mut head = Head {
            key: GroupKey::contact([contact as u32, contact as u32 + 1], [0; 2]),
            side: [Side::Tree(0), Side::Fixed],
            law: Law::Contact,
            first: contact as u32,
            len: 1,
            demand: 0,
            is_soft: false,
            material: contact as u32,
            couple: NO_COUPLE,
            normal: Vec3::X,
            tangent: Vec3::Y,
        };
        groups.add_couples(&mut head);
        groups.heads.push(head);
        groups.points.push(Point { arm: [Vec3::ZERO; 2], gap: 0.0, feature: [0; 2], tree: Some(spans) });
    }
    let v = Velocity { free: vec![], dof: dofs };
    StoredProblem {
        h: 1.0,
        v_start: v.clone(),
        v_free: v,
        graph: ContactGraph::of(&groups, &huygens_math::BlockInertia::default()),
        groups,
        scale: Scale { length: 1.0, speed: 1.0 },
        ..StoredProblem::default()
    }
}

#[test]
fn random_problems_of_every_dimension_with_an_answer_are_solved() {
    let mut failed = vec![];
    for (dimension, has) in [
        (1, [false; 3]),
        (3, [true, false, false]),
        (4, [true, true, false]),
        (5, [true, false, true]),
        (6, [true; 3]),
    ] {
        let (mut r, count) = (SplitMix::new(dimension), 300);
        for round in 0..count {
            let contacts = 1 + r.index(6);
            let rank = if round % 2 == 0 { 6 * contacts } else { 3 + r.index(6 * contacts) };
            let problem = with_answer(&mut r, contacts, rank, has);
            let settings =
                Settings { iterations: 500, tolerance: 1e-14, ..Settings::for_scale(problem.scale) };
            let mut out = Solution::default();
            SolverKind::NcpNewton.solve(
                &settings,
                &problem.view(),
                Warm::default(),
                &mut Scratch::default(),
                &mut out,
            );
            let natural = Certificate::of(&problem.view(), out.all(), &out.v).natural_map;
            if natural.is_nan() || natural > 1e-8 {
                failed.push((dimension, round, contacts, rank, natural));
            }
        }
    }
    // Not all paths are tried in a step; `huygens solve` tries them.
    assert!(
        failed.len() <= 15,
        "{} of 1500 (dimension, round, contacts, rank, natural map): {failed:?}",
        failed.len()
    );
}
