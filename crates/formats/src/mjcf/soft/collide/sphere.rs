//! A sphere and another geom: reduced to two balls wherever possible.

use super::super::super::model::GeomKind;
use super::super::contact::{Touch, frame};
use super::Placed;
use huygens_math::{Vec3, scalar};

/// A ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    pub center: Vec3,
    pub radius: f64,
}

/// The touch of two balls; where their centres coincide the normal is `fallback`.
pub(super) fn balls(a: Ball, b: Ball, fallback: Vec3, margin: f64, out: &mut Vec<Touch>) {
    let between = b.center - a.center;
    let length = between.length();
    let dist = length - a.radius - b.radius;
    if dist > margin {
        return;
    }
    let normal = if length < 1e-15 { fallback } else { between / length };
    let pos = a.center + normal * (a.radius + 0.5 * dist);
    out.push(Touch { pos, dist, frame: frame(normal, None) });
}

fn fallback(a: &Placed, b: &Placed) -> Vec3 {
    let cross = a.axis().cross(b.axis());
    let length = cross.length();
    if length < 1e-15 { Vec3::X } else { cross / length }
}

pub(super) fn touch(a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    let ball = Ball { center: a.center(), radius: a.size[0] };
    let aside = fallback(a, b);
    match b.kind {
        GeomKind::Sphere => balls(ball, Ball { center: b.center(), radius: b.size[0] }, aside, margin, out),
        GeomKind::Capsule => {
            let axis = b.axis();
            let x = scalar::clamp(axis.dot(ball.center - b.center()), -b.size[1], b.size[1]);
            balls(ball, Ball { center: b.center() + axis * x, radius: b.size[0] }, aside, margin, out);
        }
        GeomKind::Cylinder => cylinder(ball, b, aside, margin, out),
        GeomKind::Box => cuboid(ball, b, margin, out),
        _ => {}
    }
}

/// Side, cap or rim; deep inside, the nearer of side and cap.
fn cylinder(ball: Ball, b: &Placed, aside: Vec3, margin: f64, out: &mut Vec<Touch>) {
    let [radius, half, _] = b.size;
    let axis = b.axis();
    let offset = ball.center - b.center();
    let x = axis.dot(offset);
    let radial = offset - axis * x;
    let across = radial.length();
    let (mut side, mut cap) = (x.abs() < half, across < radius);
    if side && cap {
        if half - x.abs() < radius - across {
            side = false;
        } else {
            cap = false;
        }
    }
    if side {
        balls(ball, Ball { center: b.center() + axis * x, radius }, aside, margin, out);
    } else if cap {
        let outward = if x > 0.0 { axis } else { -axis };
        let dist = x.abs() - half - ball.radius;
        if dist <= margin {
            let pos = ball.center - outward * (ball.radius + 0.5 * dist);
            out.push(Touch { pos, dist, frame: frame(-outward, None) });
        }
    } else {
        let rim = radial * (radius / across) + axis * if x > 0.0 { half } else { -half };
        balls(ball, Ball { center: b.center() + rim, radius: 0.0 }, aside, margin, out);
    }
}

/// The touch of a ball and a box.
pub(super) fn cuboid(ball: Ball, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    let center = b.pose.inverse_transform(ball.center);
    let size = Vec3::from_array(b.size);
    let nearest = Vec3::from_array(std::array::from_fn(|k| scalar::clamp(center[k], -size[k], size[k])));
    let between = nearest - center;
    let length = between.length();
    if length - ball.radius > margin {
        return;
    }
    if length > 1e-15 {
        let normal = b.pose.rotate(between / length);
        let dist = length - ball.radius;
        let pos = ball.center + normal * (ball.radius + 0.5 * dist);
        out.push(Touch { pos, dist, frame: frame(normal, None) });
        return;
    }
    // The centre is inside: out through the nearest face.
    let (mut least, mut outward) = (f64::INFINITY, Vec3::X);
    for face in 0..6 {
        let (axis, sign) = (face / 2, if face % 2 == 1 { 1.0 } else { -1.0 });
        let depth = (sign * size[axis] - center[axis]).abs();
        if depth < least {
            least = depth;
            outward = Vec3::ZERO;
            outward[axis] = sign;
        }
    }
    let outward = b.pose.rotate(outward);
    let pos = ball.center + outward * (0.5 * (least - ball.radius));
    out.push(Touch { pos, dist: -least - ball.radius, frame: frame(-outward, None) });
}
