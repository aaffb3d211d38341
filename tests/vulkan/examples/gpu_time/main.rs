//! Time of fragment and compute shaders on a Vulkan device: as they came, after `spirv-opt -O`, and as Airfoil writes them at
//! O0 and O2.
//!
//! `prepare` writes the modules of a folder of shaders; it executes `spirv-opt`, and `glslangValidator` for GLSL. `measure`
//! takes them to a device, and requires nothing but a Vulkan loader:
//!
//! ```text
//! cargo run --profile conformance -p airfoil-vulkan --example gpu_time -- prepare ../shared/corpus/bench/core60 DIR
//! cargo run --profile conformance -p airfoil-vulkan --example gpu_time -- measure DIR --device NVIDIA -o table.csv
//! ```
//!
//! Each shader draws a triangle that covers a target, or is dispatched, 200 times between two timestamps; the table has the
//! median of five such times, whose order is by version, so that the clock of the device affects all versions alike. The
//! results of a single draw or dispatch are compared with those of the original.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod measure;
mod prepare;
mod table;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// The versions of a shader. The first is the original.
const VERSIONS: [&str; 4] = ["original", "spirv-opt", "O0", "O2"];

/// Time of shaders on a Vulkan device.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Writes the modules of a folder of shaders
    Prepare {
        /// Shaders: `.spv`, and `.frag` and `.comp` for Vulkan
        shaders: PathBuf,
        /// Folder for the modules
        folder: PathBuf,
        /// The optimiser to compare with
        #[arg(long, default_value = "spirv-opt")]
        spirv_opt: PathBuf,
        /// Compiler of the originals of GLSL
        #[arg(long, default_value = "glslangValidator")]
        glslang: PathBuf,
    },
    /// Measures the modules that `prepare` wrote
    Measure {
        /// Folder of the modules
        folder: PathBuf,
        #[command(flatten)]
        options: measure::Options,
    },
}

fn main() -> ExitCode {
    let result = match Args::parse().step {
        Step::Prepare { shaders, folder, spirv_opt, glslang } => {
            prepare::prepare(&shaders, &folder, &spirv_opt, &glslang)
        }
        Step::Measure { folder, options } => measure::measure(&folder, &options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
