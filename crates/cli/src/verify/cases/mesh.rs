//! Mass of a mesh: case 4.

use super::mass::properties;
use crate::verify::case::{Case, Figure, Measured, Trouble};
use huygens::math::{Vec3, trig};
use huygens::scene::Shape;
use std::collections::BTreeMap;

pub const CASES: &[Case] = &[Case {
    number: 4,
    name: "mesh-inertia",
    title: "Inertia of a mesh",
    setup: "The box of case 1 as 12 triangles; a sphere r = 0.3 m as an icosahedron divided 3 to 6 times (81,920 triangles)",
    expected: "exact for the box; the sphere's inertia converges to 2/5 mr² of the ball with the square of the edge",
    source: "sum over tetrahedra; geometry",
    tolerance: "box 1e-12 relative; order 2 within 0.05",
    contact: false,
    converges: true,
    long: false,
    measure: mesh_inertia,
}];

/// A box around the origin by its half-extents, triangles counter-clockwise seen from outside.
fn box_mesh(h: Vec3) -> Shape {
    let vertices = (0..8).map(|i| {
        let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
        [sign(1) * h.x, sign(2) * h.y, sign(4) * h.z]
    });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Shape::mesh(vertices, quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]))
}

/// An icosahedron on the unit sphere, every triangle divided in four `times` times.
fn icosphere(r: f64, times: u32) -> Shape {
    let g = 0.5 * (1.0 + 5.0f64.sqrt());
    let mut points: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        points.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
    }
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let [a, b, c] = [points[i], points[j], points[k]];
                // Neighbours are 2 apart, all others more.
                let near = |p: Vec3, q: Vec3| (p - q).length() < 2.1;
                if near(a, b) && near(b, c) && near(c, a) {
                    let outwards = (b - a).cross(c - a).dot(a) > 0.0;
                    let [i, j, k] = [i as u32, j as u32, k as u32];
                    triangles.push(if outwards { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    for _ in 0..times {
        let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut divided = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |i: u32, j: u32| {
                let key = if i < j { [i, j] } else { [j, i] };
                *middles.entry(key).or_insert_with(|| {
                    points.push(0.5 * (points[i as usize] + points[j as usize]));
                    let last = points.len() - 1;
                    points[last] = points[last].normalize() * points[i as usize].length();
                    last as u32
                })
            };
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            divided.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = divided;
    }
    Shape::mesh(points.into_iter().map(|p| (p.normalize() * r).to_array()), triangles)
}

fn mesh_inertia(solver: &str) -> Measured {
    let (mass, i) = properties(solver, box_mesh(Vec3::new(0.1, 0.2, 0.3)).density(1.0 / 0.048))?;
    let relative = |name, got, expected| Figure::relative(name, got, expected, 1e-12);
    let mut figures = vec![
        relative("mass of the box", mass, 1.0).unit("kg"),
        relative("Ixx of the box", i.xx, 0.52 / 12.0).unit("kg·m²"),
        relative("Iyy of the box", i.yy, 0.4 / 12.0).unit("kg·m²"),
        relative("Izz of the box", i.zz, 0.2 / 12.0).unit("kg·m²"),
    ];
    let ball = properties(solver, Shape::sphere(0.3))?.1.xx;
    let off = |times: u32| -> Result<f64, Trouble> {
        Ok((properties(solver, icosphere(0.3, times))?.1.xx / ball - 1.0).abs())
    };
    let errors = [off(3)?, off(4)?, off(5)?, off(6)?];
    for (k, pair) in errors.windows(2).enumerate() {
        let order = trig::ln(pair[0] / pair[1]) / trig::ln(2.0);
        figures.push(Figure::within(format!("order in the edge, divided {} times", k + 4), order, 2.0, 0.05));
    }
    figures.push(Figure::told("error of 81,920 triangles", errors[3]));
    Ok(figures)
}
