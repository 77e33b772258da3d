//! The program as a user starts it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program to its end.
pub fn huygens(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_huygens")).args(words).output().expect("the program starts")
}

/// What a program printed.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// What is said on standard error of a run that must fail on its input.
pub fn refused(words: &[&str]) -> String {
    let output = huygens(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    assert_eq!(text(&output.stdout), "", "{words:?}");
    text(&output.stderr).to_owned()
}

/// A folder of this test, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The path of a file in a folder.
pub fn path(folder: &Path, file: &str) -> String {
    folder.join(file).to_str().unwrap().to_owned()
}
