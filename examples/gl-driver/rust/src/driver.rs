//! A miniature OpenGL driver over `airfoil-gl`: the objects, queries and draws of programs, without a GPU. A draw returns the Metal
//! functions that an encoder would be given. `../c/driver.c` is the same driver in C.

use airfoil_gl::query::enums::{ACTIVE_RESOURCES, LOCATION, PROGRAM_INPUT, UNIFORM};
use airfoil_gl::{
    Budget, Device, DeviceOptions, Function, LinkOptions, PointSize, Program, QueryError, ShaderObject,
    Stage, StateFlags, StateKey,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

/// An error of OpenGL: `GL_INVALID_ENUM`, `GL_INVALID_VALUE`, `GL_INVALID_OPERATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    Enum,
    Value,
    Operation,
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Error {
        match error {
            QueryError::InvalidEnum => Error::Enum,
            QueryError::InvalidValue => Error::Value,
            _ => Error::Operation,
        }
    }
}

/// A linked program with the functions that draws needed so far.
#[derive(Debug)]
pub struct Executable {
    program: Arc<Program>,
    functions: Mutex<HashMap<(Stage, StateKey), Arc<Function>>>,
}

#[derive(Default)]
struct ShaderSlot {
    stage: Option<Stage>,
    source: String,
    compiled: Option<ShaderObject>,
}

#[derive(Default)]
struct ProgramSlot {
    attached: Vec<u32>,
    options: LinkOptions,
    executable: Option<Arc<Executable>>,
    log: String,
    status: bool,
}

/// Objects that contexts share.
pub struct Shared {
    device: Device,
    shaders: RwLock<HashMap<u32, ShaderSlot>>,
    programs: RwLock<HashMap<u32, ProgramSlot>>,
    next: Mutex<u32>,
}

impl Shared {
    pub fn new(options: DeviceOptions) -> Arc<Shared> {
        Arc::new(Shared {
            device: Device::new(options),
            shaders: RwLock::default(),
            programs: RwLock::default(),
            next: Mutex::new(0),
        })
    }

    fn name(&self) -> u32 {
        let mut next = self.next.lock().unwrap();
        *next += 1;
        *next
    }
}

/// A context of one thread.
pub struct Context {
    shared: Arc<Shared>,
    executable: Option<Arc<Executable>>,
    uniforms: Vec<u8>,
    key: StateKey,
}

/// The arguments of a draw for Metal.
#[derive(Clone)]
pub struct Draw {
    pub functions: [Arc<Function>; 2],
    pub uniforms: Vec<u8>,
}

type Res<T = ()> = Result<T, Error>;

impl Context {
    pub fn new(shared: &Arc<Shared>) -> Context {
        let key = StateKey { flags: StateFlags::HALF_Z, ..StateKey::default() };
        Context { shared: shared.clone(), executable: None, uniforms: Vec::new(), key }
    }

    fn shader<T>(&self, name: u32, work: impl FnOnce(&mut ShaderSlot) -> T) -> Res<T> {
        self.shared.shaders.write().unwrap().get_mut(&name).map(work).ok_or(Error::Value)
    }

    fn program<T>(&self, name: u32, work: impl FnOnce(&mut ProgramSlot) -> T) -> Res<T> {
        self.shared.programs.write().unwrap().get_mut(&name).map(work).ok_or(Error::Value)
    }

    fn linked(&self, name: u32) -> Res<Arc<Program>> {
        let executable = self.program(name, |p| p.executable.clone())?;
        executable.map(|e| e.program.clone()).ok_or(Error::Operation)
    }

    pub fn create_shader(&self, stage: Stage) -> u32 {
        let name = self.shared.name();
        let slot = ShaderSlot { stage: Some(stage), ..ShaderSlot::default() };
        self.shared.shaders.write().unwrap().insert(name, slot);
        name
    }

    pub fn shader_source(&self, shader: u32, strings: &[&str]) -> Res {
        self.shader(shader, |s| s.source = strings.concat())
    }

    pub fn compile_shader(&self, shader: u32) -> Res {
        let device = &self.shared.device;
        self.shader(shader, |s| {
            let stage = s.stage.unwrap_or(Stage::Vertex);
            s.compiled = Some(device.compile(&shader.to_string(), stage, &[&s.source]));
        })
    }

    pub fn compile_status(&self, shader: u32) -> Res<bool> {
        self.shader(shader, |s| s.compiled.as_ref().is_some_and(ShaderObject::status))
    }

    pub fn shader_info_log(&self, shader: u32) -> Res<String> {
        self.shader(shader, |s| s.compiled.as_ref().map(|c| c.log().to_string()).unwrap_or_default())
    }

    pub fn delete_shader(&self, shader: u32) {
        self.shared.shaders.write().unwrap().remove(&shader);
    }

    pub fn create_program(&self) -> u32 {
        let name = self.shared.name();
        self.shared.programs.write().unwrap().insert(name, ProgramSlot::default());
        name
    }

    pub fn attach_shader(&self, program: u32, shader: u32) -> Res {
        self.program(program, |p| p.attached.push(shader))
    }

    pub fn bind_attrib_location(&self, program: u32, location: u32, name: &str) -> Res {
        self.program(program, |p| p.options.attribute_bindings.push((name.to_owned(), location)))
    }

    pub fn link_program(&self, program: u32) -> Res {
        let (attached, options) = self.program(program, |p| (p.attached.clone(), p.options.clone()))?;
        let objects: Result<Vec<ShaderObject>, Error> = attached
            .iter()
            .map(|&s| self.shader(s, |s| s.compiled.clone())?.ok_or(Error::Operation))
            .collect();
        // Other threads draw meanwhile: the link runs without a lock.
        let linked = self.shared.device.link(&objects?.iter().collect::<Vec<_>>(), &options);
        self.program(program, |p| match linked {
            Ok(linked) => p.set(linked),
            // The last executable stays.
            Err(log) => (p.log, p.status) = (log.to_string(), false),
        })
    }

    pub fn link_status(&self, program: u32) -> Res<bool> {
        self.program(program, |p| p.status)
    }

    pub fn program_info_log(&self, program: u32) -> Res<String> {
        self.program(program, |p| p.log.clone())
    }

    pub fn attrib_location(&self, program: u32, name: &str) -> Res<Option<u32>> {
        Ok(self.linked(program)?.resource_location(PROGRAM_INPUT, name)?)
    }

    pub fn uniform_location(&self, program: u32, name: &str) -> Res<Option<u32>> {
        Ok(self.linked(program)?.resource_location(UNIFORM, name)?)
    }

    pub fn program_interface(&self, program: u32, interface: u32, property: u32) -> Res<i32> {
        Ok(self.linked(program)?.interface(interface, property)?)
    }

    pub fn program_resource_name(&self, program: u32, interface: u32, index: u32) -> Res<String> {
        Ok(self.linked(program)?.resource_name(interface, index)?.to_owned())
    }

    pub fn program_resource(&self, program: u32, interface: u32, index: u32, property: u32) -> Res<Vec<i32>> {
        Ok(self.linked(program)?.resource(interface, index, property)?)
    }

    pub fn program_binary(&self, program: u32) -> Res<Vec<u8>> {
        self.linked(program)?.store().map_err(|_| Error::Operation)
    }

    /// `glProgramBinary`: another version or damage is a failed link.
    pub fn set_program_binary(&self, program: u32, binary: &[u8]) -> Res {
        let restored = self.shared.device.restore(binary);
        self.program(program, |p| match restored {
            Ok(linked) => p.set(linked),
            Err(fault) => (p.log, p.status) = (fault.to_string(), false),
        })
    }

    pub fn delete_program(&self, program: u32) {
        self.shared.programs.write().unwrap().remove(&program);
    }

    pub fn use_program(&mut self, program: u32) -> Res {
        let executable = self.program(program, |p| p.executable.clone())?.ok_or(Error::Operation)?;
        let bytes = executable.program.reflection().default_block.map_or(0, |(_, bytes)| bytes);
        self.uniforms = vec![0; bytes as usize];
        self.executable = Some(executable);
        Ok(())
    }

    /// `glUniform4f`.
    pub fn uniform(&mut self, location: u32, values: [f32; 4]) -> Res {
        let executable = self.executable.as_ref().ok_or(Error::Operation)?;
        // A driver would keep a table of locations.
        let program = &executable.program;
        for n in 0..program.interface(UNIFORM, ACTIVE_RESOURCES)?.unsigned_abs() {
            if program.resource(UNIFORM, n, LOCATION)? == [location as i32] {
                let offset = program.reflection().uniforms[n as usize].offset.ok_or(Error::Operation)?;
                let to = self.uniforms.get_mut(offset as usize..).and_then(|u| u.get_mut(..16));
                let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                to.ok_or(Error::Operation)?.copy_from_slice(&bytes);
                return Ok(());
            }
        }
        Err(Error::Operation)
    }

    /// `glEnable` and `glDisable` of `GL_CLIP_DISTANCEi`.
    pub fn set_clip_distance(&mut self, n: u32, is_on: bool) {
        let bit = 1_u8 << n;
        self.key.clip_enable = if is_on { self.key.clip_enable | bit } else { self.key.clip_enable & !bit };
    }

    pub fn clip_control(&mut self, upper_left: bool, negative_one_to_one: bool) {
        let flipped = StateFlags::FLIP_Y | StateFlags::FLIP_WINDOW | StateFlags::FLIP_FACE;
        self.key.flags.set(flipped, upper_left);
        self.key.flags.set(StateFlags::HALF_Z, negative_one_to_one);
    }

    pub fn draw_arrays(&self, points: bool) -> Res<Draw> {
        let executable = self.executable.as_ref().ok_or(Error::Operation)?;
        let point_size = if points { PointSize::Shader } else { PointSize::None };
        let key = StateKey { point_size, ..self.key };
        let function = |stage| executable.function(stage, &key);
        let functions = [function(Stage::Vertex)?, function(Stage::Fragment)?];
        Ok(Draw { functions, uniforms: self.uniforms.clone() })
    }

    /// Functions that were created for a program so far.
    pub fn count_functions(&self, program: u32) -> Res<usize> {
        self.program(program, |p| p.executable.as_ref().map_or(0, |e| e.functions.lock().unwrap().len()))
    }
}

impl ProgramSlot {
    fn set(&mut self, program: Arc<Program>) {
        (self.log, self.status) = (program.log().to_string(), true);
        self.executable = Some(Arc::new(Executable { program, functions: Mutex::default() }));
    }
}

impl Executable {
    /// The function of a stage for a state: from the cache, or compiled now, on this thread.
    fn function(&self, stage: Stage, key: &StateKey) -> Res<Arc<Function>> {
        let key = (stage, self.program.stage_canonical(stage, key));
        if let Some(found) = self.functions.lock().unwrap().get(&key) {
            return Ok(found.clone());
        }
        // Other threads draw meanwhile. The second thread drops its function.
        let made = self.program.variant(stage, &key.1, &Budget::default()).map_err(|_| Error::Operation)?;
        Ok(self.functions.lock().unwrap().entry(key).or_insert_with(|| Arc::new(made)).clone())
    }
}
