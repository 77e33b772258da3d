//! What groups ask for beyond gaps, targets and bounds. The only file that fills demands.

use crate::model::Model;
use huygens_contact::{Compliance, Demand, Groups, Recovery, RowPose, Unit};
use huygens_dynamics::JointKind;

/// Demand of contacts: index into [`Groups::demands`].
pub(super) const CONTACT: u32 = 0;
/// Demand of contacts whose rows are those of the middle of the step.
pub(super) const CONTACT_AT_MIDDLE: u32 = 1;
/// Demand of limits of slides: that of contacts.
pub(super) const LENGTH: u32 = CONTACT;
/// Demand of limits of hinges, and of other rows with angles.
pub(super) const ANGLE: u32 = 2;

/// Demand of contacts of balls whose rows are those of their touch.
pub(super) const CONTACT_AT_TOUCH: u32 = 3;

/// First of the demands of limits that give way: one for each such joint of the model, in their order.
pub(super) const SOFT_LIMITS: u32 = 4;

/// Fills the demands of a step.
pub(super) fn demands(model: &Model, groups: &mut Groups) {
    let recovery = model.settings.recovery;
    let contact = Demand { recovery, compliance: Compliance::Rigid, unit: Unit::Metre, pose: RowPose::Start };
    let angle =
        Demand { recovery: in_radians(recovery, model.settings.length), unit: Unit::Radian, ..contact };
    let [middle, touch] = [RowPose::Middle, RowPose::Touch].map(|pose| Demand { pose, ..contact });
    groups.demands.extend([contact, middle, angle, touch]);
    for joint in model.joints.iter().filter(|joint| joint.is_soft()) {
        let rigid = if joint.kind == JointKind::Slide { contact } else { angle };
        groups.demands.push(Demand { compliance: joint.limit, ..rigid });
    }
}

/// The same recovery for angles: a length of the scene becomes the angle under which it is seen from the distance `length`.
fn in_radians(recovery: Recovery, length: f64) -> Recovery {
    match recovery {
        Recovery::None => Recovery::None,
        Recovery::Baumgarte { erp, cap, max_step } => {
            Recovery::Baumgarte { erp, cap: cap / length, max_step: max_step / length }
        }
        Recovery::SplitImpulse { beta, slop, max_step } => {
            Recovery::SplitImpulse { beta, slop: slop / length, max_step: max_step / length }
        }
        Recovery::Spring { hertz, damping_ratio, substeps, slop, max_speed } => Recovery::Spring {
            hertz,
            damping_ratio,
            substeps,
            slop: slop / length,
            max_speed: max_speed / length,
        },
    }
}
