//! Checks of a body's shapes.

use super::{material, number::Findings, table};
use crate::scene::{
    Body, HeightSource, HullSource, MeshSource, Motion, Scene, SceneError, Shape, ShapeKind, SpecPath,
};
use huygens_math::Vec3;

pub(super) fn check(scene: &Scene, body: &Body, path: &SpecPath, found: &mut Findings) {
    for (k, shape) in body.shapes.iter().enumerate() {
        let path = path.key("shape").index(k);
        check_kind(&shape.kind, &path, found);
        check_common(scene, shape, &path, found);
        if body.motion == Motion::Dynamic && shape.kind.is_boundary() {
            found.push(boundary_on_dynamic(&shape.kind, path.key("kind")));
        }
        if body.motion == Motion::Dynamic && matches!(shape.kind, ShapeKind::Mesh { .. }) {
            found.push(mesh_on_dynamic(path.key("kind")));
        }
    }
}

fn mesh_on_dynamic(path: SpecPath) -> SceneError {
    SceneError::new(
        path,
        "\"mesh\"",
        "a mesh is a surface that others touch, and this body is dynamic",
        "Use kind = \"hull\" with the same file, or several hulls; or give the body motion = \"static\" (or driven).",
    )
}

fn boundary_on_dynamic(kind: &ShapeKind, path: SpecPath) -> SceneError {
    let solid = match kind {
        ShapeKind::CylinderInside { .. } => "a \"cylinder\"",
        _ => "a \"box\"",
    };
    SceneError::new(
        path,
        format_args!("{:?}", kind.word()),
        "a boundary has no volume and no mass, and this body is dynamic",
        format!("Give the body motion = \"static\" (or driven), or use {solid}."),
    )
}

fn check_common(scene: &Scene, shape: &Shape, path: &SpecPath, found: &mut Findings) {
    table::check(shape, path, found);
    if let Some(name) = &shape.material {
        material::check_name(scene, name, || path.key("material"), found);
    }
}

fn check_kind(kind: &ShapeKind, path: &SpecPath, found: &mut Findings) {
    table::check(kind, path, found);
    match kind {
        ShapeKind::Hull { source, scale } => {
            check_scale(*scale, path, found);
            match source {
                HullSource::Points(points) => check_points(points, path, found),
                HullSource::File(file) => check_file(file, path, found),
            }
        }
        ShapeKind::Mesh { source, scale } => {
            check_scale(*scale, path, found);
            match source {
                MeshSource::Triangles { vertices, triangles } => {
                    check_triangles(vertices, triangles, path, found);
                }
                MeshSource::File(file) => check_file(file, path, found),
            }
        }
        ShapeKind::HeightField { source: HeightSource::Heights(rows), .. } => {
            check_heights(rows, path, found);
        }
        ShapeKind::HeightField { source: HeightSource::File(file), .. } => check_file(file, path, found),
        _ => {}
    }
}

/// A negative factor mirrors, which is fine; 0 flattens, which is not.
fn check_scale(scale: Vec3, path: &SpecPath, found: &mut Findings) {
    let good = |x: f64| x.abs() >= 1e-20 && x.abs() <= 1e20;
    if !scale.to_array().into_iter().all(good) {
        found.add(
            path.key("scale"),
            super::number::show(scale),
            "every factor must be finite and not 0",
            "Write one factor, or three; 0.001 turns millimetres into metres.",
        );
    }
}

fn check_points(points: &[Vec3], path: &SpecPath, found: &mut Findings) {
    if points.len() < 4 {
        found.add(
            path.key("points"),
            format_args!("{} points", points.len()),
            "a solid needs at least 4",
            "Add points that span a volume.",
        );
    }
    for (i, point) in points.iter().enumerate() {
        if !found.vector(|| path.key("points").index(i), *point) {
            break;
        }
    }
}

/// What can be told without building the surface; the rest is found when it is built.
fn check_triangles(vertices: &[Vec3], triangles: &[[u32; 3]], path: &SpecPath, found: &mut Findings) {
    if triangles.is_empty() {
        found.add(
            path.key("triangles"),
            "0 triangles",
            "a surface needs at least 1",
            "Write [[a, b, c], …]: numbers of vertices, counted from 0, counter-clockwise seen from outside.",
        );
    }
    for (i, vertex) in vertices.iter().enumerate() {
        if !found.vector(|| path.key("vertices").index(i), *vertex) {
            return;
        }
    }
    let bad = |t: &[u32; 3]| t.iter().copied().find(|&i| i as usize >= vertices.len());
    if let Some((i, index)) = triangles.iter().enumerate().find_map(|(i, t)| Some((i, bad(t)?))) {
        found.add(
            path.key("triangles").index(i),
            format_args!("{index}"),
            format!("there are {} vertices, counted from 0", vertices.len()),
            "Mend the index.",
        );
    }
}

fn check_heights(rows: &[Vec<f64>], path: &SpecPath, found: &mut Findings) {
    let columns = rows.first().map_or(0, Vec::len);
    if rows.len() < 2 || columns < 2 || rows.iter().any(|row| row.len() != columns) {
        found.add(
            path.key("heights"),
            format_args!("{} rows", rows.len()),
            "needs at least 2 rows of at least 2 heights, all rows equally long",
            "Write [[h, h, …], [h, h, …], …]: rows along y, heights along x.",
        );
    }
    for (i, row) in rows.iter().enumerate() {
        for x in row {
            if !found.finite(|| path.key("heights").index(i), *x) {
                return;
            }
        }
    }
}

fn check_file(file: &str, path: &SpecPath, found: &mut Findings) {
    if file.is_empty() {
        found.add(path.key("file"), "\"\"", "is no file name", "Name an STL or OBJ file.");
    }
}
