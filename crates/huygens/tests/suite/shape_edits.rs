//! Shapes that come and go on the bodies of a running world.

use crate::common::step;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Joint, Scene, Shape};
use huygens::{ChangeError, EditError, HandleError, World};

fn shape(random: &mut SplitMix) -> Shape {
    let shape = match random.index(3) {
        0 => Shape::sphere(random.range(0.1, 0.3)),
        1 => Shape::cuboid(random.range(0.1, 0.4), random.range(0.1, 0.4), random.range(0.1, 0.4)),
        _ => Shape::capsule(random.range(0.05, 0.1), random.range(0.1, 0.4)),
    };
    let shape = shape.friction(0.4).density(random.range(100.0, 3000.0));
    let at = random.direction() * random.range(0.0, 0.5);
    shape.at(at.x, at.y, at.z).turned(random.direction(), 1.0)
}

/// A floor 3 m below the body under test, which comes last and has its frame at the origin: the slots and the numbers are the same then.
fn scene(body: Body) -> Scene {
    Scene::new()
        .dt(1.0 / 120.0)
        .body(Body::fixed("floor").shape(Shape::half_space()).at(0.0, 0.0, -3.0))
        .body(body)
}

#[test]
fn shapes_that_are_added_and_removed_before_the_first_step_are_as_if_built_so() {
    let mut random = SplitMix::new(31);
    for round in 0..60 {
        let shapes: Vec<Shape> = (0..2 + random.index(4)).map(|_| shape(&mut random)).collect();
        let bare = match random.index(4) {
            0 => Body::dynamic("body").mass(3.0),
            1 => {
                let mut body = Body::dynamic("body");
                body.center_of_mass = Some(Vec3::new(0.1, 0.0, 0.0));
                body
            }
            _ => Body::dynamic("body"),
        };
        let whole = shapes.iter().fold(bare.clone(), |body, shape| body.shape(shape.clone()));
        let mut built = World::new(&scene(whole)).unwrap();
        let mut edited = World::new(&scene(bare.shape(shapes[0].clone()))).unwrap();
        let id = edited.find("body").unwrap();
        let guest = edited.add_shape(id, &shape(&mut random)).unwrap();
        edited.remove_shape(guest).unwrap();
        for shape in &shapes[1..] {
            edited.add_shape(id, shape).unwrap();
        }
        for k in 0..200 {
            step(&mut edited);
            step(&mut built);
            assert_eq!(edited.hash(), built.hash(), "round {round}, step {k}");
        }
    }
}

#[test]
fn a_body_goes_on_as_it_moved_and_the_books_close() {
    let mut random = SplitMix::new(32);
    for _ in 0..20 {
        let arm = Body::dynamic("arm").cuboid(0.8, 0.1, 0.1).at(4.4, 0.0, 0.0);
        let hinge = Joint::hinge("hinge", "arm").anchor(4.0, 0.0, 0.0).axis(0.0, 1.0, 0.0);
        let body =
            Body::dynamic("body").shape(shape(&mut random)).spin(1.0, 2.0, 3.0).velocity(1.0, 0.0, 0.0);
        let mut world = World::new(&scene(body).body(arm).joint(hinge)).unwrap();
        let ids = ["body", "arm"].map(|name| world.find(name).unwrap());
        let mut added = Vec::new();
        for _ in 0..60 {
            let id = ids[random.index(2)];
            let before = world.body(id).unwrap();
            let (frame, mass) = (before.position, before.mass);
            let point = |world: &World, at: Vec3| {
                let body = world.body(id).unwrap();
                body.linear_velocity + body.angular_velocity.cross(at - body.center_of_mass)
            };
            let was = point(&world, frame);
            if added.len() < 3 || random.index(2) == 0 {
                let new = world.add_shape(id, &shape(&mut random)).unwrap();
                assert_eq!(world.shape(new).unwrap().body, id);
                added.push(new);
                assert!(world.body(id).unwrap().mass > mass);
            } else {
                let old = added.swap_remove(random.index(added.len()));
                world.remove_shape(old).unwrap();
                assert_eq!(world.shape(old).unwrap_err(), HandleError::Stale);
            }
            let now = world.body(id).unwrap();
            let off = (now.position - frame).length() + (point(&world, frame) - was).length();
            assert!(off < 1e-12 * (1.0 + was.length()), "{off}");
            let energy = world.energy();
            assert!((energy - world.ledger().energy_end()).abs() < 1e-9 * (1.0 + energy.abs()));
            assert!(added.iter().all(|shape| world.shape(*shape).is_ok()), "others keep their handles");
            for _ in 0..random.index(20) {
                step(&mut world);
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let body = Body::dynamic("body").sphere(0.2);
    let carrier = Body::driven("carrier", [0.0; 3], [0.0; 3]).cuboid(0.2, 0.2, 0.2).at(5.0, 0.0, 0.0);
    let hung = Body::dynamic("hung").sphere(0.1).at(5.0, 0.0, -1.0);
    let joint = Joint::ball("joint", "hung").parent("carrier").anchor(5.0, 0.0, 0.0);
    let mut world = World::new(&scene(body).body(carrier).body(hung).joint(joint)).unwrap();
    let id = world.find("body").unwrap();
    let only = world.shapes_of(id).unwrap().next().unwrap().id;
    let before = (world.hash(), world.snapshot());
    let scene_error = |error: ChangeError| matches!(error, ChangeError::Scene(_));
    assert!(scene_error(world.remove_shape(only).unwrap_err()));
    for wrong in [Shape::sphere(-1.0), Shape::sphere(0.1).material("none"), Shape::half_space()] {
        assert!(scene_error(world.add_shape(id, &wrong).unwrap_err()));
    }
    let carrier = world.find("carrier").unwrap();
    let refused = world.add_shape(carrier, &Shape::sphere(0.1)).unwrap_err();
    assert!(matches!(refused, ChangeError::Edit(EditError::CarriesJoints)));
    assert!(before == (world.hash(), world.snapshot()));
}

/// A shape that comes wakes what it comes near, and no other.
#[test]
fn a_shape_that_comes_wakes_its_neighbour() {
    let mut scene = Scene::new().body(Body::fixed("floor").shape(Shape::half_space()));
    for x in 0..3 {
        scene = scene.body(Body::dynamic(format!("box {x}")).cuboid(0.5, 0.5, 0.5).at(
            2.0 * f64::from(x),
            0.0,
            0.25,
        ));
    }
    let mut world = World::new(&scene).unwrap();
    let boxes = [0, 1, 2].map(|x| world.find(&format!("box {x}")).unwrap());
    while world.sleepers() < 3 {
        world.step();
        assert!(world.time() < 5.0);
    }
    let floor = world.find("floor").unwrap();
    let post = world.add_shape(floor, &Shape::cuboid(0.1, 0.1, 1.0).at(2.3, 0.0, 0.5)).unwrap();
    assert_eq!(boxes.map(|id| world.is_asleep(id).unwrap()), [true, false, true]);
    while world.sleepers() < 3 {
        world.step();
        assert!(world.time() < 9.0);
    }
    world.remove_shape(post).unwrap();
    assert_eq!(boxes.map(|id| world.is_asleep(id).unwrap()), [true, false, true]);
}
