//! Surfaces of shapes as flat faces and as lines: what pictures, reports and debug drawing show.
//!
//! A body of revolution is one outline turned about z: points (r, z) with the normal of the surface there. A corner of the outline
//! stands twice, with the normals of its two sides.

use crate::shape::{Hull, TriangleMesh};
use crate::{Aabb, CollisionShape};
use huygens_math::trig::sin_cos;
use huygens_math::{Vec2, Vec3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// From where a surface is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// A solid, from outside.
    #[default]
    Outside,
    /// A sheet, from both sides.
    Both,
    /// A container, from inside: its normals look inwards.
    Inside,
}

/// A surface in the frame of its shape: flat faces, with the normal of the true surface at every corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners [m].
    pub points: Vec<Vec3>,
    /// Unit normals at the corners, towards where it is seen from.
    pub normals: Vec<Vec3>,
    /// Corners of all faces, counter-clockwise as they are seen.
    pub corners: Vec<u32>,
    /// Where each face ends in `corners`.
    pub ends: Vec<u32>,
    /// From where it is seen.
    pub seen: Seen,
}

/// How fine and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// Faces around an axis.
    pub around: usize,
    /// Half the edge of the square that stands for an endless plane [m].
    pub reach: f64,
}

/// One point of an outline: radius, height, and the two parts of the normal.
type Ring = (f64, f64, [f64; 2]);

impl Surface {
    /// The surface of a shape.
    pub fn of(shape: &CollisionShape, fineness: Fineness) -> Self {
        let n = fineness.around;
        match shape {
            CollisionShape::Sphere(ball) => revolved(&round(ball.radius, 0.0, n), n),
            CollisionShape::Capsule(rod) => revolved(&round(rod.radius, rod.half_length, n), n),
            CollisionShape::Cylinder(can) => revolved(&straight(can.radius, can.half_length), n),
            CollisionShape::Cone(cone) => revolved(&pointed(cone.radius, cone.half_length), n),
            CollisionShape::Ellipsoid(egg) => stretched(revolved(&round(1.0, 0.0, n), n), egg.radii),
            CollisionShape::Box(block) => cuboid(block.half),
            CollisionShape::Hull(hull) => polyhedron(hull),
            CollisionShape::Mesh(mesh) => triangles(mesh),
            CollisionShape::HalfSpace => Self { seen: Seen::Outside, ..square(Vec2::splat(fineness.reach)) },
            CollisionShape::Wall(wall) => square(wall.half),
            CollisionShape::BoxInside(room) => cuboid(room.half).turned_inside_out(),
            CollisionShape::CylinderInside(drum) => {
                revolved(&straight(drum.radius, drum.half_length), 2 * n).turned_inside_out()
            }
        }
    }

    /// The corners of each face.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| &self.corners[from as usize..*to as usize])
    }

    /// The faces cut into triangles.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.faces().flat_map(|face| (2..face.len()).map(move |i| [face[0], face[i - 1], face[i]]))
    }

    /// A corner; its number.
    pub fn point(&mut self, point: Vec3, normal: Vec3) -> u32 {
        self.points.push(point);
        self.normals.push(normal);
        self.points.len() as u32 - 1
    }

    /// A face of corners that are there already.
    pub fn face(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len() as u32);
    }

    /// A flat face with corners of its own.
    pub fn flat(&mut self, corners: impl IntoIterator<Item = Vec3>, normal: Vec3) {
        let first = self.points.len() as u32;
        for corner in corners {
            self.point(corner, normal);
        }
        let corners: Vec<u32> = (first..self.points.len() as u32).collect();
        self.face(&corners);
    }

    fn turned_inside_out(mut self) -> Self {
        let mut from = 0;
        for end in &self.ends {
            self.corners[from..*end as usize].reverse();
            from = *end as usize;
        }
        self.normals.iter_mut().for_each(|normal| *normal = -*normal);
        Self { seen: Seen::Inside, ..self }
    }
}

/// The outline of a ball, or of one that is cut in two halves and moved apart by twice `half_length`.
fn round(radius: f64, half_length: f64, around: usize) -> Vec<Ring> {
    let rings = (around / 4).max(2);
    let arc = |from: f64, z: f64| {
        (0..=rings).map(move |i| {
            let (sin, cos) = sin_cos(from + FRAC_PI_2 * i as f64 / rings as f64);
            // The cosine of π/2 is a rounding error away from zero; a pole is one point.
            let r = if cos < 1e-12 { 0.0 } else { radius * cos };
            (r, z + radius * sin, [cos, sin])
        })
    };
    let skip = usize::from(half_length == 0.0);
    arc(-FRAC_PI_2, -half_length).chain(arc(0.0, half_length).skip(skip)).collect()
}

/// The outline of a cone, its tip up.
fn pointed(radius: f64, half_length: f64) -> Vec<Ring> {
    let slope = Vec2::new(2.0 * half_length, radius).normalize().to_array();
    let base = |r: f64, normal: [f64; 2]| (r, -half_length, normal);
    vec![base(0.0, [0.0, -1.0]), base(radius, [0.0, -1.0]), base(radius, slope), (0.0, half_length, slope)]
}

/// The outline of a cylinder.
fn straight(radius: f64, half_length: f64) -> Vec<Ring> {
    let (r, h) = (radius, half_length);
    let (down, out, up) = ([0.0, -1.0], [1.0, 0.0], [0.0, 1.0]);
    vec![(0.0, -h, down), (r, -h, down), (r, -h, out), (r, h, out), (r, h, up), (0.0, h, up)]
}

/// An outline from low to high, turned about z. A level part at the axis is one face.
fn revolved(outline: &[Ring], around: usize) -> Surface {
    let mut surface = Surface::default();
    let on_circle = |i: usize| {
        let (sin, cos) = sin_cos(TAU * (i % around) as f64 / around as f64);
        Vec2::new(cos, sin)
    };
    let ring = |surface: &mut Surface, (r, z, [nr, nz]): Ring| -> Vec<u32> {
        let corner = |i: usize| ((on_circle(i) * r).extend(z), (on_circle(i) * nr).extend(nz));
        (0..around).map(corner).map(|(point, normal)| surface.point(point, normal)).collect()
    };
    for pair in outline.windows(2) {
        let [low, high] = [pair[0], pair[1]];
        if low.0 == high.0 && low.1 == high.1 {
            // The outline turns a corner: nothing is between the two.
            continue;
        }
        if low.1 == high.1 {
            // A cap: from the axis out at the bottom, inwards at the top.
            let rim = ring(&mut surface, if low.0 > high.0 { low } else { high });
            let face: Vec<u32> = if low.0 > high.0 { rim } else { rim.into_iter().rev().collect() };
            surface.face(&face);
            continue;
        }
        let rows = [ring(&mut surface, low), ring(&mut surface, high)];
        for i in 0..around {
            let next = (i + 1) % around;
            let corners = [rows[0][i], rows[0][next], rows[1][next], rows[1][i]];
            match (low.0 == 0.0, high.0 == 0.0) {
                (true, _) => surface.face(&[corners[0], corners[2], corners[3]]),
                (_, true) => surface.face(&corners[..3]),
                _ => surface.face(&corners),
            }
        }
    }
    surface
}

/// A surface stretched along the axes.
fn stretched(mut surface: Surface, factors: Vec3) -> Surface {
    surface.points.iter_mut().for_each(|point| *point *= factors);
    surface.normals.iter_mut().for_each(|normal| *normal = (*normal / factors).normalize());
    surface
}

fn cuboid(half: Vec3) -> Surface {
    let mut surface = Surface::default();
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    for k in 0..3 {
        for sign in [-1.0, 1.0] {
            let normal = sign * axes[k];
            let (u, v) = (axes[(k + 1) % 3], sign * axes[(k + 2) % 3]);
            surface.flat([u + v, v - u, -u - v, u - v].map(|corner| (normal + corner) * half), normal);
        }
    }
    surface
}

fn square(half: Vec2) -> Surface {
    let mut surface = Surface { seen: Seen::Both, ..Surface::default() };
    let corner = |x: f64, y: f64| Vec3::new(x * half.x, y * half.y, 0.0);
    surface.flat([corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)], Vec3::Z);
    surface
}

fn polyhedron(hull: &Hull) -> Surface {
    let mut surface = Surface::default();
    for i in 0..hull.face_count() {
        let face = hull.face(i);
        surface.flat(face.vertices.iter().map(|v| hull.vertices()[*v as usize]), face.normal);
    }
    surface
}

fn triangles(mesh: &TriangleMesh) -> Surface {
    let seen = if mesh.enclosed().is_ok() { Seen::Outside } else { Seen::Both };
    let mut surface = Surface { seen, ..Surface::default() };
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|i| mesh.vertices()[i as usize]);
        surface.flat([a, b, c], (b - a).cross(c - a).normalize_or(Vec3::Z));
    }
    surface
}

/// The lines by which a shape is known: edges of solids with corners, circles of round ones.
pub fn wires(shape: &CollisionShape, fineness: Fineness) -> Vec<[Vec3; 2]> {
    let mut wires = Wires { lines: Vec::new(), around: fineness.around };
    match shape {
        CollisionShape::Sphere(ball) => wires.rounded(ball.radius, 0.0),
        CollisionShape::Capsule(rod) => wires.rounded(rod.radius, rod.half_length),
        CollisionShape::Box(block) => wires.bounds(&Aabb::from_center(Vec3::ZERO, block.half)),
        CollisionShape::BoxInside(room) => wires.bounds(&Aabb::from_center(Vec3::ZERO, room.half)),
        CollisionShape::Cylinder(can) => wires.tube(can.radius, can.half_length),
        CollisionShape::CylinderInside(drum) => wires.tube(drum.radius, drum.half_length),
        CollisionShape::Cone(cone) => wires.cone(cone.radius, cone.half_length),
        CollisionShape::Ellipsoid(egg) => wires.ellipsoid(egg.radii),
        CollisionShape::Mesh(mesh) => {
            // An edge between two triangles is drawn twice: to know it, all would have to be searched.
            for t in mesh.triangles() {
                let p = t.map(|i| mesh.vertices()[i as usize]);
                wires.lines.extend((0..3).map(|k| [p[k], p[(k + 1) % 3]]));
            }
        }
        CollisionShape::Hull(hull) => {
            let vertices = hull.vertices();
            wires.lines.extend(hull.edges().iter().map(|edge| edge.map(|i| vertices[i as usize])));
        }
        // A piece of the plane; where it is does not matter, since it goes on.
        CollisionShape::HalfSpace => wires.sheet(Vec2::splat(fineness.reach)),
        CollisionShape::Wall(wall) => wires.sheet(wall.half),
    }
    wires.lines
}

/// The twelve edges of a box.
pub fn box_edges(aabb: &Aabb) -> Vec<[Vec3; 2]> {
    let mut wires = Wires { lines: Vec::new(), around: 0 };
    wires.bounds(aabb);
    wires.lines
}

struct Wires {
    lines: Vec<[Vec3; 2]>,
    around: usize,
}

impl Wires {
    fn bounds(&mut self, aabb: &Aabb) {
        let corner = |i: usize| {
            let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
            Vec3::new(
                pick(1, aabb.min.x, aabb.max.x),
                pick(2, aabb.min.y, aabb.max.y),
                pick(4, aabb.min.z, aabb.max.z),
            )
        };
        for i in 0..8 {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    self.lines.push([corner(i), corner(i | bit)]);
                }
            }
        }
    }

    /// A rectangle with its diagonals.
    fn sheet(&mut self, half: Vec2) {
        let corner = |x: f64, y: f64| Vec3::new(x * half.x, y * half.y, 0.0);
        let p = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        self.lines.extend([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)].map(|(a, b)| [p[a], p[b]]));
    }

    /// Part of the circle center + a cos θ + b sin θ, `from` and `to` in turns.
    fn arc(&mut self, center: Vec3, [a, b]: [Vec3; 2], [from, to]: [f64; 2]) {
        let around = self.around;
        let at = |i: usize| {
            let share = from + (to - from) * i as f64 / around as f64;
            let (sin, cos) = sin_cos(TAU * share);
            center + a * cos + b * sin
        };
        self.lines.extend((0..around).map(|i| [at(i), at(i + 1)]));
    }

    /// A ball whose halves are moved apart along z.
    fn rounded(&mut self, radius: f64, half: f64) {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * radius);
        for side in [1.0, -1.0] {
            let end = Vec3::Z * (side * half);
            self.arc(end, [x, y], [0.0, 1.0]);
            self.arc(end, [x, z * side], [0.0, 0.5]);
            self.arc(end, [y, z * side], [0.0, 0.5]);
        }
        if half > 0.0 {
            self.sides(radius, half);
        }
    }

    fn tube(&mut self, radius: f64, half: f64) {
        for z in [-half, half] {
            self.arc(Vec3::Z * z, [Vec3::X * radius, Vec3::Y * radius], [0.0, 1.0]);
        }
        self.sides(radius, half);
    }

    fn cone(&mut self, radius: f64, half: f64) {
        self.arc(Vec3::Z * -half, [Vec3::X * radius, Vec3::Y * radius], [0.0, 1.0]);
        for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
            self.lines.push([side * radius - Vec3::Z * half, Vec3::Z * half]);
        }
    }

    /// Its three main sections.
    fn ellipsoid(&mut self, radii: Vec3) {
        let [x, y, z] = [Vec3::X * radii.x, Vec3::Y * radii.y, Vec3::Z * radii.z];
        for pair in [[x, y], [y, z], [z, x]] {
            self.arc(Vec3::ZERO, pair, [0.0, 1.0]);
        }
    }

    fn sides(&mut self, radius: f64, half: f64) {
        for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
            self.lines.push([side * radius - Vec3::Z * half, side * radius + Vec3::Z * half]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: Fineness = Fineness { around: 64, reach: 5.0 };

    fn solids() -> Vec<CollisionShape> {
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [0.0, 0.0, 2.0]];
        vec![
            CollisionShape::sphere(0.7).unwrap(),
            CollisionShape::capsule(0.3, 1.2).unwrap(),
            CollisionShape::cylinder(0.4, 1.0).unwrap(),
            CollisionShape::cuboid(Vec3::new(0.4, 0.6, 1.0)).unwrap(),
            CollisionShape::cone(0.4, 1.0).unwrap(),
            CollisionShape::ellipsoid(Vec3::new(0.3, 0.5, 0.8)).unwrap(),
            CollisionShape::hull(&corners.map(Vec3::from)).unwrap(),
        ]
    }

    /// Volume of a closed surface whose triangles look outwards: Σ a·(b×c)/6.
    fn volume(surface: &Surface) -> f64 {
        let corner = |i: u32| surface.points[i as usize];
        surface.triangles().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
    }

    #[test]
    fn a_surface_encloses_the_volume_of_its_shape() {
        for shape in solids() {
            let exact = shape.mass_properties(1.0).unwrap().mass;
            // With parts of δ radians chords cut off δ²/6 of a disc, and those of a ball's outline δ²/4 more.
            let delta = TAU / FINE.around as f64;
            let share = volume(&Surface::of(&shape, FINE)) / exact;
            let least = 1.0 - 0.42 * delta * delta;
            assert!((least..1.000_001).contains(&share), "{}: {share}", shape.kind());
        }
        let room = CollisionShape::box_inside(Vec3::ONE).unwrap();
        assert!((volume(&Surface::of(&room, FINE)) + 1.0).abs() < 1e-12, "a container is seen from inside");
    }

    #[test]
    fn normals_are_unit_vectors_on_the_side_of_their_triangles() {
        let mut shapes = solids();
        shapes.push(CollisionShape::cylinder_inside(1.0, 1.0).unwrap());
        shapes.push(CollisionShape::HalfSpace);
        for shape in shapes {
            let surface = Surface::of(&shape, FINE);
            assert_eq!(surface.points.len(), surface.normals.len());
            for t in surface.triangles() {
                let [a, b, c] = t.map(|i| surface.points[i as usize]);
                let flat = (b - a).cross(c - a);
                for i in t {
                    let normal = surface.normals[i as usize];
                    assert!((normal.length() - 1.0).abs() < 1e-12);
                    assert!(flat.dot(normal) > 0.0, "{}", shape.kind());
                }
            }
        }
    }

    #[test]
    fn planes_sheets_and_containers_say_from_where_they_are_seen() {
        let seen = |shape: &CollisionShape| Surface::of(shape, FINE).seen;
        assert_eq!(seen(&CollisionShape::HalfSpace), Seen::Outside);
        assert_eq!(seen(&CollisionShape::wall(Vec2::ONE).unwrap()), Seen::Both);
        assert_eq!(seen(&CollisionShape::box_inside(Vec3::ONE).unwrap()), Seen::Inside);
        assert_eq!(Surface::of(&CollisionShape::HalfSpace, FINE).triangles().count(), 2);
        assert_eq!(wires(&CollisionShape::cuboid(Vec3::ONE).unwrap(), FINE).len(), 12);
    }
}
