//! What a scene's own test checks after its last step.

use crate::ledger::Account;
use crate::scene::Named;
use std::fmt;

/// The checks of a scene: `[expect]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// The checks; all of them must hold.
    pub checks: Vec<Check>,
}

/// One quantity, and the band in which it must end.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What is looked at.
    pub quantity: Quantity,
    /// Where it must be.
    pub band: Band,
}

/// Both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Smallest allowed value.
    pub low: f64,
    /// Largest allowed value.
    pub high: f64,
}

impl Band {
    /// True when `x` is inside; false for NaN.
    pub fn holds(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
}

/// What a check looks at, after the last step.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Kinetic energy of everything [J].
    KineticEnergy,
    /// Kinetic plus potential energy [J].
    Energy,
    /// Deepest overlap of the whole run [m].
    MaxPenetration,
    /// Deepest overlap after the last step [m].
    MaxPenetrationEnd,
    /// Something of one body: `bodies.NAME.FIELD`.
    Body(String, BodyQuantity),
    /// Energy that an account brought in [J]: `ledger.ACCOUNT`.
    Ledger(&'static str),
    /// Something of one driver: `drivers.NAME.FIELD`.
    Driver(String, DriverQuantity),
    /// Something of one joint: `joints.NAME.FIELD`.
    Joint(String, JointQuantity),
}

impl Quantity {
    /// The quantities of the whole scene with their keys.
    pub const WHOLE: &'static [(&'static str, Self)] = &[
        ("kinetic_energy", Self::KineticEnergy),
        ("energy", Self::Energy),
        ("max_penetration", Self::MaxPenetration),
        ("max_penetration_end", Self::MaxPenetrationEnd),
    ];
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(name, field) => write!(f, "bodies.{name:?}.{}", field.word()),
            Self::Ledger(account) => write!(f, "ledger.{account}"),
            Self::Driver(name, field) => write!(f, "drivers.{name:?}.{}", field.word()),
            Self::Joint(name, field) => write!(f, "joints.{name:?}.{}", field.word()),
            whole => {
                let key = Self::WHOLE.iter().find(|(_, q)| q == whole).map_or("?", |(key, _)| key);
                f.write_str(key)
            }
        }
    }
}

/// What can be checked of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyQuantity {
    /// Position of the body's frame [m].
    X,
    /// Position of the body's frame [m].
    Y,
    /// Position of the body's frame [m].
    Z,
    /// Position of the body's frame against gravity (`WorldSpec::up`) [m].
    Height,
    /// Velocity of the centre of mass [m/s].
    Vx,
    /// Velocity of the centre of mass [m/s].
    Vy,
    /// Velocity of the centre of mass [m/s].
    Vz,
    /// Length of the velocity of the centre of mass [m/s].
    Speed,
    /// Spin in world axes [rad/s].
    Wx,
    /// Spin in world axes [rad/s].
    Wy,
    /// Spin in world axes [rad/s].
    Wz,
    /// Length of the spin [rad/s].
    Spin,
    /// Angle between the orientations at the start and now [rad], 0 to π.
    Turn,
    /// Kinetic energy [J].
    KineticEnergy,
}

impl Named for BodyQuantity {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("x", Self::X),
        ("y", Self::Y),
        ("z", Self::Z),
        ("height", Self::Height),
        ("vx", Self::Vx),
        ("vy", Self::Vy),
        ("vz", Self::Vz),
        ("speed", Self::Speed),
        ("wx", Self::Wx),
        ("wy", Self::Wy),
        ("wz", Self::Wz),
        ("spin", Self::Spin),
        ("turn", Self::Turn),
        ("kinetic_energy", Self::KineticEnergy),
    ];
}

/// What can be checked of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverQuantity {
    /// Work that it gave [J].
    Work,
    /// Largest force of a step [N].
    PeakForce,
    /// Largest torque of a step [N·m].
    PeakTorque,
}

impl Named for DriverQuantity {
    const NAMES: &'static [(&'static str, Self)] =
        &[("work", Self::Work), ("peak_force", Self::PeakForce), ("peak_torque", Self::PeakTorque)];
}

/// What can be checked of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointQuantity {
    /// Joint coordinate [rad].
    Q,
    /// Its rate [rad/s].
    V,
}

impl Named for JointQuantity {
    const NAMES: &'static [(&'static str, Self)] = &[("q", Self::Q), ("v", Self::V)];
}

/// The accounts of the energy ledger, in the order in which they are printed (INTERFACE.md, JSON of `run`), and what is left.
pub const LEDGER_ACCOUNTS: &[&str] = &{
    let mut names = [""; Account::ALL.len() + 2];
    let mut i = 0;
    while i < Account::ALL.len() {
        names[i] = Account::ALL[i].name();
        i += 1;
    }
    names[i] = "unexplained";
    names[i + 1] = "worst_step_unexplained";
    names
};

/// A check that did not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmet {
    /// The check.
    pub check: Check,
    /// The value found; `None` when the run has no such quantity.
    pub value: Option<f64>,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { quantity, band } = &self.check;
        match self.value {
            Some(value) => write!(f, "{quantity} is {value}; expected {} to {}", band.low, band.high),
            None => write!(f, "{quantity} is not in the result; expected {} to {}", band.low, band.high),
        }
    }
}

impl Expect {
    /// The checks that do not hold, where `value` gives each quantity after the run.
    pub fn unmet(&self, mut value: impl FnMut(&Quantity) -> Option<f64>) -> Vec<Unmet> {
        let look = |check: &Check| {
            let value = value(&check.quantity);
            let holds = value.is_some_and(|x| check.band.holds(x));
            (!holds).then(|| Unmet { check: check.clone(), value })
        };
        self.checks.iter().filter_map(look).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_holds_its_ends_and_never_nan() {
        let band = Band { low: -1.0, high: 2.0 };
        assert!(band.holds(-1.0) && band.holds(2.0));
        assert!(!band.holds(2.1) && !band.holds(f64::NAN));
    }

    #[test]
    fn unmet_checks_name_quantity_value_and_band() {
        let check = |quantity| Check { quantity, band: Band { low: 0.0, high: 1.0 } };
        let expect = Expect {
            checks: vec![
                check(Quantity::Energy),
                check(Quantity::Body("box".into(), BodyQuantity::Z)),
                check(Quantity::Ledger("impact")),
            ],
        };
        let unmet = expect.unmet(|q| match q {
            Quantity::Energy => Some(0.5),
            Quantity::Ledger(_) => Some(-2.0),
            _ => None,
        });
        let lines: Vec<String> = unmet.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "bodies.\"box\".z is not in the result; expected 0 to 1",
                "ledger.impact is -2; expected 0 to 1"
            ]
        );
    }
}
