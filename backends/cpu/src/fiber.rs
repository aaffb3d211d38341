//! Invocations that take turns: each is a fiber, and a collective operation suspends it until the others arrive.
//!
//! All invocations of a group run until each has ended or waits. Then all of those whose quad, simd-group or
//! threadgroup waits at the same call site continue. If none could, control flow has diverged: simd-group and quad
//! operations are then executed by those that wait at the first call site, as Metal specifies for inactive threads;
//! derivatives too, with a report; at a barrier it is a fault.

use crate::frame::Frame;
use crate::library::group::{Collective, GroupCall, Scope};
use crate::library::texture::Slopes;
use crate::library::world::World;
use crate::library::{self, Callee, Interpolate, Op, Own};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of a fiber's stack.
const STACK: usize = 256 << 10;

/// The entry point, which takes its arguments from a block.
pub(crate) type Entry = unsafe extern "C" fn(*mut u8);

/// An invocation.
pub(crate) struct Lane {
    /// Block of the entry point's arguments and results.
    pub(crate) block: *mut u8,
    /// Only there for derivatives.
    pub(crate) helper: bool,
    /// It was discarded and continues as a helper.
    pub(crate) discarded: bool,
    request: Option<Request>,
    slopes: Slopes,
    yielder: *const Yielder<(), ()>,
    done: bool,
}

impl Lane {
    pub(crate) fn new(block: *mut u8, helper: bool) -> Lane {
        Lane {
            block,
            helper,
            discarded: false,
            request: None,
            slopes: Slopes::default(),
            yielder: std::ptr::null(),
            done: false,
        }
    }
}

/// The event that an invocation waits for.
#[derive(Clone, Copy)]
struct Request {
    callee: usize,
    site: u32,
    block: *mut u8,
    call: GroupCall,
    coordinates: [f64; 3],
}

/// State shared by the invocations of a group.
pub(crate) struct Group<'a, 'w> {
    pub(crate) callees: &'a [Callee],
    pub(crate) world: &'a mut World<'w>,
    pub(crate) interpolate: Option<Interpolate<'a>>,
    /// Invocations of a simd-group.
    pub(crate) simd_size: usize,
    pub(crate) fragment: bool,
    /// Message about the error in a function.
    fault: Option<Fault>,
    /// Call sites where control flow had diverged.
    pub(crate) divergent: Vec<u32>,
    /// Loads and stores outside of everything that is bound.
    pub(crate) outside: u64,
}

impl<'a, 'w> Group<'a, 'w> {
    pub(crate) fn new(callees: &'a [Callee], world: &'a mut World<'w>, simd_size: usize) -> Self {
        Group {
            callees,
            world,
            interpolate: None,
            simd_size: simd_size.clamp(1, 64),
            fragment: false,
            fault: None,
            divergent: Vec::new(),
            outside: 0,
        }
    }
}

/// Why a group did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Invocations wait at a barrier that others do not reach.
    Barrier {
        /// Where.
        site: u32,
        /// How many wait there.
        waiting: usize,
        /// How many have ended.
        ended: usize,
        /// Of how many.
        all: usize,
    },
    /// Another fault, as a message.
    Other(String),
}

/// The invocation that runs on this thread.
#[derive(Clone, Copy)]
struct Current {
    group: *mut (),
    lane: *mut Lane,
    number: usize,
}

thread_local! {
    static CURRENT: Cell<Option<Current>> = const { Cell::new(None) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// Entry of calls of library functions from compiled code: indices of the function and of the call site, block of
/// arguments and results.
///
/// # Safety
/// Only for compiled code that [`run`] started on this thread, with the block that belongs to the function.
pub(crate) unsafe extern "C" fn call(callee: u32, site: u32, block: *mut u8) {
    let Some(current) = CURRENT.get() else { return };
    // Nothing that needs dropping may live here across `wait`: fibers may be given up there.
    // SAFETY: `run` keeps group and lane alive while compiled code runs, and refers to neither meanwhile.
    let request = unsafe { guarded(current, callee as usize, site, block, false) };
    if let Some(request) = request {
        // SAFETY: as above.
        let yielder = unsafe {
            (*current.lane).request = Some(request);
            (*current.lane).yielder
        };
        // SAFETY: an invocation without fiber makes no request that needs one, see `Group::needs_fibers`.
        if let Some(yielder) = unsafe { yielder.as_ref() } {
            yielder.suspend(());
        }
        // SAFETY: as above; the thread runs this invocation again.
        unsafe { guarded(current, callee as usize, site, block, true) };
    }
}

/// Scratch memory: zeros to read, and a target for ignored writes.
#[repr(align(256))]
struct Scratch {
    _bytes: [u8; 2 * SCRATCH],
}

/// Bytes of the largest access.
const SCRATCH: usize = 512;

thread_local! {
    static NOWHERE: UnsafeCell<Scratch> = const { UnsafeCell::new(Scratch { _bytes: [0; 2 * SCRATCH] }) };
}

/// Where compiled code asks for an address: bytes of the access, and in bit 32 whether it is a store. Gives the address, or
/// that of memory that does not matter: outside of everything that is bound, and for stores of helpers.
///
/// # Safety
/// As [`call`].
pub(crate) unsafe extern "C" fn access(address: u64, what: u64) -> u64 {
    let Some(current) = CURRENT.get() else { return address };
    let (bytes, store) = (what as u32 as usize, what >> 32 != 0);
    // SAFETY: as in `call`; nothing here can panic.
    let (group, lane) = unsafe { (&mut *current.group.cast::<Group<'_, '_>>(), &*current.lane) };
    let shared = || group.world.memory.contains(address as usize, bytes);
    let own = || group.world.is_own(address as usize, bytes);
    let writes = !(store && (lane.helper || lane.discarded));
    if shared() {
        if writes {
            return address;
        }
    } else if let Some(found) = group.world.memory.at_address(address, bytes) {
        if writes {
            return found as u64;
        }
    } else if own() {
        return address;
    } else {
        group.outside += 1;
    }
    let nowhere = NOWHERE.with(UnsafeCell::get).cast::<u8>();
    if store {
        // SAFETY: the second half is for stores.
        return unsafe { nowhere.add(SCRATCH) } as u64;
    }
    nowhere as u64
}

/// Executes a function, or returns the event that the invocation waits for. Panics end here: they must not cross
/// compiled code.
///
/// # Safety
/// As [`call`].
unsafe fn guarded(
    current: Current,
    callee: usize,
    site: u32,
    block: *mut u8,
    waited: bool,
) -> Option<Request> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `run` passed these pointers, and compiled code does not keep references.
        let (group, lane) = unsafe { (&mut *current.group.cast::<Group<'_, '_>>(), &mut *current.lane) };
        execute(group, lane, current.number, callee, site, block, waited)
    }));
    result.unwrap_or_else(|_| {
        // SAFETY: as above; the panic has left no reference.
        let group = unsafe { &mut *current.group.cast::<Group<'_, '_>>() };
        group.fault.get_or_insert_with(|| {
            let name = group.callees.get(callee).map_or("a function", |c| c.name.as_str());
            Fault::Other(format!("`{name}` panicked"))
        });
        None
    })
}

fn execute(
    group: &mut Group<'_, '_>,
    lane: &mut Lane,
    number: usize,
    at: usize,
    site: u32,
    block: *mut u8,
    waited: bool,
) -> Option<Request> {
    let callees = group.callees;
    let callee = callees.get(at)?;
    // SAFETY: the thunk of this function allocated the block, with this shape, and waits for our return.
    let f = unsafe { Frame::new(&callee.block, block) };
    let mut slopes = None;
    match (&callee.op, waited) {
        (Op::Group(_), true) => return None,
        (Op::Group(call), false) => {
            return Some(Request { callee: at, site, block, call: *call, coordinates: [0.0; 3] });
        }
        (Op::Texture(call, _), false) if group.fragment => {
            if let Some(coordinates) = call.quad_coordinates(&f) {
                let coordinates = f.floats(coordinates);
                return Some(Request { callee: at, site, block, call: GroupCall::slopes(), coordinates });
            }
        }
        (Op::Texture(..), true) => slopes = Some(lane.slopes),
        _ => {}
    }
    let own = Own {
        world: group.world,
        lane: number,
        helper: lane.helper,
        discarded: &mut lane.discarded,
        simd_size: group.simd_size,
        interpolate: group.interpolate,
        slopes,
    };
    library::run(&callee.op, &f, own);
    None
}

/// Runs all invocations of a group to their ends.
///
/// # Errors
/// A barrier that not all reach; a function that failed.
pub(crate) fn run(entry: Entry, lanes: &mut [Lane], group: &mut Group<'_, '_>) -> Result<(), Fault> {
    let collective = group.callees.iter().any(|c| c.op.is_collective(group.fragment));
    if collective {
        on_fibers(entry, lanes, group)?
    } else {
        one_by_one(entry, lanes, group)
    }
    match group.fault.take() {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

fn one_by_one(entry: Entry, lanes: &mut [Lane], group: &mut Group<'_, '_>) {
    for (number, lane) in lanes.iter_mut().enumerate() {
        let block = lane.block;
        let current = Current { group: (&raw mut *group).cast(), lane, number };
        let before = CURRENT.replace(Some(current));
        // SAFETY: the block has the shape of the entry point, and its pointers point at memory that lives as long as
        // `group`.
        unsafe { entry(block) };
        CURRENT.set(before);
    }
}

type Fiber = Coroutine<(), (), (), DefaultStack>;

fn on_fibers(entry: Entry, lanes: &mut [Lane], group: &mut Group<'_, '_>) -> Result<(), Fault> {
    let mut fibers: Vec<Fiber> = Vec::with_capacity(lanes.len());
    for lane in lanes.iter_mut() {
        let kept = STACKS.with_borrow_mut(Vec::pop);
        let stack = match kept {
            Some(stack) => stack,
            None => {
                DefaultStack::new(STACK).map_err(|e| Fault::Other(format!("no memory for a fiber: {e}")))?
            }
        };
        let lane: *mut Lane = lane;
        fibers.push(Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| {
            // SAFETY: the lane outlives its fiber, which runs while nothing else refers to the lane; for the call see
            // `one_by_one`.
            unsafe {
                (*lane).yielder = yielder;
                entry((*lane).block);
            }
        }));
    }
    let result = turns(&mut fibers, lanes, group);
    for mut fiber in fibers {
        if fiber.started() && !fiber.done() {
            // SAFETY: on its stack are frames of compiled code and of `call`, which have nothing to drop.
            unsafe { fiber.force_reset() };
        }
        if fiber.done() {
            let stack = fiber.into_stack();
            STACKS.with_borrow_mut(|s| {
                if s.len() < 1024 {
                    s.push(stack)
                }
            });
        }
    }
    result
}

/// Lets all invocations run that can, until all have ended.
fn turns(fibers: &mut [Fiber], lanes: &mut [Lane], group: &mut Group<'_, '_>) -> Result<(), Fault> {
    loop {
        for (number, fiber) in fibers.iter_mut().enumerate() {
            if lanes[number].done || lanes[number].request.is_some() {
                continue;
            }
            let lane: *mut Lane = &mut lanes[number];
            let current = Current { group: (&raw mut *group).cast(), lane, number };
            let before = CURRENT.replace(Some(current));
            let result = fiber.resume(());
            CURRENT.set(before);
            if matches!(result, CoroutineResult::Return(())) {
                lanes[number].done = true;
            }
        }
        if lanes.iter().all(|l| l.done) {
            return Ok(());
        }
        if !release_whole(lanes, group) {
            release_some(lanes, group)?;
        }
    }
}

/// Invocations of a scope: how many.
fn width(scope: Scope, group: &Group<'_, '_>, all: usize) -> usize {
    match scope {
        Scope::Quad => 4,
        Scope::Simd => group.simd_size,
        Scope::Group => all,
    }
}

/// Releases all quads, simd-groups and threadgroups that wait as a whole; whether there was one.
fn release_whole(lanes: &mut [Lane], group: &Group<'_, '_>) -> bool {
    let mut any = false;
    for first in 0..lanes.len() {
        let Some(request) = lanes[first].request else { continue };
        let n = width(request.call.scope, group, lanes.len());
        let start = first / n * n;
        let end = (start + n).min(lanes.len());
        // An invocation before this one that waits was looked at: it does not wait here.
        if lanes[start..first].iter().any(|l| l.request.is_some()) {
            continue;
        }
        let same = |l: &Lane| l.request.is_some_and(|r| r.site == request.site && r.callee == request.callee);
        // Those that have ended need not come, but to a barrier.
        let barrier = request.call.op == Collective::Barrier;
        if lanes[start..end].iter().all(|l| same(l) || (l.done && !barrier)) {
            release(&mut lanes[start..end], group, n, request);
            any = true;
        }
    }
    any
}

/// Releases those that wait at the first call site, though others of their scope do not.
fn release_some(lanes: &mut [Lane], group: &mut Group<'_, '_>) -> Result<(), Fault> {
    let waiting = |l: &Lane| l.request.filter(|r| r.call.op != Collective::Barrier);
    let Some(request) = lanes.iter().filter_map(waiting).min_by_key(|r| r.site) else {
        let site = lanes.iter().find_map(|l| l.request).map_or(0, |r| r.site);
        return Err(Fault::Barrier {
            site,
            waiting: lanes.iter().filter(|l| l.request.is_some_and(|r| r.site == site)).count(),
            ended: lanes.iter().filter(|l| l.done).count(),
            all: lanes.len(),
        });
    };
    if request.call.needs_all() && !group.divergent.contains(&request.site) {
        group.divergent.push(request.site);
    }
    let n = width(request.call.scope, group, lanes.len());
    for part in lanes.chunks_mut(n) {
        if part.iter().any(|l| l.request.is_some_and(|r| r.site == request.site)) {
            release(part, group, n, request);
        }
    }
    Ok(())
}

/// Executes an operation for those of a scope that wait for it.
fn release(lanes: &mut [Lane], group: &Group<'_, '_>, size: usize, request: Request) {
    let block = &group.callees[request.callee].block;
    let mut frames: Vec<(usize, Frame<'_>)> = Vec::with_capacity(lanes.len());
    let mut coordinates: Vec<(usize, [f64; 3])> = Vec::new();
    for (n, lane) in lanes.iter_mut().enumerate() {
        let Some(r) = lane.request.filter(|r| r.site == request.site) else { continue };
        lane.request = None;
        // SAFETY: the invocation waits in this call; its block stays as it is until then.
        frames.push((n, unsafe { Frame::new(block, r.block) }));
        coordinates.push((n, r.coordinates));
    }
    if request.call.op == Collective::Slopes {
        for (n, own) in &coordinates {
            let at = |lane: usize| coordinates.iter().find(|c| c.0 == lane).map_or(*own, |c| c.1);
            let change = |from: usize, to: usize| std::array::from_fn(|c| at(to)[c] - at(from)[c]);
            lanes[*n].slopes = Slopes { dx: change(n & !1, n | 1), dy: change(n & !2, n | 2) };
        }
        return;
    }
    request.call.run(&frames, size);
}
