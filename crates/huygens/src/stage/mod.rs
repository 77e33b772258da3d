//! The stages of a step, one file each, in the order in which they run.

mod account;
mod assemble;
mod balls;
mod collide;
mod drive;
mod free;
mod ghost;
mod guard;
mod impact;
mod integrate;
mod kinematics;
mod lanes;
mod narrow;
mod position;
mod remember;
mod rolling;
mod rows;
mod solve;
mod sound;
mod table;
mod turning;

pub(crate) use account::{account, kinetic_energy};
pub(crate) use assemble::assemble;
pub(crate) use collide::collide;
pub(crate) use drive::{DriverShare, drive, power};
pub use ghost::GhostWork;
pub(crate) use impact::impact;
pub(crate) use integrate::integrate;
pub(crate) use kinematics::{kinematics, place_links};
pub(crate) use position::position;
pub(crate) use remember::remember;
pub use rolling::Rolling;
pub(crate) use rolling::rolls;
pub(crate) use solve::solve;
pub(crate) use sound::{is_out, sound};
pub(crate) use table::{BodyRow, ShapeRow};
