//! Each account counts: a posting that is wrong by one millionth shows as unexplained.

use crate::common::{floor, world};
use crate::forces::crowded;
use crate::ledger::lively;
use crate::mechanisms::{mechanism, spinning};
use huygens::World;
use huygens::contact::{Compliance, SolverKind};
use huygens::ledger::Account;
use huygens::math::{SplitMix, Twist, Vec3};
use huygens::scene::{Body, DriveLimit, Integrator, Joint, Scene, Shape, ShapeKind, StabilisationSpec};

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
    vec![lively(), euler, rises, capped(), hard, sprung(), exact, crowded(), mechanism(), spinning()]
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
        assert!(posted > 0, "{}: no step of any scene posts it", account.name());
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

/// A box that spins into a wall at rest, without restitution.
fn spinning_box(solver: &str, seed: u64) -> Scene {
    let mut r = SplitMix::new(seed);
    let wall = Body::fixed("wall").shape(Shape::cuboid(0.2, 4.0, 4.0).friction(0.5)).at(1.0, 0.0, 0.0);
    let (at, spin) = (r.in_cube() * 0.2, r.in_cube() * 20.0);
    let body = Body::dynamic("box").shape(Shape::cuboid(0.4, 0.3, 0.2).friction(0.5)).mass(2.0);
    let body = body.at(at.x, at.y, at.z).velocity(10.0, 2.0 * at.y, at.z).spin(spin.x, spin.y, spin.z);
    Scene::new().dt(1.0 / 240.0).gravity(0.0, 0.0, 0.0).solver(solver).body(wall).body(body)
}

/// Bodies of several shapes that fall on a floor that stands still, bounce, slide and roll.
fn falling(solver: &str, seed: u64) -> Scene {
    let mut r = SplitMix::new(seed);
    let mut scene = Scene::new().dt(1.0 / 120.0).solver(solver).body(floor(2.0 * r.unit(), r.unit()));
    for k in 0..4 {
        let shape = match r.index(4) {
            0 => Shape::sphere(0.2),
            1 => Shape::capsule(0.1, 0.3),
            2 => Shape::new(ShapeKind::Ellipsoid { radii: Vec3::new(0.3, 0.1, 0.2) }),
            _ => Shape::cuboid(0.4, 0.3, 0.2),
        };
        let shape = shape.friction(2.0 * r.unit()).restitution(r.unit());
        let (at, v, w) = (r.in_cube() * 0.3, r.in_cube() * 4.0, r.in_cube() * 15.0);
        let body = Body::dynamic(format!("b{k}")).shape(shape).at(at.x, at.y, 0.5 + 0.7 * f64::from(k));
        scene = scene.body(body.velocity(v.x, v.y, v.z).spin(w.x, w.y, w.z));
    }
    scene
}

#[test]
fn impact_and_friction_take_energy_in_every_step_on_what_stands_still() {
    // Normals of soft contacts are springs and dampers, which have accounts of their own.
    for kind in SolverKind::ALL.iter().copied().filter(|kind| !kind.is_soft()) {
        for seed in 0..12 {
            for scene in [spinning_box(kind.name(), seed), falling(kind.name(), seed)] {
                let mut world = world(&scene);
                let start = world.kinetic_energy();
                let mut most = start;
                for step in 0..180 {
                    let report = world.step();
                    assert!(
                        report.unexplained.abs() <= report.unexplained_bound,
                        "{kind} {seed}, step {step}"
                    );
                    most = huygens::math::scalar::max(most, world.kinetic_energy());
                    for account in [Account::Impact, Account::Friction] {
                        let brought = world.book().get(account);
                        // What is left of round-off in the sums of a step.
                        assert!(
                            brought <= 1e-12 * most,
                            "{kind} {seed}, step {step}: {account:?} {brought:e} of {most} J: {:?}",
                            Account::ALL.map(|account| (account, world.book().get(account)))
                        );
                    }
                }
            }
        }
    }
}
