//! Where the links of trees go when their dofs move.

use super::is_out;
use crate::model::Model;
use crate::state::State;
use huygens_dynamics::{TreeKinematics, advance, kinematics};
use huygens_math::{Quat, Twist, Vec3, trig};

/// Displacement of each link. Room for it is kept.
#[derive(Debug, Default)]
pub struct LinkWays {
    /// By body slot: displacement of the centre of mass, and turn [m, rad]; zero for other bodies.
    way: Vec<Twist>,
    coordinates: Vec<f64>,
    displacement: Vec<f64>,
    end: TreeKinematics,
}

impl LinkWays {
    /// Displacement of a link.
    pub(super) fn of(&self, body: usize) -> Twist {
        self.way.get(body).copied().unwrap_or_default()
    }

    /// Forgets all: links stay where they are.
    pub(super) fn clear(&mut self) {
        self.way.clear();
    }

    /// Moves every tree by a displacement of its dofs, which `displacement` gives one by one.
    pub(super) fn update(&mut self, model: &Model, state: &State, displacement: impl Fn(usize) -> f64) {
        self.way.clear();
        self.way.resize(model.bodies.len(), Twist::ZERO);
        for (i, tree) in model.trees.iter().enumerate().filter(|(i, _)| !is_out(model, state, *i)) {
            let dofs = model.dofs_of(i);
            self.coordinates.clear();
            self.coordinates.extend_from_slice(&state.coordinates[model.coordinates_of(i)]);
            self.displacement.clear();
            self.displacement.extend(dofs.clone().map(&displacement));
            advance(tree, &mut self.coordinates, &self.displacement);
            kinematics(tree, &self.coordinates, &state.velocity.dof[dofs], &mut self.end);
            for (link, &body) in model.tree_bodies[i].iter().enumerate() {
                let body = body as usize;
                let turn = self.end.world_from_link[link].rotation * state.orientation[body].conjugate();
                self.way[body] = Twist::new(self.end.com[link] - state.position[body], vector_of(turn));
            }
        }
    }
}

/// The rotation vector of a turn, the short way round [rad].
pub(super) fn vector_of(turn: Quat) -> Vec3 {
    let axis = Vec3::new(turn.x, turn.y, turn.z).normalize_or_zero();
    let axis = if turn.w < 0.0 { -axis } else { axis };
    axis * trig::rotation_angle(turn.normalize())
}
