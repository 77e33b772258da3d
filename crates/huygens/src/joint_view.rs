//! Joints as a user names them and sees them.

use crate::edit::EditError;
use crate::handle::{BodyId, HandleError, JointId, JointKey};
use crate::model::{JointModel, Motion};
use crate::world::World;
use huygens_dynamics::JointKind;
use huygens_math::Quat;
use huygens_math::trig::rotation_angle;

/// What can be seen of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointView<'a> {
    /// Its handle.
    pub id: JointId,
    /// Its name.
    pub name: &'a str,
    /// Its parent, `None` for the world or a static body, and its child.
    pub bodies: [Option<BodyId>; 2],
    /// Angle of a hinge [rad], travel of a slide [m], angle by which a ball joint is turned [rad].
    pub q: f64,
    /// Rate of a hinge [rad/s] or slide [m/s]; size of the spin of a ball joint [rad/s].
    pub v: f64,
    /// All of its coordinates: of a ball joint the quaternion w, x, y, z.
    pub coordinates: &'a [f64],
    /// All of its velocities: of a ball joint the spin of the child relative to the parent, along the axes that the parent had in the scene
    /// along those of the world.
    pub velocities: &'a [f64],
    /// What its motor aims at: a coordinate, a rate or a force; `None` without a motor.
    pub motor_target: Option<f64>,
}

impl World {
    /// The joints, in the order of the trees. Those that let everything move are not among them.
    ///
    /// Example: [`World::add_joint`].
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointView<'_>> {
        self.model.joints.iter().map(|joint| self.joint_view(joint))
    }

    /// One joint, by name or handle.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Joint, Scene};
    ///
    /// let arm = Body::dynamic("arm").cuboid(1.0, 0.1, 0.1).at(0.5, 0.0, 0.0);
    /// let world = World::new(&Scene::new().body(arm).joint(Joint::hinge("hinge", "arm").axis(0.0, 1.0, 0.0)))?;
    /// let hinge = world.joint("hinge").unwrap();
    /// assert_eq!((hinge.q, world.joint(hinge.id).unwrap().name), (0.0, "hinge"));
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When there is no joint of that name, or the handle is stale or foreign.
    pub fn joint<'k>(&self, joint: impl Into<JointKey<'k>>) -> Result<JointView<'_>, EditError> {
        Ok(self.joint_view(&self.model.joints[self.joint_at(joint.into())?]))
    }

    /// The joint of that name.
    ///
    /// Example: [`World::add_joint`].
    pub fn find_joint(&self, name: &str) -> Option<JointId> {
        let at = self.model.assembly.joint(name)?;
        Some(JointId { number: self.model.assembly.joints[at].number, world: self.id })
    }

    /// The name of a joint, also of one that broke or was removed since the last step or the step before it: for its events.
    ///
    /// Example: [`World::add_joint`].
    pub fn joint_name(&self, id: JointId) -> Option<&str> {
        if id.world != self.id {
            return None;
        }
        if let Some(at) = self.model.assembly.numbered(id.number) {
            return Some(&self.model.assembly.joints[at].spec.name);
        }
        let gone = self.removed_joints.iter().flatten().find(|(number, _)| *number == id.number);
        gone.map(|(_, name)| name.as_str())
    }

    /// Place of a joint among those that were described.
    pub(crate) fn assembled_at(&self, joint: JointKey) -> Result<usize, EditError> {
        match joint {
            JointKey::Name(name) => self.model.assembly.joint(name).ok_or(EditError::NoJoint),
            JointKey::Id(id) if id.world != self.id => Err(HandleError::Foreign.into()),
            JointKey::Id(id) => {
                self.model.assembly.numbered(id.number).ok_or_else(|| HandleError::Stale.into())
            }
        }
    }

    /// Place of a joint among those of the trees.
    pub(crate) fn joint_at(&self, joint: JointKey) -> Result<usize, EditError> {
        let at = self.assembled_at(joint)?;
        self.model.joint_of[at].map(|at| at as usize).ok_or(EditError::NoJoint)
    }

    fn joint_view<'a>(&'a self, joint: &'a JointModel) -> JointView<'a> {
        let coordinates = &self.state.coordinates[joint.coordinates()];
        let velocities = &self.state.velocity.dof[joint.dofs()];
        let (q, v) = match joint.kind {
            JointKind::Ball | JointKind::BallLocal => {
                let q = &coordinates[(joint.main_coordinate - joint.first_coordinate) as usize..];
                let spin = velocities.iter().map(|v| v * v).sum::<f64>();
                (rotation_angle(Quat::from_xyzw(q[1], q[2], q[3], q[0])), spin.sqrt())
            }
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => (
                self.state.coordinates[joint.main_coordinate as usize],
                self.state.velocity.dof[joint.main_dof as usize],
            ),
            JointKind::Fixed | JointKind::Free | JointKind::FreeLocal => (0.0, 0.0),
        };
        let assembled = &self.model.assembly.joints[joint.assembled as usize];
        let moves = |slot: &u32| self.model.bodies[*slot as usize].motion != Motion::Static;
        let body = |name: &str| self.model.names.get(name).filter(|slot| moves(slot));
        let bodies = [assembled.spec.parent.as_deref().and_then(body), body(&assembled.spec.child)];
        JointView {
            id: JointId { number: assembled.number, world: self.id },
            name: &joint.name,
            bodies: bodies.map(|slot| slot.map(|slot| self.id_of(*slot as usize))),
            q,
            v,
            coordinates,
            velocities,
            motor_target: self.motor_of(joint).map(|dof| self.state.motor_targets[dof]),
        }
    }

    /// Place of the main dof of a joint among [`crate::model::Model::joint_dofs`], when it has a motor.
    pub(crate) fn motor_of(&self, joint: &JointModel) -> Option<usize> {
        let of_tree = self.model.joint_dofs_range(joint.tree as usize);
        let dofs = &self.model.joint_dofs[of_tree.clone()];
        let at = dofs.iter().position(|dof| dof.dof == joint.main_dof && dof.motor.is_some());
        at.map(|at| of_tree.start + at)
    }
}
