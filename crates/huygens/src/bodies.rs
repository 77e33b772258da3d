//! What the passes over bodies read of the model: plain numbers side by side, made anew when the model was edited;
//! and who is awake.
//!
//! [`crate::model::BodyModel`] carries names and lists; a step that walks it reads hundreds of bytes per body, many times.

use crate::model::{BodyModel, Model, Motion, ShapeModel};
use crate::sleep::Sleep;
use crate::workspace::reserve;
use huygens_dynamics::{Gyroscopic, is_diagonal, is_isotropic};
use huygens_math::lanes::Level;
use huygens_math::{Pose, Sym3, Vec3, scalar};

/// Numbers of one body. What a sphere needs lies in the first cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct BodyNumbers {
    /// Mass [kg].
    pub mass: f64,
    /// How much round-off grows in its energy.
    pub condition: f64,
    /// Force of gravity [N].
    pub weight: Vec3,
    /// Its size [N].
    pub weight_size: f64,
    /// Inertia about the centre of mass, body axes [kg m²].
    pub inertia: Sym3,
    /// Its inverse; zero when it has none.
    pub inverse: Sym3,
}

/// A shape on its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Slot of the body.
    pub body: u32,
    /// The shape's frame is the body's.
    pub centred: bool,
}

/// The bodies that forces and contacts move, sorted by what their rotation takes; and what their passes read.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    /// Instructions that the passes use; the bits are the same with all.
    pub level: Level,
    /// One for each body slot.
    pub numbers: Vec<BodyNumbers>,
    /// Slots of bodies with three equal moments of inertia: their world inertia is constant, nothing is gyroscopic.
    pub isotropic: Vec<u32>,
    /// Slots of bodies with a diagonal inertia.
    pub principal: Vec<u32>,
    /// Slots of bodies with any inertia.
    pub any_axes: Vec<u32>,
    /// Slots of all others: an axis of rotation is locked, or the scheme is not the midpoint rule.
    pub others: Vec<u32>,
    /// One for each shape slot.
    pub sites: Vec<Site>,
    /// Slots of bodies that forces or contacts move, and that do not sleep. The four lists above leave sleepers out, too.
    pub awake: Vec<u32>,
    /// Slots of shapes of bodies that may move in this step: drivers, and what does not sleep.
    pub awake_shapes: Vec<u32>,
    /// The largest growth of round-off of all bodies.
    pub worst_condition: f64,
    /// Edits of the model, and changes of sleep, that this was made from.
    made_from: Option<[u64; 2]>,
}

impl Default for Bodies {
    fn default() -> Self {
        Self {
            level: Level::new(),
            numbers: Vec::new(),
            isotropic: Vec::new(),
            principal: Vec::new(),
            any_axes: Vec::new(),
            others: Vec::new(),
            sites: Vec::new(),
            awake: Vec::new(),
            awake_shapes: Vec::new(),
            worst_condition: 1.0,
            made_from: None,
        }
    }
}

impl Bodies {
    /// Makes room for the bodies of a model.
    pub fn reserve(&mut self, model: &Model) {
        let n = model.bodies.len();
        reserve(&mut self.numbers, n);
        reserve(&mut self.sites, model.shapes.len());
        reserve(&mut self.awake, n);
        reserve(&mut self.awake_shapes, model.shapes.len());
        for list in [&mut self.isotropic, &mut self.principal, &mut self.any_axes, &mut self.others] {
            reserve(list, n);
        }
    }

    /// Brings everything up to date with the model and with who sleeps; true when there was something to do.
    pub fn update(&mut self, model: &Model, sleep: &Sleep) -> bool {
        let from = [model.edits, sleep.changes];
        if self.made_from == Some(from) {
            return false;
        }
        let is_edited = self.made_from.is_none_or(|[edits, _]| edits != model.edits);
        self.made_from = Some(from);
        self.list(model, sleep);
        if is_edited {
            self.copy(model);
        }
        true
    }

    /// Lists who is awake.
    fn list(&mut self, model: &Model, sleep: &Sleep) {
        for list in [&mut self.isotropic, &mut self.principal, &mut self.any_axes, &mut self.others] {
            list.clear();
        }
        self.awake.clear();
        self.awake_shapes.clear();
        for (slot, body) in model.bodies.iter().enumerate().filter(|(slot, _)| !sleep.has(*slot)) {
            if body.motion == Motion::Dynamic && !body.removed {
                self.list_of(model, body).push(slot as u32);
            }
            if matches!(body.motion, Motion::Dynamic | Motion::Link { .. }) && !body.removed {
                self.awake.push(slot as u32);
            }
        }
        let may_move = |shape: &ShapeModel| {
            let body = shape.body as usize;
            !shape.removed && model.bodies[body].motion != Motion::Static && !sleep.has(body)
        };
        let shapes = model.shapes.iter().enumerate().filter(|(_, shape)| may_move(shape));
        self.awake_shapes.extend(shapes.map(|(slot, _)| slot as u32));
    }

    /// Copies what the passes read of each body and shape.
    fn copy(&mut self, model: &Model) {
        self.numbers.clear();
        self.numbers.extend(model.bodies.iter().map(|body| numbers(model, body)));
        self.sites.clear();
        self.sites.extend(
            model
                .shapes
                .iter()
                .map(|shape| Site { body: shape.body, centred: shape.in_body == Pose::IDENTITY }),
        );
        let alive = model.bodies.iter().filter(|body| !body.removed);
        self.worst_condition = alive.map(|body| body.condition).fold(1.0, scalar::max);
    }

    fn list_of(&mut self, model: &Model, body: &BodyModel) -> &mut Vec<u32> {
        let free = body.lock_angular == [false; 3] && model.settings.gyroscopic == Gyroscopic::Midpoint;
        match body.inertia.inverse() {
            Some(_) if free && is_isotropic(&body.inertia) => &mut self.isotropic,
            Some(_) if free && is_diagonal(&body.inertia) => &mut self.principal,
            Some(_) if free => &mut self.any_axes,
            _ => &mut self.others,
        }
    }
}

fn numbers(model: &Model, body: &BodyModel) -> BodyNumbers {
    let weight = model.settings.gravity * (body.mass * body.gravity_scale);
    BodyNumbers {
        mass: body.mass,
        condition: body.condition,
        weight,
        weight_size: weight.length(),
        inertia: body.inertia,
        inverse: body.inertia.inverse().unwrap_or(Sym3::ZERO),
    }
}
