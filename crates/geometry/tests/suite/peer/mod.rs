//! What the tests of geometry share: random shapes and placements, an oracle that shares no code with the crate, and
//! the same scene as parry3d sees it.
#![allow(dead_code, reason = "every test binary compiles all of this and uses its own part")]

pub mod manifold;
pub mod oracle;
pub mod parry;
pub mod sample;
