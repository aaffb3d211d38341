//! Why a shader was not executed to its end.

use std::fmt;

/// The reason why a shader was not executed to its end.
///
/// # Examples
///
/// ```
/// use airfoil_interp::run::Vertex;
/// use airfoil_interp::{Config, Program, Resources, System};
///
/// let shader = airfoil_ir::text::parse(r#"foil 1
/// shader vertex "main" {
///   form slots
///   file "tri.vert"
///   fn main { %i = load_vertex_id @0:3 }
/// }"#).unwrap();
/// let mut program = Program::new(&shader, Config::default())?;
/// let fault = program.vertex(&mut Resources::new(), &System::new(), &[Vertex::default()]).unwrap_err();
/// assert_eq!(fault.line, Some(("tri.vert".into(), 3)));
/// assert!(fault.to_string().starts_with("tri.vert:3: "));
/// assert!(fault.message.contains("`vertex_id` was not given"));
/// # Ok::<(), airfoil_interp::Fault>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// The message.
    pub message: String,
    /// The instruction in text, if it happened at one.
    pub instruction: Option<Box<str>>,
    /// Source file (empty if unnamed) and line, if they are known.
    pub line: Option<(Box<str>, u32)>,
}

/// Kinds of faults.
///
/// # Examples
///
/// ```
/// use airfoil_interp::{FaultKind, Options, execute};
///
/// let kind = |code: &str| {
///     let text = format!("foil 1\nshader vertex \"v\" {{ fn main {{\n{code}\n}} }}");
///     let shader = airfoil_ir::text::parse(&text).unwrap();
///     execute(&shader, &Options::default()).unwrap_err().kind
/// };
/// assert_eq!(kind("loop { }"), FaultKind::Steps);
/// // A branch needs a defined condition; other uses only make their results undefined.
/// assert_eq!(kind("1x1 %u = undef\nif %u { return }"), FaultKind::Undefined);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Not supported by the interpreter.
    Unsupported,
    /// Execution takes more steps than allowed.
    Steps,
    /// Undefined behaviour: a branch on an undefined value, an access out of bounds, a barrier that not all
    /// invocations reach.
    Undefined,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.line {
            write!(f, "{file}{}{line}: ", if file.is_empty() { "line " } else { ":" })?;
        }
        f.write_str(&self.message)?;
        match &self.instruction {
            Some(instruction) => write!(f, ", in `{instruction}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

impl Fault {
    pub(crate) fn unsupported(message: impl Into<String>) -> Fault {
        Fault { kind: FaultKind::Unsupported, message: message.into(), instruction: None, line: None }
    }

    pub(crate) fn undefined(message: impl Into<String>) -> Fault {
        Fault { kind: FaultKind::Undefined, message: message.into(), instruction: None, line: None }
    }
}
