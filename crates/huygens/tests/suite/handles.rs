//! Handles know their world, and whether what they named is still there.

use crate::common::{floor, step, world};
use huygens::math::{Pose, Twist, Vec3};
use huygens::scene::{Body, Joint, Scene};
use huygens::{EditError, HandleError};

fn scene() -> Scene {
    Scene::new().body(floor(0.5, 0.0)).body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 2.0))
}

#[test]
fn stale_and_foreign_handles_are_errors_everywhere() {
    let (mut here, there) = (world(&scene()), world(&scene()));
    let foreign = there.find("ball").unwrap();
    let gone = here.find("ball").unwrap();
    here.remove_body(gone).unwrap();
    for (id, error) in [(gone, HandleError::Stale), (foreign, HandleError::Foreign)] {
        let refused = EditError::Handle(error);
        let before = here.hash();
        assert_eq!(here.body(id).unwrap_err(), error);
        assert_eq!(here.remove_body(id), Err(refused));
        assert_eq!(here.set_pose(id, Pose::IDENTITY), Err(refused));
        assert_eq!(here.set_velocity(id, Twist::ZERO), Err(refused));
        assert_eq!(here.set_force(id, Vec3::ZERO, Vec3::ZERO), Err(refused));
        // Also when the numbers are wrong as well.
        assert_eq!(here.set_velocity(id, Twist::new(Vec3::NAN, Vec3::ZERO)), Err(refused));
        assert_eq!(here.set_pose(id, Pose::at(Vec3::NAN)), Err(refused));
        assert_eq!(here.hash(), before);
    }
}

#[test]
fn a_slot_is_used_again_with_a_new_generation() {
    let scene = scene();
    let mut w = world(&scene);
    let old = w.find("ball").unwrap();
    for i in 0..5 {
        let id = w.find("ball").unwrap();
        w.remove_body(id).unwrap();
        let new = w.add_body(&scene.bodies[1]).unwrap();
        assert_ne!(id, new);
        assert_eq!(w.body(new).unwrap().name, "ball");
        assert_eq!(w.body(id).unwrap_err(), HandleError::Stale);
        assert_eq!(w.model().bodies.len(), 2, "round {i}: no new slot");
        assert_eq!(w.model().shapes.len(), 2, "round {i}: no new shape slot");
        step(&mut w);
    }
    assert_eq!(w.body(old).unwrap_err(), HandleError::Stale);
}

#[test]
fn links_are_moved_by_their_joints_only() {
    let scene = Scene::new()
        .body(Body::dynamic("arm").cuboid(1.0, 0.1, 0.1).at(0.5, 0.0, 0.0))
        .joint(Joint::hinge("hinge", "arm").axis(0.0, 1.0, 0.0));
    let mut w = world(&scene);
    let arm = w.find("arm").unwrap();
    assert_eq!(w.set_pose(arm, Pose::IDENTITY), Err(EditError::IsLink));
    assert_eq!(w.set_velocity(arm, Twist::ZERO), Err(EditError::IsLink));
    // A force on a link is a force like any other: it holds the arm up here.
    let weight = 1000.0 * 0.01 * 9.81;
    w.set_force(arm, Vec3::Z * weight, Vec3::ZERO).unwrap();
    for _ in 0..100 {
        step(&mut w);
    }
    assert!(w.joints().next().unwrap().q.abs() < 1e-12);
}
