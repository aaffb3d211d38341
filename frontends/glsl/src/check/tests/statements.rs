//! Rules of statements: each row is accepted, or rejected with a message that contains the given text.

use super::verdicts;
use airfoil_ir::Stage;

#[test]
fn conditions_are_booleans() {
    verdicts(
        Stage::Fragment,
        "330",
        &[
            ("void main() { if (1) ; }", "must be a scalar bool, not int"),
            ("void main() { if (bvec2(true)) ; }", "must be a scalar bool"),
            ("void main() { while (1.0) ; }", "must be a scalar bool"),
            ("void main() { do ; while (1); }", "must be a scalar bool"),
            ("void main() { for (;1;) ; }", "must be a scalar bool"),
            (
                "void main() { for (int i = 0; i < 3; ++i) ; for (;;) break; while (bool b = true) break; }",
                "",
            ),
        ],
    );
}

#[test]
fn scopes() {
    verdicts(
        Stage::Fragment,
        "330",
        &[
            ("void main() { { int a; } a = 1; }", "not declared"),
            ("void main() { if (true) int a = 1; a = 1; }", "not declared"),
            ("void main() { for (int i = 0; i < 3; i++) { i = 2; } { int i; } }", ""),
            ("void main() { for (int i = 0; i < 3; i++) { int i; } }", "i is declared twice"),
            ("void f(int a) { int a; } void main() {}", "a is declared twice"),
            ("void f(int a) { { int a; } } void main() {}", ""),
            ("void f(int a, int a) { } void main() {}", "`a`"),
        ],
    );
}

#[test]
fn jumps() {
    verdicts(
        Stage::Vertex,
        "330",
        &[
            ("void main() { break; }", "`break` outside of a loop"),
            ("void main() { continue; }", "`continue` outside of a loop"),
            ("void main() { switch (1) { case 1: continue; } }", "`continue` outside of a loop"),
            ("void main() { for (;;) switch (1) { case 1: continue; } }", ""),
            ("void main() { discard; }", "fragment shaders only"),
            ("float f() { return; } void main() {}", "without a value"),
            ("void f() { return 1.0; } void main() {}", "in a void function"),
            ("float f() { return 1; } void main() {}", "gives float returns int"),
            ("float f() { return vec2(1); } void main() {}", "gives float returns vec2"),
        ],
    );
    verdicts(Stage::Fragment, "420", &[("float f() { return 1; } void main() { discard; }", "")]);
}

#[test]
fn switches() {
    verdicts(
        Stage::Fragment,
        "330",
        &[
            ("void main() { switch (1) { } }", ""),
            ("void main() { switch (1) { case 1: case 2: break; default: discard; } }", ""),
            ("void main() { switch (1.0) { } }", "must be an int or uint"),
            ("void main() { switch (1) { case 1: case 1: break; } }", "are equal"),
            ("void main() { switch (1) { case 1u: break; } }", "the label is uint"),
            ("void main() { int a; switch (1) { case a: break; } }", "constant int or uint"),
            ("void main() { switch (1) { discard; case 1: break; } }", "precedes the first label"),
            ("void main() { switch (1) { default: default: break; } }", "one `default`"),
            ("void main() { switch (1) { case 1: { case 2: break; } } }", "directly in a switch"),
            ("void main() { switch (1) { case 1: } }", "after the last label"),
            ("void main() { case 1: ; }", "directly in a switch"),
        ],
    );
    verdicts(Stage::Fragment, "450", &[("void main() { switch (1) { case 1u: } }", "")]);
    verdicts(Stage::Fragment, "120", &[("void main() { switch (1) { } }", "")].map(|(s, _)| (s, "switch")));
}
