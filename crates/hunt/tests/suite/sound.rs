//! Engines that are sound by construction, each for some of the kinds.

use crate::meddle::Meddle;
use huygens::math::SimdLevel;
use huygens::{Scene, SceneErrors, World};
use huygens_hunt::{BodySight, Engine, LedgerSight, Workshop, WorldEngine};

/// Bodies fly, and nothing touches anything: sound for `ghost`, `symmetry`, `ledger` and `determinism`.
pub struct Contactless;

impl Workshop for Contactless {
    type Engine = WorldEngine;

    fn build(&self, scene: &Scene) -> Result<WorldEngine, SceneErrors> {
        World::new(&without_contact(scene)).map(WorldEngine)
    }
}

/// The scene with shapes that meet nothing.
pub fn without_contact(scene: &Scene) -> Scene {
    let mut apart = scene.clone();
    apart.shapes_mut().for_each(|shape| shape.mask = 0);
    apart
}

/// Bodies fly, nothing touches anything, and no step makes a body spin with more energy than before: sound for `energy`. The true engine's free
/// flight is not, where an axis of turning is locked.
pub struct Passive;

/// A world without contacts whose spins only lose energy.
pub struct PassiveEngine(WorldEngine);

impl Workshop for Passive {
    type Engine = PassiveEngine;

    fn build(&self, scene: &Scene) -> Result<PassiveEngine, SceneErrors> {
        Contactless.build(scene).map(PassiveEngine)
    }
}

/// Twice the energy of a body's spin [J].
fn spin_energy(body: &BodySight) -> f64 {
    let spin = body.orientation.conjugate() * body.spin;
    spin.dot(body.inertia * spin)
}

impl Engine for PassiveEngine {
    fn step(&mut self) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.0.bodies(&mut before);
        self.0.step();
        self.0.bodies(&mut after);
        for (number, (old, new)) in before.iter().zip(&after).enumerate() {
            let (had, has) = (spin_energy(old), spin_energy(new));
            // A driver with a torque limit has no mass of its own, and its motor may bring energy in.
            if new.moves && !new.is_link && new.mass > 0.0 && has > had {
                self.0.put(number, &BodySight { spin: new.spin * (had / has).sqrt(), ..*new });
            }
        }
    }

    fn bodies(&self, into: &mut Vec<BodySight>) {
        self.0.bodies(into);
    }

    fn ledger(&self) -> LedgerSight {
        self.0.ledger()
    }

    fn hash(&self) -> u64 {
        self.0.hash()
    }

    fn drop_workspace(&mut self) {
        self.0.drop_workspace();
    }

    fn set_simd_level(&mut self, level: SimdLevel) -> bool {
        self.0.set_simd_level(level)
    }

    fn shuffle_lanes(&mut self, seed: u64) {
        self.0.shuffle_lanes(seed);
    }
}

/// Strangers and others are in worlds of their own, which share nothing but copies of static bodies: sound for `locality`.
pub struct Apart;

/// Two worlds that look like one.
pub struct TwoWorlds {
    worlds: [WorldEngine; 2],
    /// World and number there of each body of the scene.
    places: Vec<[usize; 2]>,
}

impl Workshop for Apart {
    type Engine = TwoWorlds;

    fn build(&self, scene: &Scene) -> Result<TwoWorlds, SceneErrors> {
        let is_stranger = |name: &str| name.starts_with("stranger");
        let (mut own, mut others) = (scene.clone(), scene.clone());
        own.bodies.retain(|body| !is_stranger(&body.name));
        let shared = |body: &huygens::scene::Body| body.motion == huygens::scene::Motion::Static;
        others.bodies.retain(|body| is_stranger(&body.name) || shared(body));
        others.joints.clear();
        let place = |name: &str| {
            let world = usize::from(is_stranger(name));
            let bodies = if world == 1 { &others.bodies } else { &own.bodies };
            [world, bodies.iter().position(|body| body.name == name).unwrap_or(0)]
        };
        let places = scene.bodies.iter().map(|body| place(&body.name)).collect();
        let build = |scene: &Scene| World::new(scene).map(WorldEngine);
        Ok(TwoWorlds { worlds: [build(&own)?, build(&others)?], places })
    }
}

impl Engine for TwoWorlds {
    fn step(&mut self) {
        self.worlds.iter_mut().for_each(Engine::step);
    }

    fn bodies(&self, into: &mut Vec<BodySight>) {
        let mut seen = [Vec::new(), Vec::new()];
        for (world, bodies) in self.worlds.iter().zip(&mut seen) {
            world.bodies(bodies);
        }
        into.clear();
        into.extend(self.places.iter().map(|[world, body]| seen[*world][*body]));
    }

    fn ledger(&self) -> LedgerSight {
        self.worlds[0].ledger()
    }

    fn hash(&self) -> u64 {
        self.worlds[0].hash() ^ self.worlds[1].hash().rotate_left(1)
    }

    fn drop_workspace(&mut self) {
        self.worlds.iter_mut().for_each(Engine::drop_workspace);
    }

    fn set_simd_level(&mut self, level: SimdLevel) -> bool {
        self.worlds.iter_mut().all(|world| world.set_simd_level(level))
    }

    fn shuffle_lanes(&mut self, seed: u64) {
        self.worlds.iter_mut().for_each(|world| world.shuffle_lanes(seed));
    }
}

impl Meddle for TwoWorlds {
    fn put(&mut self, body: usize, sight: &BodySight) {
        let [world, number] = self.places[body];
        self.worlds[world].put(number, sight);
    }
}
