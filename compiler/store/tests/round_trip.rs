//! Shaders are restored as they were stored: those of the text tests, and random ones.

use airfoil_ir::generate::{self, Options};
use airfoil_ir::{Shader, text, validate};
use airfoil_store::{restore, store};
use std::path::{Path, PathBuf};

fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, list);
        } else if path.extension().is_some_and(|e| e == "foil") {
            list.push(path);
        }
    }
}

/// The shaders of all text tests that are valid.
fn shaders() -> Vec<Shader> {
    let mut list = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests"), &mut list);
    list.sort();
    let mut shaders = Vec::new();
    for path in list {
        let file = std::fs::read_to_string(path).unwrap();
        // A file may have several shaders.
        let starts: Vec<usize> = file.match_indices("foil 1\n").map(|m| m.0).chain([file.len()]).collect();
        let texts = starts.windows(2).map(|at| &file[at[0]..at[1]]);
        shaders
            .extend(texts.filter_map(|t| text::parse(t).ok()).filter(|s| validate::validate(s).is_empty()));
    }
    shaders
}

#[test]
fn text_tests_are_restored() {
    let shaders = shaders();
    assert!(shaders.len() > 300, "{}", shaders.len());
    for shader in &shaders {
        let bytes = store(&[shader], &[]).unwrap();
        let restored = restore(&bytes).unwrap_or_else(|e| panic!("{}\n{}", e.message, text::print(shader)));
        let [back] = &restored.shaders[..] else { panic!("one shader") };
        assert!(back.same_as(shader), "{}{}", text::print(shader), text::print(back));
        assert_eq!(text::print(back), text::print(shader));
        assert_eq!(store(&[back], &[]).unwrap(), bytes);
    }
    // All in one file.
    let all: Vec<&Shader> = shaders.iter().collect();
    let restored = restore(&store(&all, &[("a", b"1"), ("b", b"")]).unwrap()).unwrap();
    assert!(restored.shaders.iter().zip(&shaders).all(|(a, b)| a.same_as(b)));
    assert_eq!((restored.section("a"), restored.section("b")), (Some(&b"1"[..]), Some(&b""[..])));
    assert_eq!(restored.section("c"), None);
}

#[test]
fn random_shaders_are_restored() {
    for seed in 0..300 {
        let shader = generate::from_seed(seed, &Options::default());
        let restored = restore(&store(&[&shader], &[]).unwrap()).unwrap();
        assert!(restored.shaders[0].same_as(&shader), "seed {seed}");
    }
}

#[test]
fn values_are_restored() {
    let value = (7u32, "text".to_owned(), vec![Some(1.5f32), None]);
    let bytes = airfoil_store::encode(&value).unwrap();
    assert_eq!(airfoil_store::decode::<(u32, String, Vec<Option<f32>>)>(&bytes).unwrap(), value);
    assert_eq!(airfoil_store::decode::<u32>(&bytes).unwrap_err().code, "E0110");
}
