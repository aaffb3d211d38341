//! The table of `air.*` functions against declarations in modules of Apple's compiler.

use airfoil_air::functions::{AirFunction, SignatureError};
use airfoil_air::module::{Module, TypeId};
use airfoil_air::target::AirVersion;

/// The type at the start of a text in LLVM's notation, and the rest.
fn parse_type<'t>(m: &mut Module, text: &'t str) -> (TypeId, &'t str) {
    let text = text.trim_start();
    let scalars = [
        ("void", TypeId::VOID),
        ("half", TypeId::HALF),
        ("float", TypeId::FLOAT),
        ("i16", TypeId::I16),
        ("i1", TypeId::I1),
        ("i8", TypeId::I8),
        ("i32", TypeId::I32),
        ("i64", TypeId::I64),
    ];
    let (mut ty, mut rest) = if let Some(vector) = text.strip_prefix('<') {
        let (len, elem) = vector.split_once(" x ").unwrap();
        let (elem, rest) = parse_type(m, elem);
        (m.vector(elem, len.parse().unwrap()), rest.strip_prefix('>').unwrap())
    } else if let Some(members) = text.strip_prefix('{') {
        let (mut fields, mut rest) = (Vec::new(), members);
        loop {
            let (field, after) = parse_type(m, rest);
            fields.push(field);
            rest = after.trim_start();
            match rest.strip_prefix(',') {
                Some(after) => rest = after,
                None => break (m.structure(&fields, false), rest.strip_prefix('}').unwrap()),
            }
        }
    } else if let Some(name) = text.strip_prefix('%') {
        let (name, rest) = name.split_at(name.find([' ', '*', ',', ')']).unwrap());
        (m.opaque(name), rest)
    } else {
        let (word, ty) = scalars.iter().find(|s| text.starts_with(s.0)).unwrap_or_else(|| panic!("{text}"));
        (*ty, &text[word.len()..])
    };
    loop {
        let space = rest.strip_prefix(" addrspace(").and_then(|r| r.split_once(')'));
        let (space, after) = space.map_or((0, rest), |(n, after)| (n.parse().unwrap(), after));
        match after.strip_prefix('*') {
            Some(after) => (ty, rest) = (m.pointer(ty, space), after),
            None => return (ty, rest),
        }
    }
}

/// Result, name and parameters of a declaration.
fn parse<'t>(m: &mut Module, line: &'t str) -> (TypeId, &'t str, Vec<TypeId>) {
    let (ret, rest) = parse_type(m, line);
    let (name, mut rest) = rest.trim().split_once('(').unwrap();
    let mut params = Vec::new();
    while !rest.starts_with(')') {
        let (ty, after) = parse_type(m, rest);
        params.push(ty);
        rest = after.trim_start_matches([',', ' ']);
    }
    (ret, name, params)
}

#[test]
fn declarations_of_apples_compiler_match() {
    let lines = include_str!("data/declarations.txt").lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let mut m = Module::new("test", "air64-apple-macosx26.0.0");
        let (ret, name, params) = parse(&mut m, line);
        let function = AirFunction::parse(name).unwrap_or_else(|| panic!("no row for `{name}`"));
        assert_eq!(function.to_string(), name);
        // The modules are of several versions.
        let versions = [(1, 8), (2, 7), (2, 8), (2, 9)].map(|(major, minor)| AirVersion::new(major, minor));
        let found = versions.map(|version| function.check(&m, ret, &params, version));
        assert!(found.contains(&Ok(())), "`{line}`: {}", found[3].unwrap_err());
        count += 1;
    }
    assert!(count > 340, "only {count} declarations");
}

#[test]
fn other_types_are_rejected() {
    let check = |line: &str, version: (u16, u16)| {
        let mut m = Module::new("test", "air64-apple-macosx26.0.0");
        let (ret, name, params) = parse(&mut m, line);
        let function = AirFunction::parse(name).unwrap();
        function.check(&m, ret, &params, AirVersion::new(version.0, version.1))
    };
    assert_eq!(check("float air.fabs.f32(float)", (2, 0)), Ok(()));
    assert_eq!(check("float air.fabs.f32(float, float)", (2, 0)), Err(SignatureError::Types("T(T)")));
    assert_eq!(check("half air.fabs.f32(float)", (2, 0)), Err(SignatureError::Types("T(T)")));
    assert_eq!(check("i32 air.clz.i32(i32, i1)", (2, 0)), Ok(()));
    assert_eq!(check("i32 air.clz.i32(i32)", (2, 0)), Err(SignatureError::Types("T(T, i1)")));
    let fence = "void air.atomic.fence(i32, i32, i32)";
    assert_eq!(check(fence, (2, 6)), Err(SignatureError::Version(AirVersion::new(2, 7))));
    assert_eq!(check(fence, (2, 7)), Ok(()));
    // From AIR 2.8 on, reads take a sampler and an offset.
    let old = "{ <4 x float>, i8 } air.read_texture_2d.v4f32(%struct._texture_2d_t addrspace(1)*, <2 x i32>, i32, i32)";
    assert_eq!(check(old, (2, 7)), Ok(()));
    assert!(check(old, (2, 8)).is_err());
    let add = "i32 air.atomic.global.add.u.i32(i32 addrspace(3)*, i32, i32, i32, i1)";
    assert!(check(add, (2, 5)).is_err());
}
