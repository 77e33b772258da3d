//! Why a law cannot meet a case, where that is known.

/// Models (by the start of their name), the cases that they cannot meet, and why.
const KNOWN: &[(&str, &[u32], &str)] = &[
    (
        "nbgs/approximate-decoupling",
        &[37, 38, 40, 45, 54, 68],
        "its friction at a corner points beside the slip: −W_tt⁻¹u cut back to the cone, as published",
    ),
    ("nbgs/frictionless", &[37, 38, 40, 41, 42, 44, 45, 50, 52, 54], "the law has no friction"),
];

/// Why `solver` cannot meet case `number`, if that is known.
pub fn reason(solver: &str, number: u32) -> Option<&'static str> {
    let mut known = KNOWN.iter().filter(|(start, ..)| solver.starts_with(start));
    known.find(|(_, cases, _)| cases.contains(&number)).map(|(.., why)| *why)
}
