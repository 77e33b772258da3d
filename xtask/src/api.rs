//! The public interface of the crate `huygens`, as rustdoc shows it: docs/api.txt has a line for each item and method. A test tells when it
//! changes, so that nobody changes it unawares; `cargo xtask api` writes the list anew.

use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIST: &str = "docs/api.txt";

/// Writes the list.
pub fn write() -> Result<(), String> {
    let args = ["doc", "--package", "huygens", "--no-deps", "--quiet"];
    let status = Command::new("cargo").args(args).current_dir(root()).status();
    if !status.map_err(|error| format!("cargo did not start: {error}"))?.success() {
        return Err("cargo doc failed; its messages are above".to_owned());
    }
    let list = list()?;
    std::fs::write(root().join(LIST), &list).map_err(|error| format!("{LIST}: {error}"))?;
    println!("{LIST}: {} lines", list.lines().count());
    Ok(())
}

/// Compares the list with what `cargo doc` has just written.
pub fn test() -> Result<(), String> {
    let (now, known) = (list()?, std::fs::read_to_string(root().join(LIST)).unwrap_or_default());
    let changed = difference(&known, &now);
    if changed.is_empty() {
        return Ok(());
    }
    let remedy = "If that is meant: `cargo xtask api`, and a line in CHANGELOG.md.";
    Err(format!("the public interface of huygens is not that of {LIST}:\n{}\n{remedy}", changed.join("\n")))
}

/// Lines that are in one of two sorted lists alone.
fn difference(known: &str, now: &str) -> Vec<String> {
    let lacks = |list: &str, line: &str| !list.lines().any(|other| other == line);
    let gone = known.lines().filter(|line| lacks(now, line)).map(|line| format!("- {line}"));
    gone.chain(now.lines().filter(|line| lacks(known, line)).map(|line| format!("+ {line}"))).collect()
}

/// A line for each public item and method.
fn list() -> Result<String, String> {
    let folder = target().join("doc/huygens");
    let read = |page: &Path| {
        let path = folder.join(page);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut lines = Vec::new();
    for page in pages(&read(Path::new("all.html"))?) {
        if let Some(path) = item(page) {
            lines_of(&path, &read(page)?, &mut lines);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The pages of all items: older ones may lie beside them.
fn pages(all: &str) -> impl Iterator<Item = &Path> {
    let links = all.split("<li><a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.filter(|link| link.ends_with(".html")).map(Path::new)
}

/// The path of the item that a page is about, as `ledger::Ledger` for ledger/struct.Ledger.html.
fn item(page: &Path) -> Option<String> {
    let file = page.file_name()?.to_str()?.strip_suffix(".html")?;
    let (_, name) = file.split_once('.')?;
    let mut path: Vec<&str> = page.parent()?.iter().filter_map(|part| part.to_str()).collect();
    path.push(name);
    Some(path.join("::"))
}

/// The declaration of an item, and its own methods.
fn lines_of(path: &str, page: &str, lines: &mut Vec<String>) {
    if let Some(declaration) = between(page, "<pre class=\"rust item-decl\">", "</pre>") {
        lines.push(format!("{path}: {}", text(declaration)));
    }
    let Some(begin) = page.find("id=\"implementations\"") else { return };
    let own = &page[begin..];
    let ends = [
        "id=\"trait-implementations\"",
        "id=\"synthetic-implementations\"",
        "id=\"blanket-implementations\"",
    ];
    let end = ends.iter().filter_map(|mark| own.find(mark)).min().unwrap_or(own.len());
    for method in own[..end].split("<section id=\"method.").skip(1) {
        if let Some(header) = between(method, "<h4 class=\"code-header\">", "</h4>") {
            lines.push(format!("{path}: {}", text(header)));
        }
    }
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    let rest = &text[text.find(begin)? + begin.len()..];
    Some(&rest[..rest.find(end)?])
}

/// What a piece of a page says, in one line: without tags, notes that are folded away, and numbers of hidden lines.
fn text(html: &str) -> String {
    let mut plain = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // "Show 13 fields", where a long declaration is folded.
        if rest.starts_with("<summary") {
            rest = rest.find("</summary>").map_or("", |end| &rest[end..]);
        }
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        rest = &rest[end..];
    }
    plain.push_str(rest);
    for (code, sign) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    {
        plain = plain.replace(code, sign);
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_its_declaration_and_its_own_methods() {
        let page = r##"<pre class="rust item-decl"><code>pub struct <b>A</b> {
            pub x: <a href="#">f64</a>, }</code></pre><h2 id="implementations"></h2>
            <section id="method.new"><h4 class="code-header">pub fn <a>new</a>(x: &amp;f64) -&gt; Self</h4></section>
            <h2 id="trait-implementations"></h2><section id="method.clone"><h4 class="code-header">fn clone</h4>"##;
        let mut lines = Vec::new();
        lines_of("m::A", page, &mut lines);
        assert_eq!(lines, ["m::A: pub struct A { pub x: f64, }", "m::A: pub fn new(x: &f64) -> Self"]);
        assert_eq!(item(Path::new("m/struct.A.html")).as_deref(), Some("m::A"));
        let all = r##"<li><a href="#structs">Structs</a></li><li><a href="m/struct.A.html">m::A</a></li>"##;
        assert_eq!(pages(all).filter_map(item).collect::<Vec<_>>(), ["m::A"]);
    }

    #[test]
    fn a_method_that_goes_and_one_that_comes_are_named() {
        assert_eq!(difference("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
    }
}
