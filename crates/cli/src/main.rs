//! The `huygens` program.

fn main() {
    println!("huygens {}", env!("CARGO_PKG_VERSION"));
}
