//! The engine under trial, as the judge sees it.

use huygens::ledger::Account;
use huygens::math::{Quat, SimdLevel, Sym3, Vec3, scalar};
use huygens::model::Motion;
use huygens::{Scene, SceneErrors, World};

/// An engine under trial. Tests put faults around [`WorldEngine`] here.
pub trait Engine {
    /// Advances by one time step.
    fn step(&mut self);
    /// Every body, in the order of the scene.
    fn bodies(&self, into: &mut Vec<BodySight>);
    /// The energy book.
    fn ledger(&self) -> LedgerSight;
    /// Bits of the state: equal for equal states.
    fn hash(&self) -> u64;
    /// Forgets what can be computed anew.
    fn drop_workspace(&mut self);
    /// Chooses the SIMD instructions; false where this CPU lacks them.
    fn set_simd_level(&mut self, level: SimdLevel) -> bool;
    /// Puts contacts into the lanes of the wide kernels in another order.
    fn shuffle_lanes(&mut self, seed: u64);
}

/// Builds engines from scenes.
pub trait Workshop: Sync {
    /// What it builds.
    type Engine: Engine;
    /// An engine at the start of a scene.
    ///
    /// # Errors
    /// When the scene cannot be.
    fn build(&self, scene: &Scene) -> Result<Self::Engine, SceneErrors>;
}

/// A body as the judge sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySight {
    /// Forces and contacts move it, and its energy counts: dynamic, a link of a tree, or a driver with a torque limit.
    pub moves: bool,
    /// Part of a tree of joints.
    pub is_link: bool,
    /// Mass [kg].
    pub mass: f64,
    /// Factor on gravity.
    pub gravity_scale: f64,
    /// Inertia about the centre of mass, in body axes [kg·m²].
    pub inertia: Sym3,
    /// Centre of mass in world coordinates [m].
    pub center: Vec3,
    /// Place of the body's frame [m].
    pub position: Vec3,
    /// Turn of the body's frame.
    pub orientation: Quat,
    /// Velocity of the centre of mass in world axes [m/s].
    pub velocity: Vec3,
    /// Angular velocity in world axes [rad/s].
    pub spin: Vec3,
    /// Taken out of the simulation after a number overflowed.
    pub quarantined: bool,
}

/// The energy book as the judge sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LedgerSight {
    /// Energy that drivers, motors, users and caps brought in so far [J].
    pub from_outside: f64,
    /// Sum of all accounts so far [J].
    pub booked: f64,
    /// Largest |unexplained| of a step over the bound on its round-off.
    pub worst_ratio: f64,
    /// What the integrator's own defect brought in so far [J]: for trees of joints not zero, and of no contact's making.
    pub integration: f64,
    /// Energy of the springs at joints and of the drives that move with them, from their coordinates and the scene's numbers [J].
    pub stored: f64,
    /// Largest error of a loop, a gear or a rod [m, rad].
    pub gap: f64,
}

/// The true engine.
#[derive(Debug)]
pub struct WorldEngine(pub World);

/// Builds true engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worlds;

impl Workshop for Worlds {
    type Engine = WorldEngine;

    fn build(&self, scene: &Scene) -> Result<WorldEngine, SceneErrors> {
        // A sleeper breaks no law: what is hunted must be awake.
        let mut scene = scene.clone();
        scene.world.sleep.get_or_insert(false);
        let mut world = World::new(&scene)?;
        // Scenes are searched side by side.
        world.set_threads(scene.world.threads.map_or(1, |n| n as usize)).expect("checked with the scene");
        Ok(WorldEngine(world))
    }
}

/// Accounts that somebody outside of the system pays for.
const FROM_OUTSIDE: [Account; 4] = [Account::User, Account::Actuator, Account::Driver, Account::DriverCap];

/// Energy of the springs at joints and of their drives, not by the engine's own formulas [J].
fn stored(world: &World) -> f64 {
    let model = world.model();
    let joints = world.joints().zip(&model.joints).map(|(view, joint)| {
        let spec = &model.assembly.joints[joint.assembled as usize].spec;
        let drives: f64 = view.velocities.iter().map(|v| 0.5 * spec.armature * v * v).sum();
        let spring =
            spec.spring.map_or(0.0, |spring| 0.5 * spring.stiffness * scalar::square(view.q - spring.rest));
        drives + spring
    });
    joints.sum()
}

impl Engine for WorldEngine {
    fn step(&mut self) {
        self.0.step();
    }

    fn bodies(&self, into: &mut Vec<BodySight>) {
        let (model, state) = (self.0.model(), self.0.state());
        into.clear();
        for (slot, body) in model.bodies.iter().enumerate().filter(|(_, body)| !body.removed) {
            let is_link = matches!(body.motion, Motion::Link { .. });
            let (center, orientation) = (state.position[slot], state.orientation[slot]);
            into.push(BodySight {
                moves: is_link || body.motion == Motion::Dynamic || model.torque_limited(slot).is_some(),
                is_link,
                mass: body.mass,
                gravity_scale: body.gravity_scale,
                inertia: body.inertia,
                center,
                position: center - orientation * body.center,
                orientation,
                velocity: state.velocity.free[slot].linear,
                spin: state.velocity.free[slot].angular,
                quarantined: state.quarantined[slot],
            });
        }
    }

    fn ledger(&self) -> LedgerSight {
        let ledger = self.0.ledger();
        LedgerSight {
            from_outside: FROM_OUTSIDE.iter().map(|account| ledger.get(*account)).sum(),
            booked: Account::ALL.iter().map(|account| ledger.get(*account)).sum(),
            worst_ratio: ledger.worst_ratio(),
            integration: ledger.get(Account::Integration),
            stored: stored(&self.0),
            gap: self.0.largest_gap(),
        }
    }

    fn hash(&self) -> u64 {
        self.0.hash()
    }

    fn drop_workspace(&mut self) {
        self.0.drop_workspace();
    }

    fn set_simd_level(&mut self, level: SimdLevel) -> bool {
        self.0.set_simd_level(level).is_ok()
    }

    fn shuffle_lanes(&mut self, seed: u64) {
        self.0.shuffle_lanes(Some(seed));
    }
}
