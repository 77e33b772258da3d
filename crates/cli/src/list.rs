//! `huygens run --list`.

use huygens_formats::builtin::{about, headline, names, text};
use huygens_formats::json::Object;

/// A line for each built-in scene: its name, and the first sentence of what it says of itself.
pub fn page() -> String {
    let width = names().map(str::len).fold(0, usize::max);
    let line = |name: &str| format!("{name:width$}  {}", headline(text(name).unwrap_or_default()));
    names().map(|name| line(name).trim_end().to_owned() + "\n").collect()
}

/// A list of objects: `name`, `headline`, `about` (all of the comment at its head).
pub fn json() -> String {
    let scenes: Vec<String> = names()
        .map(|name| {
            let scene = text(name).unwrap_or_default();
            let mut object = Object::default();
            object.text("name", name).text("headline", &headline(scene)).text("about", &about(scene));
            object.finish()
        })
        .collect();
    format!("[{}]", scenes.join(","))
}
