//! One run: the words of the command line, the steps, one line of JSON.

use crate::figures::{self, Penetration};
use crate::scene::Scene;
use std::process::ExitCode;
use std::time::Instant;

/// A peer with a scene in it.
pub trait Engine: Sized {
    /// Its name in the tables.
    const NAME: &'static str;
    /// Version of the library.
    const VERSION: &'static str;

    /// The start of a scene: engine-default iterations, sleeping off.
    fn new(scene: &Scene) -> Self;
    /// One step of 1/60 s.
    fn step(&mut self);
    /// Contact points that the last step worked on.
    fn contacts(&self) -> usize;
    /// Sum over the bodies [J].
    fn kinetic_energy(&self) -> f64;
    /// Gaps of the engine's own contact points, found anew at the poses of now [m].
    fn gaps(&mut self) -> Vec<f64>;
}

struct Words {
    scene: Scene,
    steps: u64,
    window: std::ops::Range<u64>,
}

/// Runs the scene file that the command line names.
pub fn main<E: Engine>() -> ExitCode {
    match words().map(|words| run::<E>(&words)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{}: {message}\nusage: FILE [--steps N] [--warm N]", E::NAME);
            ExitCode::from(2)
        }
    }
}

fn words() -> Result<Words, String> {
    let mut words = std::env::args().skip(1);
    let mut file = None;
    let (mut steps, mut warm) = (None, None);
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, String> {
            let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            text.parse().map_err(|_| format!("{word}: `{text}` is no number"))
        };
        match word.as_str() {
            "--steps" => steps = Some(number()?),
            "--warm" => warm = Some(number()?),
            _ => file = Some(word),
        }
    }
    let file = file.ok_or("no scene file was named")?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scene = Scene::parse(&text).map_err(|problem| format!("{file}: {problem}"))?;
    let window = figures::window(scene.steps, steps, warm);
    if window.is_empty() {
        return Err("--steps must be more than --warm".into());
    }
    let steps = steps.unwrap_or(scene.steps);
    Ok(Words { scene, steps, window })
}

fn run<E: Engine>(words: &Words) -> String {
    let Words { scene, steps, window } = words;
    let mut engine = E::new(scene);
    let mut times = Vec::new();
    let mut contacts = 0;
    let (mut busy_from, mut busy) = (None, None);
    for step in 0..*steps {
        if step == window.start {
            busy_from = figures::processor_time();
        }
        let start = Instant::now();
        engine.step();
        let end = Instant::now();
        if window.contains(&step) {
            times.push((end - start).as_secs_f64() * 1e3);
        }
        if step + 1 == window.end {
            busy = busy_from.and_then(|from| Some(figures::processor_time()? - from));
            contacts = engine.contacts();
        }
    }
    let memory = figures::peak_memory();
    let mean = figures::mean(&times);
    let busy = busy.map_or(mean, |busy| busy * 1e3 / times.len() as f64);
    let kinetic = engine.kinetic_energy();
    let p = Penetration::of(engine.gaps());
    format!(
        concat!(
            "{{\"engine\":\"{}\",\"version\":\"{}\",\"scene\":\"{}\",\"bodies\":{},\"steps\":{},\"from\":{},\"to\":{},",
            "\"mean_ms\":{:.4},\"median_ms\":{:.4},\"busy_ms\":{:.4},\"contacts\":{},\"ns_per_contact\":{:.2},",
            "\"penetration\":{{\"points\":{},\"max\":{:.6e},\"p99\":{:.6e},\"mean\":{:.6e}}},",
            "\"kinetic_energy\":{:.6e},\"peak_bytes\":{}}}"
        ),
        E::NAME,
        E::VERSION,
        scene.name,
        scene.bodies.iter().filter(|body| !body.fixed).count(),
        steps,
        window.start,
        window.end,
        mean,
        figures::median(&times),
        busy,
        contacts,
        if contacts > 0 { busy * 1e6 / contacts as f64 } else { 0.0 },
        p.points,
        p.max,
        p.p99,
        p.mean,
        kinetic,
        memory
    )
}
