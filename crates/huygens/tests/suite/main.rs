//! The integration tests of worlds, one program: a test file is a module here. Files beside this folder count allocations and
//! need a program of their own.

mod accounts;
mod common;
mod contacts;
mod determinism;
mod drive_limits;
mod driven;
mod edits;
mod events;
mod exact_models;
mod free_flight;
mod friction;
mod ghost;
mod handles;
mod impact;
mod laboratory_agreement;
mod laboratory_convergence;
mod laboratory_elastic;
mod laboratory_figures;
mod laboratory_guard;
mod lanes;
mod law_of_trees;
mod ledger;
mod locality;
mod materials;
mod planned;
mod query;
mod recovery;
mod rest;
mod rest_cylinder;
mod rolling;
mod soft_step;
mod surface;
mod tree;
mod tunnel;
mod walberla;
