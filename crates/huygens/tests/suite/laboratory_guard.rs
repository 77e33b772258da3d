//! The guard in whole scenes: no contact model makes energy, in impacts, in the solve or by pushing bodies apart.

use crate::common::{booked, floor, position, rigid_solvers, solvers, step, velocity, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::SplitMix;
use huygens::scene::{Body, Scene, Shape, StabilisationSpec};

const SPLIT: StabilisationSpec = StabilisationSpec::SplitImpulse { beta: 0.2, slop: None };

fn guarded(solver: &str) -> Scene {
    Scene::new().dt(1.0 / 240.0).solver(solver).stabilisation(SPLIT).world(|world| world.guard = true)
}

/// What contact brought into the system so far: its losses, and what undoing overlap cost [J].
fn contact_account(world: &World) -> f64 {
    let accounts = [Account::Impact, Account::Friction, Account::Correction, Account::Stabilisation];
    accounts.into_iter().map(|account| booked(world, account)).sum()
}

#[test]
fn a_body_that_is_put_down_in_another_one_comes_out_and_does_not_fly() {
    for solver in rigid_solvers() {
        let cube = Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.2);
        let mut world = world(&guarded(solver).body(floor(0.5, 0.0)).body(cube));
        for k in 0..1000 {
            step(&mut world);
            let up = velocity(&world, "cube").z;
            assert!(up < 1e-9, "{solver}, step {k}: it does not fly, {up} m/s");
        }
        let (end, lifted) = (position(&world, "cube").z, position(&world, "cube").z - 0.2);
        assert!((end - 0.5).abs() < 1e-3, "{solver}: it has come out, {end}");
        // 1000 kg: the correction has brought what the lift costs, and nothing else has brought anything.
        let brought = contact_account(&world);
        assert!((brought - 9810.0 * lifted).abs() < 1e-6, "{solver}: {brought} J");
    }
}

#[test]
fn overlap_that_motion_made_is_not_lifted_for_nothing() {
    for solver in rigid_solvers() {
        // The cube comes to rest 0.3 m deep: the floor could not stop it without rows for open gaps and in so long a step.
        let cube = Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.6).velocity(0.0, 0.0, -40.0);
        let mut scene = guarded(solver).dt(0.01).body(floor(0.5, 0.0)).body(cube);
        scene.world.speculative = false;
        let mut world = world(&scene);
        let mut least = f64::INFINITY;
        for k in 0..400 {
            step(&mut world);
            let energy = world.energy();
            assert!(energy <= least + 1e-6, "{solver}, step {k}: rises by {} J", energy - least);
            least = if energy < least { energy } else { least };
        }
    }
}

#[test]
fn a_pile_with_restitution_and_friction_never_gains_energy() {
    for solver in solvers() {
        let mut r = SplitMix::new(11);
        let mut scene = guarded(solver).world(|world| world.iterations = 4).body(floor(1.0, 0.9));
        for k in 0..12 {
            let shape = if k % 2 == 0 { Shape::cuboid(0.4, 0.3, 0.2) } else { Shape::capsule(0.1, 0.3) };
            let body = Body::dynamic(format!("b{k}")).shape(shape.friction(1.0).restitution(0.9));
            let at = r.in_cube() * 0.4;
            scene =
                scene.body(body.at(at.x, at.y, 0.6 + 0.35 * f64::from(k)).spin(at.y * 9.0, at.x * 9.0, at.z));
        }
        let mut world = world(&scene);
        for k in 0..400 {
            step(&mut world);
            let brought = contact_account(&world);
            assert!(brought <= 0.0, "{solver}, step {k}: contact brought {brought} J");
        }
    }
}
