//! Attribute groups and sets.

use super::bits::{Block, Item, Record, SubBlock};
use super::{ReadError, Reader};
use crate::module::{Attr, AttrIndex, AttrKind};

/// Record of a group and of a set.
const GROUP_ENTRY: u32 = 3;
const SET_ENTRY: u32 = 2;

/// Groups by ID: the position that each applies to, and its attributes.
type Groups = rustc_hash::FxHashMap<u64, (AttrIndex, Vec<Attr>)>;

impl<'a> Reader<'a> {
    pub(super) fn read_attributes(
        &mut self,
        groups: Option<&SubBlock<'a>>,
        sets: &SubBlock<'a>,
    ) -> Result<(), ReadError> {
        let groups = match groups {
            Some(block) => self.read_groups(block)?,
            None => Groups::default(),
        };
        let mut block = Block::open(sets, &self.info);
        let mut record = Record::default();
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok(()),
                Item::Record if record.code == SET_ENTRY => {
                    let lists = record.ops.iter().map(|number| match groups.get(number) {
                        Some((index, attrs)) => Ok((*index, attrs.as_slice())),
                        None => Err(record.error(format!("attribute group {number} does not exist"))),
                    });
                    let lists: Vec<(AttrIndex, &[Attr])> = lists.collect::<Result<_, _>>()?;
                    let set = self.m.attr_set(&lists);
                    self.sets.push(set);
                }
                Item::Record => {
                    return Err(
                        record.error("attributes in the form of LLVM 3.2 and before are not supported")
                    );
                }
                Item::Block(_) => {}
            }
        }
    }

    fn read_groups(&mut self, block: &SubBlock<'a>) -> Result<Groups, ReadError> {
        let mut block = Block::open(block, &self.info);
        let mut record = Record::default();
        let mut groups = Groups::default();
        loop {
            match block.next(&mut record)? {
                Item::End => return Ok(groups),
                Item::Record if record.code == GROUP_ENTRY => {
                    let index = AttrIndex(record.op32(1)?);
                    let attrs = self.read_group(&record)?;
                    groups.insert(record.op(0)?, (index, attrs));
                }
                _ => {}
            }
        }
    }

    fn read_group(&mut self, record: &Record<'_>) -> Result<Vec<Attr>, ReadError> {
        let mut attrs = Vec::new();
        let mut at = 2;
        while at < record.ops.len() {
            let form = record.op(at)?;
            at += 1;
            match form {
                0 | 1 | 5 | 6 => {
                    let number = record.op(at)?;
                    let kind = u8::try_from(number).map(AttrKind);
                    let kind = kind.map_err(|_| record.error(format!("attribute {number} is unknown")))?;
                    at += 1;
                    attrs.push(match form {
                        0 => Attr::Flag(kind),
                        1 => Attr::Int(kind, record.op(at)?),
                        5 => Attr::Type(kind, None),
                        _ => Attr::Type(kind, Some(self.ty(record, record.op(at)?)?)),
                    });
                    at += usize::from(matches!(form, 1 | 6));
                }
                3 | 4 => {
                    let key = self.attribute_text(record, &mut at)?;
                    let value = if form == 4 { self.attribute_text(record, &mut at)? } else { String::new() };
                    attrs.push(self.m.text_attr(&key, &value));
                }
                _ => return Err(record.error(format!("an attribute of the unknown form {form}"))),
            }
        }
        Ok(attrs)
    }

    /// Characters up to a zero.
    fn attribute_text(&mut self, record: &Record<'_>, at: &mut usize) -> Result<String, ReadError> {
        let mut bytes = Vec::new();
        loop {
            let op = record.op(*at)?;
            *at += 1;
            match u8::try_from(op) {
                Ok(0) => break,
                Ok(byte) => bytes.push(byte),
                Err(_) => return Err(record.error(format!("{op} is not a character of an attribute"))),
            }
        }
        String::from_utf8(bytes).map_err(|_| record.error("an attribute is not valid UTF-8"))
    }
}
