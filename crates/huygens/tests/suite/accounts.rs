//! Each account counts: a posting that is wrong by one millionth shows as unexplained.

use crate::common::{floor, world};
use crate::forces::crowded;
use crate::ledger::lively;
use huygens::World;
use huygens::contact::Compliance;
use huygens::ledger::Account;
use huygens::math::{Twist, Vec3};
use huygens::scene::{Body, DriveLimit, Integrator, Joint, Scene, Shape, ShapeKind, StabilisationSpec};

/// No force, constraint or medium of a scene posts these yet; who adds one adds a scene here.
const UNUSED: [Account; 2] = [Account::Actuator, Account::Joint];

/// A pusher at its cap, and an egg that rolls.
fn capped() -> Scene {
    let pusher = Body::driven("pusher", [1.0, 0.0, 0.0], [0.0; 3])
        .limit(DriveLimit::Cap { impulse: 0.05 })
        .shape(Shape::cuboid(0.2, 0.2, 0.2).friction(0.0))
        .at(-0.36, 0.0, 0.25);
    let cube =
        Body::dynamic("cube").shape(Shape::cuboid(0.5, 0.5, 0.5).friction(0.5)).mass(1.0).at(0.0, 0.0, 0.25);
    let egg = Shape::new(ShapeKind::Ellipsoid { radii: Vec3::new(0.3, 0.1, 0.1) }).friction(2.0);
    let egg = Body::dynamic("egg")
        .shape(egg)
        .mass(1.0)
        .at(0.0, 3.0, 0.1)
        .spin(0.0, 3.0, 0.0)
        .velocity(0.3, 0.0, 0.0);
    Scene::new().dt(2e-3).body(floor(0.5, 0.0)).body(pusher).body(cube).body(egg)
}

/// A cube that lies 5 cm deep in the floor, and an arm that swings on a hinge with damping.
fn sunk() -> Scene {
    let cube = Body::dynamic("cube").cuboid(0.5, 0.5, 0.5).mass(1.0).at(0.0, 0.0, 0.2);
    let arm = Body::dynamic("arm").cuboid(0.6, 0.1, 0.1).at(3.3, 0.0, 1.0);
    let hinge = Joint::hinge("hinge", "arm").anchor(3.0, 0.0, 1.0).axis(0.0, 1.0, 0.0).damping(0.5);
    Scene::new().dt(2e-3).body(floor(0.5, 0.0)).body(cube).body(arm).joint(hinge)
}

/// A cube on the floor, and an arm that falls on a limit that gives way.
fn sprung() -> Scene {
    let cube = Body::dynamic("cube").cuboid(0.5, 0.5, 0.5).mass(1.0).at(0.0, 0.0, 0.25);
    let arm = Body::dynamic("arm").cuboid(0.6, 0.1, 0.1).at(3.3, 0.0, 1.0);
    let limit = Compliance::Spring { stiffness: 400.0, damping: 3.0 };
    let hinge = Joint::hinge("hinge", "arm").anchor(3.0, 0.0, 1.0).axis(0.0, 1.0, 0.0);
    let hinge = hinge.range(-1.0, 0.05).limit(limit);
    Scene::new().dt(2e-3).body(floor(0.5, 0.0)).body(cube).body(arm).joint(hinge)
}

/// Scenes that together use every account that there is.
fn scenes() -> Vec<Scene> {
    let euler = lively().world(|world| world.integrator = Integrator::SymplecticEuler);
    let baumgarte = StabilisationSpec::Baumgarte { erp: 0.5, cap: None };
    let rises = sunk().solver("sequential-impulse").stabilisation(baumgarte);
    let hard = capped().solver("nbgs/approximate-decoupling");
    let exact = sprung().solver("ncp/newton");
    vec![lively(), euler, rises, capped(), hard, sprung(), exact, crowded()]
}

/// A step in which something is edited, and the book of it.
fn edited_step(world: &mut World, k: u32) {
    if k == 20 {
        let id = |name: &str| world.find(name);
        let body = id("body0").or_else(|| id("cube")).expect("each scene has one of them");
        world.set_velocity(body, Twist::new(Vec3::Z * 0.5, Vec3::X)).expect("it lives");
    }
    world.step();
}

#[test]
fn a_posting_that_is_wrong_by_one_millionth_shows_whatever_its_account() {
    for account in Account::ALL {
        let (mut posted, mut seen) = (0, 0);
        for scene in scenes() {
            let mut world = world(&scene);
            world.distort_account(Some(account));
            for k in 0..150 {
                edited_step(&mut world, k);
                let report = world.report().clone();
                let is_wrong = report.unexplained.abs() > report.unexplained_bound;
                let error = 1e-6 * world.book().get(account);
                // Beside the error there is the round-off of the right book: at most the bound.
                if error.abs() > 2.0 * report.unexplained_bound {
                    posted += 1;
                    assert!(is_wrong, "{}: {error:e} J does not show", account.name());
                }
                seen += usize::from(is_wrong);
            }
            if account == Account::Edit {
                posted += 1;
                seen += usize::from(world.ledger().worst_ratio() > 1.0);
            }
        }
        assert_eq!(posted > 0, !UNUSED.contains(&account), "{}: {posted} steps", account.name());
        assert!(seen >= posted, "{}: {seen} of {posted} steps", account.name());
    }
}

#[test]
fn right_books_close_in_the_same_scenes() {
    for scene in scenes() {
        let mut world = world(&scene);
        (0..150).for_each(|k| edited_step(&mut world, k));
        assert!(world.ledger().worst_ratio() <= 1.0, "{}", world.ledger().worst_ratio());
    }
}
