//! Reads a `.test` file into cases.

use super::Dialect;
use super::case::{Case, Expect, Extension, Kind, Program, Requirement, Version};
use super::lexer::{Lexer, Token};
use super::types::{Components, DataType, Scalar, Value, ValueBlock};
use crate::corpus;
use airfoil::Stage;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// Line; 0 for the file as a whole.
    pub line: usize,
    /// The error.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.message)
    }
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestFile {
    /// Cases, those of imported files among them. A source for both stages gives two.
    pub cases: Vec<Case>,
    /// Files that were imported, which need not be run on their own.
    pub imports: Vec<PathBuf>,
}

/// Groups may be nested this deep.
const MAX_DEPTH: usize = 32;
/// Imports may be nested this deep.
const MAX_IMPORTS: usize = 8;

const STAGES: &[(&str, Stage)] = &[
    ("vertex", Stage::Vertex),
    ("fragment", Stage::Fragment),
    ("geometry", Stage::Geometry),
    ("tessellation_control", Stage::TessControl),
    ("tessellation_evaluation", Stage::TessEval),
];

/// Reads a file and those that it imports.
///
/// # Errors
/// The first fault.
pub fn load(path: &Path) -> Result<TestFile, Fault> {
    parse(path, Dialect::of(path), &|p| corpus::read_text(p).map_err(|e| e.to_string()))
}

/// Reads a file in a dialect; `read` gives the text of files.
///
/// # Errors
/// The first fault.
pub fn parse(
    path: &Path,
    dialect: Dialect,
    read: &dyn Fn(&Path) -> Result<String, String>,
) -> Result<TestFile, Fault> {
    let mut found = TestFile::default();
    parse_into(&mut found, path, dialect, read, "", 0)?;
    Ok(found)
}

fn parse_into(
    found: &mut TestFile,
    path: &Path,
    dialect: Dialect,
    read: &dyn Fn(&Path) -> Result<String, String>,
    prefix: &str,
    imported: usize,
) -> Result<(), Fault> {
    let fault = |(line, message)| Fault { file: path.to_path_buf(), line, message };
    if imported > MAX_IMPORTS {
        return Err(fault((0, format!("more than {MAX_IMPORTS} files import one another"))));
    }
    let text = read(path).map_err(|e| fault((0, e)))?;
    let mut parser = Parser::new(&text, dialect).map_err(fault)?;
    parser.items(prefix, 0, false).map_err(fault)?;
    // Cases of imported files are inserted where they are imported.
    let mut cases = parser.cases.into_iter();
    let mut taken = 0;
    for import in parser.imports {
        found.cases.extend(cases.by_ref().take(import.at - taken));
        taken = import.at;
        let file = path.with_file_name(&import.file);
        parse_into(found, &file, dialect, read, &import.prefix, imported + 1)?;
        found.imports.push(file);
    }
    found.cases.extend(cases);
    Ok(())
}

type Faulty<T> = Result<T, (usize, String)>;

struct Import {
    /// Number of cases before it.
    at: usize,
    prefix: String,
    file: String,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    line: usize,
    /// Line of the previous token, for errors that are found one token late.
    before: usize,
    dialect: Dialect,
    cases: Vec<Case>,
    imports: Vec<Import>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Faulty<Parser<'a>> {
        let mut lexer = Lexer::new(text);
        let (line, token) = lexer.next_token()?;
        Ok(Parser { lexer, token, line, before: line, dialect, cases: Vec::new(), imports: Vec::new() })
    }

    fn fail<T>(&self, message: String) -> Faulty<T> {
        Err((self.before, message))
    }

    fn expected<T>(&self, what: &str) -> Faulty<T> {
        Err((self.line, format!("{what} is expected, not {}", self.token)))
    }

    fn next(&mut self) -> Faulty<Token<'a>> {
        let (line, token) = self.lexer.next_token()?;
        self.before = std::mem::replace(&mut self.line, line);
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn is_symbol(&self, symbol: char) -> bool {
        self.token == Token::Symbol(symbol)
    }

    fn accept(&mut self, symbol: char) -> Faulty<bool> {
        let there = self.is_symbol(symbol);
        if there {
            self.next()?;
        }
        Ok(there)
    }

    fn symbol(&mut self, symbol: char) -> Faulty<()> {
        if self.accept(symbol)? { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    fn word(&mut self, what: &str) -> Faulty<&'a str> {
        let Token::Name(name) = self.token else { return self.expected(what) };
        self.next()?;
        Ok(name)
    }

    fn text(&mut self, what: &str) -> Faulty<String> {
        if !matches!(self.token, Token::Text(_)) {
            return self.expected(what);
        }
        match self.next()? {
            Token::Text(text) => Ok(text),
            _ => Ok(String::new()),
        }
    }

    fn source(&mut self) -> Faulty<String> {
        if !matches!(self.token, Token::Source(_)) {
            return self.expected("a source");
        }
        match self.next()? {
            Token::Source(text) => Ok(text),
            _ => Ok(String::new()),
        }
    }

    fn integer(&mut self) -> Faulty<i64> {
        let Token::Int(n) = self.token else { return self.expected("an integer") };
        self.next()?;
        Ok(n)
    }

    /// The name of a case or group, which may be any word or number.
    fn name(&mut self) -> Faulty<String> {
        let name = match &self.token {
            Token::Name(name) => (*name).to_string(),
            Token::Int(n) => n.to_string(),
            Token::Text(text) => text.clone(),
            _ => return self.expected("a name"),
        };
        self.next()?;
        Ok(name)
    }

    fn items(&mut self, prefix: &str, depth: usize, in_group: bool) -> Faulty<()> {
        if depth > MAX_DEPTH {
            return self.fail(format!("groups are nested deeper than {MAX_DEPTH}"));
        }
        loop {
            match self.token {
                Token::End if !in_group => return Ok(()),
                Token::Name("end") if in_group => return self.next().map(drop),
                Token::Name("group") => {
                    self.next()?;
                    let name = self.name()?;
                    self.text("the description of a group")?;
                    self.items(&join(prefix, &name), depth + 1, true)?;
                }
                Token::Name("case") => self.case(prefix)?,
                Token::Name("import") => {
                    self.next()?;
                    let file = self.text("the name of a file")?;
                    self.imports.push(Import { at: self.cases.len(), prefix: prefix.into(), file });
                }
                _ => return self.expected("`case`, `group`, `import` or `end`"),
            }
        }
    }

    fn case(&mut self, prefix: &str) -> Faulty<()> {
        let line = self.line;
        self.next()?;
        let name = join(prefix, &self.name()?);
        let mut draft = Draft::default();
        while self.token != Token::Name("end") {
            self.case_item(&mut draft)?;
        }
        self.next()?;
        let cases = draft.finish(name, line).map_err(|message| (line, message))?;
        self.cases.extend(cases);
        Ok(())
    }

    fn case_item(&mut self, draft: &mut Draft) -> Faulty<()> {
        let word = self.word("a part of a case")?;
        match word {
            "desc" => self.text("a description").map(drop)?,
            "expect" => {
                let name = self.word("the expected result")?;
                draft.expect = match Expect::from_name(name) {
                    Some(expect) => expect,
                    None => return self.fail(format!("nothing is called `{name}` that can be expected")),
                };
            }
            "version" => draft.version = self.version()?,
            "values" => {
                if !draft.values.is_empty() && self.dialect != Dialect::Glc {
                    return self.fail("a second block of values".into());
                }
                let block = self.values()?;
                draft.values.push(block);
            }
            "both" => {
                if draft.both.is_some() {
                    return self.fail("a second source for both stages".into());
                }
                draft.both = Some(self.source()?);
            }
            "output_color" => {
                let ty = self.data_type()?;
                draft.output_color = Some(ty);
            }
            "require" => self.require(&mut draft.program, &mut draft.requirements)?,
            "pipeline_program" => {
                let program = self.pipeline_program()?;
                draft.pipeline.push(program);
            }
            word => match stage(word) {
                Some(stage) => {
                    let source = self.source()?;
                    draft.program.sources.push((stage, source));
                }
                None => return self.fail(format!("`{word}` is not part of a case")),
            },
        }
        Ok(())
    }

    fn version(&mut self) -> Faulty<Version> {
        let Ok(number) = u16::try_from(self.integer()?) else {
            return self.fail("unknown version".into());
        };
        let (es, core) = match self.token {
            Token::Name("es") => (true, false),
            Token::Name("core") => (false, true),
            _ => return Ok(Version { number, es: number == 100, core: false }),
        };
        self.next()?;
        Ok(Version { number, es, core })
    }

    fn require(&mut self, program: &mut Program, others: &mut Vec<Requirement>) -> Faulty<()> {
        match self.word("a requirement")? {
            "extension" => {
                let names = self.braced('|', |p| p.text("the name of an extension"))?;
                let stages = if self.token == Token::Name("in") {
                    self.next()?;
                    Some(self.stages()?)
                } else {
                    None
                };
                program.extensions.push(Extension { names, stages });
            }
            "limit" => {
                let name = self.text("the name of a limit")?;
                self.symbol('>')?;
                let above = self.integer()?;
                others.push(Requirement::Limit { name, above });
            }
            "full_glsl_es_100_support" => others.push(Requirement::FullEs100),
            "only_glsl_es_100_support" => others.push(Requirement::OnlyEs100),
            "exactly_one_draw_buffer" => others.push(Requirement::OneDrawBuffer),
            other => return self.fail(format!("`{other}` cannot be required")),
        }
        Ok(())
    }

    fn stages(&mut self) -> Faulty<Vec<Stage>> {
        self.braced(',', |p| {
            let name = p.word("a stage")?;
            stage(name).map_or_else(|| p.fail(format!("unknown stage `{name}`")), Ok)
        })
    }

    /// `{ item SEPARATOR item ... }`
    fn braced<T>(&mut self, separator: char, mut item: impl FnMut(&mut Self) -> Faulty<T>) -> Faulty<Vec<T>> {
        self.symbol('{')?;
        let mut items = vec![item(self)?];
        while self.accept(separator)? {
            items.push(item(self)?);
        }
        self.symbol('}')?;
        Ok(items)
    }

    fn pipeline_program(&mut self) -> Faulty<Program> {
        let mut program = Program::default();
        loop {
            match self.word("a part of a program")? {
                "end" => break,
                "active_stages" => program.active = self.stages()?,
                "require" => {
                    let mut others = Vec::new();
                    self.require(&mut program, &mut others)?;
                    if !others.is_empty() {
                        return self.fail("a program can require extensions only".into());
                    }
                }
                word => match stage(word) {
                    Some(stage) => {
                        let source = self.source()?;
                        program.sources.push((stage, source));
                    }
                    None => return self.fail(format!("`{word}` is not part of a program")),
                },
            }
        }
        if program.active.is_empty() || program.sources.is_empty() {
            return self.fail("a program of a pipeline has no active stages or no sources".into());
        }
        Ok(program)
    }

    fn data_type(&mut self) -> Faulty<DataType> {
        let name = self.word("a type")?;
        DataType::from_name(name).map_or_else(|| self.fail(format!("unknown type `{name}`")), Ok)
    }

    fn values(&mut self) -> Faulty<ValueBlock> {
        let line = self.line;
        self.symbol('{')?;
        let mut block = ValueBlock::default();
        while !self.accept('}')? {
            let list = match self.word("`input`, `output`, `uniform` or `}`")? {
                "input" => &mut block.inputs,
                "output" => &mut block.outputs,
                "uniform" => &mut block.uniforms,
                other => return self.fail(format!("values are no `{other}`")),
            };
            let ty = self.data_type()?;
            let name = self.name()?;
            self.symbol('=')?;
            let components = self.rows(ty)?;
            self.symbol(';')?;
            list.push(Value { name, ty, components });
        }
        let rows = block.rows();
        let broadcast = self.dialect == Dialect::Glc;
        let odd = block.all().find(|v| v.rows() != rows && !(broadcast && v.rows() == 1));
        if let Some(odd) = odd {
            return Err((line, format!("`{}` has {} rows, others have {rows}", odd.name, odd.rows())));
        }
        Ok(block)
    }

    fn rows(&mut self, ty: DataType) -> Faulty<Components> {
        let mut components = Components::new(ty.scalar);
        if self.accept('[')? {
            self.element(ty, &mut components)?;
            while self.accept('|')? {
                self.element(ty, &mut components)?;
            }
            self.symbol(']')?;
        } else {
            self.element(ty, &mut components)?;
        }
        Ok(components)
    }

    fn element(&mut self, ty: DataType, into: &mut Components) -> Faulty<()> {
        if ty.components() == 1 {
            return self.scalar(ty.scalar, into);
        }
        let written = self.data_type()?;
        if written != ty {
            return self.fail(format!("a value of type {ty} is expected, not {written}"));
        }
        self.symbol('(')?;
        for i in 0..ty.components() {
            if i > 0 {
                self.symbol(',')?;
            }
            self.scalar(ty.scalar, into)?;
        }
        self.symbol(')')
    }

    fn scalar(&mut self, scalar: Scalar, into: &mut Components) -> Faulty<()> {
        if scalar == Scalar::Bool {
            let value = match self.token {
                Token::Name("true") => true,
                Token::Name("false") => false,
                _ => return self.expected("`true` or `false`"),
            };
            if let Components::Bool(list) = into {
                list.push(value);
            }
            return self.next().map(drop);
        }
        let negative = self.accept('-')?;
        match (into, &self.token) {
            (Components::Float(list), Token::Float(x)) => {
                list.push(if negative { -*x as f32 } else { *x as f32 });
            }
            (Components::Int(list), Token::Int(n)) => {
                // Bit patterns above the largest signed number are written as well.
                let n = if negative { -n } else { *n };
                match i32::try_from(n).or_else(|_| u32::try_from(n).map(u32::cast_signed)) {
                    Ok(n) => list.push(n),
                    Err(_) => return self.fail(format!("{n} has more than 32 bits")),
                }
            }
            (Components::Uint(list), Token::Int(n)) => match u32::try_from(*n) {
                Ok(n) if !negative => list.push(n),
                Ok(n) => list.push(n.wrapping_neg()),
                Err(_) => return self.fail(format!("{n} has more than 32 bits")),
            },
            (Components::Float(_), _) => return self.expected("a number with a point"),
            _ => return self.expected("an integer"),
        }
        self.next().map(drop)
    }
}

fn stage(name: &str) -> Option<Stage> {
    STAGES.iter().find(|(n, _)| *n == name).map(|(_, s)| *s)
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.into() } else { format!("{prefix}.{name}") }
}

/// A case under construction.
#[derive(Default)]
struct Draft {
    expect: Expect,
    version: Version,
    values: Vec<ValueBlock>,
    requirements: Vec<Requirement>,
    output_color: Option<DataType>,
    both: Option<String>,
    program: Program,
    pipeline: Vec<Program>,
}

impl Draft {
    fn finish(mut self, name: String, line: usize) -> Result<Vec<Case>, String> {
        if self.values.is_empty() {
            self.values.push(ValueBlock::default());
        }
        let has = |stage| self.program.sources.iter().any(|(s, _)| *s == stage);
        let case = |name: String, kind| Case {
            name,
            line,
            expect: self.expect,
            version: self.version,
            values: self.values.clone(),
            requirements: self.requirements.clone(),
            output_color: self.output_color,
            kind,
        };
        match (self.both, self.pipeline.is_empty(), self.program.sources.is_empty()) {
            (Some(source), true, true) => {
                let only = |stage| Program {
                    sources: vec![(stage, source.clone())],
                    extensions: self.program.extensions.clone(),
                    active: Vec::new(),
                };
                Ok(vec![
                    case(format!("{name}_vertex"), Kind::Vertex(only(Stage::Vertex))),
                    case(format!("{name}_fragment"), Kind::Fragment(only(Stage::Fragment))),
                ])
            }
            (None, false, true) => Ok(vec![case(name, Kind::Pipeline(self.pipeline.clone()))]),
            (None, true, false) if has(Stage::Vertex) && has(Stage::Fragment) => {
                Ok(vec![case(name, Kind::Complete(self.program.clone()))])
            }
            (None, true, _) => Err(format!("the case {name} lacks a vertex or a fragment source")),
            _ => Err(format!("the case {name} mixes sources for both stages, of stages, and of pipelines")),
        }
    }
}

#[cfg(test)]
#[path = "parser_tests.rs"]
mod tests;
