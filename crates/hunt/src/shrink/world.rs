//! Plainer settings and surfaces.

use super::with;
use huygens::Scene;
use huygens::scene::WorldSpec;

/// One setting after the other as scenes have it by default.
pub fn plainer_world(scene: &Scene) -> Vec<Scene> {
    let plain = WorldSpec::default();
    let set = |change: &dyn Fn(&mut WorldSpec)| with(scene, |scene| change(&mut scene.world));
    let mut simpler = vec![
        set(&|world| world.stabilisation = plain.stabilisation),
        set(&|world| world.guard = plain.guard),
        set(&|world| world.speculative = plain.speculative),
        set(&|world| world.warm_start = plain.warm_start),
        set(&|world| world.integrator = plain.integrator),
        set(&|world| world.soft_step = plain.soft_step),
        set(&|world| world.convex = plain.convex),
        set(&|world| world.gravity = plain.gravity),
        set(&|world| world.seed = plain.seed),
    ];
    // The default step, then a millisecond; only those that are tried once.
    for dt in [plain.dt, 1.0 / 1000.0, 1.0 / 60.0] {
        simpler.push(set(&|world| world.dt = dt));
    }
    simpler.retain(|candidate| candidate != scene && usual(candidate, scene));
    simpler
}

/// False for a change from one usual step to another, which would go round in circles.
fn usual(candidate: &Scene, scene: &Scene) -> bool {
    let rank = |dt: f64| {
        let plain = [WorldSpec::default().dt, 1.0 / 1000.0, 1.0 / 60.0];
        plain.iter().position(|known| *known == dt).unwrap_or(plain.len())
    };
    rank(candidate.world.dt) <= rank(scene.world.dt)
}

/// No materials; friction and restitution 0, all at once or one after the other.
pub fn plainer_surfaces(scene: &Scene) -> Vec<Scene> {
    let mut simpler = vec![
        with(scene, |scene| {
            scene.materials.clear();
            scene.pairs.clear();
            scene.shapes_mut().for_each(|shape| shape.material = None);
        }),
        with(scene, |scene| scene.shapes_mut().for_each(|shape| shape.friction = Some(0.0))),
        with(scene, |scene| scene.shapes_mut().for_each(|shape| shape.restitution = None)),
        // Half of friction on all sides is the default.
        with(scene, |scene| {
            scene
                .shapes_mut()
                .filter(|shape| shape.friction != Some(0.0))
                .for_each(|shape| shape.friction = None);
        }),
        with(scene, |scene| {
            let some = |e: Option<f64>| e.is_some_and(|e| e > 0.0);
            scene
                .shapes_mut()
                .filter(|shape| some(shape.restitution))
                .for_each(|shape| shape.restitution = Some(1.0));
        }),
    ];
    for name in scene.materials.keys() {
        simpler.push(with(scene, |scene| {
            scene.materials.remove(name);
            let own = |material: &Option<String>| material.as_ref() == Some(name);
            scene.shapes_mut().filter(|shape| own(&shape.material)).for_each(|shape| shape.material = None);
        }));
    }
    simpler.retain(|candidate| candidate != scene);
    simpler
}
