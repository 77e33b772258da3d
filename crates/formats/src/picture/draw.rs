//! A world to a file.

use super::camera::View;
use super::colour;
use super::raster::Samples;
use super::shade::{shade, shade_marks};
use super::stage::{Kind, Stage};
use super::svg as polygons;
use huygens::World;
use huygens_math::Vec2;
use std::io;
use std::path::Path;

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Width of the picture [pixels].
    pub width: u32,
    /// Height of the picture [pixels].
    pub height: u32,
    /// From where to look.
    pub view: View,
    /// Draws the contact forces of the last step as arrows.
    pub forces: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 1280, height: 720, view: View::default(), forces: false }
    }
}

impl Options {
    /// The largest width or height [pixels].
    pub const LARGEST: u32 = 8192;
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
    let stage = Stage::of(world, options.view, Vec2::new(width as f64, height as f64), options.forces);
    let samples = Samples::of(&stage, [width, height], |kind| kind != Kind::Mark);
    let mut picture = shade(&stage, &samples);
    drop(samples);
    if options.forces {
        let marks = Samples::of(&stage, [width, height], |kind| kind == Kind::Mark);
        shade_marks(&stage, &marks, &mut picture);
    }
    let pixels: Vec<u8> = picture.folded(FOLD).light.into_iter().flat_map(colour::bytes).collect();
    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, options.width, options.height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&pixels).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok(file)
}

/// The text of an `.svg` file that shows the world as it is now.
pub fn svg(world: &World, options: &Options) -> String {
    let size = Vec2::new(f64::from(options.width), f64::from(options.height));
    polygons::text(&Stage::of(world, options.view, size, options.forces), size)
}
