//! Choices of the whole world that a user changes between steps: gravity, time step, contact model and its parameters.

use crate::model::Motion;
use crate::scene::{Combine, Named, Scene, SceneError, SceneErrors, SpecPath, WorldSpec};
use crate::state::{Clock, State};
use crate::world::World;
use crate::{compile, energy};
use std::sync::Arc;

impl World {
    /// The choices of the world, as a scene writes them.
    ///
    /// Example: [`World::change_world`].
    pub fn choices(&self) -> &WorldSpec {
        &self.model.choices
    }

    /// Changes choices of the world from the next step on: gravity, time step, contact model and its parameters, guard and all else. The change
    /// of potential energy is booked as an edit.
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
        if choices.combine == Combine::Table && self.model.choices.combine != Combine::Table {
            self.all_have_pairs()?;
        }
        let settings = compile::settings(&choices)?;
        if choices != self.model.choices {
            self.wake_all();
        }
        let before = energy::potential(&self.model, &self.state);
        let longer = settings.dt / self.model.settings.dt;
        let model = Arc::make_mut(&mut self.model);
        model.settings = settings;
        model.materials.combine_by(choices.combine);
        if let Some(medium) = &mut model.forces.medium {
            medium.up = compile::up(&choices);
        }
        model.choices = choices;
        model.edits.note_all();
        if longer != 1.0 {
            change_step(&mut self.state, longer);
        }
        self.book_edit(energy::potential(&self.model, &self.state) - before);
        self.work.reserve(&self.model);
        Ok(())
    }
}

impl World {
    /// Whether the pair table names all materials that can meet.
    fn all_have_pairs(&self) -> Result<(), SceneErrors> {
        let mut surfaces: Vec<(u32, bool)> = Vec::new();
        for shape in self.model.shapes.iter().filter(|shape| !shape.removed && !shape.sensor) {
            surfaces.push((shape.material, self.model.bodies[shape.body as usize].motion != Motion::Static));
        }
        surfaces.sort_unstable();
        surfaces.dedup();
        let Some(names) = self.model.materials.unpaired(&surfaces) else { return Ok(()) };
        let [a, b] = names.map(|name| name.map_or("no material".to_owned(), |name| format!("{name:?}")));
        let problem = format!(
            "with this rule every two materials need a pair, and {a} and {b} of this world have none"
        );
        let remedy = "Choose another rule, or make the world with this pair.";
        let path = SpecPath::top("world").key("combine");
        Err(SceneError::new(path, format_args!("{:?}", Combine::Table.word()), problem, remedy).into())
    }
}

/// Steps are `longer` times as long from now on. A contact that presses with the same force has an impulse that much larger, from which
/// the next solve starts.
fn change_step(state: &mut State, longer: f64) {
    state.clock = Clock { steps: state.steps, time: state.time };
    state.contacts.points.iter_mut().for_each(|point| point.impulse *= longer);
    state.row_impulses.iter_mut().for_each(|(_, impulse)| *impulse *= longer);
}
