//! Program-interface queries (OpenGL 4.6 section 7.3.1).

use crate::program::{Program, text};

impl Program<'_> {
    /// A property of an interface (`glGetProgramInterfaceiv`).
    pub fn interface(&self, interface: u32, property: u32) -> i32 {
        let mut value = 0;
        // SAFETY: as described in `lib.rs`.
        unsafe { self.context.gl.GetProgramInterfaceiv(self.name, interface, property, &raw mut value) };
        value
    }

    /// The name of a resource (`glGetProgramResourceName`).
    pub fn resource_name(&self, interface: u32, index: u32) -> String {
        const ROOM: i32 = 4096;
        text(ROOM, |room, written, bytes| {
            // SAFETY: as described in `lib.rs`.
            unsafe {
                self.context.gl.GetProgramResourceName(
                    self.name,
                    interface,
                    index,
                    room,
                    written,
                    bytes.cast(),
                );
            }
        })
    }

    /// A property of a resource (`glGetProgramResourceiv`): one value, or a list; `None` if the driver reports an error.
    pub fn resource(&self, interface: u32, index: u32, property: u32) -> Option<Vec<i32>> {
        let mut values = vec![0; 1024];
        let mut length = 0;
        // SAFETY: as described in `lib.rs`.
        unsafe {
            self.context.gl.GetProgramResourceiv(
                self.name,
                interface,
                index,
                1,
                &raw const property,
                i32::try_from(values.len()).unwrap_or(0),
                &raw mut length,
                values.as_mut_ptr(),
            );
        }
        values.truncate(usize::try_from(length).unwrap_or(0));
        self.context.check("query").ok().map(|()| values)
    }
}
