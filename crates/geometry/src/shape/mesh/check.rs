//! The gate: which vertices and triangles make a surface.

use super::MeshFault;
use crate::shape::LENGTH_RANGE;
use huygens_math::Vec3;
use huygens_math::scalar::max;

/// Most vertices and most triangles: a feature's number has 30 bits, and a triangle has three edges.
const MOST: usize = 1 << 28;

/// A triangle whose height over its longest edge is less than this part of that edge has no normal.
const THIN: f64 = 1e-12;

/// Refuses what is empty, not finite or out of range.
pub(super) fn check(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), MeshFault> {
    if triangles.is_empty() {
        return Err(MeshFault::Empty);
    }
    for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
        if count > MOST {
            return Err(MeshFault::TooMany { what, count });
        }
    }
    let good = |x: f64| x.abs() <= LENGTH_RANGE[1];
    if let Some(vertex) = vertices.iter().position(|v| !(good(v.x) && good(v.y) && good(v.z))) {
        return Err(MeshFault::BadVertex { vertex, at: vertices[vertex] });
    }
    let count = vertices.len();
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
            return Err(MeshFault::BadIndex { triangle, index, count });
        }
    }
    Ok(())
}

/// Gives vertices at the same place the number of the first of them, so that the triangles there are neighbours.
pub(super) fn weld(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    // Adding 0 makes −0 and +0 the same place.
    let place = |i: u32| (vertices[i as usize] + Vec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_by_key(|&i| (place(i), i));
    let mut first = vec![0; vertices.len()];
    let mut head = 0;
    for &i in &order {
        if i == order[0] || place(i) != place(head) {
            head = i;
        }
        first[i as usize] = head;
    }
    triangles.iter().map(|corners| corners.map(|i| first[i as usize])).collect()
}

/// Outward unit normals.
pub(super) fn normals(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Vec3>, MeshFault> {
    let normal = |(triangle, corners): (usize, &[u32; 3])| {
        let [a, b, c] = corners.map(|i| vertices[i as usize]);
        let edges = [b - a, c - b, a - c];
        let longest = edges.iter().fold(0.0, |most, e| max(most, e.length()));
        // Relative to the longest edge, so that no square of a tiny length underflows.
        let unit = edges.map(|e| e * (1.0 / longest));
        let cross = unit[0].cross(unit[1]);
        let area = cross.length();
        if area > THIN {
            return Ok(cross / area);
        }
        let area = 0.5 * if area > 0.0 { area } else { 0.0 } * longest * longest;
        Err(MeshFault::NoArea { triangle, corners: *corners, area, longest })
    };
    triangles.iter().enumerate().map(normal).collect()
}
