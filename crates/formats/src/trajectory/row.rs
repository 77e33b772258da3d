//! One body at one time.

use crate::json::{self, Object};
use huygens_math::{Quat, Vec3};
use std::fmt::Write;

/// One body at one time.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Number of the step, 0 for the start.
    pub step: u64,
    /// Time after the step [s].
    pub time: f64,
    /// Name of the body.
    pub body: &'a str,
    /// Place of the body's frame [m].
    pub position: Vec3,
    /// Turn of the body's frame.
    pub orientation: Quat,
    /// Velocity of the centre of mass [m/s].
    pub linear_velocity: Vec3,
    /// Spin [rad/s].
    pub angular_velocity: Vec3,
}

pub(super) const CSV_HEADER: &str = "step,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";

impl Row<'_> {
    pub(super) fn push_csv(&self, out: &mut String) {
        let (p, q) = (self.position, self.orientation);
        let (v, w) = (self.linear_velocity, self.angular_velocity);
        let _ = write!(out, "{}", self.step);
        push_number(out, self.time);
        out.push(',');
        push_field(out, self.body);
        for x in [p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z] {
            push_number(out, x);
        }
        out.push('\n');
    }

    pub(super) fn push_json(&self, out: &mut String) {
        let q = self.orientation;
        let mut object = Object::default();
        object
            .integer("step", self.step)
            .raw("time", &json::number(self.time))
            .text("body", self.body)
            .numbers("position", self.position.to_array())
            .numbers("orientation", [q.w, q.x, q.y, q.z])
            .numbers("linear_velocity", self.linear_velocity.to_array())
            .numbers("angular_velocity", self.angular_velocity.to_array());
        out.push_str(&object.finish());
        out.push('\n');
    }
}

fn push_number(out: &mut String, x: f64) {
    out.push(',');
    if x.is_finite() {
        let _ = write!(out, "{x:?}");
    }
}

/// In quotes where a comma, a quote or a line break would be taken for the file's own.
fn push_field(out: &mut String, text: &str) {
    if text.contains(['"', ',', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}
