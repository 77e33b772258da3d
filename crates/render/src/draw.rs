//! A world to a file.

use crate::camera::View;
use crate::colour;
use crate::look::{Look, Trail};
use crate::raster::Samples;
use crate::shade::{shade, shade_glass, shade_marks};
use crate::stage::{Kind, Stage};
use crate::svg as polygons;
use huygens::World;
use huygens_math::{Vec2, Vec3};
use std::io;
use std::path::Path;

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Width of the picture [pixels].
    pub width: u32,
    /// Height of the picture [pixels].
    pub height: u32,
    /// From where to look.
    pub view: View,
    /// The point in the middle [m]; `None` for the middle of all that is framed.
    pub look_at: Option<Vec3>,
    /// Name of the body in the middle; it wins over `look_at`.
    pub follow: Option<String>,
    /// How many times as large things are; 1 has all of them in the picture.
    pub zoom: f64,
    /// Names of bodies that are left out; the name of a pattern stands for all of its bodies.
    pub hide: Vec<String>,
    /// Draws the contact forces of the last step as arrows.
    pub forces: bool,
    /// Lines along which bodies have come.
    pub trails: Vec<Trail>,
    /// Colours and joints of the scene.
    pub look: Look,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            view: View::default(),
            look_at: None,
            follow: None,
            zoom: 1.0,
            hide: Vec::new(),
            forces: false,
            trails: Vec::new(),
            look: Look::default(),
        }
    }
}

impl Options {
    /// The largest width or height [pixels].
    pub const LARGEST: u32 = 8192;

    /// Whether the body of that name is left out.
    pub(crate) fn hides(&self, name: &str) -> bool {
        self.hide.iter().any(|hidden| {
            name.strip_prefix(hidden.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        })
    }
}

/// How a picture is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Pixels.
    Png,
    /// Polygons.
    Svg,
}

impl Form {
    /// The forms by the ending of the file's name.
    pub const ENDINGS: &'static [(&'static str, Self)] = &[("png", Self::Png), ("svg", Self::Svg)];

    /// The form that the ending of `path` names.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form)
    }
}

/// Samples for each pixel along each side: what makes edges smooth.
const FOLD: usize = 2;

/// Draws the world into the file, in the form that its ending names.
///
/// # Errors
/// When the ending names no form ([`io::ErrorKind::InvalidInput`]) or the file cannot be written.
pub fn write(path: &Path, world: &World, options: &Options) -> io::Result<()> {
    match Form::of(path) {
        Some(Form::Png) => std::fs::write(path, png(world, options)?),
        Some(Form::Svg) => std::fs::write(path, svg(world, options)),
        None => Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no such form of picture")),
    }
}

/// The bytes of a `.png` file that shows the world as it is now.
///
/// # Errors
/// When the size is 0 or above [`Options::LARGEST`].
pub fn png(world: &World, options: &Options) -> io::Result<Vec<u8>> {
    let size = 1..=Options::LARGEST;
    if !size.contains(&options.width) || !size.contains(&options.height) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a picture has 1 to 8192 pixels each way"));
    }
    let [width, height] = [options.width as usize * FOLD, options.height as usize * FOLD];
    let stage = Stage::of(world, options, Vec2::new(width as f64, height as f64));
    let samples =
        Samples::of(&stage, [width, height], |thing| !matches!(thing.kind, Kind::Mark | Kind::Glass));
    let mut picture = shade(&stage, &samples);
    let has = |kind: Kind| stage.things.iter().any(|thing| thing.kind == kind);
    if has(Kind::Glass) {
        let glass = Samples::of(&stage, [width, height], |thing| thing.kind == Kind::Glass);
        shade_glass(&stage, &samples, &glass, &mut picture);
    }
    drop(samples);
    if has(Kind::Mark) {
        let marks = Samples::of(&stage, [width, height], |thing| thing.kind == Kind::Mark);
        shade_marks(&stage, &marks, &mut picture);
    }
    let pixels: Vec<u8> = picture.folded(FOLD).light.into_iter().flat_map(colour::bytes).collect();
    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, options.width, options.height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_compression(::png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&pixels).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok(file)
}

/// The text of an `.svg` file that shows the world as it is now.
pub fn svg(world: &World, options: &Options) -> String {
    let size = Vec2::new(f64::from(options.width), f64::from(options.height));
    polygons::text(&Stage::of(world, options, size), size)
}
