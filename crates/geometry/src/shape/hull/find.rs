//! From points to polygons.

use super::{
    cloud::Cloud,
    merge::{self, Polygons},
    quickhull::{Thin, Triangles, triangles},
    strengthen::weak_corners,
};
use crate::shape::ShapeError;
use huygens_math::Vec3;

/// The solid must be this many tolerances thick, or the merging of flat faces would eat it.
const LEAST_THICKNESS: f64 = 64.0;
/// Rounds of leaving weak corners out. A round leaves few behind, and those of the last round do little harm.
const ROUNDS: usize = 32;

/// The faces of the hull of `points`, and the pairs of corners that an exact hull of the corners joins.
pub(super) fn polygons(points: &[Vec3], relative: f64) -> Result<(Polygons, Vec<[u32; 2]>), ShapeError> {
    let mut cloud = Cloud::new(points, relative)?;
    let all: Vec<u32> = (0..points.len() as u32).collect();
    let mut mesh = solid(&cloud, &all)?;
    let inner = inner_point(&cloud.points, &mesh);
    cloud.points.push(inner);
    for _ in 0..ROUNDS {
        let weak = weak_corners(&cloud.points, all.len() as u32, &mesh, cloud.tolerance);
        if weak.is_empty() {
            break;
        }
        let mut left = corners_of(&mesh);
        left.retain(|v| weak.binary_search(v).is_err());
        mesh = solid(&cloud, &left)?;
    }
    cloud.points.pop();
    let polygons = merge::polygons(&cloud.points, &mesh, cloud.tolerance);
    let mut corners: Vec<u32> = polygons.loops.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    let exact = triangles(&cloud.points, &corners, 0.0, 0.0).unwrap_or(mesh);
    let links = exact.corners.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    Ok((polygons, links))
}

fn solid(cloud: &Cloud, chosen: &[u32]) -> Result<Triangles, ShapeError> {
    let least = LEAST_THICKNESS * cloud.tolerance;
    triangles(&cloud.points, chosen, cloud.tolerance, least).map_err(|thin| match thin {
        Thin::Line(width) => cloud.flat("on one line", "line", width, LEAST_THICKNESS),
        Thin::Plane(thickness) => cloud.flat("in one plane", "plane", thickness, LEAST_THICKNESS),
    })
}

fn corners_of(mesh: &Triangles) -> Vec<u32> {
    let mut corners: Vec<u32> = mesh.corners.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    corners
}

fn inner_point(points: &[Vec3], mesh: &Triangles) -> Vec3 {
    let corners = corners_of(mesh);
    let origin = points[corners[0] as usize];
    let sum = corners.iter().fold(Vec3::ZERO, |sum, &v| sum + (points[v as usize] - origin));
    origin + sum / corners.len() as f64
}
