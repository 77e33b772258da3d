//! Fewer cells of height fields and triangles of meshes.

use super::bodies::each_body;
use huygens::Scene;
use huygens::math::Vec3;
use huygens::scene::{HeightSource, MeshSource, Shape, ShapeKind};

/// Fewest rows or columns of a height field.
const LEAST: usize = 2;
/// Meshes with more triangles lose them by parts, not one by one.
const FEW: usize = 8;

/// Height fields without a row or a column at their edges, meshes without some of their triangles; what is left stays where it is.
pub fn fewer_cells(scene: &Scene) -> Vec<Scene> {
    each_body(scene, |body| {
        let mut plain = Vec::new();
        for (at, shape) in body.shapes.iter().enumerate() {
            for simpler in cropped(shape).into_iter().chain(thinned(shape)) {
                let mut copy = body.clone();
                copy.shapes[at] = simpler;
                plain.push(copy);
            }
        }
        plain
    })
}

/// A height field without its first or last column or row.
fn cropped(shape: &Shape) -> Vec<Shape> {
    let ShapeKind::HeightField { source: HeightSource::Heights(heights), size } = &shape.kind else {
        return Vec::new();
    };
    let (rows, columns) = (heights.len(), heights.first().map_or(0, Vec::len));
    let mut crops = Vec::new();
    for first in [true, false] {
        let shifted =
            |along: Vec3| shape.position + shape.pose().rotation * (if first { along } else { -along });
        if columns > LEAST {
            let cell = size.x / (columns - 1) as f64;
            let keep = if first { 1..columns } else { 0..columns - 1 };
            let rows = heights.iter().map(|row| row[keep.clone()].to_vec()).collect();
            let mut size = *size;
            size.x -= cell;
            let kind = ShapeKind::HeightField { source: HeightSource::Heights(rows), size };
            crops.push(Shape { kind, position: shifted(Vec3::X * 0.5 * cell), ..shape.clone() });
        }
        if rows > LEAST {
            let cell = size.y / (rows - 1) as f64;
            let keep = if first { 1..rows } else { 0..rows - 1 };
            let mut size = *size;
            size.y -= cell;
            let kind = ShapeKind::HeightField { source: HeightSource::Heights(heights[keep].to_vec()), size };
            crops.push(Shape { kind, position: shifted(Vec3::Y * 0.5 * cell), ..shape.clone() });
        }
    }
    crops
}

/// A mesh without a half, a quarter, or one of its triangles, and without vertices that no triangle has.
fn thinned(shape: &Shape) -> Vec<Shape> {
    let ShapeKind::Mesh { source: MeshSource::Triangles { vertices, triangles }, scale } = &shape.kind else {
        return Vec::new();
    };
    let count = triangles.len();
    let mut parts = vec![count / 2, count / 4];
    if count <= FEW {
        parts.push(1);
    }
    let mut fewer = Vec::new();
    for part in parts.into_iter().filter(|part| *part > 0 && *part < count) {
        for from in (0..count).step_by(part) {
            let gone = from..from + part;
            let left = triangles.iter().enumerate().filter(|(i, _)| !gone.contains(i)).map(|(_, t)| *t);
            let source = compact(vertices, left);
            fewer.push(Shape { kind: ShapeKind::Mesh { source, scale: *scale }, ..shape.clone() });
        }
    }
    fewer
}

/// Triangles with the vertices that they have, in the order in which they meet them.
fn compact(vertices: &[Vec3], triangles: impl Iterator<Item = [u32; 3]>) -> MeshSource {
    let mut number = vec![None; vertices.len()];
    let mut kept = Vec::new();
    let triangles = triangles
        .map(|triangle| {
            triangle.map(|corner| {
                *number[corner as usize].get_or_insert_with(|| {
                    kept.push(vertices[corner as usize]);
                    (kept.len() - 1) as u32
                })
            })
        })
        .collect();
    MeshSource::Triangles { vertices: kept, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::scene::Body;

    #[test]
    fn cropped_fields_and_thinned_meshes_stay_where_they_are() {
        // Heights 0 1 2 at x = −1, 0, 1.
        let field = Shape::height_field(vec![vec![0.0, 1.0, 2.0]; 2], 2.0, 1.0);
        let crops = cropped(&field);
        let first = &crops[0];
        assert_eq!(first.position, Vec3::X * 0.5, "columns at 0 and 1");
        let ShapeKind::HeightField { source: HeightSource::Heights(rows), size } = &first.kind else {
            panic!()
        };
        assert_eq!((rows[0].as_slice(), size.x), (&[1.0, 2.0][..], 1.0));

        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Shape::mesh(corners, [[0, 1, 2], [0, 2, 3]]);
        let scene = Scene::new().body(Body::fixed("ground").shape(mesh));
        let simpler = fewer_cells(&scene);
        let last = &simpler[1].bodies[0].shapes[0].kind;
        assert_eq!(*last, Shape::mesh([corners[0], corners[1], corners[2]], [[0, 1, 2]]).kind);
    }
}
