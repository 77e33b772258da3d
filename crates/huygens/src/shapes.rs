//! Shapes of a running world: what can be seen of them, and what of them can be changed by itself.

use crate::edit::{ChangeError, EditError};
use crate::energy;
use crate::handle::{BodyId, HandleError, ShapeId};
use crate::model::Motion;
use crate::scene::{LARGEST, SceneError, Shape, SpecPath};
use crate::state::Placed;
use crate::world::World;
use huygens_geometry::CollisionShape;
use huygens_math::Pose;
use std::sync::Arc;

/// What can be seen of a shape.
#[derive(Clone, Copy, Debug)]
pub struct ShapeView<'a> {
    /// Its handle.
    pub id: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// Its form.
    pub shape: &'a CollisionShape,
    /// Where it is.
    pub world_from_shape: Pose,
    /// The name of its material.
    pub material: Option<&'a str>,
    /// Layers that it is in.
    pub layer: u32,
    /// Layers that it meets.
    pub mask: u32,
    /// It reports overlap and takes no force.
    pub sensor: bool,
}

impl World {
    /// One shape.
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn shape(&self, id: ShapeId) -> Result<ShapeView<'_>, HandleError> {
        Ok(self.shape_view(self.shape_slot(id)?))
    }

    /// The shapes of a body, in the order of the scene.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let dumbbell = Body::dynamic("dumbbell").shape(Shape::sphere(0.1).at(-0.3, 0.0, 0.0)).shape(Shape::sphere(0.1).at(0.3, 0.0, 0.0));
    /// let mut world = World::new(&Scene::new().body(dumbbell))?;
    /// let id = world.find("dumbbell").unwrap();
    /// let right = world.shapes_of(id).unwrap().last().unwrap();
    /// assert!((right.world_from_shape.translation.x - 0.3).abs() < 1e-15);
    /// let right = right.id;
    /// world.set_sensor(right, true).unwrap();
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn shapes_of(&self, id: BodyId) -> Result<impl ExactSizeIterator<Item = ShapeView<'_>>, HandleError> {
        let slot = self.slot(id)?;
        Ok(self.model.bodies[slot].shapes.iter().map(|&shape| self.shape_view(shape as usize)))
    }

    /// Puts a shape into other layers, and lets it meet others.
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn set_groups(&mut self, id: ShapeId, layer: u32, mask: u32) -> Result<(), HandleError> {
        let slot = self.shape_slot(id)?;
        if [layer, mask] == [self.model.shapes[slot].layer, self.model.shapes[slot].mask] {
            return Ok(());
        }
        self.edit_shape(slot, |world| {
            let shape = &mut Arc::make_mut(&mut world.model).shapes[slot];
            (shape.layer, shape.mask) = (layer, mask);
        });
        Ok(())
    }

    /// Makes a sensor of a shape, or a solid of a sensor. The mass of its body stays.
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn set_sensor(&mut self, id: ShapeId, sensor: bool) -> Result<(), HandleError> {
        let slot = self.shape_slot(id)?;
        if sensor == self.model.shapes[slot].sensor {
            return Ok(());
        }
        self.edit_shape(slot, |world| {
            Arc::make_mut(&mut world.model).shapes[slot].sensor = sensor;
            // What its last contacts were says nothing of the next ones.
            world.state.contacts.forget(|shape| shape as usize == slot);
        });
        Ok(())
    }

    /// Gives a shape another material of the world: friction, restitution, levers and priority. Numbers of the shape's own go before them; the mass of
    /// its body and the velocity of its surface stay.
    ///
    /// # Errors
    /// When the handle is stale or foreign, or the world has no such material or, with `combine = "table"`, no pairs for it; nothing changes then.
    pub fn set_material(&mut self, id: ShapeId, material: &str) -> Result<(), ChangeError> {
        let slot = self.shape_slot(id).map_err(EditError::from)?;
        let scene = self.model.surroundings.clone();
        let refuse = |error: SceneError| Err(ChangeError::Scene(error.into()));
        let path = || SpecPath::top("materials");
        if !scene.materials.contains_key(material) {
            let known = scene.materials.keys().map(String::as_str);
            return refuse(SceneError::unknown_word(path(), material, "material", known));
        }
        let mut spec = Shape::sphere(1.0).material(material);
        spec.sensor = self.model.shapes[slot].sensor;
        if self.lacks_pair(&spec) {
            let problem =
                "with combine = \"table\" every two materials need a pair, and the world has none for it";
            return refuse(SceneError::new(path().name(material), "", problem, "Use a material with pairs."));
        }
        self.edit_shape(slot, |world| {
            let model = Arc::make_mut(&mut world.model);
            let own = model.materials.own_of(model.shapes[slot].material);
            model.shapes[slot].material = model.materials.intern(own, Some(material), &scene);
        });
        Ok(())
    }

    /// Gives a body another mass [kg]; its inertia grows with it. The change of energy is booked as an edit.
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is neither dynamic nor a link or is quarantined, or the mass is not above 0; nothing changes then.
    pub fn set_mass(&mut self, id: BodyId, mass: f64) -> Result<(), ChangeError> {
        let slot = self.slot(id).map_err(EditError::from)?;
        let motion = self.model.bodies[slot].motion;
        if matches!(motion, Motion::Static | Motion::Driven(_)) {
            return Err(EditError::NoEffect { what: "a mass" }.into());
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined.into());
        }
        if !(mass > 0.0 && mass <= LARGEST) {
            return Err(EditError::NotFinite { what: "a mass, above 0," }.into());
        }
        let share = mass / self.model.bodies[slot].mass;
        if share == 1.0 {
            return Ok(());
        }
        let inertia = self.model.bodies[slot].inertia * share;
        if matches!(motion, Motion::Link { .. }) {
            return Ok(self.rebuild(
                |_| {},
                |model, _| {
                    (model.bodies[slot].mass, model.bodies[slot].inertia) = (mass, inertia);
                    Ok(())
                },
            )?);
        }
        self.wake_slot(slot);
        let before = energy::of_body(&self.model, &self.state, slot);
        let model = Arc::make_mut(&mut self.model);
        (model.bodies[slot].mass, model.bodies[slot].inertia) = (mass, inertia);
        model.note_edit(slot, Vec::new());
        self.book_edit(energy::of_body(&self.model, &self.state, slot) - before);
        Ok(())
    }

    /// Changes a shape; who sleeps near it before and after wakes.
    fn edit_shape(&mut self, slot: usize, change: impl FnOnce(&mut Self)) {
        let body = self.model.shapes[slot].body as usize;
        self.wake_around(body);
        change(self);
        Arc::make_mut(&mut self.model).note_edit(body, Vec::new());
        self.wake_around(body);
        // What it meets now was not there before.
        self.state.placed[body] = Placed::New;
    }

    /// Slot of a shape.
    pub(crate) fn shape_slot(&self, id: ShapeId) -> Result<usize, HandleError> {
        if id.world != self.id {
            return Err(HandleError::Foreign);
        }
        let slot = id.slot as usize;
        let is_there =
            self.state.shape_generation.get(slot) == Some(&id.generation) && !self.model.shapes[slot].removed;
        if is_there { Ok(slot) } else { Err(HandleError::Stale) }
    }

    /// Handle of a shape slot.
    pub(crate) fn shape_id(&self, slot: usize) -> ShapeId {
        ShapeId { slot: slot as u32, generation: self.state.shape_generation[slot], world: self.id }
    }

    fn shape_view(&self, slot: usize) -> ShapeView<'_> {
        let shape = &self.model.shapes[slot];
        let body = shape.body as usize;
        ShapeView {
            id: self.shape_id(slot),
            body: self.id_of(body),
            shape: &shape.shape,
            world_from_shape: Pose::new(self.state.orientation[body], self.state.position[body])
                * shape.in_body,
            material: self.model.materials.material_of(shape.material),
            layer: shape.layer,
            mask: shape.mask,
            sensor: shape.sensor,
        }
    }
}
