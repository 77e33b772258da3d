//! Shapes as faces.

use huygens::geometry::Shape;
use huygens::geometry::shape::{Hull, TriangleMesh};
use huygens_math::scalar::max;
use huygens_math::{Vec2, Vec3, trig};
use std::f64::consts::{PI, TAU};

/// Flat faces with the normal of the true surface at every corner, in the shape's frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Faces {
    pub points: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Corners of all faces, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
    /// Where each face ends in `corners`.
    pub ends: Vec<u32>,
}

/// What a shape looks like.
#[derive(Clone, Debug)]
pub(super) enum Look {
    /// A solid.
    Solid(Faces),
    /// A surface that is seen from both sides.
    Sheet(Faces),
    /// A container: its inner faces, of which those towards the eye are left out, and its edges.
    Inside(Faces, Vec<[Vec3; 2]>),
    /// The ground without end.
    Ground,
}

/// How finely round shapes are cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fineness {
    /// Faces around an axis.
    pub around: usize,
}

impl Faces {
    fn point(&mut self, point: Vec3, normal: Vec3) -> u32 {
        self.points.push(point);
        self.normals.push(normal);
        self.points.len() as u32 - 1
    }

    fn face(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len() as u32);
    }

    /// A flat face with corners of its own.
    fn flat(&mut self, corners: impl IntoIterator<Item = Vec3>, normal: Vec3) {
        let first = self.points.len() as u32;
        for corner in corners {
            self.point(corner, normal);
        }
        let corners: Vec<u32> = (first..self.points.len() as u32).collect();
        self.face(&corners);
    }

    /// The corners of each face.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| &self.corners[from as usize..*to as usize])
    }

    /// The same faces seen from the other side.
    fn turned_inside_out(mut self) -> Self {
        let mut from = 0;
        for end in &self.ends {
            self.corners[from..*end as usize].reverse();
            from = *end as usize;
        }
        self.normals.iter_mut().for_each(|normal| *normal = -*normal);
        self
    }
}

/// What `shape` looks like.
pub(super) fn look(shape: &Shape, fineness: Fineness) -> Look {
    let n = fineness.around;
    match shape {
        Shape::Sphere(s) => Look::Solid(round(Vec3::splat(s.radius), 0.0, n)),
        Shape::Capsule(s) => Look::Solid(round(Vec3::splat(s.radius), s.half_length, n)),
        Shape::Box(s) => Look::Solid(cuboid(s.half)),
        Shape::Cylinder(s) => Look::Solid(frustum([s.radius; 2], s.half_length, n)),
        Shape::Cone(s) => Look::Solid(frustum([s.radius, 0.0], s.half_length, n)),
        Shape::Ellipsoid(s) => Look::Solid(round(s.radii, 0.0, n)),
        Shape::Hull(s) => Look::Solid(hull(s)),
        Shape::Mesh(s) if s.enclosed().is_ok() => Look::Solid(mesh(s)),
        Shape::Mesh(s) => Look::Sheet(mesh(s)),
        Shape::HalfSpace => Look::Ground,
        Shape::Wall(s) => Look::Sheet(sheet(s.half)),
        Shape::BoxInside(s) => Look::Inside(cuboid(s.half).turned_inside_out(), box_edges(s.half)),
        Shape::CylinderInside(s) => {
            let faces = frustum([s.radius; 2], s.half_length, 2 * n).turned_inside_out();
            Look::Inside(faces, rims(s.radius, s.half_length, 2 * n))
        }
    }
}

fn corners(half: Vec3) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        Vec3::new(sign(1), sign(2), sign(4)) * half
    })
}

fn cuboid(half: Vec3) -> Faces {
    let p = corners(half);
    let mut faces = Faces::default();
    for (normal, quad) in [
        (Vec3::X, [1, 3, 7, 5]),
        (Vec3::NEG_X, [0, 4, 6, 2]),
        (Vec3::Y, [2, 6, 7, 3]),
        (Vec3::NEG_Y, [0, 1, 5, 4]),
        (Vec3::Z, [4, 5, 7, 6]),
        (Vec3::NEG_Z, [0, 2, 3, 1]),
    ] {
        faces.flat(quad.map(|i: usize| p[i]), normal);
    }
    faces
}

fn box_edges(half: Vec3) -> Vec<[Vec3; 2]> {
    let p = corners(half);
    let pairs = (0..8).flat_map(|i: usize| [1, 2, 4].map(|bit| (i, i | bit)));
    pairs.filter(|(i, j)| i != j).map(|(i, j)| [p[i], p[j]]).collect()
}

fn sheet(half: Vec2) -> Faces {
    let mut faces = Faces::default();
    let corner = |x: f64, y: f64| Vec3::new(x * half.x, y * half.y, 0.0);
    faces.flat([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], Vec3::Z);
    faces
}

/// The point at angle 2π i/n of the unit circle.
fn on_circle(i: usize, n: usize) -> Vec2 {
    let (sin, cos) = trig::sin_cos(TAU * (i % n) as f64 / n as f64);
    Vec2::new(cos, sin)
}

/// An ellipsoid, its halves moved apart along z by `half` each way: a ball, a capsule.
fn round(radii: Vec3, half: f64, n: usize) -> Faces {
    let mut faces = Faces::default();
    // An odd number of rings of faces has a band in the middle, which becomes the side of a capsule.
    let rings = (n / 2) | 1;
    let mut rows = Vec::with_capacity(rings + 1);
    for ring in 0..=rings {
        let (sin, cos) = trig::sin_cos(PI * ring as f64 / rings as f64);
        let shift = if 2 * ring < rings + 1 { half } else { -half };
        // The two rows beside the middle band of a capsule are its equators.
        let equator = half > 0.0 && (2 * ring + 1 == rings || 2 * ring == rings + 1);
        let (sin, cos) = if equator { (1.0, 0.0) } else { (sin, cos) };
        let row: Vec<u32> = (0..n)
            .map(|i| {
                let at = on_circle(i, n);
                let unit = Vec3::new(at.x * sin, at.y * sin, cos);
                let point = unit * radii + Vec3::Z * shift;
                faces.point(point, (unit / radii).normalize())
            })
            .collect();
        rows.push(row);
    }
    stitch(&mut faces, &rows, n);
    faces
}

/// A cylinder or, with radii that differ, a cut cone about z: radii at its foot and its top.
fn frustum(radii: [f64; 2], half: f64, n: usize) -> Faces {
    let mut faces = Faces::default();
    let slope = (radii[0] - radii[1]) / (2.0 * half);
    let ring = |z: f64, radius: f64, i: usize| (on_circle(i, n) * radius).extend(z);
    let rows: Vec<Vec<u32>> = [(half, radii[1]), (-half, radii[0])]
        .into_iter()
        .map(|(z, radius)| {
            let normal = |i: usize| on_circle(i, n).extend(slope).normalize();
            (0..n).map(|i| faces.point(ring(z, radius, i), normal(i))).collect()
        })
        .collect();
    stitch(&mut faces, &rows, n);
    if radii[1] > 0.0 {
        faces.flat((0..n).map(|i| ring(half, radii[1], i)), Vec3::Z);
    }
    faces.flat((0..n).rev().map(|i| ring(-half, radii[0], i)), Vec3::NEG_Z);
    faces
}

/// Faces between rows of points that run around z, from the top down.
fn stitch(faces: &mut Faces, rows: &[Vec<u32>], n: usize) {
    for pair in rows.windows(2) {
        for i in 0..n {
            let next = (i + 1) % n;
            faces.face(&[pair[0][i], pair[1][i], pair[1][next], pair[0][next]]);
        }
    }
}

fn rims(radius: f64, half: f64, n: usize) -> Vec<[Vec3; 2]> {
    let at = |i: usize, z: f64| (on_circle(i, n) * radius).extend(z);
    [-half, half].into_iter().flat_map(|z| (0..n).map(move |i| [at(i, z), at(i + 1, z)])).collect()
}

fn hull(hull: &Hull) -> Faces {
    let mut faces = Faces::default();
    for i in 0..hull.face_count() {
        let face = hull.face(i);
        faces.flat(face.vertices.iter().map(|v| hull.vertices()[*v as usize]), face.normal);
    }
    faces
}

fn mesh(mesh: &TriangleMesh) -> Faces {
    let mut faces = Faces::default();
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|i| mesh.vertices()[i as usize]);
        faces.flat([a, b, c], (b - a).cross(c - a).normalize_or(Vec3::Z));
    }
    faces
}

/// A thin rod between two points, for edges; it has no ends.
pub(super) fn rod(from: Vec3, to: Vec3, radius: f64) -> Faces {
    tube(&[(from, radius), (to, radius)], 6)
}

/// An arrow from a point along a vector; as thick as it is long allows.
pub(super) fn arrow(from: Vec3, along: Vec3, thickness: f64) -> Faces {
    let length = along.length();
    let unit = along / max(length, f64::MIN_POSITIVE);
    let head = if length < 5.0 * thickness { 0.6 * length } else { 3.0 * thickness };
    let neck = from + unit * (length - head);
    let wide = if length < 5.0 * thickness { 0.2 * length } else { thickness };
    tube(&[(from, 0.0), (from, 0.45 * wide), (neck, 0.45 * wide), (neck, wide), (from + along, 0.0)], 12)
}

/// A surface around a line: points of the line with radii.
fn tube(line: &[(Vec3, f64)], n: usize) -> Faces {
    let mut faces = Faces::default();
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return faces };
    let axis = (last.0 - first.0).normalize_or(Vec3::Z);
    let side = axis.any_orthonormal_vector();
    let other = axis.cross(side);
    for pair in line.windows(2) {
        let [(a, ra), (b, rb)] = [pair[0], pair[1]];
        let run = (b - a).dot(axis);
        for i in 0..n {
            let out = |i: usize| {
                let at = on_circle(i, n);
                side * at.x + other * at.y
            };
            let normal = |i: usize| (out(i) * run - axis * (rb - ra)).normalize_or(axis);
            let quad = [(a, ra, i), (a, ra, i + 1), (b, rb, i + 1), (b, rb, i)];
            let corners = quad.map(|(p, r, i)| faces.point(p + out(i) * r, normal(i)));
            faces.face(&corners);
        }
    }
    faces
}
