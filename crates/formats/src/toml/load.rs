//! From text to scene.

use super::document::Document;
use super::include::{self, IncludeSpec};
use super::map;
use super::reader::Reader;
use super::report::{self, Report};
use super::set::Setting;
use crate::mesh;
use crate::mjcf::ScenePart;
use huygens::scene::{
    Body, HeightSource, HullSource, MeshSource, Scene, SceneError, SceneErrors, SceneWarning, ShapeKind,
    SpecPath,
};
use std::path::Path;

/// A scene, and the text that it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scene; not checked yet.
    pub scene: Scene,
    /// Its text, so that later errors can point at the line.
    pub document: Document,
    /// Model files that are a part of the scene; [`Loaded::read_files`] puts them in.
    pub includes: Vec<IncludeSpec>,
    /// What of the included files is left aside, a line each.
    pub left_aside: Vec<String>,
    /// Robots of those files, on which more acts than the scene says: actuators, tendons, a medium.
    pub robots: Vec<ScenePart>,
}

impl Loaded {
    /// Reads the files that the scene includes and those that shapes name, relative to `folder`; their content becomes part of the scene.
    ///
    /// # Errors
    /// Files that cannot be read or are no meshes, each at its line.
    pub fn read_files(&mut self, folder: &Path) -> Result<(), Report> {
        let mut errors = Vec::new();
        for spec in std::mem::take(&mut self.includes) {
            match include::add(&mut self.scene, &spec, folder) {
                Ok(added) => {
                    let lines = added.left_aside.iter().map(|line| format!("{}: {line}", spec.file));
                    self.left_aside.extend(lines);
                    self.robots.extend(added.robots);
                }
                Err(error) => errors.push(error),
            }
        }
        for body in &mut self.scene.bodies {
            let path = SpecPath::body(&body.name);
            read_files(body, &path, folder, &mut errors);
        }
        for (i, repeat) in self.scene.repeats.iter_mut().enumerate() {
            for (k, body) in repeat.bodies.iter_mut().enumerate() {
                let path = SpecPath::top("repeat").index(i).key("body").index(k);
                read_files(body, &path, folder, &mut errors);
            }
        }
        SceneErrors::of(errors).map_err(|errors| self.report(errors))
    }

    /// Checks every field of the scene.
    ///
    /// # Errors
    /// All that is wrong, each at its line.
    pub fn check(&self) -> Result<(), Report> {
        self.scene.check().map_err(|errors| self.report(errors))
    }

    /// A warning as a user sees it: at its line, with what to do.
    pub fn warning(&self, warning: &SceneWarning) -> String {
        report::warning(&self.document, warning)
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
    let (scene, includes) = map::scene(&mut reader, &document.root);
    let errors = reader.errors;
    if !errors.is_empty() {
        return Err(Report::of(&document, errors));
    }
    Ok(Loaded { scene, document, includes, left_aside: Vec::new(), robots: Vec::new() })
}

/// Puts what the files of a body's shapes hold in the place of their names.
fn read_files(body: &mut Body, path: &SpecPath, folder: &Path, errors: &mut Vec<SceneError>) {
    for (k, shape) in body.shapes.iter_mut().enumerate() {
        let (file, read) = match &mut shape.kind {
            ShapeKind::Hull { source, .. } => {
                let HullSource::File(file) = source else { continue };
                let file = std::mem::take(file);
                let read = mesh::read(&folder.join(&file));
                let read = read.map(|soup| *source = HullSource::Points(soup.vertices));
                (file, read)
            }
            ShapeKind::Mesh { source, .. } => {
                let MeshSource::File(file) = source else { continue };
                let file = std::mem::take(file);
                let read = mesh::read(&folder.join(&file)).map(|soup| {
                    let mesh::TriangleSoup { vertices, triangles } = soup;
                    *source = MeshSource::Triangles { vertices, triangles };
                });
                (file, read)
            }
            ShapeKind::HeightField { source, .. } => {
                let HeightSource::File(file) = source else { continue };
                let file = std::mem::take(file);
                let read = mesh::read_heights(&folder.join(&file));
                (file, read.map(|rows| *source = HeightSource::Heights(rows)))
            }
            _ => continue,
        };
        if let Err(error) = read {
            errors.push(SceneError::new(
                path.key("shape").index(k).key("file"),
                format_args!("{file:?}"),
                error.to_string().trim_end_matches('.'),
                "File names are relative to the scene file.",
            ));
        }
    }
}
