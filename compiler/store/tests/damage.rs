//! Damaged files are errors.

use airfoil_ir::generate::{self, Options};
use airfoil_ir::{Cursor, text};
use airfoil_store::{HEAD, MAGIC, restore, seal, store};

fn file() -> Vec<u8> {
    let shaders = [1, 2].map(|seed| generate::from_seed(seed, &Options::default()));
    store(&[&shaders[0], &shaders[1]], &[("section", b"bytes")]).unwrap()
}

fn code(bytes: &[u8]) -> &'static str {
    restore(bytes).map_or_else(|e| e.code, |_| "restored")
}

#[test]
fn every_changed_byte_is_noticed() {
    let file = file();
    assert_eq!(code(&file), "restored");
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1 << (at % 8);
        let expected = if (MAGIC.len()..20).contains(&at) { "E0111" } else { "E0110" };
        assert_eq!(code(&changed), expected, "byte {at}");
    }
}

#[test]
fn every_missing_byte_is_noticed() {
    let file = file();
    for length in 0..file.len() {
        assert_eq!(code(&file[..length]), "E0110", "{length} bytes");
    }
    assert_eq!(code(&[&file[..], b"more"].concat()), "E0110");
}

/// With a correct checksum, each byte has each of some values. No result is wrong: the file is rejected, or its shaders are valid.
#[test]
fn forged_contents_are_rejected_or_valid() {
    let file = file();
    let contents = &file[HEAD..];
    let (mut rejected, mut accepted) = (0, 0);
    for at in 0..contents.len() {
        for value in [contents[at] ^ 1, contents[at].wrapping_add(1), contents[at] ^ 0x80, 0, 0xff] {
            let mut forged = contents.to_vec();
            forged[at] = value;
            match restore(&seal(&forged)) {
                Ok(restored) => {
                    accepted += 1;
                    let shader = &restored.shaders[0];
                    assert!(text::parse(&text::print(shader)).is_ok());
                    let stored = store(&[shader], &[]).unwrap();
                    assert!(restore(&stored).unwrap().shaders[0].same_as(shader));
                }
                Err(error) => {
                    rejected += 1;
                    assert_eq!(error.code, "E0110");
                }
            }
        }
        assert!(restore(&seal(&contents[..at])).is_err());
    }
    assert!(rejected > 100 && accepted > 100, "{rejected} rejected, {accepted} accepted");
}

/// Lengths that no memory could hold, and nesting that no stack could.
#[test]
fn huge_counts_and_deep_nesting_are_errors() {
    for count in [[0xff; 9].as_slice(), &[0xff, 0xff, 0xff, 0xff, 0x0f]] {
        assert_eq!(code(&seal(&[count, &[1]].concat())), "E0110");
    }
    let nested = |depth: usize| {
        let text = "foil 1\nshader compute \"main\" {\n  entry fn main {\n    1x1 %c = const true\n  }\n}\n";
        let mut shader = text::parse(text).unwrap();
        let body = shader.entry_body_mut().unwrap();
        let mut block = body.entry();
        let condition = body.first_instr(block).unwrap();
        for _ in 0..depth {
            let cf = body.insert_if(Cursor::BlockEnd(block), condition);
            block = body.as_if(cf).unwrap().then().first;
        }
        shader
    };
    let shader = nested(4096);
    assert!(restore(&store(&[&shader], &[]).unwrap()).unwrap().shaders[0].same_as(&shader));
    assert_eq!(code(&store(&[&nested(4097)], &[]).unwrap()), "E0110");
}
