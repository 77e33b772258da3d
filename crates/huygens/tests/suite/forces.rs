//! The medium, damping and springs: closed forms, their order, and books that close.

use crate::common::{floor, position, run, solvers, spin, step, velocity, world};
use crate::ledger::lively;
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Pose, Quat, Twist, Vec3, scalar, trig};
use huygens::scene::{
    Body, BodyMediumSpec, DriveLimit, Integrator, Joint, MediumSpec, Scene, Shape, Spring, WindSpec,
};
use std::f64::consts::PI;

/// A ball of 1 kg without contact.
fn ball() -> Body {
    Body::dynamic("ball").sphere(0.1).mass(1.0)
}

/// A ball with drag, Magnus force and lift, in a wind with shear.
fn blown() -> BodyMediumSpec {
    BodyMediumSpec { linear_drag: 0.05, lift: 0.3, magnus: 0.002, ..BodyMediumSpec::drag(0.47) }
}

fn shear() -> WindSpec {
    WindSpec { gradient: [Vec3::Z * 0.5, Vec3::ZERO, Vec3::ZERO], ..WindSpec::uniform(2.0, -1.0, 0.5) }
}

/// All of it at once: a crowd that bounces in a wind over water, some of it on springs to each other, to the world and to a driven slab.
pub fn crowded() -> Scene {
    let mut scene = lively().medium(MediumSpec::new(300.0).surface(0.4).wind(shear()));
    for (i, body) in scene.bodies.iter_mut().filter(|body| body.name.starts_with("body")).enumerate() {
        if i % 2 == 0 {
            body.medium = Some(BodyMediumSpec { buoyancy: i % 4 == 0, ..blown() });
        }
        if i % 3 == 0 {
            (body.linear_damping, body.angular_damping) = (0.5, 1.5);
        }
    }
    // An egg that rolls: the engine watches its energy on its own.
    let egg = Body::dynamic("egg").shape(Shape::ellipsoid(0.3, 0.1, 0.1).friction(2.0)).mass(1.0);
    let egg = egg.at(4.0, 3.0, 0.1).spin(0.0, 3.0, 0.0).velocity(0.3, 0.0, 0.0);
    scene
        .body(egg.medium(BodyMediumSpec { linear_drag: 0.2, ..blown() }))
        .spring(
            Spring::between("pair", ["body0", "body1"], [[-0.6, -0.4, 0.7], [0.0, -0.4, 0.9]], 80.0)
                .damping(3.0),
        )
        .spring(
            Spring::between("slab", ["body2", "slab"], [[0.6, -0.4, 1.2], [-0.2, 0.3, 0.2]], 40.0)
                .damping(1.0),
        )
        .spring(Spring::to_world("world", "body3", [[-0.6, 0.2, 1.6], [-0.6, 0.2, 2.0]], 60.0).length(0.2))
}

#[test]
fn books_close_with_all_of_it_in_every_model() {
    for solver in solvers() {
        for integrator in Integrator::ALL {
            let scene = crowded().solver(solver).world(|world| world.integrator = integrator);
            let mut world = world(&scene);
            run(&mut world, 150);
            for account in [Account::Medium, Account::Viscous, Account::Spring, Account::Driver] {
                assert!(world.ledger().get(account) != 0.0, "{solver}: {}", account.name());
            }
            // The account of all drivers is the sum of their records.
            let records: f64 = world.state().drivers.iter().map(|driver| driver.work).sum();
            let account = world.ledger().get(Account::Driver);
            assert!(
                (records - account).abs() <= 1e-9 * (1.0 + account.abs()),
                "{solver}: {records} {account}"
            );
        }
    }
}

#[test]
fn the_energy_of_a_world_has_that_of_its_springs() {
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .body(ball())
        .spring(Spring::to_world("s", "ball", [[0.0; 3], [0.0, 0.0, 2.0]], 10.0).length(0.5));
    let mut world = world(&scene);
    let stored = 0.5 * 10.0 * 1.5 * 1.5;
    assert!((world.energy() - stored).abs() < 1e-13);
    run(&mut world, 1000);
    assert!((world.energy() - world.ledger().energy_end()).abs() < 1e-10);
}

/// Errors of a quantity at dt, dt/2 and dt/4: of second order they fall to a quarter.
fn assert_second_order(what: &str, dt: f64, error: impl Fn(f64) -> f64) {
    let errors = [dt, 0.5 * dt, 0.25 * dt].map(error);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.6..4.4).contains(&ratio), "{what}: {errors:?}");
    }
}

/// A world after one second in steps of dt.
fn after_a_second(scene: Scene, dt: f64) -> World {
    let mut world = world(&scene.dt(dt));
    run(&mut world, (1.0 / dt).round() as usize);
    world
}

#[test]
fn a_fall_with_drag_follows_its_time_law() {
    // v_t = √(m g/k), v = v_t tanh(g t/v_t); half the density, drag 2: k = ½ρ C_d A.
    let k = 0.5 * 1.225 * 0.47 * PI * 0.3 * 0.3;
    let terminal = (9.81 / k).sqrt();
    let scene = || {
        let medium = BodyMediumSpec::drag(0.47);
        Scene::new()
            .medium(MediumSpec::new(1.225))
            .body(Body::dynamic("ball").sphere(0.3).mass(1.0).medium(medium))
    };
    let e = trig::exp(2.0 * 9.81 / terminal);
    let law = terminal * (e - 1.0) / (e + 1.0);
    assert_second_order("velocity", 0.05, |dt| {
        (velocity(&after_a_second(scene(), dt), "ball").z + law).abs()
    });
    // Its way: (v_t²/g) ln cosh(g t/v_t).
    let way = terminal * terminal / 9.81 * trig::ln(0.5 * (e.sqrt() + 1.0 / e.sqrt()));
    assert_second_order("way", 0.05, |dt| (position(&after_a_second(scene(), dt), "ball").z + way).abs());
    let mut world = world(&scene().dt(0.02));
    run(&mut world, 3000);
    assert!((velocity(&world, "ball").z + terminal).abs() < 1e-13 * terminal);
}

#[test]
fn linear_drag_and_damping_die_away_as_exponentials() {
    let medium = BodyMediumSpec { linear_drag: 1.5, ..BodyMediumSpec::default() };
    let scene = || {
        let body =
            ball().velocity(3.0, 0.0, 0.0).spin(0.0, 5.0, 0.0).medium(medium.clone()).damping(0.5, 2.0);
        Scene::new().gravity(0.0, 0.0, 0.0).medium(MediumSpec::new(1.0)).body(body)
    };
    // Both act on the momentum: 1.5 + 0.5 per second.
    let left = trig::exp(-2.0);
    assert_second_order("velocity", 0.02, |dt| {
        (velocity(&after_a_second(scene(), dt), "ball").x - 3.0 * left).abs()
    });
    assert_second_order("spin", 0.02, |dt| (spin(&after_a_second(scene(), dt), "ball").y - 5.0 * left).abs());
}

#[test]
fn a_magnus_force_turns_the_velocity() {
    // S ω × v with constant ω across v: the velocity turns at S ω/m and keeps its size.
    let medium = BodyMediumSpec { magnus: 0.02, ..BodyMediumSpec::default() };
    let scene = || {
        let body = ball().velocity(4.0, 0.0, 0.0).spin(0.0, 0.0, 50.0).medium(medium.clone());
        Scene::new().gravity(0.0, 0.0, 0.0).medium(MediumSpec::new(1.0)).body(body)
    };
    assert_second_order("turn", 0.02, |dt| {
        let v = velocity(&after_a_second(scene(), dt), "ball");
        assert!((v.length() - 4.0).abs() < 1e-13);
        (v - Vec3::new(trig::cos(1.0), trig::sin(1.0), 0.0) * 4.0).length()
    });
}

#[test]
fn a_spring_swings_with_its_period_and_keeps_its_energy() {
    let scene = || {
        let body = ball().at(0.5, 0.0, 0.0);
        let spring = Spring::to_world("s", "ball", [[0.5, 0.0, 0.0], [-2.0, 0.0, 0.0]], 25.0).length(2.0);
        Scene::new().gravity(0.0, 0.0, 0.0).body(body).spring(spring)
    };
    let x = 0.5 * trig::cos(5.0);
    assert_second_order("place", 0.01, |dt| (position(&after_a_second(scene(), dt), "ball").x - x).abs());
    let mut world = world(&scene().dt(0.01));
    let (mut low, mut high) = (f64::INFINITY, 0.0);
    for _ in 0..20_000 {
        step(&mut world);
        (low, high) = (scalar::min(low, world.energy()), scalar::max(high, world.energy()));
    }
    let start = 0.5 * 25.0 * 0.25;
    // It breathes by (hω)²/4 and has no trend.
    let breath = start * 0.25 * 0.05 * 0.05;
    assert!(low >= start - 1e-9 && high <= start + 1.001 * breath, "{low} {high}");
}

#[test]
fn dampers_that_share_a_body_are_of_second_order_together() {
    // Three in a row to one ball: their damping adds up, and the springs too.
    let scene = || {
        let mut scene = Scene::new().gravity(0.0, 0.0, 0.0).body(ball().at(0.5, 0.0, 0.0));
        for (i, c) in [1.0, 2.0, 3.0].into_iter().enumerate() {
            let ends = [[0.5, 0.0, 0.0], [-2.0, 0.0, 0.0]];
            let spring = Spring::to_world(format!("s{i}"), "ball", ends, 10.0).damping(c).length(2.0);
            scene = scene.spring(spring);
        }
        scene
    };
    // x'' + 6 x' + 30 x = 0.
    let (decay, rate) = (trig::exp(-3.0), 21.0_f64.sqrt());
    let x = 0.5 * decay * (trig::cos(rate) + 3.0 / rate * trig::sin(rate));
    assert_second_order("place", 0.005, |dt| (position(&after_a_second(scene(), dt), "ball").x - x).abs());
}

#[test]
fn springs_keep_momentum_and_angular_momentum() {
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .dt(0.01)
        .body(ball().velocity(1.0, 0.5, 0.0))
        .body(Body::dynamic("box").cuboid(0.2, 0.2, 0.2).mass(2.0).at(1.0, 0.0, 0.3).velocity(0.0, -0.5, 1.0))
        .spring(
            Spring::between("s", ["ball", "box"], [[0.0, 0.05, 0.0], [0.9, 0.1, 0.3]], 50.0)
                .length(0.4)
                .damping(0.3),
        );
    let mut world = world(&scene);
    let momenta = |world: &World| {
        let mut sum = Twist::ZERO;
        for (slot, body) in world.model().bodies.iter().enumerate() {
            let twist = world.state().velocity.free[slot];
            let q = world.state().orientation[slot];
            let spin = q * (body.inertia * (q.conjugate() * twist.angular));
            let momentum = twist.linear * body.mass;
            sum += Twist::new(momentum, world.state().position[slot].cross(momentum) + spin);
        }
        sum
    };
    let before = momenta(&world);
    run(&mut world, 500);
    let change = momenta(&world) - before;
    assert!(change.linear.length() < 1e-12 && change.angular.length() < 1e-12, "{change:?}");
    assert!(world.ledger().get(Account::Viscous) < -0.1);
}

#[test]
fn a_floating_box_bobs_with_its_period() {
    // Heave: m z'' = −ρ g S (z − z₀), so ω² = ρ g S/m; it stays upright.
    let omega = (1000.0 * 9.81 * 0.8 * 0.8 / 200.0_f64).sqrt();
    let rest = 3.0 + 0.25 - 0.3125;
    let scene = || {
        // 200 kg on 0.64 m² draw 0.3125 m of 0.5. 5 cm higher at the start.
        let body = Body::dynamic("box").cuboid(0.8, 0.8, 0.5).mass(200.0).at(0.3, 0.2, rest + 0.05);
        let body = body.medium(BodyMediumSpec::buoyant());
        Scene::new().medium(MediumSpec::new(1000.0).surface(3.0)).body(body)
    };
    let z = rest + 0.05 * trig::cos(omega);
    assert_second_order("height", 0.02, |dt| (position(&after_a_second(scene(), dt), "box").z - z).abs());
    assert!(spin(&after_a_second(scene(), 0.02), "box").length() < 1e-9);
}

#[test]
fn a_body_of_the_density_of_its_medium_floats_at_rest() {
    for shape in
        [Shape::sphere(0.3), Shape::capsule(0.2, 0.4), Shape::cone(0.3, 0.5), Shape::ellipsoid(0.1, 0.2, 0.3)]
    {
        let body =
            Body::dynamic("b").shape(shape.density(800.0)).turned([1.0, 2.0, 3.0], 0.7).at(0.0, 0.0, -5.0);
        for surface in [None, Some(0.0)] {
            let medium = MediumSpec { surface, ..MediumSpec::new(800.0) };
            let mut world =
                world(&Scene::new().medium(medium).body(body.clone().medium(BodyMediumSpec::buoyant())));
            run(&mut world, 100);
            assert!(velocity(&world, "b").length() < 1e-11, "{:?}", velocity(&world, "b"));
            assert!(spin(&world, "b").length() < 1e-9, "{:?}", spin(&world, "b"));
        }
    }
}

#[test]
fn stiff_drag_and_stiff_dampers_stop_a_body_and_do_not_reverse_it() {
    let stiff = BodyMediumSpec { linear_drag: 1e7, ..BodyMediumSpec::drag(1e6) };
    let ends = [[0.0; 3], [-2.0, 0.0, 0.0]];
    let damper = |i: i32| Spring::to_world(format!("s{i}"), "ball", ends, 0.0).damping(1e8);
    let start = || ball().velocity(3.0, 0.0, 0.0);
    let scene = || Scene::new().gravity(0.0, 0.0, 0.0).medium(MediumSpec::new(1000.0));
    let many = scene().body(start().medium(stiff.clone()).damping(1e6, 1e6));
    // Forces that share a body are found by sweeps, which leave a millionth when all of them are a million times too stiff for the step.
    let cases = [
        (scene().body(start().medium(stiff)), 1e-12),
        (scene().body(start().damping(1e6, 0.0)), 1e-12),
        (scene().body(start()).spring(damper(0)), 1e-12),
        ((0..4).fold(many, |scene, i| scene.spring(damper(i))), 3e-6),
    ];
    for (scene, slack) in cases {
        let mut world = world(&scene);
        for _ in 0..20 {
            step(&mut world);
            let v = velocity(&world, "ball");
            assert!((-slack..3.0).contains(&v.x), "{v}");
        }
        assert!(velocity(&world, "ball").length() < 3e-6, "{}", velocity(&world, "ball"));
    }
}

#[test]
fn a_box_at_rest_under_water_presses_with_its_weight_less_what_it_displaces() {
    let medium = BodyMediumSpec { linear_drag: 2000.0, buoyancy: true, ..BodyMediumSpec::drag(1.0) };
    let body = Body::dynamic("box").cuboid(0.5, 0.5, 0.5).mass(500.0).at(0.0, 0.0, 0.25).medium(medium);
    let scene = Scene::new().dt(0.01).medium(MediumSpec::new(1000.0)).body(floor(0.5, 0.0)).body(body);
    let mut world = world(&scene);
    run(&mut world, 200);
    let impulse: f64 = world.state().contacts.points.iter().map(|point| point.impulse.z.abs()).sum();
    let expected = (500.0 - 125.0) * 9.81 * 0.01;
    assert!((impulse - expected).abs() < 1e-6 * expected, "{impulse} {expected}");
}

#[test]
fn a_driven_end_pays_for_what_its_spring_takes() {
    // A slab that is pulled away at 1 m/s with a spring of 20 N/m to a fixed ball (locked): W = ½k l².
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .dt(0.01)
        .body(ball().mass(1e9))
        .body(Body::driven("slab", [1.0, 0.0, 0.0], [0.0; 3]).cuboid(0.1, 0.1, 0.1).at(1.0, 0.0, 0.0))
        .spring(Spring::between("s", ["ball", "slab"], [[0.0; 3], [1.0, 0.0, 0.0]], 20.0));
    let mut world = world(&scene);
    run(&mut world, 100);
    let expected = 0.5 * 20.0;
    assert!((world.ledger().get(Account::Driver) - expected).abs() < 1e-6);
    assert!((world.state().drivers[0].work - expected).abs() < 1e-6);
    assert!((world.state().drivers[0].peak_force - 20.0 * 0.995).abs() < 1e-6);
    assert!(world.ledger().get(Account::Spring).abs() < 1e-6);
}

#[test]
fn edits_book_the_springs_of_a_body() {
    let scene = Scene::new().gravity(0.0, 0.0, 0.0).body(ball()).spring(Spring::to_world(
        "s",
        "ball",
        [[0.0; 3], [0.0, 0.0, 1.0]],
        10.0,
    ));
    let mut world = world(&scene);
    let id = world.find("ball").expect("it is there");
    world.set_pose(id, Pose::new(Quat::IDENTITY, Vec3::new(0.0, 0.0, -2.0))).expect("it may move");
    assert!((world.ledger().get(Account::Edit) - 20.0).abs() < 1e-12);
    run(&mut world, 10);
    let energy = world.energy();
    world.remove_body(id).expect("it is there");
    assert!((world.ledger().get(Account::Edit) - (20.0 - energy)).abs() < 1e-10);
    assert!(world.energy() == 0.0 && world.model().forces.is_empty());
    run(&mut world, 10);
    assert!(world.ledger().energy_end().abs() < 1e-10);
}

#[test]
fn a_body_that_overflows_takes_its_springs_along() {
    let scene = Scene::new()
        .body(Body::dynamic("mad").sphere(0.1).mass(1e-15).force(1e20, 0.0, 0.0))
        .body(ball().at(0.0, 0.0, 2.0))
        .spring(
            Spring::between("s", ["ball", "mad"], [[0.0, 0.0, 2.0], [0.0; 3]], 10.0).length(0.5).damping(1.0),
        );
    let mut world = world(&scene);
    run(&mut world, 50);
    let stored = 0.5 * 10.0 * 1.5 * 1.5;
    assert!(
        (world.ledger().get(Account::Edit) + stored).abs() < 1e-9,
        "{}",
        world.ledger().get(Account::Edit)
    );
    assert!((velocity(&world, "ball").z + 9.81 * 50.0 / 240.0).abs() < 1e-12);
}

#[test]
fn what_acts_on_no_link_says_so_by_name() {
    let arm = |body: Body| {
        Scene::new()
            .medium(MediumSpec::new(1.0))
            .body(body)
            .body(Body::dynamic("other").sphere(0.1).at(3.0, 0.0, 0.0))
            .joint(Joint::hinge("hinge", "arm").anchor(0.0, 0.0, 0.0))
    };
    let link = || Body::dynamic("arm").cuboid(0.6, 0.1, 0.1).at(0.3, 0.0, 0.0);
    let spring = Spring::between("s", ["other", "arm"], [[3.0, 0.0, 0.0], [0.6, 0.0, 0.0]], 1.0);
    let scenes = [
        arm(link().medium(BodyMediumSpec::drag(1.0))),
        arm(link().damping(1.0, 0.0)),
        arm(link()).spring(spring),
    ];
    for scene in scenes {
        let error = World::new(&scene).expect_err("a link").to_string();
        assert!(error.contains("arm") && error.contains("link of a tree"), "{error}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_remedy() {
    let free = Body::dynamic("ball").sphere(0.1);
    let held =
        Body::driven("held", [0.0; 3], [0.0, 0.0, 1.0]).sphere(0.1).limit(DriveLimit::Power { max: 1.0 });
    let refused = [
        (Scene::new().body(free.clone().medium(BodyMediumSpec::drag(1.0))), "the scene has none"),
        (Scene::new().body(free.clone().damping(-1.0, 0.0)), "a damping rate"),
        (Scene::new().body(Body::fixed("f").sphere(0.1).damping(1.0, 0.0)), "has no effect"),
        (Scene::new().medium(MediumSpec::new(-1.0)), "density"),
        (
            Scene::new().body(free.clone()).spring(Spring::to_world("s", "bal", [[0.0; 3]; 2], 1.0)),
            "Did you mean `ball`?",
        ),
        (
            Scene::new().body(free.clone()).spring(Spring::to_world("s", "ball", [[0.0; 3]; 2], -1.0)),
            "stiffness",
        ),
        (
            Scene::new().body(free).body(held).spring(Spring::between(
                "s",
                ["ball", "held"],
                [[0.0; 3]; 2],
                1.0,
            )),
            "has a limit",
        ),
        (
            Scene::new().body(Body::fixed("f").sphere(0.1)).spring(Spring::to_world(
                "s",
                "f",
                [[0.0; 3]; 2],
                1.0,
            )),
            "moves nothing",
        ),
    ];
    for (scene, expected) in refused {
        let error = scene.check().expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}
