//! The page of `--report`: one HTML file with everything in it.
//!
//! The page itself, with its program and its style, is made from the sources under `report/` and lies in `assets/`; here its
//! data are put in: the object of `--json`, the scene, and what the replay shows.

mod base64;
mod html;
mod replay;

pub use html::html;
pub use replay::most_frames;
