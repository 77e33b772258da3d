//! The list of the cases.

use super::{
    articulated, driven, friction, gas, granular, impact, invariance, machines, mass, mechanisms, medium,
    order, rattleback, rest, rolling, ropes, spin, surface,
};
use crate::verify::case::Case;

/// Every case, in the order of the numbers.
pub fn all() -> Vec<&'static Case> {
    let families = [
        mass::CASES,
        spin::CASES,
        articulated::CASES,
        impact::CASES,
        gas::CASES,
        rest::CASES,
        friction::CASES,
        rolling::CASES,
        rattleback::CASES,
        driven::CASES,
        granular::CASES,
        surface::CASES,
        order::CASES,
        invariance::CASES,
        medium::CASES,
        mechanisms::CASES,
        machines::CASES,
        ropes::CASES,
    ];
    let mut cases: Vec<&Case> = families.into_iter().flatten().collect();
    cases.sort_by_key(|case| case.number);
    cases
}
