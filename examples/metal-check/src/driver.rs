//! All cases, each in processes of their own, one after the other.

use crate::runner::{Runner, first_device, read_case};
use objc2_metal::{MTLDevice, MTLGPUFamily};
use serde_json::json;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// A case may take this long.
const LIMIT: Duration = Duration::from_secs(20);

/// GPU families that are queried.
const FAMILIES: &[isize] = &[
    1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 2002, 3001, 3002, 3003, 5001,
    5002,
];

/// The program: all cases, or with `--case` one of them.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if first_device().is_none() {
        eprintln!("this Mac has no Metal device");
        return ExitCode::from(2);
    }
    let result = match arguments.get(1).map(String::as_str) {
        Some("--case") if arguments.len() == 5 => one(Path::new(&arguments[2]), &arguments[3], &arguments[4]),
        Some(kit) => all(Path::new(kit), &arguments[2..]),
        None => Err("usage: metal-check KIT [NAME...]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

fn one(kit: &Path, name: &str, variant: &str) -> Result<(), String> {
    let folder = kit.join("cases").join(name);
    let results = kit.join("results").join(name).join(variant);
    let device = first_device().ok_or("no device")?;
    let case = read_case(&folder)?;
    Runner::new(device, case, folder, results).run(variant == "control");
    Ok(())
}

fn text(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default()
}

fn families() -> Vec<isize> {
    let device = first_device();
    let has = |raw: &isize| device.as_ref().is_some_and(|d| d.supportsFamily(MTLGPUFamily(*raw)));
    FAMILIES.iter().copied().filter(has).collect()
}

fn all(kit: &Path, words: &[String]) -> Result<(), String> {
    let results = kit.join("results");
    fs::create_dir_all(&results).map_err(|e| e.to_string())?;
    let device = first_device().ok_or("no device")?;
    let (name, families) = (device.name().to_string(), families());
    let macos = text("/usr/bin/sw_vers", &["-productVersion"]);
    let major: u32 = macos.split('.').next().and_then(|v| v.parse().ok()).unwrap_or(0);
    let is_virtual = text("/usr/sbin/sysctl", &["-n", "kern.hv_vmm_present"]) == "1";
    let about = json!({
        "runner": "metal-check",
        "device": name,
        "macos": macos,
        "build": text("/usr/bin/sw_vers", &["-buildVersion"]),
        "families": families,
        "paravirtual": is_virtual || name.contains("Paravirtual"),
    });
    fs::write(results.join("device.json"), about.to_string()).map_err(|e| e.to_string())?;
    crash_reports(&results.join("older-crash-reports"));
    let mut names: Vec<String> = fs::read_dir(kit.join("cases"))
        .map_err(|e| e.to_string())?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| words.is_empty() || words.iter().any(|w| name.contains(w.as_str())))
        .collect();
    names.sort();
    for name in names {
        let Ok(case) = read_case(&kit.join("cases").join(&name)) else {
            println!("{name}: case.json cannot be read");
            continue;
        };
        let family = case.requires.family.is_none_or(|f| families.contains(&(f as isize)));
        if major < case.requires.macos || !family {
            continue;
        }
        let control = case.control.is_some().then_some("control");
        for variant in control.into_iter().chain(["plain", "checked"]) {
            spawn(kit, &name, variant)?;
        }
        println!("{name}");
    }
    println!("done: airfoil kit report {}", kit.display());
    Ok(())
}

/// Runs a case in a process of its own.
fn spawn(kit: &Path, name: &str, variant: &str) -> Result<(), String> {
    let results = kit.join("results").join(name).join(variant);
    let _ = fs::remove_dir_all(&results);
    fs::create_dir_all(&results).map_err(|e| e.to_string())?;
    let log = results.join("log.txt");
    let file = File::create(&log).map_err(|e| e.to_string())?;
    let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    command.arg("--case").arg(kit).arg(name).arg(variant).stderr(Stdio::from(file));
    if variant == "checked" {
        command.env("MTL_DEBUG_LAYER", "1").env("MTL_SHADER_VALIDATION", "1");
    }
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let mut timeout = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if start.elapsed() > LIMIT && !timeout {
            timeout = true;
            child.kill().map_err(|e| e.to_string())?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut bytes = Vec::new();
    let _ = File::open(&log).map(|f| f.take(4000).read_to_end(&mut bytes));
    let exit = json!({
        "status": status.code().unwrap_or(0),
        "signal": status.signal().unwrap_or(0),
        "timeout": timeout,
        "log": String::from_utf8_lossy(&bytes),
        "crash": crash_reports(&kit.join("results/crash-reports")),
    });
    fs::write(results.join("exit.json"), exit.to_string()).map_err(|e| e.to_string())
}

/// Moves crash reports of Metal's compiler service to a folder, since the system writes only a few; returns their first
/// lines.
fn crash_reports(folder: &Path) -> Vec<String> {
    let Some(home) = std::env::var_os("HOME") else { return Vec::new() };
    let reports = PathBuf::from(home).join("Library/Logs/DiagnosticReports");
    let mut lines = Vec::new();
    for entry in fs::read_dir(reports).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if !text.starts_with("MTLCompilerService") || !text.ends_with(".ips") {
            continue;
        }
        let content = fs::read(entry.path()).unwrap_or_default();
        lines.extend(String::from_utf8_lossy(&content).lines().take(40).map(str::to_owned));
        let _ = fs::create_dir_all(folder);
        let _ = fs::rename(entry.path(), folder.join(name));
    }
    lines
}
