; Values belong to a function, variables to the shader or a function. Labels, functions and structures are not listed:
; they may have the name of a variable.
(shader_body) @local.scope
(function_body) @local.scope

(instruction
  result: (value) @local.definition)
(value) @local.reference

(variable_declaration
  name: (name) @local.definition)
(variable_reference
  name: (name) @local.reference)
