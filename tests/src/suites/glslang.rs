//! `glslang`: shader files with a list of verdicts, `EXPECT.tsv`, beside them.
//!
//! A line of the list is `file<TAB>accept|reject|link-error<TAB>gl|vulkan`.

use super::build::{self, Builder, Link, Request, Source};
use crate::glsl_files::stage_of;
use crate::report::{Answer, Verdict};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the list.
pub const LIST: &str = "EXPECT.tsv";

/// Files whose names begin so were only preprocessed for their verdicts.
const PREPROCESSED: &str = "preprocessor.";
/// Files whose names begin so were linked with others.
const PART_OF_SET: &str = "link.";
/// Files with these in their names were compiled with the options.
const NEEDS_OPTIONS: [&str; 3] = [".-D", ".-U", ".-P"];

/// The expected messages of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Compiles and links alone.
    Accept,
    /// Refused.
    Reject,
    /// Refused when linked alone.
    LinkError,
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The verdict.
    pub expect: Expect,
    /// GLSL for Vulkan.
    pub vulkan: bool,
}

impl Entry {
    /// Group of results.
    pub fn group(self) -> &'static str {
        match (self.vulkan, self.expect) {
            (false, Expect::Accept) => "gl accept",
            (false, Expect::Reject) => "gl reject",
            (false, Expect::LinkError) => "gl link-error",
            (true, Expect::Accept) => "vulkan accept",
            (true, _) => "vulkan reject",
        }
    }
}

/// Reads a list: entries by file name.
///
/// # Errors
/// The first line that cannot be understood.
pub fn list(text: &str) -> Result<BTreeMap<&str, Entry>, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let fault = || format!("{LIST}:{number}: `{line}` is not an entry");
            let mut fields = line.split('\t');
            let mut field = || fields.next().ok_or_else(fault);
            let name = field()?;
            let expect = match field()? {
                "accept" => Expect::Accept,
                "reject" => Expect::Reject,
                "link-error" => Expect::LinkError,
                _ => return Err(fault()),
            };
            let vulkan = match field()? {
                "gl" => false,
                "vulkan" => true,
                _ => return Err(fault()),
            };
            Ok((name, Entry { expect, vulkan }))
        })
        .collect()
}

/// Judges one file. Files for Vulkan are skipped unless requested.
pub fn run(path: &Path, text: &str, entry: Option<Entry>, vulkan: bool, builder: &dyn Builder) -> Answer {
    let skipped = |reason: &str| Answer::plain(Verdict::Skipped(reason.into()));
    let Some(entry) = entry else { return skipped("not in the list of verdicts") };
    if entry.vulkan && !vulkan {
        return skipped("for Vulkan, which was not asked for");
    }
    if path.to_string_lossy().contains(".hlsl.") {
        return skipped("HLSL");
    }
    let Some(stage) = stage_of(path) else { return skipped("the name tells no stage") };
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let request = Request {
        sources: vec![Source { stage, text: text.into() }],
        // The lists come from a compiler with these defaults, and from a linker that takes any stage alone.
        default_version: Some("100".into()),
        link: Link::Separable,
        vulkan: entry.vulkan,
        assign: true,
    };
    if NEEDS_OPTIONS.iter().any(|option| name.contains(option)) {
        return skipped("needs macros from the command line");
    }
    let verdict = if name.starts_with(PREPROCESSED) {
        match builder.preprocess(&request) {
            Some(verdict) => verdict,
            None => return skipped("its verdict is for the preprocessor alone"),
        }
    } else {
        builder.build(&request)
    };
    let judged = match (&verdict, entry.expect) {
        (build::Verdict::LinkError { .. }, Expect::Accept) if name.starts_with(PART_OF_SET) => {
            Verdict::Skipped("links only with other files of its set".into())
        }
        // An extension that is not supported is a fault in OpenGL: all that the files use is documented.
        (build::Verdict::Unsupported { what }, _) if entry.vulkan => {
            Verdict::Skipped(format!("needs {what}"))
        }
        (build::Verdict::Ok, Expect::Accept)
        | (
            build::Verdict::CompileError { .. } | build::Verdict::LinkError { .. },
            Expect::Reject | Expect::LinkError,
        ) => Verdict::Passed,
        _ => Verdict::Failed(verdict.summary()),
    };
    Answer { verdict: judged, log: build::describe(&request, &verdict) }
}

#[cfg(test)]
mod tests {
    use super::super::build::fake::Fake;
    use super::*;

    #[test]
    fn lists() {
        let got = list("# head\n\na.vert\taccept\tgl\nb.frag\tlink-error\tvulkan\tmore\n").unwrap();
        assert_eq!(got["a.vert"], Entry { expect: Expect::Accept, vulkan: false });
        assert_eq!(got["b.frag"].group(), "vulkan reject");
        assert!(list("a.vert\taccept").unwrap_err().contains("EXPECT.tsv:1"));
        assert!(list("\na.vert\tperhaps\tgl").unwrap_err().contains(":2:"));
    }

    #[test]
    fn verdicts() {
        let judge = |text: &str, expect, vulkan| {
            let entry = Some(Entry { expect, vulkan });
            run(Path::new("a.vert"), text, entry, false, &Fake).verdict
        };
        assert_eq!(judge("good", Expect::Accept, false), Verdict::Passed);
        assert_eq!(judge("good", Expect::LinkError, false), Verdict::Failed("accepted".into()));
        assert_eq!(judge("unlinked", Expect::LinkError, false), Verdict::Passed);
        assert_eq!(judge("bad", Expect::Reject, false), Verdict::Passed);
        assert!(matches!(judge("exotic", Expect::Accept, false), Verdict::Failed(_)));
        assert!(matches!(judge("good", Expect::Accept, true), Verdict::Skipped(_)));
        let unlisted = run(Path::new("a.vert"), "good", None, true, &Fake).verdict;
        assert!(matches!(unlisted, Verdict::Skipped(_)));
        let entry = Some(Entry { expect: Expect::Accept, vulkan: true });
        assert_eq!(run(Path::new("a.vert"), "good", entry, true, &Fake).verdict, Verdict::Passed);
        let exotic = run(Path::new("a.vert"), "exotic", entry, true, &Fake).verdict;
        assert_eq!(exotic, Verdict::Skipped("needs GL_exotic".into()));
    }

    #[test]
    fn names_tell_how_verdicts_came_about() {
        let judge = |name: &str, text: &str| {
            let entry = Some(Entry { expect: Expect::Accept, vulkan: false });
            run(Path::new(name), text, entry, false, &Fake).verdict
        };
        assert_eq!(judge("preprocessor.x.vert", "bad"), Verdict::Passed);
        assert!(matches!(judge("glsl.-D-U.frag", "good"), Verdict::Skipped(_)));
        assert!(matches!(judge("link.a.0.vert", "unlinked"), Verdict::Skipped(_)));
        assert!(matches!(judge("link.a.0.vert", "bad"), Verdict::Failed(_)));
        assert!(matches!(judge("unlink.a.0.vert", "unlinked"), Verdict::Failed(_)));
    }
}
