//! Rapier's example `joints3` with this crate: chains on ball joints, hinges, slides and rigid joints. No joint drifts apart.

use huygens::scene::{Body, Joint, JointKind, Scene};
use huygens::{SceneErrors, World};

/// Length of a link [m], links of a chain.
const LINK: f64 = 0.5;
const LINKS: u32 = 8;

/// Lets four chains swing and prints the energy that they keep.
pub fn main() -> Result<(), SceneErrors> {
    let mut scene = Scene::new().dt(1.0 / 240.0);
    let kinds = [JointKind::Ball, JointKind::Hinge, JointKind::Slide, JointKind::Fixed];
    for (row, kind) in kinds.into_iter().enumerate() {
        let (y, mut carrier) = (2.0 * row as f64, None);
        for i in 0..LINKS {
            let (name, x) = (format!("{row} {i}"), LINK * f64::from(i));
            scene = scene.body(Body::dynamic(&name).cuboid(LINK, 0.1, 0.1).at(x + 0.5 * LINK, y, 5.0));
            let mut joint = Joint::hinge(format!("joint {name}"), &name).kind(kind).anchor(x, y, 5.0);
            joint = match kind {
                JointKind::Hinge => joint.axis(0.0, 1.0, 0.0),
                JointKind::Slide => joint.axis(1.0, 0.0, 0.0).range(-0.05, 0.05),
                _ => joint,
            };
            if let Some(carrier) = carrier {
                joint = joint.parent(carrier);
            }
            scene = scene.joint(joint);
            carrier = Some(name);
        }
    }
    let mut world = World::new(&scene)?;
    let start = world.energy();
    while world.time() < 3.0 {
        world.step();
    }
    // A rigid chain that hangs on the world is a beam: it does not move.
    let beam = world.find(&format!("3 {}", LINKS - 1)).and_then(|id| world.body(id).ok());
    assert!(beam.is_some_and(|beam| (beam.position.z - 5.0).abs() < 1e-9), "the beam stays");
    println!("{:.3} J of {start:.3} J, joints apart by {:e} m", world.energy(), world.largest_gap());
    assert!(world.largest_gap() < 1e-12 && world.energy() <= start * (1.0 + 1e-3));
    assert!(world.ledger().worst_ratio() < 1.0, "the book closes");
    Ok(())
}
