//! Attributes of URDF's elements.

use crate::mjcf::Fault;
use huygens_math::trig::axis_angle;
use huygens_math::{Pose, Quat, Vec3};
use roxmltree::Node;

/// What elements are read with.
pub(super) struct Reader {
    pub source: std::sync::Arc<crate::mjcf::Source>,
}

impl Reader {
    pub fn fault(&self, node: Node<'_, '_>, message: impl Into<String>, help: &str) -> Fault {
        let start = node.range().start;
        let place = crate::mjcf::Place {
            source: self.source.clone(),
            span: start..start + 1 + node.tag_name().name().len(),
        };
        Fault::at(&place, message, help)
    }

    /// Numbers of an attribute; `default` when it is not there. As in ROS, commas may stand between them, what follows the last one is
    /// not read, and `$(optenv NAME …)` stands for its default.
    pub fn numbers<const N: usize>(
        &self,
        node: Node<'_, '_>,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], Fault> {
        let Some(text) = node.attribute(name) else { return Ok(default) };
        let plain = match text.trim().strip_prefix("$(optenv ").and_then(|rest| rest.strip_suffix(')')) {
            Some(rest) => rest.split_once(' ').map_or("", |(_, values)| values),
            None => text,
        };
        let words = plain.split([' ', ',', '\t', '\n', '\r']).filter(|w| !w.is_empty());
        let found: Option<Vec<f64>> = words.take(N).map(|w| number(w).filter(|x| x.is_finite())).collect();
        found.and_then(|list| <[f64; N]>::try_from(list).ok()).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            self.fault(node, format!("`{name}` is {shown:?}, expected {N} numbers"), "Mend the numbers.")
        })
    }

    pub fn number(&self, node: Node<'_, '_>, name: &str, default: f64) -> Result<f64, Fault> {
        Ok(self.numbers(node, name, [default])?[0])
    }

    pub fn text<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, Fault> {
        node.attribute(name).ok_or_else(|| {
            let message = format!("<{}> has no attribute `{name}`", node.tag_name().name());
            self.fault(node, message, "Write it.")
        })
    }

    /// `<origin xyz rpy>` of an element.
    pub fn origin(&self, node: Node<'_, '_>) -> Result<Pose, Fault> {
        let Some(origin) = child(node, "origin") else { return Ok(Pose::IDENTITY) };
        let at = self.numbers(origin, "xyz", [0.0; 3])?;
        let [roll, pitch, yaw] = self.numbers(origin, "rpy", [0.0; 3])?;
        let turn = axis_angle(Vec3::Z, yaw) * axis_angle(Vec3::Y, pitch) * axis_angle(Vec3::X, roll);
        Ok(Pose::new(turn.normalize(), Vec3::from_array(at)))
    }
}

/// A number; a second point after it, as in `1.57.`, is passed over, as the C library does.
fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| word.strip_suffix('.')?.parse().ok())
}

/// The first element inside with a name.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|c| c.has_tag_name(tag))
}

/// Numbers as MJCF writes them.
pub(super) fn list(values: &[f64]) -> String {
    values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ")
}

/// `pos` and `quat` of a pose.
pub(super) fn placed(pose: &Pose) -> String {
    let Quat { x, y, z, w } = pose.rotation;
    format!("pos=\"{}\" quat=\"{}\"", list(&pose.translation.to_array()), list(&[w, x, y, z]))
}
