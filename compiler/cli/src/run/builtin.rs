//! `--builtin NAME=VALUE`: system values that all invocations share.

use super::given::Pair;
use airfoil::Diagnostic;
use airfoil::ir::SystemValue;
use airfoil_interp::System;

/// The system values that options give.
pub fn system(pairs: &[Pair]) -> Result<System, Diagnostic> {
    let mut system = System::new();
    for pair in pairs {
        let Some(sv) = SystemValue::from_name(&ir_name(&pair.name)) else {
            let names: Vec<&str> = SystemValue::ALL.iter().map(|sv| sv.name()).collect();
            return Err(Diagnostic::error("E0040", format!("there is no built-in input `{}`", pair.name))
                .help(format!("one of {}", names.join(", "))));
        };
        let mut bits = [0; 4];
        let parts: Vec<&str> = pair.text.split(',').map(str::trim).collect();
        let wrong = || {
            Diagnostic::error("E0040", format!("`{}`: `{}` is not a value", pair.name, pair.text))
                .help("whole numbers, numbers with a point, true or false; commas between components")
        };
        if parts.len() > 4 {
            return Err(wrong());
        }
        for (to, part) in bits.iter_mut().zip(parts) {
            *to = match part {
                "true" => 1,
                "false" => 0,
                _ if part.contains('.') => {
                    part.parse::<f32>().map(|x| u64::from(x.to_bits())).map_err(|_| wrong())?
                }
                _ => part.parse::<i64>().map(|n| n as u64 & 0xffff_ffff).map_err(|_| wrong())?,
            };
        }
        system.set(sv, bits);
    }
    Ok(system)
}

/// `gl_InstanceID` is `instance_id`; `gl_WorkGroupID` is `workgroup_id`.
fn ir_name(name: &str) -> String {
    let Some(name) = name.strip_prefix("gl_") else { return name.to_string() };
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = c.is_ascii_lowercase();
        out.push(c.to_ascii_lowercase());
    }
    out.replace("work_group", "workgroup").replace("sub_group", "subgroup").replace("local_group", "local")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(name: &str, text: &str, sv: SystemValue) -> Option<[u64; 4]> {
        system(&[Pair { name: name.into(), text: text.into() }]).ok()?.get(sv)
    }

    #[test]
    fn names_of_both_kinds() {
        assert_eq!(get("gl_InstanceID", "3", SystemValue::instance_id), Some([3, 0, 0, 0]));
        assert_eq!(get("gl_WorkGroupID", "1,2,3", SystemValue::workgroup_id), Some([1, 2, 3, 0]));
        assert_eq!(get("draw_id", "-1", SystemValue::draw_id), Some([0xffff_ffff, 0, 0, 0]));
        assert_eq!(get("gl_FrontFacing", "true", SystemValue::front_face), None);
        assert_eq!(get("front_face", "true", SystemValue::front_face), Some([1, 0, 0, 0]));
        assert_eq!(get("draw_id", "x", SystemValue::draw_id), None);
    }
}
