//! The cases, a family per file, in the order of their numbers.

mod articulated;
mod driven;
mod friction;
mod gas;
mod granular;
mod impact;
mod invariance;
mod mass;
mod order;
mod rattleback;
mod rest;
mod rolling;
mod spin;
mod surface;

use super::case::Case;

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
    ];
    let mut cases: Vec<&Case> = families.into_iter().flatten().collect();
    cases.sort_by_key(|case| case.number);
    cases
}
