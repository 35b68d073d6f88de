#!/usr/bin/env python3
"""Fails if a layer (a folder of elodyn/) includes a layer that it must not see. Run by ctest as `layering`.

Usage: check_layers.py ROOT      ROOT holds elodyn/
"""
import pathlib
import re
import sys

# layer: what it may include besides itself. app/ sees all and is not checked.
ALLOWED = {
    "base": "",
    "linalg": "base",
    "model": "base",
    "mesh": "base model",
    "element": "base model",
    "formalism": "base element",
    "mechanism": "base linalg model",
    "system": "base linalg model mesh element formalism mechanism",
    "results": "base mesh",
    "analysis": "base linalg mesh system results mechanism",
    "experiment": "base linalg results",
    "study": "base linalg model mesh element formalism mechanism system results analysis experiment",
    "io": "base model mesh results",
}
INCLUDE = re.compile(r'\s*#\s*include\s*["<](elodyn|app|tests)/(?:(\w+)/)?')


def violations(root):
    sources = sorted(p for p in (root / "elodyn").rglob("*") if p.suffix in (".hpp", ".cpp", ".h", ".inc"))
    if not sources:
        yield f"{root / 'elodyn'}: error: no sources found"
    for path in sources:
        parts = path.relative_to(root / "elodyn").parts
        layer = parts[0] if len(parts) > 1 else None
        if layer is None:
            continue  # elodyn/elodyn.hpp: the umbrella sees all
        if layer not in ALLOWED:
            yield f"{path.relative_to(root)}:1: error: '{layer}' is not a layer (tools/check_layers.py lists them)"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            seen = match[2] if match[1] == "elodyn" and match[2] else match[1]
            if seen != layer and seen not in ALLOWED[layer].split():
                yield f"{path.relative_to(root)}:{number}: error: layer '{layer}' must not include '{seen}'"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "layers: fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
