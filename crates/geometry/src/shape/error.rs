//! What can be wrong with a shape.

/// Why a shape cannot be made: which one, the value, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A size that is zero, negative, not a number, or too small or large to compute with.
    #[error("{shape}: {field} is {value:?} m; must be from 1e-15 to 1e15 m. {remedy}")]
    BadSize {
        /// Kind of the shape.
        shape: &'static str,
        /// Its field.
        field: &'static str,
        /// The value found [m].
        value: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// A hull point that is infinite, not a number, or out of range.
    #[error(
        "hull: point {index} is ({x:?}, {y:?}, {z:?}) m; every coordinate must be finite and at most 1e15 m from 0. Remove or mend that point."
    )]
    BadPoint {
        /// Which point.
        index: usize,
        /// Its x [m].
        x: f64,
        /// Its y [m].
        y: f64,
        /// Its z [m].
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
        "hull: all {given} points lie {what} (thickness {thickness:?} m over {extent:?} m); a solid needs thickness. Use a thin box, or add points off the {flat}."
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
    /// Hull points so far from the origin that their rounding is as large as the hull.
    #[error(
        "hull: {given} points with an extent of {extent:?} m lie {reach:?} m from the origin, where coordinates are rounded by {rounding:?} m. Move the points near their frame's origin, and place the body there."
    )]
    TooFar {
        /// Points given.
        given: usize,
        /// Extent of the points [m].
        extent: f64,
        /// Largest coordinate [m].
        reach: f64,
        /// Rounding of a coordinate that large [m].
        rounding: f64,
    },
    /// Triangles or heights that make no surface.
    #[error("{shape}: {fault}")]
    Mesh {
        /// "mesh" or "heightfield".
        shape: &'static str,
        /// What is wrong, and what to do.
        fault: super::MeshFault,
    },
}
