//! What a ray hits first.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | o, d | `origin`, `direction` | the ray o + t d, in the shape's frame |
//! | t | `toi` | time of impact, in lengths of d |
//!
//! Convex shapes are clipped: each face, side or slab gives an interval of t in which the ray is on its solid side,
//! and the ray enters at the largest lower end, if that lies below every upper end. Round sides take the nearest
//! approach to the axis first, t₀ = −o·d/d², and go half a chord back from there: no difference of large squares.

use crate::shape::{Capsule, CollisionShape, Cone, Cylinder, Hull, Wall};
use huygens_math::{Pose, Vec3};

/// Where a ray enters a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Time of impact: the hit is at origin + toi · direction.
    pub toi: f64,
    /// Unit normal of the surface, against the ray, in world axes.
    pub normal: Vec3,
    /// The point that is hit, in world axes [m].
    pub point: Vec3,
}

/// The first point of a placed shape on the ray from `origin` along `direction` (of any length), up to `max_toi`.
///
/// A ray that starts in the solid or on its surface hits at once: `toi` is 0 and the normal is against the ray (z when
/// the direction is zero). Half-space and insides are solid without end; a wall is hit from both sides.
pub fn ray_cast(
    shape: &CollisionShape,
    pose: &Pose,
    origin: Vec3,
    direction: Vec3,
    max_toi: f64,
) -> Option<RayHit> {
    let (o, d) = (pose.inverse_transform(origin), pose.inverse_rotate(direction));
    let entry = match shape {
        CollisionShape::Sphere(s) => round(Span::ALL, o, d, s.radius, |p| p).entry(),
        CollisionShape::Capsule(s) => capsule(s, o, d),
        CollisionShape::Box(s) => {
            slabs(Span::ALL, o, d, &[(Vec3::X, s.half.x), (Vec3::Y, s.half.y), (Vec3::Z, s.half.z)]).entry()
        }
        CollisionShape::Cylinder(s) => cylinder(s, o, d).entry(),
        CollisionShape::Cone(s) => cone(s, o, d),
        CollisionShape::Ellipsoid(s) => {
            match round(Span::ALL, o / s.radii, d / s.radii, 1.0, |p| p).entry() {
                // On the unit ball the normal is the place itself.
                Entry::At(toi, at) => Entry::At(toi, (at / s.radii).normalize_or(Vec3::Z)),
                other => other,
            }
        }
        CollisionShape::Hull(s) => hull(s, o, d).entry(),
        CollisionShape::Mesh(s) => {
            s.ray(o, d, max_toi).map_or(Entry::Never, |(toi, normal)| Entry::At(toi, normal))
        }
        CollisionShape::HalfSpace => Span::ALL.clip(o, d, Vec3::Z, 0.0).entry(),
        CollisionShape::Wall(s) => wall(s, o, d),
        CollisionShape::BoxInside(s) => {
            let inner =
                slabs(Span::ALL, o, d, &[(Vec3::X, s.half.x), (Vec3::Y, s.half.y), (Vec3::Z, s.half.z)]);
            inner.exit()
        }
        CollisionShape::CylinderInside(s) => {
            cylinder(&Cylinder { radius: s.radius, half_length: s.half_length }, o, d).exit()
        }
    };
    let (toi, normal) = match entry {
        Entry::Never => return None,
        Entry::Inside => (0.0, (-direction).normalize_or(Vec3::Z)),
        Entry::At(toi, normal) => (toi, pose.rotate(normal)),
    };
    (toi <= max_toi).then(|| RayHit { toi, normal, point: origin + direction * toi })
}

/// How a ray meets a solid.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Never,
    Inside,
    At(f64, Vec3),
}

/// The part of a ray that lies in some convex solid, with the outward normals at its ends.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: f64,
    from_normal: Vec3,
    to: f64,
    to_normal: Vec3,
}

impl Span {
    const ALL: Self =
        Self { from: f64::NEG_INFINITY, from_normal: Vec3::ZERO, to: f64::INFINITY, to_normal: Vec3::ZERO };
    const NONE: Self = Self { from: f64::INFINITY, to: f64::NEG_INFINITY, ..Self::ALL };

    fn enter(mut self, toi: f64, normal: Vec3) -> Self {
        if toi > self.from {
            (self.from, self.from_normal) = (toi, normal);
        }
        self
    }

    fn leave(mut self, toi: f64, normal: Vec3) -> Self {
        if toi < self.to {
            (self.to, self.to_normal) = (toi, normal);
        }
        self
    }

    /// What is left of it below the plane normal · x = offset.
    fn clip(self, o: Vec3, d: Vec3, normal: Vec3, offset: f64) -> Self {
        let above = normal.dot(o) - offset;
        let rate = normal.dot(d);
        if rate < 0.0 {
            self.enter(above / -rate, normal)
        } else if rate > 0.0 {
            self.leave(-above / rate, normal)
        } else if above > 0.0 {
            Self::NONE
        } else {
            self
        }
    }

    /// Where the ray enters the solid.
    fn entry(self) -> Entry {
        if self.from > self.to || self.to < 0.0 {
            Entry::Never
        } else if self.from <= 0.0 {
            Entry::Inside
        } else {
            Entry::At(self.from, self.from_normal)
        }
    }

    /// Where the ray enters the outside of the solid: at once unless it starts within.
    fn exit(self) -> Entry {
        if self.from > self.to || self.to < 0.0 || self.from > 0.0 {
            Entry::Inside
        } else if self.to == f64::INFINITY {
            Entry::Never
        } else {
            Entry::At(self.to, -self.to_normal)
        }
    }
}

/// What is left of a span between pairs of planes at ± half along unit axes.
fn slabs(span: Span, o: Vec3, d: Vec3, axes: &[(Vec3, f64)]) -> Span {
    axes.iter().fold(span, |s, &(axis, half)| s.clip(o, d, axis, half).clip(o, d, -axis, half))
}

/// What is left of a span within `radius` of the origin (`flatten` is the identity) or of an axis through it
/// (`flatten` removes what is along the axis).
fn round(span: Span, o: Vec3, d: Vec3, radius: f64, flatten: impl Fn(Vec3) -> Vec3) -> Span {
    let (across, along) = (flatten(o), flatten(d));
    let square = along.length_squared();
    if square == 0.0 {
        return if across.length_squared() <= radius * radius { span } else { Span::NONE };
    }
    let nearest = -across.dot(along) / square;
    let chord = (radius * radius - (across + along * nearest).length_squared()) / square;
    if chord < 0.0 {
        return Span::NONE;
    }
    let half = chord.sqrt();
    let normal = |toi: f64| (across + along * toi).normalize_or(Vec3::X);
    span.enter(nearest - half, normal(nearest - half)).leave(nearest + half, normal(nearest + half))
}

fn without_z(p: Vec3) -> Vec3 {
    Vec3::new(p.x, p.y, 0.0)
}

fn cylinder(s: &Cylinder, o: Vec3, d: Vec3) -> Span {
    slabs(round(Span::ALL, o, d, s.radius, without_z), o, d, &[(Vec3::Z, s.half_length)])
}

/// The union of a cylinder and two balls: the earliest entry of the three is the capsule's.
fn capsule(s: &Capsule, o: Vec3, d: Vec3) -> Entry {
    let end = Vec3::Z * s.half_length;
    let parts = [
        cylinder(&Cylinder { radius: s.radius, half_length: s.half_length }, o, d).entry(),
        round(Span::ALL, o - end, d, s.radius, |p| p).entry(),
        round(Span::ALL, o + end, d, s.radius, |p| p).entry(),
    ];
    parts.into_iter().fold(Entry::Never, |first, part| match (first, part) {
        (Entry::Inside, _) | (_, Entry::Inside) => Entry::Inside,
        (Entry::Never, other) | (other, Entry::Never) => other,
        (Entry::At(t, _), Entry::At(u, _)) => {
            if u < t {
                part
            } else {
                first
            }
        }
    })
}

/// The side is x² + y² = k²(L − z)², k = r/2L. Its solid below the tip is convex, so the ray is in it between two roots,
/// before the first or after the last, and the one point of each root that lies below the tip counts.
fn cone(s: &Cone, o: Vec3, d: Vec3) -> Entry {
    let k = s.radius / (2.0 * s.half_length);
    // From the tip, with the z axis scaled so that the side is x² + y² = z².
    let (p, v) = ((o - s.tip()) * Vec3::new(1.0, 1.0, k), d * Vec3::new(1.0, 1.0, k));
    let product = |a: Vec3, b: Vec3| a.x * b.x + a.y * b.y - a.z * b.z;
    let (a, b, c) = (product(v, v), product(p, v), product(p, p));
    let scale = v.length_squared();
    let normal = |t: f64| {
        let q = o - s.tip() + d * t;
        Vec3::new(q.x, q.y, -k * k * q.z).normalize_or(Vec3::Z)
    };
    let below = |t: f64| p.z + v.z * t <= 0.0;
    let mut span = Span::ALL.clip(o, d, Vec3::NEG_Z, s.half_length).clip(o, d, Vec3::Z, s.half_length);
    if scale == 0.0 {
        return if c <= 0.0 { span.entry() } else { Entry::Never };
    }
    if a.abs() <= 1e-14 * scale {
        // Along a line of the side: one root.
        if b == 0.0 {
            return if c <= 0.0 { span.entry() } else { Entry::Never };
        }
        let t = -0.5 * c / b;
        span = if b < 0.0 { span.enter(t, normal(t)) } else { span.leave(t, normal(t)) };
        return span.entry();
    }
    let root = b * b - a * c;
    if root < 0.0 {
        // Never on the surface of the double cone: all outside when it opens across the ray, all inside else.
        return if a > 0.0 { Entry::Never } else { span.entry() };
    }
    let root = root.sqrt();
    let q = if b < 0.0 { -b + root } else { -b - root };
    let (one, two) = (q / a, if q != 0.0 { c / q } else { -q / a });
    let (low, high) = if one < two { (one, two) } else { (two, one) };
    span = if a > 0.0 {
        if !below(0.5 * (low + high)) {
            return Entry::Never;
        }
        span.enter(low, normal(low)).leave(high, normal(high))
    } else if v.z < 0.0 {
        span.enter(high, normal(high))
    } else {
        span.leave(low, normal(low))
    };
    span.entry()
}

fn hull(s: &Hull, o: Vec3, d: Vec3) -> Span {
    (0..s.face_count()).fold(Span::ALL, |span, i| {
        let face = s.face(i);
        span.clip(o, d, face.normal, face.offset)
    })
}

fn wall(s: &Wall, o: Vec3, d: Vec3) -> Entry {
    let edges = [(Vec3::X, s.half.x), (Vec3::Y, s.half.y)];
    if o.z == 0.0 && d.z == 0.0 {
        // In its plane the wall is met at an edge.
        return slabs(Span::ALL, o, d, &edges).entry();
    }
    let toi = -o.z / d.z;
    let there = o + d * toi;
    if !(toi >= 0.0 && there.x.abs() <= s.half.x && there.y.abs() <= s.half.y) {
        return Entry::Never;
    }
    if o.z == 0.0 {
        return Entry::Inside;
    }
    Entry::At(toi, if o.z > 0.0 { Vec3::Z } else { Vec3::NEG_Z })
}
