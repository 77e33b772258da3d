//! The name of a place in a scene, as errors and `--set` write it.

use std::borrow::Cow;
use std::fmt;

/// One step of a [`SpecPath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A key of a table.
    Key(Cow<'static, str>),
    /// An element that is addressed by its name: a body, a material, a joint.
    Name(String),
    /// An element that is addressed by its place, from 0.
    Index(usize),
}

/// A place in a scene: `body."box".shape[0].radius`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecPath(Vec<Segment>);

impl SpecPath {
    /// The scene itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The path of a top-level table, such as `world`.
    pub fn top(key: &'static str) -> Self {
        Self(vec![Segment::Key(Cow::Borrowed(key))])
    }

    /// The body called `name`.
    pub fn body(name: &str) -> Self {
        Self::top("body").name(name)
    }

    /// This place's key `key`.
    #[must_use]
    pub fn key(&self, key: impl Into<Cow<'static, str>>) -> Self {
        self.with(Segment::Key(key.into()))
    }

    /// This place's element called `name`.
    #[must_use]
    pub fn name(&self, name: impl Into<String>) -> Self {
        self.with(Segment::Name(name.into()))
    }

    /// This place's element number `index`, from 0.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// The place that holds this one; `None` for the scene itself.
    pub fn parent(&self) -> Option<Self> {
        let (_, head) = self.0.split_last()?;
        Some(Self(head.to_vec()))
    }

    /// The steps from the scene to this place.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn with(&self, segment: Segment) -> Self {
        let mut segments = Vec::with_capacity(self.0.len() + 1);
        segments.extend_from_slice(&self.0);
        segments.push(segment);
        Self(segments)
    }
}

impl fmt::Display for SpecPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("scene");
        }
        for (i, segment) in self.0.iter().enumerate() {
            let dot = if i > 0 { "." } else { "" };
            match segment {
                Segment::Key(key) => write!(f, "{dot}{key}")?,
                Segment::Name(name) => write!(f, "{dot}{name:?}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_the_file() {
        let path = SpecPath::body("box").key("shape").index(0).key("radius");
        assert_eq!(path.to_string(), "body.\"box\".shape[0].radius");
        assert_eq!(path.parent().unwrap().to_string(), "body.\"box\".shape[0]");
        assert_eq!(SpecPath::root().to_string(), "scene");
        assert_eq!(SpecPath::root().parent(), None);
    }
}
