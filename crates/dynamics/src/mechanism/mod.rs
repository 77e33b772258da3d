//! Mechanisms: a tree with springs, dampers, tendons, actuators and a medium around it, as MuJoCo has them.
//!
//! One [`Tree`](crate::Tree) holds all bodies of a model, link by link; its ball and free joints have MuJoCo's dofs, so that coordinates,
//! velocities and forces are those that MuJoCo's users know. [`forward`] computes everything up to the acceleration without constraints,
//! [`step`] integrates it, [`sense`] reads sensors.

mod actuator;
mod base;
mod derivative;
mod fluid;
mod forward;
mod gains;
mod model;
mod passive;
mod sensor;
mod servo;
mod sparse_rows;
mod step;
mod tendon;
mod transmission;
mod wrap;

pub use actuator::{Actuator, DynKind, GainKind, Transmission, muscle_gain};
pub use fluid::{Ellipsoid, inertia_box, semi_axes};
pub use forward::{Forward, forward};
pub use gains::{DofGains, diagonal_gains};
pub use model::{Drag, Integration, JointProperties, Mechanism, MechanismState, Medium, Place, Switches};
pub use passive::{PassiveParts, elastic_energy, passive_parts};
pub use sensor::{Frame, Sensor, SensorKind, sense};
pub use servo::{Input, servo_activations};
pub use sparse_rows::SparseRows;
pub use step::{advance_activations, step, step_with};
pub use tendon::{PathPart, Tendon, WrapGeom};
pub(crate) use wrap::{Obstacle, around};
