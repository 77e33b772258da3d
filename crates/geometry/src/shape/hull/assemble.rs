//! From polygons to a hull: numbering, planes, neighbours, measures.

use super::{Hull, adjacency::Adjacency, exact::cross, find, merge::Polygons};
use crate::{Aabb, mass, mass::MassProperties, shape::ShapeError};
use huygens_math::{
    Vec3,
    scalar::{max, min},
};

/// The hull of `points`; `relative` is the tolerance as a fraction of their extent.
pub(super) fn assemble(points: &[Vec3], relative: f64) -> Result<Hull, ShapeError> {
    let (polygons, links) = find::polygons(points, relative)?;
    let mut hull = number(points, &polygons, &links);
    hull.find_planes();
    hull.measure();
    Ok(hull)
}

/// Numbers corners by input order, faces by their corners, edges by their ends.
fn number(points: &[Vec3], polygons: &Polygons, links: &[[u32; 2]]) -> Hull {
    let mut used: Vec<u32> = polygons.loops.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    // Every corner of a loop is in `used`, so the search finds it.
    let renumber = |p: &u32| used.partition_point(|u| u < p) as u32;
    let loops: Vec<Vec<u32>> = polygons.loops.iter().map(|l| l.iter().map(renumber).collect()).collect();
    let lowest: Vec<usize> = loops.iter().map(|l| position_of_least(l)).collect();
    let mut order: Vec<usize> = (0..loops.len()).collect();
    let from_lowest = |f: usize| loops[f].iter().cycle().skip(lowest[f]).take(loops[f].len());
    order.sort_by(|&a, &b| from_lowest(a).cmp(from_lowest(b)));
    let mut face_number = vec![0u32; loops.len()];
    for (new, &old) in order.iter().enumerate() {
        face_number[old] = new as u32;
    }

    let mut sides: Vec<([u32; 2], usize, usize)> = Vec::new();
    for (f, corners) in loops.iter().enumerate() {
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            if a < b {
                sides.push(([a, b], f, i));
            }
        }
    }
    sides.sort_by_key(|&(ends, f, _)| (ends, face_number[f]));
    let mut edge_of: Vec<Vec<u32>> = loops.iter().map(|l| vec![0; l.len()]).collect();
    let mut edge_faces = Vec::with_capacity(sides.len());
    for (edge, &(_, f, i)) in sides.iter().enumerate() {
        let (other, j) = polygons.twins[f][i];
        edge_of[f][i] = edge as u32;
        edge_of[other as usize][j as usize] = edge as u32;
        edge_faces.push([face_number[f], face_number[other as usize]]);
    }

    let mut first = vec![0u32];
    let (mut corner, mut corner_edge) = (Vec::new(), Vec::new());
    for &f in &order {
        let turn = |list: &[u32]| {
            let mut turned = list.to_vec();
            turned.rotate_left(lowest[f]);
            turned
        };
        corner.extend(turn(&loops[f]));
        corner_edge.extend(turn(&edge_of[f]));
        first.push(corner.len() as u32);
    }
    let edges: Vec<[u32; 2]> = sides.iter().map(|s| s.0).collect();
    let climb = links.iter().map(|ends| ends.each_ref().map(renumber)).chain(edges.iter().copied());
    Hull {
        neighbours: Adjacency::new(used.len(), edges.iter().copied()),
        climb: Adjacency::new(used.len(), climb),
        vertices: used.iter().map(|&p| points[p as usize]).collect(),
        first,
        corner,
        corner_edge,
        edges,
        edge_faces,
        normals: Vec::new(),
        offsets: Vec::new(),
        extremes: [0; 6],
        bounds: Aabb::EMPTY,
        bounding_radius: 0.0,
        thickness: 0.0,
        solid: MassProperties::ZERO,
    }
}

fn position_of_least(list: &[u32]) -> usize {
    (0..list.len()).min_by_key(|&i| list[i]).unwrap_or(0)
}

impl Hull {
    fn find_planes(&mut self) {
        for f in 0..self.first.len() - 1 {
            let corners = &self.corner[self.first[f] as usize..self.first[f + 1] as usize];
            let at = |i: u32| self.vertices[i as usize];
            let origin = at(corners[0]);
            let sum = corners
                .windows(2)
                .fold(Vec3::ZERO, |sum, pair| sum + cross(at(pair[0]) - origin, at(pair[1]) - origin));
            // Divided, not multiplied by a reciprocal, so that a normal along an axis is exact.
            let normal = sum / sum.length();
            let offset = corners.iter().map(|&c| normal.dot(at(c))).fold(f64::NEG_INFINITY, max);
            self.normals.push(normal);
            self.offsets.push(offset);
        }
    }

    fn measure(&mut self) {
        self.bounds = Aabb::of_points(&self.vertices);
        self.bounding_radius = self.vertices.iter().fold(0.0, |found, v| max(found, v.length()));
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        self.extremes = axes.map(|axis| self.scan(axis));
        self.thickness = (0..self.face_count()).fold(f64::INFINITY, |least, f| {
            let behind = self.vertices[self.support_vertex(-self.normals[f]) as usize];
            min(least, self.offsets[f] - self.normals[f].dot(behind))
        });
        self.solid = mass::polyhedron(self);
    }
}
