//! Users of every value, listed on demand.

use crate::body::Body;
use crate::ids::{CfId, InstrId};
use slotmap::{Key, SecondaryMap};

/// An operand that uses a value.
///
/// # Examples
///
/// A condition is a use although an `if` is not an instruction.
///
/// ```
/// use airfoil_ir::analysis::{UseMap, User};
/// use airfoil_ir::{Body, Builder, SystemValue};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let front = b.load_system_value(SystemValue::front_face);
/// let back = b.inot(front);
/// let cf = b.push_if(front);
/// b.push_else(cf);
/// assert_eq!(UseMap::new(&body).users(front), [User::Instr(back), User::If(cf)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// An operand of an instruction.
    Instr(InstrId),
    /// The condition of an `if`.
    If(CfId),
}

/// The users of every value, as of the time of construction; an instruction is listed once per operand.
///
/// # Examples
///
/// ```
/// use airfoil_ir::{Body, Builder, SystemValue};
/// use airfoil_ir::analysis::{UseMap, User};
///
/// let mut body = Body::new();
/// let mut b = Builder::at_end(&mut body);
/// let x = b.load_system_value(SystemValue::instance_id);
/// let square = b.imul(x, x);
/// let uses = UseMap::new(b.body);
/// assert_eq!(uses.users(x), [User::Instr(square); 2]);
/// // The map does not follow edits; the use counts of the body do.
/// let cube = b.imul(square, x);
/// assert_eq!((uses.users(x).len(), body[x].uses()), (2, 3));
/// assert!(uses.users(cube).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UseMap {
    /// Start and end of each value's users.
    ranges: SecondaryMap<InstrId, (u32, u32)>,
    users: Vec<User>,
}

impl UseMap {
    /// Lists the users: two walks over the body and two allocations.
    pub fn new(body: &Body) -> UseMap {
        let mut ranges = SecondaryMap::with_capacity(body.instr_capacity());
        let mut total = 0;
        for id in body.all_instrs() {
            ranges.insert(id, (total, total));
            total += body[id].uses();
        }
        let mut map = UseMap { ranges, users: vec![User::Instr(InstrId::null()); total as usize] };
        for block in body.blocks() {
            for id in body.instrs(block) {
                body[id].visit_operands(|v| map.push(v, User::Instr(id)));
            }
            if let Some(cf) = body.next_cf(block)
                && let Some(n) = body.as_if(cf)
            {
                map.push(n.cond(), User::If(cf));
            }
        }
        map
    }

    fn push(&mut self, value: InstrId, user: User) {
        if let Some((_, end)) = self.ranges.get_mut(value)
            && let Some(slot) = self.users.get_mut(*end as usize)
        {
            *slot = user;
            *end += 1;
        }
    }

    /// The users of a value, in the order of the text.
    pub fn users(&self, value: InstrId) -> &[User] {
        let (start, end) = self.ranges.get(value).copied().unwrap_or_default();
        &self.users[start as usize..end as usize]
    }
}
