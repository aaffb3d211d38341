//! Metadata that instructions carry: the memory that accesses cannot overlap with, and the progress of loops.

use super::FunctionEmitter;
use crate::module::{Attachment, Md, Value};
use crate::select::signature::pieces::Alias;

/// The nodes of the accesses of one kind.
#[derive(Clone, Copy)]
pub(crate) struct AliasLists {
    /// The argument that the accesses go through, if nothing else addresses its memory.
    argument: Option<u32>,
    /// List of its scope.
    own: Option<Md>,
    /// List of the scopes of all other such arguments.
    others: Option<Md>,
}

impl FunctionEmitter<'_> {
    /// Marks an access with the scopes that it is in and those that it does not touch. The names are those of Apple's compiler.
    pub(crate) fn mark_alias(&mut self, access: Value, alias: Alias) {
        if self.sig.alias_scopes.is_empty() {
            return;
        }
        let argument = match alias {
            Alias::Any => return,
            Alias::Argument(argument) => Some(argument),
            Alias::OtherBuffers => None,
        };
        let known = self.state.alias_lists.iter().find(|l| l.argument == argument).copied();
        let lists = known.unwrap_or_else(|| self.alias_lists(argument));
        for (kind, list) in [(Attachment::ALIAS_SCOPE, lists.own), (Attachment::NO_ALIAS, lists.others)] {
            if let Some(list) = list {
                self.b.attach(access, kind, list);
            }
        }
    }

    fn alias_lists(&mut self, argument: Option<u32>) -> AliasLists {
        let arguments = &self.sig.alias_scopes;
        let m = &mut *self.b.module;
        if self.state.alias_scopes.is_empty() {
            let name = m.md_str(&format!("air-alias-scopes({})", self.shader.name));
            let domain = m.md_self_reference(&[name]);
            for argument in arguments {
                let name = m.md_str(&format!("air-alias-scope-arg({argument})"));
                self.state.alias_scopes.push(m.md_self_reference(&[domain, name]));
            }
        }
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for (&scope, &other) in self.state.alias_scopes.iter().zip(arguments) {
            if Some(other) == argument { own.push(scope) } else { others.push(scope) }
        }
        let mut list = |scopes: &[Md]| (!scopes.is_empty()).then(|| m.md_node(scopes));
        let lists = AliasLists { argument, own: list(&own), others: list(&others) };
        self.state.alias_lists.push(lists);
        lists
    }

    /// A new name for a loop that ends or has an effect that others observe.
    pub(crate) fn progress_node(&mut self) -> Md {
        let m = &mut *self.b.module;
        let property = m.md_str("llvm.loop.mustprogress");
        let property = m.md_node(&[property]);
        m.md_self_reference(&[property])
    }
}
