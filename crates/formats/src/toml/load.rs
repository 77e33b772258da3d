//! From text to scene.

use super::document::Document;
use super::reader::Reader;
use super::set::Setting;
use super::{map, report::Report};
use huygens::scene::{Scene, SceneError, SceneErrors, SpecPath};

/// A scene, and the text that it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scene; not checked yet.
    pub scene: Scene,
    /// Its text, so that later errors can point at the line.
    pub document: Document,
}

impl Loaded {
    /// Checks every field of the scene.
    ///
    /// # Errors
    /// All that is wrong, each at its line.
    pub fn check(&self) -> Result<(), Report> {
        self.scene.check().map_err(|errors| self.report(errors))
    }

    /// Errors that were found in the scene, at their lines.
    pub fn report(&self, errors: impl Into<SceneErrors>) -> Report {
        let located = errors
            .into()
            .all()
            .iter()
            .map(|e| (e.clone(), self.document.locate(&e.path)))
            .collect::<Vec<_>>();
        Report::of(&self.document, located)
    }
}

/// Reads the scene file `text`, called `name` in errors, with `settings` put over it in their order.
///
/// The scene is not checked yet: call [`Loaded::check`].
///
/// # Errors
/// Text that is no TOML, unknown keys, values of the wrong type, and settings of places that do not exist.
pub fn parse(name: &str, text: &str, settings: &[Setting]) -> Result<Loaded, Report> {
    let (mut document, error) = Document::parse(name, text);
    if let Some(error) = error {
        let remedy = "The file must be TOML: see https://toml.io.";
        let problem = error.message.trim_end_matches('.').replace('\n', "; ");
        let found = SceneError::new(SpecPath::root(), "", problem, remedy);
        return Err(Report::of(&document, vec![(found, error.place)]));
    }
    for setting in settings {
        if let Err((error, place)) = setting.apply(&mut document) {
            return Err(Report::of(&document, vec![(error, place)]));
        }
    }
    let mut reader = Reader::new(&document);
    let scene = map::scene(&mut reader, &document.root);
    let errors = reader.errors;
    if errors.is_empty() { Ok(Loaded { scene, document }) } else { Err(Report::of(&document, errors)) }
}
