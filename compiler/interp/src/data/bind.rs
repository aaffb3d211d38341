//! Binds resources to variables for the duration of a run.

use super::Data;
use crate::Fault;
use crate::machine::Machine;
use crate::resources::{Binding, Buffer, Resources, Space};
use airfoil_ir::{Form, Modes, TypeId};

impl Machine<'_> {
    /// Takes the resources over and points the variables at them.
    ///
    /// # Errors
    /// Something of another kind is bound, or a uniform does not exist.
    pub(crate) fn bind(&mut self, resources: &mut Resources) -> Result<(), Fault> {
        self.memory.buffers = std::mem::take(&mut resources.buffers);
        let push = std::mem::take(&mut resources.push_constants);
        self.memory.buffers.push(Buffer { bytes: push, address: None });
        let Some(data) = &mut self.data else { return Ok(()) };
        data.images = std::mem::take(&mut resources.images);
        data.samplers = std::mem::take(&mut resources.samplers);
        data.clock = resources.clock;
        data.bound.clear();
        data.bound.resize(self.memory.objects.len(), None);
        let bound = self.bind_objects(resources).and_then(|()| self.set_uniforms(resources));
        if bound.is_err() {
            self.unbind(resources);
        }
        bound
    }

    /// Gives the resources back.
    pub(crate) fn unbind(&mut self, resources: &mut Resources) {
        resources.buffers = std::mem::take(&mut self.memory.buffers);
        resources.push_constants = resources.buffers.pop().unwrap_or_default().bytes;
        if let Some(data) = &mut self.data {
            resources.images = std::mem::take(&mut data.images);
            resources.samplers = std::mem::take(&mut data.samplers);
            resources.clock = data.clock.max(data.last_time);
        }
    }

    fn bind_objects(&mut self, resources: &Resources) -> Result<(), Fault> {
        let last = self.memory.buffers.len() - 1;
        let mut unbound = Vec::new();
        for n in 0..self.memory.objects.len() {
            let o = &mut self.memory.objects[n];
            let space = match o.mode {
                Modes::UBO => Space::Uniform,
                Modes::SSBO => Space::Storage,
                Modes::UNIFORM => Space::Texture,
                Modes::IMAGE => Space::Image,
                Modes::PUSH_CONST => {
                    o.bound = Some((last as u32, 0));
                    o.size = self.memory.buffers[last].bytes.len() as u64;
                    continue;
                }
                _ => continue,
            };
            let name = &o.name;
            let number = |n: u32| (n != u32::MAX).then_some(n);
            let found =
                resources.find(space, &name.name, number(name.set), number(name.binding), name.element);
            if matches!(space, Space::Uniform | Space::Storage) {
                (o.bound, o.size) = (Some((last as u32, 0)), 0);
                let Some(found) = found else {
                    unbound.extend((space == Space::Uniform).then_some(n as u32));
                    continue;
                };
                let Binding::Buffer { buffer, offset, size } = *found else {
                    return Err(wrong(&name.name, "a buffer"));
                };
                let Some(there) = self.memory.buffers.get(buffer).filter(|_| buffer < last) else {
                    return Err(Fault::unsupported(format!(
                        "`{}`: buffer {buffer} does not exist",
                        name.name
                    )));
                };
                let rest = (there.bytes.len() as u64).saturating_sub(offset);
                o.size = size.unwrap_or(rest).min(rest);
                o.bound = Some((buffer as u32, offset));
            } else if let Some(data) = &mut self.data {
                if matches!(found, Some(Binding::Buffer { .. })) {
                    return Err(wrong(&name.name, "a texture, sampler or image"));
                }
                data.bound[n] = found.cloned();
            }
        }
        self.own_blocks(&unbound, resources)
    }

    /// Uniform blocks that nothing is bound to get bytes of their own if uniforms that were set name members.
    fn own_blocks(&mut self, unbound: &[u32], resources: &Resources) -> Result<(), Fault> {
        if resources.uniforms().is_empty() {
            return Ok(());
        }
        let shader = self.shader;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::UBO) {
            let object = self.memory.vars[id];
            if !unbound.contains(&object) {
                continue;
            }
            let block = self.layouts.types.without_arrays(v.ty);
            let size = self.layouts.of(block).0;
            let o = &mut self.memory.objects[object as usize];
            if size > 1 << 24 {
                return Err(Fault::unsupported(format!("`{}` is too large", v.name)));
            }
            (o.bound, o.size) = (None, size);
            o.bytes.clear();
            o.bytes.resize(size as usize, 0);
            o.undef = vec![false; size as usize];
            for (path, scalars) in resources.uniforms() {
                let member = format!(".{path}");
                let path = path.strip_prefix(&*v.name).filter(|p| p.starts_with('.')).unwrap_or(&member);
                if let Some((offset, ty)) = self.layouts.step(block, path) {
                    self.set_scalars(object, offset, ty, scalars)?;
                }
            }
        }
        Ok(())
    }

    fn set_scalars(&mut self, object: u32, offset: u64, ty: TypeId, scalars: &[u64]) -> Result<(), Fault> {
        let mut next = scalars.iter();
        for leaf in self.layouts.leaves(ty)?.iter() {
            for c in 0..u64::from(leaf.comps) {
                let Some(&bits) = next.next() else { return Ok(()) };
                let at = offset + leaf.offset + c * u64::from(leaf.stride);
                self.memory.set(object, 0, at, u32::from(leaf.scalar.bits()), bits, false);
            }
        }
        Ok(())
    }

    /// Uniforms outside blocks: initial values, then what was set.
    fn set_uniforms(&mut self, resources: &Resources) -> Result<(), Fault> {
        let shader = self.shader;
        let slots = shader.form != Form::Variables;
        for (id, v) in shader.vars.iter().filter(|(_, v)| v.mode == Modes::UNIFORM) {
            if self.layouts.types.is_opaque(v.ty) {
                continue;
            }
            let own = self.memory.vars[id];
            let (object, base) = match self.memory.uniform.filter(|_| slots) {
                Some(all) => (all, u64::from(v.offset)),
                None => (own, 0),
            };
            self.memory.initialise(own, 0, v, &mut self.layouts)?;
            for leaf in self.layouts.leaves(v.ty)?.iter() {
                for c in 0..u64::from(leaf.comps) {
                    let (at, bits) =
                        (leaf.offset + c * u64::from(leaf.stride), u32::from(leaf.scalar.bits()));
                    let initial =
                        if v.initializer.is_some() { self.memory.get(own, 0, at, bits).0 } else { 0 };
                    self.memory.set(object, 0, base + at, bits, initial, false);
                }
            }
            for (path, scalars) in resources.uniforms() {
                let Some(rest) = path.strip_prefix(&*v.name) else { continue };
                let Some((offset, ty)) = self.layouts.step(v.ty, rest) else { continue };
                self.set_scalars(object, base + offset, ty, scalars)?;
            }
        }
        Ok(())
    }
}

fn wrong(name: &str, what: &str) -> Fault {
    Fault::unsupported(format!("`{name}`: expected {what} as binding"))
}

impl Data {
    /// The binding of an object.
    pub(crate) fn binding(&self, object: u32) -> Option<&Binding> {
        self.bound.get(object as usize)?.as_ref()
    }
}
