#!/usr/bin/env python3
"""Fails on an include that the layers forbid, and on a cycle of includes.

A file may include headers of its own layer, of base and facts, and of the layers that its line below names. The table
is the design's; CMake's USES lists must say the same.
"""
import pathlib
import re
import sys

MAY_USE = {
    "base": set(),
    "facts": set(),
    "block": set(),
    "pattern": set(),
    "workload": {"pattern"},
    "run": {"block", "pattern", "workload"},
    "health": set(),
    "analysis": set(),
    "alerts": {"analysis"},
    "store": set(),
    "control": set(),
    "service": {"block", "pattern", "workload", "run", "health", "analysis", "alerts", "store", "control"},
    "tools": {"store", "analysis", "control", "health"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def allowed(layer):
    if layer == "base":
        return {"base"}
    if layer == "facts":
        return {"base", "facts"}
    return MAY_USE[layer] | {layer, "base", "facts"}


def sources(root):
    for layer in MAY_USE:
        folder = root / "tools" if layer == "tools" else root / "daemon" / layer
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield layer, path


def check(root):
    errors = []
    graph = {}
    for layer, path in sources(root):
        name = str(path.relative_to(root if layer == "tools" else root / "daemon"))
        graph[name] = []
        for include in INCLUDE.findall(path.read_text()):
            target = include.split("/")[0]
            if target == "embedded":
                continue
            if target not in MAY_USE:
                errors.append(f"{path}: \"{include}\" names no layer")
            elif target not in allowed(layer):
                errors.append(f"{path}: {layer} must not include {target} (\"{include}\")")
            graph[name].append(include)
    errors += cycles(graph)
    for line in sorted((root / "daemon").glob("*/CMakeLists.txt")):
        match = re.search(r"wearout_layer\((\w+)\s+USES ([\w ]+?)\s*\n", line.read_text())
        if match:
            extra = set(match[2].split()) - allowed(match[1])
            errors += [f"{line}: {match[1]} must not use {name}" for name in sorted(extra)]
    return errors


def cycles(graph):
    done, errors = set(), []

    def visit(name, trail):
        if name in trail:
            errors.append("cycle of includes: " + " -> ".join(trail[trail.index(name):] + [name]))
        elif name in graph and name not in done:
            for include in graph[name]:
                visit(include, trail + [name])
            done.add(name)

    for name in graph:
        visit(name, [])
    return errors


def self_test(tmp):
    """The check itself must find what it is there for."""
    for layer in MAY_USE:
        (tmp / ("tools" if layer == "tools" else f"daemon/{layer}")).mkdir(parents=True)
    (tmp / "daemon/pattern/bad.cpp").write_text('#include "store/store.h"\n')
    (tmp / "daemon/base/a.h").write_text('#include "base/b.h"\n')
    (tmp / "daemon/base/b.h").write_text('#include "base/a.h"\n')
    (tmp / "daemon/store/CMakeLists.txt").write_text("wearout_layer(store\n    USES base run\n    SOURCES)\n")
    found = check(tmp)
    assert any("pattern must not include store" in line for line in found), found
    assert any("cycle of includes" in line for line in found), found
    assert any("store must not use run" in line for line in found), found


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        self_test(pathlib.Path(folder))
    problems = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(problems) if problems else "every include keeps to the layers")
    sys.exit(1 if problems else 0)
