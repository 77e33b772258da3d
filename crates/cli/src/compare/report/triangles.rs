//! Triangles to draw a shape with, in the shape's own frame. A new kind of shape is an arm of [`triangles`].
//!
//! Bodies of revolution are one outline, turned about z: points (r, z) with the normal of the surface there. A corner of the
//! outline stands twice, with the normals of its two sides.

use huygens::geometry::Shape;
use huygens::geometry::shape::Hull;
use huygens::math::trig::sin_cos;
use huygens::math::{Vec2, Vec3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Triangles with a normal at every corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Corners [m].
    pub points: Vec<Vec3>,
    /// Outward unit normals.
    pub normals: Vec<Vec3>,
    /// Three corners each, counter-clockwise seen from outside.
    pub indices: Vec<[u32; 3]>,
    /// Seen from within: what lies between the viewer and the inside is not drawn.
    pub inside: bool,
}

/// How fine and how far.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// Parts of a full turn.
    pub parts: u32,
    /// Half the edge of the square that stands for an endless plane [m].
    pub reach: f64,
}

/// One point of an outline: radius, height, and the normal's two parts.
type Ring = (f64, f64, [f64; 2]);

/// The surface of a shape.
pub fn triangles(shape: &Shape, drawing: Drawing) -> Triangles {
    let parts = drawing.parts;
    match shape {
        Shape::Sphere(ball) => revolve(&round(ball.radius, 0.0, parts), parts),
        Shape::Capsule(rod) => revolve(&round(rod.radius, rod.half_length, parts), parts),
        Shape::Cylinder(can) => revolve(&straight(can.radius, can.half_length), parts),
        Shape::Box(block) => cuboid(block.half),
        Shape::Hull(hull) => polyhedron(hull),
        Shape::Cone(cone) => revolve(&pointed(cone.radius, cone.half_length), parts),
        Shape::Ellipsoid(egg) => stretched(revolve(&round(1.0, 0.0, parts), parts), egg.radii),
        Shape::Mesh(mesh) => soup(mesh.vertices(), mesh.triangles()),
        Shape::HalfSpace => square(Vec2::splat(drawing.reach)),
        Shape::Wall(wall) => square(wall.half),
        Shape::BoxInside(room) => Triangles { inside: true, ..cuboid(room.half) },
        Shape::CylinderInside(drum) => {
            Triangles { inside: true, ..revolve(&straight(drum.radius, drum.half_length), parts) }
        }
    }
}

/// The outline of a ball, or of one that is cut in two halves and moved apart by twice `half_length`.
fn round(radius: f64, half_length: f64, parts: u32) -> Vec<Ring> {
    let rings = (parts / 4).max(2);
    let arc = |from: f64, z: f64| {
        (0..=rings).map(move |i| {
            let (sin, cos) = sin_cos(from + FRAC_PI_2 * f64::from(i) / f64::from(rings));
            // The cosine of π/2 is a rounding error away from zero; a pole is one point.
            let r = if cos < 1e-12 { 0.0 } else { radius * cos };
            (r, z + radius * sin, [cos, sin])
        })
    };
    arc(-FRAC_PI_2, -half_length).chain(arc(0.0, half_length)).collect()
}

/// The outline of a cone, its tip up.
fn pointed(radius: f64, half_length: f64) -> Vec<Ring> {
    let slope = Vec2::new(2.0 * half_length, radius).normalize().to_array();
    let base = |r: f64, normal: [f64; 2]| (r, -half_length, normal);
    vec![base(0.0, [0.0, -1.0]), base(radius, [0.0, -1.0]), base(radius, slope), (0.0, half_length, slope)]
}

/// A surface stretched along the axes.
fn stretched(mut surface: Triangles, factors: Vec3) -> Triangles {
    surface.points.iter_mut().for_each(|point| *point *= factors);
    surface.normals.iter_mut().for_each(|normal| *normal = (*normal / factors).normalize());
    surface
}

/// Triangles as they are, each flat.
fn soup(points: &[Vec3], triangles: &[[u32; 3]]) -> Triangles {
    let mut surface = Triangles::default();
    for corners in triangles {
        let [a, b, c] = corners.map(|i| points[i as usize]);
        surface.face([a, b, c], (b - a).cross(c - a).normalize_or_zero());
    }
    surface
}

/// The outline of a cylinder.
fn straight(radius: f64, half_length: f64) -> Vec<Ring> {
    let (r, h) = (radius, half_length);
    vec![
        (0.0, -h, [0.0, -1.0]),
        (r, -h, [0.0, -1.0]),
        (r, -h, [1.0, 0.0]),
        (r, h, [1.0, 0.0]),
        (r, h, [0.0, 1.0]),
        (0.0, h, [0.0, 1.0]),
    ]
}

/// An outline from low to high, turned about z.
fn revolve(outline: &[Ring], parts: u32) -> Triangles {
    let mut surface = Triangles::default();
    for (r, z, [nr, nz]) in outline {
        for i in 0..=parts {
            let (sin, cos) = sin_cos(TAU * f64::from(i) / f64::from(parts));
            surface.points.push(Vec3::new(r * cos, r * sin, *z));
            surface.normals.push(Vec3::new(nr * cos, nr * sin, *nz));
        }
    }
    let wide = parts + 1;
    for ring in 0..outline.len() as u32 - 1 {
        for i in 0..parts {
            let [a, b] = [ring * wide + i, ring * wide + i + 1];
            let [c, d] = [a + wide, b + wide];
            for corners in [[a, b, d], [a, d, c]] {
                // At a pole, and where the outline turns a corner, nothing is between two of them.
                let [p, q, r] = corners.map(|i| surface.points[i as usize]);
                if p != q && q != r && r != p {
                    surface.indices.push(corners);
                }
            }
        }
    }
    surface
}

fn cuboid(half: Vec3) -> Triangles {
    let mut surface = Triangles::default();
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    for k in 0..3 {
        for sign in [-1.0, 1.0] {
            let normal = sign * axes[k];
            let (u, v) = (axes[(k + 1) % 3], sign * axes[(k + 2) % 3]);
            surface.face([u + v, v - u, -u - v, u - v].map(|corner| (normal + corner) * half), normal);
        }
    }
    surface
}

fn square(half: Vec2) -> Triangles {
    let mut surface = Triangles::default();
    let corner = |x: f64, y: f64| Vec3::new(x * half.x, y * half.y, 0.0);
    surface.face([corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)], Vec3::Z);
    surface
}

fn polyhedron(hull: &Hull) -> Triangles {
    let mut surface = Triangles::default();
    for i in 0..hull.face_count() {
        let face = hull.face(i);
        surface.face(face.vertices.iter().map(|v| hull.vertices()[*v as usize]), face.normal);
    }
    surface
}

impl Triangles {
    /// Adds a flat convex face, its corners counter-clockwise.
    fn face(&mut self, corners: impl IntoIterator<Item = Vec3>, normal: Vec3) {
        let first = self.points.len() as u32;
        self.points.extend(corners);
        self.normals.resize(self.points.len(), normal);
        let last = self.points.len() as u32;
        self.indices.extend((first + 1..last.saturating_sub(1)).map(|i| [first, i, i + 1]));
    }
}

/// Parts of a full turn that look round with that many different shapes in one page.
pub fn parts(different: usize) -> u32 {
    if different > 200 {
        12
    } else if different > 40 {
        24
    } else {
        40
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: Drawing = Drawing { parts: 64, reach: 5.0 };

    fn shapes() -> Vec<Shape> {
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 0.0, 2.0]];
        vec![
            Shape::sphere(0.7).unwrap(),
            Shape::capsule(0.3, 1.2).unwrap(),
            Shape::cylinder(0.4, 1.0).unwrap(),
            Shape::cuboid(Vec3::new(0.4, 0.6, 1.0)).unwrap(),
            Shape::cone(0.4, 1.0).unwrap(),
            Shape::ellipsoid(Vec3::new(0.3, 0.5, 0.8)).unwrap(),
            Shape::hull(&corners.map(Vec3::from)).unwrap(),
        ]
    }

    /// Volume of a closed surface whose triangles look outwards: Σ a·(b×c)/6.
    fn volume(surface: &Triangles) -> f64 {
        let corner = |i: u32| surface.points[i as usize];
        surface.indices.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
    }

    #[test]
    fn a_surface_encloses_the_volume_of_its_shape() {
        for shape in shapes() {
            let exact = shape.mass_properties(1.0).unwrap().mass;
            // With parts of δ radians chords cut off δ²/6 of a disc, and those of a ball's outline δ²/4 more.
            let delta = TAU / f64::from(FINE.parts);
            let share = volume(&triangles(&shape, FINE)) / exact;
            let least = 1.0 - 0.42 * delta * delta;
            assert!((least..1.000_001).contains(&share), "{}: {share}", shape.kind());
        }
    }

    #[test]
    fn normals_are_unit_vectors_on_the_side_of_their_triangles() {
        for shape in shapes() {
            let surface = triangles(&shape, FINE);
            assert_eq!(surface.points.len(), surface.normals.len());
            for t in &surface.indices {
                let [a, b, c] = t.map(|i| surface.points[i as usize]);
                let flat = (b - a).cross(c - a);
                for i in t {
                    let normal = surface.normals[*i as usize];
                    assert!((normal.length() - 1.0).abs() < 1e-12);
                    assert!(flat.dot(normal) > 0.0, "{}", shape.kind());
                }
            }
        }
    }

    #[test]
    fn planes_and_insides_are_drawn() {
        assert_eq!(triangles(&Shape::HalfSpace, FINE).indices.len(), 2);
        let room = triangles(&Shape::box_inside(Vec3::ONE).unwrap(), FINE);
        assert!(room.inside && room.indices.len() == 12);
        assert!(triangles(&Shape::cylinder_inside(1.0, 1.0).unwrap(), FINE).inside);
        assert_eq!(triangles(&Shape::wall(Vec2::ONE).unwrap(), FINE).indices.len(), 2);
    }
}
