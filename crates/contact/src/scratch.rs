//! Room that the stages reuse from step to step; it carries nothing over.

use crate::Velocity;

/// Room for every stage of this crate; may be dropped and made anew at any step without changing one bit.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) v: Velocity,
}
