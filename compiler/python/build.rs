//! Lets the module be linked without Python, whose symbols are available when it is loaded.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
