//! The guard in whole scenes: no contact model makes energy, in impacts, in the solve or by pushing bodies apart.

use crate::common::{booked, floor, position, solvers, step, velocity, world};
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
fn a_body_deep_in_another_one_does_not_fly() {
    for solver in solvers() {
        let cube = |name: &str, z: f64| Body::dynamic(name).cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, z);
        // The cube starts 0.3 m deep in the floor; from 2 s on a ball that is thrown down pays for a part of its rise.
        let ball = Body::dynamic("ball").shape(Shape::sphere(0.3)).at(0.0, 0.0, 25.0);
        let mut world = world(&guarded(solver).body(floor(0.5, 0.0)).body(cube("cube", 0.2)).body(ball));
        let mut rest = 0.0;
        for k in 0..1000 {
            step(&mut world);
            let brought = contact_account(&world);
            // Round-off of the potential: 1000 kg × 10 m/s² × 25 m.
            assert!(brought <= 1e-9, "{solver}, step {k}: contact brought {brought} J");
            if k == 200 {
                rest = position(&world, "cube").z;
                assert!((rest - 0.2).abs() < 1e-9, "{solver}: nothing has paid for a rise to {rest}");
            }
            // Sub-steps leave a little of the blow in the cube: it hops by v²/2g, two thousandths of its size.
            let (up, most) = (velocity(&world, "cube").z, if solver == "soft-step" { 0.2 } else { 1e-9 });
            assert!(up < most, "{solver}, step {k}: it does not fly, {up} m/s");
        }
        let end = position(&world, "cube").z;
        assert!(end > rest + 1e-3, "{solver}: the ball's impact pays for a rise, {rest} to {end}");
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
