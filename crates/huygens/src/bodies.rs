//! What the passes over bodies read of the model: plain numbers side by side, made anew when the model was edited;
//! and who is awake.
//!
//! [`crate::model::BodyModel`] carries names and lists; a step that walks it reads hundreds of bytes per body, many times.

use crate::edit_log::Since;
use crate::model::{BodyModel, Model, Motion};
use crate::sleep::Sleep;
use crate::workspace::reserve;
use huygens_dynamics::{Gyroscopic, is_diagonal, is_isotropic};
use huygens_math::lanes::Level;
use huygens_math::{Pose, Sym3, Vec3, scalar};
use std::collections::BTreeMap;

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
    /// The list that each body slot is in.
    list_of: Vec<List>,
    /// How many bodies have each growth of round-off, by its bits, which have the order of positive numbers.
    conditions: BTreeMap<u64, u32>,
    /// Edits of the model, and changes of sleep, that this was made from.
    made_from: Option<[u64; 2]>,
}

/// The list of a body by what its rotation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    None,
    Isotropic,
    Principal,
    AnyAxes,
    Others,
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
            list_of: Vec::new(),
            conditions: BTreeMap::new(),
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
        reserve(&mut self.list_of, n);
        reserve(&mut self.awake, n);
        reserve(&mut self.awake_shapes, model.shapes.len());
        for list in [&mut self.isotropic, &mut self.principal, &mut self.any_axes, &mut self.others] {
            reserve(list, n);
        }
    }

    /// The largest growth of round-off of all bodies.
    pub fn worst_condition(&self) -> f64 {
        self.conditions.last_key_value().map_or(1.0, |(bits, _)| scalar::max(f64::from_bits(*bits), 1.0))
    }

    /// Brings everything up to date with the model and with who sleeps; says for which slots there was something to do.
    pub fn update<'m>(&mut self, model: &'m Model, sleep: &Sleep) -> Since<'m> {
        let edits = model.edits.since(self.made_from.map(|[edits, _]| edits));
        let slept = self.made_from.is_none_or(|[_, changes]| changes != sleep.changes);
        self.made_from = Some([model.edits.count(), sleep.changes]);
        match edits {
            Since::All => self.copy(model),
            Since::These(_) => {
                edits.bodies().for_each(|slot| self.copy_body(model, slot));
                edits.shapes().for_each(|slot| self.copy_shape(model, slot));
            }
        }
        if slept || matches!(edits, Since::All) {
            self.list(model, sleep);
            return Since::All;
        }
        edits.bodies().for_each(|slot| self.list_body(model, sleep, slot));
        edits.shapes().for_each(|slot| {
            let moves = may_move(model, sleep, slot);
            set_member(&mut self.awake_shapes, slot as u32, moves);
        });
        edits
    }

    /// Lists who is awake.
    fn list(&mut self, model: &Model, sleep: &Sleep) {
        for list in [&mut self.isotropic, &mut self.principal, &mut self.any_axes, &mut self.others] {
            list.clear();
        }
        self.awake.clear();
        self.awake_shapes.clear();
        self.list_of.clear();
        for slot in 0..model.bodies.len() {
            let list = list_of(model, sleep, slot);
            self.list_of.push(list);
            if let Some(list) = self.list_mut(list) {
                list.push(slot as u32);
            }
            if is_awake(model, sleep, slot) {
                self.awake.push(slot as u32);
            }
        }
        let shapes = (0..model.shapes.len()).filter(|slot| may_move(model, sleep, *slot));
        self.awake_shapes.extend(shapes.map(|slot| slot as u32));
    }

    /// Lists one body anew.
    fn list_body(&mut self, model: &Model, sleep: &Sleep, slot: usize) {
        if self.list_of.len() < model.bodies.len() {
            self.list_of.resize(model.bodies.len(), List::None);
        }
        let (old, new) = (self.list_of[slot], list_of(model, sleep, slot));
        if old != new {
            if let Some(list) = self.list_mut(old) {
                set_member(list, slot as u32, false);
            }
            if let Some(list) = self.list_mut(new) {
                set_member(list, slot as u32, true);
            }
            self.list_of[slot] = new;
        }
        set_member(&mut self.awake, slot as u32, is_awake(model, sleep, slot));
    }

    fn list_mut(&mut self, list: List) -> Option<&mut Vec<u32>> {
        match list {
            List::None => None,
            List::Isotropic => Some(&mut self.isotropic),
            List::Principal => Some(&mut self.principal),
            List::AnyAxes => Some(&mut self.any_axes),
            List::Others => Some(&mut self.others),
        }
    }

    /// Copies what the passes read of each body and shape.
    fn copy(&mut self, model: &Model) {
        self.numbers.clear();
        self.sites.clear();
        self.conditions.clear();
        (0..model.bodies.len()).for_each(|slot| self.copy_body(model, slot));
        (0..model.shapes.len()).for_each(|slot| self.copy_shape(model, slot));
    }

    fn copy_body(&mut self, model: &Model, slot: usize) {
        while self.numbers.len() <= slot {
            self.numbers.push(NOTHING);
            *self.conditions.entry(NOTHING.condition.to_bits()).or_default() += 1;
        }
        let new = numbers(model, &model.bodies[slot]);
        let old = std::mem::replace(&mut self.numbers[slot], new).condition.to_bits();
        if old == new.condition.to_bits() {
            return;
        }
        *self.conditions.entry(new.condition.to_bits()).or_default() += 1;
        if let Some(count) = self.conditions.get_mut(&old) {
            *count -= 1;
            if *count == 0 {
                self.conditions.remove(&old);
            }
        }
    }

    fn copy_shape(&mut self, model: &Model, slot: usize) {
        const NOWHERE: Site = Site { body: 0, centred: false };
        let shape = &model.shapes[slot];
        if self.sites.len() <= slot {
            self.sites.resize(slot + 1, NOWHERE);
        }
        self.sites[slot] = Site { body: shape.body, centred: shape.in_body == Pose::IDENTITY };
    }
}

/// Puts a slot into a sorted list, or takes it out.
fn set_member(list: &mut Vec<u32>, slot: u32, is_member: bool) {
    match list.binary_search(&slot) {
        Ok(at) if !is_member => drop(list.remove(at)),
        Err(at) if is_member => list.insert(at, slot),
        _ => {}
    }
}

fn list_of(model: &Model, sleep: &Sleep, slot: usize) -> List {
    let body = &model.bodies[slot];
    if body.motion != Motion::Dynamic || body.removed || sleep.has(slot) {
        return List::None;
    }
    let free = body.lock_angular == [false; 3] && model.settings.gyroscopic == Gyroscopic::Midpoint;
    match body.inertia.inverse() {
        Some(_) if free && is_isotropic(&body.inertia) => List::Isotropic,
        Some(_) if free && is_diagonal(&body.inertia) => List::Principal,
        Some(_) if free => List::AnyAxes,
        _ => List::Others,
    }
}

/// Forces and contacts move the body.
fn is_awake(model: &Model, sleep: &Sleep, slot: usize) -> bool {
    let body = &model.bodies[slot];
    matches!(body.motion, Motion::Dynamic | Motion::Link { .. }) && !body.removed && !sleep.has(slot)
}

/// The shape may move in this step.
fn may_move(model: &Model, sleep: &Sleep, slot: usize) -> bool {
    let shape = &model.shapes[slot];
    let body = shape.body as usize;
    !shape.removed && model.bodies[body].motion != Motion::Static && !sleep.has(body)
}

/// Numbers of a slot in which there is no body.
const NOTHING: BodyNumbers = BodyNumbers {
    mass: 0.0,
    condition: 1.0,
    weight: Vec3::ZERO,
    weight_size: 0.0,
    inertia: Sym3::ZERO,
    inverse: Sym3::ZERO,
};

fn numbers(model: &Model, body: &BodyModel) -> BodyNumbers {
    if body.removed {
        return NOTHING;
    }
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
