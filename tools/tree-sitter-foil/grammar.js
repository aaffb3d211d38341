/**
 * @file The text form of Airfoil's IR (`docs/foil.md`), for editors.
 * @license MIT OR Apache-2.0
 *
 * Names of operations, properties and enumerations are plain words: a new row in a table of the compiler needs no
 * change here. Words that decide the structure of a line are keywords; a test compares them with the compiler's tables.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

/** The modes of variables. The first word of an item is a mode, or the name of a property of the stage. */
const MODES = [
  'function_temp',
  'shader_temp',
  'in',
  'out',
  'uniform',
  'ubo',
  'ssbo',
  'shared',
  'push_const',
  'system_value',
  'image',
  'global',
  'task_payload',
  'spec_const',
];

/** Instructions that end a block. */
const JUMPS = ['break', 'continue', 'return', 'halt'];

/** First words of instructions with a syntax of their own. */
const SPECIAL = [
  'const',
  'undef',
  'phi',
  'call',
  'deref_var',
  'deref_struct',
  'deref_array',
  'deref_ptr_as_array',
  'deref_array_wildcard',
  'deref_cast',
];

/**
 * One or more rules with `separator` between them.
 * @param {RuleOrLiteral} rule
 * @param {RuleOrLiteral} separator
 */
const separated = (rule, separator) => seq(rule, repeat(seq(separator, rule)));

/**
 * Lines in braces: a line may share its line with the braces, but not with another line.
 * @param {GrammarSymbols<any>} $
 * @param {RuleOrLiteral} line
 */
const lines = ($, line) =>
  seq(
    '{',
    repeat($._newline),
    optional(seq(separated(line, repeat1($._newline)), repeat($._newline))),
    '}',
  );

export default grammar({
  name: 'foil',

  // New lines are tokens: they end declarations and instructions.
  extras: $ => [/[ \t\r]/, $.comment],

  word: $ => $.identifier,

  supertypes: $ => [$.literal],

  conflicts: $ => [
    // `else` may be on a later line than the brace before it.
    [$.if_statement],
    // ` = ` after a word: its value, or the initial value of the variable.
    [$.property, $._flag],
  ],

  rules: {
    // Text tests hold their input and the expected output in one file.
    source_file: $ =>
      seq(repeat($._newline), repeat(seq($.version, repeat($._newline), $.shader, repeat($._newline)))),

    comment: _ => token(/;[^\n]*/),
    _newline: _ => token(/\n[ \t\r\n]*/),

    version: $ => seq('foil', field('number', $.integer)),

    shader: $ =>
      seq('shader', field('stage', $.identifier), field('name', $.string), field('body', $.shader_body)),

    shader_body: $ => lines($, $._item),

    _item: $ =>
      choice(
        $.form_declaration,
        $.file_declaration,
        $.no_entry,
        $.gathered,
        $.stage_property,
        $.struct_declaration,
        $.block_declaration,
        $.variable_declaration,
        $.function_definition,
      ),

    // ---- items ----

    form_declaration: $ => seq('form', field('form', $.identifier)),
    file_declaration: $ => seq('file', field('path', $.string)),
    no_entry: _ => 'no_entry',
    gathered: $ => seq('gathered', field('body', alias($._gathered_body, $.gathered_body))),
    _gathered_body: $ => lines($, alias($.stage_property, $.fact)),

    stage_property: $ =>
      seq(field('name', $.identifier), repeat(field('value', choice($._enumerator, $.integer)))),

    struct_declaration: $ => seq('struct', field('name', $.name), field('members', $.member_list)),
    block_declaration: $ => seq('block', field('name', $.name), field('members', $.member_list)),

    member_list: $ =>
      seq(
        '{',
        repeat($._newline),
        optional(seq(separated($.member, $._member_end), optional($._member_end))),
        '}',
      ),
    _member_end: $ => choice(seq(',', repeat($._newline)), repeat1($._newline)),

    member: $ =>
      seq(
        field('type', $.type),
        field('name', choice($.identifier, $.string)),
        optional(field('offset', $.offset)),
        optional(field('property', $.property)),
      ),
    offset: $ => seq('@', $.integer),

    // ---- types ----

    type: $ =>
      seq(field('name', $.name), optional(field('arguments', $.type_arguments)), repeat($.dimension)),

    // A block that is declared in place.
    block_type: $ => seq(field('name', $.name), field('members', $.member_list), repeat($.dimension)),

    _any_type: $ => choice($.type, $.block_type),

    // The layout of a matrix, the properties of an image.
    type_arguments: $ => seq('(', repeat(choice($.property, $._flag)), ')'),

    dimension: $ => seq('[', optional(field('length', $.integer)), optional($.property), ']'),

    modes: $ => choice(separated($.mode, '|'), $.integer),
    mode: _ => choice(...MODES),

    // ---- variables ----

    variable_declaration: $ =>
      seq(
        field('modes', $.modes),
        field('type', $._any_type),
        field('name', $.name),
        repeat(choice(alias($._attached_property, $.property), $.property, $._flag)),
        optional(prec.dynamic(1, seq('=', field('value', $._initial_value)))),
      ),

    // Without blanks, `=` always belongs to the property.
    _attached_property: $ => seq(field('name', $.identifier), token.immediate('='), field('value', $._value)),

    _initial_value: $ => choice($.literal, $.zero, $.raw, $.vector, $.composite),
    zero: _ => prec(1, 'zero'),
    raw: $ => seq('raw', '(', separated($.literal, ','), ')'),
    vector: $ => seq('(', separated($.literal, ','), ')'),
    composite: $ =>
      seq(
        '{',
        repeat($._newline),
        optional(
          seq(
            separated($._initial_value, seq(',', repeat($._newline))),
            optional(','),
            repeat($._newline),
          ),
        ),
        '}',
      ),

    // ---- functions ----

    function_definition: $ =>
      seq(
        optional('entry'),
        'fn',
        field('name', $.name),
        optional(field('parameters', $.parameters)),
        optional(field('location', $.location)),
        field('body', $.function_body),
      ),

    parameters: $ => seq('(', optional(seq(separated($.parameter, ','), optional(','))), ')'),
    parameter: $ =>
      seq(
        choice(
          seq(field('shape', $.shape), optional(field('pointee', $.pointee))),
          field('pointee', $.pointee),
        ),
        optional($.property),
      ),
    pointee: $ => seq('deref', '(', field('type', $._any_type), field('modes', $.modes), ')'),

    function_body: $ =>
      seq(
        '{',
        repeat($._newline),
        repeat(seq($.variable_declaration, repeat1($._newline))),
        optional(choice($._code, $.variable_declaration)),
        '}',
      ),

    block: $ => seq('{', repeat($._newline), optional($._code), '}'),

    // A new line is required after an instruction only.
    _code: $ => choice(repeat1($._statement), seq(repeat($._statement), $.instruction)),

    _statement: $ =>
      choice(
        seq(choice($.label, $.if_statement, $.loop_statement), repeat($._newline)),
        seq($.instruction, repeat1($._newline)),
      ),

    label: $ =>
      seq(
        field('name', choice($.identifier, alias($._keyword, $.identifier))),
        token.immediate(':'),
      ),
    // Keywords are not reserved.
    _keyword: _ => choice('if', 'loop', ...MODES, ...JUMPS, ...SPECIAL),

    if_statement: $ =>
      seq(
        'if',
        field('condition', $._operand),
        optional(field('hint', alias($.identifier, $.hint))),
        field('consequence', $.block),
        optional(seq(repeat($._newline), field('alternative', $.else_clause))),
      ),
    else_clause: $ => seq('else', field('body', $.block)),
    loop_statement: $ => seq('loop', optional(field('hint', alias($.identifier, $.hint))), field('body', $.block)),

    // ---- instructions ----

    instruction: $ =>
      seq(
        optional(seq(optional(field('shape', $.shape)), field('result', $.value), '=')),
        choice($.operation, $.constant, $.undefined, $.phi, $.deref, $.call, $.jump),
        optional(field('location', $.location)),
      ),

    // ALU operations, intrinsics and texture operations.
    operation: $ =>
      seq(
        field('name', $.identifier),
        optional($.exact),
        repeat(seq('.', alias($.identifier, $.flag))),
        optional(separated(field('operand', choice($._operand, $.swizzled_operand)), ',')),
        repeat(choice($.property, $._flag)),
      ),
    exact: _ => '!',

    constant: $ => seq('const', separated($.literal, ',')),
    undefined: _ => 'undef',

    phi: $ => seq('phi', optional(seq(separated($.phi_source, ','), optional(',')))),
    phi_source: $ => seq(field('block', $.identifier), ':', field('value', $.value)),

    deref: $ =>
      seq(
        choice(
          seq('deref_var', field('parent', $.variable_reference)),
          seq('deref_struct', field('parent', $._operand), '.', field('member', choice($.identifier, $.integer))),
          seq(
            choice('deref_array', 'deref_ptr_as_array'),
            field('parent', $._operand),
            '[',
            field('index', $._operand),
            ']',
          ),
          seq('deref_array_wildcard', field('parent', $._operand), '[', $.wildcard, ']'),
          seq('deref_cast', field('parent', $._operand)),
        ),
        optional(field('annotation', $.annotation)),
      ),
    wildcard: _ => '*',
    annotation: $ =>
      seq(':', field('type', $._any_type), field('modes', $.modes), optional($.property)),

    call: $ =>
      seq(
        'call',
        field('function', $.name),
        '(',
        optional(separated(field('argument', $._operand), ',')),
        ')',
      ),

    jump: _ => choice(...JUMPS),

    _operand: $ => choice($.value, $.variable_reference),
    swizzled_operand: $ => seq(field('value', $._operand), '.', field('swizzle', $.swizzle)),
    swizzle: _ => /[xyzw]{1,4}/,
    variable_reference: $ => seq('&', field('name', $.name)),

    location: $ => seq('@', field('file', $.integer), ':', field('line', $.integer)),

    // ---- properties ----

    property: $ => seq(field('name', $.identifier), '=', field('value', $._value)),

    _flag: $ => choice(alias($.identifier, $.flag), alias($._numbered_word, $.flag)),

    _value: $ =>
      choice(
        $.literal,
        $._enumerator,
        $.alignment,
        $.flags,
        $._operand,
        $.io_semantics,
        $.offsets,
      ),
    // An alignment and the distance from its multiples.
    alignment: $ => seq($.integer, '+', $.integer),
    _enumerator: $ => choice(alias($.identifier, $.enumerator), alias($._numbered_word, $.enumerator)),
    flags: $ => seq($._enumerator, repeat1(seq('|', $._enumerator))),
    io_semantics: $ =>
      seq('(', choice($._enumerator, $.integer), repeat(choice($.property, $._flag)), ')'),
    offsets: $ => repeat1(seq('(', $.integer, ',', $.integer, ')')),

    // ---- names and numbers ----

    name: $ => seq(choice($.identifier, $.string), optional($.suffix)),
    // Distinguishes objects of the same name.
    suffix: _ => token.immediate(/\.[0-9][A-Za-z0-9_]*/),

    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,

    string: $ => seq('"', repeat(choice(alias($._text, $.string_content), $.escape_sequence)), token.immediate('"')),
    _text: _ => token.immediate(prec(1, /[^"\\\n]+/)),
    escape_sequence: _ => token.immediate(/\\(["\\nt]|u\{[0-9A-Fa-f]{1,6}\})/),

    value: _ => /%[A-Za-z0-9_]+/,
    shape: _ => /(1|8|16|32|64)x[1-4]/,

    literal: $ => choice($.integer, $.float, $.boolean),
    boolean: _ => choice('true', 'false'),
    integer: _ => /-?([0-9][0-9_]*|0[xX][0-9A-Fa-f_]+|0[bB][01_]+)/,
    float: $ => choice($._decimal, 'inf', 'nan'),
    _decimal: _ => /-?[0-9][0-9_]*(\.[0-9][0-9_]*([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)|-(inf|nan)/,

    // Names such as `2d`. The order of the rules matters: `0x1f` is an integer.
    _numbered_word: _ => /[0-9][a-z_][a-z0-9_]*/,
  },
});
