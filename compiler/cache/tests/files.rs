//! The files of a cache: rights, links, damage, size.

#![cfg(unix)]

mod folder;

use airfoil_cache::{Cache, Key};
use folder::Temporary;
use std::fs::{self, FileTimes, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

fn key(name: &str) -> Key {
    Key::of("test", &[name.as_bytes()])
}

/// A cache with an entry `a`, and the file of the entry.
fn cache(name: &str) -> (Temporary, Cache, PathBuf) {
    let folder = Temporary::new(name);
    let cache = Cache::open(&folder.0, 1 << 20).unwrap();
    assert!(cache.put(&key("a"), b"contents").unwrap());
    let file = folder.0.join(key("a").to_string());
    (folder, cache, file)
}

#[test]
fn parts_of_keys_have_lengths() {
    assert_ne!(Key::of("test", &[b"ab", b"c"]), Key::of("test", &[b"a", b"bc"]));
    assert_ne!(Key::of("test", &[b"a"]), Key::of("testa", &[]));
    assert_eq!(key("a").to_string().len(), 64);
}

#[test]
fn entries_are_found_by_other_caches_of_the_folder() {
    let (folder, cache, _) = cache("found");
    let other = Cache::open(&folder.0, 1 << 20).unwrap();
    assert_eq!(&*other.get(&key("a")).unwrap(), b"contents");
    assert!(other.get(&key("b")).is_none());
    assert!(other.put(&key("a"), b"").unwrap());
    assert_eq!(&*cache.get(&key("a")).unwrap(), b"");
    assert_eq!(cache.size().unwrap().0, 1);
    cache.remove(&key("a"));
    assert!(other.get(&key("a")).is_none());
}

#[test]
fn the_folder_is_private() {
    let (folder, _, file) = cache("private");
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder.0), mode(&file)), (0o700, 0o600));
    fs::set_permissions(&folder.0, Permissions::from_mode(0o750)).unwrap();
    let error = Cache::open(&folder.0, 1 << 20).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!(error.to_string(), "expected the mode 0700, found 0750: others can enter it");
}

#[test]
fn links_are_not_followed() {
    let (folder, cache, file) = cache("links");
    let link = Temporary::new("links-link");
    symlink(&folder.0, &link.0).unwrap();
    for path in [link.0.clone(), link.0.join("")] {
        assert_eq!(Cache::open(&path, 1 << 20).unwrap_err().kind(), ErrorKind::PermissionDenied);
    }
    fs::remove_file(&link.0).unwrap();
    // An entry that is a link to a good one, and a lock that is a link to a file of the user.
    let elsewhere = folder.0.join("elsewhere");
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(cache.get(&key("a")).is_none());
    assert!(cache.put(&key("a"), b"new").unwrap());
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
    assert_ne!(fs::read(&elsewhere).unwrap(), fs::read(&file).unwrap());
    symlink(&elsewhere, folder.0.join("unfinished")).unwrap();
    assert!(cache.put(&key("a"), b"newer").unwrap());
    let lock = folder.0.join("lock");
    fs::remove_file(&lock).unwrap();
    symlink(&elsewhere, &lock).unwrap();
    assert!(cache.put(&key("a"), b"newest").is_err());
    assert_eq!(&*cache.get(&key("a")).unwrap(), b"newer");
}

#[test]
fn pipes_do_not_block() {
    let (_folder, cache, file) = cache("pipes");
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert!(cache.get(&key("a")).is_none());
}

#[test]
fn damaged_entries_are_removed() {
    let (_folder, cache, file) = cache("damaged");
    let good = fs::read(&file).unwrap();
    for at in 0..good.len() {
        let mut changed = good.clone();
        changed[at] ^= 0x10;
        for bytes in [&changed[..], &good[..at]] {
            fs::write(&file, bytes).unwrap();
            assert!(cache.get(&key("a")).is_none(), "byte {at}");
            assert!(!file.exists());
        }
    }
    // The entry of another key.
    fs::write(file.with_file_name(key("b").to_string()), &good).unwrap();
    assert!(cache.get(&key("b")).is_none());
    fs::write(&file, &good).unwrap();
    assert_eq!(&*cache.get(&key("a")).unwrap(), b"contents");
}

#[test]
fn entries_that_are_not_used_are_removed_first() {
    let folder = Temporary::new("size");
    let cache = Cache::open(&folder.0, 100_000).unwrap();
    let path = |n: u32| folder.0.join(key(&n.to_string()).to_string());
    let age = |n: u32, seconds: u64| {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        let file = fs::File::options().write(true).open(path(n)).unwrap();
        file.set_times(FileTimes::new().set_modified(time)).unwrap();
    };
    for n in 0..9 {
        assert!(cache.put(&key(&n.to_string()), &[n as u8; 10_000]).unwrap());
        age(n, 100_000 - u64::from(n));
    }
    // Entries 0 and 1 are used, so that 2 and 3 are the oldest.
    assert!(cache.get(&key("0")).is_some() && cache.get(&key("1")).is_some());
    assert!(cache.put(&key("9"), &[9; 10_000]).unwrap());
    let there: Vec<u32> = (0..10).filter(|&n| path(n).exists()).collect();
    assert_eq!(there, [0, 1, 4, 5, 6, 7, 8, 9]);
    assert!(!cache.put(&key("large"), &[0; 30_000]).unwrap(), "an entry of more than a quarter");
}

/// A process that was killed before it recorded the total, or a file of another version.
#[test]
fn an_unknown_total_is_counted_again() {
    let (folder, cache, _) = cache("total");
    for total in [&b""[..], b"short", &u64::MAX.to_le_bytes()] {
        fs::write(folder.0.join("lock"), total).unwrap();
        assert!(cache.put(&key("b"), b"more").unwrap());
        assert_eq!(&*cache.get(&key("a")).unwrap(), b"contents");
        let total = u64::from_le_bytes(fs::read(folder.0.join("lock")).unwrap()[..8].try_into().unwrap());
        assert!((cache.size().unwrap().1..1000).contains(&total), "{total}");
    }
}
