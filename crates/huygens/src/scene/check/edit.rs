//! Checks of `[[edit]]`.

use super::{joint::unknown_body, number::Findings, table};
use crate::scene::{Motion, Scene, SpecPath};

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    for (i, edit) in scene.edits.iter().enumerate() {
        let path = SpecPath::top("edit").index(i);
        table::check(edit, &path, found);
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
