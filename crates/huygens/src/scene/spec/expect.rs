//! What a scene's own test checks after its last step.

use crate::ledger::Account;
use crate::scene::{Named, number_text};
use std::fmt;

/// The checks of a scene: `[expect]`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expect {
    /// The checks after the last step; all of them must hold.
    pub checks: Vec<Check>,
    /// The checks on the way: `[[expect.during]]`.
    pub during: Vec<During>,
}

/// Checks of a time of the run, both ends included; the start of the run is its time 0.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct During {
    /// First moment [s]; `None` for the start.
    pub from: Option<f64>,
    /// Last moment [s]; `None` for the end.
    pub until: Option<f64>,
    /// Which of the values that a quantity has in that time must be in the band.
    pub take: Take,
    /// The checks.
    pub checks: Vec<Check>,
}

/// Which of many values counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Take {
    /// All of them.
    #[default]
    Every,
    /// The largest.
    Most,
    /// The smallest.
    Least,
}

impl Named for Take {
    const NAMES: &'static [(&'static str, Self)] =
        &[("every", Self::Every), ("most", Self::Most), ("least", Self::Least)];
}

/// One quantity, and the band in which it must end.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Check {
    /// What is looked at.
    pub quantity: Quantity,
    /// Where it must be.
    pub band: Band,
}

/// Both ends belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "[Option<f64>; 2]", from = "[Option<f64>; 2]"))]
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
    /// What the last step changed of it [J].
    EnergyChange,
    /// Contact points of the last step that overlapped or carried an impulse.
    Contacts,
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
        ("energy_change", Self::EnergyChange),
        ("contacts", Self::Contacts),
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// Angle between the vertical and the body's own axis that is nearest to it [rad]: 0 on any face of a box.
    Tilt,
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
        ("tilt", Self::Tilt),
        ("kinetic_energy", Self::KineticEnergy),
    ];
}

/// What can be checked of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// When it was found [s]; `None` after the last step.
    pub time: Option<f64>,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Check { quantity, band } = &self.check;
        match self.value {
            Some(value) => write!(f, "{quantity} is {}", number_text(value))?,
            None => write!(f, "{quantity} is not in the result")?,
        }
        if let Some(time) = self.time {
            write!(f, " at {} s", number_text(time))?;
        }
        write!(f, "; expected {} to {}", number_text(band.low), number_text(band.high))
    }
}

impl Expect {
    /// Number of checks, at the end and on the way.
    pub fn len(&self) -> usize {
        self.checks.len() + self.during.iter().map(|during| during.checks.len()).sum::<usize>()
    }

    /// True when nothing is expected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
    fn unmet_checks_name_quantity_value_time_and_band() {
        let unmet = |quantity, value, time| {
            let check = Check { quantity, band: Band { low: 0.0, high: 1.0 } };
            Unmet { check, value, time }.to_string()
        };
        let body = Quantity::Body("box".into(), BodyQuantity::Z);
        assert_eq!(unmet(body, None, None), "bodies.\"box\".z is not in the result; expected 0 to 1");
        let impact = Quantity::Ledger("impact");
        assert_eq!(unmet(impact, Some(-2.0), None), "ledger.impact is -2; expected 0 to 1");
        assert_eq!(unmet(Quantity::Energy, Some(3.0), Some(0.5)), "energy is 3 at 0.5 s; expected 0 to 1");
    }
}

/// Checks as serde writes them: accounts by name, and no bound for an infinite one, which JSON has not.
#[cfg(feature = "serde")]
mod written {
    use super::{Band, BodyQuantity, DriverQuantity, JointQuantity, LEDGER_ACCOUNTS};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    impl Serialize for super::Quantity {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            Quantity::from(self.clone()).serialize(to)
        }
    }

    impl<'de> Deserialize<'de> for super::Quantity {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            Quantity::deserialize(from)?.try_into().map_err(serde::de::Error::custom)
        }
    }

    #[derive(Serialize, Deserialize)]
    enum Quantity {
        KineticEnergy,
        Energy,
        EnergyChange,
        Contacts,
        MaxPenetration,
        MaxPenetrationEnd,
        Body(String, BodyQuantity),
        Ledger(String),
        Driver(String, DriverQuantity),
        Joint(String, JointQuantity),
    }

    impl From<super::Quantity> for Quantity {
        fn from(quantity: super::Quantity) -> Self {
            match quantity {
                super::Quantity::KineticEnergy => Self::KineticEnergy,
                super::Quantity::Energy => Self::Energy,
                super::Quantity::EnergyChange => Self::EnergyChange,
                super::Quantity::Contacts => Self::Contacts,
                super::Quantity::MaxPenetration => Self::MaxPenetration,
                super::Quantity::MaxPenetrationEnd => Self::MaxPenetrationEnd,
                super::Quantity::Body(name, field) => Self::Body(name, field),
                super::Quantity::Ledger(account) => Self::Ledger(account.to_owned()),
                super::Quantity::Driver(name, field) => Self::Driver(name, field),
                super::Quantity::Joint(name, field) => Self::Joint(name, field),
            }
        }
    }

    impl TryFrom<Quantity> for super::Quantity {
        type Error = String;

        fn try_from(quantity: Quantity) -> Result<Self, String> {
            Ok(match quantity {
                Quantity::KineticEnergy => Self::KineticEnergy,
                Quantity::Energy => Self::Energy,
                Quantity::EnergyChange => Self::EnergyChange,
                Quantity::Contacts => Self::Contacts,
                Quantity::MaxPenetration => Self::MaxPenetration,
                Quantity::MaxPenetrationEnd => Self::MaxPenetrationEnd,
                Quantity::Body(name, field) => Self::Body(name, field),
                Quantity::Ledger(name) => {
                    let known = LEDGER_ACCOUNTS.iter().find(|known| **known == name);
                    Self::Ledger(known.ok_or_else(|| format!("the ledger has no account {name:?}"))?)
                }
                Quantity::Driver(name, field) => Self::Driver(name, field),
                Quantity::Joint(name, field) => Self::Joint(name, field),
            })
        }
    }

    impl From<Band> for [Option<f64>; 2] {
        fn from(band: Band) -> Self {
            [band.low, band.high].map(|bound| bound.is_finite().then_some(bound))
        }
    }

    impl From<[Option<f64>; 2]> for Band {
        fn from([low, high]: [Option<f64>; 2]) -> Self {
            Self { low: low.unwrap_or(f64::NEG_INFINITY), high: high.unwrap_or(f64::INFINITY) }
        }
    }
}
