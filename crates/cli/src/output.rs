//! Files that are written after a run: tried before it.

use crate::Failure;
use std::fs::File;
use std::io;
use std::path::Path;

/// Refuses a file that could not be written later: no such folder, a folder of that name, no permission. What is there stays as it is.
///
/// # Errors
/// Why not, for the user to read; `option` is what the command line calls the file.
pub fn try_file(option: &str, path: &Path) -> Result<(), Failure> {
    let new = !path.exists();
    match File::options().append(true).create(true).open(path) {
        Ok(_) => {
            if new {
                // A trial leaves nothing behind; where it cannot be taken away, it is written over later.
                let _ = std::fs::remove_file(path);
            }
            Ok(())
        }
        Err(error) => Err(Failure::Input(format!(
            "error: {option} {}: {}\n  = help: Name a file in a folder that exists and can be written.",
            path.display(),
            reason(path, &error)
        ))),
    }
}

/// Refuses a name that does not end in one of `endings`, written without their dot.
///
/// # Errors
/// That there is no such form, with the list of those that there are.
pub fn check_ending(option: &str, path: &Path, endings: &[&str]) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    if ending.is_some_and(|ending| endings.contains(&ending.as_str())) {
        return Ok(());
    }
    let list = endings.join(", .");
    let remedy = match endings {
        [_] => format!("The name must end in .{list}."),
        _ => format!("The name must end in one of .{list}."),
    };
    Err(Failure::Input(format!(
        "error: {option} {}: there is no such format\n  = help: {remedy}",
        path.display()
    )))
}

/// Writes a whole file.
///
/// # Errors
/// Why it could not be written.
pub fn write(option: &str, path: &Path, text: impl AsRef<[u8]>) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::Trouble(format!("error: {option} {}: {error}", path.display())))
}

fn reason(path: &Path, error: &io::Error) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        _ if path.is_dir() => "that is a folder".to_owned(),
        Some(folder) if !folder.is_dir() => format!("there is no folder {}", folder.display()),
        _ => error.to_string(),
    }
}
