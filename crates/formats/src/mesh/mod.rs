//! Triangle meshes from STL, OBJ and MuJoCo's MSH files, heights from text files.
//!
//! Both readers are our own: a message must name the line or the byte and the value, which the crates `stl_io` and
//! `tobj` do not say. `stl_io` also refuses binary files whose header is a line that begins with `solid`, and takes
//! files with more triangles than they announce; `tobj` takes coordinates that are not numbers and statements that
//! do not exist. A test shows all four.

mod error;
mod file;
mod heights;
mod msh;
mod obj;
mod soup;
mod stl;
mod text;

pub use error::{MeshError, MeshProblem, Place};
pub use file::read;
pub use heights::{parse_heights, read_heights};
pub use msh::read_msh;
pub use obj::read_obj;
pub use soup::TriangleSoup;
pub use stl::read_stl;

#[cfg(test)]
mod tests;
