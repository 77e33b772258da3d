//! Joints on driven bodies: what hangs on them moves as it must, and the driver gives the work that this takes.

use crate::common::world;
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3, trig};
use huygens::scene::{Body, CouplingKind, CouplingSpec, Joint, Keyframe, Motion, Scene, Shape};

const G: f64 = 9.81;

/// A body that touches nothing.
fn bob(name: &str, mass: f64, at: Vec3) -> Body {
    let body = Body::dynamic(name).shape(Shape::sphere(0.05).groups(0, 0)).mass(mass);
    body.inertia(Sym3::diagonal(Vec3::splat(1e-3))).at(at.x, at.y, at.z)
}

fn base(velocity: Vec3, spin: Vec3) -> Body {
    Body::driven("base", velocity.to_array(), spin.to_array()).shape(Shape::sphere(0.05).groups(0, 0))
}

fn angle(world: &World, name: &str) -> [f64; 2] {
    let joint = world.joints().find(|joint| joint.name == name).expect("a joint");
    [joint.q, joint.v]
}

/// Work of the only driver, twice: by its record and by the book.
fn work(world: &World) -> [f64; 2] {
    [world.drivers().map(|driver| driver.record.work).sum(), world.ledger().get(Account::Driver)]
}

#[test]
fn a_pendulum_on_a_cart_at_constant_speed_swings_as_one_on_the_ground_and_the_cart_pays() {
    let hang = |scene: Scene| {
        let joint = Joint::hinge("hinge", "bob").axis(0.0, 1.0, 0.0).damping(0.1).spring(2.0, 0.3);
        let on_base = scene.bodies.iter().any(|body| body.name == "base");
        scene.body(bob("bob", 2.0, Vec3::X)).joint(if on_base { joint.parent("base") } else { joint })
    };
    let speed = Vec3::new(1.5, 0.4, -0.3);
    let mut still = world(&hang(Scene::new().dt(1e-3)));
    let mut moving = world(&hang(Scene::new().dt(1e-3).body(base(speed, Vec3::ZERO))));
    for _ in 0..2000 {
        still.step();
        moving.step();
    }
    let ([q, v], [p, u]) = (angle(&still, "hinge"), angle(&moving, "hinge"));
    assert!((q - p).abs() < 1e-10 && (v - u).abs() < 1e-10, "{q} {p}, {v} {u}");
    let [record, booked] = work(&moving);
    assert!((record - booked).abs() < 1e-12 * booked.abs(), "{record} {booked}");
    // In the ground's frame the bob has the cart's momentum beside its own: E grows by V·Δp and by the weight that the cart lifts.
    let own = |world: &World| {
        let of = |name: &str| world.bodies().find(|body| body.name == name).map(|body| body.linear_velocity);
        of("bob").unwrap_or_default()
    };
    let lifted = 2.0 * G * speed.z * moving.time();
    let expected = 2.0 * speed.dot(own(&moving) - speed) + lifted;
    let brought = moving.energy() - still.energy();
    // Both runs lose the same to the damper: what is left is the driver's.
    let kinetic = 0.5 * 2.0 * speed.length_squared();
    assert!((brought - kinetic - expected).abs() < 1e-8, "{brought} {expected}");
    assert!((booked - expected).abs() < 1e-5, "{booked} {expected}");
    assert!(moving.ledger().worst_ratio() < 1.0, "{}", moving.ledger().worst_ratio());
}

#[test]
fn a_conical_pendulum_on_a_turntable_comes_to_rest_where_it_must() {
    // tan α = Ω²(r + l sin α)/g with a bob of no size; the rod's inertia adds I/(m l²) to l sin α cos α.
    let (spin, arm, length) = (4.0, 0.3, 1.0);
    let at = Vec3::new(arm, 0.0, -length);
    let joint = Joint::hinge("hinge", "bob").parent("base").anchor(arm, 0.0, 0.0).axis(0.0, -1.0, 0.0);
    let body = bob("bob", 2.0, at).inertia(Sym3::diagonal(Vec3::splat(1e-9)));
    let scene =
        Scene::new().dt(1e-3).body(base(Vec3::ZERO, Vec3::Z * spin)).body(body).joint(joint.damping(4.0));
    let mut world = world(&scene);
    for _ in 0..30_000 {
        world.step();
    }
    let [q, v] = angle(&world, "hinge");
    let (s, c) = trig::sin_cos(q);
    let off = s / c - spin * spin * (arm + length * s) / G;
    assert!(off.abs() < 1e-4 && v.abs() < 1e-9, "{q} {v}: {off}");
    assert!(world.ledger().worst_ratio() < 1.0, "{}", world.ledger().worst_ratio());
}

#[test]
fn books_close_where_a_driver_shakes_an_open_and_a_closed_mechanism() {
    let key = |t: f64, x: f64, turn: f64| {
        let (s, c) = trig::sin_cos(0.5 * turn);
        Keyframe {
            t,
            position: Vec3::new(x, 0.2 * x, 0.0),
            orientation: huygens::math::Quat::from_xyzw(0.0, s, 0.0, c),
        }
    };
    let keys = vec![key(0.0, 0.0, 0.0), key(0.3, 0.4, 0.5), key(0.5, -0.3, -0.2), key(1.0, 0.0, 0.0)];
    for (closed, solver) in
        [(false, "soft-step"), (true, "soft-step"), (false, "ncp/newton"), (true, "ncp/newton")]
    {
        let mut shaker = base(Vec3::ZERO, Vec3::ZERO);
        if let Motion::Driven { keyframes, .. } = &mut shaker.motion {
            keyframes.clone_from(&keys);
        }
        let mut scene = Scene::new()
            .dt(2e-3)
            .solver(solver)
            .body(shaker)
            .body(bob("one", 1.0, Vec3::new(0.5, 0.0, 0.0)))
            .body(bob("two", 2.0, Vec3::new(1.0, 0.0, 0.2)))
            .joint(Joint::hinge("a", "one").parent("base").axis(0.0, 1.0, 0.0).spring(20.0, 0.1).damping(0.2))
            .joint(Joint::ball("b", "two").parent("one").anchor(0.7, 0.0, 0.0));
        if closed {
            let ends = [[1.0, 0.0, 0.2], [1.5, 0.0, 1.0]];
            scene = scene.coupling(CouplingSpec::bodies("rod", CouplingKind::Distance, ["two", ""], ends));
        }
        let mut world = world(&scene);
        for _ in 0..1000 {
            world.step();
        }
        let [record, booked] = work(&world);
        let (ratio, gap) = (world.ledger().worst_ratio(), world.largest_gap());
        println!("{solver} closed {closed}: {ratio:.2} of the bound, gap {gap:.1e}, work {booked}");
        assert!(ratio < 1.0, "{solver} closed {closed}: {ratio}");
        assert!((record - booked).abs() < 1e-9 * (1.0 + booked.abs()), "{record} {booked}");
        assert!(gap < 1e-8, "{gap}");
        assert!(booked.abs() > 0.1, "the shaker does work: {booked}");
    }
}
