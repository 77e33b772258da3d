//! A rigid connection.

pub(super) const COORDINATES: usize = 0;
pub(super) const DOFS: usize = 0;
