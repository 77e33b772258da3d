//! Forces of a medium and of springs: what of them does not change while stepping, and the energy that springs hold.

use crate::model::{Model, Motion};
use crate::state::State;
use huygens_dynamics::force::{Ball, FlowForce, SpringLaw, Submerged, Wind, submerged_triangles};
use huygens_math::{Pose, Sum, Vec3};

/// Forces of a medium and of springs.
#[derive(Clone, Debug, Default)]
pub struct ForceModel {
    /// The medium.
    pub medium: Option<MediumModel>,
    /// Bodies that a medium or damping acts on.
    pub bodies: Vec<ExposedBody>,
    /// Springs.
    pub springs: Vec<SpringModel>,
    /// Slots of the dynamic bodies that any of these acts on, sorted.
    pub slots: Vec<u32>,
}

/// A medium.
#[derive(Clone, Debug)]
pub struct MediumModel {
    /// Density [kg/m³].
    pub density: f64,
    /// Height of its surface along `up` [m]; `None` when it is everywhere.
    pub surface: Option<f64>,
    /// Unit vector against gravity.
    pub up: Vec3,
    /// Its motion.
    pub wind: Vec<Wind>,
}

impl MediumModel {
    /// Velocity of the medium at a place [m/s].
    pub fn velocity(&self, place: Vec3) -> Vec3 {
        self.wind.iter().fold(Vec3::ZERO, |sum, wind| sum + wind.at(place))
    }
}

/// A body that a medium or damping acts on.
#[derive(Clone, Debug, Default)]
pub struct ExposedBody {
    /// Slot of the body.
    pub body: u32,
    /// Its place in [`ForceModel::slots`].
    pub at: u32,
    /// Drag, lift and Magnus force when all of it is in the medium.
    pub flow: FlowForce,
    /// Direction of the span in body axes, a unit vector.
    pub span: Vec3,
    /// The weight of what it displaces lifts it.
    pub buoyant: bool,
    /// All of it.
    pub whole: Submerged,
    /// Its parts, about the centre of mass.
    pub solids: Vec<Solid>,
    /// Rates of damping [1/s].
    pub damping: [f64; 2],
}

/// A part of a body that displaces the medium, in body axes about the centre of mass.
#[derive(Clone, Debug)]
pub enum Solid {
    /// A ball.
    Ball(Ball),
    /// A closed surface; the factor makes the volume of its flat faces that of the true shape.
    Faces {
        /// Triangles, counter-clockwise seen from outside.
        triangles: Vec<[Vec3; 3]>,
        /// True volume over that of the triangles.
        factor: f64,
    },
}

impl ExposedBody {
    /// The part of it that is in the medium at a pose.
    pub fn submerged(&self, medium: &MediumModel, pose: &Pose) -> Submerged {
        let Some(surface) = medium.surface else {
            return Submerged { moment: pose.rotation * self.whole.moment, ..self.whole };
        };
        let mut sum = Submerged::default();
        for solid in &self.solids {
            sum.add(&match solid {
                Solid::Ball(ball) => ball.submerged(pose, medium.up, surface),
                Solid::Faces { triangles, factor } => {
                    submerged_triangles(triangles, pose, medium.up, surface).scaled(*factor)
                }
            });
        }
        sum
    }
}

/// A spring with a damper.
#[derive(Clone, Debug)]
pub struct SpringModel {
    /// Its name.
    pub name: String,
    /// Its two ends.
    pub ends: [SpringEnd; 2],
    /// Stiffness, damping, length at rest.
    pub law: SpringLaw,
}

/// An end of a spring.
#[derive(Clone, Copy, Debug)]
pub struct SpringEnd {
    /// Slot of its body; `None` in the world.
    pub body: Option<u32>,
    /// Where it is: from the centre of mass in body axes, or in the world [m].
    pub anchor: Vec3,
    /// Place of the body in [`ForceModel::slots`], when it is dynamic.
    pub at: Option<u32>,
}

impl SpringModel {
    /// True when a numerical fault took one of its bodies out of the simulation; it then neither pulls nor holds energy.
    pub fn is_out(&self, state: &State) -> bool {
        self.ends.iter().any(|end| end.body.is_some_and(|slot| state.quarantined[slot as usize]))
    }

    /// True when no stage looks at it: it is out, or its bodies sleep.
    pub fn is_idle(&self, state: &State) -> bool {
        self.is_out(state)
            || self.ends.iter().any(|end| end.body.is_some_and(|slot| state.sleep.has(slot as usize)))
    }

    /// Places of its two ends in the world.
    pub fn places(&self, state: &State) -> [Vec3; 2] {
        self.ends.map(|end| match end.body {
            Some(slot) => state.position[slot as usize] + state.orientation[slot as usize] * end.anchor,
            None => end.anchor,
        })
    }

    /// Distance of its ends [m].
    pub fn distance(&self, state: &State) -> f64 {
        let [a, b] = self.places(state);
        (a - b).length()
    }

    /// Energy that it holds [J].
    pub fn stored(&self, state: &State) -> f64 {
        if self.is_out(state) { 0.0 } else { self.law.stored(self.distance(state)) }
    }
}

impl ForceModel {
    /// Nothing acts.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Finds the slots anew, after bodies or springs have come or gone.
    pub(crate) fn index(&mut self, motion: impl Fn(u32) -> Motion) {
        let dynamic = |end: &SpringEnd| end.body.filter(|slot| motion(*slot) == Motion::Dynamic);
        let exposed = self.bodies.iter().map(|body| body.body);
        let mut slots: Vec<u32> = exposed
            .chain(self.springs.iter().flat_map(|spring| spring.ends.iter().filter_map(dynamic)))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let find = |slot: u32| slots.binary_search(&slot).ok().map(|at| at as u32);
        for body in &mut self.bodies {
            body.at = find(body.body).unwrap_or(0);
        }
        for end in self.springs.iter_mut().flat_map(|spring| &mut spring.ends) {
            end.at = dynamic(end).and_then(find);
        }
        self.slots = slots;
    }

    /// Takes away what acts on a body.
    pub(crate) fn remove_body(&mut self, slot: u32) {
        self.bodies.retain(|body| body.body != slot);
        self.springs.retain(|spring| spring.ends.iter().all(|end| end.body != Some(slot)));
    }
}

/// Energy that all springs hold [J].
pub(crate) fn stored(model: &Model, state: &State) -> f64 {
    let mut sum = Sum::default();
    model.forces.springs.iter().for_each(|spring| sum.add(spring.stored(state)));
    sum.value()
}

/// Energy that the springs of one body hold [J].
pub(crate) fn stored_at(model: &Model, state: &State, slot: usize) -> f64 {
    let holds = |spring: &&SpringModel| spring.ends.iter().any(|end| end.body == Some(slot as u32));
    model.forces.springs.iter().filter(holds).map(|spring| spring.stored(state)).sum()
}
