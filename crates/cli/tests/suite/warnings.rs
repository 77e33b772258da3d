//! Warnings as a user meets them; when they come is tested in huygens-formats.

use crate::common::{folder, huygens, path, text};
use serde_json::Value;

const DEAD_FLOOR: &str = "[[body]]\nname = \"floor\"\nmotion = \"static\"\nshape = { kind = \"half-space\" }\n\
    [[body]]\nname = \"ball\"\nposition = [0, 0, 2]\nshape = { kind = \"sphere\", radius = 0.5, restitution = 0.8 }\n";

#[test]
fn a_warning_stands_at_its_line_on_standard_error_and_in_the_json() {
    let folder = folder("warnings");
    let scene = path(&folder, "ball.toml");
    std::fs::write(&scene, DEAD_FLOOR).unwrap();
    let output = huygens(&["run", &scene, "--steps", "5", "--json"]);
    assert_eq!(output.status.code(), Some(0), "a warning is no failure");
    let said = text(&output.stderr);
    assert!(said.contains("warning: ") && said.contains("ball.toml:8:"), "{said}");
    assert!(said.contains("help: Give \"floor\" a restitution too"), "{said}");
    let run: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let warnings = run["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0]["place"], "body.\"ball\".shape[0].restitution");
    assert!(warnings[0]["problem"].as_str().unwrap().contains("no effect"));
    assert!(warnings[0]["remedy"].as_str().unwrap().contains("combine"));
    // What --set puts right is no longer told.
    let output = huygens(&["run", &scene, "--steps", "5", "--set", "world.combine=max"]);
    assert_eq!(text(&output.stderr), "");
}
