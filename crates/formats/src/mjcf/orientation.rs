//! Orientations in all of MJCF's forms.

use super::attributes::{Element, numbers};
use super::error::Fault;
use huygens_math::trig::{atan2, axis_angle, sin_cos};
use huygens_math::{Mat3, Pose, Quat, Vec3};

/// Lengths below this are none.
pub(super) const TINY: f64 = 1e-14;

/// Units of angles and order of Euler angles in a model.
#[derive(Clone, Debug)]
pub(super) struct Angles {
    /// Radians in one unit.
    pub unit: f64,
    /// Three letters; lower case turns with the body, upper case with the world.
    pub sequence: [u8; 3],
}

impl Angles {
    /// The rotation of three Euler angles in the model's unit.
    pub fn euler(&self, angles: [f64; 3]) -> Quat {
        let mut q = Quat::IDENTITY;
        for (angle, letter) in angles.into_iter().zip(self.sequence) {
            let axis = match letter.to_ascii_lowercase() {
                b'x' => Vec3::X,
                b'y' => Vec3::Y,
                _ => Vec3::Z,
            };
            let turn = axis_angle(axis, angle * self.unit);
            q = if letter.is_ascii_lowercase() { q * turn } else { turn * q };
        }
        q.normalize()
    }
}

/// The shortest turn that takes z to the direction `v`.
pub(super) fn z_to(v: Vec3) -> Quat {
    let axis = Vec3::Z.cross(v);
    let s = axis.length();
    let axis = if s < 1e-10 { Vec3::X } else { axis / s };
    let (sin, cos) = sin_cos(0.5 * atan2(s, v.z));
    Quat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// The quaternion w, x, y, z, brought to unit length.
pub(super) fn quat(v: [f64; 4]) -> Option<Quat> {
    let q = Quat::from_xyzw(v[1], v[2], v[3], v[0]);
    let length = q.length();
    (length > TINY).then(|| Quat::from_xyzw(q.x / length, q.y / length, q.z / length, q.w / length))
}

/// The orientation of an element; the form that is given last counts. `None` when there is none.
pub(super) fn orientation(element: &Element<'_>, angles: &Angles) -> Result<Option<Quat>, Fault> {
    const FORMS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
    let own = element.node.attributes.iter().filter(|a| FORMS.contains(&a.name.as_str())).count();
    let Some(attribute) = element.all().filter(|a| FORMS.contains(&a.name.as_str())).last() else {
        return Ok(None);
    };
    if own > 1 {
        let help = "Keep one of quat, axisangle, xyaxes, zaxis, euler.";
        return Err(Fault::at(&attribute.place, "more than one orientation", help));
    }
    let count = match attribute.name.as_str() {
        "quat" | "axisangle" => 4,
        "xyaxes" => 6,
        _ => 3,
    };
    let v = numbers(attribute, count)?;
    let fail = |what: &str| Fault::at(&attribute.place, what, "");
    if v.len() != count {
        return Err(fail(&format!("`{}` has {} numbers, expected {count}", attribute.name, v.len())));
    }
    let unit = |v: Vec3| {
        let length = v.length();
        if length < TINY { Err(fail("the axis has no length")) } else { Ok(v / length) }
    };
    let q = match attribute.name.as_str() {
        "quat" => quat([v[0], v[1], v[2], v[3]]).ok_or_else(|| fail("the quaternion is zero"))?,
        "axisangle" => axis_angle(unit(Vec3::new(v[0], v[1], v[2]))?, v[3] * angles.unit),
        "xyaxes" => {
            let x = unit(Vec3::new(v[0], v[1], v[2]))?;
            let y = Vec3::new(v[3], v[4], v[5]);
            let y = unit(y - x * x.dot(y))?;
            Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize()
        }
        "zaxis" => z_to(unit(Vec3::new(v[0], v[1], v[2]))?),
        _ => angles.euler([v[0], v[1], v[2]]),
    };
    Ok(Some(q))
}

/// Position and orientation of an element.
pub(super) fn pose(element: &Element<'_>, angles: &Angles) -> Result<Pose, Fault> {
    let at = element.vec3("pos", Vec3::ZERO)?;
    Ok(Pose::new(orientation(element, angles)?.unwrap_or(Quat::IDENTITY), at))
}
