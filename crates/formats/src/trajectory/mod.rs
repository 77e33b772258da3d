//! Motions out: a row for each body and step, written as the run goes, so that memory does not grow with it.
//!
//! | column (csv) | member (jsonl) | meaning | unit |
//! |---|---|---|---|
//! | `step` | `step` | number of the step, 0 for the start | – |
//! | `time` | `time` | time after the step | s |
//! | `body` | `body` | name of the body | – |
//! | `px,py,pz` | `position` | place of the body's frame | m |
//! | `qw,qx,qy,qz` | `orientation` | turn of the body's frame | – |
//! | `vx,vy,vz` | `linear_velocity` | velocity of the centre of mass, world axes | m/s |
//! | `wx,wy,wz` | `angular_velocity` | spin, world axes | rad/s |
//!
//! Static bodies are left out. Numbers are in their shortest form that reads back with the same bits; one that is not
//! finite is an empty field (csv) or `null` (jsonl). The file always ends with a whole step.

mod row;
mod writer;

pub use row::Row;
pub use writer::{Format, Writer};
