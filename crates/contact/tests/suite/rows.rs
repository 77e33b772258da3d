//! Rows that act on more than two bodies: gears, differentials, tendons.

use crate::common::*;
use huygens_contact::*;
use huygens_math::{BlockInertia, SplitMix, TreeInertia, TreeLdl, Twist, Vec3, scalar};

/// Four shafts about z on bearings that nothing moves: J = (1, 1, −2, ½) of a differential with a pump behind it.
fn differential() -> Toy {
    let mut toy = Toy::new(0.01);
    for (inertia, spin) in [(1.0, 3.0), (2.0, -1.0), (0.5, 2.0), (4.0, 0.5)] {
        let turn = Twist::new(Vec3::ZERO, Vec3::Z * spin);
        toy.body(1.0, huygens_math::Sym3::diagonal(Vec3::splat(inertia)), turn, turn);
    }
    let angular = [Vec3::Z, Vec3::Z];
    let row = Row { linear: Vec3::ZERO, angular, target: 0.25, error: 0.0, tree: None };
    toy.row([Side::Free(0), Side::Free(1)], Law::Equality, row);
    for (body, ratio) in [(2, -2.0), (3, 0.5)] {
        let part = RowPart {
            row: 0,
            side: Side::Free(body),
            linear: Vec3::ZERO,
            angular: Vec3::Z * ratio,
            span: TreeSpan::default(),
        };
        toy.groups.parts.push(part);
    }
    toy
}

#[test]
fn a_differential_of_four_shafts_has_its_closed_form_in_every_model() {
    let toy = differential();
    let j = [1.0, 1.0, -2.0, 0.5];
    let (inertia, spin) = ([1.0, 2.0, 0.5, 4.0], [3.0, -1.0, 2.0, 0.5]);
    let w: f64 = (0..4).map(|k| j[k] * j[k] / inertia[k]).sum();
    let u: f64 = (0..4).map(|k| j[k] * spin[k]).sum();
    let lambda = (0.25 - u) / w;
    for kind in rigid() {
        let (out, _) = toy.solve(kind, &toy.exact());
        assert!((out.rows[0] - lambda).abs() < 1e-12, "{kind}: {} {lambda}", out.rows[0]);
        for k in 0..4 {
            let end = spin[k] + j[k] * lambda / inertia[k];
            assert!((out.v.free[k].angular.z - end).abs() < 1e-12, "{kind}: shaft {k}");
        }
        let (before, after) = (toy.kinetic(&toy.v_start), toy.kinetic(&out.v));
        assert!((out.work.total() - (after - before)).abs() < 1e-12, "{kind}: the books");
        assert!(toy.judge(kind, &out).largest() < 1e-12, "{kind}");
    }
    let graph = ContactGraph::of(&toy.groups, &toy.inertia);
    assert_eq!((graph.islands(), graph.movables(0)), (1, &[0, 1, 2, 3][..]), "one island");
    assert!((0..4).all(|body| graph.groups_of(body) == [0]), "each shaft knows its row");
}

/// Bodies, then the dofs of trees, as one vector.
fn flat(v: &Velocity) -> Vec<f64> {
    let free = v.free.iter().flat_map(|v| v.linear.to_array().into_iter().chain(v.angular.to_array()));
    free.chain(v.dof.iter().copied()).collect()
}

/// A problem with one row over `count` of four bodies and two trees, and its J as one vector.
fn random_row(r: &mut SplitMix, count: usize) -> (StoredProblem, Vec<f64>) {
    let mut toy = Toy::new(0.01);
    for _ in 0..4 {
        let mass = r.range(0.5, 2.0);
        let inertia = random_inertia(r, mass);
        toy.body(mass, inertia, twist(r, 1.0), twist(r, 1.0));
    }
    let mut inertia = toy.inertia.clone();
    for first_dof in [0, 2] {
        let mut ldl = TreeLdl::new(&[None, Some(0)]);
        ldl.matrix_mut().copy_from_slice(&[2.0, 0.3, 0.3, r.range(0.5, 1.5)]);
        ldl.factor().unwrap();
        inertia.trees.push(TreeInertia { first_dof, ldl, ..TreeInertia::default() });
    }
    let mut ends = [Side::Free(0), Side::Free(1), Side::Free(2), Side::Free(3), Side::Tree(0), Side::Tree(1)];
    for k in 0..ends.len() {
        ends.swap(k, k + r.index(6 - k));
    }
    let mut j = vec![0.0; 28];
    let mut groups = Groups { demands: vec![Demand::default()], ..Groups::default() };
    groups.materials.push(STEEL);
    let mut row =
        Row { linear: r.direction(), angular: [Vec3::ZERO; 2], target: 0.1, error: 0.0, tree: None };
    let (mut sides, mut spans) = ([Side::Fixed; 2], [TreeSpan::default(); 2]);
    for (k, &side) in ends[..count].iter().enumerate() {
        let (mut linear, angular) = (r.in_cube(), r.in_cube());
        let mut span = TreeSpan::default();
        match side {
            Side::Free(body) => {
                if k < 2 {
                    linear = if k == 0 { row.linear } else { -row.linear };
                    row.angular[k] = angular;
                }
                j[6 * body as usize..][..3].copy_from_slice(&linear.to_array());
                j[6 * body as usize + 3..][..3].copy_from_slice(&angular.to_array());
            }
            Side::Tree(tree) => {
                let entry = [r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
                let first = 2 * tree;
                let path = groups.tree.push_path([first, first + 1]);
                span = groups.tree.push_span(&inertia.trees[tree as usize], path, |k, _| [entry[k]]);
                j[24 + first as usize..][..2].copy_from_slice(&entry);
            }
            Side::Fixed | Side::Driven(_) => {}
        }
        if k < 2 {
            (sides[k], spans[k]) = (side, span);
        } else {
            groups.parts.push(RowPart { row: 0, side, linear, angular, span });
        }
    }
    row.tree = Some(groups.tree.push(spans));
    groups.rows.push(row);
    groups.heads.push(Head::of_row(GroupKey::default(), sides, Law::Equality, 0, 0));
    let velocity = |r: &mut SplitMix, free: &[Twist]| Velocity {
        free: free.to_vec(),
        dof: (0..4).map(|_| r.range(-1.0, 1.0)).collect(),
    };
    let problem = StoredProblem {
        h: 0.01,
        v_start: velocity(r, &toy.v_start.free),
        v_free: velocity(r, &toy.v_free.free),
        graph: ContactGraph::of(&groups, &inertia),
        move_inertia: inertia,
        groups,
        scale: toy.scale(),
        ..StoredProblem::default()
    };
    (problem, j)
}

/// M⁻¹ as columns, from what unit vectors are answered with.
fn inverse_times(m: &BlockInertia, j: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; j.len()];
    for (i, block) in m.free.iter().enumerate() {
        let part = |at: usize| Vec3::from_slice(&j[at..]);
        y[6 * i..][..3].copy_from_slice(&(block.inv_mass * part(6 * i)).to_array());
        y[6 * i + 3..][..3].copy_from_slice(&(block.inv_inertia * part(6 * i + 3)).to_array());
    }
    let bodies = 6 * m.free.len();
    for tree in &m.trees {
        let at = bodies + tree.first_dof as usize;
        y[at..at + 2].copy_from_slice(&j[at..at + 2]);
        tree.ldl.solve(&mut y[at..at + 2]);
    }
    y
}

#[test]
fn random_rows_over_one_to_five_bodies_and_trees_are_those_of_dense_matrices() {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for seed in 0..400 {
        let mut r = SplitMix::new(seed);
        let (problem, j) = random_row(&mut r, 1 + seed as usize % 5);
        let (groups, m, head) = (&problem.groups, &problem.move_inertia, &problem.groups.heads[0]);
        let y = inverse_times(m, &j);
        let u = dot(&j, &flat(&problem.v_free));
        assert!((groups.rate_row(head, 0, &problem.v_free) - u).abs() < 1e-14 * 20.0, "J v");
        let w = dot(&j, &y);
        assert!((groups.delassus_row(m, head, 0) - w).abs() < 1e-13 * w, "W");
        assert!((groups.row_mass(m, head, 0) * w - 1.0).abs() < 1e-12, "1/W");
        let mut v = problem.v_free.clone();
        groups.apply_row(m, head, 0, 0.7, &mut v);
        for ((after, before), y) in flat(&v).iter().zip(flat(&problem.v_free)).zip(&y) {
            assert!((after - before - 0.7 * y).abs() < 1e-14 * (1.0 + y.abs()), "M⁻¹Jᵀ");
        }
        let text = StoredCase { name: "row".into(), problem: problem.clone(), solution: None }.to_string();
        let again: StoredCase = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.to_string(), text, "it comes back from its file");
        let lambda = (0.1 - u) / w;
        for kind in rigid() {
            let settings = Settings { iterations: 50, ..Settings::for_scale(problem.scale) };
            let mut out = Solution::default();
            kind.solve(&settings, &problem.view(), Warm::default(), &mut Scratch::default(), &mut out);
            let size = scalar::max(lambda.abs(), 1.0);
            assert!((out.rows[0] - lambda).abs() < 1e-12 * size, "{seed} {kind}: {} {lambda}", out.rows[0]);
            for ((end, free), y) in flat(&out.v).iter().zip(flat(&problem.v_free)).zip(&y) {
                assert!((end - free - lambda * y).abs() < 1e-11 * size, "{seed} {kind}");
            }
        }
    }
}
