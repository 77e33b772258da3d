//! Problems that are W, q and μ alone: those of others, our own without their bodies, and random ones with a known answer.

use huygens_contact::{Claim, DelassusProblem, Scratch, SolverKind, StoredCase};
use huygens_math::{SplitMix, trig};
use std::path::{Path, PathBuf};

/// Files of a folder, in order; none when there is no such folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|x| x == ending));
    files.sort();
    files
}

fn natural_map(problem: &DelassusProblem, kind: SolverKind) -> f64 {
    let answer = problem.solve(kind, &mut Scratch::default());
    let answer = answer.unwrap_or_else(|error| panic!("{error}"));
    problem.judge(Claim::Coulomb, answer.all()).natural_map
}

#[test]
fn the_problems_of_siconos_are_solved_to_twelve_digits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/contact-problems");
    let mut solved = [0; 2];
    for path in files(&folder, "dat") {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display();
        let problem: DelassusProblem = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        let natural = natural_map(&problem, SolverKind::NcpNewton);
        assert!(natural <= 1e-12, "{name}: {natural:e}");
        solved[usize::from(problem.dimension() == 5)] += 1;
    }
    if solved == [0; 2] {
        eprintln!("not run: there are no problems in {}", folder.display());
    } else {
        assert!(
            solved[0] >= 14 && solved[1] >= 2,
            "{solved:?} problems of dimension 3 and 5 in {}",
            folder.display()
        );
    }
}

#[test]
fn our_own_problems_have_the_same_end_without_their_bodies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("collection");
    let mut compared = 0;
    for path in files(&folder, "txt") {
        let case: StoredCase = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let view = case.problem.view();
        let (Ok(problem), Some(reference)) = (DelassusProblem::of(&view), &case.solution) else { continue };
        if problem.contacts() == 0 {
            continue;
        }
        // Through the text, as others would have it.
        let problem: DelassusProblem = problem.to_string().parse().unwrap();
        let name = path.display();
        let judged = problem.judge(Claim::Coulomb, reference.all());
        let same = (judged.natural_map - reference.certificate.natural_map).abs();
        // With masses of 1 : 1e6, W p has terms a million times as large as what is left of it.
        assert!(same <= 1e-9, "{name}: {} {}", judged.natural_map, reference.certificate.natural_map);
        if reference.certificate.natural_map > 1e-11 {
            continue; // The reference has no answer to round-off: squeezed bodies, masses of 1 : 1e6, loads that creep.
        }
        let answer = problem.solve(SolverKind::NcpNewton, &mut Scratch::default()).unwrap();
        let natural = problem.judge(Claim::Coulomb, answer.all()).natural_map;
        assert!(natural <= 1e-10, "{name}: {natural:e}");
        // Impulses need not be unique where contacts are redundant; where friction does not act on the normal, velocities are.
        let response = |impulses| problem.response(&problem.rows_of(impulses));
        let (a, b) = (response(answer.all()), response(reference.all()));
        let size = b.iter().fold(0.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() <= 1e-8 * size, "{name}: {a} {b}");
        }
        compared += 1;
    }
    assert!(compared >= 30, "{compared}");
}

/// A problem with an answer: W = H Hᵀ of some rank, and q = u − W r for impulses and velocities that obey the law.
fn random(r: &mut SplitMix, contacts: usize, rank: usize) -> DelassusProblem {
    let n = 3 * contacts;
    let h: Vec<f64> = (0..n * rank).map(|_| r.range(-1.0, 1.0)).collect();
    let row = |i: usize| &h[i * rank..(i + 1) * rank];
    let w: Vec<f64> =
        (0..n * n).map(|k| row(k / n).iter().zip(row(k % n)).map(|(a, b)| a * b).sum::<f64>()).collect();
    let (mut p, mut u, mut mu) = (vec![0.0; n], vec![0.0; n], vec![]);
    for contact in 0..contacts {
        let friction = if r.index(5) == 0 { 0.0 } else { r.range(0.0, 2.0) };
        let (s, c) = trig::sin_cos(r.range(0.0, std::f64::consts::TAU));
        let (at, size) = (3 * contact, r.range(0.1, 1.0));
        match r.index(3) {
            0 => u[at..at + 3].copy_from_slice(&[size, c, s]),
            1 => {
                let share = friction * size * r.range(0.0, 0.95);
                p[at..at + 3].copy_from_slice(&[size, share * c, share * s]);
                if friction == 0.0 {
                    u[at + 1] = size;
                }
            }
            _ => {
                p[at..at + 3].copy_from_slice(&[size, -friction * size * c, -friction * size * s]);
                u[at..at + 3].copy_from_slice(&[0.0, 0.5 * size * c, 0.5 * size * s]);
            }
        }
        mu.push(friction);
    }
    let q = (0..n).map(|i| u[i] - (0..n).map(|j| w[i * n + j] * p[j]).sum::<f64>());
    let words = |list: &[f64]| list.iter().map(|x| format!("{x:e} ")).collect::<String>();
    let q: Vec<f64> = q.collect();
    let text = format!("3 {contacts} 0 {n} {n} {n} {n} {} {} {}", words(&w), words(&q), words(&mu));
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn random_problems_with_an_answer_are_solved_whatever_their_rank() {
    let mut r = SplitMix::new(2024);
    let mut failed = Vec::new();
    for round in 0..4000 {
        let contacts = 1 + r.index(12);
        let full = 3 * contacts;
        let rank = if round % 2 == 0 { full } else { 1 + r.index(full) };
        let problem = random(&mut r, contacts, rank);
        assert_eq!(problem.rank(), rank, "round {round}");
        let natural = natural_map(&problem, SolverKind::NcpNewton);
        if natural.is_nan() || natural > 1e-10 {
            failed.push((round, contacts, rank, natural));
        }
    }
    assert!(failed.is_empty(), "{} of 4000 (round, contacts, rank, natural map): {failed:?}", failed.len());
}

#[test]
fn sweeps_reach_what_they_claim_on_a_problem_without_bodies() {
    let mut r = SplitMix::new(7);
    let problem = random(&mut r, 3, 9);
    for &kind in SolverKind::ALL {
        let Ok(answer) = problem.solve(kind, &mut Scratch::default()) else {
            assert!(matches!(kind.claim(), Claim::Cone | Claim::Soft), "{kind} needs bodies");
            continue;
        };
        let judged = problem.judge(kind.claim(), answer.all());
        assert!(judged.largest() < 1e-7, "{kind}: {judged:?}");
    }
}
