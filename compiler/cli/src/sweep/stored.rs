//! `--cache`: rows of earlier sweeps, so that one that was interrupted continues where it stopped.

use super::SweepArgs;
use super::evaluate::File;
use super::pipelines::Named;
use crate::Failure;
use crate::batch::Log;
use crate::cache::{self, is_built_in};
use crate::report::Console;
use crate::stats::Measures;
use crate::stats::row::{Check, Row};
use airfoil::check::Runs;
use airfoil_cache::{Cache, Key};

/// Sizes, the word for the check, and the messages.
type Contents = (Vec<Option<f64>>, Option<String>, String);

/// Rows by the contents of the shaders, the pipeline and the measures.
#[derive(Debug)]
pub struct Stored {
    cache: Cache,
    /// Everything that a row depends on besides shaders and pipeline.
    options: String,
}

impl Stored {
    /// Opens the cache, if one is requested.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn open(
        args: &SweepArgs,
        measures: Measures,
        runs: Option<&Runs>,
        console: Console,
    ) -> Result<Option<Stored>, Failure> {
        let Some(folder) = &args.cache else { return Ok(None) };
        let cache = cache::open_folder(folder, Cache::LIMIT, console)?;
        // Messages are stored as they are written.
        Ok(Some(Stored { cache, options: format!("{console:?} {measures:?} {runs:?}") }))
    }

    /// The row of an earlier sweep, or else the one that `make` makes.
    pub fn row(&self, file: &File, named: &Named, log: &mut Log, make: impl FnOnce(&mut Log) -> Row) -> Row {
        let pipeline = named.pipeline.to_string();
        if !is_built_in(&pipeline) {
            return make(log);
        }
        let key = Key::of("sweep", &[self.options.as_bytes(), file.identity().bytes(), pipeline.as_bytes()]);
        if let Some((row, messages)) = self.cache.get(&key).and_then(|entry| decode(&entry, file, named)) {
            log.text(&messages);
            return row;
        }
        let start = log.so_far().len();
        let row = make(log);
        let check = row.check.map(|check| check.name().to_string());
        let contents: Contents = (row.sizes.to_vec(), check, log.so_far()[start..].to_string());
        if let Ok(entry) = airfoil_store::encode(&contents) {
            // Without it the next sweep takes longer.
            let _ = self.cache.put(&key, &entry);
        }
        row
    }
}

fn decode(entry: &[u8], file: &File, named: &Named) -> Option<(Row, String)> {
    let (sizes, check, messages): Contents = airfoil_store::decode(entry).ok()?;
    let check = match check {
        Some(name) => Some(Check::ALL.into_iter().find(|check| check.name() == name)?),
        None => None,
    };
    let sizes = sizes.try_into().ok()?;
    Some((Row { sizes, check, ..Row::empty(file.name.clone(), &named.name) }, messages))
}
