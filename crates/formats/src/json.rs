//! JSON out: small, in the order in which it is written, and never a NaN.

use std::fmt::Write;

/// A JSON object that is being written.
///
/// ```
/// let mut object = huygens_formats::json::Object::default();
/// object.number("dt", 0.001).text("scene", "stack");
/// assert_eq!(object.finish(), r#"{"dt":0.001,"scene":"stack"}"#);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Object {
    text: String,
}

impl Object {
    /// A member that is JSON already.
    pub fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        push_text(&mut self.text, key);
        self.text.push(':');
        self.text.push_str(value);
        self
    }

    /// A number in its shortest form that reads back with the same bits; `null` when it is not finite.
    pub fn number(&mut self, key: &str, value: f64) -> &mut Self {
        self.raw(key, &number(value))
    }

    /// A whole number.
    pub fn integer(&mut self, key: &str, value: u64) -> &mut Self {
        self.raw(key, &value.to_string())
    }

    /// True or false.
    pub fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// A string.
    pub fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.raw(key, &text(value))
    }

    /// An array of numbers.
    pub fn numbers<const N: usize>(&mut self, key: &str, values: [f64; N]) -> &mut Self {
        let list = values.map(number).join(",");
        self.raw(key, &format!("[{list}]"))
    }

    /// An array of values that are JSON already.
    pub fn list(&mut self, key: &str, items: impl IntoIterator<Item = String>) -> &mut Self {
        let mut list = String::from("[");
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                list.push(',');
            }
            list.push_str(&item);
        }
        list.push(']');
        self.raw(key, &list)
    }

    /// The text of the object.
    pub fn finish(&self) -> String {
        if self.text.is_empty() { "{}".to_owned() } else { format!("{}}}", self.text) }
    }
}

/// A number in its shortest form that reads back with the same bits; `null` when it is not finite.
pub fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { "null".to_owned() }
}

/// A quoted string.
pub fn text(value: &str) -> String {
    let mut out = String::new();
    push_text(&mut out, value);
    out
}

fn push_text(out: &mut String, value: &str) {
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_with_the_same_bits_and_nan_never_appears() {
        for x in [0.0, -0.0, 0.1 + 0.2, 1e300, -1e-300, 5e-324, 1.0, 123_456_789.0, f64::MAX] {
            assert_eq!(number(x).parse::<f64>().map(f64::to_bits), Ok(x.to_bits()));
        }
        assert_eq!(number(f64::NAN), "null");
        assert_eq!(number(f64::NEG_INFINITY), "null");
        assert_eq!(number(1e-7), "1e-7");
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(text("a\"b\\c\n\u{1}ß"), "\"a\\\"b\\\\c\\u000a\\u0001ß\"");
        assert_eq!(Object::default().finish(), "{}");
    }
}
