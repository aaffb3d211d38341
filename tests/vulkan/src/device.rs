//! The loader, the choice of a device, and its features.

use crate::error::{Error, Res, unsupported};
use crate::features::{Extensions, Features};
use ash::vk;
use std::ffi::CStr;
use std::fmt;

/// The oldest version of Vulkan that is accepted: dynamic rendering is part of it.
const VERSION: u32 = vk::API_VERSION_1_3;

/// A device of a Vulkan driver, with one queue.
pub struct Device {
    // The loader must stay until the end.
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(crate) physical: vk::PhysicalDevice,
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) family: u32,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) features: Features,
    name: String,
    subgroup_size: u32,
    /// Nanoseconds of a tick of the queue's timestamps, and the bits that count; `None` if it has none.
    pub(crate) timestamps: Option<(f64, u64)>,
    driver: String,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Device {
    /// Opens the device whose name contains `name`, or else the first one that has Vulkan 1.3. Drivers of GPUs come before
    /// those of CPUs.
    ///
    /// # Errors
    /// The loader or the device is missing.
    pub fn open(name: Option<&str>) -> Res<Device> {
        // SAFETY: loading a library runs its initialisers; the Vulkan loader's have no requirements.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|e| Error::Unsupported(format!("no Vulkan loader: {e}")))?;
        let app = vk::ApplicationInfo::default().application_name(c"airfoil").api_version(VERSION);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: as described in `lib.rs`.
        let instance = unsafe { entry.create_instance(&info, None) }?;
        match Device::choose(&instance, name).and_then(|physical| Device::create(&instance, physical)) {
            Ok((physical, device, family, features)) => {
                // SAFETY: as described in `lib.rs`; the family has a queue, which was created with the device.
                let (queue, memory) = unsafe {
                    (
                        device.get_device_queue(family, 0),
                        instance.get_physical_device_memory_properties(physical),
                    )
                };
                let (name, subgroup_size) = describe(&instance, physical);
                let timestamps = timestamps(&instance, physical, family);
                let driver = driver(&instance, physical);
                Ok(Device {
                    _entry: entry,
                    instance,
                    physical,
                    device,
                    queue,
                    family,
                    memory,
                    features,
                    name,
                    subgroup_size,
                    timestamps,
                    driver,
                })
            }
            Err(e) => {
                // SAFETY: nothing else was created from the instance.
                unsafe { instance.destroy_instance(None) };
                Err(e)
            }
        }
    }

    /// The name that the driver gives the device.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name and version of the driver.
    pub fn driver(&self) -> &str {
        &self.driver
    }

    /// Number of invocations of a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.subgroup_size
    }

    /// Features of a format's optimal and buffer uses.
    pub(crate) fn format(&self, format: vk::Format) -> vk::FormatProperties {
        // SAFETY: as described in `lib.rs`.
        unsafe { self.instance.get_physical_device_format_properties(self.physical, format) }
    }

    fn choose(instance: &ash::Instance, name: Option<&str>) -> Res<vk::PhysicalDevice> {
        // SAFETY: as described in `lib.rs`.
        let all = unsafe { instance.enumerate_physical_devices() }?;
        let mut fitting: Vec<(bool, vk::PhysicalDevice)> = Vec::new();
        for physical in all {
            // SAFETY: as described in `lib.rs`.
            let properties = unsafe { instance.get_physical_device_properties(physical) };
            let (found, _) = describe(instance, physical);
            if properties.api_version >= VERSION && name.is_none_or(|name| found.contains(name)) {
                fitting.push((properties.device_type == vk::PhysicalDeviceType::CPU, physical));
            }
        }
        match fitting.iter().min_by_key(|f| f.0) {
            Some(&(_, physical)) => Ok(physical),
            None => unsupported(match name {
                Some(name) => format!("no device with Vulkan 1.3 is named {name}"),
                None => "no device has Vulkan 1.3".into(),
            }),
        }
    }

    fn create(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
    ) -> Res<(vk::PhysicalDevice, ash::Device, u32, Features)> {
        // SAFETY: as described in `lib.rs`.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let needed = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let Some(family) = families.iter().position(|f| f.queue_flags.contains(needed)) else {
            return unsupported("the device has no queue for draws and dispatches");
        };
        let family = family as u32;
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut depth_clip = vk::PhysicalDeviceDepthClipControlFeaturesEXT::default();
        let mut provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default();
        let mut border = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default();
        // SAFETY: as described in `lib.rs`.
        let available = unsafe { instance.enumerate_device_extension_properties(physical) }?;
        let has = |name: &CStr| available.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut v11)
            .push_next(&mut v12)
            .push_next(&mut v13);
        let mut names = Vec::new();
        if has(ash::ext::depth_clip_control::NAME) {
            names.push(ash::ext::depth_clip_control::NAME.as_ptr());
            all = all.push_next(&mut depth_clip);
        }
        if has(ash::ext::provoking_vertex::NAME) {
            names.push(ash::ext::provoking_vertex::NAME.as_ptr());
            all = all.push_next(&mut provoking);
        }
        if has(ash::ext::custom_border_color::NAME) {
            names.push(ash::ext::custom_border_color::NAME.as_ptr());
            all = all.push_next(&mut border);
        }
        // SAFETY: the chain consists of structures of features of versions and extensions that the device has.
        unsafe { instance.get_physical_device_features2(physical, &mut all) };
        let core = all.features;
        // Everything that the device has is enabled, so that modules decide.
        let priorities = [1.0];
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut all);
        // SAFETY: as described in `lib.rs`; all features that are enabled are supported.
        let device = unsafe { instance.create_device(physical, &info, None) }?;
        let extensions = Extensions {
            depth_clip_control: depth_clip.depth_clip_control == vk::TRUE,
            provoking_vertex: provoking.provoking_vertex_last == vk::TRUE,
            custom_border_color: border.custom_border_colors == vk::TRUE
                && border.custom_border_color_without_format == vk::TRUE,
        };
        // SAFETY: the handle comes from this instance.
        let limits = unsafe { instance.get_physical_device_properties(physical) }.limits;
        Ok((physical, device, family, Features::new(core, limits, &v11, &v12, &v13, extensions)))
    }
}

/// Name and size of subgroups.
fn describe(instance: &ash::Instance, physical: vk::PhysicalDevice) -> (String, u32) {
    let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
    // SAFETY: the structure of subgroups belongs to Vulkan 1.1; older devices leave it as it is.
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    let bytes = all.properties.device_name.map(|c| c as u8);
    let name = CStr::from_bytes_until_nul(&bytes).map_or(String::new(), |s| s.to_string_lossy().into_owned());
    (name, subgroups.subgroup_size)
}

/// The names of a driver, as it reports them.
fn driver(instance: &ash::Instance, physical: vk::PhysicalDevice) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the structure belongs to Vulkan 1.2, and the device has 1.3.
    unsafe { instance.get_physical_device_properties2(physical, &mut all) };
    let text = |name: &[std::ffi::c_char]| {
        let bytes: Vec<u8> = name.iter().map(|&c| c as u8).collect();
        CStr::from_bytes_until_nul(&bytes).map_or(String::new(), |s| s.to_string_lossy().into_owned())
    };
    format!("{} {}", text(&driver.driver_name), text(&driver.driver_info))
}

/// Nanoseconds of a tick of a queue's timestamps, and the bits that count.
fn timestamps(instance: &ash::Instance, physical: vk::PhysicalDevice, family: u32) -> Option<(f64, u64)> {
    // SAFETY: as described in `lib.rs`.
    let (families, properties) = unsafe {
        (
            instance.get_physical_device_queue_family_properties(physical),
            instance.get_physical_device_properties(physical),
        )
    };
    let bits = families.get(family as usize)?.timestamp_valid_bits;
    let mask = u64::MAX >> 64u32.checked_sub(bits).filter(|_| bits > 0)?;
    Some((f64::from(properties.limits.timestamp_period), mask))
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: frames borrow the device, so that none is left; everything that they created is destroyed.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
