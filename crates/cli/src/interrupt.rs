//! Signals: Ctrl-C, and files that may not grow.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the program to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. The first signal asks; a second one ends the program at once.
    pub fn listen() -> Self {
        let asked = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // Where signals cannot be heard, they end the program as ever.
            let _ = flag::register_conditional_shutdown(signal, i32::from(crate::STOPPED), asked.0.clone())
                .and_then(|_| flag::register(signal, asked.0.clone()));
        }
        asked
    }

    /// The flag that a signal sets, for code that polls it by itself.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// True once the user has asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Makes a write beyond the largest size that a file may have (`ulimit -f`) an error like that of a full disk; by default the system ends the
/// program there, and what it was writing stays in pieces.
pub fn survive_file_limits() {
    // A signal that somebody hears ends nothing. Where it cannot be heard, all is as ever.
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}
