//! The integration tests of smooth mechanics, one program: a test file is a module here. Files beside this folder count allocations and
//! need a program of their own.

mod coarse_steps;
mod common;
mod free_rotation;
mod joint_kinds;
mod joint_motion;
mod loops;
mod mover;
mod taken;
mod tree_identities;
mod tree_motion;
