//! Checks and combines lists of qualifiers: order, repetition, contradiction (GLSL 4.60 section 4.11, before 4.20: 4.7).

use super::Checker;
use super::layout::GivenLayout;
use super::precision::precision_of_word;
use crate::extension::Ext;
use crate::hir::Memory;
use crate::source::Span;
use crate::syntax::{Ident, Qualifier, QualifierKind};
use crate::token::Tok;
use crate::version::Avail;
use airfoil_ir::{Interpolation, Precision, Sampling};

/// Versions in which qualifiers may have any order.
const ANY_ORDER: Avail = Avail::since(420, 310).or(&[Ext::ARB_shading_language_420pack]);

/// A list of qualifiers, combined.
#[derive(Debug, Default)]
pub(crate) struct Given<'a> {
    /// Storage other than `const`.
    pub(crate) storage: Option<(Tok, Span)>,
    /// `const`.
    pub(crate) constant: Option<Span>,
    /// `flat` and so on.
    pub(crate) interpolation: Option<(Interpolation, Span)>,
    /// `centroid` or `sample`.
    pub(crate) sampling: Option<(Sampling, Span)>,
    /// `patch`.
    pub(crate) patch: Option<Span>,
    /// Precision.
    pub(crate) precision: Option<(Precision, Span)>,
    /// `invariant`.
    pub(crate) invariant: Option<Span>,
    /// `precise`.
    pub(crate) precise: Option<Span>,
    /// Memory qualifiers.
    pub(crate) memory: Memory,
    /// Where the first of them is.
    pub(crate) memory_span: Option<Span>,
    /// `subroutine`, with its list.
    pub(crate) subroutine: Option<(&'a [Ident], bool, Span)>,
    /// `layout(...)`.
    pub(crate) layout: GivenLayout,
    /// The first qualifier to the last.
    pub(crate) span: Span,
}

/// Position of a qualifier in the order before GLSL 4.20.
fn rank(kind: &QualifierKind<'_>) -> Option<u8> {
    Some(match kind {
        QualifierKind::Layout(_) => 2,
        QualifierKind::Subroutine(_) => return None,
        QualifierKind::Word(word) => match word {
            Tok::Precise => 0,
            Tok::Invariant => 1,
            Tok::Flat | Tok::Smooth | Tok::Noperspective | Tok::Pervertex => 2,
            Tok::Centroid | Tok::Sample | Tok::Patch => 3,
            Tok::Const => 4,
            Tok::In
            | Tok::Out
            | Tok::Inout
            | Tok::Attribute
            | Tok::Varying
            | Tok::Uniform
            | Tok::Buffer
            | Tok::Shared => 5,
            Tok::Lowp | Tok::Mediump | Tok::Highp => 6,
            _ => return None,
        },
    })
}

impl Checker<'_> {
    /// Reads a list of qualifiers.
    pub(crate) fn read_qualifiers<'a>(&mut self, list: &[Qualifier<'a>]) -> Given<'a> {
        let mut given = Given::default();
        let (Some(first), Some(last)) = (list.first(), list.last()) else { return given };
        given.span = first.span.to(last.span);
        if !self.lang.has(&ANY_ORDER) && list.len() > 1 {
            self.check_order(list);
        }
        let mut layouts = 0;
        for q in list {
            match q.kind {
                QualifierKind::Layout(ids) => {
                    layouts += 1;
                    if layouts == 2 && !self.lang.has(&ANY_ORDER) {
                        let message = "more than one layout qualifier needs GLSL 4.20, GLSL ES 3.10 or GL_ARB_shading_language_420pack";
                        self.error(q.span, "E1006", message);
                    }
                    self.read_layout(ids, q.span, &mut given.layout);
                }
                QualifierKind::Subroutine(names) => given.subroutine = Some((names, true, q.span)),
                QualifierKind::Word(word) => self.read_word(word, q.span, &mut given),
            }
        }
        given
    }

    /// The order before GLSL 4.20 and ES 3.10.
    fn check_order(&mut self, list: &[Qualifier<'_>]) {
        let mut highest = 0;
        // GL_EXT_gpu_shader4 has interpolation qualifiers and centroid in any order.
        let mixed = self.lang.ext(Ext::EXT_gpu_shader4);
        for q in list {
            let Some(rank) = rank(&q.kind) else { continue };
            let rank = if mixed && rank == 3 { 2 } else { rank };
            let is_layout = matches!(q.kind, QualifierKind::Layout(_));
            if rank < highest {
                let what = match q.kind {
                    QualifierKind::Layout(_) => "layout",
                    QualifierKind::Subroutine(_) => "subroutine",
                    QualifierKind::Word(word) => word.text(),
                };
                let message = format!(
                    "{what} is misplaced: the order is invariant, interpolation, storage, precision before GLSL 4.20 and GLSL ES 3.10 (GLSL 3.30 section 4.7)"
                );
                self.error(q.span, "E1006", message);
                return;
            }
            // A layout may come before or after invariant and interpolation.
            if !is_layout {
                highest = rank;
            }
        }
    }

    fn twice(&mut self, word: Tok, span: Span) {
        let message = format!(
            "{} is duplicated, or contradicts another qualifier (GLSL 4.60 section 4.3)",
            word.text()
        );
        self.error(span, "E1006", message);
    }

    fn read_word(&mut self, word: Tok, span: Span, given: &mut Given<'_>) {
        let repeated = match word {
            Tok::Const => given.constant.replace(span).is_some(),
            Tok::Flat => set(&mut given.interpolation, Interpolation::Flat, span),
            Tok::Smooth => set(&mut given.interpolation, Interpolation::Smooth, span),
            Tok::Noperspective => set(&mut given.interpolation, Interpolation::NoPerspective, span),
            Tok::Pervertex => set(&mut given.interpolation, Interpolation::PerVertex, span),
            Tok::Centroid => set(&mut given.sampling, Sampling::Centroid, span) || given.patch.is_some(),
            Tok::Sample => set(&mut given.sampling, Sampling::Sample, span) || given.patch.is_some(),
            Tok::Patch => given.patch.replace(span).is_some() || given.sampling.is_some(),
            Tok::Lowp | Tok::Mediump | Tok::Highp => {
                given.precision.replace((precision_of_word(word), span)).is_some()
            }
            Tok::Invariant => given.invariant.replace(span).is_some(),
            Tok::Precise => given.precise.replace(span).is_some(),
            Tok::Subroutine => given.subroutine.replace((&[], false, span)).is_some(),
            Tok::In
            | Tok::Out
            | Tok::Inout
            | Tok::Attribute
            | Tok::Varying
            | Tok::Uniform
            | Tok::Buffer
            | Tok::Shared => match given.storage.replace((word, span)) {
                // `varying in` and `varying out` of GL_EXT_gpu_shader4.
                Some((Tok::Varying, _)) if self.lang.ext(Ext::EXT_gpu_shader4) => {
                    !matches!(word, Tok::In | Tok::Out)
                }
                old => old.is_some(),
            },
            Tok::Nonuniform => {
                given.memory |= Memory::NON_UNIFORM;
                false
            }
            Tok::Perprimitive | Tok::TaskPayloadShared => {
                self.error(
                    span,
                    "E1006",
                    format!("{} is for mesh shaders, which are not supported", word.text()),
                );
                false
            }
            _ => {
                let memory = match word {
                    Tok::Volatile => Memory::VOLATILE,
                    Tok::Restrict => Memory::RESTRICT,
                    Tok::Readonly => Memory::READONLY,
                    Tok::Writeonly => Memory::WRITEONLY,
                    // Narrower forms of coherence (GL_KHR_memory_scope_semantics) require no more than `coherent`.
                    Tok::Coherent
                    | Tok::Devicecoherent
                    | Tok::Queuefamilycoherent
                    | Tok::Workgroupcoherent
                    | Tok::Subgroupcoherent => Memory::COHERENT,
                    _ => Memory::empty(),
                };
                given.memory |= memory;
                given.memory_span.get_or_insert(span);
                false
            }
        };
        if repeated {
            self.twice(word, span);
        }
    }

    /// Reports every qualifier but precision.
    pub(crate) fn only_precision(&mut self, given: &Given<'_>, what: &str) {
        let wrong = given
            .storage
            .map(|s| s.1)
            .or(given.constant)
            .or(given.interpolation.map(|i| i.1))
            .or(given.sampling.map(|s| s.1))
            .or(given.patch)
            .or(given.invariant)
            .or(given.precise)
            .or(given.memory_span)
            .or(given.subroutine.map(|s| s.2))
            .or(given.layout.span());
        if let Some(span) = wrong {
            let message = format!("{what} can have a precision qualifier only (GLSL 4.60 section 4.1.8)");
            self.error(span, "E1006", message);
        }
    }
}

fn set<T>(place: &mut Option<(T, Span)>, value: T, span: Span) -> bool {
    place.replace((value, span)).is_some()
}
