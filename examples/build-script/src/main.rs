//! Libraries that `build.rs` compiled are part of the program.

/// For `newLibraryWithData:`.
static TRIANGLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/triangle.metallib"));
static DOUBLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/double.metallib"));
/// Metal indices of resources.
static DOUBLE_REFLECTION: &str = include_str!(concat!(env!("OUT_DIR"), "/double.json"));

fn main() {
    for (name, library) in [("triangle", TRIANGLE), ("double", DOUBLE)] {
        assert!(library.starts_with(b"MTLB"), "{name} is not a library");
        println!("{name}: {} bytes", library.len());
    }
    assert!(DOUBLE_REFLECTION.contains("storage_buffer"));
    println!("{DOUBLE_REFLECTION}");
}
