//! Sizes of types in memory, by AIR's data layout.

use crate::module::{Module, Type, TypeId};

/// Deepest nesting of types that is measured; types are shared, so that nesting is not bounded by the size of the module.
const MAX_DEPTH: u32 = 64;

/// Size and alignment of a type in bytes.
pub(super) fn layout(m: &Module, ty: TypeId) -> (u64, u64) {
    measure(m, ty, 0)
}

fn measure(m: &Module, ty: TypeId, depth: u32) -> (u64, u64) {
    if depth > MAX_DEPTH {
        return (0, 1);
    }
    let types = m.types();
    match types.get(ty) {
        Type::Pointer { .. } => (8, 8),
        Type::Array { elem, len } => {
            let (size, align) = measure(m, elem, depth + 1);
            (size.saturating_mul(u64::from(len)), align)
        }
        Type::Struct { fields, packed } | Type::Named { fields, packed, .. } => {
            let (mut end, mut most) = (0u64, 1);
            for &field in types.list(fields) {
                let (size, align) = measure(m, field, depth + 1);
                let align = if packed { 1 } else { align };
                end = end.next_multiple_of(align).saturating_add(size);
                most = most.max(align);
            }
            (end.checked_next_multiple_of(most).unwrap_or(end), most)
        }
        _ => {
            // Vectors of three take the room of four.
            let bytes = u64::from(types.bits(ty)).div_ceil(8).next_power_of_two().max(1);
            (bytes, bytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::layout;
    use crate::module::{Module, TypeId};

    #[test]
    fn sizes_follow_the_data_layout() {
        let mut m = Module::new("m", "");
        let float3 = m.vector(TypeId::FLOAT, 3);
        let inner = m.structure(&[TypeId::I8, float3, TypeId::I16], false);
        let packed = m.structure(&[TypeId::I8, TypeId::I32], true);
        let array = m.array(inner, 3);
        assert_eq!(layout(&m, float3), (16, 16));
        assert_eq!(layout(&m, inner), (48, 16));
        assert_eq!(layout(&m, packed), (5, 1));
        assert_eq!(layout(&m, array), (144, 16));
        assert_eq!(layout(&m, TypeId::I1), (1, 1));
    }
}
