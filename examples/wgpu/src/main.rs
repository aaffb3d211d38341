//! Compiles two GLSL shaders to a `.metallib`, hands it to wgpu without translation, draws a triangle and writes it to `triangle.ppm`.

#[cfg(target_os = "macos")]
mod draw;

#[cfg(target_os = "macos")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    draw::main()
}

#[cfg(not(target_os = "macos"))]
fn main() {
    eprintln!("Metal exists on Apple's systems only");
}
