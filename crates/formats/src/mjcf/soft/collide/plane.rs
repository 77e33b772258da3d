//! A plane and another geom. The normal is the plane's z axis; a touch lies halfway between the plane and the point of the other geom.

use super::super::super::model::GeomKind;
use super::super::contact::{Touch, frame};
use super::Placed;
use huygens_math::Vec3;

/// The plane and what meets it.
struct Meeting<'a> {
    normal: Vec3,
    origin: Vec3,
    margin: f64,
    seed: Option<Vec3>,
    out: &'a mut Vec<Touch>,
}

impl Meeting<'_> {
    /// A touch at a point of the other surface, when it is within the margin.
    fn point(&mut self, p: Vec3) -> bool {
        let dist = (p - self.origin).dot(self.normal);
        let within = dist <= self.margin;
        if within {
            let pos = p - self.normal * (0.5 * dist);
            self.out.push(Touch { pos, dist, frame: frame(self.normal, self.seed) });
        }
        within
    }
}

pub(super) fn touch(plane: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    let normal = plane.axis();
    let mut meeting = Meeting { normal, origin: plane.center(), margin, seed: None, out };
    let center = b.center();
    match b.kind {
        GeomKind::Sphere => {
            meeting.point(center - normal * b.size[0]);
        }
        GeomKind::Capsule => {
            let axis = b.axis();
            meeting.seed = Some(axis);
            for end in [b.size[1], -b.size[1]] {
                meeting.point(center + axis * end - normal * b.size[0]);
            }
        }
        GeomKind::Ellipsoid => {
            let local = b.pose.inverse_rotate(-normal);
            let radii = Vec3::from_array(b.size);
            let scaled = radii * local;
            meeting.point(b.pose.transform(radii * scaled / scaled.length()));
        }
        GeomKind::Cylinder => cylinder(b, &mut meeting),
        GeomKind::Box => corners(b, &mut meeting),
        _ => {}
    }
}

/// The lowest rim points of both caps, and two more on the lower cap.
fn cylinder(b: &Placed, meeting: &mut Meeting<'_>) {
    let [radius, half, _] = b.size;
    let mut axis = b.axis();
    let mut along = meeting.normal.dot(axis);
    if along > 0.0 {
        (axis, along) = (-axis, -along);
    }
    let mut radial = axis * along - meeting.normal;
    let length = radial.length();
    radial = if length < 1e-12 { b.pose.rotate(Vec3::X) * radius } else { radial * (radius / length) };
    let (center, axis) = (b.center(), axis * half);
    if !meeting.point(center + radial + axis) {
        return;
    }
    meeting.point(center + radial - axis);
    let side = radial.cross(axis);
    let side = side / side.length() * (radius * 0.75_f64.sqrt());
    let middle = center + axis - radial * 0.5;
    if (middle - meeting.origin).dot(meeting.normal) <= meeting.margin {
        meeting.point(middle + side);
        meeting.point(middle - side);
    }
}

/// The first four corners below the centre that are within the margin.
fn corners(b: &Placed, meeting: &mut Meeting<'_>) {
    let mut found = 0;
    for corner in 0..8_u32 {
        let side = |axis: usize| if corner >> axis & 1 == 1 { b.size[axis] } else { -b.size[axis] };
        let offset = b.pose.rotate(Vec3::new(side(0), side(1), side(2)));
        if meeting.normal.dot(offset) > 0.0 {
            continue;
        }
        found += u32::from(meeting.point(b.center() + offset));
        if found == 4 {
            return;
        }
    }
}
