//! What can be wrong with a shape.

/// Why a shape cannot be made: which one, the value, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A size that is zero, negative, infinite or not a number.
    #[error(
        "{shape}: {field} is {value} m; must be a finite length above 0. Give `{field}` a positive length."
    )]
    BadSize {
        /// Kind of the shape.
        shape: &'static str,
        /// Its field.
        field: &'static str,
        /// The value found.
        value: f64,
    },
    /// A hull point that is infinite or not a number.
    #[error(
        "hull: point {index} is ({x}, {y}, {z}); every coordinate must be finite. Remove or mend that point."
    )]
    BadPoint {
        /// Which point.
        index: usize,
        /// Its coordinates.
        x: f64,
        /// Its coordinates.
        y: f64,
        /// Its coordinates.
        z: f64,
    },
    /// Fewer than four different points.
    #[error(
        "hull: {distinct} different points of {given} given; a solid needs at least 4. Add points that span a volume."
    )]
    TooFewPoints {
        /// Points given.
        given: usize,
        /// Points left after duplicates are removed.
        distinct: usize,
    },
    /// All points in a plane or on a line.
    #[error(
        "hull: all {given} points lie {what} (thickness {thickness:e} m over {extent:e} m); a solid needs thickness. Use a thin box, or add points off the {flat}."
    )]
    Flat {
        /// Points given.
        given: usize,
        /// "in one plane", "on one line" or "at one point".
        what: &'static str,
        /// "plane", "line" or "point".
        flat: &'static str,
        /// Extent across [m].
        thickness: f64,
        /// Extent along [m].
        extent: f64,
    },
}
