//! How much larger than the box as set a fat box is. A choice of cost alone: no pair depends on it.
//!
//! Measured on a pile of 30,000: a margin of 1 % of the edge on every side costs 4 % more candidates, 5 ns each at every
//! step; leaving a fat box costs 300 to 1000 ns. So margins are generous where proxies leave often, and small where
//! they rest.

use super::bounds::ProxyBox;

/// Margin on every side, in mean edges of the box.
const CALM_MARGIN: f32 = 0.02;
const RESTLESS_MARGIN: f32 = 0.06;
/// Steps of its present motion that a proxy should stay inside its fat box.
const AHEAD: f32 = 4.0;
/// Most of that, in mean edges.
const MOST_AHEAD: f32 = 0.5;

/// Whether a proxy left its fat box lately.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Temper {
    Calm,
    Restless,
}

/// How far ahead of a proxy that came from `before` its fat box should reach, along each axis.
pub(super) fn ahead(before: &ProxyBox, now: &ProxyBox) -> [f32; 3] {
    let most = MOST_AHEAD * mean_edge(now);
    std::array::from_fn(|i| {
        let moved = 0.5 * ((now.min[i] - before.min[i]) + (now.max[i] - before.max[i]));
        // What moves faster leaves its box at each step anyway. Also 0 for NaN, when a box is empty or infinite.
        if moved.abs() < 0.5 * most { (AHEAD * moved).clamp(-most, most) } else { 0.0 }
    })
}

/// How far ahead a fat box reached when it was made, on the sides that were kept in mind.
pub(super) fn remembered(fat: &ProxyBox, tight: &ProxyBox, backward: [bool; 3]) -> [f32; 3] {
    let size = mean_edge(tight);
    std::array::from_fn(|i| {
        let spare = (fat.max[i] - fat.min[i]) - (tight.max[i] - tight.min[i]) - 2.0 * RESTLESS_MARGIN * size;
        let reach = if spare > 0.0 && spare <= MOST_AHEAD * size { spare } else { 0.0 };
        if backward[i] { -reach } else { reach }
    })
}

/// The fat box around `now`: wider on every side, and further ahead.
pub(super) fn fattened(now: &ProxyBox, ahead: [f32; 3], temper: Temper) -> ProxyBox {
    let size = mean_edge(now);
    if !size.is_finite() {
        return *now;
    }
    let margin = size * if temper == Temper::Calm { CALM_MARGIN } else { RESTLESS_MARGIN };
    let mut out = *now;
    for (i, x) in ahead.into_iter().enumerate() {
        let (back, front) = if x < 0.0 { (x, 0.0) } else { (0.0, x) };
        out.min[i] += back - margin;
        out.max[i] += front + margin;
    }
    out
}

/// True when a proxy that rests would get a box with much less to spare.
pub(super) fn is_too_fat(fat: &ProxyBox, tight: &ProxyBox) -> bool {
    let spare = |b: &ProxyBox| edges(b) - edges(tight);
    spare(fat) > 1.5 * spare(&fattened(tight, [0.0; 3], Temper::Calm))
}

fn mean_edge(b: &ProxyBox) -> f32 {
    edges(b) * (1.0 / 3.0)
}

/// The sum of the edges.
fn edges(b: &ProxyBox) -> f32 {
    (b.max[0] - b.min[0]) + (b.max[1] - b.min[1]) + (b.max[2] - b.min[2])
}
