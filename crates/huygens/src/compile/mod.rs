//! From a checked scene to a model and its first state. The only gate: every number has been checked before.

mod body;
mod elementary;
mod force;
mod graph;
mod parts;
mod shape;
mod start;
mod tendon;
mod tree;

pub(crate) use body::{add_body, check_body, remove_body, replace_body, unlocked};
pub(crate) use force::{index as index_forces, up};
pub(crate) use parts::{NewShapes, ShapeChange, change_shapes, prepare_shapes};
pub(crate) use tree::build as build_trees;

use crate::assembly::Assembly;
use crate::edit_log::EditLog;
use crate::force::ForceModel;
use crate::material::MaterialTable;
use crate::model::{Exclusions, Model, WorldSettings};
use crate::scene::{ContactsOf, Scene, SceneError, SceneErrors, SpecPath, WorldSpec};
use crate::schedule;
use crate::state::State;
use huygens_contact::{Settings, SoftStep, SolverKind};
use std::collections::HashMap;
use std::sync::Arc;

/// Checks and compiles a whole scene.
pub(crate) fn scene(scene: &Scene) -> Result<(Model, State), SceneErrors> {
    scene.check()?;
    let mut model = Model {
        choices: scene.world.clone(),
        settings: settings(&scene.world)?,
        surroundings: Arc::new(scene.surroundings()),
        names: HashMap::new(),
        bodies: Vec::new(),
        shapes: Vec::new(),
        drivers: Vec::new(),
        trees: Vec::new(),
        tree_bodies: Vec::new(),
        exclusions: Exclusions::default(),
        tree_offsets: Vec::new(),
        joints: Vec::new(),
        joint_of: Vec::new(),
        joint_dofs: Vec::new(),
        ball_limits: Vec::new(),
        tendons: Vec::new(),
        assembly: Arc::default(),
        ropes: Vec::new(),
        materials: MaterialTable::new(scene.world.combine, &scene.pairs),
        has_surface_velocities: false,
        has_curved: false,
        forces: ForceModel { medium: force::medium(scene), ..ForceModel::default() },
        plan: Vec::new(),
        edits: EditLog::default(),
    };
    let mut state = State::default();
    for placed in scene.expanded() {
        add_body(&mut model, &mut state, scene, &placed)?;
    }
    let assembly = Assembly::of(scene, &model, &state);
    tree::build(&mut model, &mut state, &assembly, None)?;
    model.describe(assembly);
    tree::ropes(&mut model, &state, scene)?;
    state.aim_motors(&model);
    force::build(&mut model, &state, scene)?;
    model.plan = schedule::plan(scene, &model, &state);
    Ok((model, state))
}

/// The choices of a world as the stages read them.
pub(crate) fn settings(world: &WorldSpec) -> Result<WorldSettings, SceneError> {
    let solver = world.solver.parse::<SolverKind>().map_err(|error| {
        let path = SpecPath::top("world").key("solver");
        SceneError::new(path, format_args!("{:?}", world.solver), error.to_string(), "Choose one of those.")
    })?;
    Ok(WorldSettings {
        length: world.length,
        gravity: world.gravity,
        dt: world.dt,
        solver,
        contact: Settings {
            iterations: world.iterations,
            tolerance: world.tolerance,
            relaxation: world.relaxation,
            warm_start: world.warm_start,
            guard: world.guard,
            restitution_threshold: world.effective_restitution_threshold(),
            // The path is linear in both velocities.
            start_share: world.integrator.path(1.0, 0.0, 1.0),
            soft: SoftStep { substeps: world.soft_step.substeps, friction: world.soft_step.friction },
            convex: world.convex.settings(solver),
            exact_rows: world.exact_rows,
            decoupled_friction: world.decoupled_friction,
        },
        recovery: world.effective_recovery(solver),
        integrator: world.integrator,
        gyroscopic: world.gyroscopic,
        speculative: world.speculative,
        margin: world.margin,
        sleep: world.sleep.unwrap_or(world.contacts == ContactsOf::Huygens),
    })
}

/// Why a tree cannot be simulated: its inertia cannot be factored.
pub(crate) fn singular_tree(model: &Model, tree: usize) -> SceneError {
    let joint = model.joints.iter().find(|joint| joint.tree as usize == tree);
    let path = SpecPath::top("joint").name(joint.map_or("", |joint| &joint.name));
    let problem = "the masses and inertias of this tree lie too far apart for double precision";
    SceneError::new(path, "", problem, "Bring the masses of its links closer to each other.")
}
