//! Choices of the whole world that a user changes between steps: gravity, time step, contact model and its parameters.

use crate::scene::{Named, Scene, SceneError, SceneErrors, SpecPath, WorldSpec};
use crate::state::{Clock, State};
use crate::world::World;
use crate::{compile, energy};
use std::sync::Arc;

impl World {
    /// The choices of the world, as a scene writes them.
    pub fn choices(&self) -> &WorldSpec {
        &self.model.choices
    }

    /// Changes choices of the world from the next step on: gravity, time step, contact model and its parameters, guard and all else but
    /// `combine`, by which the materials of the shapes were joined. The change of potential energy is booked as an edit.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::math::Vec3;
    /// use huygens::scene::{Body, Scene};
    ///
    /// let mut world = World::new(&Scene::new().body(Body::dynamic("ball").sphere(0.5)))?;
    /// world.change_world(|w| w.gravity = Vec3::ZERO)?;
    /// world.change_world(|w| w.solver = "ncp/newton".to_owned())?;
    /// world.step();
    /// assert_eq!(world.kinetic_energy(), 0.0);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// What of the choices cannot be, each with its value and the remedy; nothing changes then.
    pub fn change_world(&mut self, change: impl FnOnce(&mut WorldSpec)) -> Result<(), SceneErrors> {
        let mut choices = self.model.choices.clone();
        change(&mut choices);
        Scene { world: choices.clone(), ..Scene::default() }.check()?;
        if choices.combine != self.model.choices.combine {
            let path = SpecPath::top("world").key("combine");
            let problem = "the materials of the shapes were joined by another rule when the world was made";
            let remedy = "Make a new world of the scene with this rule.";
            return Err(
                SceneError::new(path, format_args!("{:?}", choices.combine.word()), problem, remedy).into()
            );
        }
        let settings = compile::settings(&choices)?;
        if choices != self.model.choices {
            self.wake_all();
        }
        let before = energy::potential(&self.model, &self.state);
        let longer = settings.dt / self.model.settings.dt;
        let model = Arc::make_mut(&mut self.model);
        model.settings = settings;
        if let Some(medium) = &mut model.forces.medium {
            medium.up = compile::up(&choices);
        }
        model.choices = choices;
        model.edits += 1;
        if longer != 1.0 {
            change_step(&mut self.state, longer);
        }
        self.book_edit(energy::potential(&self.model, &self.state) - before);
        self.work.reserve(&self.model);
        Ok(())
    }
}

/// Steps are `longer` times as long from now on. A contact that presses with the same force has an impulse that much larger, from which
/// the next solve starts.
fn change_step(state: &mut State, longer: f64) {
    state.clock = Clock { steps: state.steps, time: state.time };
    state.contacts.points.iter_mut().for_each(|point| point.impulse *= longer);
    state.row_impulses.iter_mut().for_each(|(_, impulse)| *impulse *= longer);
}
