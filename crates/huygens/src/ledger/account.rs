//! The accounts.

/// Where energy can come from or go to. An account holds the energy that it brought into the system: losses are
/// negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// Work of the gravity kick plus the change of potential energy: the integrator's own defect.
    Gravity,
    /// Forces and torques that the user applies.
    User,
    /// Motors.
    Actuator,
    /// Normal impulses of contacts.
    Impact,
    /// Tangential impulses of contacts.
    Friction,
    /// Bodies with prescribed motion.
    Driver,
    /// Equality rows.
    Joint,
    /// Joint limits.
    Limit,
    /// Velocity biases.
    Stabilisation,
    /// Energy stored in springs by other than the springs' own work.
    Spring,
    /// Dampers.
    Viscous,
    /// What an implicit spring loses to its integrator, and what rolling would gain by it.
    Numerical,
    /// The gyroscopic term.
    Gyroscopic,
    /// Trees: the change of joint-space inertia and potential in the drift, against the force that the kick used.
    Integration,
    /// Displacements that correct positions.
    Correction,
    /// Changes by the user: bodies added, removed, moved, velocities set.
    Edit,
    /// Work that a driver's cap removed.
    DriverCap,
    /// A surrounding medium.
    Medium,
}

impl Account {
    /// Every account, in the order in which they are printed.
    pub const ALL: [Self; 18] = [
        Self::Gravity,
        Self::User,
        Self::Actuator,
        Self::Impact,
        Self::Friction,
        Self::Driver,
        Self::Joint,
        Self::Limit,
        Self::Stabilisation,
        Self::Spring,
        Self::Viscous,
        Self::Numerical,
        Self::Gyroscopic,
        Self::Integration,
        Self::Correction,
        Self::Edit,
        Self::DriverCap,
        Self::Medium,
    ];

    /// Its name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gravity => "gravity",
            Self::User => "user",
            Self::Actuator => "actuator",
            Self::Impact => "impact",
            Self::Friction => "friction",
            Self::Driver => "driver",
            Self::Joint => "joint",
            Self::Limit => "limit",
            Self::Stabilisation => "stabilisation",
            Self::Spring => "spring",
            Self::Viscous => "viscous",
            Self::Numerical => "numerical",
            Self::Gyroscopic => "gyroscopic",
            Self::Integration => "integration",
            Self::Correction => "correction",
            Self::Edit => "edit",
            Self::DriverCap => "driver_cap",
            Self::Medium => "medium",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_stand_in_the_order_of_their_numbers() {
        for (i, account) in Account::ALL.into_iter().enumerate() {
            assert_eq!(account as usize, i, "{}", account.name());
        }
    }
}
