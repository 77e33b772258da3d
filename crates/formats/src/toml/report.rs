//! Errors as a user sees them: the line, a mark under the place, and the remedy.

use super::document::{Document, Place, Source};
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use huygens::scene::{SceneError, SceneWarning};
use std::fmt;
use std::ops::Range;

/// All that is wrong with a scene file. `Display` shows each error at its line.
#[derive(Clone, Debug)]
pub struct Report {
    errors: Vec<SceneError>,
    text: String,
}

impl Report {
    pub(super) fn of(document: &Document, errors: Vec<(SceneError, Place)>) -> Self {
        let mut text = String::new();
        for (error, place) in &errors {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&render(document, error, place));
        }
        Self { errors: errors.into_iter().map(|(error, _)| error).collect(), text }
    }

    /// The errors without their lines.
    pub fn errors(&self) -> &[SceneError] {
        &self.errors
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Report {}

/// A warning at its line.
pub(super) fn warning(document: &Document, warning: &SceneWarning) -> String {
    let SceneWarning { path, problem, remedy } = warning;
    let place = document.locate(path);
    let shown = SceneError::new(path.clone(), "", problem.as_str(), remedy.as_str());
    render_as(Level::WARNING, document, &shown, &place)
}

fn render(document: &Document, error: &SceneError, place: &Place) -> String {
    render_as(Level::ERROR, document, error, place)
}

fn render_as(level: Level<'_>, document: &Document, error: &SceneError, place: &Place) -> String {
    let title = match (error.path.segments().is_empty(), error.value.is_empty()) {
        (true, _) => error.problem.clone(),
        (false, true) => format!("{}: {}", error.path, error.problem),
        (false, false) => format!("{} is {}", error.path, error.value),
    };
    let label = if error.value.is_empty() { "here" } else { error.problem.as_str() };
    let title = level.primary_title(title);
    let help = (!error.remedy.is_empty()).then(|| Level::HELP.message(error.remedy.as_str()));
    let group = match document.sources.get(place.source) {
        // An error of the whole file points at its name alone.
        Some(source) if place.span.is_empty() && place.span.start == 0 && error.path.segments().len() < 2 => {
            title.element(Origin::path(source.name.as_deref().unwrap_or("command line"))).elements(help)
        }
        Some(source) => title.element(snippet(source, &place.span, label)).elements(help),
        None => title.elements(help),
    };
    Renderer::plain().render(&[group])
}

/// The line of `span`, with a mark under the part of the span that is on it.
fn snippet<'a>(
    source: &'a Source,
    span: &Range<usize>,
    label: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = source.text.as_str();
    let start = floor(text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let number = text[..line_start].matches('\n').count() + 1;
    let from = (start - line_start).min(line.len());
    let to = floor(text, span.end).saturating_sub(line_start).min(line.len());
    let mark = from..if to > from { to } else { from };
    Snippet::source(line)
        .line_start(number)
        .path(source.name.as_deref().unwrap_or("command line"))
        .annotation(AnnotationKind::Primary.span(mark).label(label))
}

/// The last place at or before byte `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
