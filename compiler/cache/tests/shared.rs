//! Caches that several threads and processes use, some of which are killed. The processes are this program again.

#![allow(clippy::print_stdout, reason = "a process reports that it is ready")]

#[cfg(unix)]
mod folder;

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use crate::folder::Temporary;
    use airfoil_cache::{Cache, Key};
    use libtest_mimic::{Arguments, Trial};
    use std::io::{BufRead, BufReader, Read};
    use std::path::Path;
    use std::process::{Child, Command, Stdio, exit};
    use std::thread;
    use std::time::Duration;

    pub fn main() {
        if let Some(folder) = std::env::var_os(FOLDER) {
            write(Path::new(&folder));
        }
        let test = |name: &str, test: fn()| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
        };
        let tests = vec![
            test("killed_writers_leave_whole_entries", killed_writers_leave_whole_entries),
            test("processes_and_threads_share_a_folder", processes_and_threads_share_a_folder),
        ];
        libtest_mimic::run(&Arguments::from_args(), tests).exit();
    }

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

    /// Whether an entry exists; it is as it was written.
    fn is_there(cache: &Cache, n: u32) -> bool {
        let entry = cache.get(&key(n));
        if let Some(entry) = &entry {
            assert!(**entry == contents(n), "entry {n} has other contents");
        }
        entry.is_some()
    }

    /// Writes entries until the process is killed, or the one that started it ends.
    fn write(folder: &Path) -> ! {
        thread::spawn(|| {
            // The pipe closes with the process that holds its other end.
            let _ = std::io::stdin().read(&mut [0]);
            exit(0);
        });
        let cache = Cache::open(folder, LIMIT).unwrap();
        println!("ready");
        let mut n = std::process::id() % KEYS;
        loop {
            cache.put(&key(n), &contents(n)).unwrap();
            is_there(&cache, n / 2);
            n = (n + 1) % KEYS;
        }
    }

    /// A process that writes, until it is dropped.
    struct Writer(Child);

    impl Writer {
        fn start(folder: &Path) -> Writer {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .env(FOLDER, folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            Writer(child)
        }
    }

    impl Drop for Writer {
        fn drop(&mut self) {
            self.0.kill().unwrap();
            self.0.wait().unwrap();
        }
    }

    /// SIGKILL at 50 points of time; `AIRFOIL_KILLS` sets another number.
    fn killed_writers_leave_whole_entries() {
        let kills = std::env::var("AIRFOIL_KILLS").map_or(50, |n| n.parse().expect("a number"));
        let folder = Temporary::new("kills");
        let cache = Cache::open(&folder.0, LIMIT).unwrap();
        let mut found = 0;
        for n in 0..kills {
            let writer = Writer::start(&folder.0);
            thread::sleep(Duration::from_micros(u64::from(key(n).bytes()[0]) * 40));
            drop(writer);
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

    fn processes_and_threads_share_a_folder() {
        let folder = Temporary::new("shared");
        let writers = [(); 3].map(|()| Writer::start(&folder.0));
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
        drop(writers);
        assert!(stored > 100, "only {stored} of 1600 entries were stored");
        let cache = Cache::open(&folder.0, LIMIT).unwrap();
        let there = (0..KEYS).filter(|&n| is_there(&cache, n)).count();
        let (entries, size) = cache.size().unwrap();
        assert_eq!(there, entries);
        assert!(size <= LIMIT, "{size} bytes");
        assert!(there > 5, "{there} entries");
    }
}
