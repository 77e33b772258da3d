//! What can be wrong with a scene.

use super::{SpecPath, near};
use std::fmt;

/// One thing that is wrong with a scene: where, what stands there, why it cannot be, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}: {problem}. {remedy}", Shown(.value))]
pub struct SceneError {
    /// The element.
    pub path: SpecPath,
    /// What stands there, as written; empty when nothing does.
    pub value: String,
    /// Why it cannot be; no full stop at the end.
    pub problem: String,
    /// What to do; whole sentences.
    pub remedy: String,
}

struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " is {}", self.0) }
    }
}

impl SceneError {
    /// An error at `path`.
    pub fn new(
        path: SpecPath,
        value: impl ToString,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { path, value: value.to_string(), problem: problem.into(), remedy: remedy.into() }
    }

    /// The word at `path` is none of those known; the remedy names one that is near, and the others.
    pub fn unknown_word<'a>(
        path: SpecPath,
        word: &str,
        what: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let remedy = suggest(word, known);
        Self::new(path, format_args!("{word:?}"), format!("there is no such {what}"), remedy)
    }
}

/// "Did you mean …?" where one of the known words is near, and the known words as far as they are few enough to read.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    const MOST: usize = 40;
    let near = near(word, known.clone());
    let others: Vec<&str> = known.into_iter().filter(|k| Some(*k) != near).collect();
    let shown = if others.len() > MOST { MOST / 4 } else { others.len() };
    let mut list = others[..shown].join(", ");
    if shown < others.len() {
        list += &format!(" and {} more", others.len() - shown);
    }
    match (near, others.as_slice()) {
        (None, []) => "None is defined.".to_owned(),
        (None, [only]) => format!("The only one is `{only}`."),
        (None, _) => format!("There are: {list}."),
        (Some(near), []) => format!("Did you mean `{near}`?"),
        (Some(near), _) if shown < others.len() => format!("Did you mean `{near}`?"),
        (Some(near), _) => format!("Did you mean `{near}`? There are also: {list}."),
    }
}

/// All that was found wrong with a scene; at least one error, in the order of the scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneErrors(Vec<SceneError>);

impl SceneErrors {
    /// `Err` when there is an error in the list.
    pub fn of(errors: Vec<SceneError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    /// The errors.
    pub fn all(&self) -> &[SceneError] {
        &self.0
    }
}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            let line = if i > 0 { "\n" } else { "" };
            write!(f, "{line}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneErrors {}

impl From<SceneError> for SceneErrors {
    fn from(error: SceneError) -> Self {
        Self(vec![error])
    }
}

impl From<SceneErrors> for SceneError {
    /// The first one.
    fn from(mut errors: SceneErrors) -> Self {
        errors.0.swap_remove(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_element_value_problem_and_remedy() {
        let error =
            SceneError::new(SpecPath::body("box").key("mass"), -1.0, "must be above 0", "Set `mass`.");
        assert_eq!(error.to_string(), "body.\"box\".mass is -1: must be above 0. Set `mass`.");
        let missing = SceneError::new(SpecPath::top("world"), "", "has no time", "Set `dt`.");
        assert_eq!(missing.to_string(), "world: has no time. Set `dt`.");
    }

    #[test]
    fn an_unknown_word_comes_with_the_nearest_known_one() {
        let error = SceneError::unknown_word(
            SpecPath::top("world").key("combine"),
            "gometric",
            "rule",
            ["max", "geometric"],
        );
        assert_eq!(error.remedy, "Did you mean `geometric`? There are also: max.");
    }

    #[test]
    fn a_word_that_is_near_to_none_is_answered_with_the_list() {
        assert_eq!(suggest("foo", ["max", "geometric"]), "There are: max, geometric.");
        assert_eq!(suggest("slide", ["hinge"]), "The only one is `hinge`.");
        assert_eq!(suggest("x", []), "None is defined.");
        let many: Vec<String> = (0..100).map(|i| format!("crate[{i}]")).collect();
        let many = || many.iter().map(String::as_str);
        assert_eq!(suggest("crate[100]", many()), "Did you mean `crate[10]`?");
        let text = suggest("ball", many());
        assert!(text.ends_with("crate[9] and 90 more."), "{text}");
    }
}
