//! Energy taken from a tree at the end of a step: just as much as was asked for, and what must stay stays.

use crate::common::{has_free_base, momenta, random_coordinates, random_mechanism, random_velocities};
use crate::mover::{BEST, MIDPOINT, Mover};
use huygens_dynamics::{Equality, JointKind, kinetic_energy, mass_times, potential};
use huygens_math::{SplitMix, Vec3};

const G: Vec3 = Vec3::new(0.3, -9.81, 1.0);

fn energy(mover: &Mover) -> f64 {
    kinetic_energy(&mover.tree, &mover.end) + potential(&mover.tree, &mover.end, G, Vec3::ZERO)
}

/// A mover after a step of 10 ms.
fn stepped(r: &mut SplitMix, round: usize) -> Mover {
    let base = if round.is_multiple_of(2) { JointKind::Free } else { JointKind::Hinge };
    let links = 2 + r.index(4);
    let mut tree = random_mechanism(r, links, base);
    if round.is_multiple_of(3) {
        let hinge = tree.joints().iter().rfind(|slot| slot.joint.kind == JointKind::Hinge);
        if let Some(dof) = hinge.filter(|slot| slot.link > 0).map(|slot| slot.dofs().start) {
            tree = tree.with_equalities(vec![Equality::Rate { dof }]);
        }
    }
    let (q, mut v) = (random_coordinates(r, &tree), random_velocities(r, tree.dofs()));
    // No motor says another speed than none.
    tree.equalities().iter().for_each(|equality| {
        if let Equality::Rate { dof } = *equality {
            v[dof] = 0.0;
        }
    });
    let scheme = if tree.equalities().is_empty() { BEST } else { MIDPOINT };
    let mut mover = Mover::new(tree, q, v);
    mover.step(0.01, G, scheme);
    mover
}

#[test]
fn what_is_taken_is_gone_and_momentum_and_rates_of_motors_stay() {
    let mut r = SplitMix::new(20261119);
    let (mut slowed, mut back) = (0, 0);
    for round in 0..300 {
        let mut mover = stepped(&mut r, round);
        let (before, (p, l)) = (energy(&mover), momenta(&mover.tree, &mover.end));
        let com = |mover: &Mover| {
            let links = mover.tree.links().iter().zip(&mover.end.com);
            links.fold(Vec3::ZERO, |sum, (link, com)| sum + *com * link.mass)
        };
        let was = com(&mover);
        let gain = kinetic_energy(&mover.tree, &mover.end) * [1e-6, 1e-2, 0.2][r.index(3)];
        let Mover { tree, q, v, kick, end, displacement, .. } = &mut mover;
        let taken = kick.take(tree, [q, v], end, displacement, gain);
        let left = before - energy(&mover);
        assert!((left - taken.energy).abs() < 1e-11 * (1.0 + before.abs()), "{round}: {left} {taken:?}");
        if (left - gain).abs() < 1e-9 * (1.0 + before.abs()) {
            slowed += 1;
        } else {
            // Its own motion had not enough: it went back.
            back += 1;
        }
        if has_free_base(&mover.tree) {
            let (p2, l2) = momenta(&mover.tree, &mover.end);
            assert!((p2 - p).length() < 1e-10 * (1.0 + p.length()), "{round}: {p} {p2}");
            assert!((l2 - l).length() < 1e-10 * (1.0 + l.length()), "{round}: {l} {l2}");
            assert!((com(&mover) - was).length() < 1e-10, "{round}: the centre of mass has moved");
        }
        for equality in mover.tree.equalities() {
            if let Equality::Rate { dof } = *equality {
                assert!(mover.v[dof].abs() < 1e-10, "{round}: the motor turns by {}", mover.v[dof]);
            }
        }
    }
    assert!(slowed > 200, "{slowed} slowed, {back} back");
}

#[test]
fn a_tree_without_motion_goes_back_along_its_way() {
    let mut r = SplitMix::new(7);
    for round in 0..60 {
        let mut mover = stepped(&mut r, 2 * round + 1);
        if !mover.tree.equalities().is_empty() {
            continue;
        }
        // More than there is: a way up in this step pays for a part of it, and what went down stays there.
        let Mover { tree, q, v, kick, end, displacement, .. } = &mut mover;
        let from = kinetic_energy(tree, end);
        let taken = kick.take(tree, [q, v], end, displacement, 2.0 * from + 1e-3);
        assert!(taken.energy > 0.99 * from || from < 1e-9, "{round}: {taken:?} of {from} J");
        assert!(v.iter().all(|v| v.abs() < 1e-9), "{round}: {v:?}");
    }
}

/// In the frame of the bases what is taken is kinetic energy of the joints, and the bases' own speed adds the work of who holds them.
#[test]
fn prescribed_bases_keep_their_velocity_and_their_work_is_told() {
    let mut r = SplitMix::new(9);
    for round in 0..100 {
        let links = 2 + r.index(4);
        let tree = random_mechanism(&mut r, links, JointKind::Free);
        if tree.dofs_of(0).len() != 6 || tree.dofs() == 6 {
            continue;
        }
        let tree = tree.with_prescribed(&[0]);
        let (q, v) = (random_coordinates(&mut r, &tree), random_velocities(&mut r, tree.dofs()));
        let mut mover = Mover::new(tree, q, v);
        mover.step(0.01, G, BEST);
        let (before, was) = (energy(&mover), mover.v.clone());
        let Mover { tree, q, v, kick, end, displacement, .. } = &mut mover;
        let taken = kick.take(tree, [q, v], end, displacement, 1e-4);
        assert_eq!(v[..6], was[..6], "{round}");
        let change: Vec<f64> = v.iter().zip(&was).map(|(v, was)| v - was).collect();
        let mut momentum = vec![0.0; v.len()];
        mass_times(tree, end, &change, &mut huygens_dynamics::TreeScratch::default(), &mut momentum);
        let work: f64 = (0..6).map(|dof| was[dof] * momentum[dof]).sum();
        assert!((work - taken.by_bases).abs() < 1e-10, "{round}: {work} {taken:?}");
        let left = before - energy(&mover);
        assert!((left - taken.energy).abs() < 1e-10 * (1.0 + before.abs()), "{round}");
        assert!((left + work - 1e-4).abs() < 1e-9 * (1.0 + before.abs()), "{round}: {left} {work}");
    }
}
