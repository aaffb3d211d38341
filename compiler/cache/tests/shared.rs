//! Caches that several threads and processes use, some of which are killed.

#![cfg(unix)]
#![allow(clippy::print_stderr, reason = "a process reports that it is ready")]

mod folder;

use airfoil_cache::{Cache, Key};
use folder::Temporary;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Names the folder of a writer process.
const FOLDER: &str = "AIRFOIL_TEST_CACHE";
const KEYS: u32 = 64;
/// About a third of the entries fit.
const LIMIT: u64 = 256 << 10;

fn key(n: u32) -> Key {
    Key::of("test", &[&n.to_le_bytes()])
}

/// The contents of an entry, which follow from its number: up to 24 KiB.
fn contents(n: u32) -> Vec<u8> {
    let mut state = n.wrapping_mul(2_654_435_761) | 1;
    let length = state >> 8 & 0x5fff;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Whether an entry is there; it is as it was written.
fn is_there(cache: &Cache, n: u32) -> bool {
    let entry = cache.get(&key(n));
    if let Some(entry) = &entry {
        assert!(**entry == contents(n), "entry {n} has other contents");
    }
    entry.is_some()
}

/// The process that the tests below kill.
#[test]
#[ignore = "runs as a process of other tests until it is killed"]
fn writer() {
    let folder = std::env::var_os(FOLDER).expect("the folder");
    let cache = Cache::open(Path::new(&folder), LIMIT).unwrap();
    // The line that the other process waits for, as the harness captures the standard output only.
    eprintln!("ready");
    for n in (0..KEYS).cycle().skip((std::process::id() % KEYS) as usize) {
        cache.put(&key(n), &contents(n)).unwrap();
        is_there(&cache, n / 2);
    }
}

fn start_writer(folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

/// SIGKILL at 50 points of time; `AIRFOIL_KILLS` sets another number.
#[test]
fn killed_writers_leave_whole_entries() {
    let kills = std::env::var("AIRFOIL_KILLS").map_or(50, |n| n.parse().expect("a number"));
    let folder = Temporary::new("kills");
    let cache = Cache::open(&folder.0, LIMIT).unwrap();
    let mut found = 0;
    for n in 0..kills {
        let mut child = start_writer(&folder.0);
        thread::sleep(Duration::from_micros(u64::from(key(n).bytes()[0]) * 40));
        child.kill().unwrap();
        child.wait().unwrap();
        let (entries, size) = cache.size().unwrap();
        assert!(size <= LIMIT, "{size} bytes");
        let there = (0..KEYS).filter(|&n| is_there(&cache, n)).count();
        assert_eq!(there, entries, "a killed process left a damaged entry");
        found += there;
        // Its lock does not outlive it.
        assert!(cache.put(&key(KEYS + n), b"next").unwrap(), "the lock is taken");
        assert_eq!(&*cache.get(&key(KEYS + n)).unwrap(), b"next");
        cache.remove(&key(KEYS + n));
    }
    assert!(found > 10 * kills as usize, "{found} entries: the writers hardly wrote");
}

#[test]
fn processes_and_threads_share_a_folder() {
    let folder = Temporary::new("shared");
    let mut children = [(); 3].map(|()| start_writer(&folder.0));
    let stored: usize = thread::scope(|scope| {
        let work = |first: u32| {
            let cache = Cache::open(&folder.0, LIMIT).unwrap();
            let mut stored = 0;
            for n in (first..first + 200).map(|n| n % KEYS) {
                stored += usize::from(cache.put(&key(n), &contents(n)).unwrap());
                is_there(&cache, (n * 7) % KEYS);
            }
            stored
        };
        let threads: Vec<_> = (0..8).map(|n| scope.spawn(move || work(n * 8))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(stored > 100, "only {stored} of 1600 entries were stored");
    let cache = Cache::open(&folder.0, LIMIT).unwrap();
    let there = (0..KEYS).filter(|&n| is_there(&cache, n)).count();
    let (entries, size) = cache.size().unwrap();
    assert_eq!(there, entries);
    assert!(size <= LIMIT, "{size} bytes");
    assert!(there > 5, "{there} entries");
}
