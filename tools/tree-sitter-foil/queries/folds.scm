[
  (shader_body)
  (gathered_body)
  (member_list)
  (composite)
  (function_body)
  (block)
] @fold
