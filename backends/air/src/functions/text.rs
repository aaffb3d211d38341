//! Signatures of `air.*` functions as LLVM assembly, by version of AIR.

use super::signature::version_of;
use super::{AirFunction, TypeWord};
use crate::target::AirVersion;

impl AirFunction {
    /// The signatures that the table states, each with the first version of AIR that has it.
    ///
    /// ```
    /// use airfoil_air::functions::AirFunction;
    /// let read = AirFunction::parse("air.read_texture_2d.v4f32").unwrap();
    /// let found: Vec<String> = read.signatures().into_iter().map(|(since, text)| format!("{since}: {text}")).collect();
    /// assert_eq!(
    ///     found,
    ///     [
    ///         "1.0: { <4 x float>, i8 } (%struct._texture_2d_t addrspace(1)*, <2 x i32>, i32, i32)",
    ///         "2.8: { <4 x float>, i8 } (%struct._texture_2d_t addrspace(1)*, %struct._sampler_t addrspace(2)*, \
    ///          <2 x i32>, <2 x i32>, i32, i32)",
    ///     ]
    /// );
    /// ```
    pub fn signatures(&self) -> Vec<(AirVersion, String)> {
        let info = self.base.info();
        let mut versions = vec![info.since];
        let marks = info.signature.split('[').skip(1).filter_map(|rest| rest.split(']').next());
        versions.extend(marks.map(version_of));
        versions.retain(|&version| version >= info.since);
        versions.sort_unstable();
        versions.dedup();
        let mut list: Vec<(AirVersion, String)> = Vec::new();
        for version in versions {
            for alternative in info.signature.split(" | ") {
                let (result, operands) = self.types(alternative, version);
                let operands: Vec<String> = operands.iter().map(|word| self.type_text(word)).collect();
                let text = format!("{} ({})", self.type_text(result), operands.join(", "));
                if list.iter().all(|(_, earlier)| *earlier != text) {
                    list.push((version, text));
                }
            }
        }
        list
    }

    /// A type of the signature as LLVM assembly.
    fn type_text(&self, word: &str) -> String {
        if let Some(ty) = self.number_of(word) {
            return ty.map_or_else(|| "?".to_owned(), number_text);
        }
        if let Some((handle, space)) = self.handle_of(word) {
            return format!("%{handle} addrspace({space})*");
        }
        if let Some(fields) = word.strip_prefix('{').and_then(|w| w.strip_suffix('}')) {
            let fields: Vec<String> = fields.split(',').map(|field| self.type_text(field)).collect();
            return format!("{{ {} }}", fields.join(", "));
        }
        match word.strip_prefix('*').and_then(|w| w.split_once(':')) {
            Some((pointee, at)) => match self.space_of(at) {
                Some(0) | None => format!("{}*", self.type_text(pointee)),
                Some(space) => format!("{} addrspace({space})*", self.type_text(pointee)),
            },
            None => word.to_owned(),
        }
    }
}

/// A scalar or vector type as LLVM assembly.
fn number_text(word: TypeWord) -> String {
    let scalar = match (word.float, word.bits) {
        (true, 16) => "half".to_owned(),
        (true, 64) => "double".to_owned(),
        (true, _) => "float".to_owned(),
        (false, bits) => format!("i{bits}"),
    };
    match word.lanes {
        1 => scalar,
        lanes => format!("<{lanes} x {scalar}>"),
    }
}
