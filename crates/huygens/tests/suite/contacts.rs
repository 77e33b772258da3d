//! What can be seen of the contact points.

use crate::common::{floor, hard_solvers, world};
use huygens::math::Vec3;
use huygens::scene::{Body, Scene};

#[test]
fn the_contacts_of_a_resting_box_carry_its_weight_and_say_where() {
    for solver in hard_solvers() {
        let body = Body::dynamic("box").cuboid(1.0, 2.0, 0.5).mass(3.0).at(4.0, 0.0, 0.25);
        let mut world = world(&Scene::new().solver(solver).dt(0.01).body(floor(0.5, 0.0)).body(body));
        assert_eq!(world.contacts().count(), 0, "before the first step");
        for _ in 0..5 {
            world.step();
        }
        assert_eq!(world.contacts().count(), 4);
        let mut impulse = Vec3::ZERO;
        for contact in world.contacts() {
            assert_eq!(contact.shapes.map(huygens::ShapeId::index), [0, 1]);
            // From B, the box, to A, the floor.
            assert_eq!(contact.normal, -Vec3::Z);
            let corner = (contact.point - Vec3::new(4.0, 0.0, 0.0)).abs() - Vec3::new(0.5, 1.0, 0.0);
            // Round-off of coordinates of a few metres, and the tolerance of the sweeps.
            assert!(corner.length() < 1e-8 && contact.gap.abs() < 1e-8, "{solver}: {corner} {}", contact.gap);
            impulse += contact.impulse;
        }
        assert!((impulse - Vec3::new(0.0, 0.0, -3.0 * 9.81 * 0.01)).length() < 1e-9, "{solver}: {impulse}");
        world.drop_workspace();
        assert_eq!(world.contacts().count(), 0);
    }
}
