//! Pictures of a world: `.png` by a small rasteriser of its own, `.svg` as polygons from far to near.
//!
//! A world becomes a stage: faces with colours in world axes, a sun and a camera that frames what moves. The rasteriser
//! keeps depth, normal and colour of every sample, then lights them: a sun with shadows, a bright sky that corners see less of,
//! a ground with a grid that fades into the background.

mod camera;
mod colour;
mod draw;
mod frame;
mod light;
mod look;
mod raster;
mod shade;
mod shadow;
mod solid;
mod stage;
mod svg;

#[cfg(test)]
mod tests;

pub use camera::View;
pub use draw::{Form, Options, png, svg, write};
pub use look::{Look, Trail};
