//! The functions `isOk` that a fragment shader compares its outputs with.

use super::types::{DataType, Scalar, Value};

/// Largest error of floats: relative and absolute for scalars and vectors, absolute for matrices.
pub const EPSILON: &str = "0.05";

/// How values come to the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// In their own type.
    Exactly,
    /// Integers and Booleans in floats, from another stage.
    InFloats,
}

/// A function for each type that occurs among the outputs.
pub fn functions(outputs: &[Value], carried: Carried) -> String {
    let mut types: Vec<DataType> = outputs.iter().map(|v| v.ty).collect();
    types.sort();
    types.dedup();
    types.into_iter().map(|ty| function(ty, carried)).collect()
}

fn function(ty: DataType, carried: Carried) -> String {
    if ty.is_matrix() {
        return matrix(ty);
    }
    if ty.is_float() {
        let error = "abs(a - b)";
        let bound = format!("{EPSILON_NAME} * abs(b) + {EPSILON_NAME}");
        let test = match ty.rows {
            1 => format!("{error} <= ({bound})"),
            _ => format!("all(lessThanEqual({error}, {bound}))"),
        };
        return format!("bool isOk({ty} a, {ty} b, float {EPSILON_NAME}) {{ return {test}; }}\n");
    }
    if carried == Carried::Exactly {
        return format!("bool isOk({ty} a, {ty} b) {{ return a == b; }}\n");
    }
    let floats = ty.with_scalar(Scalar::Float);
    let body = match (ty.scalar, ty.rows) {
        (Scalar::Bool, 1) => "return (a > 0.5) == b;".into(),
        (Scalar::Bool, _) => format!("return greaterThan(a, {floats}(0.5)) == b;"),
        (Scalar::Uint, 1) => "float near = a + 0.5; return float(b) <= near && near <= float(b + 1u);".into(),
        (_, 1) => "float near = a + 0.5; return float(b) <= near && near <= float(b + 1);".into(),
        (_, _) => format!("return {ty}(floor(a + 0.5)) == b;"),
    };
    format!("bool isOk({floats} a, {ty} b) {{ {body} }}\n")
}

const EPSILON_NAME: &str = "eps";

fn matrix(ty: DataType) -> String {
    let columns = (0..ty.columns).map(|i| format!("abs(a[{i}] - b[{i}])"));
    let worst = columns.reduce(|all, column| format!("max({all}, {column})")).unwrap_or_default();
    let column = DataType { columns: 1, ..ty };
    format!(
        "bool isOk({ty} a, {ty} b, float {EPSILON_NAME}) \
         {{ return all(lessThanEqual({worst}, {column}({EPSILON_NAME}))); }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::types::Components;
    use super::*;

    fn output(ty: &str) -> Value {
        let ty = DataType::from_name(ty).unwrap();
        Value { name: "o".into(), ty, components: Components::new(ty.scalar) }
    }

    #[test]
    fn a_function_a_type() {
        let text = functions(&[output("int"), output("mat2x3"), output("int")], Carried::Exactly);
        assert_eq!(text.lines().count(), 2);
        assert!(text.contains("bool isOk(int a, int b) { return a == b; }"));
        assert!(text.contains("max(abs(a[0] - b[0]), abs(a[1] - b[1])), vec3(eps)"));
        let text = functions(&[output("ivec2"), output("bvec3"), output("uint")], Carried::InFloats);
        assert!(text.contains("isOk(vec2 a, ivec2 b) { return ivec2(floor(a + 0.5)) == b; }"));
        assert!(text.contains("greaterThan(a, vec3(0.5)) == b"));
        assert!(text.contains("isOk(float a, uint b)"));
    }
}
