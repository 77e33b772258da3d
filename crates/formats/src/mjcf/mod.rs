//! Robots as MuJoCo's users have them: MJCF files, read as they are.
//!
//! A file becomes a tree of elements with their places (`xml`), checked by name against the `schema`; other models are attached and
//! copies made (`expand`); then bodies, joints, geoms and all else are compiled to a [`Model`] in MuJoCo's layout. What is known but not
//! done is a warning at its line; what is not known is an error that names the nearest word.

mod attributes;
mod compile;
mod defaults;
mod equality;
mod error;
mod expand;
mod inspect;
mod mechanism;
pub mod model;
mod orientation;
mod robot;
mod scene;
mod schema;
pub mod soft;
mod write;
mod xml;

pub use error::{Fault, Place, Source};
pub use huygens_dynamics::mechanism as mech;
pub use inspect::{Computed, Inspection, Question, body_name, inspect, inspect_constrained};
pub use mechanism::Machine;
pub use model::Model;
pub use robot::{Readings, ScenePart, SceneRobot};
pub use scene::{Converted, choose_convex, scene};

pub use write::{WrittenModel, write};

use compile::Scope;
use std::path::Path;
use xml::{Files, Node};

/// The model in the file at `path`.
///
/// # Errors
/// The first thing that is wrong, at its line.
pub fn load(path: &Path) -> Result<Model, Fault> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = Files::new(folder);
    let root = files.read(path, None)?;
    build(root, folder, files)
}

/// The model in `text`, called `name` in errors; files that it names are relative to `folder`.
///
/// # Errors
/// The first thing that is wrong, at its line.
pub fn parse(name: &str, text: &str, folder: &Path) -> Result<Model, Fault> {
    let mut files = Files::new(folder);
    let root = files.parse(name, text.to_owned(), folder, &mut Vec::new())?;
    build(root, folder, files)
}

fn build(mut root: Node, folder: &Path, mut files: Files) -> Result<Model, Fault> {
    schema::check(&root)?;
    let mut scopes = vec![Scope::read(&root, folder)?];
    expand::attach(&mut root, &mut scopes, &mut files, 0)?;
    expand::replicate(&mut root, &scopes)?;
    compile::compile(&root, &scopes, &files)
}
