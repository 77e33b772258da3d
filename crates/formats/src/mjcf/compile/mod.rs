//! From the tree of elements to a model in MuJoCo's layout.

mod actuator;
mod asset;
mod body;
mod builder;
mod contact;
mod geom;
mod inertia;
mod mesh;
mod option;
mod scope;
mod sensor;
mod servo;
mod tendon;

pub(super) use builder::compile;
pub(super) use scope::Scope;
