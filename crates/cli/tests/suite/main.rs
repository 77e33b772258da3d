//! The integration tests of the program, one program: a test file is a module here. Files beside this folder count allocations and
//! need a program of their own.

mod bad_input;
mod bench;
mod checkpoint;
mod common;
mod compare;
mod docs;
mod golden;
mod hunt;
mod mechanisms;
mod program;
mod robot;
mod solve;
mod status;
mod sweep;
mod threads;
mod verify;
mod vtk;
mod warnings;
