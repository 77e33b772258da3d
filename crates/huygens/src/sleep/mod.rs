//! Sleep: islands that lie still are left out of the step, with all that their first step after waking needs.

mod command;
mod drowse;
mod store;

pub(crate) use drowse::{Blocked, Groups, fall_asleep, held, is_moving_driver, put_to_sleep};
pub use store::{AWAKE, Sleep, Stillness};
pub(crate) use store::{moves, tree_sleeps};
