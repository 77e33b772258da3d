//! Checks of `[[edit]]`.

use super::{joint::unknown_body, number::Findings};
use crate::scene::{EditSpec, Motion, Scene, SpecPath};

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    for (i, edit) in scene.edits.iter().enumerate() {
        let path = SpecPath::top("edit").index(i);
        check_numbers(edit, &path, found);
        let Some(body) = scene.find_body(&edit.body) else {
            found.push(unknown_body(scene, path.key("body"), &edit.body));
            continue;
        };
        if scene.joints.iter().any(|joint| joint.child == edit.body) {
            found.add(
                path.key("body"),
                format_args!("{:?}", edit.body),
                "the body hangs on a joint and moves with it",
                "Name a body that no joint carries.",
            );
        }
        let moved = edit.linear_velocity.is_some() || edit.angular_velocity.is_some();
        if body.motion == Motion::Static && moved {
            found.add(
                path.key("body"),
                format_args!("{:?}", edit.body),
                "the body is static, so a velocity has no effect",
                "Make the body dynamic or driven, or change its position alone.",
            );
        }
    }
}

fn check_numbers(edit: &EditSpec, path: &SpecPath, found: &mut Findings) {
    for (key, vector) in [
        ("position", edit.position),
        ("linear_velocity", edit.linear_velocity),
        ("angular_velocity", edit.angular_velocity),
    ] {
        if let Some(vector) = vector {
            found.vector(|| path.key(key), vector);
        }
    }
    if let Some(q) = edit.orientation {
        found.quaternion(|| path.key("orientation"), q);
    }
}
