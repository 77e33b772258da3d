//! The page with its data.

use super::replay::replay;
use crate::compare::figures::Comparison;
use crate::compare::json;

/// The page without data, made from `report/` by `node build.mjs`.
const PAGE: &str = include_str!("../../../assets/report.html");
/// Where the data go.
const PLACE: &str = "{{data}}";
/// Where the title goes.
const TITLE: &str = "{{title}}";

/// The whole page; `source` is the text of the scene, `settings` what the command line put over it.
pub fn html(comparison: &Comparison, source: &str, settings: &[String]) -> String {
    let mut object = json::object(comparison);
    object
        .text("source", source)
        .list("settings", settings.iter().map(|setting| huygens_formats::json::text(setting)))
        .text("platform", &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))
        .raw("replay", &replay(comparison));
    // Inside a script element nothing is markup but the end of that element and of a comment.
    let data = object.finish().replace('<', "\\u003c");
    let title = comparison.name.replace('&', "&amp;").replace('<', "&lt;");
    // The title stands first in the page, so that nothing in the data is taken for its place.
    PAGE.replacen(PLACE, &data, 1).replacen(TITLE, &title, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_page_has_one_place_for_its_data_and_asks_for_nothing_from_outside() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert_eq!(PAGE.matches(TITLE).count(), 1);
        for outside in ["src=\"http", "href=\"http", "@import", "src=\"//"] {
            assert!(!PAGE.contains(outside), "{outside}");
        }
    }

    /// `cargo xtask test` makes the page anew and compares every byte; this needs no Node, and sees that somebody changed a source and
    /// not the page.
    #[test]
    fn the_page_was_made_from_the_sources_that_are_here() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../report");
        let mut names: Vec<String> = std::fs::read_dir(folder.join("src"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| format!("src/{}", entry.file_name().to_string_lossy()))
            .collect();
        names.sort();
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for name in ["build.mjs", "package-lock.json"].into_iter().chain(names.iter().map(String::as_str)) {
            for byte in std::fs::read(folder.join(name)).unwrap_or_default() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        let remedy = "run `npm ci && node build.mjs` in report/";
        assert!(PAGE.contains(&format!("name=\"sources\" content=\"{hash:016x}\"")), "{hash:016x}: {remedy}");
    }
}
