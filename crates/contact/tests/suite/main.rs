//! The integration tests of contact problems and their solvers, one program: a test file is a module here. Files beside this folder count allocations and
//! need a program of their own.

mod blocks;
mod certificate;
mod collection;
mod common;
mod convex;
mod correction;
mod delassus;
mod exact;
mod guard;
mod impact;
mod impact_spin;
mod lanes;
mod ledger;
mod one_law;
mod rows;
mod scale;
mod soft_step;
mod softness;
mod solve;
mod transport;
