; Captures of Neovim. Labels are indented as the line with the brace, as the printer writes them.
[
  (shader_body)
  (gathered_body)
  (member_list)
  (composite)
  (function_body)
  (block)
] @indent.begin

"}" @indent.branch @indent.end

(label) @indent.branch
