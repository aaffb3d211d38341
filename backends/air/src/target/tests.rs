use super::table::OSES;
use super::*;

fn parse(text: &str) -> Target {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn default_is_macos_13() {
    let t = Target::default();
    assert_eq!(t.triple(), "air64-apple-macosx13.0.0");
    assert_eq!(t.air(), AirVersion::new(2, 5));
    assert_eq!(t.language(), LanguageVersion::new(3, 0));
    assert_eq!(t.container(), ContainerVersion::new(1, 2, 7));
    assert!(t.writes_address_space_key() && !t.has_frame_pointer_flag());
}

#[test]
fn short_forms_and_triples() {
    for (text, short, triple, air) in [
        ("macos14", "macos14", "air64-apple-macosx14.0.0", "2.6"),
        ("macosx13.3", "macos13.3", "air64-apple-macosx13.3.0", "2.5"),
        ("macos10.11.6", "macos10.11.6", "air64-apple-macosx10.11.6", "1.8"),
        ("ios17-simulator", "ios17-simulator", "air64-apple-ios17.0.0-simulator", "2.6"),
        ("ios17.2-macabi", "ios17.2-macabi", "air64-apple-ios17.2.0-macabi", "2.6"),
        ("tvos9", "tvos9", "air64-apple-tvos9.0.0", "1.8"),
        ("visionos2", "visionos2", "air64-apple-xros2.0.0", "2.7"),
        (
            "air64-apple-xros26.0.0-simulator",
            "visionos26-simulator",
            "air64-apple-xros26.0.0-simulator",
            "2.8",
        ),
        ("air64_v26-apple-ios17.0.0", "ios17", "air64_v26-apple-ios17.0.0", "2.6"),
    ] {
        let t = parse(text);
        assert_eq!((t.to_string().as_str(), t.triple().as_str()), (short, triple), "{text}");
        assert_eq!(t.air().to_string(), air, "{text}");
        assert_eq!(parse(&t.triple()), t);
        assert_eq!(parse(&t.to_string()).version(), t.version());
    }
}

#[test]
fn every_release_of_every_os_parses_back() {
    for s in OSES {
        let mut count = 0;
        for release in s.os.releases() {
            let version = release.first_version(s.os).unwrap();
            let t = Target::new(s.os, version).unwrap();
            assert_eq!(t.air(), release.air);
            assert_eq!(parse(&t.to_string()), t);
            assert_eq!(t.with_language(t.language()).unwrap(), t);
            count += 1;
        }
        assert!(count >= 4, "{}", s.title);
    }
}

#[test]
fn refusals_say_what_is_accepted() {
    for (text, words) in [
        ("", "accepted: macosVERSION"),
        ("windows10", "unknown target `windows10`"),
        ("macos", "has no version; write one, such as macos27"),
        (
            "macos16",
            "accepted versions of macOS: 10.11, 10.12, 10.13, 10.14, 10.15, 11, 12, 13, 14, 15, 26, 27",
        ),
        ("macos10.10", "no Metal target for macOS 10.10"),
        ("macos13.", "`13.` in target `macos13.` is not a version"),
        ("macos13.256", "at most 255"),
        ("macos+13", "unknown target"),
        ("macos99999999999", "is not a version"),
        ("ios8-macabi", "accepted versions of Mac Catalyst: 13, "),
        ("tvos8", "accepted versions of tvOS: 9, 10"),
        ("macos14-simulator", "unknown target"),
        ("air64_v27-apple-ios17.0.0", "accepted: air64, air64_v26"),
        ("x86_64-apple-macosx14.0.0", "architecture `x86_64` does not fit macOS 14"),
    ] {
        let message = text.parse::<Target>().unwrap_err().to_string();
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn language_versions_are_limited_by_the_os() {
    let t = parse("macos14");
    let older: LanguageVersion = "metal2.4".parse().unwrap();
    assert_eq!(t.with_language(older).unwrap().language(), LanguageVersion::new(2, 4));
    let message = t.with_language(LanguageVersion::new(3, 2)).unwrap_err().to_string();
    assert!(message.starts_with("macOS 14 does not know Metal 3.2; accepted: 1.0, 1.1"), "{message}");
    assert!(message.ends_with("3.0, 3.1"), "{message}");
    assert!(t.with_language(LanguageVersion::new(2, 9)).is_err());
    assert!("2.9".parse::<LanguageVersion>().is_err());
    assert_eq!("Metal 4.0".parse::<LanguageVersion>().unwrap(), LanguageVersion::new(4, 0));
}

#[test]
fn dialect_thresholds() {
    let flags = |name: &str| {
        let t = parse(name);
        [
            t.render_target_has_index(),
            t.has_native_type_options(),
            t.has_resource_limit_flags(),
            t.writes_address_space_key(),
            t.has_modern_attributes(),
            t.read_needs_sampler(),
            t.atomics_have_flags(),
        ]
        .map(u8::from)
    };
    assert_eq!(flags("macos10.12"), [0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(flags("ios13"), [1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(flags("macos12"), [1, 0, 1, 0, 0, 0, 0]);
    assert_eq!(flags("ios16"), [1, 0, 1, 1, 0, 0, 0]);
    assert_eq!(flags("visionos1"), [1, 0, 1, 1, 1, 0, 0]);
    assert_eq!(flags("tvos26"), [1, 0, 1, 1, 1, 1, 0]);
    assert_eq!(flags("macos27"), [1, 0, 1, 1, 1, 1, 1]);
}
