//! One case: load, functions, pipelines, resources, passes, contents.
//!
//! Every pointer that Metal reads comes from a buffer of the length that is passed with it.
#![allow(unused_unsafe)] // which methods are safe differs between versions of the bindings

use crate::render;
use airfoil_kit::schema::{Bound, BoundKind, Case, Kind, Pass, StageCase, TextureFile};
use objc2::msg_send;
use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSArray, NSError, NSString, NSURL};
use objc2_metal::*;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

/// A Metal object of a protocol.
pub type Object<T> = Retained<ProtocolObject<T>>;

/// An error of a step: domain, code, text.
#[derive(Debug)]
pub struct Failure {
    domain: String,
    code: isize,
    text: String,
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure { domain: "metal-check".to_owned(), code: 0, text }
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Failure {
        text.to_owned().into()
    }
}

impl From<Retained<NSError>> for Failure {
    fn from(e: Retained<NSError>) -> Failure {
        Failure { domain: e.domain().to_string(), code: e.code(), text: e.localizedDescription().to_string() }
    }
}

/// The result of a step.
pub type Outcome<T> = Result<T, Failure>;

/// The GPU.
pub fn first_device() -> Option<Object<dyn MTLDevice>> {
    MTLCreateSystemDefaultDevice().or_else(|| MTLCopyAllDevices().firstObject())
}

/// Reads `case.json`.
pub fn read_case(folder: &Path) -> Result<Case, String> {
    let bytes = fs::read(folder.join("case.json")).map_err(|e| e.to_string())?;
    serde_json::from_slice(&bytes).map_err(|e| e.to_string())
}

/// A pipeline of a pass.
pub enum Pipeline {
    /// Of a dispatch.
    Compute(Object<dyn MTLComputePipelineState>),
    /// Of a draw.
    Render(Object<dyn MTLRenderPipelineState>),
}

/// A case on a device.
pub struct Runner {
    /// The device.
    pub device: Object<dyn MTLDevice>,
    /// The case.
    pub case: Case,
    folder: PathBuf,
    results: PathBuf,
    begun: String,
    steps: Vec<Value>,
    functions: Vec<Value>,
    reflection: Vec<Value>,
    outputs: Vec<Value>,
    /// Buffers by name.
    pub buffers: HashMap<String, Object<dyn MTLBuffer>>,
    /// Textures by name.
    pub textures: HashMap<String, Object<dyn MTLTexture>>,
    samplers: HashMap<String, Object<dyn MTLSamplerState>>,
    queue: Option<Object<dyn MTLCommandQueue>>,
}

impl Runner {
    /// A case, with the folder of its files and that of its results.
    pub fn new(device: Object<dyn MTLDevice>, case: Case, folder: PathBuf, results: PathBuf) -> Runner {
        let queue = device.newCommandQueue();
        Runner {
            device,
            case,
            folder,
            results,
            begun: "start".to_owned(),
            steps: Vec::new(),
            functions: Vec::new(),
            reflection: Vec::new(),
            outputs: Vec::new(),
            buffers: HashMap::new(),
            textures: HashMap::new(),
            samplers: HashMap::new(),
            queue,
        }
    }

    fn save(&self) {
        let run = json!({
            "begun": self.begun, "steps": self.steps, "functions": self.functions,
            "reflection": self.reflection, "outputs": self.outputs,
        });
        let _ = fs::write(self.results.join("run.json"), run.to_string());
    }

    /// Performs a step; the file on disk always has the step that was begun last.
    fn step<T>(&mut self, name: &str, body: impl FnOnce(&mut Runner) -> Outcome<T>) -> Option<T> {
        self.begun = name.to_owned();
        self.save();
        let outcome = body(self);
        self.steps.push(match &outcome {
            Ok(_) => json!({ "step": name, "ok": true }),
            Err(e) => {
                json!({ "step": name, "ok": false, "domain": e.domain, "code": e.code, "text": e.text })
            }
        });
        self.save();
        outcome.ok()
    }

    /// Runs the case, or its control.
    pub fn run(&mut self, control: bool) {
        let Some(library) = self.step("load", |r| r.load(control)) else { return };
        let listed = self.step("function", |r| {
            for f in &r.case.functions {
                let function = library.newFunctionWithName(&NSString::from_str(&f.name));
                let function = function.ok_or_else(|| format!("there is no function {}", f.name))?;
                r.functions.push(json!({ "name": f.name, "type": function.functionType().0 }));
            }
            Ok(())
        });
        if listed.is_none() || self.case.kind == Kind::Load {
            return;
        }
        let passes = self.case.passes.clone();
        let made = self.step("pipeline", |r| {
            passes.iter().map(|p| r.pipeline(p, &library)).collect::<Outcome<Vec<_>>>()
        });
        let (Some(pipelines), Kind::Run) = (made, self.case.kind) else { return };
        self.step("run", |r| {
            r.make_resources()?;
            for (pass, pipeline) in passes.iter().zip(&pipelines) {
                r.execute(pass, pipeline)?;
            }
            for output in r.case.outputs.clone() {
                r.read_back(&output.resource)?;
            }
            Ok(())
        });
    }

    fn load(&mut self, control: bool) -> Outcome<Object<dyn MTLLibrary>> {
        if let (true, Some(name)) = (control, &self.case.control) {
            let text = fs::read_to_string(self.folder.join(name)).map_err(|e| e.to_string())?;
            return Ok(self.device.newLibraryWithSource_options_error(&NSString::from_str(&text), None)?);
        }
        let path = self.folder.join(&self.case.library);
        let url = NSURL::fileURLWithPath(&NSString::from_str(&path.to_string_lossy()));
        Ok(self.device.newLibraryWithURL_error(&url)?)
    }

    /// A function, specialised if it has function constants.
    pub fn function(
        &self,
        stage: &StageCase,
        library: &ProtocolObject<dyn MTLLibrary>,
    ) -> Outcome<Object<dyn MTLFunction>> {
        let name = NSString::from_str(&stage.function);
        let plain = library.newFunctionWithName(&name);
        let plain = plain.ok_or_else(|| format!("there is no function {}", stage.function))?;
        if plain.functionConstantsDictionary().is_empty() {
            return Ok(plain);
        }
        let values = MTLFunctionConstantValues::new();
        for c in &stage.constants {
            let mut bits = c.bits;
            let pointer = NonNull::from(&mut bits).cast::<c_void>();
            // SAFETY: Metal copies at most eight bytes.
            unsafe {
                values.setConstantValue_type_atIndex(
                    pointer,
                    MTLDataType(c.data_type as usize),
                    c.index as usize,
                )
            };
        }
        Ok(library.newFunctionWithName_constantValues_error(&name, &values)?)
    }

    /// Records the arguments that Metal lists for a function.
    pub fn reflect(&mut self, function: &str, bindings: &NSArray<ProtocolObject<dyn MTLBinding>>) {
        for b in bindings {
            // SAFETY: bindings of the type buffer have the property.
            let size: usize = match b.r#type() {
                MTLBindingType::Buffer => unsafe { msg_send![&*b, bufferDataSize] },
                _ => 0,
            };
            self.reflection.push(json!({
                "function": function, "name": b.name().to_string(), "type": b.r#type().0, "index": b.index(),
                "access": b.access().0, "used": b.isUsed(), "size": size,
            }));
        }
    }

    fn pipeline(&mut self, pass: &Pass, library: &ProtocolObject<dyn MTLLibrary>) -> Outcome<Pipeline> {
        let Some(kernel) = &pass.compute else { return render::pipeline(self, pass, library) };
        let descriptor = MTLComputePipelineDescriptor::new();
        descriptor.setComputeFunction(Some(&*self.function(kernel, library)?));
        let mut reflection = None;
        let state = self.device.newComputePipelineStateWithDescriptor_options_reflection_error(
            &descriptor,
            render::OPTIONS,
            Some(&mut reflection),
        )?;
        if let Some(info) = reflection {
            self.reflect(&kernel.function, &info.bindings());
        }
        Ok(Pipeline::Compute(state))
    }

    /// The description of a texture.
    pub fn texture_file(&self, name: &str) -> Outcome<TextureFile> {
        let found = self.case.textures.iter().find(|t| t.name == name);
        Ok(found.cloned().ok_or_else(|| format!("there is no texture {name}"))?)
    }

    fn contents(&self, file: &str) -> Outcome<Vec<u8>> {
        fs::read(self.folder.join(file)).map_err(|e| e.to_string().into())
    }

    /// A shared buffer with contents.
    fn shared(&self, bytes: &[u8]) -> Outcome<Object<dyn MTLBuffer>> {
        let buffer = self
            .device
            .newBufferWithLength_options(bytes.len().max(16), MTLResourceOptions::StorageModeShared);
        let buffer = buffer.ok_or("no buffer")?;
        // SAFETY: the buffer has at least this many bytes, and is not shared yet.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.contents().as_ptr().cast(), bytes.len())
        };
        Ok(buffer)
    }

    fn make_resources(&mut self) -> Outcome<()> {
        for b in self.case.buffers.clone() {
            let buffer = self.shared(&self.contents(&b.file)?)?;
            self.buffers.insert(b.name, buffer);
        }
        for s in self.case.samplers.clone() {
            let descriptor = MTLSamplerDescriptor::new();
            let [u, v, w] = s.address.map(|a| MTLSamplerAddressMode(a as usize));
            descriptor.setSAddressMode(u);
            descriptor.setTAddressMode(v);
            descriptor.setRAddressMode(w);
            descriptor.setMinFilter(MTLSamplerMinMagFilter(s.min as usize));
            descriptor.setMagFilter(MTLSamplerMinMagFilter(s.mag as usize));
            descriptor.setMipFilter(MTLSamplerMipFilter(s.mip as usize));
            if let Some(compare) = s.compare {
                descriptor.setCompareFunction(MTLCompareFunction(compare as usize));
            }
            descriptor.setSupportArgumentBuffers(self.uses_argument_buffers());
            let state = self.device.newSamplerStateWithDescriptor(&descriptor).ok_or("no sampler")?;
            self.samplers.insert(s.name, state);
        }
        for t in self.case.textures.clone() {
            let texture = self.make_texture(&t)?;
            self.textures.insert(t.name, texture);
        }
        Ok(())
    }

    fn uses_argument_buffers(&self) -> bool {
        let stages = |p: &Pass| {
            [p.compute.clone(), p.vertex.clone(), p.fragment.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        };
        let mut bound = self.case.passes.iter().flat_map(stages).flat_map(|s| s.bindings);
        bound.any(|b| b.kind == BoundKind::ArgumentBuffer)
    }

    fn make_texture(&self, t: &TextureFile) -> Outcome<Object<dyn MTLTexture>> {
        let descriptor = MTLTextureDescriptor::new();
        // SAFETY: the sizes are those of the case; Metal checks them.
        unsafe {
            descriptor.setTextureType(MTLTextureType(t.texture_type as usize));
            descriptor.setPixelFormat(MTLPixelFormat(t.format as usize));
            descriptor.setWidth(t.size[0] as usize);
            descriptor.setHeight(t.size[1] as usize);
            descriptor.setDepth(t.size[2] as usize);
            descriptor.setArrayLength(t.length as usize);
            descriptor.setMipmapLevelCount(t.levels as usize);
            descriptor.setSampleCount(t.samples as usize);
            descriptor.setUsage(MTLTextureUsage(t.usage as usize));
        }
        if let Some(name) = &t.buffer {
            descriptor.setStorageMode(MTLStorageMode::Shared);
            let buffer = self.buffers.get(name).ok_or("a texture buffer without buffer")?;
            // SAFETY: the buffer has the bytes of one row.
            let view = unsafe {
                buffer.newTextureWithDescriptor_offset_bytesPerRow(
                    &descriptor,
                    0,
                    (t.size[0] * t.texel) as usize,
                )
            };
            return Ok(view.ok_or("no texture buffer")?);
        }
        descriptor.setStorageMode(MTLStorageMode::Private);
        let texture = self.device.newTextureWithDescriptor(&descriptor).ok_or("no texture")?;
        if let Some(file) = &t.file {
            let staging = self.shared(&self.contents(file)?)?;
            self.blit(t, |encoder, i| {
                // SAFETY: the staging buffer has all images of the texture.
                unsafe {
                    encoder.copyFromBuffer_sourceOffset_sourceBytesPerRow_sourceBytesPerImage_sourceSize_toTexture_destinationSlice_destinationLevel_destinationOrigin(
                        &staging, i.offset, i.row, i.image, i.size, &texture, i.slice, i.level, MTLOrigin { x: 0, y: 0, z: 0 },
                    );
                }
            })?;
        }
        Ok(texture)
    }

    /// Calls `body` for each image of a texture.
    fn blit(
        &self,
        t: &TextureFile,
        body: impl Fn(&ProtocolObject<dyn MTLBlitCommandEncoder>, &Part),
    ) -> Outcome<()> {
        let commands = self.commands()?;
        let encoder = commands.blitCommandEncoder().ok_or("no encoder")?;
        for part in parts(t) {
            body(&encoder, &part);
        }
        encoder.endEncoding();
        self.finish(&commands)
    }

    fn commands(&self) -> Outcome<Object<dyn MTLCommandBuffer>> {
        let queue = self.queue.as_ref().ok_or("no command queue")?;
        Ok(queue.commandBuffer().ok_or("no command buffer")?)
    }

    fn finish(&self, commands: &ProtocolObject<dyn MTLCommandBuffer>) -> Outcome<()> {
        commands.commit();
        unsafe { commands.waitUntilCompleted() };
        match unsafe { commands.error() } {
            Some(e) => Err(e.into()),
            None => Ok(()),
        }
    }

    fn read_back(&mut self, name: &str) -> Outcome<()> {
        let file = self.case.buffers.iter().find(|b| b.name == name).map(|b| b.file.clone());
        let (buffer, length) = match (self.buffers.get(name), file) {
            (Some(buffer), Some(file)) => (buffer.clone(), self.contents(&file)?.len()),
            _ => {
                let t = self.texture_file(name)?;
                let texture = self.textures.get(name).ok_or("no texture")?.clone();
                let length = parts(&t).iter().map(|p| p.image * p.size.depth).sum();
                let target = self.shared(&vec![0; length])?;
                self.blit(&t, |encoder, i| {
                    // SAFETY: the target has room for all images.
                    unsafe {
                        encoder.copyFromTexture_sourceSlice_sourceLevel_sourceOrigin_sourceSize_toBuffer_destinationOffset_destinationBytesPerRow_destinationBytesPerImage(
                            &texture, i.slice, i.level, MTLOrigin { x: 0, y: 0, z: 0 }, i.size, &target, i.offset, i.row, i.image,
                        );
                    }
                })?;
                (target, length)
            }
        };
        // SAFETY: the buffer has this many bytes, and the GPU has finished.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.contents().as_ptr().cast::<u8>(), length) };
        let file = format!("{name}.bin");
        fs::write(self.results.join(&file), bytes).map_err(|e| e.to_string())?;
        self.outputs.push(json!({ "resource": name, "file": file }));
        Ok(())
    }

    /// Binds the resources of a stage.
    pub fn bind(&self, stage: Option<&StageCase>, set: &dyn Setters) -> Outcome<()> {
        for b in stage.into_iter().flat_map(|s| &s.bindings) {
            let missing = || format!("there is no resource {}", b.resource);
            let index = b.index as usize;
            match b.kind {
                BoundKind::ArgumentBuffer => set.buffer(&*self.argument_buffer(b, set)?, index),
                BoundKind::Buffer => set.buffer(&**self.buffers.get(&b.resource).ok_or_else(missing)?, index),
                BoundKind::Texture => {
                    set.texture(&**self.textures.get(&b.resource).ok_or_else(missing)?, index)
                }
                BoundKind::Sampler => {
                    set.sampler(&**self.samplers.get(&b.resource).ok_or_else(missing)?, index)
                }
            }
        }
        Ok(())
    }

    fn argument_buffer(&self, b: &Bound, set: &dyn Setters) -> Outcome<Object<dyn MTLBuffer>> {
        let mut table = vec![0u8; b.size as usize];
        for m in &b.members {
            let found = (
                self.buffers.get(&m.resource),
                self.textures.get(&m.resource),
                self.samplers.get(&m.resource),
            );
            let word = match found {
                (Some(buffer), ..) => {
                    set.use_resource(ProtocolObject::from_ref(&**buffer));
                    unsafe { buffer.gpuAddress() }
                }
                (_, Some(texture), _) => {
                    set.use_resource(ProtocolObject::from_ref(&**texture));
                    unsafe { texture.gpuResourceID() }.to_raw()
                }
                (.., Some(sampler)) => unsafe { sampler.gpuResourceID() }.to_raw(),
                _ => return Err(format!("there is no resource {}", m.resource).into()),
            };
            let at = m.index as usize * 8;
            table
                .get_mut(at..at + 8)
                .ok_or("an argument buffer is too short")?
                .copy_from_slice(&word.to_le_bytes());
        }
        self.shared(&table)
    }

    fn execute(&self, pass: &Pass, pipeline: &Pipeline) -> Outcome<()> {
        let commands = self.commands()?;
        match pipeline {
            Pipeline::Compute(state) => {
                let encoder = commands.computeCommandEncoder().ok_or("no encoder")?;
                encoder.setComputePipelineState(state);
                self.bind(pass.compute.as_ref(), &Compute(&encoder))?;
                encoder.dispatchThreadgroups_threadsPerThreadgroup(size(pass.groups), size(pass.threads));
                encoder.endEncoding();
            }
            Pipeline::Render(state) => render::encode(self, pass, state, &commands)?,
        }
        self.finish(&commands)
    }
}

/// An image of a texture.
struct Part {
    level: usize,
    slice: usize,
    offset: usize,
    size: MTLSize,
    row: usize,
    image: usize,
}

/// The images of a texture in the order of its file.
fn parts(t: &TextureFile) -> Vec<Part> {
    let (mut list, mut offset) = (Vec::new(), 0);
    for level in 0..t.levels as usize {
        let [width, height, depth] = t.size.map(|n| (n as usize >> level).max(1));
        let row = width * t.texel as usize;
        for slice in 0..t.slices as usize {
            list.push(Part {
                level,
                slice,
                offset,
                size: MTLSize { width, height, depth },
                row,
                image: row * height,
            });
            offset += row * height * depth;
        }
    }
    list
}

/// A size of Metal.
pub fn size(n: [u64; 3]) -> MTLSize {
    MTLSize { width: n[0] as usize, height: n[1] as usize, depth: n[2] as usize }
}

/// How an encoder binds resources for a stage.
pub trait Setters {
    /// A buffer.
    fn buffer(&self, buffer: &ProtocolObject<dyn MTLBuffer>, index: usize);
    /// A texture.
    fn texture(&self, texture: &ProtocolObject<dyn MTLTexture>, index: usize);
    /// A sampler.
    fn sampler(&self, sampler: &ProtocolObject<dyn MTLSamplerState>, index: usize);
    /// A resource that an argument buffer refers to.
    fn use_resource(&self, resource: &ProtocolObject<dyn MTLResource>);
}

struct Compute<'e>(&'e ProtocolObject<dyn MTLComputeCommandEncoder>);

// SAFETY of all: Metal keeps bound objects until the commands have ended.
impl Setters for Compute<'_> {
    fn buffer(&self, buffer: &ProtocolObject<dyn MTLBuffer>, index: usize) {
        unsafe { self.0.setBuffer_offset_atIndex(Some(buffer), 0, index) };
    }

    fn texture(&self, texture: &ProtocolObject<dyn MTLTexture>, index: usize) {
        unsafe { self.0.setTexture_atIndex(Some(texture), index) };
    }

    fn sampler(&self, sampler: &ProtocolObject<dyn MTLSamplerState>, index: usize) {
        unsafe { self.0.setSamplerState_atIndex(Some(sampler), index) };
    }

    fn use_resource(&self, resource: &ProtocolObject<dyn MTLResource>) {
        unsafe { self.0.useResource_usage(resource, MTLResourceUsage::Read | MTLResourceUsage::Write) };
    }
}
