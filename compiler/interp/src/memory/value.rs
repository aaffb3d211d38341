//! Values of registers, and pointers as values.

/// Index of the object for memory at addresses.
pub(crate) const GLOBAL: u32 = u32::MAX;

/// Components of a value with a mask of those that are undefined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Value {
    pub(crate) bits: [u64; 4],
    pub(crate) undef: u8,
}

impl Value {
    pub(crate) fn scalar(bits: u64) -> Value {
        Value { bits: [bits, 0, 0, 0], undef: 0 }
    }
}

/// A location in memory: the value of a deref.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer {
    /// The object, or the first one of an array of objects.
    pub(crate) object: u32,
    /// Elements into an array of objects.
    pub(crate) element: u32,
    /// Byte offset.
    pub(crate) offset: u64,
    /// Bytes between components; 0 = their size.
    pub(crate) stride: u32,
    /// An index was undefined or out of range.
    pub(crate) wild: bool,
}

impl Pointer {
    pub(crate) fn new(object: u32) -> Pointer {
        Pointer { object, element: 0, offset: 0, stride: 0, wild: false }
    }

    pub(crate) fn to_value(self) -> Value {
        let bits = [u64::from(self.object), u64::from(self.element), self.offset, u64::from(self.stride)];
        Value { bits, undef: u8::from(self.wild) }
    }

    pub(crate) fn of(v: Value) -> Pointer {
        let [object, element, offset, stride] = v.bits;
        let (object, element, stride) = (object as u32, element as u32, stride as u32);
        Pointer { object, element, offset, stride, wild: v.undef != 0 }
    }

    /// The object after all steps.
    pub(crate) fn target(&self) -> u32 {
        if self.object == GLOBAL { GLOBAL } else { self.object + self.element }
    }
}
