//! Integrators that mechanisms with loops do not have.

use super::SceneWarning;
use crate::World;
use crate::scene::{Scene, SpecPath};
use huygens_dynamics::Integrator;

/// A mechanism with a loop, a coupling or a motor that holds its speed, and an integrator that its end could not satisfy: it is stepped by the
/// implicit midpoint rule.
pub(super) fn by_another_rule(scene: &Scene, start: &World) -> Option<SceneWarning> {
    let named = scene.world.integrator;
    // The default was not chosen, and is of the same order.
    if matches!(named, Integrator::KickDriftKick | Integrator::Midpoint) {
        return None;
    }
    let closed = start.model().trees.iter().position(|tree| !tree.equalities().is_empty())?;
    let joint = start.model().joints.iter().find(|joint| joint.tree as usize == closed);
    let of = joint.map_or_else(String::new, |joint| format!(" of joint {:?}", joint.name));
    let problem = format!(
        "the mechanism{of} has loops, couplings or a motor that holds its speed, which `{named}` does not step"
    );
    let remedy = "It is stepped by the implicit midpoint rule; write `midpoint` to say so for all.";
    Some(SceneWarning::new(SpecPath::top("world").key("integrator"), problem, remedy))
}

#[cfg(test)]
mod tests {
    use crate::World;
    use crate::scene::{Body, Integrator, Joint, Scene};

    #[test]
    fn a_loop_under_another_integrator_is_told() {
        let arm = || {
            let scene = Scene::new().body(Body::dynamic("arm").cuboid(1.0, 0.1, 0.1).at(0.5, 0.0, 0.0));
            scene.joint(Joint::ball("one", "arm"))
        };
        let ring = || arm().joint(Joint::ball("two", "arm").anchor(1.0, 0.0, 0.0));
        for (mut scene, is_closed) in [(arm(), false), (ring(), true)] {
            for integrator in Integrator::ALL {
                scene.world.integrator = integrator;
                let world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
                let told =
                    scene.warnings(&world).iter().any(|warning| warning.remedy.contains("midpoint rule"));
                let is_own = matches!(integrator, Integrator::KickDriftKick | Integrator::Midpoint);
                assert_eq!(told, is_closed && !is_own, "{integrator}");
            }
        }
    }
}
