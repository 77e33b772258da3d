//! Which triangles are neighbours, and how the surface folds between them.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | n, m | | outward normals of a triangle and of its neighbour |
//! | t | | unit vector in the triangle's plane, out across the edge |
//!
//! The fold is convex when m·t > 0: the neighbour falls away.

use super::MeshFault;
use huygens_math::{DisjointSets, Vec3};

/// Sine of the angle between neighbours up to which the surface counts as flat there. A body that slides over such an
/// edge changes its direction by this angle at most, and its speed by a part of 5e-9.
pub(crate) const FLAT: f64 = 1e-4;

/// How a surface folds at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    /// The surface ends here.
    Open,
    /// It goes on in the same plane, in this neighbour.
    Flat(u32),
    /// It rises, to this neighbour.
    Concave(u32),
    /// It falls away, to this neighbour.
    Convex(u32),
}

/// What lies across the three edges of each triangle, and its flat region, named by the region's lowest triangle.
pub(super) struct Neighbours {
    pub folds: Vec<[Fold; 3]>,
    pub regions: Vec<u32>,
    /// A triangle and its edge that has no neighbour.
    pub open: Option<(u32, usize)>,
}

/// An edge of a triangle: its ends, lower number first, its triangle and which of its edges it is.
type Side = (u32, u32, u32, u8);

pub(super) fn neighbours(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
) -> Result<Neighbours, MeshFault> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * triangles.len());
    for (i, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            sides.push((from.min(to), from.max(to), i as u32, k as u8));
        }
    }
    sides.sort_unstable();
    let mut regions = DisjointSets::new(triangles.len());
    let mut found =
        Neighbours { folds: vec![[Fold::Open; 3]; triangles.len()], regions: Vec::new(), open: None };
    for edge in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        match *edge {
            [(_, _, triangle, k)] => {
                if found.open.is_none_or(|known| (triangle, usize::from(k)) < known) {
                    found.open = Some((triangle, usize::from(k)));
                }
            }
            [one, two] => join(vertices, triangles, normals, [one, two], &mut found, &mut regions)?,
            _ => {
                let (from, to, triangle, _) = edge[0];
                return Err(duplicate(triangles, edge).unwrap_or(MeshFault::NotManifold {
                    from,
                    to,
                    count: edge.len(),
                    triangle,
                }));
            }
        }
    }
    found.regions = (0..triangles.len()).map(|i| regions.find(i) as u32).collect();
    Ok(found)
}

/// Two triangles at one edge that have all corners in common.
fn duplicate(triangles: &[[u32; 3]], edge: &[Side]) -> Option<MeshFault> {
    let sorted = |i: u32| {
        let mut corners = triangles[i as usize];
        corners.sort_unstable();
        corners
    };
    edge.iter().enumerate().find_map(|(i, one)| {
        let same = edge[i + 1..].iter().find(|two| sorted(two.2) == sorted(one.2))?;
        Some(MeshFault::Duplicate { first: one.2, second: same.2 })
    })
}

fn join(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
    edge: [Side; 2],
    found: &mut Neighbours,
    regions: &mut DisjointSets,
) -> Result<(), MeshFault> {
    let [(from, to, first, i), (_, _, second, j)] = edge;
    let (i, j) = (usize::from(i), usize::from(j));
    let start = |triangle: u32, k: usize| triangles[triangle as usize][k];
    if start(first, i) == start(second, j) {
        return Err(duplicate(triangles, &edge).unwrap_or(MeshFault::Twisted { first, second, from, to }));
    }
    let at = |triangle: u32, k: usize| vertices[start(triangle, k % 3) as usize];
    let along = (at(first, i + 1) - at(first, i)).normalize_or_zero();
    let (n, m) = (normals[first as usize], normals[second as usize]);
    let falls = m.dot(along.cross(n));
    let [one, two] = if falls.abs() <= FLAT && m.dot(n) > 0.0 {
        regions.join(first as usize, second as usize);
        [Fold::Flat(second), Fold::Flat(first)]
    } else if falls > 0.0 || falls.abs() <= FLAT {
        [Fold::Convex(second), Fold::Convex(first)]
    } else {
        [Fold::Concave(second), Fold::Concave(first)]
    };
    found.folds[first as usize][i] = one;
    found.folds[second as usize][j] = two;
    Ok(())
}
