//! Links and variants by the disk cache.

#![cfg(unix)]

use airfoil_gl::{
    Budget, Cache, Device, DeviceOptions, Function, LinkOptions, Program, ShaderObject, Stage, StateFlags,
    StateKey, Workarounds,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VERTEX: &str = "#version 330
    in vec4 p; in vec2 uv; out vec2 v_uv; out float gl_ClipDistance[2]; uniform mat4 mvp;
    void main() { gl_Position = mvp * p; v_uv = uv; gl_ClipDistance[0] = p.x; gl_ClipDistance[1] = p.y; }";
const FRAGMENT: &str = "#version 330
    in vec2 v_uv; uniform sampler2D t; uniform Block { vec4 tint; }; out vec4 color;
    void main() { color = texture(t, v_uv) * tint + vec4(gl_FragCoord.xyxy * 0.001); }";

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gl-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Folder(folder)
    }

    /// A device of another process, as it were: nothing is shared but the folder.
    fn device(&self, options: DeviceOptions) -> Device {
        Device::with_cache(options, Cache::open(&self.0, 1 << 24).unwrap())
    }

    /// The entries.
    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().path());
        files.filter(|p| p.file_name().is_some_and(|n| n.len() == 64)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn objects(device: &Device, fragment: &str) -> [ShaderObject; 2] {
    [device.compile("7", Stage::Vertex, &[VERTEX]), device.compile("8", Stage::Fragment, &[fragment])]
}

fn link(device: &Device, fragment: &str, options: &LinkOptions) -> Arc<Program> {
    let [v, f] = objects(device, fragment);
    device.link(&[&v, &f], options).unwrap_or_else(|log| panic!("{log}"))
}

fn functions(program: &Program) -> Vec<Function> {
    let flags = [StateFlags::empty(), StateFlags::HALF_Z, StateFlags::FLIP_Y | StateFlags::FLIP_WINDOW];
    let keys = flags.map(|flags| StateKey { flags, clip_enable: 1, ..StateKey::default() });
    let make = |key: &StateKey| {
        [Stage::Vertex, Stage::Fragment].map(|s| program.variant(s, key, &Budget::default()).unwrap())
    };
    keys.iter().flat_map(make).collect()
}

/// Hits and misses of a device.
fn counts(device: &Device) -> (u64, u64) {
    device.cache().unwrap().counts()
}

fn assert_equal(a: &Program, b: &Program) {
    assert_eq!(a.identity(), b.identity());
    assert_eq!(a.reflection(), b.reflection());
    assert_eq!(a.log(), b.log());
    assert_eq!(a.stages().collect::<Vec<_>>(), b.stages().collect::<Vec<_>>());
    assert_eq!(a.depends_on(), b.depends_on());
    for stage in a.stages() {
        assert_eq!(a.arguments(stage), b.arguments(stage));
        assert_eq!(a.stage_depends_on(stage), b.stage_depends_on(stage));
    }
    assert_eq!(a.store(), b.store());
}

#[test]
fn links_and_variants_of_the_cache_are_equal() {
    let folder = Folder::new("equal");
    let plain = link(&Device::default(), FRAGMENT, &LinkOptions::default());
    let first = folder.device(DeviceOptions::default());
    let linked = link(&first, FRAGMENT, &LinkOptions::default());
    assert_eq!(counts(&first), (0, 1));
    assert_equal(&linked, &plain);
    let made = functions(&linked);
    assert_eq!(counts(&first), (0, 7));

    let second = folder.device(DeviceOptions::default());
    let served = link(&second, FRAGMENT, &LinkOptions::default());
    assert_eq!(counts(&second), (1, 0));
    let found = functions(&served);
    assert_eq!(counts(&second), (7, 0));
    for (made, found) in made.iter().zip(&found) {
        assert_eq!((made.stage, &made.name), (found.stage, &found.name));
        assert_eq!(made.metallib, found.metallib);
        assert_eq!(made.reflection, found.reflection);
    }
    // A state that nobody asked for yet: the code is decoded.
    let key = StateKey { flags: StateFlags::RASTERIZER_DISCARD, ..StateKey::default() };
    let other = |program: &Program| program.variant(Stage::Vertex, &key, &Budget::default()).unwrap();
    assert_eq!(other(&served).metallib, other(&plain).metallib);
    assert_equal(&served, &plain);
    // It has its objects, so that it can be linked again.
    let bound = LinkOptions { attribute_bindings: vec![("uv".to_owned(), 5)], ..LinkOptions::default() };
    let again = served.relink(&bound).unwrap();
    assert_eq!(again.identity(), plain.relink(&bound).unwrap().identity());
    assert_ne!(again.identity(), served.identity());
}

#[test]
fn warnings_are_stored() {
    let folder = Folder::new("warnings");
    let source = "#version 330\nuniform float unset; in vec2 missing; out vec4 color; void main() { color = vec4(unset, missing, 0.0); }";
    let link = |device: &Device| {
        let [v, f] = objects(device, source);
        device
            .link(&[&v, &f], &LinkOptions::default())
            .map_or_else(|log| log, |program| program.log().clone())
    };
    let first = folder.device(DeviceOptions::default());
    let second = folder.device(DeviceOptions::default());
    let log = link(&first);
    assert_eq!(link(&second), log);
    assert_eq!(link(&Device::default()), log);
}

#[test]
fn everything_that_a_link_depends_on_is_in_the_key() {
    let folder = Folder::new("keys");
    let base = |device: &Device| link(device, FRAGMENT, &LinkOptions::default());
    base(&folder.device(DeviceOptions::default()));
    let robust = Workarounds { robust: true, ..Workarounds::default() };
    let options = [
        DeviceOptions { workarounds: robust, ..DeviceOptions::default() },
        DeviceOptions { driver_buffer: Some(20), ..DeviceOptions::default() },
        DeviceOptions::from("ios17".parse::<airfoil_gl::Target>().unwrap()),
    ];
    for options in options {
        let device = folder.device(options);
        base(&device);
        assert_eq!(counts(&device), (0, 1), "{:?}", device.options());
    }
    let device = folder.device(DeviceOptions::default());
    link(&device, &FRAGMENT.replace("0.001", "0.002"), &LinkOptions::default());
    link(&device, FRAGMENT, &LinkOptions { separable: true, ..LinkOptions::default() });
    let [v, _] = objects(&device, FRAGMENT);
    let renamed = device.compile("9", Stage::Fragment, &[FRAGMENT]);
    device.link(&[&v, &renamed], &LinkOptions::default()).unwrap();
    assert_eq!(counts(&device), (0, 3));
    base(&device);
    assert_eq!(counts(&device), (1, 3));
    // Errors are those of the link.
    let broken = device.compile("8", Stage::Fragment, &["void main() { x = 1.0; }"]);
    assert_eq!(
        device.link(&[&v, &broken], &LinkOptions::default()).unwrap_err().diagnostics()[0].code,
        "E0951"
    );
    assert_eq!(counts(&device), (1, 3));
}

#[test]
fn damaged_entries_are_made_again() {
    let folder = Folder::new("damaged");
    let first = folder.device(DeviceOptions::default());
    let plain = link(&first, FRAGMENT, &LinkOptions::default());
    let made = functions(&plain);
    for shorter in [false, true] {
        for file in folder.files() {
            let mut bytes = fs::read(&file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            if shorter {
                bytes.truncate(middle);
            }
            fs::write(&file, bytes).unwrap();
        }
        let device = folder.device(DeviceOptions::default());
        let again = link(&device, FRAGMENT, &LinkOptions::default());
        let functions = functions(&again);
        assert_eq!(counts(&device), (0, 7));
        assert_equal(&again, &plain);
        assert!(made.iter().zip(&functions).all(|(a, b)| a.metallib == b.metallib));
    }
}

#[test]
fn stages_that_metal_lacks_are_cached_too() {
    let folder = Folder::new("stages");
    let geometry = "#version 330
        layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec2 v_uv[]; out vec2 g_uv;
        void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; g_uv = v_uv[i]; EmitVertex(); } }";
    let fragment = "#version 330\nin vec2 g_uv; out vec4 color; void main() { color = g_uv.xyxy; }";
    let make = |device: &Device| {
        let [v, f] = objects(device, fragment);
        let g = device.compile("g", Stage::Geometry, &[geometry]);
        let program =
            device.link(&[&v, &g, &f], &LinkOptions::default()).unwrap_or_else(|log| panic!("{log}"));
        let stages = [Stage::Vertex, Stage::Geometry, Stage::Fragment];
        stages.map(|s| program.variant(s, &StateKey::default(), &Budget::default()).unwrap())
    };
    let device = folder.device(DeviceOptions::default());
    let (plain, first, second) = (make(&Device::default()), make(&device), make(&device));
    assert_eq!(counts(&device), (4, 4));
    for n in 0..3 {
        assert_eq!(plain[n].metallib, first[n].metallib);
        assert_eq!(plain[n].metallib, second[n].metallib);
        assert_eq!(plain[n].reflection, second[n].reflection);
    }
}
