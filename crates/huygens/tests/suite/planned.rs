//! Changes that a scene has planned, and what it expects on the way.

use huygens::World;
use huygens::ledger::Account;
use huygens::math::Vec3;
use huygens::scene::{
    Band, Body, BodyQuantity, Check, During, EditSpec, Quantity, Scene, Shape, StabilisationSpec, Take, Watch,
};

const G: f64 = 9.81;

fn falling() -> Scene {
    Scene::new().dt(0.01).body(Body::dynamic("ball").sphere(0.5).mass(2.0))
}

#[test]
fn an_edit_is_done_after_its_step_and_booked() {
    let mut scene = falling();
    scene.edits.push(EditSpec {
        after: 10,
        body: "ball".into(),
        position: Some(Vec3::new(0.0, 0.0, 5.0)),
        linear_velocity: Some(Vec3::X),
        ..EditSpec::default()
    });
    let mut world = World::new(&scene).unwrap();
    (0..10).for_each(|_| drop(world.step().clone()));
    let before = world.bodies().next().unwrap();
    // Ten steps of free fall, before the edit.
    assert!((before.position.z + 0.5 * G * 0.01).abs() < 1e-15);
    let energy = world.energy();
    (0..10).for_each(|_| drop(world.step().clone()));
    let after = world.bodies().next().unwrap();
    assert!((after.position.z - (5.0 - 0.5 * G * 0.01)).abs() < 1e-14, "{}", after.position.z);
    assert_eq!(after.linear_velocity.x, 1.0);
    let booked = world.ledger().get(Account::Edit);
    // m g 5 and m/2 instead of what it had.
    assert!((booked - (2.0 * G * 5.0 + 1.0 - energy)).abs() < 1e-12, "{booked}");
    assert!(world.ledger().worst_ratio() < 1.0);
}

#[test]
fn edits_of_nothing_and_of_what_cannot_move_are_refused() {
    let refused = |edit: EditSpec| {
        let mut scene = falling().body(Body::fixed("floor").shape(Shape::half_space()));
        scene.edits.push(edit);
        scene.check().unwrap_err().to_string()
    };
    let on = |body: &str| EditSpec { body: body.into(), ..EditSpec::default() };
    assert!(refused(on("bal")).contains("`ball`"));
    assert!(refused(EditSpec { linear_velocity: Some(Vec3::X), ..on("floor") }).contains("static"));
    assert!(refused(EditSpec { position: Some(Vec3::NAN), ..on("ball") }).contains("edit[0].position"));
}

/// What is unmet of one check of the ball's height from 0.1 s to 0.2 s.
fn unmet(take: Take, low: f64, high: f64) -> Option<String> {
    let mut scene = falling();
    let quantity = Quantity::Body("ball".into(), BodyQuantity::Height);
    let checks = vec![Check { quantity, band: Band { low, high } }];
    scene.expect.during.push(During { from: Some(0.1), until: Some(0.2), take, checks });
    let mut world = World::new(&scene).unwrap();
    let mut watch = Watch::new(&scene, &world);
    for _ in 0..30 {
        world.step();
        watch.look(&world);
    }
    watch.unmet(&world).first().map(ToString::to_string)
}

#[test]
fn a_time_of_the_run_is_judged_by_every_the_largest_or_the_smallest_value() {
    // Height -g t^2 / 2: -0.04905 m at 0.1 s, -0.1962 m at 0.2 s.
    assert_eq!(unmet(Take::Every, -0.1963, -0.0490), None);
    assert_eq!(unmet(Take::Most, -0.0491, -0.0490), None);
    assert_eq!(unmet(Take::Least, -0.1963, -0.1961), None);
    let told = unmet(Take::Every, -0.1, 0.0).unwrap();
    // The first step beyond: 0.15 s, -0.1104 m.
    assert!(told.contains("-0.11036") && told.contains("at 0.15 s"), "{told}");
    assert!(unmet(Take::Most, -0.2, -0.1).unwrap().contains("at 0.1 s"));
    assert!(unmet(Take::Least, -0.1, 0.0).unwrap().contains("at 0.2 s"));
}

/// msd-sim H9: what Baumgarte's bias of a resting cube brings in one step, by the formula.
#[test]
fn baumgarte_lifts_a_millimetre_with_half_m_b_squared_and_less_than_ten_millijoules() {
    let (m, depth, erp, dt) = (10.0, 1e-3, 0.2, 0.016);
    let scene = Scene::new()
        .dt(dt)
        .solver("sequential-impulse")
        .stabilisation(StabilisationSpec::Baumgarte { erp, cap: None })
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).mass(m).at(0.0, 0.0, 0.5 - depth));
    let mut world = World::new(&scene).unwrap();
    world.step();
    let bias = erp * depth / dt;
    let lifted = 0.5 * m * bias * bias;
    assert!(lifted < 0.01);
    // The solver's tolerance of 1e-10, squared in the energy of nothing else.
    assert!((world.kinetic_energy() - lifted).abs() < 1e-9 * lifted, "{}", world.kinetic_energy());
    // W = p b / 2 with p = m (b + g dt), as the ledger's formula has it.
    let work = 0.5 * m * (bias + G * dt) * bias;
    let booked = world.ledger().get(Account::Stabilisation);
    assert!((booked - work).abs() < 1e-9 * work, "{booked} {work}");
}
