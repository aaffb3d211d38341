; No two patterns capture the same node: editors differ in which pattern wins.

(comment) @comment
(string) @string
(escape_sequence) @string.escape
(integer) @number
(float) @number.float
(boolean) @boolean
[
  (zero)
  (wildcard)
] @constant.builtin

; Items
[
  "foil"
  "shader"
  "form"
  "file"
  "entry"
  (no_entry)
] @keyword
[
  "struct"
  "block"
] @keyword.type
"fn" @keyword.function

(shader
  stage: (identifier) @keyword.modifier)
(form_declaration
  form: (identifier) @keyword.modifier)
(mode) @keyword.modifier

(gathered
  "gathered" @keyword)
(stage_property
  name: (identifier) @property)
(fact
  name: (identifier) @property)

; Types. Vim has at most nine groups in a pattern.
(shape) @type.builtin
((type
  name: (name) @type.builtin)
  (#match? @type.builtin
    "^(bool|u?int[0-9]*|float[0-9]*|([biu]|[iuf][0-9]+)?(vec|mat)[0-9x]+|texture|sampled|image|sampler)$"))
((type
  name: (name) @type)
  (#not-match? @type
    "^(bool|u?int[0-9]*|float[0-9]*|([biu]|[iuf][0-9]+)?(vec|mat)[0-9x]+|texture|sampled|image|sampler)$"))
(block_type
  name: (name) @type)
(struct_declaration
  name: (name) @type)
(block_declaration
  name: (name) @type)
(pointee
  "deref" @type.builtin)
(member
  name: (identifier) @variable.member)

; Variables and values
(value) @variable
(variable_declaration
  name: (name) @variable)
(variable_reference
  "&" @operator
  name: (name) @variable)

; Properties
(property
  name: (identifier) @property)
(flag) @attribute
(enumerator) @constant

; Functions and control flow
(function_definition
  name: (name) @function)
(call
  function: (name) @function.call)
(label
  name: (identifier) @label)
(phi_source
  block: (identifier) @label)
[
  "if"
  "else"
] @keyword.conditional
"loop" @keyword.repeat
(hint) @attribute
(jump) @keyword.return

; Instructions
(operation
  name: (identifier) @function.builtin)
(exact) @attribute
[
  "call"
  "const"
  "phi"
  "raw"
  "deref_var"
  "deref_struct"
  "deref_array"
  "deref_ptr_as_array"
  "deref_array_wildcard"
  "deref_cast"
  (undefined)
] @keyword
(deref
  member: (identifier) @variable.member)
(swizzle) @variable.member

; Punctuation
[
  "="
  "|"
  "+"
] @operator
[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket
[
  ","
  "."
  ":"
] @punctuation.delimiter
"@" @punctuation.special
