//! Floats of 64 bits by integers: the arithmetic of [`lower_doubles`](crate::lower::lower_doubles), one concept per
//! file.
//!
//! Everything is straight-line code on vectors of any size. Results are those of IEEE 754-2008 rounded to the nearest,
//! ties to even, with denormals, infinities and signed zeros; a NaN that is computed is the positive quiet one.
//!
//! Addition, rounding and the sticky bit for lost bits follow Hauser's Berkeley SoftFloat; quotients and roots come
//! from reciprocals by Newton's method in fixed point (Markstein, "Software division and square root using
//! Goldschmidt's algorithms") whose last bit is corrected by the exact remainder.
//!
//! * [`code`]: how expressions are written. [`format`]: parts of floats, rounding.
//! * [`add`], [`mul`], [`div`], [`sqrt`], [`fma`], [`rem`]: arithmetic. [`compare`]: comparisons, minimum and maximum.
//! * [`integral`]: rounding to integral values. [`scale`]: exponents. [`convert`]: to and from other types.

pub(crate) mod add;
pub(crate) mod code;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod div;
pub(crate) mod fma;
pub(crate) mod format;
pub(crate) mod integral;
pub(crate) mod mul;
pub(crate) mod rem;
pub(crate) mod scale;
pub(crate) mod sqrt;
mod wide;
