//! Corners that hardly stick out are left out of a hull.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | τ | `tolerance` | a corner must stick out by more than τ | scaled length |
//! | – | link | the corners that share an edge with a corner, in order around it | |
//!
//! A corner that sticks out of the hull of the others by no more than τ is a weak one: an early point that later ones
//! overtook, a point on an edge or in a face, a near duplicate. Weak corners make slivers, T-junctions and faces
//! with reflex corners once flat triangles are merged; without them every face comes out convex. The height of a
//! corner above the hull of the others is that above the hull of its link and one inner point.

use super::{
    exact::{cross, height},
    quickhull::{Triangles, triangles},
};
use huygens_math::{Vec3, scalar::max, scalar::min};

/// Corners that stick out by no more than `tolerance`, no two of them neighbours, so that each one's height is still
/// right when the others are gone; in ascending order. `inner` is the index of a point inside.
pub(super) fn weak_corners(points: &[Vec3], inner: u32, mesh: &Triangles, tolerance: f64) -> Vec<u32> {
    let mut used: Vec<u32> = mesh.corners.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut one_triangle = vec![0u32; points.len()];
    for (t, corners) in mesh.corners.iter().enumerate() {
        for &c in corners {
            one_triangle[c as usize] = t as u32;
        }
    }
    let mut settled = vec![false; points.len()];
    let mut link = Vec::new();
    let mut weak = Vec::new();
    for &v in &used {
        if settled[v as usize] {
            continue;
        }
        let lean = walk_link(points, mesh, v, one_triangle[v as usize], &mut link);
        let margin = link
            .iter()
            .fold(f64::INFINITY, |least, &x| min(least, lean.dot(points[v as usize] - points[x as usize])));
        if margin > tolerance || height_above_link(points, inner, v, &link) > tolerance {
            continue;
        }
        weak.push(v);
        for &x in &link {
            settled[x as usize] = true;
        }
    }
    weak
}

/// Lists the neighbours of `v` and returns the direction in which it sticks out: the mean normal of its triangles.
fn walk_link(points: &[Vec3], mesh: &Triangles, v: u32, start: u32, link: &mut Vec<u32>) -> Vec3 {
    link.clear();
    let mut sum = Vec3::ZERO;
    let mut t = start;
    for _ in 0..mesh.corners.len() {
        let corners = mesh.corners[t as usize];
        let slot = (0..3).find(|&i| corners[i] == v).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|i| points[corners[(slot + i) % 3] as usize]);
        sum += cross(b - a, c - a).normalize_or_zero();
        link.push(corners[(slot + 1) % 3]);
        t = mesh.across[t as usize][(slot + 2) % 3];
        if t == start {
            break;
        }
    }
    sum.normalize_or_zero()
}

fn height_above_link(points: &[Vec3], inner: u32, v: u32, link: &[u32]) -> f64 {
    let mut chosen = link.to_vec();
    chosen.push(inner);
    // A link that spans no volume with an inner point is that of a thin tip, which no rounding explains.
    let Ok(cap) = triangles(points, &chosen, 0.0, 0.0) else { return f64::INFINITY };
    cap.corners.iter().fold(0.0, |highest, corners| {
        let [a, b, c] = corners.map(|i| points[i as usize]);
        max(highest, height(a, b, c, points[v as usize]))
    })
}
