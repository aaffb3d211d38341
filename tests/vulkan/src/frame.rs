//! One submission, and all objects that it needs.

use crate::device::Device;
use crate::error::{Error, Res, unsupported};
use ash::vk;

/// Nanoseconds after which a submission counts as hung. Software drivers compile when they execute: more than a minute for some shaders.
const TIMEOUT: u64 = 600_000_000_000;

/// An object that the frame destroys.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owned {
    Buffer(vk::Buffer),
    BufferView(vk::BufferView),
    Image(vk::Image),
    ImageView(vk::ImageView),
    Memory(vk::DeviceMemory),
    Sampler(vk::Sampler),
    Shader(vk::ShaderModule),
    SetLayout(vk::DescriptorSetLayout),
    SetPool(vk::DescriptorPool),
    Layout(vk::PipelineLayout),
    Pipeline(vk::Pipeline),
    Commands(vk::CommandPool),
    Fence(vk::Fence),
    Queries(vk::QueryPool),
}

/// A submission. Everything that it creates is destroyed with it.
pub(crate) struct Frame<'d> {
    pub dev: &'d Device,
    pub commands: vk::CommandBuffer,
    owned: Vec<Owned>,
    /// Signalled when an execution ends; created by the first, which also ends the recording.
    fence: Option<vk::Fence>,
    /// Whether buffers are in memory of the device, if some of it is visible to the host.
    local: bool,
    /// Whether the driver may still be executing.
    hung: bool,
}

/// A buffer in memory that is visible to the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped {
    pub buffer: vk::Buffer,
    pub size: u64,
    data: *mut u8,
}

impl Mapped {
    /// Writes bytes from the start on.
    pub fn write(&self, bytes: &[u8]) {
        let n = bytes.len().min(self.size as usize);
        // SAFETY: `data` is the mapping of `size` bytes, which lasts as long as the frame; `n` is not more. The device does
        // not execute while the host writes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.data, n) };
    }

    /// Reads bytes from the start on.
    pub fn read(&self, bytes: &mut [u8]) {
        let n = bytes.len().min(self.size as usize);
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy_nonoverlapping(self.data, bytes.as_mut_ptr(), n) };
    }
}

impl<'d> Frame<'d> {
    /// A frame whose commands are being recorded.
    pub fn new(dev: &'d Device) -> Res<Frame<'d>> {
        let mut frame = Frame {
            dev,
            commands: vk::CommandBuffer::null(),
            owned: Vec::new(),
            fence: None,
            local: false,
            hung: false,
        };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(dev.family);
        // SAFETY: as described in `lib.rs`, here and below.
        let pool = unsafe { dev.device.create_command_pool(&info, None) }?;
        frame.own(Owned::Commands(pool));
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        // SAFETY: see above.
        let buffers = unsafe { dev.device.allocate_command_buffers(&info) }?;
        frame.commands = buffers[0];
        let info = vk::CommandBufferBeginInfo::default();
        // SAFETY: see above.
        unsafe { dev.device.begin_command_buffer(frame.commands, &info) }?;
        Ok(frame)
    }

    /// A frame whose buffers are in memory of the device, if some of it is visible to the host.
    pub fn local(dev: &'d Device) -> Res<Frame<'d>> {
        let mut frame = Frame::new(dev)?;
        frame.local = true;
        Ok(frame)
    }

    /// Leaves an object to the frame.
    pub fn own(&mut self, object: Owned) {
        self.owned.push(object);
    }

    /// The first type of memory that a resource can use and that has all properties.
    fn memory_type(&self, bits: u32, properties: vk::MemoryPropertyFlags) -> Res<u32> {
        let memory = &self.dev.memory;
        let fits = |&n: &u32| {
            bits >> n & 1 != 0 && memory.memory_types[n as usize].property_flags.contains(properties)
        };
        match (0..memory.memory_type_count).find(fits) {
            Some(n) => Ok(n),
            None => unsupported("no memory of this type"),
        }
    }

    fn allocate(
        &mut self,
        needs: vk::MemoryRequirements,
        properties: vk::MemoryPropertyFlags,
    ) -> Res<vk::DeviceMemory> {
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(self.memory_type(needs.memory_type_bits, properties)?);
        // SAFETY: as described in `lib.rs`.
        let memory = unsafe { self.dev.device.allocate_memory(&info, None) }?;
        self.own(Owned::Memory(memory));
        Ok(memory)
    }

    /// A buffer with these bytes, of at least 16.
    pub fn buffer(&mut self, bytes: &[u8], usage: vk::BufferUsageFlags) -> Res<Mapped> {
        let size = (bytes.len() as u64).next_multiple_of(16).max(16);
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage | vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: as described in `lib.rs`, here and below.
        let buffer = unsafe { self.dev.device.create_buffer(&info, None) }?;
        self.own(Owned::Buffer(buffer));
        // SAFETY: see above.
        let needs = unsafe { self.dev.device.get_buffer_memory_requirements(buffer) };
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let near = visible | vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let memory = match self.local.then(|| self.allocate(needs, near)) {
            Some(Ok(memory)) => memory,
            _ => self.allocate(needs, visible)?,
        };
        // SAFETY: the memory fits the buffer, is visible to the host and not mapped yet. Freeing it ends the mapping.
        let data = unsafe {
            self.dev.device.bind_buffer_memory(buffer, memory, 0)?;
            self.dev.device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty())?
        };
        let mapped = Mapped { buffer, size, data: data.cast() };
        mapped.write(&vec![0; size as usize]);
        mapped.write(bytes);
        Ok(mapped)
    }

    /// An image with memory of its own.
    pub fn image(&mut self, info: &vk::ImageCreateInfo<'_>) -> Res<vk::Image> {
        // SAFETY: as described in `lib.rs`, here and below; callers request uses that the format has.
        let image = unsafe { self.dev.device.create_image(info, None) }?;
        self.own(Owned::Image(image));
        // SAFETY: see above.
        let needs = unsafe { self.dev.device.get_image_memory_requirements(image) };
        let memory = self.allocate(needs, vk::MemoryPropertyFlags::empty())?;
        // SAFETY: the memory was allocated for the image.
        unsafe { self.dev.device.bind_image_memory(image, memory, 0) }?;
        Ok(image)
    }

    /// Everything recorded so far happens before, and is visible to, everything that follows.
    pub fn barrier(&self) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        // SAFETY: as described in `lib.rs`; the command buffer is being recorded.
        unsafe {
            self.dev.device.cmd_pipeline_barrier(
                self.commands,
                stages,
                stages,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
        }
    }

    /// Ends the recording, if it has not ended, executes the commands and waits for their end.
    pub fn submit(&mut self) -> Res<()> {
        let dev = self.dev;
        let fence = match self.fence {
            Some(fence) => fence,
            None => {
                // SAFETY: as described in `lib.rs`; the commands are being recorded.
                let fence = unsafe {
                    dev.device.end_command_buffer(self.commands)?;
                    dev.device.create_fence(&vk::FenceCreateInfo::default(), None)?
                };
                self.own(Owned::Fence(fence));
                *self.fence.insert(fence)
            }
        };
        let commands = [self.commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: as described in `lib.rs`; the fence and the commands live until the frame is dropped, and no execution is
        // pending.
        unsafe {
            dev.device.reset_fences(&[fence])?;
            dev.device.queue_submit(dev.queue, &submits, fence)?;
            match dev.device.wait_for_fences(&[fence], true, TIMEOUT) {
                Ok(()) => Ok(()),
                Err(vk::Result::TIMEOUT) => {
                    self.hung = true;
                    Err(Error::Failed("it did not end".into()))
                }
                Err(e) => Err(e.into()),
            }
        }
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        let d = &self.dev.device;
        if self.hung {
            // Objects that are still in use cannot be destroyed.
            return;
        }
        for object in self.owned.drain(..).rev() {
            // SAFETY: as described in `lib.rs`: the submission, if there was one, has ended, and objects are destroyed after
            // those that refer to them, which were created later.
            unsafe {
                match object {
                    Owned::Buffer(x) => d.destroy_buffer(x, None),
                    Owned::BufferView(x) => d.destroy_buffer_view(x, None),
                    Owned::Image(x) => d.destroy_image(x, None),
                    Owned::ImageView(x) => d.destroy_image_view(x, None),
                    Owned::Memory(x) => d.free_memory(x, None),
                    Owned::Sampler(x) => d.destroy_sampler(x, None),
                    Owned::Shader(x) => d.destroy_shader_module(x, None),
                    Owned::SetLayout(x) => d.destroy_descriptor_set_layout(x, None),
                    Owned::SetPool(x) => d.destroy_descriptor_pool(x, None),
                    Owned::Layout(x) => d.destroy_pipeline_layout(x, None),
                    Owned::Pipeline(x) => d.destroy_pipeline(x, None),
                    Owned::Commands(x) => d.destroy_command_pool(x, None),
                    Owned::Fence(x) => d.destroy_fence(x, None),
                    Owned::Queries(x) => d.destroy_query_pool(x, None),
                }
            }
        }
    }
}
