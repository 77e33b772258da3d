//! Meshes: files and numbers in the model, moved to the centre of mass and turned to the principal axes.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::Mesh;
use super::inertia::{EPS, principal};
use crate::mesh;
use huygens_geometry::shape::Hull;
use huygens_math::{Mat3, Pose, Sym3, Vec3, scalar};
use std::path::Path;

/// How the mass of a mesh is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Pyramids from the middle to the faces, all counted as positive.
    Legacy,
    /// The hull is full.
    Convex,
    /// The inside is full.
    Exact,
    /// The faces have mass.
    Shell,
}

/// Vertices and faces as a file or the model has them.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    vertices: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
}

/// Reads a mesh file by its name.
pub(super) fn read_file(path: &Path, element: &Element<'_>) -> Result<Raw, Fault> {
    let soup = mesh::read(path).map_err(|error| {
        let place = element.get("file").map_or(&element.node.place, |a| &a.place);
        Fault::at(place, error.to_string(), "")
    })?;
    Ok(Raw { vertices: soup.vertices.into_iter().map(single).collect(), faces: soup.triangles })
}

/// The vertices and faces that stand in the model itself.
pub(super) fn read_inline(element: &Element<'_>) -> Result<Raw, Fault> {
    let vertices = element.list("vertex")?.unwrap_or_default();
    if vertices.len() % 3 != 0 || vertices.len() < 12 {
        let message =
            format!("{} numbers in `vertex`; a mesh needs a multiple of 3, and 4 vertices", vertices.len());
        return Err(element.fault(message, "Write x y z for each vertex, or name a `file`."));
    }
    let vertices: Vec<Vec3> = vertices.chunks_exact(3).map(|v| single(Vec3::from_slice(v))).collect();
    let faces = element.list("face")?.unwrap_or_default();
    let mut out = Vec::with_capacity(faces.len() / 3);
    for face in faces.chunks(3) {
        let corner = |i: usize| {
            let x = face.get(i).copied().unwrap_or(-1.0);
            let good = x >= 0.0 && x < vertices.len() as f64;
            if good { Ok(x as u32) } else { Err(element.fault(format!("a face names the vertex {x}"), "")) }
        };
        out.push([corner(0)?, corner(1)?, corner(2)?]);
    }
    Ok(Raw { vertices, faces: out })
}

/// Rounded to single precision, as mesh files and MuJoCo have it.
fn single(v: Vec3) -> Vec3 {
    Vec3::new(f64::from(v.x as f32), f64::from(v.y as f32), f64::from(v.z as f32))
}

/// The mesh of the element.
pub(super) fn compile(name: String, element: &Element<'_>, mut raw: Raw) -> Result<Mesh, Fault> {
    let spreads = [
        ("legacy", Spread::Legacy),
        ("convex", Spread::Convex),
        ("exact", Spread::Exact),
        ("shell", Spread::Shell),
    ];
    let spread = element.choice("inertia", &spreads, Spread::Legacy)?;
    if raw.faces.is_empty() {
        raw.faces = hull_faces(&raw.vertices).map_err(|e| element.fault(format!("no hull: {e}"), ""))?;
    }
    let scale = Vec3::from_array(element.reals("scale", [1.0; 3])?);
    let refpos = element.vec3("refpos", Vec3::ZERO)?;
    let refquat = super::super::orientation::quat(element.reals("refquat", [1.0, 0.0, 0.0, 0.0])?)
        .ok_or_else(|| element.fault("`refquat` is zero", ""))?;
    let mut vertices = raw.vertices;
    for v in &mut vertices {
        *v = refquat.conjugate() * (*v - refpos) * scale;
    }
    if scale.x * scale.y * scale.z < 0.0 {
        raw.faces.iter_mut().for_each(|f| f.swap(1, 2));
    }
    let solid_faces = if spread == Spread::Convex {
        hull_faces(&vertices).map_err(|e| element.fault(format!("no hull: {e}"), ""))?
    } else {
        raw.faces.clone()
    };
    let (com, volume, inertia) = weigh(&vertices, &raw.faces, &solid_faces, spread);
    if volume < EPS {
        let help = "Mend the faces' orientation, or set inertia=\"shell\" for a mesh without inside.";
        return Err(element.fault(format!("mesh {name:?} has a volume of {volume:e}"), help));
    }
    let (values, rotation) = principal(&inertia);
    let frame = Pose::new(rotation, com);
    let mut bounds = [Vec3::splat(f64::INFINITY), Vec3::splat(f64::NEG_INFINITY)];
    let axes = Mat3::from_quat(rotation.conjugate());
    for v in &mut vertices {
        let moved = axes * (*v - com);
        for k in 0..3 {
            bounds[0][k] = scalar::min(bounds[0][k], moved[k]);
            bounds[1][k] = scalar::max(bounds[1][k], moved[k]);
        }
        *v = single(moved);
    }
    let edge = |i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        0.5 * scalar::max(6.0 * (values[j] + values[k] - values[i]) / volume, 0.0).sqrt()
    };
    let box_size = [edge(0), edge(1), edge(2)];
    Ok(Mesh { name, vertices, faces: raw.faces, pose: frame, volume, box_size, bounds })
}

/// Area, unit normal and middle of a triangle.
fn triangle(a: Vec3, b: Vec3, c: Vec3) -> (f64, Vec3, Vec3) {
    let cross = (b - a).cross(c - a);
    let length = cross.length();
    let normal = if length > 0.0 { cross / length } else { Vec3::X };
    (0.5 * length, normal, (a + b + c) / 3.0)
}

/// Centre of mass, volume (or surface) and inertia at density 1.
fn weigh(vertices: &[Vec3], faces: &[[u32; 3]], solid: &[[u32; 3]], spread: Spread) -> (Vec3, f64, Sym3) {
    let corner = |f: &[u32; 3]| f.map(|i| vertices[i as usize]);
    let (mut middle, mut area) = (Vec3::ZERO, 0.0);
    for f in faces {
        let [a, b, c] = corner(f);
        let (s, _, m) = triangle(a, b, c);
        middle += m * s;
        area += s;
    }
    if area > EPS {
        middle /= area;
    }
    let (mut com, mut total) = (Vec3::ZERO, 0.0);
    for f in solid {
        let [a, b, c] = corner(f);
        let (s, n, m) = triangle(a, b, c);
        let part = match spread {
            Spread::Shell => s,
            Spread::Legacy => ((m - middle).dot(n) * s / 3.0).abs(),
            _ => (m - middle).dot(n) * s / 3.0,
        };
        total += part;
        com += (m * 0.75 + middle * 0.25) * part;
    }
    if total > EPS {
        com /= total;
    }
    let mut products = Sym3::ZERO;
    let mut volume = 0.0;
    for f in solid {
        let [d, e, g] = corner(f).map(|v| v - com);
        let (s, n, m) = triangle(d, e, g);
        let part = match spread {
            Spread::Shell => s,
            Spread::Legacy => (m.dot(n) * s / 3.0).abs(),
            _ => m.dot(n) * s / 3.0,
        };
        volume += part;
        let share = part / if spread == Spread::Shell { 12.0 } else { 20.0 };
        // Σ over corners of 2 v vᵀ and of the mixed products is Σ v vᵀ + (Σ v)(Σ v)ᵀ.
        let sum = d + e + g;
        products = products + (Sym3::outer(d) + Sym3::outer(e) + Sym3::outer(g) + Sym3::outer(sum)) * share;
    }
    let trace = products.trace();
    let inertia = Sym3::diagonal(Vec3::splat(trace)) - products;
    (com, volume, inertia)
}

/// Triangles of the convex hull.
fn hull_faces(vertices: &[Vec3]) -> Result<Vec<[u32; 3]>, String> {
    let hull = Hull::with_tolerance(vertices, 0.0).map_err(|e| e.to_string())?;
    let index = |v: Vec3| vertices.iter().position(|u| *u == v).unwrap_or(0) as u32;
    let ids: Vec<u32> = hull.vertices().iter().map(|v| index(*v)).collect();
    let mut faces = Vec::new();
    for i in 0..hull.face_count() {
        let face = hull.face(i);
        let corners: Vec<u32> = face.vertices.iter().map(|&v| ids[v as usize]).collect();
        faces.extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
    }
    Ok(faces)
}
