//! The scene text that every harness reads; `huygens bench SCENE --export FILE` writes it.
//!
//! ```text
//! scene NAME STEPS MU
//! mesh NV NT                                             one static triangle mesh: NV lines `v x y z`, NT lines `t i j k`
//! b FIXED KIND a b c  px py pz  qx qy qz qw  COLLIDE     KIND 0 sphere(r), 1 capsule(r, half length; axis y), 2 box(half edges)
//! ```
//! The y axis points up, g = 9.81 m/s², density 1000 kg/m³, dt = 1/60 s, SI units.

/// The shape of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Radius.
    Sphere(f64),
    /// Radius, half the length of the cylinder; the axis is y.
    Capsule(f64, f64),
    /// Half the edges.
    Box([f64; 3]),
}

/// A body at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// It never moves.
    pub fixed: bool,
    /// Its shape.
    pub shape: Shape,
    /// Its centre.
    pub position: [f64; 3],
    /// Its turn: x, y, z, w.
    pub rotation: [f64; 4],
}

/// A surface of triangles that never moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners.
    pub vertices: Vec<[f64; 3]>,
    /// Indices of three corners each.
    pub triangles: Vec<[u32; 3]>,
}

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// How many steps it has.
    pub steps: u64,
    /// Coefficient of friction of every pair.
    pub friction: f64,
    /// Its bodies.
    pub bodies: Vec<Body>,
    /// Its ground; empty when there is none.
    pub mesh: Mesh,
}

impl Scene {
    /// Reads the text of a scene.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
        let head: Vec<&str> = lines.next().map_or(vec![], |(_, line)| line.split_whitespace().collect());
        let ["scene", name, steps, friction] = head[..] else {
            return Err("line 1: expected `scene NAME STEPS MU`".into());
        };
        let number = |word: &str| word.parse::<f64>().map_err(|_| format!("`{word}` is no number"));
        let mut scene = Self {
            name: name.into(),
            steps: number(steps)? as u64,
            friction: number(friction)?,
            bodies: Vec::new(),
            mesh: Mesh::default(),
        };
        for (at, line) in lines {
            scene.read(line).map_err(|problem| format!("line {}: {problem}", at + 1))?;
        }
        let corners = scene.mesh.vertices.len();
        if scene.mesh.triangles.iter().flatten().any(|i| *i as usize >= corners) {
            return Err("a triangle names a corner that is not there".into());
        }
        Ok(scene)
    }
}

impl Scene {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "mesh" => {}
            "v" => self.mesh.vertices.push(three(rest)?),
            "t" => self.mesh.triangles.push(three(rest)?),
            _ => self.bodies.push(parse_body(line)?),
        }
        Ok(())
    }
}

fn three<T: std::str::FromStr + Copy + Default>(words: &str) -> Result<[T; 3], String> {
    let mut out = [T::default(); 3];
    let mut words = words.split_whitespace();
    for slot in &mut out {
        let word = words.next().ok_or("three numbers are wanted")?;
        *slot = word.parse().map_err(|_| format!("`{word}` is no number"))?;
    }
    Ok(out)
}

fn parse_body(line: &str) -> Result<Body, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() != 14 || words[0] != "b" {
        return Err("expected `b` and 13 numbers; joints are not read here".into());
    }
    let mut x = [0.0; 13];
    for (slot, word) in x.iter_mut().zip(&words[1..]) {
        *slot = word.parse().map_err(|_| format!("`{word}` is no number"))?;
    }
    let shape = match x[1] as u32 {
        0 => Shape::Sphere(x[2]),
        1 => Shape::Capsule(x[2], x[3]),
        2 => Shape::Box([x[2], x[3], x[4]]),
        kind => return Err(format!("there is no shape of kind {kind}")),
    };
    Ok(Body { fixed: x[0] != 0.0, shape, position: [x[5], x[6], x[7]], rotation: [x[8], x[9], x[10], x[11]] })
}
