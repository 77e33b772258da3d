//! Impulses and forces that a user gives to a body between steps, booked as `user`.

use crate::edit::{EditError, is_sensible};
use crate::energy;
use crate::handle::BodyId;
use crate::ledger::{Account, StepBook};
use crate::model::Motion;
use crate::stage::{block, kinetic_energy};
use crate::state::{OneStepForce, State};
use crate::world::World;
use huygens_dynamics::{
    TreeKinematics, TreeScratch, equality_projection, joint_inertia, kinematics, mass_times,
};
use huygens_math::{Projection, Twist, Vec3};

impl World {
    /// Gives a body an impulse at its centre of mass [N·s] and an angular impulse [N·m·s], in world axes, at once. Its work p·(v + v′)/2 is
    /// booked as `user`.
    ///
    /// Example: [`World::apply_impulse_at`].
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is static, driven or quarantined, or a number is not finite or above 1e20.
    pub fn apply_impulse(
        &mut self,
        id: BodyId,
        impulse: impl Into<Vec3>,
        angular_impulse: impl Into<Vec3>,
    ) -> Result<(), EditError> {
        self.push(id, Twist::new(impulse.into(), angular_impulse.into()))
    }

    /// Gives a body an impulse [N·s] at a place of the world [m], at once. Its work is booked as `user`.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::math::Vec3;
    /// use huygens::scene::{Body, Scene};
    ///
    /// let scene = Scene::new().body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).mass(2.0));
    /// let mut world = World::new(&scene)?;
    /// let id = world.find("box").unwrap();
    /// world.apply_impulse_at(id, Vec3::X * 4.0, Vec3::new(-0.5, 0.0, 0.25)).unwrap();
    /// assert_eq!(world.body(id).unwrap().linear_velocity, Vec3::X * 2.0);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::apply_impulse`].
    pub fn apply_impulse_at(
        &mut self,
        id: BodyId,
        impulse: impl Into<Vec3>,
        place: impl Into<Vec3>,
    ) -> Result<(), EditError> {
        let (slot, impulse) = (self.slot(id)?, impulse.into());
        let arm = place.into() - self.state.position[slot];
        self.push(id, Twist::new(impulse, arm.cross(impulse)))
    }

    /// Lets a force at the centre of mass [N] and a torque [N·m], in world axes, act on a body in the next step, beside those that act on it
    /// already. Its work is booked as `user`.
    ///
    /// # Errors
    /// As [`World::set_force`].
    pub fn apply_force(
        &mut self,
        id: BodyId,
        force: impl Into<Vec3>,
        torque: impl Into<Vec3>,
    ) -> Result<(), EditError> {
        let (force, torque) = (force.into(), torque.into());
        let slot = self.check_force(id, force, torque)?;
        let (lasting_force, lasting_torque) = (self.state.force[slot], self.state.torque[slot]);
        if !is_sensible(lasting_force + force) || !is_sensible(lasting_torque + torque) {
            return Err(EditError::NotFinite { what: "the sum of all forces" });
        }
        self.wake_slot(slot);
        let State { force: forces, torque: torques, one_step_forces, .. } = &mut self.state;
        forces[slot] += force;
        torques[slot] += torque;
        if !one_step_forces.iter().any(|passing| passing.slot as usize == slot) {
            one_step_forces.push(OneStepForce { slot: slot as u32, lasting_force, lasting_torque });
        }
        Ok(())
    }

    /// Lets a force [N] act in the next step on a body, at the place of the world [m] where the body has it now: as [`World::apply_force`] with
    /// the torque about the centre of mass.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::math::Vec3;
    /// use huygens::scene::{Body, Scene};
    ///
    /// let scene = Scene::new().dt(0.01).gravity(0.0, 0.0, 0.0).body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).mass(2.0));
    /// let mut world = World::new(&scene)?;
    /// let id = world.find("box").unwrap();
    /// world.apply_force_at(id, Vec3::X * 4.0, Vec3::new(0.0, 0.5, 0.0)).unwrap();
    /// world.step();
    /// world.step();
    /// // 4 N · 0.01 s / 2 kg
    /// assert!((world.body(id).unwrap().linear_velocity.x - 0.02).abs() < 1e-15);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// As [`World::set_force`].
    pub fn apply_force_at(
        &mut self,
        id: BodyId,
        force: impl Into<Vec3>,
        place: impl Into<Vec3>,
    ) -> Result<(), EditError> {
        let (slot, force) = (self.slot(id)?, force.into());
        let arm = place.into() - self.state.position[slot];
        self.apply_force(id, force, arm.cross(force))
    }

    /// Takes the forces of one step away after it; forces that stay have every bit that they had.
    pub(crate) fn end_one_step_forces(&mut self) {
        let State { force, torque, one_step_forces, .. } = &mut self.state;
        for passing in one_step_forces.drain(..) {
            force[passing.slot as usize] = passing.lasting_force;
            torque[passing.slot as usize] = passing.lasting_torque;
        }
    }

    fn push(&mut self, id: BodyId, impulse: Twist) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        if !is_sensible(impulse.linear) || !is_sensible(impulse.angular) {
            return Err(EditError::NotFinite { what: "the impulse" });
        }
        match self.model.bodies[slot].motion {
            Motion::Dynamic | Motion::Link { .. } => {}
            Motion::Static | Motion::Driven(_) => return Err(EditError::NoEffect { what: "an impulse" }),
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined);
        }
        if let Motion::Link { tree, link } = self.model.bodies[slot].motion {
            return self.push_link(slot, [tree as usize, link as usize], impulse);
        }
        self.wake_slot(slot);
        let inertia = block(&self.model, &self.state, slot);
        let before = (self.state.velocity.free[slot], kinetic_energy(&self.model, &self.state, slot));
        let v = &mut self.state.velocity.free[slot];
        v.linear += inertia.inv_mass * impulse.linear;
        v.angular += inertia.inv_inertia * impulse.angular;
        let mean = Twist::new((before.0.linear + v.linear) / 2.0, (before.0.angular + v.angular) / 2.0);
        let mut book = StepBook::default();
        book.post(Account::User, impulse.linear.dot(mean.linear) + impulse.angular.dot(mean.angular));
        self.work.distorted.into_iter().for_each(|account| book.distort(account));
        self.state.ledger.close(&book, kinetic_energy(&self.model, &self.state, slot) - before.1);
        Ok(())
    }

    /// The same on a link: all of its tree answers, loops and couplings too. What driven bases give, which keep their velocity, is the work of their
    /// drivers.
    fn push_link(&mut self, slot: usize, [tree, link]: [usize; 2], impulse: Twist) -> Result<(), EditError> {
        self.wake_slot(slot);
        let (model, dofs) = (self.model.clone(), self.model.dofs_of(tree));
        let (of, mut kin, mut ldl) =
            (&model.trees[tree], TreeKinematics::default(), model.trees[tree].new_ldl());
        let q = &self.state.coordinates[model.coordinates_of(tree)];
        let v = self.state.velocity.dof[dofs.clone()].to_vec();
        kinematics(of, q, &v, &mut kin);
        let mut room = TreeScratch::default();
        joint_inertia(of, &kin, &mut room, &mut ldl)
            .map_err(|_| EditError::NoEffect { what: "an impulse" })?;
        let mut given = vec![0.0; of.dofs()];
        for dof in of.path(link) {
            let axis = &kin.axis[dof];
            given[dof] = axis.at(kin.com[link]).dot(impulse.linear) + axis.angular.dot(impulse.angular);
        }
        let mut answer: Vec<f64> =
            given.iter().enumerate().map(|(i, p)| if of.is_held(i) { 0.0 } else { *p }).collect();
        ldl.solve(&mut answer);
        let mut loops = Projection::default();
        equality_projection(of, &kin, q, &ldl, &mut loops);
        let mut pulls = Vec::new();
        loops.project(&mut answer, &mut pulls);
        let (before, twist) = (energy::of_tree(&model, &self.state, tree), self.state.velocity.free[slot]);
        for (v, change) in self.state.velocity.dof[dofs.clone()].iter_mut().zip(&answer) {
            *v += change;
        }
        self.place_trees();
        let after = self.state.velocity.free[slot];
        let mean = Twist::new((twist.linear + after.linear) / 2.0, (twist.angular + after.angular) / 2.0);
        let mut book = StepBook::default();
        book.post(Account::User, impulse.linear.dot(mean.linear) + impulse.angular.dot(mean.angular));
        // What the bases took up: the momentum that they would have got, were they free.
        let mut reaction = vec![0.0; of.dofs()];
        mass_times(of, &kin, &answer, &mut room, &mut reaction);
        // Loops and rods pull at the bases, too: `pulls` has the impulses of their rows, with the opposite sign.
        for (i, pull) in pulls.iter().take(loops.rows()).enumerate() {
            reaction.iter_mut().zip(loops.row(i)).for_each(|(to, row)| *to += row * pull);
        }
        for (base, &body) in model.bases_of(tree).iter().enumerate() {
            let held = of.joints_of(base).iter().flat_map(|joint| joint.dofs());
            let work: f64 = held.map(|dof| v[dof] * (reaction[dof] - given[dof])).sum();
            book.post(Account::Driver, work);
            if let Motion::Driven(driver) = model.bodies[body as usize].motion {
                self.state.drivers[driver as usize].work += work;
            }
        }
        self.work.distorted.into_iter().for_each(|account| book.distort(account));
        self.state.ledger.close(&book, energy::of_tree(&model, &self.state, tree) - before);
        Ok(())
    }
}
