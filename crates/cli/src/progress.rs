//! Bars for long work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// What stands after a bar that counts steps.
pub const STEPS: &str = "{pos}/{len} steps, {eta} left";

/// A bar of that length on a terminal, nothing in a pipe. `tail` is what stands after the bar, in indicatif's words.
pub fn bar(length: u64, tail: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(&format!("{{wide_bar}} {tail}")) {
        bar.set_style(style);
    }
    bar
}
