//! Is the law the same for a free body and for the same body as a tree?

use crate::common::trees::AsTrees;
use crate::common::*;
use huygens_contact::*;
use huygens_math::scalar;
use std::path::Path;

/// Heaps of the collection with other friction, with and without levers: 200 problems.
fn heaps() -> Vec<(String, StoredProblem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("collection");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut heaps = vec![];
    for path in files {
        let case: StoredCase = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let is_heap = [
            "pile", "stack", "domino", "card", "ladder", "table", "cube", "heavier", "slide", "arm", "chain",
        ]
        .iter()
        .any(|word| case.name.starts_with(word));
        if !is_heap || case.problem.groups.points.len() > 80 {
            continue;
        }
        for (mu, lever) in [
            (0.0, 0.0),
            (0.3, 0.0),
            (1.0, 0.0),
            (2.0, 0.0),
            (0.0, 0.01),
            (0.3, 0.02),
            (1.0, 0.005),
            (2.0, 0.01),
        ] {
            let mut problem = case.problem.clone();
            for material in &mut problem.groups.materials {
                (material.friction_static, material.friction_dynamic) = (mu, mu);
                (material.friction_torsional, material.friction_rolling) = (0.5 * lever, lever);
            }
            let bodies = |head: &Head| !head.side.iter().any(|side| matches!(side, Side::Tree(_)));
            for k in 0..problem.groups.heads.len() {
                let mut head = problem.groups.heads[k];
                if head.is_contact() && bodies(&head) {
                    problem.groups.add_couples(&mut head);
                    problem.groups.heads[k] = head;
                }
            }
            heaps.push((format!("{} μ = {mu} levers {lever}", case.name), problem));
        }
    }
    heaps.truncate(200);
    heaps
}

/// Largest difference of velocities and of impulses, each over the largest.
fn difference(free: &StoredProblem, trees: &AsTrees, a: &Solution, b: &Solution) -> [f64; 2] {
    let (mut speed, mut apart) = (free.scale.speed, 0.0);
    for i in 0..a.v.free.len() {
        let ([x, y, z], [p, q, r]) = (a.v.free[i].linear.to_array(), a.v.free[i].angular.to_array());
        for (a, b) in [x, y, z, p, q, r].into_iter().zip(trees.velocity(&b.v, i)) {
            speed = scalar::max(a.abs(), speed);
            apart = scalar::max((a - b).abs(), apart);
        }
    }
    let (mut largest, mut off) = (0.0, 0.0);
    let all = |s: &Solution| -> Vec<f64> {
        s.impulses.iter().chain(&s.couples).flatten().chain(&s.rows).copied().collect()
    };
    for (a, b) in all(a).into_iter().zip(all(b)) {
        largest = scalar::max(a.abs(), largest);
        off = scalar::max((a - b).abs(), off);
    }
    [apart / speed, if largest > 0.0 { off / largest } else { off }]
}

#[test]
fn a_free_body_and_the_same_body_as_a_tree_have_one_law_in_every_model() {
    let heaps = heaps();
    assert_eq!(heaps.len(), 200);
    let mut failed = vec![];
    for (name, problem) in &heaps {
        let trees = AsTrees::of(problem);
        // As many sweeps as a step has: what has not converged must be the same, too.
        let settings = Settings::for_scale(problem.scale);
        for kind in hard() {
            let solve = |problem: &StoredProblem| {
                let mut out = Solution::default();
                kind.solve(&settings, &problem.view(), Warm::default(), &mut Scratch::default(), &mut out);
                out
            };
            let (a, b) = (solve(problem), solve(&trees.problem));
            let [v, p] = difference(problem, &trees, &a, &b);
            if v > 1e-9 || p > 1e-9 {
                failed.push(format!("{name} {kind}: velocities {v:.1e} impulses {p:.1e}"));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), 200 * hard().count(), failed.join("\n"));
}
