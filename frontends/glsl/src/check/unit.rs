//! Checks a whole shader: its declarations in order, then the rules that apply to the whole shader.

use super::Checker;
use super::layout_table::{COMPUTE_SHADER, GEOMETRY as GEOMETRY_SHADERS};
use super::state::State;
use crate::diagnostics::Diagnostics;
use crate::extension::ExtSet;
use crate::hir::{Expr, ExprKind, FuncId, Storage, Unit, VarId};
use crate::limits::Limits;
use crate::preprocess::Pragmas;
use crate::source::{LineMap, Span};
use crate::syntax::{Item, TranslationUnit};
use crate::token::Interner;
use crate::types::Type;
use crate::version::{Language, Version};
use airfoil_ir::Stage;
use rustc_hash::FxHashSet;

/// The results of the preprocessor that the checker needs besides the syntax tree.
#[derive(Clone, Debug)]
pub struct Source {
    /// Stage.
    pub stage: Stage,
    /// Version and profile.
    pub version: Version,
    /// GLSL for Vulkan.
    pub vulkan: bool,
    /// Extensions that are enabled somewhere.
    pub extensions: ExtSet,
    /// Names.
    pub names: Interner,
    /// Source locations.
    pub lines: LineMap,
    /// Settings of `#pragma` directives.
    pub pragmas: Pragmas,
    /// Whether the limits of GLSL ES 1.00 appendix A apply.
    pub enforce_es100_limits: bool,
    /// Values of specialization constants: number and bits.
    pub spec: Vec<(u32, u64)>,
    /// Specialization constants that stay open, by their IDs.
    pub open: Vec<u32>,
    /// Stops the step.
    pub stop: airfoil_ir::Stop,
}

/// Checks a shader. The unit is fit for linking only if the diagnostics hold no error.
pub fn check(source: Source, tree: &TranslationUnit<'_>, limits: &Limits) -> (Unit, Diagnostics) {
    let lang = Language {
        version: source.version,
        stage: source.stage,
        extensions: source.extensions,
        vulkan: source.vulkan,
    };
    let unit = Unit {
        vulkan: source.vulkan,
        extensions: source.extensions,
        names: source.names,
        lines: source.lines,
        height: tree.height,
        ..Unit::new(source.stage, source.version)
    };
    let mut checker = Checker {
        unit,
        lang,
        limits,
        pragmas: source.pragmas,
        diags: Diagnostics::stopped_by(source.stop),
        scopes: Default::default(),
        function: None,
        loops: 0,
        switches: 0,
        exprs: Default::default(),
        state: State {
            es100_limits: source.enforce_es100_limits,
            spec: source.spec,
            open: source.open,
            ..State::default()
        },
    };
    checker.check_stage();
    checker.initial_precisions();
    for item in tree.items {
        if checker.diags.full() {
            break;
        }
        match item {
            Item::Declaration(declaration) => checker.global_declaration(declaration),
            Item::Function(prototype, body) => checker.function_definition(prototype, body),
            Item::Empty(_) => {}
        }
    }
    checker.finish();
    (checker.unit, checker.diags)
}

impl Checker<'_> {
    /// Checks that the version has shaders of the stage, itself or by an extension. Drivers accept tessellation shaders
    /// of any version.
    fn check_stage(&mut self) {
        let (avail, what) = match self.lang.stage {
            Stage::Geometry => (&GEOMETRY_SHADERS, "geometry"),
            Stage::Compute => (&COMPUTE_SHADER, "compute"),
            _ => return,
        };
        if !self.lang.has(avail) && !self.lang.vulkan {
            let message = format!("{} has no {what} shaders without an extension", self.lang.version);
            self.error(Span::default(), "E1001", message);
        }
    }

    fn finish(&mut self) {
        self.check_captures();
        self.check_subroutine_overloads();
        self.check_color_outputs();
        self.check_stage_layout();
        self.static_use();
        self.check_recursion();
        self.size_arrays();
    }

    /// A function with subroutine types has no overloads (GLSL 4.60 section 6.1.2).
    fn check_subroutine_overloads(&mut self) {
        let found: Vec<_> = self
            .unit
            .functions
            .iter()
            .filter(|f| !f.subroutine_types.is_empty())
            .map(|f| (f.name, f.span))
            .collect();
        for (name, span) in found {
            let overloads = match self.scopes.get(name) {
                Some(super::scope::Name::Functions(list)) => list.len(),
                _ => 1,
            };
            if overloads > 1 {
                let message = format!(
                    "{} is a subroutine and cannot have overloads (GLSL 4.60 section 6.1.2)",
                    self.name(name)
                );
                self.error(span, "E1009", message);
            }
        }
    }

    /// One shader writes one kind of colour outputs (GLSL 4.60 section 7.1.5).
    fn check_color_outputs(&mut self) {
        if self.lang.stage != Stage::Fragment {
            return;
        }
        let mut written: [Option<VarId>; 2] = [None; 2];
        for (i, v) in self.unit.vars.iter().enumerate() {
            if !v.written || v.qualifiers.storage != Storage::Out {
                continue;
            }
            let kind = match &self.unit.names[v.name] {
                "gl_FragColor" | "gl_SecondaryFragColorEXT" => 0,
                "gl_FragData" | "gl_SecondaryFragDataEXT" => 1,
                _ => continue,
            };
            written[kind].get_or_insert(VarId(i as u32));
        }
        if written.contains(&None) {
            return;
        }
        let span = self.unit.main.map_or(Span::default(), |main| self.unit[main].span);
        let message = "only one of gl_FragColor and gl_FragData can be written (GLSL 4.60 section 7.1.5)";
        self.error(span, "E1012", message);
    }

    /// Rules that join several layout declarations.
    fn check_stage_layout(&mut self) {
        let layout = &self.unit.layout;
        let [x, y, z] = layout.local_size.map(|s| s.unwrap_or(1));
        // Sizes by specialization constants are not known here.
        let group = layout.derivative_group.filter(|_| layout.local_size_id == [None; 3]);
        let message = match group {
            Some(false) if x % 2 != 0 || y % 2 != 0 => {
                "derivatives of quads need an even workgroup size in x and y (GL_KHR_compute_shader_derivatives)"
            }
            Some(true) if (u64::from(x) * u64::from(y) * u64::from(z)) % 4 != 0 => {
                "linear derivatives need a workgroup size that is a multiple of 4 (GL_KHR_compute_shader_derivatives)"
            }
            _ if layout.post_depth_coverage && !layout.early_fragment_tests => {
                "post_depth_coverage needs early_fragment_tests (GL_EXT_post_depth_coverage)"
            }
            _ => return,
        };
        self.error(Span::default(), "E1007", message);
    }

    /// Fills in which functions and global variables each function names.
    fn static_use(&mut self) {
        let mut ranges = std::mem::take(&mut self.state.bodies);
        // Initial values of global variables are computed before main.
        if let Some(main) = self.unit.main {
            ranges.extend(self.state.global_exprs.iter().map(|&(a, b)| (main, a, b)));
        }
        let mut var_seen = vec![u32::MAX; self.unit.vars.len()];
        let mut func_seen = vec![u32::MAX; self.unit.functions.len()];
        let mut types_seen = FxHashSet::default();
        for (id, first, last) in ranges {
            let mut calls = std::mem::take(&mut self.unit[id].calls);
            let mut globals = std::mem::take(&mut self.unit[id].globals);
            for expr in &self.unit.exprs[first as usize..last as usize] {
                match expr.kind {
                    ExprKind::Var(var) => {
                        let global = self.unit[var].function.is_none()
                            && !self.unit[var].qualifiers.storage.is_param();
                        if global && var_seen[var.0 as usize] != id.0 {
                            var_seen[var.0 as usize] = id.0;
                            globals.push(var);
                        }
                    }
                    ExprKind::Call(callee, _) if func_seen[callee.0 as usize] != id.0 => {
                        func_seen[callee.0 as usize] = id.0;
                        calls.push(callee);
                    }
                    ExprKind::CallSubroutine(of, _) => {
                        let Some(ty) = self.subroutine_of(&self.unit[of]) else { continue };
                        // Each type is searched once per function: work stays linear in calls.
                        if !types_seen.insert((id, ty)) {
                            continue;
                        }
                        for (i, f) in self.unit.functions.iter().enumerate() {
                            if f.subroutine_types.contains(&ty) && func_seen[i] != id.0 {
                                func_seen[i] = id.0;
                                calls.push(FuncId(i as u32));
                            }
                        }
                    }
                    _ => {}
                }
            }
            let f = &mut self.unit[id];
            f.calls = calls;
            f.globals = globals;
        }
    }

    /// The subroutine type of a callee.
    fn subroutine_of(&self, expr: &Expr) -> Option<FuncId> {
        let mut kind = expr.kind;
        loop {
            match kind {
                ExprKind::Var(var) => return self.unit[var].qualifiers.subroutine,
                ExprKind::Index(of, _) => kind = self.unit[of].kind,
                _ => return None,
            }
        }
    }

    /// Functions do not call themselves, not even through others (GLSL 4.60 section 6.1).
    fn check_recursion(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let n = self.unit.functions.len();
        let mut marks = vec![Mark::New; n];
        let mut recursive = Vec::new();
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for root in 0..n as u32 {
            if marks[root as usize] != Mark::New {
                continue;
            }
            marks[root as usize] = Mark::Open;
            stack.push((root, 0));
            while let Some((f, next)) = stack.last_mut() {
                let f = *f;
                match self.unit.functions[f as usize].calls.get(*next) {
                    None => {
                        marks[f as usize] = Mark::Done;
                        stack.pop();
                    }
                    Some(&callee) => {
                        *next += 1;
                        match marks[callee.0 as usize] {
                            Mark::New => {
                                marks[callee.0 as usize] = Mark::Open;
                                stack.push((callee.0, 0));
                            }
                            Mark::Open => recursive.push(callee),
                            Mark::Done => {}
                        }
                    }
                }
            }
        }
        for f in recursive {
            let (name, span) = (self.unit[f].name, self.unit[f].span);
            let message = format!(
                "{} calls itself, directly or indirectly: recursion is not allowed (GLSL 4.60 section 6.1)",
                self.name(name)
            );
            self.error(span, "E1013", message);
        }
    }

    /// Gives arrays of functions that were declared without a size the one that their indices require; those that other
    /// shaders may share get theirs when linking.
    fn size_arrays(&mut self) {
        let mut changed = false;
        for i in 0..self.unit.vars.len() {
            let v = &self.unit.vars[i];
            if v.function.is_none() || v.qualifiers.storage.is_param() {
                continue;
            }
            let Some(array) = self.unit.types.as_array(v.ty).filter(|a| a.len == 0) else { continue };
            let len = v.min_len.max(1);
            let (ty, span) = (self.unit.types.array(array.elem, len), v.span);
            self.unit.vars[i].ty = ty;
            self.check_size(ty, span);
            changed = true;
        }
        if !changed {
            return;
        }
        for expr in &mut self.unit.exprs {
            if let ExprKind::Var(var) = expr.kind {
                let ty: Type = self.unit.vars[var.0 as usize].ty;
                expr.ty = ty;
            }
        }
    }
}
