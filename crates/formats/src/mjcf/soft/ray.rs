//! What a ray meets first, as MuJoCo's range finders see it: surfaces of geoms from both sides, planes from above alone.
//!
//! Each convex solid is an interval of t in which the ray o + t d is inside of it; the ray meets its beginning, or, from inside, its end.

use super::super::model::{Geom, GeomKind, HeightField, Model};
use huygens_dynamics::TreeKinematics;
use huygens_math::{Pose, Vec3, scalar};

/// Numbers below this are none.
const TINY: f64 = 1e-15;

/// Where a ray meets a surface: its distance and the normal that points out of the solid, in the frame of the question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub distance: f64,
    pub normal: Vec3,
}

/// A ray in some frame; `d` has unit length.
#[derive(Clone, Copy, Debug)]
struct Ray {
    o: Vec3,
    d: Vec3,
}

impl Ray {
    fn at(&self, t: f64) -> Vec3 {
        self.o + self.d * t
    }
}

/// The first geom on a ray in the world; those of `body` and invisible ones are passed.
pub(super) fn first_hit(
    model: &Model,
    kin: &TreeKinematics,
    from: Vec3,
    along: Vec3,
    body: usize,
) -> Option<Hit> {
    let mut first: Option<Hit> = None;
    for geom in model.geoms.iter().filter(|g| g.body != body && !g.invisible) {
        let pose = kin.world_from_link[geom.body] * geom.pose;
        let ray = Ray { o: pose.inverse_transform(from), d: pose.inverse_rotate(along) };
        let Some(hit) = meet(model, geom, &ray) else { continue };
        if first.is_none_or(|old| hit.distance < old.distance) {
            first = Some(Hit { normal: pose.rotate(hit.normal), ..hit });
        }
    }
    first
}

/// True for a point inside of a shape of a site.
pub(super) fn is_inside(kind: GeomKind, [a, b, c]: [f64; 3], pose: &Pose, point: Vec3) -> bool {
    let p = pose.inverse_transform(point);
    match kind {
        GeomKind::Sphere => p.length_squared() < a * a,
        GeomKind::Capsule => {
            let z = scalar::clamp(p.z, -b, b);
            (p - Vec3::Z * z).length_squared() < a * a
        }
        GeomKind::Ellipsoid => (p / Vec3::new(a, b, c)).length_squared() < 1.0,
        GeomKind::Cylinder => p.x * p.x + p.y * p.y < a * a && p.z.abs() < b,
        GeomKind::Box => p.x.abs() < a && p.y.abs() < b && p.z.abs() < c,
        _ => false,
    }
}

/// Beginning and end of the part of a ray that is inside of a solid, with the normals there.
#[derive(Clone, Copy, Debug)]
struct Inside {
    enter: Hit,
    leave: Hit,
}

impl Inside {
    /// The nearer end that is not behind the ray's start.
    fn first(self) -> Option<Hit> {
        [self.enter, self.leave].into_iter().find(|hit| hit.distance >= 0.0)
    }

    /// What is inside of both.
    fn and(self, other: Self) -> Option<Self> {
        let enter = if self.enter.distance > other.enter.distance { self.enter } else { other.enter };
        let leave = if self.leave.distance < other.leave.distance { self.leave } else { other.leave };
        (enter.distance <= leave.distance).then_some(Self { enter, leave })
    }

    /// From the first beginning to the last end: two parts of one convex solid.
    fn or(self, other: Self) -> Self {
        let enter = if self.enter.distance < other.enter.distance { self.enter } else { other.enter };
        let leave = if self.leave.distance > other.leave.distance { self.leave } else { other.leave };
        Self { enter, leave }
    }
}

fn meet(model: &Model, geom: &Geom, ray: &Ray) -> Option<Hit> {
    let [a, b, c] = geom.size;
    match geom.kind {
        GeomKind::Plane => plane(ray, [a, b]),
        GeomKind::Sphere => ball(ray, Vec3::ZERO, Vec3::splat(a)).and_then(Inside::first),
        GeomKind::Ellipsoid => ball(ray, Vec3::ZERO, Vec3::new(a, b, c)).and_then(Inside::first),
        GeomKind::Capsule => {
            let side = tube(ray, a).and_then(|tube| tube.and(slab(ray, Vec3::Z, b)?));
            let caps = [-b, b].map(|z| ball(ray, Vec3::Z * z, Vec3::splat(a)));
            [side, caps[0], caps[1]].into_iter().flatten().reduce(Inside::or).and_then(Inside::first)
        }
        GeomKind::Cylinder => tube(ray, a)?.and(slab(ray, Vec3::Z, b)?)?.first(),
        GeomKind::Box => block(ray, [a, b, c])?.first(),
        GeomKind::Mesh | GeomKind::Sdf => {
            let mesh = &model.meshes[geom.mesh?];
            let corner = |i: u32| mesh.vertices[i as usize];
            let hits = mesh.faces.iter().filter_map(|f| triangle(ray, f.map(corner)));
            hits.reduce(|old, new| if new.distance < old.distance { new } else { old })
        }
        GeomKind::HeightField => heights(ray, &model.hfields[geom.hfield?]),
    }
}

fn plane(ray: &Ray, half: [f64; 2]) -> Option<Hit> {
    if ray.d.z > -TINY {
        return None;
    }
    let distance = -ray.o.z / ray.d.z;
    let p = ray.at(distance);
    let within = |x: f64, half: f64| half <= 0.0 || x.abs() <= half;
    (distance >= 0.0 && within(p.x, half[0]) && within(p.y, half[1]))
        .then_some(Hit { distance, normal: Vec3::Z })
}

/// An ellipsoid about `center`.
fn ball(ray: &Ray, center: Vec3, radii: Vec3) -> Option<Inside> {
    let (o, d) = ((ray.o - center) / radii, ray.d / radii);
    let ends = roots(d.length_squared(), o.dot(d), o.length_squared() - 1.0)?;
    let [enter, leave] = ends.map(|distance| {
        let on = (o + d * distance) / radii;
        Hit { distance, normal: on.normalize_or(Vec3::Z) }
    });
    Some(Inside { enter, leave })
}

/// A cylinder without ends about z.
fn tube(ray: &Ray, radius: f64) -> Option<Inside> {
    let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
    let (o, d) = (flat(ray.o), flat(ray.d));
    let c = o.length_squared() - radius * radius;
    if d.length_squared() < TINY {
        let far = |distance| Hit { distance, normal: o.normalize_or(Vec3::X) };
        return (c <= 0.0).then_some(Inside { enter: far(f64::NEG_INFINITY), leave: far(f64::INFINITY) });
    }
    let ends = roots(d.length_squared(), o.dot(d), c)?;
    let [enter, leave] =
        ends.map(|distance| Hit { distance, normal: (o + d * distance).normalize_or(Vec3::X) });
    Some(Inside { enter, leave })
}

/// Roots of a t² + 2 b t + c, the smaller one first.
fn roots(a: f64, b: f64, c: f64) -> Option<[f64; 2]> {
    let det = b * b - a * c;
    if det < TINY {
        return None;
    }
    let root = det.sqrt();
    Some([(-b - root) / a, (-b + root) / a])
}

/// What is within `half` of the origin along an axis.
fn slab(ray: &Ray, axis: Vec3, half: f64) -> Option<Inside> {
    let (o, d) = (ray.o.dot(axis), ray.d.dot(axis));
    if d.abs() < TINY {
        let far = |distance| Hit { distance, normal: axis };
        let all = Inside { enter: far(f64::NEG_INFINITY), leave: far(f64::INFINITY) };
        return (o.abs() <= half).then_some(all);
    }
    let sign = if d > 0.0 { 1.0 } else { -1.0 };
    let side = |sign: f64| Hit { distance: (sign * half - o) / d, normal: axis * sign };
    Some(Inside { enter: side(-sign), leave: side(sign) })
}

fn block(ray: &Ray, half: [f64; 3]) -> Option<Inside> {
    slab(ray, Vec3::X, half[0])?.and(slab(ray, Vec3::Y, half[1])?)?.and(slab(ray, Vec3::Z, half[2])?)
}

/// A triangle from both sides.
fn triangle(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Option<Hit> {
    let (e, f) = (b - a, c - a);
    let normal = e.cross(f);
    let det = -ray.d.dot(normal);
    if det.abs() < TINY * normal.length() {
        return None;
    }
    let from = ray.o - a;
    let distance = from.dot(normal) / det;
    let turned = from.cross(ray.d);
    let (u, v) = (f.dot(turned) / det, -e.dot(turned) / det);
    let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    (distance >= 0.0 && inside).then(|| Hit { distance, normal: normal.normalize_or(Vec3::Z) })
}

/// A height field: its base, a block below z = 0; its surface, two triangles a cell; its four sides between them.
fn heights(ray: &Ray, field: &HeightField) -> Option<Hit> {
    let [x, y, top, base] = field.size;
    let low = Ray { o: ray.o + Vec3::Z * (base / 2.0), d: ray.d };
    let mut first = block(&low, [x, y, base / 2.0]).and_then(Inside::first);
    let mut take = |hit: Hit| {
        if first.is_none_or(|old| hit.distance < old.distance) {
            first = Some(hit);
        }
    };
    let high = Ray { o: ray.o - Vec3::Z * (top / 2.0), d: ray.d };
    let Some(span) = block(&high, [x, y, top / 2.0]) else { return first };
    let (dx, dy) = (2.0 * x / (field.columns - 1) as f64, 2.0 * y / (field.rows - 1) as f64);
    let corner = |c: usize, r: usize| {
        let z = field.elevation[r * field.columns + c] * top;
        Vec3::new(c as f64 * dx - x, r as f64 * dy - y, z)
    };
    let ends = [span.enter.distance, span.leave.distance].map(|t| ray.at(t));
    let cells = |p: f64, q: f64, half: f64, step: f64, count: usize| {
        let (low, high) = (scalar::min(p, q), scalar::max(p, q));
        let cell = |v: f64| ((v + half) / step).floor();
        let last = count - 2;
        let first = scalar::clamp(cell(low) - 1.0, 0.0, last as f64) as usize;
        first..=(scalar::clamp(cell(high) + 1.0, 0.0, last as f64) as usize)
    };
    for r in cells(ends[0].y, ends[1].y, y, dy, field.rows) {
        for c in cells(ends[0].x, ends[1].x, x, dx, field.columns) {
            let [a, b] = [corner(c, r), corner(c + 1, r + 1)];
            [[a, corner(c + 1, r), b], [a, b, corner(c, r + 1)]]
                .into_iter()
                .filter_map(|t| triangle(ray, t))
                .for_each(&mut take);
        }
    }
    // A side is met where the ray is below the profile there.
    for hit in
        [span.enter, span.leave].into_iter().filter(|hit| hit.distance >= 0.0 && hit.normal.z.abs() < 0.5)
    {
        let p = ray.at(hit.distance);
        let along_x = hit.normal.y.abs() > 0.5;
        let (place, count, step) =
            if along_x { (p.x + x, field.columns, dx) } else { (p.y + y, field.rows, dy) };
        let cell = scalar::clamp((place / step).floor(), 0.0, (count - 2) as f64) as usize;
        let share = place / step - cell as f64;
        let edge = |k: usize| match along_x {
            true => corner(k, if hit.normal.y > 0.0 { field.rows - 1 } else { 0 }).z,
            false => corner(if hit.normal.x > 0.0 { field.columns - 1 } else { 0 }, k).z,
        };
        if p.z < edge(cell) * (1.0 - share) + edge(cell + 1) * share {
            take(hit);
        }
    }
    first
}
