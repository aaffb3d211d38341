//! Binds resources to variables for the duration of a run.

use super::Program;
use crate::fault::Fault;
use crate::machine::group::Group;
use crate::resources::{Binding, Buffer, Resources, Space};
use crate::world::given::Given;
use airfoil_ir::{Form, Modes, TypeId};

impl Program<'_> {
    /// Takes the resources over and points the variables at them.
    ///
    /// # Errors
    /// Something of another kind is bound, or a uniform does not exist.
    pub(crate) fn bind(&mut self, resources: &mut Resources) -> Result<(), Fault> {
        let group = &mut self.machine.group;
        group.memory.buffers = std::mem::take(&mut resources.buffers);
        let push = std::mem::take(&mut resources.push_constants);
        group.memory.buffers.push(Buffer { bytes: push, address: None });
        let world = &mut group.world;
        world.images = std::mem::take(&mut resources.images);
        world.samplers = std::mem::take(&mut resources.samplers);
        world.clock = resources.clock;
        world.bound.clear();
        world.bound.resize(group.memory.objects.len(), None);
        let bound = self.bind_objects(resources).and_then(|()| self.set_uniforms(resources));
        if bound.is_err() {
            self.unbind(resources);
        }
        bound
    }

    /// Gives the resources back.
    pub(crate) fn unbind(&mut self, resources: &mut Resources) {
        let group = &mut self.machine.group;
        resources.buffers = std::mem::take(&mut group.memory.buffers);
        resources.push_constants = resources.buffers.pop().unwrap_or_default().bytes;
        let world = &mut group.world;
        resources.images = std::mem::take(&mut world.images);
        resources.samplers = std::mem::take(&mut world.samplers);
        resources.clock = world.clock.max(world.last_time);
    }

    fn bind_objects(&mut self, resources: &Resources) -> Result<(), Fault> {
        let group = &mut self.machine.group;
        let last = group.memory.buffers.len() - 1;
        let mut unbound = Vec::new();
        for n in 0..group.memory.objects.len() {
            let o = &mut group.memory.objects[n];
            let space = match o.mode {
                Modes::UBO => Space::Uniform,
                Modes::SSBO => Space::Storage,
                Modes::UNIFORM => Space::Texture,
                Modes::IMAGE => Space::Image,
                Modes::PUSH_CONST => {
                    o.bound = Some((last as u32, 0));
                    o.size = group.memory.buffers[last].bytes.len() as u64;
                    continue;
                }
                _ => continue,
            };
            let name = &o.name;
            let number = |n: u32| (n != u32::MAX).then_some(n);
            let found =
                resources.find(space, &name.name, number(name.set), number(name.binding), name.element);
            if matches!(space, Space::Uniform | Space::Storage) {
                (o.bound, o.size, o.unbound) = (Some((last as u32, 0)), 0, found.is_none());
                let Some(found) = found else {
                    unbound.extend((space == Space::Uniform).then_some(n as u32));
                    continue;
                };
                let Binding::Buffer { buffer, offset, size } = *found else {
                    return Err(wrong(&name.name, "a buffer"));
                };
                let Some(there) = group.memory.buffers.get(buffer).filter(|_| buffer < last) else {
                    return Err(Fault::unsupported(format!(
                        "`{}`: buffer {buffer} does not exist",
                        name.name
                    )));
                };
                let rest = (there.bytes.len() as u64).saturating_sub(offset);
                o.size = size.unwrap_or(rest).min(rest);
                o.bound = Some((buffer as u32, offset));
            } else {
                if matches!(found, Some(Binding::Buffer { .. })) {
                    return Err(wrong(&name.name, "a texture, sampler or image"));
                }
                group.world.bound[n] = found.cloned();
            }
        }
        self.own_blocks(&unbound, resources)
    }

    /// Uniform blocks that nothing is bound to get bytes of their own if uniforms that were set name members.
    fn own_blocks(&mut self, unbound: &[u32], resources: &Resources) -> Result<(), Fault> {
        let group = &mut self.machine.group;
        if resources.uniforms().is_empty() {
            return Ok(());
        }
        let shader = group.shader;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::UBO) {
            let object = group.memory.vars[id];
            if !unbound.contains(&object) {
                continue;
            }
            let block = group.layouts.types.without_arrays(v.ty);
            let size = group.layouts.of(block).0;
            let o = &mut group.memory.objects[object as usize];
            if size > 1 << 24 {
                return Err(Fault::unsupported(format!("`{}` is too large", v.name)));
            }
            (o.bound, o.size, o.unbound) = (None, size, false);
            o.bytes.clear();
            o.bytes.resize(size as usize, 0);
            o.undef = vec![false; size as usize];
            for (path, scalars) in resources.uniforms() {
                let member = format!(".{path}");
                let path = path.strip_prefix(&*v.name).filter(|p| p.starts_with('.')).unwrap_or(&member);
                if let Some((offset, ty)) = group.layouts.step(block, path) {
                    set_scalars(group, object, offset, ty, scalars)?;
                }
            }
        }
        Ok(())
    }

    /// Uniforms outside blocks: initial values, then those that were set.
    fn set_uniforms(&mut self, resources: &Resources) -> Result<(), Fault> {
        let group = &mut self.machine.group;
        let shader = group.shader;
        let slots = shader.form != Form::Variables;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::UNIFORM) {
            if group.layouts.types.is_opaque(v.ty) {
                continue;
            }
            let own = group.memory.vars[id];
            let (object, base) = match group.memory.uniform.filter(|_| slots) {
                Some(all) => (all, u64::from(v.offset)),
                None => (own, 0),
            };
            group.memory.initialise(own, 0, v, &mut group.layouts)?;
            for leaf in group.layouts.leaves(v.ty)?.iter() {
                for c in 0..u64::from(leaf.comps) {
                    let (at, bits) =
                        (leaf.offset + c * u64::from(leaf.stride), u32::from(leaf.scalar.bits()));
                    let initial =
                        if v.initializer.is_some() { group.memory.get(own, 0, at, bits).0 } else { 0 };
                    group.memory.set(object, 0, base + at, bits, initial, false);
                }
            }
            for (path, scalars) in resources.uniforms() {
                let Some(rest) = path.strip_prefix(&*v.name) else { continue };
                let Some((offset, ty)) = group.layouts.step(v.ty, rest) else { continue };
                set_scalars(group, object, base + offset, ty, scalars)?;
            }
        }
        Ok(())
    }
}

fn set_scalars(
    group: &mut Group<'_, Given>,
    object: u32,
    offset: u64,
    ty: TypeId,
    scalars: &[u64],
) -> Result<(), Fault> {
    let mut next = scalars.iter();
    for leaf in group.layouts.leaves(ty)?.iter() {
        for c in 0..u64::from(leaf.comps) {
            let Some(&bits) = next.next() else { return Ok(()) };
            let at = offset + leaf.offset + c * u64::from(leaf.stride);
            group.memory.set(object, 0, at, u32::from(leaf.scalar.bits()), bits, false);
        }
    }
    Ok(())
}

fn wrong(name: &str, what: &str) -> Fault {
    Fault::unsupported(format!("`{name}`: expected {what} as binding"))
}
