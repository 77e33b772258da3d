//! README and docs: what they tell a reader to write is run.
//!
//! | block | what is done with it |
//! |---|---|
//! | `sh` | every line is a command of the program; all of a page run in one folder, in their order, and must succeed |
//! | `toml` | a scene that passes every check, or a part of one that can be read; one that the page calls by a file name is written there for its commands |
//! | `rust` | stands word for word in the sources, where the compiler tests it |
//! | `python` | is compiled, where there is a Python |
//! | `text` | is shown and not run |

use crate::common::{folder, text};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a page.
struct Block {
    language: String,
    line: usize,
    body: String,
    /// The last line of text before it.
    before: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and all pages of docs/.
fn pages() -> Vec<(String, String)> {
    let mut files = vec![root().join("README.md")];
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    files.extend(
        docs.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "md")),
    );
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.into_iter().map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Block> = None;
    let mut before = String::new();
    for (i, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                let language = language.trim().to_owned();
                open = Some(Block { language, line: i + 1, body: String::new(), before: before.clone() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.body.push_str(line);
                block.body.push('\n');
            }
            (None, None) if !line.trim().is_empty() => before = line.to_owned(),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block does not end");
    blocks
}

/// The words of a command; quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') if word.is_empty() => {}
            (None, ' ') => words.push(std::mem::take(&mut word)),
            (_, c) => word.push(c),
        }
    }
    words
}

#[test]
fn every_block_says_what_it_is() {
    for (name, page) in pages() {
        for block in blocks(&page) {
            let known = ["sh", "toml", "rust", "python", "text"].contains(&block.language.as_str());
            assert!(known, "{name}:{}: the block is called `{}`", block.line, block.language);
        }
    }
}

#[test]
fn every_scene_passes_and_every_command_runs() {
    let mut commands = 0;
    for (name, page) in pages() {
        let folder = folder(&format!("docs_{name}"));
        for block in blocks(&page) {
            let place = format!("{name}:{}", block.line);
            if block.language == "toml" {
                let loaded = huygens_formats::toml::parse(&place, &block.body, &[]);
                let loaded = loaded.unwrap_or_else(|report| panic!("{report}"));
                // A part of a scene has no bodies, and may speak of those of another.
                if !loaded.scene.bodies.is_empty() || !loaded.scene.repeats.is_empty() {
                    loaded.check().unwrap_or_else(|report| panic!("{report}"));
                }
                // "Save this as `ball.toml`:"
                if let Some(file) = block.before.split('`').find(|word| word.ends_with(".toml")) {
                    std::fs::write(folder.join(file), &block.body).unwrap();
                }
            }
            if block.language != "sh" {
                continue;
            }
            for line in block.body.lines().map(|line| line.split(" # ").next().unwrap_or_default().trim_end())
            {
                let words = words(line);
                assert_eq!(words.first().map(String::as_str), Some("huygens"), "{place}: {line}");
                let output = Command::new(env!("CARGO_BIN_EXE_huygens"))
                    .args(&words[1..])
                    .current_dir(&folder)
                    .output()
                    .unwrap();
                assert!(output.status.success(), "{place}: {line}\n{}", text(&output.stderr));
                commands += 1;
            }
        }
    }
    assert!(commands >= 12, "{commands} commands were found");
}

#[test]
fn a_complete_scene_does_what_it_expects() {
    let page = std::fs::read_to_string(root().join("docs/scene-file.md")).unwrap();
    let first = blocks(&page).into_iter().next().unwrap();
    assert_eq!(first.language, "toml", "the page begins with a scene");
    let file = folder("docs_scene").join("scene.toml");
    std::fs::write(&file, first.body).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_huygens")).arg("run").arg(&file).output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "and has no warning");
}

#[test]
fn programs_in_rust_stand_in_the_sources() {
    let mut sources = String::new();
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                sources += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    let bare = |line: &str| line.trim_start_matches(['/', '!', ' ']).trim_end().to_owned();
    let sources: std::collections::HashSet<String> = sources.lines().map(bare).collect();
    for (name, page) in pages() {
        for block in blocks(&page).iter().filter(|block| block.language == "rust") {
            for line in block.body.lines().filter(|line| !line.trim().is_empty()) {
                let code = line.split("  //").next().unwrap_or_default();
                assert!(sources.contains(&bare(code)), "{name}:{}: not in the sources: {line}", block.line);
            }
        }
    }
}

/// docs/contact-problem.md.
#[test]
fn the_program_about_contact_problems_runs() -> Result<(), Box<dyn std::error::Error>> {
    use huygens::contact::{StoredCase, StoredProblem};
    let mut world = huygens::World::new(&huygens::Scene::new())?;
    world.step();
    std::env::set_current_dir(root().join("crates/contact/collection"))?;
    let case: StoredCase = std::fs::read_to_string("stack-3.txt")?.parse()?;
    let problem = case.problem.view();
    let text = case.to_string();
    let now = StoredProblem::of(&world.contact_problem());
    assert!(problem.h > 0.0 && now.view().h > 0.0);
    assert_eq!(text.parse::<StoredCase>()?.to_string(), text, "and back, the same text");
    Ok(())
}

#[test]
fn programs_in_python_compile() {
    for (name, page) in pages() {
        for block in blocks(&page).iter().filter(|block| block.language == "python") {
            let code = format!("compile({:?}, {name:?}, 'exec')", block.body);
            let Ok(output) = Command::new("python3").args(["-c", &code]).output() else {
                eprintln!("skipped: there is no Python here");
                return;
            };
            assert!(output.status.success(), "{name}:{}\n{}", block.line, text(&output.stderr));
        }
    }
}
