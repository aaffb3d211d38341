//! Joins the objects of one stage to one unit (GLSL 4.60 section 3.3, OpenGL 4.6 section 7.3).
//!
//! The first object is extended by the others: names are interned again, types are found by structure or added, globals
//! of the same name become one variable, a function's definition replaces its prototypes, and everything else is
//! appended.

use super::globals::{Resize, agree, block_of, implicit_member, implicit_size, linked_name};
use super::interface::per_vertex_differ;
use super::report::{Report, stage_name};
use super::stage_layout;
use crate::hir::*;
use crate::token::Symbol;
use crate::types::{Field, Struct, StructId, Type, TypeTable};
use airfoil_ir::Precision;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// Joins units of one stage; a single one passes as it is.
pub fn merge(mut units: Vec<Unit>, report: &mut Report) -> Option<Unit> {
    if units.len() < 2 {
        return units.pop();
    }
    let mut objects = units.into_iter();
    let mut into = objects.next()?;
    let mut resize = Resize::default();
    for from in objects {
        join(&mut into, &from, &mut resize, report);
    }
    resize.finish(&mut into);
    Some(into)
}

/// IDs in the first object of the entities of the joined one.
struct Map {
    at: u32,
    names: Vec<Symbol>,
    structs: Vec<StructId>,
    /// Blocks that are types: these name each other, so they are numbered before their members are.
    references: FxHashMap<StructId, StructId>,
    arrays: FxHashMap<Type, Type>,
    vars: Vec<VarId>,
    functions: Vec<FuncId>,
    exprs: u32,
    expr_lists: u32,
    stmts: u32,
    stmt_lists: u32,
    consts: u32,
}

fn join(into: &mut Unit, from: &Unit, resize: &mut Resize, report: &mut Report) {
    stage_layout::merge(into, from, report);
    if from.version.number > into.version.number {
        into.version = from.version;
    }
    into.extensions = into.extensions.union(from.extensions);
    into.height = into.height.max(from.height);
    let at = end_of_text(into);
    into.lines.append(&from.lines, at);
    let names = (0..from.names.len() as u32).map(|i| into.names.intern(&from.names[Symbol(i)])).collect();
    let mut map = Map {
        at,
        names,
        structs: Vec::with_capacity(from.types.structs.len()),
        references: FxHashMap::default(),
        arrays: FxHashMap::default(),
        vars: Vec::new(),
        functions: Vec::new(),
        exprs: into.exprs.len() as u32,
        expr_lists: into.expr_lists.len() as u32,
        stmts: into.stmts.len() as u32,
        stmt_lists: into.stmt_lists.len() as u32,
        consts: into.consts.len() as u32,
    };
    map.structs(into, from);
    per_vertex_outputs(into, from, &map, report);
    for c in &from.consts {
        let ty = map.ty(into, from, c.ty);
        into.consts.push(Constant { ty, scalars: c.scalars.clone() });
    }
    // Functions are numbered before variables, whose types of subroutines name them, and filled in afterwards.
    let defined = map.number_functions(into, from, report);
    map.variables(into, from, resize, report);
    map.fill_functions(into, from, &defined);
    map.code(into, from);
    if into.main.is_none() {
        into.main = from.main.map(|f| map.functions[f.0 as usize]);
    }
}

/// Objects that redeclare the outputs of `gl_PerVertex` do it in the same way (GLSL 4.60 section 7.1).
fn per_vertex_outputs(into: &mut Unit, from: &Unit, map: &Map, report: &mut Report) {
    if let (Some(x), Some(y)) = (into.per_vertex_out, from.per_vertex_out)
        && let Some(why) = per_vertex_differ(into, x, from, y)
    {
        let stage = stage_name(into.stage);
        let text = format!(
            "`gl_PerVertex`: two objects of the {stage} redeclare it differently: {why} (GLSL 4.60 section 7.1)"
        );
        report.error_at(from, from.types.structs[y.0 as usize].span, "E1110", text);
    }
    let mapped = from.per_vertex_out.map(|y| map.structs[y.0 as usize]);
    into.per_vertex_out = into.per_vertex_out.or(mapped);
}

/// A byte after all source positions of the unit.
fn end_of_text(unit: &Unit) -> u32 {
    let exprs = unit.exprs.iter().map(|e| e.at);
    let stmts = unit.stmts.iter().map(|s| s.at);
    let vars = unit.vars.iter().map(|v| v.span.hi);
    let functions = unit.functions.iter().map(|f| f.span.hi);
    let fields = unit.types.structs.iter().flat_map(|s| s.fields.iter().map(|f| f.span.hi));
    let last = exprs.chain(stmts).chain(vars).chain(functions).chain(fields).max().unwrap_or(0);
    last.max(unit.lines.end()).saturating_add(1)
}

impl Map {
    fn span(&self, span: crate::source::Span) -> crate::source::Span {
        if span == crate::source::Span::default() {
            return span;
        }
        crate::source::Span { lo: span.lo.saturating_add(self.at), hi: span.hi.saturating_add(self.at) }
    }

    fn name(&self, name: Symbol) -> Symbol {
        self.names[name.0 as usize]
    }

    fn qualifiers(&self, q: &Qualifiers) -> Qualifiers {
        let subroutine = q.subroutine.and_then(|f| self.functions.get(f.0 as usize).copied());
        Qualifiers { subroutine, ..q.clone() }
    }

    fn ty(&mut self, into: &mut Unit, from: &Unit, ty: Type) -> Type {
        match ty {
            Type::Struct(id) => Type::Struct(self.structs[id.0 as usize]),
            Type::Reference(id) => Type::Reference(self.references.get(&id).copied().unwrap_or(id)),
            Type::Array(id) => {
                if let Some(&known) = self.arrays.get(&ty) {
                    return known;
                }
                let array = from.types.get_array(id);
                let elem = self.ty(into, from, array.elem);
                let mapped = into.types.array(elem, array.len);
                self.arrays.insert(ty, mapped);
                mapped
            }
            other => other,
        }
    }

    /// Members' types precede the structures that use them.
    fn structs(&mut self, into: &mut Unit, from: &Unit) {
        let mut by_name: FxHashMap<Symbol, Vec<StructId>> = FxHashMap::default();
        for (i, s) in into.types.structs.iter().enumerate() {
            by_name.entry(s.name.unwrap_or_default()).or_default().push(StructId(i as u32));
        }
        let fresh = self.number_references(into, from);
        for (i, s) in from.types.structs.iter().enumerate() {
            let name = s.name.map(|n| self.name(n));
            let mut fields = Vec::with_capacity(s.fields.len());
            for f in &s.fields {
                fields.push(Field {
                    name: self.name(f.name),
                    ty: self.ty(into, from, f.ty),
                    span: self.span(f.span),
                    qualifiers: self.qualifiers(&f.qualifiers),
                    builtin: f.builtin,
                });
            }
            if let Some(&id) = self.references.get(&StructId(i as u32)) {
                if id.0 >= fresh {
                    into.types.structs[id.0 as usize].fields = fields;
                }
                self.structs.push(id);
                continue;
            }
            let candidates = by_name.get(&name.unwrap_or_default()).map_or(&[][..], |v| v);
            let same = |id: &&StructId| {
                let other = &into.types.structs[id.0 as usize];
                other.name == name
                    && other.block == s.block
                    && other.fields.len() == fields.len()
                    && other.fields.iter().zip(&fields).all(|(x, y)| {
                        let same = x.ty == y.ty || s.block && one_unsized(&into.types, x.ty, y.ty);
                        x.name == y.name && same && x.qualifiers == y.qualifiers
                    })
            };
            let id = match candidates.iter().find(same) {
                Some(&id) => id,
                None => {
                    let span = self.span(s.span);
                    let id =
                        into.types.add_struct(Struct { name, fields, block: s.block, span, reference: None });
                    by_name.entry(name.unwrap_or_default()).or_default().push(id);
                    id
                }
            };
            self.structs.push(id);
        }
    }

    /// Finds each block that is a type by its name, or adds it without members; returns the ID of the first added one.
    fn number_references(&mut self, into: &mut Unit, from: &Unit) -> u32 {
        let fresh = into.types.structs.len() as u32;
        let known = into.types.structs.iter().enumerate().filter(|(_, s)| s.reference.is_some());
        let known: FxHashMap<Option<Symbol>, StructId> =
            known.map(|(i, s)| (s.name, StructId(i as u32))).collect();
        for (i, s) in from.types.structs.iter().enumerate().filter(|(_, s)| s.reference.is_some()) {
            let name = s.name.map(|n| self.name(n));
            let id = match known.get(&name) {
                Some(&known) => known,
                None => {
                    let span = self.span(s.span);
                    into.types.add_struct(Struct { name, fields: Vec::new(), span, ..s.clone() })
                }
            };
            self.references.insert(StructId(i as u32), id);
        }
        fresh
    }

    /// Finds or adds each function; returns which ones take the other object's definition.
    fn number_functions(&mut self, into: &mut Unit, from: &Unit, report: &mut Report) -> Vec<bool> {
        type Key = (Symbol, bool, Vec<Type>);
        let mut known: FxHashMap<Key, FuncId> = FxHashMap::default();
        for (i, f) in into.functions.iter().enumerate() {
            let params = f.params.iter().map(|&p| into[p].ty).collect();
            known.insert((f.name, f.is_subroutine_type, params), FuncId(i as u32));
        }
        let mut take = Vec::with_capacity(from.functions.len());
        for f in &from.functions {
            let params = f.params.iter().map(|&p| self.ty(into, from, from[p].ty)).collect();
            let key = (self.name(f.name), f.is_subroutine_type, params);
            let result = self.ty(into, from, f.result);
            if let Some(&id) = known.get(&key) {
                let other = &into[id];
                let (stage, name) = (stage_name(into.stage), &from.names[f.name]);
                if other.result != result {
                    let text =
                        format!("{stage}: the results of `{name}` have different types in two objects");
                    report.error_at(from, f.span, "E1111", text);
                }
                if other.body.is_some() && f.body.is_some() {
                    let text = format!("{stage}: two objects define `{name}` (GLSL 4.60 section 6.1)");
                    report.error_at(from, f.span, "E1112", text);
                }
                take.push(other.body.is_none() && f.body.is_some());
                self.functions.push(id);
                continue;
            }
            let id = FuncId(into.functions.len() as u32);
            into.functions.push(Function {
                name: key.0,
                result,
                precision: f.precision,
                precise: f.precise,
                params: Vec::new(),
                body: None,
                span: self.span(f.span),
                is_subroutine_type: f.is_subroutine_type,
                subroutine_types: Vec::new(),
                subroutine_index: f.subroutine_index,
                calls: Vec::new(),
                globals: Vec::new(),
            });
            known.insert(key, id);
            self.functions.push(id);
            take.push(true);
        }
        take
    }

    fn variables(&mut self, into: &mut Unit, from: &Unit, resize: &mut Resize, report: &mut Report) {
        // Parameters of prototypes have no function, but are not shared either.
        let shared = |v: &Variable| {
            let s = v.qualifiers.storage;
            v.function.is_none() && !s.is_param() && !matches!(s, Storage::Const | Storage::Local)
        };
        let mut known: IndexMap<(bool, String), VarId> = IndexMap::new();
        let mut members: FxHashMap<Symbol, Symbol> = FxHashMap::default();
        let key = |unit: &Unit, v: &Variable| {
            // Blocks of one name may exist once per interface.
            let name = linked_name(unit, v);
            let name = if v.block { format!("{:?} {name}", v.qualifiers.storage) } else { name.into() };
            (v.block, name)
        };
        let mut block_members = |unit: &Unit, v: &Variable, rename: &dyn Fn(Symbol) -> Symbol| {
            let s = unit.types.as_struct(unit.types.without_arrays(v.ty)).filter(|_| v.nameless_block);
            let own = rename(v.name);
            let mut clash = None;
            for f in s.iter().flat_map(|s| &s.fields) {
                let other = *members.entry(rename(f.name)).or_insert(own);
                clash = clash.or((other != own).then_some(f.name));
            }
            clash
        };
        for (i, v) in into.vars.iter().enumerate().filter(|(_, v)| shared(v)) {
            known.insert(key(into, v), VarId(i as u32));
            block_members(into, v, &|n| n);
        }
        // Each object keeps its own constants, but they have one value (GLSL 4.60 section 4.3).
        let is_constant = |v: &Variable| {
            v.qualifiers.storage == Storage::Const && v.function.is_none() && v.builtin.is_none()
        };
        let constants: FxHashMap<Symbol, VarId> = (into.vars.iter().enumerate())
            .filter(|(_, v)| is_constant(v))
            .map(|(i, v)| (v.name, VarId(i as u32)))
            .collect();
        for (i, v) in from.vars.iter().enumerate() {
            let clash = if shared(v) { block_members(from, v, &|n| self.name(n)) } else { None };
            if let Some(name) = clash {
                let text = format!(
                    "{}: `{}` is a member of two blocks without instance name",
                    stage_name(into.stage),
                    &from.names[name]
                );
                report.error_var(from, VarId(i as u32), "E1113", text);
            }
            if let Some(&id) = constants.get(&self.name(v.name)).filter(|_| is_constant(v)) {
                agree(into, id, from, VarId(i as u32), report);
            }
            let found = if shared(v) { known.get(&key(from, v)).copied() } else { None };
            if let Some(id) = found {
                let lengths = agree(into, id, from, VarId(i as u32), report);
                self.share(into, id, from, i, report);
                lengths.apply(into, id, resize);
                self.vars.push(id);
                continue;
            }
            let mut copy = v.clone();
            copy.name = self.name(v.name);
            copy.ty = self.ty(into, from, v.ty);
            copy.qualifiers = self.qualifiers(&v.qualifiers);
            copy.span = self.span(v.span);
            copy.constant = v.constant.map(|c| ConstId(c.0 + self.consts));
            copy.function = v.function.map(|f| self.functions[f.0 as usize]);
            let id = VarId(into.vars.len() as u32);
            into.vars.push(copy);
            if shared(v) {
                known.insert(key(from, v), id);
            }
            self.vars.push(id);
        }
    }

    /// Members of a block without size in both declarations, with the lengths that indices in use require.
    fn open_members(&self, into: &Unit, w: &Variable, from: &Unit, v: &Variable) -> Vec<(u32, u32)> {
        let (Some(sw), Some(sv)) = (block_of(into, w), block_of(from, v)) else {
            return w.field_min_len.clone();
        };
        let len = |v: &Variable, n: usize| {
            v.field_min_len.iter().find(|(m, _)| *m as usize == n).map_or(0, |&(_, len)| len)
        };
        (0..sw.fields.len().min(sv.fields.len()))
            .filter(|&n| implicit_member(into, w, &sw.fields, n) && implicit_member(from, v, &sv.fields, n))
            .map(|n| (n as u32, len(w, n).max(len(v, n)).max(1)))
            .collect()
    }

    /// Merges the second declaration of a variable into the first.
    fn share(&self, into: &mut Unit, id: VarId, from: &Unit, i: usize, report: &mut Report) {
        let v = &from.vars[i];
        let runs = |unit: &Unit, id: VarId| unit.global_inits.iter().any(|&(var, _)| var == id);
        let (other, this) = (runs(into, id), runs(from, VarId(i as u32)));
        if (other && (this || v.constant.is_some())) || (this && into[id].constant.is_some()) {
            let text = format!(
                "{}: two objects initialise `{}` with non-constant values (GLSL 4.60 section 4.3)",
                stage_name(into.stage),
                &from.names[v.name]
            );
            report.error_var(from, VarId(i as u32), "E1110", text);
        }
        let per_vertex = |unit: &Unit, v: &Variable| {
            let s = unit.types.as_struct(unit.types.without_arrays(v.ty));
            s.filter(|s| v.builtin.is_some() && s.block).map(|s| s.span != crate::source::Span::default())
        };
        if let (Some(x), Some(y)) = (per_vertex(into, &into[id]), per_vertex(from, v))
            && x != y
            && if x { v.used } else { into[id].used }
        {
            let text = format!(
                "{}: one object redeclares the block of `{}`, another uses it without (GLSL 4.60 section 7.1)",
                stage_name(into.stage),
                &from.names[v.name]
            );
            report.error_var(from, VarId(i as u32), "E1110", text);
        }
        let constant = v.constant.map(|c| ConstId(c.0 + self.consts));
        // An array that one object sizes has that size for all.
        let open = implicit_size(&from.types, v) && implicit_size(&into.types, &into[id]);
        let members = self.open_members(into, &into[id], from, v);
        let w = &mut into[id];
        w.field_min_len = members;
        w.used |= v.used;
        w.written |= v.written;
        w.is_unbounded |= v.is_unbounded;
        w.min_len = if open { w.min_len.max(v.min_len) } else { 0 };
        w.constant = w.constant.or(constant);
        let (q, p) = (&mut w.qualifiers, &v.qualifiers);
        q.invariant |= p.invariant;
        q.precise |= p.precise;
        if q.precision.0 == Precision::None {
            q.precision = p.precision;
        }
        let (l, m) = (&mut q.layout, &p.layout);
        l.location = l.location.or(m.location);
        l.component = l.component.or(m.component);
        l.index = l.index.or(m.index);
        l.binding = l.binding.or(m.binding);
        l.set = l.set.or(m.set);
        l.offset = l.offset.or(m.offset);
        l.format = l.format.or(m.format);
        l.xfb_buffer = l.xfb_buffer.or(m.xfb_buffer);
        l.xfb_offset = l.xfb_offset.or(m.xfb_offset);
        l.xfb_stride = l.xfb_stride.or(m.xfb_stride);
        l.stream = l.stream.or(m.stream);
    }

    fn fill_functions(&self, into: &mut Unit, from: &Unit, take: &[bool]) {
        for (i, f) in from.functions.iter().enumerate().filter(|(i, _)| take[*i]) {
            let map = |list: &[FuncId]| list.iter().map(|c| self.functions[c.0 as usize]).collect();
            let (calls, subroutine_types) = (map(&f.calls), map(&f.subroutine_types));
            let vars = |list: &[VarId]| list.iter().map(|v| self.vars[v.0 as usize]).collect::<Vec<_>>();
            let (params, mut globals) = (vars(&f.params), vars(&f.globals));
            let mut seen = rustc_hash::FxHashSet::default();
            globals.retain(|v| seen.insert(*v));
            let span = self.span(f.span);
            let body = f.body.map(|b| self.stmt_list(b));
            let function = &mut into[self.functions[i]];
            *function = Function {
                name: function.name,
                result: function.result,
                precision: f.precision,
                precise: f.precise,
                params,
                body,
                span,
                is_subroutine_type: f.is_subroutine_type,
                subroutine_types,
                subroutine_index: f.subroutine_index,
                calls,
                globals,
            };
        }
    }

    fn stmt_list(&self, l: StmtList) -> StmtList {
        StmtList { start: l.start + self.stmt_lists, len: l.len }
    }

    fn code(&mut self, into: &mut Unit, from: &Unit) {
        let (e0, s0) = (self.exprs, self.stmts);
        into.expr_lists.extend(from.expr_lists.iter().map(|e| ExprId(e.0 + e0)));
        into.stmt_lists.extend(from.stmt_lists.iter().map(|s| StmtId(s.0 + s0)));
        for e in &from.exprs {
            let ty = self.ty(into, from, e.ty);
            let kind = self.expr(e.kind);
            into.exprs.push(Expr { kind, ty, at: e.at.saturating_add(self.at) });
        }
        into.const_precisions.extend(from.const_precisions.iter().map(|&(e, p)| (ExprId(e.0 + e0), p)));
        into.stmts.extend(
            from.stmts.iter().map(|s| Stmt { kind: self.stmt(s.kind), at: s.at.saturating_add(self.at) }),
        );
        let inits = from.global_inits.iter().map(|&(v, e)| (self.vars[v.0 as usize], ExprId(e.0 + e0)));
        into.global_inits.extend(inits);
    }

    fn expr(&self, kind: ExprKind) -> ExprKind {
        use ExprKind as K;
        let e = |id: ExprId| ExprId(id.0 + self.exprs);
        let l = |list: ExprList| ExprList { start: list.start + self.expr_lists, len: list.len };
        match kind {
            K::Error => K::Error,
            K::Const(c) => K::Const(ConstId(c.0 + self.consts)),
            K::Var(v) => K::Var(self.vars[v.0 as usize]),
            K::Field(a, n) => K::Field(e(a), n),
            K::Index(a, b) => K::Index(e(a), e(b)),
            K::Swizzle(a, s) => K::Swizzle(e(a), s),
            K::Unary(op, a) => K::Unary(op, e(a)),
            K::Binary(op, a, b) => K::Binary(op, e(a), e(b)),
            K::Select(a, b, c) => K::Select(e(a), e(b), e(c)),
            K::Assign(a, b) => K::Assign(e(a), e(b)),
            K::AssignOp(op, a, b) => K::AssignOp(op, e(a), e(b)),
            K::Step { increment, prefix, operand } => K::Step { increment, prefix, operand: e(operand) },
            K::Comma(a, b) => K::Comma(e(a), e(b)),
            K::Construct(list) => K::Construct(l(list)),
            K::Convert(a) => K::Convert(e(a)),
            K::NonUniform(a) => K::NonUniform(e(a)),
            K::Dereference(a) => K::Dereference(e(a)),
            K::Address(a) => K::Address(e(a)),
            K::Call(f, list) => K::Call(self.functions[f.0 as usize], l(list)),
            K::CallSubroutine(a, list) => K::CallSubroutine(e(a), l(list)),
            K::Builtin(b, list) => K::Builtin(b, l(list)),
            K::Length(a) => K::Length(e(a)),
        }
    }

    fn stmt(&self, kind: StmtKind) -> StmtKind {
        use StmtKind as K;
        let e = |id: ExprId| ExprId(id.0 + self.exprs);
        let l = |list| self.stmt_list(list);
        match kind {
            K::Expr(a) => K::Expr(e(a)),
            K::Declare(v, init) => K::Declare(self.vars[v.0 as usize], init.map(e)),
            K::Block(list) => K::Block(l(list)),
            K::If { cond, then, els } => K::If { cond: e(cond), then: l(then), els: l(els) },
            K::Loop { before, cond, test_last, body, step } => {
                K::Loop { before: l(before), cond: cond.map(e), test_last, body: l(body), step: step.map(e) }
            }
            K::Switch(a, list) => K::Switch(e(a), l(list)),
            K::Case(c) => K::Case(ConstId(c.0 + self.consts)),
            K::Return(a) => K::Return(a.map(e)),
            K::Default | K::Break | K::Continue | K::Discard | K::Demote | K::Terminate => kind,
        }
    }
}

/// Whether two types are arrays of the same elements, one of them without size.
fn one_unsized(types: &TypeTable, x: Type, y: Type) -> bool {
    matches!((types.as_array(x), types.as_array(y)), (Some(a), Some(b)) if a.elem == b.elem && (a.len == 0 || b.len == 0))
}
