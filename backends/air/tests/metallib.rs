//! Libraries by the writer: read back, verified field by field, damaged at every byte.

use airfoil_air::metallib::{
    DataType, DebugLocation, FunctionConstant, FunctionEntry, FunctionKind, LibraryHeader, SourceArchive,
    SourceFile, Sources, Style, TagName, Tessellation, VertexAttribute, read, read_sources, rebuild, wrapper,
    write, write_with_sources,
};
use airfoil_air::target::{LanguageVersion, Target};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn blob(size: usize) -> Vec<u8> {
    let mut bitcode = wrapper::BITCODE_MAGIC.to_le_bytes().to_vec();
    bitcode.extend((0..size).map(|i| (i * 7) as u8));
    wrapper::wrap(&bitcode).unwrap()
}

fn attribute(name: &str, index: u16, active: bool, data_type: DataType) -> VertexAttribute<'_> {
    VertexAttribute { name, index, usage: 0, active, data_type }
}

/// Three functions with every optional part between them.
fn functions<'a>(target: &Target, blobs: &'a [Vec<u8>; 3]) -> Vec<FunctionEntry<'a>> {
    let mut vertex = FunctionEntry::new("vertex_main", FunctionKind::Vertex, target, &blobs[0]);
    vertex.vertex_attributes = vec![
        attribute("position", 0, true, DataType(6)),
        attribute("colour", 31, false, DataType(18)),
        VertexAttribute { usage: 2, ..attribute("patch", 8191, true, DataType::UINT) },
    ];
    vertex.tessellation = Tessellation::quad(16);
    vertex.layer = Some(DataType::UINT);
    let mut fragment = FunctionEntry::new("f", FunctionKind::Fragment, target, &blobs[1]);
    fragment.constants = vec![
        FunctionConstant { name: "gain", data_type: DataType::FLOAT, index: 3, active: true },
        FunctionConstant { name: "", data_type: DataType::BOOL, index: 65535, active: false },
    ];
    fragment.language = LanguageVersion::new(2, 1);
    fragment.debug = Some(DebugLocation { line: 70_000, path: "/home/a/lit.frag" });
    vec![vertex, fragment, FunctionEntry::new("späť", FunctionKind::Other(77), target, &blobs[2])]
}

fn blobs() -> [Vec<u8>; 3] {
    [blob(100), blob(0), blob(1000)]
}

#[test]
fn round_trip_for_every_container() {
    let blobs = blobs();
    for name in [
        "macos10.11",
        "macos10.15",
        "macos12",
        "macos13",
        "ios17.4.1-simulator",
        "visionos26",
        "ios18-macabi",
    ] {
        let target = target(name);
        let header = LibraryHeader::for_target(&target);
        let functions = functions(&target, &blobs);
        let bytes = write(&header, &functions).unwrap();
        assert_eq!(bytes.capacity(), bytes.len(), "allocated once");
        let library = read(&bytes).unwrap();
        library.verify().unwrap();
        assert_eq!(library.header, header, "{name}");
        assert_eq!(library.header.container, target.container());
        assert_eq!(library.style(), Style::Tool);
        let entries: Vec<_> = library.functions.iter().map(|f| f.entry.clone()).collect();
        assert_eq!(entries, functions, "{name}");
        assert_eq!(library.extension.is_some(), target.container().has_extension());
    }
}

#[test]
fn header_bytes_by_target() {
    let first_bytes =
        |name: &str| write(&LibraryHeader::for_target(&target(name)), &[]).unwrap()[..16].to_vec();
    assert_eq!(first_bytes("macos13.3"), b"MTLB\x01\x80\x02\x00\x07\x00\x00\x81\x0d\x00\x03\x00");
    assert_eq!(first_bytes("ios18.1.2"), b"MTLB\x01\x00\x02\x00\x08\x00\x00\x82\x12\x00\x01\x02");
    assert_eq!(first_bytes("macos26"), b"MTLB\x01\x80\x02\x00\x09\x00\x00\x81\x1a\x00\x00\x00");
    assert_eq!(first_bytes("macos11"), b"MTLB\x01\x80\x02\x00\x05\x00\x00\x00\x00\x00\x00\x00");
}

/// Sizes and hash straight from the bytes, without the reader.
#[test]
fn sizes_and_hash_of_written_bytes() {
    let target = Target::default();
    let module = blob(333);
    let bytes = write(
        &LibraryHeader::for_target(&target),
        &[FunctionEntry::new("main0", FunctionKind::Kernel, &target, &module)],
    )
    .unwrap();
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    assert_eq!(word(16), bytes.len());
    assert_eq!((word(24), word(32)), (88, 4 + 12 + 7 + 38 + 14 + 30 + 14 + 4));
    let (public, private, bitcode) = ((word(40), word(48)), (word(56), word(64)), (word(72), word(80)));
    assert_eq!(public, (88 + 4 + word(32) + 4, 8));
    assert_eq!(private, (public.0 + 8, 8));
    assert_eq!(bitcode, (private.0 + 8, module.len()));
    assert_eq!(bitcode.0 + bitcode.1, bytes.len());
    assert_eq!(&bytes[public.0..bitcode.0], b"\x04\0\0\0ENDT\x04\0\0\0ENDT");
    assert_eq!(&bytes[bitcode.0..], module);
    assert_eq!(u32::from_le_bytes(bytes[88..92].try_into().unwrap()), 1);
    let hash = bytes.windows(4).position(|w| w == b"HASH").unwrap() + 6;
    assert_eq!(bytes[hash..hash + 32], Sha256::digest(&module)[..]);
    let size = bytes.windows(4).position(|w| w == b"MDSZ").unwrap() + 6;
    assert_eq!(word(size), module.len());
}

#[test]
fn empty_lists_have_no_tags() {
    let target = Target::default();
    let module = blob(4);
    let entry = FunctionEntry::new("v", FunctionKind::Vertex, &target, &module);
    let bytes = write(&LibraryHeader::for_target(&target), &[entry]).unwrap();
    for tag in [b"VATT", b"VATY", b"CNST", b"TESS", b"LAYR"] {
        assert!(!bytes.windows(4).any(|w| w == tag), "{tag:?}");
    }
}

#[test]
fn writer_refusals() {
    let target = Target::default();
    let header = LibraryHeader::for_target(&target);
    let good = blob(40);
    let entry = || FunctionEntry::new("f", FunctionKind::Vertex, &target, &good);
    let message = |functions: &[FunctionEntry<'_>]| write(&header, functions).unwrap_err().to_string();
    assert_eq!(message(&[entry(), entry()]), "two functions have the name `f`");
    assert_eq!(
        message(&[FunctionEntry { name: "a\0b", ..entry() }]),
        "function `a\\0b`: the name `a\\0b` has a zero byte"
    );
    let long = "x".repeat(65535);
    assert!(message(&[FunctionEntry { name: &long, ..entry() }]).contains("the name takes 65536 bytes"));
    let bad = FunctionEntry { vertex_attributes: vec![attribute("a", 8192, true, DataType::INT)], ..entry() };
    assert!(message(&[bad]).contains("vertex attribute `a` has index 8192"));
    let many =
        FunctionEntry { vertex_attributes: vec![attribute("a", 0, true, DataType::INT); 17000], ..entry() };
    assert!(message(&[many]).contains("the list of vertex attributes takes 68002 bytes"));
    assert!(
        message(&[FunctionEntry { bitcode: &good[4..], ..entry() }]).contains("no good wrapper: offset 0x0")
    );
    let unpadded = [&good[..], &[0; 4]].concat();
    assert!(message(&[FunctionEntry { bitcode: &unpadded, ..entry() }]).contains("is not padded to 16"));
}

#[test]
fn reader_faults_are_located() {
    let target = Target::default();
    let blobs = blobs();
    let good = write(&LibraryHeader::for_target(&target), &functions(&target, &blobs)).unwrap();
    let error = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        edit(&mut bytes);
        match read(&bytes) {
            Err(e) => e.to_string(),
            Ok(library) => library.verify().expect_err("damaged").to_string(),
        }
    };
    assert_eq!(error(&|b| b.truncate(0)), "offset 0x0: file ends inside the magic: 4 bytes needed, 0 left");
    assert_eq!(error(&|b| b[3] = b'A'), "offset 0x0: `MTLA` is not the magic of a metallib, `MTLB`");
    assert!(error(&|b| b[4] = 2).starts_with("offset 0x4: container version 2.2.7 is unknown"));
    assert!(error(&|b| b[16] ^= 1).starts_with("offset 0x10: file size: the header says"));
    assert!(error(&|b| b[79] = 0xff).starts_with("offset 0x48: bitcode of"));
    assert!(error(&|b| b[47] = 0xff).starts_with("offset 0x28: public metadata of"));
    assert!(error(&|b| b[88] = 2).starts_with("offset 0x58: size of function list:"));
    assert!(error(&|b| b[91] = 2).starts_with("offset 0x58: 33554435 functions do not fit"));
    assert!(error(&|b| b[96] = b'X').contains("function entry has no NAME tag"));
    let end = good.len() - 40;
    assert!(error(&|b| b[end] ^= 1).contains("hash of `späť`: it is not the SHA-256 of the module"));
    let fat = error(&|b| b[..4].copy_from_slice(&0xCBFE_BABE_u32.to_be_bytes()));
    assert!(fat.ends_with("(it is an archive of several; take one of its slices)"), "{fat}");
}

/// No damage causes a panic of the reader or takes long; every bit of the modules is under a hash.
#[test]
fn damaged_libraries() {
    let target = Target::default();
    let blobs = blobs();
    let good = write(&LibraryHeader::for_target(&target), &functions(&target, &blobs)).unwrap();
    let start = Instant::now();
    for size in 0..good.len() {
        assert!(read(&good[..size]).map_or(true, |library| library.verify().is_err()), "cut to {size}");
    }
    let bitcode = read(&good).unwrap().section("bitcode").unwrap().offset as usize;
    let mut bytes = good.clone();
    for at in 0..good.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, good[at] ^ 1, good[at] ^ 0x80, good[at].wrapping_add(1)] {
            bytes[at] = value;
            let result = read(&bytes);
            if at >= bitcode && value != good[at] {
                assert!(
                    result.as_ref().map_or(true, |l| l.failures().next().is_some()),
                    "{at:#x} = {value:#x}"
                );
            }
            if let Ok(library) = result {
                assert!(!library.report().to_string().is_empty());
            }
        }
        bytes[at] = good[at];
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

/// Entries that all claim the same bytes cost no more than the file is long.
#[test]
fn overlapping_modules_are_bounded() {
    let target = Target::default();
    let large = blob(400_000);
    let small = blob(0);
    let names: Vec<String> = (0..3000).map(|i| format!("f{i}")).collect();
    let functions: Vec<_> = (0..names.len())
        .map(|i| {
            FunctionEntry::new(&names[i], FunctionKind::Kernel, &target, if i == 0 { &large } else { &small })
        })
        .collect();
    let mut bytes = write(&LibraryHeader::for_target(&target), &functions).unwrap();
    let (size, zero) = ((large.len() as u64).to_le_bytes(), [0; 8]);
    for at in 88..200_000 {
        match &bytes[at..at + 4] {
            b"MDSZ" => bytes[at + 6..at + 14].copy_from_slice(&size),
            b"OFFT" => bytes[at + 22..at + 30].copy_from_slice(&zero),
            _ => (),
        }
    }
    let start = Instant::now();
    let library = read(&bytes).unwrap();
    assert!(
        library.failures().any(|c| c.failure.as_deref() == Some("not verified: too many modules overlap"))
    );
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn report_text() {
    let target = target("macos13.3");
    let blobs = blobs();
    let mut bytes = write(&LibraryHeader::for_target(&target), &functions(&target, &blobs)).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let text = read(&bytes).unwrap().report().to_string();
    for line in [
        "metallib, container 1.2.7, 1810 bytes",
        "  target      macOS 13.3, 64 bits, executable",
        "  layout      metallib tool",
        "vertex vertex_main",
        "  versions    AIR 2.5, Metal 2.1",
        "  patch       quad, 16 control points",
        "  layer       uint",
        "  attributes   0  float4 position",
        "              31  half3 colour  (unused)",
        "              8191  uint patch  (usage 2)",
        "  constants    3  float gain",
        "  source      /home/a/lit.frag:70000",
        "unknown kind 77 späť",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
    assert!(text.contains("FAILED at"), "{text}");
    assert!(text.contains("... WRONG"), "{text}");
}

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.as_bytes().to_vec() }
}

#[test]
fn sources_come_back() {
    let blobs = blobs();
    for (name, tag) in [("macos10.15", TagName::HSRC), ("macos12", TagName::HSRC), ("macos14", TagName::HSRD)]
    {
        let target = target(name);
        let mut functions = functions(&target, &blobs);
        // Two functions share an archive, one has no source.
        (functions[0].archive, functions[2].archive) = (Some(1), Some(1));
        let lit = vec![file("lit.vert", &"void main() {}\n".repeat(3000)), file("/usr/é.glsl", "")];
        let archive =
            |name: &str, files: Vec<SourceFile>| SourceArchive { name: name.to_owned(), files, offset: 0 };
        let sources = Sources {
            link_options: "-O2".to_owned(),
            directory: Some("/home/a".to_owned()),
            archives: vec![archive("0", Vec::new()), archive("1", lit)],
        };
        let header = LibraryHeader::for_target(&target);
        let bytes = write_with_sources(&header, &functions, Some(&sources)).unwrap();
        let library = read(&bytes).unwrap();
        library.verify().unwrap();
        assert_eq!(library.style(), Style::Tool);
        assert!(library.section(&tag.to_string()).is_some(), "{name}");
        let back = read_sources(&bytes, &library).unwrap().expect("sources");
        assert_eq!(back.link_options, sources.link_options);
        assert_eq!(back.directory, sources.directory.filter(|_| tag == TagName::HSRD), "{name}");
        for (back, archive) in back.archives.iter().zip(&sources.archives) {
            assert_eq!((&back.name, &back.files), (&archive.name, &archive.files));
            // The offset is that of the tag.
            let at = library.section(&tag.to_string()).unwrap().offset + back.offset;
            assert_eq!(&bytes[at as usize..][..4], b"SARC");
        }
        let offsets: Vec<Option<u64>> = library.functions.iter().map(|f| f.source_offset).collect();
        assert_eq!(offsets, [Some(back.archives[1].offset), None, Some(back.archives[1].offset)]);
        assert_eq!(rebuild(&bytes, &library).unwrap(), bytes, "{name}");
    }
}

#[test]
fn sources_that_cannot_be_written_are_refused() {
    let (blobs, target) = (blobs(), target("macos14"));
    let header = LibraryHeader::for_target(&target);
    let mut functions = functions(&target, &blobs);
    let message = |functions: &[FunctionEntry<'_>], header: &LibraryHeader, file: SourceFile| {
        let sources = Sources::of("", vec![file]);
        write_with_sources(header, functions, Some(&sources)).unwrap_err().to_string()
    };
    assert!(message(&functions, &header, file("a\0b", "")).contains("no such path"));
    let old = LibraryHeader::for_target(&"macos10.11".parse::<Target>().unwrap());
    assert!(message(&functions, &old, file("a", "")).contains("has no sources"));
    functions[1].archive = Some(1);
    assert!(message(&functions, &header, file("a", "")).contains("archive 1, there are 1"));
}

/// Whatever happens to the section, the reader gives a location or reads something.
#[test]
fn damaged_sources() {
    let (blobs, target) = (blobs(), target("macos14"));
    let header = LibraryHeader::for_target(&target);
    let sources = Sources::of("/home/a", vec![file("lit.frag", &"void main() {}\n".repeat(5))]);
    let bytes = write_with_sources(&header, &functions(&target, &blobs), Some(&sources)).unwrap();
    let library = read(&bytes).unwrap();
    let section = library.section("HSRD").unwrap().clone();
    let mut refused = 0;
    for at in section.offset as usize..section.offset as usize + 400 {
        for bit in [1, 0x10, 0x80] {
            let mut copy = bytes.clone();
            copy[at] ^= bit;
            if let Err(e) = read_sources(&copy, &read(&copy).unwrap()) {
                assert!(e.offset >= section.offset && e.offset <= bytes.len() as u64, "{e}");
                refused += 1;
            }
        }
    }
    assert!(refused > 400, "{refused}");
}
