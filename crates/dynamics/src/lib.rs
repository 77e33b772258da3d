//! Smooth mechanics of the Huygens contact engine: trees, joints, inertia, integrators.
