//! From many possible contact points to the four that carry a face.
//!
//! The choice is made in the plane of the reference face. It keeps the points that span a large area, and it must not
//! change when round-off or a settling body moves the points a little: so every comparison that decides has a band,
//! and within the band the lower feature id wins.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | L | `extent` | diagonal of the box around the points |

use crate::manifold::{Feature, MAX_POINTS};
use huygens_math::Vec2;
use huygens_math::scalar::{max, min};

/// Points closer than this part of the extent of all points are one point. Small, so that a sheet standing on its
/// edge keeps both sides of the edge.
pub(crate) const SAME_POINT: f64 = 1e-6;

/// The deepest point of all is kept, unless one that is kept anyway is shallower by less than this part of the
/// extent: a body that settles on a face with many corners would change its points at every breath otherwise.
pub(crate) const DEEPEST_BAND: f64 = 1e-3;

/// Lengths and areas that agree to this part of the largest are tied.
const TIE: f64 = 1e-2;

/// A possible contact point, in the plane of the reference face.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    /// Where in the plane [m].
    pub at: Vec2,
    /// Height of the incident shape over the plane [m].
    pub gap: f64,
    /// What of the reference shape meets here.
    pub reference: Feature,
    /// What of the incident shape meets here.
    pub incident: Feature,
}

impl Candidate {
    fn key(&self) -> (Feature, Feature) {
        (self.reference, self.incident)
    }
}

/// What is left of the candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Kept {
    /// Number of points kept.
    pub len: usize,
    /// Least gap of those left out for want of room [m]; infinite when there are none.
    pub dropped: f64,
}

/// Moves the points to keep to the front of `points`, in the order of their ids.
pub(crate) fn reduce(points: &mut [Candidate]) -> Kept {
    let mut kept = Kept { len: points.len(), dropped: f64::INFINITY };
    if kept.len > 1 {
        let extent = extent(points);
        kept.len = merge(points, SAME_POINT * extent);
        if kept.len > MAX_POINTS {
            let all = kept.len;
            kept.len = choose(&mut points[..all], extent);
            kept.dropped = points[kept.len..all].iter().map(|p| p.gap).fold(f64::INFINITY, min);
        }
        sort(&mut points[..kept.len]);
    }
    kept
}

fn extent(points: &[Candidate]) -> f64 {
    let (mut low, mut high) = (points[0].at, points[0].at);
    for p in points {
        low = Vec2::new(min(low.x, p.at.x), min(low.y, p.at.y));
        high = Vec2::new(max(high.x, p.at.x), max(high.y, p.at.y));
    }
    (high - low).length()
}

/// Drops each point that lies within `distance` of another; of two, the one that is clearly deeper or has the lower
/// id stays.
fn merge(points: &mut [Candidate], distance: f64) -> usize {
    let mut len = 0;
    for i in 0..points.len() {
        let p = points[i];
        let twin = (0..len).find(|&j| (points[j].at - p.at).length_squared() <= distance * distance);
        match twin {
            None => {
                points[len] = p;
                len += 1;
            }
            Some(j) => {
                let q = points[j];
                let deeper = q.gap - p.gap;
                if deeper > distance || (deeper >= -distance && p.key() < q.key()) {
                    points[j] = p;
                }
            }
        }
    }
    len
}

fn choose(points: &mut [Candidate], extent: f64) -> usize {
    let mean = points.iter().fold(Vec2::ZERO, |sum, p| sum + p.at) / points.len() as f64;
    let deepest = deepest(points);
    let band = DEEPEST_BAND * extent;
    let first = best(points, |p| (p.at - mean).length()).unwrap_or(0);
    let mut chosen = span(points, first, extent);
    if chosen.iter().flatten().all(|&i| points[i].gap > points[deepest].gap + band) {
        chosen = span(points, deepest, extent);
    }
    let mut len = 0;
    for k in 0..MAX_POINTS {
        if let Some(i) = chosen[k] {
            points.swap(len, i);
            // What stood at `len` now stands at `i`.
            for later in chosen[k + 1..].iter_mut().flatten().filter(|later| **later == len) {
                *later = i;
            }
            len += 1;
        }
    }
    len
}

/// `first`, the point farthest from it, and the points farthest from their line on either side.
fn span(points: &[Candidate], first: usize, extent: f64) -> [Option<usize>; MAX_POINTS] {
    let a = points[first].at;
    let Some(second) = best(points, |p| (p.at - a).length()) else {
        return [Some(first), None, None, None];
    };
    let along = points[second].at - a;
    let off = |p: &Candidate| along.perp_dot(p.at - a);
    let flat = SAME_POINT * extent * extent;
    let side = |sign: f64| best(points, |p| sign * off(p)).filter(|&i| sign * off(&points[i]) > flat);
    [Some(first), Some(second), side(1.0), side(-1.0)]
}

fn deepest(points: &[Candidate]) -> usize {
    let mut found = 0;
    for (i, p) in points.iter().enumerate() {
        if p.gap < points[found].gap {
            found = i;
        }
    }
    found
}

/// The point with the largest `value`; of those tied with it the one with the lowest id.
fn best(points: &[Candidate], value: impl Fn(&Candidate) -> f64) -> Option<usize> {
    let most = points.iter().map(&value).fold(0.0, max);
    let mut found: Option<usize> = None;
    for (i, p) in points.iter().enumerate() {
        if value(p) >= most * (1.0 - TIE) && found.is_none_or(|j| p.key() < points[j].key()) {
            found = Some(i);
        }
    }
    found
}

fn sort(points: &mut [Candidate]) {
    for i in 1..points.len() {
        let mut j = i;
        while j > 0 && points[j].key() < points[j - 1].key() {
            points.swap(j, j - 1);
            j -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, trig};

    fn ring(n: u32, gap: impl Fn(f64) -> f64) -> Vec<Candidate> {
        (0..n)
            .map(|i| {
                let angle = f64::from(i) * std::f64::consts::TAU / f64::from(n);
                let (s, c) = trig::sin_cos(angle);
                Candidate {
                    at: Vec2::new(c, s),
                    gap: gap(angle),
                    reference: Feature::face(0),
                    incident: Feature::vertex(i),
                }
            })
            .collect()
    }

    fn area(points: &[Candidate]) -> f64 {
        let centre = points.iter().fold(Vec2::ZERO, |s, p| s + p.at) / points.len() as f64;
        let mut sorted: Vec<Vec2> = points.iter().map(|p| p.at - centre).collect();
        sorted.sort_by(|a, b| trig::atan2(a.y, a.x).total_cmp(&trig::atan2(b.y, b.x)));
        (0..sorted.len()).map(|i| 0.5 * sorted[i].perp_dot(sorted[(i + 1) % sorted.len()])).sum()
    }

    #[test]
    fn four_of_many_span_most_of_the_area() {
        for n in [5, 6, 7, 8, 12, 16, 31] {
            let mut points = ring(n, |_| 0.0);
            let whole = area(&points);
            assert_eq!(reduce(&mut points).len, 4);
            // The best quadrilateral in a disc has 2/π = 0.637 of its area; ties cost a little of it.
            assert!(area(&points[..4]) > 0.55 * whole, "{n}: {}", area(&points[..4]) / whole);
        }
    }

    #[test]
    fn the_deepest_point_stays_to_within_the_band() {
        let mut random = SplitMix::new(3);
        for _ in 0..1000 {
            let (tilt, towards) = (random.range(0.0, 0.3), random.range(-3.0, 3.0));
            let mut points = ring(11, |angle| -tilt * trig::cos(angle - towards));
            let deepest = points.iter().map(|p| p.gap).fold(f64::INFINITY, min);
            let n = reduce(&mut points).len;
            let kept = points[..n].iter().map(|p| p.gap).fold(f64::INFINITY, min);
            assert!(kept <= deepest + DEEPEST_BAND * 2.0 * 2f64.sqrt());
        }
    }

    #[test]
    fn noise_far_below_the_band_does_not_change_the_choice() {
        let mut random = SplitMix::new(5);
        let mut still = ring(8, |_| 0.0);
        let n = reduce(&mut still).len;
        let ids: Vec<Feature> = still[..n].iter().map(|p| p.incident).collect();
        for _ in 0..1000 {
            let mut points = ring(8, |_| 0.0);
            for p in &mut points {
                p.at += Vec2::new(random.range(-1e-4, 1e-4), random.range(-1e-4, 1e-4));
                p.gap += random.range(-1e-4, 1e-4);
            }
            let n = reduce(&mut points).len;
            assert_eq!(points[..n].iter().map(|p| p.incident).collect::<Vec<_>>(), ids);
        }
    }

    #[test]
    fn points_that_coincide_become_one_and_collinear_ones_become_their_ends() {
        let point = |x: f64, i| Candidate {
            at: Vec2::new(x, 0.0),
            incident: Feature::vertex(i),
            ..Candidate::default()
        };
        let mut points = vec![point(0.0, 0), point(1e-7, 1), point(1.0, 2)];
        assert_eq!(reduce(&mut points).len, 2);
        let mut points: Vec<_> = (0..7).map(|i| point(f64::from(i), i)).collect();
        let n = reduce(&mut points).len;
        let xs: Vec<f64> = points[..n].iter().map(|p| p.at.x).collect();
        assert_eq!(xs, [0.0, 6.0]);
    }
}
