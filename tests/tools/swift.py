"""Parses Swift files and lists what the grammar rejects. Usage: swift.py FILE... Requires the Python packages tree-sitter and tree-sitter-swift.

Exit status 1 if a file has errors. The grammar accepts more than the compiler: types and availability are not checked.
"""

import sys

import tree_sitter_swift
from tree_sitter import Language, Parser


def errors(node):
    """The innermost nodes that are wrong or missing."""
    inner = [error for child in node.children if child.has_error for error in errors(child)]
    wrong = node.is_error or node.is_missing
    return inner or ([node] if wrong else [])


def main():
    parser = Parser(Language(tree_sitter_swift.language()))
    failed = False
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            tree = parser.parse(file.read())
        found = errors(tree.root_node) if tree.root_node.has_error else []
        for node in found:
            print(f"{path}:{node.start_point[0] + 1}:{node.start_point[1] + 1}: {node.type}: {node.text.decode()[:60]!r}")
        nodes, stack = 0, [tree.root_node]
        while stack:
            nodes += 1
            stack.extend(stack.pop().children)
        print(f"{path}: {nodes} nodes, {len(found)} errors")
        failed = failed or bool(found) or nodes < 2
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
