//! Actuators with a controller of their own: `pid`, and the direct-current motor with its windings.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | R, K | `resistance`, `gainprm[1]` | of the winding at its temperature [Ω]; torque for each ampere, volts for each rad/s |
//! | τₑ | `dynprm[0]` | L/R of the winding [s]; 0: the current has no state |
//! | z, g | `bristle` | deflection of LuGre's bristle; its friction at a speed |
//!
//! Activations stand in the order slew, integral, temperature, bristle, current, each where it is switched on.

use super::actuator::{Actuator, GainKind, Motion};
use huygens_math::scalar;
use huygens_math::trig::{cos, exp, sin};

/// Numbers below this are none.
const TINY: f64 = 1e-15;

/// What a control of an actuator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// What the gain multiplies.
    Command,
    /// A position that is asked for.
    Position,
    /// A velocity that is asked for.
    Velocity,
    /// A force that is added.
    Force,
    /// A voltage at the terminals.
    Voltage,
}

/// The places of the activations that there are.
#[derive(Clone, Copy, Debug, Default)]
struct Slots {
    slew: Option<usize>,
    integral: Option<usize>,
    temperature: Option<usize>,
    bristle: Option<usize>,
    current: Option<usize>,
    count: usize,
}

/// A servo at a state: its controls within their bounds, its activations and its motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub controls: &'a [f64],
    pub act: &'a [f64],
    pub motion: Motion,
    pub step: f64,
}

/// What the controller sees: the first control follows no faster than its slew rate.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    first: f64,
    position: f64,
    velocity: f64,
    force: f64,
    voltage: f64,
}

fn slots(gain: GainKind, dynprm: &[f64; 10], gainprm: &[f64; 10]) -> Slots {
    let on = match gain {
        GainKind::Pid => [dynprm[1] > 0.0, gainprm[0] != 0.0, false, false, false],
        GainKind::DcMotor => {
            [dynprm[7] > 0.0, gainprm[5] > 0.0, dynprm[2] > 0.0, dynprm[5] > 0.0, dynprm[0] > 0.0]
        }
        _ => [false; 5],
    };
    let place = |k: usize| on[k].then(|| on[..k].iter().filter(|on| **on).count());
    Slots {
        slew: place(0),
        integral: place(1),
        temperature: place(2),
        bristle: place(3),
        current: place(4),
        count: on.iter().filter(|on| **on).count(),
    }
}

/// Activations that the numbers of a servo switch on.
pub fn servo_activations(gain: GainKind, dynprm: &[f64; 10], gainprm: &[f64; 10]) -> usize {
    slots(gain, dynprm, gainprm).count
}

impl Actuator {
    /// True for a servo of this file.
    pub(super) fn is_servo(&self) -> bool {
        matches!(self.gain, GainKind::Pid | GainKind::DcMotor)
    }

    fn slots(&self) -> Slots {
        if self.act.is_empty() { Slots::default() } else { slots(self.gain, &self.dynprm, &self.gainprm) }
    }

    /// Largest rate of the first control, and largest integral.
    fn bounds(&self) -> [f64; 2] {
        if self.gain == GainKind::Pid {
            [self.dynprm[1], self.dynprm[0]]
        } else {
            [self.dynprm[7], self.dynprm[8]]
        }
    }

    fn asked(&self, at: &At<'_>, slots: &Slots) -> Asked {
        let mut asked = Asked { first: at.controls.first().copied().unwrap_or(0.0), ..Asked::default() };
        if let Some(slot) = slots.slew {
            let (last, most) = (at.act[slot], self.bounds()[0] * at.step);
            asked.first = scalar::clamp(asked.first, last - most, last + most);
        }
        for (k, (input, u)) in self.inputs.iter().zip(at.controls).enumerate() {
            let u = if k == 0 { asked.first } else { *u };
            match input {
                Input::Command => {}
                Input::Position => asked.position = u,
                Input::Velocity => asked.velocity = u,
                Input::Force => asked.force = u,
                Input::Voltage => asked.voltage = u,
            }
        }
        asked
    }

    fn has_controller(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, Input::Position | Input::Velocity | Input::Force))
    }

    /// Resistance of the winding at its temperature.
    fn resistance(&self, at: &At<'_>, slots: &Slots) -> f64 {
        let [r, _, alpha, reference, ..] = self.gainprm;
        let warm =
            slots.temperature.map_or(1.0, |slot| 1.0 + alpha * (at.act[slot] + self.dynprm[4] - reference));
        scalar::max(TINY, r * warm)
    }

    /// Voltage at the terminals, and whether the controller's is at its bound.
    fn voltage(&self, at: &At<'_>, slots: &Slots) -> (f64, bool) {
        let asked = self.asked(at, slots);
        if !self.has_controller() {
            return (if at.controls.is_empty() { 0.0 } else { asked.first }, false);
        }
        let [r, k, _, _, kp, ki, kd, most, ..] = self.gainprm;
        let integral = slots.integral.map_or(0.0, |slot| at.act[slot]);
        let Motion { length, velocity } = at.motion;
        let torque =
            kp * (asked.position - length) + kd * (asked.velocity - velocity) + ki * integral + asked.force;
        let wanted = r / k * torque + k * velocity;
        let (given, bound) = if most > 0.0 {
            (scalar::clamp(wanted, -most, most), wanted.abs() >= most)
        } else {
            (wanted, false)
        };
        (given + asked.voltage, bound)
    }

    /// Rate at which the bristle forgets its deflection.
    fn bristle(&self, velocity: f64) -> f64 {
        let [coulomb, still, speed] = [self.biasprm[3], self.biasprm[4], self.biasprm[5]];
        let ratio = velocity / scalar::max(TINY, speed);
        let g = coulomb + (still - coulomb) * exp(-ratio * ratio);
        -self.dynprm[5] * velocity.abs() / scalar::max(TINY, g)
    }

    /// Rates of all activations of a servo.
    pub(super) fn servo_rates(&self, at: &At<'_>, rates: &mut [f64]) {
        let slots = self.slots();
        let Motion { length, velocity } = at.motion;
        let asked = self.asked(at, &slots);
        if let Some(slot) = slots.slew {
            rates[slot] = (asked.first - at.act[slot]) / at.step;
        }
        if let Some(slot) = slots.integral {
            let (most, x, error) = (self.bounds()[1], at.act[slot], asked.first - length);
            rates[slot] = match () {
                () if most > 0.0 && x >= most => scalar::min(error, 0.0),
                () if most > 0.0 && x <= -most => scalar::max(error, 0.0),
                () => error,
            };
        }
        if self.gain != GainKind::DcMotor {
            return;
        }
        let (voltage, r, k) = (self.voltage(at, &slots).0, self.resistance(at, &slots), self.gainprm[1]);
        if let Some(slot) = slots.temperature {
            let current = slots.current.map_or((voltage - k * velocity) / r, |slot| at.act[slot]);
            let [to_air, capacity] = [self.dynprm[2], self.dynprm[3]];
            rates[slot] = (r * current * current - at.act[slot] / to_air) / capacity;
        }
        if let Some(slot) = slots.bristle {
            rates[slot] = self.bristle(velocity) * at.act[slot] + velocity;
        }
        if let Some(slot) = slots.current {
            let rate = (voltage / r - k / r * velocity - at.act[slot]) / scalar::max(TINY, self.dynprm[0]);
            let most = self.dynprm[1];
            rates[slot] = if most > 0.0 { scalar::clamp(rate, -most, most) } else { rate };
        }
    }

    /// Activation `slot` of a servo after a step of length `h`.
    pub(super) fn servo_next(&self, slot: usize, w: f64, rate: f64, motion: Motion, h: f64) -> f64 {
        let slots = self.slots();
        if slots.current == Some(slot) {
            let tau = scalar::max(TINY, self.dynprm[0]);
            return w + rate * tau * (1.0 - exp(-h / tau));
        }
        if slots.bristle == Some(slot) {
            let a = self.bristle(motion.velocity);
            let grown = exp(a * h);
            let time = if a.abs() > TINY { (grown - 1.0) / a } else { h };
            return grown * w + time * motion.velocity;
        }
        let (next, most) = (w + rate * h, self.bounds()[1]);
        // A `pid` stops at its bound, but is not put back to it.
        let bounded = slots.integral == Some(slot) && most > 0.0 && self.gain == GainKind::DcMotor;
        if bounded { scalar::clamp(next, -most, most) } else { next }
    }

    /// Force of a servo before its bounds, and what comes after them: cogging and friction.
    pub(super) fn servo_force(&self, at: &At<'_>, rates: &[f64]) -> [f64; 2] {
        let slots = self.slots();
        let Motion { length, velocity } = at.motion;
        if self.gain == GainKind::Pid {
            let asked = self.asked(at, &slots);
            let integral = slots.integral.map_or(0.0, |slot| at.act[slot]);
            let [kp, kv] = [-self.biasprm[1], -self.biasprm[2]];
            let wanted = kp * asked.position + kv * asked.velocity + self.gainprm[0] * integral + asked.force;
            return [wanted + self.bias_at(at.motion), 0.0];
        }
        let k = self.gainprm[1];
        let electric = match slots.current {
            Some(slot) => {
                let (w, rate) = (at.act[slot], rates[slot]);
                k * if self.actearly { self.servo_next(slot, w, rate, at.motion, at.step) } else { w }
            }
            None => k / self.resistance(at, &slots) * (self.voltage(at, &slots).0 - k * velocity),
        };
        let [amplitude, poles, phase] = [self.biasprm[0], self.biasprm[1], self.biasprm[2]];
        let mut mechanical = if amplitude == 0.0 { 0.0 } else { amplitude * sin(poles * length + phase) };
        if let Some(slot) = slots.bristle {
            mechanical -= self.dynprm[5] * at.act[slot] + self.dynprm[6] * rates[slot];
        }
        [electric, mechanical]
    }

    /// Derivatives of the force of a motor with respect to length and velocity; its windings give none where `bounded`.
    pub(super) fn motor_slopes(&self, at: &At<'_>, rates: &[f64], bounded: bool) -> [f64; 2] {
        let slots = self.slots();
        let [amplitude, poles, phase] = [self.biasprm[0], self.biasprm[1], self.biasprm[2]];
        let mut slopes =
            [amplitude * poles * cos(poles * at.motion.length + phase), -scalar::max(self.dynprm[6], 0.0)];
        if bounded {
            return slopes;
        }
        let (k, r) = (self.gainprm[1], self.resistance(at, &slots));
        let (mut by_length, mut by_velocity) = (0.0, 0.0);
        if self.has_controller() && !self.voltage(at, &slots).1 {
            let nominal = scalar::max(TINY, self.gainprm[0]);
            (by_length, by_velocity) = (-self.gainprm[4] * nominal / k, -self.gainprm[6] * nominal / k + k);
        }
        let share = match slots.current {
            None => k / r,
            Some(slot) => {
                let most = self.dynprm[1];
                let free = self.actearly && !(most > 0.0 && rates[slot].abs() >= most);
                if free { k / r * (1.0 - exp(-at.step / scalar::max(TINY, self.dynprm[0]))) } else { 0.0 }
            }
        };
        slopes[0] += share * by_length;
        slopes[1] += share * (by_velocity - k);
        slopes
    }
}
