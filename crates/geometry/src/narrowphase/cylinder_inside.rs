//! The inside of a closed cylinder against every bounded shape.
