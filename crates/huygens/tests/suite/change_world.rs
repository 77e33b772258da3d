//! Choices of the world and impulses, changed while it runs: what they do to the motion, and to the book.

use huygens::World;
use huygens::ledger::Account;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Scene, Shape};

fn pair_on_a_floor(dt: f64) -> Scene {
    Scene::new()
        .dt(dt)
        .body(Body::fixed("floor").shape(Shape::half_space().friction(0.4).restitution(0.5)))
        .body(Body::dynamic("box").cuboid(0.4, 0.5, 0.6).at(0.0, 0.0, 0.8))
        .body(Body::dynamic("ball").sphere(0.2).at(0.3, 0.1, 1.6))
}

/// ½ g t² in each of two spells with other gravity and another step.
#[test]
fn gravity_and_the_step_change_at_once() {
    let scene = Scene::new().dt(0.01).body(Body::dynamic("ball").sphere(0.1));
    let mut world = World::new(&scene).unwrap();
    for _ in 0..50 {
        world.step();
    }
    world.change_world(|w| (w.gravity, w.dt) = (Vec3::new(1.0, 0.0, 0.0), 0.005)).unwrap();
    for _ in 0..100 {
        world.step();
    }
    let ball = world.body(world.find("ball").unwrap()).unwrap();
    // v = (½ s)(−9.81 m/s²) e_z, then 1 m/s² along x.
    assert!((ball.position - Vec3::new(0.125, 0.0, -0.5 * 9.81 * (0.25 + 0.5))).length() < 1e-13);
    assert!((world.time() - 1.0).abs() < 1e-15, "0.5 s and 100 steps of 5 ms: {}", world.time());
    assert!(world.ledger().worst_ratio() < 1.0);
    assert!(world.ledger().get(Account::Edit).abs() > 1.0, "the potential energy of another gravity");
}

#[test]
fn a_change_back_before_the_next_step_changes_no_bit() {
    let scene = pair_on_a_floor(1.0 / 120.0);
    let [mut plain, mut changed] = [&scene, &scene].map(|scene| World::new(scene).unwrap());
    for i in 0..120 {
        if i % 10 == 3 {
            changed.change_world(|w| w.solver = "ncp/newton".to_owned()).unwrap();
            changed.change_world(|w| w.solver = "soft-step".to_owned()).unwrap();
        }
        plain.step();
        changed.step();
        assert_eq!(plain.hash(), changed.hash(), "step {i}");
    }
}

#[test]
fn every_solver_can_take_over_in_every_step() {
    let mut r = SplitMix::new(25);
    let names: Vec<&str> = huygens::contact::SolverKind::ALL.iter().map(|kind| kind.name()).collect();
    let mut world = World::new(&pair_on_a_floor(1.0 / 240.0)).unwrap();
    for _ in 0..400 {
        let solver = names[r.index(names.len())];
        let dt = r.range(1.0 / 480.0, 1.0 / 120.0);
        world.change_world(|w| (w.solver, w.dt) = (solver.to_owned(), dt)).unwrap();
        world.step();
        assert!(world.ledger().worst_ratio() < 1.0, "{solver}");
    }
    // Nothing has fallen through the floor: the box stands on its shortest half at least, the ball on its radius.
    for body in world.bodies().filter(|body| body.mass > 0.0) {
        assert!(body.position.z > 0.19, "{}: {}", body.name, body.position);
    }
}

#[test]
fn what_cannot_be_changes_nothing() {
    let mut world = World::new(&pair_on_a_floor(0.01)).unwrap();
    let error = world.change_world(|w| w.dt = -1.0).unwrap_err().to_string();
    assert!(error.contains("world.dt is -1"), "{error}");
    let error = world.change_world(|w| w.solver = "soft-stop".to_owned()).unwrap_err().to_string();
    assert!(error.contains("soft-step"), "{error}");
    let error = world.change_world(|w| w.combine = huygens::scene::Combine::Table).unwrap_err().to_string();
    assert!(error.contains("world.combine is") && error.contains("no material"), "{error}");
    assert_eq!(world.choices().dt, 0.01);
}

/// An impulse p at arm r gives v = p/m and ω = I⁻¹(r × p); its work is ½p·v + ½(r × p)·ω for a body at rest.
#[test]
fn an_impulse_gives_its_work_to_the_account_of_the_user() {
    let mut r = SplitMix::new(7);
    for _ in 0..50 {
        let size = Vec3::new(r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0));
        let mass = r.range(0.1, 10.0);
        let body = Body::dynamic("box").cuboid(size.x, size.y, size.z).mass(mass);
        let scene = Scene::new().body(body.velocity(1.0, -2.0, 0.5));
        let mut world = World::new(&scene).unwrap();
        let id = world.find("box").unwrap();
        let (p, arm) = (r.in_cube() * 3.0, r.in_cube());
        let before = world.energy();
        world.apply_impulse_at(id, p, arm).unwrap();
        let view = world.body(id).unwrap();
        let moments = Vec3::new(
            size.y * size.y + size.z * size.z,
            size.x * size.x + size.z * size.z,
            size.x * size.x + size.y * size.y,
        ) * (mass / 12.0);
        let spin = arm.cross(p) / moments;
        assert!((view.linear_velocity - Vec3::new(1.0, -2.0, 0.5) - p / mass).length() < 1e-12);
        assert!((view.angular_velocity - spin).length() < 1e-9 * (1.0 + spin.length()));
        let work = world.ledger().get(Account::User);
        assert!((work - (world.energy() - before)).abs() < 1e-12 * (1.0 + work.abs()), "{work} J");
        assert!(world.ledger().worst_ratio() < 1.0);
    }
}

#[test]
fn an_impulse_on_what_it_cannot_move_is_refused() {
    let mut world = World::new(&pair_on_a_floor(0.01)).unwrap();
    let (floor, ball) = (world.find("floor").unwrap(), world.find("ball").unwrap());
    let hash = world.hash();
    assert!(world.apply_impulse(floor, Vec3::X, Vec3::ZERO).is_err());
    assert!(world.apply_impulse(ball, Vec3::splat(f64::NAN), Vec3::ZERO).is_err());
    assert!(world.apply_impulse_at(ball, Vec3::X, Vec3::splat(f64::INFINITY)).is_err());
    assert_eq!(world.hash(), hash);
}
