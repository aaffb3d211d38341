//! The disk cache of a device.

#![cfg(unix)]

use super::*;

/// A device with a cache in a folder, or the message of the error.
unsafe fn device_with_cache(seen: &Seen, folder: &std::path::Path) -> Result<*mut AfDevice, String> {
    let folder = CString::new(folder.to_str().unwrap()).unwrap();
    let info = AfDeviceInfo { cache: folder.as_ptr(), cache_limit: 1 << 20, ..info(seen) };
    let (mut device, mut error) = (null_mut(), null_mut());
    match unsafe { af_device_create(&info, &mut device, &mut error) } {
        AfResult::AF_SUCCESS => Ok(device),
        result => {
            assert_eq!(result, AfResult::AF_ERROR_INVALID_ARGUMENT);
            let message = unsafe { bytes(af_blob_bytes(error)) };
            unsafe { af_blob_release(error) };
            Err(String::from_utf8(message).unwrap())
        }
    }
}

#[test]
fn links_and_functions_are_cached() {
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c-cache-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let seen = Seen::default();
    let entries = || {
        std::fs::read_dir(&folder).unwrap().filter(|e| e.as_ref().unwrap().file_name().len() == 64).count()
    };
    unsafe {
        let make = |device: *mut AfDevice| {
            let program = link(device, null());
            let mut function = null_mut();
            let made =
                af_program_variant(program, AF_STAGE_FRAGMENT, null(), null(), &mut function, null_mut());
            assert_eq!(made, AfResult::AF_SUCCESS);
            let library = bytes(af_function_metallib(function));
            af_function_release(function);
            af_program_release(program);
            af_device_release(device);
            library
        };
        let plain = make(device(&seen));
        assert_eq!(make(device_with_cache(&seen, &folder).unwrap()), plain);
        assert_eq!(entries(), 2);
        assert_eq!(make(device_with_cache(&seen, &folder).unwrap()), plain);
        assert_eq!(entries(), 2);
        let message = device_with_cache(&seen, std::path::Path::new("/dev/null")).unwrap_err();
        assert!(message.starts_with("cache `/dev/null`: "), "{message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(seen.live.lock().unwrap().is_empty());
}
