//! Executes kernels of a library with given buffers, for a program that judges the results (`.ci/apple-kernels`).
//!
//! `cargo run -p airfoil-cpu --features llvm14 --example run_kernels -- LIBRARY`
//!
//! A request on standard input is a line of words, then the contents of its buffers in order:
//!
//! `kernel=NAME groups=X,Y,Z threads=X,Y,Z buffer=ARGUMENT:BYTES... constant=INDEX:BITS... threadgroup=ARGUMENT:BYTES...`
//!
//! Buffers have the names of the arguments they are bound to. The reply is the line `ok` and the contents of the buffers after the execution, or a
//! line `error: MESSAGE`.

#![allow(clippy::print_stderr)]

use airfoil_air::metallib;
use airfoil_cpu::{Bindings, Config, Constants, Function, Launch, Role};
use airfoil_interp::{Binding, Resources};
use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: run_kernels LIBRARY");
        return ExitCode::from(2);
    };
    match serve(&file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{file}: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The modules of a library by the names of their functions.
type Modules<'a> = HashMap<&'a str, &'a [u8]>;

fn serve(file: &str) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    let library = metallib::read(&bytes).map_err(|e| e.to_string())?;
    let mut modules = Modules::new();
    for function in &library.functions {
        modules.insert(function.entry.name, function.bitcode().map_err(|e| e.to_string())?);
    }
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).map_err(|e| e.to_string())? == 0 {
            return Ok(());
        }
        let mut request = Request::parse(line.trim())?;
        for (_, contents) in &mut request.buffers {
            input.read_exact(contents).map_err(|e| e.to_string())?;
        }
        let reply = match request.execute(&modules) {
            Ok(buffers) => [b"ok\n".to_vec(), buffers.concat()].concat(),
            Err(message) => format!("error: {}\n", message.replace('\n', " ")).into_bytes(),
        };
        output.write_all(&reply).and_then(|()| output.flush()).map_err(|e| e.to_string())?;
    }
}

struct Request<'a> {
    kernel: &'a str,
    launch: Launch,
    buffers: Vec<(&'a str, Vec<u8>)>,
    threadgroup: Vec<(&'a str, usize)>,
    constants: Constants,
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("expected a number, found `{word}`"))
}

fn size(text: &str) -> Result<[u32; 3], String> {
    let parts = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
    parts.try_into().map_err(|_| format!("expected three numbers, found `{text}`"))
}

/// A word of two parts.
fn pair(text: &str) -> Result<(&str, usize), String> {
    let (name, count) =
        text.split_once(':').ok_or_else(|| format!("expected `NAME:BYTES`, found `{text}`"))?;
    Ok((name, number(count)?))
}

impl<'a> Request<'a> {
    fn parse(line: &'a str) -> Result<Request<'a>, String> {
        let mut request = Request {
            kernel: "",
            launch: Launch { groups: [1; 3], threads: [1; 3] },
            buffers: Vec::new(),
            threadgroup: Vec::new(),
            constants: Constants::new(),
        };
        for word in line.split(' ') {
            let (key, value) =
                word.split_once('=').ok_or_else(|| format!("expected `KEY=VALUE`, found `{word}`"))?;
            match key {
                "kernel" => request.kernel = value,
                "groups" => request.launch.groups = size(value)?,
                "threads" => request.launch.threads = size(value)?,
                "buffer" => {
                    let (name, bytes) = pair(value)?;
                    request.buffers.push((name, vec![0; bytes]));
                }
                "threadgroup" => request.threadgroup.push(pair(value)?),
                "constant" => {
                    let (index, bits) = pair(value)?;
                    request.constants.insert(number(index)?, bits as u64);
                }
                _ => return Err(format!("unknown key `{key}`")),
            }
        }
        Ok(request)
    }

    fn execute(self, modules: &Modules<'_>) -> Result<Vec<Vec<u8>>, String> {
        let module = modules.get(self.kernel).ok_or("the library does not have this kernel")?;
        let function = Function::of_bitcode(module, Some(self.kernel), &self.constants)?;
        let index = |name: &str| {
            let mut arguments = function.entry().arguments.iter().filter(|a| a.name == name);
            arguments
                .find_map(|a| match a.role {
                    Role::Buffer { index, .. } => Some(index),
                    _ => None,
                })
                .ok_or_else(|| format!("the kernel does not have a buffer `{name}`"))
        };
        let (mut resources, mut bindings) = (Resources::new(), Bindings::default());
        for (name, contents) in self.buffers {
            let buffer = resources.add_buffer(contents);
            bindings.buffers.insert(index(name)?, Binding::Buffer { buffer, offset: 0, size: None });
        }
        for (name, bytes) in self.threadgroup {
            bindings.threadgroup.insert(index(name)?, bytes);
        }
        // A kernel that accesses memory outside of its buffers is a fault of the request.
        let config = Config { robust: false, ..Config::default() };
        function.kernel(&mut resources, &bindings, self.launch, &config)?;
        Ok(resources.buffers.into_iter().map(|b| b.bytes).collect())
    }
}
