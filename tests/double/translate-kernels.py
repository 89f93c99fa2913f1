#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes C++ for the CPU of a .cu file.

translate-kernels.py SOURCE OUTPUT DEPFILE SHIM_DIR COMPILER [ARGUMENT...]

Preprocesses SOURCE with the shim, then rewrites what no macro can: shared memory, and
a table entry for each kernel. Line markers stay, so that diagnostics and debuggers
show the .cu file."""
import re
import subprocess
import sys


def braces_deep(text):
    """Whether the end of TEXT is in a function or class, not at file scope."""
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"'(\\.|[^'\\\n])+'", "''", text)
    stack = []
    for match in re.finditer(r'[{}]', text):
        if match[0] == '}':
            stack.pop()
            continue
        before = text[max(0, match.start() - 200):match.start()]
        stack.append(not re.search(
            r'(extern\s*""|namespace(\s+[\w:]+)?)\s*$', before))
    return any(stack)


def dynamic_shared(text):
    """extern __shared__ arrays become pointers to the block's dynamic memory."""
    pattern = re.compile(
        r'extern\s+__vh_shared__\s+((?:__attribute__\s*\(\(.*?\)\)|[\w:<>\s])*?)'
        r'(\w+)\s*\[\s*\]\s*(?:__attribute__\s*\(\(.*?\)\))?\s*;')
    done = ''
    while True:
        match = pattern.search(text)
        if not match:
            return done + text
        kind = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', match[1]).strip()
        name = match[2]
        pointer = f'(static_cast<{kind} *> (vh_double_dynamic_shared ()))'
        done += text[:match.start()]
        text = text[match.end():]
        if braces_deep(done):
            done += f'{kind} *const {name} = {pointer};'
        else:
            text = re.sub(rf'(?<![\w.])(?<!->){name}\b', pointer, text)


def take_bounds(text):
    """Removes __launch_bounds__ (…). Returns the text and its first argument."""
    match = re.search(r'__vh_launch_bounds__\s*\(', text)
    if not match:
        return text, '0'
    depth, end = 1, match.end()
    while depth:
        depth += {'(': 1, ')': -1}.get(text[end], 0)
        end += 1
    inside, depth = text[match.end():end - 1], 0
    for i, c in enumerate(inside):
        depth += {'(': 1, ')': -1}.get(c, 0)
        if c == ',' and depth == 0:
            inside = inside[:i]
            break
    return text[:match.start()] + text[end:], inside


def kernels(text):
    found = {}
    while True:
        match = re.search(r'__vh_global__', text)
        if not match:
            return text, found
        before, after = text[:match.start()], text[match.end():]
        head = re.match(r'[^{;]*', after)[0]
        plain, bounds = take_bounds(head)
        name = re.search(r'(\w+)\s*\(', plain)[1]
        if bounds != '0' or name not in found:
            found[name] = bounds
        text = before + plain + after[len(head):]


def main():
    source, output, depfile, shim = sys.argv[1:5]
    text = subprocess.run(
        sys.argv[5:] + ['-E', '-x', 'c++', '-I', shim, '-include', 'cuda_shim.h',
                        '-MD', '-MF', depfile, '-MT', output, source],
        stdout=subprocess.PIPE, check=True, text=True).stdout
    text = dynamic_shared(text)
    text, found = kernels(text)
    text = text.replace('__vh_shared__', 'thread_local')
    for name, bounds in found.items():
        signature = f'vh_double::Signature<decltype (&{name})>'
        text += f'''
static VhDoubleKernel vh_double_kernel_{name} = {{
  "{name}", (void (*) (void)) &{name}, &{signature}::call,
  {signature}::table.sizes, {signature}::table.offsets, {signature}::n,
  {signature}::table.offsets[{signature}::n], (unsigned) ({bounds})
}};
__attribute__ ((used, section ("vh_double_kernels")))
static VhDoubleKernel *vh_double_entry_{name} = &vh_double_kernel_{name};
'''
    with open(output, 'w') as file:
        file.write(text)


main()
