//! The shader that functions, blocks and instructions of Python belong to.

use crate::diagnostic::InternalError;
use airfoil::Shader;
use airfoil::ir::{Body, FuncId};
use pyo3::exceptions::{PyReferenceError, PyRuntimeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A shader that is looked at, or that a pass edits.
#[derive(Debug)]
pub struct Source(Mutex<Content>);

#[derive(Debug)]
enum Content {
    /// It cannot be edited.
    Frozen(Arc<Shader>),
    /// A pass edits it.
    Open(Box<Shader>),
    /// The pass is over.
    Closed,
}

impl Source {
    /// A shader to look at.
    pub fn frozen(shader: Arc<Shader>) -> Arc<Source> {
        Arc::new(Source(Mutex::new(Content::Frozen(shader))))
    }

    /// A shader to edit, until [`Source::close`] takes it back.
    pub fn open(shader: Shader) -> Arc<Source> {
        Arc::new(Source(Mutex::new(Content::Open(Box::new(shader)))))
    }

    /// The shader after a pass.
    pub fn close(&self) -> Option<Shader> {
        match std::mem::replace(&mut *self.lock(), Content::Closed) {
            Content::Open(shader) => Some(*shader),
            Content::Frozen(_) | Content::Closed => None,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the shader.
    ///
    /// # Errors
    /// The pass is over, or the error of `f`.
    pub fn read<T>(&self, f: impl FnOnce(&Shader) -> PyResult<T>) -> PyResult<T> {
        let content = self.lock();
        let shader = match &*content {
            Content::Frozen(shader) => shader,
            Content::Open(shader) => &**shader,
            Content::Closed => return Err(closed()),
        };
        caught(|| f(shader))
    }

    /// Edits the shader.
    ///
    /// # Errors
    /// The shader is only looked at, the pass is over, or the error of `f`.
    pub fn edit<T>(&self, f: impl FnOnce(&mut Shader) -> PyResult<T>) -> PyResult<T> {
        match &mut *self.lock() {
            Content::Open(shader) => caught(|| f(shader)),
            Content::Frozen(_) => Err(PyRuntimeError::new_err("only a pass can edit a shader")),
            Content::Closed => Err(closed()),
        }
    }

    /// Whether two are the same shader.
    pub fn is_same(self: &Arc<Source>, other: &Arc<Source>) -> bool {
        if Arc::ptr_eq(self, other) {
            return true;
        }
        // Both locks are never held at once.
        let shader = match &*self.lock() {
            Content::Frozen(shader) => shader.clone(),
            _ => return false,
        };
        matches!(&*other.lock(), Content::Frozen(other) if Arc::ptr_eq(&shader, other))
    }
}

fn closed() -> PyErr {
    PyReferenceError::new_err("the pass that this belongs to is over")
}

/// The body of a function.
///
/// # Errors
/// The function was removed.
pub fn body(shader: &Shader, function: FuncId) -> PyResult<&Body> {
    let function = shader.functions.get(function);
    function.map(|f| &f.body).ok_or_else(|| PyReferenceError::new_err("the function was removed"))
}

/// The body of a function, to be edited.
///
/// # Errors
/// The function was removed.
pub fn body_mut(shader: &mut Shader, function: FuncId) -> PyResult<&mut Body> {
    let function = shader.functions.get_mut(function);
    function.map(|f| &mut f.body).ok_or_else(|| PyReferenceError::new_err("the function was removed"))
}

/// Panics of edits become exceptions.
fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(InternalError::new_err("bug of Airfoil: a panic while a shader was edited")))
}
