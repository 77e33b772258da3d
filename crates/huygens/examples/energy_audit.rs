//! Where the energy of a bouncing, sliding box went, by account; and that the accounts add up.

use huygens::ledger::Account;
use huygens::scene::{Body, Scene, Shape};
use huygens::{SceneErrors, World};

/// Runs the box and prints its ledger.
pub fn main() -> Result<(), SceneErrors> {
    let floor = Body::fixed("floor").shape(Shape::half_space().friction(0.4).restitution(0.5));
    let thrown = Body::dynamic("box")
        .cuboid(0.4, 0.3, 0.2)
        .at(0.0, 0.0, 1.0)
        .velocity(4.0, 0.0, 1.0)
        .spin(1.0, 3.0, 0.5);
    let mut world = World::new(&Scene::new().dt(1.0 / 240.0).body(floor).body(thrown))?;
    let start = world.energy();
    while world.time() < 4.0 {
        let report = world.step();
        assert!(report.unexplained.abs() <= report.unexplained_bound, "every step closes");
    }
    print!("{}", world.ledger());
    let ledger = world.ledger();
    let sum: f64 = Account::ALL.iter().map(|account| ledger.get(*account)).sum();
    assert!((start + sum - world.energy()).abs() < 1e-9 * start);
    assert!(ledger.get(Account::Impact) < 0.0 && ledger.get(Account::Friction) < 0.0);
    Ok(())
}
