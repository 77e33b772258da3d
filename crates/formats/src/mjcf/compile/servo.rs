//! Actuators with a controller of their own: `pid` and `dcmotor`.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::{Actuator, DynKind, GainKind, Input};

/// The inputs of `pid`, in their order.
pub(super) const CONTROLLER: [(&str, Input); 3] =
    [("pos", Input::Position), ("vel", Input::Velocity), ("ff", Input::Force)];
/// The inputs of `dcmotor`, in their order.
pub(super) const MOTOR: [(&str, Input); 4] =
    [("pos", Input::Position), ("vel", Input::Velocity), ("ff", Input::Force), ("voltage", Input::Voltage)];

/// Which controls an actuator has, and their bounds.
pub(super) fn signature(
    e: &Element<'_>,
    a: &mut Actuator,
    known: &[(&str, Input)],
    default: &str,
) -> Result<(), Fault> {
    let text = e.text("input").unwrap_or(default);
    let words: Vec<&str> = text.split_whitespace().collect();
    let places: Vec<Option<usize>> =
        words.iter().map(|word| known.iter().position(|(name, _)| name == word)).collect();
    let none = words == ["none"] && known.len() == MOTOR.len();
    let in_order = places.windows(2).all(|pair| pair[0] < pair[1]);
    if !none && (places.contains(&None) || !in_order) {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let help = format!("Write some of `{}`, in this order.", names.join(" "));
        return Err(e.fault(format!("`input` is {text:?}"), help));
    }
    let first = a.ctrlranges[0];
    a.inputs = places.into_iter().flatten().map(|place| known[place].1).collect();
    a.ctrlranges.clear();
    for (k, input) in a.inputs.iter().enumerate() {
        let own = match input {
            Input::Position => "posrange",
            Input::Velocity => "velrange",
            Input::Force => "ffrange",
            _ => "ctrlrange",
        };
        let range = e.reals(own, [0.0; 2])?;
        let range = if range != [0.0; 2] { Some(range) } else { first.filter(|_| k == 0) };
        if let Some([low, high]) = range.filter(|[low, high]| low >= high) {
            return Err(
                e.fault(format!("`{own}` is {low} {high}"), "The first number must be the lower one.")
            );
        }
        a.ctrlranges.push(range);
    }
    Ok(())
}

/// A controller of position and velocity.
pub(super) fn pid(e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    let (kp, ki) = (e.real("kp", 1.0)?, e.real("ki", 0.0)?);
    let own = |name: &str| e.node.own(name).is_some();
    if own("kv") && own("dampratio") {
        return Err(e.fault("`kv` and `dampratio`", "Keep one of them."));
    }
    signature(e, a, &CONTROLLER, "pos vel")?;
    if ki != 0.0 && !a.inputs.contains(&Input::Position) {
        return Err(e.fault("`ki` without the input `pos`", "Add `pos` to `input`."));
    }
    let slew = e.real("slewmax", 0.0)?;
    if slew > 0.0 && !a.inputs.contains(&Input::Position) {
        return Err(e.fault("`slewmax` without the input `pos`", "Add `pos` to `input`."));
    }
    (a.dynprm, a.gainprm, a.biasprm) = ([0.0; 10], [0.0; 10], [0.0; 10]);
    (a.dynprm[0], a.dynprm[1], a.gainprm[0]) = (e.real("imax", 0.0)?, slew, ki);
    (a.biasprm[1], a.biasprm[2]) = (-kp, -e.real("kv", 0.0)?);
    let last = e.all().filter(|attribute| matches!(attribute.name.as_str(), "kv" | "dampratio")).last();
    if last.is_some_and(|attribute| attribute.name == "dampratio") {
        a.biasprm[2] = e.real("dampratio", 0.0)?;
        a.dampratio = a.biasprm[2] > 0.0;
    }
    a.dynamics = if slew > 0.0 || ki != 0.0 { DynKind::Pid } else { DynKind::None };
    (a.gain, a.bias) = (GainKind::Pid, GainKind::Affine);
    Ok(())
}

/// A motor by its data sheet.
pub(super) fn motor(e: &Element<'_>, a: &mut Actuator) -> Result<(), Fault> {
    signature(e, a, &MOTOR, "voltage")?;
    let [torque_constant, speed_constant] = e.reals("motorconst", [0.0; 2])?;
    let [voltage, stall, no_load] = e.reals("nominal", [0.0; 3])?;
    let mut k = match (torque_constant > 0.0, speed_constant > 0.0) {
        (true, true) => (torque_constant * speed_constant).sqrt(),
        _ => huygens_math::scalar::max(torque_constant, speed_constant),
    };
    if k <= 0.0 && no_load > 0.0 {
        k = voltage / no_load;
    }
    let mut r = e.real("resistance", 0.0)?;
    if r <= 0.0 && stall > 0.0 {
        r = k * voltage / stall;
    }
    if r <= 0.0 || (k <= 0.0 && !a.inputs.is_empty()) {
        let help = "Write `motorconst` and `resistance`, or `nominal`.";
        return Err(e.fault("the motor has no resistance or no constant", help));
    }
    let [inductance, time] = e.reals("inductance", [0.0; 2])?;
    let [mut to_air, mut capacity, thermal_time, alpha, reference, ambient] = e.reals("thermal", [0.0; 6])?;
    if thermal_time > 0.0 && to_air > 0.0 {
        capacity = thermal_time / to_air;
    } else if thermal_time > 0.0 && capacity > 0.0 {
        to_air = thermal_time / capacity;
    }
    if to_air > 0.0 && capacity <= 0.0 {
        return Err(e.fault("`thermal` has a resistance alone", "Give its capacitance or its time constant."));
    }
    let [torque, current, current_rate] = e.reals("saturation", [0.0; 3])?;
    let [kp, ki, kd, slew, most_integral, most_voltage] = e.reals("controller", [0.0; 6])?;
    let [amplitude, poles, phase] = e.reals("cogging", [0.0; 3])?;
    let [stiffness, damping, coulomb, still, stribeck] = e.reals("lugre", [0.0; 5])?;
    let time = if inductance > 0.0 { inductance / r } else { time };
    a.dynprm = [time, current_rate, to_air, capacity, ambient, stiffness, damping, slew, most_integral, 0.0];
    a.gainprm = [r, k, alpha, reference, kp, ki, kd, most_voltage, 0.0, 0.0];
    a.biasprm = [amplitude, poles, phase, coulomb, still, stribeck, 0.0, 0.0, 0.0, 0.0];
    if e.get("saturation").is_some() {
        let most = if torque > 0.0 { torque } else { k * current };
        a.forcerange = (most > 0.0).then_some([-most, most]);
    }
    a.actearly = true;
    (a.dynamics, a.gain, a.bias) = (DynKind::DcMotor, GainKind::DcMotor, GainKind::DcMotor);
    Ok(())
}
