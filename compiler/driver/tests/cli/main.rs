//! The command as users meet it: exit status, streams, files.

mod batch;
mod kinds;
mod messages;
mod run;
mod streams;
mod tools;
