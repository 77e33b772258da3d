//! What groups ask for beyond gaps and bounds. The only file that fills demands and the velocity targets of contacts.
//!
//! Recovery, compliance, unit and pose are the same for most groups and stand in a few [`Demand`]s that groups share. The velocity that a contact
//! point is asked for is zero but for surfaces that move along themselves and points that run over a surface: these stand in a list of their own
//! ([`SurfaceVelocity`]), so that a [`huygens_contact::Point`] stays small.

use crate::access::AssembleAccess;
use crate::model::{DofModel, Model};
use crate::scene::{MotorKind, MotorSpec};
use crate::state::State;
use huygens_contact::{Compliance, Demand, GroupKey, Groups, Recovery, RowPose, SurfaceVelocity, Unit};
use huygens_dynamics::JointKind;
use huygens_math::Vec3;

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
    let compliance = if model.settings.solver.is_soft() {
        Compliance::Impedance(model.settings.contact.convex.softness)
    } else {
        Compliance::Rigid
    };
    let contact = Demand { recovery, compliance, unit: Unit::Metre, pose: RowPose::Start };
    let angle =
        Demand { recovery: in_radians(recovery, model.settings.length), unit: Unit::Radian, ..contact };
    let [middle, touch] = [RowPose::Middle, RowPose::Touch].map(|pose| Demand { pose, ..contact });
    groups.demands.extend([contact, middle, angle, touch]);
    let rigid = |dof: &DofModel| if dof.kind == JointKind::Slide { contact } else { angle };
    for dof in model.joint_dofs.iter().filter(|dof| dof.is_soft()) {
        groups.demands.push(Demand { compliance: dof.limit, ..rigid(dof) });
    }
    for dof in &model.joint_dofs {
        if let Some(damping) = dof.limited_motor().and_then(|motor| motor_gain(model, motor)) {
            let compliance = Compliance::Spring { stiffness: 0.0, damping };
            groups.demands.push(Demand { compliance, ..rigid(dof) });
        }
    }
    for tendon in &model.tendons {
        let motor = tendon.motor.filter(|motor| motor.kind != MotorKind::Torque);
        for motor in [motor, tendon.spring_motor()].into_iter().flatten() {
            if let Some(damping) = motor_gain(model, &motor) {
                let compliance = Compliance::Spring { stiffness: 0.0, damping };
                groups.demands.push(Demand { compliance, ..contact });
            }
        }
    }
}

/// The velocity target of the contact that begins with point `first`, when one of its two shapes has a surface velocity.
pub(super) fn surface_velocity(
    model: &Model,
    state: &State,
    work: &mut AssembleAccess,
    key: GroupKey,
    first: u32,
    normal: Vec3,
) {
    let mut surface = at_rest(first);
    for (k, slot) in key.shapes().into_iter().enumerate() {
        let shape = &model.shapes[slot as usize];
        let body = shape.body as usize;
        let given = work.meet.change(&key).and_then(|change| change.surface_velocity[k]);
        let velocity = given.unwrap_or_else(|| state.orientation[body] * shape.surface_velocity);
        let Some(driver) = model.bodies[body].driver.filter(|_| velocity != Vec3::ZERO) else {
            continue;
        };
        surface.velocity[k] = velocity - normal * normal.dot(velocity);
        surface.driver[k] = Some(driver);
    }
    if surface.driver != [None; 2] {
        work.groups.surface_velocities.push(surface);
    }
}

/// Asks the contact that begins with point `first`, whose rows are those of the middle of the step, for the velocity of a point that runs over the
/// surfaces.
pub(super) fn half_change(groups: &mut Groups, first: u32, half_change: Vec3) {
    let list = &mut groups.surface_velocities;
    match list.binary_search_by_key(&first, |surface| surface.first) {
        Ok(at) => list[at].half_change = half_change,
        Err(at) => list.insert(at, SurfaceVelocity { half_change, ..at_rest(first) }),
    }
}

/// No velocity target.
fn at_rest(first: u32) -> SurfaceVelocity {
    SurfaceVelocity { first, velocity: [Vec3::ZERO; 2], driver: [None; 2], half_change: Vec3::ZERO }
}

/// First of the demands of tendons: one for each motor and each spring of a tendon that has gains.
pub(super) fn first_of_tendons(model: &Model) -> u32 {
    let soft = model.joint_dofs.iter().filter(|dof| dof.is_soft()).count();
    let gain = |dof: &&DofModel| dof.limited_motor().and_then(|motor| motor_gain(model, motor)).is_some();
    SOFT_LIMITS + (soft + model.joint_dofs.iter().filter(gain).count()) as u32
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

/// Share of the velocity at the end of a step in the mean of those that a row sees in it: all of it, but for sub-steps.
pub(super) fn end_share(model: &Model) -> f64 {
    let settings = &model.settings;
    if settings.solver.displaces() { 0.5 + 0.5 / f64::from(settings.contact.soft.substeps) } else { 1.0 }
}

/// Force for each unit of velocity at the end of the step of a motor that acts at its middle: (c/2 + hk/4) over [`end_share`]; `None` for a
/// rigid one.
pub(super) fn motor_gain(model: &Model, motor: &MotorSpec) -> Option<f64> {
    let stiffness = if motor.kind == MotorKind::Position { motor.stiffness } else { 0.0 };
    let gain = 0.5 * motor.damping + 0.25 * model.settings.dt * stiffness;
    (gain > 0.0).then(|| gain / end_share(model))
}
