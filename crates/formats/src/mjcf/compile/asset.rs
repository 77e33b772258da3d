//! Assets: meshes and height fields. Textures and materials are pictures only.

use super::super::attributes::Element;
use super::super::error::Fault;
use super::super::model::HeightField;
use super::super::xml::Node;
use super::builder::Builder;
use super::mesh;
use super::scope::Scope;
use huygens_math::scalar;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest height field [cells].
const MOST_CELLS: usize = 1 << 24;

pub(super) fn read(b: &mut Builder<'_>, root: &Node) -> Result<(), Fault> {
    // A file that several meshes use is parsed once.
    let mut parsed: BTreeMap<PathBuf, mesh::Raw> = BTreeMap::new();
    for node in root.all("asset").flat_map(|asset| &asset.children) {
        match node.tag.as_str() {
            "mesh" => read_mesh(b, node, &mut parsed)?,
            "hfield" => read_field(b, node)?,
            _ => {}
        }
    }
    Ok(())
}

/// The file that an asset names.
fn file(b: &Builder<'_>, scope: &Scope, e: &Element<'_>) -> Result<Option<PathBuf>, Fault> {
    let Some(name) = e.get("file") else { return Ok(None) };
    let stripped = Path::new(&name.value).file_name().map(PathBuf::from);
    let own = if scope.strippath { stripped.unwrap_or_default() } else { PathBuf::from(&name.value) };
    let relative = Path::new(&scope.meshdir).join(own);
    b.files.find(&scope.folder, &relative.to_string_lossy(), &name.place).map(Some)
}

fn asset_name(node: &Node) -> String {
    let stem = |a: &str| Path::new(a).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let given = node.own("name").map(|a| a.value.clone());
    given.or_else(|| node.own("file").map(|a| stem(&a.value))).unwrap_or_default()
}

fn read_mesh(
    b: &mut Builder<'_>,
    node: &Node,
    parsed: &mut BTreeMap<PathBuf, mesh::Raw>,
) -> Result<(), Fault> {
    let scope = &b.scopes[node.scope];
    let e = Element::with(node, scope.classes.of(node, None)?, "mesh");
    let name = asset_name(node);
    let raw = match file(b, scope, &e)? {
        Some(path) => match parsed.get(&path) {
            Some(raw) => raw.clone(),
            None => parsed.entry(path.clone()).or_insert(mesh::read_file(&path, &e)?).clone(),
        },
        None if e.get("builtin").is_some_and(|a| a.value != "none") => {
            return Err(e.fault("a built-in mesh is not done", "Write its vertices, or name a `file`."));
        }
        None if node.all("plugin").next().is_some() => {
            let effect = "The mesh is missing; geoms that use it are not read.";
            b.warn(&node.place, "a mesh made by a plugin is not done", effect);
            return Err(
                e.fault("a mesh made by a plugin is not done", "Write its vertices, or name a `file`.")
            );
        }
        None => mesh::read_inline(&e)?,
    };
    let compiled = mesh::compile(name.clone(), &e, raw)?;
    b.meshes.add(&name, b.model.meshes.len(), node)?;
    b.model.meshes.push(Arc::new(compiled));
    Ok(())
}

fn read_field(b: &mut Builder<'_>, node: &Node) -> Result<(), Fault> {
    let scope = &b.scopes[node.scope];
    let e = Element::plain(node);
    let name = asset_name(node);
    let size = e.reals("size", [0.0; 4])?;
    if size.iter().any(|s| *s <= 0.0) {
        return Err(e.fault(format!("`size` of the height field is {size:?}"), "All four must be above 0."));
    }
    let (mut rows, mut columns) = (e.int("nrow", 0)?.max(0) as usize, e.int("ncol", 0)?.max(0) as usize);
    if rows.saturating_mul(columns) > MOST_CELLS {
        return Err(e.fault(format!("a height field of {rows} × {columns}"), "Make it smaller."));
    }
    let mut elevation = e.list("elevation")?.unwrap_or_default();
    let mut written = !elevation.is_empty();
    if let Some(path) = file(b, scope, &e)? {
        written = false;
        (rows, columns, elevation) = field_file(&path, &e)?;
    }
    if rows < 2 || columns < 2 {
        return Err(e.fault(format!("a height field of {rows} × {columns}"), "Both must be 2 or more."));
    }
    if elevation.is_empty() {
        elevation = vec![0.0; rows * columns];
    }
    if elevation.len() != rows * columns {
        return Err(e.fault(format!("{} heights for {rows} × {columns}", elevation.len()), ""));
    }
    if written {
        // Written as one sees it: the first row is the farthest in y.
        elevation = elevation.chunks(columns).rev().flatten().copied().collect();
    }
    let (low, high) = elevation.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &h| {
        (scalar::min(low, h), scalar::max(high, h))
    });
    let range = high - low;
    // MuJoCo keeps heights in single precision.
    let share = |h: f64| f64::from((h as f32 - low as f32) / (high as f32 - low as f32));
    elevation.iter_mut().for_each(|h| *h = if range > 1e-15 { share(*h) } else { 0.0 });
    b.hfields.add(&name, b.model.hfields.len(), node)?;
    b.model.hfields.push(Arc::new(HeightField { name, rows, columns, size, elevation }));
    Ok(())
}

/// MuJoCo's own format: two integers, then single-precision heights. Pictures are not read.
fn field_file(path: &Path, e: &Element<'_>) -> Result<(usize, usize, Vec<f64>), Fault> {
    let place = &e.needed("file")?.place;
    let fail = |message: String| {
        Fault::at(place, message, "Write `elevation`, or a file of MuJoCo's binary format.")
    };
    let png = path.extension().is_some_and(|x| x.eq_ignore_ascii_case("png"));
    if png {
        return png_field(path).map_err(fail);
    }
    let bytes =
        std::fs::read(path).map_err(|error| fail(format!("{} cannot be read: {error}", path.display())))?;
    let int = |i: usize| bytes.get(4 * i..4 * i + 4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (Some(rows), Some(columns)) = (int(0), int(1)) else {
        return Err(fail("the file is too short".to_owned()));
    };
    let count = (rows.max(0) as usize).saturating_mul(columns.max(0) as usize);
    if count > MOST_CELLS || bytes.len() != 8 + 4 * count {
        return Err(fail(format!("{rows} × {columns} heights do not fit {} bytes", bytes.len())));
    }
    let heights = bytes[8..].chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    Ok((rows as usize, columns as usize, heights.collect()))
}

/// Heights from the brightness of a picture, whose first row is the farthest in y.
fn png_field(path: &Path) -> Result<(usize, usize, Vec<f64>), String> {
    let name = path.display();
    let file = std::fs::File::open(path).map_err(|error| format!("{name} cannot be read: {error}"))?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let bad = |error: png::DecodingError| format!("{name} is no PNG: {error}");
    let mut reader = decoder.read_info().map_err(bad)?;
    let (columns, rows) = (reader.info().width as usize, reader.info().height as usize);
    let size = reader.output_buffer_size().filter(|_| rows.saturating_mul(columns) <= MOST_CELLS);
    let mut buffer = vec![0; size.ok_or_else(|| format!("{name} has {rows} × {columns} pixels: too many"))?];
    let frame = reader.next_frame(&mut buffer).map_err(bad)?;
    let samples = frame.color_type.samples();
    let mut heights = Vec::with_capacity(rows * columns);
    for row in (0..rows).rev() {
        let line = &buffer[row * frame.line_size..];
        heights.extend((0..columns).map(|column| f64::from(line[column * samples])));
    }
    Ok((rows, columns, heights))
}
