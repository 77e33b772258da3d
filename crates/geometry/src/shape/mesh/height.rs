//! Heights on a regular grid as triangles.

use super::{MeshFault, TriangleMesh};
use crate::ShapeError;
use crate::shape::LENGTH_RANGE;
use huygens_math::{Vec2, Vec3};

impl TriangleMesh {
    /// The surface over a regular grid, solid below: `rows` along y, each with heights along x [m]. The grid has the
    /// extent `size` [m] about the origin; each cell is cut from its corner (+x, −y) to (−x, +y).
    ///
    /// # Errors
    /// When there are fewer than 2 rows of 2 heights, rows of different length, or a height that is not finite.
    pub fn height_field(rows: &[Vec<f64>], size: Vec2) -> Result<Self, ShapeError> {
        let columns = rows.first().map_or(0, Vec::len);
        let uneven = rows.iter().position(|row| row.len() != columns);
        if rows.len() < 2 || columns < 2 || uneven.is_some() {
            let row = uneven.unwrap_or(0);
            let found = rows.get(row).map_or(0, Vec::len);
            return Err(fail(MeshFault::NoGrid { rows: rows.len(), row, found, expected: columns }));
        }
        let mut vertices = Vec::with_capacity(rows.len() * columns);
        for (j, row) in rows.iter().enumerate() {
            for (i, &value) in row.iter().enumerate() {
                // NaN is not within either.
                if !(-LENGTH_RANGE[1]..=LENGTH_RANGE[1]).contains(&value) {
                    return Err(fail(MeshFault::BadHeight { row: j, column: i, value }));
                }
                // From the middle in half cells: whole numbers stay whole.
                let at = |k: usize, n: usize, size: f64| {
                    (2.0 * k as f64 - (n - 1) as f64) * (0.5 * size / (n - 1) as f64)
                };
                vertices.push(Vec3::new(at(i, columns, size.x), at(j, rows.len(), size.y), value));
            }
        }
        let mut triangles = Vec::with_capacity(2 * (rows.len() - 1) * (columns - 1));
        for j in 0..rows.len() - 1 {
            for i in 0..columns - 1 {
                let low = (j * columns + i) as u32;
                let high = low + columns as u32;
                triangles.push([low, low + 1, high]);
                triangles.push([low + 1, high + 1, high]);
            }
        }
        Self::build("heightfield", &vertices, &triangles).map_err(fail)
    }
}

fn fail(fault: MeshFault) -> ShapeError {
    ShapeError::Mesh { shape: "heightfield", fault }
}
