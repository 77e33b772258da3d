//! Motions out, written as the run goes, so that memory does not grow with it. docs/output.md describes the files.
//!
//! | file | form |
//! |---|---|
//! | `.csv` | a row for each body and step |
//! | `.jsonl` | a JSON object for each step: energy, ledger, bodies, contacts |
//! | `.npz` | arrays that `numpy.load` reads |
//! | `.pvd` | collections of `.vtu` files that ParaView opens: bodies, surfaces, contacts, joints |
//! | `.vtk` | legacy VTK files with the surfaces of each step |
//!
//! Bodies that are static are left out, but for their surfaces. Whatever happens, a file holds a number of whole steps: one that takes no more (a full
//! disk, a limit of its size) is brought back to the last step that it has whole.

mod crc;
mod frame;
mod legacy;
mod mechanism;
mod npy;
mod npz;
mod store;
mod text;
mod vtk;
mod writer;
mod zip;

#[cfg(test)]
mod tests;

pub use writer::{Format, Writer, Written};
