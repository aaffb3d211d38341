//! Random sequences of edits keep bodies valid.

use super::random::{Rng, random_body, shader_of};
use super::*;
use crate::alu::AluOp;
use crate::analysis::Dominance;
use crate::builder::Builder;
use crate::shader::Shader;
use crate::validate::{Rule, validate};
use crate::value::Ty;

/// A shader whose entry body is edited.
struct Editor {
    shader: Shader,
    rng: Rng,
    /// Added edges may make definitions no longer dominate their uses; the caller must handle that.
    dominance_kept: bool,
}

const SEEDS: u64 = 250;
const STEPS: usize = 24;

impl Editor {
    fn body(&mut self) -> &mut Body {
        self.shader.entry_body_mut().expect("entry")
    }

    fn pick_block(&mut self) -> BlockId {
        let blocks: Vec<BlockId> = self.body().blocks().collect();
        self.rng.pick(&blocks)
    }

    fn pick_cf(&mut self) -> Option<CfId> {
        let cfs: Vec<CfId> = self.body().cfs.keys().collect();
        (!cfs.is_empty()).then(|| self.rng.pick(&cfs))
    }

    fn pick_instr(&mut self) -> InstrId {
        if self.body().num_instrs() == 0 {
            let entry = self.body().entry();
            self.body().insert(Cursor::BlockStart(entry), Instr::new(InstrKind::Undef, Ty::B32));
        }
        let all: Vec<InstrId> = self.body().all_instrs().collect();
        self.rng.pick(&all)
    }

    /// A position after the phis and before the jump of a block.
    fn place(&mut self, block: BlockId) -> Cursor {
        let body = self.shader.entry_body().expect("entry");
        let mut places = vec![body.after_phis(block)];
        places.extend(body.instrs(block).filter(|&i| body[i].as_phi().is_none()).map(Cursor::Before));
        if body.jump(block).is_none() {
            places.push(Cursor::BlockEnd(block));
        }
        self.rng.pick(&places)
    }

    fn any_place(&mut self) -> Cursor {
        let block = self.pick_block();
        self.place(block)
    }

    fn step(&mut self) -> &'static str {
        match self.rng.below(15) {
            0 => {
                let at = self.any_place();
                let body = self.body();
                let cond = Builder::at(body, at).imm_bool(true);
                body.insert_if(Cursor::After(cond), cond);
                "insert_if"
            }
            1 => {
                let at = self.any_place();
                let cf = self.body().insert_loop(at);
                // A loop that nothing leaves would make the rest unreachable each time.
                let last = self.body().as_loop(cf).expect("loop").body().last;
                self.body().insert_jump(last, Jump::Break);
                "insert_loop"
            }
            2 => {
                let Some(cf) = self.pick_cf() else { return "nothing" };
                self.body().delete_cf(cf);
                "delete_cf"
            }
            3 => {
                let Some(cf) = self.pick_cf() else { return "nothing" };
                let taken = self.rng.one_in(2);
                self.body().flatten_if(cf, taken);
                "flatten_if"
            }
            4 => {
                let at = self.any_place();
                let jump = self.jump_at(at);
                self.body().truncate(at, jump);
                "truncate"
            }
            5 => {
                let block = self.pick_block();
                if self.body().next_cf(block).is_some() || self.body().jump(block).is_some() {
                    return "nothing";
                }
                let jump = self.jump_at(Cursor::BlockEnd(block));
                self.body().insert_jump(block, jump);
                "insert_jump"
            }
            6 => {
                let block = self.pick_block();
                let jumps = self.body().jump(block).is_some();
                self.dominance_kept &= !jumps;
                self.body().remove_jump(block);
                "remove_jump"
            }
            7 => {
                let old = self.pick_instr();
                let ty = self.body()[old].ty;
                if ty.is_none() {
                    return "nothing";
                }
                let entry = self.body().entry();
                let new = self.body().insert(Cursor::BlockStart(entry), Instr::new(InstrKind::Undef, ty));
                self.body().replace_uses(old, new);
                assert!(self.body().is_unused(old));
                "replace_uses"
            }
            8 => {
                let mut replacements = Replacements::default();
                let entry = self.body().entry();
                let zero = Instr::new(InstrKind::Const([0; 4]), Ty::B32);
                let zero = self.body().insert(Cursor::BlockStart(entry), zero);
                for _ in 0..4 {
                    let old = self.pick_instr();
                    if old != zero && self.body()[old].ty == Ty::B32 {
                        replacements.insert(old, zero);
                    }
                }
                self.body().replace_all(&replacements);
                "replace_all"
            }
            9 => {
                // Constants can be anywhere before their uses: in the entry.
                let id = self.pick_instr();
                let entry = self.body().entry();
                if matches!(self.body()[id].kind, InstrKind::Const(_) | InstrKind::Undef) {
                    self.body().move_to(id, Cursor::BlockStart(entry));
                }
                "move_to"
            }
            10 => {
                // Removes a range and inserts it where it was.
                let from = self.any_place();
                let to = self.later_place(from);
                let mark = self.body().insert(to, Instr::new(InstrKind::Undef, Ty::B32));
                let list = self.body().extract(from, Cursor::Before(mark));
                let jumps = self.body().jump(list.region().last).is_some();
                self.body().splice(Cursor::Before(mark), list);
                assert!(!jumps || !self.body().has_block(BlockId::default()));
                "extract and splice"
            }
            11 => {
                let from = self.any_place();
                let to = self.later_place(from);
                let list = self.body().extract(from, to);
                self.body().delete_list(list);
                "extract and delete"
            }
            12 => {
                // The body of a region moves before its if or loop.
                let Some(cf) = self.pick_cf() else { return "nothing" };
                let owner = match self.body().cf(cf) {
                    Cf::If(_) => Owner::Then(cf),
                    Cf::Loop(_) => return "nothing",
                };
                let prev = self.body().cf(cf).prev();
                let region = self.body().region(owner).expect("region");
                let has_jump = {
                    let body = self.shader.entry_body().expect("entry");
                    body.blocks_in(region).any(|b| body.jump(b).is_some())
                };
                if has_jump {
                    return "nothing";
                }
                let list = self.body().take_region(owner);
                let blank = self.body().region(owner).expect("region").last;
                let next = self.body().cf(cf).next();
                self.body().rename_phi_pred(next, list.region().last, blank);
                self.body().splice(Cursor::BlockEnd(prev), list);
                "take_region and splice"
            }
            13 => {
                let Some(cf) = self.pick_cf() else { return "nothing" };
                if self.body().as_if(cf).is_some() {
                    let entry = self.body().entry();
                    let cond = Instr::new(InstrKind::Const([1, 0, 0, 0]), Ty::BOOL);
                    let cond = self.body().insert(Cursor::BlockStart(entry), cond);
                    self.body().map_condition(cf, |_| cond);
                }
                "map_condition"
            }
            _ => {
                let id = self.pick_instr();
                let body = self.body();
                if body.is_unused(id) && body[id].can_eliminate() {
                    body.remove(id);
                }
                "remove"
            }
        }
    }

    /// A jump that is legal at a position.
    fn jump_at(&mut self, at: Cursor) -> Jump {
        let block = self.body().block_at(at);
        if self.body().loop_around(block).is_none() {
            return Jump::Return;
        }
        let jump = self.rng.pick(&Jump::ALL);
        self.dominance_kept &= matches!(jump, Jump::Return | Jump::Halt);
        jump
    }

    /// A position of the same region that is not before `from`.
    fn later_place(&mut self, from: Cursor) -> Cursor {
        let mut block = self.body().block_at(from);
        if self.rng.one_in(2) {
            return from;
        }
        while let Some(cf) = self.body().next_cf(block) {
            block = self.body().cf(cf).next();
            if self.rng.one_in(2) {
                return self.place(block);
            }
        }
        from
    }
}

#[test]
fn random_bodies_are_valid() {
    for seed in 0..500 {
        let shader = shader_of(random_body(seed));
        assert_eq!(validate(&shader), [], "seed {seed}:\n{}", crate::text::print(&shader));
    }
}

#[test]
fn random_edits_keep_bodies_valid() {
    let mut done = std::collections::BTreeMap::new();
    for seed in 0..SEEDS {
        let shader = shader_of(random_body(seed));
        let mut editor = Editor { shader, rng: Rng(!seed), dominance_kept: true };
        for step in 0..STEPS {
            let before = crate::text::print(&editor.shader);
            let name = editor.step();
            *done.entry(name).or_insert(0) += 1;
            let kept = editor.dominance_kept;
            let violations: Vec<_> =
                validate(&editor.shader).into_iter().filter(|v| kept || v.rule != Rule::Dominance).collect();
            let after = || crate::text::print(&editor.shader);
            assert!(
                violations.is_empty(),
                "seed {seed}, step {step}, {name}: {violations:#?}\n{before}\n{}",
                after()
            );
        }
    }
    assert!(done.values().all(|&n| n > 50), "{done:?}");
}

/// Whether two bodies print alike is too strict after edits, so dominance is compared instead of the tree.
#[test]
fn extract_and_splice_at_the_same_place_change_nothing() {
    for seed in 0..100 {
        let mut shader = shader_of(random_body(seed));
        let before = crate::text::print(&shader);
        let body = shader.entry_body_mut().expect("entry");
        let start = body.after_phis(body.entry());
        let end = body.before_jump(body.root().last);
        let list = body.extract(start, end);
        let at = body.before_jump(body.root().last);
        body.splice(at, list);
        assert_eq!(crate::text::print(&shader), before, "seed {seed}");
    }
}

#[test]
fn cloning_keeps_everything() {
    for seed in 0..50 {
        let shader = shader_of(random_body(seed));
        let copy = shader.clone();
        assert_eq!(crate::text::print(&copy), crate::text::print(&shader));
        assert_eq!(validate(&copy), []);
        let (a, b) = (shader.entry_body().expect("entry"), copy.entry_body().expect("entry"));
        assert!(Dominance::new(a) == Dominance::new(b));
    }
}

#[test]
fn replacements_follow_chains_and_refuse_cycles() {
    let mut body = Body::new();
    let mut b = Builder::at_end(&mut body);
    let v: Vec<InstrId> = (0..4).map(|_| b.undef(Ty::B32)).collect();
    let user = b.alu(AluOp::iadd, &[v[0], v[1]]);
    let mut r = Replacements::default();
    r.insert(v[0], v[1]);
    r.insert(v[1], v[2]);
    // Back to where the chain starts: nothing to do, and no endless loop.
    r.insert(v[2], v[0]);
    body.replace_all(&r);
    let values = body[user].as_alu().expect("alu").values().to_vec();
    assert!(values.iter().all(|x| *x == v[2]), "{values:?}");
    assert_eq!((body[v[0]].uses(), body[v[1]].uses(), body[v[2]].uses()), (0, 0, 2));
}

/// An undefined value of each shape at the start of a body, and every third ALU operation with the one of its shape.
fn operations_to_replace(body: &mut Body) -> Vec<(InstrId, InstrId)> {
    let mut undefs: Vec<(Ty, InstrId)> = Vec::new();
    let chosen: Vec<InstrId> =
        body.all_instrs().filter(|&id| body[id].as_alu().is_some()).step_by(3).collect();
    let undef = |id: InstrId| {
        let ty = body[id].ty;
        if let Some(&(_, undef)) = undefs.iter().find(|(of, _)| *of == ty) {
            return (id, undef);
        }
        let start = Cursor::BlockStart(body.entry());
        undefs.push((ty, body.insert(start, Instr::new(InstrKind::Undef, ty))));
        (id, undefs[undefs.len() - 1].1)
    };
    chosen.into_iter().map(undef).collect()
}

#[test]
fn replacing_listed_values_is_the_same_as_replacing_them_one_by_one() {
    let mut count = 0;
    for seed in 0..100 {
        let mut body = crate::generate::from_seed(seed, &crate::generate::Options::default());
        let Some(body) = body.entry_body_mut() else { continue };
        let pairs = operations_to_replace(body);
        let mut other = body.clone();
        let mut table = crate::Dense::default();
        pairs.iter().for_each(|&(old, new)| table.set(old, new));
        body.replace_listed(pairs.iter().map(|&(old, _)| old), &table);
        pairs.iter().for_each(|&(old, new)| other.replace_uses(old, new));
        for (id, instr) in body.entries() {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            instr.visit_operands(|v| a.push(v));
            other[id].visit_operands(|v| b.push(v));
            assert_eq!((a, instr.uses()), (b, other[id].uses()), "seed {seed}: {id:?}");
        }
        let conditions = |body: &Body| -> Vec<InstrId> {
            body.cfs.values().filter_map(|cf| Some(cf.as_if()?.cond())).collect()
        };
        assert_eq!(conditions(body), conditions(&other), "seed {seed}");
        count += pairs.len();
    }
    assert!(count > 100, "{count} values");
}
