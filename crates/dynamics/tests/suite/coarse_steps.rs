//! Steps in which links turn by many radians: nothing bounds the energy of an explicit rule there.

use crate::common::{random_coordinates, random_mechanism, random_tree, random_velocities};
use crate::mover::{BEST, Mover, Scheme};
use huygens_dynamics::{ForceAt, Integrator, JointKind, kinematics, kinetic_energy, potential};
use huygens_math::{SplitMix, Vec3};

/// What [`huygens_dynamics::TreeKick::drift`] makes of symplectic Euler.
const EULER: Scheme = Scheme { at: ForceAt::Start, integrator: Integrator::SymplecticEuler, drift: true };

#[test]
fn a_tree_whose_links_turn_by_up_to_a_hundred_radians_in_a_step_stays_finite_and_gains_nothing() {
    let (h, mut r) = (0.01, SplitMix::new(17));
    for trial in 0..120 {
        let base = [JointKind::Free, JointKind::Hinge, JointKind::Ball][r.index(3)];
        let links = 2 + r.index(4);
        let tree = if r.index(2) == 0 {
            random_tree(&mut r, links, base)
        } else {
            random_mechanism(&mut r, links, base)
        };
        let q = random_coordinates(&mut r, &tree);
        // 1e-2 to 1e2 radians in a step.
        let speed = huygens_math::trig::exp(r.range(0.0, 9.2));
        let v: Vec<f64> = random_velocities(&mut r, tree.dofs()).iter().map(|v| v * speed).collect();
        let scheme = [BEST, EULER][r.index(2)];
        let gravity = if r.index(2) == 0 { Vec3::ZERO } else { Vec3::new(0.0, 0.0, -9.81) };
        let mut mover = Mover::new(tree, q, v);
        kinematics(&mover.tree, &mover.q, &mover.v, &mut mover.end);
        let energy = |mover: &Mover| {
            kinetic_energy(&mover.tree, &mover.end) + potential(&mover.tree, &mover.end, gravity, Vec3::ZERO)
        };
        let (start, kinetic) = (energy(&mover), kinetic_energy(&mover.tree, &mover.end));
        let mut before = start;
        for step in 0..40 {
            mover.step(h, gravity, scheme);
            let now = energy(&mover);
            assert!(now.is_finite() && mover.v.iter().all(|v| v.is_finite()), "trial {trial}, step {step}");
            // An explicit step is used where its error is below 2e-3 of the energy that it moves, up to ten times the kinetic one at a radian.
            let moved = kinetic_energy(&mover.tree, &mover.end) + kinetic + 10.0;
            assert!(now - before <= 2e-2 * moved, "trial {trial}, step {step}: {before} J, then {now} J");
            before = now;
        }
        assert!(before - start <= 0.1 * (kinetic + 10.0), "trial {trial}: {start} J, then {before} J");
    }
}

#[test]
fn a_tree_that_moves_slowly_is_stepped_in_no_pieces() {
    let mut r = SplitMix::new(18);
    for _ in 0..40 {
        let tree = random_tree(&mut r, 5, JointKind::Free);
        let (q, v) = (random_coordinates(&mut r, &tree), random_velocities(&mut r, tree.dofs()));
        let mut mover = Mover::new(tree, q, v);
        for _ in 0..20 {
            mover.step(1e-3, Vec3::new(0.0, 0.0, -9.81), BEST);
            assert_eq!(mover.kick.pieces, 0, "an explicit step");
        }
    }
}
