//! The integration tests of scene files and named scenes, one program: a test file is a module here. Files beside this folder count allocations and
//! need a program of their own.

mod actuators_and_sensors;
mod convex;
mod lanes;
mod mjcf_files;
mod mujoco;
mod named_books;
mod named_scenes;
mod robot_runs;
mod serde;
mod urdf_files;
mod warnings;
