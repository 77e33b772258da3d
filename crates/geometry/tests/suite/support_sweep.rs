//! Depth and normal of overlapping hulls against oracles that share no code with EPA.
//!
//! The depth of an overlap is the least value over all unit vectors n of h(n) = max n·(A − B). Between polyhedra that
//! least value is taken at the normal of a face of A − B, and those are the normals of A's faces, the reversed normals
//! of B's faces and cross products of an edge of A with one of B. Trying them all is slow and exact. A sweep over the
//! sphere with local refinement knows nothing about faces and bounds the depth from above.

use huygens_geometry::gjk::{Effort, Separation, separation_with_effort};
use huygens_geometry::shape::Hull;
use huygens_math::{Pose, SplitMix, Vec3, scalar, trig};

const PAIRS: usize = 10_000;

struct Pair {
    a: Hull,
    b: Hull,
    pose: Pose,
    /// Corners of both, in A's frame.
    corners: [Vec<Vec3>; 2],
}

impl Pair {
    fn new(a: Hull, b: Hull, pose: Pose) -> Self {
        let corners = [a.vertices().to_vec(), b.vertices().iter().map(|&v| pose.transform(v)).collect()];
        Self { a, b, pose, corners }
    }

    fn h(&self, n: Vec3) -> f64 {
        let far = |points: &[Vec3], n: Vec3| {
            points.iter().fold(f64::NEG_INFINITY, |most, p| scalar::max(most, p.dot(n)))
        };
        far(&self.corners[0], n) + far(&self.corners[1], -n)
    }

    fn edges(&self, side: usize) -> Vec<Vec3> {
        let hull = if side == 0 { &self.a } else { &self.b };
        let at = |i: u32| self.corners[side][i as usize];
        hull.edges().iter().map(|e| (at(e[1]) - at(e[0])).normalize()).collect()
    }

    /// Every normal that a face of A − B can have.
    fn face_normals(&self) -> Vec<Vec3> {
        let mut out: Vec<Vec3> = (0..self.a.face_count()).map(|i| self.a.face(i).normal).collect();
        out.extend((0..self.b.face_count()).map(|i| -self.pose.rotate(self.b.face(i).normal)));
        let edges_b = self.edges(1);
        for e in self.edges(0) {
            for f in &edges_b {
                let cross = e.cross(*f);
                // Parallel edges span no face of their own; nearly parallel ones have no normal to compare with.
                if cross.length() > 1e-7 {
                    let n = cross.normalize();
                    out.push(n);
                    out.push(-n);
                }
            }
        }
        out
    }
}

/// Least h, its normal, and the least h among normals that differ from it by more than 1e-3 rad.
struct Exact {
    depth: f64,
    outward: Vec3,
    next: f64,
}

fn exact(pair: &Pair) -> Exact {
    let all: Vec<(f64, Vec3)> = pair.face_normals().into_iter().map(|n| (pair.h(n), n)).collect();
    let best = all.iter().copied().min_by(|x, y| x.0.total_cmp(&y.0)).unwrap();
    let next = all
        .iter()
        .filter(|(_, n)| trig::angle_between(*n, best.1) > 1e-3)
        .fold(f64::INFINITY, |least, (h, _)| scalar::min(least, *h));
    Exact { depth: best.0, outward: best.1, next }
}

/// Least h found by looking at directions all over the sphere and refining the best few.
fn sweep(pair: &Pair, r: &mut SplitMix) -> f64 {
    let mut looks: Vec<(f64, Vec3)> = (0..400).map(|_| r.direction()).map(|n| (pair.h(n), n)).collect();
    looks.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut least = f64::INFINITY;
    for &(start, direction) in &looks[..4] {
        let (mut best, mut n, mut step) = (start, direction, 0.2);
        for _ in 0..400 {
            let trial = (n + r.direction() * step).normalize();
            let h = pair.h(trial);
            if h < best {
                (best, n) = (h, trial);
                step *= 1.6;
            } else {
                step *= 0.93;
            }
        }
        least = scalar::min(least, best);
    }
    least
}

/// Points on a sphere, in a box, in a thin plate, or on a coarse grid, where faces and edges line up exactly.
fn random_hull(r: &mut SplitMix) -> Hull {
    loop {
        let n = 4 + r.index(27);
        let kind = r.index(4);
        let points: Vec<Vec3> = (0..n)
            .map(|_| match kind {
                0 => r.direction(),
                1 => r.in_cube(),
                2 => r.in_cube() * Vec3::new(1.0, 0.6, 0.05),
                _ => (r.in_cube() * 2.0).round() * 0.5,
            })
            .collect();
        if let Ok(hull) = Hull::new(&points) {
            return hull;
        }
    }
}

/// A pair that overlaps, from barely to fully: B is shifted to a point inside A − B.
fn random_pair(r: &mut SplitMix) -> Pair {
    let (a, b) = (random_hull(r), random_hull(r));
    let rotation = match r.index(4) {
        0 => huygens_math::Quat::IDENTITY,
        1 => trig::axis_angle(Vec3::Z, r.range(-3.0, 3.0)),
        _ => r.rotation(),
    };
    let unplaced = Pair::new(a, b, Pose::new(rotation, Vec3::ZERO));
    let far = |n: Vec3| {
        let most = |points: &[Vec3], n: Vec3| {
            points.iter().copied().max_by(|x, y| x.dot(n).total_cmp(&y.dot(n))).unwrap()
        };
        most(&unplaced.corners[0], n) - most(&unplaced.corners[1], -n)
    };
    let n = r.direction();
    let rim = (far(n) + far(n + r.direction() * 0.5) + far(n + r.direction() * 0.5)) / 3.0;
    let center = unplaced.a.centroid() - unplaced.pose.rotate(unplaced.b.centroid());
    let inside = if r.unit() < 0.5 { r.unit() } else { trig::pow(10.0, r.range(-4.0, 0.0)) };
    let shift = rim + (center - rim) * inside;
    let Pair { a, b, .. } = unplaced;
    Pair::new(a, b, Pose::new(rotation, shift))
}

#[test]
fn epa_depth_is_the_least_support_of_ten_thousand_hull_pairs() {
    let mut r = SplitMix::new(20);
    let (mut unique, mut unconverged, mut most_epa) = (0, 0, 0);
    let (mut worst_depth, mut worst_angle, mut worst_sweep) = (0.0, 0.0, 0.0);
    let mut sweep_hits = 0;
    for i in 0..PAIRS {
        let pair = random_pair(&mut r);
        let (found, effort): (Separation, Effort) =
            separation_with_effort(&pair.a, &pair.b, &pair.pose, Vec3::ZERO);
        let oracle = exact(&pair);
        let depth = -found.gap;
        assert!(oracle.depth > 0.0, "pair {i} does not overlap");
        let error = (depth - oracle.depth).abs() / oracle.depth;
        worst_depth = scalar::max(worst_depth, error);
        // Depths go down to 1e-5 of the size, where rounding (1e-15 of the size) is 1e-10.
        assert!(error < 1e-9, "pair {i}: depth {depth}, oracle {} {effort:?}", oracle.depth);
        if oracle.next > oracle.depth * (1.0 + 1e-6) {
            unique += 1;
            let angle = trig::angle_between(-found.normal, oracle.outward);
            worst_angle = scalar::max(worst_angle, angle);
            // Rounding of corners over the shortest edge of a face of A − B.
            assert!(angle < 1e-6, "pair {i}: normal off by {angle} rad {effort:?}");
        }
        let swept = sweep(&pair, &mut r);
        assert!(depth <= swept * (1.0 + 1e-9), "pair {i}: depth {depth}, sweep found {swept}");
        if swept <= depth * (1.0 + 1e-3) {
            sweep_hits += 1;
        }
        worst_sweep = scalar::max(worst_sweep, (swept - depth) / depth);
        unconverged += usize::from(!effort.converged);
        most_epa = most_epa.max(effort.epa);
    }
    println!(
        "{PAIRS} pairs: depth within {worst_depth:.1e} of the exact one; {unique} unique normals within \
         {worst_angle:.1e} rad; sweep agrees within 1e-3 on {sweep_hits}, never below; {unconverged} not \
         converged; at most {most_epa} support points in EPA"
    );
    assert!(unique > PAIRS / 2, "{unique}");
    assert!(sweep_hits > PAIRS / 2, "{sweep_hits}");
    assert_eq!(unconverged, 0);
}
