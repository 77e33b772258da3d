//! Errors and warnings of model files, each at its line.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A file that was read: its name for messages, and its text.
#[derive(Debug)]
pub struct Source {
    /// Path or name, as messages show it.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub source: Arc<Source>,
    /// Bytes of its text.
    pub span: Range<usize>,
}

impl Place {
    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        let text = self.source.text.as_bytes();
        let end = self.span.start.min(text.len());
        1 + text[..end].iter().filter(|b| **b == b'\n').count()
    }

    /// The text at the place.
    pub fn text(&self) -> &str {
        self.source.text.get(self.span.clone()).unwrap_or_default()
    }
}

/// What is wrong with a model file, or what is left aside: a message at a line, and what to do.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Where; `None` for a file that cannot be read at all.
    pub place: Option<Place>,
    /// What is wrong, with the value found.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

impl Fault {
    /// A fault at a place.
    pub fn at(place: &Place, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: Some(place.clone()), message: message.into(), help: help.into() }
    }

    /// A fault of a file as a whole.
    pub fn of_file(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place: None, message: message.into(), help: help.into() }
    }

    /// The line, counted from 1.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(Place::line)
    }

    /// The fault as a warning is shown.
    pub fn as_warning(&self) -> String {
        self.render(Level::WARNING)
    }

    fn render(&self, level: Level<'_>) -> String {
        let title = level.primary_title(self.message.as_str());
        let help = (!self.help.is_empty()).then(|| Level::HELP.message(self.help.as_str()));
        let Some(place) = &self.place else {
            return Renderer::plain().render(&[title.elements(help)]);
        };
        let text = place.source.text.as_str();
        let start = floor(text, place.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        // A line of a megabyte helps nobody: 200 characters around the place are shown.
        let from = floor(text, line_start.max(start.saturating_sub(100)));
        let to = floor(text, line_end.min(start + 100));
        let line = text[from..to].trim_end_matches('\r');
        let first = (start - from).min(line.len());
        let last = floor(line, place.span.end.saturating_sub(from).clamp(first, line.len()));
        let snippet = Snippet::source(line)
            .line_start(place.line())
            .path(place.source.name.as_str())
            .annotation(AnnotationKind::Primary.span(first..last.max(first)).label("here"));
        Renderer::plain().render(&[title.element(snippet).elements(help)])
    }
}

/// The last place at or before byte `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Level::ERROR))
    }
}

impl std::error::Error for Fault {}
