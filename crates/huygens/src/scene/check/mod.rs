//! The gate: every field of a scene is looked at before anything is made from it.

mod body;
mod coupling;
mod edit;
mod expect;
mod joint;
mod material;
mod medium;
mod number;
mod shape;
mod table;
mod tendon;
#[cfg(test)]
mod tests;
mod world;

use super::{Scene, SceneErrors};
use number::Findings;
pub(crate) use number::{LARGEST, text as number_text};

impl Scene {
    /// Checks every field.
    ///
    /// # Errors
    /// All that is wrong, in the order of the scene (at most a few dozen), each with the element, the value and the
    /// remedy.
    pub fn check(&self) -> Result<(), SceneErrors> {
        let mut found = Findings::default();
        world::check(&self.world, &mut found);
        material::check(self, &mut found);
        body::check(self, &mut found);
        joint::check(self, &mut found);
        tendon::check(self, &mut found);
        medium::check(self, &mut found);
        edit::check(self, &mut found);
        expect::check(self, &mut found);
        SceneErrors::of(found.into_errors())
    }
}
