//! When two shapes that both move and turn first touch: conservative advancement.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | v, a, ω | `velocity`, `acceleration`, `spin` | of the point about which a shape turns, and its spin, constant world vectors | m/s, m/s², rad/s |
//! | R | `reach` | largest distance of a point of the shape from that point | m |
//! | n | `normal` | unit normal of the separation, from B to A | – |
//! | g | `gap` | signed distance | m |
//!
//! | d | `depth` | overlap that does not count yet | m |
//!
//! **Two convex shapes.** A plane between them with the normal n stays between them for a time δ as long as g + d > c δ + ½ α δ², where
//! c = −n·(v_A − v_B) + |n × ω_A| R_A + |n × ω_B| R_B bounds how fast the shapes close along n now, and α = max(−n·(a_A − a_B), 0) how that grows.
//! So the shapes do not touch before the δ at which the two sides are equal. That bound has the farthest point of each shape, and turning shapes
//! would come nearer in small steps. So the gap along n is also looked at at the end of an interval: along a fixed normal each point of a shape has
//! a second derivative of at most α = max(n·(a_A − a_B), 0) + |ω_A|² R_A + |ω_B|² R_B, so between gaps g₀ and g₁ at both ends of an interval of length
//! l there is at least g₀ + (g₁ − g₀)x − ½αl²x(1 − x) after a share x of it. The search goes on from the first zero of that. Of a mesh each triangle
//! that the motion can come to is such a shape.
//!
//! **Half-spaces and insides.** The gap is the least of n·(x − x₀) over all points x of the shape and all planes of the boundary, and each of these has a
//! second derivative of at most α = |a_A − a_B| + |ω_A|² R_A + 2|ω_B|(|v_A − v_B| + |ω_A| R_A) + |ω_B|² R_B. So g − ½αt² is concave, and between two
//! times with the gaps g₀ and g₁ the gap is at least that of the chord less ½α(t − t₀)(t₁ − t): intervals that this clears are
//! done, the others are halved, the earlier half first. No slide along a curved wall takes it more than some halvings.

use super::cast::touch_of;
use super::convex::{Convex, Solid};
use super::mesh::bounds;
use super::pair::{apart_along, least_along, solid_separation};
use crate::Aabb;
use crate::gjk::{self, Separation};
use crate::shape::{CollisionShape, TriangleMesh};
use crate::support::{Support, Triangle};
use huygens_math::scalar::{max, min};
use huygens_math::{Pose, Vec3, trig};

/// Most advances of two convex shapes. Shapes that graze need some v h/g of them.
const MAX_STEPS: usize = 512;

/// Most intervals that are tried from one moment on.
const MAX_LENGTHS: usize = 4;

/// Turn until a touch that a search which is not exact may leave out [rad].
const COVERED_TURN: f64 = 0.04;

/// Gap that counts as a touch for it, as a share of the motion that it covers.
const GRAZING: f64 = 1e-3;

/// Share of the duration by which such a search may be late.
const LATE: f64 = 0.01;

/// Most halvings of the duration: an interval this short is a moment.
const MAX_HALVINGS: usize = 48;

/// Moments at which two shapes are looked at before the earliest that is not clear counts as the touch: a body that turns a million times in a
/// step has no last one.
const MAX_LOOKS: usize = 4096;

/// How a shape moves: its centre on a parabola, and about it a turn with a constant spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Pose of the shape at time zero.
    pub pose: Pose,
    /// The point that it turns about at time zero, in world axes [m].
    pub center: Vec3,
    /// Velocity of that point at time zero [m/s].
    pub velocity: Vec3,
    /// Acceleration of that point [m/s²].
    pub acceleration: Vec3,
    /// Spin [rad/s].
    pub spin: Vec3,
}

impl Motion {
    /// A shape that stays where it is.
    pub const fn at_rest(pose: Pose) -> Self {
        Self {
            center: pose.translation,
            pose,
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            spin: Vec3::ZERO,
        }
    }

    /// The pose at a time [s].
    pub fn pose_at(&self, time: f64) -> Pose {
        if time == 0.0 {
            return self.pose;
        }
        let moved = self.center + (self.velocity + self.acceleration * (0.5 * time)) * time;
        if self.spin == Vec3::ZERO {
            return Pose::new(self.pose.rotation, moved + (self.pose.translation - self.center));
        }
        let turn = trig::rotation_vector(self.spin * time);
        let rotation = (turn * self.pose.rotation).normalize();
        Pose::new(rotation, moved + turn * (self.pose.translation - self.center))
    }

    /// Largest distance of a point of the shape from the point that it turns about [m].
    fn reach(&self, shape: &CollisionShape) -> f64 {
        let own = match shape {
            // A ball that turns about its own centre does not move.
            CollisionShape::Sphere(_) => 0.0,
            _ => shape.bounding_radius(),
        };
        (self.pose.translation - self.center).length() + own
    }
}

/// Two shapes at the moment when they first touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// Moment of the touch [s].
    pub time: f64,
    /// How the shapes stand to each other then: a gap of at most 1e-8 of the smaller one, or the overlap of the start.
    pub separation: Separation,
}

/// The first touch of two moving shapes in the time from zero to `duration` [s], or `None` when they pass each other.
///
/// Shapes that overlap at time zero touch at once. Never later than the true touch; earlier by at most 1e-8 of the smaller shape, unless
/// two convex shapes graze so long that 512 advances do not decide. `None` also where neither shape is bounded and convex.
///
/// ```
/// use huygens_geometry::query::{Motion, first_touch};
/// use huygens_geometry::CollisionShape;
/// use huygens_math::{Pose, Vec3};
/// // A rod of 2 m turns at 10 rad/s; a ball passes below the circle of its tip, and one hits it.
/// let rod = CollisionShape::capsule(0.05, 2.0)?;
/// let spin = Vec3::new(0.0, 10.0, 0.0);
/// let turning = Motion { spin, ..Motion::at_rest(Pose::IDENTITY) };
/// let ball = CollisionShape::sphere(0.02)?;
/// let flies = |z: f64| Motion { velocity: Vec3::X * 20.0, ..Motion::at_rest(Pose::at(Vec3::new(-1.0, 0.0, z))) };
/// assert!(first_touch(&ball, &flies(-1.1), &rod, &turning, 0.1).is_none());
/// assert!(first_touch(&ball, &flies(-0.9), &rod, &turning, 0.1).is_some());
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn first_touch(
    a: &CollisionShape,
    motion_a: &Motion,
    b: &CollisionShape,
    motion_b: &Motion,
    duration: f64,
) -> Option<FirstTouch> {
    first_overlap([a, b], [motion_a, motion_b], 0.0, 0.0, duration)
}

/// As [`first_touch`], for the first moment at which two shapes overlap by `depth` [m]; shapes that overlap by as much at time zero do so at once.
/// It may come early by `tolerance` [m], which saves looks at shapes that slide along each other.
///
/// ```
/// use huygens_geometry::query::{Motion, first_overlap};
/// use huygens_geometry::CollisionShape;
/// use huygens_math::{Pose, Vec3};
/// let (ball, floor) = (CollisionShape::sphere(0.1)?, CollisionShape::HalfSpace);
/// let falls = Motion { velocity: Vec3::NEG_Z, ..Motion::at_rest(Pose::at(Vec3::Z)) };
/// let found = first_overlap([&ball, &floor], [&falls, &Motion::at_rest(Pose::IDENTITY)], 0.05, 1e-9, 2.0).unwrap();
/// assert!((found.time - 0.95).abs() < 1e-8);
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn first_overlap(
    shapes: [&CollisionShape; 2],
    motions: [&Motion; 2],
    depth: f64,
    tolerance: f64,
    duration: f64,
) -> Option<FirstTouch> {
    search(shapes, motions, duration, Precision { depth, tolerance, covered: 0.0, normal: None })
}

/// As [`first_touch`], but no more exact than `covered` [m]: it ends as soon as the shapes approach each other so directly that they move by no more than
/// that in any other direction until they touch, and deeper than aside after it. The separation is that of the last look, with an open gap, and the time
/// an estimate. `normal`, a unit vector from B to A in world axes, is the direction of the separation at the start, where it is known.
///
/// ```
/// use huygens_geometry::query::{Motion, first_touch_within};
/// use huygens_geometry::CollisionShape;
/// use huygens_math::{Pose, Vec3};
/// let ball = CollisionShape::sphere(0.1)?;
/// let falls = Motion { velocity: Vec3::new(0.1, 0.0, -1.0), ..Motion::at_rest(Pose::at(Vec3::Z)) };
/// let still = Motion::at_rest(Pose::IDENTITY);
/// let found = first_touch_within([&ball, &ball], [&falls, &still], None, 0.02, 1.0).unwrap();
/// assert!((found.time - 0.8).abs() < 0.05);
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn first_touch_within(
    shapes: [&CollisionShape; 2],
    motions: [&Motion; 2],
    normal: Option<Vec3>,
    covered: f64,
    duration: f64,
) -> Option<FirstTouch> {
    search(shapes, motions, duration, Precision { depth: 0.0, tolerance: GRAZING * covered, covered, normal })
}

/// How exact a search is, and what it knows.
struct Precision {
    depth: f64,
    tolerance: f64,
    covered: f64,
    normal: Option<Vec3>,
}

fn search(
    shapes: [&CollisionShape; 2],
    motions: [&Motion; 2],
    duration: f64,
    precision: Precision,
) -> Option<FirstTouch> {
    let Precision { depth, tolerance, covered, normal } = precision;
    let solids = shapes.map(Solid::new);
    let touch = max(touch_of(&solids[0], &solids[1])?, tolerance);
    let bound = ClosingBound::new(shapes, motions, duration);
    let search = Search { motions, bound, touch, depth, covered };
    match &solids {
        [Solid::Convex(a), Solid::Convex(b)] => search.advance(
            normal,
            duration,
            |poses| solid_separation(&solids[0], &poses[0], &solids[1], &poses[1]),
            |poses, n| least_along(a, &poses[0], n) + least_along(b, &poses[1], -n),
        ),
        [Solid::Mesh(mesh), Solid::Convex(convex)] => search.over_mesh(mesh, convex, 0, duration),
        [Solid::Convex(convex), Solid::Mesh(mesh)] => search.over_mesh(mesh, convex, 1, duration),
        _ => search.halve(duration, |[a, b]| solid_separation(&solids[0], a, &solids[1], b)),
    }
}

/// True when a plane across `normal`, a unit vector from B to A in world axes, keeps two moving shapes apart by more than `clearance` [m] from zero to
/// `duration`; a negative clearance allows overlap. False says nothing: another plane may do, and for meshes and containers none is tried.
///
/// Three support points of each shape instead of a search: for pairs of which a normal is known.
///
/// ```
/// use huygens_geometry::query::{Motion, stays_apart};
/// use huygens_geometry::CollisionShape;
/// use huygens_math::{Pose, Vec3};
/// let ball = CollisionShape::sphere(0.1)?;
/// let still = Motion::at_rest(Pose::IDENTITY);
/// let passes = Motion { velocity: Vec3::X * 50.0, ..Motion::at_rest(Pose::at(Vec3::new(-1.0, 0.0, 0.21))) };
/// assert!(stays_apart([&ball, &ball], [&passes, &still], Vec3::Z, 0.0, 0.1));
/// assert!(!stays_apart([&ball, &ball], [&passes, &still], Vec3::Z, 0.02, 0.1));
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn stays_apart(
    shapes: [&CollisionShape; 2],
    motions: [&Motion; 2],
    normal: Vec3,
    clearance: f64,
    duration: f64,
) -> bool {
    PlaneTest::new(shapes, motions, duration).parts(normal, clearance)
}

/// Two moving shapes from zero to a duration, for planes that may part them: poses are made once, each plane then costs some support points.
pub struct PlaneTest<'a> {
    solids: [Solid<'a>; 2],
    start: [Pose; 2],
    end: [Pose; 2],
    bound: ClosingBound,
    duration: f64,
}

impl<'a> PlaneTest<'a> {
    /// For two shapes that move so.
    pub fn new(shapes: [&'a CollisionShape; 2], motions: [&Motion; 2], duration: f64) -> Self {
        let [start, end] = [0.0, duration].map(|time| motions.map(|motion| motion.pose_at(time)));
        let bound = ClosingBound::new(shapes, motions, duration);
        Self { solids: shapes.map(Solid::new), start, end, bound, duration }
    }

    /// Poses at the end.
    pub fn end(&self) -> &[Pose; 2] {
        &self.end
    }

    /// A direction fixed to shape `k` that is `direction` at time zero: what it is at the end.
    pub fn turned_with(&self, k: usize, direction: Vec3) -> Vec3 {
        self.end[k].rotate(self.start[k].inverse_rotate(direction)).normalize()
    }

    /// Gap at the end along a unit vector from B to A in world axes [m]: the separation is at least that. `None` where no plane parts such shapes.
    pub fn gap_at_end(&self, normal: Vec3) -> Option<f64> {
        apart_along(&self.solids, &self.end, normal)
    }

    /// As [`stays_apart`].
    pub fn parts(&self, normal: Vec3, clearance: f64) -> bool {
        let Some(start) = apart_along(&self.solids, &self.start, normal).filter(|start| *start > clearance)
        else {
            return false;
        };
        self.bound.least_wait(start - clearance, normal, 0.0) >= self.duration
            || self.gap_at_end(normal).is_some_and(|end| {
                let bend = self.bound.bend(normal) * self.duration * self.duration;
                first_zero(start - clearance, end - clearance, bend) >= 1.0
            })
    }
}

/// The first zero of g₀ + (g₁ − g₀)x − ½ b x(1 − x) for x from zero, where g₀ > 0; infinite when there is none.
fn first_zero(low: f64, high: f64, bend: f64) -> f64 {
    let fall = low - high + 0.5 * bend;
    let square = fall * fall - 2.0 * bend * low;
    if fall <= 0.0 || square < 0.0 { f64::INFINITY } else { 2.0 * low / (fall + square.sqrt()) }
}

/// How a convex shape stands to a mesh at time zero.
struct MeshPlace {
    start: [Pose; 2],
    /// Number of the mesh among the two shapes.
    number: usize,
}

/// What is looked for.
struct Search<'m> {
    motions: [&'m Motion; 2],
    bound: ClosingBound,
    /// Gap beyond the depth that counts as touching [m].
    touch: f64,
    /// Overlap that does not count yet [m].
    depth: f64,
    /// Motion across the normal that a touch may be found too early for [m].
    covered: f64,
}

impl Search<'_> {
    fn poses(&self, time: f64) -> [Pose; 2] {
        self.motions.map(|motion| motion.pose_at(time))
    }

    /// Conservative advancement of two convex shapes: `at` has their separation, `along` that along a normal.
    /// `normal` is that of the start, where it is known.
    fn advance(
        &self,
        normal: Option<Vec3>,
        duration: f64,
        at: impl Fn(&[Pose; 2]) -> Option<Separation>,
        along: impl Fn(&[Pose; 2], Vec3) -> f64,
    ) -> Option<FirstTouch> {
        let (mut time, mut advances) = (0.0, 0);
        if let Some(normal) = normal {
            let gap = along(&self.poses(0.0), normal) + self.depth - 0.5 * self.touch;
            if gap > 0.0 {
                time = self.wait(gap, normal, 0.0, duration, &along);
            }
            if time >= duration {
                return None;
            }
        }
        loop {
            let poses = self.poses(time);
            let separation = at(&poses)?;
            let gap = separation.gap + self.depth;
            if gap > 0.0
                && let Some(wait) = self.nearly(gap, &separation, time, duration)
            {
                return Some(FirstTouch { time: time + wait, separation });
            }
            let wait = self.wait(gap - 0.5 * self.touch, separation.normal, time, duration, &along);
            // A gap within the tolerance that opens is no touch.
            let closes = wait < duration - time;
            if gap <= 0.0 || (gap <= self.touch && closes) || (advances == MAX_STEPS && closes) {
                return Some(FirstTouch { time, separation });
            }
            if !closes {
                return None;
            }
            time += wait;
            advances += 1;
        }
    }

    /// Time until the touch of two shapes that approach each other directly enough.
    fn nearly(&self, gap: f64, separation: &Separation, time: f64, duration: f64) -> Option<f64> {
        if self.covered <= 0.0 {
            return None;
        }
        let (n, rest) = (separation.normal, duration - time);
        let at = (separation.on_a + separation.on_b) * 0.5;
        let way = |k: usize| {
            let motion = self.motions[k];
            let center = motion.center + (motion.velocity + motion.acceleration * (0.5 * time)) * time;
            let velocity = motion.velocity + motion.acceleration * (time + 0.5 * rest);
            [velocity * rest, motion.spin.cross(at - center) * rest]
        };
        let ([a, turn_a], [b, turn_b]) = (way(0), way(1));
        let whole = a - b + turn_a - turn_b;
        let closing = -n.dot(whole);
        let sideways = (whole + n * closing).length();
        let turn = (self.bound.spin[0].length() + self.bound.spin[1].length()) * rest;
        let (beyond, share) = (closing - gap, gap / closing);
        let is_direct = beyond > 0.0
            && sideways * share <= self.covered
            && turn * share <= COVERED_TURN
            && beyond >= sideways * (1.0 - share);
        is_direct.then_some(rest * share)
    }

    /// Time for which a plane across `normal`, along which there is a gap at `time`, surely parts two shapes [s].
    fn wait(
        &self,
        gap: f64,
        normal: Vec3,
        time: f64,
        duration: f64,
        along: impl Fn(&[Pose; 2], Vec3) -> f64,
    ) -> f64 {
        let mut wait = self.bound.least_wait(gap, normal, time);
        let mut length = duration - time;
        if gap <= 0.0 || wait >= length {
            return wait;
        }
        let bend = self.bound.bend(normal);
        for _ in 0..MAX_LENGTHS {
            let end = along(&self.poses(time + length), normal) + self.depth - 0.5 * self.touch;
            let zero = first_zero(gap, end, bend * length * length);
            if zero >= 1.0 {
                return max(wait, length);
            }
            wait = max(wait, zero * length);
            // A shorter interval bends less.
            let shorter = 2.0 * wait;
            if shorter > 0.5 * length {
                break;
            }
            length = shorter;
        }
        wait
    }

    /// The first touch with a triangle of a mesh, which is shape number `number`.
    fn over_mesh(
        &self,
        mesh: &TriangleMesh,
        convex: &Convex,
        number: usize,
        duration: f64,
    ) -> Option<FirstTouch> {
        let start = self.motions[number].pose.relative(&self.motions[1 - number].pose);
        let mut near = bounds(convex, &start);
        let (own, other) = (self.motions[number], self.motions[1 - number]);
        let grow = if own.spin == Vec3::ZERO {
            // Straight in the frame of the mesh, but for what the parabola and the turn add.
            let way = own.pose.inverse_rotate((other.velocity - own.velocity) * duration);
            near = Aabb::new(near.min.min(near.min + way), near.max.max(near.max + way));
            let turned = min(other.spin.length() * duration, 2.0) * self.bound.reach[1 - number];
            turned + 0.5 * self.bound.acceleration.length() * duration * duration
        } else {
            self.bound.farthest(duration)
        };
        let grow = Vec3::splat(grow + self.touch);
        let near = Aabb::new(near.min - grow, near.max + grow);
        let place = MeshPlace { start: self.poses(0.0), number };
        let late = if self.covered > 0.0 { LATE * duration } else { 0.0 };
        let mut best: Option<FirstTouch> = None;
        // The triangle whose plane comes first: most of the others are then clear until its touch.
        let mut first = (f64::INFINITY, None);
        if self.covered > 0.0 {
            mesh.near(&near, |triangle| {
                let corners = Triangle(mesh.corners(triangle));
                let clear = self.clear_until(&corners, convex, &place, duration);
                if clear < first.0 && near.overlaps(&Aabb::of_points(&corners.0)) {
                    first = (clear, Some(triangle));
                }
            });
        }
        let mut visit = |triangle| {
            let corners = Triangle(mesh.corners(triangle));
            let end = best.map_or(duration, |best| best.time - late);
            if !near.overlaps(&Aabb::of_points(&corners.0))
                || self.clear_until(&corners, convex, &place, end) >= end
            {
                return;
            }
            let at = |poses: &[Pose; 2]| {
                let (own, other) = (&poses[number], &poses[1 - number]);
                let found = gjk::separation(&corners, convex, &own.relative(other)).transformed(own);
                Some(if number == 0 { found } else { found.swapped() })
            };
            let along = |poses: &[Pose; 2], n: Vec3| {
                let n = if number == 0 { n } else { -n };
                least_along(&corners, &poses[number], n) + least_along(convex, &poses[1 - number], -n)
            };
            let found = self.advance(None, end, at, along);
            // At the same moment the deeper one counts.
            let deeper = |found: &FirstTouch| {
                let is_deeper = |best: FirstTouch| late == 0.0 && found.separation.gap < best.separation.gap;
                best.is_none_or(|best| found.time < best.time || is_deeper(best))
            };
            if let Some(found) = found.filter(deeper) {
                best = Some(found);
            }
        };
        first.1.into_iter().for_each(&mut visit);
        mesh.near(&near, |triangle| {
            if first.1 != Some(triangle) {
                visit(triangle);
            }
        });
        best
    }

    /// Time until which the plane of a triangle surely parts it from a convex shape, where that is before `end`.
    fn clear_until(&self, triangle: &Triangle, convex: &Convex, place: &MeshPlace, end: f64) -> f64 {
        let [a, b, c] = triangle.0;
        let MeshPlace { start, number } = place;
        let own = (b - a).cross(c - a).normalize_or_zero();
        let center = start[*number].inverse_transform(start[1 - *number].transform(convex.center()));
        let side = if own.dot(center - a) < 0.0 { -own } else { own };
        // From the mesh to the convex shape, in world axes.
        let n = start[*number].rotate(side);
        let gap = |poses: &[Pose; 2]| {
            let [mesh, other] = [&poses[*number], &poses[1 - *number]];
            least_along(convex, other, n) + least_along(triangle, mesh, -n) + self.depth - 0.5 * self.touch
        };
        let first = gap(start);
        // The bound has normals from B to A.
        let normal = if *number == 0 { -n } else { n };
        if first <= 0.0 {
            return 0.0;
        }
        let wait = self.bound.least_wait(first, normal, 0.0);
        if wait >= end {
            return wait;
        }
        let zero = first_zero(first, gap(&self.poses(end)), self.bound.bend(normal) * end * end);
        max(wait, min(zero, 1.0) * end)
    }

    /// Halves intervals until one begins with a touch or all are clear: for a gap whose concavity is known.
    fn halve(&self, duration: f64, at: impl Fn(&[Pose; 2]) -> Option<Separation>) -> Option<FirstTouch> {
        let curvature = self.bound.curvature(duration);
        let look = |time: f64| at(&self.poses(time)).map(|separation| FirstTouch { time, separation });
        let gap = |found: &FirstTouch| found.separation.gap + self.depth;
        let mut from = look(0.0)?;
        let mut later = [from; MAX_HALVINGS];
        later[0] = look(duration)?;
        let (mut open, mut looks) = (1, 0);
        while open > 0 {
            let to = later[open - 1];
            let (low, high, length) = (gap(&from), gap(&to), to.time - from.time);
            let closes = high < low || self.dips(low, high, curvature * length * length);
            if low <= 0.0 || (low <= self.touch && closes) {
                return Some(from);
            }
            if high > 0.0 && !self.dips(low, high, curvature * length * length) {
                (from, open) = (to, open - 1);
            } else if open == MAX_HALVINGS || looks == MAX_LOOKS {
                return Some(from);
            } else {
                looks += 1;
                later[open] = look(from.time + 0.5 * length)?;
                open += 1;
            }
        }
        // The end of the duration is looked at as the start of nothing more.
        (gap(&from) <= 0.0).then_some(from)
    }

    /// True when a gap with those values at both ends of an interval may touch between them; `bend` is the curvature times the
    /// square of the interval.
    fn dips(&self, low: f64, high: f64, bend: f64) -> bool {
        // The least value of g₀ + (g₁ − g₀)s − ½ bend s(1 − s).
        let place = 0.5 - (high - low) / bend;
        if !(place > 0.0 && place < 1.0) {
            return false;
        }
        low + (high - low) * place - 0.5 * bend * place * (1.0 - place) <= 0.5 * self.touch
    }
}

/// Bounds how fast two shapes close.
struct ClosingBound {
    velocity: Vec3,
    acceleration: Vec3,
    spin: [Vec3; 2],
    reach: [f64; 2],
}

impl ClosingBound {
    fn new(shapes: [&CollisionShape; 2], motions: [&Motion; 2], duration: f64) -> Self {
        let mut reach = [0, 1].map(|k| motions[k].reach(shapes[k]));
        for k in 0..2 {
            if !reach[k].is_finite() || !shapes[k].bounding_radius().is_finite() {
                // Of a shape without end only the part that the other one can come to counts.
                let (this, other) = (motions[k], motions[1 - k]);
                let apart = (this.center - other.center).length();
                let moved = (this.velocity - other.velocity).length() * duration
                    + 0.5 * (this.acceleration - other.acceleration).length() * duration * duration;
                let own = (other.pose.translation - other.center).length() + shapes[1 - k].bounding_radius();
                reach[k] = apart + moved + own;
            }
        }
        Self {
            velocity: motions[0].velocity - motions[1].velocity,
            acceleration: motions[0].acceleration - motions[1].acceleration,
            spin: motions.map(|motion| motion.spin),
            reach,
        }
    }

    /// Largest second derivative of the distance of a point of one shape from a plane of the other [m/s²].
    fn curvature(&self, duration: f64) -> f64 {
        let speed = self.velocity.length() + self.acceleration.length() * duration;
        let spin = self.spin.map(Vec3::length);
        let turning = [0, 1].map(|k| spin[k] * self.reach[k]);
        // Either of them may be the one with the plane.
        let carried = max(spin[0], spin[1]);
        self.acceleration.length()
            + spin[0] * turning[0]
            + spin[1] * turning[1]
            + 2.0 * carried * (speed + max(turning[0], turning[1]))
    }

    /// Largest second derivative of how far two points of the shapes are apart along a fixed normal [m/s²].
    fn bend(&self, normal: Vec3) -> f64 {
        let turning = [0, 1].map(|k| self.spin[k].length_squared() * self.reach[k]);
        max(normal.dot(self.acceleration), 0.0) + turning[0] + turning[1]
    }

    /// Farthest that a point of one shape comes against the other, in the frame of either [m].
    fn farthest(&self, duration: f64) -> f64 {
        let straight = (self.velocity.length() + 0.5 * self.acceleration.length() * duration) * duration;
        let turns = self.spin.map(|spin| min(spin.length() * duration, 2.0));
        let moved = straight + turns[0] * self.reach[0] + turns[1] * self.reach[1];
        // The frame turns what has moved in it.
        moved * (1.0 + turns[0] + turns[1])
    }

    /// Time that a gap along `normal` needs at least to close, from `time` on [s]; infinite when it does not.
    fn least_wait(&self, gap: f64, normal: Vec3, time: f64) -> f64 {
        let gap = max(gap, 0.0);
        let velocity = self.velocity + self.acceleration * time;
        let turning = normal.cross(self.spin[0]).length() * self.reach[0]
            + normal.cross(self.spin[1]).length() * self.reach[1];
        let (closing, growth) = (turning - normal.dot(velocity), max(-normal.dot(self.acceleration), 0.0));
        // g = c δ + ½ α δ², in the form without cancellation.
        let square = closing * closing + 2.0 * growth * gap;
        let sum = square.sqrt() + closing;
        if sum > 0.0 {
            2.0 * gap / sum
        } else if growth > 0.0 {
            -2.0 * closing / growth
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_that_fly_straight_touch_when_their_distance_is_the_sum_of_their_radii() {
        let ball = CollisionShape::sphere(0.5).unwrap();
        let still = Motion::at_rest(Pose::IDENTITY);
        for (offset, expected) in [(0.0, Some(2.0)), (0.6, Some(3.0 - 0.8)), (1.001, None)] {
            let flies =
                Motion { velocity: Vec3::X, ..Motion::at_rest(Pose::at(Vec3::new(-3.0, offset, 0.0))) };
            let found = first_touch(&ball, &flies, &ball, &still, 5.0);
            match (found, expected) {
                (Some(found), Some(time)) => assert!((found.time - time).abs() < 2e-8, "{}", found.time),
                (found, expected) => assert!(found.is_none() && expected.is_none(), "{offset} {found:?}"),
            }
        }
    }

    #[test]
    fn a_ball_that_is_thrown_up_touches_the_ground_when_the_parabola_does() {
        let (ball, ground) = (CollisionShape::sphere(0.1).unwrap(), CollisionShape::HalfSpace);
        let thrown = Motion {
            velocity: Vec3::new(3.0, 0.0, 4.0),
            acceleration: Vec3::Z * -10.0,
            ..Motion::at_rest(Pose::at(Vec3::Z * 1.1))
        };
        // 1 + 4 t − 5 t² = 0.
        let found = first_touch(&ball, &thrown, &ground, &Motion::at_rest(Pose::IDENTITY), 2.0).unwrap();
        assert!((found.time - 1.0).abs() < 1e-8, "{}", found.time);
        assert!(found.separation.gap.abs() < 1e-8);
        assert!(first_touch(&ball, &thrown, &ground, &Motion::at_rest(Pose::IDENTITY), 0.999).is_none());
    }

    #[test]
    fn a_hand_of_a_clock_meets_the_mark() {
        // A rod from the origin to x = 1 turns about z; its surface reaches the point (0, 0.8) early by asin(r/0.8).
        let rod = CollisionShape::capsule(0.05, 1.0).unwrap();
        let along_x = Pose::new(trig::rotation_vector(Vec3::Y * std::f64::consts::FRAC_PI_2), Vec3::X * 0.5);
        let hand = Motion { center: Vec3::ZERO, spin: Vec3::Z * 3.0, ..Motion::at_rest(along_x) };
        let mark = CollisionShape::sphere(0.01).unwrap();
        let at = Motion::at_rest(Pose::at(Vec3::Y * 0.8));
        let found = first_touch(&rod, &hand, &mark, &at, 1.0).unwrap();
        let angle = std::f64::consts::FRAC_PI_2 - trig::asin(0.06 / 0.8);
        assert!((3.0 * found.time - angle).abs() < 1e-7, "{} {angle}", 3.0 * found.time);
    }
}
