//! Outputs of the stages before rasterisation as JSON, for pipelines without fragment shader.

use super::numbers;
use airfoil::ir::Scalar;
use airfoil_interp::Values;
use airfoil_interp::run::IoVar;
use serde_json::Value;

/// The vertices of the primitives that were assembled, one per line.
pub fn json(outputs: &[IoVar], vertices: &[Values]) -> String {
    let mut out = String::from("{\n  \"vertices\": [");
    for (i, values) in vertices.iter().enumerate() {
        out.push_str(if i == 0 { "\n    {" } else { ",\n    {" });
        for (n, output) in outputs.iter().enumerate() {
            out.push_str(if n == 0 { "" } else { ", " });
            out.push_str(&Value::from(title(output)).to_string());
            out.push_str(": ");
            print(&mut out, output, values);
        }
        out.push('}');
    }
    out + if vertices.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" }
}

fn title(output: &IoVar) -> String {
    match (&*output.name, output.slot.as_generic()) {
        ("", Some(n)) => n.to_string(),
        ("", None) => output.slot.to_string(),
        (name, _) => name.to_string(),
    }
}

/// A value: a number, a vector, or the columns and elements of something longer. Components that were not written are
/// null.
fn print(out: &mut String, output: &IoVar, values: &Values) {
    let wide = output.scalar.bits() == 64;
    let step = if wide && output.comps > 2 { 2 } else { 1 };
    let scalar = if output.scalar == Scalar::Any { Scalar::Float32 } else { output.scalar };
    let columns = if output.compact { output.num_slots.max(1) } else { output.num_slots / step };
    let list = |out: &mut String, n: u32, item: &dyn Fn(&mut String, u32)| {
        if n == 1 {
            return item(out, 0);
        }
        out.push('[');
        for i in 0..n {
            out.push_str(if i == 0 { "" } else { ", " });
            item(out, i);
        }
        out.push(']');
    };
    list(out, columns, &|out, column| {
        list(out, u32::from(output.comps), &|out, c| {
            let at = output.component + if wide { c * 2 } else { c };
            let slot = output.slot.offset(column * step + at / 4);
            let bits = slot.and_then(|slot| match wide {
                true => values.wide(slot, at % 4),
                false => values.get(slot, at % 4).map(u64::from),
            });
            match bits {
                Some(bits) => numbers::print(out, scalar, bits),
                None => out.push_str("null"),
            }
        });
    });
}
