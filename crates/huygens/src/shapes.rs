//! Shapes of a running world: what can be seen of them, and what of them can be changed by itself.

use crate::compile::{self, NewShapes, ShapeChange};
use crate::edit::{ChangeError, EditError};
use crate::energy;
use crate::handle::{BodyId, HandleError, ShapeId};
use crate::model::{BodyModel, Given, Motion};
use crate::scene::{Body, LARGEST, SceneError, SceneErrors, Shape, SpecPath};
use crate::state::Placed;
use crate::world::{MotionKind, World};
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
    /// Example: [`World::shapes_of`].
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

    /// Adds a shape to a body. What it weighs comes to the body, unless that was given a mass, a centre or an inertia of its own: then these are shared
    /// out anew. The frame of the body stays where it is, and it goes on as it moves. The change of energy is booked as an edit.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let mut world = World::new(&Scene::new().body(Body::dynamic("hammer").shape(Shape::capsule(0.02, 0.3))))?;
    /// let id = world.find("hammer").unwrap();
    /// let light = world.body(id).unwrap().mass;
    /// let head = world.add_shape(id, &Shape::cuboid(0.15, 0.05, 0.05).density(7800.0).at(0.0, 0.0, 0.15)).unwrap();
    /// assert!((world.body(id).unwrap().mass - light - 2.925).abs() < 1e-12);
    /// world.remove_shape(head).unwrap();
    /// assert_eq!(world.body(id).unwrap().mass, light);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is driven and carries joints, is quarantined or in a medium, the shape cannot be, or it has a
    /// moving surface and the body no driver; nothing changes then.
    pub fn add_shape(&mut self, id: BodyId, shape: &Shape) -> Result<ShapeId, ChangeError> {
        let slot = self.shapes_can_change(id)?;
        let scene = self.surroundings();
        let name = self.model.bodies[slot].name.clone();
        let alone = match self.model.bodies[slot].motion {
            Motion::Dynamic | Motion::Link { .. } => Body::dynamic(name),
            Motion::Static => Body::fixed(name),
            Motion::Driven(_) => Body::driven(name, [0.0; 3], [0.0; 3]),
        };
        self.checked(&scene, &alone.shape(shape.clone()), Some(id))?;
        let change = compile::prepare_shapes(&self.model, &scene, slot, ShapeChange::Add(shape));
        let at = self.change_shapes(slot, change.map_err(SceneErrors::from)?)?;
        Ok(self.shape_id(at.unwrap_or_default() as usize))
    }

    /// Takes a shape from its body, which must have another one; the rest as [`World::add_shape`]. Its contacts end in the next step.
    ///
    /// # Errors
    /// When the handle is stale or foreign, it is the last shape of its body, what remains cannot move, or the body is driven and carries joints, is
    /// quarantined or in a medium; nothing changes then.
    pub fn remove_shape(&mut self, id: ShapeId) -> Result<(), ChangeError> {
        let shape = self.shape_slot(id).map_err(EditError::from)?;
        let body = self.id_of(self.model.shapes[shape].body as usize);
        let (slot, scene) = (self.shapes_can_change(body)?, self.surroundings());
        let change = compile::prepare_shapes(&self.model, &scene, slot, ShapeChange::Remove(shape as u32));
        self.change_shapes(slot, change.map_err(SceneErrors::from)?)?;
        self.note_gone(vec![shape as u32]);
        Ok(())
    }

    /// Slot of a body whose shapes may come and go.
    fn shapes_can_change(&self, id: BodyId) -> Result<usize, EditError> {
        let slot = self.slot(id)?;
        if self.model.carries_tree(slot) {
            return Err(EditError::CarriesJoints);
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined);
        }
        Ok(slot)
    }

    /// Changes the shapes of a body; returns the slot of the new one.
    fn change_shapes(&mut self, slot: usize, change: NewShapes) -> Result<Option<u32>, SceneErrors> {
        let scene = self.surroundings();
        let mut new = None;
        if matches!(self.model.bodies[slot].motion, Motion::Link { .. }) {
            self.rebuild(
                |_| {},
                |model, state| {
                    new = compile::change_shapes(model, state, &scene, slot, change);
                    Ok(())
                },
            )?;
        } else {
            let gone = change.gone();
            self.wake_about_change(slot, gone);
            let before = self.model.bodies[slot].shapes.clone();
            let energy = energy::of_body(&self.model, &self.state, slot);
            let model = Arc::make_mut(&mut self.model);
            new = compile::change_shapes(model, &mut self.state, &scene, slot, change);
            model.note_edit(slot, before);
            self.book_edit(energy::of_body(&self.model, &self.state, slot) - energy);
        }
        self.wake_about_change(slot, new);
        self.make_room();
        Ok(new)
    }

    /// Wakes a body whose shapes change; of one that no force moves what is near the shape that comes or goes.
    fn wake_about_change(&mut self, slot: usize, shape: Option<u32>) {
        if MotionKind::from(self.model.bodies[slot].motion).is_moved_by_forces() {
            self.wake_around(slot);
        } else {
            shape.into_iter().for_each(|shape| self.wake_near_shape(shape));
        }
    }

    /// Puts a shape into other layers, and lets it meet others.
    ///
    /// Example: [`World::shapes_of`].
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
    /// Example: [`World::shapes_of`].
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
    /// Example: [`World::shapes_of`].
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
    /// Example: [`World::change_body`].
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
        let given = self.model.bodies[slot].given;
        let given =
            Given { mass: Some(mass), inertia: given.inertia.map(|inertia| inertia * share), ..given };
        let set = |body: &mut BodyModel| (body.mass, body.inertia, body.given) = (mass, inertia, given);
        if matches!(motion, Motion::Link { .. }) {
            return Ok(self.rebuild(
                |_| {},
                |model, _| {
                    set(&mut model.bodies[slot]);
                    Ok(())
                },
            )?);
        }
        self.wake_slot(slot);
        let before = energy::of_body(&self.model, &self.state, slot);
        let model = Arc::make_mut(&mut self.model);
        set(&mut model.bodies[slot]);
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
