#!/usr/bin/env python3
"""Fails if a source is cited that docs/references.md does not list, or if a relative link of a *.md file leads nowhere.
Run by ctest as `references`.

Usage: check_references.py ROOT

A key is a name and a year in brackets, [Name2020] or [NameOther2020b]; in docs/references.md an entry begins with
`- **[Name2020]**`. Keys are looked for in all *.md files and in the comments of the sources and scripts.
"""
import pathlib
import re
import sys

KEY = re.compile(r"\[([A-Z][A-Za-z]+(?:18|19|20)\d\d[a-z]?)\]")
ENTRY = re.compile(r"^- \*\*\[([A-Z][A-Za-z]+(?:18|19|20)\d\d[a-z]?)\]\*\*", re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^( {0,3})(```|~~~).*?^\1\2\s*$", re.MULTILINE | re.DOTALL)
COMMENT = {".cpp": "//", ".hpp": "//", ".py": "#", ".cmake": "#", ".toml": "#", ".sh": "#"}
SKIPPED = {".git", "build", "out", "node_modules"}


def files(root):
    for path in sorted(root.rglob("*")):
        if not SKIPPED & set(path.relative_to(root).parts[:-1]) and path.is_file():
            yield path


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])  # keeps the line numbers


def without_code(text):
    """Markdown without what is shown literally: fenced blocks, indented blocks after an empty line, `code`."""
    text = FENCE.sub(blank, text)
    lines, literal, previous = [], False, ""
    for line in text.split("\n"):
        indented = line.startswith("    ")
        literal = indented and (literal or not previous.strip()) or (literal and not line.strip())
        lines.append("" if literal else line)
        previous = line
    return re.sub(r"`[^`\n]*`", blank, "\n".join(lines))


def anchors(text):
    """Names that GitHub gives to the headings of a page."""
    names, seen = set(), {}
    for heading in HEADING.findall(FENCE.sub(blank, text)):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check(root):
    page = root / "docs" / "references.md"
    if not page.is_file():
        yield "docs/references.md: error: there is no such page"
        return
    listed = ENTRY.findall(page.read_text(encoding="utf-8"))
    for key in sorted(set(key for key in listed if listed.count(key) > 1)):
        yield f"docs/references.md: error: [{key}] is listed twice"
    cited = set()
    for path in files(root):
        name = path.relative_to(root)
        if path.suffix == ".md":
            text = without_code(path.read_text(encoding="utf-8"))
            for match in LINK.finditer(text):
                target = match[1] or match[2]
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue  # https: and the like are not ours to check
                place, _, anchor = target.partition("#")
                where = (path.parent / place).resolve() if place else path
                if not where.exists():
                    yield f"{name}:{line_of(text, match.start())}: error: the link `{target}` leads nowhere"
                elif anchor and where.suffix == ".md" and anchor not in anchors(where.read_text(encoding="utf-8")):
                    yield f"{name}:{line_of(text, match.start())}: error: no heading `#{anchor}` in the page linked to"
        elif path.suffix in COMMENT:
            marker = COMMENT[path.suffix]
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
            text = "\n".join(line[line.index(marker):] if marker in line else "" for line in lines)
        else:
            continue
        if path in (page, pathlib.Path(__file__).resolve()):
            continue
        for match in KEY.finditer(text):
            cited.add(match[1])
            if match[1] not in listed:
                yield f"{name}:{line_of(text, match.start())}: error: [{match[1]}] is not in docs/references.md"
    for key in listed:
        if key not in cited:
            yield f"docs/references.md: error: nothing cites [{key}]"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(check(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) if found else "references: fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
