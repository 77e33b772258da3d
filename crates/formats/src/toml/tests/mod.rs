mod assembly;
mod errors;
mod fuzz;
mod keys;
mod medium;
mod round_trip;
mod settings;

use super::{Loaded, Report, Setting, parse};

/// Reads and checks.
fn load(text: &str, sets: &[&str]) -> Result<Loaded, Report> {
    let settings: Vec<Setting> = sets.iter().map(|set| Setting::set(set).expect("a setting")).collect();
    let loaded = parse("scene.toml", text, &settings)?;
    loaded.check()?;
    Ok(loaded)
}

fn error(text: &str, sets: &[&str]) -> String {
    load(text, sets).expect_err("the scene is broken").to_string()
}
