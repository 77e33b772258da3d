//! How velocities move positions.

mod book;
mod cayley;
mod coarse;
mod implicit;
mod kick;
mod kind;
mod locked;
mod midpoint;
mod momentum;
mod rotate;

pub use book::{KickWork, integration_energy};
pub use cayley::cayley;
pub use implicit::ForceWork;
pub use kick::{AtEnd, DofDrive, Drift, ForceAt, SmoothForces, Stiffening, Taken, TreeKick};
pub use kind::{Gyroscopic, Integrator, UnknownName};
pub use locked::rotate_locked;
pub use midpoint::{Axes, SpinLanes, TurnedLanes, turn_isotropic, turn_midpoint};
pub use momentum::has_free_base;
pub use rotate::{Rotated, Spin, is_diagonal, is_isotropic, is_slow, rotate};
