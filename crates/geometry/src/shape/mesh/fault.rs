//! What can be wrong with a mesh: the element, the value, the remedy.

use huygens_math::Vec3;

/// Why triangles make no surface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshFault {
    /// No triangles.
    #[error("0 triangles; a surface needs at least 1. Add triangles, or leave the shape out.")]
    Empty,
    /// More than can be numbered.
    #[error("{count} {what}; at most 268435456 can be numbered. Simplify the mesh, or cut it into several.")]
    TooMany {
        /// "vertices" or "triangles".
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A coordinate that is infinite, not a number or out of range.
    #[error(
        "vertex {vertex} is ({:?}, {:?}, {:?}) m; every coordinate must be finite and at most 1e15 m from 0. Remove or mend that vertex.", at.x, at.y, at.z
    )]
    BadVertex {
        /// Which vertex.
        vertex: usize,
        /// Where it is [m].
        at: Vec3,
    },
    /// A corner that names no vertex.
    #[error(
        "triangle {triangle} names vertex {index}, but there are {count} vertices, counted from 0. Mend the index."
    )]
    BadIndex {
        /// Which triangle.
        triangle: usize,
        /// The index found.
        index: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A triangle without area.
    #[error(
        "triangle {triangle} has the corners {corners:?}, an area of {area:?} m² and a longest edge of {longest:?} m; it has no normal. Remove it, and join the vertices of its short edge."
    )]
    NoArea {
        /// Which triangle.
        triangle: usize,
        /// Its corners, as given.
        corners: [u32; 3],
        /// Its area [m²].
        area: f64,
        /// Its longest edge [m].
        longest: f64,
    },
    /// The same three corners twice.
    #[error("triangles {first} and {second} have the same corners. Remove one of them.")]
    Duplicate {
        /// The first.
        first: u32,
        /// The second.
        second: u32,
    },
    /// Neighbours that look to opposite sides.
    #[error(
        "triangles {first} and {second} run along the edge between vertices {from} and {to} in the same direction: one of them looks to the other side. Turn it round: write its corners counter-clockwise seen from outside."
    )]
    Twisted {
        /// The first.
        first: u32,
        /// The second.
        second: u32,
        /// One end of the edge.
        from: u32,
        /// The other.
        to: u32,
    },
    /// An edge of three triangles or more.
    #[error(
        "the edge between vertices {from} and {to} belongs to {count} triangles, {triangle} among them; a surface has 1 or 2. Remove the triangles inside, or give each sheet vertices of its own."
    )]
    NotManifold {
        /// One end of the edge.
        from: u32,
        /// The other.
        to: u32,
        /// Number of triangles.
        count: usize,
        /// One of the triangles.
        triangle: u32,
    },
    /// Heights that are no grid.
    #[error(
        "{rows} rows, and row {row} has {found} heights where the first has {expected}; needs at least 2 rows of at least 2 heights, all equally long. Write [[h, h, …], [h, h, …], …]: rows along y, heights along x."
    )]
    NoGrid {
        /// Number of rows.
        rows: usize,
        /// The first row that does not fit.
        row: usize,
        /// Its heights.
        found: usize,
        /// Heights of the first row.
        expected: usize,
    },
    /// A height that is infinite, not a number or out of range.
    #[error("row {row}, height {column} is {value:?} m; must be finite and at most 1e15 m from 0. Mend it.")]
    BadHeight {
        /// Its row.
        row: usize,
        /// Its place in the row.
        column: usize,
        /// The value found [m].
        value: f64,
    },
    /// Something is asked of the inside of a surface that has none.
    #[error(
        "the edge between vertices {from} and {to} of triangle {triangle} belongs to no other triangle, so the surface does not close and has no mass. Close it, give the body `mass`, `center_of_mass` and `inertia`, or make it static."
    )]
    Open {
        /// One end of the edge.
        from: u32,
        /// The other.
        to: u32,
        /// Its triangle.
        triangle: u32,
    },
    /// A closed surface whose triangles look inwards.
    #[error(
        "the surface closes around a volume of {volume:?} m³; it must be more than 0. Write the corners counter-clockwise seen from outside."
    )]
    InsideOut {
        /// The volume found [m³].
        volume: f64,
    },
}
