//! A disc over a polygon or over another disc: where the cap of a cylinder meets a face.
//!
//! Everything is in the plane of the cap, with the cap's centre as origin.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | r | `radius` | of the cap | m |
//! | e | `directions` | where on the rim the cap's own points are (see `cylinder`) | – |
//!
//! The region common to disc and polygon has as its corners the polygon's corners inside the circle and the crossings
//! of the circle with the polygon's edges. To these come the cap's own points, where rays from the cap's centre along
//! its directions leave the region. An edge that just touches the circle cuts off a chord whose ends run along it with
//! the root of the distance: they are minor points, unless the chord is long.

use crate::clip::{Face, MAX_CORNERS, ON_OUTLINE};
use crate::manifold::Feature;
use arrayvec::ArrayVec;
use huygens_math::Vec2;
use huygens_math::scalar::{clamp, max, min};

/// A point of the common region, in the cap's plane, with what of the cap and of the other face meets there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meeting {
    pub at: Vec2,
    pub cap: Feature,
    pub other: Feature,
    /// Wanted only as the deepest point.
    pub minor: bool,
    /// See [`Candidate::slide`](crate::reduce::Candidate::slide).
    pub slide: f64,
}

/// A chord is short when half of it is less than this part of the radius.
const SHORT_CHORD: f64 = 0.3;

/// An edge whose half chord is less than this part of the radius touches the circle.
const TANGENT: f64 = 1e-6;

/// Most corners of a common region.
pub(crate) const MAX_MEETINGS: usize = 4 + 3 * MAX_CORNERS;

pub(crate) type Meetings = ArrayVec<Meeting, MAX_MEETINGS>;

/// The cap of a cylinder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub radius: f64,
    /// 0 at −z, 1 at +z.
    pub number: u32,
    /// Where its own points are.
    pub directions: [Vec2; 4],
}

impl Cap {
    fn name(&self, k: usize) -> Feature {
        Feature::vertex(4 * self.number + k as u32)
    }
}

/// A polygon in the cap's plane, in either sense of rotation.
pub(crate) struct Polygon<'a> {
    pub corners: &'a [Vec2],
    /// The face that it is.
    pub face: &'a Face<MAX_CORNERS>,
}

impl Polygon<'_> {
    fn next(&self, i: usize) -> usize {
        if i + 1 == self.corners.len() { 0 } else { i + 1 }
    }

    /// 1 when the corners run counter-clockwise, else −1.
    fn sense(&self) -> f64 {
        let first = self.corners[0];
        let twice: f64 = (1..self.corners.len())
            .map(|i| (self.corners[i] - first).perp_dot(self.corners[self.next(i)] - first))
            .sum();
        if twice < 0.0 { -1.0 } else { 1.0 }
    }

    fn holds(&self, p: Vec2, sense: f64) -> bool {
        (0..self.corners.len()).all(|i| {
            let edge = self.corners[self.next(i)] - self.corners[i];
            sense * edge.perp_dot(p - self.corners[i]) >= -ON_OUTLINE * edge.length_squared()
        })
    }

    /// How far a ray from the origin along `e` runs within the polygon, `limit` at most, and how its end slides; none when
    /// the origin is outside.
    fn leave(&self, e: Vec2, sense: f64, limit: f64) -> Option<(f64, f64)> {
        let (mut t, mut slide) = (limit, 0.0);
        for i in 0..self.corners.len() {
            let edge = (self.corners[self.next(i)] - self.corners[i]) * sense;
            // Outside is on the right of the edge.
            let (start, rate) = (self.corners[i].perp_dot(edge), e.perp_dot(edge));
            if start < 0.0 {
                return None;
            }
            if rate * t > start {
                t = start / rate;
                slide = edge.length() / rate;
            }
        }
        Some((t, slide))
    }
}

/// Disc and polygon.
pub(crate) fn disc_polygon(cap: &Cap, polygon: &Polygon) -> Meetings {
    let mut out = Meetings::new();
    let sense = polygon.sense();
    let r = cap.radius;
    let centered = polygon.leave(Vec2::X, sense, r).is_some();
    for (k, e) in cap.directions.into_iter().enumerate() {
        let found = match polygon.leave(e, sense, r) {
            Some((t, slide)) => Some((e * t, slide)),
            None => polygon.holds(e * r, sense).then_some((e * r, 0.0)),
        };
        if let Some((at, slide)) = found {
            let other = Feature::face(polygon.face.id);
            out.push(Meeting { at, cap: cap.name(k), other, minor: false, slide });
        }
    }
    for i in 0..polygon.corners.len() {
        let p = polygon.corners[i];
        if p.length_squared() <= r * r * (1.0 + 2.0 * ON_OUTLINE) {
            out.push(Meeting {
                at: p,
                cap: Feature::face(cap.number),
                other: Feature::vertex(polygon.face.corners[i].vertex),
                minor: false,
                slide: 1.0,
            });
        }
        let d = polygon.corners[polygon.next(i)] - p;
        let square = d.length_squared();
        if square <= 0.0 {
            continue;
        }
        // |p + t d| = r
        let middle = -p.dot(d) / square;
        let root = middle * middle - (p.length_squared() - r * r) / square;
        // The chord of a tangent is the root of round-off; the cap's own points are there already.
        if root * square <= TANGENT * TANGENT * r * r {
            continue;
        }
        let root = root.sqrt();
        let whole = middle - root > 0.0 && middle + root < 1.0;
        let minor = centered && whole && root * root * square < SHORT_CHORD * SHORT_CHORD * r * r;
        for (number, t) in [middle - root, middle + root].into_iter().enumerate() {
            if t > 0.0 && t < 1.0 {
                let rim = Feature::edge(cap.number + 4 * (number as u32 + 1));
                out.push(Meeting {
                    at: p + d * t,
                    cap: rim,
                    other: Feature::edge(polygon.face.corners[i].edge),
                    minor,
                    slide: r / (root * square.sqrt()),
                });
            }
        }
    }
    out
}

/// Another disc as it is seen in the cap's plane: what satisfies |M p + c| ≤ radius, where M has the columns `x` and `y`. It
/// is an ellipse when the two planes are not parallel.
pub(crate) struct OtherDisc {
    pub x: Vec2,
    pub y: Vec2,
    pub c: Vec2,
    pub radius: f64,
}

impl OtherDisc {
    fn map(&self, p: Vec2) -> Vec2 {
        self.x * p.x + self.y * p.y
    }

    /// Its centre, in the cap's plane; none when it is seen edge on.
    fn center(&self) -> Option<Vec2> {
        let det = self.x.perp_dot(self.y);
        let p = Vec2::new(self.y.perp_dot(self.c), -self.x.perp_dot(self.c)) / det;
        p.is_finite().then_some(p)
    }

    /// Where the line from `from` along the unit vector `e` enters and leaves it.
    fn span(&self, from: Vec2, e: Vec2) -> Option<(f64, f64)> {
        let (p, d) = (self.map(from) + self.c, self.map(e));
        let square = d.length_squared();
        let middle = -p.dot(d) / square;
        let root = middle * middle - (p.length_squared() - self.radius * self.radius) / square;
        (root >= 0.0 && middle.is_finite()).then(|| (middle - root.sqrt(), middle + root.sqrt()))
    }
}

/// Two discs. The points are where rays from the middle of the common region along the cap's own directions leave it:
/// they move smoothly however the discs lie.
pub(crate) fn disc_disc(cap: &Cap, disc: &OtherDisc, other: Feature) -> Option<Meetings> {
    let r = cap.radius;
    let center = disc.center()?;
    let along = center.try_normalize().unwrap_or(Vec2::X);
    let (enter, leave) = disc.span(Vec2::ZERO, along)?;
    let (low, high) = (max(-r, enter), min(r, leave));
    if low > high {
        return None;
    }
    let middle = along * (0.5 * (low + high));
    let mut out = Meetings::new();
    for (k, e) in cap.directions.into_iter().enumerate() {
        let b = middle.dot(e);
        let own = -b + max(b * b + r * r - middle.length_squared(), 0.0).sqrt();
        let t = max(min(own, disc.span(middle, e)?.1), 0.0);
        let slide = if t < own { 2.0 } else { 0.0 };
        out.push(Meeting { at: middle + e * t, cap: cap.name(k), other, minor: false, slide });
    }
    Some(out)
}

/// The part of a segment from `a` to `b` that lies within the circle of radius `r`, as places from 0 to 1.
pub(crate) fn segment_in_disc(a: Vec2, b: Vec2, r: f64) -> Option<(f64, f64)> {
    let d = b - a;
    let square = d.length_squared();
    let inside = |p: Vec2| p.length_squared() <= r * r * (1.0 + 2.0 * ON_OUTLINE);
    if square <= 0.0 {
        return inside(a).then_some((0.0, 1.0));
    }
    let middle = -a.dot(d) / square;
    let root = middle * middle - (a.length_squared() - r * r) / square;
    if root < 0.0 {
        return None;
    }
    let root = root.sqrt();
    let low = if inside(a) { 0.0 } else { middle - root };
    let high = if inside(b) { 1.0 } else { middle + root };
    (low <= 1.0 && high >= 0.0 && low <= high).then(|| (clamp(low, 0.0, 1.0), clamp(high, 0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::FaceCorner;
    use huygens_math::Vec3;

    const CAP: Cap = Cap { radius: 1.0, number: 1, directions: [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y] };

    fn square(h: f64, at: Vec2) -> [Vec2; 4] {
        [Vec2::new(h, h) + at, Vec2::new(-h, h) + at, Vec2::new(-h, -h) + at, Vec2::new(h, -h) + at]
    }

    fn meet(corners: &[Vec2]) -> Vec<Meeting> {
        let face = Face {
            id: 7,
            corners: (0..4).map(|i| FaceCorner { at: Vec3::ZERO, vertex: i, edge: i }).collect(),
        };
        disc_polygon(&CAP, &Polygon { corners, face: &face }).to_vec()
    }

    #[test]
    fn a_disc_on_a_large_square_keeps_its_own_points_and_a_small_square_its_corners() {
        let large = meet(&square(5.0, Vec2::ZERO));
        assert_eq!(large.iter().map(|m| m.at).collect::<Vec<_>>(), CAP.directions);
        // After the four rays, which end on the edges.
        let small = meet(&square(0.3, Vec2::ZERO))[4..].to_vec();
        assert_eq!(small.len(), 4);
        assert!(small.iter().all(|m| m.other.kind() == crate::FeatureKind::Vertex));
    }

    #[test]
    fn a_disc_over_an_edge_meets_it_at_the_chord() {
        // The square covers x ≤ 0.6: the chord has y = ±0.8.
        let found = meet(&square(5.0, Vec2::new(-4.4, 0.0)));
        assert_eq!(found.len(), 4 + 2);
        assert!((found[0].at - Vec2::new(0.6, 0.0)).length() < 1e-15);
        for m in &found[4..] {
            assert!(!m.minor && (m.at.x - 0.6).abs() < 1e-15 && (m.at.y.abs() - 0.8).abs() < 1e-15);
        }
    }

    #[test]
    fn rays_from_the_middle_of_two_discs_end_on_the_nearer_rim() {
        let disc = |x: f64| OtherDisc { x: Vec2::X, y: Vec2::Y, c: Vec2::new(-x, 0.0), radius: 1.0 };
        let found = disc_disc(&CAP, &disc(1.0), Feature::face(0)).unwrap();
        let at: Vec<Vec2> = found.iter().map(|m| m.at).collect();
        // The lens spans x from 0 to 1; its tips are at (½, ±√¾).
        assert!((at[0] - Vec2::new(1.0, 0.0)).length() < 1e-15 && at[2].length() < 1e-15);
        assert!((at[1] - Vec2::new(0.5, 0.75f64.sqrt())).length() < 1e-15);
        assert!(disc_disc(&CAP, &disc(2.1), Feature::face(0)).is_none());
    }

    #[test]
    fn a_segment_is_cut_by_the_circle_on_both_sides() {
        let (low, high) = segment_in_disc(Vec2::new(-2.0, 0.6), Vec2::new(2.0, 0.6), 1.0).unwrap();
        assert!((low - 0.3).abs() < 1e-15 && (high - 0.7).abs() < 1e-15);
        assert!(segment_in_disc(Vec2::new(-2.0, 1.1), Vec2::new(2.0, 1.1), 1.0).is_none());
        assert_eq!(segment_in_disc(Vec2::new(0.1, 0.0), Vec2::new(0.2, 0.0), 1.0), Some((0.0, 1.0)));
    }
}
