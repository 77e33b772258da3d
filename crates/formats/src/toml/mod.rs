//! Scene files: TOML text in, [`Scene`](huygens::scene::Scene) out, and back.
//!
//! ```
//! let text = r#"
//!     [[body]]
//!     name = "ball"
//!     shape = { kind = "sphere", radius = 0.5 }
//! "#;
//! let loaded = huygens_formats::toml::parse("ball.toml", text, &[])?;
//! loaded.check()?;
//! assert_eq!(loaded.scene.bodies[0].name, "ball");
//! # Ok::<(), huygens_formats::toml::Report>(())
//! ```

mod document;
mod fill;
mod include;
mod keys;
mod load;
mod map;
mod reader;
mod report;
mod set;
#[cfg(test)]
mod tests;
mod write;

pub use document::Document;
pub use include::IncludeSpec;
pub use load::{Loaded, parse};
pub use report::Report;
pub use set::Setting;
pub use write::write;
