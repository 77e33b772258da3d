//! From many possible contact points to the four that carry a face.
//!
//! The choice is made in the plane of the reference face. It keeps the points that span a large area, and it must not
//! change when round-off or a settling body moves the points a little: so every comparison that decides has a band,
//! and within the band the point farthest along a direction fixed in the smaller body wins. (Feature ids would not do:
//! where the corners of two equal faces nearly coincide, it is the last bit that says which of them is the contact.)
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | L | `extent` | diagonal of the box around the points |

use crate::manifold::{Feature, MAX_POINTS};
use huygens_math::Vec2;
use huygens_math::scalar::{clamp, max, min};

/// Points closer than this part of the extent of all points are one point. Small, so that a sheet standing on its
/// edge keeps both sides of the edge.
pub(crate) const SAME_POINT: f64 = 1e-6;

/// So are points closer than this part of the smaller shape's size, where the extent is itself rounding.
const ROUNDING: f64 = 1e-6;

/// Of more than four points, a corner that sticks out of the line between its neighbours by less than this part of the
/// extent goes first. Where nearly parallel edges cross, there is such a corner, and it runs along them at the
/// slightest turn.
const BLUNT: f64 = 1e-3;

/// The deepest point of all is kept, unless one that is kept anyway is shallower by less than this part of the smaller
/// shape's size: a body that settles on a face with many corners would change its points at every breath otherwise.
pub const DEEPEST_BAND: f64 = 1e-3;

/// By how much of its value the merit of a point grows from one side of the face to the other, so that points which
/// are equal by symmetry differ clearly, and round-off never chooses.
const BIAS: f64 = 0.15;

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
    /// True when it is wanted only as the deepest point: others span the area well enough.
    pub minor: bool,
    /// How far another point of the incident shape comes to this place, for each metre that the shapes move: 0 for a
    /// corner, which stays; 1/sin of the angle where edges cross.
    pub slide: f64,
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
    /// Number of points before some were left out for want of room: those follow the ones kept.
    pub all: usize,
    /// Least gap of those left out for want of room [m]; infinite when there are none.
    pub dropped: f64,
    /// Diagonal of the box around all points [m].
    pub extent: f64,
}

/// Moves the points to keep to the front of `points`, in the order of their ids. The points are the corners of a convex
/// region in any order; of those tied, the one farthest along `tie` is kept. `size` is that of the smaller shape.
pub(crate) fn reduce(points: &mut [Candidate], tie: Vec2, size: f64) -> Kept {
    let mut kept = Kept { len: points.len(), all: points.len(), dropped: f64::INFINITY, extent: 0.0 };
    if kept.len > 1 {
        let extent = extent(points);
        kept.extent = extent;
        kept.len = merge(points, max(SAME_POINT * extent, ROUNDING * size));
        let all = kept.len;
        kept.all = all;
        if all > MAX_POINTS {
            kept.len = select(&mut points[..all], &Scale { extent, size, tie: tie.normalize_or(Vec2::X) });
            kept.dropped = points[kept.len..all].iter().map(|p| p.gap).fold(f64::INFINITY, min);
        }
        sort(&mut points[..kept.len]);
    }
    kept
}

/// What the choice is measured by.
struct Scale {
    extent: f64,
    size: f64,
    tie: Vec2,
}

/// Four points of more than four.
fn select(points: &mut [Candidate], scale: &Scale) -> usize {
    let all = points.len();
    let band = DEEPEST_BAND * min(scale.size, scale.extent);
    let majors = majors_first(points);
    let used = if majors >= MAX_POINTS { majors } else { all };
    order(&mut points[..used]);
    let sharp = prune(&mut points[..used], scale);
    let kept = if sharp > MAX_POINTS { choose(&mut points[..sharp], None, scale) } else { sharp };
    let deepest = deepest(points);
    if points[..kept].iter().any(|p| p.gap <= points[deepest].gap + band) {
        return kept;
    }
    let wanted = points[deepest];
    order(points);
    let first = points.iter().position(|p| p.key() == wanted.key() && p.at == wanted.at);
    choose(points, first, scale)
}

fn majors_first(points: &mut [Candidate]) -> usize {
    let mut len = 0;
    for i in 0..points.len() {
        if !points[i].minor {
            points.swap(len, i);
            len += 1;
        }
    }
    len
}

fn extent(points: &[Candidate]) -> f64 {
    let (mut low, mut high) = (points[0].at, points[0].at);
    for p in points {
        low = Vec2::new(min(low.x, p.at.x), min(low.y, p.at.y));
        high = Vec2::new(max(high.x, p.at.x), max(high.y, p.at.y));
    }
    (high - low).length()
}

/// Drops each point that lies within `distance` of another; of two, the one that is not minor, is clearly deeper or has
/// the lower id stays.
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
                let better = deeper > distance || (deeper >= -distance && p.key() < q.key());
                if (q.minor && !p.minor) || (p.minor == q.minor && better) {
                    points[j] = p;
                }
            }
        }
    }
    len
}

/// Sorts the corners of a convex region around its middle, unless they run around it already.
fn order(points: &mut [Candidate]) {
    if runs_around(points) {
        return;
    }
    let middle = points.iter().fold(Vec2::ZERO, |sum, p| sum + p.at) / points.len() as f64;
    // Rises from −2 to 2 once around.
    let turn = |p: &Candidate| {
        let d = p.at - middle;
        let x = d.x / max(d.x.abs() + d.y.abs(), f64::MIN_POSITIVE);
        if d.y < 0.0 { x - 1.0 } else { 1.0 - x }
    };
    for i in 1..points.len() {
        let p = points[i];
        let at = turn(&p);
        let mut j = i;
        while j > 0 && turn(&points[j - 1]) > at {
            points[j] = points[j - 1];
            j -= 1;
        }
        points[j] = p;
    }
}

/// True when every corner turns the same way. (A star does too, but never in few points that were clipped.)
fn runs_around(points: &[Candidate]) -> bool {
    let n = points.len();
    let (mut left, mut right) = (false, false);
    let (mut before, mut here) = (points[n - 2].at, points[n - 1].at);
    for p in points {
        let turn = (here - before).perp_dot(p.at - here);
        left |= turn > 0.0;
        right |= turn < 0.0;
        (before, here) = (here, p.at);
    }
    left != right
}

/// True when some corner sticks out of the line between its neighbours by less than `height`.
fn has_blunt(points: &[Candidate], height: f64) -> bool {
    let n = points.len();
    let (mut before, mut here) = (points[n - 2].at, points[n - 1].at);
    for p in points {
        let chord = p.at - before;
        let twice = chord.perp_dot(here - before);
        if twice * twice <= height * height * chord.length_squared() {
            return true;
        }
        (before, here) = (here, p.at);
    }
    false
}

/// Moves blunt corners to the back, the bluntest first, while more than four are left.
fn prune(points: &mut [Candidate], scale: &Scale) -> usize {
    let height = BLUNT * scale.extent;
    let mut len = points.len();
    if len > MAX_POINTS && !has_blunt(points, height * (1.0 + 2.0 * BIAS)) {
        return len;
    }
    while len > MAX_POINTS {
        let mut least = f64::INFINITY;
        let mut bluntest = 0;
        for i in 0..len {
            let (before, after) = (points[(i + len - 1) % len].at, points[(i + 1) % len].at);
            let (chord, d) = (after - before, points[i].at - before);
            let t = d.dot(chord) / max(chord.length_squared(), f64::MIN_POSITIVE);
            let bias = BIAS * BLUNT * scale.tie.dot(points[i].at);
            let sticks_out = (d - chord * clamp(t, 0.0, 1.0)).length() + bias;
            if sticks_out < least {
                (least, bluntest) = (sticks_out, i);
            }
        }
        if least > height {
            break;
        }
        points[bluntest..len].rotate_left(1);
        len -= 1;
    }
    len
}

/// The points that span most, with `first` among them if it is given.
fn choose(points: &mut [Candidate], first: Option<usize>, scale: &Scale) -> usize {
    let middle = centroid(points);
    let first = first.or_else(|| best(points, scale, |p| (p.at - middle).length_squared())).unwrap_or(0);
    let mut chosen = span(points, first, scale);
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

/// Centroid of the area, which does not care how many points crowd in a corner.
fn centroid(points: &[Candidate]) -> Vec2 {
    let origin = points[0].at;
    let (mut sum, mut area) = (Vec2::ZERO, 0.0);
    for pair in points[1..].windows(2) {
        let (p, q) = (pair[0].at - origin, pair[1].at - origin);
        let part = p.perp_dot(q);
        area += part;
        sum += (p + q) * part;
    }
    if area != 0.0 { origin + sum / (3.0 * area) } else { origin }
}

/// `first`, the point farthest from it, and the points farthest from their line on either side.
fn span(points: &[Candidate], first: usize, scale: &Scale) -> [Option<usize>; MAX_POINTS] {
    let a = points[first].at;
    let Some(second) = best(points, scale, |p| (p.at - a).length_squared()) else {
        return [Some(first), None, None, None];
    };
    let along = points[second].at - a;
    let off = |p: &Candidate| along.perp_dot(p.at - a);
    let flat = SAME_POINT * scale.extent * scale.extent;
    let side = |sign: f64| best(points, scale, |p| sign * off(p)).filter(|&i| sign * off(&points[i]) > flat);
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

/// The point with the largest `value`, a little more of which counts the farther along `tie` it is found; none where
/// no value is positive.
fn best(points: &[Candidate], scale: &Scale, value: impl Fn(&Candidate) -> f64) -> Option<usize> {
    let most = points.iter().map(&value).fold(0.0, max);
    if most <= 0.0 {
        return None;
    }
    let bias = scale.tie * (BIAS * most / scale.extent);
    let merit = |p: &Candidate| value(p) + bias.dot(p.at);
    let mut found: Option<(usize, f64)> = None;
    for (i, p) in points.iter().enumerate() {
        let merit = merit(p);
        if found.is_none_or(|(_, most)| merit > most) {
            found = Some((i, merit));
        }
    }
    found.map(|(i, _)| i)
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

    const TOWARDS: Vec2 = Vec2::new(0.8, 0.6);

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
                    minor: false,
                    slide: 0.0,
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
            assert_eq!(reduce(&mut points, TOWARDS, 2.0).len, 4);
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
            let n = reduce(&mut points, TOWARDS, 2.0).len;
            let kept = points[..n].iter().map(|p| p.gap).fold(f64::INFINITY, min);
            assert!(kept <= deepest + DEEPEST_BAND * 2.0);
        }
    }

    #[test]
    fn noise_far_below_the_band_does_not_change_the_choice() {
        let mut random = SplitMix::new(5);
        let mut still = ring(8, |_| 0.0);
        let n = reduce(&mut still, TOWARDS, 2.0).len;
        let ids: Vec<Feature> = still[..n].iter().map(|p| p.incident).collect();
        for _ in 0..1000 {
            let mut points = ring(8, |_| 0.0);
            for p in &mut points {
                p.at += Vec2::new(random.range(-1e-4, 1e-4), random.range(-1e-4, 1e-4));
                p.gap += random.range(-1e-4, 1e-4);
            }
            let n = reduce(&mut points, TOWARDS, 2.0).len;
            assert_eq!(points[..n].iter().map(|p| p.incident).collect::<Vec<_>>(), ids);
        }
    }

    #[test]
    fn points_that_coincide_become_one_and_collinear_ones_keep_their_ends() {
        let point = |x: f64, i| Candidate {
            at: Vec2::new(x, 0.0),
            incident: Feature::vertex(i),
            ..Candidate::default()
        };
        let mut points = vec![point(0.0, 0), point(1e-7, 1), point(1.0, 2)];
        assert_eq!(reduce(&mut points, TOWARDS, 2.0).len, 2);
        let mut points: Vec<_> = (0..7).map(|i| point(f64::from(i), i)).collect();
        let n = reduce(&mut points, TOWARDS, 2.0).len;
        let xs: Vec<f64> = points[..n].iter().map(|p| p.at.x).collect();
        assert!(xs.contains(&0.0) && xs.contains(&6.0));
    }
}
