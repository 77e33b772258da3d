//! Actuators: activation, gain and bias.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | l, l̇ | `length`, `velocity` | of the transmission |
//! | w, u | `act`, `ctrl` | activation and control |
//! | F = gain·(w or u) + bias | `force` | scalar force along the transmission |

use super::servo::Input;
use huygens_math::scalar;
use huygens_math::trig::exp;

/// Numbers below this are none.
const TINY: f64 = 1e-15;

/// What an actuator acts on.
#[derive(Clone, Debug, PartialEq)]
pub enum Transmission {
    /// A joint, by its place among the joints that move; a ball's torque and a free body's are in axes of the child.
    Joint(usize),
    /// The same with torques in axes of the parent.
    JointInParent(usize),
    /// A tendon.
    Tendon(usize),
    /// A site: a wrench in its frame, or, with a reference site, the pose to that.
    Site {
        /// The site.
        site: usize,
        /// The reference site.
        refsite: Option<usize>,
    },
    /// A slider that a crank drives by a rod.
    SliderCrank {
        /// Site on the crank.
        crank: usize,
        /// Site of the slider, along its z axis.
        slider: usize,
        /// Length of the rod [m].
        rod: f64,
    },
    /// A body that sticks to what it touches.
    Body(usize),
}

/// How an activation follows the control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynKind {
    /// There is none.
    None,
    /// ẇ = u.
    Integrator,
    /// ẇ = (u − w)/τ.
    Filter,
    /// The same, integrated exactly.
    FilterExact,
    /// Muscle activation.
    Muscle,
    /// Slew and integral of a controller.
    Pid,
    /// Slew, integral, temperature, bristle and current of a motor.
    DcMotor,
    /// A callback: not done.
    User,
}

/// How a gain or a bias depends on length and velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainKind {
    /// Zero.
    None,
    /// The first number.
    Fixed,
    /// p₀ + p₁ l + p₂ l̇.
    Affine,
    /// Muscle force.
    Muscle,
    /// A controller with position, velocity and force for its controls.
    Pid,
    /// A motor with its windings.
    DcMotor,
    /// A callback: not done.
    User,
}

/// An actuator.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// What it acts on.
    pub transmission: Transmission,
    /// Force, and torque where there is one, for each unit of scalar force.
    pub gear: [f64; 6],
    /// How its activation follows the control.
    pub dynamics: DynKind,
    /// Kind of its gain.
    pub gain: GainKind,
    /// Kind of its bias.
    pub bias: GainKind,
    /// Numbers of the dynamics.
    pub dynprm: [f64; 10],
    /// Numbers of the gain.
    pub gainprm: [f64; 10],
    /// Numbers of the bias.
    pub biasprm: [f64; 10],
    /// Its controls in the list of all.
    pub controls: std::ops::Range<usize>,
    /// What each of its controls is.
    pub inputs: Vec<Input>,
    /// Bounds of each control.
    pub ctrlranges: Vec<Option<[f64; 2]>>,
    /// A turn, in units of the length, after which its set point comes back to itself; 0 for none.
    pub period: f64,
    /// Bounds of the force.
    pub forcerange: Option<[f64; 2]>,
    /// Bounds of the activation.
    pub actrange: Option<[f64; 2]>,
    /// Least and greatest length of a muscle.
    pub lengthrange: [f64; 2],
    /// |M⁻¹Jᵀ| at the start.
    pub acc0: f64,
    /// The force takes the activation at the end of the step.
    pub actearly: bool,
    /// Where its activations are; empty for none.
    pub act: std::ops::Range<usize>,
    /// False for one whose force is always zero.
    pub works: bool,
}

/// Length and velocity of a transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub length: f64,
    pub velocity: f64,
}

impl Actuator {
    /// Gain at a length and velocity.
    pub(super) fn gain_at(&self, m: Motion) -> f64 {
        let p = &self.gainprm;
        match self.gain {
            GainKind::Fixed => p[0],
            GainKind::Affine => p[0] + p[1] * m.length + p[2] * m.velocity,
            GainKind::Muscle => muscle_gain(m.length, m.velocity, self.lengthrange, self.acc0, p),
            GainKind::None | GainKind::Pid | GainKind::DcMotor | GainKind::User => 0.0,
        }
    }

    /// Bias at a length and velocity.
    pub(super) fn bias_at(&self, m: Motion) -> f64 {
        let p = &self.biasprm;
        match self.bias {
            GainKind::Affine => p[0] + p[1] * m.length + p[2] * m.velocity,
            GainKind::Muscle => muscle_bias(m.length, self.lengthrange, self.acc0, p),
            GainKind::None | GainKind::Fixed | GainKind::Pid | GainKind::DcMotor | GainKind::User => 0.0,
        }
    }

    /// Derivative of gain and of bias with respect to velocity.
    pub(super) fn velocity_slopes(&self, m: Motion) -> [f64; 2] {
        let gain = match self.gain {
            GainKind::Affine => self.gainprm[2],
            GainKind::Muscle => {
                muscle_slope(m.length, m.velocity, self.lengthrange, self.acc0, &self.gainprm)
            }
            _ => 0.0,
        };
        let bias = if self.bias == GainKind::Affine { self.biasprm[2] } else { 0.0 };
        [gain, bias]
    }

    /// Derivative of gain and of bias with respect to length; 0 for a muscle.
    pub(super) fn length_slopes(&self) -> [f64; 2] {
        let of = |kind: GainKind, p: &[f64; 10]| if kind == GainKind::Affine { p[1] } else { 0.0 };
        [of(self.gain, &self.gainprm), of(self.bias, &self.biasprm)]
    }

    /// The set point a whole number of turns from `u` that is nearest to `near`.
    pub(super) fn nearest(&self, u: f64, near: f64) -> f64 {
        if self.period > 0.0 { u - self.period * ((u - near) / self.period).round() } else { u }
    }

    /// Rate of the activation at control `u` and activation `w`.
    pub(super) fn activation_rate(&self, u: f64, w: f64) -> f64 {
        match self.dynamics {
            DynKind::Integrator => u,
            DynKind::Filter | DynKind::FilterExact => {
                (self.nearest(u, w) - w) / scalar::max(TINY, self.dynprm[0])
            }
            DynKind::Muscle => muscle_rate(u, w, &self.dynprm),
            DynKind::None | DynKind::Pid | DynKind::DcMotor | DynKind::User => 0.0,
        }
    }

    /// The activation after a step of length `h` at the rate `rate`.
    pub(super) fn next_activation(&self, w: f64, rate: f64, h: f64) -> f64 {
        let next = if self.dynamics == DynKind::FilterExact {
            let tau = scalar::max(TINY, self.dynprm[0]);
            w + rate * tau * (1.0 - exp(-h / tau))
        } else {
            w + rate * h
        };
        self.actrange.map_or(next, |[low, high]| scalar::clamp(next, low, high))
    }
}

/// Peak force of a muscle.
fn peak(acc0: f64, p: &[f64; 10]) -> f64 {
    if p[2] < 0.0 { p[3] / scalar::max(TINY, acc0) } else { p[2] }
}

/// Optimal length, and the length as a share of it.
fn normalised(length: f64, range: [f64; 2], p: &[f64; 10]) -> (f64, f64) {
    let l0 = (range[1] - range[0]) / scalar::max(TINY, p[1] - p[0]);
    (l0, p[0] + (length - range[0]) / scalar::max(TINY, l0))
}

/// Share of the peak force that a muscle of length `l` gives.
fn force_of_length(l: f64, lmin: f64, lmax: f64) -> f64 {
    if l < lmin || l > lmax {
        return 0.0;
    }
    let (a, b) = (0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax));
    let part = |x: f64, width: f64| x / scalar::max(TINY, width);
    if l <= a {
        0.5 * scalar::square(part(l - lmin, a - lmin))
    } else if l <= 1.0 {
        1.0 - 0.5 * scalar::square(part(1.0 - l, 1.0 - a))
    } else if l <= b {
        1.0 - 0.5 * scalar::square(part(l - 1.0, b - 1.0))
    } else {
        0.5 * scalar::square(part(lmax - l, lmax - b))
    }
}

/// Gain of a muscle: −F₀·FL·FV.
pub fn muscle_gain(length: f64, velocity: f64, range: [f64; 2], acc0: f64, p: &[f64; 10]) -> f64 {
    let (l0, l) = normalised(length, range, p);
    let (vmax, fvmax) = (p[6], p[8]);
    let v = velocity / scalar::max(TINY, l0 * vmax);
    let y = fvmax - 1.0;
    let fv = if v <= -1.0 {
        0.0
    } else if v <= 0.0 {
        (v + 1.0) * (v + 1.0)
    } else if v <= y {
        fvmax - (y - v) * (y - v) / scalar::max(TINY, y)
    } else {
        fvmax
    };
    -peak(acc0, p) * force_of_length(l, p[4], p[5]) * fv
}

fn muscle_slope(length: f64, velocity: f64, range: [f64; 2], acc0: f64, p: &[f64; 10]) -> f64 {
    let (l0, l) = normalised(length, range, p);
    let (vmax, fvmax) = (p[6], p[8]);
    let scale = scalar::max(TINY, l0 * vmax);
    let v = velocity / scale;
    let y = fvmax - 1.0;
    let slope = if v <= -1.0 || v > y {
        0.0
    } else if v <= 0.0 {
        2.0 * (v + 1.0)
    } else {
        2.0 * (y - v) / scalar::max(TINY, y)
    };
    -peak(acc0, p) * force_of_length(l, p[4], p[5]) * slope / scale
}

fn muscle_bias(length: f64, range: [f64; 2], acc0: f64, p: &[f64; 10]) -> f64 {
    let (_, l) = normalised(length, range, p);
    let (lmax, fpmax) = (p[5], p[7]);
    let b = 0.5 * (1.0 + lmax);
    let width = scalar::max(TINY, b - 1.0);
    if l <= 1.0 {
        0.0
    } else if l <= b {
        -peak(acc0, p) * fpmax * 0.5 * scalar::square((l - 1.0) / width)
    } else {
        -peak(acc0, p) * fpmax * (0.5 + (l - b) / width)
    }
}

fn muscle_rate(u: f64, w: f64, p: &[f64; 10]) -> f64 {
    let (u, bounded) = (u.clamp(0.0, 1.0), w.clamp(0.0, 1.0));
    let rise = p[0] * (0.5 + 1.5 * bounded);
    let fall = p[1] / (0.5 + 1.5 * bounded);
    let d = u - w;
    let tau = if p[2] < TINY {
        if d > 0.0 { rise } else { fall }
    } else {
        let x = (d / p[2] + 0.5).clamp(0.0, 1.0);
        fall + (rise - fall) * x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    };
    d / scalar::max(TINY, tau)
}
