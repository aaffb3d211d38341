//! The binary form of the IR: shaders of a program, and further data such as reflection and options, in one file (`.foilb`).
//!
//! A file is for the build that wrote it: caches, and drivers that keep linked programs (`glGetProgramBinary`). The [text form](airfoil_ir::text) is for people
//! and for files that last. [`restore`] accepts any bytes: damage, other versions and shaders that are not valid are errors.
//!
//! ```
//! let text = "foil 1\nshader compute \"main\" {\n  entry fn main {\n  }\n}\n";
//! let shader = airfoil_ir::text::parse(text).unwrap();
//! let reflection = airfoil_store::encode(&("main", [8u32, 8, 1])).unwrap();
//! let bytes = airfoil_store::store(&[&shader], &[("reflection", &reflection)]).unwrap();
//! let restored = airfoil_store::restore(&bytes).unwrap();
//! assert!(restored.shaders[0].same_as(&shader));
//! let (name, size): (String, [u32; 3]) = restored.decode("reflection").unwrap();
//! assert_eq!((&*name, size), ("main", [8, 8, 1]));
//! ```
//!
//! * The head: magic, version of the format, digest of the tables of operations, length and SHA-256 of the contents.
//! * The contents, in the encoding of [`postcard`]: the shaders, and sections of bytes by name. Sections belong to their writers; [`encode`] and
//!   [`Restored::decode`] turn values with serde's traits into sections and back.
//! * Not stored: use counts and keys, which follow from the code, and [names of values](airfoil_ir::Names) for debug information.

mod code;
mod declarations;
mod function;
mod list;

use airfoil_ir::{Diagnostic, Form, FuncId, Function, Shader, Stage, TypeId, VarId};
use declarations::{Fault, GatheredImage, InfoImage, TypeImage, VariableImage};
use function::{FunctionImage, Numbers, Tables};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// First bytes of a file. Like those of PNG they show whether a transfer changed the ends of lines or dropped the eighth bit.
pub const MAGIC: [u8; 8] = *b"\x89FOILB\r\n";
/// Version of the format; the digest of the tables covers the operations.
pub const VERSION: u32 = 1;

const TABLES: usize = 12;
const LENGTH: usize = 20;
const CHECKSUM: usize = 28;

/// Bytes before the contents.
pub const HEAD: usize = 60;

/// Contents of a file.
#[derive(Debug)]
pub struct Restored {
    /// The shaders, which are valid.
    pub shaders: Vec<Shader>,
    /// Further data by name.
    pub sections: Vec<(String, Vec<u8>)>,
}

impl Restored {
    /// A section.
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.sections.iter().find(|s| s.0 == name).map(|s| &*s.1)
    }

    /// The value of a section that [`encode`] wrote.
    ///
    /// # Errors
    /// The section is missing, or it has another type.
    pub fn decode<T: DeserializeOwned>(&self, name: &str) -> Result<T, Diagnostic> {
        let bytes = self.section(name).ok_or_else(|| damaged(&format!("the section `{name}` is missing")))?;
        decode(bytes)
    }
}

/// Encodes a value for a section.
///
/// # Errors
/// The implementation of [`Serialize`] has none for this value.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Diagnostic> {
    postcard::to_stdvec(value).map_err(|e| Diagnostic::error("E0110", format!("cannot encode a value: {e}")))
}

/// Decodes a value that [`encode`] wrote.
///
/// # Errors
/// The bytes are not of this type, or there are too many.
pub fn decode<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Diagnostic> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err(damaged("bytes follow the last value")),
        Err(e) => Err(damaged(&e.to_string())),
    }
}

fn damaged(what: &str) -> Diagnostic {
    Diagnostic::error("E0110", format!("damaged binary file: {what}"))
}

/// Digest of the names of all operations and enumerations.
fn tables() -> [u8; 8] {
    static DIGEST: OnceLock<[u8; 8]> = OnceLock::new();
    *DIGEST.get_or_init(|| {
        let digest =
            Sha256::new().chain_update(env!("CARGO_PKG_VERSION")).chain_update(code::tables()).finalize();
        std::array::from_fn(|n| digest[n])
    })
}

#[derive(Serialize, Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    shaders: Vec<ShaderImage<'a>>,
    sections: Vec<(&'a str, &'a [u8])>,
}

#[derive(Serialize, Deserialize)]
struct ShaderImage<'a> {
    name: &'a str,
    #[serde(with = "code")]
    stage: Stage,
    #[serde(with = "code")]
    form: Form,
    types: Vec<TypeImage<'a>>,
    vars: Vec<VariableImage<'a>>,
    functions: Vec<FunctionImage<'a>>,
    entry: Option<u32>,
    info: InfoImage,
    gathered: Option<GatheredImage>,
    files: Vec<&'a str>,
}

/// Writes shaders and sections of further data.
///
/// # Errors
/// The file would be larger than the address space.
pub fn store(shaders: &[&Shader], sections: &[(&str, &[u8])]) -> Result<Vec<u8>, Diagnostic> {
    let file = File { shaders: shaders.iter().map(|s| image(s)).collect(), sections: sections.to_vec() };
    Ok(seal(&encode(&file)?))
}

/// Puts a head before contents, whatever they are. Tests of [`restore`] pass damaged ones.
pub fn seal(contents: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD + contents.len());
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(tables());
    out.extend((contents.len() as u64).to_le_bytes());
    out.extend(Sha256::digest(contents));
    out.extend(contents);
    out
}

fn image(shader: &Shader) -> ShaderImage<'_> {
    // Taken apart, so that a field that is added cannot be forgotten here.
    let Shader { name, stage, form, types, vars, functions, entry, info, gathered, files } = shader;
    let numbers =
        Numbers { functions: functions.keys().zip(0..).collect(), vars: vars.keys().zip(0..).collect() };
    let number = |id: FuncId| numbers.functions.get(id).copied();
    ShaderImage {
        name,
        stage: *stage,
        form: *form,
        types: types.iter().map(|(_, ty)| TypeImage::of(ty)).collect(),
        vars: vars.values().map(|var| VariableImage::of(var, number)).collect(),
        functions: functions.values().map(|f| FunctionImage::of(f, &numbers)).collect(),
        entry: entry.and_then(number),
        info: info.into(),
        gathered: gathered.as_ref().map(GatheredImage::from),
        files: files.iter().map(|file| &**file).collect(),
    }
}

/// Whether bytes begin like a file of this crate.
pub fn is_stored(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a file that [`store`] wrote.
///
/// # Errors
/// The file is damaged, of another version, or a shader is not valid.
pub fn restore(bytes: &[u8]) -> Result<Restored, Diagnostic> {
    if !is_stored(bytes) {
        return Err(damaged("the magic number is missing"));
    }
    let head = bytes.get(..HEAD).ok_or_else(|| damaged("it ends within its head"))?;
    let rest = &bytes[HEAD..];
    if head[MAGIC.len()..TABLES] != VERSION.to_le_bytes() || head[TABLES..LENGTH] != tables() {
        let message = "the binary file was written by another version";
        return Err(Diagnostic::error("E0111", message).help("write it again with this version"));
    }
    if head[LENGTH..CHECKSUM] != (rest.len() as u64).to_le_bytes() {
        return Err(damaged("it has another length than its head states"));
    }
    if head[CHECKSUM..] != *Sha256::digest(rest) {
        return Err(damaged("the checksum differs"));
    }
    let file: File<'_> = decode(rest)?;
    let shaders = file.shaders.into_iter().map(restore_shader).collect::<Result<_, _>>()?;
    let sections = file.sections.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    Ok(Restored { shaders, sections })
}

fn restore_shader(image: ShaderImage<'_>) -> Result<Shader, Diagnostic> {
    let shader = build(image).map_err(damaged)?;
    match airfoil_ir::validate::validate(&shader).first() {
        None => Ok(shader),
        Some(violation) => Err(damaged(&format!("a shader is not valid: {violation}"))),
    }
}

fn build(image: ShaderImage<'_>) -> Result<Shader, Fault> {
    let ShaderImage { name, stage, form, types, vars, functions, entry, info, gathered, files } = image;
    let mut shader = Shader::new(name, stage);
    (shader.form, shader.info, shader.gathered) = (form, info.into(), gathered.map(Into::into));
    shader.files = files.into_iter().map(Into::into).collect();
    let type_ids: Vec<TypeId>;
    (shader.types, type_ids) = declarations::restore_types(&types)?;
    let heads: Vec<Function> = functions.iter().map(|f| f.head(&type_ids)).collect::<Result<_, _>>()?;
    let function_ids: Vec<FuncId> = heads.into_iter().map(|f| shader.add_function(f)).collect();
    let mut var_ids: Vec<VarId> = Vec::with_capacity(vars.len());
    for var in vars {
        var_ids.push(shader.add_var(var.restore(&type_ids, &function_ids)?));
    }
    let entry = entry.map(|n| function_ids.get(n as usize).copied().ok_or("the entry function is missing"));
    shader.entry = entry.transpose()?;
    let tables = Tables { types: &type_ids, vars: &var_ids, functions: &function_ids };
    for (image, &id) in functions.iter().zip(&function_ids) {
        shader.functions[id].body = image.body(&tables)?;
    }
    Ok(shader)
}
